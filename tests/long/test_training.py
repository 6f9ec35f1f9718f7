"""Models that learn, watched by show.training: digits by a small network and by a convolutional one, the course's own
text letter by letter by the model of lesson 16; under PyTorch by changing one import."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.lessons import a_tiny_transformer

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")
threadpool_limits = pytest.importorskip("threadpoolctl").threadpool_limits


@pytest.fixture(autouse=True)
def one_core():
    """So that threads that wait for each other do not count as time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        yield
    torch.set_num_threads(threads)


def split(lib):
    """Digits in a train and a test set, the same for both libraries."""
    x, y = (t.numpy() for t in rf.utils.data.sets.digits())
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:1400], order[1400:]
    return [lib.tensor(part) for part in (x[train], y[train], x[test], y[test])]


def mlp(lib):
    nn = lib.nn
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(64, 128),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(128, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def convnet(lib):
    nn = lib.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(64 * 16, 10),
    )


def learned(lib, make, epochs, rate, seed):
    """What part of the test set is told right after some epochs, and the run that was watched."""
    lib.manual_seed(seed)
    x, y, tx, ty = split(lib)
    model = make(lib)
    loader = lib.utils.data.DataLoader(lib.utils.data.TensorDataset(x, y), batch_size=64, shuffle=True)
    optimizer = lib.optim.Adam(model.parameters(), lr=rate)
    scheduler = lib.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    loss = lib.nn.CrossEntropyLoss()
    run = show.training(loader, model, live=False)
    for _ in range(epochs):
        model.train()
        for xb, yb in run:
            optimizer.zero_grad()
            loss(model(xb), yb).backward()
            optimizer.step()
        scheduler.step()
    model.eval()
    with lib.no_grad():
        return (model(tx).argmax(1) == ty).float().mean().item(), run


@pytest.mark.parametrize("lib", [rf, torch], ids=lambda lib: lib.__name__)
@pytest.mark.parametrize(
    "make, epochs, rate, seconds", [(mlp, 30, 5e-3, 30), (convnet, 6, 2e-3, 120)], ids=["mlp", "convnet"]
)
def test_digits_are_learned_in_a_lesson_under_either_import(make, epochs, rate, seconds, lib):
    begin = time.process_time()
    right, run = learned(lib, make, epochs, rate, seed=0)
    spent = time.process_time() - begin
    print(f"{make.__name__} under {lib.__name__}: {right:.4f}, {spent:.1f} s of CPU")
    assert right >= 0.985 and spent < seconds
    assert len(run.losses) == epochs * 22 and run.losses[-1] < run.losses[0] / 10 and run.figure().sentences


LESSON = Path(__file__).parents[2] / "notebooks" / "16-a-tiny-transformer.ipynb"
BATCHES = "[batch(0, end) for step in range(60)]"
MORE = BATCHES.replace("60", "500")
"""Some 12 seconds of it, on one core."""


def loss_of_pairs(numbers, end, many):
    """The loss on the rest of a text of one who knows how often each letter follows each, and no more."""
    table = np.ones((many, many))
    np.add.at(table, (numbers[: end - 1], numbers[1:end]), 1)
    table /= table.sum(1, keepdims=True)
    return -np.log(table[numbers[end:-1], numbers[end + 1 :]]).mean()


@pytest.mark.parametrize("lib", [rf, torch], ids=lambda lib: lib.__name__)
def test_the_model_that_writes_knows_more_than_pairs_of_letters_under_either_import(lib):
    """Lesson 16 as it stands, from its model on, but for the number of steps."""
    cells = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    first = next(k for k, source in enumerate(sources) if "class Writer" in source)
    last = next(k for k, source in enumerate(sources) if BATCHES in source)

    names = {"torch": lib, "nn": lib.nn, "show": show, "check": a_tiny_transformer}
    a_tiny_transformer.who_changes.skip()
    for source in sources[first : last + 1]:
        exec(compile(source.replace(BATCHES, MORE), "cell", "exec"), names)
    table = loss_of_pairs(np.array(names["numbers"].tolist()), names["end"], len(names["alphabet"]))
    found, run, written = names["last"], names["run"], names["write"]("the ", 60)
    print(f"letters under {lib.__name__}: {found:.3f}, pairs {table:.3f}, {len(run.losses)} steps: {written!r}")
    assert found < table and len(written) == 64 and run.measured


def test_a_run_that_is_interrupted_goes_on_where_it_was(tmp_path):
    def begun():
        rf.manual_seed(1)
        model = mlp(rf).eval()  # whose dropout draws nothing
        return model, rf.optim.Adam(model.parameters(), lr=1e-3)

    def train(model, optimizer, steps):
        for k in steps:
            optimizer.zero_grad()
            rf.nn.functional.cross_entropy(model(x[k * 50 : k * 50 + 50]), y[k * 50 : k * 50 + 50]).backward()
            optimizer.step()

    x, y, _, _ = split(rf)
    whole, optimizer = begun()
    train(whole, optimizer, range(20))
    first, optimizer = begun()
    train(first, optimizer, range(10))
    rf.save({"model": first.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "run.safetensors")
    rf.manual_seed(99)
    second = mlp(rf).eval()
    optimizer = rf.optim.Adam(second.parameters(), lr=1e-3)
    kept = rf.load(tmp_path / "run.safetensors")
    second.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    train(second, optimizer, range(10, 20))
    for a, b in zip(whole.parameters(), second.parameters(), strict=True):
        assert a.tolist() == b.tolist()

"""Models that learn: digits by a small network and by a convolutional one, the course's own text character by
character; under PyTorch by changing one import."""

import io
import time

import numpy as np
import pytest

import rustyflow as rf

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")
tqdm = pytest.importorskip("tqdm.auto").tqdm


def split(lib):
    """Digits in a train and a test set, the same for both libraries."""
    x, y = (t.numpy() for t in rf.utils.data.sets.digits())
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:1400], order[1400:]
    return [lib.tensor(part) for part in (x[train], y[train], x[test], y[test])]


def mlp(lib):
    nn = lib.nn
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))


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


def accuracy(lib, make, epochs, seed):
    """What part of the test set is told right after some epochs."""
    lib.manual_seed(seed)
    x, y, tx, ty = split(lib)
    model = make(lib)
    loader = lib.utils.data.DataLoader(lib.utils.data.TensorDataset(x, y), batch_size=64, shuffle=True)
    optimizer = lib.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = lib.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    loss = lib.nn.CrossEntropyLoss()
    for _ in range(epochs):
        model.train()
        for xb, yb in loader:
            optimizer.zero_grad()
            loss(model(xb), yb).backward()
            optimizer.step()
        scheduler.step()
    model.eval()
    with lib.no_grad():
        return (model(tx).argmax(1) == ty).float().mean().item()


@pytest.mark.parametrize("make, epochs, wanted, seconds", [(mlp, 20, 0.97, 30), (convnet, 6, 0.985, 180)])
def test_digits_are_learned_as_well_as_under_pytorch(make, epochs, wanted, seconds):
    begin = time.process_time()
    ours = sorted(accuracy(rf, make, epochs, seed) for seed in (0, 1, 2))
    spent = (time.process_time() - begin) / 3
    theirs = sorted(accuracy(torch, make, epochs, seed) for seed in (0, 1, 2))
    print(f"{make.__name__}: {ours}, {theirs} under PyTorch, {spent:.1f} s of CPU each")
    assert ours[1] >= wanted and abs(ours[1] - theirs[1]) <= 0.01 and spent < seconds


def next_letter(lib, seed, bar):
    """What part of the letters of a text that was not learned from is foretold right, by a model of the rest."""
    text = rf.utils.data.sets.course()
    letters = sorted(set(text))
    numbers = lib.tensor([letters.index(letter) for letter in text])
    end, long, nn, data = len(numbers) * 9 // 10, 32, lib.nn, lib.utils.data

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.rnn = nn.Embedding(len(letters), 32), nn.GRU(32, 96, batch_first=True)
            self.head = nn.Linear(96, len(letters))

        def forward(self, x):
            return self.head(self.rnn(self.embed(x))[0])

    lib.manual_seed(seed)
    model = Model()
    optimizer = lib.optim.AdamW(model.parameters(), lr=1e-2)
    pieces = data.TensorDataset(numbers[:end].unfold(0, long + 1, 8))
    for _ in range(2):
        for (piece,) in tqdm(data.DataLoader(pieces, batch_size=32, shuffle=True), file=bar):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(piece[:, :-1]).flatten(0, 1), piece[:, 1:].flatten()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    with lib.no_grad():
        piece = numbers[end:].unfold(0, long + 1, long)
        return (model(piece[:, :-1]).argmax(-1) == piece[:, 1:]).float().mean().item()


def test_the_courses_text_is_learned_as_well_as_under_pytorch():
    bar = io.StringIO()
    begin = time.process_time()
    ours = sorted(next_letter(rf, seed, bar) for seed in (0, 1, 2))
    spent = (time.process_time() - begin) / 3
    theirs = sorted(next_letter(torch, seed, bar) for seed in (0, 1, 2))
    print(f"letters: {ours}, {theirs} under PyTorch, {spent:.1f} s of CPU each")
    assert ours[1] > 0.5 and abs(ours[1] - theirs[1]) <= 0.01 and "100%" in bar.getvalue()


def test_a_run_that_is_interrupted_goes_on_where_it_was(tmp_path):
    def begun():
        rf.manual_seed(1)
        model = mlp(rf)
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
    second = mlp(rf)
    optimizer = rf.optim.Adam(second.parameters(), lr=1e-3)
    kept = rf.load(tmp_path / "run.safetensors")
    second.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    train(second, optimizer, range(10, 20))
    for a, b in zip(whole.parameters(), second.parameters(), strict=True):
        assert a.tolist() == b.tolist()

"""utils.data: the same batches in the same order as PyTorch's from the same seed; and what it refuses."""

import io

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.utils import data


class Words(data.Dataset):
    def __getitem__(self, n):
        return {"n": n, "x": rf.ones(2) * n, "word": "abcde"[n], "pair": (n, float(n))}

    def __len__(self):
        return 5


class Stream(data.IterableDataset):
    def __iter__(self):
        return iter(range(5))


def lists(batches):
    return [b.tolist() if hasattr(b, "tolist") else [p.tolist() for p in b] for b in batches]


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": 3},
        {"batch_size": 3, "shuffle": True},
        {"batch_size": 2, "shuffle": True, "drop_last": True},
        {"batch_size": None},
        {"batch_size": None, "shuffle": True},
        {"sampler": [3, 1, 1]},
        {"sampler": np.array([3, 1, 1])},
        {"batch_sampler": [[0, 6], [2]]},
        {"shuffle": True, "seeded": 4},
    ],
    ids=str,
)
def test_batches_are_theirs_epoch_by_epoch(settings):
    torch = pytest.importorskip("torch")
    found = []
    for lib, ours in ((rf, data), (torch, torch.utils.data)):
        lib.manual_seed(11)
        named = {k: v for k, v in settings.items() if k != "seeded"}
        if "seeded" in settings:
            named["generator"] = lib.Generator().manual_seed(4)
        loader = ours.DataLoader(ours.TensorDataset(lib.arange(7), lib.arange(14.0).view(7, 2)), **named)
        found.append([lists(loader), lists(loader), len(loader), lib.rand(2).tolist()])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "make",
    [
        lambda lib, d: list(d.RandomSampler(range(5))),
        lambda lib, d: list(d.RandomSampler(range(5), True, 70)),
        lambda lib, d: list(d.SubsetRandomSampler([4, 7, 9])),
        lambda lib, d: [p.indices for p in d.random_split(range(9), [4, 5])],
        lambda lib, d: [p.indices for p in d.random_split(range(9), [0.5, 0.5])],
        lambda lib, d: list(d.WeightedRandomSampler([0.1, 0.9, 0.5], 8)),
    ],
)
def test_samplers_draw_as_theirs(make):
    torch = pytest.importorskip("torch")
    found = []
    for lib, ours in ((rf, data), (torch, torch.utils.data)):
        lib.manual_seed(2)
        found.append((make(lib, ours), lib.rand(1).tolist()))
    assert found[0] == found[1]


def test_examples_become_batches_part_by_part():
    batch = next(iter(data.DataLoader(Words(), batch_size=2)))
    assert batch["n"].tolist() == [0, 1] and batch["x"].tolist() == [[0, 0], [1, 1]] and batch["word"] == ["a", "b"]
    assert [part.tolist() for part in batch["pair"]] == [[0, 1], [0.0, 1.0]]
    assert lists(data.DataLoader(Stream(), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert lists(data.DataLoader([np.ones(2), np.zeros(2)], batch_size=2)) == [[[1, 1], [0, 0]]]
    assert next(iter(data.DataLoader(Words(), batch_size=3, collate_fn=len))) == 3


def test_parts_of_datasets():
    whole = Words() + Words()
    assert len(whole) == 10 and whole[7]["n"] == 2 and whole[-1]["n"] == 4
    with pytest.raises(IndexError):
        whole[10]
    part = data.Subset(whole, [9, 0])
    assert [x["n"] for x in (part[0], part[1])] == [4, 0]


@pytest.mark.parametrize(
    "call, error, said",
    [
        (lambda: data.DataLoader([], shuffle=True), ValueError, "num_samples"),
        (lambda: data.DataLoader([1], batch_size=0), ValueError, "positive integer"),
        (lambda: data.DataLoader([1], num_workers=-1), ValueError, "non-negative"),
        (lambda: data.ConcatDataset([[1], [2, 3]])[-4], ValueError, "should not exceed"),
        (lambda: data.DataLoader(Stream(), shuffle=True), ValueError, "shuffle"),
        (lambda: data.DataLoader([1], sampler=[0], shuffle=True), ValueError, "mutually exclusive"),
        (lambda: data.DataLoader([1], batch_sampler=[[0]], batch_size=3), ValueError, "mutually exclusive"),
        (lambda: next(iter(data.DataLoader([object()]))), TypeError, "collate_fn"),
        (lambda: data.random_split(range(3), [1, 1]), ValueError, "Sum of input lengths"),
        (lambda: data.TensorDataset([1, 2]), AttributeError, "holds tensors"),
        (lambda: data.random_split(range(3), 3), TypeError, "one for each part"),
        (lambda: list(data.DataLoader(5)), TypeError, "how many examples"),
        (lambda: data.TensorDataset(rf.ones(2), rf.ones(3)), AssertionError, "Size mismatch"),
        (lambda: data.DataLoader(type("D", (data.Dataset,), {})(), shuffle=True), TypeError, "length"),
    ],
)
def test_what_is_wrong_is_said(call, error, said):
    with pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)


def test_a_misspelt_setting_is_refused_and_examples_without_batches_are_converted():
    with pytest.raises(TypeError, match="bacth_size"):
        data.DataLoader([1], bacth_size=2)
    one = next(iter(data.DataLoader([(np.ones(2), {"n": np.float32(1)})], batch_size=None)))
    assert one[0].tolist() == [1, 1] and one[1]["n"].item() == 1
    with pytest.raises(RuntimeError, match="equal size"):
        next(iter(data.DataLoader([[1, 2], [3]], batch_size=2)))
    with pytest.raises(RuntimeError, match="TensorDataset"):
        next(iter(data.DataLoader((rf.ones(3, 2), rf.ones(3)), batch_size=2)))
    with pytest.raises(ValueError, match="from 0 to 1"):
        data.random_split(range(4), [1.5, -0.5])


def test_an_empty_loader_gives_nothing():
    assert list(data.DataLoader([])) == [] and len(data.DataLoader([])) == 0


def test_a_bar_knows_how_many_batches_there_are():
    tqdm = pytest.importorskip("tqdm").tqdm
    shown = io.StringIO()
    assert lists(tqdm(data.DataLoader(range(5), batch_size=2), file=shown)) == [[0, 1], [2, 3], [4]]
    assert "3/3" in shown.getvalue()


def test_the_words_of_the_course_are_there_without_a_download():
    text = data.sets.course()
    assert len(text) > 20_000 and "stride" in text and "```" not in text[:500]


def test_a_line_of_weights_a_letter_tells_glyphs_apart():
    x, y = data.sets.glyphs(1000, "ABCDEFGH", seed=1)
    assert x.shape == (1000, 1, 12, 12) and x.min() >= 0 and x.max() <= 1 and y.bincount().tolist() == [125] * 8
    again, other = (data.sets.glyphs(1000, "ABCDEFGH", seed=seed)[0] for seed in (1, 2))
    assert (x == again).all() and (x != other).any()
    means = rf.stack([x[:800][y[:800] == k].mean(0).flatten() for k in range(8)])
    told = (x[800:].flatten(1) @ means.mT - (means**2).sum(1) / 2).argmax(1)
    assert (told == y[800:]).float().mean() > 0.8


@pytest.mark.parametrize("wrong, rule", [
    ({"characters": "AA"}, "each of them once"), ({"characters": "a"}, "capital letters"), ({"characters": ""}, "once"),
    ({"n": 0}, "a picture"), ({"size": 4}, "five cells"),
])  # fmt: skip
def test_glyphs_say_what_they_take(wrong, rule):
    with pytest.raises(ValueError, match=rule):
        data.sets.glyphs(**{"n": 4, **wrong})

"""What a loader is made of stays as it was made; what may be set later takes effect; calls that do not fit are told."""

import copy
import pickle
import warnings

import pytest

import rustyflow as rf
from rustyflow.utils import data
from rustyflow.utils.data import DataLoader, TensorDataset, random_split

SET = {
    "dataset": range(3), "batch_size": 3, "sampler": [1, 0], "batch_sampler": [[0]], "drop_last": True,
    "persistent_workers": True, "num_workers": 2, "timeout": 1, "pin_memory": True, "prefetch_factor": 4,
    "shuffle": True, "worker_init_fn": print, "in_order": False, "own": 1,
}  # fmt: skip
SETTLED = {"dataset", "batch_size", "sampler", "batch_sampler", "drop_last", "persistent_workers"}


def loader_of(lib, **settings):
    return lib.utils.data.DataLoader(lib.utils.data.TensorDataset(lib.arange(6)), **settings)


@pytest.mark.parametrize("name", SET)
def test_what_is_settled_is_refused_with_what_to_write(name):
    loader = loader_of(rf, batch_size=2)
    if name in SETTLED:
        with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader .*\ntry: .*Data"):
            setattr(loader, name, SET[name])
    else:
        setattr(loader, name, SET[name])
        assert getattr(loader, name) == SET[name]
    assert [x.tolist() for (x,) in loader] == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("name", SET)
def test_pytorch_refuses_the_same(name):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        try:
            setattr(loader_of(lib, batch_size=2), name, SET[name])
            found.append(None)
        except ValueError as error:
            found.append(type(error).__mro__[-4:])
    assert found[0] == found[1]


@pytest.mark.parametrize("change, batches", [
    (lambda loader: setattr(loader, "collate_fn", len), [2, 2, 2]),
    (lambda loader: setattr(loader.batch_sampler, "batch_size", 4), [[0, 1, 2, 3], [4, 5]]),
    (lambda loader: setattr(loader.batch_sampler, "sampler", [5, 0, 1]), [[5, 0], [1]]),
    (lambda loader: setattr(loader.dataset, "tensors", (rf.arange(3),)), [[0, 1], [2]]),
])  # fmt: skip
def test_what_may_be_set_takes_effect(change, batches):
    loader = DataLoader(TensorDataset(rf.arange(6)), batch_size=2, collate_fn=lambda rows: [int(x) for (x,) in rows])
    change(loader)
    assert list(loader) == batches and len(loader) == len(batches)


def test_a_generator_that_is_set_later_draws_as_pytorchs():
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        loader = loader_of(lib, shuffle=True, batch_size=6)
        lib.manual_seed(1)
        loader.generator = loader.sampler.generator = lib.Generator().manual_seed(5)
        found.append([next(iter(loader))[0].tolist(), next(iter(loader))[0].tolist(), lib.rand(1).item()])
    assert found[0] == found[1]


def test_a_dataset_that_grows_is_shuffled_whole():
    examples = [0, 1]
    loader = DataLoader(examples, shuffle=True, batch_size=None)
    examples += [2, 3]
    assert sorted(loader) == [0, 1, 2, 3] and len(loader) == 4


def test_a_subclass_sets_its_own_before_it_is_made_and_copies_are_made():
    class Mine(DataLoader):
        def __init__(self, rows):
            self.batch_size = 7
            super().__init__(rows, batch_size=2)
    for loader in (Mine(range(4)), copy.copy(Mine(range(4))), pickle.loads(pickle.dumps(DataLoader(range(4), 2)))):
        assert [x.tolist() for x in loader] == [[0, 1], [2, 3]]
        with pytest.raises(ValueError, match=f"{type(loader).__name__} is initialized"):
            loader.batch_size = 3


@pytest.mark.parametrize("settings", [
    {}, {"batch_size": None}, {"batch_sampler": [[0, 1]]}, {"sampler": [2, 1]}, {"num_workers": 2},
    {"drop_last": True}, {"shuffle": True},
])  # fmt: skip
def test_settings_are_kept_as_pytorch_keeps_them(settings):
    torch = pytest.importorskip("torch")
    names = ("batch_size", "drop_last", "num_workers", "pin_memory", "timeout", "prefetch_factor", "persistent_workers",
             "in_order", "worker_init_fn")  # fmt: skip
    kept = [[*(getattr(loader, name) for name in names), type(loader.sampler).__name__,
             type(loader.batch_sampler).__name__]
            for loader in (loader_of(rf, **settings), loader_of(torch, **settings))]
    assert kept[0] == kept[1]


CALLS = [
    (lambda: random_split(range(3)), "random_split", "lengths"),
    (lambda: random_split(range(3), [1, 2], seed=1), "random_split", "generator"),
    (lambda: data.default_collate(), "default_collate", "batch"),
    (lambda: data.default_convert(), "default_convert", "data"),
    (lambda: data.get_worker_info(1), "get_worker_info", r"get_worker_info\(\)"),
    (lambda: data.Subset(range(3)), "Subset", "indices"),
    (lambda: data.BatchSampler(range(3)), "BatchSampler", "batch_size"),
    (lambda: DataLoader(range(3), batchsize=2), "DataLoader", "batch_size=2"),
    (lambda: DataLoader(range(3), num_workers="2"), "DataLoader", "num_workers=0"),
    (lambda: data.ConcatDataset(3), "ConcatDataset", r"ConcatDataset\(\[a, b\]\)"),
    (lambda: data.sets.moons(), "moons", "n, noise"),
    (lambda: data.sets.spirals(9, nosie=1), "spirals", "noise=1"),
    (lambda: data.sets.digits(3), "digits", r"digits\(\)"),
    (lambda: data.sets.moons("many"), "moons", "n, noise"),
    (lambda: data.sets.glyphs("many"), "glyphs", "n, characters"),
    (lambda: random_split(range(3), 2), "lengths", r"\[0.8, 0.2\]"),
    (lambda: random_split(range(3), ["a"]), "lengths", r"\[0.8, 0.2\]"),
]


@pytest.mark.parametrize("call, name, instead", CALLS)
def test_a_call_that_does_not_fit_has_a_rule_and_a_try(call, name, instead):
    with pytest.raises(TypeError, match=f"{name}(.|\n)*\nrule: .*\ntry: .*{instead}"):
        call()


@pytest.mark.parametrize("settings, said", [
    ({"prefetch_factor": 2}, "prefetch_factor"), ({"persistent_workers": True}, "persistent_workers"),
    ({"multiprocessing_context": "fork"}, "multiprocessing_context"), ({"num_workers": -1}, "num_workers"),
    ({"timeout": -1}, "timeout"), ({"batch_size": 0}, "batch_size"),
])
def test_settings_that_pytorch_refuses_are_refused(settings, said):
    with pytest.raises(ValueError, match=f"{said}.*\ntry: "):
        loader_of(rf, **settings)
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=said):
        loader_of(torch, **settings)


SPLITS = [(2, [0.9, 0.05, 0.05]), (0, [0.5, 0.5]), (3, [1, 0]), (1, [0.5, 0.5]), (4, [0.5, 0.5]), (3, [0, 3]),
          (5, [1]), (10, [0.7, 0.2, 0.1])]
SIZES = [[2, 0, 0], [0, 0], [3, 0], [1, 0], [2, 2], [0, 3], [5], [7, 2, 1]]
EMPTY = [[1, 2], [0, 1], [1], [1], [], [], [], []]


@pytest.mark.parametrize("split, sizes, empty", [*zip(SPLITS, SIZES, EMPTY, strict=True)])
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_a_part_that_a_fraction_leaves_empty_is_warned_of(split, sizes, empty, library):
    lib = pytest.importorskip(library)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        parts = pytest.importorskip(f"{library}.utils.data").random_split(range(split[0]), split[1])
    assert [len(part) for part in parts] == sizes
    assert [warning.category for warning in said] == [UserWarning] * len(empty) and lib
    assert all(f"at index {k} is 0" in str(warning.message) for k, warning in zip(empty, said, strict=True))


@pytest.mark.parametrize("lengths", [[-1, 4], [2, 2], [0.5, 0.4], [1.5, 1.5]])
def test_lengths_that_are_none_are_refused(lengths):
    with pytest.raises(ValueError, match="try: "):
        random_split(range(3), lengths)

"""save and load: what comes back, what is refused, and that a crash leaves a whole file."""

import builtins
import io
import os
import pickle

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.serialization import FileError

pytest.importorskip("safetensors")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "état.safetensors"


def test_a_tensor_comes_back_in_value_dtype_shape_and_flag(path):
    for name in "float64 float32 float16 int64 int32 int16 int8 uint8 bool".split():
        x = rf.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(rf, name))
        rf.save(x, path)
        y = rf.load(path)
        assert y.tolist() == x.tolist() and y.dtype is x.dtype and not y.requires_grad
    rf.save(rf.tensor(2.5, requires_grad=True), path)
    assert rf.load(path).item() == 2.5 and rf.load(path).requires_grad and rf.load(path).is_leaf


def test_views_are_saved_as_what_they_show(path):
    x = rf.arange(12).view(3, 4)
    views = {"t": x.t(), "part": x[1:, ::2], "row": x[0].expand(2, 4), "none": x[:0]}
    rf.save(views, path)
    back = rf.load(path)
    assert list(back) == list(views) and all(back[k].tolist() == v.tolist() and back[k].shape == v.shape
                                             and back[k].is_contiguous() for k, v in views.items())
    back["t"].zero_()
    assert x[0, 1] == 1


def test_a_state_is_any_nesting_of_dicts_lists_numbers_and_texts(path):
    state = {"model": {"0.weight": rf.ones(2), "0": {"weight": rf.zeros(1)}},
             "optim": {"state": {0: {"step": 3}}, "groups": [{"lr": 0.1, "betas": (0.9, 0.999), "params": [0]}]},
             "name": "café \N{SNOWMAN}", "best": float("inf"), "done": False, "none": None, "empty": [{}, ()]}
    rf.save(state, path)
    back = rf.load(path)
    assert back["model"]["0.weight"].tolist() == [1, 1] and back["model"]["0"]["weight"].tolist() == [0]
    assert {k: v for k, v in back.items() if k != "model"} == {k: v for k, v in state.items() if k != "model"}


def test_a_flat_state_is_a_safetensors_file_that_others_read_and_write(path):
    from safetensors.numpy import load_file, save_file
    rf.save({"w": rf.ones(2, 3), "b": rf.zeros(3)}, path)
    assert {k: v.shape for k, v in load_file(path).items()} == {"w": (2, 3), "b": (3,)}
    save_file({"x": np.arange(3)}, path)
    assert rf.load(path)["x"].tolist() == [0, 1, 2]


def test_files_opened_by_the_user():
    file = io.BytesIO()
    rf.save({"a": rf.ones(1)}, file)
    file.seek(0)
    assert rf.load(file)["a"].tolist() == [1]


@pytest.mark.parametrize("data",
                         [b"", b"hello", pickle.dumps({"a": 1}), b"PK\x03\x04 a zip", b"\xff" * 64,
                          (2**62).to_bytes(8, "little") + b"{}"])
def test_foreign_files_are_refused_and_never_run(path, data):
    path.write_bytes(data)
    with pytest.raises(RuntimeError) as caught:
        rf.load(path)
    assert "\nrule:" in str(caught.value) and "\ntry:" in str(caught.value)


def test_a_pickle_is_told_from_damage(path):
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(RuntimeError, match="run any code"):
        rf.load(path)


def test_damage_is_refused_wherever_it_is(path):
    rf.save({"weight": rf.arange(40.0), "n": 1}, path)
    whole = path.read_bytes()
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(RuntimeError):
            rf.load(path)


@pytest.mark.parametrize("tree",
                         ["[]", '{"tensor": "no"}', '{"dict": 3}', '{"code": "x"}', "{}", "nonsense",
                          '{"list": ' * 5000])
def test_metadata_that_says_nothing_is_refused(path, tree):
    from safetensors.numpy import save_file
    save_file({"a": np.ones(1)}, path, metadata={"rustyflow": tree})
    with pytest.raises(RuntimeError):
        rf.load(path)


def test_a_flag_that_does_not_fit_its_tensor_is_damage(path):
    rf.save(rf.ones(2, requires_grad=True), path)
    path.write_bytes(path.read_bytes().replace(b'"F32"', b'"I32"'))
    with pytest.raises(FileError):
        rf.load(path)


def test_what_holds_itself_is_not_saved(path):
    endless = [rf.ones(1)]
    endless.append(endless)
    with pytest.raises(ValueError, match="nothing holds itself"):
        rf.save(endless, path)
    assert not list(path.parent.iterdir())


def test_any_text_may_be_a_key(path):
    state = {"\ud800": rf.ones(1), "\\ud800": rf.zeros(1), "ä": {"": rf.ones(2)}}
    rf.save(state, path)
    back = rf.load(path)
    assert list(back) == list(state) and back["\ud800"].tolist() == [1] and back["\\ud800"].tolist() == [0]


@pytest.mark.parametrize("thing, place",
                         [({"a": [rf.ones(1), object()]}, "obj['a'][1]"), ({1.5: 1}, "obj"), (np.ones(2), "obj"),
                          ({"f": print}, "obj['f']")])
def test_what_cannot_be_saved_is_named_and_leaves_no_file(path, thing, place):
    with pytest.raises(TypeError) as caught:
        rf.save(thing, path)
    assert place in str(caught.value) and not list(path.parent.iterdir())


def test_the_formats_own_name_is_refused_for_a_tensor_and_free_for_the_rest(path):
    with pytest.raises(ValueError, match="obj\\['__metadata__'\\]\nrule:.*'__metadata__'.*\ntry:"):
        rf.save({"a": rf.ones(1), "__metadata__": rf.ones(1)}, path)
    assert not path.exists()
    rf.save({"__metadata__": 3, "a": {"__metadata__": rf.ones(1)}}, path)
    assert rf.load(path) == {"__metadata__": 3, "a": {"__metadata__": rf.ones(1)}}


def test_a_crash_leaves_the_old_file(path, monkeypatch):
    rf.save(rf.tensor(1), path)

    def crash(*args):
        raise OSError("disk full")
    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="disk full"):
        rf.save(rf.tensor(2), path)
    assert rf.load(path).item() == 1 and [p.name for p in path.parent.iterdir()] == [path.name]


def test_without_the_package_the_error_says_how_to_get_it(path, monkeypatch):
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *a,
                        **k: (_ for _ in ()).throw(ImportError(name)) if name.startswith("safetensors")
                        else real(name, *a, **k))
    with pytest.raises(RuntimeError, match="pip install safetensors"):
        rf.save(rf.ones(1), path)


def test_a_missing_file_is_pythons_own_error(path):
    with pytest.raises(FileNotFoundError):
        rf.load(path)

"""save and load: what comes back, what is refused, and that a crash leaves a whole file."""

import io
import os
import pickle
import sys
import zipfile

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.tensor.serialization import FileError

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


def test_strides_come_back_as_they_were(path):
    x = rf.arange(12.0).view(3, 4)
    for view in (x.t(), x[1:, ::2], x[0].expand(2, 4), x[:0], x[1], rf.ones(1).expand(10**9)):
        rf.save({"view": view}, path)
        back = rf.load(path)["view"]
        assert back.shape == view.shape and back.stride() == view.stride()
        assert back.storage_offset() == 0 and (back.numel() > 12 or back.equal(view)) and path.stat().st_size < 400
    wide = rf.zeros(1000, 100)[:, 0]
    rf.save(wide, path)
    assert rf.load(path).is_contiguous() and path.stat().st_size < 5000


def test_what_shares_memory_shares_it_again_and_is_written_once(path):
    x = rf.zeros(100, 100)
    views = {"t": x.t(), "x": x, "row": x[3], "part": x[1:, ::2]}
    rf.save(views, path)
    assert path.stat().st_size < 4 * 10**4 + 1000
    back = rf.load(path)
    assert list(back) == list(views)
    back["t"][5, 3] = 7
    assert back["x"][3, 5] == 7 and back["row"][5] == 7
    back["part"].fill_(2)
    assert back["x"][2, 4] == 2 and x.eq(0).all()


def test_views_of_one_memory_that_none_of_them_holds_share_it_again(path):
    x = rf.arange(12.0)
    rf.save([x[:5], x[4:9], x[::3]], path)
    first, second, third = rf.load(path)
    first[4] = -1
    second[2] = -2
    assert second[0] == -1 and third.tolist() == [0, 3, -2, 9]


def test_tied_weights_come_back_tied_and_parameters_as_parameters(path):
    w = rf.nn.Parameter(rf.ones(2, 2))
    rf.save({"in": w, "out": w, "frozen": rf.nn.Parameter(rf.zeros(1), False), "seen": w.detach()}, path)
    back = rf.load(path)
    assert back["in"] is back["out"] and type(back["in"]) is rf.nn.Parameter and back["in"].requires_grad
    assert type(back["frozen"]) is rf.nn.Parameter and not back["frozen"].requires_grad
    assert back["seen"].data_ptr() == back["in"].data_ptr() and type(back["seen"]) is rf.Tensor


@pytest.mark.parametrize("layout", [
    '["a", [9], [1], 0]', '["a", [2], [1], 3]', '["a", [2], [-1], 1]', '["b", [1], [1], 0]', '["a", [1], [1.5], 0]',
    "[]", '["a", [true], [1], 0]', '["a", [4611686018427387904], [4611686018427387904], 0]',
    '["a", [1, 1], [1], 0]', "3",
])
def test_no_layout_in_a_file_reads_past_its_memory(path, layout):
    from safetensors.numpy import save_file
    save_file({"a": np.ones(4)}, path, metadata={"rustyflow.layouts": f'{{"v": {layout}}}'})
    with pytest.raises(FileError):
        rf.load(path)


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


def _zipped(*names):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    return file.getvalue()


def _with_numpy(save, *things):
    file = io.BytesIO()
    save(file, *things)
    return file.getvalue()


@pytest.mark.parametrize("data, words", [
    (b"", "empty"), (pickle.dumps({"a": 1}), "run any code"), (pickle.dumps({"a": 1}, 2), "run any code"),
    (pickle.dumps({"a": 1}, 0), "run any code"), (_zipped("archive/data.pkl", "archive/data/0"), "run any code"),
    (_with_numpy(np.save, np.ones(2)), "numpy.save wrote"), (_with_numpy(np.savez, np.ones(2)), "numpy.savez wrote"),
    (_zipped("readme.txt"), "zip of other files"), (b"PK\x03\x04 cut off", "damaged zip"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
    (pickle.dumps(np.ones(2), 0), "run any code"), (pickle.dumps("text", 1), "run any code"), (b'{"a": 1}', "JSON"),
    (b"\x89PNG\r\n", "a picture"), (b"<!doctype html><title>404</title>", "page of the web"),
    (b"1.0 2.0\n3.0 4.0\n", "loadtxt"),
    (b"\x1f\x8b\x08\x00", "gunzip"), (b"\x89HDF\r\n\x1a\n", "HDF5"),
])
def test_a_file_of_another_kind_is_named_for_what_it_is(path, data, words):
    path.write_bytes(data)
    with pytest.raises(FileError, match=words) as said:
        rf.load(path)
    assert "damaged one" not in str(said.value)


def test_a_damaged_file_of_ours_is_no_pickle_whatever_the_length_of_its_header(path):
    for length in range(120, 140):
        path.write_bytes(length.to_bytes(8, "little") + b"{" + b" " * (length - 1))
        with pytest.raises(FileError, match="damaged one"):
            rf.load(path)


def test_a_file_opened_in_another_way_is_said(path):
    rf.save(rf.ones(1), path)
    for call in (lambda f: rf.save(rf.ones(1), f), lambda f: rf.load(io.StringIO("abc"))):
        with open(path, "rb") as file, pytest.raises(TypeError, match="opened for.*\n?.*try:|opened for"):
            call(file)
    with pytest.raises(FileError, match="invalid file name"):
        rf.save(rf.ones(1), str(path) + "\0x")


def test_a_file_of_pytorch_is_named_for_what_it_is(path):
    torch = pytest.importorskip("torch")
    for zipped in (True, False):
        torch.save({"w": torch.ones(2)}, path, _use_new_zipfile_serialization=zipped)
        with pytest.raises(FileError, match=r"torch\.save writes.*\ntry:.*save_file"):
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
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(RuntimeError, match=r"pip install .*\[io\]") as caught:
        rf.save(rf.ones(1), path)
    assert isinstance(caught.value, ImportError) and caught.value.name == "safetensors"


def test_a_missing_file_is_pythons_own_error(path):
    with pytest.raises(FileNotFoundError):
        rf.load(path)

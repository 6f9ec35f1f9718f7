"""Pickles of tensors: plain data, in which sharing and strides are kept, and which is checked when it is read."""
import copy
import pickle
import pickletools
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

import rustyflow as rf
from rustyflow.ops.pickling import restored_tensor


def total(x):
    return x.sum()


def again(x, protocol=None):
    return pickle.loads(pickle.dumps(x, protocol))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_sharing_strides_and_kinds_are_kept(protocol):
    x = rf.arange(12.0).view(3, 4)
    x.note = "mine"
    p = rf.nn.Parameter(rf.ones(2))
    a, b, c, d = again((x, x.t()[1:], p, rf.empty(0, 3)), protocol)
    a[0, 1] = 99
    assert b[0, 0] == 99 and b.stride() == (1, 4) and b.storage_offset() == 1 and a.note == "mine" and x[0, 1] == 1
    assert type(c) is rf.nn.Parameter and c.requires_grad and c.is_leaf and d.shape == (0, 3)


@pytest.mark.parametrize("name", "float64 float32 float16 int64 int32 int16 int8 uint8 bool".split())
def test_every_dtype(name):
    x = rf.tensor([0, 1, 1]).to(getattr(rf, name))
    assert again(x).equal(x) and again(x).dtype is x.dtype


def test_what_has_a_history_comes_back_as_a_leaf():
    w = rf.ones(2, requires_grad=True)
    y = again(w * 3)
    assert y.tolist() == [3, 3] and y.is_leaf and y.requires_grad and y._version == 0


def test_named_results_storages_and_what_describes_a_tensor():
    x = rf.tensor([[1, 5], [7, 2]])
    assert repr(again(x.max(1))) == repr(x.max(1)) and again(x.sort()).indices.equal(x.sort().indices)
    for thing in (x.shape, x.dtype, x.device, rf.Size([])):
        assert again(thing) == thing and type(again(thing)) is type(thing)
    for protocol in (0, 1, 5):
        assert again(x.device, protocol) == x.device and again(x.storage(), protocol).tolist() == [1, 5, 7, 2]
    assert again(x.untyped_storage()).nbytes() == 32
    whole, bits = again((x.float(), x.float().view(rf.int32)))
    assert whole.view(rf.int32).equal(bits)
    kept, seen = again([x, x.view(rf.uint8)])
    seen.fill_(0)
    assert kept.eq(0).all()


def test_other_processes_read_it():
    with ProcessPoolExecutor(1) as pool:
        assert [y.item() for y in pool.map(total, [rf.ones(3), rf.zeros(2)])] == [3, 0]
    told = subprocess.run([sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer)[0].values)"],
                          input=pickle.dumps([rf.tensor([3, 1]).sort()]), capture_output=True, check=True)
    assert told.stdout == b"tensor([1, 3])\n"


def test_a_pickle_names_no_code_but_two_readers():
    data = pickle.dumps(rf.ones(2), 2)
    named = {arg for op, arg, _ in pickletools.genops(data) if op.name == "GLOBAL"}
    assert named == {"rustyflow Tensor", "rustyflow.tensor.storage pickled", "rustyflow.ops.pickling restored_tensor",
                     "_codecs encode"}


@pytest.mark.parametrize("parts", [
    (rf.Tensor, None, "float32", (3,), (1,), 0, False), (rf.Tensor, None, "float32", (2,), (2,), 0, False),
    (rf.Tensor, None, "float32", (1,), (1,), 2, False), (rf.Tensor, None, "float32", (1,), (-1,), 1, False),
    (rf.Tensor, None, "float32", (2**62,), (2**62,), 0, False), (rf.Tensor, None, "complex64", (1,), (1,), 0, False),
    (rf.Tensor, None, "float32", (1,), (2**70,), 0, False), (rf.Tensor, None, "float32", {1: 2}, {1: 2}, 0, False),
    (rf.Tensor, None, "float32", None, (1,), 0, False), (rf.Tensor, None, "float32", (1.0,), (1,), 0, False),
    (rf.Tensor, None, "int32", (1,), (1,), 0, True),
    (dict, None, "float32", (1,), (1,), 0, False), (rf.Tensor, b"1234", "float32", (1,), (1,), 0, False),
])
def test_no_pickle_reads_past_a_storage(parts):
    kind, storage, *rest = parts
    with pytest.raises((TypeError, RuntimeError), match="rule: "):
        restored_tensor(kind, storage or rf.ones(2).untyped_storage(), *rest)


def test_copies_are_as_they_were():
    x = rf.ones(2, requires_grad=True)
    assert copy.copy(x).data_ptr() == x.data_ptr() != copy.deepcopy(x).data_ptr()
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 1)


def test_load_still_reads_no_pickle(tmp_path):
    (tmp_path / "x.pt").write_bytes(pickle.dumps(rf.ones(2)))
    with pytest.raises(RuntimeError, match="run any code"):
        rf.load(tmp_path / "x.pt")

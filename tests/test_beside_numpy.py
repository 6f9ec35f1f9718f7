"""The tensor beside NumPy, DLPack, buffers and copy: what is shared, what is copied, what PyTorch does."""

import contextvars
import copy
import runpy
import warnings

import numpy as np
import pytest

import rustyflow as rf
from rustyflow.backends.numpy import settings

a = np.array([1.0, 2.0, 3.0])
BESIDE = """np.sin(t) | np.add(t, a) | np.isnan(t) | np.matmul(t, t) | np.modf(t) | np.clip(t, 1, 2) | np.cumsum(t)
| np.transpose(t.view(1, 3)) | t * a | t - a | t / a | t ** a | t // a | t % a | t @ a | t + np.array(3.0)
| t * np.array(2) | a / t | t == a | a == t | a * t | a + t | a - t | a @ t | a // t | a < t | t < a
| np.float32(2) * t | t * np.float64(2) | t + np.int64(3) | np.float32(2) < t | np.float64(2) - g | np.float64(2) / t
| i * np.float64(2.5) | i + np.float32(2) | t * np.bool_(True) | np.sin(g) | g * a | np.asarray(g) | np.asarray(t)
| np.array(t, dtype='int32') | np.concatenate([t, t]) | np.linalg.norm(t) | t[np.array([0, 2])] | t[np.int64(1)]
| a[i] | np.stack([t, t]) | np.sqrt(i) | m.add(t, a) | t.mul(a) | np.add.reduce(t) | np.equal(t, a) | m.from_dlpack(a)
| m.from_dlpack(2) | np.from_dlpack(t) | np.from_dlpack(g) | m.from_dlpack(m.to_dlpack(t))
| m.frombuffer(bytearray(b'abcdabcd'), dtype=m.uint8, count=3, offset=2) | m.frombuffer(b'', dtype=m.int32)
| m.frombuffer(bytearray(5), dtype=m.int32) | m.frombuffer(2, dtype=m.int8) | copy.copy(g) | copy.copy(g * 2)
| np.float32(2) in t | np.int64(9) in i | np.bool_(True) in t | 'a' in t | None in t | a in t | g in t | 10**30 in t
| m.ones(2) in t | m.zeros(2, 1) in t | True in t
| copy.deepcopy(g) | copy.deepcopy(g * 2) | copy.deepcopy(t.view(1, 3).t()).stride()"""


def seen(m, text):
    """A result as its kind, dtype and numbers; an exception as its built-in type."""
    t, g, i = m.tensor([1.0, 2.0, 3.0]), m.tensor([1.0, 2.0, 3.0], requires_grad=True), m.tensor([0, 2, 1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(text, {"np": np, "copy": copy, "a": a, "m": m, "t": t, "g": g, "i": i})
    except Exception as error:
        return next(e.__name__ for e in type(error).__mro__ if e.__module__ == "builtins")
    return [(type(r).__name__, str(getattr(r, "dtype", "")).rpartition(".")[2],
             np.asarray(r.detach() if hasattr(r, "detach") else r).tolist())
            for r in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("text", [part.strip() for part in BESIDE.split("|")])
def test_numpy_beside_a_tensor_does_what_it_does_beside_pytorchs(text):
    assert seen(rf, text) == seen(pytest.importorskip("torch"), text)


def test_an_array_added_in_place_gives_a_new_tensor():
    x = y = rf.ones(3)
    x += a
    assert x.tolist() == [2, 3, 4] and x.dtype is rf.float64 and y.tolist() == [1, 1, 1]


def test_memory_is_shared_both_ways_by_every_road():
    array = np.zeros((2, 3))
    for made in (rf.from_numpy(array), rf.from_dlpack(array), rf.as_tensor(array)):
        made[0, 1] += 1
    assert array[0, 1] == 3
    x = rf.zeros(2, 3).t()[1:]
    for seen_as in (x.numpy(), np.asarray(x), np.from_dlpack(x), rf.from_dlpack(x).numpy(), x.detach().numpy()):
        assert np.shares_memory(seen_as, x.numpy()) and seen_as.strides == (4, 12)
    data = bytearray(8)
    rf.frombuffer(data, dtype=rf.int32).fill_(1)
    assert bytes(data) == b"\1\0\0\0" * 2


def test_np_array_and_other_dtypes_copy():
    x = rf.ones(2)
    for made in (np.array(x), np.asarray(x, dtype="float64"), np.asarray(x, copy=True),
                 rf.from_dlpack(x, copy=True).numpy()):
        assert not np.shares_memory(made, x.numpy())
    with pytest.raises(ValueError):
        np.asarray(x, dtype="float64", copy=False)


def test_dlpack_with_pytorch_itself():
    torch = pytest.importorskip("torch")
    x = rf.arange(6).view(2, 3).t()
    theirs = torch.from_dlpack(x)
    theirs[0, 0] = 7
    assert x[0, 0] == 7 and theirs.stride() == x.stride()
    back = rf.from_dlpack(theirs)
    back[1, 1] = 9
    assert x[1, 1] == 9 and rf.from_dlpack(torch.tensor([True, False])).tolist() == [True, False]


def test_copy_shares_and_deepcopy_keeps_what_was_shared_among_the_copied():
    x = rf.arange(6.0).view(2, 3)[:, 1:].requires_grad_()
    x.grad = rf.ones(2, 2)
    shallow, deep = copy.copy(x), copy.deepcopy(x)
    assert shallow is not x and shallow.data_ptr() == x.data_ptr() and shallow.requires_grad and shallow.grad is None
    assert deep.data_ptr() != x.data_ptr() and deep.requires_grad
    assert deep.stride() == x.stride() and deep.storage_offset() == 1
    assert deep.grad.tolist() == [[1, 1], [1, 1]] and deep.grad is not x.grad
    pair = copy.deepcopy({"a": (base := rf.zeros(4)), "b": base[2:], "again": base})
    pair["a"][2] = 5
    assert pair["b"][0] == 5 and pair["again"] is pair["a"] and base[2] == 0


@pytest.mark.parametrize("make", [rf.Tensor, type("Mine", (rf.Tensor,), {}), rf.nn.Parameter])
def test_a_copy_has_the_attributes_that_the_program_set(make):
    x = make(rf.ones(2))
    x.note, x.like = ["a"], x
    x.grad = rf.ones(2)
    shallow, deep = copy.copy(x), copy.deepcopy(x)
    assert type(shallow) is type(deep) is make
    assert shallow.note is x.note and shallow.like is x and shallow.grad is None
    assert deep.note == x.note and deep.note is not x.note and deep.like is deep


class Marked(rf.Tensor):
    """A tensor of a class of the program's own."""

    def doubled(self):
        return self * 2


def test_a_subclass_has_its_own_methods_and_what_ops_make_is_a_tensor():
    x = rf.ones(2, requires_grad=True)
    y = Marked(x)
    assert type(y) is Marked and y.data_ptr() == x.data_ptr()
    z = y.doubled()
    assert type(z) is type(y[0]) is rf.Tensor
    assert [node.name for node in rf.ir.graph(z)] == ["x", "y", "z"]
    z.sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_a_subclass_that_wants_a_say_in_ops_is_refused():
    with pytest.raises(NotImplementedError, match="ops ask no class"):
        class Interceptor(rf.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*args)


def test_a_parameter_is_a_leaf_that_says_so_and_stays_one_when_copied():
    w = rf.nn.Parameter(rf.tensor([1.0, 2.0]))
    assert isinstance(w, rf.Tensor) and w.is_leaf and w.requires_grad
    assert repr(w) == "Parameter containing:\ntensor([1., 2.], requires_grad=True)"
    assert type(w * 2) is rf.Tensor and type(copy.deepcopy(w)) is rf.nn.Parameter
    assert not rf.nn.Parameter(w, requires_grad=False).requires_grad
    (w * 3).sum().backward()
    assert w.grad.tolist() == [3, 3]
    with pytest.raises(TypeError):
        rf.nn.Parameter([1.0])


@pytest.mark.filterwarnings("ignore:.*found in sys.modules")
def test_arithmetic_is_silent_wherever_numpy_keeps_its_settings(monkeypatch):
    assert settings._settings is not None  # where NumPy keeps them now: in one variable of the context
    monkeypatch.setattr(contextvars, "copy_context", contextvars.Context)  # and as if it kept them elsewhere
    for silent in (settings.silent, runpy.run_module("rustyflow.backends.numpy.settings")["silent"]):
        with warnings.catch_warnings(), silent():
            warnings.simplefilter("error")
            assert np.isnan(np.float64(0) / np.zeros(1)).all()


def test_no_op_prints_a_numpy_warning_or_changes_numpys_settings():
    before = np.geterr()
    x = rf.tensor([0.0, -1.0, 1e38, float("inf"), float("nan")], requires_grad=True)
    F = rf.nn.functional
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (lambda: x / 0, lambda: x.log(), lambda: x * x, lambda: x.exp(), lambda: x.sqrt(), lambda: x % 0,
                  lambda: F.gelu(x), lambda: F.softmax(x, 0), lambda: F.softplus(x), lambda: F.normalize(x, dim=0),
                  lambda: F.layer_norm(x, (5,)), lambda: F.logsigmoid(x), lambda: F.elu(x), lambda: F.silu(x),
                  lambda: F.cross_entropy(x[None], rf.tensor([0]))):
            f().sum().backward()
        whole, small = rf.zeros(5, dtype=rf.int64), rf.zeros(5, dtype=rf.float16)
        for write in (lambda: whole.copy_(x), lambda: whole.fill_(x[4].detach()),
                      lambda: whole.__setitem__(slice(5), x), lambda: small.copy_(x),
                      lambda: rf.arange(0, 1e39, 1e38)):
            write()
    assert np.geterr() == before


@pytest.mark.parametrize("write", [
    lambda x: x.add_(1), lambda x: x.__setitem__(0, 1), lambda x: x.__setitem__(x > 1, 0.0), lambda x: x[1:].zero_(),
    lambda x: x.index_fill_(0, rf.tensor([0]), 1), lambda x: rf.exp(x, out=x), lambda x: x.normal_(),
], ids=["add_", "an index", "a mask", "a view", "index_fill_", "out=", "normal_"])
def test_memory_that_may_only_be_read_is_not_written(write):
    array = np.arange(3.0)
    array.flags.writeable = False
    with pytest.raises(RuntimeError, match="not writable"):
        write(rf.from_numpy(array))
    assert array.tolist() == [0.0, 1.0, 2.0] and rf.from_numpy(array).clone().add_(1).tolist() == [1.0, 2.0, 3.0]

"""An array that was unpickled, loaded, mapped or given metadata is an array like any other: its dtype is made NumPy's
own object where it comes in, and its memory is shared as ever.
"""
import copy
import io
from pickle import dumps, loads

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, optim, show

F = nn.functional
DTYPES = ["float32", "float64", "int64", "bool"]


def unpickled(array):
    made = loads(dumps(array))
    assert made.dtype is not np.dtype(made.dtype.name)
    return made


def described(array):
    """The same memory, with a dtype that carries metadata."""
    return array.view(np.dtype(array.dtype, metadata={"unit": "metre"}))


def numbers(dtype, *shape):
    return (np.arange(np.prod(shape)) * 7 % 5).reshape(shape).astype(dtype)


def trained(make, x):
    model = nn.Linear(3, 2).to(rf.float64)
    for k, p in enumerate(model.parameters()):
        p.data.copy_(rf.arange(p.numel()).view(p.shape) / 10 + k)
    optimizer = make(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        F.cross_entropy(model(x.double()), rf.from_numpy(again(np.array([1, 0])))).backward()
        optimizer.step()
    return model.weight.detach()


def again(array):
    """The array as it is tried: by default unpickled; `plain` sets it to be left alone."""
    return array if again.plain else unpickled(array)


again.plain = False


def saved(x):
    file = io.BytesIO()
    rf.save({"x": x}, file)
    file.seek(0)
    return rf.load(file)["x"]


def sent_back(x):
    leaf = x.double().requires_grad_()
    (leaf @ rf.from_numpy(again(np.arange(6.0).reshape(3, 2)))).square().sum().backward()
    return leaf.grad


CALLS = {
    "matmul": lambda x: x.long() @ rf.from_numpy(again(np.arange(6).reshape(3, 2))),
    "product": lambda x: x.float() @ rf.tensor(again(np.ones((3, 2), "float32"))),
    "add": lambda x: x + rf.from_numpy(again(np.ones((2, 3), "float32"))),
    "conv2d": lambda x: F.conv2d(x.float().view(1, 1, 2, 3), rf.from_numpy(again(np.ones((1, 1, 2, 2), "float32")))),
    "einsum": lambda x: rf.einsum("ij,kj->ik", x.double(), rf.tensor(again(np.ones((4, 3))))),
    "cat": lambda x: rf.cat([x, rf.from_numpy(again(np.ones((1, 3), "float32")))]),
    "stack": lambda x: rf.stack([x, x]),
    "where": lambda x: rf.where(rf.from_numpy(again(np.array([True, False, True]))), x, 1),
    "index": lambda x: x[rf.from_numpy(again(np.array([1, 0, 1])))],
    "index by an array": lambda x: x[again(np.array([1, 0])), again(np.array([2, 2]))],
    "mask": lambda x: x[again(np.array([[True, False, True], [False, True, True]]))],
    "write": lambda x: x.clone().index_put_((rf.tensor(again(np.array([0]))),), x[1]),
    "gather": lambda x: x.gather(1, rf.from_numpy(again(np.array([[2, 0], [1, 1]])))),
    "sort": lambda x: rf.sort(x.long(), dim=1).indices,
    "cumsum": lambda x: x.cumsum(0),
    "layer_norm": lambda x: F.layer_norm(x.double(), (3,), rf.from_numpy(again(np.ones(3)))),
    "cross_entropy": lambda x: F.cross_entropy(x.double(), rf.from_numpy(again(np.array([2, 0])))),
    "embedding": lambda x: F.embedding(x.long() % 2, rf.from_numpy(again(np.arange(6.0).reshape(2, 3)))),
    "backward": sent_back,
    "SGD": lambda x: trained(lambda p: optim.SGD(p, 0.1, momentum=0.9), x),
    "Adam": lambda x: trained(lambda p: optim.Adam(p, 0.1), x),
    "save and load": saved,
    "pickle": lambda x: loads(dumps(x)),
    "deepcopy": copy.deepcopy,
    "batch": lambda x: rf.utils.data.default_collate([again(x.numpy()), again(x.numpy())]),
    "out": lambda x: rf.add(x, 1, out=rf.from_numpy(again(np.zeros((2, 3))))),
    "storage": lambda x: rf.tensor(x.storage().tolist()),
    "NumPy's function": lambda x: np.add(x.double(), again(np.ones((2, 3)))),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_as_over_an_array_that_was_never_pickled(name, dtype):
    array = numbers(dtype, 2, 3)
    again.plain = True
    try:
        wanted = CALLS[name](rf.from_numpy(array.copy()))
    finally:
        again.plain = False
    for enter in (rf.tensor, rf.as_tensor, rf.from_numpy, rf.from_dlpack):
        for given in (unpickled(array), described(array)):
            found = CALLS[name](enter(given))
            assert found.dtype is wanted.dtype and found.tolist() == wanted.tolist()
            assert found._a.dtype is wanted.dtype.numpy


@pytest.mark.parametrize("draw", [
    lambda x: show.strides(x.t()), lambda x: show.broadcast(x, rf.ones(2, 1)),
    lambda x: show.matmul(x.float(), rf.ones(3, 2)), lambda x: show.reduce(x, "sum", 1),
    lambda x: show.op("conv2d", x.float().view(1, 1, 2, 3), rf.ones(1, 1, 2, 2)),
])
@pytest.mark.parametrize("dtype", DTYPES)
def test_figures_read_it_as_any_other(draw, dtype):
    array = numbers(dtype, 2, 3)
    shown = [draw(rf.from_numpy(given)) for given in (array, unpickled(array), described(array))]
    assert [*map(str, shown)] == [str(shown[0])] * 3


@pytest.mark.parametrize("draw", [
    lambda a: show.strides(a.T), lambda a: show.broadcast(a, np.ones((2, 1))), lambda a: show.reduce(a, "sum", 1),
])
@pytest.mark.parametrize("dtype", DTYPES)
def test_figures_take_the_array_itself(draw, dtype):
    array = numbers(dtype, 2, 3)
    assert str(draw(unpickled(array))) == str(draw(array))


@pytest.mark.parametrize("turned", [lambda a: a, lambda a: a.T, lambda a: a[1:, ::2], lambda a: a[:0],
                                    lambda a: a[1, 1:2].reshape(())])
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "uint8", "int32"])
def test_memory_is_shared_and_laid_out_as_it_was(turned, dtype):
    array = unpickled(numbers(dtype, 2, 3))
    part, alike = turned(array), turned(numbers(dtype, 2, 3))
    for enter in (rf.from_numpy, rf.as_tensor):
        x = enter(part)
        assert x.dtype is getattr(rf, dtype) and x.shape == part.shape
        assert not part.size or np.shares_memory(x.numpy(), array)
        assert x.stride() == rf.from_numpy(alike).stride() and x.tolist() == alike.tolist()
    x = rf.from_numpy(array)
    x[0, 0] = 1
    assert array[0, 0] == 1


def test_an_array_that_may_not_be_written_stays_so():
    array = unpickled(np.ones(3))
    array.flags.writeable = False
    with pytest.raises(RuntimeError):
        rf.from_numpy(array).add_(1)


def test_files_and_mapped_memory(tmp_path):
    w = rf.ones(3, 2)
    for k, array in enumerate([np.ones((2, 3), "float32"), unpickled(np.ones((2, 3), "float32"))]):
        one, several = tmp_path / f"{k}.npy", tmp_path / f"{k}.npz"
        np.save(one, array)
        np.savez(several, x=array)
        for found in (np.load(one), np.load(one, mmap_mode="r+"), np.load(several)["x"],
                      np.memmap(one, "float32", "r+", 128, (2, 3))):
            for enter in (rf.tensor, rf.from_numpy):
                assert (enter(found) @ w).tolist() == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("name", ["longlong", "long", "intc", "byte", "ubyte", "short", "intp"])
def test_numbers_that_c_calls_by_two_names_are_one_dtype(name):
    kind = np.dtype(name)
    ours = getattr(rf, kind.name)
    for x in (rf.tensor(np.ones(3, kind)), rf.from_numpy(np.ones(3, kind)), rf.tensor(kind.type(1)).expand(3)):
        assert x.dtype is ours and (x + rf.ones(3, dtype=ours)).tolist() == [2, 2, 2]
        assert rf.equal(x, rf.ones(3, dtype=ours))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i4"])
def test_another_byte_order_is_refused_as_in_pytorch(dtype):
    array = np.ones(3, np.dtype(dtype).newbyteorder("S"))
    for given in (array, array.copy(), described(array)):
        for enter in (rf.tensor, rf.from_numpy, rf.as_tensor):
            with pytest.raises(ValueError, match="byte order different from the native byte order"):
                enter(given)
        swapped = given.astype(given.dtype.newbyteorder("="))  # as the error says
        assert (rf.from_numpy(swapped) @ rf.from_numpy(np.ones(3, dtype))).item() == 3


def test_a_field_of_a_record():
    table = loads(dumps(np.zeros(2, [("a", "f4"), ("b", "f4")])))
    assert rf.from_numpy(table["b"]).stride() == (2,)
    assert (rf.tensor(table["b"]) + rf.ones(2)).tolist() == [1.0, 1.0]

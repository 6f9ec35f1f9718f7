"""The tensor beside others: NumPy's functions and operators, DLPack, buffers, and Python's copy.

NumPy reads a tensor as the array that `numpy()` gives, and its functions hand back tensors, as with PyTorch: np.sin(t)
is a tensor, and NumPy's bools come back as uint8. A tensor that requires grad turns NumPy down, because NumPy records
nothing.
"""
from __future__ import annotations

import sys
from copy import deepcopy
from typing import Any

import numpy as np

from ..arguments.call import shown
from ..dtype import as_dtype
from ..errors import ArgumentTypeError, ArgumentValueError, GradError, ShapeError, TensorError
from ..errors.foreign import is_torch, kind_of, needs, role_of, sized, stranger, way_across
from ..tensor import Tensor, alias_of, over, storage_of
from .creation import creator, from_numpy
from .creation.foreign import read

_WRITES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")


class ExportError(TensorError, BufferError):
    """A tensor that cannot be handed out as memory."""


def _array_wrap(self, array, context=None, return_scalar=False):
    """The tensor over a result that NumPy computed from this tensor."""
    array = np.asarray(array)
    return from_numpy(array.astype(np.uint8) if array.dtype == bool else array)


def _dlpack(self, **how):
    """The memory as a DLPack capsule, for another library to share.

    Raises:
        ExportError (a BufferError): the tensor requires grad.
    """
    if self.requires_grad:
        raise ExportError("x.__dlpack__() on a tensor that requires grad", "Can't export tensors that require gradient",
                          "use x.detach()")
    storage_of(self)
    return self._a.__dlpack__(**how)


def _dlpack_device(self):
    """The place of the memory, in DLPack's terms: on the CPU."""
    return self._a.__dlpack_device__()


def attributes(x: Tensor) -> dict:
    """The attributes that the program has set on a tensor."""
    return {name: value for name, value in vars(x).items() if name not in ("_grad", "_waived")}


def _copy(self):
    """copy.copy: another leaf over the same memory, with the same attributes of the program's own."""
    out = alias_of(self, type(self))
    vars(out).update(attributes(self))
    return out.requires_grad_() if self.requires_grad else out


def _deepcopy(self, memo):
    """copy.deepcopy: a leaf over a copy of the whole storage, which copies of the same storage share.

    Raises:
        GradError (a RuntimeError): the result of an operation, whose history cannot be copied.
    """
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise GradError(f"deepcopy of a tensor made by {self.grad_fn.name()}",
                        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol",
                        "deepcopy(x.detach())")
    storage = storage_of(self)
    if id(storage) not in memo:
        memo[id(storage)] = storage.clone()
        memo.setdefault(id(memo), []).append(storage)  # kept alive, so that no other object takes its id
    out = over(memo[id(storage)], self._a.shape, self.stride(), self._offset, type(self))
    if self.requires_grad:
        out.requires_grad_()
    memo[id(self)] = out
    vars(out).update(deepcopy(attributes(self), memo))
    if self.grad is not None:
        out.grad = deepcopy(self.grad, memo)
    return out


def _torch_function(func, types, args=(), kwargs=None):
    """The question of PyTorch's before a function of its own runs on our tensors: none can read them.

    Raises:
        ArgumentTypeError (a TypeError): always, so that PyTorch's operators leave theirs to ours.
    """
    name, given = getattr(func, "__name__", str(func)), (*args, *(kwargs or {}).values())
    ours = sys.modules["rustyflow"]
    homes = {"rustyflow": ours, "rustyflow.nn.functional": ours.nn.functional}
    here = next((f"{home}.{name}" for home, module in homes.items() if hasattr(module, name)), "")
    here = here if stranger(given) is None else "rustyflow.from_dlpack(p) of PyTorch's tensor p"
    raise ArgumentTypeError(f"PyTorch's {name}{shown(given)}",
                            f"{name}(): an argument of PyTorch's must be torch.Tensor, not rustyflow.Tensor",
                            f"{here}, or " * bool(here) + "torch.from_dlpack(x.detach()) of ours x: both share the "
                            "memory; x.item() for one number", instead=here)


for _name, _function in {"__array_wrap__": _array_wrap, "__dlpack__": _dlpack, "__dlpack_device__": _dlpack_device,
                         "__copy__": _copy, "__deepcopy__": _deepcopy}.items():
    _function.__name__ = _function.__qualname__ = _name
    setattr(Tensor, _name, _function)
Tensor.__torch_function__ = staticmethod(_torch_function)


def _beside_arrays(name, form):
    """An operator that lets an array's own operator take over, or, for == and /, meets the array as a tensor."""
    def method(self, other):
        if not isinstance(other, np.ndarray):
            return form(self, other)
        if name in ("__eq__", "__ne__"):
            return form(self, from_numpy(other))
        return self.reciprocal() * other if name == "__rtruediv__" else NotImplemented
    method.__name__ = method.__qualname__ = name
    return method


for _name in ("__eq__", "__ne__", "__rtruediv__", *[f"__i{name}__" for name in _WRITES]):
    setattr(Tensor, _name, _beside_arrays(_name, getattr(Tensor, _name)))


class _Capsule:
    """A DLPack capsule as an object that can be asked for it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **how):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def _foreign(x: Any, copy: bool | None) -> np.ndarray:
    """The array over another library's tensor; for PyTorch's by way of NumPy, as DLPack drops the negative bit."""
    if not is_torch(x):
        try:
            return np.from_dlpack(x)
        except Exception as error:
            raise ExportError(sized(x), f"its memory cannot be shared: {error}", way_across(x)) from None
    if copy is False and set(needs(x)) - {"detach"}:
        raise ExportError(f"from_dlpack of a {sized(x)}, copy=False", "it can be read by way of a copy alone",
                          f"leave copy out; {way_across(x)}")
    return read(x, ExportError)


@creator
def from_dlpack(ext_tensor: Any, *, device=None, copy=None) -> Tensor:
    """A tensor over the memory of another library's array: anything with `__dlpack__`, or a capsule.

    PyTorch's tensors that do not lie in memory as their numbers are read by way of a copy, as by `tensor`; a history is
    left behind.

    Raises:
        ShapeError (a RuntimeError): neither of these. ExportError (a BufferError): an array of no numbers, a tensor
            that cannot be read, or, with copy=False, one that is read by way of a copy.
    Source: https://pytorch.org/docs/stable/dlpack.html

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> a = np.zeros(2)
        >>> t = rf.from_dlpack(a); a[0] = 5; t
        tensor([5., 0.], dtype=rustyflow.float64)
    """
    if isinstance(ext_tensor, Tensor):
        ext_tensor.__dlpack__()
        ext_tensor = ext_tensor.numpy()
    elif is_torch(ext_tensor) or role_of(ext_tensor) == "tensor" and hasattr(ext_tensor, "__dlpack__"):
        ext_tensor = _foreign(ext_tensor, copy)
    if isinstance(ext_tensor, np.ndarray):
        if ext_tensor.dtype.kind not in "biufc" or not ext_tensor.dtype.isnative:
            raise ExportError(f"from_dlpack of an array of {ext_tensor.dtype}", "DLPack only supports signed/unsigned "
                              "integers, float and complex dtypes, in native byte order",
                              "an array of numbers, e.g. array.astype('float32')")
    else:
        if not hasattr(ext_tensor, "__dlpack__"):
            if type(ext_tensor).__name__ != "PyCapsule":
                raise ShapeError(f"from_dlpack({kind_of(ext_tensor)})",
                                 "from_dlpack received an invalid capsule: it takes an array with __dlpack__, or an "
                                 "unused capsule", "rustyflow.tensor(data) copies any data", value=ext_tensor)
            ext_tensor = _Capsule(ext_tensor)
        ext_tensor = np.from_dlpack(ext_tensor)
    return from_numpy(ext_tensor.copy() if copy else ext_tensor)


@creator
def to_dlpack(tensor: Tensor) -> Any:
    """The memory as a DLPack capsule, to be used once.

    Source: https://pytorch.org/docs/stable/dlpack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.from_dlpack(rf.to_dlpack(rf.tensor([1., 2.])))
        tensor([1., 2.])
    """
    return tensor.detach().__dlpack__(max_version=(1, 0))  # in which it is said that it may be written to


@creator
def frombuffer(buffer: Any, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor:
    """A tensor over the memory of a buffer, such as bytes or a bytearray.

    It has `count` cells (as many as there are, when negative) from byte `offset` on.
    Raises:
        ArgumentValueError (a ValueError): no buffer, or one of another length than whole cells fill.
    Source: https://pytorch.org/docs/stable/generated/torch.frombuffer.html

    Example:
        >>> import rustyflow as rf
        >>> rf.frombuffer(bytearray([1, 0, 2, 0]), dtype=rf.int16)
        tensor([1, 2], dtype=rustyflow.int16)
    """
    d = as_dtype(dtype)
    try:
        n = memoryview(buffer).nbytes
    except TypeError:
        raise ArgumentValueError(f"frombuffer({kind_of(buffer)})",
                                 "object does not implement Python buffer protocol.",
                                 "bytes, a bytearray, a memoryview, an array", value=buffer) from None
    room = n - offset
    if not n or not count:
        raise ArgumentValueError(f"a buffer of {n} bytes, count={count}",
                                 f"both buffer length ({n}) and count ({count}) must not be 0",
                                 "rustyflow.empty(0) for nothing")
    if not 0 <= offset < n or (room % d.itemsize if count < 0 else count * d.itemsize > room):
        raise ArgumentValueError(f"a buffer of {n} bytes, offset={offset}, count={count}, {d.itemsize} bytes a cell",
                                 "buffer length after offset must be a multiple of element size, and hold count cells",
                                 "give count, or another dtype")
    out = from_numpy(np.frombuffer(buffer, d.numpy, count, offset))
    return out.requires_grad_() if requires_grad else out

"""New tensors: from data, filled, counted, or over somebody else's memory."""
from __future__ import annotations

import builtins
from math import ceil
from operator import index as as_int
from typing import Any

import numpy as np

from . import dtype as dt
from .backends import backend
from .dtype import as_dtype, dtype, get_default_dtype
from .errors import AbsentError, ArgumentTypeError, ArgumentValueError, ShapeError
from .ops.registry import expose
from .tensor import Tensor, wrap


def creator(f):
    """Expose a creation function as rustyflow.name, and to gradients as F.name."""
    expose(f.__name__, f, method=False)
    return f


def finish(array, requires_grad: bool = False, device: Any = None, layout: Any = None, pin_memory: bool = False) -> Tensor:
    """A tensor over a fresh array, after the arguments that every creation function shares.

    Raises:
        AbsentError (a NotImplementedError): a device other than the CPU.
    """
    if device is not None and str(device).split(":")[0] != "cpu":
        raise AbsentError(f"device={str(device)!r}", "rustyflow computes on the CPU only", "leave device out, or device='cpu'")
    out = wrap(array)
    return out.requires_grad_() if requires_grad else out


def shape_of(size, name: str) -> tuple[int, ...]:
    """Sizes given as numbers, a list, a tuple or a Size.

    Raises:
        ArgumentTypeError (a TypeError): not whole numbers. ShapeError (a RuntimeError): a negative one.
    """
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    try:
        shape = tuple([as_int(n) for n in size])
    except TypeError:
        raise ArgumentTypeError(f"{name}{tuple(size)!r}", f"{name}(): sizes must be whole numbers", f"e.g. rustyflow.{name}(2, 3)") from None
    if any(n < 0 for n in shape):
        raise ShapeError(f"{name}{shape}", f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}", "sizes are 0 or more")
    return shape


def _depth(data, path=()) -> tuple[int, ...]:
    """The shape of nested sequences.

    Raises:
        ArgumentValueError (a ValueError): rows of different lengths; names the first that differs.
    """
    if isinstance(data, Tensor):
        return tuple(data.shape)
    if isinstance(data, np.ndarray):
        return data.shape
    if not isinstance(data, (list, tuple)):
        return ()
    if not data:
        return (0,)
    first = _depth(data[0], (*path, 0))
    for k, row in enumerate(data[1:], 1):
        other = _depth(row, (*path, k))
        if other != first:
            at = "".join(f"[{i}]" for i in (*path, k))
            raise ArgumentValueError(f"data{''.join(f'[{i}]' for i in (*path, 0))} has shape {first}, data{at} has shape {other}",
                                     f"expected sequence of length {first[0] if first else 1} at dim {len(path) + 1} (got {other[0] if other else 1}): all rows are equally long",
                                     "pad the short rows, or leave the long ones out")
    return (len(data), *first)


def _plain(data):
    return data.tolist() if isinstance(data, Tensor) else [_plain(d) for d in data] if isinstance(data, (list, tuple)) else data


def _leaves(data):
    for d in data:
        if isinstance(d, (list, tuple)):
            yield from _leaves(d)
        else:
            yield d


def infer_dtype(data) -> dtype:
    """The dtype PyTorch gives to data: bool, int64, or the default float; that of arrays and tensors is theirs.

    Raises:
        ArgumentTypeError (a TypeError): something that is no number.
    """
    best = None
    for d in _leaves(data) if isinstance(data, (list, tuple)) else (data,):
        if isinstance(d, builtins.bool):
            here = dt.bool
        elif isinstance(d, builtins.int):
            here = dt.int64
        elif isinstance(d, builtins.float):
            here = get_default_dtype()
        elif isinstance(d, (np.ndarray, np.generic, Tensor)):
            here = as_dtype(d.dtype)
        elif isinstance(d, complex):
            raise AbsentError(f"tensor({d!r})", "rustyflow has no complex dtypes", "keep real and imaginary parts in two tensors")
        else:
            raise ArgumentTypeError(f"tensor(...{d!r}...)", f"{'too many dimensions' if isinstance(d, str) else 'Could not infer dtype of'} {type(d).__name__!r}",
                                    "a tensor holds numbers and bools", value=d) if not isinstance(d, str) else \
                ArgumentValueError(f"tensor({d!r})", f"too many dimensions {type(d).__name__!r}", "a tensor holds numbers and bools")
        best = here if best is None else dt.promote_types(best, here)
    return best or get_default_dtype()


@creator
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A new tensor holding a copy of the data: numbers, nested lists, arrays or tensors.

    Raises:
        ArgumentValueError (a ValueError): rows of different lengths. ArgumentTypeError (a TypeError): something that is no number.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1, 2, 3], [4, 5, 6]]).shape
        rustyflow.Size([2, 3])
    """
    d = as_dtype(dtype) if dtype is not None else None
    if isinstance(data, Tensor):
        return finish(backend.cast(backend.dense(data._a), (d or data.dtype).numpy), requires_grad, device)
    if isinstance(data, (np.ndarray, np.generic)):
        return finish(backend.from_data(data, (d or as_dtype(data.dtype)).numpy), requires_grad, device)
    if isinstance(data, (range, set, dict)) or (hasattr(data, "__array__") and not isinstance(data, (list, tuple))):
        data = np.asarray(data).tolist() if hasattr(data, "__array__") else list(data)
    shape = _depth(data)
    d = d or infer_dtype(data)
    if not isinstance(data, (list, tuple)):
        infer_dtype(data)
    try:
        with np.errstate(all="ignore"):
            return finish(backend.from_data(_plain(data), d.numpy).reshape(shape), requires_grad, device)
    except OverflowError:
        raise ShapeError(f"tensor({str(data)[:60]}, dtype={d!r})", "value cannot be converted to type without overflow", "use a wider dtype") from None


@creator
def as_tensor(data, dtype=None, device=None) -> Tensor:
    """The tensor itself, or one over the array's own memory where no conversion is needed; else a copy.

    Source: https://pytorch.org/docs/stable/generated/torch.as_tensor.html

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> a = np.zeros(2); t = rf.as_tensor(a); a[0] = 5; t[0].item()
        5.0
    """
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or as_dtype(data.dtype) is dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


@creator
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the array's own memory, with its shape and strides.

    Raises:
        ArgumentTypeError (a TypeError): no array, or a dtype rustyflow lacks. ArgumentValueError (a ValueError): negative strides.
    Source: https://pytorch.org/docs/stable/generated/torch.from_numpy.html

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> rf.from_numpy(np.arange(6).reshape(2, 3).T).stride()
        (1, 3)
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"from_numpy({type(array).__name__})", f"expected np.ndarray (got {type(array).__name__})", "rustyflow.tensor(data) copies any data")
    as_dtype(array.dtype)
    if not array.dtype.isnative:
        raise ArgumentValueError(f"an array of dtype {array.dtype}", "given numpy array has byte order different from the native byte order", "array.astype(array.dtype.newbyteorder('='))")
    if any(s < 0 for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides}", "At least one of the strides is negative: tensors with negative strides are not supported", "array.copy()")
    if any(s % array.itemsize for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides} bytes", f"strides must be multiples of the item size {array.itemsize}", "array.copy()")
    return _over_array(array)


def _over_array(array) -> Tensor:
    """A tensor over foreign memory: its storage is what the array reaches, from its first cell on, as PyTorch's is."""
    from .layout import extent
    from .storage import Storage
    stride = backend.stride(array)
    n = extent(array.shape, stride)[1]
    out = wrap(array.view() if array.__class__ is np.ndarray else np.asarray(array))
    out._storage = Storage(np.ndarray((0,), array.dtype) if 0 in array.shape else np.lib.stride_tricks.as_strided(array.reshape(-1)[:1] if array.ndim == 0 else
                           array[(0,) * (array.ndim - 1)][:1] if array.ndim else array, (n,), (array.itemsize,), writeable=array.flags.writeable))
    return out


@creator
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of one value; its dtype follows the value.

    Source: https://pytorch.org/docs/stable/generated/torch.full.html

    Example:
        >>> import rustyflow as rf
        >>> rf.full((2,), 7)
        tensor([7, 7])
    """
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    d = as_dtype(dtype) if dtype is not None else infer_dtype(value)
    return finish(backend.filled(shape_of((size,) if isinstance(size, (tuple, list)) else size, "full"), value, d.numpy), requires_grad, device)


def _constant(name, value, size, dtype, device, requires_grad):
    d = as_dtype(dtype) if dtype is not None else get_default_dtype()
    return finish(backend.filled(shape_of(size, name), value, d.numpy), requires_grad, device)


@creator
def zeros(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of zeros.

    Source: https://pytorch.org/docs/stable/generated/torch.zeros.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return _constant("zeros", 0, size, dtype, device, requires_grad)


@creator
def ones(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """A tensor of ones.

    Source: https://pytorch.org/docs/stable/generated/torch.ones.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2)
        tensor([1., 1.])
    """
    return _constant("ones", 1, size, dtype, device, requires_grad)


@creator
def empty(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None) -> Tensor:
    """A tensor whose values are not promised; here they are zeros, so that no run differs from another.

    Source: https://pytorch.org/docs/stable/generated/torch.empty.html

    Example:
        >>> import rustyflow as rf
        >>> rf.empty(2, 3).shape
        rustyflow.Size([2, 3])
    """
    return _constant("empty", 0, size, dtype, device, requires_grad)


def _like(name, value, input, dtype, device, requires_grad):
    """A tensor like another, with its order of axes where that is dense, as in PyTorch."""
    from .layout import is_dense
    d = as_dtype(dtype) if dtype is not None else input.dtype
    stride = backend.stride(input._a)
    out = backend.filled(input._a.shape, value, d.numpy)
    if is_dense(input._a.shape, stride) and not input.is_contiguous():
        order = sorted(range(len(stride)), key=lambda k: -stride[k])
        out = backend.permute(backend.filled(tuple(input._a.shape[k] for k in order), value, d.numpy), sorted(range(len(order)), key=order.__getitem__))
    return finish(out, requires_grad, device)


@creator
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None) -> Tensor:
    """Zeros of another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.zeros_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros_like(rf.tensor([1, 2]))
        tensor([0, 0])
    """
    return _like("zeros_like", 0, input, dtype, device, requires_grad)


@creator
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None) -> Tensor:
    """Ones of another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.ones_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones_like(rf.zeros(2))
        tensor([1., 1.])
    """
    return _like("ones_like", 1, input, dtype, device, requires_grad)


@creator
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None) -> Tensor:
    """One value in another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.full_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.full_like(rf.zeros(2), 7)
        tensor([7., 7.])
    """
    return _like("full_like", fill_value, input, dtype, device, requires_grad)


@creator
def arange(start, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """Numbers from start (0 when only one is given) up to, not including, end.

    Raises:
        ShapeError (a RuntimeError): a step of 0, or one that leads away from end.
    Source: https://pytorch.org/docs/stable/generated/torch.arange.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(1, 7, 2)
        tensor([1, 3, 5])
    """
    first, last = (0, start) if end is None else (start, end)
    first, last, by = (n.item() if isinstance(n, Tensor) else n for n in (first, last, step))
    if by == 0 or (last - first) * by < 0 or not all(abs(n) < float("inf") for n in (first, last)):
        raise ShapeError(f"arange({first}, {last}, {by})", "step must be nonzero" if by == 0 else "upper bound and lower bound inconsistent with step sign",
                         "a positive step to go up, a negative one to go down")
    d = as_dtype(dtype) if dtype is not None else infer_dtype([first, last, by])
    n = max(0, ceil((last - first) / by))
    if d.category == 1:
        return finish((np.arange(n, dtype=np.int64) * int(by) + int(first)).astype(d.numpy), requires_grad, device)
    return finish((first + np.arange(n, dtype=np.float64) * by).astype(d.numpy), requires_grad, device)


@creator
def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """`steps` numbers from start to end, both included.

    Source: https://pytorch.org/docs/stable/generated/torch.linspace.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000])
    """
    first, last = (n.item() if isinstance(n, Tensor) else n for n in (start, end))
    if steps < 0:
        raise ShapeError(f"linspace(..., steps={steps})", "number of steps must be non-negative", "steps of 0 or more")
    d = as_dtype(dtype) if dtype is not None else get_default_dtype()
    k, real = np.arange(steps), d.numpy if d.is_floating_point else np.float64
    step = np.dtype(real).type((last - first) / (steps - 1)) if steps > 1 else np.dtype(real).type(0)
    low, high = np.dtype(real).type(first), np.dtype(real).type(last)
    # PyTorch counts the upper half down from the end, so that both ends are exact
    values = np.where(k < steps // 2 if steps > 1 else k == 0, low + step * k.astype(real), high - step * (steps - 1 - k).astype(real))
    return finish(values.astype(d.numpy), requires_grad, device)


@creator
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False) -> Tensor:
    """Ones on the diagonal of an (n, m) tensor of zeros.

    Source: https://pytorch.org/docs/stable/generated/torch.eye.html

    Example:
        >>> import rustyflow as rf
        >>> rf.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    shape = shape_of((n, n if m is None else m), "eye")
    return finish(np.eye(*shape, dtype=(as_dtype(dtype) if dtype is not None else get_default_dtype()).numpy), requires_grad, device)

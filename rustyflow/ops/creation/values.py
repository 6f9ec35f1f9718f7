"""Tensors from data: numbers, nested lists, arrays (copied, or over their own memory)."""
from __future__ import annotations

import builtins

import numpy as np

from ...arguments.numbers import fits, fitted, number
from ...backends import backend
from ...dtype import NAMED as dt, as_dtype, get_default_dtype
from ...errors import AbsentError, ArgumentTypeError, ArgumentValueError, NumberError, kind_of, warn, wrong_type
from ...layout import extent
from ...tensor import Tensor, holding, need_cpu, wrap
from .arguments import creator, finish, refuse_absent
from .foreign import read
from .nested import NUMBERS, common, need_integer, plain, survey


@creator
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A new tensor holding a copy of the data: numbers, nested lists, arrays or tensors.

    The dtype follows the data: bool, int64 or the default float for Python's numbers, their own for arrays and tensors.
    Another library's tensor is copied without its history; so is one of PyTorch's that is sparse, quantised, or of
    bfloat16 or float8, which become float32.
    Differs from PyTorch, where rows beside an empty first one are dropped: here all are equally long.
    Raises: ArgumentValueError (a ValueError): rows of different lengths, a number too large. ArgumentTypeError (a
    TypeError), DTypeError (a RuntimeError): something that is no number, a nested or complex tensor. GradError (a
    RuntimeError): a gradient for whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1, 2, 3], [4, 5, 6]]).shape
        rustyflow.Size([2, 3])
    """
    d = as_dtype(dtype) if dtype is not None else None
    if device is not None:
        need_cpu(device)
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use x.detach().clone() or "
             "x.detach().clone().requires_grad_(True), rather than tensor(x).")
        data = data._a
    elif hasattr(data, "__array__") and not isinstance(data, (np.ndarray, np.generic)):
        data = read(data)
    elif isinstance(data, np.generic) and d is not None:
        need_integer(data, d)
        data = data.item()
    if isinstance(data, (np.ndarray, np.generic, backend.Array)):
        own = as_dtype(data.dtype)
        if isinstance(data, (np.ndarray, np.generic)):
            data = canonical(np.asarray(data))
        array = backend.quiet().run(backend.copied, data, (d or own).numpy)
        return finish(array, requires_grad, device, pin_memory=pin_memory)
    shape, kinds = survey(data, asked=d)
    own = common(kinds, data, d)
    if 0 in shape:
        data = []
    elif not kinds <= NUMBERS:
        data = plain(data)
    try:
        array = backend.quiet().run(_array, data, (d or own), own).reshape(shape)
        return finish(array, requires_grad, device, pin_memory=pin_memory)
    except OverflowError:
        if d is not None and d.is_floating_point:
            raise NumberError(f"tensor({data!r:.60})", "int too large to convert to float", "float('inf')") from None
        raise ArgumentValueError(f"tensor({data!r:.60})", "Overflow when unpacking long long: a whole number has at "
                                 "most 64 bits", "write it as a float") from None


def _array(data, d, own):
    """The data as an array of dtype d, converted by way of its own dtype.

    So 1.7 becomes the integer 1, and overflow is noticed.
    """
    if d.category != 1 and d.category >= own.category or d is own:
        return backend.from_data(data, d.numpy)
    a = backend.from_data(data, dt.float64.numpy if own.category == 2 else own.numpy)
    kind = builtins.int if own.category < 2 else builtins.float
    if d.category == 1 and a.size and not all(fits(kind(end), d) for end in (a.min(), a.max())):
        return np.array([fitted("tensor", n, d) for n in np.array(data, object).flat], d.numpy)  # one of them raises
    return a.astype(d.numpy)


@creator
def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A number as a tensor with no axes, in the default dtype.

    Raises:
        ArgumentTypeError (a TypeError): no number.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.scalar_tensor(2)
        tensor(2.)
    """
    if isinstance(s, np.ndarray):
        raise wrong_type("scalar_tensor", "s", s, "Number", "rustyflow.tensor(...) for lists and arrays")
    d = get_default_dtype() if dtype is None else dtype
    refuse_absent(layout, pin_memory)
    return tensor(number("scalar_tensor", "s", s), dtype=d, device=device, requires_grad=requires_grad)


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor holding a copy of the data, in this tensor's dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.new_tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(1).new_tensor([1, 2])
        tensor([1., 2.])
    """
    return tensor(data, dtype=self.dtype if dtype is None else dtype, device=device, requires_grad=requires_grad)


Tensor.new_tensor = new_tensor


@creator
def as_tensor(data, *, dtype=None, device=None) -> Tensor:
    """The tensor itself, or one over the array's own memory where no conversion is needed; else a copy.

    Another library's tensor is copied as by `tensor`.

    Source: https://pytorch.org/docs/stable/generated/torch.as_tensor.html

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> a = np.zeros(2); t = rf.as_tensor(a); a[0] = 5; t[0].item()
        5.0
    """
    need_cpu(device)
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(as_dtype(dtype))
    if isinstance(data, np.ndarray) and (dtype is None or as_dtype(data.dtype) is dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


@creator
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the array's own memory, with its shape and strides.

    Differs from PyTorch: an array that is not writable gives a tensor that cannot be written to, and no warning.
    Raises: ArgumentTypeError (a TypeError): no array, or a dtype rustyflow lacks. ArgumentValueError (a ValueError):
    negative strides.
    Source: https://pytorch.org/docs/stable/generated/torch.from_numpy.html

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> rf.from_numpy(np.arange(6).reshape(2, 3).T).stride()
        (1, 3)
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"from_numpy({kind_of(array)})",
                                f"expected np.ndarray (got {kind_of(array)})",
                                "rustyflow.tensor(data) copies any data", value=array)
    if backend.Array is not np.ndarray:
        raise AbsentError("from_numpy under another backend", f"the {backend.name} backend cannot share NumPy's memory",
                          "rustyflow.tensor(array) copies it; or rustyflow.backends.use('numpy')")
    array = canonical(array)
    if any(s % array.itemsize for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides} bytes",
                                 f"strides must be multiples of the item size {array.itemsize}", "array.copy()")
    return _over_array(array)


def canonical(array: np.ndarray) -> np.ndarray:
    """The array over the same memory, with the dtype object that NumPy and every op know.

    An array that was unpickled, or has metadata, has an equal dtype that is another object; int64 has two names in C.
    Here every array comes in, so that behind this door dtypes are compared by `is`.

    Raises:
        ArgumentTypeError (a TypeError): a dtype rustyflow lacks. ArgumentValueError: see `check_layout`.

    Example:
        >>> from pickle import dumps, loads
        >>> a = loads(dumps(np.ones(2)))
        >>> a.dtype is np.dtype(float), canonical(a).dtype is np.dtype(float), np.shares_memory(a, canonical(a))
        (False, True, True)
    """
    own = as_dtype(array.dtype).numpy
    check_layout(array)
    return array if array.dtype is own else array.view(own)


def check_layout(array: np.ndarray) -> None:
    """Refuse an array that no tensor can be laid out like, to be copied as well, as PyTorch does.

    Raises:
        ArgumentValueError (a ValueError): another byte order, negative strides.
    """
    if not array.dtype.isnative:
        raise ArgumentValueError(f"an array of dtype {array.dtype}",
                                 "given numpy array has byte order different from the native byte order",
                                 "array.astype(array.dtype.newbyteorder('='))")
    if any(s < 0 for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides}", "At least one of the strides is negative: "
                                 "tensors with negative strides are not supported", "array.copy()")


def _over_array(array) -> Tensor:
    """A tensor over foreign memory: its storage is what the array reaches, from its first cell on, as PyTorch's is."""
    out = wrap(array.view() if array.__class__ is np.ndarray else np.asarray(array))
    if array.flags.c_contiguous:
        reached = out._a.reshape(-1)
    else:
        n = extent(array.shape, backend.stride(array))[1]
        start = out._a[(0,) * array.ndim + (...,)].reshape(1)
        reached = np.lib.stride_tricks.as_strided(start, (n,), (array.itemsize,), writeable=array.flags.writeable)
    out._storage = holding(reached)
    return out

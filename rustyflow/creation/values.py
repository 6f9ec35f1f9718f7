"""Tensors from data: numbers, nested lists, arrays (copied, or over their own memory)."""
from __future__ import annotations

import builtins

import numpy as np

from ..backends import backend
from ..dtype import NAMED as dt, OF_PYTHON, as_dtype, dtype, get_default_dtype, promote_types
from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError, DTypeError
from ..layout import extent
from ..scalars import fits
from ..storage import Storage
from ..tensor import Tensor, wrap
from ..warn import warn
from .arguments import creator, finish

_NUMBERS = {builtins.bool, builtins.int, builtins.float}


def survey(data, path=()) -> tuple[tuple[int, ...], set]:
    """The shape of nested sequences, and the types (or dtypes) of what is in them.

    Raises:
        ArgumentValueError (a ValueError), ArgumentTypeError (a TypeError): rows of different lengths or depths; names
        the first that differs.

    Example:
        >>> survey([[1, 2], [3, 4]]) == ((2, 2), {int})
        True
    """
    if _is_sequence(type(data)):
        shape, kinds = survey(_listed(data), path)
        return shape, {type(data), *kinds}
    if not isinstance(data, (list, tuple)):
        whole = isinstance(data, (Tensor, np.ndarray, np.generic))
        return (tuple(data.shape), {as_dtype(data.dtype)}) if whole else ((), {type(data)})
    kinds = set(map(type, data))
    if len(path) == 64:
        raise ArgumentValueError("a list in more than 64 others", f"too many dimensions '{type(data).__name__}': an "
                                 "array has at most 64 axes", "fewer brackets; a list that holds itself has no end")
    if kinds <= _NUMBERS:
        return (len(data),), kinds
    first, found = None, set()
    for k, row in enumerate(data):
        # a tensor is a row beside rows, and one number where it comes first
        shape, kinds = ((), {_alone(row).dtype}) if isinstance(row, Tensor) and not first else survey(row, (*path, k))
        if first is None:
            first = shape
        elif shape != first:
            _common(found | kinds, data)  # what is no number is said first
            raise _ragged(path, k, first, shape)
        found |= kinds
    return (len(data), *first), found


def _is_sequence(kind: type) -> builtins.bool:
    """Whether a type is one of Python's other sequences: a range, a deque, an array.array."""
    return (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
            and not issubclass(kind, (list, tuple, str, bytes, dict, Tensor, np.ndarray, np.generic)))


def _listed(data) -> list | tuple:
    """A sequence as a list, by its length: one that answers to every index would never end."""
    return data if isinstance(data, (list, tuple)) else [data[k] for k in range(len(data))]


def _alone(x: Tensor) -> Tensor:
    """A tensor in a list, which stands for its one number, without its history."""
    if x.requires_grad:
        warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior: tensor([x]) "
             "holds its number without its gradient. Write rustyflow.stack([x]), which keeps it, or x.detach().")
    if x._a.size != 1:
        wrong, rule = (ArgumentValueError, "only one element tensors can be converted to Python scalars")
        if not x.dtype.is_floating_point:
            wrong, rule = (ArgumentTypeError, "only integer tensors of a single element can be converted to an index")
        raise wrong(f"a list with a tensor of shape {tuple(x._a.shape)}", rule,
                    "rustyflow.stack(tensors), or rustyflow.cat(tensors) for one behind the other")
    return x


def _ragged(path, k, first, shape) -> ArgumentTypeError | ArgumentValueError:
    """The error for a row that differs from the first: a TypeError where it is deeper, a ValueError where longer."""
    at, start = ("".join(f"[{i}]" for i in (*path, j)) for j in (k, 0))
    was = f"data{start} has shape {first}, data{at} has shape {shape}"
    for depth, (wanted, got) in enumerate(zip(first, shape), len(path) + 1):
        if wanted != got:
            return ArgumentValueError(was, f"expected sequence of length {wanted} at dim {depth} (got {got}): all rows "
                                           "are equally long", "pad the short rows, or leave the long ones out")
    rule = "not a sequence" if len(first) > len(shape) else "must be real number, not list"
    return ArgumentTypeError(was, f"{rule}: all rows are equally deep",
                             "write every row with the same brackets")


def infer_dtype(data) -> dtype:
    """The dtype PyTorch gives to data: bool, int64, or the default float; that of arrays and tensors is theirs.

    Raises:
        ArgumentTypeError, ArgumentValueError, DTypeError (a TypeError, ValueError, RuntimeError, as PyTorch): something
        that is no number.

    Example:
        >>> infer_dtype([1, 2.5]), infer_dtype([True])
        (rustyflow.float32, rustyflow.bool)
    """
    return _common(survey(data)[1], data)


def _common(kinds: set, data) -> dtype:
    best = None
    for kind in kinds:
        if kind is builtins.float:
            here = get_default_dtype()
        elif kind in OF_PYTHON:
            here = OF_PYTHON[kind]
        elif isinstance(kind, dtype):
            here = kind
        elif _is_sequence(kind):
            continue
        else:
            raise _no_number(kind, data)
        best = here if best is None else promote_types(best, here)
    return best or get_default_dtype()


def _no_number(kind: type, data) -> Exception:
    was = f"tensor({data!r:.60})"
    if issubclass(kind, complex):
        return AbsentError(was, "rustyflow has no complex dtypes", "keep real and imaginary parts in two tensors")
    if issubclass(kind, str):
        first = data
        while isinstance(first, (list, tuple)):
            first = first[0]
        deeper = isinstance(first, str) and first is not data  # one more axis to PyTorch, which counts them there
        wrong, rule = ((ArgumentValueError, "too many dimensions 'str'") if deeper
                       else (ArgumentTypeError, "new(): invalid data type 'str'"))
        return wrong(was, rule, "a tensor holds numbers and bools")
    if issubclass(kind, bytes):
        return ArgumentTypeError(was, "new(): invalid data type 'bytes'", "list(data), for the numbers of its bytes")
    return DTypeError(was, f"Could not infer dtype of {kind.__name__}",
                      "a tensor holds numbers and bools: pass a list, a number or an array")


def _plain(data):
    if isinstance(data, (list, tuple)) or _is_sequence(type(data)):
        data = _listed(data)
        rows = len(data) and isinstance(data[0], (list, tuple, np.ndarray))
        return [d.item() if isinstance(d, Tensor) and not rows else _plain(d) for d in data]
    return data.tolist() if isinstance(data, (Tensor, np.ndarray)) else data


@creator
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A new tensor holding a copy of the data: numbers, nested lists, arrays or tensors.

    The dtype follows the data: bool, int64 or the default float for Python's numbers, their own for arrays and tensors.
    Raises: ArgumentValueError (a ValueError): rows of different lengths, a number too large. ArgumentTypeError (a
    TypeError), DTypeError (a RuntimeError): something that is no number. GradError (a RuntimeError): a gradient for
    whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1, 2, 3], [4, 5, 6]]).shape
        rustyflow.Size([2, 3])
    """
    d = as_dtype(dtype) if dtype is not None else None
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use x.detach().clone() or "
             "x.detach().clone().requires_grad_(True), rather than tensor(x).")
        data = data._a
    elif hasattr(data, "__array__") and not isinstance(data, (np.ndarray, np.generic)):
        data = np.asarray(data)
    if isinstance(data, (np.ndarray, np.generic, backend.Array)):
        own = as_dtype(data.dtype)
        array = backend.quiet().run(backend.copied, data, (d or own).numpy)
        return finish(array, requires_grad, device, pin_memory=pin_memory)
    shape, kinds = survey(data)
    own = _common(kinds, data)
    if not kinds <= _NUMBERS:
        data = _plain(data)
    try:
        array = backend.quiet().run(_array, data, (d or own), own).reshape(shape)
        return finish(array, requires_grad, device, pin_memory=pin_memory)
    except OverflowError:
        if d is None or d.itemsize == 8:
            raise ArgumentValueError(f"tensor({data!r:.60})", "Overflow: a whole number has at most 64 bits",
                                     "write it as a float") from None
        raise _too_large(f"tensor({data!r:.60}, dtype={d!r})", d) from None


def _array(data, d, own):
    """Whole numbers from other numbers go by way of those, so that 1.7 becomes 1 and what does not fit is seen."""
    if d.category != 1 and d.category >= own.category or d is own:
        return backend.from_data(data, d.numpy)
    a = backend.from_data(data, dt.float64.numpy if own.category == 2 else own.numpy)
    kind = builtins.int if own.category < 2 else builtins.float
    if d.category == 1 and a.size and not all(fits(kind(end), d) for end in (a.min(), a.max())):
        raise _too_large(f"tensor({data!r:.60}, dtype={d!r})", d)
    return a.astype(d.numpy)


def _too_large(was: str, d: dtype) -> DTypeError:
    return DTypeError(was, f"value cannot be converted to type {d.name} without overflow", "use a wider dtype")


@creator
def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A number as a tensor with no axes, in the default dtype.

    Raises:
        ArgumentTypeError (a TypeError): no number.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.scalar_tensor(2)
        tensor(2.)
    """
    if survey(s)[0] or isinstance(s, np.ndarray):
        raise ArgumentTypeError(f"scalar_tensor({s!r})",
                                f"scalar_tensor(): argument 's' (position 1) must be Number, not {type(s).__name__}",
                                "rustyflow.tensor(...) for lists and arrays")
    return tensor(s, dtype=get_default_dtype() if dtype is None else dtype, device=device, requires_grad=requires_grad)


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
        raise ArgumentTypeError(f"from_numpy({type(array).__name__})",
                                f"expected np.ndarray (got {type(array).__name__})",
                                "rustyflow.tensor(data) copies any data")
    if backend.Array is not np.ndarray:
        raise AbsentError("from_numpy under another backend", f"the {backend.name} backend cannot share NumPy's memory",
                          "rustyflow.tensor(array) copies it; or rustyflow.backends.use('numpy')")
    as_dtype(array.dtype)
    if not array.dtype.isnative:
        raise ArgumentValueError(f"an array of dtype {array.dtype}",
                                 "given numpy array has byte order different from the native byte order",
                                 "array.astype(array.dtype.newbyteorder('='))")
    if any(s < 0 for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides}", "At least one of the strides is negative: "
                                 "tensors with negative strides are not supported", "array.copy()")
    if any(s % array.itemsize for s in array.strides):
        raise ArgumentValueError(f"an array with strides {array.strides} bytes",
                                 f"strides must be multiples of the item size {array.itemsize}", "array.copy()")
    return _over_array(array)


def _over_array(array) -> Tensor:
    """A tensor over foreign memory: its storage is what the array reaches, from its first cell on, as PyTorch's is."""
    n = extent(array.shape, backend.stride(array))[1]
    out = wrap(array.view() if array.__class__ is np.ndarray else np.asarray(array))
    reached = np.ndarray((0,), array.dtype)
    if array.size:
        start = array[(0,) * array.ndim + (...,)].reshape(1)
        reached = np.lib.stride_tricks.as_strided(start, (n,), (array.itemsize,), writeable=array.flags.writeable)
    out._storage = Storage(reached)
    return out

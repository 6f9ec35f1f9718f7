"""Nested sequences as data: their shape, the types of their items, and errors for those that are no tensor."""
from __future__ import annotations

import builtins
from functools import cache
from itertools import islice

import numpy as np

from ...dtype import NAMED as dt, OF_PYTHON, as_dtype, dtype, get_default_dtype, promote_types
from ...errors import AbsentError, ArgumentTypeError, ArgumentValueError, DTypeError, kind_of, role_of, warn
from ...tensor import Tensor
from .foreign import read

NUMBERS = {builtins.bool, builtins.int, builtins.float}


def survey(data, path=(), asked: dtype | None = None, loose=False) -> tuple[tuple[int, ...], set]:
    """The shape of nested sequences, and the types (or dtypes) of their items; `asked` is the dtype wanted.

    The first rows decide the shape. Where these hold no numbers there is nothing to read, so other rows may differ, as
    `loose` says of these data.

    Raises:
        ArgumentValueError (a ValueError), ArgumentTypeError (a TypeError): rows of different lengths or depths; names
        the first that differs.

    Example:
        >>> survey([[1, 2], [3, 4]]) == ((2, 2), {int})
        True
    """
    if not isinstance(data, (list, tuple)):
        if role_of(data) == "tensor":
            data = read(data)
        if _is_sequence(type(data)):
            shape, kinds = survey(_listed(data), path, asked, loose)
            return shape, {type(data), *kinds}
        if isinstance(data, np.generic):
            need_integer(data, asked)
        whole = isinstance(data, (Tensor, np.ndarray, np.generic))
        return (tuple(data.shape), {as_dtype(data.dtype)}) if whole else ((), {type(data)})
    kinds = set(map(type, data))
    if len(path) == 64:
        raise ArgumentValueError("a list in more than 64 others", f"too many dimensions '{kind_of(data)}': an "
                                 "array has at most 64 axes", "fewer brackets; a list that holds itself has no end",
                                 value=data)
    if kinds <= NUMBERS:
        return (len(data),), kinds or {builtins.float}
    first, found = None, set()
    for k, row in enumerate(data):
        # a tensor is a row beside other rows, but one number in first place
        shape, kinds = (((), {_alone(row, asked).dtype}) if isinstance(row, Tensor) and not first
                        else survey(row, (*path, k), asked, loose))
        if first is None:
            first, loose = shape, loose or 0 in shape
        elif shape != first and not loose:
            common(found | kinds, data, asked)  # raises for an item that is no number
            raise _ragged(path, k, first, shape)
        found |= kinds
    return (len(data), *first), found


@cache
def _is_sequence(kind: type) -> builtins.bool:
    """True if a type is one of Python's other sequences: a range, a deque, an array.array."""
    has = {name for base in kind.__mro__ for name in vars(base)}  # not those of its metaclass, which an enum has
    return ({"__getitem__", "__len__"} <= has
            and not issubclass(kind, (list, tuple, str, bytes, dict, Tensor, np.ndarray, np.generic)))


def _listed(data) -> list | tuple:
    """A sequence as a list of the length that it states: one that accepts every index would never end.

    Raises:
        ArgumentValueError (a ValueError): one that cannot be read.
    """
    try:
        return data if isinstance(data, (list, tuple)) else [*islice(data, len(data))]
    except Exception as error:
        raise ArgumentValueError(f"tensor({data!r:.60})", "could not determine the shape of object type "
                                 f"'{kind_of(data)}': {error}", "a list of its numbers", value=data) from None


def _alone(x: Tensor, asked: dtype | None) -> Tensor:
    """A tensor in a list, checked: it stands for its one number, without history.

    The number must be whole for an integer dtype.
    """
    if x.requires_grad:
        warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior: tensor([x]) "
             "holds its number without its gradient. Write rustyflow.stack([x]), which keeps it, or x.detach().")
    whole = not (x.dtype if asked is None else asked).is_floating_point
    if x._a.size != 1 or whole and x.dtype.is_floating_point:
        wrong, rule = (ArgumentValueError, "only one element tensors can be converted to Python scalars")
        if whole:
            wrong, rule = (ArgumentTypeError, "only integer tensors of a single element can be converted to an index")
        raise wrong(f"a list with a tensor of shape {tuple(x._a.shape)}, {x.dtype!r}", rule,
                    f"x.item(), or x.to({asked!r})" if x._a.size == 1 else
                    "rustyflow.stack(tensors), or rustyflow.cat(tensors) for one behind the other")
    return x


def need_integer(value: np.generic, asked: dtype | None) -> None:
    """Refuses a NumPy scalar that is not whole where an integer dtype is asked for.

    But for float64, which is a Python float.

    Raises:
        ArgumentTypeError (a TypeError).
    """
    if asked is not None and not asked.is_floating_point and not isinstance(value, builtins.float):
        if value.dtype.kind not in ("iu" if asked.category else "biu"):
            raise _no_such_number(f"{value!r:.60}", f"numpy.{type(value).__name__}", asked)


def _ragged(path, k, first, shape) -> ArgumentTypeError | ArgumentValueError:
    """The error for a row that differs from the first: a TypeError where it is deeper, a ValueError where longer."""
    at, start = ("".join(f"[{i}]" for i in (*path, j)) for j in (k, 0))
    was = f"data{start} has shape {first}, data{at} has shape {shape}"
    for depth, (wanted, got) in enumerate(zip(first, shape), len(path) + 1):
        if wanted != got:
            return ArgumentValueError(was, f"expected sequence of length {wanted} at dim {depth} (got {got}): all rows "
                                           "are equally long", "pad the short rows, or leave the long ones out")
    rule = "not a sequence" if len(first) > len(shape) else "must be real number, not list"
    return ArgumentTypeError(was, f"{rule}: all rows are equally deep", "write every row with the same brackets")


def infer_dtype(data) -> dtype:
    """The dtype that PyTorch gives to data: bool, int64 or the default float for numbers, their own for arrays and
    tensors.

    Raises:
        ArgumentTypeError, ArgumentValueError, DTypeError (a TypeError, ValueError, RuntimeError, as PyTorch): something
        that is no number.

    Example:
        >>> infer_dtype([1, 2.5]), infer_dtype([True])
        (rustyflow.float32, rustyflow.bool)
    """
    return common(survey(data)[1], data)


def common(kinds: set, data, asked: dtype | None = None) -> dtype:
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
        elif issubclass(kind, (builtins.int, builtins.float)):  # such as an IntEnum
            here = dt.int64 if issubclass(kind, builtins.int) else get_default_dtype()
        else:
            raise _no_number(kind, data, asked)
        best = here if best is None else promote_types(best, here)
    return best or get_default_dtype()


def _no_such_number(was: str, kind: str, asked: dtype) -> ArgumentTypeError:
    rule = f"must be real number, not {kind}" if asked.is_floating_point else \
        f"'{kind}' object cannot be interpreted as an integer"
    return ArgumentTypeError(f"tensor({was}, dtype={asked!r})", rule, "a tensor holds numbers and bools; leave dtype "
                             "out to see which it takes them for")


def _no_number(kind: type, data, asked: dtype | None) -> Exception:
    was = f"tensor({data!r:.60})"
    if issubclass(kind, complex) and asked is None:
        return AbsentError(was, "rustyflow has no complex dtypes", "keep real and imaginary parts in two tensors")
    if issubclass(kind, str):
        first = data
        while isinstance(first, (list, tuple)) and first:
            first = first[0]
        deeper = isinstance(first, str) and first is not data  # one more axis to PyTorch, which counts them there
        wrong, rule = ((ArgumentValueError, "too many dimensions 'str'") if deeper
                       else (ArgumentTypeError, "new(): invalid data type 'str'"))
        return wrong(was, rule, "a tensor holds numbers and bools")
    if issubclass(kind, bytes):
        return ArgumentTypeError(was, "new(): invalid data type 'bytes'", "list(data), for the numbers of its bytes")
    if asked is not None:
        return _no_such_number(f"{data!r:.60}", kind.__name__, asked)
    return DTypeError(was, f"Could not infer dtype of {kind.__name__}",
                      "a tensor holds numbers and bools: pass a list, a number or an array")


def plain(data):
    if role_of(data) == "tensor":
        data = read(data)
    if isinstance(data, (list, tuple)) or _is_sequence(type(data)):
        data = _listed(data)
        rows = len(data) and isinstance(data[0], (list, tuple, np.ndarray))
        return [d.item() if isinstance(d, Tensor) and not rows else plain(d) for d in data]
    return data.tolist() if isinstance(data, (Tensor, np.ndarray)) else data

"""x[...] = v: written into x's own memory."""
from __future__ import annotations

from numbers import Integral

from ... import layout as rules
from ...arguments.kinds import no_complex
from ...arguments.numbers import fitted
from ...backends import backend
from ...dispatch import check_write, constant, watchers
from ...dtype import OF_PYTHON, float16, int64
from ...errors import ArgumentTypeError, ArgumentValueError, kind_of
from ...tensor import Tensor, View, storage_of
from ..elementwise.fill import copy_, fill_, set_one, wide
from ..views import expand, view
from .brackets import quick, read
from .expression import as_tuple, basic, is_mask_of, spread
from .put import as_filled, need_bools, put, put_where


def setitem(x: Tensor, key, value) -> None:
    """x[key] = value: written into x's own memory; the value broadcasts, and is cast to x's dtype.

    Raises:
        As x[key] does; BroadcastError, GradError, MemoryOverlapError (RuntimeErrors); ArgumentTypeError (a TypeError):
        neither tensor nor number; ArgumentValueError (a ValueError): a whole number that int64 does not have.
    """
    parts = key if key.__class__ is tuple else (key,)
    if _at_once(x, parts, value):
        return
    if not isinstance(value, Tensor) and value.__class__ not in OF_PYTHON:
        if isinstance(value, complex):
            raise no_complex("setitem", "value", value)
        if not isinstance(value, (float, Integral)):
            raise ArgumentTypeError(f"x[...] = {value!r:.60}",
                                    f"can't assign a {kind_of(value)} to a "
                                    f"tensor of {x.dtype.name}",
                                    "a Python number, as v.item() is, or wrap it: rustyflow.tensor(v)", value=value)
        value = value.item() if hasattr(value, "item") else value
    elif value.__class__ is int and not -1 << 63 <= value < 1 << 63:
        raise ArgumentValueError(f"x[...] = a number of {value.bit_length()} bits",
                                 "Overflow when unpacking long long: whole numbers are written by way of int64",
                                 "write it as a float")
    elif isinstance(value, Tensor) and value._a.dtype != x._a.dtype:
        value = as_filled(x, as_tuple(key), value)
    if value.__class__ in (float, int):  # PyTorch makes a tensor first, of float16 with inf for large ones
        value = constant(value, float16).item() if x.dtype is float16 else fitted("setitem", value, x.dtype)
    if key.__class__ is bool:  # True is the whole tensor, as the one part of a view, False nothing of it
        return setitem(x, None, value) if key else None
    if is_mask_of(x, key) and not getattr(value, "ndim", 0):
        put_where(x, key, value)
        return
    dims: tuple = ()
    if basic(parts):
        part = read(x, parts)
        if part._a.shape == x._a.shape and all([p is Ellipsis or p.__class__ is slice and p.start in (None, 0)
                                                and p.step in (None, 1) for p in parts]):
            part = x
    else:
        parts = as_tuple(key)
        items, dims, arrays = spread(x, parts, written=True)
        need_bools(x, parts, value)
        part = read(x, items) if items else x
    if dims:
        put(part, parts, dims, arrays, _trimmed(value) if isinstance(value, Tensor) else value)
    elif isinstance(value, Tensor):
        _set(part, _kept(part, value))
    else:
        check_write(part, "copy_", alike=True, repeated=False)
        set_one(part, value)


def _at_once(x, parts, value) -> bool:
    """Write in one step to a dense tensor without history, at integers and slices or at one index tensor.

    The value must be a number that fits, or a tensor of the same dtype and memory order. For anything else it returns
    False and writes nothing. It is one function because a second one would make x[0] = v a tenth slower.
    """
    a, places, axes, rows, flags = x._a, 0, 0, None, x._a.flags
    if watchers or x._history is not None or not (flags.writeable and (flags.c_contiguous or flags.f_contiguous)):
        return False
    if value.__class__ is Tensor:
        if value._storage is not None and value._storage is x._storage:
            return _is_there(x, parts, value)
        if value._history is not None:
            return False
        value = value._a
        axes, its = value.ndim, value.flags
        if (value.dtype is not a.dtype
                or not (flags.c_contiguous and its.c_contiguous or flags.f_contiguous and its.f_contiguous)):
            return False
    elif (value.__class__ not in (float, int)
          or not (0 <= value <= 127 or a.dtype.kind == "f" and -65504 <= value <= 65504)):
        return False
    for part in parts:
        if part.__class__ is int:
            places += 1
        elif part.__class__ is Tensor and len(parts) == 1 and part._a.ndim and part.dtype is int64 and part is not x:
            rows = part
        elif part.__class__ is not slice or part.step is not None:
            return False
    storage = storage_of(x)
    if rows is not None and rows._storage is storage:
        return False
    unwritten = storage.record
    storage.wrote("index_put_" if rows is not None else "copy_" if axes or places == a.ndim else "fill_")
    try:
        if rows is None:
            a[parts] = value
        else:
            backend.index_put(a, (0,), (rows._a,), value)
    except (IndexError, TypeError, ValueError):  # setting x[key] step by step gives a better error
        storage.record = unwritten
        return False
    return True


def _is_there(x, parts, value) -> bool:
    """True if a value without a gradient is the very part of x that it is to be written to, as in x[i, j] += 1.

    The write is then counted, and done.
    """
    found = quick(x._a, items=parts)
    if (found is None or value._history.__class__ is View and value._history.node is not None
            or found[0].shape != value._a.shape or found[0].strides != value._a.strides
            or found[0].dtype is not value._a.dtype or x._offset + found[1] != value._offset):
        return False
    value._storage.wrote("copy_")
    return True


def _set(part, value):
    """Write a tensor that may broadcast; as in PyTorch, leading axes of size 1 are dropped first."""
    if value._a.shape == part._a.shape:
        copy_(part, value)
    elif not value._a.ndim:
        fill_(part, value)
    else:
        shape = value._a.shape
        value = _trimmed(value) if shape[0] == 1 else view(value, shape)
        copy_(part, value if value._a.shape == part._a.shape else wide(part, value))


def _trimmed(value):
    """A tensor without its leading axes of size 1."""
    shape = value._a.shape
    k = next((k for k, n in enumerate(shape) if n != 1), len(shape))
    return view(value, shape[k:]) if k else value


def _kept(part, value):
    """The value of a write; cloned if it is a row, say, of the part written.

    The write would repeat it unchanged.
    """
    if value._storage is None or value._storage is not part._storage or value._a.shape == part._a.shape:
        return value
    whole = expand(_trimmed(value), part._a.shape)
    mine, its = backend.stride(part._a), backend.stride(whole._a)
    return value.clone() if rules.repeats_part(part._a.shape, mine, part._offset, its, whole._offset) else value


def delitem(x: Tensor, key) -> None:
    """del x[key], which no tensor does.

    Raises:
        ArgumentTypeError (a TypeError): always.
    """
    raise ArgumentTypeError(f"del x[{str(key)[:60]}]", "Tensor does not support deleting items: a part of its storage "
                            "cannot be given back", "x = x[kept], with the indices or the mask of those to keep")


Tensor.__setitem__, Tensor.__delitem__ = setitem, delitem

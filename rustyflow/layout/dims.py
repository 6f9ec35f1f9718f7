"""Axes by number: counted from either end, several at once, and what a reduction leaves."""
from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int
from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError, DimError, DTypeError, ShapeError, kind_of
from .strides import Shape


def whole_number(value: Any) -> int:
    """A dim or a size as a Python int.

    A bool is refused, as in PyTorch, and so is a tensor of one bool.

    Raises:
        TypeError: something else, for the caller to name. ArgumentValueError (a ValueError): a number that int64 has
        not.

    Example:
        >>> whole_number(3)
        3
        >>> whole_number(True)
        Traceback (most recent call last):
        TypeError: bool
    """
    if value.__class__ is bool or getattr(getattr(value, "dtype", None), "name", "") == "bool":
        raise TypeError("bool")
    n = as_int(value)
    if not -1 << 63 <= n < 1 << 63:
        raise ArgumentValueError(f"a number of {n.bit_length()} bits", "Overflow when unpacking long long",
                                 "a number that int64 has")
    return n


def one_number(value: Any) -> int:
    """`whole_number`, but refusing arrays and tensors with axes, which PyTorch accepts as a size and not as a dim.

    Example:
        >>> import numpy as np
        >>> one_number(np.int64(3)), whole_number(np.array(3))
        (3, 3)
        >>> one_number(np.array(3))
        Traceback (most recent call last):
        TypeError: ndarray
    """
    if hasattr(value, "__len__") and (not hasattr(value, "_a") or value._a.ndim):
        raise TypeError(type(value).__name__)
    return whole_number(value)


def in_a_row(values: Sequence[Any]) -> list:
    """The sizes or dims of a sequence as PyTorch reads them.

    True and False count as 1 and 0, except in first place.

    The first value decides what kind of sequence it is, so a bool there stays one.

    Example:
        >>> in_a_row((2, True)), in_a_row((True, 2))
        ([2, 1], [True, 2])
    """
    return [int(n) if k and n.__class__ is bool else n for k, n in enumerate(values)]


def whole_numbers(values: Sequence[Any]) -> tuple[int, ...]:
    """`whole_number` of each `in_a_row`, where a tensor of a bool counts as 1 or 0.

    Raises:
        as `whole_number`.

    Example:
        >>> whole_numbers([2, True, -1])
        (2, 1, -1)
    """
    return _each(values, lambda n: int(n) if _is_bool_tensor(n) else whole_number(n))


def whole_sizes(values: Sequence[Any]) -> tuple[int, ...]:
    """`whole_numbers` as PyTorch reads the sizes of a tensor, where a tensor of a bool is refused.

    Raises:
        as `whole_number`. DTypeError (a RuntimeError): a tensor of a bool, where all before it are whole.
    """
    return _each(values, _size)


def _each(values, read) -> tuple[int, ...]:
    try:
        return tuple([n if n.__class__ is int and -1 << 63 <= n < 1 << 63 else whole_number(n) for n in values])
    except TypeError:  # most sequences hold only ints and never come here
        return tuple([read(n) for n in in_a_row(values)])


def _size(n: Any) -> int:
    if _is_bool_tensor(n):
        raise DTypeError(f"size {n!r:.60}", "Expected scalar.isIntegral(false) to be true, but got false: a tensor "
                         "among sizes holds a whole number", "int(x), or x.long()")
    return whole_number(n)


def _is_bool_tensor(n: Any) -> bool:
    return hasattr(n, "_a") and n._a.dtype == "bool" and n._a.size == 1


def wrap_dim(dim: int, rank: int) -> int:
    """A dim counted from either end as one counted from the left.

    A 0-d tensor is taken to have one axis.

    Raises:
        DimError (an IndexError): the tensor has no such axis.

    Example:
        >>> wrap_dim(-1, 3)
        2
    """
    if dim.__class__ is not int:
        try:
            dim = one_number(dim)
        except TypeError:
            raise ArgumentTypeError(f"dim was {dim!r}", f"a dim is one whole number, not {kind_of(dim)}",
                                    "write e.g. dim=0 or dim=-1", value=dim) from None
    n = max(rank, 1)
    if not -n <= dim < n:
        whole_number(dim)
        raise DimError(f"dim {dim} of a tensor with {rank} dims",
                       f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})",
                       f"use a dim from {-n} to {n - 1}; dim=-1 is always the last axis", dim=dim, rank=rank)
    return dim + n if dim < 0 else dim


def wrap_dims(dim: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The axes a reduction takes, each once: all of them for None or an empty sequence.

    Raises:
        DimError (an IndexError): no such axis. ShapeError (a RuntimeError): an axis named twice.

    Example:
        >>> wrap_dims((-1, 0), 3), wrap_dims(None, 2)
        ((2, 0), (0, 1))
    """
    if dim.__class__ is int and rank:
        return (wrap_dim(dim, rank),)
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(rank))
    given = in_a_row(dim if isinstance(dim, (tuple, list)) else (dim,))
    dims = tuple([wrap_dim(as_int(d) if hasattr(d, "__len__") and hasattr(d, "__index__") else d, rank) for d in given])
    for d in dims:
        if dims.count(d) > 1:
            raise ShapeError(f"dims {tuple(dim)} of a tensor with {rank} dims",
                             f"dim {d} appears multiple times in the list of dims",
                             "name each axis once", dims=dims)
    return dims if rank else ()


def reduced_shape(shape: Shape, dims: Sequence[int], keepdim: bool) -> Shape:
    """The shape left when `dims` disappear, or stay as 1.

    Example:
        >>> reduced_shape((2, 3, 4), (1,), False), reduced_shape((2, 3, 4), (1,), True)
        ((2, 4), (2, 1, 4))
    """
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)

"""A tensor's shape, as Python sees it."""
from __future__ import annotations

from math import prod
from operator import index as as_int
from typing import Any

from ..errors import ArgumentTypeError, kind_of

of = tuple.__new__


class Size(tuple):
    """A shape: a tuple of whole numbers that knows its number of elements.

    What is cut from it or joined to it is one too.

    Raises:
        ArgumentTypeError (a TypeError): something else than whole numbers.
    Source: https://pytorch.org/docs/stable/size.html

    Example:
        >>> import rustyflow as rf
        >>> rf.Size([3, 4]).numel(), rf.Size([3, 4])[1:], (2,) + rf.Size([3, 4])
        (12, rustyflow.Size([4]), rustyflow.Size([2, 3, 4]))
    """

    __module__ = "rustyflow"  # as print(type(x.shape)) says
    __slots__ = ()

    def __new__(cls, sizes=()):
        return of(cls, [n if n.__class__ is int else _whole(k, n) for k, n in enumerate(sizes)])

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __repr__(self):
        return f"rustyflow.Size({list(self)})"

    def __getitem__(self, key):
        got = tuple.__getitem__(self, key)
        return of(Size, got) if isinstance(key, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times):
        return of(Size, tuple.__mul__(self, times))

    __rmul__ = __mul__


def _whole(k: int, n: Any) -> int:
    try:
        return as_int(n)
    except TypeError:
        raise ArgumentTypeError(f"Size([... {n!r:.60} ...])",
                                f"Size() takes an iterable of 'int' (item {k} is '{kind_of(n)}')",
                                "whole numbers, e.g. Size([2, 3])", value=n) from None

"""The letters of axes: an axis of a view has the letter of the axis along which it walks."""

from collections.abc import Sequence
from itertools import count, pairwise, product
from math import prod

from ...layout import extent
from ..kit.reading import Index
from ..source import Source

TRIED, PLACES = 4096, 64
"""So many cells are looked at, and so many places of an axis that walks along none."""


def letters(sources: Sequence[Source]) -> list[Index]:
    """The letters of each source's axes, as numbers.

    An axis has the letter of the axis along which it walks, in the earlier source on its storage of which the most is
    walked. One that is made of several, or of a part of one, has a new letter.

    >>> import numpy as np
    >>> from rustyflow.show.source import source_of
    >>> x = np.arange(12).reshape(3, 4)
    >>> letters([source_of(x), source_of(x.T), source_of(x[:, 1]), source_of(x.copy()), source_of(x.reshape(4, 3))])
    [(0, 1), (1, 0), (0,), (2, 3), (4, 5)]
    """
    fresh, lettered = count(), []
    for source in sources:
        dims, best = range(len(source.shape)), {}
        for base, axes in zip(sources, lettered):
            if base.storage == source.storage and len(best) < len(dims):
                best = max(best, _follow(base, axes, source), key=len)
        lettered.append(tuple(best[dim] if dim in best else next(fresh) for dim in dims))
    return lettered


def _follow(base: Source, axes: Index, source: Source) -> dict[int, int]:
    """The letters of the dims of a source that walk along an axis of one whose axes have letters."""
    free = dict(enumerate(axes))
    followed = {dim: free.pop(axis) for dim, axis in _walked(base, source).items()}
    for dim in set(range(len(source.shape))) - {*followed}:
        axis = next((a for a in free if _stands(base, a, source, dim)), None)
        if axis is not None:
            followed[dim] = free.pop(axis)
    return followed


def _stands(origin: Source, axis: int, source: Source, dim: int) -> bool:
    """True if an axis with nothing to walk, of size 1 or stride 0, stands in the same place."""
    (n, step), (size, stride) = (source.shape[dim], source.stride[dim]), (origin.shape[axis], origin.stride[axis])
    from_right = len(source.shape) - dim == len(origin.shape) - axis
    if n > 1 and step:
        return False
    if size > 1 and stride:  # of x[1:2] one place is left; of x[1:2, None] nobody knows which of two axes it is
        alike = [d for d, other in enumerate(source.shape) if other == 1 and source.stride[d] == stride]
        return from_right and alike == [dim]
    return from_right and size < 2 or n == size > 1


def _walked(origin: Source, source: Source) -> dict[int, int]:
    """The axis of the origin along which each axis of a view steps, by the view's axes.

    An axis is left out where it leaves that of the origin half way, or where another walks the same, as parts of an
    axis do.
    """
    axes = [a for a, n in enumerate(origin.shape) if n > 1 and origin.stride[a]]
    axes.sort(key=lambda a: -abs(origin.stride[a]))
    sizes = [abs(origin.stride[a]) for a in axes]
    if not all(abs(origin.stride[b]) * origin.shape[b] <= abs(origin.stride[a]) for a, b in pairwise(axes)):
        alike = [(d, a) for d in range(len(source.shape)) for a in axes if _alike(origin, a, source, d)]
        return {d: a for d, a in alike if [*dict(alike).values()].count(a) == 1 == [d for d, _ in alike].count(d)}

    def at(slot: int) -> Index:
        """The place of a slot on the axes of the origin, and the rest."""
        places = []
        for size in sizes:
            place, slot = divmod(slot, size)
            places.append(place)
        return *places, slot

    low, high = extent(origin.shape, origin.stride, origin.offset)
    across = tuple(origin.shape[a] - 1 for a in axes)
    zero = 0 if _apart(at(low), at(high - 1))[:-1] == across else low
    start, offset = at(source.offset - zero), source.offset - zero
    dims = [d for d, n in enumerate(source.shape) if n > 1 and source.stride[d]]
    one = {d: _apart(start, at(offset + source.stride[d])) for d in dims}
    straight = {d: next(k for k, by in enumerate(moved) if by) for d, moved in one.items()
                if len(moved) - moved.count(0) == 1 and not moved[-1]}  # fmt: skip
    used, least = [*straight.values()], at(low - zero)
    for d, k in list(straight.items()):  # what goes beyond an axis, as from a row into the next, walks another one
        ends = (start[k] - least[k] + i * one[d][k] for i in (0, source.shape[d] - 1))
        if used.count(k) > 1 or not all(end in range(origin.shape[axes[k]]) for end in ends):
            del straight[d]
    spans = [(0, source.shape[d] - 1) if d in straight else range(min(source.shape[d], PLACES)) for d in dims]
    for cell in product(*spans) if prod(map(len, spans)) <= TRIED else ():
        slot = offset + sum(i * source.stride[d] for i, d in zip(cell, dims, strict=True))
        moved, stands = _apart(start, at(slot)), dict(zip(dims, cell, strict=True))
        straight = {d: k for d, k in straight.items() if moved[k] == stands[d] * one[d][k]}
    return {d: axes[k] for d, k in straight.items()}


def _alike(origin: Source, axis: int, source: Source, dim: int) -> bool:
    return (origin.shape[axis], origin.stride[axis]) == (source.shape[dim], source.stride[dim])


def _apart(one: Index, other: Index) -> Index:
    return tuple(b - a for a, b in zip(one, other, strict=True))

"""The functions of rules that add cells where an index or a window says, on lazy arrays.

>>> from .tree import text
>>> x = Lazy((3,), lambda i: Leaf(2.0, f"x[{i[0]}]"))
>>> text(ADDING["scatter_zeros"](x, (2,), 0, np.array([1, 0, 1])).at((1,)))
'x[0] + x[2]'
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ..layout.strides import contiguous_stride, flat_index, unravel_index
from .lazy import Index, Lazy, fitted, lazy, multiplied, numbers, place_in, sign, total
from .places import covered, gather, read_at, slices_at
from .reasons import chosen
from .tree import Leaf, Op, Tree, floats
from .windows import through


def stretched(x: Any, shape: Index) -> Lazy:
    """The same, repeated to a shape."""
    x = lazy(x)
    return Lazy(shape, lambda i: x.at(place_in(i, x.shape)))


def numbered(size: Index) -> np.ndarray:
    """The numbers of an array's cells, in its shape."""
    return np.arange(prod(size)).reshape(size)


def added_at(places: np.ndarray, source: Any, size: Index, to: Any = None) -> Lazy:
    """Zeros, or another array, with the cells of a source added: each where its number in `places` says."""
    size = tuple(size)
    source, flat, stride = stretched(source, places.shape), places.ravel(), contiguous_stride(size)
    def at(i: Index) -> Tree:
        there = np.flatnonzero(flat == flat_index(i, stride)).tolist()
        return total([*([] if to is None else [to.at(i)]), *(source.at(unravel_index(k, places.shape)) for k in there)])
    return Lazy(size, at)


def _adding(read: Callable[..., np.ndarray], source: int, to: bool = False) -> Callable[..., Lazy]:
    """A function that adds where another one reads; its source is the last argument, or the first one."""
    def run(x: Any, *how: Any) -> Lazy:
        if to:
            given = [*map(numbers, how[:source])]
            return added_at(read(numbered(x.shape), *given), how[source], x.shape, x)
        size, *how = how
        return added_at(read(numbered(size), *map(numbers, how)), x, size)

    return run


def _at_indices(g: Any, indices: Any, dim: int, size: Index) -> Lazy:
    """A cell gets what arrives where the index is its own."""
    g, indices = lazy(g), np.asarray(numbers(indices))
    rank = len(size or indices.shape)
    kept = indices if indices.ndim == rank else np.expand_dims(indices, dim)
    wide = g if g.ndim == rank else Lazy(kept.shape, lambda i: g.at((*i[:dim], *i[dim + 1:])))
    size, axis = tuple(size or kept.shape), dim % rank
    def at(i: Index) -> Tree:
        line = kept[(*i[:axis], slice(None), *i[axis + 1:])]
        return total(wide.at((*i[:axis], k, *i[axis + 1:])) for k in np.flatnonzero(line == i[axis]).tolist())
    return Lazy(size, at)


def _at_cells(g: Lazy, indices: Any, size: Index) -> Lazy:
    """A cell gets what arrives at the windows whose index counts to it in its plane."""
    size, indices = tuple(size), numbers(indices)
    planes = np.indices(indices.shape)[: len(size) - 2]
    lead = flat_index(planes, contiguous_stride(size[:-2])) if len(size) > 2 else 0
    return added_at(lead * size[-2] * size[-1] + indices, g, size)


def _slots_add(g: Lazy, layout: Any, other: Any) -> Lazy:
    """A slot's sum, in equal parts for the cells that share the slot."""
    (shape, stride, offset), (out, step, start) = layout, other
    written = flat_index(np.indices(out), step, start) if out else np.array(start)
    read = flat_index(np.indices(shape), stride, offset) if shape else np.array(offset)
    def at(i: Index) -> Tree:
        slot = flat_index(i, stride, offset)
        cells = total(g.at(tuple(j)) for j in np.argwhere(written == slot).tolist())
        return sign("/", cells, Leaf(int((read == slot).sum())))
    return Lazy(shape, at)


# cells joined where an index sends them

JOINS: dict[str, Callable[[list[Tree]], Tree]] = {
    "sum": total, "prod": multiplied, "mean": lambda terms: sign("/", total(terms), Leaf(len(terms))),
    **{f"a{name}": lambda terms, name=name: Op(name, tuple(terms)) if len(terms) > 1 else terms[0]
       for name in ("max", "min")},
}  # fmt: skip


class _Sent:
    """The cells of a source that an index sends to each cell of x."""

    def __init__(self, x: Lazy, dim: int, index: Any, src: Any, include_self: bool):
        self.x, self.src, self.include_self = x, lazy(src), include_self
        self.places = gather(numbered(x.shape), dim, np.asarray(numbers(index)))
        self.stride = contiguous_stride(x.shape)

    def at(self, i: Index) -> list[tuple[Index | None, Tree]]:
        """The cells that are joined in one, each with its place in the source; None of x's own, the first."""
        there = np.argwhere(self.places == flat_index(i, self.stride)).tolist()
        sent = [(tuple(j), self.src.at(tuple(j))) for j in there]
        return [(None, self.x.at(i)), *sent] if self.include_self or not sent else sent


def _joined(x: Lazy, dim: int, index: Any, src: Any, reduce: str, include_self: bool, at: Any = None) -> Lazy:
    sent = _Sent(x, dim, index, src, include_self)
    return Lazy(x.shape, lambda i: JOINS[reduce]([tree for _, tree in sent.at(i)]))


def _scatter_joined(x: Lazy, dim: int, index: Any, src: Any, how: str) -> Lazy:
    shape = np.shape(numbers(index))
    return _joined(x, dim, index, stretched(src, shape), {"add": "sum", "multiply": "prod"}[how], True)


def _share(g: Tree, cells: list[Tree], k: int, reduce: str) -> Tree:
    """The part of a gradient that the k-th of the cells that were joined gets."""
    if reduce in ("sum", "mean"):
        return sign("/", g, Leaf(len(cells) if reduce == "mean" else 1))
    if reduce == "prod":
        return sign("*", g, multiplied(cells[:k] + cells[k + 1:]))
    best = JOINS[reduce](cells)
    if not chosen(Op("==", (cells[k], best))):
        return Leaf(0)
    return sign("/", g, Leaf(sum(floats(cell) == floats(best) for cell in cells)))


def _share_of_cells(
    g: Lazy, x: Lazy, dim: int, index: Any, src: Any, reduce: str, include_self: bool
) -> Lazy:
    sent = _Sent(x, dim, index, src, include_self)
    def at(i: Index) -> Tree:
        cells = sent.at(i)
        if cells[0][0] is not None:
            return Leaf(0)
        return g.at(i) if len(cells) == 1 else _share(g.at(i), [tree for _, tree in cells], 0, reduce)
    return Lazy(x.shape, at)


def _share_of_sent(
    g: Lazy, x: Lazy, dim: int, index: Any, src: Any, reduce: str, include_self: bool
) -> Lazy:
    sent = _Sent(x, dim, index, src, include_self)
    def at(j: Index) -> Tree:
        if any(k >= n for k, n in zip(j, sent.places.shape, strict=True)):
            return Leaf(0)
        i = unravel_index(int(sent.places[j]), x.shape)
        cells = sent.at(i)
        return _share(g.at(i), [tree for _, tree in cells], [place for place, _ in cells].index(j), reduce)
    return Lazy(sent.src.shape, at)


# windows and stretches of a plane

Run: TypeAlias = Callable[[int], Sequence[int]]
"""The places that a place of the result reads, along one axis."""


def _windows(n: int, out: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> Run:
    def run(k: int) -> Sequence[int]:
        first = k * stride - padding
        return [j for j in range(first, first + kernel * dilation, dilation) if 0 <= j < n]

    return run


def _stretches(n: int, out: int) -> Run:
    return lambda k: range(k * n // out, -(-(k + 1) * n // out))


def _reads(x: Lazy, runs: Sequence[Run], i: Index) -> list[Tree]:
    """The cells that one of the result reads, in a plane of the last two axes."""
    return [x.at((*i[:-2], *j)) for j in product(*(run(k) for run, k in zip(runs, i[-2:], strict=True)))]


def _means(x: Lazy, runs: Sequence[Run], out: Index, count: Callable[[Index], int]) -> Lazy:
    """The mean of what each cell reads."""
    return Lazy((*x.shape[:-2], *out), lambda i: sign("/", total(_reads(x, runs, i)), Leaf(count(i[-2:]))))


def _largest(x: Lazy, runs: Sequence[Run], out: Index) -> Lazy:
    return Lazy((*x.shape[:-2], *out), lambda i: JOINS["amax"](_reads(x, runs, i)))


def largest_of_windows(x: Lazy, out: Index, *how: Any, y: Lazy) -> Lazy:
    """The largest cell of every window."""
    return _largest(x, [*map(_windows, x.shape[-2:], out, *how)], out)


def largest_of_stretches(x: Lazy, sizes: Index, y: Lazy) -> Lazy:
    """The largest cell of every stretch."""
    return _largest(x, [*map(_stretches, x.shape[-2:], sizes)], sizes)


def _spread(g: Lazy, runs: Sequence[Run], size: Index, count: Callable[[Index], int]) -> Lazy:
    """The share of the means that read a cell."""
    def at(i: Index) -> Tree:
        readers = ([k for k in range(n) if j in run(k)] for run, n, j in zip(runs, g.shape[-2:], i[-2:], strict=True))
        return total(sign("/", g.at((*i[:-2], *k)), Leaf(count(k))) for k in product(*readers))
    return Lazy((*g.shape[:-2], *size), at)


def _of_windows(join: Callable[..., Lazy], x: Lazy, size: Index, out: Index, given: Index, how: tuple) -> Lazy:
    kernel, stride, padding, count_padding, override = how
    runs = [_windows(n, m, *of) for n, m, *of in zip(size, out, kernel, stride, padding, strict=True)]
    def count(k: Index) -> int:
        if override is not None:
            return override
        if not count_padding:
            return prod(len(run(j)) for run, j in zip(runs, k, strict=True))
        first = (j * s - p for j, s, p in zip(k, stride, padding, strict=True))
        return prod(min(a + w, n + p) - a for a, w, n, p in zip(first, kernel, size, padding, strict=True))
    return join(x, runs, given, count)


def _mean_of_windows(x: Lazy, out: Index, *how: Any) -> Lazy:
    return _of_windows(_means, x, x.shape[-2:], out, out, how)


def _spread_over_windows(g: Lazy, size: Index, *how: Any) -> Lazy:
    return _of_windows(_spread, g, size[-2:], g.shape[-2:], size[-2:], how)


def _of_stretches(join: Callable[..., Lazy], x: Lazy, size: Index, out: Index, given: Index) -> Lazy:
    runs = [*map(_stretches, size, out)]
    return join(x, runs, given, lambda k: prod(len(run(j)) for run, j in zip(runs, k, strict=True)))


def _weighed(x: Lazy, dim: int, cells: Any, weights: Any) -> Lazy:
    """At each place the sum over k of the cell that `cells[k]` names, times `weights[k]`."""
    dim = dim % x.ndim
    def at(i: Index) -> Tree:
        pairs = zip(cells[:, i[dim]].tolist(), weights[:, i[dim]].tolist(), strict=True)
        return total(sign("*", x.at((*i[:dim], j, *i[dim + 1:])), Leaf(weight)) for j, weight in pairs)
    return Lazy((*x.shape[:dim], cells.shape[1], *x.shape[dim + 1:]), at)


def _weighed_zeros(x: Lazy, length: int, dim: int, cells: Any, weights: Any) -> Lazy:
    dim = dim % x.ndim
    def at(i: Index) -> Tree:
        return total(sign("*", x.at((*i[:dim], j, *i[dim + 1:])), Leaf(float(weights[k, j])))
                     for k, j in np.argwhere(cells == i[dim]).tolist())  # fmt: skip
    return Lazy((*x.shape[:dim], length, *x.shape[dim + 1:]), at)


# convolutions


def _meetings(of: int, at: Index, sizes: Mapping[int, Index], stride: Index, padding: Index, dilation: Index,
              groups: int) -> Iterator[dict[int, Index]]:  # fmt: skip
    """The cells of an image 0, of filters 1 and of a result 2 that meet in one cell of one of them."""
    each_in, each_out = sizes[1][1], sizes[1][0] // groups
    known = {of: at[2:]}
    axes = []
    for d, (step, before, wide) in enumerate(zip(stride, padding, dilation, strict=True)):
        ks, js = ((known[k][d],) if k in known else range(sizes[k][d + 2]) for k in (1, 2))
        met = ((j * step + k * wide - before, k, j) for k in ks for j in js)
        axes.append([one for one in met if 0 <= one[0] < sizes[0][d + 2] and (of != 0 or one[0] == at[d + 2])])
    n, o, c = {0: (at[0], None, at[1]), 1: (None, *at[:2]), 2: (*at[:2], None)}[of]
    group = c // each_in if of == 0 else 0
    rows = range(sizes[2][0]) if n is None else (n,)
    outs = range(group * each_out, (group + 1) * each_out) if o is None else (o,)
    ins = range(each_in) if c is None else (c % each_in,)
    for n, o, c in product(rows, outs, ins):
        for place in product(*axes):
            seen, there, out = zip(*place, strict=True) if place else ((), (), ())
            yield {0: (n, o // each_out * each_in + c, *seen), 1: (o, c, *there), 2: (n, o, *out)}


def _meeting(result: int, first: int, second: int) -> Callable[..., Lazy]:
    """A convolution, or a gradient of it, by the cells that meet."""
    def run(a: Any, b: Any, size: Index, *how: Any) -> Lazy:
        a, b = lazy(a), lazy(b)
        sizes = {result: tuple(size), first: a.shape, second: b.shape}
        return Lazy(size, lambda i: total(
            sign("*", a.at(met[first]), b.at(met[second])) for met in _meetings(result, i, sizes, *how)))

    return run


ADDING: dict[str, Callable[..., Lazy]] = {
    "add_at": _adding(read_at, 2, to=True), "index_zeros": _adding(read_at, 0),
    "index_add": _adding(slices_at, 2, to=True),
    "rows_zeros": lambda x, count, index: added_at(
        slices_at(numbered((count, x.shape[-1])), 0, numbers(index)), x, (count, x.shape[-1])),
    "scatter_add": lambda x, dim, index, src, at=None: added_at(
        gather(numbered(x.shape), dim, numbers(index)), covered(src, numbers(index)), x.shape, x),
    "scatter_zeros": _adding(gather, 0), "scatter_through": _adding(through, 0), "at_indices": _at_indices,
    "at_cells": _at_cells, "slots_add": _slots_add, "scatter_reduce": _joined, "scatter_joined": _scatter_joined,
    "share_of_cells": _share_of_cells, "share_of_sent": _share_of_sent,
    "sum_to": lambda x, size: fitted(lazy(x), tuple(size)),
    "mean_of_windows": _mean_of_windows, "spread_over_windows": _spread_over_windows,
    "stretch_means": lambda x, sizes: _of_stretches(_means, x, x.shape[-2:], sizes, sizes),
    "spread_equally": lambda g, sizes: _of_stretches(_spread, g, sizes, g.shape[-2:], sizes),
    "weighed": _weighed, "weighed_zeros": _weighed_zeros,
    "convolved": _meeting(2, 0, 1), "spread_by_filters": _meeting(0, 2, 1), "filters_met": _meeting(1, 2, 0),
}  # fmt: skip
"""The functions, by name."""

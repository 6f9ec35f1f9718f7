"""The functions of rules on lazy arrays: each told for one cell, by what it reads.

>>> from .tree import text
>>> x = Lazy((2, 2), lambda i: Leaf(2.0, f"x[{i[0]}, {i[1]}]"))
>>> text(LAZY["sum"](LAZY["exp"](x), 0).at((1,))), text(LAZY["roll"](x, 1, 0).at((0, 0)))
('exp(x[0, 1]) + exp(x[1, 1])', 'x[1, 0]')
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from .adding import ADDING, largest_of_stretches, largest_of_windows
from .lazy import (
    SUM,
    Index,
    Lazy,
    axes_of,
    each,
    lane,
    lazy,
    moved,
    multiplied,
    numbers,
    place_in,
    reduction,
    sign,
    stopping,
    subscript,
    total,
)
from .meaning import MEANINGS
from .reasons import chosen
from .tree import Leaf, Op, Setting, Tree, floats
from .work import FUNCTIONS


def _called(name: str, *parts: Tree) -> Tree:
    return Op(name, parts)


def _shared(g: Any, taken: Lazy, dim: Any = None) -> Lazy:
    over = axes_of(taken, dim)
    def at(i: Index) -> Tree:
        if not chosen(taken.at(i)):
            return Leaf(0)
        ties = sum(bool(floats(taken.at(j))) for j in lane(taken, dict(enumerate(i)), over))
        return sign("/", g.at(place_in(i, g.shape)), Leaf(ties))
    g = lazy(g)
    return Lazy(taken.shape, at)


def _others(x: Lazy, dim: Any = None) -> Lazy:
    over = axes_of(x, dim)
    return Lazy(x.shape, lambda i: multiplied([x.at(j) for j in lane(x, dict(enumerate(i)), over) if j != i]))


def _einsum(equation: str, *operands: Lazy) -> Lazy:
    reads, _, out = equation.replace(" ", "").partition("->")
    reads = reads.split(",")
    sizes = {letter: n for read, x in zip(reads, map(lazy, operands), strict=True)
             for letter, n in zip(read, x.shape, strict=True)}  # fmt: skip
    summed = [letter for letter in sizes if letter not in out]
    def at(i: Index) -> Tree:
        every = (dict(zip((*out, *summed), (*i, *k), strict=True)) for k in np.ndindex(*(sizes[s] for s in summed)))
        return total(multiplied([x.at(tuple(place[s] for s in read)) for read, x in zip(reads, operands, strict=True)])
                     for place in every)  # fmt: skip
    return Lazy([sizes[letter] for letter in out], at)


def _var(x: Lazy, dim: Any = None, correction: float = 1, keepdim: bool = False, middle: Any = None) -> Lazy:
    count = prod(x.shape[d] for d in axes_of(x, dim))
    return SUM((x - middle) ** 2, dim, keepdim) / (count - correction)


def _triangle(x: Any, diagonal: int, how: str) -> Lazy:
    """The cells on one side of a diagonal; 0 on the other."""
    x = lazy(x)
    def at(i: Index) -> Tree:
        edge = f"row {i[-2]}" + f" {'+' if diagonal > 0 else '-'} {abs(diagonal)}" * bool(diagonal)
        inside = chosen(Op(how, (Leaf(i[-1], f"column {i[-1]}"), Leaf(i[-2] + diagonal, edge))))
        return x.at(i) if inside else Leaf(0)
    return Lazy(x.shape, at)


def _visible(scores: Lazy, mask: Any, causal: bool) -> Lazy:
    """The scores of keys that a query may look at; -inf at others."""
    masked = mask if mask is None else lazy(mask)
    bools = masked is not None and masked.array is not None and masked.array.dtype.kind == "b"
    def at(i: Index) -> Tree:
        later = causal and not chosen(Op("<=", (Leaf(i[-1], f"key {i[-1]}"), Leaf(i[-2], f"query {i[-2]}"))))
        if later or bools and not chosen(masked.at(place_in(i, masked.shape))):
            return Leaf(-np.inf)
        added = None if bools else masked
        return scores.at(i) if added is None else sign("+", scores.at(i), added.at(place_in(i, added.shape)))
    return Lazy(scores.shape, at, gone=scores.gone)


def _parted(p: Lazy, s: Lazy) -> Lazy:
    squares = s * s
    return (p - p.mT) / (squares[..., None, :] - squares[..., None] + np.eye(s.shape[-1]))


def _rising(x: Lazy, dim: int) -> Lazy:
    order = np.argsort(numbers(x), dim, kind="stable")
    dim = dim % x.ndim
    return Lazy(x.shape, lambda i: x.at((*i[:dim], int(order[i]), *i[dim + 1:])))


# whole matrices

SMALL = 3
"""A matrix of so many rows is told by its cells; of a larger one a cell of its inverse stands by its name."""


def _minor(x: Lazy, lead: Index, rows: Sequence[int], columns: Sequence[int]) -> Tree:
    """The determinant of some rows and columns of a matrix, along the first row."""
    if not rows:
        return Leaf(1)
    terms = (sign("*", x.at((*lead, rows[0], c)), _minor(x, lead, rows[1:], [k for k in columns if k != c]))
             for c in columns)  # fmt: skip
    return reduce(lambda a, b: sign("-" if b[0] % 2 else "+", a, b[1]), enumerate(terms), Leaf(0))


def _whole(name: str, x: Lazy) -> Lazy:
    array, of = np.asarray(FUNCTIONS[name](numbers(x))), f"{name}({x.name})" if x.name else name
    return Lazy(array.shape, lambda i: Leaf(float(array[i]), of + subscript(i)))


def _det(x: Lazy) -> Lazy:
    n = x.shape[-1]
    return _whole("det", x) if n > SMALL else Lazy(x.shape[:-2], lambda i: _minor(x, i, range(n), range(n)))


def _inverse(x: Lazy) -> Lazy:
    """Each cell by the determinant of what is left without its column and row, over that of the whole."""
    if (n := x.shape[-1]) > SMALL:
        return _whole("inverse", x)
    det = stopping("det", _det(x))
    def at(i: Index) -> Tree:
        *lead, c, r = i
        rows, columns = ([k for k in range(n) if k != gone] for gone in (r, c))
        minor = _minor(x, tuple(lead), rows, columns)
        return sign("/", sign("-", Leaf(0), minor) if (r + c) % 2 else minor, det.at(tuple(lead)))
    return Lazy(x.shape, at)


def _cholesky(x: Lazy, upper: bool, y: Lazy) -> Lazy:
    """Row by row: what is left of x without the products of the cells before, by the one on the diagonal."""
    low = y.mT if upper else y
    def at(i: Index) -> Tree:
        *lead, r, c = i
        if r < c:
            return Leaf(0)
        cell = lambda *place: low.at((*lead, *place))  # noqa: E731
        rest = sign("-", x.at(i), total(sign("*", cell(r, k), cell(c, k)) for k in range(c)))
        return Op("sqrt", (rest,)) if r == c else sign("/", rest, cell(c, c))
    factor = Lazy(x.shape, at)
    return factor.mT if upper else factor


# cells that are taken


def _so_far(join: str) -> Callable[..., Lazy]:
    def run(x: Lazy, dim: int, y: Lazy) -> Lazy:
        dim = dim % x.ndim
        def at(i: Index) -> Tree:
            cells = [x.at((*i[:dim], k, *i[dim + 1:])) for k in range(i[dim] + 1)]
            return Op(join, tuple(cells)) if cells[1:] else cells[0]
        return Lazy(x.shape, at)

    return run


def _distinct(x: Lazy, dim: int | None, runs: bool, y: Lazy) -> Lazy:
    """Each of the different cells, or slices, where it first is."""
    cells, values = numbers(x), numbers(y)
    def at(i: Index) -> Tree:
        if dim is None:
            return x.at(tuple(np.argwhere(cells == values[i])[0].tolist()))
        same = [k for k in range(x.shape[dim]) if (np.take(cells, k, dim) == np.take(values, i[dim], dim)).all()]
        return x.at((*i[:dim], same[0], *i[dim + 1:]))
    return Lazy(values.shape, at)


MEAN = reduction(lambda terms: sign("/", total(terms), Leaf(len(terms))))
MAX, MIN = (reduction(lambda terms, name=name: Op(name, tuple(terms))) for name in ("max", "min"))
ALL, ANY, ARGMAX, ARGMIN, COUNT_NONZERO, MEDIAN, NANMEDIAN = (
    reduction(lambda terms, name=name: Op(name, tuple(terms)))
    for name in ("all", "any", "argmax", "argmin", "count_nonzero", "median", "nanmedian"))
NUMBERS = {name: partial(each, partial(_called, name)) for name, meaning in MEANINGS.items() if meaning.each}
NUMBERS |= {name: partial(each, partial(_called, how))
            for name, how in (("both", "and"), ("either", "or"), ("opposite_of", "not"))}  # fmt: skip
LAZY: dict[str, Callable] = {
    **{name: partial(moved, run) for name, run in FUNCTIONS.items() if callable(run)}, **NUMBERS, **ADDING,
    "where": partial(each, lambda c, a, b: a if chosen(c) else b), "sum": SUM, "mean": MEAN, "var": _var,
    "prod": reduction(multiplied), "amax": MAX, "amin": MIN, "shared": _shared, "others": _others,
    "all": ALL, "any": ANY, "argmax": ARGMAX, "argmin": ARGMIN, "count_nonzero": COUNT_NONZERO, "median": MEDIAN,
    "nanmedian": NANMEDIAN, "det": _det, "inverse": _inverse, "visible": _visible,
    "some": lambda s, mask: each(lambda v: v if floats(v) else Leaf(1), s), "parted": _parted, "rising": _rising,
    "tril": lambda x, diagonal=0: _triangle(x, diagonal, "<="),
    "triu": lambda x, diagonal=0: _triangle(x, diagonal, ">="),
    "slices": lambda x, dim: [x[(slice(None),) * (dim % x.ndim) + (k,)] for k in range(x.shape[dim])],
    "runs": lambda x, lengths, dim: [
        x[(slice(None),) * (dim % x.ndim) + (slice(end - n, end),)] for n, end in zip(lengths, accumulate(lengths))],
    "outer": lambda a, b: a[..., :, None] * b[..., None, :], "einsum": _einsum, "range": range, "len": len,
    "softmax": lambda x, dim: NUMBERS["exp"](x) / SUM(NUMBERS["exp"](x), dim, True), "eye": np.eye,
    "along": lambda x, dim: x, "in_front": lambda x, many: x, "beyond": lambda each, x, padding: each,
    "numel": lambda x: np.size(x) if x is None else x.size,
    "nan_to_num": lambda x, *to: each(lambda v: Op("nan_to_num", (v, *map(Setting, to))), x),
    "cast": lambda x, to: each(lambda v: Op("cast", (v, Setting(str(np.dtype(to))))), x),
    "cross": lambda a, b, dim: ROLL(a, -1, dim) * ROLL(b, -2, dim) - ROLL(a, -2, dim) * ROLL(b, -1, dim),
}  # fmt: skip
ROLL = partial(moved, np.roll)
"""The functions of rules, of lazy arrays."""

TAKING: dict[str, tuple[Callable[..., Lazy], ...]] = {
    "largest": (lambda x, dim, y: MAX(x, dim, True), lambda x, dim, y: ARGMAX(x, dim, True)),
    "smallest": (lambda x, dim, y: MIN(x, dim, True), lambda x, dim, y: ARGMIN(x, dim, True)),
    "largest_so_far": (_so_far("max"),), "smallest_so_far": (_so_far("min"),),
    "largest_of_windows": (largest_of_windows,), "largest_of_stretches": (largest_of_stretches,),
    "cholesky": (_cholesky,), "distinct": (_distinct,),
}
"""The functions that claim a property of their results, as far as their cells are worked out by others: by result."""

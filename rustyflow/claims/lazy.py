"""Arrays of trees of numbers, each made when it is asked for, and functions of rules on them.

>>> from .tree import text
>>> x, w = (Lazy((2, 2), lambda i, name=name: Leaf(2.0, f"{name}[{i[0]}, {i[1]}]")) for name in "xw")
>>> text((x @ w.T).at((0, 1))), text(LAZY["sum"](LAZY["exp"](x), 0).at((1,))), text(LAZY["roll"](x, 1, 0).at((0, 0)))
('x[0, 0]·w[1, 0] + x[0, 1]·w[1, 1]', 'exp(x[0, 1]) + exp(x[1, 1])', 'x[1, 0]')
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np

from ..layout.strides import flat_index, unravel_index
from .reasons import chosen
from .rules import all_of
from .tree import Leaf, Op, Setting, Tree, added, floats
from .windows import shares
from .work import FUNCTIONS

Index = tuple[int, ...]

MOST = 256
"""Of a function that adds or weighs cells, so many cells are tried one by one, to see which ones each result reads."""


class Lazy:
    """An array whose cells are trees, each of them worked out when it is asked for.

    Attributes:
        shape: as NumPy has it.
        at: the tree of the cell at an index of that many numbers.
        array: the numbers of an operand, which are there anyway.
        name: that of an operand.
        gone: the axes, counted from the last one, that a reduction took out and a rule keeps so that the rest lines up.
    """

    def __init__(
        self, shape: Iterable[int], at: Callable[[Index], Tree], array: np.ndarray | None = None, name: str = "",
        gone: Iterable[int] = (),
    ):  # fmt: skip
        self.shape, self.at, self.array, self.name, self.gone = tuple(shape), at, array, name, frozenset(gone)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    T = property(lambda self: self.viewed(np.transpose))
    mT = property(lambda self: self.viewed(np.matrix_transpose))

    def __len__(self) -> int:
        return self.shape[0]

    def __neg__(self) -> "Lazy":
        return each(lambda x: sign("-", Leaf(0), x), self)

    def __getitem__(self, item: Any) -> "Lazy":
        item = tuple(part if part is None or part is ... or isinstance(part, int | slice) else np.asarray(numbers(part))
                     for part in all_of(item))  # fmt: skip
        view = self.viewed(lambda x: x[item])
        if view is not None:
            return view
        places = np.arange(self.size).reshape(self.shape)[item]
        return Lazy(places.shape, lambda i: self.at(unravel_index(int(places[i]), self.shape)))

    def viewed(self, run: Callable[[np.ndarray], Any]) -> "Lazy | None":
        """The same cells as NumPy reads them through a view, without a look at any; None if it makes a copy.

        In an array of one byte a cell the axes that are gone have stride 0, and so has one that an index adds.
        """
        cells = np.empty(self.shape, np.int8)
        steps = [0 if d - self.ndim in self.gone else step for d, step in enumerate(cells.strides)]
        view = run(np.lib.stride_tricks.as_strided(cells, strides=steps))
        if not isinstance(view, np.ndarray) or view.dtype != np.int8 or not np.may_share_memory(view, cells):
            return None if self.size else Lazy(np.shape(view), self.at)
        offset = view.__array_interface__["data"][0] - cells.__array_interface__["data"][0]
        gone = [d for d in range(-view.ndim, 0) if view.shape[d] == 1 and not view.strides[d]]
        return Lazy(view.shape, lambda i: self.at(unravel_index(flat_index(i, view.strides, offset), self.shape)),
                    gone=gone)  # fmt: skip

    def __matmul__(self, other: Any) -> "Lazy":
        a, b = self if self.ndim > 1 else self[None], other if other.ndim > 1 else other[:, None]
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        whole = Lazy((*lead, a.shape[-2], b.shape[-1]), lambda i: total(sign("*",
            a.at((*place_in(i[:-2], a.shape[:-2]), i[-2], k)), b.at((*place_in(i[:-2], b.shape[:-2]), k, i[-1]))
        ) for k in range(a.shape[-1])))  # fmt: skip
        return whole if self.ndim > 1 and other.ndim > 1 else whole[..., 0, :] if other.ndim > 1 else whole[..., 0]


SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%", "and": "&",
         "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
         "gt": ">", "ge": ">="}  # fmt: skip
for _name, _how in SIGNS.items():
    setattr(Lazy, f"__{_name}__", lambda a, b, how=_how: each(partial(sign, how), a, b))
    setattr(Lazy, f"__r{_name}__", lambda a, b, how=_how: each(partial(sign, how), b, a))
Lazy.__array_ufunc__ = None  # of an array and a lazy one, Python asks the lazy one


# trees of one cell


def _is(tree: Tree, value: float) -> bool:
    return isinstance(tree, Leaf) and not tree.name and tree.value == value


def sign(how: str, a: Tree, b: Tree) -> Tree:
    """A sign between two numbers, without what makes no difference: `x + 0`, `x·1`, `0·x`."""
    if all(isinstance(side, Leaf) and not side.name for side in (a, b)) and how in "+-*":
        return Leaf(floats(Op(how, (a, b))))
    if _is(b, 0) and how in "+-" or _is(b, 1) and how in ("*", "/", "**"):
        return a
    if _is(a, 0) and how == "+" or _is(a, 1) and how == "*":
        return b
    if _is(a, 0) and how == "-":
        return b.parts[0] if isinstance(b, Op) and b.how == "-" and len(b.parts) == 1 else Op("-", (b,))
    if how == "*" and (_is(a, 0) and isfinite(floats(b)) or _is(b, 0) and isfinite(floats(a))):
        return Leaf(0)
    first = a.parts if how in "+*" and isinstance(a, Op) and a.how == how else (a,)
    return Op(how, (*first, b))


def total(terms: Iterable[Tree]) -> Tree:
    """A sum, without the zeros of the rule's own."""
    return added(term for term in terms if not _is(term, 0))


def _product(terms: Sequence[Tree]) -> Tree:
    return Op("*", tuple(terms)) if len(terms) > 1 else terms[0] if terms else Leaf(1)


def _called(name: str, *parts: Tree) -> Tree:
    return Op(name, parts)


# lazy arrays


def lazy(x: Any) -> Lazy:
    """The same numbers as a lazy array; those that have no name are the rule's own."""
    if isinstance(x, Lazy):
        return x
    array = np.asarray(x)
    return Lazy(array.shape, lambda i: Leaf(array[i].item()))


def numbers(x: Any) -> Any:
    """The numbers of all cells; those of an index are whole."""
    if not isinstance(x, Lazy):
        return x
    if x.array is not None:
        return x.array
    cells = [floats(x.at(i)) for i in np.ndindex(*x.shape)]
    array = np.array(cells).reshape(x.shape)
    return array.astype(int) if array.dtype.kind == "f" and (array % 1 == 0).all() else array


def place_in(i: Index, shape: Index) -> Index:
    """The place in an array that is stretched to another one."""
    return tuple(0 if n == 1 else k for k, n in zip(i[len(i) - len(shape):], shape, strict=True))


def each(function: Callable[..., Tree], *operands: Any) -> Lazy:
    """A function of numbers, cell by cell."""
    arrays = [*map(lazy, operands)]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    gone = [d for d in range(-len(shape), 0) if all(-d > x.ndim or d in x.gone for x in arrays)]
    return Lazy(shape, lambda i: function(*(x.at(place_in(i, x.shape)) for x in arrays)), gone=gone)


def _reduction(join: Callable[[list[Tree]], Tree]) -> Callable[..., Lazy]:
    def reduce(x: Any, dim: Any = None, keepdim: bool = False) -> Lazy:
        if isinstance(x, list):  # the terms of `sum(... for k in range(n))`
            return each(lambda *terms: join([*terms]), *x)
        x, over = lazy(x), _axes(x, dim)
        kept = [d for d in range(x.ndim) if keepdim or d not in over]
        def at(i: Index) -> Tree:
            place = dict(zip(kept, i, strict=True))
            return join([x.at(j) for j in _lane(x, place, over)])
        gone = {d - len(kept) for d in (over if keepdim else ())} | {d for d in x.gone if keepdim}
        return Lazy([1 if d in over else x.shape[d] for d in kept], at, gone=gone)

    return reduce


def _axes(x: Any, dim: Any) -> set[int]:
    every = dim is None or dim == ()
    return set(range(x.ndim)) if every else {d % x.ndim for d in (dim if isinstance(dim, tuple) else (dim,))}


def _lane(x: Lazy, place: Mapping[int, int], over: set[int]) -> Iterable[Index]:
    return product(*(range(n) if d in over else (place[d],) for d, n in enumerate(x.shape)))


def fitted(x: Lazy, shape: Index) -> Lazy:
    """The same in a shape: summed over what was stretched, repeated along what was reduced."""
    if x.shape == shape:
        return x
    if x.size == prod(shape):
        return moved(np.reshape, x, shape)
    lead = x.ndim - len(shape)
    over = [d for d in range(x.ndim) if d < lead or shape[d - lead] == 1 != x.shape[d]]
    x = SUM(x, tuple(over), True) if over else x
    x = moved(np.reshape, x, x.shape[max(lead, 0):]) if lead > 0 else x
    return Lazy(shape, lambda i: x.at(place_in(i, x.shape)))


def _linear(ran: Callable[[np.ndarray], np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    """The weight with which a function adds each cell to each result, and what it makes of zeros.

    Raises:
        ValueError: it does something else. AssertionError: the same.
    """
    if count > MOST:
        raise ValueError(f"more than {MOST} cells")
    nothing = ran(np.zeros(count))
    if np.isnan(nothing).any():
        raise ValueError("of zeros it makes no numbers")
    finite, trial = np.isfinite(nothing), np.arange(1.0, count + 1)
    weights = np.array([np.where(finite, ran(one) - nothing, 0) for one in np.eye(count)]).round(12)
    for cells in (trial, -trial[::-1], np.sin(trial)):
        np.testing.assert_allclose(ran(cells)[finite], (nothing + np.tensordot(cells, weights, 1))[finite], 1e-7, 1e-9)
    return weights, nothing


def moved(run: Callable, *args: Any, **settings: Any) -> Lazy:
    """A function that moves cells, or adds and weighs them: NumPy runs it on numbers that tell them apart.

    Raises:
        ValueError: it does something else. AssertionError: the same.
    """
    flat = [part for arg in args for part in (arg if isinstance(arg, list) else [arg])]
    operands = [x for x in flat if isinstance(x, Lazy) and (x.array is None or x.array.dtype.kind != "b")]
    if not operands:
        return run(*map(numbers, args), **settings)
    def filled(*arrays: np.ndarray) -> Any:
        of = {id(x): array for x, array in zip(operands, arrays, strict=True)}
        def put(arg: Any) -> Any:
            if isinstance(arg, list):
                return [*map(put, arg)]
            return of[id(arg)] if id(arg) in of else numbers(arg)
        return run(*map(put, args), **settings)

    if len(operands) == 1 and (view := operands[0].viewed(filled)) is not None:
        return view
    ends = np.cumsum([0, *(x.size for x in operands)])
    count = int(ends[-1])

    def ran(cells: np.ndarray) -> np.ndarray:
        parts = (cells[a:b].reshape(x.shape) for x, a, b in zip(operands, ends, ends[1:], strict=False))
        return np.asarray(filled(*parts), float)

    def cell(k: int) -> Tree:
        which = int(np.searchsorted(ends, k, "right")) - 1
        return operands[which].at(unravel_index(k - int(ends[which]), operands[which].shape))

    order = np.arange(1.0, count + 1)
    places, other = ran(order), np.random.default_rng(0).permutation(order)
    if ((places >= 0) & (places <= count) & (places % 1 == 0)).all() and (ran(-order) == -places).all():
        at = places.astype(int)
        if (ran(other) == np.array([0, *other])[at]).all():
            return Lazy(at.shape, lambda i: cell(int(at[i]) - 1) if at[i] else Leaf(0))
    weights, nothing = _linear(ran, count)
    return Lazy(nothing.shape, lambda i: total([*(
        sign("*", cell(int(k)), Leaf(float(weights[k][i]))) for k in np.flatnonzero(weights[(slice(None), *i)])
    ), Leaf(float(nothing[i]))]))  # fmt: skip


# the functions of rules


def _shared(g: Any, taken: Lazy, dim: Any = None) -> Lazy:
    over = _axes(taken, dim)
    def at(i: Index) -> Tree:
        if not chosen(taken.at(i)):
            return Leaf(0)
        ties = sum(bool(floats(taken.at(j))) for j in _lane(taken, dict(enumerate(i)), over))
        return sign("/", g.at(place_in(i, g.shape)), Leaf(ties))
    g = lazy(g)
    return Lazy(taken.shape, at)


def _others(x: Lazy, dim: Any = None) -> Lazy:
    over = _axes(x, dim)
    return Lazy(x.shape, lambda i: _product([x.at(j) for j in _lane(x, dict(enumerate(i)), over) if j != i]))


def _einsum(equation: str, *operands: Lazy) -> Lazy:
    reads, _, out = equation.replace(" ", "").partition("->")
    reads = reads.split(",")
    sizes = {letter: n for read, x in zip(reads, map(lazy, operands), strict=True)
             for letter, n in zip(read, x.shape, strict=True)}  # fmt: skip
    summed = [letter for letter in sizes if letter not in out]
    def at(i: Index) -> Tree:
        every = (dict(zip((*out, *summed), (*i, *k), strict=True)) for k in np.ndindex(*(sizes[s] for s in summed)))
        return total(_product([x.at(tuple(place[s] for s in read)) for read, x in zip(reads, operands, strict=True)])
                     for place in every)  # fmt: skip
    return Lazy([sizes[letter] for letter in out], at)


def _var(x: Lazy, dim: Any = None, correction: float = 1, keepdim: bool = False, middle: Any = None) -> Lazy:
    count = prod(x.shape[d] for d in _axes(x, dim))
    return SUM((x - middle) ** 2, dim, keepdim) / (count - correction)


def _whole(name: str) -> Callable[[Lazy], Lazy]:
    """A function of whole matrices, of which a cell stands by its name, `inverse(x)[0, 1]`."""
    def run(x: Lazy) -> Lazy:
        array, of = np.asarray(FUNCTIONS[name](numbers(x))), f"{name}({x.name})" if x.name else name
        return Lazy(array.shape, lambda i: Leaf(float(array[i]), of + subscript(i)))

    return run


def _meeting(result: int, first: int, second: int) -> Callable[..., Lazy]:
    """A convolution, or a gradient of it, by the cells of x, w and y that meet."""
    def run(a: Any, b: Any, size: Index, stride: Index, padding: Index, dilation: Index, groups: int) -> Lazy:
        a, b = lazy(a), lazy(b)
        sizes = {result: tuple(size), first: a.shape, second: b.shape}
        reads: dict[Index, list[tuple[Index, Index]]] = {}
        for seen, there, out in shares(sizes[2], sizes[0], sizes[1], stride, padding, dilation, groups):
            for cells in zip(product(*map(np.ravel, seen)), product(*map(np.ravel, out)), strict=True):
                met = cells[0], there, cells[1]
                reads.setdefault(met[result], []).append((met[first], met[second]))
        return Lazy(size, lambda i: total(sign("*", a.at(j), b.at(k)) for j, k in reads.get(i, [])))

    return run


SUM, MEAN = _reduction(total), _reduction(lambda terms: sign("/", total(terms), Leaf(len(terms))))
MAX, MIN = (_reduction(lambda terms, name=name: Op(name, tuple(terms))) for name in ("max", "min"))
EXTREMES = {"largest": MAX, "smallest": MIN}
WHOLE = "inverse", "det"
NUMBERS = {name: partial(each, partial(_called, how)) for name, how in {
    **{name: name for name in "exp log log2 log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf"
       " log1p expm1 erfc hypot logaddexp abs sign floor ceil trunc round maximum minimum atan2 isnan isinf isfinite"
       " signbit gcd lcm xor".split()},
    "both": "and", "either": "or", "opposite_of": "not",
}.items()}  # fmt: skip
LAZY: dict[str, Callable] = {
    **{name: partial(moved, run) for name, run in FUNCTIONS.items() if callable(run)}, **NUMBERS,
    "where": partial(each, lambda c, a, b: a if chosen(c) else b), "sum": SUM, "mean": MEAN, "var": _var,
    "prod": _reduction(_product), "amax": MAX, "amin": MIN, "shared": _shared, "others": _others,
    **{name: _reduction(lambda terms, name=name: Op(name, tuple(terms)))
       for name in ("all", "any", "argmax", "argmin", "count_nonzero", "median", "nanmedian")},
    "outer": lambda a, b: a[..., :, None] * b[..., None, :], "einsum": _einsum, "range": range, "len": len,
    "softmax": lambda x, dim: NUMBERS["exp"](x) / SUM(NUMBERS["exp"](x), dim, True), "eye": np.eye,
    "along": lambda x, dim: x, "in_front": lambda x, many: x, "beyond": lambda each, x, padding: each,
    "convolved": _meeting(2, 0, 1), "spread_by_filters": _meeting(0, 2, 1), "filters_met": _meeting(1, 2, 0),
    **{name: _whole(name) for name in WHOLE}, "numel": lambda x: np.size(x) if x is None else x.size,
    "nan_to_num": lambda x, *to: each(lambda v: Op("nan_to_num", (v, *map(Setting, to))), x),
    "cast": lambda x, to: each(lambda v: Op("cast", (v, Setting(str(np.dtype(to))))), x),
    "cross": lambda a, b, dim: ROLL(a, -1, dim) * ROLL(b, -2, dim) - ROLL(a, -2, dim) * ROLL(b, -1, dim),
}  # fmt: skip
ROLL = partial(moved, np.roll)
"""The functions of rules, of lazy arrays."""


def subscript(i: Index) -> str:
    """The place of a cell as a program writes it; nothing where there are no axes."""
    return f"[{', '.join(map(str, i))}]" if i else ""

"""The functions of rules on lazy arrays: each told for one cell, by what it reads.

>>> from .tree import text
>>> x = Lazy((2, 2), lambda i: Leaf(2.0, f"x[{i[0]}, {i[1]}]"))
>>> text(LAZY["sum"](LAZY["exp"](x), 0).at((1,))), text(LAZY["roll"](x, 1, 0).at((0, 0)))
('exp(x[0, 1]) + exp(x[1, 1])', 'x[1, 0]')
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from .adding import ADDING
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
    subscript,
    total,
)
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


def _whole(name: str) -> Callable[[Lazy], Lazy]:
    """A function of whole matrices, of which a cell stands by its name, `inverse(x)[0, 1]`."""
    def run(x: Lazy) -> Lazy:
        array, of = np.asarray(FUNCTIONS[name](numbers(x))), f"{name}({x.name})" if x.name else name
        return Lazy(array.shape, lambda i: Leaf(float(array[i]), of + subscript(i)))

    return run


MEAN = reduction(lambda terms: sign("/", total(terms), Leaf(len(terms))))
MAX, MIN = (reduction(lambda terms, name=name: Op(name, tuple(terms))) for name in ("max", "min"))
EXTREMES = {"largest": MAX, "smallest": MIN}
WHOLE = "inverse", "det"
NUMBERS = {name: partial(each, partial(_called, how)) for name, how in {
    **{name: name for name in "exp log log2 log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf"
       " log1p expm1 erfc hypot logaddexp abs sign floor ceil trunc round maximum minimum atan2 isnan isinf isfinite"
       " signbit gcd lcm xor".split()},
    "both": "and", "either": "or", "opposite_of": "not",
}.items()}  # fmt: skip
LAZY: dict[str, Callable] = {
    **{name: partial(moved, run) for name, run in FUNCTIONS.items() if callable(run)}, **NUMBERS, **ADDING,
    "where": partial(each, lambda c, a, b: a if chosen(c) else b), "sum": SUM, "mean": MEAN, "var": _var,
    "prod": reduction(multiplied), "amax": MAX, "amin": MIN, "shared": _shared, "others": _others,
    **{name: reduction(lambda terms, name=name: Op(name, tuple(terms)))
       for name in ("all", "any", "argmax", "argmin", "count_nonzero", "median", "nanmedian")},
    "outer": lambda a, b: a[..., :, None] * b[..., None, :], "einsum": _einsum, "range": range, "len": len,
    "softmax": lambda x, dim: NUMBERS["exp"](x) / SUM(NUMBERS["exp"](x), dim, True), "eye": np.eye,
    "along": lambda x, dim: x, "in_front": lambda x, many: x, "beyond": lambda each, x, padding: each,
    **{name: _whole(name) for name in WHOLE}, "numel": lambda x: np.size(x) if x is None else x.size,
    "nan_to_num": lambda x, *to: each(lambda v: Op("nan_to_num", (v, *map(Setting, to))), x),
    "cast": lambda x, to: each(lambda v: Op("cast", (v, Setting(str(np.dtype(to))))), x),
    "cross": lambda a, b, dim: ROLL(a, -1, dim) * ROLL(b, -2, dim) - ROLL(a, -2, dim) * ROLL(b, -1, dim),
}  # fmt: skip
ROLL = partial(moved, np.roll)
"""The functions of rules, of lazy arrays."""

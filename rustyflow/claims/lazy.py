"""Arrays of trees of numbers, each made when it is asked for.

>>> from .tree import text
>>> x, w = (Lazy((2, 2), lambda i, name=name: Leaf(2.0, f"{name}[{i[0]}, {i[1]}]")) for name in "xw")
>>> text((x @ w.T).at((0, 1))), text(SUM(x, 0).at((1,))), text(moved(np.roll, x, 1, 0).at((0, 0)))
('x[0, 0]·w[1, 0] + x[0, 1]·w[1, 1]', 'x[0, 1] + x[1, 1]', 'x[1, 0]')
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np

from ..layout.strides import flat_index, unravel_index
from .reasons import choices, told
from .rules import all_of
from .tree import Leaf, Op, Tree, added, floats

Index = tuple[int, ...]


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

    def __invert__(self) -> "Lazy":
        bools = self.array is not None and self.array.dtype.kind == "b"
        return each(lambda x: Op("not", (x,)) if bools else sign("-", Op("-", (x,)), Leaf(1)), self)

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


def multiplied(terms: Sequence[Tree]) -> Tree:
    """A product."""
    return Op("*", tuple(terms)) if len(terms) > 1 else terms[0] if terms else Leaf(1)


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


def reduction(join: Callable[[list[Tree]], Tree]) -> Callable[..., Lazy]:
    """A function that joins the cells along some axes, or over all."""
    def reduce(x: Any, dim: Any = None, keepdim: bool = False) -> Lazy:
        if isinstance(x, list):  # the terms of `sum(... for k in range(n))`
            return each(lambda *terms: join([*terms]), *x)
        x, over = lazy(x), axes_of(x, dim)
        kept = [d for d in range(x.ndim) if keepdim or d not in over]
        def at(i: Index) -> Tree:
            place = dict(zip(kept, i, strict=True))
            return join([x.at(j) for j in lane(x, place, over)])
        gone = {d - len(kept) for d in (over if keepdim else ())} | {d for d in x.gone if keepdim}
        return Lazy([1 if d in over else x.shape[d] for d in kept], at, gone=gone)

    return reduce


def axes_of(x: Any, dim: Any) -> set[int]:
    """The axes that a dim, several or none names."""
    every = dim is None or dim == ()
    return set(range(x.ndim)) if every else {d % x.ndim for d in (dim if isinstance(dim, tuple) else (dim,))}


def lane(x: Lazy, place: Mapping[int, int], over: set[int]) -> Iterable[Index]:
    """The cells along some axes, at a place on the others."""
    return product(*(range(n) if d in over else (place[d],) for d, n in enumerate(x.shape)))


SUM = reduction(total)


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


def moved(run: Callable, *args: Any, **settings: Any) -> Lazy:
    """A function that moves cells, beside numbers of its own: NumPy runs it on numbers that tell them apart.

    Raises:
        ValueError: it does something else.
    """
    flat = [part for arg in args for part in (arg if isinstance(arg, list) else [arg])]
    lazies = [x for x in flat if isinstance(x, Lazy)]
    operands = [x for x in lazies if x.array is None or x.array.dtype.kind != "b"] or lazies
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
    other = np.random.default_rng(0).permutation(order)
    there, back, again = ran(order), ran(-order), ran(other)
    at = np.where((there == -back) & (there % 1 == 0) & (there >= 0) & (there <= count), there, 0).astype(int)
    own = (there == back) & (there == again) | np.isnan(there) & np.isnan(back) & np.isnan(again)
    if not (own | (at > 0) & (again == np.array([0, *other])[at])).all():
        raise ValueError("it does not only move cells")
    return Lazy(at.shape, lambda i: Leaf(there[i].item()) if own[i] else cell(int(at[i]) - 1))


class Part(Leaf):
    """A cell of a rule's part: its number and its name; the tree that it comes from is worked out when it is asked for.

    Attributes:
        make: the tree, and the choices that were made for it.
    """

    make: Callable[[], tuple[Tree, str]]

    @cached_property
    def _made(self) -> tuple[Tree, str]:
        return self.make()

    tree = property(lambda self: self._made[0], doc="One level, whose leaves may be parts in turn.")
    why = property(lambda self: self._made[1], doc="The choice that was made for it, in words, or nothing.")

    @cached_property
    def overflows(self) -> bool:
        """True if a number became infinite or none on the way to it."""
        return overflows(self.tree)


def stopping(name: str, whole: Lazy, values: np.ndarray | None = None) -> Lazy:
    """The same cells, each of them a part; what a leaf says alone stays one.

    Args:
        name: that of the part.
        whole: its cells.
        values: its numbers, where these are known without the trees.
    """
    stops: dict[Index, Tree] = {}
    def make(i: Index) -> tuple[Tree, str]:
        with choices() as made:
            return whole.at(i), told(made)
    def part(i: Index) -> Tree:
        tree = None if values is not None else make(i)[0]
        if isinstance(tree, Leaf) and "(" in tree.name:  # a cell of a whole matrix, by its name
            return tree
        seen = tuple(k for d, k in enumerate(i) if d - len(i) not in whole.gone)
        part = Part(floats(tree) if values is None else values[i].item(), name + subscript(seen))
        part.make = partial(make, i)
        return part
    def at(i: Index) -> Tree:
        if i not in stops:
            stops[i] = part(i)
        return stops[i]
    return Lazy(whole.shape, at, gone=whole.gone)


def overflows(tree: Tree, *, deep: bool = True) -> bool:
    """True if a number of a tree, and of its parts where asked for, becomes infinite, or none, of finite ones."""
    if isinstance(tree, Part):
        return deep and tree.overflows
    if not isinstance(tree, Op):
        return False
    here = not isfinite(floats(tree)) and all(isfinite(floats(part)) for part in tree.parts)
    return here or any(overflows(part, deep=deep) for part in tree.parts)


def subscript(i: Index) -> str:
    """The place of a cell as a program writes it; nothing where there are no axes."""
    return f"[{', '.join(map(str, i))}]" if i else ""

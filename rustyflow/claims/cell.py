"""A rule told for one cell: the tree of that cell's numbers, which works out no other cell than those it reads.

A rule runs on lazy arrays. The letters that it defines, and sums within larger rules, are its parts: a cell of one
stands in a tree as a leaf that has a tree of its own.

>>> import rustyflow as rf
>>> from .tree import text
>>> x = np.array([[0.0, 1.0], [2.0, 0.0]])
>>> y = cells(Rules(rf.softmax.__doc__, {"x": x}, {"dim": 1}, {"y": x}), "y")
>>> cell = y.at((0, 1))
>>> text(cell), [text(part.tree) for part in cell.parts]
('e[0, 1] / s[0, 0]', ['exp(x[0, 1])', 'e[0, 0] + e[0, 1]'])
>>> text(in_numbers(cell)), round(floats(cell), 4)
('2.72 / 3.72', 0.7311)
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np

from .cells import indices
from .fold import NOTHING, call
from .letters import names_in, used_letters
from .meaning import MEANINGS
from .rule import Rule
from .rules import Rules, all_of
from .tree import Leaf, Op, Setting, Tree, added, floats
from .windows import shares
from .work import FUNCTIONS, evaluate

Index = tuple[int, ...]

MOST = 256
"""Of a function that adds or weighs cells, so many cells are tried one by one, to see which ones each result reads."""


class Part(Leaf):
    """A cell of a rule's part: its number, its name, and the tree that it comes from.

    Attributes:
        tree: one level, whose leaves may be parts in turn.
    """

    tree: Tree


def in_numbers(tree: Tree) -> Tree:
    """The same tree, whose leaves say their numbers."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(map(in_numbers, tree.parts)))
    return Leaf(tree.value) if isinstance(tree, Leaf) else tree


class Lazy:
    """An array whose cells are trees, each of them worked out when it is asked for.

    Attributes:
        shape: as NumPy has it.
        at: the tree of the cell at an index of that many numbers.
        array: the numbers of an operand, which are there anyway.
        name: that of an operand.
    """

    def __init__(
        self, shape: Iterable[int], at: Callable[[Index], Tree], array: np.ndarray | None = None, name: str = ""
    ):  # fmt: skip
        self.shape, self.at, self.array, self.name = tuple(shape), at, array, name

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    T = property(lambda self: Lazy(self.shape[::-1], lambda i: self.at(i[::-1])))
    mT = property(lambda self: Lazy((*self.shape[:-2], self.shape[-1], self.shape[-2]),
                                    lambda i: self.at((*i[:-2], i[-1], i[-2]))))  # fmt: skip

    def __len__(self) -> int:
        return self.shape[0]

    def __neg__(self) -> "Lazy":
        return each(lambda x: _sign("-", Leaf(0), x), self)

    def __getitem__(self, item: Any) -> "Lazy":
        item = tuple(part if part is None or part is ... or isinstance(part, int | slice) else np.asarray(numbers(part))
                     for part in all_of(item))  # fmt: skip
        return moved(lambda x: x[item], self)

    def __matmul__(self, other: Any) -> "Lazy":
        a, b = (side if side.ndim > 1 else axes for side, axes in ((self, self[None]), (other, other[:, None])))
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        whole = Lazy((*lead, a.shape[-2], b.shape[-1]), lambda i: total(_sign("*",
            a.at((*_within(i[:-2], a.shape[:-2]), i[-2], k)), b.at((*_within(i[:-2], b.shape[:-2]), k, i[-1]))
        ) for k in range(a.shape[-1])))  # fmt: skip
        return whole if self.ndim > 1 and other.ndim > 1 else whole[..., 0, :] if other.ndim > 1 else whole[..., 0]


SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "floordiv": "//", "mod": "%", "and": "&",
         "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
         "gt": ">", "ge": ">="}  # fmt: skip
for _name, _how in SIGNS.items():
    setattr(Lazy, f"__{_name}__", lambda a, b, how=_how: each(partial(_sign, how), a, b))
    setattr(Lazy, f"__r{_name}__", lambda a, b, how=_how: each(partial(_sign, how), b, a))
Lazy.__array_ufunc__ = None  # of an array and a lazy one, Python asks the lazy one


# trees of one cell


def _is(tree: Tree, value: float) -> bool:
    return isinstance(tree, Leaf) and not tree.name and tree.value == value


def _sign(how: str, a: Tree, b: Tree) -> Tree:
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


def _within(i: Index, shape: Index) -> Index:
    """The place in an array that is stretched to another one."""
    return tuple(0 if n == 1 else k for k, n in zip(i[len(i) - len(shape):], shape, strict=True))


def each(function: Callable[..., Tree], *operands: Any) -> Lazy:
    """A function of numbers, cell by cell."""
    arrays = [*map(lazy, operands)]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    return Lazy(shape, lambda i: function(*(x.at(_within(i, x.shape)) for x in arrays)))


def _reduction(join: Callable[[list[Tree]], Tree]) -> Callable[..., Lazy]:
    def reduce(x: Any, dim: Any = None, keepdim: bool = False) -> Lazy:
        if isinstance(x, list):  # the terms of `sum(... for k in range(n))`
            return each(lambda *terms: join([*terms]), *x)
        x, over = lazy(x), _axes(x, dim)
        kept = [d for d in range(x.ndim) if keepdim or d not in over]
        def at(i: Index) -> Tree:
            place = dict(zip(kept, i, strict=True))
            return join([x.at(j) for j in _lane(x, place, over)])
        return Lazy([1 if d in over else x.shape[d] for d in kept], at)

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
    x = moved(np.reshape, x, x.shape[max(lead, 0):])
    return Lazy(shape, lambda i: x.at(_within(i, x.shape)))


def moved(run: Callable, *args: Any, **settings: Any) -> Lazy:
    """A function that moves cells, or adds and weighs them: NumPy runs it on numbers that tell them apart.

    Raises:
        ValueError: it does something else.
    """
    flat = [part for arg in args for part in (arg if isinstance(arg, list) else [arg])]
    operands = [x for x in flat if isinstance(x, Lazy) and (x.array is None or x.array.dtype.kind != "b")]
    if not operands:
        return run(*map(numbers, args), **settings)
    ends = np.cumsum([0, *(x.size for x in operands)])
    count = int(ends[-1])

    def ran(cells: np.ndarray) -> np.ndarray:
        filled = {id(x): cells[a:b].reshape(x.shape) for x, a, b in zip(operands, ends, ends[1:], strict=False)}
        def put(arg: Any) -> Any:
            return [*map(put, arg)] if isinstance(arg, list) else filled.get(id(arg), numbers(arg))
        return np.asarray(run(*map(put, args), **settings), float)

    def cell(k: int) -> Tree:
        which = int(np.searchsorted(ends, k, "right")) - 1
        return operands[which].at(tuple(map(int, np.unravel_index(k - ends[which], operands[which].shape))))

    order = np.arange(1.0, count + 1)
    places, other = ran(order), np.random.default_rng(0).permutation(order)
    whole = bool(((places >= 0) & (places <= count) & (places % 1 == 0)).all())
    at = places.astype(int) - 1 if whole else None
    if whole and (ran(-order) == -places).all() and (ran(other) == np.where(at < 0, 0, other[at] if count else 0)).all():
        return Lazy(places.shape, lambda i: cell(int(at[i])) if at[i] >= 0 else Leaf(0))
    if count > MOST:
        raise ValueError(f"more than {MOST} cells")
    nothing = ran(np.zeros(count))
    finite = np.isfinite(nothing)
    if np.isnan(nothing).any():
        raise ValueError("of zeros it is no number")
    weights = np.array([np.where(finite, ran(one) - nothing, 0) for one in np.eye(count)]).round(12)
    for trial in (other, -other, np.sin(other)):
        np.testing.assert_allclose(ran(trial)[finite], (nothing + np.tensordot(trial, weights, 1))[finite], 1e-7, 1e-9)
    return Lazy(nothing.shape, lambda i: total([*(
        _sign("*", cell(int(k)), Leaf(float(weights[k][i]))) for k in np.flatnonzero(weights[(slice(None), *i)])
    ), Leaf(float(nothing[i]))]))  # fmt: skip


# the functions of rules


def _shared(g: Any, chosen: Lazy, dim: Any = None) -> Lazy:
    over = _axes(chosen, dim)
    def at(i: Index) -> Tree:
        ties = sum(bool(floats(chosen.at(j))) for j in _lane(chosen, dict(enumerate(i)), over))
        return _sign("/", g.at(_within(i, g.shape)), Leaf(ties)) if floats(chosen.at(i)) else Leaf(0)
    g = lazy(g)
    return Lazy(chosen.shape, at)


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
        return Lazy(array.shape, lambda i: Leaf(float(array[i]), of + _subscript(i)))

    return run


def _meeting(result: int, first: int, second: int) -> Callable[..., Lazy]:
    """A convolution or a gradient of it: of a cell of x, one of w and one of y that meet, which is which."""
    def run(a: Any, b: Any, size: Index, stride: Index, padding: Index, dilation: Index, groups: int) -> Lazy:
        a, b = lazy(a), lazy(b)
        sizes = {result: tuple(size), first: a.shape, second: b.shape}
        reads: dict[Index, list[tuple[Index, Index]]] = {}
        for seen, there, out in shares(sizes[2], sizes[0], sizes[1], stride, padding, dilation, groups):
            for cells in zip(product(*map(np.ravel, seen)), product(*map(np.ravel, out)), strict=True):
                met = cells[0], there, cells[1]
                reads.setdefault(met[result], []).append((met[first], met[second]))
        return Lazy(size, lambda i: total(_sign("*", a.at(j), b.at(k)) for j, k in reads.get(i, [])))

    return run


SUM, MEAN = _reduction(total), _reduction(lambda terms: _sign("/", total(terms), Leaf(len(terms))))
MAX, MIN = (_reduction(lambda terms, name=name: Op(name, tuple(terms))) for name in ("max", "min"))
EXTREMES = {"largest": MAX, "smallest": MIN}
WHOLE = "inverse", "det"
NUMBERS = {name: partial(each, partial(_called, how)) for name, how in {
    **{name: name for name in "exp log log2 log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf"
       " abs sign floor ceil trunc round maximum minimum atan2 isnan isinf isfinite signbit gcd lcm xor".split()},
    "both": "and", "either": "or", "opposite_of": "not",
}.items()}  # fmt: skip
LAZY: dict[str, Callable] = {
    **{name: partial(moved, run) for name, run in FUNCTIONS.items() if callable(run)}, **NUMBERS,
    "where": partial(each, lambda c, a, b: a if floats(c) else b), "sum": SUM, "mean": MEAN, "var": _var,
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


# rules


class Stops(ast.NodeTransformer):
    """Gives sums and matrix products within larger rules a letter, so that a cell's tree stays one line.

    >>> from .rule import rules_in
    >>> rule = stopped(rules_in("y = x / sum(exp(x), 0) + x @ w - mean(x)")[0], {"x", "w"})
    >>> ast.unparse(rule.tree), [(name, ast.unparse(tree)) for name, tree in rule.known]
    ('x / total + x @ w - average', [('total', 'sum(exp(x), 0)'), ('average', 'mean(x)')])
    """

    names: Mapping[str, str] = {"sum": "total", "": "product", "mean": "average", "prod": "product", "var": "variance",
                                "amax": "greatest", "amin": "least", "softmax": "shares"}  # fmt: skip

    def __init__(self, arrays: set[str]):
        self.arrays, self.inside = arrays, 0
        self.parts: dict[str, tuple[str, ast.expr]] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        """Inside is 2 where a term is multiplied or added up, 1 where it is a term of a sum, which may be flat."""
        outer, name = self.inside, getattr(getattr(node, "func", None), "id", None)
        kind = "" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) else name
        if isinstance(node, ast.BinOp) and kind is None:
            within = 1 if isinstance(node.op, ast.Add | ast.Sub) else 2
            left, right = (within * bool(names_in(side) & self.arrays) for side in (node.left, node.right))
            self.inside, node.left = max(outer, right), self.visit(node.left)
            self.inside, node.right = max(outer, left), self.visit(node.right)
        else:
            self.inside = 2 if kind in self.names else outer
            self.generic_visit(node)
        if kind == "var":
            middle = call("mean", *deepcopy(node.args[:2]), *[ast.Constant(True)] * (len(node.args) > 1))
            node.keywords.append(ast.keyword("middle", self._letter(middle, "mean")))
        self.inside = outer
        return self._letter(node, kind) if kind in self.names and outer > (kind in ("sum", "")) else node

    def _letter(self, node: ast.expr, kind: str) -> ast.Name:
        taken = {name for name, _ in self.parts.values()} | self.arrays
        free = next(name for k in ("", *range(2, 99)) if (name := f"{self.names[kind]}{k}") not in taken)
        return ast.Name(self.parts.setdefault(ast.unparse(node), (free, node))[0], ast.Load())


def stopped(rule: Rule, arrays: set[str]) -> Rule:
    """The rule with letters for the sums that stand within it."""
    stops = Stops(arrays | {name for name, _ in rule.known})
    tree = stops.visit(deepcopy(rule.tree))
    known = [(name, stops.visit(deepcopy(part))) for name, part in rule.known]
    return Rule(rule.left, tree, (*dict(stops.parts.values()).items(), *known))


class OfLetters(ast.NodeTransformer):
    """The terms of a sum over indices as a function of these."""

    def __init__(self, letters: Iterable[str]):
        self.letters = [ast.arg(letter) for letter in letters]

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if getattr(node.func, "id", "") != "sum":
            return self.generic_visit(node)
        return call("sum", ast.Lambda(ast.arguments([], self.letters, None, [], [], None, []), node.args[0]))


class Endless(Lazy):
    """A lazy array that is read cell by cell, and is 0 beyond its ends."""

    def __getitem__(self, item: Any) -> Lazy:
        i = tuple(int(numbers(lazy(part))) for part in all_of(item))
        inside = all(0 <= k < n for k, n in zip(i, self.shape, strict=True))
        return Lazy((), lambda _: self.at(i) if inside else Leaf(0))


class Told:
    """One rule of a call on lazy arrays; its parts are worked out when they are asked for."""

    def __init__(self, rules: Rules, rule: Rule, sent: Mapping[str, Any], names: Mapping[str, str]):
        self.rules, self.sent, self.names = rules, sent, names
        arrived, whole = rules.arrived(sent), any(x.dtype.kind == "f" for x in rules.operands.values())
        arrays = {**rules.results, **rules.operands, **arrived}
        self.values = {name: x for name, x in rules.names_for(arrived).items() if not callable(x)} | rules.attrs
        self.values |= {name: self._operand(name, arrays[name], whole) for name in arrays if arrays[name] is not None
                        and (name not in FUNCTIONS or name in rules.operands)}  # fmt: skip
        self.values["tensors"] = [self.values[name] for name in rules.operands]
        self.rule = rule if indices(rule) else stopped(rule, {*arrays})
        self.parts: dict[str, Any] = {}

    def _operand(self, name: str, array: Any, floating: bool) -> Any:
        if isinstance(array, list):
            return [self._operand(f"{name}[{k}]", each, floating) for k, each in enumerate(array)]
        if array.dtype.kind in "iu" and floating:
            return array  # class numbers and indices, by which others are read
        axes, name = self.rules.sizes.get(name, array.shape), self.names.get(name, name)
        def at(i: Index) -> Leaf:
            value = array[i] if array.dtype.kind == "f" else array[i].item()
            return Leaf(value, name + _subscript(i) * bool(axes))  # of one that has none, `ready` made a line
        return Lazy(array.shape, at, array, name)

    def worked(self, tree: ast.expr, **names: Any) -> Any:
        """Returns a tree as a lazy array; the letters that it uses are parts."""
        used = names_in(tree)
        letters = {name: self._part(name, part) for name, part in self.rule.known if name in used}
        letters |= {left: self._part(left, None) for left in {*self.rules.gradient_of.values()} & used}
        return evaluate(tree, {}, {**LAZY, "given_back": self._given_back, **self.values, **letters, **names})

    def _part(self, name: str, tree: ast.expr | None) -> Any:
        """A letter of the rule; without a tree it is the gradient of another operand."""
        if name not in self.parts:
            whole = self.worked(tree) if tree else cells(self.rules, name, self.sent, self.names)
            stops: dict[Index, Part] = {}
            def at(i: Index) -> Tree:
                if i not in stops:
                    inner = whole.at(i)
                    stops[i] = Part(floats(inner), self.names.get(name, name) + _subscript(i))
                    stops[i].tree = inner
                return stops[i]
            self.parts[name] = Lazy(whole.shape, at) if isinstance(whole, Lazy) else whole
        return self.parts[name]

    def _given_back(self, g: Lazy, x: Lazy) -> Lazy:
        """A cell gets what arrives at those that read it."""
        letter = next(name for name, value in self.values.items() if value is x)
        places = np.arange(float(x.size)).reshape(x.shape)
        read = np.asarray(self.rules.value("y", **{letter: places})).astype(int)
        g = fitted(g, read.shape)
        return Lazy(x.shape, lambda i: total(g.at(tuple(map(int, j))) for j in np.argwhere(read == int(places[i]))))

    def taken(self, function: str) -> Lazy:
        """The cells that a choice along an axis, or in each window, takes; where they stand is a result, too."""
        x, dim, places = self.values["x"], self.rules.attrs.get("dim"), np.asarray(self.rules.results["indices"])
        if function in EXTREMES:
            return EXTREMES[function](x, dim, True)
        numbered, axis = np.arange(x.size).reshape(x.shape), dim
        if dim is None:  # an index counts the cells of a plane
            numbered, places = (a.reshape(*a.shape[:-2], -1) for a in (numbered, places))
            axis = -1
        places = places if places.ndim == numbered.ndim else np.expand_dims(places, axis)
        read = np.take_along_axis(numbered, places, axis)
        return Lazy(read.shape, lambda i: x.at(tuple(map(int, np.unravel_index(read[i], x.shape)))))

    def lines(self, within: list[str], shape: Index) -> Lazy:
        """A rule of one index along an axis, `y[:, i] = ...`."""
        dim = len(within) - 1
        def at(i: Index) -> Tree:
            line, rest = lazy(self.worked(self.rule.tree, **{within[dim]: i[dim]})), i[:dim] + i[dim + 1:]
            return line.at(rest if line.ndim == len(rest) else _within(i, line.shape))
        return Lazy(shape, at)

    def at_indices(self, shape: Index) -> Lazy:
        """A rule of cells, `y[i] = sum(x[i + k] * w[k])`: its sum runs over the indices that are not on the left."""
        place, left = ast.parse(self.rule.left, mode="eval").body, self.rule.left.partition("[")[0]
        sizes = {name: np.shape(x) if isinstance(x, np.ndarray) else x.shape
                 for name, x in self.values.items() if isinstance(x, Lazy | np.ndarray)}  # fmt: skip
        grid = self.rules.grid([place, self.rule.tree], {**sizes, left: shape})
        tree, wide = OfLetters(grid).visit(deepcopy(self.rule.tree)), [axis.size for axis in grid.values()]
        endless = {name: Endless(x.shape, x.at) for name, x in self.values.items() if isinstance(x, Lazy)}
        sides = all_of(evaluate(place.slice, {}, {**self.values, **grid}))
        def at(i: Index) -> Tree:
            there = np.broadcast_to(np.all(np.broadcast_arrays(*(s == k for s, k in zip(sides, i, strict=True))), 0), wide)
            every = np.argwhere(there).tolist()
            summed = lambda term: each(lambda *terms: total(terms), *(term(*one) for one in every)) if every else 0  # noqa: E731
            first = dict(zip(grid, every[0], strict=True)) if every else dict.fromkeys(grid, 0)
            return lazy(self.worked(tree, **{**endless, **first, "sum": summed})).at(())
        return Lazy(shape, at)


def cells(
    rules: Rules, left: str, sent: Mapping[str, Any] = NOTHING, names: Mapping[str, str] = NOTHING
) -> Lazy | None:
    """The cells of one result or gradient of a call, each as the tree of its numbers; None where its rule has none.

    Args:
        rules: those of the call.
        left: a result, `y`, or the gradient of an operand, `dx`; of one of several, `dtensors[1]`.
        sent: the upstream gradients by the names of the results.
        names: other names for letters of the rule, `{"x": "hidden", "s": "softmax.s"}`.

    Example:
        >>> import rustyflow as rf
        >>> from .tree import text
        >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
        >>> rules = Rules(rf.mm.__doc__, {"a": a, "b": b}, {}, {"y": a @ b})
        >>> text(cells(rules, "y").at((0, 0)))
        'a[0, 0]·b[0, 0] + a[0, 1]·b[1, 0]'
        >>> text(cells(rules, "db", {"y": np.array([[5.0]])}, {"a": "left"}).at((1, 0)))
        'left[0, 1]·g[0, 0]'
    """
    operand = left[1:] if left not in rules.results else ""
    rule = rules.rules[rules.gradient_of[operand] if operand else left]
    shape = rules.sizes[operand] if operand else rules.results[left].shape
    try:
        told = Told(rules, rule, sent, names)
        told.values |= {"k": k for k, name in enumerate(rules.operands) if name == operand != rule.left[1:]}
        within, function = indices(rule), getattr(getattr(rule.tree, "func", None), "id", "")
        if function in WHOLE:
            return None
        if function in MEANINGS and MEANINGS[function].proves:
            return fitted(told.taken(function), shape) if left == "values" else None
        if not within:
            return fitted(lazy(told.worked(told.rule.tree)), shape)
        sliced = any(isinstance(node, ast.Slice | ast.GeneratorExp) for node in ast.walk(rule.tree))
        return told.lines(within, shape) if sliced else told.at_indices(shape)
    except Exception:  # a function that neither reckons cell by cell nor moves cells
        return None


def _subscript(i: Index) -> str:
    return f"[{', '.join(map(str, i))}]" if i else ""

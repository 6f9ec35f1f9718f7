"""A rule told for one cell: the tree of that cell's numbers.

No other cell is worked out than those that it reads. A rule runs on lazy arrays. The letters that it defines, and sums
within larger rules, are its parts: a cell of one stands in a tree as a leaf that has a tree of its own.

>>> import rustyflow as rf
>>> from .tree import text
>>> x = np.array([[0.0, 1.0], [2.0, 0.0]])
>>> y = cells(Rules(rf.softmax.__doc__, {"x": x}, {"dim": 1}, {"y": x}), "y")
>>> cell = y.at((0, 1))
>>> text(cell), [text(part.tree) for part in cell.parts]
('e[0, 1] / s[0]', ['exp(x[0, 1])', 'e[0, 0] + e[0, 1]'])
>>> text(in_numbers(cell))
'2.72 / 3.72'
"""

import ast
from collections.abc import Mapping
from functools import cached_property, lru_cache, reduce
from math import prod
from operator import and_
from typing import Any

import numpy as np

from ..layout.strides import unravel_index
from .cells import indices
from .cellwise import LAZY, TAKING
from .fold import NOTHING
from .lazy import (
    Index,
    Lazy,
    Part as Part,
    each,
    fitted,
    lazy,
    numbers,
    overflows,
    place_in,
    stopping,
    subscript,
    total,
)
from .letters import function_of, renamed, trees_of
from .meaning import MEANINGS
from .reasons import NAN, ONE, PICKED, TAKEN, choices, noun, told
from .rule import Rule, copied
from .rules import Rules, all_of
from .stops import OfLetters, shown, stopped
from .tree import Leaf, Op, Tree, floats, leaves, text
from .work import FUNCTIONS, evaluate, is_arithmetic, ready

SINGLE = np.float16, np.float32

TERM = 2
"""So many numbers a term of a sum may have that is written out; of more it is a part."""


def in_numbers(tree: Tree) -> Tree:
    """The same tree, whose leaves say their numbers."""
    if isinstance(tree, Op):
        return Op(tree.how, tuple(map(in_numbers, tree.parts)))
    return Leaf(tree.value) if isinstance(tree, Leaf) else tree



class Endless(Lazy):
    """A lazy array that is read cell by cell, and is 0 beyond its ends."""

    def __getitem__(self, item: Any) -> Lazy:
        i = tuple(part if type(part) is int else int(numbers(part)) for part in all_of(item))
        inside = all(0 <= k < n for k, n in zip(i, self.shape, strict=True))
        return Lazy((), lambda _: self.at(i) if inside else Leaf(0))


class Told:
    """A rule of one call on lazy arrays; its parts are worked out when they are asked for."""

    def __init__(self, rules: Rules, rule: Rule, sent: Mapping[str, Any], names: Mapping[str, str]):
        self.rules, self.sent, self.names = rules, sent, names
        arrived, whole = rules.arrived(sent), any(x.dtype.kind == "f" for x in rules.operands.values())
        arrays = {**rules.results, **rules.operands, **arrived}
        self.values = {name: x for name, x in rules.names_for(arrived).items() if not callable(x)} | rules.attrs
        self.values |= {name: self._operand(name, arrays[name], whole) for name in arrays if arrays[name] is not None
                        and (name not in FUNCTIONS or name in rules.operands)}  # fmt: skip
        self.values["tensors"] = [self.values[name] for name in rules.operands]
        for left in ready(rule.tree)[1] & {*rules.gradient_of.values()}:  # `db = -da`
            other = rules.rules[left]
            rule = Rule(rule.left, renamed(rule.tree, {left: other.tree}), (*rule.known, *other.known))
        term = "l" if "reduction" in rules.attrs else "term"  # the loss of one cell, as it is called in the field
        self.rule = rule if indices(rule) else stopped(rule, frozenset(self.values) & frozenset(arrays), term)
        self.parts: dict[str, Any] = {}
        self.arrived, self.numbers, self.infinite = arrived, {}, False

    def shown(self, name: str) -> str:
        """The name that a letter of the rule is told by."""
        name = shown(name)
        return self.names.get(name, name)

    def _operand(self, name: str, array: Any, floating: bool) -> Any:
        if isinstance(array, list):
            return [self._operand(f"{name}[{k}]", each, floating) for k, each in enumerate(array)]
        if array.dtype.kind in "iu" and (floating or name == "index"):
            return array  # class numbers and indices, by which others are read
        axes, name = self.rules.sizes.get(name, array.shape), self.names.get(name, name)
        def at(i: Index) -> Leaf:
            value = array[i] if array.dtype.kind == "f" else array[i].item()
            return Leaf(value, name + subscript(i) * bool(axes))  # of one that has none, `ready` made a line
        return Lazy(array.shape, at, array, name)

    def worked(self, tree: ast.expr, **names: Any) -> Any:
        """Returns a tree as a lazy array; the letters that it uses are parts."""
        _, used = ready(tree)
        letters = {name: self._part(name, part) for name, part in self.rule.known if name in used}
        return evaluate(tree, {}, {**LAZY, "given_back": self._given_back, **self.values, **letters, **names})

    def _part(self, name: str, tree: ast.expr) -> Any:
        if name not in self.parts:
            whole = self.worked(tree)
            self.parts[name] = (stopping(self.shown(name), whole, self._numbers(name, tree, whole.shape))
                                if isinstance(whole, Lazy) else whole)  # fmt: skip
        return self.parts[name]

    @cached_property
    def arrays(self) -> dict[str, Any]:
        """The arrays and arguments of the rule; in float64, as trees are worked out."""
        names = self.rules.names_for(self.arrived)
        single = {name: x.astype(float) for name, x in names.items() if getattr(x, "dtype", None) in SINGLE}
        return names | single

    def _numbers(self, name: str, tree: ast.expr, shape: Index) -> np.ndarray | None:
        """The numbers of a letter, all at once; None where they are found cell by cell."""
        if function_of(tree) in ("inverse", "det"):
            return None
        try:
            known = {letter: part for letter, part in self.rule.known if letter not in self.numbers}
            numbers = np.asarray(evaluate(tree, known, {**self.arrays, **self.numbers, "k": self.values.get("k")}))
        except Exception:  # a function that is of cells alone
            return None
        self.infinite |= not np.isfinite(numbers).all()
        if numbers.shape != shape:
            return None
        self.numbers[name] = numbers
        return numbers

    def _fitted(self, value: Lazy, shape: Index) -> Lazy:
        """The value in a shape; where long terms are summed over what was stretched, each is a part."""
        def sent(i: Index) -> Tree:
            tree = value.at(i)
            return parts.at(i) if sum(bool(leaf.name) for leaf in leaves(tree)) > TERM else tree
        if value.size == prod(shape):
            return fitted(value, shape)
        parts = stopping("share", value)
        return fitted(Lazy(value.shape, sent, gone=value.gone), shape)

    def _given_back(self, g: Lazy, x: Lazy) -> Lazy:
        """A cell gets what arrives at those that read it."""
        letter = next(name for name, value in self.values.items() if value is x)
        places = np.arange(float(x.size)).reshape(x.shape)
        read = np.asarray(self.rules.value("y", **{letter: places})).astype(int)
        g = fitted(g, read.shape)
        return Lazy(x.shape, lambda i: total(g.at(tuple(map(int, j))) for j in np.argwhere(read == int(places[i]))))

    def cells(self, left: str, shape: Index) -> Lazy | None:
        """The cells of what the rule is of; None where no cell is worked out by it."""
        within, function = indices(self.rule), function_of(self.rule.tree)
        if function in MEANINGS and MEANINGS[function].proves:
            value = self.taken(function, self.rule.names.index(left))
            return value if value is None else fitted(value, shape)
        if not within:
            value, of, k = self.worked(self.rule.tree), *left.partition("[")[::2]
            value = value[int(k[:-1])] if isinstance(self.rules.results.get(of), list) else value
            return self._fitted(lazy(value), shape)
        sliced = any(isinstance(node, ast.Slice | ast.GeneratorExp) for node in ast.walk(self.rule.tree))
        return fitted(self.lines(within, shape or (1,)), shape) if sliced else self.at_indices(shape)

    def taken(self, function: str, result: int) -> Lazy | None:
        """The cells that a choice takes, the first result, or the place of each, the second one."""
        given = [*map(self.worked, self.rule.tree.args)]
        if function in TAKING and result < len(TAKING[function]):
            return TAKING[function][result](*given, y=self.values[self.rule.names[0]])
        x, places = self.values["x"], self.rules.results.get("indices")
        if places is None or result > 1:
            return None
        if result:
            return Lazy(np.shape(places), lambda i: Leaf(places[i].item()))
        axis, read = self.rules.attrs["dim"], np.arange(x.size).reshape(x.shape)
        read = np.take_along_axis(read, places if places.ndim == x.ndim else np.expand_dims(places, axis), axis)
        return Lazy(read.shape, lambda i: x.at(unravel_index(int(read[i]), x.shape)))

    def lines(self, within: list[str], shape: Index) -> Lazy:
        """A rule of one index along an axis, `y[:, i] = ...`."""
        dim = len(within) - 1
        def at(i: Index) -> Tree:
            line, rest = lazy(self.worked(self.rule.tree, **{within[dim]: i[dim]})), i[:dim] + i[dim + 1:]
            return line.at(place_in(rest, line.shape))
        return Lazy(shape, at)

    def at_indices(self, shape: Index) -> Lazy:
        """A rule of cells, `y[i] = sum(x[i + k] * w[k])`: its sum runs over the indices that are not on the left."""
        place, left = ast.parse(self.rule.left, mode="eval").body, self.rule.left.partition("[")[0]
        sizes = {name: np.shape(x) if isinstance(x, np.ndarray) else x.shape
                 for name, x in self.values.items() if isinstance(x, Lazy | np.ndarray)}  # fmt: skip
        grid = self.rules.grid([place, self.rule.tree], {**sizes, left: shape})
        tree, axes = OfLetters(grid).visit(copied(self.rule.tree)), all_of(place.slice)
        endless = {name: Endless(x.shape, x.at) for name, x in self.values.items() if isinstance(x, Lazy)}
        def at(i: Index) -> Tree:
            fixed = {axis.id: k for axis, k in zip(axes, i, strict=True) if isinstance(axis, ast.Name)}
            free = {name: axis.size for name, axis in grid.items() if name not in fixed}
            near = dict(zip(free, np.ix_(*map(np.arange, free.values())), strict=True))
            sides = all_of(evaluate(place.slice, {}, {**self.values, **fixed, **near}))
            there = reduce(and_, (np.equal(side, k) for side, k in zip(sides, i, strict=True)))
            there = np.argwhere(np.broadcast_to(there, [*free.values()])).tolist()
            every = [fixed | dict(zip(free, one, strict=True)) for one in there]
            def summed(term: Any) -> Any:
                return each(lambda *terms: total(terms), *(term(**one) for one in every)) if every else 0
            first = every[0] if every else dict.fromkeys(grid, 0)
            return lazy(self.worked(tree, **{**endless, **first, "sum": summed})).at(())
        return Lazy(shape, at)


class Cells(Lazy):
    """The cells of one result or gradient of a call, each told by the op's rule.

    Where numbers of the rule are too large for floats, as exp(1000) is, a cell is told in the form in which the op
    works it out.
    """

    def __init__(self, told: Told, left: str, value: Lazy):
        super().__init__(value.shape, self._at)
        self.told, self.left, self.value = told, left, value

    def _at(self, i: Index) -> Tree:
        tree = self.value.at(i)
        return self.form[0].at(i) if self._is_beyond(tree, i) else tree

    @cached_property
    def form(self) -> "tuple[Cells, str] | None":
        """The cells in the form in which the op works them out, and why; None where it is the rule's.

        >>> import rustyflow as rf
        >>> from .tree import text
        >>> x = np.array([1000.0, 0.0])
        >>> y = cells(Rules(rf.softmax.__doc__, {"x": x}, {"dim": 0}, {"y": np.array([1.0, 0.0])}), "y")
        >>> y.in_form((0,)), text(y.at((0,))), y.form[1]
        (True, 't[0] / total', 'so that exp cannot overflow')
        """
        form = self.told.rules.form(self.left)
        value = form and cells(form[0], self.left, self.told.sent, self.told.names)
        return (value, form[1].why) if value is not None else None

    def form_at(self, i: Index) -> tuple[Tree, str] | None:
        """The tree of a cell in that form, and why; None where it is the same, or told already.

        >>> import rustyflow.nn.functional
        >>> from rustyflow.ops import OPS
        >>> x = np.array([1.0, -2.0])
        >>> rules = Rules(OPS["elu"].doc, {"x": x}, {"alpha": 1.0, "scale": 1.0}, {"y": x})
        >>> cells(rules, "y").form_at((0,)), cells(rules, "y").form_at((1,))[1]
        (None, 'so that no digit is lost near 0')
        """
        if self.form is None or self._is_beyond(tree := self.value.at(i), i):
            return None
        form = self.form[0].at(i)
        return None if text(form) == text(tree) else (form, self.form[1])

    def in_form(self, i: Index) -> bool:
        """True where numbers of the rule become infinite, and those of the form do not."""
        return self._is_beyond(self.value.at(i), i)

    def _is_beyond(self, tree: Tree, i: Index) -> bool:
        if self.form is None or not overflows(tree, deep=self.told.infinite):
            return False
        form = self.form[0]
        return not overflows(form.at(i), deep=form.told.infinite)

    def why(self, i: Index) -> str:
        """The reason for what a cell is: the choice that its rule makes, or why nothing arrives.

        >>> import rustyflow as rf
        >>> x, g = np.array([3.0, -1.0]), np.array([1.0, 1.0])
        >>> dx = cells(Rules(rf.relu.__doc__, {"x": x}, {}, {"y": x * (x > 0)}), "dx", {"y": g})
        >>> dx.why((0,)), dx.why((1,))
        ('y[0] > 0', 'y[1] <= 0')
        """
        with choices() as made:
            tree = self.value.at(i)
        nothing = isinstance(tree, Leaf) and not tree.name and tree.value == 0
        if self.left in self.told.rules.results:
            return self._taken(i) or told(made, nothing=nothing)
        if not nothing:
            return self._chosen(i) or told(made)
        return self._chosen(i, " not") or self._still() or told(made, nothing=True) or self._unread(i)

    def _taken(self, i: Index) -> str:
        """The cell that an op takes for a place of its result."""
        function = function_of(self.told.rule.tree)
        if function not in PICKED:
            return ""
        cell = fitted(self.told.taken(function, 0), self.shape).at(i)
        return f"{cell.name} is {noun(function, self.told.rules.attrs, i)}"

    def _chosen(self, i: Index, no: str = "") -> str:
        """The reason for a gradient where the op takes some cells, and not others."""
        rules = self.told.rules
        functions = {function_of(rules.rules[name].tree) for name in rules.results if name in rules.rules}
        taken = functions & (TAKEN.keys() if no else ONE)
        if len(taken) != 1:
            return ""
        nan = taken & NAN and self._meets_nan(i)
        return f"{self._name(i)} is{no} {'nan' if nan else noun(*taken, rules.attrs)}"

    def _meets_nan(self, i: Index) -> bool:
        """True if there is a nan in the line of a cell along which the op chooses."""
        x, dim = self.told.rules.operands.get(self.left[1:]), self.told.rules.attrs.get("dim")
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            return False
        dims = {k % x.ndim for k in np.ravel(range(x.ndim) if dim is None else dim).tolist()} if x.ndim else set()
        return bool(np.isnan(x[tuple(slice(None) if k in dims else at for k, at in enumerate(i))]).any())

    def _still(self) -> str:
        still = isinstance(self.told.rule.tree, ast.Constant)
        return f"{self.told.shown('y')} does not move with {self.told.shown(self.left[1:])}" if still else ""

    def _unread(self, i: Index) -> str:
        return f"no cell of {self.told.shown('y')} reads {self._name(i)}"

    def _name(self, i: Index) -> str:
        return self.told.shown(self.left[1:]) + subscript(i)


def cells(
    rules: Rules, left: str, sent: Mapping[str, Any] = NOTHING, names: Mapping[str, str] = NOTHING
) -> Cells | None:
    """The cells of one result or gradient of a call as trees of numbers, or None without such a rule.

    Args:
        rules: those of the call.
        left: a result, `y`, of several `y[1]`, or the gradient of an operand, `dx`, of one of several `dtensors[1]`.
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
    of, _, k = left.partition("[")
    result = rules.results.get(left if left in rules.results else of)
    operand = left[1:] if result is None else ""
    rule = rules.rules[rules.gradient_of[operand] if operand else left if left in rules.rules else of]
    result = result[int(k[:-1])] if isinstance(result, list) else result
    shape = rules.sizes[operand] if operand else result.shape if rules.shape or k else ()
    if not _is_safe(rule):
        return None  # a reader's own, that reaches behind its numbers, or comes to no end
    try:
        told = Told(rules, rule, sent, names)
        if operand:
            told.values.setdefault("k", [*rules.operands].index(operand))
        value = told.cells(left, shape)
        if value is None or value.size and _says_nothing(value.at((0,) * value.ndim)):
            return None
        return Cells(told, left, value)
    except Exception:  # a function that neither reckons cell by cell nor moves cells
        return None


def _says_nothing(tree: Tree) -> bool:
    """True for the name of a cell of a whole matrix; a tree that cannot be worked out raises."""
    floats(tree)
    return isinstance(tree, Leaf) and "(" in tree.name


@lru_cache(1024)
def _is_safe(rule: Rule) -> bool:
    """True if a rule reaches behind no number, and comes to an end."""
    parts = (node for tree in trees_of(rule) for node in ast.walk(tree))
    return all(is_arithmetic(node) for node in parts if isinstance(node, ast.Attribute | ast.BinOp))

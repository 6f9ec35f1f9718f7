"""The rules of an op worked out for one call: forward, and backward from the upstream gradients."""

import ast
from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..ir.torch_names import ARGUMENTS
from .bind import bound
from .cells import indices
from .letters import function_of, names_in
from .meaning import MEANINGS
from .rule import Form, Rule, forms_in
from .work import FUNCTIONS, evaluate

OF_RULES = {name: meaning.run for name, meaning in MEANINGS.items() if meaning.whole}


class Rules:
    """The rules of an op for one call of it: each can be worked out, with other operands, too.

    Args:
        doc: the op's docstring.
        operands: arrays and numbers by the op's own names, in order, None for one that was not given; of any number of
            tensors, any names.
        attrs: the call's arguments.
        results: its results by name; of any number of views, a list.

    Raises:
        SyntaxError: a rule is no Python.

    Example:
        >>> import rustyflow as rf
        >>> x = np.array([[1., 2.], [3., 4.]])
        >>> rules = Rules(rf.sum.__doc__, {"x": x}, {"dim": 1, "keepdim": False}, {"y": x.sum(1)})
        >>> rules.value("y").tolist(), rules.gradients({"y": np.array([5., 6.])})["x"].tolist()
        ([3.0, 7.0], [[5.0, 5.0], [6.0, 6.0]])
    """

    def __init__(self, doc: str, operands: Mapping[str, Any], attrs: Mapping[str, Any], results: Mapping[str, Any]):
        self.call = doc, operands, attrs, results
        public = {ARGUMENTS[name]: value for name, value in attrs.items() if name in ARGUMENTS}
        self.attrs = {**public, **attrs}
        arrays = {name: np.asarray(value) for name, value in operands.items() if value is not None}
        self.sizes = {name: array.shape for name, array in arrays.items()}
        self.shape = np.shape(next(iter(results.values()))) if type(next(iter(results.values()))) is not list else ()
        numbers = {name: value for name, value in operands.items() if type(value) in (int, float)}
        self.rules = {name: rule for rule in bound(
            doc, {**self.attrs, "rank": len(self.shape)}, [name for name, value in operands.items() if value is None],
            {**self.sizes, "y": self.shape}, numbers, tuple(results)) for name in rule.names}  # fmt: skip
        of_line = type(attrs.get("dim", attrs.get("dim0"))) is int and () in [*self.sizes.values()][:1]
        self.ready = np.atleast_1d if of_line else np.asarray  # what has no axes has one where a dim of it is named
        self.operands = {name: self.ready(array) for name, array in arrays.items()}
        self.results = {name: x if x is None or type(x) is list else self.ready(x) for name, x in results.items()}

    def form(self, left: str) -> "tuple[Rules, Form] | None":
        """The rules of this call in the form in which the op works out what the left side is of; None if as said."""
        doc, *call = self.call
        form = forms_in(doc).get(left)
        return form and (Rules(form.doc, *call), form)

    @property
    def gradient_of(self) -> dict[str, str]:
        """The left sides of gradients by their operands; the same for all of any number of tensors."""
        every = "dx" in self.rules and "x" not in self.operands
        of = {name: "dx" if every else f"d{name}" for name in self.operands}
        return {name: left for name, left in of.items() if left in self.rules}

    @property
    def proved(self) -> bool:
        """True where results are defined by a property, so that their rule computes none."""
        return any(_proof(rule) for rule in self.rules.values())

    def forward(self) -> Iterator[tuple[str, Any, Any]]:
        """Yields for each rule of results its left side, what the rule comes to, and the result.

        Of results that are defined by a property, such as those of svd, it yields the sides that this makes equal.
        """
        for rule in dict.fromkeys(self.rules[name] for name in self.results if name in self.rules):
            if meaning := _proof(rule):
                results = [self._kept(self.results.get(name)) for name in rule.names]
                for pair in meaning.run(*(self.worked(arg) for arg in rule.tree.args), results=results):
                    yield rule.left, *pair
            else:
                for name in rule.names:
                    yield name, self.value(name), self.results[name]

    def _kept(self, result: Any) -> Any:
        """A result whose axes stay, as properties have it."""
        whole = result is None or self.attrs.get("keepdim", True) or not self.sizes[next(iter(self.sizes))]
        return result if whole else np.expand_dims(result, self.attrs["dim"])

    def gradients(self, sent: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Returns the gradient of each operand that has a rule, summed over what was stretched to the result.

        Args:
            sent: the upstream gradients by the names of the results; `gw` is that of `w`, and `g` the last.
        """
        arrived = self.arrived(sent)
        gradients: dict[str, Any] = {}
        lefts = self.gradient_of
        reads = {name: bool(names_in(self.rules[left].tree) & {*lefts.values()}) for name, left in lefts.items()}
        for k, name in sorted(enumerate(lefts), key=lambda at: reads[at[1]]):  # `db = -da` comes after the other
            place = {} if lefts[name] == f"d{name}" else {"k": k}  # of any number of tensors, the k-th
            value = arrived[lefts[name]] = self.value(lefts[name], **arrived, **place)
            gradients[name] = fitted(np.asarray(value, float), self.sizes[name])
        return gradients

    def arrived(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The upstream gradients by the letters that rules have for them."""
        arrived = {f"g{name}": g if type(g) is list else self.ready(g) for name, g in sent.items()}
        last = [*arrived.values()][-1:]
        return arrived | {name: g for g in last for name in ("dy", "g") if name not in self.operands}

    def value(self, left: str, **names: Any) -> Any:
        """Returns the right side of one rule, with these names in place of others."""
        rule, names = self.rules[left], self.names_for(names)
        within = indices(rule)
        if not within:
            value = evaluate(rule.tree, dict(rule.known), names)
            return value[rule.names.index(left)] if type(value) is tuple else value
        if any(isinstance(node, (ast.Slice, ast.GeneratorExp)) for node in ast.walk(rule.tree)):
            return self._lines(rule, within, names)
        return self._at_every_index(rule, names)

    def worked(self, tree: ast.expr) -> Any:
        """Returns a part of a rule."""
        return evaluate(tree, {}, self.names_for({}))

    def names_for(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """The names of a rule: those of the call, and these in place of others."""
        operands = {**self.operands, **{name: array for name, array in names.items() if name in self.operands}}
        count = next((array.size for array in operands.values()), 0)
        given = {"n": count // max(prod(self.shape), 1), "tensors": list(operands.values()), "rank": len(self.shape)}
        whole = {name: partial(run, rules=self) for name, run in OF_RULES.items()}
        results = {name: array for name, array in self.results.items() if name not in FUNCTIONS}
        return {**whole, **given, **self.attrs, **results, **operands, **names}

    def _lines(self, rule: Rule, within: list[str], names: Mapping[str, Any]) -> np.ndarray:
        """A rule of one index along an axis, `y[:, i] = ...`: cell by cell, all lines at once."""
        dim = len(within) - 1
        shape = np.shape(next(array for name, array in names.items() if name in self.operands))
        cells = [evaluate(rule.tree, dict(rule.known), {**names, within[dim]: i}) for i in range(shape[dim])]
        return np.stack(cells, dim) if cells else np.zeros(shape)

    def _at_every_index(self, rule: Rule, names: Mapping[str, Any]) -> np.ndarray:
        """Works out a rule of cells: every index is an axis, and an operand is 0 beyond its ends.

        What a sum is of is added to the cell on the left; that may be one that an operand was read by.
        """
        letter = rule.left.partition("[")[0]
        shape = self.sizes.get(letter[1:], self.shape) if letter[:1] == "d" else self.shape
        place = ast.parse(rule.left, mode="eval").body
        arrays = {name: array for name, array in names.items() if isinstance(array, np.ndarray)}
        grid = self.grid([place, rule.tree], {letter: shape, **{name: array.shape for name, array in arrays.items()}})

        def added(each: Any) -> np.ndarray:
            cells, value = np.zeros(shape), np.broadcast_to(each, [axis.size for axis in grid.values()])
            at = np.broadcast_arrays(*all_of(evaluate(place.slice, {}, {**names, **grid})), value)[:-1]
            inside = np.all([(i >= 0) & (i < n) for i, n in zip(at, shape)], 0)
            np.add.at(cells, tuple(i[inside] for i in at), value[inside])
            return cells.reshape(*cells.shape, *[1] * (len(grid) - cells.ndim))

        endless = {name: Endless(array) for name, array in arrays.items()}
        value = evaluate(rule.tree, dict(rule.known), {**names, **endless, **grid, "sum": added})
        return np.asarray(value).reshape(shape) if np.size(value) == prod(shape) else np.asarray(value)

    def grid(self, trees: list[ast.expr], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
        """Every index that stands alone, along its axis; those of the left side first."""
        sizes: dict[str, int] = {}
        for node in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Subscript)):
            for index, n in zip(all_of(node.slice), shapes.get(getattr(node.value, "id", ""), ())):
                if isinstance(index, ast.Name):
                    sizes.setdefault(index.id, n)
        return dict(zip(sizes, np.ogrid[tuple(slice(n) for n in sizes.values())]))


class Endless:
    """An array whose cells beyond its ends are 0."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __getitem__(self, at: Any) -> np.ndarray:
        at = np.broadcast_arrays(*all_of(at))
        inside = np.all([(i >= 0) & (i < n) for i, n in zip(at, self.array.shape)], 0)
        return np.where(inside, self.array[tuple(np.where(inside, i, 0) for i in at)], 0)


def all_of(index: Any) -> Any:
    """The indices of one subscript, of a tree or as numbers."""
    if isinstance(index, ast.Tuple):
        return index.elts
    return index if isinstance(index, tuple) else (index,)


def _proof(rule: Rule) -> Any:
    """The meaning of a rule that says a property of its results; None for another rule."""
    meaning = MEANINGS.get(function_of(rule.tree))
    return meaning if meaning and meaning.proves else None


def fitted(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Returns a gradient in its operand's shape: summed over axes that were stretched, repeated along reduced ones."""
    value = value.reshape(shape) if value.size == prod(shape) else value
    value = value.sum(tuple(range(max(value.ndim - len(shape), 0))))
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    over = tuple(d for d, n in enumerate(shape) if n == 1 and value.shape[d] != 1)
    return np.broadcast_to(value.sum(over, keepdims=True), shape)

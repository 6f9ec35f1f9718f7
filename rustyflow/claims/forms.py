"""Rules as a program writes them for the shapes of one call.

`sum(x, dim, keepdim)` becomes `sum(x, 1)`, and the gradient of its result `g[:, None]`.
"""

import ast
from collections.abc import Callable, Container, Mapping
from copy import deepcopy
from operator import index as whole
from typing import Any

import numpy as np

from .fold import UNTOLD, Fold, Shapes, call
from .letters import function_of, names_in, renamed
from .meaning import MEANINGS, holes
from .rule import Rule, parse

REDUCING = ("sum", "prod", "mean", "amax", "amin", "all", "any", "argmax", "argmin", "var")
"""The functions that take axes out, those named `dim`; where a rule does not say `keepdim` they stay."""

FORMS: dict[str, Callable[..., ast.expr | None]] = {}


def form(write: Callable) -> Callable:
    """Registers the tree that a function's call becomes in one call of the op; None where shapes are open."""
    FORMS[write.__name__.rstrip("_")] = write
    return write


def text(template: str, **parts: ast.expr) -> ast.expr:
    """The tree of a template, with trees in place of its names."""
    return renamed(parse(template), parts)


class Written(Fold):
    """Binds arguments and shapes."""

    def __init__(self, given: Mapping[str, Any], absent: Container[str], numbers: Mapping[str, float], shapes: Shapes):
        super().__init__(given, absent, numbers)
        self.shapes = {name: None if shape is None else tuple(shape) for name, shape in shapes.items()}

    def of(self, node: ast.expr) -> tuple[int, ...] | None:
        """The shape of an operand."""
        return self.shapes.get(node.id) if isinstance(node, ast.Name) else None

    def value(self, node: ast.expr) -> Any:
        """The value of an argument; None where it is open."""
        if isinstance(node, ast.Name):
            return self.given.get(node.id)
        try:
            return ast.literal_eval(node)
        except ValueError:
            return None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node = super().visit_Call(node)
        name = function_of(node)
        if not isinstance(node, ast.Call) or not node.args:
            return node
        if (meaning := MEANINGS.get(name)) and meaning.phrase:
            untold = zip(node.args, meaning.run.__code__.co_varnames)
            named = holes(meaning.phrase) | holes(meaning.gradient) | holes(meaning.like)
            node.args = [arg if parameter in named else self.setting(arg) for arg, parameter in untold]
        if name in REDUCING and len(node.args) > 1:
            if self.value(node.args[1]) != ():
                return self._reduced(node)
            if name == "var":
                return ast.Call(node.func, node.args[:1], [ast.keyword("correction", self.setting(node.args[2]))])
            return text("x != 0", x=node.args[0]) if name in ("all", "any") else node.args[0]
        for k, arg in enumerate(node.args):
            if isinstance(arg, ast.Name) and arg.id == "dim" and "dim" in self.given:
                node.args[k] = self.setting(arg)
        return FORMS[name](self, *node.args) or node if name in FORMS else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A part of a tensor, as a program names it."""
        node, items = super().visit_Subscript(node), self.given.get("items")
        if isinstance(getattr(node, "slice", None), ast.Name) and node.slice.id == "items" and items:
            return ast.Subscript(node.value, parse(f"_[{', '.join(map(_item, items))}]").slice, ast.Load())
        return node

    def _reduced(self, node: ast.Call) -> ast.Call:
        """A reduction with its dims, of all without, and with what else it was asked for."""
        names = [getattr(arg, "id", "") for arg in node.args]
        if "dim" not in names:
            return node
        dims, keep = self.given.get("dim"), self.given.get("keepdim", True) if "keepdim" in names else True
        axes = dims if isinstance(dims, tuple) else () if type(dims) is not int else (dims,)
        rank = len(self.shapes.get("x") or ())
        axes = axes or tuple(range(rank)) * (self.given.get("keepdim") is True)
        kept = keep and bool(axes) and (len(axes) < rank or self.given.get("keepdim") is True or not rank)
        over = [parse(repr(axes[0] if len(axes) == 1 else axes))] * (bool(axes) and (kept or len(axes) != rank))
        asked = {"keepdim": True} if "correction" in names and kept else {}
        if "correction" in names and self.given.get("correction", 1) != 1:
            asked["correction"] = self.given["correction"]
        over += [ast.Constant(True)] * (kept and not asked.get("keepdim", False))
        keywords = [ast.keyword(word, ast.Constant(value)) for word, value in asked.items()]
        return ast.Call(node.func, [node.args[0], *over], keywords)


def _item(item: Any) -> str:
    """A part of an index as a program writes it.

    >>> [*map(_item, (slice(None, None, 2), slice(1, 4), ..., -1, "1:"))]
    ['::2', '1:4', '...', '-1', '1:']
    """
    if not isinstance(item, slice):
        return "..." if item is ... else str(item)
    start, stop, step = ("" if part is None else str(whole(part)) for part in (item.start, item.stop, item.step))
    return f"{start}:{stop}" + f":{step}" * bool(step)


class Kept(ast.Subscript):
    """An operand whose reduced axes are put back, for words that say its name alone."""


def widened(rule: Rule, fold: Written, results: Container[str]) -> Rule:
    """The rule of a gradient with the axes that were taken out of a result, `g[:, None]`."""
    dims, rank = fold.given.get("dim"), len(fold.shapes.get("x") or ())
    axes = {d % rank for d in ((dims,) if type(dims) is int else dims or ())} if rank else {}
    if rule.left[:1] != "d" or fold.given.get("keepdim", True) or not axes or len(axes) == rank:
        return rule
    wide = Widened([ast.Constant(None) if d in axes else ast.Slice() for d in range(rank)],
                   {"g", *(f"g{name}" for name in results), *results})  # fmt: skip
    known = tuple((name, wide.visit(deepcopy(tree))) for name, tree in rule.known)
    return Rule(rule.left, wide.visit(deepcopy(rule.tree)), known)


class Widened(ast.NodeTransformer):
    """Puts axes back, in words without a word; in front broadcasting adds them."""

    def __init__(self, index: list[ast.expr], names: Container[str]):
        self.index, self.names, self.kind = index, names, ast.Subscript
        first = next(d for d, part in enumerate(index) if isinstance(part, ast.Slice))
        self.behind = index[first:]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        index = self.index if self.kind is Kept else self.behind
        if node.id not in self.names or all(isinstance(part, ast.Slice) for part in index):
            return node
        return self.kind(node, ast.Tuple(deepcopy(index), ast.Load()), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        before, meaning = self.kind, MEANINGS.get(function_of(node))
        self.kind = Kept if meaning and meaning.phrase else before
        node.args = [self.visit(arg) for arg in node.args]
        self.kind = before
        return node


# targets: class numbers, one for each row or place of x


@form
def of_target(fold: Written, x: ast.expr, target: ast.expr) -> ast.expr | None:
    shape = fold.of(x)
    rows = fold.shapes.get("target")
    if shape is None or rows is not None and len(rows) != len(shape) - 1:
        return None
    if len(shape) < 3:
        return text("x[range(n), target]" if len(shape) == 2 else "x[target]", x=x, target=target,
                    n=ast.Constant(shape[0]))  # fmt: skip
    return text("x.gather(1, target[:, None])[:, 0]", x=x, target=target)


@form
def at_classes(fold: Written, target: ast.expr, x: ast.expr) -> ast.expr | None:
    if not (shape := fold.of(x)):
        return None
    hot = call("one_hot", target, ast.Constant(shape[min(1, len(shape) - 1)]))
    return text("hot.movedim(-1, 1)", hot=hot) if len(shape) > 2 else hot


@form
def column(fold: Written, each: ast.expr) -> ast.expr | None:
    if not fold.rows():
        return each if fold.rows() == () else None
    return Column({*names_in(each)} - ({"g"} if fold.given.get("reduction") != "none" else set())).visit(each)


class Column(ast.NodeTransformer):
    """Gives numbers of rows an axis for the classes; a sum, or how many there are, has none."""

    def __init__(self, names: Container[str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return text("v[:, None]", v=node) if node.id in self.names else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return text("v[:, None]", v=node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return text("v[:, None]", v=node) if function_of(node) == "sum" and len(node.args) > 1 else node


# the same cells, perhaps repeated


@form
def expand(fold: Written, x: ast.expr, size: ast.expr) -> ast.expr | None:
    return _stretched(x, fold.of(x), fold.shapes.get("y"))


@form
def sum_to(fold: Written, g: ast.expr, size: ast.expr) -> ast.expr | None:
    if not isinstance(size, ast.Attribute):
        return None
    return _stretched(g, fold.of(size.value), fold.shapes.get("y"))


def _stretched(x: ast.expr, small: tuple[int, ...] | None, large: tuple[int, ...] | None) -> ast.expr | None:
    """The tree of a repetition that repeats nothing; None of any other."""
    if small is None or large is None:
        return None
    if small == large:
        return x
    front = len(large) - len(small)
    if large[front:] == small and set(large[:front]) == {1}:
        return call("in_front", x, ast.Constant(front))
    return None


@form
def squeeze(fold: Written, x: ast.expr, dims: ast.expr) -> ast.expr | None:
    return _without_ones(fold, x, dims, fold.of(x), "squeeze") if getattr(x, "id", "") == "x" else None


@form
def unsqueeze(fold: Written, x: ast.expr, dim: ast.expr) -> ast.expr | None:
    back = "dims" in fold.given or isinstance(dim, ast.Name) and dim.id == "dims"
    return _without_ones(fold, x, dim, fold.shapes.get("x"), "unsqueeze") if back else None


@form
def along(fold: Written, x: ast.expr, dim: ast.expr) -> ast.expr | None:
    dims = fold.value(dim)
    every = isinstance(dims, tuple) and len(dims) == len(fold.shapes.get("x") or ()) or "dim" not in fold.given
    return call("along", x, ast.Constant(None)) if every else None


@form
def of_channels(fold: Written, g: ast.expr) -> ast.expr | None:
    shape = fold.shapes.get("y")
    return shape and call("sum", g, parse(repr((0, *range(2, len(shape))))))


def _without_ones(fold: Written, x: ast.expr, dims: ast.expr, shape: Any, name: str) -> ast.expr | None:
    """A call that names the axes of size 1 alone, of those that are asked for."""
    given = fold.value(dims)
    if shape is None:
        return None if given is None else call(UNTOLD, x)
    given = given if isinstance(given, tuple) else (given,) if type(given) is int else range(len(shape))
    gone = tuple(d for d in given if shape and shape[d] == 1)
    return call(name, x, parse(repr(gone[0] if len(gone) == 1 else gone))) if gone else x


# parts that an index names


def _axis(fold: Written, x: ast.expr, dim: ast.expr) -> int | None:
    """An axis counted from the front; None where it is open."""
    at, shape = fold.value(dim), fold.of(x)
    return at % len(shape) if type(at) is int and shape else None


def at_dim(dim: int, part: ast.expr) -> ast.expr:
    """An index along one dim: `:, part`."""
    return ast.Tuple([*[ast.Slice()] * dim, part], ast.Load()) if dim else part


@form
def read_at(fold: Written, x: ast.expr, dims: ast.expr, arrays: ast.expr) -> ast.expr | None:
    """The index arrays as a program writes them, `:, [0, 2]`, where they are short."""
    at, index = fold.value(dims), fold.given.get("arrays")
    if not at or not index or getattr(x, "id", "") != "x":
        return None
    rows = [repr(np.asarray(getattr(array, "_a", array)).tolist()) for array in index]
    if max(map(len, rows)) > 24 or any(array.ndim > 1 and not array.size for array in index):
        return None
    named = dict(zip(at, map(parse, rows), strict=False))
    parts = [named.get(d, ast.Slice()) for d in range(max(at) + 1)]
    return ast.Subscript(x, ast.Tuple(parts, ast.Load()) if len(parts) > 1 else parts[0], ast.Load())


@form
def select(fold: Written, x: ast.expr, dim: ast.expr, index: ast.expr) -> ast.expr | None:
    at, place = _axis(fold, x, dim), fold.value(index)
    if type(at) is not int or type(place) is not int:
        return None
    return ast.Subscript(x, at_dim(at, parse(repr(place))), ast.Load())


@form
def narrow(fold: Written, x: ast.expr, dim: ast.expr, start: ast.expr, length: ast.expr) -> ast.expr | None:
    at, first, count = _axis(fold, x, dim), fold.value(start), fold.value(length)
    if not all(type(value) is int for value in (at, first, count)):
        return None
    first += fold.of(x)[at] if first < 0 else 0
    part = ast.Slice(ast.Constant(first), ast.Constant(first + count))
    return ast.Subscript(x, at_dim(at, part), ast.Load())


@form
def beyond(fold: Written, each: ast.expr, x: ast.expr, padding: ast.expr) -> ast.expr | None:
    return each if fold.value(padding) is not None and not any(fold.value(padding)) else None


@form
def under(fold: Written, weight: ast.expr, affine: ast.expr, dims: ast.expr) -> ast.expr | None:
    """One number for each channel, beside the axes that come after that; or as many as a layer has cells."""
    wide, axes = fold.value(affine), fold.value(dims)
    if wide is None or axes is None:
        return None
    if isinstance(weight, ast.Constant) or axes != (0, 2):
        return weight
    index = ast.Tuple([ast.Slice(), *[ast.Constant(None)] * (len(wide) - 1)], ast.Load())
    return ast.Subscript(weight, index, ast.Load()) if len(wide) > 1 else weight


@form
def visible(fold: Written, scores: ast.expr, mask: ast.expr, causal: ast.expr) -> ast.expr | None:
    return scores if _is_none(mask) and fold.value(causal) is False else None


@form
def some(fold: Written, s: ast.expr, mask: ast.expr) -> ast.expr | None:
    return s if _is_none(mask) else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@form
def padded(fold: Written, x: ast.expr, pad: ast.expr, value: ast.expr) -> ast.expr | None:
    return x if fold.value(pad) is not None and not any(fold.value(pad)) else None


@form
def opposite(fold: Written, numbers: ast.expr) -> ast.expr | None:
    row = fold.value(numbers)
    return parse(repr(tuple(-n for n in row))) if type(row) is tuple else None


@form
def normalized(fold: Written, x: ast.expr, dims: ast.expr, affine: ast.expr) -> ast.expr | None:
    """The axes that a layer's mean is over, or those of each channel."""
    over = _normalized(fold, x, dims, affine)
    return over and parse(repr(over[0] if len(over) == 1 else over))


@form
def besides(fold: Written, x: ast.expr, dims: ast.expr, affine: ast.expr) -> ast.expr | None:
    """The axes that the gradients of its weight and bias are summed over."""
    over, shape = _normalized(fold, x, dims, affine), fold.of(x)
    if over is None or shape is None:
        return None
    axes = over if over[0] == 0 else tuple(range(len(shape) - len(over)))
    return parse(repr(axes[0] if len(axes) == 1 else axes))


def _normalized(fold: Written, x: ast.expr, dims: ast.expr, affine: ast.expr) -> tuple[int, ...] | None:
    axes, sizes, shape = fold.value(dims), fold.value(affine), fold.of(x)
    if axes is None or sizes is None or shape is None:
        return None
    return (0, *range(2, len(shape))) if axes == (0, 2) else tuple(range(-len(sizes), 0))

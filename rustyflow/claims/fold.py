"""Arguments bound into the trees of rules, and what they make superfluous folded away.

An operand that was not given is gone with the sign before it; a factor of 1 is not said; a loss is a mean, a sum, or
neither.
"""

import ast
from collections.abc import Container, Mapping
from math import inf
from types import MappingProxyType, SimpleNamespace
from typing import Any

from .letters import function_of, names_in
from .meaning import MEANINGS, settings
from .rule import copied, parse

NOTHING: Mapping[str, Any] = MappingProxyType({})

Shapes = Mapping[str, tuple[int, ...] | None]
"""The shapes of a call's operands, by the op's own names, and that of its result as `y`; None where nothing kept it."""

CHOOSING = {"approximate", "equal_nan", "form", "groups", "inf", "p", "padding_idx", "rank", "reduction", "upper"}
"""The arguments that choose between rules, beside `rank`, the number of the result's axes, and the shapes of operands.
"""


class Fold(ast.NodeTransformer):
    """Binds arguments into a tree, from the leaves up; a part that is gone is None.

    >>> say = lambda text, *call: ast.unparse(Fold(*call).visit(ast.parse(text, mode="eval").body))
    >>> say("minimum(maximum(x, low), high)", {}, ["low"]), say("g if low <= x <= high else 0", {}, ["low"])
    ('minimum(x, high)', 'g if x <= high else 0')
    >>> say("weight * (1 + (pos_weight - 1) * target) * log(x)", {}, ["weight", "pos_weight"])
    'log(x)'
    >>> say("g * b if not (a == 0 and b >= 0) else 0", {}, [], {"b": 2.0})
    '0 if a == 0 else g * b'
    >>> say("g * b if not b == 0 else 0", {}, [], {"b": 0.0}), say("g * b if not b == 0 else 0", {}, [], {"b": 3.0})
    ('0', 'g * b')
    """

    shapes: Shapes = NOTHING

    def __init__(self, given: Mapping[str, Any], absent: Container[str] = (), numbers: Mapping[str, float] = NOTHING):
        self.given, self.absent, self.numbers = given, absent, numbers
        self.alias: dict[str, ast.expr] = {}

    def letters(self, trees: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
        """The letters of rules, without those that are gone and those that only call something by another name."""
        known = {}
        for name, tree in trees.items():
            tree = self.visit(copied(tree))
            if isinstance(tree, ast.Name | ast.Constant | ast.Tuple) or _is_literal(tree):
                self.alias[name] = tree
            else:
                known[name] = tree
        return known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.alias:
            return copied(self.alias[node.id])
        gone = node.id in self.absent or node.id in OPTIONAL and self.given.get(node.id, 0) is None
        return ast.Constant(None) if gone else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, op, right = node.left, node.op, node.right
        if isinstance(op, ast.Mult | ast.Div):
            if _is(right, 0) and isinstance(op, ast.Mult) or _is(left, 0) and not _is(right, 0):
                return ast.Constant(0)
            if _is(right, None) or self._is_one(right):
                return left
            return right if isinstance(op, ast.Mult) and (_is(left, None) or self._is_one(left)) else node
        if isinstance(op, ast.FloorDiv) and (type(self._value(left)), type(self._value(right))) == (int, int):
            return ast.Constant(self._value(left) // self._value(right))
        if isinstance(op, ast.Pow) and self._is_one(right):
            return left
        if isinstance(op, ast.Add | ast.Sub):
            if _is(right, None) or _is(right, 0):
                return left
            if _is(left, None) and isinstance(op, ast.Sub) and _is(right, 1):  # a weight that was not given is 1
                return ast.Constant(0)
            return right if isinstance(op, ast.Add) and (_is(left, None) or _is(left, 0)) else node
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(getattr(node.operand, "value", None), bool):
            return ast.Constant(not node.operand.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A size, or one number of an argument, as a number, where it is known."""
        self.generic_visit(node)
        if _is(node.value, None):
            return node.value
        if isinstance(node.slice, ast.Constant) and node.slice.value is None:  # an index that nothing names
            return node.value
        row = self._shape(node.value) or self.given.get(getattr(node.value, "id", ""))
        if type(row) is tuple and type(k := getattr(node.slice, "value", None)) is int and -len(row) <= k < len(row):
            return ast.Constant(row[k])
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Decides a choice by an argument or by a shape; the last way stands where that is not known."""
        names = names_in(node.test)
        sizes = (part.value for part in ast.walk(node.test) if isinstance(part, ast.Attribute) and part.attr in SIZES)
        shaped = {of.id for of in sizes if isinstance(of, ast.Name)}
        if names and names <= CHOOSING | shaped and _decides(node.test):
            known = {**self.given, "inf": inf, **{name: SimpleNamespace(shape=shape, ndim=len(shape))
                     for name in shaped if (shape := self.shapes.get(name)) is not None}}  # fmt: skip
            code = compile(ast.fix_missing_locations(ast.Expression(node.test)), "<rule>", "eval")
            chosen = names <= known.keys() and eval(code, {"__builtins__": {}, **known})  # of our own docstrings
            return self.visit(node.body if chosen else node.orelse)
        several = isinstance(getattr(node.test, "operand", None), ast.BoolOp)
        self.generic_visit(node)
        if type(test := getattr(node.test, "value", None)) is bool:
            return node.body if test else node.orelse
        if several and not isinstance(node.test.operand, ast.BoolOp):  # the other half of an exception is a choice
            return ast.IfExp(node.test.operand, node.orelse, node.body)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        sides, ops = [node.left, *node.comparators], list(node.ops)
        if _is(sides[0], None):
            del sides[0], ops[0]
        if _is(sides[-1], None):
            del sides[-1], ops[-1]
        node = ast.Compare(sides[0], ops, sides[1:]) if ops else ast.Constant(None)
        ends = ops and isinstance(node.comparators[-1], ast.Constant)
        if ends and names_in(node) <= self.numbers.keys() and _decides(node):
            code = compile(ast.fix_missing_locations(ast.Expression(node)), "<rule>", "eval")
            return ast.Constant(bool(eval(code, {"__builtins__": {}, **self.numbers})))  # a number beside another
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Without what is gone, and what a number decides."""
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)  # True or anything, False and anything
        left = [value for value in node.values if not _is(value, None) and not _is(value, not decides)]
        if any(_is(value, decides) for value in left):
            return ast.Constant(decides)
        if not left:
            return ast.Constant(None if all(_is(value, None) for value in node.values) else not decides)
        return ast.BoolOp(node.op, left) if len(left) > 1 else left[0]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = function_of(node)
        if not node.args:
            return node
        if name in MEANINGS and not isinstance(node.args[0], ast.Constant):
            for k, parameter in enumerate(settings(name)):
                if parameter and k < len(node.args):
                    node.args[k] = self.setting(node.args[k])
        if name == "beside" and _is(node.args[0], None):
            return node.args[0]
        if name in ("maximum", "minimum"):
            left = [arg for arg in node.args if not _is(arg, None)]
            return node if len(left) > 1 else left[0]
        if name in LOSSES and "reduction" in self.given:
            return LOSSES[name](self, *node.args)
        return node

    def setting(self, node: ast.expr) -> ast.expr:
        """An argument that a phrase tells as a value, which is written as a program writes it."""
        value = self.given.get(node.id, node) if isinstance(node, ast.Name) else node
        return parse(repr(value)) if _is_plain(value) else node

    def how(self, each: ast.expr) -> ast.expr:
        """A loss of many cells as the call asks for it; of one alone there is nothing to add up."""
        name = "none" if self.shapes.get("target", 1) == () else self.given["reduction"]
        return each if name == "none" else call(name, each)

    def rows(self) -> tuple[int, ...] | None:
        """The shape of class numbers, which after backward only x's shape tells."""
        x, target = self.shapes.get("x"), self.shapes.get("target")
        return x[:1] * (len(x) > 1) + x[2:] if target is None and x is not None else target

    def _shape(self, node: ast.expr) -> tuple[int, ...] | None:
        """The shape that `x.shape` says."""
        of = node.value if isinstance(node, ast.Attribute) and node.attr == "shape" else None
        return self.shapes.get(of.id) if isinstance(of, ast.Name) else None

    def _value(self, node: ast.expr) -> Any:
        return self.given.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)

    def _is_one(self, node: ast.expr) -> bool:
        value = self._value(node)
        return type(value) in (int, float) and value == 1


UNTOLD = "untold"
"""The function of what a call has not told, of which nothing is said."""

SIZES = ("shape", "ndim")

OPTIONAL = ("ignore",)
"""The arguments that may be None as an operand may be left out."""


def _averaged(fold: Fold, each: ast.expr, w: ast.expr, reduction: ast.expr) -> ast.expr:
    if _is(w, None) or _one_that_counts(fold):
        return fold.how(each)
    each = ast.BinOp(each, ast.Mult(), w)  # a mask behind the sign of a loss, for no program negates bools
    if fold.given["reduction"] == "none":
        return each
    total = call("sum", each)
    return ast.BinOp(total, ast.Div(), call("sum", copied(w))) if fold.given["reduction"] == "mean" else total


def _share(fold: Fold, g: ast.expr, w: ast.expr, reduction: ast.expr, target: ast.expr) -> ast.expr:
    if fold.shapes and "target" not in fold.shapes:
        return call(UNTOLD, g)
    if _one_that_counts(fold):
        return g
    each = g if _is(w, None) else ast.BinOp(g, ast.Mult(), w)
    if fold.given["reduction"] != "mean" or _is(w, None) and fold.rows() == ():
        return each
    flat = len(fold.rows() or (1,)) == 1
    count = call("len", target) if flat else ast.Call(ast.Attribute(target, "numel", ast.Load()), [], [])
    return ast.BinOp(each, ast.Div(), count if _is(w, None) else call("sum", copied(w)))


def _one_that_counts(fold: Fold) -> bool:
    """True for the mean of one loss, which does not depend on its weight."""
    return (fold.given["reduction"], fold.rows(), fold.given.get("ignore")) == ("mean", (), None)


LOSSES = {
    "among": lambda fold, n, reduction: n if fold.given["reduction"] == "mean" else ast.Constant(1),
    "averaged": _averaged,
    "reduced": lambda fold, each, reduction: fold.how(each),
    "share": _share,
}
"""The functions that say what `reduction` makes of a loss, and of its gradient."""


def call(name: str, *args: ast.expr) -> ast.Call:
    """The tree of a call."""
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _is_plain(value: Any) -> bool:
    """True for a whole number, a bool, None, and several of them."""
    return all(map(_is_plain, value)) if type(value) is tuple else type(value) in (int, bool, type(None))


def _is_literal(node: ast.expr) -> bool:
    """True for a number, signed or not."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _is(node: ast.expr, value: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)


DECIDING = (
    ast.Name, ast.Load, ast.Constant, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop,
    ast.Attribute, ast.Subscript, ast.Tuple, ast.Slice,
)  # fmt: skip
"""The parts of a test that arguments and shapes decide. A rule may be a reader's: nothing is called, nothing grows."""


def _decides(test: ast.expr) -> bool:
    return all(isinstance(part, DECIDING) and getattr(part, "attr", "shape") in SIZES for part in ast.walk(test))

"""Rules of one call: its arguments are bound into the tree, and what they make superfluous is folded away.

An operand that was not given is gone with the sign before it; a factor of 1 is not said; a loss is a mean, a sum, or
neither.
"""

import ast
from collections.abc import Container, Mapping
from copy import deepcopy
from math import inf
from typing import Any

from .meaning import MEANINGS, settings
from .rule import Rule, parse, rules_in


def bound(doc: str, given: Mapping[str, Any], absent: Container[str] = ()) -> tuple[Rule, ...]:
    """The rules of an op's docstring for one call; an operand that was not given has none.

    Args:
        doc: the op's docstring.
        given: the arguments of the call, by the op's own names.
        absent: the operands that the call went without.

    Raises:
        SyntaxError: a rule is no Python.

    Example:
        >>> from rustyflow.claims.say import say_rule
        >>> doc = "y = x @ w + bias        dx = g / among(n, reduction) * scale        dbias = g"
        >>> [say_rule(rule) for rule in bound(doc, {"scale": 1, "reduction": "sum"}, ["bias"])]
        ['y = x @ w', 'dx = g']
    """
    letters = {name for rule in rules_in(doc) for name, _ in rule.known}
    fold = Fold({name: value for name, value in given.items() if name not in letters}, absent).visit
    found = [
        Rule(rule.left, fold(deepcopy(rule.tree)), tuple((name, fold(deepcopy(tree))) for name, tree in rule.known))
        for rule in rules_in(doc) if not all(name[:1] == "d" and name[1:] in absent for name in rule.names)
    ]  # fmt: skip
    trees = [tree for rule in found for tree in (rule.tree, *(tree for _, tree in rule.known))]
    used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return tuple(rule._replace(known=tuple(pair for pair in rule.known if pair[0] in used)) for rule in found)


CHOOSING = {"approximate", "inf", "p", "padding_idx", "rank"}
"""The arguments that choose between rules, beside `rank`, the number of the result's axes."""


class Fold(ast.NodeTransformer):
    """Binds arguments into a tree, from the leaves up; a part that is gone is None.

    >>> say = lambda text, *call: ast.unparse(Fold(*call).visit(ast.parse(text, mode="eval").body))
    >>> say("minimum(maximum(x, low), high)", {}, ["low"]), say("g if low <= x <= high else 0", {}, ["low"])
    ('minimum(x, high)', 'g if x <= high else 0')
    >>> say("weight * (1 + (pos_weight - 1) * target) * log(x)", {}, ["weight", "pos_weight"])
    'log(x)'
    """

    def __init__(self, given: Mapping[str, Any], absent: Container[str] = ()):
        self.given, self.absent = given, absent

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(None) if node.id in self.absent else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, op, right = node.left, node.op, node.right
        if isinstance(op, ast.Mult | ast.Div):
            if _is(right, 0) or _is(left, 0):
                return ast.Constant(0)
            if _is(right, None) or self._is_one(right):
                return left
            return right if isinstance(op, ast.Mult) and (_is(left, None) or self._is_one(left)) else node
        if isinstance(op, ast.Add | ast.Sub):
            if _is(right, None) or _is(right, 0):
                return left
            if _is(left, None) and isinstance(op, ast.Sub) and _is(right, 1):  # a weight that was not given is 1
                return ast.Constant(0)
            return right if isinstance(op, ast.Add) and (_is(left, None) or _is(left, 0)) else node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return node.value if _is(node.value, None) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """A choice by an argument of the call is made; the last way stands where the argument is not known."""
        names = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
        if names and names <= CHOOSING:
            known = names <= {*self.given, "inf"}
            code = compile(ast.Expression(node.test), "<rule>", "eval")
            chosen = known and eval(code, {"__builtins__": {}, "inf": inf, **self.given})  # of our own docstrings
            return self.visit(node.body if chosen else node.orelse)
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        sides, ops = [node.left, *node.comparators], list(node.ops)
        if _is(sides[0], None):
            del sides[0], ops[0]
        if _is(sides[-1], None):
            del sides[-1], ops[-1]
        return ast.Compare(sides[0], ops, sides[1:]) if ops else ast.Constant(None)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        left = [value for value in node.values if not _is(value, None)]
        return ast.BoolOp(node.op, left) if len(left) > 1 else left[0] if left else ast.Constant(None)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        if not node.args:
            return node
        if name in MEANINGS and not isinstance(node.args[0], ast.Constant):
            for k, parameter in enumerate(settings(name)):
                if parameter and k < len(node.args):
                    node.args[k] = self._setting(node.args[k])
        if name in ("maximum", "minimum"):
            left = [arg for arg in node.args if not _is(arg, None)]
            return node if len(left) > 1 else left[0]
        if name in ("reduced", "among") and "reduction" in self.given:
            return self._reduced(name, node.args[0])
        return node

    def _setting(self, node: ast.expr) -> ast.expr:
        """An argument that a phrase tells as a value, which is written as a program writes it."""
        value = self.given.get(node.id, node) if isinstance(node, ast.Name) else node
        return parse(repr(value)) if type(value) in (int, bool, tuple, type(None)) else node

    def _reduced(self, name: str, each: ast.expr) -> ast.expr:
        """A loss, or the number of cells that its gradient is spread over."""
        how = self.given["reduction"]
        if name == "among":
            return each if how == "mean" else ast.Constant(1)
        return each if how == "none" else ast.Call(ast.Name(how, ast.Load()), [each], [])

    def _is_one(self, node: ast.expr) -> bool:
        value = self.given.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
        return type(value) in (int, float) and value == 1


def _is(node: ast.expr, value: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)

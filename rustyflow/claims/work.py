"""Rules worked out: the tree that is said is the tree that is evaluated."""

import ast
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any

import numpy as np

from .fold import LOSSES, NOTHING, UNTOLD, call
from .forms import FORMS
from .letters import function_of, names_in, trees_of
from .meaning import MEANINGS, METHODS
from .rule import Rule

FUNCTIONS = METHODS | {name: meaning.run for name, meaning in MEANINGS.items() if not (meaning.whole or meaning.proves)}
FUNCTIONS |= {"pi": np.pi, "inf": np.inf}


def evaluate(tree: ast.expr, known: Mapping[str, ast.expr], names: Mapping[str, Any]) -> Any:
    """Returns what a tree comes to, the letters that it uses first.

    Args:
        tree: of `parse`.
        known: the trees of letters; one may use others.
        names: arrays and arguments; a name wins over a function.

    Raises:
        NameError: the tree names something that is not there.

    Example:
        >>> from rustyflow.claims.rule import parse
        >>> evaluate(parse("s if x > 0 else 0"), {"s": parse("2 * x")}, {"x": np.array([-1., 3.])})
        array([0., 6.])
        >>> evaluate(parse("z60"), {f"z{k}": parse(f"z{k - 1} + z{k - 2}" if k > 1 else "1") for k in range(61)}, {})
        2504730781961
    """
    worked: dict[str, Any] = {}
    pending: set[str] = set()
    def value(tree: ast.expr) -> Any:
        code, used = ready(tree)
        for name in known.keys() & used - worked.keys() - pending:
            pending.add(name)
            worked[name] = value(known[name])
            pending.discard(name)
        letters = {name: worked[name] for name in known if name in used and name not in pending}
        return eval(code, {"__builtins__": {}, **FUNCTIONS, **names, **letters})  # of our own docstrings
    with np.errstate(all="ignore"):
        return value(tree)


@lru_cache(4096)  # each call binds trees of its own
def ready(tree: ast.expr) -> tuple[CodeType, frozenset[str]]:
    """A tree compiled, and its names."""
    code = compile(ast.fix_missing_locations(ast.Expression(Cells().visit(deepcopy(tree)))), "<rule>", "eval")
    return code, frozenset(names_in(tree))


PARTS = (
    ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.Compare, ast.cmpop,
    ast.BoolOp, ast.boolop, ast.IfExp, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple,
    ast.List, ast.Lambda, ast.arguments, ast.arg,
)  # fmt: skip
"""The parts of a rule that a figure works out. A rule may stand in the docstring of a reader's own op, so that it is
held to arithmetic: it calls functions of rules alone, reaches nothing behind its numbers, and comes to an end."""

ATTRIBUTES = "T", "mT", "shape"
"""The attributes that rules read."""

CALLED = (*METHODS, "gather")
"""The methods that they call."""

GREATEST = 1000
"""Numbers in a power, and those that a function is given, are smaller: of larger ones they may take hours."""

LARGE = ast.Pow, ast.Mult, ast.LShift, ast.Call
"""The parts that no exponent has."""


def worked_out(rule: Rule, names: Mapping[str, Any], functions: Mapping[str, Any] = NOTHING) -> Any:
    """Returns what a rule of one call comes to, read as a program; None if it is no arithmetic.

    Args:
        rule: of `bound`, with shapes.
        names: its arrays and numbers.
        functions: those that mean something else here.

    Example:
        >>> from rustyflow.claims.rule import rules_in
        >>> worked_out(rules_in("y = x.T + s with s = 2 ** k")[0], {"x": np.eye(1), "k": 3})
        array([[9.]])
        >>> print(worked_out(rules_in("y = 9 ** 9 ** 9")[0], {}), worked_out(rules_in("y = x.__class__")[0], {"x": 1}))
        None None
    """
    if not all(map(is_arithmetic, ast.walk(rule.tree))) or not all(
        is_arithmetic(node) for _, tree in rule.known for node in ast.walk(tree)
    ):
        return None
    try:
        return evaluate(rule.tree, dict(rule.known), {**functions, **names})
    except Exception:  # a rule may read what is not known, and that of a reader may be anything
        return None


def value_of(rule: Rule, names: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray | None:
    """Returns what a rule comes to in the shape of its result; None where it is no arithmetic."""
    return in_shape(worked_out(rule, names), shape, float)


def in_shape(value: Any, shape: tuple[int, ...], dtype: type) -> np.ndarray | None:
    """Returns a value as an array that its rule's result has the shape of; None where it has not."""
    if value is None or isinstance(value, list | tuple):  # several results
        return None
    try:
        cells = np.asarray(value, dtype)
        return cells.reshape(shape) if cells.size == prod(shape) else np.broadcast_to(cells, shape)
    except (TypeError, ValueError):
        return None


def is_arithmetic(node: ast.AST) -> bool:
    """True for a part of a rule that a figure works out."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            given = [*args, *(keyword.value for keyword in keywords)]
            values = [part.value for arg in given for part in ast.walk(arg) if isinstance(part, ast.Constant)]
            small = all(abs(value) < GREATEST for value in values if isinstance(value, int | float))
            named = isinstance(function, ast.Name) and function.id in FUNCTIONS
            return small and (named or isinstance(function, ast.Attribute) and function.attr in CALLED)
        case ast.Attribute(attr=name):
            return name in ATTRIBUTES or name in CALLED
        case ast.BinOp() if any(isinstance(getattr(part, "value", None), str) for part in ast.walk(node)):
            return False  # of a text some signs make a long one
        case ast.BinOp(op=ast.Pow() | ast.LShift(), right=exponent):
            parts = [*ast.walk(node)]
            values = [part.value for part in parts if isinstance(part, ast.Constant)]
            small = all(abs(value) < GREATEST for value in values if isinstance(value, (int, float)))
            flat = sum(isinstance(part, ast.Pow) for part in parts) < 3
            return small and flat and not any(isinstance(part, LARGE) for part in ast.walk(exponent))
    return isinstance(node, PARTS)


def is_open(rule: Rule) -> bool:
    """True for a rule that a call leaves open: some function has neither words nor a program."""
    called = {node.func.id for tree in trees_of(rule) for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}  # fmt: skip
    open_ = any(not MEANINGS[name].phrase for name in called & {*FORMS, *LOSSES} if name in MEANINGS)
    return open_ or bool(called & {UNTOLD, "of_target", "at_classes"})  # of which a program reads no shape


class Cells(ast.NodeTransformer):
    """A tree of numbers as one of arrays: choices, conditions and chains of comparisons cell by cell."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return call("where", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        return call("both" if isinstance(node.op, ast.And) else "either", *node.values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return call("opposite_of", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        pairs = [ast.Compare(a, [op], [b]) for a, op, b in zip(sides, node.ops, sides[1:])]
        return pairs[0] if len(pairs) == 1 else call("both", *pairs)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A method as the function that it is: no attribute is ever called."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in CALLED:
            return call(node.func.attr, node.func.value, *node.args)
        if len(node.args) > 1 and isinstance(node.args[1], ast.Tuple) and function_of(node) == "without":
            *before, i = node.args[1].elts  # an index along an axis that is not the first
            node.args[1:] = [i, ast.Constant(len(before))]
        if any(isinstance(arg, ast.ListComp) for arg in node.args):
            node.args.append(ast.Constant(0))  # a sum over the places from one on, each of which may be a line
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        self.generic_visit(node)
        return ast.ListComp(node.elt, node.generators)

"""Rules with letters for the sums within them, so that the tree of one cell stays one line."""

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy

from .fold import call
from .letters import names_in
from .rule import Rule


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
        self.arrays = arrays
        self.inside = 0  # 1: beside another term, where a sum may stay flat; 2: a factor, or under another sum
        self.parts: dict[str, tuple[str, ast.expr]] = {}

    def visit(self, node: ast.AST) -> ast.AST:
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

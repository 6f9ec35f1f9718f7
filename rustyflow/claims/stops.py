"""Rules with letters for the sums within them, and for long terms, so that the tree of one cell stays one line."""

import ast
from collections.abc import Iterable
from copy import deepcopy
from functools import lru_cache

from .fold import SIZES, call
from .letters import function_of, names_in
from .rule import Rule

NAMES = {"sum": "total", "@": "product", "mean": "mean", "prod": "product", "var": "var", "amax": "max", "amin": "min",
         "softmax": "p", "inverse": "inverse", "det": "det"}  # fmt: skip
"""The functions that read many cells for one, and the names of what they come to."""

FLAT = ("sum", "@")
"""Those that may stand beside another term as they are."""

ONE_BY_ONE = "exp log sqrt abs sin cos tanh log1p".split()
"""Functions of one number each, in whose brackets a sum would be long."""

SHORT = 1
"""So many names a term of a sum may have, but for a product."""


class Stops(ast.NodeTransformer):
    """Gives sums, means and matrix products within larger rules a letter, and terms of a sum that are long.

    A letter ends in `_`, for one that is called as a function is would hide that.

    >>> from .rule import rules_in
    >>> rule = stopped(rules_in("y = x / sum(exp(x), 0) + x @ w - mean(x)")[0], frozenset("xw"))
    >>> ast.unparse(rule.tree), [(shown(name), ast.unparse(tree)) for name, tree in rule.known]
    ('x / total_ + x @ w - mean_', [('total', 'sum(exp(x), 0)'), ('mean', 'mean(x)')])
    >>> rule = stopped(rules_in("y = sum((x - t) ** 2) / 2")[0], frozenset("xt"))
    >>> ast.unparse(rule.tree), [(shown(name), ast.unparse(tree)) for name, tree in rule.known]
    ('sum(term_) / 2', [('term', '(x - t) ** 2')])
    """

    def __init__(self, arrays: set[str], term: str = "term"):
        self.arrays, self.term = arrays, term
        self.inside = 0  # 1: beside another term, where a sum may stay flat; 2: a factor, or under another sum
        self.parts: dict[str, tuple[str, ast.expr]] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        outer, kind = self.inside, function_of(node)
        if isinstance(node, ast.BinOp):
            kind = "@" * isinstance(node.op, ast.MatMult)
            within = 1 if isinstance(node.op, ast.Add | ast.Sub) else 2
            left, right = (within * bool(kind or names_in(side) & self.arrays) for side in (node.left, node.right))
            self.inside = max(outer, min(right, 1) if isinstance(node.op, ast.Div) else right)
            node.left = self.visit(node.left)
            self.inside = max(outer, left)
            node.right = self.visit(node.right)
        else:
            self.inside = 2 if kind in NAMES or kind in ONE_BY_ONE else outer
            self.generic_visit(node)
        if kind == "var":
            middle = call("mean", *deepcopy(node.args[:2]), *[ast.Constant(True)] * (len(node.args) > 1))
            node.keywords.append(ast.keyword("middle", self._letter("mean", middle)))
        if kind in ("sum", "mean") and self._is_long(node.args[0]):
            node.args[0] = self._letter(self.term, node.args[0])
        if kind == "softmax":
            e = self._letter("e", call("exp", node.args[0]))
            node = ast.BinOp(e, ast.Div(), self._letter("total", call("sum", e, *node.args[1:], ast.Constant(True))))
        self.inside = outer
        return self._letter(NAMES[kind], node) if kind in NAMES and outer > (kind in FLAT) else node

    def _is_long(self, term: ast.expr) -> bool:
        """True for a term of several arrays that is no product of them."""
        while isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
            if self._names(term.right) > SHORT:
                return True
            term = term.left
        return self._names(term) > SHORT and not isinstance(term, ast.GeneratorExp)

    def _names(self, tree: ast.AST) -> int:
        """The number of arrays in a tree; of a choice that of the longer side, for one of them is told."""
        if isinstance(tree, ast.IfExp):
            return max(self._names(tree.body), self._names(tree.orelse))
        if function_of(tree) == "where":
            return max(map(self._names, tree.args[1:]))
        if isinstance(tree, ast.Attribute) and tree.attr in SIZES:
            return 0
        return sum(map(self._names, ast.iter_child_nodes(tree)), getattr(tree, "id", "") in self.arrays)

    def _letter(self, name: str, tree: ast.expr) -> ast.Name:
        taken = {letter for letter, _ in self.parts.values()}
        free = (f"{name}_{k}" for k in ("", *range(2, 99)))
        letter = next(letter for letter in free if letter not in taken and shown(letter) not in self.arrays)
        return ast.Name(self.parts.setdefault(ast.unparse(tree), (letter, tree))[0], ast.Load())


def shown(letter: str) -> str:
    """The name of a letter that `Stops` has given."""
    name, _, number = letter.rpartition("_")
    return name + number if name and (not number or number.isdigit()) else letter


@lru_cache(1024)
def stopped(rule: Rule, arrays: frozenset[str], term: str = "term") -> Rule:
    """The rule with letters for the sums that stand within it, and for their long terms."""
    stops = Stops({*arrays, *(name for name, _ in rule.known)}, term)
    tree = stops.visit(deepcopy(rule.tree))
    known = [(name, stops.visit(deepcopy(part))) for name, part in rule.known]
    return Rule(rule.left, tree, (*dict(stops.parts.values()).items(), *known))


class OfLetters(ast.NodeTransformer):
    """The terms of a sum over indices as a function of these."""

    def __init__(self, letters: Iterable[str]):
        self.letters = [ast.arg(letter) for letter in letters]

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if function_of(node) != "sum":
            return self.generic_visit(node)
        return call("sum", ast.Lambda(ast.arguments([], self.letters, None, [], [], None, []), node.args[0]))

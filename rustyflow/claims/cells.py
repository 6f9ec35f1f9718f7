"""Rules of cells, `y[i, j] = x[i, index[i, j]]`: the indices of a call, one for each axis that it has."""

import ast
from collections.abc import Sequence

from .fold import call
from .forms import Written, at_dim, text
from .letters import function_of, used_letters
from .rule import Rule, copied, parse

LETTERS = "ijklmnop"

RUNNING = ("sum", "prod")
"""The functions that run along an axis."""


def of_cells(rules: Sequence[Rule], fold: Written) -> list[Rule]:
    """The rules with the indices of a call.

    Example:
        >>> from rustyflow.claims.bind import bound
        >>> from rustyflow.claims.say import say_rule
        >>> doc = "y[i] = sum(x[:i + 1])        dx[i] = sum(g[i:])"
        >>> [say_rule(rule) for rule in bound(doc, {"dim": 1}, (), {"x": (2, 3), "y": (2, 3)})]
        ['y[:, i] = sum(x[:, :i + 1], 1)', 'dx[:, i] = sum(g[:, i:], 1)']
    """
    rules = [_cut(rule, fold) for rule in rules]
    return [_of_cells(rule, rules, fold) for rule in rules]


def _of_cells(rule: Rule, rules: Sequence[Rule], fold: Written) -> Rule:
    shape, dim, index = fold.shapes.get("y") or (), fold.given.get("dim"), indices(rule)
    name = function_of(rule.tree)
    if len(index) == 1 and type(dim) is int and len(shape) > 1:
        left = f"{rule.left.partition('[')[0]}[{':, ' * dim}{index[0]}]"
        return rule._replace(left=left, tree=Along(dim).visit(rule.tree))
    if name in ("gather", "scatter", "scatter_add", "scatter_reduce") and rule.left[:1] == "y" and type(dim) is int:
        return _named(rule, name, dim, len(shape))
    return _same_sum(rule, rules[0]) if name == "same_sum" and "[" in rules[0].left else rule


def _cut(rule: Rule, fold: Written) -> Rule:
    """Of a picture's axes a line has one."""
    shape, index = fold.shapes.get("y") or (), indices(rule)
    if not len(index) > len(shape) > 0 or rule.left[:1] != "y" or len(index) < 3:
        return rule
    tree = Cut(len(index) - len(shape)).visit(rule.tree)
    return rule._replace(left=f"{rule.left.partition('[')[0]}[{', '.join(index[:len(shape)])}]", tree=tree)


def indices(rule: Rule) -> list[str]:
    """The indices on the left of a rule: n, o of `y[n, o] = ...`."""
    within = rule.left.partition("[")[2].rstrip("]")
    return within.split(", ") if within else []


class Along(ast.NodeTransformer):
    """Cells along a dim that is not the first."""

    def __init__(self, dim: int):
        self.dim = dim

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return ast.Subscript(node.value, at_dim(self.dim, node.slice), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if function_of(node) in RUNNING and not isinstance(node.args[0], ast.GeneratorExp):
            node.args.append(ast.Constant(self.dim))
        if function_of(node) == "without":
            node.args[1] = at_dim(self.dim, node.args[1])
        if function_of(node) == "len":
            return parse(f"{ast.unparse(node.args[0])}.shape[{self.dim}]")
        return node


def _named(rule: Rule, name: str, dim: int, rank: int) -> Rule:
    """The cell that an index names: read, or the one that is written to."""
    letters = [*LETTERS[:rank]]
    every = ", ".join(letters)
    letters[dim : dim + 1] = [f"index[{every}]"] * (dim < rank)
    place = parse(f"[{', '.join(letters)}]")
    within = ast.Tuple(place.elts, ast.Load()) if len(letters) != 1 else place.elts[0]
    if name == "gather":
        cell = Rule(f"y[{every}]", ast.Subscript(rule.tree.args[0], within, ast.Load()))
        return cell if rank else rule._replace(left="y")
    cell = text(f"lambda {every}: y")
    cell.body = ast.Subscript(ast.Name("y", ast.Load()), within, ast.Load())
    tree = copied(rule.tree)
    tree.keywords.append(ast.keyword("at", cell))
    return rule._replace(tree=tree) if rank else rule


def _same_sum(rule: Rule, of: Rule) -> Rule:
    """The gradient of one factor of a sum of products.

    It is the same sum, with the upstream gradient in place of that factor, over the cells that read it.
    """
    sum_ = next(node for node in ast.walk(of.tree) if function_of(node) == "sum")
    g, operand = rule.tree.args
    factors = [node for node in ast.walk(sum_) if isinstance(node, ast.Subscript)]
    read, other = sorted(factors, key=lambda node: node.value.id != operand.id)
    arrives = ast.Subscript(g, parse(f"({', '.join(indices(of))})"), ast.Load())
    tree = call("sum", ast.BinOp(arrives, ast.Mult(), other))
    if function_of(of.tree) == "beyond" and operand.id != "x":
        tree = call("beyond", tree, *of.tree.args[1:])
    return Rule(f"d{ast.unparse(ast.Subscript(operand, read.slice))}", tree, used_letters({}, tree))


class Cut(ast.NodeTransformer):
    """Takes the last indices away, those of axes that a call does not have."""

    def __init__(self, many: int):
        self.many = many

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = node.slice.elts[: -self.many]
        return node

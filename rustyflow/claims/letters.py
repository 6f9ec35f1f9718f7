"""The names in trees: which ones a tree has, other ones in their place, and which letters a rule needs."""

import ast
from collections.abc import Container, Iterable, Mapping
from copy import deepcopy
from typing import Any

from .meaning import MEANINGS
from .rule import Rule


def names_in(tree: ast.AST) -> set[str]:
    """The names of a tree, without those of the functions that it calls.

    >>> sorted(names_in(ast.parse("exp(x.T) + mean(g[i, :])")))
    ['g', 'i', 'x']
    """
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def function_of(node: ast.AST) -> str:
    """The name of the function that a node calls; nothing of a method, or of another node."""
    return getattr(getattr(node, "func", None), "id", "")


def used_letters(known: Mapping[str, ast.expr], tree: ast.expr) -> tuple[tuple[str, ast.expr], ...]:
    """The letters that a tree needs, those that its letters need among them, in order."""
    names, used = names_in(tree), []
    for name, letter in reversed(known.items()):
        if name in names:
            names |= names_in(letter)
            used.append((name, letter))
    return tuple(reversed(used))


def trees_of(rule: Rule) -> list[ast.expr]:
    """The trees of a rule: its right side, and its letters'."""
    return [rule.tree, *(tree for _, tree in rule.known)]


def letters_of(rule: Rule) -> set[str]:
    """The names that a rule reads, without the letters that it defines itself.

    >>> from rustyflow.claims.rule import rules_in
    >>> sorted(letters_of(rules_in("dx = g * s with s = 1 / (1 + exp(-x))")[0]))
    ['g', 'x']
    """
    return set().union(*map(names_in, trees_of(rule))) - dict(rule.known).keys()


class Renamed(ast.NodeTransformer):
    """Puts other names, or trees, in the place of names; functions stay what they are."""

    def __init__(self, others: Mapping[str, str | ast.expr]):
        self.others = others

    def visit_Name(self, node: ast.Name) -> ast.expr:
        other = self.others.get(node.id, node)
        return ast.Name(other, ast.Load()) if isinstance(other, str) else deepcopy(other)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name):
            return self.generic_visit(node)
        node.args = [self.visit(arg) for arg in node.args]
        node.keywords = [self.visit(word) for word in node.keywords]
        return node


def renamed(tree: ast.expr, others: Mapping[str, str | ast.expr]) -> ast.expr:
    """A tree with other names.

    >>> ast.unparse(renamed(ast.parse("x * exp(x)", mode="eval").body, {"x": "w", "exp": "e"}))
    'w * exp(w)'
    """
    return Renamed(others).visit(deepcopy(tree))


def rule_renamed(rule: Rule, others: Mapping[str, str | ast.expr], left: str = "") -> Rule:
    """A rule with other names, those of its own letters too; its left side as it is, or another."""
    named = {name: other for name, other in others.items() if isinstance(other, str)}
    known = tuple((named.get(name, name), renamed(tree, others)) for name, tree in rule.known)
    return Rule(left or rule.left, renamed(rule.tree, others), known)


LONGEST = 1000
"""The most parts of a tree that anybody writes out: where each letter reads the one before twice, 30 of them are
a thousand million.
"""


def inlined(rule: Rule) -> Rule:
    """The rule with what its letters are in their place; one that would be endless keeps them.

    >>> from rustyflow.claims.rule import rules_in
    >>> ast.unparse(inlined(rules_in("y = e / s with e = exp(x), s = sum(e)")[0]).tree)
    'exp(x) / sum(exp(x))'
    >>> twice = rules_in("y = z99 with z0 = x, " + ", ".join(f"z{k} = z{k - 1} * z{k - 1}" for k in range(1, 100)))[0]
    >>> inlined(twice) is twice
    True
    """
    sizes: dict[str, int] = {}
    for name, tree in (*rule.known, ("", rule.tree)):
        sizes[name] = sum(sizes.get(getattr(node, "id", ""), 1) for node in ast.walk(tree))
    if sizes[""] > LONGEST:
        return rule
    known: dict[str, ast.expr] = {}
    for name, tree in rule.known:
        known[name] = renamed(tree, known)
    return Rule(rule.left, renamed(rule.tree, known))


def free_letters(rules: Iterable[Rule], known: Container[str], taken: Container[Any]) -> dict[str, str]:
    """Other letters for what rules define or count by, where the program has a tensor that is called so.

    >>> from rustyflow.claims.rule import rules_in
    >>> free_letters(rules_in("dx = g * s with s = exp(x)"), ["x"], {"s"})
    {'s': 'r'}
    """
    rules = list(rules)
    names = set().union(*(names_in(tree) for rule in rules for tree in trees_of(rule)))
    clash = {name: None for rule in rules for name in (*(name for name, _ in rule.known), *sorted(letters_of(rule)))
           if name not in known and name in taken and (len(name) == 1 or name in dict(rule.known))}  # fmt: skip
    free = (letter for letter in "rstuvwdehmnopq" if letter not in names and letter not in taken)
    return dict(zip(clash, free, strict=False))


def usual(rule: Rule) -> Rule:
    """A rule without the operands at which it is another one: who says it looks whether it holds."""
    tree = rule.tree
    if isinstance(tree, ast.IfExp) and isinstance(tree.test, ast.UnaryOp) and isinstance(tree.test.op, ast.Not):
        return Rule(rule.left, tree.body, used_letters(dict(rule.known), tree.body))
    return rule


def is_product(tree: ast.expr) -> bool:
    """True for a gradient that is multiplied with others as they are, or only moved: `g * w`, `x.T @ g`."""
    match tree:
        case ast.Name():
            return True
        case ast.BinOp(left=left, op=ast.Mult() | ast.MatMult(), right=right):
            return is_product(left) and is_product(right)
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return is_product(value)
        case ast.Call(func=ast.Name("outer"), args=args):
            return all(map(is_product, args))
        case ast.Call(func=ast.Name(name), args=[first, *_]) if name in MEANINGS:
            phrase = MEANINGS[name].gradient or MEANINGS[name].phrase
            return bool(phrase) and " where " not in phrase and is_product(first)
    return False


def reckoned(tree: ast.expr) -> set[str]:
    """The names that a tree computes with, or compares; not those that are only handed to a function."""
    parts = [part for node in ast.walk(tree) for part in _parts(node)]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _parts(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
    return []


def beside_g(tree: ast.expr) -> tuple[str, ast.expr] | None:
    """The other factor of a product with `g`, and its side: `@ ` is behind it, ` @` before it.

    >>> from rustyflow.claims.rule import parse
    >>> [(side, ast.unparse(other)) for side, other in map(beside_g, map(parse, ("g * w", "g @ w.T", "(g.T @ x).T")))]
    [('', 'w'), ('@ ', 'w.T'), (' @', 'x.T')]
    >>> beside_g(parse("g * w + 1"))
    """
    match tree:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            one, other = beside_g(body), beside_g(orelse)
            return ("", ast.IfExp(test, one[1], other[1])) if one and other and not one[0] + other[0] else None
        case ast.Name("g"):
            return "", ast.Constant(1)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name("g")):
            return "", ast.UnaryOp(ast.USub(), ast.Constant(1))
        case ast.BinOp(left=ast.Name("g"), op=ast.Div(), right=ast.Name() | ast.Constant() as other):
            return "", ast.BinOp(ast.Constant(1), ast.Div(), other)
        case ast.Attribute(ast.BinOp(ast.Attribute(ast.Name("g"), "T"), ast.MatMult(), other), "T"):
            return " @", ast.Attribute(other, "T", ast.Load())
        case ast.BinOp(left=left, op=ast.MatMult(), right=ast.Name("g")):
            return " @", left
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Name("g")):
            return "", left
    return _behind_g(tree)


def _behind_g(tree: ast.expr) -> tuple[str, ast.expr] | None:
    """The factors behind g as one tree, and the side that they stand on."""
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Mult | ast.Div | ast.MatMult):
        return None
    if isinstance(tree.left, ast.Name) and tree.left.id == "g" and not isinstance(tree.op, ast.Div):
        return "@ " if isinstance(tree.op, ast.MatMult) else "", tree.right
    side, other = _behind_g(tree.left) or (None, None)
    return None if other is None else (side, ast.BinOp(other, tree.op, tree.right))


REPEATING = ("along", "expand")
"""The functions that repeat what arrives."""


def in_proportion(tree: ast.expr) -> bool:
    """True if each cell may be that of g times a number.

    No function is of `g` then, and no matrices are multiplied.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return False
        if isinstance(node, ast.Call) and "g" in names_in(node) and function_of(node) not in REPEATING:
            return False
    return True


def reads_by_index(rule: Rule) -> bool:
    """True for a rule that reads one operand by another, or by its own letters.

    In numbers nobody could read it.

    >>> from rustyflow.claims.rule import rules_in
    >>> [reads_by_index(rule) for rule in rules_in("y = x[range(3), t]        dx = g[:, None]        dw = x[1:]")]
    [True, False, False]
    """
    parts = [node for tree in trees_of(rule) for node in ast.walk(tree)]
    named = any(isinstance(node, ast.Subscript) and any(isinstance(part, ast.Name) for part in ast.walk(node.slice))
                for node in parts)  # fmt: skip
    return named or any(isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) for node in parts)


def given_back_to(rule: Rule) -> str:
    """The operand whose cells that were read get what arrives; nothing of another rule."""
    calls = (node for node in ast.walk(rule.tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    return next((node.args[1].id for node in calls if function_of(node) == "given_back"), "")

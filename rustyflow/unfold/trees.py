"""Trees whose leaves are numbers that open, and what makes them shorter to read."""

from __future__ import annotations

from typing import Any

from ..claims.tree import TERMS, Leaf, Op, Tree


class At(Leaf):
    """A leaf of a tree that is a number which may be opened."""

    number: Any


def at(number: Any) -> At:
    """A number as a leaf of a tree."""
    leaf = At(number.shown)
    leaf.number = number
    return leaf


def parts_of(tree: Tree | None) -> list[Any]:
    """The numbers of a tree in order."""
    if isinstance(tree, At):
        return [tree.number]
    return [number for part in tree.parts for number in parts_of(part)] if isinstance(tree, Op) else []


def widest(tree: Tree) -> int:
    """The most terms of a sum, or parts of another operation, in a tree."""
    return max(len(tree.parts), *map(widest, tree.parts)) if isinstance(tree, Op) and tree.parts else 1


def tidied(tree: Tree) -> Tree:
    """The same tree, in which what is added with a minus is taken off.

    >>> from ..claims.tree import text
    >>> a, b, c = (Leaf(1, name) for name in "abc")
    >>> minus = lambda x: Op("-", (x,))
    >>> text(tidied(Op("+", (minus(a), minus(b))))), text(tidied(Op("+", (a, minus(b), c, minus(a)))))
    ('-(a + b)', 'a - b + c - a')
    """
    if not isinstance(tree, Op):
        return tree
    parts = tuple(map(tidied, tree.parts))
    if tree.how == "+" and any(map(_is_minus, parts)):
        if all(map(_is_minus, parts)):
            return Op("-", (Op("+", tuple(part.parts[0] for part in parts)),))
        if len(parts) <= TERMS and not _is_minus(parts[0]):
            return _taken_off(parts)
    return Op(tree.how, parts)


def _is_minus(tree: Tree) -> bool:
    return isinstance(tree, Op) and tree.how == "-" and len(tree.parts) == 1


def _taken_off(parts: tuple[Tree, ...]) -> Tree:
    """A sum of some terms and minus others, in their order."""
    tree = parts[0]
    for part in parts[1:]:
        how, term = ("-", part.parts[0]) if _is_minus(part) else ("+", part)
        joins = isinstance(tree, Op) and tree.how == how and len(tree.parts) > 1 and tree is not parts[0]
        tree = Op(how, (*tree.parts, term)) if joins else Op(how, (tree, term))
    return tree

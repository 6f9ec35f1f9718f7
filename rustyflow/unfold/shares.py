"""The level of a gradient: the sum of what the readers of a tensor send to it."""

from __future__ import annotations

from typing import Any

from ..claims.digits import DIGITS
from ..claims.lazy import Index, subscript
from ..claims.tree import TERMS, Leaf, Op, Tree, added, floats
from .line import fits, pieces_of
from .number import Number, Told
from .source import Source
from .trees import parts_of


def gradient(world: Any, source: Source, i: Index) -> Told:
    """The level of one cell of a gradient."""
    name = world.called.grad(source) + subscript(i)
    if (hooked := world.gradients.hooked.get(source.key)) is not None:
        came = Number(f"{name} as it came", world.cell_of(hooked[0], i), lambda: arrived(world, source, i))
        return Told(Op("hook", (came.leaf,)))
    return arrived(world, source, i)


def arrived(world: Any, source: Source, i: Index) -> Told:
    """The sum of all that arrives, a reader's share in each term, or all their terms where these are few."""
    by_reader: dict[Any, list[tuple[int, Any]]] = {}
    for reader, operand, array in world.gradients.arrived.get(source.key, ()):
        by_reader.setdefault(reader, []).append((operand, world.cell_of(array, i)))
    in_order = sorted(by_reader, key=lambda reader: reader.number if reader else float("inf"))
    shares = [_share(world, source, i, reader, by_reader[reader]) for reader in in_order]
    nothing = [share for share in shares if _is_nothing(share.told)]
    shares = [share for share in shares if share not in nothing] or nothing[:1]
    if len(shares) == 1:
        return shares[0].told
    trees = [share.told.tree for share in shares]
    if all(tree is not None for tree in trees):
        sums = (tree.parts if isinstance(tree, Op) and tree.how == "+" else [tree] for tree in trees)
        flat = added(term for some in sums for term in some)
        name = world.called.grad(source) + subscript(i)
        if len(parts_of(flat)) <= TERMS and fits(name, pieces_of(flat, DIGITS, TERMS), "", "0.000"):
            return Told(flat)
    return Told(added(share.leaf for share in shares))


def _share(world: Any, source: Source, i: Index, reader: Any, sent: list[tuple[int, Any]]) -> Number:
    """The number that one reader sends, through one operand or several."""
    name = world.called.grad(source) + subscript(i)
    value = sum(number for _, number in sent)
    if reader is None:
        return Number(f"{name} at the start", value, lambda: Told(None, "where backward begins"))
    call = world.call_of(reader)
    through = world.called(call.results[0])

    def tell() -> Told:
        each = [world.teller(call).sent(operand, i, number) for operand, number in sent]
        if any(told.tree is None for told in each):
            return next(told for told in each if told.tree is None)
        if len(each) == 1:
            return noted(each[0], call.word)
        return Told(added(told.tree for told in each))

    return Number(f"{name} through {through}", value, tell, brief=f"(through {through})")


def _is_nothing(told: Told) -> bool:
    """True of a share of 0 that no number makes."""
    return isinstance(told.tree, Leaf) and not parts_of(told.tree) and told.tree.value == 0


def noted(told: Told, word: str) -> Told:
    """The same with why it is what it is: nothing, or what arrives."""
    if told.note:
        return told
    tree: Tree = told.tree
    if not parts_of(tree) and floats(tree) == 0:
        return Told(Leaf(0), f"as {word} took nothing from it")
    number = getattr(tree, "number", None)
    return Told(tree, f"which {word} hands on") if number is not None and number.place and number.place.grad else told

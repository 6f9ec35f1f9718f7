"""The rules of one call: its arguments and shapes are bound into the trees of its op's rules."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from .cells import of_cells
from .fold import NOTHING, Fold, Shapes
from .forms import Written, widened
from .letters import used_letters
from .rule import Rule, copied, rules_in


def bound(
    doc: str, given: Mapping[str, Any], absent: Iterable[str] = (), shapes: Shapes | None = None,
    numbers: Mapping[str, float] = NOTHING, results: Iterable[str] = (),
) -> tuple[Rule, ...]:  # fmt: skip
    """The rules of an op's docstring for one call; an operand that was not given has none.

    Args:
        doc: the op's docstring.
        given: the arguments of the call, by the op's own names.
        absent: the operands that the call went without.
        shapes: with them the rules read as a program does: a reduction says its dims, and what it took out of a result
            is put back where a gradient reads that.
        numbers: the operands that are numbers, at which a rule may be another one.
        results: the names of the op's results.

    Raises:
        SyntaxError: a rule is no Python.

    Example:
        >>> from rustyflow.claims.say import say_rule
        >>> doc = "y = x @ w + bias        dx = g / among(n, reduction) * scale        dbias = g"
        >>> [say_rule(rule) for rule in bound(doc, {"scale": 1, "reduction": "sum"}, ["bias"])]
        ['y = x @ w', 'dx = g']
        >>> doc = "y = prod(x, dim, keepdim)        dx = g * others(x, dim)"
        >>> [say_rule(rule) for rule in bound(doc, {"dim": 1, "keepdim": False}, (), {"x": (2, 3), "y": (2,)})]
        ['y = prod(x, 1)', 'dx = g[:, None] * the product of all other cells along dim 1']
    """
    call = (tuple((name, type(value), value) for name, value in given.items()), tuple(absent), shapes and
            tuple(shapes.items()), tuple(numbers.items()), tuple(results))  # fmt: skip
    try:
        return _kept(doc, call)
    except TypeError:  # index arrays, which cannot be compared at once
        return _bound(doc, call)


def _bound(doc: str, call: tuple) -> tuple[Rule, ...]:
    arguments, absent, sizes, known_numbers, results = call
    given, numbers = {name: value for name, _, value in arguments}, dict(known_numbers)
    shapes = None if sizes is None else dict(sizes)
    rules = rules_in(doc)
    letters = {name: tree for rule in rules for name, tree in rule.known}
    given = {name: value for name, value in given.items() if name not in letters}
    fold = Fold(given, absent, numbers) if shapes is None else Written(given, absent, numbers, shapes)
    known = fold.letters(letters)
    trees = [
        (rule, fold.visit(copied(rule.tree)))
        for rule in rules if not all(name[:1] == "d" and name[1:] in absent for name in rule.names)
    ]  # fmt: skip
    rules = tuple(Rule(rule.left, tree, used_letters(known, tree)) for rule, tree in trees)
    if shapes is None:
        return rules
    return tuple(widened(rule, fold, results) for rule in of_cells(rules, fold))


_kept = lru_cache(1024)(_bound)
"""The rules of calls that were bound before: of one figure's nodes many are alike."""

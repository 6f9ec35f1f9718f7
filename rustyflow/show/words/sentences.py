"""Words that sentences of figures are made of: how many, and which."""

from collections.abc import Sequence

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
"""What is written between its operands."""


def many(n: int, word: str) -> str:
    """`1 slot`, `2 slots`."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def listed(items: Sequence[str], most: int = 6) -> str:
    """`a, b and c`; of a long list its beginning and its length, of an empty one `nothing`."""
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    if len(items) < 2:
        return items[0] if items else "nothing"
    return ", ".join(items[:-1]) + " and " + items[-1]


def indexed(name: str, index: Sequence[int]) -> str:
    """`a[1, 2]`; a number without axes by its name alone."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def written(op: str, parts: Sequence[str]) -> str:
    """An operation as a program writes it.

    >>> written("mul", ["a", "b"]), written("*", ["a", "b"]), written("maximum", ["a", "b"])
    ('a * b', 'a * b', 'maximum(a, b)')
    """
    symbol = SYMBOLS.get(op, "" if op.isidentifier() else op)
    return f" {symbol} ".join(parts) if symbol else f"{op}({', '.join(parts)})"

"""An op's rule as data: the first paragraph of its docstring, part by part."""

from __future__ import annotations

from functools import cache

BETWEEN = " " * 8
"""What stands between two parts, where they do not have a line each."""


@cache
def formula(doc: str) -> str:
    """The rule in one line, `y = ...        da = ...`.

    Example:
        >>> import rustyflow as rf
        >>> formula(rf.mul.__doc__)
        'y = a * b        da = g * b        db = g * a'
    """
    return BETWEEN.join(line.strip() for line in doc.strip().partition("\n\n")[0].splitlines())


def rules(doc: str) -> dict[str, str]:
    """The rule for each name on the left of `y = ...        da = ...`; also where two share it.

    Example:
        >>> import rustyflow as rf
        >>> rules(rf.mul.__doc__)
        {'y': 'a * b', 'da': 'g * b', 'db': 'g * a'}
        >>> rules("no rule here")
        {}
    """
    found = {}
    for part in formula(doc).split(BETWEEN):
        left, sign, right = part.strip().partition(" = ")
        if sign:
            found.update({name.strip(): right for name in ([left] if "[" in left else left.split(","))})
    return found

"""An op's rule as data: the first line of its docstring, part by part."""

from __future__ import annotations


def rules(doc: str) -> dict[str, str]:
    """What each name on the left of `y = ...        da = ...` stands for; where two share a rule, each has it.

    Example:
        >>> import rustyflow as rf
        >>> rules(rf.mul.__doc__)
        {'y': 'a * b', 'da': 'g * b', 'db': 'g * a'}
        >>> rules("no rule here")
        {}
    """
    found = {}
    for part in (doc.splitlines() or [""])[0].split("        "):
        left, sign, right = part.strip().partition(" = ")
        if sign:
            found.update({name.strip(): right for name in ([left] if "[" in left else left.split(","))})
    return found

"""Rules as they are shown, read back: `A where C, else B` and `A, B where C` as Python's `where`."""

import re


def parts_at_top(text: str, separator: str) -> list[str]:
    """Split where no bracket is open."""
    found, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and text.startswith(separator, k):
            found.append(text[start:k])
            start = k + len(separator)
    return [*found, text[start:]]


def expression(text: str) -> str:
    """A rule that is shown as a Python expression.

    >>> expression("g where a > b, g / 2 where a == b, else 0")
    'where(a > b, g, where(a == b, g / 2, 0))'
    >>> expression("g * log(b), 0 where a is 0")
    'where(a == 0, 0, g * log(b))'
    """
    value, *rest = parts_at_top(nested(text.strip()), " where ")
    if not rest:
        return value
    condition, *otherwise = parts_at_top(" where ".join(rest), ", ")
    condition = re.sub(r"\bis\b", "==", condition)
    usual, *exception = parts_at_top(value, ", ")
    if exception:
        assert not otherwise
        return f"where({condition}, {exception[0]}, {usual})"
    return f"where({condition}, {value}, {expression(', '.join(otherwise).removeprefix('else '))})"


def nested(text: str) -> str:
    """Each `A where C, else B` inside brackets first."""
    inner = next((m for m in re.finditer(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text) if " where " in m[1]), None)
    return text if inner is None else nested(text[: inner.start(1)] + expression(inner[1]) + text[inner.end(1) :])

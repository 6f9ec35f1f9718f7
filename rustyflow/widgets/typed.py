"""Text that was pasted, or typed on another keyboard, and only looks like an expression."""

import unicodedata
from collections.abc import Iterable

from ..errors import ArgumentValueError

TYPED = {
    **dict.fromkeys("−–—‐‑‒⁻﹣", "-"), **dict.fromkeys("×·⋅∙•∗✕", "*"), **dict.fromkeys("÷∕⁄", "/"), "∶": ":",
    "≤": "<=", "≥": ">=", "≠": "!=", "ᵀ": ".T", "⊤": ".T", "√": "sqrt(...)", "∑": "sum(...)", "Σ": "sum(...)",
    "∏": "prod(...)", "π": "3.14159", "∞": "inf", **dict.fromkeys("‘’‚′", "'"), **dict.fromkeys("“”„″«»", '"'),
    **{raised: f"**{n}" for n, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "、": ",",
}  # fmt: skip
"""What to type for a character that no keyboard has, or that means something else to Python."""


def plain(text: str, names: Iterable[str] = (), times: str = "*") -> str:
    """Returns a text of plain letters, digits and signs, but for its names.

    So nothing in it is read as something else than it looks; × is typed as `times`, between sizes a comma.

    Raises:
        ValueError: another character, which it names, with what to type.

    >>> plain("α * 2", ["α"])
    'α * 2'
    >>> plain("a − b²")
    Traceback (most recent call last):
    rustyflow.errors.ArgumentValueError: 'a − b²'
    rule: '−' is the minus sign U+2212, which looks like '-' and is another character
    try:  a - b**2
    """
    strange = [char for char in text if ord(char) > 126 and not any(char in name for name in names)]
    if not strange:
        return text
    first, meant = strange[0], _meant(strange[0], times)
    called = f"{unicodedata.name(first, 'character').lower()} U+{ord(first):04X}"
    seen = f"'{first}'" if first.isprintable() else "what is there"
    if meant is None:
        why, write = "which means nothing here", "letters, digits and signs of the keyboard"
    else:
        like = f"'{meant}'" if meant.strip() else "a space" if meant else "nothing"
        why = f"which looks like {like} and is another character" if _looks(first) else f"written {like} here"
        write = "".join(char if char not in strange else _meant(char, times) or "" for char in text)
    raise ArgumentValueError(repr(text[:40]), f"{seen} is the {called}, {why}", write)


def _meant(char: str, times: str = "*") -> str | None:
    """The text to type for a character; None where nobody can tell."""
    if char in TYPED:
        return times if char == "×" else TYPED[char]
    if char.isspace() or unicodedata.category(char) == "Cf":  # those that have no width are left out
        return " " if char.isspace() else ""
    known = unicodedata.normalize("NFKC", char)
    return known if known.isascii() else None


def _looks(char: str) -> bool:
    """True for a character that is taken for one of the keyboard."""
    return len(_meant(char) or "") <= 1 and char not in "×·⋅÷"

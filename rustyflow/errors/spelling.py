"""Text for an output that cannot hold it: our own signs in ASCII, and of other letters their numbers."""
from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ASCII = {
    "≈": "~=", "≠": "!=", "≤": "<=", "≥": ">=", "·": "*", "×": "x", "−": "-", "′": "'", "…": "...", "⋯": "...",
    "→": "->", "←": "<-", "↑": "^", "↓": "v", "─": "-", "│": "|", "├": "|", "└": "`", "✕": "x", "–": "-", "—": "--",
    "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ", "\u2009": " ",
}  # fmt: skip
"""Signs that figures, graphs and lessons write, as a typewriter has them."""

HANDLER = "rustyflow.spelled"


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object
    letters = "".join(
        "=" if text.startswith(" dim ", k + 1) else ASCII.get(text[k]) or text[k].encode("ascii", "backslashreplace")
        .decode() for k in range(error.start, error.end))  # fmt: skip
    return letters, error.end


codecs.register_error(HANDLER, _spell)


def printed(text: str, encoding: str | None = None) -> str:
    """Returns text as an output of this encoding, by default Python's own (`sys.stdout`), can hold it.

    Example:
        >>> print(printed("5·4 ≈ 20, along j · dim 1: Größe", "ascii"))
        5*4 ~= 20, along j = dim 1: Gr\\xf6\\xdfe
        >>> printed("5·4 ≈ 20", "utf-8")
        '5·4 ≈ 20'
    """
    if text.isascii():
        return text
    encoding = encoding or getattr(sys.stdout, "encoding", None)
    try:
        return text.encode(encoding, HANDLER).decode(encoding)
    except (LookupError, TypeError):  # an output that names none, or none that Python has, holds all
        return text


@contextmanager
def spelling() -> Iterator[None]:
    """Lets Python's own outputs spell what they cannot hold, in place of an error."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if hasattr(stream, "reconfigure")]
    before = [stream.errors for stream in streams]
    for stream in streams:
        stream.reconfigure(errors=HANDLER)
    try:
        yield
    finally:
        for stream, errors in zip(streams, before):
            if not stream.closed:
                stream.reconfigure(errors=errors)

"""The width of a line of text, without a browser.

The widths are those of the widest common screen fonts (DejaVu), in hundredths of the font size, so that a label which
fits by this table fits with the narrower fonts of macOS and Windows too.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

_SANS = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34,
    84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99,
    69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52,
    39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_MONO, _BOLD, _THINNEST = 60.2, 1.12, min(_SANS)

LINE = 88
"""So many characters of a formula stand in one line of a figure."""

BETWEEN = {" + ": r" \+ ", ", ": r", (?![^\[]*\])", " * ": r" \* "}
"""What stands between the terms of a formula, and how it is found: no comma of an index."""

WORDS = re.compile(r"(?:\b[i-p] · dim \d|\([^()]{1,24}\)[\[(][\d,. -]{1,24}[\])]|[\[(][\d,. -]{1,24}[\])]|\S)+")
"""Words as a still picture's caption breaks them: an axis, an index, a shape or a short list is one."""


def width(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """Width of `text` in pixels at a font size of `size` pixels.

    >>> width("0123", 10, mono=True)
    24.08
    >>> width("iii", 20) < width("WWW", 20)
    True
    """
    if mono and text.isascii():
        return round(len(text) * _MONO * size / 100, 2)
    return round(sum(map(_mono if mono else _sans, text)) * (1 if mono or not bold else _BOLD) * size / 100, 2)


@cache
def _mono(char: str) -> float:
    """The width of a character, in hundredths of the font size."""
    wide = unicodedata.east_asian_width(char) in "WF"
    return 120.4 if wide else 0 if unicodedata.combining(char) else _MONO


@cache
def _sans(char: str) -> float:
    if " " <= char <= "~":
        return _SANS[ord(char) - 32]
    wide = unicodedata.east_asian_width(char) in "WF"
    return 100 if wide else 0 if unicodedata.combining(char) else 70


def wrap(text: str, room: float, size: float) -> list[str]:
    """Text broken at its spaces into lines of at most `room` pixels.

    A longer word is cut, an index is not broken.

    >>> wrap("y reads slot 7 of x", 60, 10), wrap("so y[2, 1] is 7", 40, 10), wrap("along j · dim 1.", 60, 10)
    (['y reads slot', '7 of x'], ['so', 'y[2, 1]', 'is 7'], ['along', 'j · dim 1.'])
    """
    lines, line, most = [], "", _most(room, size)
    for word in (found[0] for found in WORDS.finditer(text)):
        while len(word) > 1 and (wide := width(word[:most], size)) > room:
            cut = max(1, int(len(word[:most]) * room / wide) - 1)
            lines += [line] * bool(line) + [word[:cut]]
            line, word = "", word[cut:]
        longer = f"{line} {word}" if line else word
        if width(longer, size) > room and line:
            lines.append(line)
            longer = word
        line = longer
    return lines + [line] * bool(line)


def shorten(text: str, room: float, size: float, mono: bool = False, bold: bool = False) -> str:
    """`text`, or as much of it as fits in `room` pixels with an ellipsis after it.

    >>> shorten("a_rather_long_name", 40, 10, mono=True)
    'a_rat…'
    """
    most = _most(room, size)
    if len(text) <= most and width(text, size, mono, bold) <= room:
        return text
    cuts = range(min(len(text), most) + 1)
    fits = bisect_right(cuts, room, key=lambda cut: width(text[:cut] + "…", size, mono, bold))
    return text[: max(0, fits - 1)] + "…"


def cut(pieces: Sequence[str], most: int = LINE) -> tuple[str, ...]:
    """The pieces of a line that fits.

    Of a longer one the longest, what is read or summed, goes without its middle terms, and then others, but for the
    sign that they end with.

    >>> cut(("y = ", "1.5 + 2.5 + 3.5 + 4.5 + 5.5", " = ", "17.5"), 32)
    ('y = ', '1.5 + 2.5 + ... + 5.5', ' = ', '17.5')
    >>> cut(("is read by ", "y[0, 1], y[0, 2], y[0, 3] and y[0, 4]"), 46)
    ('is read by ', 'y[0, 1], ..., y[0, 3] and y[0, 4]')
    >>> cut(("a_very_long_name[0, 1] = ", "another_long_name[0]", " = ", "17.5"), 32)
    ('a_very_l… = ', 'another_long…', ' = ', '17.5')
    """
    made = list(pieces)
    for least in LEAST:
        for at in sorted(range(len(made)), key=lambda k: -len(made[k])):
            room = max(least, most + len(made[at]) - len("".join(made)))
            if room < len(made[at]):
                made[at] = _shorter(made[at], room)
    return tuple(made)


LEAST = 12, 1
"""How many characters are left of a piece while others can be cut, and then."""


def _shorter(text: str, room: int) -> str:
    """Terms without those in the middle; an ellipsis, before the sign at the end, cuts what is left."""
    splits = ((between, re.split(found, text)) for between, found in BETWEEN.items())
    between, parts = max(splits, key=lambda split: len(split[1]))
    while len(parts) > 3 and len(between.join(parts)) > room:
        parts[-3:] = "...", parts[-1]
    if len(parts) == 3 and len(between.join(parts)) > room:
        parts[1] = "..."
    said = between.join(parts)
    sign = re.search("( [=≈] )?$", said)[0] if room > 4 else ""
    return said if len(said) <= room else said[: max(room - 1 - len(sign), 0)] + "…" + sign


def _most(room: float, size: float) -> int:
    """So many characters are too wide for `room` pixels, whichever they are: of a longer text no more is measured."""
    return int(room / (_THINNEST * size / 100)) + 2

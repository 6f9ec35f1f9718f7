"""The spelling of numbers, the same in cells, formulas and sentences, and the sign before one."""

from decimal import Decimal
from math import floor, isfinite, log10
from typing import Any

DIGITS = 3
"""The digits of a number, where there is room."""

NOISE = 2e-7
"""Relative: what float32 leaves of a sum of some tenths, and nobody calls a rounding."""

EQUAL, NEAR = "=", "≈"


def spell(value: object, digits: int = DIGITS) -> str:
    """A number in few characters, the same in a cell, in a formula and in a sentence.

    What is short is written as it is, 7, 12.25, nan, inf, -0, True; of longer ones `digits` digits, and always all
    those before the point, up to six.

    >>> [spell(v) for v in (7, 2.0, -12.25, 0.333333, float("nan"), -0.0, True, 123456789, 12345.6, 1e-7)]
    ['7', '2', '-12.25', '0.333', 'nan', '-0', 'True', '1.23e8', '12346', '1e-7']
    """
    text = str(value)
    if not isinstance(value, float):
        return short(f"{value:.{digits}g}") if isinstance(value, int) and len(text) > 6 else text
    if not isfinite(value):
        return text
    text, size = text.removesuffix(".0"), abs(value)
    if size >= 1e6 or 0 < size < 1e-4:
        return short(f"{value:.{digits}g}")
    if len(text.lstrip("-")) <= digits + 2:
        return text
    text = f"{value:.{max(0, digits - 1 - floor(log10(size)))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def telling(value: object, other: object, least: int, most: int) -> int:
    """The fewest digits, from `least` on, that tell a number from another; `least` where none up to `most` do.

    >>> telling(6.000999, 6.0, 3, 7), telling(6.1, 6.0, 3, 7), telling(6.0, 6.0, 3, 7)
    (4, 3, 3)
    """
    more = (n for n in range(least, most + 1) if spell(value, n) != spell(other, n))
    return next(more, least)


def spell_all(value: object) -> str:
    """A number with all its digits.

    >>> spell_all(0.1 + 0.2), spell_all(2.0), spell_all(123456789)
    ('0.30000000000000004', '2', '123456789')
    """
    return str(value) if isinstance(value, int) or value == 0 else short(str(value).removesuffix(".0"))


def short(text: str) -> str:
    """A number with an exponent in as few characters as it needs.

    >>> short("1e-05"), short("2.5e+08")
    ('1e-5', '2.5e8')
    """
    return text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def bracketed(text: str) -> str:
    """A number among others in a formula: -3 in brackets."""
    return f"({text})" if text.startswith("-") else text


def is_exact(text: str, value: object) -> bool:
    """True if a text is all of a number, but for noise: the float 0.1 is a tenth.

    >>> is_exact("0.1", 0.1), is_exact("0.333", 1 / 3), is_exact("1.23e8", 123456789), is_exact("nan", float("nan"))
    (True, False, False, True)
    """
    if isinstance(value, complex) or text == str(value) or text == str(float(value)):
        return True
    return abs(float(text) - value) <= (NOISE * abs(value) if isinstance(value, float) else 0)


def equals(value: object, digits: int = DIGITS) -> str:
    """`= 0.5`, and `≈ 0.333` of a number that is cut.

    >>> equals(0.5), equals(3333.333), equals(7)
    ('= 0.5', '≈ 3333', '= 7')
    """
    text = spell(value, digits)
    return f"{EQUAL if is_exact(text, value) else NEAR} {text}"


def in_full(value: object) -> str:
    """A number for a sentence, which has room for all digits of an integer; a cut one behind `≈`.

    >>> in_full(1000011), in_full(0.5), in_full(1 / 3)
    ('1000011', '0.5', '≈ 0.333')
    """
    text = str(value) if isinstance(value, int) else spell(value)
    return text if is_exact(text, value) else f"{NEAR} {text}"


def read(value: Any, digits: int = DIGITS) -> Any:
    """The number that a reader sees; with 0 digits the one that all digits say.

    The float 0.1 is a tenth.

    >>> read(1 / 3), read(2.0), read(True), read(0.1 + 0.2, 0)
    (Decimal('0.333'), Decimal('2'), True, Decimal('0.30000000000000004'))
    """
    if isinstance(value, bool | complex):
        return value
    return Decimal(spell(value, digits) if digits else str(value))


def bits_of(dtype: Any) -> int:
    """The bits of a NumPy dtype of whole numbers, which wrap around; 0 of all others.

    >>> import numpy as np
    >>> bits_of(np.dtype("uint8")), bits_of(np.dtype("float64")), bits_of(np.dtype("bool"))
    (8, 0, 0)
    """
    return 8 * dtype.itemsize * (dtype.kind in "iu")

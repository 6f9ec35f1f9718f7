"""Numbers and arrays as formulas show them, and what formulas come to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...claims.digits import spell
from ...scene import draw
from ..source import Value, exact

DIGITS = 3
"""The digits of a number, where there is room; see `spell`."""


UPSTREAM = (1, 4, 2, 1, 3, 1, 2, 1, 2, 1, 1, 2, 3)
"""The gradients that arrive when none are given: small, unequal, and 13 of them, so that they line up with no axis."""

NINE = (3, 1, 2, 4, 1, 2, 5, 1, 3)
"""The same for a reduction and a product of matrices, whose results are small."""


def numbers(array: Any) -> list[Value]:
    """Returns the numbers of an array in order, with 0 for -0.0, which gradients are full of."""
    return [v + 0.0 if isinstance(v, float) else v for v in exact(array)]


def bracketed(text: str) -> str:
    """Returns the text of a number among others in a formula: -3 in brackets."""
    return f"({text})" if text.startswith("-") else text


def written(array: Any, room: int = 14, digits: int = DIGITS, tight: bool = False) -> str:
    """Returns an array as `[[1, 2], [3, 4]]`, or nothing when that is longer than `room` characters.

    `tight` is for boxes: 0.5 is written .5 there.

    >>> written(np.array([1.0, 1.5])), written(np.array(0.736), tight=True), written(np.zeros((4, 4)))
    ('[1, 1.5]', '.736', '')
    """
    if array is None or np.asarray(array).size > 12:
        return ""
    shown = [spell(v, digits) for v in numbers(array)]
    text = _nested([draw.tight(number) for number in shown] if tight else shown, np.asarray(array).shape)
    return text if len(text) <= room else ""


def _nested(texts: list[str], shape: Sequence[int]) -> str:
    if not shape:
        return texts[0]
    step = len(texts) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_nested(texts[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])) + "]"

"""Arrays as formulas show them, and the gradients that arrive where none are given."""

from typing import Any

import numpy as np

from ...claims.digits import DIGITS, spell
from ...claims.tree import nested, numbers
from ...scene import draw

UPSTREAM = (1, 4, 2, 1, 3, 1, 2, 1, 2, 1, 1, 2, 3)
"""The gradients that arrive when none are given: small, unequal, and 13 of them, so that they line up with no axis."""

NINE = (3, 1, 2, 4, 1, 2, 5, 1, 3)
"""The same for a reduction and a product of matrices, whose results are small."""


def written(array: Any, room: int = 14, digits: int = DIGITS, tight: bool = False) -> str:
    """Returns an array as `[[1, 2], [3, 4]]`, or nothing when that is longer than `room` characters.

    `tight` is for boxes: 0.5 is written .5 there.

    >>> written(np.array([1.0, 1.5])), written(np.array(0.736), tight=True), written(np.zeros((4, 4)))
    ('[1, 1.5]', '.736', '')
    """
    if array is None or np.asarray(array).size > 12:
        return ""
    shown = [spell(v, digits) for v in numbers(array)]
    text = nested([draw.tight(number) for number in shown] if tight else shown, np.asarray(array).shape)
    return text if len(text) <= room else ""

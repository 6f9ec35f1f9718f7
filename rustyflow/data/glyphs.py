"""Small pictures of digits and letters, drawn here from a seed: no two alike, and nobody's handwriting."""

from __future__ import annotations

import numpy as np

from ..arguments.explain import explaining_once
from ..errors import ArgumentValueError
from ..ops.creation import from_numpy
from ..tensor import Tensor

STROKES = {
    "0": "10 30 41 45 36 16 05 01 10", "1": "11 20 26,16 36", "2": "01 10 30 41 42 06 46",
    "3": "00 40 23 33 44 45 36 16 05",
    "4": "30 04 44,30 36", "5": "40 00 03 33 44 45 36 06", "6": "30 10 02 05 16 36 45 44 33 03", "7": "00 40 16",
    "8": "10 30 41 42 33 13 04 05 16 36 45 44 33,13 02 01 10", "9": "43 13 02 01 10 30 41 44 36 16",
    "A": "06 20 46,14 34", "B": "06 00 30 41 42 33 03,33 44 45 36 06", "C": "41 30 10 01 05 16 36 45",
    "D": "00 20 42 44 26 06 00", "E": "40 00 06 46,03 33", "F": "40 00 06,03 33", "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06,40 46,03 43", "I": "10 30,20 26,16 36", "J": "10 40,30 35 26 16 05", "K": "00 06,40 03 46",
    "L": "00 06 46", "M": "06 00 23 40 46", "N": "06 00 46 40", "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10,24 46", "R": "06 00 30 41 42 33 03,23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40,20 26", "U": "00 05 16 36 45 40", "V": "00 26 40", "W": "00 16 23 36 40", "X": "00 46,40 06",
    "Y": "00 23 40,23 26", "Z": "00 40 06 46",
}  # fmt: skip
"""The strokes of each character on a grid of 5 by 7 places, as `xy xy, ...`; y goes down."""


@explaining_once
def glyphs(
    n: int, characters: str = "0123456789", size: int = 12, noise: float = 0.1, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """Small grey pictures of digits and capital letters, each turned, slanted, scaled and shifted by chance.

    Args:
        n: how many pictures. characters: of which there are pictures, in equal shares; their positions are the classes.
        size: the cells along each side. noise: the standard deviation of what is added to each cell.
        seed: of NumPy's generator.

    Returns the pictures, float32 of shape (n, 1, size, size) with numbers from 0 to 1, and their classes, int64 of
    shape (n,).

    Raises:
        ValueError: a character that is no digit or capital letter, or one twice; fewer than one picture, or than five
            cells.

    Example:
        >>> import rustyflow as rf
        >>> x, y = rf.utils.data.sets.glyphs(4, "LT", noise=0)
        >>> x.shape, y
        (rustyflow.Size([4, 1, 12, 12]), tensor([0, 1, 0, 1]))
        >>> [x[k, 0, 6:].sum() > x[k, 0, :6].sum() for k in (0, 1)]  # an L has its long bar below
        [tensor(True), tensor(False)]
    """
    unknown = [one for k, one in enumerate(characters) if one not in STROKES or one in characters[:k]]
    if unknown or not characters:
        rule = "characters are digits and capital letters, each of them once"
        raise ArgumentValueError(f"characters={characters!r}", rule, 'characters="0123456789"')
    if n < 1 or size < 5:
        rule = "there is a picture, of five cells a side or more"
        raise ArgumentValueError(f"n={n}, size={size}", rule, "n=200, size=12")
    random = np.random.default_rng(seed)
    classes = np.arange(n) % len(characters)
    pictures = np.empty((n, size, size))
    for k, one in enumerate(characters):
        pictures[classes == k] = _drawn(one, int((classes == k).sum()), size, random)
    pictures = np.clip(pictures + random.normal(0, noise, pictures.shape), 0, 1)
    return from_numpy(pictures[:, None].astype(np.float32)), from_numpy(classes.astype(np.int64))


def _drawn(character: str, n: int, size: int, random: np.random.Generator) -> np.ndarray:
    """Pictures of one character, of shape (n, size, size): ink is 1 within a stroke's width and fades beyond."""
    lines = [[(int(x), int(y)) for x, y in stroke.split()] for stroke in STROKES[character].split(",")]
    ends = np.array([pair for line in lines for pair in zip(line, line[1:], strict=False)], float)  # (segments, 2, 2)
    turn, slant = random.normal(0, 0.12, n), random.normal(0, 0.15, n)
    wide, tall = random.uniform(0.8, 1.1, (2, n)) * size * 0.11
    across = np.array([[wide * np.cos(turn), tall * (slant - np.sin(turn))],
                       [wide * np.sin(turn), tall * np.cos(turn)]]).transpose(2, 0, 1)  # fmt: skip
    middle = size / 2 + random.normal(0, size * 0.04, (n, 1, 1, 2))
    ends = np.einsum("nij,spj->nspi", across, ends - (2, 3)) + middle
    start, along = ends[:, None, None, :, 0], (ends[:, :, 1] - ends[:, :, 0])[:, None, None]
    y, x = np.mgrid[:size, :size] + 0.5
    to = np.stack([x, y], -1)[None, :, :, None] - start  # (n, size, size, segments, 2)
    part = np.clip((to * along).sum(-1) / (along**2).sum(-1), 0, 1)
    distance = np.sqrt(((to - part[..., None] * along) ** 2).sum(-1)).min(-1)
    return np.clip(1.3 - distance / (size * 0.055), 0, 1)

"""Sentences of many cells as a few templates, found in the sentences themselves: no figure makes any.

Sentences that differ in their numbers alone are one template. A hole of it that follows the cells' places is a map, as
links are; any other one is a list of numbers, told once a scene however many sentences have it.

>>> told = Templates()
>>> told.number(("a[0] = 2.5", "a[1] = -3", None, "nothing"))
2
>>> told.entries[1], told.entries[2]["t"], told.entries[2]["k"]
('2.5 -3', [['a[', 0, '] = ', 1], ['nothing']], [0, 0, -1, 1])
"""

import re
from collections.abc import Hashable, Sequence

from .maps import Map

NUMBER = re.compile(r"(\(-\d[\d.]*(?:e[+-]?\d+)?\)|-?\d[\d.]*(?:e[+-]?\d+)?)")
"""A number as it stands in a sentence, a negative one with its brackets."""

WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")

Piece = str | int | list[int]
"""Words, the number of what fills a hole, or that of what does with brackets around negative numbers."""


class Templates:
    """Lists of words, by their numbers: each as it is, or as templates and what fills their holes."""

    def __init__(self) -> None:
        self.entries: list[object] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, words: tuple[str | None, ...]) -> int:
        """The number of a list of words; None where nothing is said."""
        if words not in self._numbers:
            self._keep(words, self._templates(words))
        return self._numbers[words]

    def _keep(self, key: Hashable, entry: object) -> int:
        self._numbers[key] = len(self.entries)
        self.entries.append(entry)
        return self._numbers[key]

    def _templates(self, words: tuple[str | None, ...]) -> object:
        made: dict[tuple[str, ...], tuple[int, list[list[str]]]] = {}
        which = []
        for said in words:
            parts = [] if said is None else NUMBER.split(said)
            if parts:
                number, rows = made.setdefault(tuple(parts[::2]), (len(made), []))
                rows.append(parts[1::2])
            which.append(number if parts else -1)
        if 2 * len(made) > len(words):  # hardly any two are alike
            return words
        return {"t": [self._template(between, rows) for between, (_, rows) in made.items()], "k": which}

    def _template(self, between: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Piece]:
        pieces: list[Piece] = [between[0]]
        for column, then in zip(zip(*rows), between[1:], strict=True):
            held = self._column(column) if len(set(column)) > 1 else column[0]
            for piece in (held, then):  # texts that meet are one
                if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
                    pieces[-1] += piece
                else:
                    pieces.append(piece)
        return [piece for piece in pieces if piece != ""] or [""]

    def _column(self, column: tuple[str, ...]) -> Piece:
        """The filling of a hole."""
        bare = tuple(word.strip("()") for word in column)
        if all((word[0] == "(") == (number[0] == "-") for word, number in zip(column, bare)) and bare != column:
            return [self._held(bare)]
        return self._held(column)

    def _held(self, column: tuple[str, ...]) -> int:
        key = "numbers", column
        if key in self._numbers:
            return self._numbers[key]
        if all(map(WHOLE.fullmatch, column)):
            made = Map.of([[int(word)] for word in column])
            if made.lists is None:
                return self._keep(key, laid_out(made))
        return self._keep(key, " ".join(column))


def laid_out(map: Map) -> dict[str, object]:
    """A map as the player reads it."""
    if map.lists is not None:
        return {"d": map.shape, "l": map.lists}
    return {"d": map.shape, "at": map.at, "by": map.steps, "o": map.over}

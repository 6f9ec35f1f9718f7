"""A strip of words in order: those told are lit, those to come are dashed."""

from collections.abc import Sequence

from ...scene import Look, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width

LEAD, MORE, AIR = 136, 84, 5
"""Room for the word of the event at the left; for how many are out of sight at the right; between two chips."""

TALL, HIGH = 30, 24
"""The height of the strip, with the room under it; of a chip."""


class Timeline:
    """A line of chips that begins at `y`: all, or as many as fit, which move with the telling.

    Args:
        chips: the words of each, and whether it is rounded, as the box of a leaf. right: where it ends at most.

    >>> strip = Timeline([("start", False), ("mul", False), ("x", True)], 40)
    >>> strip.draw()[0].id, strip.told("arrives", [2]).classes["lit"]
    ('strip', ('z2',))
    """

    def __init__(self, chips: Sequence[tuple[str, bool]], y: float, right: float = RIGHT):
        self.chips, self.y, self.right = chips, y, right
        self.wide = [round(width(text, draw.LABEL, mono=True)) + 14 for text, _ in chips]
        self.left = [sum(self.wide[:k]) + AIR * k for k in range(len(chips) + 1)]
        self.whole = self.left[-1] - AIR <= right - LEFT - LEAD
        self.room = right - LEFT - LEAD - (0 if self.whole else MORE)

    def draw(self) -> list[Shape]:
        """The strip; nothing where nothing happens."""
        if not self.chips:
            return []
        at = (("x", LEFT + LEAD), ("y", self.y - 2), ("width", self.room), ("height", HIGH + 4))
        chips = (self._chip(k, text, 12 if leaf else 4) for k, (text, leaf) in enumerate(self.chips))
        seen = Shape("svg", "", ("window",), at, (draw.group("tape", *chips, at=(0, 0)),))
        word = draw.text(LEFT, self.y + 17, "backward", "grad-ink strong", draw.LABEL, id="word")
        later = draw.text(self.right, self.y + 17, self._more(0), "muted", draw.LABEL, "end", id="later")
        return [draw.group("strip", word, seen, later)]

    def _chip(self, k: int, text: str, round_: float) -> Shape:
        size = (("width", self.wide[k] - 2), ("height", HIGH - 2), ("rx", round_))
        label = draw.text(self.wide[k] / 2 - 1, 16, text, "", draw.LABEL)
        return draw.group(f"z{k}", Shape("rect", attrs=size), label, cls="cell grad", at=(self.left[k] + 1, 3))

    def _more(self, begins: int) -> str:
        """The number of chips that are out of sight on the right."""
        ends = self.left[begins] + self.room + AIR
        later = 0 if self.whole else sum(right > ends for right in self.left[begins + 1 :])
        return f"{later} more ⋯" if later else ""

    def coming(self, chip: int) -> Look:
        """A chip whose time has not come."""
        return Look({"-grad": (f"z{chip}",), "virtual": (f"z{chip}",)})

    def told(self, word: str, lit: Sequence[int]) -> Look:
        """The strip with some chips lit, and in a word what happens."""
        sets = {("word", "text"): word}
        if not self.whole and lit:
            middle = self.left[lit[0]] - self.room / 2
            last = self.left[-1] - AIR - self.room
            begins = next(k for k, left in enumerate(self.left) if left >= min(max(0, middle), last))
            at = draw.place(-self.left[begins], 0)
            sets |= {("tape", "transform"): at, ("later", "text"): self._more(begins)}
        return Look({"lit": tuple(f"z{k}" for k in lit)}, sets)

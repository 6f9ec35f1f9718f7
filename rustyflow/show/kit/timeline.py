"""A strip of events in order, each by its mark: the one that is told is lit, and what comes after it is veiled."""

from collections.abc import Sequence

from ...scene import Look, Shape, draw
from ...scene.draw import LEFT, RIGHT

EVENT, LEAST, MORE = 31.0, 20.0, 84
"""The width of an event, and the least at which its mark can be read; room for how many are out of sight."""

TALL = 34
"""The height of the strip, with the room under it."""


class Timeline:
    """Marks in a line that begins at `y`: all of them, or as many as can be read, which move with what is told.

    >>> strip = Timeline("svf", 40)
    >>> strip.draw()[0].id, strip.told(1).classes["lit"]
    ('strip', ('z1',))
    """

    def __init__(self, marks: Sequence[str], y: float):
        self.marks, self.y = marks, y
        room = RIGHT - LEFT
        least = room / max(1, len(marks))
        whole = least >= LEAST
        self.pitch = min(EVENT, least) if whole else EVENT
        self.seen = len(marks) if whole else int((room - MORE) / EVENT)

    def draw(self) -> list[Shape]:
        """The strip; nothing where nothing happens."""
        pitch, many = self.pitch, len(self.marks)
        if not many:
            return []
        cells = [
            draw.cell(f"z{k}", k * pitch, 2, mark, "", pitch - 2, 24, min(16, pitch * 0.7))
            for k, mark in enumerate(self.marks)
        ]
        whole = (("width", pitch * many), ("height", 28), ("transform", ""))
        veil = Shape("rect", "veil", ("veil", "off"), whole)
        at = (("x", LEFT), ("y", self.y - 2), ("width", round(pitch * self.seen, 1)), ("height", 28))
        seen = Shape("svg", "", ("window",), at, (draw.group("tape", *cells, veil, at=(0, 0)),))
        later = draw.text(RIGHT, self.y + 17, self._more(0), "muted", draw.SMALL, "end", id="later")
        return [draw.group("strip", seen, later)]

    def _more(self, begins: int) -> str:
        """How many events are out of sight on the right."""
        later = len(self.marks) - self.seen - begins
        return f"{later} more ⋯" if later else ""

    def told(self, event: int) -> Look:
        """The strip with an event lit, and what comes after it behind a veil."""
        begins = max(0, min(event - self.seen // 2, len(self.marks) - self.seen))
        sets = {("veil", "transform"): draw.place((event + 1) * self.pitch - 1, 0)}
        if self.seen < len(self.marks):
            sets |= {("tape", "transform"): draw.place(-begins * EVENT, 0), ("later", "text"): self._more(begins)}
        return Look({"lit": (f"z{event}",), "-off": ("veil",)}, sets)

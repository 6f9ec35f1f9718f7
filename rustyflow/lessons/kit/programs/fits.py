"""Programs that fit one number to measurements, as lesson 00 fits its cars."""

from dataclasses import dataclass

from ....ops.creation import tensor
from .engine import Recorded, recorded

SPEED = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.4)
FEET = (18.0, 24.0, 36.0, 40.0, 56.0, 48.0, 92.0)
"""The cars of lesson 00: tens of miles an hour, and the feet in which they came to a halt."""


@dataclass(frozen=True)
class Fit:
    """A program that fits one number to measurements: what its tensors are called and hold, of what."""

    names: tuple[str, str, str]
    x: tuple[float, ...]
    y: tuple[float, ...]
    squared: bool = False
    of: str = "row"

    @property
    def lines(self) -> tuple[str, str]:
        """The two lines of the program."""
        w, x, y = self.names
        return f"d = {w} * {x}{f' * {x}' * self.squared} - {y}", f"loss = (d * d).sum() / {len(self.x)}"

    def run(self, start: float = 3.0) -> Recorded:
        """The record of one run, with the number that is fitted at a start."""
        w, x, y = tensor(start, requires_grad=True), tensor(self.x), tensor(self.y)
        d = w * x * x - y if self.squared else w * x - y
        loss = (d * d).sum() / len(self.x)
        return recorded(loss, d=d, loss=loss, **dict(zip(self.names, (w, x, y), strict=True)))


CARS = Fit(("w", "speed", "feet"), SPEED, FEET, True, "car")

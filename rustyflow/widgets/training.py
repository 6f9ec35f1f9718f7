"""Training: the figure of a run with Python behind it, which opens any kept step."""

from typing import Any

from ..errors import TensorError
from ..scene import Figure
from ..scene.wire import pack
from ..show.training.live import SOON
from .base import Widget


class Training(Widget):
    """The figure of `show.training` with Python there: what its file did not take along is made when asked for.

    A notebook makes it by itself at the end of a cell that trains.

    Example:
        >>> import rustyflow as rf
        >>> model = rf.nn.Linear(2, 1)
        >>> run = rf.show.training([rf.ones(4, 2)], model, live=False)
        >>> for x in run:
        ...     model(x).sum().backward()
        >>> Training(run).figure.scene.title
        'Linear, 3 weights'
    """

    def __init__(self, run: Any, **inputs: Any):
        self.run, self._within = run, None
        super().__init__(**inputs)

    def make(self) -> Figure:
        """The figure of the run as it is now."""
        return self.run.figure(SOON)

    def press(self, name: str) -> None:
        """A guess was given, in the page or here."""
        with self.together():
            self.run.guess(str(name))
            self.refresh()

    def bundle(self) -> dict[str, str]:
        """The content of its output, for who shows it in one of their own."""
        self.open()
        return self._bundle()

    def _hear(self, widget: Any, message: dict, buffers: list) -> None:
        super()._hear(widget, message, buffers)
        if "inside" in message:
            self._within = message["inside"]
        if "inner" in message:
            self._enter(message["inner"])

    def _enter(self, wish: list[str]) -> None:
        """Gives the page the figure of a kept step."""
        try:
            with self._lock:
                self._within = wish
                scene = pack(self._inner().opened)
        except (TensorError, ValueError) as error:
            self._refuse(error)
            self.send({"pong": 0})
        else:
            self.send({"pong": 0, "entered": {"wish": wish, "scene": scene}})

    def _inner(self) -> Figure:
        """The figure of the kept step that the page is in."""
        key, shape = self._within
        return self.run.at(int(shape.removeprefix("s")), key)

    def _opening(self) -> Figure:
        return self._figure if self._within is None else self._inner()

"""Widget: a figure with inputs, made anew by Python when one of them changes, in every place that shows it.

What a notebook keeps of it is a figure, which needs no Python. A live page also has a model, made as the comm opens:
the figure finds it by a key (`bridge.js`, and `model.js` beside the player), follows it, and tells it what it shows.
"""

import os
import sys
import threading
import uuid
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple

import anywidget
import traitlets
from IPython import get_ipython
from IPython.display import display

from ..errors import CallError, TensorError
from ..scene import Figure, Level, Part, figure
from ..scene.figure import code_of, player
from ..scene.unfolds import packed
from ..scene.wire import encode
from ..unfold import Number
from .cells import PAGE, shown

SMALL = 64 << 10
"""Up to this many bytes a scene travels as it is: to inflate it would make the page wait longer."""

FIGURE_SPACE = "\u2007"
"""A space as wide as a digit: shapes stand under each other in the page's own letters, too."""

VIEWS = "VSCODE_PID" in os.environ or "google.colab" in sys.modules
"""Where, as it is said of VS Code and Colab, a model comes to life for a view alone: outputs have one there, beside the
figure. Nobody has tried it there."""


def _bridge() -> str:
    code = code_of(__package__, "bridge.js").replace('"@HUB@";', code_of(figure.__package__, "hub.js"))
    return code.replace("@NAME@", player()[0])


class Control(NamedTuple):
    """An input under a figure: of a trait, or of one place `at` in a list.

    `kind` is range, check, choice, text or button; `min` and `max` are of a range, `options` of a choice; `press` is
    what a button sends, `key` a letter that presses it while the figure has the focus, `spot` the id of a shape that
    presses it. That of a range is dragged, or moved by the arrows while it is pinned, by `step`s; `ends` are the places
    of `min` and `max` in the drawing, from its left.
    """

    kind: str
    label: str
    trait: str = ""
    at: int | None = None
    min: float = 0
    max: float = 0
    options: tuple[str, ...] = ()
    press: str = ""
    key: str = ""
    spot: str = ""
    step: float = 1
    ends: tuple[float, ...] = ()


class Widget(anywidget.AnyWidget):
    """A figure whose inputs are traits; a subclass says in `make` what it shows.

    `frame`, `pinned` and `side` are what one looks at: the step from 0; the id of the shape that is pinned, or "";
    the toggles that are on, such as "g", or None where the step says it. They follow the page, and the page them; what
    a figure does not have becomes the last frame, no pin, the frame's own side.

    Example:
        >>> import rustyflow as rf
        >>> class Rows(Widget):
        ...     rows = traitlets.Int(2).tag(sync=True)
        ...
        ...     def make(self):
        ...         return rf.show.strides(rf.arange(self.rows * 3).view(self.rows, 3), names=["x"], title="x")
        >>> widget = Rows(rows=4)
        >>> widget.figure.scene.about[0]
        'shape: (4, 3)'
        >>> widget.rows, widget.frame = 2, 99
        >>> widget.figure.scene.about[0], widget.frame == len(widget.figure.frames) - 1
        ('shape: (2, 3)', True)
    """

    _esm = _bridge()
    _figure = _written = None
    _later = False
    frame = traitlets.Int(0).tag(sync=True)
    pinned = traitlets.Unicode("").tag(sync=True)
    side = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    _key = traitlets.Unicode().tag(sync=True)
    _scene = traitlets.Bytes().tag(sync=True)
    _note = traitlets.Unicode("").tag(sync=True)
    _controls = traitlets.List().tag(sync=True)

    def __init__(self, **inputs):
        # handlers run in another thread than cells, and while they run: ipykernel 7 serves comms over a subshell
        self._lock = threading.RLock()
        self._depth, self._stale, self._figure, self._written = 0, False, None, None
        self._beside: list = []  # the outputs that show it with others
        if unknown := [name for name in inputs if name not in self.trait_names()]:
            public = sorted(set(type(self).class_trait_names()) - set(anywidget.AnyWidget.class_trait_names()))
            near = get_close_matches(unknown[0], public, 1) or [name for name in public if name[0] != "_"]
            kind = type(self).__name__
            raise CallError(f"{kind}({unknown[0]}=...)", f"{kind}(): got an unexpected keyword argument '{unknown[0]}'",
                            f"{'=..., '.join(near)}=...")  # fmt: skip
        room = {"flex": "1 1 auto", "min_width": "min(100%, 480px)"}  # in a box: a figure asks for no width of its own
        super().__init__(**{"_key": uuid.uuid4().hex, "layout": room, **inputs})
        own = set(type(self).class_trait_names()) - set(Widget.class_trait_names())
        if public := [name for name in own if not name.startswith("_")]:  # with no name, all would be observed
            self.observe(self._changed, public)
        self.on_msg(self._hear)

    def make(self) -> Figure:
        """The figure for the inputs as they are. What it raises is said under the figure that stays."""
        raise NotImplementedError(f"{type(self).__name__} has no make; a widget says in make what figure it shows")

    def controls(self) -> Sequence[Control]:
        """The inputs that stand under the figure, for the inputs as they are; none unless a subclass says so."""
        return ()

    def press(self, name: str) -> None:
        """A button was pressed; a subclass with buttons says what then."""

    def opens_at(self) -> int:
        """The step at which a new figure is seen: the one that was seen, unless a subclass says otherwise."""
        return self.frame

    def note(self) -> str:
        """The words under the figure besides; a subclass may have some."""
        return ""

    def refresh(self) -> None:
        """Make the figure anew, of inputs that were written to in place."""
        with self.together():
            self._stale = True

    @property
    def figure(self) -> Figure:
        """The figure as it is now."""
        return self._figure

    def where(self, what: Any, index: tuple[int, ...] = (), grad: bool = False) -> Number:
        """The number of a cell of the figure as it is now, or of its gradient; see `Figure.where`."""
        return self._figure.where(what, index, grad)

    @contextmanager
    def together(self) -> Iterator[None]:
        """One new figure for several changes: `with widget.together(): widget.rows, widget.columns = 3, 4`."""
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._stale and not self._depth:
                    self._renew()

    def __repr__(self) -> str:
        """The figure in words, as an output's text has it."""
        return super().__repr__() if self._figure is None else repr(self._figure)

    def open(self) -> None:
        """Makes the figure, which the comm then opens with."""
        if self.comm is None or self._figure is None:  # marimo has opened the comm already
            self._remake()
        super().open()

    def close(self) -> None:
        """Ends it: its figures go on without Python."""
        if self._written and (shell := get_ipython()):
            shell.events.unregister("post_run_cell", self._rest)
        self._written = None
        super().close()

    def set_state(self, sync_data: dict) -> None:
        """Takes what comes from the page: several inputs are one change."""
        with self.together():
            super().set_state(sync_data)

    def _changed(self, change) -> None:
        with self.together():
            self._stale = True

    def _renew(self) -> None:
        try:
            self._remake()
        except Exception as error:
            self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        """Says why the figure stays, in all parts of an error: what was there, the rule, what to write."""
        words = str(error)
        if isinstance(error, TensorError):
            rows = error.was.replace(" ", FIGURE_SPACE) if "\n" in error.was else error.was
            parts = [f"\n{rows}\n{error.rule}" if "\n" in rows else ": ".join(filter(None, (rows, error.rule)))]
            words = "\n".join([*parts, *([f"try: {error.fix}"] if error.fix else [])])
        self._note = f"{self.stays()} {words}"

    def stays(self) -> str:
        """Returns what is said of the figure when an input cannot be drawn."""
        return "The figure stays as it was."

    def _remake(self) -> None:
        self._stale = False
        self._figure = self.make()
        self._later = self._figure.waits
        with self.hold_sync():
            self._scene, self._note = self._packed(), self.note()
            self._controls = [control._asdict() for control in self.controls()]
            self.frame, self.pinned, self.side = self.opens_at(), self.pinned, self.side  # as this figure has them

    def _packed(self) -> bytes:
        """The scene for the page; while inputs change without what its numbers open into, which takes time."""
        scene = self._figure.scene if self._later else self._figure.opened
        data = encode(scene, self._later).encode()
        return data if len(data) <= SMALL else zlib.compress(data)

    def _complete(self) -> None:
        """Gives the page what numbers open into, if it has not got it: at rest, or when one is open."""
        with self._lock:
            if self._later:
                self._later = False
                self._scene = self._packed()

    @traitlets.validate("frame")
    def _fit_frame(self, proposal) -> int:
        last = len(self._figure.frames) - 1 if self._figure else proposal["value"]
        return max(0, min(last, proposal["value"]))

    @traitlets.validate("pinned")
    def _fit_pinned(self, proposal) -> str:
        known = not self._figure or self._figure.scene.family(proposal["value"])
        return proposal["value"] if known else ""

    @traitlets.validate("side")
    def _fit_side(self, proposal) -> str | None:
        side = proposal["value"]
        if side is None or not self._figure:
            return side
        toggles = self._figure.scene.toggles
        return "".join(toggle for toggle in toggles if toggle in side) if set(side) <= set(toggles) else None

    def _hear(self, _, message: dict, buffers: list) -> None:
        PAGE.answers()
        if "ping" in message:
            self.send({"pong": 0})
        if message.get("need") == "player":
            self.send({"player": player()[1]})
        if "rest" in message:
            self._rest()
        if "press" in message:
            try:
                with self.together():
                    self.press(str(message["press"]))
            except Exception as error:
                self._refuse(error)
            self.send({"pong": 1})  # one press is carried out
        if message.get("need") == "levels":
            self._complete()
        if "open" in message:
            self._open(message["open"])

    def _open(self, wish: dict) -> None:
        """Gives the page the levels from a number on that its figure did not take along, or none."""
        levels: tuple[Level, ...] | None = None
        with self._lock:
            try:
                told = self._opening().opened.unfolds
                if told and told.more:
                    levels = told.more(wish["shape"], tuple(wish["side"]), tuple(wish["path"]))
            except Exception as error:
                self._refuse(error)
        first = [Part(0, level.about, level.digits, grad=level.grad) for level in (levels or ())[:1]]
        self.send({"opened": {"wish": wish, **packed(levels or (), first)}})

    def _opening(self) -> Figure:
        """The figure whose numbers open now."""
        return self._figure

    def _now(self) -> tuple:
        return self._figure, self.frame, self.pinned, self.side

    def _rest(self, *_) -> None:
        """Writes the outputs anew, if they were written and show something else by now."""
        with self._lock:
            if self._written and self._written != self._now():
                self._publish(update=True)
        self._complete()
        for other in self._beside:
            other._rest()

    def _bundle(self) -> dict[str, str]:
        """The content of an output: its figure, as it is now."""
        return self._figure.bundle({"frame": self.frame, "pinned": self.pinned, "side": self.side}, self._key)

    def _publish(self, update: bool = False) -> None:
        self._written = self._now()
        bundle = self._bundle()
        if VIEWS:
            view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
            bundle["application/vnd.jupyter.widget-view+json"] = view
        display(bundle, raw=True, display_id=self._key, update=update)

    def _ipython_display_(self) -> None:
        with self._lock:
            self.open()  # again, if it was closed
            shown(self)
            if not self._written and (shell := get_ipython()):
                shell.events.register("post_run_cell", self._rest)  # for who runs notebooks without a page
            self._publish()

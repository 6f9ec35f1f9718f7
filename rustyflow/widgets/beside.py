"""beside: several figures or widgets in one output, side by side, which a reopened notebook still has.

They fill the screen together (`beside.js`): beside each other too, where half a projector is wide enough for each.
"""

import uuid
from contextlib import ExitStack

from IPython import get_ipython
from IPython.display import display

from ..errors import ArgumentTypeError, ArgumentValueError
from ..errors.foreign import kind_of
from ..errors.spelling import printed
from ..scene import Figure
from ..scene.figure import code_of, is_static, once
from .base import Widget
from .cells import shown

ROW = '<div{} dir="ltr" style="display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px 16px">{}</div>'
PLACE = '<div style="flex:1 1 392px;min-width:0">{}</div>'
"""Two of them, and the gap, stand side by side from 800 px on."""


class Beside:
    """The result of `beside`: a row in a notebook, written anew when a widget in it comes to rest."""

    def __init__(self, *parts: Figure | Widget):
        self.parts = parts
        self._widgets = sorted((part for part in parts if isinstance(part, Widget)), key=id)
        self._key, self._written = uuid.uuid4().hex, None

    def _bundle(self) -> dict[str, str]:
        """One output of all parts. A figure goes on when it is written anew, though no widget has its key."""
        made = [part._bundle() if isinstance(part, Widget) else part.bundle(None, f"still-{self._key}-{k}")
                for k, part in enumerate(self.parts)]  # fmt: skip
        places = "".join(PLACE.format(one["text/html"]) for one in made)
        html = ROW.format("", places)
        if not is_static():
            script = code_of(__package__, "beside.js").replace("@KEY@", self._key)
            html = once(ROW.format(f' data-beside="{self._key}"', places)) + f"<script>{script}</script>"
        return {"text/plain": "\n\n".join(one["text/plain"] for one in made), "text/html": html}

    def _rest(self, *_) -> None:
        with ExitStack() as stack:
            for widget in self._widgets:  # always in one order: another thread may come to rest too
                stack.enter_context(widget._lock)
            if self._written and self._written != self._now():
                self._publish(update=True)

    def _now(self) -> list[tuple]:
        return [widget._now() for widget in self._widgets]

    def _publish(self, update: bool = False) -> None:
        self._written = self._now()
        display(self._bundle(), raw=True, display_id=self._key, update=update)

    def _ipython_display_(self) -> None:
        for widget in self._widgets:
            widget.open()
            if all(other is not self for other in widget._beside):
                widget._beside.append(self)
        if self._written is None and (shell := get_ipython()):
            shell.events.register("post_run_cell", self._rest)
        shown(self, *self._widgets)
        self._publish()

    def _display_(self) -> object:
        """The object that marimo shows, which asks for this."""
        from marimo import hstack

        return hstack(self.parts, wrap=True, widths="equal", gap=1)

    def close(self) -> None:
        """It is written anew no more; its widgets go on."""
        if self._written and (shell := get_ipython()):
            shell.events.unregister("post_run_cell", self._rest)
        self._written = None
        for widget in self._widgets:
            widget._beside = [other for other in widget._beside if other is not self]

    def __repr__(self) -> str:
        return printed(self._bundle()["text/plain"])


def beside(*parts: Figure | Widget) -> Beside:
    """Figures and widgets side by side in one output; under each other where the page is narrow.

    An HBox of ipywidgets needs Python to be drawn; this lives on in a saved notebook, as figures do.

    Raises:
        TypeError: something that is neither. ValueError: fewer than two.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> both = beside(rf.show.strides(x, names="x", title="x"), rf.show.strides(x.t(), names="y", title="x.T"))
        >>> repr(both).count("shape: ")
        2
    """
    for k, part in enumerate(parts):
        if not isinstance(part, Figure | Widget):
            was, write = f"part {k}, of type {kind_of(part)}", "beside(show.strides(x), show.graph(y))"
            raise ArgumentTypeError(was, "figures and widgets of rustyflow's stand side by side", write, value=part)
    if len(parts) < 2:
        was, write = f"{len(parts)} part{'s' * (len(parts) != 1)}", "beside(show.strides(x), show.graph(y))"
        raise ArgumentValueError(was, "at least two stand side by side", write)
    return Beside(*parts)

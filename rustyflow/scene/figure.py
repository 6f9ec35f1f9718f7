"""Figure: a scene that shows itself, in a terminal, a notebook, a page or a file."""

import base64
import json
import os
import re
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from ..errors import ArgumentValueError
from . import svg, text
from .palette import DARK, LIGHT, variables
from .scene import Frame, Scene, State
from .wire import pack

ASLEEP = "To bring this figure to life, run the cell, or trust the notebook (command palette: Trust Notebook)."

PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title>'
    '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}</style></head>'
    "<body>@BODY@</body></html>"
)

PLAYER = re.compile(r'<script>\(\(\) => \{\s*const NAME = "(rustyflow-figure-[0-9a-f]{8})".*?</script>', re.DOTALL)

_static = os.environ.get("RUSTYFLOW_DISPLAY", "") == "static"


def static(on: bool = True) -> None:
    """Shows figures as text and picture only, nothing to bring alive: for notebooks that are committed and compared.

    The environment variable `RUSTYFLOW_DISPLAY=static` does the same from outside.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.scene import Frame, Scene
        >>> rf.show.static()
        >>> "<script" in rf.show.Figure(Scene("x", 80, 40, (), (Frame("Nothing."),)))._repr_mimebundle_()["text/html"]
        False
        >>> rf.show.static(False)
    """
    global _static
    _static = bool(on)


@cache
def player() -> tuple[str, str]:
    """The player's element name, which changes with its code so that two versions live on one page, and its script."""
    folder = files(__package__)
    themes = f":host{{{variables(LIGHT)}}}:host([theme=dark]){{{variables(DARK)}}}"
    css = themes + folder.joinpath("player.css").read_text(encoding="utf-8").replace("\n", "")

    def code_of(name: str) -> str:
        lines = (line.strip() for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines())
        return "\n".join(line for line in lines if line and not line.startswith("//"))

    code = code_of("player.js").replace('"@STATE@";', code_of("state.js"))
    code = code.replace('"@CSS@"', json.dumps(css)).replace("</", "<\\/")
    name = "rustyflow-figure-" + sha256(code.encode()).hexdigest()[:8]
    return name, code.replace("@NAME@", name)


def hosted(image: str, packed: str) -> str:
    """The HTML of a figure: its still picture and its packed scene, which the player brings alive."""
    name, code = player()
    asleep = f'<p><small style="color:#767676">{ASLEEP}</small></p>'
    data = f'<script type="application/zlib">{packed}</script>'
    host = f'<{name} data-lm-suppress-shortcuts="true">{image}{asleep}{data}</{name}>'
    return f"<div>{host}<script>{code}</script></div>"


def once(page: str) -> str:
    """A page of many figures with the player in it once (once a version): later copies of its script are left out.

    In a notebook each output carries the player, so that it lives whatever becomes of the others; a page needs it once.
    """
    seen = set()

    def keep(script: re.Match) -> str:
        fresh = script[1] not in seen
        seen.add(script[1])
        return script[0] if fresh else ""

    return PLAYER.sub(keep, page)


class Figure:
    """A scene as something a notebook shows: live where scripts run, a picture with alt text where not, text elsewhere.

    A figure is a value: all its frames are inside, and no kernel is needed to step through them.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.scene import Frame, Scene, Shape
        >>> figure = rf.show.Figure(Scene("x", 80, 40, (Shape("text", "t", text="7"),), (Frame("One number."),)))
        >>> print(figure)
        x
        1. One number.
        >>> sorted(figure._repr_mimebundle_())
        ['text/html', 'text/plain']
    """

    __slots__ = ("scene",)

    def __init__(self, scene: Scene):
        self.scene = scene

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The steps, in order."""
        return self.scene.frames

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step says, on the side that it shows by itself."""
        return tuple(self.scene.state(number).sentence for number in range(len(self.frames)))

    def state(
        self, frame: int | None = None, link: str | None = None, toggles: tuple[str, ...] | None = None,
        pointed: str | None = None,
    ) -> State:  # fmt: skip
        """What the figure shows in a frame, with a link pinned or pointed at, with toggles on; see `Scene.state`."""
        return self.scene.state(frame, link, toggles, pointed)

    def svg(
        self, frame: int | None = None, link: str | None = None, toggles: tuple[str, ...] | None = None,
        dark: bool = False, caption: bool = True,
    ) -> str:  # fmt: skip
        """The figure in a state as the text of a self-contained SVG file; by default its still picture."""
        return svg.draw(self.scene, self.state(frame, link, toggles), dark, caption)

    def text(self) -> str:
        """The figure in words: title, facts, and one sentence a frame."""
        return text.say(self.scene)

    def html(self) -> str:
        """Self-contained HTML: the still picture, which a script, where scripts run, brings alive. No network."""
        return hosted(self._image(), pack(self.scene))

    def save(self, path: str | os.PathLike) -> Path:
        """Writes the figure as `.svg` (the still picture) or `.html` (live, self-contained, works offline).

        Raises:
            ValueError: another suffix.
        """
        path = Path(path)
        if path.suffix == ".svg":
            content = self.svg()
        elif path.suffix == ".html":
            parts = {"@TITLE@": escape(text.printable(self.scene.title)), "@BODY@": self.html()}
            content = re.sub("@(TITLE|BODY)@", lambda hole: parts[hole[0]], PAGE)
        else:
            raise ArgumentValueError(f"save({path.name!r})", "a figure saves as .svg or .html", "save('x.svg')")
        path.write_text(content, encoding="utf-8")
        return path

    def _image(self) -> str:
        data = base64.b64encode(self.svg().encode()).decode()
        alt = escape(text.alternative(self.scene))
        return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self._image() if _static else self.html()}

    def __repr__(self) -> str:
        return self.text()

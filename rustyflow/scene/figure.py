"""Figure: a scene that shows itself, in a terminal, a notebook, a page or a file."""

import base64
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from ..errors import ArgumentTypeError, ArgumentValueError
from ..errors.spelling import printed
from . import export, svg, text
from .measure import LINE
from .scene import Asks, Frame, Inner, Scene, State
from .text import RTL
from .unfolds import Unfolds
from .wire import FORMAT, pack

ASLEEP = "To bring this to life, run the cell, allow JavaScript, or trust the notebook (Trust Notebook)."

ASLEEP_LINKED = "To bring this figure to life, run a cell that ends with it."

PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>@TITLE@</title>'
    '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
    # for a reader who hears the page: the figure itself shows its title
    "h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}</style></head>"
    "<body><main><h1>@TITLE@</h1>@BODY@</main></body></html>"
)

PLAYER = re.compile(
    r'<script>\(\(\) ?=> ?\{\s*const NAME ?= ?"(rustyflow-figure-[0-9a-f]{8})".*?</script>', re.DOTALL
)

LITERAL = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|(?<=[=(,[:])[ ]?/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"""
)
"""Texts and patterns in a script."""

PARTS = "hub controls model question state stack unfold flight search inner notebook maps".split()
"""The scripts that the player is made of, each in the place that it keeps for it."""

_display = os.environ.get("RUSTYFLOW_DISPLAY", "")


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
    global _display
    _display = "static" if on else ""


def is_static() -> bool:
    """True if figures are shown as text and picture only."""
    return _display == "static"


def is_page() -> bool:
    """True if what is shown is for a page that has no Python, as `rustyflow export --run` makes one."""
    return _display == "page"


def code_of(package: str, name: str) -> str:
    """A script in a package, without its comments, its indents, spaces around signs, line ends and idle semicolons."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    lines = (re.sub(r"(^|  )// .*", "", line.strip()).rstrip() for line in text.splitlines())
    parts = LITERAL.split("\n".join(filter(None, lines)))
    parts[::2] = (re.sub(r" ?([^\w\s.$#@\"'`\\]) ?", r"\1", part) for part in parts[::2])
    parts[::2] = (re.sub(r"(?<=[;{},(\[])\n|\n(?=\})", "", part) for part in parts[::2])
    parts[::2] = (part.replace(";}", "}") for part in _joined(parts[::2]))
    return "".join(parts)


def _joined(parts: Iterable[str]) -> Iterator[str]:
    """Code with constants that are declared one after another in one declaration.

    >>> "".join(_joined(["const a=1;const f=()=>{const b=2;g();const c=3;};const[d]=a;"]))
    'const a=1,f=()=>{const b=2;g();const c=3;},[d]=a;'
    """
    declares = [False]  # for each bracket that is open, whether a declaration is under way in it
    for part in parts:
        tokens = re.split(r"(;?\bconst(?: |(?=[\[{]))|[;(){}\[\]])", part)
        for k, token in enumerate(tokens):
            if token in ("(", "[", "{"):
                declares.append(False)
            elif token in (")", "]", "}"):
                declares.pop()
            elif token == ";":
                declares[-1] = False
            elif k % 2:
                tokens[k] = "," if token[0] == ";" and declares[-1] else token
                declares[-1] = True
        yield "".join(tokens)


@cache
def player() -> tuple[str, str]:
    """The player's element name, which changes with its code so that two versions live on one page, and its script."""
    css = files(__package__).joinpath("player.css").read_text(encoding="utf-8").replace("\n", "")

    code = code_of(__package__, "player.js")
    for name in PARTS:
        code = code.replace(f'"@{name.upper()}@";', code_of(__package__, f"{name}.js"))
    code = code.replace('"@CSS@"', json.dumps(css)).replace("</", "<\\/")
    code = code.replace('"@FORMAT@"', str(FORMAT)).replace('"@LINE@"', str(LINE)).replace("@RTL@", RTL)
    name = "rustyflow-figure-" + sha256(code.encode()).hexdigest()[:8]
    return name, code.replace("@NAME@", name)


def hosted(
    image: str, packed: str, keep: Mapping[str, object] | None = None, model: str = "", linked: bool = False,
    pages: str = "",
) -> str:  # fmt: skip
    """The HTML of a figure: its still picture and its packed scene, which the player brings alive.

    With the key of a widget's model it follows that where a page has it. `linked` is for a page that runs no script but
    one at an address: the player's is a data URL. `pages`: what `leading` makes, which stands there where no player is.
    """
    name, code = player()
    asleep = f'<p><small style="color:#767676">{ASLEEP_LINKED if linked else ASLEEP}</small></p>'
    data = f'<script type="application/zlib">{packed}</script>'
    kept = f' data-keep="{escape(json.dumps(keep))}"' if keep else ""
    kept += f' data-model="{escape(model)}"' if model else ""
    host = f'<{name} data-lm-suppress-shortcuts="true"{kept}>{image}{asleep}{pages}{data}</{name}>'
    script, style = f"<script>{code}</script>", ""
    if linked:
        source = "data:text/javascript;charset=utf-8;base64," + base64.b64encode(code.encode()).decode()
        script = f'<script src="{source}"></script>'
        style = ' style="min-width:min(320px,80vw)"'  # for a row: a figure asks for no width of its own
    return f'<div dir="ltr"{style}>{host}{script}</div>'


def leading(pages: Mapping[str, str]) -> str:
    """The links of a figure, which its player follows, and which a page knows as its own.

    >>> leading({"l0": "02-b.ipynb"})
    '<p><a href="02-b.ipynb" data-for="l0">02-b</a></p>'
    """
    links = (f'<a href="{escape(page)}" data-for="{escape(shape)}">{escape(page.rpartition(".")[0])}</a>'
             for shape, page in pages.items())  # fmt: skip
    return f"<p>{' '.join(links)}</p>" if pages else ""


def asked(asks: Asks) -> str:
    """A question and its choices as HTML, for where no script runs."""
    rows = "".join(f"<p><b>{escape(k)}</b>&nbsp; {_broken(words)}</p>" for k, words in asks.lines())
    return f"<p><b>{_broken(asks.text)}</b></p>{rows}"


def _broken(text: str) -> str:
    """Text with its lines and indents as they are, and names that are written from right to left apart."""
    lines = (re.sub(RTL, r"<bdi>\g<0></bdi>", escape(line)) for line in text.splitlines())
    return "<br>".join(line.replace("  ", "&nbsp; ") for line in lines)


def once(page: str) -> str:
    """A page of many figures with the player in it once (once a version).

    Later copies of its script are left out.

    In a notebook each output carries the player, so that it lives whatever becomes of the others; a page needs it once.
    """
    seen = set()

    def keep(script: re.Match) -> str:
        fresh = script[1] not in seen
        seen.add(script[1])
        return script[0] if fresh else ""

    return PLAYER.sub(keep, page)


def _kept(scene: Scene, keep: object) -> dict[str, object]:
    """A state to keep with all its parts, if the scene has it."""
    whole = {"frame": 0, "pinned": "", "side": None}
    if not isinstance(keep, Mapping) or keep.keys() - whole:
        rule = "keep is a dict of frame, pinned and side, or of some of them"
        raise ArgumentTypeError(f"html(keep={keep!r})", rule, 'html(keep={"frame": 1})', value=keep)
    frame, pinned, side = {**whole, **keep}.values()
    last, toggles = len(scene.frames) - 1, "".join(scene.toggles)
    if type(frame) is not int or not 0 <= frame <= last:
        was, rule, fix = f"frame {frame!r}", f"this figure has frames 0 to {last}", f'{{"frame": {last}}}'
    elif not isinstance(pinned, str) or pinned and scene.family(pinned) is None:
        some = next((trigger for family in scene.links for trigger in family.links), "")
        rule = "a shape that lights others is pinned, or none"
        was, fix = f"pinned {pinned!r}", f'{{"pinned": "{some}"}}'
    elif side is not None and not (isinstance(side, str) and set(side) <= set(toggles)):
        rule = f"the toggles of this figure are {toggles!r}; None is the side of the frame"
        was, fix = f"side {side!r}", f'{{"side": "{toggles}"}}'
    else:
        return {"frame": frame, "pinned": pinned, "side": side}
    raise ArgumentValueError(f"html(keep={keep!r}): {was}", rule, f"html(keep={fix})", value=keep)


class World(Protocol):
    """A program's numbers, each of which can be asked for: `rustyflow.unfold.World`."""

    @property
    def first(self) -> str:
        """The name of one of them, to begin with."""

    def where(self, what: Any, index: tuple[int, ...] = (), grad: bool = False) -> Any:
        """The number of a cell."""


def _shortly(what: object) -> str:
    return repr(what) if isinstance(what, str) and len(what) <= 60 else f"a {type(what).__name__}"


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

    __slots__ = ("scene", "world", "_unfolds", "_inner")

    def __init__(
        self, scene: Scene, world: World | None = None, unfolds: Callable[[], Unfolds] | None = None,
        inner: Callable[[], Mapping[str, Inner]] | None = None,
    ):  # fmt: skip
        self.scene, self.world, self._unfolds, self._inner = scene, world, unfolds, inner

    @property
    def waits(self) -> bool:
        """True if the numbers that open in it are still to be worked out."""
        return self._unfolds is not None

    @property
    def opened(self) -> Scene:
        """The scene with the numbers and scenes that open in it, worked out as it is first packed."""
        if self._unfolds is not None:
            self.scene, self._unfolds = replace(self.scene, unfolds=self._unfolds()), None
        if self._inner is not None:
            self.scene, self._inner = replace(self.scene, inner=self._inner()), None
        return self.scene

    def drawn(self, scene: Scene) -> "Figure":
        """The figure with another scene, of the same ids, in which the same numbers open."""
        return Figure(scene, self.world, self._unfolds)

    def where(self, what: Any, index: tuple[int, ...] = (), grad: bool = False) -> Any:
        """The number of a cell or of its gradient, which opens into the expression it was made by.

        Args:
            what: a name, `"x.grad[0, 1]"`, or a tensor of the figure's program.
            index: the cell of a tensor. grad: the gradient that it gets, not its value.

        Raises:
            ArgumentValueError: no number of this figure opens. What the program has no number for raises too.

        Example:
            >>> import rustyflow as rf
            >>> rf.show.strides(rf.arange(3)).where("x[0]")
            Traceback (most recent call last):
            ...
            rustyflow.errors.ArgumentValueError: where('x[0]')
            rule: the numbers of this figure open into nothing: those of a graph do, and of ops with a gradient
            try:  show.backward(y).where(...)
        """
        if self.world is None:
            rule = "the numbers of this figure open into nothing: those of a graph do, and of ops with a gradient"
            raise ArgumentValueError(f"where({_shortly(what)})", rule, "show.backward(y).where(...)", value=what)
        return self.world.where(what, index, grad) if not isinstance(what, str) else self.world.where(what)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The steps, in order."""
        return self.scene.frames

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentence of each step, on the side that it shows by itself."""
        return tuple(self.scene.state(number).sentence for number in range(len(self.frames)))

    def state(
        self, frame: int | None = None, link: str | None = None, toggles: tuple[str, ...] | None = None,
        pointed: str | None = None,
    ) -> State:  # fmt: skip
        """The figure in a frame, with a link pinned or pointed at, with toggles on; see `Scene.state`."""
        return self.scene.state(frame, link, toggles, pointed)

    def svg(
        self, frame: int | None = None, link: str | None = None, toggles: tuple[str, ...] | None = None,
        dark: bool = False, head: bool = True,
    ) -> str:  # fmt: skip
        """The figure in a state as the text of a self-contained SVG file; by default its still picture."""
        return svg.draw(self.scene, self.state(frame, link, toggles), dark, head)

    def text(self) -> str:
        """The figure in words: title, facts, and one sentence a frame."""
        return text.say(self.scene, opens=self.world.first if self.world and (self.waits or self.scene.unfolds) else "")

    def html(self, keep: Mapping[str, object] | None = None, model: str = "") -> str:
        """Self-contained HTML: the still picture, which a script, where scripts run, brings alive. No network.

        Args:
            keep: the state in which it comes alive and is drawn, as the player tells it: `frame`, a number from 0;
                `pinned`, the id of a shape that lights others, or ""; `side`, the toggles that are on, such as "g", or
                None for those of the frame. Default: alive at frame 0, and the still picture.
            model: the key of the widget that it follows, if any.

        Raises:
            ValueError: a state that the figure does not have. TypeError: no mapping, or another key.

        Example:
            >>> from rustyflow.scene import Frame, Scene
            >>> figure = Figure(Scene("x", 80, 40, (), (Frame("Nothing."), Frame("Nothing yet."))))
            >>> "Nothing yet." in figure.html(keep={"frame": 1})
            True
        """
        keep = keep if keep is None else _kept(self.scene, keep)
        return hosted(self.picture(keep), pack(self.opened), keep, model, pages=leading(self.scene.pages))

    def bundle(self, keep: Mapping[str, object] | None = None, model: str = "") -> dict[str, str]:
        """The content of a notebook's output: text, and `html`; in static mode text and the picture alone."""
        html = self.picture(keep and _kept(self.scene, keep)) if is_static() else self.html(keep, model)
        return {"text/plain": self.text(), "text/html": html}

    def save(self, path: str | os.PathLike) -> Path:
        """Writes the figure to a file, in the format that the end of its name says, and gives its path.

        `.svg` is the still picture, with its colours written out, so that any program draws it; `.png` the same in
        twice the size; `.html` is alive, self-contained, and works offline; `.pdf` has a page for each step. PNG and
        PDF need the extra `[picture]`; they are the same on every machine but for letters that ours lack, which are
        drawn with its fonts; a warning (UserWarning) names those that none has.

        Raises:
            ValueError: another suffix. ModuleNotFoundError: the extra is not installed.

        Example:
            >>> import tempfile
            >>> from rustyflow.scene import Frame, Scene
            >>> figure = Figure(Scene("x", 80, 40, (), (Frame("Nothing."),)))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     figure.save(folder + "/x.svg").name
            'x.svg'
        """
        path = Path(path)
        makers = {".svg": self._svg_file, ".html": self._page, ".png": self._png, ".pdf": self._pdf}
        if path.suffix.lower() not in makers:
            better = f"save({(path.stem or 'x') + '.svg'!r})"
            raise ArgumentValueError(f"save({path.name!r})", f"a figure saves as {', '.join(makers)}", better)
        content = makers[path.suffix.lower()]()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def _svg_file(self) -> str:
        return export.written_out(self.svg())

    def _page(self) -> str:
        parts = {"@TITLE@": escape(text.printable(self.scene.title)), "@BODY@": self.html()}
        return re.sub("@(TITLE|BODY)@", lambda hole: parts[hole[0]], PAGE)

    def _png(self) -> bytes:
        return export.png(self.svg())

    def _pdf(self) -> bytes:
        said = [text.alternative(self.scene, self.state(n)) for n in range(len(self.frames))]
        return export.pdf(text.printable(self.scene.title), [(self.svg(n), words) for n, words in enumerate(said)])

    def picture(self, keep: Mapping[str, object] | None = None) -> str:
        """The picture alone as HTML, of one kept state or the still one, under the question that it stands behind."""
        state = self.state()
        if keep:
            on = None if keep["side"] is None else tuple(keep["side"])
            state = self.state(keep["frame"], keep["pinned"] or None, on)
        data = base64.b64encode(svg.draw(self.scene, state).encode()).decode()
        alt = escape(text.alternative(self.scene, state))
        image = f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
        if not self.scene.asks:
            return image
        return asked(self.scene.asks) + (image if self.scene.shapes else f"<p>{escape(state.sentence)}</p>")

    def _display_(self) -> object:
        """The object that marimo shows, which asks for this.

        It runs a script at an address alone, and none in Markdown."""
        from marimo import Html

        return Html(self.picture() if is_static() else hosted(self.picture(), pack(self.opened), linked=True))

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return self.bundle()

    def __repr__(self) -> str:
        """The figure in words, as what is printed to can hold them; `text` has all letters."""
        return printed(self.text())

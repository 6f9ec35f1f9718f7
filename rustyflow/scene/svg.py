"""A state of a scene as a static SVG: no script, an opaque ground, every colour from the palette."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache, lru_cache
from html import escape
from importlib.resources import files

from .draw import FORMULA, LABEL, LEFT, NUMBER
from .measure import shorten, width, wrap
from .palette import DARK, LIGHT, variables
from .scene import Scene, Shape, State, of_side
from .text import isolated, printable

TITLE, SAID, LINE = 40, 76, 26
"""Of the head: the baselines of its title and of its sentence, and from line to line of that."""

LETTERS = 660
"""The width of a line of a sentence: some 75 letters."""

REACH = 500
"""No box and no line of text in a window reaches further to the right, or down, than this."""

VALUE = re.compile(r"-?[\d.]+(?:e-?\d+)?")


@cache
def style(of: str = "drawing") -> str:
    """The rules that colour a drawing, without a theme; those of a `diagram` are for one with lines and axes."""
    return files(__package__).joinpath(f"{of}.css").read_text(encoding="utf-8").replace("\n", "")


HATCH = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="6" style="fill:var(--ground)"/>'
    '<path d="M0 0V6" style="stroke:var(--hatch);stroke-width:2.4"/></pattern></defs>'
)


def draw(
    scene: Scene, state: State | None = None, dark: bool = False, head: bool = True, everything: bool = False
) -> str:
    """The scene in a state (default: its still picture) as the text of an SVG file.

    Args:
        dark: the dark theme. head: the title and the state's sentence above the drawing (the player has its own).
        everything: with what is not seen in this state, and both themes, as the player needs it, which has its own size
            and ground.

    >>> from rustyflow.scene.scene import Frame
    >>> svg = draw(Scene("x", 200, 40, (Shape("text", "t", text="<x>"),), (Frame("One number."),)))
    >>> svg.startswith("<svg xmlns="), "&lt;x&gt;" in svg, "One number." in svg
    (True, True, True)
    """
    state = scene.state() if state is None else state
    above, top = headed(scene, state.seen) if head else ("", 0)
    wide = max(scene.width, min(LETTERS + 2 * LEFT, 2 * scene.width)) if head else scene.width
    tall = top + of_side(scene.height, (*state.opens, *state.toggles))
    theme = f":root{{{variables(DARK if dark else LIGHT)}}}"
    if everything:
        # colours of its own where a reader's are forced on pages, too; paper is white
        theme = f":host{{forced-color-adjust:none;{variables(LIGHT)}}}"
        theme += f"@media not print{{:host([theme=dark]){{{variables(DARK)}}}}}"
    flips = "".join(f".when-{t}{{display:none}}.on-{t} .when-{t}{{display:inline}}.on-{t} .unless-{t}{{display:none}}"
                    for t in scene.toggles)  # fmt: skip
    on = " ".join(f"on-{toggle}" for toggle in state.toggles)
    out: list[str] = []
    hidden = {"off", *(f"unless-{t}" if t in state.toggles else f"when-{t}" for t in scene.toggles)}
    for shape in scene.shapes if everything else merged(scene.shapes, state):
        element(shape, state, set() if everything else hidden, out)
    drawn = "".join(out)
    if head:
        drawn = f'{above}<g id="drawing" transform="translate(0 {top:g})">{drawn}</g>'
    rules = style() + (style("diagram") if 'class="plot' in drawn else "")
    sized = f'width="{wide:g}" height="{tall:g}"'
    root, ground = f'{sized} viewBox="0 0 {wide:g} {tall:g}"', f'<rect id="ground" {sized} style="fill:var(--ground)"/>'
    if everything:
        root, ground = 'aria-hidden="true" preserveAspectRatio="xMinYMid"', ""
    shown = f' class="{on}"' if on else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {root}{shown}>'
        f"<style>{theme}{rules}{flips}</style>{HATCH}{ground}{drawn}</svg>"
    )


def headed(scene: Scene, sentence: str) -> tuple[str, float]:
    """The markup of a head, which is title, note and sentence, and its height.

    A title too long for its line is smaller, and a note that has no room beside it stands below.
    """
    room = max(scene.width, LETTERS) - 2 * LEFT
    title, note = printable(scene.title), printable(scene.note)
    size = next((size for size in (FORMULA, NUMBER) if width(title, size, mono=True, bold=True) <= room), LABEL)
    title = shorten(title, room, size, mono=True, bold=True)
    beside = LEFT + width(title, size, mono=True, bold=True) + 24
    lines, below = [(LEFT, TITLE, size, "title", title)] if title else [], SAID if title else TITLE
    if note and beside + width(note, LABEL) > LEFT + room:
        beside, below = LEFT, below + LINE
    if note:
        lines.append((beside, below - SAID + TITLE, LABEL, "muted", shorten(note, room, LABEL)))
    said = wrap(printable(sentence), min(room, LETTERS), NUMBER)
    lines += [(LEFT, below + LINE * k, NUMBER, "said", line) for k, line in enumerate(said)]
    out = "".join(
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" class="{cls}">{escape(isolated(words))}</text>'
        for x, y, size, cls, words in lines
    )
    return f'<g id="caption">{out}</g>', below + LINE * (len(said) - 1) + 12


def element(shape: Shape, state: State, hidden: Set[str], out: list[str]) -> None:
    """Appends the markup of a shape, as the state has it, to `out`; not of classes in `hidden`."""
    tag, name, classes, attrs, children, text = shape
    if not name and not children and not text:
        if hidden.isdisjoint(classes):
            out.append(_plain(shape))
        return
    if name:
        classes = state.classes.get(name, classes)
        text = state.sets.get((name, "text"), text)
        for attribute in ("transform", "d"):
            if (name, attribute) in state.sets:
                attrs = (*((k, v) for k, v in attrs if k != attribute), (attribute, state.sets[name, attribute]))
    if not hidden.isdisjoint(classes):
        return
    out.append(f'<{tag} id="{escape(name)}"' if name else f"<{tag}")
    if classes:
        out.append(f' class="{" ".join(classes)}"')
    out.append(_attributes(attrs))
    if not children and not text:
        out.append("/>")
        return
    out.append(">" + escape(isolated(printable(text)), quote=False) if text else ">")
    if hidden and "window" in classes:
        children = tuple(_through(group, state, dict(attrs)) for group in children)
    for child in merged(children, state) if hidden else children:
        element(child, state, hidden, out)
    out.append(f"</{tag}>")


def merged(shapes: tuple[Shape, ...], state: State) -> Iterator[Shape]:
    """The shapes with successive dots of one look as one: nobody points at those of a still picture.

    >>> from rustyflow.scene.scene import Frame
    >>> at = (("x", 8), ("y", 9), ("width", 6), ("height", 6))
    >>> dots = tuple(Shape("rect", id, ("dot", "shade1"), at) for id in ("a0", "a1"))
    >>> [dot] = merged(dots, Scene("x", 40, 40, dots, (Frame("Two."),)).state())
    >>> dot.tag, dot.attrs
    ('path', (('d', 'm8 9h6v6h-6zm0 0h6v6h-6z'),))
    """
    looks: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for shape in (*shapes, None):
        if shape and shape.cls[:1] == ("dot",):
            look = state.classes.get(shape.id, shape.cls)
            looks.setdefault(tuple(look), []).append(tuple(value for _, value in shape.attrs))
            continue
        for look in sorted(looks, key=lambda look: "lit" in look):
            yield Shape("path", "", look, (("d", "".join(_boxes(looks[look]))),))
        looks.clear()
        if shape:
            yield shape


def _boxes(dots: Iterable[tuple[float, ...]]) -> Iterator[str]:
    """Boxes as parts of one path, each by its way from the one before."""
    left = top = 0.0
    for x, y, w, h in dots:
        dx, dy = round(x - left, 2), round(y - top, 2)
        left, top = left + dx, top + dy
        yield f"m{dx:g} {dy:g}h{w:g}v{h:g}h-{w:g}z"


def _through(group: Shape, state: State, frame: Mapping[str, str | float]) -> Shape:
    """The shapes that move behind a window, without those that are surely not seen through it."""
    left, top = _at(state.sets.get((group.id, "transform"), dict(group.attrs)["transform"]))
    low, high = (-left - REACH, -left + float(frame["width"])), (-top - REACH, -top + float(frame["height"]))

    def seen(shape: Shape) -> bool:
        attrs = dict(shape.attrs)
        moved = state.sets.get((shape.id, "transform")) or attrs.get("transform")
        points = [float(found) for found in VALUE.findall(str(attrs.get("d", "")).partition("m")[0])]
        x, y = _at(str(moved)) if moved else (attrs.get("x", 0), attrs.get("y", 0))
        across, down = points[::2] or [float(x)], points[1::2] or [float(y)]
        return min(across) < low[1] and max(across) > low[0] and min(down) < high[1] and max(down) > high[0]

    return group._replace(children=tuple(filter(seen, group.children)))


def _at(transform: str) -> tuple[float, float]:
    x, y = map(float, VALUE.findall(transform))
    return x, y


@lru_cache(1 << 12)
def _attributes(attrs: tuple[tuple[str, str | float], ...]) -> str:
    return "".join(f' {key}="{escape(v) if isinstance(v, str) else f"{v:g}"}"' for key, v in attrs)


@lru_cache(1 << 10)
def _plain(shape: Shape) -> str:
    """A shape that no state changes and many share, such as the box of a cell."""
    cls = f' class="{" ".join(shape.cls)}"' if shape.cls else ""
    return f"<{shape.tag}{cls}{_attributes(shape.attrs)}/>"

"""The scene: one immutable value that says everything a picture can show, and every state it can be in.

A picture is a tree of `Shape`s. What moves is said in three ways, and nothing else can change:

* a `Frame` is a step of the story: an absolute state, with the complete sentence that says what it shows;
* `Links` are the shapes that light up together when one of them is pointed at or pinned;
* a toggle turns between two sides of the picture (forward and backward): shapes of class `when-g` are drawn only while
  toggle `g` is on, shapes of class `unless-g` only while it is off.

A **state** is frame x link x toggles, and `Scene.state` works it out. Readers of a state: `svg.draw` draws it,
`text.say` says it, `state.js` shows it. They agree because all three apply the same few changes: classes, texts and
attributes of shapes that have an id.

>>> from rustyflow.scene import draw
>>> cell, slot = draw.cell("c0", 20, 20, 7), draw.cell("s0", 20, 120, 7)
>>> arrow = draw.arrow("a")
>>> reads = Links(("y[", 0, "] reads slot ", 1), {"c0": Link(("s0", "c0"), (2, 7))},
...               {("a", "d"): draw.curve((41, 62), (41, 120))})
>>> scene = Scene("y = x[5:]", 200, 200, (cell, slot, arrow),
...               (Frame("Nothing is lit."), Frame("Slot 7 is lit.", link="c0")), (reads,))
>>> scene.state(1).sentence, scene.state(1).classes["s0"]
('Slot 7 is lit.', ('cell', 'lit'))
>>> scene.state(0, link="c0").sentence
'y[2] reads slot 7'
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from .maps import Link, Mapped
from .measure import cut
from .unfolds import Unfolds

Template = str | tuple[str | int, ...]
"""A text with holes: a tuple of strings and of positions in a link's `args`; `fill` and the player fill them in."""

Sentence = Template | Mapping[str, Template]
"""A sentence, or one for each toggle that changes it: `{"": "forward ...", "g": "backward ..."}`."""

Sided = TypeVar("Sided", Template, tuple[str, ...], float)

MUTABLE = ("text", "transform", "d")
"""What a state may set on a shape, besides its classes."""


READ = 1.42
"""The times its size at which words of 14 pixels have 20."""

PAGE = re.compile(r"[\w-]+\.ipynb")
"""The name of a notebook that lies beside another one."""

RESERVED = ("ground", "caption", "drawing", "hatch")
"""Ids of what `svg.draw` adds."""


class Shape(NamedTuple):
    """An SVG element: tag, id (empty: nothing ever changes it), classes, attributes, children, text."""

    tag: str
    id: str = ""
    cls: tuple[str, ...] = ()
    attrs: tuple[tuple[str, str | float], ...] = ()
    children: tuple["Shape", ...] = ()
    text: str = ""

    def walk(self) -> Iterator["Shape"]:
        """This shape and all below it, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, eq=False)
class Look:
    """A change: classes put on shapes (or, written `-name`, taken off), and texts or attributes set.

    `classes` maps a class to the ids that get it, `sets` maps `(id, "text" | "transform" | "d")` to the new value.
    A look used by many frames is stored once.
    """

    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sets: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Links:
    """A family of links that speak alike: one sentence and some texts with holes, and a `Link` for each shape.

    `links` maps the id of the shape pointed at to its `Link`; a `Mapped` makes each when it is asked for. What it
    lights gets the class `lit`; lighting has a direction: a cell lights its slot, the slot lights every cell that reads
    it. `classes` are put on as in a `Look`.
    `opens` is a look that holds while one of the links is pinned, or lit by a frame, and not when it is pointed at:
    what a link opens stays open when the mouse leaves. Families with the same `opens` are inside of what is open: there
    one can point at things while another is pinned. What is said while pinned may be told apart: `{"pinned": ...}`.
    `lines` are ids of texts that stand in one line: of one too long for it the middle is left out.
    """

    sentence: Sentence
    links: Mapping[str, Link]
    sets: Mapping[tuple[str, str], Template] = field(default_factory=dict)
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opens: Look | None = None
    lines: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Frame:
    """One step: its sentence, its looks (applied in order), the shape whose link it lights, the toggles it turns on.

    A `fine` one is a detail of the next that is not: the player leaves it out until it is asked for details.

    Its looks are of its own side: with other toggles than its own the picture has all of that side, for the story has
    told nothing of it here.

    `picture` is the part of its sentence that is about the picture alone, such as where to point: text leaves it out.
    `sends` are pairs of ids: the number in the first shape flies to the second when the frame is shown.
    `seen` is its sentence without what stands in the picture, if that is shorter: `State.seen`.
    """

    sentence: Sentence
    looks: tuple[Look, ...] = ()
    link: str | None = None
    toggles: tuple[str, ...] = ()
    fine: bool = False
    picture: str = ""
    sends: tuple[tuple[str, str], ...] = ()
    seen: str = ""


class Asks(NamedTuple):
    """A question before a picture, for the player to ask: its text, and each choice's words by letter.

    `points` maps the id of a shape to the letter of the choice that it means; `said` maps a letter to what has become
    of its choice, such as "your guess". `open`: a guess is taken. `sequel`, for a page without Python, is what each
    choice leads to, packed by `wire.sequel`: it is not seen there, and no secret.
    """

    text: str
    choices: Mapping[str, str]
    points: Mapping[str, str] = MappingProxyType({})
    said: Mapping[str, str] = MappingProxyType({})
    open: bool = True
    sequel: str = ""

    def lines(self) -> list[tuple[str, str]]:
        """A letter and what stands beside it, for each choice."""
        return [(k, f"{words} ({self.said[k]})" if k in self.said else words) for k, words in self.choices.items()]


class Inner(NamedTuple):
    """The scenes that open by one key in the place of a scene, each from one of its shapes.

    `scenes` maps the id of a shape to its packed scene, or to "" where Python has it. Where nothing opens, `said` is
    told by the id of the shape, of others `absent`.
    """

    label: str
    scenes: Mapping[str, str]
    said: Mapping[str, str] = MappingProxyType({})
    absent: str = ""


class State(NamedTuple):
    """The outcome of a frame, a link and the toggles: classes of each changed shape, value of each text.

    `seen` is the sentence without the formula that stands in the picture; `opens`, where a link
    opens something, is that link and "opened": what the height may depend on.
    """

    frame: int
    link: str | None
    toggles: tuple[str, ...]
    classes: Mapping[str, tuple[str, ...]]
    sets: Mapping[tuple[str, str], str]
    sentence: str
    seen: str
    opens: tuple[str, ...] = ()


def fill(template: Template, args: tuple[int | str, ...]) -> str:
    """The template with its holes filled.

    >>> fill(("offset ", 0, " + ", 1, "·4"), (1, 2))
    'offset 1 + 2·4'
    """
    if isinstance(template, str):
        return template
    return "".join(part if isinstance(part, str) else str(args[part]) for part in template)


def brief(sentence: str, formulas: Iterable[str]) -> str:
    """A sentence without a formula at its end that stands in the picture.

    >>> brief("Row 2 meets column 1: y[2, 1] = 3·4 = 12.", ["y[2, 1] = 3·4 = 12"]), brief("y = 2.", ["y = 2"])
    ('Row 2 meets column 1.', 'y = 2.')
    """
    for formula in filter(None, formulas):
        sentence = sentence.replace(f": {formula}", "")
    return sentence


def of_side(sentence: Sided | Mapping[str, Sided], toggles: tuple[str, ...]) -> Sided:
    """The sentence, or what is lit, that holds while `toggles` are on."""
    if not isinstance(sentence, Mapping):
        return sentence
    return next((sentence[toggle] for toggle in toggles if toggle in sentence), sentence[""])


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture with all its states.

    Args:
        title: the program, in its own words; the accessible name of the figure, and its head.
        width, height: the size of the drawing in pixels; a height for each side, as in `Sentence`, where they differ,
            and for what a link has "opened", whichever or by its id.
        shapes: the tree; ids are unique. Head and sentence stand above it.
        frames: at least one.
        links: families of links; each shape has at most one link.
        paths: for the arrow keys: groups of rows of ids, in reading order.
        toggles: key to label, e.g. `{"g": "backward"}`. turned: the look that holds while a toggle is on.
        still: the frame of the picture that does not move (default: the last).
        least: a projector that would draw it smaller than this, in times its size, scrolls it instead; less than 1.1
            holds while a link is lit, for a picture whose links reach from its top to its bottom; `READ` is for one
            that is no good there at all unless its smallest words can be read.
        about: lines that say in words what the drawing shows in all frames (shape, stride ...); part of `text/plain`.
        note: what stands beside the title, such as shapes.
        flows: for each side, "" or a toggle, pairs of letters of ids: cells of the first send numbers to the second's.
        pages: for ids of linked shapes the notebook beside this one to which a click, or Enter, leads, "02-b.ipynb".
        search: True for one of much, in which the key / finds shapes by what is said of them.
        asks: the question that the picture stands behind, if any.
        unfolds: the numbers that open into the expressions they were made by, if any do.
        inner: other scenes that open from shapes of this one, by key; Escape comes back.

    Raises:
        ValueError: two shapes with one id, a change to a shape that is not there, a frame without a sentence,
            a number that opens where nothing can be pinned, a page that is no notebook in the same folder.
    """

    title: str
    width: float
    height: float | Mapping[str, float]
    shapes: tuple[Shape, ...]
    frames: tuple[Frame, ...]
    links: tuple[Links, ...] = ()
    paths: tuple[tuple[tuple[str, ...], ...], ...] = ()
    toggles: Mapping[str, str] = field(default_factory=dict)
    still: int = -1
    about: tuple[str, ...] = ()
    least: float = 1.1
    turned: Mapping[str, Look] = field(default_factory=dict)
    asks: Asks | None = None
    unfolds: Unfolds | None = None
    note: str = ""
    flows: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    search: bool = False
    pages: Mapping[str, str] = field(default_factory=dict)
    inner: Mapping[str, Inner] = field(default_factory=dict)
    index: Mapping[str, Shape] = field(init=False, repr=False)

    def __post_init__(self):
        named = [shape for top in self.shapes for shape in top.walk() if shape.id]
        index = {shape.id: shape for shape in named}
        if len(index) < len(named):
            twice = sorted({shape.id for shape in named if shape is not index[shape.id]})
            raise ValueError(f"two shapes have the id {twice[0]!r}; an id names one shape; give the second another id")
        for name in index:
            if name in RESERVED or len(name.split()) != 1:
                raise ValueError(f"the id {name!r} cannot be used; an id is one word, and not one of {RESERVED}")
        if not self.frames:
            raise ValueError("no frames; a scene has at least one frame, with the sentence that says what it shows")
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "still", range(len(self.frames))[self.still])
        if absent := self._mentioned() - index.keys():
            raise ValueError(f"no shape has the id {min(absent)!r}; frames and links change shapes of this scene only")
        for frame in self.frames:
            if not of_side(frame.sentence, ()):
                raise ValueError("a frame has no sentence; every frame says in one sentence what it shows")
        for shape, side, _ in self.unfolds.roots() if self.unfolds else ():
            if side not in ("", *self.toggles):
                raise ValueError(f"a number opens on side {side!r}; a side is a toggle of the scene, or ''")
            if self.family(shape) is None:
                raise ValueError(f"the number at {shape!r} opens, but has no link; what opens is pinned first")

        for shape, page in self.pages.items():
            if not PAGE.fullmatch(page) or self.family(shape) is None:
                raise ValueError(f"{page!r} at {shape!r}; a linked shape leads to a notebook beside: 02-b.ipynb")

    def _mentioned(self) -> set[str]:
        """Every id that a frame, a link or a path speaks of."""
        said = {frame.link for frame in self.frames if frame.link is not None}
        said.update(id for frame in self.frames for pair in frame.sends for id in pair)
        looks = {id(look): look for frame in self.frames for look in frame.looks}.values()
        opened = [family.opens for family in self.links if family.opens is not None]
        changes: list[Look | Links] = [*looks, *self.links, *opened, *self.turned.values()]
        for change in changes:
            said.update(*change.classes.values(), (target for target, _ in change.sets))
            if unknown := {attribute for _, attribute in change.sets} - set(MUTABLE):
                raise ValueError(f"a state sets {', '.join(MUTABLE)} or classes of a shape, not {min(unknown)!r}")
        said.update(self.asks.points if self.asks else (), self.unfolds.shapes() if self.unfolds else ())
        said.update(id for inner in self.inner.values() for id in (*inner.scenes, *inner.said))
        for family in self.links:
            said.update(family.links, *family.lines)
            links = family.links.samples() if isinstance(family.links, Mapped) else family.links.values()
            for lights, _ in links:
                said.update(*(lights.values() if isinstance(lights, Mapping) else (lights,)))
        return said.union(*(row for group in self.paths for row in group))

    def family(self, trigger: str) -> Links | None:
        """The family that holds the link of a shape, or None when pointing at the shape lights nothing."""
        return next((family for family in self.links if trigger in family.links), None)

    def state(
        self, frame: int | None = None, link: str | None = None, toggles: tuple[str, ...] | None = None,
        pointed: str | None = None,
    ) -> State:  # fmt: skip
        """The state of a frame; of the frame with one shape pinned, or pointed at; with some toggles on.

        Args:
            frame: its number from 0, or from the end when negative; default: the frame of the still picture.
            link: id of the shape that is pinned; default: the one the frame itself lights, if any.
            toggles: the toggles that are on; default: those the frame turns on.
            pointed: id of the shape pointed at; with another one pinned it counts only inside of what that one opens.

        Raises:
            IndexError: no such frame. KeyError: no such link or toggle.
        """
        many = len(self.frames)
        if frame is not None and not -many <= frame < many:
            raise IndexError(f"no frame {frame}; this scene has {many}, from 0 to {many - 1}")
        number = self.still if frame is None else frame % many
        step = self.frames[number]
        on = tuple(t for t in self.toggles if t in (step.toggles if toggles is None else toggles))
        if unknown := set(toggles or ()) - set(self.toggles):
            raise KeyError(f"no toggle {min(unknown)!r}; this scene has {list(self.toggles)}")
        kept = step.link if link is None else link
        opened = self._opened(kept)
        asked = pointed if link is None or opened and pointed and self._opened(pointed) is opened else link
        trigger = step.link if asked is None else asked
        classes: dict[str, list[str]] = {}
        sets: dict[tuple[str, str], str] = {}
        turned = [self.turned[toggle] for toggle in on if toggle in self.turned]
        for look in (*turned, *(step.looks if set(on) == set(step.toggles) else ())):
            self._dress(classes, look.classes)
            sets.update(look.sets)
        sentence, formulas = fill(of_side(step.sentence, on), ()), []
        if opened is not None:
            self._dress(classes, opened.classes)
            sets.update(opened.sets)
        if trigger is not None:
            family = self.family(trigger)
            if family is None:
                raise KeyError(f"no link at {trigger!r}; a link belongs to the shape that is pointed at")
            lights, args = family.links[trigger]
            self._dress(classes, family.classes)
            self._dress(classes, {"lit": of_side(lights, on)})
            sets.update((target, fill(template, args)) for target, template in family.sets.items())
            for line in family.lines:
                pieces = [(target, "text") for target in line]
                formulas.append("".join(sets[piece] for piece in pieces))
                sets.update(zip(pieces, cut([sets[piece] for piece in pieces]), strict=True))
            if asked is not None:
                sentence = fill(of_side(family.sentence, ("pinned", *on) if asked == link else on), args)
        seen = step.seen if step.seen and asked is None else brief(sentence, formulas)
        return State(number, trigger, on, {name: tuple(c) for name, c in classes.items()}, sets, sentence, seen,
                     () if opened is None or kept is None else (kept, "opened"))  # fmt: skip

    def _opened(self, link: str | None) -> Look | None:
        """The look that is on while a link is kept."""
        family = None if link is None else self.family(link)
        return family and family.opens

    def _dress(self, classes: dict[str, list[str]], change: Mapping[str, tuple[str, ...]]) -> None:
        for cls, ids in change.items():
            for name in ids:
                worn = classes.setdefault(name, list(self.index[name].cls))
                if cls.startswith("-"):
                    classes[name] = [c for c in worn if c != cls[1:]]
                elif cls not in worn:
                    worn.append(cls)

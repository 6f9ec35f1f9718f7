"""Drawing primitives: cells, grids, tapes, badges, cards, formulas, arrows. Pure functions that return shapes.

No colour is ever named here: a shape carries classes, and `drawing.css` gives them colours in both themes.
Classes a figure uses: `cell` (`unread` hatched, `virtual` dashed and pale, `aliased` double border, `value` blue,
`grad` orange fill, `lit` thick border), `ax0` ... `ax3` (fill of an axis), `ink0` ... `ink3` (text in the colour of an
axis), `muted`, `strong`, `title`, `off` (not there now), `aside` (a group whose lines the player writes again as text
where the page is narrow). Coordinates and sizes are pixels of the drawing.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from math import floor

from ..claims.digits import spell
from .measure import shorten, width
from .scene import Shape, Template

CELL, GAP, SMALL, WORDS = 42, 2, 14, 15
"""Side of a cell, gap between cells, font sizes of addresses and of words: on a 1280 x 720 projector 14 becomes 20."""

STAGE = 412
"""The height of a drawing, 876 wide at most, with which it does."""

LEFT, RIGHT = 24, 836
"""The edges of what is drawn."""

LETTERS = "ijklmnop"
"""Of axes, where no name of the figure is one of them."""

_letters = ContextVar("letters", default=LETTERS)


def group(id: str, *shapes: Shape, cls: str = "", at: tuple[float, float] | None = None) -> Shape:
    """Shapes that come and go, or move, together."""
    return Shape("g", id, tuple(cls.split()), (("transform", place(*at)),) if at else (), tuple(shapes))


def place(x: float, y: float) -> str:
    """The transform that puts a shape at x, y.

    >>> place(10, 2.50)
    'translate(10 2.5)'
    """
    return f"translate({x:g} {y:g})"


def text(
    x: float, y: float, words: str, cls: str = "", size: float = WORDS, anchor: str = "start", id: str = "",
    room: float = 0,
) -> Shape:  # fmt: skip
    """A line of text with its baseline at y.

    With `room`, a line too long gets smaller (to 14 px), then an ellipsis.

    Classes: `mono` for numbers and code, `strong`, `muted`, `title`, an ink.
    """
    classes = tuple(cls.split())
    mono, bold = "mono" in classes or "title" in classes, "strong" in classes or "title" in classes
    attrs: list[tuple[str, str | float]] = [("x", x), ("y", y), ("font-size", size)]
    if anchor != "start":
        attrs.append(("text-anchor", anchor))
    if room:
        wide = width(words, size, mono, bold)
        if wide > room:
            size = max(min(size, SMALL), floor(10 * size * room / wide) / 10)
            words = shorten(words, room, size, mono, bold)
            wide = width(words, size, mono, bold)
            attrs[2] = ("font-size", size)
        if wide > 0.9 * room:
            attrs += [("textLength", round(wide, 1)), ("lengthAdjust", "spacingAndGlyphs")]
    return Shape("text", id, classes, tuple(attrs), (), words)


def title(
    program: str, note: str = "", x: float = LEFT, y: float = 38, room: float = RIGHT - LEFT
) -> tuple[Shape, ...]:  # fmt: skip
    """The program as title, in its own words, and one muted line under it."""
    head = (text(x, y, program, "title", 20, room=room),)
    return head + ((text(x, y + 23, note, "muted", WORDS, room=room, id="note"),) if note else ())


def headed(program: str, note: str, y: float = 32, left: float = LEFT, right: float = RIGHT) -> tuple[Shape, ...]:
    """The program as title, and beside it a muted note, where it fits there."""
    beside = left + width(program, 20, mono=True, bold=True) + 20
    head = title(program, x=left, y=y, room=right - left)
    return (*head, text(beside, y, note, "muted", WORDS, id="note")) if width(note, WORDS) <= right - beside else head


def tight(words: str) -> str:
    """A number without the 0 before its point: for cells, where it would be smaller with it.

    >>> tight("0.25"), tight("-0.5"), tight("10.5"), tight("-0.0")
    ('.25', '-.5', '10.5', '-0.0')
    """
    return words.replace("0.", ".", 1) if words.lstrip("-").startswith("0.") and words != "-0.0" else words


def number(value: object, room: float = 38, size: float = 16, digits: int = 3) -> tuple[str, float]:
    """The text of a cell's value and the font size, at most `size`, at which it fits into `room` pixels.

    >>> number(7), number(0.125)
    (('7', 16), ('0.125', 12.6))
    """
    words = spell(value, digits)
    return words, min(size, max(9, round(room / width(words or "0", 1, mono=True), 1)))


def fitted(values: Iterable[object], room: float, size: float = 16) -> tuple[list[str], float]:
    """The numbers of a grid and one font size, at most `size`: all fit into cells `room` pixels wide.

    They lose the 0 before their point where they would be smaller with it.

    >>> fitted([1.0, 2.5], 38), fitted([1.0, 0.125], 38), fitted([], 38)
    ((['1', '2.5'], 16), (['1', '.125'], 15.8), ([], 16))
    """
    values = list(values)
    words = [spell(value) for value in values]
    if (fit := _fit(words, room, size)) < size:
        words = [tight(said) for said in words]
        fit = _fit(words, room, size)
    if fit < SMALLEST:
        words = [_narrow(value, said, room) for value, said in zip(values, words, strict=True)]
    return words, max(fit, SMALLEST)


def _narrow(value: object, said: str, room: float) -> str:
    """A number with as many digits as fit into a cell at the smallest size, with little air around them."""
    for digits in (2, 1):
        if width(said, SMALLEST, mono=True) > room + 4:
            said = tight(spell(value, digits))
    return said


SMALLEST = 9
"""The smallest font size of a number; one that would need a smaller one has fewer digits."""


def _fit(words: Sequence[str], room: float, size: float) -> float:
    longest = max((width(said, 1, mono=True) for said in words), default=0)
    return min(size, round(room / longest, 1)) if longest else size


def cell(
    id: str, x: float, y: float, value: object = "", cls: str = "", w: float = CELL, h: float = CELL, size: float = 16,
    address: str = "",
) -> Shape:  # fmt: skip
    """A cell with a value in it, at x, y, and an address under it.

    It may move (its transform is its place), and be lit.
    """
    words, size = (value, size) if isinstance(value, str) else number(value, w - 6, size)
    classes = ("cell", *cls.split())
    box, inner, at = _frame(w, h, round(size, 1))
    parts: tuple[Shape, ...] = (box, inner) if "aliased" in classes else (box,)
    if words:
        parts += (Shape("text", "", (), at, (), words),)
    if address:
        parts += (Shape("text", "", ("address",), _under(w, h, len(address)), (), address),)
    return Shape("g", id, classes, (("transform", place(x, y)),), parts)


@cache
def _frame(w: float, h: float, size: float) -> tuple[Shape, Shape, tuple]:
    """The parts that cells of one size share: their box, an aliased one's inner box, the number's place."""
    box = Shape("rect", attrs=(("width", w), ("height", h), ("rx", min(5, w / 6))))
    inside = (("x", 3), ("y", 3), ("width", w - 6), ("height", h - 6), ("rx", 3))
    at = (("x", w / 2), ("y", round(h / 2 + size * 0.35, 1)), ("font-size", size))
    return box, Shape("rect", cls=("inner",), attrs=inside), at


@cache
def _under(w: float, h: float, length: int) -> tuple:
    small = min(SMALL, round((w - 1) / width("0" * length, 1, mono=True), 1))
    return ("x", w / 2), ("y", h + 17), ("font-size", small)


@contextmanager
def lettered(taken: Collection[str]) -> Iterator[None]:
    """While a figure is drawn in which these are names: no axis has one of them as its letter.

    >>> with lettered(["k", "x"]):
    ...     letter_of(0), letter_of(2)
    ('i', 'l')
    """
    token = _letters.set("".join(letter for letter in LETTERS + "qrstuvwz" if letter not in taken)[: len(LETTERS)])
    try:
        yield
    finally:
        _letters.reset(token)


def letter_of(axis: int) -> str:
    """The letter of an axis; when all are used, with a number.

    >>> letter_of(0), letter_of(7), letter_of(8)
    ('i', 'p', 'i1')
    """
    return _letters.get()[axis % 8] + str(axis // 8 or "")


def badge(x: float, y: float, axis: int, words: str = "", id: str = "") -> Shape:
    """The badge of an axis: its letter on its hue, then e.g. its dim number.

    Both follow the axis through views.
    """
    hue = f"ax{axis}" if axis < 4 else "ax4"
    box = Shape("rect", attrs=(("width", 24), ("height", 22), ("rx", 4)))
    letter = text(12, 16, letter_of(axis), "mono strong", 15)
    more = (text(30, 16, words, "words", SMALL),) if words else ()
    return Shape("g", id, ("badge", hue), (("transform", place(x, y)),), (box, letter, *more))


def card(id: str, x: float, y: float, lines: Iterable[tuple[str, str]], w: float = 236, cls: str = "") -> Shape:
    """A panel of (word, value) lines: what a tensor says of itself."""
    lines = tuple(lines)
    panel = Shape("rect", cls=("panel",), attrs=(("width", w), ("height", 26 * len(lines) + 18), ("rx", 8)))
    parts = [panel]
    for k, (word, value) in enumerate(lines):
        room = w - 36 - width(word, SMALL)
        parts.append(text(14, 30 + 26 * k, word, "muted", SMALL))
        parts.append(text(w - 14, 30 + 26 * k, value, "mono strong", SMALL, "end", room=room))
    return group(id, *parts, cls=cls, at=(x, y))


def formula(
    prefix: str, x: float, y: float, terms: Sequence[tuple[str, int, str, str]], size: float = 30, cls: str = ""
) -> tuple[Shape, float]:
    """A formula in columns: (sample text, characters to reserve, class, caption) per term, ids `prefix` + number.

    A term's text changes with the link that is lit; its column does not, so nothing jumps. Returns shapes and width.
    """
    shapes, left = [], 0.0
    for k, (words, room, ink, caption) in enumerate(terms):
        wide = max(width("0" * room, size, mono=True, bold=True), width(caption, SMALL) + 4)
        last = k == len(terms) - 1
        middle = round(left + size * 0.12, 1) if last else round(left + wide / 2, 1)
        shapes.append(text(middle, 0, words, f"mono {ink}", size, "start" if last else "middle", f"{prefix}{k}"))
        if caption:
            shapes.append(text(middle, 24, caption, f"{ink} caption", SMALL, "start" if last else "middle"))
        left += wide + size * 0.25
    return group(prefix, *shapes, cls=cls, at=(x, y)), left - size * 0.25


def arrow(id: str, cls: str = "") -> Shape:
    """An arrow with nothing to point at yet: a state sets its `d`, as made by `curve`."""
    return Shape("path", id, ("arrow", *cls.split()), (("d", ""),))


Point = tuple[float, float]


def curve(start: Point, end: Point, leave: Point | None = None, enter: Point | None = None, head: bool = True) -> str:
    """The `d` of a curve that leaves `start` downwards and reaches `end` from above (or the reverse), with a head.

    With `leave` it first goes straight to that point, with `enter` it comes straight from that one: along the gaps
    between cells, so that it crosses no number.
    """
    (x1, y1), (x2, y2) = leave or start, enter or end
    down = 1 if end[1] >= start[1] else -1
    bend = round((y2 - y1) * 0.62, 1)
    d = f"M{start[0]:g} {start[1]:g}" + (f"L{x1:g} {y1:g}" if leave else "")
    d += f"C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"
    if enter:
        d += f"V{end[1] - 12 * down:g}Q{x2:g} {end[1] - 9 * down:g} {end[0]:g} {end[1]:g}"
    return d + (f"m-6 {-8 * down}l6 {8 * down}l6 {-8 * down}" if head else "")


def hop(start: Point, end: Point, side: float) -> str:
    """The `d` of an arc over the tops of two cells of one width, with a head: from their corners."""
    (x1, y1), (x2, y2) = ((round(x + side / 2, 1), y - 3) for x, y in (start, end))
    return f"M{x1:g} {y1:g}C{x1:g} {y1 - 28:g} {x2:g} {y2 - 28:g} {x2:g} {y2:g}m-5 -7l5 7l5 -7"


def rule(x1: float, y: float, x2: float) -> Shape:
    """A thin horizontal line."""
    return Shape("path", cls=("rule",), attrs=(("d", f"M{x1:g} {y:g}H{x2:g}"),))


def template(pattern: str, *names: str) -> Template:
    """A template from readable text: each `{name}` becomes a hole, numbered by its place in `names`.

    >>> template("y[{i}, {j}] reads slot {s}", "i", "j", "s")
    ('y[', 0, ', ', 1, '] reads slot ', 2)

    For text of our own only: a label from outside belongs in `args`.
    """
    parts: list[str | int] = []
    for piece in pattern.replace("}", "{").split("{"):
        parts.append(names.index(piece) if len(parts) % 2 else piece)
    return tuple(part for part in parts if part != "")

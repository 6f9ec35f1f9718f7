"""Drawing primitives: cells, grids, tapes, badges, cards, formulas, arrows. Pure functions that return shapes.

No colour is ever named here: a shape carries classes, and `drawing.css` gives them colours in both themes.
Classes a figure uses: `cell` (`unread` hatched, `virtual` dashed, `aliased` double border, `grad` filled warm, which
nothing else is, `lit` with a thick border of ink), `ink0` ... `ink3` (text in the colour of an axis), `muted`,
`strong`, `title`, `off` (not there now). Where the page is narrow a `piece`, which is a group, stands under the one
before it, what `waits` is left out until toggle `g` is on, what stands `between` is gone, and the player writes the
lines of an `aside` again as text. Coordinates and sizes are pixels of the drawing, which stands under the sentence.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from math import ceil

from ..claims.digits import DIGITS, spell
from .measure import shorten, width
from .scene import Shape, Template

LABEL, NUMBER, FORMULA, ASKED = 14, 18, 24, 32
"""The sizes of type: labels, dims and addresses; numbers, names and sentences; titles and formulas; a question."""

CELL, LITTLE, DOT, SPECK, GAP = 44, 32, 16, 8, 2
"""The heights of cells with numbers of 18 and of 14 pixels, and of cells in shades; the gap between cells."""

BETWEEN, ROWS = 48, 32
"""The distances between grids side by side, and between rows of them."""

STAGE = 400
"""The height up to which a drawing of lesson size is seen whole, with its head and its strip in 560 pixels."""

LEFT, RIGHT, WIDE = 24, 836, 1104
"""The edges of what is drawn in a figure of the usual width, 860, and the width that a figure may grow to."""

LETTERS = "ijklmnopqrst"
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
    x: float, y: float, words: str, cls: str = "", size: float = LABEL, anchor: str = "start", id: str = "",
    room: float = 0,
) -> Shape:  # fmt: skip
    """A line of text with its baseline at y.

    With `room`, a line too long gets the next smaller size of type, then an ellipsis.

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
            fits = (small for small in (FORMULA, NUMBER) if small < size and width(words, small, mono, bold) <= room)
            size = next(fits, min(size, LABEL))
            words = shorten(words, room, size, mono, bold)
            wide = width(words, size, mono, bold)
            attrs[2] = ("font-size", size)
        if wide > 0.9 * room:
            attrs += [("textLength", round(wide, 1)), ("lengthAdjust", "spacingAndGlyphs")]
    return Shape("text", id, classes, tuple(attrs), (), words)


def tight(words: str) -> str:
    """A number without the 0 before its point: for cells, where it would be smaller with it.

    >>> tight("0.25"), tight("-0.5"), tight("10.5"), tight("-0")
    ('.25', '-.5', '10.5', '-0')
    """
    return words.replace("0.", ".", 1) if words.lstrip("-").startswith("0.") else words


def fitted(values: Iterable[object], room: float, size: float = NUMBER) -> tuple[list[str], float]:
    """The numbers of a grid and their size of type, 18 or 14.

    All fit into cells with `room` pixels for them.

    They lose the 0 before their point, and then digits, where they would not fit with them.

    >>> fitted([1.0, 2.5], 38), fitted([1.0, 0.125], 38), fitted([], 38)
    ((['1', '2.5'], 18), (['1', '.125'], 14), ([], 18))
    """
    values = list(values)
    words = [spell(value) for value in values]
    short = [tight(said) for said in words]
    for at in (NUMBER, LABEL) if size >= NUMBER else (LABEL,):
        for said in (words, short):
            if longest(said) * width("0", at, mono=True) <= room + 6 - AROUND:
                return said, at
    return [_narrow(value, said, room) for value, said in zip(values, short, strict=True)], LABEL


def longest(words: Iterable[str]) -> int:
    """The count of characters of the longest."""
    return max((round(width(said, 1, mono=True) / width("0", 1, mono=True)) for said in words), default=0)


def room_for(values: Iterable[object], height: float = CELL, digits: int = DIGITS) -> int:
    """The width of a cell of some height for these numbers, a multiple of 8.

    A cell is as wide as high up to three characters; of a longer number than `LONGEST` characters digits are left out.

    >>> room_for([1, 2.5]), room_for([-1.5]), room_for([-1.5], LITTLE), room_for([-0.125, 3])
    (44, 56, 40, 72)
    """
    size = NUMBER if height >= CELL else LABEL
    whole = digits >= DIGITS  # then with the 0 before its point, as sentences say it
    said = (spell(value, digits) if whole else shortened(value, digits) for value in values)
    most = min(longest(said), LONGEST)
    return max(int(height), 8 * ceil((most * width("0", size, mono=True) + AROUND) / 8))


AROUND = 5
"""The room around a number, at least."""

LONGEST = 7
"""The most characters of a number for which a cell is made wider."""


def shortened(value: object, digits: int) -> str:
    """A number in so many digits; a truth in one digit is its first letter.

    >>> shortened(0.125, 2), shortened(True, 2), shortened(True, 1)
    ('.12', 'True', 'T')
    """
    said = tight(spell(value, digits))
    return said[0] if digits == 1 and said in ("True", "False") else said


def _narrow(value: object, said: str, room: float) -> str:
    """A number with as many digits as fit into a cell at the smallest size, with little air around them."""
    for digits in (2, 1):
        if width(said, LABEL, mono=True) > room + 4:
            said = shortened(value, digits)
    return said


def cell(
    id: str, x: float, y: float, value: object = "", cls: str = "", w: float = CELL, h: float = CELL,
    size: float = NUMBER, address: str = "",
) -> Shape:  # fmt: skip
    """A cell with a value in it, at x, y, and an address under it.

    It may move (its transform is its place), and be lit.
    """
    (words,), size = ([value], size) if isinstance(value, str) else fitted([value], w - 6, size if h >= CELL else LABEL)
    classes = ("cell", *cls.split())
    box, inner, at = _frame(w, h, round(size, 1))
    parts: tuple[Shape, ...] = (box, inner) if "aliased" in classes else (box,)
    if words:
        parts += (Shape("text", "", (), at, (), words),)
    if address:
        parts += (Shape("text", "", ("address",), _under(w, h), (), address),)
    return Shape("g", id, classes, (("transform", place(x, y)),), parts)


@cache
def _frame(w: float, h: float, size: float) -> tuple[Shape, Shape, tuple]:
    """The parts that cells of one size share: their box, an aliased one's inner box, the number's place."""
    box = Shape("rect", attrs=(("width", w), ("height", h), ("rx", min(5, w / 6))))
    inside = (("x", 3), ("y", 3), ("width", w - 6), ("height", h - 6), ("rx", 3))
    at = (("x", w / 2), ("y", round(h / 2 + size * 0.35, 1)), ("font-size", size))
    return box, Shape("rect", cls=("inner",), attrs=inside), at


@cache
def _under(w: float, h: float) -> tuple:
    return ("x", w / 2), ("y", h + 17), ("font-size", LABEL)


@contextmanager
def lettered(taken: Collection[str]) -> Iterator[None]:
    """While a figure is drawn in which these are names: no axis has one of them as its letter.

    >>> with lettered(["k", "x"]):
    ...     letter_of(0), letter_of(2)
    ('i', 'l')
    """
    token = _letters.set("".join(letter for letter in LETTERS + "uvwz" if letter not in taken)[: len(LETTERS)])
    try:
        yield
    finally:
        _letters.reset(token)


def letter_of(axis: int) -> str:
    """The letter of an axis; when all are used, with a number.

    >>> letter_of(0), letter_of(7), letter_of(12)
    ('i', 'p', 'i1')
    """
    return _letters.get()[axis % len(LETTERS)] + str(axis // len(LETTERS) or "")


def badge(x: float, y: float, axis: int, words: str = "", id: str = "") -> Shape:
    """The badge of an axis: its letter on its hue, then e.g. its dim number.

    Both follow the axis through views.
    """
    hue = f"ax{axis}" if axis < 4 else "ax4"
    box = Shape("rect", attrs=(("width", 24), ("height", 22), ("rx", 4)))
    letter = text(12, 17, letter_of(axis), "mono strong", NUMBER)
    more = (text(30, 16, words, "words", LABEL),) if words else ()
    return Shape("g", id, ("badge", hue), (("transform", place(x, y)),), (box, letter, *more))


def card(id: str, x: float, y: float, lines: Iterable[tuple[str, str]], w: float = 236, cls: str = "") -> Shape:
    """A panel of (word, value) lines: what a tensor says of itself."""
    lines = tuple(lines)
    panel = Shape("rect", cls=("panel",), attrs=(("width", w), ("height", 26 * len(lines) + 18), ("rx", 8)))
    parts = [panel]
    for k, (word, value) in enumerate(lines):
        room = w - 36 - width(word, LABEL)
        parts.append(text(14, 30 + 26 * k, word, "muted", LABEL))
        parts.append(text(w - 14, 30 + 26 * k, value, "mono strong", NUMBER, "end", room=room))
    return group(id, *parts, cls=cls, at=(x, y))


def formula(
    prefix: str, x: float, y: float, terms: Sequence[tuple[str, int, str, str]], size: float = FORMULA, cls: str = ""
) -> tuple[Shape, float]:
    """A formula in columns: (sample text, characters to reserve, class, caption) per term, ids `prefix` + number.

    A term's text changes with the link that is lit; its column does not, so nothing jumps. Returns shapes and width.
    """
    shapes, left = [], 0.0
    for k, (words, room, ink, caption) in enumerate(terms):
        wide = max(width("0" * room, size, mono=True, bold=True), width(caption, LABEL) + 4)
        last = k == len(terms) - 1
        middle = round(left + size * 0.12, 1) if last else round(left + wide / 2, 1)
        shapes.append(text(middle, 0, words, f"mono {ink}", size, "start" if last else "middle", f"{prefix}{k}"))
        if caption:
            shapes.append(text(middle, 24, caption, f"{ink} caption", LABEL, "start" if last else "middle"))
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

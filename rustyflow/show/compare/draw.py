"""The picture of a comparison: both sides' events in rows that align.

The line of code behind the first that differs stands over them.
"""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from ...scene import Frame, Link, Links, Look, Scene, Shape, draw
from ..words.sentences import many
from .claims import added, brief, ending, sentence, told
from .engine import Engine
from .numbers import Comparison, Row

TOP = 24
"""Where the drawing begins."""

ROW, ROWS, BEFORE = 30, 9, 5
"""The height of a row, the most of them, and how many stand before the first that differs."""

HALF = (draw.RIGHT - draw.LEFT) / 2
"""The width of a side."""

AT = {"who": 44, "arrow": 136, "to": 168, "value": 252}
"""Where the parts of a row begin in its side."""


def rows_of(compared: Comparison) -> range:
    """Returns the places that are drawn: all, or those around the first that differs."""
    many, first = len(compared), compared.first
    begin = 0 if many <= ROWS or first is None else max(0, min(first - BEFORE, many - ROWS))
    return range(begin, min(many, begin + ROWS))


def scene_of(compared: Comparison, title: str) -> Scene:
    """Returns the picture with its frames: event by event up to the first that differs, and what comes of it."""
    rows = rows_of(compared)
    codes = codes_of(compared)
    top = TOP + 30 + (34 if any(codes) else 0)
    bottom = top + ROW * len(rows) + 8
    hidden = len(compared) - len(rows)
    same = "which is" if rows.start == 1 else "which are"
    note = f"{many(rows.start, 'event')} before, {same} the same" if rows.start else ""
    note = note or (many(hidden, "more event") if hidden else "")
    shapes = [*heads(compared, codes)]
    shapes += [_row(compared, k, top + ROW * n) for n, k in enumerate(rows)]
    links = Links((0,), {f"r{k}": Link((f"r{k}",), (sentence(compared, k),)) for k in rows})
    frames = tuple(_frames(compared, rows))
    still = -2 if compared.first is not None else -1
    return Scene(title, draw.RIGHT + draw.LEFT, bottom + 16, tuple(shapes), frames, (links,),
                 (tuple((f"r{k}",) for k in rows),), still=still, about=_about(compared, codes), note=note)  # fmt: skip


def _frames(compared: Comparison, rows: range) -> Iterator[Frame]:
    last = rows[-1] if compared.first is None else compared.first
    for k in rows:
        if k > last:
            break
        later = tuple(f"t{j}" for j in rows if j > k)
        yield Frame(sentence(compared, k), (Look({"coming": later}),), f"r{k}")
    yield Frame(ending(compared))


def _about(compared: Comparison, codes: list[str]) -> tuple[str, ...]:
    names = compared.left.name, compared.right.name
    return tuple(f"{name}: {code}" for name, code in zip(names, codes, strict=True) if code)


def heads(compared: Comparison, codes: list[str]) -> Iterator[Shape]:
    """The names of the sides, each with the line of code behind what differs."""
    for n, side in enumerate((compared.left, compared.right)):
        left = draw.LEFT + n * HALF
        yield draw.text(left + 12, TOP + 16, side.name, "strong", 18, room=HALF - 40)
        if code := codes[n]:
            size = (("x", left), ("y", TOP + 28), ("width", HALF - 12), ("height", 28), ("rx", 4))
            yield Shape("rect", cls=("panel",), attrs=size)
            yield draw.text(left + 12, TOP + 47, code, "mono", 14, room=HALF - 36)


def _row(compared: Comparison, k: int, y: float) -> Shape:
    """A row: its number, what each side does, and between them whether that is the same."""
    bar = (("width", draw.RIGHT - draw.LEFT), ("height", ROW - 3), ("rx", 5))
    sides = compared.pair(k)
    first = compared.first
    sign = "=" if first is None or k < first else "≠" if k == first else ""
    words = [draw.text(HALF - 14, 19, sign, "strong", 18, "middle")] if sign else []
    words.append(draw.text(12, 18, f"{k + 1}", "muted mono", 14))
    for n, row in enumerate(sides):
        words += _words(row, n * HALF) if row else []
    return draw.group(f"r{k}", Shape("rect", cls=("panel",), attrs=bar), draw.group(f"t{k}", *words),
                      at=(draw.LEFT, y))  # fmt: skip


def _words(row: Row, x: float) -> Iterator[Shape]:
    """The columns of what one side does."""
    def word(where: str, words: str, cls: str = "mono", room: float = 88) -> Shape:
        return draw.text(x + AT[where], 18, words, cls, draw.LABEL, room=room)

    wide = HALF - AT["value"] - 34
    match row.kind:
        case "sends":
            yield word("who", row.who)
            yield Shape("path", "", ("edge",), (("d", f"M{x + AT['arrow']} 13h22m-6 -5l6 5l-6 5"),))
            yield word("to", row.to, "mono strong", 80)
            yield word("value", added(row), "mono grad-ink", wide)
        case "visit":
            yield word("who", "visits", "muted")
            yield word("to", row.who, "mono strong", wide + 80)
        case "ends" | "says":
            yield word("who", told(row), "", HALF - AT["who"] - 34)
        case _:
            name, ink = (f"{row.who}.grad", "grad-ink") if row.kind == "gradient" else (row.who, "value-ink")
            yield word("who", name, "mono strong", 200)
            yield word("value", brief(row.value), f"mono {ink}", wide)


# The line of code behind what differs.


def codes_of(compared: Comparison) -> list[str]:
    """Returns for each side the line behind the first event that differs, "" where none is known.

    Where that is the same in both, the fault is in what the other engine does its own way.
    """
    sides = compared.left, compared.right
    row = None if compared.first is None else compared.pair(compared.first)[0]
    engines = [side.engine for side in sides]
    if row is None or compared.how == "error" or not all(isinstance(engine, Engine) for engine in engines):
        return ["", ""]
    part = "add" if compared.how == "sum" else "order" if compared.how in ("again", "order") else row.kind
    lines = [_line(engine, part, row.op) for engine in engines]
    if lines[0] == lines[1]:
        own = [name for name in vars(type(engines[1])) if callable(getattr(Engine, name, None)) and name[:1] != "_"]
        lines = [_line(engine, own[0], row.op) for engine in engines] if own else ["", ""]
    return lines


def _line(engine: Any, part: str, op: str) -> str:
    """The last line of a part of an engine, or of its rule for an operation."""
    try:
        return last_line(inspect.getsource(engine.rules[op] if part == "sends" else getattr(engine, part)))
    except (AttributeError, KeyError, OSError, TypeError):
        return ""


def last_line(source: str) -> str:
    """Returns the last line of a function that says something; of a lambda what it gives.

    >>> last_line("def f(g):\\n    return g, -g\\n"), last_line('    "sub": lambda g, a, b: (g, -g),\\n')
    ('return g, -g', '(g, -g)')
    """
    lines = [line.partition("  #")[0].strip() for line in source.splitlines() if line.strip()]
    says = [line for line in lines if any(word in line for word in ("lambda", "return", "yield"))]
    line = (says or lines)[-1]
    return re.sub(r"^.*\blambda [^:]*: ", "", line.rstrip("},"))

"""An error as a picture: the reader's line with the operation that failed, what was refused, and repairs that ran."""

import html
from collections.abc import Sequence

from ..scene import Figure, Frame, Look, Scene, Shape, draw
from ..scene.draw import LEFT, RIGHT
from ..scene.measure import width
from ..show.calls.budget import within
from ..show.kit.line import fitting
from .failure import KINDS, Failure, failure_of
from .line import Line
from .refusal import Box, Refusal, refusal_of, sizes_of
from .repairs import Repair, best, repairs
from .run import aside

BUDGET, PATIENCE = 0.3, 5
"""The seconds of work in which repairs are tried, and how many times as long they may take where others work, too."""

SIDE, GAP, HIGH = 52, 8, 44
"""The width of a box of a row, what is between two, and the height of a row."""

REFUSED = "style", "fill:var(--ground);stroke:var(--warn);stroke-width:2.5"
"""The look of what was refused."""

MIDDLE = 430
"""Where the repairs begin."""


def exhibit(error: BaseException, line: Line | None = None, seconds: float = BUDGET) -> Figure | None:
    """Returns the picture of an error in a reader's line; None of one that is about no tensor.

    Repairs are tried for so many seconds of work: what is not done by then is left out, and that is said. What was
    refused is there in any case. `line` is the line, where it was run by `see`.
    """
    failures, refusals, ran, done = list[Failure](), list[Refusal](), list[Repair](), list[bool]()

    def work() -> None:
        failure = failure_of(error, line) if isinstance(error, KINDS) else None
        if failure is not None:
            failures.append(failure)
            refusals.append(refusal_of(failure))
            done.append(repairs(failure, refusals[0].kind, ran, seconds))

    with aside():
        ended = within(PATIENCE * seconds, work) and all(done)
    if not failures or refusals and refusals[0].kind == "other" and ended and not ran:
        return None
    refusal = refusals[0] if refusals else sizes_of(failures[0])
    return Figure(scene_of(failures[0], refusal, best(ran), ended))


def scene_of(failure: Failure, refusal: Refusal, ran: Sequence[Repair], ended: bool = True) -> Scene:
    """The scene of an error: the whole, then each repair."""
    kind = type(failure.error).__mro__[_public(failure.error)].__name__
    right, low = _repairs(ran, ended, refusal)
    left, deep = _rows(refusal, LEFT, 120.0, MIDDLE - LEFT - 24 if right else RIGHT - LEFT)
    clash = tuple(shape.id for shape in left if shape.id.startswith("c"))
    shapes = (*_strip(failure), *left, *right)
    told = f"{failure.text[slice(*failure.lit)]} raises {kind}: {refusal.sentence}"
    frames = [Frame(told, (Look({"lit": clash}),))]
    for k, repair in enumerate(ran):
        frames.append(Frame(f"{repair.code} {_gives(repair)}.", (Look({"lit": (f"r{k}",)}),)))
    if not ended:
        frames.append(Frame("More was not tried: the time for it was over."))
    about = failure.text, *(f"{row.name}: {', '.join(box.text for box in row.boxes if box)}" for row in refusal.rows)
    return Scene(kind, 860, max(low, deep) + 14, shapes, tuple(frames), still=0, about=about)


def _public(error: BaseException) -> int:
    """The place of the first type that is not ours among those of an error."""
    kinds = type(error).__mro__
    return next((k for k, kind in enumerate(kinds) if not kind.__module__.startswith("rustyflow")), 0)


def _gives(repair: Repair) -> str:
    """Says that a repair runs, and what comes of it."""
    runs = "runs, and the rest of the line does not," if repair.whole is False else "runs"
    told = runs.rstrip(",") if repair.shape is None else f"{runs} and gives shape {repair.shape}"
    return told + (f"{' ' if repair.note.startswith('in ') else ', '}{repair.note}" if repair.note else "")


def _strip(failure: Failure) -> list[Shape]:
    """The line, with a box round the operation that failed."""
    size = fitting(len(failure.text), RIGHT - LEFT - 32)
    step = width("0", size, mono=True)
    first, last = failure.lit
    x, y = LEFT + 16, 42
    text = [draw.text(x + step * at, y, part, cls, size) for at, part, cls in (
        (0, failure.text[:first], "mono muted"), (first, failure.text[first:last], "mono strong"),
        (last, failure.text[last:], "mono muted")) if part]  # fmt: skip
    panel = Shape("rect", "", ("panel",), (("x", LEFT), ("y", 8), ("width", RIGHT - LEFT), ("height", 52), ("rx", 6)))
    box = Shape("rect", "", ("panel",), (REFUSED, ("x", round(x + step * first - 4, 1)), ("y", 18),
                ("width", round(step * (last - first) + 8, 1)), ("height", 32), ("rx", 6)))  # fmt: skip
    return [panel, box, *text]


def _rows(refusal: Refusal, x: float, y: float, room: float) -> tuple[list[Shape], float]:
    """The rows of boxes, with what is over and under their columns, and how far down they go."""
    if not refusal.rows:
        return [], y - 30
    label = min(172.0, max(width(row.name, draw.NUMBER, mono=True, bold=True) for row in refusal.rows) + 14)
    columns = max(len(row.boxes) for row in refusal.rows)
    texts = (box.text for row in refusal.rows for box in row.boxes if box)
    widest = max((width(text, draw.NUMBER, mono=True) for text in texts), default=0)
    side = min(max(SIDE, widest + 18), (room - label) / columns - GAP)
    at = [x + label + k * (side + GAP) for k in range(columns)]
    shapes = [draw.text(at[k] + side / 2, y - 10, text, "mono muted", draw.LABEL, "middle", room=side + 4)
              for k, text in enumerate(refusal.over[:columns]) if text]  # fmt: skip
    for n, row in enumerate(refusal.rows):
        top = y + n * (HIGH + GAP)
        shapes.append(draw.text(x + label - 12, top + 26, row.name, "mono strong", draw.NUMBER, "end", room=label - 12))
        shapes += [_box(f"{'c' if box.kind == 'clash' else 'b'}{n}_{k}", at[k], top, side, box)
                   for k, box in enumerate(row.boxes) if box]  # fmt: skip
    low = y + len(refusal.rows) * (HIGH + GAP) + 12
    for k, box in enumerate(refusal.under[:columns]):
        if box.text:
            cls = "mono strong warn" if box.kind == "clash" else "muted"
            free = not any(other.text for other in (*refusal.under[max(0, k - 1) : k], *refusal.under[k + 1 : k + 2]))
            wide = 2 * side + GAP if free else side + 6
            shapes.append(draw.text(at[k] + side / 2, low, box.text, cls, draw.LABEL, "middle", room=wide))
    return shapes, low + (14 if refusal.under else 0)


def _box(id: str, x: float, y: float, side: float, box: Box) -> Shape:
    cls = {"thought": "virtual"}.get(box.kind, "")
    size = fitting(max(1, len(box.text)), side - 4) if len(box.text) > 1 else draw.NUMBER
    cell = draw.cell(id, x, y, box.text, cls, side, HIGH, min(size, draw.NUMBER))
    if box.kind != "clash":
        return cell
    frame, *inside = cell.children
    text = [part._replace(cls=("warn", "strong")) for part in inside]
    return cell._replace(children=(frame._replace(attrs=(*frame.attrs, REFUSED)), *text))


def _repairs(ran: Sequence[Repair], ended: bool, refusal: Refusal) -> tuple[list[Shape], float]:
    """The repairs that ran, one card each, and how far down they go."""
    y, x = 94.0, float(MIDDLE) if refusal.rows else float(LEFT)
    if not ran:
        return ([], y) if ended else ([draw.text(x, y, "No repair was tried in time.", "muted")], y + 20)
    one = len(ran) == 1
    head = "This runs. Whether you meant it, only you know."
    head = head if one else "These run. Which one you meant, only you know."
    shapes, low = [draw.text(x, y, head, "", room=RIGHT - x)], y + 14
    wide = RIGHT - x - 28
    for k, repair in enumerate(ran):
        shape = "" if repair.shape is None else str(repair.shape)
        both = width(repair.code, draw.NUMBER, mono=True, bold=True), width(shape, draw.LABEL, mono=True)
        beside = sum(both) + 20 <= wide and not repair.note
        high, under = (44, 28) if beside else (64, 50)
        panel = Shape("rect", "", ("panel",), (("width", RIGHT - x), ("height", high), ("rx", 6)))
        code = draw.text(14, 28, repair.code, "mono strong", draw.NUMBER, room=wide)
        gives = [draw.text(RIGHT - x - 14, under, shape, "mono muted", draw.LABEL, "end")] if shape else []
        note = [draw.text(14, under, repair.note, "muted", draw.LABEL, room=wide - both[1] - 14)] if repair.note else []
        shapes.append(draw.group(f"r{k}", panel, code, *gives, *note, at=(x, low)))
        low += high + 8
    if not ended:
        shapes.append(draw.text(x, low + 14, "More was not tried: the time was over.", "muted", 14))
        low += 22
    return shapes, low


def bundle(figure: Figure, error: BaseException, traceback: str) -> dict[str, str]:
    """The content of a notebook's output: the picture, and the traceback folded under it."""
    plain = figure.bundle()
    first = getattr(error, "rule", "") or next(iter(str(error).strip().splitlines()), "")
    last = f"{type(error).__name__}: {first}"
    folded = (f'<details style="margin:4px 0"><summary style="cursor:pointer">the traceback: <code>{html.escape(last)}'
              f"</code></summary><pre>{html.escape(traceback)}</pre></details>")  # fmt: skip
    return {"text/plain": f"{traceback}\n{plain['text/plain']}", "text/html": plain["text/html"] + folded}


def told(figure: Figure) -> str:
    """The picture in words, for a terminal, under the traceback."""
    return "\n".join(figure.sentences)

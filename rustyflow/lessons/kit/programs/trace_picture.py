"""The picture of a trace: each line of a program, with an arc to each tensor that it read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....claims.digits import spell
from ....scene import Frame, Look, Scene, Shape, draw
from ....scene.measure import width
from ....show.words.sentences import listed
from ....tensor import Tensor
from .trace import Step

HIGH, ROW, TOP = 28, 36, 14
"""The height of a box, the distance of two rows, and the top of the first."""

LONGEST = 13
"""The most characters of what was looked at."""

WARNED = "style", "fill:var(--ground);stroke:var(--warn);stroke-width:2.5"
"""The look of a box at which something was cut, freed or written over."""


def picture(title: str, steps: Sequence[Step], frames: Sequence[Frame] | None = None) -> Scene:
    """Draws a trace: the code on the left, then a box for each line's result, with arcs between them.

    Where steps were watched, it has a box for each thing that was looked at in place of arcs. The ids are `l` and the
    number of the line, `b` its box, and `w` its watched boxes (`w2_0`).
    """
    top = TOP + (24 if steps[0].seen else 0)
    most = 500 - 90 * min(len(steps[0].seen), 3)
    size = draw.NUMBER if max(width(line_of(step), draw.NUMBER, mono=True) for step in steps) < most else draw.LABEL
    wide = min(most + 20.0, max(width(line_of(step), size, mono=True) for step in steps))
    x, shapes = max(280.0, draw.LEFT + wide + 40), list[Shape]()
    for k, step in enumerate(steps):
        y = top + k * ROW
        strip = (("x", draw.LEFT), ("y", y), ("width", round(wide + 20, 1)), ("height", HIGH), ("rx", 5))
        code = draw.text(draw.LEFT + 10, y + 20, line_of(step), "mono", size, room=wide)
        shapes.append(draw.group(f"l{k}", Shape("rect", "", ("panel",), strip), code))
    drawn, right = _watched(steps, x, top) if steps[0].seen else (_made(steps, x, top), 0.0)
    shapes += drawn
    told = [told_of(step) + _lost(before, step) for before, step in zip((None, *steps), steps, strict=False)]
    there = {shape.id for group in shapes for shape in group.walk()}
    own = [Frame(said, (Look({"lit": tuple(id for id in _lit(k, step) if id in there)}),))
           for k, (said, step) in enumerate(zip(told, steps, strict=True))]  # fmt: skip
    scene = Scene(title, max(860, right + draw.LEFT), top + len(steps) * ROW + 8, tuple(shapes), tuple(frames or own))
    return replace(scene, still=len(scene.frames) - 1, about=tuple(step.code for step in steps))


def _lit(k: int, step: Step) -> tuple[str, ...]:
    return (f"l{k}", f"b{k}", *(f"w{k}_{n}" for n in range(len(step.seen))))


def _made(steps: Sequence[Step], x: float, top: float) -> list[Shape]:
    """A box with the name of what each line made, words beside it, and the arcs on its left."""
    wide = max([44.0, *(width(step.name, draw.NUMBER, mono=True) + 20 for step in steps)])
    last: dict[str, int] = {}
    arcs, boxes = list[Shape](), list[Shape]()
    spans = [0]
    for k, step in enumerate(steps):
        spans += [k - last[name] for name in (*step.kept, *step.cut) if name in last]
        last[step.name] = k
    x += 16 + 13 * max(spans)
    last.clear()
    for k, step in enumerate(steps):
        y = top + k * ROW
        if step.name and step.error is None:
            boxes.append(_box(f"b{k}", x, y, step.name, wide, bad=bool(step.cut)))
            for name in (*step.kept, *step.cut):
                if name in last:
                    arcs += _arc(last[name], k, name in step.cut, x, top)
            last[step.name] = k
        words, cls = status(step)
        at = x + wide + 14 if step.name and step.error is None else x
        boxes.append(draw.text(at, y + 19, words, cls, draw.LABEL, room=draw.RIGHT - at))
    return [*arcs, *boxes]


def _arc(a: int, b: int, cut: bool, x: float, top: float) -> list[Shape]:
    """The arc from a box to one below that read it; dashed, with a cross, where the record is cut."""
    y1, y2 = top + a * ROW + HIGH / 2 + 5, top + b * ROW + HIGH / 2 - 5
    out = x - 12 - 13 * (b - a)
    path = f"M{x - 3:g} {y1:g}C{out:g} {y1:g} {out:g} {y2:g} {x - 3:g} {y2:g}"
    line = Shape("path", f"a{a}_{b}", ("edge", "dashed") if cut else ("arrow",), (("d", path),))
    at = x - 3 + 0.75 * (out - x + 3)
    cross = draw.text(at, (y1 + y2) / 2 + 7, "✕", "warn strong", draw.NUMBER, "middle")
    return [line, cross] if cut else [line]


def _watched(steps: Sequence[Step], x: float, top: float) -> tuple[list[Shape], float]:
    """A column of boxes for each thing that was looked at, with its heading; and where the last one ends."""
    shapes, begin = list[Shape](), x
    for n, head in enumerate(steps[0].seen):
        texts = [_text(step.seen[head]) for step in steps]
        wide = max([56.0, width(head, draw.LABEL, mono=True), *(width(t, draw.NUMBER, mono=True) + 14 for t in texts)])
        shapes.append(draw.text(x + wide / 2, top - 12, head, "mono muted", draw.LABEL, "middle"))
        for k, (step, text) in enumerate(zip(steps, texts, strict=True)):
            if text and step.error is None:
                y = top + k * ROW
                shapes.append(_box(f"w{k}_{n}", x, y, text, wide, bad=text in LOST))
        x += wide + 12
    if (last := steps[-1]).error is not None:
        y = top + (len(steps) - 1) * ROW
        shapes.append(draw.text(begin, y + 19, status(last)[0], "warn strong", draw.LABEL, room=draw.RIGHT - begin))
    return shapes, x - 12


def line_of(step: Step) -> str:
    """The code of a step in one line.

    >>> line_of(Step("for x in xs:\\n    y = x"))
    'for x in xs: …'
    """
    first, *more = step.code.splitlines()
    return f"{first} …" if more else first


def _text(value: Any) -> str:
    """A value that was looked at, in a few letters."""
    said = _said(value)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def _said(value: Any) -> str:
    if isinstance(value, Tensor):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(map(_said, value[:LONGEST]))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_said, value[:LONGEST]))})"
    return spell(value) if isinstance(value, float | int) and not isinstance(value, bool) else str(value)


def _box(id: str, x: float, y: float, words: str, wide: float, bad: bool = False) -> Shape:
    cell = draw.cell(id, x, y, words, "", wide, HIGH)
    if not bad:
        return cell
    frame, *inside = cell.children
    return cell._replace(children=(frame._replace(attrs=(*frame.attrs, WARNED)), *inside))


def status(step: Step) -> tuple[str, str]:
    """The words beside a line, and their classes."""
    value = step.value
    if step.error is not None:
        return f"stops: {raised(step.error).partition(':')[0]}", "warn strong"
    if not step.name:
        return (f"gradients come to {listed(step.grads)}" if step.grads else ""), "muted"
    if not isinstance(value, Tensor):
        return ("a plain number: no record" if isinstance(value, float | int) else "no tensor"), "muted"
    if value.grad_fn is not None:
        return "recorded", "muted"
    if value.requires_grad:
        return "leaf, wants a gradient", "muted"
    return ("cut: no record" if step.cut else "leaf, wants none"), "warn strong" if step.cut else "muted"


LOST = "let go", "written over"
"""What may become of what a graph kept."""


def _lost(before: Step | None, step: Step) -> str:
    """A sentence on what a graph kept that is gone since this line."""
    gone = [(head, text) for head, text in step.seen.items() if text in LOST]
    new = [(head, text) for head, text in gone if before is None or before.seen.get(head) != text]
    return "".join(f" {head[0].upper()}{head[1:]}: it was {text}." for head, text in new if step.error is None)


def raised(error: Exception) -> str:
    """An error by the name that others know, such as RuntimeError, and the first line of its rule."""
    kind = next(kind for kind in type(error).__mro__ if not kind.__module__.startswith("rustyflow"))
    words = getattr(error, "rule", "") or (str(error).splitlines() or [""])[0]
    return f"{kind.__name__}: {words.partition(': ')[0]}"


def told_of(step: Step) -> str:
    """A sentence on a line that ran."""
    name, value = step.name, step.value
    if step.error is not None:
        return f"{line_of(step)} raises {raised(step.error)}."
    if not name:
        return f"{line_of(step)} runs" + (f": gradients come to {listed(step.grads)}." if step.grads else ".")
    if step.over:
        return f"{line_of(step)} writes over what {name} holds: the same tensor, with other numbers."
    if not isinstance(value, Tensor):
        of = f": nothing leads from it to {listed(step.cut)}" if step.cut else ""
        return f"{name} is no tensor{of}."
    if step.cut and not step.kept:
        return f"The record is cut: {name} was made from {listed(step.cut)}, and does not remember that."
    if step.cut:
        return f"{name} remembers {listed(step.kept)}. To {listed(step.cut)} the record is cut."
    if step.kept:
        return f"{name} was computed from {listed(step.kept)}, and remembers that."
    if value.grad_fn is not None:
        return f"{name} was computed, from a leaf that has no name: {name} is none."
    return f"{name} is a leaf{', and wants a gradient' if value.requires_grad else ' that wants no gradient'}."

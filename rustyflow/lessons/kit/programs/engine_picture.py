"""The picture of lesson 12: one program from the line of memory to the gradient, each part with its lesson."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ....claims.digits import spell
from ....errors import ArgumentTypeError
from ....ir import Node
from ....scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ....tensor import Tensor
from ..answers.answer import shown
from .engine import Gradients, Recorded, engine
from .fits import Fit

LEFT, RIGHT = 24.0, 852.0
TOP, CHAIN, TALL = 24, 128.0, 32
"""The top of the cars, that of the boxes, and the height of one: the value above, the gradient below."""

LESSONS = {
    "01": "One line of memory", "03": "Stride zero", "09": "One node, one product", "10": "Wait for everyone",
    "11": "Back through a broadcast", "12": "Your own engine",
}  # fmt: skip


def page_of(lesson: str) -> str:
    """The notebook of a lesson, by its number.

    >>> page_of("09")
    '09-one-node-one-product.ipynb'
    """
    return f"{lesson}-{LESSONS[lesson].lower().replace(',', '').replace(' ', '-')}.ipynb"


class Step(NamedTuple):
    """A node of a program: its id, its caption, its lesson, and the part that sends back."""

    id: str
    caption: str
    lesson: str
    part: str


def steps(graph: Recorded) -> list[Step]:
    """The nodes from a leaf to the result, without constants and expands.

    >>> from .fits import CARS
    >>> [step.caption for step in steps(CARS.run())]
    ['w', '· speed', '· speed', 'd: - feet', 'd · d', 'sum', 'loss: / 7']
    """
    sign = {"mul": "·", "sub": "-", "div": "/", "add": "+"}
    found = []
    for node in graph:
        if node.kind == "leaf":
            found.append(Step(node.id, node.name or "", "11", "sum_to"))
        elif node.kind == "op":
            first, *others = node.operands
            other = [graph[ref].name or "" if ref[0] == "%" else ref for ref in others]
            does = f"{sign[node.op]} {other[0]}" if other else node.op
            if [first] == others:
                found.append(Step(node.id, f"{other[0]} {does}", "10", "add, wait"))
                continue
            lesson = "09" if node.op in ("mul", "div") else "12"
            found.append(Step(node.id, f"{node.name}: {does}" if node.name else does, lesson, f"vjp_{node.op}"))
    return found


def _of(value: Any, which: int, digits: int = 4) -> str:
    """A number of a tensor, of one number that one; empty for none."""
    if value is None:
        return ""
    numbers = value.reshape(-1)
    return spell(float(numbers[which if len(numbers) > 1 else 0]), digits)


def _value(node: Node, which: int) -> str:
    """The number of a node's result; that which is learned with the digits that it has everywhere."""
    return _of(node.out, which, 3 if node.kind == "leaf" else 4)


def _box(id: str, x: float, y: float, wide: float, words: str, cls: str = "", tall: float = TALL) -> Shape:
    """A cell whose text a frame may set."""
    frame = Shape("rect", attrs=(("width", wide), ("height", tall), ("rx", 5)))
    at = (("x", wide / 2), ("y", tall / 2 + 6), ("font-size", draw.NUMBER))
    said = Shape("text", f"{id}t", (), at, (), words)
    return Shape("g", id, ("cell", *cls.split()), (("transform", draw.place(x, y)),), (frame, said))


def _chain(graph: Recorded, arrived: Gradients, which: int, y: float, lessons: bool) -> Iterator[Shape]:
    """A box for each node in a row, with its value and its gradient."""
    row = steps(graph)
    gap = 26.0
    wide = min(120.0, (RIGHT - LEFT - gap * (len(row) - 1)) / len(row))
    for place, step in enumerate(row):
        x = round(LEFT + place * (wide + gap), 1)
        yield draw.text(x, y - 10, step.caption, "mono", 14, room=wide + gap - 4)
        yield _box(f"v{place}", x, y, wide, _value(graph[step.id], which))
        yield _box(f"g{place}", x, y + TALL, wide, _of(arrived.get(step.id), which), "grad")
        if place:
            yield _line(x - gap + 3, x - 4, y + TALL / 2)
            yield _line(x - 4, x - gap + 3, y + 1.5 * TALL)
        if lessons:
            words = f"{step.lesson} {step.part}"
            yield _leading(draw.text(x, y + 2 * TALL + 20, words, "muted", 14, id=f"l{place}", room=wide + gap - 2))


def _leading(text: Shape) -> Shape:
    """A text that leads to a page: it is underlined."""
    return text._replace(attrs=(*text.attrs, ("text-decoration", "underline")))


def _line(start: float, end: float, y: float) -> Shape:
    back = 6 if end < start else -6
    return Shape("path", "", ("edge",), (("d", f"M{start:g} {y:g}H{end:g}m{back} -5l{-back} 5l{back} 5"),))


def chain(graph: Recorded, arrived: Gradients, *sentences: str, which: int = -1, lit: str = "") -> Scene:
    """A program with gradients that an engine found, or lost, and what is to be said of it.

    Args:
        arrived: gradients by node. which: the number of each tensor that is shown. lit: the node to look at.
    """
    shapes = tuple(_chain(graph, arrived, which, 44, lessons=False))
    at = next((f"g{k}" for k, step in enumerate(steps(graph)) if step.id == lit), "")
    look = (Look({"lit": (at,)}),) if at else ()
    return Scene("", 876, 130, shapes, tuple(Frame(sentence, look) for sentence in sentences))


def training(
    fit: Fit, backward: Callable[[Any], Gradients], start: float = 0.0, rate: float = 0.02, many: int = 20
) -> Figure:
    """The figure of a program that learns with somebody's engine: a frame for each step.

    Args:
        fit: the program.
        backward: the engine, from a graph to the gradient of each node by its id.
        start: the number that is fitted, before the first step.
        rate: the learning rate. many: how many steps.

    Raises:
        TypeError: the engine gives no number for the one that is fitted.
    """
    runs = list(_runs(fit, backward, start, rate, many))
    name, given, measured = fit.names
    first, last, n = runs[0], len(fit.x) - 1, len(fit.x)
    cell = 66.0
    shapes: list[Shape] = []
    for y, label, numbers, id in ((TOP, given, fit.x, "x"), (TOP + TALL + 2, measured, fit.y, "y")):
        shapes.append(draw.text(LEFT, y + 22, label, "mono strong", draw.NUMBER))
        shapes += [_box(f"{id}{k}", 100 + k * (cell + 2), y, cell, spell(value), "lit" * (k == last))
                   for k, value in enumerate(numbers)]  # fmt: skip
    right = 100 + n * (cell + 2) + 24
    once, memory = f"stored once, read {n} times", "01 memory"
    shapes += [draw.text(right, TOP + 22, name, "mono strong", draw.NUMBER),
               _box("w", right + 24, TOP, 84, spell(first.w, 3)),
               draw.text(right, TOP + 54, once, "muted", 14),
               _leading(draw.text(right, TOP + 72, memory, "muted", 14, id="l")),
               _leading(draw.text(right + draw.width(memory, 14) + 12, TOP + 72, "03 stride 0", "muted", 14, id="m"))]
    shapes += _chain(first.graph, first.arrived, last, CHAIN + 12, lessons=True)
    y = CHAIN + 134
    shapes.append(draw.text(LEFT, y - 8, f"what each {fit.of} sends back to {name}", "grad-ink strong", 14))
    shapes.append(draw.text(LEFT, y + 22, f"{name}.grad", "mono strong", draw.NUMBER))
    shapes += [_box(f"c{k}", 100 + k * (cell + 2), y, cell, "", f"grad{' lit' * (k == last)}") for k in range(n)]
    shapes += [draw.text(right - 20, y + 22, "=", "mono", 18), _box("total", right + 4, y, 104, "", "grad lit")]
    shapes += [draw.text(LEFT, y + 70, "", "mono strong", draw.NUMBER, id="update"),
               draw.text(LEFT, y + 96, "", "mono muted", draw.LABEL, id="losses")]  # fmt: skip
    frames = tuple(Frame(_sentence(run, fit), (_look(runs, k, name, rate, n),)) for k, run in enumerate(runs))
    links = {f"{id}{k}": Link(tuple(f"{other}{k}" for other in "xyc"), (k + 1,)) for id in "xyc" for k in range(n)}
    family = Links((f"{fit.of} ", 0, f": what was measured, and what it sends to {name}"), links)
    parts = {f"l{k}": Link((f"l{k}", f"v{k}", f"g{k}"), (step.part, step.lesson, LESSONS[step.lesson]))
             for k, step in enumerate(steps(first.graph))}  # fmt: skip
    parts["l"] = Link(("l", "w"), ("one slot of memory", "01", LESSONS["01"]))
    parts["m"] = Link(("m", "w"), ("read with stride 0", "03", LESSONS["03"]))
    told = Links((0, ": lesson ", 1, ", ", 2, ". Enter or a click opens it."), parts)
    pages = {id: page_of(link.args[1]) for id, link in parts.items()}
    rows = tuple(tuple(f"{id}{k}" for k in range(n)) for id in "xyc")
    about = tuple(f"{step.caption}: {step.part}, lesson {step.lesson}" for step in steps(first.graph))
    return Figure(Scene("; ".join(fit.lines), 876, y + 112, tuple(shapes), frames, (family, told),
                        (rows, (tuple(parts),)), still=1 if many > 1 else 0, about=about, pages=pages,
                        note=f"in boxes of {fit.of}s: the lit one; in the others: one number for all"))  # fmt: skip


class Run(NamedTuple):
    """One step: the number before, its record, the gradients, the loss, and the number after."""

    number: int
    w: float
    graph: Recorded
    arrived: Gradients
    loss: float
    after: float


def _runs(fit: Fit, backward: Callable[[Any], Gradients], w: float, rate: float, many: int) -> Iterator[Run]:
    for number in range(1, many + 1):
        graph = fit.run(w)
        found = backward(graph)
        mine = found.get("%1") if isinstance(found, dict) else None
        if not isinstance(mine, Tensor) or mine.numel() != 1:
            was = f"backward(graph) is {shown(found):.60}"
            name = fit.names[0]
            rule = f"an engine gives a dict, in which the gradient of {name}, a tensor of one number, is at '%1'"
            raise ArgumentTypeError(was, rule, "check.backward(backward) says what is missing")
        arrived = engine(graph) | {id: value for id, value in found.items() if value is not None}
        after = w - rate * float(arrived["%1"])
        yield Run(number, w, graph, arrived, graph.result.item(), after)
        w = after


def _sentence(run: Run, fit: Fit) -> str:
    name, n = fit.names[0], len(fit.x)
    sent, after = spell(float(run.arrived["%1"]), 4), spell(run.after, 3)
    back = f"{n} {fit.of}s send their parts to the one {name}, in all {sent}"
    return f"Step {run.number}: {back}; {name} goes on to {after}."


def _look(runs: Sequence[Run], k: int, name: str, rate: float, n: int) -> Look:
    run, sets = runs[k], {}
    for place, step in enumerate(steps(run.graph)):
        sets[f"v{place}t", "text"] = _value(run.graph[step.id], n - 1)
        sets[f"g{place}t", "text"] = _of(run.arrived.get(step.id), n - 1)
    stretched: Node = next(node for node in run.graph if node.kind == "expand")
    for place in range(n):
        sets[f"c{place}t", "text"] = spell(float(run.arrived[stretched.id].reshape(-1)[place]), 3)
    total = spell(float(run.arrived["%1"]), 4)
    sets["wt", "text"], sets["totalt", "text"] = spell(run.w, 3), total
    sets["update", "text"] = f"{name} - {rate:g} · ({total}) ≈ {spell(run.after, 3)}"
    some = [*runs[max(0, k - 1) : k + 5]]
    sets["losses", "text"] = "loss " + " → ".join(spell(one.loss, 4) for one in some)
    return Look(sets=sets)

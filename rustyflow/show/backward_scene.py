"""The backward figure: what stands where. What happens, and the words for it, are in backward.py."""

from collections.abc import Sequence
from typing import Any

from ..ir import Graph, Node
from ..ir.text import clean
from ..scene import Link, Links, Shape, draw
from .backward_origin import Origin
from .dag import LEFT, RIGHT, WIDEST, Dag, called, panel, room_for, shaped, written
from .faces import flow

INSPECTOR, LEDGER, PANEL = 524, 272, 116
"""Widths of the two panels, and their height."""

PIECES = 10
"""How many differently coloured pieces a formula has."""

MARKS = {"seed": "s", "vjp": "v", "sum_to": "Σ", "accumulate": "+", "free": "f"}


class Picture:
    """The graph with room for values and gradients, the inspector and the ledger, the tape, the origins of numbers.

    Attributes the story reads: `graph`, `dag`, `number` (of each node id), `origins` (for each leaf small enough).
    """

    def __init__(
        self, made: Graph, title: str, events: Sequence[str], gradients: dict[str, Any], origins: dict[str, Origin]
    ):
        self.graph, self.title, self.gradients, self.origins = made, title, gradients, origins
        self.number = {node.id: k for k, node in enumerate(made.nodes)}
        for self.longest in (16, 11):
            self.dag = Dag(made, self._size, LEFT, 50, WIDEST - LEFT)
            if self.dag.across:
                break
        self.width = max(860.0, self.dag.right + 24)
        y = self.dag.bottom + 16
        self.tape_at = y + PANEL + 10
        self.height = self.tape_at + 34
        arrows = self.dag.arrows(lambda a, b: made[b].kind == "expand")
        self.shapes = (
            *draw.title(title, y=32), *arrows, *(self._box(node) for node in made), *self._panels(y),
            *(self._origin(k, origin, y) for k, origin in enumerate(origins.values())), *self._tape(events),
        )  # fmt: skip

    def name(self, node: Node) -> str:
        """How sentences call a node: by the program's name, else by its operation if that is unique, else by its id."""
        if node.name:
            return clean(node.name)
        alike = sum(other.op == node.op and other.kind == node.kind for other in self.graph)
        return node.op if alike == 1 and node.kind == "op" else node.id

    def value(self, node: Node) -> str:
        """A node's value, as its box shows it."""
        return written(node.out, self.longest) or shaped(node)

    def gradient(self, node: Node) -> str:
        """A node's whole gradient, as its box shows it."""
        if node.id not in self.gradients:
            return "no gradient"
        return written(self.gradients[node.id], self.longest) or f"grad {shaped(node)}"

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(self._times(node)) - 4, 27
        return room_for(self._first(node), self.value(node), self.gradient(node), "not yet"), 64

    def _first(self, node: Node) -> str:
        return f"{node.op} {clean(node.name)}" if node.kind == "op" and node.name else self.name(node)

    def _times(self, node: Node) -> str:
        before, after = 1, 1
        for n in self.graph[node.operands[0]].shape or ():
            before *= n
        for n in node.shape or ():
            after *= n
        return f"×{after // max(1, before)}, stride 0"

    def _box(self, node: Node) -> Shape:
        at, k = self.dag.places[node.id], self.number[node.id]
        if node.kind == "expand":
            words = draw.text(at.w / 2, 18, self._times(node), "mono muted", 15, "middle", room=at.w - 6)
            return draw.group(f"n{k}", panel(at.w, at.h, "dashed", 4), words, at=(at.x, at.y))
        round_ = 20 if node.kind in ("leaf", "parameter", "constant", "input") else 6
        ink = "grad-ink" if node.id in self.gradients else "muted"
        lines = [
            draw.text(at.w / 2, 19, self._first(node), "mono strong", 16, "middle", room=at.w - 10),
            draw.text(at.w / 2, 38, self.value(node), "mono value-ink", 15, "middle", id=f"v{k}", room=at.w - 8),
            draw.text(at.w / 2, 57, self.gradient(node), f"mono {ink}", 15, "middle", id=f"g{k}", room=at.w - 8),
        ]
        return draw.group(f"n{k}", panel(at.w, at.h, "dashed" if node.is_view else "", round_), *lines, at=(at.x, at.y))

    def _panels(self, y: float) -> list[Shape]:
        """The inspector (the rule in symbols, then in numbers) and the ledger of the gradient that grows."""
        pieces = [(f"p{i}", "") for i in range(PIECES)]
        inspector = draw.group(
            "ins", panel(INSPECTOR, PANEL), draw.text(16, 27, "", "mono strong", 16, id="i0"),
            draw.text(16, 52, "", "mono muted", 16, id="i1"), flow(*pieces, x=16, y=80, size=18),
            draw.text(16, 104, "", "muted", 15, id="i3"), cls="aside off", at=(LEFT, y),
        )  # fmt: skip
        rows = [draw.text(16, 27, "", "mono strong", 16, id="l0")]
        for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong"))):
            rows.append(draw.text(16, 53 + 25 * k, "", "muted", 15, id=f"{id}w"))
            rows.append(draw.text(LEDGER - 16, 53 + 25 * k, "", ink, 16, "end", id=id))
        notes = (
            "blue: values, computed forward",
            "orange: gradients, sent backward",
            "a gradient that has not arrived is not 0: it is not there yet",
            "the events: s seed, v vjp, Σ sum_to, + accumulate, f free",
        )
        words = [
            draw.text(0, 22 + 26 * k, note, ink, 16)
            for k, (note, ink) in enumerate(zip(notes, ("value-ink", "grad-ink", "muted", "muted"), strict=True))
        ]
        ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(RIGHT - LEDGER, y))
        return [inspector, ledger, draw.group("leg", *words, at=(LEFT, y))]

    def _tape(self, events: Sequence[str]) -> list[Shape]:
        """The events in order, each by its mark."""
        if not events:
            return []
        pitch = min(31.0, (RIGHT - LEFT) / len(events))
        shapes = [
            draw.cell(f"z{k}", LEFT + k * pitch, self.tape_at, MARKS[kind], "", pitch - 2, 24, min(16, pitch * 0.7))
            for k, kind in enumerate(events)
        ]
        return shapes

    def _origin(self, k: int, origin: Origin, y: float) -> Shape:
        """The numbers that a leaf's gradient is made of; hidden until the leaf is pointed at."""
        parts = [panel(RIGHT - LEFT, PANEL), *origin.draw(k)]
        parts.append(
            flow((f"o{k}a", "muted"), (f"o{k}b", "grad-ink strong"), (f"o{k}c", "lit-ink"), x=16, y=106, size=16)
        )
        return draw.group(f"o{k}", *parts, cls="aside off", at=(LEFT, y))

    def links(self) -> tuple[Links, ...]:
        """Boxes say what they hold; leaves open the origin of their gradient; its cells light what made them."""
        plain, leaves = {}, []
        opened = {id: k for k, id in enumerate(self.origins)}
        for node in self.graph:
            id = f"n{self.number[node.id]}"
            lights = (id, *self.dag.touching(node.id))
            if node.id in opened:
                k = opened[node.id]
                leaves.append(self._opens(k, id, lights, node))
                leaves.append(self._cells(k, node))
            else:
                plain[id] = Link(lights, (self._says(node),))
        return (Links((0,), plain), *leaves)

    def _says(self, node: Node) -> str:
        if node.kind == "expand":
            source = self.name(self.graph[node.operands[0]])
            return f"{source} is read again and again here: backward sums over the copies."
        has = f"its value is {self.value(node)}" if written(node.out, 16) else f"its shape is {list(node.shape or ())}"
        if node.id not in self.gradients:
            return f"{self.name(node)} is untracked: {has}, and no gradient flows to it."
        rule = (
            f"{node.op}: {node.formula.split('  ')[0]}; " if node.kind == "op" and node.formula else f"{called(node)}: "
        )
        return f"{rule}{has}, and in the end its gradient is {self.gradient(node)}."

    def _opens(self, k: int, id: str, lights: tuple[str, ...], node: Node) -> Links:
        says = f"{self.name(node)}.grad is {self.gradient(node)}: point at one of its numbers to see what made it."
        return Links((0,), {id: Link(lights, (says,))}, {(f"o{k}b", "text"): ""}, self._shown(k))

    def _cells(self, k: int, node: Node) -> Links:
        links = {}
        for number, (lights, products, total, says) in enumerate(self.origins[node.id].terms(k)):
            name = f"{self.name(node)}.grad{says}"
            sentence = f"{name} = {products} = {total}" if products else f"{name} = {total}"
            boxes = (f"n{self.number[node.id]}",)
            links[f"o{k}q{number}"] = Link((*lights, *boxes), (f"{name} = ", products, f" = {total}", sentence))
        sets = {(f"o{k}{part}", "text"): (i,) for i, part in enumerate("abc")}
        return Links((3, self.origins[node.id].why), links, sets, self._shown(k))

    def _shown(self, k: int) -> dict[str, tuple[str, ...]]:
        return {"-off": (f"o{k}",), "off": ("ins", "led", "leg")}

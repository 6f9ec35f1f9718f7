"""The backward figure: what stands where. What happens, and the words for it, are in backward.py."""

from collections.abc import Sequence
from typing import Any

from ..ir import Graph, Node
from ..ir.text import clean
from ..scene import Link, Links, Look, Shape, draw
from ..scene.measure import shorten, width
from .backward_origin import Origin
from .dag import (
    LEFT,
    LOW,
    OPEN,
    RIGHT,
    TOP,
    WIDEST,
    Dag,
    called,
    panel,
    repeated,
    room_for,
    shaped,
    small_box,
    written,
)  # fmt: skip
from .faces import flow
from .formula import computed, names_of, put
from .window import Window

INSPECTOR, LEDGER, PANEL, TAPE = 560, 240, 108, 34
"""Widths of the two panels, and their height; the height of the tape, with the room under it."""

SEEN = LOW - TOP - 12 - TAPE - PANEL - 6
"""Up to so tall a graph is drawn at once, three boxes under each other; the height of a window on a larger one."""

EVENTS, LONG = 90, 500
"""Up to so many events of backward are drawn at once, and so many told one by one."""

PIECES, SIZE = 10, 16.5
"""How many differently coloured pieces a formula has; its font size."""

LINE = int((INSPECTOR - 32) / width("0", SIZE, mono=True))
"""The characters of a formula that fit into one line."""

MARKS = {"seed": "s", "vjp": "v", "sum_to": "Σ", "accumulate": "+", "hook": "h", "free": "f"}


class Picture:
    """The graph with room for values and gradients, the inspector and the ledger, the tape, the origins of numbers.

    Attributes the story reads: `graph`, `dag`, `number` (of each node id), `origins` (for each leaf small enough).
    """

    def __init__(
        self, made: Graph, title: str, events: Sequence[str], gradients: dict[str, Any], origins: dict[str, Origin]
    ):
        self.graph, self.title, self.gradients, self.origins = made, title, gradients, origins
        self.number = {node.id: k for k, node in enumerate(made.nodes)}
        large = len(made) > OPEN or len(events) > EVENTS
        self.window = None
        for self.longest in () if large else (16, 11, 8):
            self.dag = Dag(made, self._size, LEFT, TOP, WIDEST - LEFT)
            if self.dag.right <= WIDEST and self.dag.bottom <= TOP + SEEN:
                break
        else:
            self.longest = 12
            self.dag = Dag(made, self._size)
            self.window = Window(self.dag, self.number, title, SEEN)
        self.width = 860.0 if self.window else max(860.0, self.dag.right + 24)
        self.tape_at = (self.window or self.dag).bottom + 12
        y = self.tape_at + TAPE
        self.opens = [self._opened(k, origin) for k, origin in enumerate(origins.values())]
        lows = [at + o.height for (at, _), o in zip(self.opens, origins.values(), strict=True)]
        self.height = max([y + PANEL, *lows]) + 6
        graph = (*self.dag.arrows(lambda a, b: made[b].kind == "expand"), *(self._box(node) for node in made))
        whole = (*draw.title(title, y=32), draw.group("view", *graph))
        self.shapes = (
            *(self.window.draw(graph, gradients) if self.window else whole),
            *self._panels(y, events), *self._tape(events),
            *(self._origin(k, origin) for k, origin in enumerate(origins.values())),
        )  # fmt: skip

    def marks(self, *ids: str) -> tuple[str, ...]:
        """The marks of nodes on the map of a graph that is seen through a window."""
        return tuple(f"m{self.number[id]}" for id in ids) if self.window else ()

    def onto(self, *ids: str) -> Look:
        """The window on some nodes."""
        return Look(sets=self.window.onto(*ids)) if self.window else Look()

    def name(self, node: Node) -> str:
        """How sentences call a node: by the program's name, else by its operation if that is unique, else by its id."""
        if node.name:
            return clean(node.name)
        alike = sum(other.op == node.op and other.kind == node.kind for other in self.graph)
        return node.op if alike == 1 and node.kind == "op" else node.id

    def value(self, node: Node) -> str:
        """A node's value, as its box shows it."""
        return written(node.out, self.longest, True) or counted(node, "numbers")

    def gradient(self, node: Node) -> str:
        """A node's whole gradient, as its box shows it."""
        if node.id not in self.gradients:
            return "no gradient"
        return written(self.gradients[node.id], self.longest, True) or f"grad {counted(node, 'numbers')}"

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        return room_for(self._first(node), self.value(node), self.gradient(node), "not yet"), 58

    def _first(self, node: Node) -> str:
        name = self.name(node)
        return f"{node.op} {name}" if node.kind == "op" and name != node.op else name

    def _box(self, node: Node) -> Shape:
        at, k = self.dag.places[node.id], self.number[node.id]
        if node.kind == "expand":
            return small_box(f"n{k}", at, repeated(self.graph, node))
        round_ = 20 if node.kind in ("leaf", "parameter", "constant", "input") else 6
        ink = "grad-ink" if node.id in self.gradients else "muted"
        lines = [
            draw.text(at.w / 2, 18, self._first(node), "mono strong", 16, "middle", room=at.w - 10),
            draw.text(at.w / 2, 35, self.value(node), "mono value-ink", 15, "middle", id=f"v{k}", room=at.w - 8),
            draw.text(at.w / 2, 52, self.gradient(node), f"mono {ink}", 15, "middle", id=f"g{k}", room=at.w - 8),
        ]
        return draw.group(f"n{k}", panel(at.w, at.h, "dashed" if node.is_view else "", round_), *lines, at=(at.x, at.y))

    def _panels(self, y: float, events: Sequence[str]) -> list[Shape]:
        """The inspector (the rule in symbols, then in numbers) and the ledger of the gradient that grows."""
        pieces = [(f"p{i}", "") for i in range(PIECES)]
        inspector = draw.group(
            "ins", panel(INSPECTOR, PANEL), draw.text(16, 25, "", "mono strong", 16, id="i0"),
            draw.text(16, 49, "", "mono muted", 16, id="i1"), flow(*pieces, x=16, y=74, size=SIZE),
            draw.text(16, 97, "", "muted", 15, id="i3"),
            flow(("r0", ""), ("r1", "grad-ink strong"), x=16, y=98, size=SIZE), cls="aside off", at=(LEFT, y),
        )  # fmt: skip
        rows = [draw.text(16, 25, "", "mono strong", 16, id="l0")]
        for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong"))):
            rows.append(draw.text(16, 49 + 24 * k, "", "muted", 15, id=f"{id}w"))
            rows.append(draw.text(LEDGER - 16, 49 + 24 * k, "", ink, 16, "end", id=id))
        notes = (
            "blue: values, computed forward",
            "orange: gradients, sent backward",
            "a gradient that has not arrived is not 0: it is not there yet",
            "the events: s seed, v vjp, Σ sum_to, + accumulate, f free" + ", h hook" * ("hook" in events),
        )
        words = [
            draw.text(0, 20 + 25 * k, note, ink, 16)
            for k, (note, ink) in enumerate(zip(notes, ("value-ink", "grad-ink", "muted", "muted"), strict=True))
        ]
        ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(RIGHT - LEDGER, y))
        return [inspector, ledger, draw.group("leg", *words, cls="aside", at=(LEFT, y))]

    def _tape(self, events: Sequence[str]) -> list[Shape]:
        """The events in order, each by its mark."""
        if not events:
            return []
        room = RIGHT - LEFT
        self.pitch = pitch = 31.0 if self.window else min(31.0, room / len(events))
        self.length = pitch * len(events)
        cells = [
            draw.cell(f"z{k}", k * pitch, 2, MARKS[kind], "", pitch - 2, 24, min(16, pitch * 0.7))
            for k, kind in enumerate(events)
        ]
        veil = Shape("rect", "veil", ("veil", "off"), (("width", self.length), ("height", 28), ("transform", "")))
        at = (("x", LEFT), ("y", self.tape_at - 2), ("width", room), ("height", 28))
        return [Shape("svg", "", ("window",), at, (draw.group("tape", *cells, veil, at=(0, 0)),))]

    def told(self, event: int) -> Look:
        """The tape with an event lit, and what comes after it behind a veil."""
        begins = max(0.0, min((event + 0.5) * self.pitch - (RIGHT - LEFT) / 2, self.length - (RIGHT - LEFT)))
        sets = {("veil", "transform"): draw.place((event + 1) * self.pitch - 1, 0)}
        if begins or self.window:
            sets["tape", "transform"] = draw.place(-round(begins, 1), 0)
        return Look({"lit": (f"z{event}",), "-off": ("veil",)}, sets)

    def _opened(self, k: int, origin: Origin) -> tuple[float, Look]:
        """Where the numbers are drawn that a leaf's gradient is made of, and what they stand in place of while the leaf
        is pinned: tape and inspector, and the graph too where they would not fit under it."""
        below = self.tape_at + origin.height + 6 <= LOW
        hidden = ("ins", "led", "leg", "tape") if below else ("ins", "led", "leg", "tape", "view")
        return self.tape_at if below else TOP, Look({"-off": (f"o{k}",), "off": hidden})

    def _origin(self, k: int, origin: Origin) -> Shape:
        """The numbers that a leaf's gradient is made of."""
        low, letter = origin.height, origin.letter
        symbols = draw.text(16, low - 40, "", "mono muted", 15, id=f"{letter}d")
        words = ((f"{letter}a", "muted"), (f"{letter}b", "grad-ink strong"), (f"{letter}c", "lit-ink"))
        numbers = flow(*words, x=16, y=low - 14, size=16)
        inner = (panel(RIGHT - LEFT, low), *origin.draw(), symbols, numbers)
        return draw.group(f"o{k}", *inner, cls="aside off", at=(LEFT, self.opens[k][0]))

    def links(self) -> tuple[Links, ...]:
        """Boxes say what they hold; pinned leaves open the origin of their gradient; its cells light what made them."""
        plain, leaves, marks, says = {}, [], {}, {"": (0,), "pinned": (1,)}
        moved = {("world", "transform"): (2,), ("win", "transform"): (3,)}
        opened = {id: k for k, id in enumerate(self.origins)}
        for node in self.graph:
            id = f"n{self.number[node.id]}"
            lights = (id, *self.marks(node.id), *self.dag.touching(node.id))
            at = tuple(self.window.onto(node.id).values()) if self.window else ()
            if node.id in opened:
                k = opened[node.id]
                name = f"{self.name(node)}.grad"
                args = (f"{name} {self._grown(node)}: click, or press Enter, to see where its numbers come from.",
                        f"{name} is made of the numbers right of it: "
                        "point at one of its own, or press ↓, to see how.")
                leaves.append(Links(says, {id: Link(lights, args)}, opens=self.opens[k][1]))
                mark = {mark: Link(lights, (*args, *at)) for mark in self.marks(node.id)}
                leaves += [Links(says, mark, moved, opens=self.opens[k][1])] if mark else []
                leaves.append(self._cells(k, node))
            else:
                plain[id] = Link(lights, (self._says(node),))
                marks |= {mark: Link(lights, (self._says(node), "", *at)) for mark in self.marks(node.id)}
        return (Links((0,), plain), *((Links((0,), marks, moved),) if marks else ()), *leaves)

    def _says(self, node: Node) -> str:
        if node.kind == "expand":
            source = self.name(self.graph[node.operands[0]])
            return f"{source} is read again and again here: backward sums over the copies."
        value = written(node.out, 16)
        has = f"its value is {value}" if value else f"its shape is {list(node.shape or ())}"
        if node.id not in self.gradients:
            return f"{self.name(node)} is untracked: {has}, and no gradient flows to it."
        rule = f"{node.op}: {self._ruled(node)}; " if node.kind == "op" and node.formula else f"{called(node)}: "
        return f"{rule}{has}, and in the end its gradient {self._grown(node)}."

    def _grown(self, node: Node) -> str:
        """What a whole gradient is, or what its shape is."""
        shown = written(self.gradients[node.id], self.longest)
        return f"is {shown}" if shown else f"has shape {list(node.shape or ())}"

    def _ruled(self, node: Node) -> str:
        """What a node computes, in the program's names."""
        return f"{self.name(node)} = {put(computed(node), names_of(self.graph, node, self.name))}"

    def _cells(self, k: int, node: Node) -> Links:
        links = {}
        origin = self.origins[node.id]
        for key, id, (name, symbols, products, total) in origin.sums():
            if id in links:  # shown once, where several gradients are the same
                continue
            cells, numbers = origin.behind(key)
            sentence = f"{name} = {products} = {total}." if products else f"{name} = {total}: backward began with it."
            if " + " in products:
                sentence = f"{sentence[:-1]}: added up, because it was read more than once."
            symbols = shorten(symbols and f"= {symbols}", RIGHT - LEFT - 32, 15, mono=True)
            args = (f"{name} = ", products, f" = {total}" if products else total, symbols, sentence)
            links[id] = Link((*cells, *self._boxes(numbers)), args)
        sets = {(f"o{k}{part}", "text"): (i,) for i, part in enumerate("abcd")}
        return Links((4,), links, sets, opens=self.opens[k][1])

    def _boxes(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """The boxes of nodes, by the numbers of their histories, with what is expanded and the arrows between them."""
        ids = {node.id for node in self.graph if getattr(node.history, "number", None) in numbers}
        ids |= {n.id for n in self.graph if n.kind == "expand" and n.operands[0] in ids and ids & {*self._users(n)}}
        boxes = tuple(f"n{self.number[id]}" for id in sorted(ids, key=self.number.__getitem__))
        edges = tuple(edge for edge, a, b, _ in self.dag.edges if a in ids and b in ids)
        return (*boxes, *self.marks(*ids), *edges)

    def _users(self, node: Node) -> set[str]:
        return {b for _, a, b, _ in self.dag.edges if a == node.id}


def counted(node: Node, what: str) -> str:
    """What stands for numbers too many to be written: their shape, or `6 numbers`, which nobody takes for a 6."""
    return f"{shaped(node)} {what}" if len(node.shape or ()) == 1 else shaped(node)

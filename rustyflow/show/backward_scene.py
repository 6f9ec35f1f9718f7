"""The backward figure: what stands where. What happens, and the words for it, are in backward_events.py."""

from collections.abc import Sequence

from ..ir import Node
from ..scene import Link, Links, Look, Shape, draw
from ..scene.measure import shorten, width
from .backward_boxes import Boxes
from .backward_origin import Origin
from .kit.dag import LEFT, LOW, RIGHT, TOP, called, panel
from .kit.line import flow
from .words.rule import computed, names_of, put

INSPECTOR, LEDGER, PANEL, TAPE = 516, 284, 108, 34
"""Widths of the two panels, and their height; the height of the tape, with the room under it."""

EVENT, LEAST, MORE = 31.0, 20.0, 84
"""The width of an event on the tape, and the least at which its mark can be read; room for how many are out of sight.
"""

SEEN = LOW - TOP - 12 - TAPE - PANEL - 6
"""Up to so tall a graph is drawn at once, three boxes under each other; the height of a window on a larger one."""

EVENTS, LONG = 90, 500
"""Up to so many events of backward are drawn at once, and so many told one by one."""

PIECES, SIZE = 10, 15.5
"""How many differently coloured pieces a formula has; its font size."""

LINE = int((INSPECTOR - 32) / width("0", SIZE, mono=True))
"""The characters of a formula that fit into one line."""

SYMBOLS = int((INSPECTOR - 32) / width("0", 15, mono=True))
"""The same for one in symbols."""

MARKS = {"seed": "s", "vjp": "v", "sum_to": "Σ", "accumulate": "+", "hook": "h", "free": "f"}


class Picture:
    """The boxes, the inspector and the ledger, the tape, the origins of numbers.

    Attributes the story reads: `boxes`, `dag`, `number` (of each node id), `origins` (for each leaf small enough).
    """

    def __init__(self, boxes: Boxes, title: str, events: Sequence[str], origins: dict[str, Origin]):
        self.boxes, self.title, self.origins = boxes, title, origins
        self.graph, self.gradients, self.number = boxes.graph, boxes.gradients, boxes.number
        self.dag, self.window, self.marks, self.name = boxes.dag, boxes.window, boxes.marks, boxes.name
        self.width = 860.0 if self.window else max(860.0, self.dag.right + 24)
        self.tape_at = boxes.bottom + 12
        y = self.tape_at + TAPE
        self.opens = [self._opened(k, origin) for k, origin in enumerate(origins.values())]
        lows = [at + o.height for (at, _), o in zip(self.opens, origins.values(), strict=True)]
        self.height = max([y + PANEL, *lows]) + 6
        graph = boxes.shapes()
        whole = (*draw.title(title, y=32), draw.group("view", *graph))
        self.shapes = (
            *(self.window.draw(graph, self.gradients) if self.window else whole),
            *self._panels(y, events), *self._tape(events),
            *(self._origin(k, origin) for k, origin in enumerate(origins.values())),
        )  # fmt: skip

    def _panels(self, y: float, events: Sequence[str]) -> list[Shape]:
        """The inspector (the rule in symbols, then in numbers) and the ledger of the gradient that grows."""
        pieces = [(f"p{i}", "") for i in range(PIECES)]
        inspector = draw.group(
            "ins", panel(INSPECTOR, PANEL), draw.text(16, 25, "", "mono strong", 16, id="i0"),
            *(draw.text(16, 49 + 24 * k, "", "mono muted", 15, id=f"i{k + 1}") for k in range(3)),
            flow(*pieces, x=16, y=74, size=SIZE), draw.text(16, 97, "", "muted", 15, id="i4"),
            flow(("r0", ""), ("r1", "grad-ink strong"), x=16, y=98, size=SIZE), cls="aside off", at=(LEFT, y),
        )  # fmt: skip
        rows = [draw.text(16, 25, "", "mono strong", 16, id="l0")]
        for k, (id, ink) in enumerate((("l1", "mono"), ("l2", "mono grad-ink"), ("l3", "mono grad-ink strong"))):
            rows.append(draw.text(16, 49 + 24 * k, "", "muted", 15, id=f"{id}w"))
            rows.append(draw.text(LEDGER - 16, 49 + 24 * k, "", ink, 16, "end", id=id))
        most = max((self.boxes.awaited(id) for id in self.gradients), default=0)
        notes = [
            ("blue: values, computed forward", "value-ink"),
            ("orange: gradients, sent backward", "grad-ink"),
            ("a gradient that has not arrived is not 0: it is not there yet", "muted"),
            (f"1 of {most}: of the {most} gradients that are added up there, 1 has come; it waits for all", "muted"),
            (f"the events: {', '.join(f'{mark} {kind}' for kind, mark in MARKS.items() if kind in events)}", "muted"),
        ]
        if most < 2:
            del notes[3]
        high = 110 / len(notes)
        words = [draw.text(0, high * (k + 0.7), note, ink, 16) for k, (note, ink) in enumerate(notes)]
        ledger = draw.group("led", panel(LEDGER, PANEL), *rows, cls="aside off", at=(RIGHT - LEDGER, y))
        return [inspector, ledger, draw.group("leg", *words, cls="aside", at=(LEFT, y))]

    def _tape(self, events: Sequence[str]) -> list[Shape]:
        """The events in order, each by its mark: all, or as many as can be read, and how many more there are."""
        if not events:
            return []
        room, self.events = RIGHT - LEFT, len(events)
        least = room / len(events)
        self.pitch = pitch = min(EVENT, least) if least >= LEAST else EVENT
        self.seen = len(events) if least >= LEAST else int((room - MORE) / EVENT)
        cells = [
            draw.cell(f"z{k}", k * pitch, 2, MARKS[kind], "", pitch - 2, 24, min(16, pitch * 0.7))
            for k, kind in enumerate(events)
        ]
        whole = (("width", pitch * len(events)), ("height", 28), ("transform", ""))
        veil = Shape("rect", "veil", ("veil", "off"), whole)
        size = (("width", round(pitch * self.seen, 1)), ("height", 28))
        at = (("x", LEFT), ("y", self.tape_at - 2), *size)
        seen = Shape("svg", "", ("window",), at, (draw.group("tape", *cells, veil, at=(0, 0)),))
        more = draw.text(RIGHT, self.tape_at + 17, self._more(0), "muted", draw.SMALL, "end", id="later")
        return [draw.group("strip", seen, more)]

    def _more(self, begins: int) -> str:
        """How many events are out of sight on the right."""
        later = self.events - self.seen - begins
        return f"{later} more ⋯" if later else ""

    def told(self, event: int) -> Look:
        """The tape with an event lit, and what comes after it behind a veil."""
        begins = max(0, min(event - self.seen // 2, self.events - self.seen))
        sets = {("veil", "transform"): draw.place((event + 1) * self.pitch - 1, 0)}
        if self.seen < self.events:
            sets |= {("tape", "transform"): draw.place(-begins * EVENT, 0), ("later", "text"): self._more(begins)}
        return Look({"lit": (f"z{event}",), "-off": ("veil",)}, sets)

    def _opened(self, k: int, origin: Origin) -> tuple[float, Look]:
        """Where the numbers are drawn that a leaf's gradient is made of, and what they stand in place of while the leaf
        is pinned: tape and inspector, and the graph too where they would not fit under it."""
        below = self.tape_at + origin.height + 6 <= LOW
        hidden = ("ins", "led", "leg", "strip") if below else ("ins", "led", "leg", "strip", "view")
        return self.tape_at if below else TOP, Look({"-off": (f"o{k}",), "off": hidden})

    def _origin(self, k: int, origin: Origin) -> Shape:
        """The numbers that a leaf's gradient is made of."""
        low, letter = origin.height, origin.letter
        symbols = draw.text(16, low - 40, "", "mono muted", 15, id=f"{letter}d")
        words = ((f"{letter}a", "muted"), (f"{letter}b", "grad-ink strong"), (f"{letter}c", "lit-ink"))
        numbers = flow(*words, (f"{letter}e", "muted"), x=16, y=low - 14, size=16)
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
        value = self.boxes.written([*node.outs], 16)
        has = f"its shape is {list(node.shape or ())}" if not node.labels else f"it has {len(node.labels)} results"
        has = f"its value is {value}" if value else has
        if node.id not in self.gradients:
            return f"{self.name(node)} is untracked: {has}, and no gradient flows to it."
        rule = f"{node.op}: {self._ruled(node)}; " if node.kind == "op" and node.formula else f"{called(node)}: "
        return f"{rule}{has}, and in the end its gradient {self._grown(node)}."

    def _grown(self, node: Node) -> str:
        """What a whole gradient is, or what its shape is."""
        grad = self.gradients[node.id]
        shown = self.boxes.written([part for part in grad if part is not None] if type(grad) is list else grad, 26)
        if not shown and node.labels:
            return "is one for each result that was read"
        return f"is {shown}" if shown else f"has shape {list(node.shape or ())}"

    def _ruled(self, node: Node) -> str:
        """What a node computes, in the program's names."""
        return f"{self.name(node)} = {put(computed(node), names_of(self.graph, node, self.name))}"

    def _cells(self, k: int, node: Node) -> Links:
        links = {}
        origin = self.origins[node.id]
        for key, id, (name, symbols, products, equals, total) in origin.sums():
            if id in links:  # shown once, where several gradients are the same
                continue
            cells, numbers = origin.behind(key)
            further = origin.further(key)
            sentence = f"{name} = {products} {equals} {total}."
            summed = "added up, because it was read more than once"
            if not products:
                why = "backward began with it" if origin.began(key) else "all that would lead to it is multiplied by 0"
                sentence = f"{name} = {total}: {why}."
            elif " + " in products:
                sentence = f"{sentence[:-1]}: {summed}{f'; {further}' if further else ''}."
            elif further:
                sentence = f"{sentence[:-1]}: {further}, {summed}."
            symbols = shorten(symbols and f"= {symbols}", RIGHT - LEFT - 32, 15, mono=True)
            args = (f"{name} = ", products, f" {equals} {total}" if products else total, symbols, sentence)
            room = RIGHT - LEFT - 32 - width("".join(args[:3]), 16, mono=True)
            args += (shorten(further and f"    {further}", room, 16, mono=True),)
            links[id] = Link((*cells, *self._boxes(numbers)), args)
        sets = {(f"o{k}{part}", "text"): (i,) for i, part in enumerate("abcd")} | {(f"o{k}e", "text"): (5,)}
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

"""The picture of a graph: boxes and arrows, a line of text for each, and cards."""

import re
from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import Any

from ...ir import Graph, Node
from ...ir.text import clean, label
from ...scene import Link, Links, Look, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import shorten, width
from ...scene.scene import READ
from ..kit.dag import LOW, OPEN, TOP, WIDEST, Dag, panel, repeated, room_for, small_box
from ..kit.opens import Opened
from ..kit.past import as_it_was
from ..kit.story import Story
from ..kit.window import Window
from ..words.graph import FONT, Words, counts
from ..words.nodes import Voice, called, changed, shaped
from ..words.sentences import arriving

STORY = 14
"""Up to so many nodes each has a step of its own, else each operation."""

ROW, LINES = 17, 7
"""Height of a line of text, and how many there is room for below the tallest graph; a card has as many as are seen."""

CARD = 308
"""The width of the card, which stands beside the lines of text; one for longer rules stands on all of them."""

CARDS = {"c": "card", "d": "wide"}
"""The letter of the lines of each card, and its id."""

ARRAY = 11
"""The characters that an array may have in a box."""

SEEN, VIEW = 208, 200
"""The height of four boxes under each other, and of a window."""

TALLEST, MANY = 440, 18
"""Up to so tall a graph is drawn at once: four boxes under each other, which a projector shows whole, or more, of which
it shows the part that is told; a window on a larger graph has the height of four. Of so many lines of text all are seen
under a graph that is taller than a projector shows."""


class GraphPicture:
    """Text, boxes and the card of one graph."""

    def __init__(self, program: Graph, title: str):
        self.graph, self.title, self.words = program, title, Words(program)
        self.lines = program.text(limit=None).splitlines()
        self.number = {node.id: k for k, node in enumerate(program.nodes)}
        self.kept = {s.ref for node in program for s in node.saved if not s.freed}
        self.window: Window | None = None
        said, told = self._values(), {node.id: "" for node in program}
        ways = (said, SEEN, 14), (said, SEEN, 6), (told, SEEN, 14), (told, SEEN, 6), (told, TALLEST, 14)
        for self.values, tall, down in ways if len(program) <= OPEN else ():
            self.dag = Dag(program, self._size, LEFT, TOP, WIDEST - LEFT, down)
            if self.dag.right <= WIDEST and self.dag.bottom <= TOP + tall:
                break
        else:
            self.values = told
            self.dag = Dag(program, self._size, down=18)
            self.window = Window(self.dag, self.number, VIEW)
        self.right = WIDEST if self.window else max(RIGHT, 8 * ceil(self.dag.right / 8))
        self.wide, self.width = self.right - LEFT, self.right + LEFT
        self.room = self.wide - CARD - 16
        self.broken, self.rows = self._broken()
        y = (self.window or self.dag).bottom + 6
        low = room = max(LINES, int((LOW - 8 - y) / ROW))
        room = self.rows[-1] if self.rows[-1] <= MANY and self.dag.bottom > TOP + SEEN and not self.window else room
        self.seen = room if self.rows[-1] <= room else room - 1  # the last line says how much is not seen
        self.facts = {node.id: self.words.facts(node, CARD, self.wide) for node in program}
        most = max(len(lines) for *_, lines in self.facts.values())
        self.deep = max(LINES, min(self.rows[-1], room), min(most, low))
        self.height = y + ROW * self.deep + 8
        arrows = self.dag.arrows(lambda a, b: program[b].is_view or program[b].kind == "expand")
        graph = (*arrows, *(self._box(node) for node in program))
        self.note, drawn = counts(program), self.window.draw(graph) if self.window else graph
        self.shapes = (*drawn, *self._text(y), self._card("c", CARD, y), self._card("d", self.wide, y))

    def _ids(self, k: int) -> tuple[str, ...]:
        """Returns the ids of a node's box, its line, and its mark on the map of a large graph."""
        return (f"n{k}", f"t{k}", f"m{k}") if self.window else (f"n{k}", f"t{k}")

    def _lit(self, nodes: Sequence[Node]) -> Look:
        """Returns the look in which nodes and the arrows to their readers are lit, the first of them in sight."""
        if not nodes:
            return Look()
        ids = [node.id for node in nodes]
        arrows = [edge for edge, source, _, _ in self.dag.edges if source in ids]
        boxes = [id for node in nodes for id in self._ids(self.number[node.id])]
        return Look({"lit": (*boxes, *arrows)}, self._lines_at(self.number[ids[0]]) | self._onto(*ids))

    def _lines_at(self, k: int) -> dict[tuple[str, str], str]:
        """Returns what a state sets to bring a node's line into sight, and to count the lines out of sight."""
        row, last = self.rows[k], self.rows[-1] - self.seen
        if last <= 0:
            return {}
        first = last if row >= last else min(last, max(0, row - self.seen // 2))
        return {("lines", "transform"): draw.place(0, -ROW * first), ("more", "text"): self._more(first)}

    def _onto(self, *ids: str) -> dict[tuple[str, str], str]:
        """Returns what a state sets to bring nodes into sight, where not all are."""
        return self.window.onto(*ids) if self.window else {}

    def _text(self, y: float) -> tuple[Shape, Shape]:
        """Draws as many lines as there is room for, and says how many more there are."""
        size = (("width", self.wide), ("height", ROW * self.seen + 1))
        lines = draw.group("lines", *self._lines(), at=(0, 0))
        seen = Shape("svg", "", ("window",), (("x", LEFT), ("y", y), *size), (lines,))
        return seen, draw.text(LEFT, y + ROW * self.seen + 16, self._more(0), "muted", id="more")

    def _broken(self) -> tuple[list[list[str]], list[int]]:
        """Returns the lines, broken where they would run under the card, and the row in which each begins."""
        most, lines = int(self.room / width("0", FONT, mono=True)), self.lines
        if any(len(line) > most for line in lines):  # then a column of its own for the types costs rows
            lines = [re.sub(" +: ", " : ", line) for line in lines]
        bound = (re.sub(r"\[[^]]*\]|(saved)?: ", lambda match: match[0].replace(" ", "\xa0"), line) for line in lines)
        parts = (wrap(line, most, subsequent_indent=" " * 8, break_long_words=False) for line in bound)
        broken = [[part.replace("\xa0", " ") for part in line] for line in parts]
        rows = [0]
        for line in broken:
            rows.append(rows[-1] + len(line))
        return broken, rows

    def _more(self, first: int) -> str:
        """Says how many lines are out of sight."""
        above, below = first, self.rows[-1] - self.seen - first
        counts = [f"{n} more {where}" for n, where in ((above, "above"), (below, "below")) if n > 0]
        return "⋯ " + ", ".join(counts) if counts else ""

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        lines = (self._first(node), draw.NUMBER), (self.values[node.id], draw.NUMBER), (self._second(node), FONT)
        wide = max(width(line, size, mono=True) + 18 for line, size in lines)
        return min(200.0, max(60.0, wide)), 66 if self.values[node.id] else 46

    def _values(self) -> dict[str, str]:
        """Returns the numbers of nodes with few, as their boxes show them."""
        graph = as_it_was(self.graph) if len(self.graph) <= OPEN else self.graph
        voice = Voice(graph)
        return {node.id: "" if changed(node) or any(out is None for out in node.outs) else voice.tight(node.outs, ARRAY)
                for node in graph}  # fmt: skip

    def _second(self, node: Node) -> str:
        """Returns a node's shape, in brackets, and which of its results are kept.

        A bare 2 would read as a value.
        """
        parts = dict.fromkeys(value.shape for value in node.results[: None if node.labels[:1] == ("0",) else 1])
        shape = ", ".join(map(str, map(list, parts))) if all(parts) else shaped(node)
        kept = [ref.partition(".")[2] for ref in node.refs if ref in self.kept]
        whose = [label for label in kept if label not in ('', *node.labels[:1]) and not label.isdigit()]
        alone = whose and node.labels[0] not in kept
        return f"{shape}, {' and '.join(whose)} kept" if alone else shape + ", kept" * bool(kept)

    def _first(self, node: Node) -> str:
        name = f" {label(node)}" if any(node.names) else ""
        return node.op + name if node.kind == "op" else clean(called(node))

    def _box(self, node: Node) -> Shape:
        at = self.dag.places[node.id]
        if node.kind == "expand":
            return small_box(f"n{self.number[node.id]}", at, repeated(self.graph, node))
        cls = f"node{' dashed' * node.is_view}"
        value = self.values[node.id]
        inner = [
            panel(at.w, at.h, cls, 12 if node.kind in ("leaf", "parameter", "constant", "input") else 6),
            draw.text(at.w / 2, 20, self._first(node), "mono strong", draw.NUMBER, "middle", room=at.w - 10),
            *([draw.text(at.w / 2, 40, value, "mono", draw.NUMBER, "middle", room=at.w - 10)] if value else []),
            draw.text(at.w / 2, at.h - 8, self._second(node), "mono muted", FONT, "middle", room=at.w - 10),
        ]
        return draw.group(f"n{self.number[node.id]}", *inner, at=(at.x, at.y))

    def _lines(self) -> list[Shape]:
        shapes = []
        for k, (parts, row) in enumerate(zip(self.broken, self.rows, strict=False)):
            node, y = k < len(self.graph), 14 + ROW * row
            cls, id = ("mono", f"t{k}") if node else ("mono muted", "")
            shape = draw.text(0, y, parts[0], cls, FONT, id=id)
            if parts[1:]:
                lines = enumerate(parts)
                shape = shape._replace(text="", children=tuple(
                    Shape("tspan", "", (), (("x", 0), ("y", y + ROW * n)), (), part) for n, part in lines))  # fmt: skip
            shapes.append(shape)
        return shapes

    def _card(self, letter: str, wide: float, y: float) -> Shape:
        """A card at the right: a heading, PyTorch's name, what is kept, the rules."""
        texts = [draw.text(16, 22, "", "mono strong", draw.NUMBER, id=f"{letter}0")]
        for k in range(1, self.deep):
            texts.append(draw.text(16, 22 + ROW * k, "", "muted" if k < 3 else "mono", FONT, id=f"{letter}{k}"))
        parts = panel(wide, ROW * self.deep + 6), *texts
        return draw.group(CARDS[letter], *parts, cls="aside off", at=(self.right - wide, y))

    def _card_of(self, node: Node) -> tuple[str, tuple[str, ...]]:
        """Returns the letter of the card that a node needs, and its lines."""
        small, wide = self.facts[node.id]
        letter, lines = ("c", small) if small and len(small) <= self.deep else ("d", wide)
        if len(lines) > self.deep and lines[2] and width(both := f"{lines[1]}; {lines[2]}", FONT) <= self.wide - 30:
            lines = [lines[0], both, *lines[3:]]
        if len(lines) > self.deep:
            lines = [*lines[: self.deep - 1], f"{lines[self.deep - 1]} …"]
        return letter, tuple([*lines, *[""] * self.deep][: self.deep])

    def _links(self) -> tuple[Links, ...]:
        """Lets a box and its line of text light each other, and fill a card.

        The box lights with all its arrows, the line with the arrows from what it reads.

        Where not all is seen at once each brings the other into sight, and a mark on the map both.
        """
        links: dict[tuple, dict[str, Link]] = {}  # families, each of those that set the same
        for k, node in enumerate(self.graph):
            letter, lines = self._card_of(node)
            room = (CARD if letter == "c" else self.wide) - 30
            sizes = (draw.NUMBER if n == 0 else FONT for n in range(len(lines)))
            card = {(f"{letter}{n}", "text"): shorten(line, room, size, n == 0 or n > 2, n == 0)
                    for n, (line, size) in enumerate(zip(lines, sizes, strict=True))}  # fmt: skip
            sentence, line, box = self.words.sentence(node), self._lines_at(k), self._onto(node.id)
            for id, moved in zip(self._ids(k), (line, box, line | box), strict=False):
                arrows = self.dag.touching(node.id) if id[0] == "n" else self.dag.into(node.id)
                link = Link((*self._ids(k), *arrows), (sentence, *card.values(), *moved.values()))
                links.setdefault((CARDS[letter], *card, *moved), {})[id] = link
        return tuple(
            Links((0,), family, {target: (n,) for n, target in enumerate(targets, 1)}, {"-off": (card,)})
            for (card, *targets), family in links.items()
        )

    def opening(self, it: Opened) -> dict[str, Any]:
        """Returns what the boxes, their lines and their marks open into."""
        boxes = [it.box(node, False) for node in self.graph]
        return {id: box for k, box in enumerate(boxes) for id in self._ids(k)}

    # -- the story ---------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """Tells the whole, then node after node as the program ran, then what is shared."""
        nodes, story = self.graph.nodes, Story()
        box = f": each line of text with = is a box of the picture{', which is seen in part' if self.window else ''}"
        up = arriving(self.words.taken)
        arrives = f" In rules {up} is the gradient that arrives, for g is the program's." if up != "g" else ""
        story.tell(f"{self.words.begins()}{box}.{arrives}", picture=box)
        for k in range(len(nodes)):
            story.later(f"{k}", coming=self._ids(k))
        for k, node in enumerate(nodes):
            if len(nodes) <= STORY or node.kind == "op":
                told, seen = map(str, range(k + 1)), Look(sets=self._lines_at(k))
                story.tell(self.words.sentence(node), *told, link=f"{'m' if self.window else 't'}{k}", looks=(seen,))
        shared = [node for node in nodes if len(self.graph.users(node.id)) > 1]
        story.tell(self.words.shared(shared), *map(str, range(len(nodes))), looks=(self._lit(shared),))
        boxes, lines = ([f"{kind}{k}" for k in range(len(nodes))] for kind in ("m" if self.window else "n", "t"))
        return Scene(
            self.title, self.width, self.height, self.shapes, tuple(story.frames), self._links(),
            ((tuple(boxes),), tuple((line,) for line in lines)), still=0, about=tuple(self.lines),
            least=READ if self.height > LOW + 1 else Scene.least, note=self.note,
        )  # fmt: skip

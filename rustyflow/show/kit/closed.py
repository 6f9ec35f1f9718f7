"""The picture of a model's graph: closed boxes, and under them what is in the open one.

Each level stands in its place under the one around it, and is seen while one stands on what opens it, or in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...claims.claim import equation
from ...claims.digits import spell
from ...ir import Graph, Node
from ...ir.node import owner
from ...ir.text import clean
from ...scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ...scene.draw import LABEL, LEFT, NUMBER, WIDE
from ...scene.measure import width
from ...unfold import World
from ..words.graph import Words, counts
from ..words.nodes import Voice, called, shaped
from ..words.sentences import listed, many
from .dag import Dag, panel, repeated
from .opens import Opened, opened
from .scopes import LOOSE, Level, Part, folded, level_of, parts_of, readers_of

FITS = 24, 14, 12, 10, 8, 6, 5, 4, 3
"""So many items a level may have, the first number with which it fits into the page."""

TALL, LENS, APART = 420, 720, 24
"""The most height of a level, and of all that are open; how far one stands under another."""

EDGE, HEAD = 16, 40
"""The room within a level's frame, and that of its name."""

LOW, CELL, NARROW, MOST = 46, 24, 56, 150
"""The height of a box, and of a gradient in it; the least and the most width of one."""

WHOLE, LEVELS = 2000, 150
"""Of more nodes nothing is drawn; so many levels their numbers open into, from the results on."""

FEW = 2
"""From what stands beside more boxes than these an arrow leads to the first alone; to point at it lights all."""

SHOWN = 6
"""So many boxes are opened by the story, each of another kind."""

GAPS = 28, 20, 14
"""Room between columns, the most that fits."""


def closed(program: Graph, title: str, world: World | None, gradients: Mapping[str, Any] | None = None) -> Figure:
    """Returns the figure of a large graph, in boxes that open; with gradients the size of each."""
    picture, opens = ClosedPicture(program, title, gradients), world and Opened(world, Voice(program))
    return Figure(picture.scene(), world, opens and (lambda: opened(opens, picture.opening(opens), most=LEVELS)))


class Box(NamedTuple):
    """A box of a level: its id, what it stands for, two lines, its gradient.

    One that stands for nothing, a way in or out, has a word alone.
    """

    id: str
    item: "Part | Node | None"
    first: str
    second: str = ""
    grad: str = ""


class Row:
    """A level that is drawn: its boxes and arrows, at its origin, and what is in its parts.

    Attributes:
        part: what it is of, with its path as name. boxes, dag: in it. parts: the rows of its parts, by box id. chain:
        the rows from the outermost on, this one last. top, height: its place under the one around it.
    """

    def __init__(self, number: int, name: str, level: Level, boxes: list[Box], dag: Dag):
        self.number, self.name, self.level, self.boxes, self.dag = number, name, level, boxes, dag
        self.parts: dict[str, Row] = {}
        self.chain: tuple[Row, ...] = (self,)
        self.opener = ""
        self.top = 8.0
        self.look: Look | None = None

    @property
    def id(self) -> str:
        return f"L{self.number}"

    @property
    def height(self) -> float:
        """Its height, with its frame where it has one."""
        return self.dag.bottom + (EDGE if self.number else 4)

    def edges(self, box: str) -> tuple[str, ...]:
        """The arrows at a box."""
        return tuple(f"{self.id}{edge}" for edge in self.dag.touching(box))


class _Drawn(NamedTuple):
    """A graph as far as a `Dag` asks for it."""

    nodes: Sequence[Box]
    edges: Sequence[tuple[str, str, int]]


class ClosedPicture:
    """The rows of a graph.

    Args:
        graph, title: of the figure. gradients: by node what reaches its results, if it is told.
    """

    def __init__(self, graph: Graph, title: str, gradients: Mapping[str, Any] | None = None):
        self.graph, self.title, self.words, self.voice = graph, title, Words(graph), Voice(graph)
        self.norms = {id: _norm(grad) for id, grad in (gradients or {}).items()}
        self.backward = gradients is not None
        self.number = {node.id: k for k, node in enumerate(graph.nodes)}
        self.readers = readers_of(graph)
        self.rows: list[Row] = []
        self.seen: dict[tuple, str] = {}
        loose = tuple(node for node in graph if node.kind in LOOSE)
        self.root = self._row("", parts_of(graph).items, loose, None)
        self.heights: dict[str, float] = {"": self.root.top + self.root.height + 8}
        for row in self.rows[1:]:
            self._stand(row)

    # -- what stands where -------------------------------------------------------------------------------------------

    def _row(self, name: str, items: "Sequence[Part | Node]", loose: Sequence[Node], around: Row | None) -> Row:
        """Returns the row of some items, folded until they fit, and adds those of its parts."""
        number = len(self.rows)
        for most in FITS:
            level = level_of(self.graph, folded(items, most), loose, self.readers)
            boxes = self._boxes(level, name, number, around)
            dag = self._arranged(level, boxes, number)
            if dag.right <= WIDE - LEFT - EDGE * bool(number) and dag.bottom <= TALL:
                break
        row = Row(number, name, level, boxes, dag)
        self.rows.append(row)
        for n, box in enumerate(boxes):
            if type(box.item) is Part:
                inner = self._row(self._within(name, box.item), box.item.items, level.inside.get(n, ()), row)
                row.parts[box.id] = inner
                inner.opener = box.id
        return row

    @staticmethod
    def _within(path: str, part: Part) -> str:
        """The path of a part: of a stretch that of what it is in, and which it is."""
        around = path.partition(": ")[0]
        return f"{around}.{part.name}".lstrip(".") if part.called else f"{around}: {part.name}".removeprefix(": ")

    def _boxes(self, level: Level, name: str, number: int, around: Row | None) -> list[Box]:
        boxes, kinds = [], dict[tuple, str]()
        for n, item in enumerate(level.boxes):
            if type(item) is Part:
                alike = len(item.ops) > 1 and kinds.setdefault(item.kind, item.name) != item.name
                many_ = len(item.ops) + len(level.inside.get(n, ()))
                boxes.append(Box(f"s{number}_{n}", item, clean(item.name), "alike" if alike else many(many_, "node"),
                                 self._grad(item.ops[-1])))  # fmt: skip
                continue
            lines = repeated(self.graph, item) if item.kind == "expand" else (self._first(item), self._second(item))
            if (readers := len(self._all(level, n))) > FEW:
                lines = lines[0], f"read {readers} times"
            boxes.append(Box(f"n{self.number[item.id]}", item, *lines[:2], self._grad(item)))
        boxes += [Box(f"i{number}_{k}", None, self._outside(ref, around)) for k, ref in enumerate(level.comes)]
        if around is not None:
            boxes += [Box(f"o{number}_{n}", None, self._outside(ref, around)) for n, ref in level.goes.items()]
        return boxes

    def _first(self, node: Node) -> str:
        name = clean(called(node))
        if node.kind == "op":
            return node.op if name == node.op else f"{node.op} {name}"
        return name.rpartition(".")[2] or name

    def _second(self, node: Node) -> str:
        """The value of a number, the shape of more."""
        value = self.voice.tight(node.outs[:1], 9) if node.shape == () else ""
        return value or (f"({shaped(node).replace('×', ', ')})" if node.shape else shaped(node))

    def _outside(self, ref: str, around: Row | None) -> str:
        """The name of what is outside: the box that it is in, in the nearest level around."""
        while around is not None:
            if (n := around.level.of.get(ref)) is not None:
                return around.boxes[n].first
            around = around.chain[-2] if len(around.chain) > 1 else None
        return clean(called(self.graph[ref]))

    def _grad(self, node: Node) -> str:
        return spell(self.norms[node.id]) if node.id in self.norms else ""

    def _arranged(self, level: Level, boxes: list[Box], number: int) -> Dag:
        """Returns the boxes in their places, with the ways in and out."""
        edges = [(boxes[a].id, boxes[b].id) for a, b in level.joins
                 if len(self._all(level, a)) <= FEW or b == self._all(level, a)[0]]  # fmt: skip
        for box, to in zip((box for box in boxes if box.id[0] == "i"), level.comes.values()):
            edges += [(box.id, boxes[n].id) for n in to]
        edges += [(boxes[int(box.id.rpartition("_")[2])].id, box.id) for box in boxes if box.id[0] == "o"]
        x, y = (LEFT + EDGE, HEAD) if number else (LEFT, 4)
        drawn: Any = _Drawn(boxes, [(a, b, k) for k, (a, b) in enumerate(edges)])
        return Dag(drawn, self._size, x, y, WIDE - 2 * LEFT - 2 * EDGE * bool(number), 12, GAPS)

    @staticmethod
    def _all(level: Level, n: int) -> tuple[int, ...]:
        """The boxes that read one of what is loose, the first one first; of others nothing is left out."""
        item = level.boxes[n]
        return () if type(item) is Part or item.kind not in LOOSE else tuple(b for a, b in level.joins if a == n)

    def _size(self, box: Box) -> tuple[float, float]:
        if box.item is None:
            return min(MOST, width(box.first, LABEL) + 16), 26
        wide = max(width(box.first, LABEL, mono=True, bold=True), width(box.second, LABEL, type(box.item) is not Part),
                   width(box.grad, LABEL, mono=True)) + 12  # fmt: skip
        return min(MOST, max(NARROW, wide)), LOW + CELL * bool(box.grad)

    def _stand(self, row: Row) -> None:
        """Places a row under those around it, of which the outer ones may have to leave, and makes its look."""
        around = next(one for one in self.rows if row in one.parts.values())
        row.chain = (*around.chain, row)
        shown = [*row.chain]
        while sum(one.height + APART for one in shown) > LENS and len(shown) > 2:
            shown.pop(0)
        places, y = {}, self.root.top
        for one in shown:
            places[one.id] = y
            y += one.height + APART
        row.top = row.top if shown[0] is not self.root else places[row.id]
        gone = tuple(one.id for one in row.chain if one not in shown)
        moved = {(one.id, "transform"): draw.place(0, places[one.id]) for one in shown}
        openers = tuple(one.opener for one in row.chain[1:])
        row.look = Look({"-off": tuple(one.id for one in shown if one.number), "off": gone, "open": openers}, moved)
        within = [box.id for box in row.boxes if box.item is not None and box.id not in row.parts]
        self.heights |= dict.fromkeys([row.opener, *within], y - APART + 8)

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def _shapes(self) -> Iterator[Shape]:
        for row in reversed(self.rows):  # the lines to a frame go behind what is around it
            lens = [*self._lens(row)] if row.number else []
            arrows = (arrow._replace(id=f"{row.id}{arrow.id}") for arrow in row.dag.arrows(self._is_view))
            shapes = *lens, *arrows, *(self._box(row, box) for box in row.boxes)
            yield draw.group(row.id, *shapes, cls="off" if row.number else "", at=(0, row.top))

    def _is_view(self, a: str, b: str) -> bool:
        node = self.graph.nodes[int(b[1:])] if b[0] == "n" else None
        return node is not None and (node.is_view or node.kind == "expand")

    def _lens(self, row: Row) -> Iterator[Shape]:
        """The frame around an open level, its name, and the lines from its box to it."""
        around = row.chain[-2]
        at, low = around.dag.places[row.opener], around.height + APART
        begin = at.y + at.h - low
        d = f"M{at.x + 6:g} {begin:g}L{LEFT + 8:g} 0M{at.x + at.w - 6:g} {begin:g}L{WIDE - LEFT - 8:g} 0"
        yield Shape("path", "", ("edge",), (("d", d),))
        size = (("width", WIDE - 2 * LEFT), ("height", row.height), ("rx", 8))
        yield Shape("rect", "", ("panel", "lit"), (("x", LEFT), ("y", 0), *size))
        yield draw.text(LEFT + EDGE, 24, row.name, "mono strong", NUMBER, room=WIDE - 2 * LEFT - 2 * EDGE)

    def _box(self, row: Row, box: Box) -> Shape:
        at = row.dag.places[box.id]
        if box.item is None:
            text = draw.text(at.w / 2, 18, box.first, "muted", LABEL, "middle", room=at.w - 8)
            return draw.group(box.id, panel(at.w, at.h, "dashed", 13), text, at=(at.x, at.y))
        part = type(box.item) is Part
        leaf = not part and box.item.kind in LOOSE and box.item.kind != "expand"
        view = not part and (box.item.is_view or box.item.kind == "expand")
        behind = [Shape("rect", "", ("sheet",), (("x", 4), ("y", -4), ("width", at.w), ("height", at.h), ("rx", 6)))]
        lines = (box.first, "mono strong"), (box.second, "muted" if part else "mono muted")
        shapes = [*(behind if part else []), panel(at.w, at.h, f"node{' dashed' * view}", 12 if leaf else 6),
                  *(draw.text(at.w / 2, y, text, cls, LABEL, "middle", room=at.w - 6)
                    for y, (text, cls) in zip((19, 37), lines))]  # fmt: skip
        if box.grad:
            ground = Shape("rect", "", (), (("width", at.w - 6), ("height", CELL - 3), ("rx", 9 if leaf else 4)))
            text = draw.text((at.w - 6) / 2, 16, box.grad, "mono strong", LABEL, "middle", room=at.w - 10)
            shapes.append(draw.group(f"g{box.id}", ground, text, cls="cell grad", at=(3, LOW)))
        return draw.group(box.id, *shapes, at=(at.x, at.y))

    # -- what is said ------------------------------------------------------------------------------------------------

    def _holds(self, row: Row, box: Box) -> str:
        """Says what a part holds, what it reads and what it gives."""
        inner, part = row.parts[box.id], box.item
        assert isinstance(part, Part)
        reads = list(dict.fromkeys(self._outside(ref, row) for ref in inner.level.comes))
        gives = " and ".join(dict.fromkeys(self._second(self.graph[node.id]) for node in part.ops[-1:]))
        nodes = len(inner.level.of)
        of = f"{many(nodes, 'node')}, {many(len(part.ops), 'operation')}"
        flows = f"reads {listed(reads, 3)} and gives {gives}" if reads else f"gives {gives}"
        return f"{inner.name}: {of}; it {flows}{self._arrives(part.ops[-1])}."

    def _arrives(self, node: Node) -> str:
        return f"; {equation('the size of the gradient that reaches it', self.norms[node.id])}" if (
            node.id in self.norms) else ""  # fmt: skip

    def _links(self) -> Iterator[Links]:
        """Yields the links: a part opens; an operation lights its arrows, and leaves open what it is in."""
        for row in self.rows:
            plain = {}
            for n, box in enumerate(row.boxes):
                if box.item is None:
                    continue
                many_ = self._all(row.level, n) if n < len(row.level.boxes) else ()
                far = [row.boxes[k].id for k in many_] if len(many_) > FEW else []
                lights = (box.id, *row.edges(box.id), *far)
                if box.id in row.parts:
                    told = {"": (0, " Click, or press Enter, to open it."),
                            "pinned": (0, " ↓ goes in, Esc closes all.")}  # fmt: skip
                    yield Links(told, {box.id: Link(lights, (self._holds(row, box),))}, opens=row.parts[box.id].look)
                else:
                    sentence = self.words.sentence(box.item)
                    if arrives := self._arrives(box.item):
                        sentence = f"{sentence.rstrip('.')}{arrives}."
                    plain[box.id] = Link(lights, (sentence,))
            if plain:
                yield Links((0,), plain, opens=row.look)

    def opening(self, it: Opened) -> dict[str, Any]:
        """Returns what the boxes of the results open into, and from there all that made them."""
        nodes = {owner(ref) for ref in self.graph.results}
        return {f"n{self.number[id]}": it.box(self.graph[id], self.backward) for id in sorted(nodes)}

    def scene(self) -> Scene:
        """Tells the whole, then opens one box of each kind."""
        root, parts = self.root, len(self.rows) - 1
        boxes = sum(box.item is not None for box in root.boxes)
        grads = " In each, warm: the size of the gradient that reaches what it gives." if self.norms else ""
        whole = f"{many(len(self.graph), 'node')} in {many(boxes, 'box')}"
        point = ": point at one, and press Enter to open it"
        frames = [Frame(f"{whole}{point}.{grads}", picture=point)]
        kinds: dict[tuple, str] = {}
        for box in root.boxes:
            if type(box.item) is Part and box.item.kind not in kinds and len(kinds) < SHOWN:
                kinds[box.item.kind] = box.id
                frames.append(Frame(f"Open: {self._holds(root, box)}", link=box.id))
        alike = [box.first for box in root.boxes if type(box.item) is Part and box.second == "alike"]
        if alike:
            one = next(box for box in root.boxes if type(box.item) is Part and box.item.name == alike[0])
            first = kinds.get(one.item.kind, "")  # type: ignore[union-attr]
            name = next((box.first for box in root.boxes if box.id == first), "the one before")
            frames.append(Frame(f"{listed(alike, 4)} {'is' if len(alike) == 1 else 'are'} made like {name}."))
        paths = tuple((tuple(box.id for box in sorted(row.boxes, key=lambda box: row.dag.places[box.id].x)
                             if box.item is not None),) for row in self.rows)  # fmt: skip
        deep = max(len(row.chain) for row in self.rows) - 1
        note = f"{counts(self.graph)}; {many(parts, 'box')} to open, {deep} deep"
        return Scene(
            self.title, WIDE, self.heights, tuple(self._shapes()), tuple(frames), tuple(self._links()),
            paths, still=min(1, len(frames) - 1), about=tuple(self.graph.text(limit=60).splitlines()), note=note,
            search=True,
        )  # fmt: skip


def _norm(grad: Any) -> float:
    """The root of the sum of squares of a gradient, of several results of all."""
    parts = [part for part in (grad if type(grad) is list else [grad]) if part is not None]
    return float(np.sqrt(sum(float(np.square(np.abs(part), dtype=float).sum()) for part in parts)))

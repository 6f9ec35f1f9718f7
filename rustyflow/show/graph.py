"""show.graph: the program as a graph: its text form and its picture, with one selection for both."""

from math import inf
from typing import Any

from ..ir import Graph, Node
from ..ir import graph as read
from ..ir.text import clean
from ..ir.value import owner
from ..scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ..scene.measure import shorten, width
from .caller import words
from .dag import LARGE, LEFT, OPEN, RIGHT, WIDEST, Dag, called, panel, room_for, shaped
from .formula import ruled
from .strides_scene import listed, many
from .window import Window

ROW, CARD, STORY = 22, 316, 14
"""Height of a line of text, width of the card; up to so many nodes each has a step of its own, else each operation."""

TALL, SEEN, LINES = 640, 206, 8
"""Up to so tall a graph that flows down is drawn at once; the height of a window on a larger one, and the lines of text
that are seen under it."""


def graph(y: Any, *more: Any, title: str | None = None) -> Figure:
    """The graph of what was computed: on the left one line of text for each node, on the right the arrows of the data.

    Point at a box or a line to see both, what it reads, its rule, and what it keeps for backward. A graph too large for
    the page is seen through a window, with a map above it; one of more than 200 nodes is told in words.

    Args:
        y, more: results: rustyflow or PyTorch tensors, or a graph of `rustyflow.ir`.
        title: the program; default: the caller's own words.

    Raises:
        TypeError: not a tensor.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = graph((w * x).sum())
        >>> print(figure.state(link="n3").sentence)
        %4 = mul reads w and x (repeated) and gives float32[2], and keeps w and x for backward.
    """
    made = y if isinstance(y, Graph) else read(y, *more, depth=2)
    said = words(1).programs[0] if title is None and not more else None
    return Figure(tell(made, title or said or "graph"))


class Picture:
    """Text, boxes and the card of one graph."""

    def __init__(self, made: Graph, title: str):
        self.graph, self.title = made, title
        self.lines = made.text(limit=None).splitlines()
        self.number = {node.id: k for k, node in enumerate(made.nodes)}
        self.kept = {owner(s.ref) for node in made for s in node.saved if s.ref[:1] == "%"}
        self.dag = Dag(made, self._size, LEFT, 84, WIDEST - LEFT)
        self.window: Window | None = None
        if len(made) > OPEN or not self.dag.across and self.dag.bottom > TALL:
            self.dag = Dag(made, self._size, 0, 0, inf)
            self.window = Window(self.dag, self.number, 70, SEEN)
        flat = (self.window or self.dag).bottom
        if self.dag.across:
            self.text_at, card_at, text_room = (LEFT, flat + 34), (RIGHT - CARD, flat + 16), 470.0
        else:
            text_room = max(300.0, RIGHT - LEFT - (self.dag.right - LEFT) - 30)
            self.dag = Dag(made, self._size, LEFT + text_room + 30, 84, 0)
            self.text_at, card_at, flat = (LEFT, 100), (LEFT, 100 + ROW * len(self.lines) + 10), self.dag.bottom
        self.width = 860.0 if self.window else max(860.0, self.dag.right + 24)
        self.room = text_room
        self.card = self._card(*card_at)
        shown = LINES if self.window else len(self.lines)
        self.height = max(flat, card_at[1] + 174, self.text_at[1] + ROW * shown) + 12
        note = f"{many(sum(n.kind == 'op' for n in made), 'operation')}, {many(len(made), 'node')}, flowing " + (
            "to the right" if self.dag.across else "down")  # fmt: skip
        arrows = self.dag.arrows(lambda a, b: made[b].is_view or made[b].kind == "expand")
        graph = (*arrows, *(self._box(node) for node in made))
        drawn = (*self.window.draw(graph), self._scroll()) if self.window else (*graph, *self._lines(*self.text_at))
        self.shapes = (*draw.title(title, note, y=34), *drawn, *self.card)

    def ids(self, k: int) -> tuple[str, ...]:
        """The ids of what stands for a node: its box, its line, its mark on the map of a large graph."""
        return (f"n{k}", f"t{k}", f"m{k}") if self.window else (f"n{k}", f"t{k}")

    def _scroll(self) -> Shape:
        """The lines of a large graph, of which as many are seen as there is room for."""
        (x, y), size = self.text_at, (("width", self.room), ("height", ROW * LINES))
        lines = draw.group("lines", *self._lines(0, 18), at=(0, 0))
        return Shape("svg", "", ("window",), (("x", x), ("y", y - 18), *size), (lines,))

    def _scrolled(self, k: int) -> str:
        first = max(0, min(k - LINES // 2, len(self.lines) - LINES))
        return draw.place(0, -ROW * first)

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(self._times(node)) - 4, 27
        return room_for(self._first(node), self._second(node)), 50

    def _times(self, node: Node) -> str:
        source = self.graph[node.operands[0]]
        return f"×{_count(node.shape) // max(1, _count(source.shape))}, stride 0"

    def _second(self, node: Node) -> str:
        name = f"{clean(node.name)} " if node.name and node.kind == "op" else ""
        return name + shaped(node) + (" kept" if node.id in self.kept else "")

    def _first(self, node: Node) -> str:
        return node.op if node.kind == "op" else clean(called(node))

    def _box(self, node: Node) -> Shape:
        at = self.dag.places[node.id]
        if node.kind == "expand":
            words_ = draw.text(at.w / 2, 18, self._times(node), "mono muted", 15, "middle", room=at.w - 6)
            return draw.group(f"n{self.number[node.id]}", panel(at.w, at.h, "dashed", 4), words_, at=(at.x, at.y))
        cls = "dashed" if node.is_view else ""
        ink = "value-ink" if node.kind in ("leaf", "parameter") else ""
        inner = [
            panel(at.w, at.h, cls, 20 if node.kind in ("leaf", "parameter", "constant", "input") else 6),
            draw.text(at.w / 2, 21, self._first(node), f"mono strong {ink}", 16, "middle", room=at.w - 10),
            draw.text(at.w / 2, 41, self._second(node), "mono muted", 15, "middle", room=at.w - 10),
        ]
        return draw.group(f"n{self.number[node.id]}", *inner, at=(at.x, at.y))

    def _lines(self, x: float, y: float) -> list[Shape]:
        shapes = []
        longest = max(width(words_, 15, mono=True) for words_ in self.lines)
        size = 15 if longest <= self.room else draw.SMALL  # one size for all, so that their columns agree
        for k, words_ in enumerate(self.lines):
            node = k < len(self.graph)
            cls = "mono" if node else "mono muted"
            shapes.append(draw.text(x, y + ROW * k, words_, cls, size, room=self.room, id=f"t{k}" if node else ""))
        return shapes

    def _card(self, x: float, y: float) -> list[Shape]:
        rows = [
            ("c0", "mono strong", 17),
            *((f"c{k}", "mono", 15) for k in range(1, 5)),
            ("c5", "muted", 15),
            ("c6", "muted", 15),
        ]
        texts = [draw.text(16, 27 + 22 * k, "", cls, size, id=id) for k, (id, cls, size) in enumerate(rows)]
        return [draw.group("card", panel(CARD, 174), *texts, cls="aside off", at=(x, y))]

    # -- words -------------------------------------------------------------------------------------------------------

    def read_by(self, node: Node) -> list[str]:
        """What a node reads, in words."""
        said = []
        for ref in node.operands:
            if ref[:1] != "%":
                said.append("something untracked" if ref == "?" else ref)
                continue
            source = self.graph[ref]
            again = source.kind == "expand"
            source = self.graph[source.operands[0]] if again else source
            said.append(self.name(source) + (" (repeated)" if again else ""))
        return said

    def name(self, node: Node) -> str:
        """How sentences call a node: by the program's name, else its id."""
        return clean(node.name) if node.name else node.id

    def says(self, node: Node) -> str:
        """The sentence for a node."""
        gives = f"gives {node.results[0]}"
        if node.kind in ("leaf", "parameter"):
            return f"{self.name(node)} is a {node.kind}: backward ends here and adds to {self.name(node)}.grad."
        if node.kind == "constant":
            return f"{self.name(node)} is a constant: nothing tracks it, and no gradient flows to it."
        if node.kind == "expand":
            source = self.name(self.graph[node.operands[0]])
            return f"{source} is read as {list(node.shape)} with stride 0, by broadcasting: backward sums over it."
        if node.kind != "op":
            return f"{node.id} = {node.op} {gives}."
        reads = listed(self.read_by(node)) if node.operands else "nothing"
        view = f", a view of {self.name(self.graph[node.base])} without numbers of its own" if node.is_view else ""
        kept = list(dict.fromkeys(self._kept(s.ref) for s in node.saved))
        keeps = f", and keeps {listed(kept)} for backward" if kept and not node.saved[0].freed else ""
        keeps = ", and has let go of what it kept" if node.saved and node.saved[0].freed else keeps
        return f"{node.id} = {node.op} reads {reads} and {gives}{view}{keeps}."

    def _kept(self, ref: str) -> str:
        return self.name(self.graph[ref]) if ref[:1] == "%" else ref

    def facts(self, node: Node) -> tuple[str, ...]:
        """The lines of the card: heading, up to four rules, PyTorch's name, what is kept or where the kinks are."""
        from ..ops import OPS

        own = getattr(getattr(node.history, "op", None), "operands", ())
        reads = [ref if ref[:1] != "%" else self._kept(ref) for ref in node.operands]
        rules = [part.strip() for part in node.formula.split("  ") if part.strip()][:4]
        rules = [ruled(rule, own, reads, self.name(node)) for rule in rules]
        rules += [""] * (4 - len(rules))
        kinks = getattr(OPS.get(node.rule), "kinks", "")
        saved = [f"{s.name} (version {s.version})" for s in node.saved if s.version is not None]
        last = kinks or (f"keeps {listed(saved)}" if saved else "keeps nothing" if node.kind == "op" else "")
        said = (
            f"{node.id}  {called(node)}",
            *rules,
            f"in PyTorch: {node.torch}" if node.torch else str(node.results[0]),
            last,
        )
        return tuple(shorten(words_, CARD - 30, 15, mono=0 < k < 5) for k, words_ in enumerate(said))

    def links(self) -> tuple[Links, ...]:
        """A box and its line of text light each other, with the arrows that touch the box, and fill the card.

        In a large graph each brings the other into sight, and a mark on the map both.
        """
        links: dict[str, dict[str, Link]] = {"n": {}, "t": {}, "m": {}}
        for node in self.graph:
            k = self.number[node.id]
            args = (self.says(node), *self.facts(node))
            if self.window:
                args += (self._scrolled(k), *self.window.onto(node.id).values())
            link = Link((*self.ids(k), *self.dag.touching(node.id)), args)
            for id in self.ids(k):
                links[id[0]][id] = link
        card = {(f"c{i}", "text"): (i + 1,) for i in range(7)}
        lines, world = {("lines", "transform"): (8,)}, {("world", "transform"): (9,), ("win", "transform"): (10,)}
        if not self.window:
            return (Links((0,), links["n"] | links["t"], card, {"-off": ("card",)}),)
        moved = {"n": lines, "t": world, "m": lines | world}
        return tuple(Links((0,), links[kind], card | moved[kind], {"-off": ("card",)}) for kind in "ntm")


def tell(made: Graph, title: str) -> Scene:
    """The scene: the whole, then node after node as the program ran, then what is shared."""
    if len(made) > LARGE or not len(made):
        return _told(made, title)
    picture = Picture(made, title)
    nodes = made.nodes
    leaves = [picture.name(node) for node in nodes if node.kind in ("leaf", "parameter")]
    ops = sum(node.kind == "op" for node in nodes)
    begin = f"from {listed(leaves)}" if leaves else ""
    lines = "each line of text but the last is a box of the picture"
    frames = [Frame(f"{many(ops, 'operation')} made {_results(picture)} {begin}: {lines}.")]
    steps = range(len(nodes)) if len(nodes) <= STORY else [k for k, node in enumerate(nodes) if node.kind == "op"]
    later = [Look({"dimmed": picture.ids(k)}) for k in range(len(nodes))]
    box = "m" if picture.window else "n"
    for k in steps:
        frames.append(Frame(picture.says(nodes[k]), tuple(later[k + 1 :]), f"{box}{k}"))
    frames.append(Frame(_shared(picture)))
    path = tuple(f"{box}{k}" for k in range(len(nodes)))
    return Scene(
        title, picture.width, picture.height, picture.shapes, tuple(frames), picture.links(),
        ((path,), tuple((f"t{k}",) for k in range(len(nodes)))), still=0, about=tuple(picture.lines),
    )  # fmt: skip


def _results(picture: Picture) -> str:
    return listed([picture.name(picture.graph[ref]) for ref in picture.graph.results])


def _shared(picture: Picture) -> str:
    """Who is read more than once, and how many boxes a tree would need."""
    made = picture.graph
    size: dict[str, int] = {}
    for node in made:
        size[node.id] = 1 + sum(size[owner(ref)] for ref in node.operands if ref[:1] == "%")
    tree = sum(size[owner(ref)] for ref in made.results)
    shared = [picture.name(node) for node in made if len(made.users(node.id)) > 1]
    if not shared:
        return "Nothing is read twice, so here the graph is a tree."
    are = f"{listed(shared, 4)} {'is' if len(shared) == 1 else 'are'} read more than once"
    return f"{are}: a tree would need {tree:,} boxes, the graph needs {len(made)}."


def _told(made: Graph, title: str) -> Scene:
    """A graph too large to draw: its size, and its first and last lines."""
    counts: dict[str, int] = {}
    for node in made:
        counts[node.op] = counts.get(node.op, 0) + 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]
    lines = made.text(limit=24).splitlines()
    says = f"{many(len(made), 'node')}, more than the {LARGE} that are drawn: the first and last lines of the text."
    if not len(made):
        says = "An empty graph: nothing was tracked."
    note = ", ".join(f"{count:,} {op}" for op, count in most)
    shapes = [draw.text(LEFT, 92 + 21 * k, words_, "mono", 15, room=RIGHT - LEFT) for k, words_ in enumerate(lines)]
    height = 92 + 21 * len(lines)
    return Scene(title, 860, height, (*draw.title(title, note, y=34), *shapes), (Frame(says),), about=(note, *lines))


def _count(shape) -> int:
    total = 1
    for n in shape or ():
        total *= n
    return total

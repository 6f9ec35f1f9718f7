"""show.graph: the program as a graph: its text form and its picture, with one selection for both."""

from typing import Any

from ..ir import Graph, Node
from ..ir import graph as read
from ..ir.text import clean
from ..ir.value import owner
from ..scene import Figure, Frame, Link, Links, Look, Scene, Shape, draw
from ..scene.measure import shorten, width
from .caller import words
from .dag import (
    LARGE,
    LEFT,
    LOW,
    OPEN,
    RIGHT,
    TOP,
    WIDEST,
    Dag,
    called,
    lines_of,
    panel,
    repeated,
    room_for,
    shaped,
    small_box,
)  # fmt: skip
from .formula import behind, computed, names_of, ruled
from .strides_scene import listed, many
from .window import Window

ROW, LINES, CARD, STORY = 21, 7, 318, 14
"""Height of a line of text, and how many are seen at once; width of the card, which is as high; up to so many nodes
each has a step of its own, else each operation."""

ROOM = RIGHT - LEFT
"""The width of the lines of text, over whose ends the card is laid."""

SEEN = LOW - TOP - 10 - ROW * LINES - 12
"""Up to so tall a graph is drawn at once, three boxes under each other; the height of a window on a larger one."""


def graph(y: Any, *more: Any, title: str | None = None) -> Figure:
    """The graph of what was computed: boxes joined by the arrows of the data, and below them a line of text for each.

    Point at a box or a line to see both, what it reads, its rule, and what it keeps for backward. A graph too large for
    a projector is seen through a window, with a map beside the title; one of more than 200 nodes is told in words.

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
    said = ",  ".join(filter(None, words(1 + len(more)).programs)) if title is None else None
    return Figure(tell(made, title or said or "graph"))


class Picture:
    """Text, boxes and the card of one graph."""

    def __init__(self, made: Graph, title: str):
        self.graph, self.title = made, title
        self.lines = made.text(limit=None).splitlines()
        self.number = {node.id: k for k, node in enumerate(made.nodes)}
        self.kept = {owner(s.ref) for node in made for s in node.saved if s.ref[:1] == "%"}
        self.dag = Dag(made, self._size, LEFT, TOP, WIDEST - LEFT)
        self.window: Window | None = None
        if len(made) > OPEN or self.dag.right > WIDEST or self.dag.bottom > TOP + SEEN:
            self.dag = Dag(made, self._size)
            self.window = Window(self.dag, self.number, title, SEEN)
        y = (self.window or self.dag).bottom + 10
        self.width = 860.0 if self.window else max(860.0, self.dag.right + 24)
        self.height = y + ROW * LINES + 12
        self.scrolls = len(self.lines) > LINES
        arrows = self.dag.arrows(lambda a, b: made[b].is_view or made[b].kind == "expand")
        graph = (*arrows, *(self._box(node) for node in made))
        note = f"{many(sum(n.kind == 'op' for n in made), 'operation')}, {many(len(made), 'node')}"
        drawn = self.window.draw(graph) if self.window else (*draw.headed(title, note), *graph)
        self.shapes = (*drawn, self._text(y), self._card(RIGHT - CARD, y))

    def ids(self, k: int) -> tuple[str, ...]:
        """The ids of what stands for a node: its box, its line, its mark on the map of a large graph."""
        return (f"n{k}", f"t{k}", f"m{k}") if self.window else (f"n{k}", f"t{k}")

    def _text(self, y: float) -> Shape:
        """The lines, of which as many are seen as there is room for."""
        size = (("width", ROOM), ("height", ROW * LINES + 6))
        lines = draw.group("lines", *self._lines(), at=(0, 0))
        return Shape("svg", "", ("window",), (("x", LEFT), ("y", y), *size), (lines,))

    def _scrolled(self, k: int) -> str:
        first = max(0, min(k - LINES // 2, len(self.lines) - LINES))
        return draw.place(0, -ROW * first)

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        return room_for(self._first(node), self._second(node)), 50

    def _second(self, node: Node) -> str:
        name = f"{clean(node.name)} " if node.name and node.kind == "op" else ""
        return name + shaped(node) + (" kept" if node.id in self.kept else "")

    def _first(self, node: Node) -> str:
        return node.op if node.kind == "op" else clean(called(node))

    def _box(self, node: Node) -> Shape:
        at = self.dag.places[node.id]
        if node.kind == "expand":
            return small_box(f"n{self.number[node.id]}", at, repeated(self.graph, node))
        cls = "dashed" if node.is_view else ""
        ink = "value-ink" if node.kind in ("leaf", "parameter") else ""
        inner = [
            panel(at.w, at.h, cls, 20 if node.kind in ("leaf", "parameter", "constant", "input") else 6),
            draw.text(at.w / 2, 21, self._first(node), f"mono strong {ink}", 16, "middle", room=at.w - 10),
            draw.text(at.w / 2, 41, self._second(node), "mono muted", 15, "middle", room=at.w - 10),
        ]
        return draw.group(f"n{self.number[node.id]}", *inner, at=(at.x, at.y))

    def _lines(self) -> list[Shape]:
        shapes = []
        longest = max(width(words_, 15, mono=True) for words_ in self.lines)
        size = 15 if longest <= ROOM else draw.SMALL  # one size for all, so that their columns agree
        for k, words_ in enumerate(self.lines):
            node = k < len(self.graph)
            cls = "mono" if node else "mono muted"
            shapes.append(draw.text(0, 18 + ROW * k, words_, cls, size, room=ROOM, id=f"t{k}" if node else ""))
        return shapes

    def _card(self, x: float, y: float) -> Shape:
        rows = [
            ("c0", "mono strong", 16),
            *((f"c{k}", "mono", 15) for k in range(1, 5)),
            ("c5", "muted", 15),
            ("c6", "muted", 15),
        ]
        texts = [draw.text(16, 21 + 21 * k, "", cls, size, id=id) for k, (id, cls, size) in enumerate(rows)]
        return draw.group("card", panel(CARD, ROW * LINES + 6), *texts, cls="aside off", at=(x, y))

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
        """What a node kept, `y.shares` of several results."""
        return ".".join([self.name(self.graph[ref]), *ref.split(".")[1:]]) if ref[:1] == "%" else ref

    def _rules(self, node: Node) -> list[str]:
        """Up to four rules of a node, in the program's names, without those for numbers, which have no gradient."""
        names = names_of(self.graph, node, self.name)
        sources = {own: behind(self.graph, ref) for own, ref in zip([*names][1:], node.operands, strict=False)}
        idle = [f"d{own} = " for own, source in sources.items() if source is None]
        rules = [part.strip() for part in node.formula.split("  ") if part.strip()]
        if rules and "[items]" in rules[0]:
            rules[0] = f"y = {computed(node)}"
        return [ruled(rule, names) for rule in rules if not rule.startswith(tuple(idle))][:4]

    def facts(self, node: Node) -> tuple[str, ...]:
        """The lines of the card: heading, up to four rules, PyTorch's name, what is kept or where the kinks are."""
        from ..ops import OPS

        rules = self._rules(node)
        rules += [""] * (4 - len(rules))
        kinks = getattr(OPS.get(node.rule), "kinks", "")
        saved = [f"{self._kept(s.ref)} (version {s.version})" for s in node.saved if s.version is not None]
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

        Where not all is seen at once each brings the other into sight, and a mark on the map both.
        """
        links: dict[str, dict[str, Link]] = {"n": {}, "t": {}, "m": {}}
        for node in self.graph:
            k = self.number[node.id]
            args = (self.says(node), *self.facts(node))
            args += (self._scrolled(k), *(self.window.onto(node.id).values() if self.window else ()))
            link = Link((*self.ids(k), *self.dag.touching(node.id)), args)
            for id in self.ids(k):
                links[id[0]][id] = link
        card = {(f"c{i}", "text"): (i + 1,) for i in range(7)}
        lines = {("lines", "transform"): (8,)} if self.scrolls else {}
        world = {("world", "transform"): (9,), ("win", "transform"): (10,)} if self.window else {}
        moved = {"n": lines, "t": world, "m": lines | world}
        return tuple(Links((0,), links[kind], card | moved[kind], {"-off": ("card",)}) for kind in links if links[kind])


def tell(made: Graph, title: str) -> Scene:
    """The scene: the whole, then node after node as the program ran, then what is shared."""
    if len(made) > LARGE or not len(made):
        return _told(made, title)
    picture = Picture(made, title)
    nodes = made.nodes
    leaves = [picture.name(node) for node in nodes if node.kind in ("leaf", "parameter")]
    ops = sum(node.kind == "op" for node in nodes)
    begin = f"from {listed(leaves, 4)}" if leaves else ""
    where = "the picture, which is seen in part" if picture.window else "the picture"
    lines = f"each line of text but the last is a box of {where}"
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
    lines = made.text(limit=13).splitlines()
    says = f"{many(len(made), 'node')}, more than the {LARGE} that are drawn: the first and last lines of the text. "
    says += "For a picture, show a smaller part, such as one turn of a loop."
    if not len(made):
        says = "An empty graph: nothing was tracked."
    note = ", ".join(f"{count:,} {op}" for op, count in most)
    return Scene(title, 860, draw.STAGE, lines_of(title, note, lines), (Frame(says),), about=(note, *lines))

"""A program's graph with numbers: a box for each node, with its value and its gradient."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from ...claims.digits import DIGITS
from ...ir import Node
from ...ir.node import owner
from ...scene import Look, Shape, draw
from ...scene.measure import width
from ..words.nodes import Voice, certain, changed, counted
from .dag import FACTOR, LEFT, NARROW, TOP, WIDE, WIDEST, Dag, panel, repeated, room_for, small_box
from .layers import breadth
from .window import Window

WIDTHS = (16, 11, 8)
"""The characters that an array may have in a box: fewer where the graph is wide; 5 more if that saves a digit."""

DOWN = 16, 8, 6
"""The room between boxes under each other, less where that shows them all."""

MOST = 240
"""The greatest width of a box, but for a count of gradients in it."""


LEAVES, ALIKE = ("leaf", "parameter", "constant", "input"), 120
"""What stands where a graph begins; up to so wide its boxes are all as wide as the widest."""


class Sized(NamedTuple):
    """The measures of boxes in one size of type: baselines, the gradient's top and height, and both heights."""

    type: int
    name: float
    value: float
    top: float
    cell: float
    whole: float
    low: float


LARGER, SMALLER = Sized(draw.NUMBER, 18, 38, 45, 26, 74, 48), Sized(draw.LABEL, 15, 30, 35, 18, 56, 37)
"""Boxes as they are, and where all would not be in sight otherwise. A node without a gradient has a low one."""


class Boxes:
    """The boxes of a graph: their places and their texts.

    The gradient of a node stands in a cell of its box, `gr3`, which is dashed and empty until one comes.

    Args:
        heard: for each node that gets a gradient, what that is after each one that comes; of one with several results
            lists, with None for one without. gradients: what each is in the end. talls: the heights that a graph may
            have which is seen at once, the better one first; window: that of a window. factors: what to write on an
            arrow, by the node it comes into and which operand it is: in a few ways, the best first.

    Attributes:
        voice: speaks with as many digits as the boxes: one less where arrays would not fit into them otherwise.
        dag: the boxes and the arrows; window: what a large graph is seen through. right, bottom: where all that ends.
    """

    def __init__(
        self, voice: Voice, heard: Mapping[str, Sequence[Any]], gradients: Mapping[str, Any],
        talls: Sequence[float], window: float, factors: Callable[[Voice], Mapping[tuple[str, int], Sequence[str]]],
    ):  # fmt: skip
        graph = voice.graph
        self.graph, self.heard, self.gradients, self.voice = graph, heard, gradients, voice
        self.factors = factors(self.voice)
        self.gap = 36 + max((width(texts[0], FACTOR, mono=True) for texts in self.factors.values()), default=24)
        self.number = {node.id: k for k, node in enumerate(graph.nodes)}
        self.leaves = [node for node in graph if node.kind in LEAVES]
        self.edges = [(self.number[owner(ref)], self.number[user]) for ref, user, _ in graph.edges]
        self.window: Window | None = None
        self.measured: dict[tuple[int, int, int, str], tuple[float, float]] = {}
        ways = ((tall, sized, across, room) for tall in talls for sized in (LARGER, SMALLER)
                for across in ((self.gap, *WIDE), NARROW) for room in WIDTHS)  # fmt: skip
        for tall, self.sized, across, room in ways:
            *sizes, least = self._sizes(room)
            if self._fits(least, tall, across):  # else none does
                next(size for size in (*sizes, least) if self._fits(size, tall, across))
                break
        else:
            self.sized = LARGER
            self.longest, self.voice.digits = next(self._sizes(12))
            self.dag = Dag(graph, self._size, across=(self.gap,))
            self.window = Window(self.dag, self.number, window)
        marked = {edge: self.dag.beside(edge, self.factors[user, k], f"f{edge}")
                  for edge, _, user, k in self.dag.edges if (user, k) in self.factors}  # fmt: skip
        self.marked = {edge: shape for edge, shape in marked.items() if shape is not None}
        self.bottom = (self.window or self.dag).bottom
        self.right = WIDEST if self.window else max(draw.RIGHT, 8 * ceil(self.dag.right / 8))
        self.width = self.right + LEFT

    def _fits(self, size: tuple[int, int], tall: float, across: Sequence[float]) -> bool:
        """Settle for a room for arrays, and digits, and see whether all is in sight."""
        self.longest, self.voice.digits = size
        if breadth([self._size(node) for node in self.graph], self.edges, across[-1]) > WIDEST - LEFT:
            return False
        for down in DOWN:
            self.dag = Dag(self.graph, self._size, LEFT, TOP, WIDEST - LEFT, down, across)
            if self.dag.right > WIDEST or self.dag.bottom <= TOP + tall:
                break
        return self.dag.right <= WIDEST and self.dag.bottom <= TOP + tall

    def _sizes(self, room: int) -> Iterator[tuple[int, int]]:
        """Room for arrays, and digits, at which each array is written that could be with the fewest digits."""
        grads = (array for came in [*self.heard.values(), self.gradients.values()] for array in came)
        some = (*(node.outs for node in self.graph), *(grad if type(grad) is list else [grad] for grad in grads))
        lengths = [[len(self.voice.spelled(array, True, digits)) for digits in (DIGITS - 1, DIGITS)]
                   for arrays in some for array in arrays]  # fmt: skip
        longest = max((more for fewer, more in lengths if 0 < fewer <= room), default=0)
        yield from ((most, DIGITS) for most in (room, room + 5) if longest <= most)
        yield room, DIGITS - 1

    def awaited(self, id: str) -> int:
        """The number of gradients that come to a node."""
        return len(self.heard.get(id, ()))

    # -- what is written ---------------------------------------------------------------------------------------------

    def value(self, node: Node) -> str:
        """A node's value, as its box shows it: `[.5, 1]`, or `6 numbers`."""
        if changed(node):
            return "changed since" if certain(node) else "changed since?"
        return self.voice.tight(node.outs, self.longest) or counted(node)

    def gradient(self, node: Node, array: Any) -> str:
        """A gradient of a node, as its box shows it; of several results a list, with None for one without."""
        came = array if type(array) is list else [array]
        spelling = self.voice.tight([part for part in came if part is not None], self.longest)
        return spelling or counted(node)

    def _lines(self, node: Node) -> tuple[str, str, str]:
        """The texts of a box at the end."""
        name = self.voice.name(node)
        grad = self.gradient(node, self.gradients[node.id]) if node.id in self.gradients else ""
        return f"{node.op} {name}" if node.kind == "op" and name != node.op else name, self.value(node), grad

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def _size(self, node: Node) -> tuple[float, float]:
        key = self.sized.type, self.longest, self.voice.digits, node.id
        if key not in self.measured:
            self.measured[key] = self._measure(node)
        return self.measured[key]

    def _measure(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        wide = self._wide(node)
        if node.kind in LEAVES:  # of one width, as far as that costs little
            wide = max(wide, *(each for each in map(self._wide, self.leaves) if each <= ALIKE), 0)
        return wide, self.sized.whole if node.id in self.gradients else self.sized.low

    def _wide(self, node: Node) -> float:
        """The width that a box's own texts need."""
        first, *more = self._lines(node)
        counts = counted(node)  # which is smaller
        wide = max(room_for(first, *(text for text in more if text != counts), size=self.sized.type, most=MOST),
                   room_for(counts if counts in more else "", most=MOST))  # fmt: skip
        if count := _count(self.awaited(node.id))[1]:
            so_far = (self.gradient(node, array) for array in self.heard[node.id])
            wide = max(wide, max(width(text, self._type(node, text), mono=True) for text in so_far) + count + 32)
        return wide

    def _type(self, node: Node, text: str) -> int:
        """The size of type of what a box says of its numbers."""
        return draw.LABEL if text == counted(node) else self.sized.type

    def draw(self, *also: Shape) -> tuple[Shape, ...]:
        """The arrows and the boxes, and what else stands among them, or the window on all that."""
        arrows = self.dag.arrows(lambda a, b: self.graph[b].kind == "expand")
        graph = (*arrows, *(self._box(node) for node in self.graph), *self.marked.values(), *also)
        if self.window:
            return self.window.draw(graph, self.gradients)
        return (draw.group("view", *graph),)

    def _box(self, node: Node) -> Shape:
        at, k = self.dag.places[node.id], self.number[node.id]
        if node.kind == "expand":
            return small_box(f"n{k}", at, repeated(self.graph, node))
        leaf, sized, (first, value, grad) = node.kind != "op" and node.kind != "write", self.sized, self._lines(node)
        lines = [
            draw.text(at.w / 2, sized.name, first, "mono strong", sized.type, "middle", room=at.w - 10),
            draw.text(at.w / 2, sized.value, value, "mono", self._type(node, value), "middle", f"v{k}", at.w - 8),
        ]
        if node.id in self.gradients:
            count, wide = _count(self.awaited(node.id))
            low = sized.cell / 2
            middle = (at.w - 6 - (wide + 8 if count else 0)) / 2
            shape = Shape("rect", attrs=(("width", at.w - 6), ("height", sized.cell), ("rx", 9 if leaf else 4)))
            text = draw.text(middle, low + 0.35 * sized.type, grad, "mono strong", self._type(node, grad), id=f"g{k}",
                             room=2 * middle - 4)  # fmt: skip
            lines.append(draw.group(f"gr{k}", shape, text, cls="cell grad", at=(3, sized.top)))
            if count:
                pill = Shape("rect", attrs=(("width", wide), ("height", 16), ("rx", 8)))
                label = draw.text(wide / 2, 13, count, "", draw.LABEL, "middle", id=f"w{k}")
                lines.append(draw.group(f"h{k}", pill, label, cls="count", at=(at.w - wide - 9, sized.top + low - 8)))
        ground = panel(at.w, at.h, f"node{' dashed' * node.is_view}", 12 if leaf else 6)
        return draw.group(f"n{k}", ground, *lines, at=(at.x, at.y))

    # -- what states change ------------------------------------------------------------------------------------------

    def marks(self, *ids: str) -> tuple[str, ...]:
        """The marks of nodes on the map of a graph that is seen through a window."""
        return tuple(f"m{self.number[id]}" for id in ids) if self.window else ()

    def onto(self, *ids: str) -> Look:
        """The window on some nodes."""
        return Look(sets=self.window.onto(*ids)) if self.window else Look()

    def empty(self, id: str) -> Look:
        """A box whose value is yet to be computed."""
        factors = tuple(f"f{edge}" for edge in self.dag.into(id) if edge in self.marked)
        return Look({"waiting": self.marks(id), "off": factors}, {(f"v{self.number[id]}", "text"): ""})

    def not_yet(self, id: str) -> Look:
        """The look of a box before a gradient comes: its line is dashed and empty."""
        k, more = self.number[id], {"off": (f"h{self.number[id]}",)} if self.awaited(id) > 1 else {}
        return Look({"virtual": (f"gr{k}",), "-grad": (f"gr{k}", *self.marks(id)), **more}, {(f"g{k}", "text"): ""})

    def so_far(self, id: str, come: int) -> Look:
        """The look of a box until its gradient is whole: the sum so far, and how many terms came."""
        k, awaited = self.number[id], self.awaited(id)
        sets = {(f"g{k}", "text"): self.gradient(self.graph[id], self.heard[id][come - 1])}
        if come == awaited:  # and a hook will replace it
            return Look({}, sets)
        unfinished = {"virtual": (f"gr{k}",), "waiting": (f"h{k}",), "-grad": self.marks(id)}
        return Look(unfinished, {**sets, (f"w{k}", "text"): f"{come} of {awaited}"})


def _count(awaited: int) -> tuple[str, float]:
    """The words for all gradients that came to a node, of more than one, and their width."""
    count = f"{awaited} of {awaited}" if awaited > 1 else ""
    return count, round(width(count, draw.LABEL) + 10) if count else 0

"""The graph of the backward figure: a box for each node, with its value and its gradient, at one number of digits."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..ir import Graph, Node
from ..ir.text import clean
from ..scene import Look, Shape, draw
from ..scene.measure import shorten, width
from .kit.dag import LEFT, TOP, WIDEST, Dag, panel, repeated, room_for, shaped, small_box
from .kit.window import Window
from .words.numbers import DIGITS, written
from .words.sentences import listed

WIDTHS = (16, 11, 8)
"""The characters that an array may have in a box: fewer where the graph is wide; 5 more if that saves a digit."""

MOST = 212
"""The greatest width of a box, but for a count of gradients in it."""


class Boxes:
    """Where the boxes stand, and what is written in them.

    Attributes:
        digits: of every number in the figure, so that the same one is the same in a box, in a rule and in a ledger:
            one less where arrays would not fit into the boxes otherwise.
        heard: for each node that gets a gradient, what that is after each one that comes; the last is the whole.
        dag: the boxes and the arrows; window: what a large graph is seen through. bottom: where that ends.
    """

    def __init__(
        self, made: Graph, title: str, heard: Mapping[str, Sequence[Any]], gradients: Mapping[str, Any], large: bool,
        tall: float,
    ):  # fmt: skip
        self.graph, self.heard, self.gradients = made, heard, gradients
        self.number = {node.id: k for k, node in enumerate(made.nodes)}
        self.window: Window | None = None
        for room in () if large else WIDTHS:
            *sizes, least = self._sizes(room)
            if self._fits(least, tall):  # else none does
                next(size for size in (*sizes, least) if self._fits(size, tall))
                break
        else:
            self.longest, self.digits = next(self._sizes(12))
            self.dag = Dag(made, self._size)
            self.window = Window(self.dag, self.number, title, tall)
        self.bottom = (self.window or self.dag).bottom

    def _fits(self, size: tuple[int, int], tall: float) -> bool:
        """Settle for a room for arrays, and digits, and see whether all is in sight."""
        self.longest, self.digits = size
        self.dag = Dag(self.graph, self._size, LEFT, TOP, WIDEST - LEFT)
        return self.dag.right <= WIDEST and self.dag.bottom <= TOP + tall

    def _sizes(self, room: int) -> Iterator[tuple[int, int]]:
        """Room for arrays, and digits, at which each array is written that could be with the fewest digits."""
        grads = (array for came in [*self.heard.values(), self.gradients.values()] for array in came)
        each = (grad if type(grad) is list else [grad] for grad in grads)
        arrays = [array for some in (*(node.outs for node in self.graph), *each) for array in some]
        short = [array for array in arrays if written(array, room, DIGITS - 1, tight=True)]
        for longest in (room, room + 5):
            if all(written(array, longest, tight=True) for array in short):
                yield longest, DIGITS
        yield room, DIGITS - 1

    def written(self, array: Any, room: int) -> str:
        """An array as rules and sentences write it, or several, if that is short enough."""
        if type(array) is not list:
            return written(array, room, self.digits)
        said = [written(part, room, self.digits) for part in array]
        return listed(said) if said and all(said) and len(listed(said)) <= room else ""

    def value(self, node: Node) -> str:
        """A node's value, as its box shows it: `[.5, 1]`, or `6 numbers`."""
        return self._tight(node.outs) or counted(node)

    def _tight(self, arrays: Sequence[Any]) -> str:
        """Arrays as a box shows them, if there is room for all."""
        said = [written(array, self.longest, self.digits, tight=True) for array in arrays]
        return ", ".join(said) if all(said) and len(", ".join(said)) <= self.longest else ""

    def marks(self, *ids: str) -> tuple[str, ...]:
        """The marks of nodes on the map of a graph that is seen through a window."""
        return tuple(f"m{self.number[id]}" for id in ids) if self.window else ()

    def onto(self, *ids: str) -> Look:
        """The window on some nodes."""
        return Look(sets=self.window.onto(*ids)) if self.window else Look()

    def name(self, node: Node) -> str:
        """How sentences call a node: by the program's name, else by its operation if that is unique, else by its id."""
        if node.name and not node.labels:
            return clean(node.name)
        alike = sum(other.op == node.op and other.kind == node.kind for other in self.graph)
        return node.op if alike == 1 and node.kind == "op" else node.id

    def called(self, node: Node) -> str:
        """How steps call a node: where it has no name, by its operation and its id, as its box does."""
        name = self.name(node)
        return f"{node.op} {name}" if name == node.id and node.kind == "op" else name

    def gradient(self, node: Node, array: Any) -> str:
        """A gradient of a node, as its box shows it; of several results a list, with None for one without."""
        came = array if type(array) is list else [array]
        said = self._tight([part for part in came if part is not None])
        return said or shorten(f"grad {counted(node)}", MOST - 20, 15, mono=True)

    def _whole(self, node: Node) -> str:
        return self.gradient(node, self.gradients[node.id]) if node.id in self.gradients else "no gradient"

    def _size(self, node: Node) -> tuple[float, float]:
        if node.kind == "expand":
            return room_for(*repeated(self.graph, node)), 46
        lines = self._first(node), self.value(node), self._whole(node), "not yet"
        count = _count(self.awaited(node.id))[1]
        so_far = (self.gradient(node, array) for array in self.heard.get(node.id, ()))
        longest = max((width(said, 15, mono=True) for said in so_far), default=0)
        return max(room_for(*lines, most=MOST), longest + count + 28 if count else 0), 58

    def awaited(self, id: str) -> int:
        """How many gradients come to a node."""
        return len(self.heard.get(id, ()))

    def _first(self, node: Node) -> str:
        name = self.name(node)
        return f"{node.op} {name}" if node.kind == "op" and name != node.op else name

    def shapes(self) -> tuple[Shape, ...]:
        """The arrows and the boxes."""
        arrows = self.dag.arrows(lambda a, b: self.graph[b].kind == "expand")
        return (*arrows, *(self._box(node) for node in self.graph))

    def _box(self, node: Node) -> Shape:
        at, k = self.dag.places[node.id], self.number[node.id]
        if node.kind == "expand":
            return small_box(f"n{k}", at, repeated(self.graph, node))
        round_ = 20 if node.kind in ("leaf", "parameter", "constant", "input") else 6
        ink = "grad-ink" if node.id in self.gradients else "muted"
        words, wide = _count(self.awaited(node.id))
        left = at.w - wide - (12 if round_ > 6 else 8)  # of the count, behind the gradient
        ends, anchor = (left - 9, "end") if words else (at.w / 2, "middle")
        lines = [
            draw.text(at.w / 2, 18, self._first(node), "mono strong", 16, "middle", room=at.w - 10),
            draw.text(at.w / 2, 35, self.value(node), "mono value-ink", 15, "middle", id=f"v{k}", room=at.w - 8),
            draw.text(ends, 52, self._whole(node), f"mono {ink}", 15, anchor, id=f"g{k}"),
        ]
        if words:
            pill = Shape("rect", attrs=(("width", wide), ("height", 16), ("rx", 8)))
            said = draw.text(wide / 2, 13, words, "", draw.SMALL, "middle", id=f"w{k}")
            lines.append(draw.group(f"h{k}", pill, said, cls="count", at=(left, 38.5)))
            lines.append(draw.text(at.w / 2, 52, "not yet", "mono muted off", 15, "middle", id=f"y{k}"))
        return draw.group(f"n{k}", panel(at.w, at.h, "dashed" if node.is_view else "", round_), *lines, at=(at.x, at.y))


def _count(awaited: int) -> tuple[str, float]:
    """The words that tell that all gradients have come to a node, where it is more than one, and the room they need."""
    words = f"{awaited} of {awaited}" if awaited > 1 else ""
    return words, round(width(words, draw.SMALL) + 10) if words else 0


def counted(node: Node) -> str:
    """What stands for numbers too many to be written: their shape, or `6 numbers`, which nobody takes for a 6."""
    if node.labels:
        return f"{len(node.labels)} results"
    return f"{shaped(node)} numbers" if len(node.shape or ()) == 1 else shaped(node)

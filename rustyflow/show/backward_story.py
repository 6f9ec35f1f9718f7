"""The steps of the backward figure: forward, then each event, then where a gradient comes from."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ..autograd import Step
from ..ir import Graph, Node
from ..ir.node import owner
from ..scene import Frame, Look, Scene
from ..tensor import Tensor
from ..tensor.history import AccumulateGrad, Output
from .backward_boxes import Boxes
from .backward_events import Events
from .backward_origin import Origin
from .backward_scene import EVENTS, SEEN, Picture
from .kit.dag import OPEN
from .trace import Key, Trace
from .words.rule import behind, below
from .words.sentences import listed, many

FORWARD, LEAVES = 14, 6
"""Up to so many operations have a step of their own forward; of so many leaves every number can be traced back."""


class Story:
    """The frames of the figure: each event with what it changes."""

    def __init__(self, y: Tensor, upstream: Tensor | None, made: Graph, steps: list[Step], title: str,
                 made_up: bool = False):  # fmt: skip
        self.graph, self.steps = made, list(_with_frees(steps))
        arrived: dict[str, Any] = {}
        heard: dict[str, list[Any]] = {}
        self.refs = list(_whose(made, self.steps))
        for step, ref in zip(self.steps, self.refs, strict=True):
            id = owner(ref)
            if step.kind == "accumulate":
                arrived[id] = step.after
                if made[id].labels:
                    before = heard.get(id, [[None] * len(made[id].labels)])[-1]
                    parts = zip(made[id].refs, before, strict=True)
                    arrived[id] = [step.after if own == ref else part for own, part in parts]
                heard.setdefault(id, []).append(arrived[id])
            elif step.kind == "hook":
                arrived[id] = step.contribution
        large = len(made) > OPEN or len(self.steps) > EVENTS
        self.boxes = Boxes(made, title, heard, arrived, large, SEEN)
        hooked = {ref for step, ref in zip(self.steps, self.refs, strict=True) if step.kind == "hook"}
        origins: dict[str, Origin] = {}
        trace = Trace(y, upstream, self._short, self._reach)
        for node in made:
            if type(node.history) is AccumulateGrad and node.id in arrived and len(origins) < LEAVES:
                origin = Origin(trace, node.history, node.name or node.id, f"o{len(origins)}", self.boxes.digits)
                if origin.fits:
                    origins[node.id] = origin
        self.picture = Picture(self.boxes, title, [step.kind for step in self.steps], origins)
        self.events = Events(self.picture, hooked, made_up)
        self.frames: list[Frame] = []

    def _short(self, history: Any, operand: int | None = None) -> str:
        """What the headings of origins call a node, or what it reads."""
        node = self.graph[owner(self.graph.find(history))]
        if operand is not None:
            ref = node.operands[operand]
            node = behind(self.graph, ref)
        return (node.name or (node.op if node.kind == "op" else node.id)) if node else ref

    def _reach(self, history: Any) -> int:
        """How many numbers the largest result has that was made of a node's."""
        users = [user for user, _ in self.graph.users(owner(self.graph.find(history)))]
        return max((prod(user.shape or ()) for user in users), default=0)

    def scene(self) -> Scene:
        """Everything, told."""
        picture = self.picture
        self.values = {id: Look({"waiting": picture.marks(id)}, {(f"v{k}", "text"): ""})
                       for id, k in picture.number.items() if self._boxed(id)}  # fmt: skip
        order = {owner(ref): n for n, ref in enumerate(self.refs) if self.steps[n].kind == "accumulate"}
        arriving = sorted(picture.gradients, key=lambda id: order.get(id, 0))
        self.events.wait(arriving)
        self._whole()
        self._forward()
        for number, step in enumerate(self.steps):
            self._event(number, step)
        self._end()
        path = tuple(f"{'m' if picture.window else 'n'}{k}" for k in range(len(self.graph)))
        cells = [tuple(origin.rows()) for origin in picture.origins.values()]
        return Scene(
            picture.title, picture.width, picture.height, picture.shapes, tuple(self.frames), picture.links(),
            ((path,), *cells), still=self.still, about=self._about(),
        )  # fmt: skip

    def _boxed(self, id: str) -> bool:
        return self.graph[id].kind != "expand"

    def _frame(self, says: str, *more: Look, **kwargs: Any) -> None:
        told = self.events
        looks = *self.values.values(), *told.waiting.values(), *told.turned.values(), *more
        self.frames.append(Frame(says, looks, **kwargs))

    # -- forward -----------------------------------------------------------------------------------------------------

    def _whole(self) -> None:
        says = "Forward gave the blue values. The orange gradients are yet to come, backward, one event at a time."
        self.frames.append(Frame(says, (*self.events.waiting.values(), self.boxes.onto(self.graph.nodes[0].id))))

    def _forward(self) -> None:
        ops = [node for node in self.graph if node.kind == "op"]
        for node in self.graph:
            if node.kind not in ("op", "expand"):
                self.values.pop(node.id)
        begin, end = (self.boxes.onto(nodes[k].id) for nodes, k in ((self.graph.nodes, 0), (self.graph.nodes, -1)))
        self._frame("Forward: the values of the leaves are there, and no gradient is, not even 0.", begin)
        for node in ops:
            self.values.pop(node.id)
            if len(ops) <= FORWARD:
                lit = f"n{self.picture.number[node.id]}", *self.picture.dag.into(node.id)
                view = self.boxes.onto(node.id, *self._sources(node))
                self._frame(*self.events.computed(node), Look({"lit": (*lit, *self.picture.marks(node.id))}), view)
        if len(ops) > FORWARD:
            self._frame(f"Forward: {many(len(ops), 'operation')} compute their values, one after the other.", end)

    # -- backward ----------------------------------------------------------------------------------------------------

    def _event(self, number: int, step: Step) -> None:
        node = self.graph[self.refs[number]]
        says, look = self.events.tell(step, self.refs[number])
        self.visited = node if step.kind == "vjp" or number == 0 else self.visited
        also = (node.id,) if node.id != self.visited.id and node.id not in self._sources(self.visited) else ()
        view = self.boxes.onto(self.visited.id, *also, *self._sources(self.visited))
        self._frame(says, self.picture.told(number), *look, Look({"lit": self.picture.marks(node.id)}), view)

    def _sources(self, node: Node) -> list[str]:
        """The nodes that a node reads."""
        return [owner(ref) for ref in node.operands if ref[:1] == "%"]

    # -- the end -----------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        picture = self.picture
        sums = [n for n, step in enumerate(self.steps) if step.kind == "sum_to"]
        vjps = [n for n, step in enumerate(self.steps) if step.kind == "vjp"]
        first = len(self.frames) - len(self.steps)
        self.still = first + (sums[0] if sums else vjps[-1] if vjps else 0)
        grads = [f"{picture.name(n)}.grad" for n in self.graph if n.id in picture.gradients and n.kind != "op"]
        are = "is" if len(grads) == 1 else "are"
        view = self.boxes.onto(self.graph.nodes[0].id)
        leaves = [picture.name(self.graph[id]) for id in picture.origins]
        made = f" Click {leaves[0] if len(leaves) == 1 else 'a leaf'} to see what made its gradient." if leaves else ""
        says = f"Every leaf has heard from all who read it: {listed(grads)} {are} complete.{made}"
        self._frame(says if grads else "Backward ends here: no gradient came to a leaf.", view)
        told = [(self._worth(origin, key), -k, -n, id, origin, cell, sum_)
                for k, (id, origin) in enumerate(picture.origins.items())
                for n, (key, cell, sum_) in enumerate(origin.sums()) if key in origin.first and sum_[2]]  # fmt: skip
        if told:
            *_, id, origin, cell, (name, _, products, equals, total) = max(told)
            key = next(key for key, own in origin.cells.items() if own == cell)
            further = f", and {further}" if (further := origin.further(key)) else ""
            blue = " In blue: what was read on the way." if origin.slots else ""
            says = f"Where {name} comes from: {products} {equals} {total}{further}.{blue}"
            self._frame(says, self.boxes.onto(id), link=cell)

    @staticmethod
    def _worth(origin: Origin, key: Key) -> tuple[bool, bool]:
        """How much there is to see in where a number of a gradient comes from: sums, and slots read."""
        return len(origin.trace.known[key].terms) > 1, bool(origin.slots)

    def _about(self) -> tuple[str, ...]:
        lines = self.graph.text(limit=OPEN).splitlines()
        for node in (n for n in self.graph if n.id in self.picture.gradients and n.kind != "op"):
            shown = self.boxes.written(self.picture.gradients[node.id], 60)
            is_ = f"= {shown}" if shown else f"has shape {list(node.shape or ())}"
            lines.append(f"{self.picture.name(node)}.grad {is_}")
        return tuple(lines)


def _whose(graph: Graph, steps: Sequence[Step]) -> Iterator[str]:
    """The node that each step is about; of one with several results which of them a gradient comes to."""
    comes = ""
    for step in steps:
        node = graph[graph.find(step.node)]
        ref = node.id
        if step.kind == "seed":
            ref = comes = node.refs[step.node.index if type(step.node) is Output else 0]
        elif step.kind == "vjp":
            comes = below(graph, node.operands[step.operand])
        yield comes if step.kind == "accumulate" else ref


def _with_frees(steps: list[Step]) -> Iterator[Step]:
    """The steps, with a 'free' after a node's last one, as a backward that does not retain the graph has it."""
    for n, step in enumerate(steps):
        yield step
        after = steps[n + 1] if n + 1 < len(steps) else None
        done = step.kind == "accumulate" and (after is None or after.kind in ("vjp", "hook"))
        sender = next((s.node for s in reversed(steps[: n + 1]) if s.kind == "vjp"), None)
        if done and sender is not None and (after is None or after.node is not sender):
            yield Step("free", sender)

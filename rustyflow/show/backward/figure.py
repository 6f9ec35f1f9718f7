"""show.backward: the program forward, then its gradients backward, one event at a time."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...autograd import Step, backward_steps
from ...errors import ArgumentTypeError, GradError
from ...errors.foreign import is_torch, kind_of
from ...ir import Graph, Node, graph as read
from ...ir.names import Names as Known
from ...ir.node import owner
from ...ops.creation import from_numpy
from ...scene import Figure, Link, Links, Look, Scene
from ...scene.scene import READ
from ...tensor import Tensor
from ...tensor.history import AccumulateGrad
from ...unfold import World
from ..kit.boxes import Boxes
from ..kit.closed import WHOLE, closed
from ..kit.dag import LARGE, LOW, OPEN, TOP, repeats
from ..kit.opens import Opened, opened
from ..kit.past import as_it_was
from ..kit.story import Story
from ..kit.window import MOVES
from ..words.caller import caller_text
from ..words.events import WORDS, Events, Sided
from ..words.given import Names, read_named, titled
from ..words.nodes import Voice, called, certain, changed, had, one_result, taken
from ..words.numbers import UPSTREAM
from ..words.rule import behind, below, computed, names_of, of_result, put
from ..words.sentences import listed, many
from .factor import sends
from .panels import PANEL, Panels
from .provenance import HOOKED, Origin
from .summary import summary
from .timeline import TALL, Timeline
from .trace import Trace
from .walk import Walk

SEEN = LOW - TOP - 12 - TALL - PANEL - 6
TALLEST, VIEW = 402, 206
"""Up to so tall a graph is drawn at once: three boxes under each other, or four smaller ones, which a projector shows
whole, or more, of which it shows the part that is told. A window on a larger graph has the height of two."""

LONG = 500
"""Up to so many events of backward are told one by one."""

FORWARD, LEAVES = 14, 6
"""Up to so many operations have a step of their own forward; of so many leaves every number can be traced back."""

BELOW = "ins", "led", "strip"
"""What stands below the graph: the inspector and the ledger, the strip of who is at work."""


def backward(
    y: Tensor, upstream: Tensor | None = None, *, names: Names = None, title: str | None = None
) -> Figure:  # fmt: skip
    """Shows forward, then backward: the values of each node, then the gradients, handed on node by node.

    With details (the key d) each event is a step: what an operation computes, then that a node hands on its gradient
    (a vjp, vector-Jacobian product), what a broadcast sums (sum_to), what arrives (accumulate) and what a node frees;
    a hook that changes a gradient has a step of its own always. The line of a gradient that has not arrived is dashed
    and empty. The inspector shows the rule of the step in symbols and in numbers, the ledger how a gradient grows.
    Click a leaf, or press Enter on it, then point at a number of its gradient, to see every product that made it, from
    gradient to gradient back to where backward began, and the slots of the storage that were read. A graph too large
    for a projector is seen through a window that follows the steps, with a map of it above. A model's, of more than 40
    nodes, is a row of closed boxes with the sizes of their gradients, and so is any of more than 200 nodes or 500
    events; one of more than 2,000 is told in words. Nothing is written to any `.grad`, and the graph is kept.

    Args:
        y: a tracked rustyflow tensor.
        upstream: the gradient that arrives at y; default: 1 for a single number, else small unequal integers.
        names: what to call y, ["loss"], or any tensors of the graph, {"w": w}; default: the program's names.
        title: the title; default: y as the call has it, or the assignment of the same cell that made it.

    Raises:
        TypeError: not a rustyflow tensor; a name or a title that is no text. ValueError: another number of names than
        tensors; a name of a tensor that is not in the graph. GradError (a RuntimeError): y is untracked, or its graph
        was freed.

    Example:
        >>> import rustyflow as rf
        >>> w, x = rf.tensor([2.0, 3.0], requires_grad=True), rf.tensor([0.5], requires_grad=True)
        >>> figure = rf.show.backward((w * x).sum())
        >>> print(figure.frames[11].sentence)
        sums: x was read as 2 numbers, so its 2 gradients are added up: 2 + 3 = 5.
    """
    if not isinstance(y, Tensor):
        if callable(y) or isinstance(y, tuple | list):
            read(y)  # which says of a module and of several tensors what to give
        raise ArgumentTypeError(
            f"{str(y)[:60]}, of type {kind_of(y)}",
            "backward is walked from a tensor of rustyflow's",
            "show.graph(y) for PyTorch's"
            if is_torch(y)
            else "give a tensor y that was computed from one with requires_grad=True",
            **({} if is_torch(y) else {"value": y}),
        )
    caller, title = caller_text((y,)), titled(title)
    graph, (text,), known = read_named((y,), names, caller)
    title = title or text or f"Backward from {called(graph[graph.results[0]])}"
    try:
        return figure_of(y, upstream, title, graph, names=taken(caller.variables), known=known)
    except GradError as error:
        if not error.rule.startswith("Trying to backward through the graph a second time"):
            raise
        rule = "show.backward runs backward itself, and y.backward() has let go of what it needs"
        write = "show.backward(y) in place of y.backward(), or y.backward(retain_graph=True) before it"
        raise GradError(error.was, rule, write) from None


def scene_of(*told: Any, **more: Any) -> Scene:
    """Returns the scene of `figure_of`, in which nothing opens."""
    return figure_of(*told, **more).scene


def figure_of(
    y: Tensor, upstream: Tensor | None, title: str, graph: Graph | None = None, steps: list[Step] | None = None,
    names: Iterable[str] = (), known: Known | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of a backward from `y`, told in the order of `steps`.

    `graph` has the names of the nodes, and `known` are all of the program's tensors; it and the steps are found if they
    are not given. By the program's other `names` no operation is called.
    """
    made_up = upstream is None and y.numel() != 1
    if made_up:
        given = [UPSTREAM[n % len(UPSTREAM)] for n in range(y.numel())]
        upstream = from_numpy(np.array(given, str(y.dtype).rpartition(".")[2]).reshape(tuple(y.shape)))
    steps = backward_steps(y, upstream) if steps is None else steps
    whole = read(y) if graph is None else graph
    graph = one_result(whole)
    world = World(y, known or Known(), upstream, steps=steps)
    if len(graph) > WHOLE:
        return Figure(summary(graph, steps, title), world)
    if len(graph) > LARGE or len(steps) > LONG or len(graph) > OPEN and any(node.scope for node in graph):
        return closed(whole, title, world, Walk(graph, steps).gradients)
    opens = Opened(world, Voice(graph, names))
    voice = Voice(as_it_was(graph), names)
    picture = BackwardPicture(Walk(voice.graph, steps), voice, Trace(voice, y, upstream), title, made_up)
    return Figure(picture.scene(), world, lambda: opened(opens, picture.opening(opens), _of(world, y)))


def _of(world: World, y: Tensor) -> str:
    """The number that the gradients are of, `loss = 0.86`; nothing of several."""
    if y.numel() != 1:
        return ""
    number = world.at(y, (0,) * y.ndim)
    return f"{number.name} {number.sign} {number.digits}"


class BackwardPicture:
    """The graph, and below it the strip of events, the inspector and the ledger.

    In their place stands, while a leaf is pinned, what its gradient is made of.
    """

    def __init__(self, walk: Walk, voice: Voice, trace: Trace, title: str, made_up: bool):
        self.walk, self.graph, self.title = walk, walk.graph, title
        talls = () if len(self.graph) > OPEN else (SEEN, TALLEST)
        self.boxes = boxes = Boxes(voice, walk.heard, walk.gradients, talls, VIEW, walk.factors)
        self.panels = Panels(boxes.right)
        self.dag, self.voice, self.number = boxes.dag, boxes.voice, boxes.number
        self.events = Events(self.voice, walk.awaited, made_up, self.panels.line)
        self.origins: dict[str, Origin] = {}
        for node in self.graph:
            if type(node.history) is AccumulateGrad and node.id in walk.gradients and len(self.origins) < LEAVES:
                letter = f"o{len(self.origins)}"
                origin = Origin(trace, node.history, self.voice.grad(node), letter, self.voice.digits)
                if origin.fits:
                    self.origins[node.id] = origin
        y = boxes.bottom + 12
        self.strip = Timeline(walk.chips(self.voice), y, boxes.right)
        self.opens: dict[str, Look] = {}  # an origin, in place of all below the graph, and of that too where need be
        self.height, drawn = y + TALL + PANEL + 6, []
        for id, origin in self.origins.items():
            under = y + origin.height + 6 <= LOW
            self.opens[id] = Look({"-off": (origin.letter,), "off": BELOW if under else (*BELOW, "view")})
            self.height = max(self.height, (at := y if under else TOP) + origin.height + 6)
            drawn.append(origin.draw(at))
        self.shapes = *boxes.draw(), *self.panels.draw(y + TALL), *self.strip.draw(), *drawn

    def _on_arrows(self) -> str:
        """Says what stands on the arrows, if something does: a factor, or the shape of what is sent."""
        drawn = {bool(sends(shape.text)) for shape in self.boxes.marked.values()}
        by = {True: "times what stands on the arrow", False: "in the shape that stands on the arrow"}
        return f" It goes back {', or '.join(by[k] for k in by if k in drawn)}." if drawn else ""

    # -- what lights with what ---------------------------------------------------------------------------------------

    def _links(self) -> Iterator[Links]:
        """Lets boxes say what they hold, but no gradient, for it may not have arrived.

        Pinned leaves open the origin of their gradient; its cells light what made them.
        """
        plain, marked, window = {}, {}, self.boxes.window
        pinned, moved = {"": (0,), "pinned": (1,)}, {move: (n,) for n, move in enumerate(MOVES, 2)}
        for node in self.graph:
            id, marks = f"n{self.number[node.id]}", self.boxes.marks(node.id)
            lights, name = (id, *marks, *self.dag.touching(node.id)), self.voice.grad(node)
            sentence, opens = (self._sentence(node), ""), self.opens.get(node.id)
            if opens:
                click = f"{sentence[0]} Click, or press Enter, to see what its gradient is made of in the end."
                shown = f"{name} is made of the numbers right of it: point at one of its own, or press ↓, to see how."
                sentence = click, shown
            boxes = {id: Link(lights, sentence)}
            onto = {mark: Link(lights, (*sentence, *window.onto(node.id).values())) for mark in marks}
            if not opens:
                plain, marked = plain | boxes, marked | onto
                continue
            yield Links(pinned, boxes, opens=opens)
            if onto:
                yield Links(pinned, onto, moved, opens=opens)
            yield self.origins[node.id].links(opens, self._between)
        yield Links((0,), plain)
        if marked:
            yield Links((0,), marked, moved)

    def _sentence(self, node: Node) -> str:
        if node.kind == "expand":
            source = self._target(node.operands[0])
            if not repeats(self.graph, node):
                return f"{source} is read here as {tuple(node.shape)}, with axes of size 1 in front."
            sums = ": backward sums over the repeats" if owner(node.operands[0]) in self.walk.gradients else ""
            return f"{source} is read again and again here{sums}."
        name, value = self.voice.name(node), self.voice.in_full([*node.outs], 16)
        has = f"its shape is {tuple(node.shape or ())}" if not node.labels else f"it has {len(node.labels)} results"
        since = f"it {'has' if certain(node) else 'may have'} changed since it was read"
        has = since if changed(node) else f"its value is {value}" if value else has
        if node.id not in self.walk.gradients:
            return f"{name} is untracked: {has}, and no gradient flows to it."
        rule, back = self.voice.called(node), self._factors(node)
        right = node.kind == "op" and put(computed(node), names_of(self.graph, node, self.voice.name))
        if right:
            rule = f"{node.op}: {name} = {right};"
        return f"{rule if rule.endswith(';') else rule + ':'} {has}.{f' Backward it sends {back}.' if back else ''}"

    def _factors(self, node: Node) -> str:
        """Says what a node multiplies a gradient with on its way to each operand.

        It also says those for which an arrow has no room.
        """
        ways = {operand: texts for (id, operand), texts in self.boxes.factors.items() if id == node.id}
        sent = []
        for k, texts in sorted(ways.items()):  # f′ where there is nothing plainer
            told, claim = self.voice.sends.get((node.id, k), ("", None))
            each = [str(claim) if text == told else sends(text, self.voice.arrives)
                    for text in sorted(texts, key=lambda text: "′" in text)]  # fmt: skip
            text = next(filter(None, each), "")
            sent.append((text, below(self.graph, node.operands[k])))
        counts = Counter(f"{g} to {self._target(ref)}" for g, ref in sent if g)
        times = {1: "", 2: ", twice"}
        return listed([text + times.get(n, f", {n} times") for text, n in counts.items()]) if counts else ""

    def _target(self, ref: str) -> str:
        """Returns the name of a node, or of one of its several results."""
        node = self.graph[owner(ref)]
        return of_result(self.voice.name(node), node, ref)

    def _between(self, numbers: frozenset[int]) -> tuple[str, ...]:
        """Returns the ids of nodes' boxes, found by their histories' numbers, with the arrows between them."""
        if numbers not in self.groups:
            edges = self.dag.edges
            ids = {node.id for node in self.graph if getattr(node.history, "number", None) in numbers}
            ids |= {n.id for n in self.graph if n.kind == "expand" and n.operands[0] in ids
                    and any(a == n.id and b in ids for _, a, b, _ in edges)}  # fmt: skip
            boxes = tuple(f"n{self.number[id]}" for id in sorted(ids, key=self.number.__getitem__))
            arrows = (edge for edge, a, b, _ in edges if a in ids and b in ids)
            self.groups[numbers] = (*boxes, *self.boxes.marks(*ids), *arrows)
        return self.groups[numbers]

    def opening(self, it: Opened) -> dict[str, Any]:
        """Returns what opens: boxes, marks on the map, and the numbers that leaves' gradients are made of."""
        opens: dict[str, Any] = {}
        histories = {getattr(node.history, "number", None): node for node in self.graph}
        for node in self.graph:
            ids = (f"n{self.number[node.id]}", *self.boxes.marks(node.id))
            opens |= dict.fromkeys(ids, it.box(node, True))
        for origin in self.origins.values():
            for id, (number, index) in origin.shown.items():
                node = histories[number]
                several = type(node.history) is not AccumulateGrad and type(node.history.out) is tuple
                place, index = (index[0], index[1:]) if several else (0, index)
                opens[id] = gradient = it.number(node.history, place, index)
                if gradient is not None:
                    it.gradients.setdefault(gradient.place, []).append(id)
            for (store, slot), id in origin.slots.items():
                it.slots.setdefault(store, {}).setdefault(slot, []).append(id)
        return opens

    # -- the story ---------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """Tells everything: forward, then each event, then where a gradient comes from."""
        self.story, self.groups = Story(), {}
        self._forward()
        still = self._backward()
        self._end()
        path = tuple(f"{'m' if self.boxes.window else 'n'}{k}" for k in range(len(self.graph)))
        cells = [tuple(origin.rows()) for origin in self.origins.values()]
        return Scene(
            self.title, self.boxes.width, self.height, self.shapes, tuple(self.story.frames), tuple(self._links()),
            ((path,), *cells), still=still, about=self._about(),
            least=READ if self.height > LOW + 1 else Scene.least,
        )  # fmt: skip

    def _forward(self) -> None:
        """Tells the whole, and as details what each operation computes."""
        story, boxes, nodes = self.story, self.boxes, self.graph.nodes
        ops = [node for node in nodes if node.kind == "op"]
        begin, end = (boxes.onto(node.id) for node in (nodes[0], nodes[-1]))
        for id in self.walk.gradients:
            story.later(f"g {id}", boxes.not_yet(id))
        chips = range(len(self.walk.ids))
        for k in chips:
            story.later(f"z {k}", self.strip.coming(k))
        sentence = "Forward gave each box its value. Backward will fill the dashed lines: no gradient is there yet."
        story.tell(sentence, looks=(begin,))
        for node in ops:
            story.later(f"v {node.id}", boxes.empty(node.id))
        but = ", but for what has changed since," if any(changed(node) for node in nodes if node.kind != "op") else ","
        none = "no gradient of this backward" if any(had(node) is not None for node in nodes) else "no gradient"
        sentence = f"Forward: the values of the leaves are there{but} and {none} is, not even 0."
        story.tell(sentence, looks=(begin,), fine=True)
        for node in ops if len(ops) <= FORWARD else ():
            told = self.events.computed(node)
            lit = f"n{self.number[node.id]}", *self.dag.into(node.id), *boxes.marks(node.id)
            looks = self._inspected(told), boxes.onto(node.id, *_read(node))
            reads = {(f"v{self.number[one]}", f"v{self.number[node.id]}"): None for one in self._valued(node)}
            story.tell(told.sentence, f"v {node.id}", lit=lit, looks=looks, fine=True, sends=reads)
        if len(ops) > FORWARD:
            sentence = f"Forward: {many(len(ops), 'operation')} compute their values, one after the other."
            story.tell(sentence, *(f"v {node.id}" for node in ops), looks=(end,), fine=True)

    def _valued(self, node: Node) -> list[str]:
        """The nodes whose values a node reads, also over an expansion."""
        read = (self.graph[id] for id in _read(node))
        return [owner(one.operands[0]) if one.kind == "expand" else one.id for one in read]

    def _backward(self) -> int:
        """Tells the events, and returns the number of the frame that shows most.

        That is the frame of the first node that sums, or the last.
        """
        story, walk, first = self.story, self.walk, len(self.story.frames)
        rule, visited = Look(), self.graph[walk.refs[0]]
        turn: dict[str, None] = {}  # what is lit when all that a node sends has arrived
        moved: dict[tuple[str, str], None] = {}  # from whom to whom a gradient has come in this turn
        for n, (step, ref) in enumerate(zip(walk.steps, walk.refs, strict=True)):
            node, told = self.graph[ref], self.events.tell(step, ref)
            if step.kind == "seed":
                told = told._replace(sentence=told.sentence + self._on_arrows())
            boxes, arrows = self._touched(step, node)
            for arrow in arrows:  # from now on it is turned round
                story.later(arrow, Look({}, {(arrow, "d"): self.dag.returns[int(arrow[1:])]}))
            whole = step.kind in ("seed", "accumulate", "hook")
            if step.kind in ("seed", "accumulate"):
                come = self.events.heard(node)
                if come < self.boxes.awaited(node.id) or node.id in walk.hooked:
                    story.later(f"g {node.id}", self.boxes.so_far(node.id, come))
                    whole = False
            rule = self._inspected(told) if told.head else rule
            ledger = [self.panels.grown(*told.ledger)] if told.ledger else []
            looks = self.strip.told(_word(step, node), walk.turns[n]), rule, *ledger
            visited = node if step.kind == "vjp" else visited
            also = [node.id] if node.id not in (visited.id, *_read(visited)) else []
            view = self.boxes.onto(visited.id, *also, *_read(visited))
            lit = (*boxes, *arrows, *self.boxes.marks(node.id))
            turn |= dict.fromkeys(lit)
            sends = {(f"gr{self.number[visited.id]}", f"gr{self.number[node.id]}"): None} if (
                step.kind == "accumulate" and node.id != visited.id) else {}  # fmt: skip
            moved |= sends
            coarse = step.kind in ("seed", "hook", "free")
            told_ = [f"g {node.id}"] if whole else []
            story.tell(
                told.sentence, *told_, *(f"z {k}" for k in walk.turns[n]), lit=turn if step.kind == "free" else lit,
                looks=(*looks, view), fine=not coarse, sends=moved if step.kind == "free" else sends,
                seen=told.seen,
            )  # fmt: skip
            turn, moved = ({}, {}) if coarse else (turn, moved)
        kinds = [step.kind for step in walk.steps]
        frees = [n for n, kind in enumerate(kinds) if kind == "free"]
        summed = kinds.index("sum_to") if "sum_to" in kinds else frees[-1] if frees else 0
        return first + next((n for n in frees if n >= summed), 0)

    def _inspected(self, told: Sided) -> Look:
        return self.panels.inspected(told.head, told.symbols, *told.formulas, last=told.last)

    def _touched(self, step: Step, node: Node) -> tuple[list[str], list[str]]:
        """Returns the boxes that an event is about, and the arrows over which it sends."""
        expand = self.graph.expansion(node.id, step.operand) if step.kind in ("vjp", "sum_to") else None
        if step.kind == "sum_to":
            target = behind(self.graph, node.operands[step.operand]).id
            arrows = [edge for edge, a, b, _ in self.dag.edges if (a, b) == (target, expand)]
            return [f"n{self.number[id]}" for id in (expand, target) if id], arrows
        arrow = None
        if step.kind == "vjp":
            source = expand or owner(node.operands[step.operand])
            arrow = self.dag.between(source, node.id, step.operand)
        return [f"n{self.number[node.id]}"], [arrow] if arrow else []

    def _end(self) -> None:
        """Tells which leaves are complete; and of the leaf with most to see, where a number comes from."""
        grads = [self.voice.grad(node) for node in self._ends()]
        leaves = [self.voice.name(self.graph[id]) for id in self.origins]
        which = "a leaf" if 1 < len(leaves) == len(grads) else leaves[0] if leaves else ""
        click = f" Click {which} to see what made its gradient." if leaves else ""
        are = "is" if len(grads) == 1 else "are"
        sentence = f"Every leaf has heard from all who read it: {listed(grads)} {are} complete.{click}"
        sentence = sentence if grads else "Backward ends here: no gradient came to a leaf."
        sentence += "".join(f" {more}" for node in self._ends() for more in self._not_here(node))
        self.story.tell(sentence, looks=(self.boxes.onto(self.graph.nodes[0].id),), picture=click)
        sums = [(id, origin, key) for id, origin in self.origins.items() for key in origin.first
                if origin.sums[key].products]  # fmt: skip
        if sums:
            id, origin, key = max(sums, key=lambda one: one[1].worth(one[2]))
            name, _, *sum_ = origin.sums[key]
            whole = " ".join(sum_) if HOOKED in sum_[1] else str(replace(origin.claims[key], about=""))
            further = f", and {further}" if (further := origin.further(key)) else ""
            sentence = f"Where {name} comes from: {whole}{further}."
            self.story.tell(sentence, link=origin.cells[key], looks=(self.boxes.onto(id),))

    def _not_here(self, node: Node) -> Iterator[str]:
        """Says what y.backward() would do at a leaf as well, and the figure does not."""
        name, before = self.voice.name(node), had(node)
        if before is not None and before.shape == self.walk.gradients[node.id].shape:
            was, sum_ = (self.voice.in_full(g, 30) for g in (before, before + self.walk.gradients[node.id]))
            has = f"has {was} already" if was else "has a gradient already"
            yield f"{name}.grad {has}: .backward() adds this one to it{f', {sum_}' if was and sum_ else ''}."
        if node.history.after:
            yield f"Then .backward() calls the hook that {name} has for {name}.grad; it is not called here."

    def _ends(self) -> list[Node]:
        """The nodes where backward ends, and a gradient has come."""
        return [node for node in self.graph if node.id in self.walk.gradients and node.kind != "op"]

    def _about(self) -> tuple[str, ...]:
        lines = self.graph.text(limit=OPEN).splitlines()
        factors = [(self.voice.name(node), self._factors(node)) for node in self.graph.nodes[::-1]]
        lines += [f"backward, {name} sends {sent}" for name, sent in factors if sent]
        for node in self._ends():
            name, grad = self.voice.grad(node), self.walk.gradients[node.id]
            told = self.voice.written(grad, 60)
            lines.append(str(self.voice.claim(name, grad)) if told else f"{name} has shape {tuple(node.shape or ())}")
        return tuple(lines)


def _word(step: Step, node: Node) -> str:
    """Returns the strip's word for an event.

    A node's last event stands for all of them, as the step of one that shows no details.
    """
    return WORDS[step.kind] if step.kind != "free" else "hands on, frees" if node.saved else "hands on"


def _read(node: Node) -> list[str]:
    """The nodes that a node reads."""
    return [owner(ref) for ref in node.operands if ref[:1] == "%"]

"""The steps of the backward figure: forward, then each event with what it changes and the sentence for it."""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ..autograd import Step
from ..history import AccumulateGrad
from ..ir import Graph, Node
from ..ir.value import owner
from ..scene import Frame, Look, Scene
from ..tensor import Tensor
from .backward_origin import Origin
from .backward_panels import in_numbers, inspector, ledger
from .backward_scene import LINE, Picture, counted
from .dag import OPEN, written
from .formula import arrays_of, behind, computed, names_of, plain, put, rule_of, sums, used, wrt
from .strides_scene import listed, many
from .trace import Trace

FORWARD, LEAVES = 14, 6
"""Up to so many operations have a step of their own forward; of so many leaves every number can be traced back."""


class Story:
    """The frames of the figure: each event with what it changes."""

    def __init__(self, y: Tensor, upstream: Tensor | None, made: Graph, steps: list[Step], title: str):
        self.graph, self.steps = made, list(_with_frees(steps))
        arrived: dict[str, Any] = {}
        self.arrivals: dict[str, int] = {}
        for step in steps:
            if step.kind == "accumulate":
                id = owner(made.find(step.node))
                arrived[id] = None if made[id].labels else step.after  # of several results each has a gradient
                self.arrivals[id] = self.arrivals.get(id, 0) + 1
            elif step.kind == "hook":
                arrived[owner(made.find(step.node))] = None if type(step.upstream) is list else step.contribution
        self.hooked = {owner(made.find(step.node)) for step in steps if step.kind == "hook"}
        origins: dict[str, Origin] = {}
        trace = Trace(y, upstream, self._short, self._reach)
        for node in made:
            if type(node.history) is AccumulateGrad and node.id in arrived and len(origins) < LEAVES:
                origin = Origin(trace, node.history, node.name or node.id, f"o{len(origins)}")
                if origin.fits:
                    origins[node.id] = origin
        self.picture = Picture(made, title, [step.kind for step in self.steps], arrived, origins)
        self.edge_d = dict(zip((e[0] for e in self.picture.dag.edges), self.picture.dag.returns, strict=True))
        self.frames: list[Frame] = []
        self.inspected: tuple[Look, ...] = ()
        self.told: dict[str, int] = {}

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
        order = {owner(self.graph.find(s.node)): n for n, s in enumerate(self.steps) if s.kind == "accumulate"}
        arriving = sorted(picture.gradients, key=lambda id: order.get(id, 0))
        self.waiting = {id: self._gradient(id, "not yet", True) for id in arriving}
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

    def _gradient(self, id: str, said: str, waiting: bool = False) -> Look:
        name = f"g{self.picture.number[id]}"
        classes = {"-grad-ink": (name,), "muted": (name,), "-grad": self.picture.marks(id)} if waiting else {}
        return Look(classes, {(name, "text"): said})

    def _frame(self, says: str, *more: Look, **kwargs: Any) -> None:
        self.frames.append(Frame(says, (*self.values.values(), *self.waiting.values(), *more), **kwargs))

    # -- forward -----------------------------------------------------------------------------------------------------

    def _whole(self) -> None:
        leaves = [self.picture.name(self.graph[id]) for id in self.picture.origins]
        which = listed(leaves) if 0 < len(leaves) < 4 else "a leaf"
        made = f"; click {which} to see what made its gradient" if leaves else ""
        says = "Forward gave the blue values, backward the orange gradients. "
        says += f"Point at a box to see what it holds{made}."
        self.frames.append(Frame(says, (self.picture.onto(self.graph.nodes[0].id),)))

    def _forward(self) -> None:
        ops = [node for node in self.graph if node.kind == "op"]
        for node in self.graph:
            if node.kind not in ("op", "expand"):
                self.values.pop(node.id)
        begin, end = (self.picture.onto(nodes[k].id) for nodes, k in ((self.graph.nodes, 0), (self.graph.nodes, -1)))
        self._frame("Forward: the values of the leaves are there, and no gradient is, not even 0.", begin)
        for node in ops:
            self.values.pop(node.id)
            if len(ops) <= FORWARD:
                lit = (
                    f"n{self.picture.number[node.id]}",
                    *(e for e, _, b, _ in self.picture.dag.edges if b == node.id),
                )
                view = self.picture.onto(node.id, *self._sources(node))
                self._frame(*self._computed(node), Look({"lit": (*lit, *self.picture.marks(node.id))}), view)
        if len(ops) > FORWARD:
            self._frame(f"Forward: {many(len(ops), 'operation')} compute their values, one after the other.", end)

    def _computed(self, node: Node) -> tuple[str, Look]:
        rule, arrays = computed(node), arrays_of(self.graph, node)
        name, names = self.picture.name(node), names_of(self.graph, node, self.picture.name)
        if rule.endswith("]"):  # an index is of a name
            rule, names, arrays = put(rule, names), {}, {}
        pieces = list(in_numbers(rule, arrays))
        shown = "".join(said for said, _ in pieces)
        result = written(node.out, 24) or f"shape {list(node.shape or ())}"
        known = all(a is not None and written(a, 26) for a in used(rule, arrays))
        sure = shown and known and written(node.out, 24) and (shown != rule or not names)
        pieces = [*pieces, (" = ", ""), (result, "value-ink strong")] if sure else [(result, "value-ink")]
        say = self._inspect(node.op, f"{name} = {put(rule, names)}" if rule else "", pieces, "")
        return f"{name}: {shown} = {result}." if sure else f"{name} gives {result}.", say

    # -- backward ----------------------------------------------------------------------------------------------------

    def _event(self, number: int, step: Step) -> None:
        node = self.graph[owner(self.graph.find(step.node))]
        name, k = self.picture.name(node), self.picture.number[node.id]
        says, look = getattr(self, f"_{step.kind}")(step, node, name, k)
        self.visited = node if step.kind == "vjp" or number == 0 else self.visited
        also = (node.id,) if node.id != self.visited.id and node.id not in self._sources(self.visited) else ()
        view = self.picture.onto(self.visited.id, *also, *self._sources(self.visited))
        self._frame(says, self.picture.told(number), *look, Look({"lit": self.picture.marks(node.id)}), view)

    def _sources(self, node: Node) -> list[str]:
        """The nodes that a node reads."""
        return [owner(ref) for ref in node.operands if ref[:1] == "%"]

    def _seed(self, step: Step, node: Node, name: str, k: int):
        shown = written(step.contribution, 30) or counted(node, "numbers")
        one = step.contribution.size == 1 and float(step.contribution.reshape(-1)[0]) == 1
        why = f"if {name} grows by 1, {name} grows by 1" if one else "the upstream gradient, from outside"
        say = self._inspect(f"seed: the gradient of {name}", "g = " + shown, [("g = ", ""), (shown, "grad-ink")], why)
        return f"Backward begins: the gradient of {name} is {shown}: {why}.", (say, Look({"lit": (f"n{k}",)}))

    def _vjp(self, step: Step, node: Node, name: str, k: int):
        target = behind(self.graph, node.operands[step.operand])
        to = self.picture.name(target)
        operands = list(getattr(node.history.op, "operands", ()))
        operand = operands[step.operand] if step.operand < len(operands) else "x"
        rule = plain(rule_of(node.formula, operand))
        left = wrt(to) if target.name else f"d({to})"
        upstream = step.upstream[0] if isinstance(step.upstream, list) else step.upstream
        arrays = {**arrays_of(self.graph, node), "g": upstream}
        names = names_of(self.graph, node, self.picture.name)
        symbols = f"{left} = {put(rule, names)}" if rule else left
        result = written(step.contribution, 26)
        pieces = [(f"{left} = ", ""), *in_numbers(rule, arrays), (" = ", ""), (result, "grad-ink strong")]
        middle = "".join(words for words, _ in pieces[1:-2])
        if not result or not middle or any(a is None or not written(a, 26) for a in used(rule, arrays)):
            alone = written(step.contribution, LINE - len(left) - 3)
            size = (f"{left}: shape {list(step.contribution.shape)}", "grad-ink")
            pieces = [(f"{left} = ", ""), (alone, "grad-ink strong")] if alone else [size]
        elif middle == result:
            pieces = [pieces[0], pieces[-1]]
        again = self.graph.expansion(node.id, step.operand)
        shape = f"its shape is {list(step.contribution.shape)}, like the value of {name if again else to}"
        say = self._inspect(f"{node.op}, for {to}", symbols, pieces, shape)
        lit = self._way(node.id, step.operand)
        shown = f": {result}" if result else ""
        says = f"vjp: {name} turns its gradient into one for {to}, by {symbols}{shown}."
        return says, (say, Look({"lit": (f"n{k}", *lit)}, {(e, "d"): self.edge_d[e] for e in lit if e[0] == "e"}))

    def _sum_to(self, step: Step, node: Node, name: str, k: int):
        target = behind(self.graph, node.operands[step.operand])
        to = self.picture.name(target)
        before, after = np.asarray(step.upstream), np.asarray(step.contribution)
        times = before.size // max(1, after.size)
        lines = list(sums(before, after))
        pieces = (
            [(lines[0][0], ""), (lines[0][1], "grad-ink"), (" = ", ""), (lines[0][2], "grad-ink strong")]
            if lines
            else []
        )
        rest = "; ".join("".join(f"{a}{b} = {c}" for a, b, c in [line]) for line in lines[1:3])
        symbols = f"sum_to: from shape {list(before.shape)} to {list(after.shape)}, {to}'s own"
        say = self._inspect(f"{to} was read {times} times", symbols, pieces, rest)
        expand = self.graph.expansion(node.id, step.operand)
        lit = tuple(f"n{self.picture.number[e]}" for e in (expand, target.id) if e)
        says = f"sum_to: {to} was read as {many(before.size, 'number')}, so its {before.size} gradients are added up"
        shown = f": {lines[0][1]} = {lines[0][2]}" if len(lines) == 1 else f" into {after.size}"
        lit_edges = tuple(e for e, a, b, _ in self.picture.dag.edges if (a, b) == (target.id, expand))
        turned = {(e, "d"): self.edge_d[e] for e in lit_edges}
        return f"{says}{shown}.", (say, Look({"lit": (*lit, *lit_edges)}, turned))

    def _accumulate(self, step: Step, node: Node, name: str, k: int):
        before, came, after = (written(x, 16) for x in (step.before, step.contribution, step.after))
        self.told[node.id] = self.told.get(node.id, 0) + 1
        heard, all_ = self.told[node.id], self.arrivals.get(node.id, 1)
        if heard < all_ or node.id in self.hooked:
            self.waiting[node.id] = self._gradient(
                node.id, written(step.after, self.picture.longest, True) or f"grad {counted(node, 'numbers')}"
            )
        else:
            self.waiting.pop(node.id, None)
        leaf = node.kind != "op"
        head, size = f"{name}.grad" if leaf else f"gradient of {name}", counted(node, "numbers")
        kept = ledger(head, "nothing" if step.before is None else before or size, came or size, after or size)
        before, came, after = (x or f"one of shape {list(node.shape)}" for x in (before, came, after))
        consumers = f"{heard} of {all_} {'has' if heard == 1 else 'have'} reported" if all_ > 1 else ""
        if step.before is None:
            says = f"accumulate: {name} had no gradient yet, so it has {after}"
        else:
            says = f"accumulate: {name} had {before}, and {came} comes to it: {after}"
        others = "the other" if all_ - heard == 1 else "the others"
        ready = f" It waits for {others}." if heard < all_ else "" if leaf else " It is ready."
        says += f"; {consumers}." if consumers else "."
        return says + ready, (*self.inspected, kept, Look({"lit": (f"n{k}",)}))

    def _hook(self, step: Step, node: Node, name: str, k: int):
        self.waiting.pop(node.id, None)
        before, after = ("" if type(g) is list else written(g, 26) for g in (step.upstream, step.contribution))
        change = f"{before} becomes {after}" if before and after else "another one takes its place"
        say = self._inspect(f"a hook on {name}", "register_hook", [(change, "grad-ink")], "a function of the program's")
        return f"hook: a hook replaces the gradient of {name}: {change}.", (say, Look({"lit": (f"n{k}",)}))

    def _free(self, step: Step, node: Node, name: str, k: int):
        own = [self._symbol(s.ref) if s.ref != node.id else "its own result" for s in node.saved]
        kept = listed(list(dict.fromkeys(own))) if own else ""
        held, last = f"it kept {kept} for this", "retain_graph=True keeps it for another walk"
        say = self._inspect(f"{name} is done", *((held, [], last) if own else ("it kept no tensor for this", [], "")))
        ends = f"and lets go of {kept}" if own else "and is done: it kept no tensor"
        return f"free: {name} has sent its gradients on, {ends}.", (say, Look({"lit": (f"n{k}",)}))

    def _symbol(self, ref: str) -> str:
        node = behind(self.graph, ref)
        return self.picture.name(node) if node is not None else ref

    def _way(self, id: str, operand: int) -> tuple[str, ...]:
        """The arrows from a node back to an operand, over the box of an expansion."""
        dag, expand = self.picture.dag, self.graph.expansion(id, operand)
        ref = self.graph[id].operands[operand]
        source = expand or self.graph[ref].id
        edge = dag.between(source, id, operand)
        return (edge,) if edge else ()

    def _inspect(self, head: str, symbols: str, pieces: list[tuple[str, str]], last: str) -> Look:
        self.inspected = (inspector(head, symbols, pieces, last),)
        return self.inspected[0]

    # -- the end -----------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        picture = self.picture
        sums = [n for n, step in enumerate(self.steps) if step.kind == "sum_to"]
        vjps = [n for n, step in enumerate(self.steps) if step.kind == "vjp"]
        first = len(self.frames) - len(self.steps)
        self.still = first + (sums[0] if sums else vjps[-1] if vjps else 0)
        grads = [f"{picture.name(n)}.grad" for n in self.graph if n.id in picture.gradients and n.kind != "op"]
        are = "is" if len(grads) == 1 else "are"
        view = picture.onto(self.graph.nodes[0].id)
        says = f"Every leaf has heard from all who read it: {listed(grads)} {are} complete."
        self.frames.append(Frame(says, (view,)))
        told = [(self._worth(origin), -k, id, origin) for k, (id, origin) in enumerate(picture.origins.items())]
        if told:
            _, k, id, origin = max(told)
            _, _, (name, _, products, total) = next(origin.sums())
            back = ", back to the slots of the storage" if origin.slots else ""
            says = f"Where {name} comes from: {products} = {total}{back}."
            self.frames.append(Frame(says, (picture.onto(id),), f"o{-k}q0"))

    @staticmethod
    def _worth(origin: Origin) -> tuple[bool, bool]:
        """How much there is to see in where a gradient comes from: sums, and slots read."""
        return len(origin.trace.known[origin.first[0]].terms) > 1, bool(origin.slots)

    def _about(self) -> tuple[str, ...]:
        lines = self.graph.text(limit=OPEN).splitlines()
        for node in (n for n in self.graph if n.id in self.picture.gradients and n.kind != "op"):
            shown = written(self.picture.gradients[node.id], 60)
            is_ = f"= {shown}" if shown else f"has shape {list(node.shape or ())}"
            lines.append(f"{self.picture.name(node)}.grad {is_}")
        return tuple(lines)


def _with_frees(steps: list[Step]) -> Iterator[Step]:
    """The steps, with a 'free' after a node's last one, as a backward that does not retain the graph has it."""
    for n, step in enumerate(steps):
        yield step
        after = steps[n + 1] if n + 1 < len(steps) else None
        done = step.kind == "accumulate" and (after is None or after.kind in ("vjp", "hook"))
        sender = next((s.node for s in reversed(steps[: n + 1]) if s.kind == "vjp"), None)
        if done and sender is not None and (after is None or after.node is not sender):
            yield Step("free", sender)

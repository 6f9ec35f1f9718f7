"""What happens in the backward figure: what each operation computes, what each event sends, adds and lets go of."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..autograd import Step
from ..ir import Node
from ..ir.node import owner
from ..scene import Look
from .backward_boxes import counted
from .backward_panels import in_numbers, inspector, ledger
from .backward_scene import LINE, SYMBOLS, Picture
from .words.numbers import as_written, numbers, sign, sign_of_rule, written
from .words.rule import arrays_of, behind, below, computed, names_of, of_result, plain, put, rule_of, sums, used, wrt
from .words.sentences import listed, many

LONGEST = 28
"""The characters that an array may have in a formula."""


class Events:
    """The sentence of each event, and what it changes.

    Attributes:
        waiting: for each node whose gradient is not whole yet what its box says instead.
        turned: the arrows over which a gradient has come, turned round.
    """

    def __init__(self, picture: Picture, hooked: set[str], made_up: bool):
        self.made_up, self.spelled = made_up, False
        self.graph, self.picture, self.boxes = picture.graph, picture, picture.boxes
        self.hooked, self.written = hooked, picture.boxes.written
        self.edge_d = dict(zip((e[0] for e in picture.dag.edges), picture.dag.returns, strict=True))
        self.waiting: dict[str, Look] = {}
        self.turned: dict[str, Look] = {}
        self.inspected: tuple[Look, ...] = ()
        self.told: dict[str, int] = {}

    def wait(self, ids: Iterable[str]) -> None:
        """No gradient has arrived yet at these nodes."""
        self.waiting = {id: self._not_yet(id) for id in ids}

    def tell(self, step: Step, ref: str) -> tuple[str, tuple[Look, ...]]:
        """An event of backward at a node, or at one of its results."""
        node = self.graph[ref]
        return getattr(self, f"_{step.kind}")(step, node, self._called(node, ref), self.picture.number[node.id])

    def _called(self, node: Node, ref: str) -> str:
        return of_result(self.boxes.called(node), node, ref)

    def computed(self, node: Node) -> tuple[str, Look]:
        """What an operation computes."""
        rule, arrays = computed(node), arrays_of(self.graph, node)
        name, names = self.boxes.called(node), names_of(self.graph, node, self.boxes.name)
        if rule.endswith("]"):  # an index is of a name
            rule, names, arrays = put(rule, names), {}, {}
        pieces = list(in_numbers(rule, self._said(arrays)))
        shown, result = "".join(said for said, _ in pieces), self.written([*node.outs], LONGEST)
        if shown and result and not node.labels and self._known(rule, arrays) and (shown != rule or not names):
            equals = sign_of_rule(rule, arrays, node.out, self.boxes.digits) if arrays else "="
            pieces = [*pieces, (f" {equals} ", ""), (result, "value-ink strong")]
            says = f"{name}: {shown} {equals} {result}."
        else:
            pieces = [(result or (counted(node) if node.labels else f"shape {list(node.shape or ())}"), "value-ink")]
            says = f"{name} gives {pieces[0][0]}."
        return says, self._inspect(node.op, f"{self.boxes.name(node)} = {put(rule, names)}" if rule else "", pieces, "")

    def _said(self, arrays: dict[str, Any]) -> dict[str, str]:
        return {token: self.written(array, LONGEST) for token, array in arrays.items()}

    def _known(self, rule: str, arrays: dict[str, Any]) -> bool:
        """Whether each array that a rule names can be written."""
        return all(array is not None and self.written(array, LONGEST) for array in used(rule, arrays))

    def _seed(self, step: Step, node: Node, name: str, k: int):
        shown = self.written(step.contribution, 30) or counted(node)
        one = step.contribution.size == 1 and float(step.contribution.reshape(-1)[0]) == 1
        outside = "numbers made up here, unless you give yours with" if self.made_up else "given with"
        why = f"if {name} grows by 1, {name} grows by 1" if one and not self.made_up else f"{outside} upstream="
        say = self._inspect(f"seed: the gradient of {name}", "g = " + shown, [("g = ", ""), (shown, "grad-ink")], why)
        return f"Backward begins: the gradient of {name} is {shown}: {why}.", (say, Look({"lit": (f"n{k}",)}))

    def _vjp(self, step: Step, node: Node, name: str, k: int):
        target = behind(self.graph, node.operands[step.operand])
        ref = below(self.graph, node.operands[step.operand])
        to = self._called(target, ref)
        operands = list(getattr(node.history.op, "operands", ()))
        operand = operands[step.operand] if step.operand < len(operands) else "x"
        rule = plain(rule_of(node, f"d{operand}"))
        left = wrt(to) if to in target.names else f"d({of_result(self.boxes.name(target), target, ref)})"
        upstream = step.upstream[0] if isinstance(step.upstream, list) else step.upstream
        arrays = {**arrays_of(self.graph, node), "g": upstream}
        symbols = f"{left} = {put(rule, names_of(self.graph, node, self.picture.name))}" if rule else left
        result = self.written(step.contribution, LONGEST)
        pieces = list(in_numbers(rule, self._said(arrays)))
        middle = "".join(words for words, _ in pieces)
        if not result or not middle or middle == result or not self._known(rule, arrays):
            alone = self.written(step.contribution, LINE - len(left) - 3)
            size = (f"{left}: shape {list(step.contribution.shape)}", "grad-ink")
            pieces = [(f"{left} = ", ""), (alone, "grad-ink strong")] if alone else [size]
        else:
            equals = sign_of_rule(rule, arrays, step.contribution, self.boxes.digits)
            pieces = [(f"{left} = ", ""), *pieces, (f" {equals} ", ""), (result, "grad-ink strong")]
        again = self.graph.expansion(node.id, step.operand)
        shape = list(step.contribution.shape)
        shape = f"its shape is {shape}, like the value of {name if again else to}" if shape else ""
        head = f"{node.op}: from {name} to {to}" if node.name else f"from {name} to {to}"
        say = self._inspect(head, symbols, pieces, shape)
        lit = self._way(node.id, step.operand)
        by = symbols if len(symbols) <= SYMBOLS else "the rule in the box below"
        vjp = "vjp" if self.spelled else "vjp (vector-Jacobian product)"
        self.spelled = True
        gives = f", which gives {result}" if result else ""
        says = f"{vjp}: {name} turns its gradient into one for {to}, by {by}{gives}."
        self._turn(lit)
        return says, (say, Look({"lit": (f"n{k}", *lit)}))

    def _sum_to(self, step: Step, node: Node, name: str, k: int):
        target = behind(self.graph, node.operands[step.operand])
        to = self._called(target, below(self.graph, node.operands[step.operand]))
        before, after = np.asarray(step.upstream), np.asarray(step.contribution)
        times = before.size // max(1, after.size)
        lines = list(sums(before, after, self.boxes.digits))
        pieces = [(words, ink) for head, terms, equals, total in lines[:1] for words, ink in (
            (head, ""), (terms, "grad-ink"), (f" {equals} ", ""), (total, "grad-ink strong"))]  # fmt: skip
        rest = "; ".join(f"{head}{terms} {equals} {total}" for head, terms, equals, total in lines[1:3])
        symbols = f"sum_to: from shape {list(before.shape)} to {list(after.shape)}, {to}'s own"
        say = self._inspect(f"{to} was read {times} times", symbols, pieces, rest)
        expand = self.graph.expansion(node.id, step.operand)
        lit = tuple(f"n{self.picture.number[e]}" for e in (expand, target.id) if e)
        says = f"sum_to: {to} was read as {many(before.size, 'number')}, so its {before.size} gradients are added up"
        shown = f": {' '.join(lines[0][1:])}" if len(lines) == 1 else f" into {after.size}"
        lit_edges = tuple(e for e, a, b, _ in self.picture.dag.edges if (a, b) == (target.id, expand))
        self._turn(lit_edges)
        return f"{says}{shown}.", (say, Look({"lit": (*lit, *lit_edges)}))

    def _accumulate(self, step: Step, node: Node, name: str, k: int):
        texts = [self.written(x, 26) for x in (step.before, step.contribution, step.after)]
        equals = self._added(step)
        self.told[node.id] = self.told.get(node.id, 0) + 1
        heard, all_ = self.told[node.id], self.boxes.awaited(node.id)
        if heard < all_ or node.id in self.hooked:
            so_far = self.boxes.gradient(node, self.boxes.heard[node.id][heard - 1])
            self.waiting[node.id] = self._so_far(node.id, so_far, heard)
        else:
            self.waiting.pop(node.id, None)
        leaf = node.kind != "op"
        head, size = f"{name}.grad" if leaf else f"gradient of {name}", counted(node)
        size = many(step.after.size, "number") if node.labels else size
        column = [written(x, 18, self.boxes.digits, tight=True) for x in (step.before, step.contribution, step.after)]
        nothing, came = "nothing" if step.before is None else column[0] or size, column[1] or size
        after = f"{equals} {column[2]}".removeprefix("= ") if column[2] else size
        kept = ledger(head, nothing, came, after, "now" if heard == all_ else "so far")
        before, came, after = (said or f"one of shape {list(step.after.shape)}" for said in texts)
        consumers = f"{heard} of {all_} {'has' if heard == 1 else 'have'} reported" if all_ > 1 else ""
        if step.before is None:
            says = f"accumulate: {name} had no gradient yet, so it has {after}"
        else:
            says = f"accumulate: {name} had {before}, and {came} comes to it: {equals} {after}".replace(": = ", ": ")
        others = "the other" if all_ - heard == 1 else "the others"
        ready = f" It waits for {others}." if heard < all_ else "" if leaf else " It is ready."
        says += f"; {consumers}." if consumers else "."
        return says + ready, (*self.inspected, kept, Look({"lit": (f"n{k}",)}))

    def _added(self, step: Step) -> str:
        """`=` where what was there and what comes, as they are written, add up to what is there now; else `≈`."""
        if step.before is None:
            return "="
        digits, pairs = self.boxes.digits, zip(numbers(step.before), numbers(step.contribution), strict=True)
        found = [sum(as_written(number, digits) for number in pair) for pair in pairs]
        return sign(found, numbers(step.after), digits)

    def _hook(self, step: Step, node: Node, name: str, k: int):
        self.waiting.pop(node.id, None)
        before, after = ("" if type(g) is list else self.written(g, 26) for g in (step.upstream, step.contribution))
        change = f"{before} becomes {after}" if before and after else "another one takes its place"
        short = [(before, "grad-ink"), (" becomes ", ""), (after, "grad-ink")]
        pieces = short if before and after else [(change, "grad-ink")]
        say = self._inspect(f"a hook on {name}", "register_hook", pieces, "a function of the program's")
        return f"hook: a hook replaces the gradient of {name}: {change}.", (say, Look({"lit": (f"n{k}",)}))

    def _free(self, step: Step, node: Node, name: str, k: int):
        own = [self._symbol(s.ref) if owner(s.ref) != node.id else f"its {s.ref.partition('.')[2] or 'own result'}"
               for s in node.saved]  # fmt: skip
        kept = listed(list(dict.fromkeys(own))) if own else ""
        held, last = f"it kept {kept} for this", "retain_graph=True keeps it for another walk"
        say = self._inspect(f"{name} is done", *((held, [], last) if own else ("it kept no tensor for this", [], "")))
        ends = f"and lets go of {kept}" if own else "and is done: it kept no tensor"
        return f"free: {name} has sent its gradients on, {ends}.", (say, Look({"lit": (f"n{k}",)}))

    def _symbol(self, ref: str) -> str:
        node = behind(self.graph, ref)
        return self._called(node, below(self.graph, ref)) if node is not None else ref

    def _way(self, id: str, operand: int) -> tuple[str, ...]:
        """The arrows from a node back to an operand, over the box of an expansion."""
        dag, expand = self.picture.dag, self.graph.expansion(id, operand)
        ref = self.graph[id].operands[operand]
        source = expand or self.graph[ref].id
        edge = dag.between(source, id, operand)
        return (edge,) if edge else ()

    def _turn(self, edges: Iterable[str]) -> None:
        self.turned |= {edge: Look({}, {(edge, "d"): self.edge_d[edge]}) for edge in edges}

    def _inspect(self, head: str, symbols: str, pieces: list[tuple[str, str]], last: str) -> Look:
        self.inspected = (inspector(head, symbols, pieces, last),)
        return self.inspected[0]

    def _not_yet(self, id: str) -> Look:
        """What a box says before a gradient comes: in its middle, though a count may stand beside the gradient."""
        k, mark = self.picture.number[id], {"-grad": self.picture.marks(id)}
        if self.boxes.awaited(id) > 1:
            return Look({"off": (f"h{k}",), "-off": (f"y{k}",), **mark}, {(f"g{k}", "text"): ""})
        return Look({"-grad-ink": (f"g{k}",), "muted": (f"g{k}",), **mark}, {(f"g{k}", "text"): "not yet"})

    def _so_far(self, id: str, said: str, heard: int) -> Look:
        """What it says until the gradient is whole, and how many of those that are added up have come."""
        k, awaited = self.picture.number[id], self.boxes.awaited(id)
        if heard == awaited:  # and a hook will replace it
            return Look({}, {(f"g{k}", "text"): said})
        grad, count = (f"g{k}",), {"waiting": (f"h{k}",), "-grad": self.picture.marks(id)}
        sets = {(f"g{k}", "text"): said, (f"w{k}", "text"): f"{heard} of {awaited}"}
        return Look({"-grad-ink": grad, "muted": grad, **count}, sets)

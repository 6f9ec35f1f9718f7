"""A walk backward as the figure tells it: its events, the turns on its strip, and what each node gets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...autograd import Step
from ...ir import Graph
from ...ir.node import owner
from ...tensor.history import Output
from ..words.nodes import Voice
from ..words.rule import below
from .factor import factors

CHIP = 14
"""The most characters of a word on the strip."""


class Walk:
    """A walk backward: its events, and what they are about.

    Attributes:
        steps: the events. refs: the node that each is about, or which of its results. turns: for each event the chips
        of the strip that it is about, and ids: the node of each chip, "" where backward starts. heard: for each node
        that gets a gradient, what that is after each one that comes; gradients: what it is in the end. hooked: the
        nodes whose gradients are replaced. awaited: how many gradients come to each node, or to each of its results.
    """

    def __init__(self, graph: Graph, steps: list[Step]):
        self.graph = graph
        steps = list(_with_frees(steps))
        refs = list(_whose(graph, steps))
        self.heard: dict[str, list[Any]] = {}
        self.gradients: dict[str, Any] = {}
        self.hooked = {ref for step, ref in zip(steps, refs, strict=True) if step.kind == "hook"}
        for step, ref in zip(steps, refs, strict=True):
            node = graph[ref]
            if step.kind == "accumulate":
                now = step.after
                if node.labels:
                    before = self.heard.get(node.id, [[None] * len(node.labels)])[-1]
                    pairs = zip(node.refs, before, strict=True)
                    now = [step.after if result == ref else part for result, part in pairs]
                self.heard.setdefault(node.id, []).append(now)
                self.gradients[node.id] = now
            elif step.kind == "hook":
                several = type(step.contribution) is list and not node.labels
                self.gradients[node.id] = step.contribution[0] if several else step.contribution
        kept = [k for k, step in enumerate(steps) if not (step.kind == "accumulate" and steps[k - 1].kind == "seed")]
        self.steps, self.refs = [steps[k] for k in kept], [refs[k] for k in kept]
        told = zip(self.steps, self.refs, strict=True)
        self.awaited = Counter(ref for step, ref in told if step.kind in ("seed", "accumulate"))
        self._take_turns()

    def _take_turns(self) -> None:
        """Finds the chips: one for the start, each node that hands on, each leaf that it reaches, each hook."""
        self.ids: list[str] = []
        self.turns: list[list[int]] = []
        sender, chip = "", 0
        for step, ref in zip(self.steps, self.refs, strict=True):
            id = owner(ref)
            if step.kind in ("seed", "hook"):
                self.ids.append(f"{step.kind} {id}")
                sender = ""
            elif step.kind == "vjp" and id != sender:
                self.ids.append(id)
                sender, chip = id, len(self.ids) - 1
            elif step.kind == "accumulate" and self.graph[id].kind != "op" and id not in self.ids[chip:]:
                self.ids.append(id)
            turn = list(range(chip, len(self.ids))) if step.kind == "free" else [chip]
            if step.kind in ("seed", "hook") or step.kind == "accumulate" and id in self.ids[chip:]:
                turn = [len(self.ids) - 1]
            self.turns.append(turn)
            sender = "" if step.kind == "free" else sender

    def factors(self, voice: Voice) -> dict[tuple[str, int], list[str]]:
        """Returns the texts for the arrow to each operand of a node that gets a gradient."""
        pairs = ((step, self.graph[ref]) for step, ref in zip(self.steps, self.refs, strict=True) if step.kind == "vjp")
        by_edge = {(node.id, step.operand): factors(self.graph, voice, step, node) for step, node in pairs}
        return {edge: ways for edge, ways in by_edge.items() if ways}

    def chips(self, voice: Voice) -> list[tuple[str, bool]]:
        """Returns the text of each chip, and True for a leaf's."""
        chips = [(id.partition(" ")[0], False) if " " in id else
                (voice.brief(self.graph[id]), self.graph[id].kind != "op") for id in self.ids]  # fmt: skip
        chips = [(text if len(text) <= CHIP else f"{text[: CHIP - 1]}…", leaf) for text, leaf in chips]
        return [("start" if text == "seed" else text, leaf) for text, leaf in chips]


def _with_frees(steps: list[Step]) -> Iterator[Step]:
    """Yields the steps, with a 'free' after a node's last one, as a backward without retain_graph has it."""
    sender = None
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        yield step
        sender = step.node if step.kind == "vjp" else sender
        done = step.kind == "accumulate" and (after is None or after.kind in ("vjp", "hook"))
        if done and sender is not None and (after is None or after.node is not sender):
            yield Step("free", sender)


def _whose(graph: Graph, steps: Sequence[Step]) -> Iterator[str]:
    """Yields the node of each step; of a gradient that comes to one of several results, that result."""
    comes = ""
    for step in steps:
        node = graph[graph.find(step.node)]
        ref = node.id
        if step.kind == "seed":
            ref = comes = node.refs[step.node.index if type(step.node) is Output else 0]
        elif step.kind == "vjp":
            comes = below(graph, node.operands[step.operand])
        yield comes if step.kind == "accumulate" else ref

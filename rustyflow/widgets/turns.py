"""A backward pass in the order of somebody's picks, as a scene: sent, lost, and added up."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..autograd import Step
from ..ir import Graph, Node
from ..ir.node import owner
from ..scene import Frame, Link, Links, Look, Scene, Shape, draw
from ..scene.draw import LEFT
from ..scene.measure import shorten, width
from ..show.backward.panels import BETWEEN, PANEL, ROW
from ..show.backward.walk import Walk
from ..show.kit.boxes import Boxes
from ..show.kit.dag import LOW, TOP, panel
from ..show.kit.window import MOVES
from ..show.words.events import Events
from ..show.words.nodes import Voice, counted
from ..show.words.sentences import listed

TABLE, ROWS, INNER = 324, 3, 16
"""The width of the panel of totals, how many lines each panel has, and the room at its sides."""

COLUMN = 9
"""The characters of a number in the table of totals."""

ASKS = (
    "A node adds up what comes to it, and hands it on once. What comes to it after that is lost.",
    "Whose whole box is orange has a gradient in hand. Pick the one to hand on next: click or tap it,",
    "press its letter, or go there with the arrows and press Enter. u takes back a pick.",
)


class Sent(NamedTuple):
    """A gradient on its way from a node to another, or to one of its results.

    By a formula; too late or not; with the words of what it comes to there, and the arrows it goes over.
    """

    sender: Node
    to: Node
    ref: str
    gradient: Any
    late: bool
    formula: str
    outcome: tuple[str, str]
    arrows: tuple[str, ...]


class Turn(NamedTuple):
    """The outcome of a pick: whose it was (None: backward begins), what it sent, all totals, who waits."""

    picked: Node | None
    sent: Sequence[Sent]
    walk: Walk
    waiting: Sequence[Node]


class Board:
    """The graph of a program, on which picks are carried out.

    Args:
        right: backward as it should be. made_up: whether the gradient that it begins with is.
    """

    def __init__(self, made: Graph, title: str, right: Walk, made_up: bool):
        self.graph, self.right, self.title, self.made_up = made, right, title, made_up
        room = LOW - TOP - 18 - PANEL
        self.boxes = Boxes(Voice(made), {}, right.gradients, (room,), room, right.factors)
        self.handed = self.boxes.right - LEFT - TABLE - BETWEEN  # the width of the panel of what is handed on
        self.line = int((self.handed - 2 * INNER) / width("0", draw.LABEL, mono=True))
        self.voice, self.number, self.dag = self.boxes.voice, self.boxes.number, self.boxes.dag
        self.events = self._events()

    def _events(self) -> Events:
        return Events(self.voice, self.right.awaited, self.made_up, self.line)

    def name(self, node: Node) -> str:
        return self.voice.name(node)

    def leaves(self) -> list[Node]:
        """The nodes where backward ends."""
        return [node for node in self.graph if node.id in self.right.gradients and node.kind != "op"]

    # -- what happens ------------------------------------------------------------------------------------------------

    def turn(self, picked: Node | None, steps: Sequence[Step], begin: int, waiting: Sequence[Node]) -> Turn:
        """The turn that came to the steps from `begin` on."""
        if picked is None:
            self.events = self._events()
        return Turn(picked, list(self._sent(Walk(self.graph, steps[begin:]))), Walk(self.graph, steps), waiting)

    def _sent(self, walk: Walk) -> Iterator[Sent]:
        formula, sender, arrows = "", None, ()
        for step, ref in zip(walk.steps, walk.refs, strict=True):
            node = self.graph[ref]
            if step.kind == "vjp":
                shown = self.events.tell(step, ref).formulas[0]
                formula, sender, arrows = "".join(part for part, _ in shown), node, self._arrows(step, node)
            elif step.kind == "sum_to":
                formula += f", added up: {self.voice.written(step.contribution, 12) or 'to its shape'}"
            elif step.kind == "accumulate":
                _, before, came, after, _ = self.events.tell(step, ref).ledger
                name = self.voice.called(node, ref)
                sum_ = f"{name}: {before} + {came} {after if after[0] == '≈' else f'= {after}'}"
                has = f"{name} has {self.voice.in_full(step.after, 18) or after}"
                if sender is not None:
                    outcome = (has if step.before is None else sum_, has)
                    yield Sent(sender, node, ref, step.contribution, False, formula, outcome, arrows)
            elif step.kind == "lost" and sender is not None:
                outcome = f"too late for {self.name(node)}: lost", "lost"
                yield Sent(sender, node, node.id, step.contribution, True, formula, outcome, arrows)

    def _arrows(self, step: Step, node: Node) -> tuple[str, ...]:
        """The arrows over which a node sends to one of its operands: over an expansion there are two."""
        expand, dag = self.graph.expansion(node.id, step.operand), self.dag
        ways = [dag.between(expand or owner(node.operands[step.operand]), node.id, step.operand)]
        ways += [edge for edge, _, b, _ in dag.edges if b == expand] if expand else []
        return tuple(way for way in ways if way)

    # -- what is said ------------------------------------------------------------------------------------------------

    def _amount(self, array: Any) -> str:
        return self.voice.in_full(array, 20) or f"a gradient of shape {list(np.shape(array))}"

    def _told(self, turn: Turn) -> str:
        if turn.picked is None:
            first = self.graph[self.right.refs[0]]
            seed = self._amount(self.right.steps[0].contribution)
            return f"Backward begins: the gradient that reaches {self.name(first)} is {seed}. Who hands on?"
        if not turn.sent:
            return f"{self.voice.called(turn.picked)} hands nothing on."
        sent = [f"{self._amount(one.gradient)} to {self.voice.called(one.to, one.ref)}" for one in turn.sent]
        late = [f"{self.voice.called(one.to)} has handed on already: {self._amount(one.gradient)} is lost."
                for one in turn.sent if one.late]  # fmt: skip
        return " ".join([f"{self.voice.called(turn.picked)} hands on {listed(sent, 3)}.", *late[:2]])

    def verdict(self, turns: Sequence[Turn]) -> str:
        """In the end: what the totals are, what they should be, and what was lost."""
        lost = [one for turn in turns for one in turn.sent if one.late]
        if not lost:
            grads = listed([f"{self.name(leaf)}.grad" for leaf in self.leaves()], 3)
            are = "are" if len(self.leaves()) > 1 else "is"
            return f"Nothing was lost: each node waited for all who read it. {grads} {are} right."
        wrong = [leaf for leaf in self.leaves() if self._wrong(leaf, turns)]
        said = [self._differs(leaf, turns[-1].walk.gradients) for leaf in wrong]
        lost.sort(key=lambda one: -np.abs(one.gradient).sum())  # the most of it first
        gone = [self._gone(one) for one in lost]
        return f"{_some(said) or 'The totals are right all the same'}. Lost: {_some(gone)}."

    def _differs(self, leaf: Node, totals: Mapping[str, Any]) -> str:
        """A leaf's total, and the right one; of many numbers, how many are wrong."""
        yours, right = (self._total(leaf, grads) for grads in (totals, self.right.gradients))
        if yours and right and yours != right:
            return f"{self.name(leaf)}.grad: yours {yours}, right {right}"
        grad = self.right.gradients[leaf.id]
        if leaf.id not in totals:
            return f"{self.name(leaf)}.grad: nothing came"
        return f"{self.name(leaf)}.grad: wrong in {int(np.sum(~_close(totals[leaf.id], grad)))} of {grad.size} numbers"

    def _gone(self, one: Sent) -> str:
        who, to = self.voice.called(one.sender), self.voice.called(one.to)
        return f"{self._amount(one.gradient)}, which {who} sent to {to} after {to} had handed on"

    def _total(self, leaf: Node, gradients: Mapping[str, Any], room: int = 20) -> str:
        return self.voice.written(gradients[leaf.id], room) if leaf.id in gradients else "nothing"

    def _wrong(self, leaf: Node, turns: Sequence[Turn]) -> bool:
        """True if a leaf's total lacks something; another order of adding up is no loss."""
        mine, right = turns[-1].walk.gradients.get(leaf.id), self.right.gradients[leaf.id]
        return mine is None or not np.all(_close(mine, right))

    def _sentence(self, node: Node) -> str:
        """The sentence on a node that is pointed at: what holds at every step."""
        name = self.voice.called(node)
        if node.kind == "expand":
            source = self.name(self.graph[owner(node.operands[0])])
            return f"{source} is read again and again here: what comes back over it is added up."
        if node.id not in self.right.gradients:
            return f"{name} asks for no gradient."
        if node.kind != "op":
            return f"{name} is a leaf: what comes to it stays there. {self._readers(node)}"
        return self._readers(node) or f"{name} is where backward begins."

    def _readers(self, node: Node) -> str:
        users = [user for user, _ in self.graph.users(node.id)]
        users += [after for user in users if user.kind == "expand" for after, _ in self.graph.users(user.id)]
        names = [self.voice.called(user) for user in users if user.id in self.right.gradients]
        counts = [f"{who}, twice" if names.count(who) == 2 else who for who in dict.fromkeys(names)]
        return f"{self.voice.called(node)} is read by {listed(counts)}." if names else ""

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def scene(self, turns: Sequence[Turn]) -> Scene:
        """A frame for each turn, and one that says what it came to when no node waits any more."""
        y, done = self.boxes.bottom + 12, not turns[-1].waiting
        frames = [self._frame(turns[: n + 1]) for n in range(len(turns))]
        if done:
            frames.append(self._frame(turns, self.verdict(turns)))
        words = [draw.text(0, INNER + ROW * k, line, "muted" if k else "") for k, line in enumerate(ASKS)]
        asks = draw.group("asks", *words, cls="aside", at=(LEFT, y))
        path = tuple(f"{'m' if self.boxes.window else 'n'}{self.number[node.id]}" for node in self.graph)
        return Scene(
            self.title, self.boxes.width, y + PANEL + 6, (*self.boxes.draw(*self._crosses()), asks, *self._panels(y)),
            tuple(frames), tuple(self._links()), ((path,),), about=tuple(self.graph.text().splitlines()),
        )  # fmt: skip

    def _crosses(self) -> Iterator[Shape]:
        """For each operation a cross, where what comes to it is lost: on the arrows that end there."""
        for node in self.graph:
            at = self.dag.places[node.id]
            if node.kind == "op" and node.id in self.right.gradients:
                yield draw.text(at.x + at.w + 12, at.y + at.h / 2 + 7, "✕", "warn strong off", draw.NUMBER, "middle",
                                f"x{self.number[node.id]}")  # fmt: skip

    def _panels(self, top: float) -> list[Shape]:
        """The panels of what is handed on, and of totals; both empty."""
        rows = [INNER + 6 + ROW * k for k in range(ROWS + 1)]
        texts: list[list[Shape]] = [[], []]
        lines = ((0, "f", INNER, "", "start", draw.LABEL), (0, "o", self.handed - INNER, "grad-ink", "end", draw.LABEL),
                 (1, "l", INNER, "", "start", draw.LABEL), (1, "y", 210, "grad-ink", "end", draw.NUMBER),
                 (1, "r", TABLE - INNER, "strong", "end", draw.NUMBER))  # fmt: skip
        for which, id, x, ink, anchor, size in lines:
            for k, y in enumerate(rows):
                head = ("mono strong", draw.NUMBER) if id == "f" else ("muted", draw.LABEL)
                cls, at = (f"mono {ink}", size) if k else head
                texts[which].append(draw.text(x, y, "", cls, at, anchor, f"{id}{k}"))
        left = self.boxes.right - TABLE
        return [
            draw.group("ins", panel(self.handed, PANEL), *texts[0], cls="aside off", at=(LEFT, top)),
            draw.group("led", panel(TABLE, PANEL), *texts[1], cls="aside off", at=(left, top)),
        ]

    def _frame(self, turns: Sequence[Turn], verdict: str = "") -> Frame:
        turn, first = turns[-1], self.graph[self.right.refs[0]]
        node = turn.picked or first
        looks = [self._numbers(turns), self.boxes.onto(node.id, *(one.id for one in turn.waiting))]
        if turn.picked is not None:
            looks += [self._handed(turn), self._table(turns, bool(verdict))]
        sends = () if verdict else tuple(
            (f"gr{self.number[one.sender.id]}", f"{'x' if one.late else 'gr'}{self.number[one.to.id]}")
            for one in turn.sent)  # fmt: skip
        lit = None if verdict else f"n{self.number[node.id]}"
        return Frame(verdict or self._told(turn), tuple(looks), lit, sends=tuple(dict.fromkeys(sends)))

    def _numbers(self, turns: Sequence[Turn]) -> Look:
        """The look of the boxes and the arrows after some turns."""
        has, sent = turns[-1].walk.gradients, [one for turn in turns for one in turn.sent]
        sets: dict[tuple[str, str], str] = {}
        empty, small = [], []
        for id in self.right.gradients:
            k, node = self.number[id], self.graph[id]
            said, room = self.boxes.gradient(node, has[id]) if id in has else "", self.dag.places[id].w - 14
            if width(said, self.boxes.sized.type, mono=True) > room:
                small.append(f"g{k}")
            sets[f"g{k}", "text"] = shorten(said, room, draw.LABEL, mono=True) if f"g{k}" in small else said
            if id not in has:
                empty.append(f"gr{k}")
        for arrow in (arrow for one in sent for arrow in one.arrows):
            sets[arrow, "d"] = self.dag.returns[int(arrow[1:])]
        waiting = tuple(f"n{self.number[node.id]}" for node in turns[-1].waiting)
        late = [one for one in sent if one.late]
        dashed = tuple(arrow for one in late for arrow in one.arrows)
        crossed = tuple(f"x{self.number[one.to.id]}" for one in late)
        marks = tuple(mark for id in self.right.gradients if id not in has for mark in self.boxes.marks(id))
        return Look({"virtual": tuple(empty), "-grad": (*empty, *marks), "small": tuple(small), "grad": waiting,
                     "dashed": dashed, "-off": crossed}, sets)  # fmt: skip

    def _handed(self, turn: Turn) -> Look:
        sets = {("f0", "text"): f"{self.voice.called(turn.picked)} hands on"}
        shown = turn.sent if len(turn.sent) <= ROWS else turn.sent[: ROWS - 1]
        for k, one in enumerate(shown, 1):
            short = f"{self._amount(one.gradient)} to {self.voice.called(one.to, one.ref)}"
            ways = [(left, right) for left in (one.formula, short) for right in one.outcome]
            fits = (way for way in ways if len("".join(way)) + 4 <= self.line)
            left, right = next(fits, ("", one.outcome[1]))
            sets |= {(f"f{k}", "text"): left, (f"o{k}", "text"): f"→ {right}"}
        if len(shown) < len(turn.sent):
            sets[f"f{ROWS}", "text"] = f"and to {len(turn.sent) - len(shown)} more"
        late = tuple(f"o{k}" for k, one in enumerate(shown, 1) if one.late)
        return Look({"-off": ("ins",), "off": ("asks",), "-grad-ink": late, "warn": late}, sets)

    def _table(self, turns: Sequence[Turn], over: bool) -> Look:
        leaves, totals = self.leaves(), turns[-1].walk.gradients
        wrong = [leaf for leaf in leaves if over and self._wrong(leaf, turns)]
        leaves = [*wrong, *(leaf for leaf in leaves if leaf not in wrong)]
        head = "leaf" if len(leaves) <= ROWS else f"{ROWS} of {len(leaves)} leaves"
        heads = zip("lyr", (head, *(("yours", "right") if over else ("so far", ""))), strict=True)
        sets = {(f"{id}0", "text"): said for id, said in heads}
        for k, leaf in enumerate(leaves[:ROWS], 1):
            sets[f"l{k}", "text"] = shorten(f"{self.name(leaf)}.grad", 90, draw.LABEL, mono=True)
            yours = self._total(leaf, totals, COLUMN) if leaf.id in totals else "nothing" if over else "–"
            sets[f"y{k}", "text"] = yours or (counted(leaf) if leaf not in wrong else "not this")
            if over:
                sets[f"r{k}", "text"] = self._total(leaf, self.right.gradients, COLUMN) or counted(leaf)
        late = tuple(f"y{k}" for k, leaf in enumerate(leaves[:ROWS], 1) if leaf in wrong)
        none = tuple(f"y{k}" for k, leaf in enumerate(leaves[:ROWS], 1) if leaf.id not in totals and not over)
        return Look({"-off": ("led",), "-grad-ink": late + none, "warn": late, "muted": none}, sets)

    def _links(self) -> Iterator[Links]:
        """Boxes, and marks on the map of a large graph, say who reads them."""
        plain, marked = {}, {}
        for node in self.graph:
            id, marks = f"n{self.number[node.id]}", self.boxes.marks(node.id)
            lights = id, *marks, *self.dag.touching(node.id)
            plain[id] = Link(lights, (self._sentence(node),))
            if self.boxes.window:
                moves = self.boxes.window.onto(node.id).values()
                marked |= {mark: Link(lights, (self._sentence(node), *moves)) for mark in marks}
        yield Links((0,), plain)
        if marked:
            yield Links((0,), marked, {move: (n,) for n, move in enumerate(MOVES, 1)})


def _close(mine: Any, right: Any) -> np.ndarray:
    """A mask of equal numbers: adding up in another order is no loss."""
    return np.isclose(mine, right, 1e-4, 1e-6, equal_nan=True)


def _some(said: Sequence[str]) -> str:
    """Two of them, and how many more there are."""
    return "; ".join([*said[:2], *([f"and {len(said) - 2} more"] if len(said) > 2 else [])])

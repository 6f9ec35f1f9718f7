"""BeTheEngine: a backward pass in which the student says, node after node, who hands its gradient on."""

from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import traitlets

from ..autograd import backward_steps
from ..autograd.steps import OwnOrder
from ..errors import ArgumentTypeError, ArgumentValueError, GradError
from ..errors.foreign import kind_of
from ..ir import Node
from ..ops.creation import from_numpy
from ..scene import Figure
from ..show.backward.walk import Walk
from ..show.kit.dag import OPEN
from ..show.words.caller import caller_text
from ..show.words.given import Names, read_named, titled
from ..show.words.numbers import UPSTREAM
from ..show.words.sentences import listed
from ..tensor import Tensor
from .base import Control, Widget
from .turns import Board, Turn

KEYS = [letter for letter in ascii_lowercase if letter not in "bfgu"]
"""Letters that pick a node: the others are the figure's own, and undo's."""


class Lost(NamedTuple):
    """A gradient that came to a node that had handed on already."""

    sender: str
    receiver: str
    gradient: Tensor


class BeTheEngine(Widget):
    """Backward by hand: pick who hands its gradient on, node after node, by pointing or by key.

    A pick is carried out, right or wrong. A node that is picked before all who read it have reported hands on too
    little; what comes to it later is lost, and in the end the totals stand beside the right ones. Nothing is written to
    any `.grad`, and the graph is kept; hooks of the program run again with every pick.

    Args:
        y: a tensor computed from one with requires_grad=True, by at most some 40 nodes.
        upstream: the gradient that arrives at y; default: 1 for a single number, else small unequal integers.
        names: what to call y, ["loss"], or any tensors of the graph, {"w": w}; default: the program's names.
        title: the title; default: y as the call has it, or the assignment of the same cell that made it.

    Attributes:
        picks: who was picked so far, by name or by id as in `rustyflow.ir.graph`; it may be set. waiting: who has a
            gradient in hand. result, right: by the names of the leaves the gradients that came of it, and those of
            backward. lost: what came too late, as (sender, receiver, gradient).

    Raises:
        TypeError: not a rustyflow tensor. GradError (a RuntimeError): y is untracked, or its graph was freed.
        ValueError: y is a leaf, or its graph is too large.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(1.0, requires_grad=True)
        >>> c = x * 2
        >>> d = c * 5
        >>> y = c + d
        >>> game = BeTheEngine(y)
        >>> game.picks = ["y", "c", "d"]
        >>> game.figure.sentences[-1]
        'x.grad: yours 2, right 12. Lost: 5, which d sent to c after c had handed on.'
        >>> game.picks = ["y", "d", "c"]
        >>> game.result, game.lost, x.grad
        ({'x': tensor(12.)}, [], None)
    """

    picks = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(self, y: Tensor, *, upstream: Tensor | None = None, names: Names = None,
                 title: str | None = None):  # fmt: skip
        if not isinstance(y, Tensor):
            rule, write = "the engine walks from a tensor of rustyflow's", "a tensor y = (x * w).sum()"
            raise ArgumentTypeError(f"{str(y)[:60]}, of type {kind_of(y)}", rule, write, value=y)
        made, (said,), known = read_named((y,), names, caller_text((y,)))
        title = titled(title) or said or "backward"
        if len(made) > OPEN:
            rule, write = f"at most {OPEN} are played with", "a smaller part, such as one turn of a loop"
            raise ArgumentValueError(f"a graph of {len(made):,} nodes", rule, write)
        if y.requires_grad and y.is_leaf:
            rule = "the engine visits nodes, which operations on tracked tensors make"
            raise ArgumentValueError("y, a leaf: nothing made it", rule, "y = (x * 2).sum()")
        self._y, self._upstream, made_up = y, upstream, upstream is None and y.numel() != 1
        if made_up:
            given = np.resize(np.array(UPSTREAM, str(y.dtype).rpartition(".")[2]), tuple(y.shape))
            self._upstream = from_numpy(given)
        try:
            right = Walk(made, backward_steps(y, self._upstream))
        except GradError as error:
            if not error.rule.startswith("Trying to backward through the graph a second time"):
                raise
            rule = "BeTheEngine runs backward itself, and y.backward() has let go of what it needs"
            write = "BeTheEngine(y) before y.backward(), or y.backward(retain_graph=True)"
            raise GradError(error.was, rule, write) from None
        self._board = Board(made, title, right, made_up)
        ops = [node for node in made if node.kind == "op" and node.id in right.gradients]
        alike = Counter(self._board.name(node) for node in ops)
        self._names = {node.id: name if alike[name := self._board.name(node)] == 1 else node.id for node in ops}
        self._nodes = {self._names[node.id]: node for node in ops}
        self._letters = dict(_letters(list(self._nodes)))
        self._turns: list[Turn] = []
        super().__init__()
        self.observe(self._pointed, "pinned")

    # -- what Python reads -------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[str]:
        """The nodes with a gradient in hand, which can be picked."""
        return [self._names[node.id] for node in self._turns[-1].waiting]

    @property
    def result(self) -> dict[str, Tensor]:
        """The gradients that have come to the leaves so far, by their names."""
        return self._totals(self._turns[-1].walk)

    @property
    def right(self) -> dict[str, Tensor]:
        """The gradients that backward brings to the leaves."""
        return self._totals(self._board.right)

    @property
    def lost(self) -> list[Lost]:
        """The gradients that came to nodes which had handed on already."""
        sent, name = (one for turn in self._turns for one in turn.sent if one.late), self._board.name
        return [Lost(name(one.sender), name(one.to), _tensor(one.gradient)) for one in sent]

    def _totals(self, walk: Walk) -> dict[str, Tensor]:
        leaves = (leaf for leaf in self._board.leaves() if leaf.id in walk.gradients)
        return {self._board.name(leaf): _tensor(walk.gradients[leaf.id]) for leaf in leaves}

    # -- picks -------------------------------------------------------------------------------------------------------

    def press(self, name: str) -> None:
        """A button: `pick NAME`, `undo`, `start again`; they go on from the step that is seen.

        Raises:
            ValueError: a node that has no gradient in hand; no such button.
        """
        before = [self._names[turn.picked.id] for turn in self._turns if turn.picked is not None][: self.frame]
        if name.startswith("pick "):
            turns = self._play([*before, name[5:]])  # raises before anything changes
            self.picks = [*before, self._names[turns[-1].picked.id]]
        elif name in ("undo", "start again"):
            self.picks = before[:-1] if name == "undo" else []
        else:
            raise ArgumentValueError(f"press({name!r:.40})", "the buttons are pick NAME, undo, start again", "undo")

    def _pointed(self, change: Any) -> None:
        """Picks a node without a button that was clicked, or pinned by Python, or says why it cannot be."""
        number = self.pinned[1:]
        node = next((node for node in self._board.graph if str(self._board.number[node.id]) == number), None)
        if not self.pinned or node is None:
            return
        with self.together():
            try:
                self.press(f"pick {self._names.get(node.id, self._board.name(node))}")
            except ArgumentValueError as error:
                self._refuse(error)
            self.pinned = ""

    def _picked(self, pick: str, engine: OwnOrder) -> Node:
        """The node that a pick names, if it has a gradient in hand.

        Raises:
            ValueError: no node, or one that cannot hand on now.
        """
        node = self._nodes.get(pick) or next((node for node in self._nodes.values() if node.id == pick), None)
        waiting = [name for name, one in self._nodes.items() if one.history.number in engine.waiting]
        if node is None or node.history.number not in engine.waiting:
            rule = "it has handed on already"
            if node is None:
                rule = "only a node that an operation made hands on"
            elif node.history.number not in engine.done:
                rule = "no gradient has come to it yet, so it has nothing to hand on"
            write = f"one of {listed(waiting)}" if waiting else "no more picks: all have handed on"
            raise ArgumentValueError(f"pick {pick[:40]!r}", rule, write)
        return node

    # -- the figure --------------------------------------------------------------------------------------------------

    def make(self) -> Figure:
        self._turns = self._play(self.picks)
        return Figure(self._board.scene(self._turns))

    def _renew(self) -> None:
        super()._renew()
        if self._note:  # of picks that Python set, maybe without a page: those of a page are tried before
            print(self._note)

    def _play(self, picks: Sequence[str]) -> list[Turn]:
        """The turns that picks come to, the first of them that backward begins.

        Raises:
            ValueError: a pick that is none. GradError (a RuntimeError): the graph was freed meanwhile.
        """
        engine, turns, begin = OwnOrder(self._y, self._upstream), [], 0
        for pick in (None, *picks):
            node = None if pick is None else self._picked(pick, engine)
            if node is not None:
                begin = len(engine.steps)
                engine.visit(node.history)
            waiting = [one for one in self._nodes.values() if one.history.number in engine.waiting]
            if not waiting:
                engine.end()
            turns.append(self._board.turn(node, list(engine.steps), begin, waiting))
        return turns

    def opens_at(self) -> int:
        return len(self._figure.frames) - 1

    def controls(self) -> list[Control]:
        picks = []
        for name in self.waiting:
            key = self._letters.get(name, "")
            face = name if key in ("", name) else f"{name} ({key})"
            spot = f"n{self._board.number[self._nodes[name].id]}"
            picks.append(Control("button", face, press=f"pick {name}", key=key, spot=spot))
        undo = Control("button", "undo (u)", press="undo", key="u")
        return [*picks, undo, Control("button", "start again", press="start again")] if self.picks else picks


def _letters(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A letter for each name, as far as they go: its own, one in it, or the next free one.

    >>> dict(_letters(["c", "mul", "%5", "cos"]))
    {'c': 'c', 'mul': 'm', '%5': 'a', 'cos': 'o'}
    """
    free = [letter for letter in KEYS if letter not in names]
    for name in names:
        key = name if name in KEYS else next((letter for letter in (*name.lower(), *free) if letter in free), "")
        if key in free:
            free.remove(key)
        if key:
            yield name, key


def _tensor(array: Any) -> Tensor:
    return from_numpy(np.array(array))

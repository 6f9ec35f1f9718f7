"""The steps of a run that are kept, each with its batch and weights, to be computed once more."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from math import isclose, isfinite
from typing import Any, NamedTuple

import numpy as np

from ...backends import backend
from ...dispatch import Op
from ...dispatch.run import apply, apply_view
from ...errors import ArgumentValueError
from ...ir.builder import known
from ...ir.reader import in_order
from ...ops.creation import from_numpy
from ...scene import Figure
from ...tensor import AccumulateGrad, Tensor, edge_of, history_of
from ...tensor.gradmode import enable_grad
from ...tensor.runs import RUNS, running

FIGURES: dict[str, tuple[str, Callable[..., Figure]]] = {}
"""A slot, which the door of the room fills: by key a label, and the function that draws a loss."""

MOST, IN_FILE, BYTES = 16, 4, 1 << 28
"""The most steps that are kept, those whose figures are in a file, and the most memory that all weights may take."""

ALWAYS = 3
"""The first step, the worst and the last: the others are pinned."""

NEAR = 1e-3
"""How near a loss that is computed once more comes to the one that was seen, relative."""

LIBRARIES = "rustyflow", "torch"
"""Those whose functions stand between a loop and what is seen of it."""

WRITES = "copy_slices", "write_where", "copy_into"
"""The operations that write into a tensor: their node has not got what was there before."""


class Step(NamedTuple):
    """A step that is kept.

    Attributes:
        number, loss: its number and its loss. result: the tensor that backward was called on, whose nodes hold no
            values any more. weights: those of each parameter, before they changed. given: of each node what it read
            that nothing tracks. runs: the calls of modules. names: the batch, as the loop calls it.
    """

    number: int
    loss: float
    result: Tensor
    weights: Mapping[int, np.ndarray]
    given: Mapping[int, tuple[tuple, dict]]
    runs: tuple[tuple[int, int, Any], ...]
    names: Mapping[str, Tensor]


def taken(number: int, result: Any, weights: Mapping[int, np.ndarray], batch: Any, since: int) -> Step | None:
    """Returns a step that can be run again, taken before its backward; None of an untracked loss, or of PyTorch's."""
    if not isinstance(result, Tensor) or history_of(result) is None:
        return None
    runs = takewhile(lambda run: run[1] > since, reversed(RUNS))
    given = {}
    for node in in_order([history_of(result)]):
        if type(node) is not AccumulateGrad:
            read = (x() if type(x).__name__ == "ReferenceType" else x for x in getattr(node, "given", None) or ())
            given[node.number] = tuple(read), known(node)
    return Step(number, float(result.detach().sum()), result, weights, given, tuple(runs), names_of(batch))


def names_of(batch: Any) -> dict[str, Any]:
    """Returns the tensors of a batch by the names that the loop gives them; of two names the later one."""
    frame, parts = sys._getframe(1), {id(x) for x in parts_of(batch) if hasattr(x, "requires_grad")}
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES:
        frame = frame.f_back
    named = {id(x): (name, x) for name, x in frame.f_locals.items() if id(x) in parts}
    return dict(named.values())


def again(step: Step, model: Any) -> tuple[Tensor, dict[str, Tensor]]:
    """Returns the loss of a kept step, computed once more, and the names of the tensors behind it.

    Raises:
        ValueError: it cannot be: an operation of the program's own, one that writes, or a batch that was written over.
    """
    twins: dict[int, Any] = {}
    names: dict[str, Tensor] = {}
    called = called_in(model)
    calls = _Calls(step.runs)
    with enable_grad(), backend.silent():
        for node in in_order([history_of(step.result)]):
            calls.reach(node.number)
            if type(node) is AccumulateGrad:
                leaf = node.variable
                x = twins[id(node)] = _leaf(step, leaf)
                if id(leaf) in called:
                    names[called[id(leaf)]] = x
                continue
            twins[id(node)] = _ran(node, *step.given[node.number], twins)
            for name, x in step.names.items():
                if any(x is one for one in step.given[node.number][0]):
                    names[name] = x
        calls.reach(float("inf"))
    loss = _twin(history_of(step.result), twins)
    settle(step, loss)
    return loss, {"loss": loss} | names


def settle(step: Any, loss: Any) -> None:
    """Raises ValueError for a step whose loss comes to another number than was seen."""
    value = float(loss.detach().sum())
    if not (isclose(value, step.loss, rel_tol=NEAR, abs_tol=1e-6) or not isfinite(step.loss) and not isfinite(value)):
        raise ArgumentValueError(f"step {step.number}, whose loss was {step.loss:.6g} and comes to {value:.6g} again",
                                 "what it read is another now, or random numbers were drawn otherwise",
                                 "x.clone() of a batch that is written into")  # fmt: skip


def _leaf(step: Step, leaf: Any) -> Tensor:
    if leaf is None:
        raise ArgumentValueError(f"step {step.number}", "a leaf that it read is gone", "keep it in a variable")
    array = step.weights.get(id(leaf))
    return from_numpy(np.array(leaf.detach()._a if array is None else array)).requires_grad_()


def _ran(node: Any, read: tuple, attrs: dict, twins: Mapping[int, Any]) -> Any:
    """The results of a node, run again on the twins of what it read."""
    op = node.op
    if not isinstance(op, Op) or op.name in WRITES:
        name = getattr(op, "name", node.name())
        raise ArgumentValueError(f"a step with {name}", "an operation of the program's own, or one that writes into a "
                                 "tensor, is not run again", "the same without it")  # fmt: skip
    operands = [_twin(parent, twins) if parent is not None else read[k] if read else None
                for k, parent in enumerate(node.parents)]  # fmt: skip
    return apply_view(op, *operands, **attrs) if op.layout is not None else apply(op, *operands, **attrs)


def _twin(history: Any, twins: Mapping[int, Any]) -> Tensor:
    node, k = edge_of(history)
    made = twins[id(node)]
    return made[k] if isinstance(made, tuple) else made


class _Calls:
    """The calls of modules, made once more around the nodes that were made in them."""

    def __init__(self, runs: Sequence[tuple[int, int, Any]]):
        self.waiting = sorted(runs, key=lambda run: run[0], reverse=True)
        self.open: list[tuple[int, running]] = []

    def reach(self, number: float) -> None:
        """Ends the calls that ended before a node was made, and begins those that it was made in."""
        self._end(number)
        while self.waiting and self.waiting[-1][0] < number:
            first, last, module = self.waiting.pop()
            self._end(first)
            if last > number and (module := module()) is not None:
                call = running(module)
                call.__enter__()
                self.open.append((last, call))

    def _end(self, number: float) -> None:
        while self.open and self.open[-1][0] < number:
            self.open.pop()[1].__exit__()


def parts_of(batch: Any) -> Iterator[Any]:
    """The parts of a batch, or of what a call gives, which may be in lists and dicts."""
    if isinstance(batch, Mapping):
        batch = batch.values()
    elif not isinstance(batch, tuple | list):
        yield batch
        return
    for part in batch:
        yield from parts_of(part)


def called_in(model: Any) -> dict[int, str]:
    """The names of a model's parameters in a figure, by their ids."""
    return {id(p): f"model.{name}" for name, p in model.named_parameters()}


class Keeping:
    """The steps that are kept while a run goes on: first, worst, last, and those that are pinned.

    Args:
        size: the bytes of a model's weights.
    """

    def __init__(self, size: int):
        self.most = min(MOST, BYTES // max(1, size))
        self.first: Step | None = None
        self.worst: Step | None = None
        self.last: Step | None = None
        self.wanted: set[int] = set()
        self.pinned: dict[int, Step] = {}

    def want(self, numbers: Iterable[int], done: int) -> None:
        """Takes down steps to be kept.

        Raises:
            ValueError: a step that is over, no whole number, or more than there is room for.
        """
        numbers = [*numbers]
        if wrong := [k for k in numbers if type(k) is not int or k < done]:
            rule = "a step is pinned before it begins, as its weights are gone after it"
            raise ArgumentValueError(f"pin({wrong[0]!r:.40}) after {done} steps", rule, f"run.pin({done})")
        room = max(0, self.most - ALWAYS)
        if len(self.wanted | {*numbers}) > room:
            raise ArgumentValueError(f"{len(self.wanted | {*numbers})} pinned steps",
                                     f"of this model {room} are kept besides the first, the worst and the last",
                                     "fewer steps")  # fmt: skip
        self.wanted |= {*numbers}

    def add(self, step: Step) -> None:
        """Keeps a step as what it is; of what it takes the place of nothing is held."""
        self.first = self.first or step
        if self.worst is None or _worse(step.loss, self.worst.loss):
            self.worst = step
        self.last = step
        if step.number in self.wanted:
            self.pinned[step.number] = step

    @cached_property
    def on(self) -> bool:
        """True if there is room for a step at all."""
        return self.most >= ALWAYS

    def steps(self) -> dict[int, Step]:
        """The steps by number, in the order in which they come into a file."""
        known = (self.first, self.worst, self.last, *self.pinned.values())
        return {step.number: step for step in known if step is not None}


def _worse(loss: float, before: float) -> bool:
    """True if a loss is greater than one before, or the first that is no number."""
    return isfinite(before) and (not isfinite(loss) or loss > before)

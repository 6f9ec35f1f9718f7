"""The exhibits: the smallest program on which each engine goes wrong, with both outcomes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ... import ir
from ...nn import functional as F
from ...ops.creation import arange, ones, tensor, zeros
from ...show.compare.engine import Engine, Outcome, numbers, run
from ...tensor import Tensor
from . import broken

Program = Callable[[], tuple[Tensor, dict[str, Tensor]]]
"""A program of a few lines: its result, and its tensors by name."""


@dataclass(frozen=True)
class Exhibit:
    """A broken engine with its program.

    Attributes:
        name: a word for it. engine: the class. code: the program as one writes it. program: the same, to be run.
        looks: what the outcome is looked at for. says: what the broken engine gives there, truth: what is right.
        lesson: the number of the one whose idea it breaks. times: how often backward is called.
    """

    name: str
    engine: type[Engine]
    code: str
    program: Program
    looks: Callable[[Outcome], Any]
    says: Any
    truth: Any
    lesson: str
    times: int = 1

    def outcome(self, engine: Callable | None = None) -> Outcome:
        """The outcome of the broken engine on the program, or of another; where visits count, of the walk."""
        engine = engine or self.engine()
        result, names = self.program()  # a graph does not keep them alive
        graph = ir.graph(result, names=names, depth=0)
        if self.looks is visits and isinstance(engine, Engine):
            return Outcome({}, visits=sum(1 for _ in engine.order(graph)))
        return run(engine, graph, times=self.times)


def leaf(*values: Any) -> Tensor:
    """A leaf that wants a gradient."""
    return tensor(values[0] if len(values) == 1 else list(values), requires_grad=True)


def gradient(name: str) -> Callable[[Outcome], Any]:
    """Looks at a leaf's gradient."""
    return lambda outcome: numbers(outcome.gradients).get(name)


def _minus() -> Any:
    a, b = leaf(5.0), leaf(2.0)
    d = a - b
    loss = d * d
    return loss, {"a": a, "b": b, "d": d, "loss": loss}


def _one_by_three() -> Any:
    a = leaf([2.0])
    three = tensor([1.0, 2.0, 3.0])
    return (a * three).sum(), {"a": a, "three": three}


def _equal_values() -> Any:
    a, b = leaf(2.0), leaf(3.0)
    y1, y2 = a * b, a * b
    return y1 + y2, {"a": a, "b": b, "y1": y1, "y2": y2}


def _twice() -> Any:
    a, b = leaf(2.0), leaf(3.0)
    return (a * b) * b, {"a": a, "b": b}


def _power() -> Any:
    c = leaf(3.0)
    return c**2, {"c": c}


def _three_axes() -> Any:
    a = (arange(6.0) * 100).reshape(2, 1, 3).requires_grad_()
    b = arange(24.0).reshape(2, 4, 3)
    return a + b, {"a": a, "b": b}


def _shared() -> Any:
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    return c + c, {"a": a, "b": b, "c": c}


def _doublings(many: int = 20) -> Any:
    x = y = leaf(1.0)
    for _ in range(many):
        y = y + y
    return y, {"x": x}


def _tie() -> Any:
    x = leaf(2.0, 2.0)
    return x.max(), {"x": x}


def _two_new_axes() -> Any:
    b = leaf(0.0, 0.0, 0.0)
    k = arange(3.0).expand(2, 3, 3).clone()
    return ((b + zeros(2, 3, 3)) * k).sum(), {"b": b, "k": k}


def _batches() -> Any:
    a, b = ones(2, 3, 4).requires_grad_(), ones(2, 4, 5).requires_grad_()
    return (a @ b).sum(), {"a": a, "b": b}


def _down() -> Any:
    x = arange(6.0).reshape(2, 3).requires_grad_()
    return x.sum(0), {"x": x}


def _four() -> Any:
    b = zeros(4).requires_grad_()
    return (ones(3, 4) + b).sum(), {"b": b}


def _product() -> Any:
    a = ones(2, 3).requires_grad_()
    b = arange(1.0, 7.0).reshape(3, 2)
    return (a @ b).sum(), {"a": a, "b": b}


def _two_rows() -> Any:
    x, y = zeros(2, 2).requires_grad_(), tensor([0, 1])
    return F.cross_entropy(x, y, reduction="none").mean(), {"x": x, "y": y}


def visits(outcome: Outcome) -> int:
    """Looks at how many nodes were visited."""
    return outcome.visits


def _first_value(outcome: Outcome) -> Any:
    return next((event.value.tolist() for event in outcome.events if event.kind == "value"), outcome.error)


def _word(outcome: Outcome) -> Any:
    return next((event.value for event in outcome.events if event.kind == "says"), "axis 0 disappears")


def _error(outcome: Outcome) -> str:
    return outcome.error.partition(":")[0]


_RIGHT = (arange(6.0) * 100).reshape(2, 1, 3) + arange(24.0).reshape(2, 4, 3)
_EIGHT = [[[0.0, 101.0, 202.0], [3.0, 104.0, 205.0], [6.0, 107.0, 0.0], [0.0] * 3], [[0.0] * 3] * 4]

EXHIBITS = (
    Exhibit("a sign", broken.PlusForMinus, "d = a - b\nloss = d * d", _minus, gradient("b"), 6.0, -6.0, "09"),
    Exhibit("never summed", broken.NeverSummed, "(a * tensor([1., 2., 3.])).sum()   # a of shape (1,)", _one_by_three,
            gradient("a"), [1.0, 2.0, 3.0], [6.0], "11"),
    Exhibit("equal is not the same", broken.SeenByValue, "y1 = a * b\ny2 = a * b\ny1 + y2", _equal_values,
            gradient("a"), 3.0, 6.0, "08"),
    Exhibit("what is left of the last time", broken.KeepsBetween, "(a * b) * b   # backward, and again", _twice,
            gradient("a"), 27.0, 18.0, "20", times=2),
    Exhibit("forward alone", broken.WithoutPow, "c ** 2", _power, _error, "AbsentKey", "", "09"),
    Exhibit("three axes, two loops", broken.TwoLoops, "a + b   # (2, 1, 3) and (2, 4, 3)", _three_axes, _first_value,
            _EIGHT, _RIGHT.tolist(), "03"),
    Exhibit("once a path", broken.OncePerPath, "c = a * b\nc + c", _shared, gradient("a"), 12.0, 6.0, "10"),
    Exhibit("two million visits", broken.OncePerPath, "for _ in range(20):\n    y = y + y", _doublings, visits,
            2_097_151, 21, "10"),
    Exhibit("ties", broken.AllOfTheTied, "x.max()   # of [2., 2.]", _tie, gradient("x"), [1.0, 1.0], [0.5, 0.5], "17"),
    Exhibit("axes that move", broken.ShrinkingAxes, "((b + zeros(2, 3, 3)) * k).sum()   # k counts along the last axis",
            _two_new_axes, gradient("b"), [6.0, 6.0, 6.0], [0.0, 6.0, 12.0], "11"),
    Exhibit("all axes turned", broken.AllAxesTurned, "(a @ b).sum()   # (2, 3, 4) and (2, 4, 5)", _batches, _error,
            "MatmulError", "", "18"),
    Exhibit("a wrong word", broken.RowsForColumns, "x.sum(0)", _down, _word, "axis 0: rows", "axis 0 disappears", "05"),
    Exhibit("from the left", broken.FromTheLeft, "(ones(3, 4) + b).sum()   # b of shape (4,)", _four, gradient("b"),
            [4.0, 4.0, 4.0, 0.0], [3.0, 3.0, 3.0, 3.0], "04"),
    Exhibit("wrong slots", broken.WrongSlots, "(a @ b).sum()   # (2, 3) and (3, 2)", _product, gradient("a"),
            [[10.0, 18.0, 0.0], [11.0, 3.0, 0.0]], [[3.0, 7.0, 11.0], [3.0, 7.0, 11.0]], "18"),
    Exhibit("nothing arrives", broken.NothingArrives, "cross_entropy(x, y, reduction='none').mean()", _two_rows,
            gradient("x"), [[-0.5, 0.5], [0.5, -0.5]], [[-0.25, 0.25], [0.25, -0.25]], "09"),
)  # fmt: skip
"""All of them, in the order of the lessons' first ideas."""

"""show.compare: two engines on one program, or two programs, side by side and in step."""

from inspect import Parameter, signature
from typing import Any

from ...errors import ArgumentTypeError, ArgumentValueError
from ...ir.text import clean
from ...scene import Figure
from ...tensor import Tensor
from ..words.caller import caller_text
from ..words.given import Names, read_named, titled
from .draw import scene_of
from .engine import Whole
from .numbers import Comparison, compared, engine_side, is_tensor, program_side, same_stream

OURS = "rustyflow"


def compare(
    program: Any, other: Any, upstream: Tensor | None = None, *, times: int = 1, names: Names = None,
    title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows a program under two engines, or two programs, event by event up to the first in which they differ.

    What differs is a value, a shape, an order, a visit more, a sum, a name, an error, or a gradient that is missing.
    Numbers are the same up to a part in 100,000, small ones up to 1e-7. Both sides draw the same random numbers, and
    each has 2 seconds and 20,000 events. `rustyflow.lessons.engine` shows how an engine is written.

    Args:
        program: a tensor that was computed, or a function without arguments that gives one, or several.
        other: an engine, `engine(graph, upstream)`, which returns gradients by the names of leaves, and may keep
            `events`; or, as the program, a tensor of ours or PyTorch's, or a function that gives one.
        upstream: the gradient that arrives at the program's result; default: 1 in each cell.
        times: how often backward is called.
        names: what to call tensors of the graph, {"w": w}; default: the program's names.
        title: the title; default: the program's line.

    Raises:
        TypeError: no program, no engine; times that is no whole number. ValueError: times less than 1; a tensor that no
        gradient flows to.

    Example:
        >>> import rustyflow as rf
        >>> from rustyflow.lessons.engine import Engine
        >>> class Overwrites(Engine):
        ...     def add(self, before, part):
        ...         return part
        >>> a, b = rf.tensor(2.0, requires_grad=True), rf.tensor(3.0, requires_grad=True)
        >>> y = a * b + a
        >>> print(rf.show.compare(y, Overwrites(), names={"a": a, "b": b}).sentences[-2])
        Event 7 is the first that differs: a.grad = 4 in rustyflow, and 3 in Overwrites.
    """
    caller = caller_text((program, other))
    words = [clean(text or "", 40) for text in caller.arguments]
    if type(times) is not int or times < 1:
        kind = ArgumentValueError if type(times) is int else ArgumentTypeError
        raise kind(f"times={times!r:.40}", "backward is called once or more often", "times=2")
    engine = isinstance(program, Tensor) and not _gives(other)
    if engine:
        if not program.requires_grad:
            raise ArgumentValueError("a tensor that no gradient flows to", "an engine finds gradients of leaves",
                                     "requires_grad=True for a leaf that it was computed from")  # fmt: skip
        alone = caller._replace(arguments=caller.arguments[:1], assignments=caller.assignments[:1])
        graph, (text,), _ = read_named((program,), names, alone)
        sides = []
        for name, one in ((OURS, Whole()), (_called(other, words[1]) or "the other", other)):
            with same_stream():
                sides.append(engine_side(name, one, graph, upstream, times))
        return figure_of(compared(*sides), titled(title) or text or words[0] or "a program under two engines")
    for one, what in ((program, "program"), (other, "other")):
        if not (callable(one) or is_tensor(one)):
            rule = "a program is a tensor, or a function without arguments that gives one"
            raise ArgumentTypeError(f"{what}={one!r:.60}", rule, "show.compare(y, engine), or show.compare(f, g)",
                                    value=one)  # fmt: skip
        if lacks := _lacks(one):
            rule = "a program is called without arguments, as often as it is needed"
            raise ArgumentTypeError(f"{what}={one!r:.60}, which cannot be called without {lacks}", rule,
                                    f"lambda: f({lacks}), with what it is to be called with", value=one)  # fmt: skip
    first, second = _called(program, words[0]) or "the one", _called(other, words[1]) or "the other"
    second = second if second != first else f"the other {second}"
    told = compared(program_side(first, program), program_side(second, other))
    return figure_of(told, titled(title) or f"{first} and {second}")


def figure_of(told: Comparison, title: str) -> Figure:
    """Returns the figure of a comparison."""
    return Figure(scene_of(told, title))


def _lacks(program: Any) -> str:
    """The names of the arguments without which a function cannot be called; "" of a tensor."""
    known = () if is_tensor(program) else _parameters(program) or ()
    return ", ".join(one.name for one in known if one.default is one.empty and one.kind not in
                     (one.VAR_POSITIONAL, one.VAR_KEYWORD))  # fmt: skip


def _gives(other: Any) -> bool:
    """True of a tensor, of what cannot be called, and of a function that takes no arguments: no engine."""
    if is_tensor(other) or not callable(other):
        return True
    return not isinstance(other, type) and _parameters(other) == []


def _parameters(function: Any) -> list[Parameter] | None:
    """The parameters of a function; None of one of C's that does not tell them."""
    try:
        return [*signature(function).parameters.values()]
    except (TypeError, ValueError):
        return None


def _called(one: Any, text: str) -> str:
    """The name of a function, of a class, or of what the call has there; "" where nobody knows."""
    name = getattr(one, "__name__", "") or ("" if is_tensor(one) else type(one).__name__)
    return clean(text if not name or name in ("<lambda>", "function", "partial") else str(name), 40)

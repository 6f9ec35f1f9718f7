"""The number that is moved: an argument of a function, or a part of a tensor that a loss reads."""

import random
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any

import numpy as np

from ...arguments.explain import refuse_misfit
from ...claims.digits import spell
from ...errors import ArgumentTypeError, ArgumentValueError, IndexOutOfRange
from ...nn import Module
from ...ops.creation import from_numpy
from ...random import Generator, get_rng_state
from ...tensor import Tensor, no_grad
from ..calls.beside import call_beside, modules, reached, repeated
from .function import DIGITS, Function, parameters


def of_numbers(f: Callable, name: str, at: Sequence[float], over: int | str, variable: str | None) -> Function:
    """The function of one of its arguments, at these numbers; the others stay.

    Raises:
        TypeError: another number of arguments. ValueError: no such argument.
    """
    refuse_misfit(name, f.forward if isinstance(f, Module) else f, list(at), {})
    names = parameters(f)[0][: len(at)] + [f"x{k}" for k in range(len(parameters(f)[0]), len(at))]
    places = [k for k, one in enumerate(names) if over == one or isinstance(over, int) and over in (k, k - len(names))]
    if not places or isinstance(over, bool):
        given = ", ".join(f"{k} ({one!r})" for k, one in enumerate(names))
        raise ArgumentValueError(f"over={over!r:.40}", f"over is one of the arguments: {given}", f"over={names[0]!r}")
    (k,) = places
    texts = [spell(number, DIGITS) for number in at]

    def call(leaf: Tensor) -> Any:
        others = [from_numpy(np.array(number, np.dtype(str(leaf.dtype).rpartition(".")[2]))) for number in at]
        return f(*others[:k], leaf, *others[k + 1 :])

    before, after = (*texts[:k],), (*texts[k + 1 :],)
    form = f"{name}({', '.join((*names[:k], variable or names[k], *names[k + 1 :]))})"
    return Function(runs(call, f, at[k]), name, variable or names[k], "float64", before, after, form)


def runs(call: Callable[[Tensor], Any], f: Callable, number: float, kind: str = "float64",
         kept: Sequence[tuple[Tensor, np.ndarray]] | None = None) -> Callable[[Tensor], Any]:  # fmt: skip
    """The call of f as it may run often: what it draws at random is the same each time.

    One that draws nothing, prints nothing and knows no module at a number is the call itself, which is faster.
    """
    values = reached(f)
    if not modules(values) and not any(isinstance(x, STATEFUL) for x in values):
        before, printed = _drawn(), StringIO()
        with redirect_stdout(printed), suppress(Exception), no_grad():
            call(from_numpy(np.array(number, kind)))
            if _drawn() == before and not printed.getvalue():
                return call
    kept = states(f) if kept is None else ()
    return repeated((lambda leaf: call_beside(call, (leaf,), {}, (), (), kept)) if kept else call, f)


STATEFUL = Generator, np.random.Generator, random.Random
"""What draws random numbers that a function may hold."""


def _drawn() -> tuple:
    """The states of the random generators of all."""
    return get_rng_state().numpy().tobytes(), np.random.get_state()[1].tobytes(), np.random.get_state()[2], \
        random.getstate()  # fmt: skip


def states(f: Callable) -> list[tuple[Tensor, np.ndarray]]:
    """The tensors that the modules of a function keep and may write to, with their numbers."""
    buffers = (x for module in modules(reached(f)) for x in module._buffers.values() if x is not None)
    return [(x, np.array(x.detach().numpy())) for x in buffers]


def of_weight(f: Callable, name: str, w: Tensor, index: Any, variable: str) -> tuple[Function, float]:
    """The function of one number of a tensor that it reads, or takes; and that number.

    The tensor is another one while f runs, and then what it was, so that nothing of the reader's is written to.

    Raises:
        TypeError: no tensor of floats, no index. IndexError: no such place, or one of several.
    """
    if not w.is_floating_point():
        rule = "only floats can be nudged, and have a gradient"
        raise ArgumentTypeError(f"{variable}, of {w.dtype}", rule, f"{variable}.float()", value=w)
    place = tuple(index) if isinstance(index, list | tuple) else () if index is None else (index,)
    place = (0,) * w.dim() if index is None and w.numel() == 1 else place
    if any(isinstance(i, bool) or not isinstance(i, int | np.integer) for i in place):
        raise ArgumentTypeError(f"index={index!r:.40}", "a place is a whole number for each axis", "index=(0, 1)")
    if len(place) != w.dim() or not all(-n <= i < n for i, n in zip(place, w.shape)):
        write = f"show.curve(loss, {variable}, {(0,) * w.dim()})"
        rule = "one number of the tensor is moved: its place has an index for each axis"
        raise IndexOutOfRange(f"index={index!r:.40} of shape {tuple(w.shape)}", rule, write)
    copy, kind = np.array(w.detach().numpy()), str(w.dtype).rpartition(".")[2]
    takes, kept = parameters(f)[1] > 0, states(f)

    def call(leaf: Tensor) -> Any:
        moved = from_numpy(copy)
        if leaf.requires_grad:  # the number is put into its place by an operation, which backward walks through
            moved = moved.clone()
            moved[place] = leaf
        else:
            copy[place] = leaf.item()
        return f(moved) if takes else call_beside(f, (), {}, (), [w], kept, moved)

    where = f"{variable}[{', '.join(map(str, place))}]" if place else variable
    number = float(copy[place])
    run = runs(call, f, number, kind, None if takes else kept)
    return Function(run, name, where, kind, form=f"{name}({where})"), number

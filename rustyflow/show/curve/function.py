"""A function of one number, whoever wrote it: its value and its gradient at a number, both as Python numbers."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from ...autograd import grad
from ...claims.digits import spell
from ...errors import ArgumentTypeError, ArgumentValueError, ShapeError, TensorError
from ...errors.foreign import kind_of
from ...nn import Module
from ...ops.creation import from_numpy
from ...tensor import Tensor, enable_grad, no_grad
from ..calls.call import function
from ..words.sentences import articled

DIGITS = 6
"""The digits of a number at which a function is asked."""

COUNTED = "iufb"


@dataclass(frozen=True, eq=False)
class Function:
    """A function of one number.

    Attributes:
        call: from a tensor of no axes.
        name: `f`; of a loss that reads a weight the loss's own name.
        variable: the number's name, `x` or `w[0, 1]`.
        kind: the dtype of the number, as NumPy calls it.
        before, after: the texts of the other arguments, before and after this one.
        form: the call with the names of all arguments.
    """

    call: Callable[[Tensor], Any] = field(repr=False)
    name: str = "f"
    variable: str = "x"
    kind: str = "float64"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    form: str = "f(x)"

    def of(self, number: float | str) -> str:
        """The call at a number, or with some text in its place, as a sentence has it: `f(3)`."""
        text = number if isinstance(number, str) else spell(number, DIGITS)
        return f"{self.name}({', '.join((*self.before, text, *self.after))})"

    def exactly(self, number: float) -> float:
        """The number as its dtype keeps it."""
        return float(np.dtype(self.kind).type(number))

    def value(self, number: float) -> float:
        """Returns the result at a number; nan where the function raises, or has no number as its result."""
        try:
            return self.asked(number)
        except Exception:  # the reader's own function may raise anything
            return nan

    def error(self, number: float) -> str:
        """Returns the kind of error that the function raises at a number, or ""."""
        try:
            self.asked(number)
        except Exception as problem:
            return type(problem).__name__
        return ""

    def asked(self, number: float) -> float:
        """Returns the result at a number.

        Raises:
            What the function raises. TypeError, RuntimeError (a ShapeError): its result is no number.
        """
        with no_grad(), np.errstate(all="ignore"):
            return _number(self.call(self._leaf(number)), self.of(number))

    def gradient(self, number: float) -> tuple[float | None, str]:
        """Returns the gradient that backward gives at a number, None where it gives none, and why."""
        leaf = self._leaf(number).requires_grad_()
        with enable_grad(), np.errstate(all="ignore"):
            try:
                result = self.call(leaf)
            except Exception as error:  # the reader's own function may raise anything
                text = getattr(error, "rule", "") or str(error).partition("\n")[0]
                return None, f"asked for one, {self.name} raised {type(error).__name__}, {text.rstrip('.')}"
            if not isinstance(result, Tensor):
                return None, f"{self.name} returned {articled(kind_of(result))}, which keeps no history"
            if not result.requires_grad:
                return None, f"what {self.name} returned was not computed from {self.variable} by operations"
            try:
                (slope,) = grad(result, leaf, allow_unused=True)
            except (TensorError, RuntimeError) as error:
                return None, getattr(error, "rule", "") or str(error).partition("\n")[0]
        if slope is None:
            return None, f"{self.variable} is not read"
        return float(slope.item()), ""

    def _leaf(self, number: float) -> Tensor:
        return from_numpy(np.array(number, self.kind))


def _number(result: Any, call: str) -> float:
    """The result of a call as a number.

    Raises:
        TypeError, RuntimeError (a ShapeError): it is none.
    """
    array = np.asarray(result.detach().numpy()) if isinstance(result, Tensor) else None
    if array is None and isinstance(result, bool | int | float | np.generic | np.ndarray):
        array = np.asarray(result)
    if array is None or array.dtype.kind not in COUNTED:
        was = f"{call} is {result!r:.40}, " + (f"of {result.dtype}" if array is not None else f"a {kind_of(result)}")
        write = "return the loss" if result is None else "a function whose result is a tensor of one number"
        raise ArgumentTypeError(was, "a curve is drawn of a function whose result is one real number", write)
    if array.size != 1:
        many = "a curve is drawn of a function whose result is one number"
        raise ShapeError(f"{call} has shape {array.shape}", many, ".sum() or .mean() of it, or one of its numbers, [0]")
    return float(array.reshape(())[()])


def numbers(given: Any, name: str = "at", write: str = "at=1.0, or at=(1.0, 2.0) with over=0") -> list[float]:
    """Returns the numbers that are given as an argument: one, or several.

    Raises:
        TypeError: something else. ValueError: nan or inf, or too large for a float.

    >>> numbers(3), numbers((1, 2.5)), numbers(np.float32(0.5))
    ([3.0], [1.0, 2.5], [0.5])
    """
    parts = list(given) if isinstance(given, list | tuple) else [given]
    if isinstance(given, Tensor | np.ndarray) and "complex" not in str(given.dtype) and len(given.shape) == 1:
        parts = given.tolist()
    parts = [part.item() if _single(part) else part for part in parts]
    if not parts or any(isinstance(part, bool) or not isinstance(part, int | float) for part in parts):
        rule = f"{name} is a number, or several of them"
        raise ArgumentTypeError(f"{name}={given!r:.60}", rule, write, value=given)
    try:
        parts = [*map(float, parts)]
    except OverflowError:
        parts = [inf]
    if not all(map(isfinite, parts)):
        raise ArgumentValueError(f"{name}={given!r:.60}", f"{name} is a finite number, or several", write)
    return parts


def _single(x: Any) -> bool:
    """True for a tensor or an array of one number, whoever made it."""
    known = hasattr(x, "item") and hasattr(x, "shape") and hasattr(x, "dtype")
    return known and np.prod(x.shape, dtype=int) == 1 and "complex" not in str(x.dtype)


def parameters(f: Callable) -> tuple[list[str], int]:
    """Returns the names of what a function takes by place, and how many of them it must get.

    >>> parameters(lambda x, w=2.0: x * w), parameters(lambda: 1.0)
    ((['x', 'w'], 1), ([], 0))
    """
    try:
        taken = inspect.signature(f.forward if isinstance(f, Module) else f).parameters.values()
    except (TypeError, ValueError):  # of a function in C
        return ["x"], 1
    places = [p for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not places and any(p.kind is p.VAR_POSITIONAL for p in taken):
        return ["x"], 1
    if places[:1] and places[0].name == "input":  # an operation's: no name for a number
        return [*"xyzuvw"[: len(places)]], sum(p.default is p.empty for p in places)
    return [p.name for p in places], sum(p.default is p.empty for p in places)


def tried(function: Function, at: float) -> Function:
    """Returns the function, in float32 if it runs in that alone, once it has run at a number twice.

    Raises:
        ValueError: it raises, or it is another number each time. What is no number as its result.
    """
    first: Exception | None = None
    for kind in dict.fromkeys((function.kind, "float32")):
        one = replace(function, kind=kind)
        try:
            values = [one.asked(at), one.asked(at)]
        except (ArgumentTypeError, ShapeError) as error:
            if error.was.startswith(function.of(at)):  # its result is no number, in any dtype
                raise
            first = first or error
        except Exception as error:
            first = first or error
        else:
            if values[0] != values[1] and values[0] == values[0]:
                was = f"{function.of(at)} is {values[0]:.6g}, and then {values[1]:.6g}"
                rule = "a curve is drawn of a function that gives the same for the same number"
                raise ArgumentValueError(was, rule, "a function that counts nothing, and draws no numbers of its own")
            return one
    text = getattr(first, "rule", "") or str(first).partition("\n")[0]  # one of ours may begin with a drawing
    was = f"{function.of(at)} raised {type(first).__name__}: {text:.120}"
    rule = "a curve is drawn of a function that runs at the point, with a tensor of one number"
    write = getattr(first, "fix", "") or "another at=, or a loss without arguments and the weight that it reads"
    raise ArgumentValueError(was, rule, write) from first


def called(f: Any) -> Callable:
    """Returns the function that is meant: rustyflow's by its name, or by PyTorch's or NumPy's function of that name.

    Raises:
        TypeError, ValueError: no function.
    """
    if not callable(f) and not isinstance(f, str):
        rule = "f is a function of one number, which may read others"
        raise ArgumentTypeError(f"f={f!r:.40}, a {kind_of(f)}", rule, "show.curve(lambda x: x * x, 3.0)", value=f)
    return function(f)

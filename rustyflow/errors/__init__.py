"""Errors that teach: what was there, the rule it breaks, what to write instead.

Every class derives from the exception type that PyTorch raises in the same place, so that `except RuntimeError`
written for PyTorch catches ours. `facts` carries the numbers behind the sentence; a figure can draw the mistake from
them.
"""
from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Any, NoReturn

from .foreign import is_torch, kind_of, needs, role_of, sized, stranger, way_across

__all__ = ["TensorError", "ShapeError", "BroadcastError", "ViewError", "MatmulError", "LinAlgError",
           "MemoryOverlapError", "ReadOnlyError", "StorageBoundsError", "DimError", "IndexOutOfRange", "DTypeError",
           "UnsupportedDTypeError", "DivisionError", "NumberError", "DeviceError", "ArgumentTypeError", "NoTensorError",
           "CallError", "ArgumentValueError", "AssertedError", "AllocationError", "GradError", "DerivativeError",
           "VersionError", "RandomError", "StateError", "NoInitError", "NameTakenError", "AbsentError", "AbsentModule",
           "AbsentName", "UnknownName", "align_right", "pick_one"]


class TensorError(Exception):
    """The family of rustyflow's own errors.

    Args:
        was: the shapes or values as they were; may have several lines.
        rule: the rule that was broken, one sentence.
        fix: what to write instead.
        facts: the same as numbers, for tools; `value` is what was given. Where that is, or has in it, another library's
            tensor, dtype, generator or device, the rule names it, and `fix` is the way across.

    Example:
        >>> str(ShapeError("shape (2, 3)", "sizes must match", "use reshape")).splitlines()[1]
        'rule: sizes must match'
    """

    def __init__(self, was: str, rule: str = "", fix: str = "", **facts):
        if (strange := stranger(facts.get("value"))) is not None:
            kind, fix = kind_of(strange), way_across(strange)
            rule = rule if kind in rule else f"{rule.rstrip('.')}: this is a {kind}"
        fix = _as_imported(fix)
        self.was, self.rule, self.fix, self.facts = was, rule, fix, facts
        lines = [was] + ([f"rule: {rule}"] if rule else []) + ([f"try:  {fix}"] if fix else [])
        # rows that stand one below the other begin on a line of their own: the first comes after the error's name
        super().__init__("\n" * ("\n" in was) + "\n".join(lines))

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython and Jupyter print: the reader's own and the message, without the library's between.

        All of them with `%xmode Verbose`.
        """
        from IPython import get_ipython
        printer = get_ipython().InteractiveTB
        if printer.mode == "Verbose":
            return printer.structured_traceback(type(self), self, self.__traceback__)
        suppressed, self.__suppress_context__ = self.__suppress_context__, True
        try:
            return printer.structured_traceback(type(self), self, _readers_part(self.__traceback__))
        finally:
            self.__suppress_context__ = suppressed


def _as_imported(fix: str) -> str:
    """The fix to write, under the reader's name for this library: torch, after the course's import."""
    names = vars(sys.modules["__main__"])
    if "rustyflow." not in fix or "rustyflow" in names:
        return fix
    library = sys.modules["rustyflow"]
    ours = next((f"{name}." for name, value in [*names.items()] if value is library), "rustyflow.")
    return re.sub(r"(?<![\w/\\@.-])rustyflow\.", lambda found: ours, fix)  # no part of a path or of an address


def _readers_part(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the lines that are ours or NumPy's."""
    theirs = []
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in ("rustyflow", "numpy"):
            theirs.append(trace)
        trace = trace.tb_next
    for entry in reversed(theirs):
        trace = TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return trace


class ShapeError(TensorError, RuntimeError):
    """Shapes that an operation cannot take."""


class BroadcastError(ShapeError):
    """Shapes that do not align from the right."""


class ViewError(ShapeError):
    """A view that no stride can express."""


class MatmulError(ShapeError):
    """Inner sizes of a product that differ."""


class LinAlgError(TensorError, RuntimeError):
    """A matrix for which a decomposition or an inverse does not exist."""


class MemoryOverlapError(TensorError, RuntimeError):
    """A write to memory in which one slot stands for several cells."""


class ReadOnlyError(TensorError, RuntimeError):
    """A write to memory that may only be read."""


class StorageBoundsError(TensorError, RuntimeError):
    """A layout that would read outside its storage."""


class DimError(TensorError, IndexError):
    """A dim that the tensor does not have."""


class IndexOutOfRange(TensorError, IndexError):
    """An index outside its axis, or of a kind that cannot index."""


class DTypeError(TensorError, RuntimeError):
    """A dtype that an operation cannot take."""


class UnsupportedDTypeError(DTypeError, NotImplementedError):
    """A dtype for which an operation has no meaning, where PyTorch says "not implemented"."""


class DivisionError(TensorError, RuntimeError):
    """Whole numbers divided by 0."""


class ZeroError(TensorError, ZeroDivisionError):
    """A setting that leads to a division by 0."""


class NumberError(TensorError, OverflowError):
    """A whole number that no dtype can hold."""


class DeviceError(TensorError, RuntimeError):
    """A device that does not exist."""


class ArgumentTypeError(TensorError, TypeError):
    """An argument of a kind that has no meaning here."""


class NoTensorError(ArgumentTypeError, AttributeError):
    """Something that is no tensor.

    PyTorch's functions in C say so by a TypeError, those in Python, which miss a tensor's attributes, by an
    AttributeError.
    """


class CallError(ArgumentTypeError):
    """A call whose arguments do not fit the function's parameters."""


class ArgumentValueError(TensorError, ValueError):
    """An argument of the right kind with an impossible value."""


class AssertedError(TensorError, AssertionError):
    """An argument that breaks what PyTorch asserts of it."""


class AllocationError(TensorError, RuntimeError, MemoryError):
    """An array that there is no room for."""


_NO_ROOM = ("array is too big|[Mm]aximum allowed (dimension|size)|maximum supported dimension|number of dimensions "
            "must be|supports up to [0-9]+ dimensions|too many dimensions for|number of index arrays cannot")
"""What NumPy says of too many cells or axes."""


def no_room(was: str, error: Exception) -> AllocationError | None:
    """The error for an array too large for memory, or for NumPy to count.

    It counts cells and axes. None where `error` is about something else.

    Example:
        >>> print(no_room("zeros(10 ** 13)", MemoryError("Unable to allocate 36.4 TiB")))
        zeros(10 ** 13)
        rule: DefaultCPUAllocator: can't allocate memory: Unable to allocate 36.4 TiB
        try:  fewer cells, or a dtype of fewer bytes
    """
    if not isinstance(error, MemoryError) and not (
            type(error) in (ValueError, IndexError, RuntimeError) and re.search(_NO_ROOM, str(error))):
        return None
    return AllocationError(was, f"DefaultCPUAllocator: can't allocate memory: {error}".rstrip(": "),
                           "fewer cells, or a dtype of fewer bytes")


class GradError(TensorError, RuntimeError):
    """A gradient that cannot be computed."""


class DerivativeError(GradError, NotImplementedError):
    """A gradient that nobody has worked out, of an op that PyTorch says so of by this type."""


class VersionError(GradError):
    """A value that backward needs was overwritten after it was saved."""


class RandomError(TensorError, RuntimeError):
    """Numbers that cannot be drawn, or a seed or a state that is none."""


class StateError(TensorError, RuntimeError):
    """A state dict that does not fit, of a model or of an optimizer."""


class NoInitError(TensorError, AttributeError):
    """A module that is used before `super().__init__()`."""


class NameTakenError(TensorError, KeyError):
    """A name that a module cannot give to one of its parts."""

    __str__ = TensorError.__str__


class AbsentError(TensorError, NotImplementedError):
    """Something that PyTorch has and rustyflow leaves out by design."""


class AbsentName(AbsentError, AttributeError):
    """A name of PyTorch's for something that rustyflow leaves out by design."""


class AbsentModule(AbsentError, ModuleNotFoundError):
    """The same of a module that a program imports."""


class AbsentKey(TensorError, KeyError):
    """A dict without a key that it has to have."""

    def __str__(self) -> str:
        return TensorError.__str__(self)


class UnknownName(TensorError, AttributeError):
    """A name that is not there, and the one that may be meant."""

    def __init__(self, was: str, fix: str, name: str):
        super().__init__(was, fix=fix)
        # without an object Python's own tracebacks, unlike those of notebooks, would add a guess to ours
        self.name, self.obj = name, None


def align_right(*rows: tuple[str, tuple[int, ...]], mark: int | None = None) -> str:
    """Named shapes, one per line, their last axes under each other.

    A dim counted from the right (0 = last) is `mark`.

    Example:
        >>> print(align_right(("a", (3, 1)), ("b", (4,)), mark=0))
        a:  3  1
        b:     4
               ^
    """
    rank = max((len(shape) for _, shape in rows), default=0)
    width = max([1] + [len(str(n)) for _, shape in rows for n in shape])
    name = max(len(label) for label, _ in rows)
    lines = []
    for label, shape in rows:
        cells = [""] * (rank - len(shape)) + [str(n) for n in shape]
        lines.append((f"{label + ':':<{name + 1}}" + "".join("  " + cell.rjust(width) for cell in cells)).rstrip())
    if mark is not None:
        lines.append(" " * (name + 1 + (width + 2) * (rank - mark) - 1) + "^")
    return "\n".join(lines)


def pick_one(shape: tuple[int, ...]) -> str:
    """The way to read one number of a tensor of several, with an index that this shape has.

    Example:
        >>> pick_one((2, 3))
        'pick one element, e.g. x[0, 0].item(), or use x.tolist()'
    """
    if 0 in shape:
        return "an empty tensor has no element to pick; x.tolist() takes any number of them"
    return f"pick one element, e.g. x[{', '.join('0' * len(shape))}].item(), or use x.tolist()"


def wrong_type(name: str, argument: str, value: Any, wanted: str, fix: str) -> ArgumentTypeError:
    """The error for an argument of another type than is wanted.

    Example:
        >>> print(wrong_type("sort", "stable", 1, "bool", "True or False"))
        sort(stable=1)
        rule: sort(): argument 'stable' must be bool, not int
        try:  True or False
    """
    return ArgumentTypeError(f"{name}({argument}={value!r:.60})",
                             f"{name}(): argument '{argument}' must be {wanted}, not {kind_of(value)}", fix,
                             value=value)


def no_derivative(what: str, instead: str, error: type[GradError] = GradError) -> GradError:
    """The error for a gradient that PyTorch lacks, too."""
    return error(f"backward through {what}", f"the derivative for {what} is not implemented, as in PyTorch",
                     f"use {instead}")


def written_since(was: str) -> GradError:
    """The error for saved indices that lie outside when backward reads them, as no version counter tells."""
    return GradError(was, "indices lay inside when the operation ran, and were written to since, through .data, "
                     "numpy() or another library: no version counter sees that", "index.clone() for the operation")


def __dir__():
    return __all__


def explain(owner: str, name: str, names: Iterable[str]) -> None:
    """The words on a name that a module or an object has not: a slot for the package's face."""


def missing(module: str, name: str, names: Iterable[str]) -> NoReturn:
    """Says of a module, which has some `names`, that it has not this one.

    Raises:
        AbsentName (an AttributeError): it is left out by design. UnknownName (an AttributeError): it is near to one
        that is there. AttributeError: nothing is known of it.

    Example:
        >>> missing("rustyflow.nn", "zeroes", ["functional"])
        Traceback (most recent call last):
        AttributeError: module 'rustyflow.nn' has no attribute 'zeroes'
    """
    explain(module, name, names)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def warn(message: str, kind: type[Warning] = UserWarning) -> None:
    """A warning at the nearest caller outside the library, however many of its functions lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "rustyflow":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)

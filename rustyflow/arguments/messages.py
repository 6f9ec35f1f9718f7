"""Errors of calls that failed inside a function: Python's and NumPy's own in three parts."""
from __future__ import annotations

import re
import sys

from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    IndexOutOfRange,
    NoTensorError,
    NumberError,
    TensorError,
    no_room,
)
from ..errors.foreign import kind_of, stranger
from .call import Call
from .kinds import not_a_tensor

SAID = {TypeError: ArgumentTypeError, AttributeError: NoTensorError, ValueError: ArgumentValueError,
        IndexError: IndexOutOfRange, OverflowError: NumberError}
"""For each of Python's own errors, the error that says the same in three parts."""

CROSSINGS = ("as_tensor", "from_dlpack", "new_tensor", "tensor")
"""Functions that take another library's tensors for what they are."""


def better_error(error: Exception, written: Call) -> TensorError | None:
    """A better error, if there is one: for something of another library's, for a dtype in another argument's place, and
    for an error that is Python's own.
    """
    name, given = written.name, written.given or {}
    strangers = {key: found for key, value in given.items() if (found := stranger(value)) is not None}
    key, strange = next(iter(strangers.items()), ("", None))
    if not _is_ours(error, type(strange).__module__.partition(".")[0]):
        return None
    if strange is not None and name not in CROSSINGS and stranger(getattr(error, "facts", {}).get("value")) is None:
        kind = type(error) if isinstance(error, TensorError) else SAID.get(type(error), ArgumentTypeError)
        return kind(str(written), f"{name}(): argument '{key}' must be Python's or rustyflow's own, not "
                    f"{kind_of(strange)}", value=strange)
    if isinstance(error, TypeError) and (dtype := written.placed_dtype()):
        return ArgumentTypeError(str(written), getattr(error, "rule", f"{name}(): {error}"), f"{dtype}; {written.form}")
    if isinstance(error, TensorError):
        return _of_the_call(error, written)
    if isinstance(error, AttributeError) and not hasattr(error.obj, "_a"):
        key = next((key for key in given if given[key] is error.obj), next(iter(written.signature.parameters)))
        return not_a_tensor(name, key, error.obj)
    if re.search(r"\(\) (missing|takes|got) ", str(error)):  # said of a function that the user gave, such as a hook
        return None
    if type(error) in SAID or isinstance(error, MemoryError):
        return no_room(str(written), error) or SAID[type(error)](str(written), f"{name}(): {error}", written.form)
    return None


def _of_the_call(error: TensorError, written: Call) -> TensorError | None:
    """The error with the names of the user's call in place of an inner function's; None if it has them."""
    said = re.match(r"([\w.]+)\(\)(?:: argument '(\w+))?", error.rule)
    if said is None or said[1] == written.name:
        return None
    inner, key = said.groups("")
    was, rule = [text.replace(f"{inner}(", f"{written.name}(", 1) for text in (error.was, error.rule)]
    if key not in written.signature.parameters and (own := written.name_of(error.facts.get("value", error))):
        was, rule = [re.sub(rf"\b{key}\b", own, text, count=1) for text in (was, rule)]
    return type(error)(was, rule, error.fix, **error.facts)


def _is_ours(error: Exception, library: str) -> bool:
    """True if the error was raised in our code, or in NumPy that ours called.

    And if it came through no function of the user's, such as a hook. `library` made something that was given, whose
    methods ours may have called.
    """
    trace, packages = error.__traceback__, []
    while trace is not None:
        packages.append(trace.tb_frame.f_globals.get("__name__", "").partition(".")[0])
        trace = trace.tb_next
    return packages[-1] in ("rustyflow", "numpy", library) and {*packages} <= {
        "rustyflow", "numpy", "safetensors", library, *sys.stdlib_module_names}

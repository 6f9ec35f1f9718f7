"""Errors raised inside a function, retold for the call that the user wrote.

No internal function and none of its argument names appears in them.
"""
from __future__ import annotations

import re
import sys

from ..errors import (
    AllocationError,
    ArgumentTypeError,
    ArgumentValueError,
    CallError,
    IndexOutOfRange,
    NoTensorError,
    NumberError,
    ShapeError,
    TensorError,
    no_room,
)
from ..errors.foreign import kind_of, stranger
from .call import Call
from .kinds import not_a_tensor, wrong_kind, wrong_word
from .rules import TENSORS_FIRST

SAID = {TypeError: ArgumentTypeError, AttributeError: NoTensorError, ValueError: ArgumentValueError,
        IndexError: IndexOutOfRange, OverflowError: NumberError}
"""For each of Python's own errors, the error that says the same in three parts."""


def say_better(error: Exception, written: Call, python: bool) -> None:
    """Raise a better error if there is one: an argument has the wrong kind, the message names another function, or the
    error is one of Python's own. `python` is passed to `not_a_tensor`.
    """
    name, given = written.name, written.given or {}
    strange = stranger([*given.values()], deep=3)
    if _is_readers(error, type(strange).__module__.partition(".")[0]):
        return
    if strange is not None and (told := _of_a_stranger(error, written)) is not None:
        raise told from None
    if isinstance(error, TensorError) and error.first:
        return
    if (word := wrong_word(name, given)) is not None:
        raise word from None
    wrong = wrong_kind(name, written.signature, given, written.form, python)
    if isinstance(error, TensorError) and (told := _retold(error, written, wrong is None)) is not None:
        raise told from None
    if isinstance(error, NoTensorError) and (name in TENSORS_FIRST or not isinstance(wrong, ShapeError)):
        return
    if isinstance(error, TypeError) and (dtype := written.placed_dtype()):
        rule = wrong.rule if wrong is not None else getattr(error, "rule", f"{name}(): {error}")
        raise ArgumentTypeError(str(written), rule, f"{dtype}; {written.form}") from None
    if isinstance(error, ArgumentTypeError) and not isinstance(wrong, ShapeError):
        named = re.search(r"argument '(\w+)", error.rule)
        if wrong is None or named and named[1] in (given or written.signature.parameters):
            return
        raise ArgumentTypeError(wrong.was, wrong.rule, wrong.fix if named else error.fix, **wrong.facts) from None
    if wrong is not None:
        raise wrong from None
    if type(error) is AttributeError and not hasattr(error.obj, "_a") and _is_ours(error):
        first = next((key for key in given if given[key] is error.obj), next(iter(written.signature.parameters)))
        raise not_a_tensor(name, first, error.obj, python) from None
    if isinstance(error, AllocationError):
        raise AllocationError(str(written), error.rule, error.fix) from None
    if isinstance(error, TensorError) or not _is_ours(error):
        return
    if (none := no_room(str(written), error)) is not None:
        raise none from None
    if type(error) in SAID and not _of_callback(error, given):
        raise SAID[type(error)](str(written), f"{name}(): {error}", written.form)


CROSSINGS = ("as_tensor", "from_dlpack", "new_tensor", "tensor")
"""Functions that take another library's tensors for what they are."""


def _of_a_stranger(error: Exception, written: Call) -> TensorError | None:
    """The error for a call with something of another library among its arguments, where the error does not say so."""
    if written.name in CROSSINGS or isinstance(error, TensorError) and stranger(error.facts.get("value")) is not None:
        return None
    for key, value in (written.given or {}).items():
        if (strange := stranger(value)) is not None:
            kind = type(error) if isinstance(error, TensorError) else SAID.get(type(error), ArgumentTypeError)
            return kind(str(written), f"{written.name}(): argument '{key}' must be Python's or rustyflow's own, not "
                        f"{kind_of(strange)}", "", value=strange)
    return None


def _retold(error: TensorError, written: Call, fits: bool) -> TensorError | None:
    """An error of the same type in the user's terms, if it names an internal function or an argument that the user did
    not give; None if it is right as it is. `fits` says that all kinds are right: an internal argument name may then be
    replaced by the user's.
    """
    said = re.match(r"([\w.]+)\(\)(?:: argument '(\w+))?", error.rule)
    if said is None:
        return None
    (inner, argument), name = said.groups(), written.name
    if isinstance(error, CallError) and f"{inner}_" == name:
        return CallError(str(written), written.misfit(error.rule), written.form)
    if error.rule.endswith("not NoneType") and written.left_out(argument):
        return type(error)(str(written), f"{name}() missing 1 required positional argument: '{argument}'", error.fix)
    own = written.own_name(argument, error.facts)
    if own is None or own != argument and not fits or own == argument and inner.rpartition(".")[2] == name:
        return None
    was, rule, fix = [re.sub(rf"\b{argument}\b", own, re.sub(rf"^{re.escape(inner)}\(", f"{name}(", text), count=1)
                      for text in (error.was, error.rule, error.fix)]
    if error.fix.startswith((f"{inner}(", f"x.{inner}(")):
        fix = written.form
    return type(error)(was, rule, fix, **error.facts)


def _modules(error: Exception) -> list[str]:
    """The modules that an error's traceback goes through, the outermost first."""
    trace, found = error.__traceback__, []
    while trace is not None:
        found.append(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    return found


def _packages(error: Exception) -> list[str]:
    return [module.partition(".")[0] for module in _modules(error)]


def _is_readers(error: Exception, library: str) -> bool:
    """Whether the error came through a function of the user's that ours called, such as a hook or a backward; not
    through `library`, whose tensor was given.
    """
    return not {*_packages(error)} <= {"rustyflow", "numpy", "safetensors", library, *sys.stdlib_module_names}


def _of_callback(error: Exception, given: dict) -> bool:
    """Whether the error says that a hook or a backward of the user's, not named in this call, takes other arguments."""
    walked = _modules(error)[-1].startswith("rustyflow.autograd") and "func" not in given
    return walked and re.search(r"\(\) (missing|takes|got) |not callable", str(error)) is not None


def _is_ours(error: Exception) -> bool:
    """Whether the error was raised in our code, or in NumPy code that ours called, and not in another library's."""
    return [package for package in _packages(error) if package != "numpy"][-1:] == ["rustyflow"]

"""What kind of value an argument takes, by its name: PyTorch checks the kinds of all arguments before anything else.

So an argument of the wrong kind is a TypeError, whatever else is wrong with the call. Most arguments are checked only
after a call has failed, so a correct call pays nothing; `checks` has the others.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtype import dtype
from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError, NoTensorError, ShapeError, TensorError
from ..errors.foreign import kind_of, role_of
from ..layout import in_a_row, whole_numbers
from .rules import ANY_FLAG, COMPARED, FLAGS, KINDS, NONE_TOO, PYTHON, REDUCTIONS, TENSORS_FIRST

if TYPE_CHECKING:
    from inspect import Parameter, Signature


def _is_whole(value: Any) -> bool:
    return is_int64(value) or value.__class__ is int  # a number of more than 64 bits has an error of its own


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) or has_no_axes(value)


def has_no_axes(value: Any) -> bool:
    """Whether a value is a 0-d tensor or a NumPy scalar; a NumPy array is neither, even a 0-d one; nor is
    another library's tensor, whose gradient would be lost.
    """
    if isinstance(value, np.generic):
        return True
    return getattr(value, "ndim", 1) == 0 and not isinstance(value, np.ndarray) and not role_of(value)


def is_int64(value: Any) -> bool:
    """Whether PyTorch takes a value for an int; also True of a tensor of one bool, which a later check may refuse."""
    try:
        return whole_numbers((value,)) is not None
    except Exception:
        return False


def _too_wide(value: Any) -> bool:
    return value.__class__ is int and not -1 << 63 <= value < 1 << 63


def _are_sizes(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(map(is_int64, in_a_row(value)))


TESTS: dict[str, Callable[[Any], bool]] = {
    "int": _is_whole, "tuple of ints": _are_sizes, "Number": _is_number, "str": lambda value: isinstance(value, str),
    "Tensor": lambda value: hasattr(value, "_a"), "bool": lambda value: isinstance(value, bool),
    "dtype": lambda value: isinstance(value, (dtype, type)), "None": lambda value: value is None,
    "anything": lambda value: True,
}


def kinds_of(name: str, parameter: Parameter) -> list[str]:
    """The kinds that an argument of a function may have; an empty list where that is not known."""
    if type(parameter.default) is bool:
        return [] if {parameter.name, f"{name}.{parameter.name}"} & {*ANY_FLAG, *NONE_TOO} else ["bool"]
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return []
    return KINDS.get(f"{name.removesuffix('_')}.{parameter.name}") or KINDS.get(parameter.name, [])


def wrong_kind(name: str, fits: Signature, given: dict[str, Any], form: str,
               python: bool = False) -> TensorError | None:
    """The error for the first argument of a wrong kind, or None where all kinds are right.

    `form` shows how the call may be written; `python` is passed to `not_a_tensor` for the input. A whole number of more
    than 64 bits counts as the right kind: its own error is returned only where all other arguments are right.

    Example:
        >>> from inspect import signature
        >>> def chunk(input, chunks, dim=0): ...
        >>> print(wrong_kind("chunk", signature(chunk), {"chunks": "two"}, "x.chunk(chunks, dim=0)"))
        chunk(chunks='two')
        rule: chunk(): argument 'chunks' must be int, not str
        try:  x.chunk(chunks, dim=0)
        >>> wrong_kind("chunk", signature(chunk), {"chunks": 2}, "")
    """
    for argument, value in given.items():
        if (error := no_truth(name, argument, value)) is not None:
            return error
    wide = None
    for argument, value in given.items():
        kinds = kinds_of(name, parameter := fits.parameters[argument])
        varying = parameter.kind is parameter.VAR_POSITIONAL and argument not in ("args", "bounds")
        if varying:  # sizes or dims, one by one or as one sequence
            several = value[0] if len(value) == 1 and isinstance(value[0], (tuple, list)) else value
            value = next(filter(_too_wide, several), None)
        if _too_wide(value) and (varying or "int" in kinds):
            wrong = ArgumentTypeError if varying else ArgumentValueError
            wide = wide or wrong(f"{name}({argument}=a number of {value.bit_length()} bits)",
                                 f"{name}(): argument '{argument}': Overflow when unpacking long long",
                                 "a number that int64 has")
            continue
        if not kinds or value is parameter.default:
            continue
        if kinds == ["Tensor"] and not TESTS["Tensor"](value):
            return not_a_tensor(name, argument, value, python and argument == "input")
        if not any([TESTS[kind](value) for kind in kinds]):
            within = [n for n in in_a_row(value) if not is_int64(n)] if isinstance(value, (tuple, list)) else []
            got = f"{kind_of(value)}{f' with {within[0]!r:.30}' if within else ''}"
            return ArgumentTypeError(f"{name}({argument}={value!r:.60})",
                                     f"{name}(): argument '{argument}' must be {' or '.join(kinds)}, not {got}",
                                     form, value=value)
    return wide


def wrong_word(name: str, given: dict[str, Any]) -> ArgumentValueError | None:
    """The error for an unknown `reduction`, which PyTorch checks before it checks tensors; else None.

    Example:
        >>> print(wrong_word("kl_div", {"reduction": "max"}).rule)
        max is not a valid value for reduction
    """
    reduction = given.get("reduction", "mean")
    return None if name in TENSORS_FIRST or reduction in (*REDUCTIONS, "batchmean") else no_reduction(reduction)


def no_reduction(reduction: Any) -> ArgumentValueError:
    """The error for a `reduction` that does not exist."""
    return ArgumentValueError(f"reduction={reduction!r:.60}", f"{reduction} is not a valid value for reduction",
                              "'mean', 'sum' or 'none'")


def no_truth(name: str, argument: str, value: Any) -> ShapeError | None:
    """The error for a tensor of several cells, or of none, as a flag or number that PyTorch tests in Python; else None.
    """
    if not hasattr(value, "_a") or value._a.size == 1:
        return None
    if not {argument, f"{name.removesuffix('_')}.{argument}"} & COMPARED:
        return None
    cells = "more than one value" if value._a.size else "no values"
    wanted = "True or False" if argument.startswith(FLAGS) else "one number"
    return ShapeError(f"{name}({argument}=a tensor of shape {tuple(value.shape)})",
                      f"Boolean value of Tensor with {cells} is ambiguous: '{argument}' is {wanted}",
                      f"{wanted} for '{argument}'")


def not_a_tensor(name: str, operand: str, value: Any, python: bool = False, number: bool = False) -> TensorError:
    """The error for an operand that must be a tensor (or, with `number`, a number): a TypeError. With `python`, or for
    a function in PYTHON, it is an AttributeError too, as in PyTorch.
    """
    kind = kind_of(value)
    wrong = NoTensorError if python or name in PYTHON else ArgumentTypeError
    return wrong(f"{name}({operand}={value!r:.60}) got {kind}",
                 f"{name}(): argument '{operand}' must be Tensor{' or Number' * number}, not {kind}",
                 "x * 2: a number scales a tensor with *" if name == "matmul" and _is_number(value)
                 else _tensor_instead(operand, value), value=value)


def _tensor_instead(operand: str, value: Any) -> str:
    """What to write in place of a value that is no tensor."""
    if value is None:
        return f"give '{operand}'; where it was given, look where the None comes from"
    if isinstance(value, str):
        return f"a tensor; where {value!r:.20} is meant for another argument, give it by that one's name"
    if isinstance(value, (list, tuple)) and any(hasattr(part, "_a") for part in value):
        return f"rustyflow.stack({operand}), which keeps the gradients of its tensors"
    if isinstance(value, dict):
        return f"the tensors are the values of a dict: {operand}[{next(iter(value), 'name')!r:.20}]"
    if callable(value):
        return f"call it, where it makes a tensor: {getattr(value, '__name__', operand)}(...)"
    try:
        if np.asarray(value).dtype.kind in "biuf":
            return "wrap it: rustyflow.tensor(...)"
    except Exception:  # rows of different lengths, or an object that fails when it is asked
        pass
    return "a tensor, such as rustyflow.tensor([1.0, 2.0])"


def no_complex(name: str, operand: str, value: complex) -> AbsentError:
    """The error for a complex number given as an operand."""
    return AbsentError(f"{name}({operand}={value!r})", "rustyflow has no complex dtypes",
                       "keep real and imaginary parts in two tensors")

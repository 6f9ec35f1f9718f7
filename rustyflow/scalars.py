"""Arguments that must be numbers: as Python's own numbers, or an error that names the argument."""
from __future__ import annotations

from operator import index as as_int
from typing import Any

from .errors import AbsentError, ArgumentTypeError


def number(name: str, argument: str, value: Any) -> Any:
    """A Python number, also when given as a tensor or array with no axes.

    Raises:
        ArgumentTypeError (a TypeError): anything else, or a tensor that requires grad. AbsentError (a
        NotImplementedError): a complex number.

    Example:
        >>> number("add", "alpha", 2)
        2
        >>> number("add", "alpha", "a")
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: add(..., alpha='a')
        rule: add(): argument 'alpha' must be Number, not str
        try:  a Python number, e.g. alpha=0.5
    """
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, complex):
        raise AbsentError(f"{name}(..., {argument}={value!r})", "rustyflow has no complex dtypes",
                          "keep real and imaginary parts in two tensors")
    if getattr(value, "ndim", 1) == 0 and hasattr(value, "item") and not getattr(value, "requires_grad", False):
        return value.item()
    raise ArgumentTypeError(f"{name}(..., {argument}={value!r:.60})",
                            f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}",
                            f"a Python number, e.g. {argument}=0.5")


def numbers(name: str, **given: Any) -> list:
    """`number` of each argument.

    Example:
        >>> numbers("hardtanh", min_val=-1, max_val=1.5)
        [-1, 1.5]
    """
    return [number(name, argument, value) for argument, value in given.items()]


def whole(name: str, **given: Any) -> tuple[int, ...]:
    """Arguments that must be whole numbers, as ints; a bool is none.

    Raises:
        ArgumentTypeError (a TypeError): one of them is not; names it.

    Example:
        >>> whole("roll", shifts=2)
        (2,)
    """
    for argument, value in given.items():
        if isinstance(value, (bool, float)) or not hasattr(value, "__index__"):
            raise ArgumentTypeError(f"{name}({argument}={value!r:.60})",
                                    f"{name}(): argument '{argument}' must be int, not {type(value).__name__}",
                                    f"a whole number, e.g. {argument}=1")
    return tuple([as_int(value) for value in given.values()])

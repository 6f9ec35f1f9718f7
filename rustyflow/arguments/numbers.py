"""Arguments that must be numbers, or that a dtype holds: as Python's own, or an error that names them."""
from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from ..dtype import common_dtype, dtype, finfo, float16, float32, iinfo, uint8
from ..errors import ArgumentTypeError, ArgumentValueError, DTypeError, NumberError, kind_of, wrong_type
from ..layout import in_a_row, whole_sizes
from .kinds import has_no_axes, is_int64, no_complex
from .rules import DOUBLES


def number(name: str, argument: str, value: Any) -> Any:
    """A Python number, also when given as a tensor with no axes, or as one of NumPy's.

    Raises:
        ArgumentTypeError (a TypeError): anything else, or a tensor that requires grad. AbsentError (a
        NotImplementedError): a complex number. NumberError (an OverflowError): a whole one of more than 64 bits.

    Example:
        >>> number("add", "alpha", 2)
        2
        >>> number("add", "alpha", "a")
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: add(alpha='a')
        rule: add(): argument 'alpha' must be Number, not str
        try:  a Python number, e.g. alpha=0.5
    """
    if value.__class__ is float or value.__class__ is bool:
        return value
    if isinstance(value, (int, float)):  # also of NumPy's float64, which would promote float32 to float64
        if isinstance(value, int) and not -1 << 63 <= value < 1 << 64:
            if argument not in DOUBLES:
                raise too_long(value)
            value = float(value)
        return float(value) if isinstance(value, float) else int(value)
    if isinstance(value, complex) and argument not in DOUBLES:
        raise no_complex(name, argument, value)
    if has_no_axes(value) and hasattr(value, "item") and not getattr(value, "requires_grad", False):
        # PyTorch takes a NumPy bool for a float
        return float(value) if not hasattr(value, "_a") and value.dtype == "bool" else value.item()
    raise wrong_type(name, argument, value, "Number", f"a Python number, e.g. {argument}=0.5")


def result_type(tensor: Any, other: Any) -> dtype:
    """The dtype of arithmetic on two tensors or numbers, Python's or NumPy's: `common_dtype` of the two.

    Raises:
        as `number`.
    Source: https://pytorch.org/docs/stable/generated/torch.result_type.html

    Example:
        >>> import rustyflow as rf
        >>> rf.result_type(2, 2.5), rf.result_type(True, 3)
        (rustyflow.float32, rustyflow.int64)
    """
    given = {"tensor": tensor, "other": other}
    return common_dtype(*[x if hasattr(x, "_a") else number("result_type", key, x) for key, x in given.items()])


def numbers(name: str, **given: Any) -> list:
    """`number` of each argument.

    Example:
        >>> numbers("hardtanh", min_val=-1, max_val=1.5)
        [-1, 1.5]
    """
    return [number(name, argument, value) for argument, value in given.items()]


def whole(name: str, **given: Any) -> tuple[int, ...]:
    """Arguments that must be whole numbers, as ints, also if given as a tensor of one cell; no bool.

    Raises:
        ArgumentTypeError (a TypeError): one of them is not; names it. ArgumentValueError (a ValueError): one of more
        than 64 bits. DTypeError (a RuntimeError): a tensor of a bool, where a size may be.

    Example:
        >>> whole("roll", shifts=2)
        (2,)
    """
    found = []
    for argument, value in given.items():
        try:
            found += whole_sizes((value,))
        except TypeError:
            near = int(value) if isinstance(value, float) and value.is_integer() else 1
            raise wrong_type(name, argument, value, "int", f"a whole number, e.g. {argument}={near}") from None
    return tuple(found)


def whole_row(name: str, argument: str, values) -> tuple[int, ...]:
    """`whole` of numbers that stand in a row; one of more than 64 bits is a TypeError there.

    Example:
        >>> whole_row("pad", "pad", [1, 2])
        (1, 2)
        >>> whole_row("pad", "pad", [1, 0.5])
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: pad(pad[1]=0.5)
        rule: pad(): argument 'pad[1]' must be int, not float
        try:  a whole number, e.g. pad[1]=1
    """
    try:
        return whole_sizes(values)
    except (TypeError, ArgumentValueError):
        k, n = next((k, n) for k, n in enumerate(in_a_row(values)) if not is_int64(n))
        wrong = "has at most 64 bits" if n.__class__ is int else f"must be int, not {kind_of(n)}"
        raise ArgumentTypeError(f"{name}({argument}[{k}]={n!r:.60})", f"{name}(): argument '{argument}[{k}]' {wrong}",
                                f"a whole number, e.g. {argument}[{k}]=1", value=n) from None


def sizes(args, name: str = "view", key: str = "size", example: str = "x.view(3, 4)",
          read: Callable = whole_sizes) -> tuple[int, ...]:
    """Sizes given as numbers or as one sequence, to the function of that name; dims with `read=whole_numbers`.

    Raises:
        ArgumentTypeError (a TypeError): something that is no whole number.

    Example:
        >>> sizes((2, 3)), sizes(([2, 3],))
        ((2, 3), (2, 3))
    """
    given = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    try:
        return read(given)
    except (TypeError, ArgumentValueError) as error:
        if isinstance(error, ArgumentValueError) and given is args and len(args) == 1:  # one number, and no sequence
            raise
        raise ArgumentTypeError(f"{name}({key}={given!r:.60})", f"{name}(): argument '{key}' must be tuple of ints: "
                                "sizes and dims are whole numbers, of at most 64 bits", f"e.g. {example}",
                                value=given) from None


def several(name: str, key: str, args: tuple, named: dict, example: str) -> tuple:
    """The positional form of values that were given one by one, as one sequence, or by the keyword `key`.

    Raises:
        ArgumentTypeError (a TypeError): nothing, both, another keyword, or a single number by its keyword.

    Example:
        >>> several("flip", "dims", (0, 1), {}, "x.flip(0)"), several("flip", "dims", (), {"dims": (0,)}, "x.flip(0)")
        ((0, 1), ((0,),))
    """
    if args and not named:
        return args
    if not args and [*named] == [key]:
        if isinstance(named[key], (tuple, list)) or key == "dtype":
            return (named[key],)
        raise no_tuple(name, key, named[key], f"{key}=({named[key]!r:.40},), or {example}")
    wrong = next((k for k in named if k != key), None)
    rule = f"{name}(): got an unexpected keyword argument '{wrong}'" if wrong else f"{name}() takes '{key}' once"
    rule = rule if args or named else f"{name}(): missing a required argument: '{key}'"
    given = ", ".join(f"{k}={v!r:.20}" for k, v in named.items())
    raise ArgumentTypeError(f"{name}(...{given})", rule, f"e.g. {example}")


def several_sizes(name: str, key: str, args: tuple, named: dict, example: str,
                  read: Callable = whole_sizes) -> tuple[int, ...]:
    """`several`, as whole numbers.

    Example:
        >>> several_sizes("flip", "dims", (0, 1), {}, "x.flip(0)")
        (0, 1)
    """
    return sizes(several(name, key, args, named, example), name, key, example, read)


def no_tuple(name: str, key: str, value: Any, fix: str) -> ArgumentTypeError:
    """The error for what is no tuple where several whole numbers belong."""
    return wrong_type(name, key, value, "tuple of ints", fix)


def fits(value: Any, d: dtype) -> bool:
    """True if a dtype holds a number, if rounded.

    A uint8 also holds negative whole ones, as PyTorch's does: -1 is 255.

    Example:
        >>> from rustyflow import float32, int32, uint8
        >>> fits(-1, uint8), fits(-1.0, uint8), fits(300, uint8), fits(float("nan"), int32)
        (True, False, False, False)
        >>> fits(1e39, float32), fits(float("inf"), float32)
        (False, True)
    """
    if 0 <= value <= 127:  # every dtype holds these
        return True
    if d.category == 1:
        limits = iinfo(d)
        return (limits.min or -limits.max * isinstance(value, int)) <= value <= limits.max
    return d.category != 2 or not finfo(d).max < abs(value) < float("inf")


def too_long(value: int) -> NumberError:
    """The error for a whole number of more than 64 bits, which Python may refuse to print."""
    shown = value if value.bit_length() < 200 else f"of {value.bit_length()} bits"
    return NumberError(f"the number {shown}", "int too big to convert: whole numbers have at most 64 bits",
                       "write it as a float")


def fitted(name: str, value: Any, d: dtype) -> Any:
    """A number that an array of a dtype can be filled with.

    Raises:
        DTypeError (a RuntimeError): a dtype that cannot hold it. NumberError (an OverflowError): a whole number of more
        than 64 bits.

    Example:
        >>> from rustyflow import float16, int64, uint8
        >>> fitted("full", 1.7, int64), fitted("full", -1, uint8)
        (1, 255)
        >>> fitted("full", 1e5, float16)
        Traceback (most recent call last):
        rustyflow.errors.DTypeError: full(..., 100000.0, dtype=rustyflow.float16)
        rule: value cannot be converted to type float16 without overflow
        try:  use a wider dtype: the largest number of float16 is 65504
    """
    if isinstance(value, int) and not -1 << 63 <= value < 1 << 64:
        raise too_long(value)
    if not fits(value, d):
        most = iinfo(d).max if d.category == 1 else f"{finfo(d).max:.6g}"
        raise DTypeError(f"{name}(..., {value}, dtype={d!r})",
                         f"value cannot be converted to type {d.name} without overflow",
                         f"use a wider dtype: the largest number of {d.name} is {most}" if isfinite(value)
                         else "x.float(): only floating dtypes hold inf and nan")
    if d.category != 1:
        return value
    return int(value) % 256 if d is uint8 else int(value)


def fitting(name: str, argument: str, value: Any, tensors: tuple, wide: bool = False) -> Any:
    """A `number` that the common dtype of some tensors holds, or, where an op computes float16 `wide`, float32.

    Raises:
        as `number` and `fitted`.
    """
    value = number(name, argument, value)
    if not -128 <= value <= 127:
        d = common_dtype(*[x for x in tensors if isinstance(getattr(x, "dtype", None), dtype)])
        fitted(name, value, float32 if wide and d is float16 else d)
    return value


def check_numbers(name: str, *operands: Any) -> None:
    """Refuse a number that the operands' common dtype cannot hold: wrapped around, it would be another.

    Raises:
        as `fitted`.
    """
    for x in operands:
        if type(x) in (int, float) and not -128 <= x <= 127:
            fitted(name, x, common_dtype(*[v for v in operands if v is not None]))

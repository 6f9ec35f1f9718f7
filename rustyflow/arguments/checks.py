"""What is checked before a call: arguments that the function itself would accept silently, and PyTorch refuses.

A flag that is no bool, or a None where none may stand. Others are checked by `kinds`, after a call has failed.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentTypeError, TensorError
from ..errors.foreign import kind_of
from ..layout import whole_numbers
from .kinds import TESTS, no_truth
from .rules import ANY_FLAG, BESIDE, BY_PLACE, NAMED_DIM, NEEDS_DIM, NEVER_NONE, NONE_TOO, ONE_PLACE


def checked_first(name: str, call: Callable) -> dict[str, tuple[int, bool]]:
    """The arguments of a function that are checked before a call: name -> (position, whether it is a flag).

    The position is 99 for a keyword-only argument.

    Example:
        >>> def topk(input, k, dim=-1, largest=True, *, stable=False): ...
        >>> checked_first("topk", topk)
        {'largest': (3, True), 'stable': (99, True)}
    """
    end, last = call.__code__.co_argcount, call.__defaults__ or ()
    found = [(key, k, default) for k, key, default in zip(
        range(end - len(last), end), call.__code__.co_varnames[end - len(last):end], last)]
    found += [(key, 99, default) for key, default in (call.__kwdefaults__ or {}).items()]
    plain = name.removesuffix("_")
    return {key: (k, type(default) is bool) for key, k, default in found if f"{plain}.{key}" in NEVER_NONE
            or key == "memory_format" or type(default) is bool and not {key, f"{plain}.{key}"} & ANY_FLAG}


def by_place(where: dict[str, tuple[int, bool]]) -> bool:
    """Whether one of these arguments may be positional; if none may, a call without keywords needs no check."""
    return any([at < 99 for at, _ in where.values()])


def check_first(name: str, where: dict[str, tuple[int, bool]], args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse arguments that the function itself would accept silently; replace a tensor given as `dim=` by its number.

    Refused are a flag that is no bool, a None where the argument may only be left out, a memory format, a keyword whose
    value may only be positional (BY_PLACE), a positional argument beside one of ONE_PLACE, and keepdim without a dim.

    Raises:
        ArgumentTypeError (a TypeError). ShapeError (a RuntimeError): a tensor of several cells as a flag.
    """
    for key, (at, flag) in where.items():
        if at < len(args):
            value = args[at]
        elif key in kwargs:
            value = kwargs[key]
        else:
            continue
        if value.__class__ is not bool if flag else not _may_be(name, key, value):
            error = _no_flag(name, key, value) if flag else _never_so(name, key, value)
            if error is not None:
                raise error
    if kwargs:
        if name in NAMED_DIM and hasattr(kwargs.get("dim"), "_a"):
            kwargs["dim"], = whole_numbers((kwargs["dim"],))
        plain = name.removesuffix("_")
        _need_no_name(name, BY_PLACE.get(plain, {}), kwargs)
        _need_beside(name, where, args, kwargs)
        if plain in ONE_PLACE:
            _need_alone(name, *ONE_PLACE[plain], args, kwargs)
        if "keepdim" in kwargs and NEEDS_DIM.get(plain) in kwargs:
            _need_dim(name, args, kwargs)


def _never_so(name: str, key: str, value: Any) -> ArgumentTypeError:
    """The error for a memory format, of which there is none, or for None where an argument may only be left out."""
    if key == "memory_format":
        return ArgumentTypeError(f"{name}({key}={value!r:.60})",
                                 f"{name}(): argument '{key}' must be memory_format, not {kind_of(value)}: strides "
                                 "say how a tensor lies in memory", f"leave {key} out; permute the axes", value=value)
    return ArgumentTypeError(f"{name}({key}=None)", f"{name}(): argument '{key}' may be left out, but not be None",
                             f"give '{key}', or leave it out; where does the None come from?")


def _no_flag(name: str, key: str, value: Any) -> TensorError | None:
    """The error for what is neither True nor False; anything else would be taken for one of them."""
    if value is None and key in NONE_TOO and name != "tensor":
        return None
    if (error := no_truth(name, key, value)) is not None:
        return error
    dims = "; several dims are one tuple, e.g. dim=(0, 1)" if key == "keepdim" and value.__class__ is int else ""
    return ArgumentTypeError(f"{name}({key}={value!r:.60})", f"{name}(): argument '{key}' must be bool, not "
                             f"{kind_of(value)}", f"{key}=True, or {key}=False{dims}", value=value)


def _need_no_name(name: str, kinds: dict[str, str], kwargs: dict[str, Any]) -> None:
    """Refuse by its name what is of a kind that goes by its place alone."""
    for key, kind in kinds.items():
        value = kwargs.get(key)
        if value is not None and TESTS[kind](value) and not hasattr(value, "_a"):
            raise ArgumentTypeError(f"{name}({key}={value!r:.60})", f"{name}(): argument '{key}' is no {kind} by its "
                                    "name", f"give it by its place, without '{key}='")


def _need_beside(name: str, where: dict[str, tuple[int, bool]], args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse an argument by its name without those that it goes with."""
    for key, others in BESIDE.get(name, {}).items():
        for other in others:
            if key in kwargs and other not in kwargs and other in where and where[other][0] >= len(args):
                raise ArgumentTypeError(f"{name}({key}={kwargs[key]!r:.60})", f"{name}() missing 1 required positional "
                                        f"argument: '{other}'", f"give '{other}' as well")


def _need_alone(name: str, key: str, rule: str, args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse an argument by its name beside one by its place."""
    if key in kwargs and (len(args) > 1 or kwargs.get("x") is not None):
        raise ArgumentTypeError(f"{name}(input, ..., {key}={kwargs[key]!r:.60})",
                                f"{name}(): {rule}", f"{name}(input, {key}=..., dim=...)")


def _need_dim(name: str, args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse keepdim without the dim that it speaks of."""
    if len(args) + ("input" in kwargs) == 1 and not kwargs.keys() & {"dim", "axis"}:
        raise ArgumentTypeError(f"{name}(input, keepdim={kwargs['keepdim']})", f"{name}(): keepdim needs a dim",
                                f"{name}(input, dim, keepdim=True)")


def _may_be(name: str, key: str, value: Any) -> bool:
    """Whether an argument that is no flag may pass: a memory format must be None, any other argument must not."""
    if key == "memory_format":
        return value is None and f"{name}.{key}" not in NEVER_NONE
    return value is not None

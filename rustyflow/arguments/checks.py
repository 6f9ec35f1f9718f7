"""Checks before a call, of arguments that the function would accept silently, and PyTorch refuses.

A flag that is no bool, a None where none may stand, and keepdim without a dim. All else a failed call says.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentTypeError, wrong_type
from ..layout import whole_numbers
from .rules import ANY_FLAG, NEEDS_DIM, NEVER_NONE


def checked_first(name: str, call: Callable) -> dict[str, tuple[int, bool]]:
    """The arguments of a function that are checked before a call: name -> (position, whether it is a flag).

    The position is 99 for a keyword-only argument.

    Example:
        >>> def topk(input, k, dim=-1, largest=True, *, stable=False): ...
        >>> checked_first("topk", topk)
        {'largest': (3, True), 'stable': (99, True)}
    """
    names, last = call.__code__.co_varnames[:call.__code__.co_argcount], call.__defaults__ or ()
    found = {**dict(zip(names[len(names) - len(last):], last)), **(call.__kwdefaults__ or {})}
    return {key: (names.index(key) if key in names else 99, type(default) is bool) for key, default in found.items()
            if f"{name.removesuffix('_')}.{key}" in NEVER_NONE or type(default) is bool and key not in ANY_FLAG}


def by_place(where: dict[str, tuple[int, bool]]) -> int:
    """The first position that is checked: a call with no more arguments than that, and no keywords, needs no check."""
    return min([at for at, _ in where.values()], default=99)


def check_first(name: str, where: dict[str, tuple[int, bool]], args: tuple, kwargs: dict[str, Any]) -> None:
    """Refuse arguments that the function itself would accept silently; replace a tensor given as `dim=` by its number.

    Raises:
        ArgumentTypeError (a TypeError).
    """
    for key, (at, flag) in where.items():
        if at < len(args):
            value = args[at]
        elif key in kwargs:
            value = kwargs[key]
        else:
            continue
        if flag and value.__class__ is not bool and not (value is None and key in ("pin_memory", "requires_grad")):
            dims = key == "keepdim" and value.__class__ is int
            raise wrong_type(name, key, value, "bool",
                             f"{key}=True, or {key}=False{'; several dims are one tuple: dim=(0, 1)' * dims}")
        if value is None and not flag:
            raise ArgumentTypeError(f"{name}({key}=None)", f"{name}(): argument '{key}' may be left out, but not be "
                                    "None", f"give '{key}', or leave it out; where does the None come from?")
    if "keepdim" in kwargs and name in NEEDS_DIM and len(args) + ("input" in kwargs) == 1 and not (
            {"dim", "axis"} & kwargs.keys()):
        raise ArgumentTypeError(f"{name}(input, keepdim={kwargs['keepdim']})", f"{name}(): keepdim needs a dim",
                                f"{name}(input, dim, keepdim=True)")
    if name in ("max", "min") and hasattr(kwargs.get("dim"), "_a"):  # by its place it would be compared with
        kwargs["dim"], = whole_numbers((kwargs["dim"],))

"""A call that does not fit its function's parameters: Python's TypeError, said so that it teaches.

Python notices such a call before the function begins, so that only a layer around the function can say more. Many
functions have one, for `out=`, for NumPy's names or for operands that are no tensors, and say it there at no cost to a
call that is right. Tensor's methods without a layer, and functions whose arguments are all required, are left to
Python's words: a small op feels a layer, and they name the function.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .errors import ArgumentTypeError

LAYER = 0x04 | 0x08  # the flags of a code object that takes *args and **kwargs


def taught(call: Callable) -> Callable:
    """The function in a layer that explains calls that do not fit, if it has optional arguments and no layer yet.

    Example:
        >>> @taught
        ... def roll(input, shifts, dims=None): return input
        >>> roll(0, shifts=1, dim=2)
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: roll(0, shifts=1, dim=2)
        rule: roll() got an unexpected keyword argument 'dim'
        try:  dims=2; roll(input, shifts, dims=None)
    """
    if call.__code__.co_flags & LAYER == LAYER or not (call.__defaults__ or call.__kwdefaults__):
        return call

    @wraps(call)
    def layer(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            explain(error, call.__name__, call, args, kwargs)
            raise
    return layer


def explain(error: TypeError, name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> None:
    """Say in three parts that a call did not fit; let pass what went wrong further down, within the function.

    Raises:
        ArgumentTypeError (a TypeError).
    """
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return
    from difflib import get_close_matches
    from inspect import signature
    fits = signature(call)
    bare = [p.replace(annotation=p.empty) for p in fits.parameters.values()]
    listed = f"{name}{fits.replace(parameters=bare, return_annotation=fits.empty)}"
    near = [f"{close}={_shown(kwargs[key])}; " for key in kwargs if key not in fits.parameters
            for close in get_close_matches(key, fits.parameters, 1)]
    given = ", ".join([*map(_shown, args), *[f"{key}={_shown(value)}" for key, value in kwargs.items()]])
    said = str(error).partition(" Did you mean")[0].rstrip(".")  # Python 3.13 guesses too
    raise ArgumentTypeError(f"{name}({given})", name + said[said.index("()"):], "".join(near[:1]) + listed) from None


def _shown(value: Any) -> str:
    from .tensor import Tensor
    if isinstance(value, (list, tuple)):
        return f"{value!r:.1}{', '.join(map(_shown, value[:4]))}{', ...' * (len(value) > 4)}{repr(value)[-1:]}"
    return f"Tensor{tuple(value.shape)}" if isinstance(value, Tensor) else f"{value!r:.40}"

"""Arguments that should have been tensors, or tensors of floats: errors that name them."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from ..binding import understood
from ..dtype import refuse
from ..errors import TensorError, UnsupportedDTypeError
from ..tensor import Tensor
from .registry import not_a_tensor

_OWN = {"_a", "_history", "_storage", "_offset"}


class NoTensorError(TensorError, AttributeError):
    """Something that is no tensor, of which PyTorch then misses an attribute."""


def guard(call: Callable) -> Callable:
    """A function whose argument turns out to be no tensor, or none of its own, says which one, with a TypeError.

    Example:
        >>> @guard
        ... def ndim(input): return input._a.ndim
        >>> ndim(3)
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: ndim(input=3) got int
        rule: ndim(): argument 'input' must be Tensor, not int
        try:  wrap it: rustyflow.tensor(...)
    """
    names = list(signature(call).parameters)
    name = call.__qualname__.replace(".write", "_").removesuffix(".call").rpartition(".")[2].lstrip("_")

    @wraps(call)
    def guarded(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except AttributeError as error:
            if (error.name not in _OWN and not hasattr(Tensor, error.name or "")) or isinstance(error.obj, Tensor):
                raise
            given = [*zip(names, args), *kwargs.items()]
            wrong = next((name for name, value in given if value is error.obj), names[0])
            raise not_a_tensor(name, wrong, error.obj) from None
        except TypeError as error:
            if (again := understood(error, name, call, args, kwargs)) is None:
                raise
        return guarded(*again[0], **again[1])
    return guarded


def need_tensors(name: str, **given: Any) -> None:
    """Refuse an argument that is no tensor.

    Raises:
        ArgumentTypeError (a TypeError): the first of them; names it.
    """
    for key, x in given.items():
        if not isinstance(x, Tensor):
            raise not_a_tensor(name, key, x)


def no_tensor(name: str, key: str, value: Any) -> NoTensorError:
    """The error for what is no tensor, where PyTorch's function, which is Python, asks it for an attribute."""
    error = not_a_tensor(name, key, value)
    return NoTensorError(error.was, error.rule, error.fix)


def need_float(name: str, *tensors: Tensor) -> None:
    """Refuse whole numbers, as PyTorch does where an op is made for floats alone.

    Raises:
        UnsupportedDTypeError (a NotImplementedError).
    """
    for x in tensors:
        if x._a.dtype.kind != "f":
            error = refuse(name, x.dtype, "a floating dtype")
            raise UnsupportedDTypeError(error.was, error.rule, error.fix)

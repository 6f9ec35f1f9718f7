"""A failed call in the user's terms: as it was written, as it may be, and what may be meant."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, cached_property
from inspect import signature
from typing import Any

from ..dtype import dtype
from ..errors import CallError, role_of, sized

signature_of = cache(signature)  # `signature` takes longer than many a call

NUMPY_EXPLAINED = {
    "a": "input A tensor", "x": "input A tensor", "b": "other B", "a_min": "min", "a_max": "max", "axis": "dim",
    "axes": "dims dim", "axis1": "dim1", "axis2": "dim2", "ddof": "correction", "k": "diagonal", "keepdims": "keepdim",
    "newshape": "shape size", "num": "steps", "ord": "p", "reps": "dims", "shape": "size", "stop": "end",
    "x1": "input", "x2": "other", "y": "other", "learning_rate": "lr", "wd": "weight_decay",
}
"""Argument names of other libraries that are not accepted; suggested is the first of these that the function has."""


class Call:
    """A call of a function, or of a method, that has a layer.

    Attributes:
        name, method: the name that was called, and whether it was called as a tensor's method.
        signature, args, kwargs: the parameters of the function, and what it was given.
        also: keywords that may be meant besides: of who passes the others on to the function.
    """

    def __init__(self, layer: Callable, function: Callable, args: tuple, kwargs: dict[str, Any],
                 also: Iterable[str] = ()):
        self.name, self.args, self.kwargs, self.also = layer.__name__, args, kwargs, also
        self.method = layer.__qualname__.startswith("Tensor.") and len(args) > 0 and hasattr(args[0], "_a")
        self.signature = signature_of(function)

    def __str__(self) -> str:
        """The call as it was written, with tensors shown by their shapes."""
        args = [*map(shown, self.args), *[f"{key}={shown(value)}" for key, value in self.kwargs.items()]]
        owner = f"{args.pop(0)}." if self.method else ""
        return f"{owner}{self.name}({', '.join(args)})"

    @property
    def form(self) -> str:
        """The call with all parameters of the function, as a user would write it."""
        bare = [p.replace(annotation=p.empty) for p in self.signature.parameters.values()][self.method:]
        listed = self.signature.replace(parameters=bare, return_annotation=self.signature.empty)
        return f"{'x.' * self.method}{self.name}{listed}"

    @cached_property
    def given(self) -> dict[str, Any] | None:
        """The arguments by name; None for a call that does not fit the parameters."""
        with suppress(TypeError):
            return self.signature.bind(*self.args, **self.kwargs).arguments
        return None

    def name_of(self, value: Any) -> str | None:
        """The argument that was given a value, alone or in a row."""
        rows = {key: row if isinstance(row, (list, tuple)) else () for key, row in (self.given or {}).items()}
        return next((key for key, row in rows.items() if any([x is value for x in (self.given[key], *row)])), None)

    def meant(self) -> str:
        """The fix for the first keyword that the function does not have; empty without a guess."""
        names = self.signature.parameters
        if self.method and "axis" in self.kwargs and self.kwargs.get("out", self) is None:
            dim = "" if self.kwargs["axis"] is None else f"dim={shown(self.kwargs['axis'])}"
            return f"x.{self.name}({dim}), for NumPy's function made this call; or give it x.numpy()"
        taken = {*self.kwargs, *list(names)[:len(self.args)]}
        free = [name for name in (*names, *self.also) if name not in taken]
        for key, value in self.kwargs.items():
            if key not in names:
                known = [name for name in NUMPY_EXPLAINED.get(key, "").split() if name in free]
                for name in (known or get_close_matches(key, free, 1))[:1]:
                    return f"{name}={'...' if 'Tensor(' in shown(value) else shown(value)}"
        return ""

    def placed_dtype(self) -> str:
        """The way to write a dtype that was given in another argument's position; empty if there is none."""
        takes = self.signature.parameters
        if "dtype" in takes and "dtype" not in self.kwargs and "args" not in takes:
            found = [value for value in self.args if isinstance(value, dtype)]
            if found and (self.given or {}).get("dtype") is None:
                return f"dtype={found[0]!r}"
        return ""

    def misfit(self) -> CallError:
        """The error for a call that does not fit."""
        try:
            self.signature.bind(*self.args, **self.kwargs)
            rule = "it is called otherwise"
        except TypeError as error:
            rule = str(error)
        meant = self.placed_dtype() or self.meant()
        return CallError(str(self), f"{self.name}(): {rule}", f"{meant}; {self.form}" if meant else self.form)


def shown(value: Any) -> str:
    """A value as messages show it: a tensor by its shape, a long sequence by its first parts."""
    if isinstance(value, (list, tuple)):
        parts = f"{', '.join(map(shown, value[:4]))}{', ...' * (len(value) > 4)}"
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if hasattr(value, "_a"):
        return f"Tensor{tuple(value.shape)}"
    if role_of(value) == "tensor":
        return sized(value)
    said = repr(value)
    return f"{type(value).__name__}(...)" if "\n" in said else said[:40]

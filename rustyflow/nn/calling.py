"""Calls of a module that its forward cannot take: Python's TypeError, retold so that it teaches."""

from __future__ import annotations

from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from ..arguments.call import Call
from ..errors import CallError


class ModuleCall(Call):
    """A call of a module, which its forward answers."""

    def __init__(self, module: Any, args: tuple, kwargs: dict[str, Any]):
        kind = type(module).__name__
        self.name, self.args, self.kwargs, self.method = f"{kind}.forward", args, kwargs, False
        self.signature, self.made, self.also = signature(module.forward), f"{kind}(...)", ()

    def __str__(self) -> str:
        return super().__str__().replace(self.name, self.made, 1)

    @property
    def form(self) -> str:
        """The call with all parameters of the forward, as a user would write it."""
        return super().form.replace(self.name, self.made, 1)


def misfit(module: Any, args: tuple, kwargs: dict[str, Any]) -> CallError | None:
    """The error for a call that does not fit the module's forward; None where a TypeError came from within.

    Example:
        >>> import rustyflow as rf
        >>> print(misfit(rf.nn.Linear(3, 2), (), {}))
        Linear(...)()
        rule: Linear.forward(): missing a required argument: 'input'
        try:  Linear(...)(input)
    """
    if (lost := _without_self(module, args, kwargs)) is not None:
        return lost
    try:
        written = ModuleCall(module, args, kwargs)
    except (TypeError, ValueError):  # Python knows no parameters of it
        return None
    return written.misfit() if written.given is None else None


def _without_self(module: Any, args: tuple, kwargs: dict[str, Any]) -> CallError | None:
    """The error for a forward that lacks self, and would take the call as a function; else None."""
    kind = type(module)
    forward = vars(kind).get("forward")
    if "forward" in vars(module) or not isinstance(forward, FunctionType):
        return None
    takes = signature(forward)
    try:
        takes.bind(*args, **kwargs)
    except TypeError:
        if takes.parameters:
            return None
    first = next(iter(takes.parameters.values()), None)
    if first is not None and (first.name == "self" or first.kind is Parameter.VAR_POSITIONAL):
        return None
    return CallError(f"{kind.__name__}.forward{takes}, called with {len(args) + len(kwargs)}",
                     "a forward is given the module itself first, and then what the module was called with",
                     f"def forward({', '.join(['self', *takes.parameters])}):")

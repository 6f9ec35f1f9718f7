"""Hooks: functions called before and after a module's forward, and before and after its backward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..autograd import Function
from ..errors import StateError, warn
from ..errors.foreign import kind_of
from ..tensor import Tensor

KINDS = "before", "after", "back_before", "back_after"


class Handle:
    """Takes a hook away again, by `remove()` or at the end of a `with`."""

    def __init__(self, hooks: OrderedDict):
        self.hooks = hooks

    def remove(self) -> None:
        """Take the hook away."""
        self.hooks.pop(self, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()


def add(
    module: Any, kind: str, hook: Callable, prepend: bool, with_kwargs: bool = False, always: bool = False
) -> Handle:
    """Add a hook of a kind, the last one to be called or, with `prepend`, the first."""
    hooks = module._hooks[kind]
    handle = Handle(hooks)
    hooks[handle] = hook, with_kwargs, always
    if prepend:
        hooks.move_to_end(handle, last=False)
    return handle


def call(module: Any, hooks: dict[str, OrderedDict], args: tuple, kwargs: dict) -> Any:
    """A forward with its hooks."""
    out, due = None, list(hooks["after"].values())
    try:
        args, kwargs = _before(module, hooks, args, kwargs)
        back = _Backward(module, hooks) if hooks["back_before"] or hooks["back_after"] else None
        if back:
            args = back.enter(args)
        out = module.forward(*args, **kwargs)
        while due:
            hook, with_kwargs, _ = due.pop(0)
            said = hook(module, args, kwargs, out) if with_kwargs else hook(module, args, out)
            out = out if said is None else said
        return back.leave(out) if back else out
    except Exception:
        _after_failure(module, due, args, kwargs, out)
        raise


def _before(module: Any, hooks: dict[str, OrderedDict], args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a forward, after the hooks before it have seen them."""
    for hook, with_kwargs, _ in list(hooks["before"].values()):
        said = hook(module, args, kwargs) if with_kwargs else hook(module, args)
        if said is None:
            continue
        if not with_kwargs:
            args = said if isinstance(said, tuple) else (said,)
        elif isinstance(said, tuple) and len(said) == 2:
            args, kwargs = said
        else:
            rule = f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {said!r:.60}"
            raise StateError(f"a hook that returned {kind_of(said)}", rule, "return args, kwargs")
    return args, kwargs


def _after_failure(module: Any, due: list, args: tuple, kwargs: dict, out: Any) -> None:
    """Calls the hooks still due that are to be called whatever happens.

    The first error is the one to see.
    """
    for hook, with_kwargs, always in due:
        if always:
            try:
                hook(module, args, kwargs, out) if with_kwargs else hook(module, args, out)
            except Exception as error:
                warn(f"a forward hook with always_call=True raised {error!r}, while another error was on its way")


class _Backward:
    """The gradients of one call.

    Those of its output are heard when they come, those of its input when they go on.
    """

    def __init__(self, module: Any, hooks: dict[str, OrderedDict]):
        self.module, self.hooks, self.outputs, self.untracked = module, hooks, (), 0

    def enter(self, args: tuple) -> tuple:
        tensors = [x for x in args if isinstance(x, Tensor)]
        if not any(x.requires_grad for x in tensors):
            self.untracked = len(tensors)
            return args
        heard = iter(_seen(_Heard.apply(self._inputs, *tensors)))
        return tuple(next(heard) if isinstance(x, Tensor) else x for x in args)

    def leave(self, out: Any) -> Any:
        parts = out if isinstance(out, tuple) else (out,)
        tensors = [x for x in parts if isinstance(x, Tensor)]
        if not any(x.requires_grad for x in tensors):
            return out
        heard = iter(_seen(_Heard.apply(self._outputs, *tensors)))
        kept = tuple(next(heard) if isinstance(x, Tensor) else x for x in parts)
        return kept if isinstance(out, tuple) else kept[0]

    def _outputs(self, gradients: tuple) -> tuple:
        for hook, *_ in list(self.hooks["back_before"].values()):
            said = hook(self.module, gradients)
            gradients = gradients if said is None else said if isinstance(said, tuple) else (said,)
        self.outputs = gradients
        if self.untracked:  # no gradient flows on to its input, so nothing else would call them
            self._inputs((None,) * self.untracked)
        return gradients

    def _inputs(self, gradients: tuple) -> tuple:
        for hook, *_ in list(self.hooks["back_after"].values()):
            said = hook(self.module, gradients, self.outputs)
            gradients = gradients if said is None else said if isinstance(said, tuple) else (said,)
        return gradients


class _Heard(Function):
    """The same tensors; their gradients go through a function."""

    @staticmethod
    def forward(ctx: Any, hear: Callable, *tensors: Tensor):
        ctx.hear = hear
        return tuple(x.view_as(x) for x in tensors) if len(tensors) > 1 else tensors[0].view_as(tensors[0])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor):
        return (None, *ctx.hear(gradients))


def _seen(out: Any) -> tuple:
    return out if isinstance(out, tuple) else (out,)

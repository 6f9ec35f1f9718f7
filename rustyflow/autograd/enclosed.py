"""A function composed of others that is one node of the graph, as in PyTorch.

It holds the record of its steps.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..arguments.explain import explaining_once
from ..dispatch import Operation, is_recorded, notify, watchers
from ..tensor import Node, Tensor, enable_grad, history_of, make_node, mode, small, wrap


class _Enclosed(Operation):
    """One such function, as the engine sees it."""

    def __init__(self, torch_name: str, function: Callable):
        self.name = function.__name__
        self.Node = type(torch_name, (Node,), {"__slots__": ("attrs",), "has_attrs": True, "op": self})

    def vjp(self, F, g, *, result, inside, operands, again):
        """Walk back through the steps; to record the gradient, through the same steps taken anew from the operands."""
        from .backward import grad
        if mode.enabled:
            seen = [x.view_as(x) for x in operands]  # aliases: else one operand's dependence on another would count
            return grad(_first(again(seen)), seen, g, create_graph=True, allow_unused=True)
        found = grad(result, inside, wrap(g), retain_graph=True, allow_unused=True)
        return [x if x is None else x._a for x in found]


def enclosed(name: str | Callable[..., str]) -> Callable:
    """Make one node, of PyTorch's name, of the steps of the function; a name may depend on the arguments.

    The function returns one tensor, or several of which the first has a gradient. A watcher that
    `wants_steps`, such as a trace, sees the steps themselves; others see them and then the whole.

    Example:
        >>> import rustyflow as rf
        >>> @enclosed("TwiceBackward0")
        ... def twice(x): return x + x.clone()
        >>> x = rf.ones(2, requires_grad=True)
        >>> twice(x)
        tensor([2., 2.], grad_fn=<TwiceBackward0>)
        >>> twice(x).sum().backward(); x.grad
        tensor([2., 2.])
    """
    def around(function):
        function, ops = explaining_once(function), dict[str, _Enclosed]()

        @wraps(function)
        def call(*args, **kwargs):
            tensors = _tensors((*args, *kwargs.values()))
            if any(getattr(watcher, "wants_steps", False) for watcher in watchers) or not is_recorded(*tensors):
                return function(*args, **kwargs)
            apart = {id(x): x.detach().requires_grad_() for x in tensors if x.requires_grad}
            with enable_grad():
                made = function(*_replaced(args, apart), **dict(zip(kwargs, _replaced(kwargs.values(), apart))))
            operands = [x for x in tensors if id(x) in apart]
            torch_name = name if isinstance(name, str) else name(*args, **kwargs)
            if torch_name not in ops:
                ops[torch_name] = _Enclosed(torch_name, function)
            result = _first(made)
            out = result.detach()

            def again(seen):
                put = dict(zip(map(id, operands), seen))
                return function(*_replaced(args, put), **dict(zip(kwargs, _replaced(kwargs.values(), put))))
            attrs = {"result": result, "inside": list(apart.values()), "operands": operands, "again": again}
            # it saves nothing, so no backward frees it; PyTorch, too, saves only shapes here
            parents = tuple([history_of(x) for x in operands])
            out._history = node = make_node(ops[torch_name].Node, parents, (), small(out._a), attrs)
            if watchers:
                notify(node.op, operands, {}, out)
            return out if made is result else type(made)(out, *made[1:])
        return call
    return around


def _first(made: Any) -> Tensor:
    return made if isinstance(made, Tensor) else made[0]


def _tensors(args) -> list[Tensor]:
    """The tensors among arguments and in lists of them, each once."""
    found = [x for arg in args for x in (arg if isinstance(arg, (tuple, list)) else (arg,)) if isinstance(x, Tensor)]
    return list({id(x): x for x in found}.values())


def _replaced(args, apart):
    return [type(arg)([apart.get(id(x), x) for x in arg]) if isinstance(arg, (tuple, list)) and not isinstance(arg, str)
            and any(isinstance(x, Tensor) for x in arg) else apart.get(id(arg), arg) for arg in args]

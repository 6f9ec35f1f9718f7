"""The graph as a program holds it in its hands: `torch.autograd.graph`. A node may be asked and called by itself.

Source: https://pytorch.org/docs/stable/autograd.html#autograd-graph
"""
from __future__ import annotations

from abc import ABC
from typing import Any

from ..backends import backend
from ..dispatch import recording
from ..errors import ArgumentTypeError, missing
from ..tensor import AccumulateGrad, Tensor, history, mode
from .contributions import contributions
from .hooks import as_tensor
from .ownership import accumulate

__all__ = ["Node"]


class Node(ABC):  # noqa: B024 - not to be derived from: what is a node is registered
    """The class of every `grad_fn`, and of every AccumulateGrad.

    A node has `name()`, `next_functions`, `metadata` (a dict for the program's own use), `register_hook` and
    `register_prehook`; what it saved is under `_saved_self`, `_saved_other`, `_saved_result` until backward frees it.
    Called with the gradient of its result, it returns the gradients of its operands.

    Source: https://pytorch.org/docs/stable/autograd.html#autograd-graph

    Example:
        >>> import rustyflow as rf
        >>> x, w = rf.tensor([1., 2.], requires_grad=True), rf.tensor([3., 4.], requires_grad=True)
        >>> node = (x * w).grad_fn
        >>> isinstance(node, rf.autograd.graph.Node), node._saved_other
        (True, tensor([3., 4.], requires_grad=True))
        >>> with rf.no_grad():
        ...     node(rf.tensor([10., 10.]))
        (tensor([30., 40.]), tensor([10., 20.]))
    """


Node.register(history.Node)
Node.register(AccumulateGrad)


def call(node, *grads) -> Any:
    """The gradients that a node sends on, one per place of `next_functions`, when this gradient of its result arrives.

    What the node saved stays. Broadcasting is not undone: that is the walk's business. AccumulateGrad adds to its leaf.

    Raises:
        ArgumentTypeError (a TypeError): another number of gradients than the node has results, or what is no tensor.
        GradError (a RuntimeError): the node's saved values are gone.
    """
    places = [0] if isinstance(node, AccumulateGrad) else node._differentiable()
    if len(grads) != len(places):
        raise ArgumentTypeError(f"{node.name()} called with {len(grads)} gradients",
                                f"expected {len(places)} arguments, got {len(grads)} instead",
                                "one gradient for each result of the operation")
    for k, g in enumerate(grads):
        if not isinstance(g, Tensor):
            raise ArgumentTypeError(f"{node.name()}({g!r:.60})",
                                    f"argument {k} is not a Variable: a gradient is a tensor", "rustyflow.tensor(...)")
    F = recording if mode.enabled else backend
    arrays = [g if mode.enabled else g._a for g in grads]
    if isinstance(node, AccumulateGrad):
        accumulate(node, arrays[0], mode.enabled)
        return ()
    upstream: Any = arrays[0]
    if isinstance(node.out, tuple):
        upstream = [None] * len(node.out)
        for k, g in zip(places, arrays, strict=True):
            upstream[k] = g
    with backend.silent():
        sent = {i: as_tensor(g) for _, g, i in contributions(node, upstream, F, mode.enabled)}
    answers = tuple([sent.get(i) for i in node._places()])
    return answers if len(answers) > 1 else answers[0]


history.Node.__call__ = AccumulateGrad.__call__ = call


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

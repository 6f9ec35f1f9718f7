"""Arrivals: how often backward came to a leaf while a function ran, and which graphs were still kept by then."""

import gc
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ....tensor import Tensor
from ....tensor.history import Node, make_node
from ..answers import call as running


class Arrival(NamedTuple):
    """The gradients that came to a leaf.

    Attributes:
        times: how often a gradient came. kept: the most nodes that kept tensors for backward as one came.
    """

    times: int
    kept: int


def arrivals(function: Callable[..., object], given: Mapping[str, Any]) -> dict[str, Arrival]:
    """Runs a function, and returns by name what came to each leaf of its arguments.

    >>> import rustyflow as rf
    >>> arrivals(lambda x, y: (x * y.detach()).sum().backward(),
    ...          {"x": rf.ones(2, requires_grad=True), "y": rf.ones(2, requires_grad=True)})
    {'x': Arrival(times=1, kept=0), 'y': Arrival(times=0, kept=0)}
    """
    before = make_node(Node, (), (), None).number
    kept: dict[str, list[int]] = {name: [] for name, x in given.items() if _wants(x)}
    hooks = [given[name].register_hook(lambda _, counts=counts: counts.append(_keeping(before)))
             for name, counts in kept.items()]  # fmt: skip
    try:
        running.call(function, tuple(given.values()))
    finally:
        for hook in hooks:
            hook.remove()
    return {name: Arrival(len(counts), max(counts, default=0)) for name, counts in kept.items()}


def _wants(x: object) -> bool:
    return isinstance(x, Tensor) and x.is_leaf and x.requires_grad


def _keeping(since: int) -> int:
    """The nodes that were made since a time, and keep a tensor for backward."""
    made = (one for one in gc.get_objects() if isinstance(one, Node) and one.number > since)
    return sum(any(isinstance(part, Tensor) for part in node.saved or ()) for node in made)

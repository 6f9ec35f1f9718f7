"""The origin of a tensor: the nodes of the computation graph, and the views of other tensors.

A tensor's history is None (nothing is tracked), an `AccumulateGrad` (a leaf), a `Node`, an `Output` of a node with
several results, or a `View`, which finds its node anew after its base was written to.
"""
from __future__ import annotations

from typing import Any

from .storage import tick

KEEP = 64
"""A node keeps a result of up to this many elements, for figures to show; of a larger one only shape and dtype."""


class Meta:
    """Shape and dtype of a result that is too large to keep."""

    __slots__ = ("shape", "dtype")

    def __init__(self, array):
        self.shape, self.dtype = array.shape, array.dtype


class Node:
    """One operation that ran: its op, where its operands came from, and the values its gradients will need.

    `out` is the result itself when it is small, else a `Meta`. `number` grows with time, so that falling numbers are a
    topological order. `saved` holds operand tensors and, as aliases without history, results, or attributes that only a
    gradient reads, such as index arrays; backward frees it, and it is None then. `given` is there where some operand is
    not tracked: for each operand None, or what `dispatch.run.held` holds of it.
    """

    __slots__ = ("parents", "saved", "number", "out", "given", "__dict__", "__weakref__")
    has_attrs = False
    op: Any = None             # set by each op's own subclass, which carries PyTorch's name, such as MulBackward0
    attrs: dict = {}           # a slot in the subclasses of ops that have attributes
    hooked = False             # whether any of the following was ever set
    hooks: tuple = ()          # on the gradient that arrives (tensor hooks)
    prehooks: tuple = ()
    posthooks: tuple = ()
    retained = None            # weak references to the tensors that asked to retain_grad()

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self):
        return f"<{self.name()} object at {id(self):#x}>"

    @property
    def metadata(self) -> dict:
        """A dict for the program's own use."""
        return self.__dict__.setdefault("metadata", {})

    @property
    def next_functions(self) -> tuple:
        """The nodes that receive this node's gradients, each with the number of its output.

        As in PyTorch an untracked operand is (None, 0), and one that has no gradient at all, such as an index, has no
        place here.
        """
        return tuple([edge_of(p) for p in self._shown()])

    def _shown(self) -> tuple:
        """The parents that `next_functions` shows."""
        shown = self.op.shown
        return shown(self) if callable(shown) else tuple([self.parents[i] for i in self._places()])

    def _places(self):
        """The operands that have a place in `next_functions`."""
        shown = self.op.shown
        n = len(self.parents)
        return range(n) if shown is None or callable(shown) else [i for i in shown if i < n]

    def _differentiable(self):
        """The results that have a gradient: whole numbers have none."""
        return [k for k, out in enumerate(self.out) if out.dtype.kind == "f"] if type(self.out) is tuple else [0]


def make_node(kind: type[Node], parents: tuple, saved: tuple, out, attrs: dict | None = None) -> Node:
    """Makes the node of an op that ran now, of the op's own class; it keeps `out` of its result.

    Every node is made here, except the three kinds that `dispatch.run` writes out for speed.
    """
    node = object.__new__(kind)
    if kind.has_attrs:
        node.attrs = attrs
    node.parents, node.saved, node.number, node.out = parents, saved, tick(), out
    return node


class Output:
    """One result of a node that has several."""

    __slots__ = ("node", "index", "out")

    def __init__(self, node, index, out):
        self.node, self.index, self.out = node, index, out

    @property
    def number(self):
        return self.node.number


class AccumulateGrad:
    """The end of the walk: a leaf that asked for its gradient.

    The gradient lives here, so that no cycle holds a graph.
    """

    __slots__ = ("grad", "out", "number", "tensor", "__dict__", "__weakref__")
    hooked = False
    hooks: tuple = ()
    prehooks: tuple = ()
    posthooks: tuple = ()
    after: tuple = ()          # post-accumulate-grad hooks
    retained = None
    parents = next_functions = ()

    def __init__(self, array):
        self.grad, self.out, self.number, self.tensor = None, array, tick(), None

    __repr__, metadata = Node.__repr__, Node.metadata
    _places = tuple

    def name(self) -> str:
        return "AccumulateGrad"

    @property
    def variable(self):
        """The leaf tensor, or None when the program has let go of it."""
        return self.tensor and self.tensor()


NO_GRAD_MODE, IN_CUSTOM_FUNCTION, MULTI_OUTPUT_NODE = (
    "in no_grad mode", "inside a custom Function", "by a function that returns multiple views")
"""Why the history of a view cannot follow a write: how the view was made, as errors say it."""


class View:
    """The history of a view: its base, and the node that made it.

    The node is valid until the storage is written to.

    Only a tensor that is no view itself is a base. `creation_meta` is the reason why the history of a view, and of the
    views of it, cannot follow a write: how it was made, under PyTorch's name; empty where it can.
    """

    __slots__ = ("base", "node", "version", "creation_meta")
    reread: Any = None
    """A slot: the node of a view after a write, of (base, view); the room that records ops fills it."""

    def __init__(self, base, node, version, creation_meta=""):
        self.base, self.node, self.version, self.creation_meta = base, node, version, creation_meta


def edge_of(history) -> tuple:
    """(node, number of the result) for a history, as `next_functions` shows an operand."""
    return (history.node, history.index) if type(history) is Output else (history, 0)


def output_of(node, k: int):
    """The history of result k of a node: the node itself, if it has only one. `edge_of` leads back."""
    return Output(node, k, node.out[k]) if type(node.out) is tuple else node


def small(array):
    """The part of its result that a node keeps."""
    return array if array.size <= KEEP else Meta(array)


def is_retained(x, history) -> bool:
    """True if a tensor of that history asked to retain_grad()."""
    node, _ = edge_of(history)
    return any([ref() is x for _, ref in getattr(node, "retained", None) or ()])


def keep_retained(x, before, after) -> None:
    """Let retain_grad() apply to a tensor's new value, whose history is `after`, and no longer to the one of `before`.

    Hooks stay with the value that they were set on.
    """
    node = before.node if before.__class__ is Output else before
    if node is None or node.retained is None or after is None:
        return
    asked = [entry for entry in node.retained if entry[1]() is x]
    if asked:
        node.retained = tuple([entry for entry in node.retained if entry[1]() is not x])
        maker, index = edge_of(after)
        maker.retained, maker.hooked = (*(maker.retained or ()), (index, asked[0][1])), True

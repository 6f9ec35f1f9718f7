"""Where a tensor came from: the nodes of the computation graph, and whether they are recorded.

A tensor's history is None (nothing is tracked), an `AccumulateGrad` (a leaf), a `Node`, an `Output` of a node with
several results, or a `View`, which finds its node anew after its base was written to.
"""
from __future__ import annotations

import functools
from _thread import _local  # this is threading.local, without the 3 ms that all of threading takes
from typing import Any

from .errors import ArgumentTypeError
from .storage import tick

KEEP = 64
"""Results of up to this many elements stay with their node, for figures to show; of larger ones shape and dtype do."""

GENERATOR = 0x20
"""The flag of a code object that yields. (`inspect` would cost a third of the import.)"""


class Meta:
    """Shape and dtype of a result that is too large to keep."""

    __slots__ = ("shape", "dtype")

    def __init__(self, array):
        self.shape, self.dtype = array.shape, array.dtype


class Node:
    """One operation that ran: its op, where its operands came from, and the values its gradients will need.

    `out` is the result itself when it is small, else a `Meta`. `number` grows with time, so that falling numbers are a
    topological order. `saved` holds operand tensors and, as aliases without history, results; None once freed.
    """

    __slots__ = ("parents", "saved", "number", "out", "__dict__", "__weakref__")
    has_attrs = False
    op: Any = None             # set by each op's own subclass, which carries PyTorch's name, such as MulBackward0
    attrs: dict = {}           # a slot in the subclasses of ops that have attributes
    hooked = False             # whether any of these was ever set
    hooks: tuple = ()          # on the gradient that arrives (tensor hooks)
    prehooks: tuple = ()
    posthooks: tuple = ()
    retained = None            # weak references to the tensors that asked to retain_grad()

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self):
        return f"<{self.name()} object at {id(self):#x}>"

    def __call__(self, *grads):
        from .autograd.graph import call
        return call(self, *grads)

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
        return tuple([(p.node, p.index) if type(p) is Output else (p, 0) for p in self._shown()])

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


class Output:
    """One result of a node that has several."""

    __slots__ = ("node", "index", "out")

    def __init__(self, node, index, out):
        self.node, self.index, self.out = node, index, out

    @property
    def number(self):
        return self.node.number


class AccumulateGrad:
    """The end of the walk: a leaf that asked for its gradient, which lives here, so that no cycle holds a graph."""

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

    __call__, __repr__, metadata = Node.__call__, Node.__repr__, Node.metadata
    _places = tuple

    def name(self) -> str:
        return "AccumulateGrad"

    @property
    def variable(self):
        """The leaf tensor, or None when the program has let go of it."""
        return self.tensor and self.tensor()


UNRECORDED, OF_FUNCTION, OF_SEVERAL = (
    "in no_grad mode", "inside a custom Function", "by a function that returns multiple views")
"""How a view was made whose history cannot follow a write, in the words of its errors."""


class View:
    """The history of a view: its base, and the node that made it, which holds until the storage is written to.

    Only a tensor that is no view itself is a base. `frozen` is the reason why the history of a view, and of the views
    of it, cannot follow a write: how it was made (PyTorch's creation_meta); empty where it can.
    """

    __slots__ = ("base", "node", "version", "frozen")

    def __init__(self, base, node, version, frozen=""):
        self.base, self.node, self.version, self.frozen = base, node, version, frozen


def small(array):
    """What a node keeps of its result."""
    return array if array.size <= KEEP else Meta(array)


def is_retained(x, history) -> bool:
    """Whether a tensor of that history asked to retain_grad()."""
    node = history.node if type(history) is Output else history
    return any([ref() is x for _, ref in getattr(node, "retained", None) or ()])


def keep_retained(x, before, after) -> None:
    """Let a tensor that asked to retain_grad() keep its newest value's gradient: its history, `before`, is now `after`.

    Its hooks stay with the value that they were set on.
    """
    node = before.node if before.__class__ is Output else before
    if node is None or node.retained is None or after is None:
        return
    asked = [entry for entry in node.retained if entry[1]() is x]
    if asked:
        node.retained = tuple([entry for entry in node.retained if entry[1]() is not x])
        maker, index = (after.node, after.index) if type(after) is Output else (after, 0)
        maker.retained, maker.hooked = (*(maker.retained or ()), (index, asked[0][1])), True


class _Mode(_local):
    enabled = True
    inference = False


mode = _Mode()


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread.

    Source: https://pytorch.org/docs/stable/generated/torch.is_grad_enabled.html

    Example:
        >>> with no_grad():
        ...     is_grad_enabled()
        False
    """
    return mode.enabled


class set_grad_enabled:
    """Switch recording on or off: called, as `with`, or as a decorator. Per thread, nestable.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html

    Example:
        >>> with set_grad_enabled(False):
        ...     is_grad_enabled()
        False
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise ArgumentTypeError(f"set_grad_enabled({mode!r})",
                                    "set_grad_enabled(): argument 'enabled' (position 1) must be bool, "
                                    f"not {type(mode).__name__}",
                                    "True or False")
        self.wanted, self.before = mode, is_grad_enabled()
        self.__enter__()

    def __enter__(self):
        mode.enabled = self.wanted
        return self

    def __exit__(self, *exc):
        mode.enabled = self.before

    def __call__(self, function):
        mode.enabled = self.before
        return _decorate(lambda: set_grad_enabled(self.wanted), function)


class no_grad:
    """Operations inside are not recorded. A context, and a decorator with or without parentheses.

    Source: https://pytorch.org/docs/stable/generated/torch.no_grad.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> with no_grad():
        ...     (x * 2).requires_grad
        False
    """

    wanted = False

    def __new__(cls, function=None):
        self = super().__new__(cls)
        self.before = []
        return self if function is None else _decorate(cls, function)

    def __enter__(self):
        self.before.append(mode.enabled)
        mode.enabled = self.wanted

    def __exit__(self, *exc):
        mode.enabled = self.before.pop()

    def __call__(self, function):
        return _decorate(type(self), function)


class enable_grad(no_grad):
    """Operations inside are recorded, even within `no_grad`.

    Source: https://pytorch.org/docs/stable/generated/torch.enable_grad.html

    Example:
        >>> with no_grad(), enable_grad():
        ...     is_grad_enabled()
        True
    """

    wanted = True


class inference_mode:
    """`no_grad` for code that surely needs no gradients; as `with`, or as a decorator with or without parentheses.

    inference_mode(False) records. Differs from PyTorch: a tensor made inside is like any other afterwards, so there is
    no `is_inference`; and nothing is faster than under `no_grad`, which costs no bookkeeping here either.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> with inference_mode():
        ...     (x * 2).requires_grad
        False
    """

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        self.on, self.before = mode, []
        return _decorate(cls, mode) if callable(mode) else self

    def __enter__(self):
        self.before.append((mode.enabled, mode.inference))
        mode.enabled, mode.inference = not self.on, self.on

    def __exit__(self, *exc):
        mode.enabled, mode.inference = self.before.pop()

    def __call__(self, function):
        return _decorate(lambda: inference_mode(self.on), function)


def is_inference_mode_enabled() -> bool:
    """Whether `inference_mode` is on in this thread.

    Source: https://pytorch.org/docs/stable/generated/torch.is_inference_mode_enabled.html

    Example:
        >>> with inference_mode():
        ...     is_inference_mode_enabled()
        True
    """
    return mode.inference


def _decorate(context, function):
    """The function, run inside a context; of a generator every step, but not what the caller does in between."""
    @functools.wraps(function)
    def inside(*args, **kwargs):
        with context():
            return function(*args, **kwargs)

    @functools.wraps(function)
    def stepwise(*args, **kwargs):
        generator = function(*args, **kwargs)
        ask = functools.partial(generator.send, None)
        try:
            while True:
                with context():
                    got = ask()
                try:
                    ask = functools.partial(generator.send, (yield got))
                except BaseException as error:
                    ask = functools.partial(generator.throw, error)
        except StopIteration as end:
            return end.value
    return stepwise if getattr(getattr(function, "__code__", None), "co_flags", 0) & GENERATOR else inside

"""The side of a tensor that is history: whether gradients are wanted, where it came from, and its own gradient."""
from __future__ import annotations

import weakref

from ..errors import ArgumentTypeError, GradError, ShapeError, kind_of, warn, wrong_type
from .gradmode import mode
from .history import AccumulateGrad, View, edge_of, is_retained, keep_retained
from .memory import Strided


class Differentiable(Strided):
    """Memory with an optional history; `Convertible` is this with ways out.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> x.is_leaf, (x * 2).grad_fn.name()
        (True, 'MulBackward0')
    """

    __slots__ = ("_history", "__dict__", "__weakref__")
    _grad = None
    _detached = 0  # the time, by `tick`, of the last detach_
    _waived = None  # the history of a leaf whose gradient is not wanted for now: its hooks stay

    @property
    def _base(self):
        return self._history.base if type(self._history) is View else None

    def _is_view(self) -> bool:
        return type(self._history) is View

    @property
    def requires_grad(self) -> bool:
        """True if operations on this tensor are recorded.

        A leaf's may be set; see `requires_grad_`.

        A view says True wherever its base does, as in PyTorch. Differs from PyTorch: if it was made under `no_grad`, or
        before the base asked for a gradient, operations on it are not recorded (PyTorch's record, and send to nobody).
        On one made under `no_grad` they are refused, as in PyTorch, once its memory was written to.

        Raises (when set):
            GradError (a RuntimeError): the result of an operation, a leaf that is not floating, or no bool.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2)
            >>> x.requires_grad = True
            >>> x.requires_grad, (x * 2).requires_grad, x.detach().requires_grad
            (True, True, False)
        """
        history = self._history
        if type(history) is not View:
            return history is not None
        if self._a.dtype.kind == "f" and history.base._history is not None:
            return True  # before `refresh`, which refuses a view that was written over
        return refresh(self, history) is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool):
        if not isinstance(wanted, bool):
            raise GradError(f"requires_grad = {wanted!r:.60}", "requires_grad must be a bool", "True or False")
        if not self.is_leaf:
            raise GradError(f"requires_grad = {wanted} on a result of an operation",
                            "you can only change requires_grad flags of leaf variables.",
                            "y.detach() is a tensor that is cut from the graph; y.retain_grad() keeps y's gradient")
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Differentiable:
        """Ask for (or waive) this leaf's gradient; returns the tensor.

        Raises:
            GradError (a RuntimeError): not floating, or not a leaf. ArgumentTypeError (a TypeError): no bool.
        A view made before is none of this leaf's history: its gradient flows nowhere, and it may not be written to.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html

        Example:
            >>> import rustyflow as rf
            >>> rf.tensor([1., 2.]).requires_grad_()
            tensor([1., 2.], requires_grad=True)
        """
        if not isinstance(requires_grad, bool):
            raise wrong_type("requires_grad_", "requires_grad", requires_grad, "bool", "True or False")
        if requires_grad == (history_of(self) is not None):
            return self
        if not requires_grad:
            if not self.is_leaf:
                raise GradError("requires_grad_(False) on a result of an operation",
                                "you can only change requires_grad flags of leaf variables.",
                                "use y.detach() for a tensor that is cut from the graph")
            self._waived, self._history = self._history, None
            self._grad, self._waived.grad = self._waived.grad, None
            return self
        if self._a.dtype.kind != "f":
            raise GradError(f"a tensor of {self.dtype!r}", "only Tensors of floating point dtype can require gradients",
                            "make it with dtype=rustyflow.float32, or x.float()")
        leaf = self._waived or AccumulateGrad(self._a)
        leaf.out, leaf.grad, leaf.tensor = self._a, self._grad, weakref.ref(self)
        self._history = leaf
        return self

    @property
    def is_leaf(self) -> bool:
        """True if no recorded operation made this tensor.

        Gradients of leaves that require grad add up in `.grad`.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2, requires_grad=True)
            >>> x.is_leaf, (x * 2).is_leaf, rf.ones(2).is_leaf
            (True, False, True)
        """
        return type(history_of(self)) in (AccumulateGrad, type(None))

    @property
    def grad_fn(self):
        """The node of the graph that made this tensor, under PyTorch's name; None for a leaf.

        Source: https://pytorch.org/docs/stable/notes/autograd.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2, requires_grad=True)
            >>> (x * 2).grad_fn.name(), x.grad_fn
            ('MulBackward0', None)
        """
        node, _ = edge_of(history_of(self))
        return None if type(node) is AccumulateGrad else node

    @property
    def output_nr(self) -> int:
        """The number of this tensor among the results of its node.

        Source: https://pytorch.org/docs/stable/notes/autograd.html

        Example:
            >>> import rustyflow as rf
            >>> values, indices = rf.ones(2, 3, requires_grad=True).max(1)
            >>> values.output_nr, rf.ones(4, requires_grad=True).unbind()[3].output_nr
            (0, 3)
        """
        return edge_of(history_of(self))[1]

    @property
    def grad(self) -> Differentiable | None:
        """The sum that backward() has added up for this leaf so far; None before the first.

        It may be set, and deleted.

        Raises (when set):
            ShapeError, GradError (RuntimeErrors): another shape or dtype than the tensor's, or the tensor itself.
            ArgumentTypeError (a TypeError): neither a tensor nor None.
        A result that was not asked to `retain_grad()` has none, and says so with a UserWarning.
        Differs from PyTorch: always dense, and never in memory that another gradient uses.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.grad.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.tensor([1., 2.], requires_grad=True)
            >>> (x * x).sum().backward()
            >>> x.grad
            tensor([2., 4.])
        """
        history = self._history
        if type(history) is AccumulateGrad:
            return history.grad
        if history is None or self._grad is not None:
            return self._grad
        made = history.node if type(history) is View else history
        if made is not None and not is_retained(self, made):
            node, _ = edge_of(made)
            warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed: it is None. "
                 f"backward() keeps the gradients of leaves, and this tensor was made by {node.name()}. To "
                 "keep its gradient, write y.retain_grad() before backward(). If it was a leaf until "
                 "`w = w - lr * w.grad` gave its name to a result, update the leaf in place: "
                 "`with rustyflow.no_grad(): w -= lr * w.grad`.")
        return None

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, Differentiable):
                raise ArgumentTypeError(f"x.grad = {value!r}", "assigned grad expected to be a Tensor or None but got "
                                        f"grad of type {kind_of(value)}",
                                        "assign a tensor or None", value=value)
            if value is self:
                raise GradError("x.grad = x", "can't assign Variable as its own grad", "x.grad = x.detach().clone()")
            if value._a.shape != self._a.shape:
                raise ShapeError(f"tensor: {tuple(self.shape)}, grad: {tuple(value.shape)}",
                                 "assigned grad has data of a different size: a gradient has its tensor's shape",
                                 "reshape or sum the gradient first")
            if value._a.dtype != self._a.dtype:
                raise GradError(f"tensor: {self.dtype!r}, grad: {value.dtype!r}",
                                "assigned grad has data of a different type", "convert it with .to(x.dtype)")
        if type(self._history) is AccumulateGrad:
            self._history.grad = value
        else:
            self._grad = value

    @grad.deleter
    def grad(self):
        self.grad = None

    def retain_grad(self) -> None:
        """Keeps the gradient of this result in its .grad, as leaves do.

        Once it is written to, it keeps that of its new value.

        Raises:
            GradError (a RuntimeError): the tensor is not tracked.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.retain_grad.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.tensor([1., 2.], requires_grad=True)
            >>> y = x * x
            >>> y.retain_grad(); (3 * y).sum().backward(); y.grad
            tensor([3., 3.])
        """
        node, index = edge_of(history_of(self))
        if node is None:
            raise GradError("retain_grad() on a tensor that does not require grad",
                            "can't retain_grad on Tensor that has requires_grad=False", "x.requires_grad_() first")
        if type(node) is not AccumulateGrad and not self.retains_grad:
            node.retained, node.hooked = (*(node.retained or ()), (index, weakref.ref(self))), True

    @property
    def retains_grad(self) -> bool:
        """True if retain_grad() was asked of this result; never of a leaf, which keeps its gradient anyway.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.retains_grad.html

        Example:
            >>> import rustyflow as rf
            >>> y = rf.ones(2, requires_grad=True) * 2
            >>> before = y.retains_grad; y.retain_grad(); before, y.retains_grad
            (False, True)
        """
        return is_retained(self, history_of(self))


def history_of(x: Differentiable):
    """The tensor's present history; a view whose storage was written to gets a new node first."""
    history = x._history
    return refresh(x, history) if type(history) is View else history


def refresh(x: Differentiable, view: View):
    """The node of a view. After a write it is an `as_strided` of what the base has become.

    Raises:
        GradError (a RuntimeError): gradients are on, and the memory of a view that was not recorded was overwritten.
    """
    if view.version != x._storage.version:
        if view.creation_meta:
            _check_creation_meta(x, view)
        else:
            before, view.node, view.version = view.node, View.reread(view.base, x), x._storage.version
            keep_retained(x, before, view.node)
    return view.node


def _check_creation_meta(x: Differentiable, view: View) -> None:
    """Refuse a view whose history nobody recorded, now that its memory was written to.

    Raises:
        GradError (a RuntimeError).
    """
    if mode.enabled and x._a.dtype.kind == "f" and (view.node is not None or view.base._history is not None):
        raise GradError(f"a view made {view.creation_meta}, whose memory {x._storage.writer} has written to since",
                        f"A view was created {view.creation_meta} and its base or another view of its base has been "
                        "modified inplace: nothing says how what it shows now came about",
                        "make the view after the write, with gradients on, or go on with its detach()")

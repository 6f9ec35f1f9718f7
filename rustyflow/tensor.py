"""Tensor: memory read through a layout (`memory`), with a history for gradients.

Operators and methods come from the op table (`ops.registry`).
"""
from __future__ import annotations

import builtins
import weakref
from typing import Any

from .backends import backend
from .errors import AbsentError, ArgumentTypeError, ArgumentValueError, GradError, ShapeError
from .history import AccumulateGrad, Output, View
from .memory import Strided, storage_of
from .storage import Storage
from .table import fill

new = object.__new__


class Tensor(Strided):
    """A multi-dimensional array over a shared storage, with an optional history for gradients.

    Made by `rustyflow.tensor`, `zeros`, `arange` and their kin. Mirrors `torch.Tensor`.
    Source: https://pytorch.org/docs/stable/tensors.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> x.t().shape, x.t().stride(), x[1:].storage_offset()
        (rustyflow.Size([3, 2]), (1, 3), 3)
    """

    __slots__ = ("_history", "__dict__", "__weakref__")
    __array_priority__ = 1000
    _grad = None

    def __new__(cls, data=()):
        from .creation import tensor
        return tensor(data) if cls is Tensor else _alias(tensor(data), cls)

    @property
    def _base(self):
        return self._history.base if type(self._history) is View else None

    # Gradients

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded. A leaf's may be set; see `requires_grad_`.

        Raises (when set):
            GradError (a RuntimeError): the result of an operation, or a leaf that is not floating.
            ArgumentTypeError (a TypeError): no bool.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2)
            >>> x.requires_grad = True
            >>> x.requires_grad, (x * 2).requires_grad, x.detach().requires_grad
            (True, True, False)
        """
        return history_of(self) is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool):
        if not self.is_leaf:
            raise GradError(f"requires_grad = {wanted} on a result of an operation", "you can only change requires_grad flags of leaf variables.",
                            "y.detach() is a tensor that is cut from the graph; y.retain_grad() keeps y's gradient")
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Ask for (or waive) this leaf's gradient; returns the tensor.

        Raises:
            GradError (a RuntimeError): not floating, or not a leaf. ArgumentTypeError (a TypeError): no bool.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html

        Example:
            >>> import rustyflow as rf
            >>> rf.tensor([1., 2.]).requires_grad_()
            tensor([1., 2.], requires_grad=True)
        """
        if not isinstance(requires_grad, bool):
            raise ArgumentTypeError(f"requires_grad_({requires_grad!r:.60})", "requires_grad_(): argument 'requires_grad' (position 1) must be bool, "
                                    f"not {type(requires_grad).__name__}", "True or False")
        if requires_grad == self.requires_grad:
            return self
        if not requires_grad:
            if not self.is_leaf:
                raise GradError("requires_grad_(False) on a result of an operation", "you can only change requires_grad flags of leaf variables.",
                                "use y.detach() for a tensor that is cut from the graph")
            self._grad, self._history = self._history.grad, None
            return self
        if self._a.dtype.kind != "f":
            raise GradError(f"a tensor of {self.dtype!r}", "only Tensors of floating point dtype can require gradients", "make it with dtype=rustyflow.float32, or x.float()")
        leaf = AccumulateGrad(self._a)
        leaf.grad, leaf.tensor = self._grad, weakref.ref(self)
        self._history = leaf
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor: gradients of leaves that require grad add up in `.grad`.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2, requires_grad=True)
            >>> x.is_leaf, (x * 2).is_leaf, rf.ones(2).is_leaf
            (True, False, True)
        """
        return type(history_of(self)) in (AccumulateGrad, builtins.type(None))

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
        history = history_of(self)
        return history.node if type(history) is Output else None if type(history) is AccumulateGrad else history

    @property
    def output_nr(self) -> int:
        """Which result of its node this tensor is.

        Source: https://pytorch.org/docs/stable/notes/autograd.html

        Example:
            >>> import rustyflow as rf
            >>> values, indices = rf.ones(2, 3, requires_grad=True).max(1)
            >>> values.output_nr, rf.ones(4, requires_grad=True).unbind()[3].output_nr
            (0, 3)
        """
        history = history_of(self)
        return history.index if type(history) is Output else 0

    @property
    def grad(self) -> "Tensor | None":
        """What backward() has added up for this leaf so far; None before the first. It may be set, and deleted.

        Raises (when set):
            ShapeError, GradError (RuntimeErrors): another shape or dtype than the tensor's, or the tensor itself.
            ArgumentTypeError (a TypeError): neither a tensor nor None.
        Differs from PyTorch: always dense, and never in memory that another gradient uses.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.grad.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.tensor([1., 2.], requires_grad=True)
            >>> (x * x).sum().backward()
            >>> x.grad
            tensor([2., 4.])
        """
        return self._history.grad if type(self._history) is AccumulateGrad else self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, Tensor):
                raise ArgumentTypeError(f"x.grad = {value!r}", f"assigned grad expected to be a Tensor or None but got grad of type {builtins.type(value).__name__}",
                                        "assign a tensor or None")
            if value is self:
                raise GradError("x.grad = x", "can't assign Variable as its own grad", "x.grad = x.detach().clone()")
            if value._a.shape != self._a.shape:
                raise ShapeError(f"tensor: {tuple(self.shape)}, grad: {tuple(value.shape)}", "assigned grad has data of a different size: "
                                 "a gradient has its tensor's shape", "reshape or sum the gradient first")
            if value._a.dtype != self._a.dtype:
                raise GradError(f"tensor: {self.dtype!r}, grad: {value.dtype!r}", "assigned grad has data of a different type", "convert it with .to(x.dtype)")
        if type(self._history) is AccumulateGrad:
            self._history.grad = value
        else:
            self._grad = value

    @grad.deleter
    def grad(self):
        self.grad = None

    def detach(self) -> "Tensor":
        """The same memory without history; writes through either are seen, and counted, by both.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2, requires_grad=True)
            >>> y = (x * 2).detach()
            >>> y.requires_grad, y
            (False, tensor([2., 2.]))
        """
        return _alias(self)

    def detach_(self) -> "Tensor":
        """Forget where this tensor came from: it is a leaf then, which requires no grad. Returns the tensor.

        Raises:
            GradError (a RuntimeError): it is a view.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.detach_.html

        Example:
            >>> import rustyflow as rf
            >>> y = rf.ones(2, requires_grad=True) * 2
            >>> y.detach_()
            tensor([2., 2.])
        """
        if type(self._history) is View:
            raise GradError("detach_() on a view", "Can't detach views in-place. Use detach() instead.", "y = y.detach()")
        self._history = None
        return self

    @property
    def data(self) -> "Tensor":
        """The same memory without history, whose writes are not counted: backward cannot notice them. It may be set.

        `detach()` is safer: a backward that needs a value overwritten through it is refused.
        Source: https://pytorch.org/docs/stable/tensors.html

        Example:
            >>> import rustyflow as rf
            >>> w = rf.ones(2, requires_grad=True)
            >>> w.data.sub_(0.5)
            tensor([0.5000, 0.5000])
            >>> w
            tensor([0.5000, 0.5000], requires_grad=True)
        """
        out = _alias(self)
        out._storage = Storage(out._storage.buffer)
        return out

    @data.setter
    def data(self, value: "Tensor"):
        alias = value.detach()
        self._a, self._storage, self._offset = alias._a, alias._storage, alias._offset
        if type(self._history) is AccumulateGrad:
            self._history.out = self._a

    # Out of the tensor

    def numpy(self, *, force: bool = False):
        """The same memory as a NumPy array, which knows no history; with force=True also that of a tensor that has one.

        Raises:
            GradError (a RuntimeError): the tensor requires grad, and force is False.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.numpy.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(2)
            >>> x.numpy()[0] = 5
            >>> x
            tensor([5., 0.])
        """
        if self.requires_grad and not force:
            raise GradError("x.numpy() on a tensor that requires grad", "Can't call numpy() on Tensor that requires grad.", "Use tensor.detach().numpy() instead.")
        storage_of(self)
        return backend.to_numpy(self._a)

    def __array__(self, dtype=None, copy=None):
        import numpy as np
        array = self.numpy()
        return np.array(array, dtype=dtype, copy=copy)

    def __len__(self):
        if self._a.ndim == 0:
            raise ArgumentTypeError("len() of a 0-d tensor", "len() of a 0-d tensor", "a 0-d tensor is one number: x.item()")
        return self._a.shape[0]

    def __iter__(self):
        if self._a.ndim == 0:
            raise ArgumentTypeError("iterating over a 0-d tensor", "iteration over a 0-d tensor", "a 0-d tensor is one number: x.item()")
        return iter(self.unbind(0))

    def __bool__(self):
        if self._a.size != 1:
            raise ShapeError(f"shape {tuple(self.shape)}", "Boolean value of Tensor with no values is ambiguous" if self._a.size == 0
                             else "Boolean value of Tensor with more than one value is ambiguous", "say which you mean: x.any() or x.all()")
        return bool(self._a.item())

    def __float__(self):
        return float(_only(self))

    def __int__(self):
        return int(_only(self))

    def __index__(self):
        if self._a.size != 1 or self._a.dtype.kind == "f":
            raise ArgumentTypeError(f"a tensor of {self.dtype!r}, shape {tuple(self.shape)}", "only integer tensors of a single element can be converted to an index",
                                    "x.long(), or int(x)")
        return int(self.item())

    def __complex__(self):
        return complex(_only(self))

    def __contains__(self, value):
        if not isinstance(value, (Tensor, int, float)):
            raise ShapeError(f"{str(value)[:60]} in a tensor", f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(value).__name__}.",
                             "a number: 3 in x")
        return bool((self._a == (value._a if isinstance(value, Tensor) else value)).any())

    def __reversed__(self):
        return self.flip(0) if self._a.ndim else self

    __hash__ = object.__hash__

    def __reduce_ex__(self, protocol):
        raise AbsentError("pickling a tensor", "pickle can run any code it finds", "rustyflow.save(tensor, path), which writes safetensors")

    def __repr__(self):
        from .dtype import get_default_dtype
        from .printing import format_tensor
        d, node = self.dtype, self.grad_fn
        return format_tensor(self._a, dtype_name=repr(d), is_default_dtype=d is get_default_dtype(),
                             requires_grad=self.requires_grad and node is None, grad_fn=node and node.name())

    def __format__(self, spec):
        return format(self.item(), spec) if self._a.ndim == 0 else object.__format__(self, spec)

    def __getattr__(self, name):
        fill()
        if not name.startswith("_") and not hasattr(builtins.type(self), name):
            from .absent import refuse
            refuse("Tensor", name)
        return object.__getattribute__(self, name)

    def __dir__(self):
        fill()
        return object.__dir__(self)


def _on_first_use(name):
    """A stand-in for a special method that a family defines: Python looks those up on the class, where `__getattr__` is not asked."""
    def method(self, *args):
        fill()
        return getattr(Tensor, name)(self, *args)
    return method


for _name in ("abs add and array_wrap copy deepcopy dlpack dlpack_device eq floordiv ge getitem gt iadd iand ifloordiv ilshift imod imul "
              "invert ior ipow irshift isub itruediv ixor le lshift lt matmul mod mul ne neg or pos pow radd rand rfloordiv rlshift rmatmul "
              "rmod rmul ror rpow rrshift rshift rsub rtruediv rxor setitem sub truediv xor").split():
    setattr(Tensor, f"__{_name}__", _on_first_use(f"__{_name}__"))


def _only(x: Tensor) -> Any:
    """The one number of a tensor, for Python's float() and int(), which complain with a ValueError."""
    if x._a.size != 1:
        raise ArgumentValueError(f"shape {tuple(x.shape)}, {x._a.size} elements", "only one element tensors can be converted to Python scalars",
                                 "pick one element, e.g. float(x[0, 0]), or use tolist()")
    return x._a.item()


def wrap(array, cls=Tensor) -> Tensor:
    """A tensor over a fresh array of its own memory."""
    out = new(cls)
    out._a, out._storage, out._offset, out._history = array, None, 0, None
    return out


def over(storage: Storage, shape, stride, offset: int, cls=Tensor) -> Tensor:
    """A tensor that reads a storage through a layout; the caller has checked that it stays inside."""
    out = new(cls)
    out._a = backend.strided(storage.buffer, shape, stride, offset)
    out._storage, out._offset, out._history = storage, offset, None
    return out


def _alias(x: Tensor, cls=Tensor) -> Tensor:
    out = new(cls)
    out._a, out._storage, out._offset, out._history = x._a, storage_of(x), x._offset, None
    return out


def history_of(x: Tensor):
    """The tensor's node as it stands now: a view's is made anew when its storage was written to."""
    history = x._history
    return refresh(x, history) if type(history) is View else history


def refresh(x: Tensor, view: View):
    """The node of a view. After a write it is an `as_strided` of what the base has become."""
    if view.version != x._storage.version and not view.frozen:
        from .ops.slots import reread
        view.node, view.version = reread(view.base, x), x._storage.version
    return view.node

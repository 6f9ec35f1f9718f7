"""Tensor: memory read through a layout (`memory`) with a history for gradients (`tracked`) and ways out (`conversion`).

Operators and methods come from the op table (`dispatch.registry`).
"""
from __future__ import annotations

from numbers import Number

from .. import errors
from ..backends import backend
from ..errors import AbsentError, ArgumentTypeError, DTypeError, GradError, kind_of, pick_one
from ..layout import check_extent
from .conversion import Convertible
from .device import CPU, need_cpu
from .differentiable import history_of, refresh
from .gradmode import enable_grad, inference_mode, is_grad_enabled, mode, no_grad, set_grad_enabled
from .history import (
    IN_CUSTOM_FUNCTION,
    KEEP,
    MULTI_OUTPUT_NODE,
    NO_GRAD_MODE,
    AccumulateGrad,
    Meta,
    Node,
    Output,
    View,
    edge_of,
    keep_retained,
    make_node,
    output_of,
    small,
)
from .memory import storage_of
from .runs import Paths
from .size import Size
from .storage import Reread, UntypedStorage, holding, tick
from .table import fill

new = object.__new__


class Tensor(Convertible):
    """A multi-dimensional array over a shared storage, with an optional history for gradients.

    Made by `rustyflow.tensor`, `zeros`, `arange` and their kin; as in PyTorch `Tensor(2, 3)` is an empty one of these
    sizes, Tensor([2, 3]) one of these numbers, and Tensor(x) another over the memory of x.
    Differs from PyTorch: what an op makes of a subclass is a Tensor, as with `nn.Parameter`, and a subclass has no say
    in what ops do: one with a `__torch_function__` is refused.
    Source: https://pytorch.org/docs/stable/tensors.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> x.t().shape, x.t().stride(), x[1:].storage_offset()
        (rustyflow.Size([3, 2]), (1, 3), 3)
    """

    __module__ = "rustyflow"  # as print(type(x)) says
    __slots__ = ()
    __array_priority__ = 1000

    def __new__(cls, *data, **others):
        fill()  # which puts the function in this one's place
        return Tensor.__new__(cls, *data, **others)

    def __init_subclass__(cls, **how):
        super().__init_subclass__(**how)
        if "__torch_function__" in vars(cls):
            raise AbsentError(f"class {cls.__name__} with a __torch_function__",
                              "ops ask no class what they are to do, and what they make is a Tensor",
                              "methods of another name, or functions that call the ops")

    def detach(self) -> Tensor:
        """The same memory without history; writes through either are seen, and counted, by both.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.ones(2, requires_grad=True)
            >>> y = (x * 2).detach()
            >>> y.requires_grad, y
            (False, tensor([2., 2.]))
        """
        return alias_of(self)

    def detach_(self) -> Tensor:
        """Forget where this tensor came from: it is a leaf then, which requires no grad. Returns the tensor.

        A backward that reads it for an op that it went into before is refused, as in PyTorch.
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
            raise GradError("detach_() on a view", "Can't detach views in-place. Use detach() instead.",
                            "y = y.detach()")
        before, self._history = self._history, None
        if type(before) is AccumulateGrad:
            self._grad, before.grad = before.grad, None  # no tensor gets what an older graph still sends
        elif before is not None:
            self._detached = tick()
        return self

    @property
    def data(self) -> Tensor:
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
        out = alias_of(self)
        out._storage = holding(out._storage.buffer)
        return out

    @data.setter
    def data(self, value: Tensor):
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(f"x.data = {value!r:.60}",
                                    f"Variable data has to be a tensor, but got {kind_of(value)}",
                                    "x.data = rustyflow.tensor(value)", value=value)
        alias = value.detach()
        if self.requires_grad and alias._a.dtype.kind != "f":
            raise GradError(f"x.data = a tensor of {alias.dtype!r}",
                            "data set to a tensor that requires gradients must be floating point", "value.float()")
        self._history = history_of(self)  # a view no longer, it keeps the history it had as one
        self._a, self._storage, self._offset = alias._a, storage_of(self).over(alias._storage.buffer), alias._offset
        if type(self._history) is AccumulateGrad:
            self._history.out = self._a

    def __len__(self):
        if self._a.ndim == 0:
            raise ArgumentTypeError("len() of a 0-d tensor", "len() of a 0-d tensor",
                                    "a 0-d tensor is one number: x.item()")
        return self._a.shape[0]

    def __contains__(self, value):
        if not isinstance(value, (Tensor, Number)):
            raise DTypeError(f"{str(value)[:60]} in a tensor", "Tensor.__contains__ only supports Tensor or scalar, "
                             f"but you passed in a {kind_of(value)}.",
                             "a number: 3 in x", value=value)
        return bool((self == value).any())

    def __reversed__(self):
        return self.flip(0) if self._a.ndim else self

    __hash__ = object.__hash__

    def __repr__(self):
        from ..dtype import get_default_dtype
        from .printing import format_tensor
        d = self.dtype
        try:
            node = self.grad_fn
            maker = node and node.name()
        except GradError:  # a view that was written over
            maker = "Invalid"
        return format_tensor(self._a, dtype_name=repr(d), is_default_dtype=d is get_default_dtype(),
                             requires_grad=self.requires_grad and maker is None, grad_fn=maker)

    def __format__(self, spec):
        if spec and (self._a.ndim or type(self) is not Tensor):
            raise ArgumentTypeError(f"format of a tensor of shape {tuple(self.shape)} as {spec!r}",
                                    "unsupported format string passed to Tensor.__format__: only one number has a "
                                    "width and a precision", pick_one(self._a.shape))
        if self._a.ndim or type(self) is not Tensor:
            return object.__format__(self, spec)
        return format(self.item(), spec)

    def __getattr__(self, name):
        if name[:2] == "__":  # ops bring none that is not below, and NumPy asks each tensor of a list for two
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        fill()
        if not name.startswith("_") and not hasattr(type(self), name):
            errors.explain("Tensor", name, _names_of(self))
        return object.__getattribute__(self, name)

    def __dir__(self):
        fill()
        return object.__dir__(self)


__test__ = {"Tensor": Tensor}  # for doctest, which takes it for another module's


def _names_of(x):
    """All that an object has, worked out when the first is asked for: matplotlib asks tensors for names not theirs."""
    yield from dir(x)


def _on_first_use(name):
    """A stand-in for a special method that an op family defines: Python looks it up on the class, past `__getattr__`.
    """
    def method(self, *args):
        fill()
        return getattr(Tensor, name)(self, *args)
    return method


for _name in """
    abs add and array_wrap copy deepcopy delitem dlpack dlpack_device eq floordiv ge getitem gt iadd iand
    ifloordiv ilshift imod imul invert ior ipow irshift isub iter itruediv ixor le lshift lt matmul mod mul
    ne neg or pos pow radd rand reduce_ex rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub
    rtruediv rxor setitem sub truediv xor
""".split():
    setattr(Tensor, f"__{_name}__", _on_first_use(f"__{_name}__"))
Tensor.__torch_function__ = staticmethod(_on_first_use("__torch_function__"))


def wrap(array, cls=Tensor) -> Tensor:
    """A tensor over a fresh array of its own memory."""
    out = new(cls)
    out._a, out._storage, out._offset, out._history = array, None, 0, None
    return out


def over(storage: UntypedStorage, shape, stride, offset: int, cls=Tensor) -> Tensor:
    """A tensor that reads a storage through a layout; the caller has checked that it stays inside."""
    out = new(cls)
    try:
        out._a = backend.strided(storage.buffer, shape, stride, offset)
    except ValueError:
        check_extent(shape)
        raise
    out._storage, out._offset, out._history = storage, offset, None
    return out


def alias_of(x: Tensor, cls=Tensor) -> Tensor:
    """Another tensor over the same memory, counted by the same versions, without history."""
    out = new(cls)
    out._a, out._storage, out._offset, out._history = x._a, storage_of(x), x._offset, None
    return out

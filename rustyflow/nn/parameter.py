"""Parameter: a tensor that is to be learned; and those of lazy modules, which wait for their sizes."""
from __future__ import annotations

from typing import Any

from ..dtype import OF_NUMPY, dtype, float16, float32, float64
from ..errors import ArgumentTypeError, ArgumentValueError, NoTensorError, ShapeError
from ..errors.foreign import kind_of
from ..ops.creation import empty
from ..tensor import Tensor, alias_of
from ..tensor.printing import format_parameter
from ..tensor.serialization import KINDS


class Parameter(Tensor):
    """A leaf that asks for its gradient and says so when printed. It shares the memory of `data`.

    What an operation makes of it is a plain tensor again.

    Args:
        data: a tensor; an empty one when left out.
        requires_grad: whether to ask for the gradient.

    Shapes:
        data of any shape, which it has.

    Raises:
        NoTensorError (an AttributeError and a TypeError): data that is no tensor. ArgumentTypeError (a TypeError):
        requires_grad is no bool. GradError (a RuntimeError): a tensor of whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Parameter(rf.tensor([1., 2.]))
        Parameter containing:
        tensor([1., 2.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True):
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise NoTensorError(f"Parameter({kind_of(data)})", "a Parameter is made of a tensor",
                                "Parameter(rustyflow.tensor(data))", value=data)
        if requires_grad.__class__ is not bool:
            raise ArgumentTypeError(f"Parameter(data, {requires_grad!r:.60})", "Parameter(): argument 'requires_grad' "
                                    f"must be bool, not {kind_of(requires_grad)}", "Parameter(data, False)",
                                    value=requires_grad)
        out = alias_of(data, cls)
        return out.requires_grad_() if requires_grad else out

    def __deepcopy__(self, memo):
        """A parameter of its own, without the gradient."""
        made = super().__deepcopy__(memo)
        made.grad = None
        return made

    def __repr__(self):
        return format_parameter(super().__repr__())


class Uninitialized:
    """A tensor that has a dtype, and waits for its sizes: what an operation would read is not there."""

    __slots__ = ()
    cls_to_become: type[Tensor] = Tensor

    @property
    def _a(self) -> Any:
        kind = type(self).__name__
        raise ArgumentValueError(
            f"<{kind}>",
            "Attempted to use an uninitialized parameter: a lazy module knows its sizes when it has seen an input",
            "call the model on one batch first, model(x), and then ask or initialize its parameters",
        )

    @property
    def shape(self) -> Any:
        """The sizes, which are not there yet.

        Raises:
            ShapeError (a RuntimeError): always.
        """
        raise ShapeError(
            f"<{type(self).__name__}>.shape",
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one.",
            "call the model that it comes from on one batch first: model(x)",
        )

    @property
    def dtype(self) -> dtype:
        """The dtype that it will have."""
        return OF_NUMPY[Tensor._a.__get__(self).dtype]  # type: ignore[attr-defined]

    @property
    def data(self) -> Tensor:
        """An empty tensor of its dtype; what it is set to gives it another."""
        return empty(0, dtype=self.dtype)

    @data.setter
    def data(self, value: Tensor) -> None:
        kind, self.__class__ = self.__class__, self.cls_to_become
        self.data = value
        self.__class__ = kind

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Becomes a parameter, or a buffer, of a shape, whose numbers nobody has written yet."""
        made = empty(tuple(shape), device=device, dtype=dtype or self.dtype)
        self.__class__ = self.cls_to_become
        self.data = made

    def size(self, dim: Any = None) -> Any:
        """The size of what it holds by now: nothing."""
        return self.data.size(dim)

    def is_floating_point(self) -> bool:
        """Returns True for a floating dtype."""
        return self.dtype.is_floating_point

    def copy_(self, other: Any, non_blocking: bool = False) -> Any:
        """Takes nothing from another that waits.

        Raises:
            ValueError: a tensor that has numbers.
        """
        return self if is_lazy(other) else self._a

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """An empty tensor of another dtype; of a buffer one that waits."""
        made = self.data.to(*args, **kwargs)
        return made if isinstance(self, Parameter) else type(self)(dtype=made.dtype)

    def float(self) -> Tensor:
        """As `to(float32)`."""
        return self.to(float32)

    def double(self) -> Tensor:
        """As `to(float64)`."""
        return self.to(float64)

    def half(self) -> Tensor:
        """As `to(float16)`."""
        return self.to(float16)

    def cpu(self) -> Any:
        """The tensor itself."""
        return self

    def _ask(self, *args: Any, **kwargs: Any) -> Any:
        return self._a

    requires_grad_ = backward = register_hook = retain_grad = _ask

    def __deepcopy__(self, memo: dict) -> Any:
        made = type(self)(self.requires_grad, dtype=self.dtype)  # type: ignore[attr-defined, call-arg]
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.requires_grad, None, self.dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter of a lazy module, which becomes a Parameter when the module has seen an input.

    Raises:
        ArgumentValueError (a ValueError): an operation that reads it. ShapeError (a RuntimeError): its shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html

    Example:
        >>> import rustyflow as rf
        >>> w = rf.nn.UninitializedParameter()
        >>> w
        <UninitializedParameter>
        >>> w.materialize((2, 3))
        >>> type(w).__name__, w.shape
        ('Parameter', rustyflow.Size([2, 3]))
    """

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None):
        return _waiting(cls, Parameter(empty(0, device=device, dtype=dtype), requires_grad))


class UninitializedBuffer(Uninitialized, Tensor):
    """A buffer of a lazy module, which becomes a Tensor when the module has seen an input.

    Raises:
        ArgumentValueError (a ValueError): an operation that reads it. ShapeError (a RuntimeError): its shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedBuffer.html

    Example:
        >>> import rustyflow as rf
        >>> seen = rf.nn.UninitializedBuffer(dtype=rf.float64)
        >>> seen.materialize((2,))
        >>> seen.shape, seen.dtype
        (rustyflow.Size([2]), rustyflow.float64)
    """

    __slots__ = ()

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None):
        return _waiting(cls, empty(0, device=device, dtype=dtype, requires_grad=requires_grad))


def _waiting(kind: type, held: Tensor) -> Any:
    held.__class__ = kind
    return held


def is_lazy(param: Any) -> bool:
    """Returns True for a parameter or buffer that waits for its sizes."""
    return isinstance(param, Uninitialized)


KINDS["parameter"] = Parameter

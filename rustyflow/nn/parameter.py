"""Parameter: a tensor that is to be learned."""
from __future__ import annotations

from typing import Any

from ..errors import ArgumentTypeError, NoTensorError
from ..errors.foreign import kind_of
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
        from ..ops.creation import empty
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


KINDS["parameter"] = Parameter

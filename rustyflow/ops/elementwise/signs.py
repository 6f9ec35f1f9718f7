"""The sign of a number, steps, and what is larger where NaN is no number."""
from __future__ import annotations

from math import inf

from ...dispatch import apply, apply_inplace, function, need_tensors, op, renamed
from ...dtype import bool as bools
from ...errors import DTypeError, no_derivative
from ...tensor import Tensor
from ..creation import ones_like


@op
class signbit:
    """y = signbit(x)

    A tensor of bools: whether the sign bit is set, as it is in -0.
    Source: https://pytorch.org/docs/stable/generated/torch.signbit.html

    Example:
        >>> import rustyflow as rf
        >>> rf.signbit(rf.tensor([-2., 0., -0.]))
        tensor([ True, False,  True])
    """
    def forward(F, x): return F.signbit(x) if x.dtype.kind == "f" else x < 0


@op(inplace=True)
class copysign:
    """y = -abs(a) if signbit(b) else abs(a)        da = 0 if a == 0 else g * (y / a)        db = 0

    The size of a with the sign of b, a tensor or a number; shapes broadcast. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.copysign.html

    Example:
        >>> import rustyflow as rf
        >>> rf.copysign(rf.tensor([1., -2.]), -0.)
        tensor([-1., -2.])
    """
    promote, tensors, kinks = "float", ("a",), "at a = 0 the gradient is 0"
    def grad_a(F, g, a, y): return F.where(a == 0, 0.0, g * (y / a))
    def grad_b(F, g): return F.zeros_like(g)

    def call(input, other): return apply(_copysign(other), input, other)
    def write(input, other): return apply_inplace(_copysign(other), input, other)


def _copysign(other):
    return copysign.op if isinstance(other, Tensor) else copysign_number


copysign_number = renamed(copysign.op, "CopysignBackward1", [0])


def _ignoring(name, text, formula, after, answer):
    doc = f"""{formula}

    The {text} of two, the other where one is NaN; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([1., float("nan")]), rf.tensor([4., 2.]))
        tensor({answer})
    """
    return op(type(name, (), {
        "__doc__": doc, "__module__": __name__, "tensors": ("a", "b"), "kinks": "where a = b a gets everything",
        "grad_a": lambda F, g, a, b: F.where(after(a, b) | (b != b), g, 0.0),
        "grad_b": lambda F, g, a, b: F.where(after(a, b) | (b != b), 0.0, g)}))


fmax = _ignoring(
    "fmax", "larger",
    "y = a if a >= b or isnan(b) else b\n    da = g if a >= b or isnan(b) else 0\n"
    "    db = 0 if a >= b or isnan(b) else g",
    lambda a, b: a >= b, "[4., 2.]")
fmin = _ignoring(
    "fmin", "smaller",
    "y = a if a <= b or isnan(b) else b\n    da = g if a <= b or isnan(b) else 0\n"
    "    db = 0 if a <= b or isnan(b) else g",
    lambda a, b: a <= b, "[1., 2.]")


@op(inplace=True)
class heaviside:
    """y = values if x == 0 else 1 if x > 0 else 0        no gradient is defined

    The step; shapes broadcast.
    Raises: DTypeError (a RuntimeError): tensors of different dtypes. GradError (a RuntimeError): in backward, as in
    PyTorch.
    Source: https://pytorch.org/docs/stable/generated/torch.heaviside.html

    Example:
        >>> import rustyflow as rf
        >>> rf.heaviside(rf.tensor([-1.5, 0., 2.]), rf.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    torch_name, tensors = "NotImplemented", ("x", "values")
    def grad_x(F, g): raise no_derivative("heaviside", "where(x == 0, values, (x > 0).to(x.dtype))")
    grad_values = grad_x
    def call(input, values): return apply(*_steps(input, values))
    def write(input, values): return apply_inplace(*_steps(input, values))


def _steps(x, values):
    """The op and its operands, once these are seen to be of one dtype.

    Raises:
        ArgumentTypeError (a TypeError): no tensor. DTypeError (a RuntimeError): another dtype.
    """
    need_tensors("heaviside", input=x, values=values)
    if x.dtype is not values.dtype:
        raise DTypeError(f"heaviside of {x.dtype!r} with values of {values.dtype!r}",
                         "heaviside is not yet implemented for tensors with different dtypes.",
                         f"values.to({x.dtype!r})")
    return heaviside.op, x, values


@function
def isneginf(input):
    """True in each cell that is minus infinity: bools.

    Source: https://pytorch.org/docs/stable/generated/torch.isneginf.html

    Example:
        >>> import rustyflow as rf
        >>> rf.isneginf(rf.tensor([float("-inf"), float("inf"), 1.]))
        tensor([ True, False, False])
    """
    need_tensors("isneginf", input=input)
    return input.detach() == -inf


@function
def isposinf(input):
    """True in each cell that is plus infinity: bools.

    Source: https://pytorch.org/docs/stable/generated/torch.isposinf.html

    Example:
        >>> import rustyflow as rf
        >>> rf.isposinf(rf.tensor([float("-inf"), float("inf"), 1.]))
        tensor([False,  True, False])
    """
    need_tensors("isposinf", input=input)
    return input.detach() == inf


@function
def isreal(input):
    """True in each cell that is a real number: always, for there are no complex ones.

    Source: https://pytorch.org/docs/stable/generated/torch.isreal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.isreal(rf.tensor([1., -2.]))
        tensor([True, True])
    """
    return ones_like(input, dtype=bools)

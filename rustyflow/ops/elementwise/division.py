"""Quotients: exact, rounded down, rounded towards 0, and what is left of them."""
from __future__ import annotations

from ...dispatch import also_called, apply, apply_inplace, function, op, renamed
from ...errors import DTypeError, no_derivative
from ...tensor import Tensor


@op(inplace=True)
class div:
    """y = a / b        da = g / b        db = -g * a / b / b

    Quotient, floating unless `rounding_mode` is 'floor' (down) or 'trunc' (towards 0), which keep whole numbers whole
    and have zero gradients; shapes broadcast.
    Raises: DivisionError (a RuntimeError): a whole number by 0. DTypeError (a RuntimeError): another rounding_mode.
    Source: https://pytorch.org/docs/stable/generated/torch.div.html

    Example:
        >>> import rustyflow as rf
        >>> rf.div(rf.tensor([7., -7.]), 2), rf.div(rf.tensor([7, -7]), 2, rounding_mode="floor")
        (tensor([ 3.5000, -3.5000]), tensor([ 3, -4]))
        >>> rf.tensor([7, -7]) / 2
        tensor([ 3.5000, -3.5000])
    """
    promote, wide = "float", True
    def forward(F, a, b): return a / b
    def into(F, a, b): a /= b
    def grad_a(F, g, b): return g / b
    def grad_b(F, g, a, b): return -g * ((a / b) / b)

    def call(input, other, *, rounding_mode=None):
        return apply(div.op if rounding_mode is None else _rounded(rounding_mode), input, other)

    def write(input, other, *, rounding_mode=None):
        return apply_inplace(div.op if rounding_mode is None else _rounded(rounding_mode), input, other)


def _rounded(mode):
    """The op of a division that rounds.

    Raises:
        DTypeError (a RuntimeError): a mode there is not.
    """
    if mode not in ("floor", "trunc"):
        raise DTypeError(f"div(..., rounding_mode={mode!r})",
                         "div expected rounding_mode to be one of None, 'trunc', or 'floor'",
                         "rounding_mode='floor'")
    return (div_floor if mode == "floor" else div_trunc).op


@op(public=False, method=False)
class div_floor:
    """y = floor(a / b)        da = 0        db = 0"""
    called, torch_name, takes = "div(input, other)", "DivBackward2", "iuf"
    def grad_a(F, g): return F.zeros_like(g)
    def grad_b(F, g): return F.zeros_like(g)


@op(public=False, method=False)
class div_trunc:
    """y = trunc(a / b)        da = 0        db = 0"""
    called, torch_name, takes = "div(input, other)", "DivBackward2", "iuf"
    def grad_a(F, g): return F.zeros_like(g)
    def grad_b(F, g): return F.zeros_like(g)


@function(inplace=lambda input, other: apply_inplace(_true, input, other))
def true_divide(input, other):
    """`div` without rounding.

    Source: https://pytorch.org/docs/stable/generated/torch.true_divide.html

    Example:
        >>> import rustyflow as rf
        >>> rf.true_divide(rf.tensor([1., 2.]), 4)
        tensor([0.2500, 0.5000])
    """
    return apply(_true, input, other)


_true = renamed(div.op, "DivBackward0", called="true_divide")


@op(inplace=True)
class floor_divide:
    """y = floor(a / b)        no gradient is defined

    The quotient rounded down, in the operands' own dtype, as `//` does.
    Raises: DivisionError (a RuntimeError): a whole number by 0. GradError (a RuntimeError): in backward, as in PyTorch.
    Source: https://pytorch.org/docs/stable/generated/torch.floor_divide.html

    Example:
        >>> import rustyflow as rf
        >>> rf.floor_divide(rf.tensor([7, -7]), 2)
        tensor([ 3, -4])
    """
    torch_name, takes = "NotImplemented", "iuf"
    def forward(F, a, b): return F.div_floor(a, b)
    def grad_a(F, g): raise no_derivative("floor_divide", "div(a, b, rounding_mode='floor')")
    grad_b = grad_a
    def call(input, other): return apply(_floor_of(input, other), input, other)
    def write(input, other): return apply_inplace(_floor_of(input, other), input, other)


_floor_numbers = [renamed(floor_divide.op, "NotImplemented", [k]) for k in (0, 1)]


def _floor_of(a, b):
    return floor_divide.op if isinstance(a, Tensor) and isinstance(b, Tensor) else _floor_numbers[isinstance(b, Tensor)]


def _by(tensor, number, other):
    return tensor if isinstance(other, Tensor) else number


@op(inplace=True)
class remainder:
    """y = a - b * floor(a / b)        da = g        db = -g * floor(a / b)

    What is left of a division rounded down: the result has the sign of b, as Python's `%`.
    Raises: DivisionError (a RuntimeError): a whole number by 0.
    Source: https://pytorch.org/docs/stable/generated/torch.remainder.html

    Example:
        >>> import rustyflow as rf
        >>> rf.remainder(rf.tensor([-3., 3.]), 2), rf.tensor([-3, 3]) % -2
        (tensor([1., 1.]), tensor([-1, -1]))
    """
    torch_name, takes, tensors, kinks = "RemainderBackward1", "iuf", "some", "where a / b is whole y jumps"
    def forward(F, a, b): return F.remainder(F.divisible(a, b), b)
    def grad_a(F, g): return g
    def grad_b(F, g, a, b): return -g * F.div_floor(a, b)
    def call(input, other): return apply(_by(remainder.op, remainder_number, other), input, other)
    def write(input, other): return apply_inplace(_by(remainder.op, remainder_number, other), input, other)


remainder_number = renamed(remainder.op, "RemainderBackward0", [0])


@op(inplace=True)
class fmod:
    """y = a - b * trunc(a / b)        da = g        db = -g * trunc(a / b)

    What is left of a division rounded towards 0: the result has the sign of a, as in C.
    Raises: DivisionError (a RuntimeError): a whole number by 0.
    Source: https://pytorch.org/docs/stable/generated/torch.fmod.html

    Example:
        >>> import rustyflow as rf
        >>> rf.fmod(rf.tensor([-3., 3.]), 2)
        tensor([-1.,  1.])
    """
    torch_name, takes, tensors, kinks = "FmodBackward1", "iuf", ("a",), "where a / b is whole y jumps"
    def forward(F, a, b): return F.fmod(F.divisible(a, b), b)
    def grad_a(F, g): return g
    def grad_b(F, g, a, b): return -g * F.div_trunc(a, b)
    def call(input, other): return apply(_by(fmod.op, fmod_number, other), input, other)
    def write(input, other): return apply_inplace(_by(fmod.op, fmod_number, other), input, other)


fmod_number = renamed(fmod.op, "FmodBackward0", [0])


div_number = renamed(div.op, "DivBackward1", [0])
"""By a number, as PyTorch calls it within its own functions."""

also_called(div, "divide")

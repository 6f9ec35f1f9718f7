"""Activations in straight pieces, but for the parabola of hardswish."""
from __future__ import annotations

from ...arguments.numbers import fitting
from ...dispatch import function, op
from ...errors import ArgumentValueError, DTypeError
from .activation import run

SIXTH = 0.1666666716337204
"""hardsigmoid's slope: 1 / 6 as float32 has it, for PyTorch keeps it so, and twenty steps in float64 show it."""


@op(public=False, method=False)
class hardtanh:
    """y = minimum(maximum(x, min_val), max_val)        dx = 0 if x <= min_val or x >= max_val else g

    Shapes: input of any shape; the result has the same.
    Raises: ArgumentValueError (a ValueError): min_val above max_val, which hardtanh_ takes, as PyTorch's does.
        DTypeError (a RuntimeError): bools, or a negative limit for bytes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.hardtanh(rf.tensor([-3., 0.5, 2.]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    refuses, kinks, elementwise = "b", "at both ends the gradient is 0", True
    def forward(F, x, *, low, high): return F.clamp(x, low, high)
    def grad_x(F, g, x, *, low, high): return F.constant_in(F.where((x <= low) | (x >= high), 0.0, g), x)

    def call(input, min_val=-1.0, max_val=1.0, inplace=False):
        if min_val > max_val:  # whatever they are, as in PyTorch, which asks that first
            raise ArgumentValueError(f"hardtanh(min_val={min_val!r:.40}, max_val={max_val!r:.40})",
                                     "min_val cannot be greater than max_val", "swap them")
        return hardtanh_(input, min_val, max_val, inplace)


def hardtanh_(input, min_val=-1.0, max_val=1.0, inplace=True):
    low = fitting("hardtanh", "min_val", min_val, (input,))
    high = fitting("hardtanh", "max_val", max_val, (input,))
    if input._a.dtype.kind != "f":
        low, high = int(low), int(high)
    if input._a.dtype.kind == "u" and (low < 0 or high < 0):
        raise DTypeError(f"hardtanh of {input.dtype!r}, min_val={low}, max_val={high}",
                         "cannot do hardtanh on an unsigned type with negative limits", "min_val=0")
    return run(hardtanh.op, input, inplace, low=low, high=high)


@function(public=False, method=False)
def relu6(input, inplace=False):
    """relu, cut off at 6: min(max(x, 0), 6).

    Shapes: input of any shape; the result has the same.
    Raises:
        DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu6.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.relu6(rf.tensor([-1., 3., 9.]))
        tensor([0., 3., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


@op(public=False, method=False)
class hardsigmoid:
    """y = minimum(maximum(x / 6 + 1 / 2, 0), 1)        dx = g * 0.1666666716337204 if -3 < x < 3 else 0

    The sigmoid in three straight pieces. Floating dtypes. The gradient's 1 / 6 is the one of float32, for float64 too,
    as in PyTorch.
    Shapes: input of any shape; the result has the same.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.hardsigmoid(rf.tensor([-4., 0., 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """
    takes, kinks, elementwise = "f", "at -3 and 3 the gradient is 0", True
    def grad_x(F, g, x): return F.scaled(F.kept_where((x > -3) & (x < 3), g), SIXTH)
    def call(input, inplace=False): return run(hardsigmoid.op, input, inplace)


@op(public=False, method=False)
class hardswish:
    """y = x * minimum(maximum(x + 3, 0), 6) / 6        dx = 0 if x <= -3 else g * (x / 3 + 1 / 2) if x < 3 else g

    silu in straight pieces and a parabola. Floating dtypes.
    Shapes: input of any shape; the result has the same.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardswish.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.hardswish(rf.tensor([-4., 1., 5.]))
        tensor([-0.0000, 0.6667, 5.0000])
    """
    takes, kinks, elementwise, back = "f", "at -3 the gradient is 0, at 3 it is 1", True, "cellwise"
    def grad_x(F, g, x): return F.where(x <= -3, 0.0, F.where(x < 3, g * (x / 3 + 0.5), g))
    def call(input, inplace=False): return run(hardswish.op, input, inplace)

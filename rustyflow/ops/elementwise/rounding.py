"""To whole numbers, and what is left."""
from __future__ import annotations

from ...arguments.numbers import whole
from ...dispatch import also_called, apply, apply_inplace, direct, op


@op(inplace=True)
class floor:
    """y = floor(x)        dx = 0

    The largest whole number that is not above x. Whole numbers stay as they are.
    Source: https://pytorch.org/docs/stable/generated/torch.floor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.floor(rf.tensor([-1.5, 0.2, 2.]))
        tensor([-2.,  0.,  2.])
    """
    takes = "iuf"
    def grad_x(F, g): return F.zeros_like(g)


@op(inplace=True)
class ceil:
    """y = ceil(x)        dx = 0

    The smallest whole number that is not below x. Whole numbers stay as they are.
    Source: https://pytorch.org/docs/stable/generated/torch.ceil.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ceil(rf.tensor([-1.5, 0.2, 2.]))
        tensor([-1.,  1.,  2.])
    """
    takes = "iuf"
    def grad_x(F, g): return F.zeros_like(g)


@op(inplace=True)
class trunc:
    """y = trunc(x)        dx = 0

    x without its fraction. Whole numbers stay as they are.
    Source: https://pytorch.org/docs/stable/generated/torch.trunc.html

    Example:
        >>> import rustyflow as rf
        >>> rf.trunc(rf.tensor([-1.5, 0.2, 2.]))
        tensor([-1.,  0.,  2.])
    """
    takes = "iuf"
    def grad_x(F, g): return F.zeros_like(g)


@op(inplace=True)
class round:
    """y = round(x)        dx = 0

    The nearest whole number, of two equally near the even one; with `decimals`, for floats alone, the nearest multiple
    of 10 ** -decimals.
    Source: https://pytorch.org/docs/stable/generated/torch.round.html

    Example:
        >>> import rustyflow as rf
        >>> rf.round(rf.tensor([0.5, 1.5, -2.7])), rf.round(rf.tensor(3.14159), decimals=2)
        (tensor([ 0.,  2., -3.]), tensor(3.1400))
    """
    takes = "iuf"
    def grad_x(F, g): return F.zeros_like(g)

    def call(input, *, decimals=...):
        if decimals is ...:
            return nearest(input)
        return apply(round_decimals.op, input, decimals=whole("round", decimals=decimals)[0])

    def write(input, *, decimals=...):
        if decimals is ...:
            return apply_inplace(round.op, input)
        return apply_inplace(round_decimals.op, input, decimals=whole("round", decimals=decimals)[0])


nearest = direct(round.op)


@op(public=False, method=False)
class round_decimals:
    """y = round(x * 10 ** decimals) / 10 ** decimals        dx = 0"""
    called, torch_name, takes, by = "round(input)", "RoundBackward1", "f", "in_single"
    elementwise = True

    def forward(F, x, *, decimals):
        return F.round_to(x, 10.0 ** abs(decimals) if abs(decimals) < 309 else float("inf"), decimals > 0)

    def grad_x(F, g, *, decimals): return F.zeros_like(g)


@op(inplace=True)
class frac:
    """y = x - trunc(x)        dx = g

    The fraction, with the sign of x.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.frac.html

    Example:
        >>> import rustyflow as rf
        >>> rf.frac(rf.tensor([1.25, -3.5]))
        tensor([ 0.2500, -0.5000])
    """
    takes, kinks = "f", "where x is whole y jumps"
    def grad_x(F, g): return g


also_called(trunc, "fix")

"""Exponentials, logarithms, and the error function."""
from __future__ import annotations

from math import log as ln, pi, sqrt

from ...dispatch import apply, apply_inplace, op, renamed
from ...tensor import Tensor

LN2, LN10, TWO_OVER_ROOT_PI = ln(2), ln(10), 2 / sqrt(pi)


@op(inplace=True)
class exp:
    """y = exp(x)        dx = g * y

    e to the power of x. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.exp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.exp(rf.tensor([0., 1.]))
        tensor([1.0000, 2.7183])
    """
    promote = "float"
    def grad_x(F, g, y): return g * y


@op(inplace=True)
class exp2:
    """y = 2 ** x        dx = g * y * log(2)

    2 to the power of x. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.exp2.html

    Example:
        >>> import rustyflow as rf
        >>> rf.exp2(rf.tensor([0., 3.]))
        tensor([1., 8.])
    """
    promote = "float"
    def grad_x(F, g, y): return g * (y * LN2)


@op(inplace=True)
class expm1:
    """y = exp(x) - 1        dx = g * (y + 1)

    Worked out as y = expm1(x), so that no digit is lost near 0. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.expm1.html

    Example:
        >>> import rustyflow as rf
        >>> rf.expm1(rf.tensor([0., 1.]))
        tensor([0.0000, 1.7183])
    """
    promote = "float"
    def grad_x(F, g, y): return g * (y + 1)


@op(inplace=True)
class log:
    """y = log(x)        dx = g / x

    The natural logarithm: -inf at 0, NaN below. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.log.html

    Example:
        >>> import rustyflow as rf
        >>> rf.log(rf.tensor([1., 10., 0.]))
        tensor([0.0000, 2.3026,   -inf])
    """
    promote = "float"
    def grad_x(F, g, x): return g / x


@op(inplace=True)
class log2:
    """y = log2(x)        dx = g / (x * log(2))

    The logarithm to base 2: -inf at 0, NaN below. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.log2.html

    Example:
        >>> import rustyflow as rf
        >>> rf.log2(rf.tensor([1., 8.]))
        tensor([0., 3.])
    """
    promote = "float"
    def grad_x(F, g, x): return g / (x * LN2)


@op(inplace=True)
class log10:
    """y = log10(x)        dx = g / (x * log(10))

    The logarithm to base 10: -inf at 0, NaN below. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.log10.html

    Example:
        >>> import rustyflow as rf
        >>> rf.log10(rf.tensor([1., 1000.]))
        tensor([0., 3.])
    """
    promote = "float"
    def grad_x(F, g, x): return g / (x * LN10)


@op(inplace=True)
class log1p:
    """y = log(1 + x)        dx = g / (x + 1)

    Worked out as y = log1p(x), so that no digit is lost near 0. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.log1p.html

    Example:
        >>> import rustyflow as rf
        >>> rf.log1p(rf.tensor([0., 1.]))
        tensor([0.0000, 0.6931])
    """
    promote, torch_name = "float", "Log1PBackward0"
    def grad_x(F, g, x): return g / (x + 1)


@op(inplace=True)
class erf:
    """y = erf(x)        dx = g * 2 / sqrt(pi) * exp(-x * x)

    The error function: how much of a bell curve lies within x * sqrt(2) deviations. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.erf.html

    Example:
        >>> import rustyflow as rf
        >>> rf.erf(rf.tensor([0., 0.5, 2.]))
        tensor([0.0000, 0.5205, 0.9953])
    """
    promote = "float"
    def grad_x(F, g, x): return g * (TWO_OVER_ROOT_PI * F.exp(-(x * x)))


@op(inplace=True)
class erfc:
    """y = 1 - erf(x)        dx = -g * 2 / sqrt(pi) * exp(-x * x)

    Worked out as y = erfc(x), so that no digit is lost where it is small. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.erfc.html

    Example:
        >>> import rustyflow as rf
        >>> rf.erfc(rf.tensor([0., 2.]))
        tensor([1.0000, 0.0047])
    """
    promote = "float"
    def grad_x(F, g, x): return -g * (TWO_OVER_ROOT_PI * F.exp(-(x * x)))


@op
class logaddexp:
    """y = log(exp(a) + exp(b))        da = g / (1 + exp(b - a))        db = g / (1 + exp(a - b))

    A sum of numbers that are kept as logarithms; shapes broadcast.
    Worked out as y = a + log(2) if a == b else maximum(a, b) + log1p(exp(-abs(a - b))), so that exp cannot overflow.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.logaddexp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logaddexp(rf.tensor([-100., 1000.]), rf.tensor([-100., 1000.]))
        tensor([ -99.3069, 1000.6932])
    """
    takes, tensors = "f", ("a", "b")
    def grad_a(F, g, a, b): return g / (1 + F.exp(b - a))
    def grad_b(F, g, a, b): return g / (1 + F.exp(a - b))


@op(inplace=True)
class xlogy:
    """y = a * log(b) if not a == 0 else 0
    da = g * log(b) if not (a == 0 and b <= 0) else 0
    db = g * a / b

    Either may be a number; shapes broadcast. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.xlogy.html

    Example:
        >>> import rustyflow as rf
        >>> rf.xlogy(rf.tensor([0., 2.]), rf.tensor([0., 1.]))
        tensor([0., 0.])
    """
    promote, tensors, kinks = "float", "some", "where a = 0 and b <= 0, da is 0"
    def grad_a(F, g, a, b):
        b_as = b if isinstance(b, (int, float)) else F.type_as(b, g)
        return F.where((a == 0) & (b <= 0), 0.0, F.xlogy(g, b_as))

    def grad_b(F, g, a, b): return g * (a / b)
    def call(input, other): return apply(_xlogy_of(input, other), input, other)
    def write(input, other): return apply_inplace(_xlogy_of(input, other), input, other)


_number_xlogy, _xlogy_number = renamed(xlogy.op, "XlogyBackward1", [1]), renamed(xlogy.op, "XlogyBackward2", [0])


def _xlogy_of(a, b):
    if not isinstance(a, Tensor):
        return _number_xlogy
    return xlogy.op if isinstance(b, Tensor) else _xlogy_number

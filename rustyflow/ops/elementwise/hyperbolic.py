"""Hyperbolic functions, their inverses, and the logistic function, which is a tanh in disguise."""
from __future__ import annotations

from ...dispatch import also_called, op


@op(inplace=True)
class sinh:
    """y = sinh(x)        dx = g * cosh(x)

    The hyperbolic sine, (exp(x) - exp(-x)) / 2. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.sinh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sinh(rf.tensor([0., 1.]))
        tensor([0.0000, 1.1752])
    """
    promote = "float"
    def grad_x(F, g, x): return g * F.cosh(x)


@op(inplace=True)
class cosh:
    """y = cosh(x)        dx = g * sinh(x)

    The hyperbolic cosine, (exp(x) + exp(-x)) / 2. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.cosh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cosh(rf.tensor([0., 1.]))
        tensor([1.0000, 1.5431])
    """
    promote = "float"
    def grad_x(F, g, x): return g * F.sinh(x)


@op(inplace=True)
class tanh:
    """y = tanh(x)        dx = g * (1 - y * y)

    The hyperbolic tangent, from -1 to 1. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.tanh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tanh(rf.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """
    promote = "float"
    def grad_x(F, g, y): return F.tanh_input(g, y)


@op(inplace=True)
class asinh:
    """y = asinh(x)        dx = g / sqrt(x * x + 1)

    The inverse of sinh. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.asinh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.asinh(rf.tensor([0., 1.]))
        tensor([0.0000, 0.8814])
    """
    promote, written = "float", "AsinhBackward1"
    def grad_x(F, g, x): return g * F.rsqrt(x * x + 1)


@op(inplace=True)
class acosh:
    """y = acosh(x)        dx = g / sqrt(x * x - 1)

    The inverse of cosh; NaN below 1. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.acosh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.acosh(rf.tensor([1., 2.]))
        tensor([0.0000, 1.3170])
    """
    promote, written = "float", "AcoshBackward1"
    def grad_x(F, g, x): return g * F.rsqrt(x * x - 1)


@op(inplace=True)
class atanh:
    """y = atanh(x)        dx = g / (1 - x * x)

    The inverse of tanh; infinite at -1 and 1, NaN beyond. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.atanh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.atanh(rf.tensor([0., 0.5, 1.]))
        tensor([0.0000, 0.5493,    inf])
    """
    promote, written = "float", "AtanhBackward1"
    def grad_x(F, g, x): return g / (1 - x * x)


@op(inplace=True)
class sigmoid:
    """y = 1 / (1 + exp(-x))        dx = g * y * (1 - y)

    The logistic function, from 0 to 1. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.sigmoid.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sigmoid(rf.tensor([0., 100.]))
        tensor([0.5000, 1.0000])
    """
    promote = "float"
    def grad_x(F, g, y): return g * (y * (1 - y))


also_called(asinh, "arcsinh")
also_called(acosh, "arccosh")
also_called(atanh, "arctanh")

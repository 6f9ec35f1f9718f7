"""Angles and their functions; hyperbolic ones are in `hyperbolic`."""
from __future__ import annotations

from math import pi

from ...dispatch import also_called, op


@op(inplace=True)
class sin:
    """y = sin(x)        dx = g * cos(x)

    The sine of an angle in radians. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.sin.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sin(rf.tensor([0., 1.5708]))
        tensor([0., 1.])
    """
    promote = "float"
    def grad_x(F, g, x): return g * F.cos(x)


@op(inplace=True)
class cos:
    """y = cos(x)        dx = -g * sin(x)

    The cosine of an angle in radians. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.cos.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cos(rf.tensor([0., 3.1416]))
        tensor([ 1., -1.])
    """
    promote = "float"
    def grad_x(F, g, x): return -g * F.sin(x)


@op(inplace=True)
class tan:
    """y = tan(x)        dx = g * (1 + y * y)

    The tangent of an angle in radians. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.tan.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tan(rf.tensor([0., 0.7854]))
        tensor([0.0000, 1.0000])
    """
    promote = "float"
    def grad_x(F, g, y): return g * (1 + y * y)


@op(inplace=True)
class asin:
    """y = asin(x)        dx = g / sqrt(1 - x * x)

    The angle from -pi/2 to pi/2 whose sine is x; NaN outside [-1, 1]. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.asin.html

    Example:
        >>> import rustyflow as rf
        >>> rf.asin(rf.tensor([0., 1., 2.]))
        tensor([0.0000, 1.5708,    nan])
    """
    promote = "float"
    def grad_x(F, g, x): return g * F.rsqrt(1 - x * x)


@op(inplace=True)
class acos:
    """y = acos(x)        dx = -g / sqrt(1 - x * x)

    The angle from 0 to pi whose cosine is x; NaN outside [-1, 1]. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.acos.html

    Example:
        >>> import rustyflow as rf
        >>> rf.acos(rf.tensor([1., 0.]))
        tensor([0.0000, 1.5708])
    """
    promote = "float"
    def grad_x(F, g, x): return -g * F.rsqrt(1 - x * x)


@op(inplace=True)
class atan:
    """y = atan(x)        dx = g / (1 + x * x)

    The angle from -pi/2 to pi/2 whose tangent is x. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.atan.html

    Example:
        >>> import rustyflow as rf
        >>> rf.atan(rf.tensor([0., 1.]))
        tensor([0.0000, 0.7854])
    """
    promote = "float"
    def grad_x(F, g, x): return g / (1 + x * x)


@op(inplace=True)
class atan2:
    """y = atan2(a, b)        da = g * b / (a * a + b * b)        db = -g * a / (a * a + b * b)

    The angle of the point (b, a), from -pi to pi, in the right quadrant; shapes broadcast. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.atan2.html

    Example:
        >>> import rustyflow as rf
        >>> rf.atan2(rf.tensor([1., 1.]), rf.tensor([1., -1.]))
        tensor([0.7854, 2.3562])
    """
    promote, tensors, kinks = "float", ("a", "b"), "at (0, 0) the gradient is 0"
    # also 0 where the squares are too small for their dtype: the quotient would be infinite
    def grad_a(F, g, a, b): return g * F.where(a * a + b * b == 0, 0.0, b / (a * a + b * b))
    # whole numbers are squared, and taken from 0, in their own dtype, as in PyTorch; bools have no -a
    def grad_b(F, g, a, b): return g * F.where(a * a + b * b == 0, 0.0, (0 - a) / (a * a + b * b))


also_called(asin, "arcsin")
also_called(acos, "arccos")
also_called(atan, "arctan")
also_called(atan2, "arctan2")


@op(inplace=True)
class sinc:
    """y = 1 if x == 0 else sin(pi * x) / (pi * x)
    dx = 0 if x == 0 else g * (pi * x * cos(pi * x) - sin(pi * x)) / (pi * x * x)

    Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.sinc.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sinc(rf.tensor([0., 0.5]))
        tensor([1.0000, 0.6366])
    """
    promote, by = "float", "cellwise"
    def forward(F, x): return F.where(x == 0, F.number(1.0, x.dtype), F.sin(x * pi) / (x * pi))

    def grad_x(F, g, x): return F.cellwise(_sinc_input, F, g, x)


def _sinc_input(F, g, x):
    """The gradient of sinc: 0 where the square is, also of a tiny x."""
    slope = (x * pi * F.cos(x * pi) - F.sin(x * pi)) / (x * x * pi)
    return F.where(x * x * pi == 0, 0.0, g * slope)


@op(inplace=True)
class deg2rad:
    """y = x * pi / 180        dx = g * pi / 180

    Angles in degrees as radians. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.deg2rad.html

    Example:
        >>> import rustyflow as rf
        >>> rf.deg2rad(rf.tensor([180., -90.]))
        tensor([ 3.1416, -1.5708])
    """
    torch_name, promote, by = "Deg2RadBackward0", "float", "in_single"
    def forward(F, x): return x * (pi / 180)
    def grad_x(F, g): return g * (pi / 180)


@op(inplace=True)
class rad2deg:
    """y = x * 180 / pi        dx = g * 180 / pi

    Angles in radians as degrees. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.rad2deg.html

    Example:
        >>> import rustyflow as rf
        >>> rf.rad2deg(rf.tensor([3.1416, -1.5708]))
        tensor([180.0004, -90.0002])
    """
    torch_name, promote, by = "Rad2DegBackward0", "float", "in_single"
    def forward(F, x): return x * (180 / pi)
    def grad_x(F, g): return g * (180 / pi)

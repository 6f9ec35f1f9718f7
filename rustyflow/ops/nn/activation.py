"""Activations: what stands between linear layers, one node each.

relu is in `selection`; sigmoid and tanh are in `hyperbolic`.
"""
from __future__ import annotations

from math import pi, sqrt

import numpy as np

from ...arguments.numbers import fitted, fitting
from ...dispatch import apply, apply_inplace, function, op
from ...dtype import float32
from ...errors import ShapeError, wrong_type

SQRT_TWO_OVER_PI, CUBIC = sqrt(2 / pi), 0.044715
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def run(it, input, inplace, **how):
    """The op, or its in-place form."""
    return apply_inplace(it.over, input, **how) if inplace else apply(it, input, **how)


@op(public=False, method=False)
class silu:
    """y = x / (1 + exp(-x))        dx = g * s * (1 + x * (1 - s)) with s = 1 / (1 + exp(-x))

    x times its own sigmoid, also called swish. Floating dtypes.
    Shapes: input of any shape; the result has the same.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.silu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.silu(rf.tensor([-1., 0., 1.]))
        tensor([-0.2689,  0.0000,  0.7311])
    """
    takes, elementwise, back = "f", True, "cellwise"

    def grad_x(F, g, x):
        s = F.sigmoid(x)
        return g * (s * (1 + x * (1 - s)))

    def call(input, inplace=False): return run(silu.op, input, inplace)


@op(public=False, method=False)
class mish:
    """y = x * tanh(log(1 + exp(x)))
    dx = g * (t + x * s * (1 - t * t)) with t = tanh(log(1 + exp(x))), s = 1 / (1 + exp(-x))

    Floating dtypes. Worked out as y = x * tanh(x if x > 20 else log1p(exp(x))), so that exp cannot overflow.
    Shapes: input of any shape; the result has the same.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.mish.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.mish(rf.tensor([-1., 0., 1.]))
        tensor([-0.3034,  0.0000,  0.8651])
    """
    takes, elementwise, back = "f", True, "cellwise"

    def grad_x(F, g, x):
        t = F.tanh(F.softplus(x, 1, 20))
        return g * (t + x * F.sigmoid(x) * (1 - t * t))

    def call(input, inplace=False): return run(mish.op, input, inplace)


@op(public=False, method=False)
class logsigmoid:
    """y = -log(1 + exp(-x))        dx = g / (1 + exp(x))

    The logarithm of the sigmoid. Floating dtypes.
    Worked out as y = x if x < -40 else -log1p(exp(-x)), so that exp cannot overflow.
    Shapes: input of any shape; the result has the same.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.logsigmoid(rf.tensor([-100., 0.]))
        tensor([-100.0000,   -0.6931])
    """
    torch_name, takes, elementwise = "LogSigmoidBackward0", "f", False
    def forward(F, x): return F.logsigmoid(F.in_order(x))
    def grad_x(F, g, x): return g * F.sigmoid(-x)


@op(public=False, method=False)
class leaky_relu:
    """y = x if x > 0 else negative_slope * x        dx = g if x > 0 else negative_slope * g

    Shapes: input of any shape; the result has the same.
    Raises: ArgumentTypeError (a TypeError): a slope that is no number. UnsupportedDTypeError (a NotImplementedError):
        whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.leaky_relu(rf.tensor([-1., 2.]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    takes, kinks, written = "f", "at x = 0 the gradient is that of the left side", "LeakyReluBackward1"
    elementwise, back = True, "cellwise"
    def grad_x(F, g, x, *, slope): return F.constant_in(F.where(x > 0, g, g * slope), x)

    def call(input, negative_slope=0.01, inplace=False):
        return run(leaky_relu.op, input, inplace,
                   slope=fitting("leaky_relu", "negative_slope", negative_slope, (input,), wide=True))


@op(public=False, method=False)
class elu:
    """y = scale * x if x > 0 else scale * alpha * (exp(x) - 1)
    dx = g * scale * alpha * exp(x) if x <= 0 else g * scale

    Floating dtypes.
    Worked out as y = scale * x if x > 0 else scale * alpha * expm1(x), so that no digit is lost near 0.
    Shapes: input of any shape; the result has the same.
    Raises: ArgumentTypeError (a TypeError): an alpha that is no number. UnsupportedDTypeError (a NotImplementedError):
        whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.elu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.elu(rf.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])
    """
    takes, kinks, written = "f", "at x = 0 the gradient is that of the left side", "EluBackward1"
    elementwise, back = True, "cellwise"
    # exp of a large x, which is not taken, would be infinite, and infinity times 0 in the second derivative
    def grad_x(F, g, x, *, alpha, scale):
        return g * F.where(x <= 0, scale * alpha * F.exp(F.where(x < 0, x, 0)), scale)

    def call(input, alpha=1.0, inplace=False):
        return run(elu.op, input, inplace, alpha=fitting("elu", "alpha", alpha, (input,), wide=True), scale=1.0)


@function(public=False, method=False)
def selu(input, inplace=False):
    """elu with the alpha and the scale that keep mean 0 and variance 1 from layer to layer.

    Shapes: input of any shape; the result has the same.
    Raises:
        UnsupportedDTypeError (a NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.selu.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.selu(rf.tensor([-1., 2.]))
        tensor([-1.1113,  2.1014])
    """
    return run(elu.op, input, inplace, alpha=SELU_ALPHA, scale=SELU_SCALE)


@op(public=False, method=False)
class celu:
    """y = x if x > 0 else alpha * (exp(x / alpha) - 1)        dx = g * exp(x / alpha) if x <= 0 else g

    Floating dtypes. As PyTorch's, the gradient has the alpha of float32 for float64 too: some 1e-8 of it is off.
    Worked out as y = x if x > 0 else alpha * expm1(x / alpha), so that no digit is lost near 0.
    Shapes: input of any shape; the result has the same.
    Raises: ShapeError (a RuntimeError): alpha is 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.celu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.celu(rf.tensor([-1., 2.]), 2.)
        tensor([-0.7869,  2.0000])
    """
    takes, written, elementwise, back = "f", "CeluBackward1", True, "cellwise"
    def grad_x(F, g, x, *, alpha):
        single = float(np.float32(fitted("celu", alpha, float32))) or alpha
        return g * F.where(x <= 0, F.exp(F.where(x < 0, x, 0) / single) * (alpha / single), 1)

    def call(input, alpha=1.0, inplace=False):
        alpha = fitting("celu", "alpha", alpha, (input,), wide=True)
        if alpha == 0:
            raise ShapeError("celu(alpha=0)", "ZeroDivisionError: alpha cannot be 0 for CELU", "a positive alpha")
        fitting("celu", "1 / alpha", 1 / alpha, (input,), wide=True)  # by which cells are multiplied
        return run(celu.op, input, inplace, alpha=alpha)


@op(public=False, method=False)
class gelu:
    """y = x * (1 + (tanh(s) if approximate == 'tanh' else erf(x / sqrt(2)))) / 2 \
with s = sqrt(2 / pi) * (x + 0.044715 * x ** 3)
    dx = g * (1 + tanh(s) + x * (1 - tanh(s) ** 2) * sqrt(2 / pi) * (1 + 0.134145 * x * x)) / 2 \
if approximate == 'tanh' else g * ((1 + erf(x / sqrt(2))) / 2 + x * exp(-x * x / 2) / sqrt(2 * pi)) \
with s = sqrt(2 / pi) * (x + 0.044715 * x ** 3)

    x times the probability that a standard normal number is below it; with approximate='tanh' the formula in tanh that
    GPT-2 uses. Floating dtypes.
    Shapes: input of any shape; the result has the same.
    Raises: ShapeError (a RuntimeError): another `approximate`. ArgumentTypeError (a TypeError): it is no string.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.gelu.html; Hendrycks and Gimpel, arXiv
        1606.08415

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.gelu(rf.tensor([-1., 0., 1.]))
        tensor([-0.1587,  0.0000,  0.8413])
    """
    takes, elementwise = "f", True
    def forward(F, x, *, approximate): return F.gelu_tanh(x) if approximate == "tanh" else F.gelu(x)

    def grad_x(F, g, x, *, approximate):
        return F.cellwise(_gelu_tanh_input, F, g, x) if approximate == "tanh" else F.gelu_input(g, x)

    def call(input, *, approximate="none"):
        if not isinstance(approximate, str):
            raise wrong_type("gelu", "approximate", approximate, "str", "'none' or 'tanh'")
        if approximate not in ("none", "tanh"):
            raise ShapeError(f"gelu(approximate={approximate!r})", "approximate argument must be either none or tanh.",
                             "leave it out for the exact formula")
        return apply(gelu.op, input, approximate=approximate)


def _gelu_tanh_input(F, g, x):
    """The gradient of the gelu in tanh."""
    t = F.tanh(SQRT_TWO_OVER_PI * x * (1 + CUBIC * x * x))
    return g * (0.5 * (1 + t) + (0.5 * SQRT_TWO_OVER_PI) * x * (1 - t * t) * (1 + (3 * CUBIC) * x * x))


@op(public=False, method=False)
class softplus:
    """y = x if beta * x > threshold else log(1 + exp(beta * x)) / beta
    dx = g if beta * x > threshold else g / (1 + exp(-beta * x))

    A smooth relu. Floating dtypes. Worked out as y = x if beta * x > threshold else log1p(exp(beta * x)) / beta, so
    that no digit is lost where exp is small.
    Shapes: input of any shape; the result has the same.
    Raises: ArgumentTypeError (a TypeError): a beta or threshold that is no number. UnsupportedDTypeError (a
        NotImplementedError): whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.softplus(rf.tensor([-1., 0., 30.]))
        tensor([ 0.3133,  0.6931, 30.0000])
    """
    takes, elementwise, back = "f", True, "cellwise"
    def grad_x(F, g, x, *, beta, threshold): return F.where(x * beta > threshold, g, g * F.sigmoid(x * beta))

    def call(input, beta=1, threshold=20):
        beta = fitting("softplus", "beta", beta, (input,), wide=True)
        threshold = fitting("softplus", "threshold", threshold, (input,), wide=True)
        return apply(softplus.op, input, beta=beta, threshold=threshold)

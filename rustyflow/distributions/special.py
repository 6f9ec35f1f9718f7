"""The two special functions that distributions need, by SciPy: the inverse of erf, and the logarithm of factorials."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from ..autograd import Function
from ..ops.creation import from_numpy
from ..tensor import Tensor


class Erfinv(Function):
    """The inverse of erf: y with erf(y) = x, infinite at -1 and 1 and NaN beyond.

    Its slope is sqrt(pi) / 2 * exp(y * y).

    Example:
        >>> import rustyflow as rf
        >>> Erfinv.apply(rf.tensor([0., 1.]))
        tensor([0., inf])
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = _by_scipy("erfinv", x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        y, = ctx.saved_tensors
        return g * (sqrt(pi) / 2) * (y * y).exp()


class LogFactorial(Function):
    """The logarithm of n!, or of the gamma function at n + 1 where n is not whole.

    Its slope is the digamma function's value there.

    Example:
        >>> import rustyflow as rf
        >>> LogFactorial.apply(rf.tensor([0., 3.])).exp()
        tensor([1., 6.])
    """

    @staticmethod
    def forward(ctx: Any, n: Tensor) -> Tensor:
        ctx.save_for_backward(n)
        return _by_scipy("gammaln", n + 1)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        n, = ctx.saved_tensors
        return g * _by_scipy("digamma", n + 1)


def _by_scipy(name: str, x: Tensor) -> Tensor:
    """A function of SciPy's of each number, in the dtype of floats."""
    from scipy import special  # here, so that only programs that need it load it
    x = x.detach() if x.is_floating_point() else x.detach().float()
    return from_numpy(np.array(getattr(special, name)(x.double().numpy()))).to(x.dtype)

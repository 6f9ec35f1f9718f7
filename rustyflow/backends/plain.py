"""Functions of F that are formulas in other functions of F.

So has them who writes no quicker way, and so are they recorded, where a gradient itself is wanted as a graph.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import Any


def formulas(F: Any) -> dict[str, Callable]:
    """The functions below for a namespace F, by name."""
    own = {name: f for name, f in globals().items() if getattr(f, "__module__", "") == __name__ and f is not formulas}
    return {name: partial(f, F) for name, f in own.items()}


def elementwise(_, forward, F, *arrays, **attrs):
    """The forward at once, in the dtype and in the order of its operands."""
    return forward(F, *arrays, **attrs)


in_single = cellwise = rowwise = elementwise


def kept_where(F, mask, g, fresh=False):
    return F.where(mask, g, 0.0)


def scaled(F, x, factor):
    return x * factor


def larger_input(F, g, a, b):
    """The share of a in the gradient of the larger of a and b: half where they are equal."""
    return F.where(a == b, g / 2, F.where(a < b, 0.0, g))


def tanh_input(F, g, y):
    return g * (1 - y * y)


def gelu_input(F, g, x):
    """The gradient of the exact gelu."""
    return g * ((1 + F.erf(x * sqrt(0.5))) * 0.5 + x * F.exp(x * x * -0.5) * (1 / sqrt(2 * pi)))


def glu_input(F, g, x, dim):
    n = x.shape[dim] // 2
    a, s = F.narrow(x, dim, 0, n), F.sigmoid(F.narrow(x, dim, n, n))
    return F.cat([g * s, g * (a * (s * (1 - s)))], dim)


def softmax_input(F, g, y, dim):
    return y * (g - F.sum(g * y, dim, True))


def log_softmax_input(F, g, y, dim):
    return g - F.exp(y) * F.sum(g, dim, True)


def cross_entropy_input(F, g, shares, target, weight, **how):
    """The gradient that each target's cell receives, less every cell's share of its line's."""
    received = F.nll_input(g, target, weight, shares.shape, **how)
    return received - shares * F.sum(received, min(1, shares.ndim - 1), True)


def standardize_grads(F, g, x, weight, mean, var, shapes, eps, inner, dims, affine):
    """The gradients for x, weight and bias; from x, so that mean and variance are differentiated too."""
    far = F.reshape(x, inner)
    far = far - F.mean(far, dims, True)
    root = F.rsqrt(F.mean(far * far, dims, True) + eps)
    xhat = far * root
    gw = F.reshape(g if weight is None else g * F.reshape(weight, affine), inner)
    dx = (gw - F.mean(gw, dims, True) - xhat * F.mean(gw * xhat, dims, True)) * root
    dweight = F.reshape(F.sum_to(g * F.reshape(xhat, x.shape), affine), shapes[1]) if shapes[1] else None
    return F.reshape(dx, x.shape), dweight, F.reshape(F.sum_to(g, affine), shapes[2]) if shapes[2] else None


def convolved(F, x, w, **how):
    """The convolution without a bias."""
    return F.convolution(x, w, None, **how)


def grid_zeros(F, g, shape, dims, grid):
    """Zeros of a shape with g added at an open grid of places."""
    return F.index_zeros(g, shape, dims, grid)


def restore(F, g, dim, keepdim, ndim):
    """Give what was reduced its lost axes back as axes of size 1."""
    if keepdim or not ndim:
        return g
    dims = range(ndim) if dim is None else [d % ndim for d in (dim if isinstance(dim, tuple) else (dim,))]
    kept = iter(g.shape)
    return F.reshape(g, [1 if d in dims else next(kept) for d in range(ndim)])

"""Products without one of their factors, which a quotient cannot give where factors are 0.

They are made of running products, in multiplications and additions alone, so that every derivative of them is right
too. `F` is the backend's for arrays, or rustyflow's own functions when the gradient is recorded.
"""
from __future__ import annotations

from ...dispatch import op


@op(public=False, method=False)
class shift:
    """y = moved(x, dim, by, fill)        dx = moved(g, dim, -by, 0)"""
    def grad_x(F, g, *, dim, by, fill): return F.shift(g, dim, -by, 0.0)


def steps(x, dim):
    """1, 2, 4, ... up to the length of an axis."""
    n, step = x.shape[dim] if x.ndim else 1, 1
    while step < n:
        yield step
        step *= 2


def run_before(F, x, dim):
    """The product of all cells before each one along dim."""
    return F.cumprod(F.shift(x, dim, 1, 1.0), dim)


def run_ahead(F, x, g, dim):
    """The t with t[i] = g[i] + x[i + 1] * t[i + 1] along dim: the gradient that all later products send back.

    Found by doubling: log2(n) steps, each of which joins runs of neighbours.
    """
    factor, t = F.shift(x, dim, -1, 0.0), g
    for step in steps(x, dim):
        t, factor = t + factor * F.shift(t, dim, -step, 0.0), factor * F.shift(factor, dim, -step, 0.0)
    return t


def products_without(F, x, dim):
    """For each cell the product of all others along dim."""
    return run_before(F, x, dim) * F.flip(run_before(F, F.flip(x, (dim,)), dim), (dim,))


def cumprod_among_zeros(F, g, x, y, dim):
    """The gradient of running products where some cells are 0.

    Cells before a line's first zero get the usual quotient, the first zero gets the products that it alone made 0, and
    all cells after it get 0. The values are right, but not their own derivatives by a zero.
    """
    zero = x == 0
    seen = F.cumsum(F.where(zero, 1.0, 0.0), dim)
    before, since = seen == 0, seen == 1
    quotient = F.cumsum_from_end(F.where(before, g * y, 0.0), dim) / F.where(before, x, 1.0)
    others = F.cumprod(F.where(since & ~zero, x, 1.0), dim) * F.where(since, g, 0.0)
    at_zero = F.sum(others, dim, True) * F.shift(y, dim, 1, 1.0)
    return F.where(since & zero, at_zero, quotient)

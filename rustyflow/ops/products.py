"""Products without one of their factors, which no quotient gives where factors are 0.

They are found by doubling: log2(n) steps, each of which joins runs of neighbours, in multiplications and additions
alone, so that every derivative of them is right too. `F` is the backend's for arrays, or rustyflow's own functions when
the gradient is recorded.
"""
from __future__ import annotations

from .registry import apply, op


@op(public=False, method=False)
class shift:
    """y = x moved `by` places along dim, with `fill` where nothing came from        dx = g moved back"""
    def forward(F, x, *, dim, by, fill): return F.shift(x, dim, by, fill)
    def grad_x(F, g, *, dim, by, fill): return F.shift(g, dim, -by, 0.0)
    def call(x, dim, by, fill): return apply(shift.op, x, dim=dim, by=by, fill=fill)


def steps(x, dim):
    """1, 2, 4, ... up to the length of an axis."""
    n, step = x.shape[dim] if x.ndim else 1, 1
    while step < n:
        yield step
        step *= 2


def run_before(F, x, dim, way=1):
    """The product of all cells before each one along dim; with way=-1, of all after it."""
    y = F.shift(x, dim, way, 1.0)
    for step in steps(x, dim):
        y = y * F.shift(y, dim, way * step, 1.0)
    return y


def run_ahead(F, x, g, dim):
    """The t with t[i] = g[i] + x[i + 1] * t[i + 1] along dim: what comes back from all later products."""
    factor, t = F.shift(x, dim, -1, 0.0), g
    for step in steps(x, dim):
        t, factor = t + factor * F.shift(t, dim, -step, 0.0), factor * F.shift(factor, dim, -step, 0.0)
    return t


def products_without(F, x, dim):
    """For each cell the product of all others along dim."""
    return run_before(F, x, dim) * run_before(F, x, dim, way=-1)

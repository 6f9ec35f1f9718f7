"""Square matrices, one after the other, by elimination: as it is done by hand, with the largest pivot first."""

from __future__ import annotations

from math import inf

from ...layout import indices
from .array import empty
from .elementwise import abs, log, sign, sqrt
from .laid import concatenate, diagonal, narrow
from .memory import filled
from .product import matmul
from .reduce import amax, amin, argmax, sum


class LinAlgError(ArithmeticError):
    """A matrix that is singular, or not positive-definite."""


def _eliminate(m):
    """Turns the first columns of m (n, n or more) into the identity, row by row, in place.

    It returns the pivots, -1 for each swap.

    Where a column has no pivot left, elimination ends with a pivot of 0.
    """
    for k in range(m.shape[0]):
        best = k + int(argmax(abs(m[k:, k])))
        if best != k:
            m[k], m[best] = m[best].copy(), m[k].copy()
            yield filled((), -1, m.dtype)
        pivot = m[k, k].copy()
        yield pivot
        if not pivot:
            return
        m[k] = m[k] / pivot
        for i in range(m.shape[0]):
            if i != k:
                m[i] = m[i] - m[i, k].copy() * m[k]


def solve(a, b):
    """x with a @ x = b.

    Raises:
        LinAlgError: a matrix is singular.
    """
    x, n = empty(b.shape, b.dtype), a.shape[-1]
    for at in indices(a.shape[:-2]):
        both = concatenate([a[at], b[at]], 1)
        if 0.0 in _eliminate(both):
            raise LinAlgError
        x[at] = both[:, n:]
    return x


def _identity(a):
    eye = filled(a.shape, 0, a.dtype)
    for k in range(a.shape[-1]):
        eye[..., k, k] = 1
    return eye


def inverse(a):
    return solve(a, _identity(a))


def det(a):
    """The product of the pivots."""
    out = filled(a.shape[:-2], 1, a.dtype)
    for at in indices(out.shape):
        for pivot in _eliminate(a[at].copy()):
            out[at] = out[at] * pivot
    return out


def slogdet(a):
    """The sign of the determinant, and the logarithm of the rest: the sum of the pivots' own."""
    signs, logs = filled(a.shape[:-2], 1, a.dtype), filled(a.shape[:-2], 0, a.dtype)
    for at in indices(signs.shape):
        for pivot in _eliminate(a[at].copy()):
            signs[at] = signs[at] * sign(pivot)
            logs[at] = logs[at] + log(abs(pivot))
    return signs, logs


def cofactor(a):
    """The gradient of the determinant: at each cell, the determinant without its row and column, signs alternating."""
    out, n = empty(a.shape, a.dtype), a.shape[-1]
    for i, j in indices((n, n)):
        out[..., i, j] = det(_without(_without(a, -2, i), -1, j)) * (-1.0) ** (i + j)
    return out


def _without(a, dim, k):
    return concatenate([narrow(a, dim, 0, k), narrow(a, dim, k + 1, a.shape[dim] - k - 1)], dim)


def cholesky(a, upper):
    """The lower triangle whose product with its own transpose is a, column by column.

    Or the upper one, row by row.

    Raises:
        LinAlgError: a matrix is not positive-definite.
    """
    if upper:
        return cholesky(a.mT, False).mT
    out = filled(a.shape, 0, a.dtype)
    for at in indices(a.shape[:-2]):
        x, y = a[at], out[at]
        for j in range(x.shape[0]):
            rest = x[j:, j] - matmul(y[j:, :j], y[j, :j])
            if not rest[0] > 0:
                raise LinAlgError
            y[j:, j] = rest / sqrt(rest[0])
    return out


def vector_norm(a, p, dim, keepdim):
    """(sum of abs(a) ** p) ** (1 / p) over the axes in dim.

    For inf and -inf the largest and the smallest; for 0 how many.
    """
    sizes = abs(a)
    if p in (inf, -inf):
        return (amax if p > 0 else amin)(sizes, dim, keepdim)
    if p == 0:
        return sum(sizes != 0, dim, keepdim, a.dtype)
    return sqrt(sum(a * a, dim, keepdim)) if p == 2 else sum(sizes**p, dim, keepdim) ** (1 / p)


def trace(a, dtype):
    return sum(diagonal(a, 0, 0, 1), dtype=dtype)

"""Products of matrices: every cell a row times a column, added up in order."""

from __future__ import annotations

from math import prod

from ...layout import broadcast_shapes, slots
from .. import refuse_foreign
from .array import Array, empty, write
from .laid import roll


def matmul(a, b):
    """(..., i, k) @ (..., k, j); leading axes broadcast; a vector is a row on the left, a column on the right."""
    if not (isinstance(a, Array) and isinstance(b, Array)):
        refuse_foreign(a, b)
    if a.ndim == 1:
        return _without(matmul(a.reshape(1, -1), b), -2 if b.ndim > 1 else 0)
    if b.ndim == 1:
        return _without(matmul(a, b.reshape(-1, 1)), -1)
    lead = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    a, b = a.expand((*lead, rows, inner)), b.expand((*lead, inner, columns))
    out = empty((*lead, rows, columns), a.dtype)
    store, slot = out.buffer.store, 0
    for left, right in zip(slots(lead, a.stride, a.offset), slots(lead, b.stride, b.offset)):
        for i in range(rows):
            for j in range(columns):
                total = store(0)
                for k in range(inner):
                    x = a.buffer.read(left + i * a.stride[-2] + k * a.stride[-1])
                    y = b.buffer.read(right + k * b.stride[-2] + j * b.stride[-1])
                    total = store(total + store(x * y))
                out.buffer.write(slot, total)
                slot += 1
    return out


def vecdot(a, b, dim):
    """The sums of products along an axis of two arrays of the same shape."""
    return (a * b).sum(dim)


def crossed(a, b, dim):
    """The cross product of vectors of three along dim."""
    (a1, b1), (a2, b2) = [[roll(x, (-k,), (dim % x.ndim,)) for x in (a, b)] for k in (1, 2)]
    return a1 * b2 - a2 * b1


def _without(a, dim):
    """The same memory without an axis of size 1."""
    dim %= a.ndim
    return Array(a.buffer, a.shape[:dim] + a.shape[dim + 1 :], a.stride[:dim] + a.stride[dim + 1 :], a.offset)


def blend(x, product, beta, alpha):
    """beta * x + alpha * product; x is not read when beta is 0."""
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (x if beta == 1 else x * beta)


def add_product(y, a, b, beta, alpha):
    """beta * y + alpha * (a @ b) over y itself."""
    write(y, blend(y, matmul(a, b), beta, alpha))


def add_products(y, a, b, beta, alpha):
    """The same with the sum of a batch's products."""
    write(y, blend(y, matmul(a, b).sum(0, dtype=a.dtype), beta, alpha))


def rows(a):
    """All but the last axis as one."""
    return a if a.ndim == 2 else a.reshape(prod(a.shape[:-1]), a.shape[-1])


def linear(x, weight, bias):
    y = matmul(rows(x), weight.T).reshape(*x.shape[:-1], weight.shape[0])
    return y.owned() if bias is None else y + bias


Array.__matmul__ = matmul

"""Products and norms of vectors and matrices."""
from __future__ import annotations

from functools import partial as _partial

import numpy as np

from .adding import add_up_of as _add_up_of, add_up_products as _add_up_products
from .cellwise import over as _over
from .core import in_order as _in_order
from .halves import ROWS as _ROWS, product as _product, single as _single
from .reduce import amax as _amax, amin as _amin
from .runs import RUN as _RUN


def matmul(a, b):
    """NumPy's product, row-major; a batch times one matrix is a single product of all rows."""
    if b.ndim == 2 and a.ndim > 2 and a.flags.c_contiguous and a.size:
        return _product(a.reshape(-1, a.shape[-1]), b).reshape(a.shape[:-1] + b.shape[1:])
    return _product(a, b)


def vecdot(a, b, dim):
    """The sums of products along an axis of two arrays of one shape; products of float16 are rounded, as PyTorch's."""
    if a.itemsize > 2:
        return _in_order(_add_up_products(a, b, dim))
    return _in_order(_add_up_of(lambda a, b: _single(a * b), a, dim, False, b).astype(a.dtype))


def trace(a, dtype):
    return np.add.reduce(a.diagonal(), dtype=dtype)


def blend(x, product, beta, alpha):
    """beta * x + alpha * product in the product's dtype; x is not read when beta is 0."""
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta == 1:
        product += x
    elif beta:
        _over(lambda F, y, x: y + x * x.dtype.type(beta), None, product, x)
    return np.ascontiguousarray(product)


def add_product(y, a, b, beta, alpha):
    """beta * y + alpha * (a @ b) over y itself, some rows or matrices at a time.

    When beta is 0, y is not read.
    """
    if y.ndim > 2 and y[:1].size > _RUN:
        for part, left, right in zip(y, a, b):
            add_product(part, left, right, beta, alpha)
        return
    step = max(_RUN * len(y) // max(y.size, 1), 1 if y.ndim > 2 else _ROWS)
    room = np.empty_like(y[:step], order="C")
    for k in range(0, len(y), step):
        part = y[k:k + step]
        product = _product(a[k:k + step], b[k:k + step] if y.ndim > 2 else b, out=room[:len(part)])
        _blend_over(part, product, beta, alpha)


def add_products(y, a, b, beta, alpha):
    """The same with the sum of a batch's products, as many at a time as are small."""
    step = max(_RUN // max(y.size, 1), 1)
    for k in range(0, max(len(a), 1), step):
        left, right = a[k:k + step], b[k:k + step]
        if len(left) == 1:
            add_product(y, left[0], right[0], beta, alpha)
        else:
            _blend_over(y, _product(left, right).sum(0, dtype=y.dtype), beta, alpha)
        beta = 1


def _blend_over(y, product, beta, alpha):
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if not beta:
        y[...] = product
        return
    if beta != 1:
        y *= y.dtype.type(beta)
    y += product


def crossed(a, b, dim):
    """The cross product of vectors along dim: of each cell's two neighbours, in a ring of three."""
    y = np.empty(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    to, a, b = [np.moveaxis(x, dim, 0) for x in (y, a, b)]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        part = to[k, ...]  # of vectors alone an array as well, without axes
        np.multiply(a[i], b[j], out=part)
        part -= a[j] * b[i]
    return y


def vector_norm(a, p, dim, keepdim):
    """(sum of abs(a) ** p) ** (1 / p) over the axes in dim; of float16 in float32, a part at a time."""
    wide = {"dtype": np.promote_types(a.dtype, np.float32)}
    if p == 0:
        y = np.add.reduce(a != 0, axis=dim, keepdims=keepdim, **wide)
    elif p == 1:
        y = _add_up_of(_partial(np.abs, **wide), a, dim, keepdim)
    elif p == 2 and len(dim) == a.ndim and a.itemsize > 2:
        cells = a.ravel("K")
        y = np.sqrt(np.vdot(cells, cells)).reshape((1,) * a.ndim if keepdim else ())
    elif p == 2 and len(dim) == 1 and a.itemsize > 2:
        y = np.sqrt(_add_up_products(a, a, *dim, keepdim))
    elif p == 2:
        y = np.sqrt(_add_up_of(_partial(np.square, **wide), a, dim, keepdim))
    elif abs(p) == np.inf:
        y = _add_up_of(np.abs, a, dim, keepdim, reduce=_amax if p > 0 else _amin)
    else:
        y = _add_up_of(lambda part: _power(np.asarray(np.abs(part, **wide)), p), a, dim, keepdim) ** (1 / p)
    return np.asarray(y, a.dtype, order="C")


def _power(a, p):
    """a ** p, in its place."""
    a **= p
    return a

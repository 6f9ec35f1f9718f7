"""Products, factorizations and norms of matrices."""
from __future__ import annotations

import numpy as np

from .core import add_up as _add_up
from .halves import by_single as _by_single


def matmul(a, b):
    """NumPy's product; a batch times one matrix is a single product of all rows."""
    if b.ndim == 2 and a.ndim > 2 and a.flags.c_contiguous and a.size:
        return np.matmul(a.reshape(-1, a.shape[-1]), b).reshape(a.shape[:-1] + b.shape[1:])
    return np.matmul(a, b)


def trace(a, dtype):
    return np.add.reduce(a.diagonal(), dtype=dtype)


def blend(x, product, beta, alpha):
    """beta * x + alpha * product in the product's dtype; x is not read when beta is 0."""
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta:
        product += x if beta == 1 else x * x.dtype.type(beta)
    return np.ascontiguousarray(product)


# A matrix that was solved for lies column after column, as in PyTorch, whose LAPACK counts so

def inverse(a):
    return np.linalg.inv(a.mT).mT


def solve(a, b):
    return np.linalg.solve(a, b).mT.copy().mT


def det(a):
    return np.asarray(np.linalg.det(a))


def slogdet(a):
    return tuple(np.asarray(part) for part in np.linalg.slogdet(a))


def cofactor(a):
    """The gradient of the determinant, also of a singular matrix, from the products of all singular values but one."""
    u, s, vh = np.linalg.svd(a)
    others = np.stack([np.prod(np.delete(s, k, -1), -1) for k in range(s.shape[-1])], -1) if s.shape[-1] else s
    return (np.linalg.det(u) * np.linalg.det(vh))[..., None, None] * ((u * others[..., None, :]) @ vh)


def cholesky(a):
    y = np.linalg.cholesky(a.mT, upper=True).mT
    if np.isnan(np.diagonal(y, axis1=-2, axis2=-1)).any():  # which NumPy lets pass
        raise LinAlgError
    return y


def svd(a):
    """u, s, v of the thin decomposition, v's columns as u's."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u, s, np.ascontiguousarray(vh.mT)


def eigen(a, triangle):
    w, v = np.linalg.eigh(a, triangle)
    return w, v.mT.copy().mT


@_by_single
def vector_norm(a, p, dim, keepdim):
    """(sum of abs(a) ** p) ** (1 / p) over the axes in dim."""
    how = {"axis": dim, "keepdims": keepdim}
    if p == 0:
        y = np.add.reduce(a != 0, dtype=a.dtype, **how)
    elif p == 1:
        y = _add_up(np.abs(a), dim, keepdim)
    elif p == 2 and len(dim) == a.ndim:
        cells = a.ravel("K")
        y = np.sqrt(np.vdot(cells, cells)).reshape((1,) * a.ndim if keepdim else ())
    elif p == 2:
        y = np.sqrt(_add_up(a * a, dim, keepdim))
    elif p == np.inf:
        y = np.maximum.reduce(np.abs(a), **how)
    elif p == -np.inf:
        y = np.minimum.reduce(np.abs(a), **how)
    else:
        y = _add_up(np.abs(a) ** p, dim, keepdim) ** (1 / p)
    return np.asarray(y, a.dtype, order="C")


LinAlgError = np.linalg.LinAlgError

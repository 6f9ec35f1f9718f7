"""Inverses, solutions, determinants and factorizations of matrices: small ones by NumPy, large ones by LAPACK.

Results are column-major, as PyTorch's are, because LAPACK is: each is computed as its transpose.
"""
from __future__ import annotations

import numpy as np

from . import lapack as _lapack
from .runs import RUN as _RUN, in_parts as _in_parts

_LARGE = 1 << 16  # cells of a matrix


def _of_each(some, one, a, *others):
    """some(a) for small matrices, a batch in parts because NumPy widens float32; one(a) for each large matrix."""
    if a.size and a.shape[-2] * a.shape[-1] > _LARGE:
        def first(part, *rest):
            return [y[None] for y in _of_each(some, one, part[0], *[b[0] for b in rest])]
        return one(a, *others) if a.ndim == 2 else _in_parts(first, a, 0, 1, *others)
    if a.ndim < 3 or a.size <= _RUN:
        return some(a, *others)
    d = max(range(a.ndim - 2), key=lambda d: a.shape[d])
    return _in_parts(some, a, d, max(_RUN * a.shape[d] // a.size, 1), *others)


def inverse(a):
    return _of_each(lambda a: (np.linalg.inv(a.mT),), _lapack.inverse, a)[0].mT


def solve(a, b):
    return np.ascontiguousarray(_of_each(lambda a, b: (np.linalg.solve(a, b).mT,), _lapack.solve, a, b)[0]).mT


def det(a):
    return np.asarray(_of_each(lambda a: (np.linalg.det(a),), _lapack.det, a)[0])


def slogdet(a):
    sign, log = [np.asarray(part) for part in _of_each(np.linalg.slogdet, _lapack.slogdet, a)]
    return np.where(np.isnan(log), sign.dtype.type(0), sign), log  # NumPy gives a sign of 1 for NaN


def cofactor(a):
    """The gradient of the determinant: of a singular matrix as well."""
    return _of_each(lambda a: (_by_singular_values(*np.linalg.svd(a), np.linalg.det),), _cofactor, a)[0]


def _cofactor(a):
    try:
        y, = _lapack.inverse(a)
        y *= _lapack.det(a)[0]
    except LinAlgError:
        u, s, v = _lapack.svd(a)
        y = _by_singular_values(u.T, s, v.T, det)
    return y,


def _by_singular_values(u, s, vh, det):
    """From the products of all singular values but one."""
    others = np.stack([np.prod(np.delete(s, k, -1), -1) for k in range(s.shape[-1])], -1) if s.shape[-1] else s
    return ((u * others[..., None, :]) @ vh) * (det(u) * det(vh))[..., None, None]


def cholesky(a, upper):
    y = _of_each(lambda a: (np.linalg.cholesky(a.mT, upper=not upper),), lambda a: _lapack.cholesky(a, upper), a)[0].mT
    diagonal = np.diagonal(y, axis1=-2, axis2=-1)
    # NumPy returns NaN here, and goes on where it has to divide by infinity; PyTorch refuses
    if np.isnan(diagonal).any() or np.isinf(diagonal[..., :-1]).any():
        raise LinAlgError
    return y


def svd(a, vectors=True):
    """u, s, v of the thin decomposition, v's columns as u's; or s alone."""
    if not vectors:
        return _of_each(lambda a: (np.linalg.svd(a, compute_uv=False),), _lapack.singular_values, a)[0]
    u, s, v = _of_each(_decomposed, _lapack.svd, a)
    return np.ascontiguousarray(u).mT, s, np.ascontiguousarray(v)


def _decomposed(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return u.mT, s, vh.mT


def eigen(a, triangle, vectors=True):
    """w, v; or w alone."""
    if not vectors:
        return _of_each(lambda a: (np.linalg.eigvalsh(a, triangle),), lambda a: _lapack.eigenvalues(a, triangle), a)[0]
    w, v = _of_each(lambda a: _turned(*np.linalg.eigh(a, triangle)), lambda a: _lapack.eigen(a, triangle), a)
    return w, np.ascontiguousarray(v).mT


def _turned(w, v):
    return w, v.mT


LinAlgError = _lapack.LinAlgError

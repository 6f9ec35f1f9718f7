"""One large matrix by LAPACK, in its own precision: NumPy's calls, made for batches of small ones, widen float32 first.

Matrices lie column after column there, so each function gives its matrices transposed: lying row after row. `a` is
copied once, and the copy written over.
"""
from __future__ import annotations

import numpy as np

LinAlgError = np.linalg.LinAlgError


def solve(a, b):
    return _done(_routine("gesv", a)(_columns(a), _columns(b), overwrite_a=1, overwrite_b=1))[2].T,


def inverse(a):
    out = np.zeros_like(a, order="F")
    np.fill_diagonal(out, 1)
    return _done(_routine("gesv", a)(_columns(a), out, overwrite_a=1, overwrite_b=1))[2].T,


def det(a):
    sign, diagonal = _eliminated(a)
    return np.asarray(sign * np.multiply.reduce(diagonal, dtype=np.float64), a.dtype),


def slogdet(a):
    sign, diagonal = _eliminated(a)
    logs = np.log(np.abs(diagonal, dtype=np.float64))
    return np.asarray(sign * np.multiply.reduce(np.sign(diagonal)), a.dtype), np.asarray(np.add.reduce(logs), a.dtype)


def _eliminated(a):
    """The sign of the rows' exchanges, and the diagonal that elimination leaves: 0 somewhere, if `a` is singular."""
    triangles, exchanged, _ = _routine("getrf", a)(_columns(a), overwrite_a=1)
    return (-1) ** np.count_nonzero(exchanged != np.arange(len(a))), triangles.diagonal()


def cholesky(a, upper):
    return _done(_routine("potrf", a)(_columns(a), lower=not upper, clean=1, overwrite_a=1))[0].T,


def svd(a):
    u, s, vh = _decomposed(a, full_matrices=0)
    return u.T, s, vh.T


def singular_values(a):
    return _decomposed(a, compute_uv=0)[1],


def _decomposed(a, **options):
    room, _ = _routine("gesdd_lwork", a)(*a.shape, **options)
    return _done(_routine("gesdd", a)(_columns(a), lwork=int(room), overwrite_a=1, **options))


def eigen(a, triangle):
    w, v = _done(_routine("syevd", a)(_columns(a), lower=triangle == "L", overwrite_a=1))
    return w, v.T


def eigenvalues(a, triangle):
    return _done(_routine("syevd", a)(_columns(a), lower=triangle == "L", compute_v=0, overwrite_a=1))[0],


def _routine(name, a):
    from scipy.linalg import lapack  # here: loading it takes a quarter of a second
    return getattr(lapack, ("s" if a.itemsize == 4 else "d") + name)


def _columns(a):
    return np.array(a, order="F")


def _done(results):
    """The results of a routine, but for the last, which tells if it failed."""
    *found, failed = results
    if failed:
        raise LinAlgError
    return found

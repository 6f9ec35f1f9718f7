"""Matrices made of a matrix by its singular values or eigenvalues."""
from __future__ import annotations

from math import inf

from ...arguments.numbers import number
from ...dispatch import expose, is_recorded, op, pair
from ...dtype import finfo, int64
from ...errors import ArgumentTypeError, LinAlgError, ShapeError, wrong_type
from ...tensor import Tensor
from ..creation import eye, zeros
from ..elementwise.selection import where
from ..join.cat import cat
from ..views import narrow, squeeze
from .matrix_check import matrices, regular, square
from .norm import matrix_norm, need_floats, singular
from .solve import inverse, slogdet


def _completed(u):
    """A matrix's columns, and after them those that fill up the space: at right angles, without history."""
    rows, columns = u._a.shape[-2:]
    if rows == columns:
        return u
    known = u.detach()
    rest = singular("linalg.svd", eye(rows, dtype=u.dtype) - known @ known.mT)[0]
    return cat([u, rest.narrow(-1, 0, rows - columns)], -1)


def svd(A, full_matrices=True, *, driver=None):
    """(U, S, Vh) with A = U @ diag(S) @ Vh: columns and rows of length 1 at right angles, S falling.

    With full_matrices U and Vh are square, filled up with directions that A does not reach, which have no gradient.
    The gradient is not finite where two singular values are equal, but that of S alone always is.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): fewer than two axes, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.svd.html

    Example:
        >>> import rustyflow as rf
        >>> U, S, Vh = rf.linalg.svd(rf.tensor([[3., 0.], [0., -2.], [0., 0.]]), full_matrices=False)
        >>> S, rf.allclose(U @ S.diag() @ Vh, rf.tensor([[3., 0.], [0., -2.], [0., 0.]]))
        (tensor([3., 2.]), True)
    """
    _no_driver("linalg.svd", driver)
    need_floats("linalg.svd", A)
    matrices("linalg.svd", A)
    u, s, v = singular("linalg.svd", A)
    u, v = (_completed(u), _completed(v)) if full_matrices else (u, v)
    return pair("linalg_svd", "U", "S", "Vh")(u, s, v.mT)


def _reduced(input, some=True, compute_uv=True):
    """(U, S, V) with input = U @ diag(S) @ V.mT: the older form of `linalg.svd`, which gives V and not its transpose.

    With compute_uv=False U and V are square matrices of zeros.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): fewer than two axes, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.svd.html

    Example:
        >>> import rustyflow as rf
        >>> rf.svd(rf.tensor([[0., 2.], [3., 0.]])).S
        tensor([3., 2.])
    """
    u, s, vh = svd(input, not some)
    if not compute_uv:
        u, vh = (zeros((*input._a.shape[:-2], n, n), dtype=input.dtype) for n in input._a.shape[-2:])
    return pair("svd", "U", "S", "V")(u, s, vh.mT)


_reduced.__name__ = _reduced.__qualname__ = "svd"
expose("svd", _reduced)


def _no_driver(name, driver):
    """Refuse a choice that only other devices have, with a LinAlgError (a RuntimeError)."""
    if driver is not None:
        raise LinAlgError(f"{name}(driver={driver!r})",
                          f"torch.{name}: keyword argument `driver=` is only supported on CUDA inputs", "leave it out")


def svdvals(A, *, driver=None):
    """The singular values of a matrix, falling: how much it stretches along each of its axes.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): fewer than two axes, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.svdvals.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.svdvals(rf.tensor([[0., 2.], [3., 0.]]))
        tensor([3., 2.])
    """
    _no_driver("linalg.svdvals", driver)
    need_floats("linalg.svdvals", A)
    matrices("linalg.svdvals", A)
    return singular("linalg.svdvals", A, vectors=False)[1]


@op(public=False, method=False)
class eigen:
    """w, v = eigh(x, triangle)
    dx = v @ (diag_embed(gw) + (p - p.mT) / (2 * (w[..., None, :] - w[..., None]) + I)) @ v.mT with p = v.mT @ gv, \
I = eye(w.shape[-1])

    Of a symmetric x, one triangle of which is read. Not finite where two eigenvalues are equal, as in PyTorch, but for
    a gradient of w alone.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.eigh.html
    """
    torch_name, results, materialize = "LinalgEighBackward0", ("w", "v"), False
    def forward(F, x, *, triangle): return F.eigen(x, triangle)

    def vjp(F, g, w, v, *, triangle):
        gw, gv = g
        if gv is None:
            return (v * F.unsqueeze(gw, -2)) @ v.mT,
        own = F.eye(w.shape[-1], dtype=w.dtype)
        inner = v.mT @ gv
        inner = inner - inner.mT
        inner = inner / (F.unsqueeze(2 * w, -2) - F.unsqueeze(2 * w, -1) + own)
        inner = inner if gw is None else inner + own * F.unsqueeze(gw, -2)
        return v @ inner @ v.mT,


def eigh(A, UPLO="L"):
    """(eigenvalues, eigenvectors) of a symmetric matrix: A @ v = eigenvalue * v for each column, eigenvalues rising.

    Eigenvectors have length 1 and either sign. Of A one triangle is read, with UPLO="U" the upper; the gradient is
    shared by both. It is not finite where two eigenvalues are equal, but that of the eigenvalues alone always is.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): not square, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.eigh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.eigh(rf.tensor([[2., 1.], [1., 2.]])).eigenvalues
        tensor([1., 3.])
    """
    found = _of_triangle(eigen.op, A, UPLO)
    return pair("linalg_eigh", "eigenvalues", "eigenvectors")(*found)


def _of_triangle(it, A, UPLO):
    square("linalg.eigh", A)
    if not isinstance(UPLO, str):
        raise wrong_type("linalg_eigh", "UPLO", UPLO, "str", "'L', the lower triangle, or 'U'")
    if UPLO.upper() not in ("L", "U"):
        raise ShapeError(f"linalg.eigh(UPLO={UPLO!r})", "Expected UPLO argument to be 'L' or 'U'", "UPLO='L'")
    return regular("linalg.eigh", it, A, triangle=UPLO.upper())


@op(public=False, method=False)
class eigenvalues:
    """y = eigenvalues(x, triangle)"""
    def forward(F, x, *, triangle): return F.eigen(x, triangle, vectors=False)


def eigvalsh(A, UPLO="L"):
    """The eigenvalues of a symmetric matrix, rising.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): not square, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.eigvalsh.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.eigvalsh(rf.tensor([[2., 1.], [1., 2.]]))
        tensor([1., 3.])
    """
    return eigh(A, UPLO)[0] if is_recorded(A) else _of_triangle(eigenvalues.op, A, UPLO)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """The number of independent columns of a matrix: its singular values above max(atol, rtol * the largest).

    rtol is the larger size of the matrix times the dtype's eps unless it or atol is given; tol is atol's older name.
    With hermitian A is taken for symmetric, and the absolute values of its eigenvalues are counted.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): fewer than two axes, not float32 or float64. LinAlgError (one too): NaN.
        ArgumentTypeError (a TypeError): hermitian is no bool.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_rank.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.matrix_rank(rf.tensor([[1., 2.], [2., 4.]]))
        tensor(1)
    """
    if tol is not None and (atol is not None or rtol is not None):
        raise ArgumentTypeError(f"matrix_rank(tol={tol!r:.40}, atol={atol!r:.40}, rtol={rtol!r:.40})",
                                "matrix_rank() takes tol, or atol and rtol", "atol and rtol alone")
    tol, atol, rtol = [x if x is None or isinstance(x, Tensor) else number("matrix_rank", key, x)
                       for key, x in (("tol", tol), ("atol", atol), ("rtol", rtol))]
    A = A.detach() if isinstance(A, Tensor) else A
    values = eigvalsh(A).abs().sort(-1, descending=True).values if hermitian else svdvals(A)
    if not A._a.size:
        return zeros(A._a.shape[:-2], dtype=int64)
    atol = tol if atol is None else atol
    if rtol is None:
        rtol = max(A._a.shape[-2:]) * finfo(A.dtype).eps if atol is None else 0.0
    rtol, atol = [x.unsqueeze(-1) if isinstance(x, Tensor) else x for x in (rtol, atol)]  # one for each matrix
    least = (values[..., :1] * rtol).clamp(min=0.0 if atol is None else atol)
    return (values > least).sum(-1)


def cond(A, p=None):
    """The factor by which an error can grow when a system is solved: norm(A) * norm(inv(A)).

    p as in matrix_norm; without it the largest singular value over the smallest. That of a singular matrix is inf.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): fewer than two axes, not float32 or float64. LinAlgError (one too): NaN.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.cond.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.cond(rf.tensor([[10., 0.], [0., 2.]]))
        tensor(5.)
    """
    if p in (None, 2, -2):
        values = svdvals(A)
        if not values._a.shape[-1]:
            return zeros(values._a.shape[:-1], dtype=A.dtype)
        largest, least = narrow(values, -1, 0, 1), narrow(values, -1, -1, 1)
        return squeeze(least / largest if p == -2 else largest / least, -1)
    try:
        return matrix_norm(A, p) * matrix_norm(inverse(A), p)
    except LinAlgError:
        singular = slogdet(A.detach()).sign == 0
        rest = where(singular[..., None, None], eye(A._a.shape[-1], dtype=A.dtype), A)
        return (matrix_norm(A, p) * matrix_norm(inverse(rest), p)).masked_fill(singular, inf)

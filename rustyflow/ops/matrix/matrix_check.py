"""Matrices as they may be: errors in the words of the function that one is for."""
from __future__ import annotations

from ...backends import backend
from ...dispatch import apply, need_tensors
from ...errors import DTypeError, LinAlgError, ShapeError, UnsupportedDTypeError


def matrices(name: str, x) -> None:
    """Refuse all but tensors of at least two axes.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError (a RuntimeError).
    """
    need_tensors(name, **{"A" if name.startswith("linalg.") else "input": x})
    if x._a.ndim < 2:
        raise ShapeError(f"shape {tuple(x.shape)}", f"{name}: The input tensor A must have at least 2 dimensions.",
                         "unsqueeze(0) makes a vector a row, diag(x) a square matrix")


def square(name: str, x) -> None:
    """Refuse all but square matrices of floats.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError, DTypeError (RuntimeErrors).
    """
    matrices(name, x)
    a = x._a
    if a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"shape {tuple(a.shape)}",
                         f"{name}: A must be batches of square matrices, "
                         f"but they are {a.shape[-2]} by {a.shape[-1]} matrices",
                         "linalg.solve(A.mT @ A, A.mT @ b) for least squares" if name in ("linalg.solve", "linalg.inv")
                         else "A @ A.mT and A.mT @ A are square")
    if a.dtype not in ("float32", "float64"):
        wrong = UnsupportedDTypeError if a.dtype == "float16" or name == "linalg.eigh" else DTypeError
        raise wrong(f"{name} of {x.dtype!r}",
                    f"{name}: Expected a floating point tensor of float32 or float64 as input", "x.float()")


def regular(name: str, compute, *args, **attrs):
    """A result that exists only for regular (or positive-definite, or finite) matrices.

    Raises:
        LinAlgError (a RuntimeError).
    """
    try:
        return apply(compute, *args, **attrs)
    except backend.LinAlgError:
        what, fix = REFUSED.get(name, ("the input matrix is singular", IDENTITY))
        raise LinAlgError(f"{name} of shape {tuple(args[0].shape)}",
                          f"{name}: the computation could not be completed because {what}", fix) from None


IDENTITY = "add a small multiple of the identity: A + 1e-6 * rustyflow.eye(n)"
NOT_FINITE = ("the input matrix contains non-finite values", "A.isfinite() is False where they are")
REFUSED = {
    "linalg.cholesky": ("the input is not positive-definite", "a matrix that is: A @ A.mT + 1e-6 * rustyflow.eye(n)"),
    **{f"linalg.{name}": NOT_FINITE for name in ("svd", "svdvals", "matrix_norm", "eigh")},
}
"""Why there is no result, and what to write instead, of all that do not ask for an inverse."""

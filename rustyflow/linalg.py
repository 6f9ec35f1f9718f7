"""Linear algebra under `torch.linalg`'s names: norms, inverses, systems, determinants, factorizations."""
from __future__ import annotations

from .errors import LinAlgError
from .ops.contraction import cross
from .ops.linalg import matmul
from .ops.norm import matrix_norm, norm, vector_norm
from .ops.out import with_out as _with_out
from .ops.part import diagonal as _diagonal
from .ops.solve import cholesky, det as _det, inverse as _inverse, slogdet as _slogdet, solve

__all__ = ["LinAlgError", "cholesky", "cross", "det", "diagonal", "inv", "matmul", "matrix_norm", "norm", "slogdet",
           "solve", "vecdot", "vector_norm"]


def det(A):
    """The determinant of a square matrix, or of each in a batch: `rustyflow.det`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.det.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.det(rf.tensor([[2., 0.], [0., 4.]]))
        tensor(8.)
    """
    return _det(A)


def inv(A):
    """The inverse of a square matrix, or of each in a batch: `rustyflow.inverse`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.inv.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.inv(rf.tensor([[2., 0.], [0., 4.]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    return _inverse(A)


def slogdet(A):
    """(sign, logabsdet) of the determinant: `rustyflow.slogdet`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.slogdet(2 * rf.eye(2)).logabsdet
        tensor(1.3863)
    """
    return _slogdet(A)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of a batch of matrices: a view.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.diagonal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.diagonal(rf.zeros(2, 3, 3)).shape
        rustyflow.Size([2, 3])
    """
    return _diagonal(A, offset, dim1, dim2)


def vecdot(x, y, *, dim=-1):
    """The sums of products along dim.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.vecdot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.vecdot(rf.ones(2, 3), rf.ones(3))
        tensor([3., 3.])
    """
    return (x * y).sum(dim)


cholesky, cross, det, inv, matmul, matrix_norm, norm, slogdet, solve, vecdot, vector_norm = map(
    _with_out, (cholesky, cross, det, inv, matmul, matrix_norm, norm, slogdet, solve, vecdot, vector_norm))


def __dir__():
    return __all__

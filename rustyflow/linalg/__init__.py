"""Linear algebra under `torch.linalg`'s names: norms, inverses, systems, determinants, factorizations.

Differs from PyTorch: matrices of up to 65,536 cells of float32 are worked out in float64, as NumPy does, and rounded
once, so that more digits are right; larger ones in float32, by LAPACK.
"""
from __future__ import annotations

from ..arguments.explain import explaining_once as _taught
from ..arguments.numbers import whole as _whole
from ..dispatch.out import with_out as _with_out
from ..dispatch.results import pair as _pair
from ..errors import LinAlgError, missing as _missing
from ..ops.matrix.decomposition import cond, eigh, eigvalsh, matrix_rank, svd, svdvals
from ..ops.matrix.linalg import matmul
from ..ops.matrix.matrix_products import matrix_power as _matrix_power, multi_dot, vander
from ..ops.matrix.norm import matrix_norm, norm, vector_norm
from ..ops.matrix.solve import cholesky, det as _det, inverse as _inverse, slogdet as _slogdet, solve
from ..ops.matrix.vectors import cross as _cross, vecdot
from ..ops.views.part import diagonal as _diagonal

__all__ = """
    LinAlgError cholesky cond cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank
    multi_dot norm slogdet solve svd svdvals vander vecdot vector_norm
""".split()


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


def cross(input, other, *, dim=-1):
    """The cross product of vectors of three cells along dim: `rustyflow.cross`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.cross.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.cross(rf.tensor([1, 0, 0]), rf.tensor([0, 1, 0]))
        tensor([0, 0, 1])
    """
    return _cross(input, other, *_whole("linalg_cross", dim=dim))


def slogdet(A):
    """(sign, logabsdet) of the determinant: `rustyflow.slogdet`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.slogdet(2 * rf.eye(2)).logabsdet
        tensor(1.3863)
    """
    return _pair("linalg_slogdet", "sign", "logabsdet")(*_slogdet(A))


def matrix_power(input, n):
    """A square matrix times itself n times: `rustyflow.matrix_power`.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.matrix_power(2 * rf.eye(2), 3)
        tensor([[8., 0.],
                [0., 8.]])
    """
    return _matrix_power(input, n)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of a batch of matrices: a view.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.diagonal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.diagonal(rf.zeros(2, 3, 3)).shape
        rustyflow.Size([2, 3])
    """
    return _diagonal(A, offset, dim1, dim2)


for _name in set(__all__) - {"LinAlgError"}:
    globals()[_name] = (_taught if _name in ("diagonal", "vander") else _with_out)(globals()[_name])


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

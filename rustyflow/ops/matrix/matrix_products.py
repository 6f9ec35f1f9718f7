"""Powers of matrices and of numbers, and products of several matrices."""
from __future__ import annotations

from functools import cache

from ...arguments.numbers import whole
from ...dispatch import function, need_tuple
from ...dtype import int64
from ...errors import DTypeError, ShapeError
from ..creation import eye, ones
from ..join.cat import cat
from ..reduce.cumulative import cumprod
from ..views import copy, unsqueeze, view
from .factors import factors
from .linalg import matmul, mm
from .solve import inverse


@function
def matrix_power(input, n):
    """A square matrix times itself n times; of its inverse for a negative n, the identity for 0.

    Raises:
        ShapeError (a RuntimeError): not square. LinAlgError (a RuntimeError): n is negative, the matrix singular.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html

    Example:
        >>> import rustyflow as rf
        >>> rf.matrix_power(rf.tensor([[1., 1.], [0., 1.]]), 5)
        tensor([[1., 5.],
                [0., 1.]])
    """
    n, = whole("matrix_power", n=n)
    shape = input._a.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError(f"matrix_power of shape {tuple(shape)}", "linalg.matrix_power: A must be batches of square "
                         "matrices", "as many rows as columns")
    if n == 0:
        return copy(input).copy_(eye(shape[-1], dtype=input.dtype))
    square_of, found = input if n > 0 else inverse(input), None
    n = abs(n)
    if n == 3:  # in PyTorch's order
        return matmul(matmul(square_of, square_of), square_of)
    while n:
        if n & 1:
            found = square_of if found is None else matmul(found, square_of)
        n >>= 1
        square_of = matmul(square_of, square_of) if n else square_of
    return copy(found) if found is input else found


def multi_dot(tensors):
    """The product of several matrices, of which the first may be a row, the last a column.

    In the order that takes the fewest multiplications.

    Raises:
        ShapeError (a RuntimeError): fewer than two matrices. MatmulError (a RuntimeError): sizes that do not fit.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.multi_dot([rf.ones(2, 3), rf.ones(3, 4), rf.ones(4)])
        tensor([12., 12.])
    """
    need_tuple("multi_dot", "tensors", tensors, "multi_dot([a, b, c])")
    if len(tensors) < 2:
        raise ShapeError(f"multi_dot of {len(tensors)}", "multi_dot(): expected at least 2 tensors but got "
                         f"{len(tensors)}", "the matrix itself")
    first, last = tensors[0], tensors[-1]
    factors("multi_dot", **{f"tensors[{k}]": x for k, x in enumerate(tensors)})
    for k, x in ((0, first), (len(tensors) - 1, last)):
        if x._a.ndim not in (1, 2):
            raise ShapeError(f"tensors[{k}] of shape {tuple(x.shape)}",
                             "multi_dot(): the first and the last tensor must be "
                             f"1D or 2D but got {x._a.ndim}D", "x * number, or the product of a batch: matmul")
    for k, x in enumerate(tensors[1:-1], 1):
        if x._a.ndim != 2:
            raise ShapeError(f"tensors[{k}] of shape {tuple(x.shape)}",
                             f"multi_dot(): tensor {k} must be 2D but got {x._a.ndim}D", "a matrix in between")
    matrices = [unsqueeze(first, 0) if first._a.ndim == 1 else first, *tensors[1:-1],
                unsqueeze(last, -1) if last._a.ndim == 1 else last]
    return view(_chain(matrices), first._a.shape[:-1] + last._a.shape[1:])


def _chain(matrices):
    """The product of several matrices; of orders that cost the same the one that PyTorch takes."""
    n, sizes = len(matrices), [x._a.shape[0] for x in matrices if x._a.ndim] + [matrices[-1]._a.shape[-1]]

    @cache
    def least(i, j):  # the multiplications from matrix i to j, and where the last product cuts them
        cuts = range(j - 1, i - 1, -1) if n == 3 else range(i, j)
        costs = [(least(i, k)[0] + least(k + 1, j)[0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in cuts]
        return min(costs, key=lambda cost: cost[0], default=(0, i))

    def product(i, j):
        k = least(i, j)[1]
        return matrices[i] if i == j else mm(product(i, k), product(k + 1, j))
    return product(0, n - 1)


def vander(x, *, N=None):
    """1, x, x ** 2, ..., x ** (N - 1) of each cell, along a new last axis.

    Source: https://pytorch.org/docs/stable/generated/torch.linalg.vander.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.vander(rf.tensor([2, 3]), N=3)
        tensor([[1, 2, 4],
                [1, 3, 9]])
    """
    count, = whole("vander", N=(*x._a.shape, 0)[x._a.ndim - 1] if N is None else N)
    if x._a.dtype in ("bool", "float16"):
        raise DTypeError(f"linalg.vander of {x.dtype!r}", "linalg.vander supports floating point and integer tensors, "
                         f"but got {x.dtype.name}", "x.int()" if x._a.dtype == "bool" else "x.float()")
    if count <= 1:
        raise ShapeError(f"vander(N={count})", "N must be greater than 1.", "N=2")
    x = (x if x._a.ndim else unsqueeze(x, 0)).to(int64 if x._a.dtype.kind != "f" else x.dtype)
    powers = cumprod(x.unsqueeze(-1).expand(*x._a.shape, count - 1), -1)
    return cat([ones((*x._a.shape, 1), dtype=x.dtype), powers], -1)

"""Products of matrices, and what is made of them."""
from __future__ import annotations

from ..errors import DTypeError, MatmulError, ShapeError, align_right
from ..layout import broadcast_shapes
from .registry import apply, not_a_tensor, op
from ..tensor import Tensor


@op
class matmul:
    """y = a @ b        da = g @ b transposed        db = a transposed @ g

    Rows of `a` meet columns of `b`: (..., i, k) @ (..., k, j) gives (..., i, j); leading axes broadcast; a vector is a row on
    the left and a column on the right, and that axis disappears again.
    Source: https://pytorch.org/docs/stable/generated/torch.matmul.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2, 3) @ rf.ones(3)
        tensor([3., 3.])
    """
    promote = None
    def forward(F, a, b): return F.matmul(a, b)

    def grad_a(F, g, a, b):
        if a.ndim == 1:
            g = F.unsqueeze(g, -1 if b.ndim == 1 else -2)
        if b.ndim == 1:
            return F.unsqueeze(g, -1) * b if a.ndim > 1 else g * b
        out = F.matmul(g, F.transpose(b, -1, -2))
        return F.sum_to(out, (1, a.shape[0])).reshape(a.shape) if a.ndim == 1 else out

    def grad_b(F, g, a, b):
        if b.ndim == 1:
            g = F.unsqueeze(g, -1)
        if a.ndim == 1:
            return a * g if b.ndim == 1 else F.unsqueeze(a, -1) * F.unsqueeze(g, -2)
        out = F.matmul(F.transpose(a, -1, -2), g)
        return F.sum_to(out, (b.shape[0], 1)).reshape(b.shape) if b.ndim == 1 else out

    def call(input, other):
        for name, x in (("input", input), ("other", other)):
            if not isinstance(x, Tensor):
                raise not_a_tensor("matmul", name, x)
        a, b = input._a, other._a
        if not a.ndim or not b.ndim:
            raise ShapeError(f"a: {tuple(a.shape)}, b: {tuple(b.shape)}", f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D",
                             "multiply by a 0-d tensor with *")
        if a.dtype is not b.dtype:
            raise DTypeError(f"a: {input.dtype!r}, b: {other.dtype!r}", "expected m1 and m2 to have the same dtype", "convert one, e.g. b.to(a.dtype)")
        if a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
            raise MatmulError(align_right(("a", a.shape), ("b", b.shape)), "mat1 and mat2 shapes cannot be multiplied: the last axis of a "
                              f"({a.shape[-1]}) must be as long as the last but one of b ({b.shape[-2 if b.ndim > 1 else -1]})",
                              "transpose one of them, e.g. a @ b.mT, when the axes are the wrong way round", shapes=(a.shape, b.shape))
        broadcast_shapes(a.shape[:-2], b.shape[:-2])
        return apply(matmul.op, input, other)

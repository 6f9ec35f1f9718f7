"""Products of vectors, matrices and batches of matrices."""
from __future__ import annotations

from math import prod

from ...dispatch import apply, apply_view, binary, is_recorded, op
from ...errors import ShapeError
from ...layout import broadcast_shapes
from ..views import contiguous, expand, reshape, squeeze, t, transpose, unsafe_view, unsqueeze, view
from .factors import as_many, factors, inner_sizes, leading_axes, meet


@op
class mm:
    """y = a @ b        da = g @ b.T        db = a.T @ g

    Two matrices: (i, k) @ (k, j) gives (i, j).
    Raises: MatmulError (a RuntimeError): inner sizes that differ; ShapeError: no matrices; DTypeError: different
    dtypes.
    Source: https://pytorch.org/docs/stable/generated/torch.mm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.mm(rf.ones(2, 3), rf.ones(3, 1))
        tensor([[3.],
                [3.]])
    """
    promote = None
    def forward(F, a, b): return F.matmul(a, b)
    def grad_a(F, g, b): return g @ b.T
    def grad_b(F, g, a): return a.T @ g

    def call(input, mat2):
        if meet(input, mat2) != (2, 2):
            factors("mm", 2, 2, input=input, mat2=mat2)
            inner_sizes("mm", input, mat2, input._a.shape[1], mat2._a.shape[0])
        return _mm(input, mat2)


_mm = binary(mm.op)


@op
class bmm:
    """y = a @ b        da = g @ b.mT        db = a.mT @ g

    Two batches of matrices of the same length: (n, i, k) @ (n, k, j) gives (n, i, j).
    Raises: as mm.
    Source: https://pytorch.org/docs/stable/generated/torch.bmm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.bmm(rf.ones(2, 1, 3), rf.ones(2, 3, 1)).shape
        rustyflow.Size([2, 1, 1])
    """
    promote = None
    def forward(F, a, b): return F.matmul(a, b)
    def grad_a(F, g, b): return g @ b.mT
    def grad_b(F, g, a): return a.mT @ g

    def call(input, mat2):
        factors("bmm", 3, 3, input=input, mat2=mat2)
        as_many("bmm", input=input, mat2=mat2)
        inner_sizes("bmm", input, mat2, input._a.shape[2], mat2._a.shape[1])
        return apply(bmm.op, input, mat2)


@op
class mv:
    """y = a @ b        da = outer(g, b)        db = a.T @ g

    A matrix and a vector: (i, k) @ (k,) gives (i,).
    Raises: as mm.
    Source: https://pytorch.org/docs/stable/generated/torch.mv.html

    Example:
        >>> import rustyflow as rf
        >>> rf.mv(rf.ones(2, 3), rf.ones(3))
        tensor([3., 3.])
    """
    promote = None
    def forward(F, a, b): return F.matmul(a, b)
    def grad_a(F, g, b): return F.unsqueeze(g, -1) * b
    def grad_b(F, g, a): return a.T @ g

    def call(input, vec):
        if meet(input, vec) != (2, 1):
            factors("mv", 2, 1, input=input, vec=vec)
            inner_sizes("mv", input, vec, input._a.shape[1], vec._a.shape[0])
        return _mv(input, vec)


_mv = binary(mv.op)


@op
class dot:
    """y = sum(a * b)        da = g * b        db = g * a

    Two vectors of the same length.
    Raises: as mm.
    Source: https://pytorch.org/docs/stable/generated/torch.dot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.dot(rf.tensor([1., 2.]), rf.tensor([3., 4.]))
        tensor(11.)
    """
    promote = None
    def forward(F, a, b): return F.asarray(F.matmul(a, b))
    def grad_a(F, g, b): return g * b
    def grad_b(F, g, a): return g * a

    def call(input, tensor):
        if meet(input, tensor) != (1, 1):
            factors("dot", 1, 1, input=input, tensor=tensor)
            inner_sizes("dot", input, tensor, input._a.shape[0], tensor._a.shape[0])
        return _dot(input, tensor)


_dot = binary(dot.op)


@op
class matmul:
    """y = a @ b        da = g @ b.mT        db = a.mT @ g

    Rows of `a` meet columns of `b`: (..., i, k) @ (..., k, j) gives (..., i, j); leading axes broadcast; a vector is a
    row on the left and a column on the right, and that axis disappears again.
    Raises: MatmulError (a RuntimeError): inner sizes that differ; ShapeError: a 0-d tensor; DTypeError: different
    dtypes.
    Source: https://pytorch.org/docs/stable/generated/torch.matmul.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2, 3) @ rf.ones(3)
        tensor([3., 3.])
    """
    promote = None
    def forward(F, a, b): return F.matmul(a, b)

    def call(input, other):
        if ranks := meet(input, other):
            return _PLAIN[ranks](input, other)
        factors("matmul", input=input, other=other)
        a, b = input._a.shape, other._a.shape
        if not a or not b:
            raise ShapeError(f"a: {tuple(a)}, b: {tuple(b)}",
                             f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D",
                             "multiply by a 0-d tensor with *")
        inner_sizes("matmul", input, other, a[-1], b[-2 if len(b) > 1 else -1])
        if len(b) > 2 or len(a) > 2:
            leading_axes(a, b)
        if is_recorded(input, other):
            return folded(input, other) if (len(a), len(b)) == (1, 2) or _folds(input, other) else batched(input, other)
        return apply(matmul.op, input, other)


_PLAIN = {(2, 2): _mm, (2, 1): _mv, (1, 1): _dot}


def folded(a, b):
    """matmul with the larger factor reshaped to one matrix of all its rows."""
    if a._a.ndim == 1 and b._a.ndim == 2:
        return mm(unsqueeze(a, 0), b).squeeze_(0)
    turned = b._a.ndim > a._a.ndim
    if turned:
        a, b = transpose(b, -2, -1), t(a) if a._a.ndim == 2 else a
    shape = (*a._a.shape[:-1], *b._a.shape[1:])
    y = unsafe_view((mm if b._a.ndim == 2 else mv)(reshape(a, (prod(a._a.shape[:-1]), a._a.shape[-1])), b), shape)
    return contiguous(transpose(y, -2, -1)) if turned and b._a.ndim == 2 else y


def _folds(a, b) -> bool:
    """True if PyTorch takes `folded`: a batch meets one matrix or vector that requires grad.

    Or reshaping needs no copy.
    """
    large, small = (a, b) if a._a.ndim >= b._a.ndim else (transpose(b.detach(), -2, -1), a)
    if large._a.ndim < 3 or small._a.ndim > 2:
        return False
    if small.requires_grad:
        return True
    if a._a.ndim == 2:
        return False
    stride, shape = large.stride(), large._a.shape
    return not large._a.size or all(stride[d] == stride[d + 1] * shape[d + 1] for d in range(large._a.ndim - 2))


def batched(a, b):
    """matmul as one batch of products, for which the leading axes of both factors are expanded."""
    one, other = a._a.shape[:-2], b._a.shape[:-2]
    if a._a.ndim == b._a.ndim == 3 and one != other:
        if one == (1,) and a.requires_grad:
            return matmul(squeeze(a, 0), b)
        if other == (1,) and b.requires_grad:
            return matmul(a, squeeze(b, 0))
    batch = broadcast_shapes(one, other)
    rows, columns = [x._a.shape[-2:] for x in (a, b)]
    left = _stack(a, batch, rows if a._a.ndim > 1 else (1, *rows))
    right = _stack(b, batch, columns)
    if b._a.ndim > 1:
        return unsafe_view(products(left, right), (*batch, *rows[:-1], columns[-1]))
    return unsafe_view(squeeze(products(left, unsqueeze(right, 2)), -1), (*batch, *rows[:-1]))


def _stack(x, batch, shape):
    """x expanded over leading axes, and these made one."""
    x, size = apply_view(expand.op, x, size=(*batch, *shape)), (prod(batch), *shape)
    return apply_view(view.op, x, size=size) if x._a.flags.c_contiguous else reshape(x, size)


products = binary(bmm.op)

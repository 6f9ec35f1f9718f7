"""Products of vectors, matrices and batches of matrices."""
from __future__ import annotations

from math import prod

from ..errors import DimError, DTypeError, MatmulError, ShapeError, UnsupportedDTypeError, align_right
from ..layout import broadcast_shapes, wrap_dim
from ..tensor import Tensor
from .arithmetic import mul
from .guard import guard, whole
from .reduce import sum
from .registry import apply, function, not_a_tensor, op
from .shape import reshape
from .view import diagonal, permute, unsqueeze, view


def factors(name: str, *ranks, **operands) -> None:
    """Refuse operands that are no tensors, differ in dtype, or have another number of axes than asked.

    Raises:
        ArgumentTypeError (a TypeError); DTypeError, ShapeError (RuntimeErrors).
    """
    first = next(iter(operands.values()))
    for label, x in operands.items():
        if not isinstance(x, Tensor):
            raise not_a_tensor(name, label, x)
    for (label, x), rank in zip(operands.items(), ranks or (None,) * len(operands)):
        if rank is not None and x._a.ndim != rank:
            if not x._a.ndim and (name, label) in (("mv", "input"), ("addbmm", "batch1"), ("baddbmm", "batch1")):
                raise DimError(f"{name} of a 0-d tensor", "Dimension specified as 0 but tensor has no dimensions", "multiply by a 0-d tensor with *")
            raise ShapeError(align_right(*[(k, o._a.shape) for k, o in operands.items()]),
                             f"{name}: {label} must be a {('0-d tensor', 'vector', 'matrix', 'batch of matrices')[rank]}, but it has {x._a.ndim} dims",
                             "matmul takes vectors, matrices and batches alike")
        if x._a.dtype is not first._a.dtype:
            raise DTypeError(", ".join(f"{k}: {o.dtype!r}" for k, o in operands.items()), f"{name}: expected all operands to have the same dtype, but got "
                             f"{first.dtype.name} != {x.dtype.name}", f"convert one, e.g. {label}.to({first.dtype!r})")
    if first._a.dtype.kind == "b" and any(x._a.ndim > 1 and x._a.size for x in operands.values()):
        raise UnsupportedDTypeError(f"{name} of bools", f"{name}: \"addmm_impl_cpu_\" not implemented for 'Bool'", "x.float(), or & and any()")


def inner_sizes(name, a, b, k, n):
    """Refuse factors whose inner sizes differ.

    Raises:
        MatmulError (a RuntimeError).
    """
    if k != n:
        raise MatmulError(align_right(("a", a._a.shape), ("b", b._a.shape)), f"{name}: mat1 and mat2 shapes cannot be multiplied: the last axis of a ({k}) must be as "
                          f"long as the last but one of b ({n})", "transpose one of them, e.g. a @ b.mT, when the axes are the wrong way round",
                          shapes=(a._a.shape, b._a.shape))


@op
class mm:
    """y = a @ b        da = g @ b.T        db = a.T @ g

    Two matrices: (i, k) @ (k, j) gives (i, j).
    Raises: MatmulError (a RuntimeError): inner sizes that differ; ShapeError: no matrices; DTypeError: different dtypes.
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

    def call(input, mat2, *, out=None):
        factors("mm", 2, 2, input=input, mat2=mat2)
        inner_sizes("mm", input, mat2, input._a.shape[1], mat2._a.shape[0])
        return apply(mm.op, input, mat2)


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

    def call(input, mat2, *, out=None):
        factors("bmm", 3, 3, input=input, mat2=mat2)
        a, b = input._a.shape, mat2._a.shape
        inner_sizes("bmm", input, mat2, (a[0], a[2]), (b[0], b[1]))
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

    def call(input, vec, *, out=None):
        factors("mv", 2, 1, input=input, vec=vec)
        inner_sizes("mv", input, vec, input._a.shape[1], vec._a.shape[0])
        return apply(mv.op, input, vec)


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

    def call(input, tensor, *, out=None):
        factors("dot", 1, 1, input=input, tensor=tensor)
        inner_sizes("dot", input, tensor, input._a.shape[0], tensor._a.shape[0])
        return apply(dot.op, input, tensor)


@op
class matmul:
    """y = a @ b        da = g @ b.mT        db = a.mT @ g

    Rows of `a` meet columns of `b`: (..., i, k) @ (..., k, j) gives (..., i, j); leading axes broadcast; a vector is a row on
    the left and a column on the right, and that axis disappears again.
    Raises: MatmulError (a RuntimeError): inner sizes that differ; ShapeError: a 0-d tensor; DTypeError: different dtypes.
    Source: https://pytorch.org/docs/stable/generated/torch.matmul.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2, 3) @ rf.ones(3)
        tensor([3., 3.])
    """
    torch_name = "UnsafeViewBackward0"
    promote = None
    def forward(F, a, b): return F.matmul(a, b)

    def grad_a(F, g, a, b):
        if b.ndim == 1:
            return F.unsqueeze(g, -1) * b
        if a.ndim == 1:
            return F.reshape(F.sum_to(F.matmul(F.unsqueeze(g, -2), b.mT), (1, a.shape[0])), a.shape)
        return F.matmul(g, b.mT)

    def grad_b(F, g, a, b):
        if a.ndim == 1:
            return F.unsqueeze(a, -1) * F.unsqueeze(g, -2)
        if b.ndim <= 2:
            n = prod(a.shape[:-1])
            rows, columns = F.reshape(a, (n, a.shape[-1])), F.reshape(g, (n, b.shape[-1] if b.ndim == 2 else 1))
            return F.reshape(F.matmul(rows.T, columns), b.shape)
        return F.matmul(a.mT, g)

    def call(input, other, *, out=None):
        factors("matmul", input=input, other=other)
        a, b = input._a.shape, other._a.shape
        if not a or not b:
            raise ShapeError(f"a: {tuple(a)}, b: {tuple(b)}", f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D",
                             "multiply by a 0-d tensor with *")
        inner_sizes("matmul", input, other, a[-1], b[-2 if len(b) > 1 else -1])
        if len(b) > 2 or len(a) > 2:
            broadcast_shapes(a[:-2], b[:-2])
        return apply((mm if len(a) == len(b) == 2 else dot if len(a) == len(b) == 1 else mv if len(a) == 2 and len(b) == 1 else matmul).op, input, other)


@function
@guard
def outer(input, vec2, *, out=None):
    """The products of every cell of one vector with every cell of another: (n,) and (m,) give (n, m).

    Raises:
        ShapeError (a RuntimeError): no vectors.
    Source: https://pytorch.org/docs/stable/generated/torch.outer.html

    Example:
        >>> import rustyflow as rf
        >>> rf.outer(rf.tensor([1, 2]), rf.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]])
    """
    for label, x in (("input", input), ("vec2", vec2)):
        if not isinstance(x, Tensor):
            raise not_a_tensor("outer", label, x)
        if x._a.ndim != 1:
            raise ShapeError(f"{label} of shape {tuple(x.shape)}", f"outer: Expected 1-D argument {label}, but got {x._a.ndim}-D", "x.flatten(), or unsqueeze and *")
    return mul(unsqueeze(input, 1), vec2)


@function
def ger(input, vec2, *, out=None):
    """`outer` under its old name.

    Source: https://pytorch.org/docs/stable/generated/torch.ger.html
    """
    return outer(input, vec2)


@function
@guard
def inner(input, other, *, out=None):
    """The sums of products along the last axis of both: (..., k) and (---, k) give (..., ---). With a 0-d tensor, the product.

    Raises:
        MatmulError (a RuntimeError): last axes that differ.
    Source: https://pytorch.org/docs/stable/generated/torch.inner.html

    Example:
        >>> import rustyflow as rf
        >>> rf.inner(rf.ones(2, 3), rf.ones(3))
        tensor([3., 3.])
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor("inner", "other", other)
    if not input._a.ndim or not other._a.ndim:
        return mul(input, other)
    factors("inner", input=input, other=other)
    inner_sizes("inner", input, other, input._a.shape[-1], other._a.shape[-1])
    return tensordot(input, other, ([-1], [-1]))


@function(method=False)
@guard
def tensordot(a, b, dims=2, *, out=None):
    """The sum of products over pairs of axes: the last `dims` of a with the first of b, or the pairs two lists name.

    Raises:
        ShapeError (a RuntimeError): axes of different sizes, or more of them than there are.
    Source: https://pytorch.org/docs/stable/generated/torch.tensordot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensordot(rf.ones(2, 3, 4), rf.ones(4, 3), dims=([1, 2], [1, 0]))
        tensor([12., 12.])
    """
    factors("tensordot", a=a, b=b)
    if isinstance(dims, (tuple, list)):
        if len(dims) != 2:
            raise ShapeError(f"dims={dims!r}", "tensordot expects dims to be a number or two lists of dims", "e.g. ([1], [0])")
        left, right = [list(d) if isinstance(d, (tuple, list)) else [d] for d in dims]
    else:
        n, = whole("tensordot", dims=dims)
        if n < 0 or n > min(a._a.ndim, b._a.ndim):
            raise ShapeError(align_right(("a", a._a.shape), ("b", b._a.shape)), f"tensordot expects dims >= 0 and no more than both have, but got dims={n}",
                             f"dims from 0 to {min(a._a.ndim, b._a.ndim)}")
        left, right = list(range(a._a.ndim - n, a._a.ndim)), list(range(n))
    left, right = [wrap_dim(d, a._a.ndim) for d in left], [wrap_dim(d, b._a.ndim) for d in right]
    if [a._a.shape[d] for d in left] != [b._a.shape[d] for d in right]:
        raise ShapeError(align_right(("a", a._a.shape), ("b", b._a.shape)), f"contracted dimensions need to match: dims {left} of a have sizes "
                         f"{[a._a.shape[d] for d in left]}, dims {right} of b {[b._a.shape[d] for d in right]}", "name the pairs: dims=([...], [...])")
    rest = [d for d in range(a._a.ndim) if d not in left], [d for d in range(b._a.ndim) if d not in right]
    k, shape = 1, [a._a.shape[d] for d in rest[0]] + [b._a.shape[d] for d in rest[1]]
    for d in left:
        k *= a._a.shape[d]
    rows, columns = [reshape(permute(x, order), size) for x, order, size in
                     ((a, rest[0] + left, (_cells(a, rest[0]), k)), (b, right + rest[1], (k, _cells(b, rest[1]))))]
    return view(mm(rows, columns), shape)


def _cells(x, dims):
    n = 1
    for d in dims:
        n *= x._a.shape[d]
    return n


@function
@guard
def trace(input):
    """The sum of a matrix's diagonal.

    Raises:
        ShapeError (a RuntimeError): no matrix.
    Source: https://pytorch.org/docs/stable/generated/torch.trace.html

    Example:
        >>> import rustyflow as rf
        >>> rf.trace(rf.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    if input._a.dtype == "bool":
        raise UnsupportedDTypeError("trace of bools", "\"trace\" not implemented for 'Bool'", "x.int()")
    if input._a.ndim != 2:
        raise ShapeError(f"shape {tuple(input.shape)}", "trace: expected a matrix", "x.diagonal(dim1=-2, dim2=-1).sum(-1) for batches")
    return sum(diagonal(input))


@function
@guard
def kron(input, other, *, out=None):
    """Every cell of one tensor times the whole other one, block by block.

    Source: https://pytorch.org/docs/stable/generated/torch.kron.html

    Example:
        >>> import rustyflow as rf
        >>> rf.kron(rf.tensor([1, 2]), rf.tensor([3, 4]))
        tensor([3, 4, 6, 8])
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor("kron", "other", other)
    rank = max(input._a.ndim, other._a.ndim)
    a, b = [(1,) * (rank - x._a.ndim) + tuple(x._a.shape) for x in (input, other)]
    left = reshape(input, tuple([n for size in a for n in (size, 1)]))
    right = reshape(other, tuple([n for size in b for n in (1, size)]))
    return reshape(mul(left, right), tuple([m * n for m, n in zip(a, b)]))


@function
@guard
def cross(input, other, dim=None, *, out=None):
    """The cross product of vectors of three cells along dim (the first axis of size 3 when left out).

    Raises:
        ShapeError (a RuntimeError): no axis of size 3.
    Source: https://pytorch.org/docs/stable/generated/torch.cross.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cross(rf.tensor([1, 0, 0]), rf.tensor([0, 1, 0]))
        tensor([0, 0, 1])
    """
    from .repeat import roll
    shape = broadcast_shapes(input._a.shape, other._a.shape)
    dim = next((d for d, n in enumerate(shape) if n == 3), -1) if dim is None else dim
    dim = wrap_dim(dim, len(shape)) - len(shape)
    if not shape or input._a.shape[dim] != 3 or other._a.shape[dim] != 3:
        raise ShapeError(align_right(("input", input._a.shape), ("other", other._a.shape)), "linalg.cross: inputs must have length 3 along dim", "an axis of size 3")
    return roll(input, -1, dim) * roll(other, -2, dim) - roll(input, -2, dim) * roll(other, -1, dim)

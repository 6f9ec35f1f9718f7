"""Products made of matrix products and of broadcasting: outer, inner, over any pairs of axes, block by block."""
from __future__ import annotations

from functools import partial
from math import prod

from ... import layout as rules
from ...arguments.numbers import no_tuple, sizes
from ...dispatch import function, op
from ...dtype import int64
from ...errors import ArgumentValueError, AssertedError, ShapeError, ViewError, align_right
from ...tensor import Tensor
from ..elementwise.arithmetic import mul
from ..reduce.sums import sum
from ..views import flatten, permute, reshape, squeeze, unsafe_view
from .factors import factors, inner_sizes
from .linalg import dot, mm


@function
def outer(input, vec2):
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
        if x._a.ndim != 1:
            raise ShapeError(f"{label} of shape {tuple(x.shape)}",
                             f"outer: Expected 1-D argument {label}, but got {x._a.ndim}-D",
                             "x.flatten(), or unsqueeze and *")
    return mul(reshape(input, (input._a.size, 1)), vec2)


@function
def ger(input, vec2):
    """`outer` under its old name.

    Source: https://pytorch.org/docs/stable/generated/torch.ger.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ger(rf.tensor([1, 2]), rf.tensor([3])).shape
        rustyflow.Size([2, 1])
    """
    return outer(input, vec2)


@function
def inner(input, other):
    """The sums of products along the last axis of both: (..., k) and (---, k) give (..., ---). With a 0-d tensor, the
    product.

    Raises:
        MatmulError (a RuntimeError): last axes that differ.
    Source: https://pytorch.org/docs/stable/generated/torch.inner.html

    Example:
        >>> import rustyflow as rf
        >>> rf.inner(rf.ones(2, 3), rf.ones(3))
        tensor([3., 3.])
    """
    if not input._a.ndim or not other._a.ndim:
        return mul(input, other)
    factors("inner", input=input, other=other)
    inner_sizes("inner", input, other, input._a.shape[-1], other._a.shape[-1])
    return tensordot(input, other, ([-1], [-1]))


def _told_dims(dims):
    """The `dims` of `tensordot`, as a number or a pair, checked before the tensors as in PyTorch.

    Raises:
        ShapeError (a RuntimeError), ArgumentValueError (a ValueError), AssertedError (an AssertionError): neither, by
        what it is instead.
    """
    if isinstance(dims, Tensor):
        if dims._a.size > 1 and dims._a.shape[0] != 2:
            raise AssertedError(f"dims of shape {tuple(dims.shape)}",
                                f"dims tensor must have size 2 in first dimension, got {dims._a.shape[0]}",
                                "dims=([...], [...])")
        dims = dims.tolist() if dims._a.size > 1 else int(dims.item()) if dims._a.size else dims
    if isinstance(dims, (tuple, list)) and len(dims) != 2:
        raise ArgumentValueError(f"dims={dims!r:.60}", f"tensordot expects two lists of dims, not {len(dims)}",
                                 "e.g. ([1], [0])")
    if not isinstance(dims, (tuple, list, int)):
        raise ShapeError(f"dims={dims!r:.60}", "tensordot expects dims to be a number or two lists of dims",
                         "e.g. dims=1, or dims=([1], [0])")
    return dims


def _summed(a, b, dims):
    """The dims of a and those of b over which `tensordot` sums, two lists of one length.

    Raises:
        ShapeError (a RuntimeError), ArgumentTypeError (a TypeError): too large a number, or other than lists.
    """
    if isinstance(dims, (tuple, list)):
        for d in dims:
            if not isinstance(d, (tuple, list)):
                raise no_tuple("tensordot", "dims", dims, "a list for each tensor, e.g. dims=([1], [0])")
        left, right = [list(sizes((d,), "tensordot", f"dims[{k}]", "dims=([1], [0])", rules.whole_numbers))
                       for k, d in enumerate(dims)]
    else:
        n = int(dims)
        if n < 0 or n > min(a._a.ndim, b._a.ndim):
            raise ShapeError(align_right(("a", a._a.shape), ("b", b._a.shape)),
                             f"tensordot expects dims >= 0 and no more than both have, but got dims={n}",
                             f"dims from 0 to {min(a._a.ndim, b._a.ndim)}")
        left, right = list(range(a._a.ndim - n, a._a.ndim)), list(range(n))
    if len(left) != len(right):
        raise ShapeError(f"dims={dims!r:.60}", "both dimension lists should have same length",
                         "a dim of b for each dim of a")
    return left, right


@function(method=False)
def tensordot(a, b, dims=2):
    """The sum of products over pairs of axes: a's last `dims` with b's first, or pairs in two lists.

    Raises:
        ShapeError (a RuntimeError): axes of different sizes, or more of them than there are.
    Source: https://pytorch.org/docs/stable/generated/torch.tensordot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensordot(rf.ones(2, 3, 4), rf.ones(4, 3), dims=([1, 2], [1, 0]))
        tensor([12., 12.])
    """
    dims = _told_dims(dims)
    factors("tensordot", a=a, b=b)
    left, right = _summed(a, b, dims)
    for k, (d, e) in enumerate(zip(left, right)):
        left[k], right[k] = d, e = rules.wrap_dim(d, a._a.ndim), rules.wrap_dim(e, b._a.ndim)
        m, n = a._a.shape[d], b._a.shape[e]
        if m != n == 1:  # an axis of size 1 meets any other: that is then summed first
            a = sum(a, d, keepdim=True, dtype=a.dtype)
        elif n != m == 1:
            b = sum(b, e, keepdim=True, dtype=b.dtype)
        elif m != n:
            raise ShapeError(align_right(("a", a._a.shape), ("b", b._a.shape)),
                             f"contracted dimensions need to match: dim {d} of a has size {m}, dim {e} of b {n}",
                             "name the pairs: dims=([...], [...])")
    rest = [d for d in range(a._a.ndim) if d not in left], [d for d in range(b._a.ndim) if d not in right]
    k, shape = prod([a._a.shape[d] for d in left]), [x._a.shape[d] for x, dims in zip((a, b), rest) for d in dims]
    m, n = [prod([x._a.shape[d] for d in dims]) for x, dims in ((a, rest[0]), (b, rest[1]))]
    a, b = permute(a, rest[0] + left), permute(b, right + rest[1])
    if m == n == 1:
        if a._a.flags.c_contiguous and b._a.flags.c_contiguous:
            return reshape(dot(flatten(a), flatten(b)), shape)
        return reshape(sum(mul(squeeze(a), squeeze(b)), dtype=a.dtype), shape)
    return reshape(mm(reshape(a, (m, k)), reshape(b, (k, n))), shape)


@op
class trace:
    """y = sum(diag(x))        dx = on_eye(g, x.shape)

    The sum of a matrix's diagonal; whole numbers are added in int64.
    Raises: ShapeError (a RuntimeError): no matrix. UnsupportedDTypeError (a NotImplementedError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.trace.html

    Example:
        >>> import rustyflow as rf
        >>> rf.trace(rf.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """
    takes = "iuf"

    elementwise = False
    def forward(F, x):
        if x.ndim != 2:
            raise ShapeError(f"shape {tuple(x.shape)}", "trace: expected a matrix",
                             "x.diagonal(dim1=-2, dim2=-1).sum(-1) for batches")
        return F.trace(x, None if x.dtype.kind == "f" else int64.numpy)

    def grad_x(F, g, shape):
        return F.scatter_through(F.expand(g, (min(shape),)), shape, partial(rules.diagonal, diag=0, dim1=0, dim2=1))


@function
def kron(input, other):
    """Every cell of one tensor times the whole other one, block by block.

    Raises:
        ViewError (a RuntimeError): the products lie in memory as the operands do, and PyTorch views them in the
        result's shape: of a transposed matrix and a vector that cannot be.
    Source: https://pytorch.org/docs/stable/generated/torch.kron.html

    Example:
        >>> import rustyflow as rf
        >>> rf.kron(rf.tensor([1, 2]), rf.tensor([3, 4]))
        tensor([3, 4, 6, 8])
    """
    rank = max(input._a.ndim, other._a.ndim)
    a, b = [(1,) * (rank - x._a.ndim) + tuple(x._a.shape) for x in (input, other)]
    left = unsafe_view(input, [n for size in a for n in (size, 1)])  # axes of size 1 alone are put in: no cell moves
    right = unsafe_view(other, [n for size in b for n in (1, size)])
    size = [m * n for m, n in zip(a, b)]
    y = mul(left, right)
    if rules.view_stride(y._a.shape, y.stride(), tuple(size)) is None:
        raise ViewError(f"products of shape {tuple(y.shape)}, stride {y.stride()}, asked for view{tuple(size)}",
                        "view size is not compatible with input tensor's size and stride",
                        "kron(input.contiguous(), other.contiguous())")
    return unsafe_view(y, size)

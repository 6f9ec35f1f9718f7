"""Norms of vectors and matrices."""
from __future__ import annotations

from ...arguments.numbers import number
from ...dispatch import apply, is_recorded, op
from ...dtype import as_dtype, float16
from ...errors import DTypeError, ShapeError, UnsupportedDTypeError
from ...layout import wrap_dims
from ..views import permute, reshape
from .matrix_check import regular


@op(public=False, method=False)
class vector_length:
    """y = sum(x != 0, dim, keepdim) if p == 0 else amax(abs(x), dim, keepdim) if p == inf \
else amin(abs(x), dim, keepdim) if p == -inf else sum(abs(x) ** p, dim, keepdim) ** (1 / p)
    dx = 0 if p == 0 else shared(g * sign(x), abs(x) == y, dim) if p == inf or p == -inf \
else g * sign(x) * (abs(x) / y) ** (p - 1)
    """
    torch_name = "LinalgVectorNormBackward0"
    kinks = "0 where the norm is 0"

    def forward(F, x, *, p, dim, keepdim, dtype):
        return F.vector_norm(x if dtype is None else F.cast(x, dtype), p, dim, keepdim)

    def grad_x(F, g, x, y, *, p, dim, keepdim, dtype):
        g, y = F.restore(g, dim, keepdim, x.ndim), F.restore(y, dim, keepdim, x.ndim)
        return slope(F, g, x, y, p, dim)


def slope(F, g, x, y, p, dim):
    """The gradient of a norm y of x, of whose axes `dim` are 1 in g and y."""
    if p == 0:
        return None
    if p == 1:
        return g * F.sign(x)
    if p in (float("inf"), float("-inf")):
        tied = (F.abs(x) == y) | (x != x)
        return F.sign(x) * (tied * (g / F.sum(tied, dim, True)))
    if p == 2:
        if x.dtype.itemsize == 2:  # in which g / y is soon infinite
            return F.where(y == 0, 0.0, x / y) * g
        return x * F.where(y == 0, 0.0, g / y)
    if p < 1:
        return F.where(x == 0, 0.0, F.sign(x) * F.abs(x) ** (p - 1)) * g * y ** (1 - p)
    part = F.sign(x) * F.abs(x) ** (p - 1) if p < 2 else x * F.abs(x) ** (p - 2)
    return part * F.where(y == 0, 0.0, g / y ** (p - 1))


def need_floats(name, x, dtype=None):
    """Refuses what is no tensor of floats; returns the NumPy dtype to convert it to, or None.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if x._a.dtype.kind != "f":
        raise DTypeError(f"{name} of {x.dtype!r}", f"{name}: Expected a floating point tensor as input. Got "
                                                   f"{x.dtype.name}", "x.float()")
    dtype = None if dtype is None else as_dtype(dtype)
    if dtype is not None and not (dtype.is_floating_point and dtype.itemsize >= x.dtype.itemsize):
        raise DTypeError(f"{name} of {x.dtype!r} with dtype={dtype!r}",
                         f"{name}: dtype should be floating point, and the input convertible to it without narrowing",
                         f"dtype={x.dtype!r}, then .to({dtype!r})")
    return None if dtype in (None, x.dtype) else dtype.numpy


def _dims(x, dim):
    return tuple(wrap_dims(dim, x._a.ndim)) if dim is not None else tuple(range(x._a.ndim))


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """(sum of abs(x) ** ord) ** (1 / ord) along dim, of all cells when left out.

    The ord inf and -inf give the largest and smallest, 0 counts.

    Raises:
        DTypeError (a RuntimeError): not floating. ShapeError (a RuntimeError): no cells, for ord = inf or below 0.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.vector_norm(rf.tensor([3., 4.]))
        tensor(5.)
    """
    ord = number("linalg_vector_norm", "ord", ord)
    to = need_floats("linalg.vector_norm", x, dtype)
    dims = _dims(x, dim)
    if (ord < 0 or ord == float("inf")) and any(x._a.shape[d] == 0 for d in dims):
        raise ShapeError(f"shape {tuple(x.shape)}, dim {dim}, ord {ord}",
                         f"linalg.vector_norm cannot compute the {ord} norm on an empty dimension because the "
                         "operation does not have an identity",
                         "a tensor with cells")
    return apply(vector_length.op, x, p=float(ord), dim=dims, keepdim=bool(keepdim), dtype=to)


@op(public=False, method=False)
class svd:
    """u, s, v = svd(x)
    dx = u @ (diag_embed(gs) + m * s[..., None, :] + s[..., None] * n) @ v.mT + outside with m = parted(u.mT @ gu, s), \
n = parted(v.mT @ gv, s), outside = (gu - u @ u.mT @ gu) / s[..., None, :] @ v.mT \
+ u @ ((gv - v @ v.mT @ gv) / s[..., None, :]).mT

    `parted` makes a matrix antisymmetric and divides it by the differences of the squares of s: m and n are not finite
    where two singular values are equal, as in PyTorch. A gradient of s alone needs neither.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.svd.html
    """
    torch_name, results, materialize = "LinalgSvdBackward0", ("u", "s", "v"), False
    def forward(F, x): return F.svd(x)

    def vjp(F, g, u, s, v):
        gu, gs, gv = g
        row, column = F.unsqueeze(s, -2), F.unsqueeze(s, -1)
        dx = None if gs is None else (u * F.unsqueeze(gs, -2)) @ v.mT
        gaps = row * row - column * column + F.eye(s.shape[-1], dtype=s.dtype)
        for part, basis in ((gu, u), (gv, v)):
            if part is not None:
                inner = basis.mT @ part
                turned = (inner - inner.mT) / gaps
                more = u @ (turned * row if basis is u else column * turned) @ v.mT
                if basis.shape[-2] > basis.shape[-1]:  # else nothing is outside, also where a singular value is 0
                    outside = (part - basis @ inner) / row
                    more = more + (outside @ v.mT if basis is u else u @ outside.mT)
                dx = more if dx is None else dx + more
        return dx,


@op(public=False, method=False)
class singular_values:
    """y = singular_values(x)"""
    elementwise = False
    def forward(F, x): return F.svd(x, vectors=False)


def singular(name, x, vectors=True):
    """u, s, v of a matrix of floats; u and v are None where nobody asks for vectors.

    Raises:
        UnsupportedDTypeError (a NotImplementedError): float16. LinAlgError (a RuntimeError): NaN in a matrix.
    """
    if x._a.dtype == "float16":
        raise UnsupportedDTypeError(f"{name} of {x.dtype!r}", f"{name}: singular values are not implemented for "
                                    "float16", "x.float()")
    if vectors or is_recorded(x):
        return regular(name, svd.op, x)
    return None, regular(name, singular_values.op, x), None


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """The norm of a matrix by `ord`: 'fro' is the root of the sum of squares.

    The ord 1, -1: the largest, smallest column sum of abs; inf, -inf: of rows; 2, -2, 'nuc': the largest, the smallest,
    the sum of the singular values.

    Raises:
        ShapeError (a RuntimeError): fewer than two dims, another ord. DTypeError (a RuntimeError): not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.matrix_norm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.matrix_norm(rf.tensor([[3., 0.], [4., 0.]]), 1)
        tensor(7.)
    """
    need_floats("linalg.matrix_norm", A, dtype)
    x, ord = A, ord if isinstance(ord, str) else number("matrix_norm", "ord", ord)
    if x._a.ndim < 2 or not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ShapeError(f"shape {tuple(x.shape)}, dim {dim}",
                         "linalg.matrix_norm: The input tensor A must have at least 2 dimensions, "
                         "and dim must name two of them",
                         "dim=(-2, -1)")
    rows, columns = wrap_dims(tuple(dim), x._a.ndim)
    if ord == "fro":
        return vector_norm(x, 2, (rows, columns), keepdim, dtype=dtype)
    if ord in ("nuc", 2, -2):
        rest = [d for d in range(x._a.ndim) if d not in (rows, columns)]
        x = x if dtype is None or x.dtype is float16 else x.to(dtype)
        s = singular("linalg.matrix_norm", permute(x, [*rest, rows, columns]), vectors=False)[1]
        y = s.sum(-1) if ord == "nuc" else _largest(s, -1) if ord == 2 else s.amin(-1)
        return reshape(y, [1 if d in (rows, columns) else n for d, n in enumerate(x._a.shape)]) if keepdim else y
    if isinstance(ord, str) or abs(ord) not in (1, float("inf")):
        raise ShapeError(f"matrix_norm(ord={ord!r})", f"linalg.matrix_norm: Order {ord} not supported.",
                         "'fro', 'nuc', inf, -inf, 1, -1, 2 or -2")
    inner, outer = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(x, 1, inner, keepdim, dtype=dtype)
    outer -= not keepdim and inner < outer
    return _largest(sums, outer, keepdim) if ord > 0 else sums.amin(outer, keepdim)


def _largest(x, dim, keepdim=False):
    """The largest of what is not negative along dim; of nothing 0, which no gradient reaches."""
    return x.amax(dim, keepdim) if x._a.shape[dim] else x.detach().sum(dim, keepdim)


def norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    """The vector norm of all cells, or along one dim; or the norm of matrices.

    That is along two dims, or for 'fro' and 'nuc' or any ord of a matrix.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): an ord that is none, not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.norm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.norm(rf.tensor([[3., 0.], [0., 4.]])), rf.linalg.norm(rf.tensor([[3., 0.], [0., 4.]]), 2)
        (tensor(5.), tensor(4.))
    """
    need_floats("linalg.norm", input, dtype)
    x, several = input, isinstance(dim, (tuple, list))
    if ord is not None and dim is None and x._a.ndim not in (1, 2):
        raise ShapeError(f"shape {tuple(x.shape)}, ord {ord!r}",
                         "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                         f"Got {x._a.ndim}D.",
                         "dim=(-2, -1)")
    if several and len(dim) not in (1, 2):
        raise ShapeError(f"dim={dim}", "linalg.norm: If dim is specified, it must be of length 1 or 2.",
                         "one dim, or two")
    if ord is None:
        return vector_norm(x, 2, dim, keepdim, dtype=dtype)
    if (dim is None and x._a.ndim == 2) or (several and len(dim) == 2):
        return matrix_norm(x, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    if isinstance(ord, str):
        raise ShapeError(f"linalg.norm(ord={ord!r}) of a vector", f"linalg.norm: The order {ord} is for matrices",
                         "ord=2, or dim=(-2, -1)")
    return vector_norm(x, ord, dim, keepdim, dtype=dtype)

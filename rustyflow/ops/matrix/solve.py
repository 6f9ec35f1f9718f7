"""Inverses, linear systems, determinants and factorizations of square matrices, or batches of them."""
from __future__ import annotations

from ...dispatch import apply, expose, function, need_tensors, op, pair
from ...dtype import int64
from ...errors import DTypeError, ShapeError, align_right
from ...layout import broadcast_shapes
from ..views import expand, unsqueeze
from .matrix_check import regular, square


@op(public=False, method=False)
class invert:
    """y = inverse(x)        dx = -y.mT @ g @ y.mT"""
    torch_name, elementwise = "LinalgInvExBackward0", False
    def forward(F, x): return F.inverse(x)
    def grad_x(F, g, y): return -(y.mT @ g @ y.mT)


@function
def inverse(input):
    """The inverse of a square matrix, or of each in a batch.

    Differs from PyTorch: up to 65,536 cells of float32 are worked out in float64, as in all of `linalg`.
    Raises:
        LinAlgError (a RuntimeError): it is singular. ShapeError, DTypeError (RuntimeErrors): not square, not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.inv.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.inv(rf.tensor([[2., 0.], [0., 4.]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    square("linalg.inv", input)
    return regular("linalg.inv", invert.op, input)


@op(public=False, method=False)
class solve_matrix:
    """y = b @ inverse(a) if form == 'rows' else (inverse(a) @ b[..., None])[..., 0] if form == 'vector' and rank > 1 \
else inverse(a) @ b
    da = -y.mT @ g @ inverse(a).mT if form == 'rows' else -inverse(a).mT @ g[..., None] @ y[..., None, :] \
if form == 'vector' and rank > 1 else -outer(inverse(a).mT @ g, y) if form == 'vector' else -inverse(a).mT @ g @ y.mT
    db = g @ inverse(a).mT if form == 'rows' else (inverse(a).mT @ g[..., None])[..., 0] \
if form == 'vector' and rank > 1 else inverse(a).mT @ g

    `form` says what b is: columns, one vector, or rows, which are multiplied by a from the right.
    """
    torch_name, promote = "LinalgSolveExBackward0", None

    def forward(F, a, b, *, form):
        y = solved(F, a, b, form)
        return F.dense(y.mT).mT if form == "vector" and y.ndim > 1 else y  # vectors of a batch lie like columns

    def vjp(F, g, a, y, *, form):
        db = solved(F, a.mT, g, form)
        if form == "rows":
            return -(y.mT @ db), db
        return -(db @ y.mT if form == "columns" else F.unsqueeze(db, -1) * F.unsqueeze(y, -2)), db


def solved(F, a, b, form):
    """inverse(a) @ b, of columns or of a vector; b @ inverse(a) of rows."""
    if form == "rows":
        return F.solve(a.mT, b.mT).mT
    return F.solve(a, b) if form == "columns" else F.reshape(F.solve(a, F.unsqueeze(b, -1)), b.shape)


@function(public=False, method=False)
def solve(A, B, *, left=True):
    """The X with A @ X = B; with left=False, X @ A = B.

    Shapes: A (..., n, n); B (..., n, k), or (..., n) for one right-hand side per matrix; the batches broadcast.
    Differs from PyTorch: up to 65,536 cells of float32 are worked out in float64, as in all of `linalg`.
    Raises:
        LinAlgError (a RuntimeError): A is singular. ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.solve.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.solve(rf.tensor([[2., 0.], [0., 4.]]), rf.tensor([2., 2.]))
        tensor([1.0000, 0.5000])
    """
    need_tensors("linalg.solve", A=A, B=B)
    square("linalg.solve", A)
    if B._a.dtype != A._a.dtype:
        raise DTypeError(f"A: {A.dtype!r}, B: {B.dtype!r}", "linalg.solve: Expected A and B to have the same dtype",
                         "B.to(A.dtype)")
    a, b = A._a.shape, B._a.shape
    vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    if vector:
        if not left:
            raise ShapeError(align_right(("A", a), ("B", b)),
                             "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False",
                             "B.unsqueeze(-2)")
        if b[-1] != a[-1]:
            raise _mismatched(a, b, left)
        batch = broadcast_shapes(a[:-2], b[:-1])
        A = A if a[:-2] == batch else expand(A, (*batch, *a[-2:]))
        B = B if b[:-1] == batch else expand(B, (*batch, b[-1]))
        return regular("linalg.solve", solve_matrix.op, A, B, form="vector")
    if len(b) < 2 or b[-2 if left else -1] != a[-1]:
        raise _mismatched(a, b, left)
    batch = broadcast_shapes(a[:-2], b[:-2])
    A, B = [x if x._a.shape[:-2] == batch else expand(x, (*batch, *x._a.shape[-2:])) for x in (A, B)]
    return regular("linalg.solve", solve_matrix.op, A, B, form="columns" if left else "rows")


def _mismatched(a, b, left):
    return ShapeError(align_right(("A", a), ("B", b)),
                      f"linalg.solve: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                      f"({' x '.join(map(str, a[-2:]))} and {' x '.join(map(str, b[-2:])) or 'no axes'})",
                      f"as many {'rows' if left else 'columns'} in B as in A")


@op(method=True)
class det:
    """y = det(x)        dx = (g * y)[..., None, None] * inverse(x).mT if rank else g * y * inverse(x).mT

    The determinant of a square matrix, or of each in a batch. The gradient of a singular matrix is right too, where
    PyTorch gives zeros.
    Raises: ShapeError, DTypeError (RuntimeErrors): not square, not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.det.html

    Example:
        >>> import rustyflow as rf
        >>> rf.det(rf.tensor([[2., 0.], [0., 4.]]))
        tensor(8.)
    """
    torch_name, elementwise = "LinalgDetBackward0", False

    def grad_x(F, g, x): return F.unsqueeze(F.unsqueeze(g, -1), -1) * F.cofactor(x)

    def call(input):
        square("linalg.det", input)
        return apply(det.op, input)


@function(public=False, method=False)
def cofactor(x):
    """The gradient of the determinant, recorded: by the inverse, or by the minors where a matrix has none."""
    if (slogdet(x.detach()).sign == 0).any():
        places = range(x._a.shape[-1])
        others = x.new_tensor([[k for k in places if k != i] for i in places], dtype=int64)
        minors = x[..., others[:, None, :, None], others[:, :, None].mT]
        return det(minors) * x.new_tensor([[(-1) ** (i + j) for j in places] for i in places])
    return unsqueeze(unsqueeze(det(x), -1), -1) * inverse(x).mT


@op(public=False, method=False)
class sign_and_log:
    """sign = sign(det(x))        logabsdet = log(abs(det(x)))
    dx = g[..., None, None] * inverse(x).mT if rank else g * inverse(x).mT
    """
    torch_name, results = "LinalgSlogdetBackward0", ("sign", "logabsdet")
    def forward(F, x): return F.slogdet(x)

    def grad_x(F, g, x, sign):
        g, sign = [F.unsqueeze(F.unsqueeze(y, -1), -1) for y in (g[1], sign)]
        return g * F.inverse(F.where(sign == 0, float("nan"), x)).mT  # of a singular matrix NaN


@function
def slogdet(input):
    """(sign, logabsdet) of the determinant, which neither overflows nor underflows.

    Raises:
        ShapeError, DTypeError (RuntimeErrors): not square, not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html

    Example:
        >>> import rustyflow as rf
        >>> rf.slogdet(rf.eye(3)).sign
        tensor(1.)
    """
    square("linalg.slogdet", input)
    return pair("slogdet", "sign", "logabsdet")(*apply(sign_and_log.op, input))


@function
def logdet(input):
    """The logarithm of the determinant; NaN where it is negative.

    Source: https://pytorch.org/docs/stable/generated/torch.logdet.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logdet(rf.eye(3))
        tensor(0.)
    """
    from ..elementwise.selection import where
    sign, log = slogdet(input)
    return where(sign < 0, float("nan"), log)


@op(public=False, method=False)
class cholesky_factor:
    """y = cholesky(x, upper)
    dx = inverse(y) @ mirrored(y @ g.mT) @ inverse(y).mT / 2 if upper \
else inverse(y).mT @ mirrored(y.mT @ g) @ inverse(y) / 2
    """
    torch_name = "LinalgCholeskyExBackward0"
    def forward(F, x, *, upper): return F.cholesky(x, upper)

    def grad_x(F, g, y, *, upper):
        g, y = (g.mT, y.mT) if upper else (g, y)
        back, p = F.inverse(y), F.tril(y.mT @ g, 0)
        return back.mT @ ((p + F.tril(p, -1).mT) / 2) @ back


@function(public=False, method=False)
def cholesky(input, *, upper=False):
    """The lower triangle L with L @ L.mT = input, a symmetric positive-definite matrix; its transpose with upper=True.

    Raises:
        LinAlgError (a RuntimeError): the input is not positive-definite. ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.linalg.cholesky.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linalg.cholesky(rf.tensor([[4., 0.], [0., 9.]]))
        tensor([[2., 0.],
                [0., 3.]])
    """
    square("linalg.cholesky", input)
    return regular("linalg.cholesky", cholesky_factor.op, input, upper=upper)


def _cholesky(input, upper=False):
    """`linalg.cholesky` under its older name.

    Raises:
        LinAlgError (a RuntimeError): the input is not positive-definite. ShapeError, DTypeError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.cholesky.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cholesky(rf.tensor([[4., 0.], [0., 9.]]))
        tensor([[2., 0.],
                [0., 3.]])
    """
    return cholesky(input, upper=upper)


_cholesky.__name__ = _cholesky.__qualname__ = "cholesky"
expose("cholesky", _cholesky)

"""Lengths made 1, angles and distances between vectors."""
from __future__ import annotations

from math import prod

from ...arguments.numbers import number, numbers, whole
from ...dispatch import apply, function, need_float, need_tensors, op, renamed
from ...dtype import float16, promote_types
from ...errors import ArgumentValueError, DTypeError, ShapeError, align_right
from ...layout import broadcast_shapes, wrap_dim
from ...tensor import no_grad
from ..elementwise.arithmetic import add_number
from ..matrix.norm import need_floats, slope, vector_length, vector_norm
from ..matrix.vectors import sum_of_products
from ..views import view


@op
class dist:
    """y = sum(a != b) if p == 0 else amax(abs(a - b)) if p == inf else amin(abs(a - b)) if p == -inf \
else sum(abs(a - b) ** p) ** (1 / p)
    da = 0 if p == 0 else shared(g * sign(a - b), abs(a - b) == y) if p == inf or p == -inf \
else g * sign(a - b) * (abs(a - b) / y) ** (p - 1) if not y == 0 else 0
    db = -da

    The p-norm of the difference of two tensors that broadcast: a 0-d tensor.
    Raises: BroadcastError, DTypeError (RuntimeErrors): shapes that do not align, whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.dist.html

    Example:
        >>> import rustyflow as rf
        >>> rf.dist(rf.tensor([1., 2.]), rf.tensor([4., 6.]))
        tensor(5.)
    """
    def forward(F, a, b, *, p): return F.vector_norm(a - b, p, tuple(range(max(a.ndim, b.ndim))), False)
    def grad_a(F, g, a, b, y, *, p): return slope(F, g, a - b, y, p, None)
    def grad_b(F, g, a, b, y, *, p): return slope(F, g, b - a, y, p, None)

    def call(input, other, p=2):
        if "b" in (input._a.dtype.kind, other._a.dtype.kind):
            raise DTypeError(f"dist of {input.dtype!r} and {other.dtype!r}",
                             "Subtraction, the `-` operator, with a bool tensor is not supported", "x.float()")
        if "f" not in (input._a.dtype.kind, other._a.dtype.kind):
            raise DTypeError(f"dist of {input.dtype!r} and {other.dtype!r}",
                             "dist: Expected a floating point tensor as input", "x.float()")
        p = float(number("dist", "p", p))
        if (p < 0 or p == float("inf")) and 0 in broadcast_shapes(input._a.shape, other._a.shape):
            raise ShapeError(align_right(("input", input._a.shape), ("other", other._a.shape)),
                             f"linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation "
                             "does not have an identity", "tensors with cells")
        return apply(dist.op, input, other, p=p)


@function(public=False, method=False)
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """x divided by its length along dim, or by eps where that is larger; the length is the p-norm.

    Shapes: input of any shape; the result has the same.
    Raises:
        DimError (an IndexError): no such axis. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.normalize(rf.tensor([[3., 4.]]))
        tensor([[0.6000, 0.8000]])
    """
    if input._a.dtype.kind != "f":
        raise DTypeError(f"normalize of {input.dtype!r}",
                         "linalg.vector_norm: Expected a floating point tensor as input", "x.float()")
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


@function(method=False)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """sum(x1 * x2) / (length of x1 * length of x2) along dim, each length at least eps; shapes broadcast.

    Shapes: x1 and x2 broadcast to one shape; the result has it without dim.
    Raises:
        DimError (an IndexError): no such axis. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cosine_similarity(rf.tensor([1., 0.]), rf.tensor([1., 1.]), dim=0)
        tensor(0.7071)
    """
    shape = broadcast_shapes(x1._a.shape, x2._a.shape, names=("x1", "x2"))
    common = promote_types(x1.dtype, x2.dtype)
    whole("cosine_similarity", dim=dim)
    eps = number("cosine_similarity", "eps", eps)
    if not eps >= 0:
        raise ShapeError(f"cosine_similarity(eps={eps})", f"eps must be non-negative, got: {eps}",
                         "eps=1e-8, a little more than nothing")
    if "f" not in (x1._a.dtype.kind, x2._a.dtype.kind):
        raise DTypeError(f"cosine_similarity of {x1.dtype!r} and {x2.dtype!r}",
                         "expected common dtype to be floating point", "x.float()")
    dim = wrap_dim(dim, len(shape))
    a, b = [(x if x1._a.shape == x2._a.shape else x.expand(shape)).to(common) for x in (x1, x2)]
    lengths = [vector_norm(x, 2, dim, True).clone() for x in (a, b)]
    with no_grad():  # the gradient is that of the true length, also where eps takes its place
        for length in lengths:
            length.clamp_min_(eps)
    return sum_of_products(a / lengths[0], b / lengths[1], dim)


@function(method=False)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps along the last axis; shapes broadcast.

    Shapes: x1 and x2 (..., D), which broadcast; the result (...), with keepdim (..., 1).
    Raises:
        BroadcastError (a RuntimeError): shapes that do not align.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html

    Example:
        >>> import rustyflow as rf
        >>> rf.pairwise_distance(rf.tensor([[0., 0.]]), rf.tensor([[3., 4.]]))
        tensor([5.0000])
    """
    need_tensors("pairwise_distance", x1=x1, x2=x2)
    p, eps = numbers("pairwise_distance", p=p, eps=eps)
    apart = apply(add_number, x1 - x2, eps)
    need_floats("pairwise_distance", apart)
    dim = tuple(range(apart._a.ndim))[-1:]
    return apply(_norm_along, apart, p=float(p), dim=dim, keepdim=bool(keepdim), dtype=None)


_norm_along = renamed(vector_length.op, "NormBackward1")


@op(method=False)
class cdist:
    """y = sum(d != 0, -1) if p == 0 else amax(abs(d), -1) if p == inf else sum(abs(d) ** p, -1) ** (1 / p)
    da = 0 if p == 0 else sum(shared(g[..., None] * sign(d), abs(d) == y[..., None], -1) if p == inf \
else g[..., None] * sign(d) * abs(d / y[..., None]) ** (p - 1), -2 if rank > 2 else 1)
    db = 0 if p == 0 else -sum(shared(g[..., None] * sign(d), abs(d) == y[..., None], -1) if p == inf \
else g[..., None] * sign(d) * abs(d / y[..., None]) ** (p - 1), -3 if rank > 2 else 0) \
with d = a[..., None, :] - b[..., None, :, :] if rank > 2 else a[:, None] - b

    The distance of every row of a to every row of b, by the p-norm.
    Shapes: (..., P, M) and (..., R, M) to (..., P, R); the axes before broadcast.
    With p = 2 and more than 25 rows on either side the distances come of one matrix product: many times as fast, but
    of rows that are near each other few digits are right. compute_mode='donot_use_mm_for_euclid_dist' keeps to the
    differences themselves.
    Differs from PyTorch: for p = inf cells that are equally far apart share a gradient, and p = 0 has none.
    Raises:
        ShapeError (a RuntimeError): fewer than two axes, or rows of different lengths. DTypeError: whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.cdist.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cdist(rf.tensor([[0., 0.], [3., 0.]]), rf.tensor([[0., 4.]]))
        tensor([[4.],
                [5.]])
    """
    def forward(F, a, b, *, p):
        size = *broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-2]
        y = F.filled(size, 0, a.dtype)
        for first, rows, apart in _differences(F, a, b):
            F.write(F.narrow(y, y.ndim - 2, first, rows), F.vector_norm(apart, p, (apart.ndim - 1,), False))
        return y

    def vjp(F, g, a, b, y, *, p):
        das, db = [], 0
        for first, rows, apart in _differences(F, a, b):
            here = [F.unsqueeze(F.narrow(x, x.ndim - 2, first, rows), -1) for x in (g, y)]
            each = slope(F, here[0], apart, here[1], p, (apart.ndim - 1,))
            if each is None:
                return None, None
            das.append(F.sum(each, (apart.ndim - 2,)))
            db = db - F.sum(each, (apart.ndim - 3,))
        return F.cat(das, das[0].ndim - 2), db

    def call(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
        if compute_mode not in [*_LEAST]:
            raise ArgumentValueError(f"cdist(compute_mode={compute_mode!r:.60})",
                                     f"{str(compute_mode)[:40]!r} is not a valid value for compute_mode",
                                     f"one of {[*_LEAST]}")
        for name, x in (("X1", x1), ("X2", x2)):
            if x._a.dtype.kind != "f":
                raise DTypeError(f"cdist of {x1.dtype!r} and {x2.dtype!r}", "cdist only supports floating-point "
                                 f"dtypes, {name} got: {x.dtype.name}", "x.float()")
        a, b = x1._a.shape, x2._a.shape
        if 0 not in (*a, *b) and x1.dtype is not x2.dtype:
            need_float("cdist", x1, half=False)
            raise DTypeError(f"cdist of {x1.dtype!r} and {x2.dtype!r}",
                             f"expected scalar type {x1.dtype.name} but found {x2.dtype.name}", "x2.to(x1.dtype)")
        if min(len(a), len(b)) < 2 or a[-1] != b[-1]:
            raise ShapeError(align_right(("x1", a), ("x2", b)), "cdist needs two axes or more, and X1 and X2 must have "
                             "the same number of columns",
                             "rows of the same length: x.unsqueeze(0) makes a vector a row")
        p = number("cdist", "p", p)
        if not p >= 0:
            raise ShapeError(f"cdist(p={p})", "cdist only supports non-negative p values", "p=2")
        rows, cells = max(a[-2], b[-2]), a[-2] * b[-2] * a[-1]
        if p == 2 and cells and rows > _LEAST[compute_mode]:
            y = apply(euclidean.op, x1, x2) if x1.dtype is not float16 else apply(cdist.op, x1, x2, p=2.0)
            return view(y, y._a.shape)  # PyTorch makes one batch of all axes, and undoes it by a view
        if cells:
            need_float("cdist", x1, half=False)
        return apply(cdist.op, x1, x2, p=float(p) if cells else 1.0)  # rows without cells have no largest one


_LEAST = {"use_mm_for_euclid_dist_if_necessary": 25, "use_mm_for_euclid_dist": -1,
          "donot_use_mm_for_euclid_dist": float("inf")}
"""More rows than these make a product."""


@op(public=False, method=False)
class euclidean:
    """y = sqrt(sum(a * a, -1, True) + sum(b * b, -1, True).mT - 2 * (a @ b.mT))
    da = a * sum(r, -1, True) - r @ b with r = g / y if not y == 0 else 0
    db = b * sum(r, -2, True).mT - r.mT @ a with r = g / y if not y == 0 else 0

    Rows that are equal have no gradient.
    """
    torch_name, elementwise = "EuclideanDistBackward0", False
    def forward(F, a, b):
        y = F.matmul(a, b.mT)
        y *= -2
        y += F.sum(a * a, -1, True)
        y += F.sum(b * b, -1, True).mT
        F.over(lambda F, y: F.sqrt(F.clamp(y, 0, None)), F, y)
        return y

    def vjp(F, g, a, b, y):
        r = F.kept_where(y != 0, g / y)
        return a * F.sum(r, -1, True) - r @ b, b * F.sum(r, -2, True).mT - r.mT @ a


def _differences(F, a, b):
    """(first, rows, the differences of these rows of a to all of b), as many as the cache holds."""
    n = a.shape[-2]
    rows, b = max(_SOME // max(prod(b.shape), 1), 1), F.unsqueeze(b, -3)
    for k in range(0, max(n, 1), rows):
        part = F.narrow(a, a.ndim - 2, k, min(rows, n - k))
        yield k, part.shape[-2], F.unsqueeze(part, -2) - b


_SOME = 1 << 17
"""Differences that are there at a time."""

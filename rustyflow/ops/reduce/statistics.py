"""Variance, standard deviation and length."""
from __future__ import annotations

from ...arguments.kinds import is_int64
from ...arguments.numbers import no_tuple, number
from ...dispatch import apply, function, op
from ...errors import ArgumentTypeError, ShapeError, warn
from ..matrix.norm import matrix_norm, vector_norm
from .axes import float_axes, share, taken


def _spread():
    """The call of all four: dim may be left out before `unbiased`, which is the old name of correction=1."""
    def call(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        name = call.__name__
        if isinstance(dim, bool) and unbiased is None and not keepdim:
            dim, unbiased = None, dim
        if unbiased is not None and (not isinstance(unbiased, bool) or correction is not None):
            raise ArgumentTypeError(f"{name}(..., unbiased={unbiased!r})", f"{name}(): argument 'unbiased' must be "
                                    "bool, and correction says the same", "correction=1 alone")
        dims = float_axes(name, input, dim)
        correction = int(unbiased is not False) if correction is None else number(name, "correction", correction)
        if taken(input._a.shape, dims) <= correction:
            warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                 "factor (input numel divided by output numel): of so few cells there is no spread, and NaN or "
                 "inf comes out. correction=0 gives the cells' own.")
        return apply(call.op, input, dim=dims, keepdim=keepdim, correction=correction)
    return call


def _apart(F, x, dim, correction):
    """The derivative of the variance: 2 * (x - mean) / (n - correction); over all cells, without freedom, infinite."""
    free, centre = taken(x.shape, dim) - correction, F.mean(x, dim, True)
    if dim is None and free <= 0:
        return F.where(x == centre, float("nan"), float("inf"))
    return (x - centre) * (2 / free if free else float("inf"))


@op
class var:
    """y = sum((x - mean(x, dim)) ** 2, dim, keepdim) / (n - correction)
    dx = g * 2 * (x - mean(x, dim)) / (n - correction)

    Over one dim, several, or all; n is how many cells there are. correction=1 (the default) estimates a population's
    variance from a sample, correction=0 is the cells' own; `unbiased=False` says the latter too.
    Raises: DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.var.html

    Example:
        >>> import rustyflow as rf
        >>> rf.var(rf.tensor([1., 2., 3., 4.])), rf.var(rf.tensor([1., 2., 3., 4.]), correction=0)
        (tensor(1.6667), tensor(1.2500))
    """
    call = _spread()

    def grad_x(F, g, x, *, dim, keepdim, correction):
        return F.restore(g, dim, keepdim, x.ndim) * _apart(F, x, dim, correction)


@op
class std:
    """y = sqrt(var(x, dim, correction, keepdim))
    dx = g * (x - mean(x, dim)) / (n - correction) / y if not y == 0 else 0

    The square root of `var`, with its arguments.
    Raises: DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.std.html

    Example:
        >>> import rustyflow as rf
        >>> rf.std(rf.tensor([[1., 2.], [3., 7.]]), dim=1)
        tensor([0.7071, 2.8284])
    """
    call, kinks = _spread(), "where all cells are equal the gradient is 0"

    def grad_x(F, g, x, y, *, dim, keepdim, correction):
        scale = F.restore(F.where(y == 0, 0.0, g / (2 * y)), dim, keepdim, x.ndim)
        return scale * _apart(F, x, dim, correction)


@op(method=False)
class var_mean:
    """v = var(x, dim, correction, keepdim)        m = mean(x, dim, keepdim)
    dx = gv * 2 * (x - m) / (n - correction) + gm / n

    (var, mean), with `var`'s arguments.
    Differs from PyTorch: an infinity makes the mean what `mean` says, not NaN wherever it does not come last.
    Source: https://pytorch.org/docs/stable/generated/torch.var_mean.html

    Example:
        >>> import rustyflow as rf
        >>> rf.var_mean(rf.tensor([1., 2., 3.]))
        (tensor(1.), tensor(2.))
    """
    call, results, materialize = _spread(), ("v", "m"), False

    def forward(F, x, *, dim, keepdim, correction):
        return F.var(x, dim, keepdim, correction), F.mean(x, dim, keepdim)

    def grad_x(F, g, x, *, dim, keepdim, correction):
        return _both(F, g[0], g[1], x, dim, keepdim, correction)


@op(method=False)
class std_mean:
    """s = sqrt(var(x, dim, correction, keepdim))        m = mean(x, dim, keepdim)
    dx = (gs * (x - m) / (n - correction) / s if not s == 0 else 0) + gm / n

    (std, mean), with `std`'s arguments. The mean is `var_mean`'s.
    Source: https://pytorch.org/docs/stable/generated/torch.std_mean.html

    Example:
        >>> import rustyflow as rf
        >>> rf.std_mean(rf.tensor([1., 2., 3.]))
        (tensor(1.), tensor(2.))
    """
    call, results, materialize = _spread(), ("s", "m"), False
    kinks = "where all cells are equal the gradient of s is 0"

    def forward(F, x, *, dim, keepdim, correction):
        return F.std(x, dim, keepdim, correction), F.mean(x, dim, keepdim)

    def grad_x(F, g, x, s, *, dim, keepdim, correction):
        gv = g[0] if g[0] is None else F.where(s == 0, 0.0, g[0] / (2 * s))
        return _both(F, gv, g[1], x, dim, keepdim, correction)


def _both(F, gv, gm, x, dim, keepdim, correction):
    """Of the two gradients those that came: 0 times the other's slope would be NaN beside an infinite cell."""
    apart = None if gv is None else F.restore(gv, dim, keepdim, x.ndim) * _apart(F, x, dim, correction)
    if gm is None:
        return apart
    even = F.expand(F.restore(share(F, gm, taken(x.shape, dim)), dim, keepdim, x.ndim), x.shape)
    return even if apart is None else apart + even


@function
def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """The length of the tensor, taken as one vector over one dim, several, or all: sum(abs(x) ** p) ** (1 / p).

    p is a number, inf or -inf; "fro" is 2; "nuc" is the sum of a matrix's singular values.
    Raises: DTypeError (a RuntimeError): whole numbers. ShapeError (a RuntimeError): another word for p.
    Source: https://pytorch.org/docs/stable/generated/torch.norm.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([3., -4.])
        >>> x.norm(), x.norm(1), x.norm(float("inf"))
        (tensor(5.), tensor(7.), tensor(4.))
    """
    if dim.__class__ is int and not is_int64(dim):
        raise ArgumentTypeError(f"norm(dim={dim!r:.60})", "norm(): argument 'dim' must have at most 64 bits", "dim=1")
    if p == "fro" and getattr(dim, "ndim", 1) == 0:  # PyTorch takes the length of such a dim
        raise no_tuple("norm", "dim", dim, "dim=1, one of Python's ints, or dim=(0, 1)")
    if p is None or p == "fro":
        p = 2
    if p == "nuc":  # of a matrix; PyTorch's older names for the others are of vectors
        return matrix_norm(input, p, tuple(range(input._a.ndim)) if dim is None else dim, keepdim, dtype=dtype)
    if isinstance(p, str):
        raise ShapeError(f"norm(x, p={p!r})", f"linalg.matrix_norm: Order {p} not supported.", 'p=2, or "fro"')
    p = number("norm", "p", p)
    float_axes("norm", input, dim)
    return vector_norm(input, p, dim or None if isinstance(dim, (tuple, list)) else dim, keepdim, dtype=dtype)

"""Numbers between sorted cells, and the ways in which rows vary together."""
from __future__ import annotations

from ...arguments.numbers import number, whole
from ...dispatch import apply, function, pair
from ...dtype import int64
from ...errors import DTypeError, ShapeError, warn
from ...layout import wrap_dim
from ...tensor import Tensor
from ..creation import full
from ..elementwise.clamp import clamp
from ..elementwise.selection import where
from ..index.select import gather
from ..matrix.linalg import mm
from ..views import flatten, transpose, unsqueeze, view
from .axes import need_cells
from .extrema import nanmedian_all, nanmedian_dim
from .order import in_order

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _ranks(name, input, q, interpolation):
    """The fractions asked for, checked, as a tensor.

    Raises:
        DTypeError, ShapeError (RuntimeErrors).
    """
    q = q if isinstance(q, Tensor) else number(name, "q", q)
    if input._a.dtype.name not in ("float32", "float64"):
        raise DTypeError(f"{name} of {input.dtype!r}", f"{name}() input tensor must be either float or double dtype",
                         "x.float()")
    if not input._a.size:
        raise ShapeError(f"{name} of shape {tuple(input.shape)}", f"{name}() input tensor must be non-empty",
                         "the answer is not defined for no cells")
    if interpolation not in INTERPOLATIONS:
        raise ShapeError(f"{name}(interpolation={interpolation!r})",
                         f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                         f"{interpolation}", "interpolation='linear'")
    if not isinstance(q, Tensor):
        q = full((), q, dtype=input.dtype)
    if q.dtype is not input.dtype:
        raise DTypeError(f"input of {input.dtype!r}, q of {q.dtype!r}",
                         f"{name}() q tensor must be same dtype as the input tensor", f"q.to({input.dtype!r})")
    if q._a.ndim > 1 or not ((q._a >= 0) & (q._a <= 1)).all():
        raise ShapeError(f"{name}(q={q.tolist()})", f"{name}() q must be a scalar or 1D tensor, in the range [0, 1]",
                         "q=0.5, or rustyflow.tensor([0.25, 0.75])")
    return q


def _between(name, input, q, dim, keepdim, interpolation, places, alike):
    """The values at some ranks of the sorted cells; `places` gives the ranks for the rows and the fractions.

    If the ranks are `alike` in all rows without NaN, only these ranks are put in order.
    """
    q = _ranks(name, input, q, interpolation)
    rank, shape = input._a.ndim, input._a.shape
    at = None if dim is None else wrap_dim(dim, rank)
    if at is None:
        rows, kept = flatten(input), (1,) * rank if keepdim else ()
    else:
        rows = input if at == rank - 1 else transpose(unsqueeze(input, -1), at, -1)
        kept = (*shape[:at], *(1,) * keepdim, *shape[at + 1:]) if rank else ()
    values = in_order(rows, -1, _needed(q, rows._a.shape[-1] - 1) if alike else None)
    values = view(values, (*kept, values._a.shape[-1]))
    ranks = places(values, q.reshape((-1,)))
    ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}.get(interpolation, lambda: ranks)()
    below = ranks.long()
    out = gather(values, -1, below)
    if interpolation in ("linear", "midpoint"):
        weight = ranks - below if interpolation == "linear" else full((), 0.5, dtype=input.dtype).expand_as(out)
        out = out.lerp_(gather(values, -1, ranks.ceil().long()), weight)
    return out.unsqueeze_(0).transpose_(0, -1).squeeze_(-1) if q._a.ndim else out.squeeze_(-1)


def _needed(q, last):
    """The ranks that some fractions fall on or between, and the last one, where a NaN would be."""
    ranks = (q * last).reshape((-1,))
    return sorted({last, *ranks.floor().long().tolist(), *ranks.ceil().long().tolist()})


@function
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The value below which a fraction q of the cells lies, along dim or of all: 0.5 is the middle.

    NaN where there is one.
    Shapes: with a vector of q's they come first. Between two cells `interpolation` is 'linear', 'lower', 'higher',
    'midpoint' or 'nearest'.
    Raises:
        DTypeError, ShapeError (RuntimeErrors): not float32 or float64, no cells, a q outside [0, 1].
    Source: https://pytorch.org/docs/stable/generated/torch.quantile.html

    Example:
        >>> import rustyflow as rf
        >>> rf.quantile(rf.tensor([1., 2., 3., 10.]), rf.tensor([0., 0.5, 0.9]))
        tensor([1.0000, 2.5000, 7.9000])
    """
    def places(rows, q):
        last = rows._a.shape[-1] - 1  # where NaN is sorted to
        return where(rows.detach().isnan().any(-1, True), float(last), q * last)

    return _between("quantile", input, q, dim, keepdim, interpolation, places, True)


@function
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """`quantile` of the cells that are not NaN; NaN where there are none.

    Raises:
        DTypeError, ShapeError (RuntimeErrors): as `quantile`.
    Source: https://pytorch.org/docs/stable/generated/torch.nanquantile.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nanquantile(rf.tensor([1., float("nan"), 3.]), 0.5)
        tensor(2.)
    """
    def places(rows, q):
        return q * clamp((~rows.detach().isnan()).sum(-1, True) - 1, min=0)

    return _between("nanquantile", input, q, dim, keepdim, interpolation, places, False)


@function
def nanmedian(input, dim=None, keepdim=False):
    """`median` of the cells that are not NaN; NaN where there are none. With dim: (values, indices).

    Raises:
        DimError (an IndexError): no such axis, or one of no cells.
    Source: https://pytorch.org/docs/stable/generated/torch.nanmedian.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nanmedian(rf.tensor([5., float("nan"), 1., 3.]))
        tensor(3.)
    """
    if dim is None:
        return nanmedian_all(input)
    dim = wrap_dim(dim, input._a.ndim)
    need_cells("nanmedian", input, dim)
    return pair("nanmedian", "values", "indices")(*apply(nanmedian_dim.op, input, dim=dim, keepdim=keepdim))


@function
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The matrix of covariances: variables (rows) vary together over observations (columns).

    Each observation counts `fweights` times (whole numbers) and weighs `aweights`.
    Raises:
        ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.cov.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cov(rf.tensor([[0., 2.], [1., 1.], [2., 0.]]).t())
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    if input._a.ndim > 2:
        raise ShapeError(f"shape {tuple(input.shape)}", "cov(): expected input to have two or fewer dimensions but got "
                         f"an input with {input._a.ndim} dimensions", "variables as rows, observations as columns")
    if input._a.dtype.kind == "b":
        raise DTypeError("cov of bools", "cov(): bool dtype is not supported for input", "x.float()")
    x = input.view((1, input._a.size)) if input._a.ndim < 2 else input
    weights = None
    for name, given, kinds, wanted, cast in (("fweights", fweights, "iu", "integral", "long"),
                                             ("aweights", aweights, "f", "floating point", "float")):
        if given is not None:
            if given._a.ndim > 1 or given._a.size != x._a.shape[1]:
                raise ShapeError(f"weights of shape {tuple(given.shape)} for {x._a.shape[1]} observations",
                                 "cov(): expected one weight per observation", "a vector with a weight per column")
            if given._a.dtype.kind not in kinds:
                raise DTypeError(f"{name} of {given.dtype!r}", f"cov(): expected {name} to have {wanted} dtype but got "
                                 f"{name} with {given.dtype.name} dtype", f"{name}.{cast}()")
            if (given._a < 0).any():
                raise ShapeError(f"{name} with {given._a.min()}", f"cov(): {name} cannot be negative",
                                 f"{name}.clamp(min=0), or without those columns")
            weights = given if weights is None else weights * given
    total = full((), x._a.shape[1], dtype=int64) if weights is None else weights.sum()
    centre = (x.sum(1) if weights is None else (x * weights).sum(1)) / total
    correction, = whole("cov", correction=correction)
    free = total - correction
    if aweights is not None and correction:
        free = total - correction * ((weights * aweights).sum() / total)
    if free <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
    x = x - centre.unsqueeze(1)
    turned = x.t() if weights is None else (x * weights).t()
    return (mm(x, turned) / clamp(free, min=0)).squeeze()


@function
def corrcoef(input):
    """`cov` in units of each variable's own spread: from -1 to 1, 1 on the diagonal.

    Raises:
        ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.corrcoef.html

    Example:
        >>> import rustyflow as rf
        >>> rf.corrcoef(rf.tensor([[0., 1., 2.], [2., 1., 0.]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    c = cov(input)
    if not c._a.ndim:
        return c / c
    spread = c.diagonal().sqrt()
    return clamp(c / spread.view(-1, 1) / spread.view(1, -1), -1, 1)

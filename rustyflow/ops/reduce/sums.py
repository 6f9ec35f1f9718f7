"""Reductions: an axis, several, or all of them disappear (or stay as 1 with keepdim).

Extrema, statistics and norms have files of their own.
"""
from __future__ import annotations

from functools import partial

from ...arguments.numbers import no_tuple
from ...dispatch import apply, function, op, recording, renamed
from ...dtype import as_dtype, float32
from ...errors import ShapeError
from ...layout import wrap_dim
from .axes import adding_dtype, axes, float_axes, share, taken
from .products import products_without


@op
class sum:
    """y = sum(x, dim, keepdim)        dx = along(g, dim)

    Over one dim, several, or (without dim) all. Whole numbers and bools are added in int64, unless `dtype` says
    otherwise.
    Shapes: those of x without dim, or with 1 in its place. The sum of nothing is 0.
    Raises: DimError (an IndexError): no such axis. ShapeError (a RuntimeError): an axis named twice.
    Source: https://pytorch.org/docs/stable/generated/torch.sum.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x.sum(), x.sum(0), x.sum(1, keepdim=True)
        (tensor(21), tensor([5, 7, 9]), tensor([[ 6],
                [15]]))
    """
    def grad_x(F, g, shape, *, dim, keepdim, dtype): return F.expand(F.restore(g, dim, keepdim, len(shape)), shape)

    def call(input, dim=None, keepdim=False, *, dtype=None):
        return apply(sum.op if dim is None and not keepdim else sum_dim, input, dim=axes(input, dim),
                     keepdim=keepdim, dtype=adding_dtype(input, dtype))


@op
class mean:
    """y = sum(x, dim, keepdim) / n        dx = along(g / n, dim)

    Over one dim, several, or (without dim) all; n is how many cells are added. The mean of nothing is NaN.
    Raises: DTypeError (a RuntimeError): whole numbers; give `dtype` or convert first.
    Source: https://pytorch.org/docs/stable/generated/torch.mean.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1., 2.], [3., 8.]]).mean(dim=1)
        tensor([1.5000, 5.5000])
    """
    def forward(F, x, *, dim, keepdim, dtype): return F.mean(x if dtype is None else F.cast(x, dtype), dim, keepdim)

    def grad_x(F, g, shape, *, dim, keepdim, dtype):
        return F.expand(F.restore(share(F, g, taken(shape, dim)), dim, keepdim, len(shape)), shape)

    def call(input, dim=None, keepdim=False, *, dtype=None):
        dims = float_axes("mean", input, dim, dtype)
        return apply(mean.op if dim is None and not keepdim else mean_dim, input, dim=dims, keepdim=keepdim,
                     dtype=None if dtype is None else as_dtype(dtype).numpy)


@op
class prod:
    """y = prod(x, dim, keepdim)        dx = g * others(x, dim)

    Over one dim or (without dim) all. Whole numbers and bools are multiplied in int64, unless `dtype` says otherwise.
    The gradient is right where cells are 0.
    Source: https://pytorch.org/docs/stable/generated/torch.prod.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([2., 0., 5.], requires_grad=True)
        >>> x.prod().backward(); x.grad
        tensor([ 0., 10.,  0.])
    """
    def grad_x(F, g, x, y, shape, *, dim, keepdim, dtype):
        g, y = [F.restore(t, dim, keepdim, len(shape)) for t in (g, y)]
        if bool((x != 0).all()):
            return F.cellwise(lambda F, x, y, g: g * (y / x), F, x, y, g)
        if dim is None and F is not recording and bool((x == 0).sum() > 1):
            return F.zeros_like(x)  # one of two zeros is always left
        line = F.reshape(x, (-1,)) if dim is None or not shape else x
        return g * F.reshape(products_without(F, line, dim or 0), shape)

    def call(input, dim=None, keepdim=False, *, dtype=None):
        how = {"dim": None if dim is None else wrap_dim(dim, input._a.ndim), "keepdim": keepdim,
               "dtype": adding_dtype(input, dtype)}
        return apply(prod.op if dim is None else prod_dim, input, **how)


sum_dim, mean_dim = renamed(sum.op, "SumBackward1"), renamed(mean.op, "MeanBackward1")
prod_dim = renamed(prod.op, "ProdBackward1")


def _truth(name, text, results):
    doc = f"""y = {name}(x, dim, keepdim)

    {text} Over one dim, several, or all; bools, but uint8 for uint8.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([[True, False], [True, True]])
        >>> x.{name}(), x.{name}(dim=1)
        {results}
    """
    def forward(F, x, *, dim, keepdim):
        return getattr(F, name)(x, dim, keepdim)

    def call(input, dim=None, keepdim=False):
        if isinstance(dim, (tuple, list)):
            dims = axes(input, dim) or ()  # no dim at all: every cell for itself, as in PyTorch
        else:
            dims = None if dim is None else axes(input, wrap_dim(dim, input._a.ndim))
        return apply(made.op, input, dim=dims, keepdim=keepdim)
    made = op(type(name, (), {"__doc__": doc, "forward": forward, "call": call, "__module__": __name__}))
    return made


any = _truth("any", "Whether some cell is not 0.", "(tensor(True), tensor([True, True]))")
all = _truth("all", "Whether no cell is 0.", "(tensor(False), tensor([False,  True]))")


@op
class count_nonzero:
    """y = count_nonzero(x, dim)

    How many cells are not 0, over one dim, several, or all: int64.
    Source: https://pytorch.org/docs/stable/generated/torch.count_nonzero.html

    Example:
        >>> import rustyflow as rf
        >>> rf.count_nonzero(rf.tensor([[0, 1], [2, 3]]), dim=0)
        tensor([1, 2])
    """
    def forward(F, x, *, dim): return F.in_order(F.asarray(F.count_nonzero(x, dim)))

    def call(input, dim=None):
        return apply(count_nonzero.op, input, dim=axes(input, dim))


@op
class logsumexp:
    """y = log(sum(exp(x), dim, keepdim))        dx = g * exp(x - y)

    Over one dim or several. Integers become floats; the result for nothing is -inf. Worked out as
    y = m + log(sum(exp(x - m), dim, True)) with t = amax(x, dim, True), m = 0 if isinf(t) else t, so that exp cannot
    overflow.
    Source: https://pytorch.org/docs/stable/generated/torch.logsumexp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logsumexp(rf.tensor([[11., 11.], [1., 1.]]), dim=1)
        tensor([11.6931,  1.6931])
    """
    promote = "float"

    def grad_x(F, g, x, y, *, dim, keepdim):
        return F.restore(g, dim, keepdim, x.ndim) * F.exp(x - F.restore(y, dim, keepdim, x.ndim))

    def call(input, dim, keepdim=False):
        if dim is None:
            raise no_tuple("logsumexp", "dim", None, "dim=0")
        if isinstance(dim, (tuple, list)) and not dim and input._a.ndim and input._a.size and not keepdim:
            raise ShapeError(f"logsumexp(dim={dim!r})", "logsumexp goes over the dims that are named",
                             f"dim={tuple(range(input._a.ndim))} for all of them")
        return apply(logsumexp.op, input, dim=axes(input, dim), keepdim=keepdim)


@op
class nansum:
    """y = sum(where(x == x, x, 0), dim, keepdim)        dx = g * (x == x)

    The sum, with NaN counted as 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nansum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nansum(rf.tensor([1., float("nan"), 2.]))
        tensor(3.)
    """

    def forward(F, x, *, dim, keepdim, dtype):
        y = F.sum(x, dim, keepdim, dtype)
        if F.all(y == y):  # no sum is NaN, so no cell was
            return y
        add_up = partial(F.sum, dtype=dtype)
        return F.add_up_of(lambda part: F.where(part == part, part, 0), x, dim, keepdim, reduce=add_up)

    def grad_x(F, g, x, *, dim, keepdim, dtype): return F.restore(g, dim, keepdim, x.ndim) * (x == x)

    def call(input, dim=None, keepdim=False, *, dtype=None):
        return apply(nansum.op, input, dim=axes(input, dim), keepdim=keepdim, dtype=adding_dtype(input, dtype))


@function
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """mean of the cells that are not NaN.

    Raises:
        DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nanmean.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nanmean(rf.tensor([1., float("nan"), 2.]))
        tensor(1.5000)
    """
    for d in (None, dtype):  # that of the input, and that of the mean
        float_axes("nanmean", input, dim, d)
    total, count = nansum(input, dim, keepdim, dtype=dtype), sum(input == input, dim, keepdim)
    if total._a.itemsize == 2:  # in which more than 65,504 cells would be infinitely many
        return (total.to(float32) / count).to(total.dtype)
    return total / count

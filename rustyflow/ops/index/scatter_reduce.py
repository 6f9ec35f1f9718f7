"""Scatter that joins: the sum, product, mean, largest or smallest of all that an index sends to a cell."""
from __future__ import annotations

from ...backends import backend
from ...dispatch import attach, function, need_tensors, op, writes
from ...errors import ShapeError, UnsupportedDTypeError
from .scatter import places, whole_gradient

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@op(public=False, method=False)
class scatter_reduced:
    """y = scatter_reduce(x, dim, index, src, reduce, include_self)
    dx = share_of_cells(g, x, dim, index, src, reduce, include_self)
    dsrc = share_of_sent(g, x, dim, index, src, reduce, include_self)
    """
    torch_name, promote, shown = "ScatterReduceBackward0", None, [0, 2]
    kinks = "cells that tie for the largest or smallest share the gradient"
    def forward(F, x, index, src, *, dim, reduce, include_self):
        return F.scatter_reduce(F.dense(x), dim, index, src, reduce, include_self)

    def vjp(F, g, x, index, src, y, *, dim, reduce, include_self):
        dx, dsrc = _SLOPES[reduce](F, g, x, index, src, y, dim, include_self)
        return dx if include_self else F.scatter_clear(dx, dim, index), None, whole_gradient(dsrc, src.shape)


def _cut(F, src, index):
    """The part of src that index covers."""
    for d, n in enumerate(index.shape):
        src = F.narrow(src, d, 0, n)
    return src


def _of_sum(F, g, x, index, src, y, dim, include_self):
    return g, F.gather(g, dim, index)


def _of_mean(F, g, x, index, src, y, dim, include_self):
    ones = F.type_as(index == index, g)
    counts = F.scatter_add_zeros(ones, x.shape, dim, index) + int(include_self)
    g = g / F.where(counts == 0, F.type_as(counts == 0, g), counts)
    return g, F.gather(g, dim, index)


def _of_extreme(F, g, x, index, src, y, dim, include_self):
    """Equal parts for all that have the largest or smallest number."""
    own = F.type_as(x == y, g)
    sent = F.type_as(_cut(F, src, index) == F.gather(y, dim, index), g)
    many = F.scatter_add_zeros(sent, x.shape, dim, index) + (own if include_self else F.scatter_clear(own, dim, index))
    g = F.where(many == 0, F.type_as(many == 0, g) * 0, g / many)
    return own * g, sent * F.gather(g, dim, index)


def _of_product(F, g, x, index, src, y, dim, include_self):
    """The product of all others: where just one factor is 0, it is the product without that one."""
    src = _cut(F, src, index)
    zeros = F.type_as(src == 0, g)
    before = F.type_as(x == 0, g) if include_self else F.type_as(x != x, g)
    sent = F.scatter_add_zeros(zeros, x.shape, dim, index)
    others = F.gather(sent + before, dim, index) - zeros
    # with 1 for every 0 the product is that of the rest, into memory that the second `where` makes
    own, src = F.where(x == 0, 1.0, x), F.where(src == 0, 1.0, src)
    rest = F.scatter_reduce(F.where(x == 0, 1.0, x), dim, index, src, "prod", include_self=include_self)
    dx = F.where(sent == 0, g * rest / own, g * 0)
    there = F.gather(g * rest, dim, index) / src
    return dx, F.where(others == 0, there, there * 0)


_SLOPES = {"sum": _of_sum, "mean": _of_mean, "amax": _of_extreme, "amin": _of_extreme, "prod": _of_product}


@function
@writes
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """A copy in which all src[i, j] are joined that index sends to one cell along dim.

    The cell is y[index[i, j], j].

    reduce is 'sum', 'prod', 'mean', 'amax' or 'amin'; with include_self the cell's own number counts as well.
    Differs from PyTorch: the gradient of 'amax' and 'amin' is shared by those alone that took part.
    Shapes: index may be smaller than x (except along dim) and than src.
    Raises:
        ShapeError, OutsideAxis, DTypeError (RuntimeErrors): an unknown reduce, an index too large or out of range,
        another dtype. UnsupportedDTypeError (a NotImplementedError): the mean of bools.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(3).scatter_reduce(0, rf.tensor([0, 0, 2]), rf.tensor([4., 6., 2.]), "mean", include_self=False)
        tensor([5., 1., 2.])
    """
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)  # which PyTorch understands as well
    if reduce not in REDUCTIONS:
        raise ShapeError(f"scatter_reduce(reduce={reduce!r:.60})",
                         f"reduce argument must be either sum, prod, mean, amax or amin, got {str(reduce)[:60]}",
                         "reduce='sum'")
    need_tensors("scatter_reduce", src=src)
    dim, index = places("scatter_reduce", input, dim, index, src)
    if reduce == "mean" and input._a.dtype.kind == "b":
        raise UnsupportedDTypeError("scatter_reduce(reduce='mean') of bools", "bools have no mean", "x.float()")
    attrs = {"dim": dim, "reduce": reduce, "include_self": include_self}
    return (scatter_reduced.op, (index, src), attrs,
            lambda a: backend.scatter_reduce(a, dim, index._a, src._a, reduce, include_self))


attach(scatter_reduce)

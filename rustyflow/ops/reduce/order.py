"""Sorting, and what is picked by rank. NaN counts as the largest number; equal cells keep their order."""
from __future__ import annotations

from ...arguments.numbers import whole
from ...dispatch import apply, function, is_recorded, op, pair, renamed
from ...errors import DimError, DTypeError, ShapeError, UnsupportedDTypeError, wrong_type
from ...layout import reduced_shape, wrap_dim
from .axes import need_cells
from .extrema import picked


def _back(F, g, shape, indices, *, dim, **how):
    return F.scatter_add_zeros(g[0], shape, dim, indices)


@op(public=False, method=False)
class sort_along:
    """values, indices = in_order(x, dim, descending)        dx = at_indices(g, indices, dim, x.shape)"""
    torch_name, results = "SortBackward0", ("values", "indices")
    def forward(F, x, *, dim, descending): return F.sort_along(x, dim, descending)
    grad_x = _back


@op(public=False, method=False)
class sorted_values:
    """y = rising(x, dim)"""
    called = "msort(input)"
    def forward(F, x, *, dim, ranks): return F.sorted_values(x, dim, ranks)


def in_order(x, dim, ranks=None):
    """The values alone; perhaps only those of some ranks in their places."""
    return sort(x, dim).values if is_recorded(x) else apply(sorted_values.op, x, dim=dim, ranks=ranks)


_sort_stable = renamed(sort_along.op, "SortBackward1")


@op(public=False, method=False)
class top_along:
    """values, indices = top(x, k, dim, largest)        dx = at_indices(g, indices, dim, x.shape)"""
    torch_name, results = "TopkBackward0", ("values", "indices")
    def forward(F, x, *, dim, k, largest): return F.top_along(x, dim, k, largest)
    grad_x = _back


@op(public=False, method=False)
class kth_along:
    """values, indices = kth_smallest(x, k, dim)        dx = at_indices(g, indices, dim, x.shape)"""
    torch_name, results = "KthvalueBackward0", ("values", "indices")

    def forward(F, x, *, dim, k, keepdim): return F.kth_dim(x, dim, keepdim, k - 1)
    def grad_x(F, g, shape, indices, *, dim, k, keepdim):
        return picked(F, g[0], shape, indices, dim, keepdim)


@function
def sort(input, dim=-1, descending=False, *, stable=None):
    """(values, indices) in order along dim. Always stable: equal cells keep their order.

    Raises:
        DimError (an IndexError): no such dim.
    Source: https://pytorch.org/docs/stable/generated/torch.sort.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3, 1, 2]).sort().indices
        tensor([1, 2, 0])
    """
    if stable is not None and not isinstance(stable, bool):
        raise wrong_type("sort", "stable", stable, "bool", "True or False")
    it = sort_along.op if stable is None else _sort_stable
    return pair("sort", "values", "indices")(*apply(it, input, dim=wrap_dim(dim, input._a.ndim), descending=descending))


@function
def argsort(input, dim=-1, descending=False, *, stable=False):
    """The places that the cells in order along dim come from: the indices of `sort`.

    Source: https://pytorch.org/docs/stable/generated/torch.argsort.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3, 1, 2]).argsort(descending=True)
        tensor([0, 2, 1])
    """
    return sort(input, dim=dim, descending=descending, stable=stable).indices


@function
def msort(input):
    """The values in order along dim 0.

    Source: https://pytorch.org/docs/stable/generated/torch.msort.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3, 1, 2]).msort()
        tensor([1, 2, 3])
    """
    return in_order(input, 0)


@function
def topk(input, k, dim=-1, largest=True, sorted=True):
    """(values, indices) of the k largest along dim, largest first; of the k smallest with largest=False.

    Which of several equal cells are taken is left open, as in PyTorch.
    Raises:
        ShapeError (a RuntimeError): k below 0 or larger than the axis.
    Source: https://pytorch.org/docs/stable/generated/torch.topk.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3., 1., 2.]).topk(2).values
        tensor([3., 2.])
    """
    k, = whole("topk", k=k)
    dim = wrap_dim(dim, input._a.ndim)
    n = input._a.shape[dim] if input._a.ndim else 1
    if not 0 <= k <= n:
        raise ShapeError(f"topk({k}) on dim {dim} of shape {tuple(input.shape)}", "selected index k out of range",
                         f"k from 0 to {n}")
    if input._a.dtype.kind == "b":
        raise DTypeError("topk of bools", "topk does not support bool dtypes", "x.int()")
    k = k if input._a.ndim else 1  # a 0-d tensor is its own only cell, even of k = 0, as in PyTorch
    return pair("topk", "values", "indices")(*apply(top_along.op, input, dim=dim, k=k, largest=bool(largest)))


@function
def kthvalue(input, k, dim=-1, keepdim=False):
    """(values, indices) of the k-th smallest along dim, counted from 1.

    Raises:
        ShapeError (a RuntimeError): k below 1 or larger than the axis. DimError (an IndexError): an axis of no cells.
    Source: https://pytorch.org/docs/stable/generated/torch.kthvalue.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3., 1., 2.]).kthvalue(2).values
        tensor(2.)
    """
    k, = whole("kthvalue", k=k)
    dim = wrap_dim(dim, input._a.ndim)
    need_cells("kthvalue", input, dim)
    if input._a.dtype.kind == "b":
        raise UnsupportedDTypeError("kthvalue of bools", "kthvalue is not implemented for bools", "x.int()")
    n = input._a.shape[dim] if input._a.ndim else 1
    if not 1 <= k <= n:
        raise ShapeError(f"kthvalue({k}) on dim {dim} of shape {tuple(input.shape)}",
                         f"kthvalue(): selected number k out of range for dimension {dim}", f"k from 1 to {n}")
    return pair("kthvalue", "values", "indices")(*apply(kth_along.op, input, dim=dim, k=k, keepdim=bool(keepdim)))


@op(public=False, method=False)
class mode_along:
    """values, indices = most_frequent(x, dim)
    dx = at_indices(g, indices, dim, x.shape)"""
    torch_name, results = "ModeBackward0", ("values", "indices")

    def forward(F, x, *, dim, keepdim):
        values, order = F.sort_along(x, dim, False)
        best = F.longest_run(values, dim)
        at = F.gather(order, dim, best)
        y = F.gather(x, dim, at)
        shape = reduced_shape(x.shape, {dim}, keepdim)
        return F.reshape(y, shape), F.reshape(at, shape)

    def grad_x(F, g, shape, indices, *, dim, keepdim):
        return picked(F, g[0], shape, indices, dim, keepdim)


@function
def mode(input, dim=-1, keepdim=False):
    """(values, indices): the most frequent cell along dim, of equally frequent ones the smallest, and where it is last.

    NaN is equal to nothing, itself neither. The gradient goes to the cell at `indices`.
    Raises:
        DimError (an IndexError): no such dim, or one of no cells.
    Source: https://pytorch.org/docs/stable/generated/torch.mode.html

    Example:
        >>> import rustyflow as rf
        >>> rf.mode(rf.tensor([3, 1, 2, 1]))
        rustyflow.return_types.mode(
        values=tensor(1),
        indices=tensor(3))
    """
    dim = wrap_dim(dim, input._a.ndim)
    need_cells("mode", input, dim, DimError)
    if not input._a.ndim:
        return mode(input.reshape((1,)), 0)
    return pair("mode", "values", "indices")(*apply(mode_along.op, input, dim=dim, keepdim=keepdim))

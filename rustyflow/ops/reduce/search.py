"""Searching and counting: sorted boundaries, distinct values, histograms of whole numbers. None of them has a
gradient.
"""
from __future__ import annotations

from ...arguments.kinds import has_no_axes
from ...arguments.numbers import number, whole
from ...backends import backend
from ...dispatch import apply, function, not_a_tensor, op, renamed
from ...dtype import common_dtype
from ...errors import (
    DerivativeError,
    DTypeError,
    ShapeError,
    UnsupportedDTypeError,
    align_right,
    no_derivative,
    wrong_type,
)
from ...tensor import Tensor, wrap
from ..index.index_check import axis_of
from ..index.select import gather
from ..views import view


@function(method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """The places where values would be inserted to keep the order: before equal ones.

    After them with right=True (or side='right'). `sorter`, of the boundaries' shape, says in which order they are
    sorted, as argsort does.

    Shapes: a vector of boundaries serves all values; otherwise the axes before the last agree.
    Raises:
        ShapeError (a RuntimeError): shapes that do not, an unknown side, or one that contradicts `right`; a sorter of
        another shape or dtype, or one that points outside.
    Source: https://pytorch.org/docs/stable/generated/torch.searchsorted.html

    Example:
        >>> import rustyflow as rf
        >>> rf.searchsorted(rf.tensor([1, 3, 5]), rf.tensor([3, 6]))
        tensor([1, 3])
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        wrong = f"side can only be 'left' or 'right' but got {side}"
        if side == "left":
            wrong = f"side and right can't be set to opposites, got side of {side} while right was {right}"
        raise ShapeError(f"side={side!r}, right={right}",
                         f"torch.searchsorted(): {wrong}",
                         "side='right', or right=True")
    boundaries = sorted_sequence._a if sorter is None else _ordered(sorted_sequence, sorter)
    if not isinstance(input, Tensor):
        input = number("searchsorted", "input", input)
        input = wrap(backend.from_data(input, common_dtype(input).numpy if isinstance(input, int) else "float64"))
    values = input._a
    if not boundaries.ndim or (boundaries.ndim > 1 and boundaries.shape[:-1] != values.shape[:-1]):
        raise ShapeError(align_right(("boundaries", boundaries.shape), ("input", values.shape)),
                         "torch.searchsorted(): boundaries tensor should be 1 dimension or the "
                         "first N-1 dimensions of boundaries tensor and input value tensor must match",
                         "a vector of boundaries")
    if boundaries.dtype == values.dtype == "bool" and values.size:
        raise UnsupportedDTypeError(f"boundaries of {sorted_sequence.dtype!r}",
                                    "\"searchsorted_out_cpu\" not implemented for 'Bool'", "x.int()")
    if not values.size:
        return wrap(backend.filled(values.shape, 0, "int32" if out_int32 else "int64"))
    found = backend.asarray(backend.search(boundaries, values, right or side == "right"))
    return wrap(backend.cast(found, "int32") if out_int32 else found)


def _ordered(boundaries, sorter):
    """The boundaries in the order their sorter gives."""
    if sorter._a.shape != boundaries._a.shape or sorter._a.dtype != "int64":
        raise ShapeError(align_right(("boundaries", boundaries._a.shape), ("sorter", sorter._a.shape)),
                         "torch.searchsorted(): boundary and sorter must have the same size, and sorter is of int64, "
                         f"not {sorter.dtype!r}", "sorter=boundaries.argsort()")
    return gather(boundaries.detach(), -1, sorter)._a


@function(method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False):
    """`searchsorted` with the values first: in which interval between sorted boundaries each value lies.

    Source: https://pytorch.org/docs/stable/generated/torch.bucketize.html

    Example:
        >>> import rustyflow as rf
        >>> rf.bucketize(rf.tensor([0.5, 2.5]), rf.tensor([1., 2., 3.]))
        tensor([0, 2])
    """
    if boundaries._a.ndim != 1:
        raise ShapeError(f"boundaries of shape {tuple(boundaries.shape)}", "boundaries tensor must be 1 dimension",
                         "boundaries.flatten()")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@op(public=False, method=False)
class distinct:
    """values, inverse, counts = distinct(x, dim, runs)

    The last two where they are wanted.
    """
    torch_name, results = "Unique2Backward0", ("values", "inverse", "counts")
    def forward(F, x, *, dim, runs, **wanted): return (F.distinct_runs if runs else F.distinct)(x, dim, **wanted)
    def grad_x(F, g, **how): raise no_derivative("unique", "x[index] with an index of your own", DerivativeError)


_along, _runs = renamed(distinct.op, "UniqueDimBackward0"), renamed(distinct.op, "UniqueConsecutiveBackward0")


def _different(input, dim, return_inverse, return_counts, runs):
    it = _runs if runs else distinct.op if dim is None else _along
    found = apply(it, input, dim=dim, runs=runs, inverse=bool(return_inverse), counts=bool(return_counts))
    return found if len(found) > 1 else found[0]


@function
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different values, in order.

    On request which of them each cell is, and how often each occurs. With dim, of whole slices.

    Source: https://pytorch.org/docs/stable/generated/torch.unique.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([3, 1, 3]).unique(return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    axis = _axis("unique", dim, input)
    return _different(input, axis, return_inverse, return_counts, runs=False)


@function
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Runs of equal neighbours shortened to one cell.

    On request which run each cell is in, and how long each is.

    Differs from PyTorch, which mistakes one flag for the other where one alone is given by its place.
    Source: https://pytorch.org/docs/stable/generated/torch.unique_consecutive.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 1, 2, 1]).unique_consecutive()
        tensor([1, 2, 1])
    """
    return _different(input, _axis("unique_consecutive", dim, input), return_inverse, return_counts, runs=True)


def _axis(name, dim, input):
    """The axis whose slices are compared, if not all cells are; slices have cells."""
    axis, shape = None if dim is None else axis_of(input, whole(name, dim=dim)[0]), input._a.shape
    if axis is not None and 0 in shape[:axis] + shape[axis + 1:]:
        raise ShapeError(f"{name}(dim={dim}) of shape {tuple(shape)}",
                         "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
                         "leave dim out, or a tensor with cells")
    return axis


@function
def bincount(input, weights=None, minlength=0):
    """The number of times that each of 0, 1, 2, ... occurs; with weights, the sum of its weights.

    Raises:
        ShapeError (a RuntimeError): more than one axis, a negative number, weights of another length.
        UnsupportedDTypeError (a NotImplementedError): no whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.bincount.html

    Example:
        >>> import rustyflow as rf
        >>> rf.bincount(rf.tensor([0, 2, 2]))
        tensor([1, 0, 2])
    """
    minlength, = whole("bincount", minlength=minlength)
    if weights is not None and not isinstance(weights, Tensor):
        raise wrong_type("bincount", "weights", weights, "Tensor", "rustyflow.tensor(...)")
    a = input._a
    if a.dtype.kind not in "iu":
        raise UnsupportedDTypeError(f"bincount of {input.dtype!r}",
                                    f'"bincount_cpu" not implemented for {input.dtype.name}', "x.long()")
    if a.ndim != 1:
        raise _no_counts(a, "x.flatten()")
    if minlength < 0:
        raise ShapeError(f"minlength={minlength}", "minlength should be >= 0", "0 or more")
    if weights is None or not a.size:  # of nothing PyTorch gives whole numbers, weighted or not
        return wrap(_counts(a, None, minlength))
    if weights._a.shape != a.shape:
        raise ShapeError(align_right(("input", a.shape), ("weights", weights._a.shape)),
                         "weights should be 1-d and have the same length as input", "one weight per number")
    y = wrap(backend.cast(_counts(a, weights._a, minlength), "float32" if weights._a.dtype == "float32" else "float64"))
    # the same sum, with its gradient, which PyTorch has not
    return (y * 0).index_add(0, input.long(), weights) if weights.requires_grad and y.dtype is weights.dtype else y


def _counts(a, weights, minlength):
    a = a.astype("int64", copy=False)
    if not backend.are_below(a, 1 << 60):  # NumPy's own would write outside its counts for the last of all numbers
        if a.min() < 0:
            raise _no_counts(a, "x - x.min() has no number below 0")
        raise ShapeError(f"numbers up to {a.max()}", "maximum value of input overflowed: there is a count for each "
                         "number up to the largest", "x.unique(return_counts=True) counts those that are there")
    return backend.bincount(a, weights, minlength)


def _no_counts(a, fix):
    return ShapeError(f"shape {tuple(a.shape)}, numbers from {a.min() if a.size else 0}",
                      "bincount only supports 1-d non-negative integral inputs.", fix)


@function(method=False)
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """True in each cell that is among the test elements.

    Either may be a number, beside a tensor.
    Raises:
        DTypeError (a RuntimeError): bools. ArgumentTypeError (a TypeError): neither tensor nor number, or two numbers.
        ViewError (a RuntimeError): few test elements, without a view that has them in a row.
    Source: https://pytorch.org/docs/stable/generated/torch.isin.html

    Example:
        >>> import rustyflow as rf
        >>> rf.isin(rf.tensor([1, 2, 3]), rf.tensor([2, 5]))
        tensor([False,  True, False])
    """
    alone = not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor)
    for argument, x in (("elements", elements), ("test_elements", test_elements)):
        if alone or not isinstance(x, (Tensor, int, float)) and not has_no_axes(x):
            raise not_a_tensor("isin", argument, x)
    for x in (elements, test_elements):
        if isinstance(x, bool) or isinstance(x, Tensor) and x._a.dtype.kind == "b":
            raise DTypeError("isin of bools", "Unsupported input type encountered for isin(): Bool",
                             "x.int(), or == and any()")
    a, b = [x._a if isinstance(x, Tensor) else number("isin", argument, x)
            for argument, x in (("elements", elements), ("test_elements", test_elements))]
    if isinstance(test_elements, Tensor) and b.size < 10 * getattr(a, "size", 1) ** 0.145:
        view(test_elements, -1)  # of so few PyTorch makes a view, to compare them one by one, and refuses what has none
    return wrap(backend.asarray(backend.isin(a, b, invert=invert)))

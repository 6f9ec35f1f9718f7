"""The counts of cells that fall into bins."""
from __future__ import annotations

from itertools import count

from ...arguments.kinds import not_a_tensor
from ...arguments.numbers import number, numbers, whole
from ...backends.numpy.runs import RUN
from ...dispatch import function, need_float, pair
from ...dtype import float16, int64
from ...errors import DTypeError, ShapeError, UnsupportedDTypeError, align_right
from ...tensor import Tensor
from ..creation import linspace, zeros
from ..elementwise.clamp import clamp
from .search import searchsorted


@function
def histc(input, bins=100, min=0, max=0):
    """The number of cells in each of `bins` equal parts of [min, max], as floats.

    The last part holds its end.

    With min equal to max, from the smallest cell to the largest. NaN and what lies outside count nowhere.
    Raises:
        ShapeError (a RuntimeError): no bins, or max below min. DTypeError (a RuntimeError): not floating.
    Source: https://pytorch.org/docs/stable/generated/torch.histc.html

    Example:
        >>> import rustyflow as rf
        >>> rf.histc(rf.tensor([1., 2., 1.]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])
    """
    need_float("histc", input)
    [bins], (min, max) = whole("histc", bins=bins), map(float, numbers("histc", min=min, max=max))
    if bins <= 0:
        raise ShapeError(f"histc(bins={bins})", "bins must be > 0", "bins=10")
    x = input.detach().reshape((-1,))
    if min == max and x._a.size:
        min, max = x.min().item(), x.max().item()
    if min == max:
        min, max = min - 1, max + 1
    if not min < max or max - min == float("inf"):
        raise ShapeError(f"histc(min={min}, max={max})", "max must be larger than min, and the range finite",
                         "histc(x, 10, 0, 1)")
    counts = zeros(bins, dtype=int64)
    for part in x.split(RUN):
        part = part[(part >= min) & (part <= max)]
        counts += clamp(((part - min) * (bins / (max - min))).long(), max=bins - 1).bincount(minlength=bins)
    return counts.to(input.dtype)


@function
def histogram(input, bins=100, *, range=None, weight=None, density=False):
    """The cells in each bin, and the edges of the bins: `hist` and `bin_edges`, both in the input's dtype.

    `bins` is how many equal ones there are, from the smallest cell to the largest or over `range`, or a tensor of
    edges in rising order. The last bin holds its right edge; NaN and what lies outside count nowhere. Each cell counts
    its `weight`. With density the bars have the area 1: each is divided by the sum of all and by its width.
    Differs from PyTorch: the results do not require grad, where PyTorch's do and then have no backward.
    Shapes: any shape, and weight of the same; bins + 1 edges.
    Raises:
        ShapeError (a RuntimeError): no bins, a range that is not finite or ends before it begins, another weight.
        DTypeError (a RuntimeError): edges or weights of another dtype. UnsupportedDTypeError (a NotImplementedError):
        not float32 or float64.
    Source: https://pytorch.org/docs/stable/generated/torch.histogram.html

    Example:
        >>> import rustyflow as rf
        >>> rf.histogram(rf.tensor([1., 2., 1.]), bins=4, range=(0., 4.), density=True)
        rustyflow.return_types.histogram(
        hist=tensor([0.0000, 0.6667, 0.3333, 0.0000]),
        bin_edges=tensor([0., 1., 2., 3., 4.]))
    """
    if input._a.dtype.kind != "f" or input.dtype is float16:
        raise UnsupportedDTypeError(f"histogram of {input.dtype!r}", "\"histogram\" is implemented for float32 and "
                                    "float64", "x.float()")
    _same("weight", input, weight)
    if weight is not None and weight._a.size != input._a.size:
        raise ShapeError(align_right(("input", input._a.shape), ("weight", weight._a.shape)),
                         "histogram: if weight is provided it should have the same shape as the input",
                         "one weight per cell: rustyflow.ones_like(input)")
    edges = _edges(input, bins, range)
    counts = zeros(edges._a.size - 1, dtype=input.dtype if weight is not None else int64)
    x, w = input.detach().reshape((-1,)), None if weight is None else weight.detach().reshape((-1,))
    for start, part in zip(count(0, RUN), x.split(RUN)):
        inside = (part >= edges[0]) & (part <= edges[-1])
        bin = clamp(searchsorted(edges, part[inside].contiguous(), right=True) - 1, max=counts._a.size - 1)
        counts += bin.bincount(None if w is None else w[start:start + RUN][inside], minlength=counts._a.size)
    hist = counts.to(input.dtype)
    if density:
        hist = hist / hist.sum() / edges.diff()
    return pair("histogram", "hist", "bin_edges")(hist, edges)


def _same(name, input, other):
    if other is not None and not isinstance(other, Tensor):
        raise not_a_tensor("histogram", name, other)
    if other is not None and other.dtype is not input.dtype:
        raise DTypeError(f"input of {input.dtype!r}, {name} of {other.dtype!r}",
                         f"histogram: input and {name} should have the same dtype", f"{name}.to(x.dtype)")


def _edges(x, bins, range):
    """The edges of the bins, in rising order."""
    if isinstance(bins, Tensor):
        _same("bins", x, bins)
        if bins._a.ndim != 1 or bins._a.size < 2 or range is not None:
            raise ShapeError(f"histogram(bins={bins!r:.60}, range={range!r})",
                             "a tensor of edges has one axis and at least two of them, and says the range too",
                             "tensor([0., 1., 2.])")
        return bins.detach().clone()
    [bins] = whole("histogram", bins=bins)
    if bins <= 0:
        raise ShapeError(f"histogram(bins={bins})", f"bins must be > 0, but got {bins}", "bins=10")
    if range is not None and len(range) != 2:
        raise ShapeError(f"histogram(range={range!r})", f"range should have 2 elements, but got {len(range)}", "(0, 1)")
    low, high = [number("histogram", "range", end) for end in range] if range is not None else (
        (x.min().item(), x.max().item()) if x._a.size else (0.0, 1.0))
    if not low <= high or high - low == float("inf"):
        raise ShapeError(f"histogram(range=({low}, {high}))", "min should not exceed max, and the range is finite",
                         "range=(0, 1), or x[x.isfinite()]")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=x.dtype)

"""One tensor as several views along an axis.

Each call is one node of the graph, whatever the number of its results.
"""
from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, starmap

import numpy as np

from ... import layout as rules
from ...arguments.explain import explaining_as
from ...arguments.numbers import no_tuple, whole, whole_row
from ...backends import backend
from ...dispatch import function, function_of, is_recorded, notify, op, record, renamed, watchers
from ...errors import ArgumentTypeError, DTypeError, ShapeError
from ...tensor import MULTI_OUTPUT_NODE, NO_GRAD_MODE, Tensor, View, mode, new, over, storage_of
from ..index.index_check import axis_of
from .part import narrow

VIEW = 512  # bytes: what a view takes, roughly


def apply_views(it, x: Tensor, **attrs) -> tuple[Tensor, ...]:
    """Run a view with several results: one node, so that its backward makes one gradient and not one per result."""
    outs = tuple(_views(it, x, attrs))
    if outs and mode.enabled and x._a.dtype.kind == "f":
        views = [out._history for out in outs]
        if record(it, (x,), outs, attrs) is not None:
            for out, view in zip(outs, views):
                view.node, out._history = out._history, view
    if watchers:
        notify(it, (x,), attrs, outs)
    return outs


def _views(it, x: Tensor, attrs: dict) -> Iterator[Tensor]:
    """The views of x as it is now, without a node; each is made when it is asked for."""
    a, storage, offset = x._a, storage_of(x), x._offset
    base, meta = (x._history.base, x._history.creation_meta) if type(x._history) is View else (x, "")
    meta = (meta or MULTI_OUTPUT_NODE) if mode.enabled and a.dtype.kind == "f" else NO_GRAD_MODE
    version = storage.version

    def view(part, slots):
        out = new(Tensor)
        out._a, out._storage, out._offset = part, storage, offset + slots
        out._history = View(base, None, version, meta)
        return out

    return starmap(view, it.quick(a, **attrs) if a.size else _empty(storage, it.layout(
        a.shape, backend.stride(a), offset, **attrs), offset))


def _empty(storage, layouts, offset):
    """As `quick` has them, the parts of an array without cells, whose strides NumPy forgets."""
    return [(over(storage, *layout)._a, layout[2] - offset) for layout in layouts]


def slices(x: Tensor) -> Iterator[Tensor]:
    """The slices along the first axis: one node if recorded, else each made when its turn comes.

    NumPy and matplotlib begin a loop over all they are given, to see what is in it, and stop at once.
    """
    if not x._a.ndim:
        raise ArgumentTypeError("iterating over a 0-d tensor", "iteration over a 0-d tensor",
                                "a 0-d tensor is one number: x.item()")
    _room(x._a.shape[0])
    return iter(unbind(x, 0)) if watchers or is_recorded(x) else _views(unbind.op, x, {"dim": 0})


Tensor.__iter__ = explaining_as(slices, "Tensor.__iter__")


@op
class unbind:
    """y = slices(x, dim)        dx = stack(g, dim)

    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.unbind.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).view(2, 3).unbind(1)
        (tensor([0, 3]), tensor([1, 4]), tensor([2, 5]))
    """

    def layout(shape, stride, offset, *, dim):
        return [rules.select(shape, stride, offset, dim=dim, index=k) for k in range(shape[dim])]

    def quick(a, *, dim):
        before, step = (slice(None),) * dim, a.strides[dim] // a.itemsize
        return ((a[(*before, k, ...)], k * step) for k in range(a.shape[dim]))

    def grad_x(F, g, *, dim): return F.stack(g, dim)

    def call(input, dim=0):
        dim = axis_of(input, dim)
        _room(input._a.shape[dim])
        return apply_views(unbind.op, input, dim=dim)


def _runs(shape, stride, offset, *, dim, lengths):
    """The layouts of runs of these lengths, one after the other along dim."""
    starts = accumulate(lengths, initial=0)
    return [rules.narrow(shape, stride, offset, dim=dim, start=start, length=n) for start, n in zip(starts, lengths)]


def _cut(a, *, dim, lengths):
    """The same by NumPy's slices: (array, slots added to the offset) each."""
    before, step = (slice(None),) * dim, a.strides[dim] // a.itemsize
    starts = accumulate(lengths, initial=0)
    return ((a[(*before, slice(start, start + n))], start * step) for start, n in zip(starts, lengths))


def _room(parts):
    """Ask memory for so many views, before a loop makes them one by one until there is none left."""
    np.empty(parts * VIEW, np.uint8)


@op(public=False, method=False)
class split_equal:
    """y = runs(x, lengths, dim)        dx = cat(g, dim)"""
    torch_name = "SplitBackward0"
    layout, quick = _runs, _cut
    def grad_x(F, g, *, dim, lengths): return F.cat(g, dim)
    def call(input, dim, lengths): return apply_views(split_equal.op, input, dim=dim, lengths=lengths)


_unsafe = renamed(split_equal.op, "UnsafeSplitBackward0")


def gates(input, chunks):
    """The last axis in equal parts, as a recurrent layer cuts what it has worked out for all its gates."""
    dim = input._a.ndim - 1
    lengths = [input._a.shape[dim] // chunks] * chunks
    return apply_views(_unsafe, input, dim=dim, lengths=lengths)


@op
class split_with_sizes:
    """y = runs(x, lengths, dim)        dx = cat(g, dim)

    Raises: ShapeError (a RuntimeError): lengths that do not add up to the axis.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.split_with_sizes.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(5).split_with_sizes([2, 3])
        (tensor([0, 1]), tensor([2, 3, 4]))
    """
    layout, quick = _runs, _cut
    def grad_x(F, g, *, dim, lengths): return F.cat(g, dim)

    def call(input, split_sizes, dim=0):
        if not isinstance(split_sizes, (tuple, list)):
            raise no_tuple("split_with_sizes", "split_sizes", split_sizes, "e.g. [1, 2]")
        lengths = whole_row("split_with_sizes", "split_sizes", split_sizes)
        dim, n = _axis(input, dim, "split_with_sizes")
        if sum(lengths) != n or any(length < 0 for length in lengths):
            raise ShapeError(f"lengths {list(lengths)}, which add up to {sum(lengths)}, for dim {dim} of shape "
                             f"{tuple(input.shape)}",
                             f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
                             f"dimension {dim}), none of them negative",
                             f"lengths that add up to {n}")
        return apply_views(split_with_sizes.op, input, dim=dim, lengths=lengths)


def _axis(input, dim, name):
    """A dim and the size of its axis."""
    if not input._a.ndim:
        raise ShapeError(f"{name}() of a 0-d tensor", f"{name} expects at least a 1-dimensional tensor",
                         "x.unsqueeze(0) gives it an axis")
    dim = rules.wrap_dim(dim, input._a.ndim)
    return dim, input._a.shape[dim]


@function
def split(self, split_size, dim=0):
    """Views of `split_size` indices each along dim, the last one maybe shorter.

    Or of the lengths in a list.

    Raises:
        ShapeError (a RuntimeError): a size below 1 (0 is allowed for an empty axis), or lengths that do not add up.
    Source: https://pytorch.org/docs/stable/generated/torch.split.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(5).split(2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    if isinstance(split_size, (tuple, list)):
        return split_with_sizes(self, whole_row("split", "split_size", split_size), dim)
    if isinstance(split_size, Tensor) and split_size._a.size == 1:
        split_size = int(split_size)
    if isinstance(split_size, (np.generic, np.ndarray)):  # PyTorch takes these for a tuple
        raise no_tuple("split", "split_size", split_size, "x.split(2), or x.split([1, 2])")
    size, = whole("split", split_size=split_size)
    if size < 0 and self._a.ndim:
        raise ShapeError(f"split_size {size} for dim {dim!r:.20} of shape {tuple(self.shape)}",
                         "split expects split_size to be non-negative", "a size of 1 or more")
    dim, n = _axis(self, dim, "split")
    if size == 0 and n:
        raise ShapeError(f"split_size 0 for dim {dim} of shape {tuple(self.shape)}",
                         f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}",
                         "a size of 1 or more")
    _room(-(-n // size) if n else 0)
    lengths = tuple([min(size, n - start) for start in range(0, n, size)]) if n else (0,)
    return split_equal(self, dim, lengths)


@function_of(split)
def _split(tensor, split_size_or_sections, dim=0):
    """Names that the method has not."""
    return split(tensor, split_size_or_sections, dim)


@function
def chunk(input, chunks, dim=0):
    """At most `chunks` views of equal length along dim, the last one shorter if need be.

    Raises:
        ShapeError (a RuntimeError): fewer than one chunk.
    Source: https://pytorch.org/docs/stable/generated/torch.chunk.html

    Example:
        >>> import rustyflow as rf
        >>> [len(part) for part in rf.arange(7).chunk(3)]
        [3, 3, 1]
    """
    chunks, = whole("chunk", chunks=chunks)
    if chunks < 1 and input._a.ndim:
        raise ShapeError(f"chunk({chunks})", f"chunk expects `chunks` to be greater than 0, got: {chunks}", "1 or more")
    dim, n = _axis(input, dim, "chunk")
    size = -(-n // chunks)
    _room(0 if size else chunks)
    return split(input, size, dim) if size else split_with_sizes(input, [0] * chunks, dim)


@function
def tensor_split(input, indices_or_sections, dim=0):
    """Views along dim, cut before the given indices, or into that many parts whose lengths differ by at most one.

    Raises:
        ShapeError (a RuntimeError): fewer than one part, or a 0-d tensor. DTypeError: cuts given as a tensor that is
        not int64.
    Source: https://pytorch.org/docs/stable/generated/torch.tensor_split.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(7).tensor_split(3), rf.arange(4).tensor_split((1, 3))
        ((tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6])), (tensor([0]), tensor([1, 2]), tensor([3])))
    """
    cuts = indices_or_sections
    if isinstance(cuts, Tensor):
        if cuts._a.dtype != "int64" or cuts._a.ndim > 1:
            raise DTypeError(f"cuts of {cuts.dtype!r}, shape {tuple(cuts.shape)}",
                             "tensor_split expected tensor_indices_or_sections to have dtype of long, "
                             "and zero or one dimension", "a tuple of ints")
        cuts = cuts.tolist()
    dim, n = _axis(input, dim, "tensor_split")
    if not isinstance(cuts, (tuple, list)):
        parts, = whole("tensor_split", indices_or_sections=cuts)
        if parts < 1:
            raise ShapeError(f"tensor_split into {parts}", f"number of sections must be larger than 0, got {parts}",
                             "1 or more")
        _room(parts)
        least, more = divmod(n, parts)
        cuts = list(accumulate([least + 1] * more + [least] * (parts - more)))[:-1]
    edges = [0, *whole_row("tensor_split", "indices_or_sections", cuts), n]
    places = [slice(first, last).indices(n)[:2] for first, last in zip(edges, edges[1:])]
    return tuple([narrow(input, dim, first, max(0, last - first)) for first, last in places])


def _along(name, dim, least):
    def form(input, indices_or_sections):
        if input._a.ndim < least:
            raise ShapeError(f"shape {tuple(input.shape)}",
                             f"torch.{name} requires a tensor with at least {least} dimension, "
                             f"but got a tensor with {input._a.ndim} dimensions!",
                             "unsqueeze gives it more axes")
        cuts = indices_or_sections
        if isinstance(cuts, Tensor) and (cuts._a.ndim or cuts._a.dtype.kind not in "iu"):
            raise no_tuple(name, "indices", cuts, "indices.tolist()")
        axis = 0 if name == "hsplit" and input._a.ndim == 1 else dim
        n = input._a.shape[axis]
        if not isinstance(indices_or_sections, (tuple, list)):
            indices_or_sections, = whole(name, indices_or_sections=indices_or_sections)
        if isinstance(indices_or_sections, int) and (indices_or_sections < 1 or n % indices_or_sections):
            raise ShapeError(f"{name} of shape {tuple(input.shape)} into {indices_or_sections}",
                             f"torch.{name} attempted to split along dimension {axis}, "
                             f"but the size of the dimension {n} is not divisible by the split_size "
                             f"{indices_or_sections}!", "tensor_split, whose parts may differ")
        return tensor_split(input, indices_or_sections, axis)
    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"""Views cut along dim {dim}, before the given indices or into equal parts.

    Raises:
        ShapeError (a RuntimeError): too few axes, or parts that would not be equal.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(4).view({('1, 4', '4, 1', '1, 1, 4')[(1, 0, 2).index(dim)]})
        >>> [part.tolist() for part in rf.{name}(x, 2)]
        {([[[0, 1]], [[2, 3]]], [[[0], [1]], [[2], [3]]], [[[[0, 1]]], [[[2, 3]]]])[(1, 0, 2).index(dim)]}
    """
    return function(form)


hsplit, vsplit, dsplit = _along("hsplit", 1, 1), _along("vsplit", 0, 2), _along("dsplit", 2, 3)

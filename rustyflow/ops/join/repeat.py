"""Copies that repeat, reverse, shift and turn."""
from __future__ import annotations

from ...arguments.explain import explaining_once
from ...arguments.numbers import no_tuple, several_sizes, sizes, whole
from ...backends import backend
from ...dispatch import apply, apply_view, function, is_recorded, need_tensors, op, watchers
from ...errors import ArgumentTypeError, ShapeError, UnsupportedDTypeError, wrong_type
from ...layout import check_extent, whole_numbers, whole_sizes, wrap_dim, wrap_dims
from ...tensor import Tensor, wrap
from ..creation import arange
from ..index.index_check import axis_of
from ..index.select import index_select
from ..views import copy, expand, flatten, takes_a_tuple, unsqueeze, view


@op(public=False)
class repeat:
    """y = tile(x, repeats)        dx = given_back(g, x)

    Missing axes are added in front; there must be one number per axis at least.
    Raises: ShapeError (a RuntimeError): fewer numbers than axes, or a negative one.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.repeat.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    def forward(F, x, *, repeats): return F.tile(x, repeats)

    def grad_x(F, g, shape, *, repeats):
        own = (1,) * (len(repeats) - len(shape)) + tuple(shape)
        pairs = F.reshape(g, tuple([n for pair in zip(repeats, own) for n in pair]))
        return F.reshape(F.sum(pairs, tuple(range(0, 2 * len(repeats), 2))) if repeats else pairs, shape)

    def call(input, *repeats, **named):
        repeats = several_sizes("repeat", "repeats", repeats, named, "x.repeat(2, 1)")
        own = (1,) * (len(repeats) - input._a.ndim) + input._a.shape
        if len(repeats) < input._a.ndim or any(n * m < 0 for n, m in zip(repeats, own)):
            raise ShapeError(f"shape {tuple(input.shape)}, repeats {repeats}",
                             "Number of dimensions of repeat dims can not be smaller than number of dimensions "
                             "of tensor, and none may be negative",
                             f"{input._a.ndim} numbers, 1 for an axis that stays")
        check_extent(tuple([n * m for n, m in zip(repeats, own)]))
        return apply(repeat.op, input, repeats=tuple([max(n, 0) for n in repeats]))  # below 0 of an axis without cells


@function
def tile(input, *dims, **named):
    """`repeat` in which missing numbers count as 1.

    Source: https://pytorch.org/docs/stable/generated/torch.tile.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).tile(2)
        tensor([1, 2, 1, 2])
    """
    dims = several_sizes("tile", "dims", dims, named, "x.tile(2, 1)")
    return repeat(input, (1,) * (input._a.ndim - len(dims)) + dims)


takes_a_tuple(tile)


@function(method=False)
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Every index of dim repeated, as often as `repeats` says: a number, or one per index. Without dim, of the
    flattened tensor.

    A tensor of counts alone gives the indices 0, 1, 2, ... each that often, in the dtype of the counts.
    Raises:
        ShapeError (a RuntimeError): a negative count, or as many counts as the axis does not have. DTypeError: counts
        that are no integers. ArgumentTypeError (a TypeError): counts in a list.
    Source: https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2, 3]).repeat_interleave(rf.tensor([2, 0, 1]))
        tensor([1, 1, 3])
    """
    if repeats is None and dim is not None:
        raise ArgumentTypeError(f"repeat_interleave(dim={dim})", "repeat_interleave(): missing 'repeats'",
                                f"repeat_interleave(x, 2, dim={dim})")
    if repeats is None:
        counts = _counts(input, (input._a.size,), alone=True)
        _check_size(counts, 1, output_size)
        return wrap(backend.cast(_indices(counts, input._a.size), input._a.dtype))
    if dim is None:
        input, dim = flatten(input), 0
    dim = axis_of(input, dim)
    shape, n, by_counts = input._a.shape, input._a.shape[dim], isinstance(repeats, Tensor)
    times = _times(repeats, shape, dim)
    _check_size(times, 1 if by_counts and times.size == n else n, output_size)
    # where nobody asks for the steps, and the array is in order: of another NumPy would make a copy in order first
    if input._a.flags.c_contiguous and not watchers and not is_recorded(input):
        return wrap(backend.repeat(input._a, times, dim))
    if by_counts:
        return index_select(input, dim, wrap(_indices(times, n)))
    rows = apply_view(unsqueeze.op, input, dim=dim + 1)
    each = copy(apply_view(expand.op, rows, size=(*shape[:dim + 1], times, *shape[dim + 1:])))
    return apply_view(view.op, each, size=(*shape[:dim], n * times, *shape[dim + 1:]))


def _indices(counts, n):
    """The numbers 0 to n - 1, each as often as the counts say."""
    return backend.repeat(arange(n)._a, counts, 0)


def _method(self, repeats, dim=None, *, output_size=None):
    return explaining_once(repeat_interleave)(self, repeats, dim, output_size=output_size)  # which refuses None


_method.__name__, _method.__doc__ = "repeat_interleave", repeat_interleave.__doc__
Tensor.repeat_interleave = explaining_once(_method)


def _times(repeats, shape, dim):
    """The times that the indices of dim come: a number for all, or an array of counts.

    Raises:
        ShapeError, UnsupportedDTypeError (RuntimeErrors); ArgumentTypeError (a TypeError): counts in a list.
    """
    n = shape[dim]
    if isinstance(repeats, Tensor):
        if repeats._a.ndim < 2 and repeats._a.size not in (1, n):
            raise ShapeError(f"{repeats._a.size} repeats for dim {dim} of shape {shape}",
                             "repeats must have the same size as input along dim", f"{n} numbers, or one")
        return _counts(repeats, shape)
    if isinstance(repeats, (list, tuple)):
        fix = f"rustyflow.tensor({repeats!r:.60})"
        raise wrong_type("repeat_interleave", "repeats", repeats, "int or Tensor", fix)
    [times] = whole("repeat_interleave", repeats=repeats)
    if times < 0:
        raise ShapeError(f"repeats {repeats}", "Repeats must be non-negative", "0 or more")
    check_extent((*shape[:dim + 1], times, *shape[dim + 1:]))
    return times


def _check_size(counts, n, output_size):
    """Refuses a size of the result that n times the counts do not add up to.

    It raises a ShapeError (a RuntimeError).
    """
    if output_size is not None:
        size = n * (counts if isinstance(counts, int) else int(backend.sum(counts)))
        if size != whole("repeat_interleave", output_size=output_size)[0]:
            raise ShapeError(f"counts that add up to {size}, output_size={output_size}",
                             f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}",
                             "leave output_size out: here it saves nothing")


def _counts(repeats, shape, alone=False):
    """The times that each index comes, of an axis of a tensor of that shape."""
    a = repeats._a
    if (alone or a.ndim < 2) and a.dtype not in ("int64", "int32"):
        raise UnsupportedDTypeError(f"repeats of {repeats.dtype!r}", "repeats has to be Long or Int tensor",
                                    "repeats.long()")
    if a.ndim > 1 or alone and not a.ndim or not backend.are_below(a, 1 << 8 * a.itemsize - 1):
        raise ShapeError(f"repeats of shape {tuple(a.shape)}, values from {a.min() if a.size else 0}",
                         "repeat_interleave only accept 1D vector as repeat, none negative",
                         "one number of 0 or more per index")
    if a.size:  # NumPy would write outside what it makes for a total of more than 64 bits
        check_extent((int(a.max()), *shape))
    return a.reshape(-1)


@op
class flip:
    """y = flip(x, dims)        dx = flip(g, dims)

    A copy: strides are never negative.
    Raises: DimError (an IndexError): no such axis; ShapeError (a RuntimeError): an axis twice.
    Source: https://pytorch.org/docs/stable/generated/torch.flip.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(4).view(2, 2).flip(0, 1)
        tensor([[3, 2],
                [1, 0]])
    """
    def grad_x(F, g, *, dims): return F.flip(g, dims)

    def call(input, *dims, **named):
        dims = several_sizes("flip", "dims", dims, named, "x.flip(0)", whole_numbers)
        return apply(flip.op, input, dims=wrap_dims(dims, input._a.ndim) if dims else ())


takes_a_tuple(flip)


def _mirrored(name, dim, least):
    def form(input):
        if input._a.ndim < least:
            raise ShapeError(f"shape {tuple(input.shape)}", f"Input must be >= {least}-d.",
                             "unsqueeze gives it another axis")
        return flip(input, dim)
    form.__name__ = form.__qualname__ = name
    form.__doc__ = (f"`x.flip({dim})`: a copy.\n\n"
                    f"    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html\n\n"
                    f"    Example:\n        >>> import rustyflow as rf\n"
                    f"        >>> rf.{name}(rf.tensor([[1, 2], [3, 4]])).tolist()\n"
                    f"        {[[2, 1], [4, 3]] if dim else [[3, 4], [1, 2]]}")
    return function(form)


fliplr, flipud = _mirrored("fliplr", 1, 2), _mirrored("flipud", 0, 1)


@op
class roll:
    """y = roll(x, shifts, dims)        dx = roll(g, opposite(shifts), dims)

    Without dims the flattened tensor is shifted.
    Raises: ShapeError (a RuntimeError): not one shift per dim.
    Source: https://pytorch.org/docs/stable/generated/torch.roll.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(5).roll(2)
        tensor([3, 4, 0, 1, 2])
    """
    def forward(F, x, *, shifts, dims): return F.in_order(F.roll(x, shifts, dims))
    def grad_x(F, g, *, shifts, dims): return F.roll(g, tuple([-n for n in shifts]) if dims else -shifts, dims)

    def call(input, shifts, dims=None):
        need_tensors("roll", input=input)
        read = whole_sizes if isinstance(shifts, (tuple, list)) else whole_numbers
        shifts = sizes((shifts,), "roll", "shifts", "x.roll(1, 0)", read)
        dims = () if dims is None else sizes((dims,), "roll", "dims", "x.roll(1, 0)", whole_numbers)
        if not shifts or len(shifts) != len(dims) and (dims or len(shifts) != 1):
            raise ShapeError(f"shifts {shifts}, dims {dims}", "shifts and dimensions must align: one shift per dim",
                             "e.g. roll((1, 2), (0, 1))")
        dims = tuple([axis_of(input, d) if input._a.size else 0 for d in dims])  # along which, no cell asks
        return apply(roll.op, input, shifts=shifts if dims else shifts[0], dims=dims or None)


@op
class rot90:
    """y = rot90(x, k, dims)        dx = rot90(g, -k, dims)

    Raises: ShapeError (a RuntimeError): not two different dims.
    Source: https://pytorch.org/docs/stable/generated/torch.rot90.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1, 2], [3, 4]]).rot90()
        tensor([[2, 4],
                [1, 3]])
    """
    def grad_x(F, g, *, k, dims): return F.rot90(g, -k, dims)

    def call(input, k=1, dims=(0, 1)):
        if not isinstance(dims, (tuple, list)):
            raise no_tuple("rot90", "dims", dims, "two dims, e.g. dims=(0, 1)")
        k, dims = whole("rot90", k=k)[0], whole_numbers(dims)
        if len(dims) != 2 or input._a.ndim < 2 or len({wrap_dim(d, input._a.ndim) for d in dims}) != 2:
            raise ShapeError(f"rot90 of shape {tuple(input.shape)} in dims {tuple(dims)}",
                             "expected total rotation dims == 2, two different dims of at least two",
                             "e.g. dims=(0, 1)")
        return apply(rot90.op, input, k=k % 4, dims=tuple(wrap_dims(dims, input._a.ndim)))

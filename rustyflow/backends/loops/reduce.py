"""Reductions, one cell after the other in order, rounded after every step. `dim` is None (everything), an int or a
tuple of ints.
"""

from __future__ import annotations

from math import inf

from ...layout import broadcast_axes, reduced_shape, slots
from . import elementwise, scalar
from .array import Array, empty
from .buffer import boolean, float64, int64
from .number import lifted


def lanes(a, dim=None, keepdim=False):
    """The result's shape, and for each of its cells the slots it is made of."""
    dims = set(range(a.ndim))
    if dim is not None and a.ndim:
        dims = {d % a.ndim for d in (dim if isinstance(dim, tuple) else (dim,))}
    kept = [d for d in range(a.ndim) if d not in dims]
    inner = list(slots([a.shape[d] for d in sorted(dims)], [a.stride[d] for d in sorted(dims)]))
    outer = slots([a.shape[d] for d in kept], [a.stride[d] for d in kept], a.offset)
    shape = reduced_shape(a.shape, dims, keepdim)
    return shape, [[start + step for step in inner] for start in outer]


def fold(a, dim, keepdim, join, nothing=None, dtype=None) -> Array:
    """Join the cells of each lane, from the first on; `nothing` is the result for none.

    Raises:
        ValueError: an empty lane where `nothing` is None.
    """
    shape, runs = lanes(a, dim, keepdim)
    out = empty(shape, dtype or a.dtype)
    store, read, join = out.buffer.store, a.buffer.read, lifted(join)
    for slot, run in enumerate(runs):
        if not run and nothing is None:
            raise ValueError("reduction of no cells")
        total = store(read(run[0])) if run else nothing
        for source in run[1:]:
            total = store(join(total, read(source)))
        out.buffer.write(slot, total)
    return out


def sum(a, dim=None, keepdim=False, dtype=None):
    return fold(_wide(a, dtype), dim, keepdim, lambda x, y: x + y, 0)


def prod(a, dim=None, keepdim=False, dtype=None):
    return fold(_wide(a, dtype), dim, keepdim, lambda x, y: x * y, 1)


def _wide(a, dtype):
    """In the dtype asked for; else whole numbers as int64."""
    return a.astype(dtype or (a.dtype if a.dtype.kind == "f" else int64), copy=False)


def mean(a, dim=None, keepdim=False):
    return sum(a, dim, keepdim) / float(_count(a, dim))


def add_up_of(function, a, dim, keepdim, *, reduce):
    """The fold over axes of a function of every cell."""
    return reduce(function(a), dim, keepdim)


def square_apart(a, b):
    """The square of the difference."""
    apart = a - b
    return apart * apart


def var(a, dim, keepdim, correction):
    return _var(a, dim, keepdim, correction).astype(a.dtype, copy=False)


def _var(a, dim, keepdim, correction):
    """In float64, in which the squares of float32 neither overflow nor lose digits."""
    n, a = _count(a, dim), a.astype(float64, copy=False)
    return sum(square_apart(a, mean(a, dim, True)), dim, keepdim) / float(max(n - correction, 0) if n else 0)


def _count(a, dim):
    shape, runs = lanes(a, dim)
    return len(runs[0]) if runs else 0


def std(a, dim, keepdim, correction):
    return elementwise.sqrt(_var(a, dim, keepdim, correction)).astype(a.dtype, copy=False)


def amax(a, dim=None, keepdim=False):
    return fold(a, dim, keepdim, scalar.larger)


def amin(a, dim=None, keepdim=False):
    return fold(a, dim, keepdim, scalar.smaller)


def any(a, dim=None, keepdim=False):
    return fold(a != 0, dim, keepdim, lambda x, y: x or y, False, a.dtype if a.dtype.name == "uint8" else boolean)


def all(a, dim=None, keepdim=False):
    return fold(a != 0, dim, keepdim, lambda x, y: x and y, True, a.dtype if a.dtype.name == "uint8" else boolean)


def count_nonzero(a, dim=None, keepdim=False):
    return sum(a != 0, dim, keepdim)


def logsumexp(a, dim, keepdim):
    top = fold(a, dim, True, scalar.larger, -inf)
    top = elementwise.where(elementwise.isinf(top), 0.0, top)
    y = elementwise.log(sum(elementwise.exp(a - top), dim, True)) + top
    return y if keepdim else y.squeeze(dim)


def argmax(a, dim=None, keepdim=False):
    return _which(a, dim, keepdim, lambda x, best: x > best)


def argmin(a, dim=None, keepdim=False):
    return _which(a, dim, keepdim, lambda x, best: x < best)


def _which(a, dim, keepdim, better):
    """The first of the best, or the first NaN."""
    shape, runs = lanes(a, dim, keepdim)
    out = empty(shape, int64)
    for slot, run in enumerate(runs):
        best, at = a.buffer.read(run[0]), 0
        for k, source in enumerate(run[1:], 1):
            x = a.buffer.read(source)
            if best == best and (x != x or better(x, best)):
                best, at = x, k
        out.buffer.write(slot, at)
    return out


def max_dim(a, dim, keepdim):
    return amax(a, dim, keepdim), argmax(a, dim, keepdim)


def min_dim(a, dim, keepdim):
    return amin(a, dim, keepdim), argmin(a, dim, keepdim)


def sum_to(g, shape):
    """Undo broadcasting: every cell's copies are summed back into it."""
    if g.shape == tuple(shape):
        return g
    lead, stretched = broadcast_axes(tuple(shape), g.shape)
    return (sum(g, lead + stretched, True) if lead or stretched else g).reshape(shape)


def softmax(a, dim):
    y = elementwise.exp(a - fold(a, dim, True, scalar.larger, -inf))
    return y / sum(y, dim, True)


def log_softmax(a, dim):
    y = a - fold(a, dim, True, scalar.larger, -inf)
    return y - elementwise.log(sum(elementwise.exp(y), dim, True))


# Running results along an axis


def _running(join):
    def along(a, dim, dtype=None, out=None):
        out = a.astype(dtype or a.dtype) if out is None else out
        _, runs = lanes(out, dim)
        joined = lifted(join)
        for run in runs if a.ndim else ():
            for before, slot in zip(run, run[1:]):
                out.buffer.write(slot, joined(out.buffer.read(before), out.buffer.read(slot)))
        return out

    return along


cumsum, cumprod = _running(lambda x, y: x + y), _running(lambda x, y: x * y)
logcumsumexp = _running(scalar.log_of_sum)


def cumsum_from_end(a, dim):
    out = a.copy()
    for run in lanes(out, dim)[1] if a.ndim else ():
        for after, slot in zip(run[::-1], run[-2::-1]):
            out.buffer.write(slot, out.buffer.read(after) + out.buffer.read(slot))
    return out


def shift(a, dim, by, fill):
    """Moved `by` places along dim, with `fill` where nothing came from."""
    out = empty(a.shape, a.dtype)
    for run, into in zip(lanes(a, dim)[1], lanes(out, dim)[1]) if a.ndim else [(a.slots, [0])]:
        for k, slot in enumerate(into):
            out.buffer.write(slot, a.buffer.read(run[k - by]) if 0 <= k - by < len(run) else fill)
    return out


Array.sum = lambda self, dim=None, dtype=None: sum(self, dim, False, dtype)
Array.any = lambda self, dim=None: any(self, dim)
Array.all = lambda self, dim=None: all(self, dim)
Array.max = lambda self, dim=None: amax(self, dim)
Array.min = lambda self, dim=None: amin(self, dim)
Array.prod = lambda self, dim=None: prod(self, dim)

"""Functions that take each cell from one of several places: by a mask, or as the larger or smaller one."""
from __future__ import annotations

import numpy as np

from .cellwise import into as _into
from .runs import RUN as _RUN

_MANY_CELLS = 1 << 13  # from which a choice by bits is faster
_BITS = {n: np.dtype(f"i{n}") for n in (1, 2, 4, 8)}


def where(mask, a, b):
    """np.where; for many cells it masks their bits.

    A branch for every cell takes up to ten times as long.

    That needs one of a and b to be a row-major array, the other one a number or an array of the same shape and dtype,
    and a mask of that shape or of its last axes; or the transposes of all these.
    """
    x = a if getattr(a, "ndim", 0) else b
    if getattr(x, "size", 0) < _MANY_CELLS:
        return np.where(mask, a, b)
    if all([v.flags.fnc and v.shape == x.shape for v in (mask, a, b) if np.ndim(v)]):
        return where(*[v.T if np.ndim(v) else v for v in (mask, a, b)]).T
    if not _by_bits(mask, x, a if x is b else b):
        return np.where(mask, a, b)
    bits, out = _BITS[x.itemsize], np.empty(x.shape, x.dtype)
    a, b = (np.asarray(v, x.dtype).view(bits) for v in (a, b))
    a, b, cells, mask = (v.reshape(-1) if v.ndim else v for v in (a, b, out.view(bits), mask.view(np.int8)))
    zero, again = not a.ndim and not a, mask.size < x.size

    def bits_of(m):
        """The mask as bits: all set where b is kept, if a is 0, else where a is chosen.

        None are set elsewhere.
        """
        return (m - 1 if zero else -m).astype(bits)

    step = max(min(_RUN, x.size) // mask.size, 1) * mask.size if again else _RUN
    tiled = np.tile(bits_of(mask), step // mask.size) if again else None
    for k in range(0, x.size, step):
        part = slice(k, k + step)
        first, second, to = (v[part] if v.ndim else v for v in (a, b, cells))
        chosen = tiled[:to.size] if again else bits_of(mask[part])
        if zero:
            np.bitwise_and(second, chosen, out=to)
        else:
            np.bitwise_xor(first, second, out=to)
            to &= chosen
            to ^= second
    return out


def _by_bits(mask, x, other):
    """True if `where` can go by the bits."""
    if getattr(other, "ndim", 0):
        fits = other.dtype is x.dtype and other.shape == x.shape and other.flags.c_contiguous
    else:
        fits = x.dtype.kind == "f" and getattr(other, "dtype", x.dtype) is x.dtype
    return (fits and x.flags.c_contiguous and mask.flags.c_contiguous and mask.dtype.kind == "b"
            and mask.ndim > 0 and mask.shape == x.shape[x.ndim - mask.ndim:])


def relu(x, out=None):
    """The larger of 0 and x.

    NumPy is faster with an array of zeros, which becomes the result, than with one number.
    """
    if x.size <= _RUN and x.flags.c_contiguous and out is None:
        out = np.zeros(x.shape, x.dtype)
        return np.maximum(out, x, out=out)
    return clamp(x, 0, None, out)


def clamp(a, low, high, out=None):
    """np.clip; of the equal 0 and -0 it takes an array's bound but not a number's.

    So PyTorch's signs of zero come out.
    """
    if np.ndim(low) and np.ndim(high):
        if out is not None:  # out may be one of the bounds
            return _into(out, lambda F, *parts: clamp(*parts), None, a, low, high)
        y = np.maximum(a, low)
        return np.minimum(y, high, out=y if y.shape == high.shape else None)
    if low is None and (np.ndim(high) or a.dtype.kind != "f"):
        return np.minimum(a, high, out=out)
    if high is None and (np.ndim(low) or a.dtype.kind != "f"):
        return np.maximum(a, low, out=out)
    # NumPy's clip between two numbers is faster than its maximum with one
    return np.clip(a, -np.inf if low is None else low, np.inf if high is None else high, out=out)


def kept_where(mask, g, fresh=False):
    """g where mask, else 0: the bits times the mask.

    Several times as fast as `where`, and neither -0 nor NaN times 0.

    The result is written over a g that is `fresh`, which nobody else reads.
    """
    out = g if fresh and g.ndim else np.empty_like(g if np.shape(g) == np.shape(mask) else mask, g.dtype)
    np.multiply(g.view(_BITS[g.itemsize]), mask, out=out.view(_BITS[g.itemsize]))
    return out


def larger_input(g, a, b):
    """The share of a in the gradient of the larger of a and b: all, nothing, or half if equal."""
    part, tied = kept_where(~(a < b), g), a == b
    if tied.any():
        _into(part, lambda F, cells, ties: cells * (1 - ties * cells.dtype.type(0.5)), None, part, tied,
              run=max(_RUN // 4, 1))
    return part


def heaviside(a, values):
    """1 above 0, else 0, and then the values where a is 0: NumPy's own takes twenty times as long."""
    y = np.asarray((a > 0).astype(a.dtype))
    if y.shape != np.broadcast_shapes(y.shape, values.shape):
        return np.where(a == 0, values, y)
    np.copyto(y, values, where=a == 0)
    return y

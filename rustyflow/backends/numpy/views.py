"""Views of arrays under PyTorch's names: what the gradients of views are made of."""
from __future__ import annotations

from itertools import product as _product
from math import prod as _prod

import numpy as np

from .core import empty_as as _empty_as, in_order as _in_order, write as _write


def reshape(a, shape):
    return a.reshape(shape)


def permute(a, dims):
    return a.transpose(dims)


def transpose(a, dim0, dim1):
    return a.swapaxes(dim0, dim1) if a.ndim else a


def t(a):
    return a.T


def expand(a, shape):
    """Repeat with stride 0; np.broadcast_to takes ten times as long, which small gradients feel.

    For many cells a number is written out as a row: arithmetic along it is several times as fast as on one cell.
    """
    a = np.asarray(a)
    if not a.ndim:
        if len(shape) > 1 and shape[-1] >= 32 and _prod(shape) >= 1 << 13:
            return np.ndarray(shape, a.dtype, np.full(shape[-1], a), 0, (0,) * (len(shape) - 1) + (a.itemsize,))
        return np.ndarray(shape, a.dtype, a, 0, (0,) * len(shape))
    if not a.flags.c_contiguous or len(shape) < a.ndim:
        return np.broadcast_to(a, shape)
    lead = len(shape) - a.ndim
    steps = tuple([0 if n == 1 else s for n, s in zip(a.shape, a.strides)])
    return np.ndarray(shape, a.dtype, a, 0, (0,) * lead + steps)


def stretched(a, shape):
    """PyTorch's expand; None for what it leaves to others.

    That is an array that is not contiguous, a size of -1, a new axis of size 1, or a wrong shape.
    """
    lead = len(shape) - a.ndim
    if lead < 0 or not a.flags.c_contiguous or not a.size or min(shape, default=0) < 1 or 1 in shape[:lead]:
        return None
    strides = [0] * lead
    for n, s, m in zip(a.shape, a.strides, shape[lead:]):
        if n != m and n != 1:
            return None
        strides.append(s if n == m else 0)
    return np.ndarray(shape, a.dtype, a, 0, strides)


def unsqueeze(a, dim):
    return np.expand_dims(a, dim)


def select(a, dim, index):
    return a[(slice(None),) * dim + (index,)]


def narrow(a, dim, start, length):
    return a[(slice(None),) * dim + (slice(start, start + length),)]


def diagonal(a, offset, dim1, dim2):
    return a.diagonal(offset, dim1, dim2)


def reinterpret(buffer, dtype):
    """The bytes of a flat array as another dtype, without a last part that fills no cell."""
    whole = buffer.nbytes // dtype.itemsize * dtype.itemsize
    return np.frombuffer(buffer, dtype, whole // dtype.itemsize) if whole else buffer[:0].view(dtype)


def stack(arrays, dim):
    """Along a new axis, in row-major order whatever theirs is."""
    if arrays[0].flags.c_contiguous:
        return _in_order(np.stack(arrays, dim))
    return cat([np.expand_dims(a, dim) for a in arrays], dim)


def cat(arrays, dim):
    """End to end along dim, in row-major order whatever theirs is."""
    first = arrays[0]
    if first.flags.c_contiguous:
        return _in_order(np.concatenate(arrays, dim))
    dim %= first.ndim
    before, after, end = first.shape[:dim], first.shape[dim + 1:], 0
    if any([(a.shape[:dim], a.shape[dim + 1:]) != (before, after) for a in arrays]):
        return np.concatenate(arrays, dim)  # refuses them
    shape = (*before, sum([a.shape[dim] for a in arrays]), *after)
    out = np.empty(shape, first.dtype)
    for a in arrays:
        start, end = end, end + a.shape[dim]
        _write(narrow(out, dim, start, end - start), a)
    return out


def flip(a, dims):
    """A copy with the indices along dims reversed, which lies as `a` does."""
    out = _empty_as(a)
    out[...] = np.flip(a, dims)
    return out


def rot90(a, k, dims):
    """A copy turned k quarters from the first of two dims to the second: reversed, then transposed."""
    k %= 4
    if k == 0:
        return a.copy()
    turned = flip(a, dims if k == 2 else dims[k == 1])
    return turned if k == 2 else turned.swapaxes(*dims)


def repeat(a, times, dim):
    """The slices of `a` along dim, each so often: a number, or an array of one number for each."""
    return np.repeat(a, times, dim)


def roll(a, shifts, dims):
    """A fresh row-major array of `a` shifted along dims, or of its cells in order shifted without dims."""
    if dims is None:
        return roll(_in_order(a).reshape(-1), (shifts,), (0,)).reshape(a.shape)
    start = [0] * a.ndim
    for d, n in zip(dims, shifts):
        start[d] = (start[d] + n) % max(a.shape[d], 1)
    out = np.empty(a.shape, a.dtype)
    for halves in _product(*[((slice(k, None), slice(n - k)), (slice(k), slice(n - k, None))) if k
                             else ((slice(None), slice(None)),) for k, n in zip(start, a.shape)]):
        to, source = zip(*halves)
        _write(out[to], a[source])
    return out


def tile(a, repeats):
    """A fresh row-major array of `a` side by side, repeats[d] times along axis d; missing axes are added in front."""
    own = (1,) * (len(repeats) - a.ndim) + a.shape
    out = np.empty([r * n for r, n in zip(repeats, own)], a.dtype)
    cells = out.reshape([n for pair in zip(repeats, own) for n in pair])
    _write(cells, np.broadcast_to(a.reshape([n for size in own for n in (1, size)]), cells.shape))
    return out

"""Elementwise functions run over long arrays a run of cells at a time, also to write into a given array."""
from __future__ import annotations

import numpy as np

from .core import in_order as _in_order
from .halves import by_single as _by_single, single as _single
from .runs import RUN as _RUN, by_runs as _by_runs, in_parts as _in_parts


def in_single(forward, F, *arrays, **attrs):
    """Runs a forward in float32 for float16 arrays, as PyTorch does: its steps are not rounded."""
    return (cellwise if arrays[0].itemsize == 2 else _whole)(forward, F, *arrays, **attrs)


def _whole(forward, F, *arrays, **attrs):
    if arrays[0].itemsize != 2:
        return forward(F, *arrays, **attrs)
    return _by_single(lambda *parts: forward(F, *parts, **attrs))(*arrays)


def narrowed(forward, F, a, b):
    """A forward of a float16 array and a float32 number, either of which is the first, as float16."""
    half = a if a.itemsize == 2 else b

    def run(part):
        return (forward(F, part, b) if half is a else forward(F, a, part)).astype(half.dtype)
    return run(half) if half.size <= _RUN else _by_runs(run)(half)


def cellwise(forward, F, *arrays, **attrs):
    """`in_single`, which takes long arrays some runs of cells at a time."""
    a = arrays[0]
    if a.size <= 2 * _RUN:
        return _whole(forward, F, *arrays, **attrs)
    others = [b for b in arrays[1:] if np.ndim(b)]
    alike = all([b.strides == a.strides and b.shape == a.shape for b in others])
    if alike or not a.flags.c_contiguous or np.broadcast_shapes(a.shape, *[b.shape for b in others]) != a.shape:
        return _by_runs(lambda *parts: _whole(forward, F, *parts, **attrs))(*arrays)
    y = np.empty(a.shape, np.result_type(*[b for b in arrays if b is not None]))
    over(lambda F, y, *parts: _whole(forward, F, *parts, **attrs), F, y, *arrays)
    return y


def in_rows(function, a, *others):
    """The row-major result of an elementwise function(a, *others); others broadcast to `a`.

    A long array of another layout is read in its own order, a run of cells at a time.
    """
    if a.size <= 2 * _RUN or a.flags.c_contiguous or np.broadcast_shapes(a.shape, *map(np.shape, others)) != a.shape:
        return _in_order(function(a, *others))
    d = max(range(a.ndim), key=lambda d: (a.shape[d] > 1) * a.strides[d])
    step, others = max(2 * _RUN * a.shape[d] // a.size, 1), [np.broadcast_to(b, a.shape) for b in others]
    return _in_parts(lambda part, *rest: (function(part, *rest),), a, d, step, *others)[0]


def rowwise(forward, F, a, *others, **attrs):
    """Run a function that treats each row of its operands separately; of large operands some rows at a time."""
    step = max(3 * _RUN * len(a) // max(a.size, 1), 1)
    return _in_parts(lambda *parts: (forward(F, *parts, **attrs),), a, 0, step, *others)[0]


def over(function, F, a, *others, **attrs):
    """Write an elementwise function(F, a, *others) over `a`; a long array a run of cells at a time."""
    if a.size <= _RUN:
        np.copyto(a, function(F, a, *others, **attrs))
    else:
        into(a, function, F, a, *others, run=_RUN, **attrs)


def into(out, function, F, *arrays, run=4 * _RUN, **attrs):
    """Write it to `out`; an operand that shares memory with `out` must lie there cell on cell."""
    for part, near in _parts(out, arrays, run):
        np.copyto(part, function(F, *near, **attrs))


def add_scaled(a, b, alpha):
    """a += alpha * b"""
    for part, (near,) in _parts(a, (b,), 4 * _RUN):
        part += near * alpha


def add_multiplied(a, b, c, value):
    """a += value * b * c, each an array but for value; float16 in float32."""
    for part, (near, other) in _parts(a, (b, c), 4 * _RUN):
        near = _single(near)
        part += (near if value == 1 else near.dtype.type(value) * near) * other


def _parts(out, arrays, run):
    """Yield parts of an array, in memory order, each with the matching parts of the arrays that broadcast to it."""
    if out.size <= run:
        yield out, arrays
        return
    order = sorted(range(out.ndim), key=lambda d: -abs(out.strides[d]))
    arrays = [np.broadcast_to(b, out.shape).transpose(order) if np.ndim(b) else b for b in arrays]
    out = out.transpose(order)
    step = run * len(out) // out.size
    for k in range(0, len(out), step or 1):
        part = slice(k, k + step) if step else k
        yield from _parts(out[part], [b[part] if np.ndim(b) else b for b in arrays], run)

"""Attention some queries at a time, so that there is never a score for every query and key at once.

Nothing but the operands is kept for the way back, which makes the scores of each part anew. float16 goes by way of
float32. Queries are seen as (batch, heads of the keys, queries' heads that share one, positions, features).
"""
from __future__ import annotations

import numpy as np

from .core import empty_as as _empty_as
from .extreme import largest as _largest
from .halves import single as _single

_SCORES = 1 << 17  # at a time


def attention(q, k, v, mask, scale, causal):
    """softmax(q @ k.mT * scale + mask) @ v, of 4 axes each; keys and values may have fewer heads."""
    y = _empty_as(q)
    out, q = _grouped(y, k), _grouped(q, k)
    mask = _of_each(mask, q, k)
    for heads, runs in _parts(q, k):
        keys, values = _single(k[heads]), _single(v[heads])
        for at in [(*heads, slice(None), run) for run in runs]:
            _, shares, total = _shares(q, keys, mask, at, scale, causal)
            found = np.matmul(shares, values[:, :, :shares.shape[-1]])
            found /= total
            out[at] = found.reshape(out[at].shape)
    return y


def attention_grads(g, q, k, v, mask, scale, causal):
    """The gradients for q, k and v, which lie position by position."""
    dq, dk, dv = grads = [np.zeros_like(x.swapaxes(1, 2), order="C").swapaxes(1, 2) for x in (q, k, v)]
    dq = _grouped(dq, k)
    g, q = _grouped(g, k), _grouped(q, k)
    mask = _of_each(mask, q, k)
    for heads, runs in _parts(q, k):
        keys, values = _single(k[heads]), _single(v[heads])
        dkeys, dvalues = _single(dk[heads]), _single(dv[heads])
        for at in [(*heads, slice(None), run) for run in runs]:
            rows, shares, total = _shares(q, keys, mask, at, scale, causal)
            seen = slice(None), slice(None), slice(shares.shape[-1])
            up = _rows(_single(g[at])) / total
            dvalues[seen] += np.matmul(shares.mT, up)
            ds = np.matmul(up, values[seen].mT)
            ds -= np.vecdot(shares, ds)[..., None] / total
            ds *= shares
            dkeys[seen] += np.matmul(ds.mT, rows)
            dq[at] = (np.matmul(ds, keys[seen]) * keys.dtype.type(scale)).reshape(dq[at].shape)
        if dk.itemsize == 2:
            dk[heads], dv[heads] = dkeys, dvalues
    return (*grads, None)


def _shares(q, keys, mask, at, scale, causal):
    """The queries of a part times scale, their shares for the keys, and the sum of these.

    Without the last keys that none sees.
    """
    rows, first, stop = _rows(_single(q[at])) * keys.dtype.type(scale), at[-1].start, at[-1].stop
    shares = np.matmul(rows, (keys[:, :, :stop] if causal else keys).mT)
    scores = shares.reshape(*q[at].shape[:4], shares.shape[-1])
    if causal:
        later = np.arange(first, scores.shape[-1]) > np.arange(first, stop)[:, None]
        np.copyto(scores[..., first:], -np.inf, where=later)
    if mask is not None and mask.dtype == bool:
        np.copyto(scores, -np.inf, where=~mask[at])
    elif mask is not None:
        scores += mask[at]
    top = _largest(shares, -1)
    top[np.isneginf(top)] = 0
    shares -= top
    np.exp(shares, out=shares)
    total = np.add.reduce(shares, axis=-1, keepdims=True)
    total[total == 0] = 1  # of a query that sees nothing
    return rows, shares, total


def _parts(q, k):
    """(batch, heads), for each the runs of positions: so that all have few scores, and long matrices where they can."""
    batch, heads, shared, length, _ = q.shape
    line = shared * k.shape[2]
    step = max(_SCORES // line, 1)
    runs = [slice(at, min(at + step, length)) for at in range(0, length, step)]
    for one in _slices(batch, _SCORES // (heads * length * line)):
        for other in _slices(heads, _SCORES // (length * line)):
            yield (one, other), runs


def _slices(n, step):
    return [slice(at, at + max(step, 1)) for at in range(0, n, max(step, 1))]


def _grouped(x, k):
    return x.reshape(len(x), k.shape[1], -1, *x.shape[2:])


def _of_each(mask, q, k):
    """The mask as it is for every query and key, or None."""
    shape = len(q), q.shape[1] * q.shape[2], q.shape[3], k.shape[2]
    return None if mask is None else _grouped(np.broadcast_to(mask, shape), k)


def _rows(x):
    return x.reshape(*x.shape[:2], -1, x.shape[-1])

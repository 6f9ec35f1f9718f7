"""Attention, said by the functions it is made of."""

from __future__ import annotations

from math import inf

from .buffer import boolean
from .elementwise import where
from .laid import expand
from .masked import tril
from .memory import filled
from .product import matmul
from .reduce import amax, softmax, sum


def attention(q, k, v, mask, scale, causal):
    """softmax(q @ k.mT * scale + mask) @ v, of 4 axes each; keys and values may have fewer heads."""
    return matmul(_shares(q, k, mask, scale, causal), _for_each(v, q)).reshape(q.shape)


def attention_grads(g, q, k, v, mask, scale, causal):
    """The gradients for q, k and v."""
    p, g = _shares(q, k, mask, scale, causal), _by_key(g, k)
    dp = matmul(g, _for_each(v, q).swapaxes(-1, -2))
    ds = p * (dp - sum(dp * p, -1, True)) * scale
    dk, dv = (sum(matmul(x.swapaxes(-1, -2), y), 2) for x, y in ((ds, _by_key(q, k)), (p, g)))
    return matmul(ds, _for_each(k, q)).reshape(q.shape), dk, dv, None


def _shares(q, k, mask, scale, causal):
    """Rows that add up to 1, or to 0, of four axes or five.

    They are (batch, heads of the keys, queries' heads that share one, queries, keys).
    """
    scores = matmul(_by_key(q, k), _for_each(k, q).swapaxes(-1, -2)) * scale
    if causal:
        mask = tril(filled(scores.shape[-2:], True, boolean), 0)
    if mask is not None:
        mask = _by_key(expand(mask, (*q.shape[:3], k.shape[2])), k)
        scores = where(mask, scores, -inf) if mask.dtype is boolean else scores + mask
    return where(amax(scores, -1, True) == -inf, 0.0, softmax(scores, -1))


def _by_key(x, k):
    return x.reshape(len(x), k.shape[1], x.shape[1] // k.shape[1], *x.shape[2:])


def _for_each(k, q):
    """Keys or values as their queries' heads are."""
    batch, heads, *rest = k.shape
    return expand(k.reshape(batch, heads, 1, *rest), (batch, heads, q.shape[1] // heads, *rest))

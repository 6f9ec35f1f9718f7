"""Attention: an average of values, weighed by how well queries and keys agree."""
from __future__ import annotations

from math import sqrt

from ...arguments.numbers import number
from ...backends import backend
from ...dispatch import apply, function, op, recording
from ...dtype import bool as bool_
from ...errors import BroadcastError, DTypeError, ShapeError, align_right
from ..elementwise.arithmetic import mul_number
from ..matrix.linalg import matmul
from .dropout import dropped
from .softmax import safe_softmax


@op(public=False, method=False)
class flash_attention:
    """y = p @ v
    dq = d @ k * scale
    dk = d.mT @ q * scale
    dv = p.mT @ g with scores = q @ k.mT * scale, e = exp(visible(scores, mask, causal)), \
p = e / some(sum(e, -1, True), mask), d = p * (g @ v.mT - sum(g * y, -1, True))

    Neither way makes all of p at once. Worked out as y = t @ v / some(sum(t, -1, True), mask) with
    r = visible(q * scale @ k.mT, mask, causal), m = amax(r, -1, True), t = exp(r - (m if isfinite(m) else 0)), so that
    exp cannot overflow. A mask goes into it as in `scaled_dot_product_attention`.
    """
    torch_name, promote, shown = "ScaledDotProductFlashAttentionForCpuBackward0", None, [0, 1, 2]
    def forward(F, q, k, v, mask=None, *, scale, causal): return F.attention(q, k, v, mask, scale, causal)
    def vjp(F, g, q, k, v, mask, *, scale, causal): return F.attention_grads(g, q, k, v, mask, scale, causal)


@function(public=False, method=False)
def attention_grads(g, q, k, v, mask, scale, causal):
    """The gradients of flash_attention, as recorded ops; q's heads that share one of k's are an axis of their own."""
    by_key = k._a.shape[1], -1
    if mask is not None:
        mask = mask.expand(*q._a.shape[:3], k._a.shape[2]).unflatten(1, by_key)
    q, g, k, v = q.unflatten(1, by_key), g.unflatten(1, by_key), k.unsqueeze(2), v.unsqueeze(2)
    p = shares(q, k, mask, scale, causal)
    ds = recording.softmax_input(matmul(g, v.mT), p, -1) * scale
    return matmul(ds, k).flatten(1, 2), matmul(ds.mT, q).sum(2), matmul(p.mT, g).sum(2), None


def shares(query, key, mask, scale, causal):
    """softmax(query @ key.mT * scale + mask), as recorded ops."""
    root = sqrt(abs(scale))  # query and key are each multiplied by it, so that neither grows large
    scores = matmul(apply(mul_number, query, root if scale >= 0 else -root), apply(mul_number, key.mT, root))
    if causal:
        mask = recording.ones(*scores._a.shape[-2:], dtype=bool_).tril()
    if mask is not None:
        if mask._a.dtype.kind == "b":
            mask = recording.zeros(mask._a.shape, dtype=scores.dtype).masked_fill_(~mask, float("-inf"))
        scores = scores.add_(mask)
    return safe_softmax(scores, -1)


def is_fused(q, k, v, mask, grouped) -> bool:
    """True if PyTorch has one kernel for these: 4 axes, equal features, no gradient of a mask.

    The cells lie side by side.
    """
    if not q.ndim == k.ndim == v.ndim == 4 or not q.size or not k.size or q.shape[3] != v.shape[3]:
        return False
    heads = q.shape[1] % k.shape[1] == 0 if grouped else q.shape[1] == k.shape[1]
    alike = k.shape[:3] == v.shape[:3] and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3]
    if mask is not None:
        fits = all([n in (1, m) for n, m in zip(mask._a.shape[::-1], (k.shape[2], *q.shape[2::-1]))])
        alike = alike and fits and mask._a.ndim in (2, 4) and not mask.requires_grad
    return heads and alike and all([backend.stride(x)[3] == 1 for x in (q, k, v)])


@function(public=False, method=False)
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """softmax(query @ key.mT * scale + mask) @ value, scale being 1 / sqrt(E) where none is given.

    A mask of bools lets attention through where it is True; one of numbers is added. is_causal lets position i see the
    positions up to i. A query that may see nothing has the result 0. dropout_p drops weights.
    Shapes: query (..., L, E), key (..., S, E), value (..., S, V), mask broadcasts to (..., L, S); result (..., L, V).

    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes or dtypes that do not go together, a mask beside is_causal.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html; Vaswani et
        al., arXiv 1706.03762

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> q = rf.tensor([[1., 0.], [0., 1.]])
        >>> F.scaled_dot_product_attention(q, q * 100, rf.tensor([[1.], [2.]]))
        tensor([[1.],
                [2.]])
    """
    given = {"query": query, "key": key, "value": value}
    shapes = align_right(*[(name, x._a.shape) for name, x in given.items()])
    if any(x._a.ndim < 2 for x in given.values()):
        raise ShapeError(shapes,
                         "scaled_dot_product_attention: Expected query, key, and value to all be at least 2 "
                         "dimensional", "(..., positions, features)")
    if len({x._a.dtype for x in given.values()}) > 1 or query._a.dtype.kind != "f":
        raise DTypeError(", ".join(f"{name}: {x.dtype!r}" for name, x in given.items()),
                         "Expected query, key, and value to have the same floating dtype", "e.g. key.to(query.dtype)")
    if attn_mask is not None and attn_mask._a.dtype not in ("bool", "float32", query._a.dtype):
        raise DTypeError(f"attn_mask: {attn_mask.dtype!r}, query: {query.dtype!r}",
                         "Expected attn_mask dtype to be bool or float or to match query dtype",
                         "attn_mask.bool() where it says who is seen, attn_mask.to(query.dtype) where it is added")
    if scale is None:
        scale = 1 / sqrt(query._a.shape[-1] or 1)
    scale = number("scaled_dot_product_attention", "scale", scale)
    dropout_p = dropout_p if dropout_p > 0 else 0.0
    if not dropout_p and is_fused(query._a, key._a, value._a, attn_mask, enable_gqa):
        return apply(flash_attention.op, query, key, value, attn_mask, scale=scale, causal=bool(is_causal))
    if attn_mask is not None and is_causal and query._a.size and key._a.size:
        raise ShapeError("attn_mask with is_causal=True", "Explicit attn_mask should not be set when is_causal=True",
                         "one of the two")
    if enable_gqa and query._a.ndim > 2:
        key, value = [x.repeat_interleave(query._a.shape[-3] // x._a.shape[-3], -3) for x in (key, value)]
    try:
        return matmul(dropped(shares(query, key, attn_mask, scale, is_causal), dropout_p, True), value)
    except BroadcastError as error:
        if enable_gqa or query._a.shape[-3:-2] == key._a.shape[-3:-2]:
            raise
        raise BroadcastError(shapes, error.rule, "as many heads of key and value as of query, the third axis from the "
                             "right; or enable_gqa=True, where several heads of query share one of key") from None

"""Attention: an average of values, weighed by how well queries and keys agree."""
from __future__ import annotations

from math import sqrt

from ..dtype import bool as bool_
from ..errors import DTypeError, ShapeError, align_right
from ..tensor import Tensor
from .arithmetic import mul_number
from .dropout import dropped
from .linalg import matmul
from .registry import apply, function, not_a_tensor, recording
from .softmax import safe_softmax


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
        >>> q = rf.tensor([[1., 0.], [0., 1.]])
        >>> scaled_dot_product_attention(q, q * 100, rf.tensor([[1.], [2.]]))
        tensor([[1.],
                [2.]])
    """
    given = {"query": query, "key": key, "value": value}
    for name, x in (*given.items(), ("attn_mask", query if attn_mask is None else attn_mask)):
        if not isinstance(x, Tensor):
            raise not_a_tensor("scaled_dot_product_attention", name, x)
    shapes = align_right(*[(name, x._a.shape) for name, x in given.items()])
    if any(x._a.ndim < 2 for x in given.values()):
        raise ShapeError(shapes,
                         "scaled_dot_product_attention: Expected query, key, and value to all be at least 2 "
                         "dimensional", "(..., positions, features)")
    if len({x._a.dtype for x in given.values()}) > 1 or query._a.dtype.kind != "f":
        raise DTypeError(", ".join(f"{name}: {x.dtype!r}" for name, x in given.items()),
                         "Expected query, key, and value to have the same floating dtype", "e.g. key.to(query.dtype)")
    if attn_mask is not None and is_causal:
        raise ShapeError("attn_mask with is_causal=True", "Explicit attn_mask should not be set when is_causal=True",
                         "one of the two")
    if attn_mask is not None and attn_mask._a.dtype not in ("bool", "float32", query._a.dtype):
        raise DTypeError(f"attn_mask: {attn_mask.dtype!r}, query: {query.dtype!r}",
                         "Expected attn_mask dtype to be bool or float or to match query dtype",
                         "attn_mask.bool() where it says who is seen, attn_mask.to(query.dtype) where it is added")
    if enable_gqa and query._a.ndim > 2:
        key, value = [x.repeat_interleave(query._a.shape[-3] // x._a.shape[-3], -3) for x in (key, value)]
    long, wide = query._a.shape[-2:]
    scale = 1 / sqrt(wide) if scale is None else scale
    root = sqrt(abs(scale))  # of which query and key get one each, so that neither grows large
    scores = matmul(apply(mul_number, query, root if scale >= 0 else -root), apply(mul_number, key.mT, root))
    if is_causal:
        attn_mask = recording.ones(long, key._a.shape[-2], dtype=bool_).tril()
    if attn_mask is not None:
        if attn_mask._a.dtype.kind == "b":
            attn_mask = recording.zeros(attn_mask._a.shape, dtype=scores.dtype).masked_fill_(~attn_mask, float("-inf"))
        scores = scores.add_(attn_mask)
    return matmul(dropped(safe_softmax(scores, -1), dropout_p, True), value)

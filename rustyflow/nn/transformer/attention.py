"""Attention in several heads."""

from __future__ import annotations

from typing import Any

from ...dtype import bool as bools
from ...errors import ArgumentValueError, AssertedError, ShapeError, StateError, align_right, warn
from ...ops.creation import empty, zeros
from ...ops.join.cat import cat
from ...tensor import Tensor
from .. import functional as F, init
from ..linear import Linear
from ..module import Module
from ..parameter import Parameter


class MultiheadAttention(Module):
    """Each query looks at all keys and takes a weighted mean of the values, in several heads.

    Each head has embed_dim / num_heads of the numbers.

    Shapes:
        query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim), or (N, L, ...) with batch_first, or without N;
        returns (L, N, embed_dim) and, unless need_weights is False, the weights (N, L, S), averaged over the heads.

    Args:
        add_bias_kv: one key and value more, which are learned. add_zero_attn: one more of zeros.

    Raises:
        AssertionError: heads that do not divide embed_dim. ValueError: none of them. ShapeError (a RuntimeError): masks
        of another shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html; Vaswani et al. (2017)

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(5, 2, 8)
        >>> out, weights = rf.nn.MultiheadAttention(8, num_heads=2)(x, x, x)
        >>> out.shape, weights.shape
        (rustyflow.Size([5, 2, 8]), rustyflow.Size([2, 5, 5]))
    """

    _other_nodes = True  # than PyTorch's, which projects query, key and value in other steps

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        _need_heads(embed_dim, num_heads)
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.kdim, self.vdim = (embed_dim if n is None else n for n in (kdim, vdim))
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        made = {"device": device, "dtype": dtype}
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        if not self._qkv_same_embed_dim:
            columns = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
            shapes = {f"{of}_proj_weight": (embed_dim, n) for of, n in columns.items()}
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            self.register_parameter(name, Parameter(empty(shapes[name], **made)) if name in shapes else None)
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * embed_dim, **made)) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, **made)
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, Parameter(empty(1, 1, embed_dim, **made)) if add_bias_kv else None)
        for name in shapes:
            init.xavier_uniform_(getattr(self, name))
        if bias:
            init.zeros_(self.out_proj.bias)
        if add_bias_kv:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def _projected(self, *inputs: Tensor) -> list[Tensor]:
        """Queries, keys and values, each as (N, heads, length, size of a head)."""
        weights = (
            self.in_proj_weight.chunk(3)
            if self._qkv_same_embed_dim
            else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        )
        biases = self.in_proj_bias.chunk(3) if self.in_proj_bias is not None else (None,) * 3
        made = [F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]
        return [x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2) for x in made]

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        batched, first = query.dim() == 3, self.batch_first
        self._need_fit(query, key, value, attn_mask, is_causal)
        inputs = [x.unsqueeze(0) if not batched else x if first else x.transpose(0, 1) for x in (query, key, value)]
        q, k, v = self._projected(*inputs)
        mask = self._mask(attn_mask, key_padding_mask, q, k, batched)
        for more_k, more_v in self._more():
            k, v = (cat((x, more.expand(x.shape[0], -1, -1, -1)), 2) for x, more in ((k, more_k), (v, more_v)))
            mask = mask if mask is None else F.pad(mask, (0, 1))
        scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5)
        weights = (scores if mask is None else scores + mask).softmax(-1)
        weights = F.dropout(weights, self.dropout, self.training)
        heads = weights @ v
        out = self.out_proj(heads.permute(2, 0, 1, 3).flatten(2))  # PyTorch's order: dropout draws along it
        out = out.squeeze(1) if not batched else out.transpose(0, 1) if first else out
        if not need_weights:
            return out, None
        weights = weights.mean(1) if average_attn_weights else weights
        return out, weights if batched else weights.squeeze(0)

    def _more(self) -> list[tuple[Tensor, Tensor]]:
        """Keys and values that stand behind those of the input, each as (1, heads, 1, size of a head)."""
        shape = 1, self.num_heads, 1, self.head_dim
        found = []
        if self.bias_k is not None:
            found.append((self.bias_k.view(shape), self.bias_v.view(shape)))
        if self.add_zero_attn:
            none = zeros(shape, dtype=self.out_proj.weight.dtype)
            found.append((none, none))
        return found

    def _need_fit(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool) -> None:
        if query.shape[-1] != self.embed_dim:
            rule = f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[-1]}"
            raise AssertedError(f"query of shape {tuple(query.shape)}", rule, f"a query that ends in {self.embed_dim}")
        if key.shape[:-1] != value.shape[:-1]:
            rule = "key's sequence and batch dims do not match value's"
            raise AssertedError(align_right(("key", key.shape), ("value", value.shape)), rule, "a value for each key")
        batch = 0 if self.batch_first else 1
        if query.dim() != key.dim() or query.dim() == 3 and query.shape[batch] != key.shape[batch]:
            was = align_right(("query", query.shape), ("key", key.shape))
            raise ShapeError(was, "queries and keys have the same batch", "a key for each query's example")
        if is_causal and mask is None:
            rule = "Need attn_mask if specifying the is_causal hint."
            raise StateError("is_causal=True without attn_mask", rule, "attn_mask=ones(L, L).triu(1).bool()")

    def _mask(self, attn: Tensor | None, padding: Tensor | None, q: Tensor, k: Tensor, batched: bool) -> Tensor | None:
        """The numbers to add to the scores: 0 where a query may look, -inf where not."""
        n, heads, length, size = *q.shape[:3], k.shape[2]
        parts = []
        if attn is not None and padding is not None and attn.dtype is not padding.dtype:
            warn("Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.")
        if attn is not None:
            each = attn.dim() == 3
            _need_mask("attn_mask", attn, (n * heads, length, size) if each else (length, size), ShapeError)
            parts.append(_added(attn, q).reshape((n, heads, length, size) if each else (1, 1, length, size)))
        if padding is not None:
            _need_mask("key_padding_mask", padding, (n, size) if batched else (size,), AssertedError)
            parts.append(_added(padding, q).reshape(n, 1, 1, size))
        return sum(parts[1:], parts[0]) if parts else None


def _need_heads(embed_dim: int, num_heads: int) -> None:
    if embed_dim <= 0 or num_heads <= 0:
        rule = "embed_dim and num_heads must be greater than 0"
        raise ArgumentValueError(f"embed_dim={embed_dim}, num_heads={num_heads}", rule, "MultiheadAttention(8, 2)")
    if embed_dim % num_heads:
        raise AssertedError(
            f"embed_dim={embed_dim}, num_heads={num_heads}",
            "embed_dim must be divisible by num_heads",
            f"num_heads={next(n for n in range(num_heads, 0, -1) if embed_dim % n == 0)}",
        )


def _need_mask(name: str, mask: Tensor, shape: tuple[int, ...], error: type) -> None:
    """Refuse numbers that are no mask, and another shape, with the one of PyTorch's two errors."""
    if not mask.is_floating_point() and mask.dtype is not bools:
        rule = f"only bool and floating types of {name} are supported"
        raise AssertedError(f"{name} of {mask.dtype!r}", rule, "mask.bool(): True where not to look")
    if tuple(mask.shape) != shape:
        rule = f"The shape of the {mask.dim()}D {name} is {tuple(mask.shape)}, but should be {shape}."
        kind = error if mask.dim() == len(shape) else AssertedError
        raise kind(f"{name} of shape {tuple(mask.shape)}", rule, f"a mask of shape {shape}")


def _added(mask: Tensor, like: Tensor) -> Tensor:
    if mask.is_floating_point():
        return mask.to(like.dtype)
    return zeros(mask.shape, dtype=like.dtype).masked_fill(mask, float("-inf"))

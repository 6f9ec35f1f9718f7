"""Attention and the encoder of a transformer."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..dtype import bool as bools
from ..errors import AssertedError, ShapeError, StateError, align_right
from ..ops.creation import empty, zeros
from ..tensor import Tensor
from ..tensor.gradmode import is_grad_enabled
from . import functional as F, init
from .containers import ModuleList
from .functions import GELU, Dropout, ReLU
from .linear import Linear
from .module import Module
from .normalization import LayerNorm
from .parameter import Parameter


class MultiheadAttention(Module):
    """Each query looks at all keys and takes a weighted mean of the values, in several heads of embed_dim / num_heads.

    Shapes:
        query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim), or (N, L, ...) with batch_first, or without N;
        returns (L, N, embed_dim) and, unless need_weights is False, the weights (N, L, S), averaged over the heads.

    Raises:
        AssertionError: heads that do not divide embed_dim. ShapeError (a RuntimeError): masks of another shape.
    Differs from PyTorch: without add_bias_kv and add_zero_attn.
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
        *,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise AssertedError(
                f"embed_dim={embed_dim}, num_heads={num_heads}",
                "embed_dim must be divisible by num_heads",
                f"num_heads={next(n for n in range(num_heads, 0, -1) if embed_dim % n == 0)}",
            )
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        made = {"device": device, "dtype": dtype}
        kdim, vdim = kdim or embed_dim, vdim or embed_dim
        self.together = kdim == vdim == embed_dim
        sizes = (
            (("in_proj_weight", 3 * embed_dim, embed_dim),)
            if self.together
            else (
                ("q_proj_weight", embed_dim, embed_dim),
                ("k_proj_weight", embed_dim, kdim),
                ("v_proj_weight", embed_dim, vdim),
            )
        )
        for name, rows, columns in sizes:
            self.register_parameter(name, Parameter(empty(rows, columns, **made)))
        self.register_parameter("in_proj_bias", Parameter(zeros(3 * embed_dim, **made)) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, **made)
        for name, _, _ in sizes:
            init.xavier_uniform_(getattr(self, name))
        if bias:
            init.zeros_(self.out_proj.bias)

    def _projected(self, *inputs: Tensor) -> list[Tensor]:
        """Queries, keys and values, each as (N, heads, length, size of a head)."""
        weights = (
            self.in_proj_weight.chunk(3)
            if self.together
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
        """What is added to the scores: 0 where a query may look, -inf where not."""
        n, heads, length, size = *q.shape[:3], k.shape[2]
        parts = []
        if attn is not None:
            each = attn.dim() == 3
            _need_mask("attn_mask", attn, (n * heads, length, size) if each else (length, size), ShapeError)
            parts.append(_added(attn, q).reshape((n, heads, length, size) if each else (1, 1, length, size)))
        if padding is not None:
            _need_mask("key_padding_mask", padding, (n, size) if batched else (size,), AssertedError)
            parts.append(_added(padding, q).reshape(n, 1, 1, size))
        return sum(parts[1:], parts[0]) if parts else None


def _need_mask(name: str, mask: Tensor, shape: tuple[int, ...], error: type) -> None:
    """Refuse numbers that are no mask, and a shape that is not due: with PyTorch's error, as it has two kinds."""
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


class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers, each around a residual path with a layer norm.

    Shapes:
        src (S, N, d_model), or (N, S, d_model) with batch_first, or without N; output the same.

    Raises:
        AssertionError: heads that do not divide d_model. ShapeError (a RuntimeError): an activation that is neither
        'relu', 'gelu' nor a function.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html; Vaswani et al. (2017)

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16, batch_first=True)(rf.ones(2, 5, 8)).shape
        rustyflow.Size([2, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        self.norm1, self.norm2 = (LayerNorm(d_model, layer_norm_eps, bias=bias, **made) for _ in range(2))
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        if not callable(activation) and activation not in ("relu", "gelu"):
            rule = f"activation should be relu/gelu, not {activation}"
            raise ShapeError(f"activation={activation!r:.60}", rule, "activation='relu', or a function")
        self.activation = activation if callable(activation) else getattr(F, activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
        if self.norm_first:
            src = src + self._attended(self.norm1(src), masks)
            return src + self._fed(self.norm2(src))
        src = self.norm1(src + self._attended(src, masks))
        return self.norm2(src + self._fed(src))

    def _attended(self, x: Tensor, masks: dict[str, Any]) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])

    def _fed(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Several encoder layers, one after the other: copies of the one that is given.

    Shapes:
        those of the layer.

    Raises:
        TypeError: an encoder_layer that is no module.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
        >>> rf.nn.TransformerEncoder(layer, num_layers=2)(rf.ones(5, 1, 8)).shape
        rustyflow.Size([5, 1, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ):
        super().__init__()
        self.layers = ModuleList([deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm, self.enable_nested_tensor = num_layers, norm, enable_nested_tensor

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        cleared = mask is None and src_key_padding_mask is not None and self._clears(src, src_key_padding_mask.bool())
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        if cleared:
            src = src.masked_fill(src_key_padding_mask.bool().unsqueeze(-1), 0.0)
        return src if self.norm is None else self.norm(src)

    def _clears(self, src: Tensor, padding: Tensor) -> bool:
        """Whether rows of padding come out as 0: as in PyTorch where it is used, not trained, and padded at the end."""
        first = self.layers[0]
        if not self.enable_nested_tensor or src.dim() != 3 or not isinstance(first, TransformerEncoderLayer):
            return False
        attention, act = first.self_attn, first.activation
        usual = attention.batch_first and attention.num_heads % 2 == 0 and attention.in_proj_bias is not None
        usual = usual and not first.norm_first and (act in (F.relu, F.gelu) or isinstance(act, (ReLU, GELU)))
        recorded = is_grad_enabled() and any(x.requires_grad for x in (src, *first.parameters()))
        at_the_end = bool((padding[:, 1:] | ~padding[:, :-1]).all())
        return usual and not first.training and not recorded and at_the_end

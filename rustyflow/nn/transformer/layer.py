"""The parts that layers of an encoder and of a decoder share: two linear layers, and norms around residual paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import ShapeError
from ...tensor import Tensor
from .. import functional as F
from ..functions import Dropout
from ..linear import Linear
from ..module import Module
from ..normalization import LayerNorm


class Layer(Module):
    """Sublayers around residual paths: attention, which each kind has its own of, and two linear layers."""

    def _begin(
        self,
        sublayers: int,
        d_model: int,
        dim_feedforward: int,
        dropout: float,
        activation: str | Callable[[Tensor], Tensor],
        layer_norm_eps: float,
        norm_first: bool,
        bias: bool,
        made: dict[str, Any],
    ) -> None:
        """Hold the two linear layers, and for each sublayer a norm and a dropout: norm1, norm2 ..., dropout1 ...

        Raises:
            ShapeError (a RuntimeError): an activation that is neither 'relu', 'gelu' nor a function.
        """
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        for k in range(1, sublayers + 1):
            setattr(self, f"norm{k}", LayerNorm(d_model, layer_norm_eps, bias=bias, **made))
        for k in range(1, sublayers + 1):
            setattr(self, f"dropout{k}", Dropout(dropout))
        if not callable(activation) and activation not in ("relu", "gelu"):
            rule = f"activation should be relu/gelu, not {activation}"
            raise ShapeError(f"activation={activation!r:.60}", rule, "activation='relu', or a function")
        self.activation = activation if callable(activation) else getattr(F, activation)

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        """Self-attention."""
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **masks)[0])

    def _fed(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

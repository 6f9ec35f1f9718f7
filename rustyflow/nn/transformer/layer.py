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
from .attention import MultiheadAttention


class Layer(Module):
    """Sublayers around residual paths: attention, one or two of them, and two linear layers.

    Raises:
        ShapeError (a RuntimeError): an activation that is neither 'relu', 'gelu' nor a function.
    """

    attentions: tuple[str, ...] = ("self_attn",)

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
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        numbers = range(1, len(self.attentions) + 2)
        for k in numbers:
            setattr(self, f"norm{k}", LayerNorm(d_model, layer_norm_eps, bias=bias, **made))
        for k in numbers:
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

    def _ff_block(self, x: Tensor) -> Tensor:
        """The two linear layers."""
        y = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{len(self.attentions) + 1}")(y)

"""The encoder of a transformer: each place of a sequence looks at all others."""

from __future__ import annotations

from copy import deepcopy

from ...tensor import Tensor
from ...tensor.gradmode import is_grad_enabled
from .. import functional as F
from ..containers import ModuleList
from ..functions import GELU, ReLU
from ..module import Module
from .layer import Layer


class TransformerEncoderLayer(Layer):
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

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        masks = src_mask, src_key_padding_mask, is_causal
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), *masks)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, *masks))
        return self.norm2(src + self._ff_block(src))


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
        """True if rows of padding come out as 0: in PyTorch, outside training, those at the end do."""
        first = self.layers[0]
        if not self.enable_nested_tensor or src.dim() != 3 or not isinstance(first, TransformerEncoderLayer):
            return False
        attention, act = first.self_attn, first.activation
        usual = attention.batch_first and attention.num_heads % 2 == 0 and attention.in_proj_bias is not None
        usual = usual and not first.norm_first and (act in (F.relu, F.gelu) or isinstance(act, (ReLU, GELU)))
        recorded = is_grad_enabled() and any(x.requires_grad for x in (src, *first.parameters()))
        at_the_end = bool((padding[:, 1:] | ~padding[:, :-1]).all())
        return usual and not first.training and not recorded and at_the_end

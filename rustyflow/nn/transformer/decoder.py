"""The decoder of a transformer: each place looks at those of its own sequence, and then at the encoder's memory."""

from __future__ import annotations

from copy import deepcopy

from ...tensor import Tensor
from ..containers import ModuleList
from ..module import Module
from .layer import Layer


class TransformerDecoderLayer(Layer):
    """Self-attention, attention to the memory, and two linear layers, each around a residual path with a layer norm.

    Shapes:
        tgt (T, N, d_model), memory (S, N, d_model), or N first with batch_first, or without N; output as tgt.

    Raises:
        AssertionError: heads that do not divide d_model. ShapeError (a RuntimeError): masks of another shape; an
        activation that is neither 'relu', 'gelu' nor a function.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html; Vaswani et al. (2017)

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.TransformerDecoderLayer(8, nhead=2, dim_feedforward=16, batch_first=True)
        >>> layer(rf.ones(2, 3, 8), rf.ones(2, 5, 8)).shape
        rustyflow.Size([2, 3, 8])
    """

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        others = memory_mask, memory_key_padding_mask, memory_is_causal
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), *own)
            tgt = tgt + self._mha_block(self.norm2(tgt), memory, *others)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, *own))
        tgt = self.norm2(tgt + self._mha_block(tgt, memory, *others))
        return self.norm3(tgt + self._ff_block(tgt))

    def _mha_block(
        self,
        x: Tensor,
        mem: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Tensor | None,
        is_causal: bool = False,
    ) -> Tensor:
        """Attention to the memory."""
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        return self.dropout2(self.multihead_attn(x, mem, mem, need_weights=False, **masks)[0])


class TransformerDecoder(Module):
    """Several decoder layers, one after the other: copies of the one that is given.

    Shapes:
        those of the layer.

    Raises:
        TypeError: a decoder_layer that is no module.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
        >>> rf.nn.TransformerDecoder(layer, num_layers=2)(rf.ones(3, 1, 8), rf.ones(5, 1, 8)).shape
        rustyflow.Size([3, 1, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None):
        super().__init__()
        self.layers = ModuleList([deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)

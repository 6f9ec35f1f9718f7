"""The whole transformer: an encoder reads one sequence, a decoder writes another beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import ShapeError, align_right
from ...ops.creation import full
from ...tensor import Tensor
from .. import functional as F, init
from ..module import Module
from ..normalization import LayerNorm
from .decoder import TransformerDecoder, TransformerDecoderLayer
from .encoder import TransformerEncoder, TransformerEncoderLayer


class Transformer(Module):
    """An encoder and a decoder, as in "Attention Is All You Need".

    Shapes:
        src (S, N, d_model), tgt (T, N, d_model), or N first with batch_first, or without N; output as tgt.

    Raises:
        AssertionError: heads that do not divide d_model. ShapeError (a RuntimeError): sequences of other sizes than
        d_model, or of other batches; masks of another shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Transformer.html; Vaswani et al. (2017)

    Example:
        >>> import rustyflow as rf
        >>> model = rf.nn.Transformer(8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16)
        >>> model(rf.ones(5, 1, 8), rf.ones(3, 1, 8), tgt_mask=model.generate_square_subsequent_mask(3)).shape
        rustyflow.Size([3, 1, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        made = {"device": device, "dtype": dtype}
        how = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(*how, **made)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(*how, **made)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        self._need_fit(src, tgt)
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    def _need_fit(self, src: Tensor, tgt: Tensor) -> None:
        was, batch = align_right(("src", src.shape), ("tgt", tgt.shape)), 0 if self.batch_first else 1
        if src.dim() == 3 and (tgt.dim() != 3 or src.shape[batch] != tgt.shape[batch]):
            fix = "src (N, S, d_model), tgt (N, T, d_model)" if self.batch_first else (
                "src (S, N, d_model), tgt (T, N, d_model), or batch_first=True")
            raise ShapeError(was, "the batch number of src and tgt must be equal", fix)
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            rule = "the feature number of src and tgt must be equal to d_model"
            raise ShapeError(was, rule, f"embed both to sequences that end in {self.d_model}")

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A causal mask to add to scores: 0 for a place itself and those before it, else -inf.

        Example:
            >>> import rustyflow as rf
            >>> rf.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return full((sz, sz), float("-inf"), dtype=dtype, device=device).triu(1)

"""PyTorch's torch.nn.modules: every module, and where `nn` has them from."""
from __future__ import annotations

from . import functions
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from .embedding import Embedding, PReLU
from .lazy import LazyBatchNorm1d, LazyBatchNorm2d, LazyConv1d, LazyConv2d, LazyLinear
from .linear import Bilinear, Flatten, Identity, Linear, Unflatten
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, InstanceNorm1d, InstanceNorm2d, LayerNorm, RMSNorm
from .parameter_dict import ParameterDict
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .resizing import ReflectionPad2d, Upsample, ZeroPad2d
from .transformer import (
    MultiheadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "Bilinear", "Conv1d", "Conv2d", "ConvTranspose1d", "ConvTranspose2d", "Embedding",
    "Flatten", "GRU", "GRUCell", "GroupNorm", "Identity", "InstanceNorm1d", "InstanceNorm2d", "LSTM", "LSTMCell",
    "LayerNorm", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyConv1d", "LazyConv2d", "LazyLinear", "Linear", "Module",
    "ModuleDict", "ModuleList", "MultiheadAttention", "PReLU", "ParameterDict", "ParameterList", "RMSNorm", "RNN",
    "RNNCell", "ReflectionPad2d", "Sequential", "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "Unflatten", "Upsample", "ZeroPad2d", *functions.NAMES,
]
globals().update({name: getattr(functions, name) for name in functions.NAMES})

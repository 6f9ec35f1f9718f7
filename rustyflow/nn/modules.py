"""PyTorch's torch.nn.modules: every module, and where `nn` has them from."""
from __future__ import annotations

from . import functions
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .convolution import Conv1d, Conv2d
from .embedding import Embedding, PReLU
from .linear import Flatten, Identity, Linear, Unflatten
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .transformer import MultiheadAttention, TransformerEncoder, TransformerEncoderLayer

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "Conv1d", "Conv2d", "Embedding", "Flatten", "GRU", "GRUCell", "GroupNorm", "Identity",
    "LSTM", "LSTMCell", "LayerNorm", "Linear", "Module", "ModuleDict", "ModuleList", "MultiheadAttention", "PReLU",
    "ParameterList", "RMSNorm", "RNN", "RNNCell", "Sequential", "TransformerEncoder", "TransformerEncoderLayer",
    "Unflatten", *functions.NAMES,
]
globals().update({name: getattr(functions, name) for name in functions.NAMES})

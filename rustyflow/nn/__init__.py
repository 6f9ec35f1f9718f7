"""Neural networks: modules, their functions and first weights; `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from ..errors import missing
from . import functional, functions, init, utils
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .convolution import Conv1d, Conv2d
from .embedding import Embedding, PReLU
from .linear import Flatten, Identity, Linear, Unflatten
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from .parameter import Parameter
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .transformer import MultiheadAttention, TransformerEncoder, TransformerEncoderLayer

globals().update({name: getattr(functions, name) for name in functions.NAMES})
__all__ = [
    "BatchNorm1d", "BatchNorm2d", "Conv1d", "Conv2d", "Embedding", "Flatten", "GRU", "GRUCell", "GroupNorm", "Identity",
    "LSTM", "LSTMCell", "LayerNorm", "Linear", "Module", "ModuleDict", "ModuleList", "MultiheadAttention", "PReLU",
    "Parameter", "ParameterList", "RMSNorm", "RNN", "RNNCell", "Sequential", "TransformerEncoder",
    "TransformerEncoderLayer", "Unflatten", "functional", "init", "utils",
]
__all__ += functions.NAMES


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

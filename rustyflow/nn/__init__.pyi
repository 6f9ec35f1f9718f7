"""What type checkers and editors see; a test holds that these are the modules and their settings."""
from typing import Any

from .. import Tensor
from . import functional as functional, init as init, modules as modules, utils as utils
from .containers import (
    ModuleDict as ModuleDict,
    ModuleList as ModuleList,
    ParameterList as ParameterList,
    Sequential as Sequential,
)
from .convolution import (
    Conv1d as Conv1d,
    Conv2d as Conv2d,
    ConvTranspose1d as ConvTranspose1d,
    ConvTranspose2d as ConvTranspose2d,
)
from .embedding import Embedding as Embedding, PReLU as PReLU
from .lazy import (
    LazyBatchNorm1d as LazyBatchNorm1d,
    LazyBatchNorm2d as LazyBatchNorm2d,
    LazyConv1d as LazyConv1d,
    LazyConv2d as LazyConv2d,
    LazyLinear as LazyLinear,
)
from .linear import (
    Bilinear as Bilinear,
    Flatten as Flatten,
    Identity as Identity,
    Linear as Linear,
    Unflatten as Unflatten,
)
from .module import Module as Module
from .normalization import (
    BatchNorm1d as BatchNorm1d,
    BatchNorm2d as BatchNorm2d,
    GroupNorm as GroupNorm,
    InstanceNorm1d as InstanceNorm1d,
    InstanceNorm2d as InstanceNorm2d,
    LayerNorm as LayerNorm,
    RMSNorm as RMSNorm,
)
from .parameter_dict import ParameterDict as ParameterDict
from .recurrent import (
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    RNNCell as RNNCell,
)
from .resizing import ReflectionPad2d as ReflectionPad2d, Upsample as Upsample, ZeroPad2d as ZeroPad2d
from .transformer import (
    MultiheadAttention as MultiheadAttention,
    Transformer as Transformer,
    TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer,
    TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer,
)

class Parameter(Tensor):
    def __init__(self, data: Any = ..., requires_grad: bool = ...) -> None: ...

class UninitializedBuffer(Tensor):
    def __init__(self, requires_grad: bool = ..., device: Any = ..., dtype: Any = ...) -> None: ...
    def materialize(self, shape: Any, device: Any = ..., dtype: Any = ...) -> None: ...

class UninitializedParameter(Parameter):
    def __init__(self, requires_grad: bool = ..., device: Any = ..., dtype: Any = ...) -> None: ...
    def materialize(self, shape: Any, device: Any = ..., dtype: Any = ...) -> None: ...

class AdaptiveAvgPool1d(Module):
    def __init__(self, output_size: Any) -> None: ...

class AdaptiveAvgPool2d(Module):
    def __init__(self, output_size: Any) -> None: ...

class AdaptiveMaxPool1d(Module):
    def __init__(self, output_size: Any, return_indices: Any = ...) -> None: ...

class AdaptiveMaxPool2d(Module):
    def __init__(self, output_size: Any, return_indices: Any = ...) -> None: ...

class AvgPool1d(Module):
    def __init__(
        self, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: Any = ...,
        count_include_pad: Any = ...
    ) -> None: ...

class AvgPool2d(Module):
    def __init__(
        self, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: Any = ...,
        count_include_pad: Any = ..., divisor_override: Any = ...
    ) -> None: ...

class BCELoss(Module):
    def __init__(
        self, weight: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class BCEWithLogitsLoss(Module):
    def __init__(
        self, weight: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...,
        pos_weight: Any = ...
    ) -> None: ...

class CELU(Module):
    def __init__(self, alpha: Any = ..., inplace: Any = ...) -> None: ...

class ChannelShuffle(Module):
    def __init__(self, groups: Any) -> None: ...

class CosineEmbeddingLoss(Module):
    def __init__(
        self, margin: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class CosineSimilarity(Module):
    def __init__(self, dim: Any = ..., eps: Any = ...) -> None: ...

class CrossEntropyLoss(Module):
    def __init__(
        self, weight: Any = ..., size_average: Any = ..., ignore_index: Any = ..., reduce: Any = ...,
        reduction: Any = ..., label_smoothing: Any = ...
    ) -> None: ...

class Dropout(Module):
    def __init__(self, p: Any = ..., inplace: Any = ...) -> None: ...

class Dropout1d(Module):
    def __init__(self, p: Any = ..., inplace: Any = ...) -> None: ...

class Dropout2d(Module):
    def __init__(self, p: Any = ..., inplace: Any = ...) -> None: ...

class ELU(Module):
    def __init__(self, alpha: Any = ..., inplace: Any = ...) -> None: ...

class Fold(Module):
    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...
    ) -> None: ...

class GELU(Module):
    def __init__(self, approximate: Any = ...) -> None: ...

class GLU(Module):
    def __init__(self, dim: Any = ...) -> None: ...

class GaussianNLLLoss(Module):
    def __init__(self, full: Any = ..., eps: Any = ..., reduction: Any = ...) -> None: ...

class Hardshrink(Module):
    def __init__(self, lambd: Any = ...) -> None: ...

class Hardsigmoid(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class Hardswish(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class Hardtanh(Module):
    def __init__(self, min_val: Any = ..., max_val: Any = ..., inplace: Any = ...) -> None: ...

class HingeEmbeddingLoss(Module):
    def __init__(
        self, margin: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class HuberLoss(Module):
    def __init__(self, reduction: Any = ..., delta: Any = ...) -> None: ...

class KLDivLoss(Module):
    def __init__(
        self, size_average: Any = ..., reduce: Any = ..., reduction: Any = ..., log_target: Any = ...
    ) -> None: ...

class L1Loss(Module):
    def __init__(self, size_average: Any = ..., reduce: Any = ..., reduction: Any = ...) -> None: ...

class LeakyReLU(Module):
    def __init__(self, negative_slope: Any = ..., inplace: Any = ...) -> None: ...

class LogSigmoid(Module):
    def __init__(self) -> None: ...

class LogSoftmax(Module):
    def __init__(self, dim: Any = ...) -> None: ...

class MSELoss(Module):
    def __init__(self, size_average: Any = ..., reduce: Any = ..., reduction: Any = ...) -> None: ...

class MarginRankingLoss(Module):
    def __init__(
        self, margin: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class MaxPool1d(Module):
    def __init__(
        self, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ...,
        return_indices: Any = ..., ceil_mode: Any = ...
    ) -> None: ...

class MaxPool2d(Module):
    def __init__(
        self, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ...,
        return_indices: Any = ..., ceil_mode: Any = ...
    ) -> None: ...

class Mish(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class MultiLabelSoftMarginLoss(Module):
    def __init__(
        self, weight: Any = ..., size_average: Any = ..., reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class MultiMarginLoss(Module):
    def __init__(
        self, p: Any = ..., margin: Any = ..., weight: Any = ..., size_average: Any = ..., reduce: Any = ...,
        reduction: Any = ...
    ) -> None: ...

class NLLLoss(Module):
    def __init__(
        self, weight: Any = ..., size_average: Any = ..., ignore_index: Any = ..., reduce: Any = ...,
        reduction: Any = ...
    ) -> None: ...

class PairwiseDistance(Module):
    def __init__(self, p: Any = ..., eps: Any = ..., keepdim: Any = ...) -> None: ...

class PixelShuffle(Module):
    def __init__(self, upscale_factor: Any) -> None: ...

class PixelUnshuffle(Module):
    def __init__(self, downscale_factor: Any) -> None: ...

class PoissonNLLLoss(Module):
    def __init__(
        self, log_input: Any = ..., full: Any = ..., size_average: Any = ..., eps: Any = ..., reduce: Any = ...,
        reduction: Any = ...
    ) -> None: ...

class ReLU(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class ReLU6(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class SELU(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class SiLU(Module):
    def __init__(self, inplace: Any = ...) -> None: ...

class Sigmoid(Module):
    def __init__(self) -> None: ...

class SmoothL1Loss(Module):
    def __init__(self, size_average: Any = ..., reduce: Any = ..., reduction: Any = ..., beta: Any = ...) -> None: ...

class SoftMarginLoss(Module):
    def __init__(self, size_average: Any = ..., reduce: Any = ..., reduction: Any = ...) -> None: ...

class Softmax(Module):
    def __init__(self, dim: Any = ...) -> None: ...

class Softmin(Module):
    def __init__(self, dim: Any = ...) -> None: ...

class Softplus(Module):
    def __init__(self, beta: Any = ..., threshold: Any = ...) -> None: ...

class Softshrink(Module):
    def __init__(self, lambd: Any = ...) -> None: ...

class Softsign(Module):
    def __init__(self) -> None: ...

class Tanh(Module):
    def __init__(self) -> None: ...

class Tanhshrink(Module):
    def __init__(self) -> None: ...

class Threshold(Module):
    def __init__(self, threshold: Any, value: Any, inplace: Any = ...) -> None: ...

class TripletMarginLoss(Module):
    def __init__(
        self, margin: Any = ..., p: Any = ..., eps: Any = ..., swap: Any = ..., size_average: Any = ...,
        reduce: Any = ..., reduction: Any = ...
    ) -> None: ...

class TripletMarginWithDistanceLoss(Module):
    def __init__(
        self, *, distance_function: Any = ..., margin: Any = ..., swap: Any = ..., reduction: Any = ...
    ) -> None: ...

class Unfold(Module):
    def __init__(self, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> None: ...

"""PyTorch's torch.nn.functional: layers and losses as functions.

Source: https://pytorch.org/docs/stable/nn.functional.html
"""
from __future__ import annotations

from ..ops.activation import (
    celu,
    elu,
    gelu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    logsigmoid,
    mish,
    relu6,
    selu,
    silu,
    softplus,
)
from ..ops.attention import scaled_dot_product_attention
from ..ops.classification_loss import cross_entropy, nll_loss
from ..ops.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from ..ops.distance import cosine_similarity, pairwise_distance
from ..ops.distance import normalize as _normalize
from ..ops.dropout import dropped as _dropped
from ..ops.embedding import embedding, one_hot
from ..ops.linear import linear
from ..ops.normalization import batch_norm, group_norm, instance_norm, layer_norm
from ..ops.out import with_out as _with_out
from ..ops.padding import pad
from ..ops.pooling import adaptive_avg_pool2d, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from ..ops.probability_loss import binary_cross_entropy, binary_cross_entropy_with_logits, kl_div
from ..ops.regression_loss import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from ..ops.selection import relu as _relu
from ..ops.shrink import glu, hardshrink, prelu, softshrink, softsign, tanhshrink, threshold
from ..ops.softmax import softmin
from ..ops.softmax import usual_dim as _usual_dim

__all__ = ["adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm", "binary_cross_entropy",
           "binary_cross_entropy_with_logits", "celu", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d",
           "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu", "glu", "group_norm", "hardshrink", "hardsigmoid",
           "hardswish", "hardtanh", "huber_loss", "instance_norm", "kl_div", "l1_loss", "layer_norm", "leaky_relu",
           "linear", "log_softmax", "logsigmoid", "max_pool1d", "max_pool2d", "mish", "mse_loss", "nll_loss",
           "normalize", "one_hot", "pad", "pairwise_distance", "prelu", "relu", "relu6", "scaled_dot_product_attention", "selu",
           "sigmoid", "silu", "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold"]

normalize = _with_out(_normalize)


def relu(input, inplace=False):
    """max(x, 0); with `inplace` written into the input itself.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Example:
        >>> import rustyflow as rf
        >>> relu(rf.tensor([-1., 2.]))
        tensor([0., 2.])
    """
    return input.relu_() if inplace else _relu(input)


def sigmoid(input):
    """1 / (1 + exp(-x)): the same as `rustyflow.sigmoid`.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.sigmoid.html

    Example:
        >>> import rustyflow as rf
        >>> sigmoid(rf.tensor([0., 100.]))
        tensor([0.5000, 1.0000])
    """
    return input.sigmoid()


def tanh(input):
    """The hyperbolic tangent: the same as `rustyflow.tanh`.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.tanh.html

    Example:
        >>> import rustyflow as rf
        >>> tanh(rf.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """
    return input.tanh()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """`rustyflow.softmax`; an axis that is left out is guessed, with a warning.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Example:
        >>> import rustyflow as rf
        >>> softmax(rf.tensor([1., 1.]), dim=0)
        tensor([0.5000, 0.5000])
    """
    return input.softmax(_usual_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """`rustyflow.log_softmax`; an axis that is left out is guessed, with a warning.

    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Example:
        >>> import rustyflow as rf
        >>> log_softmax(rf.tensor([1., 1.]), dim=0)
        tensor([-0.6931, -0.6931])
    """
    return input.log_softmax(_usual_dim("log_softmax", input.dim()) if dim is None else dim, dtype=dtype)


def dropout(input, p=0.5, training=True, inplace=False):
    """Every cell becomes 0 with probability p; the others are divided by 1 - p, so that the mean stays.

    Without training, the input itself. The draws are PyTorch's own after manual_seed.

    Raises:
        ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html; Srivastava et al., JMLR 15
        (2014)

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> dropout(rf.ones(4))
        tensor([0., 0., 2., 0.])
    """
    return input.copy_(_dropped(input, p, training)) if inplace else _dropped(input, p, training)


def __dir__():
    return __all__

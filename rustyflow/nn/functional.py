"""PyTorch's torch.nn.functional: layers and losses as functions.

Source: https://pytorch.org/docs/stable/nn.functional.html
"""
from __future__ import annotations

from inspect import signature as _signature

from ..arguments.explain import explaining_once as _taught
from ..dispatch.guard import need_tensors as _need_tensors
from ..dispatch.out import with_out as _with_out
from ..dispatch.promotion import not_a_tensor as _not_a_tensor
from ..errors import missing as _missing
from ..ops.elementwise.selection import relu as _relu
from ..ops.nn.activation import (
    celu,
    elu,
    gelu as _gelu,
    leaky_relu,
    logsigmoid as _logsigmoid,
    mish,
    selu,
    silu,
    softplus as _softplus,
)
from ..ops.nn.adaptive_pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d, adaptive_max_pool2d
from ..ops.nn.attention import scaled_dot_product_attention
from ..ops.nn.batch_norm import batch_norm, instance_norm
from ..ops.nn.classification_loss import cross_entropy, nll_loss
from ..ops.nn.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from ..ops.nn.distance import cosine_similarity, normalize as _normalize, pairwise_distance
from ..ops.nn.dropout import dropout1d, dropout2d, dropout3d, dropped as _dropped
from ..ops.nn.embedding import embedding, one_hot
from ..ops.nn.embedding_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from ..ops.nn.likelihood_loss import gaussian_nll_loss, poisson_nll_loss
from ..ops.nn.linear import bilinear, linear as _linear
from ..ops.nn.margin_loss import margin_ranking_loss, multi_margin_loss, multilabel_soft_margin_loss, soft_margin_loss
from ..ops.nn.normalization import group_norm, layer_norm, rms_norm
from ..ops.nn.padding import pad
from ..ops.nn.piecewise import hardsigmoid, hardswish, hardtanh, hardtanh_ as _hardtanh_, relu6
from ..ops.nn.pooling import avg_pool1d, avg_pool2d as _avg_pool2d, max_pool1d, max_pool2d
from ..ops.nn.probability_loss import binary_cross_entropy, binary_cross_entropy_with_logits, kl_div
from ..ops.nn.rearrange import channel_shuffle, fold, pixel_shuffle, pixel_unshuffle, unfold
from ..ops.nn.regression_loss import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from ..ops.nn.resize import interpolate
from ..ops.nn.shrink import (
    glu,
    hardshrink as _hardshrink,
    prelu,
    softshrink as _softshrink,
    softsign,
    tanhshrink,
    threshold,
)
from ..ops.nn.softmax import gumbel_softmax, softmin, usual_dim as _usual_dim
from ..tensor import Tensor as _Tensor

__all__ = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d avg_pool2d batch_norm
    bilinear binary_cross_entropy binary_cross_entropy_with_logits celu celu_ channel_shuffle conv1d conv2d
    conv_transpose1d conv_transpose2d cosine_embedding_loss cosine_similarity cross_entropy dropout dropout1d
    dropout2d dropout3d elu elu_ embedding fold gaussian_nll_loss gelu glu group_norm gumbel_softmax hardshrink
    hardsigmoid hardswish hardtanh hardtanh_ hinge_embedding_loss huber_loss instance_norm interpolate kl_div
    l1_loss layer_norm leaky_relu leaky_relu_ linear log_softmax logsigmoid margin_ranking_loss max_pool1d
    max_pool2d mish mse_loss multi_margin_loss multilabel_soft_margin_loss nll_loss normalize one_hot pad
    pairwise_distance pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm
    scaled_dot_product_attention selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus
    softshrink softsign tanh tanhshrink threshold threshold_ triplet_margin_loss triplet_margin_with_distance_loss
    unfold
""".split()

avg_pool2d, gelu, hardshrink, linear, logsigmoid, normalize, softplus, softshrink = map(_with_out, (
    _avg_pool2d, _gelu, _hardshrink, _linear, _logsigmoid, _normalize, _softplus, _softshrink))


def relu(input, inplace=False):
    """max(x, 0); with `inplace` written into the input itself.

    Shapes: input of any shape; the result has the same.
    Raises:
        DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.relu(rf.tensor([-1., 2.]))
        tensor([0., 2.])
    """
    if not inplace:
        return _relu(input)
    _need_tensors("relu", input=input)
    return input.relu_()


def _written(name, call, arguments, example):
    """The form that PyTorch has of an activation with an underscore: it writes into its input."""
    call = _taught(call)

    def form(input, *args, **kwargs):
        if not isinstance(input, _Tensor):
            raise _not_a_tensor(name, "input", input)
        return call(input, *args, **kwargs, inplace=True)
    form.__name__ = form.__qualname__ = name
    whole = _signature(call)
    form.__signature__ = whole.replace(parameters=[p for p in whole.parameters.values() if p.name != "inplace"])
    form.__doc__ = f"""`{name[:-1]}` written into the input itself, which it returns.

    Shapes: input of any shape, which it keeps.
    Raises:
        GradError (a RuntimeError): a leaf that requires grad.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([-1., 2.])
        >>> rf.nn.functional.{name}(x{arguments}) is x, x
        (True, tensor({example}))
    """
    return form


celu_ = _written("celu_", celu, "", "[-0.6321,  2.0000]")
elu_ = _written("elu_", elu, "", "[-0.6321,  2.0000]")
hardtanh_ = _written("hardtanh_", _hardtanh_, "", "[-1.,  1.]")
leaky_relu_ = _written("leaky_relu_", leaky_relu, ", 0.5", "[-0.5000,  2.0000]")
relu_ = _written("relu_", relu, "", "[0., 2.]")
selu_ = _written("selu_", selu, "", "[-1.1113,  2.1014]")
threshold_ = _written("threshold_", threshold, ", 0.5, 9.", "[9., 2.]")


def sigmoid(input):
    """1 / (1 + exp(-x)): the same as `rustyflow.sigmoid`.

    Shapes: input of any shape; the result has the same.
    Raises:
        ArgumentTypeError (a TypeError): what is no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.sigmoid.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.sigmoid(rf.tensor([0., 100.]))
        tensor([0.5000, 1.0000])
    """
    _need_tensors("sigmoid", input=input)
    return input.sigmoid()


def tanh(input):
    """The hyperbolic tangent: the same as `rustyflow.tanh`.

    Shapes: input of any shape; the result has the same.
    Raises:
        ArgumentTypeError (a TypeError): what is no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.tanh.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.tanh(rf.tensor([0., 1.]))
        tensor([0.0000, 0.7616])
    """
    _need_tensors("tanh", input=input)
    return input.tanh()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """`rustyflow.softmax`; an axis that is left out is guessed, with a warning.

    Shapes: input of any shape; the result has the same, and adds up to 1 along dim.
    Raises:
        DimError (an IndexError): no such axis. UnsupportedDTypeError (a NotImplementedError): whole numbers without
            dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.softmax(rf.tensor([1., 1.]), dim=0)
        tensor([0.5000, 0.5000])
    """
    _need_tensors("softmax", input=input)
    return input.softmax(_usual_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """`rustyflow.log_softmax`; an axis that is left out is guessed, with a warning.

    Shapes: input of any shape; the result has the same: logarithms of what adds up to 1 along dim.
    Raises:
        DimError (an IndexError): no such axis. UnsupportedDTypeError (a NotImplementedError): whole numbers without
            dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.log_softmax(rf.tensor([1., 1.]), dim=0)
        tensor([-0.6931, -0.6931])
    """
    _need_tensors("log_softmax", input=input)
    return input.log_softmax(_usual_dim("log_softmax", input.dim()) if dim is None else dim, dtype=dtype)


def dropout(input, p=0.5, training=True, inplace=False):
    """Every cell becomes 0 with probability p; the others are divided by 1 - p, so that the mean stays.

    Without training, the input itself. The draws are PyTorch's own after manual_seed.

    Shapes: input of any shape; the result has the same.
    Raises:
        ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html; Srivastava et al., JMLR 15
        (2014)

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> _ = rf.manual_seed(0)
        >>> F.dropout(rf.ones(4))
        tensor([0., 0., 2., 0.])
    """
    return _dropped(input, p, training, inplace=inplace)


globals().update({_name: _taught(globals()[_name]) for _name in __all__})


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

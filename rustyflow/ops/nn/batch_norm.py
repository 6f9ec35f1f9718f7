"""Normalization per channel, over a batch or each of its instances, with statistics that run from batch to batch."""
from __future__ import annotations

from math import prod

from ...arguments.numbers import numbers
from ...dispatch import apply, function, need_float, need_tensors, op, renamed
from ...dtype import float16, float32, refuse
from ...errors import ArgumentValueError, DimError, ShapeError
from ...tensor import no_grad
from ..index.scatter import same_dtype
from ..views import contiguous, view
from .loss import need_untracked
from .normalization import check_affine, standardize

_batch = renamed(standardize.op, "NativeBatchNormBackward0")


@op(public=False, method=False)
class rescale:
    """y = (x - mean) / sqrt(var + eps) * weight + bias
    dx = g * weight / sqrt(var + eps)
    dweight = g * (x - mean) / sqrt(var + eps)
    dbias = g

    All but x have one number per channel, and are seen in the shape `channels`; their gradients are summed.
    """
    torch_name, takes, shown = "NativeBatchNormBackward0", "f", [0, 3, 4]

    def forward(F, x, mean, var, weight=None, bias=None, *, eps, channels):
        root = F.rsqrt(var + eps)
        scale = root if weight is None else root * weight
        return F.rescaled(x, *[v if v is None else v.reshape(channels) for v in (mean, scale, bias)])

    def grad_x(F, g, var, weight, *, eps, channels):
        root = F.rsqrt(var + eps)
        return g * F.reshape(root if weight is None else root * weight, channels)

    def grad_weight(F, g, x, mean, var, *, eps, channels):
        xhat = (x - F.reshape(mean, channels)) * F.reshape(F.rsqrt(var + eps), channels)
        return F.reshape(F.sum_to(g * xhat, channels), mean.shape)

    def grad_bias(F, g, shape, *, eps, channels): return F.reshape(F.sum_to(g, channels), shape)


@function(public=False, method=False)
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """(x - mean) / sqrt(var + eps) * weight + bias, per channel.

    With training, mean and variance are those of the batch, and the running ones (where given) move towards them by
    `momentum`, in place; the running variance counts with correction 1. Without training they are the running ones.

    Shapes: input (N, C, ...); all others (C,), of the input's dtype, or of float32 beside an input of float16.

    Raises:
        ArgumentValueError (a ValueError): training on one value per channel. ShapeError, DTypeError (RuntimeErrors):
            other shapes or dtypes; no running statistics and no training. GradError (one too): those require grad.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html; Ioffe and Szegedy, arXiv
        1502.03167

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> mean, var = rf.zeros(1), rf.ones(1)
        >>> F.batch_norm(rf.tensor([[1.], [3.]]), mean, var, training=True), mean
        (tensor([[-1.0000],
                [ 1.0000]]), tensor([0.2000]))
    """
    shape = input._a.shape
    n = prod(shape[:1] + shape[2:])
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    momentum, eps = _read_numbers(shape, n, given, training, momentum, eps)
    if not input._a.size:  # what PyTorch does then, whatever else is given
        y = input.clone()
        y = y if weight is None else y * weight[0]
        return y if bias is None else y + bias[0]
    if input.dtype is float16 and {x.dtype for x in given.values() if x is not None} == {float32}:
        return batch_norm(input.float(), running_mean, running_var, weight, bias, training, momentum, eps).half()
    _check_operands(input, training, **given)
    channels = (shape[1],) + (1,) * (len(shape) - 2)
    if not training:
        return apply(rescale.op, input, running_mean, running_var, weight, bias, eps=eps, channels=channels)
    y, mean, var = apply(_batch, input, weight, bias, eps=eps, inner=(*shape[:2], prod(shape[2:])), dims=(0, 2),
                         affine=channels)
    _move(running_mean, mean, momentum)
    _move(running_var, var, momentum, n / (n - 1))
    return y


def _read_numbers(shape, n, given, training, momentum, eps):
    """Momentum and eps, after what PyTorch looks at first: n values per channel, and operands that are tensors.

    Raises:
        ArgumentValueError (a ValueError), ArgumentTypeError (a TypeError).
    """
    if training and n == 1 and shape:
        raise ArgumentValueError(f"input {tuple(shape)}",
                                 f"Expected more than 1 value per channel when training, got input size {list(shape)}",
                                 "a larger batch, or training=False")
    need_tensors("batch_norm", **{key: x for key, x in given.items() if x is not None})
    if momentum.__class__ is not float or eps.__class__ is not float:
        momentum, eps = numbers("batch_norm", momentum=momentum, eps=eps)
    if eps < 0 or training and not eps:
        raise ArgumentValueError(f"batch_norm(eps={eps})", "batch_norm eps must be positive during training, and "
                                 f"non-negative otherwise, but got {eps}", "eps=1e-5, a little more than nothing")
    return momentum, eps


def _check_operands(input, training, running_mean, running_var, weight, bias):
    """Refuse shapes and dtypes that do not go together, and statistics that require grad.

    Raises:
        ShapeError, DTypeError, GradError (RuntimeErrors); ArgumentValueError (a ValueError).
    """
    shape = input._a.shape
    if len(shape) < 2:
        alone = not shape or weight is bias is running_mean is None
        wrong = DimError if training and alone else ShapeError
        raise wrong(f"input {tuple(shape)}", "batch_norm needs an input with a batch axis and a channel axis",
                    "(N, C, ...)")
    _check_running(shape, running_mean, running_var, training)
    if training and input._a.dtype.kind != "f" and not input._a.flags.c_contiguous:  # of which PyTorch takes the mean
        raise refuse("batch_norm", input.dtype, "a floating dtype")
    check_affine("batch_norm", shape[1:2], input, weight, bias, mixed=input._a.dtype.kind != "f")
    need_float("batch_norm", input)
    if running_mean is not None:
        same_dtype("batch_norm", input, running_mean, "running_mean")
        same_dtype("batch_norm", input, running_var, "running_var")
    need_untracked("batch_norm", running_mean=running_mean, running_var=running_var)


def _check_running(shape, running_mean, running_var, training):
    """Refuse running statistics that are missing, or of another length than there are channels.

    Raises:
        ShapeError (a RuntimeError); ArgumentValueError (a ValueError): one of the two alone.
    """
    for key, x in (("running_mean", running_mean), ("running_var", running_var)):
        if x is None and not training:
            raise ShapeError(f"{key}=None, training=False", f"Expected {key} to be defined when training=False",
                             "training=True, or give the running statistics")
        if x is not None and x._a.shape != shape[1:2]:
            raise ShapeError(f"input {tuple(shape)}, {key} {tuple(x.shape)}",
                             f"{key} should contain {shape[1]} elements not {x.numel()}",
                             f"one number per channel: ({shape[1]},)")
    if (running_mean is None) != (running_var is None):
        raise ArgumentValueError(f"running_mean={running_mean!r:.30}, running_var={running_var!r:.30}",
                                 "running_mean and running_var must either both be None or neither be None",
                                 "both, or none of them")


def _move(running, now, momentum, factor=1.0):
    """Let a running statistic move towards the one of this batch."""
    if running is not None:
        with no_grad():
            running.mul_(1 - momentum).add_(now.reshape(-1, running.numel()).mean(0).to(running.dtype),
                                            alpha=momentum * factor)


@function(public=False, method=False)
def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-05):
    """(x - mean) / sqrt(var + eps) * weight + bias, per sample and channel.

    Running statistics, where given, move towards the mean over the batch; without use_input_stats they take the place
    of the input's own.

    Shapes: input (N, C, ...); all others (C,).

    Raises:
        ArgumentValueError (a ValueError): one value per channel. Others as batch_norm.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.instance_norm(rf.tensor([[[1., 3.], [10., 30.]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ShapeError("instance_norm(use_input_stats=False)", "Expected running_mean and running_var to be "
                             "defined when use_input_stats is false", "give both, or use_input_stats=True")
        running_mean, running_var = running_mean.to(input.dtype), running_var.to(input.dtype)
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = input._a.shape
    n = prod(shape[2:])
    if len(shape) < 2 or n == 1:
        raise ArgumentValueError(f"input {tuple(shape)}",
                                 f"Expected more than 1 spatial element when training, got input size {list(shape)}",
                                 "(N, C, ...) with more than one cell per channel")
    eps, = numbers("instance_norm", eps=eps)
    _check_running(shape, running_mean, running_var, True)
    need_untracked("instance_norm", running_mean=running_mean, running_var=running_var)
    check_affine("instance_norm", shape[1:2], input, weight, bias)
    each = prod(shape[:2])  # every channel of every sample is a channel of one sample
    weight, bias = [x if x is None else x.repeat(shape[0]) for x in (weight, bias)]
    y, mean, var = apply(_batch, view(contiguous(input), (1, each, *shape[2:])), weight, bias, eps=eps,
                         inner=(1, each, n), dims=(0, 2), affine=(each,) + (1,) * (len(shape) - 2))
    _move(running_mean, mean, momentum)
    _move(running_var, var, momentum, n / (n - 1))
    return view(y, shape)

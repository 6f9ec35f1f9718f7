"""Normalization: mean 0 and variance 1 over a layer, batch, group or instance, then weight and bias, as one node."""
from __future__ import annotations

from math import prod

from ..dtype import finfo, float16
from ..errors import ArgumentTypeError, ArgumentValueError, DimError, DTypeError, ShapeError, TensorError, align_right
from ..history import no_grad
from ..scalars import numbers, whole
from .activation import need_float
from .arithmetic import add_number
from .broadcast import sum_to
from .guard import guard, need_tensors
from .registry import apply, function, op, renamed
from .shape import contiguous
from .view import view


@op(public=False, method=False)
class standardize:
    """y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias
    dx = (gw - mean(gw) - xhat * mean(gw * xhat)) / sqrt(var(x) + eps)
    dweight = sum(g * xhat)
    dbias = sum(g) with gw = g * weight, xhat = (x - mean(x)) / sqrt(var(x) + eps)

    x is seen in the shape `inner`; means are over its axes `dims`; weight and bias are seen in the shape `affine`,
    which broadcasts to x's own.
    """
    torch_name, results, takes = "NativeLayerNormBackward0", ("y", "mean", "var"), "f"
    def forward(F, x, weight=None, bias=None, *, eps, **how): return F.standardize(x, weight, bias, eps, **how)
    def vjp(F, g, x, weight, mean, var, shapes, *, eps, **how):
        return F.standardize_grads(g[0], x, weight, mean, var, shapes, eps, **how)


@function(public=False, method=False)
def standardize_grads(g, x, weight, mean, var, shapes, eps, inner, dims, affine):
    """The gradients of standardize, as recorded ops; from x, so that mean and variance are differentiated too."""
    far = x.reshape(inner)
    far = far - far.mean(dims, keepdim=True)
    root = ((far * far).mean(dims, keepdim=True) + eps).rsqrt()
    xhat = far * root
    gw = (g if weight is None else g * weight.reshape(affine)).reshape(inner)
    dx = (gw - gw.mean(dims, keepdim=True) - xhat * (gw * xhat).mean(dims, keepdim=True)) * root
    dweight = sum_to(g * xhat.reshape(x.shape), affine).reshape(shapes[1]) if shapes[1] else None
    return dx.reshape(x.shape), dweight, sum_to(g, affine).reshape(shapes[2]) if shapes[2] else None


_batch = renamed(standardize.op, "NativeBatchNormBackward0")
_group = renamed(standardize.op, "NativeGroupNormBackward0")


def checked(name, shape, input, weight, bias, mixed=False):
    """Refuse a weight or a bias that is no tensor, or of another shape or (unless mixed) dtype than is needed.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError, DTypeError (RuntimeErrors).
    """
    for key, x in (("weight", weight), ("bias", bias)):
        if x is None:
            continue
        need_tensors(name, **{key: x})
        if x._a.shape != tuple(shape):
            raise ShapeError(align_right(("input", input._a.shape), (key, x._a.shape)),
                             f"{name}: expected {key} to be of shape {tuple(shape)}, but got {key} of shape "
                             f"{tuple(x.shape)}", f"one number per normalized cell or channel: shape {tuple(shape)}")
        if x._a.dtype is not input._a.dtype and not mixed:
            raise DTypeError(f"input of {input.dtype!r}, {key} of {x.dtype!r}",
                             f"{name}: mixed dtype: {key} must have the input's dtype", f"{key}.to({input.dtype!r})")


def listed(name, normalized_shape):
    """The sizes of the last axes, which are to be normalized.

    Raises:
        ArgumentTypeError (a TypeError): no list of sizes.
    """
    if not isinstance(normalized_shape, (tuple, list)):
        raise ArgumentTypeError(f"{name}(..., {normalized_shape!r})",
                                f"{name}(): argument 'normalized_shape' must be tuple of ints, not "
                                f"{type(normalized_shape).__name__}", "the sizes of the last axes, e.g. (x.shape[-1],)")
    return whole(name, **{f"normalized_shape[{k}]": n for k, n in enumerate(normalized_shape)})


def need_end(shape, own):
    """Refuse an input's shape that does not end in these sizes.

    Raises:
        ShapeError (a RuntimeError).
    """
    if not own or shape[-len(own):] != own:
        raise ShapeError(align_right(("input", shape), ("normalized_shape", own)),
                         f"Given normalized_shape={list(own)}, expected input with shape [*, "
                         f"{', '.join(map(str, own))}], but got input of size {list(shape)}",
                         "give the sizes of the last axes, e.g. x.shape[-1:]")


@function(method=False)
@guard
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the last axes, `normalized_shape`.

    The variance is the cells' own (correction 0). Floating dtypes; weight and bias have the shape normalized_shape.

    Raises:
        ShapeError (a RuntimeError): normalized_shape is not the end of the input's shape. ArgumentTypeError (a
            TypeError): it is no list of sizes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html; Ba, Kiros and Hinton, arXiv
        1607.06450

    Example:
        >>> import rustyflow as rf
        >>> layer_norm(rf.tensor([[1., 3.], [10., 30.]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    shape, own = input._a.shape, listed("layer_norm", normalized_shape)
    eps, = numbers("layer_norm", eps=eps)
    checked("layer_norm", own, input, weight, bias)
    need_end(shape, own)
    return apply(standardize.op, input, weight, bias, eps=eps, inner=(prod(shape[:-len(own)]), prod(own)), dims=(1,),
                 affine=own)[0]


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


class NoGroupsError(TensorError, ZeroDivisionError):
    """Channels divided into no groups."""


@function(method=False)
@guard
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance per sample over groups of channels.

    Shapes: input (N, C, ...), C a multiple of num_groups; weight and bias (C,).

    Raises:
        ShapeError (a RuntimeError): channels that do not divide into groups; another shape of weight or bias.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html; Wu and He, arXiv 1803.08494

    Example:
        >>> import rustyflow as rf
        >>> group_norm(rf.tensor([[1., 3., 10., 30.]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = input._a.shape
    groups, = whole("group_norm", num_groups=num_groups)
    if not groups:
        raise NoGroupsError(f"group_norm(num_groups={groups})",
                            "integer division or modulo by zero: there is at least one group",
                            "num_groups=1 for all channels together")
    if len(shape) < 2 or groups < 0 or shape[1] % groups:
        raise ShapeError(f"input {tuple(shape)}, num_groups={groups}",
                         "Expected number of channels in input to be divisible by num_groups, and an input of at "
                         "least 2 axes", "(N, C, ...), C a multiple of num_groups")
    checked("group_norm", shape[1:2], input, weight, bias)
    need_float("group_norm", input)
    input, weight, bias = [x if x is None else contiguous(x) for x in (input, weight, bias)]
    inner = shape[0] * groups, prod(shape[1:]) // groups
    if prod(shape[:1] + shape[2:]) == 1 and shape[1] == groups:
        raise ArgumentValueError(f"input {tuple(shape)}, num_groups={groups}",
                                 f"Expected more than 1 value per channel when training, got input size {list(shape)}",
                                 "fewer groups")
    return apply(_group, input, weight, bias, eps=eps, inner=inner, dims=(1,),
                 affine=(shape[1],) + (1,) * (len(shape) - 2))[0]


@function(method=False)
@guard
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """(x - mean) / sqrt(var + eps) * weight + bias, per channel.

    With training, mean and variance are those of the batch, and the running ones (where given) move towards them by
    `momentum`, in place; the running variance counts with correction 1. Without training they are the running ones.

    Shapes: input (N, C, ...); all others (C,).

    Raises:
        ArgumentValueError (a ValueError): training on one value per channel. ShapeError, DTypeError (RuntimeErrors):
            other shapes or dtypes; no running statistics and no training.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html; Ioffe and Szegedy, arXiv
        1502.03167

    Example:
        >>> import rustyflow as rf
        >>> mean, var = rf.zeros(1), rf.ones(1)
        >>> batch_norm(rf.tensor([[1.], [3.]]), mean, var, training=True), mean
        (tensor([[-1.0000],
                [ 1.0000]]), tensor([0.2000]))
    """
    shape = input._a.shape
    n = prod(shape[:1] + shape[2:])
    if training and len(shape) < 2:
        raise DimError(f"input {tuple(shape)}", "Dimension out of range: batch_norm needs dim 1, the channels",
                       "(N, C, ...)")
    if training and n == 1:
        raise ArgumentValueError(f"input {tuple(shape)}",
                                 f"Expected more than 1 value per channel when training, got input size {list(shape)}",
                                 "a larger batch, or training=False")
    if eps < 0 or training and not eps:
        raise ArgumentValueError(f"batch_norm(eps={eps})", "batch_norm eps must be positive during training, and "
                                 f"non-negative otherwise, but got {eps}", "eps=1e-5, a little more than nothing")
    if len(shape) < 2:
        raise ShapeError(f"input {tuple(shape)}",
                         "running_mean should contain 0 elements: batch_norm needs an input with a batch axis and "
                         "a channel axis", "(N, C, ...)")
    checked("batch_norm", shape[1:2], input, weight, bias)
    for key, x in (("running_mean", running_mean), ("running_var", running_var)):
        if x is None and not training:
            raise ShapeError(f"{key}=None, training=False", f"Expected {key} to be defined when training=False",
                             "training=True, or give the running statistics")
        if x is not None and x._a.shape != shape[1:2]:
            raise ShapeError(f"input {tuple(shape)}, {key} {tuple(x.shape)}",
                             f"{key} should contain {shape[1]} elements not {x.numel()}",
                             f"one number per channel: ({shape[1]},)")
    if not input._a.size:
        y = input.clone()
        y = y if weight is None else y * weight[0]
        return y if bias is None else y + bias[0]
    need_float("batch_norm", input)
    channels = (shape[1],) + (1,) * (len(shape) - 2)
    if not training:
        return apply(rescale.op, input, running_mean, running_var, weight, bias, eps=eps, channels=channels)
    y, mean, var = apply(_batch, input, weight, bias, eps=eps, inner=(*shape[:2], prod(shape[2:])), dims=(0, 2),
                         affine=channels)
    _move(running_mean, mean, momentum)
    _move(running_var, var, momentum, n / (n - 1))
    return y


def _move(running, now, momentum, factor=1.0):
    """Let a running statistic move towards the one of this batch."""
    if running is not None:
        with no_grad():
            running.mul_(1 - momentum).add_(now.reshape(-1, running.numel()).mean(0).to(running.dtype),
                                            alpha=momentum * factor)


@function(method=False)
@guard
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
        >>> instance_norm(rf.tensor([[[1., 3.], [10., 30.]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = input._a.shape
    n = prod(shape[2:])
    if len(shape) < 2 or n == 1:
        raise ArgumentValueError(f"input {tuple(shape)}",
                                 f"Expected more than 1 spatial element when training, got input size {list(shape)}",
                                 "(N, C, ...) with more than one cell per channel")
    checked("instance_norm", shape[1:2], input, weight, bias)
    each = prod(shape[:2])  # every channel of every sample is a channel of one sample
    weight, bias = [x if x is None else x.repeat(shape[0]) for x in (weight, bias)]
    y, mean, var = apply(_batch, view(contiguous(input), (1, each, *shape[2:])), weight, bias, eps=eps,
                         inner=(1, each, n), dims=(0, 2), affine=(each,) + (1,) * (len(shape) - 2))
    _move(running_mean, mean, momentum)
    _move(running_var, var, momentum, n / (n - 1))
    return view(y, shape)


@function(method=False)
@guard
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean(x * x) + eps) * weight, over the last axes: layer_norm without the mean.

    Without eps it is the smallest step above 1, of float32 for float16, which is computed so.
    Shapes: input (..., *normalized_shape); weight of normalized_shape.
    Raises:
        ShapeError (a RuntimeError): an input that does not end in normalized_shape, or a weight of another shape.
        ArgumentTypeError (a TypeError): normalized_shape is no list of sizes. ArgumentValueError (a ValueError): no
            axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html; Zhang and Sennrich, arXiv
        1910.07467

    Example:
        >>> import rustyflow as rf
        >>> rms_norm(rf.tensor([3., 4.]), (2,))
        tensor([0.8485, 1.1314])
    """
    shape, own = input._a.shape, listed("rms_norm", normalized_shape)
    if eps is not None:
        eps, = numbers("rms_norm", eps=eps)
    checked("rms_norm", own, input, weight, None, mixed=True)
    if own and not shape:
        raise ArgumentValueError("rms_norm of a 0-d tensor", "Input tensor must have at least 1 dimensions, but got 0",
                                 "an axis to be normalized")
    need_end(shape, own)
    need_float("rms_norm", input)
    wide = input.float() if input.dtype is float16 else input  # whose squares float16 would not hold
    square = (wide ** 2).mean(tuple(range(-len(own), 0)), keepdim=True)
    out = wide * apply(add_number, square, finfo(wide.dtype).eps if eps is None else eps).rsqrt()
    return contiguous((out if weight is None else out * weight).to(input.dtype))

"""Normalization of each sample, as one node: mean 0 and variance 1, then weight and bias.

Over a layer or a group.
"""
from __future__ import annotations

from math import prod

from ...arguments.numbers import no_tuple, numbers, whole, whole_row
from ...dispatch import apply, function, need_float, op, renamed
from ...dtype import finfo, float16
from ...errors import ArgumentValueError, DTypeError, ShapeError, TensorError, align_right
from ..elementwise.arithmetic import add_number
from ..views import contiguous


@op(public=False, method=False)
class standardize:
    """y = xhat * under(weight, affine, dims) + under(bias, affine, dims)
    dx = (gw - a - xhat * b) / root
    dweight = sum(g * xhat, besides(x, dims, affine))
    dbias = sum(g, besides(x, dims, affine)) with over = normalized(x, dims, affine), \
root = sqrt(var(x, over, correction=0, keepdim=True) + eps), xhat = (x - mean(x, over, True)) / root, \
gw = g * under(weight, affine, dims), a = mean(gw, over, True), b = mean(gw * xhat, over, True)

    x is seen in the shape `inner`; means are over its axes `dims`; weight and bias are seen in the shape `affine`,
    which broadcasts to x's own.
    """
    torch_name, results, takes = "NativeLayerNormBackward0", ("y", "mean", "var"), "f"
    def forward(F, x, weight=None, bias=None, *, eps, **how): return F.standardize(x, weight, bias, eps, **how)
    def vjp(F, g, x, weight, mean, var, shapes, *, eps, **how):
        return F.standardize_grads(g[0], x, weight, mean, var, shapes, eps, **how)


_group = renamed(standardize.op, "NativeGroupNormBackward0")
_group.doc = """y = xhat.view(x.shape) * under(weight, affine, (0, 2)) + under(bias, affine, (0, 2))
    dx = ((gw - a - xhat * b) / root).view(x.shape)
    dweight = sum(g * xhat.view(x.shape), besides(x, (0, 2), affine))
    dbias = sum(g, besides(x, (0, 2), affine)) with r = x.view(inner[0], -1), \
root = sqrt(var(r, 1, correction=0, keepdim=True) + eps), xhat = (r - mean(r, 1, True)) / root, \
gw = (g * under(weight, affine, (0, 2))).view(inner[0], -1), a = mean(gw, 1, True), b = mean(gw * xhat, 1, True)
"""


def check_affine(name, shape, input, weight, bias, mixed=False):
    """Refuses a weight or a bias that is no tensor, or of another shape or dtype than needed.

    A mixed dtype is allowed on request.

    Raises:
        ArgumentTypeError (a TypeError); ShapeError, DTypeError (RuntimeErrors).
    """
    for key, x in (("weight", weight), ("bias", bias)):
        if x is None:
            continue
        if x._a.shape != tuple(shape):
            raise ShapeError(align_right(("input", input._a.shape), (key, x._a.shape)),
                             f"{name}: expected {key} to be of shape {tuple(shape)}, but got {key} of shape "
                             f"{tuple(x.shape)}", f"one number per normalized cell or channel: shape {tuple(shape)}")
        if x._a.dtype is not input._a.dtype and not mixed:
            raise DTypeError(f"input of {input.dtype!r}, {key} of {x.dtype!r}",
                             f"{name}: mixed dtype: {key} must have the input's dtype", f"{key}.to({input.dtype!r})")


def read_normalized_shape(name, normalized_shape):
    """The sizes of the last axes, which are to be normalized.

    Raises:
        ArgumentTypeError (a TypeError): no list of sizes.
    """
    if not isinstance(normalized_shape, (tuple, list)):
        raise no_tuple(name, "normalized_shape", normalized_shape,
                       "the sizes of the last axes, e.g. (x.shape[-1],)")
    return whole_row(name, "normalized_shape", normalized_shape)


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
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the last axes, `normalized_shape`.

    The variance is the cells' own (correction 0). Floating dtypes; weight and bias have the shape normalized_shape.

    Shapes: input (..., *normalized_shape), weight and bias normalized_shape; the result has the input's.
    Raises:
        ShapeError (a RuntimeError): normalized_shape is not the end of the input's shape. ArgumentTypeError (a
            TypeError): it is no list of sizes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html; Ba, Kiros and Hinton, arXiv
        1607.06450

    Example:
        >>> import rustyflow as rf
        >>> rf.layer_norm(rf.tensor([[1., 3.], [10., 30.]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])
    """
    shape, own = input._a.shape, read_normalized_shape("layer_norm", normalized_shape)
    eps, = numbers("layer_norm", eps=eps)
    check_affine("layer_norm", own, input, weight, bias)
    need_end(shape, own)
    return apply(standardize.op, input, weight, bias, eps=eps, inner=(prod(shape[:-len(own)]), prod(own)), dims=(1,),
                 affine=own)[0]


class NoGroupsError(TensorError, ZeroDivisionError):
    """Channels divided into no groups."""


@function(public=False, method=False)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance per sample over groups of channels.

    Shapes: input (N, C, ...), C a multiple of num_groups; weight and bias (C,).

    Raises:
        ShapeError (a RuntimeError): channels that do not divide into groups; another shape of weight or bias.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html; Wu and He, arXiv 1803.08494

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.group_norm(rf.tensor([[1., 3., 10., 30.]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = input._a.shape
    if len(shape) < 2:
        raise ShapeError(f"input {tuple(shape)}", "group_norm: Expected at least 2 dimensions for input tensor but "
                         f"received {len(shape)}", "(N, C, ...)")
    groups, = whole("group_norm", num_groups=num_groups)
    eps, = numbers("group_norm", eps=eps)
    if not groups:
        raise NoGroupsError(f"group_norm(num_groups={groups})",
                            "integer division or modulo by zero: there is at least one group",
                            "num_groups=1 for all channels together")
    if shape[0] * shape[1] // groups * prod(shape[2:]) == 1:
        raise ArgumentValueError(f"input {tuple(shape)}, num_groups={groups}",
                                 f"Expected more than 1 value per group, got input size {list(shape)}",
                                 "fewer groups")
    if groups < 0 or shape[1] % groups:
        raise ShapeError(f"input {tuple(shape)}, num_groups={groups}",
                         "Expected number of channels in input to be divisible by num_groups",
                         "(N, C, ...), C a multiple of num_groups")
    check_affine("group_norm", shape[1:2], input, weight, bias)
    need_float("group_norm", input)
    input, weight, bias = [x if x is None else contiguous(x) for x in (input, weight, bias)]
    inner = shape[0] * groups, prod(shape[1:]) // groups
    return apply(_group, input, weight, bias, eps=eps, inner=inner, dims=(1,),
                 affine=(shape[1],) + (1,) * (len(shape) - 2))[0]


@function(method=False)
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
        >>> rf.rms_norm(rf.tensor([3., 4.]), (2,))
        tensor([0.8485, 1.1314])
    """
    shape, own = input._a.shape, read_normalized_shape("rms_norm", normalized_shape)
    if eps is not None:
        eps, = numbers("rms_norm", eps=eps)
    check_affine("rms_norm", own, input, weight, None, mixed=True)
    if len(shape) < len(own):
        raise ArgumentValueError(align_right(("input", shape), ("normalized_shape", own)),
                                 f"Input tensor must have at least {len(own)} dimensions, but got {len(shape)}",
                                 "the sizes of the last axes, e.g. x.shape[-1:]")
    need_end(shape, own)
    need_float("rms_norm", input)
    wide = input.float() if input.dtype is float16 else input  # float16 would not hold the squares
    square = (wide ** 2).mean(tuple(range(-len(own), 0)), keepdim=True)
    out = wide * apply(add_number, square, finfo(wide.dtype).eps if eps is None else eps).rsqrt()
    return contiguous((out if weight is None else out * weight).to(input.dtype))

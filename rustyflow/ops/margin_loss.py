"""Losses by a margin: of a ranking, of pairs that are alike or not, of triplets, of classes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArgumentValueError, ShapeError, align_right
from ..layout import broadcast_shapes
from ..scalars import numbers
from ..tensor import Tensor
from .activation import logsigmoid, need_float
from .arithmetic import add_number, sub_number
from .distance import pairwise_distance
from .enclosed import enclosed
from .guard import need_tensors
from .registry import apply, function, op, recording
from .regression_loss import constant, reduced, reduction_of, shared
from .selection import clamp_min, minimum, where


def _result(each, reduction, size_average, reduce):
    return reduced(recording, each, reduction_of(reduction, size_average, reduce))


@function(method=False)
def margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin): where target is 1 input1 should be larger, where it is -1 input2.

    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Example:
        >>> import rustyflow as rf
        >>> margin_ranking_loss(rf.tensor([1., 2.]), rf.tensor([3., 1.]), rf.tensor([1., 1.]))
        tensor(1.)
    """
    need_tensors("margin_ranking_loss", input1=input1, input2=input2, target=target)
    margin, = numbers("margin_ranking_loss", margin=margin)
    if not input1._a.ndim == input2._a.ndim == target._a.ndim:
        rows = [(name, x._a.shape) for name, x in (("input1", input1), ("input2", input2), ("target", target))]
        raise ShapeError(align_right(*rows), "margin_ranking_loss : All input tensors should have same dimension",
                         "the same number of axes for all three")
    each = clamp_min(apply(add_number, -target * (input1 - input2), margin), 0)
    return _result(each, reduction, size_average, reduce)


@function(method=False)
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """A distance where target is 1, max(0, margin - distance) where it is -1: alike are pulled, others pushed apart.

    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Example:
        >>> import rustyflow as rf
        >>> hinge_embedding_loss(rf.tensor([0.5, 0.25]), rf.tensor([1., -1.]), reduction="none")
        tensor([0.5000, 0.7500])
    """
    need_tensors("hinge_embedding_loss", input=input, target=target)
    margin, = numbers("hinge_embedding_loss", margin=margin)
    apart = clamp_min(input.new_full((), margin) - input, 0)
    each = where(target != 1, apart, 0.0) + where(target != -1, input, 0.0)
    return _result(each, reduction, size_average, reduce)


@function(method=False)
def cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos of the angle between rows where target is 1, max(0, cos - margin) where it is -1.

    Shapes: inputs (N, D) and target (N,); or (D,) and ().
    Raises:
        ShapeError (a RuntimeError): other shapes. ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Example:
        >>> import rustyflow as rf
        >>> x, y = rf.tensor([[1., 0.], [1., 0.]]), rf.tensor([[0., 1.], [2., 0.]])
        >>> cosine_embedding_loss(x, y, rf.tensor([1., -1.]), reduction="none")
        tensor([1., 1.])
    """
    need_tensors("cosine_embedding_loss", input1=input1, input2=input2, target=target)
    margin, = numbers("cosine_embedding_loss", margin=margin)
    if target._a.ndim > 1 or not input1._a.ndim == input2._a.ndim == target._a.ndim + 1:
        raise ShapeError(f"input1 {tuple(input1.shape)}, input2 {tuple(input2.shape)}, target {tuple(target.shape)}",
                         f"{target._a.ndim}D target tensor expects {target._a.ndim + 1}D input tensors",
                         "a target for each row of the inputs")
    products = [(a * b).sum(-1) for a, b in ((input1, input2), (input1, input1), (input2, input2))]
    lengths = (apply(add_number, products[1], 1e-12) * apply(add_number, products[2], 1e-12)).sqrt()
    cos = products[0] / lengths
    near, far = cos.new_ones(()) - cos, clamp_min(apply(sub_number, cos, margin), 0)
    each = where(target == 1, near, 0.0) + where(target == -1, far, 0.0)
    return _result(each, reduction, size_average, reduce)


def _soft_margin(F, x, target):
    return F.log1p(F.exp(-target * x))


def _soft_margin_slope(F, x, target, g):
    return F.scaled(target / (1 + F.exp(target * x)), -g)


@op(public=False, method=False)
class soft_margin_loss:
    """y = mean(log(1 + exp(-target * x)))        dx = -g / n * target / (1 + exp(target * x))

    For targets 1 and -1. n is how many cells are averaged; see `reduction` at mse_loss.
    Raises: BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.soft_margin_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.soft_margin_loss(rf.tensor([0., 5.]), rf.tensor([1., 1.]), reduction="none")
        tensor([0.6931, 0.0067])
    """
    takes, elementwise = "f", True
    def forward(F, x, target, *, reduction): return F.losses(_soft_margin, F, reduction, x, target)

    def grad_x(F, g, x, target, *, reduction):
        shape = broadcast_shapes(x.shape, target.shape)
        return F.cellwise(_soft_margin_slope, F, x, target, shared(F, g, shape, reduction))

    def call(input, target, size_average=None, reduce=None, reduction="mean"):
        need_tensors("soft_margin_loss", input=input, target=target)
        need_float("soft_margin_loss", input)
        constant("soft_margin_loss", target=target)
        return apply(soft_margin_loss.op, input, target, reduction=reduction_of(reduction, size_average, reduce))


@function(public=False, method=False)
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """binary_cross_entropy_with_logits, as a mean over the classes (the last axis); `weight` has a number per class.

    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html

    Example:
        >>> import rustyflow as rf
        >>> multilabel_soft_margin_loss(rf.zeros(2, 3), rf.ones(2, 3))
        tensor(0.6931)
    """
    need_tensors("multilabel_soft_margin_loss", input=input, target=target)
    reduction = reduction_of(reduction, size_average, reduce)
    each = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    each = each if weight is None else each * weight
    return reduced(recording, each.sum(-1) / input._a.shape[-1], reduction)


@function(public=False, method=False)
@enclosed("MultiMarginLossBackward0")
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over the wrong classes of max(0, margin - score of the right class + score of the wrong one) ** p.

    Shapes: input (N, C), target (N,) of class numbers; or (C,) and ().
    Raises:
        ShapeError (a RuntimeError): other shapes. ArgumentValueError (a ValueError): p is neither 1 nor 2.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html

    Example:
        >>> import rustyflow as rf
        >>> multi_margin_loss(rf.tensor([[0.1, 0.2, 0.4, 0.8]]), rf.tensor([3]))
        tensor(0.3250)
    """
    need_tensors("multi_margin_loss", input=input, target=target)
    need_float("multi_margin_loss", input)
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ArgumentValueError(f"multi_margin_loss(p={p!r})", "only p == 1 and p == 2 supported", "p=1")
    rows = input if input._a.ndim == 2 else input.reshape((1, -1))
    right = target.reshape((-1, 1))
    if input._a.ndim not in (1, 2) or right._a.shape[0] != rows._a.shape[0] or target._a.ndim > 1:
        raise ShapeError(f"input {tuple(input.shape)}, target {tuple(target.shape)}",
                         "inconsistent target size: one class number for each row of scores", "(N, C) and (N,)")
    each = (margin - rows.gather(1, right) + rows).scatter_(1, right, 0.0).relu_()
    each = each if p == 1 else each ** p
    each = (each if weight is None else each * weight[right]).sum(1) / rows._a.shape[1]
    return reduced(recording, each if input._a.ndim == 2 else each.squeeze(0), reduction)


@function(method=False)
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, distance to the positive - distance to the negative + margin), by the p-norm along the last axis.

    With `swap` the negative is as far as the nearer of anchor and positive.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html; Balntas et al.,
        BMVC 2016

    Example:
        >>> import rustyflow as rf
        >>> a, near, far = rf.tensor([[0., 0.]]), rf.tensor([[3., 4.]]), rf.tensor([[0., 5.5]])
        >>> triplet_margin_loss(a, near, far)
        tensor(0.5000)
    """
    need_tensors("triplet_margin_loss", anchor=anchor, positive=positive, negative=negative)
    margin, = numbers("triplet_margin_loss", margin=margin)
    if not anchor._a.ndim == positive._a.ndim == negative._a.ndim:
        rows = [(name, x._a.shape) for name, x in (("anchor", anchor), ("positive", positive), ("negative", negative))]
        raise ShapeError(align_right(*rows), "The anchor, positive, and negative tensors are expected to have the same "
                         "number of dimensions", "the same number of axes for all three")
    reduction = reduction_of(reduction, size_average, reduce)
    return _triplet(lambda a, b: pairwise_distance(a, b, p, eps), anchor, positive, negative, margin, swap, reduction)


@function(public=False, method=False)
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function: Callable | None = None,
                                      margin=1.0, swap=False, reduction="mean"):
    """`triplet_margin_loss` with a distance of the program's own; `pairwise_distance` when left out.

    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction, a margin not above 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html

    Example:
        >>> import rustyflow as rf
        >>> a, near, far = rf.tensor([0., 0.]), rf.tensor([3., 4.]), rf.tensor([0., 5.])
        >>> triplet_margin_with_distance_loss(a, near, far, distance_function=lambda x, y: (x - y).abs().sum())
        tensor(3.)
    """
    need_tensors("triplet_margin_with_distance_loss", anchor=anchor, positive=positive, negative=negative)
    reduction = reduction_of(reduction)
    if margin <= 0:
        raise ArgumentValueError(f"margin={margin!r}", f"margin must be greater than 0, got {margin}", "margin=1.0")
    return _triplet(distance_function or pairwise_distance, anchor, positive, negative, margin, swap, reduction,
                    written_in_python=True)  # which PyTorch's own is, and an operator adds the margin


def _triplet(distance: Callable[[Any, Any], Tensor], anchor, positive, negative, margin, swap, reduction,
             written_in_python=False):
    near, far = distance(anchor, positive), distance(anchor, negative)
    far = minimum(far, distance(positive, negative)) if swap else far
    broadcast_shapes(near._a.shape, far._a.shape)
    near = near + margin if written_in_python else apply(add_number, near, margin)
    return reduced(recording, clamp_min(near - far, 0), reduction)

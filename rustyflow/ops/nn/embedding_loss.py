"""Losses of embeddings, by their distances: of pairs that are alike or not, and of triplets."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arguments.numbers import numbers
from ...dispatch import apply, function, need_tensors, recording
from ...errors import ArgumentValueError, ShapeError, align_right
from ...layout import broadcast_shapes
from ...tensor import Tensor
from ..elementwise.arithmetic import add_number, sub_number
from ..elementwise.clamp import clamp_min
from ..elementwise.selection import minimum, where
from .distance import pairwise_distance
from .loss import reduced, reduction_of


@function(public=False, method=False)
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """A distance where target is 1, max(0, margin - distance) where it is -1: alike are pulled, others pushed apart.

    Shapes: input and target of one shape, or of two that broadcast; the result has no axes, with reduction='none' it
        has the common one.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hinge_embedding_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.hinge_embedding_loss(rf.tensor([0.5, 0.25]), rf.tensor([1., -1.]), reduction="none")
        tensor([0.5000, 0.7500])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    need_tensors("hinge_embedding_loss", input=input, target=target)
    margin, = numbers("hinge_embedding_loss", margin=margin)
    apart = clamp_min(input.new_full((), margin) - input, 0)
    each = where(target != 1, apart, 0) + where(target != -1, input, 0)
    return reduced(recording, each, reduction)


@function(public=False, method=False)
def cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """1 - cos of the angle between rows where target is 1, max(0, cos - margin) where it is -1.

    Shapes: inputs (N, D) and target (N,); or (D,) and ().
    Raises:
        ShapeError (a RuntimeError): other shapes. ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_embedding_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> x, y = rf.tensor([[1., 0.], [1., 0.]]), rf.tensor([[0., 1.], [2., 0.]])
        >>> F.cosine_embedding_loss(x, y, rf.tensor([1., -1.]), reduction="none")
        tensor([1., 1.])
    """
    reduction = reduction_of(reduction, size_average, reduce)
    margin, = numbers("cosine_embedding_loss", margin=margin)
    if target._a.ndim > 1 or not input1._a.ndim == input2._a.ndim == target._a.ndim + 1:
        raise ShapeError(f"input1 {tuple(input1.shape)}, input2 {tuple(input2.shape)}, target {tuple(target.shape)}",
                         f"{target._a.ndim}D target tensor expects {target._a.ndim + 1}D input tensors",
                         "a target for each row of the inputs")
    products = [(a * b).sum(-1) for a, b in ((input1, input2), (input1, input1), (input2, input2))]
    lengths = (apply(add_number, products[1], 1e-12) * apply(add_number, products[2], 1e-12)).sqrt()
    cos = products[0] / lengths
    near, far = cos.new_ones(()) - cos, clamp_min(apply(sub_number, cos, float(margin)), 0)
    each = where(target == 1, near, 0.0) + where(target == -1, far, 0.0)
    return reduced(recording, each, reduction)


@function(public=False, method=False)
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, distance to the positive - distance to the negative + margin), by the p-norm along the last axis.

    With `swap` the negative is as far as the nearer of anchor and positive.
    Shapes: anchor, positive and negative (..., D) with as many axes; the result has no axes, with reduction='none' it
        has theirs without D.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction, a margin not above 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html; Balntas et al.,
        BMVC 2016

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> a, near, far = rf.tensor([[0., 0.]]), rf.tensor([[3., 4.]]), rf.tensor([[0., 5.5]])
        >>> F.triplet_margin_loss(a, near, far)
        tensor(0.5000)
    """
    margin, = numbers("triplet_margin_loss", margin=margin)
    _check_triplet(anchor, positive, negative, margin)
    reduction = reduction_of(reduction, size_average, reduce)
    return _triplet(lambda a, b: pairwise_distance(a, b, p, eps), anchor, positive, negative, margin, swap, reduction)


def _check_triplet(anchor, positive, negative, margin):
    """Refuse a margin not above 0, and tensors with different numbers of axes, though they would broadcast.

    Raises:
        ArgumentValueError (a ValueError). ShapeError (a RuntimeError).
    """
    if margin <= 0:
        raise ArgumentValueError(f"margin={margin!r}", f"margin must be greater than 0, got {margin}", "margin=1.0")
    if not anchor._a.ndim == positive._a.ndim == negative._a.ndim:
        rows = [(name, x._a.shape) for name, x in (("anchor", anchor), ("positive", positive), ("negative", negative))]
        raise ShapeError(align_right(*rows), "The anchor, positive, and negative tensors are expected to have the same "
                         "number of dimensions", "the same number of axes for all three")


@function(public=False, method=False)
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function: Callable | None = None,
                                      margin=1.0, swap=False, reduction="mean"):
    """`triplet_margin_loss` with a distance of the program's own; `pairwise_distance` when left out.

    Shapes: anchor, positive and negative (..., D) with as many axes; the result has no axes, with reduction='none' it
        has theirs without D.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction, a margin not above 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> a, near, far = rf.tensor([0., 0.]), rf.tensor([3., 4.]), rf.tensor([0., 5.])
        >>> F.triplet_margin_with_distance_loss(a, near, far, distance_function=lambda x, y: (x - y).abs().sum())
        tensor(3.)
    """
    reduction = reduction_of(reduction)
    _check_triplet(anchor, positive, negative, margin)
    distance_function = pairwise_distance if distance_function is None else distance_function
    return _triplet(distance_function, anchor, positive, negative, margin, swap, reduction,
                    written_in_python=True)  # in PyTorch, too, so an operator adds the margin


def _triplet(distance: Callable[[Any, Any], Tensor], anchor, positive, negative, margin, swap, reduction,
             written_in_python=False):
    near, far = distance(anchor, positive), distance(anchor, negative)
    far = minimum(far, distance(positive, negative)) if swap else far
    broadcast_shapes(near._a.shape, far._a.shape)
    near = near + margin if written_in_python else apply(add_number, near, margin)
    return reduced(recording, clamp_min(near - far, 0), reduction)

"""Losses by a margin: of a ranking, and of scores for classes."""
from __future__ import annotations

from ...arguments.numbers import numbers
from ...dispatch import apply, function, need_float, op, recording
from ...errors import ArgumentValueError, ShapeError, align_right
from ...layout import broadcast_shapes
from ..elementwise.arithmetic import add_number
from ..elementwise.clamp import clamp_min
from ..index.index_check import check_index, check_inside
from .activation import logsigmoid
from .loss import need_inside, need_untracked, reduced, reduction_of, shared, with_weight


@function(public=False, method=False)
def margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin): where target is 1 input1 should be larger, where it is -1 input2.

    Shapes: inputs and target with as many axes, of one shape or of some that broadcast; the result has no axes, with
        reduction='none' it has the common one.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.margin_ranking_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.margin_ranking_loss(rf.tensor([1., 2.]), rf.tensor([3., 1.]), rf.tensor([1., 1.]))
        tensor(1.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    margin, = numbers("margin_ranking_loss", margin=margin)
    if not input1._a.ndim == input2._a.ndim == target._a.ndim:
        rows = [(name, x._a.shape) for name, x in (("input1", input1), ("input2", input2), ("target", target))]
        raise ShapeError(align_right(*rows), "margin_ranking_loss : All input tensors should have same dimension",
                         "the same number of axes for all three")
    each = clamp_min(apply(add_number, -target * (input1 - input2), margin), 0)
    return reduced(recording, each, reduction)


def _soft_margin(F, x, target):
    return F.log1p(F.exp(-target * x))


def _soft_margin_slope(F, x, target, g):
    return F.scaled(target / (1 + F.exp(target * x)), -g)


@op(public=False, method=False)
class soft_margin_loss:
    """y = reduced(log(1 + exp(-target * x)), reduction)
    dx = -g / among(n, reduction) * target / (1 + exp(target * x))

    For targets 1 and -1. n is how many cells are averaged; see `reduction` at mse_loss.
    Shapes: input of any shape, target of the same or of one that broadcasts to it; the result has no axes, with
        reduction='none' it has the input's.
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
        reduction = reduction_of(reduction, size_average, reduce)
        need_float("soft_margin_loss", input)
        need_untracked("soft_margin_loss", target=target)
        need_inside(input, target=target)
        return apply(soft_margin_loss.op, input, target.to(input.dtype), reduction=reduction)


@function(public=False, method=False)
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """binary_cross_entropy_with_logits, as a mean over the classes (the last axis); `weight` has a number per class.

    Shapes: input and target (..., C), weight (C,); the result has no axes, with reduction='none' (...).
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.multilabel_soft_margin_loss(rf.zeros(2, 3), rf.ones(2, 3))
        tensor(0.6931)
    """
    each = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    each = with_weight(each, weight).sum(input._a.ndim - 1) / input._a.shape[-1]
    return reduced(recording, each, reduction_of(reduction, size_average, reduce))


def _margins(F, x, target, margin):
    """The scores in rows, a column of the right classes, and one of what the margin leaves to their scores."""
    x, right = F.reshape(x, (-1, x.shape[-1] if len(x.shape) else 1)), F.reshape(target, (-1, 1))
    return x, right, margin - F.gather(x, 1, right)


def _over(F, x, right, left):
    """By how much each score comes within the margin, or is above it; 0 for the right class's own."""
    return F.scatter_write(left + x, 1, right, 0.0)


def _margin_losses(F, x, right, left, *, p):
    over = F.relu(_over(F, x, right, left))
    return F.sum(over if p == 1 else over * over, 1) / x.shape[1]


def _margin_slopes(F, x, right, left, g, *, p):
    over, g = _over(F, x, right, left), g * (p / x.shape[1])
    slope = F.kept_where(over > 0, g if p == 1 else over * g)
    return F.scatter_write(slope, 1, right, -F.sum(slope, 1, True))


@op(public=False, method=False)
class multi_margin_loss:
    """y = reduced(weight[target] * sum(over ** p, classes) / x.shape[classes], reduction)
    dx = column(share(g, None, reduction, target) * weight[target]) / x.shape[classes] * \
(up - hot * sum(up, classes, True)) with classes = 0 if x.ndim == 1 else 1, hot = at_classes(target, x), \
over = (1 - hot) * maximum(margin - column(of_target(x, target)) + x, 0), up = 2 * over if p == 2 else sign(over)

    The mean over the wrong classes of how far their score comes within the margin of the right one's, or is above it,
    to the power p, 1 or 2. n is how many cells x has; see `reduction` at mse_loss.
    Shapes: x (N, C), target (N,) of class numbers, weight (C,); or x (C,) and target ().
    Raises: ShapeError, DTypeError, OutsideAxis (RuntimeErrors): other shapes, other class numbers.
        ArgumentValueError (a ValueError): p is neither 1 nor 2, weight has another number of axes, another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_margin_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.multi_margin_loss(rf.tensor([[0.1, 0.2, 0.4, 0.8]]), rf.tensor([3]))
        tensor(0.3250)
    """
    promote = None

    def forward(F, x, target, weight=None, *, p, margin, reduction):
        each = F.reshape(F.rowwise(_margin_losses, F, *_margins(F, x, target, margin), p=p), target.shape)
        return reduced(F, each if weight is None else each * F.index(weight, (0,), (target,)), reduction)

    def grad_x(F, g, x, target, weight, shape, *, p, margin, reduction):
        g = F.expand(shared(F, g, target.shape, reduction), target.shape)
        g = F.reshape(g if weight is None else g * F.index(weight, (0,), (target,)), (-1, 1))
        return F.reshape(F.rowwise(_margin_slopes, F, *_margins(F, x, target, margin), g, p=p), shape)

    def call(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        if p not in (1, 2):
            raise ArgumentValueError(f"multi_margin_loss(p={p!r:.60})", "only p == 1 and p == 2 supported", "p=1")
        need_float("multi_margin_loss", input, half=False)
        need_untracked("multi_margin_loss", weight=weight)
        p, margin = numbers("multi_margin_loss", p=p, margin=margin)
        if weight is not None and weight._a.ndim != 1:
            raise ArgumentValueError(f"weight of shape {tuple(weight.shape)}", "weight must be one-dimensional",
                                     "one weight per class")
        rows, classes = (1, 1, *input._a.shape)[-2:]
        if input._a.ndim > 2 or not classes or target._a.ndim > 1 or target._a.size != rows:
            raise ShapeError(f"input {tuple(input.shape)}, target {tuple(target.shape)}",
                             "inconsistent target size: one class number for each row of scores", "(N, C) and (N,)")
        if weight is not None and (weight._a.shape != (classes,) or weight.dtype is not input.dtype):
            raise ShapeError(f"input {tuple(input.shape)}, weight {tuple(weight.shape)} of {weight.dtype!r}",
                             f"inconsistent weight size, expected {classes} of {input.dtype!r}", "one weight per class")
        check_index("multi_margin_loss", target, ("int64",))
        check_inside("multi_margin_loss", target, classes, 1)
        return apply(multi_margin_loss.op, input, target, weight, p=p, margin=margin, reduction=reduction)

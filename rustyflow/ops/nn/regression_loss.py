"""Losses on numbers: how far predictions are from targets, and from probabilities."""
from __future__ import annotations

from ...arguments.numbers import number
from ...dispatch import apply, check_cast, function, op, recording
from ...dtype import common_dtype
from ...errors import ArgumentValueError, BroadcastError, ShapeError, align_right, warn
from ...layout import broadcast_shapes
from ...tensor import Tensor
from ..views import expand
from .loss import reduced, reduction_of, shared


def compared(**given) -> list[Tensor]:
    """The two tensors, broadcast to one shape; shapes that differ are most often a mistake, so they warn.

    Raises:
        NoTensorError (an AttributeError); BroadcastError (a RuntimeError).
    """
    a, b = [x._a.shape for x in given.values()]
    if a != b:
        try:
            shape = broadcast_shapes(a, b, names=list(given))
        except BroadcastError as error:
            fix = "a loss is cell by cell: give both the same shape"
            raise BroadcastError(error.was, error.rule, fix, **error.facts) from None
        warn(f"Using a target size ({tuple(b)}) that is different to the input size ({tuple(a)}). "
             "This will likely lead to incorrect results due to "
             "broadcasting. Please ensure they have the same size.")
        return [x if x._a.shape == shape else expand(x, shape) for x in given.values()]
    return list(given.values())


# Losses of each cell


def _smooth_l1(F, x, target, *, beta):
    apart = F.abs(x - target)
    return F.where(apart < beta, apart * apart * 0.5 / beta, apart - 0.5 * beta)


def _huber(F, x, target, *, delta):
    apart = F.abs(x - target)
    return F.where(apart <= delta, apart * apart * 0.5, (apart - 0.5 * delta) * delta)


# Slopes by how far x is from the target, or the target from x. A NaN must not fall on a straight line, where the sign
# of NaN, 0, would hide that training has diverged.

def _mse_slope(F, g, apart, reduction):
    if reduction == "none":
        return F.scaled(F.scaled(apart, 2), g)
    return F.scaled(apart, shared(F, g * 2, apart.shape, reduction))


def _smooth_l1_slope(F, x, target, g, *, beta):
    apart = x - target
    return g * F.where(F.abs(apart) >= beta, F.sign(apart), apart / beta)


def _huber_slope(F, x, target, g, *, delta):
    apart = x - target
    return g * F.where(F.abs(apart) >= delta, F.sign(apart) * delta, apart)


@op(public=False, method=False)
class mse_loss:
    """y = reduced((x - target) ** 2, reduction)
    dx = g * 2 * (x - target) / among(n, reduction)
    dtarget = -g * 2 * (x - target) / among(n, reduction)

    n is how many cells are averaged; reduction='sum' adds without dividing, 'none' gives one loss per cell.
    Shapes: input and target of one shape (others that broadcast, with a warning); the result has no axes, with
        reduction='none' it has theirs.
    Raises: ArgumentValueError (a ValueError): another reduction. BroadcastError (a RuntimeError): shapes that do not
        align.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.mse_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.mse_loss(rf.tensor([1., 2.]), rf.tensor([1., 4.]))
        tensor(2.)
    """
    elementwise, takes = True, "f"
    def forward(F, x, target, *, reduction): return reduced(F, F.square_apart(x, target), reduction)

    def grad_x(F, g, x, target, *, reduction): return _mse_slope(F, g, x - target, reduction)
    def grad_target(F, g, x, target, *, reduction): return _mse_slope(F, g, target - x, reduction)

    def call(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
        input, target = compared(input=input, target=target)
        reduction = reduction_of(reduction, size_average, reduce)
        if weight is not None:
            return _weighted((input - target) ** 2, weight, reduction)
        return apply(mse_loss.op, input, target, reduction=reduction)


def _weighted(each, weight, reduction):
    """Losses per cell, each counted so often: their mean is over the weights."""
    each = _counted(each, weight)
    return each.sum() / weight.sum() if reduction == "mean" else reduced(recording, each, reduction)


def _counted(each, weight):
    """Losses per cell times their weights.

    Raises:
        ArgumentValueError (a ValueError): weights of another shape.
    """
    if weight._a.shape != each._a.shape:
        raise ArgumentValueError(align_right(("losses", each._a.shape), ("weight", weight._a.shape)),
                                 "Weights and input must have the same size.", "weight.expand_as(input)")
    return each * weight


@function(public=False, method=False)
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """mean(|x - target|); reduction='sum' adds without dividing, 'none' gives one loss per cell.

    Shapes: input and target of one shape (others that broadcast, with a warning); the result has no axes, with
        reduction='none' it has theirs.
    Raises:
        ArgumentValueError (a ValueError): another reduction. BroadcastError (a RuntimeError): shapes that do not align.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.l1_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.l1_loss(rf.tensor([1., 2.]), rf.tensor([1., 4.]))
        tensor(1.)
    """
    input, target = compared(input=input, target=target)
    reduction, each = reduction_of(reduction, size_average, reduce), (input - target).abs()
    return reduced(recording, each, reduction) if weight is None else _weighted(each, weight, reduction)


@op(public=False, method=False)
class smooth_l1_loss:
    """y = reduced(d * d / (2 * beta) if d < beta else d - beta / 2, reduction)
    dx = g / among(n, reduction) * (x - target) / beta if d < beta else g / among(n, reduction) * sign(x - target)
    dtarget = -dx with d = abs(x - target)

    A parabola near 0 and straight lines outside. n is how many cells are averaged; see `reduction` at mse_loss.
    Shapes: input and target of one shape (others that broadcast, with a warning); the result has no axes, with
        reduction='none' it has theirs.
    Raises: ShapeError (a RuntimeError): a negative beta. Others as mse_loss.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.smooth_l1_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.smooth_l1_loss(rf.tensor([0., 0.]), rf.tensor([0.5, 3.]), reduction="none")
        tensor([0.1250, 2.5000])
    """
    elementwise, torch_name, takes = True, "SmoothL1LossBackward0", "f"

    def forward(F, x, target, *, reduction, beta):
        return F.losses(_smooth_l1, F, reduction, x, target, beta=beta)

    def grad_x(F, g, x, target, *, reduction, beta):
        return F.cellwise(_smooth_l1_slope, F, x, target, shared(F, g, x.shape, reduction), beta=beta)

    def grad_target(F, g, x, target, *, reduction, beta):
        return F.cellwise(_smooth_l1_slope, F, target, x, shared(F, g, x.shape, reduction), beta=beta)

    def call(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
        input, target = compared(input=input, target=target)
        beta = number("smooth_l1_loss", "beta", beta)
        if not beta >= 0:
            raise ShapeError(f"smooth_l1_loss(beta={beta})",
                             "smooth_l1_loss does not support negative values for beta.",
                             "beta of 0 or more; 0 is l1_loss")
        if beta == 0:
            return l1_loss(input, target, size_average, reduce, reduction)
        return apply(smooth_l1_loss.op, input, target, reduction=reduction_of(reduction, size_average, reduce),
                     beta=beta)


@op(public=False, method=False)
class huber_loss:
    """y = reduced(d * d / 2 if d <= delta else delta * (d - delta / 2), reduction)
    dx = g / among(n, reduction) * (x - target) if d < delta else g / among(n, reduction) * delta * sign(x - target)
    dtarget = -dx with d = abs(x - target)

    delta times smooth_l1_loss with beta = delta. The result has the dtype of x, whatever that of the target.
    Shapes: input and target of one shape (others that broadcast, with a warning); the result has no axes, with
        reduction='none' it has theirs.
    Raises: ShapeError (a RuntimeError): a delta that is not positive. DTypeError (a RuntimeError): whole numbers beside
    floats. Others as mse_loss.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.huber_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.huber_loss(rf.tensor([0., 0.]), rf.tensor([0.5, 3.]), reduction="none", delta=2.)
        tensor([0.1250, 4.0000])
    """
    elementwise, takes = True, "f"

    def forward(F, x, target, *, reduction, delta):
        return F.losses(_huber, F, reduction, x, target, delta=delta)

    def grad_x(F, g, x, target, *, reduction, delta):
        return F.cellwise(_huber_slope, F, x, target, shared(F, g, x.shape, reduction), delta=delta)

    def grad_target(F, g, x, target, *, reduction, delta):
        return F.cellwise(_huber_slope, F, target, x, shared(F, g, x.shape, reduction), delta=delta)

    def call(input, target, reduction="mean", delta=1.0, weight=None):
        input, target = compared(input=input, target=target)
        reduction = reduction_of(reduction)
        check_cast(input, common_dtype(input, target))
        delta = number("huber_loss", "delta", delta)
        if not delta > 0:
            raise ShapeError(f"huber_loss(delta={delta})", "huber_loss does not support non-positive values for delta.",
                             "a positive delta")
        how = reduction if weight is None else "none"
        loss = apply(huber_loss.op, input, target, reduction=how, delta=delta).to(input.dtype)
        return loss if weight is None else reduced(recording, _counted(loss, weight), reduction)

"""Losses on probabilities: binary cross-entropy, also of logits, and the Kullback-Leibler divergence."""
from __future__ import annotations

from ...backends import backend
from ...dispatch import apply, function, need_float, need_tensors, op
from ...errors import ArgumentValueError, DTypeError, ShapeError, align_right, warn
from ...layout import broadcast_shapes
from ..elementwise.exponential import xlogy
from .loss import need_inside, need_untracked, reduction_of, shared, with_weight

LEAST = -100.0
"""Logarithms in binary_cross_entropy stop here, so that a probability of 0 has a finite loss; PyTorch's number."""


def _alike(name, input, target, weight):
    """Refuses what is no tensor, a target of another shape, and a weight that does not fit.

    That is one that does not broadcast or wants a gradient.

    Raises:
        NoTensorError (an AttributeError), ArgumentValueError (a ValueError), BroadcastError, GradError (RuntimeErrors).
    """
    if input._a.shape != target._a.shape:
        long = [[n for n in x._a.shape if n != 1] for x in (input, target)]
        raise ArgumentValueError(align_right(("input", input._a.shape), ("target", target._a.shape)),
                                 f"Target size ({tuple(target.shape)}) must be the same as input size "
                                 f"({tuple(input.shape)})", "target.view_as(input)" if long[0] == long[1]
                                 else "one target for each number of input")
    if weight is not None:
        broadcast_shapes(input._a.shape, weight._a.shape, names=("input", "weight"))
        need_untracked(name, weight=weight)


def _of_probability(F, x, target, weight):
    """The binary cross-entropy of each cell."""
    each = (target - 1) * F.clamp(F.log1p(-x), LEAST, None) - target * F.clamp(F.log(x), LEAST, None)
    return with_weight(each, weight)


def _probability_slope(F, x, target, weight, g):
    """The part of its cell's gradient that a probability gets."""
    return with_weight(F.scaled((x - target) / F.clamp(x * (1 - x), 1e-12, None), g), weight)


def _probability_target_slope(F, x, weight, g):
    return with_weight(g * (F.clamp(F.log1p(-x), LEAST, None) - F.clamp(F.log(x), LEAST, None)), weight)


def _of_logit(F, x, target, weight, pos_weight):
    """The same, of logits."""
    log = F.logsigmoid(x) if pos_weight is None else (1 + (pos_weight - 1) * target) * F.logsigmoid(x)
    return with_weight((1 - target) * x - log, weight)


@op(public=False, method=False)
class binary_cross_entropy:
    """y = -reduced(weight * (target * log(x) + (1 - target) * log(1 - x)), reduction)
    dx = g / among(n, reduction) * weight * (x - target) / (x * (1 - x))
    dtarget = g / among(n, reduction) * weight * (log(1 - x) - log(x))
    dweight = -g / among(n, reduction) * (target * log(x) + (1 - target) * log(1 - x))

    x is a probability. n is how many cells are averaged; see `reduction` at mse_loss. Worked out as
    y = reduced(weight * ((target - 1) * maximum(log1p(-x), -100) - target * maximum(log(x), -100)), reduction), so that
    no logarithm is infinite. Prefer binary_cross_entropy_with_logits, which is exact where a probability rounds to 0
    or 1.
    Shapes: input and target of one shape, to which weight broadcasts; the result has no axes, with reduction='none' it
        has theirs.
    Raises: ShapeError, DTypeError (RuntimeErrors): numbers outside [0, 1], dtypes that differ. ArgumentValueError (a
        ValueError): a target of another shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.binary_cross_entropy(rf.tensor([0.5, 0.25]), rf.tensor([1., 0.]), reduction="none")
        tensor([0.6931, 0.2877])
    """
    elementwise, takes = True, "f"

    def forward(F, x, target, weight=None, *, reduction):
        return F.losses(_of_probability, F, reduction, x, target, weight)

    def grad_x(F, g, x, target, weight, *, reduction):
        return F.cellwise(_probability_slope, F, x, target, weight, shared(F, g, x.shape, reduction))

    def grad_target(F, g, x, weight, *, reduction):
        return F.cellwise(_probability_target_slope, F, x, weight, shared(F, g, x.shape, reduction))

    def call(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        _alike("binary_cross_entropy", input, target, weight)
        if target._a.dtype is not input._a.dtype:
            raise DTypeError(f"input: {input.dtype!r}, target: {target.dtype!r}",
                             f"Found dtype {target.dtype.name} but expected {input.dtype.name}",
                             f"target.to({input.dtype!r})")
        need_float("binary_cross_entropy", input)
        for key, x in (("input", input), ("target", target)):
            least, most = (backend.amin(x._a), backend.amax(x._a)) if x._a.size else (0, 1)
            if not (least >= 0 and most <= 1):
                raise ShapeError(f"{key} from {least} to {most}",
                                 f"all elements of {key} should be between 0 and 1",
                                 "x.sigmoid(), or binary_cross_entropy_with_logits")
        if weight is not None and weight._a.shape != input._a.shape:
            need_inside(input, weight=weight)
            weight = weight.expand(input._a.shape)
        y = apply(binary_cross_entropy.op, input, target, weight, reduction=reduction)
        return y if y.dtype is input.dtype else y.to(input.dtype)


@op(public=False, method=False)
class binary_cross_entropy_with_logits:
    """y = reduced(weight * ((1 - target) * x + (1 + (pos_weight - 1) * target) * log(1 + exp(-x))), reduction)
    dx = g / among(n, reduction) * weight * (1 - target - (1 + (pos_weight - 1) * target) / (1 + exp(x)))
    dtarget = g / among(n, reduction) * weight * ((pos_weight - 1) * log(1 + exp(-x)) - x)
    dweight = g / among(n, reduction) * ((1 - target) * x + (1 + (pos_weight - 1) * target) * log(1 + exp(-x)))
    dpos_weight = g / among(n, reduction) * weight * target * log(1 + exp(-x))

    Binary cross-entropy of the probability sigmoid(x); `pos_weight` (per class) counts the ones more. The loss has the
    target's dtype. Worked out as y = reduced(weight * ((1 - target) * x - (1 + (pos_weight - 1) * target) * r),
    reduction) with r = x if x < -40 else -log1p(exp(-x)), so that exp cannot overflow.
    Shapes: input and target of one shape, to which weight and pos_weight broadcast; the result has no axes, with
        reduction='none' it has theirs.
    Raises: ArgumentValueError (a ValueError): a target of another shape, another reduction. DTypeError, ShapeError
        (RuntimeErrors): a target of whole numbers, weights of a larger shape.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html

    Example:
        >>> import rustyflow as rf
        >>> x, target = rf.tensor([0., 1000.]), rf.tensor([1., 1.])
        >>> rf.nn.functional.binary_cross_entropy_with_logits(x, target, reduction="none")
        tensor([0.6931, 0.0000])
    """
    elementwise = True
    def forward(F, x, target, weight=None, pos_weight=None, *, reduction):
        return F.losses(_of_logit, F, reduction, x, target, weight, pos_weight)

    def grad_x(F, g, x, target, weight, pos_weight, *, reduction):
        if pos_weight is None:
            slope = F.sigmoid(x) - target
        else:
            slope = 1 - target - (1 + (pos_weight - 1) * target) * F.sigmoid(-x)
        return with_weight(shared(F, g, x.shape, reduction) * slope, weight)

    def grad_target(F, g, x, weight, pos_weight, *, reduction):
        slope = -x if pos_weight is None else -x - (pos_weight - 1) * F.logsigmoid(x)
        return with_weight(shared(F, g, x.shape, reduction) * slope, weight)

    def call(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        reduction = reduction_of(reduction, size_average, reduce)
        _alike("binary_cross_entropy_with_logits", input, target, None)
        need_float("binary_cross_entropy_with_logits", input)
        if pos_weight is not None:
            need_tensors("binary_cross_entropy_with_logits", pos_weight=pos_weight)
        for key, x in (("target", target), ("pos_weight", pos_weight)):
            if x is not None and x._a.dtype.kind == "b":
                raise DTypeError(f"{key} of {x.dtype!r}", "Subtraction, the `-` operator, with a bool tensor is not "
                                 "supported", f"{key}.float()")
        if target._a.dtype.kind != "f":
            raise DTypeError(f"input: {input.dtype!r}, target: {target.dtype!r}",
                             f"result type {input.dtype.name} can't be cast to the desired output type "
                             f"{target.dtype.name}", f"target.to({input.dtype!r})")
        _alike("binary_cross_entropy_with_logits", input, target, weight)
        need_untracked("binary_cross_entropy_with_logits", pos_weight=pos_weight)
        need_inside(input, weight=weight, pos_weight=pos_weight)
        y = apply(binary_cross_entropy_with_logits.op, input, target, weight, pos_weight, reduction=reduction)
        return y if y.dtype is target.dtype else y.to(target.dtype)


@function(public=False, method=False)
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """mean(target * (log(target) - x)): how far the distribution `target` is from exp(x); x is logarithms.

    With log_target the target is given as logarithms, too. reduction='batchmean' divides the sum by the first size,
    which is the divergence in the mathematical sense; 'mean' divides by all cells.

    Shapes: input and target of one shape, or of two that broadcast; the result has no axes, with reduction='none' it
        has the common one.
    Raises:
        ArgumentValueError (a ValueError): another reduction. BroadcastError (a RuntimeError): shapes that do not align.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.kl_div(rf.tensor([[0.5, 0.5]]).log(), rf.tensor([[1., 0.]]), reduction="batchmean")
        tensor(0.6931)
    """
    how = reduction_of("sum" if reduction == "batchmean" else reduction, size_average, reduce)
    if input._a.dtype.kind != "f" or target._a.dtype.kind != "f":
        raise DTypeError(f"input: {input.dtype!r}, target: {target.dtype!r}", "kl_div: Integral inputs not supported.",
                         "x.float()")
    if how == "mean":
        warn("reduction: 'mean' divides the total loss by both the batch size and the support size. "
             "'batchmean' divides only by the batch size, "
             "and aligns with the KL math definition. 'mean' will be changed to behave the same as "
             "'batchmean' in the next major release.")
    broadcast_shapes(input._a.shape, target._a.shape, names=("input", "target"))
    each = target.exp() * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction == "batchmean" and input._a.ndim:
        return each.sum() / input._a.shape[0]
    return each if how == "none" else each.sum() if how == "sum" else each.mean()

"""Losses on classes: the negative log-likelihood, and the cross-entropy straight from logits."""
from __future__ import annotations

from math import prod

from ...arguments.numbers import number, whole
from ...backends import backend
from ...dispatch import apply, function, need_float, op, recording, renamed
from ...dtype import int64, uint8
from ...errors import ArgumentValueError, DimError, DTypeError, IndexOutOfRange, ShapeError, align_right
from ..elementwise.arithmetic import add_number, mul_number
from ..elementwise.division import div_number
from ..views import contiguous, view
from .loss import need_untracked, reduced, reduction_of
from .softmax import log_softmax

CLASSES = (int64, uint8)
"""The dtypes of class numbers."""


@op(public=False, method=False)
class nll_loss:
    """y = -averaged(of_target(x, kept), w, reduction)
    dx = to_target(-share(g, w, reduction, target), kept, x.shape) with k = target != ignore, kept = target * k, \
w = weight[kept] * k

    x holds logarithms of probabilities. Targets equal to ignore_index count nowhere. reduction='sum' leaves the
    division out, 'none' gives one loss per target.
    Shapes: x (N, C), (N, C, d1, ...) or (C,); target, int64, is the same without C; weight (C,).
    Raises: IndexOutOfRange (an IndexError): a class that is not there. ArgumentValueError (a ValueError): another batch
        size, another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.nll_loss(rf.tensor([[-1., -2.], [-3., -4.]]), rf.tensor([0, 1]))
        tensor(2.5000)
    """
    promote = None
    def forward(F, x, target, weight=None, *, ignore, reduction): return F.nll(x, target, weight, ignore, reduction)
    def grad_x(F, g, target, weight, shape, **how): return F.nll_input(g, target, weight, shape, **how)

    def call(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        target, ignore = check_classes("nll_loss", input, target, weight, ignore_index)
        how = {"ignore": ignore, "reduction": reduction}
        shape = input._a.shape
        if len(shape) < 3:
            return apply(nll_loss.op, input, target, weight, **how)
        if len(shape) == 4:
            return apply(_many, input, target, weight, **how)
        flat = [1, prod(shape[2:])] if prod(shape) else [0, 0]
        input, target = view(contiguous(input), (*shape[:2], *flat)), view(contiguous(target), (shape[0], *flat))
        y = apply(_many, input, target, weight, **how)
        return view(y, (shape[0], *shape[2:])) if reduction == "none" else y


_many = renamed(nll_loss.op, "NllLoss2DBackward0")


def check_classes(name, input, target, weight, ignore):
    """Refuse arguments that no classification can take; return the target, without the axis that it may have beside a
    vector of classes, and ignore_index, or None where it can stand for no target.

    Raises:
        ArgumentTypeError (a TypeError); ArgumentValueError (a ValueError): shapes; DTypeError, ShapeError
        (RuntimeErrors); IndexOutOfRange (an IndexError).
    """
    ignore, = whole(name, ignore_index=ignore)
    if input._a.ndim == 1 and target._a.shape == (1,):
        target = view(target, ())
    a, t = input._a, target._a
    n = a.shape[min(1, a.ndim - 1)] if a.ndim else 0
    weighed = weight is None or weight._a.shape == (n,) and weight._a.dtype is a.dtype
    if not weighed or not a.ndim or t.shape != a.shape[:1][:a.ndim - 1] + a.shape[2:] or target.dtype not in CLASSES:
        misfit(name, input, target, weight, n)
    need_untracked(name, weight=weight)
    need_float(name, input)
    if not backend.are_below(t, n):
        wrong = t[((t < 0) | (t >= n)) & (t != ignore)]
        if wrong.size:
            fix = f"classes are numbered from 0 to {n - 1}"
            if n == 1:
                fix = "an output for each class; for one alone, binary_cross_entropy_with_logits"
            first = int(wrong.flat[0])
            raise IndexOutOfRange(f"target {first}, {n} classes", f"Target {first} is out of bounds.", fix,
                                  index=first, classes=n)
        if not n:
            raise IndexOutOfRange(f"input {tuple(a.shape)}, without classes", "Target is out of bounds: there is no "
                                  "class, even for targets that do not count", "one number per class", classes=0)
        return target, ignore
    return target, ignore if 0 <= ignore < n else None


def misfit(name, input, target, weight, n):
    """The error for shapes and dtypes that no classification can take.

    Raises:
        ArgumentValueError (a ValueError): shapes; DTypeError, ShapeError (RuntimeErrors).
    """
    a, t = input._a, target._a
    shapes = align_right(("input", a.shape), ("target", t.shape))
    if not a.ndim:
        raise ArgumentValueError(shapes, "Expected 1 or more dimensions (got 0)",
                                 "one number per class: (C,), or (N, C)")
    if a.ndim > 1 and (not t.ndim or a.shape[0] != t.shape[0]):
        raise ArgumentValueError(shapes,
                                 f"Expected input batch_size ({a.shape[0]}) to match target batch_size "
                                 f"({t.shape[0] if t.ndim else 'none'}).", "one target per row")
    if target.dtype not in CLASSES:
        raise DTypeError(f"target of {target.dtype!r}",
                         f"expected target dtype to be Long or Byte, but got {target.dtype.name}: targets are "
                         "numbers of classes", "target.long()")
    if t.shape != a.shape[:1][:a.ndim - 1] + a.shape[2:]:
        raise (ArgumentValueError if a.ndim == t.ndim == 1 else ShapeError)(shapes,
                         "the target has the input's shape without its class axis, which is the second one (the "
                         "first of a vector)", _instead(a.shape, t.shape))
    if weight._a.shape == (n,):
        need_float(name, input)
    raise ShapeError(align_right(("input", a.shape), ("weight", weight._a.shape)),
                     f"weight tensor should be defined either for all {n} classes or no classes, "
                     f"in the input's dtype; but got weight of {weight.dtype!r}", f"shape ({n},), {input.dtype!r}")


def _instead(shape, target):
    """The fix for a target of another shape: classes are often the last axis, or 0s and 1s."""
    if target == shape:
        return f"target.argmax({min(1, len(shape) - 1)}): one class number per prediction, as before one_hot"
    if target == shape[:1] + (1,) + shape[2:]:
        return "target.squeeze(1): one class number per prediction"
    if target == shape[:-1]:
        return "input.movedim(-1, 1) has its classes second; or input.flatten(0, -2) and target.flatten()"
    return "one class number per prediction"


@function(public=False, method=False)
def nll(x, target, weight, ignore, reduction):
    """nll_loss to gradients, after its checks."""
    return apply(nll_loss.op, x, target, weight, ignore=ignore, reduction=reduction)


@op(public=False, method=False)
class nll_input:
    """dx of nll_loss: zeros with g's shares at the targets        dg = nll_loss(upstream, target)"""
    promote = None
    def forward(F, g, target, weight=None, *, size, **how): return F.nll_input(g, target, weight, size, **how)
    def grad_g(F, u, target, weight, *, size, **how): return F.nll(u, target, weight, **how)


class _from_logits:
    """y = averaged(log(sum(exp(x), classes)) - of_target(x, kept), w, reduction)
    dx = column(share(g, w, reduction, target)) * (softmax(x, classes) - at_classes(kept, x)) \
with classes = 0 if x.ndim == 1 else 1, k = target != ignore, kept = target * k, w = weight[kept] * k

    log_softmax and nll_loss as one node, which keeps softmax(x) for its gradient as a second result. With weights, and
    targets that are ignored, each loss counts as in nll_loss. Worked out as
    y = averaged(log(sum(exp(x - m), classes)) - (of_target(x, kept) - amax(x, classes)), w, reduction)
    with classes = 0 if x.ndim == 1 else 1, k = target != ignore, kept = target * k, w = weight[kept] * k,
    m = amax(x, classes, True), so that exp cannot overflow.
    """
    torch_name, results, promote, materialize = "NllLossBackward0", ("y", "shares"), None, False
    def forward(F, x, target, weight=None, **how): return F.cross_entropy(x, target, weight, **how)

    def grad_x(F, g, shares, target, weight, **how):
        dx = None if g[0] is None else F.cross_entropy_input(g[0], shares, target, weight, **how)
        if g[1] is None:
            return dx
        through = F.softmax_input(g[1], shares, min(1, shares.ndim - 1))
        return through if dx is None else dx + through


_from_logits.__name__ = "cross_entropy"
fused = op(_from_logits, public=False, method=False).op


@function(public=False, method=False)
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """The negative log-likelihood of the targets under softmax(input): log(sum(exp(x))) - x[target], averaged.

    Targets are class numbers, or probabilities in the input's shape. `weight` is a weight per class; targets equal to
    ignore_index count nowhere; label_smoothing takes that share of every target and spreads it over all classes;
    reduction='sum' adds, 'none' gives one loss per target.

    Shapes: input (N, C), (N, C, d1, ...) or (C,); target the same without C, or the same; weight (C,).

    Raises:
        IndexOutOfRange (an IndexError): a class that is not there. ArgumentValueError (a ValueError): another batch
            size, another reduction.
        ShapeError, DTypeError (RuntimeErrors): other shapes and dtypes; label_smoothing above 1.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> logits = rf.tensor([[2., 0., 0.], [0., 0., 5.]], requires_grad=True)
        >>> loss = F.cross_entropy(logits, rf.tensor([0, 1])); loss
        tensor(2.6265, grad_fn=<NllLossBackward0>)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if input._a.ndim < 1 <= target._a.ndim:
        raise DimError(align_right(("input", input._a.shape), ("target", target._a.shape)),
                       "Dimension out of range (expected to be in range of [-1, 0], but got 1): a 0-d input has "
                       "no classes", "one number per class: (C,), or (N, C)")
    label_smoothing = number("cross_entropy", "label_smoothing", label_smoothing)
    if label_smoothing > 1:
        raise ShapeError(f"label_smoothing={label_smoothing}", "label_smoothing must be between 0.0 and 1.0",
                         "0.1 is common")
    if target._a.shape == input._a.shape and target._a.dtype.kind != "f":
        raise DTypeError(f"target of {target.dtype!r}, of the input's shape {tuple(input.shape)}",
                         f"Expected floating point type for target with class probabilities, got {target.dtype.name}",
                         _instead(input._a.shape, target._a.shape))
    if input._a.size or target._a.dtype.kind == "f":  # without cells, PyTorch asks for the target first
        need_float("cross_entropy", input)
    if target._a.dtype.kind == "f":
        return _from_probabilities(input, target, weight, ignore_index, reduction, label_smoothing)
    if label_smoothing > 0 and input._a.ndim == 1 and target._a.shape == (1,):
        raise ShapeError(align_right(("input", input._a.shape), ("target", target._a.shape)), "output with shape [] "
                         "doesn't match the broadcast shape [1]", "target[0], the class of the one vector")
    target, ignore = check_classes("cross_entropy", input, target, weight, ignore_index)
    if not label_smoothing > 0:
        y = apply(fused if input._a.ndim < 3 else _fused_many, input, target, weight, ignore=ignore,
                  reduction=reduction)[0]
        # what is neither a row nor an image PyTorch computes as an image
        return view(y, y._a.shape) if reduction == "none" and input._a.ndim in (3, 5) else y
    dim = min(1, input._a.ndim - 1)
    logs = log_softmax(input, dim)
    loss = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    counted = target != ignore_index
    spread = -(logs if weight is None else logs * _along(weight, dim, logs._a.ndim)).sum(dim)
    counts = counted if weight is None else weight[target.where(counted, 0)] * counted
    spread = reduced(recording, spread.masked_fill(~counted, 0), reduction, counts.sum())
    share = label_smoothing / input._a.shape[dim]
    return apply(mul_number, loss, 1 - label_smoothing) + apply(mul_number, spread, share)


_fused_many = renamed(fused, "NllLoss2DBackward0")


def _along(weight, dim, ndim):
    """A weight per class, ready to broadcast along the class axis."""
    return weight.view((-1,) + (1,) * (ndim - 1 - dim))


def _from_probabilities(input, target, weight, ignore, reduction, smoothing):
    """The cross-entropy for targets that are distributions."""
    a, dim = input._a, min(1, input._a.ndim - 1)
    if a.shape != target._a.shape:
        wrong = ArgumentValueError if a.ndim > 1 and a.shape[0] != (*target._a.shape, 0)[0] else ShapeError
        column = ".squeeze(1)" * (target._a.shape == (*a.shape[:1], 1))
        raise wrong(align_right(("input", a.shape), ("target", target._a.shape)),
                    "targets that are probabilities have the input's shape; class numbers have dtype int64",
                    f"target{column}.long() if these are numbers of classes")
    if ignore >= 0:
        raise ShapeError(f"ignore_index={ignore} with targets of {target.dtype!r}",
                         "ignore_index is not supported for floating point target", "leave it out")
    if weight is not None and weight._a.shape != a.shape[dim:dim + 1]:
        raise ShapeError(align_right(("input", a.shape), ("weight", weight._a.shape)),
                         "weight tensor should be defined either for all classes or no classes",
                         f"shape ({a.shape[dim]},)")
    if smoothing > 0:
        target = apply(add_number, apply(mul_number, target, 1 - smoothing), smoothing / a.shape[dim])
    each = log_softmax(input, dim) * target
    each = each if weight is None else each * _along(weight, dim, a.ndim)
    if reduction == "none":
        return -each.sum(dim)
    loss = -each.sum()
    return loss if reduction == "sum" else apply(div_number, loss, a.size // a.shape[dim] if a.shape[dim] else 0)

"""Losses that are a negative log-likelihood: of counts, and of normal numbers."""
from __future__ import annotations

from math import log as log_of, pi

from ...dispatch import apply, function, need_tensors, recording
from ...errors import ArgumentValueError, wrong_type
from ...tensor import Tensor, no_grad
from ..elementwise.arithmetic import add_number, mul_number
from ..elementwise.exponential import exp, log
from .loss import reduced, reduction_of


@function(public=False, method=False)
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """-log of the probability of a count, up to what does not depend on the input: exp(input) - target * input.

    Without log_input the input is the rate itself: input - target * log(input + eps). With `full` Stirling's
    approximation of log(target!) is added, for targets above 1.
    Shapes: input and target of one shape, or of two that broadcast; the result has no axes, with reduction='none' it
        has the common one.
    Raises:
        BroadcastError (a RuntimeError). ArgumentValueError (a ValueError): another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.poisson_nll_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.poisson_nll_loss(rf.tensor([0., 1.]), rf.tensor([2., 3.]), reduction="none")
        tensor([ 1.0000, -0.2817])
    """
    need_tensors("poisson_nll_loss", input=input, target=target)
    reduction = reduction_of(reduction, size_average, reduce)
    each = exp(input) - target * input if log_input else input - target * log(apply(add_number, input, eps))
    if full:
        width = apply(mul_number, log(apply(mul_number, target, 2 * pi)), 0.5)
        each = each + (target * log(target) - target + width).masked_fill(target <= 1, 0)
    return reduced(recording, each, reduction)


@function(public=False, method=False)
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """-log of the density of target under normal distributions of means `input` and variances `var`, at least eps.

    Up to the constant log(2 * pi) / 2, which is added with `full`: (log(var) + (input - target) ** 2 / var) / 2.
    Shapes: input and target of one shape, or of two that broadcast; var the same, or with 1 for the last size, or
        without it; the result has no axes, with reduction='none' it has the input's.
    Raises:
        ArgumentValueError (a ValueError): a negative variance, of a shape that does not fit; another reduction.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.gaussian_nll_loss(rf.tensor([1., 2.]), rf.tensor([1., 4.]), rf.tensor([1., 4.]), reduction="none")
        tensor([0.0000, 1.1931])
    """
    shape, given = input._a.shape, var
    if not isinstance(given, (float, Tensor)):
        raise wrong_type("gaussian_nll_loss", "var", var, "Tensor or float", "e.g. var=1.0")
    var = input.new_ones(()) * var if isinstance(given, float) else given
    if (var._a < 0).any():
        raise ArgumentValueError("var with a negative cell", "var has negative entry/entries",
                                 "var.exp(), or var.abs()")
    if var is given and var._a.shape != shape:
        if shape[:-1] == var._a.shape:
            var = var.unsqueeze(-1)
        elif var._a.ndim != len(shape) or sum([m for n, m in zip(shape, var._a.shape) if n != m]) != 1:
            raise ArgumentValueError(f"input of shape {tuple(shape)}, var of shape {tuple(var.shape)}",
                                     "var is of incorrect size", "a variance for each cell, or for each row")
    reduction = reduction_of(reduction)
    var = var.clone()
    with no_grad():  # the gradient is that of the variance as it was given
        var.clamp_(min=eps)
    each = 0.5 * (log(var) + (input - target) ** 2 / var)
    return reduced(recording, each + 0.5 * log_of(2 * pi) if full else each, reduction)

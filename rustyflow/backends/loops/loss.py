"""Losses on classes, said by the functions they are made of. `ignore` is None where every target counts."""

from __future__ import annotations

from .elementwise import where
from .indexed import gather, index, scatter_add_zeros
from .laid import unsqueeze
from .memory import filled
from .reduce import log_softmax, mean, softmax, sum


def losses(function, F, reduction, *arrays, **attrs):
    """The losses function(F, *arrays) of cells, as they are, or their sum or mean."""
    each = function(F, *arrays, **attrs)
    return each if reduction == "none" else mean(each) if reduction == "mean" else sum(each)


def _class_axis(ndim):
    return min(1, ndim - 1)


def _weighed(target, weight, ignore, dtype):
    """A class that can be read for each target, and what it counts."""
    if ignore is None:
        return target, filled(target.shape, 1, dtype) if weight is None else index(weight, (0,), (target,))
    ignored = target == ignore
    safe = where(ignored, 0, target)
    return safe, where(ignored, 0.0, filled(target.shape, 1, dtype) if weight is None else index(weight, (0,), (safe,)))


def _times(each, counts):
    """Times what each counts; 0 for what is ignored, whatever it is."""
    return where(counts == 0, 0.0, each * counts)


def nll(x, target, weight, ignore, reduction):
    """-x at the targets along the class axis, weighed; averaged by weight, summed, or as it is."""
    dim = _class_axis(x.ndim)
    safe, counts = _weighed(target, weight, ignore, x.dtype)
    each = _times(-gather(x, dim, unsqueeze(safe, dim)).squeeze(dim), counts)
    if reduction == "none":
        return each
    return sum(each) / sum(counts) if reduction == "mean" else sum(each)


def nll_input(g, target, weight, shape, ignore, reduction):
    """The gradient of `nll` for its input of `shape`: zeros, but for each target's cell."""
    dim = _class_axis(len(shape))
    safe, counts = _weighed(target, weight, ignore, g.dtype)
    received = _times(-g / sum(counts) if reduction == "mean" else -g, counts)
    return scatter_add_zeros(unsqueeze(received, dim), shape, dim, unsqueeze(safe, dim))


def cross_entropy(x, target, weight, ignore, reduction):
    """nll(log_softmax(x)), and softmax(x)."""
    dim = _class_axis(x.ndim)
    return nll(log_softmax(x, dim), target, weight, ignore, reduction), softmax(x, dim)

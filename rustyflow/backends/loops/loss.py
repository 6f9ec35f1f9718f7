"""Losses on classes, said by the functions they are made of. `ignore` is None where every target counts."""

from __future__ import annotations

from ...layout import indices
from .array import made, slot_of
from .elementwise import where
from .indexed import scatter_add_zeros
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
    counts = filled(target.shape, 1, dtype) if weight is None else _at(weight, target, ignore)
    if ignore is None:
        return target, counts
    ignored = target == ignore
    return where(ignored, 0, target), where(ignored, 0.0, counts)


def _at(a, target, ignore):
    """The cells at the targets along the class axis, or the only axis; 0 for ignored ones, unread."""
    dim = _class_axis(a.ndim)

    def values():
        for place in indices(target.shape):
            i = target.buffer.read(slot_of(target, place))
            there = (*place[:dim], i, *place[dim:]) if a.ndim > target.ndim else (i,)
            yield 0 if i == ignore else a.buffer.read(slot_of(a, there))

    return made(values(), target.shape, a.dtype)


def _times(each, counts):
    """Times what each counts; 0 for what is ignored, whatever it is."""
    return where(counts == 0, 0.0, each * counts)


def nll(x, target, weight, ignore, reduction):
    """-x at the targets along the class axis, weighed; averaged by weight, summed, or as it is."""
    _, counts = _weighed(target, weight, ignore, x.dtype)
    each = _times(-_at(x, target, ignore), counts)
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

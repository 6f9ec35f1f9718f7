"""Losses on classes: reading and writing one cell per target. `ignore` is None where every target counts."""
from __future__ import annotations

import numpy as np

from .adding import add_up as _add_up
from .axis import need_below as _need_below
from .cellwise import cellwise as _cellwise
from .core import in_order as _in_order
from .extreme import largest as _largest
from .reduce import mean as _mean
from .runs import RUN as _RUN


def losses(function, F, reduction, *arrays, **attrs):
    """The losses function(F, *arrays) of cells, as they are, or their sum or mean, without an array of them all."""
    a = arrays[0]
    if (reduction == "none" or a.size <= 2 * _RUN or a.itemsize == 2 or not a.flags.forc
            or any([b.strides != a.strides or b.shape != a.shape for b in arrays if b is not None])):
        each = _cellwise(function, F, *arrays, **attrs)
        return each if reduction == "none" else _mean(each) if reduction == "mean" else _add_up(each)
    cells = [b if b is None else b.ravel("K") for b in arrays]
    runs = [slice(k, k + _RUN) for k in range(0, a.size, _RUN)]
    sums = [_add_up(function(F, *[b if b is None else b[run] for b in cells], **attrs)) for run in runs]
    total = _add_up(np.array(sums))
    return total / total.dtype.type(a.size) if reduction == "mean" else total


def _weights(target, weight, ignore, dtype):
    """A class number to read for each target, its weight, None for 1, and the ignored ones, or None."""
    if ignore is None:
        return target, None if weight is None else weight[target], None
    ignored = target == ignore
    safe = np.where(ignored, 0, target)
    counts = ~ignored if weight is None else np.where(ignored, 0, weight[safe])
    return safe, counts.astype(dtype), ignored


def _times(each, counts, ignored):
    """Times what each counts; 0 for what is ignored, whatever it is."""
    each = each if counts is None else each * counts
    return each if ignored is None else np.where(ignored, 0, each)


def _total(counts, target, dtype):
    return dtype.type(target.size) if counts is None else np.add.reduce(counts, axis=None)


def _at(target, ndim):
    """The cells of an array of ndim axes that the targets name, as an index."""
    if ndim == 2:
        return np.arange(len(target)), target
    dim = min(1, ndim - 1)
    places = list(np.indices(target.shape, sparse=True))
    return (*places[:dim], target, *places[dim:])


def _gathered(each, target, counts, ignored, reduction):
    """Losses per target, weighed, as one number or as they are."""
    each = _times(each, counts, ignored)
    if reduction == "none":
        return _in_order(each)
    total = np.add.reduce(each, axis=None)
    return total / _total(counts, target, each.dtype) if reduction == "mean" else total


def nll(x, target, weight, ignore, reduction):
    """-x at the targets along the class axis, weighed; averaged by weight, summed, or as it is."""
    target, counts, ignored = _weights(target, weight, ignore, x.dtype)
    return _gathered(np.negative(x[_at(target, x.ndim)]), target, counts, ignored, reduction)


def cross_entropy(x, target, weight, ignore, reduction):
    """nll(log_softmax(x)), and softmax(x)."""
    target, counts, ignored = _weights(target, weight, ignore, x.dtype)
    dim = min(1, x.ndim - 1)
    shares = x - _largest(x, dim)
    own = shares[_at(target, x.ndim)]
    np.exp(shares, out=shares)
    total = _add_up(shares, dim, True)
    shares /= total
    return _gathered(np.log(total.reshape(target.shape)) - own, target, counts, ignored, reduction), shares


def _received(g, target, weight, shape, ignore, reduction):
    """For every target, the class to write to in an array of `shape`, and what its cell receives."""
    target, counts, ignored = _weights(target, weight, ignore, g.dtype)
    _need_below(target, shape[min(1, len(shape) - 1)])
    share = -g / _total(counts, target, g.dtype) if reduction == "mean" else -g
    return target, _times(share, counts, ignored)


def nll_input(g, target, weight, shape, ignore, reduction):
    """The gradient of `nll` for its input of `shape`."""
    target, received = _received(g, target, weight, shape, ignore, reduction)
    out = np.zeros(shape, g.dtype)
    out[_at(target, len(shape))] = received
    return out


def cross_entropy_input(g, shares, target, weight, ignore, reduction):
    """The gradient of nll(log_softmax(x)): softmax(x) less 1 at the target, times what the target receives."""
    target, received = _received(g, target, weight, shares.shape, ignore, reduction)
    dx = shares * -(np.expand_dims(received, min(1, shares.ndim - 1)) if received.ndim else received)
    dx[_at(target, shares.ndim)] += received
    return dx

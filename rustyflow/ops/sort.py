"""Ops that pick: their results are values and the indices they came from."""
from __future__ import annotations

from collections import namedtuple

from ..layout import wrap_dim
from .reduce import amax
from .registry import apply, function, op

_pairs: dict = {}


def pair(name, *fields):
    """A named result such as torch.return_types.max.

    Example:
        >>> pair("max", "values", "indices")(1, 2).indices
        2
    """
    if name not in _pairs:
        _pairs[name] = namedtuple(name, fields)
    return _pairs[name]


@op(public=False, method=False)
class max_dim:
    """values, indices = the largest along dim, and where it is        dx = zeros with g at the indices"""
    torch_name = "MaxBackward0"
    kinks = "of tied cells the one at `indices` receives everything"
    results = ("values", "indices")
    def forward(F, x, *, dim, keepdim): return F.max_dim(x, dim, keepdim)

    def grad_x(F, g, shape, indices, *, dim, keepdim):
        values, _ = g
        return F.scatter_add_zeros(F.restore(values, dim, keepdim, len(shape)), shape, dim, F.restore(indices, dim, keepdim, len(shape)))


@function
def max(input, dim=None, keepdim=False):
    """(values, indices) along dim; without dim the largest of all, whose ties share the gradient; with a tensor, `maximum`.

    Source: https://pytorch.org/docs/stable/generated/torch.max.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1., 5.], [7., 2.]]).max(dim=1).indices
        tensor([1, 0])
    """
    if dim is None:
        return amax(input)
    d = wrap_dim(dim, input._a.ndim)
    return pair("max", "values", "indices")(*apply(max_dim.op, input if input._a.ndim else input.unsqueeze(0), dim=d, keepdim=keepdim))

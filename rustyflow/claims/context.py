"""The functions of rules that need the whole rule: the cells that y read, or the sum that it is."""

import numpy as np

from .meaning import says


def _name(x, rules):
    return next(name for name, array in rules.operands.items() if array is x)


@says("zeros with {g} added where {x} was read", whole=True)
def given_back(g, x, rules):
    """The cells that were read are found by reading their numbers in their place."""
    numbers = np.arange(float(x.size)).reshape(x.shape)
    read = np.asarray(rules.value("y", **{_name(x, rules): numbers})).astype(int)
    flat = np.zeros(x.size)
    np.add.at(flat, read.ravel(), np.broadcast_to(g, read.shape).ravel())
    return flat.reshape(x.shape)


@says("the same sum with {g} in place of y", whole=True)
def same_sum(g, of, rules):
    """Never worked out: bound to the shapes of a call it is that sum."""
    raise NameError("same_sum")

"""The functions of rules that mean something of the whole rule: the cells that y read, the way y moves."""

import ast

import numpy as np

from .meaning import says

STEP = 1e-6
"""By how much a cell is moved, where a rule says how y moves with it."""


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


@says("{g} times how y moves with {x}", whole=True)
def moves(g, x, rules):
    name, gradient = _name(x, rules), np.empty(x.shape)
    for at in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[at] = STEP
        above, below = (rules.value("y", **{name: moved}) for moved in (x + step, x - step))
        gradient[at] = np.sum((above - below) * g) / (2 * STEP)
    return gradient


@says("the same sum with {g} in place of y", whole=True)
def same_sum(g, of, rules):
    """`g` times the other factors, added where the sum reads this one."""
    rule = rules.rules["y"]
    (sum_,) = (node for node in ast.walk(rule.tree) if isinstance(node, ast.Call) and node.func.id == "sum")
    factors = [node for node in ast.walk(sum_) if isinstance(node, ast.Subscript)]
    (read,) = (node for node in factors if rules.operands[node.value.id] is of)
    grid = rules.grid("y")
    product = g[tuple(grid[name] for name in rules.indices("y"))]
    for node in factors:
        if node is not read:
            product = product * rules.worked(node, grid)
    gradient = np.zeros(of.shape)
    where = np.broadcast_arrays(product, *rules.worked(read.slice, grid))
    np.add.at(gradient, tuple(where[1:]), where[0])
    return gradient

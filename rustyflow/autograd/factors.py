"""The factors of a node's contribution: how each cell moves with each upstream number, and what moves a factor."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from ..backends import backend
from ..history import Output, enable_grad, no_grad
from ..layout import indices, sums_to
from ..ops.registry import recording
from ..tensor import Tensor, wrap
from .backward import grad
from .engine import contributions

GOLDEN = (5**0.5 - 1) / 2  # whose multiples are spread evenly between whole numbers


def cells_of(step, at) -> list:
    """The cells of a contribution that are summed into one number, where broadcasting is undone."""
    whole, shape = backend.asarray(step.contribution).shape, step.node.parents[step.operand].out.shape
    lead = len(whole) - len(shape)
    assert sums_to(whole, shape)
    return list(
        product(
            *map(range, whole[:lead]),
            *[range(n) if m == 1 and n != 1 else (i,) for n, m, i in zip(whole[lead:], shape, at, strict=False)],
        )
    )


# Upstream numbers are counted through: all of the first result's gradient, then the second's


def listed(upstream) -> list:
    """The parts of an upstream gradient as arrays, None where there is none, as for a result of whole numbers."""
    return [
        None if part is None or part.dtype.kind != "f" else backend.asarray(part)
        for part in (upstream if type(upstream) is list else [upstream])
    ]


def parts_of(upstream) -> list[tuple[int, tuple]]:
    """(output number, shape) of each part of an upstream gradient that there is."""
    return [(k, part.shape) for k, part in enumerate(listed(upstream)) if part is not None]


def values_of(upstream) -> list[float]:
    return [x for part in listed(upstream) if part is not None for x in part.reshape(-1).tolist()]


def name_of(upstream, k: int) -> tuple:
    for output, shape in parts_of(upstream):
        if k < prod(shape):
            index = []
            for n in reversed(shape):
                k, i = divmod(k, n)
                index.append(i)
            return (output, *index[::-1]) if type(upstream) is list else tuple(index[::-1])
        k -= prod(shape)
    raise AssertionError("an upstream number beyond the last")


def number_of(upstream, name: tuple) -> int:
    several, before = type(upstream) is list, 0
    for output, shape in parts_of(upstream):
        if not several or output == name[0]:
            return before + flat(name[1:] if several else name, shape)
        before += prod(shape)
    raise AssertionError("an upstream number beyond the last")


def flat(index: tuple, shape: tuple) -> int:
    k = 0
    for i, n in zip(index, shape, strict=False):
        k = k * n + i
    return k


def send_one(step, source: int, node=None):
    """A node's contribution to one operand when its upstream gradient is a single 1."""
    several = type(step.upstream) is list
    ones = [
        None if part is None else backend.filled(part.shape, 0, part.dtype)
        for part in (step.upstream if several else [step.upstream])
    ]
    name = name_of(step.upstream, source)
    ones[name[0] if several else 0][name[1:] if several else name] = 1
    with no_grad(), backend.silent():  # a Function's own backward computes with tensors
        sent = contributions(node or step.node, ones if several else ones[0], backend)
    return next(g for _, g, i in sent if i == step.operand)


def record(step, node) -> tuple[Tensor, list[Tensor]]:
    """A node's contribution to one operand, recorded, and the upstream gradients it is a function of."""
    given = [None if part is None else wrap(backend.dense(part)).requires_grad_() for part in listed(step.upstream)]
    with enable_grad():
        sent = contributions(node, given if type(step.upstream) is list else given[0], recording, True)
    return next(g for _, g, i in sent if i == step.operand), [g for g in given if g is not None]


def derivatives(out, g, seed) -> list[float]:
    """The derivatives of one contribution, weighted by a seed, by every upstream number."""
    got = grad(out, g, seed, retain_graph=True, allow_unused=True)
    return [
        x
        for part, by in zip(got, g, strict=False)
        for x in ([0.0] * by.numel() if part is None else part._a.reshape(-1).tolist())
    ]


def elementwise(out, g, cells):
    """The factors of a contribution of which each cell is made of the upstream number at the same place; None where it
    is not so.

    Found out by weighing the cells differently: then each derivative has its own cell's weight.
    """
    ones, weights = (backend.filled(tuple(out.shape), 0, out._a.dtype) for _ in range(2))
    for k, cell in enumerate(cells):
        ones[cell], weights[cell] = 1, 1 + k * GOLDEN % 1
    row, weighed = (grad(out, g, wrap(seed), retain_graph=True, allow_unused=True)[0] for seed in (ones, weights))
    if row is None or bool(((weighed - row * wrap(weights)).abs() > 1e-4 * weighed.abs()).any()):
        return None
    return row._a


def nudging(step, term, source, k, x) -> Iterator[tuple]:
    """The elements of one saved tensor that move a factor when they are changed one by one."""
    for index in indices(tuple(x.shape)):
        if (
            float(backend.asarray(send_one(step, source, with_saved(step.node, k, wrap(nudged(x, index)))))[term.at])
            != term.factor
        ):
            yield index


def moving(step, term, source, k, x) -> Iterator[tuple]:
    """The same by one derivative, taken where all of the tensor is nudged, so that no accident makes it 0."""
    leaf = wrap(nudged(x, ...)).requires_grad_()
    node, name = with_saved(step.node, k, leaf), step.node.op.slots[k]
    if name in node.op.results:  # the engine gives it its own node for history
        leaf = leaf.detach()
        leaf._history = (
            node
            if type(node.out) is not tuple
            else Output(node, node.op.results.index(name), node.out[node.op.results.index(name)])
        )
    with enable_grad():
        out, by = record(step, node)
        if not out.requires_grad:
            return
        row = grad(out[term.at], by, create_graph=True, allow_unused=True)
        factor = recording.cat(
            [
                part.reshape(-1) if part is not None else recording.zeros_like(g).reshape(-1)
                for part, g in zip(row, by, strict=False)
            ]
        )[source]
    got = grad(factor, leaf, allow_unused=True)[0] if factor.requires_grad else None
    if got is not None:
        for index in indices(tuple(x.shape)):
            if got._a[index] != 0:
                yield index


def nudged(x, index):
    array = backend.dense(x._a)
    array[index] = array[index] * 1.5 + 0.25
    return array


def with_saved(node, k, tensor):
    """The node with another saved tensor."""
    other = object.__new__(type(node))
    if node.has_attrs:
        other.attrs = node.attrs
    other.parents, other.number, other.out = node.parents, node.number, node.out
    other.saved = tuple([tensor if j == k else x for j, x in enumerate(node.saved)])
    return other

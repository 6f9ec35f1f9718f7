"""The factors of a node's contribution: the derivative of each cell by each upstream number, and what they depend on.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, prod

from ..backends import backend
from ..dispatch.registry import recording
from ..layout import contiguous_stride, flat_index, indices, sums_to, unravel_index
from ..tensor import Tensor, wrap
from ..tensor.gradmode import enable_grad, no_grad
from ..tensor.history import make_node, output_of
from .backward import grad
from .contributions import contributions

GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, are spread evenly
TRIES = 4096
"""So many times a factor that is not finite is made again, to see which saved numbers move it."""


def block_of(step, at) -> tuple:
    """The index of the cells of a contribution that are summed into one number where broadcasting is undone."""
    whole, shape = backend.asarray(step.contribution).shape, step.node.parents[step.operand].out.shape
    lead = len(whole) - len(shape)
    assert sums_to(whole, shape)
    stretched = [m == 1 and n != 1 for n, m in zip(whole[lead:], shape, strict=True)]
    return (slice(None),) * lead + tuple([slice(None) if s else i for s, i in zip(stretched, at, strict=True)])


def cell_of(block: tuple, shape: tuple, k: int) -> tuple:
    """The index of the k-th cell of a block of an array of `shape`."""
    places = iter(unravel_index(k, [n for i, n in zip(block, shape, strict=True) if isinstance(i, slice)]))
    return tuple([next(places) if isinstance(i, slice) else i for i in block])


def line(array):
    """All numbers of an array in order, as float64, the kind that Python computes with."""
    return backend.asarray(array).reshape(-1).astype("float64")


# Upstream numbers are counted through: all of the first result's gradient, then the second's


def listed(upstream) -> list:
    """The parts of an upstream gradient as arrays, None where there is none, as for a result of whole numbers."""
    return [None if part is None or part.dtype.kind != "f" else backend.asarray(part)
            for part in (upstream if type(upstream) is list else [upstream])]


def parts_of(upstream) -> list[tuple[int, tuple]]:
    """(output number, shape) of each part of an upstream gradient that there is."""
    return [(k, part.shape) for k, part in enumerate(listed(upstream)) if part is not None]


def values_of(upstream):
    return backend.cat([line(part) for part in listed(upstream) if part is not None], 0)


def name_of(upstream, k: int) -> tuple:
    for output, shape in parts_of(upstream):
        if k < prod(shape):
            index = unravel_index(k, shape)
            return (output, *index) if type(upstream) is list else index
        k -= prod(shape)
    raise AssertionError("an upstream number beyond the last")


def number_of(upstream, name: tuple) -> int:
    several, before = type(upstream) is list, 0
    for output, shape in parts_of(upstream):
        if not several or output == name[0]:
            return flat_index(name[1:] if several else name, contiguous_stride(shape), before)
        before += prod(shape)
    raise AssertionError("an upstream number beyond the last")


def send_one(step, source: int, node=None):
    """A node's contribution to one operand when its upstream gradient is a single 1."""
    several = type(step.upstream) is list
    ones = [None if part is None else backend.filled(part.shape, 0, part.dtype)
            for part in (step.upstream if several else [step.upstream])]
    name = name_of(step.upstream, source)
    ones[name[0] if several else 0][name[1:] if several else name] = 1
    return sent(step, ones, node or step.node)


def sent(step, upstream: list, node):
    """Returns what a node sends to one operand, when these are the parts of its gradient."""
    with no_grad(), backend.silent():  # a Function's own backward computes with tensors
        arrivals = contributions(node, upstream if type(step.upstream) is list else upstream[0], backend)
    return next(g for _, g, i in arrivals if i == step.operand)


def record(step, node) -> tuple[Tensor, list[Tensor]]:
    """A node's contribution to one operand, recorded, and the upstream gradients it is a function of."""
    given = [None if part is None else wrap(backend.dense(part)).requires_grad_() for part in listed(step.upstream)]
    with enable_grad():
        sent = contributions(node, given if type(step.upstream) is list else given[0], recording, True)
    return next(g for _, g, i in sent if i == step.operand), [g for g in given if g is not None]


def derivatives(out, g, seed):
    """The derivatives of one contribution, weighted by a seed, by every upstream number, as one line."""
    got = grad(out, g, seed, retain_graph=True, allow_unused=True)
    parts = [line(backend.filled(tuple(by.shape), 0, by._a.dtype) if part is None else part._a)
             for part, by in zip(got, g, strict=True)]
    return parts[0] if len(parts) == 1 else backend.cat(parts, 0)


def elementwise(out, g, block):
    """The factors of a contribution whose every cell depends on the upstream number at its place alone; else None.

    The test gives each cell another weight: each derivative must then carry the weight of its own cell.
    """
    ones, weights = (backend.filled(tuple(out.shape), 0, out._a.dtype) for _ in range(2))
    cells = backend.asarray(ones[block])
    backend.write(ones[block], 1)
    many = backend.cumsum(line(backend.filled(cells.shape, GOLDEN, "float64")), 0)
    backend.write(weights[block], (1 + many % 1).reshape(cells.shape))
    row, weighed = (grad(out, g, wrap(seed), retain_graph=True, allow_unused=True)[0] for seed in (ones, weights))
    if row is None or bool(((weighed - row * wrap(weights)).abs() > 1e-4 * weighed.abs()).any()):
        return None
    return row._a


def as_read(step, block) -> tuple | None:
    """Returns (pairs, factors) of a block, pairs as `nonzero` has them, where single 1s give what is not finite.

    In a sum 0 * inf is nan, though nobody reads that number. Which upstream numbers a cell depends on is found with
    other saved numbers, all finite; a factor is then made of those saved numbers alone that move it. None where
    that takes long.
    """
    node = step.node
    kept = {k: x for k, x in enumerate(node.saved or ()) if isinstance(x, Tensor) and x.is_floating_point()}
    tame = {k: wrap(tamed(x)) for k, x in kept.items()}
    table = table_of(step, with_saved(node, tame), block)
    if not bool(backend.isfinite(table).all()):
        return None
    pairs = at, by = backend.nonzero(table)
    if not len(at) or bool((backend.bincount(at, None, 0)[at] == 1).all()):  # each cell depends on one upstream number
        ones = [None if part is None else backend.filled(part.shape, 1, part.dtype) for part in listed(step.upstream)]
        return pairs, line(backend.asarray(sent(step, ones, node))[block])[at]
    if len(at) * sum(x.numel() for x in kept.values()) > TRIES:
        return None
    both = zip(at.tolist(), by.tolist(), strict=True)
    return pairs, backend.asarray([read_factor(step, block, tame, kept, table, *pair) for pair in both])


def read_factor(step, block, tame, kept, table, cell, source) -> float:
    """The factor of one cell by one upstream number, from the saved numbers that move it alone."""
    arrays = {k: backend.dense(x._a) for k, x in tame.items()}
    for k, x in tame.items():
        for index in indices(tuple(x.shape)):
            node = with_saved(step.node, {**tame, k: wrap(nudged(x, index))})
            if line(backend.asarray(send_one(step, source, node))[block])[cell] != table[cell, source]:
                arrays[k][index] = kept[k]._a[index]
    node = with_saved(step.node, {k: wrap(array) for k, array in arrays.items()})
    return float(line(backend.asarray(send_one(step, source, node))[block])[cell])


def table_of(step, node, block):
    """The derivatives of the cells of a block, a row each, by every upstream number."""
    size = sum(prod(shape) for _, shape in parts_of(step.upstream))
    return backend.stack([line(backend.asarray(send_one(step, k, node))[block]) for k in range(size)], 1)


def tamed(x):
    """An array like a tensor's, of unequal numbers between 0 and 1."""
    many = backend.cumsum(line(backend.filled(tuple(x.shape), GOLDEN, "float64")), 0)
    return (0.25 + many % 1 / 2).reshape(tuple(x.shape)).astype(x._a.dtype)


def nudging(step, term, source, k, x, known: dict) -> Iterator[tuple]:
    """The elements of one saved tensor that move a factor when they are changed: looked for by halves, each element
    changed by an amount of its own, so that no two of them make up for each other. What is sent then is kept in `known`
    for the factors of other cells."""
    places = list(indices(tuple(x.shape)))
    amounts = [0.25 + many % 1 for many in (GOLDEN * n for n in range(1, len(places) + 1))]
    todo = [(0, len(places))] if places else []
    while todo:
        first, last = todo.pop()
        key = step.node.number, step.operand, source, k, first, last
        if key not in known:
            array = backend.dense(x._a)
            for n in range(first, last):
                array[places[n]] = array[places[n]] * 1.5 + amounts[n]
            known[key] = backend.asarray(send_one(step, source, with_saved(step.node, {k: wrap(array)})))
        factor = float(known[key][term.at])
        if factor == term.factor or isnan(factor) and last - first == 1:
            continue
        if last - first == 1:
            yield places[first]
        else:
            middle = (first + last) // 2
            todo += [(middle, last), (first, middle)]


def moving(step, term, source, k, x) -> Iterator[tuple]:
    """As `nudging`, by one derivative, which is taken at a nudged tensor so that it is not 0 by accident."""
    leaf = wrap(nudged(x, ...)).requires_grad_()
    node, name = with_saved(step.node, {k: leaf}), step.node.op.slots[k]
    if name in node.op.results:  # the engine gives it its own node for history
        leaf = leaf.detach()
        leaf._history = output_of(node, node.op.results.index(name))
    with enable_grad():
        out, by = record(step, node)
        if not out.requires_grad:
            return
        row = grad(out[term.at], by, create_graph=True, allow_unused=True)
        factor = recording.cat(
            [part.reshape(-1) if part is not None else recording.zeros_like(g).reshape(-1)
             for part, g in zip(row, by, strict=False)]
        )[source]
    got = grad(factor, leaf, allow_unused=True)[0] if factor.requires_grad else None
    if got is not None:
        places = [axis.tolist() for axis in backend.nonzero(got._a)]
        yield from zip(*places, strict=True) if got.ndim else [() for _ in places[0]]


def nudged(x, index):
    array = backend.dense(x._a)
    array[index] = array[index] * 1.5 + 0.25
    return array


def with_saved(node, others):
    """The node with other saved tensors, by their places."""
    saved = tuple([others.get(k, x) for k, x in enumerate(node.saved)])
    other = make_node(type(node), node.parents, saved, node.out, node.attrs)
    other.number = node.number
    return other

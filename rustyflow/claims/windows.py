"""The functions of rules about windows of images, and about the slots of a storage: their meanings and phrases."""

from collections.abc import Iterator

import numpy as np

from ..layout import contiguous_stride
from .meaning import says

Pair = tuple[int, int]


def _windows(size: Pair, out: Pair, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair = (1, 1)) -> Iterator:
    """The place of each window in the result, and its rows and columns in the image, without padding."""
    def along(d: int, at: int) -> list[int]:
        first = at * stride[d] - padding[d]
        return [k for k in range(first, first + dilation[d] * kernel[d], dilation[d]) if 0 <= k < size[d]]

    for i, j in np.ndindex(*out):
        yield (..., i, j), np.ix_(along(0, i), along(1, j))


@says("{each}, {x} being 0 beyond its ends")
def beyond(each, x, padding):
    """A sum over windows that are padded."""
    return each


def _largest(x, parts, values, indices=None):
    """The values are the largest of parts of each plane, and stand where the indices say, counted in the plane."""
    y = np.empty_like(values)
    for at, cells in parts:
        y[at] = x[(..., *cells)].max((-2, -1))
    yield y, values
    if indices is not None:
        planes, places = (a.reshape(*a.shape[:-2], a.shape[-2] * a.shape[-1]) for a in (x, indices))
        yield np.take_along_axis(planes, places, -1).reshape(values.shape), values


@says("the largest cell of every window, and where it is", proves=True)
def largest_of_windows(x, out, kernel, stride, padding, dilation, results):
    return _largest(x, _windows(x.shape[-2:], out, kernel, stride, padding, dilation), *results)


@says("the largest cell of every stretch, and where it is", proves=True)
def largest_of_stretches(x, sizes, results):
    def along(k, n, out):
        return slice(k * n // out, -(-(k + 1) * n // out))

    parts = (((..., i, j), (along(i, x.shape[-2], sizes[0]), along(j, x.shape[-1], sizes[1])))
             for i, j in np.ndindex(*sizes))  # fmt: skip
    return _largest(x, parts, *results)


def _counted(cells, at, size, kernel, stride, padding, count_padding, override):
    """The cells that a window's sum is divided by: padding counts if asked for, what lies beyond never."""
    if override is not None:
        return override
    if not count_padding:
        return cells[0].size * cells[1].size
    first = [k * s - p for k, s, p in zip(at[1:], stride, padding)]
    return np.prod([min(a + k, n + p) - a for a, k, n, p in zip(first, kernel, size, padding)])


@says("the mean of every window of {x}")
def mean_of_windows(x, out, kernel, stride, padding, count_padding, override):
    y, size = np.empty((*x.shape[:-2], *out), x.dtype), x.shape[-2:]
    for at, cells in _windows(size, out, kernel, stride, padding):
        by = _counted(cells, at, size, kernel, stride, padding, count_padding, override)
        y[at] = x[(..., *cells)].sum((-2, -1)) / by
    return y


@says("{g}, spread equally over every window")
def spread_over_windows(g, size, kernel, stride, padding, count_padding, override):
    x = np.zeros(size)
    for at, cells in _windows(size[-2:], g.shape[-2:], kernel, stride, padding):
        by = _counted(cells, at, size[-2:], kernel, stride, padding, count_padding, override)
        x[(..., *cells)] += g[at][..., None, None] / by
    return x


@says("zeros with {g} at the indices")
def at_cells(g, indices, size):
    """An index counts the cells of its plane; g is added where it came from."""
    flat = np.zeros((*size[:-2], size[-2] * size[-1]))
    lead = np.indices(indices.shape)[: len(size) - 2]
    np.add.at(flat, (*lead, indices), g)
    return flat.reshape(size)


def shares(g, x_size, w_size, stride, padding, dilation, groups):
    """The cells that meet, for each pair of channels in a convolution and each place in a filter."""
    each_in, each_out = w_size[1], w_size[0] // groups
    for at in np.ndindex(*w_size[2:]):
        seen, out = [], []
        for k, n, m, step, before, wide in zip(at, x_size[2:], g[2:], stride, padding, dilation):
            places = [(i * step + k * wide - before, i) for i in range(m)]
            inside = [pair for pair in places if 0 <= pair[0] < n]
            seen.append([place for place, _ in inside])
            out.append([i for _, i in inside])
        rows = range(x_size[0])
        for o, c in np.ndindex(*w_size[:2]):
            yield np.ix_(rows, [o // each_out * each_in + c], *seen), (o, c, *at), np.ix_(rows, [o], *out)


@says("{x}, the windows of it times {w}, added up")
def convolved(x, w, size, stride, padding, dilation, groups):
    y = np.zeros(size)
    for seen, there, out in shares(size, x.shape, w.shape, stride, padding, dilation, groups):
        y[out] += x[seen] * w[there]
    return y


@says("zeros with every cell of {g} times {w} added over its window")
def spread_by_filters(g, w, size, stride, padding, dilation, groups):
    x = np.zeros(size)
    for seen, there, out in shares(g.shape, size, w.shape, stride, padding, dilation, groups):
        x[seen] += g[out] * w[there]
    return x


@says("for every cell of a filter the sum of {g} times the cells of {x} that it meets")
def filters_met(g, x, size, stride, padding, dilation, groups):
    w = np.zeros(size)
    for seen, there, out in shares(g.shape, x.shape, size, stride, padding, dilation, groups):
        w[there] = np.sum(g[out] * x[seen])
    return w


# through layouts: (shape, stride, offset) over the slots of a storage


def _slots(layout):
    """The slot that each cell of a layout reads."""
    shape, stride, offset = layout
    return offset + sum(k * step for k, step in zip(np.indices(shape), stride)) if shape else np.array(offset)


def _storage(*layouts):
    return np.zeros(1 + max((int(_slots(layout).max(initial=0)) for layout in layouts), default=0))


@says("{x}'s slots read through another layout", gradient="{x} read there")
def slots_read(x, layout, other):
    storage = _storage(layout, other)
    storage[_slots(layout)] = x
    return storage[_slots(other)]


@says("{g} added over the slots, read through the operand's own layout, in equal parts where cells share a slot")
def slots_add(g, layout, other):
    storage, readers = _storage(layout, other), _slots(layout)
    np.add.at(storage, _slots(other), g)
    return storage[readers] / np.bincount(readers.ravel(), minlength=storage.size)[readers]


@says("{x} with 0 in the slots of another layout", gradient="{x} with 0 in the same places")
def slots_clear(x, layout, other):
    return slots_write(x, layout, other, 0)


@says("{x} with {value} written into a part")
def slots_write(x, layout, other, value):
    storage = _storage(layout, other)
    storage[_slots(layout)] = x
    storage[_slots(other)] = value
    return storage[_slots(layout)]


def _seen(size, layout):
    """The numbers of the cells that a view reads, of a tensor whose cells lie in a row."""
    return _slots(layout(tuple(size), contiguous_stride(tuple(size)), 0))


@says("{x} read through a view, as a copy", gradient="{x} of that part")
def through(x, layout):
    return x.ravel()[_seen(x.shape, layout)]


@says("zeros of `shape` with {g} added through a view", like="zeros with {g} added through the view")
def scatter_through(g, size, layout):
    flat = np.zeros(int(np.prod(size)))
    np.add.at(flat, _seen(size, layout), g)
    return flat.reshape(size)


@says("{x} with {src} in the part that a view reads", gradient="{x} with {src} there")
def write_part(x, src, layout):
    flat = np.array(x).ravel()
    flat[_seen(x.shape, layout)] = 0 if src is None else src
    return flat.reshape(x.shape)

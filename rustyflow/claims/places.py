"""The functions of rules that move cells, join tensors, or read and write at places: their meanings and phrases."""

import numpy as np

from .meaning import says

# the same cells under another layout


@says("{x}, as a view of its own")
def alias(x):
    return x


@says("{x} under another shape", like="{x} under {size}'s shape")
def reshape(x, size):
    return np.reshape(x, size)


@says("{x} with two axes swapped", gradient="{x} with them swapped back")
def swapaxes(x, dim0, dim1):
    return np.swapaxes(x, dim0, dim1)


@says("{x} with its axes in another order", gradient="{x} with the order undone")
def permute(x, dims):
    return np.transpose(x, dims)


@says("{order} undone")
def undone(order):
    return np.argsort([dim % len(order) for dim in order])


@says("{x} with a new {dim:axis} of size 1", gradient="{x} with {dim:these} put back")
def unsqueeze(x, dim):
    return np.expand_dims(x, dim)


@says("{x} without {dim:ones}", gradient="{x} without {dim:this axis}")
def squeeze(x, dim):
    dims = dim if isinstance(dim, tuple) else (dim,)
    return np.squeeze(x, tuple(d for d in dims if x.shape[d] == 1))


@says("{x} repeated without copying", like="{x}, repeated")
def expand(x, size):
    lead = len(size) - x.ndim
    return np.broadcast_to(x, [x.shape[d - lead] if n == -1 else n for d, n in enumerate(size)])


@says("{x} with axes of size 1 in front", gradient="{x} without them")
def in_front(x, many):
    """That many axes more, or less; which of both the shapes say."""
    return x


@says("{x}, repeated{dim:along}")
def along(x, dim):
    return x  # its axes of size 1 are repeated where a shape asks for it


@says("{x} summed down to a shape that broadcasts to x's", like="{x} summed over the repeats")
def sum_to(x, size):
    x = x.reshape((1,) * (len(size) - x.ndim) + x.shape)
    x = x.sum(tuple(range(x.ndim - len(size))))
    return x.sum(tuple(d for d, n in enumerate(size) if n == 1 != x.shape[d]), keepdims=True)


@says("length indices of dim from start on")
def narrow(x, dim, start, length):
    return np.take(x, range(start, start + length), dim)


@says("{x} at one index of dim", gradient="{x} at its own index")
def select(x, dim, index):
    return np.take(x, index, dim)


@says("cells whose indices along {dim1:dims} and {dim2:value} {offset:differ}", gradient="that diagonal of {x}")
def diagonal(x, offset, dim1, dim2):
    return np.diagonal(x, offset, dim1, dim2)


@says("windows of {x}")
def windows(x, dim, size, step):
    every = np.lib.stride_tricks.sliding_window_view(x, size, dim)
    return every[(slice(None),) * dim + (slice(None, None, step),)]


@says("the slices along {dim:on}, a tuple of views")
def slices(x, dim):
    return [np.take(x, k, dim) for k in range(x.shape[dim])]


@says("runs of {lengths:lengths} along {dim:on}, a tuple of views")
def runs(x, lengths, dim):
    return np.split(x, np.cumsum(lengths)[:-1], dim)


# cells moved, joined or repeated


@says("the tensors end to end along {dim:on}", gradient="the gradients joined")
def cat(tensors, dim):
    return np.concatenate([x for x in tensors if x.shape != (0,)] or tensors, dim)  # a list of nothing fits everywhere


@says("the tensors along a new axis {dim:value}", gradient="the gradients stacked")
def stack(tensors, dim):
    return np.stack(tensors, dim)


@says("{g} of its own stretch")
def stretch(g, k, lengths, dim):
    return runs(g, [n or 0 for n in lengths], dim)[k]


@says("zeros with the matrices one after the other along the diagonal")
def along_diagonal(tensors):
    tensors = [np.atleast_2d(x) for x in tensors]
    return np.block([[x if j == k else np.zeros((len(y), x.shape[1])) for j, x in enumerate(tensors)]
                     for k, y in enumerate(tensors)])  # fmt: skip


@says("{g} of its own part")
def block(g, part):
    row, column, height, width = part
    return g[row : row + height, column : column + width]


@says("{x} with the indices{dims:along} reversed", gradient="{x} with them reversed back")
def flip(x, dims):
    return np.flip(x, dims)


@says("{x} laid side by side, {repeats:times}")
def tile(x, repeats):
    return np.tile(x, repeats)


@says("{x} shifted{dims:along}, what leaves at one end coming in at the other", gradient="{x} shifted back")
def roll(x, shifts, dims):
    return np.roll(x, shifts, dims)


@says("the opposite of {numbers}")
def opposite(numbers):
    return np.negative(numbers)


@says(
    "{x} turned by k quarters in the plane of two dims, from the first towards the second", gradient="{x} turned back"
)
def rot90(x, k, dims):
    return np.rot90(x, k, dims)


@says("{x} moved `by` places along {dim:on}, with `fill` where nothing came from", gradient="{x} moved back")
def moved(x, dim, by, fill):
    out, line, n = np.full_like(x, fill), np.arange(x.shape[dim]), x.shape[dim]
    kept, key = line[(line - by >= 0) & (line - by < n)], (slice(None),) * dim
    out[(*key, kept)] = x[(*key, kept - by)]
    return out


@says("{x} with {pad:around}", gradient="{x} without them{pad:cut}")
def padded(x, pad, value):
    """(before, after) from the last axis on; cells are put around first, then cut off."""
    pairs = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(x.ndim)][::-1]
    whole = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=value)
    return whole[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, whole.shape, strict=True))]


@says("zeros with {x}'s last axis on a diagonal of dim1 and dim2")
def on_diagonal(x, size, offset, dim1, dim2):
    out = np.zeros(size, x.dtype)
    for at in np.ndindex(*x.shape):
        lead, k = list(at[:-1]), at[-1]
        for dim, i in sorted([(dim1, k + max(-offset, 0)), (dim2, k + max(offset, 0))]):
            lead.insert(dim, i)
        out[tuple(lead)] = x[at]
    return out


@says("the sum over k of {x} at cells[k] along {dim:on}, times weights[k]")
def weighed(x, dim, cells, weights):
    return sum(np.take(x, at, dim) * _lying(weight, x, dim) for at, weight in zip(cells, weights, strict=True))


def _lying(line, x, dim):
    """Numbers in a row as an array that lies along an axis of x."""
    return line.reshape([-1 if d == dim else 1 for d in range(x.ndim)])


@says(
    "zeros, as many as length along {dim:on}, with {x} times weights[k] added at cells[k]",
    gradient="zeros with {x} times weights[k] added at cells[k]",
)
def weighed_zeros(x, length, dim, cells, weights):
    out = np.zeros((*x.shape[:dim], length, *x.shape[dim + 1 :]))
    for at, weight in zip(cells, weights, strict=True):
        np.add.at(out, _slices(at, dim), x * _lying(weight, x, dim))
    return out


def _stretches(out, n):
    return [range(k * n // out, -(-(k + 1) * n // out)) for k in range(out)]


@says("the means over {sizes:sizes} stretches of the last axes", gradient="the means of {x} over them")
def stretch_means(x, sizes):
    for d, out in zip((-2, -1), sizes, strict=True):
        x = np.stack([np.take(x, cells, d).mean(d) for cells in _stretches(out, x.shape[d])], d)
    return x


@says("{g} spread equally over stretches of the last axes, {sizes:sizes} cells", like="{g} spread equally over them")
def spread_equally(g, sizes):
    rows, columns = (_stretches(*each) for each in zip(g.shape[-2:], sizes, strict=True))
    x = np.zeros((*g.shape[:-2], *sizes))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            part = g[..., i, j, None, None] / len(row) / len(column)
            x[..., row.start : row.stop, column.start : column.stop] += part
    return x


@says("")
def normalized(x, dims, affine):
    """The axes that a layer normalizes over: its last ones, or those of each channel."""
    return (0, *range(2, x.ndim)) if dims == (0, 2) else tuple(range(-len(affine), 0))


@says("")
def besides(x, dims, affine):
    """The axes that its weight does not have."""
    axes = normalized(x, dims, affine)
    return axes if axes[0] == 0 else tuple(range(x.ndim - len(axes)))


@says("")
def under(weight, affine, dims):
    """A weight that broadcasts to the cells."""
    return weight.reshape(affine)


@says("{bias}, a number for each channel")
def beside(bias, size):
    return bias.reshape(-1, *[1] * (len(size) - 2))


@says("{scores}{mask:under}{causal:own}")
def visible(scores, mask, causal):
    """What a query may look at; -inf, which counts for nothing, at other keys."""
    scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf) if causal else scores
    if mask is None:
        return scores
    return np.where(mask, scores, -np.inf) if np.asarray(mask).dtype == bool else scores + mask


@says("{s}, 1 where that is 0")
def some(s, mask):
    """A sum to divide by; that of a query from which a mask hides all is none."""
    return np.where(s == 0, 1, s)


@says("{g}, summed over all but its channels")
def of_channels(g):
    return g.sum((0, *range(2, g.ndim)))


# cells that an index or a mask names


def _key(dims, arrays):
    """Index arrays, one for each of some axes, as an index of NumPy's."""
    key = [slice(None)] * (max(dims) + 1)
    for dim, array in zip(dims, arrays, strict=True):
        key[dim] = array
    return tuple(key)


def _slices(index, dim):
    return (slice(None),) * dim + (index,)


def _cells(index, dim):
    """The cells that `gather` reads: index stands for the place along dim, the others are its own."""
    grid = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def covered(src, index):
    """The part of a source that index covers; a number is one for all."""
    return src[tuple(map(slice, index.shape))] if np.ndim(src) else src


def _written(x, there, value):
    x = np.array(x)
    x[there] = value
    return x


def _added(x, there, value):
    x = np.array(x)
    np.add.at(x, there, value)
    return x


@says("{x}[arrays], index array k along dims[k]", gradient="{x} read there")
def read_at(x, dims, arrays):
    return x[_key(dims, arrays)]


@says("{x} with {value} at index arrays", gradient="{x} with {value} there")
def write_at(x, dims, arrays, value):
    return _written(x, _key(dims, arrays), value)


@says("{x} with {value} added at index arrays")
def add_at(x, dims, arrays, value):
    return _added(x, _key(dims, arrays), value)


@says("zeros of `shape` with {x} added at index arrays")
def index_zeros(x, size, dims, arrays):
    return _added(np.zeros(size), _key(dims, arrays), x)


@says("{x} with cells of its own around it")
def around(x, dims, arrays):
    for dim, array in zip(dims, arrays, strict=True):
        x = np.take(x, array.ravel(), dim)
    return x


@says("the slices of {x} along {dim:on} that {index} names", gradient="{x}'s slices at {index}", noun=True)
def slices_at(x, dim, index):
    return np.take(x, index, dim)


@says("{x}'s slices at {index}, each once", noun=True)
def slices_once(x, dim, index):
    return np.take(x, np.unique(index), dim)


@says("{x} with the slices at {index} those of {source}")
def index_copy(x, dim, index, source):
    return _written(x, _slices(index, dim), source)


@says("{x} with {value} in the slices at {index}", gradient="{x}, {value} in those")
def index_fill(x, dim, index, value):
    return _written(x, _slices(index, dim), value)


@says("{x} with {source} added to the slices at {index}")
def index_add(x, dim, index, source):
    return _added(x, _slices(index, dim), source)


@says("{x}[index[i, j], j] along dim", gradient="{x} read there")
def gather(x, dim, index):
    return x[_cells(index, dim)]


@says("{x} with {value} at {at}", gradient="{x} with {value} there")
def scatter(x, dim, index, value, at="y[index[i, j], j] along dim"):
    """`at` is the cell that index names, told by the letters of its place; it is only told."""
    return _written(x, _cells(index, dim), covered(value, index))


@says("{x} with {src} added at {at}")
def scatter_add(x, dim, index, src, at="y[index[i, j], j] along dim"):
    return _added(x, _cells(index, dim), covered(src, index))


@says("zeros of `shape` with {x} added at {index} along {dim:on}")
def scatter_zeros(x, size, dim, index):
    return _added(np.zeros(size), _cells(index, dim), x)


@says("{x} with {src} joined by reduce at {at}")
def scatter_reduce(x, dim, index, src, reduce, include_self, at="y[index[i, j], j] along dim"):
    """Cell by cell: all that are sent to a cell are joined, with or without what is there."""
    join = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    out = np.array(x)
    for at, places in _sent(index, dim).items():
        out[at] = join([src[place] for place in places] + [x[at]] * include_self)
    return out


def _sent(index, dim):
    """For each cell that index names, the places in the source that are sent there."""
    sent: dict[tuple, list] = {}
    for at in np.ndindex(*index.shape):
        sent.setdefault((*at[:dim], int(index[at]), *at[dim + 1 :]), []).append(at)
    return sent


SHARES = {
    "sum": lambda each: np.ones(len(each)),
    "mean": lambda each: np.ones(len(each)) / len(each),
    "prod": lambda each: np.array([np.prod(np.delete(each, k)) for k in range(len(each))]),
    "amax": lambda each: (each == each.max()) / np.sum(each == each.max()),
    "amin": lambda each: (each == each.min()) / np.sum(each == each.min()),
}
"""How numbers that are joined share the gradient: those that tie have equal parts."""


def _shares(g, x, dim, index, src, reduce, include_self):
    """The gradients of x and src, cell by cell."""
    dx, dsrc = np.array(g), np.zeros(src.shape)
    for at, places in _sent(index, dim).items():
        share = g[at] * SHARES[reduce](np.array([src[place] for place in places] + [x[at]] * include_self))
        dx[at] = share[-1] if include_self else 0
        for place, part in zip(places, share):
            dsrc[place] = part
    return dx, dsrc


@says("{g} times how y moves with {x}")
def share_of_cells(g, x, dim, index, src, reduce, include_self):
    return _shares(g, x, dim, index, src, reduce, include_self)[0]


@says("{g} times how y moves with {src}")
def share_of_sent(g, x, dim, index, src, reduce, include_self):
    return _shares(g, x, dim, index, src, reduce, include_self)[1]


@says("{x} with {src} joined in at {index} along {dim:on} by a sum or a product")
def scatter_joined(x, dim, index, src, how):
    src = np.broadcast_to(src, index.shape)
    return scatter_reduce(x, dim, index, src, {"add": "sum", "multiply": "prod"}[how], True)


@says("{x}[{target}]", noun=True)
def of_target(x, target):
    """The cell of each row that its target, one of a column, names."""
    return np.take_along_axis(x, target, 1)


@says("1 at {target}, else 0")
def at_classes(target, x):
    return to_target(1, target, x.shape)


@says("")
def column(each):
    """Numbers of rows with an axis for classes, which a column has."""
    return each


@says("{value} at the targets, else 0")
def to_target(value, target, size):
    out, axis = np.zeros(size), min(1, len(size) - 1)
    column = target if np.ndim(target) == len(size) else np.expand_dims(target, axis)
    value = np.broadcast_to(value, np.shape(target)).reshape(column.shape)
    np.put_along_axis(out, column, value, axis)
    return out


@says("the cells of the flattened {x} at {index}")
def take(x, index):
    return x.ravel()[index]


@says("zeros of `count` rows with {x} added to the rows {index} names")
def rows_zeros(x, count, index):
    return _added(np.zeros((count, x.shape[-1])), index, x)


@says("{g:bare}, and none to row {row:value}")
def without_row(g, row):
    return _written(g, row, 0)


@says("{x} read there, 0 where that is padding_idx")
def rows_at(x, index, padding_idx):
    return x[index] * (index != padding_idx)[..., None]


@says("the cells of {x} where {mask} is True, in order", gradient="{x} where {mask} is True")
def masked(x, mask):
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


@says("zeros of {mask}'s shape with {x}, in order, where it is True")
def masked_zeros(x, mask):
    return _written(np.zeros(mask.shape), mask, x)


@says("{x} with {source}'s first cells where {mask}")
def masked_scatter(x, mask, source):
    x, mask = np.broadcast_arrays(x, mask)
    return _written(x, mask, source.ravel()[: mask.sum()])


@says("the cells of {g} where {mask} is True, in order")
def first_masked(g, mask, size):
    return first_cells(g[np.broadcast_to(mask, g.shape)], size)


@says("zeros of `shape` whose first cells are {x}'s")
def first_cells(x, size):
    out = np.zeros(int(np.prod(size)))
    out[: x.size] = x.ravel()
    return out.reshape(size)


@says("the first of {g}")
def first_of(g, size):
    return g.ravel()[: int(np.prod(size))].reshape(size)


@says("zeros with {g} at the indices")
def at_indices(g, indices, dim, size):
    if indices.ndim < len(size):  # of one line that was reduced
        g, indices = np.expand_dims(g, dim), np.expand_dims(indices, dim)
    zeros = np.zeros(size or indices.shape)
    np.add.at(zeros, _cells(indices, dim), g)
    return zeros

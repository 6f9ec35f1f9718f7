"""Formulas said in a sentence: what moves cells, and what picks one of several. Each sentence stands for an expression.

`there` is the place that an op's index, index arrays, mask or targets name; `back(g)` are zeros with g added where each
cell of y was read, which is found by reading the numbers of the cells instead of the cells.
"""

import re

import numpy as np

SENTENCES = {
    # the same cells under another layout
    r"x, as a view of its own|x in fresh (row-major )?memory(, with x's strides where x is dense)?": "x",
    r"x in another dtype": "x",
    r"g in x's dtype|g summed over the repeats": "g",
    r"x as a matrix of its last axis": "reshape(x, (-1, x.shape[-1]))",
    r"x under another shape": "reshape(x, size)",
    r"g under x's shape|g without this axis|g with these axes put back": "reshape(g, x.shape)",
    r"g transposed": "g.T",
    r"x with two axes swapped": "swapaxes(x, dim0, dim1)",
    r"g with them swapped back": "swapaxes(g, dim0, dim1)",
    r"x with its axes in another order": "transpose(x, dims)",
    r"g with the order undone": "transpose(g, argsort(dims))",
    r"x with a new axis of size 1": "expand_dims(x, dim)",
    r"x without axes of size 1": "squeeze(x, dims)",
    r"x repeated without copying": "broadcast_to(x, size)",
    r"x summed down to a shape that broadcasts to x's": "fitted(x, size)",
    r"length indices of dim from start on": "take(x, range(start, start + length), dim)",
    r"x at one index of dim": "take(x, index, dim)",
    r"cells whose indices along dim1 and dim2 differ by offset": "diagonal(x, diag, dim1, dim2)",
    r"x\[items\], whose last item is .*": "x[items]",
    r"windows of x": "windows(x, dim, size, step)",
    r"the slices along dim, a tuple of views": "[take(x, k, dim) for k in range(x.shape[dim])]",
    r"the gradients stacked": "stack(g, dim)",
    r"runs of .* along dim, a tuple of views": "split(x, cumsum(lengths)[:-1], dim)",
    r"the gradients joined": "concatenate(g, dim)",
    # cells moved, joined or repeated
    r"the tensors end to end along dim": "concatenate(tensors, dim)",
    r"g of its own stretch": "split(g, cumsum(lengths)[:-1], dim)[k]",
    r"the tensors along a new axis dim": "stack(tensors, dim)",
    r"g at its own index": "take(g, k, dim)",
    r"zeros with the matrices one after the other along the diagonal": "along_diagonal(tensors)",
    r"g of its own part": "block(g, *parts[k])",
    r"x with the indices along dims reversed": "flip(x, dims)",
    r"g with them reversed back": "flip(g, dims)",
    r"x laid side by side, repeats\[d\] times along each axis": "tile(x, repeats)",
    r"x shifted along dims, what leaves at one end coming in at the other": "roll(x, shifts, dims)",
    r"x turned by k quarters in the plane of two dims, from the first towards the second": "rot90(x, k, dims)",
    r"g turned back": "rot90(g, -k, dims)",
    r"x moved `by` places along dim, with `fill` where nothing came from": "moved(x, dim, by, fill)",
    r"g moved back": "moved(g, dim, -by, 0)",
    r"x with `pad` cells of one value around it, or as many cut off": "padded(x, pad, value)",
    r"g without them": "padded(g, [-n for n in pad], 0)",
    r"zeros with x's last axis on a diagonal of dim1 and dim2": "on_diagonal(x, size, offset, dim1, dim2)",
    r"that diagonal of g": "diagonal(g, offset, dim1, dim2)",
    r"x, with numbers for NaN and the infinities": "nan_to_num(x)",
    r"g where x is finite, else 0": "where(isfinite(x), g, 0)",
    r"g, summed over all but its channels": "g.sum((0, 2, 3))",
    # cells named by an index or a mask
    r"weight\[index\]|x\[arrays\], index array k along dims\[k\]": "main[there]",
    r"x with cells of its own around it": "main[there]",
    r"the slices of x along dim that index names|x\[index\[i, j\], j\] along dim": "main[there]",
    r"the cells of the flattened x at index": "x.ravel()[index]",
    r"the cells of x where mask is True, in order": "main[there]",
    r"x with value at index arrays|x with value in the slices at index|x with one number at index along dim": (
        "written(x, value)"
    ),
    r"x with the slices at index those of source": "written(x, source)",
    r"x with y\[index\[i, j\], j\] = src\[i, j\] along dim": "written(x, src)",
    r"x with source's first cells where mask": "written(x, source.ravel()[:mask.sum()])",
    r"x with value added at index arrays": "added(x, value)",
    r"x with alpha \* source added to the slices at index": "added(x, alpha * source)",
    r"x with src\[i, j\] added at y\[index\[i, j\], j\] along dim": "added(x, src)",
    r"x with src\[i, j\] joined by reduce at y\[index\[i, j\], j\] along dim": (
        "scattered(x, src, index, reduce, include_self)"
    ),
    r"g times how the join moves with x": "moves_with(x, g, lambda x: scattered(x, src, index, reduce, include_self))",
    r"g read there, times how the join moves with it": (
        "moves_with(src, g, lambda src: scattered(x, src, index, reduce, include_self))"
    ),
    r"zeros of `shape` with (g|x) added at (index arrays|`index` along dim)": r"added(zeros(size), \1)",
    r"zeros of `count` rows with g added to the rows index names": "added(zeros((count, g.shape[-1])), g)",
    r"zeros of mask's shape with x, in order, where it is True": "written(zeros(mask.shape), x)",
    r"zeros of `shape` whose first cells are x's": "first_cells(x, size)",
    r"x with 0 at index( arrays| along dim)": "written(x, 0)",
    r"g with 0 there|g, 0 in those|g, 0 where written": "written(g, 0)",
    r"g read there|g there": "g[there]",
    r"alpha \* g's slices at index": "alpha * g[there]",
    r"dy (read there|read at them|gathered there|where mask is True)(, 0 where that is padding_idx)?": "dy[there]",
    r"the first of dy": "dy.ravel()[:x.size]",
    r"the sum of g over them": "sum(g[there])",
    r"g where mask": "first_cells(g[there], source.shape)",
    r"(.*) at the targets, else 0": r"added(0 * x, \1)",
    # one cell of several
    r"the (largest|smallest|middle)(?: number)? along dim, and where it is": r"\1(x, dim)",
    r"the (largest|smallest) up to each cell along dim, and where it is": r"\1_so_far(x, dim)",
    r"the (largest|smallest|middle) (?:cell|number) of all(?:, of two the lower one)?": r"\1(x.ravel(), 0)",
    r"g shared equally by the cells that are the \w+, or by those that are NaN": "g * (x == y) / sum(x == y)",
    r"the most frequent cell along dim, and where it is": "most_frequent(x, dim)",
    r"the k-th smallest along dim": "take(in_order(x, dim, False), [k - 1], dim)",
    r"x in order along dim, and where it was": "in_order(x, dim, descending)",
    r"the k largest or smallest along dim": "take(in_order(x, dim, largest), range(k), dim)",
    r"zeros with g (at the indices|where (the values|they|it) came from)": "found_again(g)",
    r"the sum over k of (x|g) at cells\[k\] along dim, times weights\[k\]": r"weighed(\1, dim, cells, weights)",
    r"zeros with g times weights\[k\] added at cells\[k\]": "weighed_zeros(g, x.shape[dim], dim, cells, weights)",
    r"zeros, as many as length along dim, with x times weights\[k\] added at cells\[k\]": (
        "weighed_zeros(x, length, dim, cells, weights)"
    ),
    r"the means over `sizes` stretches of the last axes": "stretch_means(x, sizes)",
    r"g spread equally over them": "spread_equally(g, x.shape[-2:])",
    r"g spread equally over stretches of the last axes, `sizes` cells": "spread_equally(g, sizes)",
    r"the means of dy over them": "stretch_means(dy, g.shape[-2:])",
    # where each cell of y was read
    r"zeros with (every )?g (added )?(there|where (x|it) was read)": "back(g)",
    r"zeros with g (at that index|on that diagonal|placed there)": "back(g)",
    r"zeros with g added to the rows that were read|every window's g added back": "back(g)",
    r"the sum of g over the copies|g shifted back": "back(g)",
}


def meaning(text: str) -> str | None:
    """The expression that a sentence stands for.

    >>> meaning("g, 0 in those"), meaning("zeros of `shape` with x added at `index` along dim"), meaning("a * b")
    ('written(g, 0)', 'added(zeros(size), x)', None)
    """
    for sentence, said in SENTENCES.items():
        if match := re.fullmatch(sentence, text):
            return match.expand(said)
    return None


def place(attrs: dict, arrays: dict):
    """The cells that an op's index names, as an index of NumPy's."""
    if "arrays" in attrs:
        key = [slice(None)] * (max(attrs["dims"]) + 1)
        for dim, array in zip(attrs["dims"], attrs["arrays"], strict=True):
            key[dim] = array
        return tuple(key)
    if "index" in arrays:
        index, dim = arrays["index"], attrs.get("dim", 0)
        if index.ndim == 1:
            return (slice(None),) * dim + (index,)
        grid = list(np.indices(index.shape, sparse=True))
        grid[dim] = index
        return tuple(grid)
    if "target" in arrays and arrays["target"].dtype.kind == "i":
        return np.arange(len(arrays["target"]))[:, None], arrays["target"]
    return arrays.get("mask")


def written(a, there, value):
    a = a.copy()
    a[there] = value
    return a


def added(a, there, value):
    a = a.copy()
    np.add.at(a, there, value)
    return a


def scattered(x, src, index, reduce, include_self):
    """Along axis 0, cell by cell: all that are sent to a cell, with or without what is there."""
    join = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    out = x.copy()
    for row, column in np.ndindex(*x.shape):
        sent = [src[k, column] for k in range(len(index)) if column < index.shape[1] and index[k, column] == row]
        if sent:
            out[row, column] = join(sent + [x[row, column]] * include_self)
    return out


def moves_with(x, g, f):
    """How f(x), weighted by g, moves with each cell of x."""
    out = np.empty(x.shape)
    for at in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[at] = 1e-6
        out[at] = np.sum((f(x + step) - f(x - step)) * g) / 2e-6
    return out


def most_frequent(x, dim):
    """The smallest of those that no other cell of a line occurs more often than."""
    def of_line(line):
        cells, counts = np.unique(line, return_counts=True)
        return cells[counts.argmax()]
    return np.expand_dims(np.apply_along_axis(of_line, dim, x), dim)


def first_cells(x, shape):
    out = np.zeros(np.prod(shape))
    out[: x.size] = x.ravel()
    return out.reshape(shape)


def moved(x, dim, by, fill):
    out = np.full_like(x, fill)
    line, n = np.arange(x.shape[dim]), x.shape[dim]
    kept = line[(line - by >= 0) & (line - by < n)]
    key = (slice(None),) * dim
    out[(*key, kept)] = x[(*key, kept - by)]
    return out


def padded(x, pad, value):
    """(before, after) from the last axis on; cells are put around first, then cut off."""
    pairs = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(x.ndim)][::-1]
    whole = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=value)
    return whole[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, whole.shape, strict=True))]


def on_diagonal(x, size, offset, dim1, dim2):
    out = np.zeros(size)
    for at in np.ndindex(*x.shape):
        lead, k = list(at[:-1]), at[-1]
        for dim, i in sorted([(dim1, k + max(-offset, 0)), (dim2, k + max(offset, 0))]):
            lead.insert(dim, i)
        out[tuple(lead)] = x[at]
    return out


def windows(x, dim, size, step):
    every = np.lib.stride_tricks.sliding_window_view(x, size, dim)
    return every[(slice(None),) * dim + (slice(None, None, step),)]


def weighed(x, dim, cells, weights):
    """Of the last axis."""
    return sum(np.take(x, at, dim) * weight for at, weight in zip(cells, weights, strict=True))


def weighed_zeros(g, length, dim, cells, weights):
    out = np.zeros((*g.shape[:dim], length))
    for at, weight in zip(cells, weights, strict=True):
        np.add.at(out, (..., at), g * weight)
    return out


def stretches(out, n):
    return [range(k * n // out, -(-(k + 1) * n // out)) for k in range(out)]


def stretch_means(x, sizes):
    """Of the last two axes."""
    for d, out in zip((-2, -1), sizes, strict=True):
        x = np.stack([np.take(x, cells, d).mean(d) for cells in stretches(out, x.shape[d])], d)
    return x


def spread_equally(g, sizes):
    rows, columns = (stretches(*each) for each in zip(g.shape[-2:], sizes, strict=True))
    x = np.zeros((*g.shape[:-2], *sizes))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            x[..., row.start:row.stop, column.start:column.stop] += (
                g[..., i, j, None, None] / len(row) / len(column)
            )
    return x


def in_order(x, dim, falling):
    return np.flip(np.sort(x, dim), dim) if falling else np.sort(x, dim)


def found_again(x, y, g, dim):
    """Zeros with each g at the cell of its line that equals its y."""
    x, y, g = (np.moveaxis(a, dim, -1) for a in (x, y, g))
    return np.moveaxis(np.sum((x[..., :, None] == y[..., None, :]) * g[..., None, :], -1), -1, dim)


def along_diagonal(tensors):
    return np.block([[x if j == k else np.zeros((len(y), x.shape[1])) for j, x in enumerate(tensors)]
                     for k, y in enumerate(tensors)])


FUNCTIONS = {
    **{
        name: getattr(np, name)
        for name in (
            "argsort broadcast_to concatenate cumsum diagonal expand_dims flip isfinite nan_to_num reshape roll rot90 "
            "split squeeze stack swapaxes take tile transpose zeros"
        ).split()
    },
    "along_diagonal": along_diagonal,
    "block": lambda x, row, column, height, width: x[row:row + height, column:column + width],
    "first_cells": first_cells,
    "in_order": in_order,
    "scattered": scattered,
    "largest": lambda x, dim: x.max(dim, keepdims=True),
    "largest_so_far": np.maximum.accumulate,
    "middle": lambda x, dim: np.take(np.sort(x, dim), [(x.shape[dim] - 1) // 2], dim),
    "most_frequent": most_frequent,
    "moved": moved,
    "moves_with": moves_with,
    "on_diagonal": on_diagonal,
    "padded": padded,
    "smallest": lambda x, dim: x.min(dim, keepdims=True),
    "smallest_so_far": np.minimum.accumulate,
    "spread_equally": spread_equally,
    "stretch_means": stretch_means,
    "weighed": weighed,
    "weighed_zeros": weighed_zeros,
    "windows": windows,
}

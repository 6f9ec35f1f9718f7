"""The functions of rules whose results are defined by a property: the sides that it makes equal, and their phrases.

One cell of several is claimed by reading it where it is said to stand.
"""

import numpy as np

from .meaning import median, nanmedian, says, symmetric


@says("the different cells of {x}, or slices along dim, in order, or runs of equal ones", proves=True)
def distinct(x, dim, runs, results):
    """Each cell or slice is one of them, which rise, or differ from the one before."""
    values, inverse, counts = results
    lines = x.ravel() if dim is None else np.moveaxis(x, dim, 0)
    values = values if dim is None else np.moveaxis(values, dim, 0)
    of_line, n = np.zeros(len(lines), int), 0
    for k in range(1, len(lines)) if runs else ():
        of_line[k] = n = n + (lines[k] != lines[k - 1]).any()
    if not runs:
        of_line = np.unique(lines, axis=0, return_inverse=True)[1].ravel()
        yield np.unique(values, axis=0), values
    yield values[of_line], lines
    if inverse is not None:
        yield of_line, inverse.ravel()
    if counts is not None:
        yield np.bincount(of_line, minlength=len(values)), counts


@says("{x} as u @ diag(s) @ v.mT, s falling", proves=True)
def svd(x, results):
    u, s, v = results
    yield u * s[..., None, :] @ v.mT, x
    yield from ((side.mT @ side, np.broadcast_to(np.eye(s.shape[-1]), (*s.shape, s.shape[-1]))) for side in (u, v))
    yield np.sort(abs(s))[..., ::-1], s


@says("the eigenvalues of {x}, rising, and its eigenvectors", proves=True)
def eigh(x, triangle, results):
    w, v = results
    yield symmetric(x, triangle) @ v, v * w[..., None, :]
    yield v.mT @ v, np.broadcast_to(np.eye(w.shape[-1]), v.shape)
    yield np.sort(w), w


@says("the {upper:triangle} = {x}", proves=True)
def cholesky(x, upper, results):
    lower = results[0].mT if upper else results[0]
    yield lower @ lower.mT, symmetric(x, "L")
    yield np.tril(lower), lower


def _there(values, indices, x, dim):
    """The cells of x at indices along {dim:on} are the values."""
    return np.take_along_axis(x, indices, dim), values


def _each(of_line, x, dim):
    """One number of each line along {dim:on}."""
    return np.apply_along_axis(lambda line: [of_line(line)], dim, x) if x.size else x.sum(dim, keepdims=True)


@says("the largest along {dim:on}, and where it is", proves=True)
def largest(x, dim, results):
    yield _there(*results, x, dim)
    yield x.max(dim, keepdims=True), results[0]


@says("the smallest along {dim:on}, and where it is", proves=True)
def smallest(x, dim, results):
    yield _there(*results, x, dim)
    yield x.min(dim, keepdims=True), results[0]


@says("the middle along {dim:on}, and where it is", proves=True)
def middle(x, dim, results):
    yield _there(*results, x, dim)
    yield _each(median, x, dim), results[0]


@says("the middle number along {dim:on}, and where it is", proves=True)
def middle_number(x, dim, results):
    yield _there(*results, x, dim)
    yield _each(nanmedian, x, dim), results[0]


@says("the most frequent cell along {dim:on}, and where it is", proves=True)
def most_frequent(x, dim, results):
    def of_line(line):  # the smallest of those that no other cell occurs more often than
        cells, counts = np.unique(line, return_counts=True)
        return cells[counts.argmax()]

    yield _there(*results, x, dim)
    yield _each(of_line, x, dim), results[0]


@says("the largest up to each cell along {dim:on}, and where it is", proves=True)
def largest_so_far(x, dim, results):
    yield _there(*results, x, dim)
    yield np.maximum.accumulate(x, dim), results[0]


@says("the smallest up to each cell along {dim:on}, and where it is", proves=True)
def smallest_so_far(x, dim, results):
    yield _there(*results, x, dim)
    yield np.minimum.accumulate(x, dim), results[0]


@says("{x} in {descending:falling}order along {dim:on}, and where it was", proves=True)
def in_order(x, dim, descending, results):
    values, indices = results
    yield _there(values, indices, x, dim)
    yield np.sort(indices, dim), np.sort(np.argsort(x, dim), dim)  # every cell once
    yield (np.flip(values, dim) if descending else values), np.sort(x, dim)


@says("the k-th smallest{k:rank} along {dim:on}", proves=True)
def kth_smallest(x, k, dim, results):
    yield _there(*results, x, dim)
    yield np.take(np.sort(x, dim), [k - 1], dim), results[0]


@says("the {k:value} {largest:end} along {dim:on}", proves=True)
def top(x, k, dim, largest, results):
    values, indices = results
    yield _there(values, indices, x, dim)
    line = np.sort(x, dim)
    yield np.sort(np.take(np.flip(line, dim) if largest else line, range(k), dim), dim), np.sort(values, dim)
    yield True, np.diff(np.sort(indices, dim), axis=dim) > 0

"""Convolution as one matrix product over windows: no loop over pixels."""
from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as _sliding_window_view


def _windows(x, kernel, stride, padding, dilation):
    """(N, C, H, W) -> (N, C, Ho, Wo, kh, kw), a view of the padded input."""
    if any(padding):
        x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    span = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    return _sliding_window_view(x, span, (2, 3))[:, :, ::stride[0], ::stride[1], ::dilation[0], ::dilation[1]]


def conv2d(x, w, stride, padding, dilation, groups):
    """(N, C, H, W), (O, C / groups, kh, kw) -> (N, O, Ho, Wo)."""
    windows = _windows(x, w.shape[2:], stride, padding, dilation)
    n, c, ho, wo, kh, kw = windows.shape
    columns = windows.reshape(n, groups, c // groups, ho, wo, kh, kw).transpose(1, 2, 5, 6, 0, 3, 4).reshape(groups, -1, n * ho * wo)
    y = np.matmul(w.reshape(groups, w.shape[0] // groups, -1), columns)
    return np.ascontiguousarray(y.reshape(w.shape[0], n, ho, wo).swapaxes(0, 1))


def conv2d_input(g, w, shape, stride, padding, dilation, groups):
    """The gradient of conv2d for its input of `shape`: every window's share added back, one kernel position at a time."""
    n, o, ho, wo = g.shape
    kh, kw = w.shape[2:]
    gg = g.swapaxes(0, 1).reshape(groups, o // groups, n * ho * wo)
    columns = np.matmul(w.reshape(groups, o // groups, -1).swapaxes(1, 2), gg).reshape(shape[1], kh, kw, n, ho, wo)
    out = np.zeros((shape[1], n, shape[2] + 2 * padding[0], shape[3] + 2 * padding[1]), g.dtype)
    for i in range(kh):
        for j in range(kw):
            top, left = i * dilation[0], j * dilation[1]
            out[:, :, top:top + stride[0] * (ho - 1) + 1:stride[0], left:left + stride[1] * (wo - 1) + 1:stride[1]] += columns[:, i, j]
    out = out[:, :, padding[0]:padding[0] + shape[2], padding[1]:padding[1] + shape[3]]
    return np.ascontiguousarray(out.swapaxes(0, 1))


def conv2d_weight(g, x, shape, stride, padding, dilation, groups):
    """The gradient of conv2d for its weight of `shape`."""
    windows = _windows(x, shape[2:], stride, padding, dilation)
    n, c, ho, wo, kh, kw = windows.shape
    columns = windows.reshape(n, groups, c // groups, ho, wo, kh, kw).transpose(1, 2, 5, 6, 0, 3, 4).reshape(groups, -1, n * ho * wo)
    gg = g.swapaxes(0, 1).reshape(groups, shape[0] // groups, n * ho * wo)
    return np.matmul(gg, columns.swapaxes(1, 2)).reshape(shape)

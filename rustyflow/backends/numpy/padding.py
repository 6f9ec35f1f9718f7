"""Constant padding; a negative count cuts cells off."""
from __future__ import annotations

import numpy as np


def constant_pad(a, pad, value):
    """`pad` counts (before, after) from the last axis on."""
    counts = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(a.ndim)][::-1]
    out = np.full([n + before + after for n, (before, after) in zip(a.shape, counts)], value, a.dtype)
    to = tuple([slice(max(before, 0), n + before + min(after, 0)) for n, (before, after) in zip(a.shape, counts)])
    source = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(a.shape, counts)])
    if out.size and a[source].size:
        out[to] = a[source]
    return out

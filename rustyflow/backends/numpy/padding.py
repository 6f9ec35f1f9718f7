"""Constant padding; a negative count cuts cells off."""
from __future__ import annotations

import numpy as np

from .core import dense_as as _dense_as, write as _write


def constant_pad(a, pad, value):
    """`pad` counts (before, after) from the last axis on."""
    counts = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(a.ndim)][::-1]
    to = tuple([slice(max(before, 0), n + before + min(after, 0)) for n, (before, after) in zip(a.shape, counts)])
    source = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(a.shape, counts)])
    if max(pad, default=0) <= 0:
        return _dense_as(a[source])
    out = np.empty([n + before + after for n, (before, after) in zip(a.shape, counts)], a.dtype)
    if not a[source].size:
        out[...] = value
        return out
    _write(out[to], a[source])
    for d, kept in enumerate(to):
        lead = (slice(None),) * d
        out[(*lead, slice(0, kept.start))] = value
        out[(*lead, slice(kept.stop, None))] = value
    return out

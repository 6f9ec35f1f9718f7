"""Indices along one axis, for the families' own use."""
from __future__ import annotations

import numpy as np

from ...errors import written_since
from .settings import visited


def are_below(index, n):
    """True if all indices are from 0 to n - 1, read as unsigned: a negative one is large."""
    return not index.size or np.maximum.reduce(visited(index).view(_UNSIGNED[index.itemsize]), axis=None) < n


def need_below(index, n):
    """Refuse indices outside an axis of size n that lay inside once."""
    if not are_below(index, n):
        raise written_since(f"indices from {index.min()} to {index.max()} on an axis of {n}")


_UNSIGNED = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}


def from_front(index, n):
    """Indices into an axis of n cells, with those below 0 counted from its front instead of its end."""
    return index + n * (index < 0) if index.min(initial=0) < 0 else index

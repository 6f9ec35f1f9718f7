"""Reading at an index along one axis, for the families' own use."""
from __future__ import annotations

import numpy as np

from .index import gather


def along(a, index, dim):
    """`gather` by NumPy's function for it, which is quicker and takes fewer axes."""
    if a.ndim < 32:
        return np.take_along_axis(a, index, dim)
    return gather(a, dim, index)

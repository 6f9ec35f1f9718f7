"""The shuffle of R. A. Fisher and F. Yates, by LAPACK's exchange of the rows of a matrix.

Sources: R. Durstenfeld, Algorithm 235: Random permutation, Communications of the ACM 7 (1964), 420;
https://www.netlib.org/lapack/explore-html/dd/d4e/group__laswp.html
"""

from __future__ import annotations

import numpy as np

FEW = 1000
"""So few places are swapped faster in Python than SciPy is loaded, which takes a quarter of a second, once."""
MOST = 2**31 - 1
"""LAPACK counts no further."""


def swap(places: np.ndarray, partners: np.ndarray) -> None:
    """For every i in turn, swap places i and p, the i-th of the partners.

    The places are dense, of 4 or 8 bytes each and at most `MOST`; what they hold is moved as it is. The partners are
    int32, and none is less than its i.

    Example:
        >>> places = np.arange(4)
        >>> swap(places, np.array([2, 3, 2, 3], np.int32))
        >>> places
        array([2, 3, 0, 1])
    """
    if len(places) <= FEW:
        held = places.tolist()
        for i, j in enumerate(partners.tolist()):
            held[i], held[j] = held[j], held[i]
        places[:] = held
    else:
        from scipy.linalg import lapack
        exchange, cell = (lapack.slaswp, np.float32) if places.itemsize == 4 else (lapack.dlaswp, np.float64)
        exchange(places.view(cell).reshape(-1, 1), partners, overwrite_a=1)

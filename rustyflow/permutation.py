"""The shuffle of R. A. Fisher and F. Yates by arrays: thousands of its swaps at once, with what they share set right.

Source: R. Durstenfeld, Algorithm 235: Random permutation, Communications of the ACM 7 (1964), 420.
"""

from __future__ import annotations

import numpy as np

FEW, RUN = 1000, 4096
"""So few swaps are made faster one by one; and runs shorter than this cost more calls than they save conflicts."""


def shuffled(partners: np.ndarray) -> np.ndarray:
    """What becomes of 0 .. n-1 when for every i in turn places i and partners[i] are swapped; written over `partners`.

    partners[i] is i or more, so that place i is done with after swap i.

    Example:
        >>> shuffled(np.array([2, 3, 2, 3]))
        array([2, 3, 0, 1])
    """
    n, start = len(partners), 0
    held = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
    while n - start > FEW:
        stop = min(n, start + max((n - start) // 16, RUN))
        _swap(held, partners, start, stop)
        start = stop
    left = held[start:].tolist()
    for i, j in enumerate((partners[start:] - start).tolist()):
        left[i], left[j] = left[j], left[i]
    partners[start:] = left
    return partners


def _swap(held, partners, start, stop):
    """Swaps start to stop: what they bring to places further on goes into `held`, what they leave into `partners`."""
    left = partners[start:stop]
    aim, brought = left.copy(), held[start:stop].copy()
    near = np.flatnonzero(aim < stop)
    to = aim[near] - start
    still, near, to = near[to == near], near[to != near], to[to != near]
    changed = True
    while changed:  # a swap brings what the last one before it, if any, brought to its own place
        before = brought[to]
        brought[to] = brought[near]
        changed = (before != brought[to]).any()
    brought[still] = -1  # a place swapped with itself is done with: nobody takes this, and it is like no other's
    left[:] = held[aim]
    late = again = _put(held, aim, brought)
    while again.size:  # the second at a place takes what the first has put there, and so on
        aim, brought = aim[again], brought[again]
        left[late] = held[aim]
        again = _put(held, aim, brought)
        late = late[again]


def _put(held, aim, brought):
    """Let the first at every place put there what it brings; return who came later."""
    held[aim[::-1]] = brought[::-1]
    return np.flatnonzero(held[aim] != brought)

"""The shuffle of R. A. Fisher and F. Yates by arrays: thousands of its swaps at once, with what they share set right.

Source: R. Durstenfeld, Algorithm 235: Random permutation, Communications of the ACM 7 (1964), 420.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PARTS = 32
"""A run is this part of the swaps that are left: more of them at once would get in each other's way too often."""
FEW, RUN = 1000, 4096
"""So few swaps are made faster one by one; and runs shorter than this cost more calls than they save conflicts."""


def shuffle(places: np.ndarray, partners: Callable[[int, int], np.ndarray]) -> np.ndarray:
    """For every i in turn, swap places i and p, and return `places`.

    partners(start, stop) gives the p, int64, of all i from start to stop, and is asked for one run after another. None
    is less than its i, so that place i is done with after swap i. The places hold different numbers, and none is -1.

    Example:
        >>> shuffle(np.arange(4), lambda start, stop: np.array([2, 3, 2, 3])[start:stop])
        array([2, 3, 0, 1])
    """
    n, start = len(places), 0
    while n - start > FEW:
        stop = min(n, start + max((n - start) // PARTS, RUN))
        _swap(places, partners(start, stop), start, stop)
        start = stop
    left = places[start:].tolist()
    for i, j in enumerate((partners(start, n) - start).tolist()):
        left[i], left[j] = left[j], left[i]
    places[start:] = left
    return places


def _swap(places, aim, start, stop):
    """Swaps start to stop, with the places `aim`."""
    brought = places[start:stop].copy()
    near = np.flatnonzero(aim < stop)
    to = aim[near] - start
    still, near, to = near[to == near], near[to != near], to[to != near]
    changed = True
    while changed:  # a swap brings what the last one before it, if any, brought to its own place
        before = brought[to]
        brought[to] = brought[near]
        changed = (before != brought[to]).any()
    brought[still] = -1  # a place swapped with itself is done with: nobody takes this, and it is like no other's
    taken = places[aim]
    late = again = _put(places, aim, brought)
    while again.size:  # the second at a place takes what the first has put there, and so on
        aim, brought = aim[again], brought[again]
        taken[late] = places[aim]
        again = _put(places, aim, brought)
        late = late[again]
    places[start:stop] = taken


def _put(places, aim, brought):
    """Let the first at every place put there what it brings; return who came later."""
    places[aim[::-1]] = brought[::-1]
    return np.flatnonzero(places[aim] != brought)

"""Filling the op table: importing rustyflow loads tensors and their creation, and the rest when it is first used."""
from __future__ import annotations


def load() -> None:
    """Load every family of ops: a slot, which the package's face fills, as ops are built on tensors."""


def fill() -> None:
    """Load what there is to do with tensors, all at once, so that nobody has to know what stands where.

    Done once: a second thread waits for the first by Python's import lock, and a call from within comes back at once.
    """
    load()

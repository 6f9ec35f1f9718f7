"""Filling the op table: `import rustyflow` loads tensors and their creation, and what is done with them on first use.

All families come at once, so that nobody has to know which name stands in which of them.
"""
from __future__ import annotations

from importlib import import_module


def fill() -> None:
    """Load every family of ops, autograd, random numbers and the neighbours' protocols.

    Done once: a second thread waits for the first by Python's import lock, and a call from within comes back at once.
    """
    import_module(".families", __package__)

"""Filling the op table: `import rustyflow` loads tensors and their creation; what is done with them is loaded when first used.

All families come at once, so that nobody has to know which name stands in which of them.
"""
from __future__ import annotations

import threading
from importlib import import_module

_lock = threading.RLock()
_state = "empty"


def fill() -> bool:
    """Load every family of ops, autograd, random numbers and the neighbours' protocols. False when that was done, or is being done."""
    global _state
    if _state != "empty":
        return False
    with _lock:
        if _state != "empty":
            return False
        _state = "filling"
        try:
            for name in import_module(".ops", __package__).FAMILIES:
                import_module(f".ops.{name}", __package__)
            for name in ("autograd", "random", "neighbours"):
                import_module(f".{name}", __package__)
        except BaseException:
            _state = "empty"
            raise
        _state = "full"
    return True

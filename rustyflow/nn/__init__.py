"""Neural networks: `nn.functional`, and `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from . import functional
from .parameter import Parameter

__all__ = ["Parameter", "functional"]


def __getattr__(name):
    from ..absent import refuse
    refuse(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__

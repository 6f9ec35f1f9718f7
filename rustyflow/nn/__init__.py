"""Neural networks: `nn.functional`, and `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from . import functional
from .parameter import Parameter

__all__ = ["Parameter", "functional"]


def __getattr__(name):
    from ..absent import missing
    missing(__name__, name)


def __dir__():
    return __all__

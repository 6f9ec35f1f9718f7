"""Neural networks: `nn.functional`, and `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from ..errors import missing
from . import functional
from .parameter import Parameter

__all__ = ["Parameter", "functional"]


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

"""Neural networks: modules, their functions and first weights; `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from ..arguments.explain import teach_making
from ..errors import missing
from . import functional, init, modules, utils
from .parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init", "modules", "utils",
    *modules.__all__,
]
globals().update({name: getattr(modules, name) for name in modules.__all__})
teach_making(globals(), modules.__all__)


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

"""Neural networks: modules, their functions and first weights; `nn.Parameter`, a tensor that asks for its gradient."""
from __future__ import annotations

from ..arguments.explain import teach_making, teach_methods
from ..errors import missing
from . import functional, init, modules, utils
from .parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .state import HasState

__all__ = [
    "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init", "modules", "utils",
    *modules.__all__,
]
globals().update({name: getattr(modules, name) for name in modules.__all__})
teach_making(globals(), modules.__all__)
teach_methods(bases := {"Module": modules.Module, "HasState": HasState}, bases)


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

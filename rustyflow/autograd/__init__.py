"""Reverse-mode differentiation: the walk (`engine`), and what PyTorch's `torch.autograd` offers around it."""
from importlib import import_module as _import_module

from ..arguments.explain import explaining_once as _taught
from ..errors import missing as _missing
from ..tensor import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from . import graph
from .backward import backward as _backward, grad as _grad
from .step import Step

backward, grad = _taught(_backward), _taught(_grad)

_ELSEWHERE = {
    "Function": "function", "gradcheck": "gradcheck", "gradgradcheck": "gradcheck", "backward_steps": "steps",
    "own_order": "steps", "provenance": "origin", "detect_anomaly": "anomaly", "set_detect_anomaly": "anomaly",
}
_MODULES = ("functional",)

__all__ = ["backward", "grad", "no_grad", "enable_grad", "set_grad_enabled", "is_grad_enabled", "inference_mode",
           "Step", "graph", *_MODULES, *_ELSEWHERE]


def __getattr__(name):
    if name in _MODULES:
        return _import_module(f".{name}", __name__)
    if name in _ELSEWHERE:
        value = getattr(_import_module(f".{_ELSEWHERE[name]}", __name__), name)
        value = value if isinstance(value, type) else _taught(value)
        globals()[name] = value  # also where a module of that name was just put in its place
        return value
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

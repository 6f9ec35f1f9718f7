"""PyTorch's public name `utils`, and a face alone: `utils.data` is what is in `data/`."""
from ..errors import missing
from . import data

__all__ = ["data"]


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

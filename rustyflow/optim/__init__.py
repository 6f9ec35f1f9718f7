"""Optimizers: they change parameters by their gradients; and schedulers of the learning rate."""

from ..errors import missing
from . import lr_scheduler
from .optimizer import Optimizer
from .rules import SGD, Adagrad, Adam, AdamW, RMSprop

__all__ = ["Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SGD", "lr_scheduler"]


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

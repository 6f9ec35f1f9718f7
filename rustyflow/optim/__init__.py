"""Optimizers: they change parameters by their gradients; and schedulers of the learning rate."""

from ..arguments.explain import teach_making
from ..errors import missing
from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam
from .adamw import AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SGD", "lr_scheduler"]
teach_making(globals(), __all__)


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

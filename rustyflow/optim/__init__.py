"""Optimizers: they change parameters by their gradients; and schedulers of the learning rate."""

from ..arguments.explain import teach_making, teach_methods
from ..errors import missing
from . import lr_scheduler
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = [
    "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop", "SGD", "lr_scheduler",
]
for _file in "adadelta", "adagrad", "adam", "adamax", "adamw", "nadam", "optimizer", "radam", "rmsprop", "sgd":
    del globals()[_file]  # modules, which PyTorch hides too, so that optim.sgd(...) is told of optim.SGD
teach_making(globals(), __all__)
teach_methods(globals(), __all__)


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

"""PyTorch's torch.optim.lr_scheduler: the learning rate of each epoch.

Source: https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""
from ...arguments.explain import teach_making as _teach_making, teach_methods as _teach_methods
from ...errors import missing as _missing
from .base import LRScheduler
from .combined import SequentialLR
from .cycles import CosineAnnealingWarmRestarts, OneCycleLR
from .factors import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .plateau import ReduceLROnPlateau

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ExponentialLR", "LRScheduler", "LambdaLR",
    "LinearLR", "MultiStepLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]
for _name in __all__:
    globals()[_name].__module__ = __name__  # PyTorch's, by which d2l's training loops know what is stepped by step()
_teach_making(globals(), __all__)
_teach_methods(globals(), __all__)


class _LRScheduler(LRScheduler):
    """The name that LRScheduler had before PyTorch 2.0, by which programs still take it."""


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

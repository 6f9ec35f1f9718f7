"""PyTorch's torch.optim.lr_scheduler: the learning rate of each epoch.

Source: https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""
from ..arguments.explain import teach_making as _teach_making
from ..errors import missing as _missing
from .schedulers import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiStepLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "OneCycleLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]
_teach_making(globals(), __all__)


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

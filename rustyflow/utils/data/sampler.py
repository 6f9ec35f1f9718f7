"""PyTorch's torch.utils.data.sampler: samplers, as programs that name it import them.

Source: https://pytorch.org/docs/stable/data.html
"""
from ...data.samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from ...errors import missing as _missing

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

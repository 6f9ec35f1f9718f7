"""PyTorch's torch.utils.data: datasets, samplers and the loader.

Source: https://pytorch.org/docs/stable/data.html
"""
from ...arguments.explain import teach_making as _teach_making
from ...data import sets
from ...data.dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from ...data.loader import DataLoader, default_collate, default_convert, get_worker_info
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
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "default_collate",
    "default_convert", "get_worker_info", "random_split", "sets",
]
_teach_making(globals(), __all__)


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

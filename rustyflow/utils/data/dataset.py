"""PyTorch's torch.utils.data.dataset: datasets, as programs that name it import them.

Source: https://pytorch.org/docs/stable/data.html
"""
from ...data.dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from ...errors import missing as _missing

__all__ = ["ConcatDataset", "Dataset", "IterableDataset", "Subset", "TensorDataset", "random_split"]


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

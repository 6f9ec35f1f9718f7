"""PyTorch's torch.utils.data.dataloader: the loader, and what makes a batch, as programs that name it import them.

Source: https://pytorch.org/docs/stable/data.html
"""
from ...data.dataset import Dataset, IterableDataset
from ...data.loader import DataLoader, default_collate, default_convert, get_worker_info
from ...data.samplers import BatchSampler, RandomSampler, Sampler, SequentialSampler
from ...errors import missing as _missing

__all__ = [
    "BatchSampler", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler",
    "default_collate", "default_convert", "get_worker_info",
]


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

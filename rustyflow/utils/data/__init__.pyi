"""What type checkers and editors see; a test holds that these are the names."""
from ...data import sets as sets
from ...data.dataset import (
    ConcatDataset as ConcatDataset,
    Dataset as Dataset,
    IterableDataset as IterableDataset,
    Subset as Subset,
    TensorDataset as TensorDataset,
    random_split as random_split,
)
from ...data.loader import (
    DataLoader as DataLoader,
    default_collate as default_collate,
    default_convert as default_convert,
    get_worker_info as get_worker_info,
)
from ...data.samplers import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler,
    WeightedRandomSampler as WeightedRandomSampler,
)

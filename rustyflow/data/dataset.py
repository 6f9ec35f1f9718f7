"""Datasets: examples by their number, or one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import isclose
from typing import Any

from ..arguments.explain import explaining_once
from ..errors import ArgumentTypeError, ArgumentValueError, AssertedError, NoTensorError, warn, wrong_type
from ..errors.foreign import kind_of
from ..random import randperm
from ..tensor import Tensor


class Dataset:
    """Examples by their number: a subclass writes `__getitem__` and, for a loader that shuffles, `__len__`.

    Raises:
        NotImplementedError: a subclass without `__getitem__`.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.Dataset

    Example:
        >>> import rustyflow as rf
        >>> class Squares(rf.utils.data.Dataset):
        ...     def __len__(self):
        ...         return 4
        ...
        ...     def __getitem__(self, n):
        ...         return n * n
        >>> list(rf.utils.data.DataLoader(Squares(), batch_size=2))
        [tensor([0, 1]), tensor([4, 9])]
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples one after the other: a subclass writes `__iter__`.

    Raises:
        NotImplementedError: a subclass without `__iter__`.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset

    Example:
        >>> import rustyflow as rf
        >>> class Stream(rf.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter([1.0, 2.0, 3.0])
        >>> list(rf.utils.data.DataLoader(Stream(), batch_size=2))
        [tensor([1., 2.], dtype=rustyflow.float64), tensor([3.], dtype=rustyflow.float64)]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    """Example n is row n of each tensor.

    Shapes:
        tensors (n, ...); example k is the tuple of their (...) at k.

    Raises:
        AssertionError: tensors of unequal lengths. NoTensorError (an AttributeError and a TypeError): what is none.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset

    Example:
        >>> import rustyflow as rf
        >>> data = rf.utils.data.TensorDataset(rf.arange(6).view(3, 2), rf.tensor([7, 8, 9]))
        >>> len(data), data[1]
        (3, (tensor([2, 3]), tensor(8)))
    """

    def __init__(self, *tensors: Tensor):
        for x in tensors:
            if not isinstance(x, Tensor):
                rule = f"a TensorDataset holds tensors, not {kind_of(x)}"
                raise NoTensorError(kind_of(x), rule, "rustyflow.tensor(x)", value=x)
        if any(len(x) != len(tensors[0]) for x in tensors):
            raise AssertedError(
                f"lengths {', '.join(str(len(x)) for x in tensors)}",
                "Size mismatch between tensors",
                "as many rows in each",
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(x[index] for x in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Some examples of a dataset, by their numbers there.

    Raises:
        IndexError: a number that is not there, in the part or in the whole.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.Subset

    Example:
        >>> import rustyflow as rf
        >>> part = rf.utils.data.Subset("abcdef", [0, 2])
        >>> part[1], len(part)
        ('c', 2)
    """

    def __init__(self, dataset: Any, indices: Sequence[int]):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[n] for n in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Datasets one behind the other.

    Raises:
        AssertionError: no datasets. IndexError: a number beyond the end. ValueError: one before the beginning.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.ConcatDataset

    Example:
        >>> import rustyflow as rf
        >>> both = rf.utils.data.ConcatDataset(["abc", "de"])
        >>> len(both), both[3], both[-1]
        (5, 'd', 'e')
    """

    def __init__(self, datasets: Iterable[Any]):
        if not isinstance(datasets, Iterable):
            raise wrong_type("ConcatDataset", "datasets", datasets, "a list of datasets", "ConcatDataset([a, b])")
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertedError("no datasets", "datasets should not be an empty iterable", "one or more")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        number = index + len(self) if index < 0 else index
        if number < 0:
            rule = "absolute value of index should not exceed dataset length"
            raise ArgumentValueError(f"index {index} of {len(self)} examples", rule, f"an index from {-len(self)} on")
        if number >= len(self):
            raise IndexError(f"index {index} of {len(self)} examples")
        which = bisect_right(self.cumulative_sizes, number)
        return self.datasets[which][number - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


@explaining_once
def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Parts of a dataset, drawn without replacement.

    Args:
        lengths: how many examples each part has, or which part of all: fractions that add up to 1.

    A part that a fraction leaves without an example is warned of.

    Raises:
        ValueError: lengths that do not add up to all, or are negative. TypeError: lengths that are no numbers.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.random_split

    Example:
        >>> import rustyflow as rf
        >>> train, test = rf.utils.data.random_split(range(10), [0.7, 0.3])
        >>> len(train), sorted([*train, *test]) == list(range(10))
        (7, True)
    """
    total = sized(dataset)
    parts = list(lengths) if isinstance(lengths, Iterable) else [lengths]
    if not isinstance(lengths, Iterable) or any(isinstance(part, (str, bytes)) for part in parts):
        was, rule = f"lengths={lengths!r:.60}", "lengths are numbers, one for each part"
        raise ArgumentTypeError(was, rule, "[0.8, 0.2]", value=lengths)
    if any(part < 0 or isinstance(part, float) and part > 1 for part in parts):
        rule = "a fraction is from 0 to 1, and a length no negative number"
        raise ArgumentValueError(f"lengths {parts}", rule, "[0.8, 0.2]")
    sizes = parts
    if isclose(sum(parts), 1) and sum(parts) <= 1 + 1e-9:  # [1, 0], too, are fractions: the whole, and nothing
        sizes = [int(total * part) for part in parts]
        for k in range(total - sum(sizes)):
            sizes[k % len(sizes)] += 1
        for k, size in enumerate(sizes):
            if not size:
                warn(f"Length of split at index {k} is 0: {parts[k]} of {total} examples are none, and that part is an "
                     "empty dataset")  # fmt: skip
    if sum(sizes) != total:
        raise ArgumentValueError(
            f"lengths {parts} of {total} examples",
            "Sum of input lengths does not equal the length of the input dataset!",
            "lengths that add up to all, or fractions of 1",
        )
    order = randperm(total, generator=generator).tolist()
    return [Subset(dataset, order[end - n : end]) for n, end in zip(sizes, accumulate(sizes), strict=True)]


def sized(dataset: Any) -> int:
    """The number of examples.

    Raises:
        TypeError: a dataset without a length.
    """
    try:
        return len(dataset)
    except TypeError:
        raise ArgumentTypeError(
            f"a {kind_of(dataset)} without a length",
            "to shuffle, or to count batches, one has to know how many examples there are",
            "def __len__(self): in the dataset",
            value=dataset,
        ) from None

"""Samplers: in which order examples are taken, and in which batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ..dtype import float64, int64
from ..errors import ArgumentValueError
from ..ops.creation import as_tensor, empty
from ..random import Generator, multinomial, randint, randperm
from .dataset import sized


class Sampler:
    """The base of samplers: a subclass writes `__iter__`, which gives numbers of examples.

    Raises:
        NotImplementedError: a subclass without `__iter__`.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.Sampler

    Example:
        >>> import rustyflow as rf
        >>> class Backwards(rf.utils.data.Sampler):
        ...     def __iter__(self):
        ...         return iter([2, 1, 0])
        >>> list(rf.utils.data.DataLoader("abc", sampler=Backwards(), batch_size=2))
        [['c', 'b'], ['a']]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler):
    """All examples in order.

    Raises:
        TypeError: a dataset without a length.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.SequentialSampler

    Example:
        >>> import rustyflow as rf
        >>> list(rf.utils.data.SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Any):
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(sized(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """All examples in a random order, or with `replacement` any of them again and again.

    Raises:
        ValueError: no examples, or a number of samples that is none.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.RandomSampler

    Example:
        >>> import rustyflow as rf
        >>> sorted(rf.utils.data.RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if isinstance(self.num_samples, bool) or not isinstance(self.num_samples, int) or self.num_samples < 1:
            raise ArgumentValueError(
                f"num_samples={self.num_samples}",
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}",
                "a dataset that is not empty" if num_samples is None else "num_samples=100",
            )

    @property
    def num_samples(self) -> int:
        """The count of numbers it gives: unless that was said, as many as there are examples now."""
        return sized(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        many, n = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:  # one number of the usual stream, so that it goes on as PyTorch's does
            generator = Generator()
            generator.manual_seed(int(empty((), dtype=int64).random_().item()))
        if self.replacement:
            for _ in range(n // 32):
                yield from randint(0, many, (32,), generator=generator).tolist()
            yield from randint(0, many, (n % 32,), generator=generator).tolist()
            return
        for _ in range(n // many):
            yield from randperm(many, generator=generator).tolist()
        yield from randperm(many, generator=generator).tolist()[: n % many]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some examples in a random order.

    Raises:
        TypeError: indices without a length.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.SubsetRandomSampler

    Example:
        >>> import rustyflow as rf
        >>> sorted(rf.utils.data.SubsetRandomSampler([3, 5]))
        [3, 5]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None):
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        return (self.indices[n] for n in randperm(len(self.indices), generator=self.generator).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Examples by their weights, as often as `num_samples` says.

    Shapes:
        weights (n,), one for each example.

    Raises:
        ValueError: a number of samples that is none.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler

    Example:
        >>> import rustyflow as rf
        >>> list(rf.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
        [1, 1, 1]
    """

    def __init__(self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None):
        if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples < 1:
            raise ArgumentValueError(
                f"num_samples={num_samples}",
                f"num_samples should be a positive integer value, but got num_samples={num_samples}",
                "num_samples=len(weights)",
            )
        self.weights = as_tensor(weights, dtype=float64)
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The indices of a sampler, in lists of `batch_size`; `drop_last` leaves out a last list that is shorter.

    Raises:
        ValueError: a batch_size that is no positive number.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.BatchSampler

    Example:
        >>> import rustyflow as rf
        >>> list(rf.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool = False):
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise ArgumentValueError(
                f"batch_size={batch_size!r}",
                f"batch_size should be a positive integer value, but got batch_size={batch_size}",
                "batch_size=32",
            )
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size

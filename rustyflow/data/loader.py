"""DataLoader: a dataset in batches, and how examples become a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from ..arguments.explain import explaining_once
from ..dtype import float64, int64
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError, wrong_type
from ..errors.foreign import kind_of
from ..ops.creation import as_tensor, empty, tensor
from ..ops.join.cat import stack
from ..tensor import Tensor
from .dataset import IterableDataset
from .samplers import BatchSampler, RandomSampler, SequentialSampler

SETTLED = ("dataset", "batch_size", "sampler", "batch_sampler", "drop_last", "persistent_workers")
"""The settings of a loader that cannot be changed once it is made."""


class DataLoader:
    """The examples of a dataset in batches: `for x, y in DataLoader(data, batch_size=32, shuffle=True)`.

    Args:
        dataset: examples by their number, or one after the other.
        batch_size: examples in a batch; None: no batches. shuffle: anew in each epoch. drop_last: leave out a last
            batch that is shorter.
        sampler, batch_sampler: numbers of examples, or lists of them, in an order of their own.
        collate_fn: makes a batch of a list of examples. generator: which random numbers are drawn.
        num_workers, pin_memory, timeout and others: taken for the sake of programs written for PyTorch; they change
            nothing.

    As in PyTorch the dataset, the batches and their order are settled when it is made; `collate_fn` and `generator` may
    be set later.

    It knows how many batches there are, so `for x, y in tqdm(loader)`, with `from tqdm.auto import tqdm`, shows in a
    terminal and in a notebook how far an epoch is.

    Shapes:
        examples (...) become batches (batch_size, ...), part by part; the last one may be shorter.

    Raises:
        ValueError: settings that exclude each other; `loader.batch_size = 3` and its like. TypeError: examples that no
        tensor is made of, and no collate_fn.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader

    Example:
        >>> import rustyflow as rf
        >>> data = rf.utils.data.TensorDataset(rf.arange(3.0), rf.tensor([0, 1, 0]))
        >>> for x, y in rf.utils.data.DataLoader(data, batch_size=2):
        ...     print(x, y)
        tensor([0., 1.]) tensor([0, 1])
        tensor([2.]) tensor([0])
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ):
        streamed = isinstance(dataset, IterableDataset)
        orders = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        given = [name for name, value in orders.items() if value is not None]
        wrong = given if streamed else [name for name in given if batch_sampler is not None and name != "batch_sampler"]
        if wrong or sampler is not None and shuffle:
            what = "an IterableDataset" if streamed else "sampler" if sampler is not None else "batch_sampler"
            raise ArgumentValueError(
                f"{' and '.join(wrong) or 'shuffle'} with {what}",
                f"{what} option is mutually exclusive with {', '.join(wrong) or 'shuffle'}",
                "one of them",
            )
        if batch_sampler is not None and (batch_size != 1 or drop_last):
            raise ArgumentValueError(
                f"batch_size={batch_size}, drop_last={drop_last} with batch_sampler",
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last",
                "the batch_sampler alone",
            )
        for name, value in (("num_workers", num_workers), ("timeout", timeout)):
            if not isinstance(value, (int, float)):
                raise wrong_type("DataLoader", name, value, "int", f"{name}=0")
            if value < 0:
                rule = f"{name} option should be non-negative"
                raise ArgumentValueError(f"DataLoader(..., {name}={value})", rule, f"{name}=0")
        ahead = {"prefetch_factor": prefetch_factor, "multiprocessing_context": multiprocessing_context,
                 "persistent_workers": persistent_workers or None}  # fmt: skip
        for name, value in ahead.items():
            if value is not None and not num_workers:
                rule = f"{name} option is for worker processes: it needs num_workers > 0"
                raise ArgumentValueError(f"DataLoader(..., {name}={value!r:.60})", rule, f"leave {name} out")
        if batch_size is None and drop_last:
            raise ArgumentValueError(
                "batch_size=None, drop_last=True",
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
                "drop_last=False",
            )
        self.dataset, self.drop_last, self.generator = dataset, drop_last, generator
        self.num_workers, self.pin_memory, self.timeout, self.in_order = num_workers, pin_memory, timeout, in_order
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.persistent_workers, self.pin_memory_device = persistent_workers, pin_memory_device
        self.collate_fn = collate_fn or (default_convert if batch_size is None else default_collate)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.batch_size = None if batch_sampler is not None else batch_size
        if not streamed:
            if sampler is None:
                self.sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
            if batch_sampler is None and batch_size is not None:
                self.batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SETTLED and self.__dict__.get("_made"):
            kind = type(self).__name__
            given = "dataset" if name == "dataset" else f"dataset, {name}={value!r:.40}"
            raise ArgumentValueError(
                f"loader.{name} = {value!r:.60}",
                f"{name} attribute should not be set after {kind} is initialized: its batches are settled then",
                f"loader = {kind}({given}, ...), which makes another",
            )
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        # a number of the usual stream is drawn for each epoch, as in PyTorch, so that what follows is the same
        empty((), dtype=int64).random_(generator=self.generator)
        return map(self.collate_fn, self._batches())

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            examples = iter(self.dataset)
            if self.batch_size is None:
                yield from examples
                return
            while batch := list(islice(examples, self.batch_size)):
                if len(batch) == self.batch_size or not self.drop_last:
                    yield batch
        elif self.batch_sampler is None:
            yield from (self.dataset[n] for n in self.sampler)
        else:
            yield from ([self.dataset[n] for n in numbers] for numbers in self.batch_sampler)

    def __len__(self) -> int:
        if isinstance(self.dataset, IterableDataset):
            n = len(self.dataset)
            whole = 0 if self.drop_last else (self.batch_size or 1) - 1
            return (n + whole) // (self.batch_size or 1)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


@explaining_once
def get_worker_info() -> None:
    """None: examples are taken by the program itself, not by processes of their own.

    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info

    Example:
        >>> import rustyflow as rf
        >>> rf.utils.data.get_worker_info() is None
        True
    """


@explaining_once
def default_collate(batch: list[Any]) -> Any:
    """A batch of a list of examples: tensors are stacked, numbers become a tensor, tuples and dicts part by part.

    Shapes:
        as many tensors or arrays (...) as there are examples, n, become one tensor (n, ...), numbers one (n,).

    Raises:
        TypeError: examples that no tensor can be made of. RuntimeError: of unequal sizes.
    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.default_collate

    Example:
        >>> import rustyflow as rf
        >>> rf.utils.data.default_collate([{"x": rf.ones(2), "n": 1}, {"x": rf.zeros(2), "n": 2}])
        {'x': tensor([[1., 1.],
                [0., 0.]]), 'n': tensor([1, 2])}
    """
    one = batch[0]
    if isinstance(one, Tensor):
        return _stacked(batch)
    if isinstance(one, (np.ndarray, np.generic)):
        return _stacked([as_tensor(x) for x in batch])
    if isinstance(one, float):
        return tensor(batch, dtype=float64)
    if isinstance(one, int):
        return tensor(batch)
    if isinstance(one, (str, bytes)):
        return batch
    if isinstance(one, Mapping):
        return {key: default_collate([x[key] for x in batch]) for key in one}
    if isinstance(one, tuple) and hasattr(one, "_fields"):
        return type(one)(*map(default_collate, _columns(batch)))
    if isinstance(one, (tuple, list)):
        return list(map(default_collate, _columns(batch)))
    raise ArgumentTypeError(
        f"examples of type {kind_of(one)}",
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind_of(one)}",
        "collate_fn=list, or a function of your own",
        value=one,
    )


def _stacked(batch: list[Tensor]) -> Tensor:
    shapes = [tuple(getattr(x, "shape", ())) for x in batch]
    if odd := [shape for shape in shapes if shape != shapes[0]]:
        rule = f"stack expects each tensor to be equal size, but got {list(shapes[0])} at entry 0 and {list(odd[0])}"
        fix = "examples of one size, or a collate_fn of your own; of tensors x and y, TensorDataset(x, y)"
        raise ShapeError(f"examples of shapes {shapes[0]} and {odd[0]} in one batch", rule, fix)
    return stack(batch)


def _columns(batch: list[Any]) -> Iterable[list[Any]]:
    if any(len(x) != len(batch[0]) for x in batch):
        was = f"examples of {', '.join(str(len(x)) for x in batch[:6])} parts"
        raise ShapeError(was, "each element in list of batch should be of equal size", "a collate_fn of your own")
    return [list(column) for column in zip(*batch, strict=True)]


@explaining_once
def default_convert(data: Any) -> Any:
    """One example, with arrays as tensors.

    Source: https://pytorch.org/docs/stable/data.html#torch.utils.data.default_convert

    Example:
        >>> import numpy as np, rustyflow as rf
        >>> rf.utils.data.default_convert(np.ones(2))
        tensor([1., 1.], dtype=rustyflow.float64)
    """
    if isinstance(data, Mapping):
        return {key: default_convert(part) for key, part in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, (tuple, list)):
        return list(map(default_convert, data))
    return as_tensor(data) if isinstance(data, (np.ndarray, np.generic)) else data

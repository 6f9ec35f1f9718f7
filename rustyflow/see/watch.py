"""The tensors that a program's names stand for, looked at between its statements: layouts, memory, least and greatest.

Nothing is written and no name is asked twice; what cannot be read is told by its shape alone.
"""

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..errors.foreign import is_torch
from ..show.source import Source, Value, exact, source_of, spread, storage_of
from ..tensor import Tensor

WHOLE = 1 << 16
"""The most slots that are compared one by one; of more memory a sample is, and the version that a tensor counts."""

KEPT = 1 << 10
"""The most slots that are kept for a figure of what was there."""

INSIDE = 8
"""The most tensors that are shown of a module, a list, a dict or an object."""

NEW, SAME = "new", "the same"


class Memory(NamedTuple):
    """The memory of some tensors at a step: as many slots, and their numbers or a sample of them.

    `written` has the slots that the last statement wrote, None where that is not known.
    """

    key: tuple
    size: int
    numbers: np.ndarray | None
    version: int
    written: np.ndarray | None = np.array([], int)


class Seen(NamedTuple):
    """A tensor at a step.

    Attributes:
        of: the name of the tensor whose memory it reads; "" where it is the first to. same: it is that tensor itself.
        least, most: of its numbers, None where there are none; `nans` of them are none.
    """

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: str
    asks: bool
    library: str
    key: tuple
    size: int
    of: str
    same: bool
    least: Value | None
    most: Value | None
    nans: int
    numbers: np.ndarray | None

    @property
    def numel(self) -> int:
        """The number of its cells."""
        return int(np.prod(self.shape, dtype=np.int64))

    def slots(self, most: int = WHOLE) -> np.ndarray:
        """The slots that it reads, of many cells those of a sample."""
        count = self.numel
        cells = np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(np.int64)
        at = np.full(cells.shape, self.offset)
        for n, step in zip(self.shape[::-1], self.stride[::-1]):
            at += step * (cells % n)
            cells = cells // n
        return np.unique(at)

    def source(self) -> Source:
        """The tensor as a figure draws it, with the numbers that it had."""
        flat = self.numbers

        def array() -> np.ndarray:
            step = [part * flat.itemsize for part in self.stride]
            return np.lib.stride_tricks.as_strided(flat[self.offset :], self.shape, step, writeable=False)

        def read(slots):
            numbers = flat[np.asarray(slots, dtype=np.int64)]
            return [float(str(v)) for v in numbers] if flat.dtype.kind == "f" else numbers.tolist()

        return Source(self.name, self.shape, self.stride, self.offset, self.dtype, self.key, self.size, read, array,
                      self.library == "NumPy", asks=self.asks)  # fmt: skip


class State(NamedTuple):
    """All tensors at a step, in the order in which they got their names, and their memories."""

    tensors: Mapping[str, Seen]
    memories: Mapping[tuple, Memory]


class Watch:
    """Looks at the tensors of some names, again and again; what has not changed is the same object again."""

    def __init__(self, names: Mapping[str, Any], mentioned: frozenset[str]):
        self.names, self.mentioned = names, set(mentioned)
        self.state = State({}, {})
        self.held: dict[str, Any] = {}  # so that no other tensor gets the address of one that was there
        self.born: dict[str, int] = {}
        for name in mentioned:  # what functions that are called find among the names
            if isinstance(f := names.get(name), FunctionType) and f.__module__ == "__main__":
                self.mentioned |= {*f.__code__.co_names}
        before = {storage_of(x) for _, x in self._found()} - {None}
        self.mentioned |= {name for name, x in [*names.items()] if not name.startswith("_")
                           and _is_tensor(x) and storage_of(x) in before}  # fmt: skip
        self.look()

    def look(self) -> State:
        """Returns the tensors as they are now."""
        found = dict(self._found())
        kept = {name for name, x in found.items() if self.held.get(name) is x}
        self.born = {name: self.born[name] if name in kept else max(self.born.values(), default=0) + 1 + k
                     for k, name in enumerate(found)}  # fmt: skip
        sources = {name: source for name, x in found.items() if (source := _source(name, x)) is not None}
        memories: dict[tuple, Memory] = {}
        for name, source in sources.items():
            key = (*source.storage, source.dtype)
            if key not in memories:
                memories[key] = self._memory(key, source, found[name])
        tensors: dict[str, Seen] = {}
        for name in sorted(found, key=self.born.__getitem__):
            tensors[name] = self._seen(name, found, sources, memories)
        self.held, self.state = found, State(tensors, memories)
        return self.state

    def _found(self) -> Iterator[tuple[str, Any]]:
        """Yields the tensors that names stand for, and those in what they stand for."""
        for name in [*self.names]:
            if name in self.mentioned:
                yield from _tensors(name, self.names[name])

    def _memory(self, key: tuple, source: Source, x: Any) -> Memory:
        """The memory of a tensor, and what was written into it."""
        before, version = self.state.memories.get(key), _version(x)
        numbers = _numbers(source)
        if before is None:
            return Memory(key, source.size, numbers, version)
        if numbers is None or before.numbers is None:
            return before._replace(version=version, written=_none if version == before.version else None)
        if before.numbers.tobytes() == numbers.tobytes():
            whole = source.size <= WHOLE or version == before.version
            return before._replace(version=version, written=_none if whole else None)
        rows = [part.reshape(len(part), 1).view(np.uint8) for part in (before.numbers, numbers)]
        slots = np.flatnonzero((rows[0] != rows[1]).any(1))
        return Memory(key, source.size, numbers, version, slots if source.size <= WHOLE else None)

    def _seen(self, name: str, found: Mapping[str, Any], sources: Mapping[str, Source],
              memories: Mapping[tuple, Memory]) -> Seen:  # fmt: skip
        """A tensor, the same object as before where nothing of it has changed."""
        x, source, before = found[name], sources.get(name), self.state.tensors.get(name)
        of, same = self._kin(name, found, sources)
        if source is None:
            dtype = str(getattr(x, "dtype", "")).rpartition(".")[2]
            seen = Seen(name, tuple(x.shape), (), 0, dtype, bool(getattr(x, "requires_grad", False)), _library(x), (),
                        0, of, same, None, None, 0, None)  # fmt: skip
            return before if before == seen else seen
        key = (*source.storage, source.dtype)
        memory = memories[key]
        seen = Seen(name, source.shape, source.stride, source.offset, source.dtype, source.asks, _library(x), key,
                    source.size, of, same, None, None, 0, None)  # fmt: skip
        bare = before and before._replace(least=None, most=None, nans=0, numbers=None)
        if bare == seen and memory.written is not None and not len(memory.written) and self.held.get(name) is x:
            return before
        least, most, nans = _ends(source)
        numbers = memory.numbers if source.size <= KEPT else None
        return seen._replace(least=least, most=most, nans=nans, numbers=numbers)

    def _kin(self, name: str, found: Mapping[str, Any], sources: Mapping[str, Source]) -> tuple[str, bool]:
        """The name of the tensor whose memory another one reads, and whether it is that one itself."""
        x, source = found[name], sources.get(name)
        older = [other for other in found if self.born[other] < self.born[name]]
        if same := [other for other in older if found[other] is x]:
            return min(same, key=self.born.__getitem__), True
        if source is None or not source.size:
            return "", False
        kin = [other for other in older if other in sources and sources[other].storage == source.storage]
        base = getattr(x, "_base", None) if not isinstance(x, np.ndarray) else x.base
        kin.sort(key=lambda other: (found[other] is not base, self.born[other]))
        return (kin[0] if kin else ""), False


_none = np.array([], int)


def _tensors(name: str, value: Any, deep: int = 2) -> Iterator[tuple[str, Any]]:
    """Yields a tensor under its name, with its gradient; of a module, a list, a dict or an object those in it."""
    if _is_tensor(value):
        yield name, value
        if (grad := _grad(value)) is not None:
            yield f"{name}.grad", grad
        return
    if isinstance(value, type) or not deep:
        return
    inside: list[tuple[str, Any]] = []
    if hasattr(value, "named_parameters") and hasattr(value, "state_dict"):
        inside = [(f"{name}.{key}", x) for key, x in value.named_parameters()]
    elif type(value) in (list, tuple):
        inside = [(f"{name}[{k}]", x) for k, x in enumerate(value[: INSIDE * 2])]
    elif type(value) is dict:
        inside = [(f"{name}[{key!r}]", x) for key, x in [*value.items()][: INSIDE * 2] if len(repr(key)) < 20]
    elif type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        inside = [(f"{name}.{key}", x) for key, x in [*vars(value).items()]]
    left = 2 * INSIDE
    for label, x in inside[: 8 * INSIDE]:
        for found in _tensors(label, x, deep - 1):
            if left:
                yield found
                left -= 1


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor | np.ndarray) or is_torch(x)


def _grad(x: Any) -> Any:
    """The gradient that a leaf keeps."""
    return x.grad if getattr(x, "is_leaf", False) and not isinstance(x, np.ndarray) else None


def _source(name: str, x: Any) -> Source | None:
    """The source of a tensor, None of one whose numbers cannot be read."""
    try:
        return source_of(x, name)
    except Exception:
        return None


def _version(x: Any) -> int:
    """The number of times that a tensor was written; 0 where nobody counts."""
    try:
        return getattr(x, "_version", 0)
    except RuntimeError:  # of a tensor that was made in inference mode
        return 0


def _numbers(source: Source) -> np.ndarray | None:
    """A copy of a storage, of a large one of a sample of its slots."""
    try:
        return np.array(source.line()[:: -(-source.size // WHOLE) or 1])
    except Exception:
        return None


def _library(x: Any) -> str:
    return "NumPy" if isinstance(x, np.ndarray) else "rustyflow" if isinstance(x, Tensor) else "PyTorch"


def _ends(source: Source) -> tuple[Value | None, Value | None, int]:
    """The least and the greatest number of a tensor, and how many of its cells are no number."""
    try:
        array, _ = spread(source, WHOLE, WHOLE)
    except Exception:
        return None, None, 0
    if array.dtype.kind not in "biuf" or not array.size:
        return None, None, 0
    numbers = array[~np.isnan(array)] if array.dtype.kind == "f" else array
    least, most = (exact(end)[0] for end in (numbers.min(), numbers.max())) if numbers.size else (None, None)
    return least, most, array.size - numbers.size

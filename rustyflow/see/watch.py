"""The tensors that a program's names stand for, looked at between its statements: layouts, memory, least and greatest.

Nothing is written and no name is asked twice; what cannot be read is told by its shape alone.
"""

from collections.abc import Iterator, Mapping
from math import prod
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..errors.foreign import is_torch
from ..ops.creation.foreign import read
from ..show.source import Source, Value, exact, source_of, spread, storage_of
from ..tensor import Tensor

WHOLE = 1 << 16
"""The most slots that are compared one by one; of more memory a sample is, and the version that a tensor counts."""

KEPT = 1 << 10
"""The most slots that are kept for a figure of what was there."""

INSIDE = 16
"""The most tensors that are shown of a module, a list, a dict or an object."""

NONE = np.array([], int)


class Layout(NamedTuple):
    """The place of a tensor in memory, whose storage has `size` elements of `item` bytes."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: str
    asks: bool
    storage: tuple[int, int]
    size: int
    item: int

    @property
    def key(self) -> tuple:
        """The identity of its memory, in elements of its dtype."""
        return *self.storage, self.dtype


class Memory(NamedTuple):
    """The memory of some tensors at a step: as many slots, and their bytes or a sample of them.

    `written` has the slots that the last statement wrote, None where that is not known.
    """

    key: tuple
    size: int
    bytes: np.ndarray
    numbers: np.ndarray | None
    version: int
    written: np.ndarray | None = NONE


class Seen(NamedTuple):
    """A tensor at a step.

    Attributes:
        tensor: its identity, which no other has while it is there.
        of: the name of the tensor whose memory it reads; "" where it is the first to. same: it is that tensor itself.
        least, most: of its numbers, None where there are none; `nans` of them are none.
    """

    name: str
    tensor: int
    library: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: str
    asks: bool
    key: tuple
    size: int
    of: str
    same: bool
    least: Value | None = None
    most: Value | None = None
    nans: int = 0
    numbers: np.ndarray | None = None

    @property
    def numel(self) -> int:
        """The number of its cells."""
        return prod(self.shape)

    def slots(self, most: int = WHOLE) -> np.ndarray:
        """The slots that it reads, of many cells those of a sample."""
        count = self.numel
        cells = np.arange(count) if count <= most else np.linspace(0, count - 1, most).astype(np.int64)
        at = np.full(cells.shape, self.offset)
        for n, step in zip(self.shape[::-1], self.stride[::-1]):
            at += step * (cells % n)
            cells = cells // n
        return np.unique(at)

    def source(self, flat: np.ndarray | None = None) -> Source:
        """The tensor as a figure draws it, with the numbers that it had, or those of a line of memory."""
        line = self.numbers if flat is None else flat

        def array() -> np.ndarray:
            step = [part * line.itemsize for part in self.stride]
            return np.lib.stride_tricks.as_strided(line[self.offset :], self.shape, step, writeable=False)

        return Source(self.name, self.shape, self.stride, self.offset, self.dtype, self.key, self.size,
                      lambda slots: exact(line[np.asarray(slots, dtype=np.int64)]), array,
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
            if type(f := names.get(name)) is FunctionType and f.__module__ == "__main__":
                self.mentioned |= {*f.__code__.co_names}
        before = {storage_of(x) for _, x in self._found()} - {None}
        self.mentioned |= {name for name, value in [*names.items()] if not name.startswith("_")
                           for label, x in _readable(name, value) if label == name and storage_of(x) in before}
        self.look()

    def look(self) -> State:
        """Returns the tensors as they are now."""
        found = dict(self._found())
        kept = {name for name, x in found.items() if self.held.get(name) is x}
        self.born = {name: self.born[name] if name in kept else max(self.born.values(), default=0) + 1 + k
                     for k, name in enumerate(found)}  # fmt: skip
        layouts = {name: layout for name, x in found.items() if (layout := _layout(x)) is not None}
        memories: dict[tuple, Memory] = {}
        for name, layout in layouts.items():
            if layout.key not in memories:
                memories[layout.key] = self._memory(layout, found[name])
        tensors: dict[str, Seen] = {}
        for name in sorted(found, key=self.born.__getitem__):
            tensors[name] = self._seen(name, found, layouts, memories)
        self.held, self.state = found, State(tensors, memories)
        return self.state

    def _found(self) -> Iterator[tuple[str, Any]]:
        """Yields the tensors that names stand for, and those in what they stand for; a gradient once."""
        grads = set()
        for name in [*self.names]:
            for label, x in _readable(name, self.names[name]) if name in self.mentioned else ():
                if not label.endswith(".grad") or id(x) not in grads:
                    yield label, x
                if label.endswith(".grad"):
                    grads.add(id(x))

    def _memory(self, layout: Layout, x: Any) -> Memory:
        """The memory of a tensor, and what was written into it."""
        before, version, line = self.state.memories.get(layout.key), version_of(x), _line(layout, x)
        cells = line.reshape(layout.size, layout.item)[:: -(-layout.size // WHOLE) or 1]
        whole = layout.size <= WHOLE
        if before is None:
            return Memory(layout.key, layout.size, cells.copy(), _numbers(layout, line, x), version)
        differ = np.flatnonzero((cells != before.bytes).any(1))
        written = differ if whole else None if len(differ) or version != before.version else NONE
        if written is not None and not len(written):
            return before._replace(version=version, written=NONE)
        return Memory(layout.key, layout.size, cells.copy(), _numbers(layout, line, x), version, written)

    def _seen(self, name: str, found: Mapping[str, Any], layouts: Mapping[str, Layout],
              memories: Mapping[tuple, Memory]) -> Seen:  # fmt: skip
        """A tensor, the same object as before where nothing of it has changed."""
        x, layout, before = found[name], layouts.get(name), self.state.tensors.get(name)
        of, same = self._kin(name, found, layouts)
        if layout is None:
            dtype, asks = str(getattr(x, "dtype", "")).rpartition(".")[2], bool(getattr(x, "requires_grad", False))
            seen = Seen(name, id(x), _library(x), tuple(x.shape), (), 0, dtype, asks, (), 0, of, same)
            return before if before == seen else seen
        memory = memories[layout.key]
        seen = Seen(name, id(x), _library(x), *layout[:5], layout.key, layout.size, of, same)
        untouched = memory.written is not None and not len(memory.written)
        if before is not None and untouched and before[:12] == seen[:12]:
            return before
        flat = memory.numbers if memory.numbers is not None else _cells(layout, _line(layout, x))
        least, most, nans = (None, None, 0) if flat is None else _ends(seen.source(flat))
        return seen._replace(least=least, most=most, nans=nans,
                             numbers=memory.numbers if layout.size <= KEPT else None)  # fmt: skip

    def _kin(self, name: str, found: Mapping[str, Any], layouts: Mapping[str, Layout]) -> tuple[str, bool]:
        """The name of the tensor whose memory another one reads, and whether it is that one itself."""
        x, layout = found[name], layouts.get(name)
        older = [other for other in found if self.born[other] < self.born[name]]
        if same := [other for other in older if found[other] is x]:
            return min(same, key=self.born.__getitem__), True
        if layout is None or not layout.size:
            return "", False
        kin = [other for other in older if other in layouts and layouts[other].storage == layout.storage]
        base = getattr(x, "_base", None) if not isinstance(x, np.ndarray) else x.base
        kin.sort(key=lambda other: (found[other] is not base, self.born[other]))
        return (kin[0] if kin else ""), False


def _readable(name: str, value: Any) -> list[tuple[str, Any]]:
    """The tensors in a value, none of one that does not let itself be looked at."""
    try:
        return [*_tensors(name, value)]
    except Exception:
        return []


def _tensors(name: str, value: Any, deep: int = 2) -> Iterator[tuple[str, Any]]:
    """Yields a tensor and its gradient, or those in a module, a list, a dict or an object."""
    if _is_tensor(value):
        yield name, value
        if (grad := _grad(value)) is not None:
            yield f"{name}.grad", grad
        return
    kind = type(value)
    if not deep or kind in (int, float, str, bool) or isinstance(value, type | ModuleType | FunctionType):
        return
    inside: list[tuple[str, Any]] = []
    if hasattr(kind, "named_parameters") and hasattr(kind, "state_dict"):
        inside = [(f"{name}.{key}", x) for key, x in value.named_parameters()]
    elif kind in (list, tuple):
        inside = [(f"{name}[{k}]", x) for k, x in enumerate(value[:INSIDE])]
    elif kind is dict:
        inside = [(f"{name}[{key!r}]", x) for key, x in [*value.items()][: INSIDE * 2] if len(repr(key)) < 20]
    elif kind.__module__ == "__main__" and kind.__dictoffset__:
        inside = [(f"{name}.{key}", x) for key, x in [*object.__getattribute__(value, "__dict__").items()]]
    left = INSIDE
    for label, x in inside[: 4 * INSIDE]:
        for found in _tensors(label, x, deep - 1):
            if left:
                yield found
                left -= 1


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor | np.ndarray) or is_torch(x)


def _grad(x: Any) -> Any:
    """The gradient that a leaf keeps."""
    return x.grad if getattr(x, "is_leaf", False) and not isinstance(x, np.ndarray) else None


def _layout(x: Any) -> Layout | None:
    """The layout of a tensor, None of one whose memory cannot be read here."""
    try:
        if isinstance(x, np.ndarray):
            source = source_of(x)
            return Layout(source.shape, source.stride, source.offset, source.dtype, False, source.storage, source.size,
                          x.itemsize)  # fmt: skip
        if is_torch(x) and not _is_plain(x) or (storage := storage_of(x)) is None:
            return None
        item = x.element_size()
        return Layout(tuple(x.shape), tuple(x.stride()), x.storage_offset(), str(x.dtype).rpartition(".")[2],
                      x.requires_grad, storage, storage[1] // item, item)  # fmt: skip
    except Exception:
        return None


def _is_plain(x: Any) -> bool:
    """True if the memory of a PyTorch tensor is here, and holds its numbers as they are."""
    return (x.device.type == "cpu" and str(x.layout) == "torch.strided" and not x.is_nested
            and not x.is_conj() and not x.is_neg())  # fmt: skip


class _Line:
    """The bytes of a storage, which NumPy reads where they are; `holder` keeps them alive."""

    def __init__(self, holder: Any, start: int, count: int):
        self.holder = holder
        self.__array_interface__ = {"version": 3, "data": (start, True), "shape": (count,), "typestr": "|u1"}


def _line(layout: Layout, x: Any) -> np.ndarray:
    """The bytes of a tensor's memory, read past its library.

    That might record the reading, and PyTorch lets no memory grow that NumPy has been given.
    """
    count = layout.size * layout.item
    return np.asarray(_Line(x, layout.storage[0], count)) if count else np.empty(0, np.uint8)


def _cells(layout: Layout, line: np.ndarray) -> np.ndarray | None:
    """The numbers in some bytes, None of a dtype that NumPy has not got."""
    try:
        return line.view(np.dtype(layout.dtype))
    except TypeError:
        return None


def _numbers(layout: Layout, line: np.ndarray, x: Any) -> np.ndarray | None:
    """A copy of the numbers of a memory, None of a large one."""
    if layout.size > WHOLE:
        return None
    if (cells := _cells(layout, line)) is not None:
        return cells.copy()
    try:
        return read(x.detach().as_strided((layout.size,), (1,), 0).clone(), every=True)
    except Exception:
        return None


def version_of(x: Any) -> int:
    """The number of times that a tensor was written; 0 where nobody counts."""
    try:
        return getattr(x, "_version", 0)
    except RuntimeError:  # of a tensor that was made in inference mode
        return 0


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

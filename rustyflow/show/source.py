"""A tensor as figures see it, whoever made it: rustyflow, NumPy or PyTorch.

`source_of(x)` gives a `Source`: layout in elements, the identity of the storage, and a way to read slots of it. Nothing
is copied and nothing is read before it is asked for, so a tensor of 10^8 elements costs what a scalar costs.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from ..claims.claim import equation
from ..errors import ArgumentTypeError, ShapeError, StorageBoundsError, align_right
from ..errors.foreign import is_torch, kind_of, sized, unreadable
from ..ir.text import clean
from ..layout import extent, is_contiguous
from ..ops.creation.foreign import read
from .words.sentences import gradient, listed

Value = bool | int | float | complex


@dataclass(frozen=True, eq=False)
class Source:
    """A tensor to be drawn: `slot of x[i, j, ...] = offset + i * stride[0] + j * stride[1] + ...`, all in elements.

    Attributes:
        storage: identity of the memory; equal for tensors that share it.
        size: slots of the storage.
        read: values at some slots, as Python numbers.
        array: the tensor, or what it is a copy of, as a NumPy array without copying, for summaries; made when called.
        numpy: whether it is an array of NumPy's, of which one speaks in NumPy's words.
        of: the identity of the tensor or array itself, which may have several names; 0 of one that is only thought of.
        number: whether it is a number of Python's, which has no gradient.
        into: the names of the other operands that are made of it: their gradients flow on to it.
        tensor: the tensor or array itself; None of one that is only thought of.
        asks: whether it asks for a gradient. inner: whether an operation made it, so that it keeps none.
    """

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: str
    storage: tuple
    size: int
    read: Callable[[Sequence[int]], list[Value]] = field(repr=False)
    array: Callable[[], np.ndarray] = field(repr=False)
    numpy: bool = False
    of: int = 0
    number: bool = False
    into: tuple[str, ...] = ()
    tensor: Any = field(default=None, repr=False)
    asks: bool = False
    inner: bool = False

    @property
    def grad(self) -> str:
        """The name of its gradient: of a leaf that asks for one its `.grad`, wherever it is kept."""
        return f"{self.name}.grad" if self.asks and not self.inner else gradient(self.name, self.inner)

    @property
    def locked(self) -> bool:
        """True for an array of NumPy's through which nothing can be written."""
        return self.numpy and not self.array().flags.writeable

    @property
    def numel(self) -> int:
        """The number of cells that the tensor pretends to have."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """True if its cells, read in order, are consecutive slots."""
        return not self.numel or is_contiguous(self.shape, self.stride)


def source_of(x: Any, name: str = "x") -> Source:
    """The source for a rustyflow tensor, a NumPy array or a PyTorch tensor.

    Raises:
        TypeError: something without strides (a list), or of a dtype that is no number.
        StorageBoundsError: a NumPy view that reads outside the memory it was made from.

    >>> s = source_of(np.arange(12).reshape(3, 4).T[1:, :2], "y")
    >>> s.shape, s.stride, s.offset, s.size, s.contiguous, s.read([1, 5])
    ((3, 2), (1, 4), 1, 12, False, [1, 5])
    """
    name = clean(name)
    if isinstance(x, Source):
        return x
    if isinstance(x, np.ndarray):
        return _of_numpy(x, name)
    if hasattr(x, "untyped_storage") and hasattr(x, "storage_offset"):
        return _of_tensor(x, name)
    raise ArgumentTypeError(
        f"{str(x)[:60]}, of type {kind_of(x)}",
        "a figure is drawn of a tensor or an array, which has a shape and a storage",
        "rustyflow.tensor(...) or numpy.array(...) of it",
        value=x,
    )


def with_origins(sources: Sequence[Source], tensors: Sequence[Any], texts: Sequence[str | None]) -> list[Source]:
    """Returns the sources of operands, each with the names of the others that are made of it.

    Their graphs tell that, or, where it asks for no gradient, the program's text.

    >>> x = np.ones(3)
    >>> [source.into for source in with_origins([source_of(x, "x"), source_of(x * 2, "a")], [x, x * 2], ["x", "x * 2"])]
    [('a',), ()]
    """
    codes = [text or source.name for text, source in zip(texts or [None] * len(sources), sources)]
    grown = [_grown_from(x) for x in tensors]

    def is_made_of(other: int, k: int) -> bool:
        if sources[k].asks:
            node = getattr(tensors[k], "grad_fn", None)
            return any(origin is tensors[k] or origin is node is not None for origin in grown[other])
        named = re.search(rf"(?<![\w.]){re.escape(sources[k].name)}(?!\w|[\w.()[\]:]*\.(detach|data)\b)", codes[other])
        return bool(named) and "float" in sources[other].dtype and not sources[other].number

    each = range(len(sources))
    return [
        replace(x, into=tuple(dict.fromkeys(sources[n].name for n in each
                                            if tensors[n] is not tensors[k] and is_made_of(n, k))))
        for k, x in enumerate(sources)
    ]  # fmt: skip


def unasked(sources: Iterable[Source]) -> str:
    """Says of operands that ask for no gradient that the figure shows what they would get.

    It says nothing of arrays alone, which cannot ask.
    """
    sources = [source for source in sources if "float" in source.dtype and not source.number]
    idle = list(dict.fromkeys(source.name for source in sources if not source.asks))
    if not idle or all(source.numpy for source in sources):
        return ""
    one = len(idle) == 1
    return f" {listed(idle)} ask{'s' * one} for none: here is what {'it' if one else 'they'} would get."


def _grown_from(x: Any) -> list[Any]:
    """The nodes and leaves in the graph of a tensor, below its own."""
    todo, seen = [node for node, _ in getattr(getattr(x, "grad_fn", None), "next_functions", ())], []
    while todo:
        node = todo.pop()
        if node is not None and not any(node is other for other in seen):
            seen += [node, *([node.variable] if hasattr(node, "variable") else [])]
            todo += [before for before, _ in node.next_functions]
    return seen


def storage_of(x: Any) -> tuple | None:
    """The identity of a tensor's storage, or None for something that has none."""
    if isinstance(x, np.ndarray):
        return _span(_root(x))[0], _root(x).nbytes
    if hasattr(type(x), "untyped_storage"):
        try:
            kept = x.untyped_storage()
            start, size = kept.data_ptr(), kept.nbytes()
        except Exception:  # a sparse, lazy or fake tensor of another library: it has no storage to show
            return None
        return None if size and not start else (start or id(x), size)
    return None


def shares(name: str, x: Any, sources: Sequence[Source]) -> bool:
    """True if `x`, which the caller calls `name`, shares the storage of one of the sources."""
    return not name.startswith("_") and storage_of(x) in {source.storage for source in sources}


def _of_tensor(x: Any, name: str) -> Source:
    if is_torch(x) and (lost := unreadable(x)) is not None:
        raise ArgumentTypeError(f"{name}, a {sized(x)}", *lost)
    storage = storage_of(x)
    if storage is None:
        raise ArgumentTypeError(
            f"{name} has no storage that can be read ({getattr(x, 'layout', 'unknown layout')}, on {x.device})",
            "a figure reads the numbers of a strided tensor in this machine's memory", f"{name}.to_dense().cpu()",
        )  # fmt: skip
    size, dtype = storage[1] // x.element_size(), str(x.dtype).rpartition(".")[2]

    def flat() -> np.ndarray:
        try:
            line = x.detach().as_strided((size,), (1,), 0)
        except RuntimeError:  # PyTorch quantises each channel by a scale of its own, which no other strides have
            raise ArgumentTypeError(f"{name}, a {sized(x)} quantised per channel", "a figure reads a storage slot by "
                                    "slot", f"{name}.dequantize()") from None
        return read(line, every=True)

    return Source(
        name, tuple(x.shape), tuple(x.stride()), x.storage_offset(), dtype, storage, size,
        lambda slots: _values(flat(), slots), lambda: read(x.detach(), every=True), of=id(x), tensor=x,
        asks=x.requires_grad, inner=getattr(x, "grad_fn", None) is not None and not x.retains_grad,
    )  # fmt: skip


def _of_numpy(x: np.ndarray, name: str) -> Source:
    if np.ma.is_masked(x):
        was = f"{name} hides {np.ma.count_masked(x)} of its {x.size} numbers behind a mask"
        raise ArgumentTypeError(was, "a figure reads every number of a storage", f"{name}.filled(0), or {name}.data")
    if x.dtype.kind not in "biufc":
        raise ArgumentTypeError(
            f"{name} has dtype {x.dtype}", "a figure draws numbers and bools", "x.astype(float), if that is meant"
        )
    if any(step % x.itemsize for step in x.strides):
        raise ArgumentTypeError(
            f"{name} steps by {x.strides} bytes through elements of {x.itemsize} bytes",
            "strides are drawn in whole elements", f"{name}.copy()",
        )  # fmt: skip
    root = _root(x)
    low, high = _span(root)
    size = (high - low) // x.itemsize
    stride = tuple(step // x.itemsize for step in x.strides)
    offset = (x.__array_interface__["data"][0] - low) // x.itemsize if x.size else 0
    first, last = extent(x.shape, stride, offset) if x.size else (0, 0)
    if first < 0 or last > size:
        raise StorageBoundsError(
            f"{name} reads slots {first} to {last - 1}; its storage has {size}",
            "a view reads only slots of its storage", f"a smaller shape or stride for {name}",
        )  # fmt: skip

    def flat() -> np.ndarray:
        return np.asarray(_Memory(root, low, size, x.dtype.str))

    return Source(
        name, x.shape, stride, offset, x.dtype.name, (low, root.nbytes), size,
        lambda slots: _values(flat(), slots), lambda: x, True, id(x), tensor=x,
    )  # fmt: skip


def upstream_of(upstream: Any, shape: tuple[int, ...]) -> Source:
    """The gradient that the caller says arrives at a result of this shape.

    Raises:
        ShapeError (a RuntimeError): it has another shape.
    """
    given = source_of(upstream if hasattr(upstream, "shape") else np.asarray(upstream), "upstream")
    if given.shape != shape:
        was = align_right(("result", shape), ("upstream", given.shape))
        write = "upstream= of that shape"
        if not given.shape:
            was = f"upstream is one number, {given.array()}; the result has shape {shape}"
            write = f"upstream=rustyflow.full({shape}, {float(given.array())})"
        rule = "the upstream gradient has the shape of the result: one number for each of its cells"
        raise ShapeError(was, rule, write)
    return given


class _Memory:
    """The memory that `root` owns, as one line; NumPy reads it through the array interface and keeps `root` alive."""

    def __init__(self, root: np.ndarray, start: int, size: int, typestr: str):
        self.root = root
        self.__array_interface__ = {"version": 3, "data": (start, True), "shape": (size,), "typestr": typestr}


def _root(x: np.ndarray) -> np.ndarray:
    """The array that holds the memory which `x` is a view of."""
    while (base := getattr(x.base, "base", None) if not isinstance(x.base, np.ndarray) else x.base) is not None:
        if not isinstance(base, np.ndarray):  # memory of another library: the last array is all we know of it
            break
        x = base
    return x


def _span(x: np.ndarray) -> tuple[int, int]:
    """The first address of an array's memory and one past the last."""
    start = x.__array_interface__["data"][0]
    if x.size == 0:
        return start, start
    reach = [(n - 1) * step for n, step in zip(x.shape, x.strides, strict=True)]
    return start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0) + x.itemsize


def _values(flat: np.ndarray, slots: Sequence[int]) -> list[Value]:
    """The numbers at `slots`."""
    return exact(flat[np.asarray(slots, dtype=np.int64)])


def exact(array: Any) -> list[Value]:
    """Returns the numbers of an array in order, as they are written.

    A float32 0.1 is 0.1, not the double nearest to it.

    >>> exact(np.float32(0.1)), exact([[-0.0, 2]]), exact([True])
    ([0.1], [-0.0, 2.0], [True])
    """
    flat = np.asarray(array).reshape(-1)
    return [float(str(v)) for v in flat] if flat.dtype.kind == "f" else flat.tolist()


def summary(source: Source, most: int = 1 << 22, sample: int = 1 << 16) -> list[tuple[str, str]]:
    """Returns facts of a tensor too large to draw: min, max, NaN and Inf counts.

    A number that is cut has ≈ before it. Of a tensor of more than `most` cells only about `sample` of them, evenly
    spaced, are read, and that is said.

    >>> summary(source_of(np.array([1.0, np.nan, 3.0, np.inf])))
    [('min', '1'), ('max', '3'), ('NaN', '1'), ('Inf', '1')]
    """
    array, cut = spread(source, most, sample)
    if array.dtype.kind in "bc" or not array.size:
        return []
    finite = array if array.dtype.kind in "iu" else array[np.isfinite(array)]
    nans = 0 if finite is array else int(np.count_nonzero(np.isnan(array)))
    ends = [("min", finite.min()), ("max", finite.max())] if finite.size else []
    facts = [(word, equation("", exact(value)[0], 4)) for word, value in ends]
    facts += [("NaN", str(nans)), ("Inf", str(array.size - finite.size - nans))]
    return [*facts, ("of a sample of", f"{array.size:,}")] if cut else facts


def spread(source: Source, most: int = 1 << 22, sample: int = 1 << 16) -> tuple[np.ndarray, bool]:
    """Returns the numbers of a tensor, of more than `most` about `sample`, evenly spaced, and whether it is a sample.

    Of an axis of stride 0 there is one of each.

    >>> array, cut = spread(source_of(np.arange(100)), 10, 10)
    >>> array.tolist(), cut
    ([0, 16, 32, 48, 64, 80, 96], True)
    """
    array = source.array()
    if array.shape == source.shape:  # of a copy yet to be made it is what is copied
        array = array[tuple(slice(0, 1) if step == 0 else slice(None) for step in source.stride)]  # one of each repeat
    cut = array.size > most
    while cut and array.size > sample:
        longest = max(range(array.ndim), key=lambda d: array.shape[d])
        step = min(-(-array.size // sample), max(2, array.shape[longest] // 64))
        array = array[(slice(None),) * longest + (slice(None, None, step),)]
    return array, cut

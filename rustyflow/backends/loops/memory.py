"""The making, casting, copying and comparing of arrays, which the tensor library asks of a backend."""

from __future__ import annotations

from contextlib import nullcontext

from ...errors import AbsentError
from .array import Array, empty, made, write
from .buffer import kind_of
from .number import current


class _Loud:
    """Python's floats do not warn: the functions here give what IEEE 754 says, so that nothing needs quieting."""

    @staticmethod
    def run(function, *args, **kwargs):
        return function(*args, **kwargs)


def quiet():
    return _Loud


def silent():
    return nullcontext()


def from_data(data, dtype) -> Array:
    """A fresh array of numbers or nested lists; of foreign arrays, through their lists."""
    foreign = hasattr(data, "tolist")
    shape, data = (list(data.shape), data.tolist()) if foreign else (_sizes(data), data)
    for _ in shape[1:]:
        data = [cell for row in data for cell in row]
    cells = data if shape else [data]
    if foreign and (trace := current()):
        cells = trace.came(cells)
    return made([x.item() if hasattr(x, "item") else x for x in cells], shape, kind_of(dtype))


def _sizes(data) -> list[int]:
    sizes = []
    while isinstance(data, (list, tuple)):
        sizes.append(len(data))
        data = data[0] if data else None
    return sizes


def copied(data, dtype) -> Array:
    return data.astype(dtype) if isinstance(data, Array) else from_data(data, dtype)


def asarray(a, dtype=None, order=None) -> Array:
    if isinstance(a, Array):
        return a if dtype is None else cast(a, dtype)
    return from_data(a, dtype or getattr(a, "dtype", type(a)))




def narrowed(forward, F, a, b):
    """A forward of a float16 array and a float32 number, either of which is the first, as float16."""
    return forward(F, a, b).astype((a if a.itemsize == 2 else b).dtype)


def filled(shape, value, dtype) -> Array:
    out = empty(shape, kind_of(dtype))
    write(out, value)
    return out


def number(value, dtype) -> Array:
    return filled((), value, dtype)


def type_as(a: Array, like: Array) -> Array:
    return cast(a, like.dtype)


def zeros_like(a) -> Array:
    return filled(a.shape, 0, a.dtype)


def write_sum(target: Array, g: Array) -> None:
    """Add g to an array: all of it or, when something interrupts, nothing."""
    sums = target.buffer.copy()
    for slot, source in zip(target.slots, g.expand(target.shape).slots):
        sums.write(slot, target.buffer.read(slot) + g.buffer.read(source))
    target.buffer.cells = sums.cells


def flat(a: Array) -> Array:
    return Array(a.buffer, (len(a.buffer.cells),), (1,))


flat_memory = flat


def strided(buffer: Array, shape, stride, offset) -> Array:
    return buffer.under((tuple(shape), tuple(stride), offset))


def stride(a: Array) -> tuple[int, ...]:
    return a.stride


def cast(a: Array, dtype) -> Array:
    return a.astype(dtype, copy=False)


def dense(a: Array) -> Array:
    return a.copy()


def dense_as(a: Array) -> Array:
    """A copy with the same strides where those leave no holes, else with its axes in the same order."""
    order = sorted(range(a.ndim), key=lambda d: -abs(a.stride[d]))
    if 0 in a.stride:
        return a.copy()
    return a.transpose(order).copy().transpose(sorted(range(a.ndim), key=order.__getitem__)).owned()


def copy_like(g: Array, like) -> Array:
    flags = getattr(like, "flags", None)
    return g.copy("F" if flags is not None and flags.f_contiguous and not flags.c_contiguous else "C")


def owns(g) -> bool:
    return g.base is None and g.flags.c_contiguous


def whole(g):
    return None


def freeze(a: Array) -> None:
    a.buffer.writeable = False


def shares(a: Array, b: Array) -> bool:
    return a.buffer is b.buffer and not set(a.slots).isdisjoint(b.slots)




def address(a: Array) -> int:
    """A number that grows with the slots and differs from storage to storage."""
    return a.buffer.number << 40


def memory_of(a: Array):
    return a.buffer


def layout_in(a: Array, buffer: Array):
    """The shape, stride and offset through which an array reads a flat buffer; else None.

    It reads no slot twice by a stride of 0.
    """
    again = any(step <= 0 and n > 1 for n, step in zip(a.shape, a.stride, strict=True))
    return None if again or a.buffer is not buffer.buffer else (a.shape, a.stride, a.offset)


def to_numpy(a: Array):
    raise AbsentError("numpy() under the loops backend", "its memory is a Python list, which no array can share",
                      "x.tolist(), or the numpy backend")


Array.made_of = staticmethod(from_data)

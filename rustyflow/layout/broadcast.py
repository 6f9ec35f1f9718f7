"""Broadcasting: shapes align from the right; sizes are equal, or one of them is 1."""
from __future__ import annotations

from collections.abc import Sequence

from ..errors import BroadcastError, ShapeError, align_right
from .strides import Layout, Shape


def broadcast_shapes(*shapes: Shape, names: Sequence[str] | None = None, written: bool = False) -> Shape:
    """The shape that all broadcast to: align from the right; sizes must be equal, or 1.

    With `written`, the first is written to, so that the suggested repair does not change its shape.

    Raises:
        BroadcastError (a RuntimeError): with the shapes aligned, the clashing dim and a repair.

    Example:
        >>> broadcast_shapes((3, 1), (4,))
        (3, 4)
    """
    rank = max(map(len, shapes), default=0)
    out = []
    for back in range(rank):
        size = 1
        for shape in shapes:
            n = shape[-1 - back] if back < len(shape) else 1
            if n != 1 and size != 1 and n != size:
                _clash(shapes, names or "abcdefgh", back, size, n, written)
            size = n if size == 1 else size
        out.append(size)
    return tuple(reversed(out))


def _clash(shapes, names, back, one, other, written):
    rows = [(str(names[k]) if k < len(names) else f"#{k}", tuple(s)) for k, s in enumerate(shapes)]
    raise BroadcastError(
        align_right(*rows, mark=back),
        f"The size of tensor a ({one}) must match the size of tensor b ({other}) at non-singleton dimension "
        f"{max(len(s) for _, s in rows) - 1 - back}: "
        "shapes align from the right, and on each axis sizes are equal or one of them is 1",
        _repair(rows, back, written), shapes=tuple(s for _, s in rows), back=back)


def _repair(rows, back, written):
    """The fix: an axis that a reduction removed, a transpose, or else equal sizes."""
    for k in range(len(rows) - 1, written - 1, -1):
        (name, shape), others = rows[k], [s for j, (_, s) in enumerate(rows) if j != k]
        if _fits(*others):
            whole = broadcast_shapes(*others)
            for d in range(1, len(shape) + 1):
                if sums_to(whole, grown := (*shape[:d], 1, *shape[d:])):
                    return f"{name}.unsqueeze({d}) has shape {grown} and would broadcast"
            if len(shape) > 1 and sums_to(whole, turned := (*shape[:-2], *shape[:-3:-1])):
                return f"{name}.mT has shape {turned} and would broadcast"
    if len(rows) == 2 == len(rows[0][1]) + len(rows[1][1]) and not written:
        (name, (n,)), (_, (m,)) = rows
        return f"two of one size; or for every pair {name}.unsqueeze(1), of shape ({n}, 1), which makes ({n}, {m})"
    return f"sizes that are equal on dim -{back + 1}: where does each come from?"


def _fits(*shapes):
    return all(len({s[-1 - b] for s in shapes if b < len(s)} - {1}) <= 1 for b in range(max(map(len, shapes))))


def broadcast_axes(shape: Shape, target: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of `target` added in front of `shape`, and those stretched from 1: `sum_to` sums over them.

    Example:
        >>> broadcast_axes((3, 1), (2, 3, 4))
        ((0,), (2,))
    """
    lead = len(target) - len(shape)
    return tuple(range(lead)), tuple([d for d, n in enumerate(shape, lead) if n == 1 != target[d]])


def sums_to(shape: Shape, target: Shape) -> bool:
    """True if a gradient of `shape` can be summed down to `target`, that is, if `target` broadcasts to it.

    Example:
        >>> sums_to((2, 3, 4), (3, 1)), sums_to((3, 4), (2, 4))
        (True, False)
    """
    lead = len(shape) - len(target)
    return lead >= 0 and all([n == m or m == 1 for n, m in zip(shape[lead:], target)])


def _instead(shape: Shape, size: Sequence[int], dim: int) -> str:
    """The fix for an expand that `dim` forbids.

    An axis of size 1 in another place, copies, or the size it has.
    """
    lead = len(size) - len(shape)
    if lead == 1:
        for d in range(1, len(shape) + 1):
            if sums_to(size, (*shape[:d], 1, *shape[d:])):
                return f"x.unsqueeze({d}) first: new axes come in front, so put an axis of size 1 where you want it"
    if all(n > 0 and m > 0 and n % m == 0 for n, m in zip(size[lead:], shape)):
        times = (*size[:lead], *(n // m for n, m in zip(size[lead:], shape)))
        return f"only an axis of size 1 can be stretched; x.repeat{times} copies a longer one"
    return f"only an axis of size 1 can be stretched: keep dim {dim} at {shape[dim - lead]}"


def expand(shape: Shape, stride: Shape, offset: int, *, size: Sequence[int]) -> Layout:
    """Repeat without copying: stretched and added axes get stride 0. -1 keeps a size.

    Raises:
        ShapeError (a RuntimeError): an axis that is neither equal nor 1, or fewer axes than before.

    Example:
        >>> expand((3, 1), (1, 1), 0, size=(2, 3, 4))
        ((2, 3, 4), (0, 1, 0), 0)
    """
    lead = len(size) - len(shape)
    if lead < 0:
        raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size))),
                         f"the number of sizes provided ({len(size)}) must be greater or equal to the number of "
                         f"dimensions in the tensor ({len(shape)})",
                         "expand can add axes in front, never drop them: use squeeze or select for that")
    out_shape, out_stride = [], []
    for d, n in enumerate(size):
        old, s = (shape[d - lead], stride[d - lead]) if d >= lead else (1, 0)
        if n == -1 and d >= lead:
            n = old
        if n < 0:
            raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size))),
                             f"{n} isn't allowed in a leading, non-existing dimension {d}" if n == -1
                             else f"a size cannot be negative, and dim {d} asks for {n}",
                             "give a new axis a size of its own")
        if n != old and old != 1:
            raise ShapeError(align_right(("tensor", shape), ("asked", tuple(size)), mark=len(size) - 1 - d),
                             f"The expanded size of the tensor ({n}) must match the existing size ({old}) at "
                             f"non-singleton dimension {d}",
                             _instead(shape, size, d))
        out_shape.append(n)
        # PyTorch gives a new axis in front the stride a contiguous one would have when it is not stretched
        out_stride.append(s if n == old and d >= lead else 0 if n != 1 or d >= lead else None)
    for d in range(len(size) - 1, -1, -1):
        if out_stride[d] is None:
            out_stride[d] = out_shape[d + 1] * out_stride[d + 1] if d + 1 < len(size) else 1
    return tuple(out_shape), tuple(out_stride) if shape else (0,) * len(size), offset

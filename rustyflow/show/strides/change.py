"""The step from one tensor to the next: its origin, and what a view changed or a copy took."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from math import prod
from typing import NamedTuple

from ...errors import ArgumentTypeError
from ...layout import contiguous_stride, flat_index, infer_size, parted, unravel_index, view_stride
from ..kit.reading import Index, Reading
from ..source import Source, Value
from ..words.sentences import listed

COPIES = re.compile(r"\.(contiguous|reshape|clone|copy|flatten|ravel)\(")
"""Calls that copy, if what they gave has a storage of its own."""


def parents(programs: Sequence[str], names: Sequence[str]) -> list[int | None]:
    """The number of the earlier tensor that each tensor's program begins with; None where there is none.

    >>> parents(["rf.arange(12).view(3, 4)", "x.T", "x[1:]", "x.T.contiguous()"], ["x", "x.T", "y", "c"])
    [None, 0, 0, 1]
    """
    origins: list[int | None] = []
    for n, program in enumerate(programs):
        begun = [k for k in range(n) if program.startswith(names[k]) and re.match(r"\W", program[len(names[k]) :])]
        origins.append(max(begun, key=lambda k: len(names[k]), default=None))
    return origins


def changed(new: Source, old: Source) -> str:
    """The parts that a view changed of the tensor that it views.

    >>> import numpy as np
    >>> from rustyflow.show.source import source_of
    >>> x = np.arange(12).reshape(3, 4)
    >>> changed(source_of(x[1:], "y"), source_of(x, "x"))
    'shape (3, 4) becomes (2, 4) and storage_offset 0 becomes 4; stride stays (4, 1)'
    """
    facts = [(word, getattr(old, at), getattr(new, at)) for word, at in
             (("shape", "shape"), ("stride", "stride"), ("storage_offset", "offset"))]  # fmt: skip
    facts += [("dtype", old.dtype, new.dtype)] * (old.dtype != new.dtype)
    moved = [f"{word} {was} becomes {now}" for word, was, now in facts if was != now]
    stays = [f"{word} stays {now}" for word, was, now in facts if was == now]
    return "; ".join(filter(None, (moved and listed(moved), stays and listed(stays))))


def order_of(new: Reading, old: Reading) -> dict[int, int] | None:
    """The slot from which each slot of a copy was copied; nothing if the numbers differ."""
    source = new.source
    if not (new.whole and old.whole and source.contiguous and source.numel == old.source.numel > 0):
        return None
    wanted, axes = list(map(str, new.values.values())), range(len(old.source.shape))
    for dims in permutations(axes) if len(axes) <= 4 else (tuple(axes),):
        turned = product(*(range(old.source.shape[d]) for d in dims))
        cells = [tuple(at[dims.index(d)] for d in axes) for at in turned]
        if [str(old.values[cell]) for cell in cells] == wanted:
            return {to: old.slots[cell] for to, cell in zip(new.slots.values(), cells, strict=True)}
    return None


class Asked(NamedTuple):
    """A view that was asked for.

    Attributes:
        code: `x.T.view(12)`, which NumPy writes `x.T.reshape(12)`. size: its shape.
        source: the tensor that one gets, the view or the copy that `reshape` makes.
        dims: the two axes that would have to merge and cannot; None where the view can be.
    """

    code: str
    size: Index
    source: Source
    dims: tuple[int, int] | None


def asked(source: Source, size: Sequence[int] | int) -> Asked:
    """The view of a tensor under another shape, or the copy that one gets where there is none.

    Raises:
        TypeError: a size that is no shape. ShapeError (a RuntimeError): one that holds another number of cells.

    >>> import numpy as np
    >>> from rustyflow.show.source import source_of
    >>> x = source_of(np.arange(6).reshape(2, 3).T, "x.T")
    >>> got = asked(x, (6,))
    >>> got.code, got.dims, got.source.name, got.source.read([0, 1, 2])
    ('x.T.reshape(6)', (0, 1), 'x.T.reshape(6)', [0, 3, 1])
    """
    sizes = (size,) if isinstance(size, int) else tuple(size) if isinstance(size, list | tuple) else None
    if sizes is None or not all(type(n) is int for n in sizes):
        rule = "view is a shape: whole numbers, one of them -1 if it is to be found"
        raise ArgumentTypeError(f"view={size!r:.40}", rule, "view=(2, -1)", value=size)
    size = infer_size(sizes, source.numel, source.shape)
    inside = ", ".join(map(str, size)) if size else "()"
    call = "reshape" if source.numpy else "view"
    code, stride = f"{source.name}.{call}({inside})", view_stride(source.shape, source.stride, size)
    if stride is not None:
        return Asked(code, size, replace(source, name=code, shape=size, stride=stride, of=0), None)

    def read(slots: Sequence[int]) -> list[Value]:
        cells = [unravel_index(slot, source.shape) for slot in slots]
        return source.read([flat_index(cell, source.stride, source.offset) for cell in cells])

    copy = Source(
        f"{source.name}.reshape({inside})", size, contiguous_stride(size), 0, source.dtype, ("copy", source.storage),
        prod(size), read, source.array, source.numpy,
    )  # fmt: skip
    return Asked(code, size, copy, parted(source.shape, source.stride, size))

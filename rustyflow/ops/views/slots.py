"""Gradients through memory: reading and adding through a layout, `as_strided`, and the node of a write into a view.

A layout here is (shape, stride, offset) over the slots of a storage.
"""
from __future__ import annotations

from functools import partial

from ... import layout as rules
from ...arguments.numbers import no_tuple, whole, whole_row
from ...dispatch import apply_view, layout_of, op
from ...tensor import Node, storage_of


def scattered(rule):
    """The gradient of a view that reads part of its input: zeros, with g added where it was read."""
    return lambda F, g, shape, **attrs: F.scatter_through(g, shape, partial(rule, **attrs))


@op(public=False, method=False)
class scatter_through:
    """y = scatter_through(g, size, layout)        dg = through(dy, layout)"""
    def grad_g(F, g, *, size, layout): return F.through(g, layout)


@op(public=False, method=False)
class through:
    """y = through(x, layout)        dx = scatter_through(g, x.shape, layout)"""
    def grad_x(F, g, shape, *, layout): return F.scatter_through(g, shape, layout)


@op(public=False, method=False)
class slots_read:
    """y = slots_read(x, own, other)        dx = slots_add(g, own, other)"""
    def grad_x(F, g, *, own, other): return F.slots_add(g, own, other)


@op(public=False, method=False)
class slots_add:
    """y = slots_add(g, own, other)        dg = slots_read(dy, own, other)"""
    def grad_g(F, g, *, own, other): return F.slots_read(g, own, other)


@op(public=False, method=False)
class slots_clear:
    """y = slots_clear(x, own, other)        dx = slots_clear(g, own, other)"""
    def grad_x(F, g, *, own, other): return F.slots_clear(g, own, other)


@op
class as_strided:
    """y = slots_read(x, own, other)        dx = slots_add(g, own, other)

    The layout counts slots of the storage, not cells of x; it may overlap, and may not leave the storage.
    Shapes: `size` is the result's shape, one `stride` per axis.
    Raises: StorageBoundsError, ShapeError (RuntimeErrors): a cell outside the storage, or lengths that differ.
    Source: https://pytorch.org/docs/stable/generated/torch.as_strided.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).as_strided((2, 2), (1, 2), 1)
        tensor([[1, 3],
                [2, 4]])
    """
    def layout(shape, stride, offset, *, own, other): return other
    def grad_x(F, g, *, own, other): return F.slots_add(g, own, other)

    def call(input, size, stride, storage_offset=None):
        for name, given in (("size", size), ("stride", stride)):
            if not isinstance(given, (tuple, list)):
                raise no_tuple("as_strided", name, given, f"{name}=(2, 1)")
        offset = input._offset if storage_offset is None else whole("as_strided", storage_offset=storage_offset)[0]
        size, stride = whole_row("as_strided", "size", size), whole_row("as_strided", "stride", stride)
        other = rules.as_strided(storage_of(input).buffer.size, size=size, stride=stride, offset=offset)
        return apply_view(as_strided.op, input, own=layout_of(input), other=other)


@op(public=False, method=False)
class copy_slices:
    """y = slots_write(base, own, other, value)
    dbase = slots_clear(g, own, other)
    dvalue = slots_read(g, own, other)"""
    torch_name = "CopySlices"  # `own` is saved: a backward frees these, as PyTorch's
    promote = None
    def forward(F, base, value, *, own, other): return base
    def grad_base(F, g, own, *, other): return F.slots_clear(g, own, other)
    def grad_value(F, g, own, *, other): return F.slots_read(g, own, other)

    def shown(node):
        """The base, then all parents of the node that wrote but the first, which was the part itself."""
        base, writer = node.parents
        return (base, *writer._shown()[1:]) if isinstance(writer, Node) else (base, writer)

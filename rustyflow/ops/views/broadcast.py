"""Broadcasting said aloud: shapes stretched without copying, and the sums that undo it."""
from __future__ import annotations

from collections.abc import Sequence

from ... import layout as rules
from ...arguments.numbers import no_tuple, several, several_sizes, sizes
from ...backends import backend
from ...dispatch import apply, apply_view, function, op
from ...errors import ArgumentValueError, AssertedError, ShapeError, align_right
from ...tensor import Size, Tensor
from ..reduce.axes import adding_dtype
from ..reduce.sums import sum_dim
from .view import view


@op(public=False)
class expand:
    """y = expand(x, size)        dx = sum_to(g, x.shape)

    Axes of size 1 are stretched by stride 0, new ones appear in front; -1 keeps a size.
    Raises: ShapeError (a RuntimeError): an axis that is neither equal nor 1.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(3, 1).expand(3, 4).stride()
        (1, 0)
    """
    layout = rules.expand
    def quick(a, *, size):
        try:
            return a.view() if a.shape == size else backend.stretched(a, size)
        except ValueError:
            return None

    def grad_x(F, g, shape, *, size): return F.sum_to(g, shape)

    def call(input, *size, **named):
        if named or not size:
            size = several("expand", "size", size, named, "x.expand(3, -1)")
        return apply_view(expand.op, input, size=sizes(size, "expand", "size", "x.expand(3, -1)"))


@function(method=False)
def broadcast_to(input, size):
    """A view of a shape that the tensor broadcasts to: stretched axes get stride 0.

    Raises:
        ShapeError (a RuntimeError): an axis that is neither equal nor 1.
    Source: https://pytorch.org/docs/stable/generated/torch.broadcast_to.html

    Example:
        >>> import rustyflow as rf
        >>> rf.broadcast_to(rf.arange(3), (2, 3)).stride()
        (0, 1)
    """
    if not isinstance(size, (tuple, list)):
        raise no_tuple("broadcast_to", "size", size, "e.g. (2, 3)")
    return expand(input, size)


Tensor.broadcast_to = expand


@function(method=False)
def broadcast_shapes(*shapes):
    """The shape that all the shapes broadcast to.

    Raises:
        BroadcastError (a RuntimeError): shapes that do not align. ArgumentValueError (a ValueError): a negative size.
    Source: https://pytorch.org/docs/stable/generated/torch.broadcast_shapes.html

    Example:
        >>> import rustyflow as rf
        >>> rf.broadcast_shapes((3, 1), (4,))
        rustyflow.Size([3, 4])
    """
    shapes = [_sizes_of(shape) for shape in shapes if shape is not None]  # as PyTorch, which leaves None unread
    if any(n < 0 for shape in shapes for n in shape):
        raise ArgumentValueError(f"broadcast_shapes{tuple(shapes)}",
                                 "broadcast_shapes(): Attempting to broadcast a dimension with negative length!",
                                 "sizes of 0 or more: expand alone takes -1, for a size that stays")
    return Size(rules.broadcast_shapes(*shapes))


def _sizes_of(shape):
    """A thing that is one shape: PyTorch reads it in Python, where True is 1.

    And an array compares with nothing.
    """
    fix = "broadcast_shapes((2, 1), (3,))"
    if not isinstance(shape, (int, Sequence)):
        raise ShapeError(f"broadcast_shapes({shape!r:.60})",
                         f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape!r:.60}",
                         fix)
    shape = shape if isinstance(shape, Sequence) else (shape,)
    if any(hasattr(n, "ndim") for n in shape):
        raise AssertedError(f"broadcast_shapes({shape!r:.60})", "Expected bool: a size is one of Python's ints", fix)
    return sizes(([int(n) if n.__class__ is bool else n for n in shape],), "broadcast_shapes", "shapes", fix)


@op(public=False, method=False)
class sum_to:
    """y = sum_to(x, size)        dx = expand(g, x.shape)"""
    def grad_x(F, g, shape, *, size): return F.expand(g, shape)
    def call(x, shape): return x if tuple(x.shape) == tuple(shape) else apply(sum_to.op, x, size=tuple(shape))


def sum_to_size(self, *size, **named):
    """The tensor summed over the axes that broadcasting from `size` would have stretched: broadcasting undone.

    Raises:
        ShapeError (a RuntimeError): a size that does not broadcast to the tensor's shape.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(3, 4).sum_to_size(3, 1)
        tensor([[4.],
                [4.],
                [4.]])
    """
    size, shape = several_sizes("sum_to_size", "size", size, named, "x.sum_to_size(3, 1)"), self._a.shape
    if size == shape:
        return self
    if not rules.sums_to(shape, size):
        raise ShapeError(align_right(("tensor", shape), ("size", size)),
                         f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.",
                         "a size whose axes, from the right, are the tensor's or 1")
    lead, stretched = rules.broadcast_axes(size, shape)
    y = apply(sum_dim, self, dim=lead + stretched, keepdim=True, dtype=adding_dtype(self, None))
    return view(y, size) if lead else y


Tensor.sum_to_size = sum_to_size

"""The order of axes in which fresh memory is laid out."""
from __future__ import annotations

from .strides import Shape, contiguous_stride, is_dense


def axis_order(shape: Shape, *strides: Shape) -> tuple[int, ...]:
    """The axes of an elementwise result from the slowest to the fastest, from its operands' strides in its shape.

    The first operand with a nonzero stride along both of two axes decides which is slower; where there is none, the
    order stays row-major. This is PyTorch's rule, also for ties.
    Source: https://github.com/pytorch/pytorch/wiki/How-to-use-TensorIterator

    Example (a transposed operand goes before one in order; a row decides nothing):
        >>> axis_order((3, 4), (1, 3), (4, 1)), axis_order((3, 4), (0, 1), (1, 3))
        ((1, 0), (1, 0))
        >>> axis_order((3, 4), (0, 1)), axis_order((2, 3, 4), (1, 2, 6))
        ((0, 1), (2, 1, 0))
    """
    axes = list(range(len(shape)))[::-1]
    for end in range(1, len(axes)):
        at = end
        for k in range(end - 1, -1, -1):
            slower = _slower(shape, strides, axes[k], axes[at])
            if slower is None:
                continue
            if not slower:
                break
            axes[k], axes[at] = axes[at], axes[k]
            at = k
    return tuple(axes[::-1])


def _slower(shape, strides, a, b):
    """True if axis a is slower than axis b; None where no operand decides."""
    for stride in strides:
        if stride[a] and stride[b]:
            if stride[a] != stride[b]:
                return stride[a] > stride[b]
            if shape[a] > shape[b]:
                return True
    return None


def dense_stride(shape: Shape, *strides: Shape) -> Shape:
    """Strides without holes in the `axis_order` of the operands' strides.

    Example (of a matrix with holes, transposed; of a row that is repeated):
        >>> dense_stride((3, 4), (2, 6)), dense_stride((3, 4), (0, 1))
        ((1, 3), (4, 1))
    """
    order = axis_order(shape, *strides)
    steps = dict(zip(order, contiguous_stride(tuple([shape[d] for d in order]))))
    return tuple([steps[d] for d in range(len(shape))])


def kept_stride(shape: Shape, stride: Shape) -> Shape:
    """The strides of new memory laid out as a tensor: its own without holes, else dense in order.

    Example (of a transposed matrix; of every second one of its columns):
        >>> kept_stride((4, 3), (1, 4)), kept_stride((4, 2), (1, 8))
        ((1, 4), (1, 4))
    """
    return stride if is_dense(shape, stride) else dense_stride(shape, stride)

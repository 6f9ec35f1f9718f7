"""Views of some cells, or of cells more than once: an index, a run, a diagonal, windows."""
from __future__ import annotations

from ... import layout as rules
from ...arguments.numbers import whole
from ...dispatch import apply_view, op
from ...errors import ShapeError
from ...tensor import Tensor
from .slots import scattered


@op
class select:
    """y = select(x, dim, index)        dx = given_back(g, x)

    Raises: IndexOutOfRange (an IndexError): no such index; names the axis.
    Source: https://pytorch.org/docs/stable/generated/torch.select.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).view(2, 3).select(1, -1)
        tensor([2, 5])
    """
    layout = rules.select
    grad_x = scattered(rules.select)

    def call(input, dim, index):
        index = index if index.__class__ is int else whole("select", index=index)[0]
        return apply_view(select.op, input, dim=dim, index=index)


@op
class narrow:
    """y = narrow(x, dim, start, length)        dx = given_back(g, x)

    Raises: ShapeError (a RuntimeError), DimError (an IndexError): indices outside the axis.
    Source: https://pytorch.org/docs/stable/generated/torch.narrow.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(6).narrow(0, 2, 3)
        tensor([2, 3, 4])
    """
    torch_name = "SliceBackward0"
    layout = rules.narrow
    grad_x = scattered(rules.narrow)

    def call(input, dim, start, length):
        if not start.__class__ is length.__class__ is int:
            if isinstance(start, Tensor) and (start._a.ndim or start._a.dtype.kind not in "iu"):
                raise ShapeError(f"narrow({dim}, {start!r:.40}, {length})", "start must be an 0-dim integral Tensor.",
                                 "a whole number: start.item()")
            start, length = whole("narrow", start=start, length=length)
        if length < 0:
            raise ShapeError(f"narrow({dim}, {start}, {length})", "narrow(): length must be non-negative.",
                             "a length of 0 or more")
        return apply_view(narrow.op, input, dim=dim, start=start, length=length)


@op
class diagonal:
    """y = diagonal(x, diag, dim1, dim2)        dx = given_back(g, x)

    The diagonal becomes the last axis; its stride is the sum of the two.
    Raises: DimError (an IndexError): no such axis; ShapeError (a RuntimeError): the same axis twice.
    Source: https://pytorch.org/docs/stable/generated/torch.diagonal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(9).view(3, 3).diagonal(), rf.zeros(3, 3).diagonal(1).stride()
        (tensor([0, 4, 8]), (4,))
    """
    layout = rules.diagonal
    grad_x = scattered(rules.diagonal)

    def call(input, offset=0, dim1=0, dim2=1):
        return apply_view(diagonal.op, input, diag=whole("diagonal", offset=offset)[0], dim1=dim1, dim2=dim2)


@op(public=False)
class unfold:
    """y = windows(x, dim, size, step)        dx = given_back(g, x)

    Windows of `size` along `dimension`, one every `step`; they overlap in memory when step < size. The window is the
    last axis.
    Raises: ShapeError (a RuntimeError): a window larger than the axis, or a step below 1.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(5).unfold(0, 3, 1).stride()
        (1, 1)
    """
    layout = rules.unfold
    grad_x = scattered(rules.unfold)

    def call(input, dimension, size, step):
        size, step = whole("unfold", size=size, step=step)
        return apply_view(unfold.op, input, dim=dimension, size=size, step=step)

"""Index tensors as they may be, and the numbers in them; errors name the function."""
from __future__ import annotations

from ...backends import backend
from ...dtype import int64
from ...errors import DimError, DTypeError, IndexOutOfRange, ShapeError, TensorError, align_right
from ...layout import wrap_dim
from ...tensor import Tensor


class OutsideAxis(TensorError, RuntimeError):
    """An index outside its axis, where PyTorch raises a RuntimeError and not an IndexError."""


def check_index(name: str, index, kinds=("int64", "int32"), error=DTypeError) -> None:
    """Refuse an index that is no tensor of whole numbers.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if index._a.dtype not in kinds:
        raise error(f"{name} with an index of {index.dtype!r}",
                    f"{name}(): Expected dtype {' or '.join(kinds)} for index", "index.long()")


def check_cells(name: str, index, kinds=("int64", "int32")):
    """The index, checked; an index without cells, such as tensor([]), may have any dtype, and becomes int64.

    Raises:
        As `check_index`.
    """
    if isinstance(index, Tensor) and not index._a.size and index._a.dtype not in kinds:
        return index.to(int64)
    check_index(name, index, kinds)
    return index


def check_vector(index, rule: str) -> None:
    """Refuse an index of several axes, whatever its dtype is.

    Raises:
        ArgumentTypeError (a TypeError), IndexOutOfRange (an IndexError).
    """
    if index._a.ndim > 1:
        raise IndexOutOfRange(f"an index of shape {tuple(index.shape)}", rule, "index.flatten(), or x[index]")


def check_inside(name: str, index, n: int, dim: int, error=OutsideAxis, negative=False, empty=OutsideAxis) -> None:
    """Refuse indices outside an axis of size n; `empty` is the error for an axis of size 0.

    Raises:
        OutsideAxis (a RuntimeError) or IndexOutOfRange (an IndexError): names the axis and the index.
    """
    if backend.are_below(index._a, n):
        return
    low, error = -n if negative else 0, error if n else empty
    for i in (index._a.min(), index._a.max()) if index._a.size else ():
        if not low <= i < n:
            raise error(f"{name} with index {i} on dim {dim}, which has {n} indices",
                        f"index {i} is out of bounds for dimension {dim} with size {n}",
                        f"use {low} to {n - 1}" if n else "an axis of size 0 has no index", dim=dim, index=int(i))


def check_window(name: str, index, x, dim: int, src=None) -> None:
    """Refuse an index tensor that is larger than x, other than along dim, or larger than src.

    Raises:
        ShapeError (a RuntimeError). DimError (an IndexError): a src of fewer axes.
    """
    a, rank = index._a, max(x._a.ndim, 1)
    for other, label in ((x, "input"), (src, "src")):
        if other is not None and a.size and max(other._a.ndim, 1) != max(a.ndim, 1):
            error = DimError if other is src and 0 < src._a.ndim < a.ndim and src._a.size else ShapeError
            raise error(align_right((label, other._a.shape), ("index", a.shape)),
                        f"Index tensor must have the same number of dimensions as {label} tensor",
                        "index.expand(...) or unsqueeze")
    if src is not None and (not src._a.ndim and a.size > 1 or not a.ndim and not src._a.size):
        raise ShapeError(align_right(("index", a.shape), ("src", src._a.shape)),
                         f"{name}: expected index {list(a.shape)} to be no larger than src []",
                         "a src as large as the index")
    if a.ndim and rank == a.ndim and a.size:
        over = [d for d in range(a.ndim) if d != dim and x._a.ndim and a.shape[d] > x._a.shape[d] or src is not None
                and src._a.ndim and a.shape[d] > src._a.shape[d]]
        if over:
            raise ShapeError(align_right(("input", x._a.shape), ("index", a.shape),
                                         *([("src", src._a.shape)] if src is not None else [])),
                             f"{name}: expected index {list(a.shape)} to be no larger than self {list(x.shape)} apart "
                             f"from dimension {dim}"
                             + (f" and to be no larger than src {list(src.shape)}" if src is not None else ""),
                             f"a smaller index on dim {over[0]}")


def axis_of(x, dim) -> int:
    """A dim of a tensor that has axes.

    Raises:
        DimError (an IndexError): no such dim, or a 0-d tensor.
    """
    if not x._a.ndim:
        raise DimError(f"dim {dim} of a 0-d tensor", f"Dimension specified as {dim} but tensor has no dimensions",
                       "x.unsqueeze(0) gives it an axis")
    return wrap_dim(dim, x._a.ndim)

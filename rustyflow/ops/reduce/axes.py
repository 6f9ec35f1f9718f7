"""The parts that reductions share: their axes, the number of cells, the dtype of sums."""
from __future__ import annotations

from math import prod

from ...dispatch import is_recorded
from ...dtype import as_dtype, int64, refuse
from ...errors import DimError, GradError, ShapeError
from ...layout import wrap_dims


def axes(input, dim):
    """A dim argument as NumPy takes it: None for all axes, else a tuple of axes.

    Raises:
        DimError (an IndexError): no such axis. ShapeError (a RuntimeError): one named twice. ArgumentTypeError (a
        TypeError): no whole numbers.
    """
    return None if dim is None or (isinstance(dim, (tuple, list)) and not dim) else wrap_dims(dim, input._a.ndim)


def float_axes(name, input, dim, dtype=None):
    """`axes`, for a reduction of floats: the error for whole numbers comes before the one for a missing dim.

    Raises:
        DTypeError (a RuntimeError): whole numbers.
    """
    d = input.dtype if dtype is None else as_dtype(dtype)
    try:
        dims = axes(input, dim)
    except DimError:
        if d.is_floating_point:
            raise
    if not d.is_floating_point:
        raise refuse(name, d, "a floating dtype")
    return dims


def share(F, g, n):
    """g / n for a count n, which float16 may not be able to hold."""
    return g / n if n <= 2048 else F.div(g, n)


def taken(shape, dim):
    """The number of cells that make one result.

    Example:
        >>> taken((2, 3, 4), (0, 2)), taken((2, 3), None)
        (8, 6)
    """
    if dim is None or not shape:
        return prod(shape)
    return prod([shape[d] for d in dim]) if isinstance(dim, tuple) else shape[dim]


def need_cells(name, input, dim, whole=ShapeError):
    """Refuse a reduction over no cells that has no result there, such as a maximum.

    Raises:
        DimError (an IndexError), where an axis is named; else `whole`.
    """
    shape = input._a.shape
    if 0 in shape and taken(shape, dim) == 0:
        error, over, wanted = DimError, f"dim {dim}", "to have non-zero size"
        if dim is None:
            error, over, wanted = whole, "all axes", "to be specified for input.numel() == 0"
        raise error(f"{name} over {over} of shape {tuple(shape)}",
                    f"{name}(): Expected reduction dim {wanted}",
                    "the answer is not defined for no cells: check that the tensor is not empty")


def adding_dtype(input, dtype):
    """The NumPy dtype in which cells are added or multiplied: `dtype` if given, else int64 for whole numbers and bools,
    and None for floats, which keep theirs.

    Raises:
        GradError (a RuntimeError): whole numbers are asked for, of a tensor that requires grad.
    """
    if dtype is None:
        return None if input._a.dtype.kind == "f" else int64.numpy
    dtype = as_dtype(dtype)
    if not dtype.is_floating_point and is_recorded(input):
        raise GradError(f"dtype={dtype!r} for a tensor that requires grad",
                        f"Autograd not support dtype: {dtype.name}",
                        "x.detach() first")
    return dtype.numpy

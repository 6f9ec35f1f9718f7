"""What every creation function shares: sizes, dtype, device, requires_grad."""
from __future__ import annotations

from operator import index as as_int
from typing import Any

from ..backends import backend
from ..device import need_cpu
from ..dtype import as_dtype, dtype, get_default_dtype
from ..errors import ArgumentTypeError, ShapeError
from ..ops.registry import expose
from ..tensor import Tensor, wrap


def creator(f):
    """Expose a creation function as rustyflow.name, and to gradients as F.name."""
    expose(f.__name__, f, method=False, creates=True)
    return f


def finish(array, requires_grad: bool = False, device: Any = None, layout: Any = None,
           pin_memory: bool = False) -> Tensor:
    """A tensor over a fresh array, after the arguments that every creation function shares.

    Raises:
        AbsentError (a NotImplementedError), DeviceError (a RuntimeError): a device other than the CPU. GradError (a
        RuntimeError): a gradient for whole numbers.
    """
    if device is not None:
        need_cpu(device)
    out = wrap(backend.asarray(array))
    return out.requires_grad_() if requires_grad else out


def shape_of(size, name: str) -> tuple[int, ...]:
    """Sizes given as numbers, a list, a tuple or a Size.

    Raises:
        ArgumentTypeError (a TypeError): not whole numbers. ShapeError (a RuntimeError): a negative one.

    Example:
        >>> shape_of((2, 3), "zeros"), shape_of(([2, 3],), "zeros")
        ((2, 3), (2, 3))
    """
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    try:
        shape = tuple([as_int(n) for n in size])
    except TypeError:
        raise ArgumentTypeError(f"{name}{tuple(size)!r}", f"{name}(): sizes must be whole numbers",
                                f"e.g. rustyflow.{name}(2, 3)") from None
    if any(n < 0 for n in shape):
        raise ShapeError(f"{name}{shape}",
                         f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}",
                         "sizes are 0 or more")
    return shape


def numpy_dtype(d: dtype | None, default: dtype | None = None):
    """The NumPy dtype to make an array in."""
    return (as_dtype(d) if d is not None else default or get_default_dtype()).numpy


def number(name: str, argument: str, value: Any):
    """A Python number, also when given as a tensor or array with no axes.

    Raises:
        ArgumentTypeError (a TypeError): anything else.
    """
    if isinstance(value, (int, float)):
        return value
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return value.item()
    raise ArgumentTypeError(f"{name}(..., {argument}={value!r:.60})",
                            f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}",
                            "a Python number")


def whole(name: str, argument: str, value: Any, least: int | None = None) -> int:
    """A whole number.

    Raises:
        ArgumentTypeError (a TypeError): anything else. ShapeError (a RuntimeError): below `least`.
    """
    try:
        n = as_int(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}(..., {argument}={value!r:.60})",
                                f"{name}(): argument '{argument}' must be int, not {type(value).__name__}",
                                "a whole number") from None
    if least is not None and n < least:
        raise ShapeError(f"{name}(..., {argument}={n})",
                         f"{argument} must be non-negative" if least == 0 else f"{argument} must be at least {least}",
                         f"{argument} of {least} or more")
    return n

"""The arguments that every creation function takes: sizes, dtype, device, requires_grad."""
from __future__ import annotations

from typing import Any

from ...arguments.numbers import several
from ...backends import backend
from ...dispatch import expose
from ...dtype import as_dtype, dtype, get_default_dtype
from ...errors import AbsentError, ArgumentTypeError, ArgumentValueError, ShapeError
from ...layout import check_extent, whole_sizes
from ...tensor import Tensor, need_cpu, wrap


def creator(f):
    """Expose a creation function as rustyflow.name, and to gradients as F.name."""
    expose(f.__name__, f, method=False, creates=True)
    return f


def finish(array, requires_grad: bool = False, device: Any = None, layout: Any = None,
           pin_memory: bool = False) -> Tensor:
    """A tensor over a fresh array, after the arguments that every creation function shares.

    Raises:
        AbsentError (a NotImplementedError): a device other than the CPU, a layout other than strided, pinned memory.
        DeviceError (a RuntimeError): no device at all. GradError (a RuntimeError): a gradient for whole numbers.
    """
    if device is not None:
        need_cpu(device)
    if layout is not None or pin_memory:
        refuse_absent(layout, pin_memory)
    out = wrap(backend.asarray(array))
    return out.requires_grad_() if requires_grad else out


def refuse_absent(layout: Any, pin_memory: bool) -> None:
    """Let the strided layout (or None) and memory that is not pinned pass.

    Raises:
        AbsentError (a NotImplementedError): what PyTorch has for sparse tensors and for copies to a GPU.

    Example:
        >>> refuse_absent(None, False)
        >>> refuse_absent("sparse_coo", False)
        Traceback (most recent call last):
        rustyflow.errors.AbsentError: layout=sparse_coo
        rule: every tensor of rustyflow is strided: a storage read through a shape, a stride and an offset
        try:  leave layout out
    """
    if layout is not None and str(layout).rpartition(".")[2] != "strided":
        raise AbsentError(f"layout={layout!s:.60}", "every tensor of rustyflow is strided: a storage read through a "
                          "shape, a stride and an offset", "leave layout out")
    if pin_memory:
        raise AbsentError(f"pin_memory={pin_memory!r:.60}", "pinned memory is for copies to a GPU, and rustyflow "
                          "computes on the CPU only", "leave pin_memory out")


def given_data(name: str, data: tuple, device: Any, others: dict[str, Any]) -> tuple:
    """The one thing that `Tensor(...)` and its kin are given: data, a tensor or sizes.

    By position or by name; the only other keyword allowed is a device.

    Raises:
        ArgumentTypeError (a TypeError): a dtype, requires_grad. AbsentError (a NotImplementedError), DeviceError (a
        RuntimeError): another device.

    Example:
        >>> given_data("Tensor", (2, 3), "cpu", {}), given_data("Tensor", (), None, {"size": (2, 3)})
        ((2, 3), (2, 3))
        >>> given_data("Tensor", (), None, {"requires_grad": True})
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: Tensor(..., requires_grad=True)
        rule: Tensor() got an unexpected keyword argument 'requires_grad': it is made of data or sizes alone
        try:  rustyflow.tensor([...], requires_grad=True)
    """
    if not data and len(others) == 1 and (named := [others[key] for key in ("data", "other") if key in others]):
        data, others = tuple(named), {}
    elif not data and [*others] == ["size"] and isinstance(others["size"], (tuple, list)):
        data, others = tuple(others["size"]), {}
    if others:
        given = ", ".join([f"{key}={value!r:.40}" for key, value in others.items()])
        raise ArgumentTypeError(f"{name}(..., {given})", f"{name}() got an unexpected keyword argument "
                                f"'{next(iter(others))}': it is made of data or sizes alone",
                                f"rustyflow.tensor([...], {given})")
    if device is not None:
        need_cpu(device)
    return data


def one_by_one(name: str, sizes: tuple, size: Any) -> tuple:
    """Sizes given one by one, or by the keyword `size`.

    Raises:
        ArgumentTypeError (a TypeError): neither, both, or a keyword that is no tuple.

    Example:
        >>> one_by_one("zeros", (2, 3), None), one_by_one("zeros", (), (2, 3))
        ((2, 3), ((2, 3),))
    """
    return several(name, "size", sizes, {} if size is None else {"size": size},
                   f"rustyflow.{name}(2, 3), or rustyflow.{name}(()) for a tensor with no axes")


def shape_of(size, name: str) -> tuple[int, ...]:
    """Sizes given as numbers, a list, a tuple or a Size.

    Raises:
        ArgumentTypeError (a TypeError): not whole numbers. ShapeError (a RuntimeError): a negative one, or more
        than an array can have.

    Example:
        >>> shape_of((2, 3), "zeros"), shape_of(([2, 3],), "zeros")
        ((2, 3), (2, 3))
    """
    given = size
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    try:
        shape = whole_sizes(size)
    except (TypeError, ArgumentValueError):
        raise ArgumentTypeError(f"{name}({', '.join([f'{n!r:.60}' for n in given])})",
                                f"{name}(): sizes must be whole numbers, of at most 64 bits",
                                f"e.g. rustyflow.{name}(2, 3)", value=given) from None
    if any(n < 0 for n in shape):
        raise ShapeError(f"{name}{shape}",
                         f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}",
                         "sizes are 0 or more")
    check_extent(shape)
    return shape


def numpy_dtype(d: dtype | None, default: dtype | None = None):
    """The NumPy dtype to make an array in."""
    return (as_dtype(d) if d is not None else default or get_default_dtype()).numpy

"""Plain writes: one value everywhere, or another tensor's values."""
from __future__ import annotations

from numbers import Number

from ...arguments.kinds import has_no_axes
from ...arguments.numbers import fitted, number
from ...backends import backend
from ...dispatch.inplace import overwrite
from ...dispatch.operation import notify, renamed, watchers
from ...dispatch.promotion import constant, not_a_tensor
from ...dispatch.registry import op
from ...dispatch.run import apply
from ...dispatch.write_check import check_write, is_one_value
from ...errors import BroadcastError, DTypeError, ShapeError, align_right
from ...tensor import Tensor
from ..views import expand


@op(public=False, method=False)
class zero:
    """y = 0        dx = 0"""
    def forward(F, x): return F.zeros_like(x)
    def grad_x(F, g): return F.zeros_like(g)


@op(public=False, method=False)
class step:
    """y = step(x, other)        dx = 0        dother = 0"""
    promote = None
    def forward(F, x, other): return F.zeros_like(x)
    def grad_x(F, g): return F.zeros_like(g)
    def grad_other(F, g): return F.zeros_like(g)


def zero_(input):
    """Write 0 into every cell.

    Raises: GradError, MemoryOverlapError (both RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.zero_.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, 2); x[0].zero_(); x
        tensor([0., 0.])
        tensor([[0., 0.],
                [1., 1.]])
    """
    check_write(input, "zero_", alike=True)
    overwrite(zero.op, input, (), 0, {})
    if watchers:
        notify(zero.op, (input,), {}, input)
    return input


@op(method=False)
class fill:
    """y = expand(value, x.shape)        dx = 0        dvalue = g

    A tensor of x's shape and dtype with one value: a number, or a tensor with no axes.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.fill_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.fill(rf.zeros(2), 7)
        tensor([7., 7.])
    """
    promote, tensors = None, ("x",)
    def forward(F, x, value): return F.filled(x.shape, value, x.dtype)
    def grad_x(F, g): return F.zeros_like(g)
    def grad_value(F, g): return g
    def call(input, value): return apply(_FILLS[isinstance(value, Tensor)], input, _one(input, value))


_FILLS = [renamed(fill.op, f"FillBackward{k}", shown) for k, shown in enumerate(([0], [0, 1], [0], [0, 1]))]
"""The op for a number and for a tensor, then both in place."""


def set_one(x, value):
    """x[...] = value, for a number that x's dtype holds. As in PyTorch it is a copy for a 0-d tensor, else a fill."""
    return write_one(_FILLS[3] if x._a.ndim else copy_into.op, x, value)


def fill_(input, value):
    """Write one value into every cell: a number, or a tensor with no axes, which then receives the gradient.

    Raises: ShapeError (a RuntimeError): a value with axes. DTypeError (a RuntimeError): one that the dtype cannot hold.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.fill_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).fill_(2.5)
        tensor([2.5000, 2.5000, 2.5000])
    """
    value = _one(input, value)
    check_write(input, "fill_", alike=is_one_value(value), repeated=not isinstance(value, Tensor))
    return write_one(_FILLS[2 + isinstance(value, Tensor)], input, value)


def write_one(it, x, value):
    """Writes a checked value, a number or a tensor with no axes, into every cell, as the op `it`."""
    overwrite(it, x, (value,), value._a if isinstance(value, Tensor) else constant(value, x.dtype), {})
    if watchers:
        notify(fill.op, (x, value), {}, x)
    return x


def _one(x, value):
    """The value to fill x with, checked."""
    if isinstance(value, Tensor):
        if value._a.ndim:
            raise ShapeError(f"value of shape {tuple(value.shape)}",
                             f"fill_ only supports 0-dimension value tensor but got tensor with {value._a.ndim} "
                             "dimensions.", "x.copy_(value) writes a value for each cell")
        return value
    if isinstance(value, complex):
        raise DTypeError(f"fill_(value={value})",
                         "value cannot be converted without overflow: rustyflow has no complex dtypes", "value.real")
    value = number("fill_", "value", value)
    return fitted("fill_", value, x.dtype) if isinstance(x, Tensor) else value


@op(public=False, method=False)
class copy_into:
    """y = value        dx = 0        dvalue = g"""
    called, torch_name, promote = "copy(input, src)", "CopyBackwards", None
    def forward(F, x, value):
        return F.cast(value, x.dtype) if hasattr(value, "shape") else F.filled(x.shape, value, x.dtype)
    def grad_x(F, g): return F.zeros_like(g)
    def grad_value(F, g): return g


def copy_(self, src, non_blocking=False):
    """Write another tensor's values into this one's memory; they broadcast, and are cast.

    Raises: BroadcastError, GradError, MemoryOverlapError (RuntimeErrors). ArgumentTypeError (a TypeError): no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.copy_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 2).copy_(rf.tensor([1, 2]))
        tensor([[1., 2.],
                [1., 2.]])
    """
    if not isinstance(src, Tensor):
        if not isinstance(src, Number) and not has_no_axes(src):
            raise not_a_tensor("copy_", "src", src)
        src = _one(self, src)
        check_write(self, "copy_", alike=True, repeated=False)
        return write_one(copy_into.op, self, src)
    check_write(self, "copy_", src, alike=is_one_value(src), repeated=False, cellwise=True)
    values = src._a
    if values.shape != self._a.shape:
        values = backend.stretched(values, self._a.shape)
        values = wide(self, src)._a if values is None else values
    kept = src if self._a.dtype.kind == "f" else src.detach()  # whole numbers have no gradient to send on
    overwrite(copy_into.op, self, (kept,), values, {})
    if watchers:
        notify(copy_into.op, (self, src), {}, self)
    return self


def wide(part, value):
    """A value as large as the part it is written into.

    Raises:
        BroadcastError (a RuntimeError): shapes that do not align.
    """
    try:
        return expand(value, part._a.shape)
    except ShapeError as error:
        raise BroadcastError(align_right(("part", part._a.shape), ("value", value._a.shape)), error.rule,
                             f"a value whose shape broadcasts to {part._a.shape}" if part._a.ndim
                             else "one cell takes one number") from None


Tensor.zero_, Tensor.fill_, Tensor.copy_ = zero_, fill_, copy_

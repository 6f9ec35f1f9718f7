"""Cells around a tensor: a constant, or its own cells mirrored, repeated or carried round."""
from __future__ import annotations

from ...arguments.numbers import fitted, no_tuple, number, whole_row
from ...backends import backend
from ...dispatch import apply, function, op, renamed
from ...errors import AbsentError, ShapeError, UnsupportedDTypeError


@op(public=False, method=False)
class constant_pad:
    """y = padded(x, pad, value)        dx = padded(g, opposite(pad), 0)"""
    torch_name = "ConstantPadNdBackward0"

    def grad_x(F, g, *, pad, value): return F.constant_pad(g, tuple([-n for n in pad]), 0)


@op(public=False, method=False)
class pad_from:
    """y = around(x, dims, arrays)        dx = given_back(g, x)"""
    torch_name = "CopySlices"  # as 'circular', which PyTorch writes part by part
    def forward(F, x, *, dims, arrays): return F.read_grid(x, dims, arrays)
    def grad_x(F, g, shape, *, dims, arrays): return F.grid_zeros(g, shape, dims, arrays)


_NAMES = {"reflect": "ReflectionPad", "replicate": "ReplicationPad"}
_BY_INDEX = {(mode, axes): renamed(pad_from.op, f"{name}{axes}DBackward0")
             for mode, name in _NAMES.items() for axes in (1, 2, 3)}


def reads(mode: str, n: int, before: int, after: int) -> list[int]:
    """The one of n cells that stands at each place of a padded line.

    Example:
        >>> reads("reflect", 3, 2, 1), reads("replicate", 3, 2, 1), reads("circular", 3, 2, 1)
        ([2, 1, 0, 1, 2, 1], [0, 0, 0, 1, 2, 2], [1, 2, 0, 1, 2, 0])
    """
    if mode == "circular":
        start, end = max(-before, 0), n - max(-after, 0)  # what is cut off is not carried round
        return [start + (k - start) % (end - start) for k in range(-before, n + after)]
    front, back = max(before, 0), max(after, 0)
    if mode == "reflect":
        line = [*range(front, 0, -1), *range(n), *range(n - 2, n - 2 - back, -1)]
    else:
        line = [0] * front + [*range(n)] + [n - 1] * back
    return line[max(-before, 0):len(line) - max(-after, 0)]


@function(public=False, method=False)
def pad(input, pad, mode="constant", value=None):
    """Cells around a tensor: `pad` is (before, after) of the last axis, then of the one before.

    And so on.

    Negative numbers cut cells off. mode 'constant' (`value`, else 0) pads any axes. 'reflect' (mirrored at the last
    cell), 'replicate' (the last cell again) and 'circular' (from the other end) pad the last one, two or three axes of
    an input with one or two more.

    Shapes: (..., L) to (..., before + L + after), and so for each axis that is padded.
    Raises:
        ShapeError (a RuntimeError): an odd count, too many, a mirror longer than the axis. AbsentError (a
            NotImplementedError): a mode that is not there, or not for this input.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.pad(rf.tensor([[1, 2, 3]]), (1, 2)), F.pad(rf.tensor([[1, 2, 3]]), (1, 2), "reflect")
        (tensor([[0, 1, 2, 3, 0, 0]]), tensor([[2, 1, 2, 3, 2, 1]]))
    """
    if not isinstance(pad, (tuple, list)):
        raise no_tuple("pad", "pad", pad, "e.g. (1, 1)")
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise AbsentError(f"pad(mode={mode!r})", f"Unrecognised padding mode {mode}",
                          "'constant', 'reflect', 'replicate' or 'circular'")
    cells = whole_row("pad", "pad", pad)
    shape = input._a.shape
    if len(cells) % 2 or len(cells) > 2 * len(shape):
        raise ShapeError(f"pad={cells} on shape {tuple(shape)}",
                         "Padding length must be divisible by 2 and no more than twice the number of dimensions "
                         "of the input", "(before, after) per axis, last axis first")
    value = 0.0 if value is None else float(number("pad", "value", value))
    around = zip(reversed(shape), cells[::2], cells[1::2])  # a constant stands around what the cuts leave
    least = [n + (min(p, 0) + min(q, 0) if mode == "constant" else p + q) for n, p, q in around]
    if min(least, default=1) < (mode != "constant"):
        raise ShapeError(f"pad={cells} on shape {tuple(shape)}",
                         f"The input size, plus negative padding, resulted in a negative output size: {least[::-1]}",
                         "cut off no more than there is")
    if mode == "constant":
        return constant_pad(input, cells, fitted("pad", value, input.dtype))
    return _from_own(input, cells, mode, value)


def _from_own(input, cells, mode, value):
    """The modes that read the input itself."""
    shape, axes = input._a.shape, len(cells) // 2
    if value:
        raise ShapeError(f"pad(mode={mode!r}, value={value!r})",
                         f"Padding mode '{mode}' doesn't take in value argument", "leave value out")
    if axes not in (1, 2, 3) or len(shape) not in (axes + 1, axes + 2):
        raise AbsentError(f"pad={cells} on shape {tuple(shape)}, mode {mode!r}",
                          "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: "
                          "the last 1, 2 or 3 axes of an input with one or two more",
                          "x[None] has one axis more, [0] takes it off again" if len(shape) == axes
                          else "(before, after) per axis, last axis first")
    for k in range(axes + 1):
        if shape[-1 - k] == 0 and mode != "circular":
            raise ShapeError(f"pad={cells} on shape {tuple(shape)}, mode {mode!r}",
                             "Expected a tensor with possibly 0 batch size and other non-zero dimensions for input, "
                             f"but got: {list(shape)}",
                             "cells to pad, or mode='constant'")
    for k in range(axes):
        n, most = shape[-1 - k], max(cells[2 * k:2 * k + 2])
        if n == 0 or mode == "reflect" and most >= n or mode == "circular" and most > n:
            raise ShapeError(f"pad={cells} on shape {tuple(shape)}, mode {mode!r}",
                             f"Padding size should be less than the corresponding input dimension, but got {most} at "
                             f"dimension {len(shape) - 1 - k} of input {list(shape)}",
                             "less padding, or mode='constant'")
    if mode != "circular" and input._a.dtype.kind == "b":
        raise UnsupportedDTypeError(f"pad(mode={mode!r}) of bools", f"'{mode}' is not implemented for bools",
                                    f"pad(x.byte(), ..., {mode!r}).bool()")
    dims = tuple(range(len(shape) - axes, len(shape)))
    pairs = [cells[2 * k:2 * k + 2] for k in range(axes - 1, -1, -1)]
    arrays = backend.ix_(*[reads(mode, shape[d], *around) for d, around in zip(dims, pairs)])
    return apply(_BY_INDEX.get((mode, axes), pad_from.op), input, dims=dims, arrays=arrays)

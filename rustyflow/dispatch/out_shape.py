"""An `out` of another shape than the result: it is given that shape, in its own memory where that is large enough."""
from __future__ import annotations

from math import prod

from ..backends import backend
from ..errors import ShapeError, align_right, warn
from ..layout import kept_stride
from ..tensor import Tensor, storage_of
from ..tensor.history import AccumulateGrad, View
from .out_forms import SILENT
from .write_check import check_write


def fit(name: str, out: Tensor, result: Tensor, read: list) -> None:
    """Give `out` the shape and strides of a result; if it has cells, warn as PyTorch, which will refuse that one day.

    Raises:
        ShapeError (a RuntimeError): `out` is an operand.
    """
    before, after = list(out.shape), list(result.shape)
    if out._a.size and any([x is out for x in read]):
        raise ShapeError(align_right(("out", out._a.shape), ("result", result._a.shape)),
                         f"output with shape {before} doesn't match the broadcast shape {after}: an operand is not "
                         f"resized", f"out=rustyflow.empty({tuple(after)}), or leave out away")
    if out._a.size and name not in SILENT:
        warn(f"An output with one or more elements was resized since it had shape {before}, which does not "
             f"match the required output shape {after}. This behavior is deprecated, and in a future PyTorch "
             "release outputs will not be resized unless they have zero elements.")
    resize(name, out, result._a.shape, kept_stride(result._a.shape, backend.stride(result._a)))


def resize(name: str, out: Tensor, shape: tuple, stride: tuple) -> None:
    """Give `out` a shape, from its first slot on; its memory is enlarged if need be.

    Differs from PyTorch: what an operation made forgets the operation, whose gradient has another shape.

    Raises:
        GradError, MemoryOverlapError, ReadOnlyError (all RuntimeErrors): as `check_write`.
    """
    if out._a.shape == shape:
        return
    check_write(out, f"{name}(out=...)", alike=True)
    storage, end = storage_of(out), out._offset + prod(shape)
    kept = (AccumulateGrad, View) if end <= storage.buffer.size else AccumulateGrad
    if not isinstance(out._history, kept):
        out._history = None  # it is of another shape
    if end > storage.buffer.size:
        larger = backend.filled((end,), 0, storage.buffer.dtype)
        backend.write(larger[:storage.buffer.size], storage.buffer)
        out._storage = storage.over(larger)
    out._a = backend.strided(out._storage.buffer, shape, stride, out._offset)
    if type(out._history) is AccumulateGrad:
        out._history.out = out._a

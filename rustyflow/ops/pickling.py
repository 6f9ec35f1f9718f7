"""Pickles of tensors: plain bytes and numbers, checked when they are read, so that no code of a tensor's runs.

A pickle as such can run code, whoever made it; for files that come from others there are `save` and `load`.
"""
from __future__ import annotations

from .. import layout as rules
from ..dtype import named
from ..errors import ArgumentTypeError
from ..tensor import Reread, Tensor, UntypedStorage, over, storage_of
from .exchange import attributes


def restored_tensor(kind: type, storage: UntypedStorage, name: str, size: tuple, stride: tuple, offset: int,
                    requires_grad: bool) -> Tensor:
    """The tensor that reads a storage through a layout.

    Raises:
        ArgumentTypeError (a TypeError): something else than a tensor is made of. ShapeError, StorageBoundsError,
        GradError (RuntimeErrors): a layout with cells outside the storage; whole numbers that require grad.
    """
    if not (isinstance(kind, type) and issubclass(kind, Tensor) and isinstance(storage, UntypedStorage)
            and isinstance(size, tuple) and isinstance(stride, tuple) and type(requires_grad) is bool
            and all(type(n) is int and n < 1 << 60 for n in (*size, *stride, offset))):
        raise ArgumentTypeError("a pickled tensor of other parts", "a tensor is pickled as a storage, a size, a stride "
                                "and an offset", "pickle it again, with this release")
    d = named(name)
    if d.numpy != storage.buffer.dtype:
        storage = Reread(storage, d)
    out = over(storage, *rules.as_strided(storage.buffer.size, size=size, stride=stride, offset=offset), kind)
    return out.requires_grad_() if requires_grad else out


def _reduced(self, protocol):
    """A tensor in plain data, with its whole storage.

    All that are pickled with it and share the storage have it only once.

    As in PyTorch, what an operation made comes back as a leaf that requires grad, and a gradient is left out.
    """
    storage = storage_of(self)
    parts = (type(self), storage.untyped(), self.dtype.name, self._a.shape, self.stride(), self._offset,
             self.requires_grad)
    return restored_tensor, parts, attributes(self) or None


Tensor.__reduce_ex__ = _reduced

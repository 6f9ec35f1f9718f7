"""Tensors of one value, from sizes or like another tensor."""
from __future__ import annotations

import numpy as np

from ...arguments.numbers import fitted, no_tuple, number, whole
from ...backends import backend
from ...dtype import as_dtype
from ...layout import contiguous_stride, kept_stride
from ...tensor import Tensor
from ...tensor.memory_format import is_row_major, need_row_major
from .arguments import creator, finish, numpy_dtype, one_by_one, shape_of
from .nested import infer_dtype


@creator
def full(size, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A tensor of one value; its dtype follows the value.

    Raises: ArgumentTypeError (a TypeError): sizes or a value that are no numbers. ShapeError (a RuntimeError): a
    negative size.
    Source: https://pytorch.org/docs/stable/generated/torch.full.html

    Example:
        >>> import rustyflow as rf
        >>> rf.full((2,), 7)
        tensor([7, 7])
    """
    if not isinstance(size, (tuple, list)):
        raise no_tuple("full", "size", size, "a tuple, also for one axis: full((2,), 7)")
    value = number("full", "fill_value", fill_value)
    shape, d = shape_of((size,), "full"), infer_dtype(value) if dtype is None else as_dtype(dtype)
    return finish(backend.filled(shape, fitted("full", value, d), d.numpy), requires_grad, device, layout, pin_memory)


def _constant(name, value, size, given, dtype, device, requires_grad, layout, pin_memory):
    shape = shape_of(size if size and given is None else one_by_one(name, size, given), name)
    array = backend.filled(shape, value, numpy_dtype(dtype))
    return finish(array, requires_grad, device, layout, pin_memory)


@creator
def zeros(*sizes, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A tensor of zeros.

    Raises: ArgumentTypeError (a TypeError): sizes that are no whole numbers. ShapeError (a RuntimeError): a negative
    one.
    Source: https://pytorch.org/docs/stable/generated/torch.zeros.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return _constant("zeros", 0, sizes, size, dtype, device, requires_grad, layout, pin_memory)


@creator
def ones(*sizes, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A tensor of ones.

    Raises: ArgumentTypeError (a TypeError): sizes that are no whole numbers. ShapeError (a RuntimeError): a negative
    one.
    Source: https://pytorch.org/docs/stable/generated/torch.ones.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2)
        tensor([1., 1.])
    """
    return _constant("ones", 1, sizes, size, dtype, device, requires_grad, layout, pin_memory)


@creator
def empty(*sizes, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
          memory_format=None) -> Tensor:
    """A tensor whose values are not promised; here they are zeros, so that no run differs from another.

    Source: https://pytorch.org/docs/stable/generated/torch.empty.html

    Example:
        >>> import rustyflow as rf
        >>> rf.empty(2, 3).shape
        rustyflow.Size([2, 3])
    """
    need_row_major("empty", memory_format)
    return _constant("empty", 0, sizes, size, dtype, device, requires_grad, layout, pin_memory)


@creator
def eye(n, m=None, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """Ones on the diagonal of an (n, m) tensor of zeros; m is n when left out.

    Source: https://pytorch.org/docs/stable/generated/torch.eye.html

    Example:
        >>> import rustyflow as rf
        >>> rf.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    shape, d = shape_of(whole("eye", n=n, m=n if m is None else m), "eye"), numpy_dtype(dtype)
    return finish(np.eye(*shape, dtype=d), requires_grad, device, layout, pin_memory)


# Like another tensor: its shape, its dtype, and its strides where they leave no holes, else its order of axes

def _like(name, value, input, dtype, device, requires_grad, layout, pin_memory, memory_format):
    shape, stride, d = input._a.shape, backend.stride(input._a), numpy_dtype(dtype, input.dtype)
    ordered = memory_format is not None and is_row_major(name, memory_format)
    if ordered or stride == contiguous_stride(shape):
        return finish(backend.filled(shape, value, d), requires_grad, device, layout, pin_memory)
    array = backend.strided(backend.filled((input._a.size,), value, d), shape, kept_stride(shape, stride), 0)
    return finish(array, requires_grad, device, layout, pin_memory)


@creator
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
               memory_format=None) -> Tensor:
    """Zeros of another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.zeros_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros_like(rf.tensor([1, 2]))
        tensor([0, 0])
    """
    return _like("zeros_like", 0, input, dtype, device, requires_grad, layout, pin_memory, memory_format)


@creator
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
              memory_format=None) -> Tensor:
    """Ones of another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.ones_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones_like(rf.zeros(2))
        tensor([1., 1.])
    """
    return _like("ones_like", 1, input, dtype, device, requires_grad, layout, pin_memory, memory_format)


@creator
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
              memory_format=None) -> Tensor:
    """One value in another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.full_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.full_like(rf.zeros(2), 7)
        tensor([7., 7.])
    """
    d = as_dtype(dtype) if dtype is not None else input.dtype if isinstance(input, Tensor) else None
    value = number("full_like", "fill_value", fill_value)
    value = value if d is None else fitted("full_like", value, d)
    return _like("full_like", value, input, d, device, requires_grad, layout, pin_memory, memory_format)


@creator
def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
               memory_format=None) -> Tensor:
    """Another tensor's shape and dtype, with values that are not promised (zeros here).

    Source: https://pytorch.org/docs/stable/generated/torch.empty_like.html

    Example:
        >>> import rustyflow as rf
        >>> rf.empty_like(rf.ones(2, 3)).shape
        rustyflow.Size([2, 3])
    """
    return _like("empty_like", 0, input, dtype, device, requires_grad, layout, pin_memory, memory_format)


# Methods: another tensor's dtype, sizes of its own

def _new(name, value, text):
    def method(self, *sizes, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
        d = self.dtype if dtype is None else dtype
        return _constant(name, value, sizes, size, d, device, requires_grad, layout, pin_memory)
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"""{text} of the sizes given, in this tensor's dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).{name}(2, 3).dtype
        rustyflow.int64
    """
    setattr(Tensor, name, method)
    return method


new_zeros, new_ones = _new("new_zeros", 0, "Zeros"), _new("new_ones", 1, "Ones")
new_empty = _new("new_empty", 0, "Values that are not promised (zeros here),")


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """One value, in the size given and this tensor's dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.new_full.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1., 2.]).new_full((2,), 7)
        tensor([7., 7.])
    """
    return full(size, fill_value, dtype=self.dtype if dtype is None else dtype, device=device, layout=layout,
                requires_grad=requires_grad, pin_memory=pin_memory)


Tensor.new_full = new_full

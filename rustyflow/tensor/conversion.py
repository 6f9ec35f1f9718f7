"""The ways out of a tensor: NumPy's array over the same memory, and Python's numbers and lists."""
from __future__ import annotations

from typing import Any

from ..backends import backend
from ..errors import ArgumentTypeError, ArgumentValueError, GradError, ShapeError, pick_one, warn
from .differentiable import Differentiable
from .memory import storage_of


class Convertible(Differentiable):
    """A tensor with its ways out: a NumPy array, lists, a Python number; `Tensor` is this with operators and methods.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([2.5])
        >>> x.numpy(), x.tolist(), x.item(), int(x), bool(x)
        (array([2.5], dtype=float32), [2.5], 2.5, 2, True)
    """

    __slots__ = ()

    def item(self) -> Any:
        """The one number of a tensor with one cell, as a Python number.

        Raises:
            ShapeError (a RuntimeError): more or fewer cells than one.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.item.html

        Example:
            >>> import rustyflow as rf
            >>> rf.tensor([2.5]).item()
            2.5
        """
        if self._a.size != 1:
            raise ShapeError(f"shape {tuple(self.shape)}, {self._a.size} elements",
                             f"a Tensor with {self._a.size} elements cannot be converted to Scalar",
                             pick_one(self._a.shape))
        return self._a.item()

    def tolist(self) -> Any:
        """Nested Python lists of Python numbers; a bare number for a 0-d tensor.

        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.tolist.html

        Example:
            >>> import rustyflow as rf
            >>> rf.arange(4).view(2, 2).tolist(), rf.tensor(5).tolist()
            ([[0, 1], [2, 3]], 5)
        """
        return self._a.tolist()

    def numpy(self, *, force: bool = False):
        """The same memory as a NumPy array, which knows no history.

        With force=True also that of a tensor that has one.

        Raises:
            GradError (a RuntimeError): the tensor requires grad, and force is False.
        Source: https://pytorch.org/docs/stable/generated/torch.Tensor.numpy.html

        Example:
            >>> import rustyflow as rf
            >>> x = rf.zeros(2)
            >>> x.numpy()[0] = 5
            >>> x
            tensor([5., 0.])
        """
        if self.requires_grad and not force:
            raise GradError("x.numpy() on a tensor that requires grad",
                            "Can't call numpy() on Tensor that requires grad.", "Use tensor.detach().numpy() instead.")
        storage_of(self)
        return backend.to_numpy(self._a)

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is None and not copy:
            return array
        import numpy as np
        return np.array(array, dtype=dtype, copy=copy)

    def __bool__(self):
        if self._a.size != 1:
            raise ShapeError(f"shape {tuple(self.shape)}", "Boolean value of Tensor with "
                             f"{'more than one value' if self._a.size else 'no values'} is ambiguous",
                             "say which you mean: x.any() or x.all(); masks are combined with &, | and ~")
        return bool(self._a.item())

    def __float__(self):
        if self.requires_grad:
            warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior: the number "
                 "has no gradient. Write x.item(), or x.detach() first.")
        return float(_only(self))

    def __int__(self):
        return int(_only(self))

    def __index__(self):
        if self._a.size != 1 or self._a.dtype.kind == "f":
            raise ArgumentTypeError(f"a tensor of {self.dtype!r}, shape {tuple(self.shape)}",
                                    "only integer tensors of a single element can be converted to an index",
                                    pick_one(self._a.shape) if self._a.size != 1 else "x.long(), or int(x)")
        return int(self.item())

    def __complex__(self):
        return complex(_only(self))


def _only(x: Convertible) -> Any:
    """The one number of a tensor, for Python's float() and int(), which complain with a ValueError."""
    if x._a.size != 1:
        raise ArgumentValueError(f"shape {tuple(x.shape)}, {x._a.size} elements",
                                 "only one element tensors can be converted to Python scalars",
                                 pick_one(x._a.shape))
    return x._a.item()

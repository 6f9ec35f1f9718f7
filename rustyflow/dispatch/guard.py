"""Arguments that should have been tensors, or tensors of floats: errors that name them."""
from __future__ import annotations

from typing import Any

from ..dtype import float16, refuse
from ..errors import UnsupportedDTypeError, wrong_type
from ..tensor import Tensor
from .promotion import not_a_tensor


def need_tensors(name: str, **given: Any) -> None:
    """Refuse an argument that is no tensor, or is another library's, whose methods have the same names.

    Raises:
        NoTensorError (a TypeError and an AttributeError): the first of them; names it.
    """
    for key, x in given.items():
        if not isinstance(x, Tensor):
            raise not_a_tensor(name, key, x)


def need_tuple(name: str, key: str, given: Any, fix: str) -> None:
    """Refuse what is no tuple or list, and what is no tensor in it.

    Raises:
        ArgumentTypeError, NoTensorError (TypeErrors).
    """
    if not isinstance(given, (tuple, list)):
        raise wrong_type(name, key, given, "tuple of Tensors", fix)
    for k, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise not_a_tensor(name, f"{key}[{k}]", x)


def need_float(name: str, *tensors: Tensor, half: bool = True) -> None:
    """Refuse whole numbers, as PyTorch does where an op is made for floats alone, and without `half` float16 as well.

    Raises:
        UnsupportedDTypeError (a NotImplementedError).
    """
    for x in tensors:
        if x._a.dtype.kind != "f" or not half and x.dtype is float16:
            error = refuse(name, x.dtype, "a floating dtype" if half else "float32 or float64")
            raise UnsupportedDTypeError(error.was, error.rule, error.fix)

"""What Python's operators do to a tensor; square brackets are in `index`."""
from __future__ import annotations

from ..tensor import Tensor, check_write
from .arithmetic import abs, minus, mul, neg, plus, positive
from .compare import eq, ge, gt, le, lt, ne
from .division import div, floor_divide, remainder
from .linalg import matmul
from .logic import bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor
from .powers import pow
from .registry import op, overwrite
from .view import expand


def _operand(value) -> bool:
    """Whether an operator understands the other side; otherwise Python asks that side."""
    return isinstance(value, (Tensor, float, int, bool)) or (hasattr(value, "dtype") and hasattr(value, "ndim"))


def _binary(name, function, swap=False):
    def method(self, other):
        if other.__class__ is not Tensor and not _operand(other):
            return NotImplemented
        return function(other, self) if swap else function(self, other)
    method.__name__ = method.__qualname__ = name
    setattr(Tensor, name, method)


_ARITHMETIC = {"add": plus, "sub": minus, "mul": mul, "truediv": div, "floordiv": floor_divide, "mod": remainder, "pow": pow, "matmul": matmul,
               "and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor, "lshift": bitwise_left_shift, "rshift": bitwise_right_shift}
for _name, _function in _ARITHMETIC.items():
    _binary(f"__{_name}__", _function)
    _binary(f"__r{_name}__", _function, swap=True)
for _name, _function in {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}.items():
    _binary(f"__{_name}__", _function)
for _name, _form in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "and": "bitwise_and",
                     "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}.items():
    setattr(Tensor, f"__i{_name}__", getattr(Tensor, _form + "_"))
Tensor.__neg__, Tensor.__pos__, Tensor.__abs__, Tensor.__invert__ = neg, positive, abs, bitwise_not


@op(public=False, method=False)
class copy_into:
    """y = value, in x's shape and dtype        dvalue = g"""
    torch_name = "CopyBackwards"
    promote = None
    def forward(F, x, value): return value
    def grad_value(F, g): return g


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write another tensor's values into this one's memory; they broadcast, and are cast.

    Raises:
        BroadcastError, GradError, MemoryOverlapError (RuntimeErrors).
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.copy_.html
    """
    check_write(self, "copy_", src)
    src = expand(src, self._a.shape) if src._a.shape != self._a.shape else src
    overwrite(copy_into.op, self, (src.to(self.dtype),), src._a, {})
    return self


Tensor.copy_ = copy_

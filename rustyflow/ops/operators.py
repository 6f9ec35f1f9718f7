"""What Python's operators do to a tensor; square brackets are in `index`."""
from __future__ import annotations

from ..errors import ArgumentTypeError
from ..backends import backend
from ..tensor import Tensor
from .arithmetic import abs, add, mul, neg, positive, reciprocal, rsub, sub
from .compare import eq, ge, gt, le, lt, ne
from .division import div, floor_divide, remainder
# their methods are named below
from . import exponential, fill, hyperbolic, rounding, selection, trigonometry  # noqa: F401
from .linalg import matmul
from .logic import bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor
from .powers import pow
from .dispatch import binary
from .registry import PUBLIC


def _operand(value, x: Tensor) -> bool:
    """Whether an operator understands the other side, or leaves it to that side's own, as it does for an array."""
    if isinstance(value, (Tensor, float, int, bool)):
        return True
    return hasattr(value, "dtype") and hasattr(value, "ndim") and not isinstance(value, backend.Array)


def _factor(value, x: Tensor) -> bool:
    """As `_operand`, for *, where Python takes a tensor beside a list for how often to repeat the list."""
    if type(value) in (list, tuple) and (x._a.size != 1 or x._a.dtype.kind == "f"):
        raise ArgumentTypeError(f"{str(value)[:60]} * a tensor of {x.dtype!r}, shape {tuple(x.shape)}",
                                "only integer tensors of a single element can be converted to an index: beside *, a "
                                f"{type(value).__name__} is repeated, not multiplied",
                                f"rustyflow.tensor({value if len(str(value)) <= 60 else '...'}) in its place")
    return _operand(value, x)


def _binary(name, function, swap=False):
    understood = _factor if function is mul else _operand
    if function in (add, sub, mul, div, eq, ne, lt, le, gt, ge) and not swap:
        method = binary(function.op, understood)  # the commonest, without a layer between the operator and the op
    else:
        def method(self, other):
            if other.__class__ is not Tensor and not understood(other, self):
                return NotImplemented
            return function(other, self) if swap and function not in (add, mul) else function(self, other)
    method.__name__ = method.__qualname__ = name
    setattr(Tensor, name, method)


_ARITHMETIC = {
    "add": add, "sub": sub, "mul": mul, "truediv": div, "floordiv": floor_divide, "mod": remainder, "pow": pow,
    "matmul": matmul, "and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor,
    "lshift": bitwise_left_shift, "rshift": bitwise_right_shift,
}
for _name, _function in _ARITHMETIC.items():
    _binary(f"__{_name}__", _function)
    _binary(f"__r{_name}__", _function, swap=True)
    if _function is not matmul:
        setattr(Tensor, f"__i{_name}__", getattr(Tensor, _function.__name__ + "_"))
_binary("__rsub__", rsub)
_binary("__rtruediv__", lambda self, other: mul(reciprocal(self), other))  # as PyTorch divides a number
for _name, _function in {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}.items():
    _binary(f"__{_name}__", _function)
Tensor.__neg__, Tensor.__pos__, Tensor.__abs__ = neg, positive, abs


def _invert(self):
    if self._a.dtype.kind == "f":
        raise ArgumentTypeError(f"~ of a tensor of {self.dtype!r}",
                                "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                                "x == 0, or logical_not(x)")
    return bitwise_not(self)


Tensor.__invert__ = _invert

# PyTorch has these writes as functions too
for _name in ("abs acos acosh asin asinh atan atanh ceil clamp clamp_max clamp_min clip cos cosh erf erfc exp exp2 "
              "expm1 fill fix floor frac log log10 log1p log2 nan_to_num neg negative reciprocal relu round rsqrt "
              "sigmoid sin sinh sqrt square tan tanh trunc xlogy zero").split():
    PUBLIC[_name + "_"] = getattr(Tensor, _name + "_")

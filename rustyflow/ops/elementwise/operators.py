"""Python's operators on a tensor; square brackets are in `index`."""
from __future__ import annotations

from ...arguments.kinds import no_complex, not_a_tensor
from ...backends import backend
from ...dispatch import binary
from ...errors import ArgumentTypeError, kind_of, role_of
from ...tensor import Tensor
from ..matrix.linalg import matmul
from .arithmetic import abs, add, mul, neg, positive, reciprocal, rsub, sub
from .compare import eq, ge, gt, le, lt, ne
from .division import div, floor_divide, remainder
from .logic import bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or, bitwise_right_shift, bitwise_xor
from .powers import pow


def _operand(value, x: Tensor) -> bool:
    """True if an operator takes the other operand.

    If not, as for an array, that operand's own operator is tried.
    """
    if isinstance(value, (Tensor, float, int, bool)):
        return True
    return hasattr(value, "dtype") and hasattr(value, "ndim") and not isinstance(value, backend.Array)


_NEVER = {
    list: "rustyflow.tensor({0}) in its place",
    tuple: "rustyflow.tensor({0}) in its place",
    str: "float({0!r}), where it spells a number",
    type(None): "look where the None comes from: a function without return gives one",
}
"""What no operator takes beside a tensor, and what to write instead."""


def _term(value, x: Tensor) -> bool:
    """As `_operand`, but raise for an operand that no operator takes: Python's own error would only name the two types.
    """
    if _operand(value, x):
        return True
    if type(value) in _NEVER or role_of(value):
        raise ArgumentTypeError(f"a tensor of shape {tuple(x.shape)} and {_short(value)!r}",
                                f"unsupported operand type(s): 'Tensor' and '{kind_of(value)}'", _fix(value),
                                value=value)
    if isinstance(value, complex):
        raise no_complex("an operator", "other", value)
    return False


def _fix(value) -> str:
    if isinstance(value, (list, tuple)) and any(isinstance(part, Tensor) for part in value):
        return f"take one out of the {type(value).__name__}: t[0], or x, = ctx.saved_tensors"
    return _NEVER.get(type(value), "").format(_short(value))


def _short(value):
    return value if len(str(value)) <= 60 else "..."


def _before_plus(value, x: Tensor) -> bool:
    """As `_term`, but leave a list to its own operator: list += tensor appends the tensor's parts."""
    return type(value) is not list and _term(value, x)


def _factor(value, x: Tensor) -> bool:
    """As `_term`, for *, where Python repeats a list as often as a tensor beside it says."""
    if _operand(value, x):
        return True
    if type(value) in (list, tuple, str):
        _times(value, x)
        return False
    return _term(value, x)


def _times(value, x: Tensor) -> None:
    """Refuse to repeat a sequence by a tensor that is not one whole number."""
    if x._a.size != 1 or x._a.dtype.kind == "f":
        raise ArgumentTypeError(f"{_short(value)} * a tensor of {x.dtype!r}, shape {tuple(x.shape)}",
                                "only integer tensors of a single element can be converted to an index: beside *, a "
                                f"{kind_of(value)} is repeated, not multiplied", _fix(value), value=value)


_OTHERS = {mul: _factor, eq: _operand, ne: _operand}


def _binary(name, function, swap=False):
    takes = _OTHERS.get(function, _term) if not swap or function is not add else _before_plus
    if function in (add, sub, mul, div, eq, ne, lt, le, gt, ge) and not swap:
        method = binary(function.op, takes)  # for speed, with no layer between operator and op
    else:
        def method(self, other):
            if other.__class__ is not Tensor and not takes(other, self):
                return NotImplemented
            return function(other, self) if swap and function not in (add, mul) else function(self, other)
    method.__name__ = method.__qualname__ = name
    setattr(Tensor, name, method)


def _divides(self, other):
    """other / self, for a number, as PyTorch divides it."""
    if role_of(other):
        raise not_a_tensor("div", "input", other, number=True)
    return mul(reciprocal(self), other)


_ARITHMETIC = {
    "add": add, "sub": sub, "mul": mul, "truediv": div, "floordiv": floor_divide, "mod": remainder, "pow": pow,
    "matmul": matmul, "and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor,
    "lshift": bitwise_left_shift, "rshift": bitwise_right_shift,
}
_REFLECTED = {sub: rsub, div: _divides}
"""What stands for `other - self` and `other / self`; all else is the same function with its operands swapped."""

for _name, _function in _ARITHMETIC.items():
    _binary(f"__{_name}__", _function)
    _binary(f"__r{_name}__", _REFLECTED.get(_function, _function), swap=_function not in _REFLECTED)
    if _function is not matmul:
        setattr(Tensor, f"__i{_name}__", getattr(Tensor, _function.__name__ + "_"))
for _function in (eq, ne, lt, le, gt, ge):
    _binary(f"__{_function.__name__}__", _function)
Tensor.__neg__, Tensor.__pos__, Tensor.__abs__ = neg, positive, abs


def _invert(self):
    if self._a.dtype.kind == "f":
        raise ArgumentTypeError(f"~ of a tensor of {self.dtype!r}",
                                "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                                "x == 0, or logical_not(x)")
    return bitwise_not(self)


Tensor.__invert__ = _invert

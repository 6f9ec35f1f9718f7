"""What Python's operators and square brackets do to a tensor."""
from __future__ import annotations

from ..errors import IndexOutOfRange
from ..tensor import Tensor, check_write
from .elementwise import add, div, eq, ge, gt, le, lt, mul, ne, neg, pow, sub
from .linalg import matmul
from .registry import apply_inplace, op, overwrite
from .view import expand, select, slice as slice_view, unsqueeze


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


for _name, _function in {"add": add, "sub": sub, "mul": mul, "truediv": div, "pow": pow, "matmul": matmul}.items():
    _binary(f"__{_name}__", _function)
    _binary(f"__r{_name}__", _function, swap=True)
for _name, _function in {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}.items():
    _binary(f"__{_name}__", _function)
for _name, _function in {"iadd": add, "isub": sub, "imul": mul, "itruediv": div, "ipow": pow}.items():
    setattr(Tensor, f"__{_name}__", (lambda op_: lambda self, other: apply_inplace(op_, self, other))(_function.op))
Tensor.__neg__ = neg
Tensor.__pos__ = lambda self: self


@op(public=False, method=False)
class copy_into:
    """y = value, in x's shape and dtype        dvalue = g"""
    torch_name = "CopyBackwards"
    promote = None
    def forward(F, x, value): return value
    def grad_value(F, g): return g


def getitem(x: Tensor, index) -> Tensor:
    """x[index]: integers select, slices narrow, None adds an axis, ... stands for the axes not named."""
    parts = index if isinstance(index, tuple) else (index,)
    named = sum_named(parts)
    if named > x.ndim:
        raise IndexOutOfRange(f"{named} indices for shape {tuple(x.shape)}", f"too many indices for tensor of dimension {x.ndim}", f"at most {x.ndim}")
    dim = 0
    for k, part in enumerate(parts):
        if part is None:
            x, dim = unsqueeze(x, dim), dim + 1
        elif part is Ellipsis:
            dim += x.ndim - dim - sum_named(parts[k + 1:])
        elif isinstance(part, slice):
            x, dim = slice_view(x, dim, part.start, part.stop, part.step), dim + 1
        else:
            x = select(x, dim, part)
    return x


def sum_named(parts) -> int:
    """How many axes an index uses up."""
    return len([p for p in parts if p is not None and p is not Ellipsis])


Tensor.__getitem__ = getitem


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


def setitem(x: Tensor, index, value) -> None:
    """x[index] = value: a copy into the view that x[index] is."""
    from ..creation import tensor
    copy_(getitem(x, index), value if isinstance(value, Tensor) else tensor(value, dtype=x.dtype))


Tensor.__setitem__ = setitem

"""PyTorch's older way to say a dtype: `FloatTensor([1, 2])`, `x.type(LongTensor)`, `isinstance(x, BoolTensor)`."""
from __future__ import annotations

from numpy import integer

from ...dispatch import PUBLIC
from ...dtype import get_default_dtype
from ...errors import ArgumentTypeError
from ...tensor import Size, Tensor, alias_of
from ..elementwise.cast import TYPES
from ..views import alias
from . import empty, given_data, shape_of, tensor


def _made(cls, *data, device=None, **others):
    """Tensor(...): of sizes, of numbers, or over the memory of another."""
    data = given_data(cls.__name__, data, device, others)
    first = data[0] if len(data) == 1 else None
    if isinstance(first, Tensor):
        made = alias(first)
    elif hasattr(first, "__len__") and not isinstance(first, Size):
        made = tensor(first, dtype=get_default_dtype())
    else:
        made = empty(shape_of(data or (0,), cls.__name__))
    if cls is Tensor:
        return made
    out = alias_of(made, cls)
    out._history = made._history
    return out


Tensor.__new__ = staticmethod(_made)


class _Typed(type):
    def __call__(cls, *data, device=None, **others):
        data = given_data(cls.__name__, data, device, others)
        first = data[0] if data else 0
        if isinstance(first, cls) and len(data) == 1:
            return alias(first)
        if isinstance(first, (int, integer, Size)):
            return empty(*data or (0,), dtype=cls.dtype)
        if len(data) > 1 or isinstance(first, (Tensor, dict)) or not hasattr(first, "__len__"):
            raise ArgumentTypeError(f"{cls.__name__}({', '.join(map(repr, data)):.60})",
                                    f"{cls.__name__}() takes sizes, a sequence, or a tensor of {cls.dtype.name}",
                                    f"rustyflow.tensor([...], dtype={cls.dtype!r}), or x.to({cls.dtype!r})",
                                    value=data)
        return tensor(first, dtype=cls.dtype)

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and x.dtype is cls.dtype


for _dtype, _said in TYPES.items():
    _name = _said.rpartition(".")[2]
    PUBLIC[_name] = vars()[_name] = _Typed(_name, (), {"dtype": _dtype, "__module__": __name__, "__doc__": f"""\
A tensor of {_dtype.name}, from data, or of a shape and not filled. The newer way is `tensor(data, dtype=...)`.

    Every tensor of that dtype is an instance.
    Source: https://pytorch.org/docs/stable/tensors.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.{_name}([0, 1])
        >>> x.dtype, isinstance(x, rf.{_name}), rf.{_name}(2, 3).shape
        ({_dtype!r}, True, rustyflow.Size([2, 3]))
    """})

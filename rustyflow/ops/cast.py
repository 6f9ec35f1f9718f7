"""Other dtypes of the same values."""
from __future__ import annotations

from .. import dtype as dt
from ..backends import backend
from ..dtype import as_dtype, dtype
from ..errors import AbsentError, ArgumentTypeError
from ..tensor import Tensor
from .registry import apply, function, op


@op(public=False, method=False)
class to_dtype:
    """y = x in another dtype        dx = g in x's dtype"""
    torch_name = "ToCopyBackward0"
    def forward(F, x, *, to): return F.cast(F.dense(x), to)
    def grad_x(F, g, *, to): return g


@function(public=False)
def to(input, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    """Another dtype, given as `dtype`, by position, or as another tensor's; the tensor itself where nothing is to do.

    Raises:
        AbsentError (a NotImplementedError): a device other than the CPU.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.to.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 0]).to(rf.bool)
        tensor([ True, False])
    """
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, str):
            device = arg
        elif isinstance(arg, bool):
            copy = copy or arg and arg is args[-1]
        elif arg is not None:
            dtype = as_dtype(arg)
    if device is not None and str(device).split(":")[0] != "cpu":
        raise AbsentError(f"to({str(device)!r})", "rustyflow computes on the CPU only", "leave the device out")
    d = input.dtype if dtype is None else as_dtype(dtype)
    if d is input.dtype:
        return input.clone() if copy else input
    return apply(to_dtype.op, input, to=d.numpy)


def _caster(name, d):
    def cast(self):
        return to(self, d)
    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The values as {d.name}; the tensor itself when they are."
    setattr(Tensor, name, cast)


for _name, _d in {"float": dt.float32, "double": dt.float64, "half": dt.float16, "long": dt.int64, "int": dt.int32, "short": dt.int16,
                  "char": dt.int8, "byte": dt.uint8, "bool": dt.bool}.items():
    _caster(_name, _d)

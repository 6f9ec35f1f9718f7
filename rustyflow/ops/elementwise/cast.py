"""Other dtypes of the same values."""
from __future__ import annotations

import builtins

from ...dispatch import apply, collect, function, need_tensors, op
from ...dtype import NAMED as dt, as_dtype, dtype as dtype_type
from ...errors import ArgumentTypeError, ArgumentValueError
from ...tensor import Tensor
from ...tensor.device import device as device_type, need_cpu
from ...tensor.memory_format import is_row_major


@op(public=False, method=False)
class to_dtype:
    """y = cast(x, to)        dx = g

    In another dtype; the gradient in x's own.
    """
    torch_name = "ToCopyBackward0"
    def forward(F, x, *, to): return F.cast(x, to)
    def grad_x(F, g, *, to): return g


@function(public=False)
def to(input, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    """Another dtype, given as `dtype`, by position, or as another tensor's; the tensor itself where nothing is to do.

    Positions: a dtype, a device or a tensor, then non_blocking and copy.
    Raises: AbsentError (a NotImplementedError): a device other than the CPU. DeviceError (a RuntimeError): no device at
    all.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.to.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 0]).to(rf.bool)
        tensor([ True, False])
    """
    if len(args) == 1 and dtype is device is None and (kind := args[0].__class__) in (dtype_type, Tensor, str):
        first = args[0]  # as nearly always
        dtype, device = (None, first) if kind is str else (first if kind is dtype_type else first.dtype, None)
    elif args:
        dtype, device, copy = _asked_for(args, dtype, device, copy, non_blocking)
    d = input.dtype if dtype is None else as_dtype(dtype)
    if device is not None:
        need_cpu(device)
    return _cast("to", input, d, memory_format, copy)


def _cast(name, input, d, memory_format=None, copy=False):
    """The values in a dtype; in row-major order where that is asked for, and a copy is made at all."""
    ordered = memory_format is not None and is_row_major(name, memory_format)
    if d is input.dtype:
        return input.clone(memory_format=memory_format) if copy else input
    made = apply(to_dtype.op, input, to=d.numpy)
    return made.contiguous() if ordered else made


def _asked_for(args, dtype, device, copy, non_blocking):
    """The dtype, the device and the copy flag from the positional arguments of `to`.

    They are a tensor, a dtype (or a number, which stands for its type), or a device and a dtype; then the two flags.

    Raises:
        ArgumentTypeError (a TypeError): they do not go together, or one is given twice.
    """
    first = args[0]
    if isinstance(first, Tensor):
        places = ["dtype of", "non_blocking", "copy"]
    elif isinstance(first, (dtype_type, builtins.type, bool, float)) or (
            isinstance(first, int) and len(args) > 1 and args[1].__class__ is bool):
        places = ["dtype", "non_blocking", "copy"]
    elif first is None or isinstance(first, (str, device_type, int)):
        places = ["device", "dtype", "non_blocking", "copy"]
    else:
        places = []
    given = dict(zip(places, args))
    named = {"device": device, "dtype": dtype, "non_blocking": non_blocking or None, "copy": copy or None}
    both = [key for key, value in named.items() if value is not None
            and (key in given or key == "device" or key == "dtype" and "dtype of" in given)]
    flags = [given[key] for key in ("non_blocking", "copy") if key in given]
    if len(args) > len(places) or both or not all([isinstance(flag, bool) for flag in flags]):
        shown = [*[f"{arg!r:.30}" for arg in args], *[f"{key}={named[key]!r:.30}" for key in both]]
        raise ArgumentTypeError(f"to({', '.join(shown)})", "to() takes a dtype, a tensor, or a device and a dtype, "
                                "each once; then True or False for non_blocking and copy",
                                "x.to(dtype), x.to(other) or x.to('cpu', dtype)", value=[*args, *named.values()])
    d = given.get("dtype", dtype)
    if "dtype of" in given:
        d = first.dtype
    elif d is first and isinstance(first, (bool, float, int)):
        d = first.__class__
    return d, given.get("device", device), copy or given.get("copy", False)


@function(public=False)
def cpu(input, *, memory_format=None):
    """The tensor itself: it is on the CPU.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.cpu.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(1)
        >>> x.cpu() is x
        True
    """
    is_row_major("cpu", memory_format)
    return input


@function(public=False)
def type_as(input, other):
    """The values in another tensor's dtype; the tensor itself when they are.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.type_as.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).type_as(rf.tensor(0.5))
        tensor([1., 2.])
    """
    need_tensors("type_as", other=other)
    return to(input, other.dtype)


_CASTS = {"float": dt.float32, "double": dt.float64, "half": dt.float16, "long": dt.int64, "int": dt.int32,
          "short": dt.int16, "char": dt.int8, "byte": dt.uint8, "bool": dt.bool}
_NAMES = {f"rustyflow.{name.capitalize()}Tensor": d for name, d in _CASTS.items()}
TYPES = {d: name for name, d in _NAMES.items()}


@function(public=False)
def type(input, dtype=None, non_blocking=False, *, memory_format=None):
    """Without an argument the tensor's type as a word; else the values in a dtype.

    The dtype may be said by such a word, or by FloatTensor and its kin.
    Raises: ArgumentValueError (a ValueError): a word that is no type.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.type.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1.5])
        >>> x.type(), x.type(rf.int32)
        ('rustyflow.FloatTensor', tensor([1], dtype=rustyflow.int32))
    """
    if dtype is None:
        return TYPES[input.dtype]
    if not isinstance(dtype, Tensor):
        dtype = getattr(dtype, "dtype", dtype)
    if isinstance(dtype, builtins.type):
        raise ArgumentValueError(f"type({dtype.__name__})", f"invalid type: '{dtype.__name__}'",
                                 "x.to(rustyflow.float32)")
    if not isinstance(dtype, (str, dtype_type)):
        raise ArgumentTypeError(f"type({dtype!r:.40})", "dtype must be a type, str, or dtype object",
                                "x.to(rustyflow.float32)", value=dtype)
    if isinstance(dtype, str):
        ours = dtype.replace("torch.", "rustyflow.", 1)  # a program's words are the same under either import
        if ours not in _NAMES:
            raise ArgumentValueError(f"type({dtype!r})", f"invalid type: {dtype!r}", "x.to(rustyflow.float32)")
        dtype = _NAMES[ours]
    return _cast("type", input, as_dtype(dtype), memory_format)


@function(method=False)
def is_tensor(obj):
    """True if something is a tensor.

    Source: https://pytorch.org/docs/stable/generated/torch.is_tensor.html

    Example:
        >>> import rustyflow as rf
        >>> rf.is_tensor(rf.zeros(1)), rf.is_tensor([0.])
        (True, False)
    """
    return isinstance(obj, Tensor)


@function(method=False)
def is_floating_point(input):
    """True if the tensor's dtype is a floating one.

    Source: https://pytorch.org/docs/stable/generated/torch.is_floating_point.html

    Example:
        >>> import rustyflow as rf
        >>> rf.is_floating_point(rf.zeros(1)), rf.is_floating_point(rf.tensor([1]))
        (True, False)
    """
    return _asked("is_floating_point", input).is_floating_point()


@function(method=False)
def is_complex(input):
    """True if the tensor's dtype is a complex one: never, rustyflow has none.

    Source: https://pytorch.org/docs/stable/generated/torch.is_complex.html

    Example:
        >>> import rustyflow as rf
        >>> rf.is_complex(rf.zeros(1))
        False
    """
    return _asked("is_complex", input).is_complex()


@function
def is_nonzero(input):
    """True if the one number of a tensor is not 0.

    Raises: ShapeError (a RuntimeError): more or fewer numbers than one.
    Source: https://pytorch.org/docs/stable/generated/torch.is_nonzero.html

    Example:
        >>> import rustyflow as rf
        >>> rf.is_nonzero(rf.tensor([0.]))
        False
    """
    return bool(_asked("is_nonzero", input))


@function(method=False)
def numel(input):
    """The number of a tensor's cells.

    Source: https://pytorch.org/docs/stable/generated/torch.numel.html

    Example:
        >>> import rustyflow as rf
        >>> rf.numel(rf.zeros(3, 4))
        12
    """
    return _asked("numel", input).numel()


def _asked(name, x):
    need_tensors(name, input=x)
    return x


def _caster(name, d):
    def cast(self, *, memory_format=None):
        return _cast(name, self, d, memory_format)
    cast.__name__, cast.__qualname__ = name, f"Tensor.{name}"
    shown = "[True, True]" if d is dt.bool else "[1.5000, 2.0000]" if d.is_floating_point else "[1, 2]"
    named = "" if d in (dt.float32, dt.int64, dt.bool) else f", dtype={d!r}"
    cast.__doc__ = f"""The values as {d.name}; the tensor itself when they are.

    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1.5, 2.]).{name}()
        tensor({shown}{named})"""
    setattr(Tensor, name, cast)
    collect(cast)


for _name, _d in _CASTS.items():
    _caster(_name, _d)

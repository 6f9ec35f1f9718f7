"""Element types, the default dtype, and which dtype mixed operands get: PyTorch's rules, not NumPy's.

Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
"""
from __future__ import annotations

import builtins
from types import SimpleNamespace
from typing import Any

import numpy as np

from .errors import AbsentError, ArgumentTypeError, DTypeError, wrong_type
from .errors.foreign import kind_of

ALL: tuple[dtype, ...] = ()


class dtype:
    """An element type, such as `rustyflow.float32`.

    Attributes: `name`, `itemsize` in bytes, `is_floating_point`, `is_complex` (always False), `is_signed`, `numpy` (the
    NumPy dtype).
    Differs from PyTorch: no complex, quantized or bfloat16 dtypes.
    Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype

    Example:
        >>> import rustyflow as rf
        >>> rf.float32, rf.float32.itemsize, rf.int64.is_floating_point
        (rustyflow.float32, 4, False)
    """

    __module__ = "rustyflow"  # as print(type(x.dtype)) says
    __slots__ = ("name", "numpy", "itemsize", "is_floating_point", "is_signed", "category")
    is_complex = False

    def __new__(cls, *names):
        if ALL:
            raise ArgumentTypeError(f"dtype({', '.join(map(repr, names)):.60})",
                                    "cannot create 'rustyflow.dtype' instances: all there are have names",
                                    "rustyflow.float32, rustyflow.int64 ...", value=names)
        return super().__new__(cls)

    def __init__(self, name: str):
        self.name, self.numpy = name, np.dtype(name)
        self.itemsize, kind = self.numpy.itemsize, self.numpy.kind
        self.is_floating_point, self.is_signed = kind == "f", kind in "fi"
        self.category = {"b": 0, "u": 1, "i": 1, "f": 2}[kind]

    def __repr__(self):
        return f"rustyflow.{self.name}"

    def __reduce__(self):
        return self.name


float64, float32, float16 = dtype("float64"), dtype("float32"), dtype("float16")
int64, int32, int16, int8, uint8 = dtype("int64"), dtype("int32"), dtype("int16"), dtype("int8"), dtype("uint8")
bool = dtype("bool")
double, float, half, long, int, short = float64, float32, float16, int64, int32, int16
ALL = (float64, float32, float16, int64, int32, int16, int8, uint8, bool)
NAMED = SimpleNamespace(**{d.name: d for d in ALL})  # for modules in which float, int and bool are Python's
OF_NUMPY = {d.numpy: d for d in ALL}
OF_PYTHON = {builtins.float: float32, builtins.int: int64, builtins.bool: bool}
_default = float32


def named(name: Any) -> dtype:
    """The dtype of a name, which is written in a file.

    Raises:
        ArgumentTypeError (a TypeError): there is none.

    Example:
        >>> named("int16")
        rustyflow.int16
    """
    found = [d for d in ALL if d.name == name]
    if not found:
        raise ArgumentTypeError(f"a dtype named {name!r:.60}", "there is no such dtype", "'float32', or 'int64'")
    return found[0]


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats.

    Source: https://pytorch.org/docs/stable/generated/torch.get_default_dtype.html

    Example:
        >>> import rustyflow as rf
        >>> rf.get_default_dtype()
        rustyflow.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Choose the dtype of tensors made from Python floats; a floating one.

    Raises:
        ArgumentTypeError (a TypeError): not a floating dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.set_default_dtype.html

    Example:
        >>> import rustyflow as rf
        >>> rf.set_default_dtype(rf.float64); rf.get_default_dtype()
        rustyflow.float64
        >>> rf.set_default_dtype(rf.float32)
    """
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise ArgumentTypeError(f"set_default_dtype({d!r})",
                                "only floating-point types are supported as the default type",
                                "rustyflow.float32 or rustyflow.float64", value=d)
    _default = d


def as_dtype(d: Any, name: str = "") -> dtype:
    """A dtype from a dtype, a Python type, or a NumPy dtype.

    The function that it stands in without a word is `name`.

    Raises:
        ArgumentTypeError (a TypeError): anything else. DTypeError: a NumPy dtype that rustyflow lacks.
        AbsentError (a NotImplementedError): complex.

    Example:
        >>> as_dtype(int32), as_dtype(np.dtype("float16"))
        (rustyflow.int32, rustyflow.float16)
    """
    if isinstance(d, dtype):
        return d
    if isinstance(d, type) and d in OF_PYTHON:
        return float64 if d is builtins.float else OF_PYTHON[d]  # a type is its own width; only a number is weak
    if isinstance(d, np.dtype):
        if d.newbyteorder("=") in OF_NUMPY:
            return OF_NUMPY[d.newbyteorder("=")]
        raise ArgumentTypeError(f"an array of dtype {d}",
                                "can't convert np.ndarray of that type. The only supported types are: "
                                + ", ".join(t.name for t in ALL), "convert it first, e.g. array.astype('float32')")
    if d is complex:
        raise AbsentError("dtype=complex", "rustyflow has no complex dtypes",
                          "keep real and imaginary parts in two tensors")
    raise ArgumentTypeError(f"{name}(...{d!r:.60}...)" if name else f"dtype={d!r:.60}",
                            "dtype must be a rustyflow.dtype", "e.g. rustyflow.float32", value=d)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both convert to; a float stays its own size beside integers, unlike in NumPy.

    Source: https://pytorch.org/docs/stable/generated/torch.promote_types.html

    Example:
        >>> import rustyflow as rf
        >>> rf.promote_types(rf.float32, rf.int64), rf.promote_types(rf.uint8, rf.int8)
        (rustyflow.float32, rustyflow.int16)
    """
    type1, type2 = as_dtype(type1, "promote_types"), as_dtype(type2, "promote_types")
    if type1 is type2:
        return type1
    if type1.category != type2.category:
        return type1 if type1.category > type2.category else type2
    return OF_NUMPY[np.promote_types(type1.numpy, type2.numpy)]


def common_dtype(*operands: Any) -> dtype:
    """The dtype in which operands meet: tensors with axes decide, 0-d tensors and numbers only lift the category.

    Args:
        operands: tensors (anything with `dtype` and `ndim`), or Python numbers.

    Example:
        >>> common_dtype(2), common_dtype(True, 3, 2.5)
        (rustyflow.int64, rustyflow.float32)
    """
    ranks: list[dtype | None] = [None, None, None]
    unsigned = False
    for operand in operands:
        rank, d = 2, OF_PYTHON.get(type(operand))
        if d is float32:
            d = _default
        elif d is int64:
            unsigned = unsigned or 1 << 63 <= operand < 1 << 64
        elif d is None:
            if not hasattr(operand, "dtype"):
                raise ArgumentTypeError(f"result_type of {operand!r:.60}",
                                        f"operands are tensors and numbers, not {kind_of(operand)}",
                                        "wrap it: rustyflow.tensor(...)", value=operand)
            d, rank = as_dtype(operand.dtype), 0 if operand.ndim else 1
        had = ranks[rank]
        ranks[rank] = d if had is None else promote_types(had, d)
    common = _combine(ranks[0], _combine(ranks[1], ranks[2]))
    if unsigned and common is int64 and bool in ranks:
        raise DTypeError("bools and a number of 64 bits", "Promotion for uint16, uint32, uint64 types is not "
                         "supported, attempted to promote Bool and UInt64", "a number below 2 ** 63; or x.long()")
    return common


def _combine(strong: dtype | None, weak: dtype | None) -> Any:
    if strong is None or weak is None:
        return strong or weak
    if strong.category == 2 or (strong.category == 1 and weak.category < 2):
        return strong
    return promote_types(strong, weak)


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """True if an in-place result of dtype `from_` may be written into a tensor of dtype `to`.

    Source: https://pytorch.org/docs/stable/generated/torch.can_cast.html

    Example:
        >>> import rustyflow as rf
        >>> rf.can_cast(rf.float64, rf.float32), rf.can_cast(rf.float32, rf.int64), rf.can_cast(rf.bool, rf.uint8)
        (True, False, True)
    """
    return as_dtype(from_, "can_cast").category <= as_dtype(to, "can_cast").category


class finfo:
    """Limits of a floating dtype, or the default one: eps, min, max, tiny, smallest_normal, resolution, bits.

    Raises:
        ArgumentTypeError (a TypeError): the dtype is not floating.
    Source: https://pytorch.org/docs/stable/type_info.html

    Example:
        >>> import rustyflow as rf
        >>> rf.finfo(rf.float32).eps, rf.finfo(rf.float32).resolution
        (1.1920928955078125e-07, 1e-06)
    """

    def __init__(self, type: Any = ...):
        d = _default if type is ... else _limited("finfo", type)
        if not d.is_floating_point:
            raise ArgumentTypeError(f"finfo({d!r})", "rustyflow.finfo() requires a floating point input type",
                                    "use iinfo for integers")
        info = np.finfo(d.numpy)
        self.dtype, self.bits, self.resolution = d.name, info.bits, 10.0 ** -info.precision
        for name in ("eps", "min", "max", "tiny", "smallest_normal"):
            setattr(self, name, builtins.float(getattr(info, name)))

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    __hash__ = None

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """Limits of an integer dtype: min, max, bits.

    Raises:
        ArgumentTypeError (a TypeError): the dtype is not an integer one.
    Source: https://pytorch.org/docs/stable/type_info.html

    Example:
        >>> import rustyflow as rf
        >>> rf.iinfo(rf.uint8), rf.iinfo(rf.int64).max
        (iinfo(min=0, max=255, dtype=uint8), 9223372036854775807)
    """

    def __init__(self, type: dtype):
        d = _limited("iinfo", type)
        if d.category != 1:
            raise ArgumentTypeError(f"iinfo({d!r})", "rustyflow.iinfo() requires an integer input type",
                                    "use finfo for floats")
        info = np.iinfo(d.numpy)
        self.dtype, self.bits, self.min, self.max = d.name, info.bits, builtins.int(info.min), builtins.int(info.max)

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    __hash__ = None

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _limited(name: str, type: Any) -> dtype:
    """The dtype whose limits are asked for. Python's types stand for its own: float for float64, int for int64.

    Raises:
        ArgumentTypeError (a TypeError): no dtype.
    """
    d = OF_PYTHON.get(type, type) if isinstance(type, builtins.type) else type
    if type is builtins.float:
        d = float64
    if not isinstance(d, dtype):
        raise wrong_type(name, "type", type, "rustyflow.dtype", "e.g. rustyflow.float32")
    return d


def refuse(op: str, d: dtype, need: str, fix: str = "convert first, e.g. x.float()") -> DTypeError:
    """The error for an op that cannot take a dtype.

    Example:
        >>> print(refuse("mean", int64, "a floating dtype"))
        mean of a tensor of rustyflow.int64
        rule: mean needs a floating dtype
        try:  convert first, e.g. x.float()
    """
    return DTypeError(f"{op} of a tensor of {d!r}", f"{op} needs {need}", fix, dtype=d)

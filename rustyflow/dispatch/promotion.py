"""The operands of an op as arrays of the dtype it computes in, and errors for others."""
from __future__ import annotations

from ..arguments.kinds import has_no_axes, no_complex, not_a_tensor
from ..arguments.numbers import too_long
from ..backends import backend
from ..dtype import OF_PYTHON, common_dtype, dtype, get_default_dtype, refuse
from ..errors import DTypeError, UnsupportedDTypeError
from ..layout import broadcast_shapes
from ..tensor import Tensor
from .operation import Op


def promoted(it: Op, operands: tuple) -> list:
    """The operands as arrays of one dtype (or as they are); None stays None, Python numbers become 0-d arrays.

    Raises:
        ArgumentTypeError (a TypeError): no tensor and no number where one must be.
        DTypeError (a RuntimeError), UnsupportedDTypeError (a NotImplementedError): a dtype the op does not take.
    """
    if it.promote is not None and (arrays := _alike(it, operands)) is not None:
        return arrays
    for k, x in enumerate(operands):
        if not isinstance(x, Tensor):
            name = it.operands[k] if k < len(it.operands) else ""
            if x is None and name in it.optional:
                continue
            if not any(isinstance(o, Tensor) for o in operands) if it.tensors == "some" else name in it.tensors:
                raise not_a_tensor(it.called, it.arguments[k], x)
            if isinstance(x, complex):
                raise no_complex(it.called, it.arguments[k], x)
            if type(x) not in OF_PYTHON:
                if getattr(x, "dtype", None) is None or not has_no_axes(x):
                    raise not_a_tensor(it.called, it.arguments[k], x, number=True)
                plain = float(x) if x.dtype == "bool" else x.item()  # PyTorch takes a NumPy bool for a float
                operands = operands[:k] + (plain,) + operands[k + 1:]
    if it.promote is None:
        if it.fit != "biuf":
            for x in operands:
                if isinstance(x, Tensor) and x._a.dtype.kind not in it.fit:
                    raise unfit(it, x.dtype)
        return [x._a if isinstance(x, Tensor) else x for x in operands]
    together = [x for k, x in enumerate(operands) if x is not None and k not in it.apart]
    common = common_dtype(*together)
    if it.promote == "float" and not common.is_floating_point:
        common = get_default_dtype()
    elif (common.numpy.kind not in it.takes
          or it.refuses and any(common_dtype(x).numpy.kind in it.refuses for x in together)):
        broadcast_shapes(*[x._a.shape for x in together if isinstance(x, Tensor)])
        for x in together:
            if not isinstance(x, Tensor):
                constant(x, common)  # a number that is too large raises before the dtype does
        refused = (d for d in map(common_dtype, together) if d.numpy.kind in it.refuses)
        raise unfit(it, next(refused, common))
    return [None if x is None
            else x._a if k in it.apart
            else _cast(x._a, common.numpy) if isinstance(x, Tensor)
            else constant(x, it.beside[common.numpy])
            for k, x in enumerate(operands)]


def _cast(a, d):
    """An array in the common dtype; what is too large for that becomes infinite, without NumPy's warning."""
    return a if a.dtype is d else backend.quiet().run(backend.cast, a, d)


def _alike(it: Op, operands: tuple) -> list | None:
    """The arrays in the common case: tensors of one dtype, and numbers of its category; None in any other case."""
    arrays: list = []
    numbers, d, apart = [], None, it.apart
    for k, x in enumerate(operands):
        if isinstance(x, Tensor):
            x = x._a
            if k not in apart:
                if d is None:
                    d = x.dtype
                elif d is not x.dtype:
                    return None
        elif k in apart:
            return None
        else:
            numbers.append(k)
        arrays.append(x)
    if d is None or d.kind not in (it.fit if it.promote == "common" else "f"):
        return None
    for k in numbers:
        x = arrays[k]
        if it.variadic or it.tensors != "some" and it.operands[k] in it.tensors:
            return None
        if x.__class__ is float and d.kind == "f" or x.__class__ is int and d.kind in "if":
            arrays[k] = constant(x, it.beside[d])
        elif x is not None or it.operands[k] not in it.optional:
            return None
    return arrays


_NEEDS = {
    "iuf": ("numbers, not bools", "convert first, e.g. x.int(); or ~, ^, & and | for bools"),
    "f": ("a floating dtype", "convert first, e.g. x.float()"),
    "biu": ("whole numbers or bools", "brackets around comparisons: (x > 2) & (x < 5); x.long() for bits of numbers"),
    "iu": ("whole numbers", "convert first, e.g. x.long()"),
}
"""By the kinds that an op takes: what dtypes these are, and how to get one."""


def unfit(it: Op, d: dtype) -> DTypeError:
    """The error for a dtype that an op does not take, of the type PyTorch raises."""
    error = refuse(it.called, d, *_NEEDS[it.fit])
    return error if it.refuses else UnsupportedDTypeError(error.was, error.rule, error.fix)


def constant(x, d: dtype):
    """A Python number as a 0-d array of a dtype; integers wrap around as in PyTorch, large floats become infinite.

    Raises:
        NumberError (an OverflowError): a whole number of more than 64 bits.
    """
    if isinstance(x, int) and not -1 << 63 <= x < 1 << 64:
        raise too_long(x)
    if d.category == 1 and isinstance(x, int):
        bits = 8 * d.itemsize
        x = x & ((1 << bits) - 1)
        if d.is_signed and x >> (bits - 1):
            x -= 1 << bits
    if -65504 <= x <= 65504:
        return backend.from_data(x, d.numpy)
    return backend.quiet().run(backend.from_data, x, d.numpy)

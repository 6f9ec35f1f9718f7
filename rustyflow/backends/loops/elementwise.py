"""One number at a time: what each function gives for each cell. Shapes broadcast; Python numbers take on the arrays'
dtype.
"""

from __future__ import annotations

import math
import operator
from math import inf

from ...dtype import OF_NUMPY, float64, promote_types
from ...errors import DivisionError
from ...layout import broadcast_shapes
from .. import refuse_foreign
from . import scalar
from .array import Array, empty, write
from .buffer import boolean, int64
from .memory import filled
from .number import Traced, lifted


def each(f, *operands, dtype=None) -> Array:
    """f of every cell: read the operands' cells, compute, write."""
    common, arrays = _common(operands), [x for x in operands if isinstance(x, Array)]
    out = _ordered(broadcast_shapes(*[x.shape for x in arrays]), dtype or common, arrays)
    numbers = [x if isinstance(x, Array) else filled((), x, common) for x in operands]
    f = lifted(f)
    for slot, at in zip(out.slots, zip(*[x.expand(out.shape).slots for x in numbers])):
        out.buffer.write(slot, f(*[x.buffer.read(source) for x, source in zip(numbers, at)]))
    return out


def _ordered(shape, dtype, arrays) -> Array:
    """Fresh memory whose axes lie as those of the first array of that shape, so that columns stay columns."""
    like = next((a for a in arrays if a.shape == shape), None)
    if like is None or like.flags.c_contiguous or 0 in like.stride:
        return empty(shape, dtype)
    order = sorted(range(len(shape)), key=lambda d: -like.stride[d])
    lying = empty([shape[d] for d in order], dtype)
    return lying.transpose(sorted(range(len(shape)), key=order.__getitem__)).owned()


def _common(operands):
    """The dtype of arrays together; a Python float beside whole numbers makes float64."""
    found = None
    for x in operands:
        if isinstance(x, Array):
            found = OF_NUMPY[x.dtype] if found is None else promote_types(found, OF_NUMPY[x.dtype])
        elif getattr(x, "ndim", 0):
            refuse_foreign(x)
    if found.category < 2 and any(isinstance(x, float) for x in operands):
        found = float64
    if found.category == 0 and any(type(x) is int for x in operands):
        return int64
    return found.numpy


def _unary(f, dtype=None):
    return lambda a: each(f, a, dtype=dtype)


def _binary(f, dtype=None):
    return lambda a, b: each(f, a, b, dtype=dtype)


sqrt, exp, exp2, expm1 = (_unary(scalar.real(f)) for f in (math.sqrt, math.exp, scalar.exp2, math.expm1))
log, log2, log10 = (_unary(scalar.logarithm(f, 0.0)) for f in (math.log, math.log2, math.log10))
log1p = _unary(scalar.logarithm(math.log1p, -1.0))
sin, cos, tan = (_unary(scalar.real(f)) for f in (math.sin, math.cos, math.tan))
asin, acos, atan = (_unary(scalar.real(f)) for f in (math.asin, math.acos, math.atan))
sinh, tanh, asinh = (_unary(scalar.odd(f)) for f in (math.sinh, math.tanh, math.asinh))
cosh, acosh, atanh = _unary(scalar.real(math.cosh)), _unary(scalar.real(math.acosh)), _unary(scalar.at_ends(math.atanh))
erf, erfc = _unary(math.erf), _unary(math.erfc)
abs, neg, square = _unary(operator.abs), _unary(operator.neg), _unary(lambda x: x * x)
sign = _unary(scalar.sign)
floor, ceil, trunc, round = (_unary(scalar.towards(math.floor)), _unary(scalar.towards(math.ceil)),
                             _unary(scalar.towards(math.trunc)),
                             _unary(scalar.rint))


def round_to(a, unit, up):
    return round(a * unit) / unit if up else round(a / unit) * unit


isnan, isinf, isfinite = (_unary(f, boolean) for f in (math.isnan, math.isinf, math.isfinite))
maximum, minimum = _binary(scalar.larger), _binary(scalar.smaller)
fmax = _binary(lambda x, y: y if x != x else x if y != y else max(x, y))
fmin = _binary(lambda x, y: y if x != x else x if y != y else min(x, y))
gcd, lcm = _binary(math.gcd), _binary(math.lcm)
copysign, signbit = _binary(math.copysign), _unary(scalar.signbit, boolean)
atan2, hypot = _binary(math.atan2), _binary(math.hypot)
fmod = _binary(scalar.fmod)
remainder = _binary(scalar.remainder)
logical_not = _unary(operator.not_, boolean)
logical_and, logical_or = _binary(scalar.logical_and, boolean), _binary(scalar.logical_or, boolean)
logical_xor = _binary(scalar.logical_xor, boolean)
add, multiply = _binary(operator.add), _binary(operator.mul)


def relu(x, out=None):
    return _written(maximum(x, 0), out)


def _written(a, out):
    """The array, or `out` once it is written there."""
    if out is not None:
        write(out, a)
    return a if out is None else out


def constant_in(g, x):
    return g


def heaviside(a, values):
    return where(a == 0, values, (a > 0).astype(a.dtype))


def where(condition, a, b):
    dtype = _common([x for x in (a, b) if isinstance(x, Array)] or [condition, a, b])
    return each(lambda c, x, y: x if c else y, condition, a, b, dtype=dtype)


def rsqrt(a):
    return 1 / sqrt(a)


def sigmoid(a):
    return 1 / (1 + exp(-a))


def clamp(a, low, high, out=None):
    a = a if low is None else maximum(a, low)
    return _written(a if high is None else minimum(a, high), out)


def frac(a):
    return a - trunc(a)


def lerp(a, b, weight):
    step = b - a
    return where(abs(weight) < 0.5, a + weight * step, b - step * (1 - weight))


def xlogy(a, b):
    return where(logical_and(a == 0, logical_not(isnan(b))), 0.0, a * log(b))


logaddexp = _binary(scalar.log_of_sum)


def pow(a, b):
    """Small powers by multiplication and roots, as the numpy backend has them."""
    quick = {2: lambda: a * a, 3: lambda: a * a * a, 0.5: lambda: sqrt(a), -0.5: lambda: 1 / sqrt(a),
             -1: lambda: 1 / a, -2: lambda: 1 / (a * a)}
    known = isinstance(b, Array) and not b.ndim and (b.dtype.kind == "f" or b.item() in (2, 3))
    known = known and not isinstance(b.buffer.cells[b.offset], Traced)  # an exponent that is followed stays one
    return quick.get(b.item(), lambda: each(scalar.power, a, b))() if known else each(scalar.power, a, b)


def raised(a, n):
    return a if n == 1 else pow(a, filled((), n, a.dtype))


def nan_to_num(a, nan, posinf, neginf):
    top = {"float64": 1.7976931348623157e308, "float32": 3.4028234663852886e38, "float16": 65504.0}.get(a.dtype.name, 0)
    ends = {inf: top if posinf is None else posinf, -inf: -top if neginf is None else neginf}
    return each(lambda x: nan if x != x else ends.get(x, x), a)


def isclose(a, b, rtol, atol, equal_nan):
    def isclose(x, y):
        if x == y or equal_nan and x != x and y != y:
            return True
        return math.isfinite(x - y) and operator.abs(x - y) <= atol + operator.abs(rtol * y)

    return each(isclose, a, b, dtype=boolean)


def divisible(a, b):
    """The dividend, once the divisor is known to be fit; to look whether it is, is no event."""
    zeros = 0 if b.dtype.kind == "f" else sum(not b.buffer.cells[slot] for slot in b.slots)
    if zeros:
        raise DivisionError(f"{b.dtype.name} divisor with {zeros} zero(s)",
                            "ZeroDivisionError: whole numbers cannot be divided by 0",
                            "use floats, which give inf and nan")
    return a


def div_floor(a, b):
    return each(scalar.floor_quotient, divisible(a, b), b)


def div(a, b):
    return a / b


def div_trunc(a, b):
    if b.dtype.kind == "f":
        return trunc(a / b)
    return each(scalar.trunc_quotient, divisible(a, b), b)


def over(function, F, a, *others, **attrs):
    """Write function(F, a, *others) over `a`."""
    write(a, function(F, a, *others, **attrs))


def add_scaled(a, b, alpha):
    """a += alpha * b"""
    write(a, a + b * alpha)


def add_multiplied(a, b, c, value):
    """a += value * b * c"""
    write(a, a + (b if value == 1 else b * value) * c)

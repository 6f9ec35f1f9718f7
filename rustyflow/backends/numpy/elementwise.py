"""Elementwise functions whose PyTorch name or rule is not NumPy's."""
from __future__ import annotations

import numpy as np

from ...errors import DivisionError as _DivisionError, DTypeError as _DTypeError
from .core import dense_as as _dense_as, empty_as as _empty_as
from .halves import by_single as _by_single
from .runs import RUN as _RUN

neg = np.negative
asin, acos, atan, atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh


def number(value, dtype):
    """A Python number as a 0-d array; whole numbers wrap around as PyTorch's do."""
    if value.__class__ is float and np.dtype(dtype).kind in "iu" and not abs(value) < 2**63:
        raise _DTypeError(f"the number {value} among whole numbers",
                          f"value cannot be converted to type {np.dtype(dtype).name} without overflow",
                          "convert the tensors first, e.g. x.float()")
    return np.array(value, dtype) if value.__class__ is float else np.array(value).astype(dtype)


def kept_where(mask, g):
    """g where mask, else 0: as a product, several times as fast as `where`, unless 0 times infinity made a NaN."""
    y = g * mask
    total = np.vdot(y, y)
    return y if total == total else np.where(mask, g, g.dtype.type(0))


def type_as(a, like):
    return a.astype(like.dtype, copy=False)


# Division of whole numbers by 0 is an error in PyTorch; floats give inf and NaN

def divisible(a, b):
    """The dividend, once the divisor is known to be fit."""
    if b.dtype.kind != "f" and a.size and not b.all():
        raise _DivisionError(f"{b.dtype.name} divisor with {b.size - np.count_nonzero(b)} zero(s)",
                             "ZeroDivisionError: whole numbers cannot be divided by 0",
                             "use floats, which give inf and nan")
    return a


def remainder(a, b):
    """With the sign of b; but a 0 has that of a, as from fmod."""
    y = np.remainder(a, b)
    whole = y == 0
    return np.where(whole, np.copysign(y, a), y) if y.dtype.kind == "f" and whole.any() else y


def div_floor(a, b):
    return np.floor_divide(divisible(a, b), b)


def div_trunc(a, b):
    if b.dtype.kind == "f":
        return np.trunc(a / b)
    return np.floor_divide(a - np.fmod(divisible(a, b), b), b)


def lerp(a, b, weight):
    """Counted from the nearer end, so that weight 1 gives exactly b."""
    step, near = b - a, np.abs(weight) < 0.5
    if weight.ndim == 0:
        return a + weight * step if near else b - step * (1 - weight)
    return np.where(near, a + weight * step, b - step * (1 - weight))


_POWERS = {2: lambda a: a * a, 3: lambda a: a * a * a}
_ROOTS = {**_POWERS, 0.5: np.sqrt, -0.5: lambda a: 1 / np.sqrt(a), -1: np.reciprocal, -2: lambda a: 1 / (a * a)}


def pow(a, b):
    """a ** b: small powers by multiplication; whole numbers to negative powers are 0 as in PyTorch, but of 1 and -1."""
    quick = (_ROOTS if b.dtype.kind == "f" else _POWERS).get(b.item()) if b.ndim == 0 else None
    if quick is not None:
        return quick(a)
    if b.dtype.kind == "i" and (b < 0).any():
        odd = (b & 1).astype(bool)
        return np.where(b >= 0, np.power(a, np.maximum(b, 0)),
                        np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0))).astype(a.dtype)
    return np.power(a, b)


def log10(a):
    """By way of float64: where a CPU has AVX-512, NumPy's own in float32 misses the whole number at a power of 10."""
    if a.dtype != np.float32:
        return np.log10(a)
    return np.log10(a, out=_empty_as(a), dtype=np.float64, casting="same_kind")


def rsqrt(a):
    y = np.asarray(np.sqrt(a))
    return np.divide(1, y, out=y)


def sign(a):
    """-1, 0 or 1; 0 for NaN, as in PyTorch."""
    if a.dtype.kind == "f":
        return np.subtract((a > 0).view(np.int8), (a < 0).view(np.int8)).astype(a.dtype)
    return _dense_as(a) if a.dtype.kind == "b" else np.sign(a)


def _whole(rounded):
    def function(a):
        return rounded(a) if a.dtype.kind == "f" else _dense_as(a)
    return function


floor, ceil, trunc, round = map(_whole, (np.floor, np.ceil, np.trunc, np.rint))


def nan_to_num(a, nan, posinf, neginf):
    return np.nan_to_num(_dense_as(a), False, nan, posinf, neginf)


def clamp(a, low, high):
    if low is None:
        return np.minimum(a, high)
    return np.maximum(a, low) if high is None else np.clip(a, low, high)


@_by_single
def sigmoid(a):
    """Where exp overflows the quotient is 0, which is right to the last digit."""
    y = np.asarray(np.negative(a))
    np.exp(y, out=y)
    y += 1
    return np.divide(1, y, out=y)


def xlogy(a, b):
    y, nothing = a * np.log(b), a == 0
    return np.where(nothing & ~np.isnan(b), 0, y) if nothing.any() else y


def isclose(a, b, rtol, atol, equal_nan):
    close = a == b
    if equal_nan:
        close |= np.isnan(a) & np.isnan(b)
    if a.dtype.kind not in "f":
        a, b = a.astype(np.float64), b.astype(np.float64)
    apart = np.abs(a - b)
    return close | (np.isfinite(apart) & (apart <= atol + np.abs(rtol * b)))


def over(function, F, a, *others, **attrs):
    """Write function(F, a, *others), one of every cell for itself, over `a`; a long array a run of cells at a time."""
    if a.size <= _RUN:
        np.copyto(a, function(F, a, *others, **attrs), casting="same_kind")
        return
    order = sorted(range(a.ndim), key=lambda d: -abs(a.strides[d]))
    others = [np.broadcast_to(b, a.shape).transpose(order) if np.ndim(b) else b for b in others]
    a = a.transpose(order)
    step = _RUN * len(a) // a.size
    for k in range(0, len(a), step or 1):
        part = slice(k, k + step) if step else k
        over(function, F, a[part], *[b[part] if np.ndim(b) else b for b in others], **attrs)

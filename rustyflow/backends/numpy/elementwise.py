"""Elementwise functions whose PyTorch name or rule is not NumPy's."""
from __future__ import annotations

import numpy as np

from ...errors import DivisionError as _DivisionError, DTypeError as _DTypeError
from .choice import where as _where
from .core import dense_as as _dense_as, empty_as as _empty_as, flat as _flat
from .halves import cells_by_single as _cells_by_single
from .runs import RUN as _RUN, by_runs as _by_runs
from .settings import visited as _visited

asin, acos, atan, atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh


def number(value, dtype):
    """A Python number as a 0-d array; whole numbers wrap around as PyTorch's do."""
    if value.__class__ is not float:
        return np.array(value).astype(dtype)
    if dtype.kind in "iu" and not abs(value) < 2**63:
        raise _DTypeError(f"the number {value} among whole numbers",
                          f"value cannot be converted to type {dtype.name} without overflow",
                          "convert the tensors first, e.g. x.float()")
    return np.array(value, dtype)


def constant_in(g, x):
    """g itself; a recorded gradient needs its derivative by x to be 0, and not missing."""
    return g


def scaled(x, factor):
    """x * factor, written over x, which nobody else reads."""
    x *= factor
    return x


@_cells_by_single
def tanh_input(g, y):
    """The gradient of tanh."""
    slope = np.asarray(y * y)
    np.subtract(1, slope, out=slope)
    slope *= g
    return slope


def type_as(a, like):
    return a.astype(like.dtype, copy=False)


@_cells_by_single
def div(a, b):
    return a / b


# Division of whole numbers by 0 is an error in PyTorch; floats give inf and NaN

def divisible(a, b):
    """The dividend, once the divisor is known to be fit."""
    if b.dtype.kind != "f" and a.size and (zeros := b.size - np.count_nonzero(_visited(b))):  # quicker than b.all()
        raise _DivisionError(f"{b.dtype.name} divisor with {zeros} zero(s)",
                             "ZeroDivisionError: whole numbers cannot be divided by 0",
                             "use floats, which give inf and nan")
    return a


def remainder(a, b):
    """With the sign of b; but a 0 has that of a, as from fmod."""
    return _signed_remainder(a, b) if a.dtype.kind == "f" else np.remainder(a, b)


@_by_runs
def _signed_remainder(a, b):
    y = np.asarray(np.remainder(a, b))
    if (whole := y == 0).any():
        np.copysign(y, a, out=y, where=whole)
    return y


def div_floor(a, b):
    return np.floor_divide(divisible(a, b), b)


@_cells_by_single
def div_trunc(a, b):
    if b.dtype.kind == "f":
        y = np.asarray(a / b)
        return np.trunc(y, out=y)
    y = np.asarray(np.fmod(divisible(a, b), b))
    np.subtract(a, y, out=y)
    return np.floor_divide(y, b, out=y)


@_cells_by_single
def lerp(a, b, weight):
    """Counted from the nearer end, so that weight 1 gives exactly b."""
    if weight.ndim:
        return _between(a, b, weight)
    step = np.asarray(b - a)
    if abs(weight) < 0.5:
        step *= weight
        return np.add(step, a, out=step)
    step *= 1 - weight
    return np.subtract(b, step, out=step)


@_by_runs
def _between(a, b, weight):
    near = np.abs(weight) < 0.5
    step = np.asarray(b - a) * (weight - ~near)  # from b on weight - 1 of the way
    step += _where(near, a, b)
    return step


_POWERS = {2: lambda a: a * a, 3: lambda a: a * a * a}
_ROOTS = {**_POWERS, 0.5: np.sqrt, -0.5: _by_runs(lambda a: 1 / np.sqrt(a)), -1: np.reciprocal,
          -2: _by_runs(lambda a: 1 / (a * a))}


def pow(a, b):
    """a ** b: small powers by multiplication.

    Whole numbers to negative powers are 0 as in PyTorch, but of 1 and -1.
    """
    quick = (_ROOTS if b.dtype.kind == "f" else _POWERS).get(b.item()) if b.ndim == 0 else None
    if quick is not None:
        return quick(a)
    if b.dtype.kind == "i" and (b < 0).any():
        odd = (b & 1).astype(bool)
        return np.where(b >= 0, np.power(a, np.maximum(b, 0)),
                        np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0))).astype(a.dtype)
    return np.power(a, b)


def raised(a, n):
    """a ** n for a number n; where that is 1, `a` itself."""
    return a if n == 1 else pow(a, number(n, a.dtype))


def log10(a):
    """By way of float64, for whole numbers at powers of 10.

    Where a CPU has AVX-512, NumPy's own in float32 misses them.
    """
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


def round_to(a, unit, up):
    """round(a * unit) / unit, or the other way round, in one array."""
    there, back = (np.multiply, np.divide) if up else (np.divide, np.multiply)
    y = np.asarray(there(a, unit))
    np.rint(y, out=y)
    return back(y, unit, out=y)


floor, ceil, trunc, round = map(_whole, (np.floor, np.ceil, np.trunc, np.rint))


def frac(a):
    y = np.asarray(np.trunc(a))
    return np.subtract(a, y, out=y)


def nan_to_num(a, nan, posinf, neginf):
    """A copy with numbers for NaN and the infinities, looked for run by run."""
    y = _dense_as(a)
    if y.dtype.kind == "f":
        most = np.finfo(y.dtype).max
        numbers = nan, most if posinf is None else posinf, -most if neginf is None else neginf
        cells = _flat(y)
        for k in range(0, cells.size, _RUN):
            run = cells[k:k + _RUN]
            if not np.isfinite(run).all():
                for found, number in zip((np.isnan(run), run == np.inf, run == -np.inf), numbers):
                    np.copyto(run, number, where=found)
    return y


@_cells_by_single
def sigmoid(a):
    """A quotient that is 0 where exp overflows, which is right to the last digit."""
    y = np.asarray(np.negative(a))
    np.exp(y, out=y)
    y += 1
    return np.divide(1, y, out=y)


def xlogy(a, b):
    y, nothing = np.asarray(a * np.log(b)), a == 0
    if nothing.any():
        np.copyto(y, 0, where=nothing & ~np.isnan(b))
    return y


def isclose(a, b, rtol, atol, equal_nan):
    close = a == b
    if equal_nan:
        close |= np.isnan(a) & np.isnan(b)
    if a.dtype.kind != "f":
        a, b = a.astype(np.float64), b.astype(np.float64)
    apart = np.abs(a - b)
    return close | (np.isfinite(apart) & (apart <= atol + np.abs(rtol * b)))

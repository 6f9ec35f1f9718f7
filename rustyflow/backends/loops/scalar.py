"""Functions of single numbers, as IEEE 754 has them where Python would rather raise."""

from __future__ import annotations

import math
import operator
from functools import wraps
from math import inf, nan


def real(f):
    """A function of math's, NaN outside its domain and infinite where it overflows."""

    @wraps(f)
    def safe(*args):
        try:
            return f(*args)
        except ValueError:
            return nan
        except OverflowError:
            return inf

    return safe


def quotient(x, y):
    if y:
        return x / y
    return nan if not x or math.isnan(x) else math.copysign(inf, x) * math.copysign(1, y)


def logarithm(f, pole=0.0):
    @wraps(f)
    def log(x):
        return -inf if x == pole else f(x) if x > pole else nan

    return log


def odd(f):
    """Of an odd function that overflows."""

    @wraps(f)
    def signed(x):
        try:
            return f(x)
        except OverflowError:
            return math.copysign(inf, x)

    return signed


def at_ends(f):
    """atanh, infinite at -1 and 1."""

    @wraps(f)
    def ended(x):
        return math.copysign(inf, x) if x in (-1, 1) else real(f)(x)

    return ended


def power(x, y):
    if isinstance(x, int) and isinstance(y, int):
        return x**y if y >= 0 else (1 if x == 1 else (-1) ** (y & 1) if x == -1 else 0)
    try:
        return math.pow(x, y)
    except OverflowError:
        return -inf if x < 0 and y % 2 == 1 else inf
    except ValueError:  # 0 to a negative power, or a negative number to a broken one
        return nan if x else math.copysign(inf, x) if y % 2 == 1 else inf


def floor_quotient(x, y):
    return x // y if y else quotient(x, y) if isinstance(x, float) else 0


def fmod(x, y):
    """The rest of x, with its sign."""
    return real(math.fmod)(x, y) if isinstance(x, float) else int(math.copysign(1, x)) * (abs(x) % abs(y))


def remainder(x, y):
    if not isinstance(x, float):
        return x % y
    return nan if not y or math.isinf(x) else x % y or math.copysign(0.0, x)


def larger(x, y):
    return x if x != x or x >= y else y


def smaller(x, y):
    return x if x != x or x <= y else y


def sign(x):
    return x if isinstance(x, bool) else (x > 0) - (x < 0)


def rint(x):
    return math.copysign(float(round(x)), x) if isinstance(x, float) and math.isfinite(x) else x


def exp2(x):
    return 2.0**x


def signbit(x):
    return math.copysign(1, x) < 0


def logical_and(x, y):
    return bool(x) and bool(y)


def logical_or(x, y):
    return bool(x) or bool(y)


def logical_xor(x, y):
    return bool(x) != bool(y)


def trunc_quotient(x, y):
    return int(math.copysign(1, x * y)) * (abs(x) // abs(y))


def towards(f):
    """floor, ceil, trunc of a float; whole numbers stay, -0.0 keeps its sign."""

    @wraps(f)
    def whole(x):
        return math.copysign(float(f(x)), x) if isinstance(x, float) and math.isfinite(x) else x

    return whole


def log_of_sum(x, y):
    return x + math.log(2) if x == y else larger(x, y) + math.log1p(math.exp(-abs(x - y)))


def shifted(f):
    """Shifts of 64 bits or more push every bit out; a negative shift does too."""

    @wraps(f)
    def shift(x, y):
        return f(x, y) if 0 <= y < 64 else (-1 if f is operator.rshift and x < 0 else 0)

    return shift

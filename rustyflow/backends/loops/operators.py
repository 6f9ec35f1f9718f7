"""The operators of arrays: a + b, a += b, a < b, -a."""

from __future__ import annotations

import operator

from .. import refuse_foreign
from . import scalar
from .array import Array, write
from .buffer import boolean
from .elementwise import abs, each, logical_not, neg


def _install(name, f, dtype=None):
    def forward(self, other):
        return each(f, self, other, dtype=dtype) if isinstance(other, (Array, int, float)) else NotImplemented

    def reverse(self, other):
        return each(f, other, self, dtype=dtype) if isinstance(other, (int, float)) else NotImplemented

    def augmented(self, other):
        made = forward(self, other)
        if made is NotImplemented:
            refuse_foreign(other)
        write(self, made)
        return self

    setattr(Array, f"__{name}__", forward)
    setattr(Array, f"__i{name}__", augmented)
    if dtype is None:
        setattr(Array, f"__r{name}__", reverse)


for _name, _f in {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": scalar.quotient,
    "floordiv": scalar.floor_quotient,
    "mod": scalar.remainder,
    "pow": scalar.power,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": scalar.shifted(operator.lshift),
    "rshift": scalar.shifted(operator.rshift),
}.items():
    _install(_name, _f)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _install(_name, getattr(operator, _name), boolean)
Array.__neg__, Array.__abs__ = neg, abs
Array.__invert__ = lambda a: logical_not(a) if a.dtype is boolean else each(operator.invert, a)

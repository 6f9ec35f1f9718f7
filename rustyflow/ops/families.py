"""Every family of ops, and what adds to the table besides: what is loaded when a name of theirs is first used.

Methods come out of it with docstrings of their own where they write, and with words for calls that do not fit.
"""
from __future__ import annotations

from ..arguments.layer import known_as, teach
from ..dispatch.inplace_examples import __test__ as _docstrings
from ..dispatch.registry import PUBLIC
from ..tensor import Tensor
from . import load

load()
from . import exchange as neighbours, pickling  # noqa: E402, F401 - which ask the table for operators

for _name, _docstring in _docstrings.items():
    _form = getattr(Tensor, _name)
    _form.__doc__, _form.__wrapped__ = _docstring, getattr(Tensor, _name[:-1])  # help() shows that one's arguments

# PyTorch has these writes as functions too
for _name in ("abs acos acosh asin asinh atan atanh ceil clamp clamp_max clamp_min clip cos cosh erf erfc exp exp2 "
              "expm1 fill fix floor frac log log10 log1p log2 nan_to_num neg negative reciprocal relu round rsqrt "
              "sigmoid sin sinh sqrt square tan tanh trunc xlogy zero").split():
    _form = getattr(Tensor, _name + "_")
    PUBLIC[_name + "_"] = known_as(_form, _form.__name__)

teach(Tensor)

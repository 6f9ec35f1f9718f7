"""What `table.fill` loads: every family of ops, what adds to the table besides, and the docstrings of writes."""
from __future__ import annotations

from importlib import import_module

from .ops import FAMILIES
from .ops.inplace_examples import __test__ as _docstrings
from .tensor import Tensor

for _name in (*(f"ops.{family}" for family in FAMILIES), "autograd", "random", "neighbours"):
    import_module(f".{_name}", __package__)

for _name, _docstring in _docstrings.items():
    getattr(Tensor, _name).__doc__ = _docstring

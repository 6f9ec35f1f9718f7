"""What `table.fill` loads: every family of ops, what adds to the table besides, and the docstrings of writes."""
from __future__ import annotations

from importlib import import_module

from .ops import FAMILIES
from .ops.inplace_examples import __test__ as _docstrings
from .tensor import Tensor

for _name in (*(f"ops.{family}" for family in FAMILIES), "autograd", "random", "neighbours"):
    import_module(f".{_name}", __package__)

for _name, _docstring in _docstrings.items():
    _form = getattr(Tensor, _name)
    _form.__doc__, _form.__wrapped__ = _docstring, getattr(Tensor, _name[:-1])  # help() shows that one's arguments

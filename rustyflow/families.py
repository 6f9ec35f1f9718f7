"""What `table.fill` loads: every family of ops, and what adds to the table besides."""
from __future__ import annotations

from importlib import import_module

from .ops import FAMILIES

for _name in (*(f"ops.{family}" for family in FAMILIES), "autograd", "random", "neighbours"):
    import_module(f".{_name}", __package__)

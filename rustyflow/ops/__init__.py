"""Every operation, one file per family. Importing this fills the op table, `Tensor`'s methods and the public functions."""
from . import arithmetic, cast, compare, division, exponential, fill, hyperbolic, index, join, linalg, logic, nn, operators, powers, reduce, relayout, repeat, rounding, scatter, select, selection, shape, slots, sort, split, triangle, trigonometry, view  # noqa: F401
from .registry import OPS, PUBLIC, apply, op

__all__ = ["OPS", "PUBLIC", "apply", "op"]

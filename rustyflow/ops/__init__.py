"""Every operation, one file per family. Importing this fills the op table, `Tensor`'s methods and the public functions."""
from . import addproduct, arithmetic, cast, compare, contraction, cumulative, division, einsum, exponential, extrema, fill, hyperbolic, index, join, linalg, logic, mask, nn, norm, operators, order, part, powers, put, reduce, relayout, repeat, rounding, scatter, search, select, selection, shape, slots, solve, sort, split, statistics, triangle, trigonometry, view  # noqa: F401
from .registry import OPS, PUBLIC, apply, op

__all__ = ["OPS", "PUBLIC", "apply", "op"]

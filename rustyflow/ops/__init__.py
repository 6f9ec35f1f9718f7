"""Every operation, one file per family. The families are loaded by `rustyflow.table.fill`, when the first of their names is used."""
from .registry import OPS, PUBLIC, apply, op

__all__ = ["FAMILIES", "OPS", "PUBLIC", "apply", "op"]

FAMILIES = (
    "addproduct arithmetic cast compare contraction cumulative division einsum exponential extrema fill "
    "hyperbolic index join linalg logic mask nn norm operators order part powers put reduce relayout "
    "repeat rounding scatter search select selection shape slots solve sort split statistics triangle "
    "trigonometry view"
).split()

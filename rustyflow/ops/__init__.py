"""Every operation, one file per family, loaded when the first of their names is used."""
from importlib import import_module as _import_module

from ..dispatch.operation import OPS
from ..dispatch.registry import PUBLIC, op
from ..dispatch.run import apply

__all__ = ["FAMILIES", "OPS", "PUBLIC", "apply", "load", "op"]

FAMILIES = (
    "addproduct arithmetic blend broadcast cast clamp combine compare contraction cumulative decomposition differences "
    "division einsum exponential extrema fill histogram hyperbolic index integers join linalg logic mask "
    "matrix_products nn norm operators order part permute powers put quantile reduce relayout repeat rounding running "
    "scatter scatter_reduce search select selection setitem shape signs slices slots solve split statistics triangle "
    "trigonometry typed vectors view"
).split()


def load() -> None:
    """Put the functions and methods of every family into the table."""
    for family in FAMILIES:
        _import_module(f".{family}", __name__)

"""Every operation, one file per family. Importing this fills the op table, `Tensor`'s methods and the public functions."""
from . import cast, elementwise, index, linalg, nn, operators, reduce, sort, view  # noqa: F401
from .registry import OPS, PUBLIC, apply, op

__all__ = ["OPS", "PUBLIC", "apply", "op"]

"""Every family of ops, and others that add to the table: loaded when a name of theirs is used.

Methods come out of it with docstrings of their own where they write, and with words for calls that do not fit.
"""
from __future__ import annotations

import re
from inspect import cleandoc

from ..arguments.explain import explain_methods, explaining_as
from ..dispatch import PUBLIC
from ..tensor import Tensor
from . import load

load()
from . import exchange as neighbours, pickling  # noqa: E402, F401 - which ask the table for operators
from .views import relayout  # noqa: E402

WRITES = """Write what `{plain}` returns over the tensor itself, and return it.

Shape, dtype, stride and storage stay; every view of the memory sees the write, and the storage's version counts it.
Raises:
    {history}MemoryOverlapError (a RuntimeError): cells that share a slot, or an argument that reads the tensor's cells.
    ShapeError, DTypeError (RuntimeErrors): what the tensor's shape or dtype cannot hold. And what `{plain}` raises.
"""
RECORDED = """GradError (a RuntimeError): a leaf that requires grad, or a view of one.
    """

RELAYS = """Make the tensor itself what its view `{plain}` would be, over the same memory, and return it.

Shape, stride and storage_offset may change; dtype, storage and what is written there stay.
Raises:
    GradError (a RuntimeError): a leaf that requires grad. And what `{plain}` raises.
"""

TRUTHS = ("eq", "ge", "gt", "le", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "ne")
"""What gives bools, which a tensor of numbers holds as 1 and 0."""


def inplace_doc(name: str, plain: str, says: str) -> str:
    """The docstring of an in-place form: what it `says`, with the plain form's source and example.

    Example:
        >>> doc = "Source: S\\n\\nExample:\\n    >>> rf.neg(rf.tensor([1]))\\n    tensor([-1])"
        >>> inplace_doc("neg_", doc, "").splitlines()[-2:]
        ['    >>> rf.tensor([1]).neg_()', '    tensor([-1])']
    """
    _, source, rest = cleandoc(plain).partition("Source:")
    rest = re.sub(rf"rf\.{name[:-1]}\((rf\.\w+\((?:[^()]|\([^()]*\))*\))(?:, )?", rf"\1.{name}(", rest)
    rest = rest.replace(f".{name[:-1]}(", f".{name}(")
    if name[:-1] in TRUTHS:
        rest = rest.replace("False", "0").replace(" True", "1")
    return says + source + rest


__test__ = {}
for _name, _form in [(name, getattr(Tensor, name)) for name in dir(Tensor) if name[-1] == "_" != name[0]]:
    if _form.__doc__ is None and _form.__name__ == _name:  # a second name has the same form
        _plain, _says = getattr(Tensor, _name[:-1]), RELAYS if _form.__module__ == relayout.__name__ else WRITES
        _history = RECORDED * (not _name.startswith("logical"))  # of which no gradient knows
        _form.__doc__ = inplace_doc(_name, _plain.__doc__ or "", _says.format(plain=_name[:-1], history=_history))
        _form.__wrapped__ = _plain  # help() shows that one's arguments
        __test__[_name] = _form.__doc__

# PyTorch has these writes as functions too
for _name in ("abs acos acosh asin asinh atan atanh ceil clamp clamp_max clamp_min clip cos cosh erf erfc exp exp2 "
              "expm1 fill fix floor frac log log10 log1p log2 nan_to_num neg negative reciprocal relu round rsqrt "
              "sigmoid sin sinh sqrt square tan tanh trunc xlogy zero").split():
    _form = getattr(Tensor, _name + "_")
    PUBLIC[_name + "_"] = explaining_as(_form, _form.__name__)

explain_methods(Tensor)

"""The computation graph as a value: read from a tensor's history, from a traced function, or from a PyTorch tensor;
then print, draw, compare it.
"""

from .difference import differences as _differences, structure as _structure
from .dot import dot as _dot, source as _source
from .graphs import Change, Graph
from .node import READERS as _READERS, Node, Saved, Value
from .reader import graph
from .scopes import scope
from .text import line as _line, text as _text
from .tracer import trace
from .tree import tree as _tree
from .wire import decode as _decode, encode as _encode

__all__ = ["graph", "trace", "scope", "Graph", "Node", "Value", "Saved", "Change"]

_READERS.update(line=_line, text=_text, tree=_tree, dot=_dot, source=_source, encode=_encode, decode=_decode,
                differences=_differences, structure=_structure)


def __dir__():
    return __all__

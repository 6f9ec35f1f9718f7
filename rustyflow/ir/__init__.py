"""The computation graph as a value: read from a tensor's history, from a traced function, or from a PyTorch tensor;
then print, draw, compare it.
"""

from .graphs import Change, Graph
from .node import Node, Saved, Value
from .reader import graph
from .scopes import scope
from .tracer import trace

__all__ = ["graph", "trace", "scope", "Graph", "Node", "Value", "Saved", "Change"]


def __dir__():
    return __all__

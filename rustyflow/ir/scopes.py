"""Names for parts of a graph, such as the modules of a model.

Nodes that are made inside a scope carry its path.
"""

from __future__ import annotations

import threading

from ..dispatch import watchers
from ..tensor import Output, View


class _Path(threading.local):
    def __init__(self):
        self.parts: list[str] = []


_path = _Path()
_lock = threading.Lock()
_open = 0


class scope:
    """Nodes recorded inside `with scope(name)` carry the name; scopes nest, joined by dots. Per thread.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> with rf.ir.scope("model"), rf.ir.scope("act"):
        ...     y = x.tanh()
        >>> print(rf.ir.graph(y)["%2"])
        %2 = tanh %1 : float32[2]  saved: %2  in model.act
    """

    def __init__(self, name: str):
        self.name = str(name)

    def __enter__(self) -> scope:
        global _open
        _path.parts.append(self.name)
        with _lock:
            _open += 1
            if _open == 1:
                watchers.append(_stamp)
        return self

    def __exit__(self, *exc) -> None:
        global _open
        _path.parts.pop()
        with _lock:
            _open -= 1
            if _open == 0:
                watchers.remove(_stamp)


def current() -> str:
    """The path of the scopes that are open in this thread."""
    return ".".join(_path.parts)


def _stamp(it, operands, attrs, out) -> None:
    if not _path.parts:
        return
    for x in out if type(out) is tuple else (out,):
        history = x._history
        node = history.node if type(history) in (View, Output) else history
        if node is not None and getattr(node, "op", None) is not None and "scope" not in node.__dict__:
            node.scope = current()

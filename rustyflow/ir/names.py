"""What the program calls its tensors: the variables of the frame that asked, one level into lists and dicts, and the
parameters of modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from ..errors.foreign import is_torch

MOST = 64
"""A list or dict of more than this many entries names nothing."""


class Names:
    """Names by identity: of a tensor, or of the history that a tensor stands for. The first name found holds; given
    names come before all.
    """

    def __init__(self, frame: FrameType | None = None, given: Mapping[str, Any] | None = None):
        self.found: dict[tuple[int, int], str] = {}
        self.alive: list[Any] = []
        for name, x in (given or {}).items():
            self.learn(str(name), x)
        if frame is not None:
            for variables in (
                (frame.f_locals, frame.f_globals) if frame.f_locals is not frame.f_globals else (frame.f_globals,)
            ):
                for name, x in list(variables.items()):
                    if not name.startswith("_") and name not in ("In", "Out"):
                        for full, tensor in _tensors(name, x):
                            self.learn(full, tensor)

    def learn(self, name: str, x: Any) -> None:
        for key in _keys(x):
            self.found.setdefault(key, name)
        self.alive.append(x)

    def of(self, x: Any, index: int = 0) -> str | None:
        return self.found.get((id(x), index))


def is_a(name: str, x: Any) -> bool:
    """Whether something is a rustyflow.Tensor or a torch.Tensor, of this class or of one made from it."""
    return any(c.__name__ == name and c.__module__.partition(".")[0] in ("rustyflow", "torch") for c in type(x).__mro__)


def _tensors(name: str, x: Any) -> Iterator[tuple[str, Any]]:
    if is_a("Tensor", x):
        yield name, x
    elif type(x) in (list, tuple) and len(x) <= MOST:
        yield from ((f"{name}[{k}]", part) for k, part in enumerate(x) if is_a("Tensor", part))
    elif type(x) is dict and len(x) <= MOST:
        yield from (
            (f"{name}[{key!r}]", part) for key, part in x.items() if is_a("Tensor", part) and type(key) in (str, int)
        )
    elif not isinstance(x, type) and callable(getattr(type(x), "named_parameters", None)):
        yield from ((f"{name}.{path}", part) for path, part in x.named_parameters())


def _keys(x: Any) -> Iterator[tuple[int, int]]:
    """What a tensor may be known by: itself, and its place in the graph as it was last seen."""
    yield id(x), 0
    if is_torch(x):
        if x.grad_fn is not None:
            yield id(x.grad_fn), x.output_nr
        return
    history = getattr(x, "_history", None)
    history = getattr(history, "node", history)  # of a View, or of one of several results
    if history is not None:
        yield id(history), getattr(x._history, "index", 0)

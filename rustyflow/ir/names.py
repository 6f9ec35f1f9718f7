"""The program's names for its tensors: the variables of the frame that asked, and what they hold.

From there lists, dicts and the attributes of objects are looked into: `layers[1].bias`, `params["w"]`, `self.w`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType, ModuleType
from typing import Any

from ..errors import is_torch
from ..tensor import edge_of
from ..tensor.history import View

MOST, DEEP, ALL = 64, 4, 2000
"""A list, dict or object of more than `MOST` entries names nothing; nor does what is deeper, or what comes after."""


class Names:
    """Names by identity: of a tensor, or of the history that a tensor stands for.

    The first name that is found holds; given names come before all.
    """

    def __init__(self, frame: FrameType | None = None, given: Mapping[str, Any] | None = None):
        self.found: dict[tuple[int, int], str] = {}
        self.alive: list[Any] = []
        self.named: dict[str, Any] = {}  # by every name, of which a tensor may have several
        for name, x in (given or {}).items():
            self.learn(str(name), x)
        if frame is not None:
            local, everywhere = frame.f_locals, frame.f_globals
            hidden = {name: x for name, x in everywhere.items() if name not in local}  # a name means what is nearest
            for variables in (local, hidden) if local is not everywhere else (everywhere,):
                for name, tensor in named_tensors(variables):
                    if name not in (given or ()):  # it is another's
                        self.learn(name, tensor)

    def learn(self, name: str, x: Any) -> None:
        for key in _keys(x):
            self.found.setdefault(key, name)
        self.named.setdefault(name, x)
        self.alive.append(x)

    def of(self, x: Any, index: int = 0) -> str | None:
        return self.found.get((id(x), index))


def is_a(name: str, x: Any) -> bool:
    """True for a rustyflow.Tensor or a torch.Tensor, of this class or of one made from it."""
    return any(c.__name__ == name and c.__module__.partition(".")[0] in ("rustyflow", "torch") for c in type(x).__mro__)


def named_tensors(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors that variables hold, each with an expression for it; those that are nearer come first."""
    level = [(name, x) for name, x in list(variables.items())
             if name.isidentifier() and name[:1] != "_" and name not in ("In", "Out")]
    seen: set[int] = set()
    for _ in range(DEEP):
        inside: list[tuple[str, Any]] = []
        for name, x in level:
            if is_a("Tensor", x):
                yield name, x
            elif id(x) not in seen and len(seen) < ALL and (parts := _parts(x)):
                seen.add(id(x))
                inside += [(name + how, part) for how, part in parts]
        level = inside


def _parts(x: Any) -> list[tuple[str, Any]]:
    """The parts of a container or an object, by the text behind its name; no property of it is run."""
    if type(x) in (list, tuple):
        found = [(f"[{k}]", part) for k, part in enumerate(x)] if len(x) <= MOST else []
    elif type(x) is dict:
        named = [(key, part) for key, part in x.items() if type(key) in (str, int)] if len(x) <= MOST else []
        found = [(f"[{key!r}]", part) for key, part in named]
    elif isinstance(x, type | ModuleType) or type(x).__module__.partition(".")[0] in ("builtins", "numpy", "IPython"):
        return []
    elif callable(getattr(type(x), "named_parameters", None)):
        paths = [(f"{path}.{key}".strip("."), part) for path, module in x.named_modules()
                 for key, part in vars(module).items() if is_a("Tensor", part)]
        found = [(f".{path}", part) for path, part in (*x.named_parameters(), *x.named_buffers(), *paths)]
    else:
        held = getattr(x, "__dict__", None)
        found = [(f".{key}", part) for key, part in held.items()] if type(held) is dict and len(held) <= MOST else []
    return [(how, part) for how, part in found if not how.startswith("._")]


def _keys(x: Any) -> Iterator[tuple[int, int]]:
    """The keys by which a tensor may be known: itself, and its place in the graph as last seen."""
    yield id(x), 0
    if is_torch(x):
        if x.grad_fn is not None:
            yield id(x.grad_fn), x.output_nr
        return
    history = getattr(x, "_history", None)
    if (made := history.node if type(history) is View else history) is not None:
        node, k = edge_of(made)
        yield id(node), k
    elif hasattr(x, "_a"):  # a result that nothing tracks, such as the places of maxima, is known by its array alone
        yield id(x._a), 0

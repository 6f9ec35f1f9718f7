"""A function that was written with PyTorch, as a lesson proposes: run here, what it calls torch is rustyflow."""

import builtins
import dis
import operator
import sys
from functools import lru_cache, partial, wraps
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from ....ops.creation import tensor
from .source import CACHED, MANY, codes, is_own, names_in

THEIRS, OURS = "torch", __name__.partition(".")[0]
WRITTEN = "_as_it_was_written"

CONTEXTS = "no_grad", "enable_grad", "inference_mode"
"""The contexts of PyTorch's that decorate a function, and take nothing."""


def ours(function: Any) -> Any:
    """The same function with rustyflow in the place of PyTorch; the function itself where it does not name PyTorch.

    So a check counts what its answer does, graphs and gradients too, whichever of the two the student imported. Of one
    that works with both, what the student wrote is taken: it is looked at, too.
    """
    function = getattr(function, WRITTEN, function)
    if callable(function) and is_own(type(function).__call__):  # an object of a class of the student's
        function = function.__call__
    turned = _Turned()
    new = turned.value(function)
    return new if turned.changed else function


def by_what_comes(function: Any) -> Any:
    """The function as it was written where PyTorch's tensors come, and with rustyflow in PyTorch's place elsewhere.

    The function itself where it does not name PyTorch: so one that passed works on in a lesson that runs with PyTorch.
    """
    turned = ours(function)
    if turned is function:
        return function

    @wraps(function)
    def either(*given: Any, **named: Any) -> Any:
        return (function if any(map(_theirs, (*given, *named.values()))) else turned)(*given, **named)

    setattr(either, WRITTEN, function)
    return either


def _theirs(value: Any) -> bool:
    """True for a tensor of PyTorch's, and for a list that holds one."""
    if isinstance(value, list | tuple):
        return any(map(_theirs, value))
    torch = sys.modules.get(THEIRS)
    return torch is not None and isinstance(value, torch.Tensor)


class _Turned:
    """Functions with the names of PyTorch turned, each once, so that they may call each other."""

    def __init__(self) -> None:
        self.done: dict[int, Any] = {}
        self.changed = False

    def value(self, value: Any) -> Any:
        """The value that stands for one of PyTorch's here."""
        if id(value) not in self.done:
            if (context := _context_of(value)) is not None:
                self.changed, self.done[id(value)] = True, context()(self.value(value.__wrapped__))
                return self.done[id(value)]
            if is_own(value):
                return self._function(value)
            self.done[id(value)] = value  # a group may have itself in it
            self.done[id(value)] = self._whole(value)
        return self.done[id(value)]

    def _whole(self, value: Any) -> Any:
        """A thing with what is in it turned; a group that has nothing to be turned stays the same object."""
        kind, held, make = type(value), (), lambda new: value
        if kind is MethodType and is_own(value.__func__):
            held, make = [value.__func__], lambda new: MethodType(*new, value.__self__)
        elif kind is partial:
            held, make = [value.func, *value.args], lambda new: partial(*new, **value.keywords)
        elif kind is CACHED:
            held, make = [value.__wrapped__], lambda new: lru_cache(**value.cache_parameters())(*new)
        elif kind in (list, tuple, dict) and len(value) <= MANY:
            held = [*(value.values() if kind is dict else value)]
            make = (lambda new: dict(zip(value, new, strict=True))) if kind is dict else kind
        if not held:
            new = counterpart(value)
            self.changed |= new is not value
            return new
        new = [self.value(part) for part in held]
        return value if all(map(operator.is_, new, held)) else make(new)

    def _function(self, function: FunctionType) -> FunctionType:
        names: dict[str, Any] = {"__builtins__": vars(builtins) | {"__import__": _import}}  # read as it is made
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new = FunctionType(function.__code__, names, function.__name__, None, cells)
        self.done[id(function)] = new
        known = {name: self.value(value) for name, value in names_in(function).items()}
        names.update({name: value for name, value in (function.__globals__ | known).items() if name != "__builtins__"})
        for name, cell, old in zip(function.__code__.co_freevars, cells, function.__closure__ or (), strict=True):
            if name in known:
                cell.cell_contents = self.value(old.cell_contents)
        new.__defaults__ = function.__defaults__ and tuple(map(self.value, function.__defaults__))
        new.__kwdefaults__ = {name: self.value(value) for name, value in (function.__kwdefaults__ or {}).items()}
        new.__dict__.update(function.__dict__)
        new.__module__, new.__qualname__ = function.__module__, function.__qualname__
        self.changed |= any(_imports(code) for code in codes(function))
        return new


def _context_of(value: Any) -> Any:
    """Rustyflow's context for that of PyTorch's in which a function stands by `@torch.no_grad()`; None elsewhere."""
    code = getattr(value, "__code__", None)
    if code is None or code.co_name != "decorate_context" or not hasattr(value, "__wrapped__"):
        return None
    cells = dict(zip(code.co_freevars, value.__closure__, strict=True))
    made = getattr(cells["ctx_factory"].cell_contents if "ctx_factory" in cells else None, "__self__", None)
    name = type(made).__name__
    return getattr(sys.modules[OURS], name) if name in CONTEXTS else None


def counterpart(value: Any) -> Any:
    """Rustyflow's module, function, class, dtype or tensor for one of PyTorch's; anything else as it is.

    >>> counterpart(len) is len
    True
    """
    torch = sys.modules.get(THEIRS)
    if torch is None:
        return value
    if isinstance(value, ModuleType):
        return _module(value.__name__) or value
    if isinstance(value, torch.Tensor):
        dtype = getattr(_module(THEIRS), str(value.dtype).partition(".")[2])
        return tensor(value.tolist(), dtype=dtype, requires_grad=value.requires_grad)
    name = str(value).partition(".")[2] if isinstance(value, torch.dtype) else getattr(value, "__name__", "")
    for place in ("", ".nn.functional", ".nn", ".linalg", ".autograd"):
        theirs, our = sys.modules.get(THEIRS + place), _module(THEIRS + place)
        if isinstance(name, str) and name and getattr(theirs, name, None) is value:
            return getattr(our, name, value)
    return value


def _module(name: str) -> Any:
    """Rustyflow's module for one of PyTorch's; None for any other, and where there is none."""
    first, *below = name.split(".")
    ours = sys.modules[OURS] if first == THEIRS else None
    for part in below:
        ours = getattr(ours, part, None)
    return ours


def _imports(code: Any) -> bool:
    steps = (step for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME")
    return any(step.argval.partition(".")[0] == THEIRS for step in steps)


def _import(name: str, *rest: Any, **more: Any) -> Any:
    """Import as it is, but for PyTorch."""
    first, dot, below = name.partition(".")
    return builtins.__import__(OURS + dot + below if first == THEIRS else name, *rest, **more)

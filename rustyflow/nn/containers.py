"""Modules that hold others: one after the other, in a list, in a dict; and a list of parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any

from ..errors import ArgumentTypeError, IndexOutOfRange
from ..errors.foreign import kind_of
from ..tensor import Tensor
from .module import Module
from .parameter import Parameter


class _Numbered(Module):
    """Parts by their number: `_held` is the table that they are in."""

    def _held(self) -> dict[str, Any]:
        return self._modules

    def _key(self, at: Any) -> str:
        n = len(self)
        number = index(at)
        if not -n <= number < n:
            raise IndexOutOfRange(
                f"{type(self).__name__}[{number}]",
                f"index {number} is out of range: there are {n} parts",
                f"an index from {-n} to {n - 1}" if n else "append one first",
            )
        return str(number % n)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return type(self)(list(self._held().values())[at])
        return self._held()[self._key(at)]

    def __setitem__(self, at: Any, part: Any) -> None:
        setattr(self, self._key(at), part)

    def __delitem__(self, at: Any) -> None:
        gone = {self._key(k) for k in range(len(self))[at]} if isinstance(at, slice) else {self._key(at)}
        kept = [part for key, part in self._held().items() if key not in gone]
        self._held().clear()
        self._held().update({str(k): part for k, part in enumerate(kept)})

    def __len__(self) -> int:
        return len(self._held())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held().values())

    def append(self, part: Any) -> Any:
        """Add one at the end; returns itself."""
        self._add(str(len(self)), part)
        return self

    def extend(self, parts: Iterable[Any]) -> Any:
        """Add several at the end; returns itself."""
        if isinstance(parts, Module) and not isinstance(parts, Iterable):
            rule = f"{type(self).__name__} should be called with an iterable, but got {kind_of(parts)}"
            raise ArgumentTypeError(kind_of(parts), rule, "[layer, layer]", value=parts)
        for part in parts:
            self.append(part)
        return self

    def __iadd__(self, parts: Iterable[Any]) -> Any:
        return self.extend(parts)

    def __add__(self, parts: Iterable[Any]) -> Any:
        joined = [*self, *parts]
        return type(self)(*joined) if isinstance(self, Sequential) else type(self)(joined)

    def insert(self, at: int, part: Any) -> Any:
        """Add one before a place."""
        parts = list(self)
        if not -len(parts) <= at <= len(parts):
            rule = f"index {at} is out of range: there are {len(parts)} parts"
            raise IndexOutOfRange(f"insert({at}, ...)", rule, "append(...)")
        if not isinstance(part, Tensor if isinstance(self, ParameterList) else Module):
            wanted = "tensors" if isinstance(self, ParameterList) else "modules"
            raise ArgumentTypeError(kind_of(part), f"{type(self).__name__} holds {wanted}", "nn.ReLU()", value=part)
        parts.insert(at, part)
        self._held().clear()
        return self.extend(parts)

    def pop(self, at: int = -1) -> Any:
        """Take one out."""
        part = self[at]
        del self[at]
        return part

    def _add(self, key: str, part: Any) -> None:
        self.add_module(key, part)


class Sequential(_Numbered):
    """Modules one after the other: each takes what the one before gives.

    Shapes:
        those of the first module for the input, of the last for the output; each takes what the one before gives.

    Raises:
        TypeError: something that is no Module.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.Sequential.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.Sequential(rf.nn.Linear(2, 3), rf.nn.ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Any):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], Mapping) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def _key(self, at: Any) -> str:
        return list(self._modules)[int(super()._key(at))]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return type(self)(OrderedDict(list(self._modules.items())[at]))
        return super().__getitem__(at)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules, whose parameters are found.

    Raises:
        TypeError: something that is no Module. IndexError: no such place.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ModuleList.html

    Example:
        >>> import rustyflow as rf
        >>> layers = rf.nn.ModuleList([rf.nn.Linear(2, 2) for _ in range(3)])
        >>> len(layers), len(list(layers.parameters()))
        (3, 6)
    """

    def __init__(self, modules: Iterable[Module] | None = None):
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        """Neighbours that read alike are counted, as in PyTorch."""
        runs: list[list[Any]] = []
        for k, said in enumerate(map(repr, self)):
            if runs and runs[-1][2] == said:
                runs[-1][1] = k
            else:
                runs.append([k, k, said])
        lines = [f"({a}): {said}" if a == b else f"({a}-{b}): {b - a + 1} x {said}" for a, b, said in runs]
        inside = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {inside}\n)" if runs else f"{self._get_name()}()"


class ParameterList(_Numbered):
    """A list of parameters; tensors become parameters.

    Raises:
        TypeError: what is no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ParameterList.html

    Example:
        >>> import rustyflow as rf
        >>> len(list(rf.nn.ParameterList([rf.ones(2), rf.ones(3)]).parameters()))
        2
    """

    def __init__(self, values: Iterable[Any] | None = None):
        super().__init__()
        self.extend(values or ())

    def _held(self) -> dict[str, Any]:
        return self._parameters

    def _add(self, key: str, part: Any) -> None:
        if not isinstance(part, Tensor):
            raise ArgumentTypeError(
                f"{kind_of(part)}", "a ParameterList holds tensors", "rustyflow.tensor(x)", value=part
            )
        self._parameters[key] = part if isinstance(part, Parameter) else Parameter(part)

    def __setitem__(self, at: Any, part: Any) -> None:
        self._add(self._key(at), part)

    def extra_repr(self) -> str:
        return "\n".join(
            f"  ({key}): Parameter containing: [{x.dtype} of size {'x'.join(map(str, x.shape))}]"
            for key, x in self._parameters.items()
        )


class ModuleDict(Module):
    """Modules by name, in the order in which they were added.

    Raises:
        TypeError: something that is no Module. KeyError: no such name.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html

    Example:
        >>> import rustyflow as rf
        >>> heads = rf.nn.ModuleDict({"a": rf.nn.Linear(2, 1), "b": rf.nn.Linear(2, 5)})
        >>> heads["b"](rf.ones(2)).shape
        rustyflow.Size([5])
    """

    def __init__(self, modules: Any = None):
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._modules.items()

    def clear(self) -> None:
        """Hold none."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take one out."""
        return self._modules.pop(key)

    def update(self, modules: Any) -> None:
        """Add those of a dict, or of pairs."""
        pairs = list(modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules)
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            rule = "a ModuleDict is made of a dict, or of pairs of a name and a module"
            raise ArgumentTypeError(f"{kind_of(pairs[0])}, ...", rule, "{'name': nn.ReLU()}", value=pairs)
        for key, module in pairs:
            self.add_module(key, module)

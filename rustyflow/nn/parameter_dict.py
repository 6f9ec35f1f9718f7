"""A dict of parameters, which a module that holds it finds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import AbsentKey, ArgumentTypeError, ArgumentValueError, StateError
from ..errors.foreign import kind_of
from ..tensor import Tensor
from .module import Module
from .parameter import Parameter


class NoParameterError(AbsentKey, AttributeError):
    """A name that a ParameterDict has not: an AttributeError, as in PyTorch, and of a dict a KeyError."""


class ParameterDict(Module):
    """Parameters by name; tensors become parameters, and what else is given is kept as it is.

    A plain dict is taken in the order of its keys, as in PyTorch; an OrderedDict, a ParameterDict and pairs in their
    own.

    Raises:
        TypeError: a name that is no text, or what holds no pairs. NoParameterError (an AttributeError and a KeyError):
        no such name. RuntimeError: a call.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.ParameterDict.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.ParameterDict({"left": rf.ones(2, 3), "right": rf.ones(3)})
        ParameterDict(
            (left): Parameter containing: [rustyflow.FloatTensor of size 2x3]
            (right): Parameter containing: [rustyflow.FloatTensor of size 3]
        )
    """

    def __init__(self, parameters: Any = None):
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        rule = "ParameterDict should not be called."
        raise StateError("ParameterDict(...)()", rule, 'x @ self.weights["name"], in the forward that holds it')

    def __getitem__(self, key: str) -> Any:
        if self._named_by(key) not in self._keys:
            held = ", ".join(map(repr, self._keys)) or "nothing yet"
            rule = f"a ParameterDict has what was put into it: {held}"
            raise NoParameterError(f"ParameterDict(...)[{key!r:.60}]", rule, "parameters.get(name)")
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if self._named_by(key) in self._keys and key not in self._parameters:
            self._forget(key)
        if isinstance(value, Tensor):
            self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))
        else:
            setattr(self, key, value)
        self._keys[key] = None

    def _named_by(self, key: Any) -> str:
        if not isinstance(key, str):
            rule = f"Index given to ParameterDict cannot be used as a key as it is not a string, but {kind_of(key)}"
            raise ArgumentTypeError(f"ParameterDict[{key!r:.60}]", rule, f"[{str(key)!r:.60}]", value=key)
        return key

    def __delitem__(self, key: str) -> None:
        self[key]  # which refuses a name that is not there
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __or__(self, other: Any) -> ParameterDict:
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other: Any) -> ParameterDict:
        return ParameterDict(other) | self

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Another dict of the same parameters."""
        return ParameterDict(self.items())

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return [(key, self[key]) for key in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or another value where there is none."""
        return self[key] if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, which is added where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Drops all."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Takes one out."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes out the last one that was added, with its name."""
        key = next(reversed(self._keys), None)
        if key is None:
            raise AbsentKey("ParameterDict().popitem()", "popitem(): dictionary is empty", "if len(parameters): ...")
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dict with one value for each of some names."""
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters: Any) -> None:
        """Adds those of a dict, or of pairs."""
        if not isinstance(parameters, Iterable):
            rule = "ParametersDict.update should be called with an iterable of key/value pairs"
            raise ArgumentTypeError(kind_of(parameters), rule, '{"name": rustyflow.ones(2)}', value=parameters)
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = list(parameters.items())
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = list(parameters)
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                rule = "a ParameterDict is made of a dict, or of pairs of a name and a tensor"
                wrong = ArgumentValueError if isinstance(pair, Iterable) else ArgumentTypeError
                raise wrong(f"{kind_of(pair)}, ...", rule, '{"name": rustyflow.ones(2)}', value=pair)
            self[pair[0]] = pair[1]

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_told(x)}" for key, x in self.items())


def _told(x: Any) -> str:
    """One line about what a ParameterDict holds."""
    if not isinstance(x, Tensor):
        return f"Object of type: {type(x).__name__}"
    kind = "Parameter" if isinstance(x, Parameter) else "Tensor"
    return f"{kind} containing: [{x.type()} of size {'x'.join(map(str, x.size()))}]"

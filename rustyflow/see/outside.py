"""Modules and values that act outside of the tensors: a line that is run on copies gets none of them.

It is no sandbox, but a promise about a reader's own line: nothing of it is done a second time.
"""

import builtins
import re
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from ..errors import ArgumentValueError

ALLOWED = {
    "rustyflow", "torch", "numpy", "math", "cmath", "itertools", "functools", "operator", "collections", "_collections",
    "_operator", "_functools", "string", "re", "random", "_random", "builtins", "typing", "types", "abc", "enum",
    "dataclasses", "copy", "numbers", "fractions", "decimal", "statistics", "array", "bisect", "heapq", "einops",
    "contextlib", "warnings", "datetime", "time",
}  # fmt: skip
"""The libraries that compute, and do no more."""

STATES = r"rng_state|state|grad_enabled"
"""The setters of what is put back when a line has run."""

ACTS = re.compile(rf"_*set_(?!({STATES})$)\w+|seterr\w*|setbufsize|use_deterministic_algorithms|save\w*|tofile|dump|"
                  r"memmap|open_memmap|hub|multiprocessing|distributed|cpp_extension|tensorboard|f2py|"
                  r"ctypeslib|onnx|export|simplefilter|filterwarnings|resetwarnings|unload_ipython_extension|"
                  r"load_ipython_extension")  # fmt: skip
"""What acts in the libraries that compute: it writes a file, or sets how they work from then on."""

BUILTINS = """input open breakpoint exit quit exec eval compile __import__ help license credits copyright""".split()
"""The functions of Python that act, or run what cannot be looked through."""


class NotCopied(ArgumentValueError):
    """A value of which no copy can be made, so that a line with it is not run again."""


class TooMany(NotCopied):
    """Tensors of more numbers than are copied."""


def refuse(name: str, *_: Any, **__: Any) -> None:
    """Refuses to run something a second time.

    >>> try:
    ...     refuse("os.remove")
    ... except NotCopied as error:
    ...     print(error.was, error.rule, sep=": ")
    os.remove is not run again: it acts outside of the tensors
    """
    name = name if isinstance(name, str) else "it"
    raise NotCopied(f"{name} is not run again", "it acts outside of the tensors", f"the line without {name}")


def harmless(importing: Callable) -> dict[str, Any]:
    """Python's own names, without those that act."""
    refused = {name: partial(refuse, name) for name in BUILTINS}
    return {**vars(builtins), **refused, "__import__": importing, "print": lambda *_, **__: None}


def root(value: Any) -> str:
    """The library that a function, a class, or a value is of."""
    where = getattr(value, "__module__", None) or type(value).__module__
    return str(where).partition(".")[0]


class Guard(ModuleType):
    """A library's module which hands out what computes, and refuses what acts."""

    def __init__(self, module: ModuleType, of: Callable[[ModuleType], Any]):
        super().__init__(module.__name__)
        self.__dict__.update(__guarded__=module, __of__=of)

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__["__guarded__"]
        if module.__name__.partition(".")[0] not in ALLOWED or ACTS.fullmatch(name):
            refuse(f"{module.__name__}.{name}")
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            value = self.__dict__["__of__"](value)
        return value


class Twinned(ModuleType):
    """A module that a reader wrote, with twins of what it has."""

    def __init__(self, module: ModuleType, space: Any):
        super().__init__(module.__name__)
        self.__dict__["__space__"] = space

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["__space__"][name]
        except KeyError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None


class Refused:
    """The stand-in of a part that cannot be copied: it is refused as soon as it is used."""

    def __init__(self, name: str):
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"{self.__dict__['name']}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        refuse(self.__dict__["name"])

    def __enter__(self) -> Any:
        refuse(self.__dict__["name"])

    def __exit__(self, *_: Any) -> None:
        pass

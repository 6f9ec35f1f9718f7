"""The arithmetic: `backend` is the namespace of array functions, called F in every op; `use` changes it.

The tensor library and the engine know only these names, so that another implementation is chosen with one line. A
backend is a module whose `functions()` gives a dict of
- `name`; `Array`, the class of its arrays, which have a shape, a dtype, strides and NumPy's operators; `Ufunc`, the
  classes of functions that write where `out` says;
- the functions that the families of `backends.numpy` define, and those that its `NUMPY` lists;
- `rest`, an object that has what is not in the dict yet, and `absent`, which says of a function why it is not there.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import AbsentName, ArgumentTypeError, ArgumentValueError, missing

__all__ = ["NAMES", "Backend", "backend", "cudnn", "mps", "refuse_foreign", "use"]

NAMES = ("numpy", "loops")


class Backend:
    """A namespace filled from a backend module.

    Names that it does not define are looked for in its `rest` when first used.

    Raises:
        AbsentName (an AttributeError and a NotImplementedError): a function that the backend does not have.

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.backend.name, rf.backends.backend.exp([0.]).tolist()
        ('numpy', [1.0])
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python's own questions, such as whether F wraps a function
            raise AttributeError(name)
        if not hasattr(self.__dict__["rest"], name):
            own = self.__dict__["name"]
            why = self.__dict__.get("absent", {}).get(name)
            raise AbsentName(f"F.{name}", f"the {own} backend has no function {name}{': ' + why if why else ''}",
                             "rustyflow.backends.use('numpy')" if own != "numpy" else "")
        self.__dict__[name] = found = getattr(self.__dict__["rest"], name)
        return found


backend = Backend()


class use:
    """Choose the backend for all that follows, or inside a `with`; it understands no tensor made under the other.

    Raises:
        ArgumentValueError (a ValueError): no such backend.

    Example:
        >>> import rustyflow as rf
        >>> with rf.backends.use("loops"):
        ...     (rf.tensor([1., 2.]) * 3).tolist()
        [3.0, 6.0]
    """

    def __init__(self, name: str):
        if name not in NAMES:
            raise ArgumentValueError(f"backend {name!r}",
                                     f"there are {' and '.join(NAMES)}",
                                     "rustyflow.backends.use('numpy')")
        self.before = backend.__dict__.copy()
        backend.__dict__ = import_module(f".{name}", __name__).functions()

    def __enter__(self):
        return backend

    def __exit__(self, *exc):
        backend.__dict__ = self.before


def refuse_foreign(*arrays, **how):
    """Raise the error for an array of another backend.

    Raises:
        ArgumentTypeError (a TypeError).

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.refuse_foreign()
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: tensors made under two backends, of which one is loops
        rule: the arrays of two backends do not mix: each knows only its own memory
        try:  make both under the same one; rustyflow.tensor(x.tolist()) makes x anew
    """
    raise ArgumentTypeError("tensors made under two backends, of which one is loops",
                            "the arrays of two backends do not mix: each knows only its own memory",
                            "make both under the same one; rustyflow.tensor(x.tolist()) makes x anew")


use("numpy")


def __getattr__(name):
    if name in ("cudnn", "mps"):
        return import_module(f".{name}", __name__)
    missing(__name__, name, __all__)


def __dir__():
    return __all__

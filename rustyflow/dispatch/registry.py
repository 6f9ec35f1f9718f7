"""The op pattern: a class holds a formula, a forward, a gradient per operand; `op` makes it a function.

    @op
    class mul:
        '''y = a * b        da = g * b        db = g * a'''
        def forward(F, a, b): return a * b
        def grad_a(F, g, b): return g * b
        def grad_b(F, g, a): return g * a

`F` is the namespace of array functions: the backend's for arrays, and rustyflow's own recording functions when the
gradient itself is wanted as a graph. The parameter names of a gradient say what must be saved: operands, results (`y`,
or the names in `results`), and `shape`, the operand's own shape. Attributes are keyword-only. Broadcasting is the
engine's business. An op whose forward is F's function of its own name, such as `sin`, says only the gradients.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..arguments.explain import explain_methods, explaining_as, explaining_once
from ..backends.plain import formulas
from ..tensor import Tensor, fill
from .inplace import apply_inplace, inplace_form
from .operation import OPS, Op
from .out import NAMES as TAKES_OUT, with_out
from .run import apply, binary, unary

PUBLIC: dict[str, Callable] = {}

explain_methods(Tensor)  # for the methods that it has before any op


class _Recording:
    """The F that records: every public function, and the ops that only gradients use."""

    def __getattr__(self, name):
        if not name.startswith("__"):
            fill()
            if name in vars(self):
                return vars(self)[name]
        raise AttributeError(f"F has no function {name!r}")


recording: Any = _Recording()
vars(recording).update(formulas(recording))


def op(cls: type | None = None, *, public: bool = True, method: bool = True, inplace: bool = False):
    """Turn a class into a function, a Tensor method and, with `inplace`, a method whose name ends in an underscore.

    A static `call` in the class gives the public signature, such as (input, dim=None, keepdim=False), and ends in
    `apply`; a static `write`, that of the in-place method, which ends in `apply_inplace`.
    """
    def register(cls):
        it = Op(cls)
        OPS[cls.__name__] = it
        call = vars(cls).get("call") or direct(it)
        call.op = it
        _document(call, cls)
        expose(cls.__name__, call, public, method)
        if inplace:
            form = vars(cls).get("write")
            if form is None:
                form = inplace_form(call) if "call" in vars(cls) else _direct_inplace(it.over)
            _attach(cls.__name__ + "_", form)
        return call
    return register if cls is None else register(cls)


def function(f: Callable | None = None, *, public: bool = True, method: bool = True, inplace: bool | Callable = False):
    """Expose a function made of other ops as `op` does: a function, a method, with `inplace` one with an underscore.

    `inplace` may be the in-place method itself, where that needs no second tensor.
    """
    def register(f):
        expose(f.__name__, f, public, method)
        if inplace:
            _attach(f.__name__ + "_", inplace_form(f) if inplace is True else inplace)
        return f
    return register if f is None else register(f)


def expose(name: str, call: Callable, public: bool = True, method: bool = True, creates: bool = False) -> None:
    """Make a function known as F.name, as rustyflow.name (with `out=`) if `public`, and as Tensor.name if `method`.

    The latter two get the layer that explains wrong calls; ops that call each other meet none.
    """
    setattr(recording, name, call)
    if public:
        PUBLIC[name] = with_out(call, creates) if name in TAKES_OUT else explaining_once(call)
    if method:
        setattr(Tensor, name, explaining_as(call, f"Tensor.{name}"))


def function_of(method: Callable) -> Callable:
    """Decorate a public function whose method has another signature: it gets the method's name and docstring."""
    def register(call):
        call.__name__ = call.__qualname__ = method.__name__
        call.__doc__ = method.__doc__
        expose(method.__name__, explaining_once(call), method=False)
        return method
    return register


def also_called(call: Callable, *names: str) -> None:
    """Give a function, its method and its in-place method PyTorch's other names for it.

    Errors name the function and the methods as the user wrote them.
    """
    for name in names:
        expose(name, call, public=False, method=hasattr(Tensor, call.__name__))
        if call.__name__ in PUBLIC:
            PUBLIC[name] = with_out(call, name=name) if name in TAKES_OUT else explaining_as(call, name)
        if hasattr(Tensor, call.__name__ + "_"):
            setattr(Tensor, name + "_", getattr(Tensor, call.__name__ + "_"))


def _attach(name, form):
    form.__name__, form.__qualname__ = name, f"Tensor.{name}"
    setattr(Tensor, name, form)


def _document(call, cls):
    call.__name__ = call.__qualname__ = cls.__name__
    call.__doc__, call.__module__ = cls.__doc__, cls.__module__
    collect(call)


def collect(call: Callable) -> None:
    """Let doctest run the example of a function that no statement of its module defines."""
    vars(sys.modules[call.__module__]).setdefault("__test__", {})[call.__name__] = call.__doc__


def direct(it: Op) -> Callable:
    """The function of an op: for one or two operands `unary` or `binary`, which are fast; settings come last."""
    if it.has_attrs:
        many = len(it.operands)
        return lambda *given, **attrs: apply(it, *given[:many], **dict(zip(it.settings, given[many:])), **attrs)
    if len(it.operands) == 1:
        return unary(it)
    if it.promote == "common" and len(it.operands) == 2:
        return binary(it)
    return lambda input, other: apply(it, input, other)


def _direct_inplace(it: Op) -> Callable:
    if len(it.operands) == 1:
        return lambda input: apply_inplace(it, input)
    return lambda input, other: apply_inplace(it, input, other)

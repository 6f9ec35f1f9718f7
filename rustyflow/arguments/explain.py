"""Calls that do not fit a function's parameters: Python's TypeError, retold so that it teaches.

Python raises it before the function begins, so only a wrapper around the function, here called a layer, can say more.
Functions that have a wrapper anyway, as for `out=`, do so there, at no cost to a correct call; all others, methods too,
get a layer here, which costs a tenth of a microsecond. Operators have none.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial, update_wrapper, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from numbers import Real
from types import FrameType, FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..errors import warn
from .checks import by_place, check_first, checked_first
from .kinds import has_no_axes, is_int64
from .rules import NUMPY_UNDERSTOOD, OTHER, OWN, SCALARS

if TYPE_CHECKING:
    from .call import Call

FUNCTIONAL = "rustyflow.nn.functional"


@cache
def explaining_once(call: Callable) -> Callable:
    """The function in a layer that explains calls that do not fit, unless it has a layer already; cached.

    Example:
        >>> @explaining_once
        ... def roll(input, shifts, dims=None): return input
        >>> roll(0, shifts=1, dim=2)
        Traceback (most recent call last):
        rustyflow.errors.CallError: roll(0, shifts=1, dim=2)
        rule: roll(): got an unexpected keyword argument 'dim'
        try:  dims=2; roll(input, shifts, dims=None)
    """
    return call if _is_layer(call) else explaining(call)


def _is_layer(call: Callable) -> bool:
    """True if a function takes (*args, **kwargs) alone, as a layer does."""
    code = call.__code__
    return bool(code.co_flags & CO_VARARGS and code.co_flags & CO_VARKEYWORDS) and not code.co_argcount


def explain_methods(cls: type) -> None:
    """Wraps the public methods of a class in layers whose errors name the method.

    A function that is used as one keeps its own layer.
    """
    for name in dir(cls):
        method = getattr(cls, name)
        if isinstance(method, FunctionType) and not name.startswith("_"):
            own = f"{cls.__name__}.{name}"
            setattr(cls, name, explaining_once(method) if method.__qualname__ == own else explaining_as(method, own))


def teach_making(names: Mapping[str, Any], public: Iterable[str], room: str = "") -> None:
    """Let the public classes among some names explain calls that make no instance: which settings there are, and which
    may be meant; `room` stands before the class's name.
    """
    for name in public:
        if isinstance(names[name], type) and isinstance(names[name].__init__, FunctionType):
            names[name].__init__ = _making(names[name], names[name].__init__, f"{room}{name}")


def teach_methods(names: Mapping[str, Any], public: Iterable[str]) -> None:
    """Let the public classes among some names explain calls that do not fit the methods they define; what is raised
    inside a method passes as it is.
    """
    for kind in {id(names[name]): names[name] for name in public if isinstance(names[name], type)}.values():
        for name, method in list(vars(kind).items()):
            if isinstance(method, FunctionType) and not name.startswith("_"):
                setattr(kind, name, _calling(method, name, 1))


def _making(kind: type, begin: Callable, name: str) -> Callable:
    @wraps(begin)
    def __init__(self, *args, **kwargs):
        try:
            begin(self, *args, **kwargs)
        except TypeError:
            refuse_misfit(name, kind, args, kwargs)
            raise
    return __init__


def teach_calling(names: dict[str, Any], public: Iterable[str], room: str) -> None:
    """Let the public functions, classes and methods among a room's names explain calls that do not fit.
    """
    teach_making(names, public, f"{room}.")
    teach_methods(names, public)
    for name in public:
        if isinstance(names[name], FunctionType):
            names[name] = _calling(names[name], f"{room}.{name}")


def _calling(call: Callable, name: str, bound: int = 0) -> Callable:
    @wraps(call)
    def layer(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except TypeError:
            refuse_misfit(name, partial(call, *args[:bound]), args[bound:], kwargs)
            raise
    return layer


def refuse_misfit(name: str, call: Callable, args: Sequence, kwargs: Mapping[str, Any], also: Iterable[str] = ()
                  ) -> None:
    """Raise a CallError where arguments do not fit the parameters of what is called `name`; `also` names keywords that
    may be meant besides.

    Example:
        >>> refuse_misfit("show.strides", lambda x, title=None: x, [3], {"titel": "x"})
        Traceback (most recent call last):
        rustyflow.errors.CallError: show.strides(3, titel='x')
        rule: show.strides(): got an unexpected keyword argument 'titel'
        try:  title='x'; show.strides(x, title=None)
    """
    from .call import Call
    called = SimpleNamespace(__name__=name, __qualname__=name)
    try:
        written = Call(called, call, tuple(args), dict(kwargs), also)
    except ValueError:  # a function in C may tell no parameters: math.log and max do not
        return
    if written.given is None:
        raise written.misfit() from None


def outside_layers(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, from one on, that is of no layer: of who called a function that has one."""
    while frame is not None and frame.f_globals is globals():
        frame = frame.f_back
    return frame


@cache
def explaining_as(call: Callable, qualname: str) -> Callable:
    """The function in a layer whose errors call it by this name, such as `mul` or `Tensor.mul`; cached.

    Example:
        >>> @explaining
        ... def multiply(input, other): return input * other
        >>> explaining_as(multiply, "mul")(2)
        Traceback (most recent call last):
        rustyflow.errors.CallError: mul(2)
        rule: mul(): missing a required argument: 'other'
        try:  mul(input, other)
    """
    again = update_wrapper(explaining(call.__wrapped__ if _is_layer(call) else call), call)
    again.__name__, again.__qualname__ = qualname.rpartition(".")[2], qualname
    return again


def explaining(call: Callable) -> Callable:
    """As `explaining_once`, also for a function that takes (*args, **kwargs).

    Example:
        >>> @explaining
        ... def ndim(input): return input._a.ndim
        >>> ndim(3)
        Traceback (most recent call last):
        rustyflow.errors.NoTensorError: ndim(input=3) got int
        rule: ndim(): argument 'input' must be Tensor, not int
        try:  wrap it: rustyflow.tensor(...)
    """
    name = call.__name__
    if name in ("call", "write"):  # defined in an op's class, by whose name it is known
        name = call.__qualname__.rpartition(".")[0].rpartition(".")[2] + "_" * (name == "write")
    where = checked_first(name, call)
    free = by_place(where)

    @wraps(call)
    def layer(*args, **kwargs):
        try:
            if where and (kwargs or len(args) > free):
                check_first(layer.__name__, where, args, kwargs)
            return call(*args, **kwargs)
        except Exception as error:
            args, kwargs = retry_or_explain(error, layer, call, args, kwargs)
        return layer(*args, **kwargs)
    layer.__name__ = name
    return layer


def retry_or_explain(error: Exception, layer: Callable, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple:
    """(args, kwargs) by PyTorch's present names, for a failed call that used NumPy's names or an old form.

    An error that was raised inside the function, and says enough, is raised again. `layer` is the function that was
    called, by whose name errors call it; `call` is the function it wraps.

    Raises:
        CallError (a TypeError): the call does not fit; says so in three parts.
        TensorError, of the error's own type too: the error was one of Python's own, or named a function that the user
            did not call.
    """
    from .call import Call
    written = Call(layer, call, args, kwargs)
    if written.given is None:
        if (again := _in_present_form(written, call)) is not None:
            return again
        raise written.misfit() from None
    from .messages import better_error
    if (better := better_error(error, written)) is not None:
        raise better from None
    raise


def _in_present_form(written: Call, call: Callable) -> tuple | None:
    """(args, kwargs) of a call in NumPy's names, or an old form, by the present names; else None."""
    args, kwargs, fits, name = written.args, written.kwargs, written.signature, written.name
    names = {**NUMPY_UNDERSTOOD, **OTHER.get(name, {})}
    renamed = {key if key in fits.parameters else names.get(key, key): value for key, value in kwargs.items()}
    if len(renamed) == len(kwargs) and renamed.keys() != kwargs.keys() and not _is_python(written, call):
        with suppress(TypeError):
            fits.bind(*args, **renamed)
            return args, renamed
    if written.method and name in ("count_nonzero", "dsplit", "hsplit", "vsplit") and len(args) > 2 and not kwargs:
        if all([isinstance(n, int) or is_int64(n) for n in args[1:]]):  # their tuple, one by one
            return (args[0], args[1:]), {}
    return tensors_first(name, call, args, kwargs)


def _is_python(written: Call, call: Callable) -> bool:
    """True if a function is Python in PyTorch too, and takes no other names.

    That is what nn.functional alone has, and OWN.
    """
    alone = call.__module__.startswith("rustyflow.ops.nn.") and written.name not in dir(sys.modules["rustyflow"])
    return alone and not written.method or call.__module__ == FUNCTIONAL or (
        written.name in OWN and "ord" not in written.signature.parameters)  # which linalg's norm has


def tensors_first(name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """(args, kwargs) of a call in an old form with its numbers as keywords, after a warning; else None."""
    plain = name.removesuffix("_")
    if plain in ("rsub", "subtract") and len(args) == 3 and not kwargs and all(map(_is_number, args[1:])):
        return args[:2], {"alpha": args[2]}
    if kwargs.keys() == {"other"}:
        args, kwargs = (*args, kwargs["other"]), {}
    known = () if kwargs else SCALARS.get(plain, ())
    if not known:
        return None
    from .call import signature_of
    extra = len(args) - len([p for p in signature_of(call).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD])
    if not 0 < extra <= len(known):
        return None
    first = "beta" in known and (isinstance(args[0], Real) or not _is_number(args[1]))
    places = ((0, 2) if first else (1, 2))[:extra]
    if not all([_is_number(args[k]) for k in places]):
        return None
    numbers = {key: args[k] for key, k in zip(known, places)}
    shown = ", ".join(f"{key}={value}" for key, value in numbers.items())
    warn(f"This overload of {name} is deprecated: write the tensors first, and {shown} after them.")
    return tuple([x for k, x in enumerate(args) if k not in places]), numbers


def _is_number(x: Any) -> bool:
    """True if it may be a number that stands before a tensor: Python's, or a tensor without axes."""
    return isinstance(x, Real) or has_no_axes(x) and not getattr(x, "requires_grad", False)

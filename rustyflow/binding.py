"""A call that does not fit its function's parameters: Python's TypeError, said so that it teaches.

Python notices such a call before the function begins, so that only a layer around the function can say more. Many
functions have one, for `out=`, for NumPy's names or for operands that are no tensors, and say it there at no cost to a
call that is right; all others get one here, methods as well, for a tenth of a microsecond. Operators have none.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, update_wrapper, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS, unwrap
from numbers import Real
from types import FunctionType
from typing import Any

from .errors import CallError, GradError, MemoryOverlapError, ShapeError
from .kinds import by_place, check_first, checked_first, has_no_axes, is_int64
from .signatures import ALPHA_THIRD, NUMPY_UNDERSTOOD, ONE_BY_ONE, OTHER, OWN, SCALARS
from .warn import warn

FUNCTIONAL = "rustyflow.nn.functional"


@cache
def taught(call: Callable) -> Callable:
    """The function in a layer that explains calls that do not fit, if it has no layer yet; always the same one.

    Example:
        >>> @taught
        ... def roll(input, shifts, dims=None): return input
        >>> roll(0, shifts=1, dim=2)
        Traceback (most recent call last):
        rustyflow.errors.CallError: roll(0, shifts=1, dim=2)
        rule: roll() got an unexpected keyword argument 'dim'
        try:  dims=2; roll(input, shifts, dims=None)
    """
    return call if _is_layer(call) else explained(call)


def _is_layer(call: Callable) -> bool:
    """Whether it takes whatever comes, as a layer does."""
    code = call.__code__
    return bool(code.co_flags & CO_VARARGS and code.co_flags & CO_VARKEYWORDS) and not code.co_argcount


def teach(cls: type) -> None:
    """Give the public methods of a class their layers, which speak of methods: a function's own is left as it is."""
    for name in dir(cls):
        method = getattr(cls, name)
        if isinstance(method, FunctionType) and not name.startswith("_"):
            own = method.__qualname__ == f"{cls.__name__}.{method.__name__}"
            setattr(cls, name, taught(method) if own else known_as(method, f"{cls.__name__}.{method.__name__}"))


@cache
def known_as(call: Callable, qualname: str) -> Callable:
    """The function in a layer that speaks of it by this name, as of a method, or as of no method; always the same one.

    Example:
        >>> @explained
        ... def multiply(input, other): return input * other
        >>> known_as(multiply, "mul")(2)
        Traceback (most recent call last):
        rustyflow.errors.CallError: mul(2)
        rule: mul() missing 1 required positional argument: 'other'
        try:  mul(input, other)
    """
    again = update_wrapper(explained(call.__wrapped__ if _is_layer(call) else call), call)
    again.__name__, again.__qualname__ = qualname.rpartition(".")[2], qualname
    return again


def explained(call: Callable) -> Callable:
    """As `taught`, whatever the function takes.

    Example:
        >>> @explained
        ... def ndim(input): return input._a.ndim
        >>> ndim(3)
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: ndim(input=3) got int
        rule: ndim(): argument 'input' must be Tensor, not int
        try:  wrap it: rustyflow.tensor(...)
    """
    name = call.__name__
    if name in ("call", "write"):  # of an op's class, whose name it has
        name = call.__qualname__.rpartition(".")[0].rpartition(".")[2] + "_" * (name == "write")
    where = checked_first(name, call)
    placed = by_place(where)

    @wraps(call)
    def layer(*args, **kwargs):
        try:
            if where and (placed or kwargs):
                check_first(layer.__name__, where, args, kwargs)
            return call(*args, **kwargs)
        except Exception as error:
            if (again := understood(error, layer, call, args, kwargs)) is None:
                raise
        return layer(*again[0], **again[1])
    layer.__name__ = name
    return layer


def understood(error: Exception, layer: Callable, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """The arguments, and the keywords by our names, of a call that Python turned down: NumPy's or old ones.

    None for what went wrong further down, within the function, and says enough. `layer` is what was called, and gives
    its name; `call` the function that it is for.

    Raises:
        CallError (a TypeError): the call does not fit; says so in three parts.
        ArgumentTypeError (a TypeError): an argument is of another kind than its name says.
        TensorError, of the error's own type too: what went wrong further down had Python's words only, or spoke of a
        function that nobody called.
    """
    from .calls import Call
    written, said = Call(layer, call, args, kwargs), str(error)
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        early = isinstance(error, (GradError, MemoryOverlapError)) or written.method and isinstance(error, ShapeError)
        if written.given is not None or not early:
            from .retelling import say_better
            return say_better(error, written, call.__module__ == FUNCTIONAL)
        said = _misfit(call, args, kwargs)  # memory, and flags, are looked at before Python sees the arguments
    fits, name = written.signature, written.name
    names = {**NUMPY_UNDERSTOOD, **OTHER.get(name, {})}
    renamed = {key if key in fits.parameters else names.get(key, key): value for key, value in kwargs.items()}
    own = name in OWN or call.__module__ == FUNCTIONAL
    if len(renamed) == len(kwargs) and renamed.keys() != kwargs.keys() and not own:
        with suppress(TypeError):
            fits.bind(*args, **renamed)
            return args, renamed
    if written.method and name in ONE_BY_ONE and len(args) > 2 and not kwargs:
        if all([isinstance(n, int) or is_int64(n) for n in args[1:]]):
            return (args[0], args[1:]), {}
    if (moved := tensors_first(name, call, args, kwargs)) is not None:
        return moved
    meant = written.placed_dtype() or written.meant()
    fix = "; ".join([*[meant] * bool(meant), written.form])
    raise CallError(str(written), written.misfit(said), fix) from None


def _misfit(call: Callable, args: tuple, kwargs: dict[str, Any]) -> str:
    """What Python says of arguments that do not fit."""
    try:
        unwrap(call)(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return f"{call.__name__}() is called otherwise"


def tensors_first(name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """The arguments of an old call with its numbers as keywords, and a warning; None of any other call."""
    plain = name.removesuffix("_")
    if plain in ALPHA_THIRD and len(args) == 3 and not kwargs and _is_number(args[1]) and _is_number(args[2]):
        return args[:2], {"alpha": args[2]}
    if kwargs.keys() == {"other"}:
        args, kwargs = (*args, kwargs["other"]), {}
    known = () if kwargs else SCALARS.get(plain, ())
    if not known:
        return None
    from .calls import signature_of
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
    """Whether it may be a number that stands before a tensor: one of Python's, or a tensor without axes."""
    return isinstance(x, Real) or has_no_axes(x) and not getattr(x, "requires_grad", False)

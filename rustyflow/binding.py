"""A call that does not fit its function's parameters: Python's TypeError, said so that it teaches.

Python notices such a call before the function begins, so that only a layer around the function can say more. Many
functions have one, for `out=`, for NumPy's names or for operands that are no tensors, and say it there at no cost to a
call that is right; all others get one here, methods as well, for a tenth of a microsecond. Operators have none.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from numbers import Real
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CallError,
    IndexOutOfRange,
    NoTensorError,
    NumberError,
    ShapeError,
    TensorError,
)
from .kinds import check_first, checked_first, listed, not_a_tensor, wrong_kind
from .warn import warn

if TYPE_CHECKING:
    from inspect import Signature

LAYER = 0x04 | 0x08  # the flags of a code object that takes *args and **kwargs

NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names for arguments, which PyTorch understands as well."""

_CUTS = {"indices": "indices_or_sections", "sections": "indices_or_sections"}
OTHER = dict.fromkeys(("tensor_split", "hsplit", "vsplit", "dsplit"), _CUTS)
"""PyTorch's own second names for arguments of a function."""

SCALARS = {**dict.fromkeys(("add", "sub"), ("alpha",)), **dict.fromkeys(("addcmul", "addcdiv"), ("value",)),
           **dict.fromkeys(("addmm", "addmv", "addr", "addbmm", "baddbmm"), ("beta", "alpha"))}
"""Numbers that once stood between the tensors, as in p.add_(-0.1, p.grad), or before them, as beta did in a function;
PyTorch still takes them, with a warning.
"""

FUNCTIONAL = "rustyflow.nn.functional"

OWN = frozenset(("gumbel_softmax", "split", "unique", "unique_consecutive"))
"""The functions that know their own names only, for PyTorch has them written in Python; as all of nn.functional."""


SAID = {TypeError: ArgumentTypeError, AttributeError: NoTensorError, ValueError: ArgumentValueError,
        IndexError: IndexOutOfRange, OverflowError: NumberError}
"""Of Python's errors those that say the same in three parts."""


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
    whole = call.__code__.co_flags & LAYER == LAYER and not call.__code__.co_argcount
    return call if whole else explained(call)


def teach(cls: type) -> None:
    """Give the public methods of a class their layers."""
    for name in dir(cls):
        method = getattr(cls, name)
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(cls, name, taught(method))


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

    @wraps(call)
    def layer(*args, **kwargs):
        try:
            if where:
                check_first(layer.__name__, where, args, kwargs)
            return call(*args, **kwargs)
        except Exception as error:
            if (again := understood(error, layer.__name__, call, args, kwargs)) is None:
                raise
        return layer(*again[0], **again[1])
    layer.__name__ = name
    return layer


def understood(error: Exception, name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """The arguments, and the keywords by our names, of a call that Python turned down: NumPy's or old ones.

    None for what went wrong further down, within the function, and says enough.

    Raises:
        CallError (a TypeError): the call does not fit; says so in three parts.
        ArgumentTypeError (a TypeError): an argument is of another kind than its name says.
        TensorError, of the error's own type too: what went wrong further down had Python's words only.
    """
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return _say_better(error, name, call, args, kwargs)
    from inspect import signature
    fits = signature(call)
    names = {**NUMPY, **OTHER.get(name, {})}
    renamed = {key if key in fits.parameters else names.get(key, key): value for key, value in kwargs.items()}
    own = name in OWN or call.__module__ == FUNCTIONAL
    if len(renamed) == len(kwargs) and renamed.keys() != kwargs.keys() and not own:
        with suppress(TypeError):
            fits.bind(*args, **renamed)
            return args, renamed
    if (moved := tensors_first(name, call, args, kwargs)) is not None:
        return moved
    raise _explained(error, name, fits, args, kwargs) from None


def tensors_first(name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
    """The arguments of an old call with its numbers as keywords, and a warning; None of any other call."""
    known = () if kwargs else SCALARS.get(name.removesuffix("_"), ())
    head = args[:len(known) + 1]
    given = [x for x in head if _is_old(x)]
    if not given or head[0] is given[0] and "beta" not in known:
        return None
    from inspect import signature
    numbers = dict(zip(known, given))
    tensors = (*[x for x in head if not _is_old(x)], *args[len(head):])
    with suppress(TypeError):
        signature(call).bind(*tensors, **numbers)
        shown = ", ".join(f"{key}={value}" for key, value in numbers.items())
        warn(f"This overload of {name} is deprecated: write the tensors first, and {shown} after them.")
        return tensors, numbers
    return None


def _is_old(x: Any) -> bool:
    """Whether it may be a number that stands before a tensor: one of Python's, or a tensor without axes."""
    return isinstance(x, Real) or getattr(x, "ndim", 1) == 0


def _say_better(error: Exception, name: str, call: Callable, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raise the better error, if there is one, for what went wrong further down: an argument is of the wrong kind, or
    Python's words alone belong in three parts.
    """
    if isinstance(error, NoTensorError):
        return
    from inspect import signature
    fits, given = signature(call), {}
    with suppress(TypeError):  # a call of many forms
        given = fits.bind(*args, **kwargs).arguments
    wrong = wrong_kind(name, fits, given)
    if isinstance(error, ArgumentTypeError) and not isinstance(wrong, ShapeError):
        if wrong is None or any(f"argument '{key}" in error.rule for key in fits.parameters):
            return
        raise ArgumentTypeError(wrong.was, wrong.rule, error.fix) from None
    if wrong is not None:
        raise wrong from None
    if type(error) is AttributeError and not hasattr(error.obj, "_a") and _is_ours(error):
        wrong = next((key for key in given if given[key] is error.obj), next(iter(fits.parameters)))
        raise not_a_tensor(name, wrong, error.obj, call.__module__ == FUNCTIONAL) from None
    if not isinstance(error, TensorError) and type(error) in SAID and _is_ours(error):
        raise SAID[type(error)](_called(name, args, kwargs), f"{name}(): {error}", listed(name, fits))


def _is_ours(error: Exception) -> bool:
    """Whether it was raised in our code, or in NumPy's for ours, and not in a reader's function that ours called."""
    trace, last = error.__traceback__, ""
    while trace is not None:
        package = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        last = last if package == "numpy" else package
        trace = trace.tb_next
    return last == "rustyflow"


def _explained(error: Exception, name: str, fits: Signature, args: tuple, kwargs: dict[str, Any]) -> CallError:
    from difflib import get_close_matches
    near = [f"{close}={_shown(kwargs[key])}; " for key in kwargs if key not in fits.parameters
            for close in get_close_matches(key, fits.parameters, 1)]
    said = str(error).partition(" Did you mean")[0].rstrip(".")  # Python 3.13 guesses too
    fix = "".join(near[:1]) + listed(name, fits)
    return CallError(_called(name, args, kwargs), name + said[said.index("()"):], fix)


def _called(name: str, args: tuple, kwargs: dict[str, Any]) -> str:
    return f"{name}({', '.join([*map(_shown, args), *[f'{key}={_shown(value)}' for key, value in kwargs.items()]])})"


def _shown(value: Any) -> str:
    from .tensor import Tensor
    if isinstance(value, (list, tuple)):
        parts = f"{', '.join(map(_shown, value[:4]))}{', ...' * (len(value) > 4)}"
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    return f"Tensor{tuple(value.shape)}" if isinstance(value, Tensor) else f"{value!r:.40}"

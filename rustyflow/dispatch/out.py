"""`out=`: a function of rustyflow's namespace writes its result into an existing tensor, and returns that tensor.

As in PyTorch the functions take `out` and the methods do not, so operators and methods have no extra layer. A large
result is computed in `out` itself (see `offer`). Other results are computed first and then copied: small ones, those of
another dtype, and those that a watcher is to see.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import wraps
from typing import Any

from ..arguments.checks import by_place, check_first, checked_first
from ..arguments.layer import understood
from ..backends import backend
from ..backends.numpy.runs import RUN
from ..dtype import as_dtype, can_cast, uint8
from ..errors import ArgumentTypeError, DTypeError, GradError, MemoryOverlapError, ShapeError
from ..errors.foreign import kind_of
from ..tensor import Tensor, storage_of
from ..tensor.gradmode import mode
from ..tensor.table import fill
from .inplace import check_cast, is_recorded
from .offer import Offer
from .operation import OPS, notify, watchers
from .out_forms import (
    APART,
    BOUNDED,
    CHECKED,
    COUNTED,
    DTYPED,
    ELEMENTWISE,
    EXACT,
    FILLED,
    JOINED,
    LIMITED,
    RECORDED,
    STEPS,
    SUMMED,
    fields,
)
from .out_shape import fit
from .results import pair
from .write_check import cell_on_cell, check_write, of_one_storage, slots_of

MANY = RUN
"""A result of more cells than this is computed in `out` itself."""


def with_out(call: Callable, creates: bool = False, name: str = "") -> Callable:
    """The same function with `out=None` as one more keyword, under another name where one is given.

    `out` is a tensor of the result's shape, or a tuple of them where there are several results. It keeps its dtype,
    which is the result's, or one that the result can be cast to as in the in-place forms, by the function: see EXACT; a
    function that `creates` a tensor takes its dtype from it, and one that sums works in it.
    An `out` of another shape is resized: without cells, such as empty(0), it is there for that; with cells it warns.
    Differs from PyTorch: if `out` outgrows its memory, what else reads that memory keeps what it has.

    Raises:
        ShapeError: an operand that would be resized. DTypeError, GradError, MemoryOverlapError (all RuntimeErrors).
        ArgumentTypeError (a TypeError): no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.add.html

    Example:
        >>> import rustyflow as rf
        >>> y = rf.empty(2)
        >>> rf.exp(rf.tensor([0., 1.]), out=y) is y, y
        (True, tensor([1.0000, 2.7183]))
        >>> rf.exp(rf.zeros(3), out=rf.empty(0))
        tensor([1., 1., 1.])
    """
    name = name or call.__name__
    elementwise = name in ELEMENTWISE or hasattr(call, "op") and call.op.elementwise
    checked = elementwise or name in CHECKED
    steps, summed, typed = [name in those for those in (STEPS, SUMMED, DTYPED)]
    limited, code = name in LIMITED, getattr(call, "__wrapped__", call).__code__
    names = code.co_varnames[:code.co_argcount]
    recorded = any(f"{name}.{key}" in RECORDED for key in names) or name in RECORDED
    where = checked_first(name, call)
    placed = by_place(where)

    @wraps(call)
    def form(*args, out=None, **kwargs):
        try:
            if where and (kwargs or len(args) > placed):
                check_first(name, where, args, kwargs)
            if out is None:
                return call(*args, **kwargs)
            if limited and not LIMITED[name][0]({**dict(zip(names, args)), **kwargs}):
                _refuse_form(form, call, args, kwargs, out)
            if creates:
                return _create(call, args, kwargs, out)
            given = kwargs
            if summed and kwargs.get("dtype") is None and isinstance(out, Tensor):
                given = {**kwargs, "dtype": out.dtype}
            outs, read = () if steps else _long(out), list(_tensors((args, kwargs)))
            offer = _offer(call, args, given, outs, read, elementwise) if outs else None
            if offer is None:
                result = call(*args, **given)
            elif offer.begun:
                return out
            else:
                with offer:
                    result = call(*args, **given)
        except Exception as error:
            if out is not None and not isinstance(error, TypeError):  # PyTorch checks the kinds of all arguments first
                _need_kind(name, out, fields(name, args, kwargs))
            if (again := understood(error, form, call, args, kwargs)) is None:
                raise
            return form(*again[0], out=out, **again[1])
        if typed and isinstance(out, Tensor):
            need_dtype(name, kwargs.get("dtype"), out)
        if recorded and is_recorded(result, out):
            return _copy(name, result, out, read)
        return _write_all(name, result, out, read, checked, offer is not None and offer.begun)
    form.__name__ = form.__qualname__ = name
    return form


def _refuse_form(form: Callable, call: Callable, args: tuple, kwargs: dict, out: Any) -> None:
    """Raise the error for a form that does not take `out`; a call that fits no form is left to raise its own."""
    from ..arguments.call import Call
    name = call.__name__
    _, rule, fix = LIMITED[name]
    if Call(form, call, args, kwargs).given is not None:
        raise ArgumentTypeError(str(Call(form, call, args, {**kwargs, "out": out})), f"{name}(): {rule}",
                                fix.replace("NAME", name))


def _need_kind(name: str, out: Any, results: tuple[str, ...]) -> None:
    """Refuse an `out` that is no tensor, or no row of one for each of several results."""
    if not results and isinstance(out, Tensor):
        return
    if results and isinstance(out, (tuple, list)) and [isinstance(x, Tensor) for x in out] == [True] * len(results):
        return
    from ..arguments.call import shown
    was = f"{name}(out={shown(out)})"
    if results:
        raise ArgumentTypeError(was, f"{name}(): argument 'out' must be a tuple of {len(results)} tensors",
                                f"out=({', '.join(results)})", value=out)
    raise ArgumentTypeError(was, f"{name}(): argument 'out' must be Tensor, not {kind_of(out)}",
                            "make one: out=rustyflow.empty(...), of the result's shape", value=out)


def _long(out: Any) -> tuple[Tensor, ...]:
    """The tensors to write to, if each is one of many cells."""
    if isinstance(out, Tensor):
        return (out,) if out._a.size > MANY else ()
    return tuple(out) if isinstance(out, (tuple, list)) and all([len(_long(x)) == 1 for x in out]) else ()


def _offer(call: Callable, args: tuple, kwargs: dict, outs: tuple, read: list, elementwise: bool) -> Offer | None:
    """The offer of `out` to a call, None if there is none; an elementwise call has then already written to it."""
    if watchers or is_recorded(*outs, *read):
        return None
    offer = Offer(call.__name__, outs)
    if elementwise:
        last = not _exact(call.__name__, read)
        return offer if offer.cells(call, args, kwargs, getattr(call, "op", None), last) else None
    return offer if _all_apart(outs, read) else None


def _all_apart(outs: tuple, read: list) -> bool:
    """Whether no memory is written that is read, or written twice."""
    return not any([backend.may_share(out._a, x._a) for k, out in enumerate(outs) for x in (*read, *outs[:k])])


def _create(call: Callable, args: tuple, kwargs: dict, out: Any) -> Tensor:
    """A creation function's result has the dtype of `out`; with requires_grad=True it is `out` that requires grad."""
    name = call.__name__
    _need_kind(name, out, ())
    tracked = kwargs.pop("requires_grad", False)
    given = {**kwargs, "dtype": kwargs.get("dtype") or out.dtype}
    offer = _offer(call, args, given, _long(out), [], False) if _long(out) else None
    with offer or nullcontext():
        result = call(*args, **given)
    need_dtype(name, kwargs.get("dtype"), out)
    if name in COUNTED and result._a.size == out._a.size:
        result = result.view(out.shape)
    _write_all(name, result, out, [], False, offer is not None and offer.begun)
    return out.requires_grad_() if tracked else out


def need_dtype(name: str, d: Any, out: Tensor) -> None:
    """Refuse an `out` of another dtype than the one that is asked for, if one is.

    Raises:
        DTypeError (a RuntimeError).
    """
    if d is not None and as_dtype(d) is not out.dtype:
        raise DTypeError(f"{name}(dtype={as_dtype(d)!r}), out of {out.dtype!r}",
                         f"dtype {as_dtype(d).name} does not match dtype of out parameter ({out.dtype.name})",
                         "leave dtype out: the result has the dtype of out")


def _exact(name: str, read: list) -> bool:
    return name in EXACT and not (name in BOUNDED and len(read) > 1)


def _write_all(name: str, result: Any, out: Any, read: list, checked: bool, begun: bool) -> Any:
    """Write a result, or each of several, and give back `out` in the form of the result."""
    if isinstance(result, Tensor):
        _need_kind(name, out, ())
        _write(name, result, out, read, checked, begun, _exact(name, read))
        return out
    _need_kind(name, out, results := getattr(result, "_fields", ()))
    if not results:
        raise ShapeError(f"{name}(as_tuple=True, out=...), with {len(result)} results",
                         f"{name} does not support the out kwarg when as_tuple is True",
                         f"{name}(input, out=...), with a row for each cell")
    for part, target in zip(result, out, strict=True):
        _write(name, part, target, read, checked, begun, True)
    return pair(f"{type(result).__name__}_out", *results)(*out)


def _copy(name: str, result: Tensor, out: Tensor, read: list) -> Tensor:
    """Copy a result to `out` as `out.copy_(result)` does, for gradients to go through."""
    _need_kind(name, out, ())
    _need_fit(name, result, out, _exact(name, read))
    if out._a.shape != result._a.shape:
        fit(name, out, result, read)
    return out.copy_(result)


def _write(name: str, result: Tensor, out: Tensor, read: list, checked: bool, begun: bool, exact: bool) -> None:
    """Copy a result to `out`, unless it was computed there; `begun` says that the write is counted; `checked`: see
    CHECKED.
    """
    if begun and result._a is out._a:
        return
    if mode.enabled and (result.requires_grad or out.requires_grad):
        raise GradError(f"{name}(out=...) of {'a result' if result.requires_grad else 'an out'} that requires grad",
                        f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                        "but one of the arguments requires grad.",
                        f"leave out away, or call {name} under rustyflow.no_grad()")
    if name in JOINED and not can_cast(result.dtype, out.dtype):
        raise ArgumentTypeError(f"{name}(out=...) of {out.dtype!r}, result of {result.dtype!r}",
                                f"torch.{name}(): input types can't be cast to the desired output type "
                                f"{out.dtype.name}", f"out of dtype {result.dtype!r}")
    _need_fit(name, result, out, exact)
    resized = out._a.shape != result._a.shape  # then it has a slot for each cell
    check_write(out, f"{name}(out=...)", *read, alike=resized or name in FILLED, repeated=not checked)
    if name in APART:
        _need_apart(name, out, [x for k, x in enumerate(read) if k != APART[name]])
    if resized:
        fit(name, out, result, read)
    if not begun:
        storage_of(out).wrote(name)
    backend.quiet().run(backend.write, out._a, result._a)
    if watchers:
        fill()
        notify(OPS["copy_into"], (out, result), {}, out)


def _need_fit(name: str, result: Tensor, out: Tensor, exact: bool) -> None:
    """Refuse an `out` of a dtype that the result cannot be cast to, or, if `exact`, that is not the result's."""
    check_cast(out, result.dtype)
    if exact and result.dtype is not out.dtype and not (name in ("all", "any") and out.dtype is uint8):
        raise DTypeError(f"{name}(out=...) of {out.dtype!r}, result of {result.dtype!r}",
                         f"Expected out tensor to have dtype {result.dtype.name}, but got {out.dtype.name} instead",
                         f"out of dtype {result.dtype!r}")


def _need_apart(name: str, out: Tensor, read: list) -> None:
    """Refuse an `out` that is an operand."""
    if out._a.size and any([x is out or of_one_storage(out, x) and cell_on_cell(out, x) for x in read]):
        raise MemoryOverlapError(f"{name}(out=...) into slots {slots_of(out)}, which it reads",
                                 "unsupported operation: some elements of the input tensor and the written-to tensor "
                                 "refer to a single memory location", "clone() the operand first")


def _tensors(values: Any) -> Iterator[Tensor]:
    """All tensors among arguments, those in lists, tuples and dicts as well."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, (tuple, list, dict)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from _tensors(value)

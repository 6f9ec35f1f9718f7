"""Writing an op's result over its first operand: refusals, and the histories of tensor and base after it."""
from __future__ import annotations

from collections.abc import Callable

from ..arguments.explain import retry_or_explain
from ..backends import backend
from ..dtype import OF_NUMPY, can_cast, common_dtype, dtype
from ..errors import DTypeError, MemoryOverlapError, RandomError, ShapeError, UnsupportedDTypeError, align_right
from ..layout import broadcast_shapes, shares_slots
from ..tensor import KEEP, Tensor, View, history_of, mode, storage_of, tick
from .operation import OPS, Op, notify, watchers
from .promotion import not_a_tensor, promoted
from .rebase import by_slots, rebase
from .run import fresh, record, say_why
from .write_check import check_write, is_one_value, of_one_storage, refuse_frozen, slots_of

APART = frozenset("addbmm addmm addmv addr baddbmm index_add index_copy index_fill "
                  "masked_scatter scatter scatter_add scatter_reduce".split())
"""In-place forms that write while they still read in PyTorch: no operand may share the memory, not even cell on cell.
"""

CLEARS = frozenset(("tril", "triu"))
"""Ops that, written in place, write zeros and nothing else."""

SETTLED = CLEARS | frozenset("abs ceil clamp floor frac hardtanh relu round sgn sign threshold trunc".split())
"""Ops that change nothing when applied twice, so that they may write a tensor whose cells share slots."""


def apply_inplace(it: Op, x: Tensor, *others, **attrs) -> Tensor:
    """Run an op and write its result over its first operand, whose history then starts at this op.

    An op without `into` must be elementwise: a large tensor is written a part at a time.
    Raises:
        ShapeError: the result does not fit.
        DTypeError: it cannot be cast.
        GradError, MemoryOverlapError: see `check_write`.
    """
    if not isinstance(x, Tensor):
        raise not_a_tensor(it.called + "_", "input", x)
    try:
        arrays = promoted(it, (x, *others))
    except UnsupportedDTypeError:
        _check_operands(it, x, others)
        check_cast(x, common_dtype(x, *others))
        raise
    if (it.into is not None and arrays[0] is x._a and len(others) == 1 and not isinstance(others[0], Tensor)
            and not attrs and not watchers and x._a.flags.carray and _is_unseen(x)):  # for speed: n[i, j] += 1
        storage_of(x).wrote(it.called + "_")
        backend.quiet().run(it.into, backend, *arrays)
        return x
    _check_operands(it, x, others)
    if arrays[0] is x._a:
        def value(a):
            if it.into is not None:
                backend.quiet().run(it.into, backend, a, *arrays[1:], **attrs)
            elif it.plain and isinstance(getattr(backend, it.name), backend.Ufunc):
                backend.quiet().run(getattr(backend, it.name), a, out=a)
            else:
                backend.quiet().run(backend.over, it.forward, backend, *arrays, **attrs)
    else:
        try:
            value = backend.quiet().run(it.forward, backend, *arrays, **attrs)
        except (ValueError, MemoryError) as error:
            say_why(error, it, arrays)
            raise
        check_fit(x, value, it.called)
    overwrite(it, x, others, value, attrs)
    if watchers:
        notify(it, (x, *others), attrs, x)
    return x


def _check_operands(it: Op, x: Tensor, others: tuple) -> None:
    """Refuse memory that may not be written, and operands whose shape does not fit.

    Raises:
        ShapeError, GradError, MemoryOverlapError, ReadOnlyError (RuntimeErrors).
    """
    alike = it.name in SETTLED and not x._a.flags.carray and (
        it.name in CLEARS or all(map(is_one_value, others)) and not is_recorded(x, *others))
    known = x.detach() if it.unseen and x._history is not None else x
    check_write(known, it.called + "_", *others, alike=alike, repeated=alike and it.name in CLEARS, cellwise=True)
    for other in others:
        if isinstance(other, Tensor) and other._a.shape != x._a.shape:
            check_shape(x, broadcast_shapes(x._a.shape, other._a.shape, written=True), it.called)


def _is_unseen(x: Tensor) -> bool:
    """True if no history is kept of a tensor's memory."""
    history = x._history
    return history is None or history.__class__ is View and history.node is None and history.base._history is None


def inplace_form(call: Callable) -> Callable:
    """The in-place form of any function: the result goes over its first operand, and so does the result's history."""
    def form(input, *args, **kwargs):
        name, whole = call.__name__, None
        if not isinstance(input, Tensor):
            raise not_a_tensor(name + "_", "input", input)
        others = (*args, *kwargs.values())
        try:
            check_write(input, name + "_", *others)
            if name in APART:
                check_apart(input, name + "_", others)
            old = input
            if is_recorded(input, *others):
                it = getattr(call, "op", None)
                old = before(input, it is None or it.operands[0] in it.slots)
                whole = whole_before(input)
            result = call(old, *args, **kwargs)
        except Exception as error:
            args, kwargs = retry_or_explain(error, form, call, (input, *args), kwargs)
            return form(*args, **kwargs)
        check_fit(input, result._a, name)
        if kwargs.get("dtype") not in (None, input.dtype):
            raise DTypeError(f"tensor of {input.dtype!r}, dtype={kwargs['dtype']!r}",
                             f"Bad in-place call: input tensor dtype {input.dtype.name} and output "
                             f"tensor dtype {result.dtype.name} should match",
                             f"leave dtype out, or use the form without the underscore: {name}")
        storage_of(input).wrote(name + "_")
        backend.quiet().run(backend.write, input._a, result._a)
        if result._history is not None:
            rebase(input, history_of(result.to(input.dtype)), whole)
        if watchers:
            notify(OPS["copy_into"], (input, result), {}, input)
        return input
    return form


def is_recorded(*operands) -> bool:
    """True if an op on these operands will be recorded."""
    if mode.enabled:
        for x in operands:
            if isinstance(x, Tensor) and x._history is not None and history_of(x) is not None:
                return True
    return False


def before(x: Tensor, read: bool) -> Tensor:
    """A tensor about to be overwritten, with its history: a copy if a gradient or a figure will read it."""
    history = history_of(x)
    old = fresh(backend.dense(x._a)) if read or history is None and x._a.size <= KEEP else x.detach()
    old._history = history
    return old


def whole_before(x: Tensor) -> Tensor | None:
    """The base of a view about to be overwritten, if nothing tracks it and a figure will read it."""
    base = x._history.base if type(x._history) is View else None
    return base if base is None or base._history is not None or base._a.size > KEEP else before(base, False)


def check_fit(x: Tensor, r, name: str) -> None:
    """Refuse to write a result that has another shape than the tensor, or a dtype that would lose its kind.

    Raises:
        ShapeError, DTypeError (both RuntimeErrors).
    """
    check_shape(x, r.shape, name)
    check_cast(x, OF_NUMPY[r.dtype])


def check_cast(x: Tensor, d: dtype) -> None:
    """Refuse to write a result of a dtype that would lose its kind.

    Raises:
        DTypeError (a RuntimeError).
    """
    if not can_cast(d, x.dtype):
        raise DTypeError(f"tensor of {x.dtype!r}, result of {d.name}",
                         f"result type {d.name} can't be cast to the desired output type {x.dtype.name}",
                         "convert the tensor first, or let the operation make a new one")


def check_apart(x: Tensor, name: str, others: tuple) -> None:
    """Refuse an operand that lies in the memory about to be written.

    Raises:
        MemoryOverlapError (a RuntimeError).
    """
    for other in others:
        if other is x or of_one_storage(x, other) and backend.shares(x._a, other._a):
            slots = f"from slots {slots_of(other)} into slots {slots_of(x)}"
            raise MemoryOverlapError(f"{name} {slots} of the same storage",
                                     "unsupported operation: some elements of the input tensor and the written-to "
                                     "tensor refer to a single memory location, and would be read half overwritten",
                                     "clone() the operand first, or use the form without the underscore")


def check_shape(x: Tensor, shape: tuple, name: str) -> None:
    """Refuse to write a result that has another shape than the tensor.

    Raises:
        ShapeError (a RuntimeError).
    """
    if shape != x._a.shape:
        raise ShapeError(align_right(("tensor", tuple(x.shape)), ("result", tuple(shape))),
                         f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}: "
                         "a write cannot grow the tensor",
                         f"use the form without the underscore: {name}")


def overwrite(it: Op, x: Tensor, others: tuple, value, attrs: dict):
    """Writes `value` into x, and lets the histories of x and its base go on; returns the node, if any.

    `value` may also be a function that writes to the array.
    """
    storage, method, node, whole = storage_of(x), it.called + "_", None, None
    write = value if callable(value) else lambda a: backend.quiet().run(backend.write, a, backend.asarray(value))
    if mode.enabled and is_recorded(x, *others) and not it.unseen:
        if type(x._history) is View and x._history.creation_meta and x._a.dtype.kind == "f":
            refuse_frozen(x._history, method)
        if not it.differentiable:
            attrs = {}
            if it.steps:
                it = it.steps[isinstance(others[0], Tensor)]
            else:
                it, others = OPS["zero"], ()
        if not x._a.flags.carray and shares_slots(x._a.shape, backend.stride(x._a)):  # one value: see `check_write`
            it, x, others, write = by_slots(it, x, others, write)
            attrs = {}
        old = before(x, it.operands[0] in it.slots)
        result, whole = x.detach(), whole_before(x)
        node = record(it, (old, *others), result, attrs)
    unwritten = storage.record
    storage.wrote(method)  # before the write, so that backward notices one that was interrupted half way
    try:
        write(x._a)
    except (IndexError, RandomError, ShapeError):  # these are raised before the first cell is written
        storage.record = unwritten
        raise
    if node is not None:
        # a node is dated after its own write, unless it saved an operand in that memory, which backward must refuse
        saved = [kept for kept, name in zip(node.saved, it.slots) if name not in it.results]
        if not any(isinstance(kept, Tensor) and kept._storage is storage for kept in saved):
            node.number = tick()
        rebase(x, node, whole)
    return node

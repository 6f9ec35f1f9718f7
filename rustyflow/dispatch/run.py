"""Running an op: compute on the arrays, record a node if a gradient may be wanted, tell the watchers.

`apply` runs any op that is no view; `unary` and `binary` are the same written out for speed, and `apply_view` runs
views. These three make their nodes as `history.make_node` does, also written out.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from ..backends import backend
from ..dtype import get_default_dtype
from ..errors import no_room
from ..layout import broadcast_shapes
from ..tensor import Tensor, new, over, refresh, storage_of
from ..tensor.gradmode import mode
from ..tensor.history import KEEP, NO_GRAD_MODE, Meta, View, make_node, output_of, small
from ..tensor.storage import holding, tick
from .operation import Op, notify, watchers
from .promotion import not_a_tensor, promoted, unfit


def apply(it: Op, *operands, **attrs) -> Any:
    """Run an op: bring operands to a common dtype, compute, record if a gradient may be wanted, tell the watchers.

    Returns a tensor, or a tuple of tensors for an op with several results.
    """
    x = operands[0] if len(operands) == 1 else None
    alone = it.promote is None and isinstance(x, Tensor) and x._a.dtype.kind in it.fit
    arrays = (x._a,) if alone else promoted(it, operands)
    if it.wide and arrays[0].dtype is not arrays[1].dtype:
        it = it.narrow
    try:
        if it.elementwise and not arrays[0].flags.c_contiguous:
            r = backend.quiet().run(backend.elementwise, it.forward, backend, *arrays, **attrs)
        else:
            r = backend.quiet().run(it.forward, backend, *arrays, **attrs)
    except (ValueError, MemoryError) as error:
        say_why(error, it, arrays)
        raise
    out = tuple([fresh(a) for a in r]) if isinstance(r, tuple) else fresh(r)
    if it.differentiable and mode.enabled and not (alone and x._history is None):
        record(it, operands, out, attrs)
    if watchers:
        notify(it, operands, attrs, out)
    return out


def apply_view(it: Op, x: Tensor, **attrs) -> Tensor:
    """Run a view: compute the new layout, share the storage, and remember the base.

    An op's `quick` makes the view by a NumPy method whose strides surely equal the layout's; it returns the array, or
    (array, slots added to the offset), or None where the strides might differ.
    """
    try:
        storage = x._storage
    except AttributeError:
        raise not_a_tensor(it.called, "input", x) from None
    if storage is None:
        storage = storage_of(x)
    # not for an empty array, whose strides NumPy forgets
    a = it.quick(x._a, **attrs) if it.quick is not None and x._a.size else None
    if a is None:
        out = over(storage, *it.layout(x._a.shape, backend.stride(x._a), x._offset, **attrs))
        a = out._a
    else:
        out = new(Tensor)
        offset = x._offset
        if a.__class__ is tuple:
            a, offset = a[0], offset + a[1]
        out._a, out._storage, out._offset, out._history = a, storage, offset, None
    if a.dtype.kind == "f":
        base, history, creation_meta = x, x._history, ""
        if history.__class__ is View:
            base, creation_meta, history = history.base, history.creation_meta, refresh(x, history)
        if mode.enabled:
            node = None
            if history is not None:
                node = new(it.Node)
                node.attrs, node.parents, node.saved, node.number = attrs, (history,), (), tick()
                node.out = a if a.size <= KEEP else Meta(a)
            out._history = View(base, node, storage.version, creation_meta)
        else:
            out._history = View(base, None, storage.version, NO_GRAD_MODE)
    else:
        out._history = View(x._history.base if x._history.__class__ is View else x, None, 0, NO_GRAD_MODE)
    if watchers:
        notify(it, (x,), attrs, out)
    return out


def say_why(error: Exception, it: Op, arrays: tuple) -> None:
    """Raise a better error where a forward failed because shapes do not broadcast, or because memory ran out.

    Raises:
        BroadcastError, AllocationError (RuntimeErrors).
    """
    if it.promote and not it.variadic:
        broadcast_shapes(*[a.shape for a in arrays if a is not None])
    if (none := no_room(it.called, error)) is not None:
        raise none from None


def fresh(r):
    out = new(Tensor)
    out._a = r if r.__class__ is backend.Array else backend.asarray(r)
    out._storage, out._offset, out._history = None, 0, None
    return out


def record(it: Op, operands: tuple, out, attrs: dict):
    """Makes the node of an op that ran, if an operand is tracked and a result has a gradient."""
    several = out.__class__ is tuple
    if not several and out._a.dtype.kind != "f":
        return None
    if it.optional and any(absent := tuple([x is None for x in operands])):
        it = it.without(absent)
    parents: list = []
    for x in operands:
        h = x._history if isinstance(x, Tensor) else None
        parents.append(refresh(x, h) if h.__class__ is View else h)
    if not any(parents):
        return None
    saved: tuple = ()
    if it.held:
        attrs = attrs.copy()
        saved = tuple(map(attrs.pop, it.slots))
    elif it.variadic and it.slots:
        saved = (operands,)
    elif it.slots:
        pick, late = it.saver(tuple([p is not None for p in parents]))
        aliases = [kept(o) for o in (out if several else (out,))] if late else ()
        saved = pick((*operands, None, *aliases)) if pick else ()
    kept_out = tuple([small(o._a) for o in out]) if several else small(out._a)
    node = make_node(it.Node, tuple(parents), saved, kept_out, attrs)
    if None in parents:
        node.given = tuple([held(x) if parent is None else None for x, parent in zip(operands, parents)])
    if not several:
        out._history = node
        return node
    for k, o in enumerate(out):
        if o._a.dtype.kind == "f":
            o._history = output_of(node, k)
    return node


def held(x: Any) -> Any:
    """Returns for a node, and the figures of it, what is to be held of an operand that nothing tracks.

    That is a number, or a tensor in little memory, itself; a copy of a few cells of a large memory; else a weak
    reference, so that no graph holds memory that its gradients do not read. A write since is seen in the storage.
    """
    if not isinstance(x, Tensor):
        return x
    if x._a.size > KEEP:
        return ref(x)
    storage = x._storage
    return x if storage is None or storage.buffer.size <= 16 * KEEP else fresh(backend.dense(x._a))


def kept(out: Tensor) -> Tensor:
    """An alias of a result for its own node to save: without history, which would be a cycle.

    As `alias_of`, without the lock that it takes: no other thread has the result yet.
    """
    if out._storage is None:
        out._storage = holding(out._a)
    alias = new(Tensor)
    alias._a, alias._storage, alias._offset, alias._history = out._a, out._storage, out._offset, None
    return alias


def unary(it: Op) -> Callable:
    """The function of an op with one operand and no attributes, written out because small tensors feel every call.

    `backend.elementwise` runs forward unchanged on one array of fewer than 3 axes, so `a.ndim < 3` spares its call;
    `apply`, which is slower anyway, leaves that test to it.
    """
    forward, track, lift, elementwise = it.forward, it.differentiable, it.promote == "float", it.elementwise
    fit = "f" if lift else it.fit
    pick, late = it.saver((True,)) if it.slots else (None, False)

    def call(input):
        if not isinstance(input, Tensor):
            raise not_a_tensor(it.called, "input", input)
        a = input._a
        if a.dtype.kind not in fit:
            if not lift:
                raise unfit(it, input.dtype)
            a = backend.quiet().run(backend.cast, a, get_default_dtype().numpy)
        if watchers:
            return apply(it, input)
        if a.ndim < 3 or not elementwise or a.flags.c_contiguous:
            r = backend.quiet().run(forward, backend, a)
        else:
            r = backend.quiet().run(backend.elementwise, forward, backend, a)
        out = new(Tensor)
        out._a = r = r if r.__class__ is backend.Array else backend.asarray(r)
        out._storage, out._offset, out._history = None, 0, None
        h = input._history
        if track and h is not None and mode.enabled:
            if h.__class__ is View:
                h = refresh(input, h)
            if h is not None:
                node = new(it.Node)
                node.saved = pick((input, None, kept(out) if late else None)) if pick else ()
                node.parents, node.number, out._history = (h,), tick(), node
                node.out = r if r.size <= KEEP else Meta(r)
        return out
    return call


def binary(it: Op, takes: Callable | None = None) -> Callable:
    """The function of an op with two operands and no attributes.

    With `takes` it is an operator: it returns NotImplemented for what is neither a tensor nor taken.
    `a.ndim < 3` spares a call as in `unary`, where the arrays have the same strides or one is a number.
    """
    forward, track, elementwise = it.forward, it.differentiable, it.elementwise
    savers: list = [(None, False)] * 4
    if it.slots:
        savers[1:] = it.saver((True, False)), it.saver((False, True)), it.saver((True, True))
    fit = "f" if it.promote == "float" else it.fit
    fits_all = set(fit) == set("biuf")

    def call(input, other):
        if (isinstance(other, Tensor) and isinstance(input, Tensor)
                and (a := input._a).dtype is (b := other._a).dtype and (fits_all or a.dtype.kind in fit)):
            h, k = input._history, other._history
        else:
            if takes is not None and not takes(other, input):
                return NotImplemented
            a, b = promoted(it, (input, other))
            if a.dtype is not b.dtype:
                return apply(it, input, other)
            h, k = getattr(input, "_history", None), getattr(other, "_history", None)
        if watchers:
            return apply(it, input, other)
        try:
            if (not elementwise or a.flags.c_contiguous
                    or a.ndim < 3 and (not b.ndim or a.strides == b.strides and a.shape == b.shape)):
                r = backend.quiet().run(forward, backend, a, b)
            else:
                r = backend.quiet().run(backend.elementwise, forward, backend, a, b)
        except (ValueError, MemoryError) as error:
            say_why(error, it, (a, b))
            raise
        out = new(Tensor)
        out._a = r = r if r.__class__ is backend.Array else backend.asarray(r)
        out._storage, out._offset, out._history = None, 0, None
        if track and (h is not None or k is not None) and mode.enabled:
            if h.__class__ is View:
                h = refresh(input, h)
            if k.__class__ is View:
                k = refresh(other, k)
            if h is not None or k is not None:
                pick, late = savers[(h is not None) + 2 * (k is not None)]
                node = new(it.Node)
                if k is None:  # for speed, what `held` does with most tensors
                    small = other.__class__ is Tensor and b.size <= KEEP and other._storage is None
                    node.given = None, other if small else held(other)
                elif h is None:
                    node.given = held(input), None
                node.saved = pick((input, other, None, kept(out) if late else None)) if pick else ()
                node.parents, node.number, out._history = (h, k), tick(), node
                node.out = r if r.size <= KEEP else Meta(r)
        return out
    return call

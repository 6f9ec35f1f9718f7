"""Memory that may be written to: no tracked leaf, no shared slots, no part of an operand."""
from __future__ import annotations

from typing import Any

from ..backends import backend, refuse_foreign
from ..errors import GradError, MemoryOverlapError, ReadOnlyError, warn
from ..layout import expand, extent, is_dense, meets_in_place, shares_slots, sums_to
from ..tensor import IN_CUSTOM_FUNCTION, NO_GRAD_MODE, AccumulateGrad, Output, Tensor, View, edge_of, history_of, mode

DEPRECATED = ("index_fill_", "index_put_", "masked_fill_")
"""What PyTorch does to expanded tensors with a warning: cells change that no index and no mask meant."""


def check_write(x: Tensor, op: str, *read: Any, alike: bool = False, repeated: bool = True,
                cellwise: bool = False) -> None:
    """Refuse a write that PyTorch refuses: to a tracked leaf, through overlapping memory, or over part of an operand.

    Overlapping memory may be written if `alike`: cells that share a slot receive one value, so the order does not
    matter. Where the overlap is a stride of 0, `repeated` must hold too, and the write must not be recorded, as in
    PyTorch, which also warns of some of these.

    Raises:
        GradError, MemoryOverlapError, ReadOnlyError (all RuntimeErrors).
    """
    if x._history is not None:
        check_history(x, op)
    if not x._a.flags.carray:
        expanded = alike and _is_repeated(x)
        if expanded:
            alike = repeated and not (mode.enabled and history_of(x) is not None)
        _check_memory(x, op, alike)
        if expanded and op in DEPRECATED:
            warn(f"Use of {op} on expanded tensors is deprecated: a tensor of shape {tuple(x._a.shape)}, stride "
                 f"{backend.stride(x._a)} reads one slot from several cells, so that more of them change than are "
                 "meant. Write x = x.clone() before it.")
    for other in read:
        if not isinstance(other, Tensor):
            continue
        if other._a.__class__ is not x._a.__class__:
            _check_backend(x, other)
        if other._storage is not None and other._storage is x._storage and _partly(x, other, cellwise):
            raise MemoryOverlapError(f"{op} into slots {slots_of(x)} from slots {slots_of(other)} of the same storage",
                                     "unsupported operation: some elements of the input tensor and the written-to "
                                     "tensor refer to a single memory location",
                                     "clone() the operand first")


def is_one_value(value: Any) -> bool:
    """True if a write gives all its cells one value, so that overlapping memory may be written.

    It may be expanded.
    """
    if not isinstance(value, Tensor) or value._a.size == 1:
        return True
    a = value._a  # of another backend: refused later
    return isinstance(a, backend.Array) and not a.flags.c_contiguous and not any(backend.stride(a))


def _is_repeated(x: Tensor) -> bool:
    return any([not s and n > 1 for s, n in zip(backend.stride(x._a), x._a.shape)])


def _check_backend(x: Tensor, other: Tensor) -> None:
    """Refuse to write what another backend holds.

    Raises:
        ArgumentTypeError (a TypeError).
    """
    if isinstance(other._a, backend.Array) is not isinstance(x._a, backend.Array):
        refuse_foreign()


def _check_memory(x: Tensor, op: str, alike: bool) -> None:
    """Refuse memory that may only be read, or in which cells share a slot.

    Raises:
        ReadOnlyError, MemoryOverlapError (RuntimeErrors).
    """
    a = x._a
    if not a.flags.writeable:
        raise ReadOnlyError(f"{op} on memory of shape {tuple(a.shape)} that may only be read",
                            "the tensor lies over an array or a buffer that is not writable",
                            "clone() the tensor first, or make it of array.copy()")
    if not alike and shares_slots(a.shape, backend.stride(a)):
        raise MemoryOverlapError(f"{op} on shape {tuple(a.shape)}, stride {backend.stride(a)}",
                                 "unsupported operation: more than one element of the written-to tensor refers to "
                                 "a single memory location",
                                 "clone() the tensor before performing the operation",
                                 shape=a.shape, stride=backend.stride(a))


def check_history(x: Tensor, op: str) -> None:
    """Refuse a change in place to a tracked leaf, or to a view that could not be followed.

    Raises:
        GradError (a RuntimeError).
    """
    history = x._history
    if mode.enabled:
        if type(history) is View:
            _check_view(x, history, op)
        elif type(history) is AccumulateGrad:
            raise GradError(f"{op} on a leaf that requires grad",
                            "a leaf Variable that requires grad is being used in an in-place operation.",
                            "write under rustyflow.no_grad(), as a training step does; or no underscore, and a "
                            "new name: y = w * x instead of w *= x")


def _check_view(x: Tensor, history: View, op: str) -> None:
    """Refuse a write through a view after which its base's history could not go on."""
    base = history.base._history
    if history.creation_meta and (base is not None or history.node is not None):
        refuse_frozen(history, op)
    if type(base) is AccumulateGrad:
        raise GradError(f"{op} on a view of a leaf that requires grad",
                        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                        "write under rustyflow.no_grad(), or work on x.clone()")


def refuse_frozen(view: View, op: str) -> None:
    """Refuse a write that is recorded to a view whose history cannot follow it.

    Raises:
        GradError (a RuntimeError).
    """
    if view.creation_meta == NO_GRAD_MODE:
        raise GradError(f"{op} on a view made under no_grad()",
                        "the write is to be recorded, and how the view came about was not",
                        "make the view outside no_grad(), or write under no_grad()")
    made = view.node
    while made is not None and type(made) is not Output and made.op.layout is not None:
        made = made.parents[0]
    if view.creation_meta == IN_CUSTOM_FUNCTION:
        maker, _ = edge_of(made)
        raise GradError(f"{op} on what {maker.name()} made of its input's memory",
                        "This view was created inside a custom Function (or because an input was returned as-is), "
                        "whose backward knows nothing of a write",
                        "write to a clone(), or return one from forward")
    part = "one of several views"
    if made is not None:
        part = f"{'' if made is view.node else 'a view of '}output {made.index} of {made.node.name()}"
    raise GradError(f"{op} on {part}",
                    "This view is the output of a function that returns multiple views. Such functions do not allow "
                    "the output views to be modified inplace.",
                    "take the part by x[...] or narrow, or use the form without the underscore")


def of_one_storage(x: Tensor, y: Any) -> bool:
    """True if y is a tensor that is known to read the same storage as x."""
    return isinstance(y, Tensor) and y._storage is not None and y._storage is x._storage


def slots_of(x: Tensor) -> str:
    """The run of slots a tensor reaches, in words."""
    first, end = extent(x._a.shape, backend.stride(x._a), x._offset)
    return f"{first} to {end - 1}"


def cell_on_cell(x: Tensor, y: Tensor) -> bool:
    """True if two tensors of one storage are the same cells in the same order."""
    return x._offset == y._offset and x._a.shape == y._a.shape and backend.stride(x._a) == backend.stride(y._a)


def _partly(x: Tensor, y: Tensor, cellwise: bool) -> bool:
    """True if two tensors of one storage share cells, not the same ones in the same order.

    If `cellwise`, as the cells of an elementwise function meet: then each is read before it is written. Of two tensors
    without holes PyTorch looks no further than their strides.
    """
    if cell_on_cell(x, y) or not backend.shares(x._a, y._a):
        return False
    shape = x._a.shape
    if not cellwise or not sums_to(shape, y._a.shape) or all([is_dense(z._a.shape, backend.stride(z._a))
                                                              for z in (x, y)]):
        return True
    _, stride, start = expand(y._a.shape, backend.stride(y._a), y._offset, size=shape)
    return not meets_in_place(shape, backend.stride(x._a), x._offset, stride, start)

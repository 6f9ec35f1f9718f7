"""Functions that write a part: into a copy of their input or, with an underscore, into the input's own memory."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from ..arguments.explain import explaining, tensors_first
from ..backends import backend
from ..dtype import common_dtype
from ..tensor import Tensor, storage_of
from .inplace import APART, check_apart, check_cast, overwrite
from .operation import notify, watchers
from .promotion import not_a_tensor
from .run import apply
from .write_check import check_write, is_one_value

FILLS = ("index_fill", "masked_fill")
"""In-place forms whose `value` is read before anything is written."""


def writes(plan: Callable) -> Callable:
    """A function made from `plan`: it returns a copy of `input` with something written into it.

    `plan` checks the arguments and returns (op, its operands after input, its attributes, write), where write(array)
    does in place what the op's forward does on a copy. The in-place form, which `attach` gives tensors, uses it, and
    allocates nothing of the tensor's size.
    """
    plan = explaining(plan)  # the layer around the function does not see the plan's own parameters

    @wraps(plan)
    def copied(input, *args, **kwargs):
        if input.__class__ is not Tensor or len(args) > 2 and not input._a.ndim:  # perhaps a call in an old form
            again = tensors_first(copied.__name__, plan, (input, *args), kwargs)
            if again is not None:
                return copied(*again[0], **again[1])
        it, others, attrs, write = plan(input, *args, **kwargs)
        return apply(it, input, *others, **attrs)

    def written(input, *args, **kwargs):
        name = copied.__name__
        if not isinstance(input, Tensor):
            raise not_a_tensor(name + "_", "input", input)
        read, alike = (*args, *kwargs.values()), False
        if name in FILLS:
            value = kwargs["value"] if "value" in kwargs else args[-1] if args else None
            read, alike = [other for other in read if other is not value], is_one_value(value)
        check_write(input, name + "_", *read, alike=alike)
        it, others, attrs, write = plan(input, *args, **kwargs)
        if name in APART:
            check_apart(input, name + "_", read)
        if it.promote is not None:  # it computes in a common dtype, which the memory must be able to hold
            check_cast(input, common_dtype(input, *others))
        overwrite(it, input, others, lambda a: backend.quiet().run(write, a), attrs)
        storage_of(input).writer = name + "_"
        if watchers:
            notify(it, (input, *others), attrs, input)
        return input
    written.__wrapped__, copied.written = plan, written
    return copied


def attach(*calls: Callable) -> None:
    """Give tensors the in-place forms of functions that `writes` made."""
    for call in calls:
        form, name = explaining(call.written), call.__name__
        form.__name__, form.__qualname__ = name + "_", f"Tensor.{name}_"
        setattr(Tensor, name + "_", form)

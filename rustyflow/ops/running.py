"""The largest and the smallest so far along an axis, and where they were."""
from __future__ import annotations

from .guard import guard
from .reduce import axis
from .registry import apply, function, op, renamed
from .select import gather
from .sort import pair


def _so_far(name, text, values, indices):
    doc = f"""(values, indices): the {text} cell up to each along dim, and where it was; of equal ones the last.

    NaN stays from where it first occurs. The gradient goes to the cells at `indices`.
    Raises:
        DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([2, 1, 3, 3]), dim=0)
        rustyflow.return_types.{name}(
        values=tensor({values}),
        indices=tensor({indices}))
    """
    places = op(type(f"{name}_places", (), {
        "__doc__": f"indices = where the {text} up to each cell is", "__module__": __name__,
        "forward": lambda F, x, *, dim: getattr(F, f"{name}_places")(x, dim)}), public=False, method=False)

    picked = renamed(gather.op, f"{name.capitalize()}Backward0", called=name)

    def call(input, dim):
        dim = axis(input, dim)
        at = apply(places.op, input, dim=dim)
        return pair(name, "values", "indices")(apply(picked, input, at, dim=dim), at)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return function(guard(call))


cummax = _so_far("cummax", "largest", "[2, 2, 3, 3]", "[0, 0, 2, 3]")
cummin = _so_far("cummin", "smallest", "[2, 1, 1, 1]", "[0, 1, 1, 1]")

"""The largest and the smallest so far along an axis, and where they were."""
from __future__ import annotations

from ...arguments.numbers import whole
from ...dispatch import apply, function, op, pair
from ...layout import wrap_dim


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
    def forward(F, x, *, dim):
        at = getattr(F, f"{name}_places")(x, dim)
        return F.gather(x, dim, at), at

    made = op(type(f"{name}_along", (), {
        "__doc__": f"values, indices = {text}_so_far(x, dim)        dx = at_indices(g, indices, dim, x.shape)",
        "__module__": __name__, "forward": forward, "torch_name": f"{name.capitalize()}Backward0",
        "results": ("values", "indices"),
        "grad_x": lambda F, g, shape, indices, *, dim: F.scatter_add_zeros(g[0], shape, dim, indices),
    }), public=False, method=False)

    def call(input, dim):
        dim, = whole(name, dim=dim)
        along = wrap_dim(dim, input._a.ndim) if input._a.size else 0  # with no cells any dim is accepted, as in PyTorch
        return pair(name, "values", "indices")(*apply(made.op, input, dim=along))
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return function(call)


cummax = _so_far("cummax", "largest", "[2, 2, 3, 3]", "[0, 0, 2, 3]")
cummin = _so_far("cummin", "smallest", "[2, 1, 1, 1]", "[0, 1, 1, 1]")

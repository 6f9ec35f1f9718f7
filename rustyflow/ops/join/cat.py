"""Several tensors as one: end to end, on a new axis, or stretched over one grid."""
from __future__ import annotations

from ...dispatch import also_called, apply, function, need_tuple, op
from ...errors import ArgumentValueError, DTypeError, ShapeError, align_right, warn
from ...layout import broadcast_shapes, wrap_dim
from ...tensor import Tensor
from ..views import atleast_1d, atleast_2d, atleast_3d, expand, reshape, view


def tensors_of(name: str, tensors) -> tuple[Tensor, ...]:
    """A tuple or list of at least one tensor.

    Raises:
        ArgumentTypeError (a TypeError): no sequence, or something else in it.
        ShapeError (a RuntimeError), for cat ArgumentValueError (a ValueError): it is empty.
    """
    need_tuple(name, "tensors", tensors, f"{name}([a, b])")
    if not tensors:
        error = ArgumentValueError if name == "cat" else ShapeError
        raise error(f"{name}([])", f"{name} expects a non-empty list of Tensors", "at least one tensor")
    return tuple(tensors)


@op(method=False)
class cat:
    """y = cat(tensors, dim)        dx = stretch(g, k, lengths, dim)

    Shapes agree except along dim; dtypes are promoted; a tensor of shape (0,) is passed over.
    Raises: ShapeError (a RuntimeError): shapes that differ; DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.cat.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cat([rf.zeros(1, 2), rf.ones(2, 2)]).shape
        rustyflow.Size([3, 2])
    """

    def forward(F, *tensors, dim, lengths):
        return F.cat([a for a in tensors if a.shape != (0,)] or tensors[:1], dim)

    def vjp(F, g, shapes, *, dim, lengths):
        starts = [sum(n for n in lengths[:k] if n) for k in range(len(lengths))]
        return tuple([None if shape is None
                      else F.reshape(F.narrow(g, dim, 0, 0), shape) if n is None
                      else F.narrow(g, dim, start, n)
                      for shape, start, n in zip(shapes, starts, lengths)])

    def call(tensors, dim=0):
        tensors = tensors_of("cat", tensors)
        first = tensors[0]._a
        if first.ndim > 1 and all([x._a.ndim == first.ndim for x in tensors]):
            dim = wrap_dim(dim, first.ndim)
            try:
                return apply(cat.op, *tensors, dim=dim, lengths=tuple([x._a.shape[dim] for x in tensors]))
            except ValueError:  # the shapes differ: said below
                pass
        first = next((x._a for x in tensors if x._a.shape != (0,)), first)
        if any(not x._a.ndim for x in tensors):
            raise ShapeError(f"shapes {', '.join(str(tuple(x.shape)) for x in tensors)}",
                             "zero-dimensional tensor cannot be concatenated", "rustyflow.stack(tensors)")
        dim = wrap_dim(dim, first.ndim)
        for k, x in enumerate(tensors):
            shape = x._a.shape
            alike = len(shape) == first.ndim and all(d == dim or n == first.shape[d] for d, n in enumerate(shape))
            if shape != (0,) and not alike:
                apart = [d for d, (n, m) in enumerate(zip(first.shape, shape)) if n != m]
                if len(shape) != first.ndim:
                    raise ShapeError(align_right(("first", first.shape), (f"tensors[{k}]", shape)),
                                     "Tensors must have same number of dimensions: got "
                                     f"{first.ndim} and {len(shape)}",
                                     "x.unsqueeze(0) gives one an axis more, x.squeeze(0) takes one of size 1 away")
                raise ShapeError(align_right(("first", first.shape), (f"tensors[{k}]", shape)),
                                 f"Sizes of tensors must match except in dimension {dim}",
                                 f"dim={apart[0]} joins these" if len(apart) == 1
                                 else "give all of them the same shape but for one axis")
        lengths = tuple([None if x._a.shape == (0,) and first.ndim != 1 else x._a.shape[dim] for x in tensors])
        return apply(cat.op, *tensors, dim=dim, lengths=lengths)


@op(method=False)
class stack:
    """y = stack(tensors, dim)        dx = select(g, dim, k)

    Raises: ShapeError (a RuntimeError): shapes that differ; DimError (an IndexError): dim outside [-ndim - 1, ndim].
    Source: https://pytorch.org/docs/stable/generated/torch.stack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.stack([rf.tensor([1, 2]), rf.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])
    """
    def forward(F, *tensors, dim): return F.stack(tensors, dim)

    def vjp(F, g, shapes, *, dim):
        return tuple([None if shape is None else F.select(g, dim, k) for k, shape in enumerate(shapes)])

    def call(tensors, dim=0):
        tensors = tensors_of("stack", tensors)
        shape = tensors[0]._a.shape
        dim = wrap_dim(dim, len(shape) + 1)
        for k, x in enumerate(tensors):
            if x._a.shape != shape:
                raise ShapeError(align_right(("first", shape), (f"tensors[{k}]", x._a.shape)),
                                 "stack expects each tensor to be equal size, "
                                 f"but got {list(shape)} at entry 0 and {list(x.shape)} at entry {k}",
                                 "rustyflow.cat joins along an axis that is there")
        return apply(stack.op, *tensors, dim=dim)


@function(method=False)
def hstack(tensors):
    """Side by side: along dim 1, along dim 0 for vectors.

    Raises:
        ShapeError (a RuntimeError): shapes that differ elsewhere.
    Source: https://pytorch.org/docs/stable/generated/torch.hstack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.hstack([rf.tensor([1, 2]), rf.tensor([3])])
        tensor([1, 2, 3])
    """
    tensors = atleast_1d(*tensors_of("hstack", tensors), many=True)
    return cat(tensors, 0 if tensors[0]._a.ndim == 1 else 1)


@function(method=False)
def vstack(tensors):
    """On top of each other: vectors become rows, then along dim 0.

    Source: https://pytorch.org/docs/stable/generated/torch.vstack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.vstack([rf.tensor([1, 2]), rf.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])
    """
    return cat(atleast_2d(*tensors_of("vstack", tensors), many=True), 0)


@function(method=False)
def dstack(tensors):
    """One behind the other: along dim 2 of at least three.

    Source: https://pytorch.org/docs/stable/generated/torch.dstack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.dstack([rf.tensor([1, 2]), rf.tensor([3, 4])]).shape
        rustyflow.Size([1, 2, 2])
    """
    return cat(atleast_3d(*tensors_of("dstack", tensors), many=True), 2)


@function(method=False)
def column_stack(tensors):
    """Vectors as the columns of a matrix; matrices side by side.

    Source: https://pytorch.org/docs/stable/generated/torch.column_stack.html

    Example:
        >>> import rustyflow as rf
        >>> rf.column_stack([rf.tensor([1, 2]), rf.tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])
    """
    return hstack([reshape(x, (x._a.size, 1)) if x._a.ndim <= 1 else x for x in tensors_of("column_stack", tensors)])


@function(method=False, public=True)
def broadcast_tensors(*tensors):
    """Every tensor expanded to the shape they broadcast to: views, whose stretched axes have stride 0.

    Raises:
        BroadcastError (a RuntimeError): shapes that do not align.
    Source: https://pytorch.org/docs/stable/generated/torch.broadcast_tensors.html

    Example:
        >>> import rustyflow as rf
        >>> [x.stride() for x in rf.broadcast_tensors(rf.zeros(3, 1), rf.zeros(4))]
        [(1, 0), (0, 1)]
    """
    tensors = tensors_of("broadcast_tensors", tensors) if tensors else ()
    shape = broadcast_shapes(*[x._a.shape for x in tensors])
    return tuple([x if x._a.shape == shape else expand(x, shape) for x in tensors])


@function(method=False)
def meshgrid(*tensors, indexing=None):
    """For vectors of lengths n0, n1, ... one (n0, n1, ...) view each, in which it varies along its own axis only.

    `indexing` 'ij' (also when left out) gives axis k to vector k; 'xy' swaps the first two axes, as plots want it.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): more than one axis, different dtypes, another indexing.
    Source: https://pytorch.org/docs/stable/generated/torch.meshgrid.html

    Example:
        >>> import rustyflow as rf
        >>> rf.meshgrid(rf.tensor([1, 2]), rf.tensor([3, 4]), indexing="ij")[0]
        tensor([[1, 1],
                [2, 2]])
    """
    listed = len(tensors) == 1 and isinstance(tensors[0], (tuple, list))
    tensors = tensors_of("meshgrid", tensors[0] if listed else tensors)
    for k, x in enumerate(tensors):
        if x._a.ndim > 1:
            raise ShapeError(f"tensors[{k}] has shape {tuple(x.shape)}", "meshgrid: Expected 0D or 1D tensor",
                             "x.flatten()")
        if x._a.dtype != tensors[0]._a.dtype:
            raise DTypeError(f"{tensors[0].dtype!r} and {x.dtype!r}",
                             "meshgrid expects all tensors to have the same dtype", "x.to(dtype)")
    if indexing not in (None, "ij", "xy"):
        raise ShapeError(f"indexing={indexing!r}", "meshgrid: indexing must be one of 'xy' or 'ij'", "indexing='ij'")
    if indexing is None and len(tensors) > 1:
        warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. "
             "Without it you get indexing='ij'; NumPy's meshgrid has 'xy'.")
    swap = indexing == "xy" and len(tensors) > 1
    order = (tensors[1], tensors[0], *tensors[2:]) if swap else tensors
    shape = tuple([x._a.size for x in order])
    grids = tuple([expand(view(x, [-1 if d == k else 1 for d in range(len(order))]), shape)
                   for k, x in enumerate(order)])
    return (grids[1], grids[0], *grids[2:]) if swap else grids


also_called(cat, "concat", "concatenate")
also_called(vstack, "row_stack")

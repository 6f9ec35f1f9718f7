"""Every pair, every choice, and matrices built of parts."""
from __future__ import annotations

from ...arguments.numbers import number, whole
from ...backends import backend
from ...dispatch import apply, apply_view, function, layout_of, need_tensors, op
from ...dtype import int64
from ...errors import ShapeError
from ...tensor import Tensor
from ..creation import ones, zeros
from ..elementwise.fill import fill_
from ..index.brackets import read_at
from ..matrix.triangle import diag_embed
from ..reduce.cumulative import cumprod
from ..views import as_strided
from .cat import cat, meshgrid, stack


def _vectors(name, tensors):
    need_tensors(name, **{f"tensors[{k}]": x for k, x in enumerate(tensors)})
    for k, x in enumerate(tensors):
        if x._a.ndim != 1:
            raise ShapeError(f"tensor {k} of shape {tuple(x.shape)}", "Expect a 1D vector, but got shape "
                             f"{list(x.shape)}", "x.flatten()")


@function(method=False)
def cartesian_prod(*tensors):
    """Every way to take one cell of each vector, one per row, the last changing fastest.

    Shapes: (n1 * n2 * ..., number of vectors); of one vector the vector itself.
    Raises:
        ShapeError (a RuntimeError): what is no vector.
    Source: https://pytorch.org/docs/stable/generated/torch.cartesian_prod.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cartesian_prod(rf.tensor([1, 2]), rf.tensor([4, 5]))
        tensor([[1, 4],
                [1, 5],
                [2, 4],
                [2, 5]])
    """
    _vectors("cartesian_prod", tensors)
    if len(tensors) == 1:
        return tensors[0]
    return stack([x.reshape((-1,)) for x in meshgrid(*tensors, indexing="ij")], 1)


@function(method=False)
def combinations(input, r=2, with_replacement=False):
    """Every choice of r cells of a vector, one per row, in its order.

    With replacement a cell may come again.

    Raises:
        ShapeError (a RuntimeError): no vector, or r below 0.
    Source: https://pytorch.org/docs/stable/generated/torch.combinations.html

    Example:
        >>> import rustyflow as rf
        >>> rf.combinations(rf.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    r, = whole("combinations", r=r)
    if input._a.ndim != 1:
        raise ShapeError(f"shape {tuple(input.shape)}", f"Expect a 1D vector, but got shape {list(input.shape)}",
                         "x.flatten()")
    if r < 0:
        raise ShapeError(f"combinations(r={r})", f"Expect a non-negative number, but got {r}", "r=2")
    if r == 0:
        return zeros(0, dtype=input.dtype)
    return read_at(input, (0,), (backend.choices(input._a.size, r, bool(with_replacement)),))


@op(method=False)
class block_diag:
    """y = along_diagonal(tensors)        dx = block(g, parts[k])

    A vector is a row.
    Raises: ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.block_diag.html

    Example:
        >>> import rustyflow as rf
        >>> rf.block_diag(rf.tensor([[1, 2]]), rf.tensor([[3], [4]]))
        tensor([[1, 2, 0],
                [0, 0, 3],
                [0, 0, 4]])
    """
    def forward(F, *tensors, size, parts):
        y = F.filled(size, 0, tensors[0].dtype)
        for x, part in zip(tensors, parts):
            F.write(_part(F, y, *part), x)
        return y

    def vjp(F, g, shapes, *, size, parts):
        return tuple([None if shape is None else F.reshape(_part(F, g, *part), shape)
                      for shape, part in zip(shapes, parts)])

    def call(*tensors):
        need_tensors("block_diag", **{f"tensors[{k}]": x for k, x in enumerate(tensors)})
        parts, rows, columns = [], 0, 0
        for k, x in enumerate(tensors):
            if x._a.ndim > 2:
                raise ShapeError(f"tensor {k} of shape {tuple(x.shape)}", "torch.block_diag: Input tensors must have "
                                 f"2 or fewer dimensions. Input {k} has {x._a.ndim} dimensions", "one matrix at a time")
            height, width = (1, 1, *x._a.shape)[-2:]
            parts.append((rows, columns, height, width))
            rows, columns = rows + height, columns + width
        return apply(block_diag.op, *tensors, size=(rows, columns), parts=tuple(parts)) if parts else zeros(1, 0)


def _part(F, y, row, column, height, width):
    return F.narrow(F.narrow(y, 0, row, height), 1, column, width)


@function(method=False)
def vander(x, N=None, increasing=False):
    """The powers of a vector's cells, one column each: x ** (N - 1), ..., x, 1, or the other way round.

    Whole numbers become int64.
    Raises:
        ShapeError (a RuntimeError): no vector, or N below 0.
    Source: https://pytorch.org/docs/stable/generated/torch.vander.html

    Example:
        >>> import rustyflow as rf
        >>> rf.vander(rf.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [4, 2, 1],
                [9, 3, 1]])
    """
    count, = whole("vander", N=x._a.size if N is None else N)
    if x._a.ndim != 1:
        raise ShapeError(f"shape {tuple(x.shape)}", "x must be a one-dimensional tensor.", "x.flatten()")
    if count < 0:
        raise ShapeError(f"vander(N={N})", "N must be non-negative.", "N=3")
    x = x if x._a.dtype.kind == "f" else x.to(int64)
    each = x.unsqueeze(1).expand(-1, max(count - 1, 0))
    powers = cat([ones(x._a.size, 1, dtype=x.dtype), cumprod(each, 1)], 1)[:, :count]
    return powers if increasing else powers.flip(1)


@function
def diagflat(input, offset=0):
    """A matrix of zeros with the input's cells, in order, on a diagonal.

    Source: https://pytorch.org/docs/stable/generated/torch.diagflat.html

    Example:
        >>> import rustyflow as rf
        >>> rf.diagflat(rf.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    return diag_embed(input.contiguous().view(-1), offset)


def fill_diagonal_(self, fill_value, wrap=False):
    """Write one number into the main diagonal of a matrix, or of a tensor of equal axes; return the tensor.

    With `wrap` the diagonal of a tall matrix begins again below its end.
    Raises: ShapeError (a RuntimeError): fewer than two axes, or more of different sizes. What `fill_` raises.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.fill_diagonal_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).fill_diagonal_(5)
        tensor([[5., 0., 0.],
                [0., 5., 0.]])
    """
    fill_value = number("fill_diagonal_", "fill_value", fill_value)
    shape, stride = self._a.shape, self.stride()
    if len(shape) < 2:
        raise ShapeError(f"shape {tuple(shape)}", "dimensions must larger than 1", "a matrix")
    if len(shape) > 2 and len({*shape}) > 1:
        raise ShapeError(f"shape {tuple(shape)}", "all dimensions of input must be of equal length",
                         "a matrix at a time")
    own, along, n = layout_of(self), (sum(stride),), min(shape)
    fill_(apply_view(as_strided.op, self, own=own, other=((n,), along, self._offset)), fill_value)
    rows, columns = shape[:2]
    if wrap and len(shape) == 2 and rows > columns + 1:
        again, start = (self.numel() + columns) // (columns + 1) - n, self._offset + stride[0] * (columns + 1)
        fill_(apply_view(as_strided.op, self, own=own, other=((again,), along, start)), fill_value)
    return self


Tensor.fill_diagonal_ = fill_diagonal_

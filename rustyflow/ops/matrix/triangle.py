"""Triangles and diagonals as copies, and copies with a part replaced."""
from __future__ import annotations

from functools import partial

from ... import layout as rules
from ...arguments.numbers import whole
from ...dispatch import apply, apply_inplace, function, op, renamed
from ...errors import ShapeError, align_right
from ..views import through


def _matrix(name, input, offset):
    """Refuse a tensor without rows and columns, and an offset that is no whole number."""
    offset, = whole(name, diagonal=offset)
    if input._a.ndim < 2:
        raise ShapeError(f"shape {tuple(input.shape)}", f"{name}: input tensor must have at least 2 dimensions",
                         "unsqueeze(0) makes a vector a row")
    return offset


@op(inplace=True)
class tril:
    """y = tril(x, diagonal)        dx = tril(g, diagonal)

    `diagonal` moves the border: 1 keeps one more, -1 one less. Batches of matrices are taken one by one.
    Raises: ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.tril.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2, 2).tril()
        tensor([[1., 0.],
                [1., 1.]])
    """
    def into(F, x, *, diagonal): F.tril(x, diagonal, out=x)
    def grad_x(F, g, *, diagonal): return F.tril(g, diagonal)

    def call(input, diagonal=0): return apply(tril.op, input, diagonal=_matrix("tril", input, diagonal))

    def write(input, diagonal=0): return apply_inplace(tril.op, input, diagonal=_matrix("tril", input, diagonal))


@op(inplace=True)
class triu:
    """y = triu(x, diagonal)        dx = triu(g, diagonal)

    Raises: ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.triu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.ones(2, 2).triu(1)
        tensor([[0., 1.],
                [0., 0.]])
    """
    def into(F, x, *, diagonal): F.triu(x, diagonal, out=x)
    def grad_x(F, g, *, diagonal): return F.triu(g, diagonal)

    def call(input, diagonal=0): return apply(triu.op, input, diagonal=_matrix("triu", input, diagonal))

    def write(input, diagonal=0): return apply_inplace(triu.op, input, diagonal=_matrix("triu", input, diagonal))


@op
class diag_embed:
    """y = on_diagonal(x, size, offset, dim1, dim2)        dx = diagonal(g, offset, dim1, dim2)

    Raises: ShapeError (a RuntimeError): the same dim twice; DimError (an IndexError): no such dim.
    Source: https://pytorch.org/docs/stable/generated/torch.diag_embed.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).diag_embed()
        tensor([[1, 0],
                [0, 2]])
    """
    def grad_x(F, g, *, size, offset, dim1, dim2): return F.diagonal(g, offset, dim1, dim2)

    def call(input, offset=0, dim1=-2, dim2=-1):
        offset, = whole("diag_embed", offset=offset)
        rank = input._a.ndim + 1
        a, b = rules.wrap_dim(dim1, rank), rules.wrap_dim(dim2, rank)
        if a == b:
            raise ShapeError(f"dim1 {dim1} and dim2 {dim2}", f"diagonal dimensions cannot be identical {dim1}, {dim2}",
                             "name two dims")
        rest, n = iter(input._a.shape[:-1]), input._a.shape[-1] + abs(offset)
        size = tuple([n if d in (a, b) else next(rest) for d in range(rank)])
        return apply(diag_embed.op, input, size=size, offset=offset, dim1=a, dim2=b)


@function
def diag(input, diagonal=0):
    """A vector as the diagonal of a matrix; of a matrix the diagonal, as a copy.

    Raises:
        ShapeError (a RuntimeError): neither a vector nor a matrix.
    Source: https://pytorch.org/docs/stable/generated/torch.diag.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([1, 2]).diag(1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])
    """
    offset, = whole("diag", diagonal=diagonal)
    if input._a.ndim == 1:
        return diag_embed(input, offset)
    if input._a.ndim != 2:
        raise ShapeError(f"shape {tuple(input.shape)}", f"diag(): Supports 1D or 2D tensors. Got {input._a.ndim}D",
                         "x.diagonal(dim1=-2, dim2=-1) for batches")
    rule = partial(rules.diagonal, diag=offset, dim1=0, dim2=1)
    return apply(_diagonal_copy, input, layout=rule)


_diagonal_copy = renamed(through.op, "DiagonalBackward0_copy")


@op(public=False, method=False)
class write_part:
    """y = write_part(x, src, layout)        dx = write_part(g, 0, layout)        dsrc = through(g, layout)"""
    promote = None
    def forward(F, x, src=None, *, layout): return F.write_part(x, src, layout)
    def grad_x(F, g, *, layout): return F.write_part(g, None, layout)
    def grad_src(F, g, *, layout): return F.through(g, layout)


_diagonal = renamed(write_part.op, "DiagonalScatterBackward0")
_select = renamed(write_part.op, "SelectScatterBackward0")
_slice = renamed(write_part.op, "SliceScatterBackward0")


def _replaced(it, name, input, src, rule, **attrs):
    """A copy of input in which the part that a view reads holds src."""
    layout, shape = partial(rule, **attrs), tuple(input._a.shape)
    part = layout(shape, rules.contiguous_stride(shape), 0)[0]
    if part != src._a.shape:
        raise ShapeError(align_right(("part", part), ("src", src._a.shape)),
                         f"{name}: expected src to have a size equal to that of the part", "src of that shape")
    return apply(it, input, src.to(input.dtype), layout=layout)


@function
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy in which a diagonal holds src.

    Source: https://pytorch.org/docs/stable/generated/torch.diagonal_scatter.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 2).diagonal_scatter(rf.ones(2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    offset, = whole("diagonal_scatter", offset=offset)
    return _replaced(_diagonal, "diagonal_scatter", input, src, rules.diagonal, diag=offset, dim1=dim1, dim2=dim2)


@function
def select_scatter(input, src, dim, index):
    """A copy in which one index of dim holds src.

    Source: https://pytorch.org/docs/stable/generated/torch.select_scatter.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 2).select_scatter(rf.ones(2), 0, 1)
        tensor([[0., 0.],
                [1., 1.]])
    """
    index, = whole("select_scatter", index=index)
    return _replaced(_select, "select_scatter", input, src, rules.select, dim=dim, index=index)


@function
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """A copy in which a slice of dim holds src.

    Source: https://pytorch.org/docs/stable/generated/torch.slice_scatter.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(4).slice_scatter(rf.ones(2), start=1, end=3)
        tensor([0., 1., 1., 0.])
    """
    ends = {key: n for key, n in (("start", start), ("end", end), ("step", step)) if n is not None}
    whole("slice_scatter", **ends)
    if step < 1:
        raise ShapeError(f"slice_scatter(step={step})", "slice step must be positive", "step=1")
    return _replaced(_slice, "slice_scatter", input, src, rules.slice_, dim=dim, start=start, stop=end, step=step)

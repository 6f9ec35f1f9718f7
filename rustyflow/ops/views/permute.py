"""Axes in another order: views, whose gradient is the order undone."""
from __future__ import annotations

from ... import layout as rules
from ...arguments.numbers import several_sizes, whole
from ...dispatch import apply_view, function, op
from ...errors import ArgumentTypeError, ShapeError, warn
from ...tensor import Tensor
from .view import alias, takes_a_tuple


@op
class permute:
    """y = permute(x, dims)        dx = permute(g, undone(dims))

    Source: https://pytorch.org/docs/stable/generated/torch.permute.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).permute(2, 0, 1).stride()
        (1, 12, 4)
    """
    layout = rules.permute

    def quick(a, *, dims):
        try:
            return a.transpose(dims) if dims and -a.ndim <= min(dims) <= max(dims) < a.ndim else None
        except ValueError:
            return None

    def grad_x(F, g, *, dims):
        return F.permute(g, tuple(sorted(range(len(dims)), key=[d % len(dims) for d in dims].__getitem__)))

    def call(input, *dims, **named):
        return apply_view(permute.op, input, dims=several_sizes("permute", "dims", dims, named, "x.permute(1, 0)",
                                                                 rules.whole_numbers))


takes_a_tuple(permute)


@op
class transpose:
    """y = swapaxes(x, dim0, dim1)        dx = swapaxes(g, dim0, dim1)

    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.transpose.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).transpose(0, -1).shape
        rustyflow.Size([4, 3, 2])
    """
    layout = rules.transpose

    def quick(a, *, dim0, dim1):
        return a.swapaxes(dim0, dim1) if -a.ndim <= dim0 < a.ndim and -a.ndim <= dim1 < a.ndim else None

    def grad_x(F, g, *, dim0, dim1): return F.transpose(g, dim0, dim1)

    def call(input, dim0, dim1):
        if not dim0.__class__ is dim1.__class__ is int:
            dim0, dim1 = whole("transpose", dim0=dim0, dim1=dim1)
        return apply_view(transpose.op, input, dim0=dim0, dim1=dim1)


@op
class t:
    """y = x.T        dx = g.T

    Raises: ShapeError (a RuntimeError): more than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.t.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).t().stride()
        (1, 3)
    """
    torch_name = "TBackward0"
    layout = rules.t
    def quick(a): return a.T if a.ndim <= 2 else None
    def grad_x(F, g): return F.t(g)
    def call(input): return apply_view(t.op, input)


@function
def adjoint(input):
    """The last two axes swapped: a view, the same as `x.mT` for real numbers.

    Raises:
        ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/generated/torch.adjoint.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(5, 2, 3).adjoint().shape
        rustyflow.Size([5, 3, 2])
    """
    if not input._a.ndim:
        return _swapless("adjoint()", input)
    if input._a.ndim < 2:
        raise ShapeError(f"shape {tuple(input.shape)}",
                         "tensor.mT is only supported on matrices or batches of matrices. "
                         f"Got {input._a.ndim}-D tensor.",
                         "unsqueeze(0) makes a vector a matrix")
    return transpose(input, -2, -1)


def _swapless(name, x):
    """A tensor with no axes, which has none to swap."""
    warn(f"{name} is deprecated on 0-D tensors: it gives the tensor itself. Write x alone.")
    return x


@function
def swapaxes(input, axis0, axis1):
    """`transpose` under NumPy's name.

    Source: https://pytorch.org/docs/stable/generated/torch.swapaxes.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).swapaxes(0, 1).stride()
        (1, 3)
    """
    return transpose(input, axis0, axis1)


@function
def swapdims(input, dim0, dim1):
    """`transpose` under another name.

    Source: https://pytorch.org/docs/stable/generated/torch.swapdims.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3).swapdims(0, 1).shape
        rustyflow.Size([3, 2])
    """
    return transpose(input, dim0, dim1)


@function
def movedim(input, source, destination):
    """The dims in `source` moved to the places in `destination`, the others kept in order: a view.

    Raises:
        ShapeError (a RuntimeError): lists of different lengths, or a dim twice. ArgumentTypeError (a TypeError): a
        list beside a number.
    Source: https://pytorch.org/docs/stable/generated/torch.movedim.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).movedim(0, -1).shape
        rustyflow.Size([3, 4, 2])
    """
    rank, lists = input._a.ndim, [isinstance(dims, (tuple, list)) for dims in (source, destination)]
    if lists[0] != lists[1]:
        raise ArgumentTypeError(f"movedim(source={source!r}, destination={destination!r})",
                                "movedim(): source and destination must be one whole number each, or both tuples",
                                "movedim((0, 1), (1, 2))")
    from_, to = [rules.whole_numbers(dims) if lists[0] else (dims,) for dims in (source, destination)]
    if len(from_) == len(to):
        from_, to = [[rules.wrap_dim(d, rank) for d in dims] for dims in (from_, to)]
    if len(from_) != len(to) or len(set(from_)) != len(from_) or len(set(to)) != len(to):
        raise ShapeError(f"source {source}, destination {destination}",
                         "movedim: Invalid source or destination dims: both name equally many, none twice",
                         "one place per dim")
    if not rank:
        return alias(input)
    rest = iter([d for d in range(rank) if d not in from_])
    order = [from_[to.index(d)] if d in to else next(rest) for d in range(rank)]
    return permute(input, order)


@function
def moveaxis(input, source, destination):
    """`movedim` under NumPy's name.

    Source: https://pytorch.org/docs/stable/generated/torch.moveaxis.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(2, 3, 4).moveaxis(0, 2).shape
        rustyflow.Size([3, 4, 2])
    """
    return movedim(input, source, destination)


def _T(x):
    """All axes reversed: a view. Of other than two axes it warns, for there it seldom is what was meant.

    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.T

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3)
        >>> x.T.shape, x.T.stride()
        (rustyflow.Size([3, 2]), (1, 3))
    """
    if x._a.ndim != 2:
        warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated: of "
             f"{tuple(x.shape)} it makes {tuple(x.shape[::-1])}. Consider `x.mT` to transpose batches of "
             "matrices, `v[:, None]` to make a column of a vector, or `x.permute(*range(x.ndim)[::-1])`.")
    return permute(x, tuple(range(x._a.ndim))[::-1])


def _mT(x):
    """The last two axes swapped, each matrix of a batch transposed: a view.

    Raises:
        ShapeError (a RuntimeError): fewer than two axes.
    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.mT

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(5, 2, 3).mT.shape
        rustyflow.Size([5, 3, 2])
    """
    return adjoint(x) if x._a.ndim else _swapless("x.mT", x)


def _H(x):
    """The transpose of a matrix: a view.

    Differs from PyTorch: nothing is conjugated, for there are no complex numbers.
    Raises:
        ShapeError (a RuntimeError): one axis, or more than two.
    Source: https://pytorch.org/docs/stable/tensors.html#torch.Tensor.H

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(4).view(2, 2).H
        tensor([[0, 2],
                [1, 3]])
    """
    if x._a.ndim not in (0, 2):
        raise ShapeError(f"H of shape {tuple(x.shape)}",
                         f"tensor.H is only supported on matrices (2-D tensors). Got {x._a.ndim}-D tensor.",
                         "x.mT swaps the last two axes")
    return transpose(x, 0, 1) if x._a.ndim else _swapless("x.H", x)


Tensor.T, Tensor.mT, Tensor.H, Tensor.mH = property(_T), property(_mT), property(_H), property(_mT)

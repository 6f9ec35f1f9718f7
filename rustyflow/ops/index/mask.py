"""Reading and writing where a mask of bools is True."""
from __future__ import annotations

from ...backends import backend
from ...dispatch import apply, attach, check_shape, function, op, renamed, writes
from ...errors import DTypeError, ShapeError
from ...layout import broadcast_shapes
from ...tensor import Tensor
from ..views import expand
from ..views.slices import fill_value
from .brackets import pick
from .scatter import same_dtype

_select = renamed(pick.op, "MaskedSelectBackward0")


@function
def masked_select(input, mask):
    """The cells where the mask is True, in order, as a vector; tensor and mask broadcast together.

    Raises:
        DTypeError (a RuntimeError): the mask is not of bools. BroadcastError (a RuntimeError): shapes that do not
        align.
    Source: https://pytorch.org/docs/stable/generated/torch.masked_select.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1, 2, 3])
        >>> x.masked_select(x > 1)
        tensor([2, 3])
    """
    check_mask("masked_select", mask)
    shape = broadcast_shapes(input._a.shape, mask._a.shape)
    return apply(_select, input, mask if mask._a.shape == shape else expand(mask, shape))


def check_mask(name: str, mask) -> None:
    """Refuse a mask that is no tensor of bools.

    Raises:
        ArgumentTypeError (a TypeError), DTypeError (a RuntimeError).
    """
    if mask._a.dtype != "bool":
        raise DTypeError(f"{name} with a mask of {mask.dtype!r}", f"{name}: expected BoolTensor for mask",
                         "a comparison makes one: x > 0; or mask.bool()")


@op(public=False, method=False)
class fill_mask:
    """y = value if mask else x        dx = 0 if mask else g        dvalue = sum(g if mask else 0)"""
    torch_name, promote = "MaskedFillBackward1", None
    def forward(F, x, mask, value): return F.in_rows(lambda x, mask: F.where(mask, value, x), x, mask)
    def grad_x(F, g, mask): return F.where(mask, 0.0, g)
    def grad_value(F, g, mask): return F.sum(F.where(mask, g, 0.0))


_by_number = renamed(fill_mask.op, "MaskedFillBackward0", [0])


@function
@writes
def masked_fill(input, mask, value):
    """A copy with one value, a number or a 0-d tensor, where the mask is True.

    Tensor and mask broadcast together.

    Raises:
        DTypeError (a RuntimeError): the mask is not of bools. ShapeError (a RuntimeError): value has axes.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill_.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([1., -2.])
        >>> x.masked_fill(x < 0, 0)
        tensor([1., 0.])
    """
    check_mask("masked_fill", mask)
    it = fill_mask.op if isinstance(value, Tensor) else _by_number
    value = fill_value("masked_fill", value, input)
    shape = broadcast_shapes(input._a.shape, mask._a.shape, names=("input", "mask"))

    def write(a):
        check_shape(input, shape, "masked_fill")
        backend.fill_where(a, mask._a, value._a)
    return it, (mask, value), {}, write


@op(public=False, method=False)
class scatter_mask:
    """y = masked_scatter(x, mask, source)
    dx = 0 if mask else g
    dsource = first_masked(g, mask, source.shape)"""
    torch_name, promote = "MaskedScatterBackward0", None
    def forward(F, x, mask, source):
        y = F.dense(x if x.shape == mask.shape else F.expand(x, mask.shape))
        F.write_where(y, mask, source)
        return y

    def grad_x(F, g, mask): return F.where(mask, 0.0, g)
    def grad_source(F, g, shape, mask): return F.first_places(F.masked_select(g, mask), shape)


@function
@writes
def masked_scatter(input, mask, source):
    """A copy in which the cells where the mask is True hold the first cells of source, in order.

    Raises:
        DTypeError, ShapeError (RuntimeErrors): a mask that is not of bools, another dtype, too short a source.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.zeros(3).masked_scatter(rf.tensor([True, False, True]), rf.tensor([5., 6.]))
        tensor([5., 0., 6.])
    """
    check_mask("masked_scatter", mask)
    same_dtype("masked_scatter", input, source, "source")
    shape = broadcast_shapes(input._a.shape, mask._a.shape)
    mask = mask if mask._a.shape == shape else expand(mask, shape)
    if int(mask._a.sum()) > source._a.size:
        raise ShapeError(f"{int(mask._a.sum())} cells to fill, source of {source._a.size}",
                         "Number of elements of source < number of ones in mask", "a longer source")

    def write(a):
        check_shape(input, shape, "masked_scatter")
        backend.write_where(a, mask._a, source._a)
    return scatter_mask.op, (mask, source), {}, write


attach(masked_fill, masked_scatter)

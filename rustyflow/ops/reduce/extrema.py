"""The largest, the smallest and the middle cell, and where they are."""
from __future__ import annotations

from ...arguments.kinds import is_int64
from ...backends import backend
from ...dispatch import apply, expose, function, op, pair
from ...errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from ...layout import wrap_dim
from ...tensor import Tensor, wrap
from ..elementwise.selection import maximum, minimum
from .axes import axes, need_cells


def _shared(F, g, x, y, dim, keepdim):
    """The gradient of an extreme value: equal parts for all cells that have it."""
    top = x == F.restore(y, dim, keepdim, x.ndim)
    return top * F.type_as(F.restore(g, dim, keepdim, x.ndim) / F.sum(top, dim, True), g)


def _over_all(name, torch_name, empty="isnan(x)"):
    doc = f"""y = {name}(x)        dx = shared(g, x == y or {empty})"""

    def grad_x(F, g, x, y):
        top = (x == y) | ((x != x) & (y != y))
        return F.kept_where(top, F.type_as(g / F.sum(top), g))
    return op(type(f"{name}_all", (), {
        "__doc__": doc, "__module__": __name__, "torch_name": torch_name,
        "takes": "iuf" if "median" in name else "biuf",
        "kinks": "ties share the gradient equally", "elementwise": False,
        "forward": lambda F, x: getattr(F, name)(x),
        "grad_x": grad_x,
    }), public=False, method=False)


def picked(F, g, shape, indices, dim, keepdim):
    """The gradient of a cell that was picked: all of g to it."""
    return F.scatter_add_zeros(F.restore(g, dim, keepdim, len(shape)), shape, dim,
                               F.restore(indices, dim, keepdim, len(shape)))


def _extreme(name, text, example):
    doc = f"""y = {name}(x, dim, keepdim)        dx = shared(g, x == y, dim)

    The {text} over one dim, several, or all; NaN where there is one.
    Raises: DimError (an IndexError), ShapeError (a RuntimeError): no cells to choose from.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([[1., 5.], [7., 2.]]), dim=1)
        tensor({example})
    """
    def call(input, dim=(), keepdim=False):
        try:
            dims = axes(input, dim)
        except ShapeError as error:
            need_cells(name, input, error.facts["dims"])  # PyTorch looks for an empty one first
            raise
        need_cells(name, input, dims)
        return apply(made.op, input, dim=dims, keepdim=keepdim)
    made = op(type(name, (), {"__doc__": doc, "__module__": __name__, "kinks": "ties share the gradient equally",
                              "grad_x": lambda F, g, x, y, *, dim, keepdim: _shared(F, g, x, y, dim, keepdim),
                              "call": call}))
    return made


def _with_place(name, text, torch_name):
    doc = f"""values, indices = {text}(x, dim)        dx = at_indices(g, indices, dim, x.shape)"""
    return op(type(name + "_dim", (), {
        "__doc__": doc, "__module__": __name__, "torch_name": torch_name, "results": ("values", "indices"),
        "takes": "iuf" if "median" in name else "biuf",
        "kinks": "of tied cells the one at `indices` receives everything",
        "grad_x": lambda F, g, shape, indices, *, dim, keepdim: picked(F, g[0], shape, indices, dim, keepdim),
    }), public=False, method=False)


amax, amin = _extreme("amax", "largest", "[5., 7.]"), _extreme("amin", "smallest", "[1., 2.]")
max_dim, min_dim = _with_place("max", "largest", "MaxBackward0"), _with_place("min", "smallest", "MinBackward0")
median_dim = _with_place("median", "middle", "MedianBackward1")
nanmedian_dim = _with_place("nanmedian", "middle_number", "NanmedianBackward1")
max_all, min_all = _over_all("amax", "MaxBackward1"), _over_all("amin", "MinBackward1")
median_all = _over_all("median", "MedianBackward0")
nanmedian_all = _over_all("nanmedian", "NanmedianBackward0", "isnan(y)")


def _both_forms(name, place, whole, between, example):
    """max and min: of everything, along a dim, or of two tensors."""
    def extreme(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) and keepdim and dim._a.ndim or other is not None and dim is not None:
            raise ArgumentTypeError(f"{name}(dim={dim!r:.60})", f"{name}() takes two tensors, or a dim and keepdim",
                                    f"{between.__name__}(x, y), or {name}(x, dim, keepdim)")
        if isinstance(dim, Tensor) and not keepdim or other is not None:
            return between(input, dim if other is None else other)
        if dim is None:
            need_cells(name, input, None)
            return whole(input)
        try:
            d = wrap_dim(dim, input._a.ndim)
        except ArgumentTypeError as error:
            limit = {"max": "min", "min": "max"}[name]
            fix = f"{between.__name__}(x, y) of two tensors, x.clamp({limit}=...) of a tensor and a number"
            raise ArgumentTypeError(error.was, error.rule, f"{error.fix}; {fix}") from None
        need_cells(name, input, d)
        return pair(name, "values", "indices")(*apply(place.op, input, dim=d, keepdim=keepdim))
    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"""(values, indices) along dim; without dim the {name} of all.

    With two tensors it is `{between.__name__}`. Of tied cells along dim the first is at `indices` and receives the
    gradient; without dim they share it.
    Raises: DimError (an IndexError), ShapeError (a RuntimeError): no cells to choose from.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([[1., 5.], [7., 2.]]).{name}(dim=1)
        rustyflow.return_types.{name}(
        {example})
    """
    expose(name, extreme)
    return extreme


max = _both_forms("max", max_dim, max_all, maximum, "values=tensor([5., 7.]),\n        indices=tensor([1, 0])")
min = _both_forms("min", min_dim, min_all, minimum, "values=tensor([1., 2.]),\n        indices=tensor([0, 1])")


@op(public=False, method=False)
class both_ends:
    """low = amin(x, dim, keepdim)        high = amax(x, dim, keepdim)
    dx = shared(glow, x == low, dim) + shared(ghigh, x == high, dim)
    """
    torch_name, results, kinks = "AminmaxBackward0", ("low", "high"), "ties share the gradient equally"
    def forward(F, x, *, dim, keepdim): return F.amin(x, dim, keepdim), F.amax(x, dim, keepdim)

    def grad_x(F, g, x, low, high, *, dim, keepdim):
        return _shared(F, g[0], x, low, dim, keepdim) + _shared(F, g[1], x, high, dim, keepdim)


@function
def aminmax(input, *, dim=None, keepdim=False):
    """The smallest and the largest, over one dim or all.

    Source: https://pytorch.org/docs/stable/generated/torch.aminmax.html

    Example:
        >>> import rustyflow as rf
        >>> rf.aminmax(rf.tensor([3, 1, 2]))
        rustyflow.return_types.aminmax(
        min=tensor(1),
        max=tensor(3))
    """
    dims = None if dim is None else wrap_dim(dim, input._a.ndim)
    need_cells("aminmax", input, dims)
    return pair("aminmax", "min", "max")(*apply(both_ends.op, input, dim=dims, keepdim=keepdim))


def _place(name, text, answer):
    doc = f"""y = {name}(x, dim, keepdim)

    The index of the {text} cell along dim, the first of several, or of the first NaN: int64. Without dim, of all cells
    in order.
    Raises: DTypeError (a RuntimeError): bools. DimError (an IndexError): no cells to choose from.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([[1., 5.], [7., 2.]]), dim=1)
        tensor({answer})
    """
    def call(input, dim=None, keepdim=False):
        if input._a.dtype.kind == "b" and (dim is None or is_int64(dim)):
            raise DTypeError(f"{name} of bools", f"{name}(): does not support bool input", "x.int()")
        d = None if dim is None else wrap_dim(dim, input._a.ndim)
        need_cells(name, input, d, DimError)
        return apply(made.op, input, dim=d, keepdim=keepdim)
    made = op(type(name, (), {"__doc__": doc, "__module__": __name__, "call": call,
                              "forward": lambda F, x, *, dim, keepdim: getattr(F, name)(x, dim, keepdim)}))
    return made


argmax, argmin = _place("argmax", "largest", "[1, 0]"), _place("argmin", "smallest", "[0, 1]")


@function
def median(input, dim=None, keepdim=False):
    """The middle cell, of two middle ones the lower; NaN where there is one. With dim: (values, indices).

    Raises: UnsupportedDTypeError (a NotImplementedError): bools. DimError (an IndexError): no cells along dim.
    Source: https://pytorch.org/docs/stable/generated/torch.median.html

    Example:
        >>> import rustyflow as rf
        >>> rf.median(rf.tensor([4., 1., 3., 2.]))
        tensor(2.)
    """
    if dim is None:
        nothing = not input._a.size and input._a.dtype.kind == "b"  # the NaN of no cells is True as a bool
        return wrap(backend.filled((), True, "bool")) if nothing else median_all(input)
    d = wrap_dim(dim, input._a.ndim)
    need_cells("median", input, d)
    return pair("median", "values", "indices")(*apply(median_dim.op, input, dim=d, keepdim=keepdim))


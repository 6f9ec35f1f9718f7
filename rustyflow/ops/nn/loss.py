"""The parts that losses share: their reduction, each cell's gradient, and weights that get none."""
from __future__ import annotations

from math import prod

from ...errors import ArgumentValueError, GradError, ShapeError, align_right, warn
from ...layout import broadcast_shapes
from ...tensor import mode
from ..reduce.axes import share


def reduction_of(reduction, size_average=None, reduce=None) -> str:
    """The reduction of a loss: 'mean', 'sum' or 'none'.

    The two old flags say the same in another way, with a warning.

    Raises:
        ArgumentValueError (a ValueError): another word.

    Example:
        >>> reduction_of("sum")
        'sum'
    """
    if size_average is not None or reduce is not None:
        each, added = [flag is not None and not flag for flag in (reduce, size_average)]
        reduction = "none" if each else "sum" if added else "mean"
        warn(f"size_average and reduce args will be deprecated, please use reduction={reduction!r} instead.")
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentValueError(f"reduction={reduction!r:.60}", f"{reduction} is not a valid value for reduction",
                                 "'mean', 'sum' or 'none'")
    return reduction


def reduced(F, each, reduction, count=None):
    """Losses per cell as one number, or as they are.

    Their sum is divided by `count`, if not by how many they are.
    """
    if reduction == "mean":
        return F.mean(each) if count is None else F.sum(each) / count
    return F.sum(each) if reduction == "sum" else each


def with_weight(each, weight):
    """Each number times its weight, where there are weights."""
    return each if weight is None else each * weight


def shared(F, g, shape, reduction):
    """The part of the upstream gradient for each cell's loss."""
    return share(F, g, prod(shape)) if reduction == "mean" else g


def need_inside(input, **others) -> None:
    """Refuse a weight or a target that would broadcast the loss beyond the input's shape.

    Raises:
        ShapeError (a RuntimeError).
    """
    for key, x in others.items():
        if x is not None and (size := broadcast_shapes(input._a.shape, x._a.shape)) != input._a.shape:
            raise ShapeError(align_right(("input", input._a.shape), (key, x._a.shape)),
                             f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(size)}",
                             f"a {key} for each cell of the input, or one that broadcasts to its shape")


def need_untracked(name: str, **weights) -> None:
    """Refuse a weight that asks for a gradient: a loss has none by it.

    Raises:
        GradError (a RuntimeError).
    """
    for key, x in weights.items():
        if x is not None and mode.enabled and x.requires_grad:
            raise GradError(f"{name}({key}=...) of a tensor that requires grad",
                            f"The function '{name}' is not differentiable with respect to argument '{key}'. "
                            "This input cannot have requires_grad True.",
                            f"{key}={key}.detach()")

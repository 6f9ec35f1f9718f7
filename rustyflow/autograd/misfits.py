"""Errors about a gradient, or a saved value, of a shape that does not fit."""
from __future__ import annotations

from ..errors import ShapeError, align_right


def misfit(node, operand, target, g) -> ShapeError:
    """The error for a gradient of a shape that no broadcasting explains."""
    name = f"{node.name()} returned an invalid gradient at index {operand}" if node is not None else "seed"
    return ShapeError(align_right(("gradient", tuple(g.shape)), ("operand", tuple(target.out.shape))),
                      f"Function {name} - got {list(g.shape)} but expected shape compatible with "
                      f"{list(target.out.shape)}",
                      "a gradient has the shape of the operand it is for")


def reshaped(was) -> ShapeError:
    """The error for a shape that no longer fits because the program set a tensor's `.data`."""
    return ShapeError(was, "what backward meets must have the shape it had, and x.data was set to another",
                      "set x.data before the forward, and x.grad = None beside it")

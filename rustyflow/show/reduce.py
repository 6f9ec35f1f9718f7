"""show.reduce: the axis that disappears, lane by lane, and one gradient that fans out over a lane again."""

from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.registry import PUBLIC
from ..errors import ArgumentValueError
from ..layout import wrap_dims
from ..scene import Figure
from ..tensor.table import fill
from .words.caller import words
from .reduce_scene import Picture
from .reduce_story import tell
from .source import look


def reduce(
    x: Any, op: str | Callable = "sum", dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    upstream: Any = None, name: str | None = None,
) -> Figure:  # fmt: skip
    """What a reduction does to a shape: every lane along `dim` becomes one number.

    Point at a result to see its lane, at a cell to see where it goes. `g` turns to the backward side: each upstream
    gradient fans out over its lane, times what the operation says: 1 for sum, 1/n for mean, 1 or 0 for max.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor of rank 4 at most.
        op: 'sum', 'mean', 'prod', 'amax', 'amin', 'max', 'min', 'logsumexp', 'var' ..., or a function of that name.
        dim: the axis or axes that disappear; default: all.
        keepdim: leave them with size 1.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        name: what to call x; default: the name in the calling line.

    Raises:
        TypeError: not a tensor or array. IndexError: no such dim. ValueError: no such operation, rank above 4.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.reduce(np.arange(6.0).reshape(2, 3), "sum", 1, name="x")
        >>> print(figure.state(link="r1").sentence)
        x.sum(dim=1)[1] = 3 + 4 + 5 = 12.
        >>> print(figure.state(link="r1", toggles=("g",)).sentence)
        g[1] = 1 fans out over its 3 cells: 1, 1, 1.
    """
    said = words(1).arguments[0] if name is None else name
    source = look(x, said if said and said.isidentifier() or name else "x")
    op = op if isinstance(op, str) else getattr(op, "__name__", repr(op))
    if len(source.shape) > 4:
        raise ArgumentValueError(f"shape {source.shape}", "at most 4 axes are drawn", "reduce a slice of it")
    fill()
    if op not in PUBLIC:
        raise ArgumentValueError(f"op={op!r}", "op is a reduction of rustyflow", "'sum', 'mean', 'amax', 'max', 'prod'")
    dims = wrap_dims(dim, len(source.shape))
    return Figure(tell(Picture(source, op, dims, dim is None, keepdim, upstream)))

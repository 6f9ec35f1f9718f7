"""show.matmul: rows meet columns, and why the gradients need the transposes."""

from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentValueError
from ..scene import Figure, Frame, Look, Scene, draw
from .kit.alignment import Alignment, Index
from .kit.grids import LEFT, RIGHT
from .words.caller import words
from .matmul_scene import Picture
from .source import Source, look


def matmul(a: Any, b: Any, *, upstream: Any = None, names: Sequence[str] | None = None) -> Figure:
    """How a product of matrices is made: each result cell is a row of `a` times a column of `b`.

    Point at a result to see its row and column; at a cell of `a` to see the row of `b` and of the result that it meets.
    `g` turns to the backward side, where the same cells light: the transposes appear because the indices force them.

    Args:
        a, b: rustyflow tensors, NumPy arrays or PyTorch tensors of 1 to 4 axes; batches broadcast. Inner sizes that
            differ are drawn, with what would fit.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        names: what to call a and b; default: the names in the calling line.

    Raises:
        TypeError: not a tensor or array. ValueError: a scalar, or more than 4 axes. ShapeError: the upstream's shape.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]]), names=["a", "b"])
        >>> print(figure.state(link="c1").sentence)
        (a @ b)[1, 0] = 3*5 + 4*6 = 39.
        >>> print(figure.state(link="a2", toggles=("g",)).sentence)
        a.grad[1, 0] = 1*5 = 5: row 1 of g times row 0 of b.
    """
    said = words(2).arguments if names is None else tuple(names)
    called = [n if n and (names is not None or n.isidentifier()) else "ab"[k] for k, n in enumerate(said)]
    sources = [look(x, str(n)) for x, n in zip((a, b), called, strict=True)]
    if any(not 1 <= len(s.shape) <= 4 for s in sources):
        raise ArgumentValueError(
            f"{sources[0].shape} @ {sources[1].shape}", "both have 1 to 4 axes", "a * b for scalars"
        )
    left, right = sources[0].shape, sources[1].shape
    inner = left[-1], right[-2] if len(right) > 1 else right[0]
    batch = Alignment((left[:-2] or (1,), right[:-2] or (1,)))
    if inner[0] != inner[1] or batch.shape is None:
        return Figure(_clash(sources, inner))
    return Figure(Picture(sources, batch, upstream).scene())


def _clash(sources: Sequence[Source], inner: tuple[int, int]) -> Scene:
    """Shapes that cannot be multiplied: which sizes had to meet, and the transposes that would fit."""
    (a, b), (left, right) = (s.name for s in sources), (s.shape for s in sources)
    title = f"{a} @ {b}"
    says = [f"The inner sizes, {inner[0]} of {a} and {inner[1]} of {b}, meet in every product, so they must be equal."]
    if inner[0] == inner[1]:
        says = [f"The batches {left[:-2]} of {a} and {right[:-2]} of {b} do not broadcast."]
    turned = [
        (f"{a}.mT", _turn(left), b, right),
        (a, left, f"{b}.mT", _turn(right)),
        (f"{a}.mT", _turn(left), f"{b}.mT", _turn(right)),
    ]
    for x, p, y, q in turned:
        if len(p) > 1 and len(q) > 1 and p[-1] == q[-2] and Alignment((p[:-2] or (1,), q[:-2] or (1,))).shape:
            says.append(f"{x} @ {y} fits: {p} @ {q} gives {(*p[:-1], q[-1])}.")
    shapes = list(draw.title(title, f"{left} @ {right} do not fit", y=34))
    for k, line in enumerate(says):
        shapes.append(draw.text(LEFT, 96 + 30 * k, line, "warn" if k == 0 else "", 16, room=RIGHT - LEFT, id=f"x{k}"))
    hidden = [Look({"off": tuple(f"x{n}" for n in range(k + 1, len(says)))}) for k in range(len(says))]
    frames = tuple(Frame(line, (look_,)) for line, look_ in zip(says, hidden, strict=True))
    return Scene(
        title, 860, 86 + 30 * len(says), tuple(shapes), frames, about=(f"{a}: shape {left}", f"{b}: shape {right}")
    )


def _turn(shape: Index) -> Index:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else shape

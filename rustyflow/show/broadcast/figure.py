"""show.broadcast: how shapes meet, which stored number each result reads, and how gradients are summed back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ArgumentTypeError, ArgumentValueError
from ...scene import Figure, Scene, draw
from ..kit.grids import OPERANDS
from ..kit.reading import drawn_axes, stored
from ..kit.shapes import alone
from ..kit.table import Table
from ..kit.tracked import opened
from ..kit.widened import widened
from ..source import Source, source_of, upstream_of, with_origins
from ..words.caller import caller_text
from ..words.given import Names, named, titled
from ..words.sentences import names_in, written
from .elementwise import floating, operation
from .picture import BroadcastPicture


def broadcast(
    *tensors: Any, op: str | Callable = "+", upstream: Any = None, backward: bool = True,
    names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows how shapes align from the right, what is repeated, and where each number of the result comes from.

    Point at a result cell to see what it reads; at a stored number to see all its readers. `g` turns to the backward
    side: the upstream gradient falls back along the same links and is summed over the repeated axes. Whole numbers and
    bools have no gradients; where nothing else is there, or nothing flows, there is no backward side.

    Args:
        tensors: two or more rustyflow tensors, NumPy arrays, PyTorch tensors or Python numbers. Shapes that clash are
            drawn with the changes that would make them fit. Of more axes than are drawn (four
            that are longer than 1, of up to eight) the table of shapes is shown.
        op: an elementwise operation: `"+"`, `"mul"`, `rustyflow.maximum`, `np.subtract` ... With more than two operands
            it is applied from left to right.
        upstream: the gradient that arrives at the result, of its shape; default: small unequal integers.
        backward: False draws the forward side alone.
        names: what to call the tensors, ["a", "b"] or {"b": b}; default: the names in the calling line.
        title: the title; default: the names joined by the operation.

    Raises:
        TypeError: an argument is no tensor, array or number; a name or a title that is no text. ValueError: fewer than
        two tensors, an unknown operation, another number of names than tensors, an upstream gradient where none flows.
        ShapeError (a RuntimeError): `upstream` has another shape than the result.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> a, b = np.array([[10.0], [20.0], [30.0]]), np.array([1.0, 2.0, 3.0, 4.0])
        >>> figure = rf.show.broadcast(a, b)
        >>> print(figure.state(link="r6").sentence)
        a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.
        >>> print(figure.state(link="a4", toggles=("g",)).sentence)
        Summed over j · dim 1, the axis along which a was repeated: a.grad[1, 0] = 3 + 1 + 2 + 1 = 7.
    """
    if len(tensors) < 2:
        raise ArgumentValueError(
            f"{len(tensors)} tensors", "broadcasting is between two or more", "show.broadcast(a, b)"
        )
    if word := next((x for x in tensors if isinstance(x, str)), None):
        raise ArgumentTypeError(
            f"{word!r} among the tensors", "the operation has a name of its own", f"show.broadcast(..., op={word!r})"
        )
    caller, title = caller_text(tensors), titled(title)
    codes = caller.arguments if names is None else ()
    called = named(names, tensors, caller.names(tensors, "abcdefgh", paths=True))
    op = operation("add" if op is None else op if isinstance(op, str) else getattr(op, "__name__", repr(op)))
    sources = [
        source_of(x, name) if not isinstance(x, bool | int | float) else
        replace(source_of(np.asarray(x), name), number=True)
        for x, name in zip(tensors, called, strict=True)
    ]
    defined = [f"{name} = {code}" for name, code in zip(called, codes, strict=False) if code and code != name]
    sources = with_origins(sources, tensors, codes)
    program = title or ",  ".join([written(op, called), *defined])
    if not isinstance(backward, bool) or not backward and upstream is not None:
        rule = "backward is True or False, and a gradient arrives only where it is True"
        was = f"backward={backward!r:.40}{' with upstream=' * (upstream is not None)}"
        raise ArgumentTypeError(was, rule, "backward=False alone for the forward side", value=backward)
    return widened(figure_of(sources, op, upstream, program, backward, caller.variables), sources)


def scene_of(*told: Any, **more: Any) -> Scene:
    """Returns the scene of `figure_of`, in which nothing opens."""
    return figure_of(*told, **more).scene


def figure_of(
    sources: Sequence[Source], op: str, upstream: Any = None, title: str = "", backward: bool = True,
    variables: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of operands that meet, with what flows `backward`.

    Of shapes that clash, or have too many axes, it is that of the shapes alone. `variables`: of the program, for names
    of what the operands were made of.
    """
    if len(sources) > len(OPERANDS):
        raise ArgumentValueError(
            f"{len(sources)} tensors", f"at most {len(OPERANDS)} fit into one figure", "show fewer at once"
        )
    names, dtypes, op = [source.name for source in sources], [source.dtype for source in sources], operation(op)
    table = Table(names, [source.shape for source in sources], op, title, stored(sources), dtypes,
                  [source.grad for source in sources])
    shape = table.met.shape
    arrives = None if upstream is None or shape is None else upstream_of(upstream, shape)
    if arrives is not None and not any(map(floating, sources)):
        raise ArgumentValueError(
            f"upstream= for {written(op, dtypes)}", "whole numbers and bools have no gradients",
            ", ".join(f"{x.name}.{'astype(float)' if x.numpy else 'float()'}" for x in sources),
        )  # fmt: skip
    with draw.lettered(names_in([table.title, table.result])):
        if shape is None or drawn_axes(shape) is None:
            return Figure(alone(table, [source.numpy for source in sources]))
        picture = BroadcastPicture(table, sources, arrives, backward)
        world = picture.computed.world(variables) if picture.plan.whole else None
        return Figure(picture.scene(), world, world and (lambda: opened(world, picture.opens())))

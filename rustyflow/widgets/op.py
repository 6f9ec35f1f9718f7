"""Op: any operation cell by cell, its operands typed under it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

from ..errors import ArgumentValueError
from ..ops.creation import from_numpy
from ..scene import Figure
from ..show.op.figure import asked_of, figure_of
from ..show.source import source_of
from ..show.words.caller import caller_text
from ..show.words.given import Names
from .base import Control, Widget
from .expression import CELLS, typed_like


class Op(Widget):
    """`show.op` with operands whose numbers are typed under it, or set.

    Attributes:
        cells: the operands' numbers, in their order, as they are typed: "[[1, 2], [3, 4]]"; of one with more than 64
            of them "", and it stays as it is. An operand may get another shape, if the operation takes it.

    Raises:
        What `show.op` raises. ValueError: what is typed is no tensor.

    Example:
        >>> import rustyflow as rf
        >>> widget = Op("cumsum", rf.tensor([1.0, 2.0]), dim=0, names=["x"])
        >>> widget.cells = ["[1, 2, 5]"]
        >>> widget.figure.state(link="y2").sentence
        'y[2] adds up 3 numbers of x: y[2] = 1 + 2 + 5 = 8.'
    """

    cells = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self, f: str | Callable, *operands: Any, names: Names = None, title: str | None = None, **attributes: Any
    ):
        self._asked = asked_of(f, operands, attributes, caller_text((f, *operands)), names, title)
        sources = [source_of(x, name) for x, name in zip(self._asked.tensors, self._asked.names)]
        self._given = [from_numpy(np.array(source.array())) if source.numel <= CELLS else None for source in sources]
        super().__init__(cells=["" if x is None else str(x.tolist()) for x in self._given])

    def make(self) -> Figure:
        call, tensors, names, title, _, variables = self._asked
        title = title.partition(",  ")[0]  # what a letter stood for is typed anew
        if len(self.cells) != len(tensors):
            was, rule = f"{len(self.cells)} texts for {len(tensors)} operands", "each operand has its numbers"
            raise ArgumentValueError(was, rule, "one text for each")
        typed = [x if like is None else typed_like(name, text, like)
                 for name, x, like, text in zip(names, tensors, self._given, self.cells)]  # fmt: skip
        sources = [source_of(x, name) for x, name in zip(typed, names)]
        return figure_of(call, sources, title, variables=variables)

    def controls(self) -> list[Control]:
        return [Control("text", f"{name} =", "cells", k)
                for k, (name, like) in enumerate(zip(self._asked.names, self._given)) if like is not None]  # fmt: skip

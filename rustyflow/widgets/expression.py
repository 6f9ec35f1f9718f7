"""Expression: arithmetic on named tensors, typed, with its graph and gradients as one types."""

import ast
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import traitlets

from ..arguments.explain import refuse_misfit
from ..errors import ArgumentTypeError, ArgumentValueError
from ..errors.foreign import kind_of
from ..ir import graph as read
from ..ir.names import Names
from ..ops.creation import from_numpy
from ..scene import Figure
from ..show.backward.asked import asked
from ..show.backward.figure import figure_of as figure_of_backward
from ..show.graph.figure import figure_of as figure_of_graph
from ..show.values import figure_of as figure_of_values
from ..tensor import Tensor
from .arithmetic import evaluate
from .base import Control, Widget
from .typed import plain

CELLS = 64
"""The most numbers of a tensor that is typed."""


class Expression(Widget):
    """An expression over named tensors: values forward, then gradients, follow what is typed, here and in Python.

    With `backward=False` it shows the values alone; with `factors=False` an arrow has its factor only while it is lit.

    Attributes:
        text: the expression, such as "(a * b).sum() + c.relu()"; see `arithmetic.evaluate` for what may stand in it.
        cells: the tensors' numbers, by their names' order, as they are typed: "[[1, 2], [3, 4]]".
        result: what the expression comes to, with its history.

    Raises:
        TypeError: what is no tensor. ValueError: an expression that is none, more than 64 numbers in a tensor.

    Example:
        >>> import rustyflow as rf
        >>> widget = Expression("(a * b).sum()", a=rf.tensor([1.0, 2.0], requires_grad=True), b=rf.tensor([3.0, 4.0]))
        >>> widget.result
        tensor(11., grad_fn=<SumBackward0>)
        >>> widget.text = "(a * a * b).sum()"
        >>> widget.cells = ["[1, 10]", "[3, 4]"]
        >>> widget.result
        tensor(403., grad_fn=<SumBackward0>)
    """

    text = traitlets.Unicode().tag(sync=True)
    cells = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self, text: str, tensors: Mapping[str, Tensor] | None = None, *, backward: bool = True,
        factors: bool = True, **named: Tensor,
    ):  # fmt: skip
        given = {**(tensors or {}), **named}
        for name, x in given.items():
            if not isinstance(x, Tensor) and get_close_matches(name, ("tensors", "backward", "factors", "text"), 1):
                def form(text, tensors=None, *, backward=True, factors=True):
                    """The form of the call, for the refusal."""

                refuse_misfit("widgets.Expression", form, [text], {name: x})
            if not isinstance(x, Tensor) or not x.is_floating_point():
                of = x.dtype if isinstance(x, Tensor) else f"type {kind_of(x)}"
                write = f"{name}=rustyflow.tensor([1.0, 2.0])"
                raise ArgumentTypeError(f"{name}, of {of}", "a name stands for a tensor of floats", write, value=x)
            if x.numel() > CELLS or not name.isidentifier():
                raise ArgumentValueError(f"{name}, of {x.numel():,} numbers", f"a name, and at most {CELLS} numbers",
                                         "a smaller tensor")  # fmt: skip
        self._given, self._backward, self._factors = given, backward, factors
        self.result: Any = None
        super().__init__(text=text, cells=[str(x.tolist()) for x in given.values()])

    def make(self) -> Figure:
        if len(self.cells) != len(self._given):
            was, rule = f"{len(self.cells)} texts for {len(self._given)} tensors", "each tensor has its numbers"
            raise ArgumentValueError(was, rule, "one text for each")
        pairs = zip(self._given.items(), self.cells, strict=True)
        tensors = {name: typed_like(name, typed, x) for (name, x), typed in pairs}
        if not any(x.requires_grad for x in tensors.values()):  # of nothing there would be no graph to see
            tensors = {name: x.requires_grad_() for name, x in tensors.items()}
        result = evaluate(self.text, tensors)
        known = Names(None, tensors)
        made = read(result, names=known)
        self.result = result
        if result.requires_grad and self._backward:
            figure = figure_of_backward(result, None, self.text, made, known=known)
            return figure if self._factors else figure.drawn(asked(figure.scene))
        figure = None if self._backward or result.grad_fn is None else figure_of_values(made, self.text, result, known)
        return figure or figure_of_graph(made, self.text, (result,), known)

    def controls(self) -> list[Control]:
        fields = [Control("text", f"{name} =", "cells", k) for k, name in enumerate(self._given)]
        return [Control("text", "expression", "text"), *fields]


def typed_like(name: str, typed: str, like: Tensor) -> Tensor:
    """The tensor that is typed, of another's dtype, and asking for a gradient if that did."""
    plain(typed[: 40 * CELLS])
    try:
        if len(typed) > 40 * CELLS:
            raise ValueError
        tree = ast.parse(typed.strip(), mode="eval")
        array = np.array(ast.literal_eval(_Special().visit(tree)))
        if array.size > CELLS or array.dtype.kind not in "biuf":
            raise ValueError
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, OverflowError):
        was = f"{name} = {typed[:40]}"
        raise ArgumentValueError(was, f"a tensor is a number, or lists of them, at most {CELLS}", "[1, 2.5]") from None
    kind = str(like.dtype).rpartition(".")[2]
    return from_numpy(array.astype(kind)).requires_grad_(like.requires_grad)


class _Special(ast.NodeTransformer):
    """The numbers that are no literals: nan and inf."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node

"""The six figures as widgets: set a tensor, an operation or an axis, and the picture follows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets

from ..errors import ArgumentValueError
from ..ops.creation import from_numpy
from ..scene import Figure
from ..show import broadcast, graph, matmul, reduce, strides
from ..show.backward.figure import figure_of as figure_of_backward
from ..show.graph.figure import figure_of as figure_of_graph
from ..show.source import source_of
from ..show.words.caller import caller_text
from ..show.words.given import Names, named, one_name, read_named, titled
from ..tensor import Tensor
from .base import Control, Widget

OPERATIONS = "+", "-", "*", "/", "**", "maximum", "minimum"
REDUCTIONS = "sum", "mean", "amax", "amin", "prod", "logsumexp", "var"


def _called(names: Sequence[str], many: int) -> list[str]:
    """A name for each tensor, if there are more by now than there were names."""
    return [*names, *(letter for letter in "uvwabcdefgh" if letter not in names)][:many]


def _still(title: str | None, tensors: Sequence[Any], first: Sequence[Any]) -> str | None:
    """The title of the tensors that came first, while it is these that are shown."""
    same = len(tensors) == len(first) and all(one is other for one, other in zip(tensors, first))
    return title if same else None


class _AsGiven:
    """A trait of tensors: another one is another value. To compare all of their cells could take seconds, and would
    hide one that is equal, but strided otherwise."""

    def set(self, obj: Widget, value: Any) -> None:
        was, value = obj._trait_values.get(self.name), self._validate(obj, value)
        obj._trait_values[self.name] = value
        if value is not was:
            obj._notify_trait(self.name, was, value)


class One(_AsGiven, traitlets.Any):
    """A tensor."""


class Several(_AsGiven, traitlets.List):
    """Tensors in a list."""


class Strides(Widget):
    """`show.strides` with tensors that can be set: `widget.tensors = [y]`; the title is of those that it began with.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(6).view(2, 3)
        >>> widget = Strides(x)
        >>> widget.tensors = [x, x.t()]
        >>> widget.figure.scene.about[0]
        'x:'
    """

    tensors = Several()

    def __init__(self, *tensors: Any, names: Names = None, title: str | None = None):
        self._names, self._title = named(names, tensors, caller_text(tensors).names(tensors)), titled(title)
        self._of = list(tensors)
        super().__init__(tensors=self._of)

    def make(self) -> Figure:
        if not self.tensors:
            raise ArgumentValueError("no tensors", "a figure is drawn of one or more", "widget.tensors = [x]")
        names = _called(self._names, len(self.tensors))
        return strides(*self.tensors, names=names, title=_still(self._title, self.tensors, self._of))


class Broadcast(Widget):
    """`show.broadcast`, with the operation to choose and tensors that can be set.

    Example:
        >>> import rustyflow as rf
        >>> widget = Broadcast(rf.ones(3, 1), rf.ones(4), names=["a", "b"])
        >>> widget.op = "*"
        >>> widget.figure.scene.title
        'a * b'
    """

    tensors = Several()
    op = traitlets.Enum(OPERATIONS, "+").tag(sync=True)

    def __init__(self, *tensors: Any, op: str = "+", names: Names = None, title: str | None = None):
        self._names, self._title = named(names, tensors, caller_text(tensors).names(tensors, "abcdefgh")), titled(title)
        self._of = list(tensors)
        super().__init__(tensors=self._of, op=op)

    def make(self) -> Figure:
        names, title = _called(self._names, len(self.tensors)), _still(self._title, self.tensors, self._of)
        return broadcast(*self.tensors, op=self.op, names=names, title=title)

    def controls(self) -> list[Control]:
        return [Control("choice", "op", "op", options=OPERATIONS)]


class Reduce(Widget):
    """`show.reduce`, with operation, axis and keepdim to choose and a tensor that can be set.

    Example:
        >>> import rustyflow as rf
        >>> widget = Reduce(rf.ones(2, 3), "mean", name="x")
        >>> widget.dim = "1"
        >>> widget.figure.scene.title
        'x.mean(dim=1)'
    """

    x = One()
    op = traitlets.Unicode("sum").tag(sync=True)
    dim = traitlets.Unicode("all").tag(sync=True)
    keepdim = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, x: Any, op: str = "sum", dim: int | None = None, keepdim: bool = False, *, name: str | None = None,
        names: Names = None, title: str | None = None,
    ):  # fmt: skip
        self._names, self._title = named(one_name(name, names), [x], caller_text((x,)).names([x])), titled(title)
        self._of = x
        super().__init__(x=x, op=op, dim="all" if dim is None else str(dim), keepdim=keepdim)

    def make(self) -> Figure:
        if not self.dim.lstrip("-").isdigit() and self.dim != "all":
            raise ArgumentValueError(f"dim {self.dim[:40]!r}", "a dim is one whole number here, or all", '"1"')
        dim = None if self.dim == "all" else int(self.dim)
        title = _still(self._title, [self.x], [self._of])
        return reduce(self.x, self.op, dim, self.keepdim and dim is not None, names=self._names, title=title)

    def controls(self) -> list[Control]:
        axes = tuple(str(d) for d in range(len(source_of(self.x).shape)))
        ops = REDUCTIONS if self.op in REDUCTIONS else (*REDUCTIONS, self.op)
        return [Control("choice", "op", "op", options=ops), Control("choice", "dim", "dim", options=("all", *axes)),
                Control("check", "keepdim", "keepdim")]  # fmt: skip


class Matmul(Widget):
    """`show.matmul` with tensors that can be set.

    Example:
        >>> import rustyflow as rf
        >>> widget = Matmul(rf.ones(2, 3), rf.ones(3, 4), names=["a", "b"])
        >>> widget.b = rf.ones(2, 2)
        >>> widget.figure.sentences[0]
        'a has shape (2, 3) and b has shape (2, 2): do they meet?'
    """

    a = One()
    b = One()

    def __init__(self, a: Any, b: Any, *, names: Names = None, title: str | None = None):
        self._names, self._title = named(names, [a, b], caller_text((a, b)).names([a, b], "abcdefgh")), titled(title)
        self._of = a, b
        super().__init__(a=a, b=b)

    def make(self) -> Figure:
        title = _still(self._title, [self.a, self.b], self._of)
        return matmul(self.a, self.b, names=self._names, title=title)


class Graph(Widget):
    """`show.graph` of a result that can be set.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> widget = Graph(x.exp())
        >>> widget.y = (x * x).sum()
        >>> widget.figure.sentences[0][:12]
        '2 operations'
    """

    y = One()

    def __init__(self, y: Any, *, names: Names = None, title: str | None = None):
        self._graph, (said,), self._known = read_named((y,), names, caller_text((y,)))
        self._title, self._of = titled(title) or said, y
        super().__init__(y=y)

    def make(self) -> Figure:
        title = _still(self._title, [self.y], [self._of]) or "y"
        first = self.y is self._of
        return figure_of_graph(self._graph, title, (self.y,), self._known) if first else graph(self.y, title=title)


class Backward(Widget):
    """`show.backward` of a result that can be set; the gradient that arrives is typed under the figure.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> widget = Backward((x * x).sum(), title="y")
        >>> widget.upstream = "10"
        >>> "[20, 20]" in widget.figure.text()
        True
    """

    y = One()
    upstream = traitlets.Unicode("").tag(sync=True)

    def __init__(self, y: Tensor, *, names: Names = None, title: str | None = None):
        self._graph, (said,), self._known = read_named((y,), names, caller_text((y,)))
        self._title, self._of = titled(title) or said, y
        super().__init__(y=y)

    def make(self) -> Figure:
        title, made = _still(self._title, [self.y], [self._of]) or "y", self._graph if self.y is self._of else None
        return figure_of_backward(self.y, self._arrives(), title, made, known=self._known)

    def _arrives(self) -> Tensor | None:
        """The gradient that is typed, in the shape of y."""
        if not self.upstream.strip():
            return None
        shape, kind = tuple(self.y.shape), str(self.y.dtype).rpartition(".")[2]
        try:
            numbers = np.array([float(part) for part in self.upstream.replace(",", " ").split()])
            gradient = np.full(shape, numbers[0]) if numbers.size == 1 else numbers.reshape(shape)
        except ValueError:
            rule = f"a gradient for shape {shape}: one number, or one for each cell"
            raise ArgumentValueError(f"upstream {self.upstream[:40]!r}", rule, "1 0 2") from None
        return from_numpy(np.array(gradient, kind))

    def controls(self) -> list[Control]:
        return [Control("text", "upstream gradient", "upstream")]

"""One line of the graph: what ran, on what, with which results, and what its gradient will read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors.spelling import printed

KINDS = ("leaf", "parameter", "input", "constant", "op", "expand", "write")
"""leaf: tracked by requires_grad_; parameter: a leaf of a module; input: where a traced function begins; constant:
untracked; op; expand: broadcasting on an edge, which no program wrote; write: an in-place write seen by its effect.
"""


@dataclass(frozen=True)
class Value:
    """One result.

    Attributes:
        shape, dtype: its shape and the name of its dtype.
        stride: in elements, None where unknown.
        array: the numbers, by reference, where they were kept.
        overwritten: the op that wrote over them since, where that is known, or ''.

    Example:
        >>> import rustyflow as rf
        >>> value = rf.ir.graph(rf.ones(2, 3, requires_grad=True).t()).nodes[-1].results[0]
        >>> str(value), value.stride
        ('float32[3, 2]', (1, 3))
    """

    shape: tuple[int, ...] | None
    dtype: str
    stride: tuple[int, ...] | None = None
    array: Any = field(default=None, compare=False, repr=False)
    overwritten: str = field(default="", compare=False)

    def __str__(self):
        return f"{self.dtype}{list(self.shape)}" if self.shape is not None else "unknown"


@dataclass(frozen=True)
class Saved:
    """A value that a node's gradient reads.

    Attributes:
        name: the operand or result of the op.
        ref: whose value it is.
        version: of its storage now (None where unknown).
        overwritten: the op that wrote over it since, or ''.
        freed: when a backward has let go of it.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> rf.ir.graph(x.exp()).nodes[-1].saved
        (Saved(name='y', ref='%2', version=0, overwritten='', freed=False),)
    """

    name: str
    ref: str
    version: int | None = None
    overwritten: str = ""
    freed: bool = False


READERS: dict[str, Callable] = {}
"""What is read of nodes and graphs, and how: a slot, which the room's `__init__` fills."""


@dataclass(frozen=True)
class Node:
    """One line of the graph.

    Attributes:
        id: '%1', '%2' and so on.
        kind: one of KINDS.
        op: what PyTorch calls the function, or the kind's name.
        torch: PyTorch's name of the node, '' where it has none, and where a backward made it, which PyTorch may have
            done by other operations.
        operands: ids ('%2', or '%2.values' of a node with several results), numbers as text, '?' for what nothing kept.
        results: a Value per result.
        labels: the results' names, empty for one.
        names: what the program calls them, None where it does not.
        attrs: pairs of an argument's name and value.
        saved: what its gradient reads.
        requires_grad: whether a gradient flows here.
        base: for a view, the id of the node whose memory it reads.
        rule: our name of the op, under which its formula stands; '' where it is none of ours.
        scope: module names, joined by dots.
        user: for an expand node, the id it serves.
        history: the node of the autograd engine, where there is one.

    Example:
        >>> import rustyflow as rf
        >>> node = rf.ir.graph(rf.ones(2, requires_grad=True) * 3).nodes[-1]
        >>> node.op, node.operands, node.torch, node.shape
        ('mul', ('%1', '3'), 'MulBackward0', (2,))
    """

    id: str
    kind: str
    op: str
    torch: str = ""
    operands: tuple[str, ...] = ()
    results: tuple[Value, ...] = ()
    labels: tuple[str, ...] = ()
    names: tuple[str | None, ...] = ()
    attrs: tuple[tuple[str, Any], ...] = ()
    saved: tuple[Saved, ...] = ()
    requires_grad: bool = False
    base: str | None = None
    rule: str = ""
    scope: str = ""
    user: str | None = None
    history: Any = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str | None:
        """The program's name for the result, the first where there are several."""
        return self.names[0] if self.names else None

    @property
    def shape(self):
        return self.results[0].shape

    @property
    def stride(self):
        return self.results[0].stride

    @property
    def dtype(self) -> str:
        return self.results[0].dtype

    @property
    def out(self) -> Any:
        """The result array, or None where it was too large to keep, or was overwritten since."""
        return self.outs[0]

    @property
    def outs(self) -> tuple[Any, ...]:
        """The same for each of its results."""
        return tuple(value.array if not value.overwritten else None for value in self.results)

    @property
    def refs(self) -> tuple[str, ...]:
        """The names by which operands refer to this node's results."""
        return tuple(f"{self.id}.{label}" for label in self.labels) or (self.id,)

    @property
    def is_view(self) -> bool:
        return self.base is not None

    @property
    def formula(self) -> str:
        """The op's rule, `y = ...        da = ...`; '' for what is no op of ours."""
        from ..ops import OPS
        from ..tensor.table import fill
        from .formula import formula

        fill()
        op = OPS.get(self.rule)
        return formula(op.doc) if op is not None else ""

    @property
    def rules(self) -> dict[str, str]:
        """The formula part by part: {'y': 'a * b', 'da': 'g * b', ...}."""
        from .formula import rules

        return rules(self.formula)

    def __str__(self):
        return printed(READERS["line"](self))

    def __repr__(self):
        return printed(f"Node({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in fields(self) if f.repr)})")


def owner(ref: str) -> str:
    """The id in a reference.

    Example:
        >>> owner("%3.values"), owner("%3")
        ('%3', '%3')
    """
    return ref.partition(".")[0]

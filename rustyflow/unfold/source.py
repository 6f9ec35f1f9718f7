"""The tensors and operations of a program, as far as they are asked for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Key = Hashable


@dataclass(eq=False)
class Source:
    """One tensor that a program made or read.

    Attributes:
        key: by which it is known. shape, dtype: as NumPy has them. call: the operation that made it, None of a leaf.
        place: which of its results it is. node: the engine's node. tensor: the program's own, where there is one.
        word: how it is called without a name of the program's.
    """

    key: Key
    shape: tuple[int, ...]
    dtype: Any
    call: Call | None = None
    place: int = 0
    node: Any = None
    tensor: Any = None
    word: str = ""


@dataclass(eq=False)
class Call:
    """One operation that ran.

    Attributes:
        op: its declaration. operands: sources, numbers, and None for what was left out or is unknown. attrs: its
            arguments. number: its time. node: the engine's node. results: what it made.
    """

    op: Any
    operands: tuple[Any, ...]
    attrs: dict[str, Any]
    number: int
    node: Any = None
    results: tuple[Source, ...] = field(default=(), repr=False)

    @property
    def word(self) -> str:
        """The operation as a program calls it."""
        return self.results[0].word

    @cached_property
    def letters(self) -> list[str]:
        """The op's own names for its operands."""
        names = list(getattr(self.op, "operands", ()) or ())
        return names[: len(self.operands)] or [f"tensors[{k}]" for k in range(len(self.operands))]

    @property
    def shown(self) -> tuple[Source, ...]:
        """The results that a program gets; others are for the gradient alone."""
        return self.results[:1] if self.labels[:1] == ("y",) else self.results

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The op's own names for its results."""
        own = tuple(getattr(self.op, "results", ()))
        return own if len(own) == len(self.results) else ("y",) if len(self.results) == 1 else tuple(
            map(str, range(len(self.results))))  # fmt: skip

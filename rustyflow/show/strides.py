"""show.strides: how a tensor and its views read one line of memory."""

import re
from collections.abc import Sequence
from itertools import chain, count
from typing import Any

from ..errors import ArgumentValueError
from ..ir.text import clean
from ..scene import Figure
from .source import Source, look, shares, storage_of
from .strides_scene import Picture
from .strides_story import tell
from .words.caller import Words, words

SHORT = re.compile(r"\w+|(?=.{1,12}$)\w+(\.T|\.t\(\)|\[[^][]*\])")
"""An argument that is called as it is written: a name, or so little more that it reads as one."""


def strides(x: Any, *views: Any, names: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """How tensors read their storage: memory as a tape, each tensor as a grid, the sum that leads from cell to slot.

    Point at a cell to see the slot it reads and the sum; point at a slot to see every cell of every view that reads it.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor, of any shape.
        views: more of them; those that share the storage of `x` share its tape, a copy gets a tape of its own.
        names: what to call them; default: the names in the calling line.
        title: the program; default: the caller's own words.

    Raises:
        TypeError: an argument is no tensor or array. ValueError: more or fewer names than tensors.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> x = np.arange(12).reshape(3, 4)
        >>> figure = rf.show.strides(x.T[1:, :2], names=["y"], title="y = x.T[1:, :2]")
        >>> print(figure.state(link="a5").sentence)
        y[2, 1] is slot 7, value 7; x sees it as x[1, 3].
        >>> figure.state(link="s7").classes["a5"]
        ('cell', 'lit')
    """
    tensors = (x, *views)
    said = words(len(tensors))
    called = _called(names, said, len(tensors))
    sources = [look(tensor, name) for tensor, name in zip(tensors, called, strict=True)]
    kin = [] if views else _kin(tensors[0], sources, said)
    also = _also(tensors, sources, said) if views else {}
    return Figure(tell(Picture(sources, kin, title or _title(said, called), also)))


def _also(tensors: Sequence[Any], sources: list[Source], said: Words) -> dict[tuple, list[str]]:
    """For each storage the names of the caller's other tensors on it, at most two."""
    others = [(n, v) for n, v in said.variables.items() if not any(v is x for x in tensors)]
    found = [(n, storage_of(v)) for n, v in others if shares(n, v, sources)]
    return {s.storage: [n for n, storage in found if storage == s.storage][:2] for s in sources}


def _called(names: Sequence[str] | None, said: Words, many: int) -> list[str]:
    if names is not None and len(names) != many:
        raise ArgumentValueError(
            f"{len(names)} names for {many} tensors", "each tensor has one name", "names=['x', 'y'] for two"
        )
    if names is not None:
        return [clean(str(name)) for name in names]
    called = [argument if argument and SHORT.fullmatch(argument) else None for argument in said.arguments]
    likely = "xyzuvw" if many > 1 else "xtyzuvw"
    free = (name for name in chain(likely, (f"t{k}" for k in count())) if name not in said.variables)
    return [name or next(free) for name in called]


def _title(said: Words, called: list[str]) -> str:
    programs = [program or name for program, name in zip(said.programs, called, strict=True)]
    for k, (argument, name) in enumerate(zip(said.arguments, called, strict=True)):
        if argument and argument != name:
            programs[k] = f"{name} = {argument}"
    return ",  ".join(programs[1:] if len(programs) == 2 and "=" in programs[1] else programs)


def _kin(x: Any, sources: list[Source], said: Words) -> list[Source]:
    """The caller's other tensors on this storage: the one that reads all of it in order, and at most two more."""
    others = [(name, v) for name, v in said.variables.items() if v is not x and name != sources[0].name]
    found = [look(v, name) for name, v in others if shares(name, v, sources)]
    return sorted(found, key=lambda s: (s.numel != s.size, not s.contiguous))[:3]

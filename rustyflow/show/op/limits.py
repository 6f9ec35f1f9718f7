"""The words for an operation that show.op does not draw: what is too much, and what to write."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from ... import nn
from ...claims.bind import bound
from ...claims.digits import spell
from ...claims.letters import letters_of
from ...claims.rule import UNREADABLE
from ...claims.say import put_in
from ...claims.work import is_open
from ...dispatch import watching
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentValueError
from ...ops.creation import from_numpy
from ...scene import Frame, Scene
from ...tensor import Tensor
from ..calls.call import named
from ..kit.reading import COLOURED, COLUMNS, ROWS, Reading
from ..source import Source, source_of
from ..words.sentences import listed
from .reads import FAILED, Call, Index, Written, first_tensor, laid, reads

RANK = 4
"""The most axes that are drawn."""

DRAWN = f"Cells are drawn up to {COLOURED:,}, in up to {ROWS} rows of up to {COLUMNS[1]}, of up to {RANK} axes"
"""Why no cells are drawn."""

CUTS = 16, 12, 8, 6, 5, 4, 3, 2
"""How long the axes of a part may be that is tried, the longest first."""


def is_drawn(x: np.ndarray) -> bool:
    """True if every cell of an array is drawn."""
    reading = Reading(source_of(x), (None,) * x.ndim, COLOURED)
    return len(reading.axes) <= RANK and reading.whole


def too_large(arrays: Sequence[tuple[str, Index]]) -> str:
    """The limits, and which of some arrays, by its name and shape, is past one of them.

    >>> too_large([("x", (3,)), ("y", (64, 64))]).partition(": ")[2]
    'y of shape (64, 64) has 4,096.'
    """
    for name, shape in arrays:
        cells, rows, columns = prod(shape), prod(shape[:-1]), (1, *shape)[-1]
        over = f"{len(shape)} axes" if len(shape) > RANK else f"{cells:,}" if cells > COLOURED else ""
        over = over or f"{columns:,} columns" * (columns > COLUMNS[1]) or f"{rows:,} rows" * (rows > ROWS)
        if over:
            return f"{DRAWN}: {name} of shape {shape} has {over}."
    return f"{DRAWN}."


def smaller(call: Call, sources: Sequence[Source]) -> str:
    """Says of which parts of its operands an operation can be drawn, found by trying."""
    arrays = [source.array() for source in sources]
    for most in CUTS:
        cuts = [_cut(x.shape, most) for x in arrays]
        parts = [laid(x[cut]) for x, cut in zip(arrays, cuts)]
        try:
            result = first_tensor(call(*map(from_numpy, parts))).detach().numpy()
            if all(map(is_drawn, (*parts, result))):
                reads(call, parts)
                return _instead(sources, cuts)
        except (*FAILED, AttributeError):
            continue
    return "Try smaller operands."


def _cut(shape: Index, most: int) -> tuple[int | slice, ...]:
    """An index that leaves at most so many cells along each axis, and as many axes as are drawn."""
    lead = max(0, len(shape) - RANK)
    return (*[0] * lead, *(slice(None, most if n > most else None) for n in shape[lead:]))


def _instead(sources: Sequence[Source], cuts: Sequence[tuple[int | slice, ...]]) -> str:
    """Returns `Try a[:8, :8] in place of a.`"""
    parts: dict[str, str] = {}
    for source, cut in zip(sources, cuts):
        index = ["0" if part == 0 else f":{part.stop or ''}" for part in cut]
        while index and index[-1] == ":":
            index.pop()
        if index:
            parts[source.name] = f"{source.name}[{', '.join(index)}]"
    return f"Try {listed([*parts.values()])} in place of {listed([*parts])}." if parts else "Try smaller operands."


def told(sources: Sequence[Source], title: str, shape: Index | None, why: str) -> Scene:
    """An operation in words."""
    took = listed([f"{source.name} of shape {source.shape}" for source in sources])
    about = tuple(f"{source.name}: shape {source.shape}, {source.dtype}" for source in sources)
    gives = "" if shape is None else f" and gives shape {shape}"
    sentence = f"{title.partition(',  ')[0]} takes {took}{gives}. {why}"
    return Scene(title, 860, 8, (), (Frame(sentence),), about=about, note=gives.removeprefix(" and "))


@contextmanager
def watched() -> Iterator[list[tuple]]:
    """Keeps the ops that run meanwhile: each with its operands, arguments and result."""
    steps: list[tuple] = []
    with watching(lambda *step: steps.append(step)):
        yield steps


def rule_told(steps: Sequence[tuple], operands: Sequence[Tensor], names: Sequence[str]) -> str:
    """The rule of the only op that ran on some operands, in their names; nothing where there is none.

    >>> import rustyflow as rf
    >>> a, b = rf.ones(2, 3), rf.ones(3, 4)
    >>> with watched() as steps:
    ...     _ = a @ b
    >>> rule_told(steps, (a, b), ("x", "w"))
    'By its rule the result is x @ w.'
    """
    if len(steps) != 1:
        return ""
    op, given, attrs, out = steps[0]
    out = out[0] if isinstance(out, tuple) else out
    shapes = {letter: tuple(x.shape) for letter, x in zip(op.operands, given) if isinstance(x, Tensor)}
    numbers = {letter: x for letter, x in zip(op.operands, given) if isinstance(x, int | float)}
    absent = [letter for letter, x in zip(op.operands, given) if x is None]
    try:
        rules = bound(op.doc, {**attrs, "rank": out.ndim}, absent, {**shapes, "y": tuple(out.shape)}, numbers)
    except UNREADABLE:
        return ""
    texts = {letter: name for letter, x in zip(op.operands, given) for own, name in zip(operands, names) if x is own}
    texts |= {letter: spell(x) for letter, x in numbers.items()}
    rule = next((rule for rule in rules if "y" in rule.names and not is_open(rule)), None)
    if rule is None or not {letter for letter in shapes if letter in letters_of(rule)} <= {*texts}:
        return ""
    return f"By its rule the result is {put_in(rule, texts)}."


def not_drawn(error: Written, f: Any, operands: Sequence, attributes: Any, names: Sequence[str], title: str
            ) -> ArgumentValueError:  # fmt: skip
    """The error for an operation that writes to its operands: which, and what to write in place of that."""
    written = [names[k] for k in error.operands]
    called = f if isinstance(f, str) else getattr(f, "__name__", type(f).__name__).replace("<lambda>", "f")
    was = f"{called}, which writes to {listed(written)}"
    rule = "a figure shows what a result reads, and its operands stay as they are"
    if attributes.get("inplace"):
        return ArgumentValueError(was, rule, "leave out inplace=True")
    if getattr(f, "inplace", False) is True:
        return ArgumentValueError(was, rule, f"{called} with inplace=False")
    if attributes.get("out") is not None:
        return ArgumentValueError(was, rule, "leave out out=")
    fills = str(getattr(f, "__module__", "")).endswith("nn.init")
    if called.endswith("_") and named(called.rstrip("_")) and not fills:
        return ArgumentValueError(was, rule, repr(called.rstrip("_")))
    return ArgumentValueError(was, rule, _on_copies(called, names, written, title))


def _on_copies(called: str, names: Sequence[str], written: Sequence[str], title: str) -> str:
    """The operation on copies of what it writes to, as a program that a figure can be drawn of."""
    body, taken = title.partition(",  ")[0], [*names]
    if "…" in body or not body.isascii():
        return f"{listed([f'{name}.clone()' for name in written])} in place of {listed(written)}, in a lambda"
    for k, name in enumerate(names):
        taken[k] = name if name.isidentifier() else next(c for c in "xyzuvwabc" if c not in (*names, *taken))
        put = f"{taken[k]}.clone()" if name in written else taken[k]
        body = re.sub(rf"(?<![\w.\"']){re.escape(name)}(?!\w| *=[^=])", put, body)
    if body.startswith(f"{called}(") and (home := _home(called)):
        body = f"{home}.{body}"
    return f"show.op(lambda {', '.join(taken)}: {body}, {', '.join(names)})"


def _home(name: str) -> str:
    """The module in which a program finds an operation of rustyflow's."""
    return "rustyflow" if name in PUBLIC else "rustyflow.nn.functional" if hasattr(nn.functional, name) else ""

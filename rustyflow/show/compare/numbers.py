"""The events of two sides, in step, and the first in which they differ."""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...errors import is_torch
from ...ir import Graph, Node, graph as read
from ...ops.creation.foreign import read as numbers_in
from ...tensor import Tensor
from ..calls.beside import put_back, reached
from ..calls.budget import Work
from ..words.nodes import called
from ..words.sentences import many
from .engine import Event, Whole, events_of, run

SECONDS, MOST = 2.0, 20_000
"""The time that a side has, and the number of events after which it is stopped."""

STOPPED = f"has not ended after {SECONDS:g} seconds or {MOST:,} events"

CLOSE = 1e-5
"""Relative: floats that are as near as this are the same, for another library adds up in another order."""

LENGTH = 160
"""The most characters of an error that are kept."""


class Row(NamedTuple):
    """An event in the words of a picture.

    Attributes:
        kind: "value", "visit", "sends", "says", "gradient", "gives" or "ends".
        who: the name of a node, or of what is given; node: its id, where it has one, and op its operation.
        to: the name of the operand that something is sent to.
        value: an array, or words. holds: what has been added up there.
    """

    kind: str
    who: str
    node: str = ""
    to: str = ""
    value: Any = None
    holds: Any = None
    op: str = ""


class Side(NamedTuple):
    """The record of what one side did.

    Attributes:
        name: what it is called. rows: its events. engine: what was called, if it is an engine.
    """

    name: str
    rows: tuple[Row, ...]
    engine: Any = None


class Comparison(NamedTuple):
    """Two sides in step.

    Attributes:
        left, right: the sides, with the events that both of them tell. first: the place of the first event that
            differs; None: they never do. how: in what: "value", "shape", "sum", "order", "again", "name", "error",
            "missing" or "more".
    """

    left: Side
    right: Side
    first: int | None
    how: str = ""

    def pair(self, k: int) -> tuple[Row | None, Row | None]:
        """The events of a place, None where a side has come to its end."""
        left, right = (side.rows[k] if k < len(side.rows) else None for side in (self.left, self.right))
        return left, right

    def __len__(self) -> int:
        return max(len(self.left.rows), len(self.right.rows))

    @property
    def counted(self) -> str:
        """The count of what was compared, in words: `2 values, 3 visits`."""
        words = {"value": "value", "visit": "visit", "sends": "sent gradient", "says": "word", "gives": "result",
                 "gradient": "gradient", "ends": "error"}  # fmt: skip
        seen = Counter(row.kind for row in self.left.rows)
        return ", ".join(many(seen[kind], word) for kind, word in words.items() if seen[kind])


def compared(left: Side, right: Side) -> Comparison:
    """Returns two sides in step, of which those events count that both tell."""
    kinds = [{row.kind for row in side.rows} for side in (left, right)]
    both = kinds[0] & kinds[1] | {"gradient", "gives", "ends"}
    left, right = (side._replace(rows=tuple(row for row in side.rows if row.kind in both)) for side in (left, right))
    plain = Comparison(left, right, None)
    for k in range(len(plain)):
        if how := difference(*plain.pair(k), left.rows[:k]):
            return Comparison(left, right, k, how)
    return plain


def difference(left: Row | None, right: Row | None, before: tuple[Row, ...] = ()) -> str:
    """Returns in what two events differ, or "".

    >>> a, b = Row("value", "y", value=np.array(2.0)), Row("value", "y", value=np.array([2.0, 2.0]))
    >>> difference(a, a), difference(a, b), difference(a, None)
    ('', 'shape', 'missing')
    """
    if left is None or right is None:
        return "more" if left is None else "missing"
    if "ends" in (left.kind, right.kind):
        return "" if (left.kind, left.value) == (right.kind, right.value) else "error"
    if (left.kind, left.node or left.who, left.to) != (right.kind, right.node or right.who, right.to):
        again = right.kind == "visit" and any((row.kind, row.node) == ("visit", right.node) for row in before)
        return "again" if again else "order"
    if left.value is None or right.value is None:
        return "" if left.value is right.value else "missing" if right.value is None else "more"
    if isinstance(left.value, str) or isinstance(right.value, str):
        return "" if left.value is right.value or str(left.value) == str(right.value) else "name"
    return differing(left.value, right.value) or ("sum" if differing(left.holds, right.holds) else "")


def differing(a: Any, b: Any) -> str:
    """Returns "shape", "value" or "", of two arrays of which either may be missing."""
    if a is None or b is None:
        return ""
    if a.shape != b.shape:
        return "shape"
    return "value" if apart(a, b).any() else ""


def apart(a: Any, b: Any) -> Any:
    """Returns an array that is True in the cells in which two arrays of one shape differ."""
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        return a != b
    return ~np.isclose(a, b, rtol=CLOSE, atol=1e-7, equal_nan=True)


class Names:
    """The names of a graph's nodes: the program's, else their operation, with the id of several."""

    def __init__(self, graph: Graph):
        self.graph = graph

    @cached_property
    def seen(self) -> Counter:
        """The count of nodes that are called the same."""
        return Counter(called(node) for node in self.graph)

    def of(self, ref: str) -> str:
        """The name of a node by its reference; what is none is said as it is."""
        try:
            node: Node = self.graph[ref]
        except ValueError:
            return ref
        name = called(node)
        return name if self.seen[name] == 1 else f"{name} {node.id}"


def engine_side(name: str, engine: Callable, graph: Graph, upstream: Tensor | None, times: int) -> Side:
    """Returns what an engine does on a graph; its errors, and that it never ends, are its last event."""
    names, engine = Names(graph), engine() if isinstance(engine, type) else engine
    kept = [(node.out, node.out.copy()) for node in graph if isinstance(node.out, np.ndarray)]
    work = Work(run, engine, graph, upstream, times)
    outcome, stopped = attempted(work, lambda: len(events_of(engine)))
    for array, was in kept:  # an engine that writes to values spoils them for itself alone
        if array.flags.writeable and not np.array_equal(array, was, equal_nan=array.dtype.kind == "f"):
            array[...] = was
    events = events_of(engine) if outcome is None else outcome.events
    rows = [row for event in list(events)[:MOST] if (row := _row(event, names))]
    said = stopped or (f"{type(work.error).__name__}: {work.error}" if work.error else outcome and outcome.error)
    if said:
        return Side(name, (*rows, ended(said)), engine)
    given = outcome.gradients
    leaves = {node.name or node.id: node.id for node in graph if node.kind in ("leaf", "parameter")}
    rows += [Row("gradient", leaf, id, value=_array(given.get(leaf))) for leaf, id in leaves.items()]
    rows += [Row("gradient", str(leaf), value=_array(g)) for leaf, g in given.items() if leaf not in leaves]
    return Side(name, tuple(rows), engine)


def ended(said: str) -> Row:
    """An error, or that there is no end, as an event on one line.

    Of an error of ours it has the rule alone."""
    rule = re.search(r"^\s*rule:\s*(.*?)^\s*try:", said, re.S | re.M)
    said = f"{said.partition(':')[0]}: {rule[1]}" if rule else said
    return Row("ends", "", value=" ".join(said.split())[:LENGTH])


def _row(event: Event, names: Names) -> Row | None:
    """The words of an event; None for what is none."""
    if str(event.node) not in {node.id for node in names.graph}:
        return None
    holds = _array(event.holds)
    value = event.value if event.kind == "says" else _array(event.value)
    return Row(event.kind, names.of(event.node), event.node, names.of(str(event.to)) if event.to else "",
               str(value)[:LENGTH] if event.kind == "says" else value, None if isinstance(holds, str) else holds,
               names.graph[event.node].op)  # fmt: skip


def _array(value: Any) -> Any:
    """A tensor of ours or PyTorch's, numbers, or a list of them, as an array; words where they are none."""
    if value is None:
        return None
    try:
        array = numbers_in(value.detach(), every=True) if is_torch(value) else np.asarray(
            value.detach().numpy() if isinstance(value, Tensor) else value)
        return np.array(array, None if array.dtype.kind in "iu" else complex if array.dtype.kind == "c" else float)
    except (TypeError, ValueError):
        return str(value)[:LENGTH]


def attempted(work: Work, done: Callable[[], int] = lambda: 0) -> tuple[Any, str]:
    """Returns the value of some work, and why it was stopped, if it was."""
    end, stopped = time.monotonic() + SECONDS, ""
    work.start()
    try:
        while work.is_alive() and not stopped:
            work.join(0.01)
            if done() > MOST or time.monotonic() > end:
                stopped = STOPPED
    finally:
        work.stop()
    return (None, stopped) if stopped else (work.value, "")


@contextmanager
def same_stream(program: Any = None) -> Iterator[None]:
    """Puts random generators back behind, so that the other side draws the same numbers.

    These are those of all, and those and the modules that a program reaches.
    """
    torch = sys.modules.get("torch")
    was = torch.get_rng_state() if torch is not None and hasattr(torch, "get_rng_state") else None
    try:
        with put_back([random, *(reached(program) if callable(program) else ())]):
            yield
    finally:
        if was is not None:
            torch.set_rng_state(was)


def program_side(name: str, program: Any) -> Side:
    """Returns what a program gives: of a tensor that it was computed from leaves, its values and gradients, too."""
    if not callable(program) or is_tensor(program):
        return Side(name, tuple(_told(program)))
    work = Work(lambda: tuple(_told(program())))
    with same_stream(program):
        rows, stopped = attempted(work)
    if stopped or work.error is not None:
        rows = (ended(stopped or f"{type(work.error).__name__}: {work.error}"),)
    return Side(name, rows)


def _told(result: Any, who: str = "result") -> Iterator[Row]:
    """The events of a program that has given a result."""
    if isinstance(result, Mapping):
        for key, part in result.items():
            yield from _told(part, str(key) if who == "result" else f"{who}.{key}")
    elif isinstance(result, tuple) or isinstance(result, list) and any(map(is_tensor, result)):
        for k, part in enumerate(result):
            yield from _told(part, f"{who} {k}")
    elif isinstance(result, Tensor) and result.requires_grad:
        graph = read(result)
        names = Names(graph)
        for k, node in enumerate(node for node in graph if node.kind == "op" and node.id != graph.results[0]):
            yield Row("value", names.of(node.id), f"value {k}", value=_array(node.out))
        yield Row("gives", who, value=_array(result))
        found = run(Whole(), graph)
        yield from (Row("gradient", names.of(id), f"leaf {k}", value=_array(found.gradients.get(graph[id].name or id)))
                    for k, id in enumerate(_leaves(graph)))  # fmt: skip
    elif is_torch(result) and getattr(result, "requires_grad", False):
        yield Row("gives", who, value=_array(result))
        import torch

        leaves = _variables(result.grad_fn) or [result]  # of one that nothing has made
        found = torch.autograd.grad(result.sum(), leaves, retain_graph=True, allow_unused=True)
        yield from (Row("gradient", f"leaf {k}", f"leaf {k}", value=_array(g)) for k, g in enumerate(found))
    else:
        yield Row("gives", who, value=_array(result))


def is_tensor(x: Any) -> bool:
    """True for a tensor of ours or of PyTorch's."""
    return isinstance(x, Tensor) or is_torch(x)


def _leaves(graph: Graph) -> list[str]:
    """The ids of leaves in the order in which they are found from the result on."""
    found, ahead, seen = list[str](), [graph.results[0]], set[str]()
    while ahead:
        node = graph[ahead.pop()]
        if node.id not in seen:
            seen.add(node.id)
            found += [node.id] if node.kind in ("leaf", "parameter") else []
            ahead += [ref for ref in reversed(node.operands) if ref[0] == "%"]
    return [id for id in found if graph[id].requires_grad]


def _variables(node: Any) -> list[Any]:
    """PyTorch's leaves in the order in which they are found from a result's node on."""
    found, ahead, seen = list[Any](), [node], set[int]()
    while ahead:
        node = ahead.pop()
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            found += [node.variable] if hasattr(node, "variable") else []
            ahead += [more for more, _ in reversed(node.next_functions)]
    return found



"""Small graphs, as a lesson writes them: each node's name with those of its inputs, the result first."""

from collections.abc import Iterator
from random import Random
from typing import Any

from .... import ir
from ....tensor import Tensor
from ..answers.answer import listed, shown

Graph = dict[str, tuple[str, ...]]


def a_graph(random: Random) -> Graph:
    """A graph of four to six nodes, in which everyone but the result is read by somebody."""
    names = random.sample("cdefghkmnpqrs", random.randint(4, 6))
    graph: Graph = {}
    for place, name in enumerate(names):
        older = names[place + 1 :]
        graph[name] = tuple(random.sample(older, min(len(older), random.randint(1, 2))))
    read = {source for sources in graph.values() for source in sources}
    for place, name in enumerate(names[1:], 1):
        if name not in read:
            reader = names[random.randrange(place)]
            graph[reader] += (name,)
    return graph


def same_graph(y: Any, z: Tensor) -> bool:
    """True if two results were computed in the same way, with any numbers."""
    return isinstance(y, Tensor) and y.grad_fn is not None and ir.graph(y, depth=0) == ir.graph(z, depth=0)


def _names(order: Any) -> Any:
    """The names of an order: of arrays, and of a dict as well, which keeps its own."""
    return list(order) if isinstance(order, dict) else listed(order)


def not_once(order: Any, graph: Graph) -> str:
    """Why an order does not name each node once; empty when it does."""
    order = _names(order)
    if not isinstance(order, list | tuple) or not all(isinstance(name, str) for name in order):
        first = next(iter(graph), "a")
        return f'write the names in a list, each in quotes, as in ["{first}", ...]'
    if twice := [name for name in graph if order.count(name) > 1]:
        return f"each node once, and {twice[0]} is there {_times(order.count(twice[0]))}"
    if missing := [name for name in graph if name not in order]:
        return f"each node once, and {missing[0]} is missing"
    strange = [name for name in order if name not in graph]
    return f"leave out {shown(strange[0])}, which is none of the names {', '.join(sorted(graph))}" if strange else ""


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def unjust(order: Any, graph: Graph) -> str:
    """Why nodes cannot hand their gradients on in an order; empty when they can."""
    late = (pair for pair, first in _reads(order, graph) if not first)
    return not_once(order, graph) or next((f"{name} hands on before {reader} has reported to it"
                                           for reader, name in late), "")  # fmt: skip


def premature(order: Any, graph: Graph) -> str:
    """Why nodes cannot be computed in an order; empty when they can."""
    early = (pair for pair, first in _reads(order, graph) if first)
    return not_once(order, graph) or next((f"{reader} comes before {name}, which it reads"
                                           for reader, name in early), "")  # fmt: skip


def _reads(order: Any, graph: Graph) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yields each node with one that it reads, and whether it comes first in an order that names each once."""
    place = {name: k for k, name in enumerate(_names(order))}
    for reader, read in graph.items():
        for name in read:
            yield (reader, name), place[reader] < place[name]


def waiting_order(graph: Graph) -> tuple[str, ...]:
    """One order in which everybody waits: always the first one that is ready."""
    left, done = dict(graph), []
    while left:
        ready = next(name for name in left if not any(name in sources for sources in left.values()))
        done.append(ready)
        del left[ready]
    return tuple(done)


def _depth_first(graph: Graph, name: str, seen: list[str], done: list[str]) -> None:
    """Goes from a node to its inputs in turn.

    A name is seen when it is met, and done when all its inputs are.
    """
    if name not in seen:
        seen.append(name)
        for source in graph[name]:
            _depth_first(graph, source, seen, done)
        done.append(name)


def plain_recursion(graph: Graph) -> tuple[str, ...]:
    """The order of one who goes to an input as soon as it is reached."""
    return _walked(graph, next(iter(graph)))[0]


def met_first(graph: Graph) -> tuple[str, ...]:
    """The order of one who starts from every name in turn, and puts each node down before its inputs."""
    return _walked(graph, *graph)[0]


def from_the_first_name(graph: Graph) -> tuple[str, ...]:
    """The nodes behind the first name alone, each after its inputs."""
    return _walked(graph, next(iter(graph)))[1]


def _walked(graph: Graph, *starts: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names as they are met from some starts, and as they are done."""
    seen: list[str] = []
    done: list[str] = []
    for start in starts:
        _depth_first(graph, start, seen, done)
    return tuple(seen), tuple(done)


def nearest_first(graph: Graph) -> tuple[str, ...]:
    """The order of one who goes from the result outwards, each node as soon as somebody has reported to it."""
    order = [next(iter(graph))]
    for name in order:
        order += [source for source in graph[name] if source not in order]
    return tuple(order)

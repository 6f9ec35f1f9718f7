"""The names and the title that a caller gives a figure, `names=` and `title=`, checked."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...arguments.explain import outside_layers
from ...errors import ArgumentTypeError, ArgumentValueError
from ...ir import Graph, graph as read
from ...ir.names import Names as Known
from ...ir.text import clean
from .caller import Words
from .sentences import many

LONGEST = 160
"""The most characters of a title."""

Names = Sequence[str] | Mapping[str, Any] | None
"""What a figure takes as `names=`: a name for each tensor, in their order, or the tensor of each name."""


def named(names: Any, tensors: Sequence[Any], otherwise: Sequence[str] = ()) -> list[str]:
    """Returns the names that the caller gives, one for each tensor, or the tensor of each.

    `otherwise` are those of the others.

    Raises:
        TypeError: something that is no name. ValueError: more of them than tensors, or fewer; one name for two
        tensors; a name of a tensor that is none of these.

    >>> named(["a", "b"], [1, 2]), named("x", [1]), named({"b": 2}, [1, 2], ["x", "y"]), named(None, [1], ["x"])
    (['a', 'b'], ['x'], ['x', 'b'], ['x'])
    """
    if names is None:
        return list(otherwise)
    if isinstance(names, Mapping):
        strange = next((name for name, x in names.items() if not any(x is tensor for tensor in tensors)), None)
        if strange is not None:
            was, rule = f"names={{{strange!r:.40}: ...}}", "a name is of one of the tensors that are shown"
            raise ArgumentValueError(was, rule, "names={'x': x} for show.strides(x)")
        by_tensor = {id(x): name for name, x in reversed(names.items())}
        names = [by_tensor.get(id(x), name) for x, name in zip(tensors, otherwise, strict=True)]
    if isinstance(names, str):
        names = [names] if len(tensors) == 1 else list(names)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ArgumentTypeError(f"names={names!r:.60}", "names are words in quotes", "names=['x', 'y'] for two tensors")
    if len(names) != len(tensors):
        was = f"{many(len(names), 'name')} for {many(len(tensors), 'tensor')}"
        raise ArgumentValueError(was, "each tensor has one name", "names=['x', 'y'] for two")
    names = [clean(name) for name in names]
    if len({*zip(names, map(id, tensors))}) > len({*names}):
        raise ArgumentValueError(f"names={names!r:.60}", "two tensors have two names", "names=['x', 'y']")
    return names


def one_name(name: Any, names: Any) -> Any:
    """Returns the names of one tensor, which may be given as `name` or as `names`.

    Raises:
        TypeError: both are given.
    """
    if name is not None and names is not None:
        was = f"name={name!r:.40} and names={names!r:.40}"
        raise ArgumentTypeError(was, "name is names of one tensor: give one", f"name={name!r:.40}")
    return names if name is None else [name]


class Program(NamedTuple):
    """The graph of some results with the caller's names, their titles, and all names there are.

    A title is "" where nothing tells it.
    """

    graph: Graph
    titles: list[str]
    names: Known


def read_named(results: Sequence[Any], names: Any, caller: Words) -> Program:
    """Returns the program behind some results, with the caller's names, which may be of any tensors in it.

    Raises:
        What `named` raises. ValueError: a name of a tensor that is not in the graph.
    """
    tensors, texts = (names.values(), [*names]) if isinstance(names, Mapping) else (results, names)
    given = {} if names is None else dict(zip(named(texts, [*tensors]), tensors))
    known = Known(outside_layers(sys._getframe(2)), given)
    graph = results[0] if isinstance(results[0], Graph) else read(*results, names=known)
    if strange := [name for name in given if not any(name in node.names for node in graph)]:
        rule = "a name is of a tensor in the graph, which knows each by one"
        raise ArgumentValueError(f"names= has {strange[0]!r:.40}", rule, "names={'x': x}, where y was computed from x")
    by_tensor = {id(x): name for name, x in given.items()}
    titles = caller.titles([by_tensor.get(id(y)) or text or "" for y, text in zip(results, caller.arguments)])
    return Program(graph, titles, known)


def titled(title: Any) -> str | None:
    """Returns the title that the caller gives, if any, on one line; a long one is cut.

    Raises:
        TypeError: no text.
    """
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(f"title={title!r:.60}", "a title is text", f"title={str(title)[:40]!r}", value=title)
    # what letters stand for comes after two blanks
    return title and clean(",  ".join(" ".join(part.split()) for part in title.split(",  ")), LONGEST)

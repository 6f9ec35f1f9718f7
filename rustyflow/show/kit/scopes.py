"""The parts of a model's graph: a box for each call of a module.

What is called once more is a box once more, so that data flows from box to box one way. Of calls that are alike many
are one box, and so is a stretch of much else; what nobody opens is not drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ...ir import Graph, Node
from ...ir.node import owner
from ...tensor import Paths

ALIKE, LEAST, EACH = 3, 2, 7
"""So many calls in a row that are alike may be one box; the shortest stretch that counts as repeated; how many items
another one has, which fit into the page as they are."""

LOOSE = "leaf", "parameter", "constant", "input", "expand"
"""What stands beside who reads it."""


@dataclass(frozen=True, eq=False)
class Part:
    """A closed box.

    Attributes:
        name: what it is called: the module's name within the one around it, or which stretch it is.
        items: its operations and the boxes in it, in the order in which they ran.
        ops: all operations in it.
        called: True for a call of a module, False for a stretch of what ran.
    """

    name: str
    items: "tuple[Part | Node, ...]"
    ops: tuple[Node, ...] = field(repr=False)
    called: bool = True

    @property
    def kind(self) -> tuple:
        """The operations and their shapes, in which two parts agree that are alike."""
        return tuple((node.op, node.shape) for node in self.ops)


def parts_of(graph: Graph) -> Part:
    """Returns the whole graph as one part, with a part in it for each call of a module.

    A model that is all of the graph, but for what is made of its result, is open from the start.

    >>> import rustyflow as rf
    >>> model = rf.nn.Sequential(rf.nn.Linear(2, 2), rf.nn.Tanh())
    >>> whole = parts_of(rf.ir.graph(model(rf.ones(1, 2)).sum()))
    >>> [item.name if type(item) is Part else item.op for item in whole.items]
    ['0', '1', 'sum']
    """
    ops = [node for node in graph if node.kind not in LOOSE]
    paths = dict(zip((node.id for node in ops), _paths(ops)))
    items = _items(ops, paths, 0)
    while len(alone := [item for item in items if type(item) is Part]) == 1:
        at = items.index(alone[0])
        if len(alone[0].items) < 2 and len(items) > 1:
            break
        items = (*items[:at], *alone[0].items, *items[at + 1 :])
    return Part("", items, tuple(ops))


def _items(ops: Sequence[Node], paths: Mapping[str, tuple[str, ...]], depth: int) -> "tuple[Part | Node, ...]":
    """Operations in the order in which they ran, those of one call in a part."""
    items: list[Part | Node] = []
    for name, some in groupby(ops, key=lambda node: (*paths[node.id][depth : depth + 1], "")[0]):
        within = list(some)
        if not name:
            items += within
            continue
        inner = _items(within, paths, depth + 1)
        if len(inner) == 1 and type(inner[0]) is Part:  # of a module that calls another and does nothing else
            inner, name = inner[0].items, f"{name}.{inner[0].name}"
        items.append(Part(name, inner, tuple(within)))
    return tuple(items)


def _paths(ops: Sequence[Node]) -> Iterator[tuple[str, ...]]:
    """Yields for each operation the names of the modules around it, each within the one before."""
    runs, known = Paths(), dict[tuple[int, ...], tuple[str, ...]]()
    for node in ops:
        around = runs.around(getattr(node.history, "number", 0)) if node.scope else []
        key = tuple(map(id, around))
        if key not in known:
            wholes = ["", *(runs.of(around[: n + 1]) for n in range(len(around)))]
            known[key] = tuple(b[len(a) + bool(a) :] for a, b in zip(wholes, wholes[1:]))
        found = known[key]
        yield found if ".".join(found) == node.scope else tuple(filter(None, node.scope.split(".")))


def folded(items: "Sequence[Part | Node]", most: int) -> "tuple[Part | Node, ...]":
    """Returns at most so many items in place of more.

    Calls that are alike become one, then stretches of what ran.

    >>> from rustyflow import ir, ones
    >>> y = ones(2, requires_grad=True)
    >>> for _ in range(6):
    ...     y = (y * y).tanh()
    >>> [(part.name, len(part.ops)) for part in folded(parts_of(ir.graph(y)).items, 8)][:2]
    [('1 of 6', 2), ('2 of 6', 2)]
    """
    items = tuple(items)
    if len(items) <= most:
        return items
    runs = [[*run] for _, run in groupby(items, key=lambda item: item.kind if type(item) is Part else id(item))]
    if len(runs) > 1 and any(len(run) >= ALIKE for run in runs):
        items = tuple(item for run in runs for item in ([_together(run)] if len(run) >= ALIKE else run))
        if len(items) <= most:
            return items
    stretches = _stretches(items, most)
    return tuple(
        some[0] if len(some) == 1 else Part(f"{n} of {len(stretches)}", some, _ops(some), False)
        for n, some in enumerate(stretches, 1)
    )


def _together(run: "Sequence[Part]") -> Part:
    return Part(f"{run[0].name} … {run[-1].name.rpartition('.')[2]}", tuple(run), _ops(run), False)


def _ops(items: "Sequence[Part | Node]") -> tuple[Node, ...]:
    return tuple(node for item in items for node in (item.ops if type(item) is Part else (item,)))


def _stretches(items: "tuple[Part | Node, ...]", most: int) -> "list[tuple[Part | Node, ...]]":
    """Items in stretches, at most so many: the rounds of what is repeated, or of one length."""
    kinds = [item.kind if type(item) is Part else (item.op, item.shape) for item in items]
    n = len(items)
    for period in range(LEAST, n // 2 + 1):
        same = [a == b for a, b in zip(kinds, kinds[period:])]
        if sum(same) >= 0.9 * len(same) and n // period <= most:
            begin = same.index(True) % period
            cuts = [0, *range(begin or period, n, period), n]
            return [items[a:b] for a, b in zip(cuts, cuts[1:])]
    size = min(-(-n // 2), -(-n // -(-n // EACH)) if n <= most * EACH else -(-n // most))
    return [items[k : k + size] for k in range(0, n, size)]


def readers_of(graph: Graph) -> dict[str, frozenset[str]]:
    """The operations that read what is loose, also through an expansion."""
    readers: dict[str, frozenset[str]] = {}
    for node in reversed(graph.nodes):
        if node.kind in LOOSE:
            users = [user for user, _ in graph.users(node.id)]
            some = (readers[user.id] if user.kind in LOOSE else {user.id} for user in users)
            readers[node.id] = frozenset().union(*some)
    return readers


@dataclass(frozen=True, eq=False)
class Level:
    """The inside of a part: its items, what is loose beside them, the ways in and out.

    Attributes:
        boxes: the items and what is loose. inside: by the number of a box that is a part what is loose in it. of: the
            number of the box of each node in here. comes: the nodes outside that are read, with who reads them, by
            their numbers. goes: the boxes that are read outside, with a node that reads each.
    """

    boxes: "tuple[Part | Node, ...]"
    inside: Mapping[int, tuple[Node, ...]]
    of: Mapping[str, int]
    joins: tuple[tuple[int, int], ...]
    comes: Mapping[str, tuple[int, ...]]
    goes: Mapping[int, str]


def level_of(graph: Graph, items: "Sequence[Part | Node]", loose: Sequence[Node],
             readers: Mapping[str, frozenset[str]]) -> Level:  # fmt: skip
    """Returns the level of some items, and of what is loose among what they read."""
    home = {node.id: n for n, item in enumerate(items) for node in (item.ops if type(item) is Part else (item,))}
    inside: dict[int, list[Node]] = {}
    here: list[Node] = []
    for node in loose:
        at = {home.get(reader) for reader in readers[node.id]}
        n = at.pop() if len(at) == 1 else None
        if n is not None and type(items[n]) is Part:
            inside.setdefault(n, []).append(node)
        else:
            here.append(node)
    of = {**home, **{node.id: n for n, some in inside.items() for node in some}}
    of |= {node.id: len(items) + n for n, node in enumerate(here)}
    joins: dict[tuple[int, int], None] = {}
    comes: dict[str, dict[int, None]] = {}
    goes: dict[int, str] = {}
    for ref, user, _ in graph.edges:
        source, to = of.get(owner(ref)), of.get(user)
        if to is not None and source is None:
            comes.setdefault(owner(ref), {})[to] = None
        elif to is not None and source != to:
            joins[source, to] = None
        elif to is None and source is not None:
            goes.setdefault(source, user)
    return Level((*items, *here), {n: tuple(some) for n, some in inside.items()}, of, tuple(joins),
                 {ref: tuple(some) for ref, some in comes.items()}, goes)  # fmt: skip

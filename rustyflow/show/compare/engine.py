"""A small engine that is right: forward values, backward by rules, in the right order, added up, summed to shape."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ... import ir
from ...autograd.contributions import contributions
from ...autograd.shared import as_tensors
from ...backends import backend
from ...errors import AbsentKey
from ...ops.creation import ones, tensor, zeros
from ...tensor import Tensor

Gradients = dict[str, Tensor]
"""The gradients of leaves by their names, or by their ids where they have none."""


class Event(NamedTuple):
    """Something that an engine does.

    Attributes:
        kind: "value" forward, "visit" and "sends" backward, "says" of a word. node: whose. to: the operand it is sent
            to. value: the tensor, or the word. holds: what has been added up there, where it is sent.
    """

    kind: str
    node: str
    value: Any = None
    to: str = ""
    holds: Any = None


class Engine:
    """An engine on a graph as `ir.graph` has it; an exhibit is a subclass that does one thing another way.

    Attributes:
        rules: by the name of an operation, what is sent to each operand: `rule(g, node, *operands)`.
        events: what it has done since it was called last.

    Example:
        >>> import rustyflow as rf
        >>> a, b = (rf.tensor(v, requires_grad=True) for v in (2.0, 3.0))
        >>> engine = Engine()
        >>> engine(ir.graph(a * b + a, names={"a": a, "b": b}))
        {'a': tensor(4.), 'b': tensor(2.)}
        >>> [event.node for event in engine.events if event.kind == "visit"]
        ['%4', '%3', '%2', '%1']
    """

    rules: Mapping[str, Callable[..., tuple]]

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, graph: ir.Graph, upstream: Tensor | None = None) -> Gradients:
        """The gradient of each leaf that wants one, when `upstream` arrives at the result; default: 1."""
        self.events = [Event("value", node.id, self.value(node, graph)) for node in graph if node.kind == "op"]
        arrived = self.begin(graph, ones(graph[graph.results[0]].shape) if upstream is None else upstream)
        for id in self.order(graph):
            self.events.append(Event("visit", id))
            node = graph[id]
            g = next((arrived[ref] for ref in node.refs if ref in arrived), None)
            if g is None or node.kind not in ("op", "expand"):
                continue
            for ref, part in zip(node.operands, self.sent(g, node, graph), strict=False):
                if ref[0] == "%" and graph[ref].requires_grad and part is not None:
                    arrived[ref] = self.add(arrived.get(ref), part)
                    self.events.append(Event("sends", id, part, ref, arrived[ref]))
        leaves = [node for node in graph if node.kind in ("leaf", "parameter") and node.id in arrived]
        return {node.name or node.id: arrived[node.id] for node in leaves}

    def begin(self, graph: ir.Graph, upstream: Tensor) -> Gradients:
        """The gradients that are there before the walk begins, by the id of a node's result."""
        return {graph.results[0]: upstream}

    def order(self, graph: ir.Graph) -> Iterator[str]:
        """The ids of nodes, each after all that read it: from the last that was computed to the first."""
        return (node.id for node in reversed(graph.nodes))

    def sent(self, g: Tensor, node: ir.Node, graph: ir.Graph) -> tuple:
        """The gradients that a node sends to its operands when `g` arrives.

        Raises:
            AbsentKey: there is no rule for its operation.
        """
        if node.op not in self.rules:
            raise no_rule(node.op, self.rules)
        return self.rules[node.op](g, node, *(value_of(graph, ref) for ref in node.operands))

    def add(self, before: Tensor | None, part: Tensor) -> Tensor:
        """The gradient of a number that is read several times."""
        return part if before is None else before + part

    def value(self, node: ir.Node, graph: ir.Graph) -> Tensor:
        """The value that a node computes."""
        return value_of(graph, node.refs[0])


def no_rule(op: str, rules: Iterable[str] = ()) -> AbsentKey:
    """The error of an engine that meets an operation for which it has no rule."""
    others = f"one that it knows ({', '.join(rules)}), or " if rules else ""
    return AbsentKey(f"{op} in the graph", f"an engine has a rule for each operation, and this one has none for {op}",
                     f"{others}a rule for {op}: what it sends to each operand")  # fmt: skip


def value_of(graph: ir.Graph, ref: str) -> Any:
    """The value of an operand: a tensor, or a number that stands in the program."""
    if ref[0] != "%":
        return None if ref == "None" else float(ref)
    node = graph[ref]
    if node.kind == "expand":
        return value_of(graph, node.operands[0]).expand(node.shape)
    (value,) = as_tensors([node.outs[node.refs.index(ref)]], ())
    return value


def sum_to(g: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient of an expanded tensor, summed over the axes that it did not have or that had size 1.

    >>> sum_to(ones(2, 3), (3,)), sum_to(ones(2, 3), (2, 1))
    (tensor([2., 2., 2.]), tensor([[3.],
            [3.]]))
    """
    new = g.ndim - len(shape)
    over = (*range(new), *(new + d for d, n in enumerate(shape) if n == 1 and g.shape[new + d] != 1))
    return g.sum(over, keepdim=True).reshape(shape) if over else g


def spread(g: Tensor, node: ir.Node, x: Tensor) -> Tensor:
    """The gradient that arrives at a reduction's results, at each cell of the operand."""
    dims = dict(node.attrs).get("dim") or tuple(range(x.ndim))
    dims = (dims,) if isinstance(dims, int) else dims
    kept = tuple(1 if d in {k % x.ndim for k in dims} else n for d, n in enumerate(x.shape))
    return g.reshape(kept).expand(x.shape)


def shares(g: Tensor, node: ir.Node, x: Tensor) -> tuple:
    """The largest share what arrives evenly."""
    top = x == x.max()
    return (g * top / top.sum(),)


def to_rows(g: Tensor, node: ir.Node, x: Tensor, target: Tensor) -> tuple:
    """The gradient of cross-entropy's scores: shares, less 1 at the right class, times what arrives."""
    right = zeros(x.shape).scatter(1, target[:, None], 1.0)
    return ((x.softmax(1) - right) * g.reshape(-1, 1), None)


Engine.rules = {
    "add": lambda g, node, a, b: (g, g),
    "sub": lambda g, node, a, b: (g, -g),
    "mul": lambda g, node, a, b: (g * b, g * a),
    "div": lambda g, node, a, b: (g / b, -g * a / (b * b)),
    "pow": lambda g, node, x, n: (g * n * x ** (n - 1), None),
    "mm": lambda g, node, a, b: (g @ b.mT, a.mT @ g),
    "bmm": lambda g, node, a, b: (g @ b.mT, a.mT @ g),
    "sum": lambda g, node, x: (spread(g, node, x),),
    "mean": lambda g, node, x: (spread(g, node, x) * g.numel() / x.numel(),),
    "max": shares,
    "expand": lambda g, node, x: (sum_to(g, tuple(x.shape)),),
    "view": lambda g, node, x: (g.reshape(x.shape),),
    "reshape": lambda g, node, x: (g.reshape(x.shape),),
    "cross_entropy": to_rows,
}


class Whole(Engine):
    """The engine with the rules of all operations of the library, and a word on the axis of each sum."""

    def __call__(self, graph: ir.Graph, upstream: Tensor | None = None) -> Gradients:
        found = super().__call__(graph, upstream)
        self.events += [Event("says", node.id, f"axis {axis} disappears") for node in graph if node.op == "sum"
                        for axis in dict(node.attrs).get("dim") or ()]  # fmt: skip
        return found

    def sent(self, g: Tensor, node: ir.Node, graph: ir.Graph) -> tuple:
        """The gradients a node sends: by a rule of the small engine, else by the library's."""
        if node.op in self.rules or node.history is None:
            return super().sent(g, node, graph)
        parts: list[Tensor | None] = [None] * len(node.operands)
        for _, part, k in contributions(node.history, g.numpy(), backend):
            parts[k] = as_tensors([part], ())[0]
        return tuple(parts)


class Outcome(NamedTuple):
    """The gradients, events and number of visits of an engine, and the error that ended it, if one did."""

    gradients: Gradients
    events: tuple[Event, ...] = ()
    error: str = ""
    visits: int = 0


def events_of(engine: Any) -> list[Event]:
    """Returns the events that an engine keeps in a list; what is none does not count."""
    try:
        events = getattr(engine, "events", ())
    except Exception:  # of a student's own property
        return []
    return [event for event in events if isinstance(event, Event)] if isinstance(events, Sequence) else []


def run(engine: Callable[..., Gradients], graph: ir.Graph, upstream: Tensor | None = None, times: int = 1) -> Outcome:
    """The outcome of an engine that is called so often, its gradients added up as `.grad` does.

    >>> import rustyflow as rf
    >>> a = rf.tensor(2.0, requires_grad=True)
    >>> run(Engine(), ir.graph(a * a, names={"a": a}), times=2).gradients
    {'a': tensor(8.)}
    """
    total: Gradients = {}
    events: list[Event] = []
    try:
        for _ in range(times):
            found = engine(graph, upstream)
            events += events_of(engine)
            total = {name: total[name] + g if name in total else g for name, g in found.items()}
    except Exception as error:  # a broken engine may end in any
        known = isinstance(error, KeyError) and not isinstance(error, AbsentKey)
        if known and (op := next((node.op for node in graph if error.args == (node.op,)), "")):
            error = no_rule(op)
        return Outcome({}, (*events, *events_of(engine)), f"{type(error).__name__}: {error}")
    return Outcome(total, tuple(events), visits=sum(event.kind == "visit" for event in events))


def numbers(gradients: Gradients) -> dict[str, Any]:
    """Gradients as Python's numbers."""
    return {name: tensor(g).tolist() if not isinstance(g, Tensor) else g.tolist() for name, g in gradients.items()}

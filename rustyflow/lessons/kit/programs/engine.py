"""The engine of lesson 12, from which parts can be taken out, and the faults of another one."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .... import ir
from ....errors import ArgumentValueError
from ....ops.creation import ones
from ....show.words.sentences import many
from ....tensor import Tensor
from ... import models
from ..answers import call as running
from ..answers.answer import astray, same, shown, untouched
from ..answers.result import Result, prose
from ..answers.source import names_in
from ..exercises.exercise import Exercise
from .graphs import premature

Gradients = dict[str, Any]

REVERSED, ADDED, SUMMED, CONSTANT = "reversed", "+=", "sum_to", "feet"
NARROW = 78
"""The characters of a line that a cell of a notebook has room for beside an open file list."""
LESSONS = {REVERSED: "10", ADDED: "10", SUMMED: "11", CONSTANT: "12"}


def reads(graph: ir.Graph) -> dict[str, list[str]]:
    """The nodes of a graph as lesson 08 writes them: each one's id, with those of what it reads."""
    return {node.id: [ref for ref in node.operands if ref[0] == "%"] for node in graph}


def engine(graph: ir.Graph, without: str = "", first: Any = None, order: Sequence[str] | None = None) -> Gradients:
    """The gradient of each node by its id, of an engine without one of its parts.

    Args:
        graph: of a result that is one number.
        without: the part: "reversed", "+=", "sum_to", or "feet", what goes to tensors that want no gradient.
        first: what arrives at the result; None: 1.
        order: in which nodes hand on; None: the right one.

    >>> import rustyflow as rf
    >>> x = rf.tensor(3.0, requires_grad=True)
    >>> engine(ir.graph(x * x))["%1"], engine(ir.graph(x * x), without="+=")["%1"]
    (tensor(6.), tensor(3.))
    """
    inputs_first = models.topological_order(reads(graph))
    order = order or (inputs_first if without == REVERSED else inputs_first[::-1])
    arrived: Gradients = {graph.results[0]: ones(()) if first is None else first}
    for id in order:
        node = graph[id]
        if id not in arrived or node.op not in models.rules:
            continue
        for ref, part in zip(node.operands, _sent(models.rules[node.op], graph, id, arrived[id]), strict=False):
            if without == SUMMED and node.op == "expand":
                part = arrived[id]
            if ref[0] != "%" or without == CONSTANT and not graph[ref].requires_grad:
                continue
            arrived[ref] = part if without == ADDED else _added(arrived.get(ref), part)
    return arrived


def _sent(rule: Callable[..., Any], graph: ir.Graph, id: str, arrives: Any) -> Any:
    """The gradients that a rule hands to the operands of a node."""
    return rule(arrives, *(models.value(graph, ref) for ref in graph[id].operands))


def _added(before: Any, part: Any) -> Any:
    return part if before is None else before + part


def without(part: str, result: Tensor) -> str:
    """The words on what becomes of gradients when the engine does without a part.

    Args:
        part: "reversed", "+=", "sum_to", or "feet", what goes to tensors that want no gradient.
        result: one number that was computed, of operations for which the lesson has a rule.

    Raises:
        ValueError: no such part; an operation without a rule, or several numbers.

    >>> import rustyflow as rf
    >>> x = rf.tensor(3.0, requires_grad=True)
    >>> print(without("+=", x * x))
    without +=:
      x gets 3, and should get 6
      Of what comes to a node over several ways, only what came last is left.
        (lesson 10)
    """
    if part not in WHY:
        raise ArgumentValueError(f"part={part!r:.40}", f"the parts are {', '.join(WHY)}", 'without("+=", loss)')
    graph = ir.graph(result, depth=2)
    if strange := [node for node in graph if node.operands and node.op not in models.rules]:
        known = f"this engine has rules for {', '.join(models.rules)}"
        raise ArgumentValueError(f"{strange[0].id} = {strange[0].op}", known, "write the loss with these alone")
    if graph[graph.results[0]].shape:
        shape = tuple(graph[graph.results[0]].shape)
        raise ArgumentValueError(f"a result of shape {shape}", "backward begins with a 1 at one number", "result.sum()")
    broken, whole = engine(graph, part), engine(graph)
    told = [f"{node.name or node.id} gets {written(broken.get(node.id))}, and should get {written(whole[node.id])}"
            for node in graph if node.kind in ("leaf", "parameter")]  # fmt: skip
    why = f"{WHY[part]} (lesson {LESSONS[part]})"
    return "\n".join([f"without {part}:", *map(_narrow, told), _narrow(why)])


def _narrow(words: str) -> str:
    """Words in lines that a notebook breaks nowhere else, so that no number is apart from its sign."""
    return textwrap.fill(words, NARROW, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


WHY = {
    REVERSED: "The leaves come first, where nothing has arrived yet: nobody waits, and what comes later is lost.",
    ADDED: "Of what comes to a node over several ways, only what came last is left.",
    SUMMED: "What the readers of one number send back is not added up: there is a gradient for each of them.",
    CONSTANT: "What goes to a tensor that wants no gradient is used by nobody.",
}


def written(value: Any) -> str:
    """A gradient in words.

    >>> import rustyflow as rf
    >>> written(None), written(rf.tensor(3.0)), written(rf.tensor([1.0, 2.0])), written([1.0])
    ('nothing', '3', '2 numbers: 1, 2', '[1.0]')
    """
    if value is None:
        return "nothing"
    if not isinstance(value, Tensor):
        return shown(value)
    if value.ndim == 0:
        return f"{value.item():.6g}"
    if not value.numel():
        return "no numbers"
    return f"{many(value.numel(), 'number')}: {', '.join(f'{n:.4g}' for n in value.flatten().tolist()[:8])}"


# The graphs of a check, and what is at fault.


@dataclass(frozen=True, eq=False, repr=False)
class Recorded(ir.Graph):
    """A graph with the tensors that it was read from, so that backward can be asked."""

    result: Any = field(default=None, repr=False)
    leaves: tuple[Any, ...] = field(default=(), repr=False)


def recorded(result: Tensor, **names: Tensor) -> Recorded:
    """The graph of a result, with the names of its tensors."""
    graph = ir.graph(result, names=names, depth=0)
    leaves = tuple(x for x in names.values() if x.requires_grad and x.is_leaf and graph.find(x))
    return Recorded(graph.nodes, graph.results, result, leaves)


OF_LESSON = {"mul": ("vjp_mul", "09"), "div": ("vjp_div", "09"), "pow": ("vjp_pow", "09"), "expand": ("sum_to", "11"),
             "sub": ("vjp_sub", "12"), "sum": ("vjp_sum", "12")}  # fmt: skip


class Engine(Exercise):
    """An exercise that, when an engine goes wrong, looks for the part of it that does.

    A case is told as the text of its graph, and what came of it as what its leaves get.
    """

    def asked(self, seed: int | None) -> str:
        """The call of a case, with its graph line by line."""
        return f"{self.name}(graph), where graph is\n{textwrap.indent(repr(self.numbers(seed)['graph']), '    ')}"

    def got(self, value: object, seed: int | None) -> str:
        """The gradient of each leaf on a line of its own; or the keys of a dict that has none."""
        leaves = [node for node in self.numbers(seed)["graph"] if node.kind == "leaf"]
        if not isinstance(value, dict):
            return shown(value)
        if not any(node.id in value for node in leaves):
            return f"a dict with {f'the keys {shown([*value])}' if value else 'nothing in it'}"
        return "\n".join(f"{node.name} gets {written(value.get(node.id))}" for node in leaves)

    def tried(self, function: object, show: bool = False) -> Result:
        """The outcome of a function, with the rule or the order that is at fault, if one is."""
        result = super().tried(function, show)
        if result.score == 1 or untouched(function) or not hasattr(function, "__code__"):
            return result
        known = names_in(function)
        graphs = [self.numbers(seed)["graph"] for seed in self.seeds]
        return result.beside(prose(next(_faults(known.get("rules"), known.get("topological_order"), graphs), "")))


def _faults(rules: Any, order: Any, graphs: Sequence[Recorded]) -> Iterator[str]:
    """The parts of a student's engine that go wrong, each with its input."""
    for graph in graphs:
        if callable(order):
            record = {id: tuple(refs) for id, refs in reads(graph).items()}
            made = running.call(order, (dict(record),), 1)
            if fault := made.problem or premature(made.value, record):
                yield f"Your topological_order goes wrong here (lesson 08):\n  topological_order({record})\n{fault}"
        arrived = engine(graph)
        for node in graph if isinstance(rules, dict) else ():
            if node.id in arrived and node.op in models.rules and node.kind in ("op", "expand"):
                if fault := _fault(rules, graph, node, arrived[node.id]):
                    yield fault


def _fault(rules: Mapping[str, Any], graph: Recorded, node: ir.Node, arrives: Tensor) -> str:
    """Why the rule for a node is not right, with what it was given."""
    name, lesson = OF_LESSON.get(node.op, (f"rules[{node.op!r}]", ""))
    if not callable(rule := rules.get(node.op)):
        return f"rules has no function for {node.op}, so nothing goes back through {node.id}."
    values = tuple(models.value(graph, ref) for ref in node.operands)
    made, right = running.call(rule, (arrives, *values), 1), _sent(models.rules[node.op], graph, node.id, arrives)
    given = made.value if isinstance(made.value, list | tuple) else (made.value,)
    named = zip(("da", "db"), given, right, strict=False)
    fault = made.problem or next((f"{d}: {astray(one, key) or 'other numbers than it should'}"
                                  for d, one, key in named if not same(one, key)), "")  # fmt: skip
    if not fault:
        return ""
    told = [f"  {letter} = {shown(value)}" for letter, value in zip("gab", (arrives, *values), strict=False)]
    where = f" of lesson {lesson}" if lesson else ""
    said = f"Look at {name}{where}, which is called for {node.op}, and goes wrong with"
    return "\n".join([said, *told, f"  {fault}"])

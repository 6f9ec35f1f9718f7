"""The rules of a node's operation for its call, in the names of a program."""

import ast
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import zip_longest
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ...autograd import Step
from ...claims.bind import bound
from ...claims.cells import indices
from ...claims.claim import Claim
from ...claims.digits import spell
from ...claims.letters import free_letters, is_product, letters_of, reckoned, rule_renamed, trees_of, usual
from ...claims.rule import UNREADABLE, Rule, in_words, parse
from ...claims.say import put_in
from ...claims.tree import added, numbers
from ...claims.work import is_open, value_of
from ...dispatch.operation import OPS
from ...ir import Graph, Node
from ...ir.builder import ABSENT
from ...ir.formula import BETWEEN, formula, rules as ir_rules
from ...ir.text import clean
from ...ir.torch_names import ARGUMENTS
from .sentences import arriving

UNTRACKED = "(untracked)"
"""What stands for an operand that was not kept: no letter, which might be another tensor's name."""


def rules_of(node: Node) -> tuple[Rule, ...]:
    """Returns the rules of a node for its call; none that its call leaves open.

    Operands that the node was not given are left out of them.

    >>> from rustyflow.claims.say import say_rule
    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones, nn
    >>> y = nn.functional.linear(ones(1, 2), ones(3, 2, requires_grad=True))
    >>> [*map(say_rule, rules_of(graph(y, depth=1)["%4"]))]
    ['y = x @ turned', 'dx = g @ turned.T', 'dturned = (g.T @ x).T']
    >>> [say_rule(rules_of(graph(ones(2, requires_grad=True) ** n, depth=1)["%2"])[1]) for n in (0, 3)]
    ['da = 0', 'da = g * b * a ** (b - 1)']
    """
    op = _op(node)
    if op is None:
        return ()
    known = {operand: float(ref) for operand, ref in zip(op.operands, node.operands, strict=False) if is_number(ref)}
    last = formula(op.doc).split(BETWEEN)[-1].strip()
    remarks = (in_words("", last),) if last and " = " not in last else ()  # "no gradient is defined"
    try:
        rules = bound(op.doc, given_to(node), _absent(node), shapes_of(node), known, op.results)
    except UNREADABLE:
        return tuple(in_words(left, right) for left, right in ir_rules(op.doc).items()) + remarks
    return tuple(rule for rule in rules if not is_open(rule)) + remarks


def given_to(node: Node) -> dict[str, Any]:
    """Returns the arguments of a node's call, by the op's own names."""
    given = {"correction": 1, **dict(node.attrs)}  # that PyTorch's nodes do not keep where it is the usual one
    if (attrs := getattr(node.history, "attrs", None)) is None:
        named = {ours[1] if isinstance(ours, tuple) else ours: torch for ours, torch in ARGUMENTS.items()
                 if not isinstance(ours, tuple) or ours[0] == node.rule}  # fmt: skip
        attrs = {ours: given[torch] for ours, torch in named.items() if torch in given}
    arrays = (getattr(node.history, "saved", None) or ((),))[0] if "arrays" in getattr(_op(node), "slots", ()) else ()
    told = {name: given[name] for name in ("dim", "items") if name in given}  # as a program counts them
    return {**given, **attrs, **told, "rank": len(node.shape or ()), **({"arrays": arrays} if arrays else {})}


def shapes_of(node: Node) -> dict[str, tuple[int, ...] | None]:
    """Returns the shapes of a node's operands, None where nothing kept it, and of its result as `y`."""
    past, op = node.history, _op(node)
    shapes: dict[str, Any] = {"y": node.shape}
    if past is None or not hasattr(past, "attrs") and not hasattr(past, "parents"):  # PyTorch's
        return shapes | {"x": getattr(past, "_saved_self_sym_sizes", None)}
    saved = dict(zip(op.slots, getattr(past, "saved", None) or (), strict=False))
    for operand, parent in zip(op.operands, past.parents, strict=False):
        of = parent.out if parent is not None else saved.get(operand)
        shapes[operand] = getattr(of, "shape", None)
    return shapes


def rule_of(node: Node, left: str) -> Rule | None:
    """Returns the rule for `y`, or `dx`; none where it is one of cells."""
    return next((rule for rule in rules_of(node) if rule.left == left), None)


def computed(node: Node) -> Rule | None:
    """Returns the rule for what a node computes."""
    return (rule := rule_of(node, "y")) and usual(rule)


def holds(rule: Rule | None, arrays: Mapping[str, Any], result: Any) -> bool:
    """True unless a rule, as far as it can be worked out, comes to something else.

    A rule of what is not known may hold.
    """
    if rule is None or result is None or any(array is None for array in used(rule, arrays)):
        return True
    value = value_of(rule, arrays, np.shape(result))
    return value is None or bool(np.allclose(value, result, 1e-3, 1e-5, equal_nan=True))


def arrived(step: Step) -> Any:
    """Returns the gradient that arrives at a step: of several results' the one that is not 0, if any."""
    if not isinstance(step.upstream, list):
        return step.upstream
    return next((g for g in step.upstream if g is not None and np.any(g)), step.upstream[0])


def multiplies(node: Node, operand: int) -> bool:
    """True if the rule for an operand multiplies what arrives with others as they are: `g * w`, `x.T @ g`.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones
    >>> x = ones(2, requires_grad=True)
    >>> [multiplies(graph(y, depth=1).nodes[-1], 0) for y in (x * x, x.outer(x), x.log(), x**2, x.sin())]
    [True, True, False, False, False]
    """
    operands = getattr(getattr(node.history, "op", None), "operands", ())
    rule = rule_of(node, f"d{operands[operand]}") if operand < len(operands) else None
    return rule is None or not rule.known and is_product(rule.tree)


def put(rule: Rule | None, texts: Mapping[str, str]) -> str:
    """Returns the right side of a rule with texts for its letters; nothing where there is no rule."""
    return put_in(rule, texts) if rule else ""


def in_prose(text: str, texts: Mapping[str, str]) -> str:
    """Returns a sentence that names letters of a rule, with the program's names.

    >>> in_prose("where a = b, da is 0", {"a": "x", "b": "2", "da": "dx"})
    'where x = 2, dx is 0'
    """
    pairs = [(word, word.strip("-,()")) for word in text.split(" ")]
    return " ".join(word.replace(bare, texts[bare]) if bare in texts else word for word, bare in pairs)


def below(graph: Graph, ref: str) -> str:
    """Returns the reference of an operand below its expansions."""
    while ref[:1] == "%" and graph[ref].kind == "expand":
        ref = graph[ref].operands[0]
    return ref


def behind(graph: Graph, ref: str) -> Node | None:
    """Returns the node that an operand is, below its expansions; None for a number and for what was not kept."""
    ref = below(graph, ref)
    return graph[ref] if ref[:1] == "%" else None


def of_result(name: str, node: Node, ref: str) -> str:
    """Returns the name of a node or of its result: the program's, else as `max.values`, `split[0]`."""
    label = ref.partition(".")[2]
    if not label:
        return name
    given = node.names[node.labels.index(label)] if node.names else None
    return clean(given) if given else f"{name}[{label}]" if label.isdigit() else f"{name}.{label}"


def arrays_of(graph: Graph, node: Node) -> dict[str, Any]:
    """Returns the arrays that the formula of a node names; None for one that is not known."""
    arrays: dict[str, Any] = {}
    for name, ref in zip(_operands(node), node.operands, strict=False):
        source = behind(graph, ref)
        if source is not None:
            arrays[name] = source.outs[source.refs.index(below(graph, ref))]
        else:
            arrays[name] = np.array(float(ref)) if is_number(ref) else None
    arrays["y"] = node.out
    arrays |= dict.fromkeys(_operands(node)[len(node.operands) :])
    for name, number in _arguments(graph, node).items():
        arrays.setdefault(name, np.array(float(number)))
    return arrays


def names_of(graph: Graph, node: Node, name: Callable[[Node], str]) -> dict[str, str]:
    """Returns what a formula's letters stand for: y for the node's own result, g for what arrives."""
    names = {"y": name(node), **_arguments(graph, node)}
    for letter, ref in zip_longest(_operands(node), node.operands[: len(_operands(node))], fillvalue="?"):
        source = behind(graph, ref)
        if ref == "?":
            names[letter] = UNTRACKED
        else:
            names[letter] = of_result(name(source), source, below(graph, ref)) if source is not None else ref
    known = names_in(graph)
    taken = {*known, *names.values()}
    other = free_letters(rules_of(node), (*names, "g"), taken) | ({"pi": "math.pi"} if "pi" in taken else {})
    return {**names, **other, "g": arriving(known)}


def names_in(graph: Graph) -> set[str]:
    """Returns the program's names for what stands in a graph."""
    return {name for node in graph for name in node.names if name}


def arriving_in(graph: Graph) -> str:
    """Returns the name of the gradient that arrives in the figures of a graph."""
    return arriving(names_in(graph))


def _arguments(graph: Graph, node: Node) -> dict[str, str]:
    """Returns what the letters of arguments, as alpha and eps, stand for.

    The letter n, where it is no index, is of how many numbers a result is.
    """
    rules = rules_of(node)
    read = set().union(*(reckoned(tree) for rule in rules for tree in trees_of(rule)))
    texts = {name: spell(value, 7) for name, value in given_to(node).items()
             if type(value) in (int, float) and name in read}  # fmt: skip
    source = behind(graph, node.operands[0]) if node.operands else None
    if source is not None and source.shape and any("n" in letters_of(rule) and not indices(rule) for rule in rules):
        texts["n"] = str(prod(source.shape) // max(1, prod(node.shape or ())))
    return {letter: text for letter, text in texts.items() if letter not in _operands(node)}


def _absent(node: Node) -> list[str]:
    """Returns the operands that a node was not given, as far as one can see.

    Of those after its last, one that it would have kept is none, and neither are the others then; nor are they where
    PyTorch has a name for the op without them.
    """
    op, missing = OPS.get(node.rule), _operands(node)[len(node.operands) :]
    if node.rule and hasattr(node.history, "op"):  # PyTorch's own nodes have none
        return list(node.history.op.left_out)
    without = getattr(op, "torch_name", None) not in (None, node.torch)
    left_out = [operand for operand, ref in zip(_operands(node), node.operands, strict=False) if ref == ABSENT]
    return left_out + (missing if without or any(operand in op.slots for operand in missing) else [])


def _op(node: Node) -> Any:
    """Returns the operation behind a node, as it was recorded, or as it goes by its name."""
    op = getattr(node.history, "op", None)
    return op if node.rule and hasattr(op, "doc") else OPS.get(node.rule)


def _operands(node: Node) -> list[str]:
    return list(getattr(OPS.get(node.rule), "operands", ()))


Line = tuple[str, str]
"""A rule in the program's names: what it is of, and its right side."""


def ruled(
    rules: Iterable[Rule], texts: Mapping[str, str], lefts: Mapping[str, str] = MappingProxyType({}),
    taken: Container[str] = (),
) -> list[Line]:  # fmt: skip
    """Returns rules in the program's names: `dx`, `g * w` for `da = g * b`.

    Letters that several rules need are the last line.

    `lefts` say otherwise what a gradient is of, and no gradient is called as something of the program is that is
    `taken`. One that reads another gradient says what that is, for others may add to it, too.

    >>> from rustyflow.claims.rule import rules_in
    >>> ruled(rules_in("y = a * b        da = g * b        db = -da"), {"a": "x", "b": "w", "y": "%3"})
    [('%3', 'x * w'), ('dx', 'g * w'), ('dw', '-g * w')]
    """
    rules, texts = list(rules), gradients_too(texts, lefts, taken)
    trees = {rule.left: rule.tree for rule in rules if rule.left in ("da", "dx")}
    rules = [rule_renamed(rule, {left: tree for left, tree in trees.items() if left != rule.left}) for rule in rules]
    known = dict(pair for rule in rules for pair in rule.known)
    shared = sum(map(len, (rule.known for rule in rules))) > len(known)
    lines = [(_left(rule, texts), put(rule._replace(known=()) if shared else rule, texts)) for rule in rules]
    if shared:
        lines.append(("", put(Rule("", ast.Name("", ast.Load()), tuple(known.items())), texts).strip()))
    return lines


def gradients_too(
    texts: Mapping[str, str], lefts: Mapping[str, str] = MappingProxyType({}), taken: Container[str] = ()
) -> dict[str, str]:  # fmt: skip
    """Returns what letters stand for, and their gradients."""
    return {**texts, **{f"d{letter}": wrt(lefts.get(letter, text), taken) for letter, text in texts.items()}}


def _left(rule: Rule, texts: Mapping[str, str]) -> str:
    """Returns the left side of a rule, of a cell with its place."""
    name, at, place = rule.left.partition("[")
    return texts.get(name, name) + (f"[{put(Rule('', parse(f'_[{place}').slice), texts)}]" if at else "")


def wrt(name: str, taken: Container[str] = ()) -> str:
    """Returns the name of a gradient: `dx`, `d(%2)`, and `d(x)` where `dx` is something else.

    >>> wrt("x"), wrt("%2"), wrt("x", {"x", "dx"})
    ('dx', 'd(%2)', 'd(x)')
    """
    return f"d{name}" if name.isidentifier() and f"d{name}" not in taken else f"d({name})"


def used(rule: Rule, arrays: Mapping[str, Any]) -> list[Any]:
    """Returns the arrays that a rule reads."""
    return [arrays[name] for name in sorted(letters_of(rule)) if name in arrays]


def is_number(ref: str) -> bool:
    """True for an operand that is a number, as text."""
    try:
        return ref != "" and float(ref) is not None
    except ValueError:
        return False


def sums(before: np.ndarray, after: np.ndarray, digits: int) -> Iterator[tuple[str, str, str, str]]:
    """Yields, for each number of `after`, its index, the numbers added up, `=` or `≈`, and their sum.

    These are numbers of `before`.
    """
    lead = before.ndim - after.ndim
    if before.size > 24:
        return
    for at in np.ndindex(after.shape):
        slices = [slice(None) if after.shape[d] == 1 else i for d, i in enumerate(at)]
        terms = added(numbers(before[(*[slice(None)] * lead, *slices)]))
        claim = Claim("", terms, numbers(after[at])[0], digits=digits)
        _, sum_, sign, total = claim.pieces
        yield f"[{', '.join(map(str, at))}]: " if after.size > 1 else "", sum_ or total, sign.strip() or "=", total

"""Formulas of operations as text: the rule for one operand, its letters put in other words, sums written out."""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import zip_longest
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ...claims.say import spoken
from ...dispatch.operation import OPS
from ...ir import Graph, Node
from ...ir.builder import ABSENT
from ...ir.formula import BETWEEN, formula
from ...ir.text import clean
from ...ir.torch_names import ARGUMENTS
from ...scene import draw
from .exact import digits_of_sum, sign_of_sum
from .numbers import bracketed, numbers, value_of, written
from .sentences import arriving, listed

UNTRACKED = "(untracked)"
"""What stands for an operand that was not kept: no letter, which might be another tensor's name."""

DEFINED = re.compile(r" with (?=\w+ = )")
"""What a rule begins to explain its own letters with."""


def rules_of(node: Node) -> list[str]:
    """The rules of a node, `y = ...`, `da = ...`, without the operands that it was not given; at the end `with ...`.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones, nn
    >>> rules_of(graph(nn.functional.linear(ones(1, 2), ones(3, 2, requires_grad=True)), depth=1)["%4"])
    ['y = x @ turned', 'dx = g @ turned.T', 'dturned = (g.T @ x).T']
    """
    missing, attrs = _absent(node), dict(node.attrs)
    said = _of_call(node, missing)
    if "[items]" in said:
        items = attrs.get("items", ())
        said = re.sub(r"\[items\].*?(?=  |$)", f"[{', '.join(map(str, items))}]", said)
    elif "items" in attrs and node.rule in ("select", "narrow"):  # an index that a method was given
        said = re.sub(r"y = .*?(?=  |$)", f"y = x[{', '.join(map(str, attrs['items']))}]", said)
    if "[arrays]" in said:
        index = _index(node)
        said = re.sub(r"y = x\[arrays\].*?(?=  |$)", f"y = x[{index}]" if index else "", said)
    dim = attrs.get("dim", ())
    some = 1 in (node.shape or ()) or type(dim) is int or type(dim) is tuple and len(dim) == 1
    said = _squeezed(node) if node.rule == "squeeze" and some else said
    if dim is None:
        said = said.replace(", repeated along dim", ", repeated")
    parts = [part.strip() for part in said.split(BETWEEN) if part.strip()]
    shared = DEFINED.split(parts[-1])[1:] if parts and any(f"d{own} = " in parts[-1] for own in _operands(node)) else []
    if shared and len(parts) > 2:  # it holds for all of them
        parts[-1] = DEFINED.split(parts[-1])[0]
        parts.append(f"with {shared[0]}")
    return [part for part in parts if re.split(r" = |\[", part)[0] not in [f"d{own}" for own in missing]]


def _squeezed(node: Node) -> str:
    """The formula of a squeeze of some axes of size 1; nothing where it is not known what it was given.

    >>> from rustyflow import ir, ones
    >>> x = ones(1, 1, 3, 1, requires_grad=True)
    >>> [_squeezed(ir.graph(y).nodes[-1])[:24].strip() for y in (x.squeeze(1), x.squeeze((0, 3)), x.squeeze(2))]
    ['y = x without dim 1', 'y = x without dims 0 and', 'y = x        dx = g']
    """
    parents, dims = getattr(node.history, "parents", ()), dict(node.attrs).get("dim", ())
    given = parents[0].out.shape if parents else getattr(node.history, "_saved_self_sym_sizes", None)  # PyTorch's
    if given is None:
        return ""
    gone = [str(d) for d in (dims if isinstance(dims, tuple) else (dims,)) if given[d] == 1]
    if not gone:
        return f"y = x{BETWEEN}dx = g"
    which = f"dim{'s' * (len(gone) > 1)} {listed(gone)}"
    return f"y = x without {which}{BETWEEN}dx = g with {which} put back"


def _of_call(node: Node, missing: list[str]) -> str:
    """The formula of a node, for its shapes and arguments where the operation says it so."""
    past = node.history
    op = getattr(past, "op", None) or OPS.get(node.rule)
    given = {**dict(node.attrs), **getattr(past, "attrs", {}), "rank": len(node.shape or ())}
    given |= {own: given[said] for own, said in ARGUMENTS.items() if said in given and not hasattr(past, "attrs")}
    said = spoken(node.formula, given, missing)
    if getattr(op, "said", None) is None or past is None:
        return said
    if not hasattr(past, "attrs"):  # of PyTorch's nodes not all is known; what the operation needs more for is not said
        try:
            return formula(op.said(said, {own: node.shape for own in ("y", "x")}, given))
        except KeyError:
            return ""
    saved = dict(zip(op.slots, past.saved or (), strict=False))
    shapes: dict[str, Any] = {"y": node.shape}
    for own, parent in zip(op.operands, past.parents, strict=False):
        if own not in missing:
            shapes[own] = getattr(parent.out if parent is not None else saved.get(own), "shape", None)
    return formula(op.said(said, shapes, given))


def rule_of(node: Node, left: str) -> str:
    """The right side of the rule for `y`, or `dx`, with what explains its letters."""
    rules = rules_of(node)
    found = next((rule for rule in rules if rule.startswith(f"{left} = ")), "").partition(" = ")[2]
    known = rules[-1] if rules and rules[-1].startswith("with ") else ""
    letters = re.findall(r"(\w+) = ", known)
    return f"{found} {known}" if any(re.search(rf"\b{letter}\b", found) for letter in letters) else found


def excepted(rule: str, node: Node) -> str:
    """A rule that is 0 where an operand is, without these words if that is a number, or as these say if it is 0.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones
    >>> powers = [graph(ones(2, requires_grad=True) ** n, depth=1)["%2"] for n in (0, 3)]
    >>> [excepted(rules_of(node)[1], node) for node in powers]
    ['da = 0', 'da = g * b * a ** (b - 1)']
    """
    if not (match := re.fullmatch(r"(.*) = (.*), 0 where (\w) is 0(?: and (.*))?", rule)):
        return rule
    left, right, own, further = match.groups()
    ref = dict(zip(_operands(node), node.operands, strict=False)).get(own, "?")
    if ref == "?" or is_number(ref) and float(ref):
        return f"{left} = {right}"
    if is_number(ref):
        return f"{left} = 0 where {further}, else {right}" if further else f"{left} = 0"
    return rule


def plain(rule: str, node: Node) -> str:
    """A rule with the axes that it is over, where these are not all, and without the arguments that figures leave out.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones
    >>> [computed(graph(ones(2, 3, requires_grad=True).sum(*dims), depth=1)["%2"]) for dims in ((), (0,), (1, True))]
    ['sum(x)', 'sum(x, 0)', 'sum(x, 1, True)']
    """
    given = {**getattr(node.history, "attrs", {}), **dict(node.attrs)}
    dims, keep = given.get("dim"), given.get("keepdim", True)
    axes = dims if isinstance(dims, tuple) else () if type(dims) is not int else (dims,)
    kept = given.get("keepdim") is True
    of = next((value for value in getattr(node.history, "parents", ()) if value is not None), None)
    rank = len(of.out.shape) if of is not None else len(node.shape or ()) + (0 if keep else len(axes))
    rule = rule if axes else rule.replace(", repeated along dim", ", repeated")
    rule = re.sub(r"(?<=a new axis )dim\b", str(dims), rule) if axes else rule
    axes = tuple(range(rank)) if of is not None and kept and not axes else axes
    if axes and len(axes) == rank:
        rule = rule.replace(", repeated along dim", ", repeated").replace(" end to end along dim", " end to end")
        rule = re.sub(r"(?<=along )dim\b", f"dim {axes[0]}", rule)
    if axes and (kept or len(axes) != rank):
        over = str(axes[0] if len(axes) == 1 else axes)
        rule = re.sub(r"\bmean\((\w+), dim\)", rf"mean(\1, {over}, True)", rule)
        rule = rule.replace(", dim, keepdim", f", {over}, True" if keep else f", {over}")
        rule = re.sub(r", dim(?=\))", f", {over}, True", rule) if given.get("keepdim") is True else rule
        rule = rule.replace(", dim, correction)", f", {over}, keepdim=True, correction)") if keep is True else rule
        rule = re.sub(r", dim\b", f", {over}", re.sub(r"(?<=along )dim\b", f"dim {over}", rule))
        rule = rule if keep else _widened(rule, node, [None if d in axes else ":" for d in range(rank)])
    correction = given.get("correction", 1)
    rule = rule.replace(", correction)", ")" if correction == 1 else f", correction={correction})")
    if node.rule == "standardize":  # its variance is over n
        rule = re.sub(r"\bvar\((\w+)\)", r"var(\1, correction=0)", rule)
    return re.sub(r", dim\b|, keepdim\b(?!=)", "", rule)


def _widened(rule: str, node: Node, index: list[str | None]) -> str:
    """The rule of a gradient with the axes that were taken out of a result, `g[:, None]`, where no words say so."""
    while index and index[0] is None:  # in front broadcasting adds them
        del index[0]
    results = OPS[node.rule].results
    came = "|".join(["g", *(f"g{letter}" for letter in results)])
    if None not in index or not re.search(rf"\b({came})\b", rule) or re.search("repeated|shared|zeros|at the", rule):
        return rule
    letters = "|".join([came, *results])
    return re.sub(rf"\b({letters})\b(?! = )", rf"\1[{', '.join(map(str, index))}]", rule)


def holds(rule: str, arrays: dict[str, Any], result: Any) -> bool:
    """Whether a rule comes to a result, as far as it can be worked out: one in words, or of what is not known, may."""
    if result is None or ", repeated" in rule or any(array is None for array in used(rule, arrays)):
        return True
    found = value_of(rule, arrays, np.shape(result))
    return found is None or bool(np.allclose(found, result, 1e-3, 1e-5, equal_nan=True))


def multiplies(node: Node, operand: int) -> bool:
    """Whether the rule for an operand multiplies what arrives with others as they are: `g * w`, `x.T @ g`.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import ones
    >>> x = ones(2, requires_grad=True)
    >>> [multiplies(graph(y, depth=1).nodes[-1], 0) for y in (x * x, x.outer(x), x.log(), x**2, x.sin())]
    [True, True, False, False, False]
    """
    operands = getattr(getattr(node.history, "op", None), "operands", ())
    rule = rule_of(node, f"d{operands[operand]}") if operand < len(operands) else ""
    return not re.search(r"[-/+]|\*\*|\d|where|\b(?!outer\()\w+\(", rule)


def computed(node: Node) -> str:
    """The right side of `y = ...` in a node's formula, with the index that was read."""
    return usual(plain(rule_of(node, "y"), node))


def pieces(rule: str, words_: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The letters of a rule, and what is put there, and what lies between: -3 in brackets behind a sign, or as a base.

    >>> "".join(said for _, said in pieces("-x", {"x": "-3"})), "".join(said for _, said in pieces("x", {"x": "-3"}))
    ('-(-3)', '-3')
    """
    tokens = re.findall(r"[A-Za-z_]\w*|[^A-Za-z_]+", rule)
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        bare = after.startswith("=") or before.endswith("'")  # correction=0 names an argument, and x's has no s
        said = not bare and words_.get(token) or token
        bound = before.rstrip()[-1:] in ("+", "-", "*", "/") or after.startswith(" **")
        yield token, bracketed(said) if said != token and bound else said


def put(rule: str, words_: dict[str, str]) -> str:
    return "".join(said for _, said in pieces(rule, words_))


def below(graph: Graph, ref: str) -> str:
    """What an operand refers to below its expansions."""
    while ref[:1] == "%" and graph[ref].kind == "expand":
        ref = graph[ref].operands[0]
    return ref


def behind(graph: Graph, ref: str) -> Node | None:
    """The node that an operand is, below its expansions; None for a number and for what was not kept."""
    ref = below(graph, ref)
    return graph[ref] if ref[:1] == "%" else None


def of_result(words: str, node: Node, ref: str) -> str:
    """How a node is called, or one of its several results: by the program's name, else as `max.values`, `split[0]`."""
    label = ref.partition(".")[2]
    if not label:
        return words
    own = node.names[node.labels.index(label)] if node.names else None
    return clean(own) if own else f"{words}[{label}]" if label.isdigit() else f"{words}.{label}"


def arrays_of(graph: Graph, node: Node) -> dict[str, Any]:
    """The arrays that the formula of a node names; None for one that is not known."""
    found: dict[str, Any] = {}
    for name, ref in zip(_operands(node), node.operands, strict=False):
        source = behind(graph, ref)
        if source is not None:
            found[name] = source.outs[source.refs.index(below(graph, ref))]
        else:
            found[name] = np.array(float(ref)) if is_number(ref) else None
    found["y"] = node.out
    found |= dict.fromkeys(_operands(node)[len(node.operands) :])
    for name, number in _arguments(graph, node).items():
        found.setdefault(name, np.array(float(number)))
    return found


def names_of(graph: Graph, node: Node, name: Callable[[Node], str]) -> dict[str, str]:
    """What the letters in the formula of a node stand for; y is its own result, g what arrives."""
    found = {"y": name(node), **_arguments(graph, node)}
    for own, ref in zip_longest(_operands(node), node.operands[: len(_operands(node))], fillvalue="?"):
        source = behind(graph, ref)
        if ref == "?":
            found[own] = UNTRACKED
        else:
            found[own] = of_result(name(source), source, below(graph, ref)) if source is not None else ref
    known = names_in(graph)
    own = _own_letters(" ".join(rules_of(node)), found, {*known, *found.values()})
    return {**found, **own, "g": arriving(known)}


def _own_letters(rules: str, words_: Mapping[str, str], taken: Container[str | None]) -> dict[str, str]:
    """Other letters for what rules define or count by, and for pi, where the program has a tensor that is called so.

    >>> _own_letters("dx = g * s with s = exp(x)", {"x": "s"}, {"s"}), _own_letters("y[i] = x[i]", {"x": "i"}, {"i"})
    ({'s': 'r'}, {'i': 'r'})
    """
    own = re.findall(r"(?<![.'])\b(?!a\b)[A-Za-z]\b(?!\()|(?<=with )\w+(?= = )|(?<=, )\w+(?= = )", rules)  # no .T, f(x)
    clash = [letter for letter in dict.fromkeys(own) if letter not in (*words_, "g") and letter in taken]
    known = {*re.findall(r"\w+", rules)}
    free = (letter for letter in "rstuvwdehmnopq" if letter not in known and letter not in taken)
    return {**dict(zip(clash, free, strict=False)), **({"pi": "math.pi"} if "pi" in taken else {})}


def names_in(graph: Graph) -> set[str]:
    """The program's names for what stands in a graph."""
    return {name for node in graph for name in node.names if name}


def arriving_in(graph: Graph) -> str:
    """What the figures of a graph call the gradient that arrives."""
    return arriving(names_in(graph))


def _arguments(graph: Graph, node: Node) -> dict[str, str]:
    """What the letters of arguments stand for, as alpha and eps; n, no index, is of how many numbers a result is."""
    rules = spoken(node.formula)
    given = {"correction": 1, **dict(node.attrs)}  # that PyTorch's nodes do not keep where it is the usual one
    given |= {own: given[said] for own, said in ARGUMENTS.items() if said in given}
    given |= getattr(node.history, "attrs", {})
    found = {name: draw.spell(value, 7) for name, value in given.items() if type(value) in (int, float)
             and re.search(rf"(?:[-+*/<>]|else) {name}\b|\b{name} [-+*/<>]", rules)}  # fmt: skip
    source = behind(graph, node.operands[0]) if node.operands else None
    if source is not None and source.shape and re.search(r"(?<!\[)\bn\b", rules) and "n = " not in rules:
        found["n"] = str(prod(source.shape) // max(1, prod(node.shape or ())))
    return {letter: words for letter, words in found.items() if letter not in _operands(node)}


def _index(node: Node) -> str:
    """The index arrays of a node as a program writes them, `:, [0, 2]`; nothing where they are long, or gone."""
    arrays = (getattr(node.history, "saved", None) or ((),))[0]
    dims = getattr(node.history, "attrs", {}).get("dims", ())
    said = dict(zip(dims, (written(np.asarray(getattr(array, "_a", array)), 24) for array in arrays), strict=False))
    return ", ".join(said.get(d, ":") for d in range(max(dims) + 1)) if said and all(said.values()) else ""


def _absent(node: Node) -> list[str]:
    """The operands that a node was not given, as far as one can see: of those after its last, one that it would have
    kept is none, and neither are the others then; nor are they where PyTorch has a name for the op without them."""
    op, missing = OPS.get(node.rule), _operands(node)[len(node.operands) :]
    if node.rule and hasattr(node.history, "op"):  # PyTorch's own nodes have none
        return list(node.history.op.left_out)
    without = getattr(op, "torch_name", None) not in (None, node.torch)
    left_out = [own for own, ref in zip(_operands(node), node.operands, strict=False) if ref == ABSENT]
    return left_out + (missing if without or any(own in op.slots for own in missing) else [])


def _operands(node: Node) -> list[str]:
    return list(getattr(OPS.get(node.rule), "operands", ()))


def ruled(
    rule: str, words_: dict[str, str], lefts: Mapping[str, str] = MappingProxyType({}), taken: Container[str] = (),
) -> str:  # fmt: skip
    """A rule in the program's names: `dx = g * w` for `da = g * b`; `lefts` say otherwise what a gradient is of, and
    no gradient is called as something of the program is that is `taken`.

    >>> ruled("da = g * b", {"a": "x", "b": "2", "y": "y"}), ruled("dx = g * y", {"x": "%2", "y": "%3"})
    ('dx = g * 2', 'd(%2) = g * %3')
    """
    gradients = {f"d{own}": wrt(lefts.get(own, word), taken) for own, word in words_.items()}
    return put(rule, {**words_, **gradients})


def wrt(name: str, taken: Container[str] = ()) -> str:
    """The gradient for what is called so: `dx`, `d(%2)`, and `d(x)` where `dx` is something else.

    >>> wrt("x"), wrt("%2"), wrt("x", {"x", "dx"})
    ('dx', 'd(%2)', 'd(x)')
    """
    return f"d{name}" if name.isidentifier() and f"d{name}" not in taken else f"d({name})"


def used(rule: str, arrays: dict[str, Any]) -> list[Any]:
    return [arrays[token] for token in re.findall(r"[A-Za-z_]\w*", rule) if token in arrays]


def usual(rule: str) -> str:
    """A rule without the operands at which it is another one: who says it looks whether it holds."""
    return re.sub(r", 0 where .*", "", rule)


def is_number(ref: str) -> bool:
    return bool(re.fullmatch(r"-?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan)", ref))


def sums(before: np.ndarray, after: np.ndarray, digits: int) -> Iterator[tuple[str, str, str, str]]:
    """For each number of `after` its index, the numbers of `before` that are added up, `=` or `≈`, their sum."""
    lead = before.ndim - after.ndim
    if before.size > 24:
        return
    for at in np.ndindex(after.shape):
        own = [slice(None) if after.shape[d] == 1 else i for d, i in enumerate(at)]
        terms, (total,) = numbers(before[(*[slice(None)] * lead, *own)]), numbers(after[at])
        head = f"[{', '.join(map(str, at))}]: " if after.size > 1 else ""
        most = digits_of_sum(zip(terms), total, digits) or digits
        shown = " + ".join(bracketed(draw.spell(term, most)) for term in terms)
        yield head, shown, sign_of_sum(zip(terms), total, most, digits), draw.spell(total, digits)

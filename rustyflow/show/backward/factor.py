"""The factors by which gradients pass edges: in numbers, as a rule, or as a shape."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...autograd import Step
from ...claims.claim import Sends
from ...claims.digits import NEAR as NEARLY, bracketed
from ...claims.letters import beside_g, in_proportion, trees_of, usual
from ...claims.rule import Rule
from ...claims.work import value_of
from ...ir import Graph, Node
from ..words.nodes import Voice
from ..words.rule import arrays_of, arrived, holds, names_of, put, rule_of, used

SHORT = 6
"""So many characters stand on an arrow without making the picture wider than it need be."""

NEAR = 1e-3, 1e-6
"""How near a factor times what came must come to what was sent, relative and absolute."""


def factors(graph: Graph, voice: Voice, step: Step, node: Node) -> list[str]:
    """Returns a step's factor in a few ways, the most telling of the short ones first.

    >>> from rustyflow import ir, tensor
    >>> from rustyflow.autograd import backward_steps
    >>> x, w = (tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    >>> y = x * w
    >>> graph = ir.graph(y, names={"w": w})
    >>> step = next(step for step in backward_steps(y, tensor([3.0, 4.0])) if step.kind == "vjp")
    >>> factors(graph, Voice(graph), step, graph["%3"])
    ['·w', '·[1, 2]']
    """
    return sorted(_ways(graph, voice, step, node), key=lambda text: len(text) > SHORT)


def _ways(graph: Graph, voice: Voice, step: Step, node: Node) -> Iterator[str]:
    operands = getattr(node.history.op, "operands", ())
    rule = rule_of(node, f"d{operands[step.operand]}") if step.operand < len(operands) else None
    rule = rule and usual(rule)
    arrays = arrays_of(graph, node)
    came = arrived(step)
    true = not node.history.posthooks and holds(rule, {**arrays, "g": came}, step.contribution)
    if rule and true:  # of what has its present value only since then it is not
        factor, told, chosen = _number(rule, arrays, step), [], isinstance(rule.tree, ast.IfExp)
        if factor is not None:
            same = factor.size > 1 and bool((factor == factor.reshape(-1)[0]).all())
            number = factor.reshape(-1)[0] if same else factor
            spelled = voice.tight([number], 24)
            cut = bool(spelled) and voice.equals(number) == NEARLY
            told = [f"·{bracketed(spelled)}"] if spelled and not (cut and chosen) else []
            if told:
                sent = Sends(voice.arrives, number, came, step.contribution, voice.digits)
                voice.sends[node.id, step.operand] = told[0], sent
            yield from [] if chosen else told
        if beside := beside_g(rule.tree):
            side, other = beside
            text = put(rule._replace(tree=other), names_of(graph, node, voice.name))
            bare = text.replace(".", "").replace("_", "").removeprefix("-").isalnum()
            yield {"@ ": f"@ {text}", " @": f"{text} @"}.get(side, f"·{text}" if bare else f"·({text})")
        yield from told if chosen else []  # where a choice says more than its numbers
        if factor is not None and np.shape(step.contribution) == node.shape and len(node.operands) == 1:
            yield f"·{node.op}′"
    shape = np.shape(step.contribution)
    if len(shape) > 1:
        yield str(shape)


def _number(rule: Rule, arrays: dict[str, Any], step: Step) -> np.ndarray | None:
    """Returns the factor of each number, if the rule is one product a number; else None.

    Multiplied with what came it is what was sent.
    """
    came = arrived(step)
    sent = np.asarray(step.contribution)
    known = all(array is not None for array in used(rule, arrays))
    if came is None or not known or not all(map(in_proportion, trees_of(rule))):
        return None
    one = value_of(rule, {**arrays, "g": np.ones(np.shape(came))}, sent.shape)
    if one is None:
        return None
    uneven = np.linspace(0.3, 1.7, np.size(came)).reshape(np.shape(came)) ** 2  # whose sums are no product of one's own
    again = value_of(rule, {**arrays, "g": uneven}, sent.shape)
    with np.errstate(all="ignore"):
        if came.shape == sent.shape and not np.allclose(again, one * uneven, *NEAR, equal_nan=True):
            return None
        if came.shape == sent.shape:
            return one if np.allclose(one * came, sent, *NEAR, equal_nan=True) else None
        if not one.size or sent.size < came.size or (one != one.reshape(-1)[0]).any():
            return None  # a sum over what came has no factor
        repeated, there = np.unique(one.reshape(-1)[0] * came), np.unique(sent)  # what came is repeated
    return one if repeated.shape == there.shape and np.allclose(repeated, there, *NEAR, equal_nan=True) else None


def sends(factor: str, g: str = "g") -> str:
    """Returns what is sent over an arrow with a factor on it, when `g` arrives; nothing for a shape.

    >>> [sends(said) for said in ("·w", "·(-.5)", "·[.25, 1]", "@ w.T", "x.T @", "(5, 4)")]
    ['g·w', 'g·(-0.5)', 'g·[0.25, 1]', 'g @ w.T', 'x.T @ g', '']
    """
    factor = re.sub(r"(?<![\w.])\.(?=\d)", "0.", factor)
    if " with " in factor:  # its letters are no more than in a rule
        return ""
    if "@" in factor:
        return f"{g} {factor}" if factor[0] == "@" else f"{factor} {g}"
    return f"{g}·{bracketed(factor[1:])}" if factor[0] == "·" else ""

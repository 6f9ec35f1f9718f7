"""Answers of students in lesson 12: right ones, and wrong ones with what is said."""

from collections import defaultdict

import rustyflow as torch
from rustyflow.lessons.models import rules, topological_order, value
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def walked(graph, order=lambda inputs_first: inputs_first[::-1], add=lambda before, part: before + part, first=1.0):
    """An engine with an order, a way to add, and what it begins with."""
    reads = {node.id: [ref for ref in node.operands if ref in [other.id for other in graph]] for node in graph}
    grad = {graph.results[0]: torch.tensor(first) if isinstance(first, float) else first(graph)}
    for id in order(topological_order(reads)):
        if id in grad and graph[id].op in rules:
            values = [value(graph, ref) for ref in graph[id].operands]
            for ref, part in zip(graph[id].operands, rules[graph[id].op](grad[id], *values), strict=False):
                grad[ref] = add(grad[ref], part) if ref in grad else part
    return grad


def sent_by_the_library(g, a, b):
    leaves = [x.detach().clone().requires_grad_() for x in (a, b)]
    (leaves[0] - leaves[1]).backward(g)
    return leaves[0].grad, leaves[1].grad


def by_the_library(graph):
    grads = torch.autograd.grad(graph.result, graph.leaves, retain_graph=True)
    return {graph.find(leaf): part for leaf, part in zip(graph.leaves, grads, strict=True)}


def of_leaves(graph):
    return {node.id: walked(graph)[node.id] for node in graph if node.kind == "leaf"}


def by_readers(graph):
    """Asks each node's readers, from the node."""
    known = {graph.results[0]: torch.tensor(1.0)}

    def of(id):
        if id not in known:
            parts = []
            for reader, k in graph.users(id):
                values = [value(graph, ref) for ref in reader.operands]
                parts.append(list(rules[reader.op](of(reader.id), *values))[k])
            known[id] = sum(parts)
        return known[id]

    return {node.id: of(node.id) for node in graph if node.kind == "leaf"}


def with_numbers_as_they_ran(graph):
    return walked(graph, order=lambda inputs_first: sorted(inputs_first, key=lambda id: -int(id[1:])))


def as_it_is_reached(graph):
    seen = []

    def go(id):
        if id not in seen:
            seen.append(id)
            for ref in graph[id].operands:
                if ref[0] == "%":
                    go(ref)

    go(graph.results[0])
    return walked(graph, order=lambda _: seen)


def keeps_no_sum(graph):
    grad = defaultdict(float)
    grad[graph.results[0]] = torch.tensor(1.0)
    for node in reversed(list(graph)):
        if node.id in grad and node.operands:
            values = [value(graph, ref) for ref in node.operands]
            for ref, part in zip(node.operands, rules[node.op](grad[node.id], *values), strict=False):
                grad[ref] + part
    return grad


def with_every_gradient(change):
    """The right gradients of the leaves, changed."""
    return lambda graph: {id: change(g) for id, g in of_leaves(graph).items()}


RIGHT = {
    "vjp_sub": [lambda g, a, b: (g, -g), lambda g, a, b: [g * 1, 0 - g], lambda g, a, b: (g, g * -1)],
    "vjp_sum": [lambda g, x: g.expand(x.shape), lambda g, x: torch.ones(x.shape) * g, lambda g, x: x * 0 + g],
    "backward": [walked, of_leaves, by_readers, with_numbers_as_they_ran],
}
WRONG = {
    "vjp_sub": [
        (lambda g, a, b: (g, g), "a difference is like a sum"),
        (sent_by_the_library, "it leaves the work to backward"),
        (lambda g, a, b: (g * 0 + 1, g * 0 - 1), "upstream can be ignored"),
        (lambda g, a, b: (g * a, -g * b), "the gradients are the operands"),
        (lambda g, a, b: (-g, g), "the first operand has the minus"),
        (lambda g, a, b: (g * b, -g * a), "a difference has the factors of a product"),
        (lambda g, a, b: (g, b - a), "the change of a difference is a difference"),
        (lambda g, a, b: (g + b - b.round() + 1, -g), "da: the shape is right, the numbers are not: [0] is the first"),
        (lambda g, a, b: g, "two gradients are asked for"),
        (lambda g, a, b: (g, (-g).tolist()), "db: a tensor is asked for, not a list"),
        (lambda g, a, b: (g.sum(), -g), "da: shape (), where (2,)"),
        (lambda g, a, b: (g, -g + 1), "db: the shape is right, the numbers are not"),
        (lambda g, a, b: (g / 2, -g / 2), "da: the shape is right, the numbers are not"),
        (lambda g, a, b: (g, -g[0]), "db: shape (), where (2,)"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "vjp_sum": [
        (lambda g, x: (g / max(1, x.numel())).expand(x.shape), "a sum shares out what arrives"),
        (lambda g, x: g / x.numel(), "all of g, so the answer has the shape of x"),
        (lambda g, x: g, "one number arrives, so one number goes back"),
        (lambda g, x: torch.ones(x.shape), "upstream can be ignored"),
        (lambda g, x: g * x, "what arrives is multiplied by the cell"),
        (lambda g, x: tuple(g.expand(x.shape)), "a tensor is asked for, not a tuple"),
        (lambda g, x: [g.item()] * 3, "got [10.0, 10.0, 10.0]"),
        (lambda g, x: g.expand(1, *x.shape), "shape (1, 3), where (3,) is asked for"),
        (lambda g, x: g.expand(x.shape).double(), "float64, where"),
        (lambda g, x: -g.expand(x.shape), "not what should come out"),
        (lambda g, x: g.item(), "a tensor is asked for, not a float"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "backward": [
        (lambda graph: walked(graph, order=list), "the result hands on last"),
        (by_the_library, "it leaves the work to grad"),
        (lambda graph: walked(graph, add=lambda before, part: part), "what comes later takes the place"),
        (as_it_is_reached, "go on to an input as soon as it is reached"),
        (lambda graph: walked(graph, first=lambda graph: value(graph, graph.results[0])), "backward begins with the"),
        (lambda graph: {graph.results[0]: torch.tensor(1.0)}, "nothing has come to w (%1)"),
        (lambda graph: list(of_leaves(graph).values()), "a dict with the gradient of each node"),
        (with_every_gradient(lambda g: g.tolist()), "the gradient of w (%1) should be a tensor"),
        (with_every_gradient(lambda g: g.reshape(-1)), "the gradient of w (%1) has shape (1,), and w has ()"),
        (with_every_gradient(lambda g: -g), "got w gets 259.842 wrong the gradient of w (%1): its shape is right, its "
         "numbers are not: it should be -259.842"),
        (keeps_no_sum, "grad[ref] + part adds part to grad[ref]"),
        (lambda graph: {"w": torch.tensor(1.0)}, "got a dict with the keys ['w']"),
        (with_every_gradient(lambda g: g.round()), "the gradient of w (%1): right to a few digits only"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip

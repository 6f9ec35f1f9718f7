"""The forms of an engine, for the museum and `show.compare`: a function of a graph, or a subclass of `Engine`.

It takes a graph as `ir.graph` has it and what arrives at its result, and returns the gradients of leaves by name:

>>> import rustyflow as rf
>>> from rustyflow.lessons.engine import value_of
>>> rules = {"mul": lambda g, a, b: (g * b, g * a), "add": lambda g, a, b: (g, g)}
>>> def engine(graph, upstream):
...     arrived = {graph.results[0]: rf.ones(()) if upstream is None else upstream}
...     for node in reversed(graph.nodes):
...         if node.id in arrived and node.op in rules:
...             parts = rules[node.op](arrived[node.id], *(value_of(graph, ref) for ref in node.operands))
...             for ref, part in zip(node.operands, parts):
...                 arrived[ref] = arrived.get(ref, 0) + part
...     return {node.name: arrived[node.id] for node in graph if node.kind == "leaf"}
>>> a, b = (rf.tensor(v, requires_grad=True) for v in (2.0, 3.0))
>>> y = a * b + a
>>> rf.show.compare(y, engine, names={"a": a, "b": b}).sentences[-1]
'They never differ. Compared were 2 gradients.'

Where it keeps a list `events` of `Event`s, these are compared, too: each value, visit and gradient that is sent.
"""

from ..show.compare.engine import Engine, Event, Gradients, Outcome, numbers, run, sum_to, value_of

__all__ = ["Engine", "Event", "Gradients", "Outcome", "numbers", "run", "sum_to", "value_of"]

"""Every op in a graph: read from a history and traced, in text, in DOT and in JSON."""

import re

import pytest

from rustyflow import ir
from rustyflow.ops import OPS
from rustyflow.tensor.table import fill
from tests.autograd.test_every_op import ALL, leaves, ops_of

fill()


@pytest.mark.parametrize("name", ALL)
def test_an_op_is_a_node_of_every_form_of_the_graph(name):
    program, inputs = ALL[name][0], leaves(name, "sliced")
    y = program(*inputs)
    results = y if isinstance(y, tuple) else (y,)
    read, traced = ir.graph(*results), ir.trace(program, *inputs)
    assert {node.rule for node in read if node.kind == "op"} == ops_of(y)
    if name in OPS and name not in ("step", "copy_slices"):  # those stand for writes, which a trace tells as written
        assert name in {node.rule for node in traced}
    for graph in (read, traced):
        again = ir.Graph.from_json(graph.to_json())
        assert again == graph and str(again) == str(graph) and graph.diff(again) == ()
        assert len(re.findall(r"^  n\d+ \[label=", graph.dot(), re.M)) == len(graph)
        assert str(graph).splitlines()[-1].strip().startswith(("return ", "? is"))
    shapes = {ref: value.shape for node in read for ref, value in zip(node.refs, node.results, strict=True)}
    assert [shapes[ref] for ref in read.results] == [tuple(part.shape) for part in results]

"""What is tried on some tens of thousands in every run, on hundreds of thousands."""

import rustyflow as rf


def test_a_chain_of_300_000_nodes_is_made_walked_and_let_go_without_recursion():
    x = rf.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(300_000):
        y = y.neg()
    y.backward()
    del y
    assert x.grad.item() == 1.0


def test_a_graph_of_100_000_nodes_is_read_and_told_in_part():
    x = rf.ones(1, requires_grad=True)
    for _ in range(100_000):
        x = x.neg()
    graph = rf.ir.graph(x)
    assert len(graph) == 100_001 and "99,601 more" in str(graph)

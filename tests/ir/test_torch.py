"""The same program under PyTorch reads the same."""

import sys

import pytest

import rustyflow as rf
from rustyflow import ir

torch = pytest.importorskip("torch")

PROGRAMS = {
    "broadcast": lambda t, x, w, b: ((x * w + b).tanh()).sum(),
    "shared": lambda t, x, w, b: (x.exp() * x.exp() + x).sum(),
    "views": lambda t, x, w, b: (x.t()[1:].unsqueeze(0).transpose(0, 2) * w.view(4)[:3].view(3, 1)).sum(),
    "product": lambda t, x, w, b: (x @ x.t()).relu().mean(),
    "in place": lambda t, x, w, b: (x * 1).mul_(w).add_(b).sum(dim=0).sum(),
    "reductions": lambda t, x, w, b: x.mean(dim=1, keepdim=True).log() + x.amax(),
}


def run(t, program):
    x = t.arange(12, dtype=t.float32).reshape(3, 4).add(1).requires_grad_()
    w = t.ones(1, 4).requires_grad_()
    b = t.ones(3, 1).requires_grad_()
    return ir.graph(program(t, x, w, b), names={"x": x, "w": w, "b": b})


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_nodes_in_the_same_places(name):
    ours, theirs = (run(t, PROGRAMS[name]) for t in (rf, torch))

    def shape(graph):
        walked = {ref: k for k, ref in enumerate(_depth_first(graph))}
        return [
            (
                graph[at].torch if graph[at].kind == "op" else graph[at].kind,
                graph[at].shape,
                graph[at].name if graph[at].kind == "leaf" else "",
                [walked.get(ref.partition(".")[0]) for ref in graph[at].operands if ref.startswith("%")],
            )
            for at in walked
        ]

    assert shape(ours) == shape(theirs)


def _depth_first(graph):
    order, seen = [], set()

    def visit(at):
        if at not in seen:
            seen.add(at)
            for ref in graph[at].operands:
                if ref.startswith("%") and graph[ref].requires_grad:
                    visit(ref.partition(".")[0])
            order.append(at)

    for ref in graph.results:
        visit(ref.partition(".")[0])
    return order


def test_names_values_and_saved_tensors_of_pytorch():
    x, w = torch.ones(2, requires_grad=True), torch.tensor([3.0, 4.0])
    y = x * w
    graph = ir.graph(y)
    assert [" ".join(row.split()) for row in str(graph).splitlines()] == [
        "x %1 = leaf : float32[2]",
        "w %2 = constant : float32[2]",
        "y %3 = mul %1, %2 : float32[2] saved: %2",
        "return %3",
    ]
    assert graph["w"].out.tolist() == [3.0, 4.0]
    y.sum().backward()
    assert "(freed)" in str(ir.graph(y))


def test_pytorch_parameters_are_parameters():
    model = torch.nn.Linear(2, 1)
    graph = ir.graph(model(torch.ones(3, 2)))
    assert {(n.kind, n.name) for n in graph if n.kind == "parameter"} == {
        ("parameter", "model.weight"),
        ("parameter", "model.bias"),
    }


def test_a_deep_pytorch_chain():
    x = torch.ones(1, requires_grad=True)
    for _ in range(20_000):
        x = x + 1
    assert len(ir.graph(x)) == 20_001


def test_pytorch_is_not_imported_for_our_own_tensors():
    import subprocess

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, rustyflow as rf; rf.ir.graph(rf.ones(1, requires_grad=True) * 2)\n"
            "rf.ir.trace(lambda x: x + 1, rf.ones(1))\n"
            "print('torch' in sys.modules, 'graphviz' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]

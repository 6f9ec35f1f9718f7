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


SAME = """
x + y; x - 2; 2 - x; x * y; x / y; -x; x ** 2; x ** y; 2 ** x; x.exp().log(); x.abs().sqrt()
x.sigmoid() * x.tanh(); t.add(x, y, alpha=2); t.div(x, y, rounding_mode="floor"); t.where(x > 5, x, y)
t.where(x > 5, x, 0); x.clamp(2, 9); x.clamp(min=2); t.clamp_max(x, 5); t.maximum(x, y[0]); t.lerp(x, y, 0.25)
t.addcmul(x, y, y, value=2); x.round(decimals=1); x.sum(); x.sum(-1, keepdim=True); x.mean((0, 1)); x.prod(1)
x.amax(); x.amax(0); x.max(); x.max(-1).values; x.min(0, keepdim=True).values; x.median(); x.median(1).values
x.var(); x.std(1); x.logsumexp(1); x.norm(); x.norm(dim=1); x.cumsum(-1); x.cumprod(0); x.softmax(-1)
x.log_softmax(0); x.sort(descending=True).values; x.topk(2).values; x.view(-1); x.reshape(4, 3)
x.transpose(0, -1); x.permute(1, 0); x.mT; x[None]; x.unsqueeze(-1); x[:1].squeeze(0); x[:1].expand(5, 4)
x.repeat(2, 1); x.unfold(-1, 2, 1); x.narrow(-1, 1, 2); x.diagonal(1); x.unbind()[0]
x.as_strided((2, 2), (1, 2)); x.split(2)[1]; x.split([1, 2])[0]; x.flip(0); x.roll(1, 1); x.tril(-1)
t.diag_embed(x[0]); t.cat([x, y], 1); t.stack([x, y], -1); t.hstack([x, y]); x.clone(); x.contiguous(); x[1]
x[-1]; x[:, 1:3]; x[..., -1]; x[[0, 2]]; x[x > 5]; x[t.tensor([0, 1]), t.tensor([2, 3])]; x.gather(1, n)
x.index_select(0, n[0]); x.masked_fill(x > 3, 0); x.masked_select(x > 3); x.scatter(1, n, y)
x.scatter(1, n, 3.0); x.scatter_add(1, n, y); x.index_add(0, n[0, :2], y[:2]); x.index_fill(0, n[0], 2)
x @ y.t(); x.mv(y[0]); t.dot(x[0], y[0]); t.addmm(q, x, y.t(), beta=2); t.bmm(x[None], y.t()[None]); q.det()
t.linalg.inv(q); t.linalg.cholesky(q); t.nn.functional.relu(x); t.nn.functional.gelu(x, approximate="tanh")
t.nn.functional.leaky_relu(x, 0.2); t.nn.functional.elu(x); t.nn.functional.softplus(x)
t.nn.functional.hardtanh(x, -2, 2); t.nn.functional.mse_loss(x, y)
t.nn.functional.mse_loss(x, y[0], reduction="sum"); t.nn.functional.huber_loss(x, y)
t.nn.functional.layer_norm(x, (4,)); t.nn.functional.conv2d(x.view(1, 1, 3, 4), q.view(1, 1, 3, 3), padding=1)
t.nn.functional.max_pool2d(x[None], 2); t.nn.functional.avg_pool2d(x[None], 2); t.nn.functional.pad(x, (1, 2))
t.nn.functional.pad(x[None], (1, 2), mode="reflect"); t.nn.functional.embedding(n, x)
t.nn.functional.nll_loss(x, n[0, :3]); x.double(); (x * 1).add_(y); (x * 1).relu_()
(x * 1).masked_fill_(x > 3, 1.0); (x * 1).fill_(3)
"""
SAME = [call.strip() for line in SAME.strip().splitlines() for call in line.split("; ")]


def called(t, call):
    x = t.arange(12, dtype=t.float64).reshape(3, 4).add(1).requires_grad_()
    y = t.ones(3, 4, dtype=t.float64).requires_grad_()
    q = (t.eye(3, dtype=t.float64) * 3 + 1).requires_grad_()
    n = t.tensor([[0, 2, 1, 1], [1, 0, 3, 2], [0, 0, 0, 0]])
    n = n if ".gather" in call or "scatter" in call else n % 3
    return ir.graph(eval(call, {"t": t, "x": x, "y": y, "q": q, "n": n}))


@pytest.mark.parametrize("call", SAME)
def test_the_same_call_has_no_differences(call):
    ours, theirs = called(rf, call), called(torch, call)
    assert ours.diff(theirs) == () == theirs.diff(ours)
    for graph in (ours, theirs):
        there = {ref for node in graph for ref in node.refs}
        assert all(s.ref in there for node in graph for s in node.saved if s.ref[0] == "%")
        assert ir.Graph.from_json(graph.to_json()) == graph


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y", "x - y"),
        ("x * 2", "x * 3"),
        ("x.exp() - y", "y - x.exp()"),
        ("x * y", "x * y.exp()"),
        ("x.sum(0, keepdim=True)", "x.sum(1, keepdim=True)"),
        ("q.sum(0)", "q.sum(1)"),
        ("x[0]", "x[1]"),
        ("x[:, 1:3]", "x[:, :2]"),
        ("q.transpose(0, 1)", "q.permute(1, 0)"),
        ("x.softmax(0)", "x.softmax(1)"),
        ("x.max()", "x.amax()"),
        ("x.gather(1, n)", "x.gather(0, n % 3)"),
        ("t.add(x, y, alpha=2)", "t.add(x, y, alpha=3)"),
        ("x.masked_fill(x > 3, 0)", "x.clone()"),
        ("x.unbind()[0]", "x.unbind()[1]"),
    ],
)
def test_another_call_has_differences(one, other):
    ours, theirs = called(rf, one), called(torch, other)
    assert ours.diff(theirs) and theirs.diff(ours)


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


def test_index_tensors_that_a_backward_has_freed_are_unknown():
    y = torch.ones(3, requires_grad=True)[torch.tensor([0, 2])]
    y.sum().backward()
    assert ir.graph(y)["%2"].attrs == (("items", ("?",)),)


def test_a_function_of_the_program_s_own_keeps_its_name():
    def drawn(m):
        class MySquare(m.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * x

            @staticmethod
            def backward(ctx, g):
                return g

        return ir.graph(MySquare.apply(m.ones(2, requires_grad=True)))

    assert drawn(rf) == drawn(torch)


def test_a_write_of_no_other_tensor_into_a_view():
    y = torch.ones(2, 3, requires_grad=True) * 2
    y[0].exp_()
    assert [node.op for node in ir.graph(y)] == ["leaf", "mul", "copy_slices"]


def _views_written(m, h):
    h[1, 1:] = 0
    h[0][:2] += 1
    return h


def _read_before_written(m, h):
    row = h[0]
    read = row * 3
    row[:2] += 1
    return read.sum() + h.sum()


def _read_after_written(m, h):
    row = h[0]
    row[:2] += 1
    return row.sum() + h.sum()


def _turned_and_written(m, h):
    h.T[0].add_(h[1].sum())
    return h


@pytest.mark.parametrize("program", [
    _views_written, _read_before_written, _read_after_written, _turned_and_written,
    lambda m, h: m.nn.GRUCell(3, 3)(h), lambda m, h: m.nn.LSTMCell(3, 3)(h)[0], lambda m, h: m.nn.RNNCell(3, 3)(h),
])  # fmt: skip
def test_each_name_of_pytorch_s_is_that_of_one_of_its_nodes(program):
    ours = ir.graph(program(rf, rf.ones(2, 3, requires_grad=True) * 2))
    todo, theirs = [program(torch, torch.ones(2, 3, requires_grad=True) * 2).grad_fn], {}
    while todo:
        if (node := todo.pop()) is not None and node not in theirs:
            theirs[node] = node.name().removeprefix("torch::autograd::")
            todo += [before for before, _ in node.next_functions]
    assert sorted(node.torch for node in ours if node.torch) == sorted(theirs.values())


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

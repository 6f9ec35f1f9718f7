"""What the graph says of a program, line by line."""

import weakref

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import ir, show


def lines(graph):
    return [" ".join(row.split()) for row in str(graph).splitlines()]


def test_the_seeds_line_by_line():
    a, b = rf.ones(3, 1, requires_grad=True), rf.ones(3, 4, requires_grad=True)
    c = a * b
    assert lines(ir.graph(c)) == [
        "a %1 = leaf : float32[3, 1]",
        "b %2 = leaf : float32[3, 4]",
        "%3 = expand %1 : float32[3, 4] view of %1",
        "c %4 = mul %3, %2 : float32[3, 4] saved: %1 %2",
        "return %4",
    ]


def test_a_shared_node_is_one_line():
    x = rf.ones(2, requires_grad=True)
    y = x * x
    z = (y + y) * y
    assert [n.op for n in ir.graph(z)] == ["leaf", "mul", "add", "mul"]
    assert [row.strip() for row in lines(ir.graph(z))][1] == "y %2 = mul %1, %1 : float32[2] saved: %1"


def test_a_program_order_is_kept_and_every_operand_stands_above():
    a = rf.ones(2, requires_grad=True)
    late = a.exp()
    early = a.sin()
    graph = ir.graph(early + late)
    assert [n.op for n in graph] == ["leaf", "exp", "sin", "add"]
    seen = set()
    for node in graph:
        assert all(ref.partition(".")[0] in seen for ref in node.operands if ref.startswith("%"))
        seen.add(node.id)


def test_untracked_operands_are_nodes_with_values_whether_a_gradient_reads_them_or_not():
    x, w, c = rf.ones(2, requires_grad=True), rf.tensor([3.0, 4.0]), rf.tensor([5.0, 6.0])
    graph = ir.graph(x * w * 2 + c)
    assert [(n.op, n.operands) for n in graph] == [
        ("leaf", ()),
        ("constant", ()),
        ("mul", ("%1", "%2")),
        ("mul", ("%3", "2")),
        ("constant", ()),
        ("add", ("%4", "%5")),
    ]
    assert graph["w"].out.tolist() == [3.0, 4.0] and not graph["w"].requires_grad
    assert graph["c"].out.tolist() == [5.0, 6.0] and "?" not in str(graph)


UNREAD = {
    "1e-05": lambda x, c: x + 1e-5,
    "0.5": lambda x, c: rf.tensor(0.5) - x,
    "2": lambda x, c: x - np.float32(2),
    "-inf": lambda x, c: rf.where(x > 1, x, float("-inf")),
    "[-inf, 0.0]": lambda x, c: x + rf.tensor([float("-inf"), 0.0]),
    "True": lambda x, c: x + True,
    "[3.0, 4.0]": lambda x, c: c - x,
    "[4.0, 3.0]": lambda x, c: x + c.flip(0),
    "[3.0, 4.0] of two": lambda x, c: rf.cat([x, c]),
    "[[3.0], [4.0]]": lambda x, c: x + c[:, None],
    "[7.0]": lambda x, c: Plus.apply(x, rf.tensor([7.0])),
    "[8.0, 9.0]": lambda x, c: rf.addcmul(rf.tensor([8.0, 9.0]), x, x),
    "[0.0, 1.0]": lambda x, c: x + rf.arange(2000.0)[:2],  # copied out of a large memory
}


class Plus(rf.autograd.Function):
    @staticmethod
    def forward(ctx, x, other):
        return x + other

    @staticmethod
    def backward(ctx, g):
        return g, None


@pytest.mark.parametrize("value", UNREAD)
def test_what_no_gradient_reads_is_known_before_and_after_a_backward(value):
    x, c = rf.ones(2, requires_grad=True), rf.tensor([3.0, 4.0])
    y = UNREAD[value](x, c)
    for run in (lambda: None, y.sum().backward):
        run()
        graph = ir.graph(y)
        refs = graph[graph.results[0]].operands
        read = [graph[ref] if ref[:1] == "%" else ref for ref in refs]
        read = [graph[node.operands[0]] if getattr(node, "kind", "") == "expand" else node for node in read]
        arrays = [node if isinstance(node, str) else str(node.out.tolist()) for node in read]
        assert value.removesuffix(" of two") in arrays and "?" not in refs


def test_an_operand_that_was_written_to_since_has_changed_for_those_who_read_it_before():
    x, c = rf.ones(2, requires_grad=True), rf.tensor([3.0, 4.0])
    before = x + c
    c.add_(1)
    first, second = [node for node in ir.graph(before * (x - c)) if node.kind == "constant"]
    assert (first.out, first.results[0].overwritten) == (None, "add_") and second.out.tolist() == [4.0, 5.0]
    assert str(first).endswith(": float32[2]  changed since") and str(second).endswith(": float32[2]")
    assert "no gradient flows to it. add_ has written over it since." in show.graph(before).text()


def test_a_buffer_that_nothing_tracks_is_known_as_it_was_before_it_was_written_to():
    x, into, part = rf.ones(2, requires_grad=True), rf.tensor([3.0, 4.0]), rf.tensor([[0.0, 1.0], [2.0, 3.0]])
    into += x
    part[1] = x
    assert ir.graph(into)["%2"].out.tolist() == [3.0, 4.0]
    (into,) = [node for node in ir.graph(part) if node.op == "copy_slices"]
    assert ir.graph(part)[into.operands[0]].out.tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_a_large_operand_is_held_weakly():
    x, large = rf.ones(100, requires_grad=True), rf.ones(100)
    y, z, seen = x + large, x + rf.ones(100), weakref.ref(large)
    known = ir.graph(y, names={"large": large}, depth=0)
    assert known["large"].out is large._a
    assert ir.graph(z, depth=0).nodes[-1].operands == ("%1", "?")
    assert "that nothing kept" in str(ir.graph(z, depth=0))
    del large, known
    assert seen() is None
    assert ir.graph(y, depth=0).nodes[-1].operands == ("%1", "?")


def test_a_constant_used_twice_is_one_node():
    x, w = rf.ones(2, requires_grad=True), rf.ones(2)
    assert [n.op for n in ir.graph(x * w * w)] == ["leaf", "constant", "mul", "mul"]


def test_an_operand_stretched_on_both_sides_has_two_expand_nodes():
    a, b = rf.ones(3, 1, requires_grad=True), rf.ones(4, requires_grad=True)
    y = a + b
    graph = ir.graph(y)
    (left, right) = (graph[ref] for ref in graph.results[0:1] for ref in graph[ref].operands)
    assert (left.kind, right.kind, left.shape, right.shape) == ("expand", "expand", (3, 4), (3, 4))
    assert left.base == graph.find(a) and left.user == right.user == graph.find(y)
    assert graph.expansion(graph.find(y), 0) == left.id and graph.expansion(graph.find(y), 1) == right.id
    assert y.grad_fn.next_functions[0][0].name() == "AccumulateGrad"  # none there, as in PyTorch


def test_a_batch_stretched_by_a_product_is_an_expand_node():
    a, b = rf.ones(5, 2, 3, requires_grad=True), rf.ones(2, 5, 3, 4, requires_grad=True)
    graph = ir.graph(a @ b)
    assert [(n.op, n.shape) for n in graph if n.op == "expand"] == [("expand", (2, 5, 2, 3)), ("expand", (2, 5, 3, 4))]
    assert [(n.op, n.shape) for n in graph][-2:] == [("bmm", (10, 2, 4)), ("reshape", (2, 5, 2, 4))]
    traced = ir.trace(lambda: a.detach() @ b.detach())
    assert [(n.op, n.shape) for n in traced][-2:] == [("expand", (2, 5, 2, 3)), ("matmul", (2, 5, 2, 4))]
    square = rf.ones(2, 2, requires_grad=True)
    assert [n.op for n in ir.graph(square @ square)] == ["leaf", "mm"]


def test_every_sum_to_of_backward_has_an_expand_node():
    a, b = rf.randn(3, 1, requires_grad=True), rf.randn(4, requires_grad=True)
    y = ((a + b) * a / b).sum()
    graph = ir.graph(y)
    steps = [s for s in rf.autograd.backward_steps(y) if s.kind == "sum_to"]
    places = {(graph.find(s.node), s.operand) for s in steps}
    assert len(places) == 4
    assert all(graph[graph.expansion(*place)].shape == (3, 4) for place in places)


def test_a_view_names_the_memory_it_reads():
    x = rf.ones(2, 3, requires_grad=True)
    y = x.t()[0]
    graph = ir.graph(y.exp())
    views = [n for n in graph if n.is_view]
    assert [v.base for v in views] == ["%1", "%1"] and views[0].stride == (1, 3)


def test_index_arrays_are_shown_until_a_backward_has_freed_them():
    y = rf.ones(3, 4, requires_grad=True)[:, rf.tensor([0, 2])]
    assert ir.graph(y)["%2"].attrs == (("items", (":", "int64[2]")),)
    y.sum().backward()
    assert ir.graph(y)["%2"].attrs == (("items", (":", "?")),)


def test_saved_values_overwritten_and_freed():
    x = rf.ones(2, requires_grad=True)
    y = x * 2
    z = y.exp()
    y.mul_(3)
    z.mul_(2)
    (saved,) = next(n for n in ir.graph(z) if n.op == "exp").saved
    assert (saved.ref, saved.overwritten, saved.version, saved.freed) == ("%3", "mul_", 1, False)
    w = x.exp().sum()
    assert "saved: %2" in str(ir.graph(w)["%2"])
    w.backward()
    assert "saved: %2 (freed)" in str(ir.graph(w)["%2"])


def test_a_result_of_several_is_named_by_its_own_name():
    x = rf.ones(2, 3, requires_grad=True)
    values, indices = x.max(dim=1)
    graph = ir.graph(values * 2)
    node = graph["values"]
    assert node.labels == ("values", "indices") and [v.dtype for v in node.results] == ["float32", "int64"]
    assert graph[graph.results[0]].operands[0] == f"{node.id}.values" == graph.find(values)
    first, second = x.split(1)
    assert ir.graph(second).results == ("%2.1",)


def test_values_are_kept_by_reference_up_to_64_elements():
    x = rf.ones(8, 8, requires_grad=True)
    big = rf.ones(65, requires_grad=True)
    assert ir.graph(x * 2)["%2"].out is (x * 2)._a or ir.graph(x * 2)["%2"].out.tolist() == (x * 2).tolist()
    assert ir.graph(big * 2)["%2"].out is None and ir.graph(big * 2)["%2"].shape == (65,)
    assert ir.graph(big)["%1"].out is big._a


def test_an_untracked_tensor_is_a_graph_of_one_constant():
    x = rf.ones(2)
    assert lines(ir.graph(x)) == ["x %1 = constant : float32[2]", "return %1"]


def test_names_given_come_before_those_of_the_program():
    x = rf.ones(2, requires_grad=True)
    weights = [rf.ones(2, requires_grad=True)]
    y = x * weights[0]
    assert [n.name for n in ir.graph(y, names={"input": x})] == ["input", "weights[0]", "y"]


class Layer:
    def __init__(self):
        self.w, self.owner = rf.ones(2, requires_grad=True), self

    @property
    def trap(self):
        raise AssertionError("a property was run")

    def forward(self, params):
        return ir.graph(self.w * params["bias"])


def test_names_lead_through_objects_and_containers():
    net = {"layers": [Layer(), Layer()]}
    b = rf.ones(2, requires_grad=True)
    assert [n.name for n in ir.graph(net["layers"][1].w * b)][:2] == ["net['layers'][1].w", "b"]
    assert {n.name for n in Layer().forward({"bias": b})} == {"self.w", "params['bias']", None}


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="ir.trace"):
        ir.graph(3.0)
    with pytest.raises(ValueError, match="ids are"):
        ir.graph(rf.ones(1))["%7"]


def test_an_operand_that_was_left_out_keeps_its_place():
    x, y = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
    below, above = ir.graph(x.clamp(min=y)), ir.graph(x.clamp(max=y))
    assert lines(below)[2] == "%3 = clamp %1, %2 : float32[2] saved: %1 %2"
    assert lines(above)[2] == "%3 = clamp %1, None, %2 : float32[2] saved: %1 %2"
    assert below != above and below.diff(above)[0].what == "%3 = clamp %1, %2: operands %1, %2 now %1, None, %2"
    assert ir.trace(lambda: x.clamp(max=y)) == above == ir.graph(x.clamp_max(y))


def test_a_custom_function_is_a_node():
    class Twice(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = rf.ones(2, requires_grad=True)
    node = ir.graph(Twice.apply(x))["%2"]
    assert (node.op, node.operands, [s.ref for s in node.saved]) == ("Twice", ("%1",), ["%1"])


def by_hand(name, forward, *gradients):
    """A custom Function of some name, whose backward gives ones for each operand."""

    def backward(ctx, g):
        return tuple(rf.ones(shape) for shape in gradients)

    return type(name, (rf.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


@pytest.mark.parametrize("name", ["Mine", "step", "mul", "matmul", "linear", "add_at", "mse_loss", "cross_entropy"])
def test_a_function_of_the_program_s_own_is_no_op_of_ours_whatever_its_name_and_its_shapes(name):
    x, y = rf.ones(2, 3, requires_grad=True), rf.ones(3, requires_grad=True)
    total = by_hand(name, lambda ctx, x: x.sum(0), (2, 3)).apply(x)
    spread = by_hand(name, lambda ctx, x, y: x + y, (2, 3), (3,)).apply(x, y)
    assert lines(ir.graph(total)) == [
        "x %1 = leaf : float32[2, 3]", f"total %2 = {name} %1 : float32[3]", "return %2"]
    assert lines(ir.graph(spread))[2] == f"spread %3 = {name} %1, %2 : float32[2, 3]"
    assert ir.graph(spread)["spread"].formula == ""
    assert "x.grad = [[1, 1, 1], [1, 1, 1]]" in show.backward(spread).text()


def test_what_a_function_returns_besides_tensors_is_unknown():
    class Halves(rf.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x / 2, "halved"

        @staticmethod
        def backward(ctx, g, _):
            return g / 2

    y, _ = Halves.apply(rf.ones(2, requires_grad=True))
    graph = ir.graph(y)
    assert [str(value) for value in graph["%2"].results] == ["float32[2]", "unknown"]
    assert ir.Graph.from_json(graph.to_json()) == graph


def test_a_chain_of_20_000_nodes():
    x = rf.ones(1, requires_grad=True)
    for _ in range(20_000):
        x = x.neg()
    graph = ir.graph(x)
    assert len(graph) == 20_001 and graph.results == ("%20001",)
    assert str(graph).count("\n") < 500 and "19,601 more" in str(graph)
    assert isinstance(hash(graph), int)


def test_scopes_nest_and_end():
    x = rf.ones(2, requires_grad=True)
    with ir.scope("model"):
        y = x.exp()
        with ir.scope("head"):
            z = y.t()
    w = z.sin()
    assert [n.scope for n in ir.graph(w)] == ["", "model", "model.head", ""]
    from rustyflow.dispatch.operation import watchers

    assert not watchers


def test_every_stretched_operand_has_its_expand_node():
    x, w, b = rf.ones(2, 5, 3, requires_grad=True), rf.ones(4, 3, requires_grad=True), rf.ones(4, requires_grad=True)
    shapes = {
        "linear": rf.nn.functional.linear(x, w, b),
        "addmm": rf.addmm(b, x[0], w.t()),
        "where": rf.where(x > 0, x, w[0]),
    }
    for op, y in shapes.items():
        graph = ir.graph(y)
        steps = [s for s in rf.autograd.backward_steps(y, rf.ones_like(y)) if s.kind == "sum_to"]
        places = [(graph.find(s.node), s.operand) for s in steps]
        assert places and all(graph.expansion(*place) for place in places), op


def test_a_value_that_was_written_over_is_not_shown_as_what_it_was():
    x = rf.ones(3, requires_grad=True)
    y = x * 2
    z = y + 1
    y.mul_(5)
    graph = ir.graph(z, y)
    first, last = (n for n in graph if n.op == "mul")
    assert (first.out, first.results[0].overwritten, last.out.tolist()) == (None, "mul_", [10.0, 10.0, 10.0])
    assert graph["z"].out.tolist() == [3.0, 3.0, 3.0]


def test_square_brackets_read_as_written():
    x = rf.ones(2, 3, 4, requires_grad=True)
    y = x[0, ..., 1:]
    assert lines(ir.graph(y))[1:3] == [
        "%2 = select %1[0] : float32[3, 4] view of %1",
        "y %3 = slice %2[:, 1:] : float32[3, 3] view of %1",
    ]

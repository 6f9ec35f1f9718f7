"""What a program may ask of the graph's nodes, line by line under rustyflow and under PyTorch."""

import pytest

import rustyflow as rf
from rustyflow.dispatch.operation import OPS, renamed
from rustyflow.dispatch.run import apply

try:
    import torch
except ImportError:
    torch = None
LIBRARIES = [rf, pytest.param(torch, marks=pytest.mark.skipif(torch is None, reason="PyTorch is not installed"))]


@pytest.fixture(params=LIBRARIES, ids=["rustyflow", "torch"])
def lib(request):
    return request.param


@pytest.fixture
def x(lib):
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


SAVED = [
    ("x * x", "self", [1, 2, 3]),
    ("x / x.detach()", "other", [1, 2, 3]),
    ("x ** 2", "exponent", 2),
    ("(x - 1).relu()", "result", [0, 1, 2]),
    ("x.log()", "self", [1, 2, 3]),
    ("x.clamp(0, 2)", "max", 2),
    ("x.max(0).values", "indices", 2),
    ("x.view(1, 3).sum(1)", "dim", (1,)),
    ("x.view(1, 3).sum(1)", "keepdim", False),
    ("lib.where(x > 1, x, 0.0)", "condition", [False, True, True]),
    ("x.view(1, 3) @ x.detach().view(3, 1)", "mat2", [[1], [2], [3]]),
]


@pytest.mark.parametrize("line, name, value", SAVED)
def test_saved_values_have_pytorchs_names(lib, x, line, name, value):
    node = eval(line, {"x": x, "lib": lib}).grad_fn
    got = getattr(node, "_saved_" + name)
    assert f"_saved_{name}" in dir(node)
    assert (got.tolist() if hasattr(got, "tolist") else got) == value


@pytest.mark.parametrize("write", [False, True])
def test_saved_indices_have_pytorchs_name_and_are_gone_after_backward(lib, x, write):
    y = x * 1
    if write:
        y[[0, 2]] = 5.0
    else:
        y = y[lib.tensor([0, 2])]
    node = y.grad_fn
    assert [index.tolist() for index in node._saved_indices] == [[0, 2]]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = node._saved_indices


def test_saved_indices_that_were_overwritten_are_refused(lib, x):
    i = lib.tensor([0, 2])
    node = x[i].grad_fn
    i.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        _ = node._saved_indices


def test_a_saved_operand_is_the_tensor_itself_and_a_saved_result_has_its_history_again(x):
    y = x.exp()
    assert (x * x).grad_fn._saved_self is x
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn and y.grad_fn._saved_result.tolist() == y.tolist()


def test_saved_values_are_read_only_and_gone_after_backward(x):
    y = x * x
    with pytest.raises(AttributeError):
        y.grad_fn._saved_self = x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = y.grad_fn._saved_self
    assert not hasattr(y.grad_fn, "_saved_nothing")


def test_a_saved_value_that_was_overwritten_is_refused(x):
    y = x.exp()
    node = y.grad_fn
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        _ = node._saved_result


def test_metadata_stays_with_its_node(x):
    y = x * x
    y.grad_fn.metadata["layer"] = 3
    assert y.grad_fn.metadata == {"layer": 3} and (x * x).grad_fn.metadata == {}
    assert y.grad_fn.next_functions[0][0].metadata == {}


def test_a_node_is_called_with_the_gradient_of_its_result(lib, x):
    w = lib.tensor([4.0, 5.0, 6.0], requires_grad=True)
    one = lib.ones(3)
    assert [g.tolist() for g in (x * w).grad_fn(one)] == [[4, 5, 6], [1, 2, 3]]
    assert (x * x.detach()).grad_fn(one)[1] is None
    assert x.exp().log().grad_fn(one).tolist() == x.exp().reciprocal().tolist()
    node = (x * w).grad_fn
    assert node(one)[0].requires_grad
    with lib.no_grad():
        assert not node(one)[0].requires_grad
    assert x.grad is None and x.max(0).values.grad_fn(lib.tensor(5.0)).tolist() == [0, 0, 5]


def test_calling_the_end_of_the_graph_accumulates(lib, x):
    leaf = (x * 2).grad_fn.next_functions[0][0]
    assert leaf(lib.ones(3)) == () and leaf(lib.ones(3)) == ()
    assert x.grad.tolist() == [2, 2, 2]


def test_a_node_called_wrongly_says_so(lib, x):
    node = (x * x).grad_fn
    for arguments in ((), (1.0,), (lib.ones(3), lib.ones(3))):
        with pytest.raises(TypeError):
            node(*arguments)
    y = x * x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn(lib.ones(3))


def test_every_node_is_a_node(lib, x):
    y = x * 2
    for node in (y.grad_fn, y.grad_fn.next_functions[0][0]):
        assert isinstance(node, lib.autograd.graph.Node)
    assert not isinstance(y, lib.autograd.graph.Node)


def test_a_view_of_whole_numbers_is_a_view(lib):
    x = lib.arange(6)
    y = x.view(2, 3)
    for view in (y, y[0], y.t(), y.unbind()[1], y.split(1)[0]):
        assert view._base is x and view._is_view()
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            view.detach_()
    assert x._base is None and not x._is_view() and not (y + 1)._is_view() and not y.detach()._is_view()
    y[0, 0] = 7
    x += 1
    assert y[0, 0] == 8 and not y.requires_grad and y.grad_fn is None


@pytest.mark.parametrize("make", ["inference_mode()", "inference_mode(True)", "autograd.inference_mode()"])
def test_nothing_is_recorded_in_inference_mode(lib, x, make):
    with eval(f"lib.{make}", {"lib": lib}):
        assert lib.is_inference_mode_enabled() and not lib.is_grad_enabled() and not (x * 2).requires_grad
        with lib.inference_mode(False):
            assert (x * 2).requires_grad and not lib.is_inference_mode_enabled()
    assert lib.is_grad_enabled() and not lib.is_inference_mode_enabled()


def test_inference_mode_decorates(lib, x):
    @lib.inference_mode
    def bare(x):
        return x * 2

    @lib.inference_mode()
    def called(x):
        return x * 2

    @lib.inference_mode(False)
    def recorded(x):
        return x * 2

    with lib.no_grad():
        assert recorded(x).requires_grad
    assert not bare(x).requires_grad and not called(x).requires_grad and lib.is_grad_enabled()


def test_an_op_under_another_name_has_nothing_of_the_first_one_s_node():
    number, half = rf.ones(2, requires_grad=True), rf.ones(2, dtype=rf.float16, requires_grad=True)
    assert apply(OPS["mul"], half, 2.0).grad_fn.name() == "MulBackward0"
    twin = renamed(OPS["mul"], "TwinBackward0")
    for x in (number, half):
        assert apply(twin, x, 2.0).grad_fn.name() == "TwinBackward0"


def test_a_node_stays_what_it_is_when_its_tensor_takes_another_shape():
    y = rf.ones(2, 3, requires_grad=True) * 2
    with rf.autograd.detect_anomaly():
        y.t_()
    assert y.grad_fn.name() == "TBackward1" and y.grad_fn.made_at and y.shape == (3, 2)
    y.sum().backward()

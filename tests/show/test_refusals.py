"""What a figure says to what it cannot draw: the words of who was called, and names that were written."""

import pytest

import rustyflow as rf
from rustyflow import show


def refusal(figure, *arguments, **named):
    with pytest.raises((TypeError, ValueError)) as caught:
        figure(*arguments, **named)
    return caught.value


@pytest.mark.parametrize("figure", [show.strides, show.broadcast, show.matmul, show.reduce])
def test_a_list_is_named_by_what_was_written(figure):
    x = y = z = rf.ones(2)  # noqa: F841 - taken names, past which strides would count on
    more = (x,) if figure in (show.broadcast, show.matmul) else ()
    error = refusal(figure, [1, 2, 3], *more)
    assert error.was == "[1, 2, 3], of type list" and "strides" not in error.rule
    assert error.fix == "rustyflow.tensor(...) or numpy.array(...) of it"


def test_a_graph_of_a_number_speaks_for_every_caller():
    error = refusal(show.graph, 3)
    assert error.was == "3, of type int" and "ir.graph" not in str(error)


def test_backward_from_a_number_does_not_advise_a_figure_that_would_refuse_it_too():
    error = refusal(show.backward, 3)
    assert error.was == "3, of type int" and "show.graph" not in str(error)


def test_backward_from_a_tensor_of_pytorch_advises_its_graph():
    torch = pytest.importorskip("torch")
    assert "show.graph(y)" in refusal(show.backward, torch.ones(1, requires_grad=True).sum()).fix


def test_a_product_of_matrices_is_sent_to_its_own_figure():
    assert "show.matmul(a, b)" in refusal(show.broadcast, rf.ones(2, 3), rf.ones(3, 4), op="@").fix


@pytest.mark.parametrize("draw", [
    lambda x: show.strides(x, names=["a", "b"]),
    lambda x: show.strides(*[x + k for k in range(9)]),
    lambda x: show.broadcast(*[x] * 9),
    lambda x: show.broadcast(x, x, op="zero_"),
    lambda x: show.broadcast(x, x, op="from_numpy"),
    lambda x: show.reduce(x, "transpose"),
    lambda x: show.reduce(x, "argmax", upstream=1.0),
    lambda x: show.strides(x).save("x.gif"),
])  # fmt: skip
def test_every_refusal_says_what_was_the_rule_and_what_to_write(draw):
    with pytest.raises(rf.errors.ArgumentValueError) as caught:
        draw(rf.ones(3))
    assert caught.value.rule and caught.value.fix


def test_an_operation_among_the_tensors_is_sent_to_its_argument():
    error = refusal(show.broadcast, rf.ones(3, 1), rf.ones(4), "mul")
    assert error.was == "'mul' among the tensors" and error.fix == "show.broadcast(..., op='mul')"


@pytest.mark.parametrize("figure, shapes", [(show.broadcast, [(3, 1), (4,)]), (show.matmul, [(3, 2), (2, 4)])])
def test_one_number_for_a_gradient_of_many_is_told_what_to_write(figure, shapes):
    with pytest.raises(RuntimeError) as caught:
        figure(*map(rf.ones, shapes), upstream=1)
    assert caught.value.was == "upstream is one number, 1; the result has shape (3, 4)"
    figure(*map(rf.ones, shapes), upstream=eval(caught.value.fix.partition("=")[2], {"rustyflow": rf}))
    with pytest.raises(RuntimeError, match="result: +3 +4"):
        figure(*map(rf.ones, shapes), upstream=rf.ones(4, 3))


def test_a_graph_that_was_let_go_of_is_told_that_the_figure_runs_backward_itself():
    x = rf.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="show.backward runs backward itself") as caught:
        show.backward(y)
    assert "in place of y.backward()" in caught.value.fix


def test_what_is_several_tensors_or_a_module_is_told_what_to_pass():
    a = rf.ones(2, requires_grad=True)
    assert "*y" in refusal(show.graph, (a * 2, a * 3)).fix
    assert refusal(show.graph, rf.nn.Linear(2, 2)).fix == "model(x) in place of model"


@pytest.mark.parametrize(
    "op, title",
    [
        ("floor_divide", "a // b"),
        ("bitwise_and", "a & b"),
        ("|", "a | b"),
        ("%", "a % b"),
        ("<", "a < b"),
        ("gcd", "gcd(a, b)"),
    ],
)
def test_operations_without_a_gradient_have_one_side(op, title):
    figure = show.broadcast(rf.arange(1, 4).view(3, 1), rf.arange(1, 5), op=op, names=["a", "b"])
    assert figure.scene.title == title and not figure.scene.toggles


@pytest.mark.parametrize("rank", [9, 16, 33, 64])
def test_of_any_rank_something_is_told(rank):
    x = rf.ones([1] * rank, requires_grad=True)
    for figure in (
        show.strides(x),
        show.broadcast(x, x),
        show.graph(x * 2),
        show.backward((x * 2).sum()),
        show.backward(x * 2),
        show.reduce(x),
        show.matmul(x, x),
    ):
        assert all(figure.sentences)




@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors", "ignore:Lazy modules")
def test_pytorchs_tensors_without_a_shape_are_refused_by_what_they_are():
    torch = pytest.importorskip("torch")
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for x, said in ((nested, "rows of different lengths"), (torch.nn.LazyLinear(3).weight, "uninitialized parameter")):
        with pytest.raises(TypeError, match=said):
            show.op("exp", x)
        with pytest.raises(TypeError, match=said):
            show.op(lambda a: a + 1, x)

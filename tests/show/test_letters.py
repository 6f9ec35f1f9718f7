"""Letters that figures choose are none that the program has: of the gradient that arrives, of axes."""

import re

import pytest

from rustyflow import relu, show, tensor
from rustyflow.scene import Figure


def words_of(figure: Figure) -> str:
    """Everything that a figure says, and all that is written in it."""
    scene = figure.scene
    told = [said for frame in scene.frames for said in
            (frame.sentence.values() if isinstance(frame.sentence, dict) else [frame.sentence])]  # fmt: skip
    drawn = ["".join(part.text for part in shape.walk()) for top in scene.shapes for shape in top.walk()
             if shape.tag == "text"]  # fmt: skip
    return "\n".join([*told, *drawn, *scene.about, *(repr(family) for family in scene.links)])


W, V, LEAF = tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([5.0, 7.0]), tensor([2.0, 3.0], requires_grad=True)


@pytest.mark.parametrize(
    ("figure", "want"),
    [
        (lambda g: show.broadcast(W, V, op="*", names=["w", g], title=f"w * {g}"), "{up}[1, 1] = 1, which arrives"),
        (lambda g: show.broadcast(V, V.clone(), op="/", names=[g, "d"]), "{g}.grad is {up} / d"),
        (lambda g: show.op("mul", W, V, names=[g, "v"]), "{up}[0, 0] = 3 goes to {g}.grad[0, 0] and v.grad[0]"),
        (lambda g: show.reduce(W, "mean", 0, name=g), "{up}[1] = 1 fans out"),
        (lambda g: show.matmul(W, W.clone(), names=["w", g]), "w.grad = {up} @ {g}.T and {g}.grad = w.T @ {up}"),
        (lambda g: show.matmul(V, W, names=["v", f"{g}.T"]), "{g}.T @ {up} and d({g}.T) = v[:, None] * {up}"),
    ],
)
@pytest.mark.parametrize(("g", "up"), [("h", "g"), ("g", "up")])
def test_a_gradient_that_arrives_is_not_called_as_an_operand_is(figure, want, g, up):
    said = words_of(figure(g))
    assert want.format(g=g, up=up) in said
    assert g == "h" or not re.search(r"\bg\[\d+\] = 3, which|upstream g\b|receives a gradient, g\b|\bg = g\b", said)


@pytest.mark.parametrize("figure", [show.graph, show.backward])
def test_a_gradient_that_arrives_is_not_called_as_a_tensor_of_a_graph_is(figure):
    g = relu(LEAF) * 3
    end = g.exp()
    said = words_of(figure(end))
    assert "dg = up * end" in said and "g * " not in said and " g of " not in said
    h = relu(LEAF) * 3
    end = h.exp()
    assert "dh = g * end" in words_of(figure(end))


@pytest.mark.parametrize(
    ("figure", "want", "never"),
    [
        (lambda: show.matmul(W, W.clone(), names=["i", "k"]), ["i[j, m] * k[m, l]", "summed over m"], "[i"),
        (
            lambda: show.matmul(W, W.clone(), names=["w", "w[:, j]"]),
            ["w[i, l] * w[:, j][l, k]", "summed over l"],
            "[k, j]",
        ),
        (lambda: show.strides(W, W.t(), names=["i", "t"]), ["i[j, k] reads slot", "t[k, j] reads slot"], "Along i,"),
        (lambda: show.strides(W[:, :1], names=["y"], title="y = w[:, :j]"), ["along i, dim 0", "y[i, k]"], "y[i, j]"),
        (lambda: show.broadcast(W, V, names=["i", "k"]), ["Along l, dim 1", "stride 0 along j · dim 0"], "Along k"),
        (lambda: show.reduce(W, "sum", 1, name="j"), ["Along k · dim 1, j has 2 lanes"], "Along j"),
        (lambda: show.op("mul", W, V, names=["w[:, :i]", "k"]), ["y[j, l] reads w[:, :i][j, l], k[l]"], "y[i"),
    ],
)
def test_no_axis_has_the_letter_of_a_name(figure, want, never):
    said = words_of(figure())
    assert all(words in said for words in want) and never not in said


def test_an_axis_that_an_operand_lacks_counts_as_1_and_is_not_its_own():
    said = words_of(show.broadcast(W.view(1, 1, 2, 2), V, names=["a", "b"]))
    assert "dim 0: b has none, counts as 1, a has 1: nothing to do" in said and "both have 1" not in said
    assert "both have 1: nothing to do" in words_of(show.broadcast(V.view(1, 2), V.view(1, 2) + 1))


@pytest.mark.parametrize(("g", "up"), [("h", "g"), ("g", "up")])
def test_a_name_that_nothing_else_has_is_the_same_on_every_link(g, up):
    figure = show.reduce(W, "mean", 0, name=g)
    assert figure.state(link="r0", toggles=("g",)).sentence == f"{up}[0] = 3 fans out over its 2 cells: [1.5, 1.5]."

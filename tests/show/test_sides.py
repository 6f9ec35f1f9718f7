"""Turned over with `g`, a step says what the side that is then seen shows."""

import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from tests.show.seen import formula

X = np.array([[1.0, 5.0, 2.0], [3.0, 3.0, 0.0]])
G = ("g",)
FIGURES = {
    "broadcast": lambda: show.broadcast(X, X[0], op="*", names=["x", "w"]),
    "broadcast of one number": lambda: show.broadcast(X, 2.0, names=["x", "c"]),
    "where": lambda: show.broadcast(X > 1, X, 0.0, op="where", names=["m", "x", "o"]),
    "reduce": lambda: show.reduce(X, "amax", 1, name="x"),
    "reduce of all": lambda: show.reduce(X, "mean", name="x"),
    "matmul": lambda: show.matmul(X, X.T, names=["a", "b"]),
    "matmul of a batch": lambda: show.matmul(np.ones((2, 2, 3)), X.T, names=["a", "b"]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_step_says_the_same_of_both_sides(name):
    figure = FIGURES[name]()
    for k in range(len(figure.frames)):
        forward, backward = (figure.state(k, toggles=side).sentence for side in ((), G))
        assert forward != backward
        assert not forward.startswith(("Backward", "g[")) and ".grad[" not in forward


@pytest.mark.parametrize("name", FIGURES)
def test_a_turned_step_lights_what_its_sentence_speaks_of(name):
    figure = FIGURES[name]()
    for k, frame in enumerate(figure.frames):
        if frame.link:
            here = G if G[0] in frame.toggles else ()
            there = () if here else G
            assert figure.state(k, toggles=there).sentence == figure.state(k, frame.link, there).sentence


@pytest.mark.parametrize("name", FIGURES)
def test_turned_over_a_step_has_all_of_the_other_side(name):
    figure = FIGURES[name]()
    for k, frame in enumerate(figure.frames):
        turned = figure.state(k, toggles=() if frame.toggles else G)
        assert not [id for id, worn in turned.classes.items() if "off" in worn or "waiting" in worn]


VALUES = {"reduce": "ar", "reduce of all": "ar"}


@pytest.mark.parametrize("name", VALUES)
def test_values_stay_where_they_are_and_gradients_stand_beside_or_below(name):
    figure = FIGURES[name]()
    places = {id: dict(shape.attrs)["transform"] for id, shape in figure.scene.index.items() if "cell" in shape.cls}
    assert len(set(places.values())) == len(places)
    seen = figure.svg(0, toggles=G)
    for id, shape in figure.scene.index.items():
        if "cell" in shape.cls and id.rstrip("0123456789") in VALUES[name]:
            assert f'id="{id}"' in seen and f'id="{id}"' in figure.svg(0, toggles=())
            assert "grad" not in shape.cls
    grads = [id for id, shape in figure.scene.index.items() if "grad" in shape.cls and id]
    assert grads and all(f'id="{id}"' in seen and f'id="{id}"' not in figure.svg(0, toggles=()) for id in grads)


@pytest.mark.parametrize("name", ["matmul", "matmul of a batch"])
def test_the_transposes_and_the_gradients_take_the_place_of_a_product(name):
    figure = FIGURES[name]()
    forward, backward = figure.svg(0, toggles=()), figure.svg(0, toggles=G)
    cells = {id: shape for id, shape in figure.scene.index.items() if "cell" in shape.cls}
    values = [id for id in cells if id.rstrip("0123456789") in ("a", "b", "c")]
    sides = {forward: values, backward: [id for id in cells if id not in values]}
    for side, other in ((forward, backward), (backward, forward)):
        assert sides[side] and all(f'id="{id}"' in side and f'id="{id}"' not in other for id in sides[side])
        places = {dict(cells[id].attrs)["transform"] for id in sides[side]}
        assert len(places) == len(sides[side])
    grads = {id.rstrip("0123456789") for id, shape in cells.items() if "grad" in shape.cls}
    assert grads == {"da", "db", "dc", "ec"}


def test_the_story_of_the_way_back_begins_with_empty_cells():
    figure = FIGURES["reduce"]()
    first = next(k for k, frame in enumerate(figure.frames) if frame.toggles)
    state = figure.state(first)
    assert [n for n in range(6) if "waiting" in state.classes.get(f"ga{n}", ())] == [*range(6)]
    assert "off" in state.classes["bars"] and "bars" not in figure.state(first + 1).classes


@pytest.mark.parametrize("name", FIGURES)
def test_text_asks_nobody_to_point(name):
    text = FIGURES[name]().text()
    assert not [line for line in text.splitlines() if re.search(r"^\d.*(point at|[Cc]lick|picture)", line)]


def test_the_matrix_product_turned_over():
    figure = FIGURES["matmul"]()
    said = [figure.state(k, toggles=G).sentence for k in range(3)]
    assert said == [
        "Backward: point at a number of a.grad or b.grad to see the row or column it meets.",
        "Backward: a.grad has the shape of a, (2, 3), and b.grad that of b, (3, 2).",
        "g[0, 0] = 3 goes to row 0 of a and column 0 of b.",
    ]
    assert figure.state(4, toggles=()).sentence == "Each cell of a @ b is a row of a times a column of b."


def test_an_operand_that_asks_for_no_gradient_beside_one_that_does_is_said_to():
    x, one, it = rf.ones(2, 2, requires_grad=True), rf.ones(2, 2), "one asks for none: here is what it would get."
    for figure in (show.broadcast(x, one, op="*"), show.matmul(one, x), show.op("where", x > 1, x, one)):
        assert any(line.endswith(it) for line in figure.sentences)
    nobody = ("asks for none: here is what it would get.", "ask for none: here is what they would get.")
    mean = show.reduce(one, "mean")
    for figure in (show.broadcast(one, 3, op="/"), show.matmul(one, one), show.op("exp", one), mean):
        assert any(line.endswith(nobody) for line in figure.sentences)
    array = np.ones((2, 2))
    for figure in (show.broadcast(x, 2.0, op="*"), show.matmul(x, x), show.reduce(x, "prod", 0),
                   show.broadcast(array, array), show.reduce(array, "prod", 0)):  # fmt: skip
        assert not any("would get" in line for line in figure.sentences)


def test_the_gradient_of_what_an_operation_made_is_not_called_its_grad():
    w = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    low, kept = w.amin(0), w * 2
    kept.retain_grad()
    figures = show.broadcast(w, low, op="-"), show.matmul(kept, low), show.reduce(low, "mean"), show.op("add", low, low)
    for figure in figures:
        states = [figure.state(link=id, toggles=G).sentence for links in figure.scene.links for id in links.links]
        told = " ".join([*figure.sentences, *states, figure.svg(0, toggles=G)])
        assert "d(low)" in told and "low.grad" not in told
        assert ("kept.grad" in told) == (figure is figures[1]) and "d(kept)" not in told
    assert "d(low) flows on into w.grad." in figures[0].sentences[-1]


@pytest.mark.parametrize("left, right", [
    ((1, 2, 3), (3, 2)), ((2,), (1, 2, 3)), ((1, 2, 3), (3,)), ((2, 3), (1, 3, 2)), ((2, 1, 2, 3), (1, 3, 1)),
])  # fmt: skip
def test_the_rules_of_a_product_run_and_give_the_gradients_with_their_shapes(left, right):
    a, b = rf.rand(*left, requires_grad=True), rf.rand(*right, requires_grad=True)
    g = rf.rand_like(a @ b)
    (a @ b).backward(g)
    rules = show.matmul(a, b, upstream=g).sentences[-1].removesuffix(".").partition(": ")[2].split(" and ")
    for rule in rules:
        grad, code = rule.split(" = ")
        assert eval(code).shape == eval(grad).shape and rf.allclose(eval(code), eval(grad)), rule


@pytest.mark.parametrize("op", ["+", "*", "/", "-"])
def test_the_rule_of_an_operand_that_lacks_axes_of_size_1_gives_its_shape(op):
    a, b = rf.rand(2, requires_grad=True), rf.rand(1, 1, 2, requires_grad=True)
    y = {"+": a + b, "*": a * b, "/": a / b, "-": a - b}[op]
    g = rf.rand_like(y)
    y.backward(g)
    rules = show.broadcast(a, b, op=op, upstream=g).sentences[-1].removesuffix(".").partition(": ")[2].split(" and ")
    for rule in rules:
        grad, code = rule.replace("what arrives", "g").split(" is ")
        assert eval(code).shape == eval(grad).shape and rf.allclose(eval(code), eval(grad)), rule


def test_a_leaf_in_a_list_keeps_its_grad():
    layers = [rf.ones(2, 2, requires_grad=True), rf.ones(2, 2)]
    assert "layers[0].grad = g @ layers[0].T + " in show.matmul(layers[0], layers[0]).sentences[-1]
    said = show.reduce(layers[1], "sum").state(link="a0", toggles=G).sentence
    assert said == "Its part of g: d(layers[1])[0, 0] = 3·1 = 3."


def cut_off(m):
    with rf.no_grad():
        kept = m.clone()
    return [m.detach(), m.detach().t(), m.data, kept, m.t().detach()]


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("turned", [False, True])
def test_nothing_flows_back_through_what_was_cut_off(which, turned):
    """Then all that a tensor gets comes from its own place."""
    m = rf.tensor([[2.0, -1.0], [0.5, 4.0]], requires_grad=True)
    cut = cut_off(m)[which]
    for figure, op in ((show.matmul, rf.matmul), (show.broadcast, rf.add)):
        shown = figure(cut, m, upstream=rf.ones(2, 2)) if turned else figure(m, cut, upstream=rf.ones(2, 2))
        m.grad = None
        (op(cut, m) if turned else op(m, cut)).backward(rf.ones(2, 2))
        parts = shown.state(link="b0" if turned else "a0", toggles=("g",)).sentence.rstrip(".").split(": ")
        [said] = [part for part in parts if part.startswith("m.grad[0, 0] = ")]
        assert said.endswith(f"= {m.grad[0, 0].item():g}")
        other = shown.state(link="a0" if turned else "b0", toggles=("g",)).sentence
        assert not any(word in f"{other} {shown}" for word in ("from this place", "one tensor"))


@pytest.mark.parametrize("asks", [True, False])
def test_what_flows_back_through_a_view_is_added(asks):
    m = rf.tensor([[2.0, -1.0], [0.5, 4.0]], requires_grad=asks)
    for figure in (show.matmul(m, m.t()), show.matmul(m.t(), m), show.matmul(m.exp(), m)):
        assert "both flow back to one tensor" in str(figure)
    assert " gets from this place " in show.broadcast(m, m.t()).state(link="a0", toggles=("g",)).sentence
    cut = show.matmul(m, m.t().detach()[:, :1])
    assert "m.grad = g @ " in str(cut)
    both = show.matmul(m, m.detach().t(), names=["p", "p.T"])
    assert ("one tensor" in str(both)) is not asks, "where nothing is asked for only the names tell"


@pytest.mark.parametrize("made", [np.mean, np.max, np.std])
def test_what_numpy_makes_a_number_of_sends_nothing_on(made):
    a = np.array([1.0, 4.0, 4.5])
    figure = show.broadcast(a, made(a), op="-")
    assert formula(figure.state(link="a1", toggles=G).sentence) == "a.grad[1] = 4."
    assert "flows on" not in str(figure) and "b has no gradient" in str(figure)


def test_no_gradient_of_0_has_a_sign():
    x = rf.tensor([0.5, -2.0], requires_grad=True)
    figure = show.broadcast(x[:, None], x, op="-", upstream=rf.tensor([[0.0, 1.0], [0.0, -2.0]]))
    assert "-0.0" not in figure.text() + "".join(figure.state(link=link, toggles=("g",)).sentence
                                               for links in figure.scene.links for link in links.links)  # fmt: skip

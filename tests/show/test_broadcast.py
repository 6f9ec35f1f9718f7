"""The broadcast figure: what it lights, what it sums, what it says; by hand, and against NumPy and the engine."""

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.errors import ArgumentTypeError, ArgumentValueError, ShapeError
from rustyflow.scene.figure import player
from rustyflow.show.broadcast.figure import scene_of
from rustyflow.show.source import source_of
from tests.show.seen import formula, lit, text

A, B = np.array([[10.0], [20.0], [30.0]]), np.array([1.0, 2.0, 3.0, 4.0])
UPSTREAM = np.array([[1, 0, 2, 1], [3, 1, 2, 1], [0, 1, 1, 2]])
G = ("g",)


@pytest.fixture(scope="module")
def sum_of_two():
    return show.broadcast(A, B, upstream=UPSTREAM, names=["a", "b"])


def test_a_result_cell_lights_the_numbers_it_reads_and_nothing_else(sum_of_two):
    # cell (1, 2) is number 6; a[1, 0] stands at (1, 0), b[2] at (0, 2); 6 again are the copies
    assert lit(sum_of_two, "r6") == {"r6", "a4", "a6", "b2", "b6"}
    state = sum_of_two.state(link="r6")
    assert state.sentence == "a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23."
    assert state.seen == "a[1, 0] and b[2] meet."  # the formula stands in the picture


def test_a_gradient_that_arrives_lights_what_it_sends_and_no_gradient_of_another_cell(sum_of_two):
    for id in ("r6", "gr6"):  # what is multiplied above, what is sent below
        assert lit(sum_of_two, id, toggles=G) == {"r6", "a6", "b6", "gr6", "ga6", "gb6", "sa4", "sb2"}
    for id in ("a6", "ga6"):
        assert lit(sum_of_two, id, toggles=G) == {"a6", "ga6", "gr6", "sa4"}


def test_a_stored_number_lights_all_its_readers(sum_of_two):
    assert lit(sum_of_two, "b2") == {"b2", "b6", "b10", "r2", "r6", "r10"}
    assert sum_of_two.state(link="b2").sentence == "b[2] = 3 is read 3 times, by (a + b)[0, 2], [1, 2], [2, 2]."


def test_a_copy_is_told_to_be_virtual(sum_of_two):
    assert lit(sum_of_two, "a6") == {"a6", "a4", "r6"}
    said = sum_of_two.state(link="a6").sentence
    assert said == "a's cell at [1, 2] is virtual: stride 0 along j · dim 1, reads a[1, 0] again."
    back = sum_of_two.state(link="a6", toggles=G).sentence
    assert back == "a's virtual cell at [1, 2] is sent 2, which is added to a.grad[1, 0]."
    classes = sum_of_two.scene.index["a6"].cls
    assert "virtual" in classes and "virtual" not in sum_of_two.scene.index["a4"].cls


def test_backward_writes_the_sum_out(sum_of_two):
    said = sum_of_two.state(link="a4", toggles=G).sentence
    assert said == "Summed over j · dim 1, the axis along which a was repeated: a.grad[1, 0] = 3 + 1 + 2 + 1 = 7."
    summed = {"a4", "ga4", "ga5", "ga6", "ga7", "gr4", "gr5", "gr6", "gr7", "sa4"}
    assert all(lit(sum_of_two, id, toggles=G) == summed for id in ("sa4", "ga4", "a4"))
    assert [text(sum_of_two, f"h{i}", link="b3", toggles=G) for i in range(4)] == [
        "b.grad[3] = ",
        "1 + 1 + 2",
        " = ",
        "4",
    ]


def test_the_sentence_of_a_step_that_is_turned_over_is_of_the_side_it_shows(sum_of_two):
    turned = [sum_of_two.state(k, toggles=G if k < 12 else ()) for k in range(20)]
    whole = "Backward: point at a gradient that arrives to see where it goes, at a number to see its sum."
    assert [state.sentence for state in turned] == [
        *[whole] * 4,
        "Backward: for a.grad, what flows back is summed over j, dim 1, the axis of the virtual cells.",
        "Backward: for b.grad, what flows back is summed over i, dim 0, the axis of the virtual cells.",
        *[whole] * 3,
        "g[0, 0] = 1, which arrives at this result cell, sends 1 to a.grad[0, 0], 1 to b.grad[0].",
        "g[1, 2] = 2, which arrives at this result cell, sends 2 to a.grad[1, 0], 2 to b.grad[2].",
        "Summed over j · dim 1, the axis along which a was repeated: a.grad[1, 0] = 3 + 1 + 2 + 1 = 7.",
        "a + b has shape (3, 4): each of its cells reads one number of a and b.",
        "a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.",
        *["a + b has shape (3, 4): each of its cells reads one number of a and b."] * 3,
        "a[1, 0] = 20 is read 4 times, by (a + b)[1, 0], [1, 1], [1, 2], [1, 3].",
        "b[2] = 3 is read 3 times, by (a + b)[0, 2], [1, 2], [2, 2].",
        "a + b has shape (3, 4): each of its cells reads one number of a and b.",
    ]


def test_the_steps_say_the_rules_one_by_one(sum_of_two):
    assert list(sum_of_two.sentences) == [
        "a + b has shape (3, 4): point at a cell of it to see what it reads, at one of a or b to see who reads it.",
        "a has shape (3, 1) and b has shape (4,): which of their numbers meet?",
        "Rule 1: write the shapes under each other from the right, last axis under last axis.",
        "Rule 2: where a shape has no axis left, put a 1 in front: b counts as (1, 4).",
        "Rule 3: along j, dim 1, a has size 1 and repeats 4 times: stride 0, nothing is copied.",
        "Rule 3: along i, dim 0, b has none, counts as 1 and repeats 3 times: stride 0, nothing is copied.",
        "So a + b has shape (3, 4): 7 numbers are stored, and read as 24. Both sides stretch: every pair is formed.",
        "a is read as (3, 4): its 3 numbers are each read 4 times, with stride 0 along j · dim 1; dashed is no copy.",
        "b is read as (3, 4): its 4 numbers are each read 3 times, with stride 0 along i · dim 0; dashed is no copy.",
        "Each cell of a + b reads one number of each: a[0, 0] and b[0] for the first.",
        "a[1, 0] and b[2] meet: (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.",
        "a[1, 0] is read by 4 cells of the result, along j · dim 1.",
        "Backward: each cell of a + b receives an upstream gradient, g.",
        "Each sends its share back to what it read: 2 to a.grad[1, 0], 2 to b.grad[2].",
        "a.grad[1, 0] so far: 3.",
        "a.grad[1, 0] so far: 3 + 1 = 4.",
        "a.grad[1, 0] so far: 3 + 1 + 2 = 6.",
        "a[1, 0] was read 4 times, so it gets the sum of 4 gradients: 7.",
        "b[2] was read 3 times, so it gets the sum of 3 gradients: 5.",
        "In all, a.grad sums what flows back over j · dim 1 and b.grad sums what flows back over i · dim 0: "
        "repeat forward, sum backward.",
    ]


def test_gradients_that_nobody_gave_are_said_to_be_made_up(sum_of_two):
    figure = show.broadcast(A, B, names=["a", "b"])
    made = [sentence for sentence in figure.sentences if "made up" in sentence]
    assert len(made) == 1 and made[0].endswith("g: numbers made up here, unless you give yours with upstream=.")
    assert "made up" in str(figure) and "made up" not in str(sum_of_two)


def test_an_operand_that_asks_for_no_gradient_is_told_none():
    x, b = rf.zeros(3, 4), rf.zeros(4, requires_grad=True)
    assert "x.grad" not in show.broadcast(x, b).sentences[-1] and "b.grad" in show.broadcast(x, b).sentences[-1]
    assert "x.grad is what arrives" in show.broadcast(x, b.detach()).sentences[-1]  # nobody asks: as if all did


def test_the_steps_show_what_they_say(sum_of_two):
    def hidden(frame, id):
        return "off" in sum_of_two.state(frame).classes.get(id, ())

    table = [hidden(1, id) for id in ("tb", "T1_0", "v0", "v1", "tr", "GR")]
    assert table == [True] * 6
    assert sum_of_two.state(1).sets["T1_1", "transform"] != sum_of_two.state(2).sets.get(("T1_1", "transform"))
    assert [hidden(k, "T1_0") for k in (2, 3)] == [True, False]
    assert [(hidden(k, "v1"), hidden(k, "v0")) for k in (3, 4, 5)] == [(True, True), (False, True), (False, False)]
    assert [hidden(k, "a5") for k in (6, 7)] == [True, False]  # a copy slides out of the number that it is
    assert sum_of_two.state(6).sets["a5", "transform"] == dict(sum_of_two.scene.index["a4"].attrs)["transform"]
    assert [hidden(k, "GR") for k in (8, 9)] == [True, False]
    assert "waiting" in sum_of_two.state(12).classes["ga5"] and "ga5" not in sum_of_two.state(13).classes
    assert "a5" not in sum_of_two.state(12).classes  # its value stays


def test_what_is_sent_lights_the_sums_that_wait_for_it(sum_of_two):
    def empty(frame):
        return [id for id in ("sa4", "sb2") if "waiting" in sum_of_two.state(frame).classes.get(id, ())]

    assert [empty(k) for k in (13, 14, 17, 18)] == [["sa4", "sb2"], ["sb2"], ["sb2"], []]
    sent = sum_of_two.state(13)
    assert {id for id, worn in sent.classes.items() if "lit" in worn} == {
        "r6", "a6", "b6", "gr6", "ga6", "gb6", "sa4", "sb2",
    }  # fmt: skip
    assert [("off" in sum_of_two.state(k).classes.get(id, ())) for id in ("S0", "S1") for k in (12, 13)] == [
        True, False, True, False,
    ]  # fmt: skip


def test_a_sum_grows_by_one_share_a_step(sum_of_two):
    steps = [sum_of_two.state(k) for k in (14, 15, 16)]
    assert [step.sets["nsa4", "text"] for step in steps] == ["3", "4", "6"]  # then 3 + 1 + 2 + 1
    assert "nsa4" not in {id for id, _ in sum_of_two.state(17).sets}
    assert [shape.text for shape in sum_of_two.scene.index["sa4"].children[1:]] == ["7"]
    come = [{id for id, worn in step.classes.items() if "lit" in worn and id[:2] == "ga"} for step in steps]
    assert come == [{"ga4"}, {"ga4", "ga5"}, {"ga4", "ga5", "ga6"}]
    assert sum_of_two.scene.frames[15].sends == (("ga5", "sa4"),)
    many = show.broadcast(np.ones((5, 2)), np.ones(2), names=["x", "b"], upstream=np.ones((5, 2)))
    assert not any("so far" in said for said in many.sentences)  # of more than four the whole is told at once


def test_the_table_says_who_repeats_and_what_is_stored(sum_of_two):
    about = sum_of_two.scene.about
    assert about[2:] == (
        "dim 0: b has none, counts as 1: it repeats, stride 0",
        "dim 1: a has 1: it repeats, stride 0",
        "a + b: shape (3, 4); 7 numbers stored, read as 24",
    )
    assert "virtual" in sum_of_two.scene.index["T1_0"].cls  # a missing axis is dashed
    assert "virtual" not in sum_of_two.scene.index["T0_1"].cls  # a 1 of its own is not


@pytest.mark.parametrize(
    ("op", "a_grad", "b_grad"),
    [
        ("+", "3 + 1 + 2 + 1 = 7", "2 + 2 + 1 = 5"),
        ("-", "3 + 1 + 2 + 1 = 7", "(-2) + (-2) + (-1) = -5"),
        ("*", "3·1 + 1·2 + 2·3 + 1·4 = 15", "2·10 + 2·20 + 1·30 = 90"),
        (np.divide, "3 / 1 + 1 / 2 + 2 / 3 + 1 / 4 ≈ 4.42", "(-2.22) + (-4.44) + (-3.33) ≈ -10"),
    ],
)
def test_each_operation_sends_back_its_own_products(op, a_grad, b_grad):
    figure = show.broadcast(A, B, op=op, upstream=UPSTREAM, names=["a", "b"])
    said = [figure.state(link=id, toggles=G).sentence for id in ("a4", "b2")]
    assert said[0].startswith("Summed over j") and formula(said[0]) == f"a.grad[1, 0] = {a_grad}."
    assert said[1].startswith("Summed over i") and formula(said[1]) == f"b.grad[2] = {b_grad}."


def test_the_rule_stands_in_the_names_of_the_program():
    figure = show.broadcast(A, B, op="mul", names=["w", "x"])
    turned = figure.svg(toggles=("g",))
    assert "w gets g * x" in turned and "x gets g * w" in turned


def test_the_program_speaks_its_own_words():
    x, w = rf.ones(2, 3), rf.arange(3.0)
    assert show.broadcast(x, w).scene.title == "x + w"
    assert show.broadcast(x, w[1:2], op=rf.mul).scene.title == "x * a,  a = w[1:2]"
    assert show.broadcast(x[:1], w).scene.title == "a + w,  a = x[:1]"
    a = w
    assert show.broadcast(x, a[1:2]).scene.title == "x + b,  b = a[1:2]"


def test_the_scene_needs_no_caller():
    scene = scene_of((source_of(A, "a"), source_of(B, "b")), "*")
    assert scene.title == "a * b"
    assert formula(scene.state(link="r6").sentence) == "(a * b)[1, 2] = a[1, 0] * b[2] = 20·3 = 60."


def test_three_operands_and_a_python_number():
    figure = show.broadcast(A, B, 2.0, names=["a", "b", "s"], upstream=UPSTREAM)
    assert formula(figure.state(link="r6").sentence) == "(a + b + s)[1, 2] = a[1, 0] + b[2] + s = 20 + 3 + 2 = 25."
    assert lit(figure, "r6") == {"r6", "a4", "a6", "b2", "b6", "c0", "c6"}
    said = figure.state(link="c0", toggles=G).sentence
    assert said == "s gets no gradient."
    assert "s has no gradient: it is a Python number." in figure.sentences
    figure = show.broadcast(A, B, np.array(2.0), names=["a", "b", "s"], upstream=UPSTREAM)
    said = figure.state(link="c0", toggles=G).sentence
    assert said.startswith("Summed over i · dim 0 and j · dim 1, the axes along which s was repeated: ")
    assert formula(said) == "s.grad = 1 + 0 + 2 + 1 + 3 + 1 + 2 + 1 + 0 + 1 + 1 + 2 = 15."


def test_an_operand_that_only_chooses_gets_no_gradient():
    figure = show.broadcast(A > 15, B, 0.0, op="where", names=["c", "a", "z"], upstream=UPSTREAM)
    assert figure.state(link="a4", toggles=G).sentence == "c[1, 0] gets no gradient."
    assert formula(figure.state(link="b2", toggles=G).sentence) == "a.grad[2] = 0 + 2 + 1 = 3."
    turned = figure.svg(toggles=G)
    assert ">c.grad<" not in turned and ">c: no gradient<" in turned


def test_a_comparison_has_no_way_back():
    figure = show.broadcast(A, B, op="lt")
    assert figure.scene.toggles == {}
    assert not any("when-g" in shape.cls for top in figure.scene.shapes for shape in top.walk())


def test_numbers_are_what_they_are():
    figure = show.broadcast(np.array([[np.nan], [-0.0]]), np.array([np.inf, 3.0]), op="*", names=["a", "b"])
    assert formula(figure.state(link="r3").sentence) == "(a * b)[1, 1] = a[1, 0] * b[1] = (-0)·3 = -0."
    assert figure.state(link="r2").sentence.endswith("= (-0)·inf = nan.")


def test_a_name_that_is_made_up_is_not_one_of_the_caller_s():
    a = "something else"
    assert show.broadcast(np.ones(3), np.ones(1)).scene.title.startswith("b + c"), a


def test_names_are_text():
    figure = show.broadcast(A, B, names=["<script>", "{0}"])
    assert "<script>" not in figure.svg() and figure.html().count("<script>") == 1  # the player's own
    said = formula(figure.state(link="r0").sentence)
    assert said == "(<script> + {0})[0, 0] = <script>[0, 0] + {0}[0] = 10 + 1 = 11."


@pytest.mark.parametrize("kind, op", [
    ("int64", "+"), ("bool", "&"), ("uint8", "maximum"), ("int32", "/"), ("float32", "=="), ("float64", "gt"),
])  # fmt: skip
def test_what_has_no_gradient_has_the_forward_side_alone(kind, op):
    a, b = np.array([[1], [0]], kind), np.array([1, 1, 1], kind)
    figure = show.broadcast(a, b, op=op, names=["a", "b"])
    assert not figure.scene.toggles and figure.scene.links
    assert not [word for word in ("grad", "ackward", "upstream") if word in figure.text()]
    with pytest.raises(ArgumentValueError, match="upstream"):
        show.broadcast(a, b, op=op, upstream=np.ones((2, 3)), names=["a", "b"])


def test_of_floats_and_whole_numbers_the_floats_alone_get_a_gradient():
    figure = show.broadcast(rf.ones(2, 1), rf.tensor([1, 2, 3]), op="*", names=["a", "b"])
    assert "b has no gradient: it is int64." in figure.sentences and "b.grad" not in figure.text()
    assert figure.state(link="a0", toggles=G).sentence.endswith(": a.grad[0, 0] = 1·1 + 4·2 + 2·3 = 15.")
    assert figure.state(link="b1", toggles=G).sentence == "b[1] gets no gradient."


@pytest.mark.parametrize("a, b", [(A, B), (rf.ones(2, 1, requires_grad=True), rf.ones(3))])
def test_a_lesson_can_show_the_forward_side_alone(a, b):
    figure = show.broadcast(a, b, backward=False, names=["a", "b"])
    assert not figure.scene.toggles and "ackward" not in figure.text() and "grad" not in figure.text()
    both = show.broadcast(a, b, names=["a", "b"])
    assert figure.state(link="r2").sentence == both.state(link="r2", toggles=()).sentence
    with pytest.raises(ArgumentTypeError):
        show.broadcast(a, b, backward=False, upstream=1.0)
    with pytest.raises(ArgumentTypeError):
        show.broadcast(a, b, backward="no")


def test_the_same_picture_from_pytorch():
    torch = pytest.importorskip("torch")
    ours = show.broadcast(rf.tensor(A), rf.tensor(B), names=["a", "b"], op="*")
    theirs = show.broadcast(torch.tensor(A), torch.tensor(B), names=["a", "b"], op=torch.mul)
    assert theirs.svg() == ours.svg() and theirs.text() == ours.text()


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ShapeError, match="upstream"):
        show.broadcast(A, B, upstream=np.ones(4))
    with pytest.raises(ArgumentValueError, match="matmul"):
        show.broadcast(np.ones((3, 1)), np.ones(4), op="matmul")
    with pytest.raises(ArgumentValueError, match="elementwise"):
        show.broadcast(A, B, op="frobnicate")
    with pytest.raises(ArgumentValueError, match="two or more"):
        show.broadcast(A)
    with pytest.raises(TypeError, match="list"):
        show.broadcast(A, [1, 2])


def test_a_figure_of_a_lesson_is_small():
    figure = show.broadcast(A, B, names=["a", "b"])
    assert len(figure.frames) == 20  # three steps of a sum among them
    assert len(figure.html()) - len(player()[1]) < 28_750


sizes = st.lists(st.integers(1, 3), max_size=4)


@st.composite
def shapes_that_fit(draw):
    result = draw(sizes)
    made = []
    for _ in range(draw(st.integers(2, 3))):
        keep = draw(st.integers(0, len(result)))
        own = result[len(result) - keep :]
        made.append(tuple(1 if draw(st.booleans()) else n for n in own))
    return made


@settings(max_examples=30)
@given(shapes_that_fit())
def test_links_agree_with_numpy(shapes):
    arrays = [
        np.arange(100 * k, 100 * k + int(np.prod(shape)), dtype=float).reshape(shape)
        for k, shape in enumerate(shapes, 1)
    ]
    names = ["a", "b", "c"][: len(arrays)]
    figure = show.broadcast(*arrays, names=names)
    assume("g" in figure.scene.toggles)  # cells too small for numbers have no backward side
    spread = [array.reshape(-1) for array in np.broadcast_arrays(*arrays)]
    result = np.broadcast_shapes(*shapes)
    upstream = [
        float(figure.state(0, f"r{n}", G).sentence.split(" = ")[1].split(",")[0]) for n in range(spread[0].size)
    ]
    for k, array in enumerate(arrays):
        at = list(np.ndindex(result))
        for own in np.ndindex(array.shape):
            readers = np.flatnonzero(spread[k] == array[own])
            lights = lit(figure, f"{names[k]}{readers[0]}")
            assert {int(id[1:]) for id in lights if id[0] == "r"} == set(readers.tolist())
            said = formula(figure.state(0, f"{names[k]}{readers[0]}", G).sentence)
            where = f"[{', '.join(map(str, own))}]" if own else ""
            total = sum(upstream[n] for n in readers)
            assert said.startswith(f"{names[k]}.grad{where} = ") and f"= {total:g}" in said
        for n, index in enumerate(at):
            assert f"{names[k]}{np.flatnonzero(spread[k] == spread[k][n])[0]}" in lit(figure, f"r{n}"), index


@settings(max_examples=25)
@given(st.sampled_from(["+", "-", "*", "/"]), st.integers(0, 2**32 - 1))
def test_the_copies_get_what_the_engine_sends(op, seed):
    rng = np.random.default_rng(seed)
    a, b, g = rng.uniform(1, 2, (3, 1)), rng.uniform(1, 2, 4), rng.normal(size=(3, 4))
    figure = show.broadcast(a, b, op=op, upstream=g, names=["a", "b"])
    x, y = rf.tensor(a, requires_grad=True), rf.tensor(b, requires_grad=True)
    result = {"+": x + y, "-": x - y, "*": x * y, "/": x / y}[op]
    steps = []
    rf.autograd.backward(result, rf.tensor(g), observer=steps.append)
    sent = {step.operand: step.contribution for step in steps if step.kind == "vjp"}
    for k, (name, leaf) in enumerate((("a", x), ("b", y))):
        for n in range(12):
            shown = float(figure.scene.index[f"g{name}{n}"].children[-1].text)
            assert shown == pytest.approx(sent[k].reshape(-1)[n], rel=0.01)
        first = f"s{name}0"
        assert float(figure.scene.index[first].children[-1].text) == pytest.approx(
            float(leaf.grad.reshape(-1)[0]), rel=0.01
        )


def test_a_product_sends_back_what_can_be_checked_without_the_numbers_on_the_other_side():
    figure = show.broadcast(A, B, op="mul", upstream=UPSTREAM, names=["a", "b"])
    said = figure.state(link="r6", toggles=G).sentence
    sent = "2·3 = 6 to a.grad[1, 0], 2·20 = 40 to b.grad[2]."
    assert said == f"g[1, 2] = 2, which arrives at this result cell, sends {sent}"
    assert f"Each sends its share back to what it read: {sent}" in figure.sentences
    long = show.broadcast(np.ones((1, 12)) / 3, A, op="mul", names=["a", "b"])
    said = formula(long.state(link="b0", toggles=G).sentence)
    assert "·" not in said  # twelve products would be too small to read


def test_turned_over_a_step_shows_all_of_the_other_side(sum_of_two):
    """And no step of the way there hides a number of the way back, nor the other way round."""
    whole = {id: shape.cls for id, shape in sum_of_two.scene.index.items()}
    for k, frame in enumerate(sum_of_two.frames):
        turned = sum_of_two.state(k, toggles=() if frame.toggles else G)
        hidden = [id for id, worn in turned.classes.items() if "off" in worn or "waiting" in worn]
        assert not hidden and not {at for at in turned.sets if at[1] != "text"}  # and nothing moves
        assert all(set(worn) - {"lit"} == set(whole[id]) - {"lit"} for id, worn in turned.classes.items())


def test_values_stay_where_they_are_what_arrives_takes_the_place_of_the_result_and_shares_stand_below(sum_of_two):
    def at(id):
        return tuple(map(float, dict(sum_of_two.scene.index[id].attrs)["transform"][10:-1].split()))

    for n in (0, 5, 11):
        assert at(f"gr{n}") == at(f"r{n}")
        for letter in "ab":
            x, (u, v) = at(f"{letter}{n}")[0], at(f"g{letter}{n}")
            assert x == u and v > at(f"{letter}11")[1] + 44
    turned, forward = sum_of_two.svg(toggles=G), sum_of_two.svg(toggles=())
    assert ">20<" in turned and ">23<" not in turned and ">dim 0<" not in turned
    assert ">23<" in forward and ">upstream g<" not in forward


def test_numbers_travel_from_what_is_read_and_gradients_back_on_the_same_way(sum_of_two):
    assert sum_of_two.scene.flows == {
        "": (("a", "r"), ("b", "r")), "g": (("gr", "ga"), ("gr", "gb"), ("ga", "sa"), ("gb", "sb")),
    }  # fmt: skip


def test_what_is_said_of_reading_is_not_said_of_gradients(sum_of_two):
    remark = "7 numbers stored, read as 24"
    assert remark in sum_of_two.svg() and remark not in sum_of_two.svg(toggles=("g",))


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("op", ["+", "*", "-", "/", "pow"])
@pytest.mark.parametrize("other", [(2, 3), (3,), ()])
def test_what_is_said_of_gradients_in_all_is_what_the_library_computes(library, op, other):
    lib = pytest.importorskip(library)
    x, w, g = lib.rand(2, 3) + 1, lib.rand(other) + 1, lib.ones(2, 3) * 2
    for pair, names in (((x, w), ["x", "w"]), ((x, x), ["x", "x"])):
        said = show.broadcast(*pair, op=op, names=names).sentences[-1]
        leaves = {name: value.detach().clone().requires_grad_() for name, value in zip(names, pair, strict=True)}
        a, b = (leaves[name] for name in names)
        {"+": a + b, "*": a * b, "-": a - b, "/": a / b, "pow": a**b}[op].backward(g)
        told = re.split(r" and (?=\w\.grad)|: |\.$", said)
        rules = [part.split(".grad is ") for part in told if ".grad is " in part]
        for name, rule in rules:
            if "sent" not in rule:
                found = g if rule == "what arrives" else eval(rule, {"g": g, "x": x, "w": w})
                assert np.allclose(found.numpy(), leaves[name].grad.numpy()), said
        assert rules or "x.grad" in said


def test_an_operand_that_stands_there_twice_gets_a_part_from_each_place():
    x = rf.tensor([1.0, 2.0])
    figure = show.broadcast(x, x, op="*")
    assert figure.sentences[-1].endswith("x.grad is g * x + g * x.")
    assert figure.state(link="a1", toggles=G).sentence.endswith(": x.grad[1] gets from this place 4·2 = 8.")


def test_a_gradient_of_an_expression_has_no_name_of_a_tensor_and_flows_on():
    w = rf.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    figure = show.broadcast(w, w[1], op="*")
    assert formula(figure.state(link="b1", toggles=G).sentence).startswith("d(w[1])[1] = ")
    assert formula(figure.state(link="a1", toggles=G).sentence).startswith("w.grad[0, 1] gets ")
    assert figure.sentences[-1].endswith("d(w[1]) flows on into w.grad.")
    assert ".grad[" not in show.matmul(w[0], w.detach() * 2).state(link="a0", toggles=G).sentence


def test_a_stored_number_that_is_cut_is_said_to_be_so():
    figure = show.broadcast(np.array([[1 / 7], [0.25]]), B, names=["a", "b"])
    assert figure.state(link="a0").sentence.startswith("a[0, 0] ≈ 0.143 is read 4 times")
    assert figure.state(link="a4").sentence.startswith("a[1, 0] = 0.25 is read 4 times")


def test_what_several_operands_read_is_stored_once():
    x = rf.tensor([3.0, 5.0, 7.0])
    part = x[1:]
    for operands, stored, read in (
        ((x, x), 3, 6), ((x, x[:, None]), 3, 18), ((part, x[:2]), 3, 4), ((x, rf.ones(3)), 6, 6),
        ((rf.tensor([2.0]).expand(4), rf.ones(2, 1)), 3, 16), ((x.as_strided((2, 2), (1, 1)), 2.0), 4, 8),
    ):  # fmt: skip
        assert f"{stored} numbers stored, read as {read}" in show.broadcast(*operands).text()
    big = np.broadcast_to(np.float32(1), (10**5, 10**5))
    assert "2 numbers stored" in show.broadcast(big, np.float32([2])).text()


def test_a_tensor_that_stands_there_twice_is_read_at_both_places():
    m = rf.tensor([[2.0, 3.0]])
    figure = show.broadcast(m, m, op="add")
    assert figure.state(link="a1").sentence == "m[0, 1] = 3 is read 2 times, by (m + m)[0, 1], at both its places."
    assert formula(figure.state(link="a1", toggles=G).sentence) == "m.grad[0, 1] gets from this place 4."
    column = m.view(2, 1)
    figure = show.broadcast(m, column, op="*")
    said = figure.state(link="a0").sentence
    assert said == "m[0, 0] = 2 is read 2 times as m, by (m * column)[0, 0], [1, 0]."
    assert formula(figure.state(link="a0", toggles=G).sentence).startswith("m.grad[0, 0] gets from this place ")
    three = show.broadcast(m, m, m)
    assert three.state(link="a0").sentence == "m[0, 0] = 2 is read 3 times, by (m + m + m)[0, 0], at all 3 its places."


def test_of_a_stride_of_its_own_each_number_is_counted_once():
    e = rf.tensor([2.0]).expand(3)
    said = show.broadcast(e, rf.ones(4, 1), op="*").sentences
    assert "e is read as (4, 3): its 3 cells are 1 number, read 12 times; dashed is no copy." in said
    two = rf.tensor([[1.0], [2.0]]).expand(2, 3)
    said = show.broadcast(two, rf.ones(2, 1, 1)).sentences
    assert "two is read as (2, 2, 3): its 6 cells are 2 numbers, read 12 times in all; dashed is no copy." in said


@pytest.mark.parametrize("recorded", [True, False])
def test_an_operand_of_which_another_is_made_gets_a_part_of_its_gradient_from_its_place(recorded):
    w = rf.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=recorded)
    for figure in (show.broadcast(w, w.amax(1, keepdim=True), op="-"), show.op("sub", w, w.amax(1, keepdim=True))):
        assert " w.grad[0, 0] =" not in figure.text() and "w.grad is what" not in figure.text()
        said = formula(figure.state(link="a0", toggles=("g",)).sentence)
        assert said.startswith("w.grad[0, 0] gets from this place ")
        assert "amax(1, keepdim=True)" in figure.scene.title.replace(",k", ", k")
    highest = w.detach().amax(1, keepdim=True)
    figure = show.broadcast(w, highest, op="-")
    assert formula(figure.state(link="a0", toggles=("g",)).sentence) == "w.grad[0, 0] = 1."


def test_cells_that_stride_0_reads_again_are_drawn_as_such_and_read_at_that_cell():
    lane = rf.tensor([[1.0], [4.0]]).expand(2, 3)
    figure = show.broadcast(lane, rf.tensor([[[1.0]], [[2.0]]]), op="+")
    drawn = {shape.id: shape.cls for top in figure.scene.shapes for shape in top.walk()}
    assert ["virtual" in drawn[f"a{n}"] for n in range(6)] == [False, True, True] * 2
    assert " is read 2 times at this cell, by " in figure.state(link="a1").sentence


def test_a_gradient_is_multiplied_with_1_where_a_mask_is_true():
    mask, a = rf.tensor([[True], [False]]), rf.tensor([[0.5, 2.0]], requires_grad=True)
    figure = show.broadcast(mask, a, op="mul")
    told = [figure.state(link=id, toggles=("g",)).sentence for links in figure.scene.links for id in links.links]
    told += [frame.sentence for frame in figure.frames]
    assert not any("·True" in says or "·False" in says for says in told) and any("·1" in says for says in told)


def test_numbers_have_as_many_digits_as_it_takes():
    a, b = np.array([1.07516, 2.0]), np.array([[0.11844], [1.5]])
    figure = show.broadcast(a, b, names="ab")
    assert figure.state(link="r0").sentence.endswith("= 1.075 + 0.1184 ≈ 1.19.")


@pytest.mark.parametrize("kind, a, b, op, told", [
    ("float64", 1, 5, "rsub", "5 - 1 = 4"), ("int64", 1, 2, "less", "1 < 2 = True"),
    ("float64", 7, 4, "fmod", "7 - 4·trunc(7 / 4) = 3"), ("int64", 12, 18, "gcd", "gcd(12, 18) = 6"),
    ("float64", -7, 2, "clamp_min", "maximum(-7, 2) = 2"), ("int64", 3, 0, "logical_and", "3 and 0 = False"),
    ("float64", 6, 4, "logical_xor", "xor(6, 4) = False"), ("uint8", 6, 3, "bitwise_and", "6 & 3 = 2"),
    ("float64", 1, 2, "isclose", "isclose(a[0], b[0]) = False"), ("int64", 7, -2, "%", "7 % (-2) = -1"),
    ("float64", -1.5, 0.5, "**", "(-1.5) ** 0.5 = nan"), ("bool", True, False, "/", "True / False = inf"),
    ("float64", 0, 0, "logaddexp", "log(exp(0) + exp(0)) ≈ 0.693"),
])  # fmt: skip
def test_a_cell_is_told_by_the_sign_of_the_program_or_the_rule_of_the_op_that_ran(kind, a, b, op, told):
    figure = show.broadcast(np.array([a], kind), np.array([b], kind), op=op, names=["a", "b"])
    assert figure.state(link="r0", toggles=()).sentence.endswith(f" = {told}.")


@pytest.mark.parametrize("op, operands, told", [
    ("where", ([[True], [False]], [1.0, 2.0], -np.inf),
     ["2 where False, else -inf = -inf", "1 where True, else -inf = 1"]),
    ("maximum", ([[1.0], [3.0]], [1.0, 2.0]), ["maximum(3, 2) = 3", "maximum(1, 2) = 2"]),
    ("clamp_min", ([7.0, -7.0], 0.0), ["maximum(-7, 0) = 0", "maximum(7, 0) = 7"]),
])  # fmt: skip
def test_where_an_operation_chooses_a_cell_of_each_kind_is_told(op, operands, told):
    figure = show.broadcast(*map(np.array, operands), op=op, names="abc"[: len(operands)])
    sentences = [sentence for sentence in figure.sentences if " = " in sentence and not sentence.startswith("Back")]
    assert [sentence.endswith(f" = {words}.") for sentence, words in zip(sentences, told)] == [True, True]


def test_blocks_are_lettered_by_the_axes_that_an_operand_has():
    figure = show.broadcast(np.zeros((2, 3, 1)), np.zeros(4), names=["a", "b"])
    before = next(k for k, said in enumerate(figure.sentences) if said.startswith("Rule 1"))
    assert [text(figure, id, before) for id in ("H0_0h", "H0_1h", "H1_0h", "H1_1h")] == ["i = 0", "i = 1", "", ""]
    read = next(k for k, said in enumerate(figure.sentences) if said.startswith("b is read as"))
    assert [text(figure, id, read) for id in ("H1_0h", "H1_1h")] == ["i = 0", "i = 1"]


def test_the_formula_is_as_large_as_the_numbers_with_air_above_it():
    figure = show.broadcast(np.zeros((3, 1)), np.zeros(4), names=["a", "b"])
    every = (shape for top in figure.scene.shapes for shape in top.walk())
    line = next(shape for shape in every if any(child.id == "f0" for child in shape.children))
    at = dict(line.attrs)
    tops = [float(dict(figure.scene.index[f"r{n}"].attrs)["transform"].split()[1][:-1]) for n in range(12)]
    assert at["font-size"] == 18 and at["y"] - 18 >= max(tops) + 44 + 12

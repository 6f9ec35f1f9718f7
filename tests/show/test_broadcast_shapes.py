"""Which shapes meet, what would make them meet, and how figures of every rank and size are drawn."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.show.kit import shapes as shown
from rustyflow.show.kit.alignment import Alignment
from rustyflow.show.kit.shapes import repairs
from tests.show.seen import formula


def test_a_clash_stays_drawn_and_offers_what_would_fit():
    figure = show.broadcast(rf.zeros(3, 4), rf.zeros(3), names=["a", "b"])
    said = list(figure.sentences)
    assert said[4] == "Along j, dim 1, 4 of a meets 3 of b: sizes must be equal or 1, so a + b is an error."
    assert said[6] == "b[:, None] or b.unsqueeze(1) has shape (3, 1), and then the result has shape (3, 4)."
    assert said[7] == "a.T has shape (4, 3), and then the result has shape (4, 3)."
    assert said[0].endswith("From the right, 4 meets 3 along j, dim 1: they clash.")
    for state in (figure.state(0), figure.state(4)):
        assert state.classes["T0_1"] == state.classes["T1_1"] == ("cell", "lit")
        assert "lit" not in state.classes.get("T0_0", ())
    assert not figure.state(0).sets  # aligned from the right at once


@pytest.mark.parametrize("a, b", [((3, 4), (3,)), ((2, 3, 4), (4, 3)), ((2, 3), (3, 2)), ((2, 3, 4), (2, 4, 5))])
def test_what_would_fit_runs_as_it_is_written_in_the_words_of_its_library(a, b):
    told = []
    for make in (np.ones, rf.ones):
        named = {"a": make(a), "b": make(b)}
        figure = show.broadcast(*named.values(), names=["a", "b"])
        for sentence in figure.sentences:
            if not (said := re.fullmatch(r"(.+) has shape (.+), and then the result has shape (.+)\.", sentence)):
                continue
            codes, found, result = said.groups()
            for code in codes.split(" or "):
                told.append(code)
                made = {**named, code[0]: eval(code, named)}
                assert str(tuple(made[code[0]].shape)) == found
                assert str(tuple((made["a"] + made["b"]).shape)) == result
    assert told or (a, b) == ((2, 3, 4), (2, 4, 5))


def test_what_would_fit_has_no_heading_before_there_is_something_under_it():
    figure = show.broadcast(np.zeros((3, 4)), np.zeros(3), names=["a", "b"])
    heading = ["off" not in figure.state(k).classes.get("xh", ()) for k in range(len(figure.frames))]
    first = ["off" not in figure.state(k).classes.get("x0", ()) for k in range(len(figure.frames))]
    assert heading == first and True in heading and False in heading


def test_shapes_that_no_single_change_mends_say_so():
    figure = show.broadcast(np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((4, 5)))
    assert figure.frames[-1].sentence == "No change of one tensor alone makes these shapes fit."


def test_a_loss_that_pairs_everything_is_warned_of():
    warned = "both sides stretch: every pair is formed"
    assert warned in show.broadcast(np.zeros((5, 1)), np.zeros(5)).svg()
    assert warned not in show.broadcast(np.zeros((5, 1)), np.zeros((5, 3))).svg()
    assert warned not in show.broadcast(np.zeros((5, 1)), np.zeros(1)).svg()


def test_of_three_operands_it_is_said_which_stretch():
    said = [frame.sentence[""] for frame in show.broadcast(np.ones(3), 2.0, np.ones((2, 1))).scene.frames]
    assert "Rule 3: along j, dim 1, b has none, counts as 1, c has size 1, and they repeat 3 times: stride 0, " \
        "nothing is copied." in said
    assert any(s.endswith(" a and c both stretch: every pair is formed.") for s in said)


def test_operands_that_share_an_axis_do_not_form_every_pair():
    figure = show.broadcast(np.zeros((2, 3, 1)), np.zeros((2, 1, 4)))
    assert "a and b stretch along different axes" in figure.svg() and "every pair" not in figure.svg()


@pytest.mark.parametrize("shapes", [((), ()), ((1,), ()), ((2, 1, 3, 1), (4,)), ((2, 3, 4), (3, 1)), ((0, 1), (4,))])
def test_every_rank_up_to_four_is_drawn(shapes):
    figure = show.broadcast(*(np.ones(shape) for shape in shapes))
    result = np.broadcast_shapes(*shapes)
    assert sum(id[0] == "r" and id[1:].isdigit() for id in figure.scene.index) == np.prod(result, dtype=int)


def test_shapes_alone_tell_the_same_rules_as_their_tensors():
    scene = shown.scene_of([(3, 1), (4,)], "*", ["w", "x"])
    figure = show.broadcast(np.ones((3, 1)), np.ones(4), op="mul", names=["w", "x"])
    assert scene.title == "w * x" and scene.about[0] == "w: shape (3, 1)" and scene.about[2:] == figure.scene.about[2:5]
    assert [frame.sentence for frame in scene.frames[1:]] == list(figure.sentences[1:7])
    clash = show.broadcast(rf.ones(3, 4), rf.ones(3), names=["a", "b"])
    alone = shown.scene_of([(3, 4), (3,)])
    assert alone.shapes == clash.scene.shapes
    assert [frame.sentence for frame in alone.frames] == list(clash.sentences)


def test_nine_axes_are_a_table_too():
    assert "So a + b has shape (1, 1, 1, 1, 1, 1, 1, 1, 2)" in show.broadcast(np.ones((1,) * 9), np.ones(2)).text()


@pytest.mark.parametrize("shape", [(1, 2, 1, 1, 3), (1,) * 8, (2, 1, 2, 1, 2, 1, 2, 1), (1, 1, 1, 1, 1, 5)])
def test_of_up_to_eight_axes_cells_are_drawn_where_all_but_four_are_of_size_1(shape):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    figure = show.broadcast(x, x[..., :1], names=["a", "b"])
    for n, index in enumerate(np.ndindex(shape)):
        at = ", ".join(map(str, index))
        said = formula(figure.state(link=f"r{n}", toggles=()).sentence)
        assert said.startswith(f"(a + b)[{at}] = a[{at}] + b[{at[:-1]}0] = ")
    strides = show.strides(x.T, names=["x"])
    for n, (index, value) in enumerate(np.ndenumerate(x.T)):
        where = f"x[{', '.join(map(str, index))}] is slot {int(value)}, value {int(value)}"
        assert strides.state(link=f"a{n}").sentence.startswith(where)


def figures_of(x):
    t = rf.tensor(x, requires_grad=True)
    yield show.strides(x, x.T, names=["x", "y"])
    yield show.strides(x.T, view=(-1,), names=["x"])
    yield show.strides(x, names=["x"])
    yield show.broadcast(x, x[..., :1] if x.ndim else x, names=["a", "b"])
    yield show.broadcast(x, np.ones(4), names=["a", "b"])
    yield show.reduce(x, "mean", name="x")
    yield show.backward((t * 2).sum())
    yield show.graph((t * 2).sum())
    if x.ndim:
        yield show.matmul(x, x, names="ab")
    if x.size <= 64:
        yield show.op("exp", x, names="x")


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 5, 7, 8, 9, 12, 13, 20, 33, 64])
def test_any_rank_is_drawn_or_told(rank):
    for shape in [(1,) * rank, (1,) * (rank - 1) + (3,) * (rank > 0), (2,) * min(rank, 9) + (1,) * (rank - 9)]:
        for figure in figures_of(np.ones(shape)):
            assert len(figure.text()) < 200_000 and figure.state(0).sentence
            assert figure.svg(0)


def test_rank_five_is_a_table():
    figure = show.broadcast(np.ones((2, 2, 2, 2, 2)), np.ones(2))
    assert "So a + b has shape (2, 2, 2, 2, 2)" in figure.text() and "r0" not in figure.scene.index


def test_many_cells_become_colour_and_too_many_their_ends():
    def drawn(figure):
        cells = [shape for id, shape in figure.scene.index.items() if id[0] == "r" and id[1:].isdigit()]
        return len(cells), cells[0].cls[0]

    assert drawn(show.broadcast(np.ones((8, 1)), np.ones(8))) == (64, "cell")
    assert drawn(show.broadcast(np.ones((32, 1)), np.ones(32))) == (1024, "dot")
    assert drawn(show.broadcast(np.ones((33, 1)), np.ones(64))) == (36, "cell")


def test_a_hundred_million_cells_cost_what_is_drawn():
    big = np.broadcast_to(np.float32(1), (10_000, 10_000))
    tracemalloc.start()
    figure = show.broadcast(big, np.arange(10_000.0), names=["X", "mu"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24  # with what the first figure imports
    assert "Backward, each number of mu is sent 10,000 gradients, and gets their sum." in figure.text()


sizes = st.lists(st.integers(1, 3), max_size=4)


@given(st.lists(sizes.map(tuple), min_size=1, max_size=3))
def test_alignment_is_numpy_s(shapes):
    met = Alignment(tuple(shapes))
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        expected = None
    assert met.shape == expected


@given(st.lists(st.lists(st.integers(2, 4), max_size=3).map(tuple), min_size=2, max_size=2))
def test_every_repair_is_legal_and_gives_the_shape_it_says(shapes):
    if Alignment(tuple(shapes)).shape is not None:
        return
    offered = repairs(tuple(shapes))
    assert offered
    for repair in offered:
        arrays = [np.zeros(shape) for shape in shapes]
        code = repair.codes[0].format("x").replace("transpose", "swapaxes").replace("permute", "transpose")
        arrays[repair.operand] = eval(code, {"x": arrays[repair.operand]})
        assert arrays[repair.operand].shape == repair.shapes[repair.operand]
        assert np.broadcast_shapes(*(array.shape for array in arrays)) == repair.result


@pytest.mark.parametrize("shapes", [((3, 1), (4,)), ((2, 3), (3,)), ((3, 3), (3, 1)), ((2, 2, 2), (2,))])
def test_fractions_of_a_small_figure_are_as_large_as_words(shapes):
    random = np.random.default_rng(0)
    a, b = (np.round(random.uniform(0.1, 0.9, shape), 3) for shape in shapes)  # 1.234: five characters
    figure = show.broadcast(a, b, names=["a", "b"])
    cells = {id: shape for id, shape in figure.scene.index.items() if "cell" in shape.cls and id[0] in "abrs"}
    sizes = [dict(part.attrs)["font-size"] for cell in cells.values() for part in cell.children if part.tag == "text"]
    assert min(sizes) >= 14
    boxes = []
    for cell in cells.values():
        x, y = map(float, dict(cell.attrs)["transform"].removeprefix("translate(").removesuffix(")").split())
        box = dict(cell.children[0].attrs)
        boxes.append((x, y, x + box["width"], y + box["height"]))
    assert max(right for _, _, right, _ in boxes) <= figure.scene.width - 24 <= 1080
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert all(right <= a or c <= left or bottom <= b or d <= top for a, b, c, d in boxes[:k])


def height(figure, side):
    tall = figure.scene.height
    return tall[side] if isinstance(tall, dict) else tall


@pytest.mark.parametrize("a, b", [((3, 1), (4,)), ((2, 3), (3,)), ((4, 6), (6,)), ((3, 3), (3, 1)), ((3, 4), (3, 4))])
def test_both_sides_of_a_figure_of_a_lesson_are_low_and_its_cells_have_their_sizes(a, b):
    figure = show.broadcast(np.ones(a), np.ones(b), op="*", names=["a", "b"])
    assert max(height(figure, ""), height(figure, "g")) <= 400 and figure.scene.width <= 1104
    sizes = {dict(shape.children[0].attrs)["height"] for id, shape in figure.scene.index.items() if id[0] in "abrs"
             and "cell" in shape.cls}  # fmt: skip
    assert sizes in ({44}, {32})


@pytest.mark.parametrize("a, b", [((2, 1, 3, 1), (2, 1, 4)), ((8, 8), (8,)), ((16, 1), (12,)), ((300, 1), (400,))])
def test_a_larger_figure_grows_no_higher_than_a_screen(a, b):
    figure = show.broadcast(np.ones(a), np.ones(b), op="*", names=["a", "b"])
    assert max(height(figure, ""), height(figure, "g")) <= 560 and figure.scene.width <= 1104


def test_marks_are_explained_in_sentences_and_by_no_legend():
    a, b = np.array([[0.125], [0.75], [0.333]]), np.array([0.312, 1.5, 0.125, 0.875])
    figure = show.broadcast(a, b, names=["a", "b"])
    assert "solid" not in figure.svg(0) and any("dashed" in sentence for sentence in figure.sentences)


def test_what_was_repeated_and_has_no_gradient_is_not_said_to_stand_still():
    x, e, n = rf.tensor([1.0, 2.0, 4.0]), rf.tensor(-3), rf.tensor([[1], [2]])
    said = str([frame.sentence for frame in show.broadcast(x, e, op="**").frames])
    assert "Backward: along i, dim 0, e was repeated, but it gets no gradient." in said
    assert "e gets no gradient, so no axis is summed" in said and "othing was repeated" not in said
    said = str([frame.sentence for frame in show.broadcast(x, n).frames])
    assert "Backward: along j, dim 1, n was repeated, but it gets no gradient." in said
    assert "othing was repeated" in str([frame.sentence for frame in show.broadcast(x, x * 2).frames])


def test_where_an_axis_has_size_0_nothing_is_read_again():
    for shapes in ([(0, 1), (4,)], [(2, 1), (2, 0)], [(1,), (0,)]):
        text = show.broadcast(*map(rf.zeros, shapes), names=["a", "b"]).text()
        assert "has no cells, so nothing is read." in text
        assert not any(words in text for words in ("read again", "stride 0", "every number of one", "every pair"))


def test_a_whole_number_to_a_negative_power_is_rounded_toward_0_and_said_so():
    figure = show.broadcast(rf.tensor([2, 1, -1, -3]), rf.tensor(-1), op="**", names=["a", "b"])
    told = [figure.state(link=f"r{n}").sentence.partition(" = trunc")[2] for n in range(4)]
    assert told == ["(2 ** (-1)) = 0.", "(1 ** (-1)) = 1.", "((-1) ** (-1)) = -1.", "((-3) ** (-1)) = 0."]


def test_three_that_stretch_along_axes_that_some_of_them_share_are_not_said_to_differ_in_all():
    told = show.broadcast(rf.ones(3, 1, 1), rf.ones(3, 2, 1), rf.ones(1, 1, 4)).text()
    assert "a, b and c do not all stretch along the same axes" in told and "different axes" not in told

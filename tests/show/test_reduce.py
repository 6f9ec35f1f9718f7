"""The reduction figure: which cells make which result, what is left of the shape, how a gradient fans out."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.claims.claim import equation
from rustyflow.claims.digits import spell
from rustyflow.show.source import exact
from tests.show.seen import formula, lit

X = np.array([[1.0, 5.0, 2.0, 4.0], [3.0, 3.0, 0.0, 1.0], [2.0, 2.0, 9.0, -1.0]])
G = ("g",)


def test_a_result_lights_its_lane_and_a_cell_its_result():
    rows = show.reduce(X, "sum", 1, name="x")
    assert lit(rows, "r1") == {"r1", "a4", "a5", "a6", "a7"}
    assert rows.state(link="r1").sentence == "4 cells along j become one number: x.sum(axis=1)[1] = 3 + 3 + 0 + 1 = 7."
    columns = show.reduce(X, "mean", 0, name="x")
    assert lit(columns, "r1") == {"r1", "a1", "a5", "a9"}
    said = columns.state(link="r1").sentence
    assert said == "3 cells along i become one number: x.mean(axis=0)[1] = (5 + 3 + 2) / 3 ≈ 3.33."
    assert lit(columns, "a6") == {"a6", "r2"}


@pytest.mark.parametrize("shape, dim", [((4, 3, 5), (0, 2)), ((3, 14), 1), ((2, 3, 4, 5), (1, 3)), ((1, 20), (0, 1))])
def test_badges_of_kept_axes_stand_within_the_figure(shape, dim):
    figure = show.reduce(np.ones(shape, np.float32), "logsumexp", dim, keepdim=True, name="x")
    found = re.findall(r'class="badge [^"]*" transform="translate\(([\d.]+)', figure.svg())
    places = [float(x) for x in found]
    assert len(places) > len(shape) and max(places) + 42 <= figure.scene.width


def test_keepdim_leaves_the_slot():
    figure = show.reduce(X, "sum", 1, keepdim=True, name="x")
    assert figure.state(link="r2").sentence.endswith(": x.sum(axis=1, keepdims=True)[2, 0] = 2 + 2 + 9 + (-1) = 12.")
    assert figure.text().splitlines()[2] == "  x.sum(axis=1, keepdims=True): shape (3, 1)"


def test_an_axis_that_is_kept_stands_as_1_beside_the_results_and_one_that_is_not_is_told_to_disappear():
    kept, gone = show.reduce(X, "sum", 1, keepdim=True, name="x"), show.reduce(X, "sum", 1, name="x")
    assert ">dim 1 stays as 1<" in kept.svg() and ">1</text></g>" in kept.svg()
    assert ">dim 1 disappears<" in gone.svg() and ">dim 0<" in gone.svg()


def test_results_lie_down_in_a_line_at_the_end_and_a_kept_axis_is_a_cell_that_stays_in_its_row():
    def places(figure):
        frame = next(k for k, said in enumerate(figure.sentences) if "has become" in said)
        index, sets = figure.scene.index, figure.state(frame).sets
        at = [sets.get((id, "transform"), dict(index[id].attrs)["transform"]) for id in ("r0", "r1", "r2")]
        return [tuple(map(float, place[10:-1].split())) for place in at]

    (x, y), *others = places(show.reduce(X, "sum", 1, name="x"))
    assert others == [(x + 46, y), (x + 92, y)]  # (3,): no rows are left
    kept = places(show.reduce(X, "sum", 1, keepdim=True, name="x"))
    assert kept == [(x, y), (x, y + 46), (x, y + 92)]  # (3, 1): a cell in each row
    below = places(show.reduce(X, "sum", 0, name="x"))
    assert len({height for _, height in below}) == 1


@pytest.mark.parametrize("shape, dim", [((3, 4), 1), ((3, 4), 0), ((4, 6), 1), ((8, 8), 1), ((3, 4), None), ((5,), 0)])
def test_of_a_lesson_gradients_stand_beside_the_values_and_all_is_low(shape, dim):
    scene = show.reduce(np.arange(float(np.prod(shape))).reshape(shape), "sum", dim, name="x").scene
    at = {id: dict(scene.index[id].attrs)["transform"][10:-1].split() for id in ("a0", "ga0", "r0", "gr0")}
    assert at["a0"][1] == at["ga0"][1] and at["r0"][1] == at["gr0"][1] and float(at["ga0"][0]) > float(at["a0"][0])
    assert max(scene.height.values()) <= 400 and scene.width <= 1104
    assert scene.flows == {"": (("a", "r"),), "g": (("gr", "ga"),)}


@pytest.mark.parametrize("shape, dim", [((12, 16), 0), ((2, 2, 3, 4), (0, 2)), ((16, 16), 1), ((300, 400), 1)])
def test_what_is_larger_is_no_higher_than_a_screen(shape, dim):
    scene = show.reduce(np.ones(shape), "sum", dim, name="x").scene
    assert max(scene.height.values() if isinstance(scene.height, dict) else [scene.height]) <= 560


def test_the_steps():
    said = list(show.reduce(X, "sum", 1, name="x").sentences)
    assert said[1:3] == [
        "Along j · dim 1, x has 3 lanes of 4 cells.",
        "4 cells along j become one number: x.sum(axis=1)[0] = 1 + 5 + 2 + 4 = 12.",
    ]
    assert said[5] == "(3, 4) has become (3,): j · dim 1 is gone; keepdims=True would leave it, with size 1."
    assert said[7:] == [
        "g[0] = 3 fans out over its lane, times 1: [3, 3, 3, 3].",
        "Gradient in: 6; gradient out: 24: reduce forward, expand backward.",
    ]


@pytest.mark.parametrize(
    ("op", "got"),
    [("sum", "1, 1, 1, 1"), ("mean", "0.25, 0.25, 0.25, 0.25"), ("amax", "0.5, 0.5, 0, 0"), ("max", "1, 0, 0, 0")],
)
def test_one_gradient_fans_out(op, got):
    figure = show.reduce(X, op, 1, upstream=np.array([2.0, 1.0, 1.0]), name="x")
    assert figure.state(link="r1", toggles=G).sentence == f"g[1] = 1 fans out over its 4 cells: [{got}]."


@pytest.mark.parametrize("op, dim, result", [("norm", None, "5"), ("norm", 0, "5"), ("median", None, "-0.5"),
                                             ("any", None, "True"), ("argmax", 0, "0")])  # fmt: skip
def test_every_reduction_is_asked_for_its_dim_by_name_and_has_a_way_back_if_there_is_one(op, dim, result):
    figure = show.reduce(np.array([3.0, -4.0]), op, dim, name="x")
    assert figure.state(link="r0").sentence.endswith(f" = {result}.")
    assert bool(figure.scene.toggles) == (op in ("norm", "median"))


def test_ties_are_told():
    shared = show.reduce(X, "amax", 1, name="x").text()
    assert "x[1, 0] and x[1, 1] are equal: amax shares the gradient equally." in shared
    given = show.reduce(X, "max", 1, name="x").text()
    assert "x[1, 0] and x[1, 1] are equal: max gives the gradient to one of them." in given


def test_sums_give_out_more_than_comes_in_and_means_as_much():
    assert "Gradient in: 10; gradient out: 30" in show.reduce(X, "sum", 0).text()
    assert "Gradient in: 10; gradient out: 10" in show.reduce(X, "mean", 0).text()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3, 4), (2, 1, 3, 2)])
@pytest.mark.parametrize("op", ["sum", "mean", "logsumexp"])
def test_any_rank_and_empty(shape, op):
    show.reduce(np.ones(shape), op, tuple(range(len(shape)))).text()
    show.reduce(np.ones(shape), op, -1 if shape else None).svg()


def test_a_hundred_million_cells_cost_what_is_drawn():
    tracemalloc.start()
    figure = show.reduce(np.broadcast_to(np.float32(1), (10_000, 10_000)), "sum", 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24  # with what the first figure imports
    assert figure.scene.toggles == {}


def test_the_same_picture_from_pytorch():
    torch = pytest.importorskip("torch")
    ours, theirs = show.reduce(rf.tensor(X), "sum", 1, name="x"), show.reduce(torch.tensor(X), torch.sum, 1, name="x")
    assert ours.svg() == theirs.svg()


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(IndexError):
        show.reduce(X, "sum", 2)
    with pytest.raises(ValueError, match="reduction"):
        show.reduce(X, "nonsense", 1)
    with pytest.raises(RuntimeError, match="upstream"):
        show.reduce(X, "sum", 1, upstream=np.ones(2))
    with pytest.raises(TypeError, match="NumPy's word"):
        show.reduce(X, "sum", 1, axis=1)
    with pytest.raises(TypeError, match="in quotes"):
        show.reduce(X, name=3)
    with pytest.raises(ValueError, match="no gradients"):
        show.reduce(X.astype(int), upstream=np.ones(()))


def test_whole_numbers_have_no_backward_side():
    figure = show.reduce(np.arange(6).reshape(2, 3), "sum", axis=1)
    assert not figure.scene.toggles and not any("Backward" in sentence for sentence in figure.sentences)


@pytest.mark.parametrize("rank", [5, 16, 64])
def test_of_many_axes_the_shapes_are_told(rank):
    x = rf.ones((2, 3, *[1] * (rank - 2))) if rank < 64 else rf.ones([1] * 64)
    assert f"becomes ({', '.join(map(str, x.shape[:-1]))})" in show.reduce(x, "sum", -1).sentences[0]


def test_lanes_that_are_not_drawn_are_counted():
    assert "has 100 lanes of 1,000 cells" in show.reduce(np.ones((100, 1000)), "sum", 1).sentences[1]


@settings(max_examples=30)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4), st.sampled_from(["sum", "mean", "prod", "amax"]),
    st.data(), st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_lanes_are_numpy_s(shape, op, data, seed):
    dims = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    dims = tuple(sorted(dims)) if op != "prod" else (min(dims),)
    x = np.random.default_rng(seed).integers(1, 9, shape).astype(float)
    figure = show.reduce(x, op, dims if len(dims) > 1 else dims[0], name="x")
    numbers = np.arange(x.size).reshape(shape)
    lanes = np.moveaxis(numbers, dims, range(-len(dims), 0)).reshape(-1, int(np.prod([shape[d] for d in dims])))
    expected = getattr(np, op)(x, axis=dims).reshape(-1)
    for m, lane in enumerate(lanes):
        assert lit(figure, f"r{m}") == {f"r{m}", *(f"a{n}" for n in lane)}
        total = re.split(r" [=≈] ", figure.state(0, f"r{m}").sentence)[-1].rstrip(".")
        assert total == spell(float(expected[m]))


def test_one_gradient_comes_and_two_axes_are_gone():
    said = show.reduce(np.ones((2, 3)), name="x").sentences
    assert "Backward: 1 upstream gradient comes, for the one result." in said
    assert any("i · dim 0 and j · dim 1 are gone." in line for line in said)


def test_keepdim_is_spoken_of_only_where_the_call_takes_one():
    x = rf.ones(2, 3, 2)
    would = "i · dim 0 and k · dim 2 are gone; keepdim=True would leave them, with size 1."
    assert any(would in line for line in show.reduce(x, "amax", (0, 2)).sentences)
    for figure in (show.reduce(x, "prod"), show.reduce(x, "median"), show.reduce(x, "count_nonzero", 1)):
        assert not any("keepdim" in line for line in figure.sentences)


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 2, 3)])
@pytest.mark.parametrize("op", ["sum", "mean", "amax", "max", "median", "logsumexp", "prod", "std"])
@pytest.mark.parametrize("dim, keepdim", [(None, False), (0, False), (-1, True)])
def test_the_title_runs_and_gives_what_is_shown(library, shape, op, dim, keepdim):
    lib = pytest.importorskip(library)
    x = lib.arange(float(np.prod(shape))).reshape(shape)
    figure = show.reduce(x, op, dim, keepdim)
    found = eval(figure.scene.title, {"x": x})
    assert f"{figure.scene.title}: shape {tuple(found.shape)}" in figure.text()
    shown = [figure.state(link=f"r{n}").sentence.rpartition(" ")[2][:-1] for n in range(found.numel())]
    assert [float(n) for n in shown] == pytest.approx(found.reshape(-1).tolist(), rel=0.01)


def test_of_equal_cells_max_shares_only_where_it_is_asked_for_no_dim():
    x = rf.tensor([1.0, 2.0, 2.0])
    for dim, rule, got in ((None, "shares the gradient", "[0, 1.5, 1.5]"), (0, "to one of them", "[0, 3, 0]")):
        text = show.reduce(x, "max", dim).text()
        assert rule in text and f": {got}." in text
        leaf = x.clone().requires_grad_()
        (leaf.max() if dim is None else leaf.max(dim=dim).values).backward(rf.tensor(3.0))
        assert equation("", leaf.grad.tolist()) == got


def test_what_rounding_leaves_of_a_sum_is_not_told():
    assert "gradient out: 0:" in show.reduce(np.array([1.0, 2.0, 4.0], np.float32), "var", 0).text()


@pytest.mark.parametrize("op", ["cumsum", "softmax", "aminmax", "var_mean", "sort"])
def test_what_keeps_the_shape_or_has_several_results_is_refused_with_what_shows_it(op):
    with pytest.raises(ValueError, match=rf"each lane becomes one number[^$]*show\.op\(rf\.{op}"):
        show.reduce(rf.ones(2, 3), op, 1)


def test_words_fit_what_is_reduced():
    x = rf.tensor([[-1.0, 0.0, 3.0], [2.0, 2.0, -5.0]])
    said = show.reduce(x, "count_nonzero", 1).sentences
    assert "x.count_nonzero(dim=1)[0] = count_nonzero(-1, 0, 3) = 2." in map(formula, said)
    assert (x != 0).sum(dim=1).tolist() == x.count_nonzero(dim=1).tolist() == [2, 3]
    assert "x.amin(dim=0)[2] = amin(3, -5) = -5." in map(formula, show.reduce(x, "amin", 0).sentences)
    y = rf.tensor(4.0)
    assert show.reduce(y, "sum").state(link="r0").sentence == "1 cell becomes one number: y.sum() = 4."
    figure = show.reduce(x, "mean", 1)
    assert figure.state(link="ga4", toggles=("g",)).sentence == "Its part of g[1]: x.grad[1, 1] = 1 / 3 ≈ 0.333."


@pytest.mark.parametrize("shape, op, dim, said", [
    ((0, 2), "sum", 0, "2 lanes of no cells, and of nothing sum makes 0"), ((0,), "prod", 0, "nothing prod makes 1"),
    ((2, 0), "mean", 1, "of nothing mean makes nan"), ((2, 0), "sum", 0, "there is nothing to reduce"),
])
def test_what_is_made_of_no_cells_is_told(shape, op, dim, said):
    (sentence,) = show.reduce(rf.ones(shape), op, dim).sentences
    assert said in sentence and "point at" not in sentence


@pytest.mark.parametrize("shape, dim", [((16, 16), 1), ((16, 16), 0), ((2, 4, 6), 2), ((12,), 0), ((4, 3, 5), (0, 2))])
def test_all_cells_stand_in_the_drawing_and_none_on_another(shape, dim):
    scene = show.reduce(np.random.default_rng(3).normal(size=shape) / 3, "logsumexp", dim).scene
    for side in ("", "g"):
        boxes = places(scene, side)
        assert max((right for _, _, right, _ in boxes), default=0) <= scene.width - 24 <= 1080
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
                       for n, a in enumerate(boxes) for b in boxes[:n])  # fmt: skip


def places(scene, side):
    """The boxes of the cells that one side has alone."""
    boxes = []
    for id, shape in scene.index.items():
        if re.fullmatch(rf"{side}(a|r)\d+", id):
            rect = dict(shape.children[0].attrs if shape.children else shape.attrs)
            move = dict(shape.attrs).get("transform")
            x, y = (float(n) for n in move[10:-1].split()) if move else (rect["x"], rect["y"])
            boxes.append((x, y, x + rect["width"], y + rect["height"]))
    return boxes


def test_a_letter_that_the_program_lacks_is_said_to_stand_for_an_expression():
    v = rf.ones(2, 3)
    figure = show.reduce(v.unsqueeze(0).transpose(1, 2), "sum", 2)
    said = "x = v.unsqueeze(0).transpose(1, 2)"
    assert figure.scene.about[0] == f"{said}: shape (1, 3, 2), float32"
    assert figure.sentences[0].endswith(f" Here {said}.")
    assert "Here" not in show.reduce(v, "sum", 1).text() and " = v.T" not in show.reduce(v.T, "sum", 1).text()
    x = v.unsqueeze(0)
    assert "y = v.unsqueeze(0).clone().abs()" in show.reduce(v.unsqueeze(0).clone().abs(), "sum").text() and x.ndim == 3


def test_arrays_and_numpys_functions_divide_by_n():
    x = np.array([[1.0, 4.0, 4.0, 7.0], [0.0, 2.0, 2.0, 9.0]])
    t = rf.tensor(x)
    for figure, means, code in (
        (show.reduce(x, np.std, 1), np.std(x, 1), "x.std(axis=1)"),
        (show.reduce(x, "var", axis=1), np.var(x, 1), "x.var(axis=1)"),
        (show.reduce(t, np.var, 1), np.var(x, 1), "t.var(dim=1, correction=0)"),
        (show.reduce(x, rf.var, 1), rf.var(t, 1), "x.var(axis=1, ddof=1)"),
        (show.reduce(t, "std", 1), t.std(1), "t.std(dim=1)"),
    ):
        said = figure.state(link="r1").sentence
        assert float(said.split()[-1].strip(".")) == pytest.approx(float(means[1]), rel=0.01), said
        assert formula(said).startswith(f"{code}[1] = ")
    given = show.reduce(x, "var", 1, upstream=np.ones(2)).state(link="r1", toggles=("g",)).sentence
    assert show.reduce(np.array([5.0, 1.0]), "std").state(link="r0").sentence.endswith("std(5, 1) = 2.")
    assert "-0.625, -0.625" in given  # (x - 3.25) * 2 / 4


def test_what_of_one_number_without_axes_is_another_number_is_computed():
    one = rf.tensor(-3.0)
    want = {"norm": "3", "count_nonzero": "1", "sum": "-3", "argmax": "0", "max": "-3", "logsumexp": "-3"}
    for op, value in want.items():
        said = show.reduce(one, op, name="one").state(link="r0").sentence
        assert said.endswith(f" {value}."), said
    for op in ("var", "std", "norm"):  # by n - 1, which is 0
        assert show.reduce(one, op, name="one").state(link="r0").sentence.endswith(("nan.", " 3."))
    said = show.reduce(np.array(5.0), "std", name="c").state(link="r0").sentence
    assert said == "1 cell becomes one number: c.std() = np.std(5) = 0."


def test_of_an_array_it_is_told_what_numpy_writes_and_computes():
    a = np.array([[5.0, 2.0, 9.0, 1.0], [3.0, 3.0, np.nan, 1.0]])
    for op, asked, code in (
        (np.median, {"axis": 1}, "np.median(a, axis=1)"), ("nanmedian", {"axis": 1, "keepdim": True}, ""),
        (np.amax, {"axis": 0}, "np.amax(a, axis=0)"), (np.max, {"axis": 1}, "a.max(axis=1)"),
        ("argmin", {}, "a.argmin()"), (np.nansum, {"axis": (0, 1)}, "np.nansum(a, axis=(0, 1))"),
        ("prod", {"dim": 0, "keepdim": True}, "a.prod(axis=0, keepdims=True)"), (np.median, {}, "np.median(a)"),
    ):  # fmt: skip
        figure = show.reduce(a, op, **asked)
        code = code or "np.nanmedian(a, axis=1, keepdims=True)"
        assert figure.scene.title == code and "keepdim=" not in figure.text()
        first = np.asarray(eval(code)).reshape(-1)[0]
        assert figure.state(link="r0").sentence.endswith(f" {first:.4g}.")
    assert show.reduce(np.array([4, 1, 2, 9]), np.median).state(link="r0").sentence.endswith(" 3.")
    halves = show.reduce(a[0], np.median, upstream=2.0).state(link="r0", toggles=("g",)).sentence
    assert halves == "g = 2 fans out over its 4 cells: [1, 1, 0, 0]."


@pytest.mark.parametrize("op", ["sum", "mean", "prod", "max", "median", "mode", "std", "any", "logsumexp", "norm"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("keepdim", [False, True])
def test_a_title_is_a_program_that_gives_what_is_shown(op, shape, keepdim):
    x = rf.tensor(np.arange(np.prod(shape)).reshape(shape) + 1.0)
    for one in (x, x.numpy()):
        try:
            figure = show.reduce(one, op, keepdim=keepdim, name="one")
        except (TypeError, ValueError):  # of all axes it takes none, or one at a time
            assert shape == (2, 3) and keepdim and op in ("prod", "max", "median", "mode") or op == "mode"
            continue
        if one is x or op not in ("mode", "logsumexp", "norm"):
            found = eval(figure.scene.title)
            assert f"has shape {tuple(found.shape)}" in figure.sentences[0]
            assert figure.state(link="r0").sentence.endswith(f" {spell(found.reshape(-1)[0].item())}.")


def test_a_lane_has_as_many_digits_as_it_takes():
    x = np.array([[1.07516, 0.11844], [1.0, 2.0]])
    figure = show.reduce(x, "sum", 1, name="x")
    assert formula(figure.state(link="r0").sentence) == "x.sum(axis=1)[0] = 1.075 + 0.1184 ≈ 1.19."
    assert formula(figure.state(link="r1").sentence) == "x.sum(axis=1)[1] = 1 + 2 = 3."
    figure = show.reduce(np.array([0.24456, 3.0]), "prod", name="x", upstream=np.array(1.0))
    assert formula(figure.state(link="r0").sentence) == "x.prod() = 0.2446·3 ≈ 0.734."
    assert formula(figure.state(link="a1", toggles=("g",)).sentence) == "x.grad[1] = 1·0.245 ≈ 0.245."


@pytest.mark.parametrize("numbers", [[[4, 1], [2, 2]], [[True, False], [False, False]]])
@pytest.mark.parametrize("op", ["mean", "var", "std", "nanmean", "median", "norm"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_whole_numbers_of_an_array_are_reduced_as_numpy_does(numbers, op, axis):
    array = np.array(numbers)
    figure = show.reduce(array, op, axis=axis, name="x")
    whole = exact(getattr(np.linalg if op == "norm" else np, op)(array.astype(float), axis=axis))
    said = [figure.state(link=f"r{k}").sentence for k in range(len(whole))]
    assert [re.split(" [=≈] ", one)[-1] for one in said] == [f"{spell(value)}." for value in whole]
    assert not figure.scene.toggles, "whole numbers have no gradients"


def test_which_number_is_taken_where_two_are_in_the_middle_is_said():
    even, odd = rf.tensor([[3.0, 3.5, -1.0, 0.0]]), rf.tensor([3.0, 1.0, 2.0])
    assert "Of the two in the middle the lower one is taken." in show.reduce(even, "median", dim=1).text()
    assert "Of the two in the middle the mean is taken." in show.reduce(even.numpy(), "median", axis=1).text()
    assert "in the middle" not in show.reduce(odd, "median").text() + show.reduce(even, "max", dim=1).text()


@pytest.mark.parametrize("op, told", [
    ("sum", "1 + 2 + ... + 1000 = 500500"), ("mean", "(1 + 2 + ... + 1000) / 1000 = 500.5"),
    ("amax", "amax(1, 2, ..., 1000) = 1000"), ("amin", "amin(1, 2, ..., 1000) = 1"),
])  # fmt: skip
def test_of_a_lane_that_is_not_drawn_whole_most_numbers_are_left_out_but_count(op, told):
    x = rf.arange(1.0, 1001.0).expand(100, 1000)
    assert formula(show.reduce(x, op, 1, name="x").state(link="r1").sentence) == f"x.{op}(dim=1)[1] = {told}."


@pytest.mark.parametrize("op, upstream, told", [
    ("logsumexp", 1.0, "1·exp(0 - 0.693) = 0.5"), ("mean", 3.0, "3 / 2 = 1.5"), ("amax", 3.0, "3·0.5 = 1.5"),
    ("sum", 3.0, "3·1 = 3"), ("nansum", 2.0, "2·(0 == 0) = 2"),
])  # fmt: skip
def test_the_gradient_of_a_cell_is_told_by_the_rule_of_the_op_where_that_is_one_of_numbers(op, upstream, told):
    figure = show.reduce(rf.zeros(2), op, 0, upstream=rf.tensor(upstream), name="x")
    sentence = figure.state(link="a0", toggles=G).sentence
    assert formula(sentence).replace("≈", "=").replace("0.6931", "0.693") == f"x.grad[0] = {told}."


@pytest.mark.parametrize("op, told", [
    ("amax", "amax(0.333, -2, 2) = 2"), ("median", "median(0.333, -2, 2) ≈ 0.333"), ("mode", "mode(0.333, -2, 2) = -2"),
    ("argmin", "argmin(0.333, -2, 2) = 1"), ("count_nonzero", "count_nonzero(0.333, -2, 2) = 3"),
    ("any", "any(0.333, -2, 2) = True"),
])  # fmt: skip
def test_of_numbers_that_are_cut_one_that_is_picked_or_counted_is_exact(op, told):
    figure = show.reduce(rf.tensor([[1 / 3, -2.0, 2.0]]), op, 1, name="x")
    assert figure.state(link="r0").sentence.endswith(f"[0] = {told}.")


@pytest.mark.parametrize("dim, at", [(-1, 10**9 - 1), (1, 0)])
def test_of_a_billion_lanes_those_are_worked_out_that_are_drawn(dim, at):
    x = np.broadcast_to(np.arange(3.0), (10**9, 3))
    for tensor, said in ((x, f"x.sum(axis=1)[{at}]"), (rf.arange(3.0).expand(10**9, 3), f"x.sum(dim=1)[{at}]")):
        figure = show.reduce(tensor, "sum", dim, name="x")
        lanes = [figure.state(link=id).sentence for family in figure.scene.links for id in family.links if id[0] == "r"]
        assert f"3 cells along j become one number: {said} = 0 + 1 + 2 = 3." in lanes

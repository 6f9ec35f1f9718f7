"""show.op: each link is tried by moving the number it starts from, each formula in a run of other sizes."""

import re

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.backends import use
from rustyflow.show.op.maps import Axis, formula, larger, maps_of, spelled
from rustyflow.show.op.reads import depends, reads
from tests.show.op_calls import OPS, F, each_op, equation_of, result, said_of, some
from tests.show.seen import lit, text

STILL = {"clamp", "max_pool2d", "amax", "sort", "topk"}
"""Ops that read numbers which need not count: the lesser ones, those outside, those not chosen."""


@each_op
def test_who_is_lit_moves_the_result_and_nobody_else_does(name):
    call, *operands = OPS[name]
    made = reads(call, operands)
    lit = {(k, index, cell) for cell, read in made.cells.items() for k, index in read}
    before = result(call, operands)
    np.testing.assert_allclose(made.result, before, rtol=1e-6)
    moved = set()
    for k in made.counted:
        for index in np.ndindex(operands[k].shape):
            for by in (0.03, -0.02):
                others = [x.copy() for x in operands]
                others[k][index] += by
                after = result(call, others)
                changed = np.argwhere(after != before) if after.shape == before.shape else ()
                moved |= {(k, index, tuple(map(int, cell))) for cell in changed}
    assert moved <= lit
    counted = {one for one in lit if one[0] in made.counted}
    assert name in STILL or name == "a mask" or moved == counted


FORMULAS = {
    "add": "y[i, j] reads a[i, 0], b[j]",
    "matmul": "y[i, j] reads a[i, k], b[k, j]",
    "bmm": "y[i, j, k] reads a[i, j, l], b[i, l, k]",
    "einsum": "y[i, j, k] reads a[i, j, l], b[i, k, l]",
    "linear": "y[i, j] reads a[i, k], b[j, k], c[j]",
    "conv1d": "y[i] reads a[i+j], b[j]",
    "conv1d, dilated": "y[i] reads a[i+2j], b[j]",
    "conv2d": "y[i, j] reads a[i+k, j+l], b[k, l]",
    "conv2d, stride 2": "y[i, j] reads a[2i+k, 2j+l], b[k, l]",
    "max_pool2d": "y[i, j] reads a[2i+k, 2j+l]",
    "cumsum": "y[i] reads a[0..i]",
    "softmax": "y[i, j] reads a[i, k]",
    "gather": "y[i, j] reads a[i, b[i, j]], b[i, j]",
    "index_select": "y[i, j] reads a[b[i], j], b[i]",
    "embedding": "y[i, j] reads a[b[i], j], b[i]",
    "flip": "y[i] reads a[4-i]",
    "transpose": "y[i, j] reads a[j, i]",
    "slice": "y[i, j] reads a[i+1, 2j]",
    "unfold": "y[i, j] reads a[i+j]",
    "diagonal": "y[i] reads a[i, i]",
    "one cell": "y reads a[1, 2]",
    "a new axis": "y[i, j] reads a[i]",
    "an index": "y[i] reads a[b[i]], b[i]",
    "two indices": "y[i] reads a[b[i], c[i]], b[i], c[i]",
    "conv1d, channels": "y[i, j, k] reads a[i, l, k+m], b[j, l, m], c[j]",
    "sort": "y[i] reads a[j]",
    "div": "y[i, j] reads a[i, j], b[j]",
    "layer_norm": "y[i, j] reads a[i, k]",
    "layer_norm, scaled": "y[i, j] reads a[i, k], b[j], c[j]",
    "layer_norm, turned": "y[i, j] reads a[k, i]",
}

NONE = ("two rows", "a mask", "roll", "cat", "stack", "scatter_add", "tril", "conv1d, padded", "repeat", "view",
        "a row twice", "a mask of its own", "windows", "conv2d, padded", "glu")
"""What is no one line of letters, or only looks like one on few cells."""


@pytest.mark.parametrize("name", FORMULAS)
def test_the_formula_is_found(name):
    call, *operands = OPS[name]
    made = reads(call, operands)
    sizes = [x.shape for x in operands]
    assert spelled(formula(call, made), "abc", sizes, "y", tuple(range(made.result.ndim))) == FORMULAS[name]


@pytest.mark.parametrize("name", NONE)
def test_a_line_that_fits_few_cells_is_no_formula(name):
    call, *operands = OPS[name]
    assert formula(call, reads(call, operands)) == {}


@pytest.mark.parametrize(
    "call, text",
    [(lambda a: a[:2].sum(), "y reads a[0..1, i]"), (lambda a: a[::2].sum(0), "y[i] reads a[2j, i]"),
     (lambda a: a.sum(0), "y[i] reads a[j, i]"),
     (lambda a: a[:, 1:3].sum(1), "y[i] reads a[i, 1..2]")],
)  # fmt: skip
def test_a_letter_of_its_own_stands_for_the_whole_axis(call, text):
    figure = show.op(call, some(5, 4), names="a")
    assert next((line for line in figure.scene.about if " reads " in line), "") == text


@pytest.mark.parametrize("rows", [[0, 2], [2, 0], [1, 3, 5], [0, 2, 4]])
def test_a_list_of_indices_is_no_line(rows):
    call = lambda a: a[rows]  # noqa: E731
    assert formula(call, reads(call, [some(6, 4)])) == {}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_holds_where_it_was_not_found(name):
    call, *operands = OPS[name]
    found = formula(call, reads(call, operands))
    runs = [run for apart in (False, True) for run in larger(call, reads(call, operands), apart)]
    own = reads(call, operands).result.shape
    run = next(run for run in reversed(runs) if all(n > 1 or was == 1 for n, was in zip(run.result.shape, own)))
    random = np.random.default_rng(0)
    for _ in range(20):
        cell = tuple(int(random.integers(n)) for n in run.result.shape)
        for k, axes in found.items():
            for d, axis in enumerate(axes):
                got = sorted({index[d] for n, index in run.cells[cell] if n == k})
                assert got == expected(axis, cell, run, d, k, len(got)), (cell, axis)


def expected(axis: Axis, cell, run, d, k, count):
    """The indices that a map says are read."""
    size = run.operands[k].shape[d]

    def at(line):
        return sum(by * p for by, p in zip(line.by, cell)) + line.at + size * line.end

    if axis.indexed is not None:
        return [int(run.operands[axis.indexed][next(i for n, i in run.cells[cell] if n == axis.indexed)])]
    if axis.last is not None:
        return list(range(max(0, at(axis.first)), min(size - 1, at(axis.last)) + 1))
    return [at(axis.first) + axis.step * u for u in range(count)]


SENTENCES = {
    "gather": "b[1, 0] is 2: y[1, 0] = a[1, 2] = 6.",
    "where": "c[1] is False: y[1] = b[1] = 5.",
    "sort": "of 3, 1, 4, y[0] takes a[1] = 1.",
    "clamp": "y[2] = min(max(4, 0), 2) = 2.",
    "softmax": "y[1] = 0.0498 / 1.42 ≈ 0.0351.",
    "log": "y[0] = log(3) ≈ 1.1.",
    "max": "y = max(3, 1, 4) = 4.",
    "scatter": "b[0] is 1 and b[1] is 1: y[1] = 0 + 3 + 1 = 4.",
    "noise": "y[0] = 3·0 = 0.",
    "half": "y[0] = exp(3) ≈ 20.08.",
    "minus": "y[0] = exp(-3) ≈ 0.0498.",
    "inf": "y[0] = exp(1000) ≈ inf.",
    "nan": "y = nan + 1 = nan.",
    "whole": "y[0] = 3·2 = 6.",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_result_is_said_as_it_comes_about(name):
    a, b, whole = rf.tensor([3.0, 1.0, 4.0]), rf.tensor([1.0, 5.0, 9.0]), rf.tensor([2, 3, 4])
    condition, index = rf.tensor([True, False, True]), rf.tensor([1, 1, 2])
    x, which = rf.tensor([[0.0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]), rf.tensor([[0], [2], [1]])
    figure, link = {
        "gather": lambda: (show.op("gather", x, 1, which, names="ab"), "y1"),
        "where": lambda: (show.op("where", condition, a, b, names="cab"), "y1"),
        "sort": lambda: (show.op("sort", a, names="a"), "y0"),
        "clamp": lambda: (show.op("clamp", a, 0, 2, names="a"), "y2"),
        "softmax": lambda: (show.op("softmax", a, 0, names="a"), "y1"),
        "log": lambda: (show.op("log", a, names="a"), "y0"),
        "max": lambda: (show.op("max", a, names="a"), "y0"),
        "scatter": lambda: (show.op("scatter_add", rf.zeros(4), 0, index, a, names=["x", "b", "s"]), "y1"),
        "noise": lambda: (show.op(lambda t: t * rf.zeros(3), a, names="a"), "y0"),
        "half": lambda: (show.op("exp", a.half(), names="a"), "y0"),
        "minus": lambda: (show.op("exp", -a, names="a"), "y0"),
        "inf": lambda: (show.op("exp", rf.tensor([1000.0, 1.0]), names="a"), "y0"),
        "nan": lambda: (show.op("sum", rf.tensor([float("nan"), 1.0]), names="a"), "y0"),
        "whole": lambda: (show.op("mul", a, whole, names="ab"), "y0"),
    }[name]()
    assert equation_of(figure, link) == SENTENCES[name]


def test_letters_are_no_names_and_names_differ():
    i = rf.tensor([1, 1, 4])
    figure = show.op(lambda t, n: t[n], rf.arange(6.0), i, names=["x", "i"])
    assert "y[j] reads x[i[j]], i[j]" in figure.text()
    twice = show.op("mul", rf.tensor([1.0, 2.0]), rf.tensor([1.0, 2.0]))
    assert twice.scene.title == "mul(a, b)" and equation_of(twice, "y1") == "y[1] = 2·2 = 4."


def test_a_function_of_several_operations_names_them():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    own = show.op(lambda t: (t * 2).exp().sum(0), x)
    assert own.sentences[0].startswith("(x * 2).exp().sum(0), by mul, exp and sum, makes (2,) from x (2, 2)")
    whole = show.op(lambda t: t.abs() * 2, x.long(), names=["n"])
    assert whole.sentences[0].startswith("n.abs() * 2, by abs and mul, makes (2, 2)")
    assert show.op(rf.nn.ReLU(), x).scene.title == "rf.nn.ReLU()(x)"
    assert show.op("repeat", x, 2, 1).scene.title == "repeat(x, 2, 1)", "a method is an operation, too"
    assert ", by " not in show.op("outer", x[0], x[1]).sentences[0] + show.op(lambda t: t.exp(), x).sentences[0]


def test_results_are_made_one_by_one():
    a, b = rf.tensor([[1.0, 2.0]]), rf.tensor([[3.0, 5.0], [4.0, 6.0]])
    figure = show.op("matmul", a, b, one_by_one=True)
    assert figure.sentences[2:6] == (
        "y[0, 0], 1 of its 2 parts: y[0, 0] so far: 1·3 = 3.",
        "y[0, 0] adds up 2 products of a and b: y[0, 0] = 1·3 + 2·4 = 11.",
        "y[0, 1], 1 of its 2 parts: y[0, 1] so far: 1·5 = 5.",
        "y[0, 1] adds up 2 products of a and b: y[0, 1] = 1·5 + 2·6 = 17.",
    )
    assert figure.state(3).seen == "y[0, 0] adds up 2 products of a and b."
    worn = [figure.state(n).classes for n in (2, 3)]
    assert [{id for id in ids if "lit" in ids[id]} for ids in worn] == [{"a0", "b0"}, {"a1", "b2", "y0"}]
    assert [{id for id in ids if "off" in ids[id]} for ids in worn] == [{"y0", "y1"}, {"y1"}]
    long = show.op("matmul", rf.ones(4, 9), rf.ones(9, 4), names="ab", one_by_one=True)
    assert "And so on: 9 more results are made alike." in long.sentences


def test_numbers_that_leave_the_tensors_are_said_not_to_be_followed():
    figure = show.op(lambda t: t * t.max().item(), rf.tensor([1.0, 2.0]), names=["x"])
    assert "Numbers that item() takes out of a tensor are not followed" in figure.sentences[1]
    assert "not followed" not in show.op(lambda t: t * 2, rf.tensor([1.0, 2.0]), names=["x"]).text()


def test_random_numbers_are_the_same_in_each_run_and_are_drawn_once():
    x = rf.tensor([1.0, 2.0, 3.0, 4.0])
    rf.manual_seed(3)
    figure = show.op("dropout", x, 0.5, names=["x"])
    rf.manual_seed(3)
    wanted = F.dropout(x, 0.5).tolist()
    flow = figure.text()
    for k, value in enumerate(wanted):
        assert f"= {value:g}" in equation_of(figure, f"y{k}").replace("comes y", "y"), flow


def test_what_is_read_may_depend_on_the_numbers():
    call, *operands = OPS["a mask"]
    assert depends(call, reads(call, operands))
    call, *operands = OPS["gather"]
    assert not depends(call, reads(call, operands))
    assert maps_of(reads(call, operands)).keys() == {0, 1}


@each_op
def test_every_op_is_drawn(name):
    call, *operands = OPS[name]
    figure = show.op(call, *operands, names=list("abc"[: len(operands)]))
    for frame in range(len(figure.frames)):
        assert figure.svg(frame).startswith("<svg")
    for family in figure.scene.links:
        for link in [*family.links][:40]:
            for toggles in ((), ("g",))[: 1 + bool(figure.scene.toggles)]:
                sentence = equation_of(figure, link, toggles)
                assert sentence.endswith(".") and not sentence.startswith(".")


def test_a_lambda_is_called_what_it_computes():
    x = rf.tensor([1.0, 2.0, 3.0])
    assert show.op(lambda t: t[1:] * 2, x).scene.title == "x[1:] * 2"
    assert show.op(rf.nn.functional.softmax, x, dim=0).scene.title == "softmax(x, dim=0)"
    assert show.op("cat", [x, x[:2]], names=["x", "z"]).scene.title == "cat([x, z])"


def test_large_and_strange_operands_are_told_in_words():
    assert "Cells are drawn up to" in show.op("exp", rf.zeros(1000, 1000), names=["x"]).sentences[0]
    assert "Cells are drawn up to" in show.op("exp", rf.zeros((1,) * 8), names=["x"]).sentences[0]
    assert "in up to 64 rows of up to 80" in show.op("exp", rf.zeros(2, 81), names=["x"]).sentences[0]
    assert "in up to 64 rows of up to 80" in show.op("exp", rf.zeros(65, 2), names=["x"]).sentences[0]
    assert "takes more than 1,048,576 steps" in show.op("cumsum", rf.zeros(2048), dim=0, names=["x"]).sentences[0]
    assert "takes a of shape (100000000,)." in show.op("exp", rf.zeros(1).expand(10**8), names=["a"]).sentences[0]
    assert show.op("exp", rf.tensor(2.0), names=["x"]).sentences[0].startswith("exp(x) makes () from x ():")
    empty = show.op("sum", rf.zeros(0, 3), dim=0, names=["x"])
    assert equation_of(empty, "y0") == "y[0] = 0, and nothing was read for it."
    assert "cannot be followed" in show.op(rf.linalg.svdvals, rf.eye(2)).sentences[0]
    none = show.op("exp", rf.zeros(0, 3), names=["x"])
    assert none.svg() and none.sentences[0] == "exp(x) makes (0, 3) from x (0, 3): there is no cell to point at."
    assert show.op("exp", rf.tensor([float("nan"), float("inf")]), names=["<b>"]).svg().count("<b>") == 0


def test_of_many_cells_each_is_a_shade_and_can_be_pointed_at():
    a, b = (rf.from_numpy(some(8, 64, seed=seed) // 16) for seed in (0, 1))
    figure = show.op("add", a, b, names="ab")
    ids = [f"{letter}{n}" for letter in "abypqg" for n in range(512)]
    assert {id for family in figure.scene.links for id in family.links} == set(ids)
    assert {id for rows in figure.scene.paths for row in rows for id in row} == set(ids)
    x, y = a[4, 30].item(), b[4, 30].item()
    assert equation_of(figure, "y286") == f"y[4, 30] = {x:g} + {y:g} = {x + y:g}."
    assert lit(figure, "y286") == {"y286", "a286", "b286"}
    assert equation_of(figure, "p9", ("g",)) == "a.grad[0, 9] = g[0, 9] = 3."
    assert lit(figure, "p9", toggles=("g",)) >= {"p9", "g9"}
    for on, grad in (((), ""), (("g",), " grad")):  # in a still picture the dots of a look are one path
        looks = re.findall(r'<path class="dot (shade\d)( grad)?"', figure.svg(0, toggles=on))
        assert {look[1] for look in looks} == {grad} and len({shade for shade, _ in looks}) > 3
    kernel = show.op("conv2d", rf.ones(1, 1, 20, 20), rf.ones(1, 1, 2, 2), names="xw")
    assert {kernel.scene.index[id].tag for id in ("a0", "b0")} == {"rect", "g"}, "few cells have room for numbers"
    steps = show.op("add", a, b, names="ab", one_by_one=True)
    assert "heat4" in steps.state(60).classes["H0"]
    assert show.op("matmul", rf.ones(16, 16), rf.ones(16, 16), names="ab").scene.height[""] <= 560


def test_what_cannot_be_drawn_is_refused_with_a_way_out():
    x = rf.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="no tensor among the operands"):
        show.op("exp", 3)
    with pytest.raises(ValueError, match="f is an operation of rustyflow"):
        show.op("no_such_op", x)
    with pytest.raises(TypeError, match="f is an operation by name"):
        show.op(3, x)
    with pytest.raises(ValueError, match="f, which writes to x"):
        show.op(lambda t: t.add_(1), x)
    with pytest.raises(ValueError, match="add_, which writes to its operand"):
        show.op("add_", x, 1.0)
    with pytest.raises(ValueError, match="an op gives a tensor"):
        show.op(lambda t: 3, x)
    with pytest.raises(RuntimeError):
        show.op("matmul", x, rf.tensor([1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match="the upstream gradient has the shape of the result"):
        show.op("exp", x, upstream=rf.ones(3))
    assert x.tolist() == [1.0, 2.0]

    def raises(t):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        show.op(raises, x)


def test_pytorch_s_tensors_and_functions_are_taken():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0, 3.0]])
    figure = show.op(torch.cumsum, x, 1)
    assert figure.scene.title == "cumsum(x, 1)"
    assert equation_of(figure, "y2") == "y[0, 2] = 1 + 2 + 3 = 6."


@pytest.mark.parametrize(
    "call, view",
    [(lambda t: t[1:, ::2], True), (lambda t: t[1], True), (lambda t: t[None], True), (lambda t: t[..., 0], True),
     (lambda t: t[[0, 2]], False), (lambda t: t[t > 1], False), (lambda t: t.T, True), (lambda t: t.flip(0), False),
     (lambda t: t.reshape(-1), True), (lambda t: t.T.reshape(-1), False), (lambda t: t.rot90(0), False),
     (lambda t: t.rot90(4), False), (lambda t: t.detach(), True)],
)  # fmt: skip
def test_a_view_and_a_copy_are_told_apart(call, view):
    x = rf.arange(12.0).reshape(3, 4)
    shared = call(x).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    said = "y is a view of x: it reads the storage of x" if view else "y is a copy: its numbers stand in a storage"
    assert shared is view and said in " ".join(show.op(call, x, names="x").sentences)


def test_an_operand_stands_in_memory_as_it_stood():
    x = rf.arange(12.0).reshape(3, 4)
    for of in (x.T, x[:, 1:], x[::2, ::2].T):
        assert "y is a copy" in " ".join(show.op(lambda t: t.reshape(-1), of, names="x").sentences)
        with pytest.raises(RuntimeError, match="view"):
            show.op(lambda t: t.view(-1), of)
    for of in (x[:1].expand(3, 4), x.unfold(1, 2, 1)):
        sentence = equation_of(show.op(lambda t: t * 2, of, names="x"), "y3")
        assert sentence.endswith(f"= {(of * 2).flatten()[3].item():g}.")


def test_who_says_where_is_named_if_there_is_no_formula():
    x, index = rf.zeros(4), rf.tensor([1, 1, 3])
    figure = show.op("scatter_add", x, 0, index, rf.tensor([1.0, 2.0, 3.0]), names=["x", "index", "src"])
    assert figure.sentences[1].startswith("Which cells are read depends on index: ")


def test_how_often_a_cell_was_read_is_a_shade_and_a_number():
    x, w = rf.tensor([3.0, 1.0, 4.0, 1.5, 5.0]), rf.tensor([1.0, 0.0, -1.0])
    figure = show.op("conv1d", x[None, None], w[None, None], names="xw", one_by_one=True)
    counts = lambda frame: [text(figure, f"H{n}n", frame) for n in range(5)]  # noqa: E731
    assert [text(figure, f"I{n}n", 2) for n in range(3)] == ["1", "0", "0"]
    last = next(n for n, s in enumerate(figure.sentences) if s.startswith("The stronger its colour"))
    assert figure.sentences[last].endswith(", the more results read a cell: w[0, 0, 0] is read for 3 results.")
    assert (counts(0), counts(2), counts(last)) == (["0"] * 5, ["1", "0", "0", "0", "0"], ["1", "2", "3", "2", "1"])
    worn = figure.state(last).classes
    assert [next(cls for cls in worn[f"H{n}"] if "heat" in cls) for n in range(5)] == [
        "heat2", "heat3", "heat4", "heat3", "heat2"
    ]  # fmt: skip
    assert not any("heat" in cls for classes in figure.state(0).classes.values() for cls in classes)
    cut = show.op("matmul", rf.ones(4, 9), rf.ones(9, 4), names="ab", one_by_one=True)
    assert "The stronger its colour, the more results read a cell: a[0, 0] is read for 4 results." in cut.sentences
    assert "reads of x" not in show.op("exp", x, names="x").svg()


@pytest.mark.parametrize("rank", range(9))
def test_each_rank_is_drawn_or_told(rank):
    figure = show.op("exp", rf.ones((2,) * min(rank, 5) + (1,) * (rank - min(rank, 5))), names="x")
    assert figure.svg().startswith("<svg")
    assert ("point at a cell" if rank < 5 else "up to 4 axes") in figure.sentences[0]


STRANGE = {
    "no loops": lambda: (show.op(lambda t: rf.linalg.svd(t)[0], rf.eye(2), names="x"), "has no function svd"),
    "numpy inside": lambda: (show.op(lambda t: rf.tensor(t.numpy() * 2), rf.ones(2), names="x"), "cannot be followed"),
    "many": lambda: (show.op("exp", rf.zeros(1000, 1001), names="x"), "takes x of shape (1000, 1001)"),
    "grows": lambda: (show.op(lambda t: t.expand(999, 999) * 1, rf.ones(1, 1), names="x"), "gives shape (999, 999)"),
    "operands": lambda: (show.op("block_diag", *[rf.ones(1, 1) for _ in range(9)]), "Up to 7 operands are drawn"),
    "empty": lambda: (show.op("cat", [rf.zeros(0), rf.ones(2)], names="ab"), "makes (2,) from a (0,) and b (2,)"),
    "all empty": lambda: (show.op("exp", rf.zeros(0), names="x", one_by_one=True), "makes (0,) from x (0,)"),
    "unused": lambda: (show.op(lambda t: rf.ones(2), rf.ones(3), names="x"), "rf.ones(2) makes (2,) from x (3,)"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_strange_is_told(name):
    figure, said = STRANGE[name]()
    assert said in figure.sentences[0] and figure.svg().startswith("<svg")


ODD = {
    "nan": (lambda: show.op("softmax", rf.tensor([1.0, float("nan")]), 0, names="x"),
            "y[0] = nan / nan = nan."),
    "inf": (lambda: show.op("exp", rf.tensor([float("inf"), -0.0]), names="x"), "y[0] = exp(inf) = inf."),
    "bool": (lambda: show.op("logical_and", rf.tensor([True, False]), rf.tensor([True, True]), names="ab"),
             "a[0] is True and b[0] is True: y[0] = True."),
    "bools": (lambda: show.op("sum", rf.tensor([True, False]), names="a"), "y = True + False = 1."),
    "bytes": (lambda: show.op("add", rf.tensor([1, 2], dtype=rf.int8), rf.tensor([1, 2], dtype=rf.int8), names="ab"),
              "y[0] = 1 + 1 = 2."),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_numbers_are_what_they_are(name):
    make, sentence = ODD[name]
    assert equation_of(make(), "y0") == sentence


@pytest.mark.parametrize(
    "call", [lambda t: t.mul_(2), lambda t: t[0].zero_(), lambda t: (t.__setitem__(0, 5.0), t)[1], "relu_"]
)
def test_who_changes_an_operand_is_refused_and_changes_nothing(call):
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="which writes to (x|its operand)"):
        show.op(call, x)
    assert x.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("call", [lambda t: None, lambda t: t.sum().item(), lambda t: {"a": t}, lambda t: [[t]]])
def test_what_gives_no_tensor_is_refused(call):
    with pytest.raises(ValueError, match="a result of type"):
        show.op(call, rf.ones(2))


@pytest.mark.parametrize("f, shapes, formula", [
    (lambda x: x.softmax(0), [(4, 1)], "x[k, j]"), (lambda x: x.cumsum(1), [(1, 5)], "x[i, 0..j]"),
    (lambda x: x.sum(1, keepdim=True), [(1, 4)], "x[i, k]"), (lambda x: x[:, 0], [(3, 1)], "x[i, 0]"),
    (lambda x, y: x @ y, [(1, 3), (3, 1)], "x[i, k], y[k, j]"),
    (lambda x, y: x + y, [(3, 1), (1, 4)], "x[i, 0], y[0, j]"),
])  # fmt: skip
def test_an_axis_of_size_1_has_the_letter_that_it_has_in_larger_runs(f, shapes, formula):
    operands = [rf.arange(float(np.prod(shape))).view(shape) for shape in shapes]
    figure = show.op(f, *operands, names=["x", "y"][: len(shapes)])
    assert f" reads {formula}: found" in figure.text()


@pytest.mark.parametrize("f, shapes, formula", [
    (lambda a, b, c: a @ b @ c, [(3, 3)] * 3, "a[i, k], b[l, m], c[n, j]"),
    (lambda a, b, c: F.scaled_dot_product_attention(a, b, c), [(2, 2)] * 3,
     "weights[i, l], c[l, j]; weights[i, :] reads a[i, k], b[l, k]"),
    (lambda a, b: a.mean(1) * b.mean(0), [(4, 4)] * 2, "a[i, j], b[k, i]"),
    (lambda a, b: a.sum(0) - b.sum(0), [(2, 2)] * 2, "a[j, i], b[k, i]"),
    (lambda a, b: (a * b).sum(0), [(2, 2)] * 2, "a[j, i], b[j, i]"),
    (lambda a, b: a @ b.T, [(3, 3)] * 2, "a[i, k], b[j, k]"),
])  # fmt: skip
def test_of_equal_sizes_only_those_that_have_to_be_equal_share_a_letter(f, shapes, formula):
    figure = show.op(f, *(rf.arange(1.0, 1 + np.prod(shape)).view(shape) for shape in shapes))
    assert f" reads {formula}: found" in figure.text()


def test_what_is_cut_is_told_as_cut():
    t = rf.tensor([0.5, 2 / 3])
    figure = show.op("flip", t, dims=[0])
    said = [equation_of(figure, f"a{n}") for n in range(2)]
    assert said == ["t[0] = 0.5 is read by y[1].", "t[1] ≈ 0.667 is read by y[0]."]


X, Z = rf.tensor([4.0, 1.5, -3.0]), rf.tensor([2.0, 8.0, 0.5])

COUNTED = {
    "first minus second": (lambda a, b: a - b, X, Z), "second minus first": (lambda a, b: b - a, X, Z),
    "second by first": (lambda a, b: b / a, X, Z), "second to the first": (lambda a, b: b**a, X.abs(), Z),
    "rsub": ("rsub", X, Z), "diff": ("diff", X), "steps back": (lambda a: a[:-1] - a[1:], X),
    "growth": (lambda a: a[1:] / a[:-1], X), "of rows": (lambda a: a[1] - a[0], rf.stack([X, Z])),
    "whole": (lambda a, b: b - a, X.long(), Z.long()), "half": (lambda a, b: b / a, X.half(), Z.half()),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_an_equation_comes_out_as_it_is_written(name):
    f, *operands = COUNTED[name]
    figure = show.op(f, *operands, names="ab"[: len(operands)])
    for n in range(sum(bool(re.fullmatch(r"y\d+", id)) for id in figure.scene.index)):
        said = equation_of(figure, f"y{n}")
        equation = r"y\[\d\] = (.+?) [=≈] (?:.*, which rounding has made )?(\S+)\."
        expression, value = re.fullmatch(equation, said).groups()
        assert eval(expression.replace("·", "*")) == pytest.approx(float(value), rel=5e-3), said


CHANCE = {
    "gelu": (5.0, "y[0] = 5·(1 + erf(5·0.707))·0.5 ≈ 5."), "softplus": (8.0, "y[0] = log(1 + exp(8)) ≈ 8."),
    "silu": (0.0, "y[0] = 0 / (1 + exp(-0)) = 0."), "tanh": (0.0, "y[0] = tanh(0) = 0."),
    "sign": (1.0, "y[0] = sign(1) = 1."), "relu": (3.0, "y[0] = max(3, 0) = 3."),
    "hardtanh": (0.5, "y[0] = min(max(0.5, -1), 1) = 0.5."), "expm1": (0.0, "y[0] = exp(0) - 1 = 0."),
}


@pytest.mark.parametrize("name", CHANCE)
def test_what_is_equal_by_chance_is_no_copy(name):
    x, sentence = CHANCE[name]
    figure = show.op(name, rf.tensor([x, 0.25]), names="a")
    assert equation_of(figure, "y0") == sentence
    assert "copy" not in figure.text()


@pytest.mark.parametrize("f", [lambda t: t**5, lambda t: 3 * t, lambda t: t + t, lambda t: t.detach() * 4,
                               lambda t: t - t, lambda t: t[:, None] * t[None, :1]])  # fmt: skip
def test_nor_are_0_and_1_copies_where_a_function_stands_still(f):
    for x in (rf.tensor([0.0, 1.0]), rf.tensor([0, 1])):
        said = show.op(f, x, names="a").text()
        assert "copy" not in said and "= a[0] =" not in said and "= a[1] =" not in said


@pytest.mark.parametrize("name, told", [
    ("floor_divide", "5 // 2 = 2"), ("remainder", "5 % 2 = 1"), ("fmod", "5 - 2·trunc(5 / 2) = 1"),
    ("div", "trunc(5 / 2) = 2"),
])  # fmt: skip
def test_to_look_for_a_divisor_of_0_is_no_read(name, told):
    more = {"rounding_mode": "trunc"} if name == "div" else {}
    figure = show.op(name, rf.tensor([9, -8, 5]), rf.tensor([4, 3, 2]), names="ab", **more)
    assert equation_of(figure, "y2") == f"y[2] = {told}."
    assert "depends" not in figure.text()
    assert lit(figure, "b2") == {"b2", "y2"} and equation_of(figure, "b1") == "b[1] = 3 is read by y[1]."


def test_who_reads_whom_does_not_depend_on_numbers_that_an_op_refuses():
    figure = show.op("binary_cross_entropy", rf.tensor([0.9, 0.2, 0.6]), rf.tensor([1.0, 1.0, 0.0]), names="xt")
    assert "depends" not in figure.text()
    assert "Which cells are read depends on the numbers" in show.op(lambda t: t[t > 1], X, names="x").text()


def test_a_0_of_one_hot_is_read_too():
    figure = show.op("one_hot", rf.tensor([1, 0]), 3, names="a")
    assert equation_of(figure, "y0") == "a[0] is 1: y[0, 0] = 0." and lit(figure, "y2") == {"y2", "a0"}


@pytest.mark.parametrize("f, x", [
    ("argsort", [2.0, 7.0, -3.0]), ("bincount", [3, 0, 3]), (lambda t: rf.zeros(2, 3).index_fill(1, t, 5.0), [0, 2]),
])  # fmt: skip
def test_what_is_found_by_comparing_or_counting_is_not_said_to_come_of_nothing(f, x):
    figure = show.op(f, rf.tensor(x))
    told = [equation_of(figure, f"{side}{n}") for side in "ay" for n in range(len(x))]
    assert told and not any("nothing was read" in sentence or "nobody" in sentence for sentence in told)


def test_true_and_false_are_copied_too():
    x = rf.tensor([True, False, True])
    assert equation_of(show.op("roll", x, 1, names="a"), "y1") == "y[1] = a[0] = True."
    assert equation_of(show.op("logical_not", x, names="a"), "y1") == "a[1] is False: y[1] = True."
    figure = show.op(lambda t: t.bool(), rf.tensor([1.0, 0.0]), names="a")
    assert equation_of(figure, "y0").startswith("a[0] is 1: ")


def test_an_index_is_read_by_all_results_that_it_decides():
    x, i = rf.zeros(3, 2) + 8, rf.tensor([2])
    for f, more in ("index_fill", 5.0), ("index_copy", rf.tensor([[5.0, 6.0]])), ("index_add", rf.ones(1, 2)):
        figure = show.op(f, x, 0, i, more, names=["x", "i", "s"][: 2 + isinstance(more, rf.Tensor)])
        assert said_of(figure, "b0") == ["i[0] = 2 is read by y[2, 0] and y[2, 1]."]
        assert said_of(figure, "y1") == ["y[0, 1] = x[0, 1] = 8."]
    figure = show.op(lambda x, i: x.index_put((i,), rf.tensor([1.0, 2.0])), x, i, names="xi")
    assert said_of(figure, "b0") == ["i[0] = 2 is read by y[2, 0] and y[2, 1]."]


def test_what_keeps_its_number_reads_no_index_and_what_is_written_reads_its_own():
    x, row, column = rf.zeros(3, 3) + 8, rf.tensor([1, 2, 0]), rf.tensor([1, 1, 2])
    figure = show.op("index_put", x, (row, column), rf.tensor([4.0, 5.0, 6.0]), names="xrcv")
    told = said_of(figure, *(f"y{n}" for n in range(9)))
    assert [n for n, sentence in enumerate(told) if " is " in sentence] == [2, 4, 7]
    assert told[4] == "r[0] is 1 and c[0] is 1: y[1, 1] = v[0] = 4." and told[5] == "y[1, 2] = x[1, 2] = 8."
    assert said_of(figure, "b2", "c1") == ["r[2] = 0 is read by y[0, 2].", "c[1] = 1 is read by y[2, 1]."]
    figure = show.op("repeat_interleave", rf.tensor([4.0, 5.0, 6.0]), rf.tensor([0, 3, 1]), names="vn")
    assert said_of(figure, *(f"y{n}" for n in range(4))) == [
        "n[0] is 0 and n[1] is 3: y[0] = v[1] = 5.", "n[1] is 3: y[1] = v[1] = 5.", "n[1] is 3: y[2] = v[1] = 5.",
        "n[2] is 1: y[3] = v[2] = 6."]  # fmt: skip


@pytest.mark.parametrize("source", [[5.0, 6.0], [5.0, 6.0, 7.0, 8.0]])
def test_a_mask_that_cannot_hold_one_more_true_is_read_where_it_is_false(source):
    mask = rf.tensor([False, True, False, True])
    figure = show.op("masked_scatter", rf.ones(4), mask, rf.tensor(source), names="xms")
    wanted = ["m[0] is False: y[0] = x[0] = 1.", "m[0] is False and m[1] is True: y[1] = s[0] = 5.",
              "m[2] is False: y[2] = x[2] = 1.", "y[3] = s[1] = 6."]  # fmt: skip
    assert said_of(figure, "y0", "y1", "y2", "y3") == wanted
    assert said_of(figure, "b2") == ["m[2] = False is read by y[2] and y[3]."]


def test_quantiles_are_found_as_loops_too():
    rows = [[8.0, 2.0, 5.0], [1.0, float("nan"), 4.0]]
    with use("loops"):
        x = rf.tensor(rows)
        assert x.nanquantile(0.5).item() == 4.0 and x[0].quantile(0.25).item() == 3.5
    x = rf.tensor(rows)
    figure = show.op("nanquantile", x, 0.5, dim=1, names="x")
    told = "4 - (4 - 1)·(1 - (0.5·max(2 - 1, 0) - trunc(0.5·max(2 - 1, 0)))) = 2.5."
    assert said_of(figure, "y1") == [f"x[1, 1] is nan: y[1] = {told}"]


def test_what_is_drawn_from_weights_is_not_said_to_come_of_nothing():
    calls = [(lambda w: rf.multinomial(w, 1), [0.0, 0.0, 2.0]), (lambda w: rf.multinomial(w, 2, True), [3.0, 3.0, 3.0]),
             (lambda w: w.bincount(minlength=6), [2, 0])]  # fmt: skip
    for f, w in calls:
        figure = show.op(f, rf.tensor(w), names="w")
        told = said_of(figure, *(id for id in figure.scene.index if re.fullmatch(r"[ay]\d+", id)))
        assert not any("nothing was read" in sentence or "nobody" in sentence for sentence in told)


def test_a_number_alone_is_no_sum():
    x, i = rf.tensor([-4.0, 2.5, -7.0]), rf.tensor([1, 1])
    assert said_of(show.op("index_add", x, 0, i, rf.ones(2), names="xis"), "y0", "y1") == [
        "y[0] = x[0] = -4.", "i[0] is 1 and i[1] is 1: y[1] = 2.5 + 1 + 1 = 4.5."]  # fmt: skip
    assert said_of(show.op("cummin", x, dim=0, names="x"), "y0", "y2") == [
        "y[0] = x[0] = -4.", "of -4, 2.5, -7, y[2] takes x[2] = -7."]  # fmt: skip
    told = show.op("cumsum", x, dim=0, names="x", one_by_one=True).sentences
    assert "y[1], 1 of its 2 parts: y[1] so far: -4." in told
    assert "y[2], 2 of its 3 parts: y[2] so far: (-4) + 2.5 = -1.5." in told


@pytest.mark.parametrize("f, rest, told", [
    ("sort", (), ["y[0] reads", "2"]), (lambda t: t.split([1, 3]), (), ["x[3] = 8 is not read for y.", "2"]),
    (lambda t: t.unbind(), (), ["x[3] = 8 is not read for y.", "4"]),
])  # fmt: skip
def test_of_several_results_the_first_is_said_to_be_that(f, rest, told):
    figure = show.op(f, rf.tensor([5.0, 1.0, 4.0, 8.0]), *rest, names="x")
    assert f", the first of {told[1]} results, from x (4,)" in figure.sentences[0]
    assert f == "sort" or said_of(figure, "a3") == told[:1]



def test_an_axis_of_size_1_that_nobody_is_read_by_is_0():
    calls = (lambda t: t[None]), (lambda t: t[:, None] * 2)
    formulas = [show.op(f, rf.ones(4), names="x").scene.about[-1] for f in calls]
    assert formulas == ["y[0, j] reads x[j]", "y[i, 0] reads x[i]"]


def test_a_number_that_an_index_alone_decides_is_told_with_it():
    figure = show.op("scatter", rf.ones(3), 0, rf.tensor([1]), 7.0, names="xi")
    assert said_of(figure, "y0", "y1") == ["y[0] = x[0] = 1.", "i[0] is 1: y[1] = 7."]


@pytest.mark.parametrize("f", [lambda t: t[[1, 1, 3]].sum(), lambda t: t[[0, 3, 3]].mean(), lambda t: t[[1, 3]].sum()])
def test_a_list_that_ends_near_the_end_is_no_formula(f):
    for size in (4, 5):
        assert not any(" reads " in line for line in show.op(f, some(size), names="x").scene.about)


@pytest.mark.parametrize("f, shapes, told", [
    ("matmul", [(2, 3), (3, 4)], " Here k = 0..2."), ("softmax", [(3, 1)], " Here k = 0."),
    ("max_pool1d", [(1, 1, 8)], " Here l = 0..1."), (lambda x: x[1::2].sum(), [(6,)], " Here i = 0..2."),
    (lambda x: x[-2:].sum(), [(5,)], " Here i = 0..1."), ("exp", [(3,)], ""), ("exp", [()], ""),
    ("conv2d", [(1, 2, 5, 5), (1, 2, 3, 3)], " Here m = 0..1, n = 0..2 and o = 0..2."),
])  # fmt: skip
def test_how_far_the_letters_go_that_are_summed(f, shapes, told):
    rest = {"softmax": (1,), "max_pool1d": (2,)}.get(f, ())
    figure = show.op(f, *(rf.tensor(some(*shape)) for shape in shapes), *rest, names="xw"[: len(shapes)])
    assert figure.sentences[1].endswith(f": found from what was read, and found again in two further runs.{told}")


LINEAR = {
    "a cell read twice": (lambda t: t[[1, 1, 3]].sum(), "y = 2 + 2 + 4 = 8."),
    "twice the same": (lambda t: t + t, "y[0] = 1 + 1 = 2."), "times": (lambda t: t * -3, "y[0] = 1·(-3) = -3."),
    "padded": (lambda t: F.avg_pool1d(t[None], 3, 1, 1)[0], "y[0] = (1 + 2) / 3 = 1."),
    "shifted": (lambda t: t + 1, "y[0] = 1 + 1 = 2."),
    "squares": (lambda t: (t * t).sum(), "y = 1·1 + 2·2 + 3·3 + 4·4 = 30."),
    "slopes": (lambda t: F.leaky_relu(-t), "y[0] = (-1)·0.01 = -0.01."),
    "norm": (lambda t: t.norm(), "y = sqrt(1·1 + 2·2 + 3·3 + 4·4) ≈ 5.48."),
    "distance": (lambda t: (t - 2.5).abs().sum(), "y = abs(1 - 2.5) + abs(2 - 2.5) + abs(3 - 2.5) + abs(4 - 2.5) = 4."),
    "in steps": (lambda t: t.view(2, 2) @ t.view(2, 2)[0], "y[0] = 1·1 + 2·2 = 5."),
}


@pytest.mark.parametrize("name", LINEAR)
def test_a_result_is_told_as_it_was_worked_out(name):
    f, told = LINEAR[name]
    figure = show.op(f, rf.tensor([1.0, 2.0, 3.0, 4.0]), names="x")
    assert said_of(figure, "y0") == [told]


@pytest.mark.parametrize("f", ["hardshrink", lambda t: F.threshold(t, 0.5, 0.0), lambda t: t.round()])
def test_what_keeps_large_numbers_alone_is_no_copy(f):
    figure = show.op(f, rf.tensor([2.0, 4.0, 1.0]), names="x")
    assert "copy" not in figure.text() and said_of(figure, "y0")[0].startswith("y[0] = ")


def test_a_scalar_has_its_factor_too():
    figure = show.op("sub", rf.tensor([5.0, 1.0]), rf.tensor(1.5), alpha=2, names="xs")
    assert said_of(figure, "y0") == ["y[0] = 5 + 1.5·(-2) = 2."]


def test_a_module_is_called_as_it_is_written():
    x, layer = rf.tensor([[1.0, 2.0]]), rf.nn.Softmax(dim=1)
    assert show.op(layer, x).scene.title == "layer(x)"
    assert show.op(rf.nn.LogSoftmax(dim=1), x).scene.title == "rf.nn.LogSoftmax(dim=1)(x)"


def test_numbers_in_a_list_have_no_brackets():
    figure = show.op("layer_norm", rf.tensor([[-1.0, 2.0, 7.0]]), (3,), names="x")
    told = "((-1) - ((-1) + 2 + 7) / 3) / sqrt((13.4 + 0.444 + 18.8) / 3 + 1e-5) ≈ -1.11"
    assert said_of(figure, "y0") == [f"y[0, 0] = {told}."]


def test_a_power_of_0_is_1():
    x = rf.tensor([0.0, 2.0])
    assert said_of(show.op("pow", x, x.clone(), names="ab"), "y0", "y1") == ["y[0] = 0 ** 0 = 1.", "y[1] = 2 ** 2 = 4."]


def test_a_default_of_a_lambda_is_told():
    x = rf.tensor([1.0, 2.0])
    assert show.op(lambda a, k=3: a * k, x).scene.title == "x * 3"
    assert show.op(lambda a, b, k=3, n=4: a * b**k + n, x, x, 2).scene.title == "x * x ** 2 + 4"
    assert show.op(lambda a, *, k=3: a * k, x).scene.title == "f(x)"


WHOLE = rf.tensor([[4, 2, 7], [5, 6, 0]])

WHERE = {
    "gather": (lambda: show.op("gather", WHOLE, 1, rf.tensor([[2], [0]]), names="xi"),
               "i[0, 0] is 2: y[0, 0] = x[0, 2] = 7."),
    "index": (lambda: show.op(lambda t, i: t[i], WHOLE[0], rf.tensor([2, 0]), names="xi"),
              "i[0] is 2: y[0] = x[2] = 7."),
    "two": (lambda: show.op(lambda t, i, j: t[i, j], WHOLE, rf.tensor([1]), rf.tensor([2]), names="xij"),
            "i[0] is 1 and j[0] is 2: y[0] = x[1, 2] = 0."),
    "mask": (lambda: show.op(lambda t, m: t[m], WHOLE[0], rf.tensor([False, True, True]), names="xm"),
             "m[1] is True: y[0] = x[1] = 2."),
    "added": (lambda: show.op("scatter_add", WHOLE[0], 0, rf.tensor([0, 0]), WHOLE[1, :2], names="xiv"),
              "i[0] is 0 and i[1] is 0: y[0] = 4 + 5 + 6 = 15."),
    "repeated": (lambda: show.op("repeat_interleave", WHOLE[0], rf.tensor([2, 1, 0]), names="xn"),
                 "n[0] is 2: y[0] = x[0] = 4."),
    "chosen": (lambda: show.op("where", rf.tensor([False, True]), WHOLE[0, :2], WHOLE[1, :2], names="cab"),
               "c[0] is False: y[0] = b[0] = 5."),
    "times": (lambda: show.op("mul", WHOLE[0], rf.tensor([True, False, True]), names="xm"), "y[0] = 4·True = 4."),
    "wrapped": (lambda: show.op("add", WHOLE[0].byte(), rf.tensor([255, 1, 1]).byte(), names="ab"),
                "y[0] = 4 + 255 = 259, which 8 bits hold as 3."),
}  # fmt: skip


@pytest.mark.parametrize("name", WHERE)
def test_of_whole_numbers_an_index_is_none_that_counts(name):
    call, told = WHERE[name]
    figure = call()
    assert said_of(figure, "y0") == [told] and not figure.scene.toggles
    assert not any("float" in line for line in figure.scene.about)


def test_a_panel_names_the_dtype_that_an_operand_has():
    about = show.op("mul", rf.tensor([1.5]), rf.tensor(3), names="xn").scene.about
    assert about[:2] == ("x: shape (1,), float32", "n: shape (), int64")


def test_what_stands_in_a_list_or_is_named_is_called_as_it_is_written():
    u, w = rf.tensor([1.0, 2.0]), rf.tensor([3.0, 4.0])
    assert show.op("stack", [u, w[:]]).scene.title == "stack([u, w[:]])"
    assert show.op("cat", (u, w.exp().log().sum()[None])).scene.title.endswith(",  a = w.exp().log().sum()[None]")
    assert show.op("clamp", u, min=w - 1).scene.title == "clamp(u, min=(w - 1))"
    assert show.op("cat", [u, *[w]]).scene.title.startswith("cat([u, w])")


def test_an_operation_has_its_own_name():
    figure = show.op(lambda x: F.max_pool2d(x * 2, 2, return_indices=True), rf.ones(1, 1, 2, 2), names="x")
    assert ", by mul and max_pool2d_with_indices, makes" in figure.sentences[0]


@pytest.mark.parametrize("f, operands, names, told", [
    ("index_fill", [rf.tensor([[1.5, 2.0]]), 1, rf.tensor([1]), -4.0], "xi", "i[0] is 1: y[0, 1] = -4."),
    ("scatter", [rf.tensor([[1, 2]]), 1, rf.tensor([[1]]), 8], "xi", "i[0, 0] is 1: y[0, 1] = 8."),
    (lambda x, b: rf.masked_fill(x, b, 5), [rf.tensor([[4, 3]]), rf.tensor([[False, True]])], "xb",
     "b[0, 1] is True: y[0, 1] = 5."),
    (lambda x, y: x.masked_fill(y > 2, 5.0), [rf.tensor([[4.0, 3.0]]), rf.tensor([[1.0, 6.0]])], "xz",
     "z[0, 1] is 6: y[0, 1] = 5."),
    (lambda x: F.one_hot(x, 2), [rf.tensor([1])], "x", "x[0] is 1: y[0, 1] = 1."),
    (lambda x: rf.full_like(x, 5), [rf.ones(1, 2)], "x", "y[0, 1] = 5, and nothing was read for it."),
    (lambda x: F.pad(x, (1, 1), value=3), [rf.ones(1, 1)], "x", "y[0, 2] = 3, and nothing was read for it."),
])  # fmt: skip
def test_a_number_that_an_argument_gives_comes_of_nothing_that_was_read_and_makes_no_copy(f, operands, names, told):
    figure = show.op(f, *operands, names=names)
    assert any(said.endswith(told) for said in figure.sentences) or equation_of(figure, "y1") == told
    assert "is a copy" not in figure.text() and told in (equation_of(figure, f"y{n}") for n in range(3))


def test_what_is_all_read_is_a_copy():
    assert "y is a copy" in show.op("index_select", rf.arange(6.0).reshape(2, 3), 1, rf.tensor([2, 0])).text()


ONLY = "only decides which numbers are read"


def test_what_a_mask_leaves_out_is_read_to_decide():
    x = rf.tensor([[5.0, -1.0], [0.5, 7.0]])
    figure = show.op(lambda x: x[x > 1], x)
    assert said_of(figure, "a0", "a1") == ["x[0, 0] = 5 is read by y[0].", f"x[0, 1] = -1 {ONLY}."]
    assert equation_of(figure, "a1", ("g",)) == f"x.grad[0, 1] = 0: x[0, 1] {ONLY}."
    mask = rf.tensor([[False, True], [True, False]])
    figure = show.op("masked_select", x, mask)
    assert said_of(figure, "b0", "a0") == [f"mask[0, 0] = False {ONLY}.", "x[0, 0] = 5 is read by nobody."]
    assert said_of(show.op(lambda x, m: x[m], x, mask, names="xm"), "b3") == [f"m[1, 1] = False {ONLY}."]
    assert said_of(show.op(lambda x, m: rf.where(m, x, 0.0)[:1], x, mask, names="xm"), "b3") == [
        "m[1, 1] = False is read by nobody."]  # fmt: skip


def test_numbers_that_something_comes_from_are_told_as_those_of_an_operand():
    x, m = rf.tensor([[3, 1]]), rf.tensor([[1, 2], [0, 4]])
    assert equation_of(show.op("einsum", "bi,ij,bj->b", x, m, x, names="xm"), "y0") == (
        "y[0] = (3·1 + 1·0)·3 + (3·2 + 1·4)·1 = 19.")  # fmt: skip
    assert equation_of(show.op("matmul", m, m, names="m"), "y3") == "y[1, 1] = 0·2 + 4·4 = 16."


def test_what_an_operation_gives_back_as_it_was_given_is_no_view():
    h = rf.tensor([1.0, -2.0, 3.0], requires_grad=True)
    assert "y is h itself: nothing is made." in show.op("contiguous", h).text()
    assert "y is h itself" in show.op(rf.nn.functional.dropout, h, p=0.5, training=False).text()
    assert "y is a view of h" in show.op("view", h, 3).text()


def test_a_function_of_pytorch_s_within_a_function_is_refused_with_the_one_to_write():
    torch = pytest.importorskip("torch")
    x = torch.tensor([0.5, -1.0])
    with pytest.raises(TypeError, match="stack in f"):
        show.op(lambda x: torch.stack([x, x], dim=1), x)
    assert show.op(torch.stack, [x, x], dim=1).scene.title == "stack([x, x], dim=1)"


def test_a_convolution_has_its_window_over_what_it_reads_and_both_sides_in_sight():
    x, w = rf.arange(25.0).view(1, 1, 5, 5), rf.ones(1, 1, 2, 2)
    figure = show.op("conv2d", x, w, names="xw")
    scene = figure.scene
    assert "off" in scene.index["W0_0"].cls
    assert scene.index["W1_0"].attrs[:2] == scene.index["W0_0"].attrs[:2]  # w lies on it, with a frame of that size
    corner = dict(scene.index["a6"].attrs)["transform"]  # y[1, 1] reads x[1, 1] first
    state = figure.state(link="y5")
    assert "off" not in state.classes["W0_0"]
    places = state.sets["W0_0", "transform"], corner
    x0, y0, u, v = (float(n) for place in places for n in re.findall(r"[\d.]+", place))
    assert (u - x0, v - y0) == (4, 4)
    assert scene.height == {"": scene.height["g"], "g": scene.height["g"]} and scene.height["g"] <= 400
    assert scene.flows == {"": (("a", "y"), ("b", "y")), "g": (("g", "p"), ("g", "q"))}


def test_what_reads_lines_that_do_not_overlap_has_no_window():
    assert "W0_0" not in show.op("matmul", rf.ones(2, 3), rf.ones(3, 2), names="ab").scene.index


def test_kernels_stand_in_a_block_with_one_label():
    svg = show.op("conv2d", rf.ones(2, 1, 4, 4), rf.ones(3, 1, 2, 2), names="xw").svg()
    assert (svg.count("> across<"), svg.count("> down<")) == (3, 1)  # of y there are two axes, of x and w one each


def at_(figure, id):
    """Where a cell stands."""
    return tuple(float(n) for n in re.findall(r"[\d.]+", dict(figure.scene.index[id].attrs)["transform"]))


def test_the_weights_of_attention_stand_in_a_grid_of_their_own_right_of_q_and_below_k():
    rf.manual_seed(3)
    q, k, v = (rf.randn(4, 3) for _ in range(3))
    for f in ("scaled_dot_product_attention", lambda q, k, v: (q @ k.T / 3**0.5).softmax(-1) @ v):
        figure = show.op(f, q, k, v, names="qkv")
        want = (q @ k.T / 3**0.5).softmax(1)
        said = equation_of(figure, "w6")  # weights[1, 2]
        assert said.startswith("weights[1, 2] ≈ ")
        assert figure.state(link="w6").seen == "weights[1, 2] is the share of that row of v."
        assert figure.state(link="y3").seen == "y[1, 0] adds up products of weights and v."
        assert float(said.removesuffix(".").split()[-1]) == pytest.approx(want[1, 2].item(), rel=1e-2)
        assert lit(figure, "w6", toggles=()) == {"w6", "a3", "a4", "a5", "b6", "b7", "b8", "y3", "y4", "y5"}
        assert at_(figure, "a3")[1] == at_(figure, "w4")[1] and at_(figure, "a3")[0] < at_(figure, "w4")[0]
        assert at_(figure, "b6")[0] == at_(figure, "w2")[0] and at_(figure, "b6")[1] < at_(figure, "w2")[1]
        assert at_(figure, "w0")[1] == at_(figure, "c0")[1] == at_(figure, "y0")[1] and figure.scene.height[""] <= 400
    assert {"w4", "w5", "w6", "w7", "a3"} <= lit(figure, "y4", toggles=())
    assert ("w", "y") in figure.scene.flows[""] and ("a", "w") in figure.scene.flows[""]


def test_attention_is_told_with_the_weights_that_are_drawn_and_its_shared_axes_have_one_letter():
    q, k, v = (rf.tensor(x, requires_grad=True) for x in ([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0]] * 2, [[1.0], [5.0]]))
    figure = show.op("scaled_dot_product_attention", q, k, v, names="qkv")
    assert " y[i, j] reads weights[i, m], v[m, j]; weights[i, :] reads q[i, l], k[m, l]: found" in figure.text()
    said = "y[1, 0] adds up products of weights and v: y[1, 0] = 0.5·1 + 0.5·5 = 3."  # k is 0: all weights are a half
    assert figure.state(link="y1").sentence == said
    said = "v.grad[1, 0] collects from g[0, 0] and g[1, 0]: v.grad[1, 0] = 0.5·3 + 0.5·1 = 2."  # g is 3, 1
    assert figure.state(link="c1", toggles=("g",)).sentence == said
    causal = show.op("scaled_dot_product_attention", q, k, v, is_causal=True, names="qkv")
    assert causal.state(link="y0").sentence.endswith(": y[0, 0] = 1·1 = 1.")  # row 0 sees itself alone
    assert lit(causal, "y0", toggles=()) == {"y0", "a0", "a1", "b0", "b1", "c0", "w0"}
    assert "weights[i, 0..i], v[0..i, j]" in causal.text()


def test_nothing_of_the_backward_side_stands_there_before_it():
    scene = show.op("conv1d", rf.ones(1, 1, 4), rf.ones(1, 1, 2), names="xw").scene
    sides = {shape.cls for shape in scene.shapes if {part.id for part in shape.walk()} & {"p0", "q0", "g0"}}
    assert sides == {("when-g",)}


def test_an_axis_has_the_letters_that_the_formula_reads_there():
    svg = show.op("conv1d", rf.arange(6.0).view(1, 1, 6), rf.ones(1, 1, 3), names="xw").svg()
    marks = [re.sub("<[^>]*>", "", part.partition("</g>")[0]) for part in svg.split('class="badge')[1:]]
    assert [mark.partition(">")[2] for mark in marks][:2] == ["k+m", "l"]


def test_softmax_has_its_shares_and_their_sum():
    figure = show.op("softmax", rf.tensor([[0.0, 0.0], [1.0, 1.0]]), dim=1, names="x")
    assert equation_of(figure, "w3") == "exp(x - max)[1, 1] = exp(1 - 1) = 1."
    assert equation_of(figure, "x1") == "sum[1, 0] = 1 + 1 = 2."
    assert equation_of(figure, "y3") == "y[1, 1] = 1 / 2 = 0.5.", "of the numbers that stand in the grids"
    assert lit(figure, "x1", toggles=()) == {"x1", "w2", "w3", "y2", "y3"}
    assert lit(figure, "y3", toggles=()) == {"y3", "a2", "a3", "w3", "x1"}


def test_a_norm_has_its_mean_and_its_deviation():
    figure = show.op("layer_norm", rf.tensor([[1.0, 3.0], [2.0, 10.0]]), (2,), names="x")
    assert equation_of(figure, "w1").startswith("mean[1, 0] = 6.")
    assert equation_of(figure, "x1").startswith("deviation[1, 0] = 4.")
    assert lit(figure, "w1", toggles=()) == {"w1", "a2", "a3", "y2", "y3"}
    assert "w0" not in show.op("exp", rf.ones(2), names="x").scene.index
    assert show.op("softmax", rf.tensor([[float("inf"), 1.0]]), dim=1, names="x").svg() and show.op(
        "softmax", rf.ones(0, 2), dim=1, names="x").svg()  # fmt: skip


TOLD_OF = re.compile(r"(?:(\d+|a) numbers?|(\d+) products?) of ([abc](?:(?:,| and) [abc])*)\b")


@each_op
def test_the_words_before_an_equation_count_what_lights(name):
    call, *operands = OPS[name]
    figure = show.op(call, *operands, names=list("abc"[: len(operands)]))
    for n in {0, 1, len([id for id in figure.scene.index if re.fullmatch(r"y\d+", id)]) - 1}:
        if figure.scene.family(f"y{n}") is None:
            continue
        state, lights = figure.state(link=f"y{n}"), lit(figure, f"y{n}", toggles=())
        assert "=" not in state.seen and len(state.seen.split()) <= 18 and state.sentence.startswith(state.seen[:-1])
        for many, products, whose in TOLD_OF.findall(state.seen):
            shown = sum(id[0] in re.findall(r"\b[abc]\b", whose) for id in lights)
            if products:
                assert 2 * int(products) >= shown >= int(products), state.seen
            else:
                assert int(many.replace("a", "1")) == shown, state.seen


def test_the_words_of_a_gradient_name_the_results_that_light():
    figure = show.op("matmul", some(2, 3), some(3, 2), names="ab")
    assert figure.state(link="p1", toggles=("g",)).seen == "a.grad[0, 1] collects from g[0, 0] and g[0, 1]."
    assert lit(figure, "p1", toggles=("g",)) == {"p1", "a1", "g0", "g1"}
    unread = show.op(lambda t: t[1:], rf.ones(3), names="a")
    assert unread.state(link="p0", toggles=("g",)).seen == "a.grad[0] collects nothing."


@pytest.mark.parametrize("names", ["qkv", "abc", "ijo"])
def test_the_formula_of_attention_with_heads_has_letters_whatever_its_operands_are_called(names):
    q, k, v = (rf.ones(1, 2, 3, 4) for _ in names)
    figure = show.op("scaled_dot_product_attention", q, k, v, names=list(names))
    assert any(f" reads {names[0]}[" in sentence for sentence in figure.sentences)


def test_names_that_leave_no_letter_for_a_formula_leave_the_rest_of_the_figure():
    x, w, *more = rf.ones(1, 2, 4, 4), rf.ones(2, 2, 3, 3), *(rf.ones(1) for _ in range(5))
    call = lambda a, b, c, d, e, f, g: rf.nn.functional.conv2d(a, b) + c + d + e + f + g  # noqa: E731
    figure = show.op(call, x, w, *more, names=list("ijklmno"))
    assert figure.state(link="y0").sentence.startswith("y[0, 0, 0, 0]")

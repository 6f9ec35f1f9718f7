"""Lessons 02, 04 and 05: answers worked out by hand, functions written in other ways, and what their text claims."""

from random import Random

import pytest

import rustyflow
from rustyflow.lessons import align_from_the_right, the_axis_that_disappears, views_lie_cheaply

LIBRARIES = ("rustyflow", "torch")


def words(result):
    return " ".join(result.text.split())


def another(value, random):
    """Something of the form of a value, with other numbers; now and then of another length."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-3, -2, -1, 1, 2, 3, 7))
    parts = list(value)
    if random.random() < 0.3:
        return tuple(parts + [1]) if random.random() < 0.5 else tuple([1] + parts)
    parts[random.randrange(len(parts))] += random.choice((-2, -1, 1, 2))
    return tuple(parts)


@pytest.mark.parametrize("lesson, name", [
    (views_lie_cheaply, "three_names"),
    (views_lie_cheaply, "which_allocate"),
    (align_from_the_right, "one_for_each"),
    (the_axis_that_disappears, "dim_and_keepdim"),
])  # fmt: skip
def test_random_wrong_values_are_refused(lesson, name):
    check, random = getattr(lesson, name), Random(0)
    for seed in range(200):
        case = check.numbers(seed)
        keys = [blank.key(**case) for blank in check.blanks.values()]
        place = random.randrange(len(keys))
        wrong = another(keys[place], random)
        if name == "dim_and_keepdim" and place == 0 and wrong in (keys[0], keys[0] - 3):
            continue  # the same axis, counted from the end
        given = [*keys[:place], wrong, *keys[place + 1 :]]
        assert check(*given, seed=seed).score == pytest.approx(1 - 1 / len(keys)), given


@pytest.fixture(params=LIBRARIES)
def torch(request):
    """What a lesson claims is so here and under PyTorch."""
    return pytest.importorskip(request.param)


def test_answers_of_lesson_02():
    assert views_lie_cheaply.row_of_a_view((40, 50, 60)).score == 1
    assert views_lie_cheaply.three_names(6, (1, 2), (2, 1)).score == 1
    assert views_lie_cheaply.what_is_written(55).score == 1
    assert views_lie_cheaply.which_allocate(False, True, False, True, False).score == 1
    said = views_lie_cheaply.which_allocate(0, "True", False, True, False)
    assert said.score == 3 / 5 and "first   0 is not it: write True or False." in said.text
    assert "second  'True' is not it: write True or False, without quotes." in said.text


def test_a_picture_is_unscrambled_in_other_ways_too():
    def by_permute(line, rows, columns):
        return line.view(columns, rows).permute(1, 0)

    def by_strides(line, rows, columns):
        return line.as_strided((rows, columns), (1, rows))

    def by_reshape(line, rows, columns):
        return rustyflow.transpose(line.reshape(columns, -1), 0, 1)

    for function in (by_permute, by_strides, by_reshape):
        assert views_lie_cheaply.unscramble(function).score == 1


def test_a_picture_that_is_copied_is_told_that_a_view_is_enough():
    def copied(line, rows, columns):
        return line.view(columns, rows).T.contiguous()

    def collected(line, rows, columns):
        return rustyflow.stack([line[row::rows] for row in range(rows)])

    for function in (copied, collected):
        said = views_lie_cheaply.unscramble(function)
        assert said.score == 0 and "50 cases of 50. But it copies the numbers" in words(said)


def test_a_picture_cut_into_rows_is_told_to_be_a_view_taken_for_a_transpose():
    said = words(views_lie_cheaply.unscramble(lambda line, rows, columns: line.reshape(rows, columns)))
    assert '"view turns rows into columns"' in said and "Here a stretch of the line is a column" in said


def test_a_picture_is_drawn_as_ink(torch):
    line = torch.tensor([8, 0, 0, 4, 8, 0])
    figure = views_lie_cheaply.ink(line.view(3, 2).T)  # a view with strides, of either library
    worn = {id: shape.cls for id, shape in figure.scene.index.items()}
    assert [worn[f"p{n}"][1] for n in range(6)] == ["shade7", "shade0", "shade7", "shade0", "shade3", "shade0"]
    assert not [shape.text for top in figure.scene.shapes for shape in top.walk() if shape.text]  # shades, no numbers
    assert figure.scene.about == ("row 0: 8 0 8", "row 1: 0 4 0")
    assert views_lie_cheaply.ink(None) is None  # of a function that is not written yet
    for wrong in line, torch.zeros(0, 2), torch.zeros(2, 65):
        with pytest.raises(ValueError, match="ink draws rows and columns"):
            views_lie_cheaply.ink(wrong)
    with pytest.raises(TypeError):
        views_lie_cheaply.ink([[8, 0]])


def test_memory_of_the_second_vote_is_drawn_before_and_after_its_last_line(torch):
    s = torch.arange(10, 130, 10).view(3, 4)
    a, b = s[1:2], s[[1]]
    a += 5
    b += 3
    assert rustyflow.show.strides(s, a, b, names=["s", "a", "b"]).sentences[0].startswith("s, a and b have 2 storages")
    a = a + 1
    assert "a storage each" in rustyflow.show.strides(s, a, b, names=["s", "a", "b"]).sentences[0]


def test_what_lesson_02_claims(torch):
    t = torch.arange(10, 130, 10).view(3, 4)
    u = t.T
    assert all(u[i, j] == t[j, i] for i in range(4) for j in range(3))
    assert [u[i, j].storage_offset() for i in range(4) for j in range(3)][:4] == [0, 4, 8, 1]
    assert t[1:].data_ptr() != t.data_ptr() and views_lie_cheaply.shares(t, t[1:])
    assert not views_lie_cheaply.shares(t, t[[2, 0, 0]])  # no stride goes from row 2 to row 0, and then nowhere
    colours = torch.arange(24).view(2, 4, 3)
    assert colours.permute(2, 0, 1).shape == colours.view(3, 2, 4).shape
    assert not torch.equal(colours.permute(2, 0, 1), colours.view(3, 2, 4))
    assert torch.equal(t.permute(1, 0), t.T)
    t[[2]] += 3
    assert t[2, 0] == 93


def test_answers_of_lesson_04():
    assert align_from_the_right.perfect_loss(13).score == 1
    assert align_from_the_right.shape_of_the_weights((3, 1)).score == 1
    assert align_from_the_right.one_for_each((2, 1, 1), (3, 1), (4,)).score == 1
    said = align_from_the_right.one_for_each((2, 1, 1), (3, 1), 4).text  # (4) is a number
    assert "4 is not it: one value in round brackets has a comma behind it, as in (7,)." in said
    said = words(align_from_the_right.one_for_each((2,), (1, 3, 1), (4, 1)))
    assert '"equal length means compatible"' in said and '"w needs as many axes as x"' in said


@pytest.mark.parametrize(
    "difference",
    [
        lambda pred, target: pred.squeeze(1) - target,
        lambda pred, target: pred - target[:, None],
        lambda pred, target: pred.T - target,
        lambda pred, target: target.unsqueeze(1) - pred,
        lambda pred, target: (pred - target).diagonal(),
    ],
)
def test_a_loss_is_mended_in_many_ways(difference):
    assert align_from_the_right.fixed_loss(lambda p, t: difference(p, t).pow(2).mean()).score == 1


def test_a_loss_that_still_broadcasts_is_told_so():
    for difference in (lambda p, t: p - t, lambda p, t: p - t[None, :], lambda p, t: p.view(-1) - t[:, None]):
        said = words(align_from_the_right.fixed_loss(lambda p, t, d=difference: (d(p, t) ** 2).mean()))
        assert '"equal length means compatible"' in said and "Give both the same shape" in said


def test_a_shape_is_found_by_padding_or_from_the_end():
    def broadcast_shape(a, b):
        result = []
        for k in range(1, max(len(a), len(b)) + 1):
            m, n = (a[-k] if k <= len(a) else 1), (b[-k] if k <= len(b) else 1)
            if m != n and 1 not in (m, n):
                return "clash"
            result = [max(m, n), *result]
        return result

    assert align_from_the_right.broadcast_shape(broadcast_shape).score == 1


def test_a_clash_that_is_none_is_told_and_one_that_is_missed():
    assert "these two fit" in align_from_the_right.broadcast_shape(lambda a, b: "clash").text

    def larger_sizes(a, b):
        rank = max(len(a), len(b))
        a, b = ((1,) * (rank - len(shape)) + shape for shape in (a, b))
        return tuple(map(max, a, b))

    said = words(align_from_the_right.broadcast_shape(larger_sizes))
    assert "these two clash" in said and '"the larger size wins"' in said


def test_what_lesson_04_claims(torch):
    pred, target = torch.tensor([[1.0], [3.0], [4.0], [8.0]]), torch.tensor([1.0, 3.0, 4.0, 8.0])
    with pytest.warns(UserWarning, match="target size"):
        assert torch.nn.functional.mse_loss(pred, target) == 13
    square, w = torch.ones(3, 3), torch.tensor([1.0, 10.0, 100.0])
    assert (square * w).tolist() == [[1, 10, 100]] * 3
    x = torch.ones(3, 4)
    for shape, result in ((1, 3), None), ((3,), None), ((3, 1), (3, 4)), ((3, 4), (3, 4)):
        if result is None:
            with pytest.raises(RuntimeError):
                x * torch.ones(shape)
        else:
            assert (x * torch.ones(shape)).shape == result
    best = target.mean().expand(4, 1)  # no prediction has a smaller loss than the mean of all targets
    assert all(((best + step - target) ** 2).mean() > ((best - target) ** 2).mean() for step in (-0.1, 0.1))
    assert (torch.ones(2, 1, 1) + torch.ones(3, 1) + torch.ones(4)).shape == (2, 3, 4)
    assert torch.equal(w[:, None], w.unsqueeze(1))


def test_answers_of_lesson_05():
    assert the_axis_that_disappears.shape_of_a_sum((4,)).score == 1
    assert the_axis_that_disappears.dim_and_keepdim(1, True, 8, 3).score == 1
    assert the_axis_that_disappears.dim_and_keepdim(-2, True, 8, 3).score == 1
    assert the_axis_that_disappears.what_adds_up(("column", 3)).score == 1


def test_a_dim_that_is_none_is_told_the_axes_there_are():
    for answer, why in (
        (0, "another axis goes then"),
        (5, "y has axes 0 to 2"),
        (True, "one number is asked for"),
        (float("nan"), "one whole number is asked for"),
        (1.5, "too large"),
    ):
        said = the_axis_that_disappears.dim_and_keepdim(answer, True, 8, 3)
        assert said.score == 3 / 4 and why in words(said)


@pytest.mark.parametrize(
    "centred",
    [
        lambda x: x - x.mean(-1)[:, None],
        lambda x: x - x.mean(1).unsqueeze(1),
        lambda x: (x.T - x.mean(1)).T,
        lambda x: x - x.sum(axis=1, keepdims=True) / x.shape[1],
        lambda x: rustyflow.stack([row - row.mean() for row in x]),
    ],
)
def test_rows_are_centred_in_many_ways(centred):
    assert the_axis_that_disappears.centred_rows(centred).score == 1


def test_a_function_that_changes_its_argument_is_told_so():
    said = the_axis_that_disappears.centred_rows(lambda x: x.sub_(x.mean(1, keepdim=True)))
    assert said.score == 0 and "50 cases of 50. But it also changes x, which belongs to the caller" in words(said)


def test_means_that_do_not_fit_are_told_with_the_line():
    def centred_rows(x):
        return x - x.mean(1)

    said = words(the_axis_that_disappears.centred_rows(centred_rows))
    assert (
        "It stopped with an error" in said and "return x - x.mean(1)" in said and "shapes align from the right" in said
    )


def test_softmax_is_written_and_not_called():
    def stable(x, dim):
        e = (x - x.amax(dim, keepdim=True)).exp()
        return e / e.sum(dim, keepdim=True)

    def borrowed(x, dim):
        return rustyflow.softmax(x, dim)

    assert the_axis_that_disappears.softmax_by_hand(stable).score == 1
    said = the_axis_that_disappears.softmax_by_hand(borrowed)
    assert said.score == 0 and "it calls softmax, which is what is to be written" in words(said)


def test_what_lesson_05_claims(torch):
    x = torch.tensor([[2.0, 7.0, 1.0, 8.0], [3.0, 1.0, 4.0, 6.0], [5.0, 9.0, 2.0, 7.0]])
    assert torch.equal(x.sum(axis=1, keepdims=True), x.sum(dim=1, keepdim=True))
    p = torch.softmax(x, dim=0)
    assert p.shape == x.shape and ((p > 0) & (p < 1)).all()
    assert torch.allclose(torch.softmax(x, dim=-1).sum(1), torch.ones(3))
    assert torch.allclose(torch.softmax(x - 100, dim=1), torch.softmax(x, dim=1), atol=1e-5)
    large = torch.tensor([[1000.0, 1001.0]])
    assert large.exp().isinf().all() and (large.exp() / large.exp().sum(1, keepdim=True)).isnan().all()
    square = torch.tensor([[0.0, 0.0, 0.0], [3.0, 3.0, 3.0], [9.0, 9.0, 9.0]])
    assert (square - square.mean(dim=1))[:, 1].tolist() == [-3, 0, 6]  # column 1 lost the mean of row 1
    y = torch.arange(24).view(2, 3, 4)
    with pytest.raises(RuntimeError, match="mean"):
        y.mean(dim=1)
    assert y.sum(dim=(0, 2)).shape == (3,) and y.sum(dim=1, keepdim=True).shape == (2, 1, 4)

"""The widgets as Python sees them: what is set is shown; what cannot be is said, and the figure that was stays."""

import pytest

import rustyflow as rf

pytest.importorskip("anywidget")
from rustyflow import widgets

X = rf.arange(12).view(3, 4)


def kept(widget):
    return widget.figure.scene.title, widget._note


def test_a_layout_past_the_storage_builds_no_tensor_and_says_what_would_fit():
    play = widgets.StridesPlayground(X, name="x")
    with play.together():
        play.stride, play.offset = [5, 1], 1
    assert play.tensor is None and play.figure.sentences == (
        "3 cells would read slots 12, 13 and 14; the storage has slots 0 to 11.",
    )
    assert "With stride[0] = 3 all 12 would fit" in play._note
    said = play.figure.svg()
    assert ">?<" in said and "storage of x: 12 int64 numbers" in said
    assert "virtual" in play.figure.state(0).classes["s14"]
    play.stride = [3, 1]
    assert play.tensor.tolist() == X.as_strided((3, 4), (3, 1), 1).tolist() and play._note == ""


@pytest.mark.parametrize(
    "button, shape, stride",
    [
        ("transpose", [4, 3], [1, 4]),
        ("slice", [2, 4], [4, 1]),
        ("expand", [2, 3, 4], [0, 4, 1]),
        ("view", [12], [1]),
        ("unfold", [3, 3, 2], [4, 1, 1]),
    ],
)
def test_each_button_takes_a_view_of_the_view(button, shape, stride):
    play = widgets.StridesPlayground(X, name="x")
    play._hear(play, {"press": button}, [])
    assert (play.shape, play.stride) == (shape, stride) and play.tensor.shape == tuple(shape)
    play._hear(play, {"press": "start again"}, [])
    assert (play.shape, play.stride, play.offset) == ([3, 4], [4, 1], 0)


def test_a_view_that_cannot_be_names_the_axes_that_cannot_merge():
    play = widgets.StridesPlayground(X.t(), name="y")
    before = play.figure
    play._hear(play, {"press": "view"}, [])
    assert "dims 0 and 1 cannot merge" in play._note and play.figure is before


@pytest.mark.parametrize(
    "shape, stride, offset",
    [
        ([300, 300], [1, 1], 0),
        ([2], [1, 1], 0),
        ([-1, 2], [1, 1], 0),
        ([3], [-5], 2),
        ([3], [10**9], 0),
        ([1] * 9, [1] * 9, 0),
    ],
)
def test_a_layout_that_cannot_be_drawn_leaves_the_figure(shape, stride, offset):
    play = widgets.StridesPlayground(X, name="x")
    title = play.figure.scene.title
    with play.together():
        play.shape, play.stride, play.offset = shape, stride, offset
    assert play.figure.scene.title == title and play._note.startswith("The figure stays as it was.")


def test_shapes_that_are_typed_meet_or_clash():
    play = widgets.BroadcastPlayground((3, 1), (4,))
    assert play.result == (3, 4) and len(play.figure.scene.links) > 0
    play.shapes = ["(3, 4)", "3"]
    assert play.result is None and any("[:, None]" in sentence for sentence in play.figure.sentences)
    assert play.figure.sentences[0].endswith("From the right, 4 meets 3 along j, dim 1: they clash.")
    assert not [id for (id, _) in play.figure.state(0).sets if id[:1] == "T"]  # aligned, as in the end
    play.shapes = ["2,1,1,1,5", "3, 1, 1"]
    assert play.result == (2, 1, 3, 1, 5)
    for wrong in ("3, x", "-1", "1" * 99, "[[", "1.5", "__import__('os')"):
        play.shapes = ["3", wrong]
        assert "a shape is up to eight whole numbers" in play._note, wrong


def test_a_shape_that_cannot_be_read_is_told_beside_those_that_are_drawn():
    play = widgets.BroadcastPlayground((3, 4), (3, 1))
    for typed in ("(3", "(3 ", "(3 4", "(3 4)"):
        play.shapes = ["(3, 4)", typed]
    assert play._note.startswith("The figure shows what could be read last: a of (3, 4), b of (3,). '(3 4)': ")
    assert play._note.endswith("\ntry: (3, 1)")


def test_other_shapes_are_seen_from_their_first_step_and_another_operation_at_the_same():
    play = widgets.BroadcastPlayground((3, 1), (4,))
    play.open()
    play.frame = 3
    play.op = "*"
    assert play.frame == 3
    play.shapes = ["(3, 4)", "3"]
    assert play.frame == 0
    play.frame = 2
    play.shapes = ["(3, 4)", "3, x"]  # the figure stays
    assert play.frame == 2


def test_an_expression_follows_what_is_typed():
    a = rf.tensor([1.0, -2.0], requires_grad=True)
    widget = widgets.Expression("(a * b).sum()", a=a, b=rf.tensor([3.0, 4.0]))
    assert widget.result.item() == -5 and "a.grad" in widget.figure.text()
    assert "sum result" not in widget.figure.svg() and "tensors" not in widget.figure.svg()
    widget.text = "a.relu() + b"
    widget.cells = ["[5, -2]", "[3, 4]"]
    assert widget.result.tolist() == [8, 4] and a.tolist() == [1, -2]
    title = kept(widget)[0]
    for text in ("(a * ", "a.tolist()", "9**9**9 * a", "a + nobody", "a @ a @ a @"):
        widget.text = text
        assert kept(widget)[0] == title and widget._note.startswith("The figure stays as it was.")
    widget.text = "b * 2"
    assert widget._note == "" and widget.figure.scene.title == "b * 2"
    for cells in ("[1, 2", "[[1], [2, 3]]", "'a'", "[" * 500, str(list(range(99)))):
        widget.cells = [cells, "[1, 1]"]
        assert "a tensor is a number, or lists of them" in widget._note, cells


def test_an_expression_keeps_its_factors_until_they_are_asked_for():
    def factors(figure, *state, **more):
        worn = figure.state(*state, **more).classes
        cls = {id: worn.get(id, shape.cls) for id, shape in figure.scene.index.items() if "factor" in shape.cls}
        return {figure.scene.index[id].text for id, on in cls.items() if "asked" not in on or "lit" in on}

    three, seven = rf.tensor(3.0), rf.tensor(7.0)
    figure = widgets.Expression("a * b / 4", a=three, b=seven, factors=False).figure
    assert factors(figure, 0) == set() and factors(figure, 4) == set()
    assert factors(figure, 0, link="n0") == {"·7"} and factors(figure, 0, link="n2") == {"·7", "·3", "·.25"}
    assert factors(figure, 7) == {"·.25"} and factors(figure, 12) == {"·7", "·3"}  # the steps that go over the arrows
    assert "g·7" not in figure.text() and "a.grad = 1.75" in figure.text() and figure.where("a.grad").value == 1.75
    assert factors(widgets.Expression("a * b / 4", a=three, b=seven).figure, 0) == {"·7", "·3", "·.25"}


def test_what_is_too_large_for_a_float_is_inf_and_no_sign_that_something_has_changed():
    for backward in (False, True):
        text = widgets.Expression("x ** 100", backward=backward, x=rf.tensor(3.0)).figure.text()
        assert "pow gives inf." in text and "changed" not in text


def test_an_expression_shows_values_alone_where_gradients_are_not_asked_for():
    x, w, b = rf.tensor(3.0), rf.tensor(4.0), rf.tensor([2.0, 5.0])
    widget = widgets.Expression("x * w + b", backward=False, x=x, w=w, b=b)
    figure = widget.figure
    assert figure.sentences == ("2 operations made [14, 17] from x, w and b.", "mul: 3·4 = 12.",
                                "add: 12 + [2, 5] = [14, 17].")  # fmt: skip
    assert "grad" not in figure.text() and "not yet" not in figure.svg(0) and "backward" not in figure.text()
    assert "" in figure.state(1).sets.values()  # the sum is yet to come
    assert figure.state(0, "n0").sentence == "x is 3."
    widget.text = "x"
    assert "x is a leaf" in widget.figure.text()


def test_the_six_figures_follow_their_inputs():
    x = rf.ones(2, 3, requires_grad=True)
    reduce = widgets.Reduce(x, name="x")
    reduce.op, reduce.dim, reduce.keepdim = "mean", "1", True
    assert kept(reduce) == ("x.mean(dim=1, keepdim=True)", "")
    strides = widgets.Strides(x, names=["x"])
    strides.tensors = [x, x.t()]
    assert kept(strides)[1] == ""
    back = widgets.Backward((x * x).sum(), title="y")
    back.upstream = "10"
    assert "20" in back.figure.text()
    back.upstream = "1 2 3"
    assert "one number, or one for each cell" in back._note
    graph = widgets.Graph(x.exp())
    graph.y = x.exp().sum()
    assert "2 operations" in graph.figure.sentences[0]
    matmul = widgets.Matmul(x, rf.ones(3, 2), names=["a", "b"])
    matmul.b = 3
    assert "a figure is drawn of a tensor" in matmul._note


def test_an_operation_follows_what_is_typed_for_its_operands():
    x = rf.tensor([[1.0, 2.0], [3.0, 4.0]])
    widget = widgets.Op("gather", x, 1, rf.tensor([[0], [1]]), names=["x", "i"])
    assert [c["label"] for c in widget._controls] == ["x =", "i ="]
    assert widget.figure.state(link="y1").sentence.endswith(": i[1, 0] is 1: y[1, 0] = x[1, 1] = 4.")
    widget.cells = ["[[1, 2], [30, 4]]", "[[0], [0]]"]
    assert widget.figure.state(link="y1").sentence.endswith(": i[1, 0] is 0: y[1, 0] = x[1, 0] = 30.")
    assert x.tolist() == [[1, 2], [3, 4]]
    title = kept(widget)[0]
    for cells in ("[[0], [7]]", "[[0], [", "x", "[[[0]]]"):
        widget.cells = ["[[1, 2], [30, 4]]", cells]
        assert kept(widget)[0] == title and widget._note.startswith("The figure stays as it was."), cells
    whole = widgets.Op("cumsum", rf.ones(100), dim=0, names=["x"])
    assert whole.cells == [""] and not whole._controls
    with pytest.raises(TypeError, match="no tensor among the operands"):
        widgets.Op("exp", 3)


def test_what_is_written_in_place_is_seen_after_refresh():
    x = rf.zeros(2)
    widget = widgets.Strides(x, names=["x"])
    x[0] = 7
    widget.refresh()
    assert ">7<" in widget.figure.svg()


def test_labels_are_no_markup():
    widget = widgets.Strides(X, names=["<img src=x onerror=alert(1)>"])
    assert "<img src=x" not in widget.figure.svg()


def test_what_no_widget_can_be_made_of_is_said_without_noise(recwarn):
    import gc

    import numpy as np

    with pytest.raises(TypeError, match="tensor of rustyflow's"):
        widgets.StridesPlayground(np.ones(3))
    with pytest.raises(TypeError, match="int64"):
        widgets.Expression("a", a=rf.arange(3))
    gc.collect()
    assert not [w for w in recwarn if "unraisable" in str(w.category).lower()]


def test_numbers_without_axes_and_special_ones():
    assert widgets.BroadcastPlayground("", "3").result == (3,)
    assert widgets.BroadcastPlayground((), ()).figure.sentences
    e = widgets.Expression("a * 2", a=rf.tensor([float("nan"), float("-inf")]))
    assert e.result.tolist()[1] == -float("inf") and "a.grad" in e.figure.text()
    e.cells = ["[1, None]"]
    assert "a tensor is a number" in e._note
    e.cells = ["1", "2"]
    assert "2 texts for 1 tensors" in e._note
    play = widgets.BroadcastPlayground("3", "4")
    play.shapes = ["3"]
    assert "two or three shapes meet" in play._note and play.result is None
    strides = widgets.StridesPlayground(X, name="x")
    strides._hear(strides, {"press": "foo"}, [])
    assert "the buttons are transpose" in strides._note
    strides.shape = [3]
    assert strides.tensor is None and "each axis has a size" in strides._note


def test_what_is_no_whole_number_is_refused_in_three_parts():
    play = widgets.StridesPlayground(X, name="x")
    for name, value, said in [
        ("stride", "x", "'x' in stride, of type str"),
        ("stride", ["x", 1], "'x' in stride, of type str"),
        ("shape", [2.5, 1], "2.5 in shape, of type float"),
        ("offset", "2", "offset = '2', of type str"),
    ]:
        with pytest.raises(TypeError) as raised:
            setattr(play, name, value)
        assert raised.value.was == said and raised.value.rule and raised.value.fix.startswith(f"playground.{name}")
    assert play.stride == list(X.stride()) and play.tensor is not None

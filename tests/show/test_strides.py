"""show.strides against memory itself, against numbers worked by hand, and against what nobody should have to draw."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

import rustyflow as rf
from rustyflow import show
from rustyflow.errors import StorageBoundsError
from rustyflow.scene import Figure, draw
from rustyflow.show.source import Source, source_of
from rustyflow.show.strides.axes import letters
from rustyflow.show.strides.figure import scene_of

X = np.arange(12).reshape(3, 4)


@pytest.fixture
def y():
    return show.strides(X.T[1:, :2], names=["y"], title="y = x.T[1:, :2]")


def lit(figure, **ask):
    return {name for name, classes in figure.state(**ask).classes.items() if "lit" in classes}


def texts(figure, **ask):
    state = figure.state(**ask)
    return [value for (name, kind), value in state.sets.items() if kind == "text"]


# worked by hand: shape (3, 2), stride (1, 4), offset 1; y[2, 1] is slot 1 + 2*1 + 1*4 = 7


def test_a_cell_lights_its_slot_and_fills_the_formula(y):
    assert lit(y, link="a5") == {"a5", "s7"}
    assert sorted(texts(y, link="a5")) == ["1·4", "2·1", "7", "y[2, 1] reads slot"]
    assert y.state(link="a5").sentence == "y[2, 1] is slot 7, value 7; X sees it as X[1, 3]."


def test_a_slot_lights_every_cell_that_reads_it(y):
    assert lit(y, link="s5") == {"a1", "s5"}
    assert y.state(link="s4").sentence == "Slot 4 holds 4 and is not read by y."
    both = show.strides(X, X.T[1:, :2], names=["x", "y"])
    assert lit(both, link="s7") == {"a7", "b5", "s7"}
    assert both.state(link="s7").sentence == "Slot 7 holds 7 and is read by x[1, 3] and y[2, 1]."
    assert lit(both, link="b5") == {"a7", "b5", "s7"}, "x sees it as x[1, 3]: what is named is lit"


def test_what_is_never_read_is_hatched(y):
    shapes = y.scene.index
    assert [s for s in range(12) if "unread" in shapes[f"s{s}"].cls] == [0, 4, 8, 9, 10, 11]


def test_the_story_of_a_view(y):
    said = [frame.sentence for frame in y.frames]
    assert said[3] == "The first cell, y[0, 0], reads slot 1: that is storage_offset."
    assert said[4] == "One step along j, dim 0, moves 1 slot: stride[0] is 1."
    assert said[5] == "One step along i, dim 1, moves 4 slots: stride[1] is 4."
    assert said[7].startswith("Read in order, y visits slots 1, 5, 2, 6, 3, 7: not one after the other")
    lights = [{"a0", "s1"}, {"a0", "s1", "a2", "s2"}, {"a0", "s1", "a1", "s5"}, {"a5", "s7"}]
    assert [lit(y, frame=k) for k in (3, 4, 5, 6)] == lights


def test_a_step_along_an_axis_is_an_arc_with_its_stride(y):
    hops = {id: y.scene.index[id] for id in ("hop0_0", "hop0_1")}
    assert [hop.children[1].text for hop in hops.values()] == ["1", "4"]
    for k, (id, hop) in zip((4, 5), hops.items(), strict=True):
        state = y.state(k)
        assert "off" in hop.cls and "off" not in state.classes[id] and ("w", "d") not in state.sets
        ends = [dict(y.scene.index[slot].attrs)["transform"] for slot in ("s1", f"s{2 if k == 4 else 5}")]
        (x, _), (u, _) = (map(float, end[10:-1].split()) for end in ends)
        middle = dict(y.scene.index["s1"].children[0].attrs)["width"] / 2
        path = dict(hop.children[0].attrs)["d"]
        assert path.startswith(f"M{round(x + middle, 1):g} ") and f" {round(u + middle, 1):g} " in path
    assert [y.state(k).sets["q0_6", "text"] for k in (4, 5)] == ["2", "5"]
    ink = [next(c for c in hop.cls if c.startswith("ink")) for hop in hops.values()]
    assert ink == [y.scene.index[f"q0_{k}"].cls[1] for k in (2, 4)]  # as in the formula


def test_a_stride_of_0_is_an_arc_that_comes_back():
    e = show.strides(np.broadcast_to(np.arange(3)[:, None], (3, 4)), names=["e"])
    assert [e.scene.index[f"hop0_{d}"].children[1].text for d in (0, 1)] == ["1", "0"]
    frame = next(k for k, sentence in enumerate(e.sentences) if "moves 0 slots" in sentence)
    assert lit(e, frame=frame) == {"a0", "a1", "s0"} and "off" not in e.state(frame).classes["hop0_1"]


def test_an_arc_does_not_cross_the_rows_of_a_long_storage():
    x = show.strides(np.arange(48).reshape(2, 24), names=["x"])
    frame = next(k for k, sentence in enumerate(x.sentences) if "moves 24 slots" in sentence)
    assert "hop0_0" not in x.scene.index and x.frames[frame].link == "a24"


def test_the_text_says_what_the_card_shows(y):
    assert str(y).splitlines()[:6] == [
        "y = x.T[1:, :2]", "  shape: (3, 2)", "  stride: (1, 4)", "  storage_offset: 1", "  contiguous: no",
        "  shares with: X",
    ]  # fmt: skip


def test_the_cells_rise_from_the_slots_they_read(y):
    before, after = y.state(frame=1), y.state(frame=2)
    slot = dict(y.scene.index["s7"].attrs)["transform"]
    assert before.sets["a5", "transform"] == slot and "off" in before.classes["a5"]
    assert ("a5", "transform") not in after.sets and "a5" not in after.classes
    moved = {name for k in range(len(y.frames)) for name, kind in y.state(k).sets if kind == "transform"}
    assert moved == {f"a{k}" for k in range(6)}  # the tape never moves


def test_axes_keep_their_letter_and_hue_through_views():
    letters = {}
    for name, view in {"t": X.T, "s": X[::2, 1:], "d": X.diagonal(), "row": X[1], "e": X[:, None]}.items():
        index = show.strides(X, view, names=["x", name]).scene.index
        labels = [label for id, group in index.items() if id.startswith("g1_") for label in group.children]
        letters[name] = [label.children[1].text for label in labels if "badge" in label.cls]
    assert letters == {"t": ["i", "j"], "s": ["j", "i"], "d": ["k"], "row": ["j"], "e": ["j", "k", "i", "i", "i"]}


def test_what_is_a_view_of_what_does_not_hang_on_who_else_reads_the_storage():
    x = rf.arange(12).view(3, 4)
    y = x[1:]
    z = x.view(12)
    for figure in (show.strides(x), show.strides(x, names="x")):
        assert figure.sentences[0] == "x is a way of reading a storage of 12 numbers."
        assert figure.sentences[1].startswith("x keeps 12 numbers") and "view of" not in figure.text()
        assert figure.sentences[-1].startswith("x, z and y share this storage")
    assert show.strides(y).sentences[0].startswith("y is a view of x: ")
    assert show.strides(z).sentences[0].startswith("z is a view of x: ")
    assert show.strides(x.view(4, 3)).sentences[0].startswith("x.view(4, 3) is a view of x: ")
    del x, z
    w = y[:, 1:]
    assert show.strides(w).sentences[0].startswith("w is a view of y: ")
    assert show.strides(y).sentences[0] == "y is a way of reading a storage of 12 numbers."


@pytest.mark.parametrize("code, want", [
    ("x.view(4, 3)", "kl"), ("x.view(2, 6)", "kl"), ("x.view(3, 2, 2)", "ikl"), ("x.view(3, 1, 4)", "ikj"),
    ("x[1:2]", "ij"),
    ("x.view(12)", "k"), ("x.flip(0)", "kl"), ("x[:1].expand(3, 4)", "kj"), ("x[0].unfold(0, 2, 1)", "kl"),
    ("x.t()[::2]", "ji"), ("x.diagonal()", "k"), ("x[:, 1:]", "ij"),
])  # fmt: skip
def test_what_is_made_of_several_axes_or_of_a_part_of_one_has_a_letter_of_its_own(code, want):
    x = rf.arange(12).view(3, 4)
    both = [source_of(x, "x"), source_of(eval(code), "y")]
    assert "".join(map(draw.letter_of, letters(both)[1])) == want


@given(st.data())
def test_along_an_axis_with_a_letter_of_the_base_each_step_leads_along_that_axis(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    base = np.arange(int(np.prod(shape))).reshape(shape).transpose(data.draw(st.permutations(range(len(shape)))))
    view = base
    for _ in range(data.draw(st.integers(0, 3))):
        way = data.draw(st.sampled_from(["slice", "flip", "turn", "split", "merge", "diagonal", "window"]))
        d = data.draw(st.integers(0, view.ndim - 1)) if view.ndim else None
        if d is None or 0 in view.shape:
            break
        lead = (slice(None),) * d
        if way == "slice":
            view = view[(*lead, slice(data.draw(st.integers(0, 1)), None, data.draw(st.integers(1, 2))))]
        elif way == "flip":
            view = view[(*lead, slice(None, None, -1))]
        elif way == "turn":
            view = view.swapaxes(0, d)
        elif way == "split" and view.shape[d] == 4:
            view = view.view()
            view = np.lib.stride_tricks.as_strided(view, (*view.shape[:d], 2, 2, *view.shape[d + 1 :]), (
                *view.strides[:d], 2 * view.strides[d], *view.strides[d:]))  # fmt: skip
        elif way == "merge" and d and view.strides[d - 1] == view.strides[d] * view.shape[d]:
            view = view.reshape(*view.shape[: d - 1], -1, *view.shape[d + 1 :])
        elif way == "diagonal" and d:
            view = view.diagonal(0, d - 1, d)
        elif way == "window":
            view = np.lib.stride_tricks.sliding_window_view(view, 1, d)
    if 0 in view.shape:
        return
    mine, own = letters([source_of(base, "x"), source_of(view, "y")])
    assert len(set(mine)) == len(mine) and len(set(own)) == len(own)
    places = {value: index for index, value in np.ndenumerate(base)}
    for index, value in np.ndenumerate(view):
        for d, letter in enumerate(own):
            after = tuple(i + (e == d) for e, i in enumerate(index))
            if letter in mine and after[d] < view.shape[d]:
                steps = np.subtract(places[view[after].item()], places[value])
                assert [a for a, by in enumerate(steps) if by] in ([mine.index(letter)], [])


def test_repeated_cells_are_virtual_and_their_slot_is_aliased():
    figure = show.strides(np.broadcast_to(np.array([[1.0], [2.0]]), (2, 3)), names=["e"])
    classes = [figure.scene.index[f"a{n}"].cls for n in range(6)]
    assert [("virtual" in c, "aliased" in c) for c in classes] == [(False, True), (True, False), (True, False)] * 2
    assert "aliased" in figure.scene.index["s1"].cls
    assert lit(figure, link="s1") == {"s1", "a3", "a4", "a5"}
    assert "e looks like 6 numbers, and reads only 2 slots." in figure.frames[-1].sentence


def test_a_copy_gets_a_tape_of_its_own():
    figure = show.strides(X, X.T.copy(), names=["x", "c"])
    assert lit(figure, link="b1") == {"b1", "t1"}
    assert figure.frames[0].sentence.startswith("x and c have a storage each")
    assert any("has a storage of its own" in frame.sentence for frame in figure.frames)


def test_numbers_are_drawn_as_what_they_are():
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 0.1, 3.0], dtype=np.float32)
    drawn = [figure_text(show.strides(values, names=["v"]), f"a{k}") for k in range(6)]
    assert drawn == ["nan", "inf", "-inf", "-0", "0.1", "3"]
    assert show.strides(values, names=["v"]).state(link="a4").sentence == "v[4] is slot 4, value 0.1."
    assert figure_text(show.strides(np.array([True]), names=["b"]), "a0") == "True"
    assert figure_text(show.strides(np.array([1 + 2j]), names=["c"]), "a0") == "(1+2j)"


def figure_text(figure, name):
    return next(s.text for s in figure.scene.index[name].walk() if s.tag == "text")


@pytest.mark.parametrize("empty", [np.zeros((0, 3)), np.zeros((2, 0)), np.zeros(0), X[3:]])
def test_an_empty_tensor(empty):
    figure = show.strides(empty, names=["e"])
    assert "no cells" in figure.svg() and "leaves no cells" in figure.frames[-1].sentence


def test_a_scalar():
    figure = show.strides(X[1, 2:3].reshape(()), names=["s"])
    assert figure.state(link="a0").sentence == "s is slot 6, value 6; X sees it as X[1, 2]."
    assert "no axes, one cell" in str(figure)


def test_a_slot_that_a_view_reads_again_is_said_to_be_seen_in_more_cells():
    row = np.arange(3)
    figure = show.strides(row, np.broadcast_to(row, (4, 3)), names=["row", "big"])
    assert figure.state(link="a1").sentence == "row[1] is slot 1, value 1; big sees it as big[0, 1] and 3 more."


@st.composite
def layouts(draw):
    """A view of an array: transposed, stepped, reversed, repeated, of rank 0 to 4."""
    shape = draw(st.lists(st.integers(0, 3), max_size=4))
    x = np.arange(int(np.prod(shape))).reshape(shape)
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    step = st.builds(slice, st.integers(0, 2), st.none(), st.sampled_from([1, 2, -1]))
    x = x[tuple(draw(step) for _ in shape)] if shape else x
    if draw(st.booleans()) and x.ndim < 4:
        x = np.broadcast_to(x[..., None], (*x.shape, draw(st.integers(1, 3))))
    return x


@given(layouts())
def test_every_cell_reads_the_slot_that_holds_its_value_and_the_formula_adds_up_to_it(x):
    figure = show.strides(x, names=["x"])
    assert len([name for name in figure.scene.index if re.fullmatch(r"a\d+", name)]) == x.size
    offset = int(re.search(r"storage_offset: (\d+)", str(figure))[1]) if x.size else 0
    for number, index in enumerate(np.ndindex(x.shape)):
        slot = int(x[index])  # the storage counts up from 0, so that a value is its own address
        assert lit(figure, link=f"a{number}") == {f"a{number}", f"s{slot}"}
        assert f"a{number}" in lit(figure, link=f"s{slot}")
        terms = [t for t in texts(figure, link=f"a{number}") if re.fullmatch(r"\d+·\(?-?\d+\)?", t)]
        products = [int(i) * int(s.strip("()")) for i, s in (t.split("·") for t in terms)]
        assert len(products) == x.ndim and offset + sum(products) == slot


def test_rustyflow_numpy_and_torch_give_the_same_picture():
    mine = show.strides(rf.arange(12).view(3, 4).t()[1:, :2], names=["y"], title="y")
    theirs = show.strides(np.arange(12).reshape(3, 4).T[1:, :2], names=["y"], title="y")
    assert mine.svg(0) == theirs.svg(0) and str(mine) == str(theirs)
    torch = pytest.importorskip("torch")
    assert show.strides(torch.arange(12).view(3, 4).t()[1:, :2], names=["y"], title="y").svg(0) == mine.svg(0)


def test_torch_only_kinds():
    torch = pytest.importorskip("torch")
    assert "bfloat16" in show.strides(torch.ones(3, dtype=torch.bfloat16), names=["x"]).svg()
    leaf = torch.arange(3.0, requires_grad=True)
    assert show.strides(leaf[1:], names=["x"]).state(link="a0").sentence.startswith("x[0] is slot 1, value 1;")


def test_torch_tensors_without_memory_to_show():
    torch = pytest.importorskip("torch")
    for x, why in ((torch.eye(2).to_sparse(), "x has no storage that can be read"),
                   (torch.empty(3, device="meta"), "x, a torch.Tensor.*\n.*has a shape and no numbers")):
        with pytest.raises(TypeError, match=why):
            show.strides(x, names=["x"])
    assert "no cells" in show.strides(torch.empty(0), names=["x"]).svg()


def test_cells_have_their_numbers_where_these_can_be_read_on_a_screen_and_up_to_2048_a_colour():
    assert figure_text(show.strides(np.arange(64).reshape(8, 8), names=["x"]), "a63") == "63"
    for shape in ((8, 8), (12, 16), (16, 16), (2, 3, 4, 5), (300, 400), (1000,)):
        x = show.strides(np.arange(np.prod(shape)).reshape(shape), names=["x"]).scene
        sizes = {dict(part.attrs)["font-size"] for top in x.shapes for part in top.walk() if part.tag == "text"}
        assert x.height <= 560 and sizes <= {14, 18, 24}, shape
    assert "dot" in show.strides(np.arange(256).reshape(16, 16), names=["x"]).scene.index["a255"].cls
    assert show.strides(np.arange(64) * 1000.5, names=["x"]).scene.height <= 560
    many = show.strides(np.arange(2048).reshape(32, 64), names=["x"])
    assert "dot" in many.scene.index["a2047"].cls and lit(many, link="a2047") == {"a2047", "s2047"}
    more = show.strides(np.arange(3000.0).reshape(50, 60), names=["x"])
    assert more.state(link="a35").sentence.startswith("x[49, 59] is slot 2999")
    assert "min 0, max 2999, NaN 0, Inf 0" in str(more)


@pytest.mark.parametrize("low, high, said", [
    (0.25, 0.999999, "min 0.25, max ≈ 1,"), (-1 / 3, 12.5, "min ≈ -0.3333, max 12.5,"),
    (-7, 123456, "min -7, max 123456,"), (1.0, 1e-9, "min 1e-9, max 1,"),
])  # fmt: skip
def test_the_ends_of_what_is_too_large_to_draw_are_said_to_be_cut_where_they_are(low, high, said):
    x = np.full((60, 60), low, np.asarray(low).dtype if isinstance(high, int) else "float32")
    x[-1, -1] = high
    assert said in str(show.strides(x))


@pytest.mark.parametrize("big", ["stored", "repeated", "repeated twice"])
def test_a_hundred_million_elements_cost_what_is_drawn(big):
    x = {
        "stored": lambda: np.zeros(10**8, dtype=np.uint8).reshape(10**4, 10**4),
        "repeated": lambda: np.broadcast_to(np.float32(2.5), (10**4, 10**4)),
        "repeated twice": lambda: np.broadcast_to(np.arange(3)[:, None, None], (3, 10**5, 10**5)),
    }[big]()
    tracemalloc.start()
    figure = show.strides(x, names=["x"])
    size = len(figure.html())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24  # with what the first figure imports
    assert size < 256 * 1024 and "the ends of each axis" in str(figure)


def test_a_small_window_on_a_large_storage():
    x = np.arange(10**6).reshape(1000, 1000)
    figure = show.strides(x[998:, :3], names=["w"])
    assert lit(figure, link="a5") == {"a5", "s999002"}
    assert len(figure.scene.index) < 60


def test_the_size_of_a_figure_of_256_cells():
    x = np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32)
    assert len(show.strides(x, names=["x"]).html().encode()) < 256 * 1024


def test_wrong_arguments():
    with pytest.raises(TypeError, match="of type list"):
        show.strides([1, 2])
    with pytest.raises(TypeError, match="dtype <U1"):
        show.strides(np.array(["a"]))
    with pytest.raises(TypeError, match="strides are drawn in whole elements"):
        show.strides(np.zeros(4, dtype=[("a", "i1"), ("b", "i4")])["b"])
    with pytest.raises(ValueError, match="1 name for 2 tensors"):
        show.strides(X, X, names=["x"])
    with pytest.raises(ValueError, match="show fewer at once"):
        show.strides(*[X] * 20)
    with pytest.raises(StorageBoundsError, match="reads slots 0 to 19; its storage has 12"):
        show.strides(np.lib.stride_tricks.as_strided(X, (5, 4), X.strides), names=["x"])


def test_memory_of_another_library():
    borrowed = np.frombuffer(bytes(range(8)), dtype=np.uint8)[2::3]
    assert show.strides(borrowed, names=["b"]).state(link="a1").sentence == "b[1] is slot 5, value 5."
    mapped = np.frombuffer(bytearray(16), dtype=np.int32).reshape(2, 2).T
    assert show.strides(mapped, names=["m"]).scene.about[1] == "stride: (1, 2)"


def test_a_card_names_who_shares_a_storage_without_being_drawn():
    x = rf.ones(3, 1)
    e = x.expand(3, 4)
    flat = e.reshape(12)
    assert str(show.strides(e, flat)).count("shares with: x\n") == 1
    assert "shares with: nobody" in str(show.strides(flat, e))


@pytest.mark.parametrize(
    "of, said",
    [
        (lambda t: (t, t.view(4, 3), t.T), "Slot 9 is read by t[2, 1], v[3, 0] and u[1, 2]: "),
        (lambda t: (t, t.T, t.view(2, 6)), "Slot 11 is read by t[2, 3], v[3, 2] and u[1, 5]: "),
        (lambda t: (t, t[1:], t[1:].T), "Slot 11 is read by t[2, 3], v[1, 3] and u[3, 1]: "),
        (lambda t: (t, t, t), "Slot 11 is read by t[2, 3], v[2, 3] and u[2, 3]: "),
    ],
)
def test_it_opens_on_a_number_that_is_another_cell_in_each_reading(of, said):
    figure = show.strides(*of(rf.arange(12).view(3, 4)), names=["t", "v", "u"])
    assert figure.state().sentence.startswith(said)


def test_many_readers_see_what_is_written_through_any_other():
    x = rf.ones(3, 1)
    e = x.expand(3, 4)
    assert show.strides(x, e).sentences[-1].endswith("is seen through any other.")
    assert show.strides(x, x.T).sentences[-1].endswith("is seen through the other.")
    row = np.arange(3.0)
    locked = np.broadcast_to(row, (2, 3))
    assert show.strides(row, locked).sentences[-1].endswith("a number written there is seen by all.")


E = np.broadcast_to(np.array([[1.0], [2.0], [3.0]]), (3, 4))


@pytest.mark.parametrize("views", [[X], [X.T[1:, :2]], [X, X.T[1:, :2]], [E], [E, E.reshape(12)]], ids=len)
def test_every_step_shows_something_new(views):
    figure = show.strides(*views, names=["x", "y"][: len(views)])
    seen = {figure.svg(frame, head=False) for frame in range(len(figure.frames))}
    assert len(seen) == len(figure.frames)


def test_several_views_open_on_a_number_that_they_read_as_different_cells():
    figure = show.strides(X, X.T[1:, :2], names=["x", "y"])
    assert figure.sentences[0].endswith("each in its own way. Slot 1 is x[0, 1] and y[0, 0].")
    assert lit(figure, frame=0) == {"s1", "a1", "b0"}
    assert show.strides(X, X, names=["x", "y"]).frames[0].link is None  # nothing differs
    assert figure.scene.flows == {"": (("s", "a"), ("s", "b"))}


def test_hops_lead_from_slot_to_slot_in_the_order_of_reading():
    figure = show.strides(X.T, names=["y"])
    frame = next(k for k, frame in enumerate(figure.frames) if "in order" in frame.sentence)
    assert lit(figure, frame=frame) == {"a0", "a1", "a2", "a3", "a4", "a5", "s0", "s4", "s8", "s1", "s5", "s9"}
    assert figure.state(frame).sets["w", "d"].count("M") == 5  # 0 to 4 to 8 to 1 to 5 to 9


@pytest.mark.parametrize("views", [[X], [X, X.T], [X, X.T.copy()], [E, E.reshape(12)], [X, X.reshape(12)]], ids=len)
def test_what_is_14_pixels_high_is_20_on_a_projector(views):
    scene = show.strides(*views, names=["x", "y"][: len(views)]).scene
    assert scene.width <= 876 and scene.height <= 400  # see the like in test_graph.py


def test_two_tensors_that_never_met_are_not_said_to_be_copies():
    figure = show.strides(np.ones(3), np.ones(3), names=["x", "y"])
    assert "cop" not in str(figure) + figure.svg() and "nothing is shared" in figure.svg()
    some = show.strides(X, X.T, X.copy(), names=["x", "y", "z"]).svg()
    assert "3 tensors, 2 storages" in some and "nothing is shared" not in some


def test_large_integers_that_are_nearly_alike_are_written_in_full():
    figure = show.strides(np.arange(1_000_000, 1_000_012).reshape(3, 4), names=["x"])
    faces = [figure.scene.index[f"{p}{n}"].children[-1 - (p == "s")].text for p in "as" for n in range(12)]
    assert faces == [str(1_000_000 + n) for n in range(12)] * 2
    assert figure.state(link="a11").sentence == "x[2, 3] is slot 11, value 1000011."
    assert figure.state(link="s1").sentence == "Slot 1 holds 1000001 and is read by x[0, 1]."
    few = show.strides(np.array([1, 2_000_000]), names=["x"])
    assert few.scene.index["a1"].children[-1].text == "2e6"  # not alike: short


def test_tensors_are_called_as_they_are_written_where_that_is_short():
    t = np.arange(12).reshape(3, 4)
    said = str(show.strides(t, t.T, t[1:], t[:, ::2]))
    assert [line[2:-1] for line in said.splitlines() if line.endswith(":")] == ["t", "t.T", "t[1:]", "t[:, ::2]"]


@pytest.mark.parametrize("n", [4, 20])
def test_a_made_up_view_reads_a_question_mark_past_its_storage(n):
    last = n * n - 1
    known = {slot: float(slot) for slot in range(last)}
    source = Source("y", (n, n), (n, 1), 0, "float32", ("made up",), n * n,
                    lambda slots: [known.get(slot, "?") for slot in slots], lambda: np.zeros(0))  # fmt: skip
    figure = Figure(scene_of([source]))
    assert figure.scene.title == "y" and lit(figure, link=f"a{last}") == {f"a{last}", f"s{last}"}
    assert figure.state(link=f"a{last}").sentence == f"y[{n - 1}, {n - 1}] is slot {last}, value ?."
    assert figure_text(figure, f"a{last}") == "?" if n == 4 else "odd" in figure.scene.index[f"a{last}"].cls


def place(figure, id):
    return dict(figure.scene.index[id].attrs)["transform"]


def test_cells_move_from_one_reading_to_the_next_while_the_tape_stays():
    x = np.arange(20).reshape(4, 5)
    figure = show.strides(x, x.T, x[::2])
    at = next(k for k, says in enumerate(figure.sentences) if says.startswith("From x to x[::2]"))
    assert figure.sentences[at] == (
        "From x to x[::2]: shape (4, 5) becomes (2, 5) and stride (5, 1) becomes (10, 1); storage_offset stays 0. "
        "Nothing is copied."
    )
    before, after = figure.state(at - 1), figure.state(at)
    for row in range(2):
        for column in range(5):  # from the cell of x that reads the same slot, and not from that of x.T
            id = f"c{5 * row + column}"
            assert before.sets[id, "transform"] == place(figure, f"a{10 * row + column}")
            assert "off" in before.classes[id] and (id, "transform") not in after.sets
    moved = {id for k in range(len(figure.frames)) for id, what in figure.state(k).sets if what == "transform"}
    assert not any(id[0] in "stu" for id in moved)
    assert {id for id, cls in after.classes.items() if "lit" in cls} == {"k2shape", "k2stride"}


def test_virtual_copies_slide_out_of_the_stored_cell():
    v = rf.tensor([[5.0], [6.0]])
    figure = show.strides(v, v.expand(2, 3))
    at = next(k for k, says in enumerate(figure.sentences) if "stride 0:" in says)
    assert "the same 2 numbers are read again, dashed, and not stored again." in figure.sentences[at]
    before, after = figure.state(at - 1), figure.state(at)
    for copy, stored in (("b1", "b0"), ("b2", "b0"), ("b4", "b3"), ("b5", "b3")):
        assert before.sets[copy, "transform"] == place(figure, stored) and "off" in before.classes[copy]
        assert "b0" not in before.classes and copy not in after.classes


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_a_second_tape_grows_out_of_the_first_where_a_copy_is_made(library):
    lib = pytest.importorskip(library)
    t = lib.arange(6).reshape(2, 3)
    c = t.t().contiguous()
    flat = t.reshape(6)  # which is none
    figure = show.strides(t, c)
    at = next(k for k, says in enumerate(figure.sentences) if "a storage of its own" in says)
    own = "c has a storage of its own: the 6 numbers of t were copied into it, in another order."
    assert figure.sentences[at] == own
    for slot, was in enumerate((0, 3, 1, 4, 2, 5)):
        assert figure.state(at - 1).sets[f"t{slot}", "transform"] == place(figure, f"s{was}")
        assert (f"t{slot}", "transform") not in figure.state(at).sets
    assert not any("copied into" in says for says in show.strides(t, flat).sentences)


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("view, size, dims", [
    (lambda x: x.t(), (6,), (0, 1)), (lambda x: x[:, :2], (-1,), (0, 1)), (lambda x: x.t(), (3, 2), None),
    (lambda x: x, (3, 2), None), (lambda x: x[:1].expand(4, 3), (12,), (0, 1)), (lambda x: x.t(), (2, 3), (0, 1)),
])
def test_a_view_that_cannot_be_is_explained_by_two_axes_and_an_equation(library, view, size, dims):
    lib = pytest.importorskip(library)
    x = view(lib.arange(6).reshape(2, 3))
    figure = show.strides(x, view=size)
    try:
        made = x.view(size)
    except RuntimeError:
        made = None
    assert (made is None) == (dims is not None)
    if made is not None:
        assert not any("error" in says for says in figure.sentences) and str(tuple(made.stride())) in figure.text()
        return
    said = next(says for says in figure.sentences if "an error" in says)
    d, e, *numbers = map(int, re.fullmatch(
        r"For that stride\[(\d)\] must be stride\[(\d)\] \* shape\[\2\], and (\d+) is not (\d+)·(\d+) = (\d+): "
        r"no stride can say it, and view is an error\.", said).groups())  # fmt: skip
    assert (d, e) == dims and numbers == [x.stride()[d], x.stride()[e], x.shape[e], x.stride()[e] * x.shape[e]]
    assert numbers[0] != numbers[3]
    copy = x.reshape(size)
    for n, value in enumerate(copy.reshape(-1).tolist()):
        assert figure.state(link=f"t{n}").sentence.startswith(f"Slot {n} holds {value} ")


@pytest.mark.parametrize("code, size, copies", [
    ("x", (4, 3), False), ("x.T", (12,), True),
    ("x[:, :2]", (-1,), True), ("x[::-1]", (12,), True), ("x[1:]", (8,), False),
])  # fmt: skip
def test_an_array_is_asked_for_a_reshape_which_copies_where_no_view_can_be(code, size, copies):
    array = eval(code, {"x": X})
    assert np.shares_memory(array.reshape(size), array) is not copies
    text = show.strides(array, view=size, names=["x"]).text()
    assert "x.reshape(" in text and ".view(" not in text and "error" not in text
    assert ("cannot be a view: axes 0 and 1 do not merge. It makes a copy instead." in text) is copies
    assert ("no stride can say it, so reshape copies." in text) is copies


def test_a_view_is_asked_for_by_a_shape():
    with pytest.raises(RuntimeError, match="has 12 cells"):
        show.strides(X, view=(5, 2))
    with pytest.raises(TypeError, match="whole numbers"):
        show.strides(X, view=2.0)
    with pytest.raises(ValueError, match="one tensor"):
        show.strides(X, X, view=(12,))
    assert show.strides(X, view=-1, names=["x"]).scene.title == "x.reshape(12)"
    big = show.strides(np.broadcast_to(np.float32(1), (10**4, 10**4)), view=(10**8,), names=["x"])
    assert any("0 is not 0·10000 = 0" in says for says in big.sentences) or "cannot be" not in big.sentences[0]


def test_what_shares_a_view_that_is_asked_for_is_named_though_it_is_not_drawn():
    x, n = rf.arange(20).view(4, 5), np.arange(6.0).reshape(2, 3)
    for part, size, owner in ((x[1:, 2:], (9,), "x"), (x.t(), (20,), "x"), (n[:, ::-1], (6,), "n")):
        text = show.strides(part, view=size).text()
        assert f"shares with: {owner}\n" in text and text.count("shares with: nobody") == 1  # what reshape copied


def test_a_slot_that_others_read_is_not_said_to_be_never_read():
    data = rf.arange(24).view(2, 3, 4)
    assert show.strides(data[1]).state(link="s3").sentence == "Slot 3 holds 3 and is not read by data[1]."
    unread = show.strides(data[1], data[1].t()).state(link="s5").sentence
    assert unread == "Slot 5 holds 5 and is read by none of these."
    assert show.strides(rf.arange(5)[1:]).state(link="s0").sentence == "Slot 0 holds 0 and is never read."


def test_two_names_of_one_tensor_are_said_to_be_so():
    w = rf.arange(4)
    k = w
    figure = show.strides(w, k)
    assert figure.sentences[0] == "w and k are names of one tensor: they read its storage of 4 numbers in the same way."
    assert "k is another name for the same tensor: what is written to it is seen through both." in figure.sentences
    again = show.strides(w, w.detach(), names=["w", "d"])
    assert again.sentences[0] == "w and d read one storage of 4 numbers, both in the same way."
    some = show.strides(w, k, w[1:], names=["w", "k", "v"])
    assert some.sentences[0] == "w, k and v read one storage of 4 numbers. Slot 1 is w[1], k[1] and v[0]."


def test_a_number_that_is_cut_is_said_to_be_so():
    w = rf.tensor([2.718281828, 0.5, 12345.678])
    figure = show.strides(w)
    assert figure.state(link="a0").sentence == "w[0] is slot 0, value ≈ 2.72."
    assert figure.state(link="a1").sentence == "w[1] is slot 1, value 0.5."
    assert figure.state(link="s2").sentence == "Slot 2 holds ≈ 12346 and is read by w[2]."


def test_a_view_is_no_second_name_of_its_tensor():
    x = rf.arange(24).view(4, 6)[:, :4]
    for figure in (show.strides(x, view=(2, 2, 4)), show.strides(x, view=x.shape), show.strides(X, view=(4, 3))):
        assert not re.search("names of one tensor|another name|names: nothing", figure.text())
        assert "From x to" in figure.text() or "From X to" in figure.text()


def test_arrays_that_see_one_memory_in_elements_of_two_sizes_have_a_figure_each():
    x, z = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1 + 2j, 3 - 1j])
    for views in ((x, x.view(np.uint8)[:, ::4]), (z, z.real, z.imag), (x, x.view(np.float16))):
        with pytest.raises(ValueError, match="one memory in elements of different sizes"):
            show.strides(*views)
    part = z.imag
    assert "shares with: part\n" in show.strides(z).text()
    assert show.strides(part, z.real).sentences[0].endswith("read one storage of 4 numbers, each in its own way.")
    v = x.view(np.int32)
    figure = show.strides(x, v)
    assert figure.sentences[0] == "x and v read one storage of 6 numbers, each in its own way."
    assert "From x to v: dtype float32 becomes int32; shape stays" in figure.text()


def test_a_second_storage_that_others_read_is_not_said_to_be_seen_through_no_other():
    ones, x = rf.ones(3), rf.arange(12.0).view(3, 4)
    row = x[1]
    for views in ((row,), (row, x[2:]), (x[2:], row.view(2, 2))):
        figure = show.strides(ones, *views, names=["o", "p", "q"][: 1 + len(views)])
        assert "seen through no other" not in figure.text() and "reads another storage, shared with " in figure.text()
    alone = show.strides(ones, rf.zeros(3), names=["o", "p"])
    assert "p has a storage of its own: what is written to it is seen through no other." in alone.sentences


def test_what_others_do_not_read_is_not_said_to_be_seen_through_them():
    x = rf.arange(12).view(3, 4)
    first, last = x[0], x[2]
    said = show.strides(last, title="last").sentences[-1]
    assert first.shape == last.shape
    assert said == "last, x and first share this storage: a number written to a slot is seen through all that read it."


def test_a_name_for_a_tensor_that_is_there_already_is_no_further_tensor():
    x = rf.arange(6).view(2, 3)
    same, other = x, x.clone()
    said = str(show.strides(x, same, x[1:]))
    assert "same is another name for x: what is written" in said and "From x to same" not in said
    assert "2 tensors with 3 names, one storage" in show.strides(x, same, x[1:]).svg()
    assert "2 tensors with 3 names, 2 storages: nothing is shared" in show.strides(x, other, same).svg()


def test_a_view_without_cells_shares_a_storage_and_does_not_read_it():
    x = rf.arange(6).view(2, 3)
    first = show.strides(x, x[:, 3:], names=["x", "e"]).sentences[0]
    assert first == "x and e share one storage of 6 numbers."


def test_a_title_says_what_a_letter_stands_for_that_is_asked_for_a_view():
    title = show.strides(rf.arange(6).view(2, 3).t(), view=(3, -1)).scene.title
    assert title == "x.view(3, 2),  x = rf.arange(6).view(2, 3).t()"
    x = rf.arange(6)
    assert show.strides(x.view(2, 3).exp(), view=6).scene.title == "t.view(6),  t = x.view(2, 3).exp()"


def test_no_letter_of_the_base_stands_at_an_axis_that_may_be_another_one():
    x = rf.arange(12).view(3, 4)
    for view, want in ((x[2:, None], (2, 3, 1)), (x[2:], (0, 1)), (x[:, None], (0, 2, 1)), (x[None, 1:2], (2, 0, 1))):
        assert letters([source_of(x), source_of(view)])[1] == want


def test_a_letter_stands_for_one_axis_of_many_views():
    x = rf.arange(36).view(3, 3, 4)
    line = x.view(-1)
    for views, want in (
        ([line, x, x[1:], x.transpose(0, 1)], ["i", "jkl", "jkl", "kjl"]),
        ([x[1:], x], ["ijk", "ljk"]),  # beyond x[1:] another axis may begin
        ([x[1:], x[1:, 1:], x[1:, :, 2]], ["ijk", "ijk", "ij"]),
        ([x[:, 1], x[..., 0]], ["ij", "ik"]),  # its steps lead out of the rows of x[:, 1]
        ([x[0], line], ["ij", "k"]),
        ([line[:3], line[:3].expand(2, 3), line[:3].expand(2, 3).t()], ["i", "ji", "ij"]),
    ):
        found = letters([source_of(view, "v") for view in views])
        assert ["".join(map(draw.letter_of, axes)) for axes in found] == want


def test_what_is_not_drawn_is_shared_and_made_of_all_the_same():
    grid = rf.arange(16).view(4, 4)
    figure = show.strides(grid[1:, 1:], view=(9,))
    assert "shares with: grid" in figure.text() and "storages: nothing is shared between them<" in figure.svg(0)
    assert figure.sentences[1].startswith("grid[1:, 1:] reads a storage of 16 numbers, one line")
    assert "storages: nothing is shared<" in show.strides(rf.ones(2), rf.zeros(2)).svg(0)
    figure = show.strides(grid[1], grid[:, 1])
    asked = [figure.scene.index[f"r{k}"].text for k in range(2)]
    assert asked == ["grid[1][j] reads slot", "grid[:, 1][i] reads slot"]
    for figure in (show.strides(*grid.unbind()[:2]), show.strides(grid[1], grid[2, 1:]),
                   show.strides(grid[1:3, 0], grid[:, 1])):  # fmt: skip
        assert [figure.scene.index[f"r{k}"].text[-13:] for k in range(2)] == ["i] reads slot"] * 2
    figure = show.strides(grid[1:, 2:], grid)
    assert figure.scene.index["r1"].text == "grid[i, j] reads slot"
    figure = show.strides(rf.arange(16).view(2, 8), rf.arange(8)[::2])
    assert figure.scene.title.startswith("x = rf.arange(16).view(2, 8),  ")


def test_what_else_sees_the_storage_and_is_no_number_is_named_alone():
    x = np.arange(4, dtype=np.uint8)
    pairs, hidden = x.view([("a", "u1"), ("b", "u1")]), np.ma.masked_array(x, x > 2)
    said = str(show.strides(x))
    assert "shares with: pairs, hidden" in said and "x[3] is slot 3, value 3." in said
    with pytest.raises(TypeError, match="hides 1 of its 4 numbers"):
        show.strides(hidden)
    assert pairs.size == 2

"""The boxes of the backward figure: what has arrived and what not, what waits, the window, the map and the tape."""

import re

import pytest

import rustyflow as rf
from rustyflow import ir, show
from rustyflow.autograd import own_order
from rustyflow.scene import Figure
from rustyflow.scene.figure import player
from rustyflow.scene.measure import width
from rustyflow.show.backward.figure import scene_of
from rustyflow.show.kit.boxes import Boxes
from rustyflow.show.words.nodes import Voice
from tests.show.seen import after, lit, said, text, two_ways


def test_values_arrive_forward_and_gradients_backward(line):
    assert [text(line, id, 1) for id in ("v0", "v3", "v4", "g0", "g4")] == ["[2, 3]", "", "", "", ""]
    assert [text(line, id, 2) for id in ("v3", "v4", "g3")] == ["[1, 1.5]", "", ""]
    assert [text(line, "g3", frame) for frame in (5, 6)] == ["", "[1, 1]"]
    assert [text(line, "g1", frame) for frame in (11, 12)] == ["", "[5]"]


def test_a_gradient_that_has_not_arrived_is_never_0(line):
    for frame in range(1, 12):
        assert text(line, "g1", frame) == "" and "virtual" in line.state(frame).classes["gr1"]
        assert "grad" not in line.state(frame).classes["gr1"]
    assert "gr1" not in line.state(12).classes and {"cell", "grad"} <= {*line.scene.index["gr1"].cls}


def test_the_tape_marks_the_event(line):
    first = said(line).index(next(s for s in said(line) if s.startswith("Backward begins")))
    chips = [line.scene.index[f"z{k}"].children[-1].text for k in range(5)]
    assert chips == ["start", "loss", "mul", "w", "x"] and "z5" not in line.scene.index
    told = [(text(line, "word", frame), [k for k in range(5) if f"z{k}" in lit(line, frame=frame)])
            for frame in range(first, first + 10)]  # fmt: skip
    assert told == [
        ("seed", [0]), ("hands on", [1]), ("arrives", [1]), ("hands on", [1]), ("hands on", [2]), ("arrives", [3]),
        ("hands on", [2]), ("sums", [2]), ("arrives", [4]), ("hands on, frees", [2, 3, 4]),
    ]  # fmt: skip
    coming = [[k for k in range(5) if "virtual" in line.state(frame).classes.get(f"z{k}", ())] for frame in (first, 9)]
    assert coming == [[1, 2, 3, 4], [4]]


def test_the_size_of_a_gradient_is_not_taken_for_its_value():
    x = rf.arange(6.0).view(6).requires_grad_()
    figure = show.backward((x * 1.2345).sum())
    assert figure.scene.index["v0"].text == "(6,)" and figure.scene.index["g0"].text == "(6,)"
    frame = next(k for k, s in enumerate(said(figure)) if s.startswith("arrives: x"))
    assert text(figure, "l3", frame) == "(6,)"
    assert said(figure)[frame] == "arrives: x now has one of shape (6,)."


def chain(n):
    """Nodes %1 ... : x, then n times a product with a number."""
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(n):
        y = y * 2
    return y.sum()


def window(figure, frame=0, link=None):
    """The x at which the window on the graph begins."""
    return -float(figure.state(frame, link).sets["world", "transform"].removeprefix("translate(").split()[0])


@pytest.mark.parametrize("n", [38, 60, 198])
def test_a_large_graph_is_seen_through_a_window_that_follows_the_story(n):
    figure = show.backward(chain(n))
    scene, many = figure.scene, n + 2
    assert scene.width == 1104 and scene.height < 480
    left = {k: float(dict(scene.index[f"n{k}"].attrs)["transform"][10:].split()[0]) for k in range(many)}
    wide = {k: dict(scene.index[f"n{k}"].children[0].attrs)["width"] for k in range(many)}
    for frame, sentence in enumerate(said(figure)):
        found = [id for id in lit(figure, frame=frame) if re.fullmatch(r"n\d+", id)]
        if found and not figure.frames[frame].link:
            k = int(found[0][1:])
            assert window(figure, frame) <= left[k] and left[k] + wide[k] <= window(figure, frame) + 1056, sentence
            assert f"m{k}" in lit(figure, frame=frame)
    for k in (0, n // 2, many - 1):  # the map's marks say what the boxes say, and bring them into sight
        assert figure.state(0, f"m{k}").sentence == figure.state(0, f"n{k}").sentence
        assert window(figure, 0, f"m{k}") <= left[k] <= window(figure, 0, f"m{k}") + 1056
    assert ("world", "transform") not in figure.state(1, "n1").sets or window(figure, 1, "n1") == window(figure, 1)


def test_on_the_map_marks_change_as_values_and_gradients_arrive():
    figure = show.backward(chain(50))

    def marks(frame):
        state = figure.state(frame)
        worn = [state.classes.get(f"m{k}", figure.scene.index[f"m{k}"].cls) for k in range(52)]
        return [sum(kind in classes for classes in worn) for kind in ("waiting", "grad")]

    assert marks(1) == [51, 0]  # of x there is a value
    assert marks(2) == [0, 0]
    seen = [marks(frame)[1] for frame in range(3, len(figure.frames))]
    assert seen == sorted(seen) and seen[-1] == 52


def test_a_figure_of_two_hundred_nodes_weighs_little():
    assert len(show.backward(chain(198)).html()) < 256 * 1024
    assert len(show.backward(chain(38)).html()) - len(player()[1]) < 57 * 1024


def test_a_tape_of_many_events_moves_with_the_story():
    figure = show.backward(chain(60))
    chips = {k: figure.scene.index[f"z{k}"] for k in range(63)}
    left = [float(dict(chip.attrs)["transform"][10:].split()[0]) for chip in chips.values()]
    wide = [dict(chip.children[0].attrs)["width"] for chip in chips.values()]
    room = dict(figure.scene.index["strip"].children[1].attrs)["width"]
    for frame in range(len(figure.frames) - 1):
        state, bright = figure.state(frame), [k for k in range(63) if f"z{k}" in lit(figure, frame=frame)]
        if not bright:
            continue
        begins = -float(state.sets["tape", "transform"][10:].split()[0])
        assert begins <= left[bright[0]] and left[bright[0]] + wide[bright[0]] <= begins + room + 1
        assert begins + 1 in left  # no chip is cut in two on the left
        later = sum(at + w > begins + room + 2 for at, w in zip(left, wide, strict=True))
        assert state.sets["later", "text"] == (f"{later} more ⋯" if later else "")


def test_of_several_results_each_has_its_name_its_value_and_its_gradient():
    x = rf.tensor([1.0, 2.0, 4.0], requires_grad=True)
    parts = x.split([1, 2])
    figure = show.backward(parts[0].sum() + 10 * parts[1].sum())
    assert figure.scene.index["v1"].text == "[1], [2, 4]"
    frames = after(figure, "arrives: parts")
    assert [said(figure)[frame] for frame in frames] == [
        "arrives: parts[1] now has [10, 10]. split_with_sizes waits for 1 more.",
        "arrives: parts[0] now has [1]. split_with_sizes is ready.",
    ]
    assert [waits(figure, 1, frame) for frame in frames] == [
        ("[10, 10]", "1 of 2", True), ("[1], [10, 10]", "2 of 2", False),
    ]  # fmt: skip
    assert "sum %4: sum([2, 4]) = 6." in said(figure) and "x.grad = [1, 10, 10]" in figure.text()
    best = show.backward(x.max(0).values * 2)
    assert any(s.endswith("mul turns its gradient into one for max.values, by d(max.values) = g * 2, which gives 2.")
               for s in said(best))  # fmt: skip
    assert any(s.startswith("max hands its gradient on to x ") and s.endswith("Then it lets go of its indices.")
               for s in said(best))  # fmt: skip


def test_a_hook_on_a_node_that_waits_comes_when_all_have_reported():
    x = rf.tensor(2.0, requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: g * 10)
    figure = show.backward(h + h * 5)
    frames = [*after(figure, "arrives: h"), *after(figure, "hook")]
    assert [waits(figure, 1, frame) for frame in frames] == [
        ("1", "1 of 2", True), ("6", "2 of 2", False), ("60", "2 of 2", False),
    ]  # fmt: skip


def points(d):
    """The points of an arrow's line, without its head."""
    line = re.findall(r"-?[\d.]+", d.partition("m")[0])
    return list(zip(map(float, line[::2]), map(float, line[1::2]), strict=True))


def crossed(words, figure):
    """True if an arrow runs through words."""
    (left, low), wide = (dict(words.attrs)[k] for k in ("x", "y")), width(words.text, 14, mono=True)
    arrows = (drawn(dict(shape.attrs)["d"]) for id, shape in figure.scene.index.items() if re.fullmatch(r"e\d+", id))
    return any(left < a < left + wide and low - 10 < b < low for arrow in arrows for a, b in arrow)


def drawn(d):
    """Points along an arrow's line, close together: of its straight pieces and of its Bezier curves."""
    at = None
    for kind, numbers in re.findall(r"([MLC])([-\d. ]+)", d.partition("m")[0]):
        numbers = list(map(float, numbers.split()))
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        a, b, c, e = (at, *ends) if kind == "C" else (at or ends[0], at or ends[0], ends[0], ends[0])
        for t in (n / 50 for n in range(51)):
            s = 1 - t
            yield tuple(s**3 * a[k] + 3 * s * s * t * b[k] + 3 * s * t * t * c[k] + t**3 * e[k] for k in (0, 1))
        at = e


def waits(figure, k, frame):
    """What a box says of its gradient, and how many have come; whether both look unfinished, or both finished."""
    grad, count = (figure.state(frame).classes.get(id, figure.scene.index[id].cls) for id in (f"gr{k}", f"h{k}"))
    if "off" in count:
        assert "virtual" in grad and "grad" not in grad
        return text(figure, f"g{k}", frame), "", True
    unfinished = {"virtual" in grad, "waiting" in count}
    assert len(unfinished) == 1
    return text(figure, f"g{k}", frame), text(figure, f"w{k}", frame), unfinished.pop()


def test_a_node_that_waits_for_another_reader_looks_unfinished_until_all_have_reported():
    figure = two_ways()  # n1 is c, which y and d read
    first, second = after(figure, "arrives: c")
    assert {waits(figure, 1, frame) for frame in range(first)} == {("", "", True)}
    assert {waits(figure, 1, frame) for frame in range(first, second)} == {("1", "1 of 2", True)}
    assert {waits(figure, 1, frame) for frame in range(second, len(figure.frames))} == {("6", "2 of 2", False)}
    assert [text(figure, "l3w", frame) for frame in (first, second)] == ["so far", "now"]
    assert "h0" not in figure.scene.index and "h3" not in figure.scene.index  # one gradient comes to a, one to y


def test_a_leaf_counts_its_readers_and_a_gradient_that_it_had_is_none_of_them():
    x = rf.tensor([0.5, 0.25], requires_grad=True)
    x.grad = rf.tensor([100.0, 100.0])
    figure = show.backward((x * x + x).sum())
    frames = [1, *after(figure, "arrives: x")]
    assert [waits(figure, 0, frame) for frame in frames] == [
        ("", "", True), ("[1, 1]", "1 of 3", True),
        ("[1.5, 1.25]", "2 of 3", True), ("[2, 1.5]", "3 of 3", False),
    ]  # fmt: skip
    assert "gradient of x = [2, 1.5]" in figure.text() and "x.grad = [2" not in figure.text()
    says = "gradient of x is complete.{} x.grad has [100, 100] already: .backward() adds this one to it, [102, 101.5]."
    click = " Click x to see what made its gradient."
    assert says.format("") in figure.text()  # nobody clicks in text
    assert any(sentence.endswith(says.format(click)) for sentence in figure.sentences)


@pytest.mark.parametrize("picks, heard", [("rqp", ["10", "17"]), ("rpq", ["7", "17"])])
def test_gradients_are_counted_in_the_order_in_which_they_come(picks, heard):
    x = rf.tensor(2.0, requires_grad=True)
    s = x * 3
    p, q = s * 7, s * 10
    r = p + q
    made = ir.graph(r, names={"x": x, "s": s, "p": p, "q": q, "r": r}, depth=1)
    steps, _ = own_order(r, [{"p": p, "q": q, "r": r}[name] for name in picks] + [s])
    figure = Figure(scene_of(r, None, "r", made, steps))
    assert [waits(figure, 1, frame)[:2] for frame in after(figure, "arrives: s")] == [
        (heard[0], "1 of 2"), (heard[1], "2 of 2"),
    ]  # fmt: skip


def test_an_arrow_turns_round_when_a_gradient_has_come_over_it():
    figure = two_ways()
    steps = after(figure, "hands on")
    arrows = [next(id for id in lit(figure, frame=frame) if id[0] == "e") for frame in steps]
    assert len(set(arrows)) == 4
    for arrow, step in zip(arrows, steps, strict=True):
        turned = [(arrow, "d") in figure.state(frame).sets for frame in range(len(figure.frames))]
        assert turned == [frame >= step for frame in range(len(figure.frames))]
        forward = dict(figure.scene.index[arrow].attrs)["d"]
        there, back = points(forward), points(figure.state(step).sets[arrow, "d"])
        assert there[0][0] < there[-1][0] and back[0][0] > back[-1][0]  # its head is at its end


def test_a_count_stands_beside_the_longest_gradient_that_the_box_ever_shows():
    x = rf.tensor([0.123, -0.456, 0.789], requires_grad=True)
    figure = show.backward((x * x.exp() - x).sum())
    box = figure.scene.index["n0"].children
    count = next(part for part in box if part.id == "h0")
    left = float(dict(count.attrs)["transform"].removeprefix("translate(").split()[0])
    said = dict(figure.scene.index["g0"].attrs)
    longest = max(width(text(figure, "g0", frame), said["font-size"], mono=True) for frame in range(len(figure.frames)))
    assert 4 <= 3 + said["x"] - longest / 2 and 3 + said["x"] + longest / 2 < left
    assert left + dict(count.children[0].attrs)["width"] <= dict(box[0].attrs)["width"] - 8


def test_on_the_map_a_node_that_waits_is_not_marked_as_having_its_gradient():
    x = rf.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(50):
        y = y * 1.0
    figure = show.backward(y + x)
    begins, first, second = 52, *after(figure, "arrives: x")

    def marked(frame):
        return "grad" in figure.state(frame).classes.get("m0", figure.scene.index["m0"].cls)

    assert [marked(frame) for frame in (begins, first, second - 1, second)] == [False, False, False, True]


def test_each_mark_is_explained_in_the_frame_in_which_it_appears_first(line):
    figure = two_ways()
    told = [figure.sentences[0], *(s for s in figure.sentences if s.startswith(("Backward begins", "arrives: c")))]
    assert told == [
        "Forward gave each box its value. Backward will fill the dashed lines: no gradient is there yet.",
        "Backward begins: dy, the gradient that reaches y, is 1: that of anything by itself. "
        "It goes back times what stands on the arrow.",
        "arrives: c now has 1; 1 of 2 has reported. It waits for the other.",
        "arrives: c had 1, and 5 comes to it: 6; 2 of 2 have reported. It is ready.",
    ]  # fmt: skip
    assert len({word for word in figure.scene.index if word == "leg"}) == 0


def test_a_gradient_flies_from_who_hands_it_on_to_who_receives_it():
    figure = two_ways()  # n0 is a, n1 c, n2 d, n3 y
    sent = [frame.sends for frame in figure.frames if not frame.fine and frame.sends]
    assert sent == [(("gr3", "gr1"), ("gr3", "gr2")), (("gr2", "gr1"),), (("gr1", "gr0"),)]
    forward = [frame.sends for frame in figure.frames if frame.sends and frame.sends[0][0].startswith("v")]
    assert forward == [(("v0", "v1"),), (("v1", "v2"),), (("v1", "v3"), ("v2", "v3"))]


PROGRAMS = {
    "neuron": lambda a, b: (a * b + 0.5).tanh() * a, "powers": lambda a, b: a**3 / b - b.exp(),
    "signs": lambda a, b: -(a - b) * 2 + a.relu(), "means": lambda a, b: (a * b).mean() * b.sum(),
    "matrices": lambda a, b: a[:, None] @ b[None],
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_number_on_an_arrow_times_what_comes_is_what_is_handed_on(name):
    a, b = rf.tensor([0.5, 2.0], requires_grad=True), rf.tensor([1.5, -0.25], requires_grad=True)
    y = PROGRAMS[name](a, b)
    made = ir.graph(y, names={"a": a, "b": b})
    figure = Figure(scene_of(y, None, "y", made))
    marks = {id: shape.text for id, shape in figure.scene.index.items() if re.fullmatch(r"fe\d+", id)}
    assert marks and all(words.startswith("·") or "@" in words or "×" in words for words in marks.values())
    given = rf.tensor([1.0, 4.0, 2.0, 1.0][: y.numel()]).view(y.shape) if y.numel() > 1 else rf.tensor(1.0)
    handed = {}
    for step in (step for step in rf.autograd.backward_steps(y, given) if step.kind == "vjp"):
        handed[made.find(step.node), step.operand] = step
    boxes = Boxes(Voice(made), {}, {}, (400,), 200, lambda voice: {})
    for edge, _, user, k in boxes.dag.edges:
        words = marks.get(f"f{edge}", "")
        if (user, k) in handed and re.fullmatch(r"·\(?-?[.\d]+\)?", words):
            step = handed[user, k]
            assert float(words[1:].strip("()")) * step.upstream == pytest.approx(step.contribution, rel=0.01)


@pytest.mark.parametrize("most", [8, 10, 12])
def test_a_neuron_of_up_to_twelve_nodes_is_whole_and_as_low_as_a_projector_needs(most):
    x = [rf.tensor(float(k), requires_grad=True) for k in range(4)]
    n = x[0] * x[1] + x[2] * x[3]
    n = n + 1 if most > 8 else n
    y = n.tanh() * 2 if most > 9 else n.tanh()
    y = (y + 1).exp() if most > 10 else y
    figure = show.backward(y)
    assert figure.scene.index.keys() >= {f"n{k}" for k in range(most)} and "world" not in figure.scene.index
    assert figure.scene.height <= 400 and figure.scene.width <= 1104


def test_a_graph_of_many_leaves_is_whole_on_a_page():
    x = [rf.tensor(float(k), requires_grad=True) for k in range(14)]
    figure = show.backward(sum(a * b for a, b in zip(x[::2], x[1::2], strict=True)).exp())
    assert "world" not in figure.scene.index or figure.scene.height <= 464


def test_values_and_gradients_differ_without_colour(line):
    box = line.scene.index["n0"].children
    value, cell = box[2], box[3]
    assert "strong" in cell.children[-1].cls and "strong" not in value.cls and cell.children[0].tag == "rect"
    assert dict(value.attrs)["y"] < float(dict(cell.attrs)["transform"].rstrip(")").split()[1])
    assert "virtual" in line.state(3).classes["gr0"]  # not yet


def test_an_outer_product_with_ones_has_no_factor_for_a_matrix_is_sent():
    w, v, u = (rf.tensor(v, requires_grad=True) for v in ([[3.0, 1.0], [0.0, 2.0]], [1.0, 1.0], [2.0, 3.0]))
    about = show.backward((w @ v * u).sum()).scene.about
    assert "backward, mv sends w.T @ g to v" in about and "backward, mul sends g·u to mv and g·mv to u" in about


def test_the_words_of_two_arrows_do_not_stand_on_each_other_and_the_sentence_has_both():
    x, w = (rf.tensor(array, requires_grad=True) for array in ([[1.0, 2.0]], [[3.0, 1.0], [5.0, 2.0]]))
    figure = show.backward((x @ w).relu() * x)
    words = [figure.scene.index[id] for id in figure.scene.index if re.fullmatch(r"fe\d+", id)]
    assert len(words) == 5 and not any(map(crossed, words, [figure] * 5))
    assert any("Backward it sends g @ w.T to x and x.T @ g to w." in figure.state(0, pointed=f"n{k}").sentence
               for k in range(5))  # fmt: skip

"""Be the engine: any order of picks is carried out; what comes too late is lost, and named, beside the right totals."""

import random
import threading

import pytest

import rustyflow as rf

pytest.importorskip("anywidget")
from rustyflow import widgets


def two_readers():
    x, b = rf.tensor(1.0, requires_grad=True), rf.tensor(3.0, requires_grad=True)
    c = x * 2
    d = c * b
    y = c + d
    return x, b, y, widgets.BeTheEngine(y)


def board(game):
    return {node.name: f"n{game._board.number[node.id]}" for node in game._board.graph}


def test_a_pick_too_early_is_carried_out_and_what_it_misses_is_named():
    x, b, y, game = two_readers()
    assert (game.waiting, game.result, game.figure.scene.title) == (["y"], {}, "y = c + d")
    game.picks = ["y", "c"]
    assert game.figure.sentences[2] == "c hands on 2 to x." and game.frame == 2 and game.waiting == ["d"]
    game.picks = ["y", "c", "d"]
    assert game.figure.sentences[3] == "d hands on 3 to c and 2 to b. c has handed on already: 3 is lost."
    assert game.figure.sentences[4] == "x.grad: yours 2, right 8. Lost: 3, which d sent to c after c had handed on."
    assert game.frame == 4 and game.waiting == []
    assert (game.result, game.right) == ({"x": rf.tensor(2.0), "b": rf.tensor(2.0)}, {"x": 8.0, "b": 2.0})
    assert [(one.sender, one.receiver, one.gradient.item()) for one in game.lost] == [("d", "c", 3.0)]
    last = game.figure.state()
    assert (last.sets["y1", "text"], last.sets["r1", "text"], "warn" in last.classes["y1"]) == ("2", "8", True)
    crossed = board(game)["c"].replace("n", "x")  # the arrow over which it came is crossed out
    assert "off" not in last.classes[crossed]
    assert any("dashed" in classes for id, classes in last.classes.items() if id[0] == "e")


def test_the_order_of_backward_loses_nothing_and_touches_nothing():
    x, b, y, game = two_readers()
    game.picks = ["y", "d", "c"]
    says = "Nothing was lost: each node waited for all who read it. x.grad and b.grad are right."
    assert game.figure.sentences[-1] == says and game.lost == []
    assert x.grad is None and b.grad is None
    y.backward()  # the graph is still there
    assert {"x": x.grad, "b": b.grad} == game.result == game.right


def test_by_pointing_by_button_and_back():
    *_, game = two_readers()
    ids = board(game)
    game.set_state({"pinned": ids["y"]})
    assert (game.picks, game.pinned, game.frame) == (["y"], "", 1)
    game._hear(game, {"press": "pick c"}, [])
    assert game.picks == ["y", "c"]
    game._hear(game, {"press": "undo"}, [])
    assert (game.picks, game.frame) == (["y"], 1)
    faces = [(control["label"], control["key"]) for control in game._controls]
    assert faces == [("c", "c"), ("d", "d"), ("undo (u)", "u"), ("start again", "")]
    game.picks = ["y", "d", "c"]
    game.frame = 1  # looking back, one goes on from there
    game._hear(game, {"press": "pick c"}, [])
    assert game.picks == ["y", "c"]
    game._hear(game, {"press": "start again"}, [])
    assert (game.picks, game.frame, len(game.figure.frames)) == ([], 0, 1)


@pytest.mark.parametrize(
    "pick, why",
    [("x", "only a node that an operation made"), ("d", "no gradient has come to it yet"), ("y", "handed on already")],
)
def test_what_cannot_be_picked_says_why_and_changes_nothing(pick, why):
    *_, game = two_readers()
    if pick == "y":
        game.picks = ["y"]
    before = game.picks
    game._hear(game, {"press": f"pick {pick}"}, [])
    assert why in game._note and game.picks == before
    game.pinned = board(game)[pick]
    assert why in game._note and (game.picks, game.pinned) == (before, "")
    game._hear(game, {"press": "nonsense"}, [])
    assert "the buttons are" in game._note


def test_picks_set_in_python_that_are_none_leave_the_figure_and_can_be_taken_back():
    *_, game = two_readers()
    game.picks = ["y", "d"]
    figure = game.figure
    game.picks = ["y", "<b>", "9" * 1000]
    assert game.figure is figure and game._note.startswith("The figure stays") and len(game._note) < 200
    game._hear(game, {"press": "undo"}, [])
    assert game.picks == ["y"] and game._note == ""


@pytest.mark.parametrize("picks, why", [
    (["y", "d", "c", "x"], "pick 'x': only a node that an operation made hands on\ntry: no more picks"),
    (["c"], "pick 'c': no gradient has come to it yet, so it has nothing to hand on\ntry: one of y"),
])  # fmt: skip
def test_picks_set_in_python_that_are_none_are_said_where_there_is_no_page(picks, why, capsys):
    *_, game = two_readers()
    game.picks = ["y"]
    assert capsys.readouterr().out == ""
    game.picks = picks
    assert why in capsys.readouterr().out


def mlp():
    x, w = rf.tensor([[1.0, 2.0], [3.0, 4.0]]), rf.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    h = x @ w + rf.tensor([0.5, 1.0], requires_grad=True)
    return (h.relu() * h).sum() + w.sum()


PROGRAMS = {
    "a perceptron": mlp,
    "twice the same": lambda: (lambda x: x * x)(rf.tensor(3.0, requires_grad=True)),
    "several results": lambda: (lambda x: x.sort(0).values * x.max() + x.unbind(0)[1])(
        rf.tensor([3.0, 1.0, 2.0], requires_grad=True)
    ),
    "special numbers": lambda: rf.tensor([0.0, float("inf"), float("nan")], requires_grad=True).log().exp(),
    "empty": lambda: rf.ones(0, requires_grad=True).exp(),
    "no axes": lambda: rf.tensor(2.0, requires_grad=True).exp().expand(2, 2).view(4),
    "wide": lambda: (lambda x: sum((x * k).tanh() for k in range(1, 6)))(rf.ones(2, requires_grad=True)),
    "many leaves": lambda: sum(rf.tensor(float(k), requires_grad=True) * k for k in range(6)),
    "double": lambda: (lambda x: (x.half() * x).sum())(rf.ones(2, 3, requires_grad=True)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_order_comes_to_an_end_and_the_true_one_is_right(name):
    y = PROGRAMS[name]()
    for seed in range(4):
        game = widgets.BeTheEngine(y, title="y")
        chance = random.Random(seed)
        while game.waiting:
            game.press(f"pick {chance.choice(game.waiting)}")
            assert game._note == "" and game.frame == len(game.figure.frames) - 1
        wrong = [leaf for leaf in game.right if not rf.allclose(game.result[leaf], game.right[leaf], equal_nan=True)]
        assert game.lost or not wrong
        assert ("Lost" in game.figure.sentences[-1]) == bool(game.lost)
    game.press("start again")
    order = sorted(game._nodes.values(), key=lambda node: -game._board.number[node.id])
    game.picks = [game._names[node.id] for node in order]  # the reverse of the program
    assert game.lost == [] and game.waiting == []
    assert all(rf.allclose(game.result[leaf], game.right[leaf], equal_nan=True) for leaf in game.right)


def test_what_is_no_game_is_said():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TypeError, match="tensor of rustyflow's"):
        widgets.BeTheEngine([1.0])
    with pytest.raises(ValueError, match="a leaf"):
        widgets.BeTheEngine(x)
    with pytest.raises(RuntimeError, match="requires_grad"):
        widgets.BeTheEngine(rf.ones(2).exp())
    with pytest.raises(ValueError, match="a graph of 101 nodes"):
        y = x
        for _ in range(100):
            y = y.sin()
        widgets.BeTheEngine(y)
    z = (x * x).sum()
    z.backward()
    with pytest.raises(RuntimeError, match=r"BeTheEngine\(y\) before y.backward"):
        widgets.BeTheEngine(z)
    with pytest.raises(RuntimeError, match="shape"):
        widgets.BeTheEngine(x * x, upstream=rf.ones(3))


def test_a_graph_that_is_freed_meanwhile_leaves_the_figure():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    game = widgets.BeTheEngine(y)
    game.picks = ["y"]
    figure = game.figure
    y.backward()
    game._hear(game, {"press": "pick mul"}, [])
    assert game.figure is figure and game._note and game.picks == ["y"]


def test_names_full_of_markup_and_an_upstream_of_ones_own():
    x = rf.tensor([1.0, 2.0], requires_grad=True)
    game = widgets.BeTheEngine(x * x, upstream=rf.tensor([10.0, 1.0]), title="<img src=x onerror=alert(1)> 🙂")
    game.picks = ["mul"]
    assert game.right["x"].tolist() == [20.0, 4.0] and "<img src=x" not in game.figure.svg()


def test_two_threads_that_pick_leave_figure_and_picks_in_agreement():
    *_, game = two_readers()

    def play():
        for _ in range(5):
            for press in ("pick y", "pick d", "undo", "start again"):
                game._hear(game, {"press": press}, [])

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [game._names[turn.picked.id] for turn in game._turns[1:]] == game.picks

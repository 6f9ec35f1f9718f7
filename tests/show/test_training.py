"""show.training: what it sees of a loop, ours and PyTorch's, and that it changes nothing."""

import copy
import pickle
from collections import namedtuple
from itertools import count, islice
from math import isnan
from threading import Thread

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.show.training.seen import as_it_was


@pytest.fixture(params=["rustyflow", "torch"])
def lib(request):
    """The library, ours or PyTorch where it is installed."""
    return rf if request.param == "rustyflow" else pytest.importorskip("torch")


def net(lib, act="Tanh"):
    lib.manual_seed(0)
    return lib.nn.Sequential(lib.nn.Linear(2, 8), getattr(lib.nn, act)(), lib.nn.Linear(8, 2))


def batches(lib, n=4):
    x, y = (t.numpy() for t in rf.utils.data.sets.moons(16 * n))
    return [(lib.tensor(x[k::n]), lib.tensor(y[k::n])) for k in range(n)]


def hooks_of(model):
    """The hooks on a model's modules: ours keep theirs by kind."""
    return [hook for module in model.modules()
            for hook in (module._hooks["after"] if isinstance(module, rf.nn.Module) else module._forward_hooks)]


def learn(lib, loop, model, epochs=1):
    optimizer = lib.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(epochs):
        for x, y in loop:
            loss = lib.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def test_the_numbers_of_a_step_are_those_of_the_loop(lib):
    model, loader = net(lib, "ReLU"), batches(lib)
    run = show.training(loader, model, every=1)
    for x, y in run:
        before = [p.detach().clone() for p in model.parameters()]
        out = model(x)
        loss = lib.nn.functional.cross_entropy(out, y)
        model.zero_grad()
        loss.backward()
        norms = [p.grad.norm().item() for p in model.parameters()]
        hidden = model[0](x)
        with lib.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
        changes = [(p.detach() - old).norm().item() for p, old in zip(model.parameters(), before, strict=True)]
        step = len(run.losses)
    rows = run.measured[-1].rows
    assert len(run.losses) == 4 and run.losses[-1] == loss.item() and run.measured[-1].step == step == 3
    assert rows["gradient"] == pytest.approx([np.hypot(*norms[:2]), np.hypot(*norms[2:])], rel=1e-5)
    sizes = [p.norm().item() for p in before]
    assert rows["update"] == pytest.approx([np.hypot(*changes[:2]) / np.hypot(*sizes[:2]),
                                            np.hypot(*changes[2:]) / np.hypot(*sizes[2:])], rel=1e-4)
    assert rows["activation"][1] == pytest.approx((out.detach() ** 2).mean().item() ** 0.5, rel=1e-5)
    dead = ((hidden > 0).sum(0) == 0).float().mean().item()
    assert rows["dead"][0] == pytest.approx(dead) and isnan(rows["dead"][1])


def test_it_gives_the_same_batches_and_changes_nothing(lib):
    watched, alone = net(lib), net(lib)
    run = show.training(batches(lib), watched)
    learn(lib, run, watched, 3)
    learn(lib, batches(lib), alone, 3)
    assert len(run.losses) == 12 and run.losses[-1] < run.losses[0]
    assert all((p == q).all() for p, q in zip(watched.parameters(), alone.parameters(), strict=True))
    assert not hooks_of(watched)
    assert lib is rf or lib.autograd.backward.__module__ == "torch.autograd"


def test_the_figure_tells_each_step_on_every_side(lib):
    model = net(lib, "ReLU")
    run = show.training(batches(lib), model, every=1, title="two moons")
    learn(lib, run, model, 5)
    figure = run.figure()
    assert len(figure.frames) == 20 and figure.scene.title == "two moons" and run.layers == ("0", "2")
    assert list(figure.scene.toggles) == ["a", "u", "z", "l"]
    state = figure.state(7)
    assert state.sentence.startswith("Step 7: the loss is") and "gets a gradient of norm" in state.sentence
    assert "gives numbers of size" in figure.state(7, toggles=("a",)).sentence
    assert "of its size" in figure.state(7, toggles=("u", "l")).sentence
    assert "of the units is at 0" in figure.state(7, toggles=("z",)).sentence
    assert state.sets["step", "text"] == "step 7" and state.sets["loss", "text"] in state.sentence
    assert "Step 19" in repr(run) and len(repr(run).splitlines()) <= 5
    assert run.plot().get_ylabel() == "loss"


@pytest.mark.parametrize("most, steps", [(None, 700), (8, 700)])
def test_of_many_steps_some_are_drawn_among_them_the_worst(most, steps, monkeypatch):
    module = __import__("rustyflow.show.training.figure", fromlist=["MOST"])
    monkeypatch.setattr(module, "MOST", most or module.MOST)
    w = rf.nn.Linear(1, 1)
    run = show.training(range(steps), w, every=1)
    for k in run:
        (w(rf.ones(1, 1)).sum() * 0 + (100.0 if k == 333 else 1.0)).backward()
    assert len(run.losses) == steps and run.worst == 333 and len(run.measured) <= (most or steps)
    figure = run.figure()
    drawn = [frame.link for frame in figure.frames]
    assert len(drawn) <= 120 and drawn[0] == "s0"
    assert most or "s333" in drawn and drawn[-1] == "s699"


def test_quick_steps_are_measured_one_in_four(monkeypatch):
    module, model = __import__("rustyflow.show.training.figure", fromlist=["QUICK"]), net(rf)
    monkeypatch.setattr(module, "QUICK", 10.0)  # however busy the machine is
    run = show.training(batches(rf, 16), model)
    learn(rf, run, model, 2)
    assert {m.step for m in run.measured} == {0, 1, 2, *range(4, 32, 4)}


def test_a_loop_that_breaks_off_goes_on_and_keeps_what_was_seen():
    model = net(rf)
    run = show.training(batches(rf), model, every=1)
    learn(rf, islice(iter(run), 2), model)
    with pytest.raises(KeyboardInterrupt):
        for x, y in run:
            rf.nn.functional.cross_entropy(model(x), y).backward()
            raise KeyboardInterrupt
    learn(rf, run, model)
    assert len(run.losses) == 2 + 1 + 4 and not any(map(isnan, run.losses))
    assert len(run.figure().frames) == 7 and not hooks_of(model)


class Twice(rf.nn.Module):
    """A model that gives a tuple, and at its second call a dict."""

    def __init__(self):
        super().__init__()
        self.inner, self.calls = rf.nn.Linear(2, 2), 0

    def forward(self, x):
        self.calls += 1
        return {"y": self.inner(x)} if self.calls % 2 == 0 else (self.inner(x), None)


def steps_of(run, model, *, call=lambda model, x: model(x).sum(), times=1):
    for x, *_ in run:
        for _ in range(times):
            call(model, x).backward()


@pytest.mark.parametrize("loop", [
    lambda run, model: steps_of(run, model, times=2),
    lambda run, model: steps_of(run, model, call=lambda m, x: (m(x) / 0).sum()),
    lambda run, model: [None for _ in run],
    lambda run, model: steps_of(run, model, call=lambda m, x: m[0](x).pow(2).mean()),
], ids=["twice", "nan", "never", "part"])  # fmt: skip
def test_odd_loops_are_drawn(loop):
    model = net(rf)
    run = show.training(batches(rf), model, every=1)
    loop(run, model)
    assert len(run.losses) == 4 and len(run.figure().frames) == 4 and len(run.figure().svg()) > 1000


def test_a_model_that_gives_a_tuple_or_a_dict_is_seen():
    model = Twice()
    run = show.training(batches(rf), model, every=1)
    for x, _ in run:
        out = model(x)
        (out["y"] if isinstance(out, dict) else out[0]).sum().backward()
    assert [m.rows["activation"][0] > 0 for m in run.measured] == [True] * 4 and run.layers == ("inner",)


def test_a_loader_may_be_endless_and_an_empty_one_has_no_figure():
    model = net(rf)
    run = show.training(((rf.ones(4, 2), k) for k in count()), model)
    for x, k in run:
        model(x).sum().backward()
        if k == 9:
            break
    assert len(run.losses) == 10
    empty = show.training([], model)
    assert list(empty) == [] and repr(empty).endswith("no step yet")
    with pytest.raises(ValueError, match="0 steps"):
        empty.figure()


def test_a_validated_loss_stands_at_its_step():
    model = net(rf)
    run = show.training(batches(rf), model)
    learn(rf, run, model)
    run.validated(rf.tensor(0.5))
    assert run.valid == [(3, 0.5)] and run.figure().svg().count("dashed") >= 2


@pytest.mark.parametrize("wrong, error, rule", [
    (lambda model: show.training(3, model), TypeError, "a loader gives batches"),
    (lambda model: show.training([], model.forward), TypeError, "a model is a module"),
    (lambda model: show.training([], rf.nn.ReLU()), ValueError, "layers are what has some"),
    (lambda model: show.training([], model, every=0), ValueError, "from 1 on"),
    (lambda model: show.training([], model, title=3), TypeError, "a title is text"),
])  # fmt: skip
def test_what_cannot_be_watched_is_said(wrong, error, rule):
    with pytest.raises(error, match=rule):
        wrong(net(rf))


def test_a_step_without_backward_has_no_loss():
    run = show.training([0, 1], net(rf))
    assert list(run) == [0, 1] and [*map(isnan, run.losses)] == [True, True]
    assert run.figure().sentences[0].startswith("Step 0: no backward.")


@pytest.mark.parametrize("losses", [[1e308, -1e308], [5e-324] * 3, [float("inf"), 1.0], [3e38, 3.1e38], [0.0]])
def test_losses_of_any_size_have_a_place(losses):
    w = rf.tensor([1.0], requires_grad=True, dtype=rf.float64)
    model = rf.nn.Linear(1, 1)
    run = show.training(losses, model)
    for loss in run:
        (w * loss).sum().backward()
    assert run.losses == losses and "nan" not in run.figure().svg()


def test_two_runs_at_once_leave_pytorch_s_backward_as_it_was():
    torch = pytest.importorskip("torch")
    before, model = torch.autograd.backward, net(torch)
    loops = [iter(show.training(batches(torch), model)) for _ in range(2)]
    assert all(len(next(loop)) == 2 for loop in loops) and torch.autograd.backward is not before
    for loop in loops:
        loop.close()
    assert torch.autograd.backward is before


class Output:
    """What a notebook shows of a run: one output, changed in place."""

    def __init__(self):
        self.shown = []

    def display(self, bundle, raw, display_id):
        assert raw and display_id and not self.shown
        self.update(bundle, raw)
        return self

    def update(self, bundle, raw):
        self.shown.append(bundle)


@pytest.fixture
def cell(monkeypatch):
    """The events of a shell, as a notebook has one."""
    from IPython.core.events import EventManager, available_events

    events = EventManager(None, available_events)
    module = __import__("rustyflow.show.training.live", fromlist=["Live"])
    monkeypatch.setattr(module, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"events": events}))
    return events


def test_in_a_notebook_one_output_is_drawn_anew_and_comes_alive_at_the_end(monkeypatch, cell):
    module, output = __import__("rustyflow.show.training.live", fromlist=["Live"]), Output()
    monkeypatch.setattr(module, "hosts", [])
    monkeypatch.setattr(module, "APART", 0.0)
    monkeypatch.setattr(module, "SHARE", 1e9)
    monkeypatch.setattr("IPython.display.display", output.display)
    model = net(rf)
    learn(rf, show.training(batches(rf), model, every=1), model, 2)
    scripts = ["<script" in bundle["text/html"] for bundle in output.shown]
    assert scripts == [False] * 4 + [True] + [False] * 4 + [True]
    assert "4 steps" in output.shown[4]["text/plain"] and "8 steps" in output.shown[-1]["text/plain"]
    cell.trigger("post_execute")
    assert len(output.shown) == 11 and len(output.shown[-1]["text/html"]) > len(output.shown[-2]["text/html"]) + 10_000
    learn(rf, show.training(batches(rf), model, live=False), model)
    cell.trigger("post_execute")
    assert len(output.shown) == 11


def test_in_static_mode_a_cell_has_one_picture_and_nothing_is_drawn_anew(monkeypatch, cell):
    module, shown = __import__("rustyflow.show.training.live", fromlist=["Live"]), []
    monkeypatch.setattr(module, "APART", 0.0)
    monkeypatch.setattr("rustyflow.scene.figure._display", "static")
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: shown.append(bundle))  # takes no display_id
    model = net(rf)
    learn(rf, show.training(batches(rf), model), model, 2)
    assert shown == []
    cell.trigger("post_execute")
    assert "8 steps" in shown[0]["text/plain"] and "<script" not in shown[0]["text/html"]
    cell.trigger("post_execute")  # of the next cell
    assert len(shown) == 1


def test_in_a_terminal_a_line_says_how_far_it_is(monkeypatch, capsys):
    module = __import__("rustyflow.show.training.live", fromlist=["Live"])
    monkeypatch.setattr(module, "in_terminal", lambda: True)
    model = net(rf)
    learn(rf, show.training(batches(rf), model), model)
    heard = capsys.readouterr().err
    assert heard.startswith("\rstep 1, loss ") and "3 of 4 steps to go" in heard and heard.endswith("\n")


def test_the_line_in_a_terminal_counts_the_steps_of_its_own_loop(monkeypatch, capsys):
    module = __import__("rustyflow.show.training.live", fromlist=["Live"])
    monkeypatch.setattr(module, "in_terminal", lambda: True)
    model = net(rf)
    run = show.training(batches(rf), model)
    learn(rf, islice(iter(run), 2), model)
    learn(rf, run, model)
    assert "step 6," in (heard := capsys.readouterr().err) and heard.rstrip().endswith("0 of 4 steps to go")
    learn(rf, show.training(type("Loader", (list,), {"__len__": lambda self: 0})(batches(rf)), model), model)
    assert capsys.readouterr().err.rstrip().endswith("0 of 0 steps to go")  # whatever a loader says of its length


def kept_run(lib=rf, steps=12, pins=(3, 7), act="ReLU"):
    """A run of a small net with dropout, of which some steps are kept; and the weights before and the loss of each."""
    lib.manual_seed(0)
    nn = lib.nn
    model = nn.Sequential(nn.Linear(2, 3), getattr(nn, act)(), nn.Dropout(0.25), nn.Linear(3, 2))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.5)
    (x, y), before = batches(lib, 8)[0], []
    run = show.training([(x[:4], y[:4])] * steps, model, every=1)
    run.pin(*pins)
    for xb, yb in run:
        before.append((model[0].weight.detach().clone(), model[3].bias.detach().clone()))
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return run, before


def test_a_kept_step_opens_into_its_graph_with_the_numbers_of_then():
    run, before = kept_run()
    assert {0, 3, 7, 11, run.worst} == {*run.kept}
    for step in (3, run.worst):
        graph, backward = run.at(step), run.at(step, "g")
        assert graph.where("loss").value == pytest.approx(run.losses[step])
        assert graph.where("model.0.weight[1, 0]").value == before[step][0][1, 0].item()
        rows = next(m.rows for m in run.measured if m.step == step)
        norm = sum(backward.where(f"model.3.{name}.grad{at}").value ** 2 for name, ats in (
            ("weight", ["[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]", "[1, 1]", "[1, 2]"]), ("bias", ["[0]", "[1]"]))
            for at in ats) ** 0.5  # fmt: skip
        assert norm == pytest.approx(rows["gradient"][1], rel=1e-5)  # dropped were the same units
    assert "in Sequential.0" in graph.text() and "xb" in graph.text()
    assert run.at(3) is run.at(3) and f"graph of step {step}" in graph.scene.title


def test_the_figures_of_four_kept_steps_are_in_a_file_and_the_others_ask_for_python():
    run, _ = kept_run(pins=(2, 4, 5, 6, 7, 8))
    inner = run.figure().opened.inner
    assert [*inner] == ["o", "g", "m", "w", "p"] and inner["o"].label == "graph" and inner["g"].label == "backward"
    there = {shape for shape, scene in inner["g"].scenes.items() if scene}
    assert len(there) == 4 and {"s0", "s11", f"s{run.worst}"} <= there
    assert {*inner["o"].scenes} == {f"s{step}" for step in run.kept} and "are." in inner["o"].absent
    assert not any(run.figure(-1).opened.inner["o"].scenes.values())  # no time for them
    frame = run.figure().frames[4]
    assert "Kept: o opens its graph, g its backward, m its memory, w its" in frame.sentence["u"]
    assert "Kept" not in run.figure().text()


def test_at_most_sixteen_steps_are_kept_and_none_of_a_model_too_large(monkeypatch):
    run, _ = kept_run(steps=40, pins=range(10, 23))
    assert len(run.kept) in (15, 16) and {0, 39, *range(10, 23)} <= {*run.kept}
    with pytest.raises(ValueError, match="weights are gone"):
        run.pin(3)
    with pytest.raises(ValueError, match="13 are kept"):
        run.pin(50)
    module = __import__("rustyflow.show.training.kept", fromlist=["BYTES"])
    monkeypatch.setattr(module, "BYTES", 40)
    large, _ = kept_run(pins=())
    assert large.kept == () and not large.figure().opened.inner
    with pytest.raises(ValueError, match="kept are steps none"):
        large.at(0)


def test_a_step_that_comes_to_another_loss_is_refused(lib):
    wide, x = lib.nn.Linear(40, 1), lib.ones(4, 40)
    run = show.training([x], wide, every=1)
    for batch in run:
        wide(batch).sum().backward()
        x.mul_(2)
    with pytest.raises(ValueError, match="another now"):
        run.at(0)
    assert "another now" in run.figure().opened.inner["o"].said["s0"]


def test_a_kept_step_of_pytorch_opens_into_its_graph_with_the_numbers_of_then():
    torch = pytest.importorskip("torch")
    run, before = kept_run(torch)
    assert {0, 3, 7, 11, run.worst} == {*run.kept}
    state = torch.get_rng_state()
    for step in (3, run.worst):
        graph = run.at(step)
        assert graph.where("loss").value == pytest.approx(run.losses[step], rel=1e-5)  # dropped were the same units
        assert graph.where("model.0.weight[1, 0]").value == before[step][0][1, 0].item()
        assert "xb" in graph.text() and f"graph of step {step}" in graph.scene.title
    assert run.at(3, "w").text() and torch.equal(state, torch.get_rng_state())
    inner = run.figure().opened.inner
    assert [*inner] == ["o", "w", "p"] and all(scene for scene in inner["o"].scenes.values())
    assert "Kept: o opens its graph, w its weights and p its predictions." in run.figure().frames[3].sentence[""]
    with pytest.raises(ValueError, match="opens by o and w and p"):
        run.at(3, "g")


def test_calls_of_pytorch_are_noted_while_a_step_runs_and_never_after():
    torch = pytest.importorskip("torch")
    modes = torch.overrides._get_current_function_mode_stack
    model = net(torch)
    run = show.training(batches(torch), model, every=1)
    learn(torch, run, model)
    assert modes() == [] and not run._noted.on
    for _ in run:
        break
    assert modes() == [] and not run._noted.on
    loop = iter(run)
    next(loop)
    with torch.device("cpu"):  # a mode of the reader's own, above
        loop.close()
        assert len(modes()) == 2
    assert not run._noted.on
    learn(torch, show.training(batches(torch), model), model)  # which takes the one along that stayed
    assert modes() == []


def test_a_step_of_pytorch_with_views_writes_and_a_function_of_the_readers_own():
    torch = pytest.importorskip("torch")

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def written(x):
        held = torch.zeros(4, 3)
        held[:, 0] = x.T[0]
        return held.add_(1) + torch.rand_like(x)

    kept = []
    for own in (written, Twice.apply):
        model, x = torch.nn.Linear(2, 3), torch.ones(4, 2)
        run = show.training([(x, torch.ones(4, 3))], model, every=1)
        for batch, target in run:  # of which the graph knows one alone
            (own(model(batch)).square().sum() * len(target)).backward()
        kept.append(run)
    assert kept[0].at(0).where("loss").value == pytest.approx(kept[0].losses[0], rel=1e-6)
    with pytest.raises(ValueError, match="history that was not noted"):
        kept[1].at(0)


def test_what_a_step_keeps_for_backward_grows_and_is_let_go():
    run, _ = kept_run()
    figure = run.at(3, "m")
    # batch of 4 in float32: relu keeps what it gives, 4·3 cells; the product what it dropped, and the second layer the
    # product; cross_entropy the shares, 4·2. Weights and batch are there anyway.
    assert [frame.sentence for frame in figure.frames] == [
        "Forward, t of Sequential.0: it keeps nothing new; 0 in all.",
        "Forward, linear of Sequential.0: it keeps nothing new; 0 in all.",
        "Forward, relu of Sequential.1: it keeps 48 bytes for backward; 48 in all.",
        "Forward, mul of Sequential.2: it keeps 48 bytes for backward; 96 in all.",
        "Forward, t of Sequential.3: it keeps nothing new; 96 in all.",
        "Forward, linear of Sequential.3: it keeps 48 bytes for backward; 144 in all.",
        "Forward, cross_entropy: it keeps 32 bytes for backward; 176 in all.",
        "Backward, cross_entropy: 32 bytes are let go; 144 in all.",
        "Backward, linear of Sequential.3: 48 bytes are let go; 96 in all.",
        "Backward, t of Sequential.3: nothing is let go; 96 in all.",
        "Backward, mul of Sequential.2: 48 bytes are let go; 48 in all.",
        "Backward, relu of Sequential.1: 48 bytes are let go; 0 in all.",
        "Backward, linear of Sequential.0: nothing is let go; 0 in all.",
        "Backward, t of Sequential.0: nothing is let go; 0 in all.",
    ]
    assert figure.scene.note == "7 operations, 176 bytes at most" and figure.state().sets["kept", "text"] == "176"


def scaled(gains, bias=0.0):
    """A chain of layers with no activation between them, each of which multiplies."""
    layers = [rf.nn.Linear(1, 1) for _ in gains]
    with rf.no_grad():
        for layer, gain in zip(layers, gains, strict=True):
            layer.weight.fill_(gain)
            layer.bias.fill_(bias)
    return rf.nn.Sequential(*layers)


@pytest.mark.parametrize("gains, right", [
    ((1.0, 0.1, 0.1, 0.1), "A"), ((1.0, 9.0, 9.0, 9.0), "B"), ((1.0, 1.0, 1.0), "C"), ((1.0, 0.0, 1.0), "D"),
])  # fmt: skip
def test_a_run_that_is_guessed_first_tells_nothing_of_its_strip_before(gains, right):
    model = scaled(gains, bias=1.0)
    run = show.training([rf.ones(1, 1)] * 3, model, every=1, predict=True)
    for x in run:
        model.zero_grad()
        model(x).sum().backward()
    figure = run.figure()
    assert figure.scene.asks.open and list(figure.scene.asks.choices) == ["A", "B", "C", "D"]
    before = figure.scene
    seen = str(before.shapes) + repr(run) + before.frames[0].sentence
    assert len(before.frames) == 1 and "norm of the gradient" not in seen and "gets a gradient" not in seen
    with pytest.raises(ValueError, match="one of A, B, C, D"):
        run.guess("E")
    after = run.guess("A").scene
    own = {"A": "right, and your guess"} if right == "A" else {right: "right", "A": "your guess"}
    assert after.asks.said == own
    assert not after.asks.open and len(after.frames) == 3 and "gets a gradient" in repr(run)


def test_one_layer_has_nothing_to_guess():
    model = rf.nn.Linear(1, 1)
    run = show.training([rf.ones(1, 1)], model, predict=True)
    for x in run:
        model(x).sum().backward()
    assert run.figure().scene.asks is None


class Odd(rf.nn.Module):
    """A model of two dtypes that counts its calls, prints, draws random numbers, and raises in its second call."""

    def __init__(self, fails=False):
        super().__init__()
        self.first, self.second = rf.nn.Linear(2, 3), rf.nn.Linear(3, 1).double()
        self.calls, self.fails, self.seen = 0, fails, rf.zeros(3)

    def forward(self, x):
        self.calls += 1
        if self.fails and self.calls == 2:
            raise RuntimeError("not twice")
        print("called", self.calls)
        self.seen = 0.5 * self.seen + self.first(x).detach().mean(0)
        return self.second((self.first(x) + self.seen + 0.01 * rf.randn(3)).double())


def test_a_model_with_state_noise_and_two_dtypes_runs_again_as_it_ran(capsys):
    rf.manual_seed(0)
    model = Odd()
    run = show.training([rf.ones(4, 2)] * 3, model, every=1)
    for x in run:
        model(x).sum().backward()
    figure = run.at(2)
    assert figure.where("loss").value == pytest.approx(run.losses[2]) and model.calls == 3
    assert capsys.readouterr().out.splitlines() == ["called 1", "called 2", "called 3"]
    assert run.figure().frames[2].sentence[""].startswith("Step 2: the loss is")


def test_a_model_that_raises_in_its_second_call_ends_the_loop_and_leaves_what_was_seen():
    model = Odd(fails=True)
    run = show.training([rf.ones(4, 2)] * 3, model, every=1)
    with pytest.raises(RuntimeError, match="not twice"):
        for x in run:
            model(x).sum().backward()
    assert len(run.losses) == 1 and run.kept == (0,) and not hooks_of(model) and len(run.figure().frames) == 1


def test_two_losses_and_two_optimizers_are_watched_each_by_its_own_loader_or_the_last_counts():
    """As in a GAN: each step has two backwards, of two models; the one that is watched sees its own layers."""
    maker, judge = rf.nn.Linear(1, 1), rf.nn.Linear(1, 1)
    steps = [rf.optim.SGD(model.parameters(), lr=0.1) for model in (maker, judge)]
    run = show.training([{"real": rf.ones(4, 1)}] * 4, judge, every=1)
    for batch in run:
        for sign, optimizer in zip((1, -1), steps, strict=True):
            optimizer.zero_grad()
            (sign * (judge(batch["real"]) - judge(maker(batch["real"]))).mean()).backward()
            optimizer.step()
    assert len(run.losses) == 4 and run.several == 2 and "last of several" in run.figure().scene.note
    assert len(run.kept) >= 2 and all(m.rows["gradient"][0] > 0 for m in run.measured)


def test_gradients_that_are_added_up_are_told_as_they_stand_and_a_vector_s_backward_counts_its_sum():
    model = rf.nn.Linear(1, 1, bias=False)
    run = show.training([rf.ones(2, 1)] * 3, model, every=1)
    for x in run:
        model(x).backward(rf.ones(2, 1))  # no step, and no zero_grad
    assert [m.rows["gradient"][0] for m in run.measured] == [2.0, 4.0, 6.0]
    assert run.losses == [pytest.approx(2 * model.weight.item())] * 3 and run.measured[-1].rows["update"] == [0.0]


def test_a_loss_that_is_a_number_of_python_fails_in_the_loop_as_it_does_without():
    run = show.training([rf.ones(2, 1)], model := rf.nn.Linear(1, 1), every=1)
    with pytest.raises(AttributeError):
        for x in run:
            model(x).sum().item().backward()
    assert run.losses == [] and repr(run).endswith("no step yet") and not hooks_of(model)


def test_many_steps_keep_a_bounded_number_of_measures_and_steps():
    w = rf.nn.Linear(1, 1)
    run = show.training(range(2_500), w, every=1)
    x = rf.ones(1, 1)
    for _ in run:
        w(x).sum().backward()
    assert len(run.losses) == 2_500 and 1000 < len(run.measured) <= 2048 and run.every == 2
    assert run.kept == (0, run.measured[-1].step) and len(run.figure().frames) <= 120
    assert "2,500 steps" in run.figure().scene.note


@pytest.mark.parametrize("where", ["forward", "backward", "step", "between"])
def test_an_interrupt_anywhere_leaves_the_model_as_it_was_and_the_run_goes_on(where):
    model, count = net(rf), 0
    optimizer = rf.optim.SGD(model.parameters(), lr=0.5)
    run = show.training(batches(rf), model, every=1)

    def at(place):
        nonlocal count
        count += place == where
        if place == where and count == 2:
            raise KeyboardInterrupt

    def loop():
        for x, y in run:
            at("between")
            out = model(x)
            at("forward")
            loss = rf.nn.functional.cross_entropy(out, y)
            optimizer.zero_grad()
            loss.backward()
            at("backward")
            optimizer.step()
            at("step")

    with pytest.raises(KeyboardInterrupt):
        loop()
    seen = 1 + (where in ("backward", "step"))
    assert len(run.losses) == seen and not hooks_of(model)
    loop()
    assert len(run.losses) == seen + 4 and len(run.figure().frames) == seen + 4


def test_a_kept_step_shows_its_weights_and_the_boundary_of_two_inputs_as_they_were():
    run, before = kept_run()
    figure = run.at(3, "w")
    low, high = before[3][0].min().item(), before[3][0].max().item()
    assert figure.state(link="w0").sentence == f"0.weight: from {low:.3g} to {high:.3g}; a dot is below 0."
    assert figure.frames[0].sentence.startswith("17 weights of 0.weight, 0.bias, 3.weight and 3.bias")
    plane = run.at(11, "p")
    assert plane.frames[0].sentence.endswith("of 4 right.") and plane.scene.index["p3"].text in ("0", "1")
    assert run.model.training and run.at(3, "w") is figure  # a copy was asked


def test_of_small_pictures_the_classes_are_told_and_of_other_batches_why_not():
    x, y = rf.utils.data.sets.glyphs(16)
    model = rf.nn.Sequential(rf.nn.Flatten(), rf.nn.Linear(x[0].numel(), 10))
    run = show.training([(x, y)], model, every=1)
    for xb, yb in run:
        rf.nn.functional.cross_entropy(model(xb), yb).backward()
    figure = run.at(0, "p")
    found = model(x).argmax(1).tolist()
    told = [figure.scene.index[f"p{k}"].text for k in range(12)]
    assert told == [str(k) if k == own else f"{k}, not {own}" for k, own in zip(found[:12], y.tolist(), strict=False)]
    assert f"{sum(a == b for a, b in zip(found, y.tolist(), strict=True))} of 16 in the batch" in figure.sentences[0]
    wide = rf.nn.Linear(5, 1)
    other = show.training([rf.ones(2, 5)], wide, every=1)
    for batch in other:
        wide(batch).sum().backward()
    assert "a boundary is drawn of two inputs" in other.figure().opened.inner["p"].said["s0"]


def test_steps_of_pytorch_under_autocast_with_buffers_and_in_float64_open_as_they_were():
    torch = pytest.importorskip("torch")
    nn = torch.nn
    torch.manual_seed(0)
    (x, y), model = batches(torch, 8)[0], nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    run, means = show.training([(x, y)] * 4, model, every=1), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for xb, yb in run:
        means.append(model[1].running_mean.clone())
        with torch.autocast("cpu", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert run.at(3).where("loss").value == pytest.approx(run.losses[3], rel=1e-3)
    then = as_it_was(model, run._keeping.steps()[3].weights)
    assert torch.equal(then[1].running_mean, means[3]) and not torch.equal(means[3], model[1].running_mean)
    double = nn.Linear(2, 2).double()
    run = show.training([(x.double(), y)], double, every=1)
    for xb, yb in run:
        nn.functional.cross_entropy(double(xb), yb).backward()
    assert all(run.figure().opened.inner[key].scenes["s0"] for key in "owp")


def test_what_pytorch_refuses_when_a_step_is_run_once_more_is_said_and_stops_no_figure():
    torch = pytest.importorskip("torch")
    model = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    x = torch.ones(4, 2)
    run = show.training([x], model, every=1)
    for batch in run:
        model(batch).square().sum().backward()
    x.resize_(0)  # the batch of then is gone
    inner = run.figure().opened.inner
    assert "Step 0 does not open" in inner["o"].said["s0"]
    again = show.training([torch.ones(4, 2)], torch.nn.Linear(2, 1), every=1)
    for batch in again:
        for _ in range(2):
            again.model(batch).sum().backward()
    assert again.kept == () and not again.figure().opened.inner  # which of two backwards would it be?


def test_a_model_is_copied_in_a_step_and_written_to_without_gradients_and_opens_all_the_same():
    torch = pytest.importorskip("torch")
    nn = torch.nn
    model, kept = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3)), []
    x = torch.ones(4, 2)
    run = show.training([x], model, every=1)
    for batch in run:
        loss = model(batch).square().sum()
        kept.append(copy.deepcopy(model))  # an average of weights, a target network
        loss.backward()
    assert run.at(0).where("loss").value == pytest.approx(run.losses[0], rel=1e-6)
    run = show.training([x], model, every=1)
    for batch in run:
        with torch.no_grad():
            held = torch.zeros(4, 3)
        held[:2] = model(batch)[:2]
        held.square().sum().backward()
    assert run.at(0).where("loss").value == pytest.approx(run.losses[0], rel=1e-6)


def test_batches_in_named_tuples_and_frozen_weights_are_those_of_then():
    torch = pytest.importorskip("torch")
    nn, pair = torch.nn, namedtuple("Pair", "a b")
    model, teacher = nn.Linear(2, 3), nn.Linear(2, 3).requires_grad_(False)
    whole = nn.ModuleList([model, teacher])
    run, then = show.training([torch.ones(4, 2)] * 2, whole, every=1), []
    for batch in run:
        then.append(teacher.weight.clone())
        both = torch.cat(pair(model(batch), teacher(batch)), 1)
        (both[:, :3] - both[:, 3:]).square().sum().backward()
        with torch.no_grad():
            teacher.weight.mul_(2)
    assert "model.0.weight" in run.at(0).text() and "freed" not in run.at(0).text()
    assert run.at(1).where("loss").value == pytest.approx(run.losses[1], rel=1e-6)
    assert torch.equal(as_it_was(whole, run._keeping.steps()[0].weights)[1].weight, then[0])


def test_looking_moves_no_generator_of_the_program_s_own():
    torch = pytest.importorskip("torch")
    model, own = torch.nn.Linear(2, 1), torch.Generator().manual_seed(1)
    run = show.training([torch.ones(4, 2)], model, every=1)
    for batch in run:
        model(batch + torch.randn(4, 2, generator=own)).sum().backward()
    state = own.get_state()
    assert run.kept == () and not run.figure().opened.inner and torch.equal(state, own.get_state())


class Four(rf.nn.Linear):
    """A model that takes four rows and no others."""

    def forward(self, x):
        if len(x) != 4:
            raise KeyError("four rows")
        return super().forward(x)


def test_what_a_model_raises_when_it_is_drawn_is_said_and_stops_no_figure():
    run = show.training([rf.ones(4, 2)], model := Four(2, 1), every=1)
    for x in run:
        model(x).sum().backward()
    inner = run.figure().opened.inner
    assert inner["g"].scenes["s0"] and inner["w"].scenes["s0"] and "KeyError: 'four rows'" in inner["p"].said["s0"]


def test_weights_that_are_no_numbers_and_parameters_without_cells_are_drawn(lib):
    model = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.Linear(0, 2))
    with lib.no_grad():
        model[0].weight[0, 0], model[0].bias[:] = float("nan"), float("inf")
    run = show.training([lib.ones(4, 2) * float("nan"), lib.ones(0, 2)], model, every=1)
    for x in run:
        model[0](x).sum().backward()
    figure = run.at(1, "w")
    told = [figure.state(link=f"w{k}").sentence for k in range(3)]  # 1.weight has no cell
    assert told[0].startswith("0.weight: from ") and told[0].endswith("; empty: 1 cell of nan or inf.")
    assert told[1] == "0.bias: no finite number; empty: 2 cells of nan or inf." and told[2].startswith("1.bias: from ")
    assert "both of finite numbers" in run.figure().opened.inner["p"].said["s0"]
    assert "both of finite numbers" in run.figure().opened.inner["p"].said["s1"]


def test_weights_of_a_dtype_that_numpy_lacks_are_drawn():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 2).bfloat16()
    run = show.training([torch.ones(4, 2, dtype=torch.bfloat16)], model, every=1)
    for x in run:
        model(x).sum().backward()
    assert run.figure().opened.inner["w"].scenes["s0"]


def test_of_a_batch_its_tensors_alone_have_names(lib):
    model, nothing, one = net(lib), None, 1
    run = show.training([(lib.ones(4, 2), nothing, one)], model, every=1)
    for x, _, _ in run:
        model(x).sum().backward()
    inner = run.figure().opened.inner
    assert all(figure.scenes["s0"] for figure in inner.values()) and nothing is None and one == 1


def test_a_gradient_that_stores_some_rows_alone_is_measured():
    torch = pytest.importorskip("torch")
    model = torch.nn.Embedding(5, 3, sparse=True)
    run = show.training([torch.tensor([0, 1, 1])], model, every=1)
    for x in run:
        model(x).sum().backward()
    assert run.measured[0].rows["gradient"] == [pytest.approx(model.weight.grad.to_dense().norm().item())]


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_norms_whose_squares_float32_lacks_are_told(lib, size):
    model = lib.nn.Linear(2, 1, bias=False)
    run = show.training([lib.ones(1, 2)], model, every=1)
    for x in run:
        (model(x) * size).sum().backward()
        with lib.no_grad():
            model.weight.add_(size)
    assert run.measured[0].rows["gradient"] == [pytest.approx(size * 2**0.5)]
    assert size < 1 or run.measured[0].rows["update"][0] > size


@pytest.mark.filterwarnings("error")
def test_infinite_weights_give_no_warning(lib):
    model = lib.nn.Linear(2, 1)
    with lib.no_grad():
        model.weight[0, 0] = float("inf")
    run = show.training([lib.ones(1, 2)], model, every=1)
    for x in run:
        model(x).sum().backward()
    assert isnan(run.measured[0].rows["update"][0])


def test_a_model_is_pickled_and_copied_in_a_step_and_what_comes_of_it_is_not_watched(lib):
    model = net(lib)
    run = show.training(batches(lib), model, every=1)
    for x, y in run:
        loss = lib.nn.functional.cross_entropy(model(x), y)
        size = model[0](x).square().mean().sqrt().item()
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            other(x * 1000)
        assert "rustyflow" not in str(pickle.dumps(model)) or lib is rf
        loss.backward()
        assert run._watcher._rows["activation"][0] == pytest.approx(size)


def test_a_validation_within_a_step_does_not_count(lib):
    model = net(lib, "ReLU")
    run = show.training(batches(lib), model, every=1)
    for x, y in run:
        lib.nn.functional.cross_entropy(model(x), y).backward()
        with lib.no_grad():
            model(x * 1000)
            size = model[0](x).square().mean().sqrt().item()
    assert run.measured[-1].rows["activation"][0] == pytest.approx(size)
    assert not isnan(run.measured[-1].rows["dead"][0])


def test_a_backward_within_a_backward_is_no_loss_of_the_loop():
    torch = pytest.importorskip("torch")
    model, losses = net(torch), []
    run = show.training(batches(torch), model, every=1)
    for x, y in run:
        hidden = torch.utils.checkpoint.checkpoint(model[:2], x.requires_grad_(), use_reentrant=True)
        loss = torch.nn.functional.cross_entropy(model[2](hidden), y)
        losses.append(loss.item())
        loss.backward()
    assert run.losses == losses and run.several == 1


def test_two_loops_in_two_threads_see_each_its_own(lib):
    model, other = net(lib), net(lib)
    run = show.training(batches(lib), model, every=1)
    for x, y in run:
        thread = Thread(target=lambda x=x: [other(x).sum().backward() for x in show.training([x], other)])
        thread.start()
        thread.join()
        loss = lib.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        thread = Thread(target=lambda x=x: other(x).sum().backward())
        thread.start()
        thread.join()
    assert run.losses[-1] == loss.item() and run.several == 1 and len(run.kept) > 1


def test_a_loop_within_a_loop_over_one_run_is_refused_and_not_cut_short():
    run = show.training(batches(rf), net(rf))
    with pytest.raises(RuntimeError, match="one loop at a time"):
        for _ in run:
            assert len([*run]) == 4
    with pytest.raises(RuntimeError, match="one loop at a time"):
        [*zip(run, run, strict=True)]
    first = iter(run)
    assert len([*first]) == 4 and len([*run]) == 4 and [*first] == []

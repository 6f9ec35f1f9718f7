"""The player shows what Python draws: every frame, every link, every toggle, element by element."""

import base64
import json
import xml.etree.ElementTree as ElementTree
import zlib
from itertools import cycle, product

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene import Figure, Frame, Link, Links, Look, Scene, draw, svg, wire
from tests.show.models import Recurrent, loss_of

pytestmark = pytest.mark.browser

HOST = "[data-lm-suppress-shortcuts]"
READING = """
    const read = e => [e.localName, Object.fromEntries([...e.attributes].filter(a => !a.name.startsWith('data-') &&
        !a.name.startsWith('xmlns')).map(a => [a.name, a.value])),
        e.children.length ? [...e.children].map(read) : e.textContent];
    const shown = figure => {
        figure.land();
        const svg = figure.shadowRoot.querySelector('.stage svg');
        const drawn = [...svg.children].filter(e => !['style', 'defs'].includes(e.localName));
        const told = figure.shadowRoot.querySelector('#says'), heard = told.querySelector('.heard');
        const says = heard ? heard.textContent + ' | ' + heard.nextSibling.textContent : told.textContent;
        return [svg.getAttribute('class') || '', says, drawn];
    };"""
READ = f"""figure => {{ {READING}
    const [cls, says, drawn] = shown(figure);
    return JSON.stringify([cls, says, drawn.map(read)]);
}}"""
EACH = f"""(figure, asked) => {{ {READING}
    const met = new Map(), parts = [];
    const number = part => {{
        const key = part.outerHTML;  // which the browser writes much faster than a script reads the part
        if (!met.has(key)) met.set(key, parts.push(JSON.stringify(read(part))) - 1);
        return met.get(key);
    }};
    const states = asked.map(ask => {{
        figure.show(ask);
        figure.point(ask.pointed);
        const [cls, says, drawn] = shown(figure);
        return [cls, says, drawn.map(number)];
    }});
    return [states, parts];
}}"""
"""What is shown in each state that is asked for; a part that many states share travels once."""


def python(figure, frame, link, toggles, pointed=None):
    """What Python draws, in the form in which READ reads the page."""

    def read(element):
        inner = [read(child) for child in element] or (element.text or "")
        return [element.tag.rpartition("}")[2], dict(element.attrib), inner]

    state = figure.state(frame, link, toggles, pointed)
    root = ElementTree.fromstring(svg.draw(figure.scene, state, head=False, everything=True))
    drawn = [read(child) for child in root if child.tag.rpartition("}")[2] not in ("style", "defs")]
    pinned = "pinned " if link and state.link == link else ""
    sentence = pinned + state.sentence
    if state.seen != state.sentence:  # heard with its formula, which is seen in the picture alone
        sentence = f"{pinned}{state.sentence} | {pinned}{state.seen}"
    return [root.get("class", ""), sentence, [e for e in drawn if e[1].get("id") != "ground"]]


MOST, SOME = 150, 30
"""Of more links than these an even part is tried, in the long ring and in every run: a figure of thousands has some
hundred of each kind."""


def states(figure, most):
    """Every frame with every set of toggles; every link, and every shape pointed at while nothing is pinned and while
    something is, each over one of the first, the still and the last frame, in turn, and with one side, in turn."""
    scene = figure.scene
    triggers = [trigger for family in scene.links for trigger in family.links]
    triggers = triggers[::1 + len(triggers) // most]
    sides = [None, (), *((t,) for t in scene.toggles)]
    for frame in range(len(scene.frames)):
        for side in sides:
            yield frame, None, side, None
    turns = cycle(product(sorted({0, scene.still, len(scene.frames) - 1}), sides[:1] + sides[2:]))
    for trigger, (frame, side) in zip(triggers, turns):
        yield frame, trigger, side, None
        yield frame, None, None, trigger
        yield frame, triggers[0], None, trigger


def disagreements(figure, tab, most=SOME):
    """The states in which the page shows something else than Python draws."""
    asked = [dict(zip(("frame", "link", "toggles", "pointed"), state, strict=True)) for state in states(figure, most)]
    shown, parts = tab.locator(HOST).evaluate(EACH, asked)
    parts = [json.loads(part) for part in parts]
    pages = ([cls, says, [parts[k] for k in drawn]] for cls, says, drawn in shown)
    return [ask for ask, page in zip(asked, pages, strict=True) if page != python(figure, **ask)]


def toggled():
    """A small scene with all that one can do: a toggle with its own sentence and shapes, moving and hidden cells."""
    cells = [draw.cell(f"c{k}", 20 + 60 * k, 20, k) for k in range(3)]
    shapes = (
        *cells,
        draw.group("u", draw.text(20, 120, "forward"), cls="unless-g"),
        draw.group("w", draw.text(20, 120, "backward"), cls="when-g off"),
        draw.arrow("a"),
    )
    away = Look({"off": ("c0",), "-off": ("w",)}, {("c1", "transform"): draw.place(5, 90), ("a", "d"): "M0 0H9"})
    links = Links(
        {"": ("cell ", 0), "g": ("gradient of cell ", 0)},
        {f"c{k}": Link((f"c{k}", f"c{(k + 1) % 3}"), (k,)) for k in range(3)},
        {("a", "d"): ("M0 ", 0, "H9")},
        {"dimmed": ("u",)},
    )
    frames = (
        Frame({"": "Forward.", "g": "Backward."}),
        Frame("Cell 0 is <away> & gone.", (away,)),
        Frame("Cell 2.", (away,), "c2", ("g",)),
    )
    return Figure(Scene("a < b", 240, 140, shapes, frames, (links,), ((("c0", "c1", "c2"),),), {"g": "backward"}))


def program():
    """A small program with a repeated operand and a view."""
    w = rf.tensor([[2.0, 3.0]], requires_grad=True)
    x = rf.tensor([0.5], requires_grad=True)
    h = w.t() * x
    return (h + x).tanh().sum()


def layers(n):
    """A network that is seen through a window from four layers on."""
    x = rf.tensor([[0.5, -1.0]])
    for k in range(n):
        w = rf.tensor([[1.0, 0.5], [-0.5, 1.0]], requires_grad=True)
        x = (x @ w + rf.tensor([0.1 * k, 0.0], requires_grad=True)).tanh()
    return x.sum()


def model():
    """A model in closed boxes, with the sizes of its gradients."""
    net, loss = loss_of(Recurrent)
    return show.backward(loss, title=f"{type(net).__name__}, backward")


X = np.arange(12).reshape(3, 4)
LONG = ["a_name_of_forty_letters_for_the_weights_", "another_name_of_forty_letters_for_inputs"]
FIGURES = {
    "toggles": toggled,
    "long names": lambda: show.broadcast(X[:2] * 1.23456e-7, X[:1, :1] + 0.3333, op="*", names=LONG),
    "long names of a function": lambda: show.broadcast(X[:1] / 3, X[:2] / 7, op="maximum", names=LONG),
    "whole numbers that wrap": lambda: show.reduce(np.array([[2**63 - 1, 5], [3, 4]]), "sum", 1, name="x"),
    "strides": lambda: show.strides(X.T[1:, :2], names=["y"], title="y = x.T[1:, :2]"),
    "strides of two": lambda: show.strides(X, X.T[1:, :2], names=["x", "y"]),
    "strides of a copy": lambda: show.strides(X, X.T.copy(), names=["x", "z"]),
    "strides repeated": lambda: show.strides(np.broadcast_to(np.array([[np.nan], [2.5]]), (2, 3)), names=["e"]),
    "strides of rank 3": lambda: show.strides(np.arange(8).reshape(2, 2, 2)[:, ::-1], names=["r"]),
    "broadcast": lambda: show.broadcast(np.array([[10.0], [20.0], [30.0]]), np.arange(1.0, 5.0), names=["a", "b"]),
    "broadcast of three": lambda: show.broadcast(X[:2, None, :2], np.ones((2, 1)), 2.0, op="*", names=["a", "b", "c"]),
    "broadcast of a clash": lambda: show.broadcast(X, X[:, 0], names=["a", "b"]),
    "broadcast of markup": lambda: show.broadcast(X[:1, :2], X[:2, :1], names=["<b>", "{0}"], title="</script><b>{0}"),
    "broadcast of a million": lambda: show.broadcast(np.zeros((1000, 1000)), np.arange(1000), names=["a", "b"]),
    "reduce": lambda: show.reduce(X[:2, :3] * 1.5, "mean", 1, name="x"),
    "reduce to ties": lambda: show.reduce(np.array([[3.0, 3.0], [1.0, 2.0]]), "amax", (0, 1), True, name="x"),
    "reduce of ten thousand": lambda: show.reduce(np.ones((100, 100)), "sum", 0, name="x"),
    "matmul": lambda: show.matmul(X[:2, :3] * 1.0, X[:, :2] * 1.0, names=["a", "b"]),
    "matmul of a batch": lambda: show.matmul(np.ones((2, 1, 3)), X[:, :2] * 1.0, names=["a", "b"]),
    "op that gathers": lambda: show.op("gather", X * 1.0, 1, X[:, :2] % 4, names=["a", "i"]),
    "op that adds up": lambda: show.op("cumsum", X[:2, :3] * 1.0, dim=1, names=["a"]),
    "op one by one": lambda: show.op("matmul", X[:2, :2] * 1.0, X[:2, 2:] * 1.0, names=["a", "b"], one_by_one=True),
    "op of long sums": lambda: show.op("matmul", np.full((2, 14), -1.25), X[:, :2].repeat(5, 0)[:14] / 3),
    "op of long names": lambda: show.op("add", X[:2], X[:2], names=["𝔞" * 50, "b" * 60]),
    "broadcast of long names": lambda: show.broadcast(X[:2], X[0], names=["a" * 50, "b" * 60]),
    "op of products": lambda: show.op("matmul", X - 4.0, X.T / 4, names=["a", "b"]),
    "op with a bias": lambda: show.op("linear", X - 4.5, X * 1.0, X[:, 1] * 2.0, names=["x", "w", "b"]),
    "op of padding": lambda: show.op("conv2d", X[None, None] * 1.0, X[None, None, :2, :3] - 1.0, padding=1),
    "op of no numbers": lambda: show.op("sum", np.ones((3, 0)), dim=1, names=["a"]),
    "op that shares": lambda: show.op("softmax", X[:2] / 4, dim=1, names=["x"]),
    "op of integers": lambda: show.op("add", X, X[0], names=["x", "y"]),
    "matmul of a clash": lambda: show.matmul(X, X, names=["a", "b"]),
    "curve": lambda: show.curve(lambda x: x * x, 3.0),
    "curve with a corner": lambda: show.curve(lambda x: x.relu(), 0.0),
    "curve of a check": lambda: show.curve("exp", 1.0, check=True),
    "curve of fits": lambda: show.curve(lambda x, w: w * x, fits=[0.0, 1.5, 2.0], points=([1, 2], [2, 4])),
    "graph": lambda: show.graph(program()),
    "backward": lambda: show.backward(program()),
    "graph through a window": lambda: show.graph(layers(4)),
    "backward through a window": lambda: show.backward(layers(4)),
    "graph of a model": model,
    "compare": lambda: show.compare(program(), lambda graph, upstream: {}, names=None),
    "strides of markup": lambda: show.strides(X[:1], names=["<b>{0}</b>"], title="</script><b>{0}"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_state_in_the_page_is_the_one_python_draws(name, plain, tmp_path):
    figure = FIGURES[name]()
    assert ("window" in name) == ("world" in figure.scene.index)
    tab = plain(figure.save(tmp_path / "figure.html"))
    assert disagreements(figure, tab) == []


def test_every_state_of_a_scene_loaded_after_another_is_the_one_python_draws(plain, tmp_path):
    first, *others = (FIGURES[name]() for name in ("strides of two", "broadcast", "toggles", "backward", "strides"))
    tab = plain(first.save(tmp_path / "figure.html"))
    for figure in others:
        tab.locator(HOST).evaluate("(host, scene) => host.load(scene)", json.loads(wire.encode(figure.scene)))
        assert disagreements(figure, tab) == []


def test_a_corrupted_frame_is_found(plain, tmp_path):
    figure = FIGURES["strides"]()
    page = figure.save(tmp_path / "figure.html")
    data = wire.encode(figure.scene).replace('"l":"a5"', '"l":"a4"')
    wrong = base64.b64encode(zlib.compress(data.encode())).decode()
    page.write_text(page.read_text(encoding="utf-8").replace(wire.pack(figure.scene), wrong), encoding="utf-8")
    wrong = disagreements(figure, plain(page))
    assert {state["frame"] for state in wrong} == {figure.scene.still}


def test_stepping_jumping_and_stepping_back_agree(plain, tmp_path):
    figure = FIGURES["strides of two"]()
    tab = plain(figure.save(tmp_path / "figure.html"))
    element = tab.locator(HOST).element_handle()
    stage = tab.locator(".stage")
    stage.focus()

    def shown():
        return json.loads(element.evaluate(READ))

    jumped = []
    for frame in range(len(figure.frames)):
        element.evaluate("(figure, frame) => figure.show({frame})", frame)
        jumped.append(shown())
    element.evaluate("figure => figure.show({frame: 0})")
    for frame in range(len(figure.frames)):
        assert shown() == jumped[frame]
        stage.press("PageDown")
    for frame in reversed(range(len(figure.frames))):
        assert shown() == jumped[frame]
        stage.press("PageUp")

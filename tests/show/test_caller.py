"""Titles and names are the caller's own text, or none: every way of calling a figure, with what it gives."""

import linecache
import runpy
import sys
from inspect import Parameter, signature

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import rustyflow as rf
from rustyflow import show, widgets

x = np.arange(12).reshape(3, 4)

BEFORE = """
import functools
import numpy as np
import rustyflow as rf
from rustyflow import show
from rustyflow.show import strides as tape
x = rf.arange(12.0).view(3, 4)
w = rf.ones(4, requires_grad=True)
older = x.t()
pair = x, older
class Model:
    def __init__(self):
        self.w = w
        self.layers = [x, w]
    def shown(self):
        return show.strides(self.w)
    def both(self):
        return show.broadcast(self.layers[0], self.w)
model = Model()
def write(t):
    t[0] = 9
"""

WAYS = [
    # the argument's own text
    ("figure = show.strides(x)", "x"),
    ("figure = show.strides(x[::2])", "x[::2]"),
    ("figure = show.strides(x[::2].clone().t())", "t = x[::2].clone().t()"),
    ("figure = show.strides(x, x.t())", "x,  x.t()"),
    ("figure = show.strides(x.t(), x.t() + 1)", "x.t(),  (x.t() + 1)"),
    ("figure = show.strides(\n    x,\n    x[\n        1:  # without the first\n    ],\n)", "x,  x[1:]"),
    ("figure = rf.show.strides(x[1:])", "x[1:]"),
    ("figure = tape(x[1:])", "x[1:]"),
    ("figure = show.strides(model.layers[0])", "model.layers[0]"),
    ("figure = show.strides(rf.tensor(['  a  '.count(' '), 1]))", "t = rf.tensor(['  a  '.count(' '), 1])"),
    ("figure = show.strides(rf.cat([x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x]))", "t"),
    ("figure = show.strides(x" + "\n+ x" * 300 + ")", "t"),
    # two calls in one line, calls in calls
    ("figure = show.strides(x), show.strides(x.t()); a = 1", ["x", "x.t()"]),
    ("figure = [show.strides(x.t()), [show.strides(x[1:])]][1][0]", "x[1:]"),
    ("def of(t):\n    return show.strides(t)\nfigure = of(x[1:])", "t"),
    ("def of(t):\n    return show.strides(t[:2])\nfigure = of(x[1:])", "t[:2]"),
    # a call in a comprehension, a lambda, a method, a generator
    ("figure = [show.strides(t) for t in pair]", ["t", "t"]),
    ("figure = [show.strides(t[1:]) for t in pair]", ["t[1:]", "t[1:]"]),
    ("figure = (lambda t: show.strides(t))(x[1:])", "t"),
    ("figure = next(show.strides(t) for t in pair)", "t"),
    ("figure = model.shown()", "self.w"),
    ("figure = model.both()", "self.layers[0] + self.w"),
    # a call that is not written as one: a name is one that the value has
    ("figure = [*map(show.strides, pair)]", ["x", "older"]),
    ("figure = show.strides(*pair)", "x,  older"),
    ("figure = functools.partial(show.strides, x)(older)", "x,  older"),
    ("figure = functools.reduce(show.reduce, [x, 'sum'])", "x.sum()"),
    ("figure = functools.reduce(show.broadcast, [x, w])", "x + w"),
    ("figure = {'tape': show.strides}['tape'](x[1:])", "t"),
    ("figure = getattr(show, 'strides')(older)", "older"),
    ("def shows(f):\n    return lambda *a: show.strides(f(*a))\n@shows\ndef of(t):\n    return t[1:]\nfigure = of(x)",
     "f(*a)"),
    ("@show.strides\n@lambda f: x\ndef figure():\n    pass", "x"),
    # a walrus
    ("figure = show.strides(q := x.t())", "q = x.t()"),
    ("figure = show.broadcast(x, (q := w * 2))", "x + q"),
    ("a = x\nfigure = show.strides(a, (a := x.t()))", "a = x.t()"),
    # one assignment above the call, in its block
    ("y = x.t()[1:]\nfigure = show.strides(y)", "y = x.t()[1:]"),
    ("y = x.t()\nz = y + 1\nprint(z.shape)\nshow.strides(z)\nfigure = show.strides(y)", "y = x.t()"),
    ("y=x . t( )\nfigure = show.strides(y)", "y = x . t( )"),
    ("y = rf.cat([\n    x,  # first\n    x,\n])\nfigure = show.strides(y)", "y = rf.cat([x, x])"),
    ("u, v = x.split([1, 2])\nfigure = show.strides(v)", "u, v = x.split([1, 2])"),
    ("u, v = x.split([1, 2])\nfigure = show.strides(x, u, v)", "x,  u, v = x.split([1, 2])"),
    ("y = x.t()\ny = x[1:]\nfigure = show.strides(y)", "y = x[1:]"),
    ("y = x.t()\nfigure = show.strides(x, y)", "y = x.t()"),
    ("y = x.t()\nfigure = show.strides(y, x)", "y = x.t(),  x"),
    ("def f(t):\n    y = t * 2\n    return y\ny = f(x)\nfigure = show.strides(y)", "y = f(x)"),
    ("def f(t):\n    y = t * 2\n    return show.strides(y)\nfigure = f(x)", "y = t * 2"),
    ("for k in range(2):\n    y = x[k:]\n    figure = show.strides(y)\n    y += 1", "y = x[k:]"),
    ("y = (w * 2).sum()\ny.backward(retain_graph=True)\nfigure = show.backward(y)", "y = (w * 2).sum()"),
    ("y = (w * 2).sum()\nfor k in range(2):\n    print(y)\nfigure = show.graph(y)", "y = (w * 2).sum()"),
    ("y = w * 2\nz = w * 3\nfigure = show.graph(y, z)", "y = w * 2;  z = w * 3"),
    ("figure = show.graph((w * 2).sum())", "(w * 2).sum()"),
    # of a value that may have changed since, or that another line made, the name alone
    ("figure = show.strides(older)", "older"),
    ("y = x + 1\ny[0] = 5\nfigure = show.strides(y)", "y"),
    ("y = x + 1\ny.mul_(2)\nfigure = show.strides(y)", "y"),
    ("y = x + 1\ny += 1\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nrf.exp(x, out=y)\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nz = y\nz[0] = 5\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nwrite(y)\nfigure = show.strides(y)", "y"),
    ("y = x.numpy() + 1\nnp.copyto(y, 3)\nfigure = show.strides(y)", "y"),
    ("y = x.numpy() + 1\ny.fill(3)\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nx = x * 2\nfigure = show.strides(y)", "y"),
    ("k = 1\ny = x[k:]\nk = 2\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nwith rf.no_grad():\n    y += 1\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nfor k in range(2):\n    y[k] = 0\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nfor k in range(2):\n    figure = show.strides(y)\n    y += 1", "y"),
    ("y = x + 1\nfigure = [show.strides(y) for y in pair]", ["y", "y"]),
    ("y = x + 1\nof = lambda: show.strides(y)\ny[0] = 5\nfigure = of()", "y"),
    ("y = x + 1\ndef of():\n    return show.strides(y)\ny[0] = 5\nfigure = of()", "y"),
    ("if True:\n    y = x + 1\nfigure = show.strides(y)", "y"),
    ("y = older\ny = y[1:]\nfigure = show.strides(y)", "y"),
    ("y = z = x[1:]\nfigure = show.strides(y)", "y"),
    ("y = x + 1\nfigure = show.strides(y, y.mul_(2))", "y,  y.mul_(2)"),
    ("def other():\n    y = x[2:]\ny = older\nfigure = show.strides(y)", "y = older"),
]  # fmt: skip

LACKING = [
    ("figure = show.strides(x)", "x"),
    ("y = x.t()\nfigure = show.strides(y)", "y"),
    ("figure = show.strides(x.t())", "t"),
    ("figure = show.strides(x, x[1:].clone())", "x,  y"),
    ("figure = show.broadcast(x, w * 2)", "x + a"),
    ("figure = show.matmul(x, w * 2)", "x @ a"),
    ("figure = show.reduce(x.t())", "y.sum()"),
    ("figure = show.op('exp', x)", "exp(x)"),
    ("figure = show.graph(w * 2)", "The graph of mul"),
    ("figure = show.backward((w * 2).sum())", "Backward from sum"),
]
"""Of code that has no source."""


def titled(figure):
    return figure.scene.title


def titles(figure):
    return [*map(titled, figure)] if isinstance(figure, list | tuple) else titled(figure)


@pytest.fixture
def shell():
    main = sys.modules["__main__"]
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main  # IPython puts the cells' names there


def test_every_way_of_calling_in_a_cell(shell):
    wrong = {}
    with capture_output():
        for code, wanted in WAYS:
            shell.run_cell(BEFORE).raise_error()  # in a cell of its own
            shell.run_cell(code).raise_error()
            if (shown := titles(shell.user_ns.pop("figure"))) != wanted:
                wrong[code] = shown
    assert wrong == {}


def test_every_way_of_calling_in_a_script(tmp_path):
    wrong = {}
    for k, (code, wanted) in enumerate(WAYS):
        (tmp_path / f"{k}.py").write_text(code)
        (tmp_path / "before.py").write_text(BEFORE)
        space = runpy.run_path(tmp_path / "before.py")
        if (shown := titles(runpy.run_path(tmp_path / f"{k}.py", space)["figure"])) != wanted:
            wrong[code] = shown
    assert wrong == {}


@pytest.mark.parametrize(("code", "wanted"), LACKING)
def test_code_without_source(code, wanted):
    space = {}
    exec(f"{BEFORE}{code}", space)
    assert titles(space["figure"]) == wanted


def test_a_file_that_was_edited_since_gives_no_wrong_name(tmp_path):
    code = compile("figure = show.strides(a)", tmp_path / "edited.py", "exec")
    (tmp_path / "edited.py").write_text("figure = show.strides(b)")
    space = {"show": show, "a": x[1:], "b": x}
    exec(code, space)
    assert titled(space["figure"]) == "a"


def test_the_cells_of_a_notebook_with_magics(shell):
    with capture_output():
        shell.run_cell("import rustyflow as rf\nfrom rustyflow import show\nx = rf.arange(6)").raise_error()
        with np.printoptions():  # which the magic changes for all of NumPy
            shell.run_cell("%precision 3\ny = x[1:]\nfigure = show.strides(y);").raise_error()
        first = shell.user_ns["figure"]
        shell.run_cell("figure = show.strides(y)").raise_error()
    assert (titled(first), titled(shell.user_ns["figure"])) == ("y = x[1:]", "y")


def test_the_callers_other_tensors_that_share_are_named():
    y = x[1]
    assert "shares with: x" in str(show.strides(y))


def test_one_of_several_results_is_told_by_the_line_that_made_them():
    t = rf.arange(6)
    first, last = t.split(3)
    figure = show.strides(t, first, last)
    assert titled(figure) == "t = rf.arange(6),  first, last = t.split(3)"
    moved = "From t to last: shape (6,) becomes (3,) and storage_offset 0 becomes 3; stride stays (1,)."
    assert f"{moved} Nothing is copied." in figure.sentences


def test_a_letter_that_stands_for_something_is_no_name_of_the_caller():
    d = x[0]
    assert titled(show.broadcast(x[:, :1], d)) == "a + d,  a = x[:, :1]"


# -- what the caller gives ---------------------------------------------------------------------------------------------

Y = (rf.ones(2, 3, requires_grad=True) * 2).sum()
A, B = rf.ones(2, 3, requires_grad=True), rf.ones(3, 3)

GIVEN = {
    "strides": (lambda **given: show.strides(A, A.t(), **given), [A, None], ["p", "q"], "p = A,  q = A.t()"),
    "broadcast": (lambda **given: show.broadcast(A, B[0], **given), [A, None], ["p", "q"], "p + q"),
    "reduce": (lambda **given: show.reduce(A, "sum", 1, **given), [A], ["p"], "p.sum(dim=1)"),
    "matmul": (lambda **given: show.matmul(A, B, **given), [A, B], ["p", "q"], "p @ q"),
    "op": (lambda **given: show.op("add", A, B[0], **given), [A, None], ["p", "q"], "add(p, q)"),
    "graph": (lambda **given: show.graph(Y, **given), [Y], ["p"], "p = Y"),
    "backward": (lambda **given: show.backward(Y, **given), [Y], ["p"], "p = Y"),
    "Strides": (lambda **given: widgets.Strides(A, A.t(), **given).figure, [A, None], ["p", "q"], "p,  q"),
    "Broadcast": (lambda **given: widgets.Broadcast(A, B[0], **given).figure, [A, None], ["p", "q"], "p + q"),
    "Reduce": (lambda **given: widgets.Reduce(A, "sum", 1, **given).figure, [A], ["p"], "p.sum(dim=1)"),
    "Matmul": (lambda **given: widgets.Matmul(A, B, **given).figure, [A, B], ["p", "q"], "p @ q"),
    "Op": (lambda **given: widgets.Op("add", A, B[0], **given).figure, [A, None], ["p", "q"], "add(p, q)"),
    "Graph": (lambda **given: widgets.Graph(Y, **given).figure, [Y], ["p"], "p = Y"),
    "Backward": (lambda **given: widgets.Backward(Y, **given).figure, [Y], ["p"], "p = Y"),
    "BeTheEngine": (lambda **given: widgets.BeTheEngine(Y, **given).figure, [Y], ["p"], "p = Y"),
}
every_figure = pytest.mark.parametrize("name", GIVEN)


def test_all_figures_take_names_and_a_title_alike():
    for name in GIVEN:
        taken = [*signature(getattr(show if name.islower() else widgets, name)).parameters.values()]
        taken = [p for p in taken if p.kind is not Parameter.VAR_KEYWORD][-2:]
        assert [(p.name, p.kind, p.default) for p in taken] == [
            ("names", Parameter.KEYWORD_ONLY, None), ("title", Parameter.KEYWORD_ONLY, None)], name  # fmt: skip
    for name in ("strides", "broadcast", "reduce", "matmul", "op", "graph", "backward"):
        assert "names: what to call" in getattr(show, name).__doc__.replace("names: the same", "names: what to call")
        assert "title: the title; default:" in getattr(show, name).__doc__


@every_figure
def test_names_are_given_in_order_or_by_tensor(name):
    draws, tensors, names, wanted = GIVEN[name]
    assert titled(draws(names=names)) == titled(draws(names=tuple(names))) == wanted
    by_tensor = {other: tensor for other, tensor in zip(names, tensors) if tensor is not None}
    assert titled(draws(names=by_tensor)).startswith(wanted[: wanted.index("p") + 1])
    assert "p" in draws(names=names).text()
    marked = draws(names=["<i>&\n", *names[1:]]).svg(0)
    assert "<i>" not in marked and "&lt;i&gt;&amp;" in marked


@every_figure
def test_a_title_that_is_given_is_the_title(name):
    draws, _, names, _ = GIVEN[name]
    assert titled(draws(title="mine")) == titled(draws(title="mine", names=names)) == "mine"
    marked = draws(title="<b>i</b> & \n\t'j'\u202e")
    assert titled(marked) == "<b>i</b> & 'j'\\u202e" and "<b>" not in marked.svg(0) and "&lt;b&gt;" in marked.svg(0)
    assert len(titled(draws(title="long " * 100))) == 160


@every_figure
def test_wrong_names_and_titles_teach(name):
    draws, tensors, names, _ = GIVEN[name]
    many = "1 name for 2 tensors" if len(names) == 2 else "2 names for 1 tensor"
    for given, kind, match in [
        ({"title": 3}, TypeError, "a title is text"),
        ({"names": 3}, TypeError, "names are words in quotes"),
        ({"names": [*names[1:], None]}, TypeError, "names are words in quotes"),
        ({"names": [*names[1:], " "]}, TypeError, "names are words in quotes"),
        ({"names": {3: tensors[0]}}, TypeError, "names are words in quotes"),
        ({"names": []}, ValueError, "0 names for "),
        ({"names": ["p", "q"][: 3 - len(names)]}, ValueError, many),
        ({"names": {"p": rf.ones(2)}}, ValueError, "a name is of "),
    ]:  # fmt: skip
        with pytest.raises(kind, match=match):
            draws(**given)
    if len(names) == 2:
        with pytest.raises(ValueError, match="two tensors have two names"):
            draws(names=["p", "p"])


def test_a_reduction_takes_name_as_well():
    assert titled(show.reduce(A, name="p")) == titled(show.reduce(A, names="p")) == "p.sum()"
    assert titled(widgets.Reduce(A, name="p").figure) == "p.sum()"
    for draws in (show.reduce, widgets.Reduce):
        with pytest.raises(TypeError, match="give one"):
            draws(A, name="p", names=["q"])


def test_a_graph_calls_its_leaves_as_they_are_given():
    w, b = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
    p = (w * b).sum()
    for figure in (show.graph(p, names={"b": w, "bias": b}), show.backward(p, names={"b": w, "bias": b})):
        assert [line.split()[0] for line in figure.scene.about[:2]] == ["b", "bias"], "the program's own b is another"
        assert titled(figure) == "p = (w * b).sum()"
    assert titled(show.graph(p, w, names=["loss", "weight"])) == "loss = p;  weight = w"


def test_a_title_stays_while_its_tensors_do():
    for widget, trait, other in (
        (widgets.Strides(A, title="mine"), "tensors", [B]),
        (widgets.Broadcast(A, B[0], title="mine"), "tensors", [A, A]),
        (widgets.Reduce(A, title="mine"), "x", B),
        (widgets.Matmul(A, B, title="mine"), "b", rf.ones(3, 1)),
        (widgets.Graph(Y, title="mine"), "y", Y * 2),
        (widgets.Backward(Y, title="mine"), "y", Y * 2),
    ):
        assert titled(widget.figure) == "mine"
        setattr(widget, trait, other)
        assert titled(widget.figure) != "mine"


def test_what_counts_no_writes_has_a_title():
    torch = pytest.importorskip("torch")
    with torch.inference_mode():
        made = torch.arange(3)
        assert titled(show.strides(made)) == "made = torch.arange(3)"


def test_no_earlier_cell_is_read():
    cell = "figure = show.strides(y)\n"
    linecache.cache["<cell 4>"] = (len(cell), None, [cell], "<cell 4>")
    space = {"y": x.T[1:], "show": show, "In": ["", "y = x.T[1:]", cell]}
    exec(compile(cell, "<cell 4>", "exec"), space)
    assert titled(space["figure"]) == "y"


def test_a_tensor_made_in_the_call_is_called_as_pytorch_calls_the_parameter():
    def ramp(*shape):
        return rf.arange(float(np.prod(shape))).reshape(shape)

    figure = show.op("conv2d", ramp(1, 1, 3, 3), ramp(1, 1, 2, 2))
    assert figure.scene.title == "conv2d(a, weight),  a = ramp(1, 1, 3, 3),  weight = ramp(1, 1, 2, 2)"
    weight = ramp(4)
    gathered = show.op("gather", weight, 0, rf.tensor([1]))
    assert gathered.scene.title == "gather(weight, 0, index),  index = rf.tensor([1])"
    linear = show.op("linear", ramp(1, 2), ramp(2, 2)).scene.title
    assert linear.startswith("linear(a, b),"), "weight is another thing, as x is"
    assert show.op("mul", ramp(2), ramp(2) + 1).scene.title == "mul(a, b),  a = ramp(2),  b = ramp(2) + 1"

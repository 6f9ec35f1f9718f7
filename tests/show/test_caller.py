"""The title is the program in its own words, and a figure never fails for want of them."""

import linecache

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import show

x = np.arange(12).reshape(3, 4)


def titled(figure):
    return figure.scene.title


def test_a_name_is_told_by_the_line_that_made_it():
    y = x.T[1:, :2]
    assert titled(show.strides(y)) == "y = x.T[1:, :2]"


def test_the_last_assignment_before_the_call_counts():
    y = x.T
    first = show.strides(y)
    y = x[1:]
    assert (titled(first), titled(show.strides(y))) == ("y = x.T", "y = x[1:]")


def test_what_was_written_into_a_tensor_is_told_with_it():
    a = rf.tensor([1.0, 2.0], requires_grad=True)
    y = a + 1
    y[0] = a[1]
    y.mul_(3)
    assert titled(show.backward(y)) == "y = a + 1; y[0] = a[1]; y.mul_(3)"
    for _ in range(2):  # how often, no text tells
        y += 1
    assert titled(show.backward(y)) == "y"
    v = a.detach()
    with rf.no_grad():
        a += 1
    assert titled(show.strides(v)) == "v = a.detach()", "a view stays a view"


def test_what_was_written_through_another_name_leaves_the_name_alone():
    t = rf.zeros(3)
    u = t
    u[1] = 5
    w = np.arange(3)
    w[0] = 7
    assert [titled(show.strides(t)), titled(show.strides(u)), titled(show.strides(w))] == ["t", "u = t; u[1] = 5", "w"]
    filled = rf.empty(2).fill_(1)
    assert titled(show.strides(filled)) == "filled = rf.empty(2).fill_(1)"


def test_one_of_several_results_is_told_by_the_line_that_made_them():
    t = rf.arange(6)
    first, last = t.split(3)
    assert titled(show.strides(last)) == "first, last = t.split(3)"
    figure = show.strides(t, first, last)
    assert titled(figure) == "t = rf.arange(6),  first, last = t.split(3)"
    moved = "From t to last: shape (6,) becomes (3,) and storage_offset 0 becomes 3; stride stays (1,)."
    assert f"{moved} Nothing is copied." in figure.sentences


def test_an_expression_is_its_own_title():
    assert titled(show.strides(x[::2])) == "x[::2]"
    assert titled(show.strides(x[::2].copy().T)) == "t = x[::2].copy().T"


def test_a_view_with_its_base():
    z = x[:, 1:]
    figure = show.strides(x, z)
    assert titled(figure) == "z = x[:, 1:]"
    assert figure.state(link="b0").sentence == "z[0, 0] is slot 1, value 1; x sees it as x[0, 1]."


def test_the_callers_other_tensors_that_share_are_named():
    y = x[1]
    assert "shares with: x" in str(show.strides(y))


def test_a_parameter_has_no_line_that_made_it():
    def inner(t):
        return show.strides(t)

    assert titled(inner(x)) == "t"


def test_other_functions_with_the_same_names_are_no_source():
    def decoy():
        w = x.T  # noqa: F841

    w = x[2:]
    assert titled(show.strides(w)) == "w = x[2:]"


def test_code_without_source():
    space = {"x": x, "show": show}
    exec("f = show.strides(x.T)", space)
    assert titled(space["f"]) == "t"


def test_stars_and_keywords():
    pair = (x, x.T)
    assert titled(show.strides(*pair)) == "x,  y"
    assert titled(show.strides(x, title="mine")) == "mine"


def test_earlier_cells_of_a_notebook():
    """IPython keeps what was run in `In`, and the source of a cell in `linecache`."""
    cell = "figure = show.strides(y)\n"
    linecache.cache["<cell 4>"] = (len(cell), None, [cell], "<cell 4>")
    space = {"y": x.T[1:], "show": show, "In": ["", "y = x.T[1:]", "%matplotlib inline\nz = 3", cell]}
    exec(compile(cell, "<cell 4>", "exec"), space)
    assert titled(space["figure"]) == "y = x.T[1:]"


def test_paths_walruses_and_map_have_names_and_programs():
    class Model:
        w = x

        def shown(self):
            return show.strides(self.w)

    a, b = x.T, x[1:]
    assert titled(Model().shown()) == "self.w" and titled(show.strides(q := x.T)) == "q = x.T" and q is not None
    first, second = map(show.strides, (a, b))
    assert (titled(first), titled(second)) == ("a", "b")
    assert titled(show.broadcast(Model.w, b)) == "Model.w + b"
    c = x[0]
    assert titled(show.broadcast(x[:, :1], c)) == "d + c,  d = x[:, :1]"


@pytest.mark.parametrize("figure", [show.strides, show.broadcast, show.graph, show.backward])
def test_a_title_is_text(figure):
    y = rf.ones(2, requires_grad=True) * 2
    with pytest.raises(TypeError, match="a title is text"):
        figure(y, y, title=3) if figure is show.broadcast else figure(y, title=3)


def test_a_program_is_not_told_of_what_has_another_value_now():
    w = rf.arange(6)
    y, z = w, w[1:]
    w = w + 1
    pieces = rf.stack([row * 2 for row in w.view(2, 3)])
    assert titled(show.strides(w, y)) == "w = w + 1,  y" and titled(show.strides(z)) == "z"
    assert titled(show.strides(pieces)) == "pieces = rf.stack([row * 2 for row in w.view(2, 3)])"


def drawn_after(program, lib):
    """The title of the figure that the last line of a program draws."""
    space = {"show": show, "lib": lib, "np": np, "__name__": "drawn"}
    linecache.cache["<drawn>"] = (len(program), None, program.splitlines(keepends=True), "<drawn>")
    exec(compile(program, "<drawn>", "exec"), space)
    return titled(space["figure"])


@pytest.mark.parametrize(("done", "shown", "said"), [
    # what a copy was made of was written to after it: neither before the copy, nor left out, is it what happened
    ("a = lib.ones(4); b = a.view(2, 2); c = a + 1; b.mul_(3)", "a, b, c", "a,  b,  c"),
    ("a = lib.ones(4); c = a * 2; a[1] = 5", "a, c", "a,  c"),
    ("a = lib.ones(4); c = a * 2\nfor _ in range(2):\n    a[1] += 5", "a, c", "a,  c"),
    ("a = lib.ones(4); c = a * 2; a[1] = 5", "c", "c = a * 2"),
    ("a = lib.ones(4); b = a[1:]; b[0] = 4; c = b.exp()", "a, c, b", "a,  c,  b"),
    ("a = lib.ones(4); b = a[1:]; b[0] = 4; c = b.exp()", "a, b, c", "a,  b = a[1:]; b[0] = 4,  c = b.exp()"),
    ("a = lib.ones(4); b = a[1:]; b[0] = 4", "a + 1, b", "(a + 1),  b"),
    ("a = lib.ones(4); a[3] = 4; c = a + 1; c[0] = 0", "a, c, c[2:]",
     "a = lib.ones(4); a[3] = 4,  c = a + 1; c[0] = 0,  c[2:]"),
    ("a = lib.ones(4); c = a + 1; c[0] = a[1]; a[1] = 7", "a, c", "a,  c"),
    ("a = lib.ones(4); a[3] = 4; c = a + 1; lib.nn.init.zeros_(a)", "a, c", "a,  c"),
    ("a = lib.ones(4); c = a + 1; o = lib.optim.SGD([a], 1.0); a.grad = lib.ones(4); o.step()", "a, c", "a,  c"),
    ("a = np.ones(4); c = a + 1; np.copyto(a, 3)", "a, c", "a,  c"),
    ("a = np.ones(4); c = a + 1; a[0], a[2] = 3, 4", "a, c", "a,  c"),
    ("a = np.ones(4); c = a + 1; a.shape = 2, 2", "a", "a"),
    ("a = lib.ones(4); a[0], a[2] = 3, 4; c = a + 1", "a, c, a[2:]",
     "a = lib.ones(4); a[0], a[2] = 3, 4,  c = a + 1,  a[2:]"),
    ("def f(x):\n    x[0] = 9\na = np.ones(4); c = a + 1; f(a)", "a, c", "a,  c"),
    ("def f(x):\n    x[0] = 9\na = np.ones(4); c = a + 1; d = f(a)", "c", "c = a + 1"),
    ("a = np.ones(4); c = a + 1; print(a)", "a, c", "c = a + 1"),
    ("a = np.ones(4); c = a + 1; a.fill(3)", "c, a", "c,  a"),
    ("a = np.ones(4); c = a + 1; np.exp(a, out=a)", "a, c", "a,  c"),
    ("a = np.arange(4); np.random.default_rng(0).shuffle(a)", "a", "a"),
    # names that one line made
    ("a = lib.ones(4); p, q = a.split(2); q += p", "a, p, q", "a,  p, q = a.split(2); q += p"),
    ("a = lib.ones(4); p, q = a.split(2); q += p", "q, p", "p, q = a.split(2); q += p"),
    ("a = lib.ones(4); p, q = (a + 1).split(2); p += 1; q += 2", "a, p, q", "a = lib.ones(4),  p,  q"),
])  # fmt: skip
def test_a_title_run_as_it_stands_comes_to_what_is_drawn(done, shown, said):
    assert drawn_after(f"{done}\nfigure = show.strides({shown})\n", rf) == said


@pytest.mark.parametrize(("done", "shown", "said"), [
    ("a = np.ones(3); t = lib.from_numpy(a); t.mul_(2)", "a", "a"),
    ("a = np.ones(3); t = lib.from_numpy(a); t.mul_(2)", "a, a[1:]", "a,  a[1:]"),
    ("a = np.ones(3); t = lib.from_numpy(a); t.mul_(2)", "t", "t = lib.from_numpy(a); t.mul_(2)"),
    ("a = np.ones(3); t = lib.from_numpy(a); a[0] = 4", "t", "t = lib.from_numpy(a)"),
    ("a = lib.ones(3); n = a.numpy(); n[1] = 4", "a", "a"),
    ("a = lib.ones(3); n = a.numpy(); n[1] = 4", "a[1:], n", "a[1:],  n"),
    ("a = np.ones(3); t = lib.from_numpy(a[1:]); t[0] = 4", "a", "a"),
    ("a = np.ones(3); t = lib.from_numpy(a.copy()); t[0] = 4", "a", "a = np.ones(3)"),
])  # fmt: skip
def test_what_was_written_through_an_alias_leaves_the_name_alone(done, shown, said):
    torch = pytest.importorskip("torch")
    for lib in (rf, torch):
        assert drawn_after(f"{done}\nfigure = show.strides({shown})\n", lib) == said


def test_what_counts_no_writes_has_a_title():
    torch = pytest.importorskip("torch")
    with torch.inference_mode():
        made = torch.arange(3)
    assert titled(show.strides(made)) == "made = torch.arange(3)"
    made = torch.arange(3)
    torch.neg(made, out=made)
    assert titled(show.strides(made)) == "made = torch.arange(3); torch.neg(made, out=made)"


@pytest.mark.parametrize(("done", "said"), [
    ("p, q = x * 2, x * 3; p.mul_(2)", "p, q = x * 2, x * 3; p.mul_(2)"),
    ("p, q = x * 2, x * 3; p.mul_(2); q.add_(1)", "The graph of p and q"),
    ("p = x * 2; q = p.exp(); p.mul_(2)", "The graph of p and q"),
    ("p = x * 2; p.mul_(2); q = p.exp()", "p = x * 2; p.mul_(2);  q = p.exp()"),
])  # fmt: skip
def test_a_graph_of_several_results_says_once_what_was_done_or_nothing(done, said):
    begin = "x = lib.ones(2, requires_grad=True)"
    assert drawn_after(f"{begin}; {done}\nfigure = show.graph(p, q)\n", rf) == said


@pytest.mark.parametrize(("cells", "said"), [
    (["a = rf.ones(3)", "c = a * 2", "a[0] = 5"], "a,  c"),
    (["a = rf.ones(3)", "a[0] = 5", "c = a * 2"], "c = a * 2"),
    (["a = rf.ones(3)", "b = a[1:]; c = a * 2", "b[0] = 5"], "a,  c"),
    (["a = rf.ones(3)", "c = a * 2; a[0] = 5", "c = a * 3"], "c = a * 3"),
])  # fmt: skip
def test_what_earlier_cells_wrote_has_its_order(cells, said):
    last = "figure = show.strides(a, c)\n"
    linecache.cache["<last>"] = (len(last), None, [last], "<last>")
    space = {"rf": rf, "show": show, "In": ["", *cells, last]}
    for cell in cells:
        exec(cell, space)
    exec(compile(last, "<last>", "exec"), space)
    assert titled(space["figure"]) == said

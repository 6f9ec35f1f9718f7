"""Widgets with inputs in a real JupyterLab: by mouse, by typing, by keys alone; and a tensor in Python that follows."""

import pytest

from tests.browser.panel import at_rest, book, live, shot
from tests.browser.test_widgets import step, title, until

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

CELLS = (
    "import rustyflow as rf\nfrom rustyflow import widgets\nx = rf.arange(12).view(3, 4) * 10",
    "play = widgets.StridesPlayground(x)\nplay",
    "shapes = widgets.BroadcastPlayground((3, 1), (4,))\nshapes",
    "t = rf.tensor\ne = widgets.Expression('(a * b).sum() + c.relu()', a=t([1., 2.], requires_grad=True), "
    "b=t([3., 4.]), c=t(5., requires_grad=True))\ne",
    "r = widgets.Reduce(x.double(), 'mean', 1)\nr",
    """a = rf.ones(2, 3, requires_grad=True)
y = (a * a).sum()
rest = (widgets.Strides(x), widgets.Broadcast(rf.ones(3, 1), rf.ones(4)), widgets.Matmul(a, rf.ones(3, 2)),
        widgets.Graph(y), widgets.Backward(y), widgets.Op('cumsum', t([1., 2.]), dim=0))
display(*rest)""",
)
SET = {  # from Python
    "Strides": "tensors = [x.t()]",
    "Broadcast": "op = '*'",
    "Matmul": "b = rf.ones(3, 4)",
    "Graph": "y = a.exp()",
    "Backward": "upstream = '5'",
    "Op": "cells = ['[1, 2, 5]']",
}


@pytest.fixture(scope="module")
def figures(shared, page):
    return live(shared(book(*CELLS)), page, bound=4 + len(SET), shown=4 + len(SET))


def field(figure, label):
    return figure.get_by_label(label, exact=True)


def test_a_slider_and_a_typed_number_change_the_tensor(figures, page, py):
    play = figures[0]
    slider = field(play, "offset").first
    room = at_rest(slider)
    page.mouse.move(room["x"] + 8, room["y"] + room["height"] / 2)
    page.mouse.down()
    page.mouse.move(room["x"] + room["width"] / 2, room["y"] + room["height"] / 2, steps=4)
    page.mouse.up()
    there = int(slider.input_value())  # where it was let go: Python hears of each place on the way
    assert there > 2
    until(lambda: py("print(play.offset, play.tensor)"), f"{there} None")
    for _ in range(there - 2):
        page.keyboard.press("ArrowLeft")
    until(lambda: py("print(play.offset, play.tensor)"), "2 None")
    until(lambda: play.locator(".remark").text_content()[:12], "Not a tensor")
    assert ">?<" in play.locator(".stage").inner_html()
    shot(page, "playground-ghosts")
    field(play, "shape[0]").last.fill("2")
    until(lambda: py("print(tuple(play.tensor.shape))"), "(2, 4)")
    until(lambda: (title(play), play.locator(".remark").text_content()), ("x.as_strided((2, 4), (4, 1), 2)", ""))
    until(lambda: field(play, "shape[0]").first.input_value(), "2")
    shot(page, "playground")


def test_buttons_by_keyboard_alone_and_a_trait_set_in_python(figures, page, py):
    play = figures[0]
    play.get_by_role("button", name="transpose", exact=True).focus()
    page.keyboard.press("Enter")
    until(lambda: title(play), "x.as_strided((4, 2), (1, 4), 2)")
    play.get_by_role("button", name="view", exact=True).click()
    until(lambda: "cannot merge" in play.locator(".remark").text_content(), True)
    py("play.press('start again')")
    until(lambda: title(play), "x.as_strided((3, 4), (4, 1), 0)")
    assert field(play, "offset").first.input_value() == "0"


def test_shapes_are_typed_and_the_caret_stays(figures, page, py):
    shapes = figures[1]
    box = field(shapes, "b has shape")
    box.fill("3")
    until(lambda: py("print(shapes.result)"), "(3, 3)")
    until(lambda: title(shapes), "a + b")
    box.press("End")
    box.type(", 2", delay=30)
    until(lambda: py("print(shapes.result)"), "(3, 2)")
    assert box.input_value() == "3, 2" and box.evaluate("e => e === e.getRootNode().activeElement")
    box.fill("2, 2")
    until(lambda: py("print(shapes.result)"), "None")
    until(lambda: "fit" in shapes.locator(".stage").inner_html(), True)
    shot(page, "shapes-clash")


def test_an_expression_is_typed_and_half_of_it_leaves_the_picture(figures, page, py):
    e = figures[2]
    box = field(e, "expression")
    box.fill("(a * b).sum(")
    until(lambda: "does not read as an expression yet" in e.locator(".remark").text_content(), True)
    assert title(e) == "(a * b).sum() + c.relu()"
    typed, said = (place.bounding_box() for place in (box, e.locator(".remark")))
    assert said["y"] < typed["y"] + typed["height"] + 16  # beside its field or directly under it, above the others
    shot(page, "expression-half")
    box.fill("(a * b).sum()")
    until(lambda: (title(e), e.locator(".remark").text_content()), ("(a * b).sum()", ""))
    field(e, "a =").fill("[10, 20]")
    until(lambda: py("print(e.result.item())"), "110.0")
    shot(page, "expression")


def test_choices_and_ticks(figures, page, py):
    r = figures[3]
    field(r, "op").select_option("amax")
    field(r, "keepdim").check()
    until(lambda: (title(r), py("print(r.op, r.keepdim)")), ("x.double().amax(dim=1, keepdim=True)", "amax True"))
    field(r, "dim").select_option("all")
    until(lambda: title(r), "x.double().amax()")
    shot(page, "reduce")


def test_letters_that_are_typed_are_no_keys_of_the_figure(figures, page, py):
    box = field(figures[2], "expression")
    box.fill("")
    box.type("a.mean() - b.max()", delay=5)
    until(lambda: (py("print(e.text)"), title(figures[2])), ("a.mean() - b.max()",) * 2)
    assert figures[2].locator("dialog[open]").count() == 0
    page.keyboard.press("Enter")  # it is typed: the figure has the keys again
    before = step(figures[2])
    page.keyboard.press("PageDown")
    until(lambda: step(figures[2]) != before, True)
    assert box.input_value() == "a.mean() - b.max()"


@pytest.mark.parametrize("k", range(len(SET)), ids=SET)
def test_what_python_sets_is_drawn(figures, py, k):
    figure, change = figures[4 + k], list(SET.values())[k]
    drawn = lambda: figure.locator(".stage").inner_html()  # noqa: E731
    before = drawn()
    py(f"rest[{k}].{change}")
    wanted = py(f"print(rest[{k}].figure.scene.title)")
    until(lambda: (drawn() != before, title(figure)), (True, wanted))


@pytest.mark.parametrize("k", range(len(SET)), ids=SET)
def test_what_is_pinned_by_keys_python_knows(figures, page, py, k):
    figure = figures[4 + k]
    figure.locator(".stage").focus()
    for key in ("End", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    until(lambda: py(f"w = rest[{k}]; print(w.frame == len(w.figure.frames) - 1, bool(w.pinned))"), "True True")


def test_a_field_is_as_wide_as_what_is_typed_in_it(figures):
    wide = [one.bounding_box()["width"] for one in figures[1].locator(".controls [type=text]").all()]
    assert wide and max(wide) < 200  # a shape such as 3, 1
    program = figures[2].locator(".controls [type=text]").first
    assert program.evaluate("e => e.scrollWidth <= e.clientWidth") and program.bounding_box()["width"] > max(wide)

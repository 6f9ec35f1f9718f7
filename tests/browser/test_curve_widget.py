"""widgets.Curve in a real JupyterLab: the point and the nudge dragged in the picture, moved by keys, typed."""

import pytest

from tests.browser.panel import book, live, resize, sentence, settled, shot
from tests.browser.test_playgrounds import field
from tests.browser.test_widgets import title, until

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

CELLS = (
    "import rustyflow as rf\nfrom rustyflow import show, widgets",
    "curve = widgets.Curve(lambda x: x * x, at=3.0)\ncurve",
)


@pytest.fixture(scope="module")
def figure(shared, page):
    (found,) = live(shared(book(*CELLS)), page, bound=1, shown=1)
    found.scroll_into_view_if_needed()
    return found


def middle(shape):
    box = shape.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, figure, name, by):
    """Drag a shape, and wait until Python has all of the way, not a part."""
    x, y = middle(figure.locator(name))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by / 2, y - 20, steps=4)
    page.mouse.move(x + by, y - 30, steps=4)
    page.mouse.up()
    settled(figure)


def numbers(py):
    return tuple(map(float, py("print(curve.at, curve.nudge)").split()))


def test_the_end_of_the_nudge_is_dragged(figure, page, py):
    py("curve.at, curve.nudge, curve.frame = 3.0, 1.0, 99")
    until(lambda: figure.locator("#q0").evaluate("q => q.checkVisibility({visibilityProperty: true})"), True)
    drag(page, figure, "#q0", 60)
    until(lambda: numbers(py)[1] > 1.2, True)
    at, nudge = numbers(py)
    assert at == 3.0 and nudge < 2.5
    until(lambda: figure.locator("#v0").text_content(), py("print(f'{curve.at * 2 + curve.nudge:.3g}')"))
    assert field(figure, "nudge").last.input_value() == f"{nudge:g}"
    shot(page, "curve-nudge-dragged")


def test_the_point_is_dragged_and_its_line_stays(figure, page, py):
    py("curve.at, curve.nudge = 3.0, 1.0")
    until(lambda: title(figure), "f(x) = x * x, at x = 3")
    line = figure.locator("#w0 > path.plot").first.get_attribute("d")
    drag(page, figure, "#p0", -60)
    until(lambda: numbers(py)[0] < 2.8, True)
    until(lambda: title(figure), f"f(x) = x * x, at x = {numbers(py)[0]:g}")
    assert numbers(py)[1] == 1.0
    moved = figure.locator("#w0 > path.plot").first.get_attribute("d")
    assert moved.partition("L")[0] == line.partition("L")[0]  # it begins where it began


def test_the_arrows_move_what_is_pinned(figure, page, py):
    py("curve.at, curve.nudge, curve.pinned = 3.0, 1.0, 'p0'")
    until(lambda: title(figure), "f(x) = x * x, at x = 3")
    figure.locator(".stage").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    step = float(py("print(curve._controls[0]['step'])"))
    until(lambda: numbers(py)[0], pytest.approx(3 + 3 * step))
    page.keyboard.press("ArrowLeft")
    until(lambda: numbers(py)[0], pytest.approx(3 + 2 * step))
    until(lambda: sentence(figure).startswith("pinned f("), True)
    page.keyboard.press("Escape")  # let go: the arrows go from row to row again
    page.keyboard.press("ArrowDown")
    until(lambda: figure.locator(".stage rect.row.lit").count(), 1)
    assert numbers(py)[0] == pytest.approx(3 + 2 * step)


def test_a_point_and_a_nudge_are_typed(figure, page, py):
    for trait, label, typed, wanted in (("at", "x", "-1.25", -1.25), ("nudge", "nudge", "0.125", 0.125)):
        field(figure, label).last.fill(typed)
        until(lambda trait=trait: float(py(f"print(curve.{trait})")), wanted)
    until(lambda: title(figure), "f(x) = x * x, at x = -1.25")
    until(lambda: figure.locator("#v0").text_content(), "-2.375")
    field(figure, "nudge").last.fill("0")
    until(lambda: "0 / 0 is no slope" in figure.locator(".remark").text_content(), True)
    assert title(figure) == "f(x) = x * x, at x = -1.25"
    py("curve.nudge = 0.5")
    until(lambda: figure.locator(".remark").text_content(), "")
    shot(page, "curve-typed")


def test_it_is_dragged_on_a_projector_and_in_a_narrow_page(figure, page, py):
    py("curve.at, curve.nudge = 3.0, 1.0")
    until(lambda: title(figure), "f(x) = x * x, at x = 3")
    figure.locator(".stage").focus()
    page.keyboard.press("f")
    shot(page, "curve-projector")
    drag(page, figure, "#q0", 80)
    until(lambda: 1.1 < numbers(py)[1] < 2.5, True)
    page.keyboard.press("f")
    resize(page, 390, 844)
    py("curve.nudge = 1.0")
    until(lambda: numbers(py)[1], 1.0)
    shot(page, "curve-narrow")
    resize(page, 1280, 1000)

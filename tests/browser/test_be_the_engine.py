"""Be the engine in a real JupyterLab, by mouse and by keyboard alone; and two widgets side by side in one output."""

import pytest

from tests.browser.panel import FIGURE, book, live, resize, sentence, settled, shot
from tests.browser.test_widgets import step, title, until

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

CELLS = (
    """import rustyflow as rf
from rustyflow import show, widgets
x, b = rf.tensor(1., requires_grad=True), rf.tensor(3., requires_grad=True)
c = x * 2
d = c * b
y = c + d""",
    "game = widgets.BeTheEngine(y)\ngame",
    "left, right = widgets.Strides(rf.arange(6).view(2, 3)), widgets.Reduce(rf.ones(2, 3))\n"
    "widgets.beside(left, show.strides(rf.arange(6).view(2, 3).t()), right)",
)
LOST = "x.grad: yours 2, right 8. Lost: 3, which d sent to c after c had handed on."


@pytest.fixture(scope="module")
def figures(shared, page):
    opened = shared(book(*CELLS))
    return opened, live(opened, page, bound=3, shown=4)


@pytest.fixture
def game(figures, py):
    py("game.press('start again')")
    figure = figures[1][0]
    until(lambda: step(figure), "1")
    return figure


def box(figure, name):
    return figure.locator(".stage g[id^=n]", has_text=name).first


def test_by_pointing_too_early_and_back(game, page, py):
    for name in ("add y", "mul c", "mul d"):
        box(game, name).click()
        until(lambda: py("print(game.picks[-1:])"), f"['{name[-1]}']")
    until(lambda: (sentence(game), py("print(game.result['x'], game.right['x'], len(game.lost))")),
          (LOST, "tensor(2.) tensor(8.) 1"))  # fmt: skip
    shot(page, "engine-lost")
    box(game, "mul c").click()
    until(lambda: "handed on already" in game.locator(".remark").text_content(), True)
    for name in ("undo (u)", "undo (u)"):
        game.get_by_role("button", name=name).click()
    until(lambda: (py("print(game.picks)"), game.locator(".remark").text_content()), ("['y']", ""))
    for name in ("d", "c"):
        game.get_by_role("button", name=name, exact=True).click()
    until(lambda: sentence(game)[:17], "Nothing was lost:")
    py("game.picks = ['y', 'c']")  # and from Python
    until(lambda: sentence(game), "c hands on 2 to x.")


def test_by_keyboard_alone(game, page, py):
    stage = game.locator(".stage")
    stage.focus()
    py("import time; make = game.make; game.make = lambda: (time.sleep(0.3), make())[1]")
    for key in ("y", "ArrowLeft", "d", "c", "u", "c"):  # faster than Python answers
        page.keyboard.press(key)
    until(lambda: py("print(game.picks)"), "['y', 'd', 'c']")
    settled(game)  # so they were before the last two, too
    py("del game.make; game.press('start again')")
    until(lambda: step(game), "1")
    page.keyboard.press("y")
    until(lambda: sentence(game), "y hands on 1 to c and 1 to d.")
    for said in ("d is read by y.", "c is read by d and y."):  # from y, which was picked last
        page.keyboard.press("ArrowLeft")
        until(lambda said=said: sentence(game), said)
    page.keyboard.press("Enter")
    until(lambda: sentence(game), "c hands on 2 to x.")
    page.keyboard.press("d")
    until(lambda: sentence(game), LOST)
    page.keyboard.press("PageUp")  # what happened, step by step
    page.keyboard.press("PageUp")
    until(lambda: (step(game), py("print(game.frame)")), ("3", "2"))
    page.keyboard.press("u")  # from the step that is seen
    until(lambda: py("print(game.picks)"), "['y']")
    settled(game)  # its buttons are those of now
    assert stage.evaluate("e => e === e.getRootNode().activeElement")
    page.keyboard.press("Tab")  # to the buttons under the figure
    page.keyboard.press("Enter")
    until(lambda: (py("print(len(game.picks))"), step(game)), ("2", "3"))
    assert game.evaluate("host => host.shadowRoot.activeElement !== null")  # the button went with its node


def test_narrow_and_dark_it_can_still_be_read(figures, page, theme, py):
    _, (game, *_) = figures
    py("game.picks = ['y', 'c', 'd']")
    until(lambda: sentence(game), LOST)
    try:
        for width in (1280, 640):
            resize(page, width, 1000)
            for name in ("light", "dark"):
                theme(name)
                for k in range(2):
                    page.locator(FIGURE).nth(k).scroll_into_view_if_needed()
                    shot(page, f"engine-{width}-{name}-{k}")
        assert game.evaluate("host => host.getBoundingClientRect().right <= innerWidth")
    finally:
        resize(page, 1280, 1000)


def test_side_by_side_they_go_on_when_the_output_is_written_anew(figures, page, py):
    opened, (_, left, still, right) = figures
    tops = [one.evaluate("host => host.getBoundingClientRect().top") for one in (left, still)]
    assert tops[0] == tops[1]  # in one row
    still.locator(".stage").focus()
    page.keyboard.press("PageDown")
    right.get_by_label("dim", exact=True).select_option("1")
    until(lambda: title(right)[-7:], "(dim=1)")
    left.locator(".stage").focus()
    page.keyboard.press("PageDown")
    html = "".join
    until(lambda: "&quot;frame&quot;: 1" in html(opened.outputs()[2][0]["data"]["text/html"]), True)
    assert (step(left), step(still)) == ("2", "2") and left.evaluate("host => !!host.model")
    assert left.evaluate("host => host.shadowRoot.activeElement === host.stage")
    py("left.frame = 0")
    until(lambda: step(left), "1")

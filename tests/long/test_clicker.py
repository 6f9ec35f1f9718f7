"""A clicker walks a lesson in a real JupyterLab: on a projector Page Down alone goes from its first figure to its last,
runs the cells between, and passes questions by; Page Up goes back."""

from rustyflow.cli.course import source_of
from tests.browser.panel import FIGURE
from tests.browser.test_lessons import LESSONS, copy_of, figures_of
from tests.browser.test_widgets import until

NOTEBOOK = "jupyterapp.shell.currentWidget.content"
RUN_TO = f"""async last => {{
    for (let k = 0; k <= last; k++) {{
        {NOTEBOOK}.activeCellIndex = k;
        await jupyterapp.commands.execute('notebook:run-cell');
    }}
}}"""
OPEN = f"""() => {{
    const figures = [...document.querySelectorAll('{FIGURE}')], open = figures.filter(figure => figure.dialog?.open);
    if (open.length !== 1 || globalThis[Symbol.for(open[0].localName)].hand.walks) return null;
    const cell = {NOTEBOOK}.widgets.findIndex(({{node}}) => node.contains(open[0]));
    const among = figures.filter(figure => {NOTEBOOK}.widgets[cell].node.contains(figure)).indexOf(open[0]);
    return [cell, among, open[0].frame, open[0].scene.frames.length];
}}"""


def test_page_down_alone_goes_from_the_first_figure_of_a_lesson_to_the_last(notebook, page):
    book = copy_of(LESSONS[19])
    opened = notebook(book, run=False)
    shown = [figures_of(source_of(cell["source"])) * (cell["cell_type"] == "code") for cell in book["cells"]]
    figures = [(k, n) for k, many in enumerate(shown) for n in range(many)]
    assert len(figures) > 5
    page.evaluate(RUN_TO, figures[0][0])
    page.wait_for_function(f"() => document.querySelector('{FIGURE}')?.scene")
    page.locator(FIGURE).first.locator(".stage").focus()
    page.keyboard.press("f")
    now, seen = page.wait_for_function(OPEN).json_value(), []
    while tuple(now[:2]) != figures[-1]:
        seen.append(now[:3])
        page.keyboard.press("PageDown")
        now = page.wait_for_function(OPEN).json_value()
        assert now[:3] not in seen, "a press that does nothing"
    assert list(dict.fromkeys(tuple(where[:2]) for where in seen)) == figures[:-1]
    assert opened.errors() == [], "a question that was passed by locks nothing"
    assert not page.locator(f"{FIGURE} .option:is(.so, .wrong)").count(), "and is still to be answered"
    page.keyboard.press("PageUp")
    *where, frame, frames = page.wait_for_function(OPEN).json_value()
    assert tuple(where) == figures[-2] and frame == frames - 1
    page.keyboard.press("Escape")
    until(lambda: page.evaluate(OPEN), None)
    assert page.locator(FIGURE).nth(len(figures) - 2).evaluate("figure => figure.matches(':focus')")

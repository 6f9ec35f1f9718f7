"""Who has the keys: after a click on any part of a figure it has them, and nothing typed goes into the notebook."""

import json
from dataclasses import replace

import pytest

from rustyflow.lessons import a_program_is_a_graph, one_line_of_memory, stride_zero
from rustyflow.scene import Figure, wire
from tests.browser.panel import HOST, book, live, resize, settled, shot

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

MAKE = """import numpy as np
from dataclasses import replace
import rustyflow as rf
from rustyflow import show, widgets
from rustyflow.lessons import one_line_of_memory as check, a_program_is_a_graph as other
x = rf.arange(12.0).view(3, 4)
w = rf.tensor([2.0, 3.0], requires_grad=True)
loss = (w * w).sum()
wrong = replace(check.which_slot); wrong.commit(next(c for c in wrong.choices() if c != wrong.right()))
told = replace(check.which_slot); told("A")
text = replace(check.which_slot, locked=None, played=None, points=None)"""
FIGURES = {
    "strides": "show.strides(x, x.t()[1:, :2])",
    "broadcast": "show.broadcast(x, rf.arange(4.0))",
    "reduce": "show.reduce(x, 'sum', 1)",
    "matmul": "show.matmul(rf.ones(2, 3), rf.ones(3, 4))",
    "graph": "show.graph(loss)",
    "backward": "show.backward(loss)",
    "op": "show.op('cumsum', x, 1)",
    "curve": "show.curve(lambda x: x * x, 3.0)",
}
WIDGETS = {
    "a question": "replace(check.which_slot)",
    "a question asked once more": "wrong",
    "a question that is told": "told",
    "a question of text": "text",
    "a question of long choices": "replace(other.what_of_an_if)",
    "an expression": "widgets.Expression('(x * y).sum()', x=x, y=rf.arange(4.0))",
    "strides to play with": "widgets.StridesPlayground(x)",
    "shapes to play with": "widgets.BroadcastPlayground((3, 1), (4,))",
    "an operation": "widgets.Op('softmax', x, 1)",
    "a curve": "widgets.Curve(lambda x: x * x, 3.0)",
    "an engine": "widgets.BeTheEngine(loss)",
}
KINDS = [*FIGURES, *WIDGETS]
SOME = ("graph", "a question that is told", "an expression")
"""The kinds that are clicked in every run; the others are in the long ring."""
# The middle of each element that has a box and is in sight there: the page's own, and six of a picture's; of those
# whose middle is the same element, one. A click may change the picture: they are looked for anew for each, what it
# opened is closed, the keys go to the notebook.
NEXT = """(figure, k) => {
    const has = document.activeElement === figure && figure.shadowRoot.activeElement === figure.stage
        || Boolean(figure.shadowRoot.activeElement?.matches('button,input,select'));
    figure.project(false); figure.blank(false); figure.help(false);
    if (figure.pick) figure.choose(null);
    if (figure.pinned) figure.pin(null);
    for (const one of figure.shadowRoot.getAnimations()) one.finish();  // it grows: a click would miss
    figure.shadowRoot.querySelector('.figure').scrollIntoView({block: 'center'});
    const inside = [...figure.shadowRoot.querySelectorAll('*')].filter(e => !e.closest('dialog:not([open]),style'));
    const drawn = inside.filter(e => e.closest('.stage svg')), few = Math.ceil(drawn.length / 6);
    const some = [...inside.filter(e => !e.closest('svg')), ...drawn.filter((e, k) => k % few === 0)];
    const met = new Set();
    const place = e => {
        const {x, y, width, height} = e.getBoundingClientRect(), at = [x + width / 2, y + height / 2];
        const there = width && height ? figure.shadowRoot.elementFromPoint(...at) : null;
        const within = there?.getRootNode() === figure.shadowRoot;
        if (!width || !height || met.has(there) || !within && document.elementFromPoint(...at) !== figure) return null;
        met.add(there);
        return [`${e.localName}.${e.getAttribute('class') ?? ''} ${(e.textContent ?? '').slice(0, 20)}`, ...at];
    };
    let found = null, left = k;
    for (const e of [figure, ...some]) if ((found = place(e)) && !left--) break;
    document.activeElement?.blur();
    jupyterapp.shell.currentWidget.content.node.focus();
    return [has, left < 0 ? found : null];
}"""


@pytest.fixture(scope="module")
def shown(shared, page):
    opened = shared(book(MAKE, *FIGURES.values(), *WIDGETS.values()))
    return dict(zip(KINDS, live(opened, page, bound=len(WIDGETS), shown=len(KINDS)), strict=True))


def cells(page):
    cells = "jupyterapp.shell.currentWidget.content.model.cells"
    return page.evaluate(f"() => Array.from({cells}, cell => cell.sharedModel.source)")


@pytest.mark.parametrize("kind", SOME)
def test_a_click_on_any_part_of_a_figure_gives_it_the_keys(shown, page, kind):
    every_part_gives_the_keys(shown[kind], page)


def every_part_gives_the_keys(figure, page):
    before, clicked, lives = cells(page), [], figure.evaluate("figure => Boolean(figure.model)")
    figure.evaluate("figure => { figure.later = () => {} }")  # no output is written anew between press and release
    _, place = figure.evaluate(NEXT, 0)
    while place:
        name, *at = place
        page.mouse.click(*at)
        page.keyboard.press("x")  # in JupyterLab it cuts a cell
        clicked.append(name)
        if lives:  # what Python answers moves what is clicked next
            settled(figure)
        has, place = figure.evaluate(NEXT, len(clicked))
        assert has, name
    assert cells(page) == before
    kinds = {name.partition(".")[0][:16] for name in clicked}
    assert len(clicked) >= 9 and len(kinds) >= 4, clicked


@pytest.mark.parametrize("kind", ["strides", "reduce", "a question that is told"])
def test_a_sentence_can_still_be_marked_with_the_mouse_and_the_keys_stay(shown, page, kind):
    figure, before = shown[kind], cells(page)
    figure.evaluate(NEXT, 0)
    box = figure.locator("p#says").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 8, steps=4)
    page.mouse.move(box["x"] + 90, figure.bounding_box()["y"] + figure.bounding_box()["height"] + 30, steps=4)
    page.mouse.up()  # outside
    assert len(figure.evaluate("figure => figure.shadowRoot.getSelection().toString()")) > 3
    page.keyboard.press("x")
    assert figure.evaluate("figure => document.activeElement === figure") and cells(page) == before
    page.keyboard.press("End")
    assert figure.evaluate("figure => figure.next.disabled")


FIELDS = [("an expression", "text", "+x"), ("strides to play with", "number", "3"), ("an operation", "text", ",")]


@pytest.mark.parametrize("kind, field, typed", FIELDS)
def test_in_a_projector_escape_gives_the_keys_of_a_field_back_and_the_next_leaves(shown, page, kind, field, typed):
    figure, before = shown[kind], cells(page)
    there = "figure => [figure.dialog.open, figure.shadowRoot.activeElement === figure.stage]"
    figure.evaluate(NEXT, 0)
    figure.locator(".stage").focus()
    page.keyboard.press("f")
    figure.locator(f".controls input[type={field}]").first.click()
    page.keyboard.press("End")
    page.keyboard.type(typed)
    assert figure.evaluate(there) == [True, False]
    shot(page, f"field-{field}")
    page.keyboard.press("Escape")
    assert figure.evaluate(there) == [True, True]
    page.keyboard.press(".")
    assert figure.locator(".blank").is_visible(), "it has the keys"
    page.keyboard.press(".")
    page.keyboard.press("Escape")
    assert figure.evaluate(there) == [False, True] and cells(page) == before
    page.keyboard.press("Escape")
    assert figure.evaluate("figure => document.activeElement !== figure")


@pytest.fixture(scope="module")
def pairs(shared, page):
    opened = shared(book(MAKE, *[f"widgets.beside({WIDGETS[kind]}, show.graph(loss))" for kind, *_ in FIELDS]))
    figures = live(opened, page, bound=len(FIELDS), shown=2 * len(FIELDS))
    return dict(zip([kind for kind, *_ in FIELDS], figures[::2], strict=True))


@pytest.mark.parametrize("kind, field, typed", FIELDS)
def test_so_it_does_where_figures_beside_each_other_fill_the_screen(pairs, page, kind, field, typed):
    figure, before = pairs[kind], cells(page)
    there = "figure => [Boolean(rustyflowBeside.filled), figure.shadowRoot.activeElement === figure.stage]"
    figure.locator(".stage").focus()
    page.keyboard.press("f")
    try:
        figure.locator(f".controls input[type={field}]").first.click()
        page.keyboard.press("End")
        page.keyboard.type(typed)
        assert figure.evaluate(there) == [True, False]
        page.keyboard.press("Escape")
        assert figure.evaluate(there) == [True, True]
    finally:
        page.keyboard.press("Escape")
    assert figure.evaluate(there) == [False, True] and cells(page) == before


QUESTIONS = [one_line_of_memory.which_slot, stride_zero.what_changes, a_program_is_a_graph.written_twice]
MARKED = """figure => figure.scene.frames.map((_, frame) => {
    figure.show({frame});
    const right = figure.options.filter(({one}) => one.querySelector('b')?.textContent === '\u2713');
    const edge = e => getComputedStyle(e).borderColor;
    const others = figure.options.filter(option => !right.includes(option)).map(({one}) => edge(one));
    return right.filter(({one}) => !others.includes(edge(one)) && one.querySelector('b').checkVisibility())
        .map(({letter, one}) => letter + one.querySelector('small').checkVisibility()).join();
})"""


@pytest.mark.parametrize("dark", [False, True])
def test_the_right_answer_is_marked_where_a_wrong_guess_has_been_played_out_and_at_once_where_it_was_the_guess(
    opened, dark
):
    host = opened(Figure(replace(QUESTIONS[0]).scene()), dark=dark).locator(HOST)
    for asked in QUESTIONS:
        right = asked.right()
        for guess in asked.choices():
            question = replace(asked)
            question(guess)
            host.evaluate("(figure, scene) => figure.load(scene)", json.loads(wire.encode(question.scene())))
            marked = host.evaluate(MARKED)
            assert len(marked) > (guess != right)
            hidden = "" if guess != right else f"{right}true"
            assert marked == [hidden] * (len(marked) - 1) + [f"{right}true"], f"{asked.name}, {guess}"


def test_letters_of_a_projector_grow_with_it(opened):
    tab = opened(Figure(replace(QUESTIONS[0]).scene()))
    tab.keyboard.press("f")
    read = "figure => parseFloat(getComputedStyle(figure.says).fontSize)"
    least = """figure => [...figure.body.querySelectorAll('p,button,kbd,span')].filter(e => e.checkVisibility())
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    for wide, tall in ((1280, 720), (1920, 1080), (2560, 1440), (1600, 1200)):
        resize(tab, wide, tall)
        scale = min(wide / 1280, tall / 720)
        assert tab.locator(HOST).evaluate(read) == pytest.approx(27 * scale, abs=0.1), (wide, tall)
        assert min(tab.locator(HOST).evaluate(least)) >= 20 * scale, (wide, tall)
        shot(tab, f"projector-{wide}")

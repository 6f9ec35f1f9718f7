"""A question is one screen: in every state the question, its choices, the counts of a class and the sentence that is
told, directly under the choices, stand within what is seen of a notebook in JupyterLab, and on a projector."""

import json

import pytest

from rustyflow.lessons import Question
from rustyflow.lessons.kit.questions import stages
from rustyflow.scene.wire import encode
from tests.browser.panel import book, live, resize
from tests.lessons.catalogue import every

pytestmark = pytest.mark.browser
pytest.importorskip("anywidget")

SIZES = (1280, 800, False), (1366, 768, False), (1280, 720, True)
"""The widths and heights of windows, and whether it is shown on a projector."""
ROOM = 48
"""The pixels, at most, between the choices and what is told under them; a bare projector has it at its foot."""

SCROLL = "who_cut_the_graph.what_is_kept", "when_gradients_die.whose_strip"
"""Their pictures are higher than what a projector has left: a graph over its listing, a strip of seven layers."""

MEASURE = """(figure, [scenes, room, projected]) => {
    figure.project(projected);
    const page = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer');
    const {panel, shadowRoot: root} = figure, seen = (projected ? figure.dialog : page).getBoundingClientRect();
    const place = query => root.querySelector(query).getBoundingClientRect(), found = [];
    const looks = state => {
        figure.scrollIntoView({block: 'start'});
        const asked = place('.asks'), choices = place('.options'), told = place('.says');
        const wide = [...panel.querySelectorAll('*')].find(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1);
        const faults = {
            'is too high': panel.scrollHeight - panel.clientHeight - 1,
            'begins above': seen.top - asked.top,
            'ends below': told.bottom - seen.bottom,
            'is told beside': told.right - seen.right,
            'is told over the choices': choices.bottom - told.top,
            'is told far from the choices': told.top - choices.bottom - room,
            'is too wide': wide ? 1 : 0,
            'cuts its picture': projected && figure.body.classList.contains('zoomed') ? 1 : 0,
            'tells nothing': figure.says.textContent ? 0 : 1,
        };
        for (const [fault, by] of Object.entries(faults)) if (by > 0) found.push(`${state} ${fault} (${by})`);
    };
    for (const [state, scene] of Object.entries(scenes)) {
        figure.load(scene, {});
        looks(state);
        if (state !== 'asked' && !state.startsWith('right')) continue;
        for (const counts of ['4 11 3 7', '1 4 0 20']) {
            figure.vote();
            looks(state + ', counted');
            Object.assign(panel.querySelector('.tally input'), {value: counts}).dispatchEvent(new Event('input'));
            figure.vote();
            looks(`${state}, voted ${counts}`);
        }
        figure.poll(0);
    }
    figure.project(false);
    return found;
}"""


def states_of(question):
    """The pictures of a question in every state: asked, each choice told first and second, right, each one played."""
    right, letters = question.right(), list(question.choices())
    wrong = [letter for letter in letters if letter != right]
    scenes = {"asked": stages.locked(question)}
    for k, letter in enumerate(wrong):
        scenes[f"{letter} first"] = stages.locked(question, letter)
        scenes[f"{letter} second"] = stages.told(question, (wrong[k - 1], letter))
    scenes |= {"right": stages.told(question, (right,)), "right second": stages.told(question, (wrong[0], right))}
    return scenes | {f"{letter} played": stages.played(question, letter) for letter in letters}


@pytest.fixture(scope="module")
def figure(shared, page):
    """A lesson's question, with a cell under it, whose picture is that of any other one in turn."""
    cell = "from rustyflow.lessons import one_line_of_memory as check\nfrom dataclasses import replace"
    return live(shared(book(f"{cell}\nreplace(check.which_slot)", *"1" * 40)), page, bound=1, shown=1)[0]


def in_each_size(page, figure, questions):
    """The states of questions in which something is not seen, and what, a line each."""
    states, found = {name: states_of(question) for name, question in questions.items()}, []
    scenes = {name: {state: json.loads(encode(scene)) for state, scene in of.items()} for name, of in states.items()}
    try:
        for width, height, projected in SIZES:
            resize(page, width, height)
            room = ROOM + height * projected
            seen = {name: figure.evaluate(MEASURE, [of, room, projected]) for name, of in scenes.items()}
            missed = [(name, one) for name, some in seen.items() for one in some]
            kept = (pair for pair in missed if not (pair[0] in SCROLL and "cuts its picture" in pair[1]))
            found += [f"{name} {one} at {width}x{height}" for name, one in kept]
    finally:
        resize(page, 1280, 1000)
    return "\n".join(found)


def test_a_question_its_choices_and_what_is_told_are_one_screen(figure, page):
    questions = {name: one for name, one in every(Question).items() if name.startswith("one_line_of_memory.")}
    assert len(questions) == 3
    assert in_each_size(page, figure, questions) == ""

"""Outputs without a page: side by side, written anew at rest, closed with the cell's next run; what a page may ask."""

import sys
import time

import pytest

import rustyflow as rf
from rustyflow import show

pytest.importorskip("anywidget")
from ipywidgets import Output

from rustyflow import widgets
from rustyflow.widgets import base, cells

X = rf.arange(6).view(2, 3)
both = sys.modules["rustyflow.widgets.beside"]  # the module, which its function hides


def strides():
    return widgets.Strides(X, names=["x"])


@pytest.fixture
def outputs(monkeypatch):
    """What is displayed, instead of displaying it."""
    made = []
    for module in (base, both):
        monkeypatch.setattr(module, "display", lambda data, **how: made.append((data, how)))
    return made


class Shell:
    """A notebook's shell, which runs the cell `cell` for the time `run`."""

    def __init__(self):
        self.cell, self.run, self.called, self.events = "a", 0, [], self

    def get_parent(self):
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.run)}}

    def register(self, event, call):
        if event == "post_run_cell":
            self.called.append(call)

    def unregister(self, event, call):
        if event == "post_run_cell":
            self.called.remove(call)

    def shows(self, cell, *things):
        self.cell, self.run = cell, self.run + 1
        for thing in things:
            thing._ipython_display_()
        for call in list(self.called):
            call(None)


@pytest.fixture
def shell(monkeypatch, outputs):
    one = Shell()
    for module in (base, both, cells):
        monkeypatch.setattr(module, "get_ipython", lambda: one)
    monkeypatch.setattr(cells, "SHOWN", {})
    monkeypatch.setattr(cells, "PLACES", {})
    page = cells.Page()
    page.met = True
    for module in (base, cells):
        monkeypatch.setattr(module, "PAGE", page)
    return one


def test_a_cell_that_runs_again_closes_what_only_it_has_shown(shell):
    first, everywhere = strides(), strides()
    shell.shows("a", first, everywhere)
    shell.shows("b", everywhere)
    second = strides()
    shell.shows("a", second)
    assert first.comm is None and everywhere.comm is not None and second.comm is not None
    shell.shows("a", second)
    assert second.comm is not None
    shell.shows("c", first)  # it is opened again
    assert first.comm is not None
    for _ in range(6):
        shell.shows("d", strides())
    alive = [one for _, there in cells.SHOWN.values() for one in there if one.comm is not None]
    assert len(alive) == 4 and len(shell.called) == 4


def test_where_cells_have_no_ids_nothing_is_closed(shell):
    shell.get_parent = lambda: None
    one, other = strides(), strides()
    shell.shows("a", one)
    shell.shows("a", other)
    assert one.comm is not None and other.comm is not None


def test_side_by_side_is_one_output_with_one_player_written_anew_at_rest(shell, outputs):
    one, other = strides(), widgets.Reduce(X.double(), name="x")
    still = show.reduce(X.double(), "sum", 0, name="x")
    row = widgets.beside(one, still, other)
    shell.shows("a", row)
    ((data, how),) = outputs
    html = data["text/html"]
    assert sorted(data) == ["text/html", "text/plain"] and html.count("customElements.define") == 1
    assert html.count("data-model=") == 3 and f'data-model="{one._key}"' in html and "flex-wrap:wrap" in html
    assert not how["update"] and data["text/plain"].count("\n\n") >= 2
    other.dim = "1"
    other._hear(other, {"rest": 1}, [])
    other._hear(other, {"rest": 1}, [])
    assert len(outputs) == 2 and outputs[1][1] == {"raw": True, "display_id": how["display_id"], "update": True}
    assert "x.sum(dim=1)" in outputs[1][0]["text/plain"]
    shell.shows("b", one)  # by itself too
    one.frame = 1
    one._hear(one, {"rest": 1}, [])
    assert len(outputs) == 5
    shell.shows("a", widgets.beside(one, other))
    assert one._beside == other._beside and len(one._beside) == 1 and one.comm is not None
    row.close()
    assert widgets.beside(still, still).__repr__().count("sum") >= 2


def test_side_by_side_in_static_mode_is_pictures(outputs):
    show.static()
    try:
        widgets.beside(strides(), strides())._ipython_display_()
    finally:
        show.static(False)
    html = outputs[0][0]["text/html"]
    assert html.count("<img ") == 2 and "<script" not in html and "data-model" not in html


def test_what_cannot_stand_side_by_side_is_said():
    with pytest.raises(TypeError, match="part 1, of type int"):
        widgets.beside(strides(), 3)
    with pytest.raises(ValueError, match="at least two"):
        widgets.beside(strides())


def test_an_output_that_is_cleared_leaves_no_widget_behind(shell, outputs):
    """As under `interact`: an Output takes what a handler displays, and says later what it holds."""
    out, made = Output(), []

    def change(cell=None):
        made.append(strides())
        out.msg_id = str(shell.run + 1)
        shell.shows(cell, made[-1])
        out.msg_id = ""
        out.outputs = ({"output_type": "display_data", "data": outputs[-1][0]},)
        return [one.comm is not None for one in made]

    assert change("a") == [True]
    assert change() == [False, True]
    shell.shows("b", made[-1])
    assert change() == [False, True, True]  # b shows it too
    shell.shows("b")
    shell.shows("b", strides())
    assert [one.comm is not None for one in made] == [False, False, True]
    out = Output()
    assert change("a") == [False, False, False, True]  # the cell ran again


@pytest.mark.parametrize(("answers", "idle", "said"), [(False, 9, 1), (False, 1, 0), (True, 9, 0)])
def test_a_page_that_does_not_answer_is_said_once_with_a_later_cell(shell, monkeypatch, capsys, answers, idle, said):
    """Only what has not come while no cell ran is missing: a page's messages wait for cells."""
    page, calls = cells.Page(), {"pre_run_cell": [], "post_run_cell": []}
    monkeypatch.setattr(cells, "PAGE", page)
    monkeypatch.setattr(base, "PAGE", page)
    monkeypatch.setattr(shell, "register", lambda event, call: calls[event].append(call))
    monkeypatch.setattr(shell, "unregister", lambda event, call: calls[event].remove(call))
    widget, now = strides(), time.monotonic()
    shell.shows("a", widget)
    if answers:
        widget._handle_custom_msg({"here": 1}, [])
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for call in calls["post_run_cell"]:
        call(None)
    monkeypatch.setattr(time, "monotonic", lambda: now + idle)
    for _ in range(2):
        for call in list(calls["pre_run_cell"]):
            call(None)
    assert capsys.readouterr().err.count("rustyflow doctor") == said


def test_python_answers_when_it_is_asked(monkeypatch):
    widget, sent = strides(), []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._handle_custom_msg({"ping": 1}, [])
    assert sent == [{"pong": 0}]


def test_where_only_views_bring_models_to_life_there_is_one_beside_the_figure(outputs, monkeypatch):
    monkeypatch.setattr(base, "VIEWS", True)
    widget = strides()
    widget._ipython_display_()
    data = outputs[0][0]
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id and "text/html" in data

"""A widget without a page: what it makes, when, and what it hands to a notebook."""

import base64
import json
import re
import threading
import zlib
from html import unescape

import pytest

import rustyflow as rf
from rustyflow import show
from rustyflow.scene import wire

traitlets = pytest.importorskip("traitlets")
base = pytest.importorskip("rustyflow.widgets.base", exc_type=ImportError)
widgets = pytest.importorskip("rustyflow.widgets")
DummyComm = pytest.importorskip("comm").DummyComm


class Rows(base.Widget):
    rows = traitlets.Int(3).tag(sync=True)
    columns = traitlets.Int(2)
    made = 0

    def make(self):
        self.made += 1
        return show.strides(rf.arange(self.rows * self.columns).view(self.rows, self.columns), names=["x"], title="x")


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, instead of displaying it."""
    outputs = []
    monkeypatch.setattr(base, "display", lambda data, **how: outputs.append((data, how)))
    return outputs


def scene(widget):
    data = bytes(widget._scene)
    return json.loads(data if data[:1] == b"{" else zlib.decompress(data))


def test_an_input_makes_another_figure():
    widget = Rows()
    assert widget.made == 1 and scene(widget) == json.loads(wire.encode(widget.figure.scene))
    widget.rows = 4
    assert widget.made == 2 and "shape: (4, 2)" in widget.figure.text()
    widget.frame, widget.columns = 1, 3
    assert widget.made == 3 and "shape: (4, 3)" in widget.figure.text() and widget.frame == 1
    assert scene(widget) == json.loads(wire.encode(widget.figure.scene))


def test_several_changes_make_one_figure_in_python_and_from_the_page():
    widget = Rows()
    with widget.together():
        widget.rows, widget.columns = 5, 5
        assert widget.made == 1
    assert widget.made == 2 and "shape: (5, 5)" in widget.figure.text()
    widget.set_state({"rows": 2, "frame": 1})
    assert widget.made == 3 and (widget.rows, widget.frame) == (2, 1)


def test_a_state_that_the_figure_does_not_have_becomes_one_that_it_has():
    widget = Rows(frame=99, pinned="nothing", side="z")
    last = len(widget.figure.frames) - 1
    assert (widget.frame, widget.pinned, widget.side) == (last, "", None)
    widget.frame = -3
    widget.pinned = "a5"
    assert (widget.frame, widget.pinned) == (0, "a5")
    widget.rows = 2  # has no a5
    assert widget.pinned == ""


def test_a_side_is_kept_where_the_figure_has_it():
    class Sum(base.Widget):
        def make(self):
            return show.reduce(rf.arange(6.0).view(2, 3), "sum", 0, name="x")

    widget = Sum(side="g")
    assert widget.side == "g"
    widget.side = "h"
    assert widget.side is None


def test_as_text_it_is_its_figure_s_words():
    widget = Rows()
    assert repr(widget) == widget._bundle()["text/plain"] == widget.figure.text() and "(3, 2)" in repr(widget)
    widget.rows = 4
    assert "shape: (4, 2)" in str(widget)
    widget.close()
    assert repr(widget) == widget.figure.text()


def test_what_make_raises_is_said_and_the_figure_stays():
    widget = Rows()
    before = widget.figure
    widget.rows = -1
    assert widget.figure is before and widget._note.startswith("The figure stays as it was. ") and widget.rows == -1
    widget.rows = 2
    assert widget.figure is not before and widget._note == ""
    with pytest.raises(RuntimeError):
        Rows(rows=-1)
    with pytest.raises(NotImplementedError, match="says in make"):
        base.Widget()


def test_a_large_scene_travels_deflated():
    small, large = Rows(), Rows(rows=40, columns=40)
    assert small._scene[:1] == b"{" and large._scene[:1] != b"{" and scene(large)["title"] == "x"


def test_the_output_is_a_figure_and_no_view(shown):
    widget = Rows(frame=1, pinned="a0")
    widget._ipython_display_()
    ((data, how),) = shown
    assert sorted(data) == ["text/html", "text/plain"] and data["text/plain"] == widget.figure.text()
    kept = json.loads(unescape(re.search(r'data-keep="([^"]*)"', data["text/html"])[1]))
    assert kept == {"frame": 1, "pinned": "a0", "side": None}
    assert f'data-model="{widget._key}"' in data["text/html"] and wire.pack(widget.figure.scene) in data["text/html"]
    assert how == {"raw": True, "display_id": widget._key, "update": False}


def test_at_rest_the_output_is_written_anew_if_it_shows_something_else(shown):
    widget = Rows()
    widget._handle_custom_msg({"rest": 1}, [])
    assert shown == []  # it was never shown
    widget._ipython_display_()
    widget._handle_custom_msg({"rest": 1}, [])
    assert len(shown) == 1
    widget.rows = 4
    widget._handle_custom_msg({"rest": 1}, [])
    widget._handle_custom_msg({"rest": 1}, [])
    assert len(shown) == 2 and shown[1][1]["update"] and "(4, 2)" in shown[1][0]["text/plain"]


def test_in_static_mode_the_output_is_the_picture_of_what_it_shows(shown):
    show.static()
    try:
        widget = Rows(frame=1)
        widget._ipython_display_()
    finally:
        show.static(False)
    html = shown[0][0]["text/html"]
    assert html.startswith("<img ") and widget._key not in html
    assert base64.b64decode(re.search(r'base64,([^"]*)', html)[1]).decode() == widget.figure.svg(1)


def test_the_page_gets_the_player_when_it_asks(monkeypatch):
    widget, sent = Rows(), []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._handle_custom_msg({"need": "player"}, [])
    assert sent == [{"player": base.player()[1]}] and len(widget._esm) < 4096


@pytest.mark.parametrize("name, inputs", [
    ("StridesPlayground", (rf.arange(6),)), ("Matmul", (rf.ones(2, 3), rf.ones(3, 2))), ("Reduce", (rf.ones(2),)),
])  # fmt: skip
def test_a_widget_whose_comm_is_there_before_its_first_scene_makes_it(name, inputs):
    """As in marimo, which opens a comm as soon as a widget is made."""
    base.Widget.on_widget_constructed(lambda widget: setattr(widget, "comm", DummyComm(target_name="jupyter.widget")))
    try:
        widget = getattr(widgets, name)(*inputs)
    finally:
        base.Widget.on_widget_constructed(None)
    assert isinstance(widget.comm, DummyComm) and scene(widget)["title"] == widget.figure.scene.title


def test_a_closed_widget_is_opened_again_when_it_is_shown(shown):
    widget = Rows()
    widget.close()
    widget.close()
    assert widget.comm is None
    widget._ipython_display_()
    assert widget.comm is not None and len(shown) == 1


def test_inputs_set_in_two_threads_leave_figure_and_inputs_in_agreement():
    widget = Rows()

    def change(first):
        for k in range(15):
            widget.rows = first + k % 4

    threads = [threading.Thread(target=change, args=(first,)) for first in (1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert f"shape: ({widget.rows}, 2)" in widget.figure.text()
    assert scene(widget) == json.loads(wire.encode(widget.figure.scene))

"""What a widget's kernel says of numbers that open: all of it when inputs rest, a level more when one asks."""

import json
import zlib
from dataclasses import replace

import pytest

pytest.importorskip("anywidget")

from rustyflow.scene import Figure
from rustyflow.widgets.base import Widget
from tests.scene import opening


class Opens(Widget):
    most, broken = 24, False

    def make(self):
        figure = opening.figure(self.most, later=True)
        if not self.broken:
            return figure
        return Figure(figure.scene, unfolds=lambda: replace(figure.opened.unfolds, more=lambda *_: 1 / 0))


def scene(widget):
    data = bytes(widget._scene)
    return json.loads(data if data[:1] == b"{" else zlib.decompress(data))


def asked(widget, message):
    sent = []
    widget.send = sent.append
    widget._hear(None, message, [])
    return sent


WISH = {"name": "s", "shape": "wg1", "side": [], "path": ["dz[1, 1]", "s"]}


def test_while_inputs_change_no_number_is_worked_out_and_at_rest_all_are():
    widget = Opens()
    for message in ({"need": "levels"}, {"rest": 1}):
        assert scene(widget)["later"] == 1 and "unfolds" not in scene(widget)
        asked(widget, message)
        assert "later" not in scene(widget) and len(scene(widget)["unfolds"]["levels"]) == 24
        packed = widget._scene
        asked(widget, message)
        assert widget._scene is packed  # once
        widget.refresh()


def test_a_level_beyond_is_told_with_those_around_it():
    (told,) = asked(Opens(), {"open": WISH})
    assert told["opened"]["wish"] == WISH and told["opened"]["parts"][0] == [0, "s", "0.79"]
    assert [level[0] for level in told["opened"]["levels"]] == ["s", "h[1, 1]", "z[1, 1]"]


@pytest.mark.parametrize("wish", [WISH | {"shape": "nothing"}, WISH | {"path": ["x[0, 0]"]}, {"shape": "wg1"}])
def test_what_is_not_there_is_answered_with_nothing(wish):
    (told,) = asked(Opens(), {"open": wish})
    assert told == {"opened": {"wish": wish, "levels": [], "parts": []}}


def test_what_cannot_be_told_is_said_and_the_figure_stays():
    widget = Opens()
    widget.broken = True
    widget.refresh()
    (told,) = asked(widget, {"open": WISH})
    assert told["opened"]["levels"] == [] and "division by zero" in widget._note

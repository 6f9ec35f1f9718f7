"""A figure of two thousand cells a tensor: each can be pointed at, and says what Python says."""

import numpy as np

import rustyflow as rf
from rustyflow import show
from tests.browser.panel import HOST


def test_each_of_two_thousand_cells_is_reached_by_mouse_and_keys(plain, tmp_path):
    x = rf.from_numpy(np.random.default_rng(0).integers(-9, 9, (32, 64)) / 2)
    figure = show.op("add", x, x.flip(1), names="ab")
    tab = plain(figure.save(tmp_path / "figure.html"))
    host, says = tab.locator(HOST), tab.locator("#says")
    for id in ("y0", "y777", "a2047", "b1310"):
        tab.locator(f"#{id}").hover()
        assert says.inner_text().endswith(figure.state(0, pointed=id).seen)
    tab.mouse.move(2, 2)
    host.evaluate("figure => figure.stage.focus()")
    walk = "(figure, [across, down]) => { figure.move(across, down); return figure.spot; }"
    seen = [host.evaluate(walk, step) for step in [[1, 0]] * 66 + [[0, 1]] * 33 + [[-1, 0]] * 1]
    rows = [row for path in figure.scene.paths for row in path if row[0][0] in "aby"]
    line = [id for row in rows for id in row]
    assert seen[:66] == line[:66] and seen[-1] == rows[1 + 33][0]
    keys = [id for family in figure.scene.links for id in family.links][::97]
    tell = "(figure, keys) => { figure.flip('g'); return keys.map(id => (figure.point(id), figure.says.textContent)); }"
    states = [figure.state(0, toggles=("g",), pointed=id) for id in keys]  # heard whole, and seen without the formula
    heard = [state.sentence * (state.sentence != state.seen) + state.seen for state in states]
    assert host.evaluate(tell, keys) == heard

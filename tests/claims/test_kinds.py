"""Every string of a figure that holds a cell's number, `=` or `≈` is the text of a claim, or a quotation."""

import numpy as np
import pytest

from rustyflow import show
from rustyflow.claims.claim import Claim, equation
from rustyflow.claims.tree import times
from rustyflow.scene import Figure, Frame, Scene, draw

from .figures import FIGURES
from .kinds import of_figure
from .strings import strings

EVERY = 4
"""One of so many figures is drawn in every run, all of them in the long ring."""


def by_hand(part=1):
    """The strings of a fifth kind in an even part of the figures."""
    return {name: found for name in [*FIGURES][::part] if (found := of_figure(FIGURES[name]))}


def test_figures_say_numbers_in_claims_alone():
    assert by_hand(EVERY) == {}


def picture(*sentences):
    return Figure(Scene("x = [1.5, 2]", 80, 40, (draw.cell("c", 0, 0, 1.5),), tuple(map(Frame, sentences))))


def in_claims():
    claim = Claim("x[0]", times(0.5, 3.0), 1.5)
    return picture(f"{claim}.", f"x[0] has {equation('', 1.5)}, with dim=0.", "x = [1.5, 2] is drawn as 3 cells.")


def test_claims_titles_and_arguments_are_known():
    assert of_figure(in_claims) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "x[0] = 0.5·3 = 1.5.",
        "x[0] is 1.5.",
        "x[0] ≈ 2.",
        "x[0] holds nan.",
        "x[0] = 1.",
        "2·x[1] = 3, f(dim=) is 1e-5.",
    ],
)
def test_what_is_written_by_hand_is_found(sentence):
    assert of_figure(lambda: picture("A cell.", sentence)) == [("frame 1", sentence)]


def test_a_claim_made_before_is_none_of_this_call():
    figure = in_claims()
    assert [key for key, _ in of_figure(lambda: figure)] == ["frame 0", "frame 1"]


def test_a_line_of_the_graph_is_a_quotation():
    lines = [text for _, text in strings(FIGURES["graph: product"]())]
    assert any("= mul %1, %2" in line for line in lines)
    assert not [text for _, text in of_figure(FIGURES["graph: product"]) if "= mul" in text]


def test_all_sides_links_and_columns_are_read():
    seen = dict(strings(show.reduce(np.array([[1.5, 2.0]]), "sum", 1, name="x")))
    assert seen["link r0"] == "2 cells along j become one number: x.sum(axis=1)[0] = 1.5 + 2 = 3.5."
    assert seen["link r0 line f0"] == "x.sum(axis=1)[0] = 1.5 + 2 = 3.5"
    assert seen["link a1 g"] == "Its part of g[0]: x.grad[0, 1] = 3·1 = 3."
    assert seen["drawn a0.1"] == "1.5"

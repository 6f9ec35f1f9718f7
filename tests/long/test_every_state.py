"""The player shows what Python draws, with five times as many of a figure's links as are tried in every run."""

import pytest

from tests.browser.test_figure_states import FIGURES, MOST, disagreements


@pytest.mark.parametrize("name", FIGURES)
def test_every_state_in_the_page_is_the_one_python_draws(name, plain, tmp_path):
    figure = FIGURES[name]()
    assert disagreements(figure, plain(figure.save(tmp_path / "figure.html")), MOST) == []

"""A click on any part of a figure gives it the keys: the kinds that are not clicked in every run."""

import pytest

from tests.browser.test_figure_keys import KINDS, SOME, every_part_gives_the_keys, shown  # noqa: F401 - a fixture


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in SOME])
def test_a_click_on_any_part_of_a_figure_gives_it_the_keys(shown, page, kind):  # noqa: F811
    every_part_gives_the_keys(shown[kind], page)

"""The lessons that are not opened in every run, in a real JupyterLab: each runs, and its figures live."""

import pytest

from tests.browser.test_lessons import FEW, LESSONS, runs_and_lives


@pytest.mark.parametrize("path", [path for path in LESSONS if path not in FEW], ids=lambda path: path.stem)
def test_it_runs_and_its_figures_live(path, notebook, page):
    runs_and_lives(path, notebook, page)

"""How long the lessons of acts I to III take to run: what a student waits for with Run All, on a slow machine too."""

import resource
from pathlib import Path

import pytest

pytest.importorskip("nbclient")

FOLDER = Path(__file__).parents[2] / "notebooks"
LESSONS = [*sorted(FOLDER.glob("0*.ipynb")), *sorted(FOLDER.glob("1[0-2]*.ipynb")), FOLDER / "first-hour.ipynb"]
EACH, ALL = 12, 120
"""The most seconds of work for one lesson, its kernel's start among them, and for all of them together."""


def worked(path, folder):
    """The seconds of processor time that a kernel spends on a notebook: how busy the machine is does not count."""
    import nbformat
    from nbclient import NotebookClient

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_no_lesson_keeps_a_class_waiting(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSTYFLOW_DISPLAY", "static")
    seconds = {path.stem: round(worked(path, tmp_path), 1) for path in LESSONS}
    assert len(seconds) == 14 and all(seconds.values())
    assert {name: took for name, took in seconds.items() if took > EACH} == {}, seconds
    assert sum(seconds.values()) <= ALL, seconds

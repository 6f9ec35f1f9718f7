"""The parts of a teacher's copy that a student's lacks: notes, lessons that were run, larger letters."""

from __future__ import annotations

import json
import re
from pathlib import Path

from . import course

FOLDER = Path("teacher")
SETTINGS = Path("@jupyterlab", "apputils-extension", "themes.jupyterlab-settings")
SHUT = {"output_type": "stream", "name": "stdout", "text": "Closed. Click here to open it, or run the cell.\n"}
LARGE = {"overrides": {"code-font-size": "20px", "content-font-size1": "20px"}}


def notes_folder() -> Path | None:
    """The place of the notes: installed beside this package's lessons or, in a checkout, in `notebooks/teacher`."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "teacher", package.parent / "notebooks" / "teacher")
    return next((place for place in places if (place / "guide.md").is_file()), None)


def parcels(source: Path, notes: Path) -> dict[Path, bytes]:
    """The files that are laid into a teacher's copy: each lesson, run and closed, and beside it its notes."""
    lessons = {name: (source / name).read_bytes() for name in course.files_of(source)}
    books = {name: text.decode() for name, text in lessons.items() if name.suffix == ".ipynb"}
    lessons |= {name: course.as_opened(closed(text)).encode() for name, text in books.items()}
    files = dict(lessons)
    for note in sorted(notes.glob("*.md")):  # in a list of files a lesson's note is told apart from it by name
        of_lesson = Path(f"{note.stem}.ipynb") in lessons
        files[Path(f"{note.stem}-notes.md" if of_lesson else note.name)] = note.read_bytes()
    return {FOLDER / name: text for name, text in files.items()}


def closed(notebook: str) -> str:
    """An executed lesson with what it shows closed, from the first question on; the questions stay open.

    A closed output opens by a click, or by running its cell. JupyterLab shows the first line of it all the same, so one
    is put there that tells nothing.

    >>> lines = ("t", "check.q", "check.q.after()\\nshow.strides(t)")
    >>> cells = [{"cell_type": "code", "source": line, "metadata": {}, "outputs": ["1"]} for line in lines]
    >>> [cell["metadata"] for cell in json.loads(closed(json.dumps({"cells": cells})))["cells"]]
    [{}, {}, {'jupyter': {'outputs_hidden': True}}]
    """
    book, asked = json.loads(notebook), False
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            asks = re.search(r"^check\.\w+(\(|$)", course.source_of(cell["source"]), re.M)  # and not check.q.after()
            if asked and not asks and cell["outputs"]:
                cell["outputs"].insert(0, SHUT)
                cell["metadata"]["jupyter"] = {"outputs_hidden": True}
            asked = asked or bool(asks)
    return json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def settings(folder: Path) -> Path:
    """A copy's own settings of JupyterLab, made where there are none: letters of 20 px. Those of the user stay."""
    place = folder / ".rustyflow" / "teacher" / "settings"
    if not (place / SETTINGS).exists():
        course.write(place / SETTINGS, json.dumps(LARGE, indent=2).encode())
    return place

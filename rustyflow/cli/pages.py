"""`rustyflow export`: a notebook, or the whole course, as pages that are alive offline."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from ..errors.installation import install, quoted
from ..scene.text import printable
from . import course

FOLDER = "rustyflow-pages"
INDEX = "index"
"""The name of the page that lists all others, with a number behind it where a notebook is called so."""


def absent() -> str:
    """The words for a package that a command needs and this Python has not."""
    return f"it is not in this Python, {sys.executable}.\nInstall it: {install('lab')}"


def export_pages(options) -> int:
    if lacking := next((name for name in ("nbconvert", "nh3", "latex2mathml") if find_spec(name) is None), ""):
        raise course.CourseError(f"a page is made by {lacking}, and {absent()}")
    if options.all == (options.notebook is not None and not options.notebook.is_dir()):
        raise course.CourseError("one notebook is made a page, or with --all the course or a folder of them.\n"
                                 "Give a notebook (rustyflow export LESSON.ipynb), or --all.")
    return export_all(options) if options.all else export_page(options)


def export_page(options) -> int:
    notebook = options.notebook
    wanted = options.output or notebook.with_suffix(".html")
    if wanted.is_dir():
        inside = quoted(f"{wanted / notebook.stem}.html")
        raise course.CourseError(f"{wanted} is a folder.\nGive the page a name in it: -o {inside}")
    if wanted.suffix.lower() == ".ipynb" or wanted.exists() and notebook.exists() and wanted.samefile(notebook):
        own = "-page.html" if notebook.suffix == ".html" else ".html"
        other = quoted(str(wanted.with_name(wanted.stem + own)))
        raise course.CourseError(f"{wanted} is a notebook's name.\nGive the page its own: -o {other}")
    return _written(notebook, wanted, options)


def export_all(options) -> int:
    """Makes a page of each lesson, run from top to bottom, and one that lists them."""
    folder, into = options.notebook or options.course(), options.output or Path(FOLDER)
    known = {book: _heading(book) for book in sorted(folder.glob("*.ipynb")) if not book.is_dir()}
    books = [book for book, title in known.items() if title is not None]
    if not books:
        raise course.CourseError(f"no notebook lies in {folder}.\nGive the folder of some, or none for the course.")
    into.mkdir(parents=True, exist_ok=True)
    names = [book.name for book in books]
    free = (f"{INDEX}{number}.ipynb" for number in itertools.chain([""], itertools.count(2)))
    index = next(name for name in free if name not in names)
    options.run_first, ends = True, [len(books) < len(known)]
    for before, book, after in zip(["", *names], books, [*names[1:], ""], strict=False):
        way = _way(before, index, after)
        ends.append(_written(book, into / f"{book.stem}.html", options, way, {*names, index}))
    acts = course.ACTS if options.notebook is None else {}
    rows = [f"{_act(acts, book.stem)}- {link(str(known[book]), book.name)}" for book in books]
    text = "\n".join(["# The course" if acts else "# Notebooks", "", *rows])
    _write(_of_text(text), into / Path(index).with_suffix(".html"), Path(index), into, options, {*names})
    return int(max(ends))


def _act(acts: Mapping[str, str], stem: str) -> str:
    return f"\n## {acts[stem[:2]]}\n\n" if stem[:2] in acts else ""


def _heading(notebook: Path) -> str | None:
    """The first heading in a notebook, or its name; None, and a line on why, where it cannot be read."""
    from .export import read

    try:
        cells, _ = read(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        print(printable(f"{notebook} cannot be read as a notebook, and is left out: {why[:200]}"), file=sys.stderr)
        return None
    texts = (cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    found = (re.match(r"#+ +(.+)", text) for text in texts)
    return next((heading[1] for heading in found if heading), notebook.stem)


def _way(before: str, index: str, after: str) -> str:
    """A line that leads to the lessons before and after, and to all."""
    ways = [link(f"\u2190 {before.removesuffix('.ipynb')}", before)] if before else []
    ways += [link("all", index), *([link(f"{after.removesuffix('.ipynb')} \u2192", after)] if after else [])]
    return " \u00b7 ".join(ways)


def link(text: str, name: str) -> str:
    """A link in Markdown to a file of any name.

    >>> link("a [b]", "a b#1.ipynb")
    '[a \\\\[b\\\\]](a%20b%231.ipynb)'
    """
    text = re.sub(r"(?<!\\)([][])", r"\\\1", text)
    return f"[{text}]({quote(name)})"


def _of_text(source: str) -> str:
    """A notebook of one cell of Markdown."""
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": source}]})


def _written(notebook: Path, wanted: Path, options, way: str = "", pages: Collection[str] = ()) -> int:
    """Makes the page of a notebook, and returns 1 if something in it went wrong.

    `way` is Markdown for its end.
    """
    from .export import NoKernelError, executed

    wrong: tuple[str, ...] = ()
    try:
        text = notebook.read_text(encoding="utf-8")
        if options.run_first:
            print(f"Running a copy of {notebook} ...", flush=True)
            text, wrong = executed(text, notebook.parent)
        if way:
            book = json.loads(text)
            text = json.dumps({**book, "cells": [*book["cells"], {"cell_type": "markdown", "source": way}]})
        _write(text, wanted, notebook, notebook.parent, options, pages, wrong)
    except NoKernelError as problem:
        raise course.CourseError(f"{notebook} cannot be run.\n{problem}") from problem
    except ValueError as problem:
        raise course.CourseError(f"{notebook} cannot be read as a notebook.\n{str(problem)[:200]}") from problem
    return 1 if wrong else 0


def _write(
    text: str, wanted: Path, notebook: Path, folder: Path, options, pages: Collection[str] = (),
    wrong: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """Writes a notebook's page, and says what is not in it."""
    from .export import offline_page

    made = offline_page(text, notebook.stem, folder, options.trust, pages)
    page = wanted if options.force else free_page(wanted, notebook)
    course.write(page, made.html.encode("utf-8", "replace"))
    if page != wanted:
        print(f"{wanted} is no page of this notebook, and stays (--force writes over it)")
    told = {"not in the page": made.left_out, "fetched when it is opened": made.fetches, "went wrong": wrong}
    less = asleep(made, notebook, options.run_first)
    for line in [*(f"{kind}: {what}" for kind, lines in told.items() for what in lines), *less]:
        print(printable(line))  # what a notebook says is no command to a terminal
    figures = f"{made.alive or 'no'} live figure{'s' * (made.alive != 1)}"
    size = f"{page.stat().st_size / 1024:,.0f} KiB"
    print(f"{page}: {size}, {figures}{'' if made.fetches else ', opens without a network'}")


def asleep(made, notebook: Path, ran: bool) -> Iterator[str]:
    """The words for a page that shows less than the notebook would, and the way to get all of it."""
    if made.waiting:
        yield f"not run: {made.waiting} of the {made.codes} cells of code, so what they would show is not in the page"
    elif made.still and not made.alive:
        yield f"not alive: the figures of this notebook ({made.still}) were saved as pictures alone"
    if not ran and (made.waiting or made.still and not made.alive):
        yield f"To run a copy of it first, and make the page of that: rustyflow export --run {quoted(str(notebook))}"


def free_page(wanted: Path, notebook: Path) -> Path:
    """The first of page.html, page-2.html ... that is not there, or is a page made of the same notebook."""
    from .export import is_page_of

    numbers = itertools.count(2)
    page = wanted
    while page.exists() or page.is_symlink():
        if page.is_file():
            if is_page_of(page.read_text(encoding="utf-8", errors="replace"), notebook.stem, notebook.parent):
                return page
        page = wanted.with_name(f"{wanted.stem}-{next(numbers)}{wanted.suffix}")
    return page

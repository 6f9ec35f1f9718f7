"""The student's copy of the course: delivered without outputs, brought up to date, and never written over.

A manifest in the copy remembers a fingerprint of every file as it was delivered. A file that still has its fingerprint
is the course's, and an upgrade may replace it; any other is the student's, and an upgrade lays the new one beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path

from ..errors.installation import quoted

MANIFEST = Path(".rustyflow", "course.json")
FOLDER = "rustyflow-course"
GLOSSARY = Path("glossary.md")
ACTS = {"01": "I  Memory", "04": "II  Shapes", "07": "III  Gradients", "13": "IV  Training",
        "17": "V  Workshop"}
"""The acts of the course, by the number of the lesson with which each begins."""


class CourseError(Exception):
    """A thing in the way of a copy, and a way out; the command line prints it and stops."""


def files_of(source: Path) -> Iterator[Path]:
    """The files of the course that a student gets, relative to `source`.

    All but Markdown, tests and hidden ones; the glossary is the one Markdown file that lessons link to.
    """
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        hidden = any(part.startswith((".", "__")) for part in name.parts)
        wanted = name == GLOSSARY or path.suffix != ".md" and path.name != "conftest.py"
        if path.is_file() and not hidden and wanted:
            yield name


def without_outputs(notebook: str) -> str:
    """The text of a notebook as nobody has run it: no outputs, execution counts, timings or widget state.

    Raises ValueError where the text is no notebook.

    >>> cell = {"cell_type": "code", "source": "1 + 1", "outputs": ["2"], "execution_count": 7, "metadata": {}}
    >>> json.loads(without_outputs(json.dumps({"cells": [cell], "metadata": {}})))["cells"][0]["outputs"]
    []
    """
    book = json.loads(notebook)
    book.get("metadata", {}).pop("widgets", None)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
            cell.get("metadata", {}).pop("execution", None)
    return json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@cache
def of_kernel() -> dict[str, object]:
    """The metadata that JupyterLab writes into a notebook once its kernel runs; none where there is no kernel."""
    try:
        from ipykernel.ipkernel import IPythonKernel
        from jupyter_client.kernelspec import NoSuchKernel, get_kernel_spec
    except ImportError:
        return {}
    try:
        spec = get_kernel_spec("python3")
    except NoSuchKernel:
        return {}
    known = {"name": "python3", "display_name": spec.display_name, "language": spec.language}
    return {"kernelspec": known, "language_info": dict(IPythonKernel.language_info)}


def as_opened(notebook: str) -> str:
    """The text of a notebook with the metadata of this machine's kernel: only opened, it is not marked as unsaved."""
    book = json.loads(notebook)
    book.setdefault("metadata", {}).update(of_kernel())
    return json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def as_delivered(path: Path) -> bytes:
    """The bytes of a course file as a student gets them."""
    if path.suffix == ".ipynb":
        return as_opened(without_outputs(path.read_text(encoding="utf-8"))).encode()
    return path.read_bytes()


def fingerprint(name: Path, content: bytes) -> str:
    """A hash of what a person can have put there.

    JupyterLab rewrites a notebook when it saves one that was only looked at: metadata and layout do not count.
    """
    if name.suffix == ".ipynb":
        try:
            cells = json.loads(content)["cells"]
            written = [[c["cell_type"], source_of(c["source"]), c.get("outputs"), c.get("attachments")] for c in cells]
            content = json.dumps(written, sort_keys=True).encode()
        except (ValueError, KeyError, TypeError, RecursionError):  # no notebook any more: then every byte counts
            pass
    return hashlib.sha256(content).hexdigest()


def source_of(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def write(path: Path, content: bytes) -> None:
    """Replace a file in one step: an interruption leaves the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(draft, 0o644)  # mkstemp's own mode would hide the file from a class's shared folder
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def set_aside(path: Path, content: bytes) -> Path:
    """Write content to `path`, or to `path` with -2, -3 ... where that is taken; never over a file. Returns where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        free = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            file = free.open("xb")
        except FileExistsError:
            number += 1
            continue
        try:
            with file:
                file.write(content)
        except BaseException:  # on a full disk half of it, which would look like the whole
            free.unlink(missing_ok=True)
            raise
        return free


def thing(path: Path) -> str:
    """The thing there that is no file."""
    return "a folder" if path.is_dir() else "no ordinary file"


def read_manifest(folder: Path) -> dict[str, str]:
    """Fingerprints as delivered, by name. A manifest that is missing or damaged makes every file the student's."""
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return {str(name): str(mark) for name, mark in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def deliver(source: Path, folder: Path, version: str, more: Mapping[Path, bytes] | None = None) -> list[str]:
    """Brings the course, and what there is more, into `folder`; returns the words on it, a line each.

    Missing files are delivered and untouched ones brought up to date. Where the student changed a file that has a new
    version, the new one is laid beside it. Raises CourseError where the folder cannot be a copy of the course.
    """
    if folder.suffix.lower() == ".ipynb" and not folder.is_dir():
        inside = "" if folder.parent == Path() else f" {quoted(str(folder.parent))}"
        raise CourseError(f"{folder} names a lesson.\n"
                          f"Open its folder, and the lesson from there: rustyflow lab{inside}")
    if folder.resolve() == source.resolve():
        raise CourseError(f"{folder} is the course itself.\nGive another folder, or edit it: rustyflow lab --in-place")
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file.\nThe course needs a folder: rustyflow lab SOME-FOLDER")
    known, said = read_manifest(folder), []
    marks = dict(known)
    try:
        files = {name: as_delivered(source / name) for name in files_of(source)} | dict(more or {})
        for name, content in files.items():
            key, mine = name.as_posix(), folder / name
            if mine.exists() and not mine.is_file():
                said.append(f"{key} is {thing(mine)} here, and stays; rename it, and run this again for the lesson")
                continue
            marks[key] = fingerprint(name, content)
            if not mine.exists():
                write(mine, content)
                if known:
                    said.append(f"new: {key}")
                continue
            held = fingerprint(name, mine.read_bytes())
            if held in (marks[key], known.get(key)):
                if held != marks[key]:
                    write(mine, content)
                    said.append(f"updated: {key}")
            elif marks[key] != known.get(key):
                beside = mine.with_name(f"{mine.stem}.new-{version}{mine.suffix}")
                if not beside.exists() or fingerprint(name, beside.read_bytes()) != marks[key]:
                    beside = set_aside(beside, content)
                said.append(f"{key} has your work in it and stays; its new version is {beside.name}")
        if marks != known:
            write(folder / MANIFEST, json.dumps({"version": version, "files": marks}, indent=1).encode())
    except OSError as problem:
        raise CourseError(f"cannot write the course to {folder}: {problem.strerror or problem}.\n"
                          "Give a folder that is yours: rustyflow lab SOME-FOLDER") from problem
    return said


def lessons_in(source: Path, folder: Path) -> tuple[int, int]:
    """The number of the course's lessons in `folder`, and of those that differ from what was delivered."""
    marks = read_manifest(folder)
    here = [name for name in files_of(source) if name.suffix == ".ipynb" and os.path.isfile(folder / name)]
    worked_on = [n for n in here if fingerprint(n, (folder / n).read_bytes()) != marks.get(n.as_posix())]
    return len(here), len(worked_on)


def courses_here(but: Path) -> list[Path]:
    """The copies of the course in the current folder, itself among them, save the one in `but`."""
    found = (MANIFEST, *sorted(Path().glob(f"*/{MANIFEST.as_posix()}")))
    folders = [path.parent.parent for path in found if path.exists()]
    return [folder for folder in folders if folder.resolve() != but.resolve()]


def titled(stem: str) -> str:
    """The name of a lesson without its number; one without a number has only a name.

    >>> titled("03-stride-zero"), titled("first-hour")
    ('stride-zero', 'first-hour')
    """
    return re.sub(r"^\d+-", "", stem)


def find_lesson(source: Path, wanted: str) -> Path:
    """The lesson a student means by `3`, `03`, `stride zero` or `03-stride-zero.ipynb`, relative to `source`.

    A part of a name is no lesson: `one` may be the number or a word of a title, and a reset should never be a guess.
    Raises CourseError, with the list of lessons, where that is none of them or more than one.
    """
    lessons = [name for name in files_of(source) if name.suffix == ".ipynb"]
    words = wanted.strip().lower().removesuffix(".ipynb").replace(" ", "-").replace("_", "-")
    if words.isdecimal():
        found = [name for name in lessons if name.stem.partition("-")[0].lstrip("0") == words.lstrip("0")]
    else:
        found = [name for name in lessons if words and words in (name.stem, titled(name.stem))]
    if len(found) == 1:
        return found[0]
    known = "\n".join(f"  {name.stem}" for name in found or lessons)
    problem = f"{wanted!r} is more than one lesson" if found else f"there is no lesson {wanted!r}"
    raise CourseError(f"{problem}. {'They are' if found else 'The lessons'}:\n{known}\nGive a number or a full name.")


def progress(source: Path, folder: Path) -> list[str]:
    """A line for each lesson: how many of its checks are done, and which is the first that is open.

    What is wrong with the file in which answers are remembered is a line more. Raises CourseError where there is no
    course.
    """
    from ..lessons.kit.answers.progress import PROGRESS, look

    if not (folder / MANIFEST).exists():
        raise CourseError(f"there is no course in {folder}.\nOpen it (rustyflow lab), or say where it is.")
    (known, fault), rows = look(folder), []
    for name in (name for name in files_of(source) if name.suffix == ".ipynb"):
        lesson = titled(name.stem).replace("-", "_")
        mine = known.get(lesson, {})
        checks = checks_in(lesson, *copies(folder, name), beside=mine) or checks_in(lesson, source / name, beside=mine)
        still = [check for check in checks if not mine.get(check, {}).get("done")]
        rows.append((name.stem, f"{len(checks) - len(still)} of {len(checks)}", f"check.{still[0]}" if still else ""))
    wide = max(len(lesson) for lesson, _, _ in rows)
    table = [f"{'lesson':<{wide}}  {'done':>8}  first open"]
    for lesson, done, first in rows:
        table += ["", ACTS[lesson[:2]]] if lesson[:2] in ACTS else [""] if titled(lesson) == lesson else []
        table.append(f"{lesson:<{wide}}  {done:>8}  {first}".rstrip())
    if not fault:
        return table
    next_one = "The next answer sets it aside under a dated name, and keeps what can be read of it."
    return [*table, "", f"{folder / PROGRESS} {fault}: what can be read of it is counted.", next_one]


def copies(folder: Path, name: Path) -> list[Path]:
    """A lesson in a student's copy: at its place or, if it was moved, in folders within."""
    if (folder / name).is_file():
        return [folder / name]
    found = (path for path in folder.rglob(name.name) if path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def checks_in(lesson: str, *notebooks: Path, beside: Iterable[str] = ()) -> list[str]:
    """The names of a lesson's checks that the code of notebooks uses, in their order, then of those `beside` them.

    A student keeps the lesson that they began with, which may have other checks than the course has by now. A notebook
    that cannot be read has none.
    """
    from ..lessons import checks_of

    found: list[str] = []
    for path in notebooks:
        try:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            code = "\n".join(source_of(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        found += re.findall(r"\bcheck\.(\w+)", code)
    known = checks_of(lesson)
    return [name for name in dict.fromkeys([*found, *beside]) if found and name in known]


def reset(source: Path, folder: Path, wanted: str, now: datetime) -> str:
    """Set the student's work on a lesson aside under a dated name, restore the lesson, and return what was done.

    The date stands first: where a name is cut short, that of an older copy still differs from the lesson's.
    """
    name = find_lesson(source, wanted)
    mine, content = folder / name, as_delivered(source / name)
    if mine.exists() and not mine.is_file():
        raise CourseError(f"{mine} is {thing(mine)}, where the lesson should be.\nRename it, and run this again.")
    if not (folder / MANIFEST).exists() and not any((folder / lesson).is_file() for lesson in files_of(source)):
        raise CourseError(f"there is no course in {folder}.\nOpen it (rustyflow lab), or say where it is: --folder")
    try:
        if not mine.exists():
            write(mine, content)
            return f"restored {mine}; there was no work to set aside"
        work = mine.read_bytes()
        if fingerprint(name, work) == fingerprint(name, content):
            return f"{mine} is as it was delivered; nothing to reset"
        aside = set_aside(mine.with_name(f"old-{now:%Y-%m-%d-%H%M}-{mine.name}"), work)
        write(mine, content)
    except OSError as problem:
        raise CourseError(f"cannot write in {folder}: {problem.strerror or problem}.\nNothing was lost.") from problem
    return (f"your work is in {aside.name}; {mine.name} is fresh\n"
            "If it is open in JupyterLab, choose File > Reload Notebook from Disk there; do not choose Overwrite.")

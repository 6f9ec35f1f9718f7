"""The doctor: what this machine has for the course and the tests, and how to get what it lacks."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from ..errors.installation import install

NEEDS = {  # package: (first version that will do, the extra that brings it)
    "numpy": ("2.0", ""), "scipy": ("1.13", ""),
    "jupyterlab": ("4.4", "lab"), "ipywidgets": ("8.1.7", "lab"), "anywidget": ("0.9.18", "lab"),
}
FRONT = {"@jupyter-widgets/jupyterlab-manager": "5.0", "anywidget": "0.9"}
"""What widgets need in the page, and the first version that will do: front ends, which JupyterLab finds in folders."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
APPLICATIONS = (  # where they live when they are not on PATH
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)


class Finding(NamedTuple):
    """One line of the doctor's report; `fix` is empty when all is well."""

    name: str
    found: str
    fix: str = ""
    needed: bool = True


def find_browser() -> str | None:
    """The Chromium that the tests drive: the `CHROMIUM` variable, else the first one on PATH, else an installed one.

    >>> find_browser() is None or Path(find_browser()).exists()
    True
    """
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    on_path = (shutil.which(name) for name in BROWSERS)
    installed = (path for path in APPLICATIONS if Path(path).exists())
    return next((path for path in (*on_path, *installed) if path), None)


def numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version, to compare by.

    >>> numbers("8.1.10") > numbers("8.1.9")
    True
    >>> numbers("5.0.0rc1")
    (5, 0)
    """
    parts = text.split(".")
    plain = next((i for i, part in enumerate(parts) if not part.isdigit()), len(parts))
    return tuple(int(part) for part in parts[:plain])


def front_end(name: str) -> str:
    """The version of a front end of widgets that this Python's JupyterLab serves; nothing where there is none.

    >>> front_end("no such thing")
    ''
    """
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return ""
    told = (Path(folder, name, "package.json") for folder in jupyter_path("labextensions"))
    found = next((path for path in told if path.is_file()), None)
    return str(json.loads(found.read_text(encoding="utf-8")).get("version", "")) if found else ""


def widgets() -> Finding:
    """The finding for the front ends of widgets, which JupyterLab gives the page."""
    there = {name: front_end(name) for name in FRONT}
    late = all(numbers(there[name]) >= numbers(least) for name, least in FRONT.items())
    fix = "" if late else f"JupyterLab's own Python has to have their front ends: {install('lab')} --upgrade"
    return Finding("widgets", "; ".join(f"{name} {found or 'missing'}" for name, found in there.items()), fix)


def line(finding: Finding) -> str:
    """Returns a line of the report.

    >>> line(Finding("numpy", "2.0")), line(Finding("scipy", "missing", "install it"))
    ('ok  numpy       2.0', '!!  scipy       missing')
    """
    mark = "ok " if not finding.fix else "!! " if finding.needed else "-  "
    return f"{mark} {finding.name:<12}{finding.found}"


def examine(course: Path | None) -> Iterator[Finding]:
    """Findings for this Python, its packages, the course and the browser; `course` is the lessons' folder, if found."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", python, "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer")
    for name, (least, part) in NEEDS.items():
        fix = install(part)
        try:
            found = version(name)
        except PackageNotFoundError:
            yield Finding(name, "missing", fix)
        else:
            late = numbers(found) >= numbers(least)
            yield Finding(name, found, "" if late else f"{least} or newer is needed: {fix} --upgrade")
    yield widgets()
    lessons = sorted(course.glob("*.ipynb")) if course else []
    yield Finding("course", f"{len(lessons)} lessons in {course}" if lessons else "missing",
                  "" if lessons else "install rustyflow again: its lessons were not installed with it")
    testing = all(importlib.util.find_spec(name) for name in ("pytest", "playwright"))
    browser = find_browser()
    yield Finding("chromium", browser or "missing (only the browser tests need it)",
                  "" if browser else "install Chromium or Chrome, or set CHROMIUM to its path", needed=testing)

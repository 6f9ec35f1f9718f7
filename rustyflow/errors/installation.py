"""The command that brings an extra, as this rustyflow was installed: PEP 610 says where an installation came from."""
from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from . import AbsentModule

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HERE = Path(__file__).resolve().parents[1]
"""The package that runs."""

ADDRESS = "/%:@!$&'()*+,;=~"
"""What stands in the path of an address as it is; some of pip's releases note blanks and letters so, too."""


@contextmanager
def extra(name: str, was: str, instead: str = "") -> Iterator[None]:
    """Tells how to get an extra where a package of it is missing.

    Raises:
        AbsentModule (a ModuleNotFoundError): in place of Python's own; its `name` is the package's.

    Example:
        >>> with extra("lab", "a wish"):
        ...     import no_such_package
        Traceback (most recent call last):
        rustyflow.errors.AbsentModule: a wish without the package no_such_package
        ...
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package in ("", "rustyflow"):
            raise
        error = AbsentModule(f"{was} without the package {package}",
                             f"it comes with the extra [{name}], which is not installed in {sys.executable}",
                             install(name) + (f"; or {instead}" if instead else ""))
        error.name = package
        raise error from None


def install(name: str = "") -> str:
    """Returns the line for a shell that installs an extra, or rustyflow alone, into the Python that runs.

    It names the checkout, the file or the address that this rustyflow came from, without credentials; where that is
    gone or cannot be told, the packages of the extra themselves. What came from an index is known there by its name.
    Source: https://packaging.python.org/en/latest/specifications/direct-url/

    Example:
        >>> "pip install" in install("lab")
        True
    """
    words = wanted(name)
    there = " (in a checkout of rustyflow)" * words[-1].startswith(".")
    return " ".join([_pip(), *(word if word == "-e" else quoted(word) for word in words)]) + there


def wanted(name: str) -> list[str]:
    """Returns what pip is told to install, unquoted."""
    brackets = f"[{name}]" * bool(name)
    found = _installed()
    if found is None:
        return ["-e", f"{HERE.parent if (HERE.parent / 'pyproject.toml').is_file() else '.'}{brackets}"]
    text = found.read_text("direct_url.json")
    if text is None:
        return [f"rustyflow{brackets}"]
    try:
        told = json.loads(text)
        return _source(told, brackets) or _packages(found, name)
    except (ValueError, TypeError, AttributeError, KeyError):  # a file that says nothing
        return _packages(found, name)


def _installed() -> Distribution | None:
    """The installation of the package that runs, and of no other of its name."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        found = distribution("rustyflow")
    except PackageNotFoundError:
        return None
    told = re.search(r'"url"\s*:\s*"(file:[^"]*)"', found.read_text("direct_url.json") or "")
    places = [Path(str(found.locate_file("rustyflow")))]
    with suppress(ValueError):  # an address that is none
        places += [_path(told[1]) / "rustyflow"] if told else []
    return found if any(place.resolve() == HERE for place in places) else None


def _source(told: dict, brackets: str) -> list[str] | None:
    """The source that a `direct_url.json` names, as pip takes it; None of one gone or secret."""
    parts = urlsplit(told["url"])
    host = parts.netloc.rpartition("@")[2]
    if not host and parts.scheme == "file" and "vcs_info" in told and os.name != "nt":
        host = "localhost"  # pip before 24.1 takes no address without a host
    user = "git@" if parts.netloc.startswith("git@") else ""
    within = f"#subdirectory={told['subdirectory']}" if told.get("subdirectory") else ""
    if parts.query or parts.scheme == "file" and not _path(told["url"]).exists():
        return None
    if "dir_info" in told:
        return ["-e"] * bool(told["dir_info"].get("editable")) + [f"{_path(told['url'])}{brackets}"]
    address = urlunsplit((parts.scheme, user + host, quote(parts.path, ADDRESS), "", ""))
    if "vcs_info" in told:
        vcs = told["vcs_info"]
        commit = vcs.get("commit_id") or vcs.get("requested_revision")
        return [f"rustyflow{brackets} @ {vcs['vcs']}+{address}{f'@{commit}' * bool(commit)}{within}"]
    if parts.scheme == "file" and not within:
        return [f"{_path(told['url'])}{brackets}"]
    return [f"rustyflow{brackets} @ {address}{within}"]


def _path(url: str) -> Path:
    from urllib.request import url2pathname  # slow to import

    parts = urlsplit(url)
    return Path(url2pathname(f"//{parts.netloc}{parts.path}" if parts.netloc else parts.path))


def _packages(found: Distribution, name: str) -> list[str]:
    """The packages that an extra, or rustyflow alone, asks for; its name where nothing is told."""
    names: list[str] = []
    for line in found.requires or ():
        package, _, condition = line.partition(";")
        of = re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", condition)
        if (of[1] if of else "") != name:
            continue
        more = re.match(r"rustyflow\s*\[([^]]+)\]", package)
        inner = [_packages(found, part.strip()) for part in more[1].split(",")] if more else [[package.strip()]]
        names += itertools.chain.from_iterable(inner)
    return list(dict.fromkeys(names)) or [f"rustyflow[{name}]" if name else "rustyflow"]


def _pip() -> str:
    """The command that calls the pip of the Python that runs."""
    if find_spec("pip") is None and shutil.which("uv"):
        return f"uv pip install --python {quoted(sys.executable)}"
    for name in ("python", "python3"):
        path = shutil.which(name)
        if path and sys.executable and _same(Path(path), Path(sys.executable)):
            return f"{name} -m pip install"
    called = quoted(sys.executable or "python")
    call = "& " * (os.name == "nt" and not called[0].isalnum())  # PowerShell takes a word in quotes for a text
    return f"{call}{called} -m pip install"


def _same(one: Path, other: Path) -> bool:
    """True if two names are of one Python: an environment's is a link, told apart by its folder."""
    return one.parent.resolve() == other.parent.resolve() and one.resolve() == other.resolve()


def quoted(word: str) -> str:
    """Returns a word as a shell takes it whole: Bourne's, and on Windows PowerShell.

    Example:
        >>> quoted("numpy"), quoted("rustyflow[lab]")
        ('numpy', '"rustyflow[lab]"')
    """
    if re.fullmatch(r"[\w@%+=:,./\\~-]+" if os.name == "nt" else r"[\w@%+=:,./-]+", word, re.ASCII):
        return word
    if not re.search(r'["$`\\!]' if os.name != "nt" else r'["$`]', word):
        return f'"{word}"'
    return "'" + word.replace("'", "''") + "'" if os.name == "nt" else shlex.quote(word)

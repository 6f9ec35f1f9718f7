"""Nothing that a lesson shows before a guess tells the answer: neither text nor what is described or packed."""

import base64
import html
import json
import re
import sys
import zlib

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from rustyflow.lessons import Question
from rustyflow.scene import figure, static
from rustyflow.widgets import Predict
from tests.lessons.catalogue import checks_of
from tests.lessons.test_notebooks import USED, every_notebook, module_of, read

PACKED = re.compile(r'<script type="application/zlib">(.*?)</script>', re.S)
DESCRIBED = re.compile(r'(?:aria-label|aria-description|alt|title)="([^"]*)"')
PROGRAM = re.compile(r"<(script|style)\b.*?</\1>", re.S)


@pytest.fixture
def shell():
    """A kernel's shell that shows figures alive."""
    was = figure.is_static()
    static(False)
    main = sys.modules["__main__"]
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main  # IPython puts the cells' names there
    static(was)


def strings(data):
    """All text in JSON, markup taken out of drawings."""
    if isinstance(data, str):
        yield from texts(data) if data.startswith("<svg") else [data]
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from strings(part)


def texts(page):
    """What a page says: its text, what describes its pictures, and what it packs for its player."""
    for packed in PACKED.findall(page):
        yield from strings(json.loads(zlib.decompress(base64.b64decode(packed))))
    page = PROGRAM.sub("", page)
    yield from map(html.unescape, DESCRIBED.findall(page))
    yield from (html.unescape(text).strip() for text in re.split(r"<[^>]*>", page) if text.strip())


def shown(shell, source):
    """All that a cell says when it runs in a student's copy."""
    with capture_output() as captured:
        result = shell.run_cell(source).result
        own, _ = shell.display_formatter.format(result)
    yield from captured.stdout.splitlines()
    for data in (*(output.data for output in captured.outputs), own):
        yield from data.get("text/plain", "").splitlines()
        yield from texts(data.get("text/html", ""))


@every_notebook
def test_nothing_before_a_guess_tells_the_answer(path, shell, monkeypatch):
    """Neither the sentence that tells it, nor the words of the right choice as a label, nor in any sentence of several
    words. The choices themselves are told; tests of the questions hold that they are alike whichever is right."""
    monkeypatch.setattr(Question, "after", lambda question: None)
    checks, before = checks_of(module_of(path)), []
    for check in checks.values():  # as nobody has answered it yet
        if isinstance(check, Question):
            monkeypatch.setitem(vars(check), "_guesses", [])
            monkeypatch.setitem(vars(check), "_known", set())
            monkeypatch.setitem(vars(check), "widget", Predict(check))
    for cell in read(path).cells:
        if cell.cell_type != "code":
            before += cell.source.splitlines()
            continue
        used = USED.search(cell.source)
        check = checks[used[1]] if used else None
        if isinstance(check, Question):
            asked = [*shown(shell, cell.source)]
            assert {check.words(answer) for answer in check.choices().values()} <= set(asked)
            key, why = check.words(check.key(**check.case)), check.why(**check.case)
            assert key not in before, used[1]
            assert not [text for text in (*before, *asked) if why in text], used[1]
            if " " in key:
                assert not [text for text in before if key in text], used[1]
        else:
            before += shown(shell, cell.source)
    assert not any(text.startswith("Traceback") for text in before)
    assert len(before) > 150  # the figures were looked into

"""`rustyflow export` of a notebook that was not run: the page says so, and `--run` runs a copy first."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

pytest.importorskip("nbconvert")
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

from rustyflow import cli, show


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def said(text):
    return {"cell_type": "markdown", "id": "a", "metadata": {}, "source": text}


def code(source, number=None, outputs=(), **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "execution_count": number,
            "outputs": [*outputs]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("cells, told", [
    ([code("1"), code("2"), code("  ")], "not run: 2 of the 2 cells of code"),
    ([code("1", 1), code("2")], "not run: 1 of the 2"),
    ([code("x = 1", 1)], ""), ([code("1", None, [{"output_type": "stream", "name": "stdout", "text": "1"}])], ""),
    ([said("only words")], ""), ([], ""),
])
def test_a_page_of_cells_that_were_not_run_says_so_and_how_to_run_them(here, capsys, cells, told):
    Path("my page.ipynb").write_text(notebook(*cells), encoding="utf-8")
    assert cli.main(["export", "my page.ipynb"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "no live figures, opens without a network" in lines.pop()
    assert [line.partition(",")[0][:len(told)] for line in lines[:1]] == [told] * bool(told)
    assert [line.rpartition(": ")[2] for line in lines[1:]] == ['rustyflow export --run "my page.ipynb"'] * bool(told)


def test_figures_that_live_are_counted_and_those_that_do_not_are_named(here, capsys):
    figure = show.strides(np.arange(3))
    for html, want in ((figure.html(), "1 live figure, opens"), (figure.picture(), "no live figures, opens")):
        shown = {"output_type": "display_data", "metadata": {}, "data": {"text/html": html}}
        Path("mine.ipynb").write_text(notebook(code("1", 1, [shown])), encoding="utf-8")
        assert cli.main(["export", "mine.ipynb"]) == 0
        told = capsys.readouterr().out
        assert want in told and ("export --run mine.ipynb" in told) == ("no live" in want) == ("not alive" in told)


def test_a_copy_is_run_where_the_notebook_lies_and_the_notebook_stays(here, capsys, monkeypatch):
    monkeypatch.setenv("RUSTYFLOW_DISPLAY", "static")
    Path("numbers.txt").write_text("7", encoding="utf-8")
    cells = [said("# Words"), code("n = int(open('numbers.txt').read())\nprint(n * n)"), code("1 / 0"),
             code("raise ValueError('meant')", tags=["raises-exception"]), {"cell_type": "code", "source": "input()"},
             code("from rustyflow import ones, show\nshow.strides(ones(n))")]
    book = json.loads(notebook(*cells)) | {"metadata": {"kernelspec": {"name": "an environment that is gone"}}}
    Path("mine.ipynb").write_text(json.dumps(book), encoding="utf-8")
    before = Path("mine.ipynb").read_bytes(), sorted(path.name for path in Path().iterdir())
    assert cli.main(["export", "--run", "mine.ipynb"]) == 1
    told, html = capsys.readouterr().out.splitlines(), Path("mine.html").read_text(encoding="utf-8")
    assert [line for line in told if line.startswith("went wrong")] == [
        "went wrong: cell 3: ZeroDivisionError: division by zero",
        next(line for line in told if line.startswith("went wrong: cell 5: StdinNotImplementedError"))]
    assert "1 live figure, opens without a network" in told[-1] and not [line for line in told if "not run" in line]
    assert ">49\n" in html and "division by zero" in html and "meant" in html
    Path("mine.html").unlink()
    assert (Path("mine.ipynb").read_bytes(), sorted(path.name for path in Path().iterdir())) == before


def test_a_run_that_ends_python_makes_a_page_of_what_was_there(here, capsys):
    cells = code("print(6 * 7)"), code(" "), code("import os; os._exit(3)"), code("8"), code("9")
    Path("mine.ipynb").write_text(notebook(*cells), encoding="utf-8")
    assert cli.main(["export", "--run", "mine.ipynb"]) == 1
    told = capsys.readouterr().out
    assert "not run: 2 of the 4 cells" in told and "To run" not in told
    assert "went wrong: cell 3: Python ended in it" in told and ">42\n" in Path("mine.html").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no Ctrl-C for one process only")
def test_ctrl_c_stops_a_run_and_its_kernel_and_no_page_is_made(here):
    cells = code("import os\nfrom pathlib import Path\nPath('kernel').write_text(str(os.getpid()))\nwhile True: pass")
    Path("mine.ipynb").write_text(notebook(cells), encoding="utf-8")
    # what runs in the background of a shell is deaf to Ctrl-C
    run = subprocess.Popen([sys.executable, "-m", "rustyflow", "export", "--run", "mine.ipynb"], stderr=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 120
    while not (Path("kernel").is_file() and Path("kernel").read_text()):
        assert run.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    assert (run.communicate(timeout=60)[1], run.returncode) == (b"", 130)
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("kernel").read_text()), 0)
    assert not Path("mine.html").exists()


def test_a_kernel_that_is_found_dead_after_ctrl_c_is_no_doing_of_a_cell(here, monkeypatch):
    """Which of the two the client sees first is chance; so this is tried without it."""

    def execute(client, **how):
        client._async_cleanup_kernel_future = "as the client notes that it heard Ctrl-C"
        raise DeadKernelError("Kernel died")

    monkeypatch.setattr(NotebookClient, "execute", execute)
    Path("mine.ipynb").write_text(notebook(code("1")), encoding="utf-8")
    assert cli.main(["export", "--run", "mine.ipynb"]) == 130 and not Path("mine.html").exists()


@pytest.mark.parametrize("book, words", [
    ({"metadata": {"language_info": {"name": "julia"}, "kernelspec": {"name": "julia-9"}}}, "no kernel 'julia-9'"),
    ({"cells": 3}, "no list of cells"), ({"cells": [3]}, "cell 1"),
])
def test_what_cannot_be_run_is_said_in_two_lines(here, capsys, book, words):
    Path("mine.ipynb").write_text(json.dumps(json.loads(notebook(code("1"))) | book), encoding="utf-8")
    assert cli.main(["export", "--run", "mine.ipynb"]) == 1
    told = capsys.readouterr().err
    assert words in told and len(told.splitlines()) == 2 and not Path("mine.html").exists()


def test_what_a_notebook_says_is_no_command_to_a_terminal(here, capsys):
    cells = [said("<img src='x\x1b[2J.png'> $\\what\x07$"), code("raise ValueError('\x1b]0;a\x07')")]
    Path("mine.ipynb").write_text(notebook(*cells), encoding="utf-8")
    assert cli.main(["export", "--run", "mine.ipynb"]) == 1
    told = capsys.readouterr().out
    assert told.replace("\n", "").isprintable() and "went wrong: cell 2: ValueError" in told and "\\what" in told


def test_all_notebooks_of_a_folder_become_pages_that_lead_to_each_other(here, capsys):
    Path("some").mkdir()
    Path("some/01-one.ipynb").write_text(notebook(said("# One\n\nThen [two](02-two.ipynb#end).")), encoding="utf-8")
    Path("some/02-two.ipynb").write_text(notebook(code("1 + 1")), encoding="utf-8")
    assert cli.main(["export", "--all", "some", "-o", "pages"]) == 0
    pages = ("01-one", "02-two", "index")
    one, two, index = (Path("pages", f"{name}.html").read_text(encoding="utf-8") for name in pages)
    assert 'href="02-two.html#end"' in one and 'href="02-two.html"' in one and 'href="index.html"' in one
    assert 'href="01-one.html"' in two and ">2</pre>" in two.replace("\n", "")
    assert 'href="01-one.html"' in index and ">One</a>" in index
    assert cli.main(["export", "--all", "some/01-one.ipynb"]) == 1 and cli.main(["export"]) == 1
    assert "--all" in capsys.readouterr().err


def test_pages_of_any_name_lead_to_each_other(here):
    names = ("a b", "c (1)", "d]e", "q?x#y", "100%25", "übung eins")
    Path("some").mkdir()
    for name in names:
        text = said(f"# On [{name}]\n\nThen [more](%C3%BCbung%20eins.ipynb#x)")
        Path(f"some/{name}.ipynb").write_text(notebook(text), encoding="utf-8")
    assert cli.main(["export", "--all", "some", "-o", "pages"]) == 0
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Path("pages").iterdir()}
    found = {page: re.findall('href="([^"#]+[.]html)[#"]', text) for page, text in texts.items()}
    links = {page: {unquote(link).removesuffix(".html") for link in some} for page, some in found.items()}
    assert links["index"] == set(names)
    for before, page, after in zip([None, *sorted(names)], sorted(names), [*sorted(names)[1:], None]):
        assert links[page] == {"index", "übung eins", before, after} - {None}


def test_a_notebook_that_cannot_be_read_stops_no_other(here, capsys):
    Path("some/folder.ipynb").mkdir(parents=True)
    for name in ("a", "index"):
        Path(f"some/{name}.ipynb").write_text(notebook(said(f"# On {name}")), encoding="utf-8")
    Path("some/b.ipynb").write_text("", encoding="utf-8")
    assert cli.main(["export", "--all", "some", "-o", "pages"]) == 1
    assert capsys.readouterr().err.startswith(f"{Path('some/b.ipynb')} cannot be read as a notebook, and is left out: ")
    assert {path.name for path in Path("pages").iterdir()} == {"a.html", "index.html", "index2.html"}
    a, all_of_them = (Path(f"pages/{name}.html").read_text(encoding="utf-8") for name in ("a", "index2"))
    assert 'href="index2.html"' in a and 'href="index.html"' in a and "b.html" not in a
    assert 'href="a.html"' in all_of_them and ">On index</a>" in all_of_them and "b.html" not in all_of_them


def test_a_name_that_is_proposed_can_be_typed_as_it_stands(here, capsys):
    Path("my page.html").write_text(notebook(said("# Hi")), encoding="utf-8")
    assert cli.main(["export", "my page.html"]) == 1
    assert '-o "my page-page.html"' in capsys.readouterr().err
    Path("a folder").mkdir()
    assert cli.main(["export", "my page.html", "-o", "a folder"]) == 1
    assert f'-o "{Path("a folder", "my page.html")}"' in capsys.readouterr().err
    assert cli.main(["course", str(Path("a folder", "one.ipynb"))]) == 1
    assert 'rustyflow lab "a folder"' in capsys.readouterr().err

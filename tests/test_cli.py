"""The command line as a student and a teacher use it: what it does, what it says, and how it ends."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from rustyflow import __version__, cli
from rustyflow.cli import course, doctor

EMPTY = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """A course of two lessons, and an empty folder to stand in."""
    source = tmp_path / "notebooks"
    source.mkdir()
    for name in ("00-start-here", "01-one-line"):
        (source / f"{name}.ipynb").write_text(json.dumps(EMPTY | {"cells": []}), encoding="utf-8")
    monkeypatch.setattr(cli, "course_folder", lambda: source)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return source


@pytest.fixture
def started(monkeypatch):
    """The arguments JupyterLab was started with, instead of starting it."""
    labapp, serverapp = map(pytest.importorskip, ("jupyterlab.labapp", "jupyter_server.serverapp"))
    calls = []
    monkeypatch.setattr(serverapp, "list_running_servers", lambda: [])
    monkeypatch.setattr(labapp.LabApp, "launch_instance", lambda arguments: calls.append(arguments))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    monkeypatch.setenv("PATH", os.environ["PATH"])  # the command changes both; this puts them back
    return calls


def test_lab_makes_the_copy_and_opens_its_first_lesson(lessons, started, capsys):
    assert cli.main(["lab", "--port", "8123", "--no-browser", "--", "--ip=0.0.0.0"]) == 0
    folder = Path("rustyflow-course").resolve()
    assert (folder / "01-one-line.ipynb").exists()
    (arguments,) = started
    assert {f"--ServerApp.root_dir={folder}", "--LabApp.default_url=/lab/tree/00-start-here.ipynb"} < set(arguments)
    assert {"--port=8123", "--no-browser"} < set(arguments)
    assert arguments[-1] == "--ip=0.0.0.0"
    assert str(folder) in capsys.readouterr().out


def test_lab_says_whether_the_course_is_new_or_yours(lessons, started, capsys):
    folder = Path("rustyflow-course").resolve()
    cli.main(["lab"])
    assert f"Made a new course in {folder}\n" in capsys.readouterr().out
    (folder / "01-one-line.ipynb").write_text("my work", encoding="utf-8")
    cli.main(["lab"])
    assert f"Opened your course in {folder} (2 lessons, 1 of them worked on)\n" in capsys.readouterr().out
    cli.main(["course"])
    assert "Found your course" in capsys.readouterr().out


@pytest.mark.parametrize(("stand", "named"), [(".", "rustyflow-course"), ("rustyflow-course", ".")])
def test_a_new_course_beside_another_names_the_other(lessons, started, monkeypatch, capsys, stand, named):
    cli.main(["course"])
    assert "another" not in capsys.readouterr().out
    monkeypatch.chdir(stand)
    cli.main(["lab", "rustyflow-corse/x"])
    said = capsys.readouterr().out
    assert "Made a new course" in said
    assert f'If you meant that: rustyflow lab "{named}"' in said


def test_lab_comes_back_to_where_the_student_left(lessons, started):
    cli.main(["course"])
    layout = Path("rustyflow-course", ".rustyflow", "workspaces", "default.jupyterlab-workspace")
    layout.parent.mkdir()
    layout.write_text("{}", encoding="utf-8")
    cli.main(["lab"])
    assert "--LabApp.default_url=/lab" in started[0]


def test_inside_the_copy_lab_opens_that_copy(lessons, started, monkeypatch):
    cli.main(["course"])
    monkeypatch.chdir("rustyflow-course")
    cli.main(["lab"])
    assert f"--ServerApp.root_dir={Path.cwd()}" in started[0]
    assert not Path("rustyflow-course").exists()


def test_lab_in_place_opens_the_lessons_themselves_and_copies_nothing(lessons, started):
    assert cli.main(["lab", "--in-place"]) == 0
    assert f"--ServerApp.root_dir={lessons}" in started[0]
    assert list(Path().iterdir()) == []


def test_lab_in_place_is_for_a_checkout(lessons, started, monkeypatch, capsys):
    installed = lessons.rename(lessons.with_name("course"))
    monkeypatch.setattr(cli, "course_folder", lambda: installed)
    assert cli.main(["lab", "--in-place"]) == 1
    assert "checkout" in capsys.readouterr().err
    assert started == []


def test_lab_adds_to_jupyters_settings_and_replaces_none(lessons, started):
    cli.main(["lab"])
    ours, theirs = os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    overrides = Path(ours, "labconfig", "default_setting_overrides.json")
    assert "@jupyterlab/apputils-extension:notification" in json.loads(overrides.read_text(encoding="utf-8"))
    assert theirs == "theirs"


@pytest.fixture
def running(started, monkeypatch):
    """A server of the copy as Jupyter lists it, answering with `status`; and the addresses the browser was sent to."""

    class Lab(BaseHTTPRequestHandler):
        status = 200

        def do_GET(self):
            login = not self.path.endswith("?token=secret")
            self.send_response(302 if login and "login" not in self.path else self.status)
            self.send_header("Location", "/login")
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Lab) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        entry = {"url": f"http://127.0.0.1:{server.server_port}/", "port": server.server_port, "token": "secret"}
        entry["root_dir"] = str(Path("rustyflow-course").resolve())
        monkeypatch.setattr("jupyter_server.serverapp.list_running_servers", lambda: [entry])
        opened = []
        monkeypatch.setattr(webbrowser, "open", opened.append)
        yield SimpleNamespace(entry=entry, opened=opened, lab=Lab)
        server.shutdown()


def test_a_course_that_is_open_is_shown_and_not_served_twice(lessons, started, running, capsys):
    address = f"{running.entry['url']}lab?token=secret"
    assert cli.main(["lab"]) == 0
    assert f"already open at {address}\n" in capsys.readouterr().out
    assert running.opened == [address]
    assert cli.main(["lab", "--no-browser", "--port", str(running.entry["port"])]) == 0
    assert (running.opened, started) == ([address], [])


def test_another_port_asked_for_is_another_server(lessons, started, running):
    assert cli.main(["lab", "--port", str(running.entry["port"] - 1)]) == 0
    assert (running.opened, len(started)) == ([], 1)


@pytest.mark.parametrize("change", [{"root_dir": "elsewhere"}, {"token": "another's"}, {"url": "http://127.0.0.1:1/"}])
def test_a_server_of_another_folder_or_one_that_is_gone_is_not_the_course(lessons, started, running, change):
    running.entry.update(change)
    assert cli.main(["lab"]) == 0
    assert (running.opened, len(started)) == ([], 1)


def test_a_server_without_jupyterlab_is_not_the_course(lessons, started, running):
    running.lab.status = 404
    assert cli.main(["lab"]) == 0
    assert len(started) == 1


def test_a_server_with_a_password_is_shown_and_asks_for_it(lessons, started, running):
    running.entry["token"] = ""
    assert cli.main(["lab"]) == 0
    assert running.opened == [f"{running.entry['url']}lab"]


@pytest.mark.parametrize("scheme", ["own", "user"])
def test_in_jupyterlab_the_command_is_the_one_that_opened_it(lessons, started, monkeypatch, tmp_path, scheme):
    name = "rustyflow.exe" if os.name == "nt" else "rustyflow"
    for place in ("elsewhere", scheme):
        (tmp_path / place).mkdir()
        (tmp_path / place / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(sysconfig, "get_default_scheme", lambda: "own")
    monkeypatch.setattr(sysconfig, "get_preferred_scheme", lambda key: key)
    monkeypatch.setattr(sysconfig, "get_path", lambda name, scheme: str(tmp_path / scheme))
    cli.main(["lab"])
    assert Path(shutil.which("rustyflow")).parent == tmp_path / scheme
    assert str(tmp_path / "elsewhere") in os.environ["PATH"].split(os.pathsep)


@pytest.mark.parametrize(("words", "module"), [(["lab"], "jupyterlab"), (["export", "a.ipynb"], "nbconvert")])
def test_without_jupyter_the_command_says_how_to_get_it(lessons, monkeypatch, capsys, words, module):
    for command in (cli, cli.pages):
        monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert cli.main(words) == 1
    assert re.search(r'pip install .*\[lab\]"', capsys.readouterr().err)
    assert list(Path().iterdir()) == []


def test_without_lessons_the_command_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cli, "course_folder", lambda: None)
    assert cli.main(["course", str(tmp_path / "copy")]) == 1
    assert "lessons are not here" in capsys.readouterr().err


def test_a_folder_that_is_a_file_is_named(lessons, capsys):
    Path("mine").write_text("", encoding="utf-8")
    assert cli.main(["course", "mine"]) == 1
    assert capsys.readouterr().err.startswith("rustyflow: mine is a file.")


@pytest.mark.parametrize("words", [[], ["nonsense"], ["lab", "--port", "x"], ["lab", "--port", "70000"], ["reset"]])
def test_wrong_usage_ends_with_two(words, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2
    assert "usage: rustyflow" in capsys.readouterr().err


def test_reset_by_the_command_line(lessons, capsys):
    cli.main(["course"])
    Path("rustyflow-course", "01-one-line.ipynb").write_text("my work", encoding="utf-8")
    assert cli.main(["reset", "1"]) == 0
    assert "your work is in old-20" in capsys.readouterr().out
    assert cli.main(["reset", "7"]) == 1
    assert "01-one-line" in capsys.readouterr().err


@pytest.mark.parametrize("lesson", ["1", "01-one-line", "01-one-line.ipynb", "mine/01-one-line.ipynb", "mine/1"])
def test_reset_takes_the_file_as_the_shell_completes_it(lessons, capsys, lesson):
    cli.main(["course", "mine"])
    Path("mine", "01-one-line.ipynb").write_text("my work", encoding="utf-8")
    assert cli.main(["reset", lesson, *(["--folder", "mine"] if "/" not in lesson else [])]) == 0
    [aside] = Path("mine").glob("old-20*01-one-line.ipynb")
    assert aside.read_text(encoding="utf-8") == "my work"


def test_reset_writes_nothing_into_a_folder_that_is_no_course(lessons, capsys):
    Path("letters").mkdir()
    assert cli.main(["reset", "letters/01-one-line.ipynb"]) == 1
    assert "no course in letters" in capsys.readouterr().err and not any(Path("letters").iterdir())


@pytest.mark.parametrize("words", [
    ["course", ""], ["course", "  "], ["course", "a\0b"], ["course", "\ud800"], ["lab", ""],
    ["reset", "1", "--folder", ""], ["reset", ""], ["export", ""], ["export", "a.ipynb", "-o", ""],
])
def test_what_is_no_name_is_wrong_usage_and_writes_nothing(lessons, capsys, words):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2 and "Traceback" not in capsys.readouterr().err and not any(Path().iterdir())


@pytest.mark.parametrize("words", [
    ["course", "x" * 300], ["reset", "1", "--folder", "x" * 300], ["reset", "x" * 300 + "/01-one-line.ipynb"],
    ["export", "x" * 300], ["course", "file/inside"], ["export", "folder"],
])
def test_what_the_disk_refuses_is_said_in_two_lines(lessons, capsys, words):
    Path("file").write_text("mine", encoding="utf-8")
    Path("folder").mkdir()
    assert cli.main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith("rustyflow: ") and len(said.splitlines()) <= 2 and len(said) < 500
    assert sorted(held.name for held in Path().iterdir()) == ["file", "folder"]


def test_a_folder_in_a_lessons_place_stays_and_the_others_come(lessons, capsys):
    Path("mine", "01-one-line.ipynb", "inside").mkdir(parents=True)
    assert cli.main(["course", "mine"]) == 0
    assert "01-one-line.ipynb is a folder here" in capsys.readouterr().out
    assert Path("mine", "00-start-here.ipynb").is_file() and Path("mine", "01-one-line.ipynb", "inside").is_dir()
    assert cli.main(["reset", "1", "--folder", "mine"]) == 1
    assert "is a folder, where the lesson should be" in capsys.readouterr().err


def test_a_pipe_in_a_lessons_place_and_links_in_a_ring_stop_nothing(lessons, capsys):
    Path("mine").mkdir()
    os.mkfifo("mine/01-one-line.ipynb")
    assert cli.main(["course", "mine"]) == 0 and "is no ordinary file here" in capsys.readouterr().out
    assert cli.main(["reset", "1", "--folder", "mine"]) == 1
    Path("ring").symlink_to("ring")
    assert cli.main(["course", "ring"]) == 1 and "Traceback" not in capsys.readouterr().err


def test_words_for_jupyterlab_are_refused_where_none_is_opened(lessons, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["course", "--", "x"])
    assert end.value.code == 2 and not any(Path().iterdir())


@pytest.mark.parametrize("manifest", [
    "[" * 100_000, '{"files": ' * 50_000, '{"files": []}', '{"files": {"a": [1]}}', "[]", "3", '{"files": null}',
    "\ud800",
])
def test_no_manifest_stops_the_course(lessons, capsys, manifest):
    cli.main(["course", "mine"])
    Path("mine", "01-one-line.ipynb").write_text("my work", encoding="utf-8")
    Path("mine", course.MANIFEST).write_bytes(manifest.encode("utf-8", "surrogatepass"))
    assert cli.main(["course", "mine"]) == 0
    assert Path("mine", "01-one-line.ipynb").read_text(encoding="utf-8") == "my work"


def test_a_notebook_of_endless_brackets_is_work_like_any_other(lessons, capsys):
    cli.main(["course", "mine"])
    Path("mine", "01-one-line.ipynb").write_text("[" * 100_000, encoding="utf-8")
    assert cli.main(["course", "mine"]) == 0 and cli.main(["reset", "1", "--folder", "mine"]) == 0
    [aside] = Path("mine").glob("old-20*01-one-line.ipynb")
    assert aside.stat().st_size == 100_000


def test_a_disk_that_fills_up_leaves_the_work_and_no_half_copy(lessons, capsys, monkeypatch):
    cli.main(["course", "mine"])
    Path("mine", "01-one-line.ipynb").write_text("my work", encoding="utf-8")
    before = sorted(Path("mine").iterdir())

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def write(self, content):
            raise OSError(28, "No space left on device")

    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda self, mode="r", *a, **k: (
        opened(self, mode).close() or Full()) if mode == "xb" else opened(self, mode, *a, **k))
    assert cli.main(["reset", "1", "--folder", "mine"]) == 1
    assert "No space left" in capsys.readouterr().err and sorted(Path("mine").iterdir()) == before
    assert Path("mine", "01-one-line.ipynb").read_text(encoding="utf-8") == "my work"


def test_interrupting_ends_with_130(lessons, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(course, "deliver", interrupt)
    assert cli.main(["course"]) == 130


def test_doctor_ends_with_zero_when_all_is_well(lessons, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "version", lambda name: "99.0")
    monkeypatch.setattr(doctor, "front_end", lambda name: "99.0")
    monkeypatch.setattr(doctor, "find_browser", lambda: "/usr/bin/chromium")
    assert cli.main(["doctor"]) == 0
    assert f"2 lessons in {lessons}" in capsys.readouterr().out


def test_doctor_names_a_front_end_of_widgets_that_is_missing_or_old(lessons, monkeypatch, capsys, tmp_path):
    pytest.importorskip("jupyter_core")
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *inner: [str(tmp_path)])
    old = tmp_path / "anywidget" / "package.json"
    old.parent.mkdir()
    old.write_text('{"version": "0.8.1"}', encoding="utf-8")
    assert cli.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "jupyterlab-manager missing; anywidget 0.8.1" in said and "front ends" in said


def test_lab_says_so_when_questions_cannot_be_answered_in_it(lessons, started, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "front_end", lambda name: "99.0")
    cli.main(["lab"])
    assert "widgets" not in capsys.readouterr().out
    monkeypatch.setattr(doctor, "front_end", lambda name: "")
    cli.main(["lab"])
    said = capsys.readouterr().out
    assert "!!  widgets     @jupyter-widgets/jupyterlab-manager missing; anywidget missing\n" in said
    assert "To mend this: JupyterLab's own Python has to have their front ends: " in said and len(started) == 2


def test_doctor_names_what_is_missing_or_old_and_the_fix(lessons, monkeypatch, capsys):
    def version(name):
        if name == "anywidget":
            raise PackageNotFoundError(name)
        return "4.3.9" if name == "jupyterlab" else "99.0"

    monkeypatch.setattr(doctor, "version", version)
    assert cli.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "!!  jupyterlab  4.3.9" in said
    assert "!!  anywidget   missing" in said
    assert re.search(r'pip install .*\[lab\]"', said)


def test_the_command_runs_as_a_module():
    asked = [sys.executable, "-X", "utf8", "-m", "rustyflow", "--version"]
    said = subprocess.run(asked, capture_output=True, text=True, encoding="utf-8", check=True, timeout=60)
    assert said.stdout == f"rustyflow {__version__}\n"


def test_a_thread_the_server_leaves_behind_does_not_hold_the_command(tmp_path):
    pytest.importorskip("jupyterlab")
    code = ("import threading; from jupyterlab.labapp import LabApp; from rustyflow import cli\n"
            "LabApp.launch_instance = lambda arguments: threading.Thread(target=threading.Event().wait).start()\n"
            "cli.main(['lab', '--no-browser'])")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0 and "Made a new course" in done.stdout


def test_lab_for_teachers_lays_notes_and_prepared_lessons_beside_the_lessons(lessons, started, monkeypatch, capsys):
    shown = {"output_type": "stream", "name": "stdout", "text": "the answer"}
    run = {"cell_type": "code", "metadata": {}, "outputs": [shown], "execution_count": 1}
    sources = ("t", "check.q", "check.q.after()\nshow.strides(t)")
    cells = [run | {"id": str(n), "source": source} for n, source in enumerate(sources)]
    (lessons / "01-one-line.ipynb").write_text(json.dumps(EMPTY | {"cells": cells}), encoding="utf-8")
    notes = lessons / "teacher"
    notes.mkdir()
    (notes / "guide.md").write_text("for the teacher", encoding="utf-8")
    (notes / "01-one-line.md").write_text("of this lesson", encoding="utf-8")
    monkeypatch.setattr(cli.teach, "notes_folder", lambda: notes)
    assert cli.main(["lab"]) == cli.main(["course"]) == 0
    folder = Path("rustyflow-course").resolve()
    assert not (folder / "teacher").exists() and "user_settings_dir" not in " ".join(started[0])
    assert cli.main(["lab", "--teach"]) == 0
    assert {path.name for path in (folder / "teacher").iterdir()} == {
        "guide.md", "00-start-here.ipynb", "01-one-line.ipynb", "01-one-line-notes.md"
    }
    prepared = json.loads((folder / "teacher" / "01-one-line.ipynb").read_text(encoding="utf-8"))["cells"]
    assert [cell["metadata"] for cell in prepared] == [{}, {}, {"jupyter": {"outputs_hidden": True}}]
    assert prepared[2]["outputs"][0]["text"].startswith("Closed.") and prepared[2]["outputs"][1] == shown
    assert prepared[2]["execution_count"] == 1 and not (folder / "guide.md").exists()
    own = folder / ".rustyflow" / "teacher"
    assert {f"--LabApp.user_settings_dir={own / 'settings'}", f"--LabApp.workspaces_dir={own / 'workspaces'}",
            "--LabApp.default_url=/lab/tree/teacher/guide.md"} < set(started[1])
    (theme,) = (path for path in (own / "settings").rglob("*") if path.is_file())
    assert json.loads(theme.read_text(encoding="utf-8"))["overrides"]["code-font-size"] == "20px"
    theme.write_text("{}", encoding="utf-8")
    (folder / "teacher" / "guide.md").write_text("with words of mine", encoding="utf-8")
    (notes / "guide.md").write_text("for the teacher, again", encoding="utf-8")
    assert cli.main(["lab", "--teach"]) == 0
    assert theme.read_text(encoding="utf-8") == "{}", "what a teacher sets stays"
    assert (folder / "teacher" / "guide.md").read_text(encoding="utf-8") == "with words of mine"
    assert "teacher/guide.md has your work in it and stays" in capsys.readouterr().out


def test_lab_for_teachers_needs_a_copy_and_the_notes(lessons, started, monkeypatch, capsys):
    assert cli.main(["lab", "--teach", "--in-place"]) == 1
    monkeypatch.setattr(cli.teach, "notes_folder", lambda: None)
    assert cli.main(["lab", "--teach"]) == 1
    assert "the teacher's notes are not here" in capsys.readouterr().err and started == []


def test_notes_are_a_page_that_prints_and_opens_in_a_second_window(lessons, monkeypatch, capsys):
    notes = lessons / "teacher"
    notes.mkdir()
    (notes / "01-one-line.md").write_text(
        "# 01 \u00b7 Notes\n\n## First vote\n\n| letter | belief |\n|---|---|\n| A | <b>rows</b> |\n", encoding="utf-8"
    )
    monkeypatch.setattr(cli.teach, "notes_folder", lambda: notes)
    assert cli.main(["notes", "1"]) == 0 and "01-one-line-notes.html: open it" in capsys.readouterr().out
    page = Path("01-one-line-notes.html").read_text(encoding="utf-8")
    assert "<td>A</td>" in page and "&lt;b&gt;rows" in page and "<script" not in page and "@page" in page
    windows = []
    monkeypatch.setattr(cli.webbrowser, "open_new", lambda address: not windows and not windows.append(address))
    assert cli.main(["notes", "one-line", "--open"]) == 0  # a page of notes is made anew
    assert windows == [Path("01-one-line-notes.html").resolve().as_uri()]
    assert "opened in a window of its own" in capsys.readouterr().out
    assert cli.main(["notes", "1", "--open"]) == 0  # on a machine without a browser
    assert "open it in a browser" in capsys.readouterr().out
    Path("mine.html").write_text("work", encoding="utf-8")
    assert cli.main(["notes", "1", "-o", "mine.html"]) == 1 and Path("mine.html").read_text() == "work"
    assert "mine.html is there, and no page of notes" in capsys.readouterr().err
    assert cli.main(["notes", "0"]) == 1 and "no notes on 00-start-here" in capsys.readouterr().err
    assert cli.main(["notes", "7"]) == 1 and "01-one-line" in capsys.readouterr().err

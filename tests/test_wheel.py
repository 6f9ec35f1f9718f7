"""What `pip install rustyflow` gives: from an empty folder, the installed wheel opens the course."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LESSON = "99-for-the-test"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, with one more lesson that was executed, and the teacher's note on it."""
    pytest.importorskip("hatchling", reason='the build backend is missing: pip install -e ".[test]"')
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    for name in ("rustyflow", "notebooks"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    output = {"output_type": "stream", "name": "stdout", "text": "the answer"}
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "6 * 7",
        "outputs": [output],
        "execution_count": 1,
    }
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    (tree / "notebooks" / f"{LESSON}.ipynb").write_text(json.dumps(book), encoding="utf-8")
    (tree / "notebooks" / f"{LESSON}.md").write_text("for the teacher", encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(build, cwd=tree, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A clean environment with the wheel in it; what the wheel depends on is borrowed from this one."""
    place = tmp_path_factory.mktemp("clean") / "env"
    venv.create(place, with_pip=False)
    scheme = sysconfig.get_preferred_scheme("prefix")
    paths = {"base": str(place), "platbase": str(place)}
    site, scripts = (Path(sysconfig.get_path(name, scheme, paths)) for name in ("purelib", "scripts"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "borrowed.pth").write_text("\n".join(borrowed), encoding="utf-8")
    return scripts / ("python.exe" if os.name == "nt" else "python")


def test_the_wheel_carries_the_course_the_notes_beside_it_and_the_player(wheel):
    """The notes lie in a folder of their own: no copy of the course is taken from there."""
    held = set(zipfile.ZipFile(wheel).namelist())
    committed = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {f"rustyflow/course/{name}" for name in committed | {f"{LESSON}.ipynb"}} <= held
    assert {f"rustyflow/scene/{name}" for name in ("player.js", "hub.js", "model.js", "state.js", "player.css")} <= held
    assert "rustyflow/widgets/bridge.js" in held
    typing = {f"rustyflow/{name}" for name in ("py.typed", "__init__.pyi", "nn/functional.pyi")}
    assert typing | {"rustyflow/cli/labconfig/default_setting_overrides.json"} <= held
    notes = {f"rustyflow/teacher/{path.name}" for path in (ROOT / "notebooks" / "teacher").glob("*.md")}
    assert {name for name in held if name.endswith(".md")} == {*notes, "rustyflow/course/glossary.md"}
    assert not [name for name in held if "conftest" in name or name.startswith("notebooks")]
    assert {name for name in held if name.startswith("rustyflow/teacher/")} == notes


def test_the_wheel_says_what_it_needs(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith("METADATA")]
    lines = archive.read(name).decode().splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line] == [
        "Requires-Dist: numpy>=2.0",
        "Requires-Dist: scipy>=1.13",
    ]


def test_a_wheel_that_pip_installed_names_its_file_and_without_it_the_packages(wheel, tmp_path):
    place, file = tmp_path / "my env", tmp_path / "my wheels" / wheel.name
    file.parent.mkdir()
    shutil.copy(wheel, file)
    venv.create(place, with_pip=False)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*pip, str(file)], check=True, capture_output=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    # the room alone: what the wheel depends on is not there
    ask = ("import sys, types, importlib.util as u; room = u.find_spec('rustyflow').submodule_search_locations[0];"
           "face = sys.modules['rustyflow'] = types.ModuleType('rustyflow'); face.__path__ = [room];"
           "from rustyflow.errors.installation import wanted; print(*wanted('io'), sep='\\n')")

    def said():
        return subprocess.run([str(python), "-c", ask], cwd=tmp_path, env=environment, check=True, text=True,
                              capture_output=True).stdout.splitlines()

    assert said() == [f"{file}[io]"]
    subprocess.run([*pip, "--dry-run", *said()], check=True, capture_output=True)  # pip takes what is said
    file.unlink()
    assert said() == ["safetensors>=0.4.5"]


def test_the_installed_command_finds_the_notes(installed, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ask = "from rustyflow.cli import teach; print(sorted(path.name for path in teach.notes_folder().iterdir()))"
    said = subprocess.run([str(installed), "-c", ask], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "guide.md" in said.stdout, said.stderr


def test_the_installed_command_opens_the_course_from_an_empty_folder(installed, tmp_path):
    here, home, token = tmp_path / "a folder", tmp_path / "home", secrets.token_hex(8)
    here.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    jupyter = ("CONFIG", "DATA", "RUNTIME")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "JUPYTER_CONFIG_PATH")}
    environment |= {f"JUPYTER_{name}_DIR": str(home / name) for name in jupyter}
    command = [str(installed), "-m", "rustyflow", "lab", "--no-browser", "--port", str(port)]
    command += ["--", f"--IdentityProvider.token={token}", "--ServerApp.port_retries=0"]
    log = tmp_path / "lab.log"
    with log.open("w", encoding="utf-8") as output:
        # what runs in the background of a shell is deaf to Ctrl-C, and so would be the server
        hears = None if os.name == "nt" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        server = subprocess.Popen(command, cwd=here, env=environment, stdout=output, stderr=subprocess.STDOUT,
                                  preexec_fn=hears)
    try:
        listing = wait_for(f"http://127.0.0.1:{port}/api/contents?token={token}", server, log)
        assert f"{LESSON}.ipynb" in {entry["name"] for entry in listing["content"]}
        lesson = here / "rustyflow-course" / f"{LESSON}.ipynb"
        (cell,) = json.loads(lesson.read_text(encoding="utf-8"))["cells"]
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
        assert [path.name for path in lesson.parent.rglob("*.md")] == ["glossary.md"]
        if os.name != "nt":  # Windows has no Ctrl-C for one process only
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0, log.read_text(encoding="utf-8")
    finally:
        server.kill()
        server.wait()


def wait_for(url, server, log, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return json.load(answer)
        except OSError:
            said = log.read_text(encoding="utf-8", errors="replace")
            assert server.poll() is None and time.monotonic() < deadline, f"JupyterLab did not start:\n{said}"
            time.sleep(0.1)

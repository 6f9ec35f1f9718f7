"""What is said of an extra that is missing: the command that brings it, as this rustyflow was installed."""
import json
import os
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, unquote

import pytest

import rustyflow as rf
from rustyflow.errors import installation

METADATA = """Metadata-Version: 2.4
Name: rustyflow
Version: 1.0
Requires-Dist: numpy>=2.0
Provides-Extra: io
Requires-Dist: safetensors>=0.4.5; extra == 'io'
Provides-Extra: lab
Requires-Dist: rustyflow[io]; extra == 'lab'
Requires-Dist: jupyterlab>=4.4 ; extra == "lab"
"""
PACKAGES = ["safetensors>=0.4.5", "jupyterlab>=4.4"]
COMMIT = "4a1c" * 10


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Lays a rustyflow into a folder that Python looks in, with what pip writes of where it came from."""
    site = tmp_path / "site"

    def lay(told, here=None):
        held = site / "rustyflow-1.0.dist-info"
        held.mkdir(parents=True)
        (site / "rustyflow").mkdir()
        (held / "METADATA").write_text(METADATA, encoding="utf-8")
        if told is not None:
            (held / "direct_url.json").write_text(told if isinstance(told, str) else json.dumps(told), encoding="utf-8")
        monkeypatch.setattr(installation, "HERE", here or site / "rustyflow")
        monkeypatch.syspath_prepend(site)
    return lay


@pytest.mark.parametrize("path", ["clone", "a clone", "x[1]", "it's"])
@pytest.mark.parametrize("kind", ["editable", "folder", "file"])
def test_what_lies_on_this_machine_is_named_by_its_path(installed, tmp_path, path, kind):
    place = tmp_path / path / ("rustyflow-1.0-py3-none-any.whl" if kind == "file" else "repo")
    (place / "rustyflow").mkdir(parents=True)
    told = {"archive_info": {}} if kind == "file" else {"dir_info": {"editable": True} if kind == "editable" else {}}
    installed({"url": place.as_uri(), **told}, place / "rustyflow" if kind == "editable" else None)
    assert installation.wanted("lab") == ["-e"] * (kind == "editable") + [f"{place}[lab]"]
    assert shlex.split(installation.install("lab"))[-1] == f"{place}[lab]"
    assert installation.wanted("")[-1] == str(place)


@pytest.mark.parametrize("told, want", [
    ({"url": "https://git.example/r.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
     f"rustyflow[lab] @ git+https://git.example/r.git@{COMMIT}"),
    ({"url": "https://git.example/r.git", "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": COMMIT}},
     f"rustyflow[lab] @ git+https://git.example/r.git@{COMMIT}"),
    ({"url": "https://git.example/r.git", "vcs_info": {"vcs": "git"}}, "rustyflow[lab] @ git+https://git.example/r.git"),
    ({"url": "ssh://git@git.example/r.git", "vcs_info": {"vcs": "git", "commit_id": "ab"}, "subdirectory": "py"},
     "rustyflow[lab] @ git+ssh://git@git.example/r.git@ab#subdirectory=py"),
    ({"url": "https://me:secret@git.example/r.git", "vcs_info": {"vcs": "git", "commit_id": "ab"}},
     "rustyflow[lab] @ git+https://git.example/r.git@ab"),
    ({"url": "https://secret@git.example:8443/rustyflow.zip", "archive_info": {"hashes": {"sha256": "0"}}},
     "rustyflow[lab] @ https://git.example:8443/rustyflow.zip"),
    ({"url": "https://git.example/my r%20é(1).git", "vcs_info": {"vcs": "git", "commit_id": "ab"}},
     "rustyflow[lab] @ git+https://git.example/my%20r%20%C3%A9(1).git@ab"),
    ({"url": "https://files.example/r.tar.gz", "archive_info": {}, "subdirectory": "python"},
     "rustyflow[lab] @ https://files.example/r.tar.gz#subdirectory=python"),
])
def test_what_came_from_an_address_is_named_by_it_without_credentials(installed, told, want):
    installed(told)
    assert installation.wanted("lab") == [want]
    assert "secret" not in installation.install("lab")


@pytest.mark.skipif(os.name == "nt", reason="an address of Windows' has a drive")
@pytest.mark.parametrize("name", ["repo", "my clone", "it's (1)"])
@pytest.mark.parametrize("noted", [quote, str])  # pip notes a path of git's as it was given
def test_a_repository_on_this_machine_has_an_address_that_every_pip_takes(installed, tmp_path, name, noted):
    place = tmp_path / name
    place.mkdir()
    installed({"url": f"file://{noted(str(place))}", "vcs_info": {"vcs": "git", "commit_id": COMMIT}})
    (said,) = installation.wanted("lab")
    whole = re.fullmatch(r"rustyflow\[lab\] @ git\+file://localhost(/\S+)@" + COMMIT, said)
    assert unquote(whole[1]) == str(place) and shlex.split(installation.install("lab"))[-1] == said


def test_what_came_from_an_index_is_named_by_its_name(installed):
    installed(None)
    assert installation.wanted("lab") == ["rustyflow[lab]"] and installation.wanted("") == ["rustyflow"]


@pytest.mark.parametrize("told", [
    {"url": "file:///no/such/place/rustyflow-1.0-py3-none-any.whl", "archive_info": {}},
    {"url": "file:///no/such/place", "dir_info": {}},
    {"url": "https://files.example/get?file=r.whl&signature=secret", "archive_info": {}},
    "not JSON", "[]", "{}",
    '{"url": "file://[", "dir_info": {}}', '{"url": 3}', '{"url": "https://[", "archive_info": {}}',
    '{"url": "https://h/r", "vcs_info": {}}', "",
])
def test_where_the_source_is_gone_or_secret_or_untold_the_packages_are_named(installed, told):
    installed(told)
    assert installation.wanted("lab") == PACKAGES and installation.wanted("") == ["numpy>=2.0"]
    assert installation.wanted("no such extra") == ["rustyflow[no such extra]"]


def test_a_checkout_that_is_not_installed_is_named_whoever_else_has_the_name(installed, monkeypatch, tmp_path):
    checkout = tmp_path / "my clone" / "rustyflow"
    checkout.mkdir(parents=True)
    installed(None, here=checkout)
    assert installation.wanted("lab") == ["-e", ".[lab]"] and "in a checkout" in installation.install("lab")
    (checkout.parent / "pyproject.toml").touch()
    assert installation.wanted("lab") == ["-e", f"{checkout.parent}[lab]"]


@pytest.mark.parametrize("name, word, want", [
    ("posix", "rustyflow[lab]", '"rustyflow[lab]"'), ("posix", "a b", '"a b"'), ("posix", "a$b c", "'a$b c'"),
    ("posix", "it's", '"it\'s"'), ("posix", "a\\b", "'a\\b'"), ("posix", "numpy", "numpy"),
    ("nt", r"C:\my lab\x[lab]", r'"C:\my lab\x[lab]"'), ("nt", r"C:\a$b's", r"'C:\a$b''s'"), ("nt", r"C:\py", r"C:\py"),
])
def test_a_word_is_quoted_for_the_shell(monkeypatch, name, word, want):
    monkeypatch.setattr(installation, "os", SimpleNamespace(name=name))
    assert installation.quoted(word) == want


def test_the_python_that_runs_is_called_by_its_short_name_where_that_is_it(monkeypatch, tmp_path):
    own = Path(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installation.install().startswith(f"{installation.quoted(sys.executable)} -m pip install ")
    for name in ("python", "python3"):  # another environment's, of the same base
        (tmp_path / name).symlink_to(own.resolve())
    assert installation.install().startswith(f"{installation.quoted(sys.executable)} -m pip install ")
    monkeypatch.setenv("PATH", str(own.parent))
    assert installation.install().startswith("python")
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    monkeypatch.setattr(installation.shutil, "which", lambda name: f"/bin/{name}")
    assert installation.install().startswith("uv pip install --python ")


WAYS = [("anywidget", "lab", lambda: __import__("rustyflow.widgets")), ("ipywidgets", "lab", lambda: rf.widgets),
        ("sklearn", "data", lambda: rf.utils.data.sets.digits()),
        ("sklearn", "data", lambda: rf.utils.data.sets.iris()),
        ("safetensors", "io", lambda: rf.save(rf.ones(1), "x.safetensors")),
        ("resvg_py", "picture", lambda: rf.show.strides(rf.ones(1)).save("x.png")),
        ("typst", "picture", lambda: rf.show.strides(rf.ones(1)).save("x.pdf"))]


@pytest.mark.parametrize("package, extra, use", WAYS)
def test_what_is_missing_is_an_import_error_that_says_how_to_get_it(monkeypatch, tmp_path, package, extra, use):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.startswith("rustyflow.widgets")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(rf), "widgets", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught:
        use()
    assert caught.value.name == package
    was, rule, fix = str(caught.value).splitlines()
    assert package in was and f"[{extra}]" in rule and fix.startswith("try:  ") and installation.install(extra) in fix
    assert not list(tmp_path.iterdir())

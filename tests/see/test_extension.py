"""The extension in a real IPython: magics, pictures of errors, other extensions, and all as it was afterwards."""

import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell

import rustyflow as rf
from rustyflow.see import extension
from rustyflow.see.exhibit import PATIENCE, exhibit
from rustyflow.show.calls.budget import within


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    main = sys.modules["__main__"]  # whose names errors look at; a shell puts its own module there
    shell = InteractiveShell.instance()
    shell.run_cell("import rustyflow as torch\nx = torch.arange(12.).view(3, 4)")
    yield shell
    extension.unload(shell)
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main


FAILS = "(x + torch.ones(3)).sum()"


def state(shell):
    magics = shell.magics_manager.magics
    return shell.custom_exceptions, shell.CustomTB, {*magics["line"]}, {*magics["cell"]}


def test_a_line_is_drawn_by_its_magic_as_it_is_written(shell):
    shell.run_line_magic("load_ext", "rustyflow")
    for line in ("x.t()[1:, :2]", "y = x @ x.T", 'torch.einsum("ij->ji", x)', "{0: x}[0].t()"):
        result = shell.run_cell(f"%see {line}")
        assert result.success and len(result.result.frames) > 1
        assert "y" not in shell.user_ns
    assert "x + x[:2]" in shell.run_cell("%see x + x[:2]").result.scene.about
    assert not shell.run_cell("%see x +").success


def test_an_error_shows_its_traceback_and_what_runs(shell, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    capsys.readouterr()
    assert not shell.run_cell(FAILS).success
    said = capsys.readouterr().out
    assert "BroadcastError" in said and "stands under the 4 of x" in said and "x + torch.ones(3)[:, None] runs" in said
    shell.run_cell("%exhibits off")
    shell.run_cell(FAILS)
    assert "stands under" not in capsys.readouterr().out
    shell.run_cell("%exhibits on")
    shell.run_cell("int('a')")
    said = capsys.readouterr().out
    assert "ValueError" in said and "runs" not in said


def test_unloaded_all_is_as_before_and_twice_is_once(shell):
    before = state(shell)
    shell.run_line_magic("load_ext", "rustyflow")
    loaded = state(shell)
    extension.load(shell)
    shell.run_line_magic("load_ext", "rustyflow")
    assert state(shell) == loaded != before
    shell.run_line_magic("reload_ext", "rustyflow")
    shell.run_line_magic("unload_ext", "rustyflow")
    assert state(shell) == before
    extension.unload(shell)
    assert state(shell) == before


@pytest.mark.parametrize("cell", [FAILS, "x.view(5, -1)", "int('a')", "[][1]", "{}['a']"])
def test_the_debugger_finds_the_error(shell, cell, monkeypatch, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    debugged = []
    monkeypatch.setattr(shell, "debugger", lambda force=False: debugged.append(sys.last_value))
    sys.last_value = None
    error = shell.run_cell(cell).error_in_exec
    assert sys.last_value is error is not None and debugged == []
    monkeypatch.setattr(shell, "_call_pdb", True)
    assert shell.run_cell(cell).error_in_exec is sys.last_value and debugged == [sys.last_value]


@pytest.mark.parametrize("cell", ["int('a')", "[][1]", "len(3)", "raise RuntimeError('b')"])
def test_errors_that_are_not_of_tensors_go_ipythons_way(shell, cell, monkeypatch):
    shell.run_line_magic("load_ext", "rustyflow")
    shown, before = [], shell.custom_exceptions
    monkeypatch.setattr(shell, "showtraceback", lambda info=None, **more: shown.append(info))
    error = shell.run_cell(cell).error_in_exec
    assert [info[1] for info in shown] == [error] and shell.custom_exceptions == before


def test_see_with_nothing_says_how_to_use_it(shell, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    capsys.readouterr()
    assert shell.run_cell("%see").success and "%see x.t()[1:]" in capsys.readouterr().out


@pytest.mark.parametrize("line, said", [
    ("halt(x)", "SystemExit is not run again"), ("checked(x)", "AssertionError: not so"),
    ("(yield x)", "'yield' outside function"), ("x.t(", "no Python"), ("missing + 1", "'missing' is not defined"),
    ("tuple(x.shape)", "there is none"),
])
def test_what_see_cannot_draw_is_said_without_our_frames(shell, line, said, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    shell.run_cell("def halt(x): raise SystemExit\ndef checked(x): assert x is None, 'not so'")
    capsys.readouterr()
    assert not shell.run_cell(f"%see {line}").success
    out = "".join(capsys.readouterr())
    assert said in out and "Traceback" not in out and "File" not in out


@pytest.mark.parametrize("first", [True, False])
def test_another_extension_that_catches_errors_goes_on(shell, first, capsys):
    caught = []

    def other(shell, kind, error, trace, tb_offset=None):
        caught.append(kind)
        return []

    def load():
        shell.set_custom_exc((RuntimeError,), other)

    load() if first else None
    shell.run_line_magic("load_ext", "rustyflow")
    load() if not first else None
    shell.run_cell(FAILS)
    assert len(caught) == 1
    assert ("stands under" in capsys.readouterr().out) == first
    shell.run_line_magic("unload_ext", "rustyflow")
    shell.run_cell(FAILS)
    assert len(caught) == 2 and shell.custom_exceptions == (RuntimeError,)


def test_where_nothing_fails_no_code_of_ours_runs(shell):
    shell.run_line_magic("load_ext", "rustyflow")
    calls = []

    def count(frame, event, arg):
        if event == "call" and "rustyflow/see" in frame.f_code.co_filename.replace("\\", "/"):
            calls.append(frame.f_code.co_name)

    for cell, runs in (("y = (x + 1).sum()", False), ("z = 1", False), (FAILS, True)):
        sys.setprofile(count)
        try:
            shell.run_cell(cell)
        finally:
            sys.setprofile(None)
        assert bool(calls) == runs


@pytest.mark.parametrize("line, ends, told", [
    ("slow(x @ x)", False, "x @ x.T runs and gives shape (3, 3)."),  # the rest of the line never ends
    ("x.view(5, -1)", True, "x.view(-1) runs and gives shape (12,)."),
    ("once(x) @ x", False, ""),  # nor does a part of it, the second time
])
def test_a_repair_that_never_ends_is_left(shell, line, ends, told, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    shell.run_cell("def slow(x):\n while True:\n  try: pass\n  except Exception: pass")
    shell.run_cell("calls = []\ndef once(x):\n    calls.append(1)\n    while len(calls) > 1: pass\n    return x")
    error = shell.run_cell(line).error_in_exec
    picture = exhibit(error, seconds=60 if ends else 1.5)
    sentences = picture.sentences if picture else ()
    assert [sentence for sentence in sentences if sentence == told] == [told] * bool(told)
    assert (sentences[-1:] == ("More was not tried: the time for it was over.",)) == bool(told and not ends)
    assert [thread for thread in threading.enumerate() if thread.name == "work" and ended(thread)] == []


def ended(thread):
    thread.join(20)
    return thread.is_alive()


def test_a_budget_ends_what_it_leaves():
    done = []
    assert not within(0.05, lambda: [None for _ in iter(int, 1)]) and not within(0.05, lambda: time.sleep(1))
    assert within(60, lambda: done.append(1)) and done == [1]
    with pytest.raises(KeyError):
        within(60, lambda: {}["x"])


@pytest.mark.parametrize("code", ["time.sleep(0.4)", "for _ in iter(int, 1): pass", "torch.rand(2); time.sleep(0.3)"])
def test_what_is_left_of_a_late_repair_changes_nothing(shell, code):
    shell.run_line_magic("load_ext", "rustyflow")
    shell.run_cell(f"import time\ndef slow(x):\n try:\n  {code}\n except:\n  {code}\n return x")
    error = shell.run_cell("slow(x @ x)").error_in_exec
    out, err = sys.stdout, sys.stderr
    assert exhibit(error, seconds=0.2 / PATIENCE) is not None and sys.stdout is out and sys.stderr is err
    rf.manual_seed(7)
    first = rf.rand(3).tolist()
    rf.manual_seed(7)
    for thread in threading.enumerate():
        if thread.name == "work":
            thread.join(20)
    assert rf.rand(3).tolist() == first and sys.stdout is out and sys.stderr is err


def test_rustyflow_and_see_without_ipython():
    code = ("import sys; sys.modules['IPython'] = None; import rustyflow as rf; from rustyflow import see; "
            "x = rf.ones(2, 3); print(see('x.t()').scene.title)")  # fmt: skip
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "x.t()", run.stderr

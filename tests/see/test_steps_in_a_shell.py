"""`%%see` in a real IPython: the cell runs as any cell does, its figure comes after it, and before its error."""

import builtins
import sys

import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell

from rustyflow.see import extension


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    main = sys.modules["__main__"]
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "rustyflow")
    shell.run_cell("import rustyflow as torch\nx = torch.arange(12.).view(3, 4)")
    yield shell
    extension.unload(shell)
    InteractiveShell.clear_instance()
    sys.modules["__main__"] = main


@pytest.fixture
def run(shell, capsys):
    def run(text):
        capsys.readouterr()
        result = shell.run_cell(f"%%see\n{text}", store_history=True)
        said = capsys.readouterr()
        return result, said.out, said.err

    return run


def test_a_cell_keeps_its_names_and_its_value_and_gets_its_steps(shell, run):
    result, said, _ = run("y = x.t()\ny[0] = 7\ny.sum()")
    assert result.success and result.result.item() == 75 and shell.user_ns["y"].shape == (4, 3)
    assert said.index("Out[1]: tensor(75.)") < said.index("%%see")
    assert "2. Line 2 writes 3 of 12 numbers through y: x reads it too, and changes with it." in said
    assert shell.user_ns["_oh"][1] is result.result
    assert "__see__" not in shell.user_ns and not hasattr(builtins, "__see__")


@pytest.mark.parametrize("text, shown", [("x.sum();", False), ("x.sum()", True), ("x.sum()  # why", True)])
def test_a_semicolon_hides_the_value_as_ever(run, text, shown):
    result, said, _ = run(text)
    assert ("Out[" in said) == shown and (result.result is not None) == shown and "%%see" in said


@pytest.mark.parametrize("text, kind, told", [
    ("y = x.t()\nx @ x\nz = 1", "MatmulError", "Line 2 raises RuntimeError: matmul"),
    ("{}['a']", "KeyError", "Line 1 raises KeyError: 'a'."),
    ("def f():\n    return missing\nf()", "NameError", "Line 3 raises NameError"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt", "Line 1 raises KeyboardInterrupt."),
])
def test_the_steps_to_an_error_stand_before_it_and_it_is_raised(shell, run, text, kind, told):
    kinds = shell.custom_exceptions
    result, said, _ = run(text)
    assert type(result.error_in_exec).__name__ == kind and not result.success
    assert said.count("%%see\n") == 1 and 0 <= said.index(told) < said.index("Traceback")
    assert "stepping.py" not in said and "record.py" not in said and shell.custom_exceptions == kinds
    assert "z" not in shell.user_ns and not hasattr(builtins, "__see__")


def test_an_error_of_tensors_has_its_exhibit_too(run):
    _, said, _ = run("y = x @ x")
    assert said.index("Line 1 raises") < said.index("Traceback") < said.index("x @ x.T runs and gives shape (3, 3).")


def test_what_is_no_python_is_told_as_ever(shell, run, capsys):
    result, said, _ = run("y = (1,")
    capsys.readouterr()
    shell.run_cell("y = (1,")
    plain = capsys.readouterr().out
    assert isinstance(result.error_before_exec, SyntaxError) and not result.success
    assert said.splitlines()[-1] == plain.splitlines()[-1] and "stepping.py" not in said


@pytest.mark.parametrize("text", ["", "\n\n", "# a\n"])
def test_a_cell_with_nothing_to_run_shows_nothing(run, text):
    result, said, err = run(text)
    assert "1. " not in said and "Traceback" not in said


def test_a_word_beside_it_is_refused(shell, capsys):
    assert not shell.run_cell("%%see 3\ny = 1").success
    assert "%%see takes lines of Python under it" in "".join(capsys.readouterr()) and "y" not in shell.user_ns


def test_magics_prints_and_waiting_work_in_it(shell, run):
    result, said, _ = run("%time q = x.t()\nprint('said')\nimport asyncio\nawait asyncio.sleep(0.01)\nq[0]")
    assert result.success and result.result.shape == (3,) and "said\n" in said and "Wall time" in said
    assert "1. Line 1 makes q: shape (4, 3), a view of x: nothing is copied." in said and "5. Line 5" in said


def test_under_another_magic_it_is_run_and_timed(shell, capsys):
    shell.run_cell("%%time\n%%see\nq = x[0]\n")
    said = capsys.readouterr().out
    assert "Line 1 makes q: shape (4,), a view of x" in said and "Wall time" in said


def test_a_cell_that_runs_a_cell_keeps_its_own_steps(shell, run):
    shown, fails = "get_ipython().run_cell('%%see\\nb = x[1]\\nc = 1')", "get_ipython().run_cell('1 / 0')"
    result, said, _ = run(f"a = x[0]\n{shown}\n{fails}\nd = x[2]")
    assert result.success and said.count("%%see\n") == 2
    assert "Line 4 makes d: shape (4,), a view of x" in said
    assert said.index("ZeroDivisionError") < said.rindex("%%see\n")


def test_twice_loaded_is_once_and_unloaded_is_gone(shell, run, capsys):
    shell.run_line_magic("load_ext", "rustyflow")
    extension.load(shell)
    assert run("y = x.t()")[1].count("%%see\n") == 1
    shell.run_line_magic("unload_ext", "rustyflow")
    assert "see" not in shell.magics_manager.magics["cell"]
    shell.run_cell("%%see\ny = 1")
    assert "Cell magic `%%see` not found" in "".join(capsys.readouterr())


def test_another_handler_of_errors_goes_on(shell, run):
    caught = []
    shell.set_custom_exc((RuntimeError,), lambda shell, *error, tb_offset=None: caught.append(error) or [])
    result, said, _ = run("y = x @ x")
    assert len(caught) == 1 and not result.success and "Line 1 raises RuntimeError" in said

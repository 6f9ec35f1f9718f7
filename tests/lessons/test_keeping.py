"""What passed a check is kept: alone, never lost, never written over; and `mine` brings it back."""

import builtins
import linecache
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rustyflow.lessons import (
    a_program_is_a_graph,
    back_through_a_broadcast,
    mine,
    models,
    one_line_of_memory,
    one_node_one_product,
    wait_for_everyone,
)
from rustyflow.lessons.kit.answers import keeping, progress
from rustyflow.lessons.kit.answers.standalone import Dependent, defined, standalone

SUM_TO = back_through_a_broadcast.sum_to


@pytest.fixture(autouse=True)
def fresh():
    """As in a kernel that was just started."""
    keeping.passed.clear()
    yield
    keeping.passed.clear()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A kernel that runs in a copy of the course."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    (tmp_path / progress.COURSE).parent.mkdir()
    (tmp_path / progress.COURSE).write_text("{}", encoding="utf-8")
    return tmp_path


def cell(source, name="cell"):
    """The names that a notebook's cell defines."""
    file = f"<{name} {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), names)
    return names


def files(copy, name="sum_to"):
    return sorted(path.name for path in (copy / keeping.FOLDER).glob(f"{name}*"))


PLAIN = '''
def sum_to(g, shape):
    """Mine."""
    while g.ndim > len(shape):
        g = g.sum(0)
    for d, n in enumerate(shape):
        if n == 1 and g.shape[d] != 1:
            g = g.sum(d, keepdim=True)
    return g
'''
WITH_HELPERS = '''
import rustyflow as torch
from math import prod as times
KEEP = {"keepdim": True}
one = lambda n: n == 1
class Axes:
    def __init__(self, shape): self.shape = shape
    def __iter__(self): return (d for d, n in enumerate(self.shape) if one(n))
def in_front(g, shape, first=times(())):
    return g if g.ndim == len(shape) else in_front(torch.sum(g, first - 1), shape)
def axes(shape): return list(Axes(shape))
def mine_too(g, shape):
    g = in_front(g, shape)
    for d in axes(shape):
        g = g.sum(d, **KEEP)
    return g
'''
AS_LAMBDA = '''
import functools
sum_to = lambda g, shape: functools.reduce(lambda g, d: g.sum(d, keepdim=True), [d for d, n in enumerate(shape) if n == 1], g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g)
'''  # noqa: E501


def test_it_is_said_whose_a_function_is(copy):
    assert mine.whose("sum_to") == "the course's: check.sum_to of lesson 11 has not been passed yet"
    SUM_TO(cell(PLAIN)["sum_to"])
    assert mine.whose("sum_to") == "yours, from lesson 11"


@pytest.mark.parametrize("source, name", [(PLAIN, "sum_to"), (WITH_HELPERS, "mine_too"), (AS_LAMBDA, "sum_to")])
def test_what_passed_is_brought_back_in_another_kernel_with_all_that_it_uses(copy, source, name):
    said = SUM_TO(cell(source)[name])
    assert said.text == "sum_to is right: 50 cases of 50.", said.text
    assert files(copy) == ["sum_to.py"]
    keeping.passed.clear()  # another kernel, which has none of the cell's names
    assert mine.sum_to is not models.sum_to and SUM_TO(mine.sum_to).score == 1
    assert "sum_to             yours, from lesson 11" in repr(mine)
    program = "from rustyflow.lessons import back_through_a_broadcast as b; import runpy;" \
              "print(b.sum_to(runpy.run_path('.rustyflow/mine/sum_to.py')['sum_to']))"
    ran = subprocess.run([sys.executable, "-c", program], cwd=copy, capture_output=True, text=True, check=True)
    assert "is right" in ran.stdout


def test_the_lines_are_the_student_s_own_to_the_letter(copy):
    SUM_TO(cell(PLAIN)["sum_to"])
    text = (copy / keeping.FOLDER / "sum_to.py").read_text(encoding="utf-8")
    assert text.endswith(PLAIN) and text.startswith("# Passed check.sum_to of back_through_a_broadcast")


def test_a_newer_function_takes_the_place_and_each_older_one_stays(copy):
    versions = [PLAIN.replace("Mine", f"version {number}") for number in range(4)]
    for source in (*versions, versions[-1], versions[-1]):
        SUM_TO(cell(source)["sum_to"])
    names = files(copy)
    assert len(names) == 4 and all(re.fullmatch(r"sum_to(-\d{4}-\d\d-\d\d-\d{4}(-\d)?)?\.py", name) for name in names)
    held = {path.read_text(encoding="utf-8").partition('"""')[2][:9] for path in (copy / keeping.FOLDER).iterdir()}
    assert held == {f"version {number}" for number in range(4)}
    keeping.passed.clear()
    assert mine.sum_to.__doc__ == "version 3."


def test_a_wrong_function_and_a_teacher_s_or_grader_s_run_keep_nothing(copy, monkeypatch):
    SUM_TO(lambda g, shape: g.mean(0))
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    SUM_TO(cell(PLAIN)["sum_to"])
    assert not (copy / keeping.FOLDER).exists()


@pytest.mark.parametrize("source, name, why", [
    ("import rustyflow as torch\nones = torch.ones(())\n" + PLAIN.replace("n == 1", "n == ones"), "sum_to",
     "it uses ones, a Tensor of the notebook"),
    ("def outer(one):\n    def sum_to(g, shape):\n        axes = [d for d, n in enumerate(shape) if n == one]\n"
     "        while g.ndim > len(shape): g = g.sum(0)\n        return g.sum(axes, keepdim=True) if axes else g\n"
     "    return sum_to\nsum_to = outer(1)", "sum_to", "it uses one, which belongs to a function around it"),
    ("class Summing:\n    def __call__(self, g, shape):\n        return sum_to(g, shape)\n" + PLAIN
     + "call = Summing()", "call", "sum_to is no function written with def"),
    ("times = 0\n" + PLAIN.replace('"""Mine."""', "global times; times += 1"), "sum_to", None),
    ("from __future__ import annotations\n" + PLAIN.replace("(g, ", "(g: Nothing, "), "sum_to",
     "NameError: name 'Nothing' is not defined"),
    ("seen = []\n" + PLAIN.replace("while", "seen.append(1); assert len(seen) < 400\n    while")
     + "del_me = open\n", "sum_to", None),
])
def test_what_cannot_run_alone_is_told_at_the_check_and_counts_all_the_same(copy, source, name, why):
    said = SUM_TO(cell(source)[name])
    assert said.score == 1 and progress.read(copy)["back_through_a_broadcast"]["sum_to"]["done"]
    if why is None:
        assert files(copy) == ["sum_to.py"] and "not kept" not in said.text
        return
    assert f"It is not kept for later lessons, since it cannot run alone: {why}" in said.text and files(copy) == []
    keeping.passed.clear()
    assert mine.sum_to is models.sum_to and "what you passed with was not kept" in repr(mine)


def test_who_passed_with_an_older_version_is_told_which_cell_to_run_again_and_the_score_stays(copy):
    place = copy / progress.PROGRESS
    place.write_text('{"one_node_one_product": {"vjp_mul": {"done": true, "score": 1.0}}}', encoding="utf-8")
    assert ("vjp_mul            the course's: what you passed with was not kept; run the cell of check.vjp_mul in "
            "lesson 09 again (your score stays)") in repr(mine)
    one_node_one_product.vjp_mul(lambda g, a, b: (g * b, g * a))
    assert "vjp_mul            yours, from lesson 09" in repr(mine)
    assert progress.read(copy)["one_node_one_product"]["vjp_mul"] == {"done": True, "score": 1.0}


def test_who_skipped_one_gets_the_course_s_and_is_told(copy):
    assert mine.topological_order is models.topological_order
    assert "topological_order  the course's: check.topological_order of lesson 08 has not been passed yet" in repr(mine)
    with pytest.raises(AttributeError, match="mine.nothing: no lesson asks for a function of this name"):
        _ = mine.nothing
    assert {"slot_of", "sum_to", "vjp_mul", "trap"} <= set(dir(mine))


DAMAGED = {
    "empty": b"", "cut short": PLAIN[:60].encode(), "zeros": b"\0" * 300, "no text": bytes(range(256)),
    "a merge": f"<<<<<<< HEAD\n{PLAIN}=======\n{PLAIN}>>>>>>> theirs\n".encode(),
    "an import of what is not there": f"import not_on_this_machine\n{PLAIN}".encode(),
    "another function": PLAIN.replace("sum_to", "add_up").encode(), "no function": b"sum_to = 5",
    "no end": b"while True: pass", "an exit": b"raise SystemExit(3)",
}  # fmt: skip
TOLD = {
    "cut short": "SyntaxError: ", "an import of what is not there": "ModuleNotFoundError: No module named 'not_on_",
    "another function": "LookupError: it defines no function sum_to",
    "no end": "It was stopped: 0.1 seconds were not enough.",
    "an exit": "SystemExit: 3", "no text": "UnicodeDecodeError: ", "no function": "LookupError: ",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_told_and_stays_and_the_older_lines_are_brought_back(copy, monkeypatch, data):
    monkeypatch.setattr(keeping, "SECONDS", 0.1)
    place = copy / keeping.FOLDER / "sum_to.py"
    place.parent.mkdir()
    place.write_bytes(data)
    assert mine.sum_to is models.sum_to
    told = next(line for line in repr(mine).splitlines() if line.startswith("sum_to"))
    reason = TOLD.get(next(name for name, text in DAMAGED.items() if text is data), "")
    assert f"mine/sum_to.py cannot be run ({reason}" in told
    assert "run the cell of check.sum_to in lesson 11 again" in told
    place.with_name("sum_to-2026-01-02-0304.py").write_text(PLAIN, encoding="utf-8")
    place.with_name("sum_to-2025-12-31-2359-2.py").write_text(PLAIN.replace("Mine", "Older"), encoding="utf-8")
    assert mine.sum_to.__doc__ == "Mine." and "an older one, since" in repr(mine)
    assert SUM_TO(cell(PLAIN.replace("Mine", "New"))["sum_to"]).score == 1
    keeping.passed.clear()
    assert mine.sum_to.__doc__ == "New." and len(files(copy)) == 4
    assert data in [path.read_bytes() for path in place.parent.iterdir()], "what is damaged is never written over"


def test_a_folder_in_its_place_is_set_aside(copy):
    (copy / keeping.FOLDER / "sum_to.py" / "inside").mkdir(parents=True)
    assert mine.sum_to is models.sum_to
    SUM_TO(cell(PLAIN)["sum_to"])
    keeping.passed.clear()
    assert mine.sum_to.__doc__ == "Mine." and list((copy / keeping.FOLDER).glob("sum_to-*.py/inside"))


def test_a_disk_that_takes_nothing_disturbs_no_lesson_and_loses_nothing(copy, monkeypatch):
    SUM_TO(cell(PLAIN)["sum_to"])
    before = (copy / keeping.FOLDER / "sum_to.py").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        said = SUM_TO(cell(PLAIN.replace("Mine", "New"))["sum_to"])
    assert said.score == 1 and "It is not kept for later lessons: No space left on device." in said.text
    assert (copy / keeping.FOLDER / "sum_to.py").read_bytes() == before
    assert not list((copy / keeping.FOLDER).glob("*.lock"))


def test_two_kernels_at_once_lose_no_version(copy):
    sources = [cell(PLAIN.replace("Mine", f"number {number:02}"))["sum_to"] for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda function: keeping.keep(SUM_TO, function), sources))
    held = {path.read_text(encoding="utf-8").partition('"""')[2][:9] for path in (copy / keeping.FOLDER).glob("*.py")}
    assert held == {f"number {number:02}" for number in range(12)}


def test_a_copy_on_another_machine_has_the_lines_and_a_second_student_s_lie_beside_them(copy, tmp_path_factory):
    SUM_TO(cell(PLAIN)["sum_to"])
    text = (copy / keeping.FOLDER / "sum_to.py").read_text(encoding="utf-8")
    assert str(copy) not in text
    SUM_TO(cell(PLAIN.replace("Mine", "Hers"))["sum_to"])
    assert len(files(copy)) == 2


@pytest.mark.parametrize("check", [
    one_line_of_memory.slot_of, a_program_is_a_graph.straight, a_program_is_a_graph.topological_order,
    one_node_one_product.vjp_mul, one_node_one_product.vjp_div, one_node_one_product.vjp_pow, wait_for_everyone.trap,
], ids=lambda check: check.name)  # fmt: skip
def test_every_exercise_keeps(copy, check):
    assert check(check.model).text.endswith("of 10." if check.many == 10 else f"of {check.many}.")
    keeping.passed.clear()
    assert check(getattr(mine, check.name)).score == 1 and getattr(mine, check.name) is not check.model


def test_a_text_that_runs_alone_has_what_is_used_before_what_uses_it():
    text = standalone(cell(WITH_HELPERS)["mine_too"], "sum_to")
    at = [text.index(part) for part in ("import rustyflow", "def in_front", "class Axes", "def axes", "def mine_too")]
    assert at == sorted(at) and text.endswith("sum_to = mine_too\n")
    assert defined(text, "sum_to", "<x>").__name__ == "mine_too"


@pytest.mark.parametrize("thing", [len, 5, type("Made", (), {}), str.upper], ids=str)
def test_what_has_no_lines_is_refused(thing):
    with pytest.raises(Dependent):
        standalone(thing, "sum_to")


def test_what_was_written_with_pytorch_is_kept_as_it_was_written(copy):
    pytest.importorskip("torch")
    source = "import torch\ndef straight(x): return torch.mul(torch.tanh(torch.mul(x, x)), x)"
    said = a_program_is_a_graph.straight(cell(source)["straight"])
    assert said.text == "straight is right: 10 cases of 10." and files(copy, "straight") == ["straight.py"]
    assert a_program_is_a_graph.straight(mine.straight).score == 1, "which library runs is no if of its own"

"""What is printed where the output is no UTF-8, as in a file that a script on Windows writes."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rustyflow as rf
from rustyflow.errors.spelling import ASCII, printed

PROGRAM = """
import sys
import rustyflow as rf
from rustyflow import ir, show
from rustyflow.lessons import Result, align_from_the_right, one_line_of_memory, nudge_it
from importlib.util import find_spec

größe = rf.tensor([[.1, 1/3], [2, 3]], requires_grad=True)
名 = rf.tensor([[1.], [7.]], requires_grad=True)
y = ((größe * 名).exp() - größe @ 名).sum()
figures = [show.strides(größe), show.broadcast(größe, 名, op="*"), show.backward(y), show.graph(y),
           show.matmul(größe, 名), show.reduce(größe, "sum", 0), show.op("softmax", größe, 1),
           show.op("conv2d", rf.ones(1, 1, 3, 3), rf.ones(1, 1, 2, 2))]
if find_spec("anywidget"):
    from rustyflow import widgets
    figures += [widgets.Strides(größe), widgets.beside(figures[0], figures[1])]
graph = ir.graph(y)
checks = [check for lesson in (one_line_of_memory, nudge_it, align_from_the_right) for check in vars(lesson).values()]
for encoding in sys.argv[1:]:
    with open(f"{encoding}.txt", "w", encoding=encoding) as sys.stdout:
        for each in [*figures, graph, graph.nodes, *map(str, graph.nodes), Result("4·5 ≈ 20 → 名", 1), show.help(),
                     *checks]:
            print([each], str(each)) if not isinstance(each, str) else print(each)
        print(graph.tree())
"""
OUTPUTS = {
    "ascii": (["2*", " ~= ", r"gr\xf6\xdfe", r"\u540d", "`- ", "->"], []),
    "cp1252": ([" ~= ", r"\u540d", "`- "], ["größe", "2·"]),
    "latin-1": ([" ~= ", r"\u540d", "|- "], ["größe", "2·"]),
    "shift_jis": ([r"gr\xf6\xdfe"], ["名", "→"]),
    "utf-8": ([], ["größe", "名", " ≈ ", "2·", "└─ "]),
}
"""What an output of each encoding has: what was spelt for it, and what was kept."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """A folder in which the program has printed to an output of each encoding."""
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    subprocess.run([sys.executable, "program.py", *OUTPUTS], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("encoding", OUTPUTS)
def test_what_is_printed_has_what_the_output_can_hold(outputs, encoding):
    said = (outputs / f"{encoding}.txt").read_bytes().decode(encoding)
    spelt, kept = OUTPUTS[encoding]
    assert [words for words in spelt + kept if words not in said] == []


def run(encoding, *words, folder):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    with (folder / "out.txt").open("wb") as out:
        done = subprocess.run([sys.executable, *words], cwd=folder, env=environment, stdout=out, stderr=subprocess.PIPE)
    return done, (folder / "out.txt").read_bytes().decode(encoding.partition(":")[0])


COMMANDS = """
from pathlib import Path
from rustyflow import cli

Path("名.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}')
course = "Größe 名 ≈ ."
for words in (["course", course], ["course", course], ["progress", course], ["doctor"],
              ["reset", "1", "--folder", course], ["export", "名.ipynb"], ["export", "≈.ipynb"]):
    print(words[0], "ended with", cli.main(words))
"""


@pytest.mark.parametrize("encoding, sign", [("ascii", b"~="), ("cp437", b"\xf7")])
def test_the_command_line_says_every_name(tmp_path, encoding, sign):
    (tmp_path / "program.py").write_text(COMMANDS, encoding="utf-8")
    done, said = run(encoding, "program.py", folder=tmp_path)
    assert done.returncode == 0 and sign + b".ipynb: No such file" in done.stderr, done.stderr
    assert r"\u540d.html: " in said and "export ended with 0" in said and "export ended with 1" in said


@pytest.mark.parametrize("text, want", [
    ("g = 4·5 ≈ 20", "g = 4*5 ~= 20"), ("along j · dim 1", "along j = dim 1"), ("(2) → (3) …", "(2) -> (3) ..."),
    ("3×4 ≠ 3×5", "3x4 != 3x5"), ("名", r"\u540d"), ("\ud800", r"\ud800"), ("😀", r"\U0001f600"), ("plain", "plain"),
])
def test_signs_are_spelled_and_letters_are_numbered(text, want):
    assert printed(text, "ascii") == want
    assert text == "\ud800" or printed(text, "utf-8") == text


def test_the_words_of_a_figure_are_the_same_whatever_the_output(monkeypatch):
    größe = rf.tensor([1 / 3])
    figure = rf.show.strides(größe)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", open(os.devnull, "w", encoding="ascii"))
        words, bundle, said = figure.text(), figure._repr_mimebundle_()["text/plain"], str(figure)
        sys.stdout.close()
    assert words == bundle == str(figure) and "größe" in words and said.isascii()


def test_what_our_files_write_is_in_the_table_or_a_name():
    """A sign that somebody writes into a sentence has its spelling."""
    house, rooms = Path(rf.__file__).parent, ("show", "scene", "ir", "widgets")
    files = [path for room in rooms for path in (house / room).rglob("*.py") if path.name != "typed.py"]  # that reads
    used = {letter for path in files for letter in path.read_text(encoding="utf-8") if not letter.isascii()}
    assert used - set("öß") <= set(ASCII) and all(word.isascii() for word in ASCII.values())


@pytest.mark.skipif(os.name == "nt", reason="Windows tells of a closed pipe in another way")
@pytest.mark.parametrize("words", [["doctor"], ["course", "mine"], ["export", "mine.ipynb"]])
def test_a_command_whose_output_nobody_reads_on_says_nothing(tmp_path, words):
    (tmp_path / "mine.ipynb").write_text('{"nbformat": 4, "nbformat_minor": 5, "cells": []}', encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-u", "-m", "rustyflow", *words]  # each line as it is said
    for call in (command, [word for word in command if word != "-u"]):
        done = subprocess.run(call, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, env=os.environ | {
            "PYTHONPATH": str(Path(rf.__file__).parents[1])})  # fmt: skip
        assert (done.returncode, done.stderr) == (1, b"")
    os.close(write)

"""`see.cell`: a program line by line, with what each line made or changed, and whose memory that is."""

import ast
import builtins
import subprocess
import sys
import traceback

import numpy as np
import pytest

import rustyflow as rf
from rustyflow import nn, optim, see
from rustyflow.see import record as room
from rustyflow.see.program import instrumented
from rustyflow.see.record import FILE, Record, recorded
from rustyflow.see.stepper import figure
from rustyflow.see.watch import WHOLE

from .programs import KIN, really, storages


def names(**more):
    return {"torch": rf, "nn": nn, "optim": optim, "np": np, **more}


def told(text, **more):
    return see.cell(text, names(**more)).sentences


@pytest.mark.parametrize("program", KIN)
def test_each_tensor_of_a_program_is_a_view_of_what_it_shares_its_memory_with(program):
    text, kin = KIN[program]
    space = names()
    record = recorded(text, space)
    assert record.fault is None
    assert {x.name: x.of for x in record.steps[-1].tensors} == kin
    assert storages(record) == really(space, kin)
    picture = figure(record)
    assert len(picture.frames) == len(record.steps) and len(picture.html()) < 300_000


def test_lines_run_once_and_what_they_do_stays():
    space = names(log=[])
    see.cell("log.append(1)\nx = torch.ones(3)\nx += 1", space)
    assert space["log"] == [1] and space["x"].tolist() == [2, 2, 2] and "__builtins__" not in space


def test_a_line_says_what_it_made_and_whom_a_write_reaches():
    said = told("""x = torch.arange(12.).view(3, 4)
w = x.t()[1:]
s = x.sum(1, keepdim=True)
w[0, 0] = 100
y = x
n = 3
del s
x.requires_grad_()""")
    assert said == (
        "Line 1 makes x: shape (3, 4), new memory for 12 numbers.",
        "Line 2 makes w: shape (3, 3), a view of x: nothing is copied, and 3 of 12 are never read.",
        "Line 3 makes s: shape (3, 1), new memory for 3 numbers.",
        "Line 4 writes slot 1 through w: x reads it too, and changes with it.",
        "Line 5 makes y another name of x: what is written to it is seen through both.",
        "Line 6 sets n = 3.",
        "Line 7 lets go of s.",
        "Line 8 has x ask for a gradient; has y ask for a gradient.",
    )


def test_a_row_has_shape_kin_ends_and_the_bar_of_its_memory():
    text = "x = torch.arange(12.).view(3, 4)\nw = x.t()[1:]\nw[0, 0] = 100"
    state = see.cell(text, names()).state(2)
    keys = "name0", "shape0", "of0", "kind0", "ends0", "name1", "of1", "ends1"
    read = {key: state.sets[key, "text"] for key in keys}
    assert read == {"name0": "x", "shape0": "(3, 4)", "of0": "new", "kind0": "float32", "ends0": "0 to 100",
                    "name1": "w", "of1": "view of x", "ends1": "2 to 100"}  # fmt: skip
    cells = {key: state.sets[key, "d"].count("M") for key in ("r0", "u0", "w0", "r1", "u1", "w1", "tie")}
    assert cells == {"r0": 12, "u0": 0, "w0": 1, "r1": 9, "u1": 3, "w1": 1, "tie": 1}
    assert "off" not in state.classes["f0"] and "off" not in state.classes["f1"] and "strong" in state.classes["c2"]


def test_rounds_but_the_first_and_the_last_are_details():
    picture = see.cell("t = torch.zeros(2)\nfor i in range(5):\n    t += i\nd = t.sum()", names())
    fine = [frame.fine for frame in picture.frames]
    assert fine == [False, False, False, *[True] * 6, False, False, False, False]
    assert [s for s, hidden in zip(picture.sentences, fine) if not hidden and "Line 2" in s] == [
        "Line 2 begins round 1 of 5: i = 0.",
        "Line 2 begins round 5 of 5: i = 4. Rounds 2 to 4 are folded. Press d for them.",
        "Line 2 has nothing more: the loop ends after 5 rounds.",
    ]
    assert "round 3 of 5" not in str(picture) and "Press d" not in str(picture)


def test_rounds_of_a_loop_in_a_loop_are_counted_each():
    said = told("for e in range(3):\n    for i in range(2):\n        x = torch.ones(2) * e")
    assert [one for one in said if one.startswith("Line 1")] == [
        "Line 1 begins round 1 of 3: e = 0.",
        "Line 1 begins round 2 of 3: e = 1.",
        "Line 1 begins round 3 of 3: e = 2. Round 2 is folded. Press d for it.",
        "Line 1 has nothing more: the loop ends after 3 rounds.",
    ]
    assert said[2] == "Line 3, round 1 of 2 in round 1 of 3, makes x: shape (2,), new memory for 2 numbers."


@pytest.mark.parametrize("text, said", [
    ("if torch.ones(1).sum() > 3:\n    a = 1\nelse:\n    a = 2",
     ["Line 1 does not hold: on to line 4.", "Line 4 sets a = 2."]),
    ("if False:\n    a = 1\nb = 2", ["Line 1 does not hold: its lines are left out.", "Line 3 sets b = 2."]),
    ("if True:\n    a = 1", ["Line 1 holds: on to line 2.", "Line 2 sets a = 1."]),
    ("while False:\n    a = 1", ["Line 1 has nothing more: the loop ends after 0 rounds."]),
    ("for a in (1, 2):\n    if a == 1:\n        continue\n    break",
     ["Line 1 begins round 1 of 2: a = 1.", "Line 2, round 1 of 2, holds: on to line 3.",
      "Line 3, round 1 of 2, goes on with the next round.", "Line 1 begins round 2 of 2: a = 2.",
      "Line 2, round 2 of 2, does not hold: its lines are left out.", "Line 4, round 2 of 2, leaves the loop."]),
    ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    a = 1",
     ["Line 1 begins what stands under it.", "Line 2 gives no tensor a name, and changes none.", "Line 4 sets a = 1."]),
    ("match 2:\n    case 1:\n        a = 1\n    case 2:\n        a = 2",
     ["Line 1 finds its case: on to line 5.", "Line 5 sets a = 2."]),
    ("def f(x):\n    return x\nimport math\nf(2)",
     ["Line 1 defines f, whose lines are not shown: a call of it is one step.", "Line 3 brings in math.",
      "Line 4 gives no tensor a name, and changes none."]),
])
def test_the_way_that_a_program_takes_is_told(text, said):
    assert [*told(text)] == said


def test_modules_gradients_rows_and_arrays_are_shown():
    said = told("""layer = nn.Linear(2, 1)
layer(torch.ones(1, 2)).sum().backward()
kept = {"a": torch.ones(2), "b": 3}
a = np.arange(4)
t = torch.from_numpy(a)
a[1:3] = 9
class Own: pass
layer.zero_grad()""")
    assert said[0] == "Line 1 makes layer.weight of shape (1, 2), new; layer.bias of shape (1,), new."
    assert "makes layer.weight.grad of shape (1, 2), new; layer.bias.grad of shape (1,), new" in said[1]
    assert said[2] == "Line 3 makes kept['a']: shape (2,), new memory for 2 numbers."
    assert said[4] == "Line 5 makes t: shape (4,), a view of a: nothing is copied."
    assert said[5] == "Line 6 writes 2 of 4 numbers through a: t reads it too, and changes with it."
    assert said[7] == "Line 8 lets go of layer.bias.grad and layer.weight.grad."


def test_names_of_before_are_there_from_the_start_and_kin_that_no_line_names():
    x = rf.arange(6.0).view(2, 3)
    said = told("x[0] = 7", x=x, rows=x[1:], other=rf.ones(2), all=x.view(-1))
    assert said == ("Line 1 writes 3 of 6 numbers through x: all reads it too, and changes with it.",)


def test_enter_opens_the_figure_of_a_tensor_as_it_was():
    picture = see.cell("x = torch.arange(6.).view(2, 3)\ny = x.t()\nx.fill_(7)", names())
    first, last = picture.state(1), picture.state(2)
    touch = [name for name, classes in first.classes.items() if name.startswith("t") and classes == ("touch",)]
    opened = picture.state(1, link=touch[1])
    assert "off" in opened.classes["all"]
    assert opened.sentence.startswith("y: shape (3, 2), stride (1, 3), offset 0; it reads the memory of x.")
    assert "Its numbers go from 0 to 5." in opened.sentence
    inner = next(name for name, classes in opened.classes.items() if name.startswith("open") and "off" not in classes)
    texts = {shape.text for shape in picture.scene.index[inner].walk()}
    assert {"x", "y", "5"} <= texts and "7" not in texts
    later = [name for name, classes in last.classes.items() if name.startswith("t") and classes == ("touch",)]
    assert not {*later} & {*touch} and "from 7 to 7" in picture.state(2, link=later[0]).sentence
    inside = next(id for family in picture.scene.links for id in family.links if id.endswith(inner[4:]))
    assert "off" in picture.state(1, link=touch[1], pointed=inside).classes["all"]


def test_an_error_has_its_step_and_is_raised_with_the_frames_it_has():
    space = names(x=rf.ones(2, 3))
    with pytest.raises(RuntimeError) as error:
        see.cell("y = x.t()\nz = x @ x\nw = 1", space)
    lines = [frame.lineno for frame in traceback.extract_tb(error.value.__traceback__) if frame.filename == FILE]
    assert lines == [2] and "y" in space and "w" not in space
    text = "y = x.t()\nz = x @ x"
    record = Record(instrumented(ast.parse(text), text), space)  # which %%see shows
    record(0), record(1), record.end(error.value)
    said = figure(record).sentences
    assert said[-1].startswith("Line 2 raises RuntimeError: matmul: mat1 and mat2 shapes cannot be multiplied")


@pytest.mark.parametrize("text, error", [
    ("x = (", SyntaxError), (3, TypeError), ("", ValueError), ("# a\n", ValueError), ("missing + 1", NameError),
])
def test_what_is_no_program_is_refused(text, error):
    with pytest.raises(error):
        see.cell(text, names())


def test_of_more_steps_the_last_are_kept_with_their_rounds(monkeypatch):
    monkeypatch.setattr(room, "FREE", 1e9)
    record = recorded("t = torch.zeros(1)\nfor i in range(1500):\n    t += 1\n", names())
    assert len(record.steps) == 2000 < record.ran == 3002
    picture = figure(record)
    assert "the last 2,000 of 3,002 steps" in str(picture)
    assert "Line 2 begins round 1500 of 1500: i = 1499. Rounds 2 to 1,499 are folded." in str(picture)
    assert len(str(picture).splitlines()) < 12


def test_a_long_loop_is_held_up_no_more_than_by_as_long_again(monkeypatch):
    monkeypatch.setattr(room, "FREE", 0.0)
    record = recorded("t = torch.zeros(1)\nfor i in range(300):\n    t += 1\nu = t + 1", names())
    assert record.ran == 603 and sum(step.unseen for step in record.steps) > 0
    assert record.ran == len(record.steps) + sum(step.unseen for step in record.steps)
    assert any("ran on unseen" in sentence for sentence in figure(record).sentences)
    assert record.totals == {(1, 1): 300}


def test_large_memory_is_looked_at_in_samples():
    space = names(wide=rf.zeros(1).expand(10**9), much=np.zeros(1 << 24, np.int8), many=rf.zeros(WHOLE * 2))
    said = told("wide.sum\nmuch[:] = 1\nmany[5] = 1\nx = wide[:3]", **space)
    assert said[1] == "Line 2 writes some numbers of much, in place."
    assert said[2] == "Line 3 writes some numbers of many, in place."
    assert said[3] == "Line 4 makes x: shape (3,), a view of wide: nothing is copied."


def test_what_cannot_be_read_is_shown_by_its_shape():
    objects = np.array([None, {}], dtype=object)
    text = "b = a[:1]\nc = torch.ones(2, 0)\nd = torch.tensor(float('nan')) * torch.ones(2)"
    picture = see.cell(text, names(a=objects))
    assert picture.sentences[0] == "Line 1 makes b: shape (1,), whose numbers are not read here."
    assert picture.state(2).sets["ends3", "text"] == "all nan"


def test_looking_draws_no_random_number_and_counts_no_write():
    space = names(x=rf.ones(3, requires_grad=True))
    rf.manual_seed(3)
    see.cell("y = x * 2\nz = y.detach()\nz[0] = 5", space)
    again = rf.rand(2).tolist()
    rf.manual_seed(3)
    assert rf.rand(2).tolist() == again and space["y"]._version == 1 and space["x"]._version == 0


def test_a_tracer_that_is_there_stays_and_sees_the_lines():
    seen = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == "<see.cell>":
            seen.append((event, frame.f_lineno))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        see.cell("a = 1\nb = 2", {})
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
    assert [line for event, line in seen if event == "line"] == [1, 2]


def test_a_fault_of_ours_takes_nothing_from_the_lines():
    class Odd:
        def __getattribute__(self, name):
            raise RuntimeError("no")

    space = names(odd=Odd())
    record = recorded("a = odd\nx = torch.ones(2)\nb = 3", space)
    assert space["b"] == 3 and figure(record) is not None


def test_nothing_is_left_behind_and_no_name_is_taken():
    space = {}
    see.cell("a = 1", space)
    assert space == {"a": 1} and not hasattr(builtins, "__see__")
    code = "from rustyflow import see; x = 1; see.cell('import rustyflow as rf; y = rf.ones(x)'); print(y.tolist())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[1.0]", run.stderr


def test_what_is_not_read_is_not_said_to_be_unchanged():
    words, hidden = np.array(["a", "b"]), np.ma.masked_array([1.0, 2.0], [True, False])
    for line in ("words[0] = 'c'", "hidden[0] = 3.0"):
        (said,) = told(line, words=words, hidden=hidden)
        assert said == "Line 1 gives no tensor a name, and changes none whose numbers are read here."
    assert words[0] == "c" and hidden[0] == 3


def test_all_names_of_a_module_are_brought_in_by_no_name_of_their_own():
    assert told("from math import *\nx = torch.ones(2)")[0] == "Line 1 brings in the names of math."

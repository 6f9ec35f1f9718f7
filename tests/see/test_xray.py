"""X-ray's answers: which expression is under the cursor, and its figure."""

from types import SimpleNamespace

import pytest

pytest.importorskip("anywidget")

import rustyflow as rf
from rustyflow.see.xray import XRay, expressions

LINE = "z = ((x * w + b).T[1:] @ x[:, :2]).mean(0).sum()"


@pytest.mark.parametrize("code, at, texts", [
    (LINE, "* w", ["x * w", "x * w + b", "(x * w + b).T", "(x * w + b).T[1:]"]),
    ("%see x.t()[1:]", "t()", ["x.t()", "x.t()[1:]"]), ("!ls\n%see y = x @ w\n", "@", ["x @ w"]),
    ("if x:\n    y = x + é\n    (", "+", ["x + é"]), ("x.add_(", "add", []), ("# only words", "words", []),
])
def test_the_expressions_under_the_cursor(code, at, texts):
    place = code.index(at)
    assert expressions(code, place, place)[: len(texts)] == texts
    assert expressions(code, place, len(code) + 9) == []


def test_each_press_goes_one_outward_and_runs_that_alone():
    space = {"x": rf.arange(12.0).view(3, 4), "w": rf.ones(4), "b": rf.ones(4), "n": [1], "it": iter([rf.ones(2)])}
    xray = XRay(SimpleNamespace(user_ns=space))
    at = LINE.index("* w")
    levels = [xray.answer(LINE, at, at, level)["level"] for level in range(7)]
    assert levels == [*range(7)]
    answer = xray.answer(LINE, at, at, 2)
    assert answer["parts"][:4] == ["x * w", "… + b", "(…).T", "…[1:]"]
    assert "(x * w + b).T" in answer["html"] and answer["text"] == ""
    assert xray.answer(LINE, at, at, 99)["level"] == 6 and xray.answer(LINE, at, at, 1)["level"] == 1
    assert "not defined" in xray.answer("nothing + 1", 8, 8, 0)["text"]
    assert xray.answer("# words", 3, 3, 0)["text"] == "Nothing to draw stands here."
    assert xray.answer("next(it)", 8, 8, 0)["html"] and next(space["it"]).shape == (2,)
    for code, place in (("n.pop()", 0), ("it", 1), ("torch.relu(x)", 2)):
        answer = xray.answer(code, place, place, 0)
        assert answer["html"] == "" and answer["level"] == 0
    assert space["n"] == [1] and "asks for n.pop()" in xray.answer("n.pop()", 0, 0, 0)["text"]
    space["halt"], space["check"] = _halt, _check
    for code, said in (("halt()", "SystemExit"), ("check(x)", "not so"), ("(yield x) + 1", "yield"), ("n[9]", "range")):
        at = max(code.find("("), code.find("["))
        answer = xray.answer(code, at, at, 9)
        assert answer["html"] == "" and said in answer["text"]
    xray.close()


def _halt():
    raise SystemExit


def _check(x):
    raise AssertionError("not so")  # as `assert` does, which pytest writes anew


def test_a_place_of_the_page_is_counted_in_characters():
    xray, sent = XRay(SimpleNamespace(user_ns={"x": rf.ones(2, 2)})), []
    xray.send = sent.append
    xray._hear(None, {"code": "s = '\N{SNAKE}\N{SNAKE}'; x.t()", "from": 13, "to": 16, "level": 0}, None)
    assert sent[0]["parts"] == ["x.t()"] and sent[0]["html"]
    xray.close()


@pytest.mark.parametrize("code, note", [
    ("def f(x):\n    return x.t()", "Here x is the notebook's: where this runs, x is set anew."),
    ("[x.t() for x in rows]", "Here x is the notebook's"), ("lambda q: x.t() + q", ""),
    ("g = lambda x: x.t()", "Here x is the notebook's"),
    ("def f(q):\n    x = q\n    return x.t()", "Here x is the notebook's"), ("[q for q in x.t()]", ""),
    ("for x in rows:\n    x.t()", ""),
])
def test_of_a_name_that_is_set_where_a_line_runs_it_is_said_whose_it_is(code, note):
    xray = XRay(SimpleNamespace(user_ns={"x": rf.ones(2, 2), "rows": [rf.ones(3, 1)]}))
    place = code.index("x.t()") + 2
    answer = xray.answer(code, place, place, 0)
    assert answer["parts"][0] == "x.t()" and note in answer["plain"] and ("Here" in answer["plain"]) is bool(note)
    xray.close()

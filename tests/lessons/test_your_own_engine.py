"""Lesson 12: an engine of a student's own, right or wrong in many ways, and the lesson walked to its end."""

import builtins
import json
import linecache
from dataclasses import replace
from pathlib import Path

import pytest

from rustyflow import arange, ir, ones, tensor
from rustyflow.cli.course import as_delivered
from rustyflow.cli.export.figures import redrawn
from rustyflow.lessons import mine, models, your_own_engine as check
from rustyflow.lessons.kit.answers import call as running, keeping, progress
from rustyflow.lessons.kit.answers.answer import same
from rustyflow.lessons.kit.programs.engine import engine, recorded
from rustyflow.lessons.kit.programs.fits import CARS, Fit

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "12-your-own-engine.ipynb"
CODE = ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"]  # fmt: skip
GIVEN = next(source for source in CODE if source.startswith("def value")).partition("print(")[0]
STUB = next(source for source in CODE if "def backward" in source).partition("check.backward")[0]
FILLED = STUB.replace("for id in ...:", "for id in reversed(order):").replace("    ...  ", "    grad[ref] += part  ")


@pytest.fixture(autouse=True)
def fresh():
    keeping.passed.clear()
    yield
    keeping.passed.clear()


def cell(*sources):
    """The names of a notebook after some cells."""
    names = {"__name__": "__main__"}
    for source in ("import rustyflow as torch\nfrom rustyflow import ir\nfrom rustyflow.lessons import mine", *sources):
        file = f"<cell {hash(source)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        exec(compile(source, file, "exec"), names)
    return names


def said(result):
    return " ".join(result.text.split())


FROM_SCRATCH = '''
def backward(graph):
    """Counts readers, and hands on when all have reported."""
    waits = {node.id: 0 for node in graph}
    for node in graph:
        for ref in node.operands:
            if ref in waits: waits[ref] += 1
    grad, ready = {graph.results[0]: torch.ones(())}, [graph.results[0]]
    while ready:
        node = graph[ready.pop()]
        if not node.operands: continue
        parts = rules[node.op](grad[node.id], *[value(graph, ref) for ref in node.operands])
        for ref, part in zip(node.operands, parts):
            if ref not in waits: continue
            grad[ref] = grad[ref] + part if ref in grad else part
            waits[ref] -= 1
            if waits[ref] == 0: ready.append(ref)
    return grad
'''
BY_PULLING = '''
def backward(graph):
    """Asks each node's readers, from the node."""
    known = {graph.results[0]: torch.tensor(1.0)}
    def of(id):
        if id not in known:
            total = 0
            for reader, k in graph.users(id):
                values = [value(graph, ref) for ref in reader.operands]
                total = total + list(rules[reader.op](of(reader.id), *values))[k]
            known[id] = total
        return known[id]
    return {node.id: of(node.id) for node in graph if node.kind == "leaf"}
'''
BACKWARDS = FILLED.replace("reversed(order)", "order[::-1]").replace("+= part", "= part + grad[ref]")
WITH_TORCH = FILLED.replace("from collections", "import torch\nfrom collections")
RIGHT = {"filled": FILLED, "from scratch": FROM_SCRATCH, "by pulling": BY_PULLING, "backwards": BACKWARDS,
         "in place of +=": FILLED.replace("grad[ref] += part", "grad[ref] = torch.add(grad[ref], part)"),
         "all at once": FILLED.replace("for id in reversed(order)", "for id in list(reads)[::-1]")}  # fmt: skip


@pytest.mark.parametrize("source", RIGHT.values(), ids=RIGHT)
def test_an_engine_is_right_however_it_is_written(source):
    assert check.backward(cell(GIVEN, source)["backward"]).text.startswith("backward is right: 30 cases of 30.")


def test_an_engine_that_calls_pytorch_is_right():
    pytest.importorskip("torch")
    assert check.backward(cell(GIVEN, WITH_TORCH)["backward"]).score == 1


WRONG = {
    "the order of the program": (FILLED.replace("reversed(order)", "order"), "the result hands on last"),
    "an = ": (FILLED.replace("+= part", "= part"), "what comes later takes the place of what came first"),
    "the value first": (FILLED.replace("torch.tensor(1.0)", "value(graph, graph.results[0])"),
                        "backward begins with the result"),
    "as it is reached": (FILLED.replace("reversed(order)", "go(graph.results[0], [], reads)").replace(
        "def backward", "def go(id, seen, reads):\n    if id not in seen:\n        seen.append(id)\n"
        "        for ref in reads[id]: go(ref, seen, reads)\n    return seen\n\ndef backward"),
        "go on to an input as soon as it is reached"),
    "nothing back": (FILLED.replace("return grad", ""), "It gives None back"),
    "a list": (FILLED.replace("return grad", "return list(grad.values())"), "a dict with the gradient of each node"),
    "numbers": (FILLED.replace("return grad", "return {k: v.tolist() for k, v in grad.items()}"), "should be a tensor"),
    "by name": (FILLED.replace("return grad", "return {graph[k].name: v for k, v in grad.items() if k[0] == '%'}"),
                "nothing has come to w (%1)"),
    "averaged": (FILLED.replace("return grad", "return {k: v / 2 for k, v in grad.items() if k[0] == '%'}"),
                 "the gradient of w (%1)"),
    "an error": (FILLED.replace("+= part", "+= parts"), "NameError: name 'parts' is not defined"),
    "a sum that nobody keeps": (FILLED.replace("+= part", "+ part"), "grad[ref] + part adds part to grad[ref]"),
    "no second blank": (FILLED.replace("grad[ref] += part", "..."), "nothing has come to w (%1)"),
    "no shape": (FILLED.replace("+= part", "+= part.sum()"), "the gradient of"),
}  # fmt: skip


@pytest.mark.parametrize("source, why", WRONG.values(), ids=WRONG)
def test_a_wrong_engine_is_refused_with_a_reason(source, why):
    result = check.backward(cell(GIVEN, source)["backward"])
    assert result.score == 0 and why in said(result), result.text
    assert "Look at" not in result.text and "Your topological_order" not in result.text, "the rules are right"


def test_an_order_that_never_ends_is_told_the_time_that_it_had(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)
    names = cell(GIVEN, FILLED)
    names["topological_order"] = lambda graph: [_ for _ in iter(int, 1)]
    text = said(check.backward(names["backward"]))
    assert "It was stopped: 0.3 seconds were not enough." in text, "for all cases"
    assert "Your topological_order goes wrong here" in text and "It was stopped: 1 second was not enough." in text


def test_a_wrong_engine_is_told_its_whole_graph_and_a_line_for_what_w_gets():
    text = check.backward(cell(GIVEN, FILLED.replace("+= part", "-= part"))["backward"]).text
    assert "    loss   %10 = div %9, 7   : float32[]\n           return %10\n  got       w gets 259.842\n" in text


def test_an_order_that_begins_at_the_result_is_not_told_to_begin_elsewhere():
    source = FILLED.replace("reversed(order)", "sorted(order, reverse=True)")
    text = said(check.backward(cell(GIVEN, source)["backward"]))
    assert "nothing has come to w" in text and "This is what follows" not in text


def test_a_loop_that_never_ends_and_a_flood_of_prints_are_stopped(monkeypatch):
    monkeypatch.setattr("rustyflow.lessons.kit.answers.call.PATIENCE", 0.3)
    endless = FILLED.replace("    return grad", "    while True: print('on')")
    result = check.backward(cell(GIVEN, endless)["backward"])
    assert result.score == 0 and "never to end" in said(result) and len(result.text) < 4000


def test_a_blank_that_is_left_is_not_attempted_yet():
    result = check.backward(cell(GIVEN, STUB)["backward"])
    assert result.score == 0 and "not attempted yet" in result.text


OWN = {
    "a quotient that counts cells": (
        "def vjp_div(g, a, b):\n    n = len(b)\n    return g / b, -g * a / (b * b)\nrules['div'] = vjp_div",
        "Look at vjp_div of lesson 09, which is called for div, and goes wrong with"),
    "a product for two rows": (
        "rules['mul'] = lambda g, a, b: (torch.stack([g[0] * b[0], g[1] * b[1]]), g * a)",
        "Look at vjp_mul of lesson 09, which is called for mul"),
    "a difference with the wrong sign": (
        "rules['sub'] = lambda g, a, b: (g, g)", "Look at vjp_sub of lesson 12, which is called for sub"),
    "a sum that is averaged": (
        "rules['expand'] = lambda g, x: [mine.sum_to(g, x.shape) / 2]", "Look at sum_to of lesson 11"),
    "a stub": ("rules['sum'] = lambda g, x: [None]", "Look at vjp_sum of lesson 12"),
    "none at all": ("del rules['sub']", "rules has no function for sub, so nothing goes back through"),
    "an order of letters": (
        "def topological_order(graph):\n    return sorted(graph, reverse=True)", "Your topological_order goes wrong"),
    "an order that raises": (
        "def topological_order(graph):\n    return [graph[n][0] for n in graph]", "Your topological_order goes wrong"),
}  # fmt: skip


@pytest.mark.parametrize("source, why", OWN.values(), ids=OWN)
def test_an_own_line_that_is_wrong_here_is_named_with_its_input(source, why):
    result = check.backward(cell(GIVEN, source, FILLED)["backward"])
    assert result.score == 0 and why in said(result), result.text
    if "Look at" in why:
        assert "g = " in result.text and len(result.text) < 6000


def test_the_rules_of_the_lesson_are_told_what_is_wrong_with_them():
    for right, wrong, held in ((check.vjp_sub, lambda g, a, b: (g, g), "a difference is like a sum"),
                               (check.vjp_sum, lambda g, x: g, "one number arrives, so one number goes back"),
                               (check.vjp_sum, lambda g, x: g * x, "what arrives is multiplied by the cell")):
        assert f'"{held}"' in said(right(wrong))
    for function in (lambda g, a, b: [g, 0 - g], lambda g, a, b: (g * 1, g * -1), lambda g, a, b: (g, g.neg())):
        assert check.vjp_sub(function).score == 1
    for function in (lambda g, x: x * 0 + g, lambda g, x: g.expand_as(x), lambda g, x: g * x.new_ones(x.shape)):
        assert check.vjp_sum(function).score == 1


PROGRAMS = [
    lambda w, x, y: ((w * x - y) * (w * x - y)).sum() / 7,
    lambda w, x, y: (w / x + x / w).sum() - (w * 2).sum(),
    lambda w, x, y: ((w + x) ** 3 * y).sum() / (w * w + 1).sum(),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=("cars", "quotients", "powers"))
@pytest.mark.parametrize("shapes", [((), (3,), (3,)), ((2, 1), (3,), (2, 3)), ((1,), (), (2, 2)), ((0,), (0,), ())],
                         ids=str)  # fmt: skip
def test_the_course_s_engine_has_the_gradients_of_backward(program, shapes):
    leaves = [(arange(1.0, 1 + ones(shape).numel()).reshape(shape)).requires_grad_() for shape in shapes]
    result = program(*leaves)
    graph = ir.graph(result)
    result.backward(retain_graph=True)
    for found in (engine(graph), models.backward(graph)):
        for leaf in (leaf for leaf in leaves if graph.find(leaf)):
            assert same(found[graph.find(leaf)], leaf.grad) and found[graph.find(leaf)].shape == leaf.shape


def test_one_plain_number_may_stand_at_several_shapes_and_what_has_no_rule_stops():
    """The half squared error, which the course's engine once stopped at: 2 is read as seven numbers, and as one."""
    w, speed = tensor(3.0, requires_grad=True), tensor([1.0, 2.0])
    filled = cell(GIVEN, FILLED)["backward"]
    for backward in (models.backward, filled):
        graph = ir.graph(loss := ((w * speed * 2 - 2) ** 2).sum() / 2)
        loss.backward(retain_graph=True)
        assert same(backward(graph)[graph.find(w)], w.grad)
        w.grad = None
        with pytest.raises(KeyError, match="exp"):
            backward(ir.graph((w.exp() * w).sum()))  # once a wrong number, in silence


def test_each_part_of_the_last_picture_leads_to_its_lesson():
    figure = check.training(CARS, models.backward)
    pages = figure.scene.pages
    assert len(pages) == 9 and pages["l4"] == "10-wait-for-everyone.ipynb" and pages["m"] == "03-stride-zero.ipynb"
    assert all((NOTEBOOK.parent / page).is_file() for page in pages.values())
    assert all(id in figure.scene.paths[-1][0] for id in pages)  # the arrow keys lead there
    assert figure.state(link="l4").sentence == "add, wait: lesson 10, Wait for everyone. Enter or a click opens it."
    html = figure.html()
    assert '<a href="10-wait-for-everyone.ipynb" data-for="l4">10-wait-for-everyone</a>' in html
    exported, _ = redrawn(html, str, ["10-wait-for-everyone.ipynb"])
    assert 'href="10-wait-for-everyone.html" data-for="l4"' in exported and "03-stride-zero" not in exported
    for wrong in "https://example.org/a.ipynb", "../a.ipynb", "a.html", "javascript:a.ipynb":
        with pytest.raises(ValueError, match="a linked shape leads to a notebook beside"):
            replace(figure.scene, pages={"l4": wrong})


@pytest.mark.parametrize("part, told", [
    ("reversed", "w gets nothing, and should get -259.842"), ("+=", "w gets -129.921, and should get -259.842"),
    ("sum_to", "w gets 7 numbers: -4.286, -8.097, -16.87, -23.64, -42.84, -41.14, -123, and should get -259.842"),
])  # fmt: skip
def test_without_a_part_the_bug_of_its_lesson_is_back(part, told):
    w, speed, feet = tensor(3.0, requires_grad=True), tensor(CARS.x), tensor(CARS.y)
    d = w * speed * speed - feet
    loss = (d * d).sum() / 7
    lines = check.without(part, loss).splitlines()
    assert " ".join(" ".join(lines).split()).startswith(f"without {part}: {told}")
    assert all(len(line) <= 78 and line[-1] not in "-" for line in lines), "no sign stands apart from its digits"


W = tensor(3.0, requires_grad=True)


@pytest.mark.parametrize("part, result, said", [
    ("+=", lambda: W.exp() * W, "%2 = exp"), ("reversed", lambda: -(W * W), "%3 = neg"),
    ("sum_to", lambda: (W * ones(2)).mean(), "%5 = mean"), ("+=", lambda: W * ones(2), "a result of shape (2,)"),
    ("=", lambda: W * W, "part='='"),
])  # fmt: skip
def test_no_number_is_said_of_what_the_engine_has_no_rule_for(part, result, said):
    with pytest.raises(ValueError) as caught:
        check.without(part, result())
    assert caught.value.was == said and caught.value.rule and caught.value.fix


@pytest.mark.parametrize("engine", [
    lambda graph: {}, lambda graph: None, lambda graph: [tensor(1.0)], lambda graph: {"w": tensor(1.0)},
    lambda graph: {"%1": 1.0}, lambda graph: {"%1": ones(7)},
])  # fmt: skip
def test_an_engine_that_finds_nothing_does_not_train_with_another_s_numbers(engine):
    with pytest.raises(TypeError, match="the gradient of w, a tensor of one number, is at '%1'"):
        check.training(CARS, engine)


def test_the_number_that_is_found_is_that_of_lesson_00():
    figure = check.training(CARS, models.backward, many=3, rate=0.02)
    assert [line.rpartition(" ")[2] for line in figure.sentences] == ["6.45.", "10.2.", "12.4."]
    w = tensor(0.0, requires_grad=True)
    ((w * tensor(CARS.x) * tensor(CARS.x) - tensor(CARS.y)) ** 2).mean().backward()
    assert f"in all {w.grad.item():.4g};" in figure.sentences[0]
    assert "· speed: vjp_mul, lesson 09" in str(figure)


@pytest.mark.parametrize("fit", [Fit(("k", "hours", "miles"), (1.0, 2.0), (3.0, 5.0)), CARS,
                                 Fit(("p", "pieces", "cents"), (1.0, 2.0, 3.0), (30.0, 50.0, 1e6), True)])
def test_the_figure_of_a_training_is_of_any_fit(fit):
    figure = check.training(fit, lambda graph: {"%1": engine(graph)["%1"]}, many=2)
    assert len(figure.sentences) == 2 and figure.svg(0) != figure.svg(1)


def test_an_engine_of_a_graph_keeps_the_graph_s_ids():
    x = tensor(3.0, requires_grad=True)
    graph = recorded(x * x, x=x)
    assert {id: float(g) for id, g in engine(graph).items()} == {"%2": 1.0, "%1": 6.0}


def test_the_lesson_walked_to_its_end_in_a_kernel_trains_with_the_student_s_own_lines(tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / progress.COURSE).parent.mkdir()
    (tmp_path / progress.COURSE).write_text("{}", encoding="utf-8")
    (tmp_path / keeping.FOLDER).mkdir()
    (tmp_path / keeping.FOLDER / "vjp_mul.py").write_text("def vjp_mul(g, a, b):\n    return b * g, a * g\n")
    for name in ("CI", "NBGRADER_EXECUTION", "RUSTYFLOW_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    book = nbformat.reads(as_delivered(NOTEBOOK).decode(), as_version=4)
    answers = {"def vjp_sub": "    return g, -g\n", "def vjp_sum": "    return g.expand(x.shape)\n"}
    for one in book.cells:
        one.source = one.source.replace("check.which_may_go\n", "").replace("\ncheck.which_may_go.after()", "")
        if one.source in ("check.which_may_go", "check.nothing_is_added"):
            one.source += '("A")'
        for start, body in answers.items():
            one.source = one.source.replace("    ...\n", body) if one.source.startswith(start) else one.source
        if "def backward" in one.source:
            one.source = FILLED + "check.backward(backward)"
    book.cells.append(nbformat.v4.new_code_cell("print('own', mine.backward.__code__ is backward.__code__)"))
    NotebookClient(book, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    texts = [" ".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in c.outputs)
             for c in book.cells if c.cell_type == "code"]  # fmt: skip
    shown = "\n".join(texts)
    assert shown.count("is right: ") == 3 and "not kept" not in shown
    assert "own True" in shown and "vjp_mul            yours, from lesson 09" in shown
    assert "step 20   loss    39.6   w  15.4" in shown
    assert " ".join(shown.split()).count("The engine is yours, from lesson 12") == 4
    kept = {path.stem for path in (tmp_path / keeping.FOLDER).glob("*.py")}
    assert kept == {"vjp_mul", "vjp_sub", "vjp_sum", "backward"}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    x = tensor(3.0, requires_grad=True)
    own = mine.backward
    assert own is not models.backward and own(ir.graph(x * x - x))["%1"].item() == 5.0, "in another kernel, too"

"""The notebooks as they are committed, and the promises they make."""

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import nbformat
import pytest

import rustyflow
from rustyflow.cli.course import files_of, titled
from rustyflow.lessons import Blanks, Exercise, Question
from rustyflow.lessons.execute import committed
from rustyflow.see.look import look
from tests.lessons.catalogue import checks_of, lessons

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
LESSONS = lessons()
PLACES = re.compile(r"/(home|root|Users|tmp|work|usr|opt)/|[A-Z]:\\\\|0x[0-9a-f]{6}")
OURS = {"show", "check", "ir", "widgets", "mine", "museum"}  # names that PyTorch does not have
TOURS = {"00-start-here": 28, "first-hour": 60}
"""Lessons without the rhythm of the others, which begin with something to play with; and the minutes that each has."""
FIGURES = "training|compare|hall|guest|record|watch|wrote|ink"  # of a lesson's own
USED = re.compile(rf"^check\.(?!(?:{FIGURES})\b)(\w+)(?=\(|$)", re.M)  # `check.q(guess)`, or `check.q`, which shows it
MAGIC = re.compile(r"^%.*$", re.M)
BLOCKS = re.compile(r"```python\n(.*?)```.*?```text\n(.*?)```", re.S)

every_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def module_of(path):
    """The lesson's checks: the module named as its notebook, without the number."""
    return LESSONS[titled(path.stem).replace("-", "_")]


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def said(cell):
    """All that a code cell shows as text."""
    data = [output.get("data", {}).get("text/plain", output.get("text", "")) for output in cell.outputs]
    return "\n".join(data)


def test_every_lesson_has_its_notebook():
    assert {titled(path.stem).replace("-", "_") for path in PATHS} == set(LESSONS)


@every_notebook
def test_each_belief_that_a_check_names_stands_in_the_notes(path):
    note = " ".join((FOLDER / "teacher" / f"{path.stem}.md").read_text(encoding="utf-8").split())
    for name, check in checks_of(module_of(path)).items():
        parts = check.blanks.values() if isinstance(check, Blanks) else [check]
        assert not {one.belief for part in parts for one in part.misconceptions if one.belief not in note}, name
        assert isinstance(check, Question) or f"`{name}`" in note


@every_notebook
def test_it_is_executed_and_clean(path):
    text = path.read_text(encoding="utf-8")
    assert committed(nbformat.reads(text, as_version=4)) == text, "run python -m rustyflow.lessons.execute on it"
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    shown = json.dumps(outputs)
    assert "<script" not in shown and "widget" not in shown
    assert not PLACES.search(shown), "an output tells of the machine that made it"
    assert path.stat().st_size < 400_000


@every_notebook
def test_it_begins_with_the_course_s_three_lines(path):
    first = code_cells(path)[0].source.splitlines()
    name = module_of(path).__name__.rpartition(".")[2]
    assert first[0] == "import rustyflow as torch" and first[2:] == [f"from rustyflow.lessons import {name} as check"]
    rooms = ("show", "widgets", "ir", "ir, show", "show, widgets", "ir, show, widgets")
    assert first[1] in [f"from rustyflow import {some}" for some in rooms]


@every_notebook
def test_every_check_is_used_once_and_not_attempted(path):
    used = {}
    for cell in code_cells(path):
        for name in USED.findall(cell.source):
            assert name not in used, f"check.{name} is used twice"
            used[name] = cell
    assert used.keys() == checks_of(module_of(path)).keys()
    for name, cell in used.items():
        asked = cell.source.endswith(f"check.{name}")
        assert (asked or "..." in cell.source) and re.search(r"not attempted yet|Not a\w+ yet", said(cell)), name


@every_notebook
def test_nothing_before_a_question_gives_its_answer(path):
    checks, before = checks_of(module_of(path)), ""
    for cell in read(path).cells:
        name = USED.search(cell.source) if cell.cell_type == "code" else None
        check = checks[name[1]] if name else None
        if isinstance(check, Question):
            assert check.words(check.key(**check.case)) not in before, name[1]
        else:
            before += cell.source + (said(cell) if cell.cell_type == "code" else "")


@every_notebook
def test_a_question_can_be_read_before_its_cell_is_run(path):
    checks, above = checks_of(module_of(path)), ""
    for cell in read(path).cells:
        name = USED.search(cell.source) if cell.cell_type == "code" else None
        if cell.cell_type == "markdown":
            above = cell.source
        elif name and not isinstance(checks[name[1]], Exercise):  # the stub of a function says what it should do
            assert "?" in above, name[1]


@every_notebook
def test_its_figures_stand_after_the_guess(path):
    sources = [cell.source for cell in code_cells(path)]
    asked = [name for name, check in checks_of(module_of(path)).items() if isinstance(check, Question)]
    if path.stem in TOURS:
        return
    first = next(k for k, source in enumerate(sources) if set(USED.findall(source)) & set(asked))
    assert not any("show." in source or "widgets." in source for source in sources[1:first])


@every_notebook
def test_a_cell_that_gives_an_answer_away_waits_below_its_question(path):
    asked = set()
    for cell in code_cells(path):
        waited = set(re.findall(r"^check\.(\w+)\.after\(\)$", cell.source, re.M))
        assert waited <= asked
        asked |= set(USED.findall(cell.source))


def program(path):
    """The cells without figures, checks and magics. Those tagged `differs` say something in their own words."""
    for cell in code_cells(path)[1:]:
        tree = ast.parse(MAGIC.sub("", cell.source))
        tree.body = [step for step in tree.body if not names_in(step) & OURS]
        yield ast.unparse(tree), "differs" in cell.metadata.get("tags", ())


def names_in(step):
    return {node.id for node in ast.walk(step) if isinstance(node, ast.Name)}


def run(source, names):
    """What a cell prints, and the text of its last expression."""
    tree, printed = ast.parse(source), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return printed.getvalue() + (repr(value) if value is not None else "")


@pytest.mark.parametrize("path", [path for path in PATHS if path.stem not in TOURS], ids=lambda path: path.stem)
def test_its_lines_for_your_own_code_are_drawn(path):
    [section] = [cell.source.partition("## Now in your own code")[2] for cell in read(path).cells
                 if "## Now in your own code" in cell.source]  # fmt: skip
    names = {"torch": rustyflow}
    for source, _ in program(path):
        run(source, names)
    for line in re.findall(r"^%see (.*)$", section, re.M):
        assert look(line, names).frames, line


@every_notebook
def test_the_program_says_the_same_under_pytorch(path):
    torch = pytest.importorskip("torch")
    ours, theirs = {"torch": rustyflow}, {"torch": torch}
    for source, differs in program(path):
        here, there = run(source, ours).replace("rustyflow.", "torch."), run(source, theirs)
        assert differs or here == there, source


@every_notebook
@pytest.mark.parametrize("library", ["rustyflow", "torch"])
def test_what_it_says_of_pytorch_is_so(path, library):
    names = {"torch": pytest.importorskip(library)}
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    blocks = BLOCKS.findall(text)
    assert blocks or path.stem in TOURS, "a lesson ends with the same code under PyTorch"
    for source, result in blocks:
        assert run(source, names).strip() == result.strip()


def notes_on(path):
    return (FOLDER / "teacher" / f"{path.stem}.md").read_text(encoding="utf-8")


@every_notebook
def test_a_lesson_is_done_in_its_time(path):
    """Each vote, the talk after it and the wrap-up have minutes of their own, and two of the thirty are left."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", notes_on(path), re.M)
    assert sum(int(minutes) for minutes, _ in rows) <= TOURS.get(path.stem, 28)
    if path.stem not in TOURS:
        for part in ("predict", "first vote", "explain", "second vote", "exercise", "wrap-up"):
            assert sum(what.startswith(part) for _, what in rows) == 1, part
    for part in ("In five minutes.", "Late-comer.", "Early finisher."):
        assert notes_on(path).count(f"**{part}**") == 1, part


@every_notebook
def test_the_teacher_knows_every_choice(path):
    """The notes list each choice as the screen does, with the belief behind it, and stay out of the student's copy."""
    rows = []
    for check in checks_of(module_of(path)).values():
        if isinstance(check, Question):
            beliefs = {check.words(m.answer(**check.case)): m.belief for m in check.misconceptions}
            for letter, answer in check.choices().items():
                words = check.words(answer)
                rows.append(f"| {letter} | {words} | {beliefs.get(words, 'right: ')}")
    found = re.findall(r"^\| [A-Z] \|.*", notes_on(path), re.M)
    assert len(found) == len(rows)
    assert [line for line, row in zip(found, rows, strict=True) if not line.startswith(row)] == []
    notes = [str(name) for name in files_of(FOLDER) if name.suffix == ".md" or "teacher" in name.parts]
    assert notes == ["glossary.md"]


def test_the_guide_lists_every_lesson():
    guide = (FOLDER / "teacher" / "guide.md").read_text(encoding="utf-8")
    for path in PATHS:
        assert f"| {path.stem.replace('-', ' ')} |" in guide


def numbers_of_lessons(needs):
    """The lessons without which one cannot be done; what is only better is left out."""
    return re.findall(r"\b\d\d\b", re.split(r"[;.]|, better", re.sub(r"\(glossary[^)]*\)", "", needs))[0])


def test_a_lesson_needs_the_same_wherever_that_is_said():
    tour, guide = read(FOLDER / "00-start-here.ipynb"), (FOLDER / "teacher" / "guide.md").read_text(encoding="utf-8")
    [table] = [cell.source for cell in tour.cells if "| lesson | what it is about | needs |" in cell.source]
    for path in PATHS:
        number, (first, *_) = path.stem[:2], read(path).cells
        if path.stem not in TOURS:
            own = re.search(r"^\*You need (lessons? .*)", first.source, re.M)
            wanted = numbers_of_lessons(own[1]) if own else ["00"]
            for told in table, guide:
                [row] = re.findall(rf"^\| {number}\b.*\| (.*) \|$", told, re.M)
                assert numbers_of_lessons(row) == wanted, number


def test_the_guide_knows_the_minutes_of_each_note():
    """Those that a note adds up to, and those that it gives its two votes."""
    guide = " ".join((FOLDER / "teacher" / "guide.md").read_text(encoding="utf-8").split())
    votes = {}
    for path in PATHS:
        rows = re.findall(r"^\| (\d+) \| (first vote|second vote|)", notes_on(path), re.M)
        long = int(re.search(rf"\| {path.stem.replace('-', ' ')} \|[^|]*\| (\d+) minutes", guide)[1])
        assert sum(int(minutes) for minutes, _ in rows) == (28 if long == 30 else long), path.stem
        for minutes, which in rows:
            votes.setdefault((long, which), set()).add(minutes)
    told = {key: " or ".join(sorted(minutes)) for key, minutes in votes.items() if key[1]}
    assert f"{told[30, 'first vote']} for the first vote and {told[30, 'second vote']} for the second" in guide
    assert f"{told[15, 'first vote']} for the first and {told[15, 'second vote']} for the second" in guide


@every_notebook
def test_the_teacher_knows_where_page_down_leaves_the_class_core(path):
    """The notes say Esc where the next figure, or question, after the second vote stands under More."""
    if path.stem in TOURS:
        return
    cells = read(path).cells
    more = next(k for k, cell in enumerate(cells) if re.match(r"---\s+# More", cell.source))
    drawn = [any("text/html" in output.get("data", {}) for output in cell.get("outputs", ())) for cell in cells]
    shown = [k for k, figure in enumerate(drawn) if figure]
    asks = [k for k in shown if USED.fullmatch(cells[k].source) and k < more]
    leaves = next((k for k in shown if k > asks[1]), 0) > more
    assert ("(Esc first: PageDown goes on to a " in notes_on(path)) == leaves

"""The house: rooms in one order, each of which takes from those before it alone, and no circle among its files.

Every import counts, those inside functions and by string too. There is no list of exceptions: what is below and needs
something above has a slot, which the one above fills.
"""
import ast
import re
from functools import cache
from pathlib import Path

import pytest

import rustyflow

HOUSE = Path(rustyflow.__file__).parent
ORDER = """errors dtype layout arguments backends tensor dispatch autograd ops random distributions nn optim data ir
claims unfold scene show widgets see lessons cli linalg cuda absent utils""".split()
FACES = {"linalg": "nn", "cuda": "errors", "absent": "errors", "scene": "errors", "utils": "data"}
"""Rooms that stand beside the row, and the last room that they may take from."""


def module(path):
    return ".".join(["rustyflow", *path.relative_to(HOUSE).with_suffix("").parts]).removesuffix(".__init__")


FILES = {module(path): path for path in HOUSE.rglob("*.py")
         if path.relative_to(HOUSE).parts[0] != "course"}


def imports(source, here, package):
    """The modules of ours that some code names, and those that it only names by a string."""
    found, said = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = here.split(".") if package else here.split(".")[:-1]
            base = base[:len(base) - (node.level - 1)] if node.level else []
            whole = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            found |= {f"{whole}.{alias.name}" if f"{whole}.{alias.name}" in FILES else whole for alias in node.names}
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func) and node.args:
            said.add(ast.unparse(node.args[0]))
    return {name for name in found if name in FILES and name != here}, said


@cache
def graph():
    return {name: imports(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")[0]
            for name, path in FILES.items()}


def room(name):
    return name.split(".")[1] if "." in name else ""


def upwards(edges):
    """The imports that take from a room that is not before one's own; the face, which knows all, may."""
    found = []
    for here, there in ((a, b) for a, named in edges.items() for b in named):
        mine, its = room(here), room(there)
        last = FACES.get(mine, mine)
        if mine == "scene" and there == "rustyflow.claims.digits":  # how numbers are written, in cells, too
            continue
        if mine not in ("", "__main__") and its != mine and (not its or ORDER.index(its) > ORDER.index(last)):
            found.append(f"{here} takes {there}")
    return sorted(found)


def circles(edges):
    """The groups of files that lead back to themselves (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in edges.get(name, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            group = stack[stack.index(name):]
            del stack[stack.index(name):]
            found.extend([sorted(group)] * (len(group) > 1))
    for name in edges:
        if name not in index:
            visit(name)
    return found


def test_each_room_takes_from_those_before_it_alone():
    assert upwards(graph()) == []


def test_no_files_import_in_a_circle():
    edges = {name: {other for other in named if other != "rustyflow"} for name, named in graph().items()}
    assert circles(edges) == []


def test_only_the_door_of_a_room_imports_by_string():
    assert {name for name, path in FILES.items() if path.name != "__init__.py"
            and imports(path.read_text(encoding="utf-8"), name, False)[1]} == set()


def figures():
    """The folders of figures, by name."""
    text = (HOUSE / "show/__init__.py").read_text(encoding="utf-8")
    return [f"rustyflow.show.{name}" for name in re.findall(r"^from \.(\w+)\.figure import", text, re.MULTILINE)]


def belongs(name, to):
    return name == to or name.startswith(f"{to}.")


def test_a_figure_takes_no_other_figure():
    assert len(figures()) >= 6
    across = [f"{here} takes {there}" for figure in figures() for here, named in graph().items()
              if belongs(here, figure) for there in named
              for other in figures() if other != figure and belongs(there, other)]  # fmt: skip
    assert across == []


def test_the_kit_holds_what_two_figures_use():
    """A module of the kit that a single figure uses, straight or through the kit, belongs into that figure's folder."""
    edges = graph()

    def reached(names):
        todo, met = [*names], set()
        while todo:
            name = todo.pop()
            if name not in met:
                met.add(name)
                shared = "rustyflow.show.kit", "rustyflow.show.words"
                todo += [there for there in edges.get(name, ()) if there.startswith(shared)]
        return met

    users = [reached(name for name in edges if belongs(name, figure)) for figure in figures()]
    users += [reached([name]) for name in edges if name.startswith(("rustyflow.widgets.", "rustyflow.show.values"))]
    kit = [name for name in edges if name.startswith("rustyflow.show.kit.")]
    assert len(kit) > 10 and [name for name in kit if sum(name in met for met in users) < 2] == []


def test_the_rooms_of_the_lessons_kit_take_from_those_before_them():
    row = "answers questions exercises programs".split()

    def place(name):
        return row.index(name.removeprefix("rustyflow.lessons.kit.").split(".")[0])

    inside = [(here, there) for here, named in graph().items() for there in named
              if here.startswith("rustyflow.lessons.kit.") and there.startswith("rustyflow.lessons.kit.")]
    assert len(inside) > 50 and [f"{a} takes {b}" for a, b in inside if place(a) < place(b)] == []


def test_the_house_has_few_doors_and_each_says_what_is_behind_it():
    outside = [path.name for path in HOUSE.iterdir() if path.name not in ("__pycache__", "course")]
    told = (HOUSE.parent / "README.md").read_text(encoding="utf-8")
    rows = len(re.findall(r"(?m)^\| `\w+(?:/|\.py)` \|", told.partition("Of the rooms")[2]))
    assert len(outside) <= rows + 4  # and what stands at the door: __init__ with its stub, __main__, py.typed
    for name in sorted({room(name) for name in FILES} - {"", "__main__"}):
        doc = ast.get_docstring(ast.parse(FILES[f"rustyflow.{name}"].read_text(encoding="utf-8")))
        line = re.split(r"(?<=\.)\s", doc.replace("\n", " "))[0].rstrip(".")
        kind = "/" if (HOUSE / name).is_dir() else ".py"
        assert f"| `{name}{kind}` | {line} |" in told, f"| `{name}{kind}` | {line} |"


@pytest.mark.parametrize("source, found", [
    ("from .. import ops", "ops"), ("def f():\n    from ..ops.views import view", "ops.views.view"),
    ("import rustyflow.ops", "ops"),
])
def test_an_import_is_seen_wherever_it_stands(source, found):
    assert f"rustyflow.{found}" in imports(source, "rustyflow.layout.shapes", False)[0]
    assert upwards({"rustyflow.layout.shapes": {f"rustyflow.{found}"}}) != []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]

"""Every public name says what it is and where PyTorch describes it, and shows an example that is run."""

import ast
import builtins
import contextlib
import doctest
import inspect
import io
import re
import sys
import warnings
from operator import attrgetter
from types import ModuleType

import pytest

import rustyflow as rf
from rustyflow.errors import GradError, MemoryOverlapError
from rustyflow.tensor.table import fill

fill()

from rustyflow.ops import families  # noqa: E402 - which the table loads

LIBRARY = ["", "Tensor", "linalg", "autograd", "autograd.functional", "autograd.graph", "nn", "nn.functional",
           "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "utils.data", "random", "cuda", "accelerator",
           "distributions", "distributions.constraints"]
PLACES = [*LIBRARY, "backends", "ir", "show"]


def described(where, root=rf):
    """The names of a place that can have docstrings of their own: functions, classes and properties."""
    place = attrgetter(where)(root) if where else root
    names = [name for name in dir(place) if name.isidentifier() and not name.startswith("_")]
    values = {name: inspect.getattr_static(place, name, None) for name in names}
    found = {name: getattr(place, name) if value is None else value for name, value in values.items()}
    return {name: value for name, value in found.items() if callable(value) or isinstance(value, property)}


def is_error(value):
    return isinstance(value, type) and issubclass(value, Exception)


@pytest.fixture(scope="module")
def run():
    """The docstrings that doctest finds when it looks through the modules in which the public names are made."""
    for where in PLACES:
        described(where)
    finder = doctest.DocTestFinder()
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "rustyflow"]
    return {test.docstring for module in modules for test in finder.find(module)}


@pytest.mark.parametrize("where", PLACES)
def test_every_public_name_has_an_example_that_is_run(where, run):
    said = {name: value.__doc__ or "" for name, value in described(where).items() if not is_error(value)}
    assert said
    assert [name for name, doc in said.items() if "Example:\n" not in doc or ">>> " not in doc or doc not in run] == []


@pytest.mark.parametrize("where", PLACES)
def test_an_example_needs_no_name_that_it_does_not_make(where):
    """So that what help() shows runs where it is pasted."""
    missed = []
    for name, value in described(where).items():
        names = {}
        for line in doctest.DocTestParser().get_examples(value.__doc__ or ""):
            try:
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("ignore")
                    exec(compile(line.source, name, "single"), names)
            except NameError as error:
                missed.append(f"{name}: {error}")
            except Exception:
                assert line.exc_msg, (name, line.source)
    assert missed == []


def test_every_error_says_what_went_wrong():
    errors = {name: value.__doc__ for name, value in described("errors").items() if is_error(value)}
    assert [name for name, doc in errors.items() if not doc.split("\n")[0].endswith(".")] == []


def family(error):
    """An exception class and all classes derived from it."""
    return {error}.union(*map(family, error.__subclasses__()))


RAISES = re.compile(r"^ *Raises\b.*?(?=\n\s*\n|\n *Source:|\Z)", re.DOTALL | re.MULTILINE)
ERROR = re.compile(r"\b[A-Z]\w*(?:Error|OfRange|Axis|Name)(?=s?\b)")


@pytest.mark.parametrize("where", PLACES)
def test_every_error_that_a_docstring_says_is_raised_exists(where):
    docs = {name: value.__doc__ or "" for name, value in described(where).items()}
    said = {name: ERROR.findall("".join(RAISES.findall(doc))) for name, doc in docs.items()}
    assert where not in ("", "Tensor", "linalg", "nn.functional") or any(said.values())
    ours = {error.__name__ for error in family(Exception) if error.__module__.startswith("rustyflow")}
    known = ours.union(dir(builtins))
    assert [(name, error) for name, found in said.items() for error in found if error not in known] == []


@pytest.mark.parametrize("where", LIBRARY)
def test_every_name_that_pytorch_has_says_where(where):
    theirs = described(where, pytest.importorskip("torch"))
    both = {name: value.__doc__ for name, value in described(where).items() if name in theirs and not is_error(value)}
    assert both
    assert [name for name, doc in both.items() if "Source: https://pytorch.org/docs/" not in doc] == []


@pytest.mark.parametrize("where", sorted({*PLACES, "errors"} - {"Tensor"}))
def test_tab_shows_no_name_that_is_there_for_use_inside(where):
    place = attrgetter(where)(rf) if where else rf
    shown = {name for name in dir(place) if name.isidentifier() and not name.startswith("_")}
    modules = {name for name in shown if isinstance(getattr(place, name), ModuleType)}
    if hasattr(place, "__all__"):
        assert set(place.__all__) == shown - (modules if place is rf else set())  # as in PyTorch
    home = place.__name__.replace(".utils.data", ".data")  # PyTorch's name is a face alone
    assert [name for name in modules if getattr(place, name).__name__ != f"{home}.{name}"] == []
    assert not shown & {"annotations", "Any", "Callable"}


def in_place_calls():
    """For each in-place form the tensor and the call that its docstring shows, of a tensor named x."""
    for name, doc in families.__test__.items():
        names = {}
        for line in doctest.DocTestParser().get_examples(doc):
            for call in ast.walk(ast.parse(line.source)):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == name:
                    x = eval(ast.unparse(call.func.value), names)
                    call.func.value = ast.Name("x")
                    yield pytest.param(name, x, ast.unparse(call), names, id=ast.unparse(call))
            exec(line.source, names)


def test_every_in_place_form_shows_itself():
    assert {call.values[0] for call in in_place_calls()} == families.__test__.keys()


ONE_VALUE = ("index_fill_", "masked_fill_", "tril_", "triu_")
"""What writes one value alone, which cells may share."""


@pytest.mark.parametrize("name, x, call, names", in_place_calls())
def test_in_place_forms_raise_what_their_docstrings_say(name, x, call, names):
    doc = getattr(rf.Tensor, name).__doc__
    if x.is_floating_point() and "GradError" in doc:
        with pytest.raises(GradError, match=name):
            eval(call, {**names, "x": x.clone().requires_grad_()})
    if "MemoryOverlapError" in doc and name not in ONE_VALUE and x.numel() > 1:
        with pytest.raises(MemoryOverlapError, match=name):
            eval(call, {**names, "x": x.flatten()[:1].clone().expand(x.shape)})


def test_help_on_an_in_place_form_shows_its_arguments():
    for name in families.__test__:
        assert inspect.signature(getattr(rf.Tensor, name)) == inspect.signature(getattr(rf.Tensor, name[:-1]))

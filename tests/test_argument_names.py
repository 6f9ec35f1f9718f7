"""An error about an argument calls it and its function as the documentation does, not as a formula does."""

import ast
import inspect
import re

import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from rustyflow.table import fill
from tests.conformance.grid import Case, Inputs, forms, rows
from tests.conformance.specs import FAMILIES

fill()

WRONG = "'a'", "None", "[1.5, 'q']", "{}"
CALLS = {
    (family.prefix + name, text)
    for family in FAMILIES
    for names, right, _ in rows(family.table)
    for name in names
    for arguments in right
    if not arguments.startswith("=")
    for _, text in forms(family, rf, name, arguments)
}


def spoiled(text):
    """The call once for each of its arguments and each wrong value in that argument's place."""
    for wrong in WRONG:
        for k in range(len((call := ast.parse(text, mode="eval").body).args)):
            call = ast.parse(text, mode="eval").body
            call.args[k] = ast.parse(wrong, mode="eval").body
            yield ast.unparse(call)
        for k in range(len(call.keywords)):
            call = ast.parse(text, mode="eval").body
            call.keywords[k].value = ast.parse(wrong, mode="eval").body
            yield ast.unparse(call)


def parameters(called):
    """The arguments of everything that users know by a name: function, method, in linalg, in nn.functional."""
    name = called.removeprefix("linalg_").removeprefix("linalg.")
    places = (rf, rf.Tensor, rf.linalg, rf.nn.functional)
    found = [getattr(place, name) for place in places if hasattr(place, name) and name in dir(place)]
    return {parameter for it in found if callable(it) for parameter in inspect.signature(it).parameters}


@pytest.mark.parametrize("name", sorted({name for name, _ in CALLS}))
def test_an_error_names_a_public_argument(name):
    for call in sorted({wrong for of, text in CALLS if of == name for wrong in spoiled(text)}):
        case = Case("", name, call, "float64", "contiguous", False, False)
        try:
            eval(call, Inputs(rf, case))
        except TensorError as error:
            said = re.search(r"([\w.]+)\(\): argument '(\w+)", str(error))
            assert said is None or said[2] in parameters(said[1]), f"{call}\n{error}"
        except Exception:
            continue

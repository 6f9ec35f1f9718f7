"""An error about an argument calls it and its function as the documentation does, not as a formula does."""

import inspect
import re
from functools import cache

import pytest

import rustyflow as rf
from rustyflow.errors import TensorError
from rustyflow.tensor.table import fill
from tests.conformance.grid import Case, Inputs
from tests.conformance.spoiled import WRONG, calls, spoiled
from tests.each import each

fill()

CALLS = calls(rf)


@cache
def parameters(called):
    """The arguments of everything that users know by a name: function, method, in linalg, in nn.functional."""
    name = called.removeprefix("linalg_").removeprefix("linalg.")
    places = (rf, rf.Tensor, rf.linalg, rf.nn.functional)
    found = [getattr(place, name) for place in places if hasattr(place, name) and name in dir(place)]
    return {parameter for it in found if callable(it) for parameter in inspect.signature(it).parameters}


@pytest.mark.filterwarnings("ignore:.*(dim arg|Implicit dimension|indexing argument)")
@each("name", sorted({name for name, _ in CALLS}))
def test_an_error_names_a_public_argument(name):
    for call in sorted({wrong for of, text in CALLS if of == name for wrong in spoiled(text, WRONG[:4])}):
        case = Case("", name, call, "float64", "contiguous", False, False)
        try:
            eval(call, Inputs(rf, case))
        except TensorError as error:
            said = re.search(r"([\w.]+)\(\): argument '(\w+)", str(error))
            assert said is None or said[2] in parameters(said[1]), f"{call}\n{error}"
        except Exception:
            continue

"""A tensor's text is PyTorch's, character for character: stored expectations, and PyTorch itself where installed."""

import json
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import rustyflow as rf
from rustyflow.tensor.printing import format_parameter, format_tensor, get_printoptions, printoptions, set_printoptions

EXPECTED = json.loads((Path(__file__).parent / "fixtures" / "printing.json").read_text(encoding="utf-8"))
DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]


def text_of(array, **flags):
    return format_tensor(
        array, dtype_name=f"rustyflow.{array.dtype}", is_default_dtype=array.dtype == np.float32, **flags
    )


@pytest.fixture(autouse=True)
def default_options():
    with printoptions(profile="default"):
        yield


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["text"][0][:40])
def test_stored_text_of_pytorch(case):
    if "arange" in case:
        count, step, first = case["arange"]
        array = (np.arange(count) * step + first).astype(case["dtype"])
    else:
        values = [float(v) if isinstance(v, str) else v for v in case["values"]]
        array = np.array(values, dtype=case["dtype"])
    with printoptions(**case.get("options", {})):
        text = text_of(array.reshape(case["shape"]), requires_grad=case.get("requires_grad", False))
    assert text.split("\n") == case["text"]


def test_grad_fn_stands_in_for_requires_grad():
    text = text_of(np.float32([2]), requires_grad=True, grad_fn="MulBackward0")
    assert text == "tensor([2.], grad_fn=<MulBackward0>)"


def test_suffixes_go_to_a_new_line_under_the_numbers_when_the_line_is_full():
    text = text_of(np.full(7, 1.25), requires_grad=True)
    assert text == (
        "tensor([1.2500, 1.2500, 1.2500, 1.2500, 1.2500, 1.2500, 1.2500],\n"
        "       dtype=rustyflow.float64, requires_grad=True)"
    )


def test_another_prefix_sets_the_indent():
    assert text_of(np.float32([[1], [2]]), prefix="Weight(") == "Weight([[1.],\n        [2.]])"


def test_strides_do_not_change_the_text():
    a = np.arange(24, dtype=np.int64).reshape(4, 6)
    assert text_of(a.T[1::2]) == text_of(a.T[1::2].copy())
    row = np.lib.stride_tricks.as_strided(np.float32([1.5]), (2, 3), (0, 0))
    assert text_of(row) == "tensor([[1.5000, 1.5000, 1.5000],\n        [1.5000, 1.5000, 1.5000]])"


def test_parameter_and_size():
    assert format_parameter("tensor([1.])") == "Parameter containing:\ntensor([1.])"
    assert repr(rf.zeros(3, 4).shape) == "rustyflow.Size([3, 4])"
    assert repr(rf.tensor(1).shape) == "rustyflow.Size([])"


def test_a_tensor_prints_its_dtype_its_history_and_its_options():
    x = rf.ones(2, dtype=rf.float64, requires_grad=True)
    assert repr(x) == "tensor([1., 1.], dtype=rustyflow.float64, requires_grad=True)"
    assert str(x * 2) == "tensor([2., 2.], dtype=rustyflow.float64, grad_fn=<MulBackward0>)"
    rf.set_printoptions(precision=1)
    assert repr(rf.tensor(0.25)) == "tensor(0.2)"


def test_format_is_the_numbers_own_for_one_number_only():
    assert f"{rf.tensor(1.5):.3f} {rf.tensor(3):d} {rf.tensor(True)} {rf.tensor(1.5)}" == "1.500 3 True 1.5"
    assert f"{rf.tensor([1.5])}" == "tensor([1.5000])"
    with pytest.raises(TypeError):
        f"{rf.tensor([1.5]):.3f}"


def test_a_parameter_is_formatted_as_it_prints():
    assert f"{rf.nn.Parameter(rf.tensor(1.5))}" == "Parameter containing:\ntensor(1.5000, requires_grad=True)"
    with pytest.raises(TypeError):
        f"{rf.nn.Parameter(rf.tensor(1.5)):.3f}"


@pytest.mark.parametrize("shape", [(10**8,), (10, 10**7), (10**4, 10**4), (7, 6, 10**6, 2)])
def test_a_huge_tensor_costs_what_its_edges_cost(shape):
    huge = np.broadcast_to(np.float32(0.5), shape)
    tracemalloc.start()
    text = text_of(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "..." in text and "0.5000" in text
    assert peak < 2**20


def test_no_numpy_warning_whatever_the_values_and_the_users_seterr():
    signalling = np.uint32([0x7FA00000, 0x3FC00000]).view(np.float32)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert text_of(np.array([np.nan, np.inf, 1e308, 5e-324])) == (
            "tensor([        nan,         inf, 1.0000e+308, 4.9407e-324],\n       dtype=rustyflow.float64)"
        )
        assert text_of(signalling) == "tensor([   nan, 1.5000])"
        assert np.geterr()["over"] == "raise"


# --- options ---------------------------------------------------------------------------------------------------


def test_options_end_with_the_block_even_when_it_fails():
    before = get_printoptions()
    with pytest.raises(ZeroDivisionError), printoptions(precision=1, threshold=5):
        assert get_printoptions()["precision"] == 1
        raise ZeroDivisionError
    assert get_printoptions() == before


def test_sci_mode_goes_back_to_automatic_when_left_out():
    set_printoptions(sci_mode=True)
    set_printoptions(precision=3)
    assert get_printoptions() == {
        "precision": 3,
        "threshold": 1000,
        "edgeitems": 3,
        "linewidth": 80,
        "sci_mode": None,
    }


def test_profile_comes_before_the_other_options():
    set_printoptions(profile="short", edgeitems=1)
    assert (get_printoptions()["precision"], get_printoptions()["edgeitems"]) == (2, 1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"precision": -1}, ValueError),
        ({"precision": 2.5}, TypeError),
        ({"edgeitems": -3}, ValueError),
        ({"linewidth": "80"}, TypeError),
        ({"threshold": float("nan")}, ValueError),
        ({"threshold": "many"}, TypeError),
        ({"profile": "tiny"}, ValueError),
    ],
)
def test_impossible_options_are_refused_and_change_nothing(options, error):
    before = get_printoptions()
    with pytest.raises(error, match="rule:"):
        set_printoptions(**options)
    assert get_printoptions() == before


# --- PyTorch itself --------------------------------------------------------------------------------------------


@st.composite
def arrays(draw):
    """Arrays of every dtype, 0 to 4 axes and many magnitudes; special values sprinkled in, some past the threshold."""
    small = st.lists(st.integers(0, 12), min_size=0, max_size=4).map(lambda s: [min(n, 12 // len(s) + 1) for n in s])
    large = st.sampled_from([[1000], [1001], [30, 40], [7, 200], [2, 3, 400], [5, 6, 7, 8], [1, 1001], [4, 1, 1, 600]])
    shape = tuple(draw(st.one_of(small, small, small, large)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.standard_normal(shape) * 10.0 ** draw(st.integers(-9, 9))
    if draw(st.booleans()):
        values = values * 10.0 ** rng.uniform(-4, 4, shape)
    if draw(st.booleans()):
        values = np.round(values)
    special = draw(st.sampled_from([None, 0.0, -0.0, np.nan, np.inf, -np.inf]))
    if special is not None:
        values = np.where(rng.random(shape) < 0.3, special, values)
    with np.errstate(all="ignore"):
        array = np.array(values).astype(draw(st.sampled_from(DTYPES)))
    return array.T if draw(st.booleans()) else array


OPTIONS = st.one_of(
    st.just({"profile": "default"}),
    st.fixed_dictionaries(
        {
            "precision": st.integers(0, 9),
            "threshold": st.integers(0, 2000),
            "edgeitems": st.integers(0, 5),
            "linewidth": st.integers(0, 150),
            "sci_mode": st.sampled_from([None, True, False]),
        }
    ),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(), OPTIONS, st.booleans())
def test_text_equals_pytorch(array, options, requires_grad):
    torch = pytest.importorskip("torch")
    requires_grad = requires_grad and array.dtype.kind == "f"
    tensor = torch.from_numpy(array).requires_grad_(requires_grad)
    torch.set_printoptions(**options)
    try:
        expected = repr(tensor).replace("torch.", "rustyflow.")
    finally:
        torch.set_printoptions(profile="default")
    with printoptions(**options):
        assert text_of(array, requires_grad=requires_grad) == expected


def test_types_print_with_the_name_they_are_used_by():
    x = rf.ones(2)
    for value, name in ((x, "Tensor"), (x.shape, "Size"), (x.dtype, "dtype"), (x.device, "device")):
        assert str(type(value)) == f"<class 'rustyflow.{name}'>"
    assert str(type(rf.nn.Parameter(x))) == "<class 'rustyflow.nn.parameter.Parameter'>"

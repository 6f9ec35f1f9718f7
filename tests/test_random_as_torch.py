"""Random numbers are PyTorch's own: as stored once, and as PyTorch itself draws them where it is installed."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf

EXPECTED = json.loads((Path(__file__).parent / "fixtures" / "random.json").read_text(encoding="utf-8"))
F16, F32, F64, I64 = (np.dtype(name) for name in ("float16", "float32", "float64", "int64"))
FLOATS = [rf.float16, rf.float32, rf.float64]


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["call"])
def test_stored_numbers_of_pytorch(case):
    rf.manual_seed(case["seed"])
    results = eval(case["call"], {"rf": rf})
    for result, expected in zip(results if isinstance(results, tuple) else (results,), case["results"], strict=True):
        tolerance = 4e-16 if result.dtype is rf.float64 else 0  # the last place of a logarithm is the machine's own
        np.testing.assert_allclose(np.array(result.tolist()), np.array(expected), rtol=tolerance, atol=0)
    assert rf.randint(10**6, (2,)).tolist() == case["next"], "the stream must stand where PyTorch's stands"


SIZES = st.one_of(st.integers(0, 70), st.sampled_from([100, 1000, 65535, 65536, 65552, 140000]))
FILLS = {
    "uniform_": st.tuples(st.floats(-100, 0), st.floats(0, 100)),
    "normal_": st.tuples(st.floats(-100, 100), st.floats(0, 100)),
    "exponential_": st.tuples(st.floats(0.01, 100)),
    "bernoulli_": st.tuples(st.floats(0, 1)),
    "random_": st.one_of(
        st.just(()), st.tuples(st.integers(1, 2**11)), st.tuples(st.integers(-100, 0), st.integers(1, 100))
    ),
}


def same(torch, ours, theirs, name, arguments):
    """Check what a fill drew; of a product and a sum that are rounded twice, the terms are exact, not the sum."""
    assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    ours, theirs = ours.numpy(), theirs.numpy()
    exact = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
    terms = max(map(abs, arguments), default=0)
    if exact and (ours.dtype != F32 and name == "normal_" or ours.dtype == F64 and name == "uniform_"):
        few = 4 * np.finfo(ours.dtype).eps
        np.testing.assert_allclose(ours, theirs, rtol=few, atol=few * terms)
    elif exact and (ours.dtype != F64 or name in ("bernoulli_", "random_")):
        if ours.dtype.kind == "f":  # in the last digits of a subnormal number the two differ
            np.testing.assert_array_max_ulp(ours, theirs, 2)
        else:
            np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=2e-3 if ours.dtype == F16 else 1e-5, atol=1e-5 * (1 + terms))


def same_place(torch):
    assert rf.randint(10**6, (2,)).tolist() == torch.randint(10**6, (2,)).tolist()


@settings(max_examples=150, deadline=None)
@given(st.integers(-(2**63), 2**64 - 1), st.sampled_from(FLOATS), st.sampled_from(sorted(FILLS)), SIZES, st.data())
def test_fills_equal_pytorch(seed, dtype, name, n, data):
    torch = pytest.importorskip("torch")
    arguments = data.draw(FILLS[name])
    rf.manual_seed(seed), torch.manual_seed(seed)
    for _ in range(2):
        ours = getattr(rf.zeros(n, dtype=dtype), name)(*arguments)
        theirs = getattr(torch.zeros(n, dtype=getattr(torch, dtype.name)), name)(*arguments)
        same(torch, ours, theirs, name, arguments)
    same_place(torch)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(0, 5), min_size=1, max_size=3),
    st.randoms(),
    st.integers(1, 2),
    st.sampled_from(sorted(FILLS)),
)
def test_strided_memory_is_filled_in_pytorchs_order(seed, shape, random, step, name):
    torch = pytest.importorskip("torch")
    order = random.sample(range(len(shape)), len(shape))
    arguments = {"exponential_": (1.5,), "bernoulli_": (0.4,), "random_": (50,)}.get(name, (0.5, 2.0))
    rf.manual_seed(seed), torch.manual_seed(seed)
    filled = [module.zeros(*shape[:-1], shape[-1] * step) for module in (rf, torch)]
    for x in filled:
        getattr(x[..., ::step].permute(order), name)(*arguments)
    same(torch, *filled, name, arguments)
    same_place(torch)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_randint_equals_pytorch_over_all_of_int64(seed, a, b):
    torch = pytest.importorskip("torch")
    low, high = min(a, b), max(a, b)
    if low < high:
        rf.manual_seed(seed), torch.manual_seed(seed)
        assert rf.randint(low, high, (5,)).tolist() == torch.randint(low, high, (5,)).tolist()
        same_place(torch)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.floats(0.125, 10, width=32), min_size=2, max_size=40),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_multinomial_equals_pytorch(seed, weights, replacement, rows, data):
    torch = pytest.importorskip("torch")
    n = data.draw(st.integers(1, 60 if replacement else len(weights)))
    rf.manual_seed(seed), torch.manual_seed(seed)
    weights = [weights] * rows if rows > 1 else weights
    ours, theirs = (module.multinomial(module.tensor(weights), n, replacement) for module in (rf, torch))
    assert ours.tolist() == theirs.tolist()
    same_place(torch)


@pytest.mark.parametrize("lay", [lambda x: x.t(), lambda x: x[0].expand(4, 5), lambda x: x[:, :1].expand(4, 5),
                                 lambda x: x[:, ::2]])
def test_multinomial_of_any_layout_equals_pytorch(lay):
    torch = pytest.importorskip("torch")
    rf.manual_seed(0), torch.manual_seed(0)
    ours, theirs = (module.multinomial(lay(module.arange(1.0, 21).view(4, 5)), 1) for module in (rf, torch))
    assert ours.tolist() == theirs.tolist()
    same_place(torch)


@pytest.mark.parametrize("weights", [
    "m.tensor([[1., 2.], [0., 0.]])", "m.tensor([[1., 2.], [m.nan, 1.]])", "m.tensor([[1., 2.], [-1., 1.]])",
    "m.tensor([m.inf, 1.])", "m.zeros(0, 3)", "m.zeros(2, 0)", "m.zeros(0)", "m.tensor([[0., 0., 3.], [1., 0., 0.]])",
    "m.tensor([-0., 1.])", "m.tensor([6e4, 6e4], dtype=m.float16)", "m.ones(5, 3).t()[:, :2]"])
@pytest.mark.parametrize("call", ["1", "1, True", "2, True"])
def test_multinomial_refuses_the_weights_that_pytorch_refuses(weights, call):
    torch, found = pytest.importorskip("torch"), []
    for m in (rf, torch):
        m.manual_seed(3)
        try:
            found.append(eval(f"m.multinomial({weights}, {call})").tolist())
        except RuntimeError:
            found.append("refused")
    assert found[0] == found[1]


@pytest.mark.parametrize("n", [0, 1, 2, 16, 1001, 5000, 70000])
def test_randperm_equals_pytorch(n):
    torch = pytest.importorskip("torch")
    rf.manual_seed(n), torch.manual_seed(n)
    assert rf.randperm(n).tolist() == torch.randperm(n).tolist()
    same_place(torch)


@pytest.mark.parametrize("dtype", ["int16", "int32", "float16", "float32", "float64"])
def test_randperm_in_another_dtype_equals_pytorch(dtype):
    torch = pytest.importorskip("torch")
    rf.manual_seed(0), torch.manual_seed(0)
    ours, theirs = (module.randperm(2048, dtype=getattr(module, dtype)) for module in (rf, torch))
    assert ours.tolist() == theirs.tolist()
    same_place(torch)


@pytest.mark.parametrize("dtype, n", [("uint8", 256), ("int8", 128), ("int16", 32768)])
def test_randperm_fills_a_narrow_dtype_as_pytorch(dtype, n):
    torch = pytest.importorskip("torch")
    rf.manual_seed(0), torch.manual_seed(0)
    ours, theirs = (module.randperm(n, dtype=getattr(module, dtype)) for module in (rf, torch))
    assert ours.tolist() == theirs.tolist()
    with pytest.raises(RuntimeError, match=f"greater than {n}"):
        rf.randperm(n + 1, dtype=getattr(rf, dtype))


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("dtype", [F16, F32, F64], ids=str)
def test_dropout_mask_equals_pytorch(p, dtype):
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    expected = torch.nn.functional.dropout(torch.ones(1000, dtype=getattr(torch, dtype.name)), p)
    rf.manual_seed(3)
    ours = rf.nn.functional.dropout(rf.ones(1000, dtype=getattr(rf, dtype.name)), p)
    np.testing.assert_array_equal(ours.numpy(), expected.numpy())


def test_states_pass_between_pytorch_and_here():
    torch = pytest.importorskip("torch")
    torch.manual_seed(9), rf.manual_seed(9)
    np.testing.assert_array_equal(rf.get_rng_state().numpy(), torch.get_rng_state().numpy())
    torch.randn(3), torch.rand(1000)
    rf.set_rng_state(rf.from_numpy(torch.get_rng_state().numpy()))
    assert rf.randn(4).tolist() == torch.randn(4).tolist() and rf.initial_seed() == 9
    rf.randn(3)
    torch.set_rng_state(torch.from_numpy(rf.get_rng_state().numpy()))
    assert rf.randn(4).tolist() == torch.randn(4).tolist()

@pytest.mark.parametrize("n", [0, 1, 623, 624, 625, 1248])
def test_a_state_is_pytorchs_byte_by_byte_wherever_the_stream_stands(n):
    torch = pytest.importorskip("torch")
    torch.manual_seed(9), rf.manual_seed(9)
    torch.rand(n), rf.rand(n)
    np.testing.assert_array_equal(rf.get_rng_state().numpy(), torch.get_rng_state().numpy())


# --- what holds without PyTorch --------------------------------------------------------------------------------

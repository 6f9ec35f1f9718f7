"""What holds of random numbers without PyTorch: their streams, generators and seeds, and what is refused."""

import copy
import pickle
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import rustyflow as rf
from rustyflow.random import stream as sampling
from rustyflow.random.shuffle import FEW, swap
from rustyflow.random.stream import Stream

F16, F32, F64, I64 = (np.dtype(name) for name in ("float16", "float32", "float64", "int64"))


@pytest.fixture
def generator():
    return rf.Generator().manual_seed(0)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("of", ["i", "n - 1", "min(i + 1, n - 1)", "i + (n - i) // 2", "max(i, n // 2 + i % 7)"])
def test_many_swaps_at_once_are_the_swaps_one_by_one(of, dtype):
    n = 2 * FEW
    partners = [eval(of, {"i": i, "n": n}) for i in range(n // 2 + 7)]
    places = list(range(n))
    for i, j in enumerate(partners):
        places[i], places[j] = places[j], places[i]
    swapped = np.arange(n, dtype=dtype)
    swap(swapped, np.array(partners, np.int32))
    assert swapped.tolist() == places


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_permutation_is_the_swaps_one_after_another(n, seed):
    words = Stream(seed).words(max(n - 1, 0)).tolist()
    places = list(range(n))
    for i, word in enumerate(words):
        j = i + word % (n - i)
        places[i], places[j] = places[j], places[i]
    assert Stream(seed).permutation(np.empty(n, I64)).tolist() == places


def draws(stream, n):
    yield stream.uniform(-1, 2, np.empty(n, F32))
    yield stream.normal(0, 1, np.empty(n, F32))
    yield stream.normal(1, 2, np.empty(n, F64))
    yield stream.normal(0, 1, np.empty(n, F16))
    yield stream.normal(0, 1, np.empty(n, F32), contiguous=False)
    yield stream.bernoulli(0.3, np.empty(n, F32))
    yield stream.bernoulli(np.linspace(0, 1, n), np.empty(n, F32))
    yield stream.integers(0, 10, np.empty(n, I64))
    yield stream.integers(0, 2**40, np.empty(n, I64))
    yield stream.exponential(1, np.empty(n, F64))
    yield stream.permutation(np.empty(n, I64))
    yield stream.permutation(np.empty(n, F16))


@pytest.mark.parametrize("n", [32, 33, 47, 100, 999, FEW + 33])
def test_runs_do_not_show(n, monkeypatch):
    whole = list(draws(Stream(1), n))
    monkeypatch.setattr(sampling, "RUN", 32)
    for a, b in zip(whole, draws(Stream(1), n), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_upper_bound_is_never_drawn():
    low, high = 1.0, 1.0 + 2**-23
    drawn = Stream(0).uniform(low, high, np.empty(1000, F32))
    assert set(drawn.tolist()) == {1.0}
    assert Stream(0).uniform(0, 1, np.empty(100000, F16)).max() < 1


def test_a_huge_perm_takes_wide_words_which_favour_nobody(monkeypatch):
    monkeypatch.setattr(sampling, "WIDE_PERM", 5)
    wide = Stream(0).wide(4).tolist()
    assert Stream(0).permutation(np.empty(5, I64))[0] == wide[0] % 5


def test_generators_do_not_disturb_each_other():
    rf.manual_seed(4)
    expected = rf.rand(3).tolist()
    rf.manual_seed(4)
    mine = rf.Generator().manual_seed(4)
    first = rf.rand(3, generator=mine).tolist()
    assert rf.rand(3).tolist() == expected == first


def test_a_state_brings_back_the_numbers_and_the_kept_normal(generator):
    rf.randn(3, generator=generator)
    state = generator.get_state()
    first = rf.randn(2, generator=generator), rf.rand(700, generator=generator)
    assert generator.set_state(state) is generator
    again = rf.randn(2, generator=generator), rf.rand(700, generator=generator)
    assert [x.tolist() for x in first] == [x.tolist() for x in again]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_goes_on_where_its_generator_stood_and_does_not_move_it(generator, duplicate):
    rf.randn(3, generator=generator)
    twin = duplicate(generator)
    assert rf.randn(2, generator=twin).tolist() == rf.randn(2, generator=generator).tolist()
    assert twin.initial_seed() == 0


@pytest.fixture
def restless():
    """Threads take turns as often as Python lets them."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("call", ["rand(4)", "randn(5)", "randn(47)", "rand(100)", "randperm(9)"])
def test_threads_share_a_stream_without_repeating_or_losing_a_number(call, generator, restless, monkeypatch):
    monkeypatch.setattr(sampling, "RUN", 32)
    threads, turns = 4, 5
    name, n = call.rstrip(")").split("(")
    draw = partial(getattr(rf, name), int(n), generator=generator)

    def work(barrier, drawn):
        barrier.wait()
        drawn.extend([draw().tolist() for _ in range(turns)])

    for seed in range(40):
        generator.manual_seed(seed)
        expected = [draw().tolist() for _ in range(threads * turns)]
        generator.manual_seed(seed)
        barrier, drawn = threading.Barrier(threads), []
        team = [threading.Thread(target=work, args=(barrier, drawn)) for _ in range(threads)]
        [thread.start() for thread in team], [thread.join() for thread in team]
        assert sorted(drawn) == sorted(expected)


def test_seeding_forgets_the_kept_normal(generator):
    first = rf.randn(1, generator=generator).item()
    assert rf.randn(1, generator=generator.manual_seed(0)).item() == first


def test_seeds():
    assert rf.manual_seed(-1) is rf.default_generator
    assert rf.initial_seed() == 2**64 - 1
    assert rf.manual_seed(rf.tensor(3)).initial_seed() == 3
    assert rf.Generator().initial_seed() == 67280421310721
    assert rf.seed() == rf.initial_seed() != rf.seed()
    rf.manual_seed(5)
    low = rf.rand(2).tolist()
    rf.manual_seed(2**32 + 5)
    assert rf.rand(2).tolist() == low, "as in PyTorch the low 32 bits decide"


def test_overwriting_counts_as_a_write_and_stops_the_gradient():
    x = rf.ones(3, requires_grad=True)
    y = x * 2
    before = y._version
    y.uniform_()
    assert y._version == before + 1 and type(y.grad_fn).__name__ == "UniformBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("fill", ["uniform_", "normal_", "exponential_", "random_", "bernoulli_"])
def test_a_leaf_and_overlapping_memory_are_not_overwritten(fill):
    with pytest.raises(RuntimeError, match="leaf"):
        getattr(rf.ones(2, requires_grad=True), fill)()
    with pytest.raises(RuntimeError, match="single memory location"):
        getattr(rf.ones(1).expand(3), fill)()


def test_bounds_of_random_may_be_named_in_any_order():
    drawn = [rf.zeros(9).random_(*given, generator=rf.Generator(), **named).tolist()
             for given, named in (((2, 6), {}), ((), {"from": 2, "to": 6}), ((), {"to": 6, "from": 2}))]
    assert drawn[0] == drawn[1] == drawn[2] and set(drawn[0]) <= {2, 3, 4, 5}


def test_out_is_filled_and_returned():
    out = rf.zeros(2, 3, dtype=rf.float64)
    rf.manual_seed(0)
    assert rf.rand(2, 3, out=out) is out
    assert out.tolist() == Stream(0).uniform(0, 1, np.empty((2, 3), F64)).tolist()
    assert rf.rand(3, out=out) is out and out.shape == (3,)
    with pytest.raises(RuntimeError, match="dtype of out"):
        rf.rand(3, out=out, dtype=rf.float32)


def test_no_numpy_warning_and_seterr_left_alone():
    with np.errstate(all="raise"):
        rf.empty(50, dtype=rf.float16).exponential_(1e-9)
        rf.multinomial(rf.tensor([1e-45, 0.0, 3e38]), 3)
        rf.empty(50, dtype=rf.float64).normal_(0, 1e300)
        assert np.geterr()["over"] == "raise"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("rf.rand(2, dtype=rf.int64)", NotImplementedError),
        ("rf.randn(2, dtype=rf.bool)", NotImplementedError),
        ("rf.rand()", TypeError),
        ("rf.rand(2.5)", TypeError),
        ("rf.rand(-1)", RuntimeError),
        ("rf.rand(2, generator=5)", TypeError),
        ("rf.randint(5, 5, (2,))", RuntimeError),
        ("rf.randint(0, 300, (2,), dtype=rf.uint8)", RuntimeError),
        ("rf.randint(-1, 3, (2,), dtype=rf.uint8)", RuntimeError),
        ("rf.randint(0, 2**63, (2,))", ValueError),
        ("rf.randint(2.5, (2,))", TypeError),
        ("rf.randint(3, 2)", TypeError),
        ("rf.randperm(-1)", RuntimeError),
        ("rf.randperm(300, dtype=rf.uint8)", RuntimeError),
        ("rf.randperm(2**31)", RuntimeError),
        ("rf.randperm(2.5)", TypeError),
        ("rf.randperm(2, dtype=rf.bool)", NotImplementedError),
        ("rf.normal(0., 1.)", TypeError),
        ("rf.normal(0., -1., (2,))", RuntimeError),
        ("rf.normal(rf.zeros(3), rf.tensor([1., -1, 1]))", RuntimeError),
        ("rf.normal(rf.zeros(3), rf.ones(2))", RuntimeError),
        ("rf.bernoulli(rf.tensor([1.5]))", RuntimeError),
        ("rf.bernoulli(rf.tensor([float('nan')]))", RuntimeError),
        ("rf.bernoulli(rf.tensor([1]))", NotImplementedError),
        ("rf.bernoulli(0.5)", TypeError),
        ("rf.zeros(3).bernoulli_(-0.1)", RuntimeError),
        ("rf.zeros(3).bernoulli_(rf.tensor([0.5, 0.5]))", RuntimeError),
        ("rf.zeros(3).uniform_(2, 1)", RuntimeError),
        ("rf.zeros(3).uniform_(0, float('inf'))", RuntimeError),
        ("rf.zeros(3).uniform_(float('nan'), 1)", RuntimeError),
        ("rf.zeros(3).uniform_('a')", TypeError),
        ("rf.zeros(3).uniform_(frm=1)", TypeError),
        ("rf.zeros(3).normal_(0, -1)", RuntimeError),
        ("rf.zeros(3).exponential_(0)", RuntimeError),
        ("rf.zeros(3, dtype=rf.int64).exponential_()", RuntimeError),
        ("rf.zeros(3).random_(None)", TypeError),
        ("rf.zeros(3).random_(5, 5)", RuntimeError),
        ("rf.multinomial(rf.ones(3), 4)", RuntimeError),
        ("rf.multinomial(rf.ones(3), 0)", RuntimeError),
        ("rf.multinomial(rf.zeros(3), 1)", RuntimeError),
        ("rf.multinomial(rf.tensor([-1., 2]), 1)", RuntimeError),
        ("rf.multinomial(rf.tensor([float('inf'), 2]), 1)", RuntimeError),
        ("rf.multinomial(rf.ones(2, 2, 2), 1)", RuntimeError),
        ("rf.multinomial(rf.tensor([1, 2]), 1)", RuntimeError),
        ("rf.multinomial([1., 2], 1)", TypeError),
        ("rf.manual_seed('x')", ValueError),
        ("rf.manual_seed(2**64)", ValueError),
        ("rf.manual_seed(None)", TypeError),
        ("rf.randint_like(rf.ones(2))", TypeError),
        ("rf.Generator().manual_seed(3.5)", RuntimeError),
        ("rf.Generator().manual_seed(2**64)", ValueError),
        ("rf.Generator('cuda')", NotImplementedError),
        ("rf.set_rng_state(rf.zeros(3, dtype=rf.uint8))", RuntimeError),
        ("rf.set_rng_state(rf.zeros(5056, dtype=rf.uint8))", RuntimeError),
        ("rf.set_rng_state(rf.zeros(5056))", TypeError),
        ("rf.set_rng_state('x')", TypeError),
    ],
)
def test_bad_arguments_are_refused_and_leave_the_stream_alone(call, error):
    rf.manual_seed(0)
    with pytest.raises(error):
        eval(call, {"rf": rf})
    assert rf.rand(2).tolist() == Stream(0).uniform(0, 1, np.empty(2, F32)).tolist()


def test_a_program_without_random_numbers_does_not_pay_for_them():
    code = "import sys, rustyflow; sys.exit('numpy.random' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("draw", (lambda y: rf.bernoulli(y, 0.5), lambda y: y.bernoulli(0.5),
                                  lambda y: rf.rand(3, out=y), lambda y: rf.normal(0.0, 1.0, (3,), out=y)))
def test_backward_through_a_draw_that_reads_no_cell_is_refused_as_in_pytorch(draw):
    y = draw(rf.ones(3, requires_grad=True) * 0.5)
    assert y.grad_fn.name() == "NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::.* is not implemented"):
        y.sum().backward()

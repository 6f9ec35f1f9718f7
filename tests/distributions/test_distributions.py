"""Distributions: PyTorch's numbers from the same seed, its logarithms, entropies, gradients, texts and errors."""

import copy
import pickle
from math import inf, log, nan

import pytest

import rustyflow as rf
from rustyflow.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Multinomial,
    Normal,
    Uniform,
    kl_divergence,
    register_kl,
)

MADE = {
    "normal of numbers": ("Normal", (0.5, 2.0), {}, 0.25),
    "normal": ("Normal", ([0.0, 1.0], [1.0, 2.0]), {}, [0.3, -1.0]),
    "normal, broadcast": ("Normal", ([[0.0], [1.0]], 0.5), {}, [[0.3, 0.2, 0.1]] * 2),
    "uniform of numbers": ("Uniform", (-1.0, 3.0), {}, 2.5),
    "uniform": ("Uniform", ([0.0, 1.0], [4.0, 3.0]), {}, [1.0, 1.5]),
    "bernoulli of a number": ("Bernoulli", (0.25,), {}, 1.0),
    "bernoulli": ("Bernoulli", ([0.1, 0.5, 0.8],), {}, [1.0, 0.0, 1.0]),
    "bernoulli of logits": ("Bernoulli", (), {"logits": [-2.0, 0.0, 3.0]}, [1.0, 0.0, 1.0]),
    "bernoulli of 0 and 1": ("Bernoulli", ([0.0, 1.0],), {}, [0.0, 1.0]),
    "categorical": ("Categorical", ([1.0, 2.0, 5.0],), {}, 2),
    "categorical of logits": ("Categorical", (), {"logits": [[0.0, 1.0, -3.0], [2.0, 2.0, 2.0]]}, [1, 0]),
    "categorical with a 0": ("Categorical", ([[0.0, 1.0], [0.5, 0.5]],), {}, [1, 0]),
    "multinomial": ("Multinomial", (6, [0.2, 0.3, 0.5]), {}, [1.0, 2.0, 3.0]),
    "multinomial of logits": ("Multinomial", (3,), {"logits": [[0.0, 1.0], [-1.0, 1.0]]}, [[1.0, 2.0], [3.0, 0.0]]),
}  # fmt: skip


def made(lib, name, grad=False, dtype="float32"):
    """A distribution, its parameters, and a value of it."""
    kind, args, named, value = MADE[name]
    wrap = lambda x: x if isinstance(x, (int, float)) else lib.tensor(  # noqa: E731
        x, dtype=getattr(lib, dtype), requires_grad=grad)
    given, words = [wrap(x) for x in args], {key: wrap(x) for key, x in named.items()}
    d = getattr(lib.distributions, kind)(*given, **words)
    whole = kind == "Categorical"
    value = lib.tensor(value, dtype=lib.int64 if whole else getattr(lib, dtype))
    return d, [x for x in (*given, *words.values()) if hasattr(x, "grad")], value


def close(ours, theirs):
    assert ours.shape == tuple(theirs.shape) and str(ours.dtype)[10:] == str(theirs.dtype)[6:]
    assert rf.allclose(ours, rf.tensor(theirs.detach().numpy()), rtol=2e-6, atol=2e-6, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MADE)
def test_numbers_are_pytorchs(name, dtype):
    torch = pytest.importorskip("torch")
    (ours, _, x), (theirs, _, y) = (made(lib, name, dtype=dtype) for lib in (rf, torch))
    assert repr(ours).replace("rustyflow", "torch") == repr(theirs)
    assert (ours.batch_shape, ours.event_shape) == (tuple(theirs.batch_shape), tuple(theirs.event_shape))
    close(ours.log_prob(x), theirs.log_prob(y))
    for found in ("mean", "mode", "variance", "stddev", "entropy", "perplexity", "enumerate_support", "param_shape"):
        try:
            wanted = getattr(theirs, found)
            wanted = wanted() if callable(wanted) else wanted
        except (NotImplementedError, AttributeError) as error:
            with pytest.raises(type(error)):
                getattr(ours, found)() if callable(getattr(type(ours), found, None)) else getattr(ours, found)
            continue
        value = getattr(ours, found)
        value = value() if callable(value) else value
        close(value, wanted) if hasattr(wanted, "dtype") else None
        assert hasattr(wanted, "dtype") or value == tuple(wanted)
    for found in ("cdf", "icdf"):
        if hasattr(theirs, "low") or hasattr(theirs, "loc"):
            p = x if found == "cdf" else x.abs() / 4
            close(getattr(ours, found)(p), getattr(theirs, found)(torch.tensor(p.tolist(), dtype=y.dtype)))
    assert repr(ours.support) == repr(theirs.support) or "tensor" in repr(theirs.support)


@pytest.mark.parametrize("shape", [(), (3,), (2, 20)])
@pytest.mark.parametrize("name", MADE)
def test_draws_are_pytorchs_after_the_same_seed(name, shape):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        d, _, _ = made(lib, name)
        lib.manual_seed(7)
        found.append((d.sample(shape), d.sample(), lib.rand(2)))
        if d.has_rsample:
            found[-1] += d.rsample(shape), lib.rand(1)
    for ours, theirs in zip(*found, strict=True):
        close(ours, theirs)


@pytest.mark.parametrize("ask", ["log_prob", "entropy", "rsample", "cdf", "mean", "variance"])
@pytest.mark.parametrize("name", [name for name in MADE if "numbers" not in name and "a number" not in name])
def test_gradients_are_pytorchs(name, ask):
    torch = pytest.importorskip("torch")
    grads = []
    for lib in (rf, torch):
        d, given, value = made(lib, name, grad=True)
        lib.manual_seed(3)
        asked = getattr(d, ask)
        args = {"log_prob": (value,), "cdf": (value,), "rsample": ((4,),)}.get(ask, ())
        try:
            result = asked(*args) if callable(asked) else asked
        except NotImplementedError:
            grads.append("none")
            continue
        if result.requires_grad:
            (result * lib.arange(1, result.numel() + 1).view(result.shape)).sum().backward()
        grads.append([x.grad for x in given])
    assert (grads[0] == "none") == (grads[1] == "none")
    for ours, theirs in zip(*grads, strict=True) if grads[0] != "none" else ():
        assert (ours is None) == (theirs is None)
        if ours is not None:
            close(ours, theirs)


@pytest.mark.parametrize("name", MADE)
def test_expanded_ones_copy_nothing_and_draw_as_pytorchs(name):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        d, _, value = made(lib, name)
        wide = d.expand((2, *d.batch_shape))
        lib.manual_seed(1)
        found.append((repr(wide).replace("rustyflow", "torch"), tuple(wide.batch_shape), wide.sample(), wide.mean,
                      wide.log_prob(value)))
        for parameter in set(d.arg_constraints) & set(vars(d)):
            assert getattr(wide, parameter).data_ptr() == getattr(d, parameter).data_ptr()
    assert found[0][:2] == found[1][:2]
    for ours, theirs in zip(found[0][2:], found[1][2:], strict=True):
        close(ours, theirs)


PAIRS = [
    ("Normal", (0.0, 1.0), (1.0, 2.0)), ("Normal", ([0.0, 1.0], 1.0), ([2.0, 2.0], [0.5, 3.0])),
    ("Uniform", (0.0, 1.0), (-1.0, 2.0)), ("Uniform", (0.0, 2.0), (0.0, 1.0)),
    ("Bernoulli", ([0.0, 1.0, 0.5, 0.25],), ([0.0, 0.5, 1.0, 0.75],)),
    ("Categorical", ([[0.2, 0.8], [0.0, 1.0], [0.5, 0.5]],), ([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]],)),
]  # fmt: skip


@pytest.mark.parametrize("kind, p, q", PAIRS)
def test_divergences_and_their_gradients_are_pytorchs(kind, p, q):
    torch = pytest.importorskip("torch")
    found = []
    for lib in (rf, torch):
        leaves = [[lib.tensor(x, requires_grad=True) for x in args] for args in (p, q)]
        one, other = (getattr(lib.distributions, kind)(*args) for args in leaves)
        y = lib.distributions.kl_divergence(one, other)
        y.sum().backward()
        found.append((y, *(x.grad for args in leaves for x in args)))
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        close(ours if ours is not None else rf.zeros(1), theirs if theirs is not None else torch.zeros(1))


@pytest.mark.parametrize("found, wanted", [
    (lambda: Normal(0.0, 1.0).log_prob(rf.tensor(0.0)), -0.918938533),
    (lambda: Normal(1.0, 2.0).entropy(), 2.112085714),
    (lambda: Normal(0.0, 1.0).cdf(rf.tensor(1.0)), 0.841344746),
    (lambda: Normal(3.0, 2.0).icdf(rf.tensor(0.975)), 6.919927969),
    (lambda: Uniform(0.0, 4.0).log_prob(rf.tensor(4.0)), -inf), (lambda: Uniform(1.0, 3.0).variance, 1 / 3),
    (lambda: Bernoulli(0.25).log_prob(rf.tensor(1.0)), log(0.25)), (lambda: Bernoulli(0.25).entropy(), 0.562335145),
    (lambda: Bernoulli(logits=0.0).mean, 0.5), (lambda: Bernoulli(0.5).mode, nan),
    (lambda: Categorical(rf.tensor([1.0, 3.0])).log_prob(rf.tensor(1)), log(0.75)),
    (lambda: Categorical(rf.ones(4)).entropy(), log(4)), (lambda: Categorical(rf.ones(4)).mean, nan),
    (lambda: Multinomial(4, rf.tensor([1.0, 3.0])).log_prob(rf.tensor([1.0, 3.0])), log(4 * 0.25 * 0.75**3)),
    (lambda: Multinomial(2, rf.tensor([0.5, 0.5])).entropy(), 1.5 * log(2)),
    (lambda: kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0)), 0.5),
    (lambda: kl_divergence(Bernoulli(0.5), Bernoulli(0.25)), 0.5 * log(2) + 0.5 * log(2 / 3)),
    (lambda: kl_divergence(Uniform(0.0, 1.0), Uniform(0.0, 2.0)), log(2)),
])  # fmt: skip
def test_numbers_worked_by_hand(found, wanted):
    assert found().item() == pytest.approx(wanted, rel=2e-6, nan_ok=True)


def test_gradients_worked_by_hand():
    loc, scale = rf.tensor(1.0, requires_grad=True), rf.tensor(2.0, requires_grad=True)
    Normal(loc, scale).log_prob(rf.tensor(4.0)).backward()
    assert (loc.grad.item(), scale.grad.item()) == (0.75, 0.625)  # z / scale; (z * z - 1) / scale, of z = 1.5
    logits = rf.zeros(3, requires_grad=True)
    Categorical(logits=logits).log_prob(rf.tensor(2)).backward()
    assert rf.allclose(logits.grad, rf.tensor([-1 / 3, -1 / 3, 2 / 3]))
    p = rf.tensor(0.9, dtype=rf.float64, requires_grad=True)
    Normal(0.0, 1.0).icdf(p).backward()
    assert p.grad.item() == pytest.approx(5.698059)  # 1 / the density at 1.28155
    rf.manual_seed(0)
    loc.grad = scale.grad = None
    drawn = Normal(loc, scale).rsample((3,))
    drawn.sum().backward()
    assert loc.grad.item() == 3 and scale.grad.item() == pytest.approx(((drawn - 1) / 2).sum().item())
    assert not Normal(loc, scale).sample().requires_grad


CALLS = [
    (lambda d, t: d.Normal(0.0, -1.0), ValueError, r"Expected parameter scale .*GreaterThan\(lower_bound=0\.0\)"),
    (lambda d, t: d.Normal(nan, 1.0), ValueError, r"Expected parameter loc .*Real\(\)"),
    (lambda d, t: d.Normal("a", 1.0), ValueError, "must all be instances of Number"),
    (lambda d, t: d.Normal([1.0], 1.0), ValueError, "must all be instances of Number"),
    (lambda d, t: d.Normal(t.zeros(2), t.ones(3)), RuntimeError, "must match"),
    (lambda d, t: d.Normal(0.0), TypeError, "scale"),
    (lambda d, t: d.Normal(0.0, 1.0, sigma=2), TypeError, "sigma"),
    (lambda d, t: d.Normal(0.0, 1.0).sample(3), TypeError, "int"),
    (lambda d, t: d.Normal(0.0, 1.0).sample((2.5,)), TypeError, "float"),
    (lambda d, t: d.Normal(0.0, 1.0).sample((-1,)), RuntimeError, None),
    (lambda d, t: d.Normal(0.0, 1.0).log_prob(1.0), ValueError, "must be a Tensor"),
    (lambda d, t: d.Normal(0.0, 1.0).log_prob(t.tensor([nan])), ValueError, "Expected value argument"),
    (lambda d, t: d.Normal(t.zeros(2), 1.0).log_prob(t.zeros(3)), ValueError, "not broadcastable"),
    (lambda d, t: d.Normal(t.zeros(3), 1.0).expand((2,)), RuntimeError, "expanded size"),
    (lambda d, t: d.Bernoulli(), ValueError, "Either `probs` or `logits`"),
    (lambda d, t: d.Bernoulli(0.1, 0.2), ValueError, "Either `probs` or `logits`"),
    (lambda d, t: d.Bernoulli(1.5), ValueError, "Interval"),
    (lambda d, t: d.Bernoulli(0.5).log_prob(t.tensor(2.0)), ValueError, "Boolean"),
    (lambda d, t: d.Bernoulli(0.5).log_prob(t.tensor(1)), RuntimeError, "can't be cast"),
    (lambda d, t: d.Bernoulli(0.5).rsample(), NotImplementedError, None),
    (lambda d, t: d.Categorical([1.0, 2.0]), AttributeError, "list"),
    (lambda d, t: d.Categorical(t.tensor(1.0)), ValueError, "at least one-dimensional"),
    (lambda d, t: d.Categorical(t.tensor([-1.0, 2.0])), ValueError, "Simplex"),
    (lambda d, t: d.Categorical(t.zeros(3)), ValueError, "Simplex"),
    (lambda d, t: d.Categorical(t.ones(3)).log_prob(t.tensor(3)), ValueError, "IntegerInterval"),
    (lambda d, t: d.Multinomial(2.5, t.ones(2)), NotImplementedError, "inhomogeneous total_count"),
    (lambda d, t: d.Multinomial(-1, t.ones(2)), ValueError, "total_count"),
    (lambda d, t: d.Multinomial(3, t.ones(2)).log_prob(t.ones(3)), ValueError, "right-most size"),
    (lambda d, t: d.Multinomial(3, t.ones(2)).mode, NotImplementedError, "does not implement mode"),
    (lambda d, t: d.Uniform(1.0, 1.0), ValueError, r"LessThan\(upper_bound=1\.0\)"),
    (lambda d, t: d.Uniform(0.0, 1.0).log_prob(t.tensor(2.0)), ValueError, "Interval"),
    (lambda d, t: d.kl_divergence(d.Categorical(t.ones(2)), d.Bernoulli(0.5)), NotImplementedError, "No KL"),
    (lambda d, t: d.Distribution.set_default_validate_args(3), ValueError, None),
]


@pytest.mark.parametrize("library", ["rustyflow", "torch"])
@pytest.mark.parametrize("call, error, said", CALLS)
def test_what_is_wrong_is_said_by_pytorchs_exception(call, error, said, library):
    lib = pytest.importorskip(library)
    with pytest.raises(error, match=said) as caught:
        call(pytest.importorskip(f"{library}.distributions"), lib)
    assert library == "torch" or "rule: " in str(caught.value) and "try:  " in str(caught.value)


def test_checks_can_be_left_out():
    assert Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    assert Normal(0.0, 1.0, validate_args=False).log_prob(1.0).item() == pytest.approx(-1.418938533)
    assert Uniform(0.0, 1.0, validate_args=False).cdf(rf.tensor([-1.0, 2.0])).tolist() == [0, 1]
    try:
        Distribution.set_default_validate_args(False)
        assert Bernoulli(2.0).probs.item() == 2
    finally:
        Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        Bernoulli(2.0)


def test_a_distribution_of_a_programs_own():
    class Exponential(Distribution):
        has_rsample = True

        def __init__(self, rate, validate_args=None):
            self.rate = rate
            super().__init__(rate.shape, validate_args=validate_args)

        def rsample(self, sample_shape=()):
            return -rf.rand(self._extended_shape(sample_shape)).log1p() / self.rate

    @register_kl(Exponential, Exponential)
    def _distance(p, q):
        return q.rate - p.rate

    d = Exponential(rf.tensor([1.0, 2.0]))
    assert d.sample((3,)).shape == (3, 2) and d.batch_shape == (2,)
    assert kl_divergence(d, Exponential(rf.tensor([3.0, 3.0]))).tolist() == [2, 1]
    for ask in ("mean", "variance", "stddev", "mode"):
        with pytest.raises(NotImplementedError, match=f"(?s)Exponential.*(variance|{ask}).*rule: .*try: "):
            getattr(d, ask)
    with pytest.raises(NotImplementedError, match="def expand"):
        d.expand((2, 2))


@pytest.mark.parametrize("name", MADE)
def test_copies_and_pickles_are_the_same(name):
    d, _, value = made(rf, name)
    for again in (copy.deepcopy(d), copy.copy(d), pickle.loads(pickle.dumps(d))):
        assert rf.equal(again.log_prob(value), d.log_prob(value)) and again.batch_shape == d.batch_shape


def test_an_older_way_to_draw_n_times():
    with pytest.warns(FutureWarning, match="sample"):
        assert Normal(0.0, 1.0).sample_n(3).shape == (3,)


@pytest.mark.parametrize("name", ["Beta", "MultivariateNormal", "Independent", "TransformedDistribution"])
def test_the_others_say_what_to_write(name):
    with pytest.raises(AttributeError, match="rule: .*\ntry: "):
        getattr(rf.distributions, name)


def test_each_is_where_programs_import_it_from():
    from rustyflow.distributions.bernoulli import Bernoulli as B
    from rustyflow.distributions.categorical import Categorical as C
    from rustyflow.distributions.kl import kl_divergence as K
    from rustyflow.distributions.multinomial import Multinomial as M
    from rustyflow.distributions.normal import Normal as N
    from rustyflow.distributions.uniform import Uniform as U
    assert (B, C, K, M, N, U) == (Bernoulli, Categorical, kl_divergence, Multinomial, Normal, Uniform)


def test_policy_gradients_learn():
    """REINFORCE: a choice of three, of which the last is rewarded."""
    rf.manual_seed(0)
    logits = rf.zeros(3, requires_grad=True)
    optimizer = rf.optim.SGD([logits], lr=0.5)
    for _ in range(100):
        choice = Categorical(logits=logits)
        drawn = choice.sample((16,))
        loss = -(choice.log_prob(drawn) * (drawn == 2)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert Categorical(logits=logits).probs[2] > 0.9

"""Lazy modules beside PyTorch's: before the first input, at it, and after it; and their states in all four directions.

What they print and raise is written down where PyTorch is not installed."""

import copy

import numpy as np
import pytest

import rustyflow as rf

try:
    import torch
except ImportError:
    torch = None
LIBRARIES = [rf] if torch is None else [rf, torch]
LAZY = [
    ("LazyLinear(3)", "Linear(6, 3)", (4, 6)),
    ("LazyLinear(2, bias=False)", "Linear(5, 2, bias=False)", (2, 3, 5)),
    ("LazyConv1d(4, 3, padding=1)", "Conv1d(6, 4, 3, padding=1)", (2, 6, 5)),
    ("LazyConv1d(2, 2, bias=False)", "Conv1d(3, 2, 2, bias=False)", (3, 4)),
    ("LazyConv2d(2, (3, 2), stride=2, groups=2)", "Conv2d(4, 2, (3, 2), stride=2, groups=2)", (2, 4, 6, 6)),
    ("LazyConv2d(3, 3, padding=1, padding_mode='circular')", "Conv2d(4, 3, 3, padding=1, padding_mode='circular')",
     (2, 4, 6, 6)),
    ("LazyBatchNorm1d()", "BatchNorm1d(6)", (4, 6)),
    ("LazyBatchNorm1d(momentum=None)", "BatchNorm1d(6, momentum=None)", (4, 6, 3)),
    ("LazyBatchNorm2d(affine=False)", "BatchNorm2d(4, affine=False)", (2, 4, 3, 3)),
    ("LazyBatchNorm2d(track_running_stats=False, bias=False)", "BatchNorm2d(4, track_running_stats=False, bias=False)",
     (2, 4, 3, 3)),
]
each = pytest.mark.parametrize("lazy, whole, shape", LAZY, ids=[case[0] for case in LAZY])


def made(lib, text, seed=7):
    lib.manual_seed(seed)
    return eval(f"nn.{text}", {"nn": lib.nn})


def batch(lib, shape):
    return lib.tensor(np.random.default_rng(0).normal(size=shape).astype("f4"))


@each
def test_the_first_input_makes_it_the_module_that_it_stands_for(lazy, whole, shape):
    """Its weights are those that the whole module would have drawn, and an optimizer made before trains them."""
    one, other = made(rf, lazy), made(rf, whole)
    parameters = list(one.parameters())
    step = rf.optim.SGD(parameters, lr=0.1) if parameters else None
    rf.manual_seed(7)
    y = one(batch(rf, shape))
    assert type(one) is type(other) and repr(one) == repr(other)
    assert y.tolist() == other(batch(rf, shape)).tolist()
    assert all(a is b and type(a) is rf.nn.Parameter for a, b in zip(parameters, one.parameters(), strict=True))
    assert list(one.state_dict()) == list(other.state_dict())
    if step is not None:
        before = [p.detach().clone() for p in parameters]
        (y**2).sum().backward()
        step.step()
        assert not any(rf.equal(a, b) for a, b in zip(before, parameters, strict=True))


@each
def test_it_draws_computes_and_reads_as_pytorchs(lazy, whole, shape):
    pytest.importorskip("torch")
    sides = []
    for lib in (rf, torch):
        module = made(lib, lazy)
        before = repr(module), {key: repr(x) for key, x in module.state_dict().items()}
        x = batch(lib, shape).requires_grad_()
        y = module.double().float()(x)
        (y**3).sum().backward()
        sides.append((before, repr(module), type(module).__name__, [x.detach().numpy() for x in (
            y, x.grad, *module.state_dict().values(), *(p.grad for p in module.parameters()))]))
    assert sides[0][:3] == sides[1][:3]
    for a, b in zip(sides[0][3], sides[1][3], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


ASKED = {
    "w.shape": RuntimeError,
    "w.numel()": ValueError,
    "w.detach()": ValueError,
    "w + 1": ValueError,
    "w.sum()": ValueError,
    "w == w": ValueError,
    "w[0]": ValueError,
    "len(w)": ValueError,
    "list(w)": ValueError,
    "bool(w)": ValueError,
    "w.stride()": ValueError,
    "w.zero_()": ValueError,
    "w.dim()": ValueError,
    "w.numpy()": ValueError,
    "w.tolist()": ValueError,
    "w.data_ptr()": ValueError,
    "w.clone()": ValueError,
    "w.view(-1)": ValueError,
    "w.requires_grad_(False)": ValueError,
    "w.is_contiguous()": ValueError,
    "w.backward()": ValueError,
    "lib.cat([w, w])": ValueError,
    "lib.nn.init.normal_(w)": ValueError,
    "lib.nn.init.xavier_uniform_(w)": ValueError,
    "sum(p.numel() for p in layer.parameters())": ValueError,
    "layer.forward(lib.ones(2, 3))": ValueError,
    "layer.requires_grad_(False)": ValueError,
    "whole.load_state_dict(layer.state_dict())": RuntimeError,
    "layer()": TypeError,
    "layer(lib.tensor(3.0))": IndexError,
    "layer([1.0, 2.0])": AttributeError,
    "w.size()": None,
    "w.dtype": None,
    "w.device": None,
    "w.grad": None,
    "w.requires_grad": None,
    "w.is_leaf": None,
    "w.is_floating_point()": None,
    "w.data": None,
    "w.double().dtype": None,
    "w.to(lib.float16).dtype": None,
    "layer.half().weight.dtype": None,
    "w": None,
    "str(w)": None,
    "layer": None,
    "layer.state_dict()": None,
    "copy.deepcopy(layer)": None,
    "copy.deepcopy(layer).weight is w": None,
    "layer.to(lib.float64).bias.dtype": None,
    "layer.load_state_dict(layer.state_dict())": None,
    "layer.zero_grad()": None,
    "layer.has_uninitialized_params()": None,
    "[name for name, _ in layer.named_parameters()]": None,
    "hash(w) == hash(w)": None,
    "isinstance(w, lib.nn.Parameter), isinstance(w, lib.nn.parameter.UninitializedParameter)": None,
}


@pytest.mark.parametrize("question", ASKED)
def test_what_can_be_asked_before_the_first_input(question):
    answers = []
    for lib in LIBRARIES:
        layer = lib.nn.LazyLinear(2)
        names = {"lib": lib, "layer": layer, "w": layer.weight, "whole": lib.nn.Linear(3, 2), "copy": copy}
        if ASKED[question] is None:
            answers.append(repr(eval(question, names)).replace("torch.", "rustyflow."))
            continue
        with pytest.raises(ASKED[question]) as caught:
            eval(question, names)
        if lib is rf:
            assert "rule: " in str(caught.value) and "try: " in str(caught.value)
    assert len(set(answers)) < 2


@each
def test_states_of_lazy_and_whole_modules_load_into_each_other(lazy, whole, shape):
    for lib in LIBRARIES:
        other = made(lib, whole, seed=3)
        waiting = made(lib, lazy)
        assert repr(waiting.load_state_dict(made(lib, lazy).state_dict())) == "<All keys matched successfully>"
        assert waiting.has_uninitialized_params() is (len(list(waiting.state_dict())) > 0)
        assert repr(waiting.load_state_dict(other.state_dict())) == "<All keys matched successfully>"
        assert not waiting.has_uninitialized_params() and type(waiting).__name__.startswith("Lazy")
        x = batch(lib, shape)
        assert waiting(x).tolist() == other(x).tolist() and type(waiting) is type(other)


def test_weights_that_were_loaded_refuse_another_input():
    for lib in LIBRARIES:
        layer = lib.nn.LazyLinear(2)
        layer.load_state_dict(lib.nn.Linear(3, 2).state_dict())
        with pytest.raises(AssertionError, match="in_features inferred from input: 4"):
            layer(lib.ones(1, 4))


def test_inputs_that_no_lazy_module_can_read():
    for lib in LIBRARIES:
        for text, shape, error in (
            ("LazyConv2d(4, 3, groups=2)", (1, 3, 5, 5), ValueError),
            ("LazyConv2d(4, 3)", (5, 5), RuntimeError),
            ("LazyConv1d(4, 3)", (5,), RuntimeError),
            ("LazyBatchNorm1d()", (2, 3, 4, 4), ValueError),
            ("LazyBatchNorm2d()", (2, 3, 4), ValueError),
        ):
            with pytest.raises(error) as caught:
                made(lib, text)(lib.ones(shape))
            assert lib is torch or "rule: " in str(caught.value)


def test_in_a_model_and_in_copies_of_it():
    for lib in LIBRARIES:
        nn = lib.nn
        net = nn.Sequential(nn.LazyConv2d(4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
        twin = copy.deepcopy(net)
        net(lib.ones(2, 1, 5, 5))
        assert [type(m).__name__ for m in net] == ["Conv2d", "ReLU", "Flatten", "Linear"]
        assert sum(p.numel() for p in net.parameters()) == 4 * 9 + 4 + 36 * 2 + 2
        assert [type(m).__name__ for m in twin][::3] == ["LazyConv2d", "LazyLinear"]
        twin.load_state_dict(net.state_dict())
        x = batch(lib, (2, 1, 5, 5))
        assert twin(x).tolist() == net(x).tolist() and repr(twin[3]) == repr(net[3])


@each
def test_a_copy_waits_as_well(lazy, whole, shape):
    """Of the statistics of a batch norm too, which PyTorch cannot copy."""
    one = made(rf, lazy).double()
    twin = copy.deepcopy(one)
    x = batch(rf, shape).double()
    one(x)
    assert type(twin) is not type(one) and all(x.dtype.is_floating_point for x in twin.parameters())
    rf.manual_seed(3)
    y = twin(x)
    assert y.dtype is rf.float64 and repr(twin) == repr(one)


def test_a_lazy_module_keeps_its_hooks_and_its_own_ones():
    layer, seen = rf.nn.LazyLinear(2), []
    layer.register_forward_pre_hook(lambda m, args: seen.append(type(m).__name__))
    layer.register_forward_hook(lambda m, args, y: seen.append(tuple(y.shape)))
    layer(rf.ones(4, 3)), layer(input=rf.ones(1, 3))
    assert seen == ["Linear", (4, 2), "Linear", (1, 2)]


@each
def test_a_state_that_does_not_fit_leaves_it_waiting(lazy, whole, shape):
    one, state = made(rf, lazy), dict(made(rf, whole).state_dict())
    if not state:
        return
    with pytest.raises(RuntimeError, match="Unexpected key"):
        one.load_state_dict({**state, "another": rf.ones(1)})
    assert one.has_uninitialized_params()
    assert one(batch(rf, shape)).shape == made(rf, whole)(batch(rf, shape)).shape

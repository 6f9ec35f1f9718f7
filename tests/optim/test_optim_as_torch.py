"""Each optimizer and scheduler beside PyTorch's: the same weights after 20 steps, the same rates epoch by epoch, and
states that travel both ways."""

import numpy as np
import pytest

import rustyflow as rf

torch = pytest.importorskip("torch")

RULES = [
    "SGD(P, lr=0.1)",
    "SGD(P, lr=0.1, momentum=0.9)",
    "SGD(P, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "SGD(P, 0.05, 0.5, dampening=0.3, maximize=True)",
    "Adam(P)",
    "Adam(P, 0.01, (0.8, 0.9), weight_decay=0.1, amsgrad=True)",
    "AdamW(P, 0.01)",
    "AdamW(P, 0.01, amsgrad=True, maximize=True)",
    "RMSprop(P)",
    "RMSprop(P, 0.01, 0.9, centered=True, momentum=0.5, weight_decay=0.01)",
    "Adagrad(P)",
    "Adagrad(P, 0.1, lr_decay=0.1, weight_decay=0.01, initial_accumulator_value=0.5)",
    "Adadelta(P)",
    "Adadelta(P, 0.5, 0.8, 1e-4, 0.1, maximize=True)",
    "Adamax(P)",
    "Adamax(P, 0.01, (0.8, 0.9), 1e-4, 0.1, maximize=True)",
    "NAdam(P)",
    "NAdam(P, 0.01, (0.8, 0.9), 1e-4, 0.1, 0.02)",
    "NAdam(P, 0.01, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "RAdam(P)",
    "RAdam(P, 0.01, (0.8, 0.9), 1e-4, 0.1)",
    "RAdam(P, 0.01, (0.5, 0.95), weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
]


def model(lib, dtype):
    lib.manual_seed(3)
    nn = lib.nn
    return getattr(nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3)), dtype)()


def made(lib, rule, parameters):
    return eval(f"optim.{rule}", {"optim": lib.optim, "P": parameters})


def data(lib, dtype):
    rng = np.random.default_rng(0)
    return lib.tensor(rng.normal(size=(16, 5)).astype(dtype)), lib.tensor(rng.integers(0, 3, 16))


def train(lib, net, optimizer, dtype, steps=20):
    x, y = data(lib, dtype)
    for _ in range(steps):
        optimizer.zero_grad()
        lib.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("dtype, tolerance", [("double", 1e-9), ("float", 1e-4)])
def test_twenty_steps_lead_to_the_same_weights(rule, dtype, tolerance):
    ours, theirs = model(rf, dtype), model(torch, dtype)
    ours.load_state_dict({k: rf.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    kind = {"double": "f8", "float": "f4"}[dtype]
    for lib, net in ((rf, ours), (torch, theirs)):
        train(lib, net, made(lib, rule, net.parameters()), kind)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=0, atol=tolerance)


@pytest.mark.parametrize("rule", RULES)
def test_settings_and_states_are_written_as_theirs(rule):
    found = []
    for lib in (rf, torch):
        net = model(lib, "float")
        optimizer = made(lib, rule, net.parameters())
        before = str(optimizer.state_dict()) if "Adagrad" not in rule else ""
        train(lib, net, optimizer, "f4", 2)
        kept = optimizer.state_dict()
        shapes = [[(name, tuple(x.shape), str(x.dtype).split(".")[1]) for name, x in one.items() if x is not None]
                  for one in kept["state"].values()]
        found.append((repr(optimizer), str(optimizer.defaults), before, str(kept["param_groups"]), shapes))
    assert found[0] == found[1]


@pytest.mark.parametrize("rule", RULES)
def test_a_state_goes_on_where_it_was_kept_here_and_there(rule):
    net, other, theirs = model(rf, "double"), model(rf, "double"), model(torch, "double")
    first = made(rf, rule, net.parameters())
    train(rf, net, first, "f8", 5)
    for lib, copy in ((rf, other), (torch, theirs)):
        copy.load_state_dict({k: lib.tensor(v.numpy()) for k, v in net.state_dict().items()})
        second = made(lib, rule, copy.parameters())
        kept = first.state_dict()
        kept["state"] = {
            n: {k: lib.tensor(v.detach().numpy()) if isinstance(v, rf.Tensor) else v for k, v in part.items()}
            for n, part in kept["state"].items()
        }
        second.load_state_dict(kept)
        train(lib, copy, second, "f8", 5)
    train(rf, net, first, "f8", 5)
    for a, b, c in zip(net.parameters(), other.parameters(), theirs.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())
        np.testing.assert_allclose(a.detach().numpy(), c.detach().numpy(), atol=1e-9)


def test_groups_have_settings_of_their_own_and_read_as_theirs():
    found = []
    for lib in (rf, torch):
        net = model(lib, "double")
        optimizer = lib.optim.SGD([{"params": net[0].parameters(), "lr": 0.5}, {"params": net[2].parameters()}], lr=0.1)
        train(lib, net, optimizer, "f8", 2)
        found.append((repr(optimizer), [p.detach().numpy() for p in net.parameters()]))
    assert found[0][0] == found[1][0]
    for a, b in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


SCHEDULERS = [
    "StepLR(O, 3, 0.5)",
    "MultiStepLR(O, [2, 5, 5], 0.1)",
    "ExponentialLR(O, 0.9)",
    "LambdaLR(O, lambda e: 0.9 ** e)",
    "LinearLR(O, 0.25, total_iters=4)",
    "ConstantLR(O, 0.5, 3)",
    "CosineAnnealingLR(O, 5, 0.01)",
    "OneCycleLR(O, 0.4, total_steps=10)",
    "OneCycleLR(O, 0.4, epochs=3, steps_per_epoch=4, anneal_strategy='linear')",
    "OneCycleLR(O, 0.4, total_steps=12, three_phase=True, pct_start=0.25)",
    "SequentialLR(O, [S.ConstantLR(O, 0.1, 3), S.ExponentialLR(O, 0.9)], [3])",
    "SequentialLR(O, [S.LinearLR(O, 0.1, total_iters=4), S.CosineAnnealingLR(O, 6)], [4])",
    "ReduceLROnPlateau(O, factor=0.5, patience=1, cooldown=1)",
    "ReduceLROnPlateau(O, 'max', 0.3, 0, threshold_mode='abs')",
]


def scheduled(lib, scheduler, optimizer):
    text = scheduler if scheduler.startswith("S.") else f"S.{scheduler}"
    return eval(text, {"S": lib.optim.lr_scheduler, "O": optimizer})


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_scheduler_goes_on_from_a_file(scheduler, tmp_path):
    def begun():
        optimizer = rf.optim.SGD([rf.ones(1, requires_grad=True)], lr=0.2, momentum=0.8)
        return optimizer, scheduled(rf, scheduler, optimizer)

    def run(optimizer, steps, epochs):
        rates = []
        for epoch in epochs:
            optimizer.step()
            steps.step(4.0 - epoch % 3) if "Plateau" in scheduler else steps.step()
            rates.append(optimizer.param_groups[0]["lr"])
        return rates

    whole = begun()
    run(*whole, range(3))
    rf.save({"optimizer": whole[0].state_dict(), "steps": whole[1].state_dict()}, tmp_path / "run.safetensors")
    kept, again = rf.load(tmp_path / "run.safetensors"), begun()
    again[0].load_state_dict(kept["optimizer"])
    again[1].load_state_dict(kept["steps"])
    assert run(*again, range(3, 8)) == run(*whole, range(3, 8))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("rule", ["SGD(P, lr=0.2, momentum=0.8)", "Adam(P, lr=0.2)"])
def test_rates_epoch_by_epoch(scheduler, rule):
    found = []
    for lib in (rf, torch):
        w = lib.ones(2, requires_grad=True)
        optimizer = made(lib, rule, [w])
        steps = scheduled(lib, scheduler, optimizer)
        rates = []
        for loss in (5.0, 4.0, 4.0, 4.1, 3.0, 3.0, 3.0, 3.0, 3.0):
            rates.append((optimizer.param_groups[0]["lr"], optimizer.param_groups[0].get("momentum")))
            optimizer.step()
            steps.step(loss) if "Plateau" in scheduler else steps.step()
        found.append(rates)
    np.testing.assert_allclose(np.array(found[0], float), np.array(found[1], float), rtol=1e-9)


def test_names_of_parameters_are_kept_and_shown_as_theirs():
    found = []
    for lib in (rf, torch):
        optimizer = lib.optim.SGD(model(lib, "double").named_parameters(), lr=0.1)
        found.append((repr(optimizer), optimizer.state_dict()["param_groups"][0]["param_names"]))
    assert found[0] == found[1]


def test_a_closure_is_called_with_gradients_on():
    w = rf.tensor([2.0], requires_grad=True)
    optimizer = rf.optim.SGD([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with rf.no_grad():
        assert optimizer.step(closure).item() == 4.0
    assert round(w.item(), 4) == 1.6


@pytest.mark.parametrize(
    "first, second",
    [
        ("ExponentialLR(O, 0.9)", "LinearLR(O, 0.5, total_iters=3)"),
        ("CosineAnnealingLR(O, 6)", "ExponentialLR(O, 0.9)"),
        ("ConstantLR(O, 0.5, 2)", "StepLR(O, 2, 0.5)"),
    ],
)
def test_two_schedulers_at_once_and_a_rate_that_is_set_by_hand(first, second):
    found = []
    for lib in (rf, torch):
        optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
        both = [eval(f"S.{one}", {"S": lib.optim.lr_scheduler, "O": optimizer}) for one in (first, second)]
        rates = []
        for epoch in range(8):
            optimizer.step()
            for one in both:
                one.step()
            if epoch == 3:
                optimizer.param_groups[0]["lr"] = 0.3
            rates.append(optimizer.param_groups[0]["lr"])
        found.append(rates)
    np.testing.assert_allclose(*found, rtol=1e-12)

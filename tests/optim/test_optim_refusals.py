"""What no optimizer and no scheduler can do anything with."""

import pytest

import rustyflow as rf

W = rf.ones(2, requires_grad=True)


@pytest.mark.parametrize(
    "call, error, said",
    [
        (lambda: rf.optim.SGD([], lr=0.1), ValueError, "empty parameter list"),
        (lambda: rf.optim.SGD(W, lr=0.1), TypeError, "iterable"),
        (lambda: rf.optim.SGD([W * 2], lr=0.1), ValueError, "non-leaf"),
        (lambda: rf.optim.SGD([3], lr=0.1), TypeError, "only optimize Tensors"),
        (lambda: rf.optim.SGD([W], lr=-1), ValueError, "Invalid learning rate"),
        (lambda: rf.optim.SGD([W], lr=0.1, nesterov=True), ValueError, "Nesterov"),
        (lambda: rf.optim.Adam([W], betas=(1.0, 0.9)), ValueError, "beta parameter at index 0"),
        (lambda: rf.optim.Adamax([W], betas=(0.9, 1.5)), ValueError, "beta parameter at index 1"),
        (lambda: rf.optim.Adadelta([W], rho=1.5), ValueError, "Invalid rho value: 1.5"),
        (lambda: rf.optim.Adadelta([W], rho="0.9"), TypeError, "rho is a number"),
        (lambda: rf.optim.NAdam([W], momentum_decay=-1), ValueError, "Invalid momentum_decay value: -1"),
        (lambda: rf.optim.RAdam([W], eps=-1), ValueError, "Invalid epsilon value"),
        (lambda: rf.optim.RAdam([W], differentiable=True), NotImplementedError, "not recorded"),
        (lambda: rf.optim.Adagrad([W], initial_accumulator_value=-1), ValueError, "initial_accumulator_value"),
        (lambda: rf.optim.NAdam([W], lr=rf.ones(2)), ValueError, "Tensor lr must be 1-element"),
        (lambda: rf.optim.SGD([{"params": [W]}, {"params": [W]}]), ValueError, "more than one"),
        (lambda: rf.optim.SGD([W], lr="a"), TypeError, "lr is a number"),
        (lambda: rf.optim.Adam([W], betas=0.9), TypeError, "two numbers"),
        (lambda: rf.optim.Adam(rf.nn.Linear(1, 1)), TypeError, "iterable of Tensors"),
        (lambda: rf.optim.SGD([{"lr": 0.1}]), KeyError, "params"),
        (lambda: rf.optim.SGD([W]).load_state_dict({}), KeyError, "param_groups"),
        (lambda: rf.optim.lr_scheduler.StepLR(rf.optim.SGD([W]), 0), ValueError, "from 1 on"),
        (lambda: rf.optim.lr_scheduler.MultiStepLR(rf.optim.SGD([W]), 5), TypeError, "milestones"),
        (lambda: rf.optim.lr_scheduler.LambdaLR(rf.optim.SGD([W]), 0.5), TypeError, "a function"),
        (lambda: rf.optim.lr_scheduler.ReduceLROnPlateau(3), TypeError, "not an Optimizer"),
        (lambda: rf.optim.SGD([{"params": {W}}], lr=0.1), TypeError, "ordered"),
        (lambda: rf.optim.SGD([("w", W), rf.ones(1, requires_grad=True)]), ValueError, "with/without names"),
        (lambda: rf.optim.SGD([W], differentiable=True), NotImplementedError, "not recorded"),
        (lambda: rf.optim.lr_scheduler.OneCycleLR(rf.optim.Adagrad([W]), 1.0, 9), ValueError, "cycle_momentum"),
        (lambda: rf.optim.lr_scheduler.StepLR(rf.optim.SGD([W]), 2, last_epoch=3), KeyError, "initial_lr"),
        (lambda: rf.optim.Adam([W], learning_rate=0.1), TypeError, "learning_rate"),
        (lambda: rf.optim.SGD([W], momentun=0.9), TypeError, "momentun"),
        (lambda: rf.optim.lr_scheduler.StepLR(rf.optim.SGD([W]), step=3), TypeError, "step_size"),
        (lambda: rf.optim.lr_scheduler.StepLR(3, 1), TypeError, "not an Optimizer"),
        (lambda: rf.optim.lr_scheduler.LinearLR(rf.optim.SGD([W]), 0), ValueError, "Starting"),
        (lambda: rf.optim.lr_scheduler.OneCycleLR(rf.optim.SGD([W]), 1.0), ValueError, "total_steps"),
    ],
)
def test_each_is_told_in_three_parts(call, error, said):
    with pytest.raises(error, match=said) as caught:
        call()
    assert caught.value.was and caught.value.rule and caught.value.fix


@pytest.mark.parametrize(
    "kind, change, said",
    [
        ("SGD", {"lr": lambda epoch: 0.1}, "lr is a number"),
        ("Adam", {"betas": 0.9}, "betas are two numbers"),
        ("Adadelta", {"weight_decay": "0.1"}, "weight_decay is a number"),
        ("NAdam", {"lr": None}, "lr is a number"),
    ],
)
def test_a_setting_that_was_changed_by_hand_to_what_no_step_can_take(kind, change, said):
    w = rf.ones(2, requires_grad=True)
    optimizer = getattr(rf.optim, kind)([w])
    optimizer.param_groups[0].update(change)
    w.sum().backward()
    with pytest.raises(TypeError, match=said) as caught:
        optimizer.step()
    assert caught.value.fix and w.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "nadam", "adadelta"])
def test_a_name_in_small_letters_is_told_of_the_optimizer(name):
    with pytest.raises(AttributeError) as caught:
        getattr(rf.optim, name)
    assert caught.value.fix.lower() == name


def test_a_state_of_another_model():
    other = rf.optim.SGD([W, rf.ones(1, requires_grad=True)], lr=0.1).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size"):
        rf.optim.SGD([W], lr=0.1).load_state_dict(other)


def test_the_state_of_another_optimizer_or_of_other_sizes_is_refused_whole():
    def kept(size, make):
        layer = rf.nn.Linear(2, size)
        layer(rf.ones(1, 2)).sum().backward()
        optimizer = make(layer.parameters())
        optimizer.step()
        return optimizer

    with pytest.raises(KeyError, match="momentum"):
        kept(3, rf.optim.SGD).load_state_dict(kept(3, rf.optim.Adam).state_dict())
    wide = kept(4, rf.optim.Adam)
    before = {id(p): s["exp_avg"].tolist() for p, s in wide.state.items()}
    with pytest.raises(RuntimeError, match="has its shape"):
        wide.load_state_dict(kept(3, rf.optim.Adam).state_dict())
    assert {id(p): s["exp_avg"].tolist() for p, s in wide.state.items()} == before


def test_a_learning_rate_that_is_too_large_is_carried_out_and_ends_in_inf():
    w = rf.ones(1, requires_grad=True)
    step = rf.optim.SGD([w], lr=1e9)
    for _ in range(6):
        step.zero_grad()
        (w * w).sum().backward()
        step.step()
    assert not w.isfinite().all()


def test_what_is_allowed_and_rarely_meant_is_warned_of():
    scheduler = rf.optim.lr_scheduler.StepLR(rf.optim.SGD([W], lr=0.1), 1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
    with pytest.warns(UserWarning, match="duplicate parameters"):
        rf.optim.SGD([W, W], lr=0.1)
    with pytest.warns(UserWarning, match="did you mean 'lr'"):
        rf.optim.SGD([{"params": [W], "lrr": 0.1}])

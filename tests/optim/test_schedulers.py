"""Rates worked by hand, where PyTorch is not installed, and what a scheduler refuses."""

import pytest

import rustyflow as rf

W = rf.ones(2, requires_grad=True)
S = rf.optim.lr_scheduler


def sgd(*rates, **more):
    return rf.optim.SGD([{"params": [rf.ones(1, requires_grad=True)], "lr": rate} for rate in rates], **more)


def run(scheduler, steps):
    """The rate of the first group, before each step."""
    rates = []
    for _ in range(steps):
        rates.append(scheduler.optimizer.param_groups[0]["lr"])
        scheduler.optimizer.step()
        scheduler.step()
    return rates


@pytest.mark.parametrize(
    "make, later",
    [
        (lambda o, last: S.ExponentialLR(o, 0.9, last), [0.0729, 0.06561]),
        (lambda o, last: S.CosineAnnealingLR(o, 4, 0.0, last), [0.0146447, 0.0]),
        (lambda o, last: S.PolynomialLR(o, 5, 1.0, last), [0.04, 0.02]),
        (lambda o, last: S.LinearLR(o, 0.5, 1.0, 4, last), [0.0875, 0.1]),
        (lambda o, last: S.LambdaLR(o, lambda e: 1 / (1 + e), last), [0.025, 0.02]),
        (lambda o, last: S.CosineAnnealingWarmRestarts(o, 2, 1, 0.0, last), [0.05, 0.1]),
    ],
)
def test_a_resumed_optimizer_goes_on_with_its_own_rate(make, later):
    first = sgd(0.1)
    run(make(first, -1), 3)
    again = sgd(0.1)
    again.load_state_dict(first.state_dict())
    assert run(make(again, 2), 2) == pytest.approx(later, abs=1e-7)


@pytest.mark.filterwarnings("ignore:Detected call of")
@pytest.mark.parametrize(
    "make, rates",
    [
        (lambda o: S.SequentialLR(o, [S.SequentialLR(o, [S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.9)], [2]),
                                      S.ExponentialLR(o, 0.5)], [4]), [0.5, 1.0, 0.9, 0.81, 1.0, 0.5, 0.25]),
        (lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.9)], [0]), [1.0, 0.9, 0.81]),
        (lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.5, 9), S.StepLR(o, 1), S.ExponentialLR(o, 0.5)], [1, 2]),
         [0.5, 1.0, 1.0, 0.5, 0.25]),
        (lambda o: S.CosineAnnealingWarmRestarts(o, 1, 2), [1.0, 1.0, 0.5, 1.0, 0.8535534, 0.5, 0.1464466, 1.0]),
        (lambda o: S.PolynomialLR(o, 4, 0.5), [1.0, 0.75**0.5, 0.5**0.5, 0.5, 0.0, 0.0]),
    ],
)
def test_rates_by_hand(make, rates):
    assert run(make(sgd(1.0)), len(rates)) == pytest.approx(rates)


@pytest.mark.parametrize(
    "make, epoch, rate",
    [
        (lambda o: S.StepLR(o, 2, 0.1), 5, 0.01),
        (lambda o: S.MultiStepLR(o, [2, 4], 0.5), 3, 0.5),
        (lambda o: S.ExponentialLR(o, 0.9), 3, 0.729),
        (lambda o: S.LinearLR(o, 0.5, total_iters=4), 2, 0.75),
        (lambda o: S.ConstantLR(o, 0.5, 4), 4, 1.0),
        (lambda o: S.CosineAnnealingLR(o, 4), 2, 0.5),
        (lambda o: S.PolynomialLR(o, 4, 2.0), 2, 0.25),
        (lambda o: S.LambdaLR(o, lambda e: 1 / e if e else 1.0), 4, 0.25),
    ],
)
def test_a_step_to_an_epoch_sets_its_rate_and_warns(make, epoch, rate):
    scheduler = make(sgd(1.0))
    scheduler.optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter in `scheduler.step"):
        scheduler.step(epoch)
    assert scheduler.get_last_lr() == pytest.approx([rate]) and scheduler.last_epoch == epoch


@pytest.mark.parametrize("epoch, part", [(0.0, 0.0), (0.5, 0.5), (2, 2), (3.25, 0.25)])
def test_a_part_of_a_cosine_is_kept_as_it_was_given(epoch, part):
    scheduler = S.CosineAnnealingWarmRestarts(sgd(1.0), 3)
    scheduler.step(epoch)
    assert scheduler.T_cur == part and type(scheduler.T_cur) is type(epoch)


def test_between_two_epochs_warm_restarts_are_stepped_without_a_warning(recwarn):
    scheduler = S.CosineAnnealingWarmRestarts(sgd(1.0), 2)
    scheduler.step(0.5)
    assert scheduler.get_last_lr() == pytest.approx([0.8535534])
    scheduler.step(rf.tensor(3.0))
    assert scheduler.get_last_lr() == pytest.approx([0.5]) and scheduler.last_epoch == 3
    assert not recwarn.list


@pytest.mark.parametrize(
    "make, later",
    [
        (lambda o: S.ExponentialLR(o, 0.5), [0.25, 0.2]),
        (lambda o: S.StepLR(o, 1, 0.1), [0.01, 0.04]),
        (lambda o: S.ReduceLROnPlateau(o, factor=0.5, patience=0), [0.5, 0.2]),
    ],
)
def test_a_group_that_is_added_goes_along_where_rates_follow_from_those_before(make, later):
    scheduler = make(sgd(1.0))
    given = [3.0] * ("Plateau" in type(scheduler).__name__)
    scheduler.optimizer.step()
    scheduler.step(*given)
    scheduler.optimizer.add_param_group({"params": [W], "lr": 0.4})
    scheduler.step(*given)
    assert [group["lr"] for group in scheduler.optimizer.param_groups] == pytest.approx(later)


@pytest.mark.parametrize(
    "make, error, said",
    [
        (lambda o: S.LambdaLR(o, lambda e: 1.0), ValueError, "1 rates for 2 groups"),
        (lambda o: S.CosineAnnealingWarmRestarts(o, 2), ValueError, "1 rates for 2 groups"),
        (lambda o: S.CosineAnnealingLR(o, 1), ValueError, "1 rates for 2 groups"),
        (lambda o: S.OneCycleLR(o, 1.0, 9), KeyError, "group 1 without 'base_momentum'"),
    ],
)
def test_one_that_has_no_rate_for_an_added_group_says_so_and_changes_none(make, error, said):
    scheduler = make(sgd(1.0, momentum=0.9))
    scheduler.optimizer.step()
    scheduler.step()
    scheduler.optimizer.add_param_group({"params": [W], "lr": 0.4})
    before = [group["lr"] for group in scheduler.optimizer.param_groups]
    with pytest.raises(error, match=said) as caught:
        scheduler.step()
    assert "add_param_group" in caught.value.fix
    assert [group["lr"] for group in scheduler.optimizer.param_groups] == before


def sequence(o):
    inner = S.SequentialLR(o, [S.StepLR(o, 2)], [])
    return S.SequentialLR(o, [S.StepLR(o, 2), inner], [1])


class Bare(S._LRScheduler):
    def get_lr(self):
        return 0.1


def once(make, *given):
    scheduler = make(sgd(1.0))
    scheduler.optimizer.step()
    return scheduler.step(*given)


@pytest.mark.parametrize(
    "call, error, said",
    [
        (lambda: once(sequence), NotImplementedError, "one SequentialLR of all schedulers"),
        (lambda: once(sequence, 3), TypeError, "too many positional arguments"),
        (lambda: once(lambda o: S.StepLR(o, 2), "3"), TypeError, "number of an epoch"),
        (lambda: once(lambda o: S.StepLR(o, 2), rf.ones(2)), TypeError, "number of an epoch"),
        (lambda: once(lambda o: S.StepLR(o, 2), 1, 2), TypeError, "too many positional arguments"),
        (lambda: once(lambda o: S.ReduceLROnPlateau(o)), TypeError, "metrics"),
        (lambda: once(lambda o: S.ReduceLROnPlateau(o), None), TypeError, "one number"),
        (lambda: once(lambda o: S.ReduceLROnPlateau(o), rf.ones(2)), TypeError, "one number"),
        (lambda: once(lambda o: S.ConstantLR(o, 0, 1)), ZeroDivisionError, "divided by the factor"),
        (lambda: S.OneCycleLR(sgd(1.0), 1.0, 10, pct_start=0.1, cycle_momentum=False), ZeroDivisionError, "pct_start"),
        (lambda: S.OneCycleLR(sgd(1.0), [1.0, 2.0], 10), ValueError, "Expected 1 max_lr, but got 2"),
        (lambda: S.OneCycleLR(sgd(1.0), "1", 10), TypeError, "max_lr is a number"),
        (lambda: S.SequentialLR(sgd(1.0), [], []), ValueError, "at least one scheduler"),
        (lambda: S.SequentialLR(sgd(1.0), [3], []), TypeError, "`optimizer` as its attribute"),
        (lambda: S.SequentialLR(o := sgd(1.0), [S.ReduceLROnPlateau(o)], []), ValueError, "ReduceLROnPlateau"),
        (lambda: S.SequentialLR(sgd(1.0), [S.StepLR(sgd(1.0), 1)], []), ValueError, "same optimizer"),
        (lambda: S.SequentialLR(o := sgd(1.0), S.StepLR(o, 1), []), TypeError, "schedulers is a list"),
        (lambda: Bare(sgd(1.0)), TypeError, "a list with a rate for each group"),
        (lambda: S.LRScheduler(sgd(1.0)), NotImplementedError, "def get_lr"),
        (lambda: S.LambdaLR(sgd(1.0), lambda e: None), TypeError, "is a number"),
        (lambda: S.PolynomialLR(sgd(1.0), "3"), TypeError, "total_iters is a number"),
        (lambda: S.CosineAnnealingWarmRestarts(sgd(1.0), 0), ValueError, "Expected positive integer T_0, but got 0"),
        (lambda: S.CosineAnnealingWarmRestarts(sgd(1.0), 2, 1.5), ValueError, "Expected integer T_mult >= 1"),
        (lambda: S.CosineAnnealingWarmRestarts(sgd(1.0), 2).step(-1), ValueError, "Expected non-negative epoch"),
        (lambda: S.StepLR(sgd(1.0), 2).load_state_dict([]), TypeError, "a scheduler's state is a dict"),
        (lambda: S.StepLR(sgd(1.0), 2, last_epoch="a"), TypeError, "last_epoch is a number"),
        (lambda: S.MultiStepLR(sgd(1.0), ["a"]), TypeError, "milestones is a number"),
        (lambda: S.StepLR(sgd(1.0), None), TypeError, "step_size is a number"),
        (lambda: S.StepLR(2, sgd(1.0)), TypeError, "step_size=SGD\\nrule: .* the optimizer is the first argument"),
        (lambda: S.ExponentialLR(0.9, sgd(1.0)), TypeError, "gamma=SGD\\nrule: .* the optimizer is the first argument"),
        (lambda: sgd(1.0).step(3), TypeError, "computes the loss anew"),
        (lambda: sgd(1.0).load_state_dict(3), TypeError, "dict of dicts"),
        (lambda: sgd(1.0).zero_grad(True, 1), TypeError, "too many positional arguments"),
        (lambda: rf.optim.Optimizer([W], {}).param_groups and rf.optim.Optimizer([W], 3), TypeError, "settings are a"),
    ],
)
def test_each_is_told_in_three_parts(call, error, said):
    with pytest.raises(error, match=said) as caught:
        call()
    assert caught.value.was and caught.value.rule and caught.value.fix


@pytest.mark.parametrize("name", S.__all__)
def test_training_loops_know_a_scheduler_by_its_module(name):
    assert getattr(S, name).__module__ == S.__name__  # as d2l asks whether to call step()


def test_the_old_name_is_a_class_of_its_own():
    assert S._LRScheduler.__name__ == "_LRScheduler" and issubclass(S._LRScheduler, S.LRScheduler)
    assert "_LRScheduler" not in S.__all__


def test_an_optimizer_of_ones_own_that_has_stepped_is_not_warned_of(recwarn):
    class Own(rf.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        def step(self):
            with rf.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p

    w = rf.ones(1, requires_grad=True)
    scheduler = S.StepLR(Own([w], 0.5), 1, 0.5)
    assert run(scheduler, 3) == [0.5, 0.25, 0.125]
    assert w.item() == 0.5 * 0.75 * 0.875 and not recwarn.list

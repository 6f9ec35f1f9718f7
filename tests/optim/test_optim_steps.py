"""The first steps of optimizers, worked by hand from their formulas, where PyTorch is not installed."""

from math import sqrt

import pytest

import rustyflow as rf

HALF = 0.9 * (1 - 0.5 * 0.96**0.004), 0.9 * (1 - 0.5 * 0.96**0.008), 0.9 * (1 - 0.5 * 0.96**0.012)  # NAdam's momenta


def second(m, v):
    """NAdam's second step of size 0.1 along the gradient 2, from means m and v that are not corrected."""
    product = HALF[0] * HALF[1]
    root = sqrt(v / (1 - 0.999**2))
    return 0.1 * ((1 - HALF[1]) / (1 - product) * 2 + HALF[2] / (1 - product * HALF[2]) * m) / root


@pytest.mark.parametrize(
    "make, gradients, steps",
    [
        # v = 0.1 * 4, u = 0: the root of (0 + 0.01) / (0.4 + 0.01) times 2; then u = 0.1 * d * d
        (lambda w: rf.optim.Adadelta(w, eps=0.01), [2.0], [2 * sqrt(0.01 / 0.41)]),
        (lambda w: rf.optim.Adadelta(w, lr=0.5, eps=0.01), [2.0, 2.0],
         [sqrt(0.01 / 0.41), sqrt((0.1 * 4 * 0.01 / 0.41 + 0.01) / (0.4 * 0.9 + 0.4 + 0.01))]),
        # m = 0.2 then 0.38 - of which 1 - 0.9^n is taken out again - by the largest gradient so far
        (lambda w: rf.optim.Adamax(w, lr=0.1), [2.0, 1.0],
         [0.1, 0.1 * (0.2 * 0.9 + 0.1) / 0.19 / (2 * 0.999)]),
        (lambda w: rf.optim.Adamax(w, lr=0.1, maximize=True), [2.0], [-0.1]),
        (lambda w: rf.optim.NAdam(w, lr=0.1), [2.0, 2.0],
         [0.1 * (1 + HALF[1] / (1 - HALF[0] * HALF[1]) * 0.1), second(0.38, 0.001 * 4 * 1.999)]),
        # the first steps of RAdam, that have too few samples for a root, follow m alone
        (lambda w: rf.optim.RAdam(w, lr=0.1), [2.0, 1.0], [0.2, 0.1 * 0.28 / 0.19]),
        (lambda w: rf.optim.RAdam(w, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True), [2.0], [0.05 + 0.2]),
    ],
)
def test_steps_are_those_of_the_formula(make, gradients, steps):
    w = rf.tensor([1.0], dtype=rf.float64, requires_grad=True)
    optimizer = make([w])
    for g, step in zip(gradients, steps, strict=True):
        before = w.item()
        w.grad = rf.tensor([g], dtype=rf.float64)
        optimizer.step()
        assert before - w.item() == pytest.approx(step, rel=1e-6)


def test_a_root_is_taken_from_the_sixth_step_on():
    w = rf.tensor([0.0], dtype=rf.float64, requires_grad=True)
    optimizer, steps = rf.optim.RAdam([w], lr=1.0), []
    for _ in range(6):
        before = w.item()
        w.grad = rf.tensor([3.0], dtype=rf.float64)
        optimizer.step()
        steps.append(before - w.item())
    assert steps[:5] == pytest.approx([3.0] * 5)  # m corrected is the gradient itself
    end = 1999
    seen = end - 12 * 0.999**6 / (1 - 0.999**6)
    assert steps[5] == pytest.approx(sqrt((seen - 4) * (seen - 2) * end / ((end - 4) * (end - 2) * seen)), rel=1e-6)


@pytest.mark.parametrize("kind", ["SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "AdamW", "Adamax", "NAdam", "RAdam"])
def test_a_rate_that_is_a_tensor_and_one_for_each_group(kind):
    found = []
    for lr in (0.125, rf.tensor(0.125)):
        w, slow = rf.ones(2, requires_grad=True), rf.ones(2, requires_grad=True)
        optimizer = getattr(rf.optim, kind)([{"params": [w]}, {"params": [slow], "lr": lr / 2}], lr=lr, weight_decay=0)
        for _ in range(3):
            optimizer.zero_grad()
            (w * w + slow * slow).sum().backward()
            optimizer.step()
        found.append([w.tolist(), slow.tolist()])
    assert found[0] == found[1]
    assert w[0] < slow[0] < 1


def test_a_group_that_is_added_begins_with_its_own_sum():
    first, second = (rf.ones(1, requires_grad=True) for _ in range(2))
    optimizer = rf.optim.Adagrad([first], lr=1.0, initial_accumulator_value=3.0)
    optimizer.add_param_group({"params": [second], "initial_accumulator_value": 8.0})
    (first + second).sum().backward()
    optimizer.step()  # by the roots of 3 + 1 and 8 + 1
    assert [first.item(), second.item()] == pytest.approx([1 / 2, 2 / 3])

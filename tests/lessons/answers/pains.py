"""Answers of students in lessons 19 and 20: right ones, and wrong ones with what is said."""

import rustyflow as torch
from tests.lessons.answers.memory import NEVER, RAISES, never_ends, raises


def with_detach(student, teacher):
    difference = student - teacher.detach()
    (difference * difference).mean().backward()


def under_no_grad(student, teacher):
    with torch.no_grad():
        fixed = teacher.clone()
    loss = (fixed - student).pow(2).sum() / student.numel()
    loss.backward()
    return loss


def by_the_library(student, teacher):
    return torch.nn.functional.mse_loss(student, teacher.data).backward()


def by_hand(student, teacher):
    student.grad = (2 * (student - teacher) / student.numel()).detach()


def all_under_no_grad(student, teacher):
    with torch.no_grad():
        loss = ((student - teacher) ** 2).mean()
    loss.backward()


def twice(student, teacher):
    with_detach(student, teacher)
    with_detach(student, teacher)


def as_a_loss(loss):
    """A function that runs backward from a loss."""
    return lambda student, teacher: loss(student, teacher).backward()


RIGHT = {"pull": [with_detach, under_no_grad, by_the_library, by_hand]}
WRONG = {
    "pull": [
        (as_a_loss(lambda s, t: ((s - t) ** 2).mean()), "who is not to learn needs no care"),
        (as_a_loss(lambda s, t: ((s.detach() - t) ** 2).mean()), "cut off the one who learns"),
        (lambda s, t: ((s - t.detach()) ** 2).mean(), "a gradient comes by itself"),
        (as_a_loss(lambda s, t: ((s - t.detach()) ** 2).sum()), "the squares are summed"),
        (as_a_loss(lambda s, t: (s - t.detach()).mean()), "the difference itself is the loss"),
        (all_under_no_grad, "element 0 of tensors does not require grad"),
        (as_a_loss(lambda s, t: ((s - t.detach()) ** 2)), "grad can be implicitly created only for scalar outputs"),
        (twice, "got [tensor([-4., 2.]), None]"),
        (as_a_loss(lambda s, t: (s - t.detach()).abs().mean()), "got [tensor([-0.5000, 0.5000]), None]"),
        (as_a_loss(lambda s, t: ((s - t) ** 2).mean().item()), "AttributeError"),
        (as_a_loss(lambda s, t: torch.tensor(((s - t) ** 2).mean().item(), requires_grad=True)),
         "student.grad is None: nothing came to it"),
        (never_ends, NEVER), (raises, RAISES),
    ],
}  # fmt: skip

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


def by_grad_of_one(student, teacher):
    [student.grad] = torch.autograd.grad(((student - teacher) ** 2).mean(), [student])


def emptied_afterwards(student, teacher):
    ((student - teacher) ** 2).mean().backward()
    teacher.grad = None


def wants_none_any_more(student, teacher):
    teacher.requires_grad_(False)
    ((student - teacher) ** 2).mean().backward()


def all_under_no_grad(student, teacher):
    with torch.no_grad():
        loss = ((student - teacher) ** 2).mean()
    loss.backward()


def takes_a_step_as_well(student, teacher):
    with_detach(student, teacher)
    with torch.no_grad():
        student -= student.grad


def twice(student, teacher):
    with_detach(student, teacher)
    with_detach(student, teacher)


def as_a_loss(loss):
    """A function that runs backward from a loss."""
    return lambda student, teacher: loss(student, teacher).backward()


RIGHT = {"pull": [with_detach, under_no_grad, by_the_library, by_grad_of_one]}
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
        (emptied_afterwards, "a gradient came to teacher, and was taken away again"),
        (wants_none_any_more, "teacher is not as it was"),
        (by_hand, "no gradient came to student by backward"),
        (takes_a_step_as_well, "it also changes student, which belongs to the caller"),
        (never_ends, NEVER), (raises, RAISES),
    ],
}  # fmt: skip


def loss_of(w, x):
    return ((w * x - 1) ** 2).mean()


def in_a_loop(w, parts):
    w.grad = None
    for x in parts:
        (loss_of(w, x) / len(parts)).backward()


def all_at_once(w, parts):
    w.grad = None
    sum(loss_of(w, x) for x in parts).div(len(parts)).backward()


def joined(w, parts):
    w.grad = None
    loss_of(w, torch.cat(parts)).backward()


def graphs_stay(w, parts):
    w.grad = None
    for x in parts:
        (loss_of(w, x) / len(parts)).backward(retain_graph=True)


def all_drawn_first(w, parts):
    w.grad = None
    for loss in [loss_of(w, x) / len(parts) for x in parts]:
        loss.backward()


def each_by_hand(w, parts):
    w.grad = sum((2 * (w * x - 1) * x).sum(0) / x.numel() for x in parts).detach() / len(parts)


def with_a_sum_beside(w, parts):
    w.grad, total = None, 0
    for x in parts:
        loss = loss_of(w, x) / len(parts)
        loss.backward()
        total = total + loss
    return total.item()


def emptied_in_place(w, parts):
    w.grad.zero_()
    for x in parts:
        loss_of(w, x).backward(torch.tensor(1 / len(parts)))


def by_grad(w, parts):
    w.grad = sum(torch.autograd.grad(loss_of(w, x), w)[0] for x in parts) / len(parts)


def parts_as(share=True, each=False, last=False, reset=True):
    def accumulate(w, parts):
        if reset:
            w.grad = None
        for x in parts:
            if each:
                w.grad = None
            loss = loss_of(w, x)
            (loss / len(parts) if share else loss).backward()
        if last:
            w.grad = None

    return accumulate


def return_inside(w, parts):
    w.grad = None
    for x in parts:
        loss = loss_of(w, x) / len(parts)
        loss.backward()
        return loss


def goes_back_twice(w, parts):
    w.grad = None
    for x in parts:
        loss = loss_of(w, x) / len(parts)
        loss.backward()
        loss.backward()


def keeps_the_graph(w, parts):
    w.grad = None
    total = 0
    for x in parts:
        total = total + loss_of(w, x) / len(parts)
        total.backward(retain_graph=True)


def moves_w(w, parts):
    w.grad = None
    for x in parts:
        (loss_of(w, x) / len(parts)).backward()
        w.data -= w.grad


def squares_only(w, parts):
    w.grad = None
    for x in parts:
        ((w * x) ** 2).mean().div(len(parts)).backward()


def summed(w, parts):
    w.grad = None
    for x in parts:
        (((w * x - 1) ** 2).sum() / len(parts)).backward()


RIGHT["accumulate"] = [in_a_loop, with_a_sum_beside, emptied_in_place, by_grad]
WRONG["accumulate"] = [
    (parts_as(reset=False), "a new batch begins with an empty .grad"),
    (parts_as(each=True, share=False), "w.grad has to be emptied before each backward"),
    (parts_as(each=True), "emptied each time, and divided, the parts still add up"),
    (parts_as(share=False), "the gradients of parts are averaged by themselves"),
    (parts_as(last=True), "tidy up at the end"),
    (return_inside, "one part is enough"),
    (goes_back_twice, "Trying to backward through the graph a second time"),
    (keeps_the_graph, "got [tensor([3.0000, 1.5000])]"),
    (moves_w, "got [tensor([3.0000, 0.7500])]"),
    (squares_only, "got [tensor([5., 2.])]"),
    (summed, "what is summed in a part"),
    (lambda w, parts: w.grad.zero_().backward(), "does not require grad"),
    (all_at_once, "all parts were in memory at once"),
    (joined, "go back from one part after another"),
    (graphs_stay, "the graph of a part was still kept"),
    (all_drawn_first, "or the next one was drawn already"),
    (each_by_hand, "call it on the loss of each part"),
    (never_ends, NEVER), (raises, RAISES),
]  # fmt: skip

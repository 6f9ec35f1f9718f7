"""Answers of students in lessons 13 and 14: right ones, and wrong ones with what is said."""

import rustyflow as torch
from tests.lessons.answers.gradients import BORROWED
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def cell_by_cell(x, weight, bias):
    rows = [[(row * weights).sum() + b for weights, b in zip(weight, bias, strict=True)] for row in x]
    return torch.stack([torch.stack(row) for row in rows]) if rows else x @ weight.T


def moved(by):
    """A step in which each parameter that has a gradient gets other numbers."""

    def step(parameters, lr):
        with torch.no_grad():
            for p in parameters:
                if p.grad is not None:
                    p.copy_(by(p, p.grad, lr))

    return step


def as_usual(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p -= lr * p.grad


def by_data(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p.data -= lr * p.grad


def and_forgets(parameters, lr):
    as_usual(parameters, lr)
    for p in parameters:
        p.grad = None


def spoils_gradients(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p.grad *= lr
                p -= p.grad


def new_names(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p = p - lr * p.grad


def new_tensors(parameters, lr):
    return [p if p.grad is None else p - lr * p.grad for p in parameters]


def into_the_list(parameters, lr):
    with torch.no_grad():
        for i, p in enumerate(parameters):
            if p.grad is not None:
                parameters[i] = p - lr * p.grad


def asks_for_none(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p.requires_grad = False
            p -= lr * p.grad


def switched_off(parameters, lr):
    torch.set_grad_enabled(False)
    for p in parameters:
        if p.grad is not None:
            p -= lr * p.grad


def recorded(parameters, lr):
    for p in parameters:
        if p.grad is not None:
            p -= lr * p.grad


def only_the_first(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p -= lr * p.grad
            return


def in_a_hurry(parameters, lr):
    with torch.no_grad():
        for p in parameters:
            p -= lr * p.grad


def twice(parameters, lr):
    as_usual(parameters, lr)
    as_usual(parameters, lr)


def borrowed_step(parameters, lr):
    torch.optim.SGD(parameters, lr=lr).step()


def picked(table, target):
    return table[torch.arange(len(target)), target]


def log_shares(scores):
    z = scores - scores.amax(1, keepdim=True)
    return z - z.exp().sum(1, keepdim=True).log()


def with_gather(scores, target):
    return -log_shares(scores).gather(1, target[:, None]).mean()


def row_by_row(scores, target):
    losses = []
    for row, right in zip(scores, target, strict=True):
        z = row - row.max()
        losses.append(z.exp().sum().log() - z[right])
    return torch.stack(losses).mean()


def with_one_hot(scores, target):
    hot = (torch.arange(scores.shape[1]) == target[:, None]).to(scores.dtype)
    return -(log_shares(scores) * hot).sum() / len(target)


def naive(scores, target):
    e = scores.exp()
    return -picked(e / e.sum(1, keepdim=True), target).log().mean()


def late_log(scores, target):
    e = (scores - scores.amax(1, keepdim=True)).exp()
    return -picked(e / e.sum(1, keepdim=True), target).log().mean()


def of_the_mean(scores, target):
    z = scores - scores.mean(1, keepdim=True)
    return -picked(z - z.exp().sum(1, keepdim=True).log(), target).mean()


def of_the_smallest(scores, target):
    z = scores - scores.amin(1, keepdim=True)
    return -picked(z - z.exp().sum(1, keepdim=True).log(), target).mean()


def from_the_textbook(scores, target):
    m = scores.amax(1, keepdim=True)
    total = m + (scores - m).exp().sum(1, keepdim=True).log()
    return picked(total - scores, target).mean()


def a_little_more(scores, target):
    e = (scores - scores.amax(1, keepdim=True)).exp()
    return -(picked(e / e.sum(1, keepdim=True), target) + 1e-38).log().mean()


def shares(scores):
    return log_shares(scores).exp()


def hot(scores, target):
    one = torch.zeros(scores.shape)
    one[torch.arange(len(target)), target] = 1
    return one


def by_difference(scores, target):
    return (shares(scores) - hot(scores, target)) / len(target)


def taken_away(scores, target):
    found = shares(scores)
    found[torch.arange(len(target)), target] -= 1
    return found / len(target)


def with_a_loop(scores, target):
    found = shares(scores)
    for row, right in enumerate(target.tolist()):
        found[row, right] = found[row, right] - 1
    return found / scores.shape[0]


def naive_grad(scores, target):
    e = scores.exp()
    return (e / e.sum(1, keepdim=True) - hot(scores, target)) / len(target)


def by_backward(scores, target):
    leaf = scores.clone().requires_grad_()
    (-picked(log_shares(leaf), target).mean()).backward()
    return leaf.grad


RIGHT = {
    "linear": [
        lambda x, weight, bias: x @ weight.T + bias,
        lambda x, weight, bias: bias + torch.einsum("ni,oi->no", x, weight),
        lambda x, weight, bias: (weight @ x.T).T + bias[None, :],
        lambda x, weight, bias: (x[:, None, :] * weight).sum(-1) + bias,
        cell_by_cell,
    ],
    "step": [as_usual, by_data, and_forgets, spoils_gradients, moved(lambda p, g, lr: p - lr * g)],
    "cross_entropy": [
        with_gather, row_by_row, with_one_hot, from_the_textbook,
        lambda scores, target: -picked(log_shares(scores), target).mean(),
    ],
    "scores_grad": [by_difference, taken_away, with_a_loop],
}  # fmt: skip
WRONG = {
    "linear": [
        (lambda x, weight, bias: x @ weight.T, "a layer is its weights"),
        (lambda x, weight, bias: x @ weight.reshape(weight.shape[1], -1) + bias, "another shape will do"),
        (lambda x, weight, bias: weight @ x.T + bias[:, None], "rows and columns may change places"),
        (lambda x, weight, bias: x @ weight.T + bias.sum(), "the bias is one number"),
        (lambda x, weight, bias: (x @ weight.T) * bias, "the bias is one more weight to multiply by"),
        (lambda x, weight, bias: x @ weight.T + x.shape[1] * bias, "the bias is added to each product"),
        (lambda x, weight, bias: torch.nn.functional.linear(x, weight, bias), f"{BORROWED} linear,"),
        (lambda x, weight, bias: (x @ weight.T + bias).detach(), "no gradient can flow back through its result"),
        (lambda x, weight, bias: x @ weight.T + bias.detach(), "through its result bias gets no gradient"),
        (lambda x, weight, bias: (x @ weight.T + bias).tolist(), "a tensor is asked for, not a list"),
        (lambda x, weight, bias: (x @ weight.T + bias).double(), "float64, where"),
        (lambda x, weight, bias: x @ weight + bias, "RuntimeError"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "step": [
        (new_names, "a new value under the old name moves the parameter"),
        (into_the_list, "a new value in the list moves the parameter"),
        (asks_for_none, "parameters[0] asks for no gradient any more"),
        (switched_off, "It leaves gradients switched off"),
        (moved(lambda p, g, lr: p + lr * g), "a step goes along the gradient"),
        (moved(lambda p, g, lr: p - g), "the gradient itself is the step"),
        (moved(lambda p, g, lr: -lr * g), "the step takes the place of the weight"),
        (moved(lambda p, g, lr: p - g / lr), "the rate says by how much a step is divided"),
        (only_the_first, "one parameter is enough"),
        (moved(lambda p, g, lr: p - lr * g.sign()), "every number moves equally far"),
        (recorded, "a leaf Variable that requires grad"),
        (in_a_hurry, "TypeError"),
        (borrowed_step, f"{BORROWED} SGD,"),
        (twice, "parameters[0][0] was 1, its gradient is 10, the rate is 0.1; it holds -1 now"),
        (moved(lambda p, g, lr: p - lr * g.abs()), "parameters[0][1] was 2, its gradient is -20"),
        (never_ends, NEVER), (raises, RAISES),
    ],
    "cross_entropy": [
        (naive, "exp of a score is a number like any other"),
        (late_log, "the log comes after the division"),
        (of_the_mean, "any number of a row will do"),
        (a_little_more, "got tensor(87."),
        (lambda scores, target: naive(scores - scores.max(), target), "one largest score does for the whole table"),
        (lambda scores, target: -log_shares(scores)[:, target].mean(), "a list of classes behind a colon"),
        (lambda scores, target: picked(log_shares(scores), target).mean(), "the log of a share is the loss"),
        (lambda scores, target: -picked(log_shares(scores), target).sum(), "the losses of a batch are summed"),
        (lambda scores, target: -picked(log_shares(scores.T).T, target).mean(), "shares come to 1 down a column"),
        (lambda scores, target: (1 - picked(shares(scores), target)).mean(), "the share that is missing to 1"),
        (lambda scores, target: -picked(shares(scores), target).mean().log(), "first the mean of the shares"),
        (lambda scores, target: -picked(scores, target).mean(), "a score is the log of a share already"),
        (lambda scores, target: torch.nn.functional.cross_entropy(scores, target), f"{BORROWED} cross_entropy,"),
        (lambda scores, target: -picked(scores.log_softmax(1), target).mean(), f"{BORROWED} log_softmax,"),
        (lambda scores, target: with_gather(scores, target).detach(), "no gradient can flow back through its result"),
        (lambda scores, target: with_gather(scores, target).item(), "a tensor is asked for, not a float"),
        (lambda scores, target: -picked(log_shares(scores), target), "shape (2,), where ()"),
        (lambda scores, target: with_gather(scores, target).double(), "float64, where"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "scores_grad": [
        (naive_grad, "exp of a score is a number like any other"),
        (lambda scores, target: naive_grad(scores - scores.mean(1, keepdim=True), target),
         "any number of a row will do"),
        (lambda scores, target: -by_difference(scores, target), "the right score gets a plus"),
        (lambda scores, target: shares(scores) - hot(scores, target), "each row counts in full"),
        (lambda scores, target: shares(scores) / len(target), "the gradient is the shares"),
        (lambda scores, target: by_difference(scores, target) * hot(scores, target), "one score in each row gets"),
        (lambda scores, target: (shares(scores.T).T - hot(scores, target)) / len(target), "down a column"),
        (by_backward, f"{BORROWED} backward,"),
        (lambda scores, target: by_difference(scores, target).tolist(), "a tensor is asked for, not a list"),
        (lambda scores, target: by_difference(scores, target).sum(0), "shape (3,), where (2, 3)"),
        (lambda scores, target: by_difference(scores, target).double(), "float64, where"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip

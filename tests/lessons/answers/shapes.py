"""Answers of students in lessons 04 to 06: right ones, and wrong ones with what is said."""

import itertools
import math

import rustyflow as torch
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises

NN = torch.nn


def shape_by_adding(a, b):
    try:
        return tuple((torch.zeros(a) + torch.zeros(b)).shape)
    except RuntimeError:
        return "clash"


def dot(row, column):  # a helper of one's own, with the name of a method
    total = 0
    for x, y in zip(row, column):
        total = total + x * y
    return total


def softmax(x, dim):  # and this one with the name of what is to be written
    e = torch.exp(x)
    return e / torch.sum(e, dim, keepdim=True)


def exp(x):  # this one is called by nobody, though tensors have a method of its name
    return torch.softmax(x, 0)


def mean_of_squares(x):
    return (x * x).sum() / x.numel()


def loss_of_a_column(pred, target):
    return mean_of_squares(pred - target.view(-1, 1))


def loss_by_library(pred, target):
    return torch.nn.functional.mse_loss(pred.squeeze(-1), target)


def loss_by_module(pred, target):
    return NN.MSELoss()(pred[:, 0], target)


def loss_in_a_loop(pred, target):
    total = 0
    for n in range(len(target)):
        total = total + (pred[n, 0] - target[n]) ** 2
    return total / len(target)


def loss_of_a_stack(pred, target):
    return torch.stack([(p[0] - t) ** 2 for p, t in zip(pred, target)]).mean()


def shape_from_behind(a, b):
    result = []
    for k in range(1, max(len(a), len(b)) + 1):
        m, n = (a[-k] if k <= len(a) else 1), (b[-k] if k <= len(b) else 1)
        if m != n and 1 not in (m, n):
            return "clash"
        result = [n if m == 1 else m, *result]
    return result


def shape_from_the_left(a, b):
    found = shape_from_behind(a[::-1], b[::-1])
    return found if found == "clash" else found[::-1]


def shape_by_library(a, b):
    try:
        return tuple(torch.broadcast_shapes(a, b))
    except RuntimeError:
        return "clash"


def shape_of_lists(a, b):
    longer, shorter = sorted((list(a), list(b)), key=len, reverse=True)
    for d in range(-len(shorter), 0):
        if longer[d] == 1:
            longer[d] = shorter[d]
        elif shorter[d] not in (1, longer[d]):
            return "clash"
    return longer


def shape_by_recursion(a, b):
    if not a or not b:
        return tuple(a or b)
    front, (m, n) = shape_by_recursion(a[:-1], b[:-1]), (a[-1], b[-1])
    if front == "clash" or m != n and 1 not in (m, n):
        return "clash"
    return (*front, n if m == 1 else m)


def shape_by_zip_longest(a, b):
    result = []
    for sizes in itertools.zip_longest(reversed(a), reversed(b), fillvalue=1):
        larger = {size for size in sizes if size != 1}
        if len(larger) > 1:
            return "clash"
        result.append(larger.pop() if larger else 1)
    return result[::-1]


def shape_that_shouts(a, b):
    found = shape_from_behind(a, b)
    return "Clash" if found == "clash" else found


def shape_that_clashes_late(a, b):
    a, b = [1] * (len(b) - len(a)) + [*a], [1] * (len(a) - len(b)) + [*b]
    if any(m != n and m != 1 and n != 1 for m, n in zip(a, b)):
        return "clash"
    return tuple(m * n if 1 in (m, n) else m for m, n in zip(a, b))


def centred_in_a_loop(x):
    return torch.stack([row - row.mean() for row in x]) if len(x) else x


def centred_by_hand(x):
    return x - (x.sum(-1) / x.shape[1])[:, None]


def centred_in_place(x):
    x -= x.mean(1, keepdim=True)
    return x


def softmax_of_powers(x, dim):
    e = math.e**x
    return e / e.sum(dim).unsqueeze(dim)


def softmax_of_differences(x, dim):
    e = torch.exp(x - x.amax(dim=dim, keepdim=True).detach())
    return e.div(e.sum(dim=dim, keepdim=True))


def softmax_turned(x, dim):
    e = x.exp().movedim(dim, -1)
    return (e / e.sum(-1, keepdim=True)).movedim(-1, dim)


def softmax_without_a_quotient(x, dim):
    return (x - x.exp().sum(dim, keepdim=True).log()).exp()


def softmax_imported(x, dim):
    from torch.nn.functional import log_softmax as softly

    return softly(x, dim).exp()


def scores_imported(q, k):
    from torch import bmm

    return bmm(q, k.mT)


def softmax_in_place(x, dim):
    x.exp_()
    x /= x.sum(dim, keepdim=True)
    return x


def cell_of_terms(a, b, i, j):
    total = 0.0
    for k in range(b.shape[0]):
        total += a[i, k].item() * b[k, j].item()
    return total


def cell_of_lists(a, b, i, j):
    return sum(x * row[j] for x, row in zip(a[i].tolist(), b.tolist()))


def cell_from_behind(a, b, i, j):
    return 0 if a.shape[1] == 0 else a[i, -1] * b[-1, j] + cell_from_behind(a[:, :-1], b[:-1], i, j)


def scores_of_pairs(q, k):
    return (q[:, :, None, :] * k[:, None, :, :]).sum(-1)


def scores_in_a_loop(q, k):
    return torch.stack([torch.stack([(q[n, i] * k[n]).sum(-1) for i in range(len(q[n]))]) for n in range(len(q))])


def looped(q, k):
    return [a @ b.T for a, b in zip(q, k)]


RIGHT = {
    "fixed_loss": [
        loss_of_a_column, loss_by_library, loss_by_module, loss_in_a_loop, loss_of_a_stack,
        lambda pred, target: (pred[:, 0] - target).pow(2).mean(),
        lambda pred, target: torch.mean(torch.square(pred.view(-1) - target)),
        lambda pred, target: (pred.T - target).square().mean(),
        lambda pred, target: ((pred - target).diagonal() ** 2).mean(),
        lambda pred, target: ((target.unsqueeze(1) - pred) ** 2).sum() / target.shape[0],
    ],
    "broadcast_shape": [shape_from_behind, shape_that_clashes_late, shape_of_lists,
                        shape_by_recursion, shape_by_zip_longest],
    "centred_rows": [
        centred_in_a_loop, centred_by_hand,
        lambda x: x - x.mean(1, keepdim=True), lambda x: x - x.mean(dim=-1).unsqueeze(-1),
        lambda x: (x.T - x.mean(1)).T, lambda x: torch.sub(x, torch.mean(x, 1, True)),
        lambda x: x - x.mean(1).reshape(-1, 1), lambda x: x + -x.sum(axis=1, keepdims=True) / x.size(1),
        lambda x: x - x.mean(1, keepdim=True).expand_as(x),
    ],
    "softmax_by_hand": [
        softmax, softmax_of_powers, softmax_of_differences, softmax_turned, softmax_without_a_quotient,
        lambda x, dim: softmax(x, dim), lambda x, dim: x.exp() / x.exp().sum(dim, keepdim=True),
        lambda x, dim: torch.exp(x) * x.exp().sum(dim, True).reciprocal(),
    ],
    "product_cell": [
        cell_of_terms, cell_of_lists, cell_from_behind,
        lambda a, b, i, j: dot(a[i], b[:, j]), lambda a, b, i, j: (a[i] * b[:, j]).sum(),
        lambda a, b, i, j: sum(a[i, k].item() * b[k, j].item() for k in range(a.shape[1])),
        lambda a, b, i, j: torch.sum(a[i] * b.T[j]).item(),
        lambda a, b, i, j: math.fsum(x * y for x, y in zip(a[i].tolist(), b[:, j].tolist())),
        lambda a, b, i, j: (a[i, :] * b[:, j]).cumsum(0)[-1] if len(b) else 0,
    ],
    "all_scores": [
        scores_of_pairs, scores_imported, lambda q, k: q @ k.transpose(1, 2), lambda q, k: torch.matmul(q, k.mT),
        lambda q, k: torch.bmm(q, k.permute(0, 2, 1)), lambda q, k: torch.einsum("nqd,nkd->nqk", q, k),
        lambda q, k: (k @ q.swapaxes(-1, -2)).swapaxes(-1, -2),
        lambda q, k: torch.einsum("...qd,...kd->...qk", q, k), lambda q, k: q @ k.movedim(1, 2),
        lambda q, k: torch.stack([*(q.unsqueeze(-2) * k.unsqueeze(-3)).unbind(-1)]).sum(0) if q.shape[-1] else q @ k.mT,
    ],
}  # fmt: skip

CUT = "no gradient can flow back through its result"
BY_HAND = "it leaves the work to"

WRONG = {
    "fixed_loss": [
        (lambda pred, target: ((pred - target) ** 2).mean(), "equal length means compatible"),
        (lambda pred, target: ((pred[0] - target) ** 2).mean(), "the first index of a column is the column"),
        (lambda pred, target: ((pred - target[:1]) ** 2).mean(), "a row of pred meets one target, the first"),
        (lambda pred, target: ((pred[:, 0] - target) ** 2).sum(), "a sum will do"),
        (lambda pred, target: (pred[:, 0] - target).abs().mean(), "to take the sign away is as good as a square"),
        (lambda pred, target: (pred.mean() - target.mean()) ** 2, "the means may be taken first"),
        (lambda pred, target: (pred[:, 0] - target) ** 2, "a loss is a number for each row"),
        (lambda pred, target: torch.tensor(loss_of_a_column(pred, target).item()), CUT),
        (lambda pred, target: torch.tensor(loss_of_a_column(pred, target).item(), requires_grad=True),
         "pred gets no gradient: a part of it is cut off"),
        (lambda pred, target: ((pred[:, 0].detach() + pred[:, 0] - pred[:, 0].detach() * 2 + target * 0) * 0
         + (pred[:, 0].detach() - target)).pow(2).mean(), "pred gets another gradient than it should"),
        (lambda pred, target: loss_of_a_column(pred, target).item(), "a tensor is asked for, not a float"),
        (lambda pred, target: loss_of_a_column(pred, target).double(), "float64, where"),
        (lambda pred, target: loss_of_a_column(pred, target).view(1), "shape (1,), where () is"),
        (lambda pred, target: (pred[:, 1] - target).pow(2).mean(), "IndexError"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "broadcast_shape": [
        (lambda a, b: tuple(max(m, n) for m, n in zip((1,) * (len(b) - len(a)) + a, (1,) * (len(a) - len(b)) + b)),
         "the larger size wins"),
        (shape_by_adding, "it leaves the work to zeros"),
        (lambda a, b: max(a, b, key=len) if all(m == n for m, n in zip(a[::-1], b[::-1])) else "clash",
         "only equal sizes fit"),
        (lambda a, b: shape_from_behind(a[len(a) - min(len(a), len(b)):], b[len(b) - min(len(a), len(b)):]),
         "an axis that only one of them has is lost"),
        (shape_from_the_left, "shapes are aligned from the left"),
        (lambda a, b: (a[0], b[1]), "IndexError"),
        (lambda a, b: "clash", "these two fit"), (shape_that_shouts, "is written in small letters"),
        (shape_by_library, f"{BY_HAND} broadcast_shapes,"),
        (lambda a, b: tuple(torch.broadcast_shapes(a, b)), "RuntimeError"),
        (lambda a, b: (*a, *b), "3 values, where 2 values are asked for"),
        (lambda a, b: str(shape_from_behind(a, b)), "write it without quotes"),
        (lambda a, b: shape_from_behind(a, b)[0], "one number is not enough"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "centred_rows": [
        (lambda x: x - x.mean(0), "axis 0 means rows"),
        (lambda x: x - x.mean(), "a mean is one number"),
        (lambda x: x - x.sum(1, keepdim=True), "to centre is to take away the sum"),
        (lambda x: x.mean(1, keepdim=True), "the means are what is asked for"),
        (lambda x: x.T - x.mean(1), "a transpose makes it fit"),
        (lambda x: (x - x.mean(1, keepdim=True)).detach(), CUT),
        (lambda x: x - x.mean(1, keepdim=True).detach(), "x gets another gradient than it should"),
        (lambda x: x - x.mean(1), "at non-singleton dimension 1"),
        (lambda x: (x - x.mean(1, keepdim=True)).tolist(), "a tensor is asked for, not a list"),
        (lambda x: x.double() - x.double().mean(1, keepdim=True), "float64, where"),
        (centred_in_place, "it also changes x"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "softmax_by_hand": [
        (lambda x, dim: torch.softmax(x, dim), "it calls softmax,"),
        (lambda x, dim: torch.nn.Softmax(dim)(x), "it calls Softmax,"),
        (lambda x, dim: x.log_softmax(dim).exp(), "it calls log_softmax,"),
        (softmax_in_place, "on the way it stops. VersionError"),
        (lambda x, dim: torch.tensor(softmax(x, dim).numpy()), "with tensors that want a gradient it stops. GradError"),
        (softmax_imported, "But it calls log_softmax, which"),
        (lambda x, dim: NN.functional.softmin(-x, dim), "it calls softmin,"),
        (lambda x, dim: (x - x.logsumexp(dim, keepdim=True)).exp(), "it calls logsumexp,"),
        (lambda x, dim: getattr(torch.nn, "LogSoftmax")(dim)(x).exp(), "it calls LogSoftmax,"),  # noqa: B009
        (lambda x, dim: softmax(x, 1 if x.ndim == 2 and dim == 0 else 0), "dim names what stays"),
        (lambda x, dim: softmax(x, min(1, x.ndim - 1)), "dim is 1, as in the example"),
        (lambda x, dim: x.exp() / x.exp().sum(), "softmax shares 1 among all numbers"),
        (lambda x, dim: x / x.sum(dim, keepdim=True), "the share of a number is the number over the sum"),
        (lambda x, dim: x.exp(), "softmax ends with exp"),
        (lambda x, dim: softmax(x, dim).detach(), CUT),
        (lambda x, dim: x.exp() / x.exp().sum(dim, keepdim=True).detach(), "x gets another gradient than it should"),
        (lambda x, dim: x.exp() / x.exp().sum(dim), "at non-singleton dimension"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "product_cell": [
        (lambda a, b, i, j: (a @ b)[i, j], f"{BY_HAND} @,"),
        (lambda a, b, i, j: torch.dot(a[i], b[:, j]), f"{BY_HAND} dot,"),
        (lambda a, b, i, j: torch.einsum("k,k->", a[i], b[:, j]), f"{BY_HAND} einsum,"),
        (lambda a, b, i, j: int(cell_of_terms(a, b, i, j)), "a sum of products is a whole number"),
        (lambda a, b, i, j: a[i, min(j, a.shape[1] - 1)] * b[min(i, b.shape[0] - 1), j], "the one in its own place"),
        (lambda a, b, i, j: dot(a[i], b[j % b.shape[0]]), "rows meet rows"),
        (lambda a, b, i, j: a[i, -1] * b[-1, j], "the last product is enough"),
        (lambda a, b, i, j: a[i].sum() * b[:, j].sum(), "first both are added up, and then multiplied"),
        (lambda a, b, i, j: a[i] * b[:, j], "the products stay apart"),
        (lambda a, b, i, j: torch.tensor([cell_of_terms(a, b, i, j)]), "not a tensor of shape (1,), with one number"),
        (lambda a, b, i, j: [cell_of_terms(a, b, i, j)], "one number is asked for, not a list"),
        (lambda a, b, i, j: str(cell_of_terms(a, b, i, j)), "without quotes"),
        (lambda a, b, i, j: cell_of_terms(a, b, i, j) + 1, "too large"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "all_scores": [
        (lambda q, k: q @ k.reshape(k.shape[0], k.shape[2], k.shape[1]), "to reshape is to transpose"),
        (lambda q, k: q @ k[0].T, "the first table of k will do for all"),
        (lambda q, k: k @ q.transpose(1, 2), "the two sides may be swapped"),
        (lambda q, k: q @ k, "RuntimeError"),
        (scores_in_a_loop, "it has a product in a loop"),
        (lambda q, k: (q @ k.transpose(1, 2)).detach(), CUT),
        (lambda q, k: q.detach() @ k.transpose(1, 2), "q gets no gradient"),
        (lambda q, k: (q @ k.mT).tolist(), "a tensor is asked for, not a list"),
        (lambda q, k: q @ k.mT + 1, "the shape is right, the numbers are not"),
        (lambda q, k: (q @ k.mT).float(), "float32, where"),
        (lambda q, k: (q @ k.mT)[0], "where (2, 1, 2) is asked for"),
        (lambda q, k: (q @ k.mT).round(), "right to a few digits only"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip

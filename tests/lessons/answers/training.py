"""Answers of students in lessons 15 and 16: right ones, and wrong ones with what is said."""

import math

import rustyflow as torch
from tests.lessons.answers.gradients import BORROWED
from tests.lessons.answers.memory import NEVER, NOTHING, RAISES, gives_nothing, never_ends, raises


def later(scores):
    return torch.ones(scores.shape[-2:]).triu(1).bool()


def shares_again(scores):
    kept = scores.softmax(-1).tril()
    return kept / kept.sum(-1, keepdim=True)


def with_a_mask_that_is_added(scores):
    return torch.softmax(scores + torch.zeros(scores.shape[-2:]).masked_fill(later(scores), -math.inf), -1)


def multiplied(scores):
    seen = torch.ones(scores.shape[-2:]).tril()
    return (scores * seen + (1 - seen) * float("-inf")).softmax(-1)


def for_two_texts(scores):
    b, n, _ = scores.shape
    return scores.masked_fill(torch.ones(n, n).triu(1) > 0, -math.inf).softmax(-1)


def from_the_second_axis(scores):
    n = scores.shape[1]
    return scores.masked_fill(torch.ones(n, n).triu(1) > 0, -math.inf).softmax(-1)


def softmax_of_exp(scores):
    e = scores.exp().tril()
    return e / e.sum(-1, keepdim=True)


def row_by_row(scores):
    rows = []
    for i in range(scores.shape[-1]):
        seen = scores[..., i, : i + 1].softmax(-1)
        rows.append(torch.cat([seen, torch.zeros_like(scores[..., i, i + 1 :])], -1))
    return torch.stack(rows, -2)


def hides_only_the_last(scores):
    n = scores.shape[-1]
    hidden = torch.zeros(n, n)
    hidden[: n - 1, n - 1] = -math.inf
    return (scores + hidden).softmax(-1)


def causal(scores):
    return scores.masked_fill(later(scores), -math.inf).softmax(-1)


def from_the_other_side(g, x):
    return g / ((1 + torch.exp(-x)) * (1 + torch.exp(x)))


def by_backward(g, x):
    leaf = x.detach().clone().requires_grad_()
    leaf.sigmoid().backward(g)
    return leaf.grad


RIGHT = {
    "vjp_sigmoid": [lambda g, x: g * x.sigmoid() * (1 - x.sigmoid()), from_the_other_side,
                    lambda g, x: g * (1 - torch.tanh(x / 2) ** 2) / 4],
    "causal_weights": [causal, with_a_mask_that_is_added, row_by_row,
                       lambda scores: torch.where(later(scores), torch.tensor(-math.inf), scores).softmax(dim=-1)],
}
WRONG = {
    "vjp_sigmoid": [
        (lambda g, x: g * x.sigmoid(), "what comes out is the slope"),
        (lambda g, x: g / 4, "the slope is a quarter everywhere"),
        (lambda g, x: x.sigmoid() * (1 - x.sigmoid()), "upstream can be ignored"),
        (lambda g, x: g * x * (1 - x), "the slope is made of what goes in"),
        (lambda g, x: g - g * x.sigmoid(), "what is missing to 1 is the slope"),
        (lambda g, x: g, "a gradient goes through as it is"),
        (by_backward, f"{BORROWED} backward,"),
        (lambda g, x: (g * x.sigmoid() * (1 - x.sigmoid())).tolist(), "a tensor is asked for, not a list"),
        (lambda g, x: (g * x.sigmoid() * (1 - x.sigmoid())).sum(), "shape (), where (3,) is asked for"),
        (lambda g, x: (g * x.sigmoid() * (1 - x.sigmoid())).double(), "float64, where"),
        (lambda g, x: (g * x.sigmoid() * (1 - x.sigmoid()) * 1000).round() / 1000, "right to a few digits only"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
    "causal_weights": [
        (lambda scores: scores.tril().softmax(-1), "a score of 0 is no attention"),
        (lambda scores: scores.softmax(-1).tril(), "what is hidden can be taken out after the softmax"),
        (lambda scores: scores.masked_fill(torch.ones(scores.shape[-2:]).triu() > 0, -math.inf).softmax(-1),
         "a letter does not look at itself"),
        (shares_again, "if the rest is divided by its sum"),
        (lambda scores: scores.masked_fill(later(scores), -20.0).softmax(-1), "a very low score hides a letter"),
        (lambda scores: scores.masked_fill(later(scores), -math.inf), "these are scores still. Take the softmax"),
        (multiplied, "0 times -inf is nan"),
        (for_two_texts, "not enough values to unpack"),
        (from_the_second_axis, "BroadcastError"),
        (softmax_of_exp, "all that it may look at had the share 0"),
        (lambda scores: scores.masked_fill(later(scores).T, -math.inf).softmax(-1), "the past is hidden"),
        (hides_only_the_last, "only the last letter has to be hidden"),
        (lambda scores: scores.masked_fill(later(scores), -math.inf).softmax(-2), "the columns come to 1"),
        (lambda scores: scores.softmax(-1), "nothing has to be hidden"),
        (lambda scores: causal(scores).tolist(), "a tensor is asked for, not a list"),
        (lambda scores: causal(scores)[0], "shape (3, 3), where (2, 3, 3) is asked for"),
        (lambda scores: causal(scores) * 2, "the weights of letter 0 do not come to 1"),
        (lambda scores: torch.ones(scores.shape).tril() / torch.arange(1.0, scores.shape[-1] + 1).unsqueeze(-1),
         "still these are not the weights that softmax gives"),
        (lambda scores: causal(scores).double(), "float64, where"),
        (never_ends, NEVER), (raises, RAISES), (gives_nothing, NOTHING),
    ],
}  # fmt: skip

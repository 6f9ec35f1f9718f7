"""The guest wing: six faults that are no engine's, each as a program and the same program mended.

The programs take the library as `torch`, so that they run under PyTorch's name, and under PyTorch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Guest:
    """A fault of a program.

    Attributes:
        name: a word for it. faulty, mended: functions of the library that give what is looked at.
        says: what the faulty one gives, truth: what the mended one gives. passes: a test that both pass.
        why: what went wrong, in a sentence. lesson: the number of the one whose idea it breaks.
    """

    name: str
    faulty: Callable[[Any], Any]
    mended: Callable[[Any], Any]
    says: Any
    truth: Any
    passes: str
    why: str
    lesson: str


def nan_behind(torch):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = torch.where(x > 0, x.sqrt(), torch.zeros(2))
    y.sum().backward()
    return x.grad.tolist()


def nothing_behind(torch):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    safe = torch.where(x > 0, x, torch.ones(2))  # the root of what is taken alone
    y = torch.where(x > 0, safe.sqrt(), torch.zeros(2))
    y.sum().backward()
    return x.grad.tolist()


def heads_by_view(torch):
    q = torch.arange(12.0).view(3, 4)  # three words, two heads of two numbers each
    return q.view(2, 3, 2)[0].tolist()


def heads_by_transpose(torch):
    q = torch.arange(12.0).view(3, 4)
    return q.view(3, 2, 2).transpose(0, 1)[0].tolist()


def moved_too_early(torch):
    w1, w2, x, lr = 2.0, 3.0, 1.0, 0.5
    h = w1 * x
    w2 = w2 - lr * h  # y = w2 * h, and 1 arrives at y
    w1 = w1 - lr * w2 * x  # w2 is another one by now
    return [w1, w2]


def moved_together(torch):
    w1, w2, x, lr = 2.0, 3.0, 1.0, 0.5
    h = w1 * x
    g1, g2 = w2 * x, h
    w1, w2 = w1 - lr * g1, w2 - lr * g2
    return [w1, w2]


def masked_queries(torch):
    scores, padding = torch.zeros(2, 2), torch.tensor([False, True])  # word 1 is padding
    return scores.masked_fill(padding[:, None], -1e9).softmax(1).tolist()


def masked_keys(torch):
    scores, padding = torch.zeros(2, 2), torch.tensor([False, True])
    return scores.masked_fill(padding[None, :], -1e9).softmax(1).tolist()


def divided_by_columns(torch):
    p = torch.tensor([[1.0, 1.0], [1.0, 3.0]])
    return (p / p.sum(1)).tolist()


def divided_by_rows(torch):
    p = torch.tensor([[1.0, 1.0], [1.0, 3.0]])
    return (p / p.sum(1, keepdim=True)).tolist()


def written_over(torch):
    g, words, parts = torch.zeros(3), torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 4.0])
    g[words] += parts  # word 0 stands there twice: one part stays
    return g.tolist()


def added_up(torch):
    g, words, parts = torch.zeros(3), torch.tensor([0, 2, 0]), torch.tensor([1.0, 2.0, 4.0])
    g.index_add_(0, words, parts)
    return g.tolist()


NAN = float("nan")

GUESTS = (
    Guest("the branch that was not taken", nan_behind, nothing_behind, [NAN, 0.25], [0.0, 0.25],
          "the value of y is right, and so is each gradient at x > 0",
          "where sends 0 to the root, whose slope at 0 is infinite, and 0 times infinity is no number.", "09"),
    Guest("a view is no transpose", heads_by_view, heads_by_transpose, [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]],
          [[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]], "the shapes are right, and with one head the numbers, too",
          "a view reads the same line of memory, so that head 0 gets all of word 0 and half of word 1.", "02"),
    Guest("moved too early", moved_too_early, moved_together, [1.0, 2.0], [0.5, 2.0],
          "the loss falls, and w2 is right", "the gradient of w1 reads w2, which had been moved by then.", "20"),
    Guest("the other axis of a mask", masked_queries, masked_keys, [[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [1.0, 0.0]],
          "rows sum to 1, and without padding nothing differs",
          "the mask leaves out who asks, and who is asked stays: word 0 still looks at padding.", "16"),
    Guest("a square that fits", divided_by_columns, divided_by_rows, [[0.5, 0.25], [0.5, 0.75]],
          [[0.5, 0.5], [0.25, 0.75]], "no error comes of a square, and symmetric numbers come out right",
          "without keepdim the sums of rows lie along the columns.", "05"),
    Guest("one of them stays", written_over, added_up, [4.0, 0.0, 2.0], [5.0, 0.0, 2.0],
          "with each word once the numbers are right",
          "an index that stands twice is written once: one part stays, and PyTorch does not promise which.", "17"),
)  # fmt: skip
"""All six."""

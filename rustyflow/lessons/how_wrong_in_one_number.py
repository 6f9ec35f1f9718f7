"""Checks of lesson 14: cross entropy, written so that it holds for any scores, and its gradient."""

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from .. import nn, show
from ..autograd import grad
from ..claims.claim import Claim, equation, worked
from ..claims.tree import Leaf, Op, called, times
from ..dtype import float64
from ..ops.creation import arange, tensor, zeros
from ..scene import Scene
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import borrows
from .kit.exercises.cases import numbers, vjp
from .kit.exercises.exercise import Exercise
from .kit.questions import pictures
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED

# The loss of who knows nothing.


def _uniform(classes: int) -> float:
    """The library's loss where all scores are equal."""
    return round(nn.functional.cross_entropy(zeros(1, classes, dtype=float64), tensor([0])).item(), 3)


def _shares(*scores: float) -> Scene:
    """Scores, and the shares that softmax makes of them; without the way back."""
    scene = show.op("softmax", tensor(scores), dim=0, names=["scores"], title="softmax: scores become shares").scene
    return pictures.forward(scene)


def _as_shares(loss: float, classes: int) -> Scene:
    """The shares that would have the loss of an answer."""
    share = math.exp(-loss)
    if loss == _uniform(classes):
        each = 1 / classes
        so = Claim("", Op("-", (called("log", [each]),)), -math.log(each), digits=4)
        said = f"Each share is {worked(called('/', [1, classes]))}, and {so}."
        return pictures.story(_shares(*[0.0] * classes), (said, None))
    belongs = Claim("", called("exp", [Op("-", (Leaf(loss),))]), share)
    come = Claim("", times(classes, share), classes * share)
    steps = (f"-log(share) would be {equation('', loss)}, and the share {belongs}",
             f"{classes} equal shares would come to {come}, not to 1")  # fmt: skip
    return pictures.story(_shares(*[0.0] * classes), *((f"{SUPPOSED}, {said}.", None) for said in steps))


uniform_guess = Question(
    case={"classes": 10},
    another=lambda random: {"classes": random.choice([n for n in range(3, 40) if n != 10])},
    ask=lambda classes: (
        f"A model has {classes} classes to choose from, and knows nothing: each gets the same share. The loss is "
        "-log(share of the right class), with the log that has the base e. How large is it?"
    ),
    key=_uniform,
    misconceptions=(
        Misconception(
            "the loss is the share that is missing to 1",
            "That would be 1 - share. -log grows without end where the share goes to 0.",
            lambda classes: round(1 - 1 / classes, 3),
        ),
        Misconception(
            "a log has the base 10",
            "In mathematics and in torch.log the base is e, 2.718...: its slope at 1 is 1.",
            lambda classes: round(math.log10(classes), 3),
        ),
        Misconception(
            "the loss is one over the share",
            "The log of it is the loss. So shares that are multiplied have losses that are added.",
            lambda classes: float(classes),
        ),
    ),
    why=lambda classes: (
        f"The share is 1 / {classes}, and -log of it is "
        f"{Claim('', called('log', [classes]), math.log(classes), digits=4)}. A model that begins with a "
        "much larger loss is not ignorant, but sure of what is wrong."
    ),
    words=lambda loss: f"about {loss:.3f}",
    played=_as_shares,
)


# What the scores get.


def _some_shares(random: Random) -> dict[str, Any]:
    """Three shares in tenths or twentieths that come to 1."""
    cuts = sorted(random.sample(range(1, 20), 2))
    parts = (cuts[0], cuts[1] - cuts[0], 20 - cuts[1])
    return {"shares": tuple(part / 20 for part in parts), "right": random.randrange(3)}


def _scores(shares: Sequence[float]) -> Tensor:
    return tensor([round(math.log(share), 6) for share in shares], dtype=float64)


def _minus_one(shares: Sequence[float], right: int) -> tuple[float, ...]:
    """The gradient that backward leaves in the scores."""
    scores = _scores(shares).requires_grad_()
    [found] = grad(nn.functional.cross_entropy(scores, tensor(right)), [scores])
    return tuple(round(number, 2) + 0.0 for number in found.tolist())


def _at_right(number: Callable[[float], float]) -> Callable[..., tuple[float, ...]]:
    """An answer with a number, of the share of the right class, in its place, and 0 in the others."""
    return lambda shares, right: tuple(round(number(p), 2) if k == right else 0.0 for k, p in enumerate(shares))


def _loss(scores: Tensor, right: int) -> float:
    return nn.functional.cross_entropy(scores, tensor(right)).item()


NUDGE = 0.1
"""By how much a score is raised, to see whether the loss moves."""


def _of_a_step(answer: tuple[float, ...], shares: tuple[float, ...], right: int) -> Scene:
    """Scores and shares, and what a gradient would mean for them."""
    scores, other = _scores(shares), next(k for k in range(3) if k != right)
    scene = _shares(*scores.tolist())
    if answer == _minus_one(shares, right):
        told = [f"The step goes the other way: score {right} up, and the others down, each by its share."]
    elif answer[other] < 0:
        after = (scores - tensor(answer, dtype=float64)).softmax(0)[right].item()
        told = [f"{SUPPOSED}, a step against it would take score {right}, of the right class, down.",
                f"{SUPPOSED}, its share would go from {equation('', shares[right])} to {equation('', after)}: "
                "it would unlearn."]  # fmt: skip
    else:
        nudged = scores.clone()
        nudged[other] += NUDGE
        before, after, by = _loss(scores, right), _loss(nudged, right), equation("", NUDGE)
        told = [f"{SUPPOSED}, the loss would stay as it is when score {other} is raised by {by}.",
                f"{SUPPOSED}, it would still be {equation('', before)}. But it goes to {equation('', after)}."]
    return pictures.story(scene, *((said, None) for said in told))


def _row(parts: Sequence[float]) -> str:
    return ", ".join(f"{part:g}" for part in parts)


what_scores_get = Question(
    case={"shares": (0.7, 0.2, 0.1), "right": 1},
    another=_some_shares,
    ask=lambda shares, right: (
        f"Of three scores softmax makes the shares {_row(shares)}. The right class is number {right}, counted from 0. "
        "loss = -log(its share), and loss.backward() runs. Which gradient do the three scores get?"
    ),
    key=_minus_one,
    misconceptions=(
        Misconception(
            "a step goes along the gradient, so the right score gets a plus",
            "The gradient says where the loss grows: it grows when the right score goes down.",
            lambda shares, right: tuple(-g + 0.0 for g in _minus_one(shares, right)),
        ),
        Misconception(
            "only the log sends a gradient",
            "That is what the share gets. The scores come before softmax, in which all of them take part.",
            _at_right(lambda p: -1 / p),
        ),
        Misconception(
            "the loss reads one share, so one score alone gets a gradient",
            "That share was divided by the sum of all: a higher score elsewhere makes it smaller.",
            _at_right(lambda p: p - 1),
        ),
    ),
    why=lambda shares, right: (
        f"Each score gets its share, and the right one its share minus 1: {_row(_minus_one(shares, right))}. They come "
        "to 0: what one class wins the others lose."
    ),
    words=_row,
    played=_of_a_step,
)


# Cross entropy, by hand.


def _batch(random: Random) -> dict[str, Tensor]:
    """Scores of some examples, and the right class of each.

    In some cases whole rows are far from 0, in some the scores of one row are far apart.
    """
    rows, classes = random.randint(1, 4), random.choice((1, 2, 3, 4, 5))
    scores = numbers(random, rows, classes)
    kind = random.choice(("near", "near", "near", "far row", "far cells", "sure"))
    if kind == "far row":
        scores = scores * 8 + _far(random, rows, 1)
    elif kind != "near":
        scores = scores + _far(random, rows, classes)
    target = scores.argmax(1) if kind == "sure" else _classes(random, rows, classes)
    # so far from 0 a sum keeps four digits behind the point, too few for a loss of 0.01 that it leaves
    while kind != "near" and 0 < nn.functional.cross_entropy(scores, target).item() < 1:
        target = _classes(random, rows, classes)
    return {"scores": scores, "target": target}


def _classes(random: Random, rows: int, classes: int) -> Tensor:
    return tensor([random.randrange(classes) for _ in range(rows)])


def _far(random: Random, rows: int, columns: int) -> Tensor:
    return tensor([[random.choice((-900.0, 0.0, 900.0)) for _ in range(columns)] for _ in range(rows)])


def _three() -> dict[str, Tensor]:
    return {"scores": tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]), "target": tensor([0, 2])}


def _log_shares(scores: Tensor, target: Tensor) -> Tensor:
    """The log of the share that each example gave to its right class."""
    return scores.log_softmax(1)[arange(len(target)), target]


def _naive(scores: Tensor, target: Tensor) -> Tensor:
    e = scores.exp()
    return -(e / e.sum(1, keepdim=True))[arange(len(target)), target].log().mean()


def _of_the_mean(scores: Tensor, target: Tensor) -> Tensor:
    z = scores - scores.mean(1, keepdim=True)
    return -(z - z.exp().sum(1, keepdim=True).log())[arange(len(target)), target].mean()


def _late_log(scores: Tensor, target: Tensor) -> Tensor:
    return -scores.softmax(1)[arange(len(target)), target].log().mean()


def _of_one_peak(scores: Tensor, target: Tensor) -> Tensor:
    return _naive(scores - scores.max(), target)


STABLE = "Subtract the largest score of each row first. The shares stay the same, and no exp is larger than 1."

cross_entropy = Exercise(
    "cross_entropy",
    example=_three,
    another=_batch,
    key=lambda scores, target: nn.functional.cross_entropy(scores, target),
    model=models.cross_entropy,
    misconceptions=(
        Misconception("exp of a score is a number like any other", f"exp(900) is inf. {STABLE}", _naive),
        Misconception(
            "one largest score does for the whole table",
            "A row that lies far below it becomes 0 / 0. Each row has a largest score of its own: keepdim.",
            _of_one_peak,
        ),
        Misconception(
            "the log comes after the division",
            "A share may be too small for a number: it is 0 then, and its log -inf. log(a / b) is log(a) - log(b).",
            _late_log,
        ),
        Misconception(
            "any number of a row will do, as long as it is subtracted from all",
            "No share changes; but exp of what stands far above it is inf. With the largest no exp is above 1.",
            _of_the_mean,
        ),
        Misconception(
            "a list of classes behind a colon picks one in each row",
            "[:, target] picks all these columns in every row: a grid, as in lesson 04. Give the row's number, too.",
            lambda scores, target: -scores.log_softmax(1)[:, target].mean(),
        ),
        Misconception(
            "the log of a share is the loss",
            "A share is at most 1, so its log is at most 0. The loss has a minus.",
            lambda scores, target: _log_shares(scores, target).mean(),
        ),
        Misconception(
            "the losses of a batch are summed",
            "Their mean is asked for, so that a larger batch has no larger loss.",
            lambda scores, target: -_log_shares(scores, target).sum(),
        ),
        Misconception(
            "shares come to 1 down a column",
            "The classes of one example compete, and they stand in its row: dim 1.",
            lambda scores, target: -scores.log_softmax(0)[arange(len(target)), target].mean(),
        ),
        Misconception(
            "the loss is the share that is missing to 1",
            "It is -log of the share, which has no upper end.",
            lambda scores, target: (1 - _log_shares(scores, target).exp()).mean(),
        ),
        Misconception(
            "first the mean of the shares, then the log",
            "Each example has its own loss. Take the log first.",
            lambda scores, target: -_log_shares(scores, target).exp().mean().log(),
        ),
        Misconception(
            "a score is the log of a share already",
            "It is, but for the log of the sum over the row.",
            lambda scores, target: -scores[arange(len(target)), target].mean(),
        ),
    ),
    flows=("scores",),
    form=borrows("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss", "log_softmax", "LogSoftmax", "logsumexp",
                 "softmax", "Softmax"),
    hints=(
        "z = scores minus the largest of each row: amax(dim=1, keepdim=True).",
        "The log of a share is z - log(sum of exp(z) over the row).",
        "log_shares[torch.arange(len(target)), target] has one number for each row. Take minus its mean.",
    ),
)


# Its gradient, by hand.


def _sent(scores: Tensor, target: Tensor) -> Tensor:
    return vjp(lambda scores: nn.functional.cross_entropy(scores, target), None, scores)[0]


def _hot(scores: Tensor, target: Tensor) -> Tensor:
    """1 at the right class of each row, and 0 elsewhere."""
    hot = scores * 0
    hot[arange(len(target)), target] = 1
    return hot


def _unstable(scores: Tensor, target: Tensor) -> Tensor:
    e = scores.exp()
    return (e / e.sum(1, keepdim=True) - _hot(scores, target)) / len(target)


scores_grad = Exercise(
    "scores_grad",
    example=_three,
    another=_batch,
    key=_sent,
    model=models.scores_grad,
    misconceptions=(
        Misconception("exp of a score is a number like any other", f"exp(900) is inf. {STABLE}", _unstable),
        Misconception(
            "any number of a row will do, as long as it is subtracted from all",
            "No share changes; but exp of what stands far above it is inf. With the largest no exp is above 1.",
            lambda scores, target: _unstable(scores - scores.mean(1, keepdim=True), target),
        ),
        Misconception(
            "the right score gets a plus",
            "The loss grows when the right score goes down: shares minus one-hot, not the other way round.",
            lambda scores, target: -_sent(scores, target),
        ),
        Misconception(
            "each row counts in full",
            "The loss is a mean over the rows: each counts for one part of so many.",
            lambda scores, target: _sent(scores, target) * len(target),
        ),
        Misconception(
            "the gradient is the shares",
            "The right class has its share minus 1.",
            lambda scores, target: scores.softmax(1) / len(target),
        ),
        Misconception(
            "one score in each row gets a gradient",
            "All scores of the row stand in the sum below, and so take part.",
            lambda scores, target: _sent(scores, target) * _hot(scores, target),
        ),
        Misconception(
            "shares come to 1 down a column",
            "The classes of one example compete, and they stand in its row: dim 1.",
            lambda scores, target: (scores.softmax(0) - _hot(scores, target)) / len(target),
        ),
    ),
    form=borrows("cross_entropy", "CrossEntropyLoss", "nll_loss", "backward", "grad", "log_softmax"),
    hints=(
        "Work out the shares of each row first: exp, divided by its sum over the row.",
        "shares[torch.arange(len(target)), target] -= 1 takes 1 from the right class of each row.",
        "The loss is a mean: divide by len(target).",
    ),
)

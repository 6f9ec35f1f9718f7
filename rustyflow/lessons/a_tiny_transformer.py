"""Checks of lesson 16: what a letter looks at, and that it does not look ahead."""

from math import prod
from random import Random
from typing import Any

from ..nn.functional import scaled_dot_product_attention
from ..ops.creation import arange, eye, ones, tensor, zeros
from ..scene import Frame, Scene, figure
from ..show.words.sentences import many
from ..tensor import Tensor
from . import models
from .kit.answers.answer import astray, same, unfit
from .kit.answers.misconception import Misconception
from .kit.exercises.cases import EIGHTHS
from .kit.exercises.exercise import Exercise
from .kit.questions.grids import cells, grids, lit
from .kit.questions.question import Question

__all__ = ["causal_weights", "live", "shape_of_weights", "who_changes", "wrote"]


def live() -> bool:
    """True where somebody runs the lesson; as it is committed it holds no figure that differs by the machine."""
    return not figure.is_static()


def wrote(run: Any, written: str) -> None:
    """Prints what a model wrote, where somebody runs it: the letters that are drawn differ by the machine.

    Args:
        run: of `show.training`.
        written: a text.
    """
    print(written if live() else f"{len(run.losses)} steps were seen. Run this cell: it prints what was written.")


# The shape of the weights in one head.


def _weights(texts: int, letters: int, head: int) -> tuple[int, ...]:
    q, k = zeros(texts, letters, head), zeros(texts, letters, head)
    return tuple((q @ k.transpose(-2, -1)).softmax(-1).shape)


def _sizes(random: Random) -> dict[str, int]:
    return dict(zip(("texts", "letters", "head"), random.sample(range(2, 9), 3), strict=True))


def _empty(rows: int, columns: int) -> list[list[str]]:
    return [[""] * columns for _ in range(rows)]


def _q_and_k(texts: int, letters: int, head: int) -> Scene:
    """Rows of q and k of one text, without numbers."""
    return grids(("q, of one text", "q", _empty(letters, head)), ("k, of one text", "k", _empty(letters, head)))


def _as_shaped(answer: tuple[int, ...], texts: int, letters: int, head: int) -> Scene:
    """The weights of one text in the shape of an answer, beside what they are to be multiplied by."""
    rows, columns = answer[-2:] if len(answer) == 3 else (1, answer[1])
    frames = [lit(f"{many(rows, 'row')} of {many(columns, 'weight')} would belong to one text.",
                  *cells("w", range(rows * columns)))]  # fmt: skip
    if answer == _weights(texts, letters, head):
        frames = [lit(f"Row 0 holds what letter 0 gives to each of the {letters} letters; so does every row.",
                      *cells("w", range(columns)))]  # fmt: skip
    elif answer == (texts, letters):
        frames += [lit("every letter would look at the same letters, and no letter would have a choice of its own.")]
    elif columns == head:
        frames += [lit(f"v has {many(letters, 'row')}, and a row of weights only {head}: they do not meet.",
                       *cells("w", range(columns)), *cells("v", range(0, letters * head, head)))]  # fmt: skip
    parts = ("weights, of one text", "w", _empty(rows, columns)), ("v, of one text", "v", _empty(letters, head))
    return grids(*parts, frames=frames)


shape_of_weights = Question(
    case={"texts": 2, "letters": 5, "head": 3},
    another=_sizes,
    ask=lambda texts, letters, head: (
        f"{texts} texts of {letters} letters. q and k have {head} numbers for each letter: both are of shape "
        f"({texts}, {letters}, {head}).\n   weights = (q @ k.transpose(-2, -1)).softmax(-1)\n"
        "What is the shape of weights?"
    ),
    key=_weights,
    misconceptions=(
        Misconception(
            "a letter has one weight, which all others use",
            "Each letter looks for itself: it has a weight for each letter.",
            lambda texts, letters, head: (texts, letters),
        ),
        Misconception(
            "numbers of q and k meet each in its own place",
            "That is q * k. In q @ k.transpose(-2, -1) a row of q meets every row of k, and the products are added up.",
            lambda texts, letters, head: (texts, letters, head),
        ),
        Misconception(
            "what meets is the numbers of the head, not the letters",
            "That is q.transpose(-2, -1) @ k. The axis that goes is the last one of q, which holds the head's numbers.",
            lambda texts, letters, head: (texts, head, head),
        ),
    ),
    why=lambda texts, letters, head: (
        f"A row of q meets each of the {letters} rows of k, along the {head} numbers of the head. So each of the "
        f"{letters} letters has {letters} weights, and that in each of the {texts} texts."
    ),
    locked=_q_and_k,
    played=_as_shaped,
)


# Which outputs change with a letter?

TEXT = "gradients"


def _changes(letters: int, changed: int) -> tuple[int, ...]:
    """The letters whose output moves when one is changed: attention is run before and after."""
    before = eye(letters)
    after = before.clone()
    after[changed] = after[changed] * 3 + 1
    a, b = (scaled_dot_product_attention(x, x, x, is_causal=True) for x in (before, after))
    return tuple((a != b).any(-1).nonzero().flatten().tolist())


def _changed(random: Random) -> dict[str, int]:
    letters = random.randint(4, len(TEXT))
    return {"letters": letters, "changed": random.randrange(1, letters - 1)}


def _outputs(places: tuple[int, ...]) -> str:
    """Places of letters in words."""
    if len(places) == 1:
        return f"that of letter {places[0]} alone"
    return f"those of letters {', '.join(map(str, places[:-1]))} and {places[-1]}"


def _two_texts(letters: int, changed: int) -> Scene:
    """A text, the same with another letter, and the places of the outputs."""
    one = [*TEXT[:letters]]
    other = [*one[:changed], "x", *one[changed + 1 :]]
    return grids(("text", "t", one), ("changed", "c", other), ("outputs", "o", [""] * letters), tape="o",
                 frames=(Frame("It waits."),))  # fmt: skip


def _seen_by(answer: tuple[int, ...], letters: int, changed: int) -> Scene:
    """The letters seen by each letter, by an answer."""
    right = answer == _changes(letters, changed)
    looks = {
        (changed,): lambda row, column: row == column,
        tuple(range(letters)): lambda row, column: True,
        tuple(range(changed + 1)): lambda row, column: column >= row,
    }.get(answer, lambda row, column: column <= row)
    rows = [[letter if looks(i, j) else "" for j, letter in enumerate(TEXT[:letters])] for i in range(letters)]
    column = [f"w{letters * i + changed}" for i in range(letters) if looks(i, changed)]
    *before, last = map(str, answer)
    where = f"rows {', '.join(before)} and {last}" if before else f"row {last} alone"
    said = f"Each row holds the letters that one looks at. Letter {changed} stands in {where}."
    supposed = f"letter {changed} would stand in {where}: each row is what one looks at."
    frames = [lit(said if right else supposed, *column)]
    if answer == (changed,):
        frames += [lit(f"each letter would look at itself alone, and letter {changed} would know nothing of a text.")]
    elif not right and len(answer) == letters:
        ahead = [f"w{letters * i + j}" for i in range(letters) for j in range(i + 1, letters)]
        frames += [lit("each letter would see the one that it has to foretell: there is nothing to learn.", *ahead)]
    elif not right:
        frames += [lit("when a text is written, nothing comes after its last letter: it would look at itself alone.",
                       f"w{letters * letters - 1}")]  # fmt: skip
    return grids(("looks at", "w", rows), frames=frames)


who_changes = Question(
    case={"letters": 5, "changed": 3},
    another=_changed,
    ask=lambda letters, changed: (
        f"A text of {letters} letters. Each letter looks at itself and at those before it, and has an output.\n"
        f"Letter {changed} is changed (the first one is letter 0). Which outputs change?"
    ),
    key=_changes,
    misconceptions=(
        Misconception(
            "an output is made of its own letter",
            "It is made of all letters that it looks at.",
            lambda letters, changed: (changed,),
        ),
        Misconception(
            "everybody looks at everybody",
            "So it is without a mask. With it nobody looks at what comes after.",
            lambda letters, changed: tuple(range(letters)),
        ),
        Misconception(
            "a letter looks at what comes after it",
            "It is the other way round: what comes after is hidden.",
            lambda letters, changed: tuple(range(changed + 1)),
        ),
    ),
    why=lambda letters, changed: (
        f"Letter {changed} is looked at by itself and by all that come after it. "
        f"Nothing before it knows that it is there."
    ),
    words=_outputs,
    locked=_two_texts,
    played=_seen_by,
)


# The mask, proved by another text from some letter on.


def _hidden(scores: Tensor, least: int) -> Tensor:
    """The weights, where a letter looks at those that are `least` or more places before it."""
    ahead = arange(scores.shape[-1]) > arange(scores.shape[-1]).unsqueeze(1) - least
    return scores.masked_fill(ahead, float("-inf")).softmax(-1)


def _scores(random: Random) -> dict[str, Any]:
    """Scores of two texts that are alike up to a letter, mostly the last one.

    In some cases other axes stand in front. In some a letter that is hidden has a score far above all others, or those
    that are seen have scores far below.
    """
    letters = random.choice((1, 2, 3, 4, 4, 5))
    change = letters - 1 if random.random() < 0.6 else random.randrange(letters)
    front = random.choice(((2,), (2,), (2,), (), (3,), (2, 3)))
    size = letters * letters
    rows = [[n / 8 for n in random.sample(EIGHTHS, size)] for _ in range(prod(front))]
    for i in range(change if front == (2,) else 0):
        for j in range(change):
            rows[1][letters * i + j] = rows[0][letters * i + j]
    i, far = random.randrange(max(1, letters - 1)), random.random()
    for row in rows if letters > 1 else ():
        if far < 0.2:
            row[letters * i + letters - 1] += 900
        elif far < 0.4:
            row[letters * i : letters * i + i + 1] = [n - 900 for n in row[letters * i : letters * i + i + 1]]
    return {"scores": tensor(rows).reshape(*front, letters, letters)}


def _first_change(scores: Tensor) -> int:
    """The first letter that is another one in the second text: all scores among those before it are the same."""
    letters = scores.shape[-1]
    return max(n for n in range(letters + 1) if bool((scores[0, :n, :n] == scores[1, :n, :n]).all()))


def _not_causal(_given: Any, scores: Tensor) -> str:
    """Why weights are not right: they are no weights, or look ahead, which shows by the second text."""
    key = _hidden(scores, 0)
    if same(_given, key):
        return unfit(_given, key)
    if not isinstance(_given, Tensor) or _given.shape != key.shape:
        return astray(_given, key) or unfit(_given, key)
    letters = scores.shape[-1]
    if fault := _no_weights(_given.reshape(-1, letters, letters)):
        return fault
    change = _first_change(scores) if scores.ndim == 3 and len(scores) == 2 else 0
    v = arange(1.0, letters + 1).expand(2, letters).clone()
    v[1, change:] *= -1
    output = (_given @ v.unsqueeze(-1)).squeeze(-1) if change else ()
    moved = [i for i in range(change) if not same(output[0, i], output[1, i])]
    if moved:
        return (f"text 1 is text 0 with another letter {change}{' and what follows' if change < letters - 1 else ''}. "
                f"The output of letter {moved[0]}, before it, changes, too: it has looked ahead")  # fmt: skip
    ahead = [i for i in range(letters) if bool((_given[..., i, i + 1 :] != 0).any())]
    if ahead:
        return f"letter {ahead[0]} gives something to a letter that comes after it"
    return "no letter looks ahead, and still these are not the weights that softmax gives"


def _no_weights(given: Tensor) -> str:
    """Why numbers are no weights of letters, whoever looks at whom; empty where they are."""
    letters = range(given.shape[-1])
    nan = [i for i in letters if bool(given[:, i].isnan().any())]
    if nan == list(letters):
        return "all weights are nan. Is -inf multiplied? 0 times -inf is nan; masked_fill only writes it"
    if nan:
        return (f"the weights of letter {nan[0]} are nan. It may look at nobody, or all that it may look at had the "
                "share 0: 0 / 0")  # fmt: skip
    if bool(given.isinf().any()):
        return "there are infinities in it: these are scores still. Take the softmax along the last axis"
    short = [i for i in letters if not same(given[:, i].sum(-1), ones(len(given)))]
    return f"the weights of letter {short[0]} do not come to 1" if short else ""


LOW = -20.0
"""A number that is low among most scores, and not among all."""

causal_weights = Exercise(
    "causal_weights",
    example=lambda: {"scores": tensor([[[1.0, 2.0, 9.0], [0.0, 0.0, 7.0], [1.0, 1.0, 1.0]],
                                       [[1.0, 2.0, -4.0], [0.0, 0.0, 3.0], [2.0, 0.0, 1.0]]])},
    another=_scores,
    key=lambda scores: _hidden(scores, 0),
    model=models.causal_weights,
    misconceptions=(
        Misconception(
            "a score of 0 is no attention",
            "Softmax makes exp(0) = 1 of a 0, which is a share like any other. exp(-inf) is 0.",
            lambda scores: scores.tril().softmax(-1),
        ),
        Misconception(
            "what is hidden can be taken out after the softmax",
            "Then it has had its share, and the row does not come to 1 any more. Hide it before.",
            lambda scores: scores.softmax(-1).tril(),
        ),
        Misconception(
            "what is hidden can be taken out after the softmax, if the rest is divided by its sum",
            "A hidden score far above the others has taken all of the share, and leaves 0 / 0. Hide it before.",
            lambda scores: scores.softmax(-1).tril() / scores.softmax(-1).tril().sum(-1, keepdim=True),
        ),
        Misconception(
            "a very low score hides a letter",
            "Where all other scores are lower still, it has the largest share. Only exp(-inf) is always 0.",
            lambda scores: scores.masked_fill(ones(scores.shape).triu(1) > 0, LOW).softmax(-1),
        ),
        Misconception(
            "a letter does not look at itself",
            "It does; else the first one has nobody to look at. Hide what is above the diagonal, not the diagonal.",
            lambda scores: _hidden(scores, 1),
        ),
        Misconception(
            "the past is hidden",
            "The past is what a writer knows. Hide what comes after: columns to the right of the diagonal.",
            lambda scores: scores.masked_fill(ones(scores.shape).tril(-1) > 0, float("-inf")).softmax(-1),
        ),
        Misconception(
            "only the last letter has to be hidden",
            "The last but one has not been written, either, when the first ones are guessed. Each row hides its own.",
            lambda scores: scores.masked_fill(_last_alone(scores.shape[-1]), float("-inf")).softmax(-1),
        ),
        Misconception(
            "the columns come to 1",
            "A row belongs to the letter that looks: softmax along the last axis.",
            lambda scores: scores.masked_fill(ones(scores.shape).triu(1) > 0, float("-inf")).softmax(-2),
        ),
        Misconception(
            "nothing has to be hidden",
            "Then each letter sees the one that it has to foretell.",
            lambda scores: scores.softmax(-1),
        ),
    ),
    judge=_not_causal,
    many=30,
    flows=("scores",),
    edges=lambda: [{"scores": zeros(2, 0, 0)}],
    hints=(
        "Row i may use columns 0 to i. Which numbers of a row have to go, and what does exp make 0?",
        "torch.ones(n, n).triu(1) > 0 is True above the diagonal. scores.masked_fill(that, ...) writes a number there.",
        "Write -inf there, float(\"-inf\"), and then take the softmax along the last axis.",
    ),
)  # fmt: skip


def _last_alone(letters: int) -> Tensor:
    """True where all but the last letter look at the last one."""
    hidden = zeros(letters, letters) > 0
    hidden[: letters - 1, letters - 1] = True
    return hidden

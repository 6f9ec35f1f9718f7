"""Checks of lesson 19: what cuts the record of a program, and what is a leaf."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from .. import ir, show
from ..ops.creation import tensor
from ..scene import Figure, Frame, Look, Scene
from ..show.compare.engine import Engine
from ..show.words.sentences import listed
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.answers.source import uses
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.handing import handing_in
from .kit.exercises.left import Left, left
from .kit.programs.arrivals import arrivals
from .kit.programs.trace import Step, remembers, trace
from .kit.programs.trace_picture import picture
from .kit.questions import pictures
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED

__all__ = ["MeanForgets", "find_the_cut", "hand_in", "pull", "record", "still_remembers", "what_is_kept",
           "who_holds_one"]  # fmt: skip


def record(text: str) -> Figure:
    """Draws a program line by line: what each line made, and which tensor it remembers or not.

    Args:
        text: its lines, at most twelve statements; they know the library as `torch`.

    Raises:
        ValueError: nothing to run, or too much. SyntaxError: no Python.

    >>> print(record("w = torch.ones(2, requires_grad=True)\\np = w.detach()").sentences[-1])
    The record is cut: p was made from w, and does not remember that.
    """
    return Figure(picture("What each line remembers", trace(text)))


# Which line still remembers?

KEEP = ("{h}.max()", "{h}.clone()", "{h}.reshape(2, 1)", "{h}[0]", "{h}.double()", "torch.stack([{h}, {h}])",
        "torch.where({h} > 0, {h}, 0.0)")  # fmt: skip
COPY = ("{h}.detach()", "{h}.data", "{h}.detach().clone()")
NEW = ("torch.tensor({h})", "torch.tensor({h}.tolist())")
WHOLE = ("{h}.argmax()", "({h} > 0).float()", "{h}.long()", "{h}.argsort().double()")
NAMES = (("w", "x", "h", "p"), ("a", "x", "y", "z"), ("w", "t", "s", "q"), ("u", "x", "v", "r"))


def _one_line_each(random: Random) -> dict[str, Any]:
    return {"names": random.choice(NAMES), "keep": random.choice(KEEP), "copy": random.choice(COPY),
            "new": random.choice(NEW), "whole": random.choice(WHOLE), "at": random.sample(range(1, 9), 2)}  # fmt: skip


def _line(names: Sequence[str], form: str) -> str:
    return f"{names[3]} = {form.format(h=names[2])}"


def _program(names: Sequence[str], line: str, at: Sequence[int]) -> str:
    w, x, h, p = names
    first, second = at
    return "\n".join((
        f"{w} = torch.tensor([1., 2.], requires_grad=True)", f"{x} = torch.tensor([{first}., {second}.])",
        f"{h} = {w} * {x}", line, f"{p}.sum().backward()",
    ))  # fmt: skip


def _remembering(names: Sequence[str], at: Sequence[int], **forms: str) -> str:
    """The one of some lines after which backward comes to the first tensor."""
    lines = [_line(names, form) for form in forms.values()]
    return next(line for line in lines if trace(_program(names, line, at))[-1].grads)


def _with_a_line(line: str, names: Sequence[str], at: Sequence[int], **forms: str) -> Scene:
    """The program with the line of an answer, and how far backward comes in it."""
    steps = trace(_program(names, line, at))
    w, _, h, p = names
    scene = picture("", steps)
    if steps[-1].grads:
        told = [f"{p} remembers {h}, and {h} remembers {w}: backward goes up these arcs."]
    else:
        told = [f"{SUPPOSED}, {p} would remember {h}. The dashed arc is where a record is missing.",
                f"{SUPPOSED}, the last line would get a gradient to {w}. It stops here: nothing leads on."]  # fmt: skip
    lights = [("l3", "b3"), ("l4",)] if len(told) > 1 else [("b0", "b2", "b3")]
    frames = [Frame(said, (Look({"lit": ids}),)) for said, ids in zip(told, lights, strict=True)]
    return replace(scene, frames=tuple(frames), still=-1)


still_remembers = Question(
    case={"names": NAMES[0], "keep": KEEP[0], "copy": COPY[0], "new": NEW[0], "whole": WHOLE[0], "at": (3, 1)},
    another=_one_line_each,
    ask=lambda names, at, **forms: (
        f"{names[0]} wants a gradient, and {names[1]} = torch.tensor([{at[0]}., {at[1]}.]) does not. This runs:\n"
        f"   {names[2]} = {names[0]} * {names[1]}\n   {names[3]} = ...\n   {names[3]}.sum().backward()\n"
        f"Four students write four lines for {names[3]}. In whose program does {names[0]} get a gradient?"
    ),
    key=_remembering,
    misconceptions=(
        Misconception(
            "a tensor with the same numbers has the same past",
            "It is there for that: it gives the numbers without their past.",
            lambda names, copy, **_: _line(names, copy),
        ),
        Misconception(
            "a new tensor knows what it was made of",
            "torch.tensor(...) takes numbers and nothing else. What it makes is a leaf.",
            lambda names, new, **_: _line(names, new),
        ),
        Misconception(
            "whatever depends on a leaf has a gradient for it",
            "Nudge it a little: a place, a yes or a whole number mostly stays as it is. There is nothing to record.",
            lambda names, whole, **_: _line(names, whole),
        ),
    ),
    why=lambda names, **_: (
        f"This operation has a gradient, so it is recorded: from {names[3]} a way leads to {names[2]}, and on to "
        f"{names[0]}. The other three begin a new tensor without a past."
    ),
    words=lambda line: f"in the program with {line}",
    played=_with_a_line,
)


# Who holds a gradient?


def _a_spoilt_leaf(random: Random) -> dict[str, Any]:
    w, b, x, h = random.choice((("w", "b", "x", "h"), ("a", "c", "x", "y"), ("u", "v", "t", "s"), ("k", "m", "n", "z")))
    return {"names": (w, b, x, h), "small": random.choice((w, b, "")), "by": random.choice((0.25, 0.5, 0.1))}


def _lines(names: Sequence[str], small: str, by: float) -> str:
    w, b, x, h = names
    scaled = {name: f" * {by:g}" if name == small else "" for name in (w, b)}
    return "\n".join((
        f"{w} = torch.tensor([4., 8.], requires_grad=True){scaled[w]}",
        f"{b} = torch.tensor([1., 2.], requires_grad=True){scaled[b]}", f"{x} = torch.tensor([3., 5.])",
        f"{h} = {w} * {x}", f"loss = ({h} + {b}).sum()", "loss.backward()",
    ))  # fmt: skip


def _holding(names: Sequence[str], small: str, by: float) -> tuple[str, ...]:
    return trace(_lines(names, small, by))[-1].grads


def _those(true: Callable[[Tensor], bool]) -> Callable[..., tuple[str, ...]]:
    """An answer: the names of the tensors of which something is true."""

    def answer(names: Sequence[str], small: str, by: float) -> tuple[str, ...]:
        made = {step.name: step.value for step in trace(_lines(names, small, by))}
        return tuple(name for name in names if true(made[name]))

    return answer


def _as_held(answer: tuple[str, ...], names: Sequence[str], small: str, by: float) -> Scene:
    """The program, with the tensors of an answer lit, and what would follow."""
    w, b, x, h = names
    key = _holding(names, small, by)
    lights = tuple(f"b{names.index(name)}" for name in answer)
    if answer == key:
        told = [f"{listed(key)}: no recorded operation made that, and it wants a gradient. Both have to be so."]
    elif x in answer:
        told = [f"{SUPPOSED}, {x} would hold a gradient, and nobody asked for one.",
                f"{SUPPOSED}, each batch of data would be given one, and it would be of no use."]  # fmt: skip
    elif small in answer or h in answer and w in answer:
        one = small or h
        told = [f"{SUPPOSED}, {one} would hold a gradient, and a step could move {one}.",
                f"{SUPPOSED}, the step would be lost: the next run computes {one} anew."]  # fmt: skip
    else:
        told = [f"{SUPPOSED}, backward would stop at what the loss reads.",
                f"{SUPPOSED}, no layer before the last would ever learn."]  # fmt: skip
    frames = tuple(Frame(said, (Look({"lit": lights}),)) for said in told)
    return replace(picture("", trace(_lines(names, small, by))), frames=frames, still=-1)


who_holds_one = Question(
    case={"names": ("w", "b", "x", "h"), "small": "w", "by": 0.25},
    another=_a_spoilt_leaf,
    ask=lambda names, small, by: (
        "This runs:\n" + "\n".join(f"   {line}" for line in _lines(names, small, by).splitlines())
        + f"\nWhich of {listed(names)} hold a gradient now, in their .grad?"
    ),
    key=_holding,
    misconceptions=(
        Misconception(
            "who requires a gradient gets to keep one",
            "What was computed from such a one requires one, too, and hands it on. It is a leaf that keeps it.",
            _those(lambda x: x.requires_grad),
        ),
        Misconception(
            "every leaf gets a gradient",
            "A leaf gets one if it asked: with requires_grad=True. Data ask for none.",
            _those(lambda x: x.is_leaf),
        ),
        Misconception(
            "backward leaves its gradients in what the loss reads",
            "It goes on, through what was computed, up to the leaves.",
            lambda names, small, by: (names[1], names[3]),
        ),
    ),
    why=lambda names, small, by: (
        f"A leaf that asked keeps its gradient. {names[3]} was computed"
        + (f", and so was {small}: a product made it. The leaf is the tensor before that, and no name is left for it."
            if small else f"; {names[2]} did not ask.")
    ),
    words=lambda names: f"{names[0]} alone" if len(names) == 1 else listed(names),
    played=_as_held,
)  # fmt: skip


# Find the cut.

CUTS = ("{}.detach()", "{}.data", "torch.tensor({}.tolist())", "")
"""What cuts an operand; of "" the line is not recorded at all."""


def _a_cut(random: Random) -> dict[str, Any]:
    names = tuple(random.choice(("wbcxhsp", "abcxyzt", "uvcxhkm", "kbgxnrq")))
    place = random.randint(5, 7)
    return {"names": names, "place": place, "cut": random.choice(CUTS[: 4 if place < 7 else 3])}


def _with_a_cut(names: Sequence[str], place: int, cut: str) -> str:
    """A program of nine lines, of which one cuts."""
    w, b, c, x, h, s, p = names

    def read(name: str, line: int) -> str:
        return cut.format(name) if line == place and cut else name

    lines = [
        f"{w} = torch.tensor([1., 2.], requires_grad=True)", f"{b} = torch.tensor([2., 2.], requires_grad=True)",
        f"{c} = torch.tensor([0., 1.], requires_grad=True)", f"{x} = torch.tensor([3., 1.])",
        f"{h} = {w} * {x}", f"{s} = {read(h, 5)} + {c}", f"{p} = {read(s, 6)}.exp()",
        f"loss = ({read(p, 7)} * {b}).sum()", "loss.backward()",
    ]  # fmt: skip
    if not cut:
        lines[place] = f"with torch.no_grad(): {lines[place]}"
    return "\n".join(lines)


def _steps(**case: Any) -> list[Step]:
    return trace(_with_a_cut(**case))


def _cut_at(**case: Any) -> int:
    """The number of the line after which nothing remembers the first tensor, from 1 on."""
    steps = _steps(**case)
    w = steps[0].value
    return next(k for k, step in enumerate(steps, 1) if k > 5 and not remembers(step.value, w))


def _filled(**case: Any) -> tuple[str, ...]:
    return _steps(**case)[-1].grads


find_the_cut = Blanks(
    "find_the_cut",
    case={"names": tuple("wbcxhsp"), "place": 6, "cut": CUTS[2]},
    another=_a_cut,
    ask=lambda **case: (
        "\n".join(f"  {k}  {line}" for k, line in enumerate(_with_a_cut(**case).splitlines(), 1)) + "\n\n"
        f"It runs without an error, and {case['names'][0]}.grad is None.\n"
        f"cut     the number of the line that cuts {case['names'][0]} off\n"
        "filled  the names whose .grad holds a tensor at the end, in the order of the program,\n"
        '        in quotes: ("x", "y"), or ("x",) for one alone'
    ),
    blanks={
        "cut": Blank(
            _cut_at,
            (
                Misconception(
                    "the fault is in the line that runs backward",
                    "It goes as far as the record leads. What is missing was lost before, on the way forward.",
                    lambda **case: 9,
                ),
                Misconception(
                    "a tensor without requires_grad=True cuts the record",
                    "Data want no gradient, and are multiplied all the same. The product is recorded for the other.",
                    lambda **case: 4,
                ),
                Misconception(
                    "the record ends where the leaf is read last",
                    "What was computed from it remembers it, and so does what is computed from that.",
                    lambda **case: 5,
                ),
            ),
        ),
        "filled": Blank(
            _filled,
            (
                Misconception(
                    "who wants a gradient gets one",
                    "It has to be on a way that leads back from the loss. Go from the loss up, line by line.",
                    lambda names, **_: names[:3],
                ),
                Misconception(
                    "a cut anywhere stops backward everywhere",
                    "Other ways lead on. The loss itself reads one of these tensors behind the cut.",
                    lambda **case: (),
                ),
                Misconception(
                    "what was computed keeps its gradient, too",
                    "Only leaves keep one. What lies between hands it on.",
                    lambda **case: (*_filled(**case), "loss"),
                ),
            ),
        ),
    },
    why=lambda **case: (
        f"Line {_cut_at(**case)} takes the numbers and leaves their past behind. From the loss a way leads to "
        f"{listed(_filled(**case))}, and to no other leaf."
    ),
    hints=(
        "Go through the lines from above. Does this line compute with the tensors, or with their numbers alone?",
        "detach, data, tolist and no_grad take numbers alone. Which line has one of them?",
        "Then go from the loss upwards: which leaves can you reach without that line?",
    ),
)


# More: what a running total keeps.


def _total(batches: int) -> Tensor:
    w, x, total = tensor(2.0, requires_grad=True), tensor([1.0, 2.0, 3.0]), tensor(0.0)
    for _ in range(batches):
        loss = ((w * x) ** 2).mean()
        total = total + loss
    return total


def _held(batches: int) -> int:
    """The batches whose numbers the graph of the total still has."""
    graph = ir.graph(_total(batches), depth=0)
    return sum(node.op == "pow" and any(not saved.freed for saved in node.saved) for node in graph)


def _of_totals(answer: int, batches: int) -> Scene:
    """The graph of a total of two batches, and what an answer says of it."""
    scene = show.graph(_total(2), title="total, after two batches").scene
    if answer == _held(batches):
        told = ["Each sum is one more node. It reads what came before, so all of it stays."]
    elif answer == 0:
        told = [f"{SUPPOSED}, total would be a number, and total.backward() could not go anywhere.",
                f"{SUPPOSED}, the nodes of this graph would not be there."]  # fmt: skip
    elif answer == 1:
        told = [f"{SUPPOSED}, the first batch would have no node here.",
                f"{SUPPOSED}, total.backward() would leave out all batches but the last."]  # fmt: skip
    else:
        told = [f"{SUPPOSED}, each sum would copy the graph that is there. It points at it instead.",
                f"{SUPPOSED}, a batch would stand in this picture twice."]  # fmt: skip
    return pictures.story(scene, *((said, None) for said in told))


what_is_kept = Question(
    case={"batches": 5},
    another=lambda random: {"batches": random.randint(3, 90)},
    ask=lambda batches: (
        f"A loop measures a loss on {batches} batches, and nobody calls backward:\n   total = 0\n"
        "   for x, y in batches:\n       loss = ((w * x - y) ** 2).mean()\n       total += loss\n"
        "w wants a gradient. How many graphs of batches does total hold in memory after the loop?"
    ),
    key=_held,
    misconceptions=(
        Misconception(
            "a loss is one number, and nothing else",
            "It is a tensor with a past. For a number there is .item().",
            lambda batches: 0,
        ),
        Misconception(
            "the next round lets go of what the last one made",
            "The name loss goes on to the next tensor. The last one stays, as total remembers it.",
            lambda batches: 1,
        ),
        Misconception(
            "each sum takes a copy of all that came before",
            "A node points at what it reads. Nothing is copied, and nothing goes.",
            lambda batches: batches * (batches + 1) // 2,
        ),
    ),
    why=lambda batches: (
        f"total was computed from {batches} losses, so it remembers {batches} graphs, with what they saved. "
        "total += loss.item() adds a number, and holds none of them."
    ),
    words=lambda n: "1 graph" if n == 1 else f"{n} graphs",
    played=_of_totals,
)


# More: cut on purpose.


def _two_of_a_shape(random: Random) -> dict[str, Tensor]:
    shape = tuple(random.choice((1, 2, 3)) for _ in range(random.randint(0, 3)))
    return {name: numbers(random, *shape).requires_grad_() for name in ("student", "teacher")}


def _mean_of(student: Tensor, teacher: Tensor) -> None:
    ((student - teacher) ** 2).mean().backward()


def _nothing(student: Tensor, teacher: Tensor) -> None:
    """Does what is done where nobody calls backward."""


def _by_a_cut(function: Callable[..., object]) -> str:
    """Why gradients that are right did not come by backward and a cut, or ""."""
    case, before = pull.numbers(None), pull.numbers(None)["teacher"]
    came = arrivals(function, case)
    if not case["teacher"].requires_grad or not case["teacher"].equal(before):
        return "teacher is not as it was: other losses are to send it a gradient, so cut the way for this loss alone"
    if came["teacher"].times:
        return ("a gradient came to teacher, and was taken away again. In training, that of another loss would go with "
                "it: cut the way before backward")  # fmt: skip
    return "" if came["student"].times else "no gradient came to student by backward: call it on the loss"


pull = Left(
    "pull",
    example=lambda: {"student": tensor([1.0, 5.0]).requires_grad_(), "teacher": tensor([3.0, 4.0]).requires_grad_()},
    another=_two_of_a_shape,
    key=left(lambda student, teacher: _mean_of(student, teacher.detach())),
    model=models.pull,
    misconceptions=(
        Misconception(
            "who is not to learn needs no care",
            "teacher wants a gradient, so it gets one, and a step would move it towards its student. Cut it off.",
            left(_mean_of),
        ),
        Misconception(
            "cut off the one who learns",
            "Then student learns nothing. detach belongs to teacher, and to nothing else.",
            left(lambda student, teacher: _mean_of(student.detach(), teacher)),
            uses("no_grad", "item", "tolist", "detach"),
        ),
        Misconception(
            "a gradient comes by itself",
            "It comes when backward is called on the loss. Is loss.backward() there?",
            left(_nothing),
        ),
        Misconception(
            "the squares are summed",
            "Their mean is asked for, so that a larger tensor pulls no harder.",
            left(lambda student, teacher: ((student - teacher.detach()) ** 2).sum().backward()),
        ),
        Misconception(
            "the difference itself is the loss",
            "Then all of them are pulled equally hard, also those that are there already. Square it.",
            left(lambda student, teacher: (student - teacher.detach()).mean().backward()),
        ),
    ),
    many=40,
    form=_by_a_cut,
    hints=(
        "loss = ((student - teacher) ** 2).mean(), and then loss.backward(). Who has a gradient now?",
        "The way to teacher has to be cut, and that to student has to stay.",
        "teacher.detach() has the numbers of teacher, and no past.",
    ),
)


# From the museum: a mean that forgets.


class MeanForgets(Engine):
    """A mean is computed with numbers alone: it sends nothing back, and says nothing."""

    rules = Engine.rules | {"mean": lambda g, node, x: (None,)}


hand_in = handing_in(__name__)

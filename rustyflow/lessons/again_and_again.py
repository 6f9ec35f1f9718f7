"""Checks of lesson 20: a second backward, gradients that add up, and numbers that are written over."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from ..ops.creation import tensor
from ..scene import Figure, Frame, Look, Scene
from ..tensor import Tensor
from . import models
from .kit.answers.misconception import Misconception
from .kit.exercises.blanks import Blank, Blanks
from .kit.exercises.cases import numbers
from .kit.exercises.handing import handing_in
from .kit.exercises.left import Left, left
from .kit.programs.arrivals import arrivals
from .kit.programs.trace import Step, trace, watched
from .kit.programs.trace_picture import picture
from .kit.questions.question import Question
from .kit.questions.stages import SUPPOSED

__all__ = ["accumulate", "behind_its_back", "hand_in", "the_second_time", "versions", "watch", "who_stops"]

ERROR = "a RuntimeError"


def watch(text: str, *wanted: str) -> Figure:
    """Draws a program line by line, with what some expressions are after each line.

    Args:
        text: its lines, at most twelve statements; they know the library as `torch`.
        wanted: up to four things to look at, such as `"w.grad"`; `"kept(loss)"` is what its graph keeps for backward.

    Raises:
        ValueError: nothing to run, or too much, or more than four things. SyntaxError: no Python.

    >>> print(watch("w = torch.ones(2, requires_grad=True)\\nw.sum().backward()", "w.grad").sentences[-1])
    w.sum().backward() runs: gradients come to w.
    """
    return Figure(picture(f"What becomes of {', '.join(wanted)}", trace(text, watched(*wanted))))


def _outcome(steps: list[Step], name: str = "w") -> str:
    """The outcome of a program: the gradient that it leaves, or the error."""
    if steps[-1].error is not None:
        return ERROR
    leaf = next(step.value for step in steps if step.name == name)
    return _holds(leaf.grad.item(), name)


def _holds(number: float, name: str = "w") -> str:
    return f"{name}.grad holds {number:g}"


def _told(steps: list[Step], lit: tuple[str, ...], *said: str) -> Scene:
    """The picture of a program with other sentences, each of which lights the same."""
    scene = picture("", steps)
    frames = tuple(Frame(one, (Look({"lit": tuple(id for id in lit if id in scene.index)}),)) for one in said)
    return replace(scene, frames=frames, still=-1)


# The second backward.


def _two_rounds(name: str, start: int, anew: bool) -> str:
    again = f"loss = {name} * {name}\n" if anew else ""
    return (f"{name} = torch.tensor({start}., requires_grad=True)\nloss = {name} * {name}\nloss.backward()\n"
            f"{again}loss.backward()")  # fmt: skip


def _once(name: str, start: int, anew: bool, times: int = 1) -> str:
    return _holds(2 * start * times, name)


def _as_the_other(name: str, start: int, anew: bool) -> str:
    return _outcome(trace(_two_rounds(name, start, not anew)), name)


def _second_time(answer: str, name: str, start: int, anew: bool) -> Scene:
    """The program, with its gradient and what its graph keeps; and what an answer would mean for it."""
    text = _two_rounds(name, start, anew)
    steps = trace(text, watched(f"{name}.grad", "kept(loss)"))
    last = len(steps) - 1
    if answer == _outcome(steps, name):
        so = (f"The second time, the product has let go of {name}." if not anew else
              "Each loss has a graph of its own. Its gradient is added to the one that is there.")  # fmt: skip
        return _told(steps, ("l2", "w2_1", f"l{last}", f"w{last}_0"), so)
    if answer == ERROR:
        said = f"{SUPPOSED}, no network could be trained: each step of training draws the loss again, and goes back."
        return _told(steps, (f"l{last}",), said)
    if answer == _once(name, start, anew):
        said = [f"{SUPPOSED}, backward would put its gradient in the place of what is there.",
                f"{SUPPOSED}, two readers of {name} would leave the gradient of one alone."]  # fmt: skip
        return _told(steps, ("l2", "w2_0", f"l{last}"), *said)
    said = [f"{SUPPOSED}, what {name}.grad holds would go into the next gradient.",
            f"{SUPPOSED}, backward would have to read {name}.grad. It only adds to it."]  # fmt: skip
    if answer == _as_the_other(name, start, anew):
        said = [f"{SUPPOSED}, the graph would still keep {name} after the first time.",
                f"{SUPPOSED}, each graph would stay in memory, as it might be used again."]  # fmt: skip
    return _told(steps, ("w2_1", f"l{last}"), *said)


the_second_time = Question(
    case={"name": "w", "start": 3, "anew": False},
    another=lambda random: {
        "name": random.choice("wabc"), "start": random.randint(3, 9), "anew": random.random() < 0.5,
    },
    ask=lambda name, start, anew: (
        "This runs:\n" + "\n".join(f"   {line}" for line in _two_rounds(name, start, anew).splitlines())
        + "\nWhat comes of the last line?"
    ),
    key=lambda name, start, anew: _outcome(trace(_two_rounds(name, start, anew)), name),
    misconceptions=(
        Misconception(
            "each backward puts its gradient in the place of the last one",
            "A gradient is added to what .grad holds. Nothing is replaced.",
            _once,
        ),
        Misconception(
            "going back again and drawing it again are the same",
            "A graph lets go of what it kept when backward has gone along it. A new one keeps its own.",
            _as_the_other,
        ),
        Misconception(
            "the second gradient is made from the first one",
            "Backward begins with 1 each time. It adds to .grad at the end, and reads nothing of it.",
            lambda name, start, anew: _holds((2 * start) ** 2, name),
        ),
    ),
    why=lambda name, start, anew: (
        f"Each loss has its own graph, and both gradients count: the second one is added to {name}.grad." if anew else
        f"The product kept {name} for its gradient, and let go of it after the first time. Draw it again, or say "
        "beforehand that it is to stay: retain_graph=True."
    ),
    played=_second_time,
)  # fmt: skip


# Who stops?

RESULT = ("{w}.exp()", "{w}.tanh()", "{w}.sqrt()", "{w}.relu()")
LINEAR = ("{w} * 3", "({w} + 1) / 2", "3 * {w} - 1", "-{w} / 2")
CURVE = ("{w}.sin()", "{w}.cos()", "{w}.log()", "{w}.square()")
PRODUCT = ("{w} * {x}", "{w} * {w} * {x}", "{x} * {w} * {x}")


def _forms(random: Random) -> dict[str, Any]:
    return {"names": random.choice((("w", "x", "h"), ("a", "b", "y"), ("u", "t", "s"))), "curve": random.choice(CURVE),
            "result": random.choice(RESULT), "linear": random.choice(LINEAR),
            "product": random.choice(PRODUCT)}  # fmt: skip


def _of(names: tuple[str, str, str], form: str) -> str:
    return f"{names[2]} = {form.format(w=names[0], x=names[1])}"


def _written(names: tuple[str, str, str], line: str) -> str:
    w, x, h = names
    return "\n".join((
        f"{w} = torch.tensor([1., 2.], requires_grad=True)", f"{x} = torch.tensor([3., 4.])", line, f"{h} += 1",
        f"loss = {h}.sum()", "loss.backward()",
    ))  # fmt: skip


def _stopping(names: tuple[str, str, str], **forms: str) -> str:
    lines = [_of(names, form) for form in forms.values()]
    return next(line for line in lines if trace(_written(names, line))[-1].error is not None)


def _as_written(line: str, names: tuple[str, str, str], **forms: str) -> Scene:
    """The program with the line of an answer, and what its graph keeps of it."""
    steps = trace(_written(names, line), watched(f"kept({names[2]})", f"{names[0]}.grad"))
    w, _, h = names
    if steps[-1].error is not None:
        return _told(steps, ("l2", "w2_0", "l3", "w3_0"), f"What came out is kept: {h}. The next line writes over it.")
    said = [f"{SUPPOSED}, this line would keep {h}, and the next one would write over that.",
            f"{SUPPOSED}, the last line would stop. It runs, and {w}.grad is right."]  # fmt: skip
    return _told(steps, ("l2", "w2_0"), *said)


who_stops = Question(
    case={"names": ("w", "x", "h"), "curve": CURVE[0], "result": RESULT[0], "linear": LINEAR[0], "product": PRODUCT[0]},
    another=_forms,
    ask=lambda names, **forms: (
        f"{names[0]} wants a gradient, and {names[1]} does not. Four students write four lines for {names[2]}. Then "
        f"all of them write:\n   {names[2]} += 1\n   loss = {names[2]}.sum()\n   loss.backward()\n"
        "In whose program does backward stop?"
    ),
    key=_stopping,
    misconceptions=(
        Misconception(
            "nothing may be written into a result",
            "It may, where no node keeps it for backward. The slope of this line needs no number of it.",
            lambda names, linear, **_: _of(names, linear),
        ),
        Misconception(
            "a curve keeps what came out of it",
            "It keeps what its slope is made of. Here that is what went in, and nobody wrote into that.",
            lambda names, curve, **_: _of(names, curve),
        ),
        Misconception(
            "a product keeps its product",
            "It keeps its factors: each is the slope for the other one.",
            lambda names, product, **_: _of(names, product),
        ),
    ),
    why=lambda names, **_: (
        f"The slope of this curve is made of what came out, so its node keeps {names[2]}. The next line writes "
        "over it. A sum makes a new tensor, and the old one stays."
    ),
    words=lambda line: f"in the program with {line}",
    played=_as_written,
)


# More: written behind its back.

WAYS = ("data", "no_grad")


def _behind(name: str, start: int, by: int, way: str) -> str:
    write = f"{name}.data -= {by}" if way == "data" else f"with torch.no_grad(): {name} -= {by}"
    return (f"{name} = torch.tensor({start}., requires_grad=True)\nloss = {name} * {name}\n{write}\n"
            "loss.backward()")  # fmt: skip


def _other_way(way: str, **case: Any) -> str:
    return _outcome(trace(_behind(**case, way=WAYS[way == "data"])), case["name"])


def _as_behind(answer: str, name: str, start: int, by: int, way: str) -> Scene:
    """The program, with the version of what was written into."""
    text = _behind(name, start, by, way)
    steps = trace(text, watched(name, f"{name}._version", "kept(loss)"))
    if answer == _outcome(steps, name):
        so = ("The version stayed: the write was not counted, so nobody missed the old number." if way == "data" else
              "The version went up by 1: the write was counted, and backward compares.")  # fmt: skip
        return _told(steps, ("l2", "w2_0", "w2_1"), so)
    if answer == _holds(2 * start, name):
        said = [f"{SUPPOSED}, the graph would keep a copy of {name}.",
                f"{SUPPOSED}, each number of a network would be in memory twice."]  # fmt: skip
    elif answer == _holds(2 * start - by, name):
        said = [f"{SUPPOSED}, the product would have read two tensors. Both factors are {name}.",
                f"{SUPPOSED}, one of them would have stayed as it was: there is only one."]  # fmt: skip
    else:
        said = [f"{SUPPOSED}, .data and no_grad would be two words for one thing.",
                f"{SUPPOSED}, both would count their writes, or none. Look at the versions."]  # fmt: skip
    return _told(steps, ("l2", "w2_0", "w2_1"), *said)


behind_its_back = Question(
    case={"name": "w", "start": 3, "by": 1, "way": "data"},
    another=lambda random: {
        "name": random.choice("wabc"), "start": random.randint(5, 9), "by": random.randint(1, 4),
        "way": random.choice(WAYS),
    },
    ask=lambda name, start, by, way: (
        "This runs:\n" + "\n".join(f"   {line}" for line in _behind(name, start, by, way).splitlines())
        + "\nWhat comes of the last line?"
    ),
    key=lambda **case: _outcome(trace(_behind(**case)), case["name"]),
    misconceptions=(
        Misconception(
            "a graph keeps copies of what it reads",
            "It keeps the tensor itself, with whatever is in it by then.",
            lambda name, start, by, way: _holds(2 * start, name),
        ),
        Misconception(
            ".data and no_grad are two words for one thing",
            "no_grad writes, and the version counts it. Of .data the version knows nothing.",
            _other_way,
        ),
        Misconception(
            "of two equal factors only one is written over",
            "Both are the same tensor.",
            lambda name, start, by, way: _holds(2 * start - by, name),
        ),
    ),
    why=lambda name, start, by, way: (
        f"The graph kept {name} itself. "
        + ("A write through .data is not counted, so backward goes on with the new number, and the gradient is wrong. "
           "Never write through .data." if way == "data" else
           "A write is counted, in the tensor's version. Backward finds another one than it kept, and stops.")
    ),
    played=_as_behind,
)  # fmt: skip


# A batch in parts: add up, and begin anew.


def _loss(w: Tensor, x: Tensor) -> Tensor:
    return ((w * x - 1) ** 2).mean()


def _parts(random: Random) -> dict[str, Any]:
    w, size = numbers(random, 2).requires_grad_(), random.randint(1, 3)
    w.grad = numbers(random, 2, nonzero=True)
    return {"w": w, "parts": [numbers(random, size, 2) for _ in range(random.choice((1, 2, 2, 3, 4)))]}


def _two_parts() -> dict[str, Any]:
    w = tensor([1.0, 2.0]).requires_grad_()
    w.grad = tensor([100.0, 100.0])
    return {"w": w, "parts": [tensor([[1.0, 1.0]]), tensor([[3.0, 1.0]])]}


def _in_parts(
    reset: bool = True, each: bool = False, share: bool = True, last: bool = False, summed: bool = False
) -> Callable[..., Any]:
    """An answer that goes part by part, with or without the lines that somebody may leave out."""

    def run(w: Tensor, parts: list[Tensor]) -> None:
        if reset:
            w.grad = None
        for x in parts:
            if each:
                w.grad = None
            loss = _loss(w, x) * (x.numel() if summed else 1)
            (loss / len(parts) if share else loss).backward()
        if last:
            w.grad = None

    return left(run)


def _part_by_part(function: Callable[..., object]) -> str:
    """Why gradients that are right took the memory of more than one part, or ""."""
    case = accumulate.numbers(None)
    came = arrivals(function, case)["w"]
    if not came.times:
        return "no gradient came to w by backward: call it on the loss of each part"
    if came.times < len(case["parts"]):
        return "all parts were in memory at once, which is too small for them: go back from one part after another"
    two = "the graph of a part was still kept when its gradient had come, or the next one was drawn already"
    return f"{two}: the memory has room for one. Draw a loss, go back, and only then draw the next" if came.kept else ""


accumulate = Left(
    "accumulate",
    example=_two_parts,
    another=_parts,
    key=_in_parts(),
    model=models.accumulate,
    misconceptions=(
        Misconception(
            "a new batch begins with an empty .grad",
            "It holds what the last step left there. Set w.grad = None first.",
            _in_parts(reset=False),
        ),
        Misconception(
            "w.grad has to be emptied before each backward",
            "Then the last part alone is left. Here the parts are to add up: empty it once, before all of them.",
            _in_parts(each=True, share=False),
        ),
        Misconception(
            "emptied each time, and divided, the parts still add up",
            "What was emptied is gone. Empty it once, before all of them.",
            _in_parts(each=True),
        ),
        Misconception(
            "the gradients of parts are averaged by themselves",
            "They are added. Divide each loss by the number of parts.",
            _in_parts(share=False),
        ),
        Misconception(
            "what is summed in a part comes to the same",
            "A part has a mean. With a sum a large part would move w farther than a small one.",
            _in_parts(summed=True),
        ),
        Misconception(
            "tidy up at the end",
            "A step comes next, and reads w.grad. Empty it before the first part.",
            _in_parts(last=True),
        ),
        Misconception(
            "one part is enough",
            "Every part counts. Does backward stand inside the loop?",
            left(lambda w, parts: (setattr(w, "grad", None), (_loss(w, parts[0]) / len(parts)).backward())),
        ),
    ),
    many=40,
    form=_part_by_part,
    hints=(
        "Three things: empty w.grad once, a loop over the parts, and in it a backward.",
        "Gradients are added up. Each part is to count for one of len(parts).",
        "(((w * x - 1) ** 2).mean() / len(parts)).backward() in the loop.",
    ),
)


# More: versions.

WRITES = {"{} += 1": 3, "{} *= 2": 3, "{}[:2] = 5": 2, "{}.zero_()": 3, "{}.mul_(3)": 3, "{}[0] = 5": 1}
"""Writes into a tensor of three numbers, and how many numbers each of them writes."""


def _some_writes(random: Random) -> dict[str, Any]:
    into_a = random.sample(list(WRITES)[: random.choice((5, 6))], random.randint(1, 2))
    if into_a == ["{}[0] = 5"]:
        into_a.append("{} += 1")
    return {"saved": random.choice(("b", "a.clone()", "c.clone()")), "into_a": tuple(into_a),
            "into_c": tuple(random.sample(list(WRITES), random.randint(1, 2)))}  # fmt: skip


def _writes(saved: str, into_a: tuple[str, ...], into_c: tuple[str, ...]) -> str:
    return "\n".join((
        "w = torch.tensor(2., requires_grad=True)", "a = torch.tensor([1., 2., 3.])", "b = a.view(3, 1)",
        "c = a.clone()", f"loss = (w * {saved}).sum()", *(write.format("a") for write in into_a),
        *(write.format("c") for write in into_c), "loss.backward()",
    ))  # fmt: skip


def _version(name: str) -> Callable[..., int]:
    """The version of a tensor after all writes."""

    def found(**case: Any) -> int:
        return next(step.value for step in trace(_writes(**case)) if step.name == name)._version

    return found


def _stops(**case: Any) -> bool:
    return trace(_writes(**case))[-1].error is not None


versions = Blanks(
    "versions",
    case={"saved": "b", "into_a": ("{}[0] = 5", "{} += 1"), "into_c": ("{} *= 2",)},
    another=_some_writes,
    ask=lambda **case: (
        "\n".join(f"  {k}  {line}" for k, line in enumerate(_writes(**case).splitlines(), 1)) + "\n\n"
        "A new tensor has version 0, and each write adds 1.\n"
        "version_b  the version of b in the end\n"
        "version_c  the version of c in the end\n"
        "stops      True if the last line stops with an error, else False"
    ),
    blanks={
        "version_b": Blank(
            _version("b"),
            (
                Misconception(
                    "a view counts for itself",
                    "A view shares the count of its base, as it shares the memory.",
                    lambda **case: 0,
                ),
                Misconception(
                    "each number that is written counts",
                    "A write counts once, of however many numbers.",
                    lambda saved, into_a, into_c: sum(WRITES[write] for write in into_a),
                ),
            ),
        ),
        "version_c": Blank(
            _version("c"),
            (
                Misconception(
                    "a copy is counted with what it was copied from",
                    "It has memory of its own, and so a count of its own.",
                    lambda saved, into_a, into_c: len(into_a) + len(into_c),
                ),
                Misconception(
                    "what is no leaf with a gradient is not counted",
                    "Every tensor is: nobody knows beforehand who will keep it.",
                    lambda **case: 0,
                ),
            ),
        ),
        "stops": Blank(
            _stops,
            (
                Misconception(
                    "it is the name that counts, and not the memory",
                    "What was kept, and where does it lie? A view lies in its base's memory, a clone in its own.",
                    lambda **case: not _stops(**case),
                ),
            ),
        ),
    },
    why=lambda saved, into_a, into_c: (
        "b is a view of a, so both have one count. c is a copy, with a count of its own. The product kept "
        + ("b at version 0, and finds another one." if saved == "b" else "a clone, which has no name, and nobody wrote "
           "into that.")
    ),
    hints=(
        "Which of a, b and c have memory of their own? That is lesson 02.",
        "The count goes with the memory. Which writes go to the memory of b?",
        "What did the product keep, and did anybody write into the memory of that?",
    ),
)  # fmt: skip


hand_in = handing_in(__name__)

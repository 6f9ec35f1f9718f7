"""Blanks: a few values to fill in, each checked by itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from .answer import plain, same, shown, untouched
from .misconception import Misconception, believed
from .result import Result, kindly, prose


@dataclass(frozen=True)
class Blank:
    """One value to fill in: the key, worked out from the case by running the library, and what leads astray.

    For what has several right answers, `judge` takes the answer, then the case, and returns why it is none, or "".
    """

    key: Callable[..., Any]
    misconceptions: tuple[Misconception, ...] = ()
    judge: Callable[..., str] | None = None

    def fault(self, answer: object, case: Mapping[str, Any]) -> str:
        """Why an answer is not right; empty when it is."""
        if self.judge:
            return self.judge(answer, **case)
        return "" if same(answer, self.key(**case)) else f"expected {shown(self.key(**case))}"


@dataclass(frozen=True, repr=False)
class Blanks:
    """Values to fill in. Calling it with none shows the exercise; else each value is checked; the score is their share.

    Args:
        case, another, ask: as in `Question`.
        blanks: by name, in the order in which the answers are given.
        comes_of: text that plays the answers out, from the case and all answers; only asked when one is wrong.

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> check.find_the_layout((2, 3), ..., ...).score
    0.3333333333333333
    """

    case: Mapping[str, Any]
    another: Callable[[Random], Mapping[str, Any]]
    ask: Callable[..., str]
    blanks: Mapping[str, Blank]
    comes_of: Callable[..., str] | None = None

    def numbers(self, seed: int | None) -> dict[str, Any]:
        """The case of a seed; None: the lesson's own."""
        return dict(self.case if seed is None else self.another(Random(seed)))

    def __repr__(self) -> str:
        return self().text

    @kindly
    def __call__(self, *answers: object, seed: int | None = None) -> Result:
        """Show the exercise, or say what comes of the answers."""
        case = self.numbers(seed)
        asked = self.ask(**case)
        if len(answers) > len(self.blanks):
            return Result(f"{asked}\n\nThere are {len(self.blanks)} values to give: {', '.join(self.blanks)}.", 0.0)
        given = dict(zip(self.blanks, (*answers, *[...] * len(self.blanks)), strict=False))
        if all(map(untouched, given.values())):
            return Result(f"{asked}\n\nNot attempted yet. Replace every ... and run the cell again.", 0.0)
        right = {
            name: not untouched(answer) and not self.blanks[name].fault(answer, case) for name, answer in given.items()
        }
        score = sum(right.values()) / len(right)
        lines = [self._line(name, answer, right[name], case) for name, answer in given.items()]
        if score == 1:
            another = f"For another one of these, add seed={0 if seed is None else seed + 1} to the call."
            return Result("\n".join([*lines, "", f"All right. {another}"]), 1.0)
        if self.comes_of and not any(map(untouched, given.values())):
            lines += ["", self.comes_of(**case, **{f"given_{name}": plain(answer) for name, answer in given.items()})]
        return Result("\n".join([asked, "", *lines]), score)

    def _line(self, name: str, answer: object, right: bool, case: dict[str, Any]) -> str:
        label = f"{name:<{max(map(len, self.blanks))}}"
        if untouched(answer):
            return f"{label}  not attempted yet"
        if right:
            return f"{label}  {shown(answer)} is right."
        blank = self.blanks[name]
        said = f"{label}  {shown(answer)} is not it: {blank.fault(answer, case)}."
        held = believed(blank.misconceptions, case, answer)
        return said + ("\n" + prose(str(held), "    ") if held else "")

"""Blanks: a few values to fill in, each checked by itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ....errors.spelling import printed
from ..answers.answer import astray, plain, same, settled, shown, unfit, untouched
from ..answers.misconception import Misconception, believed
from ..answers.result import Result, kindly, noted, prose, requested
from ..questions.question import drawn


@dataclass(frozen=True)
class Blank:
    """One value to fill in: the key, worked out from the case by running the library, and what leads astray.

    For what has several right answers, `judge` takes the answer, then the case, and returns why it is none, or "".
    Where it would tell too much how far an answer is from the key, `comes` says what comes of it, from the same.
    """

    key: Callable[..., Any]
    misconceptions: tuple[Misconception, ...] = ()
    judge: Callable[..., str] | None = None
    comes: Callable[..., str] | None = None

    def right(self, answer: object, case: Mapping[str, Any]) -> bool:
        """True if an answer is right for a case."""
        if self.judge:
            return not self.judge(answer, **case)
        key = self.key(**case)
        return same(answer, key) and not unfit(answer, key)

    def fault(self, name: str, answer: object, case: Mapping[str, Any]) -> str:
        """The objection to a wrong answer that does not tell the right one."""
        if tells := self.judge or self.comes:
            return tells(answer, **case)
        key = self.key(**case)
        return unfit(answer, key) if same(answer, key) else astray(answer, key, name)


@dataclass(frozen=True, repr=False)
class Blanks:
    """Values to fill in: called with none it shows the exercise, else it checks each value.

    The score is the share of those that are right.

    What is said of a wrong value does not tell the right one. `show=True` does.

    Args:
        name: of the check in its lesson, so that a message can be copied into a cell.
        case, another, ask: as in `Question`.
        blanks: by name, in the order in which the answers are given.
        why: why the right values are right, from the case.
        hints: told one after another on request, before the answer is.
        comes_of: text that plays the answers out, from the case and all answers; only asked when one is wrong.

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> check.find_the_layout((2, 3), ..., ...).score
    0.3333333333333333
    """

    name: str
    case: Mapping[str, Any]
    another: Callable[[Random], Mapping[str, Any]]
    ask: Callable[..., str]
    blanks: Mapping[str, Blank]
    why: Callable[..., str]
    comes_of: Callable[..., str] | None = None
    hints: tuple[str, ...] = ()

    def numbers(self, seed: int | None) -> dict[str, Any]:
        """The case of a seed; None: the lesson's own."""
        return dict(self.case if seed is None else drawn(self, seed))

    def __repr__(self) -> str:
        return printed(self().text)

    @kindly
    @noted
    def __call__(
        self, *answers: object, seed: int | None = None, show: bool = False, hint: int = 0, **named: object
    ) -> Result:
        """Show the exercise, or say what comes of the answers, in their order or by name.

        With `hint=1`, 2 ... how to go on; with `show`, also what is right and why.
        """
        case = self.numbers(seed)
        asked = self.ask(**case)
        if len(answers) > len(self.blanks) or named.keys() - self.blanks.keys():
            return Result(f"{asked}\n\nTo give, in this order or by name: {', '.join(self.blanks)}.", 0.0)
        given = dict(zip(self.blanks, (*answers, *[...] * len(self.blanks)), strict=False)) | named
        given = {name: settled(answer) for name, answer in given.items()}
        if all(map(untouched, given.values())):
            told = [*self._answers(case), prose(self.why(**case)), ""] if show else []
            told += [requested(self.hints, hint, self._call(seed)), ""] if hint and not show else []
            todo = "Not attempted yet. Replace every ... and run the cell again."
            return Result("\n".join([asked, "", *told, todo]), 0.0)
        right = {
            name: not untouched(answer) and self.blanks[name].right(answer, case) for name, answer in given.items()
        }
        score = sum(right.values()) / len(right)
        lines = [self._line(name, answer, right[name], case) for name, answer in given.items()]
        if score == 1:
            blank, new = ", ".join(["..."] * len(self.blanks)), 0 if seed is None else seed + 1
            another = f"For another question: check.{self.name}({blank}, seed={new})\nAnswer it with the same seed."
            return Result("\n".join([*lines, "", prose(f"All right. {self.why(**case)}"), "", another]), 1.0)
        if self.comes_of and not any(map(untouched, given.values())):
            lines += ["", self.comes_of(**case, **{f"given_{name}": plain(answer) for name, answer in given.items()})]
        if show:
            lines += ["", *self._answers(case), prose(self.why(**case))]
        elif hint or not all(right[name] or untouched(answer) for name, answer in given.items()):
            lines += ["", requested(self.hints, hint, self._call(seed))]
        return Result("\n".join([asked, "", *lines]), score)

    def _call(self, seed: int | None) -> str:
        """The call of this check as it stands in its cell, left open for one thing more."""
        return f"check.{self.name}({', '.join([*self.blanks, *([] if seed is None else [f'seed={seed}'])])}"

    def _answers(self, case: dict[str, Any]) -> list[str]:
        wide = max(map(len, self.blanks))
        return [
            f"{name:<{wide}}  expected {shown(blank.key(**case))}{', for example' if blank.judge else ''}"
            for name, blank in self.blanks.items()
        ]

    def _line(self, name: str, answer: object, right: bool, case: dict[str, Any]) -> str:
        label = f"{name:<{max(map(len, self.blanks))}}"
        if untouched(answer):
            return f"{label}  not attempted yet"
        if right:
            return f"{label}  {shown(answer)} is right."
        blank = self.blanks[name]
        fault = blank.fault(name, answer, case)
        said = f"{label}  {shown(answer)} is not it{fault and ': ' + fault}."
        held = believed(blank.misconceptions, case, answer)
        return said + ("\n" + prose(str(held), "    ") if held else "")

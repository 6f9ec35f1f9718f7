"""Question: one right choice among the answers of misconceptions, for a show of hands or for one reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase
from typing import Any

from .answer import same, shown, untouched
from .misconception import Misconception
from .result import Result, kindly, prose


@dataclass(frozen=True, repr=False)
class Question:
    """A question with choices. Calling it without a guess shows it; with a guess it says what comes of that one.

    Args:
        case: the numbers of the lesson's own question, by name.
        another: makes more such cases, `another(random)`, so that a question of the same kind can be asked.
        ask: the text, from the case.
        key: the right answer, from the case, worked out by running the library.
        misconceptions: what leads to the other choices.
        why: what is so, once a guess is committed, from the case.
        words: how an answer reads as a choice.

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> check.which_slot("B").score
    0.0
    """

    case: Mapping[str, Any]
    another: Callable[[Random], Mapping[str, Any]]
    ask: Callable[..., str]
    key: Callable[..., Any]
    misconceptions: tuple[Misconception, ...]
    why: Callable[..., str]
    words: Callable[[Any], str] = str

    def numbers(self, seed: int | None) -> dict[str, Any]:
        """The case of a seed; None: the lesson's own."""
        return dict(self.case if seed is None else drawn(self, seed))

    def choices(self, seed: int | None = None) -> dict[str, Any]:
        """Letter to answer: numbers by size, others in an order drawn from the text, which does not tell the key."""
        case = self.numbers(seed)
        answers = [self.key(**case), *(m.answer(**case) for m in self.misconceptions)]
        if all(isinstance(answer, int | float) for answer in answers):
            answers.sort()
        else:
            Random(self.ask(**case)).shuffle(answers)
        return dict(zip(ascii_uppercase, answers, strict=False))

    def __repr__(self) -> str:
        return self().text

    @kindly
    def __call__(self, guess: object = ..., seed: int | None = None) -> Result:
        """Show the question, or say what comes of a guess: a letter, or the answer itself."""
        case, choices = self.numbers(seed), self.choices(seed)
        if untouched(guess):
            todo = "Not answered yet. Write a letter, in quotes, in place of ... and run the cell again."
            return Result(self._asked(case, choices, None, todo), 0)
        letter = next((k for k, answer in choices.items() if _means(guess, k, answer)), None)
        if letter is None:
            todo = f"{shown(guess)} is none of the choices. Write one of the letters, in quotes."
            return Result(self._asked(case, choices, None, todo), 0)
        key = next(k for k, answer in choices.items() if same(answer, self.key(**case)))
        if letter == key:
            return Result(self._asked(case, choices, letter, f"Right. {self.why(**case)}"), 1.0)
        held = next(m for m in self.misconceptions if same(choices[letter], m.answer(**case)))
        said = f"Not so. {held}\nThe answer is {key}. {self.why(**case)}"
        return Result(self._asked(case, choices, letter, said), 0.0)

    def _asked(self, case: Mapping[str, Any], choices: dict[str, Any], letter: str | None, said: str) -> str:
        mark = {letter: "   <- your answer"}
        lines = [f"  {k}  {self.words(answer)}{mark.get(k, '')}" for k, answer in choices.items()]
        return "\n".join([prose(self.ask(**case)), "", *lines, "", prose(said)])


def drawn(check: Any, seed: int) -> Mapping[str, Any]:
    """The case of a seed for a question, or for blanks: never the lesson's own once more."""
    random, own = Random(seed), check.ask(**check.case)
    while check.ask(**(case := check.another(random))) == own:
        pass
    return case


def _means(guess: object, letter: str, answer: Any) -> bool:
    return guess.strip(" .)").upper() == letter if isinstance(guess, str) else same(guess, answer)

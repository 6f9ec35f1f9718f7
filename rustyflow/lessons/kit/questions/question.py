"""Question: one right choice among the answers of misconceptions, for a show of hands or for one reader."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from random import Random
from string import ascii_uppercase
from typing import Any

from ....errors import ArgumentValueError
from ....errors.spelling import printed
from ....scene import Figure, Frame, Scene, figure
from ..answers import progress
from ..answers.answer import same, shown, untouched
from ..answers.misconception import Misconception, believed
from ..answers.result import Result, kindly, prose
from . import stages


class Unanswered(Exception):
    """A cell that would give an answer away before there is a guess; notebooks show its one line alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@dataclass(frozen=True, repr=False)
class Question:
    """A question with choices. A notebook shows it as `widgets.Predict`; a call with a guess says what comes of that.

    The first guess in a session, wherever it is given, is the one that counts: `float(question)` is its score.

    Args:
        case: the numbers of the lesson's own question, by name.
        another: makes more such cases, `another(random)`, so that a question of the same kind can be asked.
        ask: the text, from the case.
        key: the right answer, from the case, worked out by running the library.
        misconceptions: what leads to the other choices.
        why: what is so, once a guess is committed, from the case.
        words: how an answer reads as a choice.
        locked: the picture that stands behind the question, from the case. It is seen before a guess, so it must tell
            nothing of the key; its frames, links and facts are left out.
        played: the picture in which an answer is taken to be so, `played(answer, **case)`: for the key what is so, lit
            in its still frame; for another one, to its absurd end.
        points: the id in the locked picture that means an answer, `points(answer, **case)`.
        seed: of which the case was made, if it was; it decides on the order of the choices, too.

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> asked = replace(check.which_slot)  # a copy has no guesses
    >>> asked("slot 7").score, asked(6).score
    (0.0, 1.0)
    >>> asked.guesses, float(asked)
    (('B',), 0.0)
    """

    case: Mapping[str, Any]
    another: Callable[[Random], Mapping[str, Any]]
    ask: Callable[..., str]
    key: Callable[..., Any]
    misconceptions: tuple[Misconception, ...]
    why: Callable[..., str]
    words: Callable[[Any], str] = str
    locked: Callable[..., Scene] | None = None
    played: Callable[..., Scene] | None = None
    points: Callable[..., str] | None = None
    seed: int | None = None
    _guesses: list[str] = field(default_factory=list, init=False, compare=False)
    _known: set[str] = field(default_factory=set, init=False, compare=False)  # "told", "skipped"

    @property
    def name(self) -> str:
        """The name that it has in its lesson's module."""
        known = vars(sys.modules.get(getattr(self.ask, "__module__", ""), object)).items()
        copied = [name for name, one in known if getattr(one, "ask", None) is self.ask]
        return next((name for name, one in known if one is self), copied[0] if copied else "question")

    def numbers(self, seed: int | None) -> dict[str, Any]:
        """The case of a seed; None: the lesson's own."""
        return dict(self.case if seed is None else drawn(self, seed))

    def choices(self, seed: int | None = None) -> dict[str, Any]:
        """Letter to answer, in an order drawn from the text and the seed, which does not tell the key."""
        case, seed = self.numbers(seed), self.seed if seed is None else seed
        answers = [self.key(**case), *(m.answer(**case) for m in self.misconceptions)]
        answers.sort(key=self.words)  # whichever of them is the key
        Random(self.ask(**case) + ("" if seed is None else f" {seed}")).shuffle(answers)
        return dict(zip(ascii_uppercase, answers, strict=False))

    def right(self, seed: int | None = None) -> str:
        """The letter of the right answer."""
        key = self.key(**self.numbers(seed))
        return next(letter for letter, answer in self.choices(seed).items() if same(answer, key))

    def letter(self, guess: object, seed: int | None = None) -> str | None:
        """The letter of a guess in any form: "B", "b", "(B)", the answer itself, or its words; None: no choice."""
        return next((k for k, answer in self.choices(seed).items() if self._means(guess, k, answer)), None)

    def held(self, letter: str, seed: int | None = None) -> Misconception | None:
        """The misconception that leads to a choice."""
        return believed(self.misconceptions, self.numbers(seed), self.choices(seed)[letter])

    def commit(self, guess: object) -> str:
        """Give a guess that counts. After a first wrong one there is another try; the same one again is none.

        Returns a line to say beside, where there is one: `progress.note` has it.

        Raises:
            ValueError: none of the choices.
        """
        letter = self.letter(guess)
        if letter is None:
            raise self._none("commit", guess)
        if not self.told and letter not in self._guesses:
            self._guesses.append(letter)
        return progress.note(self, float(self))

    @property
    def guesses(self) -> tuple[str, ...]:
        """The letters of the guesses that count, in order."""
        return tuple(self._guesses)

    @property
    def told(self) -> bool:
        """True if the answer has been told."""
        return "told" in self._known or len(self._guesses) > 1 or self._guesses == [self.right()]

    def scene(self) -> Scene:
        """The picture of it as it is now."""
        if self.told:
            return stages.told(self, self.guesses)
        return stages.locked(self, *self.guesses)

    def world(self, letter: str) -> Scene:
        """The picture of what follows from a choice, for a class that took it: right or wrong, at any time.

        Raises:
            ValueError: no letter of a choice.
        """
        if letter not in self.choices():
            raise self._none("world", letter)
        return stages.played(self, letter)

    def _none(self, call: str, given: object) -> ArgumentValueError:
        """The refusal of a call with none of the choices."""
        choices = self.choices()
        rule = f"the choices are {', '.join(choices)}"
        return ArgumentValueError(f"{call}({shown(given):.60})", rule, f"{call}({next(iter(choices))!r})")

    def after(self) -> None:
        """Stops a cell that would give the answer away, until a guess is in.

        It stops none in a lesson as it is committed.

        Raises:
            Unanswered: there is no guess yet.
        """
        if self._guesses or "skipped" in self._known or not _read() or progress.done(self):
            return
        name = self.name
        raise Unanswered(f"First answer the question above ({name}). Cannot wait? check.{name}.skip()")

    def skip(self) -> None:
        """Lets the cells after it run without a guess."""
        self._known.add("skipped")

    def __float__(self) -> float:
        return float(self._guesses[:1] == [self.right()])

    def __repr__(self) -> str:
        if _graded():
            return repr(float(self))
        if self._guesses:
            return printed(self._result(self._guesses[-1], None).text)
        todo = f"Not answered yet. Give a letter: {self._code()}."
        return printed(self._asked(self.case, self.choices(), None, todo))

    def _code(self) -> str:
        """The code that gives a guess in a cell."""
        return f'check.{self.name}("A"{"" if self.seed is None else f", seed={self.seed}"})'

    @cached_property
    def widget(self) -> Any:
        """The question to play with: one `widgets.Predict`, wherever it is shown."""
        from ....widgets import Predict

        return Predict(self)

    def _lives(self) -> bool:
        """True if it is shown to be played with."""
        return _read() and find_spec("anywidget") is not None

    def _ipython_display_(self) -> None:
        if not self._lives():
            raise NotImplementedError  # then IPython asks for the bundle
        self.widget._ipython_display_()

    def _display_(self) -> object:
        """The object that marimo shows, which asks for this."""
        from marimo import Html

        return self.widget if self._lives() else Html(self._repr_mimebundle_()["text/html"])

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        if _graded():
            return {"text/plain": repr(self)}
        if figure.is_page():
            return {"text/plain": repr(self), "text/html": Figure(stages.alone(self)).html()}
        scene = self.scene()
        if not self.told:
            how = f"Run the cell to answer, or write {self._code()} in one."
            scene = replace(scene, frames=(Frame(how),))
        return {"text/plain": repr(self), "text/html": Figure(scene).picture()}

    @kindly
    def __call__(self, guess: object = ..., seed: int | None = None) -> "Result | Question":
        """Show the question, or say what comes of a guess in any form; `seed` asks with other numbers."""
        case, choices = self.numbers(seed), self.choices(seed)
        if untouched(guess) and seed is not None:
            return replace(self, case=case, seed=seed)
        if untouched(guess):
            todo = "Not answered yet. Write a letter, in quotes, in place of ... and run the cell again."
            return Result(self._asked(case, choices, None, todo), 0)
        letter = self.letter(guess, seed)
        if letter is None:
            todo = f"{shown(guess)} is none of the choices. Write one of the letters, in quotes."
            return Result(self._asked(case, choices, None, todo), 0)
        said = ""
        if seed is None:
            said = self.commit(letter)
            self._known.add("told")
            if "widget" in vars(self):
                self.widget.refresh()
        return self._result(letter, seed).beside(said)

    def _result(self, letter: str, seed: int | None) -> Result:
        case, choices, key = self.numbers(seed), self.choices(seed), self.right(seed)
        first = self._guesses[0] if self._guesses and seed is None else letter  # which counts
        if letter == key:
            return Result(self._asked(case, choices, letter, f"Right. {self.why(**case)}", first), 1.0)
        said = f"Not so. {self.held(letter, seed)}\nThe answer is {key}. {self.why(**case)}"
        return Result(self._asked(case, choices, letter, said, first), 0.0)

    def _asked(
        self, case: Mapping[str, Any], choices: dict[str, Any], letter: str | None, said: str, first: str | None = None
    ) -> str:
        mark = {first: "   (your first guess)", letter: "   (your answer)"}
        lines = [f"  {k}  {self.words(answer)}{mark.get(k, '')}" for k, answer in choices.items()]
        return "\n".join([prose(self.ask(**case)), "", *lines, "", prose(said)])

    def _means(self, guess: object, letter: str, answer: Any) -> bool:
        if not isinstance(guess, str):
            return same(guess, answer)
        plain = guess.strip(" .()").upper()
        if len(plain) == 1 and plain.isalpha():
            return plain == letter
        return _plain(guess) in (_plain(self.words(answer)), _plain(str(answer)))


def _read() -> bool:
    """True if somebody is there to guess: no page, no notebook to be committed, and no grade is made."""
    return not (figure.is_static() or figure.is_page() or _graded())


def _graded() -> bool:
    """True if nbgrader runs it, which reads scores."""
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def drawn(check: Any, seed: int) -> Mapping[str, Any]:
    """The case of a seed for a question, or for blanks: never the lesson's own once more."""
    random, own = Random(seed), check.ask(**check.case)
    while check.ask(**(case := check.another(random))) == own:
        pass
    return case


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()

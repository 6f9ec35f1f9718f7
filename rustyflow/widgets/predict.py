"""Predict: a question in front of a figure, which opens once a guess is in."""

from typing import Any, Protocol

from ..errors import ArgumentTypeError
from ..errors.foreign import kind_of
from ..scene import Figure, Scene
from .base import Widget


class Asking(Protocol):
    """A thing that can be asked, such as a lesson's `Question`: it knows its answer, and its pictures."""

    guesses: tuple[str, ...]

    def commit(self, guess: object) -> str | None:
        """A guess that counts. What it returns is said under the figure."""

    def scene(self) -> Scene:
        """The picture of it as it is now; its `asks` is the question."""

    def world(self, letter: str) -> Scene:
        """The picture of what follows from a choice, whatever was guessed."""

    def skip(self) -> None:
        """Lets what waits for a guess go on without one."""


class Predict(Widget):
    """A question of a lesson's: a guess by letter, number, click or by pointing, asked once more before it counts.

    A first wrong guess gets a hint and a second try. Then the guess is played out under the name of its misconception,
    and the figure ends on what is so. What the page and the notebook hold tells nothing before: the answer stays in the
    question, which makes each picture when it is its turn. Widgets of one question share its guesses.

    Attributes:
        guesses: the letters given so far; a grader counts the first.

    Example:
        >>> from dataclasses import replace
        >>> from rustyflow.lessons import one_line_of_memory as lesson
        >>> widget = Predict(replace(lesson.which_slot))
        >>> widget.commit(5)
        >>> widget.figure.sentences[0][:5], widget.guesses == (widget.question.letter(5),)
        ('Not A', True)
        >>> widget.commit("slot 6")
        >>> widget.figure.scene.asks.open, float(widget.question)
        (False, 0.0)
    """

    _said = _plays = ""

    def __init__(self, question: Asking):
        if not hasattr(question, "commit"):
            raise ArgumentTypeError(f"question={question!r:.60}, of type {kind_of(question)}",
                                    "a question is asked, and a figure only shown", "Predict(lesson.which_slot)")
        self.question = question
        super().__init__()

    @property
    def guesses(self) -> tuple[str, ...]:
        """The letters given so far."""
        return self.question.guesses

    def commit(self, guess: Any) -> None:
        """Give a guess: a letter, the answer itself, or its words.

        Raises:
            ValueError: none of the choices.
        """
        self.press(guess)

    def press(self, name: Any) -> None:
        """A choice was taken, in the page or here; `play B` plays what follows from one, and `back` ends that.

        `skip` lets the cells after the question run without a guess: so a clicker passes it by.

        Raises:
            ValueError: none of the choices.
        """
        word = name if isinstance(name, str) else ""  # an answer itself may be an array
        if word == "skip":
            return self.question.skip()
        with self.together():
            before = self.guesses, self._plays
            if word == "back" or word.startswith("play "):
                wish = word.removeprefix("play ").removeprefix("back")
                self._plays = wish and self.question.world(wish) and wish
            else:
                self._said, self._plays = self.question.commit(name) or "", ""
            if (self.guesses, self._plays) != before:  # the step and the pin of another picture
                self.frame, self.pinned, self.side = 0, "", None
            self.refresh()

    def note(self) -> str:
        """The words beside a guess."""
        return self._said

    def make(self) -> Figure:
        """The question as it stands: locked, asked once more, or played out; or what follows from a choice."""
        return Figure(self.question.world(self._plays) if self._plays else self.question.scene())

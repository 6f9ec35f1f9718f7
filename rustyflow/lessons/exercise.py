"""Exercise: a function to write, tried on random cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from .answer import Call, call, same, shown, untouched
from .misconception import Misconception
from .result import Result, kindly, prose


@dataclass(frozen=True, repr=False)
class Exercise:
    """A function to write. Calling it with the student's function tries that on the cases of the seeds 0, 1, 2 ...

    Args:
        name: of the function, as the stub in the lesson has it.
        another: `another(random)` makes the arguments of one call, by name and in their order.
        key: the right answer for them, worked out by running the library.
        misconceptions: what a function would return that is written by somebody who holds one.
        many: how many cases are tried.
        judge: for what has several right answers: takes the answer, then the case, and returns why it is none, or "".

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> check.slot_of(lambda index, stride, offset: offset + sum(i * s for i, s in zip(index, stride)))
    slot_of is right: 50 cases of 50.
    """

    name: str
    another: Callable[[Random], Mapping[str, Any]]
    key: Callable[..., Any]
    misconceptions: tuple[Misconception, ...] = ()
    many: int = 50
    judge: Callable[..., str] | None = None

    def __repr__(self) -> str:
        return self().text

    @kindly
    def __call__(self, function: object = ...) -> Result:
        """Say what comes of a function."""
        if untouched(function):
            return Result(
                f"{self.name}: not attempted yet. Write its body in place of ... and run the cell again.", 0.0
            )
        if not callable(function):
            return Result(
                f"{self.name} should be a function, and this is {shown(function)}. Begin with def {self.name}(...):",
                0.0,
            )
        tried: list[tuple[int, Call]] = []
        for seed in range(self.many):
            # the student's function gets a case of its own, so that it can spoil none
            tried.append((seed, call(function, tuple(self.another(Random(seed)).values()))))
            if tried[-1][1].problem:
                break
        wrong = [(seed, made) for seed, made in tried if made.problem or self.fault(made.value, seed)]
        if not wrong:
            return Result(f"{self.name} is right: {self.many} cases of {self.many}.", 1.0)
        seed, made = min(wrong, key=lambda case: len(self._arguments(case[0])))
        return Result(self._said(seed, made, self._held(tried)), 0.0)

    def key_of(self, seed: int) -> Any:
        return self.key(**self.another(Random(seed)))

    def _arguments(self, seed: int) -> str:
        return _inset(", ".join(f"{name}={shown(value)}" for name, value in self.another(Random(seed)).items()))

    def fault(self, value: object, seed: int) -> str:
        """Why a value is not right for a seed; empty when it is."""
        if self.judge:
            return self.judge(value, **self.another(Random(seed)))
        return "" if same(value, self.key_of(seed)) else f"expected  {_inset(shown(self.key_of(seed)))}"

    def _held(self, tried: list[tuple[int, Call]]) -> Misconception | None:
        """The misconception that answers as the function did in every case."""
        for m in self.misconceptions:
            if all(
                not made.problem and same(made.value, m.answer(**self.another(Random(seed)))) for seed, made in tried
            ):
                return m
        return None

    def _said(self, seed: int, made: Call, held: Misconception | None) -> str:
        lines = [f"{self.name} is not right yet. With seed {seed}:", "", f"  {self.name}({self._arguments(seed)})"]
        if made.problem:
            lines += ["", made.problem]
        else:
            lines += [f"  got       {_inset(shown(made.value))}", f"  {self.fault(made.value, seed)}"]
        if made.printed:
            lines += [f"  printed   {made.printed[:400].rstrip()}"]
        if made.value is None and not made.problem:
            lines += ["", "It gives None back: is a return missing?"]
        elif held:
            lines += ["", prose(str(held))]
        return "\n".join(lines)


def _inset(text: str) -> str:
    """Text of several lines, such as a tensor's, at the place where it stands in a message."""
    return text.replace("\n", "\n" + " " * 12)

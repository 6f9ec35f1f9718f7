"""Exercise: a function to write, tried on its example and on random cases."""

import inspect
import re
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from ....errors.spelling import printed
from ..answers import call as running, keeping
from ..answers.answer import astray, plain, same, shown, unfit, untouched
from ..answers.call import Call
from ..answers.card import Own, own_numbers
from ..answers.flow import cut
from ..answers.given_back import again, apart, lent
from ..answers.misconception import Misconception
from ..answers.pytorch import ours
from ..answers.result import Result, kindly, noted, prose, requested
from ..answers.source import returns, tree


@dataclass(frozen=True, repr=False)
class Exercise:
    """A function to write. Calling it with the student's function tries that, on plain cases first.

    The first case that goes wrong is told, without what should have come out; `show=True` tells that too, and shows one
    way to write the function.

    Args:
        name: of the function, as the stub in the lesson has it.
        another: `another(random)` makes the arguments of one call, by name and in their order.
        example: makes the arguments of the call that the stub's docstring tells of, if it tells of one.
        key: the right answer for them, worked out by running the library.
        model: the function as a student could have typed it.
        misconceptions: what a function would return that is written by somebody who holds one.
        many: how many cases are tried: the example, and those of the seeds 0, 1, 2 ...
        judge: for what has several right answers: takes the answer, then the case, and returns why it is none, or "".
        alike: whether two answers come of one belief; for what is more than its numbers.
        hints: told one after another on request, before the answer is.
        form: takes a function that does what it should, and returns why it is not written as it should be, or "".
        flows: the arguments to which a gradient has to flow back through what the function returns.
        edges: makes cases at the edge of what was asked: what comes of them is told, and costs nothing.
        once: one case that is right is enough, as for a program that has to fail.

    >>> from rustyflow.lessons import one_line_of_memory as check
    >>> check.slot_of(lambda index, stride, offset: offset + sum(i * s for i, s in zip(index, stride)))
    slot_of is right: 50 cases of 50.
    """

    name: str
    another: Callable[[Random], Mapping[str, Any]]
    key: Callable[..., Any]
    model: Callable[..., Any]
    misconceptions: tuple[Misconception, ...] = ()
    many: int = 50
    judge: Callable[..., str] | None = None
    example: Callable[[], Mapping[str, Any]] | None = None
    alike: Callable[[Any, Any], bool] = same
    form: Callable[[Any], str] | None = None
    hints: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    edges: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    once: bool = False

    def __repr__(self) -> str:
        return printed(self().text)

    @kindly
    @noted
    def __call__(self, function: object = ..., show: bool = False, hint: int = 0) -> Result:
        """Says what comes of a function; `hint=1`, 2 ... say how to go on, `show` what should have come out.

        With `show` one way to write the function is told as well.
        """
        result = self.tried(function, show)
        wrong = result.score < 1 and not untouched(function)
        if result.score == 1:
            result = result.beside(keeping.keep(self, function))
        if not (wrong or show or hint):
            return result
        more = self._written() if show else requested(self.hints, hint, f"check.{self.name}({self.name}")
        return result.beside(more)

    def tried(self, function: object, show: bool = False) -> Result:
        """The outcome of a function, which nothing remembers."""
        if untouched(function):
            return Result(
                f"{self.name}: not attempted yet. Write its body in place of ... and run the cell again.", 0.0
            )
        if not callable(function):
            said = f"{self.name} should be a function, and this is {shown(function)}.\n"
            return Result(
                f"{said}Begin with def {self.name}(...): and give it by its name alone: check.{self.name}({self.name})",
                0.0,
            )
        function = ours(function)
        tried: list[tuple[int | None, Call]] = []
        left = running.PATIENCE
        for seed in self.seeds:
            began = time.monotonic()
            # the student's function gets a case of its own, so that it can spoil none
            made = self._call(function, seed, left)
            left -= time.monotonic() - began
            # judged and copied before the next call, which may write to the object that this one gave back
            fault = made.problem or self.fault(made.value, seed)
            tried.append((seed, made._replace(fault=fault, value=apart(made.value))))
            if made.problem:
                break
        wrong = [(seed, made) for seed, made in tried if made.fault]
        repeated = again([made.lent for _, made in tried])
        if wrong and not (self.once and len(wrong) < len(tried) and not tried[-1][1].problem):
            seed, made = wrong[0]
            own = None if made.problem or self.judge else own_numbers(made.value, self.key(**self.numbers(seed)), same)
            said = self._said(seed, made, self._held(function, tried), show, own, returns(function))
            return Result(said, 0.0, own).beside(prose(repeated))
        right = f"{self.many - len(wrong)} cases of {self.many}" + ", and one is enough" * bool(wrong)
        fault = self.form(function) if self.form else ""
        fault = fault or cut(function, self.key, self.numbers(self.seeds[0]), self.flows)
        if not fault and (wrote := next((made.wrote for _, made in tried if made.wrote), "")):
            fault = f"it also changes {wrote}, which belongs to the caller: work on a copy"
        if fault:
            return Result(prose(f"{self.name} does what it should: {right}. But {fault}."), 0.0)
        changed = next((_spoilt(made) for _, made in tried if made.changed), "")
        said = f"{self.name} is right: {right}.{changed}{self._at_the_edge(function)}"
        return Result(said, 1.0).beside(prose(repeated))

    def _at_the_edge(self, function: Callable[..., object]) -> str:
        """A word on the first case at the edge that comes out otherwise."""
        for case in self.edges():
            made, key = running.call(function, tuple(case.values())), self.key(**case)
            right = not self.judge(made.value, **case) if self.judge else same(made.value, key)
            if made.problem or not right:
                call = f"{self.name}({_arguments(case)})"
                got = "stops with an error" if made.problem else f"is {_inset(shown(made.value))}"
                return f"\n\nOne thing beside the cases, at the edge:\n  {call} {got}\n  and should be {shown(key)}"
        return ""

    def _call(self, function: Callable[..., object], seed: int | None, seconds: float) -> Call:
        given = self.numbers(seed)
        made = running.call(function, tuple(given.values()), max(seconds, 0), whole=running.PATIENCE)
        before = self.numbers(seed)
        changed = [name for name in given if not same(given[name], before[name])]
        own = lent(made.value, given.values())
        return made._replace(changed=next(iter(changed), ""), wrote=written_over(given, before), lent=own)

    def numbers(self, seed: int | None) -> dict[str, Any]:
        """The case of a seed; None: the example."""
        return dict(self.example() if self.example and seed is None else self.another(Random(seed)))

    @cached_property
    def seeds(self) -> list[int | None]:
        """The cases in the order in which they are tried: the example, then plain ones, then those with nothing in."""

        def oddness(seed: int | None) -> tuple[bool, int]:
            case = self.numbers(seed)
            return any(map(_bare, case.values())), len(_arguments(case))

        first: list[int | None] = [None] if self.example else []
        return first + sorted(range(self.many - len(first)), key=oddness)

    def asked(self, seed: int | None) -> str:
        """The call of a case, as text."""
        return f"{self.name}({_arguments(self.numbers(seed))})"

    def got(self, value: object, seed: int | None) -> str:
        """The answer that came of a case, as text."""
        return shown(value)

    def fault(self, value: object, seed: int | None) -> str:
        """Why a value is not right for a case, without telling what is; empty when it is right."""
        case = self.numbers(seed)
        if self.judge:
            return self.judge(value, **case)
        key = self.key(**case)
        return unfit(value, key) if same(value, key) else astray(value, key) or "not what should come out"

    def _held(self, function: object, tried: list[tuple[int | None, Call]]) -> Misconception | None:
        """The first misconception that answers as the function did in every case that it had an answer to.

        One that answers so in some cases alone explains nothing: there it may be chance. Where no answer tells, the
        source may.
        """

        def fits(m: Misconception, seed: int | None, value: object) -> bool:
            try:
                return self.alike(value, m.answer(**self.numbers(seed)))
            except (IndexError, RuntimeError, ValueError):  # what follows from the belief stops at this case
                return False

        def misleads(m: Misconception, seed: int | None) -> bool:
            return not fits(m, seed, self.key(**self.numbers(seed)))

        answered = [(seed, one.value) for seed, one in tried if not one.problem]
        for m in self.misconceptions:
            always = all(fits(m, seed, value) for seed, value in answered)
            if always and any(misleads(m, seed) for seed, _ in answered):
                return m
        source = tree(function)
        return next((m for m in self.misconceptions if source and m.seen and m.seen(source)), None)

    def _said(self, seed: int | None, made: Call, held: Misconception | None, show: bool, own: Own | None,
              returning: bool) -> str:  # fmt: skip
        which = "Its example" if seed is None else f"Case {self.seeds.index(seed) + 1} of {self.many}"
        lines = [f"{self.name} is not right yet. {which}:", "", f"  {self.asked(seed)}"]
        if made.problem:
            lines += ["", made.problem]
        else:
            lines += [f"  got       {_inset(self.got(made.value, seed))}", f"  wrong     {_inset(made.fault)}"]
            lines += [f"            {own.said}"] if own else []
        if show and not self.judge:
            lines += [f"  expected  {_inset(shown(self.key(**self.numbers(seed))))}"]
        if made.printed:
            lines += [f"  printed   {made.printed.rstrip()}"]
        if made.value is None and not made.problem:
            shows = " What print shows is not given back." if made.printed else ""
            why = "what it returns is None, or it ends without a return." if returning else "is a return missing?"
            lines += ["", f"It gives None back: {why}{shows}"]
        elif held:
            lines += ["", prose(str(held))]
        return "\n".join(lines) + _spoilt(made)

    def _written(self) -> str:
        code, names = inspect.getsource(self.model), self.model.__globals__
        library = sys.modules[__name__.partition(".")[0]]
        for name in self.model.__code__.co_names:
            if name not in names or getattr(library, name, None) is not names[name]:
                continue  # what a lesson calls by torch is named so
            code = re.sub(rf"(?<![\w.]){name}\b", f"torch.{name}", code)
        return f"One way to write it:\n\n{textwrap.indent(code, '  ')}".rstrip()


def written_over(given: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """The name of the first argument that holds other numbers than it did, or ""; a gradient does not count."""
    return next((name for name in given if not same(_numbers(given[name]), _numbers(before[name]))), "")


def _numbers(value: Any) -> object:
    """A tensor without what else it has; any other value as it is."""
    return value.detach() if hasattr(value, "detach") else value


def _bare(value: object) -> bool:
    """True for what has no numbers in it."""
    return plain(value) == () or getattr(value, "nbytes", 1) == 0


def _arguments(case: Mapping[str, Any]) -> str:
    return _inset(", ".join(f"{name}={shown(value)}" for name, value in case.items()))


def _spoilt(made: Call) -> str:
    """A word on an argument that the function changed, to stand after what else is said."""
    instead = "leave it as it is" if "." in made.changed else "work on a copy"
    return f"\n\nIt changes {made.changed}, which belongs to the caller: {instead}." if made.changed else ""


def _inset(text: str) -> str:
    """Text of several lines, such as a tensor's, at the place where it stands in a message."""
    return text.replace("\n", "\n" + " " * 12)

"""Every check of every lesson, and the wrong answers that a check has to live through."""

import importlib
import pkgutil
import sys

import rustyflow.lessons
from rustyflow.lessons import Blanks, Exercise, Question

KINDS = (Blanks, Exercise, Question)


def lessons():
    """The lessons' modules by name: those that hold checks."""
    names = [found.name for found in pkgutil.iter_modules(rustyflow.lessons.__path__)]
    modules = {name: importlib.import_module(f"rustyflow.lessons.{name}") for name in names}
    return {name: module for name, module in modules.items() if checks_of(module)}


def checks_of(module):
    """The checks of a lesson by name."""
    return {name: check for name, check in vars(module).items() if isinstance(check, KINDS)}


def every(kind):
    """All checks of a kind, as `lesson.check` and the check."""
    found = ((lesson, name, c) for lesson, module in lessons().items() for name, c in checks_of(module).items())
    return {f"{lesson}.{name}": check for lesson, name, check in found if isinstance(check, kind)}


class Hostile:
    """An object on which nothing works."""

    def _fails(self, *args, **kwargs):
        raise RuntimeError("nothing works on this object")

    __eq__ = __repr__ = __str__ = __bool__ = __iter__ = __len__ = __float__ = __getattr__ = __hash__ = _fails


class Mumble(Exception):
    def __str__(self):
        raise ValueError("cannot be said")


def knotted():
    knot = []
    knot.append(knot)
    return knot


def values():
    """Values that are no right answer to anything."""
    numbers = [True, -1, 10**30, 10**5000, float("nan"), float("inf"), 1j]
    words = ["", "Z", "<b>A</b>", "A" * 100_000, b"A"]
    groups = [[], (), {}, {1}, [[]], ((1, 2), (3,)), (None, None), ("a", "b"), range(3), list(range(100_000))]
    tensors = [rustyflow.tensor([-1.0, float("nan")]), rustyflow.zeros(0, 3)]
    return [*numbers, *words, *groups, *tensors, None, object(), int, len, sys, Hostile(), knotted(), [Hostile()]]


def functions():
    """Functions that go wrong in every way."""

    def forgets_to_return(*args):
        args[0]

    def recurses(*args):
        return recurses(*args)

    def loops(*args):
        while True: pass  # noqa: E701

    def loops_in_a_try(*args):
        while True:
            try:
                len(args)
            except Exception:
                pass

    def leaves(*args):
        sys.exit(3)

    def mumbles(*args):
        raise Mumble

    def shouts(*args):
        print("x" * 10_000)
        return "x"

    def takes_none():
        return 0

    def yields(*args):
        yield 0

    def divides(*args):
        return 1 / 0

    wrong = [forgets_to_return, recurses, loops, loops_in_a_try, leaves, mumbles, shouts, takes_none, yields, divides]
    return [*wrong, *[(lambda *args, value=value: value) for value in values()]]

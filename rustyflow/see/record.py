"""The steps of a program that runs once: what each statement made, wrote and let go, and in which round."""

import ast
import builtins
import contextlib
import linecache
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from .program import SAYS, Program, instrumented
from .watch import Memory, Seen, Watch

MOST = 2000
"""The most steps that are kept: the last ones."""

FREE, SHARE = 2.0, 0.5
"""The seconds after which looking takes no more than this share of the time in which the program runs."""

FILE = "<see.cell>"
"""The file that a program given as text is in, for its traceback."""

PLAIN = int, float, bool, str, type(None)


class Round(NamedTuple):
    """A round of a loop: the number of its statement, of the loop's run, and of the round in it."""

    loop: int
    run: int
    round: int


class Step(NamedTuple):
    """The outcome of one statement.

    Attributes:
        number: of the statement. rounds: those that it ran in, the outer first.
        tensors: all that are there after it.
        made, changed, gone: names. memories: what was written.
        plain: other values that it gave a name. unseen: the statements before it that were not looked at.
        next: the number of the statement that ran next, None at the end. error: what it raised.
    """

    number: int
    rounds: tuple[Round, ...]
    tensors: tuple[Seen, ...]
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    old: Mapping[str, Seen] = {}
    memories: tuple[Memory, ...] = ()
    plain: Mapping[str, str] = {}
    unseen: int = 0
    next: int | None = None
    error: str = ""


class Record:
    """The steps of a program; it is called with the number of each statement that begins.

    Attributes:
        steps: the last ones. ran: how many statements ran. totals: the rounds of each run of a loop.
        fault: what kept it from looking on, an error of ours, which is none of the reader's.
    """

    def __init__(self, program: Program, names: Mapping[str, Any], most: int = MOST):
        self.program, self.names = program, names
        self.steps: deque[Step] = deque(maxlen=most)
        self.ran, self.fault, self.over = 0, None, False
        self.totals: dict[tuple[int, int], int] = {}
        self.runs: dict[int, int] = {}
        self.rounds: list[Round] = []
        self.open: int | None = None
        self.inside: tuple[Round, ...] = ()
        self.unseen, self.spent, self.began = 0, 0.0, perf_counter()
        self.watch: Watch | None = None

    def __call__(self, number: int) -> None:
        """A statement begins: what the one before it made is looked at."""
        __tracebackhide__ = True  # a debugger steps over it
        if self.fault is None and not self.over:
            try:
                self._begin(number)
            except Exception as fault:
                self.fault = fault

    def end(self, error: BaseException | None = None) -> None:
        """The program has ended, by an error or not."""
        if self.fault is None and not self.over and self.open is not None:
            try:
                self._close(None, error)
            except Exception as fault:
                self.fault = fault
        self.over, self.watch = True, None

    def _begin(self, number: int) -> None:
        now = perf_counter()
        if self.watch is None:
            self.watch = Watch(self.names, self.program.names)
        elif self.spent > FREE and self.spent > SHARE * (now - self.began) and self.open is not None:
            self.unseen += 1  # the next look tells what this one has made, too
        else:
            self._close(number, None)
        self.ran += 1
        self.open, self.inside = number, self._rounds(number)
        self.spent += perf_counter() - now

    def _rounds(self, number: int) -> tuple[Round, ...]:
        """The rounds in which a statement begins; a loop's own begins one more, if there is one more."""
        statements = self.program.statements
        while self.rounds and not self.rounds[-1].loop <= number < statements[self.rounds[-1].loop].end:
            self.rounds.pop()
        if statements[number].is_loop:
            if self.rounds and self.rounds[-1].loop == number:
                last = self.rounds.pop()
                self.rounds.append(last._replace(round=last.round + 1))
            else:
                self.runs[number] = self.runs.get(number, 0) + 1
                self.rounds.append(Round(number, self.runs[number], 1))
        for around in self.rounds:  # a round counts once a statement of it begins, which may be a loop again
            if number in statements[around.loop].inner:
                self.totals[around.loop, around.run] = around.round
        return tuple(self.rounds)

    def _close(self, following: int | None, error: BaseException | None) -> None:
        """Looks at what the open statement has made."""
        if self.open is None:
            return
        before = self.watch.state
        state = self.watch.look()
        old, new = before.tensors, state.tensors
        binds = self.program.statements[self.open].binds
        written = tuple(m for m in state.memories.values() if m.written is None or len(m.written))
        made = [name for name, x in new.items() if x is not old.get(name) and (
            name not in old or x.tensor != old[name].tensor)]  # fmt: skip
        keys = {memory.key: memory for memory in written}
        keys = {memory.key: memory for memory in written}
        changed = [name for name, x in new.items() if name not in made and _changed(x, old[name], keys.get(x.key))]
        gone = tuple(sorted(old.keys() - new.keys() - binds))
        plain = {name: repr(value) for name in sorted(binds) if type(value := self.names.get(name)) in PLAIN}
        self.steps.append(Step(
            self.open, self.inside, tuple(new.values()), tuple(made), tuple(changed),
            gone, {name: old[name] for name in changed}, written,
            {name: text for name, text in plain.items() if len(text) < 24}, self.unseen, following, _told(error),
        ))  # fmt: skip
        self.unseen = 0


def _changed(x: Seen, old: Seen, written: Memory | None) -> bool:
    """True if a tensor is another than before: by its layout, its request for a gradient, or its numbers."""
    if x is old:
        return False
    if written is not None:
        return written.written is None or len(touched(written, x)) > 0
    return (x.shape, x.stride, x.offset, x.dtype, x.asks) != (old.shape, old.stride, old.offset, old.dtype, old.asks)


def _told(error: BaseException | None) -> str:
    """An error in words: its type, and its first line or the rule that it was raised by."""
    if error is None:
        return ""
    kind = next(kind for kind in type(error).__mro__ if not kind.__module__.startswith("rustyflow"))
    lines = str(getattr(error, "rule", "") or error).strip().splitlines()
    return ": ".join([kind.__name__, *lines[:1]])


def touched(memory: Memory, x: Seen) -> np.ndarray:
    """The slots of a tensor that were written, as far as that is known."""
    if x.key != memory.key or memory.written is None or not len(memory.written):
        return np.array([], int)
    return np.intersect1d(memory.written, x.slots())


@contextlib.contextmanager
def said_to(record: Record) -> Iterator[None]:
    """Meanwhile statements tell a record that they begin."""
    before = vars(builtins).get(SAYS)
    setattr(builtins, SAYS, record)
    try:
        yield
    finally:
        setattr(builtins, SAYS, before) if before else delattr(builtins, SAYS)


def recorded(text: str, names: dict[str, Any], most: int = MOST) -> Record:
    """Runs a program among some names, once, and returns its record; what it raises is raised.

    >>> names = {}
    >>> len(recorded("a = 1; b = a + 1", names).steps), names
    (2, {'a': 1, 'b': 2})
    """
    tree = ast.parse(text, FILE)
    record = Record(instrumented(tree, text), names, most)
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE
    bare = "__builtins__" not in names
    try:
        with said_to(record):
            exec(compile(tree, FILE, "exec"), names)
    finally:
        record.end(sys.exception())
        if bare:
            names.pop("__builtins__", None)
    return record

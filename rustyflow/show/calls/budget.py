"""A budget of time: work in a thread of its own, which is left when its time is over."""

import ctypes
import threading
from collections.abc import Callable
from typing import Any


class Over(SystemExit):
    """The time is over: no `except Exception` keeps work going, and a thread may end in it."""


class Work(threading.Thread):
    """A function at work beside us, so that a loop that never ends and a sleep hold nobody up.

    Portable, unlike a signal, and never for long: what cannot be stopped is left behind.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        super().__init__(name="work", daemon=True)
        self.function, self.arguments = function, arguments
        self.value: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Calls the function, and keeps its value or its error."""
        try:
            self.value = self.function(*self.arguments)
        except BaseException as error:
            self.error = error

    def stop(self) -> None:
        """Raises in it, until it ends; again, where a bare `except:` caught what was raised."""
        for _ in range(10):
            if not self.is_alive():
                return
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(Over))
            self.join(0.02)


def within(seconds: float, work: Callable[[], None]) -> bool:
    """Runs some work for so many seconds at most; true if it came to its end.

    Example:
        >>> done = []
        >>> within(5, lambda: done.append(1)), done
        (True, [1])
        >>> within(0.05, lambda: [done.append(2) for _ in iter(int, 1) if False])
        False
    """
    beside = Work(work)
    beside.start()
    try:
        beside.join(seconds)
        late = beside.is_alive()
    finally:  # where the reader interrupts as well
        beside.stop()
    if not late and beside.error is not None:
        raise beside.error
    return not late


def is_beside() -> bool:
    """True in a thread of work: what is global is then put back by the one who waits for it."""
    return isinstance(threading.current_thread(), Work)

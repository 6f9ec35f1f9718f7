"""A budget of time: work in a thread of its own, which is left when its time is over."""

import ctypes
import threading
from collections.abc import Callable


class Over(BaseException):
    """The time is over; no `except Exception` keeps work going."""


def within(seconds: float, work: Callable[[], None]) -> bool:
    """Runs some work for so many seconds at most; true if it came to its end.

    Work that is not done is told to end, and does so at its next step of Python; what it is waiting for until then, a
    long sum or a sleep, keeps nobody waiting but itself.

    Example:
        >>> done = []
        >>> within(5, lambda: done.append(1)), done
        (True, [1])
        >>> within(0.05, lambda: [done.append(2) for _ in iter(int, 1) if False])
        False
    """
    ended, errors = threading.Event(), list[BaseException]()

    def run() -> None:
        try:
            work()
        except Over:
            return
        except BaseException as error:  # raised again where it was asked for
            errors.append(error)
        ended.set()

    thread = threading.Thread(target=run, name="repairs", daemon=True)
    thread.start()
    if not ended.wait(seconds):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Over))
        return False
    if errors:
        raise errors[0]
    return True

"""The switch that records operations, one per thread, and the contexts and decorators that set it."""
from __future__ import annotations

import functools
from _thread import _local  # this is threading.local, without the 3 ms that all of threading takes

from ..errors import wrong_type

GENERATOR = 0x20
"""The flag of a code object that yields. (`inspect` would cost a third of the import.)"""


class _Mode(_local):
    enabled = True
    inference = False


mode = _Mode()


def is_grad_enabled() -> bool:
    """True if operations are being recorded in this thread.

    Source: https://pytorch.org/docs/stable/generated/torch.is_grad_enabled.html

    Example:
        >>> import rustyflow as rf
        >>> with rf.no_grad():
        ...     rf.is_grad_enabled()
        False
    """
    return mode.enabled


class set_grad_enabled:
    """Switch recording on or off: called, as `with`, or as a decorator. Per thread, nestable.

    Source: https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html

    Example:
        >>> import rustyflow as rf
        >>> with rf.set_grad_enabled(False):
        ...     rf.is_grad_enabled()
        False
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise wrong_type("set_grad_enabled", "mode", mode, "bool", "True or False")
        self.wanted, self.before = mode, is_grad_enabled()
        self.__enter__()

    def __enter__(self):
        mode.enabled = self.wanted
        return self

    def __exit__(self, *exc):
        mode.enabled = self.before

    def __call__(self, function):
        mode.enabled = self.before
        return _decorate(lambda: set_grad_enabled(self.wanted), function)


class no_grad:
    """Operations inside are not recorded. A context, and a decorator with or without parentheses.

    Source: https://pytorch.org/docs/stable/generated/torch.no_grad.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> with rf.no_grad():
        ...     (x * 2).requires_grad
        False
    """

    wanted = False

    def __new__(cls, function=None):
        self = super().__new__(cls)
        self.before = []
        return self if function is None else _decorate(cls, function)

    def __enter__(self):
        self.before.append(mode.enabled)
        mode.enabled = self.wanted

    def __exit__(self, *exc):
        mode.enabled = self.before.pop()

    def __call__(self, function):
        return _decorate(type(self), function)


class enable_grad(no_grad):
    """Operations inside are recorded, even within `no_grad`.

    Source: https://pytorch.org/docs/stable/generated/torch.enable_grad.html

    Example:
        >>> import rustyflow as rf
        >>> with rf.no_grad(), rf.enable_grad():
        ...     rf.is_grad_enabled()
        True
    """

    wanted = True


class inference_mode:
    """`no_grad` for code that surely needs no gradients; as `with`, or as a decorator with or without parentheses.

    inference_mode(False) records. Differs from PyTorch: a tensor made inside is like any other afterwards, so there is
    no `is_inference`; and nothing is faster than under `no_grad`, which costs no bookkeeping here either.
    Source: https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.ones(2, requires_grad=True)
        >>> with rf.inference_mode():
        ...     (x * 2).requires_grad
        False
    """

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        self.on, self.before = mode, []
        return _decorate(cls, mode) if callable(mode) else self

    def __enter__(self):
        self.before.append((mode.enabled, mode.inference))
        mode.enabled, mode.inference = not self.on, self.on

    def __exit__(self, *exc):
        mode.enabled, mode.inference = self.before.pop()

    def __call__(self, function):
        return _decorate(lambda: inference_mode(self.on), function)


def is_inference_mode_enabled() -> bool:
    """True if `inference_mode` is on in this thread.

    Source: https://pytorch.org/docs/stable/generated/torch.is_inference_mode_enabled.html

    Example:
        >>> import rustyflow as rf
        >>> with rf.inference_mode():
        ...     rf.is_inference_mode_enabled()
        True
    """
    return mode.inference


def _decorate(context, function):
    """The function, run inside a context; of a generator every step, but not what the caller does in between."""
    @functools.wraps(function)
    def inside(*args, **kwargs):
        with context():
            return function(*args, **kwargs)

    @functools.wraps(function)
    def stepwise(*args, **kwargs):
        generator = function(*args, **kwargs)
        ask = functools.partial(generator.send, None)
        try:
            while True:
                with context():
                    got = ask()
                try:
                    ask = functools.partial(generator.send, (yield got))
                except BaseException as error:
                    ask = functools.partial(generator.throw, error)
        except StopIteration as end:
            return end.value
    return stepwise if getattr(getattr(function, "__code__", None), "co_flags", 0) & GENERATOR else inside

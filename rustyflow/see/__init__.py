"""Your own line, PyTorch's too, as a figure, a cell line by line, and errors as pictures: `%load_ext rustyflow`.

Example:
    >>> import rustyflow as rf
    >>> from rustyflow import see
    >>> x = rf.arange(6).view(2, 3)
    >>> see("x.t()[1:]").scene.title
    'x.t()[1:]'
"""

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ..errors import ArgumentTypeError, ArgumentValueError, missing
from ..scene import Figure
from .look import look
from .record import recorded
from .stepper import figure

__all__ = ["cell", "see"]


def see(text: str, names: Mapping[str, Any] | None = None) -> Figure:
    """Draws the last operation of a line of Python, run on copies of what its names stand for.

    A product is drawn by `show.matmul`, a sign by `show.broadcast`, a view by `show.strides`, a reduction by
    `show.reduce`, a number that asks for gradients by `show.backward`, anything else by `show.op`. PyTorch's lines and
    NumPy's are run by rustyflow once more, and drawn if both come to the same numbers; else the figure says why not,
    and shows the result. Of tensors too large to draw it shows a small run. In a notebook: `%see x.t()[1:]`.

    Args:
        text: a line: an expression, an assignment, a write such as `x[0] = 1`.
        names: what its names stand for; default: the names of the caller.

    Raises:
        TypeError: no text. ValueError: no Python, or nothing with a value. AttributeError: a name that is not there.
        And what the line itself raises.

    Example:
        >>> import rustyflow as rf
        >>> x = rf.arange(12.).view(3, 4)
        >>> print(see("x.sum(1)").state(link="r1").sentence)
        4 cells along j become one number: x.sum(dim=1)[1] = 4 + 5 + 6 + 7 = 22.
    """
    if names is None:
        frame = sys._getframe(1)
        names = {**frame.f_globals, **frame.f_locals}
    return look(text, names)


def cell(text: str, names: dict[str, Any] | None = None) -> Figure:
    """Runs lines of Python as they are, once, and draws them step by step: what each one made or changed.

    A step lights its line and has the tensors, rustyflow's, PyTorch's or NumPy's: shape, dtype, whose memory each reads
    and which cells of it. Enter on one opens its figure as it was then. Rounds of a loop but the first and the last are
    details; a call is one step; of more than 2,000 steps the last are kept. In a notebook: `%%see` over the lines.

    Args:
        text: the lines; what they do is done. names: where they run; default: the globals of the caller.

    Raises:
        TypeError: no text. ValueError: nothing in it that runs. SyntaxError: no Python. And what the lines raise.

    Example:
        >>> import rustyflow as rf
        >>> print(cell("x = rf.arange(6).view(2, 3)\\ny = x.t()\\ny[0] = 7", {"rf": rf}))
        %%see
          3 lines of rustyflow, run once.
        1. Line 1 makes x: shape (2, 3), new memory for 6 numbers.
        2. Line 2 makes y: shape (3, 2), a view of x: nothing is copied.
        3. Line 3 writes 2 of 6 numbers through y: x reads it too, and changes with it.
    """
    if not isinstance(text, str):
        rule = "see.cell takes lines of Python as text"
        raise ArgumentTypeError(f"see.cell({text!r:.60})", rule, 'see.cell("y = x.t()")', value=text)
    picture = figure(recorded(text, sys._getframe(1).f_globals if names is None else names))
    if picture is None:
        rule = "there is no line in it that runs"
        raise ArgumentValueError(f"see.cell({text[:60]!r})", rule, 'see.cell("y = x.t()")')
    return picture


def load_ipython_extension(shell: Any) -> None:
    """Loads the extension into IPython, as `%load_ext rustyflow` does."""
    from .extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Unloads it again, as `%unload_ext rustyflow` does."""
    from .extension import unload

    unload(shell)


class _Callable(ModuleType):
    """The room itself as the function: `from rustyflow import see`, then `see("x.t()")`."""

    def __call__(self, text: str, names: Mapping[str, Any] | None = None) -> Figure:
        if names is None:
            frame = sys._getframe(1)
            names = {**frame.f_globals, **frame.f_locals}
        return see(text, names)


sys.modules[__name__].__class__ = _Callable


def __getattr__(name: str) -> Any:
    missing(__name__, name, __all__)


def __dir__() -> list[str]:
    return __all__

"""The extension of IPython: `%load_ext rustyflow` gives `%see`, `%%see`, and errors of tensors a picture."""

import re
import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import TensorError
from .exhibit import bundle, exhibit, told
from .failure import KINDS
from .line import Line, read
from .look import FAULTS, look
from .stepping import USAGE, Stepping

COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_loaded: "WeakKeyDictionary[Any, Extension]" = WeakKeyDictionary()


def load(shell: Any) -> None:
    """Gives a shell the magics and the pictures; a second time nothing more."""
    if shell not in _loaded:
        _loaded[shell] = Extension(shell)


def unload(shell: Any) -> None:
    """Takes them away again: the shell is as it was."""
    if shell in _loaded:
        _loaded.pop(shell).leave()


class Extension:
    """All that a shell has of ours while the extension is loaded, and had in its place before."""

    def __init__(self, shell: Any):
        self.shell, self.pictures = shell, True
        kept = shell.magics_manager.magics
        self.had = {(kind, name): kept[kind].get(name) for kind, name, _ in self.magics}
        for kind, name, magic in self.magics:
            shell.register_magic_function(_unexpanded(magic), kind, name)
        self.before = shell.custom_exceptions, shell.CustomTB
        # an earlier extension's kinds are still caught, and handed on to it
        kinds = tuple(dict.fromkeys((*self.before[0], *KINDS)))
        shell.set_custom_exc(kinds, lambda *error, **more: self.caught(*error[1:], **more))
        self.ours = shell.CustomTB
        self.stepping = Stepping(shell)
        self.xray = _xray(shell)
        _warm()

    def leave(self) -> None:
        """Puts back what was there; what another extension has put in our place stays."""
        kept = self.shell.magics_manager.magics
        for (kind, name), had in self.had.items():
            kept[kind].pop(name, None)
            if had is not None:
                kept[kind][name] = had
        self.pictures = False
        if self.xray is not None:
            self.xray.close()
        if self.shell.CustomTB == self.ours:
            self.shell.custom_exceptions, self.shell.CustomTB = self.before

    # -- magics ------------------------------------------------------------------------------------------------------

    @property
    def magics(self) -> tuple[tuple[str, str, Callable], ...]:
        """The magics that the shell gets: the kind of each, its name, and its function."""
        return ("line", "see", self.see), ("line", "exhibits", self.exhibits), ("cell", "see", self.steps)

    def steps(self, line: str, cell: str) -> None:
        """Runs a cell as it is, once, and shows it line by line: `%%see`, and the lines under it.

        Each step lights a line, and has the tensors that it made or changed: shape, dtype, whose memory they read, and
        which cells of it. Enter on one opens its figure as it was then. Rounds of a loop but the first and the last are
        folded (d opens them), a call of a function is one step, and of more than 2,000 steps the last are kept. What
        awaits runs, in a notebook, in an event loop of its own.
        """
        if line.strip() or not cell.strip():
            from IPython.core.error import UsageError

            raise UsageError(USAGE)
        self.stepping.run(cell, self.ours)

    def see(self, text: str) -> Any:
        """Draws the last operation of a line: `%see x.t()[1:]`, `%see y = x @ w`; where it fails, what was refused.

        `%%see` over a cell runs all of its lines, and steps through them: `%%see?` tells more.
        """
        line: Line | None = None
        if not text.strip():
            print("%see takes a line whose last operation is drawn: %see x.t()[1:], %see y = x @ w")
            return None
        try:
            line = read(text)
            return look(text, self.shell.user_ns)
        except FAULTS as error:
            if line is not None and (picture := exhibit(error, line)) is not None:
                return picture
            from IPython.core.error import UsageError  # which is shown without our frames

            raise UsageError(_sentence(error)) from None

    def exhibits(self, word: str) -> None:
        """Turns pictures of errors off or on: `%exhibits off`."""
        if word.strip() not in ("on", "off", ""):
            print("%exhibits takes on or off", file=sys.stderr)
        self.pictures = word.strip() == "on" if word.strip() in ("on", "off") else self.pictures

    # -- errors ------------------------------------------------------------------------------------------------------

    def caught(self, kind: type, error: BaseException, trace: Any, tb_offset: int | None = None) -> list[str]:
        """Shows an error: with its picture, if it has one; then by an earlier extension's way, or as ever."""
        self.stepping.failed(error)
        earlier = self.before[1] if issubclass(kind, self.before[0] or ()) else None
        picture = self._picture(error)
        if earlier is not None:
            earlier(kind, error, trace, tb_offset=tb_offset)
        elif picture is None:
            return self._as_ever(kind, error, trace, tb_offset)
        kind, error, trace = self.shell._get_exc_info((kind, error, trace))  # which %debug asks for
        lines = self._traceback(kind, error, trace, tb_offset)
        if picture is not None and _is_notebook(self.shell):
            self.shell._last_traceback = lines  # what the kernel's reply tells of the error
            plain = COLOUR.sub("", self.shell.InteractiveTB.stb2text(lines))
            self.shell.display_pub.publish(bundle(picture, error, plain))
        elif picture is not None:
            if earlier is None:
                self.shell._showtraceback(kind, error, lines)
            print(told(picture))
        if self.shell.call_pdb and earlier is None:
            self.shell.debugger(force=True)
        return lines

    def _as_ever(self, kind: type, error: BaseException, trace: Any, tb_offset: int | None) -> list[str]:
        """Shows an error by IPython's own way, as if nothing were loaded."""
        kinds, self.shell.custom_exceptions = self.shell.custom_exceptions, ()
        try:
            self.shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        finally:
            self.shell.custom_exceptions = kinds
        return getattr(self.shell, "_last_traceback", None) or []

    def _traceback(self, kind: type, error: BaseException, trace: Any, offset: int | None) -> list[str]:
        if hasattr(error, "_render_traceback_"):
            return error._render_traceback_()
        return self.shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=offset)

    def _picture(self, error: BaseException) -> Any:
        """The picture of an error; a fault of ours in it hides no error of the reader's."""
        if not self.pictures:
            return None
        try:
            return exhibit(error)
        except Exception:
            return None


def _sentence(error: Exception) -> str:
    """An error in words: ours as they are, another's first line after its name."""
    if isinstance(error, TensorError):
        return str(error)
    return ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])


def _unexpanded(magic: Callable) -> Callable:
    """A magic whose line is taken as it is: braces and dollars in it are the reader's."""
    from IPython.core.magic import no_var_expand

    def call(*text: str) -> Any:
        return magic(*text)

    call.__doc__ = magic.__doc__
    return no_var_expand(call)


def _xray(shell: Any) -> Any:
    """The listener for Alt+X in a notebook; where the extra is missing, that is said."""
    if not _is_notebook(shell):
        return None
    try:
        from .xray import XRay
    except ModuleNotFoundError as error:
        print(f"%see and pictures of errors are there. Alt+X is not: {error}")
        return None
    return XRay(shell)


def _is_notebook(shell: Any) -> bool:
    """True where outputs can be pictures."""
    return hasattr(shell, "kernel")


def _warm() -> None:
    """Does once what the first picture of an error would have to wait for, in each library that is there."""
    for tensor in (sys.modules[name].ones for name in ("rustyflow", "torch") if name in sys.modules):
        try:
            look("x + y", {"x": tensor(2, 3), "y": tensor(2)})
        except RuntimeError as error:
            exhibit(error, read("x + y"), 5.0)

"""A line run on copies: the parts of its last operation, each once, then the operation itself."""

import ast
import contextlib
import io
import random
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..claims.digits import spell
from ..errors.foreign import is_torch
from ..ops.creation.foreign import read
from ..random import get_rng_state, set_rng_state
from ..show.calls.budget import is_beside
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad
from .line import Line, Part, copied, opened
from .outside import refuse
from .twins import MOST, OURS, Space, Twins
from .watch import version_of

FILE, DRAWING = "<see>", "<drawing>"
"""The files that a line which is run on copies is in, and a call that draws what it gave, for their tracebacks."""


class Run(NamedTuple):
    """A line that was run: its last operation with holes, their parts and values, and its result.

    `space` has the names that it used, `wrote` the texts of the parts that the operation wrote into: their values are
    those of before.
    """

    form: ast.expr
    parts: Sequence[Part]
    values: Sequence[Any]
    result: Any
    space: Space
    wrote: tuple[str, ...] = ()

    def again(self, *values: Any) -> "Run":
        """Runs the last operation with other values in its holes."""
        return operated(self.form, self.parts, values, self.space)


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Meanwhile nothing is printed or warned of, and all random numbers go on as before afterwards.

    Gradients are recorded. In a thread of work, which may go on when nobody waits for it any more, that is all: the one
    who waits is aside.
    """
    torch = sys.modules.get("torch")
    recorded = torch.enable_grad() if torch else contextlib.nullcontext()
    if is_beside():
        with enable_grad(), recorded:
            yield
        return
    ours, numpys, pythons = get_rng_state(), np.random.get_state(), random.getstate()
    theirs = torch and torch.get_rng_state()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), \
            warnings.catch_warnings(), enable_grad(), recorded:
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            set_rng_state(ours)
            np.random.set_state(numpys)
            random.setstate(pythons)
            if torch:
                torch.set_rng_state(theirs)


def evaluated(node: ast.expr, space: Space, local: Mapping[str, Any] | None = None, file: str = FILE) -> Any:
    """The value of an expression in a space, with some names more."""
    code = compile(ast.fix_missing_locations(ast.Expression(node)), file, "eval")
    return eval(code, space, Local(space, local or {}))


def executed(program: ast.Module, space: Space, local: Mapping[str, Any] | None = None) -> None:
    """Runs statements in a space, with some names more."""
    exec(compile(ast.fix_missing_locations(program), FILE, "exec"), space, Local(space, local or {}))


class Local(dict):
    """A few names before those of a space: for globals Python asks no `__missing__`."""

    def __init__(self, space: Space, names: Mapping[str, Any]):
        super().__init__(names)
        self.space = space

    def __missing__(self, name: str) -> Any:
        return self.space[name]


def run(line: Line, readers: Mapping[str, Any], twins: Twins) -> Run:
    """Runs a line on twins of what a reader's names stand for.

    Raises:
        NotCopied: no copy can be made of one of them. And what the line raises.
    """
    with aside():
        if twins.ours and twins.foreign:
            set_rng_state(OURS.tensor(sys.modules["torch"].get_rng_state().numpy()))
        space = twins.space(readers)
        form, parts = opened(line.text, line.node)
        try:
            values = [evaluated(copied(part.node), space) for part in parts]
            return operated(form, parts, values, space)
        except SystemExit:  # the line's, not the program's that looks at it
            refuse("SystemExit")


def operated(form: ast.expr, parts: Sequence[Part], values: Sequence[Any], space: Space) -> Run:
    """Runs an operation on the values of its parts, and keeps what it wrote into as that was before."""
    before = [*map(_before, values)]
    versions = [version_of(x) if old is not x else 0 for x, old in zip(values, before)]  # what acts is not asked
    result = evaluated(form, space, {part.hole: x for part, x in zip(parts, values)})
    wrote = [old is not x and (x.tobytes() != old.tobytes() if isinstance(x, np.ndarray) else version_of(x) != version)
             for x, version, old in zip(values, versions, before)]  # fmt: skip
    kept = [old if changed else x for x, old, changed in zip(values, before, wrote)]
    return Run(form, parts, kept, result, space, tuple(part.text for part, yes in zip(parts, wrote) if yes))


def _before(x: Any) -> Any:
    """A copy of a tensor or an array that an operation might write into, anything else itself."""
    if isinstance(x, np.ndarray):
        return x.copy() if x.size <= MOST else x
    return x.clone() if (isinstance(x, Tensor) or is_torch(x)) and x.numel() <= MOST else x


def tensors_in(value: Any) -> list[Any]:
    """The tensors and arrays in a value, in order."""
    if isinstance(value, Tensor | np.ndarray) or is_torch(value):
        return [value]
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [x for part in inside for x in tensors_in(part)]


def misfit(theirs: Any, ours: Any) -> str:
    """Says how far our result is another than theirs; "" where both come to the same.

    >>> misfit([1, np.ones(2)], [1, np.ones(2)]), misfit(np.ones(2), np.array([1, 1.5])), misfit(1, 2)
    ('', '1.5 and not 1', '2 and not 1')
    """
    theirs, ours = _numbers(theirs), _numbers(ours)
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        if theirs.shape != ours.shape:
            return f"a result of shape {ours.shape} and not {theirs.shape}"
        close = 1e-4 if theirs.dtype.itemsize <= 4 else 1e-9
        near = np.isclose(theirs.astype(complex), ours.astype(complex), close, close / 10, equal_nan=True)
        if not near.all():
            at = tuple(np.argwhere(~near)[0]) if near.shape else ()
            return f"{spell(ours[at].item(), 6)} and not {spell(theirs[at].item(), 6)}"
        return ""
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return next(filter(None, map(misfit, theirs, ours)), "")
    known = int, float, str, bool
    return f"{ours!r:.40} and not {theirs!r:.40}" if isinstance(theirs, known) and theirs != ours else ""


def _numbers(value: Any) -> Any:
    """A result to compare: its tensors as arrays, its rows as lists."""
    if isinstance(value, Tensor):
        return value.detach().numpy()
    if is_torch(value):
        return read(value.detach(), every=True)
    if isinstance(value, Mapping):
        return [*map(_numbers, value.values())]
    return [*map(_numbers, value)] if isinstance(value, list | tuple) else value

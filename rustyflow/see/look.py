"""A reader's line as a figure: run on copies, compared with what its own library gives, then drawn."""

import ast
import builtins
from collections.abc import Mapping
from difflib import get_close_matches
from math import prod
from typing import Any

import numpy as np

from .. import show
from ..errors import ArgumentValueError, UnknownName
from ..errors.foreign import is_torch
from ..scene import Figure
from ..show.kit.widened import noted as with_more
from ..show.words.sentences import listed
from .choose import Picture, figure
from .line import Line, read
from .outside import NotCopied, TooMany, refuse
from .run import FILE, Run, aside, misfit, run, tensors_in
from .smaller import huge, shrinkings, shrunk, sizes_of, small_lines, told
from .twins import Twins

FAULTS = (Exception,)
"""What running or drawing a line may raise that does not end the program."""


FOLLOWED = 400
"""The most cells of an operation that is followed as it is; of more a small run is, if there is one."""


def look(text: str, readers: Mapping[str, Any]) -> Figure:
    """Returns the figure of a line, with the values that a reader's names have.

    Raises:
        ArgumentTypeError (a TypeError): no text. ArgumentValueError (a ValueError): no Python, or nothing to draw.
        UnknownName (an AttributeError): a name that is not there. And what the line itself raises.

    Example:
        >>> import rustyflow as rf
        >>> print(look("y = x.t()[1:]", {"x": rf.arange(6).view(2, 3)}))
        y = x.t()[1:]
        ...
    """
    line = read(text)
    _known(line, readers)
    if isinstance(line.node, ast.Call) and getattr(line.node.func, "attr", "") == "backward":
        of = ast.unparse(line.node.func.value)
        fix = f"%see {of}, which draws the way back, or %%see over the line, which runs it and shows each gradient"
        raise ArgumentValueError(f"{line.text[:60]!r}", "backward gives no tensor: it writes gradients", fix)
    if _is_path(line.node) and _is_kept(line.node, readers):
        return _as_it_is(line, readers)
    try:
        first = _run(line, readers, Twins(ours=False))
    except TooMany as much:
        return _small(line, readers, much)
    return _compared(line, readers, first)


def _known(line: Line, readers: Mapping[str, Any]) -> None:
    """Refuses a name that is not there."""
    parts = [*ast.walk(line.node)]
    named = [part for part in parts if isinstance(part, ast.Name)]
    bound = {part.id for part in named if not isinstance(part.ctx, ast.Load)}
    bound |= {part.arg for part in parts if isinstance(part, ast.arg)}
    known = {*readers, *vars(builtins), *bound, "__written__"}
    for part in named:
        if part.id not in known:
            near = get_close_matches(part.id, [*readers], 1)
            fix = f"{near[0]}, if that is meant" if near else f"{part.id} = ... in a cell before it"
            raise UnknownName(f"{line.text[:60]!r}: name {part.id!r} is not defined", fix, part.id)


def _is_path(node: ast.expr) -> bool:
    """True for what only names a value: `loss`, `self.weight`, `batches[0]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return False
        if isinstance(node, ast.Attribute) and node.attr in ("T", "mT", "H", "mH"):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _is_kept(node: ast.expr, readers: Mapping[str, Any]) -> bool:
    """True where a path reads what values keep: no property and no `__getitem__` of a reader's is run for it."""
    if isinstance(node, ast.Name):
        return True
    if not _is_kept(node.value, readers):
        return False
    holder = eval(compile(ast.Expression(node.value), FILE, "eval"), dict(readers))
    if isinstance(node, ast.Subscript):
        return type(holder) in (list, tuple, dict)
    if tensors_in([holder]) == [holder]:
        return True
    kept = getattr(holder, "__dict__", {})
    return node.attr in kept or any(node.attr in kept.get(key, ()) for key in ("_parameters", "_buffers", "_modules"))


def _as_it_is(line: Line, readers: Mapping[str, Any]) -> Figure:
    """A value that is there, for which nothing has to be run."""
    names = dict(readers)
    value = eval(compile(ast.Expression(line.node), FILE, "eval"), names)
    space = Twins(ours=False).space(readers)
    space.update({name: x for name, x in readers.items() if not name.startswith("_") and tensors_in([x]) == [x]})
    picture = Picture(line, Run(line.node, (), (), value, space))
    if is_torch(value) and value.grad_fn is not None and not value.dim():
        return picture.draw(show.graph, value, texts=[line.text])
    return picture.backward() or _drawn_values(line, picture)


def _drawn_values(line: Line, picture: Picture) -> Figure:
    try:
        return picture.values()
    except LookupError:
        was = f"{line.text[:60]!r} is {picture.run.result!r:.60}"
        acts = isinstance(line.node, ast.Call) and picture.run.result is None
        fix = "%%see over the line, which runs it and shows what it writes" if acts else "x + 1"
        raise ArgumentValueError(was, "a figure is of tensors, and there is none in this line", fix) from None


def _run(line: Line, readers: Mapping[str, Any], twins: Twins) -> Run:
    called = {part.attr for part in ast.walk(line.node) if isinstance(part, ast.Attribute)}
    if effect := next(iter(called & EFFECTS), ""):
        refuse(f"{effect}(...)")
    if large := huge(line.node):
        raise TooMany(f"{large[0]:,} in {line.text[:60]!r}", "a line is run again on copies", "a smaller number")
    return run(line, readers, twins)


def _compared(line: Line, readers: Mapping[str, Any], first: Run) -> Figure:
    """The figure of a line that has run on copies; of one that writes into a tensor it says so."""
    picture = _of_first(line, readers, first)
    if not first.wrote:
        return picture
    names = listed([*first.wrote])
    return noted(picture, f"The line writes into {names}, in place: here {names} still "
                          f"{'has' if len(first.wrote) == 1 else 'have'} the numbers of before.")  # fmt: skip


def _of_first(line: Line, readers: Mapping[str, Any], first: Run) -> Figure:
    """The figure of a line that has run on copies, once ours come to the same."""
    if not tensors_in([first.result, *first.values]) and not hasattr(first.result, "named_parameters"):
        return _drawn_values(line, Picture(line, first))
    twins = first.space.twins
    if not twins.foreign and not twins.arrays:
        return _fitting(line, first, first)
    again = Twins(ours=True)
    again.foreign = twins.foreign
    try:
        second = _run(line, readers, again)
        why = misfit(first.result, second.result)
        if not why:
            return _fitting(line, first, second)
        why = f"run again by rustyflow it comes to {why}"
    except FAULTS as error:
        why = _why(error)
    drawn = None if twins.foreign else figure(line, first, None)  # NumPy's arrays are drawn as they are
    return drawn or _left(line, first, why)


def _fitting(line: Line, first: Run, second: Run) -> Figure:
    """The figure of a line, or of a small run of its last operation where the cells are too many."""
    try:
        whole = figure(line, first, second, follow=_cells(second) <= FOLLOWED)
    except LookupError:
        return _drawn_values(line, Picture(line, second))
    if whole is not None and (len(whole.frames) > 1 or not _sized(second)):
        return whole
    for to in shrinkings(_sized(second)):
        try:
            with aside():
                mine, theirs = (_again(side, to) for side in (second, first))
            if not misfit(theirs.result, mine.result):
                small = figure(line, theirs, mine)
                if len(small.frames) > 1:
                    cut = {*sizes_of(second.values)}
                    return noted(small, told({n: few for n, few in to.items() if n in cut} or to))
        except FAULTS:
            continue
    whole = whole or figure(line, first, second)
    return whole if len(whole.frames) > 1 else noted(Picture(line, second).values(), whole.state(0).sentence)


def _cells(side: Run) -> int:
    """The number of cells that an operation takes and makes."""
    return sum(prod(x.shape) for x in tensors_in([*side.values, side.result]))


def _sized(side: Run) -> list[int]:
    return sizes_of([*side.values, side.result])


def _again(side: Run, to: Mapping[int, int]) -> Run:
    values = [_detached(shrunk(value, to)) for value in side.values]
    return side.again(*values)


def _detached(value: Any) -> Any:
    """A small part as a tensor by itself, which asks for a gradient where it does."""
    if not hasattr(value, "requires_grad"):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def _small(line: Line, readers: Mapping[str, Any], much: TooMany) -> Figure:
    """The figure of a line of too many numbers: of a small run, or where it only reads, of windows."""
    if is_view(line.node):
        with aside():
            first = run(line, readers, Aliases())
        return figure(line, first, first)
    for small, fewer, to in small_lines(line, readers):
        try:
            return noted(_compared(small, fewer, _run(small, fewer, Twins(ours=False))), told(to))
        except FAULTS:
            continue
    raise much


EFFECTS = {*"save savez savetxt tofile dump to_csv".split()}
"""The calls of which something stays outside of Python."""

VIEWS = """t view permute transpose unsqueeze squeeze expand diagonal narrow select movedim swapaxes unfold swapdims
expand_as view_as ravel flatten chunk split unbind detach as_strided T mT""".split()


def is_view(node: ast.expr) -> bool:
    """True for what only reads: views of a name, whose numbers no step copies."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value, attr=attr):
            return attr in VIEWS and is_view(value)
        case ast.Call(func=ast.Attribute() as func):
            return is_view(func) and not huge(node)
        case ast.Subscript(value=value, slice=index):
            return is_view(value) and not any(isinstance(part, ast.Name) for part in ast.walk(index))
    return False


class Aliases(Twins):
    """Tensors themselves, cut from their history: for lines that read alone."""

    def __init__(self):
        super().__init__(ours=False)

    def _tensor(self, x: Any, name: str) -> Any:
        return x.detach()

    def _array(self, x: np.ndarray, name: str) -> Any:
        return x


def _why(error: Exception) -> str:
    """The reason that a line is not run again, on one line."""
    if isinstance(error, NotCopied):
        return f"{error.was}: {error.rule}"
    lines = str(error).strip().splitlines() or [type(error).__name__]
    rule = getattr(error, "rule", "")
    return f"{lines[0]}: {rule}" if rule else f"{type(error).__name__}: {lines[0]}"


def _left(line: Line, first: Run, why: str) -> Figure:
    """The figure of a line that rustyflow cannot run again: its views, or results, or graph."""
    picture = Picture(line, first)
    sentence = f"How it was computed is not drawn: {why}."
    y = first.result
    if is_torch(y) and y.grad_fn is not None and not y.dim():
        return noted(show.graph(y, title=picture.title), sentence)
    try:
        return noted(picture.view() or picture.values(), sentence)
    except LookupError:
        raise ArgumentValueError(f"{line.text[:60]!r}", why, "a line of tensors") from None


def noted(picture: Figure, sentence: str) -> Figure:
    """A figure that says something more, before all else."""
    return Figure(with_more(picture.scene, sentence))

"""show.strides: how a tensor and its views read one line of memory."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ...errors import ArgumentValueError, TensorError
from ...scene import Figure, Scene, draw
from ..source import Source, shares, source_of, storage_of
from ..words.caller import caller_text
from ..words.given import Names, named, titled
from ..words.sentences import names_in
from .change import Asked, asked
from .picture import PREFIXES, TAPES, whole
from .story import StridesStory


def strides(
    x: Any, *views: Any, view: Sequence[int] | int | None = None, names: Names = None, title: str | None = None,
) -> Figure:  # fmt: skip
    """Shows how tensors read their storage: memory as a tape, each tensor as a grid, cells joined to slots.

    Point at a cell to see the slot it reads and the sum; point at a slot to see every cell of every view that reads it.
    Of several views each step goes from one to the next: the tape stays, cells move to where they are read now.

    Args:
        x: a rustyflow tensor, a NumPy array or a PyTorch tensor, of any shape.
        views: more of them; those that share the storage of `x` share its tape, a copy gets a tape of its own.
        view: a shape: whether `x.view(shape)`, which NumPy calls `x.reshape(shape)`, can be without a copy; if not,
            which axes cannot merge, and what `reshape` copies.
        names: what to call them, ["x", "y"] or {"y": y}; default: the names in the calling line.
        title: the title; default: the tensors as the call has them, or the assignments of the same cell that made them.

    Raises:
        TypeError: an argument is no tensor or array; a name or a title that is no text. ValueError: another number of
        names than tensors; more tensors than one with `view`. ShapeError (a RuntimeError): a `view` of another number
        of cells.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> x = np.arange(12).reshape(3, 4)
        >>> figure = rf.show.strides(x.T[1:, :2], names=["y"], title="y = x.T[1:, :2]")
        >>> print(figure.state(link="a5").sentence)
        y[2, 1] is slot 7, value 7; x sees it as x[1, 3].
        >>> figure.state(link="s7").classes["a5"]
        ('cell', 'lit')
    """
    tensors = (x, *views)
    caller, title = caller_text(tensors), titled(title)
    called = named(names, tensors, caller.names(tensors, "xyzuvw" if views else "xtyzuvw"))
    sources = list(map(source_of, tensors, called))
    others = [(name, v) for name, v in caller.variables.items() if shares(name, v, sources)]
    others = [(name, v) for name, v in others if not any(v is tensor for tensor in tensors)]
    also = {s.storage: [name for name, v in others if storage_of(v) == s.storage][:2] for s in sources}
    if view is not None:
        return _asked(sources, view, title, also, caller.letters(called) if names is None else ())
    title, programs = title or caller.title(called), caller.expressions
    kin = {name: _drawable(v, name) for name, v in others if name != sources[0].name}
    alike = [source for source in kin.values() if source and source.size == sources[0].size]
    origin = next((s for s in alike if programs[0].startswith((f"{s.name}.", f"{s.name}["))), None)
    if views:
        programs = [code or name for code, name in zip(programs, called)] if names is None else called
        origin = origin or next((s for s in (*alike, *sources) if s.storage == sources[0].storage and whole(s)), None)
        return Figure(scene_of(sources, (), title, also, programs, origin=origin))
    # they see elements of another size, or what is no number
    also = {sources[0].storage: [name for name, s in kin.items() if s not in alike][:2]}
    # first the one that it was made of, then the one that reads all of the storage in order
    alike.sort(key=lambda s: (s is not origin, s.numel != s.size, not s.contiguous))
    return Figure(scene_of(sources, alike[:3], title, also, programs, origin=origin))


def _drawable(x: Any, name: str) -> Source | None:
    """The source of another tensor on a storage that is drawn; None of one that no figure is drawn of."""
    try:
        return source_of(x, name)
    except TensorError:
        return None


def _asked(
    sources: Sequence[Source], size: Sequence[int] | int, title: str | None, also: Mapping[tuple, Sequence[str]],
    stands: Sequence[str] = (),
) -> Figure:  # fmt: skip
    """Returns the figure of a tensor and the view that is asked for, or the copy in its place.

    `stands`: what the tensor's letter stands for.
    """
    if len(sources) > 1:
        was = f"view={size} with {len(sources)} tensors"
        raise ArgumentValueError(was, "one tensor is asked for a view", "show.strides(x, view=(2, 6))")
    got = asked(sources[0], size)
    title = title or ",  ".join([got.code, *filter(None, stands)])
    return Figure(scene_of([sources[0], got.source], (), title, also, wanted=got))


def scene_of(
    sources: Sequence[Source], kin: Sequence[Source] = (), title: str = "",
    also: Mapping[tuple, Sequence[str]] | None = None, programs: Sequence[str] = (), wanted: Asked | None = None,
    origin: Source | None = None,
) -> Scene:  # fmt: skip
    """The scene of some tensors; default title: their names.

    Other tensors on a storage are named without being drawn: `kin` on the one storage of one tensor, and seen where it
    reads the same; `also` on any, by its identity, by their names alone. `programs` say how each was made, and of
    which `origin`, that is not drawn, the first. The last of two may be what was `wanted` as a view of the first.
    """
    storages = dict.fromkeys(source.storage for source in sources)
    if len(sources) > len(PREFIXES) or len(storages) > len(TAPES):
        raise ArgumentValueError(
            f"{len(sources)} tensors with {len(storages)} storages",
            f"at most {len(PREFIXES)} tensors with {len(TAPES)} storages fit into one figure",
            "show fewer at once",
        )
    for source in sources:
        first = next(other for other in sources if other.storage == source.storage)
        if first.size != source.size:  # then they count its slots in elements of another size
            raise ArgumentValueError(
                f"{first.name} ({first.dtype}) and {source.name} ({source.dtype}) see one memory in elements of "
                "different sizes", "the slots of a tape are of one size: a stride counts elements",
                f"show.strides({first.name}) and show.strides({source.name})",
            )  # fmt: skip
    names = [source.name for source in sources]
    title = title or ",  ".join(names)
    others = [source.name for source in kin], *(also or {}).values()
    with draw.lettered(names_in([title, *names, *programs, *chain(*others)])):
        return StridesStory(sources, kin, title, also or {}, programs or names, wanted, origin).scene()

"""The world of a figure of one operation, which is run once more on copies of its operands that track."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...ir.names import Names, named_tensors
from ...ops.creation import from_numpy
from ...scene import Unfolds
from ...tensor import Tensor
from ...tensor.gradmode import enable_grad
from ...unfold import Number, Place, World
from ...unfold.gradient import Gradients
from ...unfold.source import Source as Known
from ..source import Source
from .alignment import Index
from .unfold import unfolds

NEAR = 1e-4, 1e-6
"""How near what the run gives comes to what is drawn, relative and absolute."""


ORDER = "first", "second", "third", "fourth", "fifth", "sixth", "seventh"


class Tracked(World):
    """The numbers of one operation: of its result, of its operands, and of what flows back to these.

    An operand that an operation made opens further, through the program's own graph. No gradient goes there, and none
    of the program's hooks is called.

    Args:
        result: as it came out of the run. operands: the copies in it. sources: what these stand for. name: of the
            result. gradient: what arrives there, None where nothing flows. arrives: its name. variables: of the
            program, for names of what made an operand.
    """

    def __init__(
        self, result: Tensor, operands: Sequence[Any], sources: Sequence[Source], name: str, gradient: Any = None,
        arrives: str = "g", variables: Mapping[str, Any] | None = None,
    ):  # fmt: skip
        self._drawn, self._variables, self._flows = sources, variables or {}, gradient is not None
        pairs = [*zip(sources, operands)]
        self._stands = {id(source.tensor): x for source, x in reversed(pairs) if source.tensor is not None}
        names = {name: result, **{source.name: x for source, x in reversed(pairs)}}
        super().__init__(result, names, from_numpy(np.array(gradient)).to(result.dtype) if self._flows else None)
        self.keys = [self.key(x) for x in (*operands, result)]
        self.called.known |= dict(zip(self.keys, (*(source.name for source in sources), name)))
        self.called.grads |= dict(zip(self.keys, (*gradients_of(sources), arrives)))
        self._origins = {self.key(x): s.tensor for s, x in pairs if s.inner and isinstance(s.tensor, Tensor)}

    @cached_property
    def gradients(self) -> Gradients:
        """The gradients that backward would send from the one that arrives; none where nothing flows."""
        return super().gradients if self._flows else Gradients((), ())

    @cached_property
    def _before(self) -> World:
        """The numbers that the operands were made of."""
        given = {source.name: source.tensor for source in self._drawn if source.inner}
        names = Names(None, given)
        for name, x in named_tensors(self._variables):
            if name not in given:
                names.learn(name, x)
        return World(tuple(self._origins.values()), names)

    def _named(self) -> Iterator[tuple[str, tuple[Known, bool]]]:
        """The names of all numbers, also of what operands were made of."""
        for source in self._before.every if self._origins else ():
            yield self._before.called(source), (source, False)
        yield from super()._named()

    def at(self, tensor: Any, index: int | Sequence[int] = (), grad: bool = False) -> Number:
        """The number of a cell, or of its gradient; of tensors that operands were made of, too."""
        if id(tensor) in self._stands:
            return super().at(self._stands[id(tensor)], index, grad)
        further = self._origins and not grad and tensor is not self.results[0]
        return self._before.at(tensor, index) if further else super().at(tensor, index, grad)

    def at_source(self, source: Known, i: tuple[int, ...]) -> Number:
        """The number of a cell; of an operand that an operation made it is the program's own."""
        if source.key in self._origins:
            return self._before.at(self._origins[source.key], i)
        return (super() if source.key in self.sources else self._before).at_source(source, i)


    def number(self, which: int, index: Index, grad: bool = False) -> Number | None:
        """The number of a cell of an operand, or of the result; None where no gradient comes."""
        source = self.sources[self.keys[which]]
        return self.grad_source(source, index) if grad else self.at_source(source, index)


def gradients_of(sources: Sequence[Source]) -> list[str]:
    """The names of operands' gradients, parts of one where it comes from several places."""
    names, told = [source.grad for source in sources], list[str]()
    for k, (source, name) in enumerate(zip(sources, names)):
        which = ORDER[names[:k].count(name)] if names.count(name) > 1 else ""
        told.append(f"{which} part of {name}".strip() if which or source.into else name)
    return told


class Opens(NamedTuple):
    """A cell that opens: its id, the side on which it does, and the number that it shows.

    That is of an operand, or (-1) of the result, at an index. `grad`: it is one of the gradient.
    """

    id: str
    side: str
    which: int
    index: Index
    grad: bool = False


def opened(world: Tracked, cells: Iterable[Opens]) -> Unfolds:
    """Returns what the cells of a figure open into.

    Where a number is read, all cells are lit in which it stands, and of a gradient the first.
    """
    roots: dict[str, dict[str, Number]] = {}
    shapes: dict[Place, str] = {}
    for id, side, which, index, grad in cells:
        number = world.number(which, index, grad)
        if number is not None:
            roots.setdefault(id, {})[side] = number
            here = shapes.setdefault(number.place, id)
            if not grad and id not in here.split():
                shapes[number.place] = f"{here} {id}"
    return unfolds(roots, shapes.get)


def tracked(
    call: Callable[..., Any], sources: Sequence[Source], drawn: Any, *, arrays: Sequence[np.ndarray] | None = None,
    real: Sequence[int] | None = None, **told: Any,
) -> Tracked | None:  # fmt: skip
    """Returns the world of an operation, or None where its result has no history, as that of a comparison.

    Whole numbers become floats, where nothing else is there and the result stays; `drawn` is what it has to be. `real`:
    the operands to which a gradient can flow, if not to all.

    >>> from rustyflow.show.source import source_of
    >>> a, b = source_of(np.array([2.0, 5.0]), "a"), source_of(np.array([3.0, 4.0]), "b")
    >>> print(tracked(lambda a, b: a * b, [a, b], [6.0, 20.0], name="(a * b)", gradient=[1.0, 10.0]).where("a.grad[1]"))
    a.grad[1] = g[1]·b[1]
      = 10·4 = 40
    >>> tracked(lambda a: a > 0, [a], [True, True], name="a > 0") is None
    True
    """
    arrays = [source.array() for source in sources] if arrays is None else arrays
    for kinds in "f", "biuf":
        try:
            operands = [_operand(source, np.array(array, order="C"), kinds if real is None or k in real else "")
                        for k, (source, array) in enumerate(zip(sources, arrays))]  # fmt: skip
            with enable_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the figure's own run has warned
                result = call(*operands)
        except Exception:  # it takes no such numbers; of the reader's own the figure has said why
            continue
        result = result[0] if isinstance(result, tuple | list) else result
        if result.requires_grad and np.allclose(result.detach().numpy(), drawn, *NEAR, equal_nan=True):
            return Tracked(result, operands, sources, **told)
    return None


def _operand(source: Source, array: np.ndarray, kinds: str) -> Tensor:
    """A copy of an operand, which tracks if it holds numbers of these kinds."""
    if array.dtype.kind not in kinds:
        return from_numpy(array)
    return from_numpy(array if array.dtype.kind == "f" else array.astype(float)).requires_grad_(not source.number)

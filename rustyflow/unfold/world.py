"""The world of a result: all numbers behind it, each of which opens when it is asked for."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import index as as_index
from typing import Any

import numpy as np

from ..arguments.explain import outside_layers
from ..claims.digits import bits_of
from ..claims.lazy import subscript
from ..errors import ArgumentTypeError, ArgumentValueError, IndexOutOfRange, is_torch, kind_of
from ..ir.builder import known
from ..ir.names import Names, is_a
from ..ir.torch_names import name as op_name
from ..ops.creation import from_numpy
from ..ops.creation.foreign import read as read_foreign
from ..tensor import AccumulateGrad, Tensor, edge_of, history_of
from .again import Unknown
from .foreign import Twins
from .gradient import Gradients
from .names import Called, nodes
from .number import Number, Place, Told
from .shares import gradient
from .source import Call, Key, Source
from .tell import Teller
from .values import Values

NO_TENSOR = np.dtype(object)
"""The dtype of what a function of the program's gives that is no tensor."""


class World:
    """The numbers behind a result, or several, with what backward would send to them.

    Args:
        result: a tensor, or a tuple of tensors; PyTorch's, too, as far as its nodes have kept values.
        names: what to call tensors, `{"w": w}`; default: as the program that calls does.
        gradient: the upstream gradient with which backward begins, 1 for a single number; of several results a tuple.
        steps: those of a backward that was walked already, as `autograd.backward_steps` gives them.

    Raises:
        ArgumentTypeError (a TypeError): a result that is no tensor. ArgumentValueError (a ValueError): no result.

    Example:
        >>> import rustyflow as rf
        >>> w = rf.tensor([1.0, 2.0], requires_grad=True)
        >>> world = World((w * 3).sum())
        >>> print(world.where("w.grad[1]"))
        w.grad[1] = dmul[1]·3
          = 1·3 = 3
        >>> world.where(w, 1).value
        2.0
    """

    def __init__(
        self, result: Any, names: Names | Mapping[str, Any] | None = None, gradient: Any = None, *,
        steps: Sequence[Any] | None = None, depth: int = 1,
    ):  # fmt: skip
        self.results = tuple(result) if isinstance(result, tuple | list) else (result,)
        if not isinstance(names, Names):
            frame = outside_layers(sys._getframe(depth)) if names is None else None
            names = Names(frame, names)
        self.twins = Twins(self.results, names) if any(map(is_torch, self.results)) else None
        if self.twins is not None:
            self.results, names = self.twins.results, Names(None, self.twins.names)
        if not self.results:
            raise ArgumentValueError("World(())", "a world is what is behind tensors", "World((y, z))")
        for x in self.results:
            if not isinstance(x, Tensor):
                raise ArgumentTypeError(f"World({kind_of(x)})", "a world is what is behind tensors",
                                        "a tensor that was computed, or a tuple of some", value=x)
        several = isinstance(gradient, tuple | list)
        seeds = tuple(gradient) if several else (gradient, *[None] * (len(self.results) - 1))
        self._seeds = tuple(from_numpy(np.array(read_foreign(g))) if is_torch(g) else g for g in seeds)
        self._steps = steps
        histories = [history for x in self.results if (history := history_of(x)) is not None]
        self.called = Called(names, histories, lambda: self.every)
        self.sources: dict[Key, Source] = {}
        self._calls: dict[int, Call] = {}
        self._tellers: dict[int, Teller] = {}
        self.values = Values(names.alive)
        self._numbers: dict[Any, Number] = {}
        self.aliases: dict[tuple[Key, str], tuple[Source, bool]] = {}  # what stands for another within an operation
        self._alive: list[Any] = []

        self._cut: dict[Key, str] = {}
        self._unsent: frozenset[Key] = frozenset()
        if self.twins is not None:
            self._take_over(self.twins)

    def _take_over(self, twins: Twins) -> None:
        """Takes the names of a graph of PyTorch's, and what its nodes do not keep."""
        self.called.ids = {self.key(x): line for x, line in twins.lines}
        self._unsent = frozenset(self.key(x) for x in twins.behind)
        for x, _ in twins.lines:
            if id(x) in twins.cut:
                source, word = self.source(x), twins.cut[id(x)]
                source.word, self._cut[source.key] = word, f"and PyTorch's node does not keep how {word} made it"
        for key in self._cut:
            self.called.grads[key] = self.called.sent(self.called(self.sources[key]))

    # -- what is asked for

    def where(self, what: Any, index: int | Sequence[int] = (), grad: bool = False) -> Number:
        """The number of a cell, by text, `where("w.grad[0, 1]")`, or by its tensor, `where(w, (0, 1), grad=True)`.

        Raises:
            ArgumentValueError (a ValueError): no tensor of that name, or no gradient. IndexOutOfRange (an IndexError):
            no such cell.
        """
        if not isinstance(what, str):
            return self.at(what, index, grad)
        match = re.fullmatch(r"(.*?)(?:\[((?:-?\d+(?:,\s*)?)*)\])?", what.strip())
        whole, (name, place) = what.strip(), (match[1], match[2])
        found = self._find(whole)
        index = index if found or place is None else tuple(int(k) for k in place.split(",") if k.strip())
        source, of_grad = found or self._find(name) or self._unknown(what)
        return self._of(source, index, of_grad or grad)

    @property
    def first(self) -> str:
        """The name of the first cell of the first result."""
        result = self.source(self.results[0])
        return self.called(result) + subscript((0,) * len(result.shape))

    def at(self, tensor: Any, index: int | Sequence[int] = (), grad: bool = False) -> Number:
        """The number of a cell of a tensor, or of its gradient.

        Raises:
            ArgumentValueError (a ValueError): it is not behind the results.
        """
        source = self.source(tensor)
        far = self.called.ids is None and source.node is not None  # of a large graph no more is read
        if not far and not grad and source.key not in self._behind:
            rule = f"it is not behind the result; there are {', '.join(self._there)}"
            raise ArgumentValueError(f"a tensor of shape {source.shape}", rule, f"where({self.first!r})", value=tensor)
        return self._of(source, index, grad)

    def key(self, thing: Any, k: int = 0) -> Key:
        """The key by which places name a tensor, or the k-th result of a node of the engine."""
        return self.source(thing, k).key

    def _of(self, source: Source, index: int | Sequence[int], grad: bool) -> Number:
        name, shape = self.called(source), source.shape
        try:
            place = tuple(map(as_index, [index] if hasattr(index, "__index__") else [*index]))
        except TypeError:
            raise ArgumentTypeError(f"index={index!r:.60}", "an index is whole numbers, one for each axis",
                                    f"{name}{subscript((0,) * len(shape))}", value=index) from None
        if len(place) != len(shape) or not all(-n <= k < n for k, n in zip(place, shape, strict=True)):
            raise IndexOutOfRange(f"{name}{subscript(place) or '[]'} of shape {tuple(shape)}",
                                  "a cell has one index for each axis, from 0 to its size less 1",
                                  f"{name}{subscript((0,) * len(shape))}")  # fmt: skip
        place = tuple(k % n for k, n in zip(place, shape, strict=True))
        try:
            number = (self.grad_source if grad else self.at_source)(source, place)
        except Unknown as error:
            rule = f"its numbers are gone, and nothing gives them back: {error}"
            raise ArgumentValueError(f"{name}{subscript(place)}", rule, f"keep {name} in a variable") from None
        return self._no_gradient(source) if number is None else number

    def _no_gradient(self, source: Source) -> Any:
        """Refuses a gradient that is not there.

        Raises:
            ArgumentValueError (a ValueError): nothing arrives. What `backward` raises: it cannot be walked.
        """
        if self.gradients.refused is not None:
            raise self.gradients.refused
        was, some = f"the gradient of {self.called(source)}", [x for x in self.sources.values() if self.hears(x)]
        if source.key in self._unsent:
            rule = "on the way to it PyTorch's nodes do not keep what they read"
            raise ArgumentValueError(was, rule, "the same program under rustyflow")
        there = f"there are {', '.join(map(self.called.grad, some[:40]))}" if some else "there is none"
        rule = f"backward sends nothing there; {there}"
        raise ArgumentValueError(was, rule, "requires_grad=True before the result is computed")

    def hears(self, source: Source) -> bool:
        """True if a gradient arrives at a tensor."""
        return source.key in self.gradients.totals and source.key not in self._unsent

    def _find(self, name: str) -> tuple[Source, bool] | None:
        """The tensor of a name, and whether the name is of its gradient; None without one."""
        if self.called.ids is not None:
            return self._names.get(name) or self._alias(name)
        inner = re.sub(r"^d\((.*)\)$", r"\1", name), name.removeprefix("d"), name.removesuffix(".grad")
        for value, grad in ((name, False), *((value, True) for value in inner)):
            source = self._far(value)
            if source is not None and (not grad or self.called.grad(source) == name):
                return source, grad
        return None

    def _alias(self, name: str) -> tuple[Source, bool] | None:
        """The tensor of another name that the reader has for it."""
        for value, grad in ((name, False), (name.removesuffix(".grad"), name.endswith(".grad"))):
            x = self.called.reader.get(value)
            if x is not None and (source := self.source(x)) in self.every:
                return source, grad
        return None

    @cached_property
    def _names(self) -> dict[str, tuple[Source, bool]]:
        return dict(self._named())

    @property
    def _there(self) -> list[str]:
        """The names that are there, the first of many."""
        there = [*self._names] if self.called.ids is not None else [*self.called.reader]
        return [*there[:40], *[f"and {len(there) - 40} more"] * (len(there) > 40)]

    @cached_property
    def _behind(self) -> set[Key]:
        """The keys of all that is behind the results, and of what their operations gave besides."""
        apart = [] if self.twins is None else [self.source(x) for x in self.twins.behind]
        beside = (x for source in self.every if source.call for x in source.call.results)
        return {x.key for x in (*apart, *self.every, *beside)}

    def _named(self) -> Iterator[tuple[str, tuple[Source, bool]]]:
        """The names of all that is behind the results in a small graph, values and gradients."""
        apart = [] if self.twins is None else [self.source(x) for x in self.twins.behind]
        beside = (x for source in self.every if source.call for x in source.call.shown)
        for source in dict.fromkeys([*apart, *self.every, *beside]):
            yield self.called(source), (source, False)
            if source.node is not None and source.dtype.kind == "f":
                yield self.called.grad(source), (source, True)

    def _far(self, name: str) -> Source | None:
        """The tensor of a name in a large graph, of which nothing else is read."""
        if name in self.called.reader:
            return self.source(self.called.reader[name])
        number = re.fullmatch(r".*%(-\d+)", name)
        if number is None:
            return next((self.source(x) for x in self.results if self.called(self.source(x)) == name), None)
        wanted = int(number[1]) + max(root.number for root in self.called.roots)
        node = next((node for node in nodes(self.called.roots) if node.number == wanted), None)
        source = self.source(node) if node is not None else None
        return source if source is not None and self.called(source) == name else None

    def _unknown(self, what: str) -> Any:
        """Refuses a name that is not there.

        Raises:
            ArgumentValueError (a ValueError).
        """
        raise ArgumentValueError(f"where({what!r})", f"there are {', '.join(self._there)}", f"where({self.first!r})")

    @cached_property
    def every(self) -> list[Source]:
        """All sources behind the results, in the order in which the program made them, or first read them."""
        when: dict[Key, tuple[float, Source]] = {}
        waiting: list[tuple[Any, float]] = [(self.source(x), 0.0) for x in self.results]
        while waiting:
            source, read = waiting.pop()
            number = getattr(source.node, "number", read - 0.5)
            if source.key not in when or when[source.key][0] > number:
                when[source.key] = number, source
                if source.call is not None:
                    waiting += [(x, number) for x in source.call.operands if isinstance(x, Source)]
        return [source for _, source in sorted(when.values(), key=lambda pair: pair[0])]

    # -- sources and calls

    def source(self, thing: Any, k: int = 0) -> Source:
        """The source of a tensor, of a history, or of the k-th result of a node."""
        if isinstance(thing, Source):
            return thing
        if is_torch(thing) and self.twins is not None:
            thing = self.twins.of(thing)
        if isinstance(thing, Tensor):
            history = history_of(thing)
            return self._constant(thing) if history is None else self._made(history)
        node, place = edge_of(thing)
        if getattr(node, "number", None) is None:
            raise ArgumentTypeError(f"{thing!r:.60}", "a number is one of a tensor's", "x, or 'x[0]'", value=thing)
        return self._result(node, place or k)

    def _made(self, history: Any) -> Source:
        return self._result(*edge_of(history))

    def _result(self, node: Any, k: int) -> Source:
        key = node.number, k
        if key not in self.sources:
            if type(node) is AccumulateGrad:
                x = node.variable
                word = "parameter" if is_a("Parameter", x) else "leaf"
                self.sources[key] = Source(key, tuple(node.out.shape), node.out.dtype, None, 0, node, x, word)
            else:
                self.call_of(node)
        return self.sources[key]

    def _constant(self, x: Tensor, word: str = "constant") -> Source:
        key = "x", id(x)
        if key not in self.sources:
            self._alive.append(x)
            self.sources[key] = Source(key, tuple(x.shape), x._a.dtype, tensor=x, word=word)
        return self.sources[key]

    def call(self, source: Source) -> Call | None:
        """The operation that made a tensor, None of a leaf."""
        return source.call

    def call_of(self, node: Any) -> Call:
        """An operation of the engine's, with its results; its operands are looked up when they are asked for."""
        if node.number not in self._calls:
            outs = node.out if type(node.out) is tuple else (node.out,)
            call = self._calls[node.number] = Call(node.op, (), known(node), node.number, node)
            word = op_name(node.op, node)
            call.results = tuple(
                Source((node.number, k), *((), NO_TENSOR) if out is None else (tuple(out.shape), out.dtype), call, k,
                       node, word=word)
                for k, out in enumerate(outs))  # fmt: skip
            self.sources |= {x.key: x for x in call.results}
            call.operands = Operands(self, node)
            self.values.lost(call)
            self.values.learn(call)
        return self._calls[node.number]

    def operand(self, node: Any, k: int) -> Any:
        """The k-th operand of a node: a source, a number, or None."""
        parent, op = node.parents[k], node.op
        if parent is not None:
            return self._made(parent)
        if getattr(op, "left_out", ()) and op.operands[k] in op.left_out:
            return None
        given = getattr(node, "given", None)
        x = given[k] if given else None
        x = x() if type(x).__name__ == "ReferenceType" else x
        if not isinstance(x, Tensor):
            return x
        if not x._a.ndim and not self.called.names.of(x):
            return x._a.item()
        letter = op.operands[k] if k < len(getattr(op, "operands", ())) else ""
        return self._constant(x, letter if len(letter) > 1 else "constant")

    # -- numbers

    @cached_property
    def gradients(self) -> Gradients:
        """The gradients that backward would send; it is walked once, when one is first asked for."""
        pairs = [(x, g) for x, g in zip(self.results, self._seeds, strict=True) if history_of(x) is not None]
        return Gradients([x for x, _ in pairs], [g for _, g in pairs], self._steps)

    def array(self, source: Source) -> np.ndarray:
        """The numbers of a source.

        Raises:
            Unknown: they are gone.
        """
        return self.values.of(source)

    def at_source(self, source: Source, i: tuple[int, ...]) -> Number:
        """The number of a cell of a source."""
        if (alias := self.aliases.get((source.key, ""))) is not None:
            other, grad = alias
            return self.grad_source(other, i) if grad else self.at_source(other, i)
        key = source.key, i
        if key not in self._numbers:
            array = self.array(source)
            call = source.call
            tell = (lambda: self.teller(call).result(source.place, i)) if call else None
            if (note := self._cut.get(source.key)) is not None:
                tell = lambda: Told(None, note)  # noqa: E731
            self._numbers[key] = Number(self.called(source) + subscript(i), array[i], tell,
                                        Place(source.key, i, False), bits_of(array.dtype))  # fmt: skip
        return self._numbers[key]

    def grad_source(self, source: Source, i: tuple[int, ...]) -> Number | None:
        """The number of a cell of a gradient; None where no gradient arrives."""
        source, _ = self.aliases.get((source.key, "grad"), (source, True))
        if not self.hears(source):
            return None
        key = source.key, i, "grad"
        if key not in self._numbers:
            value = self.cell_of(self.gradients.totals[source.key], i)
            self._numbers[key] = Number(self.called.grad(source) + subscript(i), value,
                                        lambda: gradient(self, source, i), Place(source.key, i, True))  # fmt: skip
        return self._numbers[key]

    @staticmethod
    def cell_of(array: Any, i: tuple[int, ...]) -> Any:
        """One number of an array of the engine's."""
        return np.asarray(array)[i]

    def teller(self, call: Call) -> Teller:
        """The one who tells the cells of a call."""
        if call.number not in self._tellers:
            self._tellers[call.number] = Teller(self, call)
        return self._tellers[call.number]

    def forget(self, sources: Sequence[Source]) -> None:
        """Forgets the numbers of tensors that something has written over."""
        keys = {x.key for x in sources}
        self._numbers = {key: number for key, number in self._numbers.items() if key[0] not in keys or len(key) > 2}


class Operands(Sequence):
    """The operands of a node of the engine, each looked up when it is asked for."""

    def __init__(self, world: World, node: Any):
        self.world, self.node = world, node

    def __len__(self) -> int:
        return len(self.node.parents)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[j] for j in range(*k.indices(len(self)))]
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        return self.world.operand(self.node, k % len(self))


"""What show.op says of its cells, and which of them belong together: by maps, of all cells at once, where it can be."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..ops.creation import from_numpy
from ..scene import draw
from ..scene.maps import TERMS, Column, Factor, Map, Named, Names, Sum, Way, alike, said
from .reads import (
    FAILED,
    IN_ORDER,
    JOINS,
    WAYS,
    Index,
    Read,
    Reads,
    come_to,
    first_tensor,
    is_close,
    other_values,
    pairs,
)
from .sends import Gradients
from .source import Source, Value, exact
from .steps import Kink, Steps
from .words.exact import MORE, as_written, bits_of, comes_out, digits_of, enough, exactly, sign, sign_of_sum, told
from .words.numbers import DIGITS, bracketed, is_cut
from .words.sentences import indexed

TOLD, MOST = 2, 4
"""The most indices of which each is told, the most readers that are named."""

PRODUCTS = ("products", "product")
"""The ways in which a result is made of products: its gradients are such, too."""

DECIDES = "only decides which numbers are read"
"""What a number does that no result takes."""

LOW = "from ", "of "
"""How a line begins that is no sentence."""

Factors = tuple[Factor, ...]

Part = Sequence[tuple[Way, Sequence[Value]]]
"""The numbers that are multiplied, and the ways to them; none of a way alone."""

Place = tuple[int, int, int]
"""Where a number stands: in a part, in one of its columns, there."""


class Line(NamedTuple):
    """The pieces of a line of every cell: whose it is, a sign or none, what is read or summed, a sign, the value."""

    head: Column
    equals: Column
    worked: Column
    sign: Column
    value: Column

    def pieces(self, n: int) -> tuple[str, ...]:
        """Those of one cell."""
        return said(self.head, n) + said(self.equals, n), *(said(column, n) for column in self[2:])

    @property
    def columns(self) -> list[list[Column]]:
        """The pieces as columns."""
        return [[self.head, self.equals], *([column] for column in self[2:])]

    @property
    def sentence(self) -> list[list[Column]]:
        """The line as a sentence, where it does not begin as one."""
        if type(self.head) is not tuple or not any(words.startswith(LOW) for words in self.head):
            return []
        return [[tuple(words[:1].upper() + words[1:] if words.startswith(LOW) else words for words in self.head)],
                *self.columns[1:]]  # fmt: skip


class Lines:
    """The words of an operation's cells.

    Attributes:
        several: whether there are further results, which are not drawn. depends: whether other cells are read where
            the numbers that count are others.
        maps: what each result reads of each operand, by the numbers of cells. goes, sent: of each operand that has a
            gradient, from a result to whom it sends, and from a cell to where its gradient comes from.
    """

    def __init__(self, made: Reads, flow: Gradients | None, way: str, sources: Sequence[Source],
                 result: str, steps: Steps, several: bool = False, arrives: str = "g",
                 depends: bool = False):  # fmt: skip
        self.several, self.arrives, self.depends = several, arrives, depends
        self.made, self.flow, self.way, self.result = made, flow, way, result
        self.names, self.grads = [source.name for source in sources], [source.grad for source in sources]
        self.steps, self._kinks = steps, {}
        # what flows on from an operand that is made of another is a further part of the other's gradient
        self.gets = [" gets from this place " if source.into else " = " for source in sources]
        self.cells = {cell: n for n, cell in enumerate(made.cells)}
        self.place = [{index: n for n, index in enumerate(np.ndindex(x.shape))} for x in made.operands]
        self.flowing = [k for k, total in enumerate(flow.totals) if total is not None] if flow else []
        self.numbers = [exact(x) for x in made.operands]
        self.words = [[*map(draw.spell, numbers)] for numbers in self.numbers]
        self._known: dict[tuple, Map] = {}
        if flow and way in PRODUCTS:  # a factor of 0 is a factor, too
            for k, to in enumerate(flow.factors):
                read_by: dict[Index, list[Index]] = {}
                for cell, found in made.cells.items():
                    for index in [index for n, index in found if n == k] if to else ():
                        read_by.setdefault(index, []).append(cell)
                for index, cells in read_by.items():
                    to[index] = {cell: to.get(index, {}).get(cell, 0.0) for cell in cells}
        each = [[(k, self.place[k][index]) for k, index in sorted(read)] for read in made.cells.values()]
        self.maps = [self._map([m for n, m in read if n == k] for read in each) for k in range(len(sources))]
        self.sends: dict[Index, list[tuple[int, Index, float]]] = {cell: [] for cell in self.cells}
        for k in self.flowing:
            for index, sent in sorted(flow.factors[k].items()):
                for cell, factor in sent.items():
                    self.sends[cell].append((k, index, factor))
        self.goes: dict[int, Factors] = {}
        self.sums: dict[int, Part] = {}
        for k in self.flowing:
            self.goes[k], self.sums[k] = self._ways(k)
        self.sent: dict[int, Factors] = {k: (Factor(part[0][0]),) for k, part in self.sums.items()}

    def _map(self, lists: Iterable[Iterable[int]]) -> Map:
        """The map of what each result reads, one for the same."""
        key = tuple(map(tuple, lists))
        if key not in self._known:
            self._known[key] = Map.of(key)
        return self._known[key]

    @cached_property
    def parts(self) -> list[list[tuple[int, Map]]]:
        """Where all results are sums of several terms: for each part of the sum the operands that are multiplied."""
        made = self.made
        plain = len(made.counted) == len(made.operands) and all(len(read) > 1 for read in made.cells.values())
        if not plain or self.way not in ("products", "sum"):
            return []
        if self.way == "sum":
            return [[(k, map)] for k, map in enumerate(self.maps) if map.readers]
        found: dict[tuple[int, ...], list[list[tuple]]] = {}
        for n, cell in enumerate(self.cells):
            terms = self._products(self.made.cells[cell])
            for term in terms:
                ks = tuple(k for _, k in term)
                if ks not in found:
                    found[ks] = [[] for _ in self.cells]
                found[ks][n].append(term)
            if terms != [term for lists in found.values() for term in lists[n]]:
                return []
        if sum(map(len, found)) > len({k for ks in found for k in ks}):
            return []
        return [
            [(k, self._map([self.place[k][term[at][0]] for term in some] for some in lists)) for at, k in enumerate(ks)]
            for ks, lists in found.items()
        ]

    @staticmethod
    def _products(counted: Sequence[Read]) -> list[tuple]:
        """The factors `(index, operand)` of each product, in the order of their first operand's cells."""
        return sorted(pairs([(k, (index, k)) for k, index in counted]), key=_by_place)

    def _ways(self, k: int) -> tuple[Factors, Part]:
        """From a result to the cells of an operand that it sends to, and from there back to what they are sent."""
        factors, own = self.flow.factors[k], self.maps[k]
        sent = {(self.place[k][index], self.cells[cell]): f for index, to in factors.items() for cell, f in to.items()}
        arrives = exact(self.flow.upstream)
        part = next((part for part in self.parts if len(part) == 2 and k in dict(part)), None)
        if part:
            (other, beside), own = next(one for one in part if one[0] != k), dict(part)[k]
            times = [x.item() for x in self.made.operands[other].reshape(-1)]
            each = [(r, m, o) for r in range(len(self.cells)) for m, o in zip(own.cells(r), beside.cells(r))]
            if all(sent.get((m, r)) == times[o] for r, m, o in each):
                back = (Way(own, True), arrives), (Way(own, True, beside), self.numbers[other])
                return (Factor(Way(own)),), back
        if len(set(sent.values())) == 1 and len(sent) == sum(map(len, own.readers.values())):
            (times,) = set(sent.values())
            alone = [(Way(own, True), [times] * len(self.cells))] if times != 1 or self.way in PRODUCTS else []
            return (Factor(Way(own)),), ((Way(own, True), arrives), *alone)
        own = self._map([m for m in own.cells(r) if (m, r) in sent] for r in range(len(self.cells)))
        return (Factor(Way(own)),), ((Way(own, True), []),)

    def _summed(self, parts: Sequence[Part], totals: Sequence[Value]) -> tuple[tuple[Factors, ...], list[str]]:
        """Sums of products, whose numbers, where they are few, have as many digits as it takes until what is shown of
        them comes out; and what is said before each sum."""
        lines: list[list[list[tuple[Value, Place]]]] = []
        for n in range(len(totals)):
            each = [[[(values[m], (p, f, m)) for m in way.cells(n)] for f, (way, values) in enumerate(part)]
                    for p, part in enumerate(parts)]  # fmt: skip
            lines.append([[*term] for part in each for term in zip(*part)])
        digits, read = Counter(), cache(as_written)  # a number is met many times

        def found(n: int) -> Any:
            with exactly():
                return sum(prod(read(value, DIGITS + digits[place]) for value, place in term) for term in lines[n])

        def comes(n: int) -> bool:
            most = max((abs(prod(float(value) for value, _ in term)) for term in lines[n]), default=0.0)
            return sum(map(len, lines[n])) > TERMS or comes_out(found(n), totals[n], most)

        left = [n for n in range(len(lines)) if lines[n] and not comes(n)]
        for _ in range(MORE):
            digits.update({place for n in left for term in lines[n] for _, place in term})
            left = [n for n in left if not comes(n)]
        words = tuple(
            tuple(
                Factor(way, alike([draw.spell(v, DIGITS + digits[p, f, m]) for m, v in enumerate(values)]))
                for f, (way, values) in enumerate(part)
            )
            for p, part in enumerate(parts)
        )
        bits = bits_of(self.made.result.dtype)
        signs = [sign([found(n)], [total]) for n, total in enumerate(totals)]
        for n in left:
            signs[n] = told([[value for value, _ in term] for term in lines[n]], totals[n], bits=bits)[1]
        return words, [f" {said} " for said in signs]

    @property
    def to(self) -> Names:
        """The cells that a result sends to."""
        of = {k: Named(self.grads[k], self.made.operands[k].shape) for k in self.flowing}
        groups = tuple((of[k], self.goes[k]) for k in self.flowing)
        return Names(groups, " goes to ", " goes to ", " goes to nobody", MOST)

    def readers(self, k: int) -> list[Column]:
        """The results that read a cell of an operand, or the one that no longer holds what was read."""
        groups = ((Named(self.result, self.made.result.shape), (Factor(Way(self.maps[k], True)),)),)
        nobody = f" is not read for {self.result}" if self.several else " is read by nobody"
        nobody = "" if self._unseen[k] else f" {DECIDES}" if self._decides[k] else nobody
        names = Names(groups, " is read by ", " is read for # results: ", nobody, MOST)
        over = {self.place[k][index]: cells for (n, index), cells in self.made.over.items() if n == k}
        if not any(n not in self.maps[k].readers for n in over):
            return [names]
        alone = [nobody] * len(self.place[k])
        for n, cells in over.items():
            one, more = f"{indexed(self.result, cells[0])}, which is", f"{len(cells)} results, which are"
            alone[n] = f" is read for {one if len(cells) == 1 else more} then written over"
        none = ("" if n in self.maps[k].readers else words for n, words in enumerate(alone))
        return [names._replace(none=""), tuple(none)]

    @cached_property
    def _decides(self) -> list[bool]:
        """For each operand whether its numbers that nobody takes are read to decide which others are: those of a mask,
        of which another makes another shape, or those that are compared."""
        made = self.made
        every = (False, True)
        masks = [[np.full_like(x, of) for of in every] if x.dtype.kind == "b" else [] for x in made.operands]
        other = [any(self.steps.run([*made.operands[:k], mask, *made.operands[k + 1 :]]) is None for mask in masks[k])
                 for k in range(len(masks))]  # fmt: skip
        return [other[k] or self.depends and k in made.counted for k in range(len(masks))]

    @cached_property
    def _unseen(self) -> list[set[Index]]:
        """For each operand the results for which nothing seems to be read, and that are others where its numbers are:
        they come about by comparing, or by counting."""
        made, found = self.made, [set() for _ in self.made.operands]
        empty = [cell for cell, read in made.cells.items() if not read]
        for (k, x), seed in product(enumerate(made.operands) if empty else (), range(3)):
            moved = np.random.default_rng(seed).permutation(x.reshape(-1)).reshape(x.shape)
            alone = np.where(np.arange(x.size).reshape(x.shape) == seed, x, 0).astype(x.dtype)
            more = x + np.array(seed + 1, x.dtype)
            for other in (moved, np.roll(x, seed + 1), alone, more, other_values([x], seed)[0]):
                with suppress(*FAILED):
                    operands = [*made.operands[:k], other, *made.operands[k + 1 :]]
                    result = np.array(first_tensor(self.steps.call(*map(from_numpy, operands))).tolist())
                    if result.shape == made.result.shape:
                        found[k] |= {at for at in empty if result[at] != made.result[at] == made.result[at]}
        return found

    @cached_property
    def results(self) -> Line:
        """The lines of all results."""
        made, named = self.made, Named(self.result, self.made.result.shape)
        values = tuple(draw.spell(value) for value in exact(made.result))
        if self.parts:
            worked, signs = self._summed([[(Way(map), self.numbers[k]) for k, map in part] for part in self.parts],
                                         exact(made.result))  # fmt: skip
            return Line(named, " = ", Sum(worked), alike(signs), values)
        line = self._line(named, [self.forward(cell) for cell in self.cells])
        counted = [[(k, index) for k, index in read if k in made.counted] for read in made.cells.values()]
        sources = [indexed(self.names[one[0][0]], one[0][1]) if len(one) == 1 else "" for one in counted]
        if not sources or line.worked != tuple(sources):
            return line
        of = [(k, Named(self.names[k], made.operands[k].shape)) for k in made.counted]
        return line._replace(worked=Names(tuple((x, (Factor(Way(self.maps[k])),)) for k, x in of), "", "", "", MOST))

    @cached_property
    def gradients(self) -> dict[int, Line]:
        """For each operand that has a gradient the lines of all its cells, on the backward side."""
        return {k: self._gradient(k) for k in self.flowing}

    def _gradient(self, k: int) -> Line:
        named = Named(self.grads[k], self.made.operands[k].shape)
        factors = self.flow.factors[k]
        totals = dict(zip(self.place[k], (total + 0.0 for total in exact(self.flow.totals[k]))))
        odd = any(total != 0 and not factors.get(at) for at, total in totals.items())
        if odd or not self.sums[k][0][1] or self._alone(k):
            return self._line(named, [self.backward(k, index) for index in self.place[k]])
        (worked,), signs = self._summed([self.sums[k]], [*totals.values()])
        signs = [said if factors.get(at) else self._why(k, at) for at, said in zip(totals, signs)]
        values = [draw.spell(total) if factors.get(at) else "" for at, total in totals.items()]
        return Line(named, self.gets[k], Sum((worked,), "0", False), alike(signs), alike(values))

    def _alone(self, k: int) -> bool:
        """Whether some cell's gradient is what a single result sends, as it is: that is told by name."""
        return len(self.sent[k]) == 1 and any(len(sent) == 1 for sent in self.flow.factors[k].values())

    @staticmethod
    def _line(named: Named, lines: Sequence[Sequence[str]]) -> Line:
        """Lines of up to four pieces, one for each cell, as columns; the first by the cell's name if all begin so."""
        filled = [(*pieces, *[""] * (4 - len(pieces))) for pieces in lines]
        head, *others = zip(*filled) if filled else [()] * 4
        names = [named.said(n) for n in range(len(lines))]
        plain = all(words.startswith(f"{name} ") for words, name in zip(head, names))
        after = alike([words.removeprefix(name) for words, name in zip(head, names)]) if plain else ""
        return Line(named if plain else head, after, *map(alike, others))

    def forward(self, cell: Index) -> tuple[str, ...]:
        """The formula of a result, in numbers where the way is a simple one; before it what an index that it reads
        is."""
        made, read = self.made, self.made.numbers(cell)
        value, name = exact(made.result[cell])[0], indexed(self.result, cell)
        same, said = draw.equals(value).split(" ")
        tells = sorted(read for read in made.cells[cell] if read[0] not in made.counted)
        told = [self._is(k, index) for k, index in tells]
        before = f"{' and '.join(told)}: " if 0 < len(told) <= TOLD else ""
        head, alone = f"{before}{name} = ", (f"{before}{name} {same} ", said)
        if not made.cells[cell]:
            return *alone, "" if any(cell in some for some in self._unseen) else ", and nothing was read for it"
        counted = [(k, index) for k, index in made.cells[cell] if k in made.counted]
        if not read:
            return alone
        source = self.taken(cell, counted)
        worked, again = self._worked(cell, counted) if self.way and self.way != "copy" else (said, "")
        if worked != said:
            return head, worked, f" {again} ", said
        if source and len(read) == 1:
            return head, source, f" {same} ", said
        if self.way and self.way != "copy":
            return alone
        shown = [self.words[k][self.place[k][index]] for k, index in sorted(counted)]
        near = "≈ " * is_cut(_few([self.numbers[k][self.place[k][index]] for k, index in sorted(counted)]))
        if source:
            return f"{before}of ", f"{near}{some_of(shown, ', ')}", f", {name} takes {source} {same} ", said
        sent = self.sends.get(cell, [])
        if len(sent) == len(counted) and self.steps.weighed(cell, sent):
            terms = [(self.numbers[k][self.place[k][index]], factor) for k, index, factor in sorted(sent)]
            return head, *summed(terms, value), said
        if self.flow and len(counted) == 1 and not self.sends.get(cell):
            (k, index), *_ = counted
            is_ = draw.equals(self.numbers[k][self.place[k][index]])
            kink, of = self._kink(k, index), f"of {indexed(self.names[k], index)} {is_}"
            if kink:
                side = f" {kink.sides[0]}" if len(kink.sides) == 1 else ""
                return *alone, f", and a small step{side} {of} moves it"
            return *alone, f", and a small step {of} does not move it, to first order"
        if not sent and len(counted) + len(tells) <= TOLD:  # it may be an argument that is put there
            found = sorted([*tells, *counted])
            head = " and ".join(self._is(k, index) for k, index in found)
            return f"{head}: {name} {same} ", said
        of = {k: [self.words[k][self.place[k][index]] for n, index in sorted(counted) if n == k] for k, _ in counted}
        words = " and ".join(f"{some_of(some, ', ')} of {self.names[k]}" for k, some in sorted(of.items()))
        words = words if len(counted) > 1 else shown[0]
        return f"{before}from ", f"{near}{words}", f" comes {name} {same} ", said

    def _is(self, k: int, index: Index) -> str:
        """What a cell of an operand is, in words."""
        return f"{indexed(self.names[k], index)} is {draw.in_full(exact(self.made.operands[k][index])[0])}"

    def taken(self, cell: Index, counted: Sequence[Read]) -> str:
        """The cell whose number a result is, not by chance: of a copy, or the only one that moves it, as it moves."""
        sends = self.sends.get(cell, [])
        if self.way == "copy" and len(counted) == 1:
            k, index = counted[0]
        elif self.way in ("", "copy") and len(sends) == 1 and sends[0][2] == 1:
            k, index, _ = sends[0]
            if not self.steps.copied(cell, k, index):
                return ""
        else:
            return ""
        same = self.numbers[k][self.place[k][index]] == exact(self.made.result[cell])[0]
        return indexed(self.names[k], index) if same else ""

    def _worked(self, cell: Index, counted: Sequence[Read]) -> tuple[str, str]:
        """How a result is worked out of numbers, and whether it is that, or nearly, as they are written."""
        made, value, way = self.made, exact(self.made.result[cell])[0], self.way
        if way == "products":
            met = [[self.numbers[k][self.place[k][index]] for index, k in part] for part in self._products(counted)]
            worked, again = summed(met, value, bits_of(made.result.dtype))
            return worked, again.strip()
        if way in JOINS and len(counted) == 1:
            return draw.spell(value), ""
        order = counted if way in IN_ORDER else sorted(counted)
        own, places = made.own(cell), [(k, self.place[k][index]) for k, index in order]
        if not is_close(come_to(way, [(k, self.numbers[k][m]) for k, m in places], own), value, made.half):
            return draw.spell(value), ""

        def works(n: int, of: Callable[[Any], Any] = float) -> list[Any]:
            read = [(k, of(as_written(self.numbers[k][m], n))) for k, m in places]
            return [come_to(way, read, own if own is None else of(as_written(own, n)))]

        most = max(abs(float(self.numbers[k][m])) for k, m in places)
        digits = len(places) <= TERMS and enough(works, [value], most)
        every = digits == 0 and bits_of(made.result.dtype) > 0  # of whole numbers that no few digits tell apart
        digits = digits or DIGITS
        (again,) = [value] if every else works(digits, lambda x: x)
        words = [digits_of(v) if every else draw.spell(v, digits) for v in (self.numbers[k][m] for k, m in places)]
        words = words if way in ("greatest", "least", "normalized") else [*map(bracketed, words)]
        few = words if len(words) <= TERMS else [*words[: TERMS - 2], "...", words[-1]]
        expression = WAYS[way].said(few, None if own is None else bracketed(draw.spell(own, digits)))
        expression = re.sub(r"\((\(-[^()]*\))\)", r"\1", expression).replace("exp(...)", "...")
        return expression, sign([again], [value])

    def backward(self, k: int, index: Index) -> tuple[str, ...]:
        """The formula of a gradient: what each reader sends back."""
        total = exact(self.flow.totals[k][index])[0] + 0.0
        head, said, near = indexed(self.grads[k], index) + self.gets[k], draw.spell(total), draw.in_full(total)
        alone = head if near == said else f"{head.removesuffix('= ')}≈ "
        sent = self.flow.factors[k].get(index, {})
        if not sent:
            why = ": the engine sends it, although no result moves with it" if total else self._why(k, index)
            return alone, said, why
        terms = [(exact(self.flow.upstream[cell])[0], factor) for cell, factor in sent.items()]
        plain = self.way not in PRODUCTS and all(factor == 1 for _, factor in terms)
        expression, again = summed([term[:1] for term in terms] if plain else terms, total)
        if plain and len(sent) == 1:
            expression = indexed(self.arrives, next(iter(sent)))
        return (alone, said) if expression == said else (head, expression, again, said)

    def result_line(self, cell: Index) -> tuple[str, ...]:
        """The line of a result."""
        return self.results.pieces(self.cells[cell])

    def gradient_line(self, k: int, index: Index) -> tuple[str, ...]:
        """The line of a gradient's cell."""
        return self.gradients[k].pieces(self.place[k][index])

    def longest(self, enough: int) -> int:
        """The length of the longest line; of more than `enough` any."""
        longest = 1
        lines = [(self.results, self.cells), *((self.gradients[k], self.place[k]) for k in self.flowing)]
        for line, n in ((line, n) for line, cells in lines for n in range(len(cells))):
            longest = max(longest, len("".join(line.pieces(n))))
            if longest > enough:
                return longest
        if self.flow:
            g, values = Named(self.arrives, self.made.result.shape), enumerate(exact(self.flow.upstream))
            longest = max([longest, *(len(f"{g.said(n)} = {draw.spell(v)}{self.to.said(n)}") for n, v in values)])
        return longest

    def _why(self, k: int, index: Index) -> str:
        """Why a cell has a gradient of 0 that nobody sends."""
        if self.place[k][index] not in self.maps[k].readers and not self._unseen[k]:
            why = f"{indexed(self.names[k], index)} {DECIDES}" if self._decides[k] else "nobody reads it"
            return ": what read it was written over" if (k, index) in self.made.over else f": {why}"
        kink = self._kink(k, index)
        if kink and kink.why == "withheld":
            return ": a result moves with it, but the operation withholds its gradient"
        return f": PyTorch's choice where the {kink.why} jumps" if kink else ": to first order no result moves with it"

    def _kink(self, k: int, index: Index) -> Kink | None:
        """Where a cell whose gradient is 0 does move a result."""
        if k not in self._kinks:
            factors, readers = self.flow.factors[k], self.maps[k].readers
            still = [at for at, n in self.place[k].items() if n in readers and not factors.get(at)]
            self._kinks[k] = self.steps.kinks(k, still)
        return self._kinks[k].get(index)


def summed(terms: Sequence[Sequence[Value]], total: Value, bits: int = 0) -> tuple[str, str]:
    """Products that are added up, and what is said before their sum; of many, which nobody works out, `=` or `≈`.

    >>> summed([(3.0, 0.24456), (-1.0, 1.0)], -0.26632)
    ('3·0.2446 + (-1)·1', ' ≈ ')
    """
    few = bits or sum(map(len, terms)) <= TERMS
    digits, again = told(terms, total, bits=bits) if few else (DIGITS, sign_of_sum(terms, total))
    words = ["·".join(bracketed(draw.spell(v, digits)) for v in term) for term in terms]
    alone = len(terms) == 1 == len(terms[0])
    return draw.spell(terms[0][0], digits) if alone else some_of(words, " + "), f" {again} "


def _by_place(part: tuple) -> tuple:
    """Products in the order of their first operand's cells, then what is added by itself."""
    return -len(part), part[0][0]


def some_of(parts: Sequence[str], between: str) -> str:
    """Parts of a formula, of many the first ones and the last."""
    return between.join(_few(parts, ["..."]))


def _few(parts: Sequence[Any], between: Sequence[Any] = ()) -> list[Any]:
    """Parts, of many the first ones, something between, and the last."""
    return [*parts] if len(parts) <= TERMS else [*parts[: TERMS - 2], *between, parts[-1]]

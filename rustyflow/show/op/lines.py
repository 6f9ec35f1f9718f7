"""The lines that show.op says of its cells, and the maps by which these belong together."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...claims.claim import Claim, equation
from ...claims.digits import bits_of, spell
from ...claims.tree import TERMS, Leaf, of_pairs
from ...scene.maps import Column, Map, Named, Names, Way, alike, said
from ..kit.line import FULL
from ..source import Source, Value, exact
from ..words.sentences import indexed
from .parts import Part
from .reads import Index, Read, Reads
from .says import Says
from .sends import Gradients
from .steps import Steps
from .trees import Node, nodes, terms, told

TOLD, MOST = 2, 4
"""The most indices of which each is told, the most readers that are named."""

SHORT = 40
"""So many characters of a formula have room in every line."""

DECIDES = "only decides which numbers are read"
"""What a number does that no result takes."""


class Line(NamedTuple):
    """The pieces of a line of every cell.

    They are: whose it is, a sign or none, what is read or summed, a sign, the value.
    """

    head: Column
    equals: Column
    worked: Column
    sign: Column
    value: Column

    def pieces(self, n: int) -> tuple[str, ...]:
        """The pieces of one cell."""
        return said(self.head, n) + said(self.equals, n), *(said(column, n) for column in self[2:])

    @property
    def columns(self) -> list[list[Column]]:
        """The pieces as columns."""
        return [[self.head, self.equals], *([column] for column in self[2:])]


class Lines:
    """The words of an operation's cells.

    Attributes:
        several: whether there are further results, which are not drawn. way: "copy", "sum" or "products" where all
            results are such of numbers that are read; else "". nodes, back: the formulas of the results, and for each
            operand those of its gradient.
        weighed: the weights of attention, with which results and the third operand's gradients are told; else None.
        maps: what each result reads of each operand, by the numbers of cells. sent: to which cells of each operand
            that has a gradient each result sends. through: the parts by which the results are told, if any.
    """

    def __init__(self, run: Reads, flow: Gradients | None, sources: Sequence[Source], result: str, steps: Steps,
                 several: bool = False, arrives: str = "g"):  # fmt: skip
        self.several, self.arrives, self.weighed = several, arrives, None
        self.run, self.flow, self.result = run, flow, result
        self.names, self.grads = [source.name for source in sources], [source.grad for source in sources]
        self.steps, self._kinks = steps, {}
        # what flows on from an operand that is made of another is a further part of the other's gradient
        self.gets = [" gets from this place " if source.into else " = " for source in sources]
        self.cells = {cell: n for n, cell in enumerate(run.cells)}
        self.place = [{index: n for n, index in enumerate(np.ndindex(x.shape))} for x in run.operands]
        self.flowing = [k for k, total in enumerate(flow.totals) if total is not None] if flow else []
        self.numbers = [exact(x) for x in run.operands]
        self._known: dict[tuple, Map] = {}
        self.nodes = nodes(run.trees, self._number)
        self.terms = {cell: terms(node) for cell, node in self.nodes.items()}
        self.way = self._way()
        if flow and self.way == "products":  # a factor of 0 is a factor, too
            for k, to in enumerate(flow.factors):
                read_by: dict[Index, list[Index]] = {}
                for cell, read in run.cells.items():
                    for index in [index for n, index in read if n == k] if to else ():
                        read_by.setdefault(index, []).append(cell)
                for index, cells in read_by.items():
                    to[index] = {cell: to.get(index, {}).get(cell, 0.0) for cell in cells}
        each = [[(k, self.place[k][index]) for k, index in sorted(read)] for read in run.cells.values()]
        self.maps = [self._map([m for n, m in read if n == k] for read in each) for k in range(len(sources))]
        self.sent = {k: self._targets(k) for k in self.flowing}
        self.says = Says(self.names, self.nodes, run.cells, run.compared)
        self.through: Sequence[Part] = ()

    def _number(self, read: Read) -> Value:
        """The number of an operand's cell, or of the upstream gradient."""
        k, index = read
        if k == len(self.names):
            return exact(self.flow.upstream[index])[0]
        return self.numbers[k][self.place[k][index]]

    def _way(self) -> str:
        """The way in which all results are made of what is read."""
        if not self.nodes or any(each is None for each in self.terms.values()):
            return ""
        if all(node.read for node in self.nodes.values()):
            chosen = any((self.nodes[cell].read[0], cell) in read for cell, read in self.run.compared.items())
            return "" if chosen else "copy"  # a number that is compared where it stands may be another one
        return "products" if any(len(term) > 1 for each in self.terms.values() for term in each) else "sum"

    def _map(self, lists: Iterable[Iterable[int]]) -> Map:
        """The map of what each result reads, one for the same."""
        key = tuple(map(tuple, lists))
        if key not in self._known:
            self._known[key] = Map.of(key)
        return self._known[key]

    @cached_property
    def parts(self) -> list[list[tuple[int, Map]]]:
        """The operands that are multiplied, for each part of a sum, if all results are sums of several terms."""
        run = self.run
        plain = len(run.counted) == len(run.operands) and not any(run.compared.values())
        if not plain or self.way not in ("products", "sum") or any(node.read for node in self.nodes.values()):
            return []
        by_operands: dict[tuple[int, ...], list[list[tuple]]] = {}
        for n, cell in enumerate(self.cells):
            for term in self.terms[cell]:
                ks = tuple(k for k, _ in term)
                if ks not in by_operands:
                    by_operands[ks] = [[] for _ in self.cells]
                by_operands[ks][n].append(term)
            if self.terms[cell] != [term for lists in by_operands.values() for term in lists[n]]:
                return []
        if sum(map(len, by_operands)) > len({k for ks in by_operands for k in ks}):
            return []
        return [
            [(k, self._map([self.place[k][term[at][1]] for term in some] for some in lists)) for at, k in enumerate(ks)]
            for ks, lists in by_operands.items()
        ]

    def _targets(self, k: int) -> Map:
        """The map from a result to the operand's cells that it sends to."""
        factors, targets = self.flow.factors[k], self.maps[k]
        sent = {(self.place[k][index], self.cells[cell]): f for index, to in factors.items() for cell, f in to.items()}
        part = next((part for part in self.parts if len(part) == 2 and k in dict(part)), None)
        if part:
            (other, beside), targets = next(one for one in part if one[0] != k), dict(part)[k]
            times = [x.item() for x in self.run.operands[other].reshape(-1)]
            each = [(r, m, o) for r in range(len(self.cells)) for m, o in zip(targets.cells(r), beside.cells(r))]
            if all(sent.get((m, r)) == times[o] for r, m, o in each):
                return targets
        if len(set(sent.values())) == 1 and len(sent) == sum(map(len, targets.readers.values())):
            return targets
        to: list[list[int]] = [[] for _ in self.cells]
        for m, r in sorted(sent):
            to[r].append(m)
        return self._map(to)

    @property
    def to(self) -> Names:
        """The cells that a result sends to."""
        of = {k: Named(self.grads[k], self.run.operands[k].shape) for k in self.flowing}
        groups = tuple((of[k], Way(self.sent[k])) for k in self.flowing)
        return Names(groups, " goes to ", " goes to ", " goes to nobody", MOST)

    @staticmethod
    def equal(named: Named, values: Sequence[Value]) -> list[Column]:
        """The claims of some cells: their names, and for each the rest."""
        names = map(named.said, range(len(values)))
        return [named, tuple([equation(name, value).removeprefix(name) for name, value in zip(names, values)])]

    def readers(self, k: int) -> list[Column]:
        """The results that read a cell of an operand, or the one that no longer holds what was read."""
        groups = ((Named(self.result, self.run.result.shape), Way(self.maps[k], True)),)
        nobody = f" is not read for {self.result}" if self.several else " is read by nobody"
        alone = [f" {DECIDES}" if (k, index) in self.run.asked else nobody for index in self.place[k]]
        for (n, index), cells in self.run.over.items():
            one, more = f"{indexed(self.result, cells[0])}, which is", f"{len(cells)} results, which are"
            if n == k:
                alone[self.place[k][index]] = f" is read for {one if len(cells) == 1 else more} then written over"
        alone = alike([None if n in self.maps[k].readers else text for n, text in enumerate(alone)])
        names = Names(groups, " is read by ", " is read for # results: ", "", MOST)
        return [names._replace(none=alone)] if isinstance(alone, str) else [names, alone]

    @cached_property
    def results(self) -> Line:
        """The lines of all results."""
        run, named = self.run, Named(self.result, self.run.result.shape)
        line = self._line(named, [self.forward(cell) for cell in self.cells])
        one = [read[0] if len(read) == 1 else None for read in run.taken.values()]
        sources = [indexed(self.names[read[0]], read[1]) if read else "" for read in one]
        if not sources or line.worked != tuple(sources):
            return line
        groups = []
        for k, (name, x) in enumerate(zip(self.names, run.operands)):
            map = self._map([self.place[k][read[1]]] if read[0] == k else [] for read in one)
            groups += [(Named(name, x.shape), Way(map))] if map.readers else []
        return line._replace(worked=Names(tuple(groups), "", "", "", MOST))

    @cached_property
    def made(self) -> list[Sequence[Column]]:
        """The sentences of all results: how each comes about, and then its line."""
        gives = self.through[-1].gives if self.through else ""
        words = gives or alike([self.says.of(cell) for cell in self.cells])
        return [[Named(self.result, self.run.result.shape), words, ": "], *self.results.columns]

    @property
    def shares(self) -> bool:
        """True where the results are told by the numbers of parts, which are exact."""
        return any(part.lines for part in self.through)

    def collected(self, k: int) -> list[Sequence[Column]]:
        """The sentences of the cells of an operand's gradient: from whom it comes, and then its line."""
        readers, totals = self.sent[k].readers, self.flow.totals[k].reshape(-1)
        groups = ((Named(self.arrives, self.run.result.shape), Way(self.sent[k], True)),)
        nobody = [None if n in readers else f" collects {'what no result sends' if totals[n] else 'nothing'}"
                  for n in range(totals.size)]  # fmt: skip
        alone = alike(nobody)
        names = Names(groups, " collects from ", " collects from # results, ", "", MOST)
        words: list[Column] = [names._replace(none=alone)] if isinstance(alone, str) else [names, alone]
        return [[Named(self.grads[k], self.run.operands[k].shape), *words, ": "], *self.gradients[k].columns]

    @cached_property
    def gradients(self) -> dict[int, Line]:
        """The lines of all cells of each operand that has a gradient, on the backward side."""
        named = {k: Named(self.grads[k], self.run.operands[k].shape) for k in self.flowing}
        return {k: self._line(named[k], [self.backward(k, index) for index in self.place[k]]) for k in self.flowing}

    @staticmethod
    def _line(named: Named, lines: Sequence[Sequence[str]]) -> Line:
        """Returns lines of up to four pieces, one for each cell, as columns.

        The first is by the cell's name if all begin so.
        """
        filled = [(*pieces, *[""] * (4 - len(pieces))) for pieces in lines]
        head, *others = zip(*filled) if filled else [()] * 4
        names = [named.said(n) for n in range(len(lines))]
        plain = all(text.startswith(f"{name} ") for text, name in zip(head, names))
        after = alike([text.removeprefix(name) for text, name in zip(head, names)]) if plain else ""
        return Line(named if plain else head, after, *map(alike, others))

    def forward(self, cell: Index) -> tuple[str, ...]:
        """The formula of a result in numbers.

        Before it stands what an index is that decides, or of which numbers it takes one.
        """
        run, node, name = self.run, self.nodes[cell], indexed(self.result, cell)
        value = exact(run.result[cell])[0]
        if (claim := self._weighed(name, cell, value)) is not None:
            return claim.pieces
        about, _, _, text = Claim(name, Leaf(value), value).pieces
        if not run.cells[cell]:
            decided = run.asked or any(run.compared.values())  # so that it is not this one
            return about, text, "" if decided else ", and nothing was read for it"
        formula, used = ("", "", ""), [node.read]
        if self.through and (results := self.through[-1].results):
            by_parts = Claim(name, results[self.cells[cell]], value, room=self._room(name, value))
            if by_parts.holds:
                return by_parts.pieces
        if node.sign and not isinstance(value, bool):
            if told_so := self._told(name, node, value) or self._told(name, self._as_run[cell], value):
                formula, used = told_so[0].pieces[1:], told_so[1]
        tells = [read for read in run.compared[cell] if read not in used]
        if node.sign and not formula[0]:
            tells = run.cells[cell]
        among = [read for read in tells if node.read and read[0] == node.read[0]]
        rest = [self._is(*read) for read in tells if read not in among]
        before = f"{' and '.join(rest)}: " if 0 < len(rest) <= TOLD else ""
        if formula[0]:
            return f"{before}{name} = ", *formula
        if node.read and self._number(node.read) not in (value, *([] if value == value else [self._number(node.read)])):
            return f"{before}from ", self._spelled([node.read]), f" comes {about}", text
        source = indexed(self.names[node.read[0]], node.read[1]) if node.read else ""
        if among:
            shown = self._spelled(sorted([*among, node.read]), False)
            return f"{before}of ", shown, f", {name} takes {Claim(source, Leaf(value), value).pieces[0]}", text
        if source:
            head, *pieces = Claim(name, Leaf(value, source), value).pieces
            return before + head, *pieces
        if before:
            return f"{before}{about}", text
        return "from ", self._spelled(tells), f" comes {about}", text

    def _weighed(self, name: str, cell: Index, value: Value) -> Claim | None:
        """The claim of a result as the weights that are drawn have it; None of what is no attention."""
        if self.weighed is None:
            return None
        rows = [(k[0], self._number((2, k))) for n, k in sorted(self.run.cells[cell]) if n == 2]
        pairs = [(float(self.weighed[cell[0], row]), number) for row, number in rows]
        claim = Claim(name, of_pairs(pairs), value, room=FULL)
        return claim if pairs and claim.holds else None

    @cached_property
    def back(self) -> list[dict[Index, Node]]:
        """The formulas of each operand's gradient, the upstream gradient first."""
        return [nodes(trees, self._number, self.shares, len(self.names)) for trees in self.flow.trees]

    @cached_property
    def _as_run(self) -> dict[Index, Node]:
        """The formulas as they were worked out, of numbers so large that what softmax takes off them tells."""
        return nodes(self.run.trees, self._number, whole=True)

    @staticmethod
    def _room(name: str, value: Value) -> int:
        """The most characters of a formula in the line of a cell."""
        return max(SHORT, FULL - len(f"{name} = {spell(value)}  ≈ "))

    def _told(self, name: str, node: Node, value: Value) -> tuple[Claim, list[Read]] | None:
        """The formula of a cell that has room in its line."""
        return told(name, node, value, self._room(name, value), bits_of(self.run.result.dtype))

    def _spelled(self, reads: Sequence[Read], whose: bool = True) -> str:
        """The numbers that were read, and whose they are if that is not plain."""
        of = {k: [equation("", self._number((k, index))) for n, index in reads if n == k] for k, _ in reads}
        whose = whose and not len(of) == len(reads) == 1 == len(self.run.counted)
        listed = [some_of(some, ", ") + f" of {self.names[k]}" * whose for k, some in sorted(of.items())]
        return " and ".join(listed)

    def _is(self, k: int, index: Index) -> str:
        """The value of an operand's cell, in words."""
        return f"{indexed(self.names[k], index)} is {equation('', self._number((k, index)))}"

    def backward(self, k: int, index: Index) -> tuple[str, ...]:
        """The formula of a gradient: what each reader sends back."""
        total = exact(self.flow.totals[k][index])[0] + 0.0
        name, verb = indexed(self.grads[k], index), self.gets[k].strip()
        head, (alone, _, _, text) = f"{name} {verb} ", Claim(name, Leaf(total), total, verb=verb).pieces
        sent, node = self.flow.factors[k].get(index, {}), self.back[k].get(index)
        if self.weighed is not None and k == 2 and sent:
            pairs = [(float(self.weighed[cell[0], index[0]]), exact(self.flow.upstream[cell])[0]) for cell in sent]
            if (claim := Claim(name, of_pairs(pairs), total, verb=verb, room=FULL)).holds:
                return claim.pieces
        if not sent:
            why = ": the engine sends it, although no result moves with it" if total else self._why(k, index)
            return alone, text, why
        if node and node.read:
            return Claim(name, Leaf(total, indexed(self.arrives, node.read[1])), total, verb=verb).pieces
        if node and node.sign and (formula := self._told(name, node, total)):
            return head, *formula[0].pieces[1:]
        terms = [(exact(self.flow.upstream[cell])[0], factor) for cell, factor in sent.items()]
        return Claim(name, of_pairs(terms), total, verb=verb, room=FULL).pieces

    def result_line(self, cell: Index) -> tuple[str, ...]:
        """The line of a result."""
        return self.results.pieces(self.cells[cell])

    @staticmethod
    def sentence(said_so: Sequence[Sequence[Column]], n: int) -> str:
        """The sentence of one cell."""
        return "".join(said(column, n) for piece in said_so for column in piece) + "."

    def longest(self, enough: int) -> int:
        """The length of the longest line; of more than `enough` any."""
        longest = 1
        lines = [(self.results, self.cells), *((self.gradients[k], self.place[k]) for k in self.flowing)]
        for line, n in ((line, n) for line, cells in lines for n in range(len(cells))):
            longest = max(longest, len("".join(line.pieces(n))))
            if longest > enough:
                return longest
        return longest

    def _why(self, k: int, index: Index) -> str:
        """The reason why a cell has a gradient of 0 that nobody sends."""
        if self.place[k][index] not in self.maps[k].readers:
            why = f"{indexed(self.names[k], index)} {DECIDES}" if (k, index) in self.run.asked else "nobody reads it"
            return ": what read it was written over" if (k, index) in self.run.over else f": {why}"
        kink = self._kink(k, index)
        if kink == "withheld":
            return ": a result moves with it, but the operation withholds its gradient"
        return f": PyTorch's choice where the {kink} jumps" if kink else ": all that the results send it is 0"

    def _kink(self, k: int, index: Index) -> str | None:
        """The kind of jump at a cell whose gradient is 0 and that moves a result."""
        if k not in self._kinks:
            factors, readers = self.flow.factors[k], self.maps[k].readers
            still = [at for at, n in self.place[k].items() if n in readers and not factors.get(at)]
            self._kinks[k] = self.steps.kinks(k, still)
        return self._kinks[k].get(index)


def some_of(parts: Sequence[str], between: str) -> str:
    """The parts of a formula, of many the first ones and the last."""
    return between.join(parts if len(parts) <= TERMS else [*parts[: TERMS - 2], "...", parts[-1]])

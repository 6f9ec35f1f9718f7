"""The origin of a number of a leaf's gradient, a part of show.backward.

A number is a sum of products of kept numbers and of gradients further on, down to the slots that were read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...autograd.origin import same
from ...claims.claim import Claim
from ...claims.digits import bracketed, is_exact, spell
from ...claims.tree import Leaf, of_pairs
from ...scene import Link, Links, Look, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import cut, shorten, width
from ...tensor import history_of
from ..kit.dag import LOW, TOP, panel
from ..kit.line import flow
from ..words.rule import wrt
from ..words.sentences import indexed, listed
from .column import TALL, Column, places_of
from .trace import NUMBERS, Key, Read, Slot, Trace

ROOM, AIR, WORDS = RIGHT - LEFT - 50, 20, 58
"""The width of the panel within, but for an arrow at its end; room between columns; the height of the lines of words
below."""

HIGH = LOW - TOP - WORDS - 6
"""The height there is for columns: storages that do not fit are left out, the nearest come first."""

ARCS, DIP = 3, 20
"""The most arrows between columns that do not stand side by side, and the room that those take below them."""

MOST, LEAST = 6, 3
"""The most products of a number that are written, and how many are where there is no room."""

HOOKED = "which a hook made"


class Sum(NamedTuple):
    """A number that is drawn, with its name, its products in symbols and numbers, the sign, and its value."""

    name: str
    symbols: str
    products: str
    equals: str
    total: str


class Origin:
    """The gradients from one leaf to where backward began, and below them the storages that their rules read.

    Attributes:
        name: of the leaf's gradient. first: its numbers. fits: whether it is small enough to be drawn. height: of all.
        cells: the id of each number drawn, and slots: of each slot; shown: the number that each id is of, where
        several gradients have the same. sums: what each of these is made of.
    """

    def __init__(self, trace: Trace, history: Any, name: str, letter: str, digits: int):
        self.trace, self.name, self.letter, self.digits = trace, name, letter, digits
        self.first = trace.leaf(history)
        self.fits = bool(self.first)
        if self.fits:
            way, self.whole = trace.way(self.first)
            self._arrange(way)
            self.shown = dict((id, key) for key, id in reversed(self.cells.items()))
            self.claims: dict[Key, Claim] = {}
            self.sums = {key: self._sum(key) for key in self.shown.values()}

    # -- where it stands ---------------------------------------------------------------------------------------------

    def _arrange(self, way: list[tuple[Any, list[Key]]]) -> None:
        """Places the columns in lines: the gradients, then the storages."""
        known = self.trace.known
        numbers = [*self.first, *(key for _, keys in way for key in keys)]
        self.cells: dict[Key, str] = {key: f"{self.letter}q{n}" for n, key in enumerate(self.first)}
        columns = [self._gradient(heading, keys) for heading, keys in self._headed(way, numbers)]
        while len(columns) > 2 and len(_lines(columns)) > 2:
            self.whole = False
            gone = columns.pop()
            self.cells = {key: id for key, id in self.cells.items() if id not in gone.ids}
        for _, keys in reversed(way):  # what passes a number on shows it where it stands
            for key in keys:
                terms = known[key].terms
                if key not in self.cells and len(terms) == 1 and terms[0].factor == 1:
                    if terms[0].upstream in self.cells:
                        self.cells[key] = self.cells[terms[0].upstream]
        joined = {(self.where.get(key[0]), self.where.get(term.upstream[0])) for key in numbers
                  for term in known[key].terms}  # fmt: skip
        self.joins = {(a, b) for a, b in joined if None not in (a, b) and a != b and b < len(columns)}
        lines = _lines(columns)
        self.fits = max(column.wide for column in columns) <= ROOM and len(lines) < 3
        self.arcs = self._arcs(lines)
        self.reads = {key: self._kept(key) for key in self.cells}
        self.slots: dict[Slot, str] = {}
        stores = self._storages()
        flat = all(column.rows == 1 for column in lines[-1])
        while True:
            self.lines = _lines([*columns, *stores]) if flat else [*lines, *_lines(stores)]
            self.height = sum(map(self._tall, self.lines)) + WORDS
            if not stores or self.height <= HIGH + WORDS and max(column.wide for column in stores) <= ROOM:
                break
            gone = stores.pop()
            self.slots = {slot: id for slot, id in self.slots.items() if id not in gone.ids}

    def _headed(self, way: list[tuple[Any, list[Key]]], numbers: list[Key]) -> Iterator[tuple[str, list[Key]]]:
        """Yields the heading and the numbers of each column.

        `called` is the name of each gradient, `where` its column.
        """
        leaf = self.first[0][0]
        self.called: dict[int, str] = {leaf: self.name}
        self.where: dict[int, int] = {leaf: 0}
        yield self.name, self.first
        readers = Counter(term.upstream for key in numbers for term in self.trace.known[key].terms)
        same: dict[int, str] = {}
        columns = 1
        for n, (node, keys) in enumerate(way):
            self.called[node.number] = same[node.number] = self.trace.arriving(node)
            on = way[n + 1][1] if n + 1 < len(way) else []
            if self.trace.passes(keys, on) and all(readers[key] == 1 for key in on):
                continue  # the same numbers again, and no other way to them: one column for both
            names = list(same.values())
            self.where |= dict.fromkeys(same, columns)
            yield ", ".join(names) if len(names) < 3 else f"{names[0]} … {names[-1]}", keys
            same, columns = {}, columns + 1

    def _gradient(self, heading: str, keys: list[Key]) -> Column:
        for key in keys:
            self.cells.setdefault(key, f"{self.letter}u{len(self.cells) - len(self.first)}")
        places = places_of([index for _, index in keys])
        values = [self.trace.known[key].value for key in keys]
        return Column("grad", heading, [self.cells[key] for key in keys], values, places, self.digits)

    def _arcs(self, lines: list[list[Column]]) -> dict[tuple[int, int], str]:
        """Returns the ids of the arrows that leave out columns of their line."""
        row = [n for n, line in enumerate(lines) for _ in line]
        far = sorted((a, b) for a, b in self.joins if b - a > 1 and row[a] == row[b])
        return {join: f"{self.letter}j{n}" for n, join in enumerate(far)} if len(far) <= ARCS else {}

    def _tall(self, line: list[Column]) -> float:
        gradients = any(column.kind == "grad" for column in line)
        return max(column.tall for column in line) + 8 + (DIP if gradients and self.arcs else 0)

    def _kept(self, key: Key) -> list[Read]:
        """Returns the kept numbers of which a number is made, if what they are multiplied with is drawn."""
        terms = self.trace.known[key].terms
        if not terms or any(term.upstream not in self.cells for term in terms):
            return []
        return [read for reads in self.trace.reads(key) for read in reads]

    def _storages(self) -> list[Column]:
        """Returns a column for each storage that the drawn gradients' rules read, with the slots read."""
        read: dict[tuple, dict[int, float]] = {}
        for (store, slot), _, _, value in (read for reads in self.reads.values() for read in reads):
            read.setdefault(store, {})[slot] = value
        columns, kind = [], ""
        for store, slots in read.items():
            if len(slots) > NUMBERS:
                continue
            order = sorted(slots)
            ids = [f"{self.letter}s{len(self.slots) + n}" for n in range(len(order))]
            self.slots |= {(store, slot): id for slot, id in zip(order, ids, strict=True)}
            before, kind = kind, "value" if store[1] <= self.trace.y.element_size() else "storage"
            heading = f"of {self.trace.stores[store]}" if kind == before else f"{kind} of {self.trace.stores[store]}"
            addresses = list(map(str, order)) if kind == "storage" else ()  # a number alone stands in slot 0
            lead = "slot" if addresses and kind != before else ""
            values, places = [slots[slot] for slot in order], [(0, n) for n in range(len(order))]
            columns.append(Column("value", heading, ids, values, places, self.digits, addresses, lead))
        return columns

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def draw(self, y: float) -> Shape:
        """Draws the cells, arrows back between the gradients, and the lines of words, on a panel out of sight."""
        low, letter = self.height, self.letter
        symbols = draw.text(16, low - 40, "", "mono muted", draw.LABEL, id=f"{letter}d")
        pieces = ((f"{letter}a", "muted"), (f"{letter}b", "grad-ink strong"), (f"{letter}c", "lit-ink"))
        numbers = flow(*pieces, (f"{letter}e", "muted"), x=16, y=low - 14, size=draw.LABEL)
        inner = (panel(RIGHT - LEFT, low), *self._columns(), symbols, numbers)
        return draw.group(letter, *inner, cls="aside off", at=(LEFT, y))

    def _columns(self) -> Iterator[Shape]:
        gradients = [column for line in self.lines for column in line if column.kind == "grad"]
        y, last, middle = 8.0, gradients[-1], []
        for line in self.lines:
            x = 16.0
            for n, column in enumerate(line):
                yield from column.draw(x, y)
                if n and column.kind == "grad" and self._told(len(middle)):
                    yield draw.text(x - AIR / 2, y + 22 + TALL * 0.7, "←", "muted caption", draw.NUMBER, "middle")
                if column.kind == "grad":
                    middle.append((x + column.side / 2, y + column.tall))
                x += column.wide + AIR
                goes_on = not self.whole if column is last else column is line[-1] and column.kind == "grad"
                if goes_on:
                    more = "← …" if column is last else "←"
                    yield draw.text(x - AIR + 4, y + 22 + TALL * 0.7, more, "muted caption", draw.NUMBER)
                    x += AIR
            y += self._tall(line)
        for (a, b), id in self.arcs.items():
            (x1, y1), (x2, y2) = middle[b], middle[a]
            low = max(y1, y2) + DIP + 4
            d = f"M{x1:g} {y1:g}C{x1:g} {low:g} {x2:g} {low:g} {x2:g} {y2:g}m-5 7l5 -7l5 7"
            yield Shape("path", id, ("edge",), (("d", d),))

    def _told(self, k: int) -> bool:
        """True if an arrow joins a column to the one before, and no other arrow that this needs is missing."""
        drawn = ((a, b) in self.arcs or b == k for a, b in self.joins if a == k - 1)
        return (k - 1, k) in self.joins and all(drawn)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yields the rows of cells of the gradients, for the arrow keys."""
        for column in (column for line in self.lines for column in line if column.kind == "grad"):
            for row in range(column.rows):
                yield tuple(id for id, place in zip(column.ids, column.places, strict=True) if place[0] == row)

    # -- what is said ------------------------------------------------------------------------------------------------

    def _called(self, key: Key) -> str:
        result, index = self.trace.place(key)
        voice = self.trace.voice
        return indexed(wrt(result, voice.taken) if result else self.called.get(key[0], voice.arrives), index)

    def _sum(self, key: Key) -> Sum:
        total, summed, terms, _ = self.trace.known[key]
        products = of_pairs((term.factor, term.value) for term in terms) if terms else Leaf(summed)
        claim = Claim(self._called(key), products, summed, digits=self.digits, most=MOST)
        self.claims[key] = claim
        about, products, equals, value = claim.pieces
        equals = (equals or about.removeprefix(claim.about)).strip()
        if not same(summed, total):
            value = spell(total, self.digits)
            near = " ≈" * (not is_exact(value, total))
            equals = f"{equals} {spell(summed, self.digits)}, {HOOKED}{near}"
        return Sum(claim.about, self._symbols(key), products, equals, value)

    def _symbols(self, key: Key) -> str:
        """Returns a number in symbols, `w[0]·d(mul)[0] + dy`; nothing where these would not tell all.

        Each factor is one number that was kept, or a 1 that nobody kept.
        """
        products: list[str] = []
        terms = self.trace.known[key].terms if self.reads[key] else ()
        for n, (term, reads) in enumerate(zip(terms, self.trace.reads(key) if terms else (), strict=True)):
            if not reads and term.factor == 1:
                products.append(self._called(term.upstream))
                continue
            if len(reads) != 1 or reads[0].value != term.factor or not self.trace.multiplies(key, n):
                return ""
            _, source, place, _ = reads[0]
            here = f"[{', '.join(map(str, place))}]" if place else ""
            products.append(f"{source}{here}·{self._called(term.upstream)}")
        return " + ".join(products)

    def further(self, key: Key) -> str:
        """Says the sum behind a number, where one of those that it is made of is a sum itself.

        As `dc = 1·1 + 5·1 = 6`, if it stands with as many digits in the sum of the number.
        """
        sums = {term.upstream: None for term in self.trace.known[key].terms
                if term.upstream in self.cells and len(self.trace.known[term.upstream].terms) > 1}  # fmt: skip
        if len(sums) != 1:
            return ""
        name, _, *sum_ = self.sums[next(iter(sums))]
        seen = f"·{bracketed(sum_[-1])} " in self.sums[key][2] + " "
        return f"{name} = {' '.join(sum_)}" if seen or len(self.trace.known[key].terms) > 5 else ""

    def worth(self, key: Key) -> tuple[bool, ...]:
        """Returns how much there is to see in a number's origin: not 0, sums, and slots read."""
        return self.trace.known[key].value != 0, len(self.trace.known[key].terms) > 1, bool(self.slots)

    def _sentence(self, key: Key) -> str:
        """The sentence for a number that is drawn."""
        (name, _, products, equals, total), further = self.sums[key], self.further(key)
        summed = "added up, because it was read more than once"
        if not products:
            return f"{name} {equals} {total}: {self._why(key, total)}."
        sentence = f"{name} = {products} {equals} {total}"
        if " + " in products:
            return f"{sentence}: {summed}{f'; {further}' if further else ''}."
        return f"{sentence}: {further}, {summed}." if further else f"{sentence}."

    def _why(self, key: Key, total: str) -> str:
        """Says why a number is not made of products."""
        if key[0] == history_of(self.trace.y).number:
            return "backward began with it"
        if total == "nan":
            return "inf or nan meets a 0 on the way to it, or takes part in a sum"
        node = next(node for node in self.trace.graph if getattr(node.history, "number", None) == key[0])
        reads, (result, index) = self.trace.graph.users(node.id), self.trace.place(key)
        users = [user for user, _ in reads]
        if result and all(user.operands[k] != node.refs[key[1][0]] for user, k in reads):
            return f"nobody reads {result}"
        if row := [n for n in index[:1] if {dict(u.attrs).get("padding_idx") for u in users} == {n}]:
            return f"row {row[0]} is padding, which gets no gradient"
        if picks := self.trace.unread(node.history):
            does = "does" if len(picks) == 1 else "do"
            return f"{listed(picks)} {does} not read {indexed(result or self.trace.called(node.history), index)}"
        return "all that would lead to it is multiplied by 0"

    def links(self, opens: Look, boxes: Callable[[frozenset[int]], Iterable[str]]) -> Links:
        """Lets each number light all that it is made of, and `boxes` of the nodes with those gradients."""
        links = {}
        for id, key in self.shown.items():
            name, symbols, products, equals, total = self.sums[key]
            symbols = terms_within(symbols and f"= {symbols}", RIGHT - LEFT - 32)
            line = (f"{name} = ", products, f" {equals} {total}") if products else (f"{name} {equals} ", "", total)
            claim, most = self.claims[key], int((RIGHT - LEFT - 32) / width("0", draw.LABEL, mono=True))
            while len("".join(line)) > most and claim.most > LEAST and line[1] == claim.pieces[1]:
                claim = replace(claim, most=claim.most - 1)
                line = line[0], claim.pieces[1], line[2]
            args = (*cut(line, most), symbols)
            room = RIGHT - LEFT - 32 - width("".join(args[:3]), draw.LABEL, mono=True)
            further = (further := self.further(key)) and f"    {further}"
            further = shorten(further, room, draw.LABEL, mono=True)  # an ellipsis where no room is left
            args += (further, self._sentence(key))
            lights, nodes = self._behind(key)
            links[id] = Link((*lights, *boxes(nodes)), args)
        sets = {(f"{self.letter}{part}", "text"): (i,) for i, part in enumerate("abcde")}
        return Links((5,), links, sets, opens=opens)

    def _behind(self, key: Key) -> tuple[Iterable[str], frozenset[int]]:
        """Returns the ids of a number's cell and of all behind it, and the nodes with those gradients."""
        lit, todo, seen = {self.cells[key]: None}, [key], {key}
        while todo:
            key = todo.pop()
            lit.update((self.slots[read.slot], None) for read in self.reads[key] if read.slot in self.slots)
            for upstream in (term.upstream for term in self.trace.known[key].terms if term.upstream in self.cells):
                join = self.where.get(key[0]), self.where.get(upstream[0])
                if join in self.arcs:
                    lit[self.arcs[join]] = None
                if upstream not in seen:
                    lit[self.cells[upstream]] = None
                    seen.add(upstream)
                    todo.append(upstream)
        return lit, frozenset(number for number, _ in seen)


def _lines(columns: Sequence[Column]) -> list[list[Column]]:
    """Returns columns as they stand in lines, with room at the end of each for an arrow."""
    lines: list[list[Column]] = []
    for column in columns:
        if lines and sum(other.wide + AIR for other in lines[-1]) + column.wide <= ROOM:
            lines[-1].append(column)
        else:
            lines.append([column])
    return lines


def terms_within(text: str, room: float) -> str:
    """The first terms of a sum that fit into so many pixels, and an ellipsis for the others.

    >>> terms_within("= a·b + c·d + e·f", 100), terms_within("= a·b", 100)
    ('= a·b + …', '= a·b')
    """
    terms, most = text.split(" + "), len(text)
    while width(text, draw.LABEL, mono=True) > room and len(terms) > 1:
        terms.pop()
        text = " + ".join([*terms, "…"])
    return text if len(text) < most else shorten(text, room, draw.LABEL, mono=True)

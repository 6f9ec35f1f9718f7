"""Where the numbers of a leaf's gradient come from: gradients on the way, number by number, and the slots they read."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from ..scene import Shape, draw
from ..scene.measure import width
from ..tensor import history_of
from .kit.dag import LEFT, LOW, RIGHT, TOP
from .trace import Key, Read, Slot, Trace
from .words.numbers import as_written, bracketed, sign

NUMBERS, GRADIENTS, ROWS = 24, 12, 4
"""The most numbers of one gradient that are drawn, the most gradients on the way, the most rows of a matrix."""

ROOM, AIR, TALL, SLOT, WORDS = RIGHT - LEFT - 50, 20, 26, 48, 58
"""The width of the panel within, but for an arrow at its end; room between columns; heights of a cell of a grid, of a
slot with its address, and of the lines of words below."""

HIGH = LOW - TOP - WORDS - 6
"""The height there is for columns: storages that do not fit are left out, the nearest come first."""

ARCS, DIP = 3, 20
"""The most arrows between columns that do not stand side by side, and the room that those take below them."""

DIGIT = 14.5
"""The font size of numbers."""


class Column:
    """Numbers that stand together: of a gradient, in the shape of its tensor, or a storage, in a line."""

    def __init__(self, heading: str, ids: Sequence[str], values: Sequence[float], places: Sequence[tuple[int, int]],
                 digits: int, addresses: Sequence[str] = (), lead: str = ""):  # fmt: skip
        self.heading, self.ids, self.places, self.addresses = heading, ids, places, addresses
        self.rows, self.across = (1 + max((place[k] for place in places), default=0) for k in (0, 1))
        self.words = [draw.tight(draw.spell(value, digits)) for value in values]
        self.side = max(34.0, round(width(max(self.words, key=len), DIGIT, mono=True) + 6))
        self.lead, self.left = lead, width(lead, draw.SMALL) + 8 if lead else 0.0
        self.wide = self.left + max(self.across * (self.side + 2) - 2, width(heading, draw.SMALL, mono=True))

    @property
    def tall(self) -> float:
        """Its height, heading included."""
        return 24 + (SLOT if self.addresses else self.rows * (TALL + 2))

    def draw(self, x: float, y: float) -> Iterator[Shape]:
        """Its heading and its cells."""
        kind = "grad" if self.ids[0][2] in "qu" else "value"
        if self.lead:
            yield draw.text(x, y + 22 + SLOT - 6, self.lead, "muted caption", draw.SMALL)
        x += self.left
        yield draw.text(x, y + 14, self.heading, f"mono {kind}-ink caption", draw.SMALL)
        for n, (id, words, (row, column)) in enumerate(zip(self.ids, self.words, self.places, strict=True)):
            at = x + column * (self.side + 2), y + 22 + row * (TALL + 2)
            address = self.addresses[n] if self.addresses else ""
            yield draw.cell(id, *at, words, kind, self.side, TALL, DIGIT, address)


class Origin:
    """The gradients from one leaf to where backward began, and below them the storages that their rules read.

    Attributes:
        first: the numbers of the leaf's own gradient. fits: whether it is small enough to be drawn. height: of it all.
    """

    def __init__(self, trace: Trace, history: Any, name: str, letter: str, digits: int):
        self.trace, self.name, self.letter, self.digits = trace, name, letter, digits
        shape = tuple(history.out.shape)
        self.first = trace.leaf(history) if prod(shape) <= NUMBERS and trace.y.numel() else []
        self.height, self.lines = 0.0, []
        self.fits = bool(self.first)
        if self.fits:
            way, self.whole = trace.columns(self.first, GRADIENTS, NUMBERS)
            self._arrange(way)

    def _arrange(self, way: list[tuple[int, list[Key]]]) -> None:
        """Lines of columns: the gradients, then the storages."""
        self.cells: dict[Key, str] = {key: f"{self.letter}q{n}" for n, key in enumerate(self.first)}
        self.called: dict[int, str] = {self.first[0][0]: f"{self.name}.grad"}
        shown = [(f"{self.name}.grad", self.first)]
        names: list[str] = []
        where, waiting = {self.first[0][0]: 0}, []
        known, numbers = self.trace.known, [*self.first, *(key for _, keys in way for key in keys)]
        readers = Counter(term.upstream for key in numbers for term in known[key].terms)
        for n, (number, keys) in enumerate(way):
            names.append(self.trace.called(self.trace.nodes[number]))
            waiting.append(number)
            self.called[number] = f"g of {names[-1]}"
            on = way[n + 1][1] if n + 1 < len(way) else []
            if self.trace.passes(keys, on) and all(readers[key] == 1 for key in on):
                continue  # the same numbers again, and no other way to them: one column for both
            shown.append((f"g of {', '.join(names) if len(names) < 3 else f'{names[0]} … {names[-1]}'}", keys))
            where |= dict.fromkeys(waiting, len(shown) - 1)
            names, waiting = [], []
        self.where = where
        upstream = [(key[0], term.upstream[0]) for key in numbers for term in known[key].terms]
        joined = {(where[a], where[b]) for a, b in upstream if a in where and b in where and where[a] != where[b]}
        made = [self._gradient(heading, keys) for heading, keys in shown]
        while len(made) > 2 and len(_lines(made)) > 2:
            self.whole = False
            gone = made.pop()
            self.cells = {key: id for key, id in self.cells.items() if id not in gone.ids}
        for _, keys in reversed(way):  # what passes a number on shows it where it stands
            for key in keys:
                terms = self.trace.known[key].terms
                if key not in self.cells and len(terms) == 1 and terms[0].factor == 1:
                    if terms[0].upstream in self.cells:
                        self.cells[key] = self.cells[terms[0].upstream]
        self.joins = {(a, b) for a, b in joined if b < len(made)}
        self.slots: dict[Slot, str] = {}
        stores = self._storages()
        self.fits = max(column.wide for column in made) <= ROOM and len(_lines(made)) < 3
        self.arcs = self._arcs(_lines(made))
        flat = all(column.rows == 1 for column in _lines(made)[-1])
        while True:
            self.lines = _lines([*made, *stores]) if flat else [*_lines(made), *_lines(stores)]
            self.height = sum(map(self._tall, self.lines)) + WORDS
            if not stores or self.height <= HIGH + WORDS and max(column.wide for column in stores) <= ROOM:
                break
            gone = stores.pop()
            self.slots = {slot: id for slot, id in self.slots.items() if id not in gone.ids}

    def _arcs(self, lines: list[list[Column]]) -> dict[tuple[int, int], str]:
        """The ids of the arrows that leave out columns of their line."""
        row = [n for n, line in enumerate(lines) for _ in line]
        far = sorted((a, b) for a, b in self.joins if b - a > 1 and row[a] == row[b])
        return {join: f"{self.letter}j{n}" for n, join in enumerate(far)} if len(far) <= ARCS else {}

    def _told(self, a: int, b: int) -> bool:
        """Whether an arrow joins two columns side by side, and none is missing that the first needs as well."""
        drawn = ((k, n) in self.arcs or n == k + 1 for k, n in self.joins if k == a)
        return (a, b) in self.joins and all(drawn)

    def _tall(self, line: list[Column]) -> float:
        gradients = any(column.ids[0] in self.cells.values() for column in line)
        return max(column.tall for column in line) + 8 + (DIP if gradients and self.arcs else 0)

    def _gradient(self, heading: str, keys: list[Key]) -> Column:
        for key in keys:
            self.cells.setdefault(key, f"{self.letter}u{len(self.cells) - len(self.first)}")
        places = _places([index for _, index in keys])
        values = [self.trace.known[key].value for key in keys]
        return Column(heading, [self.cells[key] for key in keys], values, places, self.digits)

    def _storages(self) -> list[Column]:
        """The storages that the rules of the gradients drawn read, each with the slots read."""
        read: dict[tuple, dict[int, float]] = {}
        for key in self.cells:
            for (store, slot), _, _, value in self._kept(key):
                read.setdefault(store, {})[slot] = value
        columns, kind = [], ""
        for store, slots in read.items():
            if len(slots) > NUMBERS:
                continue
            order = sorted(slots)
            ids = [f"{self.letter}s{len(self.slots) + n}" for n in range(len(order))]
            self.slots |= {(store, slot): id for slot, id in zip(order, ids, strict=True)}
            values = [slots[slot] for slot in order]
            before, kind = kind, "value" if store[1] <= self.trace.y.element_size() else "storage"
            heading = f"of {self.trace.stores[store]}" if kind == before else f"{kind} of {self.trace.stores[store]}"
            places = [(0, n) for n in range(len(order))]
            addresses = list(map(str, order)) if kind == "storage" else ()  # a number alone stands in slot 0
            lead = "slot" if addresses and kind != before else ""
            columns.append(Column(heading, ids, values, places, self.digits, addresses, lead))
        return columns

    def draw(self) -> Iterator[Shape]:
        """The cells, and arrows back between the gradients."""
        gradients = [column for line in self.lines for column in line if column.ids[0] in self.cells.values()]
        y, last, middle = 8.0, gradients[-1], {}
        for line in self.lines:
            x = 16.0
            for n, column in enumerate(line):
                yield from column.draw(x, y)
                k = gradients.index(column) if column in gradients else None
                if n and k and self._told(k - 1, k):
                    yield draw.text(x - AIR / 2, y + 22 + TALL * 0.7, "←", "muted caption", 16, "middle")
                middle[k] = x + column.side / 2, y + column.tall
                x += column.wide + AIR
                goes_on = not self.whole if column is last else column is line[-1] and column in gradients
                if goes_on:
                    more = "← …" if column is last else "←"
                    yield draw.text(x - AIR + 4, y + 22 + TALL * 0.7, more, "muted caption", 16)
                    x += AIR
            y += self._tall(line)
        for (a, b), id in self.arcs.items():
            (x1, y1), (x2, y2) = middle[b], middle[a]
            low = max(y1, y2) + DIP + 4
            d = f"M{x1:g} {y1:g}C{x1:g} {low:g} {x2:g} {low:g} {x2:g} {y2:g}m-5 7l5 -7l5 7"
            yield Shape("path", id, ("edge",), (("d", d),))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells of the gradients, for the arrow keys."""
        cells = self.cells.values()
        for column in (column for line in self.lines for column in line if column.ids[0] in cells):
            for row in range(column.rows):
                yield tuple(id for id, place in zip(column.ids, column.places, strict=True) if place[0] == row)

    def _kept(self, key: Key) -> list[Read]:
        """The kept numbers that a number is made of, if what they are multiplied with is drawn."""
        terms = self.trace.known[key].terms
        if not terms or any(term.upstream not in self.cells for term in terms):
            return []
        return [read for reads in self.trace.reads(key) for read in reads]

    def behind(self, key: Key) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The ids of a number's cell and of all that it is made of, down to slots; and whose gradients they are of."""
        found, todo, seen = {self.cells[key]: None}, [key], {key}
        while todo:
            key = todo.pop()
            found.update((self.slots[read.slot], None) for read in self._kept(key) if read.slot in self.slots)
            for term in self.trace.known[key].terms:
                join = self.where.get(key[0]), self.where.get(term.upstream[0])
                if term.upstream in self.cells and join in self.arcs:
                    found[self.arcs[join]] = None
                if term.upstream in self.cells and term.upstream not in seen:
                    found[self.cells[term.upstream]] = None
                    seen.add(term.upstream)
                    todo.append(term.upstream)
        return tuple(found), tuple(dict.fromkeys(number for number, _ in seen))

    def sums(self) -> Iterator[tuple[Key, str, tuple[str, str, str, str, str]]]:
        """For each number drawn its cell, and its sum: whose it is, what it is made of in symbols and in numbers, `=`
        or `≈`, and what it is."""
        for key, id in self.cells.items():
            yield key, id, (self._called(key), self._symbols(key), *self._sum(key))

    def _called(self, key: Key) -> str:
        number, index = key
        return self.called.get(number, "g") + (f"[{', '.join(map(str, index))}]" if index else "")

    def _sum(self, key: Key) -> tuple[str, str, str]:
        total, terms = self.trace.known[key]
        products = " + ".join(f"{self._bracketed(term.factor)}·{self._bracketed(term.value)}" for term in terms[:5])
        products += " + ..." if len(terms) > 5 else ""
        found = sum(as_written(term.factor, self.digits) * as_written(term.value, self.digits) for term in terms)
        equals = sign([found], [total], self.digits) if terms else "="
        return products, equals, draw.spell(total, self.digits)

    def further(self, key: Key) -> str:
        """The sum behind a number, where one of those that it is made of is itself a sum: `g of c = 1·1 + 5·1 = 6`."""
        sums = {term.upstream: None for term in self.trace.known[key].terms
                if term.upstream in self.cells and len(self.trace.known[term.upstream].terms) > 1}  # fmt: skip
        if len(sums) != 1:
            return ""
        (upstream,) = sums
        return f"{self._called(upstream)} = {' '.join(self._sum(upstream))}"

    def began(self, key: Key) -> bool:
        """Whether a number is one that backward began with."""
        return key[0] == history_of(self.trace.y).number

    def _bracketed(self, value: float) -> str:
        return bracketed(draw.spell(value, self.digits))

    def _symbols(self, key: Key) -> str:
        """`w[0]·g of mul[0] + g of y`, where each factor is one number that was kept, or a 1 that nobody kept."""
        said: list[str] = []
        terms = self.trace.known[key].terms if self._kept(key) else ()
        for term, reads in zip(terms, self.trace.reads(key) if terms else (), strict=True):
            if not reads and term.factor == 1:
                said.append(self._called(term.upstream))
                continue
            if len(reads) != 1 or reads[0].value != term.factor:
                return ""
            _, source, place, _ = reads[0]
            here = f"[{', '.join(map(str, place))}]" if place else ""
            said.append(f"{source}{here}·{self._called(term.upstream)}")
        return " + ".join(said)


def _lines(columns: Sequence[Column]) -> list[list[Column]]:
    """Columns as they stand in lines, with room at the end of each for an arrow."""
    lines: list[list[Column]] = []
    for column in columns:
        if lines and sum(other.wide + AIR for other in lines[-1]) + column.wide <= ROOM:
            lines[-1].append(column)
        else:
            lines.append([column])
    return lines


def _places(indices: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Rows and columns for numbers by their index: the last axis across, all others down; a high stack in lines."""
    if len({index[:-1] for index in indices}) > ROWS:
        return [divmod(n, ROWS + 2) for n in range(len(indices))]
    rows = {head: n for n, head in enumerate(dict.fromkeys(index[:-1] for index in indices))}
    columns = {last: n for n, last in enumerate(sorted({index[-1:] for index in indices}))}
    return [(rows[index[:-1]], columns[index[-1:]]) for index in indices]

"""show.matmul: rows meet columns, and why the gradients need the transposes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ...claims.claim import equation
from ...errors import ArgumentValueError
from ...scene import Figure, Frame, Scene, Shape, draw
from ...scene.draw import BETWEEN, LEFT
from ...scene.measure import width
from ..kit.alignment import Alignment, Index
from ..kit.cells import Cells
from ..kit.line import BACKWARD as BACK, FORWARD as FORMULA, Pointed, flow
from ..kit.reading import COLOURED
from ..kit.story import Story
from ..kit.tracked import Opens, opened
from ..kit.widened import widened
from ..source import Source, exact, source_of, unasked, with_origins
from ..words.caller import caller_text
from ..words.given import Names, named, titled
from ..words.sentences import indexed, names_in
from . import unmatched
from .layout import BELOW, CROSSED, HEAD, TOP, Plan, Trio, plan, trio
from .product import Product, gradients, number

BLOCKS = 3
"""Up to so many products of a batch are drawn."""

ROWS, COLUMNS, MET = 0, 1, 2
"""The axes: rows of a, columns of b, and the one along which they meet."""

FORWARD, BACKWARD = ("abc",), (("dc", "tb", "da"), ("ta", "ec", "db"))
"""The letters of the ids of what meets what, and of what that makes: a @ b, and backward g @ b.T and a.T @ g.

The gradient that arrives stands in both, and lights in both.
"""

FLOWS = {"": (("a", "c"), ("b", "c")), "g": (("dc", "da"), ("tb", "da"), ("ec", "db"), ("ta", "db"))}
"""The letters whose numbers go to those of others."""


def matmul(a: Any, b: Any, *, upstream: Any = None, names: Names = None, title: str | None = None) -> Figure:
    """Shows a product of matrices: each result cell is a row of `a` times a column of `b`.

    Point at a result to see its row and column; at a cell of `a` to see the row of `b` and of the result that it meets.
    `g` turns to the backward side, where the transposes stand beside the gradient that arrives: the indices force them.

    Args:
        a, b: rustyflow tensors, NumPy arrays or PyTorch tensors; batches broadcast. Inner sizes that differ are drawn,
            with what would fit; of larger ones the cells are shades, whose numbers are told. Of more than 4 axes, or
            too many cells, the shapes and the rule are told in words.
            Whole numbers have no gradients, and no backward side.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        names: what to call a and b, ["x", "w"] or {"w": b}; default: the names in the calling line.
        title: the title; default: the product in these names.

    Raises:
        TypeError: not a tensor or array; a name or a title that is no text. ValueError: a scalar, an upstream gradient
        for whole numbers, another number of names than tensors. ShapeError: the upstream's shape.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]]), names=["a", "b"])
        >>> print(figure.state(link="c1").sentence)
        Row 1 of a meets column 0 of b: (a @ b)[1, 0] = 3·5 + 4·6 = 39.
        >>> print(figure.state(link="a2", toggles=("g",)).sentence)
        Row 1 of g meets column 0 of b.T: a.grad[1, 0] = 1·5 = 5.
    """
    caller = caller_text((a, b))
    called = named(names, [a, b], caller.names([a, b], "abcdefgh"))
    sources = [source_of(x, name) for x, name in zip((a, b), called, strict=True)]
    left, right = with_origins(sources, (a, b), caller.arguments if names is None else ())
    stands = [] if names is not None else [*filter(None, caller.letters(called))]
    return widened(figure_of(left, right, upstream, stands, titled(title) or "", caller.variables), sources)


def scene_of(*told: Any) -> Scene:
    """Returns the scene of `figure_of`, in which nothing opens."""
    return figure_of(*told).scene


def figure_of(
    a: Source, b: Source, upstream: Any = None, stands: Sequence[str] = (), title: str = "",
    variables: Mapping[str, Any] | None = None,
) -> Figure:  # fmt: skip
    """Returns the figure of a product, or of two shapes that cannot be multiplied.

    `stands`: what letters stand for. `variables`: of the program, for names of what the operands were made of.
    """
    left, right = a.shape, b.shape
    if not left or not right:
        raise ArgumentValueError(f"{left} @ {right}", "both have an axis or more", "a * b for scalars")
    batch = Alignment((left[:-2] or (1,), right[:-2] or (1,)))
    with draw.lettered(names_in([a.name, b.name, *stands, title])):
        if unmatched.product_of(left, right) is None:
            return Figure(unmatched.scene_of(a, b, title))
        return _matched(Product((a, b), batch, stands, title), upstream, variables)


def _matched(product: Product, upstream: Any, variables: Mapping[str, Any] | None) -> Figure:
    """The figure of a product."""
    left, right = (source.shape for source in product.sources)
    each, many_axes = sum(map(prod, product.sizes)), max(len(left), len(right)) > 4
    if each * min(prod(product.batch.shape), BLOCKS) > COLOURED or many_axes:
        return Figure(_told(product))
    product.compute(upstream)
    picture = MatmulPicture(product)
    if not all(picture.plans.values()):
        return Figure(_told(product))
    world = product.world(variables)
    return Figure(picture.scene(), world, world and (lambda: opened(world, picture.opens())))


def _told(product: Product) -> Scene:
    """Returns the scene of a product too large to draw."""
    note = f"{prod(product.shape):,} cells, each a sum of {product.k:,} products"
    many = max(len(source.shape) for source in product.sources)
    why = "For a picture, show smaller ones, such as (3, 4) @ (4, 5)."
    why = why if many <= 4 else f"Cells of {many} axes are not drawn; those of 4 are."
    sentence = Frame(f"{product.rule()} {why}")
    return Scene(product.program, 860, 8, (), (sentence,), about=(*product.about(), note), note=note)


class MatmulPicture:
    """Crosses of `a` at the left, `b` above and the result, one for each product of the batch.

    Matrices of more than a few rows stand in a row. On the backward side g and `b.T` make the gradient of `a` in the
    same manner, and `a.T` and g that of `b`.
    """

    def __init__(self, product: Product):
        self.product, self.line = product, cache(product.line)
        self.drawn = product.blocks[:BLOCKS]
        m, k, n = product.m, product.k, product.n
        a, b = product.names
        self.trios = {"": [((m, k, n), (a, b, product.title))]}
        if product.flows:
            self.trios["g"] = [((m, n, k), (product.arrives, product.transpose(1), product.part(0))),
                               ((k, m, n), (product.transpose(0), product.arrives, product.part(1)))]  # fmt: skip
        self.numbers = self._numbers()
        self.plans = {side: self._plan(side) for side in self.trios}
        if all(self.plans.values()):
            self.shapes = tuple(self._draw())
            self.links = self._point().links

    def _numbers(self) -> dict[str, np.ndarray]:
        """The numbers of the grids of each letter, product by product."""
        product, (a, b, c) = self.product, self.product.values
        if not product.flows:
            return {"a": a, "b": b, "c": c}
        da, db = product.shares
        return {"a": a, "b": b, "c": c, "ta": a, "tb": b, "dc": product.g, "ec": product.g, "da": da, "db": db}

    def _plan(self, side: str) -> Plan | None:
        """Returns how one side is drawn, None where it is too large."""
        product, trios, letters = self.product, self.trios[side], BACKWARD if side else FORWARD
        values = {letter: [x for block in self.drawn for x in exact(some[block])]
                  for letter, some in self.numbers.items()}  # fmt: skip
        rows = max(size for sizes, _ in trios for size in sizes[:2])
        lines = [self.line(which, block, r, c) for block in self.drawn for which in ((0, 1) if side else (2,))
                 for r, c in np.ndindex(product.sizes[which])]  # fmt: skip
        longest = max((len("".join(pieces)) for pieces in lines), default=1)
        part = max((len(piece) for pieces in lines for piece in (*pieces[:2], "".join(pieces[2:]))), default=1)
        headed = len(product.blocks) > 1

        def make(high: float, crossed: bool) -> list[Trio]:
            numbered = high >= draw.LITTLE
            wides = {letter: draw.room_for(some, high) if numbered else high for letter, some in values.items()}
            return [trio(sizes, names, [wides[letter] for letter in three], high, crossed, headed)
                    for _ in self.drawn for (sizes, names), three in zip(trios, letters)]  # fmt: skip

        return plan(make, len(trios), rows <= CROSSED, longest, part)

    def _draw(self) -> Iterator[Shape]:
        """Yields both sides, and their lines."""
        product = self.product
        left, right = (str(s.shape) for s in product.sources)
        self.note = f"{left} @ {right} gives {product.shape}"
        self.cells: list[dict[str, Cells]] = [{} for _ in self.drawn]
        self.width = max(each.room for each in self.plans.values())
        self.height = {side: each.height for side, each in self.plans.items()}
        yield draw.group("values", *self._side("", FORWARD), cls="unless-g" * product.flows)
        if product.flows:
            yield draw.group("gradients", *self._side("g", BACKWARD), cls="when-g")
        yield from self._lines()

    def _side(self, side: str, letters: Sequence[Sequence[str]]) -> Iterator[Shape]:
        """Yields the grids of one side, of each product of the batch."""
        product, each = self.product, self.plans[side]
        sizes, ids = dict(zip("abc", product.sizes)), np.ndindex(len(self.drawn), len(letters))
        for (t, which), one, (x, y) in zip(ids, each.trios, each.places, strict=True):
            block, three = self.drawn[t], letters[which]
            if len(product.blocks) > 1 and not which:
                label = draw.text(x, y + 16, f"batch {list(block)}", "mono muted")
                yield draw.group("", label, cls="piece")
            for at, letter in enumerate(three):
                (left, top), across = one.corners[at], one.wides[at]
                cells = self._cells(t, letter, (x + left, y + top), (across, each.side), sizes[letter[-1]])
                self.cells[t][letter] = cells
                read = letter in ("a", "b", "ta", "tb")
                again = read and product.batch.first("ab".index(letter[-1]), block) != block
                cls = "grad" if letter[0] in "de" else "virtual" * again
                high = (sizes[letter[-1]][letter[0] == "t"]) * (each.side + draw.GAP) - draw.GAP
                drawn = [*self._named(self.trios[side][which][1][at], letter, (x + left, y + top), high, one.rooms[at],
                                      at == 2 and each.crossed)]  # fmt: skip
                values = exact(self.numbers[letter][block])
                size = draw.NUMBER if each.side >= draw.CELL else draw.LABEL
                drawn += (cells.dots(values, each.side, cls=[cls] * len(cells)) if each.dots
                          else cells.draw(values, across, each.side, size, cls))  # fmt: skip
                yield draw.group("", *drawn, cls="piece")
            if not each.crossed:
                yield draw.group("", *self._signs(one, x, y), cls="between")
        if more := len(product.blocks) - len(self.drawn):
            more = f"and {more} more product{'s' * (more > 1)} of the batch"
            yield draw.text(LEFT, each.bottom + 18, more, "muted")

    def _cells(
        self, t: int, letter: str, at: tuple[float, float], cell: tuple[float, float], size: tuple[int, int]
    ) -> Cells:  # fmt: skip
        """Returns the cells of one matrix of one product of the batch, numbered on from product to product.

        Those of a transpose have the numbers of the matrix.
        """
        (across, pitch), turn = (cell[0] + draw.GAP, cell[1] + draw.GAP), letter[0] == "t"
        places = {(r, c): (at[0] + (r if turn else c) * across, at[1] + (c if turn else r) * pitch)
                  for r, c in np.ndindex(size)}  # fmt: skip
        return Cells(letter, places, t * prod(size))

    def _named(
        self, name: str, letter: str, corner: tuple[float, float], high: float, room: float, bare: bool
    ) -> Iterator[Shape]:  # fmt: skip
        """Yields the name of a grid and the letters of its axes; `bare` leaves the letters out."""
        (x, y), (down, over) = corner, (None, None) if bare else self._axes(letter)
        if down is not None:
            yield draw.badge(x - 32, y + high / 2 - 11, down)
        if over is not None:
            yield draw.badge(x, y - 27, over)
            x, room = x + 32, room - 32
        yield draw.text(x, y - 10, name, f"mono strong {'grad-ink' * (letter[0] in 'de')}", draw.NUMBER, room=room)

    def _axes(self, letter: str) -> tuple[int | None, int | None]:
        """The axes of a grid's rows and of its columns; a vector has one alone."""
        matrix = [len(source.shape) > 1 for source in self.product.sources]
        i, j = ROWS if matrix[0] else None, COLUMNS if matrix[1] else None
        down, over = {"a": (i, MET), "b": (MET, j), "c": (i, j)}[letter[-1]]
        return (over, down) if letter[0] == "t" else (down, over)

    def _signs(self, one: Trio, x: float, y: float) -> Iterator[Shape]:
        """Yields the signs between the grids of a row."""
        middle = y + (min(top for _, top in one.corners) + one.height) / 2 + 8
        for (left, _), room, sign in zip(one.corners, one.rooms, "@="):
            yield draw.text(x + left + room + 16, middle, sign, "mono muted", draw.FORMULA, "middle")

    def _lines(self) -> Iterator[Shape]:
        """Yields the rule in symbols, and the lines of both sides, below the grids or at their right."""
        first = self.plans[""]
        rule = list(self._rule(first))
        yield draw.group("rule", *rule, cls="aside" + " unless-g" * self.product.flows) if rule else draw.group("rule")
        for (side, each), pieces in zip(self.plans.items(), (FORMULA, BACK)):
            cls = ("when-g" if side else "unless-g") if self.product.flows else ""
            x, y, rows = LEFT, each.bottom + BELOW, (pieces,)
            if each.aside:
                x, y = each.right + BETWEEN, TOP + HEAD + 20 + (120 if rule and not side else 0)
                rows = pieces[:1], pieces[1:2], pieces[2:]
            lines = (flow(*some, x=x, y=y + 36 * n, size=each.size) for n, some in enumerate(rows))
            yield draw.group("", *lines, cls=f"aside {cls}")

    def _rule(self, each: Plan) -> Iterator[Shape]:
        """Yields the rule of a result in symbols, at the right of the forward side, if there is room."""
        product, ranks = self.product, [len(source.shape) for source in self.product.sources]
        i, j, k = ((f"ink{axis}", draw.letter_of(axis)) for axis in (ROWS, COLUMNS, MET))
        lead = [("", "..., ")]

        def cell(name: str, rank: int, *at: tuple[str, str]) -> list[tuple[str, str]]:
            parts = [*lead * (rank > 2), *(part for n, one in enumerate(at) for part in [("", ", ")] * bool(n) + [one])]
            return [("", f"{name}["), *parts, ("", "]")] if parts else [("", name)]

        title = f"({product.title})" if product.shape else product.title
        lines = [
            [*cell(title, max(ranks), *[i] * (ranks[0] > 1), *[j] * (ranks[1] > 1)), ("", " =")],
            [*cell(product.names[0], ranks[0], *[i] * (ranks[0] > 1), k), ("", " * "),
             *cell(product.names[1], ranks[1], k, *[j] * (ranks[1] > 1))],
            [("", "summed over "), k],
        ]  # fmt: skip
        x = each.right + BETWEEN
        wide = max(width("".join(said for _, said in parts), draw.NUMBER, mono=True) for parts in lines)
        if x + wide > self.width - LEFT or not product.k:
            return
        for n, parts in enumerate(lines):
            spans = [("", ink or "muted", said) for ink, said in parts]
            yield flow(*spans, x=x, y=TOP + HEAD + 20 + 28 * n, size=draw.NUMBER)

    def _point(self) -> Pointed:
        """Lets a result light its row and its column, and an operand's cell the rows or columns that it meets."""
        pointed = Pointed(backs=4 if self.product.flows else 0)
        for cells, block in zip(self.cells, self.drawn, strict=True):
            for at in cells["c"]:
                self._point_result(pointed, cells, block, *at)
            for which, letter in enumerate("ab"):
                for at in cells[letter]:
                    self._point_operand(pointed, cells, block, which, *at)
        return pointed

    def _point_result(self, pointed: Pointed, cells: Mapping[str, Cells], block: Index, r: int, c: int) -> None:
        """Lets a result light what it is made of, and the gradient that arrives there where it goes."""
        product, inner = self.product, range(self.product.k)
        met = [id for k in inner for id in (cells["a"][r, k], cells["b"][k, c])]
        line = self.line(2, block, r, c)
        told = f"{product.meeting(block, r, c)}: {''.join(line)}."
        if not product.flows:
            pointed.at(cells["c"][r, c], met, line, sentence=told)
            return
        up = indexed(product.arrives, product.index(2, block, r, c))
        to = f"{product.line_of(0, block, r)} and {product.line_of(1, block, c)}"
        back = (equation(up, number(product.g[block][r, c])),
                f" goes to {to}" if product.k else f" goes nowhere: {to} have no cells")  # fmt: skip
        both = cells["dc"][r, c], cells["ec"][r, c]
        goes = [cells[letter][at] for k in inner
                for letter, at in (("tb", (k, c)), ("da", (r, k)), ("ta", (r, k)), ("db", (k, c)))]  # fmt: skip
        for id in (cells["c"][r, c], *both):
            pointed.at(id, [cells["c"][r, c], *met], line, back, sentence=told, lights_back=[*both, *goes])

    def _point_operand(
        self, pointed: Pointed, cells: Mapping[str, Cells], block: Index, which: int, r: int, c: int
    ) -> None:  # fmt: skip
        """Lets a cell of an operand light what it is a factor in, and its gradient its terms."""
        product, letter = self.product, "ab"[which]
        other, met, along = self._met(cells, which, block, r, c)
        name = indexed(product.names[which], product.index(which, block, r, c))
        here = equation(name, number(product.values[which][block][r, c]))
        line = here, f" is a factor{product.side(which)} in {along}"
        own, turn, grad = (cells[kind + letter] for kind in ("", "t", "d")) if product.flows else (cells[letter],) * 3
        lights = own[r, c], *other, *cells["c"].of(met)
        if not product.flows:
            pointed.at(own[r, c], lights, line)
            return
        back = self.line(which, block, r, c)
        told = f"{product.why(which, block, r, c)}: {''.join(back)}."
        if which == 0:
            makes = [id for j in range(product.n) for id in (cells["dc"][r, j], cells["tb"][c, j])]
            sends = [id for j in range(product.n) for id in (cells["ec"][r, j], cells["db"][c, j])]
        else:
            makes = [id for i in range(product.m) for id in (cells["ta"][i, r], cells["ec"][i, c])]
            sends = [id for i in range(product.m) for id in (cells["dc"][i, c], cells["da"][i, r])]
        for id in (own[r, c], grad[r, c]):
            pointed.at(id, lights, line, back, sentence_back=told, lights_back=[grad[r, c], *makes])
        beside = here, f" is a factor in {product.turned_in(which, block, r, c)}"
        pointed.at(turn[r, c], lights, line, beside, lights_back=[turn[r, c], *sends])

    def opens(self) -> Iterator[Opens]:
        """Yields the cells with what each opens: its value, on the backward side the gradient that stands in it."""
        product = self.product
        for cells, block in zip(self.cells, self.drawn, strict=True):
            for letter, some in [*cells.items()][::-1]:  # the first gradient that arrives is lit where one is read
                which = "abc".index(letter[-1])
                for at in some:
                    index = product.index(which, block, *at)
                    if product.flows and letter[0] != "t":
                        yield Opens(some[at], "g", (0, 1, -1)[which], index, True)
                    if len(letter) == 1 or letter[0] == "t":
                        yield Opens(some[at], "g" * (letter[0] == "t"), (0, 1, -1)[which], index)

    def _met(
        self, cells: Mapping[str, Cells], which: int, block: Index, r: int, c: int
    ) -> tuple[list[str], list[Index], str]:  # fmt: skip
        """Returns the cells of the other operand and of the result that a cell meets, and words for these."""
        ca, cb, product = cells["a"], cells["b"], self.product
        if which == 0:
            other, met, along = [cb[c, j] for j in range(product.n)], [(r, j) for j in range(product.n)], f"row {r}"
        else:
            other, met, along = [ca[i, r] for i in range(product.m)], [(i, c) for i in range(product.m)], f"column {c}"
        matrix, every = product.batch.feed(which, block), len(product.blocks)
        times = [product.batch.feed(which, other) for other in product.blocks].count(matrix)
        if len(met) == 1 and times == 1 and (index := product.index(2, block, *met[0])):
            return other, met, indexed(f"({product.title})", index)
        matrices = all(len(source.shape) > 1 for source in product.sources)
        all_ = f"all of {along} of the result" if matrices else "all of the result"
        if every > 1 and not (times == every and all_ == "all of the result"):
            of = "each matrix" if times == every else f"{times} of the {every} matrices"
            of = of if times > 1 else f"batch {list(block)}"
            all_ = f"{all_.removesuffix(' of the result')} of {of} of the result"
        return other, met, all_ if product.shape else product.title

    def scene(self) -> Scene:
        """Tells the rule of the shapes, two cells, then the two gradients."""
        product, story = self.product, Story()
        (a, b), (left, right) = product.names, (source.shape for source in product.sources)
        da, db = (source.grad for source in product.sources)
        matrix = [len(shape) > 1 for shape in (left, right)]
        meets = "the row or column it meets" if all(matrix) else "what it meets"
        numbered = [name for name, source in zip((da, db), product.sources) if source.numel]
        point = f"Backward: point at a number of {' or '.join(dict.fromkeys(numbered))} to see {meets}."
        point = point if numbered else f"Backward: {da} and {db} have no numbers."
        shapes_back = f"Backward: {da} has the shape of {a}, {left}{f', and {db} that of {b}, {right}' * (a != b)}."
        parts = "its row and its column" if all(matrix) else "what it is made of"
        cross = f"{f'a row of {a}' if matrix[0] else a} times {f'a column of {b}' if matrix[1] else b}"
        cross += ", number by number, summed" * (not any(matrix))
        to = f": point at a result to see {parts}"
        begin = f"{product.title} has shape {product.shape}{to}."
        begin = begin if prod(product.shape) else f"{product.title} is empty: there is no result to look into."
        for sentence, back in ((begin, point),
                           (product.rule(), shapes_back)):  # fmt: skip
            story.tell({"": sentence, "g": back} if product.flows else sentence, picture=to)
        if product.m * product.n and product.k:
            cells, block = self.cells[0], self.drawn[0]
            for r, c in dict.fromkeys(((0, 0), (product.m - 1, product.n - 1))):
                sentence = f"{product.meeting(block, r, c)}: {''.join(self.line(2, block, r, c))}."
                story.tell(sentence, link=cells["c"][r, c])
            if again := product.again():
                story.tell(f"Dashed numbers are read again: {again}.")
        if product.m * product.n and product.k and product.flows:
            waiting = [id for some in self.cells for letter in ("da", "db") for id in some[letter].ids]
            story.later("gradients", back=True, waiting=waiting)
            each = f"each cell of {product.title}" if product.shape else product.title
            story.tell(f"Backward: {each} receives a gradient, {product.arrives}.{unasked(product.sources)}", back=True)
            for which, at in enumerate(((product.m - 1, 0), (0, product.n - 1))):
                sentence = f"{product.why(which, block, *at)}: {''.join(self.line(which, block, *at))}."
                story.tell(sentence, "gradients", link=cells[("da", "db")[which]][at], back=True)
            one, other = gradients(left, right, a, b, product.arrives)
            rule = f"{da} = {one} and {db} = {other}"
            if product.twice:
                rule = f"from the left {a} gets {one}, from the right {b} gets {other}"
                rule = f"{da} = {one} + {other}" if a == b else f"{rule}, and both flow back to one tensor"
            met = "Rows with rows, columns with columns" if all(matrix) else "So the indices fit"
            story.tell(f"{met}: {rule}.", back=True)
        each = f"Each cell of {product.title}" if product.shape else product.title
        if product.flows:
            story.two_sided(self.links, f"{each} is {cross}.", point)
        paths = []
        for letter in ("c", "a", "b", "dc", "ta", "tb", "ec", "da", "db"):
            for some in (cells[letter] for cells in self.cells if letter in cells):
                high, wide = product.sizes["abc".index(letter[-1])]
                rows = [[(r, c) for c in range(wide)] for r in range(high)]
                paths.append(some.path(zip(*rows) if letter[0] == "t" else rows))
        return Scene(
            product.program, self.width, self.height, self.shapes, tuple(story.frames), self.links, tuple(paths),
            {"g": "backward"} if product.flows else {}, min(2, len(story.frames) - 1), product.about(), note=self.note,
            flows=FLOWS if product.flows else {"": FLOWS[""]},
        )  # fmt: skip

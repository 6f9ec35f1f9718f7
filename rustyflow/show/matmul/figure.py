"""show.matmul: rows meet columns, and why the gradients need the transposes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from ...claims.claim import equation
from ...errors import ArgumentValueError
from ...scene import Figure, Frame, Scene, Shape, draw
from ...scene.draw import LEFT, RIGHT
from ...scene.measure import width
from ..kit.alignment import Alignment, Index
from ..kit.cells import Cells
from ..kit.grids import WHOLE, readable
from ..kit.line import Pointed, fitting, line
from ..kit.story import Story
from ..kit.tracked import Opens, opened
from ..source import Source, exact, source_of, unasked, with_origins
from ..words.caller import caller_text
from ..words.given import Names, named, titled
from ..words.sentences import indexed, many, names_in
from . import unmatched
from .product import Product, gradients, number

CELLS, BLOCKS = 320, 3
"""Up to so many cells, and so many products of a batch, are drawn."""

ROWS, COLUMNS, MET = 0, 1, 2
"""The axes: rows of a, columns of b, and the one along which they meet."""

LETTERS = "a", "b", "c", "da", "db", "dc"
"""The letters of the ids of a, b, the result, their gradients, and what arrives."""


def matmul(a: Any, b: Any, *, upstream: Any = None, names: Names = None, title: str | None = None) -> Figure:
    """Shows a product of matrices: each result cell is a row of `a` times a column of `b`.

    Point at a result to see its row and column; at a cell of `a` to see the row of `b` and of the result that it meets.
    `g` turns to the backward side, where the same cells light: the transposes appear because the indices force them.

    Args:
        a, b: rustyflow tensors, NumPy arrays or PyTorch tensors; batches broadcast. Inner sizes that differ are drawn,
            with what would fit. Of more than 4 axes, or too many cells, the shapes and the rule are told in words.
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
        (a @ b)[1, 0] = 3·5 + 4·6 = 39.
        >>> print(figure.state(link="a2", toggles=("g",)).sentence)
        a.grad[1, 0] = 1·5 = 5: row 1 of g times row 0 of b.
    """
    caller = caller_text((a, b))
    called = named(names, [a, b], caller.names([a, b], "abcdefgh"))
    sources = [source_of(x, name) for x, name in zip((a, b), called, strict=True)]
    left, right = with_origins(sources, (a, b), caller.arguments if names is None else ())
    stands = [] if names is not None else [*filter(None, caller.letters(called))]
    return figure_of(left, right, upstream, stands, titled(title) or "", caller.variables)


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
    if each * min(prod(product.batch.shape), BLOCKS) > CELLS or many_axes or not (plan := _plan(product, 0)):
        return Figure(_told(product))
    product.compute(upstream)
    numbers = *product.values, *((product.g, *product.shares) if product.flows else ())
    wanted = readable(*(exact(some) for some in numbers))
    picture = MatmulPicture(product, *(_plan(product, wanted) or plan))
    world = product.world(variables)
    return Figure(picture.scene(), world, world and (lambda: opened(world, picture.opens())))


def _plan(product: Product, wanted: int) -> tuple[float, float, bool] | None:
    """Returns the height and width of the largest cells that fit, and True to put gradients beside values.

    They stand below where a projector shows all that. A cross is as high as it is wide, and a projector is not: of
    larger ones it shows twice as many cells beside each other.
    """
    room, across, rows = RIGHT - LEFT, product.k + product.n, product.k + product.m + max(product.k, product.m)
    if len(product.blocks) == 1:
        for s in (42, 36, 32, 29, 27):
            for wide in (*range(wanted, s, -1), max(s, 36)):
                if rows * (s + 2) <= WHOLE - 214 and (across + product.n) * (wide + 2) <= room - 150:
                    return s, wide, False
    low = [s for s in (42, 36, 30) if 190 + (product.k + product.m) * (s + 2) <= WHOLE]  # a projector shows it whole
    tries = [(s, True, 2 * across, 190) for s in (*low, 42, 36, 30, 26)]
    tries += [(s, False, across + product.n, 160) for s in (30, 26)] + [(s, False, across, 140) for s in (30, 26)]
    wides = [(s, max(s, wanted), beside, n, more) for s, beside, n, more in tries]
    return next(((s, wide, beside) for s, wide, beside, n, more in wides if n * (wide + 2) + more < room), None)


def _told(product: Product) -> Scene:
    """Returns the scene of a product too large to draw."""
    note = f"{prod(product.shape):,} cells, each a sum of {product.k:,} products"
    many = max(len(source.shape) for source in product.sources)
    why = "For a picture, show smaller ones, such as (3, 4) @ (4, 5)."
    why = why if many <= 4 else f"Cells of {many} axes are not drawn; those of 4 are."
    sentence = Frame(f"{product.rule()} {why}")
    return Scene(product.program, 860, 8, (), (sentence,), about=(*product.about(), note), note=note)


class MatmulPicture:
    """Crosses of `a` at the left, `b` above and the result, for each product of the batch.

    The crosses of gradients stand beside them, or below where that is too wide.
    """

    def __init__(self, product: Product, side: float, wide: float, beside: bool):
        self.product, self.side, self.wide, self.beside = product, side, wide, beside
        self.line = cache(product.line)
        self.pitch, self.across = side + 2, wide + 2
        named = product.part(0) if product.flows else ""
        self.apart = 22 if beside else max(36, width(named, 16, mono=True, bold=True) + 44 - product.k * self.across)
        self.drawn = product.blocks[:BLOCKS]
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _draw(self) -> list[Shape]:
        product, pitch, across = self.product, self.pitch, self.across
        left, right = (str(s.shape) for s in product.sources)
        self.note, shapes = f"{left} @ {right} gives {product.shape}", []
        self.cells: list[list[Cells]] = []
        x, y = LEFT + 30.0, 106.0
        aside = x + self.apart + (product.k + product.n) * across + (80 if self.beside else 70)
        tall = 22 + (product.k + product.m) * pitch + 48
        for t, block in enumerate(self.drawn):
            corner = x, y + t * tall
            if len(product.blocks) > 1:
                shapes.append(draw.text(LEFT, corner[1] + 14, f"batch {list(block)}", "mono muted", 15))
            self.cells.append(self._cross(t, LETTERS[:3], corner))
            shapes += self._axes(*corner, product.names)
            for which in range(3):
                shapes += self._matrix(self.cells[t][which], which, block)
        y += tall * len(self.drawn) - 22
        if len(product.blocks) > len(self.drawn):
            more = len(product.blocks) - len(self.drawn)
            more = f"and {more} more product{'s' * (more > 1)} of the batch"
            shapes.append(draw.text(LEFT, y, more, "muted"))
            y += 26
        shapes += self._rule(aside - 20)
        self.height: float | dict[str, float] = y + 30
        lines = line(y + 10, self._size(), backs=4 if product.flows else 0)
        if product.flows:
            low = y + 10 if self.beside else self._below(y - 8)
            back = [self._gradients(t, (aside, 106.0 + t * tall) if self.beside else None) for t in self._each()]
            shapes += [draw.group("", *parts, cls="when-g") for parts in back]
            if not self.beside:
                lines[1:] = line(low, self._size(), backs=4)[1:]
                self.height = {"": y + 30, "g": low + 14}
        return [*shapes, *lines]

    def _each(self) -> range:
        return range(len(self.drawn))

    def _size(self) -> float:
        """The font size of the formulas."""
        product, kinds = self.product, (0, 1, 2) if self.product.flows else (2,)
        every = (self.line(which, block, r, c) for block in self.drawn for which in kinds
                 for r, c in np.ndindex(product.sizes[which]))  # fmt: skip
        return fitting(max([1, *(len("".join(pieces)) for pieces in every)]))

    def _cross(self, t: int, letters: Sequence[str], corner: tuple[float, float]) -> list[Cells]:
        """The cells of a matrix at the left, one above, one where they meet."""
        (x, y), k = corner, self.product.k
        over, below = x + k * self.across + self.apart, y + k * self.pitch + 22
        at = (x, below), (over, y), (over, below)
        return [self._cells(t, letter, where) for letter, where in zip(letters, at, strict=True)]

    def _rule(self, x: float) -> list[Shape]:
        """Draws the rule of a result in symbols, at the right of the forward side, if there is room."""
        product, ranks = self.product, [len(source.shape) for source in self.product.sources]
        lead = "..., "
        i, j, k = map(draw.letter_of, (ROWS, COLUMNS, MET))
        left, right = (f"{i}, {k}" if ranks[0] > 1 else k), (f"{k}, {j}" if ranks[1] > 1 else k)
        index = ", ".join([i] * (ranks[0] > 1) + [j] * (ranks[1] > 1))
        names = [f"{name}[{lead * (rank > 2)}{at}]" for name, rank, at in zip(product.names, ranks, (left, right))]
        cell = f"({product.title})[{lead * (max(ranks) > 2)}{index}]" if index or max(ranks) > 2 else product.title
        terms = f"{k} = 0 ... {product.k - 1}: {many(product.k, 'product')}"
        formula = [f"{cell} =", f"{names[0]} * {names[1]}, summed over {k}"], terms
        wide = max(width(line, 16, mono=True) for line in formula[0])
        if x + wide > RIGHT or not product.k:
            return []
        lines = [draw.text(x, 124 + 26 * n, text, "mono muted", 16) for n, text in enumerate(formula[0])]
        cls = "unless-g" if product.flows and self.beside else ""
        return [draw.group("", *lines, draw.text(x, 178, formula[1], "ink2", 15), cls=cls)]

    def _below(self, y: float) -> float:
        """Places the gradients of each product under all products, and returns where they end."""
        product, pitch, across, self.rows = self.product, self.pitch, self.across, []
        over = LEFT + 30 + product.k * across + self.apart
        right = over + product.n * across + 48
        fits = right + product.n * across <= RIGHT
        for _ in self.drawn:
            top = y + 22
            last = (right, top) if fits else (over, top + product.m * pitch + 44)
            self.rows.append(((LEFT + 30, top), last, (over, top)))
            y = max(top + product.m * pitch, last[1] + product.k * pitch) + 30
        return y

    def _axes(self, x: float, y: float, names: Sequence[str], ink: str = "") -> list[Shape]:
        """Draws the names at the left and above, and the letters of the axes.

        They are i beside rows, j above columns, and k twice.
        """
        product, (a, b), long = self.product, names, self.product.k * self.across
        wide, high, deep = product.n * self.across, product.m * self.pitch, product.k * self.pitch
        over, below = x + long + self.apart, y + deep + 22
        shapes = [
            draw.badge(x, below - 28, MET), draw.badge(over + wide + 4, y + deep / 2 - 12, MET),
            draw.text(x + 32, below - 11, a, f"mono strong {ink}", 16, room=max(long - 14, 160 - 50 * bool(ink))),
            draw.text(over - 14, y + 18, b, f"mono strong {ink}", 16, "end", room=long + 48 if ink else 90),
        ]  # fmt: skip
        left, right = (len(source.shape) for source in product.sources)
        shapes += [draw.badge(x - 30, below + high / 2 - 12, ROWS)] * (left > 1)
        return shapes + [draw.badge(over + wide / 2 - 13, y - 26, COLUMNS)] * (right > 1)

    def _gradients(self, t: int, corner: tuple[float, float] | None) -> list[Shape]:
        """Draws the gradients of one product, as a cross like that of its values, or in a row."""
        product, block, ink = self.product, self.drawn[t], "mono strong grad-ink"
        names = product.part(0), product.part(1)
        if corner:
            cells, shapes = self._cross(t, LETTERS[3:], corner), self._axes(*corner, names, "grad-ink")
            x, y = cells[2].places[0, 0] if len(cells[2]) else corner
            shapes.append(draw.text(x + product.n * self.across + 6, y + 26, product.arrives, ink, 16))
        else:
            cells = [self._cells(t, letter, at) for letter, at in zip(LETTERS[3:], self.rows[t], strict=True)]
            shapes = []
            there = {MET} | {axis for axis, source in zip((ROWS, COLUMNS), product.sources) if len(source.shape) > 1}
            axes = (ROWS, MET), (MET, COLUMNS), (ROWS, COLUMNS)
            placed = zip((*names, product.arrives), self.rows[t], product.sizes, axes)
            for name, (x, y), (high, wide), (down, over) in placed:
                shapes += [draw.badge(x - 30, y + high * self.pitch / 2 - 12, down)] * (down in there)
                shapes += [draw.badge(x, y - 28, over)] * (over in there)
                room = max(wide * self.across + 4, 150 if name == names[1] else 60)
                shapes.append(draw.text(x + 32 * (over in there), y - 11, name, ink, 16, room=room))
        self.cells[t] += cells
        for which, numbers in enumerate((*(share[block] for share in product.shares), product.g[block])):
            shapes += self._drawn(cells[which], numbers, "grad")
        return shapes

    def _cells(self, t: int, letter: str, at: tuple[float, float]) -> Cells:
        """Returns the cells of one matrix of one product of the batch, numbered on from product to product."""
        high, wide = self.product.sizes["abc".index(letter[-1])]
        places = {(r, c): (at[0] + c * self.across, at[1] + r * self.pitch) for r, c in np.ndindex(high, wide)}
        return Cells(letter, places, t * high * wide)

    def _matrix(self, cells: Cells, which: int, block: Index) -> list[Shape]:
        virtual = which < 2 and self.product.batch.first(which, block) != block
        cls = "virtual" if virtual else "value" if which < 2 else ""
        return self._drawn(cells, self.product.values[which][block], cls)

    def _drawn(self, cells: Cells, values: np.ndarray, cls: str) -> list[Shape]:
        size = 16 if self.side > 32 else 14
        return cells.draw(exact(values), self.wide, self.side, size, cls)

    def _point(self) -> Pointed:
        """Lets a result light its row and its column, and an operand's cell the rows or columns that it meets."""
        pointed, product = Pointed(backs=4 if self.product.flows else 0), self.product
        a, b = product.names
        for cells, block in zip(self.cells, self.drawn, strict=True):
            ca, cb, cc = cells[:3]
            da, db, dc = cells[3:] or (None, None, None)
            for r, c in cc:
                met, back, theirs = [id for k in range(product.k) for id in (ca[r, k], cb[k, c])], (), []
                both = [cc[r, c], *([dc[r, c]] if product.flows else [])]
                if product.flows:
                    up = indexed(product.arrives, product.index(2, block, r, c))
                    up = equation(up, number(product.g[block][r, c]))
                    to = f"{product.line_of(0, block, r)} and {product.line_of(1, block, c)}"
                    back = up, f" goes to {to}" if product.k else f" goes nowhere: {to} have no cells"
                    theirs = [id for k in range(product.k) for id in (da[r, k], db[k, c])]
                for id in both:
                    pointed.at(id, [cc[r, c], *met], self.line(2, block, r, c), back,
                               lights_back=[dc[r, c], *met, *theirs] if product.flows else None)  # fmt: skip
            for which, operand in enumerate((ca, cb)):
                for r, c in operand:
                    other, met, along = self._met(cells[:3], which, block, r, c)
                    name = indexed(product.names[which], product.index(which, block, r, c))
                    here = equation(name, number(product.values[which][block][r, c]))
                    pieces = here, f" is a factor{product.side(which)} in {along}"
                    both, back, sentence = [operand[r, c]], (), ""
                    if product.flows:
                        grads = (da, db)[which]
                        back, both = self.line(which, block, r, c), [operand[r, c], grads[r, c]]
                        sentence = f"{''.join(back)}: {product.why(which, block, r, c)}."
                    for id in both:
                        pointed.at(id, (operand[r, c], *other, *cc.of(met)), pieces, back, sentence_back=sentence,
                                   lights_back=(*both, *other, *dc.of(met)) if product.flows else None)  # fmt: skip
        return pointed

    def opens(self) -> Iterator[Opens]:
        """Yields the cells with what each opens: its value, on the backward side the gradient of that."""
        product = self.product
        for cells, block in zip(self.cells, self.drawn, strict=True):
            for k, some in [*enumerate(cells)][::-1]:  # a gradient is lit in a cell of its own
                which = (0, 1, -1)[k % 3]
                for at in some:
                    index = product.index(which % 3, block, *at)
                    if product.flows:
                        yield Opens(some[at], "g", which, index, True)
                    if k < 3:
                        yield Opens(some[at], "", which, index)

    def _met(
        self, cells: Sequence[Cells], which: int, block: Index, r: int, c: int
    ) -> tuple[list[str], list[Index], str]:  # fmt: skip
        """Returns the cells of the other operand and of the result that a cell meets, and words for these."""
        (ca, cb, _), product = cells, self.product
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
            (ca, cb, cc, *_), block = self.cells[0], self.drawn[0]
            for r, c in dict.fromkeys(((0, 0), (product.m - 1, product.n - 1))):
                one, other = product.line_of(0, block, r), product.line_of(1, block, c)
                one = one.replace("row", "Row", 1) if matrix[0] else one
                story.tell(f"{one} meets {other}: {''.join(self.line(2, block, r, c))}.", link=cc[r, c])
        if product.m * product.n and product.k and product.flows:
            waiting = [id for cells in self.cells for k in (3, 4) for id in cells[k].ids]
            story.later("gradients", back=True, waiting=waiting)
            each = f"each cell of {product.title}" if product.shape else product.title
            story.tell(f"Backward: {each} receives a gradient, {product.arrives}.{unasked(product.sources)}", back=True)
            ends = (ca, (product.m - 1, 0)), (cb, (0, product.n - 1))
            g = product.arrives
            rules = f"A row of {g} times a row of {b}", f"A column of {a} times a column of {g}"
            if not all(matrix):
                rules = [product.why(which, block, *at) for which, (_, at) in enumerate(ends)]
                rules = [re.sub("^column", "Column", rule) for rule in rules]
            for which, ((cells, at), what) in enumerate(zip(ends, rules, strict=True)):
                sentence = f"{what}: {''.join(self.line(which, block, *at))}."
                story.tell(sentence, "gradients", link=cells[at], back=True)
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
        for which, grads in ((2, (5,) * product.flows), (0, (3,) * product.flows), (1, (4,) * product.flows)):
            for cells in self.cells:
                high, wide = product.sizes[which]
                rows = [[(r, c) for c in range(wide)] for r in range(high)]
                paths += [cells[k].path(rows) for k in (which, *grads)]
        return Scene(
            product.program, 860, self.height, self.shapes, tuple(story.frames), self.links, tuple(paths),
            {"g": "backward"} if product.flows else {}, min(2, len(story.frames) - 1), product.about(), note=self.note,
        )  # fmt: skip

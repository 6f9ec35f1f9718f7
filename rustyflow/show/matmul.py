"""show.matmul: rows meet columns, and why the gradients need the transposes."""

import re
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..errors import ArgumentValueError
from ..ops.creation import from_numpy
from ..scene import Figure, Frame, Scene, Shape, draw
from ..scene.measure import width
from .kit.alignment import Alignment, Index
from .kit.cells import Cells
from .kit.grids import LEFT, RIGHT
from .kit.line import Pointed, fitting, line
from .kit.story import Story
from .source import Source, Value, exact, source_of, upstream_of
from .words.caller import caller_text, given
from .words.numbers import NINE, as_written, bracketed, sign
from .words.sentences import gradient, indexed, turned

CELLS, BLOCKS, LONGEST = 320, 3, 60
"""Up to so many cells, and so many products of a batch, are drawn; a sum has so many characters, at most."""

ROWS, COLUMNS, MET = 0, 1, 2
"""The axes: rows of a, columns of b, and the one along which they meet."""

LETTERS = "a", "b", "c", "da", "db"
"""The letters of the ids of a, b, the result, and the two gradients."""


def matmul(a: Any, b: Any, *, upstream: Any = None, names: Sequence[str] | None = None) -> Figure:
    """How a product of matrices is made: each result cell is a row of `a` times a column of `b`.

    Point at a result to see its row and column; at a cell of `a` to see the row of `b` and of the result that it meets.
    `g` turns to the backward side, where the same cells light: the transposes appear because the indices force them.

    Args:
        a, b: rustyflow tensors, NumPy arrays or PyTorch tensors; batches broadcast. Inner sizes that differ are drawn,
            with what would fit. Of more than 4 axes, or too many cells, the shapes and the rule are told in words.
            Whole numbers have no gradients, and no backward side.
        upstream: the gradient that arrives, of the result's shape; default: small unequal integers.
        names: what to call a and b; default: the names in the calling line.

    Raises:
        TypeError: not a tensor or array. ValueError: a scalar, an upstream gradient for whole numbers. ShapeError: the
        upstream's shape.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]]), names=["a", "b"])
        >>> print(figure.state(link="c1").sentence)
        (a @ b)[1, 0] = 3*5 + 4*6 = 39.
        >>> print(figure.state(link="a2", toggles=("g",)).sentence)
        a.grad[1, 0] = 1*5 = 5: row 1 of g times row 0 of b.
    """
    called = caller_text(2).names([a, b], "abcdefgh") if names is None else given(names, 2)
    left, right = (source_of(x, name) for x, name in zip((a, b), called, strict=True))
    return Figure(scene_of(left, right, upstream))


def scene_of(a: Source, b: Source, upstream: Any = None) -> Scene:
    """The scene of a product, or of two shapes that cannot be multiplied."""
    left, right = a.shape, b.shape
    if not left or not right:
        raise ArgumentValueError(f"{left} @ {right}", "both have an axis or more", "a * b for scalars")
    inner = left[-1], right[-2] if len(right) > 1 else right[0]
    batch = Alignment((left[:-2] or (1,), right[:-2] or (1,)))
    if inner[0] != inner[1] or batch.shape is None:
        return _clash((a, b), inner)
    made = _Product((a, b), batch)
    each = made.m * made.k + made.k * made.n + made.m * made.n
    room, across = RIGHT - LEFT, made.k + made.n
    side = next((s for s in (42, 36, 30, 26) if 2 * across * (s + 2) + 190 < room), 0)
    beside = bool(side)
    side = side or next((s for s in (30, 26) if across * (s + 2) + 140 < room), 0)
    if not side or each * min(prod(batch.shape), BLOCKS) > CELLS or max(len(left), len(right)) > 4:
        return _told(made)
    made.compute(upstream)
    return _Picture(made, side, beside).scene()


def _clash(sources: Sequence[Source], inner: tuple[int, int]) -> Scene:
    """Shapes that cannot be multiplied: which sizes had to meet, and the transposes that would fit."""
    (a, b), (left, right) = (s.name for s in sources), (s.shape for s in sources)
    title, story = f"{a} @ {b}", Story()
    meeting = f"{inner[0]} of {a} and {inner[1]} of {b}"
    sentence = [f"The inner sizes, {meeting}, meet in every product, so they must be equal."]
    if inner[0] == inner[1]:
        sentence = [f"The batches {left[:-2]} of {a} and {right[:-2]} of {b} do not broadcast."]
    ta, tb = turned(a, batch=True), turned(b, batch=True)
    tries = (ta, _turn(left), b, right), (a, left, tb, _turn(right)), (ta, _turn(left), tb, _turn(right))
    for x, p, y, q in tries:
        if len(p) > 1 and len(q) > 1 and p[-1] == q[-2] and Alignment((p[:-2] or (1,), q[:-2] or (1,))).shape:
            sentence.append(f"{x} @ {y} fits: {p} @ {q} gives {(*p[:-1], q[-1])}.")
    shapes = list(draw.title(title, f"{left} @ {right} do not fit", y=34))
    for k, said in enumerate(sentence):
        shapes.append(draw.text(LEFT, 96 + 30 * k, said, "" if k else "warn", 16, room=RIGHT - LEFT, id=f"x{k}"))
        story.later(f"x{k}", off=(f"x{k}",))
    for k, said in enumerate(sentence):
        story.tell(said, f"x{k}")
    about = f"{a}: shape {left}", f"{b}: shape {right}"
    return Scene(title, 860, 86 + 30 * len(sentence), tuple(shapes), tuple(story.frames), about=about)


def _turn(shape: Index) -> Index:
    return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else shape


class _Product:
    """What is computed: for each product of the batch a matrix of m x k, one of k x n, and what they come to."""

    def __init__(self, sources: Sequence[Source], batch: Alignment):
        self.sources, self.batch = sources, batch
        self.names = [source.name for source in sources]
        (left, right) = (source.shape for source in sources)
        self.m, self.k, self.n = (left[-2] if len(left) > 1 else 1), left[-1], (right[-1] if len(right) > 1 else 1)
        self.sizes = (self.m, self.k), (self.k, self.n), (self.m, self.n)
        lead = batch.shape if max(len(left), len(right)) > 2 else ()
        self.shape = (*lead, *((self.m,) if len(left) > 1 else ()), *((self.n,) if len(right) > 1 else ()))
        self.title = f"{self.names[0]} @ {self.names[1]}"
        self.blocks = list(product(*map(range, batch.shape)))

    def compute(self, upstream: Any) -> None:
        """The matrices (`values`: a, b, the result), the gradient that arrives, what it comes to product by product
        (`shares`), and the engine's gradients."""
        arrays = [np.asarray(source.array()) for source in self.sources]
        real = [from_numpy(np.array(x)) for x in arrays]
        table = np.asarray((real[0] @ real[1]).numpy())
        self.flows = all("float" in s.dtype for s in self.sources)
        if not self.flows and upstream is not None:
            raise ArgumentValueError(
                f"upstream= for {' @ '.join(s.dtype for s in self.sources)}",
                "whole numbers and bools have no gradients", f"{self.names[0]}.float(), {self.names[1]}.float()",
            )  # fmt: skip
        kind = "float32" if all(s.dtype == "float32" for s in self.sources) else "float64"
        whole = self.batch.shape
        a, b = (
            np.broadcast_to(x.reshape(*x.shape[:-2], *size), (*whole, *size))
            for x, size in zip((np.array(x, kind) for x in arrays), self.sizes, strict=False)
        )
        self.values = a, b, table.reshape(*whole, self.m, self.n)
        if not self.flows:
            return
        given = np.array([NINE[i % 9] for i in range(prod(self.shape))], kind).reshape(self.shape)
        if upstream is not None:
            given = np.array(upstream_of(upstream, self.shape).array(), kind)
        leaves = [from_numpy(np.array(x, kind)).requires_grad_() for x in arrays]
        (leaves[0] @ leaves[1]).backward(from_numpy(given))
        self.g = given.reshape(*whole, self.m, self.n)
        self.shares = self.g @ np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2) @ self.g
        self.grads = [np.asarray(leaf.grad.numpy()) for leaf in leaves]

    def index(self, which: int, block: Index, row: int, column: int) -> Index:
        """The index of a cell as the program writes it; of a (0), b (1) or the result (2)."""
        if which == 2:
            lead = block if max(len(s.shape) for s in self.sources) > 2 else ()
            return (*lead, *((row,) if len(self.sources[0].shape) > 1 else ()),
                    *((column,) if len(self.sources[1].shape) > 1 else ()))  # fmt: skip
        shape = self.sources[which].shape
        lead = self.batch.feed(which, block) if len(shape) > 2 else ()
        return (*lead, row, column) if len(shape) > 1 else (column,) if which == 0 else (row,)

    def line(self, which: int, block: Index, row: int, column: int) -> tuple[str, ...]:
        """The formula of a cell: forward for the result, backward for an operand."""
        a, b, c = (some[block] for some in self.values)
        if which == 2:
            left, right, total = a[row], b[:, column], c
        elif which == 0:
            left, right, total = self.g[block][row], b[column], self.shares[0][block]
        else:
            left, right, total = a[:, row], self.g[block][:, column], self.shares[1][block]
        total = _number(total[row, column])
        pairs = list(zip(exact(left), exact(right), strict=True))
        name = f"({self.title})" if which == 2 else gradient(self.names[which])
        head = indexed(name, self.index(which, block, row, column))
        if which < 2 and self.batch.repeated(which):  # the engine's number: this product's share is a part of it
            whole = draw.spell(_number(self.grads[which][self.index(which, block, row, column)]))
            return f"{head} gets ", *_sum(pairs, total), f"{draw.spell(total)}, {whole} in all"
        return f"{head} = ", *_sum(pairs, total), draw.spell(total)

    def again(self, which: int) -> str:
        return ", summed over the batch" if self.batch.repeated(which) else ""

    def rule(self) -> str:
        left, right = (source.shape for source in self.sources)
        sizes = f"the inner sizes are both {self.k} and disappear"
        return f"{left} @ {right}: {sizes}, so the result has shape {self.shape}."

    def about(self) -> tuple[str, ...]:
        shapes = [(s.name, s.shape) for s in self.sources] + [(self.title, self.shape)]
        return tuple(f"{name}: shape {shape}" for name, shape in shapes)


def _told(made: _Product) -> Scene:
    """A product too large to draw."""
    note = f"{prod(made.shape):,} cells, each a sum of {made.k:,} products"
    many = max(len(source.shape) for source in made.sources)
    why = "For a picture, show smaller ones, such as (3, 4) @ (4, 5)."
    why = why if many <= 4 else f"Cells of {many} axes are not drawn; those of 4 are."
    sentence = Frame(f"{made.rule()} {why}")
    return Scene(made.title, 860, 90, draw.title(made.title, note, y=34), (sentence,), about=(*made.about(), note))


class _Picture:
    """For each product of the batch `a` at the left, `b` above, the result where they meet, and both gradients."""

    def __init__(self, made: _Product, side: float, beside: bool):
        self.made, self.side, self.pitch, self.beside = made, side, side + 2, beside
        self.drawn = made.blocks[:BLOCKS]
        self.shapes = tuple(self._draw())
        self.links = self._point().links

    def _draw(self) -> list[Shape]:
        made, pitch = self.made, self.pitch
        left, right = (str(s.shape) for s in made.sources)
        shapes: list[Shape] = list(draw.title(made.title, f"{left} @ {right} gives {made.shape}", y=34))
        shapes += self._legend()
        self.cells: list[list[Cells]] = []
        grads, y, x = [], 106.0, LEFT + 30
        for t, block in enumerate(self.drawn):
            over, below = x + made.k * pitch + 22, y + made.k * pitch + 22
            bottom = below + made.m * pitch
            aside = over + made.n * pitch + 80
            back = (aside, below), (aside + made.k * pitch + 22, y)
            if not self.beside:
                back = (x, bottom + 40), (x + made.k * pitch + 100, bottom + 40)
            if len(made.blocks) > 1:
                shapes.append(draw.text(LEFT, y + 14, f"batch {list(block)}", "mono muted", 15))
            shapes += self._axes(x, y, over, below)
            at = ((x, below), (over, y), (over, below), *back)
            cells = [self._cells(t, letter, where) for letter, where in zip(LETTERS, at, strict=True)]
            self.cells.append(cells)
            for which in range(3):
                shapes += self._matrix(cells[which], which, block)
            if made.flows:
                shapes.append(draw.text(over + made.n * pitch + 6, below + 26, "g", "mono strong grad-ink when-g", 16))
                grads.append(draw.group(f"G{t}", *self._gradients(cells, block, *back), cls="when-g"))
            y = bottom + 48
            if made.flows and not self.beside:
                y += 36 + max(made.m, made.k) * pitch
        y -= 22
        if len(made.blocks) > len(self.drawn):
            more = f"and {len(made.blocks) - len(self.drawn)} more products of the batch"
            shapes.append(draw.text(LEFT, y, more, "muted"))
            y += 26
        self.height = y + 30
        kinds = (0, 1, 2) if made.flows else (2,)
        longest = max([1, *(len("".join(made.line(which, block, r, c))) for block in self.drawn for which in kinds
                            for r, c in np.ndindex(made.sizes[which]))])  # fmt: skip
        return [*shapes, *line(y + 10, fitting(longest), backs=4 if made.flows else 0), *grads]

    def _legend(self) -> list[Shape]:
        """What the letters of the axes stand for, at the right of the title, where there is room."""
        (a, b), ranks = self.made.names, [len(source.shape) for source in self.made.sources]
        said = [(ROWS, f"rows of {a}")] * (ranks[0] > 1) + [(COLUMNS, f"columns of {b}")] * (ranks[1] > 1)
        said.append((MET, "met, summed, gone"))
        wide = sum(width(what, 15) + 52 for _, what in said) - 22
        if wide > RIGHT - LEFT - width(self.made.title, 20, mono=True, bold=True) - 24:
            return []
        shapes, x = [], RIGHT - wide
        for axis, what in said:
            shapes += [draw.badge(x, 18, axis), draw.text(x + 30, 34, what, "muted", 15)]
            x += width(what, 15) + 52
        return shapes

    def _axes(self, x: float, y: float, over: float, below: float) -> list[Shape]:
        """The names of a and b, and the letters of their axes: i beside the rows, j above the columns, k twice."""
        made, (a, b) = self.made, self.made.names
        wide, high, deep = (n * self.pitch for n in (made.n, made.m, made.k))
        shapes = [
            draw.badge(x, below - 28, MET), draw.badge(over + wide + 4, y + deep / 2 - 12, MET),
            draw.text(x + 32, below - 11, a, "mono strong", 16, room=max(deep - 14, 160)),
            draw.text(over - 14, y + 18, b, "mono strong", 16, "end", room=90),
        ]  # fmt: skip
        left, right = (len(source.shape) for source in made.sources)
        shapes += [draw.badge(x - 30, below + high / 2 - 12, ROWS)] * (left > 1)
        return shapes + [draw.badge(over + wide / 2 - 13, y - 26, COLUMNS)] * (right > 1)

    def _gradients(
        self, cells: Sequence[Cells], block: Index, one: tuple[float, float], other: tuple[float, float]
    ) -> list[Shape]:
        """Both gradients of one product, with their names."""
        made, room, shapes = self.made, self.made.k * self.pitch, []
        for which in range(2):
            shapes += self._drawn(cells[3 + which], made.shares[which][block], None, "grad")
        names, ink = list(map(gradient, made.names)), "mono strong grad-ink"
        names = [f"part of {name}" if made.batch.repeated(which) else name for which, name in enumerate(names)]
        shapes.append(draw.text(one[0], one[1] - 12, names[0], ink, 16, room=room + (16 if self.beside else 90)))
        if self.beside:
            shapes.append(draw.text(other[0] - 14, other[1] + 18, names[1], ink, 16, "end", room=room + 60))
        else:
            shapes.append(draw.text(other[0], other[1] - 12, names[1], ink, 16, room=RIGHT - other[0]))
        return shapes

    def _cells(self, t: int, letter: str, at: tuple[float, float]) -> Cells:
        """The cells of one matrix of one product of the batch; their numbers go on from product to product."""
        high, wide = self.made.sizes["abc".index(letter[-1])]
        places = {(r, c): (at[0] + c * self.pitch, at[1] + r * self.pitch) for r, c in np.ndindex(high, wide)}
        return Cells(letter, places, t * high * wide)

    def _matrix(self, cells: Cells, which: int, block: Index) -> list[Shape]:
        virtual = which < 2 and self.made.batch.first(which, block) != block
        cls = "virtual" if virtual else "value" if which < 2 else ""
        back = self.made.g[block] if self.made.flows else None
        return self._drawn(cells, self.made.values[which][block], back, cls, turns=which == 2 and self.made.flows)

    def _drawn(
        self, cells: Cells, values: np.ndarray, back: np.ndarray | None, cls: str, turns: bool = False
    ) -> list[Shape]:
        size = 16 if self.side > 32 else 14
        return cells.draw(exact(values), None if back is None else exact(back), self.side, self.side, size, cls, turns)

    def _point(self) -> Pointed:
        """A result lights its row and its column; an operand's cell the row or column of both others that it meets."""
        pointed, made = Pointed(backs=4 if self.made.flows else 0), self.made
        a, b = made.names
        for (ca, cb, cc, da, db), block in zip(self.cells, self.drawn, strict=True):
            for r, c in cc:
                met = [(ca[r, i], cb[i, c], *((da[r, i], db[i, c]) if made.flows else ())) for i in range(made.k)]
                back: tuple[str, ...] = ()
                if made.flows:
                    up = f"{indexed('g', made.index(2, block, r, c))} = {draw.spell(_number(made.g[block][r, c]))}"
                    back = up, f" goes to row {r} of {a} and column {c} of {b}"
                pointed.at(cc[r, c], [id for four in met for id in four], made.line(2, block, r, c), back)
            for which, (cells, grads) in enumerate(((ca, da), (cb, db))):
                for r, c in cells:
                    if which == 0:
                        met = [id for j in range(made.n) for id in (cb[c, j], cc[r, j])]
                        along, why = f"row {r}", f"row {r} of g times row {c} of {b}"
                    else:
                        met = [id for i in range(made.m) for id in (ca[i, r], cc[i, c])]
                        along, why = f"column {c}", f"column {r} of {a} times column {c} of g"
                    value = draw.spell(_number(made.values[which][block][r, c]))
                    here = f"{indexed(made.names[which], made.index(which, block, r, c))} = {value}"
                    said, both = (here, f" is a factor in all of {along} of the result"), [cells[r, c]]
                    back, sentence = (), ""
                    if made.flows:
                        back, both = made.line(which, block, r, c), [cells[r, c], grads[r, c]]
                        sentence = f"{''.join(back)}: {why}{made.again(which)}."
                    for id in both:
                        pointed.at(id, (*both, *met), said, back, sentence_back=sentence)
        return pointed

    def scene(self) -> Scene:
        """The rule of the shapes, two cells, then the two gradients."""
        made, story = self.made, Story()
        (a, b), (left, right) = made.names, (source.shape for source in made.sources)
        da, db = map(gradient, made.names)
        point = f"Backward: point at a number of {da} or {db} to see the row or column it meets."
        shapes_back = f"Backward: {da} has the shape of {a}, {left}, and {db} that of {b}, {right}."
        for sentence, back in ((f"{made.title}: point at a result to see its row and its column.", point),
                           (made.rule(), shapes_back)):  # fmt: skip
            story.tell({"": sentence, "g": back} if made.flows else sentence)
        if made.m * made.n and made.k:
            (ca, cb, cc, *_), block = self.cells[0], self.drawn[0]
            for r, c in dict.fromkeys(((0, 0), (made.m - 1, made.n - 1))):
                sentence = f"Row {r} of {a} meets column {c} of {b}: {''.join(made.line(2, block, r, c))}."
                story.tell(sentence, link=cc[r, c])
        if made.m * made.n and made.k and made.flows:
            story.later("gradients", off=[f"G{t}" for t in range(len(self.drawn))])
            story.tell(f"Backward: each cell of {made.title} receives a gradient, g.", back=True)
            ends = (ca, (made.m - 1, 0)), (cb, (0, made.n - 1))
            rules = f"A row of g times a row of {b}", f"A column of {a} times a column of g"
            for which, ((cells, at), what) in enumerate(zip(ends, rules, strict=True)):
                sentence = f"{what}: {''.join(made.line(which, block, *at))}."
                story.tell(sentence, "gradients", link=cells[at], back=True)
            rule = " and ".join(f"{d} = {how}" for d, how in zip((da, db), gradients(left, right, a, b), strict=True))
            both = f"; {a} gets what flows back through both" if re.search(rf"\b{re.escape(a)}\b", b) else ""
            story.tell(f"Rows with rows, columns with columns: {rule}{both}.", back=True)
        if made.flows:
            story.two_sided((self.links,), f"Each cell of {made.title} is a row of {a} times a column of {b}.", point)
        paths = []
        for which, grads in ((2, ()), (0, (3,) * made.flows), (1, (4,) * made.flows)):
            for cells in self.cells:
                high, wide = made.sizes[which]
                rows = [[(r, c) for c in range(wide)] for r in range(high)]
                paths += [cells[k].path(rows) for k in (which, *grads)]
        return Scene(
            made.title, 860, self.height, self.shapes, tuple(story.frames), (self.links,), tuple(paths),
            {"g": "backward"} if made.flows else {}, min(2, len(story.frames) - 1), made.about(),
        )  # fmt: skip


def gradients(left: Index, right: Index, a: str, b: str) -> tuple[str, str]:
    """The two gradients of `a @ b` for tensors of these shapes, as programs write them; g is the one that arrives.

    >>> gradients((2, 3), (3, 4), "a", "b"), gradients((3,), (3, 4), "v", "b")
    (('g @ b.T', 'a.T @ g'), ('b @ g', 'v[:, None] * g'))
    >>> gradients((5, 2, 3), (3, 4), "x", "w")
    ('g @ w.mT', '(x.mT @ g).sum_to_size(3, 4)')
    """
    batch = max(len(left), len(right)) > 2
    tall = "g[..., None]" if batch else "g[:, None]"
    if len(left) == len(right) == 1:
        return f"g * {b}", f"g * {a}"
    if len(right) == 1:
        one, other = f"{tall} * {b}", f"({turned(a, batch)} @ {tall})[..., 0]" if batch else f"{turned(a)} @ g"
    elif len(left) == 1:
        one = f"({b} @ {tall})[..., 0]" if batch else f"{b} @ g"
        other = f"{a}[:, None] * {'g[..., None, :]' if batch else 'g'}"
    else:
        one, other = f"g @ {turned(b, batch)}", f"{turned(a, batch)} @ g"
    met = Alignment((left[:-2] or (1,), right[:-2] or (1,)))
    summed = [batch and prod(shape[:-2]) < prod(met.shape) for shape in (left, right)]
    return tuple(
        f"{how if how[-1] == ']' else f'({how})'}.sum_to_size({', '.join(map(str, shape))})" if short else how
        for how, short, shape in zip((one, other), summed, (left, right), strict=True)
    )


def _sum(pairs: Sequence[tuple[Value, Value]], total: Value) -> tuple[str, str]:
    """The products that are added, and `=` or `≈` before their sum."""
    terms = ["*".join(bracketed(draw.spell(value)) for value in pair) for pair in pairs]
    while len(" + ".join(terms)) > LONGEST:
        terms[-3:] = ["...", terms[-1]]
    found = sum(as_written(a) * as_written(b) for a, b in pairs)
    return " + ".join(terms), f" {sign([found], [total])} "


def _number(value: Any) -> Value:
    return exact(value)[0]

"""The figure of a product: a at the left, b above, the result where they meet, and both gradients."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..ops.creation import from_numpy
from ..scene import Frame, Link, Links, Look, Scene, Shape, draw
from .kit.alignment import Alignment, Index
from .kit.grids import LEFT, RIGHT
from .broadcast_links import BACKWARD, FORWARD, indexed
from .kit.cells import flow, twofold
from .words.numbers import as_written, bracketed, sign
from .reduce_scene import UPSTREAM
from .kit.story import two_sided
from .source import Source, Value, exact, upstream_of

CELLS, BLOCKS, LONGEST = 320, 3, 60
"""Up to so many cells, and so many products of a batch, are drawn; a sum has so many characters, at most."""


class Picture:
    """For each product of the batch `a` at the left, `b` above, the result where they meet."""

    def __init__(self, sources: Sequence[Source], batch: Alignment, upstream: Any):
        self.sources, self.batch = sources, batch
        self.names = [source.name for source in sources]
        (left, right) = (source.shape for source in sources)
        self.m, self.k, self.n = (left[-2] if len(left) > 1 else 1), left[-1], (right[-1] if len(right) > 1 else 1)
        lead = batch.shape if max(len(left), len(right)) > 2 else ()
        self.shape = (*lead, *((self.m,) if len(left) > 1 else ()), *((self.n,) if len(right) > 1 else ()))
        self.title = f"{self.names[0]} @ {self.names[1]}"
        self.blocks = list(product(*map(range, batch.shape)))
        each = self.m * self.k + self.k * self.n + self.m * self.n
        self.side = next((s for s in (42, 36, 30, 26) if 2 * (self.k + self.n) * (s + 2) + 190 < RIGHT - LEFT), 0)
        self.drawn = self.blocks[:BLOCKS] if each * min(len(self.blocks), BLOCKS) <= CELLS and self.side else []
        if self.drawn:
            self._compute(upstream)

    def _compute(self, upstream: Any) -> None:
        arrays = [np.asarray(source.array()) for source in self.sources]
        real = [from_numpy(np.array(x)) for x in arrays]
        table = np.asarray((real[0] @ real[1]).numpy())
        kind = "float32" if all(s.dtype == "float32" for s in self.sources) else "float64"
        given = np.array([UPSTREAM[i % 9] for i in range(prod(self.shape))], kind).reshape(self.shape)
        if upstream is not None:
            given = np.array(upstream_of(upstream, self.shape).array(), kind)
        leaves = [from_numpy(np.array(x, kind)).requires_grad_() for x in arrays]
        (leaves[0] @ leaves[1]).backward(from_numpy(given))
        whole = self.batch.shape
        a, b = (np.array(x, kind) for x in arrays)
        a = a.reshape(*a.shape[:-2], self.m, self.k)
        b = b.reshape(*b.shape[:-2], self.k, self.n)
        self.a, self.b = np.broadcast_to(a, (*whole, *a.shape[-2:])), np.broadcast_to(b, (*whole, *b.shape[-2:]))
        self.c, self.g = (x.reshape(*whole, self.m, self.n) for x in (table, given))
        self.grads = [np.asarray(leaf.grad.numpy()) for leaf in leaves]
        self.da, self.db = self.g @ np.swapaxes(self.b, -1, -2), np.swapaxes(self.a, -1, -2) @ self.g

    def index(self, which: int, block: Index, row: int, column: int) -> Index:
        """The index of a cell as the program writes it; of a (0), b (1) or the result (2)."""
        if which == 2:
            lead = block if max(len(s.shape) for s in self.sources) > 2 else ()
            return (*lead, *((row,) if len(self.sources[0].shape) > 1 else ()),
                    *((column,) if len(self.sources[1].shape) > 1 else ()))  # fmt: skip
        shape = self.sources[which].shape
        lead = self.batch.feed(which, block) if len(shape) > 2 else ()
        return (*lead, row, column) if len(shape) > 1 else (column,) if which == 0 else (row,)

    def _id(self, which: int, t: int, row: int, column: int) -> str:
        high, wide = ((self.m, self.k), (self.k, self.n), (self.m, self.n))[which]
        return f"{'abc'[which]}{(t * high + row) * wide + column}"

    def _virtual(self, which: int, block: Index) -> bool:
        return self.batch.first(which, block) != block

    # -- drawing -----------------------------------------------------------------------------------------------------

    def _shapes(self) -> tuple[Shape, ...]:
        left, right = (str(s.shape) for s in self.sources)
        shapes: list[Shape] = list(draw.title(self.title, f"{left} @ {right} gives {self.shape}", y=34))
        p, y, size = self.side + 2, 84.0, 16 if self.side > 32 else 14
        grads: list[Shape] = []
        x = LEFT + 30
        for t, block in enumerate(self.drawn):
            over, below = x + self.k * p + 22, y + self.k * p + 22
            if len(self.blocks) > 1:
                shapes.append(draw.text(LEFT, y + 14, f"batch {list(block)}", "mono muted", 15))
            shapes.append(draw.text(x + self.k * p - 8, below - 12, self.names[0], "mono strong", 16, "end", room=90))
            shapes.append(draw.text(over - 14, y + 18, self.names[1], "mono strong", 16, "end", room=90))
            sizes = ((self.m, self.k), (self.k, self.n), (self.m, self.n))
            for which, (u, v) in enumerate(((x, below), (over, y), (over, below))):
                values, (high, wide) = (self.a, self.b, self.c)[which], sizes[which]
                (faces, small), (arrived, other) = (self._fitted(v[block], size) for v in (values, self.g))
                cls = "virtual" if which < 2 and self._virtual(which, block) else "value" if which < 2 else ""
                for r, c in product(range(high), range(wide)):
                    id, at = self._id(which, t, r, c), (u + c * p, v + r * p)
                    face, square = faces[r * wide + c], (self.side, self.side)
                    shapes.append(
                        twofold(id, *at, face, arrived[r * wide + c], cls, *square, min(small, other))
                        if which == 2
                        else draw.cell(id, *at, face, cls, *square, small)
                    )
            shapes.append(draw.text(over + self.n * p + 6, below + 26, "g", "mono strong grad-ink when-g", 16))
            aside = over + self.n * p + 80
            further, backs = aside + self.k * p + 22, []
            for which, (u, v) in enumerate(((aside, below), (further, y))):
                values, (high, wide) = (self.da, self.db)[which], sizes[which]
                faces, small = self._fitted(values[block], size)
                for r, c in product(range(high), range(wide)):
                    id, at = f"d{self._id(which, t, r, c)}", (u + c * p, v + r * p)
                    backs.append(draw.cell(id, *at, faces[r * wide + c], "grad", self.side, self.side, small))
            names = [f"{name}.grad" for name in self.names]
            backs.append(draw.text(aside, below - 12, names[0], "mono strong grad-ink", 16, room=self.k * p + 16))
            backs.append(
                draw.text(further - 14, y + 18, names[1], "mono strong grad-ink", 16, "end", room=self.k * p + 60)
            )
            grads.append(draw.group(f"G{t}", *backs, cls="when-g"))
            y = below + self.m * p + 26
        if len(self.blocks) > len(self.drawn):
            shapes.append(
                draw.text(LEFT, y, f"and {len(self.blocks) - len(self.drawn)} more products of the batch", "muted")
            )
            y += 26
        size = max(15.0, min(20.0, (RIGHT - LEFT) / max([1, *map(len, self._told())]) / 0.602))
        shapes.append(flow(*FORWARD, x=LEFT, y=y + 10, size=size, cls="unless-g"))
        shapes.append(flow(*BACKWARD, x=LEFT, y=y + 10, size=size, cls="when-g"))
        self.height = y + 30
        return (*shapes, *grads)

    def _fitted(self, values: np.ndarray, size: float) -> tuple[list[str], float]:
        return draw.fitted(map(_number, values.reshape(-1)), self.side - 4, size)

    def _sum(self, pairs: Sequence[tuple[Value, Value]], total: Value) -> tuple[str, str]:
        """The products that are added, and `=` or `≈` before their sum."""
        terms = ["*".join(bracketed(draw.spell(value)) for value in pair) for pair in pairs]
        while len(" + ".join(terms)) > LONGEST:
            terms[-3:] = ["...", terms[-1]]
        found = sum(as_written(a) * as_written(b) for a, b in pairs)
        return " + ".join(terms), f" {sign([found], [total])} "

    def _line(self, which: int, block: Index, row: int, column: int) -> tuple[str, ...]:
        """The formula of a cell: forward for a result, backward for an operand."""
        at, count = block, range((self.k, self.n, self.m)[(2, 0, 1).index(which)])
        if which == 2:
            pairs = [(_number(self.a[(*at, row, i)]), _number(self.b[(*at, i, column)])) for i in count]
            total = _number(self.c[(*at, row, column)])
            head = indexed(f"({self.title})", self.index(2, block, row, column))
        elif which == 0:
            pairs = [(_number(self.g[(*at, row, j)]), _number(self.b[(*at, column, j)])) for j in count]
            total, head = (
                _number(self.da[(*at, row, column)]),
                indexed(f"{self.names[0]}.grad", self.index(0, block, row, column)),
            )
        else:
            pairs = [(_number(self.a[(*at, i, row)]), _number(self.g[(*at, i, column)])) for i in count]
            total, head = (
                _number(self.db[(*at, row, column)]),
                indexed(f"{self.names[1]}.grad", self.index(1, block, row, column)),
            )
        if which < 2 and self.batch.repeated(which):  # the engine's number: this product's share is a part of it
            whole = draw.spell(_number(self.grads[which][self.index(which, block, row, column)]))
            return f"{head} gets ", *self._sum(pairs, total), f"{draw.spell(total)}, {whole} in all"
        return f"{head} = ", *self._sum(pairs, total), draw.spell(total)

    def _told(self) -> Iterator[str]:
        """The formulas of all cells."""
        for block in self.drawn:
            for which, (high, wide) in enumerate(((self.m, self.k), (self.k, self.n), (self.m, self.n))):
                yield from ("".join(self._line(which, block, r, c)) for r, c in product(range(high), range(wide)))

    def links(self) -> tuple[Links, ...]:
        """A result lights its row and its column; an operand's cell the row or column of both others that it meets."""
        kinds: list[dict[str, Link]] = [{}, {}, {}]
        for t, block in enumerate(self.drawn):
            for r, c in product(range(self.m), range(self.n)):
                me = self._id(2, t, r, c)
                row, column = (
                    [self._id(0, t, r, i) for i in range(self.k)],
                    [self._id(1, t, i, c) for i in range(self.k)],
                )
                up = indexed("g", self.index(2, block, r, c))
                back = (f"{up} = {draw.spell(_number(self.g[(*block, r, c)]))}", f" goes to row {r} of {self.names[0]} "
                        f"and column {c} of {self.names[1]}", "", "")  # fmt: skip
                turned = tuple(f"d{id}" for id in (*row, *column))
                kinds[2][me] = Link((me, *row, *column, *turned), (*self._line(2, block, r, c), *back, ""))
            for r, c in product(range(self.m), range(self.k)):
                me = self._id(0, t, r, c)
                lights = (me, f"d{me}", *(self._id(k, t, (c, r)[k - 1], j) for k in (1, 2) for j in range(self.n)))
                why = f": row {r} of g times row {c} of {self.names[1]}{self._again(0)}"
                kinds[0][me] = kinds[0][f"d{me}"] = Link(
                    lights, (*self._meets(0, block, r, c, f"row {r}"), *self._line(0, block, r, c), why)
                )
            for r, c in product(range(self.k), range(self.n)):
                me = self._id(1, t, r, c)
                lights = (me, f"d{me}", *(self._id(k, t, i, (r, c)[k // 2]) for k in (0, 2) for i in range(self.m)))
                why = f": column {r} of {self.names[0]} times column {c} of g{self._again(1)}"
                kinds[1][me] = kinds[1][f"d{me}"] = Link(
                    lights, (*self._meets(1, block, r, c, f"column {c}"), *self._line(1, block, r, c), why)
                )
        sets: dict = {(f"f{i}", "text"): (i,) for i in range(4)} | {(f"h{i}", "text"): (4 + i,) for i in range(4)}
        says = {"": (0, 1, 2, 3, "."), "g": (4, 5, 6, 7, 8, ".")}
        return tuple(Links(says, family, sets) for family in kinds if family)

    def _again(self, which: int) -> str:
        return ", summed over the batch" if self.batch.repeated(which) else ""

    def _meets(self, which: int, block: Index, row: int, column: int, line: str) -> tuple[str, ...]:
        value = draw.spell(_number((self.a, self.b)[which][(*block, row, column)]))
        here = indexed(self.names[which], self.index(which, block, row, column))
        return f"{here} = {value}", f" is a factor in all of {line} of the result", "", ""

    def scene(self) -> Scene:
        """The rule of the shapes, two cells, then the two gradients."""
        left, right = self.sources[0].shape, self.sources[1].shape
        a, b = self.names
        rule = (
            f"{left} @ {right}: the inner sizes are both {self.k} and disappear, so the result has shape {self.shape}."
        )
        about = (f"{a}: shape {left}", f"{b}: shape {right}", f"{self.title}: shape {self.shape}")
        if not self.drawn:
            note = f"{prod(self.shape):,} cells, each a sum of {self.k:,} products"
            says = Frame(f"{rule} For a picture, show smaller ones, such as (3, 4) @ (4, 5).")
            return Scene(self.title, 860, 90, draw.title(self.title, note, y=34), (says,), about=(*about, note))
        shapes = self._shapes()
        whole = f"{self.title}: point at a result to see its row and its column."
        shapes_back = f"Backward: {a}.grad has the shape of {a}, {left}, and {b}.grad that of {b}, {right}."
        turned = f"Backward: point at a number of {a}.grad or {b}.grad to see the row or column it meets."
        frames = [Frame({"": whole, "g": turned}), Frame({"": rule, "g": shapes_back})]
        cells = self.m * self.n
        if cells and self.k:
            block = self.drawn[0]
            for r, c in dict.fromkeys(((0, 0), (self.m - 1, self.n - 1))):
                says = f"Row {r} of {a} meets column {c} of {b}: {''.join(self._line(2, block, r, c))}."
                frames.append(Frame(says, (), self._id(2, 0, r, c)))
            waiting = Look({"off": tuple(f"G{t}" for t in range(len(self.drawn)))})
            says = f"Backward: each cell of {self.title} receives a gradient, g."
            frames.append(Frame(says, (waiting,), None, ("g",)))
            for which, (r, c), what in ((0, (self.m - 1, 0), f"a row of g times a row of {b}"),
                                        (1, (0, self.n - 1), f"a column of {a} times a column of g")):  # fmt: skip
                line = "".join(self._line(which, block, r, c))
                frames.append(Frame(f"{what.capitalize()}: {line}.", (), self._id(which, 0, r, c), ("g",)))
            again = ", summed over the batch where it broadcasts" if self._again(0) + self._again(1) else ""
            says = f"Rows with rows, columns with columns: {a}.grad = g @ {b}.T and {b}.grad = {a}.T @ g{again}."
            frames.append(Frame(says, (), None, ("g",)))
        forward = f"Each cell of {self.title} is a row of {a} times a column of {b}."
        frames = two_sided(frames, links := self.links(), {"": forward, "g": turned})
        paths = []
        for which, high, wide in ((2, self.m, self.n), (0, self.m, self.k), (1, self.k, self.n)):
            for t in range(len(self.drawn)):
                paths.append(tuple(tuple(self._id(which, t, r, c) for c in range(wide)) for r in range(high)))
                if which < 2:
                    paths.append(tuple(tuple(f"d{id}" for id in row) for row in paths[-1]))
        return Scene(
            self.title, 860, self.height, shapes, frames, links, tuple(paths), {"g": "backward"},
            min(2, len(frames) - 1), about,
        )  # fmt: skip


def _number(value: Any) -> Value:
    return exact(value)[0]

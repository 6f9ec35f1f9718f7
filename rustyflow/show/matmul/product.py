"""A product of matrices, of a batch of them, or of vectors: the numbers, and the formula of each."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ...claims.claim import Claim, equation
from ...claims.digits import bits_of
from ...claims.tree import of_pairs
from ...errors import ArgumentValueError
from ...ops.creation import from_numpy
from ..kit.alignment import Alignment, Index
from ..kit.tracked import Tracked, tracked
from ..source import Source, Value, exact, upstream_of
from ..words.numbers import NINE, written
from ..words.sentences import arriving, indexed, listed, turned

LONGEST = 60
"""A sum has so many characters, at most."""


class Product:
    """A batch of products: for each a matrix of m x k, one of k x n, and their product."""

    def __init__(self, sources: Sequence[Source], batch: Alignment, stands: Sequence[str] = (), title: str = ""):
        self.sources, self.batch, self.flows = sources, batch, False
        self.names = [source.name for source in sources]
        (left, right) = (source.shape for source in sources)
        self.m, self.k, self.n = (left[-2] if len(left) > 1 else 1), left[-1], (right[-1] if len(right) > 1 else 1)
        self.sizes = (self.m, self.k), (self.k, self.n), (self.m, self.n)
        lead = batch.shape if max(len(left), len(right)) > 2 else ()
        self.shape = (*lead, *((self.m,) if len(left) > 1 else ()), *((self.n,) if len(right) > 1 else ()))
        self.title = f"{self.names[0]} @ {self.names[1]}"
        self.program = title or ",  ".join([self.title, *stands])
        self.arrives = arriving([self.title, self.program])
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

    def world(self, variables: Mapping[str, Any] | None = None) -> Tracked | None:
        """The numbers of the product, each of which opens."""
        name = f"({self.title})" if self.shape else self.title
        up = self.g.reshape(self.shape) if self.flows else None
        return tracked(lambda a, b: a @ b, self.sources, self.values[2].reshape(self.shape), name=name, gradient=up,
                       arrives=self.arrives, variables=variables)  # fmt: skip

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
        pairs = zip(exact(left), exact(right), strict=True)
        index = self.index(which, block, row, column)
        name = self.sources[which].grad if which < 2 else f"({self.title})" if index else self.title
        part, after = "", ""
        if which < 2 and self.twice:  # what it gets here is a part of it
            part, after = "gets", f" from the {('left', 'right')[which]}"
        elif which < 2 and self.batch.repeated(which):  # the engine's number: this product's share is a part of it
            whole = equation("", number(self.grads[which][self.index(which, block, row, column)]))
            part, after = "gets", f" ({whole} from the whole batch)"
        claim = Claim(indexed(name, index), of_pairs(pairs), number(total[row, column]),
                      bits=bits_of(total.dtype), room=LONGEST, verb=part or "=")  # fmt: skip
        *pieces, value = claim.pieces
        return *pieces, value + after

    def line_of(self, which: int, block: Index, n: int) -> str:
        """The words for the line that a cell of the result reads, of a (0) or b (1).

        Of the gradients it is the line that one goes to. A vector is a line as a whole.
        """
        name = self.matrix(which, block)
        return f"{('row', 'column')[which]} {n} of {name}" if len(self.sources[which].shape) > 1 else name

    def matrix(self, which: int, block: Index) -> str:
        """The name of a matrix of a (0), b (1) or the upstream gradients (2): `a[0]` in a batch."""
        if which == 2:
            return indexed(self.arrives, block if max(len(s.shape) for s in self.sources) > 2 else ())
        lead = self.batch.feed(which, block) if len(self.sources[which].shape) > 2 else ()
        return indexed(self.names[which], lead)

    def of_g(self, block: Index, row: int | None = None, column: int | None = None) -> str:
        """The words for the gradients that meet an operand's cell: a row of g or a column.

        Of a vector they are all, or the only one.
        """
        matrix = [len(source.shape) > 1 for source in self.sources]
        if all(matrix):
            line = f"row {row}" if column is None else f"column {column}"
            return f"{line} of {self.matrix(2, block)}"
        one = row is not None and matrix[0] or column is not None and matrix[1]
        return indexed(self.arrives, self.index(2, block, row or 0, column or 0)) if one else self.matrix(2, block)

    def transpose(self, which: int, block: Index | None = None) -> str:
        """The name of the transpose of a (0) or b (1), or of one matrix; a vector has its own."""
        name, rank = self.names[which], len(self.sources[which].shape)
        lead = self.batch.feed(which, block) if block is not None and rank > 2 else ()
        return indexed(turned(name, self.ranked) if rank > 1 else name, lead)

    @property
    def ranked(self) -> bool:
        """True if this is a batch of products."""
        return max(len(source.shape) for source in self.sources) > 2

    def meeting(self, block: Index, row: int, column: int) -> str:
        """The words for what meets in a cell of the result, as a sentence begins with them."""
        said = f"{self.line_of(0, block, row)} meets {self.line_of(1, block, column)}"
        return said.replace("row", "Row", 1) if len(self.sources[0].shape) > 1 else said

    def why(self, which: int, block: Index, row: int, column: int) -> str:
        """The words for what is multiplied and summed for a gradient, as a sentence begins with them."""
        a, b = self.matrix(0, block), self.matrix(1, block)
        matrix = [len(source.shape) > 1 for source in self.sources]
        if all(matrix) and which == 0:
            return f"Row {row} of {self.matrix(2, block)} meets column {column} of {self.transpose(1, block)}"
        if all(matrix):
            return f"Row {row} of {self.transpose(0, block)} meets column {column} of {self.matrix(2, block)}"
        if which == 0:
            other = f"row {column} of {b}" if matrix[1] else f"{b}[{column}]"
            return f"{self.of_g(block, row=row)} times {other}"
        other = f"Column {row} of {a}" if matrix[0] else f"{a}[{row}]"
        return f"{other} times {self.of_g(block, column=column)}"

    def turned_in(self, which: int, block: Index, row: int, column: int) -> str:
        """The words for the gradients in which a number of a transpose is a factor."""
        other, rank = 1 - which, len(self.sources[1 - which].shape)
        grad = self.part(other)
        if rank == 1:
            return indexed(grad, (column if which == 0 else row,))
        lead = indexed("", self.batch.feed(other, block)) if rank > 2 else ""
        return f"all of {f'row {column}' if which == 0 else f'column {row}'} of {grad}{lead}"

    def again(self) -> str:
        """The words for the operands that several products of the batch read; none if there are none."""
        repeated = [name for which, name in enumerate(self.names) if self.batch.repeated(which)]
        return f"{listed(repeated)} {'is' if len(repeated) == 1 else 'are'} repeated along the batch" * bool(repeated)

    @property
    def twice(self) -> bool:
        """True if one operand is the other, or made of it: its gradient has a part from either side."""
        return len(set(self.names)) == 1 or any(source.into for source in self.sources)

    def part(self, which: int) -> str:
        """The name of the gradient that a product gives to an operand, which may get others."""
        gradient = self.sources[which].grad
        return f"part of {gradient}" if self.twice or self.batch.repeated(which) else gradient

    def side(self, which: int) -> str:
        """From which side an operand comes in, where the other one reads the same numbers."""
        one, other = self.sources
        return f" from the {('left', 'right')[which]}" if one.storage == other.storage else ""

    def rule(self) -> str:
        left, right = (source.shape for source in self.sources)
        sizes = f"the inner sizes are both {self.k} and disappear"
        return f"{left} @ {right}: {sizes}, so the result has shape {self.shape}."

    def about(self) -> tuple[str, ...]:
        shapes = [(s.name, s.shape) for s in self.sources] + [(self.title, self.shape)]
        sentences = [f"{name}: shape {shape}" for name, shape in shapes]
        if self.flows and written(g := self.g.reshape(self.shape), LONGEST):
            sentences.append(f"{self.arrives}, which arrives backward, is {equation('', g)}")
        return tuple(sentences)


def gradients(left: Index, right: Index, a: str, b: str, g: str = "g") -> tuple[str, str]:
    """The two gradients of `a @ b` for these shapes, as programs write them, with `g` upstream.

    >>> gradients((2, 3), (3, 4), "a", "b"), gradients((3,), (3, 4), "v", "b")
    (('g @ b.T', 'a.T @ g'), ('b @ g', 'v[:, None] * g'))
    >>> gradients((5, 2, 3), (3, 4), "x", "w")
    ('g @ w.mT', '(x.mT @ g).sum_to_size(3, 4)')
    >>> gradients((1, 2, 3), (3,), "x", "v")[1]
    '(x.mT @ g[..., None])[..., 0].sum_to_size(3)'
    """
    batch = max(len(left), len(right)) > 2
    tall = f"{g}[..., None]" if batch else f"{g}[:, None]"
    if len(left) == len(right) == 1:
        return f"{g} * {b}", f"{g} * {a}"
    if len(right) == 1:
        one, other = f"{tall} * {b}", f"({turned(a, batch)} @ {tall})[..., 0]" if batch else f"{turned(a)} @ {g}"
    elif len(left) == 1:
        one = f"({b} @ {tall})[..., 0]" if batch else f"{b} @ {g}"
        other = f"{a}[:, None] * {g}{'[..., None, :]' * batch}"
    else:
        one, other = f"{g} @ {turned(b, batch)}", f"{turned(a, batch)} @ {g}"
    met = Alignment((left[:-2] or (1,), right[:-2] or (1,)))
    summed = [batch and shape[:-2] != met.shape for shape in (left, right)]
    return tuple(
        f"{how if how[-1] == ']' else f'({how})'}.sum_to_size({', '.join(map(str, shape))})" if short else how
        for how, short, shape in zip((one, other), summed, (left, right), strict=True)
    )


def number(value: Any) -> Value:
    """A number as it is."""
    return exact(value)[0]

"""A small run of a line: sizes shrunk alike, and numbers of the line that are these sizes with them."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Any

import numpy as np

from ..show.words.sentences import listed
from .line import Line, copied
from .run import tensors_in
from .twins import MOST

KEPT, FEWEST, MIDDLE, EVEN = 4, 3, 16, 60
"""The longest axis that stays as it is, the shortest that another becomes, the longest that one becomes which keeps its
proportion to others, and a length that many numbers divide."""

Sizes = Mapping[int, int]
"""What becomes of each size that shrinks."""


def shrinkings(sizes: Sequence[int]) -> Iterator[Sizes]:
    """Yields ways to shrink sizes alike: different ones stay different, or keep their proportions, or become equal.

    >>> [*shrinkings([64, 8, 512, 2])]
    [{8: 3, 64: 4, 512: 5}, {8: 4, 64: 4, 512: 4}, {8: 60, 64: 60, 512: 60}]
    >>> [*shrinkings([24, 48])][1]
    {24: 8, 48: 16}
    """
    large = sorted({n for n in sizes if n > KEPT})
    free = [n for n in range(FEWEST, FEWEST + 2 * len(sizes) + 1) if n not in sizes or n > KEPT]
    if not large:
        return
    yield dict(zip(large, free))
    common = gcd(*large)
    parts = (n for n in range(MIDDLE, 1, -1) if common % n == 0 and large[-1] // (common // n) <= MIDDLE)
    by = common // next(parts, common)
    by = by if by > 1 else 0
    if by:
        yield {n: n // by for n in large}
    yield dict.fromkeys(large, KEPT)
    yield dict.fromkeys(large, EVEN)


def sizes_of(value: Any) -> list[int]:
    """The sizes of the tensors in a value."""
    return [n for x in tensors_in(value) for n in x.shape]


def shrunk(value: Any, to: Sizes) -> Any:
    """Returns a value in small: tensors cut at their first cells, whole numbers that are a size as it became.

    Whole numbers in a tensor, which may count along an axis, are taken modulo the smallest size.
    """
    if isinstance(value, bool) or not isinstance(value, int | list | tuple) and not tensors_in(value):
        return value
    if isinstance(value, int):
        return to.get(value, value)
    if isinstance(value, list | tuple):
        return type(value)(shrunk(part, to) for part in value)
    part = value[tuple(slice(to.get(n, n)) for n in value.shape)]
    if "int" in str(part.dtype) and (part.numel() if hasattr(part, "numel") else part.size):
        least = min(to.values())
        return part % least if int(part.max()) >= least else part
    return part


def told(to: Sizes) -> str:
    """Says what became of the sizes.

    >>> told({64: 3, 1000000: 4})
    'A small run of the same line, with the first numbers of each tensor: 3 for 64 and 4 for 1,000,000.'
    """
    became = listed([f"{small:,} for {n:,}" for n, small in to.items()], 6)
    return f"A small run of the same line, with the first numbers of each tensor: {became}."


def huge(node: ast.AST) -> list[int]:
    """The numbers of more than `MOST` that are written in an expression, as 10**9 is."""
    numbers = []
    for part in ast.walk(node):
        if isinstance(part, ast.Constant | ast.BinOp) and (n := _number(part)) and n > MOST:
            numbers.append(n)
    return numbers


def _number(node: ast.AST) -> int | None:
    """The whole number that an expression of numbers alone comes to."""
    match node:
        case ast.Constant(value=int() as n):
            return n
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if (a := _number(left)) and (b := _number(right)):
            return a * b
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if (a := _number(left)) and (b := _number(right)):
            return a**b if b < 64 else None
    return None


class _Shrinking(ast.NodeTransformer):
    def __init__(self, to: Sizes):
        self.to = to

    def visit(self, node: ast.AST) -> ast.AST:
        n = _number(node) if isinstance(node, ast.Constant | ast.BinOp) else None
        small = None if n is None or isinstance(n, bool) else self.to.get(n)
        return self.generic_visit(node) if small is None else ast.copy_location(ast.Constant(small), node)


def small_lines(line: Line, readers: Mapping[str, Any]) -> Iterator[tuple[Line, dict[str, Any], Sizes]]:
    """Yields a line with small tensors under the reader's names, for each way to shrink them."""
    used = {part.id for part in ast.walk(line.node) if isinstance(part, ast.Name)}
    tensors = {name: readers[name] for name in used if name in readers and tensors_in(readers[name])}
    sizes = [*sizes_of([*tensors.values()]), *huge(line.node)]
    for to in shrinkings(sizes):
        node = _Shrinking(to).visit(copied(line.node))
        yield line._replace(node=node), {**readers, **{name: _cut(x, to) for name, x in tensors.items()}}, to


def _cut(value: Any, to: Sizes) -> Any:
    """A small copy of a value, which shares nothing with it and asks for a gradient where it does."""
    parts = shrunk(value, to)
    if not hasattr(value, "requires_grad"):
        return np.array(parts) if isinstance(parts, np.ndarray) else parts
    return parts.detach().clone().requires_grad_(value.requires_grad)

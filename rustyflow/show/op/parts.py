"""The numbers that a rule works out on its way: attention's weights, softmax's shares, a norm's mean."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...claims.claim import Claim
from ...claims.tree import Tree, added, called
from ...ops.creation import from_numpy
from ...scene.maps import Map
from ..words.sentences import indexed, many
from .maps import Maps
from .reads import FAILED, Call, Index, Reads, first_tensor

LETTERS = "wxz"
"""The first letters of the ids of parts' cells."""

SHARED, NORMED = ("softmax",), ("native_layer_norm", "native_batch_norm", "native_group_norm")
"""The operations whose parts are drawn, if they are alone."""

PRODUCTS = "mm", "bmm", "matmul"

NEAR = 1e-4, 1e-6
"""How near weighted values come to the result, relative and absolute."""


class Part(NamedTuple):
    """Some numbers between operands and result.

    Attributes:
        name: what they are called. values: the numbers. axes: the letters of their axes.
        reads: which cells each of them reads, by the letter of an operand or of another part. read: which of them each
            result reads.
        told: what one is. says: the sentence that tells of them. lines: the claim of each, if it is one.
        gives, results: how a result is made of them, in words and in numbers; of the last one it is said.
    """

    name: str
    values: np.ndarray
    axes: tuple[int | None, ...]
    reads: dict[str, Map]
    read: Map
    told: str
    says: str
    lines: Sequence[Claim] = ()
    gives: str = ""
    results: Sequence[Tree] = ()


def parts(
    call: Call, run: Reads, operations: Sequence[str], maps: Sequence[Map], names: Sequence[str],
    axes: Sequence[Sequence[int | None]],
) -> list[Part]:  # fmt: skip
    """The parts of a result; none of most operations. `maps`: what each result reads of each operand."""
    if crossed(run, operations):
        return weights(call, run, names, axes)
    if len(operations) == 1 and run.operands[0].ndim and run.operands[0].shape == run.result.shape:
        return spread(run, operations[0], maps[0], names[0], axes[0])
    return []


def crossed(run: Reads, operations: Sequence[str]) -> bool:
    """True if the rows of a third operand are weighed by a softmax of the rows of two others."""
    shapes = [x.shape for x in run.operands[:3]]
    if len(shapes) < 3 or not operations or any(len(shape) != 2 for shape in (*shapes, run.result.shape)):
        return False
    q, k, v = shapes
    fit = q[1] == k[1] and k[0] == v[0] and run.result.shape == (q[0], v[1])
    turned = any(name in ("transpose", "t", "permute") for name in operations)
    softmax = any(name.endswith("softmax") and not name.startswith("log") for name in operations[:-1])
    return fit and turned and softmax and operations[-1] in PRODUCTS


def joined(maps: Maps) -> Maps:
    """The way attention reads its operands, with one letter for axes that are one.

    These are q's and k's last, k's and v's first. Where k is read up to the result's row, no letter runs there.
    """
    if len(maps) < 3 or any(axes is None or len(axes) != 2 for axes in (maps[0], maps[1], maps[2])):
        return maps
    q, k, v = (maps[n] for n in range(3))
    k = k[0], k[1]._replace(run=q[1].run)
    return {**maps, 1: k, 2: (v[0]._replace(run=k[0].run), v[1])}


def weights(call: Call, run: Reads, names: Sequence[str], axes: Sequence[Sequence[int | None]]) -> list[Part]:
    """The weights of attention: what comes out of it with the identity in place of v."""
    q, k, v = run.operands[:3]
    try:
        alone = [*map(from_numpy, run.operands)]
        alone[2] = from_numpy(np.eye(len(v), dtype=v.dtype))
        found = first_tensor(call(*alone)).detach().numpy()
    except FAILED:
        return []
    if found.shape != (len(q), len(v)) or not np.allclose(found @ v, run.result, *NEAR):
        return []
    cells = [*np.ndindex(found.shape)]
    reads = {"a": [[i * q.shape[1] + d for d in range(q.shape[1])] for i, _ in cells],
             "b": [[j * k.shape[1] + d for d in range(k.shape[1])] for _, j in cells]}  # fmt: skip
    met = [[at[0] for n, at in sorted(some) if n == 2] for some in run.cells.values()]  # none that are masked
    read = [[cell[0] * len(v) + j for j in rows] for cell, rows in zip(run.cells, met)]
    says = f"Each row of {names[0]} meets every row of {names[1]}; softmax makes weights of that, 1 along each row."
    told = f" is the share of that row of {names[2]}"
    maps, name = {letter: Map.of(lists) for letter, lists in reads.items()}, named_apart(names)
    gives = f" adds up products of {name} and {names[2]}"
    return [Part(name, found, (axes[0][0], axes[1][0]), maps, Map.of(read), told, says, gives=gives)]


def named_apart(names: Sequence[str]) -> str:
    """The name of attention's weights, which no operand has."""
    return next(name for name in ("weights", "shares", "parts", "weights of attention") if name not in names)


def spread(run: Reads, operation: str, map: Map, name: str, axes: Sequence[int | None]) -> list[Part]:
    """The parts of what is worked out of groups of cells, each of which all results of the group read."""
    x = run.operands[0]
    groups: dict[Index, list[int]] = {}
    for n in range(run.result.size):
        groups.setdefault(tuple(map.cells(n)), []).append(n)
    cells = [*np.ndindex(x.shape)]
    along = [len({cells[n][axis] for n in next(iter(groups), ())}) > 1 for axis in range(x.ndim)]
    shape = tuple(1 if summed else n for summed, n in zip(along, x.shape))
    own_group = all(set(group) == set(readers) for group, readers in groups.items())
    if operation not in SHARED + NORMED or prod(shape) != len(groups) or not own_group or not groups:
        return []
    ordered = sorted(groups, key=lambda group: min(group))
    of = {n: at for at, group in enumerate(ordered) for n in group}
    back = Map.of([[of[n]] for n in range(x.size)])
    flat, left = x.reshape(-1).astype(float), tuple(None if summed else axis for summed, axis in zip(along, axes))
    whole, count = Map.of([list(group) for group in ordered]), len(ordered[0])

    def each(letter: str, name: str, numbers: Sequence[float], **words: Any) -> Part:
        return Part(name, np.array(numbers).reshape(shape), left, {letter: whole}, back, **words)

    if operation in NORMED:
        middles = [float(flat[list(group)].mean()) for group in ordered]
        spreads = [float(flat[list(group)].std()) for group in ordered]
        says = f"Each number of {name} is set off from the mean of its group, and divided by the deviation there."
        of = f"{many(count, 'number')} of {name}"
        alone = f" is its number of {name} less the mean, over the deviation" * (len(run.operands) < 2)
        return [each("a", "mean", middles, told=f" is that of {of}", says=says),
                each("a", "deviation", spreads, told=f" is how far {of} are from their mean", says="",
                     gives=alone)]  # fmt: skip
    tops = [float(flat[list(group)].max()) for group in ordered]
    with np.errstate(invalid="ignore"):  # of an infinite number there is no distance from it
        lifted = np.exp(np.array([flat[n] - tops[of[n]] for n in range(x.size)]))
    sums = [float(lifted[list(group)].sum()) for group in ordered]
    says = f"Each number of {name}, less the greatest beside it, goes through exp; the result is its share of the sum."
    own = Map.of([[n] for n in range(x.size)])
    title, word = f"exp({name} - max)", "number" if count < 2 else "numbers"
    lines = [Claim(indexed(title, cell), called("exp", [called("-", [float(flat[n]), tops[of[n]]])]), float(lifted[n]))
             for n, cell in enumerate(cells)]  # fmt: skip
    shares = Part(title, lifted.reshape(x.shape), tuple(axes), {"a": own}, own,
                  f" is exp of a number of {name}, less the greatest of {count}", says, lines)  # fmt: skip
    whose = [indexed("sum", index) for index in np.ndindex(shape)]
    lines = [Claim(name, added([float(lifted[n]) for n in group]), total)
             for name, group, total in zip(whose, ordered, sums)]  # fmt: skip
    results = [called("/", [float(lifted[n]), sums[of[n]]]) for n in range(x.size)]
    return [shares, each(LETTERS[0], "sum", sums, told=f" adds up {count} {word} of {title}", says="", lines=lines,
                         gives=f" divides a number of {title} by the sum", results=results)]  # fmt: skip

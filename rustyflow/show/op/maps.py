"""The formula of what an op reads, such as `y[i, j] reads a[i, u], b[u, j]`.

It is found in one run, and found again in larger ones. On few cells several lines fit, so a formula counts only if it
is the same for other sizes, all axes of 4 or more and all different, and for other numbers. An axis that the call holds
to one size, as a norm does, stays at that. Nothing here knows any op.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise, product
from math import prod
from typing import NamedTuple

import numpy as np

from ...ops.creation import from_numpy
from ...scene.draw import LETTERS
from ..words.sentences import listed, names_in
from .reads import FAILED, Call, Index, Reads, other_values, reads

STARTS, ONES = ((4, 1), (5, 2)), 2
"""For each of two further runs the least size of an axis, and how far apart those are that were of other sizes; how
long those of size 1 are there."""

TRIES = 64
"""The most groups of axes that are tried to be longer."""


LONGER: tuple[Callable[[int], int], ...] = (lambda n: n + 3, lambda n: 2 * n, lambda n: 3 * n)
"""How much longer an axis is tried to be, which may have to be even, or a multiple."""


class Line(NamedTuple):
    """A whole number that depends on a result's index.

    It is `by` times that, plus `at`; from the end of an axis where `end`.
    """

    by: tuple[int, ...]
    at: int
    end: bool = False


class Axis(NamedTuple):
    """The way in which one axis of an operand is read.

    It is read from a first index on, in steps, or up to a last one, cut off at the edges.

    Attributes:
        step: 0 where a single index is read. run: in which order it is walked in each run, for what runs in step.
        indexed: by the value of another operand.
    """

    first: Line | None
    last: Line | None = None
    step: int = 0
    run: tuple[Index, ...] = ()
    indexed: int | None = None


Maps = dict[int, tuple[Axis, ...] | None]
"""For each operand that is read how its axes are; None where that is no product of ranges."""


class Through(NamedTuple):
    """A matrix between operands and result, such as the weights of attention.

    Attributes:
        name: what it is called. operands: those that it reads. along: the one whose first axis it has as its second.
    """

    name: str
    operands: tuple[int, ...]
    along: int


def line(points: Sequence[Index], values: Sequence[int]) -> Line | None:
    """The whole numbers with which each value is a sum over its index, or None.

    >>> line([(0, 0), (0, 1), (1, 0)], [1, 3, 2])
    Line(by=(1, 2), at=1, end=False)
    """
    table = np.array([[*point, 1] for point in points])
    fitted = np.rint(np.linalg.lstsq(table.astype(float), np.array(values, float), rcond=None)[0]).astype(int)
    return Line(tuple(map(int, fitted[:-1])), int(fitted[-1])) if (table @ fitted == np.array(values)).all() else None


def _at(where: Line, point: Index) -> int:
    return sum(by * p for by, p in zip(where.by, point)) + where.at


def axis_of(points: Sequence[Index], values: Sequence[Sequence[int]], size: int) -> Axis | None:
    """Returns how an axis of so many cells is read.

    `values` are, for each result cell, the indices that are read, in order of size.
    """
    low, high = [v[0] for v in values], [v[-1] for v in values]
    gaps, counts = {b - a for v in values for a, b in pairwise(v)}, {len(v) for v in values}
    if len(gaps) > 1:
        return None
    step = gaps.pop() if gaps else 0
    if len(counts) == 1:
        first, last = line(points, low), line(points, high)
        part = step and first and not any(first.by) and high[0] + step < size  # a letter stands for the whole axis
        if part:
            return Axis(first, last, 1) if step == 1 else None
        return first and Axis(first, step=step)
    if step > 1:
        return None
    whole = [k for k, v in enumerate(values) if len(v) == max(counts)]  # where no edge cuts it off
    tries = [[*range(len(points))], whole]
    for first in (line([points[k] for k in some], [low[k] for k in some]) for some in tries):
        for last in (line([points[k] for k in some], [high[k] for k in some]) for some in tries):
            if first and last and all(
                list(v) == [*range(max(0, _at(first, p)), min(size - 1, _at(last, p)) + 1)]
                for p, v in zip(points, values)
            ):  # fmt: skip
                return Axis(first, last, 1)
    return None


def maps_of(run: Reads, indices: bool = False) -> Maps:
    """Returns how each operand is read, as one run shows it.

    With `indices` it is read where another operand says, if that fits.
    """
    maps: Maps = {}
    for k, operand in enumerate(run.operands):
        cells = {p: [q for n, q in read if n == k] for p, read in run.cells.items()}
        points = [p for p, read in cells.items() if read]
        if not points:
            continue
        axes: list[Axis | None] = []
        for d, size in enumerate(operand.shape):
            values = [sorted({q[d] for q in cells[p]}) for p in points]
            axis = indices and _indexed(run, k, points, values, size) or axis_of(points, values, size)
            if axis is not None and axis.step:
                order = [q[d] for q in cells[points[0]]]
                axis = axis._replace(run=(tuple((value - order[0]) // axis.step for value in order),))
            axes.append(axis)
        spans = {p: prod(len({q[d] for q in cells[p]}) for d in range(operand.ndim)) for p in points}
        plain = None not in axes and len(points) == len(run.cells)
        plain = plain and all(len(set(cells[p])) == n for p, n in spans.items())
        maps[k] = tuple(axis for axis in axes if axis) if plain else None
    return maps


def _indexed(
    run: Reads, reader: int, points: Sequence[Index], values: Sequence[Sequence[int]], size: int
) -> Axis | None:
    """An axis of an operand that is read where another operand says, counted from either end."""
    for k, operand in enumerate(run.operands):
        if k in run.counted or k == reader:
            continue
        told = [[operand[q].item() for n, q in run.cells[p] if n == k] for p in points]
        if all(len(indices) == len(v) == 1 and indices[0] in (v[0], v[0] - size) for indices, v in zip(told, values)):
            return Axis(None, indexed=k)
    return None


def _groups(call: Call, operands: Sequence[np.ndarray], axes: Sequence[tuple[int, int, int]]) -> dict[Index, int]:
    """Returns which axes have to be of one size: the fewest that can be longer together, -1 for none."""
    left, groups = [*axes], {}
    while left:
        first = left[0]
        same = [axis for axis in left[1:] if axis[2] == first[2]]
        some = ((first, *more) for n in range(len(same) + 1) for more in combinations(same, n))
        found = next((group for group in islice(some, TRIES) if _can_grow(call, operands, group)), ())
        group, number = found or (first, *same), len(groups) if found else -1
        groups |= {(k, d): number for k, d, _ in group}
        left = [axis for axis in left if axis not in group]
    return groups


def _can_grow(call: Call, operands: Sequence[np.ndarray], axes: Sequence[tuple[int, int, int]]) -> bool:
    """True if the op takes operands in which these axes are longer, in one of a few ways."""
    return any(_takes(call, operands, {(k, d): more(n) for k, d, n in axes}) for more in LONGER)


def _takes(call: Call, operands: Sequence[np.ndarray], sizes: Mapping[tuple[int, int], int]) -> bool:
    shapes = [tuple(sizes.get((k, d), n) for d, n in enumerate(x.shape)) for k, x in enumerate(operands)]
    try:
        call(*map(from_numpy, other_values(operands, 0, shapes)))
    except FAILED:
        return False
    return True


def _shapes(
    call: Call, operands: Sequence[np.ndarray], apart: bool, ones: bool
) -> Iterator[list[list[Index]]]:  # fmt: skip
    """Yields larger shapes for two runs.

    First all sizes are apart, then those that have to be one are together, then all that are one. Those of size 1 stay,
    but for `ones`; at last those stay, too, that cannot be longer, as the sizes that a norm was told. A larger axis
    stays larger; where they are wide apart by so much that a kernel can be moved over what it is read with.
    """
    axes = [(k, d, n) for k, x in enumerate(operands) for d, n in enumerate(x.shape) if n != 1 or ones]

    def keys() -> Iterator[Callable[[int, int, int], tuple]]:
        yield lambda k, d, n: (n, k, d)
        groups = _groups(call, operands, axes)
        yield lambda k, d, n: (n, groups[k, d])
        yield lambda k, d, n: (n,)
        if -1 in groups.values() and max(groups.values()) >= 0:
            yield lambda k, d, n: (n, groups[k, d], *["stays"] * (groups[k, d] < 0))

    tried = list[list[list[Index]]]()
    for key in keys():
        order = sorted({key(*axis) for axis in axes})
        runs = []
        for least, gap in STARTS:
            size, of, before = least * (1 + apart * (len({one[0] for one in order}) < 2)), {}, None
            for one in order:
                if one[0] == 1 or one[-1] == "stays":
                    of[one] = ONES if one[0] == 1 else one[0]
                    continue
                if before is not None:
                    size = size + 1 if one[0] == before else 2 * size + 1 if apart else size + gap
                while any(size == other[0] for other in order if other[-1] == "stays"):
                    size += 1
                of[one], before = size, one[0]
            runs.append([tuple(1 if n == 1 and not ones else of[key(k, d, n)] for d, n in enumerate(x.shape))
                         for k, x in enumerate(operands)])  # fmt: skip
        if runs not in tried:  # which two keys may come to
            tried.append(runs)
            yield runs


def larger(call: Call, run: Reads, apart: bool, ones: bool = False) -> list[Reads]:
    """Returns two further runs, of other sizes and numbers, or none where the op takes no others."""
    for runs in _shapes(call, run.operands, apart, ones):
        try:
            return [reads(call, other_values(run.operands, seed, shapes)) for seed, shapes in enumerate(runs, 1)]
        except FAILED:
            continue
    return []


def formula(call: Call, first: Reads) -> Maps:
    """The maps of a run that hold in two larger ones; none if they do not, or cannot be tried."""
    tries = [(indices, maps_of(first, indices)) for indices in (False, True)]
    tries = [(indices, maps) for indices, maps in tries if maps and None not in maps.values()]
    short = any(1 in operand.shape for operand in first.operands)
    for ones, apart in product((True, False) if short else (False,), (False, True)):  # an axis of size 1 may be any
        runs = larger(call, first, apart, ones) if tries else []
        for indices, maps in tries:
            if held := _held(maps, [maps_of(run, indices) for run in runs], (first, *runs)):
                return held
    return {}


def _held(maps: Maps, others: Sequence[Maps], runs: Sequence[Reads]) -> Maps:
    """The maps of the first run as the others have them, too; none where they differ."""
    shape = runs[0].result.shape
    if not others or not maps or any(run.result.ndim != len(shape) for run in runs):
        return {}
    if any(some.keys() != maps.keys() or None in some.values() for some in (maps, *others)):
        return {}
    grown = [len({run.result.shape[d] for run in runs}) > 1 for d in range(len(shape))]
    held: Maps = {}
    for k, axes in maps.items():
        sizes = [run.operands[k].shape for run in runs]
        agreed = [
            _agreed([axis, *(other[k][d] for other in others)], [size[d] for size in sizes], shape, grown)
            for d, axis in enumerate(axes)
        ]
        if None in agreed:
            return {}
        held[k] = tuple(axis for axis in agreed if axis)
    return held


def _agreed(axes: Sequence[Axis], sizes: Sequence[int], shape: Index, grown: Sequence[bool]) -> Axis | None:
    """The axis of the first run, if the others have the same.

    A line may be counted from the end of the axis.
    """
    one, run = axes[0], sum((axis.run for axis in axes), ())
    starts = {axis.first for axis in axes}
    listed = one.step and one.last is None and not any(one.first.by)
    if listed and len(starts) == len({*map(len, run)}) == 1 < len({*sizes}):
        return None  # a list of indices: where an axis is longer, more of it is read
    if sizes[0] == 1 and sizes[1] > 1:
        one, axes, sizes, run = axes[1], axes[1:], sizes[1:], ((0,), *run)
        starts = one.first
        if one.last or starts and (starts.at or any(by and n > 1 for by, n in zip(starts.by, shape))):
            return None  # in the first run it is not read at 0
    if len({(axis.step, axis.indexed, axis.first is None, axis.last is None) for axis in axes}) > 1:
        return None
    ends = []
    for lines in zip(*((a.first, a.last) for a in axes)):
        if None in lines:
            ends.append(None)
            continue
        of = [_trusted(where.by, shape, grown) for where in lines]
        if None in of or len(set(of)) > 1:
            return None
        if len({where.at for where in lines}) == 1:
            ends.append(Line(of[0], lines[0].at))
        elif len({where.at - n for where, n in zip(lines, sizes)}) == 1:
            ends.append(Line(of[0], lines[0].at - sizes[0], True))
        else:
            return None
    return one._replace(first=ends[0], last=ends[1], run=run)


def _trusted(by: tuple[int, ...], shape: Index, grown: Sequence[bool]) -> tuple[int, ...] | None:
    """The steps of a line; None where a short axis that never grows is not walked one by one.

    For a list of any two indices is a line.
    """
    short = (n < 4 and not grows for n, grows in zip(shape, grown))
    return None if any(few and step not in (0, 1) for step, few in zip(by, short)) else by


def own_letters(names: Sequence[str], rank: int) -> Index:
    """The numbers of the letters of a result's axes: the first that are no operand's name, nor in one.

    >>> own_letters(["x", "j"], 2), own_letters(["x[:, i]"], 2)
    ((0, 2), (1, 2))
    """
    return tuple(n for n in range(len(LETTERS)) if LETTERS[n] not in names_in(names))[:rank]


def runs_of(maps: Maps, names: Sequence[str], numbers: Index) -> dict[tuple[Index, ...], int]:
    """The number of a letter for each way in which axes are run through.

    They are those after the result's own, and no name.
    """
    free = (n for n in range(len(LETTERS)) if LETTERS[n] not in names_in(names) and n not in numbers)
    runs = dict.fromkeys(axis.run for axes in maps.values() for axis in axes if axis.step and axis.last is None)
    return dict(zip(runs, free))


def are_lettered(maps: Maps, runs: Mapping[tuple[Index, ...], int]) -> bool:
    """True if letters were left for all ways in which axes are run through."""
    return all(axis.run in runs for axes in maps.values() for axis in axes if axis.step and axis.last is None)


def ranges(runs: Mapping[tuple[Index, ...], int]) -> str:
    """Says how far the letters go that a result's axes do not have, in the first run.

    >>> ranges({((0, 1, 2), (0, 1, 2, 3)): 2, ((0,), (0, 1)): 3})
    ' Here k = 0..2 and l = 0.'
    """
    many = {n: len({*run[0]}) for run, n in runs.items()}
    ends = [f"{LETTERS[n]} = {'0..' * (last > 1)}{last - 1}" for n, last in many.items()]
    return f" Here {listed(ends)}." if ends else ""


def letter_of(axis: Axis, runs: Mapping[tuple[Index, ...], int], numbers: Index) -> int | None:
    """The number of the letter that an operand's axis shares with the result, or with another operand; None for none.

    >>> letter_of(Axis(Line((0, 1), 0)), {}, (0, 1)), letter_of(Axis(Line((0, 2), 0)), {}, (0, 1))
    (1, None)
    """
    if axis.first is None or axis.last is not None or axis.first.at or axis.first.end:
        return None
    by = axis.first.by
    if axis.step:
        return runs.get(axis.run) if axis.step == 1 and not any(by) else None
    return numbers[by.index(1)] if sorted(by)[-1:] == [1] and sum(map(abs, by)) == 1 else None


def axes_said(maps: Maps, names: Sequence[str], sizes: Sequence[Index], numbers: Index) -> dict[int, list[str]]:
    """The index in letters by which each operand is read, an axis each."""
    runs, letters, said = runs_of(maps, names, numbers), [LETTERS[n] for n in numbers], {}
    for k, axes in sorted(maps.items(), key=lambda one: any(axis.indexed is not None for axis in one[1])):
        said[k] = [_by(axis, names, said) or _axis_said(axis, n, runs, letters) for axis, n in zip(axes, sizes[k])]
    return {k: said[k] for k in sorted(said)}


def _by(axis: Axis, names: Sequence[str], said: Mapping[int, Sequence[str]]) -> str:
    """The operand that says where another is read."""
    return entry(names[axis.indexed], said[axis.indexed]) if axis.indexed in said else ""


def entry(name: str, index: Sequence[str]) -> str:
    """A name with an index in letters."""
    return f"{name}[{', '.join(index)}]" if index else name


def spelled(
    maps: Maps, names: Sequence[str], sizes: Sequence[Index], result: str, numbers: Index, shape: Index = (),
    through: Through | None = None,
) -> str:  # fmt: skip
    """The formula in letters.

    The letters of axes of size 1 in a result's shape that nobody is read by are 0. `through`: what the result reads
    in place of the operands, and which of them that reads.

    >>> call = lambda a, b: a @ b
    >>> run = reads(call, [np.ones((2, 3)), np.ones((3, 4))])
    >>> spelled(formula(call, run), "ab", [(2, 3), (3, 4)], "y", (0, 1))
    'y[i, j] reads a[i, k], b[k, j]'
    """
    said, letters = axes_said(maps, names, sizes, numbers), [LETTERS[n] for n in numbers]
    parts = {k: entry(names[k], index) for k, index in said.items()}
    read = {d for axes in maps.values() for axis in axes for where in (axis.first, axis.last) if where
            for d, by in enumerate(where.by) if by}  # fmt: skip
    letters = [
        "0" if d not in read and n == 1 else x for d, (x, n) in enumerate(zip(letters, shape or [0] * len(numbers)))
    ]
    head, more = entry(result, letters), ""
    if through:
        behind = [parts.pop(k) for k in through.operands]
        more = f"; {entry(through.name, [letters[0], ':'])} reads {', '.join(behind)}"
        parts = {-1: entry(through.name, [letters[0], said[through.along][0]]), **parts}
    return f"{head} reads {', '.join(parts.values())}{more}"


def _axis_said(axis: Axis, size: int, runs: Mapping[tuple[Index, ...], int], letters: Sequence[str]) -> str:
    start = _said(axis.first, size, letters)
    if axis.last is not None:
        return f"{start}..{_said(axis.last, size, letters)}"
    if not axis.step:
        return start
    by = f"{axis.step if axis.step > 1 else ''}{LETTERS[runs[axis.run]]}"
    return by if start == "0" else f"{start}+{by}"


def _said(where: Line, size: int, letters: Sequence[str]) -> str:
    terms = [f"{'' if by == 1 else '-' if by == -1 else by}{x}" for by, x in zip(where.by, letters) if by]
    at = where.at + size * where.end
    terms += [str(at)] if at or not terms else []
    return "+".join(terms if terms[0][0] != "-" or len(terms) < 2 else [*terms[1:], terms[0]]).replace("+-", "-")

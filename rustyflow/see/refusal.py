"""Refusals: the sizes that clash, the index past the end, the axes that cannot merge, as rows of boxes."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

from ..errors import (
    BroadcastError,
    DimError,
    DTypeError,
    IndexOutOfRange,
    TensorError,
    ViewError,
)
from ..show.words.sentences import listed, many
from .failure import Failure
from .inside import inside_of
from .line import copied
from .run import aside, evaluated, tensors_in
from .twins import Twins

MOST = 12
"""The most boxes in a row."""


class Box(NamedTuple):
    """A box of a row: its text, and its kind: "", "clash", or "thought" of one that is not there."""

    text: str
    kind: str = ""


class Row(NamedTuple):
    """A row: its name, and its boxes, the last of each row in one column; None leaves a place free."""

    name: str
    boxes: tuple[Box | None, ...]


class Refusal(NamedTuple):
    """A refusal: a sentence, its rows, and the words over and under each column."""

    sentence: str
    rows: tuple[Row, ...] = ()
    over: tuple[str, ...] = ()
    under: tuple[Box, ...] = ()
    kind: str = "shape"


def refusal_of(failure: Failure) -> Refusal:
    """Returns what an operation refused; rustyflow is asked to run it again, for its errors tell why in numbers."""
    error = _again(failure)
    refusal = _drawn(failure, error)
    if error is not failure.error and refusal.sentence == _first(error):  # then the reader's library has the word
        return refusal._replace(sentence=_first(failure.error))
    return refusal


def sizes_of(failure: Failure) -> Refusal:
    """Returns the sizes that an operation had, for which nothing has to be run."""
    return _shapes(failure.error, operands(failure))


def _drawn(failure: Failure, error: BaseException) -> Refusal:
    """The refusal of an operation, by an error that tells of it in numbers."""
    names = operands(failure)
    known = [*names, *_in_layer(failure)]
    if any(word in str(failure.error) for word in GRADS):
        return _gradient(error, names)
    if isinstance(error, TensorError):
        for kind, make in KINDS:
            if isinstance(error, kind) and (match := make(error, names)) is not None:
                return match
        if (match := _aligned(error, known)) is not None:
            return match
    return _shapes(error, names)


GRADS = ("requires grad", "leaf Variable", "implicitly created", "does not require grad", "inplace operation",
         "a second time")  # fmt: skip
"""What the errors of gradients speak of."""


def operands(failure: Failure) -> list[tuple[str, Any]]:
    """The tensors that a failed operation had, each with its text; those in a list under that of the list."""
    inside = [(part.text, tensors_in(value)[:4]) for part, value in zip(failure.parts, failure.values)]
    texts = [(text if len(xs) == 1 else f"{text}[{k}]", x) for text, xs in inside for k, x in enumerate(xs)]
    return texts[:5]


def _in_layer(failure: Failure) -> list[tuple[str, Any]]:
    """The tensors of the layer inside a module at which its call failed: what it was given, and its own."""
    inside = inside_of(failure)
    if inside is None or not hasattr(inside.given, "shape"):
        return []
    own = [(f"{inside.name}.{key}", x) for key, x in inside.layer.named_parameters()]
    return [(f"{inside.name}'s input", inside.given), *own]


def _gradient(error: BaseException, names: Sequence[tuple[str, Any]]) -> Refusal:
    """A write that backward would miss, or a gradient that cannot be."""
    text = str(error)
    match = re.search(r"output (\d+) of (\w+), is at version (\d+); expected version (\d+)", text)
    ours = re.search(r"^(\w+) saved a tensor.*\(it is at version (\d+)\)", text, re.DOTALL)
    if match or ours:
        node = match[2] if match else ours[1]
        now, then = (match[3], match[4]) if match else (ours[2], "0")
        shape = re.search(r"\[([\d, ]*)\]", text.partition("Tensor")[2] or text)
        of = f" of shape [{shape[1]}]" if shape and shape[1] else ""
        sentence = f"{node} keeps a tensor{of} for backward, and it was written over since: its numbers are gone."
        rows = Row("kept at version", (Box(then),)), Row("is now at", (Box(now, "clash"),))
        return Refusal(sentence, rows, (), (), "version")
    if "a second time" not in text:
        return _shapes(error, names)._replace(kind="grad")
    name = names[0][0] if names else "it"
    sentence = "This walks a graph a second time, and the earlier backward() let go of what the graph kept. That " \
               f"call takes retain_graph=True, or {name} is computed anew in between."
    return _shapes(error, names)._replace(kind="version", sentence=sentence)


def _again(failure: Failure) -> BaseException:
    """The error of ours for the same operation, where it has one; else the reader's."""
    error = failure.error
    if isinstance(error, TensorError) and error.facts:
        return error
    try:
        twins = Twins(ours=True)
        twins.foreign = failure.space.twins.foreign
        with aside():
            evaluated(copied(failure.form), twins.space(failure.readers), failure.anew(twins))
    except TensorError as ours:
        return ours if isinstance(ours, _family(error)) else error
    except Exception:
        return error
    return error


def _family(error: BaseException) -> tuple[type, ...]:
    """The kinds of error that may stand for another library's."""
    return (RuntimeError, IndexError, TypeError, ValueError) if isinstance(error, Exception) else ()


def _first(error: BaseException) -> str:
    """The rule of an error, or the first line of what it says."""
    text = getattr(error, "rule", "") or next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    begin = text[:1].upper() if text.partition(" ")[0].isalpha() else text[:1]  # a name stays as it is
    return f"{begin}{text[1:]}".rstrip(".") + "."


def _boxes(shape: Sequence[int], rank: int, clash: Sequence[int] = ()) -> tuple[Box | None, ...]:
    """Sizes as boxes, from the right; what is not there counts as 1."""
    boxes = [Box(f"{n:,}", "clash" if k - len(shape) in clash else "") for k, n in enumerate(shape)]
    thought = [Box("1", "clash" if k - rank in clash else "thought") for k in range(rank - len(shape))]
    return *thought, *boxes


ROWS = re.compile(r"^ *([^:\n]+):((?: +\d+)*)$", re.MULTILINE)


def _aligned(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    """Shapes that were to meet, under each other from the right."""
    rows = [(name, tuple(map(int, sizes.split()))) for name, sizes in ROWS.findall(error.was)]
    if len(rows) < 2:
        return None
    rows = [(_named(name, shape, k, names), shape) for k, (name, shape) in enumerate(rows)][:6]
    if "shapes cannot be multiplied" in error.rule or "MatmulError" in type(error).__name__:
        return _product(rows[:2], "that of weight" in error.rule)
    rank = max(len(shape) for _, shape in rows)
    padded = [(1,) * (rank - len(shape)) + shape for _, shape in rows]
    joins = re.search(r"except in dimension (\d+)", error.rule)
    meets, stretches = isinstance(error, BroadcastError), "expanded size" in error.rule
    differ = [d - rank for d in range(rank) if len({shape[d] for shape in padded} - ({1} if meets else set())) > 1]
    if stretches:
        differ = [d - rank for d, (n, to) in enumerate(zip(*padded)) if n not in (1, to) and to != -1]
    channels = re.search(r"groups=1,.* to have (\d+) channels, but got (\d+)", error.rule)
    clash = differ if meets or joins or stretches else [1 - rank] if channels and rank > 2 else []
    clash = [d for d in clash if not joins or d + rank != int(joins[1])]
    sentence = _first(error)
    if meets and clash:
        at, named = clash[-1], [*zip((name for name, _ in rows), padded)]
        (one, upper), (other, lower) = next(
            (a, b) for a, b in combinations(named, 2) if 1 not in (a[1][at], b[1][at]) and a[1][at] != b[1][at]
        )
        sentence = f"Aligned from the right, the {lower[at]} of {other} stands under the {upper[at]} of {one}: " \
                   "neither is 1, so they clash."
    elif joins and clash:
        sizes = listed([str(shape[clash[-1]]) for shape in padded])
        sentence = f"Along dim {clash[-1] + rank} the sizes are {sizes}: joined tensors agree in all dims but one."
    elif channels:
        (given, _), (kernels, _) = rows[:2]
        read = many(int(channels[1]), "channel")
        sentence = f"Each kernel of {kernels} reads {read}, on dim 1; {given} has {channels[2]} there."

    def verdict(d: int) -> Box:
        sizes = [*dict.fromkeys(shape[d] for shape in padded)]
        if d - rank in clash:
            return Box(" ≠ ".join(map(str, sizes)), "clash")
        return Box("equal" if len(sizes) == 1 else "joined" if joins else "repeats" if meets else "")

    under = tuple(map(verdict, range(rank))) if clash else ()
    boxes = [_boxes(shape, rank, clash) for _, shape in rows]
    if not meets:  # what is not there counts as nothing
        boxes = [(*[None] * (rank - len(shape)), *row[rank - len(shape) :]) for row, (_, shape) in zip(boxes, rows)]
    return Refusal(sentence, tuple(Row(name, row) for (name, _), row in zip(rows, boxes)),
                   tuple(f"dim {d}" for d in range(rank)) if clash else (), under, "shape")


def _named(name: str, shape: tuple[int, ...], k: int, names: Sequence[tuple[str, Any]]) -> str:
    """The reader's name of the operand that a message calls by a name of its own."""
    fits = [text for text, x in names if tuple(x.shape) == shape]
    in_place = [text for text, x in names[k : k + 1] if tuple(x.shape) == shape]
    return next(iter(in_place or fits), name.strip())


def _product(rows: Sequence[tuple[str, tuple[int, ...]]], by_last: bool = False) -> Refusal | None:
    """The refusal of a product: the last size of one meets the first of the other, or its last."""
    (a, left), (b, right) = rows
    if not left or not right:
        return None
    inner, at, which = (left[-1], right[-2:][0]), -min(2, len(right)), "first" if len(right) > 1 else "only"
    if by_last:
        inner, at, which = (left[-1], right[-1]), -1, "last"
    if inner[0] == inner[1]:
        return None
    sentence = f"The last size of {a} meets the {which} of {b} in every product: {inner[0]} is not {inner[1]}."
    first = [*_boxes(left, len(left), [-1])]
    second = [*_boxes(right, len(right), [at])]
    back = max(1, len(right) + at + 1)  # what is met stands in one column
    column = max(len(first), back)
    first = [*[None] * (column - len(first)), *first, *[None] * (len(second) - back)]
    second = [*[None] * (column - back), *second]
    under = [Box("")] * len(first)
    under[column - 1] = Box(f"{inner[0]} ≠ {inner[1]}", "clash")
    return Refusal(sentence, (Row(a, tuple(first)), Row(b, tuple(second))), (), tuple(under), "product")


def _view(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    facts: Mapping[str, Any] = error.facts
    if "stride" not in facts:
        return None
    shape, stride, dims = facts["shape"], facts["stride"], facts.get("dims") or ()
    name = next((text for text, x in names if tuple(x.shape) == tuple(shape)), "x")
    bad = [d - len(shape) for d in dims]
    rows = Row(f"{name}'s shape", _boxes(shape, len(shape), bad)), Row("its stride", _boxes(stride, len(stride), bad))
    sentence = _first(error)
    if len(dims) == 2:
        d, e = dims
        sentence = f"Dims {d} and {e} cannot merge: stride {stride[d]} of dim {d} is not {shape[e]} times stride " \
                   f"{stride[e]} of dim {e}, so no one step walks through both."
    return Refusal(sentence, rows, tuple(f"dim {d}" for d in range(len(shape))), (), "view")


def _numel(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    facts = error.facts
    if "numel" not in facts or not names:
        return None
    name, x = names[0]
    shape, asked = tuple(x.shape), tuple(facts["size"])
    rank = max(len(shape), len(asked), 1)
    rows = Row(name, _boxes(shape, len(shape))), Row("asked for", _boxes(asked, len(asked), range(-len(asked), 0)))
    rows = tuple(Row(row.name, (*row.boxes, *[None] * (rank - len(row.boxes)))) for row in rows)
    known = [n for n in asked if n >= 0]
    cells = f"{prod(asked):,}" if len(known) == len(asked) else f"a multiple of {prod(known):,}"
    sentence = f"{name} has {facts['numel']:,} cells; the shape that is asked for has {cells}."
    return Refusal(sentence, rows, (), (), "numel")


def _index(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    facts = error.facts
    index, dim = facts.get("index"), facts.get("dim")
    if not isinstance(index, int) or not isinstance(dim, int):
        return None
    holders = [(text, x) for text, x in names if len(x.shape) > dim] or [("x", None)]
    name, x = holders[0]
    shape = facts.get("shape") or (tuple(x.shape) if x is not None else ())
    if dim >= len(shape):
        return None
    n = shape[dim]
    places = [*range(n)] if n <= MOST - 3 else [0, 1, 2, None, n - 3, n - 2, n - 1]
    boxes = [Box("…" if k is None else str(k)) for k in places]
    out = Box(str(index), "clash")
    boxes = [*boxes, None, out] if index >= 0 else [out, None, *boxes]
    last = f"dim {dim} of {name} has the indices 0 to {n - 1}" if n else f"dim {dim} of {name} has no index"
    negative = f", or -{n} to -1 from its end" if n else ""
    sentence = f"Index {index} is outside: {last}{negative}."
    return Refusal(sentence, (Row(f"{name}, dim {dim}", tuple(boxes)),), (), (), "index")


def _dim(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    facts = error.facts
    if not isinstance(facts.get("dim"), int) or not names:
        return None
    dim = facts["dim"]
    name, x = next(((text, x) for text, x in names if len(x.shape) == facts.get("rank", -1)), names[0])
    rank = len(x.shape)
    boxes = [*_boxes(tuple(x.shape), rank), None, Box("?", "clash")]
    over = (*(f"dim {d}" for d in range(rank)), "", f"dim {dim}")
    has = f"has {rank} dims, 0 to {rank - 1}" if rank else "is one number, which has no dims"
    sentence = f"{name} {has}: there is no dim {dim}."
    return Refusal(sentence, (Row(name, tuple(boxes)),), over, (), "dim")


def _dtype(error: TensorError, names: Sequence[tuple[str, Any]]) -> Refusal | None:
    if not names:
        return None
    kinds = [str(x.dtype).rpartition(".")[2] for _, x in names[:5]]
    bad = "clash" if len({*kinds}) > 1 or len(kinds) == 1 else ""
    rows = tuple(Row(name, (Box(kind, bad),)) for (name, _), kind in zip(names, kinds))
    return Refusal(_first(error), rows, (), (), "dtype")


Make = Callable[[TensorError, Sequence[tuple[str, Any]]], Refusal | None]

KINDS: tuple[tuple[type, Make], ...] = (
    (ViewError, _view), (TensorError, _numel), (IndexOutOfRange, _index), (DimError, _dim), (TensorError, _index),
    (DTypeError, _dtype),
)
"""How each kind of error is drawn."""


def _shapes(error: BaseException, names: Sequence[tuple[str, Any]]) -> Refusal:
    """The shapes or dtypes that any other operation was given."""
    text = str(error)
    if "dtype" in text or "scalar type" in text or "same dtype" in text or "Long" in text or "expected m1" in text:
        if isinstance(match := _dtype(error, names), Refusal):  # type: ignore[arg-type]
            return match
    kind = "index" if isinstance(error, IndexError) else "other"
    rank = max((len(x.shape) for _, x in names[:5]), default=0)
    if not rank:
        return Refusal(_first(error), tuple(Row(name, (Box("one number"),)) for name, _ in names[:5]), (), (), kind)
    rows = [Row(name, (*[None] * (rank - x.ndim), *_boxes(tuple(x.shape), x.ndim))) for name, x in names[:5]]
    return Refusal(_first(error), tuple(rows), (), (), kind)

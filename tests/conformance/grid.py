"""The grid: which calls are made, and on which tensors.

A call is a line of Python in which `torch` is the library under test and short names stand for tensors, for example
`torch.sum(x, 0, keepdim=True)` with `x` a transposed float32 matrix. Both libraries run the same line on the same
memory.

The tables in `specs/` have one line per name (or per group of names called alike):

    names: arguments; arguments; ... ! wrong arguments; ...

Each pattern of arguments becomes a function call, a method call and an in-place call, where PyTorch has those. A
pattern that begins with `=` is the whole line itself; `{}` in it is the name, and `{D}`, `{F}`, `{I}` stand for every
dtype, floating dtype and integer dtype in turn. The tensors are named in `NAMED`.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from operator import attrgetter

import numpy as np

FLOATS = ("float64", "float32", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
COMPUTED = FLOATS[:2] + INTEGERS  # float16 is for storage and casts
DTYPES = FLOATS + INTEGERS
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "0-d", "empty")

# The tensors a call may name: shape and kind of values. Any other shape is written t(2, 5).
NAMED = {
    "x": ((3, 4), "plain"), "y": ((3, 4), "plain"), "z": ((3, 4), "plain"), "c": ((2, 3, 4), "plain"),
    "v": ((4,), "plain"), "w": ((4,), "plain"), "s": ((), "plain"), "row": ((1, 4), "plain"), "col": ((3, 1), "plain"),
    "q": ((3, 3), "plain"), "p": ((3, 4), "positive"), "u": ((3, 4), "unit"), "odd": ((3, 4), "odd"),
    "mask": ((3, 4), "mask"), "i": ((3, 4), "index"), "well": ((3, 3), "well"), "spd": ((3, 3), "spd"),
}  # fmt: skip
ODD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 2.5, -2.5, 1e4, -1e4, 1e-4)


@dataclass(frozen=True, slots=True)
class Family:
    """A table of names that are called alike."""

    title: str
    table: str
    prefix: str = ""  # where PyTorch keeps the function: "linalg.", "nn.functional."
    dtypes: tuple[str, ...] = COMPUTED
    layouts: tuple[str, ...] = LAYOUTS
    methods: bool = True
    records: bool = True  # floating inputs require a gradient
    seeded: bool = False  # manual_seed before every call


@dataclass(frozen=True, slots=True)
class Case:
    """One call: the line `text`, on tensors of one dtype and layout."""

    family: str
    name: str
    text: str
    dtype: str
    layout: str
    records: bool
    writes: bool
    seeded: bool = False

    def __str__(self):
        return f"{self.text}   [{self.dtype}, {self.layout}{', recorded' if self.records else ''}]"


def rows(table):
    """(names, argument patterns, wrong argument patterns) of each line; an indented line continues the one before."""
    for line in table.replace("\n    ", " ").strip().splitlines():
        if line and not line.startswith("#"):
            names, _, patterns = line.partition(": ")
            right, _, wrong = patterns.partition(" ! ")
            yield names.split(), split(right), split(wrong)


def split(patterns):
    return [p.strip() for p in patterns.split(";") if p.strip()]


def cases(family, torch, thin=1):
    """Every call of a family. `torch` tells which forms exist; with `thin` > 1 only every thin-th point of the grid.

    The first pattern of a name meets every dtype in every layout. Of the float64 layouts and of one layout per dtype,
    the other patterns meet every second; methods and in-place forms meet float64 and int64; wrong uses, two tensors.
    """
    layouts, dtypes = family.layouts, family.dtypes
    every = [(d, lay) for lay in layouts for d in dtypes]
    diagonal = [(d, layouts[k % min(4, len(layouts))]) for k, d in enumerate(dtypes)]
    cross = [(d, lay) for d, lay in every if d == "float64" or (d, lay) in diagonal]
    few = [(d, lay) for d, lay in cross if d in ("float64", "int64")] or cross
    plain = [(d, "contiguous") for d in ("float64", "int64") if d in dtypes] or every[:1]
    for names, right, wrong in rows(family.table):
        for name, (k, arguments) in product(names, enumerate([*right, *wrong])):
            for form, text in forms(family, torch, name, arguments):
                if k >= len(right):
                    points = plain
                elif form in ("method", "in-place"):
                    points = few
                elif MARK.search(arguments):
                    points = diagonal
                else:
                    points = cross[k % 2 :: 2] or cross if k else every
                if not inputs_named(text):
                    points = points[:1]
                for dtype, layout in points[k % thin :: thin] if len(points) > thin else points:
                    records = family.records and form != "method" and dtype in FLOATS
                    yield Case(family.title, name, text, dtype, layout, records, form in WRITING, family.seeded)


def inputs_named(text):
    return any(isinstance(n, ast.Name) and (n.id in NAMED or n.id == "t") for n in ast.walk(ast.parse(text)))


WRITING = ("in-place", "statement")
MARKS = {"{D}": DTYPES, "{F}": FLOATS, "{I}": INTEGERS[:-1]}
MARK = re.compile(r"\{[DFI]\}")


def forms(family, torch, name, arguments):
    """The lines that call `name` so: as a function, as a method, in place, wherever `torch` has it."""
    if arguments.startswith("="):
        text = arguments[1:].strip().replace("{}", name)
        form = "expression" if is_expression(text) else "statement"
        kinds = next((kinds for mark, kinds in MARKS.items() if mark in text), ("",))
        return [(form, MARK.sub(f"torch.{dtype}", text)) for dtype in kinds]
    call = ast.parse(f"f({arguments})", mode="eval").body
    there = callable(reach(torch, family.prefix + name))
    found = [("function", f"torch.{family.prefix}{name}({arguments})")] if there else []
    if family.methods and call.args and isinstance(call.args[0], (ast.Name, ast.Call)):
        owner = ast.unparse(call.args[0])
        rest = ", ".join(ast.unparse(part) for part in call.args[1:] + call.keywords)
        for form, method in (("method", name), ("in-place", name + "_")):
            if hasattr(torch.Tensor, method):
                found.append(("in-place" if method.endswith("_") else form, f"{owner}.{method}({rest})"))
    return found


def is_expression(text):
    try:
        return bool(ast.parse(text, mode="eval"))
    except SyntaxError:
        return False


def reach(module, path):
    """The attribute at a dotted path, or None."""
    try:
        return attrgetter(path)(module)
    except (AttributeError, ImportError):
        return None


@cache
def numbers(kind, dtype, shape, seed):
    """Deterministic values: quarters between -2.75 and 2.75, exact in every dtype, and a few other kinds."""
    steps = (np.arange(prod(shape)) * 7 + 5 * seed) % 23
    if kind == "mask":
        values, dtype = steps % 3 > 0, "bool"
    elif kind == "index":
        values, dtype = steps % 3, "int64"
    elif dtype == "bool":
        values = steps % 3 > 0
    elif kind in ("well", "spd"):
        n = shape[-1] if shape else 1
        square = ((steps - 11) / 8).reshape(shape or (1, 1)) if len(steps) else np.zeros(shape)
        square = square + square.swapaxes(-1, -2) if kind == "spd" else square
        values = square + 4 * np.eye(*square.shape[-2:]) if n else square
    elif kind == "odd" and dtype in FLOATS:
        values = np.take(ODD, (np.arange(len(steps)) * 5 + seed) % len(ODD))
    else:
        low = 1 if kind == "positive" else 0 if dtype == "uint8" else -11
        values = (steps + low) / (1 if dtype in INTEGERS else 12 if kind == "unit" else 4)
    return values.astype(dtype).reshape(shape)


class Inputs(dict):
    """The names a call may use; its tensors are built when first named, in the case's dtype and layout.

    A leaf is contiguous; the layout is applied to it by views, so that a gradient flows back through them.
    """

    def __init__(self, module, case):
        super().__init__(torch=module, np=np, t=self.build)
        self.module, self.case = module, case
        self.leaves, self.bases = [], []

    def __missing__(self, name):
        if name not in NAMED:
            raise KeyError(name)
        shape, kind = NAMED[name]
        self[name] = made = self.build(*shape, kind=kind, seed=list(NAMED).index(name))
        return made

    def build(self, *shape, kind="plain", seed=None, dtype=None):
        case, module = self.case, self.module
        dtype = str(dtype or case.dtype).rpartition(".")[2]
        shape = self.shaped(shape)
        held = leaf_shape(shape, case.layout)
        seed = len(self.leaves) + 20 if seed is None else seed
        array = numbers(kind, dtype, held, seed).copy()
        if kind in ("well", "spd"):
            seen(array, shape, case.layout)[...] = numbers(kind, dtype, shape, seed)
        base = leaf = module.from_numpy(array)
        if case.records and kind not in ("mask", "index") and dtype in FLOATS:
            leaf.requires_grad_()
            base = leaf.clone() if case.writes else leaf
        self.leaves.append(leaf)
        self.bases.append(base)
        return laid_out(base, shape, case.layout)

    def shaped(self, shape):
        """0-d: no dimension at all; empty: every dimension of size 3 has size 0, so that operands still align."""
        layout = self.case.layout
        return () if layout == "0-d" else tuple(0 if n == 3 else n for n in shape) if layout == "empty" else shape


def leaf_shape(shape, layout):
    """The shape of the contiguous leaf of which `laid_out` makes a view of `shape`."""
    if not shape or layout in ("contiguous", "empty"):
        return shape
    if layout == "transposed":
        return shape[::-1]
    if layout == "sliced":
        return (*(n + 2 for n in shape[:-1]), 2 * shape[-1] + 1)
    return (1, *shape[1:])


def laid_out(leaf, shape, layout):
    """A view of `shape` on the leaf, with the strides and the offset that the layout asks for."""
    if not shape or layout in ("contiguous", "empty"):
        return leaf
    if layout == "transposed":
        return leaf.permute(*reversed(range(len(shape))))
    if layout == "sliced":
        return leaf[sliced(shape)]
    return leaf.expand(shape)


def sliced(shape):
    """The index at which the view of `shape` stands in its larger leaf."""
    return (*(slice(1, n + 1) for n in shape[:-1]), slice(1, None, 2))


def seen(array, shape, layout):
    """The cells of a leaf's array that `laid_out` shows; of an expanded leaf those of its own that are not shown."""
    transposed = bool(shape) and layout == "transposed"
    shown = array.T if transposed else array[sliced(shape)] if shape and layout == "sliced" else array
    return shown if shown.shape == shape else np.empty(shape)

"""show.broadcast: how shapes meet, which stored number each result reads, and how gradients are summed back."""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, count
from typing import Any

import numpy as np

from ..dispatch.operation import OPS
from ..dispatch.registry import PUBLIC
from ..errors import ArgumentTypeError, ArgumentValueError, CallError
from ..ir.formula import rules
from ..ir.text import clean
from ..ops.creation import from_numpy
from ..scene import Figure
from ..tensor.table import fill
from .broadcast_scene import Picture
from .broadcast_story import tell
from .kit.alignment import Alignment
from .source import Source, Value, exact, look, upstream_of
from .words.caller import words
from .words.numbers import UPSTREAM, as_written, sign

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
ALIASES = {
    **{symbol: name for name, symbol in SYMBOLS.items()}, "subtract": "sub", "multiply": "mul", "divide": "div",
    "true_divide": "div", "truediv": "div", "power": "pow", "float_power": "pow",
}  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """An elementwise operation: its name in rustyflow, and how a program writes it."""

    name: str

    def apply(self, operands: Sequence[Any]) -> Any:
        """The op on rustyflow tensors; of more operands than it takes, from left to right."""
        call = PUBLIC[self.name]
        many = len(OPS[self.name].operands) if self.name in OPS else len(operands)
        return call(*operands) if many == len(operands) else reduce(call, operands)

    def says(self, parts: Sequence[str]) -> str:
        """`a + b`, or `maximum(a, b)`."""
        symbol = SYMBOLS.get(self.name)
        return f" {symbol} ".join(parts) if symbol else f"{self.name}({', '.join(parts)})"

    def rule(self, operand: int, names: Sequence[str]) -> str:
        """The gradient for one operand, from the op's own formula, in the names of the program: `g * b`."""
        made = OPS.get(self.name)
        if made is None or len(made.operands) != len(names):
            return ""
        rule = rules(made.doc).get(f"d{made.operands[operand]}", "").replace("alpha * ", "").replace(" * alpha", "")
        called = dict(zip(made.operands, names, strict=True))
        return re.sub(r"[a-z_]+", lambda word: called.get(word[0], word[0]), rule)


@dataclass(frozen=True, eq=False)
class Backward:
    """What flows back: the gradient of each result cell; per operand what each of its copies gets, and the sums.

    `made_up`: nobody gave the gradients that arrive. `asked`: which operands want theirs.
    """

    upstream: list[Value]
    shares: list[list[Value] | None]
    totals: list[dict[tuple[int, ...], Value] | None]
    lifted: bool
    made_up: bool
    asked: list[bool]


def broadcast(
    *tensors: Any, op: str | Callable = "+", upstream: Any = None, names: Sequence[str] | None = None,
    title: str | None = None,
) -> Figure:  # fmt: skip
    """How shapes align from the right, what is repeated, and where each number of the result comes from.

    Point at a result cell to see what it reads; at a stored number to see all its readers. `g` turns to the backward
    side: the upstream gradient falls back along the same links and is summed over the repeated axes.

    Args:
        tensors: two or more rustyflow tensors, NumPy arrays, PyTorch tensors or Python numbers. Shapes that clash are
            drawn with the changes that would make them fit. Rank above 4 is shown as a table of shapes.
        op: an elementwise operation: `"+"`, `"mul"`, `rustyflow.maximum`, `np.subtract` ... With more than two operands
            it is applied from left to right.
        upstream: the gradient that arrives at the result, of its shape; default: small unequal integers.
        names: what to call the tensors; default: the names in the calling line.
        title: the program; default: the names joined by the operation.

    Raises:
        TypeError: an argument is no tensor, array or number. ValueError: fewer than two tensors, an unknown operation,
        or the wrong number of names. ShapeError (a RuntimeError): `upstream` has another shape than the result.

    Example:
        >>> import rustyflow as rf
        >>> import numpy as np
        >>> figure = rf.show.broadcast(np.array([[10], [20], [30]]), np.array([1, 2, 3, 4]), names=["a", "b"])
        >>> print(figure.state(link="r6").sentence)
        (a + b)[1, 2] = a[1, 0] + b[2] = 20 + 3 = 23.
        >>> print(figure.state(link="a4", toggles=("g",)).sentence)
        a.grad[1, 0] = 3 + 1 + 2 + 1 = 7, summed over j · dim 1, the axis along which a was repeated.
    """
    if len(tensors) < 2:
        raise ArgumentValueError(
            f"{len(tensors)} tensors", "broadcasting is between two or more", "show.broadcast(a, b)"
        )
    if word := next((x for x in tensors if isinstance(x, str)), None):
        raise ArgumentTypeError(
            f"{word!r} among the tensors", "the operation has a name of its own", f"show.broadcast(..., op={word!r})"
        )
    if names is not None and len(names) != len(tensors):
        raise ArgumentValueError(
            f"{len(names)} names, {len(tensors)} tensors", "each tensor has one name", "names=['a', 'b']"
        )
    caller = words(len(tensors))
    said = caller.arguments if names is None else ()
    called = [clean(str(name)) for name in names] if names is not None else _called(said, caller.variables)
    operation = _operation(op)
    sources = [
        look(np.asarray(x) if isinstance(x, bool | int | float) else x, name)
        for x, name in zip(tensors, called, strict=True)
    ]
    met = Alignment(tuple(source.shape for source in sources))
    if upstream is not None and met.shape is not None:
        given = np.ascontiguousarray(upstream_of(upstream, met.shape).array())
        upstream = look(given, "upstream").read(range(given.size))
    made = [f"{name} = {code}" for name, code in zip(called, said, strict=False) if code and code != name]
    wants = [bool(getattr(x, "requires_grad", False)) for x in tensors]
    asked = wants if any(wants) else [True] * len(wants)
    program = title or ",  ".join([operation.says(called), *made])
    picture = Picture(program, sources, met, operation, lambda cells: _forward(operation, sources, met, cells),
                      lambda cells: _backward(operation, sources, met, cells, upstream, asked))  # fmt: skip
    return Figure(tell(picture))


def _called(arguments: Sequence[str | None], variables: Container[str]) -> list[str]:
    free = (name for name in chain("abcdefgh", (f"x{k}" for k in count())) if name not in variables)
    return [name if name and name.isidentifier() else next(free) for name in arguments]


def _operation(op: str | Callable | None) -> Operation:
    name = op if isinstance(op, str) else "add" if op is None else getattr(op, "__name__", repr(op))
    fill()
    name = ALIASES.get(name, name)
    if name not in PUBLIC or name.endswith("_"):
        raise ArgumentValueError(
            f"op={op!r}",
            "op is an elementwise operation of rustyflow",
            "op='+', op='mul', op='maximum'; show.matmul(a, b) for a product of matrices",
        )
    return Operation(name)


def _read(source: Source, met: Alignment, operand: int, cells: Sequence[tuple[int, ...]]) -> list[Value]:
    """What each position of the result reads from an operand."""
    slots = [
        source.offset + sum(i * s for i, s in zip(met.feed(operand, cell), source.stride, strict=True))
        for cell in cells
    ]
    return source.read(slots)


def _tensor(values: Sequence[Value], dtype: str, shape: tuple[int, ...], name: str) -> Any:
    kind = {"bfloat16": "float32", "uint16": "int32", "uint32": "int64", "uint64": "int64"}.get(dtype, dtype)
    if kind.startswith("complex"):
        raise ArgumentTypeError(
            f"{name} has dtype {dtype}", "rustyflow has no complex numbers", f"{name}.real, {name}.imag"
        )
    return from_numpy(np.array(values, kind).reshape(shape))


def _forward(operation: Operation, sources, met: Alignment, cells) -> tuple[list[list[Value]], list[Value], list[str]]:
    """What each result cell reads from each operand, what it comes to, and the sign before that."""
    reads = [_read(source, met, k, cells) for k, source in enumerate(sources)]
    if not cells:
        return reads, [], []
    values = _applied(operation, sources, reads)
    written = [[as_written(value) for value in column] for column in reads]
    found = values if written == reads else _applied(operation, sources, written)
    return reads, values, [sign([a], [b]) for a, b in zip(found, values, strict=True)]


def _applied(operation: Operation, sources, reads: Sequence[Sequence[Value]]) -> list[Value]:
    """What the operation gives for numbers read from each operand, cell by cell."""
    cells = len(reads[0])
    pairs = zip(reads, sources, strict=True)  # a 0-d operand stays 0-d: its dtype weighs less
    operands = [_tensor(r if s.shape else r[:1], s.dtype, (cells,) if s.shape else (), s.name) for r, s in pairs]
    try:
        result = operation.apply(operands)
    except CallError:  # it takes other arguments
        result = None
    if getattr(result, "shape", None) != ((cells,) if any(s.shape for s in sources) else ()):
        raise ArgumentValueError(
            f"op={operation.name}", "op takes tensors cell by cell, and gives one number for each", "op='+'"
        )
    return look(result, "result").read(range(cells))


def _backward(operation: Operation, sources, met: Alignment, cells, upstream, asked) -> Backward | None:
    """The gradients as the engine computes them: for each copy as if it were a tensor, and for the operands."""
    if not cells:
        return None
    floats = [s.dtype if s.dtype in ("float16", "float32", "float64") else "float64" for s in sources]
    lifted = any(s.dtype[:3] in ("int", "uin", "boo") for s in sources)
    coming = list(upstream) if upstream is not None else [UPSTREAM[n % len(UPSTREAM)] for n in range(len(cells))]

    def leaves(values, shapes):
        made = [_tensor(v, d, s, "").requires_grad_() for v, d, s in zip(values, floats, shapes, strict=True)]
        if operation.name == "where":
            made[0] = made[0].detach() != 0
        return made

    def gradients(operands, shape):
        result = operation.apply(operands)
        if not result.requires_grad:
            return None
        result.backward(_tensor(coming, str(result.dtype).rpartition(".")[2], shape, "upstream"))
        return [None if x.grad is None else exact(x.grad.numpy()) for x in operands]

    copies = [_read(source, met, k, cells) for k, source in enumerate(sources)]
    shares = gradients(leaves(copies, [(len(cells),)] * len(sources)), (len(cells),))
    if shares is None:
        return None
    own = [list(np.ndindex(source.shape)) for source in sources]
    kept = [dict(zip([met.feed(k, c) for c in cells], copies[k], strict=True)) for k in range(len(sources))]
    real = leaves([[kept[k][i] for i in index] for k, index in enumerate(own)], [s.shape for s in sources])
    totals = gradients(real, met.shape)
    sums = [t and dict(zip(index, t, strict=True)) for t, index in zip(totals, own, strict=True)]
    return Backward(coming, shares, sums, lifted, upstream is None, asked)

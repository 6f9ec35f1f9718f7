"""An elementwise operation on operands that broadcast: its numbers, their equations, and the gradients."""

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np

from ...claims.bind import bound
from ...claims.claim import Claim, equation
from ...claims.digits import bits_of
from ...claims.rule import UNREADABLE, Rule, parse
from ...claims.say import say
from ...claims.tree import Leaf, Op, Tree, added, called, floats, numbers, of_rule, text
from ...dispatch import watching
from ...dispatch.operation import OPS
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentTypeError, ArgumentValueError, CallError, GradError, UnsupportedDTypeError
from ...layout import flat_index
from ...ops.creation import from_numpy
from ...scene import draw
from ...tensor.table import fill
from ..kit.alignment import Alignment, Index
from ..kit.reading import stored
from ..kit.tracked import Tracked, tracked
from ..kit.widened import kind_of
from ..source import Source, Value, exact
from ..words.numbers import UPSTREAM
from ..words.sentences import SYMBOLS, indexed, listed, many, written

Pieces = tuple[str, str, str, str]
"""An equation as it stands in the line under the cells: what it is of, what is read, what that comes to."""

ALIASES = {
    **{symbol: name for name, symbol in SYMBOLS.items()}, "subtract": "sub", "multiply": "mul", "divide": "div",
    "true_divide": "div", "truediv": "div", "power": "pow", "float_power": "pow", "floordiv": "floor_divide",
    "mod": "remainder", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip

ARRIVES, SENT = "what arrives", "what its cells are sent"
"""What a gradient is that is passed on, and one whose rule is no short program."""

CHOOSING = {"where": lambda sides: int(bool(sides[0])), "maximum": np.argmax, "minimum": np.argmin}
"""The operations that choose, and what tells by the numbers of their parts what they take."""

PRODUCTS, PRODUCT = 44, 24
"""The most characters of a sum of products, and of one that a cell sends; of longer ones only the numbers are said."""


def operation(op: str) -> str:
    """The name of an operation in rustyflow: of `*` or `multiply` it is `mul`."""
    fill()
    name = ALIASES.get(op, op)
    if name not in PUBLIC or name.endswith("_"):
        raise ArgumentValueError(
            f"op={op!r}", "op is an elementwise operation of rustyflow",
            "op='+', op='mul', op='maximum'; show.matmul(a, b) for a product of matrices",
        )  # fmt: skip
    return name


def floating(source: Source) -> bool:
    """True if a tensor can have a gradient: whole numbers, bools and Python's numbers have none."""
    return "float" in source.dtype and not source.number


@dataclass
class Step:
    """One op that ran, as a watcher is told of it."""

    op: Any
    operands: Sequence[Any]
    attrs: Mapping[str, Any]
    out: Any

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """The op's rules by what they are of; that of a sign is the sign."""
        absent = [letter for letter, x in zip(self.op.operands, self.operands) if x is None]
        try:
            rules = {name: rule for rule in bound(self.op.doc, self.attrs, absent) for name in rule.names}
        except UNREADABLE:
            rules = {}
        if self.op.name in SYMBOLS:
            rules["y"] = Rule("y", parse(f" {SYMBOLS[self.op.name]} ".join(self.op.operands)))
        return rules

    def tree(self, left: str, values: Sequence[Any], whole: bool = False, **others: Any) -> Tree | None:
        """The tree of a rule for one cell; None where the op has none of numbers."""
        try:
            numbers = {**self.attrs, **dict(zip(self.op.operands, values, strict=True)), **others}
            known = {name: number for name, number in numbers.items() if number is not None}
            return of_rule(self.rules[left], known, whole=whole)
        except (KeyError, ValueError, RecursionError):
            return None


class Elementwise:
    """The numbers of some cells of a result, and their equations.

    Attributes:
        values: for each operand the numbers that the cells read; at the end what they come to.
        readers: for each operand the cells that read its numbers, by the index of the number.
        two_sided: whether anything flows back. back: for each operand the gradients of its copies, or None; at the end
            those that arrive. totals: for each operand its own gradient, or None where none flows.

    >>> from rustyflow.show.source import source_of
    >>> sources = source_of(np.array([[1.0], [2.0]]), "a"), source_of(np.array([3.0, 4.0]), "b")
    >>> product = Elementwise(sources, "mul", Alignment(((2, 1), (2,))), [(0, 0), (0, 1), (1, 0), (1, 1)])
    >>> "".join(product.lines[1, 0])
    '(a * b)[1, 0] = a[1, 0] * b[0] = 2·3 = 6'
    >>> product.differentiate()
    >>> "".join(product.sum(0, (1, 0)))
    'a.grad[1, 0] = 2·3 + 1·4 = 10'
    """

    def __init__(self, sources: Sequence[Source], op: str, met: Alignment, cells: Sequence[Index], arrives: str = "g"):
        self.sources, self.op, self.met, self.cells, self.arrives = sources, op, met, cells, arrives
        self.operands, self.names = range(len(sources)), [source.name for source in sources]
        self.grads = [source.grad for source in sources]
        self.result = written(op, self.names)
        self.whole = f"({self.result})" if " " in self.result and self.result[-1] != ")" else self.result
        self.readers: list[dict[Index, list[Index]]] = [{} for _ in sources]
        for k in self.operands:
            for cell in cells:
                self.readers[k].setdefault(met.feed(k, cell), []).append(cell)
        reads = [self._read(k, [met.feed(k, cell) for cell in cells]) for k in self.operands]
        self.values = [dict(zip(cells, column)) for column in (*reads, self._forward(reads))]
        self.totals: list[dict[Index, Value] | None] = [None for _ in sources]
        self.two_sided = False

    def _read(self, k: int, indices: Sequence[Index]) -> list[Value]:
        source = self.sources[k]
        return source.read([flat_index(index, source.stride, source.offset) for index in indices])

    def _apply(self, operands: Sequence[Any]) -> Any:
        """The op on tensors; of more operands than it takes, from left to right."""
        call = PUBLIC[self.op]
        takes = len(OPS[self.op].operands) if self.op in OPS else len(operands)
        return call(*operands) if takes == len(operands) else reduce(call, operands)

    def _forward(self, reads: Sequence[Sequence[Value]]) -> list[Value]:
        """The results for numbers read from each operand, cell by cell."""
        if not self.cells:
            return []
        n, shape = len(self.cells), (len(self.cells),) if any(source.shape for source in self.sources) else ()
        operands = [  # one without axes stays without: its dtype weighs less
            _tensor(read[: n if source.shape else 1], source.dtype, shape if source.shape else (), source.name)
            for read, source in zip(reads, self.sources)
        ]
        self.steps: list[Step] = []
        try:
            with watching(lambda *step: self.steps.append(Step(*step))):
                result = self._apply(operands)
        except (CallError, ArgumentTypeError):  # it takes other arguments
            result = None
        self.read = operands
        if getattr(result, "shape", None) != shape:
            raise ArgumentValueError(
                f"op={self.op}", "op takes tensors cell by cell, and gives one number for each", "op='+'"
            )
        array = result.detach().numpy()
        self.bits, self.came = bits_of(array.dtype), result
        return exact(array)

    def _tree(self, values: Sequence[Value]) -> Tree:
        """The tree of a result: each op that ran, by the sign of the program or its own rule."""
        known: dict[int, Any] = {id(x): value for x, value in zip(self.read, values)}
        for step in self.steps:
            known[id(step.out)] = step.tree("y", [known.get(id(x), x) for x in step.operands], whole=True)
        if (tree := known.get(id(self.came))) is None:
            return called(self.op, values)
        return called("trunc", [tree]) if self.op == "pow" and self.bits and values[1] < 0 else tree

    def choice(self, cell: Index) -> int | None:
        """The side that a result takes, of an operation that masks, clips or chooses; None of any other."""
        tree = self._tree([column[cell] for column in self.values[:-1]])
        if not isinstance(tree, Op) or tree.how not in CHOOSING:
            return None
        sides = [floats(part) for part in tree.parts]
        return CHOOSING[tree.how](sides)

    @cached_property
    def letters(self) -> list[str]:
        """The letter of each operand in the rules of the one op that ran; none of several."""
        if len(self.steps) != 1:
            return []
        letters = {id(x): letter for x, letter in zip(self.steps[0].operands, self.steps[0].op.operands)}
        return [letters[id(x)] for x in self.read if id(x) in letters]

    def world(self, variables: Mapping[str, Any] | None = None) -> Tracked | None:
        """The numbers of an operation of which all cells are drawn, each of which opens."""
        drawn = np.array([self.values[-1][cell] for cell in np.ndindex(self.met.shape)]).reshape(self.met.shape)
        up = [self.back[-1][cell] for cell in np.ndindex(drawn.shape)] if self.two_sided else None
        return tracked(lambda *operands: self._apply(operands), self.sources, drawn,
                       name=self.whole if drawn.shape else self.result, arrives=self.arrives, variables=variables,
                       gradient=None if up is None else np.reshape(up, drawn.shape))  # fmt: skip

    def differentiate(self, arrives: Source | None = None) -> None:
        """The gradients as the engine computes them: for each copy as if it were a tensor, and for the operands."""
        shapes, n = [source.shape for source in self.sources], len(self.cells)
        if not any(map(floating, self.sources)):
            return
        coming = exact(arrives.array()) if arrives else [UPSTREAM[i % len(UPSTREAM)] for i in range(n)]
        copies = [list(column.values()) for column in self.values[:-1]]
        shares = self._backward(copies, [(n,) for _ in shapes], coming, (n,)) if n else None
        if shares is None:
            return
        indices = [list(np.ndindex(shape)) for shape in shapes]
        sums = self._backward(list(map(self._read, self.operands, indices)), shapes, coming, self.met.shape)
        self.two_sided = True
        self.back = [column and dict(zip(self.cells, numbers(column))) for column in (*shares, coming)]
        self.totals = [column and dict(zip(index, numbers(column))) for index, column in zip(indices, sums)]

    def _backward(
        self, values: Sequence[Sequence[Value]], shapes: Sequence[Index], coming: Sequence[Value], shape: Index
    ) -> list[list[Value] | None] | None:
        """The gradients of operands of such values and shapes; None where none flows."""
        kinds = [source.dtype for source in self.sources]
        leaves = [_tensor(*column) for column in zip(values, kinds, shapes, self.names)]
        for leaf, source in zip(leaves, self.sources):
            leaf.requires_grad_(floating(source) and not (self.op == "where" and leaf is leaves[0]))
        try:
            result = self._apply(leaves)
            if not result.requires_grad:
                return None
            result.backward(_tensor(coming, str(result.dtype).rpartition(".")[2], shape, "upstream"))
        except (GradError, UnsupportedDTypeError):  # of whole numbers, or of steps
            return None
        return [None if leaf.grad is None else exact(leaf.grad.numpy()) for leaf in leaves]

    def rule(self, k: int) -> str:
        """The gradient for one operand, from the op's own formula, in the names of the program: `g * b`."""
        rules = self.steps[0].rules if len(self.letters) == len(self.names) else {}
        if not self.letters[k:] or f"d{self.letters[k]}" not in rules:
            return ""
        tree = deepcopy(rules[f"d{self.letters[k]}"].tree)
        called = {"g": self.arrives, "y": self.whole, **dict(zip(self.letters, self.names))}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = called.get(node.id, node.id)
        return say(tree)

    def program(self, k: int) -> str:
        """The rule in the names of the program; without the axes that the operand lacks, which are of size 1."""
        rule, lacks = self.rule(k), self.met.missing(k)
        if not rule or not lacks or self.met.repeated(k):
            return rule
        return (rule if rule.isidentifier() else f"({rule})") + "[0]" * lacks

    def named(self, k: int, cell: Index) -> str:
        """The cell that a result reads from an operand, as the program writes it: `a[1, 0]`."""
        return indexed(self.names[k], self.met.feed(k, cell))

    def within(self, k: int) -> list[str]:
        """The other operands that are the same tensor, or made of it: what they get flows on to it."""
        kin = {self.names[k], *self.sources[k].into}
        return [name for n, name in enumerate(self.names) if n != k and name in kin]

    def places(self, k: int) -> int:
        """The number of places at which the tensor of an operand stands."""
        tensor = self.sources[k].of
        return sum(source.of == tensor for source in self.sources) if tensor else 1

    def shared(self, k: int) -> bool:
        """True if another operand is the same tensor, or made of it, or reads its memory."""
        storage, others = self.sources[k].storage, (n for n in self.operands if n != k)
        return bool(self.within(k)) or any(self.sources[n].storage == storage for n in others)

    def partly(self, k: int) -> bool:
        """True if the gradient of an operand may get more than this place gives it."""
        this, others = self.sources[k], (source for n, source in enumerate(self.sources) if n != k)
        # of what reads its memory the graph tells whether it is made of it, where one is kept
        unknown = any(source.storage == this.storage and not source.asks for source in others) and not this.asks
        return bool(self.within(k)) or self.places(k) > 1 or unknown and self.names[k].isidentifier()

    def along(self, k: int) -> str:
        """`j · dim 1`: the axes along which an operand is repeated."""
        return listed([f"{draw.letter_of(d)} · dim {d}" for d in self.met.repeated(k)])

    def is_stored(self, k: int, cell: Index) -> bool:
        """True if the number of an operand is drawn at this cell, and not read again with stride 0."""
        repeats = any(at and not step for at, step in zip(self.met.feed(k, cell), self.sources[k].stride))
        return not repeats and self.met.first(k, cell) == cell

    def read_again(self, k: int) -> str:
        """Says how often the numbers of an operand are read that is repeated."""
        source, times = self.sources[k], self.met.times(k)
        numbers_kept, stride = stored([source]), f", with stride 0 along {self.along(k)}"
        held = "its one number is" if numbers_kept == 1 else f"its {numbers_kept:,} numbers are each"
        if numbers_kept != source.numel:  # some of its own cells are one number, read again
            held = f"its {many(source.numel, 'cell')} are {many(numbers_kept, 'number')},"
            times, stride = prod(self.met.shape), " in all" if numbers_kept > 1 else ""
        sentence = f"{held} read {times:,} times{stride}; dashed is no copy"
        return sentence if self.cells else "an axis of size 0 leaves nothing to read"

    def read_by(self, k: int, index: Index, whole: bool) -> tuple[str, str]:
        """Says how often an operand's cell is read, if all results are drawn, and by which."""
        readers, places = self.readers[k][index], self.places(k)
        again = len(readers) * places
        times = "once" if again == 1 else f"{again} times" if whole else "again and again"
        by = f", by {self.whole}{', '.join(indexed('', cell) for cell in readers[:5])}" if self.met.rank else ""
        by += f" and {len(readers) - 5} more" if len(readers) > 5 else ""
        by += f", at {'both' if places == 2 else f'all {places}'} its places" if places > 1 else ""
        by = f" as {self.names[k]}{by}" if self.shared(k) and places == 1 else by
        source = self.sources[k]
        if any(not step and n > 1 for step, n in zip(source.stride, source.shape)):  # its number is read by others, too
            by = f" at this cell{by}"
        return times, by

    @cached_property
    def lines(self) -> dict[Index, Pieces]:
        """The formula of each cell."""
        return {cell: self._line(cell) for cell in self.cells}

    def _line(self, cell: Index) -> Pieces:
        head = f"{indexed(self.whole, cell)} = " if cell else ""
        reads = written(self.op, [self.named(k, cell) for k in self.operands])
        *values, value = (column[cell] for column in self.values)
        about, tree, sign, came = Claim(f"{head}{reads}", self._tree(values), value, bits=self.bits).pieces
        return head, reads, f"{about[len(head) + len(reads) :]}{tree}{sign}", came

    def meets(self, cell: Index) -> str:
        """Says which numbers meet in a cell, and what they come to."""
        return f"{listed([self.named(k, cell) for k in self.operands])} meet: {''.join(self.lines[cell])}."

    @cached_property
    def shares(self) -> dict[tuple[int, Index], Claim]:
        """The share that each cell sends to each operand."""
        flows = (k for k in self.operands if self.back[k] is not None)
        return {(k, cell): self._share(k, cell) for k in flows for cell in self.cells}

    def _share(self, k: int, cell: Index) -> Claim:
        """By the op's rule, where that is one of numbers and comes to what the engine sends."""
        value, *reads = (column[cell] for column in (self.back[k], *self.values))
        reads = [int(read) if isinstance(read, bool) else read for read in reads]
        tree = None
        if len(self.letters) == len(self.names):
            (step,), known = self.steps, dict(zip(self.letters, reads))
            others = {"g": self.back[-1][cell], "y": reads[-1]}
            tree = step.tree(f"d{self.letters[k]}", [known.get(letter) for letter in step.op.operands], **others)
        claim = Claim("", Leaf(value) if tree is None else tree, value)
        return claim if claim.holds else Claim("", Leaf(value), value)

    def sum(self, k: int, index: Index) -> Pieces:
        """The formula of the gradient of an operand's number."""
        readers, total, grad = self.readers[k][index], self.totals[k][index], indexed(self.grads[k], index)
        tree = added(self.shares[k, cell].tree for cell in readers)
        if len(text(tree)) > PRODUCTS:
            tree = added(self.back[k][cell] for cell in readers)
        return Claim(grad, tree, total, verb="gets from this place" if self.partly(k) else "=").pieces

    def sent(self, cell: Index) -> str:
        """The shares of the gradient that arrives at a cell, with the operand that gets each."""
        flows = [k for k in self.operands if self.totals[k] is not None]
        shares = {k: str(self.shares[k, cell]) for k in flows}
        shares |= {k: equation("", self.back[k][cell]) for k, share in shares.items() if len(share) > PRODUCT}
        return ", ".join(f"{shares[k]} to {indexed(self.grads[k], self.met.feed(k, cell))}" for k in flows)

    def in_all(self) -> str:
        """Says what the gradients of all operands are, or of those that ask for one."""
        asked = [source.asks for source in self.sources]
        flows = [k for k in self.operands if self.totals[k] is not None]
        summed = [k for k in flows if self.met.repeated(k)]
        told = [f"{self.grads[k]} sums what flows back over {self.along(k)}" for k in summed]
        plain: dict[str, list[str]] = {}
        grads = dict(zip(self.names, self.grads))
        for k in flows:
            if k not in summed and (asked[k] or not any(asked)):
                plain.setdefault(self.names[k], []).append(self._goes(k))
        for name, parts in plain.items():  # of one that stands there twice they are added
            added = " + ".join(parts).replace(ARRIVES, self.arrives)
            both = "what its places are sent, added" if SENT in parts else added
            what = both if parts[1:] else parts[0]
            other = any(x != name for k in flows if self.names[k] == name for x in self.within(k))
            told.append(f"{name} gets {what} from its own place" if other else f"{grads[name]} is {what}")
        sentence = f"In all, {listed(told)}: repeat forward, sum backward."
        if not summed:
            repeated = [name for k, name in enumerate(self.names) if self.met.repeated(k)]
            get = "gets" if len(repeated) == 1 else "get"
            why = f"{listed(repeated)} {get} no gradient" if repeated else "Nothing was repeated"
            sentence = f"{why}, so no axis is summed: {listed(told) or 'no gradient is asked for'}."
        again = {name: [x for x in self.within(k) if x != name] for k, name in enumerate(self.names) if k in flows}
        further = [f"{grads[x]} flows on into {grads[name]}" for name, others in again.items() for x in others]
        return f"{sentence} {listed(further)}." if further else sentence

    def _goes(self, k: int) -> str:
        """The gradient of an operand that is not repeated: that which arrives, or the rule if it is a program."""
        rule = self.program(k)
        if rule == self.arrives:
            return ARRIVES
        try:
            parse(rule)
        except (SyntaxError, ValueError):  # words, or none
            return SENT
        return rule


def _tensor(values: Sequence[Value], dtype: str, shape: Index, name: str) -> Any:
    kind = kind_of(dtype)
    if dtype == "uint64" and max(values, default=0) >= 2**63:
        raise ArgumentTypeError(f"{name} holds {max(values)}, of dtype uint64", "whole numbers are computed in int64, "
                                f"whose greatest is {2**63 - 1}", f"{name}.astype(float)")  # fmt: skip
    if kind.startswith("complex"):
        raise ArgumentTypeError(
            f"{name} has dtype {dtype}", "rustyflow has no complex numbers", f"{name}.real, {name}.imag"
        )
    return from_numpy(np.array(values, kind).reshape(shape))

"""Changes of an operation that failed, by families: an operand turned, cut, cast, with other channels; another method.

A change is written on the operation with holes (`__0.view(__1)`), so that what is tried and what is written are one.
"""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from .failure import Failure
from .layer import layer_of
from .line import copied


class Trial:
    """An operation that failed, to be changed: its holes, the tensors in them, what is called."""

    def __init__(self, failure: Failure):
        self.failure, self.form = failure, failure.form
        self.values = {part.hole: value for part, value in zip(failure.parts, failure.values)}
        self.tensors = {hole: x for hole, x in self.values.items() if hasattr(x, "ndim") and hasattr(x, "dtype")}
        self.call = getattr(getattr(self.form, "func", None), "attr", "")
        writes = getattr(getattr(self.form, "func", None), "id", "") == "__written__"
        self.written = self.tensors.pop("__0", None) if writes else None  # it keeps its shape and its dtype
        self.kinds = {hole: str(x.dtype).rpartition(".")[2] for hole, x in self.tensors.items()}
        self.layer = layer_of(failure)

    def with_(self, hole: str, code: str) -> ast.expr:
        """The operation with some code in the place of a hole; `{}` in it is what stood there."""
        return replaced(self.form, hole, ast.parse(code.format(hole), mode="eval").body)

    def called(self, code: str) -> ast.expr:
        """The operation with another method, such as `reshape`, or methods, such as `contiguous().view`."""
        form = copied(self.form)
        path = ast.parse(f"__receiver.{code}", mode="eval").body
        form.func = replaced(path, "__receiver", form.func.value)
        return form

    # -- families of changes -----------------------------------------------------------------------------------------

    def placed(self) -> Iterator[ast.expr]:
        """An operand with axes of 1 put between its own, so that all sizes meet."""
        for hole, x in self._smallest_first():
            for sizes in [*self._scores(), *(tuple(other.shape) for other in self.tensors.values() if other is not x)]:
                rank = len(sizes)
                if not 0 < x.ndim < rank or rank > 6:
                    continue
                places = combinations(range(rank), x.ndim)
                for at in sorted(places, key=lambda at: at[-1] < rank - 1):  # its last axis stays the last, if it may
                    if all(n in (1, sizes[d]) or sizes[d] == 1 for d, n in zip(at, x.shape)):
                        index = [":" if d in at else "None" for d in range(rank)]
                        while index[0] == "None":
                            index.pop(0)
                        if "None" in index:
                            yield self.with_(hole, f"{{}}[{', '.join(index)}]")

    def _scores(self) -> list[tuple[int, ...]]:
        """The shape of the scores that a mask of attention is for: queries, then keys."""
        func = getattr(self.form, "func", None)
        if not str(getattr(func, "attr", getattr(func, "id", ""))).endswith("attention"):
            return []
        queries, keys = [x.shape for x in self.tensors.values() if x.ndim > 2][:2] or ((), ())
        return [(*queries[:-1], keys[-2])] if keys else []

    def _smallest_first(self) -> list[tuple[str, Any]]:
        return sorted(self.tensors.items(), key=lambda pair: (pair[1].ndim, _count(pair[1])))

    def turned(self) -> Iterator[ast.expr]:
        """An operand with its last axes the other way round, or both; or the operands the other way round."""
        for hole, x in [*self.tensors.items()][::-1]:
            if x.ndim > 1:
                yield self.with_(hole, "{}.T" if x.ndim == 2 else "{}.mT")
        if isinstance(self.form, ast.BinOp) and isinstance(self.form.op, ast.MatMult):
            yield ast.BinOp(self.form.right, self.form.op, self.form.left)

    def axes(self) -> Iterator[ast.expr]:
        """An operand with an axis more, or fewer."""
        for hole, x in self._smallest_first():
            codes = ["{}.unsqueeze(0)", "{}.unsqueeze(1)", "{}.unsqueeze(-1)"][: 1 + 2 * (x.ndim > 0)]
            codes += ["{}.squeeze()"] * (1 in tuple(x.shape)) + ["{}.flatten(1)", "{}.flatten()"] * (x.ndim > 1)
            codes += ["{}[0]"] * (x.ndim > 1)
            yield from (self.with_(hole, code) for code in codes)

    def cut(self) -> Iterator[ast.expr]:
        """An operand cut to the length that another has along the same axis, from the right."""
        if self.written is not None:
            for hole, x in self.tensors.items():
                for n in sorted({n for n in self.written.shape if x.ndim and 0 < n < x.shape[-1]}, reverse=True):
                    yield self.with_(hole, f"{{}}[..., :{n}]" if x.ndim > 1 else f"{{}}[:{n}]")
        for hole, x in self.tensors.items():
            for other in self.tensors.values():
                if x.ndim and other.ndim and x.ndim != other.ndim and 1 < other.shape[0] < x.shape[0]:
                    yield self.with_(hole, f"{{}}[:{other.shape[0]}]")  # a batch, which is the first axis of both
                for back in range(1, min(x.ndim, other.ndim) + 1):
                    if 1 < (n := other.shape[-back]) < x.shape[-back]:
                        index = ", ".join(["...", f":{n}", *[":"] * (back - 1)])
                        yield self.with_(hole, f"{{}}[{index}]")

    def channels(self) -> Iterator[ast.expr]:
        """An operand with as many channels, on axis 1, as another has there: moved, repeated, averaged or cut."""
        asked = {int(n) for n in CHANNELS.findall(str(self.failure.error))} | {self.layer.takes} - {0}
        for hole, x in self.tensors.items():
            counts = {other.shape[1] for other in self.tensors.values() if other is not x and other.ndim > 2}
            for n in sorted(counts | asked) if 1 < x.ndim < 6 else ():
                has, rest = x.shape[1], ", -1" * (x.ndim - 2)
                codes = {"{}.movedim(-1, 1)": x.shape[-1] == n != has, f"{{}}.expand(-1, {n}{rest})": has == 1 < n,
                         "{}.mean(1, keepdim=True)": has > n == 1, f"{{}}[:, :{n}]": has > n,
                         f"{{}}.expand({n}, -1, -1)": not rest, f"{{}}.expand(1, {n}, -1, -1)": not rest}  # fmt: skip
                yield from (self.with_(hole, code) for code, fits in codes.items() if fits)

    def layers(self) -> Iterator[ast.expr]:
        """The layer that is called, made anew for a size that its input has."""
        for x in self.tensors.values() if self.layer.takes else ():
            for n in dict.fromkeys([*x.shape[-1:], *x.shape[1:2], *x.shape[:1]]):
                if (layer := self.layer.taking(int(n))) is not None:
                    form = copied(self.form)
                    form.func = layer
                    yield form

    def cast(self) -> Iterator[ast.expr]:
        """An operand in another dtype: first that of another operand."""
        for hole, kind in self.kinds.items():
            for other, its in self.kinds.items():
                if its != kind and other != hole:
                    yield self.with_(hole, f"{{}}.to({other}.dtype)")
        for hole, kind in self.kinds.items():
            for code in ("float", "long", "bool"):
                if not kind.startswith({"long": "int64"}.get(code, code)):
                    yield self.with_(hole, f"{{}}.{code}()")

    def ranged(self) -> Iterator[ast.expr]:
        """Indices that stay inside."""
        given = {n for n in self.values.values() if type(n) is int and n > 0}
        for hole, kind in self.kinds.items():
            if kind.startswith("int") and _count(self.tensors[hole]):
                yield self.with_(hole, "{} - 1")
                lengths = given | {n for x in self.tensors.values() for n in x.shape if x is not self.tensors[hole]}
                for n in sorted(lengths, reverse=True):
                    if self._runs(self.with_(hole, f"{{}} * 0 + {n - 1}")):  # the last index there is
                        yield self.with_(hole, f"{{}} % {n}")
                        yield self.with_(hole, f"{{}}.clamp(max={n - 1})")
                        break

    def _runs(self, form: ast.expr) -> bool:
        try:
            self.failure.value(form)
        except Exception:
            return False
        return True

    def numbers(self) -> Iterator[ast.expr]:
        """A number of the call that is one inside: the last dim, the last index, -1 for what fits."""
        ends = sorted({n - 1 for x in self.tensors.values() for n in (x.ndim, *x.shape) if n})
        whole = {hole: n for hole, n in self.values.items() if isinstance(n, int) and not isinstance(n, bool)}
        for hole, n in whole.items():
            near = sorted((end for end in ends if end < n or n < 0), key=lambda end: abs(end - n))
            for code in ("-1", *map(str, near), "0", "1"):
                if code != str(n):
                    yield self.with_(hole, code)
        yield from map(self._without, whole)

    def _without(self, hole: str) -> ast.expr:
        """The operation without an argument, or without an index."""
        form = copied(self.form)
        for node in ast.walk(form):
            for name in ("args", "elts", "keywords"):
                if isinstance(kept := getattr(node, name, None), list):
                    setattr(node, name, [part for part in kept if getattr(getattr(
                        part, "value", part) if name == "keywords" else part, "id", "") != hole])
        if isinstance(form, ast.Subscript) and isinstance(form.slice, ast.Tuple) and len(form.slice.elts) == 1:
            form.slice = form.slice.elts[0]
        return form

    def methods(self) -> Iterator[ast.expr]:
        """Another method in the place of the one that is called."""
        if isinstance(self.form, ast.Call) and isinstance(self.form.func, ast.Attribute):
            for code in METHODS.get(self.call, ()):
                yield self.called(code)
            if self.call == "t":
                yield ast.Attribute(self.form.func.value, "mT", ast.Load())
            if self.call in ("mm", "bmm", "dot", "mv", "matmul", "linear") and len(self.tensors) == 2:
                yield from (ast.BinOp(*pair) for pair in self._products())
            if self.call.endswith("_") and not self.call.endswith("__"):
                yield self.called(self.call.rstrip("_"))
                yield self.called(f"clone().{self.call}")

    def _products(self) -> Iterator[tuple[ast.expr, ast.operator, ast.expr]]:
        """The ways to write a call as a sign between matrices, one of which is turned."""
        a, b = (ast.Name(hole, ast.Load()) for hole in self.tensors)
        for left, right in ((a, b), (a, ast.Attribute(b, "T", ast.Load())), (ast.Attribute(a, "T", ast.Load()), b)):
            yield left, ast.MatMult(), right

    def both(self) -> Iterator[ast.expr]:
        """The same change of every operand, and another sign between truths."""
        for code in ("float()", "long()", "flatten()", "unsqueeze(0)", "T"):
            form = self.form
            for hole in self.tensors:
                form = replaced(form, hole, ast.parse(f"{hole}.{code}", mode="eval").body)
            if len(self.tensors) > 1:
                yield form
        if isinstance(self.form, ast.BinOp) and {*self.kinds.values()} == {"bool"}:
            yield ast.BinOp(self.form.left, ast.BitXor(), self.form.right)

    def shaped(self) -> Iterator[ast.expr]:
        """The sizes that a call asks for, those in the end left to be found."""
        if self.call in ("view", "reshape", "expand", "unflatten") and isinstance(self.form, ast.Call):
            for keep in range(len(self.form.args) - 1, -1, -1):
                form = copied(self.form)
                form.args = [*form.args[:keep], ast.parse("-1", mode="eval").body]
                yield form
                if keep < len(self.form.args) - 1:
                    form = copied(self.form)
                    form.args = [ast.parse("-1", mode="eval").body, *form.args[keep + 1 :]]
                    yield form
            if self.call == "view":
                yield from (renamed(form, "reshape") for form in [self.form])
        elif self.call == "permute" and isinstance(self.form, ast.Call):
            rank = next((x.ndim for x in self.tensors.values()), 0)
            form = copied(self.form)
            form.args = [ast.Constant(d) for d in range(rank)][::-1]
            yield form

    def joined(self) -> Iterator[ast.expr]:
        """Tensors joined along another dim."""
        if self.call in ("cat", "stack", "concat", "hstack", "vstack") and isinstance(self.form, ast.Call):
            for dim in (1, -1, 0, 2):
                form = copied(self.form)
                form.args, form.keywords = form.args[:1], [ast.keyword("dim", ast.parse(str(dim), mode="eval").body)]
                yield form
            yield renamed(self.form, "stack" if self.call == "cat" else "cat")

    def untracked(self) -> Iterator[ast.expr]:
        """An operand cut from its history, or a copy of it."""
        for hole in self.tensors:
            yield from (self.with_(hole, code) for code in ("{}.detach()", "{}.clone()", "{}.requires_grad_()"))

    def inplace(self) -> Iterator[ast.expr]:
        """A write into a copy, or as a new tensor."""
        if isinstance(self.form, ast.BinOp) and self.failure.line.target:  # of x += y
            yield self.form
        if self.written is not None:
            for code in ("{}.clone()", "{}.detach()"):
                yield self.with_("__0", code)


CHANNELS = re.compile(r"to have (\d+) channels")
"""How many channels an error asks for."""

METHODS = {
    "view": ("reshape", "contiguous().view"), "numpy": ("detach().numpy",), "tolist": ("detach().tolist",),
    "item": ("sum().item", "mean().item", "max().item"), "backward": ("sum().backward", "mean().backward"),
    **{name: (f"float().{name}",) for name in ("mean", "std", "var", "softmax", "norm", "exp", "log_softmax")},
    "mm": ("matmul",), "bmm": ("matmul",), "dot": ("matmul",), "mv": ("matmul",),
    "expand": ("unsqueeze(0).expand", "unsqueeze(-1).expand"),
}  # fmt: skip
"""Methods to write in the place of others."""

NATURES = {
    "shape": "inplace placed turned channels layers joined cut shaped axes methods both",
    "product": "turned methods axes layers cut placed",
    "view": "methods shaped", "numel": "shaped numbers methods axes",
    "index": "ranged inplace numbers turned", "dim": "numbers axes methods joined",
    "dtype": "cast methods both", "grad": "inplace methods untracked", "version": "",
    "other": "inplace methods joined cast turned channels layers placed axes shaped numbers ranged cut both untracked",
}
"""The families of changes that are tried for each kind of refusal, in order; where none runs, those of `other`."""


class Putting(ast.NodeTransformer):
    """A tree with something new in the place of each node that fits."""

    def __init__(self, fits: Callable[[ast.AST], bool], new: Any):
        self.fits, self.new = fits, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if self.fits(node) else self.generic_visit(node)


def replaced(form: ast.expr, hole: str, new: ast.expr) -> ast.expr:
    return Putting(lambda node: isinstance(node, ast.Name) and node.id == hole, new).visit(copied(form))


def put(whole: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """An expression with one in it replaced, which is found by its place."""
    place = [getattr(old, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]

    def fits(node: ast.AST) -> bool:
        return type(node) is type(old) and place == [getattr(node, name, None) for name in (
            "lineno", "col_offset", "end_lineno", "end_col_offset")]

    return Putting(fits, new).visit(copied(whole))


def renamed(form: ast.expr, name: str) -> ast.expr:
    form = copied(form)
    if isinstance(form, ast.Call) and isinstance(form.func, ast.Attribute):
        form.func.attr = name
    return form


def _count(x: Any) -> int:
    return int(x.numel()) if callable(getattr(x, "numel", None)) else int(x.size)

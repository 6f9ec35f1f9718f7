"""Repairs of an operation that failed: changes of it that are tried on copies; those that run are told, none is meant.

A change is written on the operation with holes (`__0.view(__1)`), so that what is tried and what is written are one.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import chain, combinations
from typing import Any, NamedTuple

from .failure import Failure
from .run import aside, evaluated, tensors_in
from .twins import NotCopied, Twins

SHOWN, TRIED = 3, 200
"""The most repairs that are told, and that are tried."""


class Repair(NamedTuple):
    """A repair that ran: the code to write, the shape that it gives, and whether the rest of the line runs with it."""

    code: str
    shape: tuple[int, ...] | None
    whole: bool


class Trial:
    """An operation that failed, to be changed: its holes, the tensors in them, what is called."""

    def __init__(self, failure: Failure):
        self.failure, self.form = failure, failure.form
        self.values = {part.hole: value for part, value in zip(failure.parts, failure.values)}
        self.tensors = {hole: x for hole, x in self.values.items() if hasattr(x, "ndim") and hasattr(x, "dtype")}
        self.call = getattr(getattr(self.form, "func", None), "attr", "")
        self.kinds = {hole: str(x.dtype).rpartition(".")[2] for hole, x in self.tensors.items()}

    def with_(self, hole: str, code: str) -> ast.expr:
        """The operation with some code in the place of a hole; `{}` in it is what stood there."""
        return _replaced(self.form, hole, ast.parse(code.format(hole), mode="eval").body)

    def called(self, code: str) -> ast.expr:
        """The operation with another method, such as `reshape`, or methods, such as `contiguous().view`."""
        form = deepcopy(self.form)
        path = ast.parse(f"__receiver.{code}", mode="eval").body
        form.func = _replaced(path, "__receiver", form.func.value)
        return form

    # -- families of changes -----------------------------------------------------------------------------------------

    def placed(self) -> Iterator[ast.expr]:
        """An operand with axes of 1 put between its own, so that all sizes meet."""
        for hole, x in self._smallest_first():
            for other in self.tensors.values():
                rank, sizes = other.ndim, tuple(other.shape)
                if other is x or not 0 < x.ndim < rank or rank > 6:
                    continue
                for at in combinations(range(rank), x.ndim):
                    if all(n in (1, sizes[d]) or sizes[d] == 1 for d, n in zip(at, x.shape)):
                        index = [":" if d in at else "None" for d in range(rank)]
                        while index[0] == "None":
                            index.pop(0)
                        if "None" in index:
                            yield self.with_(hole, f"{{}}[{', '.join(index)}]")

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
        for hole, x in self.tensors.items():
            for other in self.tensors.values():
                for back in range(1, min(x.ndim, other.ndim) + 1):
                    if 1 < (n := other.shape[-back]) < x.shape[-back]:
                        index = ", ".join(["...", f":{n}", *[":"] * (back - 1)])
                        yield self.with_(hole, f"{{}}[{index}]")
                        yield self.with_(hole, f"{{}}[{index.replace(f':{n}', ':1')}]")

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
        longest = max((n for x in self.tensors.values() for n in x.shape), default=0)
        for hole, kind in self.kinds.items():
            if kind.startswith("int") and _count(self.tensors[hole]):
                yield self.with_(hole, "{} - 1")
                lengths = {n for x in self.tensors.values() for n in x.shape if x is not self.tensors[hole]}
                for n in sorted(lengths | {longest}, reverse=True):
                    yield self.with_(hole, f"{{}}.clamp(max={n - 1})")
                    yield self.with_(hole, f"{{}} % {n}")

    def numbers(self) -> Iterator[ast.expr]:
        """A number of the call that is one inside: the last dim, the last index, -1 for what fits."""
        ends = sorted({n - 1 for x in self.tensors.values() for n in (x.ndim, *x.shape) if n})
        whole = {hole: n for hole, n in self.values.items() if isinstance(n, int) and not isinstance(n, bool)}
        for hole, n in whole.items():
            near = sorted((end for end in ends if end < n or n < 0), key=lambda end: abs(end - n))
            for code in ("-1", *map(str, near), "0", "1"):
                if code != str(n):
                    yield self.with_(hole, code)
        for hole in whole:
            yield self._without(hole)
        if not whole and self.call in ("sum", "mean", "max", "min", "softmax", "squeeze", "flatten"):
            yield from ()

    def _without(self, hole: str) -> ast.expr:
        """The operation without an argument, or without an index."""
        form = deepcopy(self.form)
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
            if self.call.endswith("_") and not self.call.endswith("__"):
                yield self.called(self.call.rstrip("_"))
                yield self.called(f"clone().{self.call}")

    def shaped(self) -> Iterator[ast.expr]:
        """The sizes that a call asks for, those in the end left to be found."""
        if self.call in ("view", "reshape", "expand", "unflatten") and isinstance(self.form, ast.Call):
            for keep in range(len(self.form.args) - 1, -1, -1):
                form = deepcopy(self.form)
                form.args = [*form.args[:keep], ast.parse("-1", mode="eval").body]
                yield form
                if keep < len(self.form.args) - 1:
                    form = deepcopy(self.form)
                    form.args = [ast.parse("-1", mode="eval").body, *form.args[keep + 1 :]]
                    yield form
            if self.call == "view":
                yield from (_renamed(form, "reshape") for form in [self.form])
        elif self.call == "permute" and isinstance(self.form, ast.Call):
            rank = next((x.ndim for x in self.tensors.values()), 0)
            form = deepcopy(self.form)
            form.args = [ast.Constant(d) for d in range(rank)][::-1]
            yield form

    def joined(self) -> Iterator[ast.expr]:
        """Tensors joined along another dim."""
        if self.call in ("cat", "stack", "concat", "hstack", "vstack") and isinstance(self.form, ast.Call):
            for dim in (1, -1, 0, 2):
                form = deepcopy(self.form)
                form.args, form.keywords = form.args[:1], [ast.keyword("dim", ast.parse(str(dim), mode="eval").body)]
                yield form
            yield _renamed(self.form, "stack" if self.call == "cat" else "cat")

    def untracked(self) -> Iterator[ast.expr]:
        """An operand cut from its history, or a copy of it."""
        for hole in self.tensors:
            yield from (self.with_(hole, code) for code in ("{}.detach()", "{}.clone()", "{}.requires_grad_()"))

    def inplace(self) -> Iterator[ast.expr]:
        """What is written into a copy, or as a new tensor."""
        if getattr(self.form.func, "id", "") == "__written__" if isinstance(self.form, ast.Call) else False:
            for code in ("{}.clone()", "{}.detach()"):
                yield self.with_("__0", code)


METHODS = {
    "view": ("reshape", "contiguous().view"), "t": ("mT", "T"), "numpy": ("detach().numpy",),
    "item": ("sum().item", "mean().item", "max().item"), "backward": ("sum().backward", "mean().backward"),
    "mean": ("float().mean",), "std": ("float().std",), "var": ("float().var",), "softmax": ("float().softmax",),
    "matmul": ("mT.matmul",), "mm": ("matmul", "T.mm"), "bmm": ("matmul", "unsqueeze(0).bmm"), "dot": ("matmul",),
    "mv": ("matmul",), "squeeze": ("squeeze",), "expand": ("unsqueeze(0).expand", "unsqueeze(-1).expand"),
    "norm": ("float().norm",), "tolist": ("detach().tolist",), "exp": ("float().exp",),
}
"""Methods to write in the place of others."""

NATURES = {
    "shape": "inplace placed turned joined axes cut shaped methods numbers cast ranged untracked",
    "product": "turned axes cut methods cast placed",
    "view": "methods shaped", "numel": "shaped numbers methods axes",
    "index": "inplace numbers ranged turned cast methods", "dim": "numbers axes methods joined",
    "dtype": "cast methods inplace untracked axes",
    "other": "inplace methods joined cast turned placed axes shaped numbers ranged cut untracked",
}
"""The families of changes that are tried for each kind of refusal, in order."""


def repairs(failure: Failure, kind: str, keep: Callable[[Repair], Any]) -> None:
    """Tries changes of an operation, and gives each that runs to `keep`, until there are enough."""
    trial, tried, found = Trial(failure), {_text(failure.form, failure)}, 0
    families = [*NATURES[kind].split(), *(name for name in NATURES["other"].split() if name not in NATURES[kind])]
    forms = chain.from_iterable(getattr(trial, family)() for family in families)
    for _, form in zip(range(TRIED), forms):
        code = _text(form, failure)
        if code in tried:
            continue
        tried.add(code)
        repair = _tried(form, code, failure)
        if repair is not None:
            keep(repair)
            found += 1
        if found >= 2 * SHOWN:
            return


def best(found: Sequence[Repair]) -> list[Repair]:
    """The repairs that are told: first those with which the whole line runs."""
    return sorted(found, key=lambda repair: not repair.whole)[:SHOWN]


def _tried(form: ast.expr, code: str, failure: Failure) -> Repair | None:
    """Runs a change on copies that are made for it alone."""
    space = Twins(ours=False).space(failure.readers)
    node = _filled(form, failure)
    try:
        with aside():
            value = evaluated(node, space)
    except NotCopied:
        return None
    except Exception:
        return None
    inside = tensors_in(value)
    shape = tuple(inside[0].shape) if inside else None
    return Repair(_assigned(code, failure), shape, _whole(node, failure))


def _assigned(code: str, failure: Failure) -> str:
    """The code of a repair; that of a write into a tensor as it is written: `x = x.clone(); x[0] = 1`."""
    if not code.startswith("__written__("):
        return code
    call = ast.parse(code, mode="eval").body
    target, _, value = call.args
    name, index = failure.line.written, ast.unparse(failure.line.node.args[1])
    del index
    statement = failure.text.partition("=")
    before = "" if ast.unparse(target) == name else f"{name} = {ast.unparse(target)}; "
    return f"{before}{statement[0].rstrip()} = {ast.unparse(value)}"


def _whole(node: ast.expr, failure: Failure) -> bool:
    """True if the whole line runs with a change in it."""
    if failure.whole is None or failure.whole is failure.line.node:
        return True
    try:
        with aside():
            evaluated(_put(failure.whole, failure.line.node, node), Twins(ours=False).space(failure.readers))
    except Exception:
        return False
    return True


def _text(form: ast.expr, failure: Failure) -> str:
    """A change as a reader would write it."""
    return ast.unparse(ast.fix_missing_locations(_filled(form, failure)))


def _filled(form: ast.expr, failure: Failure) -> ast.expr:
    """An operation with the reader's own expressions in its holes."""
    for part in failure.parts:
        form = _replaced(form, part.hole, part.node)
    return form


class _Putting(ast.NodeTransformer):
    def __init__(self, fits: Callable[[ast.AST], bool], new: ast.expr):
        self.fits, self.new = fits, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if self.fits(node) else self.generic_visit(node)


def _replaced(form: ast.expr, hole: str, new: ast.expr) -> ast.expr:
    return _Putting(lambda node: isinstance(node, ast.Name) and node.id == hole, new).visit(deepcopy(form))


def _put(whole: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """An expression with one in it replaced, which is found by its place."""
    place = [getattr(old, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]

    def fits(node: ast.AST) -> bool:
        return type(node) is type(old) and place == [getattr(node, name, None) for name in (
            "lineno", "col_offset", "end_lineno", "end_col_offset")]

    return _Putting(fits, new).visit(deepcopy(whole))


def _renamed(form: ast.expr, name: str) -> ast.expr:
    form = deepcopy(form)
    if isinstance(form, ast.Call) and isinstance(form.func, ast.Attribute):
        form.func.attr = name
    return form


def _count(x: Any) -> int:
    return int(x.numel()) if callable(getattr(x, "numel", None)) else int(x.size)

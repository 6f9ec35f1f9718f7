"""Repairs of an operation that failed: changes of it that were tried on copies, and ran.

None is said to be what was meant. A change is written on the operation with holes (`__0.view(__1)`), so that what is
tried and what is written are one.
"""

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from types import ModuleType
from typing import Any, NamedTuple

from .failure import Failure
from .line import copied
from .outside import ALLOWED, BUILTINS, root
from .run import aside, evaluated, executed, tensors_in
from .twins import Twins

SHOWN, TRIED = 3, 200
"""The most repairs that are told, and that are tried."""


class Repair(NamedTuple):
    """A repair that ran: its code, and the shape that it gives.

    `value` is what the operation that failed comes to with it; `whole`: whether the rest of the line runs with that,
    once it was tried.
    """

    code: str
    shape: tuple[int, ...] | None
    value: Any = None
    whole: bool | None = None


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

    def with_(self, hole: str, code: str) -> ast.expr:
        """The operation with some code in the place of a hole; `{}` in it is what stood there."""
        return _replaced(self.form, hole, ast.parse(code.format(hole), mode="eval").body)

    def called(self, code: str) -> ast.expr:
        """The operation with another method, such as `reshape`, or methods, such as `contiguous().view`."""
        form = copied(self.form)
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
        if self.written is not None:
            for hole, x in self.tensors.items():
                for n in sorted({n for n in self.written.shape if x.ndim and 0 < n < x.shape[-1]}, reverse=True):
                    yield self.with_(hole, f"{{}}[..., :{n}]" if x.ndim > 1 else f"{{}}[:{n}]")
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
            _value(form, self.failure)
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
                form = _replaced(form, hole, ast.parse(f"{hole}.{code}", mode="eval").body)
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
                yield from (_renamed(form, "reshape") for form in [self.form])
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
            yield _renamed(self.form, "stack" if self.call == "cat" else "cat")

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


METHODS = {
    "view": ("reshape", "contiguous().view"), "numpy": ("detach().numpy",), "tolist": ("detach().tolist",),
    "item": ("sum().item", "mean().item", "max().item"), "backward": ("sum().backward", "mean().backward"),
    **{name: (f"float().{name}",) for name in ("mean", "std", "var", "softmax", "norm", "exp", "log_softmax")},
    "mm": ("matmul",), "bmm": ("matmul",), "dot": ("matmul",), "mv": ("matmul",),
    "expand": ("unsqueeze(0).expand", "unsqueeze(-1).expand"),
}  # fmt: skip
"""Methods to write in the place of others."""

NATURES = {
    "shape": "inplace placed turned joined cut shaped axes methods both",
    "product": "turned methods axes cut placed",
    "view": "methods shaped", "numel": "shaped numbers methods axes",
    "index": "ranged inplace numbers turned", "dim": "numbers axes methods joined",
    "dtype": "cast methods both", "grad": "inplace methods untracked", "version": "",
    "other": "inplace methods joined cast turned placed axes shaped numbers ranged cut both untracked",
}
"""The families of changes that are tried for each kind of refusal, in order; where none runs, those of `other`."""


def repairs(failure: Failure, kind: str, ran: list[Repair]) -> None:
    """Tries changes of an operation, then each that runs with the rest of the line.

    They are in `ran` as soon as they are known, for the time may be over at any step.
    """
    _changes(failure, kind, ran)
    for k, repair in enumerate(ran):
        ran[k] = repair._replace(whole=_whole(repair, failure))


def _changes(failure: Failure, kind: str, ran: list[Repair]) -> None:
    """Tries the changes of an operation, in the order of its kind."""
    trial, tried = Trial(failure), set[str]()
    new = kind == "grad" or bool(failure.line.target) and isinstance(failure.form, ast.BinOp)
    tried |= {_text(failure.form, failure)} if not new else set()
    for families in (NATURES[kind], NATURES["other"] if kind not in ("grad", "version") else ""):
        forms = chain.from_iterable(getattr(trial, family)() for family in families.split())
        for _, form in zip(range(TRIED), forms):
            code = _text(form, failure)
            repair = None if code in tried else _tried(form, code, failure)
            tried.add(code)
            if repair is not None:
                ran.append(repair)
            if len(ran) >= 2 * SHOWN or ran and isinstance(form, ast.BinOp) and form is failure.form:
                return
        if ran:
            return
    if kind == "version":
        _rewritten(failure, ran)


def best(ran: Sequence[Repair]) -> list[Repair]:
    """The repairs that are told: first those with which the whole line runs."""
    return sorted(ran, key=lambda repair: repair.whole is False)[:SHOWN]


def _tried(form: ast.expr, code: str, failure: Failure) -> Repair | None:
    """Runs a change on copies that are made for it alone, of what the operation had."""
    code = _assigned(code, failure)
    try:
        compile(code, "", "exec")
        value = _value(form, failure)
    except Exception:
        return None
    inside = tensors_in(value)
    return Repair(code, tuple(inside[0].shape) if inside else None, value)


def _value(form: ast.expr, failure: Failure) -> Any:
    """The value of a change of an operation, on copies of what that had: a write is done in these."""
    twins = Twins(ours=False)
    with aside():
        holes = {**failure.anew(twins), "__written__": _write}
        return evaluated(copied(form), twins.space(failure.readers), holes)


def _write(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


def _assigned(code: str, failure: Failure) -> str:
    """The code of a repair; that of a write as it is written: `x = x.clone(); x[0] = 1`, `x = x + 1`."""
    if not code.startswith("__written__("):
        anew = failure.line.target and isinstance(failure.form, ast.BinOp)
        return f"{failure.line.target} = {code}" if anew else code
    target, index, value = ast.parse(code, mode="eval").body.args
    name, new = failure.line.written, ast.unparse(target)
    if new == ast.unparse(ast.parse(name, mode="eval").body):
        return f"{name}[{_place(index)}] = {ast.unparse(value)}"
    if not isinstance(ast.parse(name, mode="eval").body, ast.Name | ast.Attribute | ast.Subscript):
        name = next(letter for letter in "yzruvw" if letter not in failure.readers)  # what is called has no name
    return f"{name} = {new}; {name}[{_place(index)}] = {ast.unparse(value)}"


def _place(index: ast.expr) -> str:
    """An index as it is written between brackets: `1:, None` of `(slice(1, None, None), None)`."""
    match index:
        case ast.Tuple(elts=parts):
            return ", ".join(map(_place, parts))
        case ast.Call(func=ast.Name("slice"), args=ends):
            first, last, step = ("" if ast.unparse(end) == "None" else ast.unparse(end) for end in ends)
            return f"{first}:{last}" + (f":{step}" if step else "")
    return ast.unparse(index)


def _whole(repair: Repair, failure: Failure) -> bool:
    """True if the whole line runs with what a change comes to."""
    if failure.whole is None or failure.whole is failure.line.node:
        return True
    hole = ast.Name("__repaired", ast.Load())
    try:
        with aside():
            evaluated(_put(failure.whole, failure.line.node, hole), Twins(ours=False).space(failure.readers),
                      {hole.id: repair.value})  # fmt: skip
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
    def __init__(self, fits: Callable[[ast.AST], bool], new: Any):
        self.fits, self.new = fits, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if self.fits(node) else self.generic_visit(node)


def _replaced(form: ast.expr, hole: str, new: ast.expr) -> ast.expr:
    return _Putting(lambda node: isinstance(node, ast.Name) and node.id == hole, new).visit(copied(form))


def _put(whole: ast.expr, old: ast.expr, new: ast.expr) -> ast.expr:
    """An expression with one in it replaced, which is found by its place."""
    place = [getattr(old, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]

    def fits(node: ast.AST) -> bool:
        return type(node) is type(old) and place == [getattr(node, name, None) for name in (
            "lineno", "col_offset", "end_lineno", "end_col_offset")]

    return _Putting(fits, new).visit(copied(whole))


def _renamed(form: ast.expr, name: str) -> ast.expr:
    form = copied(form)
    if isinstance(form, ast.Call) and isinstance(form.func, ast.Attribute):
        form.func.attr = name
    return form


def _count(x: Any) -> int:
    return int(x.numel()) if callable(getattr(x, "numel", None)) else int(x.size)


def _rewritten(failure: Failure, ran: list[Repair]) -> None:
    """Tries the reader's program with one of its writes as a new tensor, and keeps what runs."""
    program = ast.Module(failure.before, [])
    if not _computes(program, failure.readers):
        return
    writes = [node for node in ast.walk(program) if isinstance(node, ast.stmt) and _anew(node) is not None]
    for old in writes[-2 * SHOWN :]:
        new = _anew(old)
        changed = _Putting(lambda node, old=old: isinstance(node, ast.stmt) and ast.dump(node, include_attributes=True)
                           == ast.dump(old, include_attributes=True), new).visit(copied(program))
        space = Twins(ours=False).space(failure.readers)
        try:
            with aside():
                executed(changed, space)
        except Exception:
            continue
        ran.append(Repair("; ".join(map(ast.unparse, new)), None))


def _computes(program: ast.Module, readers: Mapping[str, Any]) -> bool:
    """True of statements that call tensors and what computes alone: no function of the reader's is run for them."""
    for node in ast.walk(program):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Import
                      | ast.ImportFrom | ast.Await | ast.Yield | ast.YieldFrom):  # fmt: skip
            return False
        if isinstance(node, ast.Call):
            first = node.func
            while isinstance(first, ast.Attribute | ast.Subscript | ast.Call):
                first = first.func if isinstance(first, ast.Call) else first.value
            if isinstance(first, ast.Name):
                value = readers.get(first.id, vars(builtins).get(first.id))
                if first.id in BUILTINS or not {root(value), root(type(value))} <= ALLOWED and not (
                        isinstance(value, ModuleType) and value.__name__.partition(".")[0] in ALLOWED):
                    return False
    return True


def _anew(node: ast.stmt) -> list[ast.stmt] | None:
    """A statement that writes into a tensor as one that makes a new one."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return [_assign(name, ast.BinOp(ast.Name(name, ast.Load()), op, value))]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) as call) if (
                attr.endswith("_") and not attr.endswith("__")):
            return [_assign(name, _renamed(call, attr.rstrip("_")))]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward")) as call) if not call.keywords:
            keyword = ast.keyword("retain_graph", ast.Constant(True))
            return [ast.Expr(ast.Call(call.func, call.args, [keyword]))]
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            return [_assign(name, ast.parse(f"{name}.clone()", mode="eval").body), node]
    return None


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)

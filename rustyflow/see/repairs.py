"""Repairs of an operation that failed: changes of it that were tried on copies, and ran.

None is said to be what was meant.
"""

import ast
import builtins
from collections.abc import Mapping, Sequence
from itertools import chain
from math import inf
from time import thread_time
from types import ModuleType
from typing import Any, NamedTuple

from ..show.words.sentences import listed
from .changes import NATURES, Putting, Trial, put, renamed, replaced
from .failure import Failure
from .inside import inside_of, refitted
from .line import copied
from .outside import ALLOWED, BUILTINS, root
from .run import aside, evaluated, executed, tensors_in
from .twins import Twins

SHOWN, TRIED = 3, 200
"""The most repairs that are told, and that are tried."""


class Repair(NamedTuple):
    """A repair that ran: its code, and the shape that it gives.

    `value` is what the operation that failed comes to with it; `whole`: whether the rest of the line runs with that,
    once it was tried; `note`: more of it, as the line in which it stands.
    """

    code: str
    shape: tuple[int, ...] | None
    value: Any = None
    whole: bool | None = None
    note: str = ""


def repairs(failure: Failure, kind: str, ran: list[Repair], seconds: float = inf) -> bool:
    """Tries changes of an operation, then each that runs with the rest of the line; false if time was over.

    They are in `ran` as soon as they are known, for one of them may never end. Time is that of this thread's own work:
    that others are at work costs no repair.
    """
    tried = _changes(failure, kind, ran, thread_time() + seconds)
    for k, repair in enumerate(ran):
        ran[k] = repair._replace(whole=_whole(repair, failure))
    return tried


def _changes(failure: Failure, kind: str, ran: list[Repair], until: float) -> bool:
    """Tries the changes of an operation, in the order of its kind; false if the time was over."""
    if _is_leaf_error(failure):
        _unrecorded(failure, ran)
        if ran and isinstance(failure.statement, ast.Expr):  # of a call for its write a new tensor would be lost
            return True
    if (inside := inside_of(failure)) is not None and inside.path:
        ran += [_repair(code, value) for code, value in refitted(failure, inside)]
    trial, tried = Trial(failure), set[str]()
    new = kind == "grad" or bool(failure.line.target) and isinstance(failure.form, ast.BinOp)
    tried |= {_text(failure.form, failure)} if not new else set()
    for families in (NATURES[kind], NATURES["other"] if kind not in ("grad", "version") else ""):
        forms = chain.from_iterable(() if ran and family == "cut" else getattr(trial, family)()
                                    for family in families.split())  # fmt: skip
        for _, form in zip(range(TRIED), forms):
            if thread_time() > until:
                return False
            code = _text(form, failure)
            repair = None if code in tried else _tried(form, code, failure)
            tried.add(code)
            if repair is not None:
                ran.append(repair)
            if len(ran) >= 2 * SHOWN or ran and isinstance(form, ast.BinOp) and form is failure.form:
                return True
        if ran:
            return True
    if kind == "version":
        _rewritten(failure, ran)
    return True


def best(ran: Sequence[Repair]) -> list[Repair]:
    """The repairs that are told: first those with which the whole line runs."""
    return sorted(ran, key=lambda repair: repair.whole is False)[:SHOWN]


def _tried(form: ast.expr, code: str, failure: Failure) -> Repair | None:
    """Runs a change on copies that are made for it alone, of what the operation had."""
    code = _assigned(code, failure)
    try:
        compile(code, "", "exec")
        value = failure.value(form)
    except Exception:
        return None
    repair = _repair(code, value)
    if (name := _reassigned(code, failure)) is None:
        return repair._replace(note=_axes(form, failure) or repair.note)
    holder = failure.values[0]
    if type(holder).__name__ == "Parameter" and not name.isidentifier():  # a module refuses all else there
        return None
    if not _is_leaf_error(failure):
        return repair
    lost = f"but {name} is no leaf then, and {name}.grad stays None"
    return None if ".detach()" in code else repair._replace(note=lost)


def _repair(code: str, value: Any) -> Repair:
    """A repair that ran and came to a value."""
    inside = tensors_in(value)
    several = f"the first of {len(inside)} results" if len(inside) > 1 else ""
    return Repair(code, tuple(inside[0].shape) if inside else None, value, note=several)


def _reassigned(code: str, failure: Failure) -> str | None:
    """The tensor that a repair puts a new one in the place of, None where it does not."""
    name = code.partition(" = ")[0]
    return name if name and name in (failure.line.target, failure.line.written) and failure.values and (
        failure.parts[0].text == name) else None


def _axes(form: ast.expr, failure: Failure) -> str:
    """Says on which axes the sizes of an operand come to lie between which axes of 1 were put."""
    for node in ast.walk(form):
        match node:
            case ast.Subscript(value=ast.Name(id=hole), slice=ast.Tuple(elts=parts)) if (
                    any(ast.unparse(part) == "None" for part in parts)):  # fmt: skip
                part, x = next((part, x) for part, x in zip(failure.parts, failure.values) if part.hole == hole)
                at = [k for k, one in enumerate(parts) if ast.unparse(one) != "None"]
                rank = max(len(parts), *(y.ndim for y in tensors_in(failure.values)))
                put = [f"{n} on dim {rank - len(parts) + k}" for n, k in zip(x.shape, at) if n > 1]
                return f"with {part.text}'s {listed(put)}" if put and len(at) == x.ndim else ""
    return ""


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
            evaluated(put(failure.whole, failure.line.node, hole), Twins(ours=False).space(failure.readers),
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
        form = replaced(form, part.hole, part.node)
    return form


def _is_leaf_error(failure: Failure) -> bool:
    """True where autograd refused a write into a leaf."""
    return "leaf Variable" in str(failure.error)


def _unrecorded(failure: Failure, ran: list[Repair]) -> None:
    """Tries the statement that writes into a leaf as one that autograd does not record."""
    library = next((name for name, value in failure.readers.items() if isinstance(value, ModuleType) and value.__name__
                    in ("torch", "rustyflow") and any(isinstance(x, value.Tensor) for x in failure.values)), "")
    statement, form = failure.statement, failure.form
    if not library or not isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign):
        return
    if isinstance(statement, ast.AugAssign) and isinstance(form, ast.BinOp) and failure.line.target:
        sign = type(form.op).__name__.lower()
        method = f"__i{ {'mult': 'mul', 'div': 'truediv', 'matmult': 'matmul'}.get(sign, sign)}__"
        form = ast.Call(ast.Attribute(form.left, method, ast.Load()), [form.right], [])
    try:
        value = failure.value(form, failure.readers[library].no_grad())
    except Exception:
        return
    ran.append(_repair(f"with {library}.no_grad(): {ast.unparse(statement)}", value))


def _rewritten(failure: Failure, ran: list[Repair]) -> None:
    """Tries the reader's program with one of its writes as a new tensor, and keeps what runs.

    Where the program fails no more on copies, because it began in another cell or round, nothing would be shown by it.
    """
    program = ast.Module(failure.before, [])
    if not _computes(program, failure.readers) or _runs(program, failure):
        return
    writes = [(node, new) for node in ast.walk(program) if isinstance(node, ast.stmt) if (new := _anew(node))]
    if (again := _computed(failure.before)) is not None:
        writes.append((failure.before[-1], [again, failure.before[-1]]))
    for old, new in writes[-2 * SHOWN :]:
        changed = Putting(lambda node, old=old: isinstance(node, ast.stmt) and ast.dump(node, include_attributes=True)
                           == ast.dump(old, include_attributes=True), new).visit(copied(program))
        if _runs(changed, failure):
            other = old.lineno != failure.before[-1].lineno or len(failure.before) > 1 and new[-1] is old
            note = f"in line {old.lineno}" if other and old.lineno > 0 else ""
            ran.append(Repair("; ".join(map(ast.unparse, new)), None, note=note))


def _runs(program: ast.Module, failure: Failure) -> bool:
    """True if statements run on copies of what the reader's names stand for."""
    try:
        with aside():
            executed(copied(program), Twins(ours=False).space(failure.readers))
    except Exception:
        return False
    return True


def _computed(before: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement that computed what the last one calls `backward` of, None where it is not among those before."""
    match before:
        case [*_, ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward")))]:
            made = (one for one in before[::-1] if isinstance(one, ast.Assign) and len(one.targets) == 1
                    and isinstance(one.targets[0], ast.Name) and one.targets[0].id == name)  # fmt: skip
            return next(made, None)
    return None


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
            return [_assign(name, renamed(call, attr.rstrip("_")))]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward")) as call) if not call.keywords:
            keyword = ast.keyword("retain_graph", ast.Constant(True))
            return [ast.Expr(ast.Call(call.func, call.args, [keyword]))]
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            return [_assign(name, ast.parse(f"{name}.clone()", mode="eval").body), node]
    return None


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], value))

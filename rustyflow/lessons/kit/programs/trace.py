"""Trace: the lines of a small program, run one by one, and which tensor of it remembers which."""

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .... import ir
from ....errors import ArgumentValueError
from ....tensor import Tensor
from ....tensor.history import Node

LIBRARY = __name__.partition(".")[0]
MOST = 12
"""The most statements of a program that is traced."""

WATCHED = 4
"""The most things that are looked at after each line."""

Watch = Mapping[str, Callable[[Mapping[str, Any]], Any]]
"""What is looked at after each line, by its heading: functions of all names."""


class Step(NamedTuple):
    """A statement that ran.

    Attributes:
        code: the statement as it is written. name, value: of what it made; "" where it gives nothing a name.
        kept, cut: the names it read that want a gradient, those that its value remembers and the others.
        grads: the names to whose `.grad` something came. error: what it raised. seen: what was watched, by heading.
        over: whether it wrote over a tensor that it read, in place.
    """

    code: str
    name: str = ""
    value: Any = None
    kept: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    grads: tuple[str, ...] = ()
    error: Exception | None = None
    seen: Mapping[str, Any] = {}
    over: bool = False


def remembers(y: object, x: Tensor) -> bool:
    """True if backward from y comes to x.

    >>> from rustyflow import tensor
    >>> x = tensor(3.0, requires_grad=True)
    >>> remembers(x * 2, x), remembers(x.detach() * 2, x), remembers(x, x)
    (True, False, True)
    """
    if not isinstance(y, Tensor) or not y.requires_grad:
        return False
    if y is x:
        return True
    waiting = [y.grad_fn]
    for node in waiting:
        if node is not None:
            if node is x.grad_fn or getattr(node, "variable", None) is x:
                return True
            waiting += [source for source, _ in node.next_functions if source not in waiting]
    return False


def trace(text: str, watch: Watch | None = None) -> list[Step]:
    """Runs a program up to its first error, and returns a step for each statement.

    Args:
        text: its lines, which know the library as `torch`. watch: what to look at after each.

    Raises:
        ValueError: nothing to run, or more than twelve statements. SyntaxError: no Python.

    >>> [step.cut for step in trace("x = torch.ones(2, requires_grad=True)\\ny = x.detach()")]
    [(), ('x',)]
    """
    body = ast.parse(text).body
    if not 0 < len(body) <= MOST:
        was = f"a program of {len(body)} statements"
        raise ArgumentValueError(was, f"it has 1 to {MOST}", 'check.record("y = x * 2")')
    return [*_steps(body, text, {"torch": sys.modules[LIBRARY]}, watch or {})]


def _steps(body: list[ast.stmt], text: str, known: dict[str, Any], watch: Watch) -> Iterator[Step]:
    for statement in body:
        code = ast.get_source_segment(text, statement) or ast.unparse(statement)
        read = {name: known.get(name) for name in _read(statement)}
        wanting = {name: x for name, x in read.items() if isinstance(x, Tensor) and x.requires_grad}
        before, error = _grads(known), None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(ast.Module([statement], []), "<a program>", "exec"), known)
            except Exception as problem:
                error = problem
        name, after = _made(statement), _grads(known)
        value = known.get(name)
        kept = tuple(one for one, x in wanting.items() if name and value is not x and remembers(value, x))
        cut = tuple(one for one, x in wanting.items() if name and value is not x and one not in kept)
        came = tuple(one for one in after if after[one] is not None and after[one] != before.get(one))
        seen = {head: _looked(look, known) for head, look in watch.items()}
        over = isinstance(value, Tensor) and value is read.get(name)
        yield Step(code, name, value, kept, cut, came, error, seen, over)
        if error is not None:
            return


def _read(statement: ast.stmt) -> Iterator[str]:
    """Yields the names that a statement reads, in its order."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _made(statement: ast.stmt) -> str:
    """The name that a statement gives something, or changes; "" if none."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                return target.id
    return ""


def _grads(known: Mapping[str, Any]) -> dict[str, Any]:
    """The gradients of all leaves, as numbers."""
    leaves = {name: x for name, x in known.items() if isinstance(x, Tensor) and x.is_leaf}
    return {name: None if x.grad is None else x.grad.tolist() for name, x in leaves.items()}


def _looked(look: Callable[[Mapping[str, Any]], Any], known: Mapping[str, Any]) -> Any:
    try:
        found = look(known)
    except (AttributeError, NameError):  # what is not there yet
        return ""
    return found.detach().clone() if isinstance(found, Tensor) else found


def watched(*wanted: str) -> Watch:
    """The things to look at after each line, by expressions; `kept(loss)` is what a graph keeps.

    >>> step = trace("x = torch.ones(2, requires_grad=True)\\ny = (x * x).sum()", watched("x.grad", "kept(y)"))[-1]
    >>> dict(step.seen)
    {'x.grad': None, 'kept(y)': 'x'}
    """
    if len(wanted) > WATCHED:
        raise ArgumentValueError(f"{len(wanted)} things to watch", f"at most {WATCHED}", 'check.watch(text, "w.grad")')
    made = {text: compile(text, "<a thing to watch>", "eval") for text in wanted}
    return {text: lambda known, code=code: eval(code, dict(known) | {"kept": _kept(known)})
            for text, code in made.items()}  # fmt: skip


def _kept(known: Mapping[str, Any]) -> Callable[[Tensor], str]:
    """Says what the graph of a tensor keeps for backward: names and numbers, or what has become of them."""

    def kept(y: Tensor) -> str:
        graph = ir.graph(y, names={name: x for name, x in known.items() if isinstance(x, Tensor)}, depth=0)
        saved = [one for node in graph for one in node.saved if one.ref[0] == "%"]
        if any(one.overwritten for one in saved):
            return "written over"
        histories = [node.history for node in graph if isinstance(node.history, Node)]
        if any(history.saved is None for history in histories) and all(one.freed for one in saved):
            return "let go"
        names = [graph[one.ref].name or "a result" for one in saved]
        names += [f"{part:g}" for history in histories for part in history.saved or ()
                  if isinstance(part, int | float) and not isinstance(part, bool)]  # fmt: skip
        return ", ".join(dict.fromkeys(names)) or "nothing"

    return kept

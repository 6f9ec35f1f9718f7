"""How a name was made, and what was written into it since: in words, and whether these, as they stand, come to it."""

import ast
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..source import storage_of

LONGEST = 72
"""The most characters of a program."""

History = Sequence[tuple[int, str, list[ast.AST]]]
"""What ran: the number of each cell, 0 of the last, which comes first, its text, and its nodes."""


class Step(NamedTuple):
    """A line of a program: its place among those that ran, and the storages whose numbers it takes."""

    when: tuple[int, ...]
    takes: set[tuple]


class Made(NamedTuple):
    """How a name was made, and what was written into it since, in words and step by step."""

    program: str
    steps: list[Step]


def program_of(name: str, variables: Mapping[str, Any], history: History) -> Made | None:
    """`name = expression`, from the last place that gave the name a value, if that is a plain assignment of what still
    has its names, and then what was written into it, if nothing was through another name."""
    value, writes, later, aliased = variables.get(name), list[tuple[Step, str | None, int]](), set[str](), False
    for n, text, nodes in history:
        stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
        grown = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
        last = max((n for n in stores if n not in grown), key=where_of, default=None)
        since = where_of(last) if last else (0, 0)
        told = sorted((n for n in nodes if isinstance(n, ast.stmt) and where_of(n) > since), key=where_of)
        others = {other for node in told for other in _written(node, variables)} - {name}
        aliased |= any(meet(storage_of(variables.get(other)), storage_of(value)) for other in others)
        writes[:0] = [(Step((n, *where_of(node)), storages_of(node, variables)), text_of(text, node), times)
                      for node in told if (times := _written(node, variables).count(name))]  # fmt: skip
        bound = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in grown]
        if last is None:
            later |= {n.id for n in bound}
            continue
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _unpacked(node.targets[0], last):
                later |= {n.id for n in bound if where_of(n) > (node.end_lineno, node.end_col_offset)}
                if any(isinstance(part, ast.Name) and part.id in later for part in ast.walk(node.value)):
                    return None  # it is made of what another value has the name of now
                kept = storages_of(node.value, variables)
                view = any(meet(storage_of(value), memory) for memory in kept)
                said = text_of(text, node.value)
                if not said or aliased and (writes or not view):
                    return None
                target = ", ".join(part.id for part in getattr(node.targets[0], "elts", [last]))
                program = _with_writes(f"{target} = {said}", [write[1:] for write in writes], value, view)
                steps = [Step((n, *where_of(node)), set() if view else kept), *(step for step, *_ in writes)]
                return Made(program, steps) if program else None
        return None
    return None


def storages_of(node: ast.AST, variables: Mapping[str, Any]) -> set[tuple]:
    """The storages of what an expression or a statement names."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return {memory for name in names if (memory := storage_of(variables.get(name)))}


def meet(one: tuple | None, other: tuple | None) -> bool:
    """Whether two storages have memory in common."""
    return bool(one and other) and one[0] < sum(other) and other[0] < sum(one)


def as_it_ran(made: Sequence[Made], drawn: Sequence[Any], variables: Mapping[str, Any], history: History) -> bool:
    """Whether programs that run one after the other come to what is `drawn`: whether what a step takes from a storage
    stands, as it was done, before or after each thing that is written there."""
    heads = list(dict.fromkeys(one.steps[0].when for one in made))
    written = {(one.steps[0].when, one.program) for one in made if one.steps[1:]}
    if len(written) > len({head for head, _ in written}):
        return False  # of two names that one line made, each with what was written into it
    at = {step.when: (heads.index(one.steps[0].when), step.when) for one in made for step in one.steps}
    writes = [((n, *where_of(node)), storage_of(variables.get(name)))
              for n, _, nodes in history for node in nodes for name in _written(node, variables)]  # fmt: skip
    for value in drawn:  # what was written to it that is not in the words, may have been after all that took from it
        memory = storage_of(value)
        known = sum(meet(memory, other) for _, other in writes)
        if (_version(value) or 0) > known and any(meet(memory, taken) for one in made for step in one.steps
                                                  for taken in step.takes if step.when[0] < 1):
            return False
    for step in (step for one in made for step in one.steps):
        for when, memory in writes:
            if when != step.when and any(meet(memory, taken) for taken in step.takes):
                if when in at and (at[when] < at[step.when]) != (when < step.when):
                    return False
                if when not in at and when > step.when and any(meet(memory, storage_of(value)) for value in drawn):
                    return False
    return True


WRITES = re.compile(r"(?!requires_grad_)\w*[a-z0-9]_(?=\(|$)")
"""The names of methods that write into their tensor, and of functions that write into their first."""

NUMPY = {*"copyto fill fill_diagonal itemset partition place put put_along_axis putmask resize shuffle sort".split()}
"""Those of NumPy's, where they are called for that alone."""


def _written(node: ast.AST, variables: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """The names of what a statement writes into, as often as it does.

    >>> said = "y[0] = 1", "y += 1", "y.t().mul_(2).add_(1)", "y.data = x", "y.grad.zero_()", "x[y] = 1", "z = y.exp()"
    >>> [_written(ast.parse(words).body[0]) for words in said]
    [['y'], ['y'], ['y', 'y'], ['y'], [], ['x'], []]
    >>> said = "y[0], y[1] = x", "y.sort()", "z = y.sort()", "np.copyto(y.T, x)", "init.zeros_(y)", "add(x, out=y)"
    >>> [_written(ast.parse(words).body[0], {"np": ast, "init": ast}) for words in said]
    [['y', 'y'], ['y'], [], ['y'], ['y'], ['y']]
    """
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        return []
    targets = [node.target] if isinstance(node, ast.AugAssign) else getattr(node, "targets", [])
    targets = [part for target in targets for part in getattr(target, "elts", [target])]
    found = [target for target in targets if isinstance(node, ast.AugAssign) or isinstance(target, ast.Subscript)
             or isinstance(target, ast.Attribute) and target.attr in ("data", "shape")]
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if WRITES.fullmatch(name) or name in NUMPY and isinstance(node, ast.Expr):
            method = isinstance(call.func, ast.Attribute) and name != "shuffle"
            method &= not isinstance(variables.get(_root(call.func) or ""), ModuleType)
            found += [call.func] if method else call.args[:1]
        found += [word.value for word in call.keywords if word.arg == "out"]
        own = getattr(variables.get(name), "__module__", None) == variables.get("__name__", "")
        if own and isinstance(node, ast.Expr):  # a function of the caller's may have written into an array
            found += [x for x in call.args if isinstance(variables.get(_root(x) or ""), np.ndarray)]
    return [root for target in found if (root := _root(target))]


def _root(node: ast.AST) -> str | None:
    """The name that an expression such as `y.t()[0].data` begins with, if what it gives may be a view of that."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            return None
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _unpacked(target: ast.AST, name: ast.AST) -> bool:
    """Whether a target is this name, or some names of which it is one, `u, v = x.unbind()`."""
    return target is name or isinstance(target, ast.Tuple) and any(part is name for part in target.elts) and (
        all(isinstance(part, ast.Name) for part in target.elts))  # fmt: skip


def _with_writes(made: str, writes: Sequence[tuple[str | None, int]], value: Any, view: bool) -> str | None:
    """How a tensor was made and what was written into it, if that is all: a tensor counts how often it was."""
    version = _version(value)
    if not writes and (version is None or view or WRITES.search(made)):
        return made  # a view counts what is written into the tensor that it is a view of
    if version != sum(times for _, times in writes):
        return None
    words = [made, *(said for said, _ in writes)]
    return "; ".join(words) if all(words) and len("; ".join(words)) <= LONGEST else None


def _version(value: Any) -> int | None:
    """How often a tensor was written into, if it counts that."""
    try:
        return getattr(value, "_version", None)
    except RuntimeError:  # one of PyTorch's that was made in inference mode
        return None


def where_of(node: ast.AST) -> tuple[int, int]:
    """Line and column; a node without (the module itself) comes first."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def text_of(source: str, node: ast.AST) -> str | None:
    """What a node is written as, in one line; None if that is too long."""
    text = " ".join((ast.get_source_segment(source, node) or "").split())
    return text if 0 < len(text) <= LONGEST else None

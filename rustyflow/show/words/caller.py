"""What the caller wrote: the words of the arguments of a call, how a name was made, and what to call each argument.

The words may be missing (a call from a prompt without source, a call made by `map`); then the answer is None, and an
argument is called as a variable that holds it, or by a letter that the caller has not taken.
"""

import ast
import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from types import FrameType, MappingProxyType, ModuleType, NoneType
from typing import Any, NamedTuple

import numpy as np

from ...errors import ArgumentTypeError, ArgumentValueError
from ...ir.text import clean
from ..source import storage_of

LONGEST, PATH, SHORT = 72, 24, 12
"""The most characters of a title; of a path such as `self.layers[1].bias` and of another expression that is a name."""


class Step(NamedTuple):
    """A line of a program: its place among those that ran, and the storages whose numbers it takes."""

    when: tuple[int, ...]
    takes: set[tuple]


class Made(NamedTuple):
    """How a name was made, and what was written into it since, in words and step by step."""

    program: str
    steps: list[Step]


class Words(NamedTuple):
    """The source text of each argument (None where unknown), the caller's variables, the text of what is named, and
    whether the programs, one after the other, come to what the arguments are."""

    arguments: tuple[str | None, ...]
    programs: tuple[str | None, ...]
    variables: Mapping[str, Any]
    named: Mapping[str, str] = MappingProxyType({})
    runs: bool = True

    def names(self, values: Sequence[Any], likely: str = "xyzuvw", paths: bool = False) -> list[str]:
        """What to call the arguments, which have these values: as they are written, where that reads as a name.

        With `paths` only names such as `w` and `self.layers[1].bias` do, which may have a `.grad`.

        >>> Words(("w", "x.T", "a + 1", "f(a, b, c).sum()", None), (), {"x": 1, "k": "v"}).names([0, 1, 2, 3, "v"])
        ['w', 'x.T', '(a + 1)', 'y', 'k']
        """
        held = {id(value): name for name, value in reversed(self.variables.items()) if not name.startswith("_")}
        pairs = zip(self.arguments, values, strict=True)
        said = [_name(words, paths) if words else held.get(id(value)) for words, value in pairs]
        taken = {*self.variables, *said}
        free = (name for name in chain(likely, (f"t{k}" for k in count())) if name not in taken)
        return [name or next(free) for name in said]

    def letters(self, names: Sequence[str]) -> list[str]:
        """For each of the names what it stands for, `y = f(a, b, c).sum()`, if it is a letter that the caller lacks.

        >>> Words(("w", "f(a, b, c).sum()", None), (), {"w": 1}).letters(["w", "y", "z"])
        ['', 'y = f(a, b, c).sum()', '']
        """
        pairs = zip(names, self.arguments, strict=True)
        return [f"{name} = {words}" if words and _name(words) is None and name not in self.variables else ""
                for name, words in pairs]  # fmt: skip

    def title(self, names: Sequence[str]) -> str:
        """How all that has these names was made; of two the second alone, if that was made of the first. The names
        alone where that, run as it stands, would come to something else.

        >>> Words(("x", "x.T[1:]"), ("x = arange(6)", None), {}).title(["x", "y"])
        'y = x.T[1:]'
        >>> Words(("arange(6)", "ones(2) + 1"), (None, None), {}).title(["x", "y"])
        'x = arange(6),  y = ones(2) + 1'
        """
        programs = [self.runs and program or name for program, name in zip(self.programs, names, strict=True)]
        for k, (argument, name) in enumerate(zip(self.arguments, names, strict=True)):
            if argument and name not in (argument, f"({argument})"):
                programs[k] = f"{name} = {argument}"
        of_first = rf" = .*(?<![\w.]){re.escape(names[0])}(?!\w)"
        alone = len(programs) == 2 and re.search(of_first, programs[1])
        return ",  ".join(once(programs[1:] if alone else programs))


def once(programs: Iterable[str]) -> list[str]:
    """Programs without those that others begin with: of names that one line made it is said once, with what was
    written into one of them.

    >>> once(["u, v = x.chunk(2)", "y = u + 1", "u, v = x.chunk(2); v[0] = 2"])
    ['u, v = x.chunk(2); v[0] = 2', 'y = u + 1']
    """
    said: dict[str, str] = {}
    for program in programs:
        same = next((other for other in said if f"{program}; ".startswith(f"{other}; ")
                     or f"{other}; ".startswith(f"{program}; ")), program)  # fmt: skip
        said[same] = max(said.get(same, ""), program, key=len)
    return [*said.values()]


def parts(x: Any, words: str | None) -> Iterator[tuple[Any, str | None]]:
    """A value with its words, and if it is written as a list those in it, with theirs.

    >>> list(parts([1, 2], "[a, b + 1]"))
    [([1, 2], '[a, b + 1]'), (1, 'a'), (2, 'b + 1')]
    """
    yield x, words
    node = _expression(words) if isinstance(x, list | tuple) and words else None
    listed = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(x)
    if listed and not any(isinstance(at, ast.Starred) for at in node.elts):
        for part, at in zip(x, node.elts):
            yield from parts(part, ast.get_source_segment(words, at))


def _expression(words: str) -> ast.expr | None:
    try:
        return ast.parse(words, mode="eval").body
    except SyntaxError:
        return None


def given(names: Any, many: int) -> list[str]:
    """The names that the caller gives, one for each tensor.

    Raises:
        TypeError: something that is no name. ValueError: more of them, or fewer.

    >>> given(["a", "b"], 2), given("x", 1)
    (['a', 'b'], ['x'])
    """
    if isinstance(names, str):
        names = [names] if many == 1 else list(names)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ArgumentTypeError(f"names={names!r}", "names are words in quotes", "names=['x', 'y'] for two tensors")
    if len(names) != many:
        tensors = f"{many} tensor{'s' * (many != 1)}"
        was, write = f"{len(names)} names for {tensors}", "names=['x', 'y'] for two"
        raise ArgumentValueError(was, "each tensor has one name", write)
    return [clean(name) for name in names]


def titled(title: Any) -> str | None:
    """The title that the caller gives, if any.

    Raises:
        TypeError: no text.
    """
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(f"title={title!r:.60}", "a title is text", f"title={str(title)[:40]!r}", value=title)
    return title


def caller_text(count: int, depth: int = 2, values: Sequence[Any] = ()) -> Words:
    """The words of the `count` positional arguments of the call that runs `depth` frames up.

    `arguments` are the expressions as written; `programs` say how each was made: `y = x.t()[1:]` for a variable whose
    assignment is in the same source (or in an earlier cell of the notebook), the expression itself for others. What
    was written into the variable since then is told with it, `y = x + 1; y[0] = 5`; where that is not known, nothing.
    Of the `values` of the arguments, if they are given, it is known whether the programs come to them.
    """
    frame, called = sys._getframe(depth), sys._getframe(depth - 1).f_code.co_qualname
    called = called.removesuffix(".__init__").rpartition(".")[2]  # a class, where one is made
    variables = {**frame.f_globals, **frame.f_locals}
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    source = "".join(lines)
    call = _call(frame, source)
    plain = call is not None and _calls(call, called, variables) and len(call.args) >= count
    if not plain or any(isinstance(argument, ast.Starred) for argument in call.args[:count]):
        return Words((None,) * count, (None,) * count, variables)
    named = (node.target if isinstance(node, ast.NamedExpr) else node for node in call.args[:count])
    arguments = tuple(_said(source, node) for node in named)
    history = _history(frame, source, (call.lineno, call.col_offset))
    made, programs = list[Made](), list[str | None]()
    for k, (node, said) in enumerate(zip(call.args, arguments, strict=False)):
        if isinstance(node, ast.NamedExpr) and _said(source, node.value):
            said = f"{node.target.id} = {_said(source, node.value)}"
        known = _made(node.id, variables, history) if isinstance(node, ast.Name) else None
        if known or not isinstance(node, ast.Name):
            kept = _kept(node, variables)
            view = any(_meet(storage_of(value), memory) for value in values[k : k + 1] for memory in kept)
            made.append(known or Made(said, [Step((1, k), set() if view else kept)]))
        programs.append(known.program if known else said)
    runs = not values or _as_it_ran(made, values, variables, history)
    keywords = {word.arg: _said(source, word.value) for word in call.keywords if word.arg}
    return Words(arguments, tuple(programs), variables, keywords, runs)


def _call(frame: FrameType, source: str) -> ast.Call | None:
    where = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    tree = _parse(source)
    if tree is None or None in where:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == where:
            return node
    return None


def _calls(call: ast.Call, name: str, variables: Mapping[str, Any]) -> bool:
    """Whether it is this function that a call in the source calls, and not one that calls it, such as `map`."""
    if isinstance(call.func, ast.Name):
        return getattr(variables.get(call.func.id), "__name__", call.func.id) == name
    return isinstance(call.func, ast.Attribute) and call.func.attr == name


def _name(words: str, paths: bool = False) -> str | None:
    """An argument as a name: a path, or something short; what has an operator in brackets. None for what is too long.

    >>> [_name(words) for words in ("x", "self.layers[1].bias", "y := x.T", "x @ x", "x[1:].exp().sum()", "2.0")]
    ['x', 'self.layers[1].bias', 'y', '(x @ x)', None, None]
    """
    tree = _parse(f"({words})")
    node = root = tree.body[0].value if tree is not None else None
    if isinstance(node, ast.NamedExpr | ast.Name):
        return node.target.id if isinstance(node, ast.NamedExpr) else node.id
    path = True
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        path &= not isinstance(root, ast.Call) and isinstance(getattr(root, "slice", None), ast.Constant | NoneType)
        root = root.func if isinstance(root, ast.Call) else root.value
    path &= isinstance(root, ast.Name) and not (paths and words.endswith((".T", ".mT")))
    if root is not node and (path or not paths):
        return words if len(words) <= (PATH if path else SHORT) else None
    named = any(isinstance(part, ast.Name) for part in ast.walk(node)) if node else False
    short = named and not paths and len(words) <= SHORT
    return f"({words})" if isinstance(node, ast.BinOp | ast.UnaryOp) and short else None


def _history(frame: FrameType, source: str, before: tuple[int, int]) -> list[tuple[int, str, list[ast.AST]]]:
    """What ran before the call: the number of each cell, 0 of the last, which comes first, its text, and its nodes."""
    cells = ((source, before), *((cell, (sys.maxsize, 0)) for cell in _earlier_cells(frame)))
    return [(-n, text, [node for node in _scope(_parse(text), frame) if _where(node) < limit])
            for n, (text, limit) in enumerate(cells)]  # fmt: skip


def _made(name: str, variables: Mapping[str, Any], history: Sequence[tuple[int, str, list[ast.AST]]]) -> Made | None:
    """`name = expression`, from the last place that gave the name a value, if that is a plain assignment of what still
    has its names, and then what was written into it, if nothing was through another name."""
    value, writes, later, aliased = variables.get(name), list[tuple[Step, str | None, int]](), set[str](), False
    for n, text, nodes in history:
        stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
        grown = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
        last = max((n for n in stores if n not in grown), key=_where, default=None)
        since = _where(last) if last else (0, 0)
        told = sorted((n for n in nodes if isinstance(n, ast.stmt) and _where(n) > since), key=_where)
        others = {other for node in told for other in _written(node, variables)} - {name}
        aliased |= any(_meet(storage_of(variables.get(other)), storage_of(value)) for other in others)
        writes[:0] = [(Step((n, *_where(node)), _kept(node, variables)), _said(text, node), times)
                      for node in told if (times := _written(node, variables).count(name))]  # fmt: skip
        bound = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in grown]
        if last is None:
            later |= {n.id for n in bound}
            continue
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and _unpacked(node.targets[0], last):
                later |= {n.id for n in bound if _where(n) > (node.end_lineno, node.end_col_offset)}
                if any(isinstance(part, ast.Name) and part.id in later for part in ast.walk(node.value)):
                    return None  # it is made of what another value has the name of now
                kept = _kept(node.value, variables)
                view = any(_meet(storage_of(value), memory) for memory in kept)
                said = _said(text, node.value)
                if not said or aliased and (writes or not view):
                    return None
                target = ", ".join(part.id for part in getattr(node.targets[0], "elts", [last]))
                program = _with_writes(f"{target} = {said}", [write[1:] for write in writes], value, view)
                steps = [Step((n, *_where(node)), set() if view else kept), *(step for step, *_ in writes)]
                return Made(program, steps) if program else None
        return None
    return None


def _kept(node: ast.AST, variables: Mapping[str, Any]) -> set[tuple]:
    """The storages of what an expression or a statement names."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return {memory for name in names if (memory := storage_of(variables.get(name)))}


def _meet(one: tuple | None, other: tuple | None) -> bool:
    """Whether two storages have memory in common."""
    return bool(one and other) and one[0] < sum(other) and other[0] < sum(one)


def _as_it_ran(
    made: Sequence[Made], drawn: Sequence[Any], variables: Mapping[str, Any],
    history: Sequence[tuple[int, str, list[ast.AST]]],
) -> bool:  # fmt: skip
    """Whether programs that run one after the other come to what is `drawn`: whether what a step takes from a storage
    stands, as it was done, before or after each thing that is written there."""
    heads = list(dict.fromkeys(one.steps[0].when for one in made))
    written = {(one.steps[0].when, one.program) for one in made if one.steps[1:]}
    if len(written) > len({head for head, _ in written}):
        return False  # of two names that one line made, each with what was written into it
    at = {step.when: (heads.index(one.steps[0].when), step.when) for one in made for step in one.steps}
    writes = [((n, *_where(node)), storage_of(variables.get(name)))
              for n, _, nodes in history for node in nodes for name in _written(node, variables)]  # fmt: skip
    for value in drawn:  # what was written to it that is not in the words, may have been after all that took from it
        memory = storage_of(value)
        known = sum(_meet(memory, other) for _, other in writes)
        if (_version(value) or 0) > known and any(_meet(memory, taken) for one in made for step in one.steps
                                                  for taken in step.takes if step.when[0] < 1):
            return False
    for step in (step for one in made for step in one.steps):
        for when, memory in writes:
            if when != step.when and any(_meet(memory, taken) for taken in step.takes):
                if when in at and (at[when] < at[step.when]) != (when < step.when):
                    return False
                if when not in at and when > step.when and any(_meet(memory, storage_of(value)) for value in drawn):
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


def _earlier_cells(frame: FrameType) -> Iterator[str]:
    """The notebook's cells that were run before this one, the last first."""
    history = frame.f_globals.get("In")
    if isinstance(history, list) and len(history) > 1:
        return (str(cell) for cell in reversed(history[:-1]))
    # a kernel that is told to keep no history, as nbval tells it, still has the sources of what it compiled
    cells = [entry for name, entry in linecache.cache.items() if "ipykernel" in name and len(entry) > 2]
    return ("".join(entry[2]) for entry in reversed(cells))


def _scope(tree: ast.AST | None, frame: FrameType) -> Iterator[ast.AST]:
    """The nodes that run in the frame: of its function, or of the module; not those of functions defined inside."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    todo: list[ast.AST] = [] if tree is None else [tree]
    if tree is not None and frame.f_code.co_name != "<module>":
        names = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        todo = [*(node for node in names if node.name == frame.f_code.co_name and node.lineno <= frame.f_lineno)][-1:]
    while todo:
        node = todo.pop()
        yield node
        todo += [child for child in ast.iter_child_nodes(node) if not isinstance(child, functions)]


def _where(node: ast.AST) -> tuple[int, int]:
    """Line and column; a node without (the module itself) comes first."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _said(source: str, node: ast.AST) -> str | None:
    text = " ".join((ast.get_source_segment(source, node) or "").split())
    return text if 0 < len(text) <= LONGEST else None


@lru_cache(256)  # the cells of a notebook are read again for each figure
def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):  # a cell with magics: no words from it
        return None

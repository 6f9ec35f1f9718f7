"""The words of a call: its arguments as written, the one assignment that made each, their names.

The words may be missing (a call from a prompt without source, a call made by `map`); then they are None, and an
argument is called as a variable that holds it, or by a letter that the caller has not taken.
"""

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import unwrap
from itertools import chain, count
from types import CodeType, MappingProxyType, ModuleType, NoneType
from typing import Any, NamedTuple

from ...arguments.explain import outside_layers
from ...ir.text import clean

PATH, SHORT, LONGEST = 24, 12, 72
"""The most characters of a path such as `self.layers[1].bias` and of another expression that is a name, and of a title
that is quoted."""

PLAIN = (ast.Assign | ast.AnnAssign | ast.Assert | ast.Pass | ast.FunctionDef | ast.ClassDef | ast.Return | ast.For
         | ast.While | ast.If | ast.With)  # fmt: skip
"""Statements that write into no tensor, if no call in them does."""

HARMLESS = {*"print display manual_seed strides broadcast reduce matmul op graph curve compare".split(),
            *"backward retain_grad register_hook requires_grad_".split()}  # fmt: skip
"""What is called for its effect and writes into no tensor: what shows something, and what is asked of gradients."""


class Words(NamedTuple):
    """The source of each argument, the assignment that made it, the caller's variables, and the keyword arguments.

    A source or an assignment is None where it is not known.
    """

    arguments: tuple[str | None, ...]
    assignments: tuple[str | None, ...]
    variables: Mapping[str, Any]
    keywords: Mapping[str, str | None] = MappingProxyType({})

    @property
    def expressions(self) -> list[str]:
        """The source of each argument: what was assigned to its name, else its own, "" where neither is known."""
        pairs = zip(self.assignments, self.arguments, strict=True)
        return [line.partition(" = ")[2] if line else text or "" for line, text in pairs]

    def names(
        self, values: Sequence[Any], likely: Sequence[str] = "xyzuvw", paths: bool = False,
        own: Sequence[str] | None = None,
    ) -> list[str]:  # fmt: skip
        """Returns the names of arguments with these values: as they are written, where that reads as a name.

        With `paths` only names such as `w` and `self.layers[1].bias` do, which may have a `.grad`. Others have a
        likely name; with `own` ones these, where the caller has no other thing of that name, and so do those made here.

        >>> Words(("w", "x.T", "a + 1", "f(a, b, c).sum()", None), (), {"x": 1, "k": "v"}).names([0, 1, 2, 3, "v"])
        ['w', 'x.T', '(a + 1)', 'y', 'k']
        """
        held = {id(value): name for name, value in reversed(self.variables.items()) if not name.startswith("_")}
        pairs = zip(self.arguments, values, strict=True)
        written = [held.get(id(value)) if not text else None if own is not None and self.makes(text)
                   else _name(text, paths) for text, value in pairs]  # fmt: skip
        taken = {*self.variables, *written}
        free = (name for name in chain(likely, (f"t{k}" for k in count())) if name not in taken)
        own = [name if name not in taken else "" for name in own or ()] or [""] * len(written)
        return [name or mine or next(name for name in free if name not in own) for name, mine in zip(written, own)]

    def letters(self, names: Sequence[str]) -> list[str]:
        """Returns, for each name that is only a letter of the figure's, what it stands for.

        As `y = f(a, b, c).sum()`, if the caller has no such name.

        >>> Words(("w", "f(a, b, c).sum()", None), (), {"w": 1}).letters(["w", "y", "z"])
        ['', 'y = f(a, b, c).sum()', '']
        """
        pairs = zip(names, self.arguments, strict=True)
        return [f"{name} = {text}" if text and name != text and name not in self.variables
                and (_name(text) is None or self.makes(text)) else "" for name, text in pairs]  # fmt: skip

    def makes(self, text: str) -> bool:
        """True of a call that makes a tensor of numbers alone, which nobody calls by that.

        >>> [Words((), (), {}).makes(text) for text in ("T(1, 4)", "ones(2).exp()", "f(x)", "x", "x[1]")]
        [True, True, False, False, False]
        """
        nodes = [*ast.walk(_parse(f"({text})") or ast.Module([], []))]
        calls = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        named_ = {node.id for node in nodes if isinstance(node, ast.Name)} - calls
        modules = all(isinstance(self.variables.get(name), ModuleType) for name in named_)
        return modules and any(isinstance(node, ast.Call) for node in nodes)

    def title(self, names: Sequence[str]) -> str:
        """Returns the titles of what has these names, each once.

        Of two that is the second alone, if it was made of the first.

        >>> Words(("x", "x.T[1:]"), ("x = arange(6)", None), {}).title(["x", "y"])
        'y = x.T[1:]'
        >>> Words(("arange(6)", "ones(2) + 1"), (None, None), {}).title(["x", "y"])
        'x = arange(6),  y = ones(2) + 1'
        """
        first, *others = titles = self.titles(names)
        second = _parse(others[0]) if len(others) == 1 and " = " in others[0] else None
        alone = second and names[0] in _named_in(second)
        return others[0] if alone else ",  ".join(dict.fromkeys(titles))

    def titles(self, names: Sequence[str]) -> list[str]:
        """Returns, for each argument, the assignment that made it, or what it is, under these names."""
        return [f"{name} = {text}" if text and name not in (text, f"({text})") else line or name
                for name, text, line in zip(names, self.arguments, self.assignments, strict=True)]  # fmt: skip


def parts(x: Any, text: str | None) -> Iterator[tuple[Any, str | None]]:
    """Yields a value with its source, and if that is a list those in it, with theirs.

    >>> list(parts([1, 2], "[a, b + 1]"))
    [([1, 2], '[a, b + 1]'), (1, 'a'), (2, 'b + 1')]
    """
    yield x, text
    tree = _parse(text) if isinstance(x, list | tuple) and text else None
    node = getattr(tree.body[0], "value", None) if tree else None
    listed = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(x)
    if listed and not any(isinstance(at, ast.Starred) for at in node.elts):
        for part, at in zip(x, node.elts):
            yield from parts(part, ast.get_source_segment(text, at))


def caller_text(values: Sequence[Any]) -> Words:
    """Returns the words of the call of the function that asks.

    Its first positional arguments have these values.
    """
    frame = outside_layers(sys._getframe(2))
    variables = {**frame.f_globals, **frame.f_locals}
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    path = _path("".join(lines), list(frame.f_code.co_positions())[frame.f_lasti // 2])
    call = path[-1] if path else None
    nodes = call.args[: len(values)] if call and _runs(call.func, variables, sys._getframe(1).f_code) else []
    if len(nodes) < len(values) or any(isinstance(node, ast.Starred) for node in nodes):
        return Words((None,) * len(values), (None,) * len(values), variables)
    arguments, assignments = list[str | None](), list[str | None]()
    for node, value in zip(nodes, values):
        target = name = node.target if isinstance(node, ast.NamedExpr) else node
        line = node if name is not node else _assignment(name.id, path) if isinstance(name, ast.Name) else None
        if isinstance(line, ast.Assign):
            target = line.targets[0]
        right = _text(lines, line.value) if line else None
        known = not isinstance(name, ast.Name) or variables.get(name.id, value) is value  # of a file that was edited
        arguments.append(_text(lines, name) if known else None)
        assignments.append(f"{_text(lines, target)} = {right}" if known and right else None)
    keywords = {word.arg: _text(lines, word.value) for word in call.keywords if word.arg}
    return Words(tuple(arguments), tuple(assignments), variables, keywords)


def _path(source: str, place: tuple[int | None, ...]) -> list[ast.AST]:
    """Returns the nodes from the module in to the call at a place: first and last line, their columns.

    >>> [type(node).__name__ for node in _path("if x:\\n  y = f(g(x))", (2, 2, 8, 12))]
    ['Module', 'If', 'Assign', 'Call', 'Call']
    """
    inner, path = _parse(source), list[ast.AST]()
    while inner and None not in place:
        path.append(inner)
        if isinstance(inner, ast.Call) and _place(inner) == place:
            return path
        inner = next((node for node in _placed(inner) if _holds(_place(node), place)), None)
    return []


def _placed(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes in a node that have a place in the source.

    In what has none, such as the arguments of a function, they are those within.
    """
    for child in ast.iter_child_nodes(node):
        yield from [child] if hasattr(child, "lineno") else _placed(child)


def _place(node: ast.AST) -> tuple[int, ...]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _holds(outer: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    """True if a place is in another."""
    return outer[::2] <= inner[::2] and inner[1::2] <= outer[1::2]


def _runs(function: ast.expr, variables: Mapping[str, Any], code: CodeType) -> bool:
    """True if what is written runs this code when it is called.

    A function that calls it, such as `map`, does not.
    """
    path = []
    while isinstance(function, ast.Attribute):
        path, function = [function.attr, *path], function.value
    value = variables.get(function.id) if isinstance(function, ast.Name) else None
    for step in path:
        value = getattr(value, step, None) if isinstance(value, ModuleType) else None
    return getattr(unwrap(value.__init__ if isinstance(value, type) else value), "__code__", None) is code


def _name(text: str, paths: bool = False) -> str | None:
    """Returns an argument as a name: a path, or something short; None for what is too long.

    What has an operator stands in brackets.

    >>> [_name(text) for text in ("x", "self.layers[1].bias", "y := x.T", "x @ x", "x[1:].exp().sum()", "2.0")]
    ['x', 'self.layers[1].bias', 'y', '(x @ x)', None, None]
    """
    tree = _parse(f"({text})")
    node = root = tree.body[0].value if tree else None
    if isinstance(node, ast.NamedExpr | ast.Name):
        return node.target.id if isinstance(node, ast.NamedExpr) else node.id
    path = True
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        path &= not isinstance(root, ast.Call) and isinstance(getattr(root, "slice", None), ast.Constant | NoneType)
        root = root.func if isinstance(root, ast.Call) else root.value
    path &= isinstance(root, ast.Name) and not (paths and text.endswith((".T", ".mT")))
    if root is not node and (path or not paths):
        return text if len(text) <= (PATH if path else SHORT) else None
    short = bool(node and _named_in(node)) and not paths and len(text) <= SHORT
    return f"({text})" if isinstance(node, ast.BinOp | ast.UnaryOp) and short else None


def _assignment(name: str, path: Sequence[ast.AST]) -> ast.Assign | None:
    """Returns the assignment that gave a name the value that a call takes, if the text alone tells.

    The path leads to the call.

    It stands above the call in the same block, and from it to the call nothing is written into any tensor, and no name
    in it is bound anew.

    >>> def of(code):
    ...     line = _assignment("y", _path(code, (1, 1, len(code) - 7, len(code))))
    ...     return line and ast.unparse(line)
    >>> of("y = x.T; z = y + 1; show(y)"), of("y, z = x.chunk(2); print(z); show(y)"), of("y = y + 1; show(y)")
    ('y = x.T', 'y, z = x.chunk(2)', None)
    >>> of("y = x.T; x[0] = 1; show(y)"), of("y = x + 1; x = 1; show(y)"), of("y = x.T; f(x); show(y)")
    (None, None, None)
    """
    n, last = max((n, node) for n, node in enumerate(path) if isinstance(node, ast.stmt))
    later = any(isinstance(node, ast.Lambda | ast.GeneratorExp) for node in path[n:])
    blocks = [] if later else [lines for lines in vars(path[n - 1]).values() if isinstance(lines, list)]
    above = next((lines[: lines.index(last)] for lines in blocks if last in lines), [])
    n = next((n for n in reversed(range(len(above))) if name in _bound_in(above[n])), None)
    if n is None or not isinstance(line := above[n], ast.Assign) or len(line.targets) > 1:
        return None
    (target,), since = line.targets, above[n + 1 :]
    plain = all(isinstance(node, ast.Name) for node in getattr(target, "elts", [target]))
    anew = any(_named_in(line) & _bound_in(other) for other in (*since, last))
    quiet = all(map(_is_harmless, since)) and not _writes(last)
    return line if plain and quiet and not anew and name in _bound_in(target) - _named_in(line.value) else None


def _is_harmless(line: ast.stmt) -> bool:
    """True for a line that, as far as its text tells, only binds names and shows something.

    >>> lines = "z = f(y)", "print(y)", "for z in y: print(z)", "f(y)", "y += 1", "z = y.exp_()", "if z: f(y)"
    >>> [_is_harmless(ast.parse(line).body[0]) for line in lines]
    [True, True, True, False, False, False, False]
    """
    plain = (isinstance(part, PLAIN) or isinstance(part, ast.Expr) and _called(part.value) in HARMLESS
             for part in ast.walk(line) if isinstance(part, ast.stmt))  # fmt: skip
    return all(plain) and not _writes(line)


def _writes(line: ast.AST) -> bool:
    """True if a line writes by an index, an attribute, a method such as `add_`, or `out=`."""
    return any(
        isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
        or isinstance(node, ast.Call) and _called(node).endswith("_") and _called(node) not in HARMLESS
        or isinstance(node, ast.keyword) and node.arg == "out"
        for node in ast.walk(line)
    )  # fmt: skip


def _called(call: ast.AST) -> str:
    """The name of what is called, without what is before it."""
    function = getattr(call, "func", None)
    return getattr(function, "attr", getattr(function, "id", ""))


def _named_in(node: ast.AST) -> set[str]:
    """The names that stand in an expression or a statement."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _bound_in(node: ast.AST) -> set[str]:
    """The names that something binds, or deletes."""
    parts = [*ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    return names | {getattr(part, "name", None) for part in parts}


def _text(lines: Sequence[str], node: ast.AST) -> str | None:
    """Returns the text of a node, in one line; None if that is too long."""
    first, last, begin, end = _place(node)
    text = lines[first - 1].encode()[begin:end].decode() if first == last else ""
    if first < last and len([*ast.walk(node)]) < 2 * LONGEST:
        text = ast.unparse(node)
    return clean(text, LONGEST) if 0 < len(text) <= LONGEST else None


@lru_cache(256)  # a cell or a file is read again for each figure
def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):  # a cell with magics: no words from it
        return None

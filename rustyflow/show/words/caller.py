"""What the caller wrote: the words of the arguments of a call, and what to call each argument.

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
from types import FrameType, MappingProxyType, NoneType
from typing import Any, NamedTuple

from ...arguments.explain import outside_layers
from ...errors import ArgumentTypeError, ArgumentValueError
from ...ir.text import clean
from ..source import storage_of
from .program import History, Made, Step, as_it_ran, meet, program_of, storages_of, text_of, where_of

PATH, SHORT = 24, 12
"""The most characters of a path such as `self.layers[1].bias`, and of another expression, that is a name."""


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
    frame, called = outside_layers(sys._getframe(depth)), sys._getframe(depth - 1).f_code.co_qualname
    called = called.removesuffix(".__init__").rpartition(".")[2]  # a class, where one is made
    variables = {**frame.f_globals, **frame.f_locals}
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    source = "".join(lines)
    call = _call(frame, source)
    plain = call is not None and _calls(call, called, variables) and len(call.args) >= count
    if not plain or any(isinstance(argument, ast.Starred) for argument in call.args[:count]):
        return Words((None,) * count, (None,) * count, variables)
    named = (node.target if isinstance(node, ast.NamedExpr) else node for node in call.args[:count])
    arguments = tuple(text_of(source, node) for node in named)
    history = _history(frame, source, (call.lineno, call.col_offset))
    made, programs = list[Made](), list[str | None]()
    for k, (node, said) in enumerate(zip(call.args, arguments, strict=False)):
        if isinstance(node, ast.NamedExpr) and text_of(source, node.value):
            said = f"{node.target.id} = {text_of(source, node.value)}"
        known = program_of(node.id, variables, history) if isinstance(node, ast.Name) else None
        if known or not isinstance(node, ast.Name):
            kept = storages_of(node, variables)
            view = any(meet(storage_of(value), memory) for value in values[k : k + 1] for memory in kept)
            made.append(known or Made(said, [Step((1, k), set() if view else kept)]))
        programs.append(known.program if known else said)
    runs = not values or as_it_ran(made, values, variables, history)
    keywords = {word.arg: text_of(source, word.value) for word in call.keywords if word.arg}
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


def _history(frame: FrameType, source: str, before: tuple[int, int]) -> History:
    """What ran before the call: the number of each cell, 0 of the last, which comes first, its text, and its nodes."""
    cells = ((source, before), *((cell, (sys.maxsize, 0)) for cell in _earlier_cells(frame)))
    return [(-n, text, [node for node in _scope(_parse(text), frame) if where_of(node) < limit])
            for n, (text, limit) in enumerate(cells)]  # fmt: skip


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


@lru_cache(256)  # the cells of a notebook are read again for each figure
def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):  # a cell with magics: no words from it
        return None

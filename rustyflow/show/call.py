"""A call: of an operation by name or of a function, with the tensors in its arguments, and as a program writes it."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

from .. import nn
from ..arguments.explain import refuse_misfit
from ..dispatch.registry import PUBLIC
from ..errors import ArgumentTypeError, ArgumentValueError
from ..ir.text import clean
from ..tensor import Tensor
from ..tensor.table import fill

LONGEST = 80
"""The most characters of a program; a longer one is cut."""


def function(f: str | Callable) -> Callable:
    """What is to be called: of a name, or of PyTorch's function of that name, rustyflow's own.

    Raises:
        TypeError: neither a name nor a function. ValueError: no operation of this name.
    """
    foreign = str(getattr(f, "__module__", "") or "").partition(".")[0] in ("torch", "numpy")
    name = getattr(f, "__name__", None) if foreign else f
    if callable(name):
        return name
    if not isinstance(name, str):
        raise ArgumentTypeError(f"f={f!r:.60}", "f is an operation by name, or a function", "'softmax'", value=f)
    fill()
    places = PUBLIC.get(name), *(getattr(place, name, None) for place in (nn.functional, Tensor))
    found = next(filter(callable, places), None) if not name.startswith("_") else None
    if found and name.endswith("_"):
        raise ArgumentValueError(f"{name}, an op that writes to its operand", "a figure shows what a result reads",
                                 repr(name.rstrip("_")))  # fmt: skip
    if not callable(found):
        raise ArgumentValueError(f"f={name!r:.60}", "f is an operation of rustyflow", "'gather', 'conv2d', 'softmax'")
    return found


KEYWORDS = "names", "upstream", "one_by_one"
"""The arguments of show.op that are its own, and none of the operation's."""


def fits(f: Callable, operands: Sequence, attributes: Mapping) -> None:
    """Refuse a call that does not fit a function of one's own, or has a keyword that is nearly one of show.op's: what
    else does not fit, an operation says itself.

    Raises:
        CallError (a TypeError): it does not.

    >>> fits(lambda t: t * 2, [1], {"name": "x"})
    Traceback (most recent call last):
    rustyflow.errors.CallError: f(1, name='x')
    rule: f(): got an unexpected keyword argument 'name'
    try:  names='x'; f(t)
    """
    ours = str(getattr(f, "__module__", "")).startswith("rustyflow")
    near = any(get_close_matches(key, KEYWORDS, 1) for key in attributes)
    with suppress(ValueError):  # of a function in C, which tells no parameters
        if near or not ours:
            name = getattr(f, "__name__", type(f).__name__).replace("<lambda>", "f")
            refuse_misfit(name, f, operands, attributes, KEYWORDS)


def tensors_in(x: Any) -> list[Any]:
    """The tensors and arrays in arguments, in order, each once."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return [x]
    parts = x.values() if isinstance(x, Mapping) else x if isinstance(x, list | tuple) else ()
    found: list[Any] = []
    for part in parts:
        found += [t for t in tensors_in(part) if not any(t is other for other in found)]
    return found


def call_with(f: Callable, operands: Sequence, attributes: Mapping, tensors: Sequence, *own: Any) -> Any:
    """The operation with `own` in the place of the tensors in its arguments."""

    def put(x: Any) -> Any:
        for tensor, new in zip(tensors, own):
            if x is tensor:
                return new
        if isinstance(x, Mapping):
            return {key: put(part) for key, part in x.items()}
        return type(x)(map(put, x)) if type(x) in (list, tuple) else x

    return f(*put(tuple(operands)), **put(dict(attributes)))


def used_beside(f: Callable) -> list[str]:
    """What a function uses of tensors, or of what has tensors, besides its operands, by the names that it has there.

    >>> import numpy as np
    >>> y = np.ones(2)
    >>> used_beside(lambda t: t + y)
    ['y']
    """
    held = hasattr(f, "named_parameters") and [name for name, _ in f.named_parameters()]
    if held:
        return held
    try:
        used = inspect.getclosurevars(f)
    except TypeError:  # it is no function of Python's
        return []
    named = {**used.globals, **used.nonlocals}.items()
    return [name for name, x in named if hasattr(x, "named_parameters") or hasattr(x, "shape") and hasattr(x, "dtype")]


def taken_out(f: Callable) -> str:
    """By what a function takes numbers out of tensors, if it does.

    >>> taken_out(lambda t: t * t.max().item()), taken_out(lambda t: t * 2)
    ('item', '')
    """
    names = getattr(getattr(f, "__code__", None), "co_names", ())
    return next((name for name in names if name in ("item", "tolist")), "")


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def program(
    f: Any, source: str | None, operands: Sequence, attributes: Mapping, tensors: Sequence, names: Sequence[str]
) -> str:
    """`conv2d(x, w, stride=2)`; of a lambda what it computes."""

    def word(x: Any) -> str:
        named = next((name for t, name in zip(tensors, names) if x is t), None)
        if named or not isinstance(x, list | tuple):
            return named or clean(repr(x), 40)
        inside = ", ".join(map(word, x))
        return f"[{inside}]" if isinstance(x, list) else f"({inside}{',' * (len(x) == 1)})"

    try:
        tree = ast.parse(source or "", mode="eval").body
    except SyntaxError:
        tree = None
    given = [*map(word, operands)]
    if isinstance(tree, ast.Lambda) and not (attributes or tree.args.kwonlyargs):
        taken, defaults = [a.arg for a in tree.args.args], [*map(ast.unparse, tree.args.defaults)]
        filled = given + defaults[len(defaults) + len(given) - len(taken) :]
        if len(filled) == len(taken):
            return clean(ast.unparse(_Renamed(dict(zip(taken, filled))).visit(tree.body)), LONGEST)
    name = f if isinstance(f, str) else getattr(f, "__name__", source or type(f).__name__)
    if not name.isidentifier() and source != name:  # a lambda that somebody else holds
        name = source if (source or "").isidentifier() else "f"
    inside = [*given, *(f"{key}={word(x)}" for key, x in attributes.items())]
    return clean(f"{name}({', '.join(inside)})", LONGEST)

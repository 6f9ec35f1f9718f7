"""A call of an operation by name or of a function, with its tensors, and as a program writes it."""

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from typing import Any

import numpy as np

from ... import nn
from ...arguments.explain import refuse_misfit
from ...dispatch.registry import PUBLIC
from ...errors import ArgumentTypeError, ArgumentValueError, is_torch
from ...ir.text import clean
from ...ops.creation import from_numpy
from ...tensor import Tensor
from ...tensor.table import fill

LONGEST = 80
"""The most characters of a program; a longer one is cut."""

MANY = 10**6
"""An operation on more cells than that is not run."""


def function(f: str | Callable) -> Callable:
    """Returns rustyflow's function of a name, or of PyTorch's or NumPy's function of that name.

    Raises:
        TypeError: neither a name nor a function. ValueError: no operation of this name.

    >>> import numpy as np
    >>> function(np.ndarray.cumsum) is function(np.cumsum) is function("cumsum")
    True
    """
    library = library_of(f)
    if callable(f) and not library:
        return f
    name = getattr(f, "__name__", "") if library else f
    if not isinstance(name, str):
        raise ArgumentTypeError(f"f={f!r:.60}", "f is an operation by name, or a function", "'softmax'", value=f)
    if library and (not name or isinstance(f, type)):  # a module, or a class of modules
        kind = f.__name__ if isinstance(f, type) else type(f).__name__
        ours = f"rustyflow.nn.{kind}" if hasattr(nn, kind) else "a function of rustyflow's"
        form = clean(f"rustyflow.nn.{f!r}", 70) if hasattr(nn, kind) and not isinstance(f, type) else f"{ours}(...)"
        raise ArgumentTypeError(f"f is {library}'s {kind}", "a figure follows operations of rustyflow's",
                                form if hasattr(nn, kind) else ours)  # fmt: skip
    fill()
    name = ALSO.get(name, name.removeprefix("__").removesuffix("__")) if library else name
    operation = named(name)
    if operation and name.endswith("_"):
        plain = name.rstrip("_")
        write = repr(plain) if named(plain) else f"show.op(lambda x: x.clone().{name}(...), x)"
        rule = "a figure shows what a result reads, and its operands stay as they are"
        raise ArgumentValueError(f"{name}, which writes to its operand", rule, write)
    if operation is None:
        near = get_close_matches(name, PUBLIC, 3) or ["gather", "conv2d", "softmax"]
        was = f"{library}'s {name}" if library else f"f={name!r:.60}"
        raise ArgumentValueError(was, "f is an operation of rustyflow", ", ".join(map(repr, near)))
    return operation


ALSO = {"power": "pow", "special_expit": "sigmoid", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder",
        "__pow__": "pow", "__truediv__": "div", "__floordiv__": "floor_divide", "__mod__": "remainder"}  # fmt: skip
"""PyTorch's and NumPy's other names for operations."""


def library_of(f: Any) -> str:
    """The library of a function, method or module, 'torch' or 'numpy', however they make these; else ''.

    >>> import numpy as np
    >>> [library_of(f) for f in (np.add, np.ndarray.sum, np.ones(2).sum, np.linalg.norm, len, "add")]
    ['numpy', 'numpy', 'numpy', 'numpy', '', '']
    """
    if isinstance(f, str) or hasattr(f, "shape"):
        return ""
    owner = getattr(f, "__self__", None)
    owners = (f, getattr(f, "__objclass__", None), owner, type(owner), type(f))
    modules = (str(getattr(x, "__module__", "") or "").partition(".")[0] for x in owners)
    return next((module for module in modules if module in ("torch", "numpy")), "")


OTHERWISE = {"var": ("var", {"correction": 0}), "std": ("std", {"correction": 0}), "median": ("quantile", {"q": 0.5}),
             "repeat": ("repeat_interleave", {})}  # fmt: skip
"""What NumPy's functions are here that mean something else under their own name."""


def as_ours(f: Any, operands: Sequence, attributes: Mapping) -> tuple[Any, Mapping]:
    """Returns NumPy's function as rustyflow's that computes the same, tried on these operands unless they are large.

    Raises:
        ValueError: rustyflow's function of that name gives something else.

    >>> as_ours(np.std, [np.ones(2)], {})
    ('std', {'correction': 0})
    """
    if library_of(f) != "numpy" or not getattr(f, "__name__", ""):
        return f, attributes
    name, more = OTHERWISE.get(f.__name__, ("", {}))
    ours, given = name or f, {**more, **attributes}
    tensors = tensors_in((operands, attributes))
    if all(isinstance(x, np.ndarray) and x.size <= MANY for x in tensors):
        with suppress(Exception):  # what cannot be run is refused where it is drawn
            copies = [np.array(x) for x in tensors]
            theirs = call_with(f, operands, attributes, tensors, *copies)
            result = call_with(function(ours), operands, given, tensors, *map(from_numpy, copies))
            result = np.asarray((result[0] if isinstance(result, tuple) else result).detach())
            if np.shape(theirs) != result.shape or not np.allclose(theirs, result, 1e-4, 1e-6, equal_nan=True):
                ours = None
    if ours is None:
        raise ArgumentValueError(f"NumPy's {f.__name__}", "rustyflow's function of that name gives something else",
                                 "rustyflow's functions in a lambda: show.op(lambda x: x.flatten(), x)")  # fmt: skip
    return ours, given


def named(name: str) -> Callable | None:
    """The operation of a name: rustyflow's function, or a tensor's method."""
    places = PUBLIC.get(name), *(getattr(place, name, None) for place in (nn.functional, Tensor))
    return next(filter(callable, places), None) if name and not name.startswith("_") else None


KEYWORDS = "names", "title", "upstream", "one_by_one"
"""The arguments of show.op that are its own, and none of the operation's."""


def fits(f: Callable, operands: Sequence, attributes: Mapping) -> None:
    """Refuses a call that does not fit a reader's function, or a keyword that is nearly one of show.op's.

    Of what else does not fit, an operation says so itself.

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


PLAIN = {"input": "x", "self": "x", "other": "", "tensors": "", "tensor": "", "mat2": ""}
"""What is no name of its own among the parameters of operations, and what is put in its place."""


def parameters(f: Any, operands: Sequence, attributes: Mapping, tensors: Sequence) -> list[str]:
    """The names of an operation's parameters, for tensors that have no other; none if they tell nothing.

    >>> x, w = np.ones((1, 1, 3)), np.ones((1, 1, 2))
    >>> parameters(nn.functional.conv1d, [x, w], {}, [x, w]), parameters("add", [x, w], {}, [x, w])
    (['x', 'weight'], [])
    """
    call = named(f) if isinstance(f, str) else f
    if library_of(f) != "torch" and not str(getattr(call, "__module__", "")).startswith("rustyflow"):
        return []
    try:
        taken = signature(call).bind_partial(*operands, **attributes).arguments
    except (TypeError, ValueError):  # an op in C tells none
        return []
    of = {id(x): PLAIN.get(name, name) for name, x in taken.items()}
    found = [of.get(id(x), "") for x in tensors]
    return found if any(name not in ("", "x") for name in found) else []


def tensors_in(x: Any) -> list[Any]:
    """The tensors and arrays in arguments, in order, each once."""
    if is_torch(x) or hasattr(x, "shape") and hasattr(x, "dtype"):
        return [x]
    parts = x.values() if isinstance(x, Mapping) else x if isinstance(x, list | tuple) else ()
    tensors: list[Any] = []
    for part in parts:
        tensors += [t for t in tensors_in(part) if not any(t is other for other in tensors)]
    return tensors


def call_with(f: Callable, operands: Sequence, attributes: Mapping, tensors: Sequence, *instead: Any) -> Any:
    """Calls the operation with `instead` in the place of the tensors in its arguments."""

    def put(x: Any) -> Any:
        for tensor, new in zip(tensors, instead):
            if x is tensor:
                return new
        if isinstance(x, Mapping):
            return {key: put(part) for key, part in x.items()}
        return type(x)(map(put, x)) if type(x) in (list, tuple) else x

    return f(*put(tuple(operands)), **put(dict(attributes)))


def taken_out(f: Callable) -> str:
    """The method by which a function takes numbers out of tensors, if it does.

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
    """Returns a call as a program, such as `conv2d(x, w, stride=2)`; of a lambda what it computes."""

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

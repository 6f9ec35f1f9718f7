"""The words of which figures' sentences are made: counts, lists, names, calls."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "floor_divide": "//", "remainder": "%", "eq": "==",
    "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip
"""What is written between its operands."""

NUMPY = {"dim": "axis", "keepdim": "keepdims", "correction": "ddof"}
"""What NumPy calls PyTorch's arguments."""


def many(n: int, word: str) -> str:
    """Returns a count with its word: `1 slot`, `2 slots`, `2 boxes`."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}{'es' if word.endswith('ox') else 's'}"


def articled(word: str) -> str:
    """Returns a word with its article: `an int`, `a float`, `a uint8`."""
    return f"{'an' if word[:1] in ('a', 'e', 'i', 'o') else 'a'} {word}"


def listed(items: Sequence[str], most: int = 6) -> str:
    """Returns `a, b and c`; of a long list its beginning and its length, of an empty one `nothing`."""
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    if len(items) < 2:
        return items[0] if items else "nothing"
    return ", ".join(items[:-1]) + " and " + items[-1]


def indexed(name: str, index: Sequence[int]) -> str:
    """Returns `a[1, 2]`; for a number without axes its name alone."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def gradient(name: str, inner: bool = False) -> str:
    """Returns the name of a gradient: `w.grad`, and `d(b.T)` of an expression.

    What an operation made (`inner`) keeps no gradient either, and is named as an expression.

    >>> gradient("self.w"), gradient("b.T"), gradient("(a + 1)"), gradient("x[1]"), gradient("layers[1].bias")
    ('self.w.grad', 'd(b.T)', 'd(a + 1)', 'd(x[1])', 'layers[1].bias.grad')
    >>> gradient("mean", inner=True)
    'd(mean)'
    """
    if inner or re.search(r"[()]|\[[^]'\"]*:|\.m?T$|\[[^]'\"]*\]$", name):
        return f"d{name}" if name[:1] == "(" and name[-1:] == ")" else f"d({name})"
    return f"{name}.grad"


def call_of(name: str, op: str, arguments: Mapping[str, object], array: bool = False) -> str:
    """Returns a call of a method as PyTorch writes it; of an array as NumPy does.

    NumPy has some as functions only.

    >>> call_of("x", "sum", {"dim": 1, "keepdim": True}), call_of("a", "amax", {"dim": 1}, array=True)
    ('x.sum(dim=1, keepdim=True)', 'np.amax(a, axis=1)')
    """
    parts = [f"{NUMPY[word] if array else word}={value}" for word, value in arguments.items()]
    if array and not hasattr(np.ndarray, op):
        return f"{'np.' * hasattr(np, op)}{op}({', '.join([name, *parts])})"
    return f"{name}.{op}({', '.join(parts)})"


def names_in(texts: Iterable[str]) -> set[str]:
    """Returns the names that programs use, without those of attributes and of arguments.

    >>> sorted(names_in(["k[:, :1]", "relu(x.g, dim=i)", "w['j']"]))
    ['i', 'k', 'relu', 'w', 'x']
    """
    quoted = r"'[^']*'|\"[^\"]*\""
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*(?![\w]|=[^\s=])", re.sub(quoted, "", " ".join(texts))))


def arriving(texts: Iterable[str]) -> str:
    """Returns the name of the gradient that arrives: `g`, if nothing else in these texts is called so.

    >>> arriving(["x", "w.g"]), arriving(["y", "g[0]"])
    ('g', 'up')
    """
    taken = names_in(texts)
    return next((word for word in ("g", "up", "upstream") if word not in taken), "arriving")


def turned(name: str, batch: bool = False) -> str:
    """Returns the transpose of a matrix, or of each matrix of a batch, as written: `a.T`, or `a` of `a.T`.

    >>> turned("a"), turned("a.T"), turned("a", batch=True)
    ('a.T', 'a', 'a.mT')
    """
    if name.endswith((".T", ".mT")):
        return name.rpartition(".")[0]
    return f"{name}.mT" if batch else f"{name}.T"


def written(op: str, parts: Sequence[str], within: Callable[[str], str] = str) -> str:
    """Returns an operation as a program writes it; `within` is the form of a part beside a sign.

    >>> written("mul", ["a", "b"]), written("*", ["a", "b"]), written("maximum", ["a", "b"])
    ('a * b', 'a * b', 'maximum(a, b)')
    """
    symbol = SYMBOLS.get(op, "" if op.isidentifier() else op)
    return f" {symbol} ".join(map(within, parts)) if symbol else f"{op}({', '.join(parts)})"

"""Words that sentences of figures are made of: how many, and which."""

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
    """`1 slot`, `2 slots`."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def listed(items: Sequence[str], most: int = 6) -> str:
    """`a, b and c`; of a long list its beginning and its length, of an empty one `nothing`."""
    if len(items) > most:
        return ", ".join(items[:most]) + f" and {len(items) - most} more"
    if len(items) < 2:
        return items[0] if items else "nothing"
    return ", ".join(items[:-1]) + " and " + items[-1]


def indexed(name: str, index: Sequence[int]) -> str:
    """`a[1, 2]`; a number without axes by its name alone."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def gradient(name: str, inner: bool = False) -> str:
    """What the gradient of something is called: `w.grad`, and `d(b.T)` of an expression or of what an operation made
    (`inner`), which keep none.

    >>> gradient("self.w"), gradient("b.T"), gradient("(a + 1)"), gradient("x[1]"), gradient("layers[1].bias")
    ('self.w.grad', 'd(b.T)', 'd(a + 1)', 'd(x[1])', 'layers[1].bias.grad')
    >>> gradient("mean", inner=True)
    'd(mean)'
    """
    if inner or re.search(r"[()]|\[[^]'\"]*:|\.m?T$|\[[^]'\"]*\]$", name):
        return f"d{name}" if name[:1] == "(" and name[-1:] == ")" else f"d({name})"
    return f"{name}.grad"


def call_of(name: str, op: str, arguments: Mapping[str, object], array: bool = False) -> str:
    """A call of a method as PyTorch writes it; of an array as NumPy does, which has some as functions only.

    >>> call_of("x", "sum", {"dim": 1, "keepdim": True}), call_of("a", "amax", {"dim": 1}, array=True)
    ('x.sum(dim=1, keepdim=True)', 'np.amax(a, axis=1)')
    """
    parts = [f"{NUMPY[word] if array else word}={value}" for word, value in arguments.items()]
    if array and not hasattr(np.ndarray, op):
        return f"{'np.' * hasattr(np, op)}{op}({', '.join([name, *parts])})"
    return f"{name}.{op}({', '.join(parts)})"


def names_in(texts: Iterable[str]) -> set[str]:
    """The names that programs use, without those of attributes and of arguments.

    >>> sorted(names_in(["k[:, :1]", "relu(x.g, dim=i)", "w['j']"]))
    ['i', 'k', 'relu', 'w', 'x']
    """
    quoted = r"'[^']*'|\"[^\"]*\""
    return set(re.findall(r"(?<![\w.])[^\W\d]\w*(?![\w]|=[^\s=])", re.sub(quoted, "", " ".join(texts))))


def arriving(texts: Iterable[str]) -> str:
    """What a figure that writes all this calls the gradient that arrives: `g`, if nothing else is called so.

    >>> arriving(["x", "w.g"]), arriving(["y", "g[0]"])
    ('g', 'up')
    """
    taken = names_in(texts)
    return next((word for word in ("g", "up", "upstream") if word not in taken), "arriving")


def turned(name: str, batch: bool = False) -> str:
    """The transpose of a matrix, or of each matrix of a batch, as it is written: `a.T` of a, and `a` of `a.T`.

    >>> turned("a"), turned("a.T"), turned("a", batch=True)
    ('a.T', 'a', 'a.mT')
    """
    if name.endswith((".T", ".mT")):
        return name.rpartition(".")[0]
    return f"{name}.mT" if batch else f"{name}.T"


def written(op: str, parts: Sequence[str], within: Callable[[str], str] = str) -> str:
    """An operation as a program writes it; `within` is how a part of it stands beside a sign.

    >>> written("mul", ["a", "b"]), written("*", ["a", "b"]), written("maximum", ["a", "b"])
    ('a * b', 'a * b', 'maximum(a, b)')
    """
    symbol = SYMBOLS.get(op, "" if op.isidentifier() else op)
    return f" {symbol} ".join(map(within, parts)) if symbol else f"{op}({', '.join(parts)})"

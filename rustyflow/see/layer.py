"""A layer that is called in a reader's line, to be made anew for an input of another size."""

import ast
import inspect
import re
from typing import Any, NamedTuple

from .failure import Failure
from .outside import ALLOWED, root

MOST = 10_000_000
"""The most numbers that a layer keeps which is made to be tried."""

SIDES = ("kernel_size", "stride", "padding", "dilation")
"""The arguments of which layers tell (3, 3) where they were made with 3."""


class Layer(NamedTuple):
    """A layer of a library, and the call that makes it.

    `takes` is the first size that it was made for, 0 where none is known; `each` how many numbers it keeps for each
    of that size.
    """

    takes: int = 0
    call: ast.Call | None = None
    each: int = 0

    def taking(self, n: int) -> ast.Call | None:
        """The call that makes the layer for another first size; None where that would be too large to try."""
        if not 0 < n * max(1, self.each) <= MOST:
            return None
        first = ast.Constant(n)
        return ast.Call(self.call.func, [first, *self.call.args[1:]], self.call.keywords)


def layer_of(failure: Failure) -> Layer:
    """Returns the layer that an operation called, from what that tells of itself."""
    func = getattr(failure.form, "func", None)
    if not isinstance(func, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
        return Layer()
    try:
        return made_like(failure.value(func), failure)
    except Exception:  # what is called cannot be had a second time
        return Layer()


def made_like(layer: Any, failure: Failure) -> Layer:
    """Returns what a layer tells of itself: the size that it takes, and the call that makes it."""
    kind = type(layer)
    try:
        told = ast.parse(f"it({layer.extra_repr()})", mode="eval").body
        name = _name(failure, kind)
        if not name or root(kind) not in ALLOWED:
            return Layer()
        made = _plain(told, kind, name)
        return made._replace(each=sum(x.numel() for x in layer.parameters()) // made.takes)
    except Exception:  # what is called is no layer, or one that tells nothing
        return Layer()


def _name(failure: Failure, kind: type) -> str:
    """The reader's name of a kind of layer: `nn.Linear`, or `torch.nn.Linear`; "" where no name leads to it."""
    names = {f"{name}.{kind.__name__}": value for name, value in failure.readers.items()}
    names |= {f"{name}.nn.{kind.__name__}": getattr(value, "nn", None) for name, value in failure.readers.items()
              if inspect.ismodule(value)}  # fmt: skip
    fits = [text for text, value in names.items() if inspect.ismodule(value) and vars(value).get(kind.__name__) is kind]
    return min(fits, key=len, default="")


def _plain(told: ast.Call, kind: type, name: str) -> Layer:
    """The call of a layer as a reader writes it: sizes by place, and no argument that is the default."""
    usual = {key: parameter.default for key, parameter in inspect.signature(kind).parameters.items()}
    args, keywords = [*told.args], []
    for keyword in told.keywords:
        value = ast.literal_eval(keyword.value)
        if keyword.arg in SIDES and len({*value}) == 1:
            value = value[0]
        if usual.get(keyword.arg) is inspect.Parameter.empty:
            args.append(ast.Constant(value))
        elif value != usual.get(keyword.arg):
            keywords.append(ast.keyword(keyword.arg, ast.Constant(value)))
    sizes = re.match(r"\(?(\d+)", ast.unparse(args[0]))
    return Layer(int(sizes[1]), ast.Call(ast.parse(name, mode="eval").body, args, keywords))

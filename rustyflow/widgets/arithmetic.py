"""Arithmetic on named tensors, as it is typed: parsed by `ast`, and nothing but listed operations ever runs."""

import ast
import operator
from collections.abc import Callable, Mapping
from math import isfinite, prod
from typing import Any

from ..dispatch.registry import PUBLIC
from ..errors import ArgumentValueError
from ..tensor import Tensor
from ..tensor.table import fill
from .typed import plain

LONGEST, MOST = 200, 4096
"""The characters of an expression, and the cells that any of its results may have."""

SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul,
}  # fmt: skip

METHODS = frozenset(
    "abs amax amin clamp cos exp flatten log max maximum mean min minimum neg prod relu reshape sigmoid sin softmax "
    "sqrt square squeeze std sum t tanh transpose unsqueeze var view".split()
)
"""What may be called, on a tensor or as a function of tensors: nothing that makes many cells of few."""


class Unfinished(ArgumentValueError):
    """An expression that does not parse: the beginning of one, most likely."""


def evaluate(text: str, tensors: Mapping[str, Tensor]) -> Tensor:
    """Returns the value of an expression over named tensors, recorded as any program is.

    Args:
        text: `+ - * / ** @`, numbers, names, `.T`, `.mT`, and the methods of `METHODS` with numbers as arguments.
        tensors: what the names stand for.

    Raises:
        ValueError: text that is no such expression; `Unfinished` where it does not parse. RuntimeError: shapes that do
        not fit.

    Example:
        >>> import rustyflow as rf
        >>> evaluate("(a * 2).sum()", {"a": rf.tensor([1.0, 2.0])})
        tensor(6.)
    """
    if len(text) > LONGEST:
        raise ArgumentValueError(f"{len(text)} characters", f"an expression has at most {LONGEST}", "a shorter one")
    plain(text, tensors)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unfinished(_short(text), "it does not read as an expression yet", "e.g. (a * b).sum()") from None
    fill()
    result = _value(tree.body, tensors)
    if not isinstance(result, Tensor):
        raise ArgumentValueError(f"{_short(text)} is a number", "an expression has a tensor in it", ", ".join(tensors))
    return result


def _value(node: ast.AST, tensors: Mapping[str, Tensor]) -> Any:
    match node:
        case ast.Name(id=name):
            if name not in tensors:
                raise ArgumentValueError(f"{name!r}", "a name is one of the tensors here", ", ".join(tensors))
            return tensors[name]
        case ast.Constant(value=bool() | int() | float() as number):
            return _finite(lambda: float(number))  # so that 9 ** 9 ** 9 is too large at once
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, tensors)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, tensors)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            return _applied(SIGNS[type(op)], _value(left, tensors), _value(right, tensors))
        case ast.BinOp(op=ast.BitXor()):
            raise ArgumentValueError(_short(ast.unparse(node)), "a power is written **: ^ is another operation",
                                     f"{ast.unparse(node.left)} ** {ast.unparse(node.right)}")  # fmt: skip
        case ast.Attribute(value=owner, attr="T" | "mT" as attribute):
            return getattr(_tensor(_value(owner, tensors), node), attribute)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in METHODS:
            return _called(getattr(_tensor(_value(owner, tensors), node), name), node, tensors)
        case ast.Call(func=ast.Name(id=name), args=[_, *_]) if name in METHODS & PUBLIC.keys():
            return _called(PUBLIC[name], node, tensors)
    raise ArgumentValueError(
        _short(ast.unparse(node)), "an expression is made of tensors, numbers, + - * / ** @ and listed methods",
        ", ".join(sorted(METHODS)[:6]) + " ...",
    )  # fmt: skip


def _called(function: Callable, call: ast.Call, tensors: Mapping[str, Tensor]) -> Any:
    """A listed function; of several results the first."""
    given = [_argument(node, tensors) for node in call.args]
    out = function(*given, **{word.arg: _argument(word.value, tensors) for word in call.keywords if word.arg})
    return out[0] if isinstance(out, tuple) else out


def _argument(node: ast.AST, tensors: Mapping[str, Tensor]) -> Any:
    try:
        plain = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _value(node, tensors)
    many = plain if isinstance(plain, tuple | list) else (plain,)
    if len(many) > 8 or not all(isinstance(part, int | float) and abs(part) <= MOST for part in many):
        raise ArgumentValueError(_short(ast.unparse(node)), "an argument is a small number, or a few", "dim=1")
    return plain


def _applied(sign: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if not isinstance(left, Tensor) and not isinstance(right, Tensor):
        return _finite(lambda: sign(left, right))
    sizes = [tuple(getattr(side, "shape", ())) for side in (left, right)]
    bound = sizes[0][:-1] + sizes[1][-1:] if sign is operator.matmul else [max(pair) for pair in _paired(*sizes)]
    if prod(bound) > MOST:
        raise ArgumentValueError(
            f"{' and '.join(map(str, sizes))}", f"a result has at most {MOST:,} cells here", "smaller tensors"
        )
    return sign(left, right)


def _paired(left: tuple[int, ...], right: tuple[int, ...]) -> list[tuple[int, int]]:
    rank = max(len(left), len(right))
    return list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True))


def _finite(compute: Callable[[], Any]) -> float:
    try:
        number = compute()
    except (OverflowError, ZeroDivisionError, ValueError, TypeError):
        was = "a number that no float holds"
        raise ArgumentValueError(was, "numbers among themselves come to a number below 1e308", "2 ** 10") from None
    if isinstance(number, complex) or not isfinite(number):
        raise ArgumentValueError(f"{number}", "a number is finite", "a number that a float holds")
    return number


def _tensor(x: Any, node: ast.AST) -> Tensor:
    if not isinstance(x, Tensor):
        raise ArgumentValueError(_short(ast.unparse(node)), "a method is one of a tensor", "a.sum()")
    return x


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")

"""Code in what figures say, which Python reads: arguments of calls, and equations in letters."""

import ast
import re
import warnings

CELL = re.compile(r"(?<![\w.])(?:(?:\d+\.\d+|\.\d+|\d+(?=e[+-]?\d))(?:e[+-]?\d+)?|nan|inf)(?!\w|\.\d)")
"""A number of a cell: one with a point, an exponent, nan or inf. Shapes, strides, slots and counts are whole."""

ARGUMENT = re.compile(r"[A-Za-z_]\w*=(?:(?=[.\s]|$)|\([^()]*\)|\[[^][]*\]|'[^']*'|[^\s,()=]*[^\s,()=.:;])")

NAMED = re.compile(r"\bg of (?:[a-z_]\w* (?=%))?|\b[a-z_]\w* (?=%)")
"""Words before a name: `g of mm[0, 1]`, `view %17[0, 1]`."""

LOGIC = ast.BoolOp, ast.Compare, ast.IfExp, ast.Not


def without_arguments(text: str) -> str:
    """A text without `dim=1` and its like; one of a number of a cell's kind is an argument inside of a call alone.

    >>> without_arguments("x.sum(dim=1) is y, keepdims=True or f(p=0.5), with dim=. And b=0.5")
    'x.sum() is y,  or f(), with . And b=0.5'
    """

    def kept(one: re.Match) -> str:
        before = one.string[: one.start()]
        inside = before.count("(") > before.count(")")
        return "" if (inside or not CELL.search(one[0])) and _read(f"f({one[0].removesuffix('=')})") else one[0]

    return ARGUMENT.sub(kept, text)


def without_equations(text: str) -> str:
    """A text without the equations in letters that Python reads, or their left sides alone where they end.

    >>> without_equations("so a.grad=g @ b.T and d(%1)+=2·a:two"), without_equations("y[0]=2·3=6")
    ('so  and :two', 'y[0]=2·3=6')
    >>> without_equations("=t %5[2, 0]·g of mm %6[1, 0]+x[1]·g of y[1]")
    ''
    """
    while "=" in text:
        left, _, right = text.partition("=")
        left = left.rstrip("+-")  # d(x) += g
        starts = [m.end() for m in re.finditer(r"^|[\s:;,]", left) if _is_of_letters(left[m.end() :])]
        starts = starts if left else [0]  # of what stands in the line above
        ends = [m.start() for m in re.finditer(r"$|[\s:;,.']", right) if _is_of_letters(right[: m.start()])]
        if re.search(r"\bd\([%\w]+\)$", left) and re.match(r"0(?![^\s,])", right):  # it sends nothing
            ends.append(1)
        if not starts or right and not ends:
            break
        text = left[: starts[0]] + right[max(ends, default=0) :]
    return text


def _is_of_letters(code: str) -> bool:
    """True for an expression with names that has no number of a cell; it may go on in the next line."""
    code = re.sub(r"%(\w)", r"_\1", NAMED.sub("_", code)).replace("·", "*").replace("¶", "_").strip().rstrip("+*/@,(")
    code += "".join(")" * (code.count("(") - code.count(")")))
    tree = None if CELL.search(code) else _read(code)
    nodes = [*ast.walk(tree)] if tree else []
    named = any(isinstance(node, ast.Name) or getattr(node, "value", 0) is ... for node in nodes)  # a = ...
    return named and not any(isinstance(node, LOGIC) for node in nodes)


def _read(code: str) -> ast.AST | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code, mode="eval")
        except (SyntaxError, ValueError):
            return None

"""The language of formulas: `A where C, else B`, `A, B where C`, `is`, definitions behind `with`; else it is Python's.

A reduced axis counts as kept. The functions are NumPy's under the names that formulas use.
"""

import ast
import math
import re

import numpy as np

from rustyflow.ir.formula import rules
from tests.formulas.sentences import FUNCTIONS as MOVING, meaning

PHRASES = (
    (r"\bx\[target\]", "x[there]"),
    (r", (repeated|summed|added up)( [a-z ]+)?$", ""),  # what shapes ask for anyway
    (r"^sum over k >= i of (.*)$", r"sum([\1 for k in range(i, len(x))])"),
    (r"(\w+\[[^\]]*\]) without \w+\[i\]", r"without(\1, i)"),
    (r"the product of all other cells", "others(x, dim)"),
    (r"g shared equally by the cells that are the (largest|smallest)", "g * (x == y) / sum(x == y, dim, True)"),
    (r"^(\w+) on the diagonal, 0 elsewhere$", r"\1 * eye(*x.shape)"),
    (r"^(\w+) (on and|and) (below|above) the diagonal, 0 (above|below)$", r"\3_diagonal(\1, diagonal)"),
    (r"^(\w+) on and (below|above) the diagonal(, 0 (above|below))?$", r"\2_diagonal(\1, diagonal)"),
)


def parts_at_top(text: str, separator: str) -> list[str]:
    """Split where no bracket is open."""
    found, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and text.startswith(separator, k):
            found.append(text[start:k])
            start = k + len(separator)
    return [*found, text[start:]]


def expression(text: str) -> str:
    """A formula as a Python expression.

    >>> expression("g where a > b, g / 2 where a == b, else 0")
    'where(a > b, g, where(a == b, g / 2, 0))'
    >>> expression("g * log(b), 0 where a is 0")
    'where(a == 0, 0, g * log(b))'
    """
    if (said := meaning(text.strip())) is not None:
        return said
    text = nested(text.strip())
    for words, said in PHRASES:
        text = re.sub(words, said, text)
    value, *rest = parts_at_top(text, " where ")
    if not rest:
        return text
    condition, *otherwise = parts_at_top(" where ".join(rest), ", ")
    condition = re.sub(r"\bis\b", "==", condition)
    usual, *exception = parts_at_top(value, ", ")
    if exception:
        assert not otherwise
        return f"where({condition}, {exception[0]}, {usual})"
    return f"where({condition}, {value}, {expression(', '.join(otherwise).removeprefix('else '))})"


def nested(text: str) -> str:
    """Each `A where C, else B` inside brackets first."""
    inner = next((m for m in re.finditer(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text) if " where " in m[1]), None)
    return text if inner is None else nested(text[: inner.start(1)] + expression(inner[1]) + text[inner.end(1) :])


class Cells(ast.NodeTransformer):
    """`a and b` and `low <= x <= high` cell by cell."""

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        join = "both" if isinstance(node.op, ast.And) else "either"
        return ast.Call(ast.Name(join, ast.Load()), node.values, [])

    def visit_Compare(self, node):
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        pairs = [ast.Compare(a, [op], [b]) for a, op, b in zip(sides, node.ops, sides[1:], strict=False)]
        return pairs[0] if len(pairs) == 1 else ast.Call(ast.Name("both", ast.Load()), pairs, [])


def said_of(doc: str) -> tuple[dict[str, str], dict[str, str]]:
    """The rules of an op without what stands behind `with`, and that, which holds for all of them."""
    formula, definitions = {}, {}
    for left, right in rules(doc).items():
        formula[left], *known = re.split(r" with (?=\w+ = )", right, maxsplit=1)
        for definition in parts_at_top(known[0], ", ") if known else ():
            name, _, value = definition.partition(" = ")
            definitions[name.strip()] = value
    return formula, definitions


def evaluate(text: str, names: dict, definitions: dict = {}):  # noqa: B006 - never written to
    """The value of a formula, after its definitions."""
    for name, value in definitions.items():
        if re.search(rf"\b{name}\b", text):
            others = {key: said for key, said in definitions.items() if key != name}
            names = {**names, name: evaluate(value, names, others)}
    tree = ast.fix_missing_locations(Cells().visit(ast.parse(expression(text), mode="eval")))
    with np.errstate(all="ignore"):
        return eval(compile(tree, text, "eval"), {"__builtins__": {}, **names})  # our own docstrings


def lined(f):
    """A reduction in PyTorch's words, whose axes stay."""
    return lambda x, dim=None, keepdim=True: f(np.asarray(x), axis=dim, keepdims=True)


def others(x, dim):
    """The product of all cells of a line but each one."""
    axes = tuple(range(x.ndim)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    out = np.empty_like(x)
    for at in np.ndindex(*x.shape):
        line = x[tuple(slice(None) if d in axes else i for d, i in enumerate(at))]
        without = np.ones(line.shape, bool)
        without[tuple(i for d, i in enumerate(at) if d in axes)] = False
        out[at] = np.prod(line[without])
    return out


FUNCTIONS = {
    **MOVING,
    **{
        name: getattr(np, name)
        for name in (
            "exp log log2 log10 sqrt sin cos tan sinh cosh tanh abs sign floor trunc ceil where maximum minimum"
        ).split()
    },
    "round": np.round,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "pi": math.pi,
    "min": np.minimum,
    "max": np.maximum,
    "both": lambda *c: np.logical_and.reduce(np.broadcast_arrays(*c)),
    "either": lambda *c: np.logical_or.reduce(np.broadcast_arrays(*c)),
    "first": lambda x, dim: np.split(x, 2, dim)[0],
    "second": lambda x, dim: np.split(x, 2, dim)[1],
    "joined": lambda a, b, dim: np.concatenate([a, b], dim),
    "sum": lined(np.sum),
    "prod": lined(np.prod),
    "mean": lined(np.mean),
    "amax": lined(np.max),
    "amin": lined(np.min),
    "var": lambda x, dim, correction: np.var(x, axis=dim, ddof=correction, keepdims=True),
    "outer": lambda a, b: a[..., :, None] * b[..., None, :],
    "cross": lambda a, b, dim: np.cross(a, b, axis=dim),
    "einsum": np.einsum,
    "inverse": np.linalg.inv,
    "det": np.linalg.det,
    "eigenvalues": lambda x: np.linalg.eigvalsh((x + x.mT) / 2),  # a change of one cell is shared with its mirror image
    "eigenvectors": lambda x: np.linalg.eigh((x + x.mT) / 2)[1],
    "others": others,
    "len": len,
    "range": range,
    "without": lambda line, i: np.delete(line, i),
    "diag": np.diag,
    "eye": np.eye,
    "below_diagonal": np.tril,
    "above_diagonal": np.triu,
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    "one_hot": lambda t: np.eye(4)[t.ravel()],
}

"""Each op's first docstring line, `y = ...        da = ...`, is evaluated: `y` against the op's forward, `da` against central differences of
the formula's own `y` under a random upstream gradient, and against the op's backward; in float64, over strided operands.

The language of formulas is Python's, with `A where C, else B`, `A, B where C`, `is`, and definitions behind `with`.
A reduced axis counts as kept, and a gradient is summed over, or repeated along, what its operand's shape asks for.
"""

import ast
import math
import re
import zlib

import numpy as np
import pytest

import rustyflow as rf
import rustyflow.nn.functional  # noqa: F401 - fills the op table
from rustyflow.ir.formula import rules
from rustyflow.ops import OPS, apply
from rustyflow.table import fill

fill()

STEP = 1e-6

# The language

PHRASES = (
    (r", (repeated|summed|added up)( [a-z ]+)?$", ""),  # what shapes ask for anyway
    (r"^sum over k >= i of (.*)$", r"sum([\1 for k in range(i, len(x))])"),
    (r"(\w+\[[^\]]*\]) without \w+\[i\]", r"without(\1, i)"),
    (r"the product of all other cells", "others(x, dim)"),
    (r"g shared equally by the cells that are the (largest|smallest)", "g * (x == y) / sum(x == y, dim, True)"),
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
    text = nested(text.strip())
    for words, meaning in PHRASES:
        text = re.sub(words, meaning, text)
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
    return text if inner is None else nested(text[:inner.start(1)] + expression(inner[1]) + text[inner.end(1):])


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
        formula[left], *known = parts_at_top(right, " with ")
        for definition in parts_at_top(known[0], ", ") if known else ():
            name, _, meaning = definition.partition(" = ")
            definitions[name.strip()] = meaning
    return formula, definitions


def evaluate(text: str, names: dict, definitions: dict = {}):  # noqa: B006 - never written to
    """The value of a formula, after its definitions."""
    for name, meaning in definitions.items():
        names = {**names, name: evaluate(meaning, names)}
    tree = ast.fix_missing_locations(Cells().visit(ast.parse(expression(text), mode="eval")))
    with np.errstate(all="ignore"):
        return eval(compile(tree, text, "eval"), {"__builtins__": {}, **names})  # noqa: S307 - our own docstrings


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
    **{name: getattr(np, name) for name in "exp log log2 log10 sqrt sin cos tan sinh cosh tanh abs sign floor trunc ceil where maximum minimum".split()},
    "round": np.round, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "atan2": np.arctan2, "erf": np.vectorize(math.erf, otypes=[float]), "pi": math.pi, "min": np.minimum, "max": np.maximum, "both": lambda *c: np.logical_and.reduce(np.broadcast_arrays(*c)),
    "either": lambda *c: np.logical_or.reduce(np.broadcast_arrays(*c)), "sum": lined(np.sum), "prod": lined(np.prod), "mean": lined(np.mean), "amax": lined(np.max), "amin": lined(np.min),
    "var": lambda x, dim, correction: np.var(x, axis=dim, ddof=correction, keepdims=True), "outer": lambda a, b: a[..., :, None] * b[..., None, :], "inverse": np.linalg.inv, "det": np.linalg.det,
    "others": others, "len": len, "range": range, "without": lambda line, i: np.delete(line, i), "below_diagonal": np.tril, "above_diagonal": np.triu, "softmax": lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True), "one_hot": lambda t: np.eye(3)[t],
}

# What each op is tried on: shapes and domains of its operands, and its attributes

AWAY = "away"          # from whole and half numbers, where steps and corners are
ABOVE = "above 0"
UNIT = "within 1"
OVER_ONE = "above 1"
REGULAR = "a matrix with an inverse"
BOOLS, SHARE = "bools", "0 to 1"
ROWS = (3, 4)
ALL_DIMS = [{"dim": None, "keepdim": False}, {"dim": (1,), "keepdim": False}, {"dim": (0,), "keepdim": True}]


def unary(*names, domain=AWAY, **attrs):
    return {name: ([(ROWS, domain)], [attrs]) for name in names}


def pairs(*names, domains=(AWAY, AWAY), **attrs):
    return {name: ([((3, 1, 2), domains[0]), ((4, 1), domains[1])], [attrs]) for name in names}


def shaped(name, *shapes, **attrs):
    return {name: ([(shape, AWAY) for shape in shapes], [attrs])}


CASES = {
    **pairs("add", "sub", "mul", "div", "maximum", "minimum", "div_floor", "div_trunc", "remainder", "fmod", "logaddexp", "atan2", "hypot"),
    **pairs("add_scaled", "sub_scaled", alpha=1.5), **pairs("pow", domains=(ABOVE, AWAY)), **pairs("xlogy", domains=(AWAY, ABOVE)),
    "addcmul": ([((3, 1), AWAY), ((4,), AWAY), ((3, 4), AWAY)], [{"value": 0.5}]), "addcdiv": ([((3, 1), AWAY), ((4,), AWAY), ((3, 4), AWAY)], [{"value": 0.5}]),
    "lerp": ([((3, 1), AWAY), ((4,), AWAY), ((), SHARE)], [{}]), "where": ([((3, 1), BOOLS), ((4,), AWAY), ((3, 4), AWAY)], [{}]),
    "clamp": ([((3, 4), AWAY), ((), UNIT), ((4,), OVER_ONE)], [{}]), "fill_mask": ([((3, 4), AWAY), ((3, 4), BOOLS), ((), AWAY)], [{}]),
    "write_where": ([((3, 4), AWAY), ((3, 4), BOOLS), ((), AWAY)], [{}]),
    **unary("neg", "abs", "sign", "reciprocal", "exp", "exp2", "expm1", "erf", "erfc", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "sigmoid", "relu", "floor", "ceil", "trunc", "round", "frac"),
    **unary("log", "log2", "log10", "log1p", "sqrt", "rsqrt", domain=ABOVE), **unary("asin", "acos", "atanh", domain=UNIT), **unary("acosh", domain=OVER_ONE),
    **unary("silu", "mish", "logsigmoid", "hardsigmoid", "hardswish"), **unary("gelu", approximate="none"), **unary("leaky_relu", slope=0.1), **unary("celu", alpha=1.5),
    **unary("elu", alpha=1.5, scale=1.25), **unary("softplus", beta=1.5, threshold=2.0), **unary("hardtanh", low=-0.75, high=1.0), **unary("round_decimals", decimals=1), **unary("zero"),
    "fill": ([((3, 4), AWAY), ((), AWAY)], [{}]), "copy_into": ([((3, 4), AWAY), ((3, 4), AWAY)], [{}]),
    **{name: ([(ROWS, ABOVE)], ALL_DIMS) for name in ("amax", "amin", "logsumexp", "mean")}, "sum": ([(ROWS, AWAY)], [{**how, "dtype": None} for how in ALL_DIMS]),
    "prod": ([(ROWS, AWAY)], [{"dim": None, "keepdim": False, "dtype": None}, {"dim": 1, "keepdim": False, "dtype": None}]),
    **{name: ([(ROWS, ABOVE)], [{**how, "correction": 1} for how in ALL_DIMS]) for name in ("var", "std")}, "vector_length": ([(ROWS, AWAY)], [{"p": 3.0, **how} for how in ALL_DIMS]),
    "mse_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean"}]), "smooth_l1_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean", "beta": 1.5}]),
    "huber_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean", "delta": 1.5}]), "binary_cross_entropy": ([(ROWS, SHARE)] * 3, [{"reduction": "mean"}]),
    "binary_cross_entropy_with_logits": ([(ROWS, AWAY), (ROWS, SHARE), (ROWS, ABOVE), ((4,), ABOVE)], [{"reduction": "mean"}]),
    **{name: ([(ROWS, AWAY)], [{"dim": 0}, {"dim": 1}]) for name in ("softmax", "log_softmax")}, **{name: ([((5,), AWAY)], [{"dim": 0}]) for name in ("cumsum", "cumsum_from_end", "cumprod", "logcumsumexp")},
    **{name: ([((5,), AWAY)], [{"dim": 0, "dtype": None}]) for name in ("cumsum", "cumprod")}, **{name: ([(ROWS, AWAY)], [{"diagonal": -1}, {"diagonal": 1}]) for name in ("tril", "triu")},
    **shaped("mm", (3, 4), (4, 2)), **shaped("bmm", (2, 3, 4), (2, 4, 2)), **shaped("mv", (3, 4), (4,)), **shaped("dot", (4,), (4,)), **shaped("matmul", (2, 1, 3, 4), (2, 4, 2)),
    **shaped("addmm", (3, 2), (3, 4), (4, 2), beta=0.5, alpha=2.0), **shaped("addmv", (3,), (3, 4), (4,), beta=0.5, alpha=2.0), **shaped("addr", (3, 2), (3,), (2,), beta=0.5, alpha=2.0),
    **shaped("baddbmm", (2, 3, 2), (2, 3, 4), (2, 4, 2), beta=0.5, alpha=2.0), **shaped("addbmm", (3, 2), (2, 3, 4), (2, 4, 2), beta=0.5, alpha=2.0), **shaped("linear", (3, 4), (2, 4), (2,)),
    "invert": ([((3, 3), REGULAR)], [{}]), "det": ([((3, 3), REGULAR)], [{}]), "solve_matrix": ([((3, 3), REGULAR), ((3, 2), AWAY)], [{}]),
}

LISTED = {
    "another layout of the same cells": "alias as_strided copy copy_as diagonal expand narrow permute read_alias read_select read_slice read_unsqueeze reshape_copy rows select "
                                        "split_equal split_with_sizes squeeze sum_to t to_dtype transpose unbind unfold unsqueeze view",
    "cells moved, joined or repeated": "cat constant_pad diag_embed flip nan_to_num pad_from repeat roll rot90 shift stack",
    "through the slots of a storage": "copy_slices scatter_through slots_add slots_clear slots_read through",
    "cells named by an index or a mask": "add_at add_slices distinct embedding embedding_rows fill_slices first_places gather index index_clear index_copy index_select index_zeros "
                                         "masked_place pick scatter_add scatter_add_zeros scatter_clear scatter_from scatter_joined scatter_mask scatter_value write_at",
    "one cell of several": "amax_all amin_all max_dim median_all median_dim min_dim sort_along top_along",
    "windows": "avg_pool2d_input avg_pool2d_windows convolution convolution_input convolution_weight max_pool2d_with_indices",
    "classes and statistics": "cross_entropy nll_input nll_loss standardize",
    "matrices": "cholesky_factor sign_and_log spectral",
    "no gradient of their own": "floor_divide step",
}
"""The ops whose formula is in words. Their gradients are held against PyTorch and finite differences elsewhere."""

MOST = 89
"""How many of them there are; it may only fall."""

UNSAID = {"binary_cross_entropy": ("target", "weight"), "binary_cross_entropy_with_logits": ("target", "weight", "pos_weight")}
"""Operands whose gradient a formula leaves out, because it is hardly ever asked for."""


def operand(shape, domain, layout, random):
    """A tensor of the shape, in its domain, read through a layout; not spread over one number where the domain asks for variety."""
    steps = random.integers(-3, 3, shape) + random.uniform(0.1, 0.4, shape) + 0.5 * random.integers(0, 2, shape)
    cells = {AWAY: lambda: steps, ABOVE: lambda: np.abs(steps) + 0.25, UNIT: lambda: steps / 4, OVER_ONE: lambda: np.abs(steps) + 1.1, SHARE: lambda: random.uniform(0.1, 0.9, shape),
             BOOLS: lambda: random.integers(0, 2, shape).astype(bool), REGULAR: lambda: steps / 2 + 4 * np.eye(*shape)}[domain]()
    x = rf.from_numpy(np.array(cells))
    if layout == "transposed":
        return x.permute(tuple(range(x.ndim))[::-1]).contiguous().permute(tuple(range(x.ndim))[::-1])
    if layout == "sliced":
        wide = rf.zeros([2 * n + 1 for n in shape], dtype=x.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in shape)]
        part[...] = x
        return part
    if layout == "repeated" and shape and domain is AWAY:
        return x[:1].expand(shape)
    return x


def fitted(value, shape):
    """Summed over axes that were stretched, repeated along those that were reduced."""
    value = np.asarray(value, float)
    while value.ndim > len(shape):
        value = value.sum(0)
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    over = tuple(d for d, n in enumerate(shape) if n == 1 and value.shape[d] != 1)
    return np.broadcast_to(value.sum(over, keepdims=True), shape)


def keepdims(value, attrs, ndim):
    """A result with its reduced axes as axes of size 1."""
    if "keepdim" not in attrs or attrs["keepdim"]:
        return value
    dims = range(ndim) if attrs["dim"] is None else attrs["dim"] if isinstance(attrs["dim"], tuple) else (attrs["dim"],)
    return np.expand_dims(value, tuple(dims))


def along(text, size, names):
    """`y[i] = ...`, for every i."""
    return np.array([evaluate(text, {**names, "i": i}) for i in range(size)], float).reshape(size)


def test_every_op_is_checked_or_listed():
    listed = [name for names in LISTED.values() for name in names.split()]
    told = {name for name, op in OPS.items() if op.differentiable}
    assert told - set(listed) == set(CASES) and not set(listed) - told, "give a new op a formula and a line in CASES"
    assert len(listed) == len(set(listed)) <= MOST


def test_every_listed_op_has_a_line_all_the_same():
    for names in LISTED.values():
        for name in names.split():
            assert rules(OPS[name].doc), f"{name}: the first docstring line reads `y = ...        da = ...`"


@pytest.mark.parametrize("layout", ["dense", "transposed", "sliced", "repeated"])
@pytest.mark.parametrize("name", CASES)
def test_the_formula_is_the_forward_and_the_backward(name, layout):
    op = OPS[name]
    formula, definitions = said_of(op.doc)
    formula = {left.partition("[")[0]: right for left, right in formula.items()}
    indexed = "[i]" in op.doc.splitlines()[0]
    operands, settings = CASES[name]
    for attrs in settings:
        random = np.random.default_rng(zlib.crc32(f"{name} {layout}".encode()))
        tensors = [operand(shape, domain, layout, random).detach() for shape, domain in operands]
        floats = [k for k, x in enumerate(tensors) if x.is_floating_point()]
        for k in floats:
            tensors[k].requires_grad_()
        y = apply(op, *tensors, **attrs)
        g = random.uniform(-2, 2, y.shape)
        arrays = {op.operands[k]: x.detach().numpy().copy() for k, x in enumerate(tensors)}
        first = arrays[op.operands[0]]
        names = {**FUNCTIONS, **attrs, "n": first.size // max(y.numel(), 1), **SPOKEN.get(name, lambda attrs: {})(attrs), **arrays}

        def value(names, formula=formula, size=first.size, indexed=indexed):
            y_ = along(formula["y"], size, names) if indexed else np.asarray(evaluate(formula["y"], names, definitions), float)
            return y_.reshape(y.shape) if y_.size == y.numel() else np.broadcast_to(y_, y.shape)

        np.testing.assert_allclose(y.detach().numpy(), value(names), rtol=1e-9, atol=1e-12, err_msg=f"{name}: y = {formula['y']}")

        y.backward(rf.from_numpy(g))
        result, upstream = keepdims(y.detach().numpy(), attrs, first.ndim), keepdims(g, attrs, first.ndim)
        inside = {**names, "y": result, "g": upstream}
        for left in sorted([left for left in formula if left.startswith("d") and left[1:] in arrays], key=lambda left: len(re.findall(r"\bd[a-z]\b", formula[left]))):
            inside[left] = fitted(evaluate(formula[left], inside, definitions) if not indexed else along(formula[left], first.size, inside), arrays[left[1:]].shape)
        for k in floats:
            which = op.operands[k]
            if op.grads[k] is None or which in UNSAID.get(name, ()):
                continue
            assert "d" + which in formula, f"{name} has no d{which}"
            moved = np.empty(arrays[which].shape)
            for at in np.ndindex(*moved.shape):
                sides = []
                for step in (STEP, -STEP):
                    other = arrays[which].copy()
                    other[at] += step
                    sides.append(np.sum(value({**names, which: other}) * g))
                moved[at] = (sides[0] - sides[1]) / (2 * STEP)
            said = inside["d" + which]
            np.testing.assert_allclose(said, moved, rtol=2e-6, atol=2e-7, err_msg=f"{name}: d{which} = {formula['d' + which]}, against differences of its own y")
            np.testing.assert_allclose(tensors[k].grad.numpy(), said, rtol=1e-9, atol=1e-11, err_msg=f"{name}: the rule in code, against d{which} = {formula['d' + which]}")


SPOKEN = {
    "hardtanh": lambda attrs: {"min_val": attrs["low"], "max_val": attrs["high"]}, "leaky_relu": lambda attrs: {"negative_slope": attrs["slope"]},
    "softmax": lambda attrs: {"keepdim": True}, "log_softmax": lambda attrs: {"keepdim": True},
}
"""What a formula calls an argument by its public name."""

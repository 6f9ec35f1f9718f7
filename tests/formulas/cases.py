"""What each op is tried on: shapes and domains of its operands, and its attributes; and the ops whose formula is in
words.
"""

import numpy as np

import rustyflow as rf

AWAY = "away"  # from whole and half numbers, where steps and corners are
ABOVE = "above 0"
UNIT = "within 1"
OVER_ONE = "above 1"
REGULAR = "a matrix with an inverse"
SYMMETRIC = "a matrix equal to its transpose"
POSITIVE = "a symmetric matrix with positive eigenvalues"
BOOLS, SHARE = "bools", "0 to 1"
EVERY_OTHER = "every other"
ROW_NUMBERS = "0, 1 or 2"
PLACES = "0, 1 or 2, along the first axis each once"
ROWS = (3, 4)
ALL_DIMS = [{"dim": None, "keepdim": False}, {"dim": (1,), "keepdim": False}, {"dim": (0,), "keepdim": True}]


def unary(*names, domain=AWAY, **attrs):
    return {name: ([(ROWS, domain)], [attrs]) for name in names}


def pairs(*names, domains=(AWAY, AWAY), **attrs):
    return {name: ([((3, 1, 2), domains[0]), ((4, 1), domains[1])], [attrs]) for name in names}


def shaped(name, *shapes, **attrs):
    return {name: ([(shape, AWAY) for shape in shapes], [attrs])}


CASES = {
    **pairs(
        "add",
        "sub",
        "mul",
        "div",
        "maximum",
        "minimum",
        "div_floor",
        "div_trunc",
        "remainder",
        "fmod",
        "logaddexp",
        "atan2",
        "hypot",
        "fmax",
        "fmin",
        "copysign",
    ),
    **pairs("add_scaled", "sub_scaled", alpha=1.5),
    **pairs("pow", domains=(ABOVE, AWAY)),
    **pairs("xlogy", domains=(AWAY, ABOVE)),
    "addcmul": ([((3, 1), AWAY), ((4,), AWAY), ((3, 4), AWAY)], [{"value": 0.5}]),
    "addcdiv": ([((3, 1), AWAY), ((4,), AWAY), ((3, 4), AWAY)], [{"value": 0.5}]),
    "lerp": ([((3, 1), AWAY), ((4,), AWAY), ((), SHARE)], [{}]),
    "where": ([((3, 1), BOOLS), ((4,), AWAY), ((3, 4), AWAY)], [{}]),
    "clamp": ([((3, 4), AWAY), ((), UNIT), ((4,), OVER_ONE)], [{}]),
    "constant_in": ([((3, 4), AWAY), ((3, 4), AWAY)], [{}]),
    "fill_mask": ([((3, 4), AWAY), ((3, 4), BOOLS), ((), AWAY)], [{}]),
    "write_where": ([((3, 4), AWAY), ((3, 4), BOOLS), ((), AWAY)], [{}]),
    **unary(
        "neg",
        "abs",
        "sign",
        "reciprocal",
        "exp",
        "exp2",
        "expm1",
        "erf",
        "erfc",
        "sin",
        "cos",
        "tan",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "sigmoid",
        "relu",
        "floor",
        "ceil",
        "trunc",
        "round",
        "frac",
        "sinc",
        "deg2rad",
        "rad2deg",
    ),
    **unary("log", "log2", "log10", "log1p", "sqrt", "rsqrt", domain=ABOVE),
    **unary("asin", "acos", "atanh", domain=UNIT),
    **unary("acosh", domain=OVER_ONE),
    **unary("silu", "mish", "logsigmoid", "hardsigmoid", "hardswish"),
    **unary("gelu", approximate="none"),
    **unary("leaky_relu", slope=0.1),
    **unary("celu", alpha=1.5),
    **unary("elu", alpha=1.5, scale=1.25),
    **unary("softplus", beta=1.5, threshold=2.0),
    **unary("hardtanh", low=-0.75, high=1.0),
    "glu": ([(ROWS, AWAY)], [{"dim": 1}]),
    **unary("threshold", at=0.5, value=2.0),
    **unary("hardshrink", "softshrink", lambd=0.75),
    "prelu_kernel": ([(ROWS, AWAY), ((4,), AWAY)], [{}]),
    **unary("round_decimals", decimals=1),
    **unary("zero"),
    "fill": ([((3, 4), AWAY), ((), AWAY)], [{}]),
    "copy_into": ([((3, 4), AWAY), ((3, 4), AWAY)], [{}]),
    **{name: ([(ROWS, ABOVE)], ALL_DIMS) for name in ("amax", "amin", "logsumexp")},
    **{name: ([(ROWS, AWAY)], [{**how, "dtype": None} for how in ALL_DIMS]) for name in ("sum", "mean", "nansum")},
    "prod": (
        [(ROWS, AWAY)],
        [{"dim": None, "keepdim": False, "dtype": None}, {"dim": 1, "keepdim": False, "dtype": None}],
    ),
    **{name: ([(ROWS, ABOVE)], [{**how, "correction": 1} for how in ALL_DIMS])
       for name in ("var", "std", "var_mean", "std_mean")},
    "vector_length": ([(ROWS, AWAY)], [{"p": 3.0, "dtype": None, **how} for how in ALL_DIMS]),
    "dist": ([(ROWS, AWAY), ((4,), AWAY)], [{"p": 3.0}]),
    "cross": ([((2, 3), AWAY), ((3,), AWAY)], [{"dim": -1}]),
    "rescale": (
        [(ROWS, AWAY), ((4,), AWAY), ((4,), ABOVE), ((4,), AWAY), ((4,), AWAY)],
        [{"eps": 0.5, "channels": (4,)}],
    ),
    "mse_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean"}]),
    "smooth_l1_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean", "beta": 1.5}]),
    "huber_loss": ([(ROWS, AWAY), ((4,), AWAY)], [{"reduction": "mean", "delta": 1.5}]),
    "soft_margin_loss": ([(ROWS, AWAY), (ROWS, AWAY)], [{"reduction": "mean"}]),
    "binary_cross_entropy": ([(ROWS, SHARE)] * 3, [{"reduction": "mean"}]),
    "binary_cross_entropy_with_logits": (
        [(ROWS, AWAY), (ROWS, SHARE), (ROWS, ABOVE), ((4,), ABOVE)],
        [{"reduction": "mean"}],
    ),
    **{name: ([(ROWS, AWAY)], [{"dim": 0}, {"dim": 1}]) for name in ("softmax", "log_softmax")},
    **{name: ([((5,), AWAY)], [{"dim": 0}]) for name in ("cumsum", "cumsum_from_end", "cumprod", "logcumsumexp")},
    **{name: ([((5,), AWAY)], [{"dim": 0, "dtype": None}]) for name in ("cumsum", "cumprod")},
    **{name: ([(ROWS, AWAY)], [{"diagonal": -1}, {"diagonal": 1}]) for name in ("tril", "triu")},
    **shaped("flash_attention", (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), scale=0.25, causal=False),
    **shaped("trace", (3, 4)),
    **shaped("mm", (3, 4), (4, 2)),
    **shaped("bmm", (2, 3, 4), (2, 4, 2)),
    **shaped("euclidean", (3, 4), (2, 4)),
    "cdist": ([((3, 4), AWAY), ((2, 4), AWAY)], [{"p": 3.0}, {"p": 1.5}, {"p": 2.0}, {"p": np.inf}]),
    **shaped("mv", (3, 4), (4,)),
    **shaped("dot", (4,), (4,)),
    **shaped("addmm", (3, 2), (3, 4), (4, 2), beta=0.5, alpha=2.0),
    **shaped("addmv", (3,), (3, 4), (4,), beta=0.5, alpha=2.0),
    **shaped("addr", (3, 2), (3,), (2,), beta=0.5, alpha=2.0),
    **shaped("baddbmm", (2, 3, 2), (2, 3, 4), (2, 4, 2), beta=0.5, alpha=2.0),
    **shaped("addbmm", (3, 2), (2, 3, 4), (2, 4, 2), beta=0.5, alpha=2.0),
    **shaped("linear", (3, 4), (4, 2), (2,)),
    **shaped("trilinear", (3, 4), (2, 4, 5), (3, 5)),
    "invert": ([((3, 3), REGULAR)], [{}]),
    "det": ([((3, 3), REGULAR)], [{}]),
    "sign_and_log": ([((3, 3), REGULAR)], [{}]),
    "eigen": ([((3, 3), SYMMETRIC)], [{"triangle": "L"}]),
    "svd": ([(ROWS, OVER_ONE)], [{}]),
    "cholesky_factor": ([((3, 3), POSITIVE)], [{"upper": False}]),
    "both_ends": ([(ROWS, AWAY)], [{"dim": (1,), "keepdim": k} for k in (True, False)]),
    "solve_matrix": ([((3, 3), REGULAR), ((3, 2), AWAY)], [{"form": "columns"}]),
    **{name: ([(ROWS, AWAY)], [{}]) for name in ("copy", "copy_as")},
    "to_dtype": ([(ROWS, AWAY)], [{"to": np.dtype("float64")}]),
}

def operand(shape, domain, layout, random):
    """A tensor of the shape, in its domain, read through a layout; not spread over one number where the domain asks
    for variety.
    """
    steps = random.integers(-3, 3, shape) + random.uniform(0.1, 0.4, shape) + 0.5 * random.integers(0, 2, shape)
    cells = {
        AWAY: lambda: steps,
        ABOVE: lambda: np.abs(steps) + 0.25,
        UNIT: lambda: steps / 4,
        OVER_ONE: lambda: np.abs(steps) + 1.1,
        SHARE: lambda: random.uniform(0.1, 0.9, shape),
        BOOLS: lambda: random.integers(0, 2, shape).astype(bool),
        EVERY_OTHER: lambda: np.indices(shape).sum(0) % 2 == 1,
        ROW_NUMBERS: lambda: random.integers(0, 3, shape),
        PLACES: lambda: np.argsort(random.random((3, *shape[1:])), 0)[: shape[0]],
        REGULAR: lambda: steps / 2 + 4 * np.eye(*shape),
        SYMMETRIC: lambda: steps + steps.mT,
        POSITIVE: lambda: (steps + steps.mT) / 8 + 4 * np.eye(*shape),
    }[domain]()
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

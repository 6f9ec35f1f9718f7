"""For every op a call of it to be drawn, on two inputs of other shapes and strides; and what a figure of it need not
hold, with the reason. The ops of `tests.autograd.programs` come with theirs; here the indices are operands, too.
"""

import zlib

import numpy as np

import rustyflow as rf
import rustyflow.nn.functional as f
from rustyflow.ops import OPS, apply
from rustyflow.tensor.table import fill
from tests.autograd import programs
from tests.formulas.cases import ABOVE, AWAY, BOOLS, PLACES, ROW_NUMBERS, ROWS, SHARE, operand

fill()

WHOLE = "whole numbers above 0"
ONE, ROW = (ROWS, AWAY), ((4,), AWAY)
ROWS_OF, WHERE = ((3,), ROW_NUMBERS), ((2, 3), ROW_NUMBERS)
MASK = (ROWS, BOOLS)


def run(name, *operands, **settings):
    """A call of an op by the name it has among ops."""
    return lambda *x: apply(OPS[name], *x, **settings), *operands


def written(x, i, value):
    y = x * 1
    y[i, [1, 3]] = value
    return y


OWN = {
    **{name: run(name, ((3, 1), AWAY), ROW) for name in ("eq", "ne", "lt", "le", "gt", "ge", "floor_divide")},
    **{f"logical_{how}": run(f"logical_{how}", ((3, 1), BOOLS), ((4,), BOOLS)) for how in ("and", "or", "xor")},
    **{f"bitwise_{how}": run(f"bitwise_{how}", ((3, 1), WHOLE), ((4,), WHOLE))
       for how in ("and", "or", "xor", "left_shift", "right_shift")},
    **{name: run(name, ((3, 1), WHOLE), ((4,), WHOLE)) for name in ("gcd", "lcm")},
    **{name: run(name, ONE) for name in ("isfinite", "isinf", "isnan", "signbit")},
    "bitwise_not": run("bitwise_not", (ROWS, WHOLE)),
    "logical_not": run("logical_not", MASK),
    "heaviside": run("heaviside", ONE, ROW),
    "isclose": (lambda x, y: rf.isclose(x, y, 0.2, 0.3), ((3, 1), AWAY), ROW),
    "expand": (lambda x: x.expand(2, *x.shape), ONE),
    "unsafe_view": (lambda x: x.t().reshape(2, -1), ((2, 4), AWAY)),
    "view": (lambda x: x.contiguous().view(2, -1), ((2, 4), AWAY)),
    "convolution": (lambda x, w, b: f.conv2d(x, w, b, stride=2, padding=1),
                    ((1, 2, 3, 4), AWAY), ((2, 2, 2, 2), AWAY), ((2,), AWAY)),
    "convolution grouped": (programs.convolved, *programs.PROGRAMS["convolution"][1:]),
    "all": (lambda x: x.all(1), MASK),
    "any": (lambda x: x.any(0), MASK),
    "argmax": (lambda x: x.argmax(1), ONE),
    "argmin": (lambda x: x.argmin(0), ONE),
    "count_nonzero": (lambda x: x.count_nonzero(1), ONE),
    "sum_to": (lambda x: apply(OPS["sum_to"], x, size=(x.shape[0], 1)), ONE),
    "distinct": (lambda x: x.unique(), ONE),
    "dots": run("dots", ONE, ONE, dim=1),
    "eigenvalues": run("eigenvalues", ((3, 3), SHARE), triangle="L"),
    "singular_values": run("singular_values", ONE),
    "matmul": (lambda x, y: x @ y, ((2, 3, 4), AWAY), ((4, 2), AWAY)),
    "max_pooled": (lambda x: f.max_pool2d(x, 2, 1), ((2, 3, 4), AWAY)),
    "scatter_joined": (lambda x, i, y: x.scatter(1, i, y, reduce="multiply"), ONE, WHERE, ((2, 3), AWAY)),
    "sorted_values": (lambda x: x.msort(), ONE),
    # those that are named by an index or a mask: it is an operand
    "add_at": (lambda x, i, y: x.index_put((i,), y, accumulate=True), ONE, ROWS_OF, ONE),
    "add_slices": (lambda x, i, y: x.index_add(0, i, y), ONE, ROWS_OF, ONE),
    "embedding": (lambda i, x: f.embedding(i, x), ROWS_OF, ONE),
    "embedding_rows": (lambda x, i: apply(OPS["embedding_rows"], x, i, count=4, padding_idx=-1), ONE, ROWS_OF),
    "fill_slices": (lambda x, i, y: x.index_fill(0, i, y), ONE, ((2,), ROW_NUMBERS), ((), AWAY)),
    "gather": (lambda x, i: x.gather(1, i), ONE, WHERE),
    "index": (lambda x, i: x[i, [1, 1, 2]], ONE, ROWS_OF),
    "index_clear": (lambda x, i: apply(OPS["index_clear"], x, dims=(0,), arrays=(i._a,)), ONE, ((2,), ROW_NUMBERS)),
    "index_copy": (lambda x, i, y: x.index_copy(0, i, y), ONE, ((2,), PLACES), ((2, 4), AWAY)),
    "index_select": (lambda x, i: x.index_select(0, i), ONE, ROWS_OF),
    "take": (lambda x, i: x.take(i), ONE, WHERE),
    "weighed": (lambda x, i, w: apply(OPS["weighed"], x, dim=1, cells=i._a, weights=w._a),
                ONE, ((2, 2), ROW_NUMBERS), ((2, 2), AWAY)),
    "weighed_zeros": (
        lambda x, i, w: apply(OPS["weighed_zeros"], x, length=5, dim=1, cells=i._a, weights=w._a),
        ((3, 2), AWAY), ((2, 2), ROW_NUMBERS), ((2, 2), AWAY)),
    "index_zeros": (lambda x, i: apply(OPS["index_zeros"], x, size=(3, x.shape[1]), dims=(0,), arrays=(i._a,)),
                    ONE, ROWS_OF),
    "masked_place": run("masked_place", ((12,), AWAY), MASK),
    "pick": (lambda x, m: x.masked_select(m), ONE, MASK),
    "scatter_add": (lambda x, i, y: x.scatter_add(1, i, y), ONE, WHERE, ((2, 3), AWAY)),
    "scatter_add_zeros": (lambda x, i: apply(OPS["scatter_add_zeros"], x, i, size=(3, 4), dim=1),
                          ((2, 3), AWAY), WHERE),
    "scatter_reduced": (lambda x, i, y: x.scatter_reduce(1, i, y, "mean"), ONE, WHERE, ((2, 3), AWAY)),
    "scatter_clear": (lambda x, i: apply(OPS["scatter_clear"], x, i, dim=1), ONE, WHERE),
    "scatter_from": (lambda x, i, y: x.scatter(0, i, y), ONE, ((2, 4), PLACES), ((2, 4), AWAY)),
    "scatter_mask": (lambda x, m, y: x.masked_scatter(m, y), ONE, MASK, ONE),
    "scatter_value": (lambda x, i: x.scatter(1, i, 3.0), ONE, WHERE),
    "write_at": (written, ONE, ((2,), PLACES), ((2,), AWAY)),
    # those of a class each
    "cross_entropy": (lambda x, c, w: f.cross_entropy(x, c, w), ONE, ROWS_OF, ((4,), ABOVE)),
    "nll_loss": (lambda x, c, w: f.nll_loss(x, c, w), ONE, ROWS_OF, ((4,), ABOVE)),
    "nll_input": (
        lambda g, c, w: apply(OPS["nll_input"], g, c, w, size=(len(c), len(w)), reduction="mean", ignore=-100),
        ((), AWAY), ROWS_OF, ((4,), ABOVE)),
    "cross_entropy smoothed": (lambda x, c, w: f.cross_entropy(x, c, w, label_smoothing=0.1),
                               ONE, ROWS_OF, ((4,), ABOVE)),
    "multi_margin_loss": (lambda x, c, w: f.multi_margin_loss(x, c, 2, 0.5, w), ONE, ROWS_OF, ((4,), ABOVE)),
}  # fmt: skip


CALLS = {name: (program, operands) for name, program, operands in programs.cases()}
CALLS |= {name: (program, operands) for name, (program, *operands) in OWN.items()}
"""For every op, and for some in several ways: a program, and the shapes and domains of its operands."""

STILL = {
    "where": "the number that is not chosen is read, too", "fill_mask": "what is filled over is read, too",
    "write_where": "what is written over is read, too",
    "prelu_kernel": "a slope is read where it does not count, too",
    "constant_in": "what is not above 0 is read and sends nothing",
    "heaviside": "the value at 0 is read elsewhere, too",
    "flash_attention causal": "what is masked is read, and then left out",
    "flash_attention masked": "what is masked is read, and then left out",
    "logical_and": "one that is False is enough", "logical_or": "one that is True is enough",
    "all": "one that is False is enough", "any": "one that is True is enough", "gcd": "1 stays 1",
    "pick": "another mask gives another number of results", "fill_slices": "two equal indices: one of them is enough",
    "index_clear": "two equal indices: one of them is enough",
    "scatter_clear": "two equal indices: one of them is enough",
    "scatter_value": "two equal indices: one of them is enough",
}  # fmt: skip
"""The calls in which a cell that is lit need not move the result, whatever number stands in it."""

GOES = {
    *("add_at", "add_slices", "embedding_rows", "fill_slices", "index_clear", "index_copy", "index_zeros"),
    *("masked_place", "nll_input", "scatter_add", "scatter_add_zeros", "scatter_clear", "scatter_from"),
    *("scatter_joined", "scatter_reduced", "scatter_value", "weighed", "weighed_zeros", "write_at"),
}
"""The calls with an index or a mask that says where a number goes: it lights the result where it goes, not those where
it would go if it were another one."""

MOST = 160
"""The most cells of a tensor: a figure draws them in no time, and each is tried."""

GROWN = {
    "glu": lambda n: n + 2,
    "cross": lambda n: n + (n == 2),
}
LARGER = [
    lambda n: n + (n > 1), lambda n: 2 * n if n > 1 else n, lambda n: n + (n == 4), lambda n: n + (n == 3),
    lambda n: n + (n == 2), lambda n: 2 * n if n == 4 else n, lambda n: n,
]  # fmt: skip
"""How the axes of the second operands are longer: the first way that an op takes."""


def inputs(name, second=False):
    """The operands of a call; the second ones are larger where the op takes such, and read through other strides."""
    program, specs = CALLS[name]
    layout = ("transposed", "sliced")[zlib.crc32(name.encode()) % 2] if second else "dense"
    for larger in [GROWN[name]] if second and name in GROWN else LARGER if second else LARGER[-1:]:
        random = np.random.default_rng(zlib.crc32(f"{name} {second}".encode()))
        made = [_operand(tuple(map(larger, shape)), domain, layout, random) for shape, domain in specs]
        try:
            y = program(*made)
        except (RuntimeError, ValueError, IndexError, TypeError):
            continue
        y = y[0] if isinstance(y, tuple) else y
        if max(x.numel() for x in [y, *made]) <= MOST:
            return made
    raise AssertionError(f"{name} takes no operands of its own shapes")


def _operand(shape, domain, layout, random):
    if domain is WHOLE:
        x = operand(shape, ABOVE, layout, random)
        return (x * 2).ceil().long()
    return operand(shape, domain, layout, random)

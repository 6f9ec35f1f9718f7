"""The rules that are not held in every call, each with its reason: the one list of them."""

from collections.abc import Callable
from operator import mul
from typing import Any, NamedTuple

import numpy as np

MOST = 28
"""How many there are at most; it may only fall."""


class Apart(NamedTuple):
    """A rule, or the calls of an op, that no test holds.

    Attributes:
        op: the op.
        why: the reason.
        when: of the op's operands as arrays, by position, and its arguments: the calls that are meant; None for all.
        left: the one rule that is meant, `dx`; none for all of the op's.
        kinks: at cells where the rule is no number the op hands on what its `kinks` say; the other cells are compared.
    """

    op: str
    why: str
    when: Callable[..., Any] | None = None
    left: str = ""
    kinks: bool = False


def no_inverse(x, **how):
    return not np.all(np.abs(np.linalg.det(x)) > 1e-9)


def values_meet(x, **how):
    squares = np.linalg.svd(x, compute_uv=False) ** 2
    return bool(np.any(np.abs(np.diff(squares)) < 1e-9) or np.any(squares < 1e-9))


def none_left(x, *, dim=None, correction, **how):
    dims = range(x.ndim) if dim is None or not x.ndim else dim
    return np.prod([x.shape[d] for d in dims], dtype=int) <= correction


def not_finite(*operands, **how):
    return not all(np.isfinite(x).all() for x in operands)


def beyond_exp(*operands, **how):
    return not all(np.all(np.abs(x) < 700) for x in operands)


def wider_source(x, index, src, **how):
    return np.shape(src) not in (np.shape(index), ())


def cast_first(x, *, dtype, **how):
    return dtype is not None and dtype != np.asarray(x).dtype


def slots(layout):
    shape, stride, offset = layout
    return {offset + sum(map(mul, at, stride)) for at in np.ndindex(*shape)}


APART = [
    Apart("det", "divides by it, and the gradient is the adjugate where there is no inverse", no_inverse),
    Apart("sign_and_log", "there is no inverse, and PyTorch's gradient is not finite", no_inverse),
    Apart("svd", "vectors of equal singular values are any of a plane, and those of 0 are no image of x", values_meet),
    Apart("lerp", "between infinities the op counts from the nearer end", not_finite),
    *(Apart(op, "exp overflows, which the op goes round", beyond_exp) for op in (
        "softmax", "log_softmax", "logsumexp", "logcumsumexp", "logaddexp", "logsigmoid")),
    Apart("pow", "whole numbers have negative powers only in floats, and -0 and -inf a power of -0.5 as 1 / sqrt",
          lambda a, b: np.any(np.asarray(b) < 0) and (np.asarray(a).dtype.kind != "f" or not_finite(a))),
    Apart("scatter_from", "the cells of src that index does not cover get 0", wider_source),
    Apart("scatter_add", "the cells of src that index does not cover get 0", wider_source),
    Apart("var", "a correction of n or more divides by 0", none_left),
    Apart("std", "a correction of n or more divides by 0", none_left),
    Apart("var_mean", "a correction of n or more divides by 0", none_left),
    Apart("std_mean", "a correction of n or more divides by 0", none_left),
    Apart("sum", "with a dtype of its own x is cast before it is added up", cast_first),
    Apart("cumsum", "with a dtype of its own x is cast before it is added up", cast_first),
    Apart("addcmul", "whole numbers take a whole value", lambda a, b, c, *, value: value % 1),
    Apart("cross_entropy", "where no target counts, the mean of none is NaN and hands on 0",
          lambda x, target, weight=None, *, ignore, **how: ignore is not None and np.all(target == ignore)),
    Apart("cdist", "0 where two rows are equal", kinks=True),
    Apart("vector_length", "0 where the norm is 0", kinks=True),
    Apart("as_strided", "reads slots that no cell of x has", lambda x, *, own, other: not slots(other) <= slots(own)),
    Apart("add_slices", "nothing is added to an axis without cells, whatever index says",
          lambda x, index, source, *, dim, **how: not x.size and index.size),
    Apart("copy_slices", "its base is the storage after the write"),
    Apart("step", "stands in a graph for a comparison that was written in place, and never runs"),
    Apart("nll_input", "is the gradient of another, in words"),
]
"""Those apart."""


class Untold(NamedTuple):
    """Results or gradients that no tree of one cell tells.

    Attributes:
        op: the op.
        left: what is not told, `u s v`.
        why: the reason.
    """

    op: str
    left: str
    why: str


UNTOLD = [
    Untold("eigen", "w v", "found step by step; what they have in common is all that is said"),
    Untold("svd", "u s v", "found step by step; what they have in common is all that is said"),
    Untold("eigenvalues", "y", "found step by step, and kept without vectors"),
    Untold("singular_values", "y", "found step by step, and kept without vectors"),
    Untold("distinct", "inverse counts", "places and counts, which are no numbers of the program's"),
]
"""Those that no tree tells: the one list of them."""


def apart(op, arrays, attrs):
    """Those that a call falls under."""
    given = [x for x in arrays if x is not None]
    return [one for one in APART if one.op == op.name and (one.when is None or one.when(*given, **attrs))]

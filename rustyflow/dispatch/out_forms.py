"""Tables of PyTorch's rules for `out=`: which functions take it, beside which arguments, and of which dtype."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor import Tensor

NAMES = frozenset("""
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax any arange arccos
    arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh baddbmm
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bucketize cat ceil
    cholesky clamp clamp_max clamp_min clip column_stack concat concatenate copysign cos cosh cross cummax cummin
    cumprod cumsum deg2rad diag diff div divide dot dstack empty eq erf erfc exp exp2 expm1 eye fix float_power
    floor floor_divide fmax fmin fmod frac full gather gcd ge ger greater greater_equal gt heaviside histc histogram
    hstack hypot index_add index_copy index_select inner inverse isin isneginf isposinf kron kthvalue lcm le lerp
    less less_equal linspace log log10 log1p log2 log_softmax logaddexp logcumsumexp logical_and logical_not
    logical_or logical_xor logspace logsumexp lt masked_select matmul matrix_norm matrix_power max maximum mean
    median min minimum mm mode msort mul multiply mv nan_to_num nanmean nanmedian nanquantile nansum ne neg negative
    nonzero norm normalize not_equal ones outer pow prod quantile rad2deg reciprocal remainder round row_stack rsqrt
    scatter scatter_add scatter_reduce searchsorted sgn sigmoid sign signbit sin sinc sinh slice_scatter slogdet
    softmax solve sort sqrt square stack std sub subtract sum svd take take_along_dim tan tanh tensordot topk tril
    triu true_divide trunc var vecdot vector_norm vstack where xlogy zeros
""".split())
"""The functions that take `out`, as in PyTorch."""

ELEMENTWISE = frozenset("""
    clamp_max clamp_min float_power isneginf isposinf nan_to_num sgn square true_divide
""".split())
"""Elementwise functions that are no op of their own (an op has `elementwise`)."""

CHECKED = frozenset("""
    diff ger index_select masked_select max min nonzero normalize outer scatter scatter_add scatter_reduce take where
""".split())
"""Besides elementwise functions, those that check `out` for overlap before resizing it."""

FILLED = frozenset("empty full ones zeros".split())
"""Those that write one value into every cell, so that cells of `out` may share slots."""

STEPS = frozenset("histc histogram nanmean nanquantile quantile".split())
"""Those whose intermediate results must not be offered `out`."""

SILENT = frozenset("empty eye full linspace logspace ones zeros".split())
"""Those that resize an `out` with cells without a warning."""

COUNTED = frozenset(("arange", "linspace", "logspace"))
"""Those that keep the shape of an `out` that has the right number of cells."""

EXACT = frozenset("""
    abs absolute addbmm addmm addmv all amax amin any argmax argmin argsort avg_pool2d baddbmm bitwise_not bmm
    bucketize ceil cholesky clamp clamp_max clamp_min clip cross det diag dot eigvalsh fix float_power floor frac
    gather gelu hardshrink heaviside histc index_add index_copy index_select inner inv inverse isin isneginf
    isposinf linear log_softmax logcumsumexp logsigmoid masked_select matmul matrix_norm matrix_power mm msort
    multi_dot mv nan_to_num nanquantile neg negative nonzero norm quantile round scatter scatter_add scatter_reduce
    searchsorted sgn sign signbit slice_scatter softmax softplus softshrink solve svdvals take take_along_dim
    tensordot tril triu trunc vecdot vector_norm where
""".split())
"""Those that require `out` to have the dtype of the result, as all functions with several results do; the others write
into any dtype that the result can be cast to.
"""

BOUNDED = frozenset(("clamp", "clamp_max", "clamp_min", "clip"))
"""Those that insist on the dtype only for number bounds; with tensor bounds the result is cast."""

JOINED = frozenset("cat column_stack concat concatenate dstack hstack row_stack stack vstack".split())
"""Those that raise a TypeError if the result cannot be cast to the dtype of `out`."""

APART = {**dict.fromkeys(JOINED), **dict.fromkeys("cross index_select masked_select take".split()),
         **dict.fromkeys("index_add index_copy scatter scatter_add scatter_reduce".split(), 0),
         **dict.fromkeys("gather take_along_dim".split(), 1)}
"""Those that do not write over the very cells that they read, and which of their tensors may be `out` even so."""

RECORDED = frozenset("cond matrix_norm nanquantile norm.ord quantile tensordot".split())
"""Those whose result is copied to `out` by a recorded copy, which sends gradients on; norm.ord is linalg.norm."""

SEVERAL = {
    **dict.fromkeys("cummax cummin kthvalue mode sort topk".split(), ("values", "indices")),
    "aminmax": ("min", "max"), "eigh": ("eigenvalues", "eigenvectors"), "slogdet": ("sign", "logabsdet"),
    "svd": ("U", "S", "V"), "histogram": ("hist", "bin_edges"),
}
"""Functions with several results, and the names of the results."""

PAIRS = frozenset("max median min nanmedian".split())
"""Functions that return values and indices when a dim is given."""

SUMMED = frozenset("cumprod cumsum prod sum".split())
"""Those that compute in the dtype of `out`."""

DTYPED = SUMMED | {"mean", "nanmean", "nansum"}
"""Those that require `out` to have the `dtype` they were given."""


def _dim(given: dict[str, Any]) -> bool:
    return bool(given.keys() & {"dim", "axis"})


def _dim_beside_unbiased(given: dict[str, Any]) -> bool:
    return given.get("dim").__class__ is not bool and (_dim(given) or "unbiased" not in given)


def _stable(given: dict[str, Any]) -> bool:
    return "stable" in given


def _input(given: dict[str, Any]) -> bool:
    return isinstance(given.get("input"), Tensor)


def _both(given: dict[str, Any]) -> bool:
    return _input(given) and isinstance(given.get("other"), Tensor)


LIMITED: dict[str, tuple[Callable[[dict[str, Any]], bool], str, str]] = {
    **dict.fromkeys(("prod", "sum"), (_dim, "out needs a dim", "NAME(input, dim, out=...), or out.copy_(NAME(input))")),
    **dict.fromkeys(("median", "nanmedian"), (
        _dim, "out needs a dim", "NAME(input, dim, out=(values, indices)), or out.copy_(NAME(input))")),
    **dict.fromkeys(("std", "var"), (
        _dim_beside_unbiased, "out and unbiased need a dim",
        "NAME(input, dim, unbiased, out=...), or NAME(input, correction=1, out=...), 0 for unbiased=False")),
    "argsort": (_stable, "out needs stable, True or False", "argsort(input, stable=True, out=...)"),
    **dict.fromkeys("bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bucketize "
                    "remainder".split(), (_input, "beside out 'input' is a tensor", "wrap it: rustyflow.tensor(...)")),
    "where": (_both, "beside out 'input' and 'other' are tensors",
              "where(condition, input, other, out=...), and a number as rustyflow.tensor(...)"),
}
"""Functions that take `out` in some of their forms only: a test of the arguments given (by name), the rule if it fails,
and what to write.
"""


def fields(name: str, args: tuple, kwargs: dict[str, Any]) -> tuple[str, ...]:
    """The names of a call's results, for each of which `out` has a tensor; empty where there is one result.

    Example:
        >>> fields("max", (1,), {}), fields("max", (1, 0), {}), fields("aminmax", (1,), {})
        ((), ('values', 'indices'), ('min', 'max'))
    """
    if name in PAIRS and (_dim(kwargs) or len(args) > 1 and not isinstance(args[1], Tensor)):
        return "values", "indices"
    return SEVERAL.get(name, ())

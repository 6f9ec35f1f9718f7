"""The functions of rules: for each its meaning, in plain NumPy, and a phrase where words say more.

A meaning calls no op of rustyflow and no backend, so that a rule which is evaluated says something about the op. Rules
are bound to the shapes of a call before, so that a reduction says itself whether its axes stay.
"""

import math
from collections.abc import Callable
from functools import cache
from string import Formatter
from typing import Any, NamedTuple

import numpy as np


class Meaning(NamedTuple):
    """One function of rules.

    Attributes:
        run: the function, of arrays and arguments.
        phrase: the words for a call, with a hole for each parameter of `run`, `{x} with two axes swapped`; none where
            the call itself is said.
        gradient: the words where the first argument is a gradient, if they are others.
        like: the words where the second argument is a tensor's shape, if they are others.
        noun: whether the phrase may stand in a product without brackets.
        whole: whether the meaning is that of the whole rule: `run` takes the `Rules` that it stands in as `rules`.
        proves: whether a property defines the results: `run` takes these as `results`, and yields sides that are equal.
        each: whether it is a function of single numbers, cell by cell.
    """

    run: Callable[..., Any]
    phrase: str = ""
    gradient: str = ""
    like: str = ""
    noun: bool = False
    whole: bool = False
    proves: bool = False
    each: bool = False


MEANINGS: dict[str, Meaning] = {}


def says(phrase: str, **other: Any) -> Callable:
    """A decorator that gives a function of rules its phrase."""

    def keep(run: Callable) -> Callable:
        MEANINGS[run.__name__.rstrip("_")] = Meaning(run, phrase, **other)
        return run

    return keep


@cache
def holes(phrase: str) -> frozenset[str]:
    """The parameters that a phrase names."""
    return frozenset(field for _, field, _, _ in Formatter().parse(phrase) if field)


@cache
def settings(name: str) -> tuple[bool, ...]:
    """Of each parameter of a function, True where a phrase tells its value: `{dims:along}`, or `{k:value}` as it is."""
    run, *phrases = MEANINGS[name][:4]
    told = {field for phrase in phrases for _, field, how, _ in Formatter().parse(phrase) if how}
    return tuple(parameter in told for parameter in run.__code__.co_varnames) if told else ()


def _reducing(reduce: Callable) -> Callable:
    """A reduction of NumPy's with PyTorch's arguments."""
    return lambda x, dim=None, keepdim=False: reduce(np.asarray(x), axis=dim, keepdims=keepdim)


def _variance(x: Any, dim: Any = None, correction: float = 1, keepdim: bool = False, middle: Any = None) -> Any:
    """A variance; `middle` is the mean, which a rule told cell by cell has beside it."""
    middle = np.mean(x, axis=dim, keepdims=True)
    squares = np.sum((x - middle) ** 2, axis=dim, keepdims=keepdim)
    return np.true_divide(squares, max(np.size(x) // max(np.size(middle), 1) - correction, 0))


def _all(join: Callable) -> Callable:
    return lambda *conditions: join.reduce(np.broadcast_arrays(*conditions))


def _of_numbers(run: np.ufunc) -> Callable:
    """A ufunc of its operands alone, for a further argument would be an array that it writes to."""

    def checked(*x: Any) -> Any:
        if len(x) != run.nin:
            raise TypeError(f"{run.__name__} takes {run.nin} operands")
        return run(*x)

    return checked


def _called(*, each: bool = False, **functions: Callable) -> None:
    """Give functions a meaning under these names, without a phrase."""
    for name, run in functions.items():
        MEANINGS[name] = Meaning(_of_numbers(run) if isinstance(run, np.ufunc) else run, each=each)


_called(each=True, **{name: getattr(np, name) for name in (
    "exp log log2 log10 sqrt sin cos tan sinh cosh tanh abs floor trunc ceil round maximum minimum isinf log1p expm1"
    " hypot logaddexp"
).split()})  # fmt: skip
_called(
    each=True, asin=np.arcsin, acos=np.arccos, atan=np.arctan, asinh=np.arcsinh, acosh=np.arccosh, atanh=np.arctanh,
    atan2=np.arctan2, erf=np.vectorize(math.erf, otypes=[float]), erfc=np.vectorize(math.erfc, otypes=[float]),
    sign=lambda x: np.where(np.isnan(x), 0, np.sign(x * 1)),
)  # fmt: skip
_called(**{name: _reducing(getattr(np, name)) for name in (
    "sum prod mean amax amin all any argmax argmin count_nonzero"
).split()})  # fmt: skip
_called(
    where=np.where, diag=np.diag, eye=np.eye, einsum=np.einsum, len=len, range=range,
    both=_all(np.logical_and), either=_all(np.logical_or), opposite_of=np.logical_not,
    var=_variance,
    outer=lambda a, b: a[..., :, None] * b[..., None, :], cross=lambda a, b, dim: np.cross(a, b, axis=dim),
    inverse=np.linalg.inv, det=np.linalg.det,
    softmax=lambda x, dim: np.exp(x) / np.exp(x).sum(dim, keepdims=True),
    one_hot=lambda target, n: np.eye(n)[target],
    first=lambda x, dim: np.split(x, 2, dim)[0], second=lambda x, dim: np.split(x, 2, dim)[1],
    joined=lambda a, b, dim: np.concatenate([a, b], dim),
)  # fmt: skip


METHODS = {
    "movedim": np.moveaxis, "numel": np.size,
    "view": lambda x, *size: np.reshape(x, size[0] if isinstance(size[0], tuple) else size),
}  # fmt: skip
"""The methods that rules of one call have, as functions."""


@says("the greatest common divisor of {a} and {b}", each=True)
def gcd(a, b):
    return np.gcd(a, b)


@says("the least common multiple of {a} and {b}", each=True)
def lcm(a, b):
    return np.lcm(a, b)


@says("{x} < 0 or {x} is -0", each=True)
def signbit(x):
    return np.signbit(x)


@says("{x}")
def cast(x, to):
    return np.asarray(x).astype(to)


@says("{x} is NaN", noun=True, each=True)
def isnan(x):
    return np.isnan(x)


@says("{x} is finite", noun=True, each=True)
def isfinite(x):
    return np.isfinite(x)


@says("{a} or {b}, not both", each=True)
def xor(a, b):
    return np.logical_xor(a, b)


@says("{x}, with numbers for NaN and the infinities")
def nan_to_num(x, nan, posinf, neginf):
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def symmetric(x, triangle):
    """A matrix that is known by one of its triangles."""
    half = np.tril(x) if triangle == "L" else np.triu(x)
    return half + half.mT - half * np.eye(x.shape[-1])


@says("")
def eigenvalues(x, triangle):
    return np.linalg.eigvalsh(symmetric(x, triangle))


@says("the singular values of {x}, falling")
def singular_values(x):
    return np.linalg.svd(x, compute_uv=False)


@says("the product of all other cells{dim:along}", noun=True)
def others(x, dim=None):
    axes = tuple(range(x.ndim)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    lines = np.moveaxis(x, axes, range(-len(axes), 0))
    flat = lines.reshape(*lines.shape[: x.ndim - len(axes)], math.prod(lines.shape[x.ndim - len(axes) :]))
    each = [np.prod(np.delete(flat, k, -1), -1) for k in range(flat.shape[-1])] or [flat]
    return np.moveaxis(np.stack(each, -1).reshape(lines.shape), range(-len(axes), 0), axes)


@says("{line} without {line:of}[{i:bare}]")
def without(line, i, dim=0):
    return np.delete(line, i, dim)


@says("mean({each})", noun=True)
def reduced(each, reduction):
    """A loss of many cells as one number, or as it is."""
    return {"mean": np.mean, "sum": np.sum, "none": lambda each: each}[reduction](each)


@says("{n}", noun=True)
def among(n, reduction):
    """Over how many cells a loss is a mean."""
    return n if reduction == "mean" else 1


@says("")
def averaged(each, w, reduction):
    """A loss of cells that weigh differently."""
    each = each if w is None else w * each
    return np.sum(each) / np.sum(w) if reduction == "mean" and w is not None else reduced(each, reduction)


@says("")
def share(g, w, reduction, target):
    """The gradient that each cell of such a loss gets."""
    g = g if w is None else g * w
    return g / (target.size if w is None else np.sum(w)) if reduction == "mean" else g


@says("{g}, shared equally by the cells where {chosen}")
def shared(g, chosen, dim=None):
    return g * chosen / np.sum(chosen, axis=dim, keepdims=True)


@says("{g} on the diagonal, 0 elsewhere")
def on_eye(g, shape):
    return g * np.eye(*shape)


@says("{x} {diagonal:below}")
def tril(x, diagonal=0):
    return np.tril(x, diagonal)


@says("{x} {diagonal:above}")
def triu(x, diagonal=0):
    return np.triu(x, diagonal)


@says("")
def diag_embed(x):
    return x[..., None] * np.eye(x.shape[-1])


@says("")
def parted(p, s):
    squares = s * s
    return (p - p.mT) / (squares[..., None, :] - squares[..., None] + np.eye(s.shape[-1]))


@says("the lower triangle of {x} mirrored")
def mirrored(x):
    return np.tril(x) + np.tril(x, -1).mT


@says("the middle cell of all, of two the lower one")
def median(x):
    return np.sort(x, None)[(x.size - 1) // 2] if x.size and not np.isnan(x).any() else np.array(np.nan).astype(x.dtype)


@says("the middle number of all, of two the lower one")
def nanmedian(x):
    return median(x[~np.isnan(x)]) if not np.isnan(x).all() else np.nan


@says("{x} in rising order along {dim:on}")
def rising(x, dim):
    return np.sort(x, dim)

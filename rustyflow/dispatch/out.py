"""`out=`: a function of rustyflow's namespace writes its result into an existing tensor, and returns that tensor.

The result is computed as without `out`, and then copied. As in PyTorch the functions take `out` and the methods do not,
so operators and methods have no extra layer.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from math import prod
from typing import Any

from ..arguments.checks import by_place, check_first, checked_first
from ..arguments.explain import retry_or_explain
from ..backends import backend
from ..dtype import as_dtype, can_cast
from ..errors import ArgumentTypeError, DTypeError, GradError, ShapeError, align_right, warn, wrong_type
from ..layout import kept_stride
from ..tensor import AccumulateGrad, Tensor, View, fill, mode, storage_of
from .inplace import check_apart, check_cast
from .operation import OPS, notify, watchers
from .results import pair
from .write_check import check_write

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

NEEDS = {**dict.fromkeys("median nanmedian prod sum".split(), "dim"), "argsort": "stable"}
"""The argument without which a function takes no `out`."""

SUMMED = frozenset("cumprod cumsum prod sum".split())
"""Those that compute in the dtype of `out`, as those do that create a tensor."""

JOINED = frozenset("cat column_stack concat concatenate dstack hstack row_stack stack vstack".split())
"""Those that raise a TypeError where the result cannot be cast to the dtype of `out`."""

CAST = JOINED | frozenset("clamp_max clamp_min diff ger kron logical_not max mean median min nanmean nanmedian nansum "
                          "normalize outer square std true_divide var".split())
"""Those that write into any dtype that the result can be cast to, as ops do that bring operands to a common dtype."""

EXACT = frozenset(("cross", "heaviside", "where"))
"""Ops that do so and yet write into the dtype of their result alone, as all other functions do."""

BOUNDED = frozenset(("clamp", "clamp_max", "clamp_min", "clip"))
"""Those that write into the dtype of their result alone where their bounds are numbers."""

APART = {**dict.fromkeys(JOINED), **dict.fromkeys("cross index_select masked_select take".split()),
         **dict.fromkeys("index_add index_copy scatter scatter_add scatter_reduce".split(), 0),
         **dict.fromkeys("gather take_along_dim".split(), 1)}
"""Those that do not write over the very cells that they read, and which of their tensors may be `out` even so."""

RECORDED = frozenset("cond matrix_norm nanquantile quantile tensordot".split())
"""Those that copy the result to `out` by a recorded copy, which sends gradients on."""

COUNTED = frozenset(("arange", "linspace", "logspace"))
"""Those that keep the shape of an `out` that has the right number of cells."""

FILLED = frozenset(("empty", "full", "ones", "zeros"))
"""Those that write one value into every cell, so that cells of `out` may share slots."""

SILENT = FILLED | {"eye", "linspace", "logspace"}
"""Those that resize an `out` with cells without a warning."""


def with_out(call: Callable, creates: bool = False, name: str = "") -> Callable:
    """The same function with `out=None` as one more keyword, under another name where one is given.

    `out` is a tensor, or a tuple of them where there are several results. It keeps its dtype, which is the result's, or
    one that the result can be cast to as in the in-place forms, by the function: see CAST.
    An `out` of another shape is resized: without cells, such as empty(0), it is there for that; with cells it warns.
    Differs from PyTorch: if `out` outgrows its memory, what else reads that memory keeps what it has.

    Raises:
        ShapeError: an operand that would be resized. DTypeError, GradError, MemoryOverlapError (all RuntimeErrors).
        ArgumentTypeError (a TypeError): no tensor, or a form of the function that takes none.
    Source: https://pytorch.org/docs/stable/generated/torch.add.html

    Example:
        >>> import rustyflow as rf
        >>> y = rf.empty(2)
        >>> rf.exp(rf.tensor([0., 1.]), out=y) is y, y
        (True, tensor([1.0000, 2.7183]))
        >>> rf.exp(rf.zeros(3), out=rf.empty(0))
        tensor([1., 1., 1.])
    """
    name = name or call.__name__
    where = checked_first(name, call)
    placed, typed = by_place(where), creates or name in SUMMED

    @wraps(call)
    def form(*args, out=None, **kwargs):
        try:
            if where and (kwargs or len(args) > placed):
                check_first(name, where, args, kwargs)
            if out is None:
                return call(*args, **kwargs)
            told = {"dtype": kwargs.get("dtype") or out.dtype} if typed and isinstance(out, Tensor) else {}
            result = call(*args, **{**kwargs, **told})
        except Exception as error:
            args, kwargs = retry_or_explain(error, form, call, args, kwargs)
            return form(*args, out=out, **kwargs)
        _check_form(name, call, args, kwargs, result, out)
        read = list(tensors_in((args, kwargs)))
        if not isinstance(result, Tensor):
            for part, target in zip(result, out):
                _write(name, call, part, target, read, False)
            return pair(f"{type(result).__name__}_out", *result._fields)(*out)
        if name in COUNTED and result._a.size == out._a.size:
            result = result.view(out.shape)
        _write(name, call, result.detach() if creates else result, out, read, _casts(name, call, read))
        return out.requires_grad_() if creates and result.requires_grad else out
    form.__name__ = form.__qualname__ = name
    return form


def need_dtype(name: str, d: Any, out: Tensor) -> None:
    """Refuse an `out` of another dtype than the one that is asked for, if one is.

    Raises:
        DTypeError (a RuntimeError).
    """
    if d is not None and as_dtype(d) is not out.dtype:
        raise DTypeError(f"{name}(dtype={as_dtype(d)!r}), out of {out.dtype!r}",
                         f"dtype {as_dtype(d).name} does not match dtype of out parameter ({out.dtype.name})",
                         "leave dtype out: the result has the dtype of out")


def resize(name: str, out: Tensor, shape: tuple, stride: tuple) -> None:
    """Give `out` a shape, from its first slot on; its memory is enlarged if need be.

    Differs from PyTorch: what an operation made forgets the operation, whose gradient has another shape.

    Raises:
        GradError, MemoryOverlapError, ReadOnlyError (all RuntimeErrors): as `check_write`.
    """
    if out._a.shape == shape:
        return
    check_write(out, f"{name}(out=...)", alike=True)
    storage, end = storage_of(out), out._offset + prod(shape)
    kept = (AccumulateGrad, View) if end <= storage.buffer.size else AccumulateGrad
    if not isinstance(out._history, kept):
        out._history = None  # it is of another shape
    if end > storage.buffer.size:
        larger = backend.filled((end,), 0, storage.buffer.dtype)
        backend.write(larger[:storage.buffer.size], storage.buffer)
        out._storage = storage.over(larger)
    out._a = backend.strided(out._storage.buffer, shape, stride, out._offset)
    if type(out._history) is AccumulateGrad:
        out._history.out = out._a


def _check_form(name: str, call: Callable, args: tuple, kwargs: dict, result: Any, out: Any) -> None:
    """Refuses an `out` that is no tensor, or no tuple of tensors, one for each of several results.

    And one given to a form that takes none.

    Raises:
        ArgumentTypeError (a TypeError). DTypeError (a RuntimeError): see `need_dtype`.
    """
    from ..arguments.call import shown
    need, names = NEEDS.get(name), getattr(call, "__wrapped__", call).__code__.co_varnames
    if need is not None and need not in kwargs and need not in names[:len(args)]:
        raise ArgumentTypeError(f"{name}(..., out=...) without {need}", f"{name}(): out needs {need}",
                                f"{name}(input, {need}=..., out=...), or out.copy_({name}(input))")
    if isinstance(result, Tensor):
        if not isinstance(out, Tensor):
            fix = "make one: out=rustyflow.empty(...), of the result's shape"
            raise wrong_type(name, "out", out, "Tensor", fix)
        return need_dtype(name, kwargs.get("dtype"), out)
    fields = getattr(result, "_fields", ())
    if not fields or not isinstance(out, (tuple, list)) or [isinstance(x, Tensor) for x in out] != [True] * len(fields):
        raise ArgumentTypeError(f"{name}(out={shown(out)})",
                                f"{name}(): argument 'out' must be a tuple of {len(fields)} tensors",
                                f"out=({', '.join(fields)})", value=out)


def _casts(name: str, call: Callable, read: list) -> bool:
    """True if `out` may have another dtype than the result."""
    op = getattr(call, "op", None)
    return (name in CAST or name not in EXACT and op is not None and op.promote is not None) and (
        name not in BOUNDED or len(read) > 1)


def tensors_in(values: Any) -> Iterator[Tensor]:
    """The tensors in nested lists, tuples and dicts."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, (tuple, list, dict)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from tensors_in(value)


def _write(name: str, call: Callable, result: Tensor, out: Tensor, read: list, cast: bool) -> None:
    """Copy a result to `out`, which is given its shape; its dtype may be another one if `cast`. See `with_out`."""
    op, names = getattr(call, "op", None), getattr(call, "__wrapped__", call).__code__.co_varnames
    recorded = name in RECORDED or name == "norm" and "ord" in names  # linalg.norm
    if mode.enabled and (result.requires_grad or out.requires_grad) and not recorded:
        raise GradError(f"{name}(out=...) of {'a result' if result.requires_grad else 'an out'} that requires grad",
                        f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                        "but one of the arguments requires grad.",
                        f"leave out away, or call {name} under rustyflow.no_grad()")
    if name in JOINED and not can_cast(result.dtype, out.dtype):
        raise ArgumentTypeError(f"{name}(out=...) of {out.dtype!r}, result of {result.dtype!r}",
                                f"torch.{name}(): input types can't be cast to the desired output type "
                                f"{out.dtype.name}", f"out of dtype {result.dtype!r}")
    check_cast(out, result.dtype)
    if result.dtype is not out.dtype and not cast:
        raise DTypeError(f"{name}(out=...) of {out.dtype!r}, result of {result.dtype!r}",
                         f"Expected out tensor to have dtype {result.dtype.name}, but got {out.dtype.name} instead",
                         f"out of dtype {result.dtype!r}")
    shape, before = result._a.shape, out._a.shape
    check_write(out, f"{name}(out=...)", *read, alike=name in FILLED or shape != before,
                repeated=op is None or not op.elementwise)
    if name in APART and out._a.size:
        check_apart(out, name, [x for k, x in enumerate(read) if k != APART[name]])
    if shape != before and out._a.size:
        if any([x is out for x in read]):
            raise ShapeError(align_right(("out", before), ("result", shape)),
                             f"output with shape {list(before)} doesn't match the broadcast shape {list(shape)}: an "
                             "operand is not resized", f"out=rustyflow.empty({tuple(shape)}), or leave out away")
        if name not in SILENT:
            warn(f"An output with one or more elements was resized since it had shape {list(before)}, which does not "
                 f"match the required output shape {list(shape)}. This behavior is deprecated, and in a future PyTorch "
                 "release outputs will not be resized unless they have zero elements.")
    resize(name, out, shape, kept_stride(shape, backend.stride(result._a)))
    if recorded:
        out.copy_(result)
        return
    storage_of(out).wrote(name)
    backend.quiet().run(backend.write, out._a, result._a)
    if watchers:
        fill()
        notify(OPS["copy_into"], (out, result), {}, out)

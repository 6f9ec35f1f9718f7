"""`out=`: a function of rustyflow's namespace that writes its result into a tensor there is, and returns that tensor.

As in PyTorch the functions take it and the methods do not, so operators and methods have no layer more. The result is
made first and then written: `out` may be an operand itself. Where each cell is made of one cell of each operand, a long
result is written by the function itself, or a run of cells at a time; and so are long products, joins and running sums.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from ..backends import backend
from ..binding import understood
from ..dtype import OF_NUMPY, as_dtype
from ..errors import ArgumentTypeError, DTypeError, GradError, ShapeError, align_right
from ..history import mode
from ..layout import axis_order, broadcast_shapes
from ..table import fill
from ..tensor import Tensor, storage_of, wrap
from .dispatch import fresh
from .inplace import check_cast, is_recorded
from .operation import OPS, Op, notify, watchers
from .promotion import promoted
from .sort import pair
from .write_check import cell_on_cell, check_write, of_one_storage

NAMES = frozenset("""
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax any arange arccos
    arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh baddbmm
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bucketize cat ceil
    cholesky clamp clamp_max clamp_min clip column_stack concat concatenate copysign cos cosh cross cummax cummin
    cumprod cumsum deg2rad det diag diff div divide dot dstack empty eq erf erfc exp exp2 expm1 eye fix
    float_power floor floor_divide fmax fmin fmod frac full gather gcd ge ger greater greater_equal gt heaviside
    histc hstack hypot index_add index_copy index_select inner inverse isin isneginf isposinf kron kthvalue lcm le
    lerp less less_equal linspace log log10 log1p log2 log_softmax logaddexp logcumsumexp logical_and logical_not
    logical_or logical_xor logspace logsumexp lt masked_select matmul matrix_norm matrix_power max maximum mean
    median min minimum mm msort mul multiply mv nan_to_num nanmean nanmedian nanquantile nansum ne neg negative
    nonzero norm normalize not_equal ones outer pow prod quantile rad2deg reciprocal remainder round row_stack
    rsqrt scatter scatter_add searchsorted sgn sigmoid sign signbit sin sinc sinh slice_scatter slogdet softmax
    solve sort sqrt square stack std sub subtract sum svd take take_along_dim tan tanh tensordot topk tril triu
    true_divide trunc var vecdot vector_norm vstack where xlogy zeros
""".split())
"""The functions that take `out`: PyTorch's."""

ELEMENTWISE = frozenset("""
    clamp_max clamp_min float_power isneginf isposinf nan_to_num sgn square true_divide
""".split())
"""Those of every cell for itself that are no op of their own, which would say so."""

OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "true_divide", "neg": "negative", "eq": "equal",
    "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    **{name: name for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")},
}
"""What NumPy calls the operator that is all of an op's forward."""

MANY = 1 << 16
"""Cells; of more, the result is written without a tensor of its own."""


def with_out(call: Callable, creates: bool = False) -> Callable:
    """The same function with `out=None` as one more keyword.

    `out` is a tensor of the result's shape, or a tuple of them where there are several results. It keeps its dtype,
    which the result must be castable to as in the in-place forms; a function that `creates` a tensor takes its dtype
    from it.
    An `out` without cells, such as empty(0), gets memory for the result.
    Difference from PyTorch: an `out` with cells and another shape is refused; there it is resized with a warning.

    Raises:
        ShapeError, DTypeError, GradError, MemoryOverlapError (RuntimeErrors). ArgumentTypeError (a TypeError): no
        tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.add.html

    Example:
        >>> import rustyflow as rf
        >>> y = rf.empty(2)
        >>> rf.exp(rf.tensor([0., 1.]), out=y) is y, y
        (True, tensor([1.0000, 2.7183]))
        >>> rf.exp(rf.zeros(3), out=rf.empty(0))
        tensor([1., 1., 1.])
    """
    elementwise = call.__name__ in ELEMENTWISE or hasattr(call, "op") and call.op.elementwise
    write = _straight if elementwise else _whole if call.__name__ in WHOLE else None

    @wraps(call)
    def form(*args, out=None, **kwargs):
        try:
            if out is None:
                return call(*args, **kwargs)
            if creates:
                return _create(call, args, kwargs, out)
            if write is not None and isinstance(out, Tensor) and out._a.size > MANY and write(call, args, kwargs, out):
                return out
            result = call(*args, **kwargs)
        except TypeError as error:
            if (kwargs := understood(error, call.__name__, call, args, kwargs)) is None:
                raise
            return form(*args, out=out, **kwargs)
        return _write_all(call.__name__, result, out, list(_tensors((args, kwargs))))
    return form


def _whole(call: Callable, args: tuple, kwargs: dict, out: Tensor) -> bool:
    """Let the backend's own function write its result into `out`, where both are of one dtype and apart.

    False, and nothing is written, as in `_straight`; and where the function refuses, which `call` then says.
    """
    operands = list(_tensors((args, kwargs)))
    if (watchers or not backend.Ufunc or is_recorded(out, *operands) or not out._a.flags.c_contiguous
            or any([x.dtype is not out.dtype or backend.may_share(out._a, x._a) for x in operands])):
        return False
    check_write(out, f"{call.__name__}(out=...)")
    try:
        written = backend.quiet().run(WHOLE[call.__name__], out._a, *args, **kwargs)
    except (AttributeError, TypeError, ValueError, IndexError):
        return False
    if written:
        storage_of(out).wrote(call.__name__)
    return written


def _joined(join: str) -> Callable[..., bool]:
    def write(out, tensors, dim=0):
        arrays = [x._a for x in tensors] if isinstance(tensors, (tuple, list)) and dim.__class__ is int else []
        return bool(arrays) and arrays[0].flags.c_contiguous and getattr(backend, join)(arrays, dim, out) is out
    return write


def _running(name: str) -> Callable[..., bool]:
    def write(out, input, dim):
        fits = out.dtype.kind == "f" and out.shape == input._a.shape and dim.__class__ is int
        return fits and getattr(backend, name)(input._a, dim, out=out) is out
    return write


def _product(*ranks: int) -> Callable[..., bool]:
    def write(out, a, b):
        fits = out.dtype.kind == "f" and a._a.ndim == b._a.ndim in ranks
        return fits and backend.matmul(a._a, b._a, out) is out
    return write


WHOLE = {
    "mm": _product(2), "bmm": _product(3), "matmul": _product(2, 3, 4), "stack": _joined("stack"),
    **dict.fromkeys(("cat", "concat", "concatenate"), _joined("cat")),
    "cumsum": _running("cumsum"), "cumprod": _running("cumprod"),
}
"""The functions of more than one cell that write where they are told: (out, *args) -> whether they did."""


def _straight(call: Callable, args: tuple, kwargs: dict, out: Tensor) -> bool:
    """Write the result of a function of every cell for itself, without a second tensor of that size.

    False, and nothing is written, where that could be told from writing all at once, or is refused: an observer, a
    gradient, another shape, a part of an operand. And where it would take longer: all operands lie across `out`.
    """
    operands = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
    across = [_order(x) != _order(out) for x in operands if x._a.shape == out._a.shape]
    if (watchers or is_recorded(out, *operands) or across and all(across)
            or not all([_apart(out, x) for x in operands])):
        return False

    def of(arrays):
        rest = iter(arrays)
        put = [fresh(next(rest)) if isinstance(x, Tensor) else x for x in (*args, *kwargs.values())]
        return put[:len(args)], dict(zip(kwargs, put[len(args):]))

    def run(F, *arrays):
        args, kwargs = of(arrays)
        return call(*args, **kwargs)._a

    cells = [x._a[(slice(1),) * x._a.ndim] for x in operands]
    try:
        if broadcast_shapes(*[x._a.shape for x in operands]) != out._a.shape:
            return False
        result = run(backend, *cells)
    except (TypeError, ValueError, ArithmeticError, RuntimeError, NotImplementedError):
        return False  # which the call on all cells says with their shapes
    check_cast(out, OF_NUMPY[result.dtype])
    check_write(out, f"{call.__name__}(out=...)")
    storage_of(out).wrote(call.__name__)
    it: Op | None = None if kwargs else getattr(call, "op", None)
    if it is not None and (ufunc := _ufunc(it, tuple(of(cells)[0]))) is not None:
        backend.quiet().run(ufunc, *promoted(it, args), out=out._a)
    else:
        backend.quiet().run(backend.into, out._a, run, backend, *[x._a for x in operands])
    return True


def _ufunc(it: Op, operands: tuple) -> Any:
    """The backend's function that an op is, if it is no more and all operands are of one dtype as they are."""
    name = it.name if it.code.co_names == (it.name,) else OPERATORS.get(it.name)
    ufunc = getattr(backend, name, None) if name is not None and len(operands) == len(it.operands) else None
    if not isinstance(ufunc, backend.Ufunc):
        return None
    arrays = [*promoted(it, operands), *[x._a for x in operands if isinstance(x, Tensor)]]
    return ufunc if len({a.dtype for a in arrays}) == 1 else None


def _apart(out: Tensor, x: Tensor) -> bool:
    """Whether no cell of x is overwritten before its own turn: x lies elsewhere, or cell on cell."""
    return (x is out or not backend.may_share(out._a, x._a)
            or of_one_storage(out, x) and x.dtype is out.dtype and cell_on_cell(out, x))


def _order(x: Tensor) -> tuple:
    return axis_order(x._a.shape, backend.stride(x._a))


def _create(call: Callable, args: tuple, kwargs: dict, out: Any) -> Tensor:
    """A creation function's result has the dtype of `out`; with requires_grad=True it is `out` that requires grad."""
    name = call.__name__
    _need_tensor(name, out)
    d = kwargs.get("dtype")
    if d is not None and as_dtype(d) is not out.dtype:
        raise DTypeError(f"{name}(dtype={as_dtype(d)!r}), out of {out.dtype!r}",
                         f"dtype {as_dtype(d).name} does not match dtype of out parameter ({out.dtype.name})",
                         "leave dtype out: the result has the dtype of out")
    tracked = kwargs.pop("requires_grad", False)
    _write_all(name, call(*args, **{**kwargs, "dtype": out.dtype}), out, [])
    return out.requires_grad_() if tracked else out


def _write_all(name: str, result: Any, out: Any, read: list) -> Any:
    """Write a result, or each of several, and give back `out` in the form of the result."""
    if isinstance(result, Tensor):
        _write(name, result, out, read)
        return out
    if not isinstance(out, (tuple, list)) or len(out) != len(result):
        raise ArgumentTypeError(f"{name}(out={type(out).__name__}), with {len(result)} results",
                                f"{name}(): argument 'out' must be a tuple of {len(result)} tensors",
                                f"out=({', '.join(getattr(result, '_fields', ['...'] * len(result)))})")
    for part, target in zip(result, out, strict=True):
        _write(name, part, target, read)
    return pair(f"{type(result).__name__}_out", *result._fields)(*out) if hasattr(result, "_fields") else tuple(out)


def _write(name: str, result: Tensor, out: Any, read: list) -> None:
    _need_tensor(name, out)
    if mode.enabled and (result.requires_grad or out.requires_grad):
        raise GradError(f"{name}(out=...) of {'a result' if result.requires_grad else 'an out'} that requires grad",
                        f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                        "but one of the arguments requires grad.",
                        f"leave out away, or call {name} under rustyflow.no_grad()")
    if out._a.shape != result._a.shape and out._a.size:
        raise ShapeError(align_right(("out", out._a.shape), ("result", result._a.shape)),
                         f"{name}(): out must have the shape of the result; it is not resized",
                         f"out=rustyflow.empty({tuple(result._a.shape)}), or leave out away")
    check_cast(out, result.dtype)
    if out._a.shape != result._a.shape:
        out.data, out._history = wrap(backend.copied(result._a, out._a.dtype)), None
    check_write(out, f"{name}(out=...)", *read)
    storage_of(out).wrote(name)
    backend.write(out._a, result._a)
    if watchers:
        fill()
        notify(OPS["copy_into"], (out, result), {}, out)


def _need_tensor(name: str, out: Any) -> None:
    if not isinstance(out, Tensor):
        raise ArgumentTypeError(f"{name}(out={str(out)[:60]})",
                                f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}",
                                "make one: out=rustyflow.empty(...), of the result's shape")


def _tensors(values: Any) -> Iterator[Tensor]:
    """All tensors among arguments, those in lists, tuples and dicts as well."""
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, (tuple, list, dict)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from _tensors(value)

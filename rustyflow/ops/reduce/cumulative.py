"""Running results along an axis: each cell has what all cells up to it give together."""
from __future__ import annotations

from ...dispatch import apply, apply_inplace, check_history, inplace_form, op, recording
from ...errors import UnsupportedDTypeError
from ...layout import wrap_dim
from .axes import adding_dtype
from .products import cumprod_among_zeros, run_ahead, run_before


@op(inplace=True)
class cumsum:
    """y[i] = sum(x[:i + 1])        dx[i] = sum(g[i:])

    Along dim. Whole numbers and bools are added in int64, unless `dtype` says otherwise.
    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.cumsum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cumsum(rf.tensor([1, 2, 3]), dim=0)
        tensor([1, 3, 6])
    """
    def into(F, x, *, dim, dtype): F.cumsum(x, dim, out=x)
    def grad_x(F, g, *, dim, dtype): return F.cumsum_from_end(g, dim)

    def call(input, dim, *, dtype=None):
        return apply(cumsum.op, input, dim=wrap_dim(dim, input._a.ndim), dtype=_running_dtype("cumsum", input, dtype))

    def write(input, dim, *, dtype=None): return _write(cumsum, input, dim, dtype)


def _running_dtype(name, input, dtype):
    """As `adding_dtype`, but not bool.

    Raises:
        UnsupportedDTypeError (a NotImplementedError).
    """
    d = adding_dtype(input, dtype)
    if d == "bool" and input._a.size:
        raise UnsupportedDTypeError(f"{name}(dtype={dtype!r})", f'"{name}_out_cpu" not implemented for \'Bool\'',
                                    "dtype=rustyflow.int64")
    return d


def _write(call, input, dim, dtype):
    """The in-place form: over the cells themselves, unless in another dtype, or of bools, which is refused."""
    check_history(input, f"{call.op.called}_")
    if dtype is not None or input._a.dtype.kind == "b":
        return inplace_form(call)(input, dim, dtype=input.dtype if dtype is None else dtype)
    return apply_inplace(call.op, input, dim=wrap_dim(dim, input._a.ndim), dtype=None)


@op(public=False, method=False)
class cumsum_from_end:
    """y[i] = sum(x[i:])        dx[i] = sum(g[:i + 1])"""
    def grad_x(F, g, *, dim): return F.cumsum(g, dim)


@op(inplace=True)
class cumprod:
    """y[i] = prod(x[:i + 1])        dx[i] = sum(g[k] * prod(without(x[:k + 1], i)) for k in range(i, len(x)))

    Along dim. Whole numbers and bools are multiplied in int64, unless `dtype` says otherwise. The gradient is right
    where cells are 0.
    Raises: DimError (an IndexError): no such axis.
    Source: https://pytorch.org/docs/stable/generated/torch.cumprod.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cumprod(rf.tensor([1, 2, 3]), dim=0)
        tensor([1, 2, 6])
    """
    def into(F, x, *, dim, dtype): F.cumprod(x, dim, out=x)

    def grad_x(F, g, x, y, *, dim, dtype):
        if bool((x != 0).all()):
            return F.cumsum_from_end(g * y, dim) / x
        if F is not recording:
            return cumprod_among_zeros(F, g, x, y, dim)
        return run_before(F, x, dim) * run_ahead(F, x, g, dim)

    def call(input, dim, *, dtype=None):
        return apply(cumprod.op, input, dim=wrap_dim(dim, input._a.ndim), dtype=_running_dtype("cumprod", input, dtype))

    def write(input, dim, *, dtype=None): return _write(cumprod, input, dim, dtype)


@op
class logcumsumexp:
    """y[i] = log(sum(exp(x[:i + 1])))        dx[i] = sum(g[k] * exp(x[i] - y[k]) for k in range(i, len(x)))

    Along dim, without overflow on the way; floating dtypes.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.logcumsumexp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logcumsumexp(rf.tensor([0., 0., 0.]), dim=0)
        tensor([0.0000, 0.6931, 1.0986])
    """
    takes = "f"

    def grad_x(F, g, x, y, *, dim):
        before = F.shift(y, dim, 1, float("-inf"))
        step = before - y
        if not bool((step <= 0).all()):  # from an infinity to itself there is no step either, but a difference of NaN
            step = F.where(before == y, 0, step)
        return F.exp(x - y) * run_ahead(F, F.exp(step), g, dim)

    def call(input, dim):
        return apply(logcumsumexp.op, input, dim=wrap_dim(dim, input._a.ndim))

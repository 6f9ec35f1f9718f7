"""Numbers in steps, and the indices of triangles."""
from __future__ import annotations

from math import ceil, frexp, isfinite, ldexp

import numpy as np

from ...arguments.numbers import fitted, number, numbers, whole
from ...backends import backend
from ...backends.numpy.runs import RUN
from ...dtype import as_dtype, finfo, get_default_dtype, int32, int64
from ...errors import AllocationError, ArgumentTypeError, ArgumentValueError, ShapeError, UnsupportedDTypeError
from ...layout import check_extent
from ...tensor import Tensor
from .arguments import creator, finish, numpy_dtype
from .nested import infer_dtype

STRETCH = RUN // 2
"""Numbers are made so many at a time: in float64, whatever they become."""


@creator
def arange(first=None, /, end=None, step=None, *, start=None, dtype=None, layout=None, device=None,
           requires_grad=False, pin_memory=False) -> Tensor:
    """Numbers from start (0 when only one is given) up to, not including, end; int64 when all three are whole.

    Raises: ShapeError (a RuntimeError): a step of 0, or one that leads away from end, or an end that is never reached.
    Source: https://pytorch.org/docs/stable/generated/torch.arange.html

    Example:
        >>> import rustyflow as rf
        >>> rf.arange(1, 7, 2)
        tensor([1, 3, 5])
    """
    if end is None:
        wrong, low, end = first is None or start is not None or step is not None, 0, first
    else:
        wrong, low = first is not None and start is not None, first if start is None else start
    if wrong or low is None and step is not None:
        raise ArgumentTypeError(f"arange(start={start or first}, end={end}, step={step})",
                                "arange() needs to know where to end, and beside a step also where to start",
                                "rustyflow.arange(5), or rustyflow.arange(0, 5, 2)")
    first, last, by = numbers("arange", start=0 if low is None else low, end=end, step=1 if step is None else step)
    d = as_dtype(dtype) if dtype is not None else infer_dtype([first, last, by])
    if not d.category:
        raise UnsupportedDTypeError(f"arange(dtype={d!r})", '"arange_cpu" not implemented for bool: it counts',
                                    "leave dtype out, and .bool() afterwards")
    finite = all(abs(v) < float("inf") for v in (first, last, by))
    if not finite:
        raise ShapeError(f"arange({first}, {last}, {by})", f"unsupported range: {first} -> {last}",
                         "an end that can be reached; itertools.count() counts without one")
    if by == 0 or (last - first) * by < 0:
        raise ShapeError(f"arange({first}, {last}, {by})", "step must be nonzero" if by == 0
                         else "upper bound and lower bound inconsistent with step sign",
                         "a positive step to go up, a negative one to go down")
    if d is int64:
        first, last, by = int(first), int(last), int(by)
        if by == 0:
            raise ArgumentValueError(f"arange(..., step={step}, dtype={d!r})",
                                     "step must be nonzero: it was cut to a whole number",
                                     "leave dtype out, or a step of 1 or more")
    n = ceil((last - first) / by)
    if n > 1 << 44:
        raise AllocationError(f"arange({first}, {last}, {by})", f"can't allocate memory for {n} numbers",
                              "a larger step, or less far")
    if d.category == 1:
        counted = _whole(int(first), int(by), n)
        return finish(counted.astype(d.numpy, copy=False), requires_grad, device, layout, pin_memory)
    if d.is_floating_point and first == int(first) and by == int(by) and abs(first) + n * abs(by) <= 2 / finfo(d).eps:
        return finish(_whole(first, by, n, d.numpy), requires_grad, device, layout, pin_memory)
    return finish(_each(n, d, _in_blocks(first, by, n, d)), requires_grad, device, layout, pin_memory)


def _in_blocks(first, by, n, d):
    """The rule of arange as PyTorch's vector code computes it, to the digit.

    It works in blocks of 32 bytes: the first number is rounded to d, the others are counted from it. What does not fill
    two blocks is counted one by one. It shows where a number is almost 0: arange(-8, 8, 0.1) has 4.4409e-16 in its
    middle.
    """
    lanes, real = 32 // d.itemsize, np.float64 if d.itemsize == 8 else np.float32
    by = float(np.float32(by)) if d.itemsize == 2 else by
    fused = _fused(by, exact=d.itemsize == 8)

    def rule(k):
        begins = fused(k[::lanes], first).astype(real).astype(d.numpy).astype(np.float64)
        cells = fused(k[:lanes] - k[0], begins[:, None]).reshape(-1)[:len(k)]
        single = max(n - n % (2 * lanes) - int(k[0]), 0)
        cells[single:] = fused(k[single:], first)
        return cells.astype(real, copy=False)
    return rule


def _fused(by, exact):
    """A function (k, start) -> k * by + start, rounded once as by a fused multiply-add, for whole k below 2**27.

    `by` is cut in two, so that k times the larger part is exact. With `exact`, to the last bit of a float64, the
    rounding error of adding `start` to that product is added with the smaller part.
    """
    fraction, power = frexp(by)
    coarse = ldexp(round(ldexp(fraction, 26)), power - 26)

    def fused(k, start):
        product, rest = k * coarse, k * (by - coarse)
        total = product + start
        if exact:
            part = total - product
            rest = rest + ((product - (total - part)) + (start - part))
        total += rest
        return total
    return fused


def _whole(start, by, n, dtype=None):
    """n whole numbers in steps."""
    return np.arange(start, start + n * by, by, dtype) if by else np.full(n, start)


def _each(n, d, rule):
    """rule(k) for k = 0 to n - 1, a run at a time.

    The float64 array k may be overwritten by `rule`, and its result is rounded once.
    """
    out = np.empty(n, d.numpy)
    for start in range(0, n, STRETCH):
        numbers = backend.quiet().run(rule, np.arange(start, min(start + STRETCH, n), dtype=np.float64))
        backend.quiet().run(np.copyto, out[start:start + STRETCH], numbers, "unsafe")
    return out


def _line(name, start, end, steps, d):
    """(n, line), where line(k) gives the k-th of n numbers between start and end.

    As a float64 array k of whole numbers asks for them.

    The upper half counts down from the end, so that both ends are exact. The step is rounded to d, and each number once
    more at the end: PyTorch's own digits on processors with a fused multiply-add.
    """
    for key, x in (("start", start), ("end", end)):
        if isinstance(x, Tensor) and x._a.ndim:
            raise ShapeError(f"{name}({key}=a tensor of shape {tuple(x.shape)})",
                             f"{name} only supports 0-dimensional start and end tensors, but got {key} with "
                             f"{x._a.ndim} dimension(s).", f"one number for {key}: x[0], or x.max()")
    start, end = [x.detach() if isinstance(x, Tensor) else x for x in (start, end)]
    (first, last), (n,) = numbers(name, start=start, end=end), whole(name, steps=steps)
    if n < 0:
        raise ShapeError(f"{name}(..., steps={n})", "number of steps must be non-negative", "steps of 0 or more")
    if n > 1:
        if not d.category:
            raise UnsupportedDTypeError(f"{name}(..., dtype={d!r})", f"{name} is not implemented for bools",
                                        f"{name}(...) > 0")
        first, last = fitted(name, first, d), fitted(name, last, d)
    real = d.numpy.type if d.is_floating_point else float
    first, last = real(first), real(last)
    step = float(backend.quiet().run(lambda: real((last - first) / (n - 1)))) if n > 1 else 0.0
    first, last, half = float(first), float(last), max(n // 2, 1)
    fused = _fused(step, exact=True) if name == "linspace" and d.itemsize == 8 and isfinite(step) else None

    def line(k):
        below = min(max(half - int(k[0]), 0), len(k))
        lower, upper = k[:below], k[below:]
        if fused is not None:
            lower[:] = fused(lower, first)
            upper[:] = -fused(n - 1 - upper, -last)
            return k
        lower *= step
        lower += first
        np.subtract(n - 1, upper, out=upper)
        upper *= -step
        upper += last
        return k
    return n, line


@creator
def linspace(start, end, steps, *, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False) -> Tensor:
    """`steps` numbers from start to end, both included, in equal steps.

    Raises: ShapeError (a RuntimeError): a negative number of steps, or a tensor with axes for an end.
    Source: https://pytorch.org/docs/stable/generated/torch.linspace.html

    Example:
        >>> import rustyflow as rf
        >>> rf.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000])
    """
    d = as_dtype(dtype) if dtype is not None else get_default_dtype()
    n, line = _line("linspace", start, end, steps, d)
    return finish(_each(n, d, line), requires_grad, device, layout, pin_memory)


@creator
def logspace(start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False) -> Tensor:
    """`steps` numbers from base ** start to base ** end, both included, in equal ratios.

    Raises: ShapeError (a RuntimeError): a negative number of steps.
    Source: https://pytorch.org/docs/stable/generated/torch.logspace.html

    Example:
        >>> import rustyflow as rf
        >>> rf.logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """
    d = as_dtype(dtype) if dtype is not None else get_default_dtype()
    n, exponents = _line("logspace", start, end, steps, d)
    base = np.float64(number("logspace", "base", base))
    with np.errstate(all="ignore"):
        return finish(_each(n, d, lambda k: np.power(base, exponents(k))), requires_grad, device, layout, pin_memory)


def _in_triangle(lower, row, col, offset, dtype):
    """Each cell's row, and its column; only rows with cells are looked at: a huge matrix may have few."""
    offset = max(-row, min(offset, col))
    if not min(row, col):
        return np.empty((2, 0), dtype)
    above, below = (max(-offset, 0), row) if lower else (0, min(row, col - offset))
    check_extent((2, below - above))
    check_extent((2, min(offset + 1, col) if lower else col - max(offset, 0)))  # what the first row may have
    rows = np.arange(above, below)
    first = np.zeros_like(rows) if lower else np.maximum(rows + offset, 0)
    counts = (np.minimum(rows + (offset + 1), col) if lower else col) - first
    found, at, step = np.empty((2, counts.sum()), dtype), 0, max(STRETCH // col, 1)
    for k in range(0, len(rows), step):
        n = counts[k:k + step]
        end = at + n.sum()
        found[0, at:end] = np.repeat(rows[k:k + step], n)
        found[1, at:end] = np.arange(end - at) - np.repeat(np.cumsum(n) - n - first[k:k + step], n)
        at = end
    return found


def _triangle(name, text, answer):
    def indices(row, col, offset=0, *, dtype=None, device=None, layout=None, pin_memory=False):
        *size, offset = whole(name, row=row, col=col, offset=offset)
        if min(size) < 0:
            raise ShapeError(f"{name}{tuple(size)}", f"{'row' if size[0] < 0 else 'col'} must be non-negative",
                             "sizes of 0 or more")
        if dtype is not None and as_dtype(dtype) not in (int64, int32):
            raise UnsupportedDTypeError(f"{name}(dtype={as_dtype(dtype)!r})",
                                        f'"{name}" not implemented for {as_dtype(dtype).name}: '
                                        "indices are int64 or int32", "leave dtype out")
        found = _in_triangle(text == "lower", *size, offset, numpy_dtype(dtype, int64))
        return finish(found, False, device, layout, pin_memory)
    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = f"""The indices of the {text} triangle of a (row, col) matrix: each cell's row, and its column.

    Cells on the diagonal `offset` and {'below' if text == 'lower' else 'above'} belong to it.
    Raises: ShapeError (a RuntimeError): a negative size. ArgumentTypeError (a TypeError): no whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(2, 2)
        {answer}
    """
    return creator(indices)


tril_indices = _triangle("tril_indices", "lower", "tensor([[0, 1, 1],\n                [0, 0, 1]])")
triu_indices = _triangle("triu_indices", "upper", "tensor([[0, 0, 1],\n                [0, 1, 1]])")

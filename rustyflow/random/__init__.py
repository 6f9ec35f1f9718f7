"""New random tensors, with PyTorch's own numbers: after `manual_seed(s)` either import shows the same figures.

How far the agreement goes is said in `stream`.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from ..arguments.numbers import no_tuple, numbers, whole
from ..backends import backend
from ..dispatch import apply_inplace, need_dtype, resize
from ..dtype import NAMED as dt, as_dtype, get_default_dtype, iinfo
from ..errors import ArgumentTypeError, ShapeError, UnsupportedDTypeError
from ..layout import contiguous_stride
from ..ops.creation import creator, finish, one_by_one, refuse_absent, shape_of, zeros_like
from ..tensor import Tensor
from ..tensor.memory_format import is_row_major
from .draw import drawn_into
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    source_of,
)
from .sample import bernoulli, multinomial, normal_around
from .shuffle import MOST
from .stream import in_memory_order

__all__ = ["Generator", "bernoulli", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
           "multinomial", "normal", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
           "seed", "set_rng_state"]


def _new(name, size, drawn, out, dtype, device, requires_grad, layout, pin_memory) -> Tensor:
    """A tensor that drawn(NumPy array) has filled, or `out` of the same numbers."""
    refuse_absent(layout, pin_memory)
    shape = shape_of(size, name)
    if out is None:
        d = as_dtype(dtype) if dtype is not None else get_default_dtype()
        return finish(drawn(np.empty(shape, d.numpy)), requires_grad, device)
    need_dtype(name, dtype, out)
    resize(name, out, shape, contiguous_stride(shape))
    return apply_inplace(drawn_into, out, drawn=drawn)


@creator
def rand(*sizes, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
         pin_memory=False) -> Tensor:
    """Uniform numbers in [0, 1), in a floating dtype.

    Raises:
        UnsupportedDTypeError (a NotImplementedError): an integer dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.rand.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.rand(2, 2)
        tensor([[0.7576, 0.2793],
                [0.4031, 0.7347]])
    """
    source = source_of(generator)
    return _new("rand", one_by_one("rand", sizes, size), lambda a: source.uniform(0, 1, a), out, dtype,
                device, requires_grad, layout, pin_memory)


@creator
def randn(*sizes, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
          pin_memory=False) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1, in a floating dtype.

    Raises:
        UnsupportedDTypeError (a NotImplementedError): an integer dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.randn.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.randn(3)
        tensor([0.6614, 0.2669, 0.0617])
    """
    source = source_of(generator)
    return _new("randn", one_by_one("randn", sizes, size), lambda a: source.normal(0, 1, a), out, dtype,
                device, requires_grad, layout, pin_memory)


@creator
def normal(mean, std=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
           requires_grad=False, pin_memory=False) -> Tensor:
    """Normal numbers: of one mean and std in a given size, or of tensors of means, of stds.

    A mean, a std or both may stand for every place.

    Raises:
        RandomError (a RuntimeError): a negative std.
        ArgumentTypeError (a TypeError): numbers without a size, or a size beside tensors.
    Source: https://pytorch.org/docs/stable/generated/torch.normal.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> rf.normal(10., 2., (2,)), rf.normal(rf.tensor([0., 100.]), 1.)
        (tensor([13.0820,  9.4131]), tensor([ -2.1788, 100.5684]))
    """
    source = source_of(generator)
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if tensors and (size is None or any([x._a.ndim for x in tensors])):
        told = {"size": size, "dtype": dtype, "layout": layout, "device": device,
                "requires_grad": requires_grad or None, "pin_memory": pin_memory or None}
        key = next((key for key, value in told.items() if value is not None), None)
        if key is not None:
            raise ArgumentTypeError(f"normal(..., {key}={told[key]!r:.40})",
                                    f"normal() takes its size and its dtype from its tensors, and no '{key}'",
                                    f"leave {key} away, and call .to() or .requires_grad_() on what is drawn")
        drawn = normal_around(mean, 1.0 if std is None else std, source)
        if out is None:
            return drawn
        if isinstance(std, Tensor):  # beside a number PyTorch adds the mean to what out has already
            resize("normal", out, drawn._a.shape, contiguous_stride(drawn._a.shape))
        return out.copy_(drawn)
    if std is None or size is None:
        raise ArgumentTypeError(f"normal({mean!r:.60}, {std!r:.60}, {size!r:.60})",
                                "normal() without tensors needs a mean, a std and a size",
                                "rustyflow.normal(0.0, 1.0, (3,))")
    if not isinstance(size, (tuple, list)):
        raise no_tuple("normal", "size", size, "rustyflow.normal(0.0, 1.0, (3,))")
    mean, std = numbers("normal", mean=mean, std=std)
    return _new("normal", (size,), lambda a: source.normal(mean, std, a), out, dtype, device,
                requires_grad, layout, pin_memory)


@creator
def randint(low=None, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False, pin_memory=False) -> Tensor:
    """Whole numbers from low (0 when only one bound is given) up to, not including, high; int64 unless said otherwise.

    Raises:
        RandomError (a RuntimeError): no number between the bounds, or one the dtype lacks.
        ArgumentTypeError (a TypeError): bounds or size that are not whole.
    Source: https://pytorch.org/docs/stable/generated/torch.randint.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.randint(3, 10, (4,))
        tensor([3, 6, 7, 6])
    """
    if size is None:
        low, high, size = (0, low, high) if high is not None else (low, high, size)
    elif high is None:
        low, high = 0, low
    low = 0 if low is None else low
    if not isinstance(size, (tuple, list)):
        raise no_tuple("randint", "size", size, "e.g. randint(0, 10, (3,))")
    (low, high), source = whole("randint", low=low, high=high), source_of(generator)
    return _new("randint", (size,), lambda a: source.integers(low, high, a), out,
                dtype or (out.dtype if out is not None else dt.int64), device, requires_grad, layout, pin_memory)


@creator
def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False) -> Tensor:
    """The numbers 0 .. n-1 in random order, int64 unless said otherwise.

    Raises:
        ShapeError (a RuntimeError): n is negative, or too large for the dtype, or over 2**31 - 1, which PyTorch takes.
        ArgumentTypeError (a TypeError): n is not whole.
    Source: https://pytorch.org/docs/stable/generated/torch.randperm.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.randperm(5)
        tensor([0, 4, 2, 3, 1])
    """
    (n,), source = whole("randperm", n=n), source_of(generator)
    d = as_dtype(dtype) if dtype is not None else out.dtype if out is not None else dt.int64
    if d is dt.bool:
        raise UnsupportedDTypeError("randperm in bool",
                                    "randperm is not implemented for bool: it needs a dtype that counts",
                                    "dtype=rustyflow.int64")
    most = 2 ** (np.finfo(d.numpy).nmant + 1) + 1 if d.is_floating_point else iinfo(d).max + 1
    if n > min(most, MOST):
        raise ShapeError(f"randperm({n}, dtype={d!r})", f"n cannot be greater than {min(most, MOST)} for {d!r}",
                         "leave dtype away: int64 holds them all" if n <= MOST else "fewer: these would take 17 GB")
    return _new("randperm", (n,), source.permutation, out, d, device, requires_grad, layout, pin_memory)


def _like(name, input, draw, dtype, device, requires_grad, layout, pin_memory, memory_format) -> Tensor:
    """A tensor of another's layout, filled by draw(NumPy array, contiguous) in the order of its memory."""
    is_row_major(name, memory_format)
    out = zeros_like(input, dtype=dtype, device=device, layout=layout, pin_memory=pin_memory,
                     memory_format=memory_format)
    a = out._a
    drawn = in_memory_order(a, lambda part, order: draw(part, a.flags.c_contiguous))
    if drawn is not a:
        backend.write(a, drawn)
    return out.requires_grad_() if requires_grad else out


@creator
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
              pin_memory=False, memory_format=None) -> Tensor:
    """Uniform numbers in [0, 1), in another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.rand_like.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.rand_like(rf.zeros(2))
        tensor([0.7576, 0.2793])
    """
    source = source_of(generator)
    return _like("rand_like", input, lambda a, contiguous: source.uniform(0, 1, a), dtype,
                 device, requires_grad, layout, pin_memory, memory_format)


@creator
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
               pin_memory=False, memory_format=None) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1, in another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.randn_like.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.randn_like(rf.zeros(2))
        tensor([0.6614, 0.2669])
    """
    source = source_of(generator)
    return _like("randn_like", input, lambda a, contiguous: source.normal(0, 1, a, contiguous), dtype,
                 device, requires_grad, layout, pin_memory, memory_format)


@creator
def randint_like(input, low=None, high=None, *, generator=None, dtype=None, layout=None, device=None,
                 requires_grad=False, pin_memory=False, memory_format=None) -> Tensor:
    """Whole numbers from low (0 when only one bound is given) to below high, in another tensor's shape and dtype.

    Source: https://pytorch.org/docs/stable/generated/torch.randint_like.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> rf.randint_like(rf.zeros(2), 10)
        tensor([5., 9.])
    """
    if low is None or high is None:
        low, high = 0, low if high is None else high
        if isinstance(high, Tensor):  # alone it may be one of floats as well
            if high._a.ndim:
                raise ShapeError(f"randint_like(high=a tensor of shape {tuple(high.shape)})",
                                 "high must be a scalar tensor and on CPU", "high=10")
            high = int(high.item())
    (low, high), source = whole("randint_like", low=low, high=high), source_of(generator)
    return _like("randint_like", input, lambda a, contiguous: source.integers(low, high, a), dtype,
                 device, requires_grad, layout, pin_memory, memory_format)


@contextmanager
def fork_rng(devices=None, enabled=True):
    """A `with` block whose random numbers leave the generator as it was, so that what follows draws the same ones.

    Source: https://pytorch.org/docs/stable/random.html

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(1)
        >>> with rf.random.fork_rng():
        ...     first = rf.rand(2)
        >>> rf.equal(first, rf.rand(2))
        True
    """
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def __dir__():
    return __all__

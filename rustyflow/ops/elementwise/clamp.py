"""Values kept between two bounds, or on one side of one: clamp, clamp_min, clamp_max."""
from __future__ import annotations

from ...arguments.numbers import check_numbers
from ...dispatch import also_called, apply, apply_inplace, function, need_tensors, not_a_tensor, op, renamed
from ...errors import ArgumentTypeError, DTypeError, UnsupportedDTypeError, kind_of
from ...tensor import Tensor


@op(inplace=True)
class clamp:
    """y = minimum(maximum(x, low), high)
    dx = g if low <= x <= high else 0
    dlow = g if x < low and low < high else 0
    dhigh = g if x > high or high < low else 0

    `min` and `max` are numbers or tensors, either may be left out; `max` wins where they cross. Shapes broadcast.
    Raises: DTypeError (a RuntimeError): neither is given, or a number that the dtype cannot hold. ArgumentTypeError (a
    TypeError): one a number, the other a tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.clamp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.clamp(rf.tensor([-3., 0.5, 9.]), -1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
    """
    tensors, kinks = ("x",), "at a bound x gets the gradient"
    def forward(F, x, low=None, high=None): return F.clamp(x, low, high)
    def into(F, x, low=None, high=None): F.clamp(x, low, high, out=x)

    def grad_x(F, g, x, low, high):
        inside = x >= low if high is None else x <= high if low is None else (x >= low) & (x <= high)
        return F.kept_where(inside, g)

    def grad_low(F, g, x, low, high): return F.kept_where(x < low if high is None else (x < low) & (low < high), g)
    def grad_high(F, g, x, low, high): return F.kept_where(x > high if low is None else (x > high) | (high < low), g)

    def call(input, min=None, max=None): return apply(*_clamp(input, min, max))
    def write(input, min=None, max=None): return apply_inplace(*_clamp(input, min, max))


def _clamp(input, min, max):
    """The op and its operands, once the bounds are known to be of one kind."""
    need_tensors("clamp", input=input)
    if min is None and max is None:
        raise DTypeError("clamp(x)", "torch.clamp: At least one of 'min' or 'max' must not be None", "clamp(x, min=0)")
    if isinstance(min, Tensor) != isinstance(max, Tensor) and min is not None and max is not None:
        # beside a number, a tensor without axes is one too
        min, max = [x.item() if isinstance(x, Tensor) and not (x._a.ndim or x.requires_grad) else x for x in (min, max)]
    if min is not None and max is not None and isinstance(min, Tensor) != isinstance(max, Tensor):
        raise ArgumentTypeError(f"clamp(min={kind_of(min)}, max={kind_of(max)})",
                                "clamp(): min and max are both numbers, or both tensors",
                                "rustyflow.tensor(number)", value=min)
    if input._a.dtype.kind == "b":
        bounds = [x for x in (min, max) if x is not None]
        if len(bounds) > 1 or not isinstance(bounds[0], Tensor):
            _need_number("clamp", bounds)
    check_numbers("clamp", input, min, max)
    return clamp.op if isinstance(min, Tensor) or isinstance(max, Tensor) else clamp_numbers, input, min, max


def _need_number(name, bounds):
    """Refuse bools between bools, which PyTorch compares with those of one tensor alone."""
    if all([isinstance(x, bool) or isinstance(x, Tensor) and x._a.dtype.kind == "b" for x in bounds]):
        raise UnsupportedDTypeError(f"{name} of bools between bools", f"{name} needs numbers, not bools",
                                    "x.int(), or & and |")


clamp_numbers = renamed(clamp.op, "ClampBackward1", [0])
_BELOW = [renamed(clamp.op, f"ClampMinBackward{k}", [0, 1][:k + 1], "clamp_min") for k in (0, 1)]
_ABOVE = [renamed(clamp.op, f"ClampMaxBackward{k}", [0, 2][:k + 1], "clamp_max") for k in (0, 1)]


@function(inplace=lambda input, min: apply_inplace(*_min(input, min)))
def clamp_min(input, min):
    """maximum(x, min), with all the gradient to x where they are equal.

    Source: https://pytorch.org/docs/stable/generated/torch.clamp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.clamp_min(rf.tensor([-3, 2]), 0)
        tensor([0, 2])
    """
    return apply(*_min(input, min))


def _min(x, bound): return _BELOW[isinstance(bound, Tensor)], x, _bound("clamp_min", "min", x, bound), None


@function(inplace=lambda input, max: apply_inplace(*_max(input, max)))
def clamp_max(input, max):
    """minimum(x, max), with all the gradient to x where they are equal.

    Source: https://pytorch.org/docs/stable/generated/torch.clamp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.clamp_max(rf.tensor([-3, 2]), 0)
        tensor([-3,  0])
    """
    return apply(*_max(input, max))


def _max(x, bound): return _ABOVE[isinstance(bound, Tensor)], x, None, _bound("clamp_max", "max", x, bound)


def _bound(name, argument, x, value):
    if value is None:
        raise not_a_tensor(name, argument, value)
    check_numbers(name, x, value)
    if x._a.dtype.kind == "b" and not isinstance(value, Tensor):
        _need_number(name, [value])
    return value


also_called(clamp, "clip")

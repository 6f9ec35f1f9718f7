"""Activations that turn at a threshold of their own, and gates; the others are in `activation` and `piecewise`."""
from __future__ import annotations

from ...arguments.numbers import fitting
from ...dispatch import OPS, apply, function, need_tensors, op
from ...errors import DTypeError, ShapeError
from ...layout import wrap_dim
from ...tensor import Tensor
from .activation import run


@op(public=False, method=False)
class threshold:
    """y = value if x <= at else x        dx = 0 if x <= at else g

    Of whole numbers, both numbers are cut to whole ones.
    Shapes: input of any shape; the result has the same.
    Raises: ArgumentTypeError (a TypeError): a threshold or a value that is no number.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.threshold(rf.tensor([-1., 0.5, 2.]), 1.0, 9.0)
        tensor([9., 9., 2.])
    """
    takes, kinks, written = "iuf", "where x = at the gradient is 0", "ThresholdBackward1"
    elementwise = True
    def forward(F, x, *, at, value): return F.where(x <= at, F.number(value, x.dtype), x)
    def grad_x(F, g, x, *, at, value): return F.constant_in(F.where(x <= at, 0.0, g), x)

    def call(input, threshold, value, inplace=False):
        at = fitting("threshold", "threshold", threshold, (input,), wide=True)
        at = int(at) if isinstance(input, Tensor) and input._a.dtype.kind != "f" else at
        value = fitting("threshold", "value", value, (input,))
        return run(OPS["threshold"], input, inplace, at=at, value=value)


@op(public=False)
class hardshrink:
    """y = 0 if -lambd <= x <= lambd else x        dx = 0 if -lambd <= x <= lambd else g

    Floating dtypes.
    Shapes: input of any shape; the result has the same.
    Raises: ArgumentTypeError (a TypeError): a lambd that is no number. UnsupportedDTypeError (a NotImplementedError):
        whole numbers and bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.hardshrink(rf.tensor([-1., 0.3, 2.]))
        tensor([-1.,  0.,  2.])
    """
    takes, kinks, elementwise = "f", "at -lambd and lambd the gradient is 0", True
    def forward(F, x, *, lambd): return F.where((x >= -lambd) & (x <= lambd), F.number(0, x.dtype), x)
    def grad_x(F, g, x, *, lambd): return F.constant_in(F.where((x >= -lambd) & (x <= lambd), 0.0, g), x)

    def call(input, lambd=0.5):
        return apply(hardshrink.op, input, lambd=fitting("hardshrink", "lambd", lambd, (input,)))


@op(public=False, method=False)
class softshrink:
    """y = 0 if -lambd <= x <= lambd else x - lambd if x > 0 else x + lambd
    dx = 0 if -lambd <= x <= lambd else g

    Floating dtypes.
    Shapes: input of any shape; the result has the same.
    Raises: ShapeError (a RuntimeError): lambd below 0.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softshrink.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.softshrink(rf.tensor([-1., 0.3, 2.]))
        tensor([-0.5000,  0.0000,  1.5000])
    """
    takes, kinks, elementwise = "f", "at -lambd and lambd the gradient is 0", True
    def grad_x(F, g, x, *, lambd): return F.constant_in(F.where((x >= -lambd) & (x <= lambd), 0.0, g), x)

    def call(input, lambd=0.5):
        lambd = fitting("softshrink", "lambd", lambd, (input,))
        if not 0 <= lambd < float("inf"):
            raise ShapeError(f"softshrink(lambd={lambd})",
                             f"lambda must be in the range from 0 to the dtype's largest number, but found {lambd}",
                             "a positive lambd")
        return apply(softshrink.op, input, lambd=lambd)


@op(public=False, method=False)
class prelu_kernel:
    """y = x if x > 0 else weight * x
    dx = g if x > 0 else g * weight
    dweight = 0 if x > 0 else g * x
    """
    called, takes, tensors = "prelu(input, weight)", "f", ("x", "weight")
    kinks = "at x = 0 the gradient is that of the left side"
    def forward(F, x, weight): return F.prelu(x, weight)
    def grad_x(F, g, x, weight): return F.where(x > 0, g, g * weight)
    def grad_weight(F, g, x): return F.kept_where(~(x > 0), g * x, True)


@function
def prelu(input, weight):
    """x where x > 0, else weight * x: a leaky_relu that learns its slope.

    One number or one per channel (dim 1).

    Shapes: input of any shape with weight (1,), or (N, C, ...) with weight (C,); the result has the input's.
    Raises:
        ShapeError, DTypeError (RuntimeErrors): another number of weights than channels, another dtype than the input's.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html; He et al., arXiv 1502.01852

    Example:
        >>> import rustyflow as rf
        >>> rf.prelu(rf.tensor([[-2., -2., 2.]]), rf.tensor([0.1, 0.5, 0.5]))
        tensor([[-0.2000, -1.0000,  2.0000]])
    """
    if input._a.dtype is not weight._a.dtype:
        raise DTypeError(f"input of {input.dtype!r}, weight of {weight.dtype!r}",
                         f"prelu: Type promoting not supported. Got {input.dtype.name} and {weight.dtype.name}",
                         f"weight.to({input.dtype!r})")
    shape, n = input._a.shape, weight._a.size
    if weight._a.ndim > 1:
        raise ShapeError(f"weight of shape {tuple(weight.shape)}",
                         f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight._a.ndim}",
                         "weight.flatten()")
    if n != 1:
        channels = shape[1] if len(shape) > 1 else 1
        if not shape or channels != n:
            raise ShapeError(f"input of shape {tuple(shape)}, {n} weights",
                             "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                             f"{n} and channel size = {channels}.", "one weight, or one per channel, which is dim 1")
    if weight._a.ndim != len(shape):
        weight = weight.reshape([n if d == 1 else 1 for d in range(len(shape))])
    return apply(prelu_kernel.op, input, weight)


@op(public=False, method=False)
class glu:
    """y = first(x, dim) * s
    dx = joined(g * s, g * first(x, dim) * s * (1 - s), dim) with s = 1 / (1 + exp(-second(x, dim)))

    One half of the input along dim, each cell through a gate: the sigmoid of its partner in the other half.
    Shapes: input of an even size along dim; the result has half of it, and all else the same.
    Raises: ShapeError (a RuntimeError): an odd size along dim, or no axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.glu.html; Dauphin et al., arXiv 1612.08083

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.functional.glu(rf.tensor([3., 4., 0., 100.]))
        tensor([1.5000, 4.0000])
    """
    takes = "f"

    def forward(F, x, *, dim):
        n = x.shape[dim] // 2
        return F.narrow(x, dim, 0, n) * F.sigmoid(F.narrow(x, dim, n, n))

    def grad_x(F, g, x, *, dim): return F.glu_input(g, x, dim)

    def call(input, dim=-1):
        if not input._a.ndim:
            raise ShapeError("glu of a 0-d tensor", "glu does not support 0-dimensional tensors",
                             "an axis to be halved")
        at = wrap_dim(dim, input._a.ndim)
        if input._a.shape[at] % 2:
            raise ShapeError(f"glu along dim {dim} of shape {tuple(input.shape)}",
                             f"Halving dimension must be even, but dimension {at} is size {input._a.shape[at]}",
                             "an axis of even size")
        return apply(glu.op, input, dim=at)


@function(public=False, method=False)
def tanhshrink(input):
    """x - tanh(x).

    Shapes: input of any shape; the result has the same.
    Raises:
        DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.tanhshrink.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.tanhshrink(rf.tensor([-2., 0., 2.]))
        tensor([-1.0360,  0.0000,  1.0360])
    """
    need_tensors("tanhshrink", input=input)
    return input - input.tanh()


@function(public=False, method=False)
def softsign(input):
    """x / (1 + abs(x)).

    Shapes: input of any shape; the result has the same.
    Raises:
        UnsupportedDTypeError (a NotImplementedError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.softsign.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.softsign(rf.tensor([-1., 0., 3.]))
        tensor([-0.5000,  0.0000,  0.7500])
    """
    need_tensors("softsign", input=input)
    return input / (input.abs() + 1)

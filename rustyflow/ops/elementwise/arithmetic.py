"""Sums, differences, products and signs; quotients are in `division`."""
from __future__ import annotations

from ...arguments.numbers import fitting
from ...dispatch import also_called, apply, apply_inplace, direct, function, need_tensors, op, renamed
from ...dtype import common_dtype
from ...errors import DTypeError
from ...tensor import Tensor


def factor(name: str, argument: str, value, *operands):
    """Check a number that multiplies operands: whole for whole numbers, True or False for bools.

    Raises:
        ArgumentTypeError (a TypeError): no number. DTypeError (a RuntimeError): a number that the operands' dtype
        cannot hold.
    """
    value = fitting(name, argument, value, operands)
    if isinstance(value, bool) and common_dtype(*operands).category:
        raise DTypeError(f"{name} with {argument}={value}", f"Boolean {argument} only supported for Boolean results.",
                         f"{argument}={int(value)}")
    if isinstance(value, int):
        return value
    for x in operands:
        if isinstance(x, Tensor) and x._a.dtype.kind == "f":
            return value
    if not (common := common_dtype(*operands)).is_floating_point:
        raise DTypeError(f"{name} of {common.name} with {argument}={value}",
                         f"For integral input tensors, argument {argument} must not be a floating point number.",
                         "convert the tensors first, e.g. x.float()")
    return value


@op(inplace=True)
class add:
    """y = a + b        da = g        db = g

    Sum of two tensors, or of a tensor and a number, with `alpha` times b when given; shapes broadcast, bools give `or`.
    Raises: BroadcastError (a RuntimeError).
    Source: https://pytorch.org/docs/stable/generated/torch.add.html

    Example:
        >>> import rustyflow as rf
        >>> rf.add(rf.tensor([1., 2.]), rf.tensor([10., 20.]), alpha=2)
        tensor([21., 42.])
    """
    def forward(F, a, b): return a + b
    def into(F, a, b): a += b
    def grad_a(F, g): return g
    def grad_b(F, g): return g

    def call(input, other, *, alpha=1):
        if alpha.__class__ is int and alpha == 1:
            return plus(input, other)
        return apply(add_scaled.op, input, other, alpha=factor("add", "alpha", alpha, input, other))

    def write(input, other, *, alpha=1):
        if alpha.__class__ is int and alpha == 1:
            return apply_inplace(add.op, input, other)
        return apply_inplace(add_scaled.op, input, other, alpha=factor("add_", "alpha", alpha, input, other))


plus = direct(add.op)


@op(public=False, method=False)
class add_scaled:
    """y = a + alpha * b        da = g        db = alpha * g"""
    elementwise, called, torch_name = True, "add(input, other)", "AddBackward0"
    def forward(F, a, b, *, alpha): return a + b * F.number(alpha, b.dtype)
    def into(F, a, b, *, alpha): F.add_scaled(a, b, F.number(alpha, b.dtype))
    def grad_a(F, g, *, alpha): return g
    def grad_b(F, g, *, alpha): return g * alpha


@op(inplace=True)
class sub:
    """y = a - b        da = g        db = -g

    Difference of two tensors, or of a tensor and a number, with `alpha` times b when given; shapes broadcast.
    Raises: DTypeError (a RuntimeError): bools; use `^` or `logical_xor`. BroadcastError (a RuntimeError).
    Source: https://pytorch.org/docs/stable/generated/torch.sub.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sub(rf.tensor([[1., 2.], [3., 4.]]), rf.tensor([1., 2.]))
        tensor([[0., 0.],
                [2., 2.]])
    """
    refuses = "b"
    def forward(F, a, b): return a - b
    def into(F, a, b): a -= b
    def grad_a(F, g): return g
    def grad_b(F, g): return -g

    def call(input, other, *, alpha=1):
        if alpha.__class__ is int and alpha == 1:
            return minus(input, other)
        return apply(sub_scaled.op, input, other, alpha=factor("sub", "alpha", alpha, input, other))

    def write(input, other, *, alpha=1):
        if alpha.__class__ is int and alpha == 1:
            return apply_inplace(sub.op, input, other)
        return apply_inplace(sub_scaled.op, input, other, alpha=factor("sub_", "alpha", alpha, input, other))


minus = direct(sub.op)


@op(public=False, method=False)
class sub_scaled:
    """y = a - alpha * b        da = g        db = -alpha * g"""
    elementwise, called, torch_name, refuses = True, "sub(input, other)", "SubBackward0", "b"
    def forward(F, a, b, *, alpha): return a + b * F.number(-alpha, b.dtype)
    def into(F, a, b, *, alpha): F.add_scaled(a, b, F.number(-alpha, b.dtype))
    def grad_a(F, g, *, alpha): return g
    def grad_b(F, g, *, alpha): return g * -alpha


@function(method=False)
def rsub(input, other, *, alpha=1):
    """other - alpha * input.

    Source: https://pytorch.org/docs/stable/generated/torch.sub.html

    Example:
        >>> import rustyflow as rf
        >>> rf.rsub(rf.tensor([1, 2]), 10)
        tensor([9, 8])
    """
    need_tensors("rsub", input=input)
    if alpha.__class__ is int and alpha == 1:
        return apply(_from_tensor if isinstance(other, Tensor) else from_number, other, input)
    if isinstance(other, Tensor):
        return apply(_scaled_from_tensor, other, input, alpha=factor("rsub", "alpha", alpha, other, input))
    return sub(other, input, alpha=alpha)


from_number, _from_tensor = renamed(sub.op, "RsubBackward1", [1]), renamed(sub.op, "RsubBackward0", [1, 0])
_scaled_from_tensor = renamed(sub_scaled.op, "RsubBackward0", [1, 0])


@op(inplace=True)
class mul:
    """y = a * b        da = g * b        db = g * a

    Product, element by element; shapes broadcast, bools give `and`.
    Raises: BroadcastError (a RuntimeError).
    Source: https://pytorch.org/docs/stable/generated/torch.mul.html

    Example:
        >>> import rustyflow as rf
        >>> rf.mul(rf.tensor([[1., 2.], [3., 4.]]), rf.tensor([10., 100.]))
        tensor([[ 10., 200.],
                [ 30., 400.]])
    """
    wide = True
    def forward(F, a, b): return a * b
    def into(F, a, b): a *= b
    def grad_a(F, g, b): return g * b
    def grad_b(F, g, a): return g * a


@op(inplace=True)
class neg:
    """y = -x        dx = -g

    Raises: DTypeError (a RuntimeError): bools; use `~` or `logical_not`.
    Source: https://pytorch.org/docs/stable/generated/torch.neg.html

    Example:
        >>> import rustyflow as rf
        >>> rf.neg(rf.tensor([1, -2]))
        tensor([-1,  2])
    """
    refuses = "b"
    def forward(F, x): return -x
    def grad_x(F, g): return -g


@function
def positive(input):
    """The tensor itself: what `+x` means.

    Raises: DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.positive.html

    Example:
        >>> import rustyflow as rf
        >>> +rf.tensor([1, -2])
        tensor([ 1, -2])
    """
    if input._a.dtype.kind == "b":
        raise DTypeError("+ of a tensor of bools", "The `+` operator, on a bool tensor is not supported.", "x.int()")
    return input


@op(inplace=True)
class abs:
    """y = abs(x)        dx = g * sign(x)

    Source: https://pytorch.org/docs/stable/generated/torch.abs.html

    Example:
        >>> import rustyflow as rf
        >>> rf.abs(rf.tensor([-1.5, 2.]))
        tensor([1.5000, 2.0000])
    """
    takes, kinks = "iuf", "at x = 0 the gradient is 0"
    def grad_x(F, g, x): return g * F.sign(x)


@op(inplace=True)
class sign:
    """y = sign(x)        dx = 0

    -1, 0 or 1, by the sign of x.
    Source: https://pytorch.org/docs/stable/generated/torch.sign.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sign(rf.tensor([-2.5, 0., 7.]))
        tensor([-1.,  0.,  1.])
    """
    def grad_x(F, g): return F.zeros_like(g)


@function(inplace=lambda input: apply_inplace(_sgn, input))
def sgn(input):
    """`sign`, under the name that also takes complex numbers in PyTorch.

    Source: https://pytorch.org/docs/stable/generated/torch.sgn.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sgn(rf.tensor([-2.5, 0., 7.]))
        tensor([-1.,  0.,  1.])
    """
    return apply(_sgn, input)


_sgn = renamed(sign.op, "SgnBackward0", called="sgn")


@op(inplace=True)
class reciprocal:
    """y = 1 / x        dx = -g * y * y

    Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.reciprocal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.reciprocal(rf.tensor([1., 4.]))
        tensor([1.0000, 0.2500])
    """
    promote = "float"
    def forward(F, x): return 1 / x
    def grad_x(F, g, y): return -g * (y * y)


add_number, sub_number, mul_number = (renamed(it.op, f"{it.__name__.capitalize()}Backward1", [0])
                                      for it in (add, sub, mul))
"""With a number, as PyTorch calls it within its own functions."""


also_called(sub, "subtract")
also_called(mul, "multiply")
also_called(neg, "negative")
also_called(abs, "absolute")

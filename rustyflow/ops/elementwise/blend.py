"""Three operands in one op: a tensor plus a product or quotient, and a way between two tensors."""
from __future__ import annotations

from ...arguments.numbers import fitting
from ...dispatch import apply, apply_inplace, check_shape, not_a_tensor, op, promoted, renamed, unfit
from ...errors import DTypeError
from ...layout import broadcast_shapes
from ...tensor import Tensor


def scale(name: str, value, *tensors):
    """The number that multiplies a product or a quotient, checked."""
    return fitting(name, "value", value, tensors, wide=True)


@op(inplace=True)
class addcmul:
    """y = a + value * b * c        da = g        db = g * value * c        dc = g * value * b

    Shapes broadcast. Raises: UnsupportedDTypeError (a NotImplementedError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.addcmul.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addcmul(rf.zeros(2), rf.tensor([1., 2.]), rf.tensor([3., 4.]), value=0.5)
        tensor([1.5000, 4.0000])
    """
    elementwise, tensors, takes, by = True, ("a", "b", "c"), "iuf", "in_single"
    def forward(F, a, b, c, *, value): return a + (b * c if value == 1 else F.number(value, b.dtype) * b * c)
    def into(F, a, b, c, *, value): F.add_multiplied(a, b, c, value)
    def grad_a(F, g, *, value): return g
    def grad_b(F, g, c, *, value): return g * (c * value)
    def grad_c(F, g, b, *, value): return g * (b * value)

    def call(input, tensor1, tensor2, *, value=1):
        return apply(addcmul.op, input, tensor1, tensor2, value=scale("addcmul", value, input, tensor1, tensor2))

    def write(input, tensor1, tensor2, *, value=1):
        value = scale("addcmul_", value, input, tensor1, tensor2)
        return apply_inplace(addcmul.op, input, tensor1, tensor2, value=value)


def need_floating(*factors) -> None:
    """Refuse a quotient of whole numbers.

    Raises:
        DTypeError (a RuntimeError).
    """
    if all([isinstance(x, Tensor) and x._a.dtype.kind != "f" for x in factors]):
        raise DTypeError("addcdiv of " + " by ".join(x.dtype.name for x in factors),
                         "Integer division with addcdiv is no longer supported",
                         "convert first: tensor1.float()")


@op(inplace=True)
class addcdiv:
    """y = a + value * b / c        da = g        db = g * value / c        dc = -g * value * b / (c * c)

    Shapes broadcast.
    Raises: DTypeError (a RuntimeError): whole numbers divided by whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.addcdiv.html

    Example:
        >>> import rustyflow as rf
        >>> rf.addcdiv(rf.zeros(2), rf.tensor([1., 2.]), rf.tensor([2., 8.]), value=2)
        tensor([1.0000, 0.5000])
    """
    elementwise, tensors, by = True, ("a", "b", "c"), "in_single"
    def forward(F, a, b, c, *, value): return a + (b if value == 1 else value * b) / c
    def grad_a(F, g, *, value): return g
    def grad_b(F, g, c, *, value): return g * (value / c)
    def grad_c(F, g, b, c, *, value): return -g * (value * b / (c * c))

    def call(input, tensor1, tensor2, *, value=1):
        need_floating(tensor1, tensor2)
        return apply(addcdiv.op, input, tensor1, tensor2, value=scale("addcdiv", value, input, tensor1, tensor2))

    def write(input, tensor1, tensor2, *, value=1):
        need_floating(tensor1, tensor2)
        value = scale("addcdiv_", value, input, tensor1, tensor2)
        return apply_inplace(addcdiv.op, input, tensor1, tensor2, value=value)


@op(inplace=True)
class lerp:
    """y = a + weight * (b - a)        da = g * (1 - weight)        db = g * weight        dweight = g * (b - a)

    From a (weight 0) to b (weight 1) on a straight line; weight is a number or a tensor. Shapes broadcast. Worked out
    as y = a + weight * (b - a) if abs(weight) < 0.5 else b - (b - a) * (1 - weight), so that each end is met exactly.
    Raises: DTypeError (a RuntimeError): tensors of different dtypes.
    Source: https://pytorch.org/docs/stable/generated/torch.lerp.html

    Example:
        >>> import rustyflow as rf
        >>> rf.lerp(rf.tensor([0., 10.]), rf.tensor([10., 20.]), 0.25)
        tensor([ 2.5000, 12.5000])
    """
    torch_name, takes, tensors = "LerpBackward1", "f", ("a", "b")
    def grad_a(F, g, weight): return g * (1 - weight)
    def grad_b(F, g, weight): return g * weight
    def grad_weight(F, g, a, b): return g * (b - a)

    def call(input, end, weight):
        it, weight = _lerp(input, end, weight)
        return apply(it, input, end, weight)

    def write(input, end, weight):
        it, weight = _lerp(input, end, weight, over=True)
        return apply_inplace(it, input, end, weight)


def _lerp(input, end, weight, over=False):
    """The op for a weight that is a tensor or a number, of dtypes that are one; and the weight."""
    if isinstance(weight, Tensor) and not weight._a.ndim and not weight.requires_grad:
        if isinstance(input, Tensor) and weight.dtype is not input.dtype:
            weight = weight.item()
    if weight is None or isinstance(weight, (str, list, tuple)):
        raise not_a_tensor("lerp", "weight", weight, number=True)
    dtypes = [x.dtype for x in (input, end, weight) if isinstance(x, Tensor)]
    if dtypes and dtypes.count(dtypes[0]) < len(dtypes):
        raise DTypeError(f"lerp of {', '.join(d.name for d in dtypes)}",
                         f"expected dtype {dtypes[0].name} for `end` and `weight`", "x.to(dtype)")
    if dtypes and not dtypes[0].is_floating_point:
        promoted(lerp.op, (input, end, weight))  # a wrong operand is said first
        shape = broadcast_shapes(input._a.shape, end._a.shape)
        if over:
            check_shape(input, shape, "lerp")
        raise unfit(lerp.op, dtypes[0])
    if isinstance(weight, Tensor):
        return lerp.op, weight
    return lerp_number, fitting("lerp", "weight", weight, (input, end), wide=True)


lerp_number = renamed(lerp.op, "LerpBackward0", [0, 1])

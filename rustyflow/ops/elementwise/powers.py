"""Powers, roots and squares."""
from __future__ import annotations

from ...arguments.numbers import fitted, number
from ...dispatch import apply, apply_inplace, constant, function, inplace_form, not_a_tensor, op, renamed
from ...dtype import common_dtype, float16, float64
from ...errors import DTypeError
from ...tensor import Tensor, wrap


@op(inplace=True)
class pow:
    """y = a ** b        da = g * b * a ** (b - 1) if not b == 0 else 0
    db = g * y * log(a) if not (a == 0 and b >= 0) else 0

    Either may be a number; shapes broadcast. 0 ** 0 is 1. Whole numbers stay whole, and wrap around.
    Raises: DTypeError (a RuntimeError): a tensor of whole numbers to a negative number, or to one its dtype lacks.
    Source: https://pytorch.org/docs/stable/generated/torch.pow.html

    Example:
        >>> import rustyflow as rf
        >>> rf.pow(rf.tensor([1., 2., 3.]), 2), 2 ** rf.tensor([1, 2, 3])
        (tensor([1., 4., 9.]), tensor([2, 4, 8]))
    """
    torch_name, takes, tensors = "PowBackward1", "iuf", "some"

    def grad_a(F, g, a, b):
        if isinstance(b, (int, float)):
            return F.zeros_like(g) if b == 0 else g * (b * F.raised(a, b - 1))
        return F.where(b == 0, 0.0, g * (b * a ** (b - 1)))

    def grad_b(F, g, a, b, y): return F.where((a == 0) & (b >= 0), 0.0, g * (y * F.log(F.type_as(a, y))))

    def call(input, exponent):
        _check_exponent(input, exponent)
        if isinstance(exponent, bool) and isinstance(input, Tensor) and input._a.dtype.kind == "b":
            return input | (not exponent)
        if not isinstance(input, Tensor) and isinstance(exponent, Tensor) and isinstance(input, (int, float)):
            input = float(input) if isinstance(input, float) else input  # one of NumPy's is a number like any other
            return apply(number_pow, wrap(constant(input, common_dtype(input, exponent))), exponent)
        return apply(pow.op if isinstance(exponent, Tensor) else pow_number, input, exponent)

    def write(input, exponent):
        if isinstance(input, Tensor) and input._a.dtype.kind == "b":
            return inplace_form(pow)(input, exponent)
        _check_exponent(input, exponent)
        return apply_inplace(pow.op if isinstance(exponent, Tensor) else pow_number, input, exponent)


def _check_exponent(x, exponent):
    """Refuse powers that are fractions where they must be whole, and exponents that a narrow dtype does not hold.

    Raises:
        DTypeError (a RuntimeError). NumberError (an OverflowError): one of more than 64 bits.
    """
    if not isinstance(exponent, (int, float)) or not isinstance(x, Tensor):
        return
    if isinstance(exponent, int) and exponent < 0 and x._a.dtype.kind in "iub":
        raise DTypeError(f"{x.dtype!r} ** {exponent}", "Integers to negative integer powers are not allowed.",
                         "x.float() ** exponent")
    if not -128 <= exponent <= 127:
        d = common_dtype(x, exponent)
        if d.category == 1 or d is float16:
            fitted("pow", exponent, d)


_square = renamed(pow.op, "PowBackward0", [0], "square")
pow_number, number_pow = renamed(pow.op, "PowBackward0", [0]), renamed(pow.op, "PowBackward2", [1])
# alone of all in rows, whatever the exponent's order of axes is
number_pow.forward = lambda F, a, b: F.pow(a, b) if b.flags.c_contiguous else F.in_rows(lambda b: F.pow(a, b), b)


@function(public=False, method=False)
def raised(x, exponent):
    """x ** exponent, a number, to gradients: recorded even where that is 1, for it has derivatives."""
    return pow(x, exponent)


@function
def float_power(input, exponent):
    """pow in float64, whatever the operands are.

    Source: https://pytorch.org/docs/stable/generated/torch.float_power.html

    Example:
        >>> import rustyflow as rf
        >>> rf.float_power(rf.tensor([4, 9]), 0.5)
        tensor([2., 3.], dtype=rustyflow.float64)
    """
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise not_a_tensor("float_power", "input", input)
    return pow(_double(input), _double(exponent))


def _double(x):
    if isinstance(x, Tensor):
        return x.to(float64)
    return float(number("float_power", "exponent", x)) if isinstance(x, (int, float)) else x


def float_power_(self, exponent):
    """Write `float_power` of the tensor over the tensor itself, which must be float64, and return it.

    Raises:
        DTypeError (a RuntimeError): another dtype. What `pow_` raises.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.float_power_.html

    Example:
        >>> import rustyflow as rf
        >>> rf.tensor([4., 9.], dtype=rf.float64).float_power_(0.5)
        tensor([2., 3.], dtype=rustyflow.float64)
    """
    exponent = _double(exponent) if isinstance(exponent, Tensor) else number("float_power_", "exponent", exponent)
    if self.dtype is not float64:
        raise DTypeError(f"float_power_ on {self.dtype!r}",
                         f"the base given to float_power_ has dtype {self.dtype.name} "
                         "but the operation's result requires dtype float64",
                         "x = x.float_power(exponent)")
    return self.pow_(exponent)


Tensor.float_power_ = float_power_


def _square_over(input):
    if isinstance(input, Tensor) and input._a.dtype.kind == "b":
        return inplace_form(square)(input)
    return apply_inplace(_square, input, 2)


@function(inplace=_square_over)
def square(input):
    """y = x * x        dx = g * 2 * x

    Source: https://pytorch.org/docs/stable/generated/torch.square.html

    Example:
        >>> import rustyflow as rf
        >>> rf.square(rf.tensor([-3., 4.]))
        tensor([ 9., 16.])
    """
    if not isinstance(input, Tensor):
        return apply(pow.op, input, 2)
    return pow(input, 2)


@op(inplace=True)
class sqrt:
    """y = sqrt(x)        dx = g / (2 * y)

    NaN below 0. Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.sqrt.html

    Example:
        >>> import rustyflow as rf
        >>> rf.sqrt(rf.tensor([4., 9., -1.]))
        tensor([2., 3., nan])
    """
    promote = "float"
    def grad_x(F, g, y): return g / (2 * y)


@op(inplace=True)
class rsqrt:
    """y = 1 / sqrt(x)        dx = -0.5 * g * y ** 3

    Integers become floats.
    Source: https://pytorch.org/docs/stable/generated/torch.rsqrt.html

    Example:
        >>> import rustyflow as rf
        >>> rf.rsqrt(rf.tensor([4., 16.]))
        tensor([0.5000, 0.2500])
    """
    promote = "float"
    def grad_x(F, g, y): return -0.5 * g * (y * y * y)


@op(inplace=True)
class hypot:
    """y = sqrt(a * a + b * b)        da = g * a / y        db = g * b / y

    The long side of a right triangle; shapes broadcast. Worked out as y = hypot(a, b), so that no square overflows.
    Raises: UnsupportedDTypeError (a NotImplementedError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.hypot.html

    Example:
        >>> import rustyflow as rf
        >>> rf.hypot(rf.tensor([3.]), rf.tensor([4.]))
        tensor([5.])
    """
    takes, tensors = "f", ("a", "b")
    def grad_a(F, g, a, y): return g * (a / y)
    def grad_b(F, g, b, y): return g * (b / y)

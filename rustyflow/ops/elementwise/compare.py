"""Questions about values, whose answers are bools: larger, equal, close, NaN. They have no gradient."""
from __future__ import annotations

from ...arguments.numbers import numbers
from ...dispatch import also_called, apply, function, op, renamed
from ...errors import DTypeError
from ...tensor import Tensor
from .fill import step


def _compare(name, symbol, forward, answer):
    doc = f"""y = a {symbol} b

    A tensor of bools; b is a tensor or a number; shapes broadcast. NaN is unequal to everything.
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([1, 2, 3]), 2)
        tensor([{answer}])
    """
    steps = [renamed(step.op, f"{name.capitalize()}Backward{k}", shown) for k, shown in enumerate(([0], [0, 1]))]
    return op(type(name, (), {"__doc__": doc, "forward": forward, "tensors": ("a",), "steps": steps,
                              "__module__": __name__}), inplace=True)


def _ask(name, text, answer):
    doc = f"""y = {name}(x)

    {text}
    Source: https://pytorch.org/docs/stable/generated/torch.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.{name}(rf.tensor([1., float("inf"), float("nan")]))
        tensor([{answer}])
    """
    return op(type(name, (), {"__doc__": doc, "__module__": __name__}))


eq = _compare("eq", "==", lambda F, a, b: a == b, "False,  True, False")
ne = _compare("ne", "!=", lambda F, a, b: a != b, " True, False,  True")
lt = _compare("lt", "<", lambda F, a, b: a < b, " True, False, False")
le = _compare("le", "<=", lambda F, a, b: a <= b, " True,  True, False")
gt = _compare("gt", ">", lambda F, a, b: a > b, "False, False,  True")
ge = _compare("ge", ">=", lambda F, a, b: a >= b, "False,  True,  True")
isnan = _ask("isnan", "Whether x is not a number.", "False, False,  True")
isinf = _ask("isinf", "Whether x is infinite, on either side.", "False,  True, False")
isfinite = _ask("isfinite", "Whether x is a number that is not infinite.", " True, False, False")


@op
class isclose:
    """y = a == b or abs(a - b) <= atol + rtol * abs(b) < inf or isnan(a) and isnan(b) if equal_nan \
else a == b or abs(a - b) <= atol + rtol * abs(b) < inf

    Equal infinities are close; NaNs are with `equal_nan`. Shapes broadcast.
    Raises: DTypeError (a RuntimeError): different dtypes, or a negative tolerance.
    Source: https://pytorch.org/docs/stable/generated/torch.isclose.html

    Example:
        >>> import rustyflow as rf
        >>> rf.isclose(rf.tensor([1., 2.]), rf.tensor([1.000001, 2.1]))
        tensor([ True, False])
    """
    elementwise, tensors = True, ("a", "b")
    def forward(F, a, b, *, rtol, atol, equal_nan): return F.isclose(a, b, rtol, atol, equal_nan)

    def call(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        if isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype is not other.dtype:
            raise _different("isclose", input, other)
        if rtol.__class__ is not float or atol.__class__ is not float:
            rtol, atol = numbers("isclose", rtol=rtol, atol=atol)
        if not (rtol >= 0 and atol >= 0):  # NaN is neither
            raise DTypeError(f"isclose(..., rtol={rtol}, atol={atol})",
                             "rtol and atol must be greater than or equal to zero", "rtol=1e-5")
        return apply(isclose.op, input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


def _different(name, a, b):
    return DTypeError(f"{name} of {a.dtype!r} and {b.dtype!r}",
                      f"{a.dtype.name} did not match {b.dtype.name}: both have the same dtype",
                      f"other.to({a.dtype!r})")


@function
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True if all of `isclose` holds: a Python bool.

    Raises: DTypeError (a RuntimeError): different dtypes, or a negative tolerance.
    Source: https://pytorch.org/docs/stable/generated/torch.allclose.html

    Example:
        >>> import rustyflow as rf
        >>> rf.allclose(rf.tensor([1., 2.]), rf.tensor([1., 2.0001]))
        False
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


@function
def equal(input, other):
    """True if two tensors have the same shape and the same values: a Python bool.

    NaN is not equal to itself.

    Source: https://pytorch.org/docs/stable/generated/torch.equal.html

    Example:
        >>> import rustyflow as rf
        >>> rf.equal(rf.tensor([1, 2]), rf.tensor([1, 2]))
        True
    """
    return input._a.shape == other._a.shape and bool((input._a == other._a).all())


also_called(ne, "not_equal")
also_called(lt, "less")
also_called(le, "less_equal")
also_called(gt, "greater")
also_called(ge, "greater_equal")

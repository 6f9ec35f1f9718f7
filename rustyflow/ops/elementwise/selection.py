"""One of several values for each cell: by a condition, or by which is larger."""
from __future__ import annotations

from ...arguments.numbers import check_numbers, number
from ...dispatch import apply, apply_inplace, op, recording
from ...errors import DTypeError, warn
from ...tensor import Tensor


@op(method=False)
class where:
    """y = a if condition else b        da = g if condition else 0        db = 0 if condition else g

    Tensors or numbers; shapes broadcast. With the condition alone: the indices where it holds, one tensor per axis.
    Raises: DTypeError (a RuntimeError): a condition that is no tensor of bools, a number that the dtype cannot hold.
    Source: https://pytorch.org/docs/stable/generated/torch.where.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([-1., 2., -3.])
        >>> rf.where(x > 0, x, 0.)
        tensor([0., 2., 0.])
    """
    apart, tensors = ("condition",), ("condition",)
    def forward(F, condition, a, b): return F.where(condition, a, b)
    def grad_a(F, g, condition): return F.where(condition, g, 0.0)
    def grad_b(F, g, condition): return F.where(condition, 0.0, g)

    def call(condition, input=None, other=None):
        if input is None and other is None:
            return recording.nonzero(condition, as_tuple=True)
        for key, x in (("input", input), ("other", other)):
            if x.__class__ is int:
                number("where", key, x)
        if condition._a.dtype.name == "uint8":
            warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
                 "version of PyTorch. Use a boolean condition instead: condition.bool(), or x != 0")
        elif condition._a.dtype.kind != "b" and input is not None and other is not None:
            raise DTypeError(f"where with a condition of {condition.dtype!r}",
                             "where expected condition to be a boolean tensor, but got a tensor with dtype "
                             f"{condition.dtype.name}", "a comparison gives bools, e.g. x != 0")
        if not any(isinstance(x, Tensor) and x._a.dtype == "float16" for x in (input, other)):
            check_numbers("where", input, other)
        return apply(where.op, condition, input, other)


def _where_method(self, condition, other):
    """The tensor's cells where condition is true, else other's: `rustyflow.where(condition, self, other)`.

    Raises:
        BroadcastError, DTypeError (RuntimeErrors): shapes that do not align, a condition that is not bool.
    Source: https://pytorch.org/docs/stable/generated/torch.Tensor.where.html

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor([-1., 2.])
        >>> x.where(x > 0, 0.)
        tensor([0., 2.])
    """
    return where(condition, self, other)


_where_method.__name__ = _where_method.__qualname__ = "where"
Tensor.where = _where_method


@op(public=False, method=False)
class constant_in:
    """y = a        da = g        dx = 0

    A gradient that depends on x in steps: its own derivative by x is 0, which is more than none at all.
    """
    def forward(F, a, x): return F.copied(a, a.dtype)
    def grad_a(F, g): return g
    def grad_x(F, g): return F.zeros_like(g)


@op
class maximum:
    """y = maximum(a, b)
    da = 0 if a < b else g / 2 if a == b else g
    db = 0 if b < a else g / 2 if a == b else g

    The larger of two, NaN where either is; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.maximum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.maximum(rf.tensor([1, 5]), rf.tensor([4, 2]))
        tensor([4, 5])
    """
    tensors, kinks = ("a", "b"), "where a = b each gets half"
    def grad_a(F, g, a, b): return F.larger_input(g, a, b)
    def grad_b(F, g, a, b): return F.larger_input(g, b, a)


@op
class minimum:
    """y = minimum(a, b)
    da = 0 if a > b else g / 2 if a == b else g
    db = 0 if b > a else g / 2 if a == b else g

    The smaller of two, NaN where either is; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.minimum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.minimum(rf.tensor([1, 5]), rf.tensor([4, 2]))
        tensor([1, 2])
    """
    tensors, kinks = ("a", "b"), "where a = b each gets half"
    def grad_a(F, g, a, b): return F.larger_input(g, b, a)
    def grad_b(F, g, a, b): return F.larger_input(g, a, b)


@op(inplace=True)
class relu:
    """y = maximum(x, 0)        dx = 0 if y <= 0 else g

    Raises: DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.relu(rf.tensor([-1., 2.]))
        tensor([0., 2.])
    """
    refuses, kinks = "b", "at x = 0 the gradient is 0"
    def into(F, x): F.relu(x, out=x)
    def grad_x(F, g, y): return F.constant_in(F.kept_where(~(y <= 0), g), y)


@op(inplace=True)
class nan_to_num:
    """y = nan_to_num(x, nan, posinf, neginf)        dx = g if isfinite(x) else 0

    NaN becomes `nan`, the infinities `posinf` and `neginf`; by default the largest and smallest number of the dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.nan_to_num.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nan_to_num(rf.tensor([float("nan"), float("inf"), 2.]), posinf=9.)
        tensor([0., 9., 2.])
    """
    def forward(F, x, *, nan, posinf, neginf): return F.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    def grad_x(F, g, x, **how): return g * F.isfinite(x)

    def call(input, nan=None, posinf=None, neginf=None):
        return apply(nan_to_num.op, input, **_instead(nan, posinf, neginf))

    def write(input, nan=None, posinf=None, neginf=None):
        return apply_inplace(nan_to_num.op, input, **_instead(nan, posinf, neginf))


def _instead(nan, posinf, neginf):
    """The numbers that NaN and the infinities become."""
    given = {"nan": 0.0 if nan is None else nan, "posinf": posinf, "neginf": neginf}
    return {name: None if value is None else number("nan_to_num", name, value) for name, value in given.items()}

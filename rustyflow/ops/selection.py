"""One of several values for each cell: by a condition, or by which is larger."""
from __future__ import annotations

from ..dtype import common_dtype
from ..errors import ArgumentTypeError, DTypeError, UnsupportedDTypeError
from ..scalars import fitted, number
from ..tensor import Tensor
from ..warn import warn
from .guard import need_tensors
from .registry import alias, apply, apply_inplace, function, not_a_tensor, op, recording, renamed


@op(method=False)
class where:
    """y = a where condition, else b        da = g where condition, else 0        db = 0 where condition, else g

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
        need_tensors("where", condition=condition)
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
            _check_numbers("where", input, other)
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


@function(public=False, method=False)
def kept_where(mask, g, fresh=False):
    """g where mask, else 0, to gradients."""
    return where(mask, g, 0.0)


@op(public=False, method=False)
class flat_in:
    """y = a        da = g        dx = 0

    A gradient that depends on x in steps: its own derivative by x is 0, which is more than none at all.
    """
    def forward(F, a, x): return F.copied(a, a.dtype)
    def grad_a(F, g): return g
    def grad_x(F, g): return F.zeros_like(g)


@function(public=False, method=False)
def scaled(x, factor):
    """x * factor, to gradients."""
    return x * factor


@function(public=False, method=False)
def cellwise(forward, F, *operands, **attrs):
    """A gradient of several passes, as recorded ops."""
    return forward(F, *operands, **attrs)


@function(public=False, method=False)
def larger_input(g, a, b):
    """What a gets of the gradient of the larger of a and b, as recorded ops."""
    return where(a == b, g / 2, where(a < b, 0.0, g))


@op
class maximum:
    """y = maximum(a, b)
    da = g where a > b, g / 2 where a == b, else 0
    db = g where b > a, g / 2 where a == b, else 0

    The larger of two, NaN where either is; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.maximum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.maximum(rf.tensor([1, 5]), rf.tensor([4, 2]))
        tensor([4, 5])
    """
    tensors, kinks = ("a", "b"), "where a = b each gets half"
    def forward(F, a, b): return F.maximum(a, b)
    def grad_a(F, g, a, b): return F.larger_input(g, a, b)
    def grad_b(F, g, a, b): return F.larger_input(g, b, a)


@op
class minimum:
    """y = minimum(a, b)
    da = g where a < b, g / 2 where a == b, else 0
    db = g where b < a, g / 2 where a == b, else 0

    The smaller of two, NaN where either is; shapes broadcast.
    Source: https://pytorch.org/docs/stable/generated/torch.minimum.html

    Example:
        >>> import rustyflow as rf
        >>> rf.minimum(rf.tensor([1, 5]), rf.tensor([4, 2]))
        tensor([1, 2])
    """
    tensors, kinks = ("a", "b"), "where a = b each gets half"
    def forward(F, a, b): return F.minimum(a, b)
    def grad_a(F, g, a, b): return F.larger_input(g, b, a)
    def grad_b(F, g, a, b): return F.larger_input(g, a, b)


@op(inplace=True)
class clamp:
    """y = minimum(maximum(x, low), high)
    dx = g where low <= x <= high, else 0
    dlow = g where x < low and low < high, else 0
    dhigh = g where x > high or high < low, else 0

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
    if not isinstance(input, Tensor):
        raise not_a_tensor("clamp", "input", input)
    if min is None and max is None:
        raise DTypeError("clamp(x)", "torch.clamp: At least one of 'min' or 'max' must not be None",
                         "clamp(x, min=0)")
    if isinstance(min, Tensor) != isinstance(max, Tensor) and min is not None and max is not None:
        # beside a number, a tensor without axes is one too
        min, max = [x.item() if isinstance(x, Tensor) and not (x._a.ndim or x.requires_grad) else x
                    for x in (min, max)]
    if min is not None and max is not None and isinstance(min, Tensor) != isinstance(max, Tensor):
        raise ArgumentTypeError(f"clamp(min={type(min).__name__}, max={type(max).__name__})",
                                "clamp(): min and max are both numbers, or both tensors",
                                "rustyflow.tensor(number)")
    both = isinstance(min, Tensor) and isinstance(max, Tensor)
    if both and all(isinstance(x, Tensor) and x._a.dtype.kind == "b" for x in (input, min, max)):
        raise UnsupportedDTypeError("clamp of bools between bools", "clamp needs numbers, not bools",
                                    "x.int(), or & and |")
    _check_numbers("clamp", input, min, max)
    return clamp.op if isinstance(min, Tensor) or isinstance(max, Tensor) else clamp_numbers, input, min, max


def _check_numbers(name, *operands):
    """Refuse a number that the operands' common dtype cannot hold: wrapped around, it would be another."""
    for x in operands:
        if type(x) in (int, float) and not -128 <= x <= 127:
            fitted(name, x, common_dtype(*[v for v in operands if v is not None]))


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
    if not isinstance(x, Tensor):
        raise not_a_tensor(name, "input", x)
    if value is None:
        raise not_a_tensor(name, argument, value)
    _check_numbers(name, x, value)
    return value


@op(inplace=True)
class relu:
    """y = maximum(x, 0)        dx = 0 where y <= 0, else g

    Raises: DTypeError (a RuntimeError): bools.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.relu.html

    Example:
        >>> import rustyflow as rf
        >>> rf.relu(rf.tensor([-1., 2.]))
        tensor([0., 2.])
    """
    refuses, kinks = "b", "at x = 0 the gradient is 0"
    def forward(F, x): return F.relu(x)
    def into(F, x): F.relu(x, out=x)
    def grad_x(F, g, y): return F.flat_in(F.kept_where(~(y <= 0), g), y)


@op(inplace=True)
class nan_to_num:
    """y = x, with numbers for NaN and the infinities        dx = g where x is finite, else 0

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
    """What NaN and the infinities become."""
    given = {"nan": 0.0 if nan is None else nan, "posinf": posinf, "neginf": neginf}
    return {name: None if value is None else number("nan_to_num", name, value) for name, value in given.items()}


alias(clamp, "clip")

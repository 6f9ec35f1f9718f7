"""Constraints: which numbers the parameters of a distribution may be, and which it can draw.

Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import missing
from ..tensor import Tensor

__all__ = ["Constraint", "boolean", "greater_than", "integer_interval", "interval", "less_than", "multinomial",
           "positive", "real", "real_vector", "simplex", "unit_interval"]  # fmt: skip


@dataclass(frozen=True, repr=False)
class Constraint:
    """A condition on each number, or on each row of a tensor.

    Attributes:
        said: its words. holds: a tensor of bools, from a tensor of numbers. fix: what to write for what breaks it.

    Source: https://pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.Constraint

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.positive
        GreaterThan(lower_bound=0.0)
        >>> rf.distributions.constraints.positive.check(rf.tensor([-1., 2.]))
        tensor([False,  True])
    """

    said: str
    holds: Callable[[Tensor], Tensor]
    fix: str

    def check(self, value: Tensor) -> Tensor:
        """Ask of each number, or of each row, whether it satisfies the constraint; a tensor of bools."""
        return self.holds(value)

    def __repr__(self):
        return self.said


def greater_than(lower_bound: Any) -> Constraint:
    """Numbers above a bound, a number or a tensor.

    Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.greater_than(1).check(rf.tensor([1., 2.]))
        tensor([False,  True])
    """
    said = f"GreaterThan(lower_bound={lower_bound})"
    return Constraint(said, lambda value: value > lower_bound, f"numbers above {_short(lower_bound)}")


def less_than(upper_bound: Any) -> Constraint:
    """Numbers below a bound, a number or a tensor.

    Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.less_than(1).check(rf.tensor([1., 0.]))
        tensor([False,  True])
    """
    said = f"LessThan(upper_bound={upper_bound})"
    return Constraint(said, lambda value: value < upper_bound, f"numbers below {_short(upper_bound)}")


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Numbers between two bounds, each a number or a tensor, and the bounds themselves.

    Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.interval(0, 1).check(rf.tensor([1., 2.]))
        tensor([ True, False])
    """
    said = f"Interval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    fix = f"numbers from {_short(lower_bound)} to {_short(upper_bound)}"
    return Constraint(said, lambda value: (value >= lower_bound) & (value <= upper_bound), fix)


def integer_interval(lower_bound: int, upper_bound: int) -> Constraint:
    """Whole numbers between two bounds, and the bounds themselves.

    Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.integer_interval(0, 2).check(rf.tensor([2., 1.5, 3.]))
        tensor([ True, False, False])
    """
    said = f"IntegerInterval(lower_bound={lower_bound}, upper_bound={upper_bound})"
    fix = f"whole numbers from {lower_bound} to {upper_bound}"
    return Constraint(said, lambda x: (x % 1 == 0) & (x >= lower_bound) & (x <= upper_bound), fix)


def multinomial(upper_bound: int) -> Constraint:
    """Rows of counts that are not negative and add up to no more than a bound.

    Source: https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

    Example:
        >>> import rustyflow as rf
        >>> rf.distributions.constraints.multinomial(3).check(rf.tensor([[1, 2], [2, 2]]))
        tensor([ True, False])
    """
    return Constraint("Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= upper_bound),
                      f"counts that add up to {upper_bound}")  # fmt: skip


def _short(bound: Any) -> str:
    """A bound in a sentence: its number, or what it is called where it has many."""
    if isinstance(bound, Tensor):
        return f"{bound.item():g}" if bound.numel() == 1 else "the bound in their place"
    return f"{bound:g}"


real = Constraint("Real()", lambda value: value == value, "no NaN: value.nan_to_num(), if that is meant")
real_vector = Constraint("IndependentConstraint(Real(), 1)", lambda value: (value == value).all(-1), real.fix)
positive = greater_than(0.0)
unit_interval = interval(0.0, 1.0)
boolean = Constraint("Boolean()", lambda value: (value == 0) | (value == 1), "0 and 1 alone, e.g. (x > 0).float()")
simplex = Constraint(
    "Simplex()",
    lambda value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6),
    "weights of 0 and more, of which one in each row is above 0; logits= takes any numbers",
)


def __getattr__(name):
    missing(__name__, name, __all__)


def __dir__():
    return __all__

"""The uniform distribution."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan, sqrt
from typing import Any

from ..random import rand
from ..tensor import Tensor
from .constraints import Constraint, greater_than, interval, less_than
from .distribution import Distribution, parameters_of


class Uniform(Distribution):
    """The uniform distribution of numbers from `low` to below `high`.

    Args:
        low, high: numbers or tensors, which broadcast. validate_args: see `Distribution`.

    Shapes:
        low and high meet in batch_shape; one draw of each has no axes.

    Raises:
        ValueError: low is not less than high.
    Source: https://pytorch.org/docs/stable/distributions.html#uniform

    Example:
        >>> import rustyflow as rf
        >>> y = rf.distributions.Uniform(0.0, 4.0)
        >>> y, y.mean, y.log_prob(rf.tensor(1.)), y.cdf(rf.tensor(1.))
        (Uniform(low: 0.0, high: 4.0), tensor(2.), tensor(-1.3863), tensor(0.2500))
    """

    has_rsample = True

    def __init__(self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None):
        (self.low, self.high), shape = parameters_of("Uniform", low=low, high=high)
        super().__init__(shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> Mapping[str, Constraint]:  # type: ignore[override]
        """The constraints of the bounds, each by the other."""
        return {"low": less_than(self.high), "high": greater_than(self.low)}

    @property
    def support(self) -> Constraint:  # type: ignore[override]
        """The numbers between the bounds."""
        return interval(self.low, self.high)

    mean = property(lambda self: (self.high + self.low) / 2, doc="The mean, half way.")
    mode = property(lambda self: nan * self.high, doc="NaN: no value is the most likely.")
    stddev = property(lambda self: (self.high - self.low) / sqrt(12), doc="The standard deviation.")
    variance = property(lambda self: (self.high - self.low) ** 2 / 12, doc="The variance.")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        unit = rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + unit * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        inside = (self.low <= value) & (value < self.high)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()

"""The normal distribution."""

from __future__ import annotations

from math import log, pi, sqrt
from typing import Any

from ..ops.creation import empty
from ..random import normal
from ..tensor import Tensor
from ..tensor.gradmode import no_grad
from . import constraints
from .distribution import Distribution, parameters_of
from .special import Erfinv


class Normal(Distribution):
    """The normal distribution, by its mean `loc` and its standard deviation `scale`.

    Args:
        loc, scale: numbers or tensors, which broadcast. validate_args: see `Distribution`.

    Shapes:
        loc and scale meet in batch_shape; one draw of each has no axes.

    Raises:
        ValueError: a scale that is not positive, NaN.
    Source: https://pytorch.org/docs/stable/distributions.html#normal

    Example:
        >>> import rustyflow as rf
        >>> y = rf.distributions.Normal(rf.tensor([0., 1.]), 2.0)
        >>> y, y.log_prob(rf.tensor([0., 3.]))
        (Normal(loc: rustyflow.Size([2]), scale: rustyflow.Size([2])), tensor([-1.6121, -2.1121]))
        >>> _ = rf.manual_seed(0)
        >>> y.sample((2,)).shape
        rustyflow.Size([2, 2])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        (self.loc, self.scale), shape = parameters_of("Normal", loc=loc, scale=scale)
        super().__init__(shape, validate_args=validate_args)

    mean = mode = property(lambda self: self.loc, doc="The mean, `loc`, which is the most likely value, too.")
    stddev = property(lambda self: self.scale, doc="The standard deviation, `scale`.")
    variance = property(lambda self: self.scale**2, doc="The variance, the square of `scale`.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        standard = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + standard * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        apart = (value - self.loc) ** 2 / (2 * self.variance)
        return -apart - self.scale.log() - log(sqrt(2 * pi))

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.loc) / self.scale / sqrt(2)).erf() / 2 + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * Erfinv.apply(2 * value - 1) * sqrt(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (0.5 + log(2 * pi) / 2)

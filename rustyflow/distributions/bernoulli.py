"""The distribution of one choice between 0 and 1."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..dtype import finfo
from ..errors import DTypeError
from ..ops.creation import arange
from ..ops.elementwise.selection import where
from ..ops.join.cat import broadcast_tensors
from ..ops.nn.probability_loss import binary_cross_entropy_with_logits
from ..random import bernoulli
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad, no_grad
from . import constraints
from .distribution import Distribution, one_of, parameters_of


class Bernoulli(Distribution):
    """The distribution of 1, with probability `probs`, and 0; or of logits, whose sigmoid the probability is.

    Args:
        probs, logits: a number or a tensor, one of the two. validate_args: see `Distribution`.

    Shapes:
        probs or logits has batch_shape; one draw of each has no axes.

    Raises:
        ValueError: none or both, a probability outside [0, 1], NaN.
    Source: https://pytorch.org/docs/stable/distributions.html#bernoulli

    Example:
        >>> import rustyflow as rf
        >>> y = rf.distributions.Bernoulli(rf.tensor([0.5, 0.25]))
        >>> y.log_prob(rf.tensor([1., 0.])), y.mean, y.entropy()
        (tensor([-0.6931, -0.2877]), tensor([0.5000, 0.2500]), tensor([0.6931, 0.5623]))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None):
        name, given = one_of("Bernoulli", probs, logits)
        (made,), shape = parameters_of("Bernoulli", **{name: given})
        vars(self)[name] = made
        super().__init__(shape, validate_args=validate_args)

    @cached_property
    def probs(self) -> Tensor:
        """The probability of 1."""
        with enable_grad():
            return self.logits.sigmoid()

    @cached_property
    def logits(self) -> Tensor:
        """The logarithm of the odds of 1; of a probability of 0 or 1 that of the nearest between them."""
        with enable_grad():
            p = inside(self.probs)
            return p.log() - (-p).log1p()

    param_shape = property(lambda self: vars(self).get("probs", vars(self).get("logits")).shape, doc="Its shape.")
    mean = property(lambda self: self.probs, doc="The mean, `probs`.")
    variance = property(lambda self: self.probs * (1 - self.probs), doc="The variance.")

    @property
    def mode(self) -> Tensor:
        """The more likely of 0 and 1, NaN where both are as likely."""
        likely = (self.probs >= 0.5).to(self.probs.dtype)
        return where(self.probs == 0.5, float("nan"), likely)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return bernoulli(self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        if isinstance(value, Tensor) and not value.is_floating_point():
            rule = f"result type {self.logits.dtype.name} can't be cast to the desired output type {value.dtype.name}"
            raise DTypeError(f"log_prob of a value of {value.dtype!r}", rule, "log_prob(value.float())")
        logits, value = broadcast_tensors(self.logits, parameters_of("Bernoulli", value=value)[0][0])
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return every(arange(2, dtype=self.mean.dtype), self.batch_shape, expand)


def inside(p: Tensor) -> Tensor:
    """Probabilities that are moved off 0 and 1 by the dtype's eps, so that their logarithms are finite.

    Example:
        >>> from rustyflow import tensor
        >>> inside(tensor([0., 0.5])).log()
        tensor([-15.9424,  -0.6931])
    """
    eps = finfo(p.dtype).eps
    return p.clamp(eps, 1 - eps)


def every(values: Tensor, batch_shape: Any, expand: bool) -> Tensor:
    """The values that can be drawn, along a first axis, for each distribution of a batch.

    Example:
        >>> every(arange(2), (3,), expand=True)
        tensor([[0, 0, 0],
                [1, 1, 1]])
    """
    values = values.view(-1, *[1] * len(batch_shape))
    return values.expand(-1, *batch_shape) if expand else values

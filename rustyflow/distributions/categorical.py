"""The distribution of one choice among several."""

from __future__ import annotations

from functools import cached_property
from math import nan
from typing import Any

from ..dtype import finfo
from ..errors import ArgumentValueError, NoTensorError
from ..errors.foreign import kind_of
from ..ops.creation import arange, full
from ..ops.join.cat import broadcast_tensors
from ..random import multinomial
from ..tensor import Tensor
from ..tensor.gradmode import enable_grad
from . import constraints
from .bernoulli import every, inside
from .constraints import Constraint, integer_interval
from .distribution import Distribution, one_of


class Categorical(Distribution):
    """The distribution of one of the numbers 0 to k - 1, by weights `probs` or their logarithms `logits`.

    Args:
        probs, logits: a tensor, one of the two; it is made to add up to 1, or its exponential is, along the last axis.
        validate_args: see `Distribution`.

    Shapes:
        probs or logits is (*batch_shape, k); one draw of each has no axes.

    Raises:
        ValueError: none or both, weights that are negative or all 0, NaN. NoTensorError (an AttributeError): no tensor.
    Source: https://pytorch.org/docs/stable/distributions.html#categorical

    Example:
        >>> import rustyflow as rf
        >>> y = rf.distributions.Categorical(rf.tensor([1., 3.]))
        >>> y.probs, y.log_prob(rf.tensor(1)), y.entropy()
        (tensor([0.2500, 0.7500]), tensor(-0.2877), tensor(0.5623))
        >>> _ = rf.manual_seed(0)
        >>> y.sample((5,))
        tensor([1, 1, 1, 1, 1])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        name, given = one_of(type(self).__name__, probs, logits)
        if not isinstance(given, Tensor):
            raise NoTensorError(f"{type(self).__name__}({name}={given!r:.60})", f"`{name}` is a tensor, not "
                                f"{kind_of(given)}", f"{name}=rustyflow.tensor(...)", value=given)
        if given.dim() < 1:
            raise ArgumentValueError(f"{type(self).__name__}({name}={given!r})", f"`{name}` parameter must be at least "
                                     "one-dimensional: a weight for each number", "Bernoulli, for one probability")
        vars(self)[name] = given / given.sum(-1, True) if name == "probs" else given - given.logsumexp(-1, True)
        super().__init__(given.shape[:-1], validate_args=validate_args)

    @property
    def support(self) -> Constraint:  # type: ignore[override]
        """The numbers that can be drawn."""
        return integer_interval(0, self.param_shape[-1] - 1)

    @cached_property
    def probs(self) -> Tensor:
        """The probability of each number; they add up to 1 along the last axis."""
        with enable_grad():
            return self.logits.softmax(-1)

    @cached_property
    def logits(self) -> Tensor:
        """The logarithm of each probability; of 0 that of the dtype's eps."""
        with enable_grad():
            return inside(self.probs).log()

    param_shape = property(lambda self: vars(self).get("probs", vars(self).get("logits")).shape, doc="(..., k).")
    mode = property(lambda self: self.probs.argmax(-1), doc="The most likely number.")

    @property
    def mean(self) -> Tensor:
        """NaN: the numbers stand for anything."""
        return full(self._extended_shape(), nan, dtype=self.probs.dtype)

    variance = mean

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        rows = self.probs.detach().reshape(-1, self.param_shape[-1])
        return multinomial(rows, self._sizes("sample", sample_shape).numel(), True).t().reshape(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        return -(self.logits.clamp(min=finfo(self.logits.dtype).min) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return every(arange(self.param_shape[-1]), self.batch_shape, expand)

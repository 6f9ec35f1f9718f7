"""The distribution of how often each of several numbers comes up."""

from __future__ import annotations

from math import inf
from typing import Any

from ..errors import AbsentError, ArgumentValueError
from ..ops.creation import arange, ones_like, tensor, zeros
from ..ops.elementwise.selection import where
from ..ops.join.cat import broadcast_tensors
from ..tensor import Size, Tensor
from . import constraints
from .bernoulli import inside
from .categorical import Categorical
from .constraints import Constraint
from .distribution import Distribution
from .special import LogFactorial


class Multinomial(Distribution):
    """The distribution of counts: how often each of k numbers comes up in `total_count` draws of a `Categorical`.

    Args:
        total_count: how many draws, a number. probs, logits: see `Categorical`. validate_args: see `Distribution`.

    Shapes:
        probs or logits is (*batch_shape, k); one draw of each is (k,), event_shape.

    Raises:
        ValueError: as `Categorical`; a negative total_count. AbsentError (a NotImplementedError): a tensor of them.
    Source: https://pytorch.org/docs/stable/distributions.html#multinomial

    Example:
        >>> import rustyflow as rf
        >>> y = rf.distributions.Multinomial(4, rf.tensor([1., 3.]))
        >>> y.mean, y.log_prob(rf.tensor([1., 3.])).exp()
        (tensor([1., 3.]), tensor(0.4219))
        >>> y.sample((5,)).sum(-1)
        tensor([4., 4., 4., 4., 4.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count: int = 1, probs: Tensor | None = None, logits: Tensor | None = None,
                 validate_args: bool | None = None):  # fmt: skip
        if not isinstance(total_count, int):
            raise AbsentError(f"Multinomial(total_count={total_count!r:.60})", "inhomogeneous total_count is not "
                              "supported, as in PyTorch: all have one, a whole number", "total_count=10")
        if total_count < 0:
            raise ArgumentValueError(f"Multinomial(total_count={total_count})", "Expected parameter total_count to "
                                     "satisfy the constraint IntegerGreaterThan(lower_bound=0)", "total_count=10")
        self.total_count, self._categorical = total_count, Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args)

    probs = property(lambda self: self._categorical.probs, doc="The probability of each number.")
    logits = property(lambda self: self._categorical.logits, doc="The logarithm of each probability.")
    param_shape = property(lambda self: self._categorical.param_shape, doc="(..., k).")
    mean = property(lambda self: self.probs * self.total_count, doc="The mean count of each number.")
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs), doc="The variance of each.")

    @property
    def support(self) -> Constraint:  # type: ignore[override]
        """The counts that can be drawn."""
        return constraints.multinomial(self.total_count)

    def expand(self, batch_shape: Any, _instance: Distribution | None = None) -> Multinomial:
        new: Any = super().expand(batch_shape, _instance)
        new.total_count, new._categorical = self.total_count, self._categorical.expand(batch_shape)
        return new

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count, *shape[:len(shape) - 1 - len(self.batch_shape)])))
        each = drawn.permute(*range(1, drawn.dim()), 0)  # the draws of one last
        return zeros(shape, dtype=drawn.dtype).scatter_add_(-1, each, ones_like(each)).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_tensors(self.logits, value)
        logits = where((value == 0) & (logits == -inf), 0.0, logits)  # what cannot come up, and did not
        ways = LogFactorial.apply(value.sum(-1)) - LogFactorial.apply(value).sum(-1)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        n, p = tensor(float(self.total_count)).to(self.probs.dtype), inside(self.probs)
        x = arange(1.0, self.total_count + 1, dtype=p.dtype).view(-1, *[1] * p.dim())
        ways = LogFactorial.apply(n) - LogFactorial.apply(x) - LogFactorial.apply(n - x)
        binomial = (ways + x * p.log() + (n - x) * (-p).log1p()).exp()  # of each count of one number alone
        return n * self._categorical.entropy() - LogFactorial.apply(n) + (
            binomial * LogFactorial.apply(x)).sum((0, -1))

"""The Kullback-Leibler divergence, which says how far one distribution is from another, by a table of pairs."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from ..arguments.explain import explaining_once
from ..errors import AbsentError, wrong_type
from ..ops.elementwise.selection import where
from ..ops.nn.activation import softplus
from ..tensor import Tensor
from .bernoulli import Bernoulli
from .categorical import Categorical
from .distribution import Distribution
from .normal import Normal
from .uniform import Uniform

Formula = Callable[[Distribution, Distribution], Tensor]
_FORMULAS: dict[tuple[type, type], Formula] = {}


@explaining_once
def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Give `kl_divergence` a function for two classes of distributions: a decorator.

    Raises:
        ArgumentTypeError (a TypeError): no classes of distributions.
    Source: https://pytorch.org/docs/stable/distributions.html#torch.distributions.kl.register_kl

    Example:
        >>> import rustyflow as rf
        >>> class Mine(rf.distributions.Normal):
        ...     pass
        >>> @rf.distributions.register_kl(Mine, Mine)
        ... def distance(p, q):
        ...     return (p.loc - q.loc).abs()
        >>> rf.distributions.kl_divergence(Mine(0.0, 1.0), Mine(3.0, 1.0))
        tensor(3.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise wrong_type("register_kl", name, kind, "a subclass of Distribution", "register_kl(Normal, Normal)")

    def keep(formula: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = formula
        return formula
    return keep


@explaining_once
def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of q from p, the mean of log p - log q under p.

    There is one for each pair of the batches.

    Both are Normal, Bernoulli, Categorical or Uniform; `register_kl` takes others.

    Raises:
        AbsentError (a NotImplementedError): a pair that nobody has a formula for.
    Source: https://pytorch.org/docs/stable/distributions.html#torch.distributions.kl.kl_divergence

    Example:
        >>> import rustyflow as rf
        >>> Normal = rf.distributions.Normal
        >>> rf.distributions.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    pairs = [(a, b) for a in type(p).__mro__ for b in type(q).__mro__]
    found = [_FORMULAS[pair] for pair in pairs if pair in _FORMULAS]
    if not found:
        of, to = type(p).__name__, type(q).__name__
        raise AbsentError(f"kl_divergence of {of} and {to}", f"No KL(p || q) is implemented for p type {of} and q type "
                          f"{to}", "x = p.sample((1000,)), then (p.log_prob(x) - q.log_prob(x)).mean(0)")  # fmt: skip
    return found[0](p, q)


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    return (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log()) / 2


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Tensor:
    return where((q.low > p.low) | (q.high < p.high), inf, ((q.high - q.low) / (p.high - p.low)).log())


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    ones = where(p.probs == 0, 0.0, where(q.probs == 0, inf, ones))
    return ones + where(p.probs == 1, 0.0, where(q.probs == 1, inf, zeros))


@register_kl(Categorical, Categorical)
def _categoricals(p: Categorical, q: Categorical) -> Tensor:
    each = p.probs * (p.logits - q.logits)
    return where(p.probs == 0, 0.0, where(q.probs == 0, inf, each)).sum(-1)

"""The base of all distributions: shapes, checks of parameters and of values, and the words for what one has not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..dtype import get_default_dtype
from ..errors import AbsentError, ArgumentTypeError, ArgumentValueError
from ..errors.foreign import kind_of
from ..ops.creation import shape_of, tensor
from ..ops.join.cat import broadcast_tensors
from ..tensor import Size, Tensor
from ..tensor.gradmode import no_grad
from .constraints import Constraint


class Distribution:
    """A probability distribution, or a batch of them; the base of those here and of a program's own.

    Attributes: `batch_shape`, one distribution for each cell of it; `event_shape`, of what one draw of one gives;
    `arg_constraints`, by parameter, and `support`, which values it can have; `has_rsample`, `has_enumerate_support`.

    Args:
        validate_args: whether parameters and values are checked, by default they are.

    Raises:
        ValueError: a parameter outside its constraint.
    Source: https://pytorch.org/docs/stable/distributions.html#distribution

    Example:
        >>> import rustyflow as rf
        >>> weights = rf.distributions.Categorical(rf.ones(2, 3))
        >>> isinstance(weights, rf.distributions.Distribution), weights.batch_shape, weights.sample((5,)).shape
        (True, rustyflow.Size([2]), rustyflow.Size([5, 2]))
    """

    has_rsample = has_enumerate_support = False
    arg_constraints: Mapping[str, Constraint] = {}
    support: Constraint | None = None
    _validate_args = __debug__

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                if name in vars(self) or not isinstance(getattr(type(self), name, None), cached_property):
                    _need(self, f"parameter {name}", getattr(self, name), constraint, "to satisfy the constraint")

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether distributions check their parameters and values where that is not said of one.

        Raises:
            ArgumentValueError (a ValueError): neither True nor False.
        """
        if value not in (True, False):
            raise ArgumentValueError(f"set_default_validate_args({value!r:.60})", "it is True or False", "True")
        Distribution._validate_args = value

    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the batch of distributions.")
    event_shape = property(lambda self: self._event_shape, doc="The shape of what one draw of one of them gives.")

    @property
    def mean(self) -> Tensor:
        """The mean of each distribution."""
        raise self._without("mean")

    @property
    def mode(self) -> Tensor:
        """The most likely value of each distribution."""
        raise self._without("mode")

    @property
    def variance(self) -> Tensor:
        """The variance of each distribution."""
        raise self._without("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation of each distribution."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Any, _instance: Distribution | None = None) -> Any:
        """Return the distributions as a larger batch, whose parameters are expanded: nothing is copied.

        Raises:
            ShapeError (a RuntimeError): a shape that they do not expand to. AbsentError (a NotImplementedError): a
            class of a program's own, with parameters of its own.
        """
        new, shape = self._blank(_instance), self._sizes("expand", batch_shape)
        for name in self.arg_constraints:
            if name in vars(self):
                old = vars(self)[name]
                setattr(new, name, old.expand(shape + old.shape[len(self._batch_shape):]))
        Distribution.__init__(new, shape, self._event_shape, False)
        new._validate_args = self._validate_args
        return new

    def _blank(self, instance: Distribution | None) -> Distribution:
        """An instance whose parameters are not set yet."""
        ours = next(kind for kind in type(self).__mro__ if kind.__module__.startswith("rustyflow."))
        if instance is None and type(self).__init__ is not ours.__init__:
            rule = "a class with an __init__ of its own has to say how it expands"
            fix = f"def expand(self, batch_shape): in {type(self).__name__}"
            raise AbsentError(f"{type(self).__name__}.expand(...)", rule, fix)
        return object.__new__(type(self)) if instance is None else instance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw from each distribution, without history: a tensor of shape sample_shape + batch_shape + event_shape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw as `sample` does, by a formula through which gradients flow to the parameters.

        Raises:
            AbsentError (a NotImplementedError): a distribution for which there is none.
        """
        rule = "what is drawn does not move with the parameters, so no gradient goes through it, as in PyTorch"
        raise AbsentError(f"{type(self).__name__}.rsample()", rule, "sample(), and log_prob(value), which has one")

    def sample_n(self, n: int) -> Tensor:
        """Draw n times: an older way to write `sample((n,))`, with a FutureWarning."""
        warnings.warn("sample_n(n) is an older way to write sample((n,))", FutureWarning, stacklevel=2)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the probability, or of the density, of a value."""
        raise self._without("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of no more than a value."""
        raise self._without("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The value below which a draw lies with a given probability: the inverse of `cdf`."""
        raise self._without("icdf")

    def entropy(self) -> Tensor:
        """The entropy of each distribution, in nats."""
        raise self._without("entropy")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy: of how many equally likely values the choice would be as uncertain."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values that can be drawn, along a first axis; with expand=False the batch axes have size 1."""
        raise self._without("enumerate_support")

    def _without(self, name: str) -> AbsentError:
        """The error for what a distribution has not."""
        kind = type(self).__name__
        return AbsentError(f"{kind}.{name}", f"{kind} does not implement {name}, as in PyTorch",
                           f"sample((1000,)), for an estimate; or def {name} in a class of your own")

    def _sizes(self, name: str, sizes: Any) -> Size:
        """Sizes that are given as a tuple."""
        if not isinstance(sizes, (tuple, list)) or not all(hasattr(n, "__index__") for n in sizes):
            rule = f"a shape is a tuple of whole numbers, also for one axis, not {kind_of(sizes)}"
            if isinstance(sizes, (tuple, list)):
                rule = f"a shape is a tuple of whole numbers, not of {' and '.join(sorted({*map(kind_of, sizes)}))}"
            raise ArgumentTypeError(f"{name}({sizes!r:.60})", rule, f"{name}((3,))", value=sizes)
        return Size(shape_of((tuple(sizes),), name))

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of what is drawn."""
        return Size(self._sizes("sample", sample_shape) + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: Tensor) -> None:
        """Let values pass that fit the shapes and lie in the support.

        Raises:
            ArgumentValueError (a ValueError): others.
        """
        if not isinstance(value, Tensor):
            raise ArgumentValueError(f"a value of type {kind_of(value)}", "The value argument to log_prob must be a "
                                     "Tensor", "rustyflow.tensor(value)", value=value)
        found, wanted, event = value.shape, self._batch_shape + self._event_shape, self._event_shape
        if len(event) and found[len(found) - len(event):] != event:
            raise ArgumentValueError(f"a value of shape {tuple(found)}, of events of shape {tuple(event)}",
                                     f"The right-most size of value must match event_shape: {tuple(found)} vs "
                                     f"{tuple(event)}", f"a value whose last sizes are {tuple(event)}")
        if any(1 not in (m, n) and m != n for m, n in zip(reversed(found), reversed(wanted))):
            raise ArgumentValueError(f"a value of shape {tuple(found)}, of distributions of shape {tuple(wanted)}",
                                     f"Value is not broadcastable with batch_shape+event_shape: {tuple(found)} vs "
                                     f"{tuple(wanted)}", f"value.unsqueeze(-1), for each value in each of the "
                                     f"{tuple(wanted)} distributions")
        if self.support is not None:
            _need(self, "value argument", value, self.support, "to be within the support")

    def __repr__(self):
        given = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        said = [f"{name}: {x.item() if x.numel() == 1 else x.size()}" for name, x in given.items()]
        return f"{type(self).__name__}({', '.join(said)})"


def _need(owner: Distribution, what: str, value: Tensor, constraint: Constraint, how: str) -> None:
    """Let a tensor pass whose numbers satisfy a constraint.

    Raises:
        ArgumentValueError (a ValueError): one does not.
    """
    if not constraint.check(value).all():
        kind = "Tensor" if type(value) is Tensor else type(value).__name__
        raise ArgumentValueError(f"{owner!r}", f"Expected {what} ({kind} of shape {tuple(value.shape)}) {how} "
                                 f"{constraint!r}, but found invalid values: {str(value):.200}", constraint.fix)


def parameters_of(name: str, **given: Any) -> tuple[list[Tensor], Size]:
    """The parameters of a distribution as tensors of one shape, and that shape: () of numbers.

    Raises:
        ArgumentValueError (a ValueError): neither a tensor nor a number. BroadcastError (a RuntimeError): shapes that
        do not meet.

    Example:
        >>> from rustyflow import ones
        >>> (loc, scale), shape = parameters_of("Normal", loc=0, scale=ones(2))
        >>> loc, shape
        (tensor([0., 0.]), rustyflow.Size([2]))
    """
    for label, value in given.items():
        if not isinstance(value, (Tensor, int, float)):
            rule = f"Input arguments must all be instances of Number or rustyflow.Tensor, not {kind_of(value)}"
            fix = f"{label}=rustyflow.tensor(...)"
            raise ArgumentValueError(f"{name}({label}={value!r:.60})", rule, fix, value=value)
    d = next((x.dtype for x in given.values() if isinstance(x, Tensor)), get_default_dtype())
    made = broadcast_tensors(*[x if isinstance(x, Tensor) else tensor(x, dtype=d) for x in given.values()])
    return list(made), made[0].shape


def one_of(name: str, probs: Any, logits: Any) -> tuple[str, Any]:
    """The one of two parameters that is given: its name, and it.

    Raises:
        ArgumentValueError (a ValueError): none, or both.

    Example:
        >>> one_of("Bernoulli", 0.5, None)
        ('probs', 0.5)
    """
    if (probs is None) == (logits is None):
        squash = "x.sigmoid()" if name == "Bernoulli" else "x.softmax(-1)"
        raise ArgumentValueError(
            f"{name}(probs={probs!r:.30}, logits={logits!r:.30})",
            "Either `probs` or `logits` must be specified, but not both",
            f"{name}(probs=p), or {name}(logits=x) for p = {squash}",
        )
    return ("probs", probs) if logits is None else ("logits", logits)

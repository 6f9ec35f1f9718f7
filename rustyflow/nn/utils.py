"""PyTorch's torch.nn.utils: what is done with all parameters at once.

Source: https://pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from ..arguments.explain import explaining as _taught
from ..errors import ArgumentTypeError, GradError, ShapeError, missing as _missing
from ..errors.foreign import kind_of
from ..ops.creation import tensor
from ..ops.join.cat import cat, stack
from ..tensor import Tensor
from ..tensor.gradmode import no_grad

__path__: list = []  # so that `import rustyflow.nn.utils.rnn` is asked for
__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def _tensors(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    if callable(getattr(parameters, "parameters", None)):
        rule = "gradients are of parameters, and a module holds them"
        raise ArgumentTypeError(kind_of(parameters), rule, "model.parameters()", value=parameters)
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for p in tensors:
        if not isinstance(p, Tensor):
            raise ArgumentTypeError(kind_of(p), "parameters are tensors", "model.parameters()", value=p)
    return tensors


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [p.grad for p in _tensors(parameters) if p.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Shorten all gradients, as one long vector, to max_norm; returns the norm that they had.

    Shapes:
        parameters of any shapes, whose gradients keep theirs; the norm has no axes.

    Raises:
        GradError (a RuntimeError): with error_if_nonfinite, a norm that is no finite number.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html

    Example:
        >>> import rustyflow as rf
        >>> w = rf.ones(4, requires_grad=True)
        >>> w.grad = rf.full((4,), 3.0)
        >>> rf.nn.utils.clip_grad_norm_([w], 1.0), w.grad[0]
        (tensor(6.), tensor(0.5000))
    """
    gradients = _gradients(parameters)
    if not gradients:
        return tensor(0.0)
    with no_grad():
        norms = stack([g.norm(norm_type) for g in gradients])
        total = norms.max() if norm_type == inf else norms.norm(norm_type)
        if error_if_nonfinite and not total.isfinite():
            raise GradError(
                f"a total norm of {total.item()}",
                f"The total norm of order {norm_type} for gradients from "
                "`parameters` is non-finite, so it cannot be clipped",
                "error_if_nonfinite=False",
            )
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in gradients:
            g.mul_(factor.to(g.dtype))
    return total


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clamp every number of every gradient between -clip_value and clip_value.

    Shapes:
        parameters of any shapes, whose gradients keep theirs.

    Raises:
        TypeError: a module, or what is no tensor.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html

    Example:
        >>> import rustyflow as rf
        >>> w = rf.ones(2, requires_grad=True)
        >>> w.grad = rf.tensor([3.0, -0.5])
        >>> rf.nn.utils.clip_grad_value_([w], 1.0)
        >>> w.grad
        tensor([ 1.0000, -0.5000])
    """
    with no_grad():
        for g in _gradients(parameters):
            g.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters in one vector, one after the other.

    Shapes:
        parameters of any shapes, with n numbers in all; the vector (n,).

    Raises:
        TypeError: a module, or what is no tensor. ValueError: no parameters.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html

    Example:
        >>> import rustyflow as rf
        >>> rf.nn.utils.parameters_to_vector(rf.nn.Linear(2, 3).parameters()).shape
        rustyflow.Size([9])
    """
    return cat([p.view(-1) for p in _tensors(parameters)])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write a vector into parameters, one after the other.

    Shapes:
        vec (n,) with n numbers or more for all parameters, which keep their shapes.

    Raises:
        ShapeError (a RuntimeError): a vector that is too short.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.utils.vector_to_parameters.html

    Example:
        >>> import rustyflow as rf
        >>> layer = rf.nn.Linear(1, 1)
        >>> rf.nn.utils.vector_to_parameters(rf.tensor([2.0, 3.0]), layer.parameters())
        >>> layer.weight.item(), layer.bias.item()
        (2.0, 3.0)
    """
    if not isinstance(vec, Tensor):
        rule = f"expected a tensor, but got {kind_of(vec)}"
        raise ArgumentTypeError(kind_of(vec), rule, "rustyflow.tensor(vec)", value=vec)
    parameters, begin = _tensors(parameters), 0
    if (need := sum(p.numel() for p in parameters)) > vec.numel():
        raise ShapeError(
            f"a vector of {vec.numel()} numbers for {need}",
            "a vector holds a number for each of the parameters",
            f"a vector of {need}",
        )
    with no_grad():
        for p in parameters:
            p.data = vec[begin : begin + p.numel()].view_as(p).detach()
            begin += p.numel()


globals().update({_name: _taught(globals()[_name]) for _name in __all__})


def __getattr__(name):
    _missing(__name__, name, __all__)


def __dir__():
    return __all__

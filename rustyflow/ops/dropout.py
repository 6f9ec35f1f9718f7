"""Dropout: noise that trains a network to rely on no single cell."""
from __future__ import annotations

from ..errors import ArgumentValueError, DTypeError
from ..tensor import Tensor
from .activation import real
from .registry import function, not_a_tensor, recording


def dropped(input, p, training, name="dropout"):
    """Cells set to 0 with probability p, the others divided by 1 - p; the input itself where nothing is to do.

    Raises:
        ArgumentTypeError (a TypeError); ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a
        RuntimeError): whole numbers.
    """
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, "input", input)
    p, = real(name, p=p)
    if not 0 <= p <= 1:
        raise ArgumentValueError(f"{name}(p={p})", f"dropout probability has to be between 0 and 1, but got {p}",
                                 "p=0.5 drops half of the cells")
    if not training or p == 0 or not input._a.size:
        return input
    if p == 1:
        return input * recording.zeros_like(input)
    if input._a.dtype.kind != "f":
        raise DTypeError(f"{name} of {input.dtype!r}",
                         "result type Float can't be cast to the desired output type Long: kept cells are divided "
                         "by 1 - p", "x.float()")
    return input * recording.empty_like(input).bernoulli_(1 - p).div_(1 - p)


@function(method=False)
def dropout(input, p, train):
    """Every cell becomes 0 with probability p; the others are divided by 1 - p, so that the mean stays.

    Without `train`, the input itself. The draws are PyTorch's own after manual_seed.

    Raises:
        ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html; Srivastava et al., JMLR 15
        (2014)

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> dropout(rf.ones(4), 0.5, True)
        tensor([0., 0., 2., 0.])
    """
    return dropped(input, p, train)

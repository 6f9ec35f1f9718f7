"""Dropout: noise that trains a network to rely on no single cell."""
from __future__ import annotations

from ..errors import ArgumentValueError, DTypeError
from ..scalars import numbers
from ..tensor import Tensor
from .guard import need_tensors
from .registry import collect, function, recording
from .regression_loss import no_tensor


def dropped(input, p, training, name="dropout", inplace=False):
    """Cells set to 0 with probability p, the others divided by 1 - p; the input itself where nothing is to do.

    With `inplace` written into the input.

    Raises:
        ArgumentTypeError (a TypeError); ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a
        RuntimeError): whole numbers.
    """
    need_tensors(name, input=input)
    times = input.mul_ if inplace else input.mul
    p, = numbers(name, p=p)
    if not 0 <= p <= 1:
        raise ArgumentValueError(f"{name}(p={p})", f"dropout probability has to be between 0 and 1, but got {p}",
                                 "p=0.5 drops half of the cells")
    if not training or p == 0 or not input._a.size:
        return input
    if p == 1:
        return times(recording.zeros((), dtype=input.dtype))
    if input._a.dtype.kind != "f":
        raise DTypeError(f"{name} of {input.dtype!r}",
                         "result type Float can't be cast to the desired output type Long: kept cells are divided "
                         "by 1 - p", "x.float()")
    return times(recording.empty_like(input).bernoulli_(1 - p).div_(1 - p))


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


def _channels(name, axes, shape):
    """Dropout of whole channels, for inputs with that many axes after them."""
    doc = f"""Whole channels become 0 with probability p; the others are divided by 1 - p, so that the mean stays.

    Shapes: ({shape}) or without the batch N, as the result.

    Raises:
        ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError (a RuntimeError): whole numbers.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.{name}.html; Tompson et al., arXiv 1411.4280

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> x = {name}(rf.ones(1, 4{", 2" * axes}))
        >>> x.flatten(2).amax(2)
        tensor([[0., 0., 2., 0.]])
    """

    def call(input, p=0.5, training=True, inplace=False):
        if not isinstance(input, Tensor):
            raise no_tensor(name, "input", input)
        batch = input if input._a.ndim > axes + 1 else input.unsqueeze(0)
        mask = dropped(recording.ones((*batch._a.shape[:2], *(1,) * axes), dtype=input.dtype), p, training, name)
        if not training:
            return input
        if inplace:
            return input.mul_(mask if batch is input else mask.squeeze(0))
        return batch * mask if batch is input else (batch * mask).squeeze(0)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    collect(call)
    return call


dropout1d = _channels("dropout1d", 1, "N, C, L")
dropout2d = _channels("dropout2d", 2, "N, C, H, W")
dropout3d = _channels("dropout3d", 3, "N, C, D, H, W")

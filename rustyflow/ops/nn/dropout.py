"""Dropout: noise that trains a network to rely on no single cell."""
from __future__ import annotations

from ...arguments.checks import check_first
from ...arguments.numbers import numbers
from ...dispatch import collect, recording
from ...errors import ArgumentValueError, DTypeError, ShapeError, warn


def dropped(input, p, training, name="dropout", inplace=False, shape=None):
    """Cells set to 0 with probability p, the others divided by 1 - p.

    It is the input itself where nothing is to do.

    With `inplace` written into the input; with `shape` the noise has that one, and is broadcast.

    Raises:
        ArgumentTypeError (a TypeError); ProbabilityError (a ValueError and a RuntimeError): p outside [0, 1].
        DTypeError (a RuntimeError): whole numbers.
    """
    p = _probability(name, p)
    check_first(name, {"training": (0, True)}, (training,), {})
    times = input.mul_ if inplace else input.mul
    if not training or p == 0 or not input._a.size:
        return input
    if p == 1:
        return times(recording.zeros((), dtype=input.dtype))
    if input._a.dtype.kind != "f":
        raise DTypeError(f"{name} of {input.dtype!r}",
                         "result type Float can't be cast to the desired output type Long: kept cells are divided "
                         "by 1 - p", "x.float()")
    noise = recording.empty_like(input) if shape is None else recording.empty(shape, dtype=input.dtype)
    return times(noise.bernoulli_(1 - p).div_(1 - p))


class ProbabilityError(ArgumentValueError, RuntimeError):
    """A probability outside [0, 1], which PyTorch's Python refuses as a ValueError, and what it calls as the other."""


def _probability(name, p):
    p, = numbers(name, p=p)
    if not 0 <= p <= 1:
        raise ProbabilityError(f"{name}(p={p})", f"dropout probability has to be between 0 and 1, but got {p}",
                               "p=0.5 drops half of the cells")
    return p


def _is_alone(name, axes, input):
    """True if an input is one sample without a batch; dropout2d takes none such, as in PyTorch."""
    ndim = input._a.ndim
    if axes == 1 and ndim not in (2, 3):
        raise ShapeError(f"{name} of a tensor with {ndim} dimensions",
                         f"{name}: Expected 2D or 3D input, but received a {ndim}D input",
                         "rustyflow.nn.functional.dropout, which drops cells")
    if axes == 2 and ndim == 3:
        warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
             "is desired - input is interpreted as shape (N, C, L), where C is the channel dim")
    elif axes > 1 and ndim not in (axes + 1, axes + 2):
        warn(f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error "
             "in a future release")
    return axes != 2 and ndim != axes + 2


def _channels(name, axes, shape):
    """Dropout of whole channels, for inputs with that many axes after them."""
    doc = f"""Whole channels become 0 with probability p; the others are divided by 1 - p, so that the mean stays.

    Shapes: ({shape}){" or without the batch N" if axes != 2 else "; three axes are (N, C, L), with a warning"}, as the
    result.

    Raises:
        ArgumentValueError (a ValueError): p outside [0, 1]. DTypeError, ShapeError (RuntimeErrors): whole numbers; no
        such axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.{name}.html; Tompson et al., arXiv 1411.4280

    Example:
        >>> import rustyflow as rf
        >>> _ = rf.manual_seed(0)
        >>> x = rf.nn.functional.{name}(rf.ones(1, 4{", 2" * axes}))
        >>> x.flatten(2).amax(2)
        tensor([[0., 0., 2., 0.]])
    """

    def call(input, p=0.5, training=True, inplace=False):
        p = _probability(name, p)
        alone = _is_alone(name, axes, input)
        kept = input._a.shape[:1 if alone else 2]
        if len(kept) + alone < 2 and training and 0 < p < 1 and input._a.size:
            raise ShapeError(f"{name} of a tensor with {len(kept)} dimensions",
                             "Feature dropout requires at least 2 dimensions in the input: a batch and its channels",
                             "rustyflow.nn.functional.dropout, which drops cells")
        shape = (*kept, *(1,) * (input._a.ndim - len(kept)))
        if alone and not inplace:
            return dropped(input.unsqueeze(0), p, training, name, False, (1, *shape)).squeeze(0)
        return dropped(input, p, training, name, inplace, shape)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    collect(call)
    return call


dropout1d = _channels("dropout1d", 1, "N, C, L")
dropout2d = _channels("dropout2d", 2, "N, C, H, W")
dropout3d = _channels("dropout3d", 3, "N, C, D, H, W")

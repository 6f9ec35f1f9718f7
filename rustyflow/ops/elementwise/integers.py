"""Whole numbers: common divisors and multiples, and flat indices as indices along axes."""
from __future__ import annotations

from collections.abc import Sequence

from ...arguments.numbers import no_tuple, whole
from ...dispatch import function, need_tensors, op
from ...dtype import int64
from ...errors import ArgumentTypeError, ArgumentValueError


@op(inplace=True)
class gcd:
    """y = gcd(a, b)

    Of whole numbers, 0 or more; shapes broadcast.
    Raises: UnsupportedDTypeError (a NotImplementedError): floats, bools.
    Source: https://pytorch.org/docs/stable/generated/torch.gcd.html

    Example:
        >>> import rustyflow as rf
        >>> rf.gcd(rf.tensor([12, 7, 0]), rf.tensor([18, 3, 5]))
        tensor([6, 1, 5])
    """
    takes, tensors = "iu", ("a", "b")
    def forward(F, a, b): return F.gcd(a, b)


@op(inplace=True)
class lcm:
    """y = lcm(a, b)

    Of whole numbers, 0 or more; shapes broadcast.
    Raises: UnsupportedDTypeError (a NotImplementedError): floats, bools.
    Source: https://pytorch.org/docs/stable/generated/torch.lcm.html

    Example:
        >>> import rustyflow as rf
        >>> rf.lcm(rf.tensor([4, 7, 0]), rf.tensor([6, 3, 5]))
        tensor([12, 21,  0])
    """
    takes, tensors = "iu", ("a", "b")
    def forward(F, a, b): return F.lcm(a, b)


@function(method=False)
def unravel_index(indices, shape):
    """Flat indices into a tensor of a shape as one index per axis: the place of the largest cell.

    Raises:
        ArgumentTypeError (a TypeError): floats.
    Source: https://pytorch.org/docs/stable/generated/torch.unravel_index.html

    Example:
        >>> import rustyflow as rf
        >>> rf.unravel_index(rf.tensor([4, 5]), (2, 3))
        (tensor([1, 1]), tensor([1, 2]))
    """
    need_tensors("unravel_index", indices=indices)
    if indices._a.dtype.kind not in "iu":
        raise ArgumentTypeError(f"indices of {indices.dtype!r}", "expected 'indices' to be an integer dtype",
                                "indices.long()")
    indices, found = indices.to(int64), []
    given = (shape,) if isinstance(shape, int) else shape
    if not isinstance(given, Sequence) or not all(isinstance(n, int) for n in given):
        raise no_tuple("unravel_index", "shape", shape, "rustyflow.unravel_index(i, (2, 3))")
    shape = sum([whole("unravel_index", shape=int(n)) for n in given], ())
    if any(n < 0 for n in shape):
        raise ArgumentValueError(f"unravel_index(..., {shape})", f"'shape' cannot have negative values, but got "
                                 f"{shape}", "the shape of the tensor that was flattened")
    for n in reversed(shape):
        found.append(indices % n)
        indices = indices // n
    return tuple(reversed(found))

"""The factors that a matrix product takes: tensors of one dtype whose axes fit.

For others an error says what would.
"""
from __future__ import annotations

from ...dispatch import need_tensors
from ...dtype import promote_types
from ...errors import BroadcastError, DimError, DTypeError, MatmulError, ShapeError, UnsupportedDTypeError, align_right
from ...layout import broadcast_shapes
from ...tensor import Tensor


def factors(name: str, *ranks, **operands) -> None:
    """Refuse operands that are no tensors, differ in dtype, or have another number of axes than asked.

    Raises:
        ArgumentTypeError (a TypeError); DTypeError, ShapeError (RuntimeErrors).
    """
    need_tensors(name, **operands)
    first, *others = operands.values()
    for (label, x), rank in zip(operands.items(), ranks or (None,) * len(operands)):
        if rank is not None and x._a.ndim != rank:
            batches = name in ("addbmm", "baddbmm") and (others[0]._a.ndim < 2 or others[1]._a.ndim < 3)
            if batches or name == "mv" and not first._a.ndim:
                raise DimError(f"{name} with {label} of shape {tuple(x.shape)}",
                               f"Dimension out of range: {label} has {x._a.ndim} dims, not {rank}",
                               "unsqueeze gives it another")
            wanted = ("0-d tensor", "vector", "matrix", "batch of matrices")[rank]
            raise ShapeError(align_right(*[(k, o._a.shape) for k, o in operands.items()]),
                             f"{name}: {label} must be a {wanted}, but it has {x._a.ndim} dims",
                             "matmul takes vectors, matrices and batches alike")
        if x._a.dtype is not first._a.dtype:
            # for batches PyTorch refuses bools first
            batches = name == "bmm" or name == "matmul" and max(o._a.ndim for o in operands.values()) > 2
            wrong = UnsupportedDTypeError if batches and first._a.dtype.kind == "b" else DTypeError
            raise wrong(", ".join(f"{k}: {o.dtype!r}" for k, o in operands.items()),
                        f"{name}: expected all operands to have the same dtype, but got "
                        f"{first.dtype.name} != {x.dtype.name}",
                        _widened(operands, promote_types(first.dtype, x.dtype)))


def _widened(operands, common) -> str:
    """The operand to convert, to a dtype that holds both."""
    label = next(label for label, x in operands.items() if x.dtype is not common)
    return f"convert {label}: {label}.to({common!r})"


def inner_sizes(name, a, b, k, n):
    """Refuse factors whose inner sizes differ, and bools, which have no products to add.

    Raises:
        MatmulError (a RuntimeError), UnsupportedDTypeError (a NotImplementedError).
    """
    if k != n:
        raise MatmulError(align_right(("a", a._a.shape), ("b", b._a.shape)),
                          f"{name}: mat1 and mat2 shapes cannot be multiplied: the last axis of a ({k}) must be as "
                          f"long as the {'last but one' if b._a.ndim > 1 else 'only axis'} of b ({n})",
                          _turned(a._a.shape, b._a.shape, k, n), shapes=(a._a.shape, b._a.shape))
    if a._a.dtype.kind == "b" and (a._a.size and b._a.size or a._a.ndim == b._a.ndim == 1):
        raise UnsupportedDTypeError(f"{name} of bools", f"{name}: \"addmm_impl_cpu_\" not implemented for 'Bool'",
                                    "x.float(), or & and any()")


def _turned(a, b, k, n) -> str:
    """The fix for shapes whose inner sizes, k and n, differ: a transpose that fits, or another product."""
    fits = ["a @ b.mT"] * (len(b) > 1 and b[-1] == k) + ["a.mT @ b"] * (len(a) > 1 and a[-2] == n)
    if fits:
        return f"{' or '.join(fits)}, where the axes are the wrong way round"
    if len(a) > 1 and len(b) > 1 and b[-1] == a[-2]:
        return f"b @ a, the other way round: {tuple(b)} @ {tuple(a)}"
    if all(1 in sizes for sizes in zip(a[::-1], b[::-1], strict=False)):
        return "a * b, for every number of a times every number of b"
    return "no transpose makes them fit: look where a and b got their sizes"


def as_many(name, **batches):
    """Refuse two batches of unequal numbers of matrices, with a ShapeError (a RuntimeError)."""
    shapes = {label: x._a.shape for label, x in batches.items()}
    a, b = shapes.values()
    if a[0] != b[0]:
        raise ShapeError(align_right(*shapes.items()),
                         f"{name}: both must have as many matrices, but {a[0]} meet {b[0]}",
                         "matmul broadcasts batches; or expand one of them")


def leading_axes(a, b):
    """Refuse shapes whose leading axes do not align.

    Raises:
        BroadcastError (a RuntimeError): with the whole shapes.
    """
    try:
        broadcast_shapes(a[:-2], b[:-2])
    except BroadcastError as error:
        raise BroadcastError(align_right(("a", a), ("b", b), mark=error.facts["back"] + 2), error.rule,
                             "the axes before the last two count matrices: as many on both sides, or 1",
                             shapes=(a, b), back=error.facts["back"] + 2) from None


def meet(a, b) -> tuple[int, int] | None:
    """The numbers of axes of two vectors or matrices that can be multiplied as they are; None for other operands.

    It is called first, because small products feel the cost of all other checks.
    """
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        a, b = a._a, b._a
        ranks = a.ndim, b.ndim
        if ranks in _RANKS and a.shape[-1] == b.shape[0] and a.dtype is b.dtype and a.dtype.kind != "b":
            return ranks
    return None


_RANKS = (2, 2), (2, 1), (1, 1)

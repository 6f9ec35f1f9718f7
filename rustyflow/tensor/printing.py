"""The text of a tensor, as PyTorch prints it, character for character.

Everything here is a function of a NumPy array and a few flags; nothing knows the Tensor class. Two decisions make the
text: *what is shown* (beyond `threshold` elements only the `edgeitems` first and last along each axis, so that a tensor
of 10**8 elements costs as much as one of a hundred), and *how a number is written* (one notation and one width for the
whole tensor, chosen from the numbers shown).
Source: https://docs.pytorch.org/docs/stable/generated/torch.set_printoptions.html

Dtypes print with our name where PyTorch's stands (`rustyflow.float64`); lines break where PyTorch breaks them.
Differences from PyTorch: an unknown profile or an impossible option is refused at once (PyTorch ignores the first and
fails at the next print for the second).
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError

__all__ = ["format_parameter", "format_tensor", "get_printoptions", "printoptions", "set_printoptions"]


class PrintOptions(NamedTuple):
    """The settings by which tensors are printed; replaced as a whole, never changed in place."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options = PrintOptions()


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Choose how tensors are printed from now on.

    What is left out stays as it is, except `sci_mode`, which goes back to automatic.

    Args:
        precision: digits after the point.
        threshold: number of elements beyond which a tensor is summarised; `float("inf")` for never.
        edgeitems: items shown at each end of a summarised axis.
        linewidth: characters per line.
        profile: "default", "short" or "full", set before the other arguments.
        sci_mode: True to force 1.0000e+00, False to forbid it, None to let the magnitudes decide.

    Raises:
        ValueError: an unknown profile or a negative option.
        TypeError: an option that is no number.
    Source: https://pytorch.org/docs/stable/generated/torch.set_printoptions.html

    Example:
        >>> import rustyflow as rf
        >>> rf.set_printoptions(precision=2)
        >>> rf.tensor([1.12345])
        tensor([1.12])
        >>> rf.set_printoptions(profile="default")
    """
    global _options
    if profile is not None and profile not in PROFILES:
        was, known = f"set_printoptions(profile={profile!r})", ", ".join(map(repr, PROFILES))
        raise ArgumentValueError(was, f"a profile is one of {known}", "profile='default'")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = PROFILES.get(profile, {}) | {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        _check_option(name, value)
    _options = _options._replace(**chosen, sci_mode=sci_mode)


def _check_option(name: str, value: object) -> None:
    was, unlimited = f"set_printoptions({name}={value!r})", name == "threshold"
    numbers = (int, float, np.integer, np.floating) if unlimited else (int, np.integer)
    if isinstance(value, bool) or not isinstance(value, numbers):
        raise ArgumentTypeError(was, f"{name} is a {'number of elements' if unlimited else 'whole number'}",
                                f"{name}=3")
    if math.isnan(value) or (value < 0 and not unlimited):
        raise ArgumentValueError(was, f"{name} is a count, never negative or nan", f"{name}=3")


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments for `set_printoptions`.

    Example:
        >>> get_printoptions()["edgeitems"]
        3
    """
    return _options._asdict()


@contextmanager
def printoptions(**options) -> Iterator[None]:
    """`set_printoptions` for the length of a `with` block.

    Example:
        >>> with printoptions(sci_mode=True):
        ...     print(format_tensor(np.float32([1, 2]), dtype_name="rustyflow.float32", is_default_dtype=True))
        tensor([1.0000e+00, 2.0000e+00])
    """
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


def format_tensor(array: np.ndarray, *, dtype_name: str, is_default_dtype: bool, requires_grad: bool = False,
                  grad_fn: str | None = None, prefix: str = "tensor(") -> str:
    """The text of `array` (any shape and strides; float, integer or bool) as a tensor.

    Args:
        dtype_name: what stands after `dtype=` when the dtype has to be said, e.g. "rustyflow.float64".
        is_default_dtype: whether that is the default floating dtype.
        requires_grad, grad_fn: said last; a node's name, e.g. "MulBackward0", stands in for `requires_grad=True`.
        prefix: what stands before the numbers; its length is the indent of the lines below.

    Example:
        >>> print(format_tensor(np.eye(2), dtype_name="rustyflow.float64", is_default_dtype=False, grad_fn="Mm"))
        tensor([[1., 0.],
                [0., 1.]], dtype=rustyflow.float64, grad_fn=<Mm>)
        >>> print(format_tensor(np.ones((0, 3)), dtype_name="rustyflow.float64", is_default_dtype=True))
        tensor([], size=(0, 3))
    """
    array, options = np.asarray(array), _options
    empty = array.size == 0
    suffixes = []
    if (empty and array.ndim != 1) or (not empty and options.edgeitems == 0):
        suffixes.append(f"size={array.shape}")
    # An empty tensor has no elements to tell int64 or bool by, so only the default dtype goes without saying.
    if not is_default_dtype and (empty or array.dtype not in (np.int64, np.bool_)):
        suffixes.append(f"dtype={dtype_name}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    text = prefix + ("[]" if empty else _numbers(array, len(prefix), options))
    return _append(text, suffixes, len(prefix), options.linewidth) + ")"


def format_parameter(text: str) -> str:
    """The text of a Parameter, from the text of its tensor.

    Example:
        >>> print(format_parameter("tensor([1.], requires_grad=True)"))
        Parameter containing:
        tensor([1.], requires_grad=True)
    """
    return f"Parameter containing:\n{text}"


def _append(text: str, suffixes: list[str], indent: int, linewidth: int) -> str:
    """Put the suffixes behind the numbers, on a new line where one would pass the end of the line."""
    taken = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        # Measured with PyTorch's shorter name, so that a text is PyTorch's once the name is put back.
        length = len(suffix.replace("rustyflow.", "torch."))
        if taken + length + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            taken = indent + length
        else:
            text += ", " + suffix
            taken += length + 2
    return text


def _numbers(array: np.ndarray, indent: int, options: PrintOptions) -> str:
    """The bracketed numbers of an array that has at least one."""
    edge = options.edgeitems
    cut = [n > 2 * edge and array.size > options.threshold for n in array.shape]
    if any(cut) and edge == 0:
        return "[...]"
    kept = [[*range(edge), *range(n - edge, n)] if c else range(n) for n, c in zip(array.shape, cut, strict=True)]
    shown = array[np.ix_(*kept)] if any(cut) else array
    texts, width = _cells(shown, options)
    cells = iter([text.rjust(width) for text in texts])

    def block(axis: int, indent: int) -> str:
        if axis == shown.ndim:
            return next(cells)
        parts = [block(axis + 1, indent + 1) for _ in range(shown.shape[axis])]
        if axis == shown.ndim - 1:
            if cut[axis]:
                parts.insert(edge, " ...")
            per_line = max(1, (options.linewidth - indent) // (width + 2))
            parts = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
            newlines = 1
        else:
            if cut[axis]:
                parts.insert(edge, "...")
            newlines = shown.ndim - 1 - axis
        return "[" + ("," + "\n" * newlines + " " * (indent + 1)).join(parts) + "]"

    return block(0, indent)


def _cells(shown: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """Each number's own text, and the width they share. Zeros, infinities and nan have no say in notation or width."""
    values = shown.ravel().tolist()
    if shown.dtype.kind != "f":
        texts = list(map(str, values))
        return texts, max(map(len, texts))

    with np.errstate(all="ignore"):
        wide = shown.ravel().astype(np.float64)
        deciding = np.isfinite(wide) & (wide != 0)
        sizes = np.abs(wide[deciding])
        whole = bool((np.floor(sizes) == sizes).all())
    scientific = sizes.size > 0 and _scientific(float(sizes.min()), float(sizes.max()), options.sci_mode)
    if scientific:
        texts = [f"{value:.{options.precision}e}" for value in values]
    elif whole:
        texts = [f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}" for value in values]
    else:
        texts = [f"{value:.{options.precision}f}" for value in values]
    return texts, max((len(text) for text, decides in zip(texts, deciding.tolist(), strict=True) if decides), default=1)


def _scientific(smallest: float, largest: float, forced: bool | None) -> bool:
    """True if numbers of these magnitudes are written as 1.0000e+00: too wide a range, too large, too small."""
    if forced is not None:
        return forced
    return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4

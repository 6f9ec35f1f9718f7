"""Values that stand for a whole number, a number, a tensor; and the errors for those that do not."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import AbsentError, NoTensorError, kind_of, role_of
from ..layout import whole_numbers
from .call import shown


def has_no_axes(value: Any) -> bool:
    """True if a value is a 0-d tensor or a NumPy scalar.

    A NumPy array is neither, even a 0-d one; nor is another library's tensor, whose gradient would be lost.
    """
    if isinstance(value, np.generic):
        return True
    return getattr(value, "ndim", 1) == 0 and not isinstance(value, np.ndarray) and not role_of(value)


def is_int64(value: Any) -> bool:
    """True if PyTorch takes a value for an int.

    Also of a tensor of one bool, which a later check may refuse.
    """
    try:
        return whole_numbers((value,)) is not None
    except Exception:
        return False


def not_a_tensor(name: str, operand: str, value: Any, number: bool = False) -> NoTensorError:
    """The error for an operand that must be a tensor, or, with `number`, a number."""
    kind = kind_of(value)
    said = shown(value) if _holds_tensors(value) else f"{value!r:.60}"
    return NoTensorError(f"{name}({operand}={said}) got {kind}",
                         f"{name}(): argument '{operand}' must be Tensor{' or Number' * number}, not {kind}",
                         "x * 2: a number scales a tensor with *" if name == "matmul" and kind in ("int", "float")
                         else _tensor_instead(operand, value), value=value)


def _holds_tensors(value: Any) -> bool:
    """True if a value is a list or tuple with a tensor in it."""
    return isinstance(value, (list, tuple)) and any(hasattr(part, "_a") for part in value)


def _tensor_instead(operand: str, value: Any) -> str:
    """The fix in place of a value that is no tensor."""
    if value is None:
        return f"give '{operand}'; where it was given, look where the None comes from"
    if isinstance(value, str):
        return f"a tensor; where {value!r:.20} is meant for another argument, give it by that one's name"
    if _holds_tensors(value):
        kinds = {(part.shape, part.dtype) if hasattr(part, "_a") else None for part in value}
        if None in kinds or len(kinds) > 1 or hasattr(value, "_fields"):  # of a recurrent layer, of attention, of max
            return f"one of its parts: {operand}[0], or output, rest = ... where it was made"
        return f"rustyflow.stack({operand}), which keeps the gradients of its tensors"
    if isinstance(value, dict):
        return f"the tensors are the values of a dict: {operand}[{next(iter(value), 'name')!r:.20}]"
    if callable(value):
        return f"call it, where it makes a tensor: {getattr(value, '__name__', operand)}(...)"
    try:
        if np.asarray(value).dtype.kind in "biuf":
            return "wrap it: rustyflow.tensor(...)"
    except Exception:  # rows of different lengths, or an object that fails when it is asked
        pass
    return "a tensor, such as rustyflow.tensor([1.0, 2.0])"


def no_complex(name: str, operand: str, value: complex) -> AbsentError:
    """The error for a complex number given as an operand."""
    return AbsentError(f"{name}({operand}={value!r})", "rustyflow has no complex dtypes",
                       "keep real and imaginary parts in two tensors")

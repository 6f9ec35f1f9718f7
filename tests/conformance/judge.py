"""Compare what the subject gave with what PyTorch gave."""

import math
from dataclasses import dataclass

import numpy as np

from .observe import Sight

REFUSED = ("refer to a single memory location", "refers to a single memory location", "without the underscore: addbmm")
TOLERANCE = {"float64": (1e-12, 1e-13), "float32": (1e-5, 1e-5), "float16": (2e-3, 1e-4)}  # relative, absolute


@dataclass(frozen=True, slots=True)
class Verdict:
    """`failed` names what differs: value, dtype, shape, gradient, sharing, stride, error, and layout: the strides of a
    result with memory of its own, which are counted by themselves.
    """

    kind: str  # "returns" or "raises", as PyTorch does; "refused": see `refused_by_design`
    view: bool
    failed: tuple[str, ...] = ()
    note: str = ""

    @property
    def equal(self):
        return not set(self.failed) & {"value", "dtype", "shape", "gradient", "error"}

    @property
    def faithful(self):
        return not set(self.failed) & {"stride", "sharing", "error"}


def judge(want, got):
    """Everything in which an outcome of the subject differs from PyTorch's."""
    if want.error:
        note = "" if got.error == want.error else f"{got.message or 'no error'} (expected {want.error}: {want.message})"
        return Verdict("raises", False, ("error",) if note else (), note)
    if refused_by_design(got):
        return Verdict("refused", False, (), got.message)
    view = want.shares or got.shares
    if got.error:
        return Verdict("returns", view, ("value", "error"), got.message)
    found = dict(differences(want.result, got.result))
    if got.trouble:
        found.setdefault("value", got.trouble)
    if got.same_object != want.same_object:
        found.setdefault("sharing", "an in-place call returns its own tensor")
    if not all(map(close, want.memory, got.memory)):
        found.setdefault("value", "the inputs hold other numbers after the call")
    if note := gradient_difference(want, got):
        found["gradient"] = note
    return Verdict("returns", view, tuple(found), "; ".join(f"{k}: {v}" for k, v in found.items()))


def refused_by_design(got):
    """A write that PyTorch lets through, though what is then in memory depends on the order of writing, or lies in
    slots that were none of the tensor's: through overlapping memory, over an operand still being read, or by growing.

    rustyflow refuses it, the first two with PyTorch's words for the same thing. Such calls are counted by themselves.
    """
    return got.error == "RuntimeError" and any(words in got.message for words in REFUSED)


def differences(want, got):
    """(what, how) for everything in which two trees differ."""
    if isinstance(want, Sight) and isinstance(got, Sight):
        if want.shape != got.shape:
            yield "shape", f"{got.shape} (expected {want.shape})"
        elif not close(want.value, got.value):
            yield "value", f"{brief(got.value)} (expected {brief(want.value)})"
        if want.dtype != got.dtype:
            yield "dtype", f"{got.dtype} (expected {want.dtype})"
        if want.shares != got.shares:
            yield "sharing", f"{got.shares} (expected {want.shares})"
        elif any(want.shares) and (want.stride, want.offset) != (got.stride, got.offset):
            yield "stride", f"{got.stride} offset {got.offset} (expected {want.stride} offset {want.offset})"
        elif want.shape == got.shape and steps(want) != steps(got):
            yield "layout", f"{got.stride} (expected {want.stride})"
        if want.records != got.records:
            yield "gradient", f"requires_grad={got.records} (expected {want.records})"
    elif isinstance(want, list) and isinstance(got, list) and want[:2] == got[:2] and len(want) == len(got):
        for a, b in zip(want[2:], got[2:], strict=True):
            yield from differences(a, b)
    elif isinstance(want, float) and isinstance(got, float):
        if not (math.isclose(want, got, rel_tol=1e-6, abs_tol=1e-7) or want != want and got != got):
            yield "value", f"{got!r} (expected {want!r})"
    elif type(want) is not type(got) or want != got:
        yield "value", f"{got!r:.200} (expected {want!r:.200})"


def steps(sight):
    """The strides that matter: an axis of one element is never stepped along, nor anything that is empty."""
    return [step for n, step in zip(sight.shape, sight.stride, strict=True) if n > 1 and sight.value.size]


def gradient_difference(want, got):
    """How the gradients differ, in words. Where PyTorch has no derivative, any answer is as good."""
    if want.gradients is None:
        return ""
    if got.gradients is None:
        return "none implemented"
    if want.backward_error or got.backward_error:
        both = want.backward_error and got.backward_error
        return "" if both else f"{got.backward_error or 'no error'} (expected {want.backward_error or 'a gradient'})"
    if len(want.gradients) != len(got.gradients):
        return f"{len(got.gradients)} gradients (expected {len(want.gradients)})"
    through = [sight.dtype for sight in sights(want.result)]
    for k, (a, b) in enumerate(zip(want.gradients, got.gradients, strict=True)):
        if (a is None) != (b is None) or a is not None and not (a.dtype == b.dtype and close(a, b, 10, through)):
            return f"of input {k}: {brief(b)} (expected {brief(a)})"
    return ""


def sights(tree):
    """All tensors of a result."""
    if isinstance(tree, Sight):
        yield tree
    elif isinstance(tree, list):
        for part in tree:
            yield from sights(part)


def close(want, got, slack=1, through=()):
    """Whether two arrays agree to the digits of their dtype, or of a coarser one that a gradient came through."""
    if want.shape != got.shape:
        return False
    relative, absolute = max([TOLERANCE.get(dtype, (0, 0)) for dtype in (want.dtype.name, *through)])
    with np.errstate(all="ignore"):
        return bool(np.allclose(got, want, relative * slack, absolute * slack, equal_nan=want.dtype.kind == "f"))


def brief(value):
    return None if value is None else np.array2string(value, precision=5, threshold=8, edgeitems=3).replace("\n", "")

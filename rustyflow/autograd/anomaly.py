"""The search for the op that made a NaN: each op's call is remembered, each gradient looked at."""

from __future__ import annotations

import os
import traceback

from ..dispatch import watchers
from ..errors import GradError
from ..tensor import Tensor, edge_of
from .backward import observers

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class set_detect_anomaly:
    """Switches the search on or off: called, or as `with`.

    Backward then raises at the first op whose gradient is NaN.

    Source: https://pytorch.org/docs/stable/autograd.html#anomaly-detection

    Example:
        >>> import rustyflow as rf
        >>> x = rf.tensor(-1., requires_grad=True)
        >>> with rf.autograd.set_detect_anomaly(True):
        ...     try: x.sqrt().backward()
        ...     except RuntimeError as e: print("sqrt" in str(e).lower())
        True
    """

    def __init__(self, mode: bool = True, check_nan: bool = True):
        self.before = _remember in watchers, _look in observers
        _switch(bool(mode), bool(mode and check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        _switch(*self.before)


class detect_anomaly(set_detect_anomaly):
    """The search while a `with` lasts: `set_detect_anomaly(True)`.

    Source: https://pytorch.org/docs/stable/autograd.html#torch.autograd.detect_anomaly

    Example:
        >>> import rustyflow as rf
        >>> with rf.autograd.detect_anomaly():
        ...     rf.is_anomaly_enabled()
        True
    """

    def __init__(self, check_nan: bool = True):
        super().__init__(True, check_nan)


def is_anomaly_enabled() -> bool:
    """True if the search is on.

    Source: https://pytorch.org/docs/stable/autograd.html#anomaly-detection

    Example:
        >>> import rustyflow as rf
        >>> rf.is_anomaly_enabled()
        False
    """
    return _remember in watchers


def _switch(on, looks):
    for table, entry, wanted in ((watchers, _remember, on), (observers, _look, looks)):
        if (entry in table) != wanted:
            (table.append if wanted else table.remove)(entry)


def _remember(op, operands, attrs, out) -> None:
    """Note on the node where in the program its op was called."""
    for y in out if isinstance(out, tuple) else (out,):
        node = y.grad_fn if isinstance(y, Tensor) else None
        if node is not None and "made_at" not in node.__dict__:
            node.made_at = traceback.extract_stack(limit=12)


def _look(step) -> None:
    """Raise at a NaN that a node made out of numbers.

    Raises:
        GradError (a RuntimeError): names the op and the line that called it.
    """
    g = step.contribution
    if step.kind == "vjp" and g is not None and bool((g != g).any()):
        node, _ = edge_of(step.node)
        here = [f for f in getattr(node, "made_at", ()) if not f.filename.startswith(_PACKAGE)]
        line = "called before anomaly detection was on"
        if here:
            line = f"{os.path.basename(here[-1].filename)}, line {here[-1].lineno}: {here[-1].line}"
        raise GradError(f"{node.name()}, {line}",
                        f"Function '{node.name()}' returned nan values in its {step.operand}th output.",
                        "look at that op's operands: a root or logarithm of a negative number, 0/0, or inf - inf")

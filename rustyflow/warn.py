"""Warnings that point at the line of the reader's own program."""
from __future__ import annotations

import sys
import warnings


def warn(message: str) -> None:
    """A UserWarning at the nearest caller outside the library, however many of its functions lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "rustyflow":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)

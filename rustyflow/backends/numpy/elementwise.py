"""Elementwise functions whose PyTorch name or rule is not NumPy's."""
from __future__ import annotations

import numpy as np

neg, abs = np.negative, np.absolute
asin, acos, atan, atan2 = np.arcsin, np.arccos, np.arctan, np.arctan2
asinh, acosh, atanh = np.arcsinh, np.arccosh, np.arctanh


def sigmoid(a):
    """Stable on both sides: exp only of what is not positive."""
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1 / (1 + e), e / (1 + e)).astype(a.dtype, copy=False)

"""What programs ask before they choose a device: there is no GPU here.

Source: https://pytorch.org/docs/stable/cuda.html

Example:
    >>> import rustyflow as rf
    >>> rf.device("cuda" if rf.cuda.is_available() else "cpu")
    device(type='cpu')
"""
from __future__ import annotations


def is_available() -> bool:
    """Whether tensors can be on a GPU: never."""
    return False


def device_count() -> int:
    """How many GPUs there are: none."""
    return 0

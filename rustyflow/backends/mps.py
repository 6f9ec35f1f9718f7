"""PyTorch's `backends.mps`: what programs ask of Apple's GPUs, on which nothing is computed here.

Source: https://pytorch.org/docs/stable/backends.html#module-torch.backends.mps
"""
from ..errors import missing as _missing


def is_available() -> bool:
    """False: no tensor can be on Apple's GPU.

    Source: https://pytorch.org/docs/stable/backends.html#torch.backends.mps.is_available

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.mps.is_available()
        False
    """
    return False


def is_built() -> bool:
    """False: this library cannot compute on Apple's GPU.

    Source: https://pytorch.org/docs/stable/backends.html#torch.backends.mps.is_built

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.mps.is_built()
        False
    """
    return False


def __getattr__(name):
    _missing(__name__, name, [each for each in globals() if not each.startswith("_")])

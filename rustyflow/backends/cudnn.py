"""PyTorch's `backends.cudnn`: what programs set for NVIDIA's kernels, of which there are none here.

Setting one does nothing.
Source: https://pytorch.org/docs/stable/backends.html#module-torch.backends.cudnn

Example:
    >>> import rustyflow.backends.cudnn as cudnn
    >>> cudnn.benchmark, cudnn.deterministic = False, True
    >>> cudnn.is_available()
    False
    >>> cudnn.deterministic = False
"""
from ..errors import missing as _missing

enabled, allow_tf32 = True, True
benchmark = deterministic = False
benchmark_limit = 10


def is_available() -> bool:
    """False: there is no cuDNN to compute with.

    Source: https://pytorch.org/docs/stable/backends.html#torch.backends.cudnn.is_available

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.cudnn.is_available()
        False
    """
    return False


def version() -> None:
    """None: there is no cuDNN.

    Source: https://pytorch.org/docs/stable/backends.html#torch.backends.cudnn.version

    Example:
        >>> import rustyflow as rf
        >>> rf.backends.cudnn.version() is None
        True
    """


def __getattr__(name):
    _missing(__name__, name, [each for each in globals() if not each.startswith("_")])

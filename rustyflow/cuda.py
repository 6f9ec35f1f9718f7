"""Questions that programs ask of a GPU before they use it: none is here; settings do nothing.

Source: https://pytorch.org/docs/stable/cuda.html

Example:
    >>> import rustyflow as rf
    >>> rf.device("cuda" if rf.cuda.is_available() else "cpu")
    device(type='cpu')
"""
from .errors import missing as _missing

__path__: list = []  # so that `import rustyflow.cuda.amp` is asked for


def is_available() -> bool:
    """True if tensors can be on a GPU.

    Differs from PyTorch: never; a device other than the CPU is refused with an AbsentError.
    Source: https://pytorch.org/docs/stable/generated/torch.cuda.is_available.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cuda.is_available()
        False
    """
    return False


def device_count() -> int:
    """The number of GPUs there are to compute on: none.

    Source: https://pytorch.org/docs/stable/generated/torch.cuda.device_count.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cuda.device_count()
        0
    """
    return 0


def manual_seed(seed: int) -> None:
    """Seed the GPUs' random numbers, of which there are none: nothing happens, as in PyTorch without a GPU.

    Source: https://pytorch.org/docs/stable/generated/torch.cuda.manual_seed.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cuda.manual_seed(0)
    """


def manual_seed_all(seed: int) -> None:
    """As `manual_seed`.

    Source: https://pytorch.org/docs/stable/generated/torch.cuda.manual_seed_all.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cuda.manual_seed_all(0)
    """


def empty_cache() -> None:
    """Give back the GPUs' unused memory, of which there is none.

    Source: https://pytorch.org/docs/stable/generated/torch.cuda.memory.empty_cache.html

    Example:
        >>> import rustyflow as rf
        >>> rf.cuda.empty_cache()
    """


def __getattr__(name):
    _missing(__name__, name, globals())

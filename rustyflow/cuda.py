"""What programs ask before they choose a device: there is no GPU here.

Source: https://pytorch.org/docs/stable/cuda.html

Example:
    >>> import rustyflow as rf
    >>> rf.device("cuda" if rf.cuda.is_available() else "cpu")
    device(type='cpu')
"""


def is_available() -> bool:
    """Whether tensors can be on a GPU.

    Differs from PyTorch: never; a device other than the CPU is refused with an AbsentError.
    Source: https://pytorch.org/docs/stable/generated/torch.cuda.is_available.html

    Example:
        >>> is_available()
        False
    """
    return False


def device_count() -> int:
    """How many GPUs there are to compute on: none.

    Source: https://pytorch.org/docs/stable/generated/torch.cuda.device_count.html

    Example:
        >>> device_count()
        0
    """
    return 0

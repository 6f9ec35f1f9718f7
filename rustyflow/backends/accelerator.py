"""PyTorch's name `accelerator`: what programs ask of a GPU or its like, whatever its make; there is none here.

Source: https://pytorch.org/docs/stable/accelerator.html

Example:
    >>> import rustyflow as rf
    >>> rf.accelerator.current_accelerator().type if rf.accelerator.is_available() else "cpu"
    'cpu'
"""
from ..errors import DeviceError as _DeviceError, missing as _missing

__name__ = "rustyflow.accelerator"  # where programs find it
_OF_ONE = """current_device_idx current_device_index current_stream device_index empty_cache empty_host_cache
get_device_capability get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved
memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx set_device_index set_stream
synchronize""".split()


def is_available() -> bool:
    """True if tensors can be on an accelerator.

    Differs from PyTorch: never; a device other than the CPU is refused with an AbsentError.
    Source: https://pytorch.org/docs/stable/generated/torch.accelerator.is_available.html

    Example:
        >>> import rustyflow as rf
        >>> rf.accelerator.is_available()
        False
    """
    return False


def device_count() -> int:
    """The number of accelerators to compute on: none.

    Source: https://pytorch.org/docs/stable/generated/torch.accelerator.device_count.html

    Example:
        >>> import rustyflow as rf
        >>> rf.accelerator.device_count()
        0
    """
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None: there is no accelerator.

    Source: https://pytorch.org/docs/stable/generated/torch.accelerator.current_accelerator.html

    Example:
        >>> import rustyflow as rf
        >>> rf.accelerator.current_accelerator() is None
        True
    """


def _of_one(name: str):
    """A function that asks something of an accelerator: it can be named, and raises where it is called."""
    def ask(*args, **kwargs):
        raise _DeviceError(f"accelerator.{name}(...)", "Cannot access accelerator device when none is available: every "
                           "tensor is on the CPU",
                           f"if rustyflow.accelerator.is_available(): before it, or leave {name} out")
    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"""Ask an accelerator, of which there is none.

    Raises:
        DeviceError (a RuntimeError): always, as in PyTorch on a machine without one.
    Source: https://pytorch.org/docs/stable/generated/torch.accelerator.{name}.html

    Example:
        >>> import rustyflow as rf
        >>> rf.accelerator.{name}()
        Traceback (most recent call last):
        rustyflow.errors.DeviceError: accelerator.{name}(...)
        rule: Cannot access accelerator device when none is available: every tensor is on the CPU
        try:  if rustyflow.accelerator.is_available(): before it, or leave {name} out
    """
    return ask


globals().update({_name: _of_one(_name) for _name in _OF_ONE})


def __getattr__(name):
    _missing("rustyflow.accelerator", name, [each for each in globals() if not each.startswith("_")])

"""The only device there is, and what programs set of devices."""
from __future__ import annotations

import re
from numbers import Integral
from typing import Any

from ..arguments.numbers import whole
from ..dtype import ALL
from ..errors import AbsentError, ArgumentTypeError, DeviceError, kind_of, warn, wrong_type

ELSEWHERE = ("cuda", "mps", "xpu", "meta", "hip", "xla", "mkldnn", "ipu", "hpu", "mtia", "lazy", "vulkan", "opengl",
             "opencl", "ideep", "fpga", "maia", "ve", "privateuseone")


class device:
    """The place of a tensor's storage: `device("cpu")`, which is where all of rustyflow's lie.

    A `with` sets the default.

    Attributes: `type`, always "cpu"; `index`, None or the number after the colon.
    Raises:
        AbsentError (a NotImplementedError): a device that PyTorch has and rustyflow has not. DeviceError (a
        RuntimeError), ArgumentTypeError (a TypeError): no device at all.
    Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch.device

    Example:
        >>> import rustyflow as rf
        >>> rf.device("cpu"), str(rf.device("cpu", 0)), rf.device("cpu") == rf.device(rf.device("cpu"))
        (device(type='cpu'), 'cpu:0', True)
    """

    __module__ = "rustyflow"  # as print(type(x.device)) says
    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None):
        if not isinstance(type, (str, device, Integral)):
            raise wrong_type("device", "type", type, "str", "device('cpu')")
        if index is not None and not isinstance(type, str):
            raise ArgumentTypeError(f"device({type!r}, {index!r:.20})", "device(): argument 'type' must be str, not "
                                    f"{kind_of(type)}, where an index is given", "device('cpu', 0)", value=type)
        self.type, self.index = "cpu", need_cpu(type)
        if index is not None:
            if self.index is not None:
                raise DeviceError(f"device({type!r}, {index!r:.20})", "type (string) must not include an index: "
                                  f"{type}", "device('cpu', 0), or device('cpu:0')")
            self.index = _place(index)

    def __reduce_ex__(self, protocol):
        return device, (str(self),)

    def __repr__(self):
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __enter__(self):
        """Make it the default in the lines of a `with`."""
        _outside.append(_default)
        set_default_device(self)
        return self

    def __exit__(self, *exc):
        set_default_device(_outside.pop())


def _place(index: Any) -> int:
    """The number of a device."""
    index, = whole("device", index=index)
    if index < 0:
        raise DeviceError(f"device('cpu', {index})", "Device index must not be negative", "device('cpu')")
    return _in_a_byte(index)


def _in_a_byte(index: int) -> int | None:
    """The number of a device as PyTorch holds it, in one byte of which -1 says that there is none."""
    held = (index + 128) % 256 - 128
    return None if held == -1 else held


def need_cpu(place: Any) -> int | None:
    """Let the CPU (or None) pass; return the number after its colon, or None.

    Raises:
        AbsentError (a NotImplementedError): a device that PyTorch has and rustyflow has not. DeviceError (a
        RuntimeError): no device at all. ArgumentTypeError (a TypeError): not even its name.

    Example:
        >>> need_cpu("cpu:3")
        3
        >>> need_cpu("nowhere")
        Traceback (most recent call last):
        rustyflow.errors.DeviceError: device='nowhere'
        rule: Expected one of cpu, cuda, mps, ... device type at start of device string: nowhere
        try:  leave device out, or device='cpu'
    """
    if place is None or isinstance(place, device):
        return None if place is None else place.index
    if not isinstance(place, (str, Integral)) or isinstance(place, bool):
        raise ArgumentTypeError(f"device={place!r:.60}", f"argument 'device' must be rustyflow.device, not "
                                f"{kind_of(place)}", "leave device out, or device='cpu'", value=place)
    if not isinstance(place, str):
        place, = whole("device", device=place)
    name, colon, number = str(place).partition(":")
    if name in ELSEWHERE:
        raise AbsentError(f"device={place!r:.60}", "rustyflow computes on the CPU only",
                          "leave device out, or device='cpu'")
    if name != "cpu":
        raise DeviceError(f"device={str(place)!r:.60}",
                          f"Expected one of cpu, cuda, mps, ... device type at start of device string: {name}",
                          f"a dtype is no string: rustyflow.{name}" if name in [d.name for d in ALL]
                          else "leave device out, or device='cpu'")
    if colon and not re.fullmatch("0|[1-9][0-9]*", number):
        raise DeviceError(f"device={place!r:.60}", f"Invalid device string: '{place}'", "device('cpu')")
    if len(number) > 10 or number and int(number) >= 1 << 31:  # so many digits that Python may refuse to read them
        raise DeviceError(f"device={place!r:.60}", f"Could not parse device index '{number:.40}'", "device('cpu')")
    return _in_a_byte(int(number)) if number else None


CPU = device("cpu")
_default = CPU
_outside: list[device] = []
_precision = "highest"
PRECISIONS = ("highest", "high", "medium")


def get_default_device() -> device:
    """The device on which new tensors are made: the CPU, by the number that `set_default_device` gave it.

    Source: https://pytorch.org/docs/stable/generated/torch.get_default_device.html

    Example:
        >>> import rustyflow as rf
        >>> rf.get_default_device()
        device(type='cpu')
    """
    return _default


def set_default_device(device: Any) -> None:
    """Choose the device on which new tensors are made: "cpu", or None for the usual one, which it is, too.

    Raises:
        AbsentError (a NotImplementedError): a device that PyTorch has and rustyflow has not. DeviceError (a
        RuntimeError), ArgumentTypeError (a TypeError): no device at all.
    Source: https://pytorch.org/docs/stable/generated/torch.set_default_device.html

    Example:
        >>> import rustyflow as rf
        >>> rf.set_default_device("cpu"); rf.zeros(1).device
        device(type='cpu')
    """
    global _default
    _default = CPU if device is None else device if isinstance(device, CPU.__class__) else CPU.__class__(device)


def get_float32_matmul_precision() -> str:
    """The word that `set_float32_matmul_precision` was given last.

    Source: https://pytorch.org/docs/stable/generated/torch.get_float32_matmul_precision.html

    Example:
        >>> import rustyflow as rf
        >>> rf.get_float32_matmul_precision()
        'highest'
    """
    return _precision


def set_float32_matmul_precision(precision: str) -> None:
    """Allow matrix products of float32 to be less exact on some GPUs: "highest", "high" or "medium".

    Without effect but for what `get_float32_matmul_precision` answers; another word is warned of and changes nothing.
    Differs from PyTorch: every product is computed in float32.
    Raises:
        DeviceError (a RuntimeError): no text.
    Source: https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html

    Example:
        >>> import rustyflow as rf
        >>> rf.set_float32_matmul_precision("high"); rf.get_float32_matmul_precision()
        'high'
        >>> rf.set_float32_matmul_precision("highest")
    """
    global _precision
    if not isinstance(precision, str):
        raise DeviceError(f"set_float32_matmul_precision({precision!r:.60})", "set_float32_matmul_precision expects a "
                          f"str, but got {kind_of(precision)}", "'highest', 'high' or 'medium'", value=precision)
    if precision not in PRECISIONS:
        warn(f"set_float32_matmul_precision({precision!r:.60}) has no effect: 'highest', 'high' and 'medium' are words")
        return
    _precision = precision

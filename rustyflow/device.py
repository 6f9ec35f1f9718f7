"""The only device there is."""
from __future__ import annotations

from numbers import Integral
from typing import Any

from .dtype import ALL
from .errors import AbsentError, ArgumentTypeError, DeviceError
from .scalars import whole

ELSEWHERE = ("cuda", "mps", "xpu", "meta", "hip", "xla", "mkldnn", "ipu", "hpu", "mtia", "lazy", "vulkan", "opengl",
             "opencl", "ideep", "fpga", "maia", "ve", "privateuseone")


class device:
    """Where a tensor's storage lies: `device("cpu")`, which is where all of rustyflow's lie.

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
            raise ArgumentTypeError(f"device({type!r:.60})",
                                    f"device(): argument 'type' must be str, not {type.__class__.__name__}",
                                    "device('cpu')")
        need_cpu(type)
        self.type, colon, number = str(type).partition(":")
        if colon and (not number.isdecimal() or str(int(number)) != number or index is not None):
            raise DeviceError(f"device({str(type)!r}, {index})", f"Invalid device string: '{type}'", "device('cpu')")
        self.index = int(number) if number else index if index is None else _place(index)

    def __repr__(self):
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))


def _place(index: Any) -> int:
    """The number of a device."""
    index, = whole("device", index=index)
    if index < 0:
        raise DeviceError(f"device('cpu', {index})", "Device index must not be negative", "device('cpu')")
    return index


def need_cpu(device: Any) -> None:
    """Let the CPU (or None) pass.

    Raises:
        AbsentError (a NotImplementedError): a device that PyTorch has and rustyflow has not. DeviceError (a
        RuntimeError): no device at all. ArgumentTypeError (a TypeError): not even its name.

    Example:
        >>> need_cpu("cpu:0")
        >>> need_cpu("nowhere")
        Traceback (most recent call last):
        rustyflow.errors.DeviceError: device='nowhere'
        rule: Expected one of cpu, cuda, mps, ... device type at start of device string: nowhere
        try:  leave device out, or device='cpu'
    """
    name = str(device).split(":")[0]
    if device is None or name == "cpu":
        return
    if not isinstance(device, (str, Integral)) or isinstance(device, bool):
        raise ArgumentTypeError(f"device={device!r:.60}", f"argument 'device' must be rustyflow.device, not "
                                f"{type(device).__name__}", "leave device out, or device='cpu'")
    if name in ELSEWHERE:
        raise AbsentError(f"device={str(device)!r}", "rustyflow computes on the CPU only",
                          "leave device out, or device='cpu'")
    raise DeviceError(f"device={str(device)!r}",
                      f"Expected one of cpu, cuda, mps, ... device type at start of device string: {name}",
                      f"a dtype is no string: rustyflow.{name}" if name in [d.name for d in ALL]
                      else "leave device out, or device='cpu'")


CPU = device("cpu")

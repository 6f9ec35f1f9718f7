"""The only device there is."""
from __future__ import annotations

from typing import Any

from .errors import AbsentError, DeviceError

ELSEWHERE = ("cuda", "mps", "xpu", "meta", "hip", "xla", "mkldnn", "ipu", "hpu", "mtia", "lazy", "vulkan", "opengl",
             "opencl", "ideep", "fpga", "maia", "ve", "privateuseone")


def need_cpu(device: Any) -> None:
    """Let the CPU (or None) pass.

    Raises:
        AbsentError (a NotImplementedError): a device that PyTorch has and rustyflow has not. DeviceError (a
        RuntimeError): no device at all.

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
    if name in ELSEWHERE:
        raise AbsentError(f"device={str(device)!r}", "rustyflow computes on the CPU only",
                          "leave device out, or device='cpu'")
    raise DeviceError(f"device={str(device)!r}",
                      f"Expected one of cpu, cuda, mps, ... device type at start of device string: {name}",
                      "leave device out, or device='cpu'")

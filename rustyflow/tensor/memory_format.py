"""The order in which a result's cells lie: as the operand's, `preserve_format`, or row-major, `contiguous_format`."""
from __future__ import annotations

from typing import Any

from ..errors import AbsentError, ArgumentTypeError, ShapeError, wrong_type

_ALL: list = []


class memory_format:
    """An order of cells in memory, as `clone` and `empty_like` take one.

    Differs from PyTorch: there is no channels_last.
    Source: https://pytorch.org/docs/stable/tensor_attributes.html#torch-memory-format

    Example:
        >>> import rustyflow as rf
        >>> x = rf.zeros(2, 3).t()
        >>> x.clone(memory_format=rf.preserve_format).stride(), x.clone(memory_format=rf.contiguous_format).stride()
        ((1, 3), (2, 1))
    """

    __module__ = "rustyflow"
    __slots__ = ("name",)

    def __new__(cls, name=None):
        if len(_ALL) == 2:
            rule = "cannot create 'rustyflow.memory_format' instances: all there are have names"
            raise ArgumentTypeError(f"memory_format({name!r:.60})", rule, "rustyflow.contiguous_format", value=name)
        _ALL.append(super().__new__(cls))
        return _ALL[-1]

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"rustyflow.{self.name}"

    def __reduce__(self):
        return self.name


preserve_format, contiguous_format = memory_format("preserve_format"), memory_format("contiguous_format")


def is_row_major(name: str, asked: Any) -> bool:
    """True if an argument `memory_format`, ours or PyTorch's, asks for row-major order.

    Raises:
        AbsentError (a NotImplementedError): channels_last. ArgumentTypeError (a TypeError): no memory format.

    Example:
        >>> is_row_major("clone", None), is_row_major("clone", contiguous_format)
        (False, True)
        >>> is_row_major("clone", "channels_first")
        Traceback (most recent call last):
        rustyflow.errors.ArgumentTypeError: clone(memory_format='channels_first')
        rule: clone(): argument 'memory_format' must be rustyflow.memory_format, not str
        try:  rustyflow.contiguous_format, or leave it out
    """
    if asked is None or asked is preserve_format:
        return False
    said = str(asked).rpartition(".")[2] if type(asked).__name__ == "memory_format" else ""
    if said.startswith("channels_last"):
        raise AbsentError(f"{name}(memory_format={asked!r})", "tensors are row-major, or lie as their operand does",
                          "x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2), which lies so")
    if not said:
        raise wrong_type(name, "memory_format", asked, "rustyflow.memory_format",
                         "rustyflow.contiguous_format, or leave it out")
    return said == contiguous_format.name


def need_row_major(name: str, asked: Any) -> None:
    """Let None and contiguous_format pass, where there is no operand whose order could be kept.

    Raises:
        ShapeError (a RuntimeError): preserve_format. AbsentError, ArgumentTypeError: see `is_row_major`.

    Example:
        >>> need_row_major("empty", contiguous_format)
    """
    if asked is not None and not is_row_major(name, asked):
        rule = "unsupported memory format Preserve: there is no order that could be kept"
        raise ShapeError(f"{name}(memory_format={asked!r})", rule, "leave memory_format out")

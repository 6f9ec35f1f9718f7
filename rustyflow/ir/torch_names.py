"""PyTorch's words for an op and its arguments: what a graph calls them, whichever library ran it."""

from __future__ import annotations

import re
from functools import cache
from itertools import repeat
from typing import Any

from .text import clean

CALLED = {
    "clamp_max": "clamp", "clamp_min": "clamp", "constant_pad_nd": "pad", "copy": "copy_", "deg2_rad": "deg2rad",
    "linalg_cholesky_ex": "linalg.cholesky", "linalg_det": "det", "linalg_inv_ex": "inverse",
    "linalg_slogdet": "slogdet", "linalg_solve_ex": "linalg.solve", "linalg_svd": "linalg.svd",
    "linalg_vector_norm": "linalg.vector_norm", "log1_p": "log1p", "log_sigmoid": "logsigmoid",
    "native_batch_norm": "batch_norm", "native_group_norm": "group_norm", "native_layer_norm": "layer_norm",
    "nll_loss2d": "nll_loss", "prelu_kernel": "prelu", "rad2_deg": "rad2deg", "rsub": "sub", "to_copy": "to",
    "unique2": "unique", "unsafe_view": "reshape", "zero": "zero_",
}
"""Functions by the name of their node, where a program calls them by another."""

OWN = ("cross_entropy", "rows", "floor_divide")
"""Ops of ours that do at once what PyTorch's graph shows as several nodes, or as one of another op."""

ARGUMENTS = {
    "diag": "offset", "high": "max_val", "ignore": "ignore_index", "kernel": "kernel_size", "low": "min_val",
    "override": "divisor_override", "p": "ord", "slope": "negative_slope", "to": "dtype",
    "count_padding": "count_include_pad", ("squeeze", "dims"): "dim", ("unfold", "dim"): "dimension",
}
"""PyTorch's names of arguments, by ours; of one op, by its name and ours."""

SHOWN = ("own", "lengths", "out")
"""Arguments that the shapes say already."""

SAID = {"standardize": ("eps",), "constant_pad": ("pad", "value"), "diag_embed": ("offset", "dim1", "dim2")}
"""Of some ops, the arguments that the shapes do not say."""

WHOLE = ("vector_length", "linalg.vector_norm")
"""Ops to which all dims are the same as none."""

NEW_AXIS = {"unsqueeze": 1, "stack": 1, "diag_embed": 1}
"""Ops whose dims are counted in the result."""

EXTRA = {
    "add_at": {"accumulate": True},
    "convolution_input": {"transposed": True},
    "div_floor": {"rounding_mode": "floor"},
    "div_trunc": {"rounding_mode": "trunc"},
}
"""What PyTorch says by an argument and we by an op of its own."""


@cache
def function(torch: str) -> str:
    """The function behind a node of PyTorch's. That of a Function of the program's own has no number.

    Example:
        >>> [function(name) for name in ("MulBackward0", "MaxPool2DWithIndicesBackward0", "NativeLayerNormBackward0")]
        ['mul', 'max_pool2d_with_indices', 'layer_norm']
        >>> function("MyReLUBackward")
        'MyReLU'
    """
    if torch.endswith("Backward"):
        return torch.removesuffix("Backward")
    name = re.sub(r"(\d)D(?![a-z])", r"\1d", re.sub(r"Backwards?\d*$", "", torch))
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z])", "_", name).lower()
    return CALLED.get(name, name)


def name(op: Any, node: Any = None) -> str:
    """PyTorch's name for one of our ops, as the node was recorded if it was.

    Example:
        >>> from rustyflow.ops import OPS
        >>> [name(OPS[ours]) for ours in ("max_dim", "copy_as", "write_at", "matmul")]
        ['max', 'clone', 'index_put', 'matmul']
    """
    if op.name in OWN or not getattr(op, "torch_name", ""):
        return clean(op.name)
    called = function(node.name() if node is not None else op.Node.__name__)
    return "linear" if op.name == "linear" and called == "addmm" else called  # addmm has another order of operands


def written(method: str) -> str:
    """An in-place method as a program calls it, for an op's own name with its underscore.

    Example:
        >>> written("add_scaled_"), written("add_")
        ('add_', 'add_')
    """
    from ..ops import OPS
    from ..tensor import Tensor

    op = OPS.get(method.removesuffix("_")) if not hasattr(Tensor, method) else None
    return name(op).removesuffix("_") + "_" if op is not None and method.endswith("_") else method


def arguments(op: str, attrs: dict, shape: tuple | None = None) -> dict:
    """An op's arguments under PyTorch's names, without those that shapes tell; `shape` is that of the first operand.

    Example:
        >>> arguments("narrow", {"dim": 1, "start": 2, "length": 3}), arguments("diagonal", {"diag": 1, "dim1": 0})
        ({'items': (':', '2:5')}, {'offset': 1, 'dim1': 0})
    """
    if not attrs:
        return EXTRA.get(op, {})
    if op in SAID:
        attrs = {key: attrs[key] for key in SAID[op]}
    attrs = counted(op, attrs, shape)
    found = {ARGUMENTS.get((op, key)) or ARGUMENTS.get(key, key): x for key, x in attrs.items() if key not in SHOWN}
    if op == "select":
        return along(found["dim"], found["index"])
    if op == "narrow":
        return along(found["dim"], f"{found['start']}:{found['start'] + found['length']}")
    if "other" in found:  # a layout
        found.update(zip(("size", "stride", "storage_offset"), found.pop("other")))
    if "arrays" in found:  # None once a backward has freed them
        arrays = dict(zip(found.pop("dims"), found.pop("arrays") or repeat("?")))
        found["items"] = tuple([arrays.get(d, ":") for d in range(max(arrays) + 1)])
    return {**found, **EXTRA.get(op, {})}


def along(dim: int, item: Any) -> dict:
    """The brackets with an index or a slice in one place.

    Example:
        >>> along(1, "2:5")
        {'items': (':', '2:5')}
    """
    return {"items": (":",) * dim + (item,)}


def counted(op: str, found: dict, shape: tuple | None) -> dict:
    """An op's arguments with dims counted from the front, None for a 0-d tensor and where all dims say nothing.

    Example:
        >>> counted("sum", {"dim": (-1,), "keepdim": True}, (2, 3)), counted("unsqueeze", {"dim": -1}, (2, 3))
        ({'dim': (1,), 'keepdim': True}, {'dim': 2})
    """
    if shape is None:
        return found
    n = len(shape) + NEW_AXIS.get(op, 0)
    told = {}
    for key, x in found.items():
        if key[:3] == "dim" and x is not None:
            x = None if not n else tuple([d % n for d in x]) if isinstance(x, tuple) else x % n
            x = None if op in WHOLE and x == tuple(range(n)) else x
        told[key] = x
    return told


def brackets(items: tuple, shape: tuple) -> tuple:
    """The text between square brackets, written in one way: every axis, slices with their ends.

    Example:
        >>> brackets((-1,), (4, 3)) == brackets((3, ":"), (4, 3)), brackets(("...", "1:"), (4, 3))
        (True, ((0, 4, 1), (1, 3, 1)))
    """
    named = sum(item is not None and item != "..." for item in items)
    found: list[Any] = []
    left = list(shape)
    for item in (*items, *([] if "..." in items else ["..."])):
        for part in [":"] * (len(shape) - named) if item == "..." else [item]:
            n = left.pop(0) if part is not None and left else 0
            if isinstance(part, int):
                part = part % n if n else part
            elif isinstance(part, str) and ":" in part:
                part = slice(*[int(end) if end else None for end in part.split(":")]).indices(n)
            found.append(part)
    return tuple(found)


def plain(x: Any) -> Any:
    """An argument of an op as a value that can be compared and written down.

    That is a number, text, a tuple of these, or a description.
    """
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    if x is Ellipsis:
        return "..."
    if isinstance(x, (tuple, list)):
        return tuple(plain(part) for part in x)
    if isinstance(x, slice):
        ends = [x.start, x.stop] if x.step is None else [x.start, x.stop, x.step]
        return ":".join("" if n is None else str(n) for n in ends)
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        if not x.shape:
            return x.item()
        return f"{x.dtype}{list(x.shape)}"
    if callable(x):
        return getattr(getattr(x, "func", x), "__name__", type(x).__name__)
    return getattr(x, "name", type(x).__name__)

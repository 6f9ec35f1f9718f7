"""PyTorch's words for an op and its arguments: what a graph calls them, whichever library ran it."""

from __future__ import annotations

import re
from typing import Any

CALLED = {
    "constant_pad_nd": "pad",
    "copy": "copy_",
    "linalg_cholesky_ex": "linalg.cholesky",
    "linalg_det": "det",
    "linalg_inv_ex": "inverse",
    "linalg_slogdet": "slogdet",
    "linalg_solve_ex": "linalg.solve",
    "linalg_svd": "linalg.svd",
    "linalg_vector_norm": "linalg.vector_norm",
    "log1_p": "log1p",
    "log_sigmoid": "logsigmoid",
    "native_batch_norm": "batch_norm",
    "native_group_norm": "group_norm",
    "native_layer_norm": "layer_norm",
    "nll_loss2d": "nll_loss",
    "to_copy": "to",
    "unique2": "unique",
    "unsafe_view": "reshape",
    "zero": "zero_",
}
"""Functions by the name of their node, where a program calls them by another."""

OWN = ("linear", "matmul", "cross_entropy", "rows", "floor_divide")
"""Ops of ours that do at once what PyTorch's graph shows as several nodes, or as one of another op."""

ARGUMENTS = {
    "diag": "offset",
    "high": "max_val",
    "ignore": "ignore_index",
    "kernel": "kernel_size",
    "low": "min_val",
    "override": "divisor_override",
    "p": "ord",
    "slope": "negative_slope",
    "to": "dtype",
    "whole": "count_include_pad",
}
"""PyTorch's names of arguments, by ours."""

SHOWN = ("own", "lengths", "inner", "affine", "out")
"""Arguments that the shapes say already."""

EXTRA = {
    "add_at": {"accumulate": True},
    "convolution_input": {"transposed": True},
    "div_floor": {"rounding_mode": "floor"},
    "div_trunc": {"rounding_mode": "trunc"},
}
"""What PyTorch says by an argument and we by an op of its own."""


def function(torch: str) -> str:
    """The function behind a node of PyTorch's.

    Example:
        >>> [function(name) for name in ("MulBackward0", "MaxPool2DWithIndicesBackward0", "NativeLayerNormBackward0")]
        ['mul', 'max_pool2d_with_indices', 'layer_norm']
    """
    name = re.sub(r"(\d)D(?![a-z])", r"\1d", re.sub(r"Backwards?\d*$", "", torch))
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z])", "_", name).lower()
    return CALLED.get(name, name)


def name(op: Any, node: Any = None) -> str:
    """What PyTorch calls one of our ops, as the node was recorded if it was.

    Example:
        >>> from rustyflow.ops import OPS
        >>> [name(OPS[ours]) for ours in ("max_dim", "copy_as", "write_at", "matmul")]
        ['max', 'clone', 'index_put', 'matmul']
    """
    if op.name in OWN or not getattr(op, "torch_name", ""):
        return op.name
    return function(node.name() if node is not None else op.torch_name)


def written(method: str) -> str:
    """An in-place method as a program calls it, for an op's own name with its underscore.

    Example:
        >>> written("copy_into_"), written("add_")
        ('copy_', 'add_')
    """
    from ..ops import OPS

    op = OPS.get(method.removesuffix("_"))
    return name(op).removesuffix("_") + "_" if op is not None and method.endswith("_") else method


def arguments(op: str, attrs: dict) -> dict:
    """An op's arguments under PyTorch's names, without those that shapes tell.

    Example:
        >>> arguments("narrow", {"dim": 1, "start": 2, "length": 3}), arguments("diagonal", {"diag": 1, "dim1": 0})
        ({'items': (':', '2:5')}, {'offset': 1, 'dim1': 0})
    """
    found = {ARGUMENTS.get(key, key): x for key, x in attrs.items() if key not in SHOWN}
    if op == "select":
        return {"items": (":",) * found["dim"] + (found["index"],)}
    if op == "narrow":
        return {"items": (":",) * found["dim"] + (f"{found['start']}:{found['start'] + found['length']}",)}
    if "other" in found:  # a layout
        found.update(zip(("size", "stride", "storage_offset"), found.pop("other")))
    if "arrays" in found:
        arrays = dict(zip(found.pop("dims"), found.pop("arrays")))
        found["items"] = tuple([arrays.get(d, ":") for d in range(max(arrays) + 1)])
    return {**found, **EXTRA.get(op, {})}

"""Rules as one call means them: losses on classes for the weights and the targets that count, normalizations over their
axes, and cells that are scattered along an axis."""

from typing import Any

import numpy as np

from ...dispatch.operation import OPS
from ...ir import Node
from ...ir.formula import BETWEEN

INNER = "s = sqrt(2 / pi) * (x + 0.044715 * x ** 3)"
SLOPE = "(1 - tanh(s) ** 2) * sqrt(2 / pi) * (1 + 0.134145 * x * x)"
GELU = f"y = x * (1 + tanh(s)) / 2 with {INNER}{BETWEEN}dx = g * (1 + tanh(s) + x * {SLOPE}) / 2 with {INNER}"
"""The formula of gelu with approximate='tanh'."""


def of_call(node: Node, missing: list[str]) -> str:
    """The formula of a node, for its shapes and arguments; as its operation has it where these say no more.

    >>> from rustyflow.ir import graph
    >>> from rustyflow import nn, tensor
    >>> x = tensor([[1.0, 2.0]], requires_grad=True)
    >>> loss = nn.functional.cross_entropy(x, tensor([1]), weight=tensor([1.0, 3.0]))
    >>> of_call(graph(loss, depth=1).nodes[-1], []).partition(BETWEEN)[0]
    'y = sum(weight[target] * (log(sum(exp(x), 1)) - x[range(1), target])) / sum(weight[target])'
    """
    said, given = node.formula, {**dict(node.attrs), **getattr(node.history, "attrs", {})}
    x = next((value for value in getattr(node.history, "parents", ()) if value is not None), None)
    if node.rule == "gelu" and given.get("approximate") == "tanh":
        return GELU
    padding = given.get("padding_idx")
    if node.rule == "embedding" and padding is not None and padding >= 0:
        return f"{said}, and none to row {padding}"
    if node.rule == "vector_length" and given.get("p") == 0:
        return f"y = sum(x != 0, dim, keepdim){BETWEEN}dx = 0"
    if node.rule == "vector_length" and abs(given.get("p", 2)) == float("inf"):
        most = "amax" if given["p"] > 0 else "amin"
        back = "g * sign(x), shared equally by the cells where abs(x) == y"
        return f"y = {most}(abs(x), dim, keepdim){BETWEEN}dx = {back}"
    if node.rule == "cdist" and given.get("p") == float("inf"):
        said = "y = amax(abs(d), -1) with d = a[:, None] - b"
    if x is None:
        return said
    if node.rule == "cdist" and len(node.shape or ()) > 2:
        said = said.replace("1), 1)", "1), -2)").replace("1), 0)", "1), -3)")
        return said.replace("a[:, None] - b", "a[..., None, :] - b[..., None, :, :]")
    shape = x.out.shape
    if node.rule in ("cross_entropy", "nll_loss"):
        return _of_classes(node, shape, given, "weight" not in missing and len(node.operands) > 2)
    if node.rule == "standardize":
        return _standardized(node, tuple(node.results[0].shape or ()), given, "weight" not in missing)
    if "index[i, j], j]" in said and type(given.get("dim")) is int:
        letters = [*"ijklmnop"[: len(shape)]]
        every = ", ".join(letters)
        letters[given["dim"]] = f"index[{every}]"
        said = said.replace("index[i, j], j]", f"{', '.join(letters)}]").replace("[i, j] along dim", f"[{every}]")
        return said.replace("[i, j]", f"[{every}]").replace("] along dim", "]")
    return said


def _of_classes(node: Node, shape: tuple[int, ...], given: dict[str, Any], weighed: bool) -> str:
    """The rules of a loss that reads one number of each row, that of the target, as a program does: `x[target]` would
    be rows. Where targets may be ignored, k is those that count."""
    rank, reduction, ignore = len(shape), given.get("reduction"), given.get("ignore")
    cells, of, how, known = "x", "target", "", ""
    if ignore is not None and rank > 1 and reduction == "none":
        how, known = " where k, else 0", f" with k = (target != {ignore})"
    elif ignore is not None and rank > 1:
        of, how, known = "target[k]", " where k, else 0", f" with k = (target != {ignore})"
        cells = "x[k]" if rank == 2 else "r"
        known += "" if rank == 2 else ", r = x.movedim(1, -1)[k]"
    elif ignore is not None:  # of one vector: it counts, or there is no loss
        return ""
    row = {1: "x[target]", 2: f"x[range({shape[0]}), target]"}.get(rank, "x.gather(1, target[:, None])[:, 0]")
    row = row if of == "target" else "x[k, target[k]]" if rank == 2 else "r[range(len(r)), target[k]]"
    rows = "len(x)" if node.rule == "cross_entropy" else "len(target)"
    many = "sum(k)" if known else rows if rank == 2 else "target.numel()"
    if node.rule == "nll_loss":
        each, sign, total = row, "-", f"-sum({row})" + (f" / {many}" if reduction == "mean" else "")
        total = f"-{row}" if reduction == "none" or rank == 1 else total
    else:
        each, sign = f"log(sum(exp({cells}), {min(1, rank - 1)})) - {row}", ""
        total = each if reduction == "none" or rank == 1 else f"{'mean' if reduction == 'mean' else 'sum'}({each})"
    if weighed and (rank > 1 or reduction != "mean"):
        each = f"weight[{of}] * {each if sign else f'({each})'}"
        total = f"{sign}{each}" if reduction == "none" or rank == 1 else f"{sign}sum({each})"
        total += f" / sum(weight[{of}])" if reduction == "mean" else ""
    if reduction == "none":
        total += how
    share = f" / sum(weight[{of}])" if weighed else f" / {many}"
    share = share if reduction == "mean" and rank > 1 else ""
    column = "" if rank == 1 or node.rule == "nll_loss" else "[:, None]"
    factor = f" * weight[target]{column}" if weighed and (rank > 1 or reduction != "mean") else ""
    back = f"-g{factor}{share} at the targets{how or ', else 0'}"
    if node.rule == "cross_entropy":
        along = "softmax(x, 1) - one_hot(target).movedim(-1, 1)" if rank > 2 else "softmax(x) - one_hot(target)"
        back = f"g{column if reduction == 'none' else ''}{factor}{share} * ({along}){how}"
    return f"y = {total}{known}{BETWEEN}dx = {back}{known.partition(', r')[0]}"


def _standardized(node: Node, shape: tuple[int, ...], given: dict[str, Any], weighed: bool) -> str:
    """A normalization: mean and variance over the last axes, of each channel, or of each group as a row."""
    inner, affine = given["inner"], len(given["affine"])
    wide = "[:" + ", None" * (affine - 1) + "]" if affine > 1 else ""
    seen, back, known, over = "x", "", "", tuple(range(-affine, 0))
    beside = tuple(range(len(shape) - affine))
    if node.torch.startswith("NativeBatchNorm"):
        over = beside = (0, *range(2, len(shape)))
    elif node.torch.startswith("NativeGroupNorm"):
        seen, over, back, known = "r", (1,), f".view{shape}", f" with r = x.view({inner[0]}, -1)"
        beside = (0, *range(2, len(shape)))
    else:
        wide = ""
    axes = over[0] if len(over) == 1 else over
    y = f"({seen} - mean({seen}, {axes}, True)) / sqrt(var({seen}, {axes}, correction=0, keepdim=True) + eps)"
    y = f"({y}){back}" if back else y
    y += f" * weight{wide}" * weighed + ("" if _no_bias(node) else f" + bias{wide}")
    mean, own = f", {axes}, True)", "gw" if weighed else "g"
    dx = f"({own} - mean({own}{mean} - xhat * mean({own} * xhat{mean}) / root"
    summed = f", {beside[0] if len(beside) == 1 else beside})" if beside else ""
    dweight, dbias = (f"sum({of}{summed}" if beside else of for of in ("g * xhat", "g"))
    if back:  # its other rules are longer than what shows them
        return f"y = {y}{known}{BETWEEN}dbias = {dbias}"
    letters = f"root = sqrt(var(x, {axes}, correction=0, keepdim=True) + eps), "
    letters += f"xhat = (x - mean(x{mean}) / root" + f", gw = g * weight{wide}" * weighed
    return BETWEEN.join((f"y = {y}", f"dx = {dx}", f"dweight = {dweight}", f"dbias = {dbias} with {letters}"))


def _no_bias(node: Node) -> bool:
    """Whether a normalization has added no bias: none gets a gradient, and its result is what it is without one."""
    if node.history.next_functions[2][0] is not None:
        return False
    given, out = node.history.attrs, getattr(node.history, "out", None)
    saved = dict(zip(OPS[node.rule].slots, getattr(node.history, "saved", None) or (), strict=False))
    x, weight = (getattr(saved.get(own), "_a", saved.get(own)) for own in ("x", "weight"))
    if type(out) is not tuple or x is None or any(array is None for array in out):
        return False
    y, mean, var = (np.asarray(array, float) for array in out)
    made = (np.asarray(x, float).reshape(given["inner"]) - mean) / np.sqrt(var + given["eps"])
    made = made.reshape(x.shape) * (1 if weight is None else np.asarray(weight, float).reshape(given["affine"]))
    return bool(np.allclose(made, y, 1e-3, 1e-5, equal_nan=True))

"""Multiplying: whether a function leaves a product to the library, and whether it has one in a loop."""

import ast
from typing import Any

from .source import borrows, instructions, parts, tree

PRODUCTS = (
    *("matmul", "__matmul__", "mm", "mv", "bmm", "dot", "vdot", "vecdot", "inner", "einsum", "tensordot", "multi_dot"),
    *("linear", "addmm", "addmv", "addbmm", "baddbmm"),
)
LOOPS = ast.For, ast.While, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp


def by_hand(function: Any) -> str:
    """A word on a function that has the library multiply, or "".

    >>> by_hand(lambda a, b: a @ b)
    'it leaves the work to @, which does what you are to write: write down its steps'
    """
    steps = (step for part in parts(function) for step in instructions(part))
    if any(step.opname == "BINARY_OP" and step.argrepr[0] == "@" for step in steps):
        return "it leaves the work to @, which does what you are to write: write down its steps"
    return borrows(*PRODUCTS)(function)


def looped(function: Any) -> str:
    """A word on a function that has a product in a loop, or ""."""
    sources = filter(None, map(tree, parts(function)))
    loops = [node for source in sources for node in ast.walk(source) if isinstance(node, LOOPS) or _maps(node)]
    products = (part for loop in loops for part in ast.walk(loop) if _multiplies(part))
    return "it has a product in a loop: write one product for the whole batch" if any(products) else ""


def _maps(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "map"


def _multiplies(node: ast.AST) -> bool:
    return isinstance(getattr(node, "op", None), ast.MatMult | ast.Mult) or getattr(node, "attr", "") in PRODUCTS

"""Tables of PyTorch's rules for the arguments of its functions.

An argument is written `name`, or `function.name` where the rule is for one function only.
"""
from __future__ import annotations

ANY_FLAG = frozenset("""
    antialias create_graph full hard inplace is_grads_batched materialize_grads raise_exception retain_graph
    return_indices strict swap training vectorize
""".split())
"""Flags that PyTorch tests in Python, where any value counts as true or false."""

NEVER_NONE = frozenset("""
    arange.end arange.first arange.start arange.step bernoulli.p cumulative_trapezoid.x eye.m max.dim median.dim min.dim
    nanmedian.dim normal.size normal.std prod.dim randint.high randint.low randint.size randint_like.high
    randint_like.low repeat_interleave.repeats scatter.reduce squeeze.dim std.unbiased std_mean.unbiased trapezoid.x
    trapz.x var.unbiased var_mean.unbiased where.input where.other
""".split())
"""Arguments that may be left out, but may not be None."""

NEEDS_DIM = ("max", "mean", "median", "min", "nanmedian", "prod", "sum")
"""Functions that take keepdim by name only together with a dim."""

DOUBLES = frozenset("atol delta dx eps from lambd margin mean momentum nan neginf posinf rtol scale std to tol".split())
"""Numbers that are converted to float: a whole one of more than 64 bits is rounded, a complex one of the wrong kind."""

NUMPY_UNDERSTOOD = {"axis": "dim", "keepdims": "keepdim", "a": "input", "x": "input", "x1": "input", "x2": "other"}
"""NumPy's names for arguments that PyTorch understands as well."""

_CUTS = {"indices": "indices_or_sections", "sections": "indices_or_sections"}
_MATRIX = dict.fromkeys("cond eigh eigvalsh matrix_norm matrix_rank".split(),
                        dict.fromkeys(("input", "a", "x", "x1"), "A"))
OTHER = {**dict.fromkeys(("tensor_split", "hsplit", "vsplit", "dsplit"), _CUTS), **_MATRIX,
         "isin": {"element": "elements", "test_element": "test_elements"}, "vector_norm": {"input": "x"}}
"""PyTorch's own second names for arguments of a function."""

SCALARS = {**dict.fromkeys(("add", "sub"), ("alpha",)), **dict.fromkeys(("addcmul", "addcdiv"), ("value",)),
           **dict.fromkeys(("addmm", "addmv", "addr", "addbmm", "baddbmm"), ("beta", "alpha"))}
"""Numbers that once came between the tensors, as in p.add_(-0.1, p.grad), or before them, as beta in addmm(beta, ...);
PyTorch still takes them, with a warning.
"""

OWN = ("norm", "split", "unique", "unique_consecutive")
"""Functions beside nn.functional's that take no other names for arguments: PyTorch has them in Python."""

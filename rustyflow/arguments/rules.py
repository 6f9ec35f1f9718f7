"""Tables of PyTorch's rules for the arguments of its functions.

An argument is written `name`, or `function.name` where the rule is for one function only.
"""
from __future__ import annotations

ANY_FLAG = frozenset("""
    antialias create_graph full hard inplace is_grads_batched materialize_grads raise_exception retain_graph
    return_indices strict swap training vectorize
""".split())
"""Flags that PyTorch tests in Python, where any value counts as true or false."""

NONE_TOO = ("pin_memory", "requires_grad")
"""Flags that may be None as well, where a tensor is made."""

NEVER_NONE = frozenset("""
    arange.end arange.first arange.start arange.step bernoulli.p cumulative_trapezoid.x eye.m max.dim median.dim min.dim
    nanmedian.dim normal.size normal.std prod.dim randint.high randint.low randint.size randint_like.high
    randint_like.low repeat_interleave.repeats scatter.reduce squeeze.dim std.unbiased std_mean.unbiased trapezoid.x
    trapz.x var.unbiased var_mean.unbiased where.input where.other
""".split())
"""Arguments that may be left out, but may not be None."""

NEEDS_DIM = ("max", "mean", "median", "min", "nanmedian", "prod", "sum")
"""Functions that take keepdim by name only together with a dim."""

NAMED_DIM = ("max", "min")
"""Functions whose second argument may be a tensor to compare with; a tensor given as `dim=` is read as a number."""

REDUCTIONS = ("mean", "sum", "none")
"""The values that `reduction` may have."""

DOUBLES = frozenset("""
    atol bernoulli.p bernoulli_.p cdist.p cosine_embedding_loss.margin delta dropout.p dropout1d.p dropout2d.p
    dropout3d.p eps exponential_.lambd hinge_embedding_loss.margin label_smoothing margin_ranking_loss.margin momentum
    nan neginf normal_.mean normal_.std pad.value pairwise_distance.p posinf q rtol scale smooth_l1_loss.beta tol
    trapz.dx triplet_margin_loss.margin uniform_.from uniform_.to
""".split())
"""Numbers that PyTorch converts to float: a whole number of more than 64 bits is rounded, not refused, and a complex
number is of the wrong kind.
"""

SYMBOLIC = frozenset("""
    as_strided.storage_offset eye.m eye.n ignore_index indices_or_sections kthvalue.k minlength multinomial.num_samples
    narrow.length narrow.start padding_idx randint.high randint.low randint_like.high randint_like.low randperm.n
    repeat_interleave.output_size repeats select.index select_scatter.index shifts slice_scatter.end slice_scatter.start
    slice_scatter.step topk.k tril.diagonal triu.diagonal
""".split())
"""Whole numbers that PyTorch also takes from an array, or from a tensor with axes, of one cell."""

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

ALPHA_THIRD = frozenset(("rsub", "subtract"))
"""Functions whose alpha may also be positional, after a number."""

ONE_BY_ONE = frozenset(("count_nonzero", "dsplit", "hsplit", "vsplit"))
"""Methods that also take the ints of their tuple one by one, though their signature does not show it."""

OWN = ("norm", "split", "unique", "unique_consecutive")
"""Functions beside nn.functional's that take no other names for arguments: PyTorch has them in Python."""

"""Tables of PyTorch's rules for the arguments of its functions.

An argument is written `name`, or `function.name` where the rule is for one function only.
"""
from __future__ import annotations

NAMED = {
    "int": "avg_pool2d.divisor_override axis0 axis1 bins cat.dim chunks col concat.dim concatenate.dim "
           "cosine_similarity.dim cov.correction cross.dim cummax.dim cummin.dim cumprod.dim cumsum.dim decimals "
           "diagonal diff.dim dim0 dim1 dim2 dimension downscale_factor end_dim gather.dim groups ignore_index "
           "index_add.dim index_copy.dim index_fill.dim index_select.dim k length m minlength n nanquantile.dim "
           "narrow.dim num_classes num_groups num_samples offset padding_idx quantile.dim r row scatter.dim "
           "scatter_add.dim scatter_reduce.dim select.dim select.index select_scatter.index slice_scatter.end "
           "slice_scatter.start slice_scatter.step stack.dim start_dim steps storage_offset tensor_split.dim "
           "unfold.size unsqueeze.dim upscale_factor vecdot.dim",
    "tuple of ints": "as_strided.stride matrix_norm.dim normalized_shape pad size sizes split_sizes",
    "int or tuple of ints": "dilation dim dims dsplit.indices_or_sections hsplit.indices_or_sections "
                            "kernel_size moveaxis.destination moveaxis.source movedim.destination movedim.source "
                            "output_padding shifts stride vsplit.indices_or_sections",
    "int or tuple of ints or bool": "std.dim std_mean.dim var.dim var_mean.dim",
    "int or tuple of ints or str": "padding",
    "int or Tensor": "histogram.bins max.dim min.dim narrow.start repeat_interleave.repeats",
    "int or tuple of ints or Tensor": "tensor_split.indices_or_sections",
    "Number": "alpha base beta correction delta dropout_p dx eps histc.max histc.min label_smoothing lambd margin "
              "max_val min_val momentum nan negative_slope neginf p pad.value posinf rtol atol scale tau threshold tol",
    "Number or Tensor": "add.input bernoulli.p bitwise_and.input bitwise_left_shift.input bitwise_or.input "
                        "bitwise_right_shift.input bitwise_xor.input bucketize.input div.input divide.input fill_value "
                        "float_power.input floor_divide.input lerp.weight linspace.end linspace.start logspace.end "
                        "logspace.start matrix_rank.atol matrix_rank.rtol matrix_rank.tol max min mul.input "
                        "multiply.input pow.input remainder.input result_type.input scatter.src searchsorted.input "
                        "sub.input subtract.input true_divide.input value where.input where.other xlogy.input",
    "Number or str": "cond.p matrix_norm.ord norm.ord normalize.p",
    "Number or str or None": "norm.p",
    "bool": "align_corners",
    "dtype": "dtype",
    "str": "UPLO approximate gaussian_nll_loss.reduction indexing interpolation multilabel_soft_margin_loss.reduction "
           "pad.mode poisson_nll_loss.reduction rounding_mode scatter.reduce scatter_reduce.reduce side",
    "Tensor": "allclose.other batch1 batch2 boundaries gather.index gcd.other hypot.other index_add.index "
              "index_copy.index index_fill.index index_put.values index_select.index input isclose.other lcm.other "
              "lerp.end mask mat mat1 mat2 scatter.index scatter_add.index scatter_add.src scatter_reduce.index "
              "scatter_reduce.src sorted_sequence source tensor1 tensor2 vec vec1 vec2",
    "Tensor or None": "bincount.weights histogram.weight conv1d.bias conv2d.bias conv_transpose1d.bias "
                      "conv_transpose2d.bias cross_entropy.weight layer_norm.bias layer_norm.weight running_mean "
                      "running_var",
    "anything": "fold.dilation fold.kernel_size fold.padding fold.stride gaussian_nll_loss.eps gumbel_softmax.tau "
                "huber_loss.delta interpolate.size multi_margin_loss.p normalize.eps softmin.dim softmin.dtype "
                "softmin.input tensordot.dims type.dtype unflatten.dim unflatten.sizes unfold.dilation "
                "unfold.kernel_size unfold.padding unfold.stride",
}
"""The kinds of arguments, by name, or by function and name where a function differs."""

KINDS = {argument: kind.split(" or ") for kind, arguments in NAMED.items() for argument in arguments.split()}

ANY_FLAG = frozenset("""
    antialias create_graph dropout.training dropout1d.training dropout2d.training dropout3d.training
    gaussian_nll_loss.full hard inplace is_grads_batched materialize_grads raise_exception retain_graph return_indices
    strict triplet_margin_with_distance_loss.swap vectorize
""".split())
"""Flags that PyTorch tests in Python, where any value counts as true or false."""

NONE_TOO = ("pin_memory", "requires_grad")
"""Flags that may be None as well, where a tensor is made."""

NEVER_NONE = frozenset("""
    arange.end arange.first arange.start arange.step bernoulli.p contiguous.memory_format cumulative_trapezoid.x
    eye.m max.dim median.dim min.dim nanmedian.dim normal.size normal.std prod.dim randint.high randint.low randint.size
    randint_like.high randint_like.low repeat_interleave.repeats scatter.reduce squeeze.dim std.unbiased
    std_mean.unbiased trapezoid.x trapz.x var.unbiased var_mean.unbiased where.input where.other
""".split())
"""Arguments that may be left out, but may not be None."""

NEEDS_DIM = {**dict.fromkeys(("max", "mean", "median", "min", "nanmedian", "prod", "sum"), "keepdim"),
             **dict.fromkeys(("std", "std_mean", "var", "var_mean"), "unbiased")}
"""Functions that take keepdim by name only together with a dim, and the argument whose presence triggers the check."""

ONE_PLACE = {**dict.fromkeys(("argsort", "sort"), ("stable", "beside stable all arguments but the first have a name")),
             **dict.fromkeys(("cumulative_trapezoid", "trapezoid", "trapz"), ("dx", "x and dx exclude each other"))}
"""Functions in which, once this argument is given, only the first may be positional; and the rule to report."""

BESIDE = {"randint": {"low": ("high", "size"), "high": ("size",)}, "randint_like": {"low": ("high",)},
          "repeat_interleave": {"dim": ("repeats",), "input": ("repeats",)}}
"""Arguments that are given by name only together with some others."""

BY_PLACE = {"scatter": {"src": "Number"}, **dict.fromkeys(("std", "std_mean", "var", "var_mean"), {"dim": "bool"})}
"""Kinds that an argument may have only when positional: PyTorch refuses them by keyword."""

NAMED_DIM = ("max", "min")
"""Functions whose second argument may be a tensor to compare with; a tensor given as `dim=` is read as a number."""

PYTHON = frozenset("""
    adaptive_avg_pool2d batch_norm binary_cross_entropy binary_cross_entropy_with_logits dropout1d dropout2d dropout3d
    gaussian_nll_loss glu group_norm huber_loss instance_norm interpolate l1_loss margin_ranking_loss mse_loss
    multi_margin_loss norm normalize smooth_l1_loss softmin softsign split tanhshrink tensordot
    triplet_margin_with_distance_loss unravel_index
""".split())
"""Functions written in Python in PyTorch too, which raise an AttributeError for an argument that is no tensor."""

COMPARED = frozenset("""
    batch_norm.eps batch_norm.training dropout.p dropout1d.p dropout2d.p dropout3d.p embedding.padding_idx
    group_norm.num_groups hardtanh.max_val hardtanh.min_val inplace multi_margin_loss.p size_average
    smooth_l1_loss.beta
    triplet_margin_loss.margin triplet_margin_with_distance_loss.margin unique.return_counts unique.return_inverse
    unique_consecutive.return_counts unique_consecutive.return_inverse
""".split())
"""Arguments that PyTorch compares or tests in Python, which fails for a tensor of several cells."""

FLAGS = ("inplace", "return", "size_average", "train")
"""How the names begin of those COMPARED arguments that are tested as flags; the others are compared as numbers."""

REDUCTIONS = ("mean", "sum", "none")
"""The values that `reduction` may have."""

TENSORS_FIRST = frozenset("""
    gaussian_nll_loss group_norm huber_loss l1_loss mse_loss multilabel_soft_margin_loss poisson_nll_loss smooth_l1_loss
""".split())
"""Functions that check their tensors before `reduction`, or before an argument that must be a number."""

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

OWN = frozenset("""
    Tensor.norm Tensor.unflatten adaptive_avg_pool2d batch_norm binary_cross_entropy binary_cross_entropy_with_logits
    celu cosine_embedding_loss cross_entropy dropout1d dropout2d dropout3d elu embedding fold gaussian_nll_loss glu
    group_norm gumbel_softmax hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate
    kl_div l1_loss leaky_relu margin_ranking_loss mish mse_loss multi_margin_loss multilabel_soft_margin_loss nll_loss
    norm.p normalize pad poisson_nll_loss relu6 selu silu smooth_l1_loss soft_margin_loss softmin softsign split
    tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss unfold.kernel_size unique
    unique_consecutive
""".split())
"""Functions that accept no other names for arguments, as PyTorch has them in Python. `norm.p` is the norm that has an
argument p, which linalg's has not. What is made in nn.functional itself is Python as well.
"""

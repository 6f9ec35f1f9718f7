"""What the functions with an underscore leave in their tensor: one example each, of which their docstrings are made.

A line of a table holds the name, the tensor, the arguments, and the tensor afterwards.
"""
from __future__ import annotations

ALONE = """
abs_         | [-1., 2.]            | | [1., 2.]
acos_        | [1., 0.]             | | [0.0000, 1.5708]
acosh_       | [1., 2.]             | | [0.0000, 1.3170]
asin_        | [0., 1.]             | | [0.0000, 1.5708]
asinh_       | [0., 1.]             | | [0.0000, 0.8814]
atan_        | [0., 1.]             | | [0.0000, 0.7854]
atanh_       | [0., 0.5]            | | [0.0000, 0.5493]
bitwise_not_ | [0, 5]               | | [-1, -6]
ceil_        | [0.2, -0.2]          | | [1., -0.]
clamp_       | [-3., 0.5, 3.]       | -1, 1 | [-1.0000,  0.5000,  1.0000]
clamp_max_   | [1., 5.]             | 3 | [1., 3.]
clamp_min_   | [1., 5.]             | 3 | [3., 5.]
cos_         | [0., 1.]             | | [1.0000, 0.5403]
cosh_        | [0., 1.]             | | [1.0000, 1.5431]
cumprod_     | [1, 2, 3, 4]         | 0 | [ 1,  2,  6, 24]
cumsum_      | [1, 2, 3, 4]         | 0 | [ 1,  3,  6, 10]
deg2rad_     | [180., 90.]          | | [3.1416, 1.5708]
erf_         | [0., 1.]             | | [0.0000, 0.8427]
erfc_        | [0., 1.]             | | [1.0000, 0.1573]
exp_         | [0., 1.]             | | [1.0000, 2.7183]
exp2_        | [0., 3.]             | | [1., 8.]
expm1_       | [0., 1.]             | | [0.0000, 1.7183]
floor_       | [0.2, -0.2]          | | [ 0., -1.]
frac_        | [1.5, -1.5]          | | [ 0.5000, -0.5000]
log_         | [1., 10.]            | | [0.0000, 2.3026]
log10_       | [1., 100.]           | | [0., 2.]
log1p_       | [0., 1.]             | | [0.0000, 0.6931]
log2_        | [1., 8.]             | | [0., 3.]
nan_to_num_  | [rf.nan, 1.]         | nan=0 | [0., 1.]
neg_         | [1., -2.]            | | [-1.,  2.]
rad2deg_     | [0., rf.pi]          | | [  0., 180.]
reciprocal_  | [2., 4.]             | | [0.5000, 0.2500]
relu_        | [-1., 2.]            | | [0., 2.]
round_       | [0.5, 1.5, 2.4]      | | [0., 2., 2.]
rsqrt_       | [1., 4.]             | | [1.0000, 0.5000]
sigmoid_     | [0., 100.]           | | [0.5000, 1.0000]
sgn_         | [-2.5, 0., 7.]       | | [-1.,  0.,  1.]
sign_        | [-3., 0.]            | | [-1.,  0.]
sin_         | [0., 1.]             | | [0.0000, 0.8415]
sinc_        | [0., 1.5]            | | [ 1.0000, -0.2122]
sinh_        | [0., 1.]             | | [0.0000, 1.1752]
sqrt_        | [4., 9.]             | | [2., 3.]
square_      | [3., -4.]            | | [ 9., 16.]
tan_         | [0., 1.]             | | [0.0000, 1.5574]
tanh_        | [0., 1.]             | | [0.0000, 0.7616]
trunc_       | [1.7, -1.7]          | | [ 1., -1.]
"""

WITH_OTHERS = """
add_                 | [1., 2.]             | 10, alpha=2 | [21., 22.]
addbmm_              | [[1., 1.], [1., 1.]] | rf.ones(3, 2, 4), rf.ones(3, 4, 2) | [[13., 13.], [13., 13.]]
addcdiv_             | [1., 1.]             | rf.tensor([1., 2.]), rf.tensor([2., 2.]) | [1.5000, 2.0000]
addcmul_             | [1., 1.]             | rf.tensor([1., 2.]), rf.tensor([3., 4.]), value=10 | [31., 81.]
addmm_               | [[1., 1.], [1., 1.]] | rf.ones(2, 3), rf.ones(3, 2), beta=10 | [[13., 13.], [13., 13.]]
addmv_               | [1., 1.]             | rf.ones(2, 3), rf.ones(3) | [4., 4.]
addr_                | [[0., 0.], [0., 0.]] | rf.tensor([1., 2.]), rf.tensor([10., 20.]) | [[10., 20.], [20., 40.]]
atan2_               | [1., 0.]             | rf.tensor([1., -1.]) | [0.7854, 3.1416]
baddbmm_             | [[[1., 1.]]]         | rf.ones(1, 1, 3), rf.ones(1, 3, 2) | [[[4., 4.]]]
bitwise_and_         | [6, 5]               | 4 | [4, 4]
bitwise_left_shift_  | [1, 3]               | 2 | [ 4, 12]
bitwise_or_          | [6, 5]               | 1 | [7, 5]
bitwise_right_shift_ | [8, 5]               | 1 | [4, 2]
bitwise_xor_         | [6, 5]               | 1 | [7, 4]
copysign_            | [1., -2.]            | -1 | [-1., -2.]
div_                 | [7., -7.]            | 2, rounding_mode="floor" | [ 3., -4.]
eq_                  | [1., 2.]             | 2 | [0., 1.]
floor_divide_        | [7., -7.]            | 2 | [ 3., -4.]
fmod_                | [7., -7.]            | 4 | [ 3., -3.]
gcd_                 | [12, 7]              | rf.tensor([18, 3]) | [6, 1]
ge_                  | [1., 2., 3.]         | 2 | [0., 1., 1.]
gt_                  | [1., 2., 3.]         | 2 | [0., 0., 1.]
heaviside_           | [-1., 0., 2.]        | rf.tensor(0.5) | [0.0000, 0.5000, 1.0000]
hypot_               | [3., 5.]             | rf.tensor([4., 12.]) | [ 5., 13.]
lcm_                 | [4, 7]               | rf.tensor([6, 3]) | [12, 21]
le_                  | [1., 2., 3.]         | 2 | [1., 1., 0.]
lerp_                | [0., 10.]            | rf.tensor([10., 20.]), 0.5 | [ 5., 15.]
lt_                  | [1., 2., 3.]         | 2 | [1., 0., 0.]
mul_                 | [1., 2.]             | rf.tensor([10., 100.]) | [ 10., 200.]
ne_                  | [1., 2.]             | 2 | [1., 0.]
pow_                 | [2., 3.]             | 2 | [4., 9.]
remainder_           | [7., -7.]            | 4 | [3., 1.]
sub_                 | [1., 2.]             | 10, alpha=2 | [-19., -18.]
true_divide_         | [1., 2.]             | 4 | [0.2500, 0.5000]
xlogy_               | [0., 2.]             | rf.tensor([0., 10.]) | [0.0000, 4.6052]
"""

IN_PART = """
index_add_      | [0., 0., 0.]  | 0, rf.tensor([0, 2, 2]), rf.ones(3) | [1., 0., 2.]
index_copy_     | [0., 0., 0.]  | 0, rf.tensor([2, 0]), rf.tensor([5., 6.]) | [6., 0., 5.]
masked_scatter_ | [0., 0., 0.]  | rf.tensor([True, False, True]), rf.tensor([5., 6., 7.]) | [5., 0., 6.]
scatter_        | [0., 0., 0.]  | 0, rf.tensor([2, 0]), rf.tensor([5., 6.]) | [6., 0., 5.]
scatter_reduce_ | [1., 1., 1.]  | 0, rf.tensor([2, 2]), rf.tensor([5., 6.]), "prod" | [ 1.,  1., 30.]
scatter_add_    | [0., 0., 0.]  | 0, rf.tensor([2, 2]), rf.tensor([5., 6.]) | [ 0.,  0., 11.]
"""

AS_VIEW = """
as_strided_ | [0, 1, 2, 3]     | (2, 2), (1, 2) | [[0, 2], [1, 3]]
squeeze_    | [[1, 2]]         | 0 | [1, 2]
swapaxes_   | [[1, 2], [3, 4]] | 0, 1 | [[1, 3], [2, 4]]
swapdims_   | [[1, 2], [3, 4]] | 0, 1 | [[1, 3], [2, 4]]
t_          | [[1, 2], [3, 4]] | | [[1, 3], [2, 4]]
transpose_  | [[1, 2], [3, 4]] | 0, 1 | [[1, 3], [2, 4]]
unsqueeze_  | [1, 2]           | 1 | [[1], [2]]
"""

ONE_VALUE = """
index_fill_  | [0., 0., 0.]  | 0, rf.tensor([0, 2]), 7 | [7., 0., 7.]
masked_fill_ | [1., -2., 3.] | rf.tensor([False, True, False]), 0 | [1., 0., 3.]
tril_        | [[1., 2.], [3., 4.]] | | [[1., 0.], [3., 4.]]
triu_        | [[1., 2.], [3., 4.]] | 1 | [[0., 2.], [0., 0.]]
"""

UNSEEN = """
logical_and_ | [1., 0.] | rf.tensor([2., 2.]) | [1., 0.]
logical_not_ | [0., 2.] | | [1., 0.]
logical_or_  | [1., 0.] | rf.tensor([0., 0.]) | [1., 0.]
logical_xor_ | [1., 0.] | rf.tensor([2., 2.]) | [0., 1.]
"""

SAYS = {
    """Write `{plain}` of the tensor over the tensor itself, and return it.
{written}
    MemoryOverlapError: cells of the tensor that share a slot.
    DTypeError: a result that the tensor's dtype cannot hold.
""": ALONE,
    """Write `{plain}` of the tensor and the arguments over the tensor itself, and return it.
{written}
    MemoryOverlapError: cells of the tensor that share a slot, or an argument that reads them at another place.
    ShapeError, DTypeError: a result that the tensor's shape or dtype cannot hold.
""": WITH_OTHERS,
    """Do in the tensor's own memory what `{plain}` does in a copy, and return the tensor.
{written}
    MemoryOverlapError: cells of the tensor that share a slot, or an argument that reads them.
    ShapeError, DTypeError: arguments that do not fit the tensor. And what `{plain}` raises.
""": IN_PART,
    """Do in the tensor's own memory what `{plain}` does in a copy, and return the tensor.
{written}
    MemoryOverlapError: cells that a stride of 0 repeats, if a gradient goes through them; or an argument that reads
        part of the tensor's cells.
    ShapeError, DTypeError: arguments that do not fit the tensor. And what `{plain}` raises.
""": ONE_VALUE,
    """Write `{plain}` of the tensor, and of an argument, over the tensor itself, and return it.

No gradient knows of it, so that a leaf that requires grad may be written too. Shape, dtype, stride and storage stay.
Raises:
    MemoryOverlapError (a RuntimeError, as all of these): cells of the tensor that share a slot, or an argument that
        reads them at another place.
    ShapeError, DTypeError: a result that the tensor's shape or dtype cannot hold.
""": UNSEEN,
    """Make the tensor itself what its view `{plain}` would be, over the same memory, and return it.

Shape, stride and storage_offset may change; dtype, storage and what is written there stay.
Raises:
    GradError (a RuntimeError): a leaf that requires grad. And what `{plain}` raises.
""": AS_VIEW,
}
"""How the docstring of each table's functions begins."""

WRITTEN = """
Shape, dtype, stride and storage stay; every view of the memory sees the write, and the storage's version counts it.
Raises:
    GradError (a RuntimeError, as all of these): a leaf that requires grad, or a view of one."""

PAGES = {"as_strided_": "Tensor.as_strided", "clamp_max_": "clamp", "clamp_min_": "clamp", "exp2_": "exp2",
         "relu_": "nn.functional.relu_", "swapaxes_": "swapaxes", "swapdims_": "swapdims"}
"""PyTorch's pages for those that have none under their own name."""


def docstring(says: str, line: str) -> tuple[str, str]:
    """The name that a line begins with, and the docstring it gives.

    Example:
        >>> name, text = docstring("Write `{plain}`.\\n", "t_ | [[1, 2], [3, 4]] | | [[1, 3], [2, 4]]")
        >>> text.splitlines()[:2]
        ['Write `t`.', 'Source: https://pytorch.org/docs/stable/generated/torch.Tensor.t_.html']
        >>> text.splitlines()[-3:]
        ['    >>> x', '    tensor([[1, 3],', '            [2, 4]])']
    """
    name, before, arguments, after = (part.strip() for part in line.split("|"))
    page, after = PAGES.get(name, f"Tensor.{name}"), after.replace("], [", "],\n            [")
    return name, f"""{says.format(plain=name[:-1], written=WRITTEN)}\
Source: https://pytorch.org/docs/stable/generated/torch.{page}.html

Example:
    >>> import rustyflow as rf
    >>> x = rf.tensor({before})
    >>> _ = x.{name}({arguments})
    >>> x
    tensor({after})"""


__test__ = dict(docstring(says, line) for says, table in SAYS.items() for line in table.strip().splitlines())

"""The places of cells: shapes, strides and offsets as pure functions on tuples of ints.

A layout is (shape, stride, offset), counted in elements of a flat storage. The cell at `index` lies in slot
`offset + sum(index * stride)`. Every view is a new layout over the same storage; nothing here touches memory.
Source of the rules: https://pytorch.org/docs/stable/tensor_view.html and
https://pytorch.org/docs/stable/notes/broadcasting.html
"""
from .broadcast import broadcast_axes, broadcast_shapes, expand, sums_to
from .dims import in_a_row, one_number, reduced_shape, whole_number, whole_numbers, whole_sizes, wrap_dim, wrap_dims
from .indexing import LONGEST, no_such_index, read
from .order import axis_order, dense_stride, kept_stride
from .parts import as_strided, diagonal, narrow, select, slice_, unfold
from .strides import (
    Layout,
    Shape,
    check_extent,
    contiguous_stride,
    extent,
    flat_index,
    has_overlap,
    indices,
    is_contiguous,
    is_dense,
    meets_in_place,
    repeats_part,
    shares_slots,
    slots,
    unravel_index,
)
from .views import infer_size, parted, permute, squeeze, t, transpose, unsqueeze, view, view_stride

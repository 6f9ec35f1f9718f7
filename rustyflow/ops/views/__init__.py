"""Views: the same memory through another layout."""

from .broadcast import expand, sum_to
from .part import diagonal, narrow
from .permute import movedim, permute, t, transpose
from .shape import atleast_1d, atleast_2d, atleast_3d, clone, contiguous, copy, flatten, reshape, unsafe_view
from .slots import as_strided, scattered, slots_add, through
from .view import alias, squeeze, takes_a_tuple, unsqueeze, view

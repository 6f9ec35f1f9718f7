"""New tensors: from data, filled, counted, or over somebody else's memory."""
from .arguments import creator, finish, given_data, one_by_one, refuse_absent, shape_of
from .filled import empty, empty_like, eye, full, full_like, ones, ones_like, zeros, zeros_like
from .nested import infer_dtype
from .ranges import arange, linspace, logspace, tril_indices, triu_indices
from .values import as_tensor, from_numpy, scalar_tensor, tensor

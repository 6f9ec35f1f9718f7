"""New tensors: from data, filled, counted, or over somebody else's memory."""
from .arguments import creator, finish, given_data, one_by_one, refuse_absent, shape_of
from .filled import empty, empty_like, eye, full, full_like, ones, ones_like, zeros, zeros_like
from .nested import infer_dtype
from .ranges import arange, linspace, logspace, tril_indices, triu_indices
from .values import as_tensor, from_numpy, scalar_tensor, tensor

__all__ = ["arange", "as_tensor", "creator", "empty", "empty_like", "eye", "finish", "from_numpy", "full", "full_like",
           "given_data", "infer_dtype", "linspace", "logspace", "one_by_one", "ones", "ones_like", "refuse_absent",
           "scalar_tensor", "shape_of", "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like"]

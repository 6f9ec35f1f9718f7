"""Reading and writing by index."""
from __future__ import annotations

from ..errors import DTypeError
from ..layout import wrap_dim
from .registry import apply, op


def _check_index(name, index):
    if index._a.dtype.kind != "i":
        raise DTypeError(f"index of {index.dtype!r}", f"{name}(): Expected dtype int64 for index", "index.long()")


@op
class gather:
    """y[i, j] = x[index[i, j], j] along dim        dx = zeros with every g added where it was read

    Source: https://pytorch.org/docs/stable/generated/torch.gather.html

    Example:
        >>> import rustyflow as rf
        >>> rf.gather(rf.tensor([[1., 2.], [3., 4.]]), 1, rf.tensor([[1], [0]]))
        tensor([[2.],
                [3.]])
    """
    promote = None
    def forward(F, x, index, *, dim): return F.gather(x, dim, index)
    def grad_x(F, g, shape, index, *, dim): return F.scatter_add_zeros(g, shape, dim, index)

    def call(input, dim, index):
        _check_index("gather", index)
        return apply(gather.op, input, index, dim=wrap_dim(dim, input._a.ndim))


@op(public=False, method=False)
class scatter_add_zeros:
    """y = zeros of `shape` with x added at `index` along dim        dx = dy gathered there"""
    promote = None
    def forward(F, x, index, *, size, dim): return F.scatter_add_zeros(x, size, dim, index)
    def grad_x(F, g, index, *, size, dim): return F.gather(g, dim, index)
    def call(x, shape, dim, index): return apply(scatter_add_zeros.op, x, index, size=shape, dim=dim)

"""Rows of a table by number, and numbers as rows with a single 1."""
from __future__ import annotations

from ...arguments.numbers import whole
from ...backends import backend
from ...dispatch import apply, function, is_recorded, need_tensors, not_a_tensor, op
from ...dtype import int32, int64
from ...errors import AbsentError, AssertedError, DTypeError, IndexOutOfRange, ShapeError
from ...tensor import Tensor, wrap
from ..index.index_check import axis_of


@op(public=False, method=False)
class embedding:
    """y = weight[index]        dweight = without_row(given_back(g, weight), padding_idx) if padding_idx >= 0 \
else given_back(g, weight)

    Rows that were read several times receive the sum; the row `padding_idx` receives nothing.
    Shapes: input (...), int64 or int32; weight (rows, width); result (..., width).
    Raises: IndexOutOfRange (an IndexError): a row that is not there. DTypeError (a RuntimeError): an input of another
        dtype.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html

    Example:
        >>> import rustyflow as rf
        >>> table = rf.tensor([[0., 0.], [1., 10.], [2., 20.]])
        >>> rf.nn.functional.embedding(rf.tensor([2, 0, 2]), table)
        tensor([[ 2., 20.],
                [ 0.,  0.],
                [ 2., 20.]])
    """
    promote = None

    def forward(F, weight, index, *, padding_idx): return F.read_rows(weight, index)
    def grad_weight(F, g, index, shape, *, padding_idx): return F.embedding_rows(g, index, shape[0], padding_idx)

    def call(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        if padding_idx and not isinstance(weight, Tensor):  # PyTorch reads weight.size in Python
            raise not_a_tensor("embedding", "weight", weight)
        need_tensors("embedding", weight=weight)
        if max_norm is not None or scale_grad_by_freq or sparse:
            raise AbsentError("embedding with max_norm, scale_grad_by_freq or sparse",
                              "rustyflow has the plain embedding, with padding_idx", "leave them out")
        if padding_idx is not None:
            n = weight._a.shape[axis_of(weight, 0)] if padding_idx > 0 or padding_idx < 0 else 1
            if padding_idx < -n or padding_idx >= max(n, 1):
                raise AssertedError(f"padding_idx={padding_idx}, {n} rows", "Padding_idx must be within num_embeddings",
                                    f"a row from 0 to {n - 1}")
            padding_idx, = whole("embedding", padding_idx=padding_idx)
        need_tensors("embedding", input=input)
        if weight._a.ndim != 2:
            if is_recorded(weight):
                axis_of(weight, 0)  # the gradient needs this axis: PyTorch complains of it first
            raise ShapeError(f"weight of shape {tuple(weight.shape)}", "'weight' must be 2-D: one row per number",
                             "weight.unsqueeze(-1) for rows of one number")
        n = weight._a.shape[0]
        if input.dtype not in (int64, int32):
            raise DTypeError(f"input of {input.dtype!r}",
                             "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                             "Long, Int", "input.long()")
        check_rows(input, n)
        return apply(embedding.op, weight, input, padding_idx=-1 if padding_idx is None else padding_idx % n)


def check_rows(index, n):
    """Refuse numbers of rows that a table of n rows lacks.

    Raises:
        IndexOutOfRange (an IndexError). ShapeError (a RuntimeError): a table without rows.
    """
    a = index._a
    if a.size and not n:
        raise ShapeError(f"{a.size} numbers of rows, a table with none",
                         "index_select(): self indexing axis dim should be positive", "a table with rows")
    if not backend.are_below(a, n):
        wrong = a[(a < 0) | (a >= n)].flat[0]
        raise IndexOutOfRange(f"row {wrong} of a table with {n} rows", "index out of range in self",
                              f"rows are numbered from 0 to {n - 1}", index=int(wrong), rows=n)


@op(public=False, method=False)
class embedding_rows:
    """y = rows_zeros(g, count, index)
    dg = rows_at(dy, index, padding_idx)
    """
    promote = None
    def forward(F, g, index, *, count, padding_idx): return F.embedding_rows(g, index, count, padding_idx)

    def grad_g(F, u, index, *, count, padding_idx):
        read = F.read_rows(u, index)
        return read if padding_idx < 0 else read * F.unsqueeze(index != padding_idx, -1)


@function(public=False, method=False)
def read_rows(weight, index):
    """The embedding without padding, to gradients."""
    return apply(embedding.op, weight, index, padding_idx=-1)


def one_hot(input, num_classes=-1):
    """A 1 at each number's place in a row of zeros: shape (...) gives (..., num_classes), int64.

    Shapes: (...) to (..., num_classes).
    Raises:
        DTypeError (a RuntimeError): another dtype than int64. ShapeError (a RuntimeError): a number that is negative or
            not below num_classes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html

    Example:
        >>> import rustyflow as rf
        >>> F = rf.nn.functional
        >>> F.one_hot(rf.tensor([0, 2]), 3)
        tensor([[1, 0, 0],
                [0, 0, 1]])
    """
    n, = whole("one_hot", num_classes=num_classes)
    a = input._a
    if input.dtype is not int64:
        raise DTypeError(f"one_hot of {input.dtype!r}",
                         "one_hot is only applicable to index tensor of type LongTensor", "x.long()")
    if not a.size and n <= 0:
        raise ShapeError("one_hot of no numbers", "Can not infer total number of classes from empty tensor.",
                         "give num_classes")
    if not backend.are_below(a, 1 << 63 if n == -1 else max(n, 0)):
        raise ShapeError(f"numbers from {a.min()} to {a.max()}, num_classes={n}",
                         "Class values must be non-negative and smaller than num_classes.",
                         "classes are numbered from 0" if a.min() < 0 else f"num_classes={a.max() + 1}")
    return wrap(backend.one_hot(a, int(a.max()) + 1 if n == -1 else n))

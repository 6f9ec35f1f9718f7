"""The linear layer, a product and a sum as one node, and the bilinear one of two inputs."""
from __future__ import annotations

from math import prod

from ...dispatch import apply, apply_view, function, not_a_tensor, op, renamed
from ...errors import BroadcastError, DimError, DTypeError, MatmulError, ShapeError, align_right
from ...layout import broadcast_shapes
from ...tensor import Tensor
from ..matrix.linalg import matmul
from ..views import t, unsafe_view, view


@op(public=False, method=False)
class linear:
    """y = x @ turned + bias        dx = g @ turned.T        dturned = (g.T @ x).T        dbias = g

    What is multiplied by is a view, `turned`: the weight's transpose, which its gradient is laid out like.
    Shapes: x (..., in), weight (out, in) or (in,), bias (out,) or one that broadcasts; result (..., out), or (...) for
    a vector.
    Raises: MatmulError (a RuntimeError): another number of inputs in x than in weight. DTypeError (a RuntimeError):
        different dtypes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html

    Example:
        >>> import rustyflow as rf
        >>> weight, bias = rf.tensor([[1., 0.], [0., 1.], [1., 1.]]), rf.tensor([0., 0., 10.])
        >>> rf.nn.functional.linear(rf.tensor([[1., 2.]]), weight, bias)
        tensor([[ 1.,  2., 13.]])
    """
    torch_name, promote, shown = "AddmmBackward0", None, [2, 0, 1]
    def forward(F, x, turned, bias=None): return F.linear(x, turned.T, bias)
    def grad_x(F, g, turned): return F.matmul(g, turned.T)
    def grad_turned(F, g, x): return F.matmul(g.T, x).T
    def grad_bias(F, g): return g

    def call(input, weight, bias=None):
        for name, x in (("input", input), ("weight", weight), ("bias", bias)):
            if not isinstance(x, Tensor) and (x is not None or name != "bias"):
                raise not_a_tensor("linear", name, x)
        a, w = input._a, weight._a
        alike = a.dtype is w.dtype and a.dtype.kind != "b" and (bias is None or bias._a.dtype is a.dtype)
        if not alike or w.ndim != 2 or not a.ndim or a.shape[-1] != w.shape[1]:
            return _unusual(input, weight, bias)
        if bias is not None and bias._a.shape != w.shape[:1]:
            fits(bias, (*a.shape[:-1], w.shape[0]))
        it, turned = linear.op if bias is not None else _product, apply_view(t.op, weight)
        if a.ndim == 2:
            return apply(it, input, turned, bias)
        if not a.flags.c_contiguous or a.ndim == 1 and bias is None or a.ndim > 2 and not _is_row(bias):
            return _unusual(input, weight, bias)
        shape, rows = (*a.shape[:-1], w.shape[0]), apply_view(view.op, input, size=(prod(a.shape[:-1]), w.shape[1]))
        if bias is not None and bias._a.ndim > 1:
            fits(bias, (rows._a.shape[0], w.shape[0]))
        y = apply(it, rows, turned, bias)
        return unsafe_view(y, shape) if bias is None else apply_view(view.op, y, size=shape)


_product = renamed(linear.op, "MmBackward0", [0, 1])


def _is_row(bias):
    """True if PyTorch adds the bias within the matrix product.

    It is contiguous, along one axis (or absent).
    """
    if bias is None:
        return True
    b = bias._a
    return b.flags.c_contiguous and (b.ndim == 1 or sum([n != 1 for n in b.shape]) == 1)


def _unusual(input, weight, bias):
    """linear with a weight of one axis, or with shapes or dtypes that cannot be multiplied.

    Raises:
        MatmulError, ShapeError, DTypeError (RuntimeErrors).
    """
    a, w = input._a, weight._a
    if not a.ndim or w.ndim not in (1, 2) or w.ndim == 1 and bias is not None and (bias._a.ndim or a.ndim == 2):
        raise ShapeError(align_right(("input", a.shape), ("weight", w.shape)),
                         "linear(): input must have at least one axis, and weight one or two (two beside a bias "
                         "that has one)",
                         "input (..., in), weight (out, in)")
    if a.shape[-1] != w.shape[-1]:
        raise MatmulError(align_right(("input", a.shape), ("weight", w.shape)),
                          f"mat1 and mat2 shapes cannot be multiplied: the last axis of input ({a.shape[-1]}) must "
                          f"be as long as that of weight ({w.shape[-1]})",
                          "weight is stored as (out, in): "
                          f"of shape (out, {a.shape[-1]}), as nn.Linear({a.shape[-1]}, ...) has",
                          shapes=(a.shape, w.shape))
    given = {"input": input, "weight": weight}
    axes = bias is not None and bias._a.ndim
    if bias is not None and (axes if a.ndim == 1 else a.ndim == 2 or _is_row(bias) and a.flags.c_contiguous):
        given["bias"] = bias  # else it is added in place, and cast: to one number, or to rows that are not in order
    if len({x._a.dtype for x in given.values()}) > 1:
        fix = f"input.to({weight.dtype!r})" if weight.is_floating_point() else f"weight.to({input.dtype!r})"
        raise DTypeError(", ".join(f"{name}: {x.dtype!r}" for name, x in given.items()),
                         "input, weight and bias must have the same dtype", fix)
    y = matmul(input, t(weight))
    return y if bias is None else y.add_(bias)


def fits(bias, shape):
    """Refuse a bias that would change the shape of the result.

    Raises:
        ShapeError (a RuntimeError).
    """
    try:
        fit = broadcast_shapes(shape, bias._a.shape) == shape
    except BroadcastError:
        fit = False
    if not fit:
        raise ShapeError(align_right(("result", shape), ("bias", bias._a.shape)),
                         "the bias must broadcast to the result", f"one number per output: ({shape[-1]},)")


@op(public=False, method=False)
class trilinear:
    """y = einsum('ni,oij,nj->no', x1, w, x2)
    dx1 = einsum('no,oij,nj->ni', g, w, x2)
    dw = einsum('no,ni,nj->oij', g, x1, x2)
    dx2 = einsum('no,oij,ni->nj', g, w, x1)
    """
    elementwise = False

    def forward(F, x1, w, x2): return F.matmul(_pairs(F, x1, x2), _flat(F, w).mT)
    def grad_w(F, g, x1, x2, shape): return F.reshape(F.matmul(g.mT, _pairs(F, x1, x2)), shape)
    def grad_x1(F, g, w, x2): return F.sum(_spread(F, g, w) * F.unsqueeze(x2, -2), -1)
    def grad_x2(F, g, w, x1): return F.sum(_spread(F, g, w) * F.unsqueeze(x1, -1), -2)


def _pairs(F, x1, x2):
    """The products of each number of a row of x1 and each of x2's, (n, i * j)."""
    return F.reshape(F.unsqueeze(x1, -1) * F.unsqueeze(x2, -2), (x1.shape[0], x1.shape[1] * x2.shape[1]))


def _flat(F, w):
    return F.reshape(w, (w.shape[0], w.shape[1] * w.shape[2]))


def _spread(F, g, w):
    """The gradient of each product of `_pairs`, (n, i, j)."""
    return F.reshape(F.matmul(g, _flat(F, w)), (g.shape[0], *w.shape[1:]))


@function(public=False, method=False)
def bilinear(input1, input2, weight, bias=None):
    """Each output is a weighted sum over all pairs of a number of input1 and one of input2.

    Shapes: input1 (..., in1), input2 (..., in2), weight (out, in1, in2), bias (out,); result (..., out).
    Raises:
        ShapeError, DTypeError (RuntimeErrors): shapes or dtypes that do not go together. DimError (an IndexError): a
            weight of fewer than three axes.
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.bilinear.html

    Example:
        >>> import rustyflow as rf
        >>> weight = rf.tensor([[[1., 0.], [0., 1.]]])
        >>> rf.nn.functional.bilinear(rf.tensor([[1., 2.]]), rf.tensor([[3., 4.]]), weight)
        tensor([[11.]])
    """
    outputs, *inputs = _sizes(input1, input2, weight, bias)
    rows = [x.reshape(-1, n) for x, n in zip((input1, input2), inputs, strict=True)]
    y = apply(trilinear.op, rows[0], weight, rows[1]).reshape((*input1.shape[:-1], outputs))
    return y if bias is None else y + bias


def _sizes(input1, input2, weight, bias):
    """The sizes of a weight that goes with two inputs.

    Raises:
        ShapeError, DTypeError (RuntimeErrors); DimError (an IndexError).
    """
    a, b, w = input1._a, input2._a, weight._a
    was = align_right(("input1", a.shape), ("input2", b.shape), ("weight", w.shape))
    fix = f"weight (out, {', '.join(str(x.shape[-1]) if x.ndim else '1' for x in (a, b))})"
    if w.ndim != 3 or not a.ndim or not b.ndim:
        raise DimError(was, "bilinear(): inputs have one axis or more, and a weight three", fix)
    if a.shape[:-1] != b.shape[:-1]:
        raise ShapeError(was, "bilinear(): input batch dimensions do not match: both inputs have the same but for the "
                         "last", "inputs of the same shape but for the last axis")
    for name, x, size in (("input1", a, w.shape[1]), ("input2", b, w.shape[2])):
        if x.shape[-1] != size:
            raise ShapeError(was, f"bilinear(): {name} size does not match weight size: got {x.shape[-1]} but expected "
                             f"{size}", fix)
    if bias is not None and bias._a.shape != w.shape[:1]:
        raise ShapeError(f"weight {tuple(w.shape)}, bias {tuple(bias.shape)}", "bilinear(): bias size does not match "
                         f"weight size: expected {w.shape[0]}", f"one number per output: ({w.shape[0]},)")
    if len({x.dtype for x in (a, b, w)}) > 1:
        given = {"input1": input1, "input2": input2, "weight": weight}
        raise DTypeError(", ".join(f"{name}: {x.dtype!r}" for name, x in given.items()),
                         "All tensors must have the same dtype", f"input1.to({weight.dtype!r})")
    return w.shape

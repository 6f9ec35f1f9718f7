"""Ops of neural networks; public as `rustyflow.nn.functional`."""
from __future__ import annotations

from ..errors import ShapeError, align_right
from ..tensor import Tensor
from .registry import apply, not_a_tensor, op


def pair(n):
    """One number for both axes, or one for each."""
    return (n, n) if isinstance(n, int) else tuple(n)


@op(method=False)
class conv2d:
    """y[n, o, i, j] = sum(x[n, c, i*s + p, j*s + q] * w[o, c, p, q])        dx, dw: the same sum with g in place of y

    Shapes: x (N, C, H, W), weight (O, C / groups, kh, kw), bias (O,); result (N, O, Ho, Wo).
    Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html

    Example:
        >>> import rustyflow as rf
        >>> rf.conv2d(rf.ones(1, 1, 3, 3), rf.ones(1, 1, 2, 2))
        tensor([[[[4., 4.],
                  [4., 4.]]]])
    """
    torch_name = "ConvolutionBackward0"
    def forward(F, x, w, *, stride, padding, dilation, groups): return F.conv2d(x, w, stride, padding, dilation, groups)
    def grad_x(F, g, w, shape, **how): return F.conv2d_input(g, w, shape, **how)
    def grad_w(F, g, x, shape, **how): return F.conv2d_weight(g, x, shape, **how)

    def call(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        for name, x in (("input", input), ("weight", weight)):
            if not isinstance(x, Tensor):
                raise not_a_tensor("conv2d", name, x)
        if weight._a.ndim != 4 or input._a.ndim not in (3, 4) or input._a.shape[-3] != weight._a.shape[1] * groups:
            raise ShapeError(align_right(("input", input._a.shape), ("weight", weight._a.shape)),
                             f"Given groups={groups}, expected input (N, C, H, W) and weight (O, C / groups, kh, kw) with the same C", "check the channels")
        out = apply(conv2d.op, input if input._a.ndim == 4 else input.unsqueeze(0), weight,
                    stride=pair(stride), padding=pair(padding), dilation=pair(dilation), groups=groups)
        out = out if bias is None else out + bias.view(-1, 1, 1)
        return out if input._a.ndim == 4 else out.squeeze(0)


@op(public=False, method=False)
class conv2d_input:
    """dx of conv2d, linear in g and w        dg = conv2d(upstream, w)        dw = conv2d_weight(g, upstream)"""
    def forward(F, g, w, *, size, **how): return F.conv2d_input(g, w, size, **how)
    def grad_g(F, u, w, **how): return F.conv2d(u, w, **_geometry(how))
    def grad_w(F, u, g, shape, **how): return F.conv2d_weight(g, u, shape, **_geometry(how))
    def call(g, w, shape, **how): return apply(conv2d_input.op, g, w, size=shape, **how)


@op(public=False, method=False)
class conv2d_weight:
    """dw of conv2d, linear in g and x        dg = conv2d(x, upstream)        dx = conv2d_input(g, upstream)"""
    def forward(F, g, x, *, size, **how): return F.conv2d_weight(g, x, size, **how)
    def grad_g(F, u, x, **how): return F.conv2d(x, u, **_geometry(how))
    def grad_x(F, u, g, shape, **how): return F.conv2d_input(g, u, shape, **_geometry(how))
    def call(g, x, shape, **how): return apply(conv2d_weight.op, g, x, size=shape, **how)


def _geometry(how):
    return {name: value for name, value in how.items() if name != "size"}
